/* forests.c -- minimum spanning forests on a GPU against Kruskal's.
 *
 *   forests check DEVICE GRAPHS [SCHEDULER SYNC]
 *       thousands of small graphs, of all families, weights and directions; some large ones
 *   forests time GRAPH REPEATS [SCHEDULER:SYNC[:SETTING] ...]
 *       kernel milliseconds on a file of both directions, median with the spread, and what the host did besides
 *
 * Without a scheduler and a sync a GPU does the whole forest in one run; with them, a run a round. SYNC may be `all`:
 * each that the library offers for mst_u32.
 *
 * Every answer is compared edge by edge: small ones with a Kruskal's of this file, large ones with what the verifier
 * makes of them. Ends with 1 where one is wrong, with 77 where there is no such device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/apps.h>
#include <ordo/detail/backend.h>
#include <ordo/graph.h>

#include "tests/common/families.h"
#include "tests/common/graph_set.h"
#include "tests/common/pairs.h"

static int by_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- Kruskal ---- */

typedef struct ranked {
    long double weight; /* holds every i64 and f64 */
    ordo_eid id;
    ordo_vid u, v;
} ranked;

static int by_rank(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->weight < y->weight || y->weight < x->weight)
        return x->weight < y->weight ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static ordo_vid root_of(ordo_vid *parent, ordo_vid v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

static long double weight_of(const ordo_csr *g, ordo_eid e)
{
    double real;
    if (!g->weight)
        return 1;
    const void *word = ordo_csr_weight_at(g, e);
    switch (g->weight_type) {
    case ORDO_F32:
        return (long double)*(const ordo_f32 *)word;
    case ORDO_F64:
        memcpy(&real, word, sizeof real);
        return (long double)real;
    case ORDO_I64:
        return ordo_get_i64(word);
    case ORDO_I32:
        return *(const ordo_i32 *)word;
    default:
        return *(const ordo_u32 *)word;
    }
}

/* Edges that are not those of the forest; ids ascend. */
static ordo_u64 wrong_edges(const ordo_graph *graph, const ordo_eid *edge, const ordo_forest *f)
{
    const ordo_csr *g = ordo_graph_out(graph);
    const bool twice = ordo_graph_symmetric(graph);
    ranked *list = calloc(g->m + 1, sizeof *list);
    ordo_vid *parent = calloc((size_t)g->n + 1, sizeof *parent);
    unsigned char *taken = calloc(g->m + 1, 1);
    ordo_u64 count = 0, edges = 0, wrong = 0;
    if (!list || !parent || !taken)
        abort();
    for (ordo_vid u = 0; u < g->n; u++) {
        parent[u] = u;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            if (twice ? u < v : u != v)
                list[count++] = (ranked){weight_of(g, e), e, u, v};
        }
    }
    qsort(list, count, sizeof *list, by_rank);
    for (ordo_u64 i = 0; i < count; i++) {
        ordo_vid a = root_of(parent, list[i].u), b = root_of(parent, list[i].v);
        taken[list[i].id] = a != b;
        edges += a != b;
        parent[a] = b;
    }
    for (ordo_u64 i = 0; i < f->edges; i++)
        wrong += edge[i] >= g->m || !taken[edge[i]] || (i && edge[i] <= edge[i - 1]);
    wrong += edges != f->edges || f->trees != g->n - edges;
    free(list);
    free(parent);
    free(taken);
    return wrong;
}

/* ---- checks ---- */

static int checked, failures;
static ordo_options how_to; /* what is the same for all */
enum { SHOWN = 10 };

static void failed(const char *what, const char *why)
{
    if (failures++ < SHOWN)
        printf("FAILED %s: %s\n", what, why);
}

static void check_as_it_is(void *arg, const ordo_graph *g, const char *what, bool small)
{
    const char *device = arg;
    if (!g) {
        failed(what, ordo_last_error());
        return;
    }
    ordo_u64 n = ordo_graph_out(g)->n, bad = 0;
    ordo_eid *edge = calloc(n + 1, sizeof *edge);
    ordo_forest f = {0};
    ordo_stats stats = {0};
    ordo_options options = how_to;
    options.device = device;
    options.timeout = 60;
    ordo_status status = edge ? ordo_mst(g, &options, edge, &f, &stats) : ORDO_ERR_MEMORY;
    if (!status && small)
        bad = wrong_edges(g, edge, &f);
    if (!status && !bad)
        status = ordo_mst_verify(g, edge, &f, ORDO_VERIFY_SERIAL);
    checked++;
    if (!status && !bad && strcmp(stats.backend, device))
        bad = 1;
    if (status || bad) {
        failed(what, status ? ordo_last_error() : "not Kruskal's edges");
    }
    ordo_stats_free(&stats);
    free(edge);
}

