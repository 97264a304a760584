/* broker_queue.cuh -- the Broker Queue and the Broker Work Distributor on a GPU.
 *
 * Problem. That of <ordo/scheduler/broker_queue.h>, whose words and steps these are; this comment says what differs.
 * Here thousands of warps call at the same time: a compare-and-swap on a shared counter would nearly always fail, while
 * the additions of all warps to one word go on at the rate of the cache.
 *
 * Method (Kerbl et al., ICS 2018). A warp makes one call for its lanes: one of them is assured, and draws the tickets;
 * the others write or read their places.
 *
 * Assurance by additions only. In the paper's queue both sides add to one count, and give back what was too much.
 * Meanwhile count is wrong in a direction that can assure a call of what no other has promised (broker_queue.h). Here
 * each side has a counter of its own, which that side alone takes from:
 *   entries   what enqueues have promised and dequeues have not taken. A dequeue that takes too much gives it back;
 *             meanwhile the counter is too low, never too high
 *   used      places that enqueues have taken and dequeues have not given back: meanwhile too high, never too low
 * So at every moment no more is assured than has been promised. The worst that happens is that a call finds no entry,
 * or no place, though there is one. That is an answer of the distributor; the Broker Queue asks again (Answers).
 *
 * Enqueue
 *   E1   used += k; what is beyond N is given back
 *   E2   tail += k: tickets
 *   E2'  entries += k
 *   E3   for each ticket: wait until the place's turn is 2 * lap; write entry and turn 2 * lap + 1
 * Dequeue
 *   D1   entries -= k; what was not there is given back
 *   D2   head += k: tickets
 *   D2'  used -= k
 *   D3   for each ticket: wait until turn is 2 * lap + 1; read the entry; write turn 2 * (lap + 1)
 *
 * Place. Entry and turn are one word of 16 bytes, which is loaded and stored whole (ordo_dev_load_wide). So entries
 * have 12 bytes at most, the first of their struct.
 *
 * Invariants. (1) Of dequeues no more tickets are drawn or assured than enqueues have drawn: entries grows by k behind
 * the drawing of k tickets, and what is assured has been subtracted from what was there. (2) Of enqueues no more are
 * drawn or assured than N and what dequeues have drawn. By (1) each entry that a dequeue waits for in D3 has a ticket,
 * so its enqueue is in E3; by (2) each place that an enqueue waits for in E3 is that of a dequeue in D3.
 *
 * Progress. E3 of ticket t waits for D3 of t - N alone, D3 of t for E3 of t alone. So the step of the smallest ticket
 * that is not done waits for none: no circle. Three things make that hold on a GPU:
 *   Threads that have begun go on (compute capability 7.0). A block that has not begun has no ticket, so no thread
 *     waits for it; but a caller that repeats a call until others have put something needs blocks that are all
 *     resident, as in a cooperative launch.
 *   A warp ends a call before it begins another one, and within a call ends smaller tickets first or at the same time:
 *     in the loops of ordo_dev_broker_write and _read each lane stores as soon as its turn has come. A loop in which a
 *     lane waits alone, and stores behind it, would be a deadlock: the compiler may let the lanes meet in between.
 *   Between E1 and E2', and D1 and D2', no thread waits.
 * The queue is blocking: a warp that stops in between, at a breakpoint, stops others.
 *
 * Answers, as in broker_queue.h: the distributor answers at once; the Broker Queue answers empty only where it has read
 * head and then tail and head >= tail, full where tail and then head and tail - head >= N. Else it asks again: another
 * call is between its steps, or gives back.
 *
 * Memory order.
 *   place     relaxed. Turn and entry are one location, whose coherence is enough: a load that sees the turn sees the
 *             entry; D3's store comes after the load that saw the entry, and E3's of the next lap after a load that saw
 *             D3's. What was written before an entry, other than the entry, is ordered by fences that the caller asks
 *             for (`ordered`): before E3's stores, and behind D3's loads.
 *   entries, used   relaxed: only their values are used.
 *   tail, head      of the distributor relaxed. Of the Broker Queue, a fence (acquire and release) is ahead of E2 and
 *             D2, by the thread that does the step, and the first of the two reads of Answers acquires. So a call that
 *             sees an addition to one word sees all that happened before it, also additions to the other one. Additions
 *             continue the release sequence of those before them, so it sees what happened before these, too.
 * Then there is an order of all calls that agrees with what happens before what (->). Tickets give the order of
 * enqueues and that of dequeues. `empty`, which reads head = h and then tail = h, comes behind dequeue h and ahead of
 * enqueue h + 1; `full`, which reads tail = t and then head = h <= t - N, behind enqueue t and ahead of dequeue h + 1.
 * No circle goes through `empty`:
 *   enqueue m > h -> `empty`, or -> a dequeue up to h: its read of tail, behind a read of head that acquired dequeue h
 *     and those before it, would have seen m.
 *   `empty` -> an enqueue or a dequeue up to h: its reads saw these.
 *   Another answer has its place by the same two words. `empty` with h2 > h is behind this one, as is `full` with
 *     head >= h; `full` with head < h is ahead. A later answer reads no less of either word, so -> agrees with that.
 * `full` likewise. So the two reads need no fence of sequential consistency between them. One of system scope would
 * wait for all that the thread has stored in other GPUs. Warps that know of each other's calls by a clock alone get the
 * same where an atomic is done, in one order at the cache, when its result is there; histories on GPUs are tested with
 * such a clock.
 *
 * Several GPUs. Words and places may be in memory that other GPUs map, and these then make the same calls, with the
 * addresses at which they see it (ordo_dev_broker_system). Steps, invariants and progress are those above; no word says
 * who calls. What crosses a link: of an enqueue the additions and loads of E1 to E2', once for all entries of the call,
 * the load of each place's turn, and the store of entry and turn. A dequeue by the GPU that has the memory crosses
 * none.
 *
 *   Scope     All operations on words and places, and the fences, have system scope, those of the GPU that has the
 *             memory, too: two operations of which one changes a word are ordered only if the scope of each includes
 *             the other's thread (morally strong, in the memory model of PTX), and a dequeue changes `entries`, `used`
 *             and turns beside enqueues of others. With that, Memory order holds as it stands.
 *   Order     A thread may draw tickets of several queues and then write all of them, if all threads take the
 *             queues in the same order, and if it reads none in between. Then of all tickets that are not done the
 *             least one, by queue and then by number, waits for none. In different orders there are circles
 *             (tests/models/queues.pml). Lanes that write at the same time (ordo_dev_broker_write) need no order.
 *   Residence All callers on all GPUs must be resident before the first call: ranks meet before it.
 *
 * Cost. A call makes four requests for counters (E1 two, a load first), which bound thousands of warps: 0.35 G calls a
 * second on an H200, whatever their lanes (docs/lab/0049-broker-queue-on-a-gpu.md).
 *
 * Not done: waiting for an entry; entries of more than 12 bytes; tail and entries, head and used in a
 * word each, which would save one of the four.
 */
