/* warp.cuh -- expansion by independent warps, for schedulers on a GPU whose order is 32 buckets.
 *
 * Problem. Where there is little work, a block barrier after every few items costs more than the items do. The hardware
 * schedules warps, so here each warp works independently.
 *
 * Method. A warp takes up to 32 entries, one per lane. Their edges are concatenated and distributed over the lanes, 32
 * times UNROLL per iteration. An improved target goes to a store in shared memory, tagged with its bucket, from which
 * the scheduler takes it (lane b counts the entries for bucket b); or it stays with the warp, in its local queue, and
 * is expanded in the next *hop*, a step of a chain.
 *
 * Entries are {value, item}; one whose item's cell has become better meanwhile is stale.
 *
 * Hubs. The edges of an item with more than HUB edges are cut at multiples of PIECE into entries of their own. Piece j
 * of the graph's edges is the item num_items + 2j, or + 1 if it is the first piece of its hub (a piece of edges may
 * hold the end of one hub and the start of another, but no third). `owner` holds the item to which a piece belongs; it
 * is written before the entry is, always with the same value.
 *
 * Sums (ORDO_SUM). An entry is stale unless its level is that of the cell; taking it takes the cell (op_warp_take), and
 * the cell must not be older than the entry (see relax.cuh). Hubs are not cut: the warp
 * alone has what was taken, and a piece for which a queue has no memory could not get it back from the cell. So the
 * warp expands the whole row.
 *
 * Critical operators. An entry is an item and the priority with which it was activated; a batch is a request per lane,
 * and the description of edges above applies to requests: see warp_critical.cuh, which has their part.
 *
 * A template over the operator as <ordo/scheduler/cuda.cuh> is, which is included before it. Defines op_entry, op_warp,
 * op_batch, op_warp_ctx,
 *   op_warp_start   initialises a warp's state
 *   op_warp_chain   expands entries whose edges are in records, and then the local queue
 *   op_warp_gather  makes the other lanes' entries the warp's batch
 *   op_warp_work    expands edges of the batch, and cuts hubs, while the store has capacity
 *   op_warp_put     puts an entry into the store, or into the local queue
 *   op_warp_begin   puts initial items into the store
 *   op_warp_hop     takes entries from the local queue
 *   op_warp_loop    the main loop, which calls these and the scheduler's hooks (warp_loop.cuh)
 * All functions are called by whole warps, with the same arguments in all lanes, except for those described as the
 * lane's own.
 */
#ifndef ORDO_CUDA_WARP_ONCE
#define ORDO_CUDA_WARP_ONCE

#include <ordo/detail/cuda/share.cuh>
#include <ordo/detail/cuda/spill.cuh>
#include <ordo/detail/cuda/words.cuh>

enum {
    ORDO_WARP_CAPACITY = 192,  /* entries in a warp's store; fewer of 16 bytes, so that shared memory suffices */
    ORDO_WARP_ITERATION = 128, /* most entries that an iteration adds: an edge record per lane */
    ORDO_WARP_GHOST = 0xffff,  /* tag of an item of another rank, which the scheduler sends to its owner */
    ORDO_WARP_UNROLL = 4,
    ORDO_WARP_HUB = 128,
    ORDO_WARP_PIECE = 64,
    ORDO_WARP_PIECES = 512, /* of hubs, the most that a warp reserves slots for at once */
    ORDO_WARP_SEEN = 128,   /* entries of a warp's cache of seen entries */
};

/* Maps priorities to a circle of 32 buckets; bucket `head` begins at `base`. */
typedef struct ordo_dev_map {
    double base, per_delta, limit; /* entries with priorities below `limit` may stay in a local queue */
    ordo_u32 buckets, head;
    ordo_u32 last;      /* the largest distance from the head, to which farther entries are clipped; below `buckets` */
    bool latency_bound; /* the run is latency-bound: improve without a test, prefetch rows */
} ordo_dev_map;

/* By one thread: the distance of a priority's bucket from the head. Priorities below `base` (late entries) are in the
 * head; those too far away are clipped to the last. */
ORDO_DEV ordo_u32 ordo_map_distance(const ordo_dev_map &map, double priority)
{
    return min(__double2uint_rz((priority - map.base) * map.per_delta), map.last); /* saturates at both ends */
}

/* The bucket of a priority. */
ORDO_DEV ordo_u32 ordo_map_bucket(const ordo_dev_map &map, double priority)
{
    const ordo_u32 b = map.head + ordo_map_distance(map, priority);
    return b < map.buckets ? b : b - map.buckets;
}

/* A warp's store, in shared memory: entries that the scheduler is to take, and how many of them belong to each bucket.
 */
template <typename Entry> struct ordo_warp_store {
    static constexpr ordo_u32 capacity = sizeof(Entry) == 8 ? ORDO_WARP_CAPACITY : ORDO_WARP_CAPACITY - 32;
    Entry held[capacity];
    unsigned short tag[capacity]; /* bucket << 8 | number among the bucket's, or ORDO_WARP_GHOST */
    ordo_u32 count[32];
    ordo_u32 own[2];               /* used by the scheduler; initially 0 */
    ordo_u64 seen[ORDO_WARP_SEEN]; /* direct-mapped cache of seen entries of 8 bytes; see op_warp_link */
};

/* By a whole warp: returns a pointer into shared memory in a form that stays in a register. Otherwise each use of it
 * repeats the conversion to a generic address, which takes as long as a load. */
template <typename T> ORDO_DEV T *ordo_warp_pinned(T *p)
{
    return (T *)__cvta_shared_to_generic(__shfl_sync(~0u, (ordo_u32)__cvta_generic_to_shared(p), 0));
}

/* On the host: the number of ids of items and pieces of hubs; an error if they do not fit 32 bits. */
static inline ordo_status ordo_warp_ids(const ordo_job *job, const char *scheduler, ordo_u64 *out)
{
    *out = job->num_items + 2 * (job->out->m / ORDO_WARP_PIECE + 1);
    if (*out <= 0xffffffffu)
        return ORDO_OK;
    return ordo_fail(
        ORDO_ERR_DEVICE,
        "device 'cuda': scheduler '%s' found %llu items and %llu edges, expected items + edges / 32 below 2^32",
        scheduler, (unsigned long long)job->num_items, (unsigned long long)job->out->m);
}

/* An array in device memory to be allocated for a kernel's arguments. */
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

/* By a whole warp: lowers *least to the least priority of the lanes with `has`. *least holds such a word, inverted, so
 * that 0 means none. */
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

/* Whether there are entries of the operator's cells: an entry is one load of 8 or 16 bytes, of which a cell is half.
 * Where it is 0, the schedulers of this file have no instance. */
#if ORDO_OP_KIND == ORDO_KIND_RELAX && ORDO_OP_CELL_BYTES == 16
#define ORDO_WARP_HAS_ENTRIES 0
#else
#define ORDO_WARP_HAS_ENTRIES 1
#endif

#if ORDO_OP_KIND == ORDO_KIND_RELAX
typedef op_cell op_value;
enum {
    op_warp_sync = ORDO_SYNC_ATOMIC,
    /* Whether a warp that takes an entry must see all that was written before the entry was published. Relax operators
     * that select do not need that. */
    op_warp_ordered = ORDO_OP_ORDER == ORDO_SUM,
    /* Edges of a lane in an iteration: of sums of 64 bits as many as registers allow. */
    op_warp_sums = ORDO_OP_ORDER == ORDO_SUM,
    op_warp_unroll = (int)op_warp_sums && sizeof(op_cell) == 8 ? 2 : (int)ORDO_WARP_UNROLL,
};
#else
typedef ordo_u32 op_value;
enum { op_warp_sync = ORDO_SYNC_LOCK, op_warp_ordered = 1, op_warp_sums = 0 };
ORDO_DEV double op_priority(const op_state *s, ordo_item item, op_value value)
{
    (void)s;
    (void)item;
    return value;
}
#endif

