/* cuda_warp.cuh -- expanding by warps that work on their own, for schedulers on a GPU whose order is 32 buckets.
 *
 * Problem: a barrier of a block after every few items costs more than the items do where there is little work, and a
 * warp is what the machine schedules. Method: a warp takes up to 32 entries, a lane each; their edges are laid end to
 * end and dealt out to the lanes, 32 * UNROLL a turn; what improves goes to a store in shared memory, sorted by bucket,
 * lane b counting for bucket b, until the scheduler flushes it, or stays with the warp for its next hop.
 *
 * Entries are {value, item}; one whose item's cell has become better meanwhile is stale.
 *
 * Hubs. The edges of an item of more than HUB are cut at multiples of PIECE into entries of their own. Piece j of the
 * graph's edges is the item universe + 2j, or + 1 where it is the first one of its hub (a piece of edges may hold the
 * end of one hub and the start of another, and no third); `owner` says whose it is, written, always with the same
 * value, before the entry is.
 *
 * A template over the operator as cuda.cuh is, which comes before it. Leaves OP(entry), OP(warp), OP(batch), OP(sight)
 * and OP(warp_gather)  a lane's entry to its edges      OP(warp_relax)  the next of them OP(warp_cut)     the next
 * pieces of a hub         OP(warp_push)   into the store, or kept for the next hop OP(warp_hop)     what was kept A
 * caller loops: flush when OP(warp_full) says so, relax while there are edges, cut while there are hubs; each called in
 * one place, for they are long and inlined. Functions are for whole warps, arguments alike in all lanes but where they
 * speak of a lane.
 */
#ifndef ORDO_CUDA_WARP_ONCE
#define ORDO_CUDA_WARP_ONCE

enum {
    ORDO_WARP_ROOM = 192, /* entries that a warp's store holds; fewer of 16 bytes, so that shared memory suffices */
    ORDO_WARP_TURN = 128, /* most that a turn adds: an edge record a lane */
    ORDO_WARP_UNROLL = 2,
    ORDO_WARP_HUB = 512,
    ORDO_WARP_PIECE = 256,
};

/* Priorities to 32 buckets in a circle, `head` the one that begins at `base`. */
typedef struct ordo_dev_map {
    double base, per_delta;
    ordo_u32 buckets, head;
    ordo_u32 last;   /* what lies farther from the head is clipped to there; below `buckets` */
    ordo_u32 window; /* entries less far than that from the head may stay with a warp */
    bool thin;       /* depth binds: improve without a test, ask for rows ahead */
} ordo_dev_map;

/* How far from the head the bucket of a priority is: late ones go to the head, far ones are clipped to the
 * last. */
ORDO_DEV ordo_u32 ordo_map_distance(const ordo_dev_map &map, double priority)
{
    const double ahead = (priority - map.base) * map.per_delta;
    return ahead > 0 ? (ahead < (double)map.last ? (ordo_u32)ahead : map.last) : 0;
}

/* A warp's store of entries, and how many of them belong to which bucket. */
template <typename Entry> struct ordo_warp_store {
    static constexpr ordo_u32 room = sizeof(Entry) == 8 ? ORDO_WARP_ROOM : ORDO_WARP_ROOM - 32;
    Entry held[room];
    unsigned short tag[room]; /* bucket << 8 | number among the bucket's */
    ordo_u32 count[32];
};

template <typename T> ORDO_DEV T ordo_warp_sum(T x)
{
    for (int step = 16; step; step /= 2)
        x += __shfl_xor_sync(~0u, x, step);
    return x;
}

/* Entries' ids for `universe` items and their pieces; 0 where they have no room in 32 bits. */
static inline ordo_u64 ordo_warp_ids(ordo_u64 universe, ordo_u64 m)
{
    ordo_u64 ids = universe + 2 * (m / ORDO_WARP_PIECE + 1);
    return ids <= 0xffffffffu ? ids : 0;
}

/* Doubles as words of the same order. */
ORDO_DEV ordo_u64 ordo_dev_ordered(double x)
{
    ordo_u64 bits = (ordo_u64)__double_as_longlong(x);
    return bits >> 63 ? ~bits : bits | (ordo_u64)1 << 63;
}
ORDO_DEV double ordo_dev_unordered(ordo_u64 bits)
{
    return __longlong_as_double((long long)(bits >> 63 ? bits & ~((ordo_u64)1 << 63) : ~bits));
}

#endif

typedef struct __align__(2 * sizeof(OP(cell))) OP(entry)
{
    OP(cell) value;
    ordo_u32 item;
}
OP(entry);

