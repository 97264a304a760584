/* near_far/cpu.h -- Near-Far on the CPU.
 *
 * Problem. Gain most of what an order of priorities brings, with two piles and no priority queue.
 *
 * Method (Davidson et al. 2014). See README.md. Every member has its own near and far bins and pushes only there; a
 * superstep opens the near bins to all members. When no member has a near item, all move the threshold to the next
 * multiple of delta above the least far priority, and every member splits its own far bin.
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

/* What profilers show carries the operator's name. */
#define near_far_work_atomic ORDO_OP_NAME(near_far_work_atomic)
#define near_far_work_lock ORDO_OP_NAME(near_far_work_lock)

/* A member's vote, on a separate cache line. There are two: one is read while the other is written. */
typedef struct ordo_near_far_vote {
    struct {
        ordo_u64 near_items, far_items;
        ordo_u64 far_lowest; /* number of a bucket of width delta */
    } of[2];
    ordo_u64 padding[2];
} ordo_near_far_vote;

typedef struct near_far_run {
    ordo_job *job;
    ordo_share *shares;        /* [threads] */
    ordo_near_far_vote *votes; /* [threads] */
    double *least;             /* [threads] of op_base */
    double per_delta;
} near_far_run;

typedef struct near_far_member {
    ordo_job *job;
    int index;
    ordo_bin near, far;
    ordo_u64 threshold;  /* buckets below it are near */
    ordo_u64 far_lowest; /* least bucket in far */
    ordo_u64 sent;       /* over several processes: the lowest bucket of what waits for other ranks */
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
} near_far_piles;

/* Votes, waits for all members and adds up the votes. */
ORDO_INLINE near_far_piles near_far_vote(near_far_run *run, const near_far_member *me, ordo_u64 step,
                                         ordo_u64 in_flight)
{
    ordo_job *job = run->job;
    ordo_near_far_vote *mine = &run->votes[me->index];
    near_far_piles all = {0, 0, ~(ordo_u64)0};
    ordo_publish_counters(job, me->index, &me->count);
    mine->of[step & 1].near_items = me->near.count;
    mine->of[step & 1].far_items = me->far.count;
    mine->of[step & 1].far_lowest = me->far_lowest;
    if (me->index == 0) {
        ordo_job_poll(job, in_flight);
        ordo_job_agree_stop(job, step);
    }
    ordo_member_barrier(job, me->index);
    for (int t = 0; t < job->threads; t++) {
        all.near_items += run->votes[t].of[step & 1].near_items;
        all.far_items += run->votes[t].of[step & 1].far_items;
        if (run->votes[t].of[step & 1].far_lowest < all.far_lowest)
            all.far_lowest = run->votes[t].of[step & 1].far_lowest;
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

ORDO_INLINE void near_far_work(near_far_run *run, int index, const ordo_sync sync)
{
    ordo_job *job = run->job;
    const ordo_rows rows = ordo_rows_of(job->out, op_weight_type);
    const ordo_u64 chunk = (ordo_u64)job->tunable[NEAR_FAR_CHUNK], none = ~(ordo_u64)0;
    near_far_member me = {
        .job = job, .index = index, .threshold = 1, .far_lowest = none, .sent = none, .per_delta = run->per_delta};

    ordo_count_from(job, index, &me.count, &me.near, 1, &me.far);
    me.base = op_base(job, index, run->least, &me.count);
    near_far_put_initial(&me);

    ordo_bin shared = {0}; /* open to other members until the next barrier */
    for (ordo_u64 step = 1, superstep = 0;; step++) {
        const ordo_agreed ranks = job->remote ? near_far_meet(&me, sync) : (ordo_agreed){0};
        const near_far_piles all = near_far_vote(run, &me, step, shared.count);
        const ordo_u64 lowest = job->remote ? ranks.lowest : all.far_lowest;
        const bool near = job->remote ? ranks.lowest < me.threshold : all.near_items > 0;
        const bool over = job->remote ? !ranks.work || ranks.ended : all.near_items + all.far_items == 0;
        if (over || ordo_job_stop_agreed(job, step))
            break;
        if (!near) {
            me.threshold = lowest + 1;
            near_far_split(&me);
            continue;
        }
        superstep++;
        if (index == 0) {
            job->supersteps = superstep;
            ORDO_COUNT(ordo_job_sample(job, all.near_items, me.threshold - 1, 1 / run->per_delta, 1, -1));
        }
        shared.count = 0;
        ordo_bin swap = shared;
        shared = me.near;
        me.near = swap;
        me.count.put += shared.count;
        ordo_share_open(&run->shares[index], &shared, superstep);
        double before = ORDO_CLOCK(job);
        op_drain(job, run->shares, index, superstep, chunk, &rows, &me.count, sync, near_far_push, &me);
        me.count.work_seconds += ORDO_CLOCK(job) - before;
    }
    ordo_bin_free(job, &me.near, sizeof(op_entry));
    ordo_bin_free(job, &me.far, sizeof(op_entry));
    ordo_bin_free(job, &shared, sizeof(op_entry));
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
    double own = op_delta((double)job->out->n, (double)job->out->m);
    double delta = ordo_job_delta(job, job->tunable[NEAR_FAR_DELTA], own, job->tunable[NEAR_FAR_FACTOR]);
    job->delta_first = job->delta_last = delta;
    near_far_run run = {.job = job,
                        .shares = (ordo_share *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_share)),
                        .votes =
                            (ordo_near_far_vote *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_near_far_vote)),
                        .least = (double *)ordo_alloc((size_t)job->threads, sizeof(double)),
                        .per_delta = 1 / delta};
    ordo_status status = run.shares && run.votes && run.least ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        ordo_team_run(job->team, ordo_job_sync(job) == ORDO_SYNC_LOCK ? near_far_work_lock : near_far_work_atomic,
                      &run);
    ordo_free(run.shares);
    ordo_free(run.votes);
    ordo_free(run.least);
    return status;
}

static ordo_status near_far_run_job(ordo_job *job)
{
    return op_run_among_ranks(job, near_far_run_here);
}

ORDO_CPU_INSTANCE(near_far, near_far_run_job)
