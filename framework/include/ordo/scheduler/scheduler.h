/* scheduler.h -- for authors of schedulers: the descriptor of a scheduler, a run as its code sees it, and the services
 * that it calls. docs/schedulers.md is the guide.
 *
 * Problem. A scheduler must describe its tunables, syncs and memory to the framework. Its code needs services of a run:
 * stopping, the trace, counters, memory accounting.
 *
 * Method. A scheduler is a folder with README.md, tunables.h (a table of its tunables), scheduler.c (its descriptor, an
 * ordo_scheduler), cpu.h (its code for the CPU, a template over the operator) and, if it runs on a GPU, cuda.cuh.
 * schedulers/meson.build lists the schedulers in one line, from which the build generates the tables. The instance of
 * an operator under a scheduler is a function that is called with an ordo_job. A *member* is a thread of the job's
 * team.
 *
 * Not done: services per item or edge. Those are inlined, from <ordo/scheduler/cpu.h>.
 *
 * Unless a comment says otherwise, outputs of a call are owned by the caller, strings of descriptors are static, and
 * times are in seconds.
 */
#ifndef ORDO_SCHEDULER_H
#define ORDO_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

#include <ordo/detail/transport.h>
#include <ordo/operator/operator.h>
#include <ordo/run.h>
#include <ordo/scheduler/team.h>

ORDO_BEGIN_DECLS

/* ---- tunables ---- */

typedef enum ordo_tunable_type { ORDO_TUNABLE_INT, ORDO_TUNABLE_REAL, ORDO_TUNABLE_CHOICE } ordo_tunable_type;

/* A tunable: a row from which --set, `ordo help SCHEDULER`, the JSON records and the manual are made. Static. */
typedef struct ordo_tunable {
    const char *name; /* unique within the scheduler */
    ordo_tunable_type type;
    const char *initial; /* the default, as --set takes it */
    double min, max;     /* both inclusive; INT and REAL */
    const char *choices; /* CHOICE: "a|b|c"; its value is the index */
    const char *unit;    /* "items", "weight", ... or "" */
    const char *help;    /* one line; explains 0 or auto where it has a special meaning */
} ordo_tunable;

/* A row is written as X(ENUMERATOR, name, type, default, min, max, choices, unit, help). The same list of rows makes
 * the enumerators that index ordo_job.tunable and the table. */