/* What warps look at; the same for all, in a kernel's arguments. */
typedef struct OP(sight) {
    ordo_cuda_rows rows;
    OP(cell) * cells;
    OP(state) state;
    ordo_u32 universe;
    const uint4 *record; /* see ordo_cuda_records; NULL: none */
    ordo_u32 near;       /* entries that a warp keeps for its next hops: a power of two */
    ordo_u32 *owner;     /* [2 * (m / PIECE + 1)] */
} OP(sight);

/* What a warp carries along; all lanes alike but for the counters. */
typedef struct OP(warp) {
    ordo_warp_store<OP(entry)> *store;
    OP(entry) * nearby; /* [sight.near] a ring of what is kept for the next hops */
    ordo_dev_map map;
    ordo_u32 held;
    ordo_u32 near_from, near, hops;       /* where the kept begin, how many; hops that are left */
    bool surplus;                         /* something in the store is worth others' time now */
    ordo_u32 items, edges, useful, stale; /* since they were published last */
} OP(warp);

/* What a warp is expanding: an item a lane, their edges laid end to end. */
typedef struct OP(batch) {
    ordo_vid v;
    OP(cell) value;
    ordo_u64 begin;        /* edge i of all lies at its owner's begin + i; a hub's: its first edge */
    ordo_u32 offset;       /* number of the lane's first edge among all */
    ordo_u32 total, first; /* edges of all, and those that are behind */
    uint4 record[2];       /* of a lane's item */
    ordo_u32 records;      /* lanes whose edges are in their record */
    ordo_u32 hubs, piece;  /* lanes whose items are hubs; pieces that the first of them has been cut into */
} OP(batch);

/* Whether the next turn of relax or cut might not fit the store. */
ORDO_DEV bool OP(warp_full)(const OP(warp) * w)
{
    return w->held > ordo_warp_store<OP(entry)>::room - ORDO_WARP_TURN;
}

/* Lanes with `has` put an entry into the store, or keep it for the next hop. `vertex` is whose priority it is. */
ORDO_DEV void OP(warp_push)(const OP(sight) & g, OP(warp) * w, bool has, ordo_u32 item, OP(cell) value, ordo_vid vertex)
{
    const ordo_u32 all = __ballot_sync(~0u, has), below = (1u << threadIdx.x % 32) - 1;
    if (!all)
        return;
    ordo_u32 distance = ~0u;
    if (has)
        distance = ordo_map_distance(w->map, OP(priority)(&g.state, vertex, value));
    const OP(entry) entry = {value, item};
    ordo_u32 kept = 0;
    if (w->hops) {
        const bool soon = distance < w->map.window && item < g.universe;
        const ordo_u32 at = w->near + __popc(__ballot_sync(~0u, soon) & below);
        const bool keep = soon && at < g.near;
        if (keep)
            w->nearby[(w->near_from + at) & (g.near - 1)] = entry;
        kept = __ballot_sync(~0u, keep);
        w->near += __popc(kept);
        w->surplus = w->surplus || __any_sync(~0u, soon && !keep);
    }
    const ordo_u32 rest = all & ~kept;
    if (rest >> threadIdx.x % 32 & 1) {
        const ordo_u32 at = w->held + __popc(rest & below);
        ordo_u32 b = w->map.head + distance;
        b = b < w->map.buckets ? b : b - w->map.buckets;
        w->store->held[at] = entry;
        w->store->tag[at] = (unsigned short)(b << 8 | atomicAdd(&w->store->count[b], 1u));
    }
    w->held += __popc(rest);
}

/* What was kept, up to an entry a lane, for another hop; which lanes have one. */
ORDO_DEV bool OP(warp_hop)(const OP(sight) & g, OP(warp) * w, OP(entry) * entry)
{
    const ordo_u32 lane = threadIdx.x % 32, count = w->near < 32 ? w->near : 32;
    __syncwarp();
    if (lane < count)
        *entry = w->nearby[(w->near_from + lane) & (g.near - 1)];
    __syncwarp();
    w->near_from += count;
    w->near -= count;
    w->hops -= w->hops > 0;
    return lane < count;
}

