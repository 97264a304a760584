/* bc.cu -- betweenness on a GPU: the native program of bc.c.
 *
 * Problem, method and data are those of bc_program.c: levels that push or pull, dependencies that pull, and numbers of
 * even and of odd levels in two arrays. Here one cooperative launch does all sources.
 *
 * Protocol. A phase is a loop over vertices: of the frontier, of the graph (pulling), or of a level (dependencies).
 * Some lanes process a vertex. Those of more than BC_HUB edges are put on a list, and the next phase has a block for
 * each; it is left out where the list is empty. A phase ends with a barrier of the grid.
 *
 * Words that a phase counts are in slots, in turn: what a phase has counted is read in the next one, and set to 0 in
 * the one after that, when every thread has passed the barrier behind the reading. So all threads decide alike.
 *
 * Memory order. Numbers of paths are added by atomics; levels are claimed by a compare-and-swap. What a phase needs of
 * the one before is ordered by the barrier. Words that other blocks have written in the same launch are not read
 * through caches that may be outdated.
 *
 * Memory in addition to the rows, also those of in-edges where the graph is directed: 48 bytes a vertex, and
 * the scores.
 *
 * Not done: several sources at once; levels of few vertices without a barrier of the grid.
 */
/* A test compiles this file for the host; it defines the names of grid.cuh that are used here (tests/gpu/fibers.h). */
#ifndef ORDO_DEV
#include <cooperative_groups.h>
#include <ordo/detail/cuda/grid.cuh>
#endif

#include <ordo/apps.h>
#include <ordo/detail/backend.h>
#include <ordo/detail/program.h>

#include "apps/bc.h"

enum {
    BC_THREADS = 256,
    BC_HUB = 1024, /* edges of a vertex that a block processes */
    BC_SLOTS = 4,
    BC_ASK = 16, /* phases between two reads of the mailbox, which take 8 microseconds */
    BC_SCAN = 8  /* vertices that are looked at in the time of an edge, when unreached ones are looked for */
};

typedef enum bc_kind { BC_PUSH, BC_PULL, BC_DEPEND } bc_kind;

typedef struct bc_words {
    ordo_u64 edges[BC_SLOTS]; /* of the vertices found */
    ordo_u32 found[BC_SLOTS]; /* vertices */
    ordo_u32 hubs[BC_SLOTS];  /* on the list */
    ordo_u32 stop[BC_SLOTS];  /* the host has told the run to end */
    ordo_u64 most;            /* the bits of the largest number of paths */
} bc_words;

typedef struct bc_args {
    ordo_cuda_rows out, in;
    double *score; /* [n + 1] the cells; the last one is the largest number of paths */
    double *paths[2], *x[2];
    ordo_u32 *level, *order, *hub; /* [n] each */
    ordo_u32 *begin;               /* [n + 2] of a level in order[] */
    const ordo_vid *source;        /* [sources] */
    ordo_u64 sources;
    bc_words *words;
    ordo_cuda_run run;
} bc_args;

/* What all threads know alike, and what a thread has counted. */
typedef struct bc_state {
    ordo_u32 step, slot;   /* of this phase: step % BC_SLOTS */
    ordo_u32 level;        /* that is processed */
    ordo_u32 begin, count; /* its vertices in order[] */
    ordo_u64 edges;        /* thread's: of vertices that it has found */
    ordo_u64 looked, items;
    double most;
} bc_state;

ORDO_DEV ordo_u32 bc_head(const ordo_cuda_rows &rows, ordo_u64 e)
{
    return __ldg(rows.edge + e * rows.stride);
}

ORDO_DEV ordo_u64 bc_self(void)
{
    return (ordo_u64)blockIdx.x * BC_THREADS + threadIdx.x;
}

/* By a whole warp: adds the lanes' numbers to a word of the grid. */
ORDO_DEV void bc_add(ordo_u64 *to, ordo_u64 mine)
{
    for (int step = 16; step; step /= 2)
        mine += __shfl_down_sync(~0u, mine, step);
    if (threadIdx.x % 32 == 0 && mine)
        ordo_dev_add(to, mine);
}

/* By the whole grid: ends a phase; true where the run is to end. */
ORDO_DEV bool bc_end_phase(const bc_args &a, bc_state &s)
{
    bc_words *w = a.words;
    bc_add(&w->edges[s.slot], s.edges);
    s.edges = 0;
    if (bc_self() == 0) {
        const ordo_u32 old = (s.step + 2) % BC_SLOTS; /* was read in the phase before this one at the latest */
        ordo_dev_store(&w->edges[old], (ordo_u64)0);
        ordo_dev_store(&w->found[old], 0u);
        ordo_dev_store(&w->hubs[old], 0u);
        const bool told = ordo_dev_load(&w->stop[(s.step + BC_SLOTS - 1) % BC_SLOTS]) != 0;
        ordo_dev_store(&w->stop[s.slot], told || (s.step % BC_ASK == 0 && a.run.mailbox->stop) ? 1u : 0u);
    }
    cooperative_groups::this_grid().sync();
    const bool stop = ordo_dev_load(&w->stop[s.slot]) != 0;
    s.step++;
    s.slot = s.step % BC_SLOTS;
    return stop;
}