#ifndef ORDO_SCHEDULER_BROKER_QUEUE_CUH
#define ORDO_SCHEDULER_BROKER_QUEUE_CUH

#include <ordo/detail/cuda/atomics.cuh>

/* Tests put delays here, ahead of the drawing of tickets (E2, D2). */
#ifndef ORDO_DEV_BROKER_HOOK
#define ORDO_DEV_BROKER_HOOK() ((void)0)
#endif

enum {
    ORDO_DEV_BROKER_MOST = 1 << 30, /* places of the largest queue */
    ORDO_DEV_BROKER_NAP = 32,       /* nanoseconds of the first nap of a thread that waits, */
    ORDO_DEV_BROKER_LONGEST = 512   /* and of the longest */
};

/* All zero: an empty queue. Words that are changed by different steps are on lines of their own. */
typedef struct ordo_dev_broker_words {
    ordo_u64 tail, padding0[15];
    ordo_u64 head, padding1[15];
    ordo_u32 entries, padding2[31]; /* read as signed */
    ordo_u32 used, padding3[31];
} ordo_dev_broker_words;

/* `System`: the scope of all operations; see Several GPUs. */
template <bool System> struct ordo_dev_broker_at {
    ordo_dev_broker_words *words;
    ulonglong2 *place; /* [1 << shift], all zero at first */
    ordo_u32 shift;
    bool certain; /* Broker Queue, else Broker Work Distributor; see Answers */
};
typedef ordo_dev_broker_at<false> ordo_dev_broker;
typedef ordo_dev_broker_at<true> ordo_dev_broker_system;

/* A place: the entry's first bytes, and the turn. */
typedef struct ordo_dev_broker_place {
    ordo_u32 word[3], turn;
} ordo_dev_broker_place;

/* ---- one thread ---- */

