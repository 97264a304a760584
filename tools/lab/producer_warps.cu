/* producer_warps.cu -- does it pay that some warps compute addresses and fetch edges for others?
 *
 * An experiment beside the framework, for lab note 0069: the idea of decoupled affine computation (Wang and Lin, ISCA
 * 2017), which is hardware there, in software. A step of edge expansion, as in a superstep of shortest paths: items of
 * a list in random order; for each edge of an item a candidate, the cell of its target, and an atomic minimum where the
 * candidate is better. Only where edges come from differs:
 *
 *   direct       a warp takes 32 items, numbers their edges by a sum of degrees, and loads four edges a lane at once
 *   own          a warp copies the edges of its next items to shared memory (cp.async) while it processes those before
 *   producer P   P warps of eight take items, read row ends, and copy edges (cp.async) into stages of the others
 *   bulk P       likewise by the copy engine (cp.async.bulk): one copy a row
 *
 *   nvcc -O3 -std=c++17 -arch=sm_90 -o producer_warps tools/lab/producer_warps.cu && ./producer_warps [LOG2_EDGES]
 *
 * Prints the median of 9 runs in ms, its range, and edges a second, on a uniform graph, one with hubs and a lattice,
 * for all vertices and for a 64th of them. Cells after a run are those of `direct`, else the program says so.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

using u32 = uint32_t;
using u64 = uint64_t;

enum { WARPS = 8, STAGE = 512, RING = 2, RUNS = 9 };
enum how { DIRECT, OWN, PRODUCER, BULK };

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) {                                                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

struct problem {
    const u32 *row;    /* [n + 1] */
    const uint2 *edge; /* [m + 1] head, weight; the last one is not an edge: copies of 16 bytes may read it */
    const u32 *cell;   /* [n] of tails */
    u32 *target;       /* [n] of heads */
    const u32 *item;   /* [items] */
    u32 items;
    u32 *taken; /* items that warps have taken */
    unsigned long long *improved;
};

/* Edges of up to 32 rows. Slot k of row i, offset[i] <= k < offset[i + 1], is an edge if it is below offset[i] +
 * lead[i]
 * + count[i], and not below offset[i] + lead[i]. */
struct stage {
    uint2 *edge; /* [STAGE] in shared memory */
    u32 offset[33], value[32], begin[32];
    unsigned short lead[32], count[32];
};

/* A lane's row, of which [at, end) is left. */
struct rest {
    u32 at, end, value;
};

static __device__ u32 address(const void *shared)
{
    return (u32)__cvta_generic_to_shared(shared);
}
static __device__ void barrier_start(u64 *b, u32 count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(b)), "r"(count) : "memory");
}
static __device__ void barrier_arrive(u64 *b)
{
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(address(b)) : "memory");
}
static __device__ void barrier_expect(u64 *b, u32 bytes)
{
    asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(address(b)), "r"(bytes)
                 : "memory");
}
static __device__ void barrier_after_copies(u64 *b)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address(b)) : "memory");
}
static __device__ void barrier_wait(u64 *b, u32 parity)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
                 "@!p bra again; }" ::"r"(address(b)),
                 "r"(parity)
                 : "memory");
}
static __device__ void copy8(uint2 *to, const uint2 *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(address(to)), "l"(from) : "memory");
}
static __device__ void copy_bulk(uint2 *to, const uint2 *from, u32 bytes, u64 *b)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
        "l"(from), "r"(bytes), "r"(address(b))
        : "memory");
}

static __device__ u32 sum_before(u32 x, u32 *total)
{
    const u32 lane = threadIdx.x % 32;
    u32 sum = x;
    for (int d = 1; d < 32; d *= 2) {
        const u32 other = __shfl_up_sync(~0u, sum, d);
        sum += lane >= (u32)d ? other : 0;
    }
    *total = __shfl_sync(~0u, sum, 31);
    return sum - x;
}

/* By a whole warp: describes the next edges of its rows in a stage, of new rows if none is left. Returns how many slots
 * there are, 0 if all items are done. */
