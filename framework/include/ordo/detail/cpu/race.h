/* race.h -- race and resolve on the CPU: exclusive ownership without locks and without atomic read-modify-writes.
 *
 * Problem. Requests name targets that they must own while they change them, and requests of other members name the same
 * targets. What loses shall be tried again, not waited for.
 *
 * Method (Nasre, Burtscher and Pingali 2013, section 3.2, figures 3 and 4). Members keep what they request until the
 * end of a superstep; a pending request has a number, its key: the member and the place in its bin. Every target has a
 * word, its mark. A round has phases, separated by barriers:
 *   mark      each pending request stores its key in the marks of all its targets, by plain-width stores: of several
 *             stores one is the last
 *   outbid    AND form only (requests with two targets or more): a request whose targets have no mark that is greater
 *             than its key stores its key again where a smaller one is
 *   resolve   AND form: a request that finds its key in all marks owns all of its targets, and runs
 *             OR form: each target is requested by itself, and a request that finds its key in the mark owns it
 * A request of a single target is both, and needs no `outbid`. What has lost stays for the next round, with a new key.
 * Rounds end when nothing is pending. If a round has no winner at all, one pending request of the first member that has
 * any runs alone, while the others run none.
 *
 * A team of one member has no competitors, and runs what is pending in the order of posting.
 *
 * Relax operators take the OR form: an item requests its heads, each with a candidate, and gets some of them. The owner
 * of a target compares once more, and stores. A loser stays only while its candidate is better than the cell.
 *
 * Exclusion. Keys of pending requests differ. Marks do not change during `resolve`, since a barrier precedes it and
 * one follows it. So at most one request finds its key in a mark, and two that share a target do not both run.
 *
 * Marks are of this round. All pending requests mark before the barrier, so a mark that a request reads in `resolve`
 * was stored in this round; words need no first value and no clearing.
 *
 * Progress. With one target, the key that is in a mark is that of a pending request, which wins. With several, `outbid`
 * lets the greatest key of each conflict win, unless smaller ones that have read an older mark overwrite it; then a
 * round may have no winner, and one request runs alone. So each round removes a request.
 *
 * Visibility. What a winner writes is ordered before later winners of the target by the barriers between rounds. A
 * loser of a relax operator may read the cell while its owner stores, by relaxed accesses: it reads a value that the
 * cell has had, cells only improve, so a candidate that is not better than that value never will be.
 *
 * tests/models/race.pml is a model of it.
 *
 * Cost. A round has two barriers, in the AND form three. The most rounds are as many as requests that share a target,
 * where each loser is still better than what has won; sums, of which no addend may be dropped, are not offered.
 *
 * Compare owner.h: claims of requests of many targets there are atomic minima, so that the least key always wins.
 *
 * A template, included by <ordo/scheduler/cpu.h>; expects the names of relax.h or critical.h.
 */

enum { ORDO_RACE_SHIFT = 40, ORDO_RACE_LINE = 8 };

#if ORDO_OP_KIND == ORDO_KIND_RELAX
typedef op_entry op_pending; /* a candidate and its target */
#else
typedef op_request op_pending;
#endif

typedef struct op_race {
    ordo_job *job;
    ordo_bin *bin;  /* [threads] pending requests */
    ordo_u64 *mark; /* [targets] */
    ordo_u64 *vote; /* [2][threads * ORDO_RACE_LINE] after even and odd rounds: what a member has left, and has won */
} op_race;

/* On the thread that runs the job; to be freed by op_race_free, also after an error. */
static inline ordo_status op_race_make(ordo_job *job, op_race *race)
{
    const size_t threads = (size_t)job->threads;
    race->job = job;
    race->bin = (ordo_bin *)ordo_alloc_zero(threads, sizeof *race->bin);
    race->mark = (ordo_u64 *)ordo_alloc_zero(job->targets, sizeof *race->mark);
    race->vote = (ordo_u64 *)ordo_alloc_zero(2 * threads * ORDO_RACE_LINE, sizeof *race->vote);
    ordo_job_account(job, race->mark ? (long long)(job->targets * sizeof *race->mark) : 0);
    return race->bin && race->mark && race->vote ? ORDO_OK : ORDO_ERR_MEMORY;
}

static inline void op_race_free(op_race *race)
{
    for (int t = 0; race->bin && t < race->job->threads; t++)
        ordo_bin_free(race->job, &race->bin[t], sizeof(op_pending));
    ordo_free(race->bin);
    ordo_free(race->mark);
    ordo_free(race->vote);
}

/* Stores a key in the marks of a request. */
ORDO_INLINE void op_race_mark(const op_race *race, const op_pending *pending, ordo_u64 key)
{
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    __atomic_store_n(&race->mark[pending->item], key, __ATOMIC_RELAXED);
#else
    for (ordo_u32 k = 0; k < pending->targets; k++)
        __atomic_store_n(&race->mark[pending->target[k]], key, __ATOMIC_RELAXED);
#endif
}

/* Posts a request, and marks its targets for the first round. By `member` itself, before op_race_serve. If memory is
 * short, the run is stopped. */
ORDO_INLINE void op_race_post(op_race *race, int member, const op_pending *request)
{
    ordo_bin *bin = &race->bin[member];
    if (__builtin_expect(bin->count == bin->capacity, 0) && !ordo_bin_grow(race->job, bin, sizeof *request))
        return;
    op_race_mark(race, request, (ordo_u64)member << ORDO_RACE_SHIFT | bin->count);
    ((op_pending *)bin->data)[bin->count++] = *request;
}

