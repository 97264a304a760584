/* run.h -- running an operator: what to run, how, and what comes back.
 *
 * A run drives one operator to quiescence under one scheduler. Apps (ordo_sssp and its like, see <ordo/apps.h>) are
 * short sequences of runs; most callers want those.
 */
#ifndef ORDO_RUN_H
#define ORDO_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include <ordo/error.h>
#include <ordo/graph.h>
#include <ordo/types.h>

ORDO_BEGIN_DECLS

/* How concurrent updates of one cell or target are kept correct. Names: "atomic", "racy", "lock", "owner", "server". */
typedef enum ordo_sync {
    ORDO_SYNC_DEFAULT = 0,
    ORDO_SYNC_ATOMIC, /* compare-and-swap on the cell */
    ORDO_SYNC_RACY,   /* plain-width relaxed stores; a lost update is found again in a later round */
    ORDO_SYNC_LOCK,   /* a lock a target */
    ORDO_SYNC_OWNER,  /* owner-computes: only the thread that owns a part of the targets writes it */
    ORDO_SYNC_SERVER  /* updates are messages to the server that owns the target */
} ordo_sync;
enum { ORDO_SYNCS = 6 };
ORDO_API const char *ordo_sync_name(ordo_sync sync);

/* ---- progress and cancelling ---- */

typedef struct ordo_progress {
    const char *scheduler;
    double seconds;      /* since the run began */
    ordo_u64 supersteps; /* supersteps, rounds or head switches so far */
    ordo_u64 in_flight;  /* items on the worklist now */
    ordo_u64 items;      /* items processed so far; a lower bound */
} ordo_progress;
/* Called on the caller's thread, at most ten times a second. */
typedef void ordo_progress_fn(void *arg, const ordo_progress *progress);

/* ---- options ---- */

/* All zero is the default. Strings must live as long as the call. The cancel flag may be set by a signal handler, or by
 * another thread with an atomic store. */
typedef struct ordo_options {
    const char *scheduler; /* NULL: "delta"; "auto": by the operator, the graph and the device; see chosen */
    const char *sync;      /* NULL: the scheduler's default for the operator's kind; "auto": for critical operators
                            * lock or server, by how many targets a sample of their requests asks for, and where
                            * no scheduler is named the one that goes with it; see chosen */
    const char *device;    /* NULL or "cpu"; "cuda"; "auto": cuda where that can be, else cpu */
    int threads;           /* 0: one a core */
    const char *const *settings; /* [setting_count] "name=value", tunables of the scheduler */
    size_t setting_count;
    double timeout;             /* seconds that the run may take, as run_seconds counts them; 0: any number. Looked at
                                 * where cancel is; ends with ORDO_ERR_TIMEOUT. Not negative, finite */
    const volatile int *cancel; /* polled at least once a superstep or switch; nonzero ends with ORDO_ERR_CANCELLED */
    ordo_progress_fn *progress;
    void *progress_arg;
} ordo_options;

/* ---- what a run gives back ---- */

/* A moment of a run. Which fields mean what under which scheduler: docs/output.md. */
typedef struct ordo_sample {
    double seconds;      /* since the run began */
    ordo_u64 in_flight;  /* items on the worklist, or in the superstep that begins */
    ordo_u64 bucket;     /* current bucket, superstep or round */
    double delta;        /* bucket width in units of priority; 0 where there is none */
    float utilisation;   /* share of workers that are busy, 0..1; -1 where not measured */
    ordo_u32 concurrent; /* buckets dequeued from at once */
} ordo_sample;

enum { ORDO_TRACE_MAX = 4096, ORDO_MAX_TUNABLES = 32, ORDO_MAX_SETTING = 32 };

/* A tunable as the run used it. */
typedef struct ordo_setting {
    const char *name; /* static */
    char value[ORDO_MAX_SETTING];
} ordo_setting;

