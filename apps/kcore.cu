/* kcore.cu -- core numbers on a GPU: the native program of kcore.c, which peels all levels in one cooperative launch.
 *
 * Problem. Peeling removes the vertices with at most k remaining neighbours until there are none, for k = 0, 1, ...
 * A level is little work for a GPU and there may be hundreds of them, so what counts is the time of a step.
 *
 * Data structures.
 *   left     remaining neighbours of each vertex, in fields of 8, 16 or 32 bits, as the largest degree allows: of small
 *            degrees four times as many fit the second-level cache. A field is lowered once for each edge into its
 *            vertex, so it never falls below 0, and no borrow reaches its neighbour
 *   alive    vertices with more than `top` neighbours left
 *   near     vertices that had k to `top` of them; a superset of those that have. Scanning the whole of `alive` for
 *            each level would take longer than removing, so that is done for KCORE_WINDOW levels at a time. Whatever is
 *            removed has been on this list, since numbers fall one by one
 *   queue    pieces of the rows of removed vertices, at most KCORE_PIECE edges each. A row is put there once, so the
 *            queue never wraps
 *   kcore_block   a block's own queue, in shared memory, double-buffered; and what its warps have removed and not put
 *            into a queue yet
 *
 * Protocol. Phases, with one grid barrier after each:
 *   scan     at the start of a level: vertices of `near` (or of `alive`, when k passes `top`) with at most k neighbours
 *            left are removed; the others go to the lists' second copies. Their least number says which level is next.
 *            What is found removed has been removed in the level before: its core number is written here, in the order
 *            of the list, and not by a store at random when it is removed
 *   remove   the edges of removed vertices lower their heads' numbers. A head whose number falls from k + 1 to k is
 *            removed; from top + 1 to top it is appended to `near`. Each happens once, since a field takes each value
 *            once. A warp gathers what it removes, and puts 32 rows at a time into the queue. With few pieces, a block
 * puts what it removes into its own queue and goes on with that, step by step without a grid barrier, until it is empty
 * or some block has filled its own: then all put what they hold into the queue of the grid, for the next phase, where
 * it is distributed evenly
 *
 * Termination. A level ends with a phase that has put nothing into the queue; the run ends with a level after which
 * both lists are empty. All blocks make the same decision, from words that no block changes in the next phase: those of
 * phase p are p % 3, and are cleared in phase p + 1 at the earliest for phase p + 3.
 *
 * Memory order. All accesses of words that change are relaxed, at device scope. Lists and the queue are read behind the
 * barrier of the phase that wrote them.
 *
 * Memory in addition to the rows and the cells: 28 bytes a vertex, and 8 bytes for every KCORE_PIECE edges.
 */
/* A test compiles this file for the host; it defines the names of grid.cuh that are used here (tests/gpu/fibers.h). */
#ifndef ORDO_DEV
#include <cooperative_groups.h>

#include <ordo/detail/cuda/grid.cuh>
#endif

#include <ordo/detail/backend.h>
#include <ordo/detail/program.h>

#include "apps/kcore.h"

enum {
    KCORE_THREADS = 384,
    KCORE_WARPS = KCORE_THREADS / 32,
    KCORE_BLOCKS = 2,  /* of a multiprocessor */
    KCORE_PIECE = 128, /* edges; below 256 */
    KCORE_FEW = 4,     /* pieces of a row that its lane puts into a queue; those of others the whole warp */
    KCORE_LOCAL = 128, /* entries of a block's queue */
    KCORE_WINDOW = 16, /* levels */
    KCORE_SCANNED = 4, /* vertices of a lane whose loads are in flight at once */
    KCORE_UNROLL = 4,  /* likewise edges */
    KCORE_HELD = 32 * KCORE_UNROLL + 32, /* removed vertices that a warp may hold */
    KCORE_LATENCY = 8, /* with a piece for one warp in so many or fewer, the time of a step is that of its accesses */
    KCORE_ASK = 16     /* phases between two looks at the host's word */
};

/* Words that many blocks change, each on a cache line of its own. */
typedef struct kcore_word {
    ordo_u32 value, padding[31];
} kcore_word;

