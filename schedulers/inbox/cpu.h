/* inbox/cpu.h -- asynchronous buckets on the CPU: every worker owns its items, others write to its inbox.
 *
 * Problem: supersteps make threads wait for the slowest, and shared buckets make them fight for the next item. Method:
 * an item has one owner, so has its cell's line; the buckets are the owner's own, plain arrays; only a ring an owner is
 * shared. The protocol, its orders, the end and why nobody waits for ever: ring.h.
 *   A worker's turn: empty the inbox into the buckets; look how far the front is; process a chunk of the lowest bucket
 * if that is within the window; publish what it activated. What lies 32 buckets ahead or farther waits in one more
 * array, which is dealt out when the buckets before are empty.
 *
 * Does not: adapt delta while it runs (see adds).
 *
 * A template; expects ORDO_OP and <ordo/cpu.h> instantiated for it.
 */
#include "tunables.h"

#include <string.h>

#include "ring.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _inbox_, _part)

/* Shared by the workers. */
typedef struct MY(run) {
    ordo_job *job;
    inbox_ring *ring;  /* [threads] */
    OP(entry) * *slot; /* [threads][size] */
    double *base;      /* [threads] least priority of a worker's initial items */
    ordo_u32 size;     /* a power of two */
    double per_delta;
    ordo_u64 padding0[8];
    ordo_u64 pending;
    ordo_u64 padding1[7];
} MY(run);

/* One worker's. */
typedef struct MY(member) {
    MY(run) * run;
    ordo_job *job;
    ordo_u32 index, workers;
    double base;
    ordo_bin bin[INBOX_BUCKETS]; /* by bucket modulo 32 */
    ordo_bin far;                /* at least 32 ahead of `current` when it was put there */
    ordo_u32 mask;               /* bit b: bin[b] is not empty */
    ordo_u64 current;            /* the lowest bucket that may not be empty */
    ordo_u64 far_lowest;
    ordo_u64 kept;      /* entries put into own buckets by itself, not counted in pending yet */
    ordo_u32 *held;     /* [workers] entries in the buffers */
    OP(entry) * buffer; /* [workers][INBOX_BUFFER] */
    ordo_counters count;
} MY(member);

ORDO_INLINE ordo_u64 MY(bucket_of)(const MY(member) * me, OP(entry) entry)
{
    return ordo_bucket(OP(entry_priority)(me->job, entry) - me->base, me->run->per_delta);
}

/* ---- own buckets ---- */

ORDO_INLINE void MY(put)(MY(member) * me, OP(entry) entry)
{
    ordo_u64 bucket = MY(bucket_of)(me, entry);
    if (bucket < me->current)
        bucket = me->current; /* what comes late is done at once */
    if (bucket - me->current < INBOX_BUCKETS) {
        me->mask |= (ordo_u32)1 << bucket % INBOX_BUCKETS;
        OP(append)(me->job, &me->bin[bucket % INBOX_BUCKETS], entry);
    } else {
        me->far_lowest = bucket < me->far_lowest ? bucket : me->far_lowest;
        OP(append)(me->job, &me->far, entry);
    }
}

/* The lowest bucket that is not empty, and that of `far` if there is nothing else; deals that out. */
static ordo_u64 MY(lowest)(MY(member) * me)
{
    if (!me->mask && me->far.count) {
        ordo_bin old = me->far;
        me->current = me->far_lowest;
        me->far = (ordo_bin){0};
        me->far_lowest = INBOX_NONE;
        for (ordo_u64 i = 0; i < old.count; i++)
            MY(put)(me, ((const OP(entry) *)old.data)[i]);
        ordo_bin_free(me->job, &old, sizeof(OP(entry)));
    }
    if (!me->mask)
        return INBOX_NONE;
    ordo_u32 turn = (ordo_u32)(me->current % INBOX_BUCKETS);
    ordo_u32 turned = turn ? me->mask >> turn | me->mask << (INBOX_BUCKETS - turn) : me->mask;
    return me->current + (ordo_u64)__builtin_ctz(turned);
}

