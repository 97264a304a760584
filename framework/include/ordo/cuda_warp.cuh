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
 * Critical operators. An entry is an item and the priority that it was activated with; a batch is a request a lane, and
 * what is said of edges above holds for requests: see cuda_warp_critical.cuh, which has their part.
 *
 * A template over the operator as cuda.cuh is, which comes before it. Leaves OP(entry), OP(warp), OP(batch), OP(sight)
 * and
 *   OP(warp_start)   what a warp carries along
 *   OP(warp_chain)   entries whose edges are in records, and what is kept of what they activate
 *   OP(warp_gather)  the other lanes' entries to their edges
 *   OP(warp_work)    those edges, and pieces of hubs, as far as the store has room
 *   OP(warp_put)     an entry into the store, or kept for the next hop
 *   OP(warp_begin)   initial items
 *   OP(warp_hop)     what was kept
 * A caller loops: work, flush when OP(warp_full) says so or it likes, find entries, chain, gather; each called in one
 * place, for they are long and inlined. Functions are for whole warps, arguments alike in all lanes but where they
 * speak of a lane.
 */
#ifndef ORDO_CUDA_WARP_ONCE
#define ORDO_CUDA_WARP_ONCE

enum {
    ORDO_WARP_ROOM = 192, /* entries that a warp's store holds; fewer of 16 bytes, so that shared memory suffices */
    ORDO_WARP_TURN = 128, /* most that a turn adds: an edge record a lane */
    ORDO_WARP_UNROLL = 4,
    ORDO_WARP_HUB = 128,
    ORDO_WARP_PIECE = 64,
    ORDO_WARP_MEMORY = 128, /* entries that a warp remembers */
};

/* Priorities to 32 buckets in a circle, `head` the one that begins at `base`. */
typedef struct ordo_dev_map {
    double base, per_delta, limit; /* entries before `limit` may stay with a warp */
    ordo_u32 buckets, head;
    ordo_u32 last; /* what lies farther from the head is clipped to there; below `buckets` */
    bool thin;     /* depth binds: improve without a test, ask for rows ahead */
} ordo_dev_map;

/* How far from the head the bucket of a priority is: late ones go to the head, far ones are clipped to the
 * last. */
ORDO_DEV ordo_u32 ordo_map_distance(const ordo_dev_map &map, double priority)
{
    return min(__double2uint_rz((priority - map.base) * map.per_delta), map.last); /* saturates at both ends */
}

/* What a warp has in shared memory: entries to be flushed, and how many of them belong to which bucket. */
template <typename Entry> struct ordo_warp_store {
    static constexpr ordo_u32 room = sizeof(Entry) == 8 ? ORDO_WARP_ROOM : ORDO_WARP_ROOM - 32;
    Entry held[room];
    unsigned short tag[room]; /* bucket << 8 | number among the bucket's */
    ordo_u32 count[32];
    ordo_u32 own[2]; /* the scheduler's, 0 at first */
    ordo_u64 memory[ORDO_WARP_MEMORY]; /* entries of 8 bytes by their items; see OP(warp_link) */
};

/* A pointer into shared memory that stays in a register: otherwise each use of it finds the block's window again, which
 * takes as long as a load. By whole warps, alike. */
template <typename T> ORDO_DEV T *ordo_warp_pinned(T *p)
{
    return (T *)__cvta_shared_to_generic(__shfl_sync(~0u, (ordo_u32)__cvta_generic_to_shared(p), 0));
}

template <typename T> ORDO_DEV T ordo_warp_sum(T x)
{
    for (int step = 16; step; step /= 2)
        x += __shfl_xor_sync(~0u, x, step);
    return x;
}

/* How many ids entries have, for items and pieces of hubs; an error where they have no room in 32 bits. */
static inline ordo_status ordo_warp_ids(const ordo_job *job, const char *scheduler, ordo_u64 *out)
{
    *out = job->universe + 2 * (job->out->m / ORDO_WARP_PIECE + 1);
    if (*out <= 0xffffffffu)
        return ORDO_OK;
    return ordo_fail(
        ORDO_ERR_DEVICE,
        "device 'cuda': scheduler '%s' found %llu items and %llu edges, expected items + edges / 32 below 2^32",
        scheduler, (unsigned long long)job->universe, (unsigned long long)job->out->m);
}

