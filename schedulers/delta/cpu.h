/* delta/cpu.h -- delta-stepping on the CPU.
 *
 * Problem: process items in about the order of their priority, so that few are processed twice, without a shared queue.
 * Method (Meyer and Sanders 2003, as thread-local bins): bucket b holds priorities in [b delta, (b+1) delta). Every
 * member has its own bucket arrays and pushes only there. Supersteps: all members agree on the lowest bucket that any
 * of them has, open their arrays of that bucket to each other, and process them together. Activations of the current
 * bucket are chained: the member that made them processes them itself, hop after hop, until more than `chain` of them
 * wait, or more than `patience` while half of the members have nothing left to do; only then do they go through the
 * barrier (bucket fusion, Zhang et al. 2020; VGC in Dong et al. 2021).
 *
 * Where one member has all entries, and at most `alone` of them, it goes on by itself, from bucket to bucket, until
 * more wait or none: on a path, or in a part of a graph that is like one, a barrier for every bucket would cost more
 * than the work. The others wait at the next barrier. All members decide that from the same votes.
 *
 * A member has `buckets` arrays used in a circle, and one array for all that lies farther ahead; when the current
 * bucket reaches the least of that, its entries are dealt into the circle. So any delta is possible, and memory follows
 * what is on the worklist. A mask tells the non-empty arrays.
 *
 * A member that has nothing left in a superstep votes, and while it waits for the others it processes entries of its
 * own that are in the next bucket, a few at a time. Where one is late, the others lose little, and some items are
 * processed once more, as in wider buckets.
 *
 * Rows of many edges are put off to a superstep of their own, in which all members take pieces of them.
 *
 * Over several processes every rank runs these supersteps on its own items. Ranks meet before each one
 * (<ordo/detail/cpu/remote.h>) and agree on the lowest bucket of all. A member goes on alone where its rank has all
 * entries, until it has something to send: the others have nothing to do meanwhile, and a meeting for each bucket would
 * cost most on a road network, where paths are in one rank's part for long.
 *
 * Ends when all members have voted that all of their arrays are empty. Exact: votes are only compared across a barrier,
 * and such a member has none until the next superstep, since only a member itself puts entries into its arrays, while
 * it processes others. The vote of one that has entries may be out of date when it is read: the bucket may be empty
 * since, and then the superstep does nothing, and the entries may be more than it says, which delta_go_alone counts
 * again. tests/models/ahead.pml is a model of it.
 *
 * Does not: adapt delta while it runs (see adds).
 *
 * A template; expects ORDO_OP and <ordo/scheduler/cpu.h> instantiated for it.
 */
#include "tunables.h"

/* What profilers show carries the operator's name. */
#define delta_work_atomic ORDO_OP_NAME(delta_work_atomic)
#define delta_work_lock ORDO_OP_NAME(delta_work_lock)

/* A member's lowest bucket, its entries in all buckets and the long rows that it has put off, on a separate cache line.
 * There are two of each, for even and odd supersteps: one is read while the other is written. */
typedef struct ordo_delta_vote {
    ordo_u64 lowest[2], entries[2], rows[2];
    ordo_u64 padding[2];
} ordo_delta_vote;

#define ORDO_DELTA_NONE (~(ordo_u64)0)

/* Shared by the members. */
typedef struct delta_run {
    ordo_job *job;
    ordo_share *shares;     /* [threads] */
    ordo_delta_vote *votes; /* [threads] */
    double *least;          /* [threads] of op_base */
    double per_delta;
} delta_run;

/* State of a member. */
typedef struct delta_member {
    ordo_job *job;
    int index;
    ordo_bin *bins; /* [buckets] */
    ordo_bin far;   /* at least `buckets` ahead of the current bucket when it was put there */
    ordo_bin later; /* entries with long rows, which all members share in a superstep of their own */
    ordo_u64 far_lowest;
    ordo_u64 mask;    /* bit b mod buckets: bins[b mod buckets] is not empty */
    ordo_u64 current; /* bucket */
    ordo_u64 sent;    /* over several processes: the lowest bucket of what waits for other ranks */
    ordo_u64 buckets; /* a power of two */
    ordo_u64 ahead;   /* how many buckets behind the current one it takes entries from while it waits */
    double base, per_delta;
    ordo_counters count;
} delta_member;