typedef struct kcore_words {
    kcore_word pieces[3], least[3]; /* of a phase: put into the queue; fewest neighbours left of a vertex that stays,
                                       inverted, so that 0 means none */
    kcore_word near[3], alive[3];   /* lengths of the lists; of a scan and of a scan of `alive` */
    kcore_word stop[3];             /* of a phase: the host has told the run to end */
    kcore_word most;                /* the largest degree */
} kcore_words;

typedef struct kcore_args {
    ordo_cuda_rows rows;
    ordo_u32 *core;               /* [n] */
    ordo_u32 *left;               /* [n] */
    ordo_u32 *alive[2], *near[2]; /* [n] each */
    ordo_u64 *queue;              /* [capacity] first edge << 8 | number of edges */
    ordo_u32 capacity;
    ordo_u32 k; /* 0: all levels; else the k of the one core that is asked for */
    kcore_words *words;
    ordo_cuda_run run;
} kcore_args;

typedef struct kcore_block {
    ordo_u64 queue[2][KCORE_LOCAL];
    ordo_u32 held[KCORE_WARPS][KCORE_HELD];
    ordo_u32 count[3];   /* entries for a step, by its number % 3; more than KCORE_LOCAL: the rest went to the grid's */
    ordo_u32 spilled[2]; /* whether some block has put entries into the grid's queue, by the step's parity */
} kcore_block;

/* What a thread knows of the run; the same in all threads but for the counters. */
typedef struct kcore_run {
    ordo_u32 n, shift, mask;         /* fields: 2^shift in a word, and their bits */
    ordo_i32 k, top, done;           /* the level, the last one of the window, and the last one that has ended */
    ordo_u32 phase, scan, window;    /* numbers */
    ordo_u32 base, pieces;           /* of the queue: those that this phase processes */
    ordo_u32 edges, removed, useful; /* counters: the warp's, in its first lane; the lane's own */
    ordo_u32 held;                   /* removed vertices that the warp holds */
    kcore_block *block;
    int to; /* the step of the block's queue in which pieces of removed rows are processed; -1: they go to the grid's */
} kcore_run;

/* ---- fields ---- */

ORDO_DEV ordo_u32 kcore_place(const kcore_run &r, ordo_u32 v)
{
    return (v & ((1u << r.shift) - 1)) * (32 >> r.shift);
}
ORDO_DEV ordo_i32 kcore_field(const kcore_run &r, ordo_u32 word, ordo_u32 v)
{
    return (ordo_i32)(word >> kcore_place(r, v) & r.mask);
}

/* By one thread: sets the number of v. Threads that write fields of one word at the same time do not disturb each
 * other. */
ORDO_DEV void kcore_set(const kcore_args &a, const kcore_run &r, ordo_u32 v, ordo_u32 number)
{
    if (r.shift == 2)
        ((unsigned char *)a.left)[v] = (unsigned char)number;
    else if (r.shift == 1)
        ((unsigned short *)a.left)[v] = (unsigned short)number;
    else
        a.left[v] = number;
}

/* ---- queues ---- */

/* By a whole warp: the sum of x of the lanes before, and of all lanes. */
ORDO_DEV ordo_u32 kcore_before(ordo_u32 x, ordo_u32 *total)
{
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u32 sum = x;
    for (int step = 1; step < 32; step *= 2) {
        const ordo_u32 other = __shfl_up_sync(~0u, sum, step);
        sum += lane >= (ordo_u32)step ? other : 0;
    }
    *total = __shfl_sync(~0u, sum, 31);
    return sum - x;
}

/* By a whole warp: the last lane whose `before` is at most i. */
ORDO_DEV int kcore_owner(ordo_u32 before, ordo_u32 i)
{
    int owner = 0;
#pragma unroll
    for (int step = 16; step; step /= 2) {
        const ordo_u32 other = __shfl_sync(~0u, before, owner + step);
        owner += other <= i ? step : 0;
    }
    return owner;
}

