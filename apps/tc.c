/* tc.c -- the app of triangles: a native program (tc.cu on a GPU), or under a named scheduler a run of operators/tc.h.
 * operators/tc.h.
 *
 * The program orients the graph (oriented.h). Then for each vertex u of a row N(u) it marks the heads of that row in a
 * bitmap of ranks, and looks up the heads of N(v) for each v of N(u): a bit that is set is a triangle, found once. A
 * lookup has no branch that depends on the graph, which merging two rows has. [Latapy 2008, with marks instead of
 * merging]
 *
 * Where triangles at each vertex are asked for, marks are counters: they collect what the triangles of u add to the
 * vertices of its row, and are added up once for each edge.
 *
 * A run of the operator expects ids that ascend with degrees and rows in order, in which each edge is stored once: such
 * a graph is made first, in preparation. It counts at one corner only, so it does not give triangles at vertices.
 *
 * Directions, loops and parallel edges do not matter: where there are any, a simple copy is made first (simple.h).
 */
#include "apps/tc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/operator/operator.h>

#include "apps/common.h"
#include "apps/oriented.h"
#include "apps/runs.h"
#include "apps/simple.h"
#include "operators/tc.h"

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("tc");
}

/* ---- the native program ---- */

enum { CHUNK = 64 /* rows at once */, AHEAD = 4 /* rows that are loaded before they are looked up */ };

typedef struct counting {
    ordo_job *job;
    ordo_oriented graph;
    bool corners;
    ordo_u64 **mark;  /* [members] a bit for each rank */
    ordo_u32 **hits;  /* [members][n] with corners: 0 for a vertex not in the row, else 1 and triangles */
    ordo_u64 *corner; /* [n] by rank, with corners; atomic */
    ordo_u64 next;    /* atomic: the first row that no member has taken */
    ordo_u64 found;   /* atomic */
} counting;

/* How many heads of edges begin .. end - 1 are marked. */
static inline ordo_u64 look_up(const ordo_u64 *mark, const ordo_vid *head, ordo_eid begin, ordo_eid end,
                               ordo_u32 stride)
{
    ordo_u64 found = 0;
    for (ordo_eid e = begin; e < end; e++) {
        const ordo_vid w = head[e * stride];
        found += mark[w / 64] >> w % 64 & 1;
    }
    return found;
}

/* The first edge of a row in order of heads whose head is at least `least`. */
static inline ordo_eid first_from(const ordo_vid *head, ordo_oriented_row row, ordo_vid least, ordo_u32 stride)
{
    enum { STEP = 4 };
    ordo_eid e = row.begin;
    while (e + STEP <= row.end && head[(e + STEP - 1) * stride] < least)
        e += STEP;
    return e;
}

/* The triangles of which u is the corner of highest rank. */
static inline ordo_u64 count_row(const ordo_oriented *g, ordo_u64 *mark, ordo_oriented_row u, ordo_u32 stride,
                                 ordo_u64 *looked)
{
    ordo_u64 found = 0, edges = 0;
    const ordo_vid least = g->by_degree ? 0 : g->head[u.begin * stride];
    for (ordo_eid e = u.begin; e < u.end; e++) {
        const ordo_vid v = g->head[e * stride];
        __builtin_prefetch(&g->begin[v]);
        __builtin_prefetch(&g->count[v]);
        mark[v / 64] |= (ordo_u64)1 << v % 64;
    }
    for (ordo_eid e = u.begin; e < u.end && e < u.begin + AHEAD; e++)
        __builtin_prefetch(&g->head[g->begin[g->head[e * stride]] * stride]);
    for (ordo_eid e = u.begin; e < u.end; e++) {
        const ordo_oriented_row v = ordo_oriented_at(g, g->head[e * stride]);
        if (e + AHEAD < u.end)
            __builtin_prefetch(&g->head[g->begin[g->head[(e + AHEAD) * stride]] * stride]);
        const ordo_eid from = least ? first_from(g->head, v, least, stride) : v.begin;
        found += look_up(mark, g->head, from, v.end, stride);
        edges += v.end - from;
    }
    for (ordo_eid e = u.begin; e < u.end; e++)
        mark[g->head[e * stride] / 64] = 0;
    *looked += edges;
    return found;
}

/* The same, and adds up the corners. The triangles with an edge u, v are as many as lookups in N(v) find; a head that
 * is found has one more as its third corner. */