template <int How> static __device__ u32 plan(const problem &p, rest *r, stage *s)
{
    const u32 lane = threadIdx.x % 32, unit = How == BULK ? 2 : 1;
    while (!__any_sync(~0u, r->at < r->end)) {
        u32 first = 0;
        if (lane == 0)
            first = atomicAdd(p.taken, 32u);
        first = __shfl_sync(~0u, first, 0);
        if (first >= p.items)
            return 0;
        if (first + lane < p.items) {
            const u32 v = __ldg(p.item + first + lane);
            r->at = __ldg(p.row + v);
            r->end = __ldg(p.row + v + 1);
            r->value = __ldg(p.cell + v);
        }
    }
    const u32 lead = How == BULK && r->at < r->end ? r->at % 2 : 0, left = r->end - r->at;
    u32 want = left < STAGE ? left : STAGE, total;
    const u32 wide = (lead + want + unit - 1) / unit * unit;
    const u32 offset = sum_before(wide, &total);
    const u32 room = offset < STAGE ? STAGE - offset : 0;
    want = room > lead ? min(want, room - lead) : 0;
    __syncwarp();
    s->offset[lane] = offset < STAGE ? offset : STAGE;
    s->value[lane] = r->value;
    s->begin[lane] = r->at;
    s->lead[lane] = (unsigned short)lead;
    s->count[lane] = (unsigned short)want;
    if (lane == 31)
        s->offset[32] = total < STAGE ? total : STAGE;
    r->at += want;
    __syncwarp();
    return total < STAGE ? total : STAGE;
}

/* The row of a slot. */
static __device__ u32 row_of(const stage *s, u32 k)
{
    u32 i = 0;
#pragma unroll
    for (u32 d = 16; d; d /= 2)
        i += s->offset[i + d] <= k ? d : 0;
    return i;
}

static __device__ void copy_edges(const problem &p, stage *s, u32 slots)
{
    for (u32 k = threadIdx.x % 32; k < slots; k += 32) {
        const u32 i = row_of(s, k), j = k - s->offset[i];
        if (j < s->count[i])
            copy8(&s->edge[k], p.edge + s->begin[i] + j);
    }
}

template <bool Direct> static __device__ u32 process(const problem &p, const stage *s, u32 slots)
{
    enum { AT_ONCE = 4 };
    u32 improved = 0;
    for (u32 base = threadIdx.x % 32; base < slots; base += 32 * AT_ONCE) {
        uint2 edge[AT_ONCE];
        u32 value[AT_ONCE], cell[AT_ONCE];
        bool there[AT_ONCE];
#pragma unroll
        for (u32 u = 0; u < AT_ONCE; u++) {
            const u32 k = base + 32 * u;
            there[u] = k < slots;
            const u32 i = row_of(s, there[u] ? k : 0), j = k - s->offset[i] - s->lead[i];
            there[u] = there[u] && j < s->count[i];
            value[u] = s->value[i];
            if (there[u])
                edge[u] = Direct ? __ldg(p.edge + s->begin[i] + j) : s->edge[k];
        }
#pragma unroll
        for (u32 u = 0; u < AT_ONCE; u++)
            cell[u] = there[u] ? *(volatile u32 *)&p.target[edge[u].x] : 0;
#pragma unroll
        for (u32 u = 0; u < AT_ONCE; u++)
            if (there[u] && value[u] + edge[u].y < cell[u])
                improved += atomicMin(&p.target[edge[u].x], value[u] + edge[u].y) > value[u] + edge[u].y;
    }
    return improved;
}