ORDO_INLINE void delta_put(delta_member *me, ordo_u64 bucket, op_entry entry)
{
    if (bucket < me->current)
        bucket = me->current; /* entries below the current bucket are processed with it */
    if (bucket - me->current < me->buckets) {
        ordo_u64 slot = bucket & (me->buckets - 1);
        me->mask |= (ordo_u64)1 << slot;
        op_append(me->job, &me->bins[slot], entry);
    } else {
        if (bucket < me->far_lowest)
            me->far_lowest = bucket;
        op_append(me->job, &me->far, entry);
    }
}

ORDO_INLINE void delta_push(void *arg, op_entry entry)
{
    delta_member *me = (delta_member *)arg;
    const ordo_u64 bucket = op_bucket(me->job, entry, me->base, me->per_delta);
    if (op_keep(me->job, me->index, entry))
        delta_put(me, bucket, entry);
    else if (op_sums) /* the owner's cell has more than what is sent, and so another bucket */
        me->sent = me->current;
    else if (bucket < me->sent)
        me->sent = bucket;
}

/* The lowest bucket with an entry, ORDO_DELTA_NONE if there is none. */
static ordo_u64 delta_lowest(const delta_member *me)
{
    if (me->mask) {
        ordo_u64 shift = me->current & (me->buckets - 1);
        ordo_u64 all = me->buckets == 64 ? ~(ordo_u64)0 : ((ordo_u64)1 << me->buckets) - 1;
        ordo_u64 rotated = shift ? (me->mask >> shift | me->mask << (me->buckets - shift)) & all : me->mask;
        ordo_u64 in_circle = me->current + (ordo_u64)__builtin_ctzll(rotated);
        return in_circle < me->far_lowest ? in_circle : me->far_lowest;
    }
    return me->far_lowest;
}

static ordo_u64 delta_entries(const delta_member *me)
{
    ordo_u64 entries = me->far.count;
    for (ordo_u64 left = me->mask; left; left &= left - 1)
        entries += me->bins[__builtin_ctzll(left)].count;
    return entries;
}

/* Distributes the far array over the circle around the new current bucket. All entries in the circle are in that bucket
 * or later ones. */
static void delta_deal_far(delta_member *me)
{
    ordo_bin old = me->far;
    const ordo_u64 stale = me->count.stale;
    me->far = (ordo_bin){0};
    me->far_lowest = ORDO_DELTA_NONE;
    for (ordo_u64 i = 0; i < old.count; i++) {
        if (i % ORDO_POLL_BATCH == 0 && !ordo_go_on(me->job, &me->count, ORDO_POLL_BATCH))
            break;
        op_entry entry = ((op_entry *)old.data)[i];
        if (op_stale(me->job, entry))
            ORDO_COUNT(me->count.stale++);
        else
            delta_put(me, op_bucket(me->job, entry, me->base, me->per_delta), entry);
    }
    me->count.put += me->count.stale - stale; /* dropped */
    ordo_bin_free(me->job, &old, sizeof(op_entry));
}

/* Puts the member's part of the initial items into its arrays. */
ORDO_INLINE void delta_put_initial(delta_member *me, int index)
{
    ordo_job *job = me->job;
    ordo_u64 begin, end;
    ordo_split(job->initial_count, job->threads, index, &begin, &end);
    for (ordo_u64 i = begin; i < end && (i % ORDO_POLL_BATCH || ordo_go_on(job, &me->count, ORDO_POLL_BATCH)); i++) {
        op_entry entry = op_entry_now(job, op_initial(job, i));
        if (op_owns(job, entry.item))
            delta_put(me, op_bucket(job, entry, me->base, me->per_delta), entry);
    }
}

/* The lowest bucket that any member has voted for, after the barrier. */
ORDO_INLINE ordo_u64 delta_lowest_vote(const delta_run *run, ordo_u64 superstep)
{
    ordo_u64 lowest = ORDO_DELTA_NONE;
    for (int t = 0; t < run->job->threads; t++)
        if (run->votes[t].lowest[superstep & 1] < lowest)
            lowest = run->votes[t].lowest[superstep & 1];
    return lowest;
}