static ordo_u64 count_corners(const counting *c, ordo_u32 *hits, ordo_u64 rank, ordo_u64 *looked)
{
    const ordo_oriented *g = &c->graph;
    const ordo_oriented_row u = ordo_oriented_at(g, rank);
    const ordo_u32 stride = g->stride;
    ordo_u64 found = 0;
    for (ordo_eid e = u.begin; e < u.end; e++)
        hits[g->head[e * stride]] = 1;
    for (ordo_eid e = u.begin; e < u.end; e++) {
        const ordo_vid v = g->head[e * stride];
        const ordo_oriented_row row = ordo_oriented_at(g, v);
        ordo_u32 here = 0;
        for (ordo_eid i = row.begin; i < row.end; i++) {
            const ordo_u32 there = hits[g->head[i * stride]] != 0;
            hits[g->head[i * stride]] += there;
            here += there;
        }
        hits[v] += here;
        found += here;
        *looked += row.end - row.begin;
    }
    for (ordo_eid e = u.begin; e < u.end; e++) {
        const ordo_vid v = g->head[e * stride];
        if (hits[v] > 1)
            ordo_add_u64(&c->corner[v], hits[v] - 1);
        hits[v] = 0;
    }
    if (found)
        ordo_add_u64(&c->corner[rank], found);
    return found;
}

static ordo_u64 count_rows(counting *c, int member, ordo_u64 begin, ordo_u64 end, ordo_u64 *looked)
{
    const ordo_oriented *g = &c->graph;
    ordo_u64 found = 0;
    for (ordo_u64 u = begin; u < end; u++) {
        const ordo_oriented_row row = ordo_oriented_at(g, u);
        if (row.end - row.begin < 2)
            continue;
        if (c->corners)
            found += count_corners(c, c->hits[member], u, looked);
        else if (g->stride == 1)
            found += count_row(g, c->mark[member], row, 1, looked);
        else
            found += count_row(g, c->mark[member], row, 2, looked);
    }
    return found;
}

static void count_member(void *arg, int member)
{
    counting *c = arg;
    ordo_job *job = c->job;
    ordo_counters *counters = &job->counters[member];
    const ordo_u64 n = c->graph.g->n;
    ordo_u64 found = 0, looked = 0, rows = 0;
    if (member == 0)
        ordo_job_poll(job, n);
    const ordo_status status = ordo_oriented_fill(&c->graph, member);
    if (status)
        ordo_job_fail(job, status);
    while (!c->graph.failed && c->graph.is_simple && !ordo_job_stopped(job)) {
        const ordo_u64 begin = __atomic_fetch_add(&c->next, CHUNK, __ATOMIC_RELAXED);
        if (begin >= n)
            break;
        if (member == 0)
            ordo_job_poll(job, n - begin);
        const ordo_u64 end = n - begin < CHUNK ? n : begin + CHUNK;
        found += count_rows(c, member, begin, end, &looked);
        rows += end - begin;
    }
    ordo_add_u64(&c->found, found);
    counters->items = rows;
    counters->edges = looked;
    counters->useful = found;
}

static ordo_status allocate(counting *c)
{
    const ordo_u64 n = c->graph.g->n;
    const size_t members = (size_t)c->job->threads;
    ordo_status status = ordo_oriented_make(&c->graph);
    c->mark = ordo_alloc_zero(members, sizeof *c->mark);
    c->hits = ordo_alloc_zero(members, sizeof *c->hits);
    if (status || !c->mark || !c->hits)
        return ORDO_ERR_MEMORY;
    for (size_t i = 0; i < members; i++) {
        if (c->corners)
            c->hits[i] = ordo_alloc_zero(n, sizeof **c->hits);
        else
            c->mark[i] = ordo_alloc_zero(n / 64 + 1, sizeof **c->mark);
        if (!c->hits[i] && !c->mark[i])
            return ORDO_ERR_MEMORY;
    }
    if (c->corners)
        c->corner = ordo_alloc_zero(n, sizeof *c->corner);
    return c->corner || !c->corners ? ORDO_OK : ORDO_ERR_MEMORY;
}

static void release(counting *c)
{
    for (int i = 0; i < c->job->threads; i++) {
        if (c->mark)
            ordo_free(c->mark[i]);
        if (c->hits)
            ordo_free(c->hits[i]);
    }
    ordo_free(c->mark);
    ordo_free(c->hits);
    ordo_free(c->corner);
    ordo_oriented_free(&c->graph);
}

