/* server_critical_fibers.cc -- lock_server with roles=both and critical operators on a grid of several blocks, without
 * a GPU (block_fibers.h). By -DTEST: 1  maximum flow, by runs of discharge_apart between exact distances, in halves and
 * nested, against augmenting paths 2  a rotor-router in halves and nested, against a serial one: requests, second
 * halves and calls between all owners 3  least labels, one target: requests and calls 4  bank transfers, which activate
 * nothing, in halves and nested: each once, and no money is lost
 *
 * Rings have the fewest places that a batch allows. Checked besides: the kernel ends, `pending` is 0, every ring is
 * empty at the end, no flag is set and no call is left.
 *
 * usage: server_critical_fibers [TRIALS [FIRST]]
 */
#include "tests/gpu/block_fibers.h"

#define ORDO_DETAIL_CUDA_ATOMICS_CUH
#define ORDO_DETAIL_CUDA_GRID_CUH
#define ORDO_DETAIL_CUDA_WARP_REDUCE_CUH
#define ORDO_FAST_COMPILE
enum { ORDO_CUDA_LINE = 32 };
#define GATHER_HOT_BYTES 256
#include "tests/gpu/gather_fibers.h"
#include "tests/gpu/residual_fibers.h"
#pragma GCC diagnostic ignored "-Wextra" /* enumerators of several types in an expression */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#undef ORDO_CUDA_INSTANCE
#define ORDO_CUDA_INSTANCE(_scheduler, _run, _syncs)
#undef ORDO_CUDA_DYNAMIC
#define ORDO_CUDA_DYNAMIC(_type, _name) alignas(16) static thread_local _type _name[(1 << 18) / sizeof(_type)]

#if TEST == 1
#define ORDO_OP discharge_apart
#include "operators/discharge_apart.h"
#elif TEST == 4
#define ORDO_OP bank
#include "operators/bank.h"
#else
#define ORDO_OP rotor
#if TEST == 3
#define ROTOR_SPREAD
#endif
#include "tests/gpu/rotor.h"
#endif

#include "tests/gpu/server_fibers.h"

#include "tests/gpu/critical_fibers.h"

#define SERVER_BLOCK_THREADS 64
#include "schedulers/lock_server/cuda_critical.cuh"

/* ---- a run ---- */

static critical_both_args order;
static bool nested_form;

static void one_block(const void *)
{
#if TEST != 3
    if (nested_form)
        critical_both_kernel<critical_both_nested, false>(order);
    else
#endif
        critical_both_kernel<critical_both_plain, false>(order);
}

static ordo_u64 draw(ordo_u64 *r, ordo_u64 below)
{
    *r = *r * 6364136223846793005ull + 1442695040888963407ull;
    return (*r >> 33) % below;
}

static ordo_u32 most_of(ordo_u64 count, ordo_u32 blocks)
{
    return (ordo_u32)((count + blocks - 1) / blocks);
}

/* Runs the kernel over `initial` (empty: all items), and checks that nothing is left. */
static bool run_grid(ordo_u64 seed, unsigned blocks, const op_state &state, ordo_u64 items, ordo_u64 targets,
                     const std::vector<ordo_item> &initial, bool all)
{
    const ordo_u32 width = nested_form ? (ordo_u32)critical_both_nested::width : (ordo_u32)critical_both_plain::width;
    const ordo_u32 line = ORDO_CUDA_LINE;
    const ordo_u32 log = server_ring_log(1, nested_form ? (ordo_u32)SERVER_THREADS : (ordo_u32)critical_both_batch);
    ordo_u32 halt = 0;
    ordo_u64 pending = 0;
    ordo_cuda_counter_line counters = {};
    server_owners owners = {};
    owners.servers = blocks;
    owners.targets = targets;
    owners.most = most_of(targets, blocks);
    order = critical_both_args{};
    order.all.state = state;
    order.all.servers = blocks;
    order.all.owners = owners;
    order.all.may_repeat = op_activates || !all;
    order.all.contended = seed % 2;
    order.all.shape = server_shape_of(items, owners.most, lock_server_pairs ? (ordo_u64)owners.most * blocks : 0);
    order.items = owners;
    order.items.targets = items;
    order.items.most = most_of(items, blocks);
    order.work.log = server_bits_of(order.items.most);
    std::vector<ordo_u64> place[2];
    std::vector<ordo_u32> write[2], read[2];
    for (int i = 0; i < 2; i++) {
        place[i].assign(((size_t)blocks << log) * width, 0);
        write[i].assign(blocks * line, 0);
        read[i].assign(blocks * line, 0);
        (i ? order.all.second : order.all.first) = server_rings{place[i].data(), write[i].data(), read[i].data(), log};
    }
    std::vector<ordo_u32> answer(blocks * SERVER_THREADS), first(blocks * line), called(blocks * line);
    std::vector<ordo_u32> list((size_t)blocks << order.work.log), call((size_t)blocks << order.work.log);
    std::vector<ordo_u32> queued(items + 1);
    order.all.answer = answer.data();
    order.work.list = list.data();
    order.work.queued = queued.data();
    order.work.first = first.data();
    order.work.pending = &pending;
    order.call = call.data();
    order.called = called.data();
    order.all.halt.word = &halt;
    order.all.run.initial = all ? NULL : initial.data();
    order.all.run.initial_count = all ? items : initial.size();
    order.all.run.counters = &counters;
    fiber_run_blocks(blocks, SERVER_THREADS, seed, one_block);
    ordo_u32 messages = 0, flags = 0, calls = 0;
    for (int i = 0; i < 2; i++)
        for (unsigned b = 0; b < blocks; b++)
            messages += write[i][b * line] - read[i][b * line];
    for (ordo_u32 word : queued)
        flags += word;
    for (ordo_u32 word : call)
        calls += word != 0;
    if (!pending && !messages && !flags && !calls)
        return true;
    fprintf(stderr, "seed %llu, %u blocks, %s: left are %u messages, %u flags, %u calls; pending %lld\n",
            (unsigned long long)seed, blocks, nested_form ? "nested" : "plain", messages, flags, calls,
            (long long)pending);
    return false;
}

