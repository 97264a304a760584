/* network.cu -- the residual network that the device makes is the one that the host makes, word by word. Built for a
 * GPU, and with fake_runtime.cc for machines without one.
 *
 *   network             families of small networks, with every layout of capacities
 *   network SCALE       one of 2^SCALE vertices and 8 times as many edges, with times of both
 */
#include "apps/network_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "framework/run/clock.h"

/* What network.c calls of another file of the apps. */
extern "C" const char *ordo_type_text(ordo_type type)
{
    return type == ORDO_NONE ? "none" : "some";
}

extern "C" ordo_status ordo_for_ranges(int threads, ordo_u64 count, ordo_u64 grain,
                                       void (*fn)(void *, ordo_u64, ordo_u64), void *arg)
{
    (void)threads;
    (void)grain;
    fn(arg, 0, count);
    return ORDO_OK;
}

static ordo_u64 state = 1;

static ordo_u32 draw(ordo_u64 below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (ordo_u32)((state >> 33) * below >> 31);
}

enum { INFINITE = 77, LAYOUTS = 3, SINK = 1 };

/* A list of edges with capacities; the graph of it, and its rows on the device. */
typedef struct trial {
    std::vector<ordo_vid> tail, head;
    std::vector<ordo_u64> capacity;
    ordo_u32 n;
    ordo_graph *graph;
    ordo_cuda_rows rows;
    std::vector<ordo_u32> words; /* of weights */
} trial;

static void add(trial *t, ordo_u32 u, ordo_u32 v, ordo_u64 capacity)
{
    t->tail.push_back(u);
    t->head.push_back(v);
    t->capacity.push_back(capacity);
}

static const char *const families[] = {
    "two vertices", "loops and no capacity", "pairs", "parallel", "from a hub", "to a hub", "both ways", "random",
    "short rows"};
enum { FAMILIES = sizeof families / sizeof families[0] };

static void fill(trial *t, int family, ordo_u32 n)
{
    *t = trial{};
    t->n = family ? n : 2;
    for (ordo_u32 u = 0; u < t->n; u++) {
        const ordo_u32 next = (u + 1) % t->n, hub = t->n / 2;
        switch (family) {
        case 1:
            add(t, u, u, 5), add(t, u, next, 0), add(t, next, u, draw(2));
            break;
        case 2:
            add(t, u, next, draw(9)), add(t, next, u, draw(9)), add(t, u, next, 4);
            break;
        case 3:
            for (int i = 0; i < 6; i++)
                add(t, u, (u + draw(3)) % t->n, draw(3));
            break;
        case 4:
            add(t, hub, u, draw(5)), add(t, u, next, 1);
            break;
        case 5:
            add(t, u, hub, draw(5)), add(t, next, u, 1);
            break;
        case 6:
            for (int i = 0; i < 3; i++) {
                const ordo_u32 v = draw(t->n), capacity = 1 + draw(20);
                add(t, u, v, capacity), add(t, v, u, capacity);
            }
            break;
        case 7:
            for (ordo_u32 i = draw(40); i > 0; i--)
                add(t, u, draw(t->n), draw(100));
            break;
        default:
            for (ordo_u32 i = draw(4); i > 0; i--)
                add(t, u, draw(t->n), draw(100));
        }
    }
}

static void *sent(const void *from, size_t bytes)
{
    void *to = NULL;
    if (cudaMalloc(&to, bytes ? bytes : 1) != cudaSuccess ||
        cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice) != cudaSuccess)
        exit(3);
    return to;
}

