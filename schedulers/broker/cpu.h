/* broker/cpu.h -- one FIFO queue for all threads, on the CPU.
 *
 * Problem. The simplest worklist is one queue: items are processed as they were activated, and a thread that is idle
 * takes the next ones. A queue under a lock does not scale, and a run ends only when no thread can put anything into it
 * any more.
 *
 * Method (Kerbl et al., ICS 2018; Çavuşoğlu's thesis, chapter 3). The queue is <ordo/scheduler/broker_queue.h>, which
 * has the protocol. A member takes a batch, processes it, and stages what it activates: a reservation for each `stage`
 * activations, and one at the end of the batch.
 *
 * A full queue loses nothing, and no member waits for free places. What finds none goes to the member's *backlog*, an
 * array in order, and so does all that the member activates while it has a backlog. At every turn the member first puts
 * the oldest of that into the queue, as far as there is room, then takes its next batch, which frees places. So a
 * member's activations enter the queue in their order, however small it is. (Waiting for room instead would be a
 * deadlock once all members do; processing the activations at once would be depth-first, whose work can grow
 * exponentially where values improve in many steps.) The initial items are a backlog from the start: each member's
 * share, of which entries are made only when there is room for them.
 *
 * Termination. `pending` counts entries that are not finished: in the queue, in a backlog, staged by a member or being
 * processed. A member adds what it has staged before the queue can show it, and subtracts a batch after all that this
 * activated has been added: in one addition with the last of these. So pending never falls to 0 while there is an
 * entry, and a member that finds nothing and reads 0 is done. Additions are releases in one sequence and the read of 0
 * an acquire, so it sees what all members did. tests/models/broker.pml checks this, and that no member waits for ever.
 *
 * Passes. The queue's contents at some moment are a pass; when they have been taken, what is there then is the next
 * one. With one thread these are the rounds of the Bellman-Ford algorithm. Member 0 counts them, as supersteps.
 *
 * Not done: priorities (see delta, adds, inbox); a queue for each thread or socket.
 *
 * A template; expects ORDO_OP and <ordo/scheduler/cpu.h> instantiated for it.
 */
#include <ordo/scheduler/broker_queue.h>

#include "tunables.h"

/* What profilers show carries the operator's name. */
#define broker_work_atomic ORDO_OP_NAME(broker_work_atomic)
#define broker_work_lock ORDO_OP_NAME(broker_work_lock)

/* Shared by the members. */
typedef struct broker_run {
    ordo_broker_queue queue;
    ordo_job *job;
    ordo_u32 batch, stage;
    ordo_u64 spilled; /* entries that found the queue full, so far; only members that spill touch it */
    ordo_u64 padding0[5];
    ordo_u64 pending;
    ordo_u64 padding1[7];
} broker_run;

/* State of a member. */
typedef struct broker_member {
    broker_run *run;
    ordo_job *job;
    op_entry *taken;                    /* [batch] */
    op_entry *staged;                   /* [stage] */
    ordo_u32 staged_count;              /* entries in staged[], not yet in pending */
    ordo_u64 next_initial, end_initial; /* initial items that are not in the queue yet */
    ordo_bin spill;                     /* entries from spill_at on wait for room */
    ordo_u64 spill_at;
    ordo_counters count;
} broker_member;

ORDO_INLINE bool broker_has_backlog(const broker_member *me)
{
    return me->next_initial < me->end_initial || me->spill_at < me->spill.count;
}

/* Appends entries to the backlog. If half of the array or more has been moved, its front is used again before it grows:
 * so it is at most about twice as long as what waits. */