static ordo_u64 memory_of(const ordo_csr *g, int members, bool corners)
{
    const ordo_u64 each = corners ? g->n * (ordo_u64)sizeof(ordo_u32) : g->n / 8;
    return ordo_oriented_memory(g, members) + (ordo_u64)members * each + (corners ? g->n * sizeof(ordo_u64) : 0);
}

static ordo_status count_all(ordo_job *job)
{
    const tc_request *request = job->state;
    const long long bytes = (long long)memory_of(job->out, job->threads, request->corners);
    counting c = {.job = job, .graph = {.g = job->out, .team = job->team, .job = job}, .corners = request->corners};
    ordo_status status = allocate(&c);
    if (!status) {
        ordo_job_account(job, bytes);
        ordo_team_run(job->team, count_member, &c);
        ordo_job_account(job, -bytes);
        *request->is_simple = c.graph.is_simple;
        job->supersteps = 2;
    }
    ordo_u64 *cell = job->cells;
    if (!status && request->corners) {
        *request->triangles = c.found;
        for (ordo_u64 v = 0; v < job->out->n; v++)
            cell[v] = c.corner[c.graph.rank ? c.graph.rank[v] : v];
    } else if (!status)
        *cell = c.found;
    release(&c);
    return status;
}

static const ordo_program program = {
    .name = "tc", .summary = "marks of a row, looked up by the rows of its heads", .run = count_all, .on_cuda = true};

/* ---- the app ---- */

/* What is known of the degrees of a simple graph. */
static void count_wedges(const ordo_csr *g, ordo_triangles_found *found)
{
    found->wedges = 0;
    for (ordo_u64 v = 0; v < g->n; v++) {
        const ordo_u64 degree = g->row[v + 1] - g->row[v];
        found->wedges += degree ? degree * (degree - 1) / 2 : 0;
    }
}

/* The mean of the vertices' coefficients; in order of ids, so that it is the same in every run. */
static double mean_clustering(const ordo_csr *g, const ordo_u64 *corner)
{
    double sum = 0;
    for (ordo_u64 v = 0; v < g->n; v++) {
        const double degree = (double)(g->row[v + 1] - g->row[v]);
        sum += degree > 1 ? 2 * (double)corner[v] / (degree * (degree - 1)) : 0;
    }
    return g->n ? sum / g->n : 0;
}

typedef struct query {
    ordo_options options;
    ordo_stats *stats;
    ordo_u64 *corner; /* [n] or NULL */
    ordo_triangles_found *found;
} query;

/* Runs the program; *is_simple is false where it has counted nothing. */
static ordo_status run_program(const query *q, const ordo_graph *g, bool *is_simple)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    ordo_u64 triangles = 0;
    const tc_request request = {q->corner != NULL, &triangles, is_simple};
    const ordo_work work = {.graph = g,
                            .cells = q->corner ? q->corner : &triangles,
                            .state = &request,
                            .num_items = n,
                            .targets = q->corner ? n : 1};
    *is_simple = true;
    const ordo_status status = ordo_program_run(&program, &work, &q->options, q->stats);
    if (!status && !q->corner && triangles == TC_NOT_SIMPLE)
        *is_simple = false;
    q->found->triangles = triangles;
    return status;
}

/* Ranks in ascending order of degrees, and each edge in the row of its lower end. */
typedef struct listing {
    const ordo_csr *g;
    ordo_oriented ranked;
    ordo_edge_entry *list; /* [m], of which half are used where each edge has its reverse */
    ordo_u64 count;        /* atomic */
    ordo_status status;    /* of member 0 */
} listing;

static void rank_member(void *arg, int member)
{
    listing *l = arg;
    const ordo_status status = ordo_oriented_fill(&l->ranked, member);
    if (member == 0)
        l->status = status;
}

static void list_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    listing *l = arg;
    const ordo_oriented *o = &l->ranked;
    const ordo_vid last = o->g->n - 1;
    for (ordo_u64 r = begin; r < end; r++) {
        const ordo_oriented_row row = ordo_oriented_at(o, r);
        ordo_u64 at = __atomic_fetch_add(&l->count, row.end - row.begin, __ATOMIC_RELAXED);
        for (ordo_eid e = row.begin; e < row.end; e++)
            l->list[at++] = (ordo_edge_entry){.tail = last - (ordo_vid)r, .head = last - o->head[e]};
    }
}

