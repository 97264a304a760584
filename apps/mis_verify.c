/* mis_verify.c -- checks an independent set by the rule that makes it: a vertex is a member exactly if no neighbour of
 * a lower rank is.
 *
 * Only one set satisfies that for all vertices, by induction over ranks. It is independent, since of two neighbours one
 * has the lower rank, and maximal, since every other vertex has a neighbour in it. O(n + m), no memory; it is the
 * serial reference and the certificate. Ranks are computed here anew, from <ordo/apps.h>.
 */
#include "apps/verify.h"

#include "framework/run/phase.h"

static ordo_u64 rank_of(ordo_vid v)
{
    const ordo_u64 mask = 0xffffffffu;
    ordo_u64 h = ((ordo_u64)v + 1) & mask;
    h = (h ^ h / 65536) * 2246822507u & mask;
    h = (h ^ h / 8192) * 3266489909u & mask;
    return h ^ h / 65536;
}

/* A neighbour of v along rows of g that is a member and has a lower rank; ORDO_NO_VERTEX if none has. */
static ordo_vid lower_member(const ordo_csr *g, ordo_vid v, const ordo_u32 *member)
{
    for (ordo_eid e = g->row[v]; e < g->row[v + 1]; e++) {
        const ordo_vid u = g->head[e * g->stride];
        if (u != v && member[u] == 1 && rank_of(u) < rank_of(v))
            return u;
    }
    return ORDO_NO_VERTEX;
}

ordo_status ordo_mis_verify(const ordo_graph *graph, const ordo_u32 *member, ordo_verify_how how)
{
    if (!graph)
        return ordo_fail(ORDO_ERR_USAGE, "no graph given");
    bool serial, certificate; /* the same here */
    const ordo_csr *out = ordo_graph_out(graph), *in = out;
    ordo_status status = ordo_verify_choose(out, how, &serial, &certificate);
    if (!status && !member && out->n)
        status = ordo_fail(ORDO_ERR_USAGE, "no members given");
    if (!status)
        status = ordo_graph_in(graph, 0, &in);
    if (status)
        return status;
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", out->n);
    for (ordo_vid v = 0; v < out->n && !status && !ordo_phase_at(&phase, v); v++) {
        ordo_vid u = lower_member(out, v, member);
        u = u == ORDO_NO_VERTEX && in != out ? lower_member(in, v, member) : u;
        if (member[v] > 1)
            status = ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %u, expected 0 or 1", v, member[v]);
        else if (member[v] && u != ORDO_NO_VERTEX)
            status = ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found 1, expected 0: neighbour %u is a member", v, u);
        else if (!member[v] && u == ORDO_NO_VERTEX)
            status = ordo_fail(ORDO_ERR_VERIFY,
                               "vertex %u: found 0, expected 1: no neighbour of a lower rank is a member", v);
    }
    const ordo_status ended = ordo_phase_end(&phase);
    return status ? status : ended;
}