/* The slot of the phase before. */
ORDO_DEV ordo_u32 bc_before(const bc_state &s)
{
    return (s.step + BC_SLOTS - 1) % BC_SLOTS;
}

/* ---- a vertex ---- */

/* By one thread: v has been reached; `behind`: vertices that the level had before this phase. */
ORDO_DEV void bc_append(const bc_args &a, bc_state &s, ordo_u32 v, ordo_u32 behind)
{
    const ordo_u32 at = ordo_dev_add(&a.words->found[s.slot], 1u);
    a.order[s.begin + s.count + behind + at] = v;
    s.edges += __ldg(a.out.row + v + 1) - __ldg(a.out.row + v);
}

/* An edge of a frontier vertex. */
ORDO_DEV void bc_push(const bc_args &a, bc_state &s, ordo_u32 head, double paths, ordo_u32 behind)
{
    const ordo_u32 then = s.level + 1;
    ordo_u32 level = ordo_dev_load(&a.level[head]);
    if (level == ORDO_UNREACHED_U32) {
        if (ordo_dev_swap(&a.level[head], &level, then))
            bc_append(a, s, head, behind);
        level = then;
    }
    if (level == then)
        atomicAdd(&a.paths[then & 1][head], paths);
}

/* By one thread: what the sum over the row of v means. */
template <bc_kind Kind>
ORDO_DEV void bc_conclude(const bc_args &a, bc_state &s, ordo_u32 v, double sum, ordo_u32 behind)
{
    const ordo_u32 then = s.level + 1;
    if (Kind == BC_PULL && sum > 0) {
        ordo_dev_store(&a.level[v], then);
        a.paths[then & 1][v] = sum;
        bc_append(a, s, v, behind);
    }
    if (Kind == BC_DEPEND) {
        const double paths = __ldcg(&a.paths[s.level & 1][v]), dependency = paths * sum;
        a.x[s.level & 1][v] = (1 + dependency) / paths;
        if (sum > 0)
            a.score[v] += dependency;
        s.most = paths > s.most ? paths : s.most;
        s.items++;
    }
}

/* What is summed up over the row of a vertex. */
template <bc_kind Kind> ORDO_DEV const double *bc_values(const bc_args &a, const bc_state &s)
{
    return Kind == BC_PULL ? a.paths[s.level & 1] : a.x[(s.level + 1) & 1];
}

/* The bits of a number that lanes exchange. */
ORDO_DEV double bc_shuffle(double mine, int bits)
{
    ordo_u64 word;
    memcpy(&word, &mine, sizeof word);
    word = __shfl_xor_sync(~0u, word, bits);
    memcpy(&mine, &word, sizeof mine);
    return mine;
}

/* By groups of `lanes` lanes, of which the calling one is `mine`: edges from .. to - 1 of v. Returns the thread's part
 * of the sum. */
template <bc_kind Kind>
ORDO_DEV double bc_edges(const bc_args &a, bc_state &s, ordo_u32 v, ordo_u64 from, ordo_u64 to, ordo_u32 mine,
                         ordo_u32 lanes, ordo_u32 behind)
{
    const ordo_cuda_rows &rows = Kind == BC_PULL ? a.in : a.out;
    double sum = 0;
    if (Kind == BC_PUSH) {
        const double paths = from < to ? __ldcg(&a.paths[s.level & 1][v]) : 0;
        for (ordo_u64 e = from + mine; e < to; e += lanes)
            bc_push(a, s, bc_head(rows, e), paths, behind);
    } else {
        const double *value = bc_values<Kind>(a, s);
        for (ordo_u64 e = from + mine; e < to; e += lanes)
            sum += __ldcg(&value[bc_head(rows, e)]);
    }
    return sum;
}

/* ---- phases ---- */

