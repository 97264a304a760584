/* scheduler.h -- what a scheduler is made of. For authors of schedulers; docs/schedulers.md is the guide.
 *
 * Problem. A scheduler has to describe itself (tunables, syncs, memory), and its code needs services around a run:
 * stopping, the trace, counters, accounting of memory.
 *
 * Method. A scheduler is a folder: README.md, tunables.h (its tunables as rows), scheduler.c (its descriptor, an
 * ordo_scheduler), cpu.h (its code for the CPU, a template over the operator), cuda.cuh (the same for a GPU, where it
 * has that). The build lists schedulers in one line of schedulers/meson.build and generates the tables from it. An
 * instance of an operator under a scheduler is called with an ordo_job; a *member* is a thread of the job's team.
 *
 * Not done: services for a single item or edge: those are inlined, from <ordo/scheduler/cpu.h>.
 *
 * Unless said otherwise, what a call writes is [out] the caller's, strings of descriptors are static, and times are
 * seconds.
 */
#ifndef ORDO_SCHEDULER_H
#define ORDO_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

#include <ordo/operator/operator.h>
#include <ordo/run.h>
#include <ordo/scheduler/team.h>

ORDO_BEGIN_DECLS

/* ---- tunables ---- */

typedef enum ordo_tunable_type { ORDO_TUNABLE_INT, ORDO_TUNABLE_REAL, ORDO_TUNABLE_CHOICE } ordo_tunable_type;

/* One row: feeds --set, `ordo help SCHEDULER`, the JSON and the documentation. Static. */
typedef struct ordo_tunable {
    const char *name; /* unique in the scheduler */
    ordo_tunable_type type;
    const char *initial; /* the default, as --set takes it */
    double min, max;     /* both inclusive; INT and REAL */
    const char *choices; /* CHOICE: "a|b|c"; its value is the index */
    const char *unit;    /* "items", "weight", ... or "" */
    const char *help;    /* one line; says what 0 or auto means where it is special */
} ordo_tunable;

/* Rows are written once, as X(ENUMERATOR, name, type, default, min, max, choices, unit, help), and used twice: for the
 * enumerators that index ordo_job.tunable, and for the table. */