/* ---- what is run ---- */

#if TEST == 1
struct network {
    ordo_u32 n, source, sink;
    std::vector<ordo_u32> row;
    std::vector<discharge_edge> edge;
};

/* Levels with edges to the next one; a path with shortcuts; any edges; a hub. */
static network make_network(ordo_u64 *r)
{
    network g;
    const ordo_u64 kind = draw(r, 4), width = 1 + draw(r, 12);
    g.n = 2 + (ordo_u32)draw(r, 60);
    g.source = 0;
    g.sink = g.n - 1;
    std::vector<std::vector<ordo_u32>> to(g.n);
    std::vector<ordo_u32> tail, head, capacity;
    auto add = [&](ordo_u64 u, ordo_u64 v) {
        if (u == v || u >= g.n || v >= g.n)
            return;
        tail.push_back((ordo_u32)u);
        head.push_back((ordo_u32)v);
        capacity.push_back((ordo_u32)(1 + draw(r, draw(r, 3) ? 20 : 1000)));
    };
    for (ordo_u64 v = 0; v < g.n; v++)
        for (ordo_u64 i = 0; i < 3; i++)
            if (kind == 0)
                add(v, (v / width + 1) * width + draw(r, width));
            else if (kind == 1)
                add(v, i ? draw(r, g.n) : v + 1);
            else if (kind == 2)
                add(draw(r, g.n), draw(r, g.n));
            else
                add(i ? v : g.n / 2, i ? (i == 1 ? g.n / 2 : v + 1) : v);
    for (ordo_u64 i = 0; i < width; i++)
        add(g.source, 1 + i), add(g.n - 2 - i, g.sink);
    g.row.assign(g.n + 1, 0);
    for (size_t e = 0; e < tail.size(); e++)
        g.row[tail[e] + 1]++, g.row[head[e] + 1]++;
    for (ordo_u32 v = 0; v < g.n; v++)
        g.row[v + 1] += g.row[v];
    std::vector<ordo_u32> next(g.row.begin(), g.row.end() - 1);
    g.edge.resize(2 * tail.size());
    for (size_t e = 0; e < tail.size(); e++) {
        const ordo_u32 there = next[tail[e]]++, back = next[head[e]]++;
        g.edge[there] = discharge_edge{head[e], back, capacity[e]};
        g.edge[back] = discharge_edge{tail[e], there, 0};
    }
    return g;
}

/* Distances to the sink over residual edges, not through the source; n: it is not reached. */
static std::vector<ordo_u32> distances(const network &g)
{
    std::vector<ordo_u32> d(g.n, g.n), list(1, g.sink);
    d[g.sink] = 0;
    for (size_t i = 0; i < list.size(); i++)
        for (ordo_u32 e = g.row[list[i]]; e < g.row[list[i] + 1]; e++) {
            const ordo_u32 v = g.edge[e].head;
            if (d[v] == g.n && v != g.source && g.edge[g.edge[e].reverse].residual) {
                d[v] = d[list[i]] + 1;
                list.push_back(v);
            }
        }
    return d;
}

