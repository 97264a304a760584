/* induced.c -- the subgraph induced by some of the vertices.
 *
 * Problem: a sample of a large graph (a component, a ball, random vertices) as a separate graph.
 *
 * Method: kept vertices are renumbered in order, so rows that are sorted stay sorted and no edge list is made. Blocks
 * of vertices are counted in parallel (vertices and edges that stay), sums over blocks give every block its first
 * vertex and its first edge, then each block writes its rows. The result does not depend on which
 * thread takes which block. Beside the result it needs one word for each vertex (its new number).
 *
 * Not done: subgraphs by edges; a view that copies nothing.
 */
#include "graph.h"
#include "rows.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 4096 };

typedef struct induced_block {
    ordo_u64 vertices, edges; /* kept in this block; after the sums: kept before this block */
} induced_block;

typedef struct inducing {
    const ordo_csr *from;
    const ordo_u8 *keep;
    const ordo_vertex_data *data;
    ordo_vid *number; /* [from->n]: its new number, or ORDO_NO_VERTEX */
    ordo_vid *names;  /* or NULL */
    induced_block *blocks;
    ordo_u64 block_count;
    ordo_csr to;
    ordo_i32 *coordinate; /* of the kept vertices; each of the three may be NULL */
    ordo_u32 *weight, *size;
    ordo_shared next;
    ordo_phase phase; /* counts blocks */
} inducing;

/* The next block that no thread has taken; false where all are. */
static bool next_block(inducing *p, ordo_u64 *block, ordo_u64 *begin, ordo_u64 *end)
{
    *block = ordo_take_next(&p->next, 1);
    *begin = *block * BLOCK;
    *end = *begin + BLOCK < p->from->n ? *begin + BLOCK : p->from->n;
    return *block < p->block_count && !ordo_phase_step(&p->phase, 1);
}

static void count_blocks(void *arg, int member)
{
    inducing *p = arg;
    (void)member;
    const ordo_csr *g = p->from;
    for (ordo_u64 block, begin, end; next_block(p, &block, &begin, &end);) {
        induced_block b = {0, 0};
        for (ordo_u64 u = begin; u < end; u++) {
            if (!p->keep[u])
                continue;
            b.vertices++;
            for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
                b.edges += p->keep[g->head[e * g->stride]] != 0;
        }
        p->blocks[block] = b;
    }
}

static void number_vertices(void *arg, int member)
{
    inducing *p = arg;
    (void)member;
    const ordo_vertex_data *data = p->data;
    for (ordo_u64 block, begin, end; next_block(p, &block, &begin, &end);) {
        ordo_u64 next = p->blocks[block].vertices;
        for (ordo_u64 u = begin; u < end; u++) {
            p->number[u] = p->keep[u] ? (ordo_vid)next : ORDO_NO_VERTEX;
            if (!p->keep[u])
                continue;
            if (p->names)
                p->names[next] = (ordo_vid)u;
            if (p->coordinate)
                memcpy(p->coordinate + 2 * next, data->coordinate + 2 * u, 2 * sizeof *p->coordinate);
            if (p->weight)
                memcpy(p->weight + data->weights * next, data->weight + data->weights * u,
                       data->weights * sizeof *p->weight);
            if (p->size)
                p->size[next] = data->size[u];
            next++;
        }
    }
}

static void write_rows(void *arg, int member)
{
    inducing *p = arg;
    (void)member;
    const ordo_csr *g = p->from, *to = &p->to;
    ordo_eid *row = (ordo_eid *)(size_t)to->row;
    ordo_vid *head = (ordo_vid *)(size_t)to->head;
    for (ordo_u64 block, begin, end; next_block(p, &block, &begin, &end);) {
        ordo_eid at = p->blocks[block].edges;
        for (ordo_u64 u = begin; u < end; u++) {
            if (p->number[u] == ORDO_NO_VERTEX)
                continue;
            row[p->number[u]] = at;
            for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
                ordo_vid v = p->number[g->head[e * g->stride]];
                if (v == ORDO_NO_VERTEX)
                    continue;
                head[at * to->stride] = v;
                if (to->stride > 1)
                    ordo_put_word(head + at * to->stride, to->stride - 1, ordo_csr_word(g, e));
                at++;
            }
        }
    }
}

/* Replaces the counts of blocks by prefix sums; the totals go to *total. */
static void add_up(inducing *p, induced_block *total)
{
    *total = (induced_block){0, 0};
    for (ordo_u64 i = 0; i < p->block_count; i++) {
        induced_block here = p->blocks[i];
        p->blocks[i] = *total;
        total->vertices += here.vertices;
        total->edges += here.edges;
    }
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
    induced_block total;
    p->number = ordo_alloc(p->from->n, sizeof *p->number);
    p->blocks = ordo_alloc(p->block_count, sizeof *p->blocks);
    if (!p->number || !p->blocks)
        return ORDO_ERR_MEMORY;
    ordo_status status = run(p, team, count_blocks);
    if (status)
        return status;
    add_up(p, &total);
    status = alloc_data(p, total.vertices, kept);
    if (!status)
        status = ordo_csr_alloc(total.vertices, total.edges, p->from->weight_type, &p->to);
    if (status)
        return status;
    status = run(p, team, number_vertices);
    ((ordo_eid *)(size_t)p->to.row)[total.vertices] = total.edges;
    if (!status)
        status = run(p, team, write_rows);
    if (status) {
        ordo_csr_free(&p->to);
        return status;
    }
    kept->source = new_number(p, p->data->source);
    kept->sink = new_number(p, p->data->sink);
    return ORDO_OK;
}

ordo_status ordo_graph_induced(const ordo_graph *g, const ordo_u8 *keep, int threads, ordo_vid *names, ordo_graph **out)
{
    if (!g || !keep || !out)
        return ordo_fail(ORDO_ERR_USAGE, "%s is NULL", !g ? "graph" : !keep ? "keep" : "out");
    double start = ordo_seconds();
    inducing p = {.from = &g->out, .keep = keep, .data = &g->vertices, .names = names};
    p.block_count = ((ordo_u64)p.from->n + BLOCK - 1) / BLOCK;
    ordo_vertex_data kept = {.source = ORDO_NO_VERTEX, .sink = ORDO_NO_VERTEX};
    size_t capacity = strlen(g->info.source) + 64;
    char *source = ordo_alloc(capacity, 1);
    ordo_team *team = NULL;
    ordo_status status = source ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        status = ordo_graph_team(threads, p.from->m > p.from->n ? p.from->m : p.from->n, &team);
    if (!status)
        status = induce(&p, team, &kept);
    if (team)
        ordo_team_return(team);
    ordo_free(p.number);
    ordo_free(p.blocks);
    if (!status) {
        snprintf(source, capacity, "%s, %llu of %llu vertices", g->info.source, (unsigned long long)p.to.n,
                 (unsigned long long)p.from->n);
        ordo_edge_options plain = {0};
        ordo_origin origin = {
            .source = source, .format = "induced", .threads = threads, .edges = &plain, .vertices = &kept};
        ordo_graph_info known = {.weights = g->info.weights, .build_seconds = ordo_seconds() - start};
        status = ordo_graph_own(&p.to, g->symmetric, &origin, &known, out);
    } else {
        ordo_vertex_data_free(&kept);
    }
    ordo_free(source);
    return status;
}