/* Operations of the queue's scope. */
template <bool System, typename T> ORDO_DEV T ordo_dev_broker_load(const ordo_dev_broker_at<System> &, T *p)
{
    if constexpr (System)
        return ordo_dev_load_system(p);
    else
        return ordo_dev_load(p);
}
/* The first of the two reads of Answers, which acquires. On one GPU by a fence: it takes no longer there, and calls
 * that find no place come back later, which is worth 5 % where there are more threads than places
 * (docs/lab/0082-cells-set-on-the-device.md). */
template <bool System> ORDO_DEV ordo_u64 ordo_dev_broker_read_first(const ordo_dev_broker_at<System> &, ordo_u64 *p)
{
    if constexpr (System)
        return ordo_dev_acquire_system(p);
    const ordo_u64 value = ordo_dev_load(p);
    ordo_dev_fence_seq_cst();
    return value;
}
template <bool System, typename T> ORDO_DEV T ordo_dev_broker_add(const ordo_dev_broker_at<System> &, T *p, T value)
{
    if constexpr (System)
        return ordo_dev_add_system(p, value);
    else
        return ordo_dev_add(p, value);
}
template <bool System> ORDO_DEV void ordo_dev_broker_fence(const ordo_dev_broker_at<System> &)
{
    if constexpr (System)
        ordo_dev_fence_system();
    else
        ordo_dev_fence();
}

template <bool System>
ORDO_DEV ordo_dev_broker_place ordo_dev_broker_look(const ordo_dev_broker_at<System> &q, ordo_u64 ticket)
{
    const ulonglong2 *const at = &q.place[ticket & (((ordo_u64)1 << q.shift) - 1)];
    ulonglong2 word;
    ordo_dev_broker_place place;
    if constexpr (System)
        word = ordo_dev_load_wide_system(at);
    else
        word = ordo_dev_load_wide(at);
    memcpy(&place, &word, sizeof place);
    return place;
}

template <bool System>
ORDO_DEV void ordo_dev_broker_set(const ordo_dev_broker_at<System> &q, ordo_u64 ticket,
                                  const ordo_dev_broker_place &place)
{
    ulonglong2 *const at = &q.place[ticket & (((ordo_u64)1 << q.shift) - 1)];
    ulonglong2 word;
    memcpy(&word, &place, sizeof word);
    if constexpr (System)
        ordo_dev_store_wide_system(at, word);
    else
        ordo_dev_store_wide(at, word);
}

/* Whether the queue was empty at a moment of this call, and whether it had no free place; see Answers. */
template <bool System> ORDO_DEV bool ordo_dev_broker_was_empty(const ordo_dev_broker_at<System> &q)
{
    const ordo_u64 head = ordo_dev_broker_read_first(q, &q.words->head);
    return head >= ordo_dev_broker_load(q, &q.words->tail);
}
template <bool System> ORDO_DEV bool ordo_dev_broker_was_full(const ordo_dev_broker_at<System> &q)
{
    const ordo_u64 tail = ordo_dev_broker_read_first(q, &q.words->tail);
    const ordo_u64 head = ordo_dev_broker_load(q, &q.words->head);
    return tail >= head && tail - head >= (ordo_u64)1 << q.shift;
}

ORDO_DEV void ordo_dev_broker_nap(ordo_u32 *nap)
{
    __nanosleep(*nap);
    *nap = *nap < ORDO_DEV_BROKER_LONGEST ? 2 * *nap : *nap;
}

/* E1 to E2': draws tickets for up to `want` > 0 entries, from *first on; returns their number, 0: full. */
template <bool System>
ORDO_DEV ordo_u32 ordo_dev_broker_to_write(const ordo_dev_broker_at<System> &q, ordo_u32 want, ordo_u64 *first)
{
    const int places = 1 << q.shift;
    for (ordo_u32 nap = ORDO_DEV_BROKER_NAP;; ordo_dev_broker_nap(&nap)) {
        if ((int)ordo_dev_broker_load(q, &q.words->used) < places) {
            const int left = places - (int)ordo_dev_broker_add(q, &q.words->used, want);
            const ordo_u32 got = left <= 0 ? 0 : (ordo_u32)left < want ? (ordo_u32)left : want;
            if (got < want)
                ordo_dev_broker_add(q, &q.words->used, got - want);
            if (got) {
                ORDO_DEV_BROKER_HOOK();
                if (q.certain)
                    ordo_dev_broker_fence(q);
                *first = ordo_dev_broker_add(q, &q.words->tail, (ordo_u64)got);
                ordo_dev_broker_add(q, &q.words->entries, got);
                return got;
            }
        }
        if (!q.certain || ordo_dev_broker_was_full(q))
            return 0;
    }
}

