/**
 * @file
 * Running an operator: what to run, how, and what comes back.
 *
 * A run drives one operator to quiescence under one scheduler. Apps (ordo_sssp() and its relatives, see
 * `<ordo/apps.h>`) are short sequences of runs; most callers want those.
 */
#ifndef ORDO_RUN_H
#define ORDO_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include <ordo/error.h>
#include <ordo/graph.h>
#include <ordo/types.h>

ORDO_BEGIN_DECLS

/** How concurrent updates of one cell or target are kept correct. Names: "atomic", "racy", "lock", "owner", "server",
 * "race". */
typedef enum ordo_sync {
    ORDO_SYNC_DEFAULT = 0, /**< the scheduler's first for the operator's kind */
    ORDO_SYNC_ATOMIC,      /**< compare-and-swap on the cell */
    ORDO_SYNC_RACY,        /**< plain-width relaxed stores; a lost update is found again in a later round */
    ORDO_SYNC_LOCK,        /**< a lock for each target */
    ORDO_SYNC_OWNER,       /**< owner-computes: only the thread that owns a part of the targets writes it */
    ORDO_SYNC_SERVER,      /**< updates are messages to the server that owns the target */
    ORDO_SYNC_RACE         /**< race and resolve: targets are marked, a second look finds the owner, losers retry */
} ordo_sync;
enum { ORDO_SYNCS = 7 /**< enumerators of ordo_sync */ };
/**
 * The name of a sync.
 * @param sync  any enumerator
 * @return a static string
 */
ORDO_API const char *ordo_sync_name(ordo_sync sync);

/* ---- progress and cancelling ---- */

/** How far a run is. */
typedef struct ordo_progress {
    const char *scheduler; /**< static */
    double seconds;        /**< since the run began */
    ordo_u64 supersteps;   /**< supersteps, rounds or head switches so far */
    ordo_u64 in_flight;    /**< items on the worklist */
    ordo_u64 items;        /**< items processed so far; a lower bound */
} ordo_progress;
/** Called on the caller's thread, at most ten times a second. */
typedef void ordo_progress_fn(void *arg, const ordo_progress *progress);

/* ---- graphs that change ---- */

/**
 * What an operator with ORDO_RELAX_GROW may add in a run, and what it has added (docs/graphs_that_change.md). All zero
 * before the first run; the bounds are the caller's, the rest is written by the run.
 *
 * A bound costs memory when it is used: 24 bytes an edge and 16 to 32 of a table, 12 to 40 bytes an item. A run that
 * needs more ends with ORDO_ERR_MEMORY and a sentence that names the bound; the graph is as it was.
 */
typedef struct ordo_additions {
    ordo_u64 most_edges; /**< room for new edges; 0: four times as many as the graph has edges and items, and 1024 */
    ordo_u64 most_items; /**< room for new items, in cells and in arrays of the state, too: ordo_work::cells has
                          * targets + most_items elements, of which the run initialises the last ones. 0: none */

    ordo_u64 edges;        /**< [out] how many were added; 0 after a run that failed */
    ordo_u64 items;        /**< [out] likewise; they have the numbers `vertices` and more */
    ordo_new_edge *edge;   /**< [out] [edges] in no particular order */
    ordo_u64 *key;         /**< [out] [vertices + items] keys of items, where there are such; 0 for others */
    ordo_type weight_type; /**< [out] of the edges: the operator's */
    ordo_vid vertices;     /**< [out] of the graph */
    ordo_u64 reserved[2];  /**< 0 */
} ordo_additions;
/**
 * Frees what a run has written there; the bounds stay.
 * @param growth  may be NULL
 */
ORDO_API void ordo_additions_free(ordo_additions *growth);
/**
 * The graph as it is after the run: rows of the graph and of what was added. Weights are those of the operator's type;
 * edges of a graph without weights weigh 1. Not known to be symmetric.
 * @param g        the graph of the run
 * @param growth   as the run has left it
 * @param threads  0: all cores
 * @param out      [out] to be freed by ordo_graph_free(); untouched on error
 * @return ORDO_OK; ORDO_ERR_USAGE for another graph; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_additions_graph(const ordo_graph *g, const ordo_additions *growth, int threads,
                                          ordo_graph **out);

/* ---- options ---- */

