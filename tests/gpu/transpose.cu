/* transpose.cu -- in-rows that the device makes are those that the host makes, word by word. Built for a GPU, and with
 * fake_runtime.cc for machines without one.
 *
 *   transpose             families of small graphs, with every layout of weights, in rows that are not sorted
 *   transpose SCALE       a random graph of 2^SCALE vertices and 16 times as many edges, with times of both
 */
#include "framework/cuda/transpose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include <ordo/arrays.h>

#include "framework/run/clock.h"
#include "tests/gpu/device_arrays.h"

/* Rows, and weights of four or eight bytes; or none. */
typedef struct graph {
    std::vector<ordo_u64> row;
    std::vector<ordo_u32> head;
    std::vector<ordo_u32> word; /* [m] weights, or [2 * m] halves of them */
    ordo_type type;
} graph;

static ordo_u64 state = 1;

static ordo_u32 draw(ordo_u64 below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (ordo_u32)((state >> 33) * below >> 31);
}

static const char *const families[] = {"none",       "alone",      "loops",  "parallel", "into one",
                                       "out of one", "chain back", "random", "sparse"};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* The edges of a family on `n` vertices. Weights number the edges, so that exchanged ones show. */
static graph make(int family, ordo_u32 n, ordo_type type)
{
    graph g;
    g.type = type;
    n = family == 0 ? 0 : family == 1 ? 1 : n;
    g.row.push_back(0);
    for (ordo_u32 v = 0; v < n; v++) {
        const ordo_u32 edges[FAMILIES] = {0, 0, 2, 5, 3, v == n / 2 ? 9 * n : 0, v > 0, draw(9), draw(50) == 0};
        for (ordo_u32 i = 0; i < edges[family]; i++) {
            const ordo_u32 to[FAMILIES] = {0, 0, v, (v + i / 2) % n, n - 1, draw(n), v - 1, draw(n), draw(n)};
            g.head.push_back(to[family]);
        }
        g.row.push_back(g.head.size());
    }
    const ordo_u64 words = type == ORDO_NONE ? 0 : ordo_type_bytes(type) / sizeof(ordo_u32) * g.head.size();
    for (ordo_u64 i = 0; i < words; i++)
        g.word.push_back((ordo_u32)i & 0x3fffffff); /* also a number as a real, and not the least i64 */
    return g;
}

static ordo_u32 words_of(const graph &g)
{
    return g.type == ORDO_NONE ? 0 : (ordo_u32)(ordo_type_bytes(g.type) / sizeof(ordo_u32));
}

/* The out-rows as the back end has them. */
static ordo_cuda_rows rows_on_device(const graph &g)
{
    std::vector<ordo_u32> edge;
    const ordo_u32 words = words_of(g);
    for (ordo_u64 e = 0; e < g.head.size(); e++) {
        edge.push_back(g.head[e]);
        if (words == 1)
            edge.push_back(g.word[e]);
    }
    ordo_cuda_rows rows = {};
    rows.n = (ordo_u32)g.row.size() - 1;
    rows.m = g.head.size();
    rows.stride = words == 1 ? 2 : 1;
    rows.row = sent(g.row);
    rows.edge = sent(edge);
    rows.wide = words == 2 ? (const ordo_u64 *)(const void *)sent(g.word) : NULL;
    return rows;
}

static void drop(const ordo_cuda_rows &rows)
{
    cudaFree((void *)rows.row);
    cudaFree((void *)rows.edge);
    cudaFree((void *)rows.wide);
}

/* Words in which the in-rows of the device and of the host differ. */
static ordo_u64 differences(const graph &g, const ordo_cuda_rows &in, const ordo_csr *host)
{
    const ordo_u32 words = words_of(g);
    const std::vector<ordo_u64> row = back(in.row, in.n + 1ull);
    const std::vector<ordo_u32> edge = back(in.edge, in.m * in.stride);
    const std::vector<ordo_u32> wide = back((const ordo_u32 *)(const void *)in.wide, words == 2 ? 2 * in.m : 0);
    ordo_u64 wrong = in.n != host->n || in.m != host->m;
    for (ordo_u64 v = 0; v <= in.n && !wrong; v++)
        wrong += row[v] != host->row[v];
    for (ordo_u64 e = 0; e < host->m && !wrong; e++) {
        wrong += edge[e * in.stride] != host->head[e * host->stride];
        const void *weight = words ? ordo_csr_weight_at(host, e) : NULL;
        wrong += words == 1 && memcmp(&edge[2 * e + 1], weight, sizeof(ordo_u32));
        wrong += words == 2 && memcmp(&wide[2 * e], weight, sizeof(ordo_u64));
    }
    return wrong;
}

