/* inbox/cpu.h -- asynchronous buckets on the CPU: every worker owns its items, and receives entries for them in its
 * inbox.
 *
 * Problem. Supersteps make threads wait for the slowest one, and shared buckets make them contend for the next item.
 *
 * Method. Each item, and the cache line of its cell, has one owner. Buckets are private to the owner, as plain arrays;
 * workers share only a ring for each owner. ring.h has the protocol, its memory orders, termination, and why no worker
 * waits for ever.
 *
 * An iteration of a worker: move the entries of its inbox into its buckets; show its lowest bucket to the others;
 * process a chunk of it, if it is within the window; publish what that activated. Entries 32 or more buckets ahead wait
 * in one more array, which is distributed over the buckets when those before it are empty. The 32 buckets begin at the
 * front, not at the worker's own lowest bucket: entries may arrive for a lower bucket than those that it holds, and
 * come before them.
 *
 * Passes bound the work in a bucket, however wide it is. A worker takes all entries that the bucket has, as a separate
 * array (the *pass*), and processes them in order, a chunk in each iteration; entries that are put into the bucket
 * meanwhile wait for the next pass. So a worker's passes over a bucket are rounds of the Bellman-Ford algorithm on its
 * own items: in a pass an item is expanded at most once, because of its entries there all but the one with the cell's
 * value are stale. Last in, first out would be depth-first, whose work can grow exponentially with the number of items
 * in a bucket.
 *
 * Does not: adapt delta while it runs (see adds).
 *
 * A template; expects ORDO_OP and <ordo/scheduler/cpu.h> instantiated for it.
 */
#include "tunables.h"

#include "ring.h"

/* What profilers show carries the operator's name. */
#define inbox_work_atomic ORDO_OP_NAME(inbox_work_atomic)
#define inbox_work_lock ORDO_OP_NAME(inbox_work_lock)

/* Shared by the workers. */
typedef struct inbox_run {
    ordo_job *job;
    inbox_ring *ring; /* [threads] */
    op_entry **slot;  /* [threads][size] */
    double *base;     /* [threads] least priority of a worker's initial items */
    ordo_u32 size;    /* a power of two */
    ordo_u32 group;   /* log2 of the items that have one owner */
    double per_delta;
    ordo_u64 padding0[8];
    ordo_u64 pending; /* these two: see ring.h */
    ordo_u64 padding1[7];
    ordo_u64 front;
    ordo_u64 padding2[7];
} inbox_run;

/* State of a worker. */
typedef struct inbox_member {
    inbox_run *run;
    ordo_job *job;
    ordo_u32 index, workers;
    double base;
    ordo_bin bin[INBOX_BUCKETS]; /* by bucket modulo 32 */
    ordo_bin far;                /* at least 32 ahead of `origin` when it was put there */
    ordo_bin pass;               /* of bucket pass_bucket: entries from pass_at on */
    ordo_u64 pass_at, pass_bucket;
    ordo_u64 ahead;     /* entries of passes that it has begun since it was first */
    ordo_u64 last_pass; /* the greatest number of a pass that it has seen */
    ordo_u32 mask;      /* bit b: bin[b] is not empty */
    ordo_u64 origin;    /* the front when it was last computed: bin[] holds buckets origin .. origin + 31 */
    ordo_u64 far_lowest;
    ordo_u64 shown;   /* the lowest of its buckets that others may have seen, in `lowest` or `arrived` of its ring */
    ordo_u64 made;    /* entries that it has activated, not counted in pending yet */
    ordo_u32 *held;   /* [workers] number of entries in each buffer */
    op_entry *buffer; /* [workers][INBOX_BUFFER] */
    ordo_counters count;
} inbox_member;

ORDO_INLINE ordo_u64 inbox_bucket_of(const inbox_member *me, op_entry entry)
{
    return ordo_bucket(op_entry_priority(me->job, entry) - me->base, me->run->per_delta);
}

/* ---- own buckets ---- */

