/* near_far/cpu.h -- Near-Far on the CPU.
 *
 * Problem. Gain most of what an order of priorities brings, with two piles and no priority queue.
 *
 * Method (Davidson et al. 2014). See README.md. Every member has its own near and far bins and pushes only there; a
 * superstep opens the near bins to all members. When no member has a near item, all move the threshold to the next
 * multiple of delta above the least far priority, and every member splits its own far bin, and opens what is near.
 *
 * A superstep has one barrier. Members open their bins before it, and votes say which are not empty, so members neither
 * wait for a bin nor look at an empty one. Only where the threshold has moved do they open bins behind it, when they
 * have split the far ones. Few activations are processed by the member that made them, hop after hop; and where one
 * member has all near items, and few, it goes on by itself, as under delta: on a path, or in a part of a graph that is
 * like one, a barrier for each hop would cost more than the work.
 *
 * Over several processes every rank has piles of its own items and the same threshold. Ranks meet before each superstep
 * (<ordo/detail/cpu/remote.h>) and agree on the lowest bucket of all, counting near entries as of the last bucket below
 * the threshold.
 *
 * Termination. Both piles of all members are empty, by votes taken after each member's last push and compared across a
 * barrier: exact.
 *
 * A template; expects ORDO_OP and <ordo/scheduler/cpu.h> instantiated for it.
 */
#include "tunables.h"

enum { NEAR_FAR_DENSE = 8 }; /* with so many edges a vertex, members keep no chains */

/* What profilers show carries the operator's name. */
#define near_far_work_atomic ORDO_OP_NAME(near_far_work_atomic)
#define near_far_work_lock ORDO_OP_NAME(near_far_work_lock)

/* A member's vote, on a separate cache line. There are two: one is read while the other is written. */
typedef struct ordo_near_far_vote {
    struct {
        ordo_u64 near_items, far_items;
        ordo_u64 far_lowest; /* number of a bucket of width delta */
        ordo_u64 threshold;  /* the member's; a member that has gone on by itself is ahead of the others */
    } of[2];
} ordo_near_far_vote;

typedef struct near_far_run {
    ordo_job *job;
    ordo_share *shares[2];     /* [threads], for even and odd steps: one is opened while the other is drained */
    ordo_near_far_vote *votes; /* [threads] */
    double *least;             /* [threads] of op_base */
    double per_delta;
} near_far_run;

typedef struct near_far_member {
    ordo_job *job;
    int index;
    ordo_bin near, far;
    ordo_bin shared, hop; /* open to other members until the next barrier; processed by this member only */
    ordo_u64 threshold;   /* buckets below it are near */
    ordo_u64 far_lowest;  /* least bucket in far */
    ordo_u64 sent;        /* over several processes: the lowest bucket of what waits for other ranks */
    double base, per_delta;
    ordo_counters count;
} near_far_member;

ORDO_INLINE ordo_u64 near_far_bucket(const near_far_member *me, op_entry entry)
{
    return op_bucket(me->job, entry, me->base, me->per_delta);
}

ORDO_INLINE void near_far_put(near_far_member *me, ordo_u64 bucket, op_entry entry)
{
    if (bucket < me->threshold) {
        op_append(me->job, &me->near, entry);
    } else {
        if (bucket < me->far_lowest)
            me->far_lowest = bucket;
        op_append(me->job, &me->far, entry);
    }
}

ORDO_INLINE void near_far_push(void *arg, op_entry entry)
{
    near_far_member *me = (near_far_member *)arg;
    const ordo_u64 bucket = near_far_bucket(me, entry);
    if (op_keep(me->job, me->index, entry))
        near_far_put(me, bucket, entry);
    else if (op_sums) /* the owner's cell has more than what is sent, and so another bucket, which may be near */
        me->sent = me->threshold - 1;
    else if (bucket < me->sent)
        me->sent = bucket;
}

/* Splits the far pile at the new threshold, and drops stale entries. In place: entries are read ahead of the place to
 * which those that stay are written. */
static void near_far_split(near_far_member *me)
{
    op_entry *entry = (op_entry *)me->far.data;
    const ordo_u64 size = me->far.count, stale = me->count.stale;
    me->far.count = 0;
    me->far_lowest = ~(ordo_u64)0;
    for (ordo_u64 i = 0; i < size && (i % ORDO_POLL_BATCH || ordo_go_on(me->job, &me->count, ORDO_POLL_BATCH)); i++)
        if (op_stale(me->job, entry[i]))
            ORDO_COUNT(me->count.stale++);
        else
            near_far_put(me, near_far_bucket(me, entry[i]), entry[i]);
    me->count.put += me->count.stale - stale; /* dropped */
}

/* What all members have, after the barrier. */
typedef struct near_far_piles {
    ordo_u64 near_items, far_items, far_lowest;
    ordo_u64 others_lowest; /* far_lowest of the members that have no near items */
    int near_members;       /* how many have some */
} near_far_piles;

/* Opens the near bin to all members for a step. */
ORDO_INLINE void near_far_open(near_far_run *run, near_far_member *me, ordo_u64 step)
{
    ordo_share_open(&run->shares[step & 1][me->index], &me->near, step);
}