/* Whether both are the same; says so with times. */
static bool same(const char *name, const graph &g, bool says)
{
    ordo_row_arrays arrays = {};
    arrays.n = g.row.size() - 1;
    arrays.m = g.head.size();
    arrays.row = g.row.data();
    arrays.head = g.head.data();
    arrays.weight_type = g.type;
    arrays.weight = g.type == ORDO_NONE ? NULL : g.word.data();
    ordo_graph *host = NULL;
    const ordo_csr *in = NULL;
    if (ordo_graph_borrow_arrays(&arrays, &host)) {
        printf("FAILED: %s: %s\n", name, ordo_last_error());
        return false;
    }
    const double start = ordo_seconds();
    bool right = !ordo_graph_in(host, 0, &in);
    const double made = ordo_seconds();
    const ordo_cuda_rows out = rows_on_device(g);
    ordo_cuda_rows turned = {};
    ordo_u64 bytes = 0;
    double took[3] = {};
    for (int i = 0; i < 3 && right; i++) { /* the first also loads the kernels */
        drop(turned);
        const double before = ordo_seconds();
        right = !ordo_cuda_transpose_bytes(out, &bytes) && !ordo_cuda_transpose(out, &turned);
        took[i] = ordo_seconds() - before;
    }
    const ordo_u64 wrong = right ? differences(g, turned, in) : 1;
    if (wrong)
        printf("FAILED: %s, %llu vertices, %llu edges, weights of %u words: %s\n", name, (unsigned long long)arrays.n,
               (unsigned long long)arrays.m, words_of(g), right ? "other rows" : ordo_last_error());
    else if (says)
        printf("%s, %llu vertices, %llu edges, weights of %u words: host %.1f ms, device %.2f ms, then %.2f and %.2f, "
               "%llu bytes\n",
               name, (unsigned long long)arrays.n, (unsigned long long)arrays.m, words_of(g), 1e3 * (made - start),
               1e3 * took[0], 1e3 * took[1], 1e3 * took[2], (unsigned long long)bytes);
    drop(turned);
    drop(out);
    ordo_graph_free(host);
    return wrong == 0;
}

static graph make_random(ordo_u64 n, ordo_type type)
{
    graph g;
    g.type = type;
    g.row.resize(n + 1);
    g.head.resize(16 * n);
    g.word.resize(type == ORDO_NONE ? 0 : ordo_type_bytes(type) / sizeof(ordo_u32) * g.head.size());
    for (ordo_u64 v = 0; v <= n; v++)
        g.row[v] = 16 * v;
    for (ordo_u32 &head : g.head)
        head = draw(draw(n) + 1ull); /* low numbers have more */
    for (ordo_u64 i = 0; i < g.word.size(); i++)
        g.word[i] = (ordo_u32)i & 0x3fffffff;
    return g;
}

int main(int count, char **argument)
{
    static const ordo_type types[] = {ORDO_NONE, ORDO_U32, ORDO_I64};
    static const ordo_u32 sizes[] = {1, 2, 255, 256, 257, 3000, 70000};
    int devices = 0, graphs = 0, failed = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("skipped: no GPU\n");
        return 77;
    }
    for (const ordo_type type : types) {
        for (int family = 0; count == 1 && family < FAMILIES; family++)
            for (const ordo_u32 n : sizes)
                failed += !same(families[family], make(family, n, type), false), graphs++;
        if (count > 1)
            failed += !same("random", make_random(1ull << atoi(argument[1]), type), true), graphs++;
    }
    printf("%d graphs, %d failed\n", graphs, failed);
    return failed > 0;
}