/* Augmenting paths, breadth first. */
static ordo_u64 by_paths(network g)
{
    ordo_u64 flow = 0;
    for (;;) {
        std::vector<ordo_u32> by(g.n, 0xffffffffu), list(1, g.source);
        for (size_t i = 0; i < list.size(); i++)
            for (ordo_u32 e = g.row[list[i]]; e < g.row[list[i] + 1]; e++)
                if (g.edge[e].residual && by[g.edge[e].head] == 0xffffffffu && g.edge[e].head != g.source) {
                    by[g.edge[e].head] = e;
                    list.push_back(g.edge[e].head);
                }
        if (by[g.sink] == 0xffffffffu)
            return flow;
        ordo_u64 least = ~0ull;
        for (ordo_u32 v = g.sink; v != g.source; v = g.edge[g.edge[by[v]].reverse].head)
            least = g.edge[by[v]].residual < least ? g.edge[by[v]].residual : least;
        for (ordo_u32 v = g.sink; v != g.source; v = g.edge[g.edge[by[v]].reverse].head) {
            g.edge[by[v]].residual -= least;
            g.edge[g.edge[by[v]].reverse].residual += least;
        }
        flow += least;
    }
}

static bool run(ordo_u64 seed)
{
    ordo_u64 r = seed * 7919 + 1, sum = 0;
    network g = make_network(&r);
    const ordo_u64 expected = by_paths(g);
    std::vector<ordo_u32> height(g.n), current(g.n), count(g.n + 1);
    std::vector<ordo_u64> excess(g.n);
    discharge_progress progress = {};
    for (ordo_u32 e = g.row[g.source]; e < g.row[g.source + 1]; e++) { /* the first preflow */
        discharge_edge *const out = &g.edge[e];
        sum += out->residual;
        excess[out->head] += out->residual;
        g.edge[out->reverse].residual += out->residual;
        out->residual = 0;
    }
    const bool gaps = draw(&r, 2);
    const op_state state = {g.row.data(),  g.edge.data(),
                            height.data(), current.data(),
                            excess.data(), gaps ? count.data() : NULL,
                            &progress,     draw(&r, 2) ? 6ull * g.n + g.edge.size() : ~0ull,
                            g.n,           (ordo_u32)g.edge.size(),
                            g.n + 1,       g.source,
                            g.sink};
    const unsigned blocks = 1 + (unsigned)draw(&r, 5);
    for (ordo_u64 runs = 1;; runs++) {
        std::vector<ordo_item> active;
        const std::vector<ordo_u32> exact = distances(g);
        std::copy(exact.begin(), exact.end(), height.begin()); /* the state has the array's address */
        std::fill(count.begin(), count.end(), 0u);
        progress.work = 0;
        progress.limit = g.n;
        for (ordo_u32 v = 0; v < g.n; v++) {
            current[v] = g.row[v];
            count[height[v]] += height[v] < g.n;
            if (excess[v] && height[v] < g.n && v != g.source && v != g.sink)
                active.push_back(v);
        }
        if (active.empty())
            break;
        if (runs > 1000 || !run_grid(seed * 1000 + runs, blocks, state, g.n, g.n, active, false))
            return fprintf(stderr, "seed %llu: run %llu\n", (unsigned long long)seed, (unsigned long long)runs), false;
    }
    ordo_u64 all = 0;
    for (ordo_u32 v = 0; v < g.n; v++)
        all += excess[v];
    if (all == sum && excess[g.sink] == expected)
        return true;
    fprintf(stderr, "seed %llu, %u blocks, %s: a flow of %llu, expected %llu; excess %llu of %llu\n",
            (unsigned long long)seed, blocks, nested_form ? "nested" : "halves", (unsigned long long)excess[g.sink],
            (unsigned long long)expected, (unsigned long long)all, (unsigned long long)sum);
    return false;
}
#elif TEST == 4
static bool run(ordo_u64 seed)
{
    ordo_u64 r = seed * 7919 + 1, before = 0, after = 0;
    const ordo_u32 accounts = 1 + (ordo_u32)draw(&r, draw(&r, 2) ? 6 : 300), items = (ordo_u32)draw(&r, 1500);
    const unsigned blocks = 1 + (unsigned)draw(&r, 5);
    std::vector<bank_transfer> transfer(items + 1);
    std::vector<ordo_u32> outcome(items + 1);
    std::vector<ordo_u64> balance(accounts);
    std::vector<long long> expected(accounts);
    for (ordo_u32 v = 0; v < accounts; v++)
        before += balance[v] = expected[v] = (long long)draw(&r, 500);
    for (ordo_u32 i = 0; i < items; i++) {
        transfer[i].from = (ordo_u32)draw(&r, accounts);
        transfer[i].to = (ordo_u32)draw(&r, accounts);
        transfer[i].amount = (ordo_u32)draw(&r, 100);
    }
    bool right = run_grid(seed, blocks, bank_state{transfer.data(), outcome.data(), balance.data()}, items, accounts,
                          std::vector<ordo_item>(), true);
    for (ordo_u32 i = 0; i < items; i++) {
        right = right && outcome[i] != BANK_OPEN;
        if (outcome[i] == BANK_PAID) {
            expected[transfer[i].from] -= transfer[i].amount;
            expected[transfer[i].to] += transfer[i].amount;
        }
    }
    for (ordo_u32 v = 0; v < accounts; v++) {
        after += balance[v];
        right = right && (long long)balance[v] == expected[v] && expected[v] >= 0;
    }
    if (!right || before != after)
        fprintf(stderr, "seed %llu, %u blocks, %s: %u transfers, %u accounts\n", (unsigned long long)seed, blocks,
                nested_form ? "nested" : "halves", items, accounts);
    return right && before == after;
}
#else
static bool run(ordo_u64 seed)
{
    ordo_u64 r = seed * 7919 + 1;
    const ordo_u32 n = 2 + (ordo_u32)draw(&r, draw(&r, 2) ? 10 : TEST == 3 ? 120 : 50), deep = draw(&r, 2);
    const unsigned blocks = 1 + (unsigned)draw(&r, 5);
    std::vector<ordo_u32> head(2 * n), name(n), named(n), chips(n), rotor(n);
    std::vector<ordo_item> initial;
    for (ordo_u32 v = 0; v < n; v++) {
        name[v] = v;
        chips[v] = TEST == 3 ? n + v : 0;
        for (ordo_u32 i = 0; i < 2; i++) /* a chip gets ahead, or back by less */
            head[2 * v + i] = i && draw(&r, 3) == 0 ? v - (ordo_u32)draw(&r, v < 3 ? v + 1 : 4)
                              : v + 1 + (ordo_u32)draw(&r, deep ? 2 : n) < n
                                  ? v + 1 + (ordo_u32)draw(&r, deep ? 1 : n - v - 1)
                                  : n - 1;
    }
    head[2 * n - 2] = head[2 * n - 1] = ROTOR_KEEPS;
    for (ordo_u32 v = n; v > 1; v--) {
        const ordo_u32 other = (ordo_u32)draw(&r, v), was = name[other];
        name[other] = name[v - 1];
        name[v - 1] = was;
    }
    for (ordo_u32 v = 0; v < n; v++)
        named[name[v]] = v;
    for (ordo_u64 i = 1 + draw(&r, 4); i > 0; i--) {
        const ordo_u32 v = (ordo_u32)draw(&r, n);
        chips[v] = TEST == 3 ? v : chips[v] + 1 + (ordo_u32)draw(&r, deep ? 4 : 40);
        initial.push_back(name[v]);
    }
    std::vector<ordo_u32> end = chips, turns = rotor;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u32 v = 0; v < n; v++)
            while (head[2 * v] != ROTOR_KEEPS && (TEST != 3 ? end[v] > 0 : turns[v] != end[v] + 1)) {
                changed = true;
#if TEST == 3
                turns[v] = end[v] + 1;
                for (int i = 0; i < 2; i++)
                    if (end[v] < end[head[2 * v + i]] && end[v] < n)
                        end[head[2 * v + i]] = end[v];
#else
                end[v]--;
                end[head[2 * v + turns[v]++ % 2]]++;
#endif
            }
    }
    const bool right =
        run_grid(seed, blocks, rotor_state{head.data(), name.data(), named.data(), chips.data(), rotor.data()}, n, n,
                 initial, false);
    if (right && chips == end && (TEST == 3 || rotor == turns))
        return true;
    fprintf(stderr, "seed %llu, %u blocks, %s: %u vertices: another end\n", (unsigned long long)seed, blocks,
            nested_form ? "nested" : "halves", n);
    return false;
}
#endif

int main(int argc, char **argv)
{
    const int trials = argc > 1 ? atoi(argv[1]) : 20;
    int failed = 0;
    for (int i = argc > 2 ? atoi(argv[2]) : 0; i < trials; i++) {
        nested_form = TEST != 3 && i % 2;
        failed += !run((ordo_u64)i);
    }
    printf("%d trials, %d failed\n", trials, failed);
    return failed > 0;
}