/* Lanes that are `there` bring an entry each. Fresh: with the value that its cell has now. */
ORDO_DEV void OP(warp_gather)(const OP(sight) & g, OP(warp) * w, OP(batch) * t, bool there, ordo_u32 item,
                              OP(cell) value, bool fresh)
{
    ordo_u64 from = 0, to = ~(ordo_u64)0, begin = 0;
    ordo_u32 degree = 0;
    t->v = item;
    if (there && item >= g.universe) {
        const ordo_u32 piece = item - g.universe;
        t->v = ordo_dev_load(&g.owner[piece]);
        from = (ordo_u64)(piece / 2) * ORDO_WARP_PIECE;
        to = from + ORDO_WARP_PIECE;
    }
    bool hub = false, in_record = false;
    if (there) {
        const OP(cell) now = ordo_dev_load(&g.cells[t->v]);
        ordo_u64 row = 0, end = 0;
        if (g.record && item < g.universe) {
            t->record[0] = __ldg(g.record + 2 * (ordo_u64)item);
            t->record[1] = __ldg(g.record + 2 * (ordo_u64)item + 1);
            in_record = t->record[0].x != ORDO_RECORD_LONG;
        }
        if (!in_record) {
            row = __ldg(g.rows.row + t->v);
            end = __ldg(g.rows.row + t->v + 1);
        }
        if (fresh)
            value = now;
        if (OP(activates) && OP(better)(now, value)) {
            w->stale++;
            in_record = false;
        } else if (!OP(filter)(&g.state, t->v)) {
            in_record = false;
        } else {
            begin = row > from ? row : from;
            to = to < end ? to : end;
            w->items += item < g.universe;
            hub = to - begin > ORDO_WARP_HUB;
            degree = hub ? 0 : (ordo_u32)(to - begin);
        }
    }
    t->value = value;
    t->records = __ballot_sync(~0u, in_record);
    t->hubs = __ballot_sync(~0u, hub);
    t->piece = t->first = 0;
    ordo_u32 offset = degree;
    for (int step = 1; step < 32; step *= 2) {
        const ordo_u32 other = __shfl_up_sync(~0u, offset, step);
        offset += threadIdx.x % 32 >= (ordo_u32)step ? other : 0;
    }
    t->total = __shfl_sync(~0u, offset, 31);
    t->offset = offset - degree;
    t->begin = begin - (hub ? 0 : t->offset);
}

/* Whether there are edges left for OP(warp_relax). */
ORDO_DEV bool OP(warp_edges)(const OP(batch) * t)
{
    return t->first < t->total || t->records;
}

ORDO_DEV bool OP(warp_offer)(const OP(sight) & g, OP(warp) * w, ordo_u32 target, OP(cell) candidate)
{
    /* where depth binds, the test is a hop more, and the target's edges are fetched meanwhile */
    const bool won =
        w->map.thin ? OP(dev_improve)(g.cells, target, candidate) : OP(dev_offer)(g.cells, target, candidate, false);
    w->edges++;
    w->useful += won;
    if (OP(activates) && won && w->map.thin)
        ordo_dev_prefetch(g.record ? (const void *)(g.record + 2 * (ordo_u64)target) : g.rows.row + target);
    return won;
}

/* The edges of lanes that have them in their records. */
ORDO_DEV void OP(warp_relax_records)(const OP(sight) & g, OP(warp) * w, OP(batch) * t)
{
    const bool mine = t->records >> threadIdx.x % 32 & 1;
    const ordo_u32 word[8] = {t->record[0].x, t->record[0].y, t->record[0].z, t->record[0].w,
                              t->record[1].x, t->record[1].y, t->record[1].z, t->record[1].w};
    OP(cell) candidate[4];
    ordo_u32 target[4];
    bool won[4];
#pragma unroll
    for (int u = 0; u < 4; u++) {
        won[u] = mine && word[2 * u] != ORDO_RECORD_NONE;
        target[u] = 0;
        if (won[u]) {
            const OP(edge) edge = OP(make_edge)(~(ordo_eid)0, t->v, word[2 * u], &word[2 * u + 1]); /* edge-blind */
            candidate[u] = OP(candidate)(&g.state, t->value, edge);
            target[u] = OP(target)(&g.state, edge);
        }
    }
#pragma unroll
    for (int u = 0; u < 4; u++)
        if (won[u])
            won[u] = OP(warp_offer)(g, w, target[u], candidate[u]);
    if (OP(activates))
#pragma unroll
        for (int u = 0; u < 4; u++)
            OP(warp_push)(g, w, won[u], target[u], candidate[u], target[u]);
    t->records = 0;
}

