/* scc_passes.h -- passes over vertices between the searches of scc.c, where they are explained.
 */
#include <ordo/operator/pass.h>

#include "apps/random_ranks.h"

#ifndef ORDO_SCC_PASSES_H
#define ORDO_SCC_PASSES_H

enum { SCC_DONE = 0, SCC_ALL = 1, SCC_FORWARD = 2, SCC_BACKWARD = 3 }; /* parts before the first round */

typedef struct scc_arrays {
    ordo_u32 *part;      /* [n] SCC_DONE where the component is known */
    ordo_u32 *cells;     /* [n] labels */
    ordo_vid *component; /* [n] a vertex of the component, where it is known */
} scc_arrays;

/* All vertices are one part. */
ORDO_FN ordo_u64 scc_start_visit(const scc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->part[v] = SCC_ALL;
    s->cells[v] = 0;
    return 0;
}

ORDO_FN int scc_has_neighbour(const scc_arrays *s, ordo_vid v, const ordo_rows *rows)
{
    const ordo_u32 part = ordo_load_u32(&s->part[v]);
    for (ordo_u64 e = rows->row[v]; e < rows->row[v + 1]; e++) {
        const ordo_vid u = rows->head[e * rows->stride];
        if (u != v && ordo_load_u32(&s->part[u]) == part)
            return 1;
    }
    return 0;
}

/* Vertices that leave during the pass may or may not be seen as gone: both are right. */
ORDO_FN ordo_u64 scc_trim_visit(const scc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    if (scc_has_neighbour(s, v, out) && scc_has_neighbour(s, v, in))
        return ORDO_NO_VALUE;
    s->component[v] = v;
    ordo_store_u32(&s->part[v], SCC_DONE);
    return 1;
}

/* The vertices whose component is not known; clears their cells. */
ORDO_FN ordo_u64 scc_left_visit(const scc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->cells[v] = 0;
    return s->part[v] == SCC_DONE ? ORDO_NO_VALUE : 1;
}

/* The vertex with the largest product of the degrees both ways; of equal ones the largest id. Degrees count up to
 * 65 535. */
ORDO_FN ordo_u64 scc_pick_visit(const scc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    const ordo_u64 from = out->row[v + 1] - out->row[v], to = in->row[v + 1] - in->row[v];
    (void)s;
    return (from < 65535 ? from : 65535) * (to < 65535 ? to : 65535) << 32 | v;
}

/* After the pivot's search forward: what it has reached, until the search backward has ended. */
ORDO_FN ordo_u64 scc_reached_visit(const scc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->component[v] = s->cells[v];
    s->cells[v] = 0;
    return 0;
}

/* After its search backward. */
ORDO_FN ordo_u64 scc_divide_visit(const scc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    const int forward = s->component[v] != 0, backward = s->cells[v] != 0;
    (void)out;
    (void)in;
    if (forward && backward)
        s->component[v] = ordo_vertex_of(s->cells[v]);
    s->part[v] = forward && backward ? SCC_DONE : forward ? SCC_FORWARD : backward ? SCC_BACKWARD : SCC_ALL;
    return 0;
}

/* Before a search forward: every vertex left has its rank. */
ORDO_FN ordo_u64 scc_rank_visit(const scc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->cells[v] = ordo_rank_of(v);
    return 0;
}

/* After it: parts are by rank, and roots, which have a value, keep theirs. */
ORDO_FN ordo_u64 scc_root_visit(const scc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->part[v] = s->cells[v];
    if (s->cells[v] == ordo_rank_of(v))
        return 1;
    s->cells[v] = 0;
    return ORDO_NO_VALUE;
}

/* After a round's search backward: the vertices that are done have a value. */
ORDO_FN ordo_u64 scc_finish_visit(const scc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    if (!s->cells[v])
        return ORDO_NO_VALUE;
    s->component[v] = ordo_vertex_of(s->cells[v]);
    s->part[v] = SCC_DONE;
    return 1;
}

/* At the end cells[r] becomes the smallest vertex of the component that r stands for: cells have no vertex first. */
ORDO_FN ordo_u64 scc_forget_visit(const scc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->cells[v] = ORDO_NO_VERTEX;
    return 0;
}

ORDO_FN ordo_u64 scc_least_visit(const scc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    ordo_u32 *least = &s->cells[s->component[v]];
    (void)out;
    (void)in;
    if (v < ordo_load_u32(least))
        ordo_least_u32(least, v);
    return 0;
}

ORDO_FN ordo_u64 scc_name_visit(const scc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->component[v] = s->cells[s->component[v]];
    return 0;
}

#endif

#define ORDO_PASS scc_start
#define ORDO_PASS_STATE scc_arrays
#define ORDO_PASS_EACH scc_start_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS scc_trim
#define ORDO_PASS_STATE scc_arrays
#define ORDO_PASS_EACH scc_trim_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS scc_left
#define ORDO_PASS_STATE scc_arrays
#define ORDO_PASS_EACH scc_left_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS scc_pick
#define ORDO_PASS_STATE scc_arrays
#define ORDO_PASS_EACH scc_pick_visit
#define ORDO_PASS_FOLD ORDO_MAX
#include <ordo/operator/pass.h>

#define ORDO_PASS scc_reached
#define ORDO_PASS_STATE scc_arrays
#define ORDO_PASS_EACH scc_reached_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS scc_divide
#define ORDO_PASS_STATE scc_arrays
#define ORDO_PASS_EACH scc_divide_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS scc_rank
#define ORDO_PASS_STATE scc_arrays
#define ORDO_PASS_EACH scc_rank_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS scc_root
#define ORDO_PASS_STATE scc_arrays
#define ORDO_PASS_EACH scc_root_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS scc_finish
#define ORDO_PASS_STATE scc_arrays
#define ORDO_PASS_EACH scc_finish_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS scc_forget
#define ORDO_PASS_STATE scc_arrays
#define ORDO_PASS_EACH scc_forget_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS scc_least
#define ORDO_PASS_STATE scc_arrays
#define ORDO_PASS_EACH scc_least_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS scc_name
#define ORDO_PASS_STATE scc_arrays
#define ORDO_PASS_EACH scc_name_visit
#include <ordo/operator/pass.h>