/* The member that has all entries, if they are at most `most`; else -1. Of the votes after the barrier. Over several
 * processes `all` is the work of all ranks before they met, of which entries may have been dropped since, and none have
 * come: if this rank has as many entries, the others have none. */
ORDO_INLINE int delta_find_alone(const delta_run *run, ordo_u64 superstep, ordo_u64 most, ordo_u64 all)
{
    int alone = -1;
    ordo_u64 entries = 0;
    for (int t = 0; run->job->remote && t < run->job->threads; t++)
        entries += run->votes[t].entries[superstep & 1];
    if (run->job->remote && entries != all)
        return -1;
    for (int t = 0; t < run->job->threads; t++) {
        if (run->votes[t].lowest[superstep & 1] == ORDO_DELTA_NONE)
            continue;
        if (alone >= 0 || run->votes[t].entries[superstep & 1] > most)
            return -1;
        alone = t;
    }
    return alone;
}

ORDO_INLINE void delta_swap(ordo_bin *a, ordo_bin *b)
{
    ordo_bin swap = *a;
    *a = *b;
    *b = swap;
}

/* By member 0: counts the superstep, and samples what all have opened for it. Behind its share of the work, since it
 * waits until all have opened theirs, and all would wait for it at the barrier. */
ORDO_INLINE void delta_sample(delta_run *run, ordo_u64 superstep, ordo_u64 lowest)
{
    ordo_job *job = run->job;
    ordo_u64 in_flight = 0;
    for (int t = 0; t < job->threads; t++)
        if (ordo_share_wait(job, &run->shares[t], superstep))
            in_flight += run->shares[t].count;
    job->supersteps = superstep;
    ORDO_COUNT(ordo_job_sample(job, in_flight, lowest, 1 / run->per_delta, 1, -1));
}

/* The bin to which the member puts off long rows. NULL where rows are not shared: in a team of one, on a graph without
 * long rows, and for critical operators, which have no rows. */
ORDO_INLINE ordo_bin *delta_later(delta_member *me)
{
    return ORDO_OP_KIND == ORDO_KIND_RELAX && me->job->long_rows ? &me->later : NULL;
}

/* Processes what the member has activated of the current bucket, hop after hop, while that is not empty and at most
 * `chain` entries; `alone`: the others have none, and wait in any case. */
ORDO_INLINE void delta_chain(delta_member *me, ordo_bin *current, ordo_bin *hop, ordo_u64 chain, bool alone,
                             const ordo_rows *rows, const ordo_sync sync)
{
    const ordo_u64 patience = alone ? ORDO_DELTA_NONE : (ordo_u64)me->job->tunable[DELTA_PATIENCE];
    op_chain(me->job, rows, current, hop, chain, patience, &me->count, delta_later(me), sync, delta_push, me);
}

/* Over several processes a member that is alone meets the other ranks after so many buckets at the latest, since these
 * learn of a cancelled run by meeting. */
enum { DELTA_TURNS = 256 };

/* Processes the member's buckets in order, while they have at most `most` entries in all, and no long row waits; over
 * several processes also while there is nothing to send. */
ORDO_INLINE void delta_go_alone(delta_member *me, ordo_bin *hop, ordo_u64 most, const ordo_rows *rows,
                                const ordo_sync sync)
{
    int turns = 0;
    while (delta_lowest(me) != ORDO_DELTA_NONE && delta_entries(me) <= most && !me->later.count &&
           me->sent == ORDO_DELTA_NONE && turns < DELTA_TURNS && !ordo_job_stopped(me->job)) {
        me->current = delta_lowest(me);
        if (me->far_lowest <= me->current)
            delta_deal_far(me);
        const ordo_u64 slot = me->current & (me->buckets - 1);
        delta_chain(me, &me->bins[slot], hop, most, true, rows, sync);
        if (me->bins[slot].count)
            return; /* more than that, or the run is to stop */
        me->mask &= ~((ordo_u64)1 << slot);
        turns += me->job->remote != NULL;
    }
}

/* The most entries with which a member goes on by itself; 0: it does not. In a team of one there is no member to
 * share them with. */
ORDO_INLINE ordo_u64 delta_most_alone(const ordo_job *job)
{
    return job->threads > 1 ? (ordo_u64)job->tunable[DELTA_ALONE] : job->remote ? ORDO_DELTA_NONE : 0;
}

