/* inbox on a GPU: asynchronous buckets without barriers; a worker is a warp and owns the rings of its items.
 *
 * Problem. Expand items roughly in the order of their priorities, with no barrier between buckets and no queue that all
 * warps change. The protocol is that of ring.h (P1 to P4, R1, R2); this comment describes what differs on a GPU.
 *
 * Data structures.
 *   ends, place    a ring for each bucket of each worker, since a warp has no private memory to sort entries into: the
 *                  publisher chooses the bucket. Items are stored plus 1, so zeroed memory is empty places
 *   waiting[b]     entries of slot b in all rings; the lowest slot that has any is the front
 *   pending        entries, spilled bits and the workers' credit (P1)
 *   bits           a bit for each item, for entries that have no place in a ring
 *   hint           number of the bucket at which the front was last seen; it only grows. Buckets are numbered from the
 *                  start of the run; number k is in slot k % 32, and slots stand for the buckets from hint - MARGIN on.
 *                  Entries more than LAST buckets from there are clipped to that distance, and published again when
 *                  they are taken too early
 *   control_word   written by the monitor: where buckets lie, how wide they are, whether the host wants the run to stop
 *
 * Protocol. A worker takes up to 32 entries at a time from the head of its lowest ring, at most `window` buckets beyond
 * the front, and expands them (op_warp_loop); what it activates it publishes to the owners' rings (inbox_publish).
 *   P1 uses credit: see inbox_publish_pending. P3, no place in a ring: see inbox_publish. Where nearly all items are
 *      due at once rings would not hold them, and they become bits: see inbox_scatter.
 *   One warp is the monitor: it expands nothing, passes on the host's stop request, writes the trace, changes the width
 *   of buckets and jumps over gaps in priorities (inbox_adapt). hint, waiting and the width decide order only: a worker
 *   with an outdated copy puts entries too early or too late, and they are taken nevertheless.
 *
 * Termination. `pending` is raised before an entry or bit is visible, and lowered after what it activated is counted.
 * So when it is 0, it stays 0 and the run is over: no worker has credit, and there is no entry in a ring, no bit, and
 * none that a warp holds. Work is bounded: entries of a bucket are taken first in, first out (inbox_claim).
 *
 * Over several GPUs, in units for that: cuda_ranks.cuh.
 *
 * Memory order. P1 comes before P4 by a fence, which is left out while credit lasts: an acquire fence takes as long as
 * expanding a batch. R1: places are emptied before they are free for other warps, by the fence of inbox_publish_heads.
 * Entries of 8 bytes are one store; of longer ones the value is stored first, and a fence orders it before the item
 * (P4).
 */
#if ORDO_WARP_HAS_ENTRIES
#include "ring.h"
#include "tunables.h"

/* What profilers show carries the operator's name. */
#define inbox_kernel ORDO_OP_NAME(inbox_kernel)

enum {
    INBOX_DEV_THREADS = 256,
    INBOX_DEV_WARPS = INBOX_DEV_THREADS / 32,
    INBOX_DEV_MARGIN = 8, /* buckets behind the hint that have slots, for late entries and old copies of the hint */
    INBOX_DEV_LAST = INBOX_BUCKETS - 1 - INBOX_DEV_MARGIN,
    INBOX_DEV_LOOKS = 4,     /* an idle worker loads its rings' ends this often for each load of the grid's counters */
    INBOX_DEV_SPARE = 64,    /* credit taken beyond the credit that is needed */
    INBOX_DEV_SHORT = 16000, /* buckets are too narrow if SEVERAL of them take less than this, in ns per bucket */
    INBOX_DEV_SEVERAL = 16,
    INBOX_DEV_WIDEST = 20,    /* the most doublings of the first width, */
    INBOX_DEV_NARROWEST = 20, /* and halvings */
    INBOX_DEV_MANY = 4,       /* expansions per item after which the width halves; and again after half as many */
    INBOX_DEV_NAP = 2000,     /* nanoseconds of the monitor; over several GPUs it waits for those of other ranks, too */
    INBOX_DEV_RANKS_NAP = 500,
    INBOX_DEV_COUNT = 16, /* a lane adds its counters to the grid's after at least this many edges */
};

/* Two cache lines: idle warps, which may be nearly all, read both again and again. */
typedef struct inbox_dev_words {
    ordo_u32 waiting[INBOX_BUCKETS];
    ordo_u64 pending, hint;
    ordo_u64 spilled;      /* number of bits that were set since the start */
    ordo_u64 control_word; /* written by the monitor: since << 8 | asked, parity << 7 | exponent, 6 bits with sign << 1
                              | stop */
    ordo_u64 origin; /* priority at which bucket `since` begins, the bits of a double; stored before control_word */
    ordo_u64 padding0[11];
    ordo_u64 nearest;  /* least priority, in the form of ordo_warp_note_least() */
    ordo_u64 progress; /* not 0: a worker has done more than publish again since the monitor asked. Affects order only,
                          as `nearest` does */
    ordo_u64 padding1[14];
    /* over several GPUs: messages that the rank has sent, bits of ghosts, how many of both are finished, and workers
     * that have ended */
    ordo_u64 sent, padding2[15], kept, padding3[15], remote_done, padding4[15], ended, padding5[15];
} inbox_dev_words;

/* 2^k */
ORDO_DEV double inbox_dev_power(int k)
{
    return __longlong_as_double((long long)(1023 + k) << 52);
}

/* The exponent of a control word: how often the first width has doubled; negative: halved. */
ORDO_DEV int inbox_dev_exponent(ordo_u64 control_word)
{
    return (int)((ordo_u32)control_word << 25) >> 26;
}