/* Device memory that a kernel's arguments are to point to. */
typedef struct ordo_warp_need {
    void **to;
    ordo_u64 count;
    size_t size;
    bool zero;
} ordo_warp_need;

static inline ordo_status ordo_warp_alloc(ordo_cuda *c, const ordo_warp_need *need, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(*need[i].to = ordo_cuda_alloc(c, need[i].count, need[i].size, need[i].zero)))
            return ORDO_ERR_MEMORY;
    return ORDO_OK;
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

/* Lowers *least to the least of the priorities of those lanes that have one: kept as such words, inverted, so that 0 is
 * none. By whole warps. */
ORDO_DEV void ordo_warp_note_least(ordo_u64 *least, bool has, double priority)
{
    ordo_u64 mine = has ? ~ordo_dev_ordered(priority) : 0;
    for (int step = 16; step; step /= 2) {
        const ordo_u64 other = __shfl_xor_sync(~0u, mine, step);
        mine = other > mine ? other : mine;
    }
    if (threadIdx.x % 32 == 0 && mine)
        ordo_dev_max(least, mine);
}

#endif

#if ORDO_OP_KIND == ORDO_KIND_RELAX
typedef OP(cell) OP(value);
enum {
    OP(warp_sync) = ORDO_SYNC_ATOMIC,
    OP(warp_cell_size) = sizeof(OP(cell)),
    /* Whether who takes an entry must see all that was written before it was put there. Cells need it not. */
    OP(warp_ordered) = 0,
};
#else
typedef ordo_u32 OP(value);
enum { OP(warp_sync) = ORDO_SYNC_LOCK, OP(warp_cell_size) = 0, OP(warp_ordered) = 1 };
ORDO_DEV double OP(priority)(const OP(state) * s, ordo_item item, OP(value) value)
{
    (void)s;
    (void)item;
    return value;
}
#endif

typedef struct __align__(2 * sizeof(OP(value))) OP(entry)
{
    OP(value) value;
    ordo_u32 item;
}
OP(entry);

/* What warps look at; the same for all, in a kernel's arguments as `sight`. */
typedef struct OP(sight) {
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    ordo_cuda_rows rows;
    OP(cell) * cells;
#else
    ordo_cuda_locks locks;
#endif
    OP(state) state;
    ordo_u32 universe;
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    const uint4 *record; /* see ordo_cuda_records; NULL: none */
#endif
    ordo_u32 near;   /* entries that a warp keeps for its next hops: a power of two */
    ordo_u32 *owner; /* [2 * (m / PIECE + 1)] */
} OP(sight);

/* What a warp carries along; all lanes alike but for the counters. */
typedef struct OP(warp) {
    ordo_warp_store<OP(entry)> *store;
    OP(entry) * nearby; /* [sight.near] a ring of what is kept for the next hops */
    ordo_dev_map map;
    ordo_u32 held;
    ordo_u32 near_from, near, hops;       /* where the kept begin, how many; hops that are left */
    bool surplus;                         /* something in the store is worth others' time now */
    bool cut;                             /* a hub was cut: pieces are in the store; for the scheduler to reset */
    ordo_u32 items, edges, useful, stale; /* since they were published last */
    ordo_u32 activations;                 /* of critical operators */
} OP(warp);

/* The value of an item's entry as it stands now, where there is one; and whether it has anything to do. */
ORDO_DEV OP(value) OP(warp_now)(const OP(sight) & g, bool has, ordo_item item)
{
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    return has ? OP(dev_cell)(g.cells, item) : OP(worst)();
#else
    return has ? OP(first_priority)(&g.state, item) : 0;
#endif
}
ORDO_DEV bool OP(warp_some)(const OP(sight) & g, ordo_item item)
{
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    return __ldg(g.rows.row + item) < __ldg(g.rows.row + item + 1);
#else
    return true;
#endif
}

/* Whether the next turn might not fit the store. */
ORDO_DEV bool OP(warp_full)(const OP(warp) * w)
{
    return w->held > ordo_warp_store<OP(entry)>::room - ORDO_WARP_TURN;
}

/* N entries a lane, those with `has`: into the store, or kept for the next hop. `vertex` is whose priority it is, one
 * of the graph's in all lanes. */