/* By a whole warp: reserves `count` places of the grid's queue; returns the first. */
ORDO_DEV ordo_u32 kcore_reserve(const kcore_args &a, const kcore_run &r, ordo_u32 count)
{
    ordo_u32 at = 0;
    if (threadIdx.x % 32 == 0 && count)
        at = ordo_dev_add(&a.words->pieces[r.phase % 3].value, count);
    return r.base + r.pieces + __shfl_sync(~0u, at, 0);
}

/* Places that a warp has reserved: the first ones in the block's queue, the others in the grid's. */
typedef struct kcore_room {
    ordo_u32 here, near, far; /* number in the block's queue, the first there, and in the grid's */
} kcore_room;

/* By a whole warp: reserves `total` places. */
ORDO_DEV kcore_room kcore_make_room(const kcore_args &a, const kcore_run &r, ordo_u32 total)
{
    kcore_room room = {0, 0, 0};
    if (r.to >= 0) {
        if (threadIdx.x % 32 == 0)
            room.near = ordo_dev_add_block(&r.block->count[r.to % 3], total);
        room.near = __shfl_sync(~0u, room.near, 0);
        const ordo_u32 free = room.near < KCORE_LOCAL ? KCORE_LOCAL - room.near : 0;
        room.here = free < total ? free : total;
    }
    if (total > room.here)
        room.far = kcore_reserve(a, r, total - room.here);
    return room;
}

/* By one thread: puts piece `j` of a row at place `at` of those reserved. */
ORDO_DEV void kcore_put(const kcore_args &a, const kcore_run &r, const kcore_room &room, ordo_u32 at, ordo_u64 from,
                        ordo_u32 degree, ordo_u32 j)
{
    const ordo_u32 left = degree - j * KCORE_PIECE;
    const ordo_u64 entry = (from + j * KCORE_PIECE) << 8 | (left < KCORE_PIECE ? left : (ordo_u32)KCORE_PIECE);
    if (at < room.here)
        r.block->queue[r.to & 1][room.near + at] = entry;
    else if (room.far + (at - room.here) < a.capacity) /* always, unless the rows are not symmetric */
        a.queue[room.far + (at - room.here)] = entry;
}

ORDO_DEV ordo_u32 kcore_pieces(ordo_u32 degree)
{
    return degree / KCORE_PIECE + (degree % KCORE_PIECE != 0);
}

/* By a whole warp: puts the pieces of N rows of each lane, degree[] edges from from[] on, into the block's queue or,
 * where that is full, into the grid's. */
template <int N>
ORDO_DEV void kcore_push(const kcore_args &a, const kcore_run &r, const ordo_u64 (&from)[N],
                         const ordo_u32 (&degree)[N])
{
    ordo_u32 mine = 0, total;
#pragma unroll
    for (int u = 0; u < N; u++)
        mine += kcore_pieces(degree[u]);
    ordo_u32 at = kcore_before(mine, &total);
    if (!total)
        return;
    const kcore_room room = kcore_make_room(a, r, total);
#pragma unroll
    for (int u = 0; u < N; u++) {
        const ordo_u32 pieces = kcore_pieces(degree[u]);
        for (ordo_u32 j = 0; j < pieces && pieces <= KCORE_FEW; j++)
            kcore_put(a, r, room, at + j, from[u], degree[u], j);
        for (ordo_u32 many = __ballot_sync(~0u, pieces > KCORE_FEW); many; many &= many - 1) {
            const int owner = __ffs((int)many) - 1;
            const ordo_u64 begin = __shfl_sync(~0u, from[u], owner);
            const ordo_u32 edges = __shfl_sync(~0u, degree[u], owner), first = __shfl_sync(~0u, at, owner);
            for (ordo_u32 j = threadIdx.x % 32; j < kcore_pieces(edges); j += 32)
                kcore_put(a, r, room, first + j, begin, edges, j);
        }
        at += pieces;
    }
}