#define ORDO_TUNABLE_ENUM(_id, _name, _type, _initial, _min, _max, _choices, _unit, _help) _id,
#define ORDO_TUNABLE_ONE(_id, _name, _type, _initial, _min, _max, _choices, _unit, _help) +1 /* to count them */
#define ORDO_TUNABLE_ROW(_id, _name, _type, _initial, _min, _max, _choices, _unit, _help)                              \
    {_name, ORDO_TUNABLE_##_type, _initial, _min, _max, _choices, _unit, _help},

/* A scheduler's constants are rows behind its tunables: numbers that no user gains by changing, and switches that take
 * a part away to measure what it is worth. A build with -Dablation=true makes tunables of them (docs/ablations.md). Use
 * in a descriptor: ORDO_TUNABLES(tunables, shown, all), of which rows before `shown` are tunables. */
#ifdef ORDO_ABLATION
#define ORDO_TUNABLES(table, shown, all) .tunables = (table), .tunable_count = (all)
#else
#define ORDO_TUNABLES(table, shown, all)                                                                               \
    .tunables = (table), .tunable_count = (shown), .constant_count = (int)(all) - (int)(shown)
#endif

/* ---- descriptors ---- */

/* A sync that a scheduler offers for a kind of operator, and the properties that it needs for that. */
typedef struct ordo_pairing {
    int kind;       /* ORDO_KIND_RELAX or ORDO_KIND_CRITICAL */
    ordo_sync sync; /* the first pairing of a kind that is sound for an operator is its default */
    unsigned needs; /* ORDO_MONOTONE | ... */
} ordo_pairing;

/* Writes the names of properties to out[capacity]: "monotone, idempotent" for ORDO_MONOTONE | ORDO_IDEMPOTENT. What
 * does not fit is cut off. */
ORDO_API void ordo_property_names(unsigned properties, char *out, size_t capacity);

/* ---- how well a scheduler suits a run ---- */

/* What a graph is like, from its mean degree and a sample of 16 384 rows: where small degrees make paths long, where
 * all degrees are about alike, where some vertices have most edges. For choosing schedulers and widths of buckets. */
typedef enum ordo_graph_kind { ORDO_GRAPH_DEEP, ORDO_GRAPH_EVEN, ORDO_GRAPH_HUBS } ordo_graph_kind;
enum { ORDO_GRAPH_KINDS = 3 };

/* The facts of a run whose scheduler or sync is to be chosen. */
typedef struct ordo_situation {
    const ordo_operator *op; /* kind, properties, activates, weight, apart, ... */
    bool has_rows;           /* the operator walks a graph's rows: the next four say what the graph is like */
    ordo_graph_kind graph_kind;
    double mean_degree;
    ordo_u64 vertices, edges;
    ordo_u64 items, targets;
    /* Critical operators: two requests meet in a target as often as in so many equally frequent ones, from a sample of
     * the requests (ordo_contention_sample); 0: no sample was taken. And the bytes of all targets' words that a server
     * may keep in memory of its own; 0: it may keep none. */
    double hot_targets;
    double owned_bytes;
    bool on_gpu;
    int threads; /* on the CPU */
} ordo_situation;

/* A scheduler's prediction for a run. */
typedef struct ordo_fit {
    double cost; /* The predicted run time over that of the best scheduler in Ordo's tree for such runs, for critical
                  * operators over that of locks: 1 is as fast, 2 takes twice as long, less than 1 is faster. Above 0 */
    const char *reason; /* static: what makes it so, in a few words: "direction-optimising supersteps" */
} ordo_fit;

typedef struct ordo_scheduler {
    const char *name, *summary, *paper; /* an identifier; one line each */
    const ordo_pairing *pairings;       /* ends with kind 0 */
    const ordo_tunable *tunables;       /* [tunable_count + constant_count] */
    int tunable_count, constant_count;  /* constants: always at their default; see ORDO_TUNABLES */
    bool all_items;                     /* processes every item in every round: initial items are not needed */
    /* Predicts the bytes of worklists for a run on n vertices and m edges, as ordo_run_memory does. `entry`: bytes of a
     * worklist entry; `tunable`: as in ordo_job. */
    void (*memory)(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most);
    /* Refuses by name (ORDO_ERR_UNSOUND) a value of a tunable that this operator does not allow, on every device alike.
     * Called before a run and by ordo_run_check. NULL: every value suits every operator, or instances check it. */
    ordo_status (*check)(const ordo_operator *op, const double *tunable);
    /* Says how well the scheduler suits a run under one of its syncs, where the caller leaves scheduler or sync to
     * Ordo ("auto"): of those that can run, the one with the lowest cost is taken. Called only for pairings that are
     * sound. It may not look at the graph itself. NULL: taken only where no other scheduler can run. */
    void (*suit)(const ordo_situation *situation, ordo_sync sync, ordo_fit *out);
} ordo_scheduler;

/* ---- a run as its scheduler sees it ---- */

/* One member's counters, on cache lines of its own. The terms are those of ordo_stats. */
typedef struct ordo_counters {
    ordo_u64 items, edges, useful, stale, activations;
    double work_seconds;
    ordo_u64 unpolled; /* items and edges since the member looked at the clock: see ordo_go_on */
    ordo_u64 padding[9];
} ordo_counters;

/* Locks of targets: target t has lock[t & mask]; 1: taken. See ordo_lock. */
typedef struct ordo_locks {
    ordo_u8 *lock; /* [mask + 1] */
    ordo_u32 mask;
} ordo_locks;

typedef struct ordo_job_private ordo_job_private;

/* A run, as an instance gets it. Owned by the framework; what it points at lives as long as the run. */
typedef struct ordo_job {
    const ordo_operator *op;
    const ordo_csr *out;      /* out-rows; all zero where the work has no graph */
    const ordo_csr *in;       /* in-rows, after ordo_job_need_in */
    void *cells;              /* [targets] */
    const void *state;        /* the operator's state struct; never NULL */
    const ordo_item *initial; /* [initial_count], or NULL: all of 0 .. num_items - 1 */
    ordo_u64 initial_count, num_items, targets;
    ordo_sync sync;
    const double *tunable; /* [tunable_count + constant_count] INT, REAL: the value; CHOICE: its index */
    ordo_team *team;
    int threads;                    /* members of the team */
    ordo_counters *counters;        /* [threads]; summed up after the run */
    ordo_locks locks;               /* with ORDO_SYNC_LOCK */
    double mean_weight;             /* from a sample; 1 where unweighted */
    double mean_degree;             /* edges for each vertex */
    ordo_u64 supersteps;            /* counted by the scheduler; written by member 0 */
    double delta_first, delta_last; /* bucket width at the beginning and the end; 0: none. Set by the scheduler */
    ordo_u32 stop;                  /* set when the run must end early: read with ordo_job_stopped */
    ordo_u32 agreed_stop[2];        /* see ordo_job_agree_stop */
    ordo_job_private *own;
} ordo_job;

enum { ORDO_ON_CPU, ORDO_ON_CUDA }; /* what an instance runs on */

/* The instance of an operator under one scheduler: what a generated unit defines. `run` processes the job's items until
 * none is left, or the run is stopped, on the calling thread and the job's team; NULL: not offered. It returns an error
 * of its own preparation; errors of members go through ordo_job_fail. */
typedef struct ordo_instance {
    const char *scheduler;
    ordo_status (*run)(ordo_job *job);
    unsigned syncs;  /* bits 1 << ORDO_SYNC_... that this back end has; 0: all that the scheduler offers */
    unsigned device; /* ORDO_ON_... */
} ordo_instance;

/* An operator's descriptor, made by ORDO_DESCRIBE_RELAX or ORDO_DESCRIBE_CRITICAL. Static. */
struct ordo_operator {
    const char *name, *summary;
    int kind; /* ORDO_KIND_RELAX or ORDO_KIND_CRITICAL */
    ordo_type cell, weight;
    unsigned properties;
    bool activates;                        /* processing an item can put items on the worklist */
    bool settles;                          /* relax operators: has ORDO_RELAX_SETTLED */
    size_t entry;                          /* bytes of a worklist entry */
    size_t state;                          /* bytes of its state struct */
    const ordo_instance *const *instances; /* one for each scheduler and device, in any order; NULL ends */
    /* The rest is for critical operators; else NULL, false, NULL. `ask` prepares an item, writes the targets of its
     * requests to target[ORDO_MOST_ASKED] and returns their number. */
    ordo_u32 (*ask)(const void *state, ordo_item item, ordo_u32 *target);
    bool apart; /* no critical section needs two targets at once: it has one target, or two halves */
    /* Bytes of one target's words that a server may keep in its own memory; 0 where requests have two targets. */
    ordo_u64 (*owned_bytes)(const void *state);
};
enum { ORDO_MOST_ASKED = 32 };

/* ---- services: calls of the library, none of them made per edge ---- */

/* Ends the run early with that status and the calling thread's ordo_last_error(). The first call decides; later ones do
 * nothing. For any member. */
ORDO_API void ordo_job_fail(ordo_job *job, ordo_status status);
/* Checks the cancel flag and the time limit, and reports progress. For member 0, at least once a superstep, or often
 * enough that a run reacts within 100 ms. `in_flight`: items on the worklist, or of the superstep that begins. Reads
 * the clock. */
ORDO_API void ordo_job_poll(ordo_job *job, ordo_u64 in_flight);
/* For any member that has worked a while within a superstep: the same, with the last in_flight that member 0 gave;
 * progress is reported by member 0's calls alone. ordo_go_on() of <ordo/scheduler/cpu.h> says when. */
ORDO_API void ordo_job_poll_within(ordo_job *job);
/* Whether the run must end early: a hint to look at often, that members may see at different times. */
static inline bool ordo_job_stopped(const ordo_job *job)
{
    return __atomic_load_n(&job->stop, __ATOMIC_RELAXED) != 0;
}
/* The same for schedulers with barriers, where all members must get the same answer. Member 0 calls ordo_job_agree_stop
 * before the barrier of a step, all members call ordo_job_stop_agreed after it. Double-buffered: the word of step g is
 * written again only before the barrier of step g + 2. By then every member has passed the barrier of g + 1, and so has
 * read the word. */
static inline void ordo_job_agree_stop(ordo_job *job, ordo_u64 step)
{
    job->agreed_stop[step & 1] = __atomic_load_n(&job->stop, __ATOMIC_RELAXED);
}
static inline bool ordo_job_stop_agreed(const ordo_job *job, ordo_u64 step)
{
    return job->agreed_stop[step & 1] != 0;
}
/* Adds a sample to the trace; the arguments are the fields of ordo_sample. By one member at a time. Reads the clock. */
ORDO_API void ordo_job_sample(ordo_job *job, ordo_u64 in_flight, ordo_u64 bucket, double delta, ordo_u32 concurrent,
                              float utilisation);
/* Seconds since the run began. Reads the clock. */
ORDO_API double ordo_job_seconds(const ordo_job *job);
/* Sets job->in to the in-rows of the graph, which are made once and kept with it; the time is counted as preparation.
 * By the thread that runs the job, outside the team. Errors: ORDO_ERR_MEMORY. */
ORDO_API ordo_status ordo_job_need_in(ordo_job *job);
/* Sets *part to the graph's partition into `parts` parts: (*part)[target] is below `parts`. Kept with the graph, not to
 * be freed; the time is counted as preparation. By the thread that runs the job, outside the team. Errors:
 * ORDO_ERR_USAGE where targets are not the graph's vertices; ORDO_ERR_MEMORY. */
ORDO_API ordo_status ordo_job_need_partition(ordo_job *job, ordo_u32 parts, const ordo_u32 **part);
/* Whether vertices can pull candidates over their in-edges. ORDO_ERR_UNSOUND, naming the scheduler's direction=pull,
 * unless targets are the heads of edges, cells select, and candidates do not depend on the id of their edge, which
 * differs in in-rows. For ordo_scheduler.check; code of an instance has op_can_pull. */
ORDO_API ordo_status ordo_operator_check_pull(const ordo_operator *op, const char *scheduler);
/* Accounts for `bytes` more worklist memory (negative: less). By any member. */
ORDO_API void ordo_job_account(ordo_job *job, long long bytes);
/* The bucket width, positive: `asked`, the value of a tunable, where it is not 0; else `own`, which is op_delta(n, m),
 * where that is not 0; else `factor` times mean weight over mean degree. What is computed is at least 1 for integer
 * cells. */
ORDO_API double ordo_job_delta(const ordo_job *job, double asked, double own, double factor);

/* What the job's graph is like. */
ORDO_API ordo_graph_kind ordo_job_graph_kind(const ordo_job *job);

/* How many targets the requests of a critical operator share, from a sample before it runs. */
typedef struct ordo_contention_sample {
    double targets;   /* so many equally frequent targets would make two requests collide as often; 0: no request */
    ordo_u32 *target; /* [count] those seen, the most frequent first */
    ordo_u64 count;
} ordo_contention_sample;
/* Samples the requests of items initial[0 .. count - 1], or 0 .. count - 1 where that is NULL. For relax operators the
 * sample is empty. To be freed by ordo_contention_sample_free. Errors: ORDO_ERR_MEMORY. */
ORDO_API ordo_status ordo_contention_sample_make(const ordo_operator *op, const void *state, const ordo_item *initial,
                                                 ordo_u64 count, ordo_contention_sample *out);
ORDO_API void ordo_contention_sample_free(ordo_contention_sample *sample);

/* A growable array of worklist entries, owned by one member. All zero is an empty one. `size` below is the bytes of an
 * entry, the same in every call for one bin. Memory is accounted for. */
typedef struct ordo_bin {
    void *data;               /* [capacity] */
    ordo_u64 count, capacity; /* entries: in use, allocated */
} ordo_bin;
/* Increases the capacity by at least one entry; false after ordo_job_fail where memory is short: the bin is unchanged.
 */
ORDO_API bool ordo_bin_grow(ordo_job *job, ordo_bin *bin, size_t size);
/* Makes the capacity at least `capacity` entries, keeping those in use; false as above. */
ORDO_API bool ordo_bin_reserve(ordo_job *job, ordo_bin *bin, ordo_u64 capacity, size_t size);
/* Frees the entries and empties the bin. */
ORDO_API void ordo_bin_free(ordo_job *job, ordo_bin *bin, size_t size);

/* The scheduler of that name, or NULL. */
ORDO_API const ordo_scheduler *ordo_scheduler_find(const char *name);
/* Writes up to `capacity` schedulers to out[], the built-in ones in the order of the build's list, then registered
 * ones; returns the number of all. */
ORDO_API size_t ordo_schedulers(const ordo_scheduler **out, size_t capacity);
/* The scheduler of runs that name none: a property of the build's list. */
ORDO_API const ordo_scheduler *ordo_scheduler_default(void);
/* Adds a scheduler compiled out of tree; operators that name it in their instances can then run under it. */
ORDO_API ordo_status ordo_scheduler_register(const ordo_scheduler *scheduler);

ORDO_END_DECLS

#endif