template <int N>
ORDO_DEV void OP(warp_push)(const OP(sight) & g, OP(warp) * w, bool (&has)[N], const ordo_u32 (&item)[N],
                            const OP(value) (&value)[N], const ordo_vid (&vertex)[N])
{
    const ordo_u32 below = (1u << threadIdx.x % 32) - 1;
    double priority[N];
    bool any = false;
#pragma unroll
    for (int u = 0; u < N; u++)
        priority[u] = OP(priority)(&g.state, vertex[u], value[u]);
    if (w->hops) {
        bool soon[N];
        ordo_u32 some[N], kept = 0;
#pragma unroll
        for (int u = 0; u < N; u++) {
            soon[u] = has[u] && priority[u] < w->map.limit && item[u] < g.universe;
            kept += __popc(some[u] = __ballot_sync(~0u, soon[u]));
        }
        if (w->near + kept <= g.near) { /* all of them */
#pragma unroll
            for (int u = 0; u < N; u++) {
                const ordo_u32 at = w->near_from + w->near + __popc(some[u] & below);
                if (soon[u])
                    w->nearby[at & (g.near - 1)] = {value[u], item[u]};
                w->near += __popc(some[u]);
                has[u] = has[u] && !soon[u];
            }
        } else {
            w->surplus = true;
#pragma unroll
            for (int u = 0; u < N; u++) {
                const ordo_u32 at = w->near + __popc(some[u] & below);
                soon[u] = soon[u] && at < g.near;
                if (soon[u])
                    w->nearby[(w->near_from + at) & (g.near - 1)] = {value[u], item[u]};
                w->near = min(w->near + __popc(some[u]), g.near);
                has[u] = has[u] && !soon[u];
            }
        }
    }
#pragma unroll
    for (int u = 0; u < N; u++)
        any = any || has[u];
    if (!__any_sync(~0u, any))
        return;
#pragma unroll
    for (int u = 0; u < N; u++) {
        const ordo_u32 rest = __ballot_sync(~0u, has[u]);
        if (has[u]) {
            const ordo_u32 at = w->held + __popc(rest & below);
            ordo_u32 b = w->map.head + ordo_map_distance(w->map, priority[u]);
            b = b < w->map.buckets ? b : b - w->map.buckets;
            w->store->held[at] = {value[u], item[u]};
            w->store->tag[at] = (unsigned short)(b << 8 | atomicAdd(&w->store->count[b], 1u));
        }
        w->held += __popc(rest);
    }
}
/* One entry a lane. */
ORDO_DEV void OP(warp_put)(const OP(sight) & g, OP(warp) * w, bool has, ordo_u32 item, OP(value) value, ordo_vid vertex)
{
    bool hass[1] = {has};
    const ordo_u32 items[1] = {item};
    const OP(value) values[1] = {value};
    const ordo_vid vertices[1] = {vertex};
    OP(warp_push)(g, w, hass, items, values, vertices);
}

