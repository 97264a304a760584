/**
 * @file
 * Traces by time: samples of a run's counters at regular times, taken by a thread of their own.
 *
 * Make a trace, name it in the options of a run (ordo_options::trace), read its samples afterwards. A trace belongs to
 * one caller and to one run at a time. Several runs one after the other, such as those of an app, are put on one time
 * axis, and their counters are added up; ordo_trace_clear() begins again. docs/trace.md explains the columns.
 */
#ifndef ORDO_TRACE_H
#define ORDO_TRACE_H

#include <ordo/run.h>

ORDO_BEGIN_DECLS

/** What a worker of a run, a thread or on a GPU a multiprocessor, was doing when a sample was taken. Names: "ended",
 * "busy", "stealing", "waiting", "barrier", "managing". */
typedef enum ordo_trace_state {
    ORDO_TRACE_ENDED = 0, /**< no longer, or not yet, in the run */
    ORDO_TRACE_BUSY,      /**< processes items, or looks for its next ones */
    ORDO_TRACE_STEALING,  /**< processes items that another thread has put on the worklist of this superstep */
    ORDO_TRACE_WAITING,   /**< has found nothing to do, and looks again and again */
    ORDO_TRACE_BARRIER,   /**< waits for the other threads */
    ORDO_TRACE_MANAGING   /**< assigns work to others and processes none */
} ordo_trace_state;
enum { ORDO_TRACE_STATES = 6 /**< enumerators of ordo_trace_state */ };

/** A sample. Counters are sums over all threads since the first run of the trace began, and never fall; see ordo_stats
 * for their meaning. The last sample of a run has the run's totals. */
typedef struct ordo_trace_sample {
    double seconds;          /**< since the first run of the trace began */
    ordo_u64 in_flight;      /**< items on the worklist */
    ordo_u64 items;          /**< processed */
    ordo_u64 edges;          /**< candidates proposed, or requests made */
    ordo_u64 useful;         /**< improvements, or critical sections that ran */
    ordo_u64 stale;          /**< items skipped */
    ordo_u64 activations;    /**< items put on the worklist */
    ordo_u64 spills;         /**< items that found a queue full and were kept elsewhere */
    ordo_u64 bucket;         /**< current bucket, superstep or round */
    double delta;            /**< bucket width in units of priority; 0: none */
    ordo_u64 worklist_bytes; /**< memory of worklists */
    ordo_u32 concurrent;     /**< buckets dequeued from at once */
    ordo_u32 busy;           /**< workers that were busy, stealing or managing; on a GPU counted in warps */
} ordo_trace_sample;

/** What a scheduler has reported itself, at a moment that it chose. */
typedef struct ordo_trace_event {
    ordo_sample at;     /**< its `seconds` are those of the trace */
    bool width_changed; /**< its bucket width differs from that of the run's event before it; else: a new bucket,
                             superstep or round, or a head switch */
} ordo_trace_event;

/** A trace. */
typedef struct ordo_trace ordo_trace;

/** What a trace holds. Its arrays belong to the trace and are valid until the next run, clear or free. */
typedef struct ordo_trace_view {
    const ordo_trace_sample *samples; /**< [sample_count] in the order of time */
    size_t sample_count;              /**< 0 before the first run */
    const unsigned char *states;      /**< [sample_count][threads] ordo_trace_state */
    int threads;                      /**< workers: threads, or multiprocessors of a GPU; the most of any run */
    const ordo_trace_event *events;   /**< [event_count] in the order of time */
    size_t event_count;               /**< at most ORDO_TRACE_MAX: evenly spread where there would be more */
    double period;                    /**< seconds between samples: as asked for, or as it was at the end */
    double sampler_seconds;           /**< CPU time of the thread that took the samples */
    bool incomplete;                  /**< memory was short, or ORDO_TRACE_SAMPLES were taken: later ones are missing */
} ordo_trace_view;

enum {
    ORDO_TRACE_CHOSEN = 2000,    /**< the most samples where the period is chosen */
    ORDO_TRACE_SAMPLES = 4 << 20 /**< the most samples where the period is given */
};

/**
 * Makes an empty trace.
 * @param period  seconds between samples, 1e-5 to 3600; 0: chosen while runs go on, so that there are at most
 *                ORDO_TRACE_CHOSEN samples. On the CPU from 250 microseconds upwards, and so that the thread takes at
 *                most 1 % of the CPU time of the run's threads; on a GPU from 25 microseconds upwards
 * @param out     [out] to be freed by ordo_trace_free()
 * @return ORDO_OK; ORDO_ERR_USAGE for another period; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_trace_make(double period, ordo_trace **out);
/**
 * Forgets all samples and events. Not during a run.
 * @param trace  not NULL
 */
ORDO_API void ordo_trace_clear(ordo_trace *trace);
/**
 * Frees a trace. Not during a run.
 * @param trace  may be NULL
 */
ORDO_API void ordo_trace_free(ordo_trace *trace);
/**
 * What a trace holds. Not during a run.
 * @param trace  not NULL
 * @return the arrays and their lengths
 */
ORDO_API ordo_trace_view ordo_trace_look(const ordo_trace *trace);
/**
 * The name of a state.
 * @param state  any enumerator
 * @return a static string
 */
ORDO_API const char *ordo_trace_state_name(ordo_trace_state state);

ORDO_END_DECLS

#endif