/* By a whole warp: appends up to N vertices of each lane, those with `has`, to a list of at most n. */
template <int N>
ORDO_DEV void kcore_append(ordo_u32 *list, kcore_word *count, ordo_u32 n, const bool (&has)[N], const ordo_u32 (&v)[N])
{
    ordo_u32 some[N], total = 0, at = 0;
#pragma unroll
    for (int u = 0; u < N; u++)
        total += (ordo_u32)__popc(some[u] = __ballot_sync(~0u, has[u]));
    if (!total)
        return;
    if (threadIdx.x % 32 == 0)
        at = ordo_dev_add(&count->value, total);
    at = __shfl_sync(~0u, at, 0);
#pragma unroll
    for (int u = 0; u < N; u++) {
        const ordo_u32 mine = at + (ordo_u32)__popc(some[u] & ((1u << threadIdx.x % 32) - 1));
        if (has[u] && mine < n)
            list[mine] = v[u];
        at += (ordo_u32)__popc(some[u]);
    }
}

/* ---- removing ---- */

/* By a whole warp: puts the rows of all vertices that it holds into a queue, or those of 32 where it holds as many. */
ORDO_DEV void kcore_release(const kcore_args &a, kcore_run &r, bool all)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u32 *const held = r.block->held[threadIdx.x / 32];
    __syncwarp();
    while (r.held >= 32 || (all && r.held)) {
        const ordo_u32 count = r.held < 32 ? r.held : 32;
        const bool has = lane < count;
        const ordo_u32 v = has ? held[r.held - count + lane] : 0;
        ordo_u64 from[1];
        ordo_u32 degree[1];
        from[0] = has ? __ldg(a.rows.row + v) : 0;
        degree[0] = has ? (ordo_u32)(__ldg(a.rows.row + v + 1) - from[0]) : 0;
        r.held -= count;
        kcore_push(a, r, from, degree);
    }
    __syncwarp();
}

/* By a whole warp: holds the lanes' vertices with has[], which have been removed. */
template <int N> ORDO_DEV void kcore_hold(kcore_run &r, const bool (&has)[N], const ordo_u32 (&v)[N])
{
    ordo_u32 *const held = r.block->held[threadIdx.x / 32];
#pragma unroll
    for (int u = 0; u < N; u++) {
        const ordo_u32 some = __ballot_sync(~0u, has[u]);
        if (has[u])
            held[r.held + (ordo_u32)__popc(some & ((1u << threadIdx.x % 32) - 1))] = v[u];
        r.held += (ordo_u32)__popc(some);
    }
}

/* By a whole warp: processes the next 32 * N edges of its pieces. Blind: the lowering is not preceded by a test, and
 * the heads' rows are loaded meanwhile: for when the time of a step is that of its accesses. */
template <int N, bool Blind>
ORDO_DEV void kcore_lower(const kcore_args &a, kcore_run &r, ordo_u64 begin, ordo_u32 before, ordo_u32 first,
                          ordo_u32 total)
{
    ordo_u32 head[N], word[N] = {}, degree[N] = {};
    ordo_u64 from[N] = {};
    bool has[N], crosses[N], any = false;
#pragma unroll
    for (int u = 0; u < N; u++) {
        const ordo_u32 i = first + 32 * u + threadIdx.x % 32;
        has[u] = i < total;
        const int owner = kcore_owner(before, has[u] ? i : total - 1);
        const ordo_u64 e = __shfl_sync(~0u, begin, owner) + i - __shfl_sync(~0u, before, owner);
        head[u] = has[u] ? __ldg(a.rows.edge + e * a.rows.stride) : 0;
    }
    if (!Blind) {
#pragma unroll
        for (int u = 0; u < N; u++)
            if (has[u])
                word[u] = ordo_dev_load(&a.left[head[u] >> r.shift]);
#pragma unroll
        for (int u = 0; u < N; u++)
            has[u] = has[u] && kcore_field(r, word[u], head[u]) > r.k;
    }
#pragma unroll
    for (int u = 0; u < N; u++)
        if (has[u])
            word[u] = ordo_dev_add(&a.left[head[u] >> r.shift], 0u - (1u << kcore_place(r, head[u])));
    if (Blind) {
#pragma unroll
        for (int u = 0; u < N; u++) {
            from[u] = has[u] ? __ldg(a.rows.row + head[u]) : 0;
            degree[u] = has[u] ? (ordo_u32)(__ldg(a.rows.row + head[u] + 1) - from[u]) : 0;
        }
    }
#pragma unroll
    for (int u = 0; u < N; u++) {
        const ordo_i32 was = has[u] ? kcore_field(r, word[u], head[u]) : -1;
        r.useful += was > r.k;
        has[u] = was == r.k + 1;
        crosses[u] = was == r.top + 1;
        degree[u] = has[u] ? degree[u] : 0;
        r.removed += has[u];
        any = any || has[u] || crosses[u];
    }
    if (!__ballot_sync(~0u, any))
        return;
    kcore_append(a.near[r.scan & 1], &a.words->near[r.scan % 3], r.n, crosses, head);
    if (Blind) {
        kcore_push(a, r, from, degree);
    } else {
        kcore_hold(r, has, head);
        kcore_release(a, r, false);
    }
}