static ordo_status ascending_copy(const ordo_graph *g, int threads, ordo_graph **out)
{
    const ordo_csr *rows = ordo_graph_out(g);
    listing l = {.g = rows, .ranked = {.g = rows, .ranks = true}};
    ordo_status status = ordo_team_lease(threads, &l.ranked.team);
    if (status)
        return status;
    status = ordo_oriented_make(&l.ranked);
    if (!status) {
        ordo_team_run(l.ranked.team, rank_member, &l);
        status = l.status;
    }
    ordo_team_return(l.ranked.team);
    if (!status && !(l.list = ordo_alloc(rows->m, sizeof *l.list)))
        status = ORDO_ERR_MEMORY;
    if (!status)
        status = ordo_for_ranges(threads, rows->n, ORDO_GRAIN, list_range, &l);
    ordo_oriented_free(&l.ranked);
    if (!status)
        status = ordo_graph_from_edges(rows->n, l.list, l.count, ORDO_NONE, ORDO_AS_STORED, threads, out);
    ordo_free(l.list);
    return status;
}

/* One run of the operator on a simple graph. */
static ordo_status run_operator(const query *q, const ordo_graph *g)
{
    const double start = ordo_clock();
    ordo_graph *copy = NULL;
    ordo_status status = ascending_copy(g, q->options.threads, &copy);
    if (status)
        return status;
    const ordo_csr *rows = ordo_graph_out(copy);
    ordo_u64 *cells = ordo_alloc(rows->n, sizeof *cells), *count = ordo_alloc_zero(rows->n, sizeof *count);
    const tc_state state = {rows->row, rows->head, count, rows->stride};
    const ordo_work work = ordo_vertex_work(op_for(g), copy, &state, cells, NULL);
    status = cells && count ? ORDO_OK : ORDO_ERR_MEMORY;
    for (ordo_u64 v = 0; v < rows->n && !status; v++)
        cells[v] = TC_OPEN;
    const double prepared = ordo_clock();
    if (!status)
        status = ordo_run(&work, &q->options, q->stats);
    if (q->stats && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT))
        q->stats->prepare_seconds += prepared - start;
    q->found->triangles = 0;
    for (ordo_u64 v = 0; v < rows->n && !status; v++)
        q->found->triangles += cells[v] + count[v];
    ordo_free(cells);
    ordo_free(count);
    ordo_graph_free(copy);
    return status;
}

/* On a simple copy. */
static ordo_status run_on_copy(const query *q, const ordo_graph *g, bool native, ordo_triangles_found *found)
{
    const double start = ordo_clock();
    const ordo_vid n = ordo_graph_out(g)->n;
    ordo_simple s = {0};
    ordo_i32 *neighbours = ordo_alloc(n, sizeof *neighbours);
    ordo_status status = neighbours ? ordo_simple_make(g, q->options.threads, "tc", neighbours, &s) : ORDO_ERR_MEMORY;
    ordo_free(neighbours);
    const double prepared = ordo_clock();
    bool is_simple = true;
    if (!status)
        status = native ? run_program(q, s.graph, &is_simple) : run_operator(q, s.graph);
    if (q->stats && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT))
        q->stats->prepare_seconds += prepared - start;
    if (!status && !is_simple) {
        status = ordo_fail(ORDO_ERR_INTERNAL, "tc: the copy is not simple");
        ordo_stats_free(q->stats);
    }
    if (!status) {
        count_wedges(ordo_graph_out(s.graph), found);
        found->clustering = q->corner ? mean_clustering(ordo_graph_out(s.graph), q->corner) : (double)NAN;
    }
    ordo_simple_free(&s);
    return status;
}

static bool is_native(const ordo_options *options)
{
    return ordo_is_native(options) || ordo_may_be_native(options, true);
}

static ordo_status check(const ordo_graph *g, bool native, bool corners, const ordo_options *options)
{
    const tc_state unused = {0};
    ordo_u64 none = 0;
    if (corners && options->device && !strcmp(options->device, "cuda"))
        return ordo_fail(ORDO_ERR_USAGE, "triangles at each vertex are counted on device 'cpu' alone, found 'cuda'");
    if (native)
        return ordo_program_check(&program, options);
    if (corners)
        return ordo_fail(ORDO_ERR_USAGE, "triangles at each vertex are counted by scheduler 'native' alone, found '%s'",
                         options->scheduler);
    const ordo_work work = ordo_vertex_work(op_for(g), g, &unused, &none, NULL); /* cells are not looked at */
    return ordo_run_check(&work, options);
}

