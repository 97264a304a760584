/* mst_passes.h -- between the runs of mst_session.c, where they are explained: components join along their edges.
 */
#include <ordo/operator/pass.h>

#ifndef ORDO_MST_PASSES_H
#define ORDO_MST_PASSES_H

enum { MST_LOOKED_AT = 64 /* arcs of a row: whether one leads to another component, whether one is the way back */ };

/* What mst_join_visit returns. */
enum { MST_JOINED = 1, MST_ROOT = 2, MST_ODD = 3, MST_WRONG = 4 /* and the component, 32 bits higher */ };

typedef struct mst_arrays {
    ordo_u64 *best;      /* [n] cells of the operator, by component */
    ordo_u32 *component; /* [n] of each vertex: one of its vertices, the root */
    ordo_u32 *parent;    /* [n] of a component, the one that it has joined; of a root itself */
    ordo_u32 *edge;      /* [n] of a component that has joined one: the edge's id; else ORDO_NO_VERTEX */
    ordo_u64 m;
    ordo_vid n;
    ordo_u32 symmetric; /* of two directions of an edge the one out of the smaller end counts */
} mst_arrays;

/* Every vertex is a component. */
ORDO_FN ordo_u64 mst_start_visit(const mst_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->best[v] = ordo_highest_u64();
    s->component[v] = s->parent[v] = v;
    s->edge[v] = ORDO_NO_VERTEX;
    return 0;
}

/* The tail of edge e; ORDO_NO_VERTEX if there is no such edge. */
ORDO_FN ordo_vid mst_tail(const mst_arrays *s, const ordo_rows *rows, ordo_u64 e)
{
    ordo_vid low = 0, high = s->n; /* row[low] <= e < row[high] */
    if (e >= s->m)
        return ORDO_NO_VERTEX;
    while (high - low > 1) {
        const ordo_vid middle = low + (high - low) / 2;
        if (rows->row[middle] <= e)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The component at the other end of the edge, out of u, that is the best one of component c; ORDO_NO_VERTEX if it
 * cannot be. */
ORDO_FN ordo_u32 mst_other(const mst_arrays *s, ordo_item c, ordo_u64 key, ordo_vid u, const ordo_rows *rows)
{
    const ordo_u64 e = (ordo_u32)key;
    if (u == ORDO_NO_VERTEX)
        return ORDO_NO_VERTEX;
    const ordo_vid v = rows->head[e * rows->stride];
    const ordo_u32 a = s->component[u], b = s->component[v];
    const ordo_u32 weight = rows->word ? rows->word[e * rows->stride] : 1;
    if ((s->symmetric && u >= v) || a == b || (a != c && b != c) || weight != key >> 32)
        return ORDO_NO_VERTEX;
    const ordo_u32 other = a == c ? b : a;
    return s->best[other] > key ? ORDO_NO_VERTEX : other;
}

/* Whether no edge of the same weight leads back to u, in a graph said to be symmetric; not looked for in long rows. */
ORDO_FN int mst_is_odd(const mst_arrays *s, ordo_u64 key, ordo_vid u, const ordo_rows *rows)
{
    const ordo_vid v = rows->head[(ordo_u32)key * (ordo_u64)rows->stride];
    const ordo_u64 begin = rows->row[v], end = rows->row[v + 1];
    if (!s->symmetric || end - begin > MST_LOOKED_AT)
        return 0;
    for (ordo_u64 b = begin; b < end; b++)
        if (rows->head[b * rows->stride] == u && (!rows->word || rows->word[b * rows->stride] == key >> 32))
            return 0;
    return 1;
}

/* A component joins the one at the other end of its best edge; if both have chosen the same edge, the smaller one is
 * the root. The roots are selected; a component without an edge has no value, and joins none any more. */
ORDO_FN ordo_u64 mst_join_visit(const mst_arrays *s, ordo_item c, const ordo_rows *out, const ordo_rows *in)
{
    const ordo_u64 key = s->best[c];
    (void)in;
    if (key == ordo_highest_u64())
        return ORDO_NO_VALUE;
    const ordo_vid tail = mst_tail(s, out, (ordo_u32)key);
    const ordo_u32 other = mst_other(s, c, key, tail, out);
    if (other == ORDO_NO_VERTEX)
        return (ordo_u64)c << 32 | MST_WRONG;
    if (s->best[other] == key && c < other)
        return MST_ROOT;
    if (mst_is_odd(s, key, tail, out))
        return (ordo_u64)c << 32 | MST_ODD;
    s->parent[c] = other;
    s->edge[c] = (ordo_u32)key;
    return MST_JOINED;
}

ORDO_FN int mst_is_root(const mst_arrays *s, ordo_u64 value)
{
    (void)s;
    return value == MST_ROOT;
}

/* Shortens the path to the root, by halving: a parent is only replaced by an ancestor, so it does not matter which of
 * two threads comes last. And clears the cell for the next round. */
ORDO_FN ordo_u64 mst_halve_visit(const mst_arrays *s, ordo_item c, const ordo_rows *out, const ordo_rows *in)
{
    ordo_u32 at = c;
    (void)out;
    (void)in;
    for (ordo_u32 up = ordo_load_u32(&s->parent[at]); up != at; up = ordo_load_u32(&s->parent[at])) {
        const ordo_u32 above = ordo_load_u32(&s->parent[up]);
        ordo_store_u32(&s->parent[at], above);
        at = above;
    }
    ordo_store_u32(&s->parent[c], at);
    s->best[c] = ordo_highest_u64();
    return 0;
}

/* Of every vertex. The parent may still be an ancestor below the root. */
ORDO_FN ordo_u64 mst_name_visit(const mst_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    ordo_u32 at = s->component[v];
    (void)out;
    (void)in;
    while (s->parent[at] != at)
        at = s->parent[at];
    s->component[v] = at;
    return 0;
}

/* The vertices that may have an edge to another component: 1 where one was seen, 0 where a row is longer than what is
 * looked at. From the end, since in sorted rows the larger heads are there. */
ORDO_FN ordo_u64 mst_live_visit(const mst_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    const ordo_u64 begin = out->row[v], end = out->row[v + 1];
    const ordo_u64 stop = end - begin > MST_LOOKED_AT ? end - MST_LOOKED_AT : begin;
    const ordo_u32 mine = s->component[v];
    (void)in;
    for (ordo_u64 e = end; e-- > stop;) {
        const ordo_vid u = out->head[e * out->stride];
        if ((!s->symmetric || v < u) && s->component[u] != mine)
            return 1;
    }
    return stop > begin ? 0 : ORDO_NO_VALUE;
}

#endif

#define ORDO_PASS mst_start
#define ORDO_PASS_STATE mst_arrays
#define ORDO_PASS_EACH mst_start_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS mst_join
#define ORDO_PASS_STATE mst_arrays
#define ORDO_PASS_EACH mst_join_visit
#define ORDO_PASS_FOLD ORDO_MAX
#define ORDO_PASS_SELECT mst_is_root
#include <ordo/operator/pass.h>

#define ORDO_PASS mst_halve
#define ORDO_PASS_STATE mst_arrays
#define ORDO_PASS_EACH mst_halve_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS mst_name
#define ORDO_PASS_STATE mst_arrays
#define ORDO_PASS_EACH mst_name_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS mst_live
#define ORDO_PASS_STATE mst_arrays
#define ORDO_PASS_EACH mst_live_visit
#include <ordo/operator/pass.h>