/* After the barrier: the bin that is open, in place of the one of the superstep before, whose memory is free. */
ORDO_INLINE void near_far_take(near_far_member *me)
{
    me->shared.count = 0;
    const ordo_bin swap = me->shared;
    me->shared = me->near;
    me->near = swap;
    me->count.put += me->shared.count;
}

/* Opens the near bin if it is not empty, votes, waits for all members and adds up the votes. */
ORDO_INLINE near_far_piles near_far_vote(near_far_run *run, near_far_member *me, ordo_u64 step)
{
    ordo_job *job = run->job;
    ordo_near_far_vote *mine = &run->votes[me->index];
    near_far_piles all = {0, 0, ~(ordo_u64)0, ~(ordo_u64)0, 0};
    ordo_publish_counters(job, me->index, &me->count);
    mine->of[step & 1].near_items = me->near.count;
    mine->of[step & 1].far_items = me->far.count;
    mine->of[step & 1].far_lowest = me->far_lowest;
    mine->of[step & 1].threshold = me->threshold;
    if (me->near.count)
        near_far_open(run, me, step);
    if (me->index == 0) {
        ordo_job_poll(job, me->shared.count);
        ordo_job_agree_stop(job, step);
    }
    ordo_member_barrier(job, me->index);
    for (int t = 0; t < job->threads; t++) {
        const ordo_u64 near = run->votes[t].of[step & 1].near_items, far = run->votes[t].of[step & 1].far_lowest;
        const ordo_u64 threshold = run->votes[t].of[step & 1].threshold;
        all.near_items += near;
        all.near_members += near > 0;
        all.far_items += run->votes[t].of[step & 1].far_items;
        all.far_lowest = far < all.far_lowest ? far : all.far_lowest;
        all.others_lowest = !near && far < all.others_lowest ? far : all.others_lowest;
        me->threshold = threshold > me->threshold ? threshold : me->threshold;
    }
    return all;
}

/* Over several processes: meets the other ranks. The lowest bucket of all is below the threshold where a rank has near
 * entries, or has sent some. */
ORDO_INLINE ordo_agreed near_far_meet(near_far_member *me, const ordo_sync sync)
{
    const ordo_u64 lowest = me->near.count ? me->threshold - 1 : me->far_lowest;
    const ordo_agreed all = op_meet(me->job, me->index, me->near.count + me->far.count,
                                    lowest < me->sent ? lowest : me->sent, sync, near_far_push, me);
    me->sent = ~(ordo_u64)0;
    return all;
}

/* Puts the member's part of the initial items into its piles. */
ORDO_INLINE void near_far_put_initial(near_far_member *me)
{
    ordo_job *job = me->job;
    ordo_u64 begin, end;
    ordo_split(job->initial_count, job->threads, me->index, &begin, &end);
    for (ordo_u64 i = begin; i < end && (i % ORDO_POLL_BATCH || ordo_go_on(job, &me->count, ORDO_POLL_BATCH)); i++) {
        const op_entry entry = op_entry_now(job, op_initial(job, i));
        if (op_owns(job, entry.item))
            near_far_put(me, near_far_bucket(me, entry), entry);
    }
}

/* The member has all near items, and few: processes them, and goes on with its far items, while these come before
 * those of the others, and there are few. */
ORDO_INLINE void near_far_go_alone(near_far_member *me, ordo_u64 others_lowest, ordo_u64 most, const ordo_rows *rows,
                                   const ordo_sync sync)
{
    do {
        op_chain(me->job, rows, &me->near, &me->hop, most, ~(ordo_u64)0, &me->count, NULL, sync, near_far_push, me);
        if (me->near.count || me->far.count > most || me->far_lowest >= others_lowest || ordo_job_stopped(me->job))
            return;
        me->threshold = me->far_lowest + 1;
        near_far_split(me);
    } while (me->near.count || me->far.count);
}

/* Processes the near items of all members, and then the member's own activations while they are few. Only members
 * whose votes say that they have near items have opened a share; where the threshold has `moved`, all have. */
ORDO_INLINE void near_far_drain(near_far_run *run, near_far_member *me, ordo_u64 step, bool moved,
                                const ordo_rows *rows, const ordo_sync sync)
{
    ordo_job *job = run->job;
    const ordo_u64 most = (ordo_u64)job->tunable[NEAR_FAR_CHUNK];
    /* Where an item activates many others, supersteps are long, and what a chain runs ahead is done again. */
    const bool chains = job->threads > 1 && job->out->m < NEAR_FAR_DENSE * (ordo_u64)job->out->n;
    const ordo_u64 chain = chains ? (ordo_u64)job->tunable[NEAR_FAR_CHAIN] : 0;
    const ordo_u64 patience = (ordo_u64)job->tunable[NEAR_FAR_PATIENCE];
    const bool ahead = chain && !ordo_bucket_is_level(job); /* otherwise what is activated is not near */
    const ordo_u64 chunk = ahead ? ordo_share_piece(&run->shares[step & 1][me->index], step, most) : most;
    bool go_on = true;
    for (int k = 0; k < job->threads && go_on; k++) {
        const int of = (me->index + k) % job->threads;
        if (k == 1)
            ordo_set_state(job, me->index, ORDO_STEALING);
        if (moved || run->votes[of].of[step & 1].near_items)
            go_on = op_drain_share(job, &run->shares[step & 1][of], step, chunk, rows, &me->count, NULL, sync,
                                   near_far_push, me);
    }
    ordo_set_state(job, me->index, ORDO_BUSY); /* no longer stealing */
    op_chain(job, rows, &me->near, &me->hop, chain, patience, &me->count, NULL, sync, near_far_push, me);
}

