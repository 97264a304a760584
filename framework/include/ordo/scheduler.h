/* scheduler.h -- what a scheduler is made of. For authors of schedulers; docs/schedulers.md is the guide.
 *
 * A scheduler is a folder: README.md, tunables.h (its tunables as rows), scheduler.c (its descriptor), cpu.h (its code
 * for the CPU, a template over the operator), cuda.cuh (the same for a GPU, where it has that). The build lists
 * schedulers in one line of schedulers/meson.build and generates the tables from it.
 */
#ifndef ORDO_SCHEDULER_H
#define ORDO_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

#include <ordo/operator.h>
#include <ordo/run.h>
#include <ordo/team.h>

ORDO_BEGIN_DECLS

/* ---- tunables ---- */

typedef enum ordo_tunable_type { ORDO_TUNABLE_INT, ORDO_TUNABLE_REAL, ORDO_TUNABLE_CHOICE } ordo_tunable_type;

/* One row: feeds --set, `ordo help SCHEDULER`, the JSON and the documentation. */
typedef struct ordo_tunable {
    const char *name;
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
#define ORDO_TUNABLE_ROW(_id, _name, _type, _initial, _min, _max, _choices, _unit, _help)                              \
    {_name, ORDO_TUNABLE_##_type, _initial, _min, _max, _choices, _unit, _help},

/* ---- descriptors ---- */

/* A sync that a scheduler offers for a kind of operator, and the properties that it needs for that. */
typedef struct ordo_pairing {
    int kind;       /* ORDO_KIND_RELAX or ORDO_KIND_CRITICAL */
    ordo_sync sync; /* the first pairing of a kind that is sound for an operator is its default */
    unsigned needs; /* ORDO_MONOTONE | ... */
} ordo_pairing;

/* "monotone, idempotent": the names of ORDO_MONOTONE | ORDO_IDEMPOTENT; what does not fit is cut off. */
ORDO_API void ordo_property_names(unsigned properties, char *out, size_t room);

typedef struct ordo_scheduler {
    const char *name, *summary, *paper;
    const ordo_pairing *pairings; /* ends with kind 0 */
    const ordo_tunable *tunables; /* [tunable_count] */
    int tunable_count;
    bool all_items; /* processes every item in every round: initial items are not needed */
    /* Worklist memory for a run: see ordo_run_memory. `entry` is the bytes of a worklist entry. */
    void (*memory)(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most);
} ordo_scheduler;

/* ---- a run as its scheduler sees it ---- */

/* One member's counters, on cache lines of its own. */
typedef struct ordo_counters {
    ordo_u64 items, edges, useful, stale, activations;
    double work_seconds;
    ordo_u64 padding[10];
} ordo_counters;

typedef struct ordo_locks {
    ordo_u8 *lock; /* [mask + 1] */
    ordo_u32 mask;
} ordo_locks;

typedef struct ordo_job_private ordo_job_private;

typedef struct ordo_job {
    const ordo_operator *op;
    const ordo_csr *out;      /* out-rows; all zero where the work has no graph */
    const ordo_csr *in;       /* in-rows, after ordo_job_need_in */
    void *cells;              /* [targets] */
    const void *state;        /* never NULL */
    const ordo_item *initial; /* [initial_count], or NULL: all of 0 .. universe - 1 */
    ordo_u64 initial_count, universe, targets;
    ordo_sync sync;
    const double *tunable; /* [tunable_count] INT, REAL: the value; CHOICE: its index */
    ordo_team *team;
    int threads;
    ordo_counters *counters; /* [threads] */
    ordo_locks locks;        /* with ORDO_SYNC_LOCK */
    double mean_weight;      /* from a sample; 1 where unweighted */
    double mean_degree;
    ordo_u64 supersteps; /* the scheduler's to count; member 0 */
    double delta_first, delta_last;
    ordo_u32 stop;            /* set when the run must end early: read with ordo_job_stopped */
    ordo_u32 settled_stop[2]; /* see ordo_job_settle */
    ordo_job_private *own;
} ordo_job;

enum { ORDO_ON_CPU, ORDO_ON_CUDA }; /* what an instance runs on */

/* The instance of an operator under one scheduler: what a generated unit defines. NULL run: not offered. */
typedef struct ordo_instance {
    const char *scheduler;
    ordo_status (*run)(ordo_job *job);
    unsigned syncs;  /* bits 1 << ORDO_SYNC_... that this back end has; 0: all that the scheduler offers */
    unsigned device; /* ORDO_ON_... */
} ordo_instance;

struct ordo_operator {
    const char *name, *summary;
    int kind; /* ORDO_KIND_RELAX or ORDO_KIND_CRITICAL */
    ordo_type cell, weight;
    unsigned properties;
    bool activates;
    size_t entry;                          /* bytes of a worklist entry */
    size_t state;                          /* bytes of its state struct */
    const ordo_instance *const *instances; /* one a scheduler and device, in any order; NULL ends */
    /* Critical operators; else NULL. The targets that a visit of an item asks for, at most ORDO_MOST_ASKED; how many.
     * Whether no section needs two targets at once: it has one, or two halves. And bytes of a target's words that a
     * server may keep in its own memory, where all sections have one target. */
    ordo_u32 (*ask)(const void *state, ordo_item item, ordo_u32 *target);
    bool apart;
    ordo_u64 (*owned_bytes)(const void *state);
};
enum { ORDO_MOST_ASKED = 32 };

/* ---- services, all defined once, none of them on a path per edge ---- */

/* Ends the run with that status and the calling thread's sentence; the first call wins. For members. */
ORDO_API void ordo_job_fail(ordo_job *job, ordo_status status);
/* For member 0, at least once a superstep or switch: looks at the cancel flag and the clock, reports progress.
 * `in_flight` is what the superstep has to do. */
ORDO_API void ordo_job_poll(ordo_job *job, ordo_u64 in_flight);
/* Whether the run must end early: a hint to look at often, that members may see at different times. */
static inline bool ordo_job_stopped(const ordo_job *job)
{
    return __atomic_load_n(&job->stop, __ATOMIC_RELAXED) != 0;
}
/* The same for schedulers with barriers, where all members must get the same answer: member 0 settles it before the
 * barrier of a step, all read it after. Two words by turns: the one of step g is written again only before the barrier
 * of g + 2, when every member has passed that of g + 1 and so has read it. */
static inline void ordo_job_settle(ordo_job *job, ordo_u64 step)
{
    job->settled_stop[step & 1] = __atomic_load_n(&job->stop, __ATOMIC_RELAXED);
}
static inline bool ordo_job_settled(const ordo_job *job, ordo_u64 step)
{
    return job->settled_stop[step & 1] != 0;
}
/* Adds a moment to the trace; one member at a time. Costs a clock read. */
ORDO_API void ordo_job_sample(ordo_job *job, ordo_u64 in_flight, ordo_u64 bucket, double delta, ordo_u32 concurrent,
                              float utilisation);
/* Seconds since the run began. */
ORDO_API double ordo_job_seconds(const ordo_job *job);
/* In-rows into job->in; the time is counted as preparation. By the thread that runs the job, outside the team. */
ORDO_API ordo_status ordo_job_need_in(ordo_job *job);
/* Targets into parts, (*part)[target], by the graph's partition; the time is counted as preparation. Refused where
 * targets are not the graph's vertices. By the thread that runs the job, outside the team. */
ORDO_API ordo_status ordo_job_need_partition(ordo_job *job, ordo_u32 parts, const ordo_u32 **part);
/* Books `bytes` more (or fewer) of worklist memory. */
ORDO_API void ordo_job_book(ordo_job *job, long long bytes);
/* Bucket width for a tunable whose value `asked` is 0 for automatic: `own`, which is x_op_delta(n, m), or where that is
 * 0 `factor` times mean weight over mean degree; at least 1 for integer cells. */
ORDO_API double ordo_job_delta(const ordo_job *job, double asked, double own, double factor);

/* What a graph is like, from its mean degree and a sample of 16 384 rows: where small degrees make paths long, where
 * all degrees are about alike, where some vertices have most edges. For choosing a width of buckets. */
typedef enum ordo_graph_kind { ORDO_GRAPH_DEEP, ORDO_GRAPH_EVEN, ORDO_GRAPH_HUBS } ordo_graph_kind;
ORDO_API ordo_graph_kind ordo_job_graph_kind(const ordo_job *job);

/* What a sample of a critical operator's requests says about its targets, before it runs. */
typedef struct ordo_survey {
    double targets; /* two requests meet in a target as often as in so many, equally frequent ones; 0: there was none */
    ordo_u32 *target; /* [count] those seen, the most frequent first */
    ordo_u64 count;
} ordo_survey;
/* Of items initial[0 .. count - 1], or 0 .. count - 1 where that is NULL. For relax operators it is empty. */
ORDO_API ordo_status ordo_survey_make(const ordo_operator *op, const void *state, const ordo_item *initial,
                                      ordo_u64 count, ordo_survey *out);
ORDO_API void ordo_survey_free(ordo_survey *survey);

/* A growable array of worklist entries, owned by one member. */
typedef struct ordo_bin {
    void *data;
    ordo_u64 count, room;
} ordo_bin;
/* Makes room for at least one more entry of `size` bytes; false after ordo_job_fail where memory is short. */
ORDO_API bool ordo_bin_grow(ordo_job *job, ordo_bin *bin, size_t size);
/* Makes room for `room` entries in all, dropping none. */
ORDO_API bool ordo_bin_reserve(ordo_job *job, ordo_bin *bin, ordo_u64 room, size_t size);
ORDO_API void ordo_bin_free(ordo_job *job, ordo_bin *bin, size_t size);

/* The tables that the build generates, in the order of the build's list. */
ORDO_API const ordo_scheduler *ordo_scheduler_find(const char *name);
ORDO_API size_t ordo_schedulers(const ordo_scheduler **out, size_t room);
/* Adds a scheduler compiled out of tree; operators that name it in their instances can then run under it. */
ORDO_API ordo_status ordo_scheduler_register(const ordo_scheduler *scheduler);

ORDO_END_DECLS

#endif
