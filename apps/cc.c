/* cc.c -- the app of connected components: a native program that links vertices (links.h; cc.cu on a GPU), or, under a
 * named scheduler, a head start by linking and then one run of operators/cc.h from all vertices.
 *
 * The head start is the program's first phases. Over several processes each rank makes them for its own rows, and the
 * ranks' forests are then united, so that all ranks begin with the same labels. The root of a vertex is a label that
 * propagation could have given it, so the run starts from these labels, and most edges then change nothing. Without it
 * labels move one edge at a time, and on a road network nearly every vertex improves many times.
 *
 * Labels move along edges, so for a run every edge must have its reverse: for a directed graph a symmetric copy without
 * weights is made first, counted as preparation, and freed afterwards. The program needs no copy.
 *
 * Not done: strong components.
 */
#include "apps/common.h"
#include "apps/links.h"
#include "apps/runs.h"

#include <stdio.h>

#include <ordo/detail/backend.h>
#include <ordo/memory.h>

#include "framework/graph/graph.h"
#include "framework/run/distributed.h"

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("cc");
}

/* ---- linking ---- */

static ordo_links_fn *const PHASE[] = {ordo_links_first, ordo_links_second, ordo_links_compress, ordo_links_rest,
                                       ordo_links_compress};
enum { PHASES = sizeof PHASE / sizeof PHASE[0], HEAD_START = 3 /* phases */ };

typedef struct head_start {
    const ordo_links *links;
    ordo_links_fn *fn; /* the phase */
    ordo_vid first;    /* of the vertices of this rank */
    /* over ranks */
    const ordo_u32 *own; /* [n] the parents that this rank has found */
    ordo_link *joined;   /* [n] */
    ordo_u64 count;      /* atomic: of these */
} head_start;

static void phase_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const head_start *h = arg;
    ordo_links_count count = {0};
    h->fn(h->links, h->first + (ordo_vid)begin, h->first + (ordo_vid)end, &count);
}

static void join_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    head_start *h = arg;
    ordo_links_join(h->links, h->own, (ordo_vid)begin, (ordo_vid)end, h->joined, &h->count);
}

static void add_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const head_start *h = arg;
    ordo_links_add(h->links, h->joined, begin, end);
}

/* The first phases, before a run of the operator, for the vertices first .. end - 1. */
static ordo_status link_rows(head_start *h, ordo_vid end, const ordo_options *options)
{
    ordo_status status = ORDO_OK;
    for (int p = 0; p < HEAD_START && !status; p++) {
        h->fn = PHASE[p];
        status = ordo_for_ranges(options->threads, end - h->first, ORDO_GRAIN, phase_range, h);
    }
    return status;
}

/* Makes one forest of those of all ranks, the same in each rank. Each rank gets the parents that owners have found for
 * their vertices. It links a vertex of another rank with the parent that it has found itself, and sends each pair that
 * joined two trees to all ranks, which link it, too. */
static ordo_status unite_forests(head_start *h, const ordo_options *options)
{
    const ordo_group *const group = options->group;
    const ordo_vid n = h->links->g->n;
    const int rank = ordo_group_rank(group), ranks = ordo_group_size(group);
    ordo_u64 *counts = ordo_alloc((size_t)ranks, sizeof *counts), before = 0, all = 0;
    h->count = 0;
    ordo_status status = ordo_group_gather(group, h->links->parent, h->first, n, sizeof *h->links->parent);
    if (!status)
        status = counts ? ordo_for_ranges(options->threads, n, ORDO_GRAIN, join_range, h) : ORDO_ERR_MEMORY;
    if (!status)
        status = ordo_group_collect(group, &h->count, 1, counts);
    for (int r = 0; !status && r < ranks; r++) {
        before += r < rank ? counts[r] : 0;
        all += counts[r];
    }
    ordo_link *const own = h->joined;
    h->joined = status ? NULL : ordo_alloc((size_t)all, sizeof *h->joined);
    if (!status)
        status = h->joined || !all ? ORDO_OK : ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; !status && i < h->count; i++)
        h->joined[before + i] = own[i];
    if (!status)
        status = ordo_group_gather(group, h->joined, before, all, sizeof *h->joined);
    if (!status)
        status = ordo_for_ranges(options->threads, all, ORDO_GRAIN, add_range, h);
    h->first = 0;
    h->fn = ordo_links_compress;
    if (!status)
        status = ordo_for_ranges(options->threads, n, ORDO_GRAIN, phase_range, h);
    ordo_free(h->joined);
    h->joined = own;
    ordo_free(counts);
    return status;
}

