/* induced.c -- graphs on listed vertices of a graph: the subgraph induced by some of them, or all in another order.
 *
 * Problem: a sample of a large graph (a component, a ball, random vertices) as a separate graph; a graph whose vertices
 * are renumbered so that those of a part follow each other.
 *
 * Method: vertex i of the new graph is the i-th of the list, and no edge list is made. Blocks of new vertices count the
 * edges that stay, in parallel; sums over blocks give every block its first edge; then each block writes its rows.
 * Where the list ascends, rows that are sorted stay sorted; else each row is sorted when it is written. The result does
 * not depend on which thread takes which block. Beside the result it needs two words for each vertex (its new number,
 * the list).
 *
 * Not done: subgraphs by edges; a view that copies nothing.
 */
#include "graph.h"
#include "rows.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 4096 };

typedef struct inducing {
    const ordo_csr *from;
    const ordo_vertex_data *data;
    const ordo_vid *names; /* [count] the old numbers, each once */
    ordo_u64 count;
    bool ascends;     /* the list does */
    ordo_vid *number; /* [from->n]: its new number, or ORDO_NO_VERTEX */
    ordo_u64 *edges;  /* [block_count] kept in this block; after the sums: kept before this block */
    ordo_u64 block_count;
    ordo_csr to;
    ordo_i32 *coordinate; /* of the kept vertices; each of the three may be NULL */
    ordo_u32 *weight, *size;
    ordo_shared next;
    ordo_phase phase; /* counts blocks */
    int failed;       /* atomic: no memory to sort rows */
} inducing;

/* The next block that no thread has taken; false where all are. */
static bool next_block(inducing *p, ordo_u64 *block, ordo_u64 *begin, ordo_u64 *end)
{
    *block = ordo_take_next(&p->next, 1);
    *begin = *block * BLOCK;
    *end = *begin + BLOCK < p->count ? *begin + BLOCK : p->count;
    return *block < p->block_count && !ordo_phase_step(&p->phase, 1);
}

static void number_vertices(void *arg, int member)
{
    inducing *p = arg;
    (void)member;
    const ordo_vertex_data *data = p->data;
    for (ordo_u64 block, begin, end; next_block(p, &block, &begin, &end);)
        for (ordo_u64 i = begin; i < end; i++) {
            const ordo_u64 u = p->names[i];
            p->number[u] = (ordo_vid)i;
            if (p->coordinate)
                memcpy(p->coordinate + 2 * i, data->coordinate + 2 * u, 2 * sizeof *p->coordinate);
            if (p->weight)
                memcpy(p->weight + data->weights * i, data->weight + data->weights * u,
                       data->weights * sizeof *p->weight);
            if (p->size)
                p->size[i] = data->size[u];
        }
}

static void count_blocks(void *arg, int member)
{
    inducing *p = arg;
    (void)member;
    const ordo_csr *g = p->from;
    const bool all = p->count == g->n;
    for (ordo_u64 block, begin, end; next_block(p, &block, &begin, &end);) {
        ordo_u64 edges = 0;
        for (ordo_u64 i = begin; i < end; i++) {
            const ordo_vid u = p->names[i];
            if (all)
                edges += g->row[u + 1] - g->row[u];
            for (ordo_eid e = g->row[u]; e < g->row[u + 1] && !all; e++)
                edges += p->number[g->head[e * g->stride]] != ORDO_NO_VERTEX;
        }
        p->edges[block] = edges;
    }
}

static void write_rows(void *arg, int member)
{
    inducing *p = arg;
    (void)member;
    const ordo_csr *g = p->from, *to = &p->to;
    ordo_eid *row = (ordo_eid *)(size_t)to->row;
    ordo_vid *head = (ordo_vid *)(size_t)to->head;
    ordo_scratch scratch = {NULL, 0};
    for (ordo_u64 block, begin, end; next_block(p, &block, &begin, &end);) {
        ordo_eid at = p->edges[block];
        for (ordo_u64 i = begin; i < end; i++) {
            const ordo_vid u = p->names[i];
            row[i] = at;
            for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
                ordo_vid v = p->number[g->head[e * g->stride]];
                if (v == ORDO_NO_VERTEX)
                    continue;
                head[at * to->stride] = v;
                if (to->stride > 1)
                    ordo_put_word(head + at * to->stride, to->stride - 1, ordo_csr_word(g, e));
                at++;
            }
            if (!p->ascends && !ordo_row_sort(head, to->stride, row[i], at, &scratch))
                __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
        }
    }
    ordo_free(scratch.block);
}

/* Replaces the counts of blocks by prefix sums; returns the total. */
static ordo_u64 add_up(inducing *p)
{
    ordo_u64 total = 0;
    for (ordo_u64 i = 0; i < p->block_count; i++) {
        const ordo_u64 here = p->edges[i];
        p->edges[i] = total;
        total += here;
    }
    return total;
}

static ordo_status run(inducing *p, ordo_team *team, ordo_team_fn *fn)
{
    p->next.next = 0;
    ordo_phase_begin(&p->phase, "transforming", p->block_count);
    ordo_team_run(team, fn, p);
    return ordo_phase_end(&p->phase);
}

/* Allocates, for n vertices, the arrays that the original vertices have. */
static ordo_status alloc_data(inducing *p, ordo_u64 n, ordo_vertex_data *kept)
{
    const ordo_vertex_data *data = p->data;
    if (data->coordinate)
        kept->coordinate = p->coordinate = ordo_alloc(n, 2 * sizeof *p->coordinate);
    if (data->weight)
        kept->weight = p->weight = ordo_alloc(n, data->weights * sizeof *p->weight);
    if (data->size)
        kept->size = p->size = ordo_alloc(n, sizeof *p->size);
    kept->weights = data->weights;
    bool short_of_memory =
        (data->coordinate && !p->coordinate) || (data->weight && !p->weight) || (data->size && !p->size);
    return short_of_memory ? ORDO_ERR_MEMORY : ORDO_OK;
}