/* A superstep of which member `alone` does all. */
ORDO_INLINE void delta_step_alone(delta_run *run, delta_member *me, int index, int alone, ordo_u64 superstep,
                                  ordo_bin *hop, const ordo_sync sync)
{
    ordo_job *job = run->job;
    const ordo_rows rows = ordo_rows_of(job->out, op_weight_type);
    const ordo_delta_vote *vote = &run->votes[alone];
    double before = ORDO_CLOCK(job);
    if (index == 0) {
        job->supersteps = superstep;
        ORDO_COUNT(
            ordo_job_sample(job, vote->entries[superstep & 1], vote->lowest[superstep & 1], 1 / run->per_delta, 1, -1));
    }
    if (index == alone)
        delta_go_alone(me, hop, delta_most_alone(job), &rows, sync);
    me->count.work_seconds += ORDO_CLOCK(job) - before;
}

/* A superstep for the long rows that were put off. Returns false where there are none. */
ORDO_INLINE bool delta_share_rows(delta_run *run, delta_member *me, int index, ordo_u64 superstep,
                                  const ordo_rows *rows, const ordo_sync sync)
{
    ordo_job *job = run->job;
    ordo_u64 put_off = 0;
    for (int t = 0; t < job->threads; t++)
        put_off += run->votes[t].rows[superstep & 1];
    if (!put_off)
        return false;
    const double before = ORDO_CLOCK(job);
    if (index == 0) {
        job->supersteps = superstep;
        ORDO_COUNT(ordo_job_sample(job, put_off, me->current, 1 / run->per_delta, 1, -1));
    }
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    op_drain_rows(job, run->shares, index, superstep, rows, &me->later, &me->count, sync, delta_push, me);
#else
    (void)rows;
    (void)sync;
#endif
    me->later.count = 0; /* others may still read its entries, which stay until the next barrier */
    me->count.work_seconds += ORDO_CLOCK(job) - before;
    return true;
}

/* Opens the member's array of the bucket, into `shared`, whose own memory becomes the array: it is free since the
 * barrier. */
ORDO_INLINE void delta_open(delta_run *run, delta_member *me, int index, ordo_u64 superstep, ordo_u64 lowest,
                            ordo_bin *shared)
{
    me->current = lowest;
    if (me->far_lowest <= lowest)
        delta_deal_far(me);
    shared->count = 0;
    delta_swap(shared, &me->bins[lowest & (me->buckets - 1)]);
    me->count.put += shared->count;
    ordo_share_open(&run->shares[index], shared, superstep);
}

/* Over several processes: meets the other ranks; the lowest bucket of all is not below the member's current one, since
 * its entries of earlier buckets are in that. */
ORDO_INLINE ordo_agreed delta_meet(delta_member *me, const ordo_sync sync)
{
    const ordo_u64 lowest = delta_lowest(me);
    ordo_agreed all = op_meet(me->job, me->index, delta_entries(me) + me->later.count,
                              lowest < me->sent ? lowest : me->sent, sync, delta_push, me);
    me->sent = ORDO_DELTA_NONE;
    if (all.lowest < me->current)
        all.lowest = me->current;
    return all;
}

/* How many entries the member takes at once: where nothing follows from them in the same bucket, many. */
ORDO_INLINE ordo_u64 delta_piece(const delta_run *run, int index, ordo_u64 superstep)
{
    const ordo_u64 most = (ordo_u64)run->job->tunable[DELTA_CHUNK];
    return ordo_bucket_is_level(run->job) ? most : ordo_share_piece(&run->shares[index], superstep, most);
}

static void delta_free(delta_member *me, ordo_bin *shared, ordo_bin *hop)
{
    for (ordo_u64 b = 0; b < me->buckets; b++)
        ordo_bin_free(me->job, &me->bins[b], sizeof(op_entry));
    ordo_bin_free(me->job, &me->far, sizeof(op_entry));
    ordo_bin_free(me->job, &me->later, sizeof(op_entry));
    ordo_bin_free(me->job, shared, sizeof(op_entry));
    ordo_bin_free(me->job, hop, sizeof(op_entry));
}

