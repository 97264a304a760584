/* topology/cpu.h -- topology-driven execution on the CPU.
 *
 * Problem. Run without a worklist, without atomics and without contention, at the price of redundant work.
 *
 * Method (Nasre, Burtscher and Pingali 2013, sections 4 and 5.1). Rounds over all items until a round changes nothing.
 *
 * Why racy stores are correct for monotone, idempotent operators. A store of c to cell v is preceded, in the same
 * round, by a read of v that returned something worse than c. By induction over the stores of a round, every value that
 * v takes during a round is better than the one it had when the round began; rounds are separated by barriers. So
 * across rounds cells only get better, strictly where any store happened, though within a round a better value may be
 * overwritten by a worse one. Cells take values of finitely many paths, so some round stores nothing. In that round
 * every edge was offered on cells that did not change, and none improved its target: a fixed point, the same one as
 * with atomics. Stores and loads are relaxed atomics of the cell's width: no tearing, no data race in the language's
 * sense.
 *
 * Edges as items. A round goes over all ids of edges, in chunks that know nothing of rows: each edge reads the cell of
 * its tail and offers to its head. The tail of the first edge of a chunk is found by bisection, those of later ones by
 * going on from it, so no array of tails is read. The argument above is about reads and stores of cells alone, and
 * holds unchanged.
 *
 * Over several processes every rank goes over its own items in a round, and pushes alone. Ranks meet after each round
 * (<ordo/detail/cpu/remote.h>), and end when in none of them a cell has changed: nothing is sent then, and owners'
 * cells are as good as all ghosts, so the argument above holds for the whole graph.
 *
 * A template; expects ORDO_OP and <ordo/scheduler/cpu.h> instantiated for it.
 */
#include "tunables.h"

/* What profilers show carries the operator's name. */
#define topology_push_racy ORDO_OP_NAME(topology_push_racy)
#define topology_push_atomic ORDO_OP_NAME(topology_push_atomic)
#define topology_push_lock ORDO_OP_NAME(topology_push_lock)
#define topology_ranks_racy ORDO_OP_NAME(topology_ranks_racy)
#define topology_ranks_atomic ORDO_OP_NAME(topology_ranks_atomic)
#define topology_ranks_lock ORDO_OP_NAME(topology_ranks_lock)
#define topology_pull ORDO_OP_NAME(topology_pull)
#define topology_edges_racy ORDO_OP_NAME(topology_edges_racy)
#define topology_edges_atomic ORDO_OP_NAME(topology_edges_atomic)
#define topology_edges_lock ORDO_OP_NAME(topology_edges_lock)
#define topology_work_lock ORDO_OP_NAME(topology_work_lock)
#define topology_work_owner ORDO_OP_NAME(topology_work_owner)
#define topology_work_race ORDO_OP_NAME(topology_work_race)
#define topology_push_race ORDO_OP_NAME(topology_push_race)
#define topology_edges_race ORDO_OP_NAME(topology_edges_race)

/* What an item is, for functions that take it as a constant: a vertex that offers to the heads of its out-edges, one
 * that takes from its in-edges, an edge, or a vertex that offers as an item of one of several ranks. */
enum { TOPOLOGY_OFFERS = TOPOLOGY_PUSH, TOPOLOGY_TAKES = TOPOLOGY_PULL, TOPOLOGY_EDGE, TOPOLOGY_OFFERS_AMONG_RANKS };

/* Items that a member takes at once: as the constant says, and of few items fewer, so that members end about together.
 * An edge is less work than a vertex, and a chunk of edges begins with a bisection. */
ORDO_INLINE ordo_u64 topology_chunk(const ordo_job *job)
{
    const ordo_u64 parts = 16, least = 16, edges = 8;
    const ordo_u64 most = (ordo_u64)job->tunable[TOPOLOGY_CHUNK] * (job->item == ORDO_ITEMS_EDGES ? edges : 1);
    const ordo_u64 even = ordo_job_items(job) / parts / (ordo_u64)job->threads;
    return most < least || even >= most ? most : even > least ? even : least;
}

/* Takes a chunk of 0 .. count - 1 from a counter, upwards or downwards. */
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

