/* cc_verify.c -- checks components: serially by union-find, or by a certificate.
 *
 * Certificate: (1) label[v] <= v and label[label[v]] = label[v], so that every label is the smallest vertex that has
 * it; (2) edges join equal labels, so that no component has two labels; (3) there are as many labels as components,
 * counted by union-find, so that no label has two components. O(n + m) up to the inverse of Ackermann's function,
 * 4 bytes a vertex.
 */
#include "apps/verify.h"

#include <ordo/memory.h>

#include "framework/run/phase.h"

static ordo_vid root_of(ordo_vid *parent, ordo_vid v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]]; /* halving */
        v = parent[v];
    }
    return v;
}

/* Joins the ends of every edge, the smaller root on top, and counts the components. */
static ordo_status join_edges(const ordo_csr *g, ordo_vid *parent, ordo_u64 *count)
{
    ordo_u64 components = g->n;
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", g->n);
    for (ordo_vid v = 0; v < g->n; v++)
        parent[v] = v;
    for (ordo_vid u = 0; u < g->n && !ordo_phase_at(&phase, u); u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid a = root_of(parent, u), b = root_of(parent, g->head[e * g->stride]);
            if (a == b)
                continue;
            parent[a > b ? a : b] = a > b ? b : a;
            components--;
        }
    *count = components;
    return ordo_phase_end(&phase);
}

static ordo_status check_serially(const ordo_csr *g, ordo_vid *parent, const ordo_u32 *label)
{
    for (ordo_vid v = 0; v < g->n; v++)
        if (label[v] != root_of(parent, v))
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found component %u, expected %u", v, label[v],
                             root_of(parent, v));
    return ORDO_OK;
}

static ordo_status certify(const ordo_csr *g, const ordo_vid *parent, ordo_u64 components, const ordo_u32 *label)
{
    ordo_u64 labels = 0;
    for (ordo_vid v = 0; v < g->n; v++) {
        if (label[v] > v)
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found component %u, expected at most %u", v, label[v], v);
        if (label[label[v]] != label[v])
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found component %u, expected %u, as vertex %u has", v,
                             label[v], label[label[v]], label[v]);
        labels += label[v] == v;
    }
    for (ordo_vid u = 0; u < g->n; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride], wrong = label[u] > label[v] ? u : v;
            if (label[u] != label[v])
                return ordo_fail(ORDO_ERR_VERIFY,
                                 "vertex %u: found component %u, expected at most %u, by edge %u -> %u", wrong,
                                 label[wrong], label[wrong == u ? v : u], u, v);
        }
    if (labels == components)
        return ORDO_OK;
    /* Too few: the smallest vertex of some component, which is its root, has the label of another. */
    for (ordo_vid v = 0; v < g->n; v++)
        if (parent[v] == v && label[v] != v)
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found component %u, expected %u: no path joins them", v,
                             label[v], v);
    return ordo_fail(ORDO_ERR_VERIFY, "found %llu components, expected %llu", (unsigned long long)labels,
                     (unsigned long long)components);
}

ordo_status ordo_cc_verify(const ordo_graph *graph, const ordo_u32 *component, ordo_verify_how how)
{
    if (!graph)
        return ordo_fail(ORDO_ERR_USAGE, "no graph given");
    bool serial, certificate;
    const ordo_csr *g = ordo_graph_out(graph);
    ordo_status status = ordo_verify_choose(g, how, &serial, &certificate);
    if (status)
        return status;
    if (!component && g->n)
        return ordo_fail(ORDO_ERR_USAGE, "no components given");
    ordo_vid *parent = ordo_alloc(g->n, sizeof *parent);
    if (!parent)
        return ORDO_ERR_MEMORY;
    ordo_u64 components = 0;
    status = join_edges(g, parent, &components);
    if (!status && serial)
        status = check_serially(g, parent, component);
    if (!status && certificate)
        status = certify(g, parent, components, component);
    ordo_free(parent);
    return status;
}
