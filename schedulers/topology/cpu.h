/* topology/cpu.h -- topology-driven execution on the CPU.
 *
 * Problem: no worklist, no atomics, no contention; work efficiency is given up for it.
 * Method (Nasre, Burtscher and Pingali 2013, sections 4 and 5.1): rounds over all items until a round changes nothing.
 *
 * Why racy stores are right for monotone, idempotent operators. A store of c to cell v is preceded, in the same round,
 * by a read of v that returned something worse than c. By induction over the stores of a round, every value that v
 * takes during a round is better than the one it had when the round began; rounds are separated by barriers. So across
 * rounds cells only get better, strictly where any store happened, though within a round a better value may be lost
 * under a worse one. Cells take values of finitely many paths, so some round stores nothing. In that round every edge
 * was offered on cells that did not change, and none improved its target: a fixed point, the same one as with atomics.
 * Stores and loads are relaxed atomics of the cell's width: no tearing, no data race in the language's sense.
 *
 * A template; expects ORDO_OP and <ordo/cpu.h> instantiated for it.
 */
#include "tunables.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _topology_, _part)

#ifndef ORDO_TOPOLOGY_ONCE
#define ORDO_TOPOLOGY_ONCE
/* Takes chunks of 0 .. count-1 off a counter, upwards or downwards. */
ORDO_INLINE bool ordo_topology_take(ordo_u64 *next, ordo_u64 count, ordo_u64 chunk, bool down, ordo_u64 *begin,
                                    ordo_u64 *end)
{
    ordo_u64 first = __atomic_fetch_add(next, chunk, __ATOMIC_RELAXED);
    if (first >= count)
        return false;
    ordo_u64 last = count - first < chunk ? count : first + chunk;
    *begin = down ? count - last : first;
    *end = down ? count - first : last;
    return true;
}
enum { ORDO_TOPOLOGY_PUSH = 0, ORDO_TOPOLOGY_PULL = 1 };
#endif

typedef struct MY(run) {
    ordo_job *job;
    /* Each for even and odd rounds: one is used while member 0 resets the other. */
    ordo_u64 next[2];    /* first item not taken */
    ordo_u64 changes[2]; /* members in which something changed */
#if ORDO_OP_KIND == ORDO_KIND_CRITICAL
    ordo_owners owners;
#endif
} MY(run);

/* Everything that a round needs from the round before it is behind its barrier. True while there is more to do. */
ORDO_INLINE bool MY(end_round)(MY(run) * run, int index, ordo_u64 round, bool changed, ordo_counters *count)
{
    ordo_job *job = run->job;
    ordo_publish_counters(job, index, count);
    if (changed)
        __atomic_fetch_add(&run->changes[round & 1], 1, __ATOMIC_RELAXED);
    if (index == 0) {
        job->supersteps = round;
        run->next[(round + 1) & 1] = 0;
        ordo_job_poll(job, job->universe);
        ordo_job_settle(job, round);
    }
    ordo_team_barrier(job->team);
    bool more = __atomic_load_n(&run->changes[round & 1], __ATOMIC_RELAXED) != 0 && !ordo_job_settled(job, round);
    ordo_team_barrier(job->team); /* all have read it */
    if (index == 0)
        __atomic_store_n(&run->changes[round & 1], 0, __ATOMIC_RELAXED);
    return more;
}

#if ORDO_OP_KIND == ORDO_KIND_RELAX

/* Activations mean nothing here: every item is processed in every round anyway. */
ORDO_INLINE void MY(ignore)(void *arg, OP(entry) entry)
{
    (void)arg;
    (void)entry;
}