/* The same rows with weights of 8 bytes: those of i64 are far apart, those of f64 have all bits, or 20. */
static void check_wide(void *arg, const ordo_graph *graph, const char *what, int how)
{
    const ordo_csr *g = ordo_graph_out(graph);
    ordo_u64 *word = calloc(g->m + 1, sizeof *word);
    ordo_vid *head = calloc(g->m + 1, sizeof *head);
    ordo_graph *wide = NULL;
    char text[128];
    if (!word || !head)
        abort();
    for (ordo_eid e = 0; e < g->m; e++) {
        ordo_u64 r = *(const ordo_u32 *)ordo_csr_weight_at(g, e);
        const ordo_u64 drawn = next_random(&r) >> 12; /* equal where weights are */
        const double real = how == 1 ? ((double)drawn - 0x1p51) / 3 : (double)(drawn >> 32) - 0x1p19;
        const ordo_i64 whole = (ordo_i64)(drawn >> 2) - ((ordo_i64)1 << 49); /* sums fit */
        memcpy(&word[e], how ? (const void *)&real : (const void *)&whole, sizeof word[e]);
        head[e] = g->head[e * g->stride];
    }
    const ordo_csr rows = {.n = g->n,
                           .m = g->m,
                           .row = g->row,
                           .head = head,
                           .weight = word,
                           .stride = 1,
                           .weight_type = how ? ORDO_F64 : ORDO_I64};
    snprintf(text, sizeof text, "%s, as %s", what, how ? "f64" : "i64");
    if (ordo_graph_borrow(&rows, ordo_graph_symmetric(graph), &wide))
        wide = NULL;
    check_as_it_is(arg, wide, text, true);
    ordo_graph_free(wide);
    free(word);
    free(head);
}

static void check(void *arg, const ordo_graph *g, const char *what, bool small)
{
    check_as_it_is(arg, g, what, small);
    if (g && small && ordo_graph_out(g)->weight && checked % 2)
        check_wide(arg, g, what, checked % 3);
}

/* ---- rows that are not what they are said to be ---- */

static void expect(const ordo_csr *csr, const char *device, ordo_status wanted, const char *sentence)
{
    ordo_graph *g = NULL;
    ordo_eid edge[8];
    ordo_forest f;
    ordo_options options = how_to;
    options.device = device;
    options.timeout = 60;
    ordo_status status = ordo_graph_borrow(csr, true, &g);
    status = status ? status : ordo_mst(g, &options, edge, &f, NULL);
    checked++;
    if (status != wanted || (status && !strstr(ordo_last_error(), sentence)) || (!status && wrong_edges(g, edge, &f))) {
        failed(sentence, status ? ordo_last_error() : "another forest, or none was to be");
    }
    ordo_graph_free(g);
}