typedef struct inbox_args {
    inbox_dev_words *words;
    ordo_u64 *ends;            /* [workers][32] tail << 32 | head */
    op_entry *place;           /* [workers][32][size] */
    ordo_u32 size;             /* places of a ring: a power of two */
    ordo_u32 workers;          /* all warps but one */
    ordo_u32 window;           /* buckets */
    ordo_u32 bitmap_threshold; /* once a slot has this many entries, in all rings, further ones become bits */
    ordo_u32 chain_limit;      /* the most hops of a chain */
    bool latency_bound;        /* degrees are small, and there are no hubs */
    double delta, per_delta;
    bool dynamic;         /* whether the width may change */
    double least;         /* the least width */
    ordo_u32 count_edges; /* a worker adds its counters to the grid's when a lane has counted this many edges */
    ordo_u32 *bits;       /* a bit for each spilled item */
    ordo_u64 bit_words;
    op_warp_ctx ctx;
    ordo_u64 *lowest;
    ordo_cuda_run run;
} inbox_args;

/* Words of a warp's store: whether the monitor has asked, and how many of the entries that the warp held were published
 * again. */
enum { inbox_asked, inbox_again };
/* Entries of a lane that are published at the same time: as many as registers allow. */
enum { inbox_rounds = sizeof(op_entry) == 8 ? 3 : (int)op_warp_sums ? 1 : 2 };

/* A worker's state beside its op_warp. In lane b, head, known and taken belong to the ring of slot b; all other members
 * are the same in all lanes. */
typedef struct inbox_worker {
    ordo_u32 index;
    ordo_u32 head, known;  /* places read; the same as last published */
    ordo_u32 taken;        /* entries of the slot that it holds */
    ordo_u32 done;         /* entries, bits and initial items that it holds, of all slots */
    ordo_u32 credit;       /* part of `pending` for entries that it may publish later */
    ordo_u32 to_bitmap;    /* slots whose new entries become bits, as a mask */
    ordo_u32 control_seen; /* lower half of the control word that it last applied; affects order only */
    double from, width;    /* of buckets: the priority at which number 0 would begin, and the width */
#if ORDO_OVER_RANKS
    ordo_u32 remote; /* messages, and bits of ghosts, that it has taken and not counted as finished */
    ordo_u32 looks;  /* turns */
    bool found;      /* there were messages when it last looked */
#endif
} inbox_worker;

#if ORDO_OVER_RANKS
#include "cuda_ranks.cuh"
#endif

/* By one thread: a place of a ring. */
ORDO_DEV op_entry *inbox_place(const inbox_args &a, ordo_u32 worker, ordo_u32 slot, ordo_u32 at)
{
    return &a.place[((ordo_u64)worker * INBOX_BUCKETS + slot) * a.size + (at & (a.size - 1))];
}

/* By one thread: the entry in a place, with its item plus 1; item 0 if it is not written yet. */
ORDO_DEV op_entry inbox_look(op_entry *at)
{
    op_entry entry;
    if constexpr (sizeof(entry) == 8) {
        ordo_u64 *const p = (ordo_u64 *)at;
        const ordo_u64 word = op_warp_ordered ? ordo_dev_acquire(p) : ordo_dev_load(p);
        memcpy(&entry, &word, sizeof entry);
    } else {
        entry.item = ordo_dev_acquire(&at->item);
        entry.value = ordo_dev_load(&at->value);
    }
    return entry;
}

/* By a whole warp: publishes the heads, behind a fence, because places must be empty before other warps may fill them
 * (R1). This is done when a fence is needed anyway, when half of a ring is free without being published, or when a
 * publisher seems to wait for a place. */
ORDO_DEV void inbox_publish_heads(const inbox_args &a, inbox_worker *me)
{
    __syncwarp();
    ordo_dev_fence();
    if (me->head != me->known) {
        /* no carry: the low half is still `known` */
        ordo_dev_add(&a.ends[me->index * INBOX_BUCKETS + threadIdx.x % 32], (ordo_u64)me->head - me->known);
        me->known = me->head;
    }
}

/* By a whole warp: P2 to P4 for entries of the store, inbox_rounds per lane, from number `first` on. Fenced: all
 * earlier accesses of the warp come before P4. P3. A publisher whose place is not free yet has no buckets into which it
 * could empty its own rings. So while it waits it spills the contents of its rings, a bit per item, which a worker
 * without other work takes later; `pending` counts bits as entries. A worker that sees that others wait for places of
 * its rings publishes its heads and takes entries from there, even beyond the window. So every worker for which a
 * publisher waits either waits itself, and spills, or reads its rings. One function: the entries and
 * places of a lane are in registers from P2 to P4. */