typedef struct __align__(2 * sizeof(op_value)) op_entry
{
    op_value value;
    ordo_u32 item;
}
op_entry;

/* Whether the warps of a block may share entries (share.cuh): an entry must be one word, and carry all that the warp
 * that takes it needs to know. */
enum { op_warp_shares = sizeof(op_entry) == 8 && !op_warp_ordered };

/* The part of a kernel's arguments that all warps share. */
typedef struct op_warp_ctx {
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    ordo_cuda_rows rows;
    op_cell *cells;
#else
    ordo_cuda_locks locks;
#endif
    op_state state;
    ordo_u32 num_items;
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    const uint4 *record; /* see ordo_cuda_records; NULL: none */
#endif
    ordo_u32 local_capacity; /* capacity of a warp's local queue: a power of two */
    ordo_u32 keep;           /* where entries are shared: most entries in a local queue */
    ordo_u32 few;            /* most entries in a local queue for such hops */
    ordo_u32 lanes;          /* log2 of the lanes that share a row in a hop without records; 0: no such hops */
    ordo_u32 zero;           /* is 0, which compilers do not know: see op_warp_behind */
    ordo_u32 *owner;         /* [2 * (m / PIECE + 1)] */
    ordo_u32 pieces;         /* that slots are reserved for at once, where a scheduler takes them as they are cut */
#if ORDO_OVER_RANKS
    ordo_cuda_ranks ranks;
    ordo_cuda_boxes boxes; /* where ranks do not meet */
    ordo_dev_spill kept;   /* ghosts whose message found its box full */
#endif
} op_warp_ctx;

/* State of a warp, in registers; the same in all lanes except for the counters. */
typedef struct op_warp {
    ordo_warp_store<op_entry> *store;
    op_entry *local_queue; /* [ctx.local_capacity] a ring of entries for the next hops */
    ordo_dev_map map;
    ordo_u32 held;
    ordo_u32 local_begin, local_count, chain_limit; /* the local queue's first entry and number of entries; hops that
                                                       are left */
    bool surplus;      /* the store has entries for which the local queue was full: other warps could take them */
    bool cut;          /* a hub was cut, and its pieces are in the store; the scheduler resets this */
    ordo_share *share; /* takes entries for which the local queue is full; NULL: none */
#if ORDO_OVER_RANKS
    op_dev_stage *stage; /* for ghosts, where ranks do not meet */
    bool staged;         /* whether there is one; else ghosts go to the store. Known when a kernel is compiled */
    ordo_u32 unsent;     /* messages that became bits, and bits that were set already: counted as made, and finished;
                            the scheduler resets this */
#endif
    ordo_u32 items, edges, useful, stale; /* counters of the lane, since op_warp_publish */
    ordo_u32 activations;                 /* the same, of critical operators */
    ordo_u32 *live; /* [5] in shared memory, of a traced run: what the lanes had counted before op_warp_publish; else
                       NULL */
} op_warp;

/* By one thread: the present value for an item's entry, if `has`; and whether the item has anything to do:
 * edges, or a level; the items of critical operators have. */
ORDO_DEV op_value op_warp_now(const op_warp_ctx &g, bool has, ordo_item item)
{
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    return has ? op_dev_cell(g.cells, item) : op_worst();
#else
    return has ? op_first_priority(&g.state, item) : 0;
#endif
}
ORDO_DEV bool op_warp_some(const op_warp_ctx &g, ordo_item item)
{
#if ORDO_OP_KIND == ORDO_KIND_RELAX && ORDO_OP_ORDER == ORDO_SUM
    return op_level(&g.state, op_dev_cell(g.cells, item)) > 0; /* items without edges are taken as well */
#elif ORDO_OP_KIND == ORDO_KIND_RELAX
    return __ldg(g.rows.row + item) < __ldg(g.rows.row + item + 1);
#else
    return true;
#endif
}

/* Whether the entries of another iteration might not fit into the store. */
ORDO_DEV bool op_warp_full(const op_warp *w)
{
    return w->held > ordo_warp_store<op_entry>::capacity - ORDO_WARP_ITERATION;
}

/* Shares N entries of each lane, those with `has`. False, and none is shared, as ordo_share_put says. */
template <int N>
ORDO_DEV bool op_warp_share(op_warp *w, const bool (&has)[N], const ordo_u32 (&item)[N], const op_value (&value)[N])
{
    ordo_u64 word[N];
#pragma unroll
    for (int u = 0; u < N; u++) {
        const op_entry entry = {value[u], item[u]};
        memcpy(&word[u], &entry, sizeof word[u]);
    }
    return ordo_share_put(w->share, has, word);
}

/* Whether an item is one of another rank; there is one rank but in units for several. */
ORDO_DEV bool op_warp_ghost(const op_warp_ctx &g, ordo_item item)
{
#if ORDO_OVER_RANKS
    return !ordo_dev_owns(g.ranks, item);
#else
    (void)g;
    (void)item;
    return false;
#endif
}

#if ORDO_OVER_RANKS
/* Behind op_warp_start, where ranks do not meet: ghosts are staged in the block's `stage`. */
ORDO_DEV void op_warp_start_stage(op_warp *w, op_dev_stage *stage)
{
    w->stage = stage;
    w->staged = true;
}
#endif

/* Whether ghosts are staged before entries are pushed. */
ORDO_DEV bool op_warp_staged(const op_warp *w)
{
#if ORDO_OVER_RANKS
    return w->staged;
#else
    (void)w;
    return true; /* there are none */
#endif
}

/* Whether an id that is pushed is an item of this rank: neither a ghost nor a piece of a hub. */
ORDO_DEV bool op_warp_owns(const op_warp_ctx &g, const op_warp *w, ordo_u32 id)
{
    return op_warp_staged(w) ? id < g.num_items : !op_warp_ghost(g, id);
}

/* An item for lanes that have none: its row is there to be read. */
ORDO_DEV ordo_item op_warp_any_item(const op_warp_ctx &g)
{
#if ORDO_OVER_RANKS
    return g.ranks.first;
#else
    (void)g;
    return 0;
#endif
}

#if ORDO_OVER_RANKS
/* Where ranks do not meet: what becomes of messages that find their box full. */
ORDO_DEV void op_warp_keep(const op_warp_ctx &g, op_warp *w, bool there, ordo_u32 item)
{
    const bool merged = there && ordo_spill(g.kept, item);
    w->unsent += __popc(__ballot_sync(~0u, there)) + __popc(__ballot_sync(~0u, merged));
}

/* Where ranks do not meet: stages the value of the lane's ghost, if it `has` one; op_dev_unstage sends what is staged.
 */
ORDO_DEV void op_warp_post(const op_warp_ctx &g, op_warp *w, bool has, ordo_u32 item, const op_cell &value)
{
    op_dev_post_staged(g.ranks, g.boxes, w->stage, has, item, value,
                       [&](ordo_u32 kept, bool there) { op_warp_keep(g, w, there, kept); });
}

/* Where ranks do not meet: stages the ghosts among N entries of each lane, those with `has`; the others stay. Else
 * op_warp_push puts ghosts into the store. */
template <int N>
ORDO_DEV void op_warp_stage(const op_warp_ctx &g, op_warp *w, bool (&has)[N], const ordo_u32 (&item)[N],
                            const op_cell (&value)[N])
{
#pragma unroll
    for (int u = 0; op_warp_staged(w) && u < N; u++) {
        const bool goes = has[u] && op_warp_ghost(g, item[u]);
        if (__any_sync(~0u, goes))
            op_warp_post(g, w, goes, item[u], value[u]);
        has[u] = has[u] && !goes;
    }
}

