/* bellman_ford_verify.c -- checks shortest paths over weights of either sign, and cycles of negative weight.
 *
 * Certificate of distances: (1) a source is at 0, or below where other sources reach it; (2) no edge u -> v gives v a
 * smaller value, so every value is at most the distance, and no cycle that is reached is negative (add up the
 * inequalities around it); (3) a breadth-first search from the sources at 0 over tight edges finds every reached
 * vertex, so every value is the length of a path.
 *
 * Serially: rounds over all edges until nothing changes (CLRS section 24.1).
 *
 * Certificate of a cycle: its edges lead from each of its vertices to the next, no vertex stands there twice, its
 * weight adds up, and a breadth-first search from the sources reaches it. Weights of reals are added up exactly, in
 * fixed point: an array of 32-bit digits that spans all exponents of a double.
 *
 * Predecessors, where a weight is negative, are computed again, serially. Nothing here is used to compute answers.
 */
#include "apps/common.h"
#include "apps/verify.h"

#include <string.h>

#include <ordo/memory.h>

#include "framework/run/phase.h"

/* ---- exact sums ---- */

enum { DIGITS = 72, LOWEST = -1080 }; /* digit i counts 2^(32 i + LOWEST) */

typedef struct fixed {
    ordo_i64 digit[DIGITS]; /* carries wait: fewer than 2^31 additions */
} fixed;

static void fixed_add(fixed *x, double value)
{
    int exponent;
    const double mantissa = frexp(value, &exponent); /* value = (mantissa * 2^53) * 2^(exponent - 53) */
    const ordo_i64 whole = (ordo_i64)ldexp(mantissa, 53);
    const int place = exponent - 53 - LOWEST, shift = place % 32;
    const __int128 wide = (__int128)whole * ((__int128)1 << shift); /* below 2^85 */
    const unsigned __int128 size = (unsigned __int128)(wide < 0 ? -wide : wide);
    for (int i = 0; i < 3; i++) {
        const ordo_i64 part = (ordo_i64)(size >> 32 * i & 0xffffffffu);
        x->digit[place / 32 + i] += wide < 0 ? -part : part;
    }
}

static double fixed_value(fixed *x)
{
    double sum = 0;
    for (int i = 0; i + 1 < DIGITS; i++) { /* leaves digits of 0 to 2^32 - 1, but for the last one */
        const ordo_i64 carry = x->digit[i] >> 32;
        x->digit[i] -= carry * ((ordo_i64)1 << 32);
        x->digit[i + 1] += carry;
    }
    const bool negative = x->digit[DIGITS - 1] < 0;
    if (negative) {
        fixed opposite;
        for (int i = 0; i < DIGITS; i++)
            opposite.digit[i] = -x->digit[i];
        return -fixed_value(&opposite);
    }
    for (int i = DIGITS; i-- > 0;)
        sum += ldexp((double)x->digit[i], 32 * i + LOWEST);
    return sum;
}

/* ---- cycles ---- */

static ordo_status check_members(const ordo_csr *g, const ordo_cycle *c)
{
    ordo_u8 *seen = ordo_alloc_zero(g->n, 1);
    ordo_status status = seen ? ORDO_OK : ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; !status && i < c->length; i++) {
        const ordo_vid u = c->vertex[i], v = c->vertex[(i + 1) % c->length];
        const ordo_eid e = c->edge[i];
        if (u >= g->n || v >= g->n || seen[u])
            status =
                ordo_fail(ORDO_ERR_VERIFY, "cycle: found vertex %u at place %llu, expected one that is not in it yet",
                          u, (unsigned long long)i);
        else if (e < g->row[u] || e >= g->row[u + 1] || g->head[e * g->stride] != v)
            status = ordo_fail(ORDO_ERR_VERIFY, "cycle: found edge %llu, expected one from vertex %u to vertex %u",
                               (unsigned long long)e, u, v);
        else
            seen[u] = 1;
    }
    ordo_free(seen);
    return status;
}

static ordo_status check_weight(const ordo_claim *claim, const ordo_cycle *c)
{
    const bool is_real = ordo_is_real(claim->type);
    fixed real = {{0}};
    __int128 whole = 0;
    for (ordo_u64 i = 0; i < c->length; i++)
        if (is_real)
            fixed_add(&real, (double)ordo_claim_weight(claim, c->edge[i]));
        else
            whole += (ordo_i64)ordo_claim_weight(claim, c->edge[i]);
    const double right = is_real ? fixed_value(&real) : (double)whole;
    const double found = is_real ? c->real : (double)c->whole;
    if (!(right < 0))
        return ordo_fail(ORDO_ERR_VERIFY, "cycle: found weight %.17g, expected one below 0", right);
    if (c->type != claim->type || !(fabs(found - right) <= 0x1p-50 * fabs(right)))
        return ordo_fail(ORDO_ERR_VERIFY, "cycle: found weight %.17g, expected %.17g", found, right);
    return ORDO_OK;
}