ORDO_DEV void inbox_publish(const inbox_args &a, op_warp *w, inbox_worker *me, ordo_u32 first, bool fenced)
{
    const ordo_u32 lane = threadIdx.x % 32;
    op_entry *at[inbox_rounds];
    op_entry entry[inbox_rounds];
    ordo_u32 place[inbox_rounds], head[inbox_rounds];
#pragma unroll
    for (int r = 0; r < inbox_rounds; r++) {
        const ordo_u32 i = first + 32 * r + lane;
        if (i < w->held) {
            entry[r] = w->store->held[i];
            const ordo_u32 slot = w->store->tag[i] >> 8, owner = inbox_owner(entry[r].item, INBOX_LINE, a.workers);
            const ordo_u64 ends = ordo_dev_add(&a.ends[owner * INBOX_BUCKETS + slot], (ordo_u64)1 << 32); /* P2 */
            place[r] = inbox_tail(ends);
            head[r] = inbox_head(ends);
            at[r] = inbox_place(a, owner, slot, place[r]);
            entry[r].item++;
            if (sizeof(op_entry) != 8 && place[r] - head[r] < a.size)
                ordo_dev_store(&at[r]->value, entry[r].value);
        }
    }
    if (fenced)
        inbox_publish_heads(a, me);
    ordo_u32 waits = 0; /* bit r: entry r has no place yet */
#pragma unroll
    for (int r = 0; r < inbox_rounds; r++)
        if (first + 32 * r + lane < w->held) {
            if (place[r] - head[r] >= a.size) {
                waits |= 1u << r;
            } else if constexpr (sizeof(op_entry) == 8) { /* P4 */
                ordo_u64 word;
                memcpy(&word, &entry[r], sizeof word);
                ordo_dev_store((ordo_u64 *)at[r], word);
            } else {
                ordo_dev_store(&at[r]->item, entry[r].item);
            }
        }
    if (__any_sync(~0u, waits != 0)) /* P3: rare */
        inbox_publish_heads(a, me);
    while (__any_sync(~0u, waits != 0)) {
        if (__any_sync(~0u, ordo_dev_load(&a.words->control_word) & 1))
            break;
        /* an entry of each of its own rings becomes a bit, which is counted before the entry's count is removed */
        ordo_u64 *own = &a.ends[me->index * INBOX_BUCKETS + lane];
        const ordo_u64 ends = ordo_dev_load(own);
        if (inbox_tail(ends) != me->head) {
            op_entry *from = inbox_place(a, me->index, lane, me->head);
            const op_entry found = inbox_look(from);
            if (found.item) {
                ordo_dev_fence();
                const ordo_u32 item = found.item - 1, bit = 1u << item % 32;
                if (ordo_dev_or(&a.bits[item / 32], bit) & bit)
                    ordo_dev_add(&a.words->pending, ~(ordo_u64)0);
                else
                    ordo_dev_add(&a.words->spilled, (ordo_u64)1);
                ordo_dev_add(&a.words->waiting[lane], ~0u);
                ordo_dev_store(&from->item, 0u);
                ordo_dev_fence();
                ordo_dev_add(own, (ordo_u64)(me->head + 1) - (ordo_u64)me->head);
                me->known = ++me->head;
            }
        }
#pragma unroll
        for (int r = 0; r < inbox_rounds; r++)
            if (waits >> r & 1) {
                const ordo_u32 slot = w->store->tag[first + 32 * r + lane] >> 8;
                const ordo_u32 owner = inbox_owner(entry[r].item - 1, INBOX_LINE, a.workers);
                head[r] = inbox_head(ordo_dev_acquire(&a.ends[owner * INBOX_BUCKETS + slot]));
                if (place[r] - head[r] < a.size) {
                    ordo_dev_store(&at[r]->value, entry[r].value);
                    ordo_dev_fence();
                    ordo_dev_store(&at[r]->item, entry[r].item);
                    waits &= ~(1u << r);
                }
            }
        __syncwarp();
    }
    __syncwarp();
}

/* By a whole warp: entries of the store for slots that are too full become bits. In a run that begins with most items,
 * nearly all may be due at once, and rings have no places for them. Once the waiting entries of a bucket fill half of
 * all rings (bitmap_threshold), publishers set bits instead, behind P1 and a fence: a frontier with a bit per item, in
 * which entries of one item are merged. `pending` counts these entries already, as credit; the credit of an entry whose
 * bit was set before remains credit; `waiting` does not count bits. */
ORDO_DEV void inbox_scatter(const inbox_args &a, op_warp *w, inbox_worker *me)
{
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u32 kept = 0, set = 0;
    __syncwarp();
    ordo_dev_fence(); /* counters and cells come before bits */
    for (ordo_u32 first = 0; first < w->held; first += 32) {
        const bool there = first + lane < w->held;
        op_entry entry = {};
        unsigned short tag = 0;
        if (there) {
            entry = w->store->held[first + lane];
            tag = w->store->tag[first + lane];
        }
        const bool stays = there && !(me->to_bitmap >> (tag >> 8) & 1);
        const ordo_u32 staying = __ballot_sync(~0u, stays), bit = 1u << entry.item % 32;
        if (there && !stays)
            set += !(ordo_dev_or(&a.bits[entry.item / 32], bit) & bit);
        __syncwarp();
        if (stays) {
            const ordo_u32 at = kept + __popc(staying & ((1u << lane) - 1));
            w->store->held[at] = entry;
            w->store->tag[at] = tag;
        }
        kept += __popc(staying);
        __syncwarp();
    }
    set = ordo_warp_sum(set);
    if (lane == 0 && set)
        ordo_dev_add(&a.words->spilled, (ordo_u64)set);
    me->credit -= set;
    w->held = kept;
}

/* By a whole warp: P1 to P4 for all entries of the store. `all_done`: the warp holds nothing else, and what it held is
 * done.
 *   P1 on credit. A fence takes as long as an entire hop without one. So `pending` also counts the workers' credit:
 * entries that a worker may publish without counting them, since they are counted already. Entries that it has
 * processed become credit again. A worker with too little credit takes some more than it needs, and fences before P4;
 * one that finds nothing to do for a while returns its credit. So all that is visible is counted. */
ORDO_DEV void inbox_publish_pending(const inbox_args &a, op_warp *w, inbox_worker *me, bool all_done)
{
    const ordo_u32 lane = threadIdx.x % 32;
#if ORDO_OVER_RANKS
    if (all_done) /* before what it held becomes credit */
        op_warp_unstage(a.ctx, w);
#endif
    __syncwarp();
    const ordo_u32 count = w->store->count[lane];
    w->store->count[lane] = 0;
    const bool to_bitmap = me->to_bitmap >> lane & 1;
    const ordo_u32 off = all_done ? me->taken : 0, on = to_bitmap ? 0 : count;
    if (on != off)
        ordo_dev_add(&a.words->waiting[lane], on - off);
    if (all_done) {
        if (lane == 0) {
            if (w->store->own[inbox_asked] && me->done != w->store->own[inbox_again]) {
                ordo_dev_store(&a.words->progress, (ordo_u64)1);
                w->store->own[inbox_asked] = 0;
            }
            w->store->own[inbox_again] = 0;
        }
        me->credit += me->done;
        me->taken = me->done = 0;
    }
    if (!w->held)
        return;
    const bool more = me->credit < w->held;
    if (more) { /* P1 */
        const ordo_u32 need = w->held - me->credit + INBOX_DEV_SPARE;
        if (lane == 0)
            ordo_dev_add(&a.words->pending, (ordo_u64)need);
        me->credit += need;
    }
    if (__any_sync(~0u, to_bitmap && count))
        inbox_scatter(a, w, me);
    me->credit -= w->held;
    /* `owner` is written before a piece is published, and the words for which an item was activated before its entry
     * (<ordo/detail/cuda/warp.cuh>) */
    const bool fenced = more || w->cut || sizeof(op_entry) != 8 || op_warp_ordered ||
                        __any_sync(~0u, me->head - me->known >= (a.size + 1) / 2);
    for (ordo_u32 first = 0; first < w->held; first += 32 * inbox_rounds)
        inbox_publish(a, w, me, first, fenced);
    w->held = 0;
    w->cut = false;
}