/* Over several processes each rank links the rows of a range of vertices. Heads of others are there, too. */
static ordo_status head_start_over_ranks(const ordo_csr *g, const ordo_options *options, ordo_u32 *component)
{
    const ordo_links links = {.g = g, .parent = component};
    const int rank = ordo_group_rank(options->group), ranks = ordo_group_size(options->group);
    const ordo_vid end = rank + 1 < ranks ? ordo_range_begin(g, rank + 1, ranks) : g->n;
    ordo_u32 *const own = ordo_alloc(g->n, sizeof *own);
    head_start h = {.links = &links,
                    .first = ordo_range_begin(g, rank, ranks),
                    .own = own,
                    .joined = ordo_alloc(g->n, sizeof *h.joined)};
    ordo_status status = own && h.joined ? ordo_fill_ids(options->threads, component, g->n) : ORDO_ERR_MEMORY;
    if (!status)
        status = link_rows(&h, end, options);
    if (!status) {
        memcpy(own, component, (size_t)g->n * sizeof *own);
        status = unite_forests(&h, options);
    }
    ordo_free(own);
    ordo_free(h.joined);
    return status;
}

static ordo_status start_ahead(const ordo_graph *graph, const ordo_options *options, ordo_u32 *component)
{
    const ordo_csr *const g = ordo_graph_out(graph);
    const ordo_links links = {.g = g, .parent = component};
    if (options->group && ordo_group_size(options->group) > 1 && g->n)
        return head_start_over_ranks(g, options, component);
    return link_rows(&(head_start){.links = &links}, g->n, options);
}

/* The native program: all phases. */
typedef struct linking {
    ordo_job *job;
    ordo_links links;
    ordo_u64 next[PHASES]; /* atomic: the first vertex of a phase that no member has taken */
    bool rest;             /* atomic: a member has found vertices outside the largest component */
} linking;

/* Vertices that a member takes at once: few enough that members end about together, and many where that is so, since
 * parents are found within them. */
static ordo_u64 chunk_of(const ordo_job *job)
{
    const ordo_u64 parts = 16, least = 1024, most = 65536, even = job->out->n / (parts * (ordo_u64)job->threads);
    return even < least ? least : even > most ? most : even;
}

/* A member's part of a phase. Returns the number of its vertices. */
static ordo_u64 link_phase(linking *run, int phase, int member, ordo_links_count *count)
{
    ordo_job *job = run->job;
    const ordo_u64 n = run->links.g->n, chunk = chunk_of(job);
    ordo_u64 vertices = 0;
    while (!ordo_job_stopped(job)) {
        const ordo_u64 begin = __atomic_fetch_add(&run->next[phase], chunk, __ATOMIC_RELAXED);
        if (begin >= n)
            break;
        if (member == 0)
            ordo_job_poll(job, n - begin);
        const ordo_u64 end = n - begin < chunk ? n : begin + chunk;
        PHASE[phase](&run->links, (ordo_vid)begin, (ordo_vid)end, count);
        vertices += end - begin;
    }
    return vertices;
}

static void link_member(void *arg, int member)
{
    linking *run = arg;
    ordo_counters *counters = &run->job->counters[member];
    ordo_links_count count = {0};
    ordo_u64 vertices = 0;
    for (int phase = 0; phase < PHASES; phase++) {
        if (phase == HEAD_START) {
            if (member == 0)
                ordo_links_sample(&run->links);
            ordo_team_barrier(run->job->team);
        }
        if (phase > HEAD_START) {
            if (!__atomic_load_n(&run->rest, __ATOMIC_RELAXED))
                break; /* nothing was linked: parents are still roots */
            count.roots = 0;
        }
        const ordo_u64 edges = count.edges;
        vertices = link_phase(run, phase, member, &count);
        if (phase == HEAD_START && count.edges > edges)
            __atomic_store_n(&run->rest, true, __ATOMIC_RELAXED);
        ordo_team_barrier(run->job->team);
    }
    counters->items = vertices;
    counters->edges = count.edges;
    counters->useful = vertices - count.roots; /* every link leaves one root less */
}

static ordo_status link_all(ordo_job *job)
{
    const bool symmetric = ordo_graph_symmetric(ordo_job_graph(job));
    linking run = {.job = job,
                   .links = {.g = job->out, .symmetric = symmetric, .parent = job->cells, .largest = ORDO_NO_VERTEX}};
    ordo_team_run(job->team, link_member, &run);
    job->supersteps = run.rest ? PHASES : PHASES - 1;
    return ORDO_OK;
}

static const ordo_program program = {.name = "cc",
                                     .summary = "trees of linked vertices; most edges are not looked at",
                                     .run = link_all,
                                     .on_cuda = true};