/* How many buckets behind the current one members take entries from while they wait. None where these would be
 * processed too early at a price: a level's entries are final when it comes, sums grow until then, long rows would have
 * others wait, and what goes to other ranks is sent before members vote. */
ORDO_INLINE ordo_u64 delta_ahead(const ordo_job *job)
{
    const bool may = ORDO_OP_KIND == ORDO_KIND_RELAX && !op_sums && !ordo_bucket_is_level(job);
    return may && job->threads > 1 && !job->long_rows && !job->remote ? (ordo_u64)job->tunable[DELTA_RUN_AHEAD] : 0;
}

enum { DELTA_AHEAD_PIECE = 16 }; /* so many entries at once: when the last member arrives, it waits for the others' */

/* By a member that has arrived at `barrier`: processes its own entries of the current bucket and the next ones until
 * all have arrived. Only this member reads its arrays until it opens one in the next superstep. Hop after hop: those
 * that an array has now, and only then those that are appended meanwhile. The last ones first would be a depth-first
 * search, whose paths are long. */
ORDO_INLINE void delta_run_ahead(delta_member *me, ordo_u32 barrier, const ordo_rows *rows, const ordo_sync sync)
{
    const double before = ORDO_CLOCK(me->job);
    ordo_u64 bucket = ORDO_DELTA_NONE, left = 0; /* entries of the bucket that are left of this hop: its first ones */
    while (me->mask && !ordo_team_passed(me->job->team, barrier) && !ordo_job_stopped(me->job)) {
        const ordo_u64 lowest = delta_lowest(me);
        if (lowest > me->current + me->ahead || lowest == me->far_lowest)
            break; /* too early; or in the far array, which is distributed when a bucket opens */
        ordo_bin *bin = &me->bins[lowest & (me->buckets - 1)];
        if (bucket != lowest || !left)
            left = bin->count;
        bucket = lowest;
        op_entry piece[DELTA_AHEAD_PIECE], *entry = (op_entry *)bin->data;
        const ordo_u64 size = left < DELTA_AHEAD_PIECE ? left : (ordo_u64)DELTA_AHEAD_PIECE;
        for (ordo_u64 i = 0; i < size; i++) { /* the array's last entry takes the place of one that is taken */
            piece[i] = entry[--left];
            entry[left] = entry[--bin->count];
        }
        if (!bin->count)
            me->mask &= ~((ordo_u64)1 << (lowest & (me->buckets - 1)));
        me->count.put += size;
        op_expand_short(me->job, rows, piece, size, &me->count, NULL, sync, delta_push, me);
    }
    me->count.work_seconds += ORDO_CLOCK(me->job) - before;
}

/* Waits for all members, and runs ahead meanwhile where that is allowed. */
ORDO_INLINE void delta_wait(delta_member *me, const ordo_rows *rows, const ordo_sync sync)
{
    const ordo_u32 barrier = ordo_team_arrive(me->job->team);
    if (me->ahead)
        delta_run_ahead(me, barrier, rows, sync);
    ordo_set_state(me->job, me->index, ORDO_AT_BARRIER);
    ordo_team_await(me->job->team, barrier);
    ordo_set_state(me->job, me->index, ORDO_BUSY);
}

/* Votes. What the member has since then is less, or follows from what it has voted for; see the top of the file. */
ORDO_INLINE void delta_vote(delta_run *run, const delta_member *me, ordo_u64 superstep, ordo_u64 in_flight)
{
    ordo_delta_vote *vote = &run->votes[me->index];
    ordo_publish_counters(run->job, me->index, &me->count);
    vote->lowest[superstep & 1] = delta_lowest(me);
    vote->entries[superstep & 1] = delta_entries(me);
    vote->rows[superstep & 1] = me->later.count;
    if (me->index == 0) {
        ordo_job_poll(run->job, in_flight);
        ordo_job_agree_stop(run->job, superstep);
    }
}

