/* figures.c -- the gallery's operators under every scheduler on one generated graph: how much work each does.
 *
 *   gallery_figures NAME|all KIND SIZE THREADS [SETTING ...]
 *
 * KIND and SIZE: a graph of ordo_graph_generate(); SIZE is its scale, or its number of vertices. Settings are those of
 * ordo_options. Prints a line for each operator and scheduler, with the scheduler's default sync; ends with 1 where a
 * run fails, with 2 for wrong use. An operator that needs a symmetric graph is left out on others. With 1 thread the
 * counts are the same in every run, on every machine. Answers are checked by the tests of the gallery, not here.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

#include "operators/gallery/astar.h"
#include "operators/gallery/drivers.h"

extern const ordo_operator reach_operator, reliable_path_operator, astar_operator, min_label_operator;

typedef struct input {
    const ordo_graph *graph;
    const ordo_csr *rows;
    ordo_u64 n;
    ordo_vid source, target; /* the vertex of most edges; the last one that it has a path to */
    ordo_u32 *rank;          /* [n] distinct, at random */
} input;

/* Zeroed. */
static void *array(ordo_u64 count, size_t size)
{
    void *p = calloc(count + 1, size);
    if (!p)
        abort();
    return p;
}

static ordo_status run(const input *in, const ordo_operator *op, void *cells, const void *state,
                       const ordo_item *initial, ordo_u64 count, const ordo_options *options, ordo_stats *total)
{
    const ordo_work work = {.op = op,
                            .graph = in->graph,
                            .cells = cells,
                            .state = state,
                            .num_items = in->n,
                            .targets = in->n,
                            .initial = initial,
                            .initial_count = count};
    const ordo_status status = run_and_add(&work, options, total);
    free(cells);
    return status;
}

static ordo_status run_reach(const input *in, const ordo_options *options, ordo_stats *total)
{
    ordo_u32 *cells = array(in->n, sizeof *cells);
    cells[in->source] = 1;
    return run(in, &reach_operator, cells, NULL, &in->source, 1, options, total);
}

/* Probabilities 0.5 to 1, by a hash of the edge. */
static ordo_status run_reliable_path(const input *in, const ordo_options *options, ordo_stats *total)
{
    const ordo_u64 m = in->rows->m;
    ordo_vid *head = array(m, sizeof *head);
    ordo_f32 *weight = array(m, sizeof *weight), *cells = array(in->n, sizeof *cells);
    for (ordo_eid e = 0; e < m; e++) {
        head[e] = in->rows->head[e * in->rows->stride];
        weight[e] = 1 - (ordo_f32)((e * 0x9e3779b97f4a7c15u) >> 44) * 0x1p-21f;
    }
    const ordo_csr csr = {in->rows->n, m, in->rows->row, head, weight, 1, ORDO_F32};
    ordo_graph *graph;
    ordo_status status = ordo_graph_borrow(&csr, false, &graph);
    cells[in->source] = 1;
    if (status) {
        free(cells);
    } else {
        input other = *in;
        other.graph = graph;
        status = run(&other, &reliable_path_operator, cells, NULL, &in->source, 1, options, total);
        ordo_graph_free(graph);
    }
    free(head);
    free(weight);
    return status;
}

/* Bounds: seven eighths of the distances to the target, on a symmetric graph. */
static ordo_status run_astar(const input *in, const ordo_options *options, ordo_stats *total)
{
    ordo_u32 *bound = array(in->n, sizeof *bound), *cells = array(in->n, sizeof *cells);
    const ordo_options defaults = {.threads = 1};
    ordo_status status = ordo_sssp(in->graph, in->target, INFINITY, &defaults, bound, NULL, NULL);
    for (ordo_u64 v = 0; v < in->n; v++)
        if (bound[v] != ORDO_UNREACHED_U32)
            bound[v] = (ordo_u32)((ordo_u64)bound[v] * 7 / 8);
    memset(cells, 0xff, in->n * sizeof *cells);
    cells[in->source] = 0;
    const astar_state state = {bound, cells, in->target};
    if (status)
        free(cells);
    else
        status = run(in, &astar_operator, cells, &state, &in->source, 1, options, total);
    free(bound);
    return status;
}

static ordo_status run_hop_limited(const input *in, const ordo_options *options, ordo_stats *total)
{
    ordo_u32 *dist = array(in->n, sizeof *dist);
    const ordo_status status = hop_limited_run(in->graph, in->source, 8, options, dist, total);
    free(dist);
    return status;
}

/* Every vertex has a label of its own: components. */
static ordo_status run_min_label(const input *in, const ordo_options *options, ordo_stats *total)
{
    ordo_i32 *cells = array(in->n, sizeof *cells);
    for (ordo_u64 v = 0; v < in->n; v++)
        cells[v] = (ordo_i32)in->rank[v];
    return run(in, &min_label_operator, cells, NULL, NULL, 0, options, total);
}

