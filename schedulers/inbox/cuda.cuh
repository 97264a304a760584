/* inbox on a GPU: a warp is a worker; it owns its items' rings, one a bucket, and expands what others put there.
 *
 * The protocol is ring.h's, with what a GPU makes different:
 *   A ring for each bucket of each worker: a warp has no memory of its own to deal entries into. So who publishes
 * chooses the bucket, and `waiting`, the number of entries of each bucket, anywhere, tells the front; it is order only,
 * and no fence orders it. Items are stored plus 1, so that memory of zeroes is empty places. Entries of 8 bytes are one
 * store; of longer ones the value is stored first, and a fence before the item (P4) orders them.
 *   P1 on credit. A fence takes as long as a hop does otherwise. So `pending` counts entries, bits, and the workers'
 * credit: entries that a worker may publish without counting them, since they are counted. What it has processed is its
 * credit again. Who has too little takes some more than it needs and fences before P4; who finds nothing for a while
 * gives back what it has. So what can be seen is counted, and 0 is the end, for good: nobody has credit, nothing is in
 * hand or in a ring.
 *   Heads are kept by the owner's lanes, lane b for bucket b. They are made known behind a fence, for places must be
 * empty before others may have them (R1): when a fence is due anyway, half a ring is free and not known to be, or
 * somebody seems to wait for a place. Who waits (P3) has no bins to empty its rings into: it spills what is there, a
 * bit an item, which is swept by whoever has nothing to do. `pending` counts bits as entries. And who sees that others
 * wait for places of its own rings makes its heads known and takes from there, window or not: all who wait are served
 * by workers that wait, and spill, or that do not, and look.
 *   In a run that begins with most items, nearly all may be due at once, and then there are no places for them. Once as
 * many entries of a bucket wait as fill half of all rings (`crowd`), who publishes sets bits instead, P1 and a fence
 * before, as above: a frontier of a bit an item, in which entries of one item meet. `waiting` does not count those, and
 * the credit of an entry whose bit was set already stays credit. Where items have no order, and activate nothing, who
 * finds an initial one expands it at once.
 *
 * Buckets are numbered from the start of the run and lie in 32 slots; `hint` is the number that the front was seen at,
 * and only grows. A slot means the bucket of its kind from hint - MARGIN on; what lies farther than LAST from there is
 * clipped, and published again when it comes up too early. A worker whose copy of hint is old puts entries too early or
 * too late: order only.
 *
 * One warp works for nobody: it passes on the host's wish to stop, writes the trace, and doubles the width of buckets
 * where the front passes them in no time while fewer entries wait there than half of the workers could take at once.
 * Numbers go on from the hint: bucket `since` begins at `origin`, and all are 2^doubled times as wide as at first. What
 * was published before comes late, and what whoever has not looked since publishes too early or too late: order only.
 *   So it jumps over gaps in priorities, too. Who publishes clipped entries again notes the least of them, `nearest`.
 * That warp clears it and asks, by changing `say`, who has done anything else; workers answer when they have nothing in
 * hand: somebody `worked`. If nobody has when the hint has gone round once, then all that waits has been published
 * again since, and bucket `since` is the front's and begins at the least of it.
 */
#include "ring.h"
#include "tunables.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _inbox_cuda_, _part)

#ifndef ORDO_INBOX_CUDA_ONCE
#define ORDO_INBOX_CUDA_ONCE
enum {
    INBOX_DEV_THREADS = 256,
    INBOX_DEV_WARPS = INBOX_DEV_THREADS / 32,
    INBOX_DEV_MARGIN = 8, /* buckets behind the hint that late entries and old copies of it still find their place in */
    INBOX_DEV_LAST = INBOX_BUCKETS - 1 - INBOX_DEV_MARGIN,
    INBOX_DEV_LOOKS = 4,     /* at its own rings, for one at what all count in */
    INBOX_DEV_SPARE = 64,    /* credit that is taken beyond what is needed */
    INBOX_DEV_SHORT = 16000, /* ns a bucket, over as many of them, below which they are too narrow */
    INBOX_DEV_SEVERAL = 16,
    INBOX_DEV_WIDEST = 20, /* doublings */
};

