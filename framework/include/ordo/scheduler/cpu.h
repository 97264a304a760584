/* cpu.h -- the building blocks of a scheduler's cpu.h: processing entries of an operator on the CPU, under every sync.
 *
 * Problem. All schedulers need the same steps: process entries, apply candidates under a sync, run critical sections.
 * These must be inlined into the schedulers' loops.
 *
 * Method. A template by inclusion. A translation unit defines ORDO_OP, the operator's name, includes the operator's
 * file, then this header once, then cpu.h of one or several schedulers. Generated units and
 * <ordo/operator/instantiate.h> do so. To the names that the operator's file derives (op_cell, op_better, ...; see
 * <ordo/operator/relax.h> and <ordo/operator/critical.h>) it adds
 *   op_entry            a worklist entry, {value, item}. Relax: the value that the item's cell had when the entry was
 *                       made. Critical: the priority that the item was activated with
 *   op_sink             the type of a sink: a function that receives activated entries
 *   op_expand           processes a batch of entries and passes what they activate to a sink. Relax: skips stale
 *                       entries, goes through rows, applies candidates. Critical: prepares requests and runs their
 *                       critical sections under locks
 *   op_drain            a member's work in a superstep
 *   op_drain_share      the same of one share
 *   op_expand_short, op_drain_short   the same, but entries with long rows are put off
 *   op_chain            processes what the member itself activates, hop after hop
 *   op_append           appends an entry to a bin
 *   op_initial          the i-th initial item
 *   op_entry_now        an entry for an item with its present value
 *   op_stale            whether an entry can be skipped
 *   op_entry_priority, op_bucket   the priority of an entry; the number of its bucket
 * for relax operators also
 *   op_offer            applies one candidate under a sync
 *   op_gather           pulls: the best candidate of a vertex's in-edges
 *   op_drain_rows       a member's work on rows that were put off, of which all members take pieces
 *   op_owns, op_keep, op_meet, op_run_among_ranks   runs over several processes (<ordo/detail/cpu/remote.h>)
 * and for critical operators
 *   op_serve            runs one request's critical section under locks
 *   op_owners_serve     runs posted requests by owners (<ordo/detail/cpu/owner.h>)
 * for both
 *   op_race_serve       resolves posted candidates or requests by race and resolve (<ordo/detail/cpu/race.h>)
 * For gather operators it adds op_gather_job, a run in rounds, double-buffered or in place; a scheduler that offers
 * rounds has them in a file of its own, gather.h. Where ORDO_OP_BY_RESIDUAL is 1 it also adds the names of the first
 * list, by <ordo/detail/cpu/residual.h>: so a scheduler's cpu.h runs them as it does relax operators. The argument
 * about memory order is at the top of <ordo/detail/cpu/relax.h>.
 *
 * Ending early. A member calls ordo_go_on() at least once in ORDO_POLL_BATCH items, and passes the number of items and
 * edges that it has processed since the last call. The function reads the clock once in ORDO_POLL_WORK of them, so
 * every member notices the time limit or a cancellation within milliseconds, however long a superstep is. It then drops
 * the entries that it holds: the run has failed.
 *
 * Rules of the hot path. For an edge or an item, neither this header nor a scheduler's cpu.h calls through a pointer,
 * allocates, locks (except under ORDO_SYNC_LOCK) or reads a clock. Sinks are forced inline and known at compile time.
 * The build fails if an indirect call is left in an object (tests/source/hot_objects.py).
 */
#include <ordo/scheduler/bucket.h>
#include <ordo/scheduler/share.h>

#ifndef ORDO_OP
#error "cpu.h expects ORDO_OP, the name of the operator whose file was included before"
#endif
#ifndef ORDO_OP_KIND
#error "cpu.h expects an operator file to be included before it"
#endif
/* If the compiler reports an undeclared name here, ORDO_OP was not defined before the operator's file was included, or
 * is not the operator's name. */
enum { op_is_included = ORDO_JOIN(ordo_operator_is_, ORDO_OP) };

/* Ends a scheduler's cpu.h: defines the instance that the generated tables name. `_run` is ordo_instance.run. */
#if ORDO_OP_KIND == ORDO_KIND_GATHER
#define ORDO_CPU_INSTANCE(_scheduler, _run)                                                                            \
    static ordo_status ORDO_JOIN(_scheduler, _by_residual)(ordo_job * job)                                             \
    {                                                                                                                  \
        return op_residual_job(job, _run);                                                                             \
    }                                                                                                                  \
    ORDO_CPU_INSTANCE_OF(_scheduler, ORDO_JOIN(_scheduler, _by_residual))
