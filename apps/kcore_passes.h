/* kcore_passes.h -- between two levels of peeling by operators/kcore.h: which vertices are removed next, and which
 * remain. Levels are kcore.c's.
 */
#include <ordo/operator/pass.h>

#ifndef ORDO_KCORE_PASSES_H
#define ORDO_KCORE_PASSES_H

typedef struct kcore_remain {
    const ordo_i32 *left; /* [n] cells of the operator: below 0 where the vertex was removed */
    ordo_i32 k;           /* kcore_next: vertices with fewer neighbours are removed */
} kcore_remain;

/* The neighbours that a vertex has left, where it remains. */
ORDO_FN ordo_u64 kcore_left(const kcore_remain *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    const ordo_i32 left = s->left[v];
    (void)out;
    (void)in;
    return left < 0 ? ORDO_NO_VALUE : (ordo_u64)left;
}

ORDO_FN int kcore_is_next(const kcore_remain *s, ordo_u64 left)
{
    return left < (ordo_u64)s->k;
}

#endif

#define ORDO_PASS kcore_next
#define ORDO_PASS_STATE kcore_remain
#define ORDO_PASS_EACH kcore_left
#define ORDO_PASS_FOLD ORDO_MIN
#define ORDO_PASS_SELECT kcore_is_next
#include <ordo/operator/pass.h>

#define ORDO_PASS kcore_remaining
#define ORDO_PASS_STATE kcore_remain
#define ORDO_PASS_EACH kcore_left
#define ORDO_PASS_FOLD ORDO_MIN
#include <ordo/operator/pass.h>