typedef struct topology_run {
    ordo_job *job;
    /* One for even and one for odd rounds: one is used while member 0 resets the other. */
    ordo_u64 next[2];      /* first item that is not taken, counted from `first` */
    ordo_u64 changes[2];   /* number of members in which a cell changed */
    ordo_u64 first, items; /* of a round: items first .. first + items - 1, or edges */
#if ORDO_OP_KIND == ORDO_KIND_CRITICAL
    ordo_owners owners;
#endif
#if ORDO_OP_KIND == ORDO_KIND_CRITICAL || ORDO_OP_ORDER != ORDO_SUM
    op_race race;
#endif
} topology_run;

/* A run over all items; over several processes a range that has all that the rank owns. */
ORDO_INLINE topology_run topology_run_of(ordo_job *job)
{
    topology_run run = {.job = job, .items = ordo_job_items(job)};
    if (job->remote && !job->remote->part) {
        run.first = job->first_owned;
        run.items = job->owned;
    }
    return run;
}

/* The barrier between two rounds; it orders all accesses of one before those of the next. True while there is more to
 * do. */
ORDO_INLINE bool topology_end_round(topology_run *run, int index, ordo_u64 round, bool changed, ordo_counters *count)
{
    ordo_job *job = run->job;
    ordo_publish_counters(job, index, count);
    if (changed)
        __atomic_fetch_add(&run->changes[round & 1], 1, __ATOMIC_RELAXED);
    if (index == 0) {
        job->supersteps = round;
        __atomic_store_n(&run->next[(round + 1) & 1], 0, __ATOMIC_RELAXED); /* a probe may read it */
        ordo_job_poll(job, ordo_job_items(job));
        ordo_job_agree_stop(job, round);
    }
    ordo_member_barrier(job, index);
    bool more = __atomic_load_n(&run->changes[round & 1], __ATOMIC_RELAXED) != 0 && !ordo_job_stop_agreed(job, round);
    ordo_member_barrier(job, index); /* all members have read it */
    if (index == 0)
        __atomic_store_n(&run->changes[round & 1], 0, __ATOMIC_RELAXED);
    return more;
}

/* The trace shows as in flight the items of a round that no member has taken. The round is that of the last sample. */
static void topology_probe(const void *arg, ordo_probed *out)
{
    const topology_run *run = (const topology_run *)arg;
    const ordo_u64 taken = __atomic_load_n(&run->next[out->bucket & 1], __ATOMIC_RELAXED);
    out->in_flight = taken < run->items ? run->items - taken : 0;
}

/* Runs `work` on all members, with that probe. */
static void topology_run_team(topology_run *run, ordo_team_fn *work)
{
    ordo_job_probe(run->job, topology_probe, run);
    ordo_team_run(run->job->team, work, run);
    ordo_job_probe(run->job, NULL, NULL);
}

#if ORDO_OP_KIND == ORDO_KIND_RELAX

typedef struct topology_member {
    ordo_job *job;
    topology_run *run;
    int index;
    ordo_counters count;
} topology_member;

/* Activations are ignored: every item is processed in every round anyway. */
ORDO_INLINE void topology_ignore(void *arg, op_entry entry)
{
    (void)arg;
    (void)entry;
}

/* Those of other ranks' items are sent. Code for these is apart, since a call in the loop over edges takes registers
 * from it: 10 % more instructions. */
ORDO_INLINE void topology_activate(void *arg, op_entry entry)
{
    const topology_member *me = (const topology_member *)arg;
    (void)op_keep(me->job, me->index, entry);
}

/* Sync race: the sink of what is offered, and the end of a round; that returns how many cells have changed. */
ORDO_INLINE void topology_post(void *arg, op_entry offered)
{
#if ORDO_OP_ORDER != ORDO_SUM
    topology_member *me = (topology_member *)arg;
    op_race_post(&me->run->race, me->index, &offered);
#else
    (void)arg;
    (void)offered;
#endif
}
ORDO_INLINE ordo_u64 topology_resolve(topology_run *run, topology_member *me)
{
#if ORDO_OP_ORDER != ORDO_SUM
    const ordo_u64 won = op_race_serve(&run->race, me->index, &me->count, topology_ignore, NULL);
    ORDO_COUNT(me->count.useful += won);
    return won;
#else
    (void)run;
    (void)me;
    return 0;
#endif
}