ORDO_INLINE void inbox_put(inbox_member *me, op_entry entry)
{
    ordo_u64 bucket = inbox_bucket_of(me, entry);
    if (bucket < me->origin)
        bucket = me->origin; /* entries before the front are processed next */
    if (bucket - me->origin < INBOX_BUCKETS) {
        me->mask |= (ordo_u32)1 << bucket % INBOX_BUCKETS;
        op_append(me->job, &me->bin[bucket % INBOX_BUCKETS], entry);
    } else {
        me->far_lowest = bucket < me->far_lowest ? bucket : me->far_lowest;
        op_append(me->job, &me->far, entry);
    }
}

/* The lowest bucket that is not empty, INBOX_NONE if there is none. Does not count the current pass. */
ORDO_INLINE ordo_u64 inbox_lowest(const inbox_member *me)
{
    if (!me->mask)
        return me->far_lowest;
    const ordo_u32 turn = (ordo_u32)(me->origin % INBOX_BUCKETS);
    const ordo_u32 turned = turn ? me->mask >> turn | me->mask << (INBOX_BUCKETS - turn) : me->mask;
    const ordo_u64 lowest = me->origin + (ordo_u64)__builtin_ctz(turned);
    return lowest < me->far_lowest ? lowest : me->far_lowest;
}

/* Distributes the entries of `far` over the buckets. */
static void inbox_deal_far(inbox_member *me)
{
    ordo_bin old = me->far;
    me->far = (ordo_bin){0};
    me->far_lowest = INBOX_NONE;
    for (ordo_u64 i = 0; i < old.count; i++) {
        if (i % ORDO_POLL_BATCH == 0 && !ordo_go_on(me->job, &me->count, ORDO_POLL_BATCH))
            break;
        inbox_put(me, ((const op_entry *)old.data)[i]);
    }
    ordo_bin_free(me->job, &old, sizeof(op_entry));
}

/* The lowest bucket that worker t has, or is about to receive. */
ORDO_INLINE ordo_u64 inbox_least_of(const inbox_run *run, ordo_u32 t)
{
    const ordo_u64 arrived = __atomic_load_n(&run->ring[t].arrived, __ATOMIC_SEQ_CST),
                   lowest = __atomic_load_n(&run->ring[t].lowest, __ATOMIC_SEQ_CST);
    return lowest < arrived ? lowest : arrived;
}

/* The lowest bucket of all workers, or some bucket up to `front` as soon as one is found. Asks the workers in turn,
 * from its neighbour on to itself, whose ring may have been filled by one that it has asked. */
ORDO_INLINE ordo_u64 inbox_least(const inbox_member *me, ordo_u64 front)
{
    ordo_u64 least = INBOX_NONE;
    for (ordo_u32 i = 1; i <= me->workers && least > front; i++) {
        const ordo_u32 t = me->index + i;
        const ordo_u64 its = inbox_least_of(me->run, t < me->workers ? t : t - me->workers);
        least = its < least ? its : least;
    }
    return least;
}