/* By one thread: sets the map of priorities to buckets for a value of `hint`. */
ORDO_DEV void inbox_orient(op_warp *w, const inbox_worker *me, ordo_u64 hint)
{
    const ordo_u64 begins = hint > INBOX_DEV_MARGIN ? hint - INBOX_DEV_MARGIN : 0;
    w->map.base = me->from + (double)begins * me->width;
    w->map.head = (ordo_u32)(begins % INBOX_BUCKETS);
}

/* By one thread: the distance of the lowest slot of a mask from the map's head; 32 if the mask is empty. */
ORDO_DEV ordo_u32 inbox_nearest(const op_warp *w, ordo_u32 mask)
{
    mask = __funnelshift_r(mask, mask, w->map.head);
    return mask ? __ffs(mask) - 1 : 32;
}

/* State of a worker's search for spilled bits; the same in all lanes. 32-bit words, to save registers: ids have no more
 * bits. */
typedef struct inbox_search {
    ordo_u32 word;    /* the next 32 words of spilled bits, or a number beyond the last word */
    ordo_u32 spilled; /* lower half of `spilled` when the worker began with the first words */
    ordo_u32 idle;    /* number of loads of its rings' ends that found nothing */
} inbox_search;

/* What inbox_find found; the same in all lanes except for `at`. */
typedef struct inbox_found {
    op_entry *at; /* the lane's place */
    ordo_u32 slot, count;
    ordo_u32 distance; /* distance of the slot's bucket from the map's head */
    ordo_u32 due;      /* entries farther than this are published again; ~0: none */
} inbox_found;

/* By a whole warp: applies a changed control word: buckets have other bounds, or the monitor asks for progress. */
ORDO_DEV void inbox_apply_control(const inbox_args &a, op_warp *w, inbox_worker *me, ordo_u64 control_word)
{
    const int doubled = inbox_dev_exponent(control_word);
    me->control_seen = (ordo_u32)control_word;
    if (threadIdx.x % 32 == 0)
        w->store->own[inbox_asked] = 1;
    me->width = a.delta * inbox_dev_power(doubled);
    ordo_dev_fence(); /* lane 3 has read the control word; orders reading what was stored before it */
    const ordo_u64 origin = __shfl_sync(~0u, ordo_dev_load(&a.words->origin), 3);
    me->from = __longlong_as_double((long long)origin) - (double)(control_word >> 8) * me->width;
    w->map.per_delta = a.per_delta * inbox_dev_power(-doubled);
}

/* By a whole warp: takes bits of the worker's share of the spilled items, 32 words at a time. */
ORDO_DEV void inbox_take_bits(const inbox_args &a, op_warp *w, inbox_worker *me, inbox_search *next, ordo_u32 *bits)
{
    const ordo_u32 word = next->word + threadIdx.x % 32;
    *bits = ordo_warp_take_bits(a.bits, word, word < a.bit_words);
    next->word += a.workers * 32;
#if ORDO_OVER_RANKS
    *bits = inbox_ranks_send_kept(a, w, me, word, *bits);
#endif
    me->done += ordo_warp_sum((ordo_u32)__popc(*bits));
    w->chain_limit = 0;
}

/* By a whole warp: whether entries may be taken from a bucket at `distance`, by the grid's counters `hint` and
 * `waiting` (that of slot b in lane b); *due is then that of inbox_found. Otherwise there may be spilled items to take,
 * or the warp sleeps. */
ORDO_DEV bool inbox_may_take(const inbox_args &a, const op_warp *w, const inbox_worker *me, inbox_search *next,
                             ordo_u64 hint, ordo_u64 spills, ordo_u32 waiting, bool pressed, ordo_u32 distance,
                             ordo_u32 *due)
{
    const ordo_u32 front = inbox_nearest(w, __ballot_sync(~0u, waiting != 0));
    const ordo_u32 begins = hint > INBOX_DEV_MARGIN ? INBOX_DEV_MARGIN : (ordo_u32)hint; /* the hint's distance */
    if (front < 32 && front > begins) {
        if (threadIdx.x % 32 == 0)
            ordo_dev_max(&a.words->hint, hint + front - begins);
        if (front > begins + INBOX_DEV_LAST / 2)
            return false; /* too far from the map's buckets: clipped entries would seem due */
    }
    if (distance == 32 || (!pressed && front < 32 && distance > front + a.window)) {
        if ((ordo_u32)spills != next->spilled) {
            next->spilled = (ordo_u32)spills;
            next->word = me->index * 32;
        } else {
            __nanosleep(100);
        }
        return false;
    }
    *due = (front < distance ? front : distance) + a.window;
    *due = distance <= *due ? *due : ~0u;
    return true;
}

/* By a whole warp: reads the worker's rings and the grid's counters. ORDO_WARP_ENTRIES: there are entries to take, and
 * *entry is what the lane's place held when it was loaded. */
