/* sgd.c -- operators/sgd.h for `ordo check-operator`: vertices are ratings; the first half of them are users, too, the
 * others what these rate. */
#include <ordo/graph.h>

struct sgd_state;
static void sgd_fill(struct sgd_state *s, const ordo_csr *graph, ordo_vid source);
static ordo_vid sgd_check(const struct sgd_state *s, const ordo_csr *graph);
#define ORDO_CRITICAL_FILL sgd_fill
#define ORDO_CRITICAL_CHECK sgd_check
#define ORDO_CRITICAL_RESULT done
#define ORDO_CRITICAL_SETTINGS(X)                                                                                      \
    X(rank, u32, 3, "numbers of a vector")                                                                             \
    X(rate, f32, 0.02f, "step size")                                                                                   \
    X(decay, f32, 0.01f, "regularisation")
#include "../../../operators/sgd.h"

static void sgd_fill(sgd_state *s, const ordo_csr *graph, ordo_vid source)
{
    ordo_vid v;
    ordo_u64 k;
    sgd_rating *rating = (sgd_rating *)(size_t)s->rating;
    (void)source;
    s->users = graph->n - graph->n / 2;
    s->epoch = 1;
    s->mean = 3;
    for (v = 0; v < graph->n; v++) {
        const ordo_eid first = graph->row[v];
        const ordo_vid other = first < graph->row[v + 1] ? graph->head[first * graph->stride] : v;
        rating[v].user = v % s->users;
        rating[v].thing = graph->n > 1 ? other % (graph->n / 2) : 0;
        rating[v].value = (ordo_f32)(1 + v % 5);
        s->done[v] = graph->n > 1 ? 0 : s->epoch; /* one vertex has nothing to rate */
        for (k = 0; k < s->rank; k++)
            s->factor[v * s->rank + k] = (ordo_f32)((v + k) % 7) / 8;
    }
}

/* Every rating is used. What the vectors become depends on the order. */
static ordo_vid sgd_check(const sgd_state *s, const ordo_csr *graph)
{
    ordo_vid v;
    for (v = 0; v < graph->n; v++)
        if (s->done[v] != s->epoch)
            return v;
    return ORDO_NO_VERTEX;
}
