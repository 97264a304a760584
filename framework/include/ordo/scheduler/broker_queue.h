/* broker_queue.h -- a bounded FIFO queue with many writers and many readers: the Broker Queue, and as a relaxed form
 * the Broker Work Distributor.
 *
 * Problem. Threads that share one worklist need one order of entries, and no lock. An array with two ends that grow by
 * fetch-and-add gives the order; but a thread that has advanced an end cannot take that back, so it must know before
 * that there is an entry, or a free place.
 *
 * Method (Kerbl et al., The Broker Queue: A Fast, Linearizable FIFO Queue for Fine-Granular Work Distribution on the
 * GPU, ICS 2018). A thread is first *assured* by a counter that there is or will be an entry for it, or a free place.
 * Then it draws a *ticket* from one end, and waits for the turn of the ticket's place. A batch takes one assurance and
 * one addition, and consecutive tickets.
 *
 * Words. N is the number of places, a power of two; ticket t has place t mod N, and is the place's lap t / N.
 *   count   assured enqueues less assured dequeues; always 0 .. N
 *   tail    tickets drawn by enqueues, head: tickets drawn by dequeues. 64 bits: they do not wrap
 *   turn    of a place, modulo 2^32: 2 * lap, free for the enqueue of that lap; 2 * lap + 1, filled by it
 *
 * Enqueue
 *   E1 count grows by k <= N - count. If it is N: see Answers.
 *   E2 tail += k: tickets t .. t + k - 1.
 *   E3 for each of them: wait until the place's turn is 2 * lap, acquire; write the entry; turn = 2 * lap + 1, release.
 * Dequeue
 *   D1 count falls by k <= count. If it is 0: see Answers.
 *   D2 head += k.
 *   D3 for each ticket: wait until turn is 2 * lap + 1, acquire; read the entry; turn = 2 * (lap + 1), release.
 *
 * Invariant: 0 <= count <= N, by compare-and-swap. The paper adds first and gives back what was too much. Meanwhile
 * count is too low, so that an enqueue can be assured of a place that no dequeue has promised to free, and waits in E3
 * for one that may never come (a fault of tests/models/broker_queue.pml). Here there is none:
 *   An enqueue with ticket t has been assured after t others at least; as count <= N, more than t - N dequeues have
 * been assured by then. They draw all tickets up to t - N, and one of these frees the place. Likewise the entry of a
 *   dequeue with ticket t comes from an enqueue that has been assured. So what a thread waits for in E3 and D3 is done
 *   by threads that are between their first and last step; and these wait for smaller tickets. No circle, no deadlock;
 *   but a thread that stops between the steps stops others: the queue is blocking, as the paper's is.
 *
 * Answers. A call that is not assured answers 0: empty, or full.
 *   Distributor (BWD): at once. Count may be 0 while entries are there that others are assured of and have not drawn; a
 *   later dequeue could draw them first. So these answers are hints, and the queue is not linearizable. Entries still
 *   leave in the order of their tickets.
 *   Broker Queue (BQ): only where it is certain. Empty: head, then tail is read, and head >= tail. Full: tail, then
 * head, and tail - head >= N. Otherwise others are between assurance and ticket: it waits for them, and asks count
 * again.
 *
 * Linearizability of the Broker Queue. Additions to head and tail and the reads in Answers are seq_cst, so they have
 * one order S, which agrees with that of calls of which one ends before the other begins. An enqueue takes effect at
 * E2. A dequeue with ticket t takes effect at its D2, or right after E2 of ticket t where that comes later in S; it
 * lies within the call, since D3 has read what was written after E2. Both orders are those of tickets, so entries leave
 * as they came. `Empty` takes effect when tail is read: head never falls, so head >= tail at that moment, and each
 * ticket below tail has been drawn by a dequeue that has taken effect. `Full` takes effect when head is read: by the
 * same argument the queue holds at least N entries then. (More than N where dequeues are between D1 and D2.)
 *
 * Memory order.
 *   count   relaxed: only its value is used, and the order of its changes is that of one word. What it assures is a
 *           number of tickets, never that something can be read.
 *   head, tail   seq_cst, for S. No entry is read because of them.
 *   turn    release after the entry is written or read, acquire before it is read or written. So an entry is read after
 *           it was written, and written again after it was read: plain accesses do not race.
 *
 * For a GPU: <ordo/scheduler/broker_queue.cuh>.
 *
 * Not done: growing; entries that are read in another order; waking threads that sleep.
 */