/* Offers the candidates of an item to all its targets. */
ORDO_INLINE bool topology_push_item(topology_member *me, const ordo_rows *rows, ordo_item item, const ordo_sync sync,
                                    const int kind)
{
    const ordo_job *job = me->job;
    if (kind == TOPOLOGY_OFFERS_AMONG_RANKS && !op_owns(job, item))
        return false;
    op_entry entry = op_entry_now(job, item);
    if (op_idle(job, entry) || !op_filter((const op_state *)job->state, item) || !op_begin(job, &entry, sync))
        return false; /* it has nothing to propose yet */
    const ordo_eid begin = rows->row[item], end = rows->row[item + 1];
    op_cell *cells = (op_cell *)job->cells;
    /* several calls: where compilers optimise little they inline a sink only if it is named */
    ordo_u64 improved = 0, added = 0;
    if (op_grows)
        improved = sync == ORDO_SYNC_RACE ? op_expand_new(me->job, entry, &added, sync, topology_post, me)
                                          : op_expand_new(me->job, entry, &added, sync, topology_ignore, me);
    if (sync == ORDO_SYNC_RACE)
        op_expand_row(job, rows, cells, entry, begin, end, sync, topology_post, me);
    else
        improved += kind == TOPOLOGY_OFFERS_AMONG_RANKS
                        ? op_expand_row(job, rows, cells, entry, begin, end, sync, topology_activate, me)
                        : op_expand_row(job, rows, cells, entry, begin, end, sync, topology_ignore, me);
    ORDO_COUNT(me->count.items++);
    ORDO_COUNT(me->count.edges += added + rows->row[item + 1] - rows->row[item]);
    ORDO_COUNT(me->count.useful += improved);
    return improved > 0;
}

/* A vertex takes the best candidate of its in-edges. No other member writes its cell. The scheduler's check has refused
 * operators that cannot be pulled. */
#if ORDO_OP_ORDER == ORDO_SUM
ORDO_INLINE bool topology_pull_item(const ordo_job *job, const ordo_rows *in, ordo_item item, ordo_counters *count)
{
    (void)job;
    (void)in;
    (void)item;
    (void)count;
    return false;
}
#else
ORDO_INLINE bool topology_pull_item(const ordo_job *job, const ordo_rows *in, ordo_item item, ordo_counters *count)
{
    op_cell *cell = (op_cell *)job->cells + item;
    op_cell old = op_load(cell);
    op_cell best = op_gather(job, in, item, old, count);
    ORDO_COUNT(count->items++);
    if (!op_better(best, old))
        return false;
    op_store(cell, best);
    ORDO_COUNT(count->useful++);
    return true;
}
#endif

/* Offers the candidates of edges begin .. end - 1, each by itself. *tail: the tail of the last edge that was offered,
 * or of the first one. */
ORDO_INLINE bool topology_offer_edges(topology_member *me, const ordo_rows *rows, ordo_eid begin, ordo_eid end,
                                      bool down, ordo_vid *tail, const ordo_sync sync)
{
    const ordo_job *job = me->job;
    ordo_u64 offered = 0, improved = 0;
    ordo_vid u = *tail;
    for (ordo_eid k = begin; k < end; k++) {
        const ordo_eid e = down ? begin + (end - 1 - k) : k, ahead = down ? e - ORDO_AHEAD_HEAD : e + ORDO_AHEAD_HEAD;
        if (ahead - begin < end - begin) /* unsigned: not before the first one */
            __builtin_prefetch((op_cell *)job->cells + rows->head[ahead * rows->head_stride], 1);
        while (e < rows->row[u])
            u--;
        while (e >= rows->row[u + 1])
            u++;
        const op_entry entry = op_entry_now(job, u);
        if (op_idle(job, entry) || !op_filter((const op_state *)job->state, u))
            continue; /* it has nothing to propose yet */
        if (sync == ORDO_SYNC_RACE)
            op_expand_row(job, rows, (op_cell *)job->cells, entry, e, e + 1, sync, topology_post, me);
        else
            improved += op_expand_row(job, rows, (op_cell *)job->cells, entry, e, e + 1, sync, topology_ignore, NULL);
        offered++;
    }
    *tail = u;
    ORDO_COUNT(me->count.items += offered);
    ORDO_COUNT(me->count.edges += offered);
    ORDO_COUNT(me->count.useful += improved);
    return improved > 0;
}

/* Processes the vertices first .. last - 1. */
ORDO_INLINE bool topology_visit(topology_member *me, const ordo_rows *rows, ordo_u64 first, ordo_u64 last, bool down,
                                const ordo_sync sync, const int item)
{
    bool changed = false;
    for (ordo_u64 k = first; k < last; k++) {
        const ordo_item v = (ordo_item)(down ? first + (last - 1 - k) : k);
        changed |= item == TOPOLOGY_TAKES ? topology_pull_item(me->job, rows, v, &me->count)
                                          : topology_push_item(me, rows, v, sync, item);
    }
    return changed;
}

