/* levels.c -- guesses how many levels a breadth-first search of a graph has, from a small part of it.
 *
 * Problem. Where degrees are alike, a search may have ten levels (a random graph) or ten thousand (a chain of cliques).
 * Supersteps cost a barrier for each, so the choice of a scheduler needs the order of that number, for far less work
 * than a search.
 *
 * Method. A search from one vertex, until it has found MOST vertices, tells how a ball grows with its radius: to r^d
 * vertices on a d-dimensional lattice, along a chain d = 1, on a random graph fast, so d is large. d follows from the
 * radii at which an eighth of them and all of them were found; the radius of the whole graph from d.
 *
 * Not done: components (the part that was searched is taken for the whole); a part that is unlike the rest.
 */
#include "levels.h"

#include "graph.h"

#include <math.h>
#include <string.h>

enum { MOST = 2048, LEAST = 64, SLOTS = 4 * MOST, PART = 256, STARTS = 4, SMALL = 1 << 16 };
#define NONE 0xffffffffu

typedef struct search {
    ordo_vid found[MOST];
    ordo_vid slot[SLOTS]; /* a hash table of `found` */
    ordo_u64 count, most;
} search;

/* Adds a vertex that was not found before. */
static void find(search *s, ordo_vid v)
{
    ordo_u32 at = v * 0x9e3779b1u >> 16;
    while (s->slot[at % SLOTS] != NONE && s->slot[at % SLOTS] != v)
        at++;
    if (s->slot[at % SLOTS] == v)
        return;
    s->slot[at % SLOTS] = v;
    s->found[s->count++] = v;
}

/* Searches from v. Returns the level at which `most` vertices were found, and sets *early to that of an eighth of them;
 * 0 if fewer can be reached. */
static ordo_u64 search_from(search *s, const ordo_row_source *g, ordo_vid v, ordo_u64 *early)
{
    ordo_u64 level = 0, begin = 0;
    memset(s->slot, 0xff, sizeof s->slot);
    s->count = 0;
    *early = 0;
    find(s, v);
    while (begin < s->count) {
        const ordo_u64 end = s->count;
        level++;
        for (; begin < end; begin++) {
            const ordo_vid tail = s->found[begin];
            for (ordo_eid e = g->row[tail]; e < g->row[tail + 1]; e++) {
                const ordo_vid head = g->head(g->edges, e);
                if (head < g->n)
                    find(s, head);
                if (s->count == s->most)
                    return level;
            }
        }
        if (!*early && s->count >= s->most / 8)
            *early = level;
    }
    return 0;
}

double ordo_guess_levels(const ordo_row_source *g)
{
    search s;
    if (g->m < SMALL)
        return 0;
    s.most = g->n / PART < LEAST ? LEAST : g->n / PART < MOST ? g->n / PART : MOST;
    for (ordo_u64 i = 1; i <= STARTS; i++) {
        ordo_u64 early;
        const ordo_u64 level = search_from(&s, g, (ordo_vid)(g->n * i / (STARTS + 1)), &early);
        if (!level)
            continue;
        if (!early || early >= level) /* it grows faster than any lattice */
            return (double)level;
        return (double)level * pow((double)g->n / (double)s.most, log((double)level / (double)early) / log(8));
    }
    return 0;
}

static ordo_vid head_of(const void *csr, ordo_eid edge)
{
    const ordo_csr *g = csr;
    return g->head[edge * g->stride];
}

double ordo_graph_levels(const ordo_graph *graph)
{
    ordo_graph *const g = (ordo_graph *)(size_t)graph; /* the member is no part of what callers see */
    ordo_u64 known = __atomic_load_n(&g->levels, __ATOMIC_RELAXED);
    if (!known && g->part)
        return 0;
    if (!known) { /* several threads may guess at once: they all guess the same */
        const ordo_row_source rows = {g->out.n, g->out.m, g->out.row, head_of, &g->out};
        known = 1 + (ordo_u64)ordo_guess_levels(&rows);
        __atomic_store_n(&g->levels, known, __ATOMIC_RELAXED);
    }
    return (double)(known - 1);
}