/* ---- the app ---- */

static bool is_native(const ordo_options *options)
{
    return ordo_is_native(options) || ordo_may_be_native(options, true);
}

static ordo_status run_program(const ordo_graph *g, const ordo_options *options, ordo_u32 *component, ordo_stats *stats)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    const ordo_work work = {.graph = g, .cells = component, .num_items = n, .targets = n, .final = true};
    ordo_options chosen = ordo_options_or(options, ORDO_NATIVE);
    chosen.scheduler = ORDO_NATIVE;
    ordo_status status = ordo_program_run(&program, &work, &chosen, stats);
    if (stats && !status && ordo_is_auto(options))
        snprintf(stats->chosen, sizeof stats->chosen, "cc's program, which looks at few of the edges");
    return status;
}

ordo_status ordo_cc(const ordo_graph *g, const ordo_options *options, ordo_u32 *component, ordo_stats *stats)
{
    if (!g || (!component && ordo_graph_out(g)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", g ? "room for components" : "graph");
    if (is_native(options))
        return run_program(g, options, component, stats);
    ordo_options chosen = ordo_options_or_auto(options, "bsp");
    ordo_work work = ordo_vertex_work(op_for(g), g, NULL, component, NULL);
    work.final = true;
    work.nearly_done = true; /* after head_start */
    ordo_status status = ordo_run_check(&work, &chosen);
    if (status)
        return status;

    ordo_graph *copy = NULL;
    double start = ordo_clock();
    if (!ordo_graph_symmetric(g)) {
        status = ordo_copy_rows(g, ORDO_SYMMETRISE, chosen.threads, &copy);
        work.graph = copy;
    }
    double prepared = ordo_clock();
    if (!status)
        status = start_ahead(work.graph, &chosen, component);
    double linked = ordo_clock();
    if (status) {
        ordo_runs_none(stats, status);
        ordo_graph_free(copy);
        return status;
    }
    status = ordo_run(&work, &chosen, stats);
    if (stats && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT)) {
        stats->prepare_seconds += prepared - start;
        stats->run_seconds += linked - prepared;
    }
    ordo_graph_free(copy);
    return status;
}

ordo_status ordo_cc_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    ordo_u32 none = 0;
    if (is_native(options)) {
        *expected = *at_most = ORDO_TRACE_MAX * sizeof(ordo_sample);
        return ordo_program_check(&program, options);
    }
    ordo_options chosen = ordo_options_or_auto(options, "bsp");
    ordo_work work = ordo_vertex_work(op_for(g), g, NULL, &none, NULL); /* cells are not read */
    work.nearly_done = true;
    ordo_status status = ordo_run_memory(&work, &chosen, expected, at_most);
    if (status || ordo_graph_symmetric(g))
        return status;
    ordo_u64 lists, copy = ordo_copy_memory(g, ORDO_SYMMETRISE, &lists);
    *expected = copy + (*expected > lists ? *expected : lists);
    *at_most = copy + (2 * *at_most > lists ? 2 * *at_most : lists);
    return ORDO_OK;
}

typedef struct counting {
    const ordo_u32 *component;
    ordo_u64 roots; /* atomic */
} counting;

static void count_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    counting *c = arg;
    ordo_u64 roots = 0;
    for (ordo_u64 v = begin; v < end; v++)
        roots += c->component[v] == v;
    ordo_add_u64(&c->roots, roots);
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    ordo_status status = ordo_answer_capacity(answer, ORDO_U32, ordo_graph_out(input->graph)->n, false);
    if (!status)
        status = ordo_cc(input->graph, options, answer->values, stats);
    if (status)
        return status;
    counting c = {.component = answer->values};
    status = ordo_for_ranges(options->threads, answer->n, 0, count_range, &c);
    if (!status)
        status = ordo_name_components(input->names, answer->n, answer->values);
    if (status)
        return status;
    answer->fields[0] = (ordo_field){.name = "components", .type = ORDO_U64, .whole = c.roots};
    answer->field_count = 1;
    return ORDO_OK;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    return ordo_cc_verify(input->graph, answer->values, how);
}

extern const ordo_app ordo_app_cc;
const ordo_app ordo_app_cc = {
    .name = "cc",
    .summary = "connected components; of a directed graph the weak ones",
    .value_name = "component",
    .values_are_vertices = true,
    .by_names = true,
    .op = op_for,
    .own_rows_suffice = ordo_own_rows_symmetric,
    .own_rows_cyclic = true,
    .run = run,
    .verify = verify,
    .memory = ordo_cc_memory,
    .program = &program,
};
