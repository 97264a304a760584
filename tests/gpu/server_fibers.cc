/* server_fibers.cc -- lock_server with roles=both on a grid of several blocks, without a GPU: shortest paths against
 * Bellman and Ford's rounds.
 *
 * A block is a thread of the host whose GPU threads are fibers (fibers.h); one block runs at a time, and gives way
 * after each round of its fibers. So blocks interleave at any of the kernel's accesses to shared words, by the seed.
 * Rings have the fewest places that a batch allows, and in most runs a batch is 16 messages or so, so that senders wait
 * for room.
 *
 * Checked: the kernel ends, and not before all messages are served (the distances are right, `pending` is 0); every
 * ring is empty at the end; no item is left on a worklist. A run that does not end is told by the passes without
 * progress or by the time limit of the test.
 *
 * usage: server_fibers [TRIALS]
 */
#include <pthread.h>
#include <sched.h>

static bool fiber_pass(unsigned ran);
static void fiber_sync(void);
#define FIBER_LOCAL thread_local
#define FIBER_PASS(_ran) fiber_pass(_ran)
#define FIBER_SYNC() fiber_sync()
#include "tests/gpu/launch_fibers.h"

#include <vector>

#define ORDO_OP sssp_u32
#define ORDO_WEIGHT u32
#include "operators/sssp.h"

#define ORDO_OVER_RANKS 0
#include "tests/gpu/relax_fibers.h"
#undef ORDO_CUDA_INSTANCE
#define ORDO_CUDA_INSTANCE(_scheduler, _run, _syncs)
#undef ORDO_CUDA_DYNAMIC
#define ORDO_CUDA_DYNAMIC(_type, _name) alignas(16) static thread_local _type _name[(1 << 17) / sizeof(_type)]

/* ---- what the kernels use besides ---- */

ORDO_DEV unsigned atomicMin(unsigned *p, unsigned value)
{
    return ordo_dev_min(p, value);
}
ORDO_DEV unsigned atomicExch(unsigned *p, unsigned value)
{
    return ordo_dev_exchange(p, value);
}
#include <ordo/detail/cuda/locks.cuh>

struct ordo_cuda_halt {
    ordo_u32 *word;
    ordo_cuda_mailbox *mailbox;
};
enum { ORDO_CUDA_LOOK = 64, ORDO_CUDA_ASK = 4096 };
ORDO_DEV bool ordo_dev_told(const ordo_cuda_halt *halt, ordo_u32, ordo_u32 *rounds)
{
    return ++*rounds % ORDO_CUDA_LOOK == 0 && ordo_dev_load(halt->word) != 0;
}
ORDO_DEV bool ordo_dev_halted(const ordo_cuda_halt *halt, ordo_u32)
{
    return ordo_dev_load(halt->word) != 0;
}
static inline ordo_status ordo_cuda_halt_make(ordo_cuda *, ordo_cuda_halt *)
{
    return ORDO_ERR_INTERNAL;
}
#define SERVER_BLOCK_THREADS 64
#include "schedulers/lock_server/cuda.cuh"

/* ---- the grid ---- */

static pthread_mutex_t token = PTHREAD_MUTEX_INITIALIZER;
static unsigned blocks_here, arrived, waiting_passes;
static ordo_u64 seed_of_run;
static lock_server_both_args order;

static bool fiber_pass(unsigned ran)
{
    waiting_passes = ran ? 0 : waiting_passes + 1;
    const bool alive = waiting_passes < 1000000;
    pthread_mutex_unlock(&token);
    if (fiber_random(4) == 0)
        sched_yield();
    pthread_mutex_lock(&token);
    return alive;
}

static void fiber_sync(void)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        arrived++;
        while (arrived < blocks_here)
            fiber_yield();
    }
    __syncthreads();
}

static void one_block(const void *)
{
    lock_server_both_kernel<false>(order);
}

static void *block(void *number)
{
    pthread_mutex_lock(&token);
    fiber_block = (unsigned)(size_t)number;
    fiber_blocks = blocks_here;
    fibers.random = seed_of_run * 977 + fiber_block;
    fibers_run(1, SERVER_THREADS, one_block, NULL);
    pthread_mutex_unlock(&token);
    return NULL;
}

static ordo_u64 draw(ordo_u64 *r, ordo_u64 below)
{
    *r = *r * 6364136223846793005ull + 1442695040888963407ull;
    return (*r >> 33) % below;
}

/* A random graph; with `deep` a long path with shortcuts backwards, with `hub` one vertex to and from all others. */
struct graph {
    std::vector<ordo_eid> row;
    std::vector<ordo_u32> edge; /* head and weight */
    ordo_u32 n;
};