/* ---- the inbox ---- */

/* R1 to R3: everything that has arrived into the own buckets. */
static void MY(receive)(MY(member) * me)
{
    const MY(run) *run = me->run;
    inbox_ring *ring = &run->ring[me->index];
    OP(entry) *slot = run->slot[me->index];
    ordo_u64 ends = __atomic_load_n(&ring->ends, __ATOMIC_RELAXED);
    ordo_u32 head = inbox_head(ends), count = inbox_tail(ends) - head;
    count = count < run->size ? count : run->size;
    if (!count)
        return;
    for (ordo_u32 i = 0; i < count; i++) {
        OP(entry) *at = &slot[(head + i) & (run->size - 1)], entry;
        for (int round = 0; (entry.item = __atomic_load_n(&at->item, __ATOMIC_ACQUIRE)) == INBOX_EMPTY; round++)
            if (ordo_job_stopped(me->job))
                return; /* its writer may have stopped, too */
            else if (round < 64)
                ordo_pause();
            else
                ordo_yield();
        __atomic_load(&at->value, &entry.value, __ATOMIC_RELAXED);
        __atomic_store_n(&at->item, INBOX_EMPTY, __ATOMIC_RELAXED);
        MY(put)(me, entry);
    }
    /* the low half alone: no carry, for the word's low half is `head` until here */
    __atomic_fetch_add(&ring->ends, (ordo_u64)(head + count) - (ordo_u64)head, __ATOMIC_RELEASE);
}

/* P1 to P4: the buffer of an owner. */
ORDO_NOINLINE void MY(publish)(MY(member) * me, ordo_u32 owner)
{
    MY(run) *run = me->run;
    inbox_ring *ring = &run->ring[owner];
    OP(entry) *slot = run->slot[owner];
    const OP(entry) *entries = me->buffer + (ordo_u64)owner * INBOX_BUFFER;
    const ordo_u32 count = me->held[owner];
    me->held[owner] = 0;
    __atomic_fetch_add(&run->pending, count, __ATOMIC_RELAXED);
    ordo_u64 ends = __atomic_fetch_add(&ring->ends, (ordo_u64)count << 32, __ATOMIC_ACQUIRE);
    ordo_u32 head = inbox_head(ends);
    const ordo_u32 first = inbox_tail(ends);
    for (ordo_u32 i = 0; i < count; i++) {
        for (int round = 0; first + i - head >= run->size; round++) {
            MY(receive)(me); /* also where the owner is this worker: then nobody else would */
            if (ordo_job_stopped(me->job))
                return;
            if (round > 16)
                ordo_yield();
            head = inbox_head(__atomic_load_n(&ring->ends, __ATOMIC_ACQUIRE));
        }
        OP(entry) *at = &slot[(first + i) & (run->size - 1)];
        __atomic_store(&at->value, &entries[i].value, __ATOMIC_RELAXED);
        __atomic_store_n(&at->item, entries[i].item, __ATOMIC_RELEASE);
    }
}

ORDO_INLINE void MY(push)(void *arg, OP(entry) entry)
{
    MY(member) *me = (MY(member) *)arg;
    const ordo_u32 owner = inbox_owner(entry.item, me->workers);
    if (owner == me->index) {
        me->kept++;
        MY(put)(me, entry);
        return;
    }
    me->buffer[(ordo_u64)owner * INBOX_BUFFER + me->held[owner]] = entry;
    if (++me->held[owner] == INBOX_BUFFER)
        MY(publish)(me, owner);
}

ORDO_INLINE void MY(publish_all)(MY(member) * me)
{
    for (ordo_u32 owner = 0; owner < me->workers; owner++)
        if (me->held[owner])
            MY(publish)(me, owner);
}