/* The rows of the graph on the device, as the back end has them. */
static ordo_cuda_rows rows_on_device(const ordo_csr *g)
{
    const bool wide = g->weight_type == ORDO_I64, narrow = g->weight_type != ORDO_NONE && !wide;
    std::vector<ordo_u32> edge;
    std::vector<ordo_u64> weight;
    for (ordo_eid e = 0; e < g->m; e++) {
        edge.push_back(g->head[e * g->stride]);
        if (narrow)
            edge.push_back(((const ordo_u32 *)g->weight)[e * g->stride]);
        ordo_u64 word = 0;
        if (wide)
            memcpy(&word, ordo_csr_weight_at(g, e), sizeof word);
        weight.push_back(word);
    }
    ordo_cuda_rows rows = {};
    rows.n = g->n;
    rows.m = g->m;
    rows.stride = narrow ? 2 : 1;
    rows.row = (const ordo_u64 *)sent(g->row, (g->n + 1ull) * sizeof *g->row);
    rows.edge = (const ordo_u32 *)sent(edge.data(), edge.size() * sizeof(ordo_u32));
    rows.wide = wide ? (const ordo_u64 *)sent(weight.data(), weight.size() * sizeof(ordo_u64)) : NULL;
    return rows;
}

/* Layout 0: no capacities, 1: of four bytes, 2: of eight. */
static bool make(trial *t, int layout, bool symmetric)
{
    for (const ordo_u64 capacity : t->capacity) {
        t->words.push_back((ordo_u32)capacity);
        if (layout == 2)
            t->words.push_back(0);
    }
    ordo_edge_arrays arrays = {};
    arrays.n = t->n;
    arrays.count = t->head.size();
    arrays.tail = t->tail.data();
    arrays.head = t->head.data();
    arrays.weight_type = layout == 0 ? ORDO_NONE : layout == 1 ? ORDO_U32 : ORDO_I64;
    arrays.weight = layout ? t->words.data() : NULL;
    arrays.edges.weight_type = layout == 2 ? ORDO_I64 : ORDO_NONE;
    arrays.edges.direction = symmetric ? ORDO_SYMMETRISE : ORDO_AS_STORED;
    if (ordo_graph_from_arrays(&arrays, &t->graph)) {
        printf("FAILED: %s\n", ordo_last_error());
        return false;
    }
    t->rows = rows_on_device(ordo_graph_out(t->graph));
    return true;
}

static void drop(trial *t)
{
    cudaFree((void *)t->rows.row);
    cudaFree((void *)t->rows.edge);
    cudaFree((void *)t->rows.wide);
    ordo_graph_free(t->graph);
}

/* Whether what is on the device, with the source's edges saturated, is the host's network. */
static bool is_network(const ordo_network *net, ordo_network_made made)
{
    const ordo_u32 n = net->n, edges = net->row[n];
    std::vector<ordo_u32> row(n + 1ull);
    std::vector<ordo_u64> excess(n);
    std::vector<discharge_edge> edge(edges);
    if (!made.edge || made.edges != edges)
        return false;
    ordo_u64 *const there = (ordo_u64 *)sent(excess.data(), n * sizeof(ordo_u64));
    ordo_network_saturate(net, made, there);
    const bool read =
        cudaMemcpy(row.data(), made.row, row.size() * sizeof(ordo_u32), cudaMemcpyDeviceToHost) == cudaSuccess &&
        cudaMemcpy(edge.data(), made.edge, edges * sizeof *made.edge, cudaMemcpyDeviceToHost) == cudaSuccess &&
        cudaMemcpy(excess.data(), there, n * sizeof(ordo_u64), cudaMemcpyDeviceToHost) == cudaSuccess;
    cudaFree(there);
    return read && !memcmp(row.data(), net->row, row.size() * sizeof(ordo_u32)) &&
           !memcmp(edge.data(), net->edge, edges * sizeof *net->edge) &&
           !memcmp(excess.data(), net->excess, n * sizeof(ordo_u64));
}