/* Where ranks meet, behind meeting `number`: sends the ghosts among `held` entries of the store, those for a rank
 * together. */
ORDO_DEV void op_warp_send_ghosts(const ordo_cuda_ranks &r, ordo_u64 number, const ordo_warp_store<op_entry> *s,
                                  ordo_u32 held)
{
    enum { N = (ordo_warp_store<op_entry>::capacity + 31) / 32 };
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u32 ghosts = 0; /* bit j: the lane's j-th entry is one */
#pragma unroll
    for (ordo_u32 j = 0; j < N; j++)
        ghosts |= 32 * j + lane < held && s->tag[32 * j + lane] == ORDO_WARP_GHOST ? 1u << j : 0;
    if (!__any_sync(~0u, ghosts != 0))
        return;
    for (ordo_u32 to = 0; to < r.count; to++) {
        ordo_u32 mine = 0;
        for (ordo_u32 left = ghosts; left; left &= left - 1) {
            const ordo_u32 j = (ordo_u32)__ffs((int)left) - 1;
            mine |= ordo_dev_owner(r, s->held[32 * j + lane].item) == to ? 1u << j : 0;
        }
        const ordo_u32 total = ordo_warp_sum((ordo_u32)__popc(mine));
        if (!total)
            continue;
        ordo_u32 at = 0;
        if (lane == 0)
            at = ordo_dev_add(&r.words[r.rank]->sent[to].count, total);
        at = __shfl_sync(~0u, at, 0);
        for (ordo_u32 j = 0; j < N; j++) { /* lanes with consecutive places store together */
            const ordo_u32 some = __ballot_sync(~0u, mine >> j & 1);
            if (mine >> j & 1) {
                const op_entry ghost = s->held[32 * j + lane];
                op_dev_store_message(r, number, to, at + (ordo_u32)__popc(some & ((1u << lane) - 1)),
                                     {ghost.value, ghost.item});
            }
            at += (ordo_u32)__popc(some);
        }
    }
}

/* Where ranks do not meet: sends what the block has staged. */
ORDO_DEV void op_warp_unstage(const op_warp_ctx &g, op_warp *w)
{
    op_dev_unstage(g.ranks, g.boxes, w->stage, [&](ordo_u32 kept, bool there) { op_warp_keep(g, w, there, kept); });
}
#endif

/* The tag in a warp's store of an entry of bucket `b`. By the lanes that have one. */
ORDO_DEV unsigned short op_warp_tag(const op_warp_ctx &g, op_warp *w, ordo_u32 b, ordo_u32 id)
{
    if (!op_warp_staged(w) && id < g.num_items && op_warp_ghost(g, id))
        return ORDO_WARP_GHOST;
    return (unsigned short)(b << 8 | atomicAdd(&w->store->count[b], 1u));
}

/* Puts N entries of each lane, those with `has`, into the local queue, if their priorities are below `limit` and the
 * chain may go on, or else into the store, as ghosts do. `vertex` is the vertex that determines the priority; it is
 * valid in all lanes. Calls `soon_known(soon)` when it is known which entries are for the local queue; those that do
 * not go into the store have no `has` afterwards. */