/* Takes `done` entries off, puts on what was kept; after everything that they activated is published. */
ORDO_INLINE void MY(net)(MY(member) * me, ordo_u64 done)
{
    if (done != me->kept)
        __atomic_fetch_add(&me->run->pending, me->kept - done, __ATOMIC_RELEASE);
    me->kept = 0;
}

ORDO_INLINE void MY(work)(MY(run) * run, int index, const ordo_sync sync)
{
    ordo_job *job = run->job;
    MY(member)
    me = {
        .run = run, .job = job, .index = (ordo_u32)index, .workers = (ordo_u32)job->threads, .far_lowest = INBOX_NONE};
    const ordo_rows rows = ordo_rows_of(job->out, OP(weight_type));
    const ordo_u64 chunk = (ordo_u64)job->tunable[INBOX_CHUNK],
                   window = job->tunable[INBOX_WINDOW] < 0 ? 1 : (ordo_u64)job->tunable[INBOX_WINDOW];
    const int patience = job->threads > ordo_cores() ? 2 : 64;
    me.held = (ordo_u32 *)ordo_alloc_zero(me.workers, sizeof *me.held);
    me.buffer = (OP(entry) *)ordo_alloc((ordo_u64)me.workers * INBOX_BUFFER, sizeof *me.buffer);
    if (!me.held || !me.buffer)
        ordo_job_fail(job, ORDO_ERR_MEMORY);

    /* The first bucket begins at the least priority of all initial items, which are each their owner's. */
    double base = __builtin_huge_val();
    ordo_u64 begin, end, initial = 0;
    ordo_split(job->initial_count, job->threads, index, &begin, &end);
    for (ordo_u64 i = begin; i < end; i++) {
        double priority = OP(entry_priority)(job, OP(entry_now)(job, OP(initial)(job, i)));
        base = priority < base ? priority : base;
    }
    run->base[index] = base;
    ordo_team_barrier(job->team);
    for (int t = 0; t < job->threads; t++)
        base = run->base[t] < base ? run->base[t] : base;
    me.base = __builtin_isfinite(base) ? base : 0;
    if (me.held && me.buffer) {
        for (ordo_u64 i = begin; i < end; i++, initial++)
            MY(push)(&me, OP(entry_now)(job, OP(initial)(job, i)));
        MY(publish_all)(&me);
    }
    MY(net)(&me, initial); /* pending began with all initial items */

    ordo_bin batch = {0};
    ordo_bin_reserve(job, &batch, chunk, sizeof(OP(entry))); /* where it fails, the job is stopped */
    double busy_since = ORDO_CLOCK(job);
    ordo_u64 front_before = 0, turns = 0;
    int round = 0;
    while (!ordo_job_stopped(job)) {
        MY(receive)(&me);
        const ordo_u64 lowest = MY(lowest)(&me);
        __atomic_store_n(&run->ring[index].lowest, lowest, __ATOMIC_RELAXED);
        ordo_u64 front = lowest;
        for (ordo_u32 t = 0; t < me.workers; t++) {
            ordo_u64 other = __atomic_load_n(&run->ring[t].lowest, __ATOMIC_RELAXED);
            front = other < front ? other : front;
        }
        turns++;
        if (index == 0 && turns % 16 == 0) {
            ordo_u64 pending = __atomic_load_n(&run->pending, __ATOMIC_RELAXED);
            ordo_job_poll(job, pending);
            if (front != INBOX_NONE && front > front_before) {
                front_before = job->supersteps = front;
                ORDO_COUNT(ordo_job_sample(job, pending, front, 1 / run->per_delta, (ordo_u32)window + 1, -1));
            }
        }
        if (lowest == INBOX_NONE || lowest - front > window) {
            if (lowest == INBOX_NONE && __atomic_load_n(&run->pending, __ATOMIC_ACQUIRE) == 0)
                break;
            if (++round == 2)
                me.count.work_seconds += ORDO_CLOCK(job) - busy_since;
            if (round >= patience)
                ordo_yield();
            else
                ordo_pause();
            continue;
        }
        if (round > 1)
            busy_since = ORDO_CLOCK(job);
        round = 0;
        /* A chunk from the end of the bucket; the array stays, activations may go there meanwhile. */
        ordo_bin *bin = &me.bin[lowest % INBOX_BUCKETS];
        const ordo_u64 size = bin->count < chunk ? bin->count : chunk;
        me.current = lowest;
        if (!size)
            break; /* its array could not grow: the job is stopped */
        bin->count -= size;
        memcpy(batch.data, (const OP(entry) *)bin->data + bin->count, size * sizeof(OP(entry)));
        if (!bin->count)
            me.mask &= ~((ordo_u32)1 << lowest % INBOX_BUCKETS);
        OP(expand)(job, &rows, (const OP(entry) *)batch.data, size, &me.count, sync, MY(push), &me);
        MY(publish_all)(&me);
        MY(net)(&me, size);
        if (turns % 64 == 0)
            ordo_publish_counters(job, index, &me.count);
    }
    if (round < 2)
        me.count.work_seconds += ORDO_CLOCK(job) - busy_since;
    ordo_publish_counters(job, index, &me.count);
    for (int b = 0; b < INBOX_BUCKETS; b++)
        ordo_bin_free(job, &me.bin[b], sizeof(OP(entry)));
    ordo_bin_free(job, &me.far, sizeof(OP(entry)));
    ordo_bin_free(job, &batch, sizeof(OP(entry)));
    ordo_free(me.held);
    ordo_free(me.buffer);
}

