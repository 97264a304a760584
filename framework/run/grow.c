/* grow.c -- what a run adds to its graph: room for it before the run, and what has become of it afterwards. See
 * <ordo/operator/grow.h> for how it is used meanwhile.
 *
 * Method. New items are vertices behind those of the graph, without edges of their own. The job's rows are those of the
 * graph with its offsets copied, so that there is an empty row for each; heads and weights are the graph's. Without new
 * items the job has the graph's rows as they are. Pools are zeroed memory, of which pages that are not used are not
 * there.
 */
#include "grow.h"

#include <string.h>

#include <ordo/arrays.h>
#include <ordo/memory.h>

/* Numbers are + 1 in words of 32 bits, and every member may take one too many. */
#define MOST_EDGES ((ordo_u64)0xfff00000u)

static ordo_u64 most_edges(const ordo_additions *asked, const ordo_csr *g)
{
    if (asked && asked->most_edges)
        return asked->most_edges;
    const ordo_u64 items = g->n + (asked ? asked->most_items : 0), edges = 4 * (g->m + items) + 1024;
    return edges < MOST_EDGES ? edges : MOST_EDGES;
}

ordo_status ordo_grow_check(const ordo_work *work, const ordo_options *options)
{
    const ordo_additions *asked = options->additions;
    const bool grows = work->op->properties & ORDO_GROWING;
    if (!grows && !asked)
        return ORDO_OK;
    if (!grows)
        return ordo_fail(ORDO_ERR_USAGE,
                         "operator '%s' makes no new edges or items (ORDO_RELAX_GROW), found bounds for them",
                         work->op->name);
    if (options->group)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "operator '%s' makes new edges or items, which runs over ranks do not send: "
                         "not built",
                         work->op->name);
    if (work->session)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "operator '%s' makes new edges or items, which sessions do not keep: not built",
                         work->op->name);
    if (!asked)
        return ORDO_OK;
    const ordo_status status = ORDO_RESERVED_CHECK(ordo_additions, asked);
    if (status)
        return status;
    if (asked->most_edges > MOST_EDGES)
        return ordo_fail(ORDO_ERR_USAGE, "operator '%s': room for %llu new edges, at most %llu are possible",
                         work->op->name, (unsigned long long)asked->most_edges, (unsigned long long)MOST_EDGES);
    if (asked->most_items > ORDO_MAX_VERTICES || work->num_items + asked->most_items > ORDO_MAX_VERTICES)
        return ordo_fail(ORDO_ERR_USAGE,
                         "operator '%s': %llu items and room for %llu new ones, at most %llu are "
                         "possible",
                         work->op->name, (unsigned long long)work->num_items, (unsigned long long)asked->most_items,
                         (unsigned long long)ORDO_MAX_VERTICES);
    return ORDO_OK;
}

/* A power of two, of at least twice as many slots. */
static ordo_u64 slots_for(ordo_u64 entries)
{
    ordo_u64 slots = 64;
    while (slots < 2 * entries)
        slots *= 2;
    return slots;
}

ordo_u64 ordo_grow_bytes(const ordo_work *work, const ordo_options *options)
{
    const ordo_csr *g = ordo_graph_out(work->graph);
    const ordo_u64 edges = most_edges(options->additions, g);
    const ordo_u64 items = options->additions ? options->additions->most_items : 0, all = g->n + items;
    const ordo_u64 fixed = edges * sizeof(ordo_new_edge) + slots_for(edges) * sizeof(ordo_u64) + 4 * all + all / 8;
    return items ? fixed + all * (sizeof(ordo_u64) + sizeof(ordo_eid)) + slots_for(all) * 12 : fixed;
}

/* Empty rows behind those of the graph. */
static ordo_status extend_rows(ordo_grown *grown, const ordo_csr *g, ordo_u64 items)
{
    grown->row = ordo_alloc((size_t)(g->n + items) + 1, sizeof *grown->row);
    if (!grown->row)
        return ORDO_ERR_MEMORY;
    memcpy(grown->row, g->row, ((size_t)g->n + 1) * sizeof *grown->row);
    for (ordo_u64 i = 1; i <= items; i++)
        grown->row[g->n + i] = g->m;
    grown->rows = *g;
    grown->rows.n = (ordo_vid)(g->n + items);
    grown->rows.row = grown->row;
    return ORDO_OK;
}