/* An item offers to all of its targets. */
ORDO_INLINE bool MY(push_item)(const ordo_job *job, const ordo_rows *rows, ordo_item item, ordo_counters *count,
                               const ordo_sync sync)
{
    OP(entry) entry = OP(entry_now)(job, item);
    if (OP(idle)(job, entry) || !OP(filter)((const OP(state) *)job->state, item) || !OP(begin)(job, &entry, sync))
        return false; /* nothing to propose yet */
    ordo_u64 improved = OP(expand_row)(job, rows, (OP(cell) *)job->cells, entry, rows->row[item], rows->row[item + 1],
                                       sync, MY(ignore), NULL);
    ORDO_COUNT(count->items++);
    ORDO_COUNT(count->edges += rows->row[item + 1] - rows->row[item]);
    ORDO_COUNT(count->useful += improved);
    return improved > 0;
}

/* A vertex takes the best that its in-edges propose. Nobody else writes its cell. Not for sums, which are pushed. */
#if ORDO_OP_ORDER == ORDO_SUM
ORDO_INLINE bool MY(pull_item)(const ordo_job *job, const ordo_rows *in, ordo_item item, ordo_counters *count)
{
    (void)job;
    (void)in;
    (void)item;
    (void)count;
    return false;
}
#else
ORDO_INLINE bool MY(pull_item)(const ordo_job *job, const ordo_rows *in, ordo_item item, ordo_counters *count)
{
    OP(cell) *cell = (OP(cell) *)job->cells + item;
    OP(cell) old = OP(load)(cell);
    OP(cell) best = OP(gather)(job, in, item, old, count);
    ORDO_COUNT(count->items++);
    if (!OP(better)(best, old))
        return false;
    __atomic_store(cell, &best, __ATOMIC_RELAXED);
    ORDO_COUNT(count->useful++);
    return true;
}
#endif

ORDO_INLINE void MY(work)(MY(run) * run, int index, const ordo_sync sync, const int direction)
{
    ordo_job *job = run->job;
    const ordo_rows rows = ordo_rows_of(direction == ORDO_TOPOLOGY_PULL ? job->in : job->out, OP(weight_type));
    const ordo_u64 chunk = (ordo_u64)job->tunable[TOPOLOGY_CHUNK];
    const bool alternate = job->tunable[TOPOLOGY_SWEEP] == 0;
    ordo_counters count = {0};
    for (ordo_u64 round = 1;; round++) {
        const bool down = alternate && round % 2 == 0;
        bool changed = false;
        ordo_u64 begin, end;
        if (index == 0)
            ORDO_COUNT(ordo_job_sample(job, job->universe, round, 0, 1, -1));
        double before = ORDO_CLOCK(job);
        while (ordo_topology_take(&run->next[round & 1], job->universe, chunk, down, &begin, &end))
            for (ordo_u64 i = begin; i < end; i++) {
                ordo_item item = (ordo_item)(down ? begin + end - 1 - i : i);
                if (direction == ORDO_TOPOLOGY_PULL)
                    changed |= MY(pull_item)(job, &rows, item, &count);
                else
                    changed |= MY(push_item)(job, &rows, item, &count, sync);
            }
        count.work_seconds += ORDO_CLOCK(job) - before;
        /* Without activation cells feed nothing: one round is the whole run. A racy one may have lost an update. */
        changed = changed && (OP(activates) || sync == ORDO_SYNC_RACY);
        if (!MY(end_round)(run, index, round, changed, &count))
            break;
    }
}

ORDO_NOINLINE void MY(push_racy)(void *run, int index)
{
    MY(work)((MY(run) *)run, index, ORDO_SYNC_RACY, ORDO_TOPOLOGY_PUSH);
}
ORDO_NOINLINE void MY(push_atomic)(void *run, int index)
{
    MY(work)((MY(run) *)run, index, ORDO_SYNC_ATOMIC, ORDO_TOPOLOGY_PUSH);
}
ORDO_NOINLINE void MY(push_lock)(void *run, int index)
{
    MY(work)((MY(run) *)run, index, ORDO_SYNC_LOCK, ORDO_TOPOLOGY_PUSH);
}
/* One writer a cell: the sync makes no difference. */
ORDO_NOINLINE void MY(pull)(void *run, int index)
{
    MY(work)((MY(run) *)run, index, ORDO_SYNC_RACY, ORDO_TOPOLOGY_PULL);
}

