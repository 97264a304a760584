/* renumbered.c -- runs on a renumbered graph, asked for and answered in the ids of the given one.
 *
 * Problem. Ranks on GPUs, and operators that gather, own ranges of vertices. A partition by METIS has other parts.
 *
 * Method. The vertices are renumbered by part, in the order of their ids within one, so that parts are ranges. The app
 * runs on that graph, as on any other. Before, the sources and targets of its input are replaced by their numbers
 * there; after it, the values of the answer are put into the order of the given graph, and trees are made from them. So
 * what verifies, prints and writes knows the given graph alone. Apps with by_names have the same values on both.
 *
 * Not done: edges in answers but those of a cycle; freeing the given graph where nothing looks at it.
 */
#include "apps/cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>

#include "apps/common.h"

static struct {
    ordo_graph *graph; /* NULL: runs are on the given one */
    ordo_vid n;
    ordo_vid *number; /* [n] of each vertex in `graph` */
    ordo_vid *name;   /* [n] the other way round */
} own;

void renumbered_end(void)
{
    ordo_graph_free(own.graph);
    ordo_free(own.number);
    ordo_free(own.name);
    memset(&own, 0, sizeof own);
}

ordo_status renumbered_by_parts(const options *o, const loaded *g, ordo_u32 *part, ordo_u32 parts)
{
    const ordo_vid n = own.n = (ordo_vid)g->info.vertices;
    ordo_u64 *next = ordo_alloc_zero((size_t)parts + 1, sizeof *next);
    own.number = ordo_alloc(n, sizeof *own.number);
    own.name = ordo_alloc(n, sizeof *own.name);
    if (!next || !own.number || !own.name) {
        ordo_free(next);
        return ORDO_ERR_MEMORY;
    }
    for (ordo_u64 v = 0; v < n; v++)
        next[part[v] + 1]++;
    for (ordo_u32 p = 0; p < parts; p++)
        next[p + 1] += next[p];
    for (ordo_u64 v = 0; v < n; v++) {
        own.number[v] = (ordo_vid)next[part[v]]++;
        own.name[own.number[v]] = (ordo_vid)v;
    }
    for (ordo_u64 p = 0, v = 0; p < parts; p++) /* next[p]: behind the last of part p */
        for (; v < next[p]; v++)
            part[v] = (ordo_u32)p;
    ordo_free(next);
    return ordo_graph_renumbered(g->graph, own.name, o->threads, &own.graph);
}

/* ---- the input ---- */

static ordo_vid number_of(ordo_vid v)
{
    return v < own.n ? own.number[v] : v; /* another word: no vertex */
}

static ordo_status numbers_of(const ordo_vid *list, ordo_u64 count, ordo_vid **out)
{
    *out = ordo_alloc(count, sizeof **out);
    for (ordo_u64 i = 0; *out && i < count; i++)
        (*out)[i] = number_of(list[i]);
    return *out ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* ---- the answer ---- */

typedef struct moving {
    const ordo_u8 *from; /* rows of n elements, by number */
    ordo_u8 *to;         /* the same by id */
    size_t size;
} moving;

static void move_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const moving *m = arg;
    for (ordo_u64 i = begin; i < end; i++) {
        const ordo_u64 v = i % own.n, at = i - v + own.number[v];
        if (m->size == sizeof(ordo_u32))
            ((ordo_u32 *)(void *)m->to)[i] = ((const ordo_u32 *)(const void *)m->from)[at];
        else
            memcpy(m->to + i * m->size, m->from + at * m->size, m->size);
    }
}

static ordo_status put_in_order(int threads, ordo_answer *a)
{
    moving m = {.from = a->values, .to = ordo_alloc(a->n, a->size), .size = a->size};
    if (!m.to)
        return ORDO_ERR_MEMORY;
    const ordo_status status = ordo_for_ranges(threads, a->n, 0, move_range, &m);
    ordo_free(status ? m.to : a->values);
    if (!status)
        a->values = m.to;
    return status;
}

/* The edge of the given graph that edge e of the renumbered one is: of edges with the same ends, which keep their
 * order, it has as many before it. */
static ordo_eid edge_of(const ordo_csr *given, ordo_eid e)
{
    const ordo_csr *g = ordo_graph_out(own.graph);
    const ordo_vid tail = ordo_csr_tail(g, e), head = g->head[e * g->stride], named = own.name[head];
    ordo_eid before = e - ordo_csr_find(g, tail, head), at = given->row[own.name[tail]];
    while (given->head[at * given->stride] != named || before-- > 0)
        at++;
    return at;
}

static ordo_status name_answer(const ordo_app *app, const ordo_app_input *given, int threads, ordo_answer *a)
{
    ordo_status status = put_in_order(threads, a);
    for (ordo_u64 i = 0; i < a->cycle.length && !status; i++) {
        a->cycle.vertex[i] = own.name[a->cycle.vertex[i]];
        a->cycle.edge[i] = edge_of(ordo_graph_out(given->graph), a->cycle.edge[i]);
    }
    return status || !(given->want_pred || given->want_nearest) ? status : app->trees(given, threads, a);
}

ordo_status renumbered_run(const ordo_app *app, const ordo_app_input *input, const ordo_options *run,
                           ordo_answer *answer, ordo_stats *stats)
{
    if (!own.graph)
        return app->run(input, run, answer, stats);
    ordo_app_input there = *input;
    ordo_vid *sources = NULL, *targets = NULL;
    there.graph = own.graph;
    there.names = own.name;
    there.want_pred = there.want_nearest = false; /* made from values, on the given graph */
    there.source = number_of(input->source);
    ordo_status status = numbers_of(input->sources, input->source_count, &sources);
    if (!status)
        status = numbers_of(input->targets, input->target_count, &targets);
    there.sources = sources;
    there.targets = targets;
    if (!status)
        status = app->run(&there, run, answer, stats);
    if (!status) {
        const double before = now();
        status = name_answer(app, input, run->threads, answer);
        stats->transfer_seconds += now() - before;
    }
    ordo_free(sources);
    ordo_free(targets);
    return status;
}
