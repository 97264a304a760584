/* ceilings.h -- what a machine can do at most: figures that the command measures on the CPU, and a back end on its
 * device.
 *
 * Plain data of one form for both, so that what is kept, printed and looked up is the same. A figure that a device does
 * not have is all zero.
 */
#ifndef ORDO_CEILINGS_H
#define ORDO_CEILINGS_H

#include <ordo/types.h>

ORDO_BEGIN_DECLS

/* Of several passes. Rates: operations or bytes a second, the best is the largest. Times: seconds, the best is the
 * least. */
typedef struct ordo_figure {
    double best, median, worst;
} ordo_figure;

/* All threads at once at random places of an array, 4 bytes each; the hop is of one thread. */
typedef struct ordo_footprint {
    double bytes;          /* of the array */
    ordo_figure loads;     /* independent loads a second */
    ordo_figure additions; /* atomic additions a second, without the old value */
    ordo_figure minimums;  /* atomic minimums a second, with the old value: as a relaxation makes them */
    ordo_figure hop;       /* seconds of a load whose address is the value of the one before */
} ordo_footprint;

enum { ORDO_MOST_FOOTPRINTS = 8 };

typedef struct ordo_ceilings {
    ordo_figure stream;            /* bytes a second, read in order from memory by all threads */
    ordo_figure cached;            /* likewise, from an array that the last cache holds */
    ordo_figure one_address;       /* atomic additions a second of all threads on one word, with the old value */
    ordo_figure barrier;           /* seconds of a barrier of all threads */
    ordo_figure launch;            /* seconds of a kernel's launch behind another one */
    ordo_figure copy_in, copy_out; /* bytes a second, from pinned memory of the host to the device, and back */
    ordo_figure round_trip;        /* seconds, as the host sees them, of a copy of 4 bytes back */
    ordo_footprint footprint[ORDO_MOST_FOOTPRINTS]; /* ascending */
    int footprints;
} ordo_ceilings;

/* What a back end's device is. */
enum { ORDO_DEVICE_NAME = 96 };
typedef struct ordo_device {
    char name[ORDO_DEVICE_NAME];
    int units;            /* multiprocessors */
    double memory, cache; /* bytes, of the last cache */
    int driver, runtime;  /* versions, 1000 * major + 10 * minor */
} ordo_device;

/* The figure of `passes` > 0 passes, which are sorted. work > 0: a rate, of that much work in each pass; 0: the
 * seconds. */
static inline ordo_figure ordo_figure_of(double *seconds, int passes, double work)
{
    for (int i = 1; i < passes; i++)
        for (int k = i; k > 0 && seconds[k - 1] > seconds[k]; k--) {
            double swap = seconds[k];
            seconds[k] = seconds[k - 1];
            seconds[k - 1] = swap;
        }
    ordo_figure f = {seconds[0], seconds[passes / 2], seconds[passes - 1]};
    if (work > 0) {
        f.best = work / f.best;
        f.median = work / f.median;
        f.worst = work / f.worst;
    }
    return f;
}

ORDO_END_DECLS

#endif