/* A chunk of a round; false where the run ends early. *changed is set where a cell has changed. */
ORDO_INLINE bool topology_process(topology_member *me, const ordo_rows *rows, ordo_u64 begin, ordo_u64 end, bool down,
                                  bool *changed, const ordo_sync sync, const int item)
{
    ordo_job *job = me->job;
    ordo_vid tail = item == TOPOLOGY_EDGE ? ordo_csr_tail(job->out, down ? end - 1 : begin) : 0;
    for (ordo_u64 i = begin, batch; i < end; i = batch) {
        batch = end - i < ORDO_POLL_BATCH ? end : i + ORDO_POLL_BATCH;
        const ordo_u64 first = down ? begin + end - batch : i, last = down ? begin + end - i : batch;
        const ordo_u64 edges = item == TOPOLOGY_EDGE ? 0 : rows->row[last] - rows->row[first];
        if (!ordo_go_on(job, &me->count, last - first + edges))
            return false;
        *changed |= item == TOPOLOGY_EDGE ? topology_offer_edges(me, rows, first, last, down, &tail, sync)
                                          : topology_visit(me, rows, first, last, down, sync, item);
    }
    return true;
}

/* The same, where vertices take several times as long as that changes any of the chunk. No other member has it, and no
 * barrier separates these passes from those of others: cells are read as they are. */
ORDO_INLINE bool topology_sweep(topology_member *me, const ordo_rows *rows, ordo_u64 begin, ordo_u64 end, bool down,
                                bool *changed, const ordo_sync sync, const int item)
{
    if (item != TOPOLOGY_TAKES)
        return topology_process(me, rows, begin, end, down, changed, sync, item);
    bool goes_on = true, here = true;
    for (int left = (int)me->job->tunable[TOPOLOGY_SWEEPS]; left > 0 && here && goes_on; left--) {
        here = false;
        goes_on = topology_process(me, rows, begin, end, down, &here, sync, item);
        *changed |= here;
    }
    return goes_on;
}

/* topology_end_round, over several processes after a meeting: every rank goes on while a cell has changed in one. */
ORDO_INLINE bool topology_end_of_ranks(topology_run *run, topology_member *me, ordo_u64 round, bool changed,
                                       const ordo_sync sync, const int item)
{
    if (item != TOPOLOGY_OFFERS_AMONG_RANKS)
        return topology_end_round(run, me->index, round, changed, &me->count);
    const ordo_agreed all = op_meet(run->job, me->index, changed, 0, sync, topology_activate, me);
    topology_end_round(run, me->index, round, changed, &me->count);
    return all.work && !all.ended;
}

ORDO_INLINE void topology_work(topology_run *run, int index, const ordo_sync sync, const int item)
{
    ordo_job *job = run->job;
    const ordo_rows rows = ordo_rows_of(item == TOPOLOGY_TAKES ? job->in : job->out, op_weight_type);
    const ordo_u64 chunk = topology_chunk(job), items = run->items;
    const bool alternate = job->tunable[TOPOLOGY_SWEEP] == 0;
    topology_member me = {.job = job, .run = run, .index = index};
    ordo_count_from(job, index, &me.count, NULL, 0, NULL);
    for (ordo_u64 round = 1;; round++) {
        const bool down = alternate && round % 2 == 0;
        bool changed = false;
        ordo_u64 begin, end;
        if (index == 0)
            ORDO_COUNT(ordo_job_sample(job, items, round, 0, 1, -1));
        double before = ORDO_CLOCK(job);
        while (!ordo_job_stopped(job) && ordo_topology_take(&run->next[round & 1], items, chunk, down, &begin, &end))
            if (!topology_sweep(&me, &rows, run->first + begin, run->first + end, down, &changed, sync, item))
                break;
        if (sync == ORDO_SYNC_RACE)
            changed = topology_resolve(run, &me) > 0;
        me.count.work_seconds += ORDO_CLOCK(job) - before;
        /* Without activation no candidate depends on a cell, so one round is the whole run; except that a racy round
         * may have lost an update. */
        changed = changed && (op_activates || sync == ORDO_SYNC_RACY);
        if (!topology_end_of_ranks(run, &me, round, changed, sync, item))
            break;
    }
    ordo_count_to(job, index, &me.count);
}

