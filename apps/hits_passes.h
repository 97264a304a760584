/* hits_passes.h -- between two half rounds of hits.c: copies and scales scores, and adds them up.
 *
 * Sums of reals do not fold (a pass folds whole numbers), and are to be the same bits on every device. So a pass adds
 * up lists of numbers to fewer: item i of `count` adds from[i], from[i + count], from[i + 2 count] ... in that order.
 * Strides let neighbouring threads of a GPU read neighbouring numbers.
 */
#include <ordo/operator/pass.h>

#ifndef ORDO_HITS_PASSES_H
#define ORDO_HITS_PASSES_H

typedef struct hits_arrays {
    double *to, *far;   /* [n]; far: NULL where no differences are wanted */
    const double *from; /* [n]; hits_add: what is added up */
    ordo_u64 n, count;  /* hits_add: elements of `from` and of `to` */
    double factor;      /* hits_scale */
} hits_arrays;

ORDO_FN ordo_u64 hits_begin_visit(const hits_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->to[v] = 1.0 / (double)s->n;
    return 0;
}

ORDO_FN ordo_u64 hits_copy_visit(const hits_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->to[v] = s->from[v];
    return 0;
}

ORDO_FN ordo_u64 hits_add_visit(const hits_arrays *s, ordo_item item, const ordo_rows *out, const ordo_rows *in)
{
    double sum = 0;
    (void)out;
    (void)in;
    for (ordo_u64 i = item; i < s->n; i += s->count)
        sum += s->from[i];
    s->to[item] = sum;
    return 0;
}

/* Scales to[v]; its distance from from[v] goes to far[v]. */
ORDO_FN ordo_u64 hits_scale_visit(const hits_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    const double score = s->to[v] * s->factor;
    (void)out;
    (void)in;
    if (s->far)
        s->far[v] = score < s->from[v] ? s->from[v] - score : score - s->from[v];
    s->to[v] = score;
    return 0;
}

#endif

#define ORDO_PASS hits_begin
#define ORDO_PASS_STATE hits_arrays
#define ORDO_PASS_EACH hits_begin_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS hits_copy
#define ORDO_PASS_STATE hits_arrays
#define ORDO_PASS_EACH hits_copy_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS hits_add
#define ORDO_PASS_STATE hits_arrays
#define ORDO_PASS_EACH hits_add_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS hits_scale
#define ORDO_PASS_STATE hits_arrays
#define ORDO_PASS_EACH hits_scale_visit
#include <ordo/operator/pass.h>
