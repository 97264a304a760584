/* generate_plain.c -- generated graphs without randomness: star, path, complete, cliques.
 *
 * Extremes for tests: one row with all edges, the longest shortest path, the most edges, a chain of dense parts. In a
 * complete graph every vertex gives the edges to the half of the others that follow it in cyclic order, so that all
 * parts of the source have the same size.
 *
 * Not done: trees and cycles.
 */
#include "generate.h"

static void make_star(const ordo_maker *m, ordo_u64 begin, ordo_u64 end, bool ends_only, ordo_batch *to)
{
    (void)m, (void)ends_only;
    for (ordo_u64 v = begin; v < end; v++)
        if (v > 0)
            ordo_batch_put(to, 0, v, 0);
}

static void make_path(const ordo_maker *m, ordo_u64 begin, ordo_u64 end, bool ends_only, ordo_batch *to)
{
    (void)m, (void)ends_only;
    for (ordo_u64 v = begin; v < end; v++)
        if (v > 0)
            ordo_batch_put(to, v - 1, v, 0);
}

/* Cliques of `width` vertices (the last may have fewer), each one's last vertex joined to the next one's first. */
static void make_cliques(const ordo_maker *m, ordo_u64 begin, ordo_u64 end, bool ends_only, ordo_batch *to)
{
    (void)ends_only;
    for (ordo_u64 v = begin; v < end; v++) {
        ordo_u64 i = v % m->width, base = v - i, size = m->n - base < m->width ? m->n - base : m->width;
        ordo_u64 many =
            (size - 1) / 2 + (size % 2 == 0 && i < size / 2); /* of two opposite vertices, one gives the edge */
        for (ordo_u64 k = 1, other = i; k <= many; k++) {
            other = other + 1 < size ? other + 1 : 0;
            ordo_batch_put(to, v, base + other, 0);
        }
        if (i + 1 == size && v + 1 < m->n)
            ordo_batch_put(to, v, v + 1, 0);
    }
}

static ordo_status set_vertices(ordo_maker *m)
{
    m->n = m->items = m->o->vertices;
    if (m->n > ORDO_MAX_VERTICES)
        return ordo_fail(ORDO_ERR_USAGE, "%s: found %llu vertices, expected at most %llu", m->o->kind,
                         (unsigned long long)m->n, (unsigned long long)ORDO_MAX_VERTICES);
    m->edges = m->n ? m->n - 1 : 0;
    m->mirror = ORDO_MIRROR_SAME;
    ordo_maker_describe(m, "%s --vertices %llu", m->o->kind, (unsigned long long)m->n);
    return ORDO_OK;
}

ordo_status ordo_make_star(ordo_maker *m)
{
    m->make = make_star;
    return set_vertices(m);
}

ordo_status ordo_make_path(ordo_maker *m)
{
    m->make = make_path;
    return set_vertices(m);
}

ordo_status ordo_make_complete(ordo_maker *m)
{
    m->make = make_cliques;
    ordo_status status = set_vertices(m);
    m->width = m->n ? m->n : 1;
    m->edges = status || m->n == 0 ? 0 : m->n * (m->n - 1) / 2;
    return status;
}

ordo_status ordo_make_cliques(ordo_maker *m)
{
    ordo_status status = ordo_maker_some(m, "width", m->o->width);
    if (!status)
        status = set_vertices(m);
    if (status)
        return status;
    m->width = m->o->width < m->n ? m->o->width : m->n ? m->n : 1;
    ordo_u64 full = m->n / m->width, rest = m->n % m->width;
    m->edges = full * (m->width * (m->width - 1) / 2) + rest * (rest ? rest - 1 : 0) / 2;
    m->edges += full + (rest > 0) - (m->n > 0);
    m->make = make_cliques;
    ordo_maker_describe(m, " --width %u", m->o->width);
    return ORDO_OK;
}
