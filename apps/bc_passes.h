/* bc_passes.h -- passes over vertices between the runs of bc.c, where they are explained.
 */
#include <ordo/operator/pass.h>

#ifndef ORDO_BC_PASSES_H
#define ORDO_BC_PASSES_H

#define BC_UNREACHED 0xffffffffu

typedef struct bc_arrays {
    ordo_u32 *level;       /* [n] */
    ordo_u64 *cells;       /* [n] */
    ordo_u64 *paths, *x;   /* [n] sums of the two runs; x in units */
    double *score, *error; /* [n] of all sources so far */
    double unit;           /* what one of x is worth */
    ordo_u64 one;          /* 1 in units */
    ordo_vid source;
} bc_arrays;

ORDO_FN ordo_u64 bc_levels_visit(const bc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->level[v] = v == s->source ? 0 : BC_UNREACHED;
    return 0;
}

/* The levels that vertices have, of which the greatest is wanted. Ahead of counting paths. */
ORDO_FN ordo_u64 bc_count_visit(const bc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->cells[v] = v == s->source;
    s->paths[v] = 0;
    return s->level[v] == BC_UNREACHED ? ORDO_NO_VALUE : s->level[v];
}

/* Sums wrap. If no vertex's count differs from the sum of the counts before it, none has wrapped: by induction over the
 * levels, as long as the sums here do not wrap. A vertex where they differ is a value. The rows are the reversed
 * edges'. */
ORDO_FN ordo_u64 bc_wrapped_visit(const bc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    ordo_u64 sum = v == s->source;
    int wraps = 0;
    (void)in;
    for (ordo_u64 e = out->row[v]; e < out->row[v + 1]; e++) {
        const ordo_vid u = out->head[e * out->stride];
        if (s->level[u] >= s->level[v] || s->level[v] - s->level[u] != 1)
            continue;
        sum += s->paths[u];
        wraps |= sum < s->paths[u];
    }
    return wraps || sum != s->paths[v] ? v : ORDO_NO_VALUE;
}

/* Ahead of adding up dependencies. */
ORDO_FN ordo_u64 bc_divide_visit(const bc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->cells[v] = s->paths[v] ? s->one / s->paths[v] : 0;
    s->x[v] = 0;
    return 0;
}

/* The numbers of paths, of which the greatest is wanted. */
ORDO_FN ordo_u64 bc_score_visit(const bc_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    const double paths = (double)s->paths[v], dependency = paths * ((double)s->x[v] * s->unit) - 1;
    (void)out;
    (void)in;
    s->error[v] += paths * s->unit;
    if (v != s->source && dependency > 0)
        s->score[v] += dependency;
    return s->paths[v] == ORDO_NO_VALUE ? ORDO_NO_VALUE - 1 : s->paths[v];
}

#endif

#define ORDO_PASS bc_levels
#define ORDO_PASS_STATE bc_arrays
#define ORDO_PASS_EACH bc_levels_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS bc_count
#define ORDO_PASS_STATE bc_arrays
#define ORDO_PASS_EACH bc_count_visit
#define ORDO_PASS_FOLD ORDO_MAX
#include <ordo/operator/pass.h>

#define ORDO_PASS bc_wrapped
#define ORDO_PASS_STATE bc_arrays
#define ORDO_PASS_EACH bc_wrapped_visit
#define ORDO_PASS_FOLD ORDO_MIN
#include <ordo/operator/pass.h>

#define ORDO_PASS bc_divide
#define ORDO_PASS_STATE bc_arrays
#define ORDO_PASS_EACH bc_divide_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS bc_score
#define ORDO_PASS_STATE bc_arrays
#define ORDO_PASS_EACH bc_score_visit
#define ORDO_PASS_FOLD ORDO_MAX
#include <ordo/operator/pass.h>
