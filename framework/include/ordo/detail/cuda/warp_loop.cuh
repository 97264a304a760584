/* warp_loop.cuh -- the main loop of an independent warp; included by warp.cuh, once per operator.
 *
 * Problem. adds, delta and inbox differ in where a warp takes entries from and where it puts what they activate. What a
 * warp does in between is the same, and long; so it is written once, and each part of it is inlined in one place: the
 * kernels are limited by registers and by the instruction cache.
 *
 * Method. op_warp_loop runs iterations. An iteration
 *   1. works on the warp's batch, while the store has capacity (op_warp_work);
 *   2. gives the store's entries to the scheduler (hook `give`) if the store is full, if the warp has nothing else left
 *      to do, or if other warps could process what is there (see below);
 *   3. while the batch is not finished, starts again at 1; else finds up to 32 entries, from the first of these sources
 *      that has any: the run's initial items; the local queue; items of a word of bits that was taken (spilled items);
 *      the scheduler's queue (hook `take`);
 *   4. expands those whose edges are in records, and then the local queue, hop after hop (op_warp_chain); the rest is
 *      the next batch (op_warp_gather).
 *
 * Hooks. A scheduler passes a struct, by reference; its members are inlined. It has
 *   constexpr bool narrow            the argument of op_warp_work
 *   constexpr bool lanes             whether hops without records are by lanes (op_warp_lanes)
 *   constexpr bool cuts              whether it takes the pieces of hubs as they are cut, by `reserve` and `place`
 *   constexpr ordo_u32 enough        with this many entries the store is given away although the local queue is not
 *                                    empty
 *   constexpr bool gives_surplus     whether entries that found the local queue full are given away at once
 *   constexpr bool expands_initial   whether initial items are expanded by the warp that finds them; else they are
 *                                    entries like all others, for the buckets of their priorities
 *   ordo_u64 stride()                distance from the warp's last 32 initial items to its next ones
 *   bool exhausted()                 whether nothing is left of what the last `take` has reserved for this warp
 *   bool holds(w)                    whether a drained warp has something to give, or to report
 *   void give(w, drained)            empties the store. drained: the warp holds no other entries
 *   void begun(count)                `count` initial items are now held by the warp
 *   bool between_hops(w)             before a hop: brings w->map up to date; returns whether a chain may go on
 *   ordo_u32 swept_word()            number of the word of bits that the lane has taken, of 32 items
 *   ordo_u64 reserve(b, count)       reserves `count` slots of bucket b, at most g.pieces. Returns the first, or ~0 if
 *                                    entries are to be spilled
 *   void place(there, b, first, i, entry)   puts the lane's entry, if `there`, into slot i of those that were reserved
 *   int take(w, there, entry, bits)  ends what was taken before. Returns ORDO_WARP_ENTRIES and, for each lane, an entry
 *                                    where *there, or bits of spilled items; ORDO_WARP_AGAIN if there is nothing yet;
 *                                    or ORDO_WARP_END
 * All are called by whole warps, with the same arguments in all lanes except for entries and bits, and whether they are
 * there.
 */
#ifndef ORDO_CUDA_WARP_LOOP_ONCE
#define ORDO_CUDA_WARP_LOOP_ONCE

#define ORDO_HOOK __device__ __forceinline__

enum { ORDO_WARP_ENTRIES, ORDO_WARP_AGAIN, ORDO_WARP_END };

/* Takes a word of bits, 32 spilled items, for a lane that `has` one; 0 for the others. Called by whole warps. The
 * writes before a bit was set are ordered before what the caller reads of the item afterwards. */
ORDO_DEV ordo_u32 ordo_warp_take_bits(ordo_u32 *bits, ordo_u64 word, bool has)
{
    const ordo_u32 mine = has ? ordo_dev_exchange(&bits[word], 0u) : 0;
    ordo_dev_fence();
    return mine;
}

#endif