/* By a whole warp: processes a piece for each lane; 0: none. */
template <bool Blind> ORDO_DEV void kcore_expand(const kcore_args &a, kcore_run &r, ordo_u64 entry)
{
    ordo_u32 total;
    const ordo_u32 before = kcore_before((ordo_u32)entry & 0xff, &total);
    r.edges += threadIdx.x % 32 == 0 ? total : 0;
    for (ordo_u32 first = 0; first < total;)
        if (total - first <= 32) {
            kcore_lower<1, Blind>(a, r, entry >> 8, before, first, total);
            first += 32;
        } else {
            kcore_lower<KCORE_UNROLL, Blind>(a, r, entry >> 8, before, first, total);
            first += 32 * KCORE_UNROLL;
        }
}

/* How many of `count` entries a warp takes at once, so that all of `warps` have some. */
ORDO_DEV ordo_u32 kcore_width(ordo_u32 count, ordo_u32 warps)
{
    const ordo_u32 width = (count + warps - 1) / warps;
    return width < 32 ? width : 32;
}

/* By a whole block: continues with its own queue, step by step. */
ORDO_DEV void kcore_chain(const kcore_args &a, kcore_run &r)
{
    kcore_block *const b = r.block;
    const ordo_u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (ordo_u32 step = 0;; step++) {
        __syncthreads();
        const ordo_u32 put = b->count[step % 3], count = put < KCORE_LOCAL ? put : (ordo_u32)KCORE_LOCAL;
        const ordo_u64 *const queue = b->queue[step & 1];
        if (!count)
            break;
        if (b->spilled[step & 1]) { /* another block may have too much to do */
            for (ordo_u32 first = 32 * warp; first < count; first += KCORE_THREADS) {
                const ordo_u32 here = count - first < 32 ? count - first : 32;
                const ordo_u32 at = kcore_reserve(a, r, here) + lane;
                if (lane < here && at < a.capacity)
                    a.queue[at] = queue[first + lane];
            }
            break;
        }
        if (threadIdx.x == 0) {
            b->count[(step + 2) % 3] = 0;
            b->spilled[(step + 1) & 1] = ordo_dev_load(&a.words->pieces[r.phase % 3].value);
        }
        r.to = (int)step + 1;
        const ordo_u32 width = kcore_width(count, KCORE_WARPS);
        for (ordo_u32 first = warp * width; first < count; first += KCORE_WARPS * width) {
            const ordo_u64 entry = lane < width && first + lane < count ? queue[first + lane] : 0;
            if (count <= KCORE_WARPS)
                kcore_expand<true>(a, r, entry);
            else
                kcore_expand<false>(a, r, entry);
        }
        kcore_release(a, r, true);
    }
}

/* By the whole grid: a phase that removes. */
ORDO_DEV void kcore_remove(const kcore_args &a, kcore_run &r)
{
    const ordo_u32 warps = gridDim.x * KCORE_WARPS, lane = threadIdx.x % 32;
    const ordo_u32 warp = threadIdx.x / 32 * gridDim.x + blockIdx.x; /* consecutive entries go to different blocks */
    const ordo_u32 width = kcore_width(r.pieces, warps);
    const bool few = r.pieces <= 2 * warps;
    if (threadIdx.x < 3)
        r.block->count[threadIdx.x] = 0;
    if (threadIdx.x < 2)
        r.block->spilled[threadIdx.x] = 0;
    __syncthreads();
    r.to = few ? 0 : -1;
    for (ordo_u64 first = (ordo_u64)warp * width; first < r.pieces; first += (ordo_u64)warps * width) {
        const bool has = lane < width && first + lane < r.pieces;
        const ordo_u64 entry = has ? ordo_dev_load(&a.queue[r.base + first + lane]) : 0;
        if (r.pieces <= warps / KCORE_LATENCY)
            kcore_expand<true>(a, r, entry);
        else
            kcore_expand<false>(a, r, entry);
    }
    kcore_release(a, r, true);
    if (few)
        kcore_chain(a, r);
    r.to = -1;
}