ORDO_DEV int inbox_find(const inbox_args &a, op_warp *w, inbox_worker *me, inbox_search *next, inbox_found *found,
                        op_entry *entry)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u64 ends = ordo_dev_load(&a.ends[me->index * INBOX_BUCKETS + lane]);
    /* Rings in which a publisher waits for a place (P3) come first, however late their entries are: that publisher may
     * hold entries of the front. */
    const ordo_u32 pressed = __ballot_sync(~0u, inbox_tail(ends) - me->known > a.size);
    const ordo_u32 filled = pressed ? pressed : __ballot_sync(~0u, inbox_tail(ends) != me->head);
    if (pressed)
        inbox_publish_heads(a, me);
    /* all workers change the grid's counters, so an idle one loads them only once in INBOX_DEV_LOOKS times */
    if (!filled && ++next->idle % INBOX_DEV_LOOKS) {
        __nanosleep(50);
        return ORDO_WARP_AGAIN;
    }
    if (!filled && me->credit) {
        if (lane == 0)
            ordo_dev_add(&a.words->pending, ~(ordo_u64)0 * me->credit);
        me->credit = 0;
    }
    found->slot = (w->map.head + inbox_nearest(w, filled)) % INBOX_BUCKETS;
    const ordo_u32 from = __shfl_sync(~0u, me->head, found->slot);
    const ordo_u32 count = __shfl_sync(~0u, inbox_tail(ends), found->slot) - from;
    found->count = min(min(count, 32), a.size);
    /* the entries are loaded together with the counters */
    found->at = inbox_place(a, me->index, found->slot, from + lane);
    if (filled && lane < found->count)
        *entry = inbox_look(found->at);
    const ordo_u32 waiting = ordo_dev_load(&a.words->waiting[lane]);
    const ordo_u64 control = ordo_dev_load(&a.words->pending + lane % 4);
    const ordo_u64 hint = __shfl_sync(~0u, control, 1), spills = __shfl_sync(~0u, control, 2);
    const ordo_u64 control_word = __shfl_sync(~0u, control, 3);
    if ((!ORDO_OVER_RANKS && __shfl_sync(~0u, control, 0) == 0) || (control_word & 1))
        return ORDO_WARP_END;
    if ((ordo_u32)control_word != me->control_seen)
        inbox_apply_control(a, w, me, control_word);
    inbox_orient(w, me, hint);
    me->to_bitmap = __ballot_sync(~0u, waiting >= a.bitmap_threshold);
    found->distance = inbox_nearest(w, filled);
    if (!inbox_may_take(a, w, me, next, hint, spills, waiting, pressed, found->distance, &found->due))
        return ORDO_WARP_AGAIN;
    /* they differ if the hint has moved past the slot */
    return found->slot == (w->map.head + found->distance) % INBOX_BUCKETS ? ORDO_WARP_ENTRIES : ORDO_WARP_AGAIN;
}

/* By a whole warp: takes what was found; returns whether the lane has an entry.
 *
 * Bounded work. Entries of a bucket are taken first in, first out: all entries of an item are in one ring of its owner,
 * which is taken from its head; the store and the local queue of a warp are emptied from their heads as well. Of an
 * item's entries at most one has the value of its cell; the others are stale. So of the entries that a ring holds at a
 * moment each item is expanded at most once, and what these activate comes behind them: passes like those of the
 * Bellman-Ford algorithm, with at most one expansion of an item in each, and no more passes than a best path inside the
 * bucket has edges. A chain adds at most chain_limit hops of 32 items to a portion. If there are nevertheless more than
 * a few expansions per item, the monitor halves the width of the buckets and, with it, the limit of chains. */
ORDO_DEV bool inbox_claim(const inbox_args &a, op_warp *w, inbox_worker *me, const inbox_found &found, op_entry *entry)
{
    const ordo_u32 lane = threadIdx.x % 32;
    bool there = lane < found.count;
    if (there) {
        while (!entry->item) { /* R2: its writer does not wait, but may have ended because the run was stopped */
            if (ordo_dev_load(&a.words->control_word) & 1)
                break;
            *entry = inbox_look(found.at);
        }
        there = entry->item != 0;
        entry->item -= there;
        ordo_dev_store(&found.at->item, 0u);
    }
    if (lane == found.slot) {
        me->head += found.count;
        me->taken += found.count;
    }
    me->done += found.count;
    const int doubled = inbox_dev_exponent(me->control_seen);
    w->chain_limit = a.chain_limit >> (doubled < 0 ? -doubled : 0); /* shorter if items are expanded too often */
    w->map.limit =
        w->map.base + (found.distance + 1) * me->width; /* entries below this priority may stay in the local queue */
    return there;
}

/* Hook `take`. Called by whole warps. */
ORDO_DEV int inbox_take(const inbox_args &a, op_warp *w, inbox_worker *me, inbox_search *next, bool *there,
                        op_entry *entry, ordo_u32 *bits)
{
#if ORDO_OVER_RANKS
    inbox_ranks_finish(a, w, me);
#endif
    if (next->word < a.bit_words) {
        inbox_take_bits(a, w, me, next, bits);
        return ORDO_WARP_AGAIN;
    }
#if ORDO_OVER_RANKS
    if (inbox_ranks_take_mail(a, w, me, next->idle))
        return ORDO_WARP_AGAIN;
#endif
    inbox_found found;
    const int state = inbox_find(a, w, me, next, &found, entry);
    if (state == ORDO_WARP_END || __any_sync(~0u, w->edges >= a.count_edges))
        op_warp_publish(w, a.run);
    if (state == ORDO_WARP_ENTRIES && next->idle >= INBOX_DEV_LOOKS)
        op_warp_show_state(w, a.run, ORDO_BUSY);
    else if (next->idle == INBOX_DEV_LOOKS)
        op_warp_show(w, a.run, ORDO_WAITING);
    else if (state == ORDO_WARP_ENTRIES && me->done % 8 == 0)
        op_warp_show(w, a.run, ORDO_LIVE_KEEP);
    if (state != ORDO_WARP_ENTRIES)
        return state;
    next->idle = 0;
    *there = inbox_claim(a, w, me, found, entry);
    *there = op_warp_resort(a.ctx, w, *there, *entry, found.due, [&](bool early, double priority) {
        ordo_warp_note_least(&a.words->nearest, early, priority);
        const ordo_u32 again = __popc(__ballot_sync(~0u, early));
        if (threadIdx.x % 32 == 0)
            w->store->own[inbox_again] += again;
    });
    return ORDO_WARP_ENTRIES;
}

/* The hooks of op_warp_loop. If items have no order, initial items are expanded by the warp that finds them. */
struct inbox_hooks {
    static constexpr bool narrow = true, gives_surplus = true, expands_initial = !op_ordered;
    static constexpr bool lanes = false, cuts = false;
    static constexpr ordo_u32 enough = 64;
    const inbox_args &a;
    inbox_worker *me;
    inbox_search next;