/* The initial items from number `at` on, up to one a lane, into the store; how many. What has nothing to do is done. */
ORDO_DEV ordo_u32 OP(warp_begin)(const OP(sight) & g, OP(warp) * w, const ordo_cuda_run &run, ordo_u64 at)
{
    at += threadIdx.x % 32;
    const bool has = at < run.initial_count;
    const ordo_u32 item = has ? ordo_dev_initial(&run, at) : 0;
    const OP(value) value = OP(warp_now)(g, has, item);
    const bool some = has && OP(warp_some)(g, item);
    w->items += has && !some;
    OP(warp_put)(g, w, some, item, value, item);
    return __popc(__ballot_sync(~0u, has));
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

/* By whole warps, before anything else. */
ORDO_DEV void OP(warp_start)(OP(warp) * w, ordo_warp_store<OP(entry)> *store, OP(entry) * nearby)
{
    *w = {};
    w->store = ordo_warp_pinned(store);
    w->nearby = ordo_warp_pinned(nearby);
    w->store->count[threadIdx.x % 32] = 0;
    w->store->own[threadIdx.x % 2] = 0;
    for (ordo_u32 i = threadIdx.x % 32; i < ORDO_WARP_MEMORY; i += 32)
        w->store->memory[i] = ~(ordo_u64)0; /* no item has that id */
    __syncwarp();
}

/* The warp's counters to the grid's. */
ORDO_DEV void OP(warp_publish)(OP(warp) * w, ordo_cuda_counters *to)
{
    const ordo_cuda_counters mine = {w->items, w->edges, w->useful, w->stale, w->activations};
    ordo_dev_publish(to, mine);
    w->items = w->edges = w->useful = w->stale = w->activations = 0;
}

/* Least priority of the initial items, by all threads of the grid, into *lowest (0 at first): read it after a grid
 * barrier with OP(warp_base). */
ORDO_DEV void OP(warp_lowest)(const OP(sight) & g, const ordo_cuda_run *run, ordo_u64 *lowest)
{
    double mine = INFINITY;
    bool some = false;
    for (ordo_u64 i = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; i < run->initial_count;
         i += (ordo_u64)gridDim.x * blockDim.x) {
        const ordo_item item = ordo_dev_initial(run, i);
        mine = fmin(mine, OP(priority)(&g.state, item, OP(warp_now)(g, true, item)));
        some = true;
    }
    ordo_warp_note_least(lowest, some, mine);
}
ORDO_DEV double OP(warp_base)(ordo_u64 *lowest)
{
    const ordo_u64 word = ordo_dev_load(lowest);
    const double base = word ? ordo_dev_unordered(~word) : 0;
    return isfinite(base) ? base : 0;
}

#if ORDO_OP_KIND != ORDO_KIND_RELAX
#include <ordo/cuda_warp_critical.cuh>
#else

/* What a warp is expanding: an item a lane, their edges laid end to end. */
typedef struct OP(batch) {
    ordo_vid v;
    OP(cell) value;
    ordo_u64 begin;        /* edge i of all lies at its owner's begin + i; a hub's: its first edge */
    ordo_u32 offset;       /* number of the lane's first edge among all */
    ordo_u32 total, first; /* edges of all, and those that are behind */
    ordo_u32 hubs, piece;  /* lanes whose items are hubs; pieces that the first of them has been cut into */
} OP(batch);

/* Lanes that are `there` bring an entry each. Fresh: with the value that its cell has now. */
ORDO_DEV void OP(warp_gather)(const OP(sight) & g, OP(warp) * w, OP(batch) * t, bool there, ordo_u32 item,
                              OP(cell) value, bool fresh)
{
    ordo_u64 from = 0, to = ~(ordo_u64)0, begin = 0;
    ordo_u32 degree = 0;
    if (!__any_sync(~0u, there))
        return; /* nothing is left of the batch before */
    t->v = item;
    if (there && item >= g.universe) {
        const ordo_u32 piece = item - g.universe;
        t->v = ordo_dev_load(&g.owner[piece]);
        from = (ordo_u64)(piece / 2) * ORDO_WARP_PIECE;
        to = from + ORDO_WARP_PIECE;
    }
    bool hub = false;
    if (there) {
        const OP(cell) now = OP(dev_cell)(g.cells, t->v);
        const ordo_u64 row = __ldg(g.rows.row + t->v), end = __ldg(g.rows.row + t->v + 1);
        if (fresh)
            value = now;
        if (OP(activates) && OP(better)(now, value)) {
            w->stale++;
        } else if (OP(filter)(&g.state, t->v)) {
            begin = row > from ? row : from;
            to = to < end ? to : end;
            w->items += item < g.universe;
            hub = to - begin > ORDO_WARP_HUB;
            degree = hub ? 0 : (ordo_u32)(to - begin);
        }
    }
    t->value = value;
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

/* Offers N candidates a lane, those with `has`, and pushes what improved its target. All tests are on their way before
 * the first is looked at, and so are all atomics: a turn waits for two accesses, whatever N. Where depth binds it waits
 * for one: no test, and the target's edges are fetched meanwhile. */
template <int N>
ORDO_DEV void OP(warp_offer)(const OP(sight) & g, OP(warp) * w, bool (&has)[N], const ordo_u32 (&target)[N],
                             const OP(cell) (&candidate)[N])
{
    OP(cell) old[N];
#pragma unroll
    for (int u = 0; u < N; u++)
        w->edges += has[u];
    if (!OP(activates) || !w->map.thin) { /* no depth where nothing is activated */
#pragma unroll
        for (int u = 0; u < N; u++)
            if (has[u])
                old[u] = ordo_dev_load(&g.cells[target[u]]);
#pragma unroll
        for (int u = 0; u < N; u++)
            has[u] = has[u] && OP(better)(candidate[u], old[u]);
    }
#pragma unroll
    for (int u = 0; u < N; u++)
        OP(dev_improve)(g.cells, has[u], target[u], candidate[u], &old[u]);
#pragma unroll
    for (int u = 0; u < N; u++) {
        has[u] = has[u] && OP(better)(candidate[u], old[u]);
        w->useful += has[u];
    }
    if (!OP(activates))
        return;
    if (w->map.thin) {
        const char *const base = (const char *)(g.record ? (const void *)g.record : (const void *)g.rows.row);
        const int shift = g.record ? 5 : 3; /* bytes of a record, or of a row's offset */
#pragma unroll
        for (int u = 0; u < N; u++)
            ordo_dev_prefetch(has[u], base + ((ordo_u64)target[u] << shift));
    }
    OP(warp_push)(g, w, has, target, candidate, target);
}

/* What an item's record, as words, proposes, where the lane is live. */
ORDO_DEV void OP(warp_propose)(const OP(sight) & g, ordo_vid v, OP(cell) value, bool live, const ordo_u32 (&word)[8],
                               bool (&has)[4], ordo_u32 (&target)[4], OP(cell) (&candidate)[4])
{
#pragma unroll
    for (int u = 0; u < 4; u++) {
        /* no branch: a lane without an edge looks at one of v to itself, and offers nothing */
        has[u] = live && word[2 * u] != ORDO_RECORD_NONE;
        const OP(edge) edge =
            OP(make_edge)(~(ordo_eid)0, v, has[u] ? word[2 * u] : v, &word[2 * u + 1]); /* edge-blind */
        candidate[u] = OP(candidate)(&g.state, value, edge);
        target[u] = OP(target)(&g.state, edge);
    }
}

/* Lanes that are `there` bring an entry each; those whose edges are in their records are done. Returns which lanes'
 * entries are still there: those of items with more edges, and of pieces. A lane an entry. */
ORDO_DEV bool OP(warp_records)(const OP(sight) & g, OP(warp) * w, bool there, OP(entry) entry, bool fresh)
{
    ordo_u32 target[4];
    OP(cell) candidate[4];
    bool has[4];
    const bool whole = there && entry.item < g.universe;
    const ordo_vid v = whole ? entry.item : 0;
    const OP(cell) now = OP(dev_cell)(g.cells, v);
    const uint4 first = __ldg(g.record + 2 * (ordo_u64)v), second = __ldg(g.record + 2 * (ordo_u64)v + 1);
    const ordo_u32 word[8] = {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
    const OP(cell) value = fresh ? now : entry.value;
    const bool mine = whole && word[0] != ORDO_RECORD_LONG, stale = OP(activates) && OP(better)(now, value);
    const bool live = mine && !stale && OP(filter)(&g.state, v);
    w->stale += mine && stale;
    w->items += live;
    OP(warp_propose)(g, v, value, live, word, has, target, candidate);
    OP(warp_offer)(g, w, has, target, candidate);
    return there && !mine;
}

/* What the warp knows of an item: the entry that it remembers where the item's hash leads. Entries of 16 bytes are no
 * one word, and are not remembered. */
ORDO_DEV ordo_u64 *OP(warp_memory)(OP(warp) * w, ordo_vid v)
{
    return &w->store->memory[v % ORDO_WARP_MEMORY];
}
ORDO_DEV void OP(warp_remember)(OP(warp) * w, bool has, OP(entry) entry)
{
    if constexpr (sizeof entry == 8) {
        ordo_u64 word;
        memcpy(&word, &entry, sizeof word);
        if (has)
            ordo_dev_store_near(OP(warp_memory)(w, entry.item), word);
    }
}
/* Whether it remembers a better one than the lane's. Where lanes have remembered two entries of one item at once, the
 * last store, whichever that was, stands: so each first puts its own in the place of a worse one. */
ORDO_DEV bool OP(warp_overtaken)(const OP(sight) & g, OP(warp) * w, bool there, OP(entry) entry)
{
    OP(entry) known = {};
    if constexpr (sizeof entry == 8) {
        ordo_u64 word = ordo_dev_load_near(OP(warp_memory)(w, entry.item));
        memcpy(&known, &word, sizeof known);
        OP(warp_remember)(w, there && known.item == entry.item && OP(better)(entry.value, known.value), entry);
        __syncwarp();
        word = ordo_dev_load_near(OP(warp_memory)(w, entry.item));
        memcpy(&known, &word, sizeof known);
        return known.item == entry.item && OP(better)(known.value, entry.value);
    }
    return there && OP(better)(OP(dev_cell)(g.cells, entry.item), entry.value);
}

/* A hop over entries that the warp itself has kept, a lane each. Returns which lanes' entries have their edges
 * elsewhere.
 *
 * Where depth binds, a hop takes as long as what it waits for one after the other, and as its instructions, for most of
 * the warps beside it wait. So it goes straight to the atomics, and fetches the targets' records meanwhile, so that
 * the next hop has them in the first-level cache. That something better has come since it does not read from the item's
 * cell but from what the warp remembers of what it activated itself, which is most of what is ever overtaken; what
 * others have overtaken proposes in vain. No branch for one edge, either: an edge that a lane lacks becomes an offer
 * of the worst value to the item itself. */
ORDO_DEV bool OP(warp_link)(const OP(sight) & g, OP(warp) * w, OP(entry) * entry)
{
    ordo_u32 target[4], ahead[4] = {};
    OP(cell) candidate[4], old[4];
    bool has[4];
    const bool there = OP(warp_hop)(g, w, entry);
    const ordo_vid v = there ? entry->item : 0;
    const uint4 first = __ldg(g.record + 2 * (ordo_u64)v), second = __ldg(g.record + 2 * (ordo_u64)v + 1);
    const bool stale = OP(activates) && OP(warp_overtaken)(g, w, there, {entry->value, v});
    const ordo_u32 word[8] = {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
    const bool mine = there && word[0] != ORDO_RECORD_LONG, live = mine && !stale && OP(filter)(&g.state, v);
    w->stale += mine && stale;
    w->items += live;
    OP(warp_propose)(g, v, entry->value, live, word, has, target, candidate);
#pragma unroll
    for (int u = 0; u < 4; u++)
        w->edges += has[u];
    if (live) {
#pragma unroll
        for (int u = 0; u < 4; u++)
            ahead[u] = ordo_dev_fetch(g.record + 2 * (ordo_u64)target[u]);
#pragma unroll
        for (int u = 0; u < 4; u++)
            OP(dev_improve)(g.cells, true, has[u] ? target[u] : v, has[u] ? candidate[u] : OP(worst)(), &old[u]);
    }
#pragma unroll
    for (int u = 0; u < 4; u++) {
        has[u] = has[u] && OP(better)(candidate[u], old[u]);
        w->useful += has[u];
    }
    if constexpr ((int)OP(activates) != 0) {
#pragma unroll
        for (int u = 0; u < 4; u++) {
            ordo_dev_prefetch(has[u] && ahead[u] == ORDO_RECORD_LONG, g.rows.row + target[u]);
            OP(warp_remember)(w, has[u], {candidate[u], target[u]});
        }
        OP(warp_push)(g, w, has, target, candidate, target);
    }
    return there && !mine;
}

/* Entries whose edges are in their records, and what of what they activate is kept, hop after hop: a loop of its own,
 * for where depth binds it is the instructions of a hop that take the time. Lanes that are `there` bring an entry each,
 * as in OP(warp_gather), which is to be called for those that are there afterwards. `between()` runs before each
 * further hop and says whether to take it; none is taken where the store might not hold it. */
template <typename Between>
ORDO_DEV bool OP(warp_chain)(const OP(sight) & g, OP(warp) * w, bool there, OP(entry) * entry, bool fresh,
                             Between between)
{
    if (!((int)OP(properties) & ORDO_EDGE_BLIND) || !g.record)
        return there;
    there = OP(warp_records)(g, w, there, *entry, fresh);
    while (!__any_sync(~0u, there) && w->near && !OP(warp_full)(w) && between())
        there = OP(warp_link)(g, w, entry);
    return there;
}

/* The next 32 * N edges of the batch. */
template <int N> ORDO_DEV void OP(warp_relax)(const OP(sight) & g, OP(warp) * w, OP(batch) * t)
{
    ordo_u32 target[N], head[N], weight[N];
    OP(cell) candidate[N], of[N];
    ordo_vid tail[N];
    ordo_eid e[N];
    bool has[N];
#pragma unroll
    for (int u = 0; u < N; u++) {
        ordo_u32 i = t->first + 32 * u + threadIdx.x % 32;
        has[u] = i < t->total;
        i = min(i, t->total - 1); /* no branch: a lane without an edge looks at the last one, and offers nothing */
        ordo_u32 owner = 0;       /* the last lane whose offset is at most i */
#pragma unroll
        for (ordo_u32 step = 16; step; step /= 2) {
            const ordo_u32 other = __shfl_sync(~0u, t->offset, owner + step);
            owner += other <= i ? step : 0;
        }
        e[u] = __shfl_sync(~0u, t->begin, owner) + i;
        tail[u] = __shfl_sync(~0u, t->v, owner);
        of[u] = __shfl_sync(~0u, t->value, owner);
    }
    OP(dev_edges)(&g.rows, e, head, weight);
#pragma unroll
    for (int u = 0; u < N; u++) {
        const OP(edge) edge = OP(make_edge)(e[u], tail[u], head[u], &weight[u]);
        candidate[u] = OP(candidate)(&g.state, of[u], edge);
        target[u] = OP(target)(&g.state, edge);
    }
    t->first += 32 * N;
    OP(warp_offer)(g, w, has, target, candidate);
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
    w->cut = true;
    if (has)
        ordo_dev_store(&g.owner[piece], v);
    OP(warp_put)(g, w, has, g.universe + piece, value, v);
    t->piece += 32;
    if (first + t->piece > last) {
        t->hubs &= t->hubs - 1;
        t->piece = 0;
    }
}

/* Edges of the batch and pieces of its hubs, while the store has room. Returns whether some are left. Narrow: few edges
 * take few instructions, for a third more code; it pays where that has room among the instructions that are kept. */
template <bool narrow> ORDO_DEV bool OP(warp_work)(const OP(sight) & g, OP(warp) * w, OP(batch) * t)
{
    while (t->first < t->total && !OP(warp_full)(w))
        if (narrow && t->total - t->first <= 32)
            OP(warp_relax)<1>(g, w, t);
        else
            OP(warp_relax)<ORDO_WARP_UNROLL>(g, w, t);
    while (t->hubs && !OP(warp_full)(w))
        OP(warp_cut)(g, w, t);
    return t->first < t->total || t->hubs;
}

/* Whether priorities are classes of weights: edges have some, and the operator declares one priority a bucket. */
static bool OP(warp_classes)(const ordo_job *job)
{
    return (int)OP(weight_type) != ORDO_NONE && OP(delta)((double)job->out->n, (double)job->out->m) == 1;
}

/* The width that the operator declares, or more where that is one priority: one a superstep is a barrier a priority.
 * Levels of a deep graph: chains take many, and hardly ever a wrong one. Classes of weights: by how much work grows on
 * such graphs (of rmat graphs 29 supersteps for 202 and 11 % more edges, of random ones of degree four 138 for 322 and
 * 20 %); `deep` and `even` are what a scheduler takes on graphs of these kinds. */
static double OP(warp_width)(const ordo_job *job, double deep, double even)
{
    const double own = OP(delta)((double)job->out->n, (double)job->out->m);
    const ordo_graph_kind kind = ordo_job_graph_kind(job);
    if (own != 1)
        return own;
    if (!OP(warp_classes)(job))
        return kind == ORDO_GRAPH_DEEP ? 64 : own;
    return kind == ORDO_GRAPH_HUBS ? 64 : kind == ORDO_GRAPH_EVEN ? even : deep;
}

/* On the host: what a kernel's arguments hold of the run, whichever scheduler's they are. */
template <typename Args>
static ordo_status OP(warp_arguments)(ordo_cuda *c, bool records, Args *a, ordo_cuda_arrays *arrays)
{
    (void)arrays; /* no section writes any */
    a->sight.rows = c->out;
    a->sight.cells = (OP(cell) *)c->cells;
    a->sight.universe = (ordo_u32)c->job->universe;
    a->run = c->run;
    ordo_status status = OP(cuda_state)(c, &a->sight.state);
    if (!status && records && ((int)OP(properties) & ORDO_EDGE_BLIND))
        status = ordo_cuda_records(c, &a->sight.record);
    return status;
}

#endif /* ORDO_KIND_RELAX */
