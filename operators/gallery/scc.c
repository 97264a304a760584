/* scc.c -- strong components by forward-backward search: two runs of scc.h a round, for all parts at once.
 *
 * At first there is one part, all vertices. In a round every part has a pivot. The vertices that it reaches and that
 * reach it are its component, and are done. The others fall into three parts: reached, reaching, neither. No component
 * has vertices in two of these, since its vertices reach each other. Every round completes a component in each part, so
 * the rounds end; with pivots at random a path of n vertices takes O(log n) rounds, expected.
 */
#include <ordo/memory.h>

#include "drivers.h"
#include "scc.h"

extern const ordo_operator scc_operator;

enum { DONE = 0xffffffffu }; /* the part of vertices whose component is known; no pivot is in it */

typedef struct search {
    const ordo_graph *out, *in; /* in: with reversed edges */
    ordo_u64 n, parts, seed;
    ordo_u32 *part;               /* [n] below `parts`, or DONE */
    ordo_u32 *forward, *backward; /* [n] cells: reached by the pivot; reaching it */
    ordo_item *pivot;             /* [parts] */
    ordo_u32 *renumbered;         /* [3 parts] */
} search;

/* A hash of the round and the vertex (the finaliser of splitmix64). */
static ordo_u64 mix(ordo_u64 seed, ordo_vid v)
{
    ordo_u64 x = (seed << 32) + v + 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static void choose_pivots(search *s)
{
    for (ordo_u64 p = 0; p < s->parts; p++)
        s->pivot[p] = ORDO_NO_VERTEX;
    for (ordo_u64 v = 0; v < s->n; v++) {
        s->forward[v] = s->backward[v] = 0;
        if (s->part[v] == DONE)
            continue;
        ordo_item *pivot = &s->pivot[s->part[v]];
        if (*pivot == ORDO_NO_VERTEX || mix(s->seed, (ordo_vid)v) < mix(s->seed, *pivot))
            *pivot = (ordo_item)v;
    }
    for (ordo_u64 p = 0; p < s->parts; p++)
        s->forward[s->pivot[p]] = s->backward[s->pivot[p]] = 1;
    s->seed++;
}

static ordo_status reach(const search *s, const ordo_graph *graph, ordo_u32 *cells, const ordo_options *options)
{
    const scc_state state = {s->part};
    const ordo_work work = {.op = &scc_operator,
                            .graph = graph,
                            .cells = cells,
                            .state = &state,
                            .num_items = s->n,
                            .targets = s->n,
                            .initial = s->pivot,
                            .initial_count = s->parts};
    return ordo_run(&work, options, NULL);
}

/* Vertices that are reached both ways are done; the other ones get new parts, numbered as they are met. */
static void split(search *s, ordo_vid *component)
{
    ordo_u64 parts = 0;
    for (ordo_u64 i = 0; i < 3 * s->parts; i++)
        s->renumbered[i] = DONE;
    for (ordo_u64 v = 0; v < s->n; v++) {
        if (s->part[v] == DONE)
            continue;
        if (s->forward[v] && s->backward[v]) {
            component[v] = s->pivot[s->part[v]];
            s->part[v] = DONE;
            continue;
        }
        ordo_u32 *number = &s->renumbered[3 * (ordo_u64)s->part[v] + (s->forward[v] ? 0 : s->backward[v] ? 1 : 2)];
        if (*number == DONE)
            *number = (ordo_u32)parts++;
        s->part[v] = *number;
    }
    s->parts = parts;
}

static ordo_status run_rounds(search *s, const ordo_options *options, ordo_vid *component, ordo_u32 *rounds)
{
    ordo_status status = ORDO_OK;
    for (*rounds = 0; s->parts && !status; ++*rounds) {
        choose_pivots(s);
        status = reach(s, s->out, s->forward, options);
        if (!status)
            status = reach(s, s->in, s->backward, options);
        if (!status)
            split(s, component);
    }
    return status;
}

ordo_status scc_run(const ordo_graph *graph, ordo_u64 seed, const ordo_options *options, ordo_vid *component,
                    ordo_u32 *rounds)
{
    const ordo_csr *in;
    ordo_graph *reversed = NULL;
    ordo_u32 ignored;
    const int threads = options ? options->threads : 0;
    ordo_status status = ordo_graph_in(graph, threads, &in);
    if (!status)
        status = ordo_graph_borrow(in, ordo_graph_symmetric(graph), &reversed);
    if (status)
        return status;
    search s = {.out = graph, .in = reversed, .n = in->n, .parts = in->n > 0, .seed = seed};
    s.part = ordo_alloc_zero(s.n, sizeof *s.part);
    s.forward = ordo_alloc(s.n, sizeof *s.forward);
    s.backward = ordo_alloc(s.n, sizeof *s.backward);
    s.pivot = ordo_alloc(s.n, sizeof *s.pivot);
    s.renumbered = ordo_alloc(s.n, 3 * sizeof *s.renumbered);
    if (s.part && s.forward && s.backward && s.pivot && s.renumbered)
        status = run_rounds(&s, options, component, rounds ? rounds : &ignored);
    else
        status = ORDO_ERR_MEMORY;
    ordo_free(s.part);
    ordo_free(s.forward);
    ordo_free(s.backward);
    ordo_free(s.pivot);
    ordo_free(s.renumbered);
    ordo_graph_free(reversed);
    return status;
}