#else
#define ORDO_CPU_INSTANCE(_scheduler, _run) ORDO_CPU_INSTANCE_OF(_scheduler, _run)
#endif
/* The same, of a function that runs a gather operator by itself. */
#define ORDO_CPU_INSTANCE_OF(_scheduler, _run)                                                                         \
    extern const ordo_instance ORDO_JOIN3(ORDO_OP, _on_cpu_under_, _scheduler);                                        \
    const ordo_instance ORDO_JOIN3(ORDO_OP, _on_cpu_under_, _scheduler) = {#_scheduler, _run, op_cpu_syncs,            \
                                                                           ORDO_ON_CPU};

#if ORDO_OP_KIND == ORDO_KIND_RELAX
#include <ordo/detail/cpu/relax.h>
#if ORDO_OP_ORDER != ORDO_SUM
#include <ordo/detail/cpu/race.h>
#endif
#elif ORDO_OP_KIND == ORDO_KIND_GATHER
enum { op_cpu_syncs = 0 }; /* all */
#include <ordo/detail/cpu/gather.h>
#if ORDO_OP_BY_RESIDUAL
#include <ordo/detail/cpu/residual.h>
#endif
#else
enum { op_cpu_syncs = 0 };
#include <ordo/detail/cpu/critical.h>
#include <ordo/detail/cpu/owner.h>
#include <ordo/detail/cpu/race.h>
#endif

#if ORDO_OP_KIND != ORDO_KIND_GATHER || ORDO_OP_BY_RESIDUAL

/* As op_expand; entries with long rows are appended to `later` instead, where that is not NULL. */
ORDO_INLINE void op_expand_short(ordo_job *job, const ordo_rows *r, const op_entry *entries, ordo_u64 size,
                                 ordo_counters *count, ordo_bin *later, const ordo_sync sync, op_sink push, void *arg)
{
    bool go_on = true;
    for (ordo_u64 i = 0; i < size && go_on; i += ORDO_POLL_BATCH) {
        const ordo_u64 known = size - i, batch = known < ORDO_POLL_BATCH ? known : (ordo_u64)ORDO_POLL_BATCH;
        const op_entry *first = entries + i;
        go_on = ordo_go_on(job, count,
                           later ? op_expand_batch(job, r, first, batch, known, count, later, sync, push, arg)
                                 : op_expand_batch(job, r, first, batch, known, count, NULL, sync, push, arg));
    }
}

/* Processes `size` entries in order, fewer if the run ends early. Prefetches in three stages, each when the stage
 * before it has arrived: the cell and row bounds of an entry, its edges, the cells of its first edges. An entry is
 * stale if its cell has become better meanwhile: the member that improved the cell has put a newer entry on the
 * worklist (for sums see op_stale). Counters are kept in registers until a batch ends. Improvements that activate are
 * not counted here: each makes an entry that is later processed or found stale, so their number is derived at the end
 * of the run (a counter in the innermost loop cost 1 to 2 % on road networks). */
ORDO_INLINE void op_expand(ordo_job *job, const ordo_rows *r, const op_entry *entries, ordo_u64 size,
                           ordo_counters *count, const ordo_sync sync, op_sink push, void *arg)
{
    op_expand_short(job, r, entries, size, count, NULL, sync, push, arg);
}

/* Waits for a share, and processes what is left of it. Returns false where the run must end early. */
ORDO_INLINE bool op_drain_share(ordo_job *job, ordo_share *share, ordo_u64 superstep, ordo_u64 chunk,
                                const ordo_rows *r, ordo_counters *count, ordo_bin *later, const ordo_sync sync,
                                op_sink push, void *arg)
{
    if (!ordo_share_wait(job, share, superstep))
        return false;
    ordo_u64 begin, end;
    while (!ordo_job_stopped(job) && ordo_share_take(share, chunk, &begin, &end))
        op_expand_short(job, r, (const op_entry *)share->data + begin, end - begin, count, later, sync, push, arg);
    return true;
}

/* As op_drain; entries with long rows are appended to `later` instead, where that is not NULL. */
ORDO_INLINE void op_drain_short(ordo_job *job, ordo_share *shares, int member, ordo_u64 superstep, ordo_u64 chunk,
                                const ordo_rows *r, ordo_counters *count, ordo_bin *later, const ordo_sync sync,
                                op_sink push, void *arg)
{
    for (int k = 0; k < job->threads; k++) {
        if (k == 1)
            ordo_set_state(job, member, ORDO_STEALING);
        if (!op_drain_share(job, &shares[(member + k) % job->threads], superstep, chunk, r, count, later, sync, push,
                            arg))
            return;
    }
}