/* Finds what the sources reach, breadth first; `over`: over tight edges alone, from sources at 0. count: how many. */
static ordo_status reach(const ordo_claim *c, bool tight, ordo_u8 *found, ordo_vid *queue, ordo_u64 *count)
{
    const ordo_csr *g = c->g;
    ordo_phase phase;
    *count = 0;
    for (ordo_u64 i = 0; i < c->sources->count; i++) {
        const ordo_vid s = c->sources->vertex[i];
        if (tight && ordo_claim_value(c, s) != 0)
            continue;
        found[s] = 1;
        queue[(*count)++] = s;
    }
    ordo_phase_begin(&phase, "verifying", g->n);
    for (ordo_u64 i = 0; i < *count && !ordo_phase_at(&phase, i); i++) {
        const ordo_vid u = queue[i];
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_vid v = g->head[e * g->stride];
            if (found[v] || (tight && (isinf(ordo_claim_value(c, v)) ||
                                       ordo_claim_reach(c, ordo_claim_value(c, u), e) != ordo_claim_value(c, v))))
                continue;
            found[v] = 1;
            queue[(*count)++] = v;
        }
    }
    return ordo_phase_end(&phase);
}

static ordo_status check_cycle(const ordo_claim *c, const ordo_cycle *cycle)
{
    ordo_status status = check_members(c->g, cycle);
    if (!status)
        status = check_weight(c, cycle);
    ordo_u8 *found = ordo_alloc_zero(c->g->n, 1);
    ordo_vid *queue = ordo_alloc(c->g->n, sizeof *queue);
    ordo_u64 count;
    if (!status && (!found || !queue))
        status = ORDO_ERR_MEMORY;
    if (!status)
        status = reach(c, false, found, queue, &count);
    if (!status && !found[cycle->vertex[0]])
        status =
            ordo_fail(ORDO_ERR_VERIFY, "cycle: found vertex %u, expected one that a source reaches", cycle->vertex[0]);
    ordo_free(found);
    ordo_free(queue);
    return status;
}

/* ---- distances ---- */

static ordo_status check_values(const ordo_claim *c)
{
    for (ordo_vid v = 0; v < c->g->n; v++)
        if (isnan(ordo_claim_value(c, v)) || ordo_claim_value(c, v) == -ORDO_REAL_INFINITY)
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %s %s, expected a number", v, c->noun,
                             ordo_claim_print(ordo_claim_value(c, v)).text);
    for (ordo_u64 i = 0; i < c->sources->count; i++) {
        const ordo_real value = ordo_claim_value(c, c->sources->vertex[i]);
        if (value > 0 || (value < 0 && c->sources->count == 1))
            return ordo_claim_compare(c, c->sources->vertex[i], 0);
    }
    return ORDO_OK;
}

static ordo_status certify(const ordo_claim *c)
{
    ordo_status status = check_values(c);
    if (!status)
        status = ordo_claim_check_edges(c);
    if (status)
        return status;
    ordo_u8 *found = ordo_alloc_zero(c->g->n, 1);
    ordo_vid *queue = ordo_alloc(c->g->n, sizeof *queue);
    ordo_u64 count;
    status = found && queue ? reach(c, true, found, queue, &count) : ORDO_ERR_MEMORY;
    for (ordo_vid v = 0; !status && v < c->g->n; v++)
        if (!found[v] && !isinf(ordo_claim_value(c, v)))
            status = ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %s %s, expected that of a path; none has it", v,
                               c->noun, ordo_claim_print(ordo_claim_value(c, v)).text);
    ordo_free(found);
    ordo_free(queue);
    return status;
}

/* One round over all edges; whether a value changed. */
static bool make_round(const ordo_claim *c, ordo_real *value)
{
    const ordo_csr *g = c->g;
    bool changed = false;
    for (ordo_vid u = 0; u < g->n; u++)
        for (ordo_eid e = g->row[u]; !isinf(value[u]) && e < g->row[u + 1]; e++) {
            const ordo_real dv = ordo_claim_reach(c, value[u], e);
            changed = changed || dv < value[g->head[e * g->stride]];
            value[g->head[e * g->stride]] = fminl(value[g->head[e * g->stride]], dv);
        }
    return changed;
}