/**
 * How to run. All zero is the default. Strings and arrays are the caller's and must live as long as the call. A signal
 * handler may set the cancel flag; another thread or the progress callback may, with an atomic store, since threads of
 * the run read it meanwhile.
 */
typedef struct ordo_options {
    const char *scheduler;       /**< NULL: ordo_scheduler_default(), or where sync is "auto" the same as "auto".
                                  * "auto": the scheduler that predicts the shortest run for this operator, graph and
                                  * device, of those that offer the sync, run on the device and have the tunables that
                                  * are given; see ordo_stats::chosen */
    const char *sync;            /**< NULL: the scheduler's default for the operator's kind. "auto": the sync with the
                                  * shortest predicted run, which for critical operators depends on the number of
                                  * targets that a sample of their requests shares; see ordo_stats::chosen */
    const char *device;          /**< NULL or "cpu"; "cuda"; "auto": cuda where that is possible, else cpu */
    int threads;                 /**< 0: one for each core */
    const char *const *settings; /**< [setting_count] "name=value": tunables of the scheduler; "scheduler.name=value":
                                  * of that one alone, ignored by others */
    size_t setting_count;        /**< number of settings */
    double timeout;              /**< seconds that the run may take, as ordo_stats::run_seconds counts; 0: no limit. Not
                                  * negative, finite. Ends with ORDO_ERR_TIMEOUT */
    const volatile int *cancel;  /**< polled during the run; nonzero ends it with ORDO_ERR_CANCELLED */
    ordo_progress_fn *progress;  /**< NULL: none */
    void *progress_arg;          /**< its first argument */
    struct ordo_trace *trace;    /**< records the run, by time; see `<ordo/trace.h>`. NULL: none */
    bool hardware;               /**< count cycles and so on, on a CPU: ordo_stats::hardware */
    const char *items;           /**< what an item of a relax operator is: "vertices", or "edges" for operators that
                                  * allow both (ORDO_RELAX_ITEMS), under schedulers that have them. NULL: vertices,
                                  * unless the operator allows edges alone. With edges, a run that names no scheduler
                                  * takes "auto" */
    struct ordo_group *group;    /**< the run is one over several processes; see `<ordo/distributed.h>`. NULL: of this
                                  * process alone */
    void *device_cells;          /**< NULL, or [device_bytes] memory of the GPU that the run is on: gets the cells as
                                  * they are at the end, beside the host's, without a copy through the host. The run
                                  * must be one on a GPU, of this process alone, whose cells are the answer
                                  * (ordo_work::final): of apps sssp, bfs and widest (without targets and stop_after),
                                  * cc, lp, and the native kcore for all cores; others return ORDO_ERR_USAGE. Complete
                                  * when the call returns ORDO_OK; unspecified after an error */
    ordo_u64 device_bytes;       /**< targets * bytes of a cell */
    ordo_u64 repeats;            /**< such runs on this graph that are to be expected, this one included. From 2 on,
                                  * what serves all of them is made for the first: in-rows, for searches of directed
                                  * graphs under bsp. Else they are made once the runs have shown that they pay */
    ordo_additions *additions; /**< of operators that add edges and items: the bounds, and what was added. NULL: no new
                                * items, the default of new edges, and nothing is handed back */
    ordo_u64 reserved[1];      /**< 0; what is added later takes their place */
} ordo_options;

/* ---- what a run gives back ---- */

/** A moment of a run. What `bucket` and `delta` mean under which scheduler: docs/json.md. */
typedef struct ordo_sample {
    double seconds;      /**< since the run began */
    ordo_u64 in_flight;  /**< items on the worklist, or in the superstep that begins */
    ordo_u64 bucket;     /**< current bucket, superstep or round */
    double delta;        /**< bucket width in units of priority; 0 where there is none */
    float utilisation;   /**< share of workers that are busy, 0 to 1; -1 where not measured */
    ordo_u32 concurrent; /**< buckets dequeued from at once */
} ordo_sample;

enum {
    ORDO_TRACE_MAX = 4096,  /**< the most samples of a trace */
    ORDO_MAX_TUNABLES = 32, /**< the most tunables of a scheduler */
    ORDO_MAX_SETTING = 32   /**< bytes of a value as text, its end included */
};