#define ORDO_TUNABLE_ENUM(_id, _name, _type, _initial, _min, _max, _choices, _unit, _help) _id,
#define ORDO_TUNABLE_ONE(_id, _name, _type, _initial, _min, _max, _choices, _unit, _help) +1 /* to count them */
#define ORDO_TUNABLE_ROW(_id, _name, _type, _initial, _min, _max, _choices, _unit, _help)                              \
    {_name, ORDO_TUNABLE_##_type, _initial, _min, _max, _choices, _unit, _help},

/* A scheduler's constants are the rows after its tunables: numbers that users do not gain by changing, and switches
 * that disable a part to measure its effect. A build with -Dablation=true makes tunables of them (docs/ablations.md).
 * Use in a descriptor: ORDO_TUNABLES(table, shown, all), where the first `shown` rows are tunables. */
#ifdef ORDO_ABLATION
#define ORDO_TUNABLES(table, shown, all) .tunables = (table), .tunable_count = (all)
#else
#define ORDO_TUNABLES(table, shown, all)                                                                               \
    .tunables = (table), .tunable_count = (shown), .constant_count = (int)(all) - (int)(shown)
#endif

/* ---- descriptors ---- */

enum { ORDO_ON_CPU, ORDO_ON_CUDA, ORDO_OVER_CUDA }; /* the device of an instance; of several GPUs, a rank each */
enum { ORDO_NEEDS_MAPPED = 1u << 8 };               /* see ordo_scheduler.distributed */

/* A sync that a scheduler offers for a kind of operator, and the properties that the operator needs for it. */
typedef struct ordo_pairing {
    int kind;       /* ORDO_KIND_RELAX, _CRITICAL or _GATHER */
    ordo_sync sync; /* the first pairing of a kind that is sound for an operator is its default */
    unsigned needs; /* ORDO_MONOTONE | ... */
} ordo_pairing;

/* Writes the names of properties to out[capacity], such as "monotone, idempotent" for ORDO_MONOTONE | ORDO_IDEMPOTENT.
 * Cut off where the names do not fit. */
ORDO_API void ordo_property_names(unsigned properties, char *out, size_t capacity);

/* ---- how well a scheduler suits a run ---- */

/* The kind of a graph, from its mean degree and a sample of 16 384 rows: small degrees and so long paths (DEEP),
 * similar degrees (EVEN), or a few vertices with most of the edges (HUBS). For choosing schedulers and bucket widths.
 */
typedef enum ordo_graph_kind { ORDO_GRAPH_DEEP, ORDO_GRAPH_EVEN, ORDO_GRAPH_HUBS } ordo_graph_kind;
enum { ORDO_GRAPH_KINDS = 3 };

/* Describes a run whose scheduler or sync is to be chosen. */
typedef struct ordo_situation {
    const ordo_operator *op; /* kind, properties, activates, weight, apart, ... */
    bool has_rows;           /* the operator processes edges of a graph; the next five members describe that graph */
    ordo_graph_kind graph_kind;
    double mean_degree;
    double levels; /* where degrees are similar: of a breadth-first search, a guess from a small part; 0: none */
    ordo_u64 vertices, edges;
    ordo_u64 items, targets;
    bool nearly_done; /* ordo_work.nearly_done: the run mostly looks at each edge once */
    /* Critical operators. hot_targets: two requests have the same target as often as if there were this many equally
     * frequent targets, by a sample of the requests (ordo_contention_sample); 0: no sample was taken. owned_bytes:
     * bytes of the words of all targets, if a server may keep them in its own memory; else 0. */
    double hot_targets;
    double owned_bytes;
    bool on_gpu;
    int threads;               /* on the CPU */
    int item;                  /* ORDO_ITEMS_...: what the items of a relax operator are in this run */
    bool symmetric, by_weight; /* the graph; it has rows by weight, which were made for an earlier run on the host */
    ordo_u64 runs; /* on this graph, as the caller expects; 1 where memory is short of in-rows and rows by weight */
} ordo_situation;

/* What barriers add to a search on the CPU by one superstep a level, in times of its edges; 0 where the levels are not
 * known. A superstep takes about 1.1 us of two threads, as long as 500 edges (breadth-first search of a chain of
 * cliques of 16, 8277 levels: supersteps take 3 times as long as chains). */
static inline double ordo_levels_cost(const ordo_situation *s)
{
    return s->edges ? 500 * s->levels / (double)s->edges : 0;
}

/* Whether degrees are similar, and rows so long that a GPU is best shared by edges, not by items. */
static inline bool ordo_even_long_rows(const ordo_situation *s)
{
    return s->graph_kind == ORDO_GRAPH_EVEN && s->mean_degree >= 128;
}

/* With as many levels, where degrees are similar, a graph has long paths: on a GPU supersteps have little work then. */
enum { ORDO_LEVELS_LONG = 128 };

/* With fewer, where degrees are similar, a graph is like a random one: most vertices are a few edges apart. */
enum { ORDO_LEVELS_FEW = 32 };
static inline bool ordo_even_random(const ordo_situation *s)
{
    return s->graph_kind == ORDO_GRAPH_EVEN && s->levels > 0 && s->levels < ORDO_LEVELS_FEW;
}

/* Whether degrees are similar, and a search has fewer levels. */
static inline bool ordo_even_few_levels(const ordo_situation *s)
{
    return s->graph_kind == ORDO_GRAPH_EVEN && s->levels > 0 && s->levels < ORDO_LEVELS_LONG;
}

/* Whether degrees are similar, and a GPU has much work at a time: the graph is like a solid, with many neighbours, and
 * neither the few levels of random graphs nor long paths; or rows are long; or there is no order. Rows of random graphs
 * must be longer: inbox takes 1.4 times as long as delta with 64 edges a vertex there, .9 times with 128 (lab 0094).
 * `ordered`: priorities are sums of weights. */
static inline bool ordo_even_solid(const ordo_situation *s, bool ordered)
{
    const bool solid = s->mean_degree >= 16 && s->levels >= ORDO_LEVELS_FEW && s->levels < ORDO_LEVELS_LONG;
    const bool dense = s->mean_degree > (ordered && ordo_even_random(s) ? 96 : 32);
    return s->graph_kind == ORDO_GRAPH_EVEN && (solid || dense || (!ordered && s->mean_degree >= 8));
}

/* A scheduler's prediction for a run. */
typedef struct ordo_fit {
    double cost; /* The predicted run time, divided by that of the best scheduler of this tree for such runs, or for
                  * critical operators by that of locks: 1 is as fast, 2 takes two times as long, less than 1 is faster.
                  * Above 0 */
    const char *reason; /* the reason in a few words: "direction-optimising supersteps"; static */
} ordo_fit;

/* The prediction for gather operators by residual: 4 to 20 times the time of rounds was measured for PageRank. */
static inline ordo_fit ordo_residual_fit(void)
{
    const ordo_fit fit = {8, "single vertices by residual, where rounds read edges in order"};
    return fit;
}

/* Changes with every change of this file that a scheduler's descriptor or its code depends on. */
enum { ORDO_SCHEDULER_INTERFACE = 10 };

typedef struct ordo_scheduler {
    unsigned interface;                 /* ORDO_SCHEDULER_INTERFACE; the first member, whatever the others are */
    const char *name, *summary, *paper; /* an identifier; one line each */
    const ordo_pairing *pairings;       /* ends with kind 0 */
    const ordo_tunable *tunables;       /* [tunable_count + constant_count] */
    int tunable_count, constant_count;  /* constants keep their default; see ORDO_TUNABLES */
    bool all_items;                     /* processes every item in every round; initial is not read */
    /* Bits 1 << ORDO_ON_CPU, 1 << ORDO_ON_CUDA of the devices on which relax operators run with edges as items
     * (ordo_job.item). On the others such a run is refused, by name. */
    unsigned edge_items;
    /* Likewise of the devices on which operators that add edges and items run (ORDO_GROWING): the code processes items
     * by op_expand and its relatives, or calls op_expand_new itself, and needs no more of rows than that. */
    unsigned growing;
    /* Likewise of the devices on which relax operators run over several processes: the code sends what is activated
     * and not owned (op_keep), and meets the other ranks between supersteps (op_meet); see
     * <ordo/detail/cpu/remote.h>. With ORDO_NEEDS_MAPPED over GPUs only where each sees the others' memory: kernels do
     * more with that than <ordo/detail/cuda/meet.cuh> does. */
    unsigned distributed;
    /* Likewise of the devices on which gather operators do, in double-buffered rounds (<ordo/detail/cpu/ghosts.h>,
     * <ordo/detail/cuda/ghosts.cuh>). */
    unsigned gathers_distributed;
    /* The same of relax operators whose cells sum, or whose targets are no items. */
    unsigned sums_distributed;
    /* Predicts the bytes of worklists for a run on n vertices and m edges, as ordo_run_memory does. `entry`: bytes of a
     * worklist entry; `tunable`: as in ordo_job. */
    void (*memory)(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most);
    /* Refuses (ORDO_ERR_UNSOUND) values of tunables that the operator does not allow on any device, and names them; or
     * that it does not allow with these items. Called before a run and by ordo_run_check. `item`: as in ordo_job. NULL:
     * all values are allowed for all operators, or instances check them. */
    ordo_status (*check)(const ordo_operator *op, int item, const double *tunable);
    /* Predicts how fast a run is under this scheduler and one of its syncs. Called where the caller leaves scheduler or
     * sync to Ordo ("auto"), for pairings that are sound; of those that can run, the one with the lowest cost is
     * chosen. May not read the graph itself. NULL: the scheduler is chosen only where no other one can run. */
    void (*suit)(const ordo_situation *situation, ordo_sync sync, ordo_fit *out);
} ordo_scheduler;

/* ---- a run as its scheduler sees it ---- */

/* What a member is doing. Sampled by the trace (<ordo/trace.h>); the values are those of its files. */
enum { ORDO_ENDED, ORDO_BUSY, ORDO_STEALING, ORDO_WAITING, ORDO_AT_BARRIER, ORDO_MANAGING, ORDO_MEMBER_STATES };

/* The counters of a member, on separate cache lines. See ordo_stats for their meaning. A member counts in a struct of
 * its own and publishes copies in job->counters[member] (ordo_publish_counters), which other threads may read. The
 * fields from `bins` on are of the member's own struct, and set by ordo_count_from where the run is traced. */
typedef struct ordo_counters {
    ordo_u64 items, edges, useful, stale, activations;
    double work_seconds;
    ordo_u64 unpolled; /* items and edges since the member last polled; see ordo_go_on */
    ordo_u64 put;      /* the member's own: entries that have left its bins to be processed or dropped. Published: these
                          and what its bins hold, so all that it has put on the worklist, initial entries included */
    ordo_u32 state;    /* published: what the member is doing, ORDO_BUSY ... */
    ordo_u32 bin_count;
    const struct ordo_bin *bins;  /* [bin_count] its bins */
    const struct ordo_bin *far;   /* one more; may be NULL */
    struct ordo_counters *shared; /* where it publishes in the middle of a superstep, too; NULL: nowhere */
    ordo_u64 padding[4];
} ordo_counters;

/* Locks of targets: the lock of target t is lock[t & mask], 1 while it is held; or, where `ticket` is not NULL,
 * ticket[t & mask], which is passed on in the order of asking. See ordo_lock. */
typedef struct ordo_ticket_lock {
    ordo_u32 next, now; /* the ticket of the next thread that asks; the one whose turn it is */
} ordo_ticket_lock;
typedef struct ordo_locks {
    ordo_u8 *lock; /* [mask + 1] */
    ordo_u32 mask;
    ordo_ticket_lock *ticket; /* [mask + 1] */
} ordo_locks;

typedef struct ordo_job_private ordo_job_private;

/* Rows of so many edges are shared by all members, who take pieces of them: one member would need 20 us and more, a
 * barrier takes one or some. */
enum { ORDO_LONG_ROW = 1 << 13 };

/* A growable array of worklist entries, owned by one member; empty if all zero. In the functions below `size` is the
 * bytes of an entry, the same in every call for one bin. Its memory is counted as worklist memory. */
typedef struct ordo_bin {
    void *data;               /* [capacity] */
    ordo_u64 count, capacity; /* entries: in use, allocated */
} ordo_bin;

/* What a member says when ranks meet. */
typedef struct ordo_said {
    ordo_u64 work, lowest; /* as in ordo_agreed */
    ordo_u64 edges;        /* likewise; the scheduler's, where it needs them */
    ordo_u64 padding[5];
} ordo_said;

/* An array with an element for each item, which is written where the item is processed. */
typedef struct ordo_written {
    void *array;
    ordo_u64 unit; /* bytes of an element */
} ordo_written;
enum { ORDO_MOST_WRITTEN = 16 };

/* A run over several processes (<ordo/distributed.h>), as the scheduler's code of one rank sees it. The members write
 * `out` and `said`; member 0 alone changes the rest, in ordo_job_exchange. */
typedef struct ordo_remote {
    struct ordo_group *group;
    ordo_u32 rank, count;
    const ordo_vid *begin; /* [count + 1] rank r owns begin[r] .. begin[r + 1] - 1; NULL: see `part` */
    const ordo_u32 *part;  /* the rank that owns each block of 2^block_bits items, or NULL */
    ordo_u32 block_bits;
    const struct ordo_peers *peers; /* of a run on GPUs (<ordo/detail/peers.h>); else NULL */
    ordo_bin *out;                  /* [threads * count] entries for each rank, of each member; on CPUs */
    ordo_said *said;                /* [threads] */
    size_t entry;                   /* bytes of an entry of `out` and `in` */
    ordo_agreed all;                /* what ranks have agreed on */
    ordo_bin in;                    /* entries that have come */
    bool shared;                    /* all ranks work on the same cells; see <ordo/detail/cpu/remote.h> */
    ordo_u64 messages;              /* sent so far; in the end by all ranks */
    ordo_u64 edges, critical_edges; /* processed up to the last exchange; the sum of ordo_agreed.most */
    ordo_written written[ORDO_MOST_WRITTEN];
    int written_count;
} ordo_remote;

/* A run, as it is passed to an instance. Owned by the framework; what it points at is valid until the run ends. */
typedef struct ordo_job {
    const ordo_operator *op;
    const ordo_csr *out;      /* out-rows; all zero if the run has no graph */
    const ordo_csr *in;       /* in-rows; set by ordo_job_need_in */
    void *cells;              /* [targets] */
    const void *state;        /* the operator's state struct; never NULL */
    const ordo_item *initial; /* [initial_count], or NULL: all of 0 .. num_items - 1 */
    ordo_u64 initial_count, num_items, targets;
    ordo_sync sync;
    /* What the items of a relax operator are: ORDO_ITEMS_VERTICES, 0 .. num_items - 1, or ORDO_ITEMS_EDGES, 0 .. out->m
     * - 1. With edges, num_items and `initial` still say which vertices there are, and of which the out-edges are the
     * initial items. 0 for other operators, whose items are 0 .. num_items - 1. */
    int item;
    const ordo_vid *tail;  /* [out->m] tails of edges; set by ordo_job_need_tails */
    const double *tunable; /* [tunable_count + constant_count] INT, REAL: the value; CHOICE: its index */
    ordo_team *team;
    int threads;                    /* members of the team */
    ordo_counters *counters;        /* [threads]; summed up after the run */
    ordo_locks locks;               /* with ORDO_SYNC_LOCK */
    double mean_weight;             /* from a sample; 1 where unweighted */
    double mean_degree;             /* edges for each vertex */
    ordo_u64 supersteps;            /* counted by the scheduler; written by member 0 */
    double delta_first, delta_last; /* bucket width at the beginning and at the end, set by the scheduler; 0: it has
                                       none */
    ordo_u32 stop;                  /* not 0 when the run must end early; read it by ordo_job_stopped */
    ordo_u32 agreed_stop[2];        /* see ordo_job_agree_stop */
    ordo_job_private *own;
    bool long_rows;  /* members may share rows: several, and a row of ORDO_LONG_ROW edges or more; see op_drain_short */
    ordo_u32 traced; /* not 0: a thread samples the counters of members, or of a back end, during the run; see
                        ordo_count_from */
    double change;   /* gather operators: of the last round; set by the instance */
    void *adapter;   /* gather operators by residual: the run of <ordo/detail/cpu/residual.h> */
    /* Items that this process owns: first_owned .. first_owned + owned - 1, which are all but in a run over several
     * processes. */
    ordo_u32 first_owned, owned;
    ordo_u32 owned_mask; /* all ones; in a block-cyclic distribution those bits of an item that say its place in a
                            period: see ordo_job_in_own_range */
    ordo_remote *remote; /* of such a run, or NULL */
    /* What the run adds, of operators that are ORDO_GROWING; else NULL. `out` then has most_items vertices without
     * edges behind those of the graph, and num_items and targets count them: arrays of a scheduler have room for new
     * items, whose cells hold the worst value until an edge leads to them. */
    struct ordo_grow_pool *grow;
} ordo_job;

/* Over several processes, where targets are no heads: how many targets the ranks before this one own. */
static inline ordo_u64 ordo_targets_before(const ordo_job *job, ordo_u32 rank)
{
    return job->targets * rank / job->remote->count; /* below 2^32 targets */
}

/* The edges in the rows of the items that this process owns, where ranks own ranges. */
static inline ordo_u64 ordo_job_owned_edges(const ordo_job *job)
{
    return job->remote ? job->out->row[(ordo_u64)job->first_owned + job->owned] - job->out->row[job->first_owned]
                       : job->out->m;
}

/* Sets [*first, *end), the elements that this rank owns, where ranks own ranges: of an array with one for each item, or
 * for each target that is no item. */
static inline void ordo_job_owned_range(const ordo_job *job, bool of_items, ordo_u64 *first, ordo_u64 *end)
{
    const ordo_u32 rank = job->remote->rank;
    *first = of_items ? job->first_owned : ordo_targets_before(job, rank);
    *end = of_items ? (ordo_u64)job->first_owned + job->owned : ordo_targets_before(job, rank + 1);
}

/* Whether this process owns the item, where ranks own ranges, or the same range of every owned_mask + 1 items. Of other
 * parts it says no: see ordo_owner_of. */
static inline bool ordo_job_in_own_range(const ordo_job *job, ordo_item item)
{
    return (item & job->owned_mask) - job->first_owned < job->owned;
}

/* The rank that owns an item. */
static inline ordo_u32 ordo_owner_of(const ordo_remote *remote, ordo_item item)
{
    if (remote->part)
        return remote->part[item >> remote->block_bits];
    ordo_u32 low = 0, high = remote->count; /* the last rank whose range begins at the item or before */
    while (high - low > 1) {
        const ordo_u32 middle = (low + high) / 2;
        if (remote->begin[middle] <= item)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The number of a run's items. */
static inline ordo_u64 ordo_job_items(const ordo_job *job)
{
    return job->item == ORDO_ITEMS_EDGES ? job->out->m : job->num_items;
}

/* The sync of a run. A unit that is compiled for one sync alone defines ORDO_ONLY_SYNC as that; the compiler then
 * leaves out the code for the others. */
static inline ordo_sync ordo_job_sync(const ordo_job *job)
{
#ifdef ORDO_ONLY_SYNC
    (void)job;
    return ORDO_ONLY_SYNC;
#else
    return job->sync;
#endif
}

/* The instance of an operator under one scheduler, defined by a generated unit. `run` processes the job's items, on the
 * calling thread and the job's team, until none is left or the run is stopped. It returns errors of its preparation;
 * errors of members are reported by ordo_job_fail. NULL: the scheduler does not offer this operator. */
typedef struct ordo_instance {
    const char *scheduler;
    ordo_status (*run)(ordo_job *job);
    unsigned syncs;  /* bits 1 << ORDO_SYNC_... of the syncs that this instance has; 0: all that the scheduler offers */
    unsigned device; /* ORDO_ON_... */
} ordo_instance;

/* An operator's descriptor, made by ORDO_DESCRIBE_RELAX, _CRITICAL or _GATHER. Static. */
struct ordo_operator {
    const char *name, *summary;
    int kind; /* ORDO_KIND_RELAX, _CRITICAL or _GATHER */
    ordo_type cell, weight;
    unsigned properties;
    bool activates;                        /* processing an item can put items on the worklist */
    bool knows_final;                      /* relax operators: ORDO_RELAX_FINAL is declared */
    size_t entry;                          /* bytes of a worklist entry */
    size_t state;                          /* bytes of its state struct */
    const ordo_instance *const *instances; /* one for each scheduler and device, in any order; ends with NULL */
    /* The members below are for critical operators; else NULL, 0, false. `ask` prepares an item, writes the targets
     * of its requests to target[ORDO_MOST_ASKED] and returns their number. */
    ordo_u32 (*ask)(const void *state, ordo_item item, ordo_u32 *target);
    bool apart; /* no critical section needs two targets at the same time: it has one target, or two halves */
    /* Bytes of the words of one target that a server may keep in its own memory; 0 if requests have two targets. */
    ordo_u64 (*owned_bytes)(const void *state);
    ordo_u32 targets; /* the most targets of a request */
    bool hands_edges; /* the framework hands edges to it */
    int items;        /* what its items may be, a sum of ORDO_ITEMS_...; 0: critical, and its app knows what they are */
    void (*worst)(void *cell); /* relax operators that select: writes op_worst(). Else NULL */
    /* Operators that are ORDO_GROWING and have ORDO_RELAX_KEY. Else NULL. */
    ordo_u64 (*key)(const void *state, ordo_item item);
    /* Relax operators: op_delta, the width of a bucket for n vertices and m edges, in units of priority; 0: what
     * weights and degrees make of it. Else NULL. */
    double (*width)(double n, double m);
};
enum { ORDO_MOST_ASKED = 32 };

/* ---- services: calls of the library, none of them made per edge ---- */

/* Ends the run early with a status and the calling thread's ordo_last_error(). Only the first call in a run has an
 * effect. Called by any member. */
ORDO_API void ordo_job_fail(ordo_job *job, ordo_status status);
/* Checks the cancel flag and the time limit, and reports progress. Called by member 0, at least once a superstep, or
 * often enough that a run reacts within 100 ms. `in_flight`: number of items on the worklist, or of the superstep that
 * begins. Reads the clock. */
ORDO_API void ordo_job_poll(ordo_job *job, ordo_u64 in_flight);
/* The same, for any member in the middle of a superstep, with the in_flight of member 0's last call. Progress is
 * reported by calls of member 0 only. Schedulers call it through ordo_go_on() (<ordo/detail/cpu/base.h>). */
ORDO_API void ordo_job_poll_within(ordo_job *job);
/* Whether the run must end early. Cheap. Different members may see the change at different times. */
static inline bool ordo_job_stopped(const ordo_job *job)
{
    return __atomic_load_n(&job->stop, __ATOMIC_RELAXED) != 0;
}
/* The same for schedulers with barriers, which need the same answer in all members. Member 0 calls ordo_job_agree_stop
 * before the barrier of a step, all members call ordo_job_stop_agreed after it. Double-buffered: the word of step g is
 * written again only before the barrier of step g + 2. By then every member has passed the barrier of g + 1, and so has
 * read the word. */
static inline void ordo_job_agree_stop(ordo_job *job, ordo_u64 step)
{
    /* over several processes it is what all have agreed on in the exchange before */
    job->agreed_stop[step & 1] =
        job->remote ? job->remote->all.ended != 0 : __atomic_load_n(&job->stop, __ATOMIC_RELAXED);
}
static inline bool ordo_job_stop_agreed(const ordo_job *job, ordo_u64 step)
{
    return job->agreed_stop[step & 1] != 0;
}
/* Adds a sample to the trace; the arguments are the fields of ordo_sample. Called by one member at a time. Reads the
 * clock. */
ORDO_API void ordo_job_sample(ordo_job *job, ordo_u64 in_flight, ordo_u64 bucket, double delta, ordo_u32 concurrent,
                              float utilisation);
/* What the trace shows of a run's worklist. The framework fills it in from counters, memory accounting and the last
 * call of ordo_job_sample; a probe replaces what its scheduler knows better. */
typedef struct ordo_probed {
    ordo_u64 in_flight;      /* items on the worklist */
    ordo_u64 bucket;         /* as of ordo_job_sample */
    double delta;            /* likewise */
    ordo_u32 concurrent;     /* likewise */
    ordo_u64 spills;         /* entries that found their queue full, so far */
    ordo_u64 worklist_bytes; /* as counted by ordo_job_account */
} ordo_probed;
/* A scheduler's probe: called by the thread that samples, during the run and at the same time as members work. May read
 * nothing that members write but by atomic loads. */
typedef void ordo_probe_fn(const void *arg, ordo_probed *out);
/* Sets the probe of a run; NULL: none. Called by the thread that runs the job, before and after ordo_team_run. No probe
 * runs when it has returned with NULL, so what `arg` points at may be freed then. No effect if the run is not traced.
 */
ORDO_API void ordo_job_probe(ordo_job *job, ordo_probe_fn *probe, const void *arg);
/* Seconds since the run began. Reads the clock. */
ORDO_API double ordo_job_seconds(const ordo_job *job);
/* Sets job->in to the in-rows of the graph, which are made once and kept with the graph; the time counts as
 * preparation. Called by the thread that runs the job, outside the team. Over several processes all of them call it;
 * where they have read their own rows of a directed graph, in-rows of other processes' vertices are empty. Errors:
 * ORDO_ERR_MEMORY. */
ORDO_API ordo_status ordo_job_need_in(ordo_job *job);
/* Whether in-rows that a run can do without are worth making: the graph has them, or the caller expects more runs
 * (ordo_options.repeats), or earlier runs, by ordo_job_pushed, went along `times` as many edges for want of them as the
 * graph has. If making them costs as much as a run saves over so many edges, all runs together take at most twice the
 * time of the better choice. */
ORDO_API bool ordo_job_in_pays(const ordo_job *job, double times);
/* The same over several processes, which all call it: whether one of them says so. In one process as that. */
ORDO_API bool ordo_job_in_pays_ranks(const ordo_job *job, double times);
/* Adds the edges of a run, of all processes, for which ordo_job_in_pays was false. */
ORDO_API void ordo_job_pushed(ordo_job *job, ordo_u64 edges);
/* Sets *out, and *in unless `in` is NULL, to out-rows and in-rows in the order of their weights: the lightest edges
 * first, or the heaviest. Ids of their edges are others. Made once and kept with the graph, likewise. Without weights,
 * or for an operator that reads none, they are the rows of the graph. Errors: as ordo_job_need_in. */
ORDO_API ordo_status ordo_job_need_by_weight(ordo_job *job, bool heaviest_first, const ordo_csr **out,
                                             const ordo_csr **in);
/* Sets job->tail likewise: an array that is made once and kept with the graph. */
ORDO_API ordo_status ordo_job_need_tails(ordo_job *job);
/* Sets *part to a partition of the graph into `parts` parts: (*part)[target] is below `parts`. Kept with the graph, not
 * to be freed; the time counts as preparation. Called by the thread that runs the job, outside the team. Errors:
 * ORDO_ERR_USAGE if targets are not the graph's vertices; ORDO_ERR_MEMORY. */
ORDO_API ordo_status ordo_job_need_partition(ordo_job *job, ordo_u32 parts, const ordo_u32 **part);
/* Checks that vertices can pull candidates over their in-edges: items are vertices, targets are the heads of edges, the
 * operator is ORDO_SELECTIVE, and candidates do not depend on the id of their edge, since ids differ in in-rows.
 * Otherwise ORDO_ERR_UNSOUND, with a message that names `scheduler` and direction=pull. Called by ordo_scheduler.check;
 * the code of an instance has op_can_pull. */
ORDO_API ordo_status ordo_operator_check_pull(const ordo_operator *op, int item, const char *scheduler);
/* Adds `bytes` to the worklist memory of the run; negative values subtract. Called by any member. */
ORDO_API void ordo_job_account(ordo_job *job, long long bytes);
/* The bucket width, which is positive: the first of these that is not 0: `asked`, the value of a tunable; `own`, which
 * is op_delta(n, m); `factor` times mean weight over mean degree. The last two are at least 1 unless cells are f32. */
ORDO_API double ordo_job_delta(const ordo_job *job, double asked, double own, double factor);

/* A quantile of the weights of the graph's edges, 0 to 1, from the lightest, by a sample; 1 where unweighted. */
ORDO_API double ordo_job_weight_quantile(const ordo_job *job, double quantile);

/* By member 0, between supersteps of a run over several processes, while no other member touches job->remote: sends the
 * members' entries to their owners, receives job->remote->in, and agrees on job->remote->all. All ranks call it equally
 * often. Where one of them must end the run early, job->remote->all.ended says so in all of them: its status in the
 * upper half, its number plus 1 in the lower one. */
ORDO_API void ordo_job_exchange(ordo_job *job);
/* Likewise: makes a bitmap of items the union of those of all ranks. span[0] and span[1], the least and the greatest of
 * some words of this rank, become those of all. */
ORDO_API void ordo_job_unite(ordo_job *job, ordo_u64 *bits, ordo_u64 words, ordo_u64 span[2]);
/* Likewise: makes all ghosts what their owners' cells are. */
ORDO_API void ordo_job_refresh(ordo_job *job);
/* Likewise: `count` words of every rank, at most ORDO_MOST_COLLECTED, rank after rank; valid until the next call. */
ORDO_API const ordo_u64 *ordo_job_collect(ordo_job *job, const ordo_u64 *words, int count);
enum { ORDO_MOST_COLLECTED = 8 };

/* The kind of the job's graph. */
ORDO_API ordo_graph_kind ordo_job_graph_kind(const ordo_job *job);

/* The edges of the longest row of job->out; 0: not known, or there are no edges. */
ORDO_API ordo_u64 ordo_job_longest_row(const ordo_job *job);
/* How many levels a breadth-first search of it has, a guess from a small part, for graphs whose degrees are similar. 0:
 * none, for small graphs and over several ranks. */
ORDO_API double ordo_job_levels(const ordo_job *job);

/* How many targets the requests of a critical operator share, estimated from a sample before the run. */
typedef struct ordo_contention_sample {
    double targets;   /* two requests have the same target as often as if there were this many equally frequent ones; 0:
                         no request */
    ordo_u32 *target; /* [count] targets of the sample, the most frequent first */
    ordo_u64 count;
} ordo_contention_sample;
/* Samples the requests of items initial[0 .. count - 1], or of items 0 .. count - 1 if that is NULL. The sample of a
 * relax operator is empty. To be freed by ordo_contention_sample_free. Errors: ORDO_ERR_MEMORY. */
ORDO_API ordo_status ordo_contention_sample_make(const ordo_operator *op, const void *state, const ordo_item *initial,
                                                 ordo_u64 count, ordo_contention_sample *out);
ORDO_API void ordo_contention_sample_free(ordo_contention_sample *sample);

/* Ends the run for what its pool says has failed (ordo_grow_pool.failed): a bound that is too low, or an edge that
 * cannot be. Called by any member. */
ORDO_API void ordo_job_grow_failed(ordo_job *job);

/* Increases the capacity by at least one entry. If memory is short, calls ordo_job_fail, leaves the bin unchanged and
 * returns false. */
ORDO_API bool ordo_bin_grow(ordo_job *job, ordo_bin *bin, size_t size);
/* Increases the capacity to at least `capacity` entries, keeping those in use. Fails as ordo_bin_grow does. */
ORDO_API bool ordo_bin_reserve(ordo_job *job, ordo_bin *bin, ordo_u64 capacity, size_t size);
/* Frees the entries and empties the bin. */
ORDO_API void ordo_bin_free(ordo_job *job, ordo_bin *bin, size_t size);

/* Finds a scheduler by name; NULL if there is none. */
ORDO_API const ordo_scheduler *ordo_scheduler_find(const char *name);
/* Writes the first `capacity` schedulers to out[]: the built-in ones in the order of the build's list, then registered
 * ones. Returns the number of all. */
ORDO_API size_t ordo_schedulers(const ordo_scheduler **out, size_t capacity);
/* The scheduler of runs that name none, which the build's list determines. */
ORDO_API const ordo_scheduler *ordo_scheduler_default(void);
/* Registers a scheduler that is compiled out of tree. Operators with an instance that names it can then run under it.
 * Errors: ORDO_ERR_INTERNAL for a descriptor that lacks a part, has another interface, or has a name that is taken. */
ORDO_API ordo_status ordo_scheduler_register(const ordo_scheduler *scheduler);

ORDO_END_DECLS

#endif