/* Two lines: who has nothing to do looks at both, and as many warps do as there are. */
typedef struct inbox_dev_words {
    ordo_u32 waiting[INBOX_BUCKETS];
    ordo_u64 pending, hint;
    ordo_u64 spilled; /* bits that were set, ever */
    ordo_u64 say;     /* by the warp that works for nobody: since << 8 | asked, parity << 7 | doubled << 1 | stop */
    ordo_u64 origin;  /* of bucket `since`, a double's bits: stored before `say` */
    ordo_u64 padding0[11];
    ordo_u64 nearest; /* as ordo_warp_note_least() keeps it */
    ordo_u64 worked;  /* since it was asked last; order only, as that */
    ordo_u64 padding1[14];
} inbox_dev_words;

/* 2^k */
ORDO_DEV double inbox_dev_power(int k)
{
    return __longlong_as_double((long long)(1023 + k) << 52);
}
#endif

typedef struct MY(args) {
    inbox_dev_words *words;
    ordo_u64 *ends;    /* [workers][32] tail << 32 | head */
    OP(entry) * place; /* [workers][32][size] */
    ordo_u32 size;     /* of a ring: a power of two */
    ordo_u32 workers;  /* all warps but one */
    ordo_u32 window;   /* buckets */
    ordo_u32 crowd;    /* entries of a slot, anywhere, from which on those that come become bits */
    ordo_u32 hops;     /* that a warp follows its own activations */
    bool thin;         /* depth binds */
    double delta, per_delta;
    bool dynamic;   /* whether that may double */
    ordo_u32 *bits; /* of spilled items */
    ordo_u64 bit_words;
    OP(sight) sight;
    ordo_u64 *lowest;
    ordo_cuda_run run;
} MY(args);

/* What a warp keeps in its store: whether it has been asked, and entries in hand that it published again. */
enum { MY(asked), MY(again) };
/* Entries of a lane that are on their way at once: as far as registers go. */
enum { MY(rounds) = sizeof(OP(entry)) == 8 ? 3 : 2 };

/* What a worker knows beside its OP(warp): lane b of its ring of slot b. */
typedef struct MY(worker) {
    ordo_u32 index;
    ordo_u32 head, known; /* places read; what others know of it */
    ordo_u32 taken;       /* entries of the slot that it has in hand */
    ordo_u32 done;        /* entries, bits and initial items in hand, all slots; all lanes alike */
    ordo_u32 credit;      /* that `pending` counts and nothing stands for; all lanes alike */
    ordo_u32 crowded;     /* slots in which so many wait as rings should not hold; all lanes alike */
    ordo_u64 said;        /* of `say`, but for the stop; all lanes alike */
    double from, width;   /* of buckets: where number 0 would begin; all lanes alike */
} MY(worker);

ORDO_DEV OP(entry) * MY(place)(const MY(args) & a, ordo_u32 worker, ordo_u32 slot, ordo_u32 at)
{
    return &a.place[((ordo_u64)worker * INBOX_BUCKETS + slot) * a.size + (at & (a.size - 1))];
}

/* An entry of a place, or item 0 where there is none yet. */
ORDO_DEV OP(entry) MY(look)(OP(entry) * at)
{
    OP(entry) entry;
    if constexpr (sizeof(entry) == 8) {
        ordo_u64 *const p = (ordo_u64 *)at;
        const ordo_u64 word = OP(warp_ordered) ? ordo_dev_acquire(p) : ordo_dev_load(p);
        memcpy(&entry, &word, sizeof entry);
    } else {
        entry.item = ordo_dev_acquire(&at->item);
        entry.value = ordo_dev_load(&at->value);
    }
    return entry;
}