template <int How, int Producers> __global__ void __launch_bounds__((32 * WARPS)) expand(const problem p)
{
    extern __shared__ __align__(128) unsigned char memory[];
    enum { CONSUMERS = WARPS - Producers };
    enum { STAGES = How == DIRECT ? (int)WARPS : How == OWN ? 2 * (int)WARPS : (int)CONSUMERS * (int)RING };
    uint2 *const edges = (uint2 *)memory;
    stage *const stages = (stage *)(edges + (How == DIRECT ? 0 : STAGES * STAGE));
    if (threadIdx.x < STAGES)
        stages[threadIdx.x].edge = edges + threadIdx.x * STAGE;
    __syncthreads();
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    rest r = {0, 0, 0};
    u32 improved = 0;
    if constexpr (How == DIRECT) {
        for (u32 slots; (slots = plan<How>(p, &r, &stages[warp]));)
            improved += process<true>(p, &stages[warp], slots);
    } else if constexpr (How == OWN) {
        stage *const mine = stages + warp * 2;
        u32 slots = plan<How>(p, &r, &mine[0]);
        copy_edges(p, &mine[0], slots);
        asm volatile("cp.async.commit_group;" ::: "memory");
        for (u32 now = 0; slots; now ^= 1) {
            const u32 next = plan<How>(p, &r, &mine[now ^ 1]);
            copy_edges(p, &mine[now ^ 1], next);
            asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;" ::: "memory");
            __syncwarp();
            improved += process<false>(p, &mine[now], slots);
            slots = next;
        }
    } else {
        u64 *const full = (u64 *)(stages + CONSUMERS * RING), *const empty = full + CONSUMERS * RING;
        u32 *const slots_of = (u32 *)(empty + CONSUMERS * RING);
        for (u32 i = threadIdx.x; i < CONSUMERS * RING; i += 32 * WARPS) {
            barrier_start(&full[i], How == BULK ? 32 : 64);
            barrier_start(&empty[i], 32);
        }
        __syncthreads();
        if (warp < Producers) {
            u32 open = 0; /* consumers of this producer that have not been told of the end */
            for (u32 c = warp; c < CONSUMERS; c += Producers)
                open++;
            for (u32 round = 0; open; round++)
                for (u32 c = warp; c < CONSUMERS && open;
                     c += Producers) { /* all are told in one pass, round the ring */
                    const u32 at = c * RING + round % RING;
                    barrier_wait(&empty[at], (round / RING + 1) % 2);
                    stage *const s = &stages[at];
                    const u32 slots = plan<How>(p, &r, s);
                    if (lane == 0)
                        slots_of[at] = slots;
                    open -= slots == 0;
                    if constexpr (How == BULK) {
                        const u32 count = slots ? s->count[lane] : 0, lead = s->lead[lane];
                        const u32 bytes = count ? (lead + count + 1) / 2 * 16 : 0;
                        barrier_expect(&full[at], bytes);
                        if (bytes)
                            copy_bulk(&s->edge[s->offset[lane]], p.edge + s->begin[lane] - lead, bytes, &full[at]);
                    } else {
                        copy_edges(p, s, slots);
                        barrier_after_copies(&full[at]);
                        barrier_arrive(&full[at]);
                    }
                }
        } else {
            const u32 c = warp - Producers;
            for (u32 round = 0;; round++) {
                const u32 at = c * RING + round % RING;
                barrier_wait(&full[at], round / RING % 2);
                const u32 slots = slots_of[at];
                if (!slots)
                    break;
                improved += process<false>(p, &stages[at], slots);
                barrier_arrive(&empty[at]);
            }
        }
    }
    improved = __reduce_add_sync(~0u, improved);
    if (lane == 0 && improved)
        atomicAdd(p.improved, (unsigned long long)improved);
}

struct graph {
    const char *name;
    std::vector<u32> row;
    std::vector<uint2> edge;
};

static graph make(const char *name, u32 n, std::vector<std::pair<u32, u32>> &arcs, std::mt19937 &random)
{
    graph g = {name, std::vector<u32>(n + 1), std::vector<uint2>(arcs.size() + 1)};
    for (auto &a : arcs)
        g.row[a.first + 1]++;
    std::partial_sum(g.row.begin(), g.row.end(), g.row.begin());
    std::vector<u32> at(g.row.begin(), g.row.end() - 1);
    for (auto &a : arcs)
        g.edge[at[a.first]++] = make_uint2(a.second, 1 + random() % 255);
    return g;
}

typedef void (*kernel)(problem);
struct variant {
    const char *name;
    kernel run;
    u32 stages;
};

template <class T> static T *on_device(const std::vector<T> &from)
{
    T *to;
    CHECK(cudaMalloc(&to, from.size() * sizeof(T)));
    CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    return to;
}