/* The next edges of the batch: what is in records, then 32 * UNROLL of the others. */
ORDO_DEV void OP(warp_relax)(const OP(sight) & g, OP(warp) * w, OP(batch) * t)
{
    if (t->records) {
        OP(warp_relax_records)(g, w, t);
        return;
    }
    ordo_u32 target[ORDO_WARP_UNROLL];
    OP(cell) candidate[ORDO_WARP_UNROLL];
    bool has[ORDO_WARP_UNROLL], won[ORDO_WARP_UNROLL];
#pragma unroll
    for (int u = 0; u < ORDO_WARP_UNROLL; u++) {
        const ordo_u32 i = t->first + 32 * u + threadIdx.x % 32;
        ordo_u32 owner = 0; /* the last lane whose offset is at most i */
#pragma unroll
        for (ordo_u32 step = 16; step; step /= 2) {
            const ordo_u32 other = __shfl_sync(~0u, t->offset, owner + step);
            owner += other <= i ? step : 0;
        }
        has[u] = i < t->total;
        const ordo_u64 e = __shfl_sync(~0u, t->begin, owner) + i;
        const ordo_vid tail = __shfl_sync(~0u, t->v, owner);
        const OP(cell) of = __shfl_sync(~0u, t->value, owner);
        target[u] = 0;
        if (has[u]) {
            const OP(edge) edge = OP(dev_edge)(&g.rows, e, tail, false);
            candidate[u] = OP(candidate)(&g.state, of, edge);
            target[u] = OP(target)(&g.state, edge);
        }
    }
    t->first += 32 * ORDO_WARP_UNROLL;
#pragma unroll
    for (int u = 0; u < ORDO_WARP_UNROLL; u++) {
        won[u] = false;
        if (has[u])
            won[u] = OP(warp_offer)(g, w, target[u], candidate[u]);
    }
    if (OP(activates))
#pragma unroll
        for (int u = 0; u < ORDO_WARP_UNROLL; u++)
            OP(warp_push)(g, w, won[u], target[u], candidate[u], target[u]);
}

/* Puts the next 32 pieces of a hub into the store. */
ORDO_DEV void OP(warp_cut)(const OP(sight) & g, OP(warp) * w, OP(batch) * t)
{
    const int lane = __ffs(t->hubs) - 1;
    const ordo_vid v = __shfl_sync(~0u, t->v, lane);
    const OP(cell) value = __shfl_sync(~0u, t->value, lane);
    const ordo_u64 first = __shfl_sync(~0u, t->begin, lane) / ORDO_WARP_PIECE;
    const ordo_u64 last = (__ldg(g.rows.row + v + 1) - 1) / ORDO_WARP_PIECE;
    const ordo_u64 mine = first + t->piece + threadIdx.x % 32;
    const bool has = mine <= last;
    const ordo_u32 piece = (ordo_u32)(2 * mine + (mine == first));
    if (has)
        ordo_dev_store(&g.owner[piece], v);
    OP(warp_push)(g, w, has, g.universe + piece, value, v);
    t->piece += 32;
    if (first + t->piece > last) {
        t->hubs &= t->hubs - 1;
        t->piece = 0;
    }
}

/* The warp's counters to the grid's. */
ORDO_DEV void OP(warp_publish)(OP(warp) * w, ordo_cuda_counters *to)
{
    const ordo_cuda_counters mine = {w->items, w->edges, w->useful, w->stale, 0};
    ordo_dev_publish(to, mine);
    w->items = w->edges = w->useful = w->stale = 0;
}

/* Least priority of the initial items, by all threads of the grid, into *lowest (0 at first): read it after a grid
 * barrier with OP(warp_base). */
ORDO_DEV void OP(warp_lowest)(const OP(sight) & g, const ordo_item *initial, ordo_u64 count, ordo_u64 *lowest)
{
    ordo_u64 mine = 0; /* inverted, so that 0 is none */
    for (ordo_u64 i = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (ordo_u64)gridDim.x * blockDim.x) {
        const ordo_u32 item = initial ? initial[i] : (ordo_u32)i;
        const ordo_u64 priority = ~ordo_dev_ordered(OP(priority)(&g.state, item, ordo_dev_load(&g.cells[item])));
        mine = priority > mine ? priority : mine;
    }
    for (int step = 16; step; step /= 2) {
        const ordo_u64 other = __shfl_xor_sync(~0u, mine, step);
        mine = other > mine ? other : mine;
    }
    if (threadIdx.x % 32 == 0 && mine)
        ordo_dev_max(lowest, mine);
}
ORDO_DEV double OP(warp_base)(ordo_u64 *lowest)
{
    const ordo_u64 word = ordo_dev_load(lowest);
    const double base = word ? ordo_dev_unordered(~word) : 0;
    return isfinite(base) ? base : 0;
}