template <int N, typename Known>
ORDO_DEV void op_warp_push(const op_warp_ctx &g, op_warp *w, bool (&has)[N], const ordo_u32 (&item)[N],
                           const op_value (&value)[N], const ordo_vid (&vertex)[N], Known soon_known)
{
    const ordo_u32 below = (1u << threadIdx.x % 32) - 1;
    double priority[N];
    bool any = false;
#pragma unroll
    for (int u = 0; u < N; u++)
        priority[u] = op_priority(&g.state, vertex[u], value[u]);
    if (w->chain_limit) {
        bool soon[N];
        ordo_u32 some[N], kept = 0;
#pragma unroll
        for (int u = 0; u < N; u++) {
            soon[u] = has[u] && priority[u] < w->map.limit && op_warp_owns(g, w, item[u]);
            kept += __popc(some[u] = __ballot_sync(~0u, soon[u]));
        }
        soon_known(soon);
        if (w->local_count + kept <= (w->share ? g.keep : g.local_capacity)) { /* all of them fit */
#pragma unroll
            for (int u = 0; u < N; u++) {
                const ordo_u32 at = w->local_begin + w->local_count + __popc(some[u] & below);
                if (soon[u])
                    w->local_queue[at & (g.local_capacity - 1)] = {value[u], item[u]};
                w->local_count += __popc(some[u]);
                has[u] = has[u] && !soon[u];
            }
        } else {
            const ordo_u32 most = w->share ? g.keep : g.local_capacity;
            w->surplus = true;
#pragma unroll
            for (int u = 0; u < N; u++) {
                const ordo_u32 at = w->local_count + __popc(some[u] & below);
                const bool stays = soon[u] && at < most;
                if (stays)
                    w->local_queue[(w->local_begin + at) & (g.local_capacity - 1)] = {value[u], item[u]};
                w->local_count = max(w->local_count, min(w->local_count + __popc(some[u]), most));
                soon[u] = soon[u] && !stays;
                has[u] = has[u] && !stays;
            }
            if (op_warp_shares && w->share && op_warp_share(w, soon, item, value)) {
#pragma unroll
                for (int u = 0; u < N; u++)
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
            const ordo_u32 b = ordo_map_bucket(w->map, priority[u]);
            w->store->held[at] = {value[u], item[u]};
            w->store->tag[at] = op_warp_tag(g, w, b, item[u]);
        }
        w->held += __popc(rest);
    }
}
/* The same for a caller that does not ask which entries these are. */
template <int N>
ORDO_DEV void op_warp_push(const op_warp_ctx &g, op_warp *w, bool (&has)[N], const ordo_u32 (&item)[N],
                           const op_value (&value)[N], const ordo_vid (&vertex)[N])
{
    op_warp_push(g, w, has, item, value, vertex, [](const bool(&)[N]) {});
}
/* The same for one entry of each lane. */
ORDO_DEV void op_warp_put(const op_warp_ctx &g, op_warp *w, bool has, ordo_u32 item, op_value value, ordo_vid vertex)
{
    bool hass[1] = {has};
    const ordo_u32 items[1] = {item};
    const op_value values[1] = {value};
    const ordo_vid vertices[1] = {vertex};
    op_warp_push(g, w, hass, items, values, vertices);
}

#if ORDO_OVER_RANKS
/* Where ranks do not meet: takes a chunk of messages that has come, if there is one; the items of those that improve
 * cells go to the store. Returns how many messages it had. `turn`: see op_dev_take_chunk. */
ORDO_DEV ordo_u32 op_warp_take_mail(const op_warp_ctx &g, op_warp *w, ordo_u32 turn)
{
    op_dev_message message = {};
    const ordo_u32 count = op_dev_take_chunk(g.ranks, g.boxes, turn, &message);
    const bool there = threadIdx.x % 32 < count;
    if (!count)
        return 0;
    const bool improves = there && op_dev_apply(&g.state, g.cells, message.item, &message.value, false, false);
    const ordo_u32 chain_limit = w->chain_limit;
    w->useful += improves;
    w->chain_limit = 0; /* the store, not the local queue */
    op_warp_put(g, w, improves, message.item, message.value, message.item);
    w->chain_limit = chain_limit;
    return count;
}

/* Where ranks do not meet, by a whole warp that has taken the lane's bits of word `word`: sends the values of those
 * that are ghosts. Returns the other bits. */
ORDO_DEV ordo_u32 op_warp_send_kept(const op_warp_ctx &g, op_warp *w, ordo_u32 word, ordo_u32 bits)
{
    const ordo_u64 first = (ordo_u64)word * 32, items = g.num_items; /* parts begin at multiples of 32 */
    ordo_u32 ghosts = 0;
    if (bits && first < items && !ordo_dev_owns(g.ranks, (ordo_u32)first))
        ghosts = items - first >= 32 ? bits : bits & ((1u << (items - first)) - 1); /* above are pieces of hubs */
    const ordo_u32 others = bits & ~ghosts;
    while (__any_sync(~0u, ghosts != 0)) {
        const bool has = ghosts != 0;
        const ordo_u32 item = has ? (ordo_u32)first + (ordo_u32)__ffs((int)ghosts) - 1 : 0;
        op_cell value = {};
        if (has)
            value = ordo_dev_load(&g.cells[item]);
        op_warp_post(g, w, has, item, value);
        ghosts &= ghosts - 1;
    }
    return others;
}

#endif

/* Puts initial items `at` to at + 31 into the store, one per lane, if there are that many; returns their number. Items
 * without edges need no further work. */
ORDO_DEV ordo_u32 op_warp_begin(const op_warp_ctx &g, op_warp *w, const ordo_cuda_run &run, ordo_u64 at)
{
    at += threadIdx.x % 32;
#if ORDO_OVER_RANKS
    const bool has = at < run.initial_count && ordo_dev_owns(g.ranks, ordo_dev_initial(&run, at));
#else
    const bool has = at < run.initial_count;
#endif
    const ordo_u32 item = has ? ordo_dev_initial(&run, at) : 0;
    const op_value value = op_warp_now(g, has, item);
    const bool some = has && op_warp_some(g, item);
    w->items += has && !some;
    op_warp_put(g, w, some, item, value, item);
    return __popc(__ballot_sync(~0u, has));
}

/* Takes up to 32 entries from the local queue, one per lane, for another hop; returns whether the lane has one. */
ORDO_DEV bool op_warp_hop(const op_warp_ctx &g, op_warp *w, op_entry *entry)
{
    const ordo_u32 lane = threadIdx.x % 32, count = w->local_count < 32 ? w->local_count : 32;
    __syncwarp();
    if (lane < count)
        *entry = w->local_queue[(w->local_begin + lane) & (g.local_capacity - 1)];
    __syncwarp();
    w->local_begin += count;
    w->local_count -= count;
    w->chain_limit -= w->chain_limit > 0;
    return lane < count;
}

/* Must be called first. `live`: see op_warp. */
ORDO_DEV void op_warp_start(op_warp *w, ordo_warp_store<op_entry> *store, op_entry *local_queue, ordo_u32 *live)
{
    *w = {};
    w->store = ordo_warp_pinned(store);
    w->local_queue = ordo_warp_pinned(local_queue);
    w->store->count[threadIdx.x % 32] = 0;
    w->store->own[threadIdx.x % 2] = 0;
    if (live) {
        w->live = ordo_warp_pinned(live);
        if (threadIdx.x % 32 < 5)
            w->live[threadIdx.x % 32] = 0;
    }
    for (ordo_u32 i = threadIdx.x % 32; i < ORDO_WARP_SEEN; i += 32)
        w->store->seen[i] = ~(ordo_u64)0; /* no item has that id */
    __syncwarp();
}

/* Which counters warps show: only critical operators count activations. */
enum { op_warp_shown = ORDO_OP_KIND == ORDO_KIND_RELAX ? 4 : 5 };

/* In a traced run: shows the warp's counters and its state (<ordo/detail/cuda/live.cuh>). */
ORDO_DEV void op_warp_show(const op_warp *w, const ordo_cuda_run &run, ordo_u32 state)
{
    if (!w->live)
        return;
    const ordo_u32 before = w->live[threadIdx.x % 32 < 5 ? threadIdx.x % 32 : 0];
    ordo_live_put<op_warp_shown>(run.traced.live, before + ordo_live_sums<op_warp_shown>(*w), state);
}
ORDO_DEV void op_warp_show_state(const op_warp *w, const ordo_cuda_run &run, ordo_u32 state)
{
    if (w->live)
        ordo_live_state(run.traced, state);
}

/* Adds the warp's counters to the grid's. */
ORDO_DEV void op_warp_publish(op_warp *w, const ordo_cuda_run &run)
{
    const ordo_cuda_counters mine = {w->items, w->edges, w->useful, w->stale, w->activations};
    ordo_dev_publish(run.counters, mine);
    if (w->live) {
        const ordo_u32 sum = ordo_live_sums<5>(*w);
        if (threadIdx.x % 32 < 5)
            w->live[threadIdx.x % 32] += sum;
        __syncwarp();
    }
    w->items = w->edges = w->useful = w->stale = w->activations = 0;
}

/* By the whole grid: sets *lowest, which must be 0, to the least priority of the initial items. After a grid barrier
 * any thread reads it with op_warp_base. */
ORDO_DEV void op_warp_lowest(const op_warp_ctx &g, const ordo_cuda_run *run, ordo_u64 *lowest)
{
    double mine = INFINITY;
    bool some = false;
    for (ordo_u64 i = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; i < run->initial_count;
         i += (ordo_u64)gridDim.x * blockDim.x) {
        const ordo_item item = ordo_dev_initial(run, i);
        mine = fmin(mine, op_priority(&g.state, item, op_warp_now(g, true, item)));
        some = true;
    }
    ordo_warp_note_least(lowest, some, mine);
}
ORDO_DEV double op_warp_base(ordo_u64 *lowest)
{
    const ordo_u64 word = ordo_dev_load(lowest);
    const double base = word ? ordo_dev_unordered(~word) : 0;
    return isfinite(base) ? base : 0;
}

#if ORDO_OP_KIND != ORDO_KIND_RELAX
#include <ordo/detail/cuda/warp_critical.cuh>
#else

/* The batch that a warp expands: an item per lane, whose edges are concatenated. */
typedef struct op_batch {
    ordo_vid v;
    op_taken value;
    ordo_u64 begin;        /* edge i of the batch is edge begin + i, by the begin of its item's lane; for a hub: its
                              first edge */
    ordo_u32 offset;       /* number of the lane's first edge in the batch */
    ordo_u32 total, first; /* number of edges of all lanes, and of those that are done */
    ordo_u32 hubs, piece;  /* lanes whose items are hubs; number of pieces already cut from the first of them */
} op_batch;

#if ORDO_OP_ORDER == ORDO_SUM
/* By one thread: whether the lane's entry, if it `has` one, is to be taken. */
ORDO_DEV bool op_warp_due(const op_warp_ctx &g, op_warp *w, bool has, ordo_item item, bool fresh, op_cell value)
{
    if (!has)
        return false;
    const ordo_u32 level = op_level(&g.state, op_dev_cell(g.cells, item));
    if (level == 0 || (!fresh && level != op_level(&g.state, value))) {
        w->stale++;
        return false;
    }
    return op_filter(&g.state, item);
}

/* By a whole warp: begins processing the lane's entry, if it `has` one: takes the item's cell. Returns whether it has
 * taken it; *taken is then what candidates are computed from. */
ORDO_DEV bool op_warp_take(const op_warp_ctx &g, op_warp *w, bool has, ordo_item item, bool fresh, op_cell value,
                           op_taken *taken)
{
    const bool due = op_warp_due(g, w, has, item, fresh, value);
#if ORDO_OP_RESIDUALS
    return op_dev_compute(&g.state, due, item, taken, w);
#else
    if (!due)
        return false;
    const bool took = op_dev_begin(&g.state, g.cells, NULL, item, taken);
    w->items += took;
    w->stale += !took;
    return took;
#endif
}
#endif

/* Makes the entries of lanes with `there` the warp's batch; the last batch must be done. `fresh`: the value of an entry
 * is set to the present value of its cell. */
ORDO_DEV void op_warp_gather(const op_warp_ctx &g, op_warp *w, op_batch *t, bool there, ordo_u32 item, op_cell value,
                             bool fresh)
{
    ordo_u64 from = 0, to = ~(ordo_u64)0, begin = 0;
    ordo_u32 degree = 0;
    if (!__any_sync(~0u, there))
        return; /* no edges of the last batch are left */
    t->v = item;
    if (there && item >= g.num_items) {
        const ordo_u32 piece = item - g.num_items;
        t->v = ordo_dev_load(&g.owner[piece]);
        from = (ordo_u64)(piece / 2) * ORDO_WARP_PIECE;
        to = from + ORDO_WARP_PIECE;
    }
    bool hub = false;
#if ORDO_OP_ORDER == ORDO_SUM
    op_taken taken = op_not_taken(value);
    there = op_warp_take(g, w, there, item, fresh, value, &taken);
    if (there) {
        begin = __ldg(g.rows.row + item);
        to = __ldg(g.rows.row + item + 1);
        hub = to - begin > ORDO_WARP_HUB;
        degree = hub ? 0 : (ordo_u32)(to - begin);
    }
#else
    if (there) {
        const op_cell now = op_dev_cell(g.cells, t->v);
        const ordo_u64 row = __ldg(g.rows.row + t->v), end = __ldg(g.rows.row + t->v + 1);
        if (fresh)
            value = now;
        if (op_activates && op_better(now, value)) {
            w->stale++;
        } else if (op_filter(&g.state, t->v)) {
            begin = row > from ? row : from;
            to = to < end ? to : end;
            w->items += item < g.num_items;
            hub = to - begin > ORDO_WARP_HUB;
            degree = hub ? 0 : (ordo_u32)(to - begin);
        }
    }
    const op_cell taken = value;
#endif
    t->value = taken;
    t->hubs = __ballot_sync(~0u, hub);
    t->piece = t->first = 0;
    const ordo_u32 offset = ordo_warp_sum_up_to(degree);
    t->total = __shfl_sync(~0u, offset, 31);
    t->offset = offset - degree;
    t->begin = begin - (hub ? 0 : t->offset);
}

/* Offers N candidates of each lane, those with `has`, and pushes the targets that they improve. All tests are issued
 * before the first result is used, and so are all atomics: an iteration waits for two accesses, whatever N is. While
 * the run is latency-bound it waits for one: there is no test, and the target's edges are prefetched meanwhile. Of sums
 * a target is pushed if its level rises, with the new sum; there is no test either. */
template <int N>
ORDO_DEV void op_warp_offer(const op_warp_ctx &g, op_warp *w, bool (&has)[N], const ordo_u32 (&target)[N],
                            op_cell (&candidate)[N])
{
    op_cell old[N];
#pragma unroll
    for (int u = 0; u < N; u++)
        w->edges += has[u];
#if ORDO_OP_ORDER == ORDO_SUM
#pragma unroll
    for (int u = 0; u < N; u++) {
        has[u] = has[u] && candidate[u] != 0;
        if (has[u])
            old[u] = op_dev_add(&g.cells[target[u]], candidate[u]);
    }
#pragma unroll
    for (int u = 0; u < N; u++) {
        if (has[u]) {
            candidate[u] = old[u] + candidate[u];
            has[u] = op_dev_raises(&g.state, old[u], candidate[u]);
        }
        w->useful += has[u];
    }
#else
    if (!op_activates || !w->map.latency_bound) { /* no prefetching if the operator activates nothing */
#pragma unroll
        for (int u = 0; u < N; u++)
            if (has[u])
                old[u] = ordo_dev_load(&g.cells[target[u]]);
#pragma unroll
        for (int u = 0; u < N; u++)
            has[u] = has[u] && op_better(candidate[u], old[u]);
    }
#pragma unroll
    for (int u = 0; u < N; u++)
        op_dev_improve(g.cells, has[u], target[u], candidate[u], &old[u]);
#pragma unroll
    for (int u = 0; u < N; u++) {
        has[u] = has[u] && op_better(candidate[u], old[u]);
        w->useful += has[u];
    }
#endif
    if (!op_activates)
        return;
#if ORDO_OVER_RANKS
    op_warp_stage(g, w, has, target, candidate);
#endif
    if (w->map.latency_bound) {
        const char *const base = (const char *)(g.record ? (const void *)g.record : (const void *)g.rows.row);
        const int shift = g.record ? 5 : 3; /* log2 of the bytes of a record, or of a row's offset */
#pragma unroll
        for (int u = 0; u < N; u++)
            ordo_dev_prefetch(has[u] && (op_warp_staged(w) || !op_warp_ghost(g, target[u])),
                              base + ((ordo_u64)target[u] << shift));
    }
    op_warp_push(g, w, has, target, candidate, target);
}

/* Computes candidates and targets from the words of an item's record, if `live`. */
ORDO_DEV void op_warp_propose(const op_warp_ctx &g, ordo_vid v, op_taken value, bool live, const ordo_u32 (&word)[8],
                              bool (&has)[4], ordo_u32 (&target)[4], op_cell (&candidate)[4])
{
#pragma unroll
    for (int u = 0; u < 4; u++) {
        /* without a branch: for a missing edge the lane computes with an edge from v to itself, and offers nothing */
        has[u] = live && word[2 * u] != ORDO_RECORD_NONE;
        const op_dev_weight weight = word[2 * u + 1];
        const op_edge edge = op_make_edge(~(ordo_eid)0, v, has[u] ? word[2 * u] : v, &weight); /* edge-blind */
        candidate[u] = op_candidate(&g.state, value, edge);
        target[u] = op_target(&g.state, edge);
    }
}

/* Expands the entries of lanes with `there` whose edges are in their records. Returns whether the lane's entry is left,
 * because its item has more edges or it is a piece. */
ORDO_DEV bool op_warp_records(const op_warp_ctx &g, op_warp *w, bool there, op_entry entry, bool fresh)
{
    ordo_u32 target[4];
    op_cell candidate[4];
    bool has[4];
    const bool whole = there && entry.item < g.num_items;
    const ordo_vid v = whole ? entry.item : op_warp_any_item(g);
#if ORDO_OP_ORDER != ORDO_SUM
    const op_cell now = op_dev_cell(g.cells, v);
#endif
    const uint4 first = __ldg(g.record + 2 * (ordo_u64)v), second = __ldg(g.record + 2 * (ordo_u64)v + 1);
    const ordo_u32 word[8] = {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
    const bool mine = whole && word[0] != ORDO_RECORD_LONG;
#if ORDO_OP_ORDER == ORDO_SUM
    op_taken value = op_not_taken(entry.value);
    const bool live = op_warp_take(g, w, mine, v, fresh, entry.value, &value);
#else
    const op_cell value = fresh ? now : entry.value;
    const bool stale = op_activates && op_better(now, value);
    const bool live = mine && !stale && op_filter(&g.state, v);
    w->stale += mine && stale;
    w->items += live;
#endif
    op_warp_propose(g, v, value, live, word, has, target, candidate);
    op_warp_offer(g, w, has, target, candidate);
    return there && !mine;
}

#if ORDO_OP_ORDER == ORDO_SUM
/* A hop: expands entries of the local queue, one per lane. Returns whether the lane's entry is left, because its edges
 * are not in its record. */
ORDO_DEV bool op_warp_link(const op_warp_ctx &g, op_warp *w, op_entry *entry)
{
    const bool there = op_warp_hop(g, w, entry);
    return op_warp_records(g, w, there, *entry, false);
}
#else
/* The warp's cache of seen entries: direct-mapped by item, it holds values that this warp has written to items' cells.
 * Entries of 16 bytes are not one word, and are not cached. By one thread each: the place of an item in the cache, and
 * a store into it. */
ORDO_DEV ordo_u64 *op_warp_seen(op_warp *w, ordo_vid v)
{
    return &w->store->seen[v % ORDO_WARP_SEEN];
}
ORDO_DEV void op_warp_remember(op_warp *w, bool has, op_entry entry)
{
    if constexpr (sizeof entry == 8) {
        ordo_u64 word;
        memcpy(&word, &entry, sizeof word);
        if (has)
            ordo_dev_store_block(op_warp_seen(w, entry.item), word);
    }
}
/* Whether the cache has a better entry of the item than the lane's. If several lanes have stored entries of one item at
 * the same time, any of these may remain: so each lane first replaces a worse entry by its own. */
ORDO_DEV bool op_warp_overtaken(const op_warp_ctx &g, op_warp *w, bool there, op_entry entry)
{
    op_entry known = {};
    if constexpr (sizeof entry == 8) {
        ordo_u64 word = ordo_dev_load_block(op_warp_seen(w, entry.item));
        memcpy(&known, &word, sizeof known);
        op_warp_remember(w, there && known.item == entry.item && op_better(entry.value, known.value), entry);
        __syncwarp();
        word = ordo_dev_load_block(op_warp_seen(w, entry.item));
        memcpy(&known, &word, sizeof known);
        return known.item == entry.item && op_better(known.value, entry.value);
    }
    return there && op_better(op_dev_cell(g.cells, entry.item), entry.value);
}

/* A hop: expands entries of the local queue, one per lane. Returns whether the lane's entry is left, because its edges
 * are not in its record.
 *
 * While the run is latency-bound, a hop takes as long as its chain of dependent memory accesses, plus its instructions,
 * because most of the other warps wait. So it begins with the atomics, and loads the targets' records meanwhile, so
 * that the next hop finds them in the first-level cache. To find out whether an entry is stale, it does not read the
 * item's cell but the warp's cache of seen entries: most stale entries were overtaken by the same warp. Entries that
 * other warps have overtaken make candidates that improve nothing. Edges need no branch, either: a missing edge becomes
 * an offer of the worst value to the item itself. */
ORDO_DEV bool op_warp_link(const op_warp_ctx &g, op_warp *w, op_entry *entry)
{
    ordo_u32 target[4], ahead[4] = {};
    op_cell candidate[4], old[4];
    bool has[4];
    const bool there = op_warp_hop(g, w, entry);
    const ordo_vid v = there ? entry->item : op_warp_any_item(g);
    const uint4 first = __ldg(g.record + 2 * (ordo_u64)v), second = __ldg(g.record + 2 * (ordo_u64)v + 1);
    const bool stale = op_activates && op_warp_overtaken(g, w, there, {entry->value, v});
    const ordo_u32 word[8] = {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
    const bool mine = there && word[0] != ORDO_RECORD_LONG, live = mine && !stale && op_filter(&g.state, v);
    w->stale += mine && stale;
    w->items += live;
    op_warp_propose(g, v, entry->value, live, word, has, target, candidate);
#pragma unroll
    for (int u = 0; u < 4; u++)
        w->edges += has[u];
    if (live) {
#pragma unroll
        for (int u = 0; u < 4; u++)
            ahead[u] = ordo_dev_fetch(g.record + 2 * (ordo_u64)(op_warp_ghost(g, target[u]) ? v : target[u]));
#pragma unroll
        for (int u = 0; u < 4; u++)
            op_dev_improve(g.cells, true, has[u] ? target[u] : v, has[u] ? candidate[u] : op_worst(), &old[u]);
    }
#pragma unroll
    for (int u = 0; u < 4; u++) {
        has[u] = has[u] && op_better(candidate[u], old[u]);
        w->useful += has[u];
    }
    if constexpr ((int)op_activates != 0) {
#if ORDO_OVER_RANKS
        op_warp_stage(g, w, has, target, candidate);
#endif
#pragma unroll
        for (int u = 0; u < 4; u++) {
            ordo_dev_prefetch(has[u] && ahead[u] == ORDO_RECORD_LONG, g.rows.row + target[u]);
            op_warp_remember(w, has[u], {candidate[u], target[u]});
        }
        op_warp_push(g, w, has, target, candidate, target);
    }
    return there && !mine;
}

#endif

/* Computes candidates and targets from N edges of each lane, all of vertex v, which op_dev_edges has loaded. */
template <int N>
ORDO_DEV void op_warp_candidates(const op_warp_ctx &g, ordo_vid v, op_taken value, const ordo_eid (&e)[N],
                                 const ordo_u32 (&head)[N], const op_dev_weight (&weight)[N], ordo_u32 (&target)[N],
                                 op_cell (&candidate)[N])
{
#pragma unroll
    for (int u = 0; u < N; u++) {
        const op_edge edge = op_make_edge(e[u], v, head[u], &weight[u]);
        candidate[u] = op_candidate(&g.state, value, edge);
        target[u] = op_target(&g.state, edge);
    }
}

#if ORDO_OP_ORDER != ORDO_SUM
/* An edge for lanes that have none: it is there to be read, where the rank has any. */
ORDO_DEV ordo_eid op_warp_any_edge(const op_warp_ctx &g)
{
#if ORDO_OVER_RANKS
    return __ldg(g.rows.row + g.ranks.first);
#else
    (void)g;
    return 0;
#endif
}

/* By one thread: a cell's value in a form that is known no sooner than a word that was loaded. So no instruction that
 * uses it is scheduled before that load, to wait there for the cell: compilers do that, and a hop then takes one access
 * more. */
ORDO_DEV op_cell op_warp_behind(const op_warp_ctx &g, op_cell value, ordo_u32 loaded)
{
    ordo_u32 word;
    memcpy(&word, &value, sizeof word);
    word |= loaded & g.zero;
    memcpy(&value, &word, sizeof word);
    return value;
}

/* Expands a row per group of lanes, of at most N times as many edges as the group has lanes, for an entry of vertex v
 * whose cell is `now`; `mine`: the group has one. Lane `sub` of a group has the edges begin + sub, and so on by the
 * number of lanes, below `end`.
 *   Whether the entry is stale is used behind the loads of edges only, so that these do not wait for the cell. What is
 * to be expanded soon has its row loaded into the first-level cache while it is pushed, and its edges prefetched. */
template <int N>
ORDO_DEV void op_warp_row(const op_warp_ctx &g, op_warp *w, ordo_vid v, op_cell value, op_cell now, bool mine,
                          ordo_u64 begin, ordo_u64 end)
{
    ordo_u32 target[N], head[N];
    op_dev_weight weight[N];
    op_cell candidate[N], old[N];
    ordo_eid e[N];
    bool has[N];
#pragma unroll
    for (int u = 0; u < N; u++) {
        e[u] = begin + ((ordo_u64)u << g.lanes);
        has[u] = e[u] < end;
        e[u] = has[u] ? e[u] : op_warp_any_edge(g); /* the load has no branch */
    }
    op_dev_edges(&g.rows, e, head, weight);
    now = op_warp_behind(g, now, head[N - 1]);
    op_warp_candidates(g, v, value, e, head, weight, target, candidate);
    const bool stale = op_activates && op_better(now, value), live = !stale && op_filter(&g.state, v);
    if (threadIdx.x % (1u << g.lanes) == 0 && mine) {
        w->stale += stale;
        w->items += live;
    }
#pragma unroll
    for (int u = 0; u < N; u++) {
        has[u] = has[u] && live;
        w->edges += has[u];
        op_dev_improve(g.cells, has[u], target[u], candidate[u], &old[u]);
    }
#pragma unroll
    for (int u = 0; u < N; u++) {
        has[u] = has[u] && op_better(candidate[u], old[u]);
        w->useful += has[u];
    }
    if constexpr ((int)op_activates != 0) {
        ordo_eid ahead[N] = {};
        bool kept[N] = {};
        op_warp_push(g, w, has, target, candidate, target, [&](const bool(&soon)[N]) {
#pragma unroll
            for (int u = 0; u < N; u++) {
                kept[u] = soon[u];
                ahead[u] = soon[u] ? __ldg(g.rows.row + target[u]) : 0;
            }
        });
#pragma unroll
        for (int u = 0; u < N; u++) /* unless it went to the store, or has no edges */
            ordo_dev_prefetch(kept[u] && !has[u] && ahead[u] < g.rows.m, g.rows.edge + ahead[u] * g.rows.stride);
    }
}

/* A hop without records, while the run is latency-bound: expands entries of the local queue, each by as many lanes as a
 * row has edges, about. So there is no need to compute which lane has which edge of whom, and a hop takes as long as
 * two dependent accesses, to edges and to cells. Returns whether the lane's entry is left, because it has more than
 * four edges a lane. */
ORDO_DEV bool op_warp_lanes(const op_warp_ctx &g, op_warp *w, op_entry *entry)
{
    const ordo_u32 lane = threadIdx.x % 32, slot = lane >> g.lanes, sub = lane & ((1u << g.lanes) - 1);
    const ordo_u32 most = 32u >> g.lanes, count = w->local_count < most ? w->local_count : most;
    const bool there = slot < count;
    __syncwarp();
    if (there)
        *entry = w->local_queue[(w->local_begin + slot) & (g.local_capacity - 1)];
    __syncwarp();
    w->local_begin += count;
    w->local_count -= count;
    w->chain_limit -= w->chain_limit > 0;
    const ordo_vid v = there ? entry->item : op_warp_any_item(g);
    const op_cell value = entry->value, now = op_dev_cell(g.cells, v);
    const ordo_u64 begin = __ldg(g.rows.row + v), end = __ldg(g.rows.row + v + 1);
    const bool longer = there && (end - begin) >> g.lanes > 3, mine = there && !longer;
    const ordo_u64 from = begin + sub, to = mine ? end : 0;
    const ordo_u32 each = 1u << g.lanes;
    if (__any_sync(~0u, to > begin + 2 * each))
        op_warp_row<4>(g, w, v, value, now, mine, from, to);
    else if (__any_sync(~0u, to > begin + each))
        op_warp_row<2>(g, w, v, value, now, mine, from, to);
    else
        op_warp_row<1>(g, w, v, value, now, mine, from, to);
    return longer && sub == 0;
}

/* Makes the entries of lanes with `there` the first of the local queue, which is empty; pieces of hubs are left. */
ORDO_DEV bool op_warp_queue(const op_warp_ctx &g, op_warp *w, bool there, op_entry entry)
{
    const bool whole = there && entry.item < g.num_items;
    const ordo_u32 some = __ballot_sync(~0u, whole);
    __syncwarp();
    if (whole)
        w->local_queue[(w->local_begin + __popc(some & ((1u << threadIdx.x % 32) - 1))) & (g.local_capacity - 1)] =
            entry;
    w->local_count = __popc(some);
    return there && !whole;
}
#endif

/* Whether the hops of the local queue have a loop of their own, op_warp_chain's: by `Lanes`, or else by records. */
template <bool Lanes> ORDO_DEV bool op_warp_chains(const op_warp_ctx &g, const op_warp *w)
{
    if (Lanes)
        return g.lanes && w->map.latency_bound && w->local_count <= g.few;
    return ((int)op_properties & ORDO_EDGE_BLIND) && g.record;
}

/* Expands the entries of lanes with `there` whose edges are in records, or while the run is latency-bound in short
 * rows, and then the local queue, hop after hop. This is a separate loop, because while the run is latency-bound the
 * number of instructions of a hop determines its time. Returns whether the lane's entry is left, for op_warp_gather.
 * `between()` is called before each further hop and returns whether to take it, except for the first one if `hop`; no
 * hop is taken if its entries might not fit into the store. `Lanes`: hops are by lanes, and edges are in no records; a
 * kernel with both would be longer by a half, and slower. */
template <bool Lanes, typename Between>
ORDO_DEV bool op_warp_chain(const op_warp_ctx &g, op_warp *w, bool there, op_entry *entry, bool fresh, bool hop,
                            Between between)
{
    if (!op_warp_chains<Lanes>(g, w))
        return there;
    if constexpr (!Lanes) {
        there = op_warp_records(g, w, there, *entry, fresh);
        for (; !__any_sync(~0u, there) && w->local_count && !op_warp_full(w) && (hop || between()); hop = false)
            there = op_warp_link(g, w, entry);
    }
#if ORDO_OP_ORDER != ORDO_SUM
    if constexpr (Lanes) {
        if (!fresh && !w->local_count && (ordo_u32)__popc(__ballot_sync(~0u, there)) <= g.few)
            there = op_warp_queue(g, w, there, *entry);
        for (; !__any_sync(~0u, there) && w->local_count && w->local_count <= g.few && !op_warp_full(w) &&
               (hop || between());
             hop = false)
            there = op_warp_lanes(g, w, entry);
    }
#endif
    return there;
}

/* Expands the next 32 * N edges of the batch. */
template <int N> ORDO_DEV void op_warp_relax(const op_warp_ctx &g, op_warp *w, op_batch *t)
{
    ordo_u32 target[N], head[N];
    op_dev_weight weight[N];
    op_cell candidate[N];
    op_taken of[N];
    ordo_vid tail[N];
    ordo_eid e[N];
    bool has[N];
#pragma unroll
    for (int u = 0; u < N; u++) {
        ordo_u32 i = t->first + 32 * u + threadIdx.x % 32;
        has[u] = i < t->total;
        i = min(i, t->total - 1); /* without a branch: a lane without an edge computes with the last edge, and offers
                                     nothing */
        const ordo_u32 owner = ordo_warp_owner(t->offset, i);
        e[u] = __shfl_sync(~0u, t->begin, owner) + i;
        tail[u] = __shfl_sync(~0u, t->v, owner);
        of[u] = op_dev_shuffle(t->value, (int)owner);
    }
    op_dev_edges(&g.rows, e, head, weight);
#pragma unroll
    for (int u = 0; u < N; u++) {
        const op_edge edge = op_make_edge(e[u], tail[u], head[u], &weight[u]);
        candidate[u] = op_candidate(&g.state, of[u], edge);
        target[u] = op_target(&g.state, edge);
    }
    t->first += 32 * N;
    op_warp_offer(g, w, has, target, candidate);
}

#if ORDO_OP_ORDER == ORDO_SUM
/* Expands the next edges of the batch's first hub. */
ORDO_DEV void op_warp_cut(const op_warp_ctx &g, op_warp *w, op_batch *t)
{
    enum { N = op_warp_unroll };
    ordo_u32 target[N], head[N];
    op_dev_weight weight[N];
    op_cell candidate[N];
    ordo_eid e[N];
    bool has[N];
    const int lane = __ffs(t->hubs) - 1;
    const ordo_vid v = __shfl_sync(~0u, t->v, lane);
    const op_taken value = op_dev_shuffle(t->value, lane);
    const ordo_u64 first = __shfl_sync(~0u, t->begin, lane) + (ordo_u64)t->piece * (32 * N);
    const ordo_u64 end = __ldg(g.rows.row + v + 1);
#pragma unroll
    for (int u = 0; u < N; u++) {
        e[u] = first + 32 * u + threadIdx.x % 32;
        has[u] = e[u] < end;
        e[u] = has[u] ? e[u] : end - 1;
    }
    op_dev_edges(&g.rows, e, head, weight);
    op_warp_candidates(g, v, value, e, head, weight, target, candidate);
    op_warp_offer(g, w, has, target, candidate);
    t->piece++;
    if (first + 32 * N >= end) {
        t->hubs &= t->hubs - 1;
        t->piece = 0;
    }
}
#else
/* Puts the next 32 pieces of the batch's first hub into the store. */
ORDO_DEV void op_warp_cut(const op_warp_ctx &g, op_warp *w, op_batch *t)
{
    const int lane = __ffs(t->hubs) - 1;
    const ordo_vid v = __shfl_sync(~0u, t->v, lane);
    const op_cell value = op_dev_shuffle(t->value, lane);
    const ordo_u64 first = __shfl_sync(~0u, t->begin, lane) / ORDO_WARP_PIECE;
    const ordo_u64 last = (__ldg(g.rows.row + v + 1) - 1) / ORDO_WARP_PIECE;
    const ordo_u64 mine = first + t->piece + threadIdx.x % 32;
    const bool has = mine <= last;
    const ordo_u32 piece = (ordo_u32)(2 * mine + (mine == first));
    w->cut = true;
    if (has)
        ordo_dev_store(&g.owner[piece], v);
    op_warp_put(g, w, has, g.num_items + piece, value, v);
    t->piece += 32;
    if (first + t->piece > last) {
        t->hubs &= t->hubs - 1;
        t->piece = 0;
    }
}
#endif

#if ORDO_OP_ORDER != ORDO_SUM
/* Cuts all hubs of the batch, for a scheduler that takes their pieces as they are cut (hooks `reserve` and `place`): so
 * a hub costs a reservation and a store for each 32 pieces, and the hubs of a batch are cut together. Through the
 * store, a warp would take as long for a hub of a million edges as the grid takes for all of its edges. */
template <typename Hooks> ORDO_DEV void op_warp_cut_hubs(const op_warp_ctx &g, op_warp *w, op_batch *t, Hooks &hooks)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const bool hub = t->hubs >> lane & 1;
    const ordo_u32 first = hub ? (ordo_u32)(t->begin / ORDO_WARP_PIECE) : 0;
    const ordo_u32 last = hub ? (ordo_u32)((__ldg(g.rows.row + t->v + 1) - 1) / ORDO_WARP_PIECE) : 0;
    const ordo_u32 bucket = hub ? ordo_map_bucket(w->map, op_priority(&g.state, t->v, t->value)) : 0;
    for (ordo_u32 left = t->hubs; left;) { /* nearly always, all are of one bucket */
        const ordo_u32 b = __shfl_sync(~0u, bucket, __ffs((int)left) - 1);
        const bool mine = left >> lane & 1 && bucket == b;
        left &= ~__ballot_sync(~0u, mine);
        const ordo_u32 count = mine ? last - first + 1 : 0;
        const ordo_u32 up_to = ordo_warp_sum_up_to(count), total = __shfl_sync(~0u, up_to, 31);
        const ordo_u32 offset = up_to - count; /* of the lane's first piece among those of all lanes */
        for (ordo_u32 done = 0; done < total; done += g.pieces) {
            const ordo_u32 end = total - done < g.pieces ? total : done + g.pieces;
            const ordo_u64 slot = hooks.reserve(b, end - done);
            for (ordo_u32 at = done; at < end; at += 32) {
                const ordo_u32 i = at + lane < end ? at + lane : end - 1;
                const ordo_u32 of = ordo_warp_owner(offset, i);
                const ordo_u32 number = __shfl_sync(~0u, first, of) + (i - __shfl_sync(~0u, offset, of));
                const ordo_u32 piece = 2 * number + (i == __shfl_sync(~0u, offset, of));
                const ordo_vid v = __shfl_sync(~0u, t->v, of);
                const op_cell value = op_dev_shuffle(t->value, (int)of);
                const bool there = at + lane < end;
                if (there)
                    ordo_dev_store(&g.owner[piece], v);
                hooks.place(there, b, slot, i - done, op_entry{value, g.num_items + piece});
            }
        }
    }
    t->hubs = 0;
}
#endif

/* Expands edges of the batch and cuts its hubs, while the store has capacity. Returns whether anything is left.
 * `narrow`: up to 32 edges are expanded by a shorter sequence, for a third more code; that pays if the code still fits
 * into the instruction cache. `hubs`: hubs are cut here, not by op_warp_cut_hubs. */
template <bool narrow, bool hubs> ORDO_DEV bool op_warp_work(const op_warp_ctx &g, op_warp *w, op_batch *t)
{
    while (t->first < t->total && !op_warp_full(w))
        if (narrow && t->total - t->first <= 32)
            op_warp_relax<1>(g, w, t);
        else
            op_warp_relax<op_warp_unroll>(g, w, t);
    while (hubs && t->hubs && !op_warp_full(w))
        op_warp_cut(g, w, t);
    return t->first < t->total || (hubs && t->hubs);
}

/* On the host: whether priorities are classes of weights: edges have weights, and the operator declares a bucket width
 * of one priority. */
static bool op_warp_classes(const ordo_job *job)
{
    return (int)op_weight_type != ORDO_NONE && op_delta((double)job->out->n, (double)job->out->m) == 1;
}

/* On the host: the bucket width that the operator declares; or a wider one if the declared width is one priority, since
 * then each priority would cost a superstep with its barrier. If priorities are levels of a deep graph, chains follow
 * many of them, and rarely expand a vertex too early. If priorities are classes of weights, buckets are as wide as the
 * growth of the work allows (rmat graphs: 29 supersteps instead of 202 for 11 % more edges; random graphs of degree
 * four: 138 instead of 322 for 20 %). `deep` and `even` are the scheduler's widths for graphs of these kinds. */
static double op_warp_width(const ordo_job *job, double deep, double even)
{
    const double own = op_delta((double)job->out->n, (double)job->out->m);
    const ordo_graph_kind kind = ordo_job_graph_kind(job);
    if (own != 1)
        return own;
    if (!op_warp_classes(job))
        return kind == ORDO_GRAPH_DEEP ? 64 : own;
    return kind == ORDO_GRAPH_HUBS ? 64 : kind == ORDO_GRAPH_EVEN ? even : deep;
}

/* On the host: fills the members of a scheduler's kernel arguments that hold the operator and the run. */
template <typename Args>
static ordo_status op_warp_arguments(ordo_cuda *c, bool records, Args *a, ordo_cuda_arrays *arrays)
{
    a->ctx.rows = c->out;
    a->ctx.num_items = (ordo_u32)c->job->num_items;
    a->run = c->run;
    ordo_status status = op_cuda_state(c, &a->ctx.state, arrays);
    a->ctx.cells = op_cuda_cells_of(c, &a->ctx.state);
    if (!status && records && ((int)op_properties & ORDO_EDGE_BLIND) && !op_dev_wide) /* records hold words */
        status = ordo_cuda_records(c, &a->ctx.record);
    return status;
}

#endif /* ORDO_KIND_RELAX */

#include <ordo/detail/cuda/warp_loop.cuh>