    ORDO_HOOK ordo_u64 stride() const
    {
        return (ordo_u64)a.workers * 32;
    }
    ORDO_HOOK bool exhausted() const
    {
        return true;
    }
    ORDO_HOOK bool holds(const op_warp *w) const
    {
        return w->held || me->done;
    }
    ORDO_HOOK void begun(ordo_u32 count)
    {
        me->done += count;
    }
    ORDO_HOOK bool between_hops(const op_warp *w) const
    {
        return !w->surplus;
    }
    ORDO_HOOK ordo_u32 swept_word() const
    {
        return next.word - a.workers * 32 + threadIdx.x % 32;
    }
    ORDO_HOOK void give(op_warp *w, bool drained)
    {
        inbox_publish_pending(a, w, me, drained);
    }
    ORDO_HOOK int take(op_warp *w, bool *there, op_entry *entry, ordo_u32 *bits)
    {
        return inbox_take(a, w, me, &next, there, entry, bits);
    }
};

/* A worker: runs until the end of the run. Called by whole warps. */
ORDO_DEV void inbox_work(const inbox_args &a, op_warp *w, inbox_worker *me, double base)
{
    inbox_hooks hooks = {a, me, {}};
    hooks.next.word = (ordo_u32)a.bit_words;
    w->map.buckets = INBOX_BUCKETS;
    w->map.last = INBOX_DEV_LAST;
    w->map.latency_bound = a.latency_bound;
    w->map.per_delta = a.per_delta;
    me->from = base;
    me->width = a.delta;
    inbox_orient(w, me, 0);
    op_warp_loop(a.ctx, a.run, w, hooks, (ordo_u64)me->index * 32);
#if ORDO_OVER_RANKS
    __syncwarp();
    ordo_dev_fence();
    if (threadIdx.x % 32 == 0)
        ordo_dev_add(&a.words->ended, (ordo_u64)1);
#endif
}

/* The monitor's state: bounds of the buckets, and what it has observed; the same in all lanes. */
typedef struct inbox_monitor_state {
    double origin, width; /* priority at which bucket `since` begins; width of all buckets */
    ordo_u64 since;
    int doubled;            /* how often the first width has doubled; negative: halved */
    ordo_u64 passed, began; /* the bucket from which on workers were idle, and the time */
    ordo_u64 asked;         /* the hint when the monitor last asked for progress */
    ordo_u32 times_asked;   /* how often it has asked */
    ordo_u64 enough;        /* number of expansions that is too large for this width */
} inbox_monitor_state;

/* By one thread: changes the width of buckets by `factor`, from the hint on. Numbers continue from there: bucket
 * `since` begins at `origin`, and all are 2^doubled times as wide as at first. Entries published before are taken late,
 * or sorted again; entries of a worker that has not read the new control word are put too early or too late. Both
 * affect order only. */
ORDO_DEV void inbox_change_width(inbox_monitor_state *m, ordo_u64 hint, double factor)
{
    m->origin += (double)(hint - m->since) * m->width;
    m->since = hint;
    m->width *= factor;
    m->doubled += factor > 1 ? 1 : -1;
}

/* By a whole warp: whether the front passes buckets in a very short time, while fewer entries wait there than half of
 * the workers could take at once. */
ORDO_DEV bool inbox_too_narrow(const inbox_args &a, inbox_monitor_state *m, ordo_u64 hint, ordo_u32 near_front)
{
    const bool busy = near_front >= a.workers / 2, several = hint - m->passed >= INBOX_DEV_SEVERAL;
    const ordo_u64 now = __shfl_sync(~0u, ordo_dev_clock(), 0);
    const bool narrow = several && !busy && now - m->began < INBOX_DEV_SEVERAL * INBOX_DEV_SHORT;
    if (several || busy) {
        m->passed = hint;
        m->began = now;
    }
    return narrow;
}

/* By a whole warp: moves buckets over a gap in priorities, or changes their width; `front` is the first bucket with
 * entries. The width halves if items are expanded too often: workers add to the grid's counters when they have done
 * their share of a pass over all edges, so the monitor notices that in time.
 *   Gaps. A worker that publishes clipped entries again lowers `nearest` to the least priority of them. The monitor
 * clears that word and starts an inquiry by changing the control word; workers that have done anything else since then
 * set `progress` when they hold no entries. If `progress` is still clear when the hint has gone once round the circle,
 * all waiting entries have been published again since, so the front's bucket becomes bucket `since` and begins at the
 * least priority of them. */
ORDO_DEV void inbox_adapt(const inbox_args &a, inbox_monitor_state *m, ordo_u64 hint, ordo_u64 front, bool narrow)
{
    const ordo_u64 before = m->since, done = __shfl_sync(~0u, ordo_dev_load(&a.run.counters->items), 0);
    const ordo_u64 noting = ordo_dev_load(&a.words->nearest + threadIdx.x % 2); /* `nearest`, and `progress` in the next
                                                                                   lane */
    const ordo_u64 nearest = __shfl_sync(~0u, noting, 0), progress = __shfl_sync(~0u, noting, 1);
    const bool round = nearest && hint - m->asked >= INBOX_BUCKETS;
    const double noted = ordo_dev_unordered(~nearest);
    if (round && m->times_asked && !progress && front > m->since &&
        noted > m->origin + (double)(front - m->since) * m->width) {
        m->origin = noted;
        m->since = front;
    } else if (hint >= m->since && done > m->enough && m->width / 2 >= a.least) {
        inbox_change_width(m, hint, 0.5);
        m->enough = done + (ordo_u64)INBOX_DEV_MANY * a.ctx.num_items / 2;
    } else if (hint >= m->since && narrow && a.dynamic && m->doubled < INBOX_DEV_WIDEST) {
        inbox_change_width(m, hint, 2);
    }
    if (threadIdx.x % 32 == 0) {
        if (round) {
            ordo_dev_store(&a.words->progress, (ordo_u64)0);
            ordo_dev_store(&a.words->nearest, (ordo_u64)0);
        }
        if (m->since != before)
            ordo_dev_store(&a.words->origin, (ordo_u64)__double_as_longlong(m->origin));
    }
    if (round) {
        m->asked = hint;
        m->times_asked++;
    }
}