static bool same(const char *name, trial *t, ordo_u64 declared, bool says)
{
    ordo_network net = {};
    ordo_network_made made = {};
    const ordo_status status = ordo_network_begin(t->graph, 0, SINK, declared, &net);
    if (status == ORDO_ERR_OVERFLOW) /* infinite edges lead from source to sink */
        return true;
    double times[4] = {};
    bool right = !status;
    for (int i = 0; i < 3 && right; i++) {
        cudaFree(made.edge);
        cudaFree(made.row);
        const double start = ordo_seconds();
        right = !ordo_network_on_cuda(&net, t->rows, ordo_graph_symmetric(t->graph), &made);
        times[i] = ordo_seconds() - start;
    }
    const double start = ordo_seconds();
    right = right && !ordo_network_fill(&net, t->graph, 1);
    times[3] = ordo_seconds() - start;
    const char *const why = right ? "another network" : ordo_last_error();
    if (right) {
        ordo_network_start(&net, false);
        right = is_network(&net, made);
    }
    if (!right)
        printf("FAILED: %s, %u vertices, %llu edges, capacities of %s, infinite %llu: %s\n", name, t->n,
               (unsigned long long)t->rows.m,
               t->rows.wide          ? "8 bytes"
               : t->rows.stride == 2 ? "4 bytes"
                                     : "1",
               (unsigned long long)declared, why);
    else if (says)
        printf("%s, %u vertices, %llu edges, %u of the network: host %.1f ms, device %.2f ms, then %.2f and %.2f\n",
               name, t->n, (unsigned long long)t->rows.m, made.edges, 1e3 * times[3], 1e3 * times[0], 1e3 * times[1],
               1e3 * times[2]);
    cudaFree(made.edge);
    cudaFree(made.row);
    if (!status)
        ordo_network_free(&net);
    return right;
}

/* Rows that are not sorted, and rows said to be symmetric that are not, are left to the host. */
static bool leaves(bool symmetric)
{
    static const ordo_eid row[] = {0, 2, 3, 4};
    static const ordo_vid unsorted[] = {2, 1, 0, 0}, lonely[] = {1, 2, 2, 0};
    ordo_csr csr = {};
    trial t = {};
    ordo_network net = {};
    ordo_network_made made = {};
    csr.n = 3;
    csr.m = 4;
    csr.row = row;
    csr.head = symmetric ? lonely : unsorted;
    csr.stride = 1;
    bool right = !ordo_graph_borrow(&csr, symmetric, &t.graph) && !ordo_network_begin(t.graph, 0, SINK, 0, &net);
    if (right) {
        t.rows = rows_on_device(ordo_graph_out(t.graph));
        right = !ordo_network_on_cuda(&net, t.rows, symmetric, &made) && !made.edge && !made.row;
        ordo_network_free(&net);
    }
    drop(&t);
    printf("%s", right ? "" : "FAILED: rows that the host looks at\n");
    return right;
}

int main(int count, char **argument)
{
    static const ordo_u32 sizes[] = {2, 3, 16, 17, 40, 1000};
    int devices = 0, trials = 2, failed = 0;
    trial t;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("skipped: no GPU\n");
        return 77;
    }
    failed += !leaves(false) + !leaves(true);
    for (int family = 0; family < FAMILIES && count == 1; family++)
        for (const ordo_u32 n : sizes)
            for (int how = 0; how < 2 * LAYOUTS; how++) {
                fill(&t, family, n);
                if (!make(&t, how % LAYOUTS, how >= LAYOUTS))
                    return 1;
                failed += !same(families[family], &t, 0, false) + !same(families[family], &t, INFINITE, false) +
                          !same(families[family], &t, 2, false);
                trials += 3;
                drop(&t);
            }
    for (int symmetric = 0; symmetric < 2 && count > 1; symmetric++, trials++) {
        t = trial{};
        t.n = 1u << atoi(argument[1]);
        for (ordo_u64 i = 0; i < 8ull * t.n; i++)
            add(&t, draw(t.n), draw(draw(t.n) + 1ull), 1 + draw(100));
        if (!make(&t, 1, symmetric))
            return 1;
        failed += !same(symmetric ? "both ways" : "directed", &t, 0, true);
        drop(&t);
    }
    printf("%d networks, %d failed\n", trials, failed);
    return failed > 0;
}