typedef struct ordo_stats {
    const char *op, *scheduler, *sync, *backend; /* static */
    char device[96];                             /* "2 threads", or the GPU's name */
    char fallback[256];                          /* why the run was on the CPU although device was "auto"; else "" */
    char chosen[96];                             /* why that scheduler or sync, where it was "auto"; else "" */
    int threads;
    ordo_setting settings[ORDO_MAX_TUNABLES];
    int setting_count;

    double run_seconds;      /* the scheduler alone */
    double prepare_seconds;  /* what is done once a graph and kept: transposing, partitioning */
    double transfer_seconds; /* to and from a device; 0 on cpu */

    ordo_u64 items;       /* taken off the worklist and processed, stale ones not counted */
    ordo_u64 edges;       /* candidates proposed, or requests made */
    ordo_u64 useful;      /* candidates that improved their cell, or sections run */
    ordo_u64 stale;       /* items taken off the worklist and skipped: a better one had come */
    ordo_u64 activations; /* items put on the worklist, the initial ones not counted; after a cancel, for relax
                           * operators, this and `useful` leave out what nobody had taken off again */
    ordo_u64 supersteps;  /* supersteps, rounds or head switches */
    double work_seconds;  /* summed over threads: processing items, not waiting; 0 where not measured */
    ordo_u64 peak_worklist_bytes;
    ordo_u64 peak_bytes; /* most held by Ordo's own allocations during the run, graph included */

    double delta_first, delta_last; /* 0 where the scheduler has none */

    ordo_sample *trace; /* [trace_count], at most ORDO_TRACE_MAX: thinned evenly when there would be more */
    size_t trace_count;
} ordo_stats;

/* Frees what the statistics own and clears them. NULL is fine. */
ORDO_API void ordo_stats_free(ordo_stats *stats);

/* ---- operators and runs ---- */

typedef struct ordo_operator ordo_operator; /* see <ordo/scheduler.h>; instances are named by the operator */

/* One run. Relax operators: `cells` are of the operator's type, initialised by the caller, and hold the result. */
typedef struct ordo_work {
    const ordo_operator *op;
    const ordo_graph *graph;  /* rows of edges; for critical operators that need none: NULL */
    void *cells;              /* [targets] relax operators */
    const void *state;        /* the operator's state struct, or NULL */
    ordo_u64 universe;        /* items are 0 .. universe - 1; relax: at most n */
    ordo_u64 targets;         /* number of cells or targets */
    const ordo_item *initial; /* [initial_count], or NULL: all items */
    ordo_u64 initial_count;
} ordo_work;

/* Drives `work` to quiescence. stats may be NULL; otherwise it is filled on ORDO_OK, ORDO_ERR_CANCELLED and
 * ORDO_ERR_TIMEOUT, and owned by the caller. Thread-safe on distinct cells. Errors: ORDO_ERR_USAGE and ORDO_ERR_UNKNOWN
 * (options), ORDO_ERR_UNSOUND (the pair of operator, scheduler and sync; by name, before anything runs),
 * ORDO_ERR_MEMORY, ORDO_ERR_DEVICE, ORDO_ERR_CANCELLED, ORDO_ERR_TIMEOUT. After an error the cells' contents are
 * unspecified, except for ORDO_ERR_USAGE, _UNKNOWN and _UNSOUND, which leave them alone. */
ORDO_API ordo_status ordo_run(const ordo_work *work, const ordo_options *options, ordo_stats *stats);

/* The same checks as ordo_run, and nothing else. */
ORDO_API ordo_status ordo_run_check(const ordo_work *work, const ordo_options *options);

/* Bytes that ordo_run(work, options) will allocate beyond graph and cells: `expected` for ordinary inputs, `at_most` if
 * every edge improves its head once and all those items wait at the same time. Same errors as ordo_run_check. */
ORDO_API ordo_status ordo_run_memory(const ordo_work *work, const ordo_options *options, ordo_u64 *expected,
                                     ordo_u64 *at_most);

/* The operator of that name, built in or registered; NULL if there is none. */
ORDO_API const ordo_operator *ordo_operator_find(const char *name);
ORDO_API const char *ordo_operator_name(const ordo_operator *op);
ORDO_API const char *ordo_operator_summary(const ordo_operator *op);
/* All operators in registration order; returns their number, writes at most `room`. */
ORDO_API size_t ordo_operators(const ordo_operator **out, size_t room);
/* Adds an operator compiled out of tree (docs/operators.md). Refuses a name that is taken or a table that is wrong.
 * Call before runs start. */
ORDO_API ordo_status ordo_operator_register(const ordo_operator *op);

ORDO_END_DECLS

#endif