/* Vertices of the graph under their keys. */
static ordo_status enter_keys(const ordo_job *job, ordo_grow_pool *pool)
{
    for (ordo_u32 v = 0; v < pool->vertices && job->op->key; v++) {
        const ordo_u64 key = job->op->key(job->state, v);
        ordo_u64 at = ordo_grow_slot(key, pool->slot_mask);
        while (pool->slot_key[at] && pool->slot_key[at] != ~key)
            at = (at + 1) & pool->slot_mask;
        if (pool->slot_key[at])
            return ordo_fail(ORDO_ERR_INPUT, "operator '%s': vertices %u and %u have the same key, %llu", job->op->name,
                             pool->slot_item[at] - 1, v, (unsigned long long)key);
        pool->key[v] = key;
        pool->slot_key[at] = ~key;
        pool->slot_item[at] = v + 1;
    }
    return ORDO_OK;
}

ordo_status ordo_grow_begin(ordo_job *job, const ordo_additions *asked, ordo_grown *grown)
{
    const ordo_csr *g = job->out;
    const ordo_u64 edges = most_edges(asked, g), items = asked ? asked->most_items : 0, all = g->n + items;
    ordo_grow_pool *pool = ordo_alloc_zero(1, sizeof *pool);
    if (!(grown->pool = pool))
        return ORDO_ERR_MEMORY;
    pool->vertices = g->n;
    pool->most_edges = (ordo_u32)edges;
    pool->most_items = (ordo_u32)items;
    pool->weight = (int)job->op->weight;
    pool->pair_mask = slots_for(edges) - 1;
    pool->slot_mask = slots_for(items ? all : 0) - 1;
    pool->edge = ordo_alloc(edges, sizeof *pool->edge);
    pool->newest = ordo_alloc_zero(all, sizeof *pool->newest);
    pool->visited = ordo_alloc_zero(all / 32 + 1, sizeof *pool->visited);
    pool->pair = ordo_alloc_zero(pool->pair_mask + 1, sizeof *pool->pair);
    pool->key = ordo_alloc_zero(items ? all : 1, sizeof *pool->key);
    pool->slot_key = ordo_alloc_zero(pool->slot_mask + 1, sizeof *pool->slot_key);
    pool->slot_item = ordo_alloc_zero(pool->slot_mask + 1, sizeof *pool->slot_item);
    if (!pool->edge || !pool->newest || !pool->visited || !pool->pair || !pool->key || !pool->slot_key ||
        !pool->slot_item)
        return ORDO_ERR_MEMORY;
    job->grow = pool;
    if (!items)
        return ORDO_OK;
    ordo_status status = extend_rows(grown, g, items);
    if (status || (status = enter_keys(job, pool)))
        return status;
    job->out = &grown->rows;
    job->num_items += items;
    job->targets += items;
    const ordo_u32 bytes = ordo_type_bytes(job->op->cell);
    for (ordo_u64 v = g->n; v < all; v++)
        job->op->worst((char *)job->cells + v * bytes);
    return ORDO_OK;
}

void ordo_job_grow_failed(ordo_job *job)
{
    const ordo_grow_pool *pool = job->grow;
    const ordo_u32 failed = ordo_load_u32(&pool->failed);
    ordo_status status = ORDO_ERR_MEMORY;
    if (failed & ORDO_GROW_MORE_EDGES)
        ordo_fail(status, "operator '%s' makes more than %u new edges: raise ordo_additions.most_edges (--new-edges)",
                  job->op->name, pool->most_edges);
    else if (failed & ORDO_GROW_MORE_ITEMS)
        ordo_fail(status, "operator '%s' makes more than %u new items: raise ordo_additions.most_items (--new-items)",
                  job->op->name, pool->most_items);
    else if (failed & ORDO_GROW_NO_WEIGHT)
        status = ordo_fail(ORDO_ERR_USAGE, "operator '%s' makes an edge with a weight of another type than its %s",
                           job->op->name, ordo_type_name(job->op->weight));
    else
        status =
            ordo_fail(ORDO_ERR_USAGE, "operator '%s' makes an edge from or to a number that is no item", job->op->name);
    ordo_job_fail(job, status);
}