#ifndef ORDO_SCHEDULER_BROKER_QUEUE_H
#define ORDO_SCHEDULER_BROKER_QUEUE_H

#include <string.h>

#include <ordo/detail/cpu/base.h>

/* Tests put delays here; the argument names the step that comes next. */
#ifndef ORDO_BROKER_HOOK
#define ORDO_BROKER_HOOK(_step) ((void)0)
#endif

enum { ORDO_BROKER_MOST = 1 << 30 }; /* places of the largest queue */

/* The words that threads change are on separate cache lines. Entries have a size in bytes, which is passed to every
 * call as a constant, so that copying one is a few instructions. */
typedef struct ordo_broker_queue {
    char *entry;    /* [1 << shift] */
    ordo_u32 *turn; /* [1 << shift] */
    ordo_u32 shift;
    ordo_u32 certain; /* Broker Queue, else Broker Work Distributor; see Answers */
    ordo_u64 padding0[5];
    ordo_u64 count;
    ordo_u64 padding1[7];
    ordo_u64 tail;
    ordo_u64 padding2[7];
    ordo_u64 head;
    ordo_u64 padding3[7];
} ordo_broker_queue;

/* The places of a queue that is asked to have `places`: the next power of two. */
ORDO_INLINE ordo_u64 ordo_broker_places(ordo_u64 places)
{
    ordo_u64 size = 1;
    while (size < places && size < ORDO_BROKER_MOST)
        size *= 2;
    return size;
}

/* Bytes of a queue. */
ORDO_INLINE ordo_u64 ordo_broker_bytes(ordo_u64 places, ordo_u64 entry)
{
    return ordo_broker_places(places) * (entry + sizeof(ordo_u32));
}

/* Makes an empty queue of at least `places` places for entries of `entry` bytes. False where memory is short;
 * ordo_broker_free must be called then, too. */
ORDO_INLINE bool ordo_broker_init(ordo_broker_queue *q, ordo_u64 places, size_t entry, bool certain)
{
    memset(q, 0, sizeof *q);
    while ((ordo_u64)1 << q->shift < ordo_broker_places(places))
        q->shift++;
    q->certain = certain;
    q->entry = (char *)ordo_alloc((size_t)1 << q->shift, entry);
    q->turn = (ordo_u32 *)ordo_alloc_zero((size_t)1 << q->shift, sizeof *q->turn);
    return q->entry && q->turn;
}

ORDO_INLINE void ordo_broker_free(ordo_broker_queue *q)
{
    ordo_free(q->entry);
    ordo_free(q->turn);
    memset(q, 0, sizeof *q);
}

/* How many more entries dequeues can be assured of; changes meanwhile. */
ORDO_INLINE ordo_u64 ordo_broker_count(const ordo_broker_queue *q)
{
    return __atomic_load_n(&q->count, __ATOMIC_RELAXED);
}

/* A step of waiting for threads that are between two steps: they run now, or wait for a core. */
ORDO_INLINE void ordo_broker_wait(ordo_u32 *rounds)
{
    if (++*rounds % 64)
        ordo_pause();
    else
        ordo_yield();
}

/* Whether the queue was empty at a moment of this call, and whether it had no free place; see Answers. */
ORDO_INLINE bool ordo_broker_was_empty(const ordo_broker_queue *q)
{
    const ordo_u64 head = __atomic_load_n(&q->head, __ATOMIC_SEQ_CST);
    return head >= __atomic_load_n(&q->tail, __ATOMIC_SEQ_CST);
}
ORDO_INLINE bool ordo_broker_was_full(const ordo_broker_queue *q)
{
    const ordo_u64 tail = __atomic_load_n(&q->tail, __ATOMIC_SEQ_CST);
    const ordo_u64 head = __atomic_load_n(&q->head, __ATOMIC_SEQ_CST);
    return tail >= head && tail - head >= (ordo_u64)1 << q->shift;
}