/* ---- scanning ---- */

/* By a whole warp: the next 32 * KCORE_SCANNED vertices of a list, or of all vertices. */
ORDO_DEV void kcore_scan_tile(const kcore_args &a, kcore_run &r, ordo_u32 *in, ordo_u64 tile, ordo_u32 count, bool wide,
                              ordo_u32 *least)
{
    enum { N = KCORE_SCANNED };
    ordo_u32 v[N];
    ordo_i32 left[N];
    ordo_u32 degree[N];
    ordo_u64 from[N];
    bool is_near[N], is_far[N];
#pragma unroll
    for (int u = 0; u < N; u++) {
        const ordo_u64 i = tile + 32 * u + threadIdx.x % 32;
        v[u] = i >= count ? ORDO_NO_VERTEX : in ? ordo_dev_load(&in[i]) : (ordo_u32)i;
    }
#pragma unroll
    for (int u = 0; u < N; u++) {
        const bool has = v[u] != ORDO_NO_VERTEX;
        from[u] = has && !in ? __ldg(a.rows.row + v[u]) : 0;
        degree[u] = has && !in ? (ordo_u32)(__ldg(a.rows.row + v[u] + 1) - from[u]) : 0;
        left[u] = !has ? -1 : in ? kcore_field(r, ordo_dev_load(&a.left[v[u] >> r.shift]), v[u]) : (ordo_i32)degree[u];
    }
#pragma unroll
    for (int u = 0; u < N; u++) {
        const bool has = left[u] > r.done, removed = has && left[u] <= r.k;
        if (!in && v[u] != ORDO_NO_VERTEX)
            kcore_set(a, r, v[u], (ordo_u32)left[u]);
        if (removed || (!wide && v[u] != ORDO_NO_VERTEX && !has))
            a.core[v[u]] = (ordo_u32)(removed ? r.k : r.done);
        if (removed) {
            r.removed++;
            if (in) {
                from[u] = __ldg(a.rows.row + v[u]);
                degree[u] = (ordo_u32)(__ldg(a.rows.row + v[u] + 1) - from[u]);
            }
        } else {
            degree[u] = 0;
        }
        const bool stays = has && !removed;
        if (stays)
            *least = ~(ordo_u32)left[u] > *least ? ~(ordo_u32)left[u] : *least;
        is_near[u] = stays && left[u] <= r.top;
        is_far[u] = stays && left[u] > r.top;
    }
    kcore_append(a.near[r.scan & 1], &a.words->near[r.scan % 3], r.n, is_near, v);
    if (wide)
        kcore_append(a.alive[r.window & 1], &a.words->alive[r.window % 3], r.n, is_far, v);
    kcore_push(a, r, from, degree);
}

/* By the whole grid: writes the core numbers of the vertices of `near` that level r.done has removed. */
ORDO_DEV void kcore_settle(const kcore_args &a, const kcore_run &r)
{
    ordo_u32 *const near = a.near[r.scan & 1];
    const ordo_u32 count = ordo_dev_load(&a.words->near[r.scan % 3].value);
    for (ordo_u64 i = (ordo_u64)blockIdx.x * KCORE_THREADS + threadIdx.x; i < count && i < r.n;
         i += (ordo_u64)gridDim.x * KCORE_THREADS) {
        const ordo_u32 v = ordo_dev_load(&near[i]);
        if (kcore_field(r, ordo_dev_load(&a.left[v >> r.shift]), v) <= r.done)
            a.core[v] = (ordo_u32)r.done;
    }
}