ORDO_INLINE void delta_work(delta_run *run, int index, const ordo_sync sync)
{
    ordo_job *job = run->job;
    const ordo_rows rows = ordo_rows_of(job->out, op_weight_type);
    const ordo_u64 most_alone = delta_most_alone(job);
    const ordo_u64 chain = job->threads == 1 ? ORDO_DELTA_NONE : (ordo_u64)job->tunable[DELTA_CHAIN];
    ordo_bin bins[64] = {{0}};
    delta_member me = {.job = job,
                       .index = index,
                       .bins = bins,
                       .far_lowest = ORDO_DELTA_NONE,
                       .sent = ORDO_DELTA_NONE,
                       .buckets = (ordo_u64)1 << (63 - __builtin_clzll((ordo_u64)job->tunable[DELTA_BUCKETS])),
                       .ahead = delta_ahead(job),
                       .per_delta = run->per_delta};

    ordo_count_from(job, index, &me.count, bins, (ordo_u32)me.buckets, &me.far);
    me.base = op_base(job, index, run->least, &me.count);
    delta_put_initial(&me, index);

    ordo_bin shared = {0}, hop = {0}; /* open to other members; processed by this member only */
    for (ordo_u64 superstep = 1;; superstep++) {
        const ordo_agreed all = job->remote ? delta_meet(&me, sync) : (ordo_agreed){0};
        delta_vote(run, &me, superstep, shared.count);
        delta_wait(&me, &rows, sync);
        const ordo_u64 lowest = job->remote ? all.lowest : delta_lowest_vote(run, superstep);
        if (ordo_job_stop_agreed(job, superstep))
            break;
        if (delta_share_rows(run, &me, index, superstep, &rows, sync)) {
            shared.count = 0; /* processed in the superstep before */
            continue;
        }
        if (lowest == ORDO_DELTA_NONE && !all.work)
            break;
        if (lowest == ORDO_DELTA_NONE) { /* another rank has long rows */
            shared.count = 0;
            continue;
        }

        const int alone = delta_find_alone(run, superstep, most_alone, all.work);
        if (alone >= 0) {
            shared.count = 0; /* processed in the superstep before */
            delta_step_alone(run, &me, index, alone, superstep, &hop, sync);
            continue;
        }
        delta_open(run, &me, index, superstep, lowest, &shared);
        const ordo_u64 slot = lowest & (me.buckets - 1);
        double before = ORDO_CLOCK(job);
        op_drain_short(job, run->shares, index, superstep, delta_piece(run, index, superstep), &rows, &me.count,
                       delta_later(&me), sync, delta_push, &me);
        ordo_set_state(job, index, ORDO_BUSY); /* no longer stealing */
        if (index == 0)
            delta_sample(run, superstep, lowest);
        delta_chain(&me, &me.bins[slot], &hop, chain, job->threads == 1, &rows, sync);
        if (!me.bins[slot].count)
            me.mask &= ~((ordo_u64)1 << slot);
        me.count.work_seconds += ORDO_CLOCK(job) - before;
    }

    delta_free(&me, &shared, &hop);
    ordo_count_to(job, index, &me.count);
}

ORDO_NOINLINE void delta_work_atomic(void *run, int index)
{
    delta_work((delta_run *)run, index, ORDO_SYNC_ATOMIC);
}
ORDO_NOINLINE void delta_work_lock(void *run, int index)
{
    delta_work((delta_run *)run, index, ORDO_SYNC_LOCK);
}

static ordo_status delta_run_here(ordo_job *job)
{
    double factor = ordo_bucket_factor(job, job->tunable[DELTA_FACTOR]);
    double own = ordo_bucket_levels(job, op_delta((double)job->out->n, (double)job->out->m));
    double delta = ordo_job_delta(job, job->tunable[DELTA_DELTA], own, factor);
    job->delta_first = job->delta_last = delta;
    delta_run run = {.job = job,
                     .shares = (ordo_share *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_share)),
                     .votes = (ordo_delta_vote *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_delta_vote)),
                     .least = (double *)ordo_alloc((size_t)job->threads, sizeof(double)),
                     .per_delta = 1 / delta};
    ordo_status status = run.shares && run.votes && run.least ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        ordo_team_run(job->team, ordo_job_sync(job) == ORDO_SYNC_LOCK ? delta_work_lock : delta_work_atomic, &run);
    ordo_free(run.shares);
    ordo_free(run.votes);
    ordo_free(run.least);
    return status;
}

static ordo_status delta_run_job(ordo_job *job)
{
    return op_run_among_ranks(job, delta_run_here);
}

ORDO_CPU_INSTANCE(delta, delta_run_job)