/* E1: is assured of up to `want` free places. Returns their number, 0: full. */
ORDO_INLINE ordo_u32 ordo_broker_assure_room(ordo_broker_queue *q, ordo_u32 want)
{
    const ordo_u64 places = (ordo_u64)1 << q->shift;
    for (ordo_u32 rounds = 0;; ordo_broker_wait(&rounds)) {
        ordo_u64 count = ordo_broker_count(q);
        while (count < places) {
            const ordo_u64 left = places - count, take = want < left ? want : left;
            if (__atomic_compare_exchange_n(&q->count, &count, count + take, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                return (ordo_u32)take;
        }
        if (!q->certain || ordo_broker_was_full(q))
            return 0;
    }
}

/* D1: is assured of up to `most` entries. Returns their number, 0: empty. */
ORDO_INLINE ordo_u32 ordo_broker_assure_entries(ordo_broker_queue *q, ordo_u32 most)
{
    for (ordo_u32 rounds = 0;; ordo_broker_wait(&rounds)) {
        ordo_u64 count = ordo_broker_count(q);
        while (count) {
            const ordo_u64 take = most < count ? most : count;
            if (__atomic_compare_exchange_n(&q->count, &count, count - take, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                return (ordo_u32)take;
        }
        if (!q->certain || ordo_broker_was_empty(q))
            return 0;
    }
}

/* Waits for a ticket's turn at its place. */
ORDO_INLINE void ordo_broker_await(const ordo_u32 *turn, ordo_u32 expected)
{
    for (ordo_u32 rounds = 0; __atomic_load_n(turn, __ATOMIC_ACQUIRE) != expected;)
        ordo_broker_wait(&rounds);
}

/* Appends entries from the front of entries[want], want > 0, while there are free places; returns their number, which
 * is 0 where the queue is full. `entry`: their bytes, a constant. */
ORDO_INLINE ordo_u32 ordo_broker_enqueue(ordo_broker_queue *q, const void *entries, ordo_u32 want, const size_t entry)
{
    const ordo_u32 got = ordo_broker_assure_room(q, want);
    if (!got)
        return 0;
    ORDO_BROKER_HOOK("E2");
    const ordo_u64 first = __atomic_fetch_add(&q->tail, got, __ATOMIC_SEQ_CST), mask = ((ordo_u64)1 << q->shift) - 1;
    const char *from = (const char *)entries;
    for (ordo_u64 ticket = first; ticket < first + got; ticket++, from += entry) {
        const ordo_u64 place = ticket & mask;
        const ordo_u32 turn = 2 * (ordo_u32)(ticket >> q->shift);
        ORDO_BROKER_HOOK("E3");
        ordo_broker_await(&q->turn[place], turn);
        memcpy(q->entry + place * entry, from, entry);
        __atomic_store_n(&q->turn[place], turn + 1, __ATOMIC_RELEASE);
    }
    return got;
}

/* Takes up to `most` > 0 of the oldest entries, in order; returns their number, which is 0 where the queue is empty.
 * Other dequeues may take entries between them only where they are assured of these at the same time: a batch has
 * consecutive tickets. */
ORDO_INLINE ordo_u32 ordo_broker_dequeue(ordo_broker_queue *q, void *entries, ordo_u32 most, const size_t entry)
{
    const ordo_u32 got = ordo_broker_assure_entries(q, most);
    if (!got)
        return 0;
    ORDO_BROKER_HOOK("D2");
    const ordo_u64 first = __atomic_fetch_add(&q->head, got, __ATOMIC_SEQ_CST), mask = ((ordo_u64)1 << q->shift) - 1;
    char *to = (char *)entries;
    for (ordo_u64 ticket = first; ticket < first + got; ticket++, to += entry) {
        const ordo_u64 place = ticket & mask;
        const ordo_u32 turn = 2 * (ordo_u32)(ticket >> q->shift) + 1;
        ORDO_BROKER_HOOK("D3");
        ordo_broker_await(&q->turn[place], turn);
        memcpy(to, q->entry + place * entry, entry);
        __atomic_store_n(&q->turn[place], turn + 1, __ATOMIC_RELEASE);
    }
    return got;
}

#endif