/* Symmetric rows in the order in which edges were drawn, which is no order of heads; vertex 0 has a third of them. */
static void check_unsorted(const char *device, ordo_vid n, ordo_u64 edges, ordo_vid loops)
{
    ordo_edge_entry *list = calloc(edges, sizeof *list);
    ordo_eid *row = calloc((size_t)n + 2, sizeof *row);
    ordo_vid *head = calloc(2 * edges, sizeof *head);
    ordo_u32 *weight = calloc(2 * edges, sizeof *weight);
    ordo_eid *edge = calloc((size_t)n + 1, sizeof *edge);
    ordo_u64 r = edges;
    ordo_graph *g = NULL;
    ordo_forest f;
    ordo_options options = how_to;
    options.device = device;
    options.timeout = 60;
    if (!list || !row || !head || !weight || !edge)
        abort();
    for (ordo_u64 i = 0; i < edges; i++) {
        const ordo_vid u = i % 3 ? (ordo_vid)(next_random(&r) % n) : 0, v = (ordo_vid)(next_random(&r) % n);
        list[i] = (ordo_edge_entry){u, u == v && u >= loops ? (v + 1) % n : v, (ordo_u32)(next_random(&r) % 9)};
        row[list[i].tail + 2]++;
        row[list[i].head + 2]++;
    }
    for (ordo_vid u = 0; u < n; u++)
        row[u + 2] += row[u + 1];
    for (ordo_u64 i = 0; i < edges; i++)
        for (int end = 0; end < 2; end++) {
            const ordo_eid e = row[(end ? list[i].head : list[i].tail) + 1]++;
            head[e] = end ? list[i].tail : list[i].head;
            weight[e] = list[i].weight;
        }
    const ordo_csr rows = {
        .n = n, .m = 2 * edges, .row = row, .head = head, .weight = weight, .stride = 1, .weight_type = ORDO_U32};
    ordo_status status = ordo_graph_borrow(&rows, true, &g);
    status = status ? status : ordo_mst(g, &options, edge, &f, NULL);
    checked++;
    if (status || wrong_edges(g, edge, &f))
        failed("rows in no order", status ? ordo_last_error() : "not Kruskal's edges");
    ordo_graph_free(g);
    free(list);
    free(row);
    free(head);
    free(weight);
    free(edge);
}

static void check_fault_rows(const char *device)
{
    for (int i = 0; i < 10; i++) { /* few edges a vertex, and many */
        check_unsorted(device, 1000, 900 + 100 * (ordo_u64)i, 0);
        check_unsorted(device, 200, 900 + 400 * (ordo_u64)i, i % 2 ? 200 : 0);
    }
    static const ordo_eid path_row[] = {0, 1, 3, 4}, ring_row[] = {0, 2, 3, 4}, rows4[] = {0, 3, 6, 9, 12};
    static const ordo_vid path[] = {1, 0, 2, 1}, ring[] = {1, 2, 2, 0}, mixed[] = {3, 1, 2, 3, 0, 2, 1, 3, 0, 2, 0, 1};
    static const ordo_u32 unlike[] = {1, 1, 5, 3}, ring_weight[] = {1, 9, 2, 9};
    const ordo_csr path_rows = {
        .n = 3, .m = 4, .row = path_row, .head = path, .weight = unlike, .stride = 1, .weight_type = ORDO_U32};
    expect(&path_rows, device, ORDO_ERR_INPUT, "no reverse of the same weight, in a graph said to be symmetric");
    /* 0 -> 1 -> 2 -> 0, each the lightest of its row: a cycle */
    expect(
        &(ordo_csr){
            .n = 3, .m = 4, .row = ring_row, .head = ring, .weight = ring_weight, .stride = 1, .weight_type = ORDO_U32},
        device, ORDO_ERR_INPUT, "said to be symmetric");
    /* not in order of heads: ids still break ties */
    expect(&(ordo_csr){.n = 4, .m = 12, .row = rows4, .head = mixed, .stride = 1}, device, ORDO_OK, "unsorted rows");
}

static int check_all(const char *device, int graphs)
{
    const ordo_backend *backend;
    char name[ORDO_DEVICE_NAME];
    if (strcmp(device, "cpu") && (ordo_backend_load(device, &backend) || backend->probe(name))) {
        printf("skipped: %s\n", ordo_last_error());
        return 77;
    }
    graph_set_small(graphs, check, (void *)(size_t)device);
    if (graphs > 100)
        graph_set_large(check, (void *)(size_t)device);
    if (strcmp(device, "cpu"))
        check_fault_rows(device);
    printf("%d of %d forests are Kruskal's\n", checked - failures, checked);
    return failures != 0;
}

/* ---- times ---- */

/* "scheduler:sync" and perhaps ":name=value"; NULL: as it is without. Takes the string apart. */
static ordo_options options_of(char *how, const char **setting)
{
    ordo_options o = {.device = "cuda"};
    if (how) {
        o.scheduler = strtok(how, ":");
        o.sync = strtok(NULL, ":");
        if ((*setting = strtok(NULL, "")))
            o.settings = setting;
        o.setting_count = *setting != NULL;
    }
    return o;
}