static ordo_status MY(run_job)(ordo_job *job)
{
    MY(run) run = {.job = job};
    if ((int)job->tunable[TOPOLOGY_DIRECTION] == ORDO_TOPOLOGY_PULL) {
        if ((int)OP(order) == ORDO_SUM)
            return ordo_fail(ORDO_ERR_UNSOUND,
                             "scheduler 'topology' with direction=pull needs an operator whose cells keep the better "
                             "value; those of '%s' sum",
                             job->op->name);
        if (!OP(activates))
            return ordo_fail(ORDO_ERR_UNSOUND,
                             "scheduler 'topology' with direction=pull needs an operator whose targets "
                             "are the heads of its edges; '%s' has others",
                             job->op->name);
        ordo_status status = ordo_job_need_in(job);
        if (status)
            return status;
        ordo_team_run(job->team, MY(pull), &run);
        return ORDO_OK;
    }
    ordo_team_run(job->team,
                  job->sync == ORDO_SYNC_RACY     ? MY(push_racy)
                  : job->sync == ORDO_SYNC_ATOMIC ? MY(push_atomic)
                                                  : MY(push_lock),
                  &run);
    return ORDO_OK;
}

#else /* critical */

/* Activations mean nothing here: every item is visited in every round anyway. */
ORDO_INLINE void MY(ignore)(void *arg, OP(entry) activated)
{
    (void)arg;
    (void)activated;
}

/* Rounds over all items until a whole round makes no request. Progress is the operator's: an idempotent one stops
 * asking when an item's work is done. */
ORDO_INLINE void MY(work)(MY(run) * run, int index, const ordo_sync sync)
{
    ordo_job *job = run->job;
    const OP(state) *state = (const OP(state) *)job->state;
    const ordo_u64 chunk = (ordo_u64)job->tunable[TOPOLOGY_CHUNK];
    ordo_counters count = {0};
    for (ordo_u64 round = 1;; round++) {
        ordo_u64 requests = 0, begin, end;
        if (index == 0)
            ORDO_COUNT(ordo_job_sample(job, job->universe, round, 0, 1, -1));
        double before = ORDO_CLOCK(job);
        while (ordo_topology_take(&run->next[round & 1], job->universe, chunk, false, &begin, &end))
            for (ordo_u64 i = begin; i < end; i++) {
                ordo_request request[OP(requests)];
                ordo_u32 size = OP(visit)(state, (ordo_item)i, request);
                ORDO_COUNT(count.items++);
                requests += size;
                for (ordo_u32 k = 0; k < size; k++) {
                    if (sync == ORDO_SYNC_LOCK)
                        OP(serve)(job, &request[k], &count, MY(ignore), NULL);
                    else
                        ordo_owners_post(&run->owners, index, &request[k]);
                }
            }
        ORDO_COUNT(count.edges += requests);
        if (sync == ORDO_SYNC_OWNER)
            OP(owners_serve)(&run->owners, index, &count, MY(ignore), NULL);
        count.work_seconds += ORDO_CLOCK(job) - before;
        if (!MY(end_round)(run, index, round, requests > 0, &count))
            break;
    }
}

ORDO_WORK_UNDER(lock, LOCK)
ORDO_WORK_UNDER(owner, OWNER)

static ordo_status MY(run_job)(ordo_job *job)
{
    MY(run) run = {.job = job};
    if (job->sync == ORDO_SYNC_LOCK) {
        ordo_team_run(job->team, MY(work_lock), &run);
        return ORDO_OK;
    }
    ordo_status status = ordo_owners_make(job, &run.owners);
    if (!status)
        ordo_team_run(job->team, MY(work_owner), &run);
    ordo_owners_free(&run.owners);
    return status;
}

#endif

ORDO_CPU_INSTANCE(topology, MY(run_job))
#undef MY
