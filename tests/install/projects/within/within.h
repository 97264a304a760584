#include <ordo/operator/pass.h>

#ifndef WITHIN_H
#define WITHIN_H

typedef struct within {
    ordo_u32 *level; /* [n] */
    ordo_u32 most;
    ordo_vid source;
} within;

/* Ahead of a search: its cells. */
ORDO_FN ordo_u64 within_start_visit(const within *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->level[v] = v == s->source ? 0 : ordo_highest_u32();
    return 0;
}

/* After it: the vertices that are near have a value. */
ORDO_FN ordo_u64 within_near_visit(const within *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    return s->level[v] <= s->most ? s->level[v] : ORDO_NO_VALUE;
}

#endif

#define ORDO_PASS within_start
#define ORDO_PASS_STATE within
#define ORDO_PASS_EACH within_start_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS within_near
#define ORDO_PASS_STATE within
#define ORDO_PASS_EACH within_near_visit
#define ORDO_PASS_FOLD ORDO_MAX
#include <ordo/operator/pass.h>