static ordo_vid new_number(const inducing *p, ordo_vid v)
{
    return v == ORDO_NO_VERTEX ? v : p->number[v];
}

static ordo_status induce(inducing *p, ordo_team *team, ordo_vertex_data *kept)
{
    p->block_count = (p->count + BLOCK - 1) / BLOCK;
    p->number = ordo_alloc(p->from->n, sizeof *p->number);
    p->edges = ordo_alloc(p->block_count, sizeof *p->edges);
    if (!p->number || !p->edges)
        return ORDO_ERR_MEMORY;
    memset(p->number, 0xff, p->from->n * sizeof *p->number); /* ORDO_NO_VERTEX */
    ordo_status status = alloc_data(p, p->count, kept);
    if (!status)
        status = run(p, team, number_vertices);
    if (!status)
        status = run(p, team, count_blocks);
    if (status)
        return status;
    const ordo_u64 edges = add_up(p);
    status = ordo_csr_alloc(p->count, edges, p->from->weight_type, &p->to);
    if (status)
        return status;
    ((ordo_eid *)(size_t)p->to.row)[p->count] = edges;
    status = run(p, team, write_rows);
    if (!status && p->failed)
        status = ordo_fail(ORDO_ERR_MEMORY, "not enough memory to sort rows of %llu edges", (unsigned long long)edges);
    if (status) {
        ordo_csr_free(&p->to);
        return status;
    }
    kept->source = new_number(p, p->data->source);
    kept->sink = new_number(p, p->data->sink);
    return ORDO_OK;
}

/* The graph on the listed vertices. `format`: what its info calls it; `source` likewise. */
static ordo_status on_listed(const ordo_graph *g, const ordo_vid *names, ordo_u64 count, bool ascends, int threads,
                             const char *source, const char *format, ordo_graph **out)
{
    const double start = ordo_seconds();
    inducing p = {.from = &g->out, .data = &g->vertices, .names = names, .count = count, .ascends = ascends};
    ordo_vertex_data kept = {.source = ORDO_NO_VERTEX, .sink = ORDO_NO_VERTEX};
    ordo_team *team = NULL;
    ordo_status status = ordo_graph_team(threads, p.from->m > p.from->n ? p.from->m : p.from->n, &team);
    if (!status)
        status = induce(&p, team, &kept);
    if (team)
        ordo_team_return(team);
    ordo_free(p.number);
    ordo_free(p.edges);
    if (status) {
        ordo_vertex_data_free(&kept);
        return status;
    }
    ordo_edge_options plain = {0};
    ordo_origin origin = {.source = source, .format = format, .threads = threads, .edges = &plain, .vertices = &kept};
    ordo_graph_info known = {.weights = g->info.weights, .build_seconds = ordo_seconds() - start};
    return ordo_graph_own(&p.to, g->symmetric, &origin, &known, out);
}

ordo_status ordo_graph_induced(const ordo_graph *g, const ordo_u8 *keep, int threads, ordo_vid *names, ordo_graph **out)
{
    if (!g || !keep || !out)
        return ordo_fail(ORDO_ERR_USAGE, "%s is NULL", !g ? "graph" : !keep ? "keep" : "out");
    const ordo_vid n = g->out.n;
    const size_t capacity = strlen(g->info.source) + 64;
    char *source = ordo_alloc(capacity, 1);
    ordo_vid *list = names ? names : ordo_alloc(n, sizeof *list);
    ordo_u64 count = 0;
    ordo_status status = source && list ? ORDO_OK : ORDO_ERR_MEMORY;
    for (ordo_u64 v = 0; v < n && !status; v++)
        if (keep[v])
            list[count++] = (ordo_vid)v;
    if (!status) {
        snprintf(source, capacity, "%s, %llu of %llu vertices", g->info.source, (unsigned long long)count,
                 (unsigned long long)n);
        status = on_listed(g, list, count, true, threads, source, "induced", out);
    }
    ordo_free(source);
    if (list != names)
        ordo_free(list);
    return status;
}

/* That the list has each vertex once. */
static ordo_status check_names(const ordo_vid *names, ordo_vid n)
{
    ordo_u8 *seen = ordo_alloc_zero(n, 1);
    ordo_status status = seen ? ORDO_OK : ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; i < n && !status; i++) {
        if (names[i] >= n || seen[names[i]])
            status = ordo_fail(ORDO_ERR_USAGE, "name %llu: found vertex %u%s, expected each vertex below %u once",
                               (unsigned long long)i, names[i], names[i] < n ? " again" : "", n);
        else
            seen[names[i]] = 1;
    }
    ordo_free(seen);
    return status;
}

ordo_status ordo_graph_renumbered(const ordo_graph *g, const ordo_vid *names, int threads, ordo_graph **out)
{
    if (!g || !names || !out)
        return ordo_fail(ORDO_ERR_USAGE, "%s is NULL", !g ? "graph" : !names ? "names" : "out");
    if (g->part)
        return ordo_fail(ORDO_ERR_USAGE, "found one rank's part of a graph, expected all edges to renumber");
    const ordo_status status = check_names(names, g->out.n);
    return status ? status : on_listed(g, names, g->out.n, false, threads, g->info.source, "renumbered", out);
}