/* By one whole warp of the grid: the monitor; runs until the end of the run. */
template <bool Traced> ORDO_DEV void inbox_monitor(const inbox_args &a, double base, ordo_u64 met)
{
    const ordo_u32 lane = threadIdx.x % 32;
    inbox_monitor_state m = {};
    m.origin = base;
    m.width = a.delta;
    m.enough = (ordo_u64)INBOX_DEV_MANY * a.ctx.num_items;
#if ORDO_OVER_RANKS
    const ordo_u64 began = ordo_dev_clock();
    ordo_dev_rounds k = {};
    k.met = met;
#else
    (void)met;
#endif
    for (ordo_u64 stop = 0;;) {
        const ordo_u64 control = ordo_dev_load(&a.words->pending + lane % 4);
        const ordo_u64 pending = __shfl_sync(~0u, control, 0), hint = __shfl_sync(~0u, control, 1);
#if ORDO_OVER_RANKS
        if (inbox_ranks_round(a, &k))
            break;
#else
        if (!pending || stop)
            break;
#endif
        /* loads slots in the order of their buckets */
        const ordo_u64 begins = hint > INBOX_DEV_MARGIN ? hint - INBOX_DEV_MARGIN : 0;
        const ordo_u32 waiting = ordo_dev_load(&a.words->waiting[(begins + lane) % INBOX_BUCKETS]);
        const ordo_u32 some = __ballot_sync(~0u, waiting != 0), front = some ? __ffs(some) - 1 : 0;
        const ordo_u32 near_front = ordo_warp_sum(lane <= front + a.window ? waiting : 0);
        inbox_adapt(a, &m, hint, begins + front, inbox_too_narrow(a, &m, hint, near_front));
        if (lane == 0) {
            ordo_dev_sample(a.run.record, pending, hint, m.width, a.window + 1, -1);
            if (Traced)
                ordo_live_report(a.run.traced, hint + 1, pending, hint, m.width, a.window + 1);
            a.run.record->supersteps = hint;
            a.run.mailbox->supersteps = hint;
            a.run.mailbox->in_flight = pending;
            stop = a.run.mailbox->stop;
            ordo_dev_release(&a.words->control_word, m.since << 8 | (m.times_asked & 1) << 7 |
                                                         (ordo_u64)(m.doubled & 63) << 1 | (!ORDO_OVER_RANKS && stop));
        }
        stop = __shfl_sync(~0u, stop, 0);
        __nanosleep(ORDO_OVER_RANKS ? INBOX_DEV_RANKS_NAP : INBOX_DEV_NAP);
    }
#if ORDO_OVER_RANKS
    if (lane == 0)
        ordo_dev_store(&a.words->control_word, ordo_dev_load(&a.words->control_word) | 1);
    __syncwarp();
    inbox_ranks_end(a, &k, began);
#endif
    if (lane == 0) {
        a.run.record->delta_first = a.delta;
        a.run.record->delta_last = m.width;
    }
}

template <bool Traced>
static __global__ void __launch_bounds__(INBOX_DEV_THREADS, 2) inbox_kernel(const __grid_constant__ inbox_args a)
{
    __shared__ ordo_warp_store<op_entry> store[INBOX_DEV_WARPS];
    __shared__ op_entry local_queue[INBOX_DEV_WARPS][32];
    __shared__ ordo_u32 live[Traced ? (int)INBOX_DEV_WARPS : 1][5];
    const ordo_u32 warp = threadIdx.x / 32;
    op_warp_lowest(a.ctx, &a.run, a.lowest);
    ordo_u64 met = 0;
#if ORDO_OVER_RANKS
    __shared__ op_dev_stage stage;
    op_dev_stage_start(&stage);
    inbox_ranks_start(a);
    ordo_dev_meet(a.ctx.ranks, &met, [] { return (ordo_u64)0; }); /* all kernels run */
#else
    if (blockIdx.x == 0 && threadIdx.x == 0)
        ordo_dev_store(&a.words->pending, a.run.initial_count);
    cooperative_groups::this_grid().sync();
#endif
    op_warp w;
    op_warp_start(&w, &store[warp], local_queue[warp], Traced ? live[warp] : NULL);
    inbox_worker me = {};
    me.index = blockIdx.x + gridDim.x * warp; /* consecutive workers are in different blocks */
    if (Traced && me.index <= a.workers)
        ordo_live_begin(a.run.traced, me.index < a.workers ? ORDO_BUSY : ORDO_MANAGING);
#if ORDO_OVER_RANKS
    op_warp_start_stage(&w, &stage);
#endif
    if (me.index < a.workers)
        inbox_work(a, &w, &me, op_warp_base(a.lowest));
    else if (me.index == a.workers)
        inbox_monitor<Traced>(a, op_warp_base(a.lowest), met);
}

/* Computes the number of workers, sizes of rings, and all parameters that follow from the graph, for `blocks` resident
 * blocks. */
