/* colour_verify.c -- checks a colouring: neighbours differ, and every vertex has the smallest colour that no neighbour
 * of a lower rank has, with ranks computed here anew from <ordo/apps.h>.
 *
 * Only one colouring satisfies that for all vertices, by induction over ranks. O(n + m), 5 bytes for each vertex; it is
 * the serial reference and the certificate.
 */
#include "apps/verify.h"

#include <ordo/memory.h>

#include "framework/run/phase.h"

typedef struct colouring {
    const ordo_csr *way[2]; /* out-rows, and in-rows where the graph is not symmetric */
    int ways;
    const ordo_u32 *colour;
    ordo_u8 *digits; /* [n] see digits_of */
    ordo_vid *mark;  /* [n + 1] by colour: one more than the vertex that has last found it at a neighbour */
} colouring;

/* The number of binary digits of a degree; a loop counts once. */
static ordo_u8 digits_of(const colouring *c, ordo_vid v)
{
    ordo_u64 degree = 0;
    ordo_u8 digits = 0;
    for (int w = 0; w < c->ways; w++) {
        const ordo_csr *g = c->way[w];
        for (ordo_eid e = g->row[v]; e < g->row[v + 1]; e++)
            degree += w == 0 || g->head[e * g->stride] != v;
    }
    for (; degree; degree /= 2)
        digits++;
    return digits;
}

static ordo_u64 hash_of(ordo_vid v)
{
    const ordo_u64 range = (ordo_u64)1 << 32;
    ordo_u64 h = ((ordo_u64)v + 1) % range;
    h = (h ^ h / 65536) * 2246822507u % range;
    h = (h ^ h / 8192) * 3266489909u % range;
    return h ^ h / 65536;
}

static bool is_before(const colouring *c, ordo_vid a, ordo_vid b)
{
    return c->digits[a] != c->digits[b] ? c->digits[a] > c->digits[b] : hash_of(a) < hash_of(b);
}

static ordo_status check_vertex(const colouring *c, ordo_vid v)
{
    const ordo_vid n = c->way[0]->n;
    for (int w = 0; w < c->ways; w++) {
        const ordo_csr *g = c->way[w];
        for (ordo_eid e = g->row[v]; e < g->row[v + 1]; e++) {
            const ordo_vid u = g->head[e * g->stride];
            if (u == v)
                continue;
            if (c->colour[u] == c->colour[v])
                return ordo_fail(ORDO_ERR_VERIFY, "vertices %u and %u: neighbours, and both have colour %u", u, v,
                                 c->colour[v]);
            if (c->colour[u] < n && is_before(c, u, v))
                c->mark[c->colour[u]] = v + 1;
        }
    }
    ordo_vid least = 0;
    while (c->mark[least] == v + 1)
        least++;
    return c->colour[v] == least
               ? ORDO_OK
               : ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found colour %u, expected %u", v, c->colour[v], least);
}

ordo_status ordo_colour_verify(const ordo_graph *graph, const ordo_u32 *colour, ordo_verify_how how)
{
    if (!graph)
        return ordo_fail(ORDO_ERR_USAGE, "no graph given");
    bool serial, certificate; /* the same here */
    colouring c = {.way = {ordo_graph_out(graph)}, .ways = ordo_graph_symmetric(graph) ? 1 : 2, .colour = colour};
    const ordo_vid n = c.way[0]->n;
    ordo_status status = ordo_verify_choose(c.way[0], how, &serial, &certificate);
    if (!status && !colour && n)
        status = ordo_fail(ORDO_ERR_USAGE, "no colours given");
    if (!status && c.ways == 2)
        status = ordo_graph_in(graph, 0, &c.way[1]);
    if (status)
        return status;
    c.mark = ordo_alloc_zero((size_t)n + 1, sizeof *c.mark);
    c.digits = ordo_alloc(n, sizeof *c.digits);
    if (!c.mark || !c.digits) {
        ordo_free(c.mark);
        ordo_free(c.digits);
        return ORDO_ERR_MEMORY;
    }
    for (ordo_vid v = 0; v < n; v++)
        c.digits[v] = digits_of(&c, v);
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", n);
    for (ordo_vid v = 0; v < n && !status && !ordo_phase_at(&phase, v); v++)
        status = check_vertex(&c, v);
    const ordo_status ended = ordo_phase_end(&phase);
    ordo_free(c.mark);
    ordo_free(c.digits);
    return status ? status : ended;
}