/* By member 0: counts the superstep, and samples what all have opened for it. */
ORDO_INLINE void near_far_sample(near_far_run *run, near_far_member *me, ordo_u64 step, bool moved, ordo_u64 near_items)
{
    ordo_job *job = run->job;
    for (int t = 0; t < job->threads && moved; t++)
        if (ordo_share_wait(job, &run->shares[step & 1][t], step))
            near_items += run->shares[step & 1][t].count;
    job->supersteps++;
    ORDO_COUNT(ordo_job_sample(job, near_items, me->threshold - 1, 1 / run->per_delta, 1, -1));
}

ORDO_INLINE void near_far_work(near_far_run *run, int index, const ordo_sync sync)
{
    ordo_job *job = run->job;
    const ordo_rows rows = ordo_rows_of(job->out, op_weight_type);
    const ordo_u64 none = ~(ordo_u64)0;
    const ordo_u64 most = job->threads > 1 && !job->remote ? (ordo_u64)job->tunable[NEAR_FAR_ALONE] : 0;
    near_far_member me = {
        .job = job, .index = index, .threshold = 1, .far_lowest = none, .sent = none, .per_delta = run->per_delta};

    ordo_count_from(job, index, &me.count, &me.near, 1, &me.far);
    me.base = op_base(job, index, run->least, &me.count);
    near_far_put_initial(&me);

    for (ordo_u64 step = 1;; step++) {
        const ordo_agreed ranks = job->remote ? near_far_meet(&me, sync) : (ordo_agreed){0};
        const near_far_piles all = near_far_vote(run, &me, step);
        const ordo_u64 lowest = job->remote ? ranks.lowest : all.far_lowest;
        const bool near = job->remote ? ranks.lowest < me.threshold : all.near_items > 0;
        const bool over = job->remote ? !ranks.work || ranks.ended : all.near_items + all.far_items == 0;
        if (over || ordo_job_stop_agreed(job, step))
            break;
        const double before = ORDO_CLOCK(job);
        const bool alone = all.near_members == 1 && all.near_items <= most;
        if (!near) {
            me.threshold = lowest + 1;
            near_far_split(&me);
            near_far_open(run, &me, step);
        }
        if (index == 0)
            near_far_sample(run, &me, step, !near, all.near_items);
        if (!alone) {
            near_far_take(&me);
            near_far_drain(run, &me, step, !near, &rows, sync);
        } else if (me.near.count) {
            near_far_go_alone(&me, all.others_lowest, most, &rows, sync);
        }
        me.count.work_seconds += ORDO_CLOCK(job) - before;
    }
    ordo_bin_free(job, &me.near, sizeof(op_entry));
    ordo_bin_free(job, &me.far, sizeof(op_entry));
    ordo_bin_free(job, &me.shared, sizeof(op_entry));
    ordo_bin_free(job, &me.hop, sizeof(op_entry));
    ordo_count_to(job, index, &me.count);
}

ORDO_NOINLINE void near_far_work_atomic(void *run, int index)
{
    near_far_work((near_far_run *)run, index, ORDO_SYNC_ATOMIC);
}
ORDO_NOINLINE void near_far_work_lock(void *run, int index)
{
    near_far_work((near_far_run *)run, index, ORDO_SYNC_LOCK);
}

static ordo_status near_far_run_here(ordo_job *job)
{
    double own = ordo_bucket_levels(job, op_delta((double)job->out->n, (double)job->out->m));
    double delta = ordo_job_delta(job, job->tunable[NEAR_FAR_DELTA], own, job->tunable[NEAR_FAR_FACTOR]);
    job->delta_first = job->delta_last = delta;
    near_far_run run = {.job = job,
                        .shares = {(ordo_share *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_share)),
                                   (ordo_share *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_share))},
                        .votes =
                            (ordo_near_far_vote *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_near_far_vote)),
                        .least = (double *)ordo_alloc((size_t)job->threads, sizeof(double)),
                        .per_delta = 1 / delta};
    ordo_status status = run.shares[0] && run.shares[1] && run.votes && run.least ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        ordo_team_run(job->team, ordo_job_sync(job) == ORDO_SYNC_LOCK ? near_far_work_lock : near_far_work_atomic,
                      &run);
    ordo_free(run.shares[0]);
    ordo_free(run.shares[1]);
    ordo_free(run.votes);
    ordo_free(run.least);
    return status;
}

static ordo_status near_far_run_job(ordo_job *job)
{
    return op_run_among_ranks(job, near_far_run_here);
}

ORDO_CPU_INSTANCE(near_far, near_far_run_job)