static const struct figure {
    const char *name;
    ordo_status (*run)(const input *in, const ordo_options *options, ordo_stats *total);
    bool symmetric;
} figures[] = {
    {"reach", run_reach, false},         {"reliable_path", run_reliable_path, false},
    {"astar", run_astar, true},          {"hop_limited", run_hop_limited, false},
    {"min_label", run_min_label, false},
};
enum { FIGURES = sizeof figures / sizeof figures[0] };

static bool is_known(const char *name)
{
    for (int i = 0; i < FIGURES; i++)
        if (!strcmp(name, figures[i].name))
            return true;
    return !strcmp(name, "all");
}

static void find_ranks(input *in)
{
    ordo_u64 r = 1;
    in->rank = array(in->n, sizeof *in->rank);
    for (ordo_u64 v = 0; v < in->n; v++) {
        r = r * 6364136223846793005u + 1442695040888963407u;
        const ordo_u64 other = (r >> 32) % (v + 1);
        in->rank[v] = in->rank[other];
        in->rank[other] = (ordo_u32)v;
    }
    for (ordo_vid u = 0; u < in->n; u++) {
        if (in->rows->row[u + 1] - in->rows->row[u] > in->rows->row[in->source + 1] - in->rows->row[in->source])
            in->source = u;
    }
}

static ordo_status find_target(input *in)
{
    ordo_u32 *level = array(in->n, sizeof *level);
    const ordo_options defaults = {.threads = 1};
    const ordo_status status = ordo_bfs(in->graph, in->source, INFINITY, &defaults, level, NULL, NULL);
    for (ordo_vid v = 0; v < in->n && !status; v++)
        if (level[v] != ORDO_UNREACHED_U32)
            in->target = v;
    free(level);
    return status;
}

static ordo_status print_figure(const struct figure *f, const input *in, const char *scheduler, int threads,
                                const char *const *settings, int count)
{
    const ordo_options options = {
        .scheduler = scheduler, .threads = threads, .settings = settings, .setting_count = (size_t)count};
    ordo_stats total = {.items = 0};
    printf("%-14s %-12s ", f->name, scheduler);
    const ordo_status status = f->run(in, &options, &total);
    if (status == ORDO_ERR_UNSOUND && !strcmp(scheduler, "horizon")) { /* it needs a property that few have */
        printf("left out: %s\n", ordo_last_error());
        return ORDO_OK;
    }
    if (status)
        printf("FAILED: %s\n", ordo_last_error());
    else
        printf("%llu items, %llu edges, %llu supersteps, %.6f s\n", (unsigned long long)total.items,
               (unsigned long long)total.edges, (unsigned long long)total.supersteps, total.run_seconds);
    return status;
}

int main(int argc, char **argv)
{
    char *size_end = NULL, *threads_end = NULL;
    const ordo_u32 size = argc < 5 ? 0 : (ordo_u32)strtoul(argv[3], &size_end, 10);
    const int threads = argc < 5 ? 0 : (int)strtol(argv[4], &threads_end, 10);
    if (argc < 5 || *size_end || *threads_end || !is_known(argv[1])) {
        fprintf(stderr, "usage: gallery_figures NAME|all KIND SIZE THREADS [SETTING ...]\n");
        return 2;
    }
    const bool scaled = !strcmp(argv[2], "rmat") || !strcmp(argv[2], "kron") || !strcmp(argv[2], "urand");
    const ordo_generate_options generate = {.kind = argv[2],
                                            .vertices = scaled ? 0 : size,
                                            .scale = scaled ? size : 0,
                                            .edges = {.low = 1, .high = 255, .seed = 1},
                                            .threads = 1};
    ordo_graph *graph;
    if (ordo_graph_generate(&generate, &graph)) {
        fprintf(stderr, "gallery_figures: %s\n", ordo_last_error());
        return 2;
    }
    input in = {.graph = graph, .rows = ordo_graph_out(graph), .n = ordo_graph_out(graph)->n};
    find_ranks(&in);
    if (in.n == 0 || find_target(&in)) {
        fprintf(stderr, "gallery_figures: %s\n", in.n ? ordo_last_error() : "a graph without vertices");
        return 2;
    }
    printf("%s %u: %llu vertices, %llu edges\n", argv[2], size, (unsigned long long)in.n,
           (unsigned long long)in.rows->m);
    const ordo_scheduler *scheduler[64];
    const size_t schedulers = ordo_schedulers(scheduler, 64);
    int failed = 0, ran = 0;
    for (int i = 0; i < FIGURES; i++)
        for (size_t s = 0; s < schedulers && s < 64; s++) {
            if ((strcmp(argv[1], "all") != 0 && strcmp(argv[1], figures[i].name) != 0) ||
                (figures[i].symmetric && !ordo_graph_symmetric(graph)))
                continue;
            ran++;
            failed += print_figure(&figures[i], &in, scheduler[s]->name, threads, (const char *const *)(argv + 5),
                                   argc - 5) != ORDO_OK;
        }
    free(in.rank);
    ordo_graph_free(graph);
    if (!ran)
        fprintf(stderr, "gallery_figures: '%s' needs a symmetric graph; '%s' is directed\n", argv[1], argv[2]);
    return failed ? 1 : ran ? 0 : 2;
}