/* By the whole grid: the phase that begins level r.k. */
ORDO_DEV void kcore_scan(const kcore_args &a, kcore_run &r)
{
    const ordo_u32 warps = gridDim.x * KCORE_WARPS, warp = threadIdx.x / 32 * gridDim.x + blockIdx.x;
    const bool wide = r.k > r.top;
    ordo_u32 least = 0;
    if (wide) {
        if (r.scan)
            kcore_settle(a, r);
        r.top = a.k ? r.k : r.k + KCORE_WINDOW - 1;
    }
    ordo_u32 *in = !wide ? a.near[r.scan & 1] : r.window ? a.alive[r.window & 1] : NULL;
    const ordo_u32 count = !wide      ? ordo_dev_load(&a.words->near[r.scan % 3].value)
                           : r.window ? ordo_dev_load(&a.words->alive[r.window % 3].value)
                                      : r.n;
    r.scan++;
    r.window += wide;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        ordo_dev_store(&a.words->near[(r.scan + 1) % 3].value, 0u);
        if (wide)
            ordo_dev_store(&a.words->alive[(r.window + 1) % 3].value, 0u);
        ordo_dev_sample(a.run.record, count, (ordo_u64)r.k, 0, 1, -1);
    }
    for (ordo_u64 tile = (ordo_u64)warp * 32 * KCORE_SCANNED; tile < count;
         tile += (ordo_u64)warps * 32 * KCORE_SCANNED)
        kcore_scan_tile(a, r, in, tile, count, wide, &least);
    for (int step = 16; step; step /= 2) {
        const ordo_u32 other = __shfl_xor_sync(~0u, least, step);
        least = other > least ? other : least;
    }
    if (threadIdx.x % 32 == 0 && least)
        ordo_dev_max(&a.words->least[r.phase % 3].value, least);
}

/* ---- the kernel ---- */

/* By the whole grid, at the end of a phase: what it has put into the queue is what the next phase processes. */
ORDO_DEV void kcore_next_phase(const kcore_args &a, kcore_run &r)
{
    const bool first = blockIdx.x == 0 && threadIdx.x == 0;
    if (first) {
        const ordo_u32 told = ordo_dev_load(&a.words->stop[(r.phase + 2) % 3].value); /* by the phase before */
        const bool asks = r.phase % KCORE_ASK == 0;
        ordo_dev_store(&a.words->stop[r.phase % 3].value, told || (asks && a.run.mailbox->stop) ? 1u : 0u);
    }
    cooperative_groups::this_grid().sync();
    const ordo_u32 pieces = ordo_dev_load(&a.words->pieces[r.phase % 3].value);
    r.base += r.pieces;
    r.pieces = pieces < a.capacity - r.base ? pieces : a.capacity - r.base; /* fewer: rows that are not symmetric */
    r.phase++;
    if (first) { /* last read before the barrier */
        ordo_dev_store(&a.words->pieces[(r.phase + 1) % 3].value, 0u);
        ordo_dev_store(&a.words->least[(r.phase + 1) % 3].value, 0u);
        a.run.mailbox->supersteps = r.phase - 1;
    }
}

/* By the whole grid: the largest degree. */
ORDO_DEV void kcore_most(const kcore_args &a, kcore_run &r)
{
    ordo_u64 most = 0;
    for (ordo_u64 v = (ordo_u64)blockIdx.x * KCORE_THREADS + threadIdx.x; v < r.n;
         v += (ordo_u64)gridDim.x * KCORE_THREADS) {
        const ordo_u64 degree = __ldg(a.rows.row + v + 1) - __ldg(a.rows.row + v);
        most = degree > most ? degree : most;
    }
    for (int step = 16; step; step /= 2) {
        const ordo_u64 other = __shfl_xor_sync(~0u, most, step);
        most = other > most ? other : most;
    }
    if (threadIdx.x % 32 == 0 && most)
        ordo_dev_max(&a.words->most.value, (ordo_u32)most);
}