/* F3, of a worker whose lowest bucket is beyond the front. Returns the front. */
static ordo_u64 inbox_raise_front(const inbox_member *me)
{
    ordo_u64 *front = &me->run->front, seen = __atomic_load_n(front, __ATOMIC_RELAXED);
    while (seen != INBOX_NONE) {
        const ordo_u64 once = inbox_least(me, seen), again = once > seen ? inbox_least(me, seen) : seen,
                       least = again < once ? again : once;
        if (least <= seen)
            break;
        if (__atomic_compare_exchange_n(front, &seen, least, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            seen = least;
    }
    return seen;
}

/* Whether every other worker with entries in bucket `lowest` or before has begun a pass since this one's last. */
static bool inbox_is_first(inbox_member *me, ordo_u64 lowest)
{
    const inbox_ring *ring = me->run->ring;
    const ordo_u64 mine = ring[me->index].pass;
    for (ordo_u32 t = 0; t < me->workers; t++) {
        const ordo_u64 pass = __atomic_load_n(&ring[t].pass, __ATOMIC_RELAXED);
        me->last_pass = pass > me->last_pass ? pass : me->last_pass;
        if (t != me->index && (pass < mine || (pass == mine && t < me->index)) && inbox_least_of(me->run, t) <= lowest)
            return false;
    }
    return true;
}

/* Whether this worker may begin a pass now: it is first, or has processed few entries since it was. */
ORDO_INLINE bool inbox_may_begin(inbox_member *me, ordo_u64 lowest)
{
    if (!inbox_is_first(me, lowest))
        return me->ahead < INBOX_AHEAD;
    me->ahead = 0;
    return true;
}

/* Begins a pass over the lowest bucket, which is less than 32 from the origin. False if an array could not grow: the
 * run is stopped. */
ORDO_INLINE bool inbox_begin_pass(inbox_member *me, ordo_u64 bucket)
{
    if (me->far_lowest == bucket)
        inbox_deal_far(me);
    ordo_bin *bin = &me->bin[bucket % INBOX_BUCKETS], done = me->pass;
    me->pass = *bin;
    me->pass_at = done.count = 0;
    *bin = done;
    me->mask &= ~((ordo_u32)1 << bucket % INBOX_BUCKETS);
    me->pass_bucket = bucket;
    return me->pass.count > 0;
}

/* ---- the inbox ---- */

/* The value of an entry in a ring, which its item publishes. */
#if ORDO_OP_KIND != ORDO_KIND_CRITICAL
#define inbox_get op_get
#define inbox_set op_put
#else
ORDO_INLINE ordo_u32 inbox_get(const ordo_u32 *value)
{
    return __atomic_load_n(value, __ATOMIC_RELAXED);
}
ORDO_INLINE void inbox_set(ordo_u32 *place, ordo_u32 value)
{
    __atomic_store_n(place, value, __ATOMIC_RELAXED);
}
#endif

/* R0 to R3: moves all entries that have arrived into the worker's buckets. */
static void inbox_receive(inbox_member *me)
{
    const inbox_run *run = me->run;
    inbox_ring *ring = &run->ring[me->index];
    op_entry *slot = run->slot[me->index];
    const ordo_u64 arrived = __atomic_load_n(&ring->arrived, __ATOMIC_RELAXED);
    if (arrived != INBOX_NONE) {
        if (arrived < me->shown)
            __atomic_store_n(&ring->lowest, me->shown = arrived, __ATOMIC_RELAXED);
        __atomic_store_n(&ring->arrived, INBOX_NONE, __ATOMIC_RELEASE);
    }
    ordo_u64 ends = __atomic_load_n(&ring->ends, __ATOMIC_RELAXED);
    ordo_u32 head = inbox_head(ends), count = inbox_tail(ends) - head;
    count = count < run->size ? count : run->size;
    if (!count)
        return;
    for (ordo_u32 i = 0; i < count; i++) {
        op_entry *at = &slot[(head + i) & (run->size - 1)], entry;
        for (int round = 0; (entry.item = __atomic_load_n(&at->item, __ATOMIC_ACQUIRE)) == INBOX_EMPTY; round++)
            if (ordo_job_stopped(me->job))
                return; /* its writer may have stopped as well */
            else if (round < 64)
                ordo_pause();
            else
                ordo_yield();
        entry.value = inbox_get(&at->value);
        __atomic_store_n(&at->item, INBOX_EMPTY, __ATOMIC_RELAXED);
        inbox_put(me, entry);
    }
    /* adds to the low half only: no carry, because the low half of the word is still `head` */
    __atomic_fetch_add(&ring->ends, (ordo_u64)(head + count) - (ordo_u64)head, __ATOMIC_RELEASE);
}

/* P5: lowers `arrived` to the lowest bucket of entries that were published. */
ORDO_INLINE void inbox_announce(const inbox_member *me, inbox_ring *ring, const op_entry *entries, ordo_u32 count)
{
    double least = op_entry_priority(me->job, entries[0]);
    for (ordo_u32 i = 1; i < count; i++) {
        const double priority = op_entry_priority(me->job, entries[i]);
        least = priority < least ? priority : least;
    }
    const ordo_u64 bucket = ordo_bucket(least - me->base, me->run->per_delta);
    ordo_u64 arrived = __atomic_load_n(&ring->arrived, __ATOMIC_RELAXED);
    while (bucket < arrived &&
           !__atomic_compare_exchange_n(&ring->arrived, &arrived, bucket, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* P1, netting: counts what was activated, less the `done` entries that activated it. */
ORDO_INLINE void inbox_count_made(inbox_member *me, ordo_u64 done)
{
    if (me->made != done)
        __atomic_fetch_add(&me->run->pending, me->made - done, __ATOMIC_RELEASE);
    me->made = 0;
}

/* P2 to P5: publishes the buffer for an owner. */
ORDO_NOINLINE void inbox_publish(inbox_member *me, ordo_u32 owner)
{
    inbox_run *run = me->run;
    inbox_ring *ring = &run->ring[owner];
    op_entry *slot = run->slot[owner];
    const op_entry *entries = me->buffer + (ordo_u64)owner * INBOX_BUFFER;
    const ordo_u32 count = me->held[owner];
    me->held[owner] = 0;
    ordo_u64 ends = __atomic_fetch_add(&ring->ends, (ordo_u64)count << 32, __ATOMIC_ACQUIRE);
    ordo_u32 head = inbox_head(ends);
    const ordo_u32 first = inbox_tail(ends);
    for (ordo_u32 i = 0; i < count; i++) {
        for (int round = 0; first + i - head >= run->size; round++) {
            inbox_receive(me); /* needed also if this worker is the owner: no other thread reads its ring */
            if (ordo_job_stopped(me->job))
                return;
            if (round > 16)
                ordo_yield();
            head = inbox_head(__atomic_load_n(&ring->ends, __ATOMIC_ACQUIRE));
        }
        op_entry *at = &slot[(first + i) & (run->size - 1)];
        inbox_set(&at->value, entries[i].value);
        __atomic_store_n(&at->item, entries[i].item, __ATOMIC_RELEASE);
    }
    inbox_announce(me, ring, entries, count);
}

ORDO_INLINE void inbox_push(void *arg, op_entry entry)
{
    inbox_member *me = (inbox_member *)arg;
    const ordo_u32 owner = inbox_owner(entry.item, me->run->group, me->workers);
    me->made++;
    if (owner == me->index) {
        inbox_put(me, entry);
        return;
    }
    me->buffer[(ordo_u64)owner * INBOX_BUFFER + me->held[owner]] = entry;
    if (++me->held[owner] == INBOX_BUFFER) {
        inbox_count_made(me, 0);
        inbox_publish(me, owner);
    }
}

ORDO_INLINE void inbox_publish_all(inbox_member *me)
{
    for (ordo_u32 owner = 0; owner < me->workers; owner++)
        if (me->held[owner])
            inbox_publish(me, owner);
}

/* ---- a worker ---- */

/* By all workers: the first bucket begins at the least priority of all initial items, which are each their owner's. */
ORDO_INLINE void inbox_start(inbox_member *me)
{
    inbox_run *run = me->run;
    ordo_job *job = me->job;
    ordo_u64 begin, end, initial = 0;
    ordo_split(job->initial_count, job->threads, (int)me->index, &begin, &end);
    double base = op_least_priority(job, begin, end, &me->count);
    run->base[me->index] = base;
    ordo_team_barrier(job->team);
    for (int t = 0; t < job->threads; t++)
        base = run->base[t] < base ? run->base[t] : base;
    me->base = __builtin_isfinite(base) ? base : 0;
    if (me->held && me->buffer) {
        for (ordo_u64 i = begin; i < end && (i % ORDO_POLL_BATCH || ordo_go_on(job, &me->count, ORDO_POLL_BATCH));
             i++, initial++)
            inbox_push(me, op_entry_now(job, op_initial(job, i)));
        inbox_count_made(me, initial); /* pending began with all initial items */
        inbox_publish_all(me);
    }
}

/* By worker 0: a front that is farther than any before counts as a superstep. */
ORDO_INLINE void inbox_count_front(inbox_run *run, ordo_u64 front, ordo_u64 window, ordo_u64 *fronts_seen)
{
    if (front + 1 <= *fronts_seen) /* INBOX_NONE + 1 is 0 */
        return;
    *fronts_seen = front + 1;
    run->job->supersteps++;
    ORDO_COUNT(ordo_job_sample(run->job, __atomic_load_n(&run->pending, __ATOMIC_RELAXED), front, 1 / run->per_delta,
                               (ordo_u32)window + 1, -1));
}

/* Processes a chunk of the pass, and publishes what it activated. */
ORDO_INLINE void inbox_process(inbox_member *me, ordo_u64 chunk, const ordo_rows *rows, const ordo_sync sync)
{
    const ordo_u64 left = me->pass.count - me->pass_at, size = left < chunk ? left : chunk;
    const op_entry *entries = (const op_entry *)me->pass.data + me->pass_at;
    me->pass_at += size;
    op_expand(me->job, rows, entries, size, &me->count, sync, inbox_push, me);
    inbox_count_made(me, size);
    inbox_publish_all(me);
}

ORDO_INLINE void inbox_free(inbox_member *me)
{
    for (int b = 0; b < INBOX_BUCKETS; b++)
        ordo_bin_free(me->job, &me->bin[b], sizeof(op_entry));
    ordo_bin_free(me->job, &me->far, sizeof(op_entry));
    ordo_bin_free(me->job, &me->pass, sizeof(op_entry));
    ordo_free(me->held);
    ordo_free(me->buffer);
}

/* F1 to F3: shows the others which bucket is this worker's lowest, and returns the front. `round`: how often in a row
 * it has found nothing that it may process. */
ORDO_INLINE ordo_u64 inbox_show(inbox_member *me, ordo_u64 lowest, int round)
{
    inbox_run *run = me->run;
    const ordo_u64 before = me->shown;
    if (lowest != before)
        __atomic_store_n(&run->ring[me->index].lowest, me->shown = lowest, __ATOMIC_SEQ_CST);
    ordo_u64 front = __atomic_load_n(&run->front, __ATOMIC_RELAXED);
    if (lowest > front && (before <= front || round % INBOX_LOOK == INBOX_LOOK - 1))
        front = inbox_raise_front(me);
    while (lowest < front &&
           !__atomic_compare_exchange_n(&run->front, &front, lowest, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return lowest < front ? lowest : front;
}

ORDO_INLINE void inbox_work(inbox_run *run, int index, const ordo_sync sync)
{
    ordo_job *job = run->job;
    inbox_member me = {
        .run = run, .job = job, .index = (ordo_u32)index, .workers = (ordo_u32)job->threads, .far_lowest = INBOX_NONE};
    const ordo_rows rows = ordo_rows_of(job->out, op_weight_type);
    const ordo_u64 chunk = (ordo_u64)job->tunable[INBOX_CHUNK],
                   window = job->tunable[INBOX_WINDOW] < 0 ? 1 : (ordo_u64)job->tunable[INBOX_WINDOW];
    const int patience = job->threads > ordo_cores() ? 2 : 64;
    me.held = (ordo_u32 *)ordo_alloc_zero(me.workers, sizeof *me.held);
    me.buffer = (op_entry *)ordo_alloc((ordo_u64)me.workers * INBOX_BUFFER, sizeof *me.buffer);
    if (!me.held || !me.buffer)
        ordo_job_fail(job, ORDO_ERR_MEMORY);
    ordo_count_from(job, index, &me.count, NULL, 0, NULL);
    inbox_start(&me);

    double busy_since = ORDO_CLOCK(job);
    ordo_u64 fronts_seen = 0, turns = 0; /* 1 + the farthest front */
    int round = 0;
    while (!ordo_job_stopped(job)) {
        inbox_receive(&me);
        const ordo_u64 waiting = inbox_lowest(&me);
        const bool begins = me.pass_at == me.pass.count;
        const ordo_u64 next = begins ? waiting : me.pass_bucket, lowest = waiting < next ? waiting : next;
        const ordo_u64 front = inbox_show(&me, lowest, round);
        if (front > me.origin && lowest != INBOX_NONE)
            me.origin = front < lowest ? front : lowest;
        turns++;
        if (index == 0)
            inbox_count_front(run, front, window, &fronts_seen);
        if (index == 0 && turns % 16 == 0)
            ordo_job_poll(job, __atomic_load_n(&run->pending, __ATOMIC_RELAXED));
        if (next == INBOX_NONE || (next > front && next - front > window) ||
            (begins && !inbox_may_begin(&me, lowest))) {
            if (front == INBOX_NONE && __atomic_load_n(&run->pending, __ATOMIC_ACQUIRE) == 0)
                break;
            if (++round == 2)
                ordo_stop_work(job, index, &me.count, busy_since);
            if (round >= patience)
                ordo_yield();
            else
                ordo_pause();
            continue;
        }
        if (round > 1)
            busy_since = ordo_go_to_work(job, index);
        round = 0;
        if (begins) {
            if (!inbox_begin_pass(&me, next))
                break;
            me.ahead += me.pass.count;
            __atomic_store_n(&run->ring[index].pass, ++me.last_pass, __ATOMIC_RELAXED);
        }
        inbox_process(&me, chunk, &rows, sync);
        if (turns % 64 == 0)
            ordo_publish_counters(job, index, &me.count);
    }
    if (round < 2)
        me.count.work_seconds += ORDO_CLOCK(job) - busy_since;
    ordo_count_to(job, index, &me.count);
    inbox_free(&me);
}

ORDO_NOINLINE void inbox_work_atomic(void *run, int index)
{
    inbox_work((inbox_run *)run, index, ORDO_SYNC_ATOMIC);
}
ORDO_NOINLINE void inbox_work_lock(void *run, int index)
{
    inbox_work((inbox_run *)run, index, ORDO_SYNC_LOCK);
}

/* For the trace. An entry leaves `pending` when its chunk has been processed, so this is at most a chunk of each worker
 * more than what waits. */
static void inbox_probe(const void *arg, ordo_probed *out)
{
    out->in_flight = __atomic_load_n(&((const inbox_run *)arg)->pending, __ATOMIC_RELAXED);
}

/* Neighbours often have ids near each other, so large groups save messages. Hubs often do as well, and one worker would
 * own them all. */
static ordo_u32 inbox_group(const ordo_job *job)
{
    return job->threads > 1 && ordo_job_graph_kind(job) != ORDO_GRAPH_HUBS ? INBOX_LINE + 2 : INBOX_LINE;
}

static ordo_status inbox_run_job(ordo_job *job)
{
    double factor = ordo_bucket_factor(job, job->tunable[INBOX_FACTOR]);
    double own = op_delta((double)job->out->n, (double)job->out->m);
    double delta = ordo_job_delta(job, job->tunable[INBOX_DELTA], own, factor);
    job->delta_first = job->delta_last = delta;
    const size_t threads = (size_t)job->threads;
    inbox_run run = {
        .job = job, .size = 1, .group = inbox_group(job), .per_delta = 1 / delta, .pending = job->initial_count};
    const ordo_u32 size = job->tunable[INBOX_RING] > 0 ? (ordo_u32)job->tunable[INBOX_RING] : 4096;
    while (2 * run.size <= size)
        run.size *= 2;
    run.ring = (inbox_ring *)ordo_alloc_zero(threads, sizeof *run.ring);
    run.slot = (op_entry **)ordo_alloc_zero(threads, sizeof *run.slot);
    run.base = (double *)ordo_alloc(threads, sizeof *run.base);
    ordo_status status = run.ring && run.slot && run.base ? ORDO_OK : ORDO_ERR_MEMORY;
    for (size_t t = 0; t < threads && !status; t++) {
        run.ring[t].arrived = INBOX_NONE;
        if (!(run.slot[t] = (op_entry *)ordo_alloc(run.size, sizeof(op_entry))))
            status = ORDO_ERR_MEMORY;
        for (ordo_u32 i = 0; !status && i < run.size; i++)
            run.slot[t][i].item = INBOX_EMPTY;
    }
    long long rings = (long long)(threads * run.size * sizeof(op_entry));
    if (!status) {
        ordo_job_account(job, rings);
        ordo_job_probe(job, inbox_probe, &run);
        ordo_team_run(job->team, ordo_job_sync(job) == ORDO_SYNC_LOCK ? inbox_work_lock : inbox_work_atomic, &run);
        ordo_job_probe(job, NULL, NULL);
        ordo_job_account(job, -rings);
    }
    for (size_t t = 0; run.slot && t < threads; t++)
        ordo_free(run.slot[t]);
    ordo_free(run.ring);
    ordo_free(run.slot);
    ordo_free(run.base);
    return status;
}

ORDO_CPU_INSTANCE(inbox, inbox_run_job)