/* Times of one way, and its forest. */
static ordo_status time_one(const ordo_graph *g, char *how, int repeats, ordo_eid *edge, ordo_forest *f)
{
    enum { MOST = 100 };
    double times[MOST], others[MOST];
    const char *setting = NULL;
    const ordo_options options = options_of(how, &setting);
    ordo_stats stats = {0};
    ordo_status status = ORDO_OK;
    repeats = repeats < 1 ? 1 : repeats > MOST ? MOST : repeats;
    for (int i = -1; i < repeats && !status; i++) { /* the first warms up */
        ordo_stats_free(&stats);
        status = ordo_mst(g, &options, edge, f, &stats);
        if (i >= 0) {
            times[i] = 1e3 * stats.run_seconds;
            others[i] = 1e3 * (stats.prepare_seconds + stats.transfer_seconds);
        }
    }
    if (!status) {
        qsort(times, (size_t)repeats, sizeof *times, by_double);
        qsort(others, (size_t)repeats, sizeof *others, by_double);
        printf("  %-11s %-6s %-12s %9.3f ms (%.3f to %.3f), besides %.0f  steps %llu  edges %llu  weight %llu",
               stats.scheduler, stats.sync, setting ? setting : "", times[repeats / 2], times[0], times[repeats - 1],
               others[repeats / 2], (unsigned long long)stats.supersteps, (unsigned long long)f->edges,
               (unsigned long long)f->weight.u32);
    }
    ordo_stats_free(&stats);
    return status;
}

/* The whole at once, then each way in turn, whose edges must be the same. */
static int time_file(const char *path, int repeats, char **how, int ways)
{
    ordo_graph *g = NULL;
    const ordo_read_options read = {.edges.direction = ORDO_SYMMETRIC};
    if (ordo_graph_read(path, &read, &g)) {
        fprintf(stderr, "%s\n", ordo_last_error());
        return 3;
    }
    const size_t capacity = (size_t)ordo_graph_out(g)->n + 1;
    ordo_eid *edge = calloc(capacity, sizeof *edge), *other = calloc(capacity, sizeof *other);
    ordo_forest f, again;
    int wrong = 0;
    if (!edge || !other)
        abort();
    printf("%s\n", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    if (time_one(g, NULL, repeats, edge, &f) || ordo_mst_verify(g, edge, &f, ORDO_VERIFY_SERIAL)) {
        printf("  %s\n", ordo_last_error());
        wrong = 1;
    } else {
        printf(", as Kruskal's\n");
    }
    for (int i = 0; i < ways && !wrong; i++) {
        if (time_one(g, how[i], repeats, other, &again)) {
            printf("  %s\n", ordo_last_error());
            wrong = 1;
        } else if (again.edges != f.edges || memcmp(edge, other, f.edges * sizeof *edge) != 0) {
            printf(", ANOTHER FOREST\n");
            wrong = 1;
        } else {
            printf(", the same\n");
        }
    }
    free(edge);
    free(other);
    ordo_graph_free(g);
    return wrong;
}

/* Under every sync that the library offers. */
static int check_offered(const char *device, int graphs)
{
    const ordo_scheduler *s = ordo_scheduler_find(how_to.scheduler);
    int failed = 0, offered = 0;
    for (int sync = 1; s && sync < ORDO_SYNCS; sync++)
        if (pair_is_offered(ordo_operator_find("mst_u32"), s, (ordo_sync)sync, device)) {
            how_to.sync = ordo_sync_name((ordo_sync)sync);
            printf("%s:%s: ", s->name, how_to.sync);
            failed |= check_all(device, graphs);
            offered++;
        }
    if (!offered)
        printf("FAILED no sync is offered under %s\n", how_to.scheduler);
    return failed || !offered;
}

int main(int count, char **words)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* what came before a kernel that hangs is wanted, too */
    if (count == 6) {
        how_to.scheduler = words[4];
        how_to.sync = words[5];
    }
    if (count == 6 && !strcmp(words[1], "check") && !strcmp(words[5], "all"))
        return check_offered(words[2], atoi(words[3]));
    if ((count == 4 || count == 6) && !strcmp(words[1], "check"))
        return check_all(words[2], atoi(words[3]));
    if (count >= 4 && !strcmp(words[1], "time"))
        return time_file(words[2], atoi(words[3]), words + 4, count - 4);
    fprintf(stderr, "usage: forests check DEVICE GRAPHS [SCHEDULER SYNC] | "
                    "forests time GRAPH REPEATS [SCHEDULER:SYNC[:SETTING] ...]\n");
    return 2;
}