/** What cores count themselves. Names: "cycles", "instructions", "cache_misses", "branch_misses". */
typedef enum ordo_hardware_event {
    ORDO_CYCLES,        /**< of the cores, while they ran threads of the run */
    ORDO_INSTRUCTIONS,  /**< completed */
    ORDO_CACHE_MISSES,  /**< of the last level of cache */
    ORDO_BRANCH_MISSES, /**< branches that were predicted wrongly */
    ORDO_HARDWARE_EVENTS
} ordo_hardware_event;
/** Hardware counters of a run, summed over its threads, without what the kernel did for them. */
typedef struct ordo_hardware {
    bool present[ORDO_HARDWARE_EVENTS];   /**< false: not asked for, or the machine or this build cannot count it */
    ordo_u64 value[ORDO_HARDWARE_EVENTS]; /**< meaningful only where present */
} ordo_hardware;
/**
 * The name of an event.
 * @param event  any enumerator but the last
 * @return a static string
 */
ORDO_API const char *ordo_hardware_name(ordo_hardware_event event);

/** A tunable as the run used it. */
typedef struct ordo_setting {
    const char *name;             /**< static */
    char value[ORDO_MAX_SETTING]; /**< as text */
} ordo_setting;

/** What a run gives back. Filled by a run; to be freed by ordo_stats_free(). */
typedef struct ordo_stats {
    const char *op;                           /**< the operator; static */
    const char *scheduler;                    /**< as used; static */
    const char *sync;                         /**< as used; static */
    const char *backend;                      /**< "cpu" or "cuda"; static */
    char device[96];                          /**< "2 threads", or the GPU's name */
    char fallback[256];                       /**< why the run was on the CPU although device was "auto"; else "" */
    char chosen[160];                         /**< why that scheduler or sync, where it was "auto"; else "" */
    int threads;                              /**< of the CPU */
    ordo_setting settings[ORDO_MAX_TUNABLES]; /**< [setting_count] */
    int setting_count;                        /**< number of settings */

    double run_seconds;      /**< the scheduler alone */
    double prepare_seconds;  /**< work done once for each graph and kept: transposing, partitioning */
    double transfer_seconds; /**< to and from a device; 0 on a CPU */

    ordo_u64 items;               /**< taken off the worklist and processed, stale ones not counted */
    ordo_u64 edges;               /**< candidates proposed, or requests made */
    ordo_u64 useful;              /**< candidates that improved their cell, or critical sections that ran */
    ordo_u64 stale;               /**< items taken off the worklist and skipped: a better value had come */
    ordo_u64 activations;         /**< items put on the worklist, without the initial ones. After a cancel, for relax
                                   * operators, this and `useful` leave out what was not taken off again */
    ordo_u64 supersteps;          /**< supersteps, rounds or head switches */
    double work_seconds;          /**< summed over threads: processing items, not waiting; 0 where not measured */
    ordo_u64 peak_worklist_bytes; /**< the most that worklists held */
    ordo_u64 peak_bytes;          /**< the most that all allocations of Ordo held during the run, graph included */

    double delta_first; /**< bucket width at the beginning, in units of priority; 0 where the scheduler has none */
    double delta_last;  /**< at the end */

    ordo_hardware hardware; /**< with ordo_options::hardware; what cannot be counted is absent */

    ordo_sample *trace; /**< [trace_count], at most ORDO_TRACE_MAX: evenly spread where there would be more */
    size_t trace_count; /**< number of samples */

    double change;    /**< gather operators: of the last round, see `<ordo/operator/gather.h>`; else 0 */
    const char *item; /**< what an item was: "vertices" or "edges"; NULL where the framework does not know it, as of
                       * programs, and of critical operators to which it hands no edges. Static */

    ordo_u64 messages;       /**< over several processes: sent by all ranks. Counts above are then of all ranks, too */
    ordo_u64 critical_edges; /**< over several processes on CPUs: of each superstep those of the rank with most, summed;
                                0 on GPUs */
    ordo_u64 reserved[4];    /**< set to 0; what is added later takes their place */
} ordo_stats;

/**
 * Frees what the statistics own and clears them.
 * @param stats  may be NULL
 */
ORDO_API void ordo_stats_free(ordo_stats *stats);

/* ---- operators and runs ---- */

/** An operator's descriptor: see `<ordo/scheduler/scheduler.h>`; instances are named by the operator. */
typedef struct ordo_operator ordo_operator;

/** Arrays that stay on a device between runs: `<ordo/session.h>`. */
typedef struct ordo_session ordo_session;