static graph make_graph(ordo_u64 *r)
{
    graph g;
    g.n = 2 + (ordo_u32)draw(r, 300);
    const ordo_u64 kind = draw(r, 3), degree = 1 + draw(r, 6);
    for (ordo_u32 v = 0; v < g.n; v++) {
        g.row.push_back(g.edge.size() / 2);
        for (ordo_u64 i = 0; i < (kind == 2 && v % 97 == 0 ? g.n : degree); i++) {
            const ordo_u32 head = kind == 1 && i == 0 ? (v + 1) % g.n
                                  : kind == 1         ? (ordo_u32)draw(r, v + 1)
                                                      : (ordo_u32)draw(r, g.n);
            g.edge.push_back(head);
            g.edge.push_back(1 + (ordo_u32)draw(r, 50));
        }
    }
    g.row.push_back(g.edge.size() / 2);
    return g;
}

static std::vector<ordo_u32> expected(const graph &g, const std::vector<ordo_u32> &sources)
{
    std::vector<ordo_u32> d(g.n, op_worst());
    for (ordo_u32 s : sources)
        d[s] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u32 v = 0; v < g.n; v++)
            for (ordo_eid e = g.row[v]; d[v] != op_worst() && e < g.row[v + 1]; e++)
                if (d[v] + g.edge[2 * e + 1] < d[g.edge[2 * e]]) {
                    d[g.edge[2 * e]] = d[v] + g.edge[2 * e + 1];
                    changed = true;
                }
    }
    return d;
}

static bool run(ordo_u64 seed)
{
    ordo_u64 r = seed * 7919 + 1, pending = 0;
    const graph g = make_graph(&r);
    std::vector<ordo_item> sources;
    for (ordo_u64 i = 1 + draw(&r, 3); i > 0; i--)
        sources.push_back((ordo_item)draw(&r, g.n));
    std::vector<ordo_u32> cells(g.n, op_worst());
    for (ordo_item s : sources)
        cells[s] = 0;
    blocks_here = 1 + (unsigned)draw(&r, 5);
    const ordo_u32 log = server_ring_log(1, (ordo_u32)lock_server_batch), line = ORDO_CUDA_LINE;
    ordo_u32 halt = 0;
    ordo_cuda_counters counters = {};
    order = lock_server_both_args{};
    order.owners.servers = blocks_here;
    order.owners.targets = g.n;
    order.owners.most = (g.n + blocks_here - 1) / blocks_here;
    order.log = server_bits_of(order.owners.most);
    std::vector<ordo_u64> place((size_t)blocks_here << log);
    std::vector<ordo_u32> write(blocks_here * line), read(blocks_here * line), first(blocks_here * line);
    std::vector<ordo_u32> list((size_t)blocks_here << order.log), queued(g.n + 1);
    order.state.limit = op_worst() - 1;
    order.rows.row = g.row.data();
    order.rows.edge = g.edge.data();
    order.rows.n = g.n;
    order.rows.m = g.edge.size() / 2;
    order.rows.stride = 2;
    order.cells = cells.data();
    order.ring = server_rings{place.data(), write.data(), read.data(), log};
    order.list = list.data();
    order.queued = queued.data();
    order.first = first.data();
    order.pending = &pending;
    order.halt.word = &halt;
    order.run.initial = sources.data();
    order.run.initial_count = sources.size();
    order.run.counters = &counters;
    arrived = waiting_passes = 0;
    seed_of_run = seed;
    std::vector<pthread_t> all(blocks_here);
    for (unsigned b = 0; b < blocks_here; b++)
        pthread_create(&all[b], NULL, block, (void *)(size_t)b);
    for (unsigned b = 0; b < blocks_here; b++)
        pthread_join(all[b], NULL);
    bool right = pending == 0 && cells == expected(g, std::vector<ordo_u32>(sources.begin(), sources.end()));
    for (unsigned b = 0; b < blocks_here; b++)
        right = right && write[b * line] == read[b * line];
    for (ordo_u32 v = 0; v < g.n; v++)
        right = right && !queued[v];
    if (!right || counters.useful < counters.activations)
        fprintf(stderr,
                "seed %llu: items %llu edges %llu useful %llu act %llu; %u vertices, %u blocks: wrong distances, or "
                "something is left; pending %llu\n",
                (unsigned long long)seed, (unsigned long long)counters.items, (unsigned long long)counters.edges,
                (unsigned long long)counters.useful, (unsigned long long)counters.activations, g.n, blocks_here,
                (unsigned long long)pending);
    return right;
}

int main(int argc, char **argv)
{
    const int trials = argc > 1 ? atoi(argv[1]) : 20;
    int failed = 0;
    for (int i = 0; i < trials; i++)
        failed += !run((ordo_u64)i);
    printf("%d trials, %d failed\n", trials, failed);
    return failed > 0;
}