ORDO_WORK_UNDER(atomic, ATOMIC)
ORDO_WORK_UNDER(lock, LOCK)

static ordo_status MY(run_job)(ordo_job *job)
{
    double factor = ordo_bucket_factor(job, job->tunable[INBOX_FACTOR]);
    double own = OP(delta)((double)job->out->n, (double)job->out->m);
    double delta = ordo_job_delta(job, job->tunable[INBOX_DELTA], own, factor);
    job->delta_first = job->delta_last = delta;
    const size_t threads = (size_t)job->threads;
    MY(run) run = {.job = job, .size = 1, .per_delta = 1 / delta, .pending = job->initial_count};
    const ordo_u32 size = job->tunable[INBOX_RING] > 0 ? (ordo_u32)job->tunable[INBOX_RING] : 4096;
    while (2 * run.size <= size)
        run.size *= 2;
    run.ring = (inbox_ring *)ordo_alloc_zero(threads, sizeof *run.ring);
    run.slot = (OP(entry) **)ordo_alloc_zero(threads, sizeof *run.slot);
    run.base = (double *)ordo_alloc(threads, sizeof *run.base);
    ordo_status status = run.ring && run.slot && run.base ? ORDO_OK : ORDO_ERR_MEMORY;
    for (size_t t = 0; t < threads && !status; t++) {
        run.ring[t].lowest = INBOX_NONE;
        if (!(run.slot[t] = (OP(entry) *)ordo_alloc(run.size, sizeof(OP(entry)))))
            status = ORDO_ERR_MEMORY;
        for (ordo_u32 i = 0; !status && i < run.size; i++)
            run.slot[t][i].item = INBOX_EMPTY;
    }
    long long rings = (long long)(threads * run.size * sizeof(OP(entry)));
    if (!status) {
        ordo_job_book(job, rings);
        ordo_team_run(job->team, job->sync == ORDO_SYNC_LOCK ? MY(work_lock) : MY(work_atomic), &run);
        ordo_job_book(job, -rings);
    }
    for (size_t t = 0; run.slot && t < threads; t++)
        ordo_free(run.slot[t]);
    ordo_free(run.ring);
    ordo_free(run.slot);
    ordo_free(run.base);
    return status;
}

ORDO_CPU_INSTANCE(inbox, MY(run_job))
#undef MY