/** One run. All that its pointers refer to is owned by the caller. */
typedef struct ordo_work {
    const ordo_operator *op; /**< what to run */
    const ordo_graph *graph; /**< rows of edges; for critical operators that need none: NULL */
    void *cells; /**< [targets] relax and gather operators: of the operator's type, initialised (but see `unset`); holds
                  * the result. More where items are added: ordo_additions::most_items */
    const void *state;        /**< the operator's state struct, or NULL */
    ordo_u64 num_items;       /**< items are 0 .. num_items - 1; relax: at most n; gather: n. Relax operators: of
                               * vertices, also where the run's items are edges (ordo_options::items) */
    ordo_u64 targets;         /**< number of cells or targets */
    const ordo_item *initial; /**< [initial_count], or NULL: all items; not read for gather operators. Where the run's
                               * items are edges: vertices, whose out-edges are the initial items */
    ordo_u64 initial_count;   /**< number of initial items */
    bool nearly_done;         /**< most cells already hold what the run will find, as after a good guess. Only "auto"
                               * reads it */
    bool final;               /**< the cells are the caller's answer when the run has ended: ordo_options::device_cells
                               * may get them */
    bool unset; /**< relax operators that select, outside of sessions: the run sets all cells but those of `initial` to
                 * the operator's worst value, so the caller sets those alone. A run on a GPU does so there, and copies
                 * none. initial is NULL: all cells are set already */
    ordo_session *session; /**< NULL, or where the run takes place: on its device, whatever the options say. cells and
                            * initial are then arrays of it, and so are those of the state that are to stay there;
                            * others are the host's, and copied for the run */
    ordo_u64 reserved[1];  /**< 0 */
} ordo_work;

/**
 * Drives `work` to quiescence. Thread-safe on distinct cells.
 * @param work     what to run
 * @param options  NULL: defaults
 * @param stats    [out] may be NULL; filled on ORDO_OK, ORDO_ERR_CANCELLED and ORDO_ERR_TIMEOUT, then the caller's to
 *                 free by ordo_stats_free()
 * @return ORDO_OK; ORDO_ERR_USAGE or ORDO_ERR_UNKNOWN for options; ORDO_ERR_UNSOUND for operator, scheduler and sync,
 *         by name, before anything runs; ORDO_ERR_MEMORY; ORDO_ERR_DEVICE; ORDO_ERR_CANCELLED; ORDO_ERR_TIMEOUT. After
 *         an error the cells' contents are unspecified, except for the first three, which leave them unchanged
 */
ORDO_API ordo_status ordo_run(const ordo_work *work, const ordo_options *options, ordo_stats *stats);

/**
 * The same checks as ordo_run(), and nothing else.
 * @param work     what would run
 * @param options  NULL: defaults
 * @return as of ordo_run(), before anything runs
 */
ORDO_API ordo_status ordo_run_check(const ordo_work *work, const ordo_options *options);

/**
 * Predicts the memory of a run beyond graph and cells.
 * @param work      what would run
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, if every edge improves its head once and all those items wait at the same time
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_run_memory(const ordo_work *work, const ordo_options *options, ordo_u64 *expected,
                                     ordo_u64 *at_most);

/**
 * Finds an operator, built in or registered.
 * @param name  such as "sssp_u32"
 * @return NULL if there is none
 */
ORDO_API const ordo_operator *ordo_operator_find(const char *name);
/**
 * The name of an operator.
 * @param op  not NULL
 * @return valid as long as `op`
 */
ORDO_API const char *ordo_operator_name(const ordo_operator *op);
/**
 * A few words about an operator.
 * @param op  not NULL
 * @return valid as long as `op`
 */
ORDO_API const char *ordo_operator_summary(const ordo_operator *op);
/**
 * All operators in registration order.
 * @param out       [out] [capacity] the first of them
 * @param capacity  the most to write
 * @return their number, which may be more than `capacity`
 */
ORDO_API size_t ordo_operators(const ordo_operator **out, size_t capacity);
/**
 * Adds an operator compiled out of tree (docs/operators.md). Call before runs start.
 * @param op  must live as long as the process uses it
 * @return ORDO_OK; ORDO_ERR_USAGE for a name that is taken; ORDO_ERR_INTERNAL for a descriptor that is wrong
 */
ORDO_API ordo_status ordo_operator_register(const ordo_operator *op);

ORDO_END_DECLS

#endif