/* D1 to D2': draws tickets of up to `most` > 0 of the oldest entries, but of no more than one in `sharers` of those
 * that are there, and one. Returns their number, 0: empty. */
template <bool System>
ORDO_DEV ordo_u32 ordo_dev_broker_to_read(const ordo_dev_broker_at<System> &q, ordo_u32 most, ordo_u32 sharers,
                                          ordo_u64 *first)
{
    for (ordo_u32 nap = ORDO_DEV_BROKER_NAP;; ordo_dev_broker_nap(&nap)) {
        const int there = (int)ordo_dev_broker_load(q, &q.words->entries);
        if (there > 0) {
            const ordo_u32 share = (ordo_u32)there / sharers + 1, want = share < most ? share : most;
            const int before = (int)ordo_dev_broker_add(q, &q.words->entries, 0u - want);
            const ordo_u32 got = before <= 0 ? 0 : (ordo_u32)before < want ? (ordo_u32)before : want;
            if (got < want)
                ordo_dev_broker_add(q, &q.words->entries, want - got);
            if (got) {
                ORDO_DEV_BROKER_HOOK();
                if (q.certain)
                    ordo_dev_broker_fence(q);
                *first = ordo_dev_broker_add(q, &q.words->head, (ordo_u64)got);
                ordo_dev_broker_add(q, &q.words->used, 0u - got);
                return got;
            }
        }
        if (!q.certain || ordo_dev_broker_was_empty(q))
            return 0;
    }
}

/* ---- one warp ---- */

/* E3 for entries of the lane: entry[r], with ticket `ticket` + 32 * r, where bit r of `waits` is set. */
template <int N, bool System, typename Entry>
ORDO_DEV void ordo_dev_broker_write(const ordo_dev_broker_at<System> &q, ordo_u32 waits, ordo_u64 ticket,
                                    const Entry (&entry)[N])
{
    constexpr size_t bytes = sizeof(Entry) < 12 ? sizeof(Entry) : 12;
    static_assert(sizeof(Entry) <= 16, "an entry and its turn are 16 bytes");
    while (__any_sync(~0u, waits != 0)) {
        ordo_u32 turn[N];
#pragma unroll
        for (int r = 0; r < N; r++)
            if (waits >> r & 1)
                turn[r] = ordo_dev_broker_look(q, ticket + 32 * r).turn;
#pragma unroll
        for (int r = 0; r < N; r++) {
            const ordo_u32 free = 2 * (ordo_u32)((ticket + 32 * r) >> q.shift);
            if ((waits >> r & 1) && turn[r] == free) {
                ordo_dev_broker_place place = {{0, 0, 0}, free + 1};
                memcpy(place.word, &entry[r], bytes);
                ordo_dev_broker_set(q, ticket + 32 * r, place);
                waits &= ~(1u << r);
            }
        }
    }
}

/* D3 for the lane's ticket, if it `waits` for one. */
template <bool System, typename Entry>
ORDO_DEV void ordo_dev_broker_read(const ordo_dev_broker_at<System> &q, bool waits, ordo_u64 ticket, Entry *entry)
{
    constexpr size_t bytes = sizeof(Entry) < 12 ? sizeof(Entry) : 12;
    const ordo_u32 filled = 2 * (ordo_u32)(ticket >> q.shift) + 1;
    while (__any_sync(~0u, waits)) {
        if (!waits)
            continue;
        const ordo_dev_broker_place place = ordo_dev_broker_look(q, ticket);
        if (place.turn == filled) {
            memcpy(entry, place.word, bytes);
            ordo_dev_broker_set(q, ticket, {{0, 0, 0}, filled + 1});
            waits = false;
        }
    }
}

/* One entry of each lane with `has`. `Together`: one of them is assured and draws the tickets for all, else each does
 * so for itself. Returns whether the lane's entry was put. */
