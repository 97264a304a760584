/* components.c -- cc's native program against a union-find; kcore's, and PageRank by gathering, against the apps'
 * verification.
 *
 *   components check DEVICE GRAPHS    thousands of small graphs, of all families and directions; some large ones
 *   components cores DEVICE GRAPHS [SCHEDULER SYNC]
 *       the same for core numbers, and for one k-core of every second graph; the app's runs where a scheduler is named
 *   components ranks DEVICE GRAPHS    the same for PageRank, in place and double-buffered
 *   components time DEVICE GRAPH REPEATS [SCHEDULER:SYNC ...]
 *       run milliseconds on a file, median with the spread: of the program, and of runs under these
 *
 * Every label is compared with a serial union-find towards smaller ids. Ends with 1 where one is wrong, with 77 where
 * there is no such device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/apps.h>
#include <ordo/detail/backend.h>

#include "tests/common/graph_set.h"

/* ---- the reference ---- */

static ordo_u32 root_of(ordo_u32 *parent, ordo_u32 v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

/* The smallest id of each vertex' component, [n]. */
static ordo_u32 *labels_of(const ordo_csr *g)
{
    ordo_u32 *parent = calloc((size_t)g->n + 1, sizeof *parent);
    if (!parent)
        abort();
    for (ordo_u32 v = 0; v < g->n; v++)
        parent[v] = v;
    for (ordo_u32 u = 0; u < g->n; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_u32 a = root_of(parent, u), b = root_of(parent, g->head[e * g->stride]);
            parent[a < b ? b : a] = a < b ? a : b;
        }
    for (ordo_u32 v = 0; v < g->n; v++)
        parent[v] = root_of(parent, v);
    return parent;
}

/* ---- checks ---- */

static int checked, failures;

static void failed(const char *what, const char *why)
{
    enum { SHOWN = 10 };
    if (failures++ < SHOWN)
        printf("FAILED %s: %s\n", what, why);
}

static void check(void *arg, const ordo_graph *g, const char *what, bool small)
{
    const ordo_options options = {.device = arg, .scheduler = "native", .timeout = 60, .threads = small ? 4 : 0};
    ordo_stats stats = {0};
    checked++;
    if (!g) {
        failed(what, ordo_last_error());
        return;
    }
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u32 *label = calloc((size_t)rows->n + 1, sizeof *label), *expected = labels_of(rows);
    ordo_u64 roots = 0;
    if (!label)
        abort();
    for (ordo_vid v = 0; v < rows->n; v++)
        roots += expected[v] == v;
    if (ordo_cc(g, &options, label, &stats))
        failed(what, ordo_last_error());
    else if (memcmp(label, expected, rows->n * sizeof *label) != 0)
        failed(what, "another label");
    else if (strcmp(stats.backend, options.device) != 0 || strcmp(stats.scheduler, "native") != 0)
        failed(what, "not run by the program on that device");
    else if (stats.items != rows->n || stats.useful != rows->n - roots)
        failed(what, "counts of items or of links");
    ordo_stats_free(&stats);
    free(label);
    free(expected);
}

/* Core numbers. The options are `arg`. */
static void check_cores(void *arg, const ordo_graph *g, const char *what, bool small)
{
    ordo_options options = *(const ordo_options *)arg;
    const ordo_u32 k = (ordo_u32)(checked % 2 ? checked % 7 : 0);
    ordo_stats stats = {0};
    options.timeout = 60;
    options.threads = small ? 4 : 0;
    checked++;
    if (!g) {
        failed(what, ordo_last_error());
        return;
    }
    ordo_u32 *core = calloc((size_t)ordo_graph_out(g)->n + 1, sizeof *core);
    if (!core)
        abort();
    if (ordo_kcore(g, k, &options, core, &stats))
        failed(what, ordo_last_error());
    else if (ordo_kcore_verify(g, k, core, small ? ORDO_VERIFY_SERIAL : ORDO_VERIFY_AUTO))
        failed(what, ordo_last_error());
    else if (strcmp(stats.backend, options.device) != 0 || strcmp(stats.scheduler, options.scheduler) != 0)
        failed(what, "not run in that way on that device");
    ordo_stats_free(&stats);
    free(core);
}

/* The device is `arg`. The tolerance is one of cells of f32. */
static void check_ranks(void *arg, const ordo_graph *g, const char *what, bool small)
{
    const ordo_options options = {
        .device = arg, .scheduler = checked % 2 ? "bsp" : "topology", .timeout = 60, .threads = small ? 4 : 0};
    ordo_stats stats = {0};
    ordo_ranks ranks;
    checked++;
    if (!g) {
        failed(what, ordo_last_error());
        return;
    }
    double *rank = calloc((size_t)ordo_graph_out(g)->n + 1, sizeof *rank);
    if (!rank)
        abort();
    if (ordo_pagerank(g, 0.85, 1e-6, &options, rank, &ranks, &stats))
        failed(what, ordo_last_error());
    else if (ordo_pagerank_verify(g, 0.85, rank, ranks.error, small ? ORDO_VERIFY_SERIAL : ORDO_VERIFY_AUTO))
        failed(what, ordo_last_error());
    else if (strcmp(stats.backend, options.device) != 0 || strcmp(stats.scheduler, options.scheduler) != 0)
        failed(what, "not run in that way on that device");
    ordo_stats_free(&stats);
    free(rank);
}

static bool is_there(const char *device)
{
    const ordo_backend *backend;
    char name[ORDO_DEVICE_NAME];
    const bool there = !strcmp(device, "cpu") || (!ordo_backend_load(device, &backend) && !backend->probe(name));
    if (!there)
        printf("skipped: %s\n", ordo_last_error());
    return there;
}

/* arg: what `check` is called with. */
static int check_all(const char *device, int graphs, graph_set_fn *check_one, void *arg, const char *right)
{
    if (!is_there(device))
        return 77;
    graph_set_small(graphs, check_one, arg);
    if (graphs > 100)
        graph_set_large(check_one, arg);
    printf("%d of %d graphs have %s\n", checked - failures, checked, right);
    return failures != 0;
}

/* Islands that are joined with the rest by one edge, which is the last of the island's hub and not among the first two
 * of its other end: it is found at the hub alone, by a lane, a warp, or as a piece. Ids of islands are the smaller
 * ones, so the root of the rest changes. */
static void check_bridges(const char *device)
{
    enum { ISLANDS = 60, REST = 4000, MOST = 8 * REST + ISLANDS * 1000 };
    static const ordo_vid leaves[] = {3, 12, 40, 700};
    ordo_edge_entry *list = calloc(MOST, sizeof *list);
    ordo_vid first = 0, begin[ISLANDS + 1];
    ordo_u64 count = 0;
    if (!list)
        abort();
    for (int i = 0; i < ISLANDS; i++) {
        begin[i] = first;
        first += leaves[i % 15 ? i % 3 : 3];
    }
    begin[ISLANDS] = first;
    for (ordo_vid v = 0; v < REST; v++)
        for (ordo_vid k = 1; k <= 8; k++)
            list[count++] = (ordo_edge_entry){first + v, first + (v * k + k) % REST, 1};
    for (int i = 0; i < ISLANDS; i++) {
        const ordo_vid hub = first + REST + (ordo_vid)i;
        for (ordo_vid v = begin[i]; v < begin[i + 1]; v++)
            list[count++] = (ordo_edge_entry){v, hub, 1};
        if (i % 4)
            list[count++] = (ordo_edge_entry){first + REST - 1 - (ordo_vid)i, hub, 1};
    }
    ordo_graph *g = NULL;
    const ordo_status status =
        ordo_graph_from_edges(first + REST + ISLANDS, list, count, ORDO_NONE, ORDO_SYMMETRISE, 1, &g);
    check((void *)(size_t)device, status ? NULL : g, "islands behind one edge", true);
    ordo_graph_free(g);
    free(list);
}

static int check_all_labels(char *device, int graphs)
{
    if (!is_there(device))
        return 77;
    check_bridges(device);
    return check_all(device, graphs, check, device, "the labels of a union-find");
}

/* The same, and graphs with hubs and with rows of four, which are too large for the families, under both schedulers. */
static int check_all_ranks(char *device, int graphs)
{
    static const char *const made[] = {"rmat", "road", "grid"};
    if (!is_there(device))
        return 77;
    for (int i = 0; i < 6; i++) {
        ordo_generate_options o = {.kind = made[i / 2],
                                   .scale = 11,
                                   .degree = 8,
                                   .width = 50,
                                   .height = 60,
                                   .vertices = 3000,
                                   .edges = {.high = 100, .seed = 3}};
        ordo_graph *g = NULL;
        check_ranks(device, ordo_graph_generate(&o, &g) ? NULL : g, made[i / 2], true);
        ordo_graph_free(g);
    }
    return check_all(device, graphs, check_ranks, device, "verified ranks");
}

/* ---- times ---- */

static int by_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* False where it failed or a label is wrong. `how`: "scheduler:sync", taken apart. */
static bool time_one(const ordo_graph *g, const char *device, char *how, int repeats, ordo_u32 *label,
                     const ordo_u32 *expected)
{
    enum { MOST = 100 };
    double times[MOST];
    const ordo_options options = {
        .device = device, .scheduler = strtok(how, ":"), .sync = strtok(NULL, ":"), .timeout = 60};
    ordo_stats stats = {0};
    const ordo_vid n = ordo_graph_out(g)->n;
    bool right = true;
    repeats = repeats < 1 ? 1 : repeats > MOST ? MOST : repeats;
    for (int i = -1; i < repeats && right; i++) { /* the first warms up */
        ordo_stats_free(&stats);
        if (ordo_cc(g, &options, label, &stats)) {
            printf("  %s\n", ordo_last_error());
            return false;
        }
        right = memcmp(label, expected, n * sizeof *label) == 0;
        times[i < 0 ? 0 : i] = 1e3 * stats.run_seconds;
    }
    qsort(times, (size_t)repeats, sizeof *times, by_double);
    printf("  %-11s %-6s %9.4f ms (%.4f to %.4f)  edges %llu, %s\n", stats.scheduler, stats.sync, times[repeats / 2],
           times[0], times[repeats - 1], (unsigned long long)stats.edges, right ? "as union-find" : "WRONG");
    ordo_stats_free(&stats);
    return right;
}

static int time_file(const char *device, const char *path, int repeats, char **how, int ways)
{
    char native[] = "native";
    ordo_graph *g = NULL;
    if (ordo_graph_read(path, NULL, &g)) {
        fprintf(stderr, "%s\n", ordo_last_error());
        return 3;
    }
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u32 *label = calloc((size_t)rows->n + 1, sizeof *label), *expected = labels_of(rows);
    if (!label)
        abort();
    printf("%s: %u vertices, %llu stored edges\n", path, rows->n, (unsigned long long)rows->m);
    bool right = time_one(g, device, native, repeats, label, expected);
    for (int i = 0; i < ways; i++)
        right = time_one(g, device, how[i], repeats, label, expected) && right;
    free(label);
    free(expected);
    ordo_graph_free(g);
    return !right;
}

int main(int count, char **words)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* what came before a kernel that hangs is wanted, too */
    if (count == 4 && !strcmp(words[1], "check"))
        return check_all_labels(words[2], atoi(words[3]));
    if ((count == 4 || count == 6) && !strcmp(words[1], "cores")) {
        ordo_options options = {
            .device = words[2], .scheduler = count == 6 ? words[4] : "native", .sync = count == 6 ? words[5] : NULL};
        return check_all(words[2], atoi(words[3]), check_cores, &options, "verified core numbers");
    }
    if (count == 4 && !strcmp(words[1], "ranks"))
        return check_all_ranks(words[2], atoi(words[3]));
    if (count >= 5 && !strcmp(words[1], "time"))
        return time_file(words[2], words[3], atoi(words[4]), words + 5, count - 5);
    fprintf(stderr,
            "usage: components check DEVICE GRAPHS | components cores DEVICE GRAPHS [SCHEDULER SYNC] |\n"
            "       components ranks DEVICE GRAPHS | components time DEVICE GRAPH REPEATS [SCHEDULER:SYNC ...]\n");
    return 2;
}