static void broker_spill(broker_member *me, const op_entry *entries, ordo_u32 count)
{
    ordo_bin *bin = &me->spill;
    ORDO_COUNT(__atomic_fetch_add(&me->run->spilled, count, __ATOMIC_RELAXED));
    if (bin->count + count > bin->capacity && me->spill_at >= bin->capacity / 2 && me->spill_at) {
        bin->count -= me->spill_at;
        memmove(bin->data, (const op_entry *)bin->data + me->spill_at, bin->count * sizeof(op_entry));
        me->spill_at = 0;
    }
    for (ordo_u32 i = 0; i < count; i++)
        op_append(me->job, bin, entries[i]);
}

/* Puts what is staged into the queue, or into the backlog. `done`: entries that are finished now. */
ORDO_NOINLINE void broker_publish(broker_member *me, ordo_u64 done)
{
    broker_run *run = me->run;
    const ordo_u32 count = me->staged_count;
    ordo_u32 at = 0;
    me->staged_count = 0;
    if (count != done)
        __atomic_fetch_add(&run->pending, count - done, __ATOMIC_RELEASE);
    if (!broker_has_backlog(me))
        while (at < count) {
            const ordo_u32 put = ordo_broker_enqueue(&run->queue, me->staged + at, count - at, sizeof(op_entry));
            if (!put)
                break;
            at += put;
        }
    if (at < count)
        broker_spill(me, me->staged + at, count - at);
}

/* The sink. */
ORDO_INLINE void broker_push(void *arg, op_entry entry)
{
    broker_member *me = (broker_member *)arg;
    me->staged[me->staged_count++] = entry;
    if (me->staged_count == me->run->stage)
        broker_publish(me, 0);
}

/* Moves the oldest of the backlog into the queue while there is room. Uses me->taken. */
ORDO_NOINLINE void broker_move_backlog(broker_member *me)
{
    broker_run *run = me->run;
    ordo_job *job = me->job;
    ordo_u32 want, put;
    do {
        const ordo_u64 left = me->end_initial - me->next_initial;
        want = left < run->batch ? (ordo_u32)left : run->batch;
        for (ordo_u32 i = 0; i < want; i++)
            me->taken[i] = op_entry_now(job, op_initial(job, me->next_initial + i));
        put = want ? ordo_broker_enqueue(&run->queue, me->taken, want, sizeof(op_entry)) : 0;
        me->next_initial += put;
    } while (put && ordo_go_on(job, &me->count, put));
    if (me->next_initial < me->end_initial)
        return;
    do {
        const ordo_u64 left = me->spill.count - me->spill_at;
        want = left < ORDO_POLL_BATCH ? (ordo_u32)left : (ordo_u32)ORDO_POLL_BATCH;
        put = want ? ordo_broker_enqueue(&run->queue, (const op_entry *)me->spill.data + me->spill_at, want,
                                         sizeof(op_entry))
                   : 0;
        me->spill_at += put;
    } while (put && ordo_go_on(job, &me->count, put));
    if (me->spill_at == me->spill.count)
        me->spill_at = me->spill.count = 0;
}

/* By member 0: counts a pass when what was in the queue at the last one has been taken. */
ORDO_INLINE void broker_count_pass(broker_run *run, ordo_u64 *end)
{
    if (__atomic_load_n(&run->queue.head, __ATOMIC_RELAXED) < *end)
        return;
    *end = __atomic_load_n(&run->queue.tail, __ATOMIC_RELAXED);
    run->job->supersteps++;
    ORDO_COUNT(
        ordo_job_sample(run->job, __atomic_load_n(&run->pending, __ATOMIC_RELAXED), run->job->supersteps, 0, 1, -1));
}

/* How many entries to take: a share of what is there, so that all members have some. */
ORDO_INLINE ordo_u32 broker_share(const broker_run *run)
{
    const ordo_u64 share = ordo_broker_count(&run->queue) / (ordo_u64)run->job->threads + 1;
    return share < run->batch ? (ordo_u32)share : run->batch;
}