ORDO_NOINLINE void topology_push_racy(void *run, int index)
{
    topology_work((topology_run *)run, index, ORDO_SYNC_RACY, TOPOLOGY_OFFERS);
}
ORDO_NOINLINE void topology_push_atomic(void *run, int index)
{
    topology_work((topology_run *)run, index, ORDO_SYNC_ATOMIC, TOPOLOGY_OFFERS);
}
ORDO_NOINLINE void topology_push_lock(void *run, int index)
{
    topology_work((topology_run *)run, index, ORDO_SYNC_LOCK, TOPOLOGY_OFFERS);
}
ORDO_NOINLINE void topology_ranks_racy(void *run, int index)
{
    topology_work((topology_run *)run, index, ORDO_SYNC_RACY, TOPOLOGY_OFFERS_AMONG_RANKS);
}
ORDO_NOINLINE void topology_ranks_atomic(void *run, int index)
{
    topology_work((topology_run *)run, index, ORDO_SYNC_ATOMIC, TOPOLOGY_OFFERS_AMONG_RANKS);
}
ORDO_NOINLINE void topology_ranks_lock(void *run, int index)
{
    topology_work((topology_run *)run, index, ORDO_SYNC_LOCK, TOPOLOGY_OFFERS_AMONG_RANKS);
}
/* Each cell has one writer, so the sync makes no difference. */
ORDO_NOINLINE void topology_pull(void *run, int index)
{
    topology_work((topology_run *)run, index, ORDO_SYNC_RACY, TOPOLOGY_TAKES);
}
ORDO_NOINLINE void topology_edges_racy(void *run, int index)
{
    topology_work((topology_run *)run, index, ORDO_SYNC_RACY, TOPOLOGY_EDGE);
}
ORDO_NOINLINE void topology_edges_atomic(void *run, int index)
{
    topology_work((topology_run *)run, index, ORDO_SYNC_ATOMIC, TOPOLOGY_EDGE);
}
ORDO_NOINLINE void topology_edges_lock(void *run, int index)
{
    topology_work((topology_run *)run, index, ORDO_SYNC_LOCK, TOPOLOGY_EDGE);
}

#if ORDO_OP_ORDER != ORDO_SUM
ORDO_NOINLINE void topology_push_race(void *run, int index)
{
    topology_work((topology_run *)run, index, ORDO_SYNC_RACE, TOPOLOGY_OFFERS);
}
ORDO_NOINLINE void topology_edges_race(void *run, int index)
{
    topology_work((topology_run *)run, index, ORDO_SYNC_RACE, TOPOLOGY_EDGE);
}

/* A run under sync race. */
static ordo_status topology_run_race(topology_run *run)
{
    const bool edges = (int)op_items & ORDO_ITEMS_EDGES && run->job->item == ORDO_ITEMS_EDGES;
    const ordo_status status = op_race_make(run->job, &run->race);
    if (!status)
        topology_run_team(run, edges ? topology_edges_race : topology_push_race);
    op_race_free(&run->race);
    return status;
}
#endif

static ordo_status topology_run_here(ordo_job *job)
{
    topology_run run = topology_run_of(job);
    if (job->remote && (int)job->tunable[TOPOLOGY_DIRECTION] == TOPOLOGY_PULL)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'topology' with direction=pull does not run over ranks");
    if ((int)job->tunable[TOPOLOGY_DIRECTION] == TOPOLOGY_PULL) {
        ordo_status status = ordo_job_need_in(job);
        if (status)
            return status;
        topology_run_team(&run, topology_pull);
        return ORDO_OK;
    }
#if ORDO_OP_ORDER != ORDO_SUM
    if (ordo_job_sync(job) == ORDO_SYNC_RACE)
        return topology_run_race(&run);
#endif
    if ((int)op_items & ORDO_ITEMS_EDGES && job->item == ORDO_ITEMS_EDGES) {
        topology_run_team(&run, ordo_job_sync(job) == ORDO_SYNC_RACY     ? topology_edges_racy
                                : ordo_job_sync(job) == ORDO_SYNC_ATOMIC ? topology_edges_atomic
                                                                         : topology_edges_lock);
        return ORDO_OK;
    }
    if (job->remote) {
        topology_run_team(&run, ordo_job_sync(job) == ORDO_SYNC_RACY     ? topology_ranks_racy
                                : ordo_job_sync(job) == ORDO_SYNC_ATOMIC ? topology_ranks_atomic
                                                                         : topology_ranks_lock);
        return ORDO_OK;
    }
    topology_run_team(&run, ordo_job_sync(job) == ORDO_SYNC_RACY     ? topology_push_racy
                            : ordo_job_sync(job) == ORDO_SYNC_ATOMIC ? topology_push_atomic
                                                                     : topology_push_lock);
    return ORDO_OK;
}