void ordo_grow_end(const ordo_grown *grown, ordo_additions *out)
{
    ordo_grow_pool *pool = grown->pool;
    if (!out)
        return;
    ordo_additions_free(out);
    out->edges = pool->edges < pool->most_edges ? pool->edges : pool->most_edges;
    out->items = pool->items < pool->most_items ? pool->items : pool->most_items;
    out->vertices = pool->vertices;
    out->weight_type = (ordo_type)pool->weight;
    out->edge = pool->edge;
    out->key = pool->key;
    pool->edge = NULL;
    pool->key = NULL;
}

void ordo_grow_free(ordo_grown *grown)
{
    ordo_grow_pool *pool = grown->pool;
    if (pool) {
        ordo_free(pool->edge);
        ordo_free(pool->newest);
        ordo_free(pool->visited);
        ordo_free(pool->pair);
        ordo_free(pool->key);
        ordo_free(pool->slot_key);
        ordo_free(pool->slot_item);
    }
    ordo_free(pool);
    ordo_free(grown->row);
    *grown = (ordo_grown){0};
}

/* ---- after the run ---- */

void ordo_additions_free(ordo_additions *growth)
{
    if (!growth)
        return;
    ordo_free(growth->edge);
    ordo_free(growth->key);
    *growth = (ordo_additions){.most_edges = growth->most_edges, .most_items = growth->most_items};
}

/* A list of edges, with weights as pairs of words. */
typedef struct edge_list {
    ordo_vid *tail, *head;
    ordo_u32 *weight; /* [count * words] or NULL */
    ordo_u64 words;
} edge_list;

static void list_rows(const ordo_csr *g, ordo_type weight, const edge_list *out)
{
    static const ordo_f32 one_f32 = 1;
    static const ordo_f64 one_f64 = 1;
    static const ordo_i64 one = 1;
    const void *unit = weight == ORDO_F32 ? (const void *)&one_f32 : weight == ORDO_F64 ? (const void *)&one_f64 : &one;
    for (ordo_vid v = 0; v < g->n; v++)
        for (ordo_eid e = g->row[v]; e < g->row[v + 1]; e++) {
            out->tail[e] = v;
            out->head[e] = g->head[e * g->stride];
            if (out->words)
                memcpy(out->weight + e * out->words, g->weight ? ordo_csr_weight_at(g, e) : unit, 4 * out->words);
        }
}

static void list_new(const ordo_additions *growth, ordo_eid first, const edge_list *out)
{
    for (ordo_u64 i = 0; i < growth->edges; i++) {
        const ordo_new_edge *e = &growth->edge[i];
        out->tail[first + i] = e->from;
        out->head[first + i] = e->to;
        if (out->words)
            memcpy(out->weight + (first + i) * out->words, e->weight, 4 * out->words);
    }
}

ordo_status ordo_additions_graph(const ordo_graph *g, const ordo_additions *growth, int threads, ordo_graph **out)
{
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_type weight = growth->weight_type;
    if (growth->vertices != rows->n)
        return ordo_fail(ORDO_ERR_USAGE, "edges were added to a graph of %u vertices, found one of %u",
                         growth->vertices, rows->n);
    const ordo_u64 count = rows->m + growth->edges;
    edge_list list = {ordo_alloc(count, sizeof *list.tail), ordo_alloc(count, sizeof *list.head), NULL, 0};
    if (weight != ORDO_NONE) {
        list.words = ordo_type_bytes(weight) / 4;
        list.weight = ordo_alloc(count * list.words, 4);
    }
    ordo_status status = ORDO_ERR_MEMORY;
    if (list.tail && list.head && (list.weight || !list.words)) {
        list_rows(rows, weight, &list);
        list_new(growth, rows->m, &list);
        status =
            ordo_graph_from_arrays(&(ordo_edge_arrays){.n = rows->n + growth->items,
                                                       .count = count,
                                                       .tail = list.tail,
                                                       .head = list.head,
                                                       .weight_type = weight,
                                                       .weight = list.weight,
                                                       .edges = {.weight_type = list.words == 2 ? weight : ORDO_NONE},
                                                       .threads = threads},
                                   out);
    }
    ordo_free(list.tail);
    ordo_free(list.head);
    ordo_free(list.weight);
    return status;
}
