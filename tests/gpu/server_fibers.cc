/* server_fibers.cc -- lock_server with roles=both on a grid of several blocks, without a GPU: shortest paths against
 * Bellman and Ford's rounds.
 *
 * Blocks are threads of the host (block_fibers.h), and interleave at any of the kernel's accesses to shared words.
 * Rings have the fewest places that a batch allows, and in most runs a batch is 16 messages or so, so that senders wait
 * for room.
 *
 * Checked: the kernel ends, and not before all messages are served (the distances are right, `pending` is 0); every
 * ring is empty at the end; no item is left on a worklist. A run that does not end is told by the passes without
 * progress or by the time limit of the test.
 *
 * usage: server_fibers [TRIALS]
 */
#include "tests/gpu/block_fibers.h"

#define ORDO_OP sssp_u32
#define ORDO_WEIGHT u32
#include "operators/sssp.h"

#define ORDO_OVER_RANKS 0
#include "tests/gpu/relax_fibers.h"
#undef ORDO_CUDA_INSTANCE
#define ORDO_CUDA_INSTANCE(_scheduler, _run, _syncs)
#undef ORDO_CUDA_DYNAMIC
#define ORDO_CUDA_DYNAMIC(_type, _name) alignas(16) static thread_local _type _name[(1 << 17) / sizeof(_type)]

#include "tests/gpu/server_fibers.h"
#define SERVER_BLOCK_THREADS 64
#include "schedulers/lock_server/cuda.cuh"

static lock_server_both_args order;

static void one_block(const void *)
{
    lock_server_both_kernel<false>(order);
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
    const unsigned blocks_here = 1 + (unsigned)draw(&r, 5);
    const ordo_u32 log = server_ring_log(1, (ordo_u32)lock_server_batch), line = ORDO_CUDA_LINE;
    ordo_u32 halt = 0;
    ordo_cuda_counter_line counters = {};
    order = lock_server_both_args{};
    order.owners.servers = blocks_here;
    order.owners.targets = g.n;
    order.owners.most = (g.n + blocks_here - 1) / blocks_here;
    order.work.log = server_bits_of(order.owners.most);
    std::vector<ordo_u64> place((size_t)blocks_here << log);
    std::vector<ordo_u32> write(blocks_here * line), read(blocks_here * line), first(blocks_here * line);
    std::vector<ordo_u32> list((size_t)blocks_here << order.work.log), queued(g.n + 1);
    order.state.limit = op_worst() - 1;
    order.rows.row = g.row.data();
    order.rows.edge = g.edge.data();
    order.rows.n = g.n;
    order.rows.m = g.edge.size() / 2;
    order.rows.stride = 2;
    order.cells = cells.data();
    order.ring = server_rings{place.data(), write.data(), read.data(), log};
    order.work.list = list.data();
    order.work.queued = queued.data();
    order.work.first = first.data();
    order.work.pending = &pending;
    order.halt.word = &halt;
    order.run.initial = sources.data();
    order.run.initial_count = sources.size();
    order.run.counters = &counters;
    fiber_run_blocks(blocks_here, SERVER_THREADS, seed, one_block);
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