ordo_status ordo_triangles(const ordo_graph *g, const ordo_options *options, ordo_u64 *corner,
                           ordo_triangles_found *found, ordo_stats *stats)
{
    if (!g || !found)
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", g ? "room for the number of triangles" : "graph");
    const bool native = is_native(options);
    query q = {.options = ordo_options_or_auto(options, native ? ORDO_NATIVE : "bsp"),
               .stats = stats,
               .corner = corner,
               .found = found};
    if (native)
        q.options.scheduler = ORDO_NATIVE;
    if (native && corner && q.options.device && !strcmp(q.options.device, "auto"))
        q.options.device = "cpu";
    ordo_status status = check(g, native, corner != NULL, &q.options);
    if (status)
        return status;
    *found = (ordo_triangles_found){.clustering = (double)NAN};
    const double start = ordo_clock();
    bool is_simple = false;
    if (native && ordo_graph_symmetric(g)) {
        status = run_program(&q, g, &is_simple);
        if (status)
            return status;
    }
    const double tried = ordo_clock() - start;
    if (is_simple) {
        count_wedges(ordo_graph_out(g), found);
        found->clustering = corner ? mean_clustering(ordo_graph_out(g), corner) : (double)NAN;
    } else {
        if (native && ordo_graph_symmetric(g))
            ordo_stats_free(stats);
        status = run_on_copy(&q, g, native, found);
        if (!status && stats)
            stats->prepare_seconds += tried;
    }
    if (!status)
        found->transitivity = found->wedges ? 3 * (double)found->triangles / (double)found->wedges : 0;
    if (stats && !status && native && ordo_is_auto(options))
        snprintf(stats->chosen, sizeof stats->chosen, "tc's program, which orders vertices by degree");
    return status;
}

ordo_status ordo_triangles_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                  ordo_u64 *at_most)
{
    const bool native = is_native(options), symmetric = ordo_graph_symmetric(g);
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_options chosen = ordo_options_or_auto(options, native ? ORDO_NATIVE : "bsp");
    ordo_status status = check(g, native, false, &chosen);
    if (status)
        return status;
    ordo_u64 lists, copy = ordo_copy_memory(g, symmetric ? ORDO_AS_STORED : ORDO_SYMMETRISE, &lists);
    ordo_u64 own = memory_of(rows, chosen.threads ? chosen.threads : ordo_cores(), true);
    if (!native) {
        const tc_state unused = {0};
        ordo_u64 none = 0;
        const ordo_work work = ordo_vertex_work(op_for(g), g, &unused, &none, NULL); /* cells are not looked at */
        if ((status = ordo_run_memory(&work, &chosen, expected, at_most)))
            return status;
        own +=
            *at_most + rows->n * 2 * sizeof(ordo_u64) + rows->m * (sizeof(ordo_edge_entry) + sizeof(ordo_vid)) + lists;
    }
    own += ORDO_TRACE_MAX * sizeof(ordo_sample);
    *expected = symmetric ? own : copy + (own > lists ? own : lists);
    *at_most = 2 * copy + lists + 2 * own;
    return ORDO_OK;
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    const ordo_vid n = ordo_graph_out(input->graph)->n;
    ordo_triangles_found found;
    ordo_status status = ordo_answer_capacity(answer, ORDO_U64, input->want_values ? n : 0, false);
    if (!status)
        status = ordo_triangles(input->graph, options, input->want_values ? answer->values : NULL, &found, stats);
    if (status)
        return status;
    answer->fields[0] = (ordo_field){.name = "triangles", .type = ORDO_U64, .whole = found.triangles};
    answer->fields[1] = (ordo_field){.name = "wedges", .type = ORDO_U64, .whole = found.wedges};
    answer->fields[2] = (ordo_field){.name = "transitivity", .type = ORDO_F32, .real = found.transitivity};
    answer->field_count = 3;
    if (input->want_values)
        answer->fields[answer->field_count++] =
            (ordo_field){.name = "clustering", .type = ORDO_F32, .real = found.clustering};
    return ORDO_OK;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    const ordo_triangles_found found = {.triangles = answer->fields[0].whole,
                                        .wedges = answer->fields[1].whole,
                                        .transitivity = answer->fields[2].real,
                                        .clustering = input->want_values ? answer->fields[3].real : (double)NAN};
    return ordo_triangles_verify(input->graph, input->want_values ? answer->values : NULL, &found, how);
}

extern const ordo_app ordo_app_tc;
const ordo_app ordo_app_tc = {
    .name = "tc",
    .summary = "triangles, in all or at each vertex; directions are not looked at",
    .value_name = "triangles",
    .values_are_wide = true,
    .values_on_request = true,
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_triangles_memory,
    .program = &program,
};