static __global__ void __launch_bounds__(KCORE_THREADS, KCORE_BLOCKS) kcore_kernel(const __grid_constant__ kcore_args a)
{
    __shared__ kcore_block block;
    kcore_run r = {};
    r.n = a.rows.n;
    r.block = &block;
    r.top = r.done = r.to = -1;
    r.k = a.k ? (ordo_i32)a.k - 1 : 0;
    r.phase = 1;
    kcore_most(a, r);
    kcore_next_phase(a, r);
    const ordo_u32 most = ordo_dev_load(&a.words->most.value);
    r.shift = most < 1u << 8 ? 2 : most < 1u << 16 ? 1 : 0;
    r.mask = most < 1u << 8 ? 0xffu : most < 1u << 16 ? 0xffffu : ~0u;
    for (;;) {
        const ordo_u32 scan = r.phase % 3;
        kcore_scan(a, r);
        kcore_next_phase(a, r);
        const ordo_u32 least = ordo_dev_load(&a.words->least[scan].value);
        const bool idle = r.pieces == 0;
        while (r.pieces) {
            kcore_remove(a, r);
            kcore_next_phase(a, r);
        }
        if (a.k || ordo_dev_load(&a.words->stop[(r.phase + 2) % 3].value))
            break;
        const bool near = ordo_dev_load(&a.words->near[r.scan % 3].value) != 0;
        if (!near && !ordo_dev_load(&a.words->alive[r.window % 3].value))
            break;
        r.done = r.k;
        r.k = idle && least ? (ordo_i32)~least : near ? r.k + 1 : r.top + 1;
    }
    r.done = r.k;
    kcore_settle(a, r);
    ordo_cuda_counters mine = {};
    mine.items = r.removed;
    mine.edges = r.edges;
    mine.useful = r.useful;
    ordo_dev_publish(a.run.counters, mine);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        a.run.record->supersteps = r.phase - 1;
}

/* ---- on the host ---- */

static ordo_status prepare(ordo_cuda *c, kcore_args *a)
{
    const ordo_u64 n = c->out.n, capacity = n + c->out.m / KCORE_PIECE + 1;
    if (capacity >> 31 || c->out.m >> 56)
        return ordo_fail(ORDO_ERR_DEVICE,
                         "device 'cuda': kcore takes fewer than 2^31 vertices and pieces of rows, found %llu",
                         (unsigned long long)capacity);
    a->rows = c->out;
    a->core = (ordo_u32 *)c->cells;
    a->run = c->run;
    a->capacity = (ordo_u32)capacity;
    a->k = ((const ordo_kcore_state *)c->job->state)->k;
    a->left = (ordo_u32 *)ordo_cuda_alloc(c, n, sizeof *a->left, false);
    bool made = a->left != NULL;
    for (int i = 0; i < 2; i++) {
        made = made && (a->alive[i] = (ordo_u32 *)ordo_cuda_alloc(c, n, sizeof *a->alive[i], false));
        made = made && (a->near[i] = (ordo_u32 *)ordo_cuda_alloc(c, n, sizeof *a->near[i], false));
    }
    made = made && (a->queue = (ordo_u64 *)ordo_cuda_alloc(c, capacity, sizeof *a->queue, false));
    made = made && (a->words = (kcore_words *)ordo_cuda_alloc(c, 1, sizeof *a->words, true));
    return made ? ORDO_OK : ORDO_ERR_MEMORY;
}

static ordo_status run(ordo_job *job)
{
    ordo_cuda c;
    kcore_args a = {};
    void *args[] = {&a};
    ordo_status status = ordo_cuda_begin(job, sizeof(ordo_u32), false, &c);
    if (!status)
        status = prepare(&c, &a);
    if (!status) {
        ordo_cuda_step step = {ordo_cuda_kernel((const void *)kcore_kernel), KCORE_THREADS, 0, true, args};
        status = ordo_cuda_grid(step.kernel, KCORE_THREADS, KCORE_BLOCKS, &step.grid);
        if (!status)
            status = ordo_cuda_launch_all(&c, &step, 1);
    }
    return ordo_cuda_end(&c, status);
}

extern const ordo_instance kcore_native_on_cuda;
const ordo_instance kcore_native_on_cuda = {ORDO_NATIVE, run, 0, ORDO_ON_CUDA};