#if ORDO_OP_KIND == ORDO_KIND_RELAX

enum { op_race_outbids = 0 };
ORDO_INLINE void op_race_outbid(const op_race *race, const op_pending *pending, ordo_u64 key)
{
    (void)race;
    (void)pending;
    (void)key;
}

/* OR: stores the candidate if the member owns the target. True if the request is pending no more. *won is set if it
 * has changed anything. */
ORDO_INLINE bool op_race_resolve(const op_race *race, const op_pending *pending, ordo_u64 key, bool alone,
                                 ordo_counters *count, op_sink push, void *arg, ordo_u64 *won)
{
    op_cell *cell = (op_cell *)race->job->cells + pending->item;
    (void)count;
    if (!op_better(pending->value, op_load(cell)))
        return true;
    if (!alone && __atomic_load_n(&race->mark[pending->item], __ATOMIC_RELAXED) != key)
        return false;
    op_store(cell, pending->value);
    (*won)++;
    if (op_activates)
        push(arg, *pending);
    return true;
}

#else

enum { op_race_outbids = (int)op_targets > 1 };

ORDO_INLINE void op_race_outbid(const op_race *race, const op_pending *pending, ordo_u64 key)
{
    for (ordo_u32 k = 0; k < pending->targets; k++)
        if (__atomic_load_n(&race->mark[pending->target[k]], __ATOMIC_RELAXED) > key)
            return;
    for (ordo_u32 k = 0; k < pending->targets; k++)
        if (__atomic_load_n(&race->mark[pending->target[k]], __ATOMIC_RELAXED) < key)
            __atomic_store_n(&race->mark[pending->target[k]], key, __ATOMIC_RELAXED);
}

/* AND: runs the critical section if the member owns all targets. */
ORDO_INLINE bool op_race_resolve(const op_race *race, const op_pending *pending, ordo_u64 key, bool alone,
                                 ordo_counters *count, op_sink push, void *arg, ordo_u64 *won)
{
    for (ordo_u32 k = 0; k < pending->targets && !alone; k++)
        if (__atomic_load_n(&race->mark[pending->target[k]], __ATOMIC_RELAXED) != key)
            return false;
    ordo_activation activated[op_activations + 1];
    const ordo_u32 activations = op_run_commit(race->job, pending, activated, count);
    op_push_activated(activated, activations, push, arg);
    count->activations += activations;
    (*won)++;
    return true;
}

#endif

/* A team of one: resolves all in the order of posting. */
ORDO_INLINE ordo_u64 op_race_alone(op_race *race, ordo_counters *count, op_sink push, void *arg)
{
    ordo_u64 won = 0;
    for (ordo_u64 i = 0; i < race->bin->count; i++) {
        if (i % ORDO_POLL_BATCH == 0 && !ordo_go_on(race->job, count, i ? ORDO_POLL_BATCH : 1))
            break;
        op_race_resolve(race, (const op_pending *)race->bin->data + i, 0, true, count, push, arg, &won);
    }
    race->bin->count = 0;
    return won;
}

/* By all members together: resolves all that was posted since the last call, and passes what is activated to the sink.
 * Begins with a barrier; behind the last one nothing is written but by sinks. Returns the number of the member's
 * requests that have run. If the run ends early, the remaining requests are dropped, but every member still takes part
 * in every barrier. */
ORDO_INLINE ordo_u64 op_race_serve(op_race *race, int member, ordo_counters *count, op_sink push, void *arg)
{
    ordo_job *job = race->job;
    ordo_bin *bin = &race->bin[member];
    op_pending *pending = (op_pending *)bin->data;
    const ordo_u64 base = (ordo_u64)member << ORDO_RACE_SHIFT;
    ordo_u64 all = 0;
    if (job->threads == 1)
        return op_race_alone(race, count, push, arg);
    for (ordo_u64 round = 0;; round++) {
        ordo_u64 *const vote = race->vote + (round & 1) * (ordo_u64)job->threads * ORDO_RACE_LINE;
        ordo_u64 lost = 0, won = 0, left = 0, winners = 0;
        ordo_member_barrier(job, member);
        if (op_race_outbids) {
            for (ordo_u64 i = 0; i < bin->count; i++)
                op_race_outbid(race, &pending[i], base | i);
            ordo_member_barrier(job, member);
        }
        for (ordo_u64 i = 0; i < bin->count; i++) {
            if (i % ORDO_POLL_BATCH == 0 && !ordo_go_on(job, count, i ? ORDO_POLL_BATCH : 1))
                break;
            if (!op_race_resolve(race, &pending[i], base | i, false, count, push, arg, &won))
                pending[lost++] = pending[i];
        }
        bin->count = ordo_job_stopped(job) ? 0 : lost;
        all += won;
        vote[member * ORDO_RACE_LINE] = bin->count;
        vote[member * ORDO_RACE_LINE + 1] = won;
        ordo_member_barrier(job, member);
        int first = job->threads; /* the first member that has one left */
        for (int t = job->threads - 1; t >= 0; t--) {
            left += vote[t * ORDO_RACE_LINE];
            winners += vote[t * ORDO_RACE_LINE + 1];
            first = vote[t * ORDO_RACE_LINE] ? t : first;
        }
        if (!left)
            return all;
        if (!winners && first == member) { /* alone: the others only mark */
            op_race_resolve(race, &pending[--bin->count], 0, true, count, push, arg, &won);
            all++;
        }
        for (ordo_u64 i = 0; i < bin->count; i++)
            op_race_mark(race, &pending[i], base | i);
    }
}