/* L lanes a vertex: of the frontier or level, or all of the graph. */
template <bc_kind Kind, int L> ORDO_DEV void bc_rows(const bc_args &a, bc_state &s)
{
    enum { GROUPS = BC_THREADS / L };
    const ordo_cuda_rows &rows = Kind == BC_PULL ? a.in : a.out;
    const ordo_u32 mine = threadIdx.x % L;
    const ordo_u64 count = Kind == BC_PULL ? a.out.n : s.count;
    for (ordo_u64 first = (ordo_u64)blockIdx.x * GROUPS; first < count; first += (ordo_u64)gridDim.x * GROUPS) {
        const ordo_u64 i = first + threadIdx.x / L;
        bool has = i < count;
        const ordo_u32 v = Kind == BC_PULL ? (ordo_u32)i : has ? __ldcg(&a.order[s.begin + i]) : 0;
        if (Kind == BC_PULL)
            has = has && ordo_dev_load(&a.level[v]) == ORDO_UNREACHED_U32;
        const ordo_u64 from = has ? __ldg(rows.row + v) : 0;
        ordo_u64 to = has ? __ldg(rows.row + v + 1) : 0;
        if (to - from > BC_HUB) {
            if (mine == 0)
                a.hub[ordo_dev_add(&a.words->hubs[s.slot], 1u)] = v;
            to = from;
            has = false;
        }
        double sum = bc_edges<Kind>(a, s, v, from, to, mine, L, 0);
        if (mine == 0)
            s.looked += to - from;
        for (int bits = L / 2; bits && Kind != BC_PUSH; bits /= 2)
            sum += bc_shuffle(sum, bits);
        if (has && mine == 0)
            bc_conclude<Kind>(a, s, v, sum, 0);
    }
}

/* A block a vertex of the list. */
template <bc_kind Kind> ORDO_DEV void bc_hubs(const bc_args &a, bc_state &s, ordo_u32 hubs, ordo_u32 behind)
{
    __shared__ double part[BC_THREADS / 32];
    const ordo_cuda_rows &rows = Kind == BC_PULL ? a.in : a.out;
    for (ordo_u32 i = blockIdx.x; i < hubs; i += gridDim.x) {
        const ordo_u32 v = __ldcg(&a.hub[i]);
        const ordo_u64 from = __ldg(rows.row + v), to = __ldg(rows.row + v + 1);
        double sum = bc_edges<Kind>(a, s, v, from, to, threadIdx.x, BC_THREADS, behind);
        for (int bits = 16; bits; bits /= 2)
            sum += bc_shuffle(sum, bits);
        if (threadIdx.x % 32 == 0)
            part[threadIdx.x / 32] = sum;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int w = 1; w < BC_THREADS / 32; w++)
                sum += part[w];
            s.looked += to - from;
            bc_conclude<Kind>(a, s, v, sum, behind);
        }
        __syncthreads();
    }
}

/* A level in one phase or two; adds up what they have found. True where the run is to end. */
template <bc_kind Kind, int L> ORDO_DEV bool bc_level(const bc_args &a, bc_state &s, ordo_u32 *found, ordo_u64 *edges)
{
    bc_rows<Kind, L>(a, s);
    bool stop = bc_end_phase(a, s);
    const ordo_u32 hubs = ordo_dev_load(&a.words->hubs[bc_before(s)]);
    *found = ordo_dev_load(&a.words->found[bc_before(s)]);
    *edges = ordo_dev_load(&a.words->edges[bc_before(s)]);
    if (hubs && !stop) {
        bc_hubs<Kind>(a, s, hubs, *found);
        stop = bc_end_phase(a, s);
        *found += ordo_dev_load(&a.words->found[bc_before(s)]);
        *edges += ordo_dev_load(&a.words->edges[bc_before(s)]);
    }
    return stop;
}

/* ---- a source ---- */

ORDO_DEV void bc_clear(const bc_args &a)
{
    for (ordo_u64 v = bc_self(); v < a.out.n; v += (ordo_u64)gridDim.x * BC_THREADS) {
        a.paths[0][v] = a.paths[1][v] = 0;
        a.x[0][v] = a.x[1][v] = 0;
        a.level[v] = ORDO_UNREACHED_U32;
    }
}

/* The search; s.level becomes the deepest level. True where the run is to end. */
template <int L> ORDO_DEV bool bc_search(const bc_args &a, bc_state &s, ordo_u32 source)
{
    bc_clear(a);
    if (bc_end_phase(a, s))
        return true;
    if (bc_self() == 0) {
        a.level[source] = 0;
        a.paths[0][source] = 1;
        a.order[0] = source;
        a.begin[0] = 0;
        a.begin[1] = 1;
    }
    s.level = s.begin = 0;
    s.count = 1;
    ordo_u64 edges = __ldg(a.out.row + source + 1) - __ldg(a.out.row + source), left = a.out.m - edges;
    if (bc_end_phase(a, s))
        return true;
    for (;;) {
        ordo_u32 found;
        const bool pull = edges > left + a.out.n / BC_SCAN;
        if (pull ? bc_level<BC_PULL, L>(a, s, &found, &edges) : bc_level<BC_PUSH, L>(a, s, &found, &edges))
            return true;
        if (!found)
            return false;
        left -= edges;
        s.begin += s.count;
        s.count = found;
        s.level++;
        if (bc_self() == 0)
            a.begin[s.level + 1] = s.begin + s.count;
    }
}