/* Makes the heads known, behind a fence; by a whole warp. */
ORDO_DEV void MY(tell)(const MY(args) & a, MY(worker) * me)
{
    __syncwarp();
    ordo_dev_fence();
    if (me->head != me->known) {
        /* the low half is `known` until here: no carry */
        ordo_dev_add(&a.ends[me->index * INBOX_BUCKETS + threadIdx.x % 32], (ordo_u64)me->head - me->known);
        me->known = me->head;
    }
}

/* P2 to P4 for the entries of the store from `first` on; by a whole warp. Fenced: what came before comes before P4. */
ORDO_DEV void MY(publish)(const MY(args) & a, OP(warp) * w, MY(worker) * me, ordo_u32 first, bool fenced)
{
    const ordo_u32 lane = threadIdx.x % 32;
    OP(entry) * at[MY(rounds)];
    OP(entry) entry[MY(rounds)];
    ordo_u32 place[MY(rounds)], head[MY(rounds)];
#pragma unroll
    for (int r = 0; r < MY(rounds); r++) {
        const ordo_u32 i = first + 32 * r + lane;
        if (i < w->held) {
            entry[r] = w->store->held[i];
            const ordo_u32 slot = w->store->tag[i] >> 8, owner = inbox_owner(entry[r].item, a.workers);
            const ordo_u64 ends = ordo_dev_add(&a.ends[owner * INBOX_BUCKETS + slot], (ordo_u64)1 << 32); /* P2 */
            place[r] = inbox_tail(ends);
            head[r] = inbox_head(ends);
            at[r] = MY(place)(a, owner, slot, place[r]);
            entry[r].item++;
            if (sizeof(OP(entry)) != 8 && place[r] - head[r] < a.size)
                ordo_dev_store(&at[r]->value, entry[r].value);
        }
    }
    if (fenced)
        MY(tell)(a, me);
    ordo_u32 waits = 0; /* bit r: no place yet */
#pragma unroll
    for (int r = 0; r < MY(rounds); r++)
        if (first + 32 * r + lane < w->held) {
            if (place[r] - head[r] >= a.size) {
                waits |= 1u << r;
            } else if constexpr (sizeof(OP(entry)) == 8) { /* P4 */
                ordo_u64 word;
                memcpy(&word, &entry[r], sizeof word);
                ordo_dev_store((ordo_u64 *)at[r], word);
            } else {
                ordo_dev_store(&at[r]->item, entry[r].item);
            }
        }
    if (__any_sync(~0u, waits != 0)) /* P3: rare */
        MY(tell)(a, me);
    while (__any_sync(~0u, waits != 0)) {
        if (__any_sync(~0u, ordo_dev_load(&a.words->say) & 1))
            break;
        /* this worker's own rings to bits, a place a lane and turn: the bit is counted before the entry is not */
        ordo_u64 *own = &a.ends[me->index * INBOX_BUCKETS + lane];
        const ordo_u64 ends = ordo_dev_load(own);
        if (inbox_tail(ends) != me->head) {
            OP(entry) *from = MY(place)(a, me->index, lane, me->head);
            const OP(entry) found = MY(look)(from);
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
        for (int r = 0; r < MY(rounds); r++)
            if (waits >> r & 1) {
                const ordo_u32 slot = w->store->tag[first + 32 * r + lane] >> 8;
                const ordo_u32 owner = inbox_owner(entry[r].item - 1, a.workers);
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

/* Entries of the store that are for crowded slots to bits, which `pending` counts already, as credit; by a whole warp.
 */
ORDO_DEV void MY(scatter)(const MY(args) & a, OP(warp) * w, MY(worker) * me)
{
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u32 kept = 0, set = 0;
    __syncwarp();
    ordo_dev_fence(); /* what was counted, and cells, come before bits */
    for (ordo_u32 first = 0; first < w->held; first += 32) {
        const bool there = first + lane < w->held;
        OP(entry) entry = {};
        unsigned short tag = 0;
        if (there) {
            entry = w->store->held[first + lane];
            tag = w->store->tag[first + lane];
        }
        const bool stays = there && !(me->crowded >> (tag >> 8) & 1);
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

/* P1 to P4, by a whole warp. Afterwards nothing is held, and nothing in hand where `all_done`. */
ORDO_DEV void MY(settle)(const MY(args) & a, OP(warp) * w, MY(worker) * me, bool all_done)
{
    const ordo_u32 lane = threadIdx.x % 32;
    __syncwarp();
    const ordo_u32 count = w->store->count[lane];
    w->store->count[lane] = 0;
    const bool crowded = me->crowded >> lane & 1;
    const ordo_u32 off = all_done ? me->taken : 0, on = crowded ? 0 : count;
    if (on != off)
        ordo_dev_add(&a.words->waiting[lane], on - off);
    if (all_done) {
        if (lane == 0) {
            if (w->store->own[MY(asked)] && me->done != w->store->own[MY(again)]) {
                ordo_dev_store(&a.words->worked, (ordo_u64)1);
                w->store->own[MY(asked)] = 0;
            }
            w->store->own[MY(again)] = 0;
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
    if (__any_sync(~0u, crowded && count))
        MY(scatter)(a, w, me);
    me->credit -= w->held;
    /* whose piece it is comes before the piece, and what an item was activated for before its entry
     * (<ordo/cuda_warp.cuh>) */
    const bool fenced = more || w->cut || sizeof(OP(entry)) != 8 || OP(warp_ordered) ||
                        __any_sync(~0u, me->head - me->known >= (a.size + 1) / 2);
    for (ordo_u32 first = 0; first < w->held; first += 32 * MY(rounds))
        MY(publish)(a, w, me, first, fenced);
    w->held = 0;
    w->cut = false;
}

/* Where buckets lie as of `hint`. */
ORDO_DEV void MY(orient)(OP(warp) * w, const MY(worker) * me, ordo_u64 hint)
{
    const ordo_u64 begins = hint > INBOX_DEV_MARGIN ? hint - INBOX_DEV_MARGIN : 0;
    w->map.base = me->from + (double)begins * me->width;
    w->map.head = (ordo_u32)(begins % INBOX_BUCKETS);
}

/* How far the lowest slot of a mask is from the map's head; 32 where there is none. */
ORDO_DEV ordo_u32 MY(nearest)(const OP(warp) * w, ordo_u32 mask)
{
    mask = __funnelshift_r(mask, mask, w->map.head);
    return mask ? __ffs(mask) - 1 : 32;
}

/* The life of a worker; one loop in which everything has one place, as in schedulers/adds/cuda.cuh. */
ORDO_DEV void MY(work)(const MY(args) & a, OP(warp) * w, MY(worker) * me, double base)
{
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u64 initial = (ordo_u64)me->index * 32, spilled = 0, word = a.bit_words;
    ordo_u32 bits = 0, first_bit = 0, due = 0, idle = 0;
    OP(batch) t = {};
    w->map.buckets = INBOX_BUCKETS;
    w->map.last = INBOX_DEV_LAST;
    w->map.thin = a.thin;
    w->map.per_delta = a.per_delta;
    me->from = base;
    me->width = a.delta;
    MY(orient)(w, me, 0);
    for (;;) {
        const bool busy = OP(warp_work)<true>(a.sight, w, &t), sweeping = __any_sync(~0u, bits != 0);
        const bool drained = !busy && !w->near && !sweeping && initial >= a.run.initial_count;
        if (OP(warp_full)(w) || (w->held && !busy && (w->surplus || (w->near && w->held >= 64))) ||
            (drained && (w->held || me->done))) {
            MY(settle)(a, w, me, drained);
            w->surplus = false;
        }
        if (busy)
            continue;
        bool there = false, fresh = false;
        OP(entry) entry = {};
        if (initial < a.run.initial_count && OP(ordered)) {
            me->done += OP(warp_begin)(a.sight, w, a.run, initial);
            initial += (ordo_u64)a.workers * 32;
            continue;
        } else if (initial < a.run.initial_count) {
            there = initial + lane < a.run.initial_count;
            if (there)
                entry.item = ordo_dev_initial(&a.run, initial + lane);
            fresh = true;
            me->done += __popc(__ballot_sync(~0u, there));
            initial += (ordo_u64)a.workers * 32;
        } else if (w->near) {
            there = OP(warp_hop)(a.sight, w, &entry);
        } else if (sweeping) {
            there = bits != 0;
            fresh = true;
            entry.item = first_bit + (bits ? __ffs(bits) - 1 : 0);
            bits &= bits - 1;
        } else if (word < a.bit_words) { /* its share of the spilled items, 32 words at a time */
            bits = word + lane < a.bit_words ? ordo_dev_exchange(&a.bits[word + lane], 0u) : 0;
            ordo_dev_fence(); /* what set the bits comes before what their cells are */
            first_bit = (ordo_u32)(word + lane) * 32;
            me->done += ordo_warp_sum((ordo_u32)__popc(bits));
            word += (ordo_u64)a.workers * 32;
            w->hops = 0;
            continue;
        } else {
            const ordo_u64 ends = ordo_dev_load(&a.ends[me->index * INBOX_BUCKETS + lane]);
            /* Where somebody waits for a place (P3), its entries come first, however late they are: who waits may have
             * in hand what the front is waiting for. */
            const ordo_u32 pressed = __ballot_sync(~0u, inbox_tail(ends) - me->known > a.size);
            const ordo_u32 filled = pressed ? pressed : __ballot_sync(~0u, inbox_tail(ends) != me->head);
            if (pressed)
                MY(tell)(a, me);
            /* the lines that all look at are those that all count in: who has nothing looks there now and then */
            if (!filled && ++idle % INBOX_DEV_LOOKS) {
                __nanosleep(50);
                continue;
            }
            if (!filled && me->credit) {
                if (lane == 0)
                    ordo_dev_add(&a.words->pending, ~(ordo_u64)0 * me->credit);
                me->credit = 0;
            }
            const ordo_u32 slot = (w->map.head + MY(nearest)(w, filled)) % INBOX_BUCKETS;
            const ordo_u32 from = __shfl_sync(~0u, me->head, slot);
            ordo_u32 count = __shfl_sync(~0u, inbox_tail(ends), slot) - from;
            count = min(min(count, 32), a.size);
            there = filled && lane < count;
            /* the first entries come along with what there is to know */
            OP(entry) *const at = MY(place)(a, me->index, slot, from + lane);
            if (there)
                entry = MY(look)(at);
            const ordo_u32 waiting = ordo_dev_load(&a.words->waiting[lane]);
            const ordo_u64 control = ordo_dev_load(&a.words->pending + lane % 4);
            const ordo_u64 hint = __shfl_sync(~0u, control, 1), spills = __shfl_sync(~0u, control, 2);
            const ordo_u64 say = __shfl_sync(~0u, control, 3);
            if (__shfl_sync(~0u, control, 0) == 0 || (say & 1))
                break;
            if (say != me->said) { /* buckets lie elsewhere now, or it asks */
                const int doubled = (int)(say >> 1 & 63);
                me->said = say;
                if (lane == 0)
                    w->store->own[MY(asked)] = 1;
                me->width = a.delta * inbox_dev_power(doubled);
                ordo_dev_fence(); /* lane 3 has read `say`, and reads what was stored before it */
                const ordo_u64 origin = __shfl_sync(~0u, ordo_dev_load(&a.words->origin), 3);
                me->from = __longlong_as_double((long long)origin) - (double)(say >> 8) * me->width;
                w->map.per_delta = a.per_delta * inbox_dev_power(-doubled);
            }
            MY(orient)(w, me, hint);
            me->crowded = __ballot_sync(~0u, waiting >= a.crowd);
            const ordo_u32 front = MY(nearest)(w, __ballot_sync(~0u, waiting != 0));
            const ordo_u32 begins =
                hint > INBOX_DEV_MARGIN ? INBOX_DEV_MARGIN : (ordo_u32)hint; /* the hint's distance */
            if (front < 32 && front > begins) {
                if (lane == 0)
                    ordo_dev_max(&a.words->hint, hint + front - begins);
                if (front > begins + INBOX_DEV_LAST / 2)
                    continue; /* too far from where buckets lie: clipped ones would seem due */
            }
            const ordo_u32 mine = MY(nearest)(w, filled);
            if (mine == 32 || (!pressed && front < 32 && mine > front + a.window)) {
                if (spills != spilled) {
                    spilled = spills;
                    word = (ordo_u64)me->index * 32;
                } else {
                    __nanosleep(100);
                }
                continue;
            }
            if (slot != (w->map.head + mine) % INBOX_BUCKETS)
                continue; /* the hint has moved past it */
            due = (front < mine ? front : mine) + a.window;
            if (there) {
                while (!entry.item) { /* R2: its writer waits for nothing, but may have stopped */
                    if (ordo_dev_load(&a.words->say) & 1)
                        break;
                    entry = MY(look)(at);
                }
                there = entry.item != 0;
                entry.item -= there;
                ordo_dev_store(&at->item, 0u);
            }
            idle = 0;
            if (lane == slot) {
                me->head += count;
                me->taken += count;
            }
            me->done += count;
            w->hops = a.hops;
            w->map.limit = w->map.base + (mine + 1) * me->width; /* what is as near as this may stay */
            /* what was clipped is published again */
            ordo_vid v = entry.item;
            if (there && v >= a.sight.universe)
                v = ordo_dev_load(&a.sight.owner[v - a.sight.universe]);
            const double priority = OP(priority)(&a.sight.state, v, entry.value);
            bool early = there && ordo_map_distance(w->map, priority) > due && mine <= due;
            if (__any_sync(~0u, early)) {
                early = early && isfinite(priority); /* what is infinitely far is as near as it gets */
                ordo_warp_note_least(&a.words->nearest, early, priority);
                const ordo_u32 again = __popc(__ballot_sync(~0u, early));
                if (lane == 0)
                    w->store->own[MY(again)] += again;
                const ordo_u32 hops = w->hops;
                w->hops = 0;
                OP(warp_put)(a.sight, w, early, entry.item, entry.value, v);
                w->hops = hops;
                there = there && !early;
            }
        }
        there = OP(warp_chain)(a.sight, w, there, &entry, fresh, [&] { return !w->surplus; });
        OP(warp_gather)(a.sight, w, &t, there, entry.item, entry.value, fresh);
        if (__any_sync(~0u, w->edges >> 30)) /* 32 bits are enough for now and then */
            OP(warp_publish)(w, a.run.counters);
    }
    OP(warp_publish)(w, a.run.counters);
}

/* The warp that works for nobody. */
ORDO_DEV void MY(watch)(const MY(args) & a, double base)
{
    const ordo_u32 lane = threadIdx.x % 32;
    double origin = base, width = a.delta;
    ordo_u64 since = 0, stop = 0, passed = 0, began = 0; /* the bucket, and when, from which on workers were idle */
    ordo_u64 asked = 0; /* the hint then */
    ordo_u32 doubled = 0, questions = 0;
    for (;;) {
        const ordo_u64 control = ordo_dev_load(&a.words->pending + lane % 4);
        const ordo_u64 pending = __shfl_sync(~0u, control, 0), hint = __shfl_sync(~0u, control, 1);
        if (!pending || stop)
            break;
        /* slots in the order of their buckets */
        const ordo_u64 begins = hint > INBOX_DEV_MARGIN ? hint - INBOX_DEV_MARGIN : 0;
        const ordo_u32 waiting = ordo_dev_load(&a.words->waiting[(begins + lane) % INBOX_BUCKETS]);
        const ordo_u32 some = __ballot_sync(~0u, waiting != 0), front = some ? __ffs(some) - 1 : 0;
        const bool busy = ordo_warp_sum(lane <= front + a.window ? waiting : 0) >= a.workers / 2;
        const ordo_u64 now = __shfl_sync(~0u, ordo_dev_clock(), 0);
        const bool several = hint - passed >= INBOX_DEV_SEVERAL;
        const bool narrow = several && !busy && now - began < INBOX_DEV_SEVERAL * INBOX_DEV_SHORT;
        if (several || busy) {
            passed = hint;
            began = now;
        }
        const ordo_u64 noting = ordo_dev_load(&a.words->nearest + lane % 2); /* that, and `worked` */
        const ordo_u64 nearest = __shfl_sync(~0u, noting, 0), worked = __shfl_sync(~0u, noting, 1);
        const ordo_u64 number = begins + front, before = since;
        const bool round = nearest && hint - asked >= INBOX_BUCKETS;
        const double noted = ordo_dev_unordered(~nearest);
        if (round && questions && !worked && number > since && noted > origin + (double)(number - since) * width) {
            origin = noted;
            since = number;
        } else if (narrow && a.dynamic && doubled < INBOX_DEV_WIDEST && hint >= since) {
            origin += (double)(hint - since) * width;
            since = hint;
            width *= 2;
            doubled++;
        }
        if (round) {
            asked = hint;
            questions++;
            if (lane == 0) {
                ordo_dev_store(&a.words->worked, (ordo_u64)0);
                ordo_dev_store(&a.words->nearest, (ordo_u64)0);
            }
        }
        if (since != before && lane == 0)
            ordo_dev_store(&a.words->origin, (ordo_u64)__double_as_longlong(origin));
        if (lane == 0) {
            ordo_dev_sample(a.run.record, pending, hint, width, a.window + 1, -1);
            a.run.record->supersteps = hint;
            a.run.mailbox->supersteps = hint;
            a.run.mailbox->in_flight = pending;
            stop = a.run.mailbox->stop;
            ordo_dev_release(&a.words->say, since << 8 | (questions & 1) << 7 | doubled << 1 | (stop != 0));
        }
        stop = __shfl_sync(~0u, stop, 0);
        __nanosleep(2000);
    }
    if (lane == 0) {
        a.run.record->delta_first = a.delta;
        a.run.record->delta_last = width;
    }
}

static __global__ void __launch_bounds__(INBOX_DEV_THREADS, 2) MY(kernel)(const __grid_constant__ MY(args) a)
{
    __shared__ ordo_warp_store<OP(entry)> store[INBOX_DEV_WARPS];
    __shared__ OP(entry) nearby[INBOX_DEV_WARPS][32];
    const ordo_u32 warp = threadIdx.x / 32;
    OP(warp_lowest)(a.sight, &a.run, a.lowest);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        ordo_dev_store(&a.words->pending, a.run.initial_count);
    cooperative_groups::this_grid().sync();
    OP(warp) w;
    OP(warp_start)(&w, &store[warp], nearby[warp]);
    MY(worker) me = {};
    me.index = blockIdx.x + gridDim.x * warp; /* neighbours in different blocks */
    if (me.index < a.workers)
        MY(work)(a, &w, &me, OP(warp_base)(a.lowest));
    else if (me.index == a.workers)
        MY(watch)(a, OP(warp_base)(a.lowest));
}

static ordo_status MY(run_job)(ordo_job *job)
{
    const double *t = job->tunable;
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    MY(args) a = {};
    int blocks = 0;
    const ordo_graph_kind kind = ordo_job_graph_kind(job);
    const bool deep = kind == ORDO_GRAPH_DEEP; /* depth binds: wide buckets in order, chains */
    const double factor = t[INBOX_FACTOR] > 0 ? t[INBOX_FACTOR] : deep ? 75 : kind == ORDO_GRAPH_EVEN ? 6 : 2;
    a.delta = ordo_job_delta(job, t[INBOX_DELTA], OP(warp_width)(job, 1, 16), factor);
    a.per_delta = 1 / a.delta;
    const int each = (int)t[INBOX_BLOCKS];
    ordo_status status = ordo_cuda_begin(job, OP(warp_cell_size), false, &c);
    const void *kernel = status ? NULL : ordo_cuda_kernel((const void *)MY(kernel));
    if (!status)
        status = ordo_cuda_grid(kernel, INBOX_DEV_THREADS, each, &blocks);
    ordo_u64 ids = 0;
    if (!status)
        status = ordo_warp_ids(job, "inbox", &ids);
    if (!status) {
        a.workers = (ordo_u32)blocks * INBOX_DEV_WARPS - 1;
        if (t[INBOX_WORKERS] > 0)
            a.workers = t[INBOX_WORKERS] < a.workers ? (ordo_u32)t[INBOX_WORKERS] : a.workers;
        else if (kind == ORDO_GRAPH_EVEN) /* more find too little to do, and look at the words that all count in */
            a.workers = (a.workers + 1) / 8 * 5;
        /* room for twice a worker's items in each of its rings, as far as that is reasonable */
        const ordo_u64 wish = 2 * job->universe / a.workers;
        a.size = 64;
        while (a.size < 4096 && a.size < wish)
            a.size *= 2;
        if (t[INBOX_RING] > 0)
            for (a.size = 1; 2 * a.size <= t[INBOX_RING];)
                a.size *= 2;
        const ordo_u64 half = (ordo_u64)a.workers * a.size / 2;
        if (t[INBOX_CROWD] > 0)
            a.crowd = (ordo_u32)t[INBOX_CROWD];
        else /* shortest paths come close to that on random graphs, and lose by it: their order counts */
            a.crowd = 2 * job->initial_count > job->universe && half < ~0u ? (ordo_u32)half : ~0u;
        a.dynamic = t[INBOX_DYNAMIC] > 0;
        a.window = t[INBOX_WINDOW] >= 0 ? (ordo_u32)t[INBOX_WINDOW] : deep ? 0 : 3;
        a.hops = t[INBOX_HOPS] >= 0 ? (ordo_u32)t[INBOX_HOPS] : deep ? 64 : kind == ORDO_GRAPH_EVEN ? 16 : 0;
        a.thin = kind != ORDO_GRAPH_HUBS;
        a.bit_words = (ids + 31) / 32;
        a.sight.near = 32;
    }
    const ordo_warp_need needs[] = {
        {(void **)&a.words, 1, sizeof *a.words, true},
        {(void **)&a.ends, (ordo_u64)a.workers * INBOX_BUCKETS, sizeof *a.ends, true},
        {(void **)&a.place, (ordo_u64)a.workers * INBOX_BUCKETS * a.size, sizeof(OP(entry)), true},
        {(void **)&a.bits, a.bit_words, sizeof *a.bits, true},
        {(void **)&a.sight.owner, ids - job->universe, sizeof(ordo_u32), false},
        {(void **)&a.lowest, 1, sizeof *a.lowest, true},
    };
    if (!status)
        status = ordo_warp_alloc(&c, needs, sizeof needs / sizeof needs[0]);
    if (!status)
        status = OP(warp_arguments)(&c, t[INBOX_RECORDS] > 0, &a, &arrays);
    if (!status) {
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, kernel, INBOX_DEV_THREADS, each, args);
    }
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(inbox, MY(run_job), 1u << OP(warp_sync))
#undef MY