template <bool Together, bool System, typename Entry>
ORDO_DEV bool ordo_dev_broker_put_one(const ordo_dev_broker_at<System> &q, bool has, Entry entry)
{
    const Entry entries[1] = {entry};
    ordo_u64 ticket = 0;
    if (Together) {
        const ordo_u32 lane = threadIdx.x % 32, those = __ballot_sync(~0u, has),
                       rank = __popc(those & ((1u << lane) - 1));
        ordo_u32 got = 0;
        if (has && rank == 0)
            got = ordo_dev_broker_to_write(q, __popc(those), &ticket);
        const int caller = those ? __ffs(those) - 1 : 0;
        got = __shfl_sync(~0u, got, caller);
        has = has && rank < got;
        ticket = __shfl_sync(~0u, ticket, caller) + rank;
    } else if (has) {
        has = ordo_dev_broker_to_write(q, 1, &ticket) != 0;
    }
    __syncwarp();
    ordo_dev_broker_write(q, has, ticket, entries);
    return has;
}

/* Takes an entry for each lane with `wants`, likewise. Returns whether the lane got one. */
template <bool Together, bool System, typename Entry>
ORDO_DEV bool ordo_dev_broker_take_one(const ordo_dev_broker_at<System> &q, bool wants, Entry *entry)
{
    ordo_u64 ticket = 0;
    if (Together) {
        const ordo_u32 lane = threadIdx.x % 32, those = __ballot_sync(~0u, wants),
                       rank = __popc(those & ((1u << lane) - 1));
        ordo_u32 got = 0;
        if (wants && rank == 0)
            got = ordo_dev_broker_to_read(q, __popc(those), 1, &ticket);
        const int caller = those ? __ffs(those) - 1 : 0;
        got = __shfl_sync(~0u, got, caller);
        wants = wants && rank < got;
        ticket = __shfl_sync(~0u, ticket, caller) + rank;
    } else if (wants) {
        wants = ordo_dev_broker_to_read(q, 1, 1, &ticket) != 0;
    }
    __syncwarp();
    ordo_dev_broker_read(q, wants, ticket, entry);
    return wants;
}

/* E3 for entry(i), i < count, with tickets from `first` on, by warps together; `warp`: this one's number of them. */
template <bool System, typename Get>
ORDO_DEV void ordo_dev_broker_write_all(const ordo_dev_broker_at<System> &q, ordo_u64 first, ordo_u32 count,
                                        ordo_u32 warp, ordo_u32 warps, Get get)
{
    enum { N = 2 };
    const ordo_u32 lane = threadIdx.x % 32;
    for (ordo_u32 at = warp * 32 * N; at < count; at += warps * 32 * N) {
        decltype(get(0u)) entry[N];
        ordo_u32 waits = 0;
#pragma unroll
        for (int r = 0; r < N; r++)
            if (at + 32 * r + lane < count) {
                entry[r] = get(at + 32 * r + lane);
                waits |= 1u << r;
            }
        ordo_dev_broker_write(q, waits, first + at + lane, entry);
    }
}

/* Appends entries from the front of from[count], while there are free places; returns their number. `ordered`: all that
 * the warp has written before is ordered before the entries. */
template <bool System, typename Entry>
ORDO_DEV ordo_u32 ordo_dev_broker_put(const ordo_dev_broker_at<System> &q, const Entry *from, ordo_u32 count,
                                      bool ordered)
{
    ordo_u64 first = 0;
    ordo_u32 got = 0;
    __syncwarp();
    if (ordered)
        ordo_dev_broker_fence(q);
    if (threadIdx.x % 32 == 0)
        got = ordo_dev_broker_to_write(q, count, &first);
    got = __shfl_sync(~0u, got, 0);
    first = __shfl_sync(~0u, first, 0);
    ordo_dev_broker_write_all(q, first, got, 0, 1, [&](ordo_u32 i) { return from[i]; });
    return got;
}

/* Takes up to `most` of the oldest entries, in order, at most 32: lane i gets the i-th, with ticket *first + i. Returns
 * their number. Shares as ordo_dev_broker_to_read. `Ordered`: what was written before the entries were put is ordered
 * before what the warp reads afterwards. */
template <bool Ordered, bool System, typename Entry>
ORDO_DEV ordo_u32 ordo_dev_broker_take(const ordo_dev_broker_at<System> &q, ordo_u32 most, ordo_u32 sharers,
                                       Entry *entry, ordo_u64 *first)
{
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u32 got = 0;
    *first = 0;
    if (lane == 0)
        got = ordo_dev_broker_to_read(q, most, sharers, first);
    got = __shfl_sync(~0u, got, 0);
    *first = __shfl_sync(~0u, *first, 0);
    ordo_dev_broker_read(q, lane < got, *first + lane, entry);
    if (Ordered) {
        __syncwarp();
        ordo_dev_broker_fence(q);
    }
    return got;
}

#endif
