/* adds/delta_controller.h -- adapts delta and the number of buckets dequeued at once: section 5.7, the same on both
 * back ends.
 *
 * Two signals, evaluated once an epoch. The *clip point*: if more than a share `clip` of the pushes went to the tail
 * bucket, delta is too small for the circle of buckets; it doubles, and its old value is a lower bound from then on.
 * *Utilisation* is the number of items that workers hold, as a share of what they can hold. If it is too low, more
 * buckets are dequeued at once; then delta doubles, if more items wait in other buckets than the workers could hold
 * (Ordo's own rule: where nothing waits, as at the start, a wider bucket has no more to do). If it is too high, the
 * opposite. Delta changes by the mean of several epochs, and not before `cooldown` head switches have passed since its
 * last change, because its effect shows only when the buckets have filled under it. It does not halve if a bucket holds
 * less than is worth a head switch (Ordo's own rule: with few threads utilisation is always high).
 */
#ifndef ORDO_ADDS_DELTA_CONTROLLER_H
#define ORDO_ADDS_DELTA_CONTROLLER_H

#include <stdbool.h>

#include <ordo/types.h>

/* Fixed for a run. */
typedef struct adds_delta_params {
    bool dynamic;
    ordo_u32 concurrent_min, concurrent_max;
    ordo_u32 cooldown;                /* head switches */
    double clip, util_low, util_high; /* shares, 0 to 1 */
    double util_more;                 /* below it more buckets are dequeued at once; at least util_low */
    double delta_max;
    ordo_u64 worth; /* delta becomes smaller only if there are at least this many pushes per head switch */
} adds_delta_params;

typedef struct adds_delta_controller {
    double delta, delta_min;
    double util_mean;        /* mean over epochs; below 0: no value yet */
    ordo_u64 cooldown_until; /* delta may change from this switch on */
    ordo_u64 switches;       /* at the end of the last epoch */
    ordo_u32 concurrent;
    bool skip; /* delta changed during the epoch that ends next */
} adds_delta_controller;

ORDO_FN bool adds_delta_controller_set(const adds_delta_params *r, adds_delta_controller *p, double delta,
                                       ordo_u64 switches)
{
    if (delta < p->delta_min || delta > r->delta_max)
        return false;
    p->delta = delta;
    p->skip = true;
    p->cooldown_until = switches + r->cooldown;
    return true;
}

/* The first rule that the CPU's manager applies at the end of an epoch: whether delta is *far* too wide. `left` is how
 * many of `pushes` went to another bucket than the head. An edge leaves the head with a probability of about its weight
 * over delta, so pushes / left is about delta in mean weights of edges. If that is above ADDS_FAR_TOO_WIDE, delta
 * becomes narrower at once, to no less than ADDS_STILL_WIDE such weights, and by no more than spreads the bucket over
 * half of the circle: what was pushed before lies in the head and is processed there. The clip point and utilisation
 * need head switches, of which such a bucket has none; this rule needs only work. Returns whether delta has changed. */
enum { ADDS_FAR_TOO_WIDE = 64, ADDS_STILL_WIDE = 8 };
ORDO_FN bool adds_delta_controller_narrow(const adds_delta_params *r, adds_delta_controller *p, ordo_u64 pushes,
                                          ordo_u64 left, double util, ordo_u32 buckets, ordo_u64 switches)
{
    if (!r->dynamic || p->skip || util <= r->util_high || pushes < ADDS_FAR_TOO_WIDE * (left + 4))
        return false;
    double by = (double)pushes / (double)((left + 1) * ADDS_STILL_WIDE);
    by = by < buckets / 2.0 ? by : buckets / 2.0;
    if (by < 2)
        return false;
    const double delta = p->delta / by;
    if (!adds_delta_controller_set(r, p, delta > p->delta_min ? delta : p->delta_min, switches))
        return false;
    p->cooldown_until = switches; /* no switch has given evidence for this delta yet */
    return true;
}

/* Ends an epoch with `pushes` pushes, `tail_pushes` of them to the tail: N of the thesis. `waiting`: items in buckets
 * that are not dequeued, as a share of the items that workers can hold. Returns whether delta has changed. */
ORDO_FN bool adds_delta_controller_epoch(const adds_delta_params *r, adds_delta_controller *p, ordo_u64 pushes,
                                         ordo_u64 tail_pushes, double util, double waiting, ordo_u64 switches)
{
    const ordo_u64 passed = switches - p->switches;
    p->switches = switches;
    p->util_mean = p->util_mean < 0 ? util : 0.75 * p->util_mean + 0.25 * util;
    if (!r->dynamic)
        return false;
    if (p->skip) {
        p->skip = false;
        p->util_mean = -1;
        return false;
    }
    bool cooled_down = switches >= p->cooldown_until;
    if (pushes && (double)tail_pushes > r->clip * (double)pushes) { /* clip point: a lower bound of delta from now on */
        double bound = 2 * p->delta;
        if (!adds_delta_controller_set(r, p, bound, switches))
            return false;
        p->delta_min = bound;
        return true;
    }
    if (util < r->util_more) {
        if (p->concurrent < r->concurrent_max)
            p->concurrent++;
        else if (cooled_down && util < r->util_low && p->util_mean < r->util_low && waiting > r->util_low)
            return adds_delta_controller_set(r, p, 2 * p->delta, switches);
    } else if (util > r->util_high) {
        if (p->concurrent > r->concurrent_min)
            p->concurrent--;
        else if (cooled_down && p->util_mean > r->util_high && pushes >= r->worth * passed)
            return adds_delta_controller_set(r, p, p->delta / 2, switches);
    }
    return false;
}

#endif