ORDO_INLINE void broker_work(broker_run *run, int index, const ordo_sync sync)
{
    ordo_job *job = run->job;
    broker_member me = {.run = run, .job = job};
    const ordo_rows rows = ordo_rows_of(job->out, op_weight_type);
    const int patience = job->threads > ordo_cores() ? 2 : 64;
    me.taken = (op_entry *)ordo_alloc(run->batch, sizeof *me.taken);
    me.staged = (op_entry *)ordo_alloc(run->stage, sizeof *me.staged);
    if (!me.taken || !me.staged)
        ordo_job_fail(job, ORDO_ERR_MEMORY);
    ordo_split(job->initial_count, job->threads, index, &me.next_initial, &me.end_initial);
    ordo_count_from(job, index, &me.count, NULL, 0, NULL);

    double busy_since = ORDO_CLOCK(job);
    ordo_u64 turns = 0, pass_end = 0;
    int round = 0;
    while (!ordo_job_stopped(job)) {
        if (++turns % 16 == 0 && index == 0)
            ordo_job_poll(job, __atomic_load_n(&run->pending, __ATOMIC_RELAXED));
        if (broker_has_backlog(&me))
            broker_move_backlog(&me);
        const ordo_u32 size = ordo_broker_dequeue(&run->queue, me.taken, broker_share(run), sizeof(op_entry));
        if (!size) {
            if (__atomic_load_n(&run->pending, __ATOMIC_ACQUIRE) == 0)
                break;
            if (++round == 2) /* the first round is too short to read the clock */
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
        if (index == 0)
            broker_count_pass(run, &pass_end);
        op_expand(job, &rows, me.taken, size, &me.count, sync, broker_push, &me);
        broker_publish(&me, size);
        if (turns % 64 == 0)
            ordo_publish_counters(job, index, &me.count);
    }
    if (round < 2)
        me.count.work_seconds += ORDO_CLOCK(job) - busy_since;
    ordo_count_to(job, index, &me.count);
    ordo_bin_free(job, &me.spill, sizeof(op_entry));
    ordo_free(me.taken);
    ordo_free(me.staged);
}

ORDO_NOINLINE void broker_work_atomic(void *run, int index)
{
    broker_work((broker_run *)run, index, ORDO_SYNC_ATOMIC);
}
ORDO_NOINLINE void broker_work_lock(void *run, int index)
{
    broker_work((broker_run *)run, index, ORDO_SYNC_LOCK);
}

/* For the trace. A batch leaves `pending` when it has been processed, so this is at most a batch of each member more
 * than what waits. */
static void broker_probe(const void *arg, ordo_probed *out)
{
    const broker_run *run = (const broker_run *)arg;
    out->in_flight = __atomic_load_n(&run->pending, __ATOMIC_RELAXED);
    out->spills = __atomic_load_n(&run->spilled, __ATOMIC_RELAXED);
}

static ordo_status broker_run_job(ordo_job *job)
{
    const double *t = job->tunable;
    broker_run run = {.job = job,
                      .batch = (ordo_u32)t[BROKER_BATCH],
                      .stage = (ordo_u32)t[BROKER_STAGE],
                      .pending = job->initial_count};
    const ordo_u64 places = BROKER_PLACES(t[BROKER_RING], job->num_items);
    ordo_status status = ORDO_ERR_MEMORY;
    if (ordo_broker_init(&run.queue, places, sizeof(op_entry), t[BROKER_QUEUE] < 1)) {
        const long long bytes = (long long)ordo_broker_bytes(places, sizeof(op_entry));
        ordo_job_account(job, bytes);
        ordo_job_probe(job, broker_probe, &run);
        ordo_team_run(job->team, ordo_job_sync(job) == ORDO_SYNC_LOCK ? broker_work_lock : broker_work_atomic, &run);
        ordo_job_probe(job, NULL, NULL);
        ordo_job_account(job, -bytes);
        status = ORDO_OK;
    }
    ordo_broker_free(&run.queue);
    return status;
}

ORDO_CPU_INSTANCE(broker, broker_run_job)