/* Sorts entries again that were taken from a bucket too early; lanes with `there` have one each. Entries whose bucket
 * is more than `due` buckets from the head were clipped to the last bucket, or were put there when buckets had other
 * bounds. They go to the store again (entries of infinite priority are expanded instead: they have no bucket). If any
 * lane has such an entry, calls `note(early, priority)`. Returns whether the lane still has an entry. Called by whole
 * warps, with the same `due` in all lanes. */
template <typename Note>
ORDO_DEV bool op_warp_resort(const op_warp_ctx &g, op_warp *w, bool there, const op_entry &entry, ordo_u32 due,
                             Note note)
{
    ordo_vid v = entry.item;
    if (there && v >= g.num_items)
        v = ordo_dev_load(&g.owner[v - g.num_items]);
    const double priority = op_priority(&g.state, v, entry.value);
    bool early = there && ordo_map_distance(w->map, priority) > due;
    if (__any_sync(~0u, early)) {
        early = early && isfinite(priority);
        note(early, priority);
        const ordo_u32 chain_limit = w->chain_limit;
        w->chain_limit = 0; /* puts them into the store, not the local queue */
        op_warp_put(g, w, early, entry.item, entry.value, v);
        w->chain_limit = chain_limit;
        there = there && !early;
    }
    return there;
}

/* Called by whole warps; returns at the end of the run. The warp begins with initial items `initial` to initial + 31.
 */
template <typename Hooks>
ORDO_DEV void op_warp_loop(const op_warp_ctx &g, const ordo_cuda_run &run, op_warp *w, Hooks &hooks, ordo_u64 initial)
{
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u32 bits = 0;
    op_batch t = {};
    for (;;) {
        if constexpr (Hooks::cuts)
            op_warp_cut_hubs(g, w, &t, hooks);
        const bool busy = op_warp_work<Hooks::narrow, !Hooks::cuts>(g, w, &t), sweeping = __any_sync(~0u, bits != 0);
        const bool drained = !busy && !w->local_count && !sweeping && initial >= run.initial_count && hooks.exhausted();
        const bool shares = (Hooks::gives_surplus && w->surplus) || (w->local_count && w->held >= Hooks::enough);
        if (op_warp_full(w) || (w->held && !busy && shares) || (drained && hooks.holds(w))) {
            hooks.give(w, drained);
            w->surplus = false;
        }
        if (busy)
            continue;
        bool there = false, fresh = false, hop = false;
        op_entry entry = {};
        if (initial < run.initial_count) {
            if constexpr (Hooks::expands_initial) {
                there = initial + lane < run.initial_count;
                if (there)
                    entry.item = ordo_dev_initial(&run, initial + lane);
#if ORDO_OVER_RANKS
                there = there && ordo_dev_owns(g.ranks, entry.item);
#endif
                fresh = true;
                hooks.begun(__popc(__ballot_sync(~0u, there)));
                initial += hooks.stride();
            } else {
                hooks.begun(op_warp_begin(g, w, run, initial));
                initial += hooks.stride();
                continue;
            }
        } else if (w->local_count) {
            if constexpr (Hooks::lanes)
                hop = op_warp_chains<true>(g, w);
            if (!hop)
                there = op_warp_hop(g, w, &entry);
            hooks.between_hops(w);
        } else if (sweeping) {
            there = bits != 0;
            fresh = true;
            entry.item = hooks.swept_word() * 32 + (bits ? __ffs(bits) - 1 : 0);
            bits &= bits - 1;
        } else {
            const int took = hooks.take(w, &there, &entry, &bits);
            if (took == ORDO_WARP_END)
                break;
            if (took == ORDO_WARP_AGAIN)
                continue;
        }
        there = op_warp_chain<Hooks::lanes>(g, w, there, &entry, fresh, hop, [&] { return hooks.between_hops(w); });
        op_warp_gather(g, w, &t, there, entry.item, entry.value, fresh);
    }
}