/* All levels but that of the source, the deepest first. */
template <int L> ORDO_DEV bool bc_depend(const bc_args &a, bc_state &s)
{
    for (; s.level > 0; s.level--) {
        ordo_u32 found;
        ordo_u64 edges;
        const ordo_u32 end = s.begin + s.count;
        s.begin = __ldcg(&a.begin[s.level]);
        s.count = end - s.begin;
        if (bc_level<BC_DEPEND, L>(a, s, &found, &edges))
            return true;
        s.count = 0; /* the level above ends here */
    }
    return false;
}

template <int L> static __global__ void __launch_bounds__(BC_THREADS) bc_all(const __grid_constant__ bc_args a)
{
    bc_state s = {};
    for (ordo_u64 i = 0; i < a.sources; i++)
        if (bc_search<L>(a, s, __ldg(a.source + i)) || bc_depend<L>(a, s))
            break;
    ordo_u64 most;
    memcpy(&most, &s.most, sizeof most);
    if (most) /* positive numbers are in the order of their bits */
        ordo_dev_max(&a.words->most, most);
    bc_add(&a.run.counters->items, s.items);
    bc_add(&a.run.counters->edges, s.looked);
    bc_add(&a.run.counters->useful, s.items);
    bc_end_phase(a, s);
    if (bc_self() == 0) {
        const ordo_u64 bits = ordo_dev_load(&a.words->most);
        memcpy(&a.score[a.out.n], &bits, sizeof bits);
        a.run.record->supersteps = s.step;
    }
}

/* ---- on the host ---- */

static ordo_status prepare(ordo_cuda *c, bc_args *a)
{
    const bc_request *request = (const bc_request *)c->job->state;
    const ordo_u64 n = c->out.n;
    bool ok = true;
    a->out = c->out;
    a->in = c->in.row ? c->in : c->out;
    a->run = c->run;
    a->score = (double *)c->cells;
    a->sources = request->count;
    for (int i = 0; i < 2; i++) {
        a->paths[i] = ok ? (double *)ordo_cuda_alloc(c, n, sizeof(double), false) : NULL;
        a->x[i] = a->paths[i] ? (double *)ordo_cuda_alloc(c, n, sizeof(double), false) : NULL;
        ok = a->x[i] != NULL;
    }
    a->level = ok ? (ordo_u32 *)ordo_cuda_alloc(c, n, sizeof *a->level, false) : NULL;
    a->order = a->level ? (ordo_u32 *)ordo_cuda_alloc(c, n + 1, sizeof *a->order, false) : NULL;
    a->hub = a->order ? (ordo_u32 *)ordo_cuda_alloc(c, n, sizeof *a->hub, false) : NULL;
    a->begin = a->hub ? (ordo_u32 *)ordo_cuda_alloc(c, n + 2, sizeof *a->begin, false) : NULL;
    a->words = a->begin ? (bc_words *)ordo_cuda_alloc(c, 1, sizeof *a->words, true) : NULL;
    a->source =
        a->words ? (const ordo_vid *)ordo_cuda_copy(c, request->source, request->count, sizeof *a->source) : NULL;
    return a->source ? ORDO_OK : ORDO_ERR_MEMORY;
}

static ordo_status launch(ordo_cuda *c, bc_args *a)
{
    void *args[] = {a};
    int grid = 0;
    const ordo_u64 n = c->out.n, m = c->out.m;
    const void *kernel = m < 4 * n    ? (const void *)bc_all<2>
                         : m < 24 * n ? (const void *)bc_all<8>
                                      : (const void *)bc_all<16>;
    kernel = ordo_cuda_kernel(kernel);
    if (!kernel)
        return ORDO_ERR_DEVICE;
    ordo_status status = ordo_cuda_grid(kernel, BC_THREADS, 0, &grid);
    const ordo_cuda_step step = {kernel, BC_THREADS, grid, true, args};
    return status ? status : ordo_cuda_launch_all(c, &step, 1);
}

static ordo_status run(ordo_job *job)
{
    ordo_cuda c;
    bc_args a = {};
    ordo_status status = ordo_cuda_begin(job, sizeof(double), true, &c);
    if (!status)
        status = prepare(&c, &a);
    if (!status)
        status = launch(&c, &a);
    return ordo_cuda_end(&c, status);
}

extern const ordo_instance bc_native_on_cuda;
const ordo_instance bc_native_on_cuda = {ORDO_NATIVE, run, 0, ORDO_ON_CUDA};