static void inbox_plan(const ordo_job *job, int blocks, ordo_u64 ids, inbox_args *a)
{
    const double *t = job->tunable;
    const ordo_graph_kind kind = ordo_job_graph_kind(job);
    const bool deep = kind == ORDO_GRAPH_DEEP; /* latency-bound: wide buckets in order, chains */
    a->workers = (ordo_u32)blocks * INBOX_DEV_WARPS - 1;
    if (t[INBOX_WORKERS] > 0)
        a->workers = t[INBOX_WORKERS] < a->workers ? (ordo_u32)t[INBOX_WORKERS] : a->workers;
    else if (kind == ORDO_GRAPH_EVEN) /* more workers would find too little work, and slow down the grid's counters */
        a->workers = (a->workers + 1) / 8 * 5;
    /* each ring of a worker has places for two times its items, between bounds */
    const ordo_u64 wish = 2 * job->num_items / a->workers;
    a->size = 64;
    while (a->size < 4096 && a->size < wish)
        a->size *= 2;
    if (t[INBOX_RING] > 0)
        for (a->size = 1; 2 * a->size <= t[INBOX_RING];)
            a->size *= 2;
    const ordo_u64 half = (ordo_u64)a->workers * a->size / 2;
    if (t[INBOX_BITMAP_THRESHOLD] > 0)
        a->bitmap_threshold = (ordo_u32)t[INBOX_BITMAP_THRESHOLD];
    else /* not for shortest paths, which come close to this threshold on random graphs: bits have no order */
        a->bitmap_threshold = 2 * job->initial_count > job->num_items && half < ~0u ? (ordo_u32)half : ~0u;
    a->dynamic = t[INBOX_DYNAMIC] > 0;
    /* a declared width is a class or a level: narrower buckets would not give a better order */
    const double declared = op_delta((double)job->out->n, (double)job->out->m);
    a->least = !a->dynamic ? a->delta : declared > 0 ? declared : a->delta / (1 << INBOX_DEV_NARROWEST);
    /* a worker's share of a pass over all edges: its counters are then exact enough for the monitor */
    const ordo_u64 all = job->out->m > job->num_items ? job->out->m : job->num_items;
    const ordo_u64 share = all / a->workers / 32;
    a->count_edges = share < INBOX_DEV_COUNT ? INBOX_DEV_COUNT : share < 1u << 30 ? (ordo_u32)share : 1u << 30;
    a->window = t[INBOX_WINDOW] >= 0 ? (ordo_u32)t[INBOX_WINDOW] : deep ? 0 : 3;
    a->chain_limit = t[INBOX_CHAIN_LIMIT] >= 0 ? (ordo_u32)t[INBOX_CHAIN_LIMIT]
                     : deep                    ? 64
                     : kind == ORDO_GRAPH_EVEN ? 16
                                               : 0;
    a->latency_bound = kind != ORDO_GRAPH_HUBS;
    a->bit_words = (ids + 31) / 32;
    a->ctx.local_capacity = 32;
}

/* For samples of a trace: entries in rings, those that warps hold, and initial items that are not processed yet. Bits
 * are not counted by themselves; once there are any it is `pending`, which also has the credit of workers. */
static void inbox_glance(const ordo_cuda_seen *seen, const void *, ordo_probed *out)
{
    const inbox_dev_words *const words = (const inbox_dev_words *)seen->copy[0];
    const ordo_u64 initial = seen->c->job->initial_count, gone = seen->sum->items + seen->sum->stale;
    if (!words)
        return;
    ordo_u64 there = gone < initial ? initial - gone : 0;
    for (int b = 0; b < INBOX_BUCKETS; b++)
        there += words->waiting[b];
    out->in_flight = words->spilled || there > words->pending ? words->pending : there;
    out->spills = words->spilled;
}

static ordo_status inbox_run_job(ordo_job *job)
{
    const double *t = job->tunable;
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    inbox_args a = {};
    int blocks = 0;
    const ordo_graph_kind kind = ordo_job_graph_kind(job);
    const bool deep = kind == ORDO_GRAPH_DEEP; /* latency-bound: wide buckets in order, chains */
    const double factor = t[INBOX_FACTOR] > 0 ? t[INBOX_FACTOR] : deep ? 75 : kind == ORDO_GRAPH_EVEN ? 6 : 2;
    a.delta = ordo_job_delta(job, t[INBOX_DELTA], op_warp_width(job, 1, 16), factor);
    a.per_delta = 1 / a.delta;
    const int each = (int)t[INBOX_BLOCKS];
    ordo_status status = op_cuda_begin(job, &c);
    const void *kernel =
        status ? NULL
               : ordo_cuda_kernel(c.run.traced.live ? (const void *)inbox_kernel<!ORDO_OVER_RANKS>
                                                    : (const void *)inbox_kernel<false>);
    if (!status)
        status = ordo_cuda_grid(kernel, INBOX_DEV_THREADS, each, &blocks);
    ordo_u64 ids = 0;
    if (!status)
        status = ordo_warp_ids(job, "inbox", &ids);
    if (!status)
        inbox_plan(job, blocks, ids, &a);
    const ordo_warp_need needs[] = {
        {(void **)&a.words, 1, sizeof *a.words, true},
        {(void **)&a.ends, (ordo_u64)a.workers * INBOX_BUCKETS, sizeof *a.ends, true},
        {(void **)&a.place, (ordo_u64)a.workers * INBOX_BUCKETS * a.size, sizeof(op_entry), true},
        {(void **)&a.bits, a.bit_words, sizeof *a.bits, true},
        {(void **)&a.ctx.owner, ids - job->num_items, sizeof(ordo_u32), false},
        {(void **)&a.lowest, 1, sizeof *a.lowest, true},
    };
    if (!status)
        status = ordo_warp_alloc(&c, needs, sizeof needs / sizeof needs[0]);
    if (!status)
        status = op_warp_arguments(&c, t[INBOX_RECORDS] > 0, &a, &arrays);
#if ORDO_OVER_RANKS
    if (!status)
        status = ordo_cuda_boxes_make(&c, sizeof(op_dev_message), &a.ctx.ranks, &a.ctx.boxes);
    if (!status) {
        a.ctx.boxes.sent = &a.words->sent;
        a.ctx.kept = {a.bits, &a.words->kept, &a.words->spilled};
    }
#endif
    if (!status) {
        void *args[] = {&a};
        c.glance = {{a.words, NULL}, {sizeof *a.words, 0}, inbox_glance, NULL};
        status = ordo_cuda_launch(&c, kernel, INBOX_DEV_THREADS, each, args);
    }
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(inbox, inbox_run_job, 1u << op_warp_sync)
#else
ORDO_CUDA_INSTANCE(inbox, NULL, 1u << ORDO_SYNC_DEFAULT /* of no sync */)
#endif