static ordo_status topology_run_job(ordo_job *job)
{
    return op_run_among_ranks(job, topology_run_here);
}

#else /* critical */

/* Activations are ignored: every item is processed in every round anyway. */
ORDO_INLINE void topology_ignore(void *arg, op_entry activated)
{
    (void)arg;
    (void)activated;
}

/* Rounds over all items until a whole round makes no request. That happens because an idempotent operator makes no
 * request for an item whose work is done. */
ORDO_INLINE void topology_work(topology_run *run, int index, const ordo_sync sync)
{
    ordo_job *job = run->job;
    const op_state *state = (const op_state *)job->state;
    const ordo_u64 chunk = topology_chunk(job);
    ordo_counters count = {0};
    ordo_count_from(job, index, &count, NULL, 0, NULL);
    for (ordo_u64 round = 1;; round++) {
        ordo_u64 requests = 0, begin, end;
        if (index == 0)
            ORDO_COUNT(ordo_job_sample(job, job->num_items, round, 0, 1, -1));
        double before = ORDO_CLOCK(job);
        while (ordo_topology_take(&run->next[round & 1], job->num_items, chunk, false, &begin, &end))
            for (ordo_u64 i = begin; i < end && ordo_go_on(job, &count, op_requests); i++) {
                op_request request[op_requests];
                ordo_eid unit, end_unit = op_units(state, (ordo_item)i, &unit);
                if (op_expands)
                    ORDO_COUNT(count.items++);
                for (; unit < end_unit; unit++) {
                    ordo_u32 size = op_prepare_unit(state, (ordo_item)i, unit, request);
                    if (!op_expands)
                        ORDO_COUNT(count.items++);
                    requests += size;
                    for (ordo_u32 k = 0; k < size; k++) {
                        if (sync == ORDO_SYNC_LOCK || (op_hands_edges && request[k].targets == 0))
                            op_serve(job, &request[k], &count, topology_ignore, NULL);
                        else if (sync == ORDO_SYNC_RACE)
                            op_race_post(&run->race, index, &request[k]);
                        else
                            op_owners_post(&run->owners, index, &request[k]);
                    }
                }
            }
        ORDO_COUNT(count.edges += requests);
        if (sync == ORDO_SYNC_OWNER)
            op_owners_serve(&run->owners, index, &count, topology_ignore, NULL);
        if (sync == ORDO_SYNC_RACE)
            op_race_serve(&run->race, index, &count, topology_ignore, NULL);
        count.work_seconds += ORDO_CLOCK(job) - before;
        if (!topology_end_round(run, index, round, requests > 0, &count))
            break;
    }
    ordo_count_to(job, index, &count);
}

ORDO_NOINLINE void topology_work_lock(void *run, int index)
{
    topology_work((topology_run *)run, index, ORDO_SYNC_LOCK);
}
ORDO_NOINLINE void topology_work_owner(void *run, int index)
{
    topology_work((topology_run *)run, index, ORDO_SYNC_OWNER);
}
ORDO_NOINLINE void topology_work_race(void *run, int index)
{
    topology_work((topology_run *)run, index, ORDO_SYNC_RACE);
}

static ordo_status topology_run_job(ordo_job *job)
{
    topology_run run = topology_run_of(job);
    if (ordo_job_sync(job) == ORDO_SYNC_LOCK) {
        topology_run_team(&run, topology_work_lock);
        return ORDO_OK;
    }
    if (ordo_job_sync(job) == ORDO_SYNC_RACE) {
        const ordo_status raced = op_race_make(job, &run.race);
        if (!raced)
            topology_run_team(&run, topology_work_race);
        op_race_free(&run.race);
        return raced;
    }
    ordo_status status = ordo_owners_make(job, &run.owners);
    if (!status)
        topology_run_team(&run, topology_work_owner);
    ordo_owners_free(&run.owners);
    return status;
}

#endif

ORDO_CPU_INSTANCE(topology, topology_run_job)