static ordo_status check_serially(const ordo_claim *c)
{
    const ordo_vid n = c->g->n;
    ordo_real *value = ordo_alloc(n, sizeof *value);
    if (!value)
        return ORDO_ERR_MEMORY;
    ordo_phase phase;
    ordo_u64 rounds = 0;
    for (ordo_vid v = 0; v < n; v++)
        value[v] = ordo_sources_has(c->sources, v) ? 0 : ORDO_REAL_INFINITY;
    ordo_phase_begin(&phase, "verifying", 0);
    while (rounds < (ordo_u64)n + 1 && !ordo_phase_step(&phase, n) && make_round(c, value))
        rounds++;
    ordo_status status = ordo_phase_end(&phase);
    if (!status && rounds > n)
        status =
            ordo_fail(ORDO_ERR_VERIFY, "found distances, expected a cycle of negative weight: %u rounds do not end", n);
    for (ordo_vid v = 0; !status && v < n; v++)
        status = ordo_claim_compare(c, v, value[v]);
    ordo_free(value);
    return status;
}

/* ---- predecessors ---- */

typedef struct tree {
    ordo_vid *parent, *root, *queue; /* [n] */
    ordo_u32 *hops;                  /* [n] */
} tree;

/* Breadth first over tight edges: of the parents with the fewest hops the smallest. */
static void grow(const ordo_claim *c, tree *t)
{
    const ordo_csr *g = c->g;
    ordo_u64 count = 0;
    memset(t->parent, 0xff, g->n * sizeof *t->parent); /* ORDO_NO_VERTEX */
    memset(t->root, 0xff, g->n * sizeof *t->root);
    for (ordo_u64 i = 0; i < c->sources->count; i++) {
        const ordo_vid s = c->sources->vertex[i];
        if (ordo_claim_value(c, s) != 0)
            continue;
        t->hops[s] = 0;
        t->root[s] = s;
        t->queue[count++] = s;
    }
    for (ordo_u64 i = 0; i < count; i++) {
        const ordo_vid u = t->queue[i];
        if (t->parent[u] != ORDO_NO_VERTEX) /* final: all of the layer before have been here */
            t->root[u] = t->root[t->parent[u]];
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_vid v = g->head[e * g->stride];
            const ordo_real dv = ordo_claim_value(c, v);
            if (isinf(dv) || ordo_claim_reach(c, ordo_claim_value(c, u), e) != dv)
                continue;
            const bool is_new = t->root[v] == ORDO_NO_VERTEX;
            if (is_new) {
                t->hops[v] = t->hops[u] + 1;
                t->root[v] = t->root[u];
                t->queue[count++] = v;
            }
            if (is_new || (t->hops[v] == t->hops[u] + 1 && u < t->parent[v]))
                t->parent[v] = u;
        }
    }
}

static ordo_status check_tree(const ordo_claim *c)
{
    const ordo_vid n = c->g->n;
    tree t = {ordo_alloc(n, sizeof *t.parent), ordo_alloc(n, sizeof *t.root), ordo_alloc(n, sizeof *t.queue),
              ordo_alloc(n, sizeof *t.hops)};
    ordo_status status = t.parent && t.root && t.queue && t.hops ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        grow(c, &t);
    for (ordo_vid v = 0; !status && v < n; v++) {
        if (c->pred && c->pred[v] != t.parent[v])
            status =
                ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found predecessor %u, expected %u", v, c->pred[v], t.parent[v]);
        else if (c->nearest)
            status = ordo_claim_compare_source(c, v, t.root[v]);
    }
    ordo_free(t.parent);
    ordo_free(t.root);
    ordo_free(t.queue);
    ordo_free(t.hops);
    return status;
}

/* ---- the call ---- */

static bool has_negative(const ordo_claim *c)
{
    for (ordo_eid e = 0; e < c->g->m; e++)
        if (ordo_claim_weight(c, e) < 0)
            return true;
    return false;
}

ordo_status ordo_bellman_ford_verify(const ordo_graph *g, const ordo_path_query *query, const ordo_path_answer *answer,
                                     const ordo_cycle *cycle, ordo_verify_how how)
{
    bool serial = true, certificate = true;
    ordo_sources sources;
    ordo_claim c;
    if (!cycle)
        return ordo_fail(ORDO_ERR_USAGE, "no cycle given, expected one, of length 0 where there is none");
    ordo_status status = ordo_claim_make(g, query, answer, "distance", NULL, how, &sources, &c, &serial, &certificate);
    if (status)
        return status;
    if (cycle->length) {
        status = check_cycle(&c, cycle);
    } else {
        if (how == ORDO_VERIFY_SERIAL || how == ORDO_VERIFY_BOTH)
            status = check_serially(&c);
        if (!status && how != ORDO_VERIFY_SERIAL)
            status = certify(&c);
        if (!status && (c.pred || c.nearest))
            status = has_negative(&c) ? check_tree(&c) : ordo_claim_check_trees(&c);
    }
    ordo_sources_free(&sources);
    return status;
}
