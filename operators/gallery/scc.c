/* scc.c -- strong components by forward-backward search: two runs of scc.h a round, for all parts at once.
 *
 * At first there is one part, all vertices. In a round every vertex gets the largest label that reaches it in its part.
 * The vertices with one label are a part from then on. The vertex whose label it is, its root, is one of them: what
 * reaches the root reaches all of them. Then the root searches backward, and the vertices that it finds are its
 * component, and done. No component is split, since the same labels reach all of its vertices. Every part loses the
 * component of its root in a round, so the rounds end. Labels are at random: a path of n vertices takes O(log n)
 * rounds, expected.
 *
 * Rejected: one pivot for each part, as in the first paper. What a pivot neither reaches nor is reached from stays one
 * part, so that k isolated vertices take k rounds.
 */
#include <ordo/memory.h>

#include "drivers.h"
#include "scc.h"

extern const ordo_operator scc_operator;

enum { DONE = 0 }; /* the part of vertices whose component is known; labels begin with 1 */

typedef struct search {
    const ordo_graph *out, *in; /* in: with reversed edges */
    const ordo_options *options;
    ordo_stats *total;
    ordo_u64 n, left; /* left: vertices that are not done */
    ordo_u32 *label;  /* [n] distinct, 1 to n */
    ordo_vid *of;     /* [n + 1] the vertex of a label */
    ordo_u32 *part;   /* [n] the label of the part's root; 0: done */
    ordo_u32 *cells;  /* [n] */
    ordo_item *root;  /* [n] */
} search;

static void draw_labels(search *s, ordo_u64 seed)
{
    for (ordo_u64 v = 0; v < s->n; v++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const ordo_u64 other = (seed >> 32) % (v + 1);
        s->label[v] = s->label[other];
        s->label[other] = (ordo_u32)v + 1;
    }
    for (ordo_u64 v = 0; v < s->n; v++) {
        s->of[s->label[v]] = (ordo_vid)v;
        s->part[v] = 1;
    }
}

static ordo_status spread(const search *s, const ordo_graph *graph, const ordo_item *initial, ordo_u64 count)
{
    const scc_state state = {s->part};
    const ordo_work work = {.op = &scc_operator,
                            .graph = graph,
                            .cells = s->cells,
                            .state = &state,
                            .num_items = s->n,
                            .targets = s->n,
                            .initial = initial,
                            .initial_count = count};
    return run_and_add(&work, s->options, s->total);
}

static ordo_status run_round(search *s, ordo_vid *component)
{
    ordo_u64 roots = 0, done = 0;
    for (ordo_u64 v = 0; v < s->n; v++)
        s->cells[v] = s->part[v] == DONE ? 0 : s->label[v];
    ordo_status status = spread(s, s->out, NULL, 0);
    if (status)
        return status;
    for (ordo_u64 v = 0; v < s->n; v++) {
        s->part[v] = s->cells[v];
        if (s->cells[v] == s->label[v])
            s->root[roots++] = (ordo_item)v;
        else
            s->cells[v] = 0;
    }
    status = spread(s, s->in, s->root, roots);
    for (ordo_u64 v = 0; v < s->n && !status; v++)
        if (s->cells[v] != 0) {
            component[v] = s->of[s->cells[v]];
            s->part[v] = DONE;
            s->left--;
            done++;
        }
    if (!status && !done)
        status = ordo_fail(ORDO_ERR_INTERNAL, "scc: a round has found no component of %llu vertices",
                           (unsigned long long)s->left);
    return status;
}

ordo_status scc_run(const ordo_graph *graph, ordo_u64 seed, const ordo_options *options, ordo_vid *component,
                    ordo_u32 *rounds, ordo_stats *total)
{
    const ordo_csr *in;
    ordo_graph *reversed = NULL;
    ordo_status status = ordo_graph_in(graph, options ? options->threads : 0, &in);
    if (!status)
        status = ordo_graph_borrow(in, ordo_graph_symmetric(graph), &reversed);
    if (status)
        return status;
    search s = {.out = graph, .in = reversed, .options = options, .total = total, .n = in->n, .left = in->n};
    ordo_u32 count = 0;
    s.label = ordo_alloc(s.n, sizeof *s.label);
    s.of = ordo_alloc(s.n + 1, sizeof *s.of);
    s.part = ordo_alloc(s.n, sizeof *s.part);
    s.cells = ordo_alloc(s.n, sizeof *s.cells);
    s.root = ordo_alloc(s.n, sizeof *s.root);
    if (s.label && s.of && s.part && s.cells && s.root)
        draw_labels(&s, seed);
    else
        status = ORDO_ERR_MEMORY;
    for (; s.left && !status; count++)
        status = run_round(&s, component);
    if (rounds)
        *rounds = count;
    ordo_free(s.label);
    ordo_free(s.of);
    ordo_free(s.part);
    ordo_free(s.cells);
    ordo_free(s.root);
    ordo_graph_free(reversed);
    return status;
}