static void measure(const graph &g, u32 part, std::mt19937 &random)
{
    const u32 n = (u32)g.row.size() - 1;
    std::vector<u32> items(n), cell(n), target(n);
    std::iota(items.begin(), items.end(), 0);
    std::shuffle(items.begin(), items.end(), random);
    items.resize(n / part);
    for (u32 v = 0; v < n; v++) {
        cell[v] = random() % 4096;
        target[v] = random() % 1024; /* a quarter of the edges or less improve */
    }
    u64 edges = 0;
    for (u32 v : items)
        edges += g.row[v + 1] - g.row[v];
    problem p = {on_device(g.row), on_device(g.edge), on_device(cell), NULL, on_device(items), (u32)items.size()};
    u32 *const fresh = on_device(target);
    CHECK(cudaMalloc(&p.target, n * sizeof(u32)));
    CHECK(cudaMalloc(&p.taken, sizeof(u32)));
    CHECK(cudaMalloc(&p.improved, sizeof *p.improved));
    const variant all[] = {{"direct", expand<DIRECT, 0>, WARPS},
                           {"own", expand<OWN, 0>, 2 * WARPS},
                           {"producer 1", expand<PRODUCER, 1>, (WARPS - 1) * RING},
                           {"producer 2", expand<PRODUCER, 2>, (WARPS - 2) * RING},
                           {"producer 4", expand<PRODUCER, 4>, (WARPS - 4) * RING},
                           {"bulk 1", expand<BULK, 1>, (WARPS - 1) * RING},
                           {"bulk 2", expand<BULK, 2>, (WARPS - 2) * RING}};
    std::vector<u32> right(n), found(n);
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    float best = 0;
    for (const variant &v : all) {
        const size_t shared = v.stages * (sizeof(stage) + 20 + (v.run == all[0].run ? 0 : STAGE * sizeof(uint2))) + 128;
        CHECK(cudaFuncSetAttribute((const void *)v.run, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
        int blocks;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)v.run, 32 * WARPS, shared));
        std::vector<float> ms;
        for (int i = 0; i < RUNS + 2; i++) {
            CHECK(cudaMemcpy(p.target, fresh, n * sizeof(u32), cudaMemcpyDeviceToDevice));
            CHECK(cudaMemset(p.taken, 0, sizeof(u32)));
            CHECK(cudaMemset(p.improved, 0, sizeof *p.improved));
            CHECK(cudaEventRecord(begin));
            v.run<<<blocks * device.multiProcessorCount, 32 * WARPS, shared>>>(p);
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(end));
            CHECK(cudaEventSynchronize(end));
            float t;
            CHECK(cudaEventElapsedTime(&t, begin, end));
            if (i >= 2)
                ms.push_back(t);
        }
        std::sort(ms.begin(), ms.end());
        CHECK(cudaMemcpy(found.data(), p.target, n * sizeof(u32), cudaMemcpyDeviceToHost));
        if (v.run == all[0].run) {
            right = found;
            best = ms[RUNS / 2];
        }
        printf("%-8s 1/%-3u %-11s %d blocks  %8.4f ms (%.4f to %.4f)  %6.2f G edges/s  %.2f of direct  %s\n", g.name,
               part, v.name, blocks, ms[RUNS / 2], ms[0], ms[RUNS - 1], edges / ms[RUNS / 2] / 1e6, ms[RUNS / 2] / best,
               found == right ? "same" : "WRONG");
    }
    for (const void *m : {(const void *)p.row, (const void *)p.edge, (const void *)p.cell, (const void *)p.target,
                          (const void *)p.item, (const void *)p.taken, (const void *)p.improved, (const void *)fresh})
        CHECK(cudaFree((void *)m));
}

int main(int argc, char **argv)
{
    const u32 log2 = argc > 1 ? (u32)atoi(argv[1]) : 25;
    setvbuf(stdout, NULL, _IOLBF, 1 << 16);
    std::mt19937 random(1);
    const u32 n = 1u << (log2 - 4);
    std::vector<std::pair<u32, u32>> arcs(1u << log2);
    for (auto &a : arcs)
        a = {random() % n, random() % n};
    const graph uniform = make("uniform", n, arcs, random);
    for (auto &a : arcs) { /* RMAT, a = .57, b = c = .19 */
        u32 u = 0, v = 0;
        for (u32 bit = 1; bit < n; bit *= 2) {
            const u32 draw = random() % 100;
            u |= draw >= 76 ? bit : 0;
            v |= draw >= 95 || (draw >= 57 && draw < 76) ? bit : 0;
        }
        a = {u, v};
    }
    const graph hubs = make("hubs", n, arcs, random);
    const u32 side = 1u << (log2 - 2) / 2, many = side * side;
    arcs.clear();
    for (u32 v = 0; v < many; v++) {
        const u32 x = v % side, y = v / side;
        for (u32 w : {y * side + (x + 1) % side, y * side + (x + side - 1) % side, (y + 1) % side * side + x,
                      (y + side - 1) % side * side + x})
            arcs.push_back({v, w});
    }
    const graph lattice = make("lattice", many, arcs, random);
    for (const graph *g : {&uniform, &hubs, &lattice})
        for (u32 part : {1u, 64u})
            measure(*g, part, random);
}
