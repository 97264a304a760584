/* dining.c -- operators/dining.h for `ordo check-operator`: vertices are philosophers and forks; one has its own fork
 * and those of its edges' heads. */
#include <ordo/graph.h>

struct dining_state;
static void dining_fill(struct dining_state *s, const ordo_csr *graph, ordo_vid source);
static ordo_vid dining_check(const struct dining_state *s, const ordo_csr *graph);
#define ORDO_CRITICAL_FILL dining_fill
#define ORDO_CRITICAL_CHECK dining_check
#define ORDO_CRITICAL_RESULT uses
#include "../../../operators/dining.h"

static void dining_fill(dining_state *s, const ordo_csr *graph, ordo_vid source)
{
    ordo_vid v;
    ordo_eid e;
    ordo_u32 *fork = (ordo_u32 *)(size_t)s->fork, *forks = (ordo_u32 *)(size_t)s->forks;
    ordo_u32 *meals = (ordo_u32 *)(size_t)s->meals;
    (void)source;
    for (v = 0; v < graph->n; v++) {
        fork[v * ORDO_MOST_TARGETS] = v;
        forks[v] = 1;
        for (e = graph->row[v]; e < graph->row[v + 1] && forks[v] < ORDO_MOST_TARGETS; e++)
            fork[v * ORDO_MOST_TARGETS + forks[v]++] = graph->head[e * graph->stride];
        meals[v] = 1 + v % 3;
        s->eaten[v] = 0;
        s->uses[v] = 0;
    }
}

/* Every philosopher has had its meals, and every fork was used for them. */
static ordo_vid dining_check(const dining_state *s, const ordo_csr *graph)
{
    ordo_vid v, i;
    ordo_u32 k;
    for (v = 0; v < graph->n; v++) {
        ordo_u64 uses = 0;
        for (i = 0; i < graph->n; i++)
            for (k = 0; k < s->forks[i]; k++)
                uses += s->fork[i * ORDO_MOST_TARGETS + k] == v ? s->meals[i] : 0;
        if (s->eaten[v] != s->meals[v] || s->uses[v] != uses)
            return v;
    }
    return ORDO_NO_VERTEX;
}