/* A member's work in a superstep: first its own share, then what is left of the other members' shares. */
ORDO_INLINE void op_drain(ordo_job *job, ordo_share *shares, int member, ordo_u64 superstep, ordo_u64 chunk,
                          const ordo_rows *r, ordo_counters *count, const ordo_sync sync, op_sink push, void *arg)
{
    op_drain_short(job, shares, member, superstep, chunk, r, count, NULL, sync, push, arg);
}

/* Processes what the member has activated, hop after hop: entries of `current`, to which the sink appends, while there
 * are some and at most `chain`. It also ends where there are more than `patience` and half of the members wait, since
 * these would gain. `hop` is memory for a hop. */
ORDO_INLINE void op_chain(ordo_job *job, const ordo_rows *r, ordo_bin *current, ordo_bin *hop, ordo_u64 chain,
                          ordo_u64 patience, ordo_counters *count, ordo_bin *later, const ordo_sync sync, op_sink push,
                          void *arg)
{
    while (current->count && current->count <= chain && !ordo_job_stopped(job) &&
           (current->count <= patience || 2 * ordo_team_waiting(job->team) < job->threads)) {
        const ordo_bin swap = *hop;
        *hop = *current;
        *current = swap;
        count->put += hop->count;
        op_expand_short(job, r, (const op_entry *)hop->data, hop->count, count, later, sync, push, arg);
        hop->count = 0;
    }
}

/* The number of an entry's bucket. `base` is the priority at which bucket 0 begins, from op_base. It is not read where
 * priorities cannot be negative: there it is 0. */
ORDO_INLINE ordo_u64 op_bucket(const ordo_job *job, op_entry entry, double base, double per_delta)
{
    const double priority = op_entry_priority(job, entry);
    return ordo_bucket(op_priority_signed ? priority - base : priority, per_delta);
}

/* Appends an entry to a bin of the calling member. If memory is short, the run is stopped and the entry is lost. */
ORDO_INLINE void op_append(ordo_job *job, ordo_bin *bin, op_entry entry)
{
    if (__builtin_expect(bin->count == bin->capacity, 0) && !ordo_bin_grow(job, bin, sizeof(op_entry)))
        return; /* ordo_bin_grow has failed the run */
    ((op_entry *)bin->data)[bin->count++] = entry;
}

/* The i-th initial item, i < job->initial_count. */
ORDO_INLINE ordo_item op_initial(const ordo_job *job, ordo_u64 i)
{
    return job->initial ? job->initial[i] : (ordo_item)i;
}

/* The least priority of initial items begin .. end - 1; infinity if there are none. */
ORDO_INLINE double op_least_priority(ordo_job *job, ordo_u64 begin, ordo_u64 end, ordo_counters *count)
{
    double least = __builtin_huge_val();
    for (ordo_u64 i = begin; i < end && (i % ORDO_POLL_BATCH || ordo_go_on(job, count, ORDO_POLL_BATCH)); i++) {
        const double priority = op_entry_priority(job, op_entry_now(job, op_initial(job, i)));
        least = priority < least ? priority : least;
    }
    return least;
}

/* The priority at which bucket 0 begins: the least priority of an initial item if that is negative, else 0. All members
 * call it together, and each looks at a part of the initial items. `least` is an array of [threads]. */
ORDO_INLINE double op_base(ordo_job *job, int index, double *least, ordo_counters *count)
{
    double base = 0;
    if (!op_priority_signed)
        return 0;
    ordo_u64 begin, end;
    ordo_split(job->initial_count, job->threads, index, &begin, &end);
    least[index] = op_least_priority(job, begin, end, count);
    ordo_team_barrier(job->team);
    for (int t = 0; t < job->threads; t++)
        base = least[t] < base ? least[t] : base;
    return __builtin_isfinite(base) ? base : 0;
}

#if ORDO_OP_KIND == ORDO_KIND_RELAX
#include <ordo/detail/cpu/remote.h>
#else
/* Operators that do not run over several processes. */
enum { op_sums = 0 };
ORDO_INLINE bool op_owns(const ordo_job *job, ordo_item item)
{
    (void)job;
    (void)item;
    return true;
}
ORDO_INLINE bool op_keep(ordo_job *job, int member, op_entry entry)
{
    (void)job;
    (void)member;
    (void)entry;
    return true;
}
ORDO_INLINE ordo_agreed op_meet(ordo_job *job, int member, ordo_u64 work, ordo_u64 lowest, const ordo_sync sync,
                                op_sink push, void *arg)
{
    (void)job;
    (void)member;
    (void)sync;
    (void)push;
    (void)arg;
    const ordo_agreed mine = {work, 0, lowest, 0, 0};
    return mine;
}
ORDO_INLINE ordo_status op_run_among_ranks(ordo_job *job, ordo_status (*run)(ordo_job *))
{
    return run(job);
}
#endif

#endif
