/* verify.h -- what the verifiers of distances and levels share. Nothing here is used to compute answers.
 *
 * All arithmetic is in long double, whose 64 bits of a mantissa (on x86-64; 113 on aarch64) hold every number of every
 * type and every sum of two integers exactly.
 */
#ifndef ORDO_VERIFY_H
#define ORDO_VERIFY_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <ordo/apps.h>

#include "apps/path_query.h"

#include <float.h>
_Static_assert(LDBL_MANT_DIG >= 64, "a long double holds every i64");
typedef long double ordo_real;
#define ORDO_REAL_INFINITY ((ordo_real)INFINITY)

/* An answer that claims to be distances: the question and the answer. */
typedef struct ordo_claim {
    const ordo_csr *g;
    ordo_type type; /* of values */
    bool weighted;  /* otherwise every edge counts 1 */
    const ordo_sources *sources;
    double limit;
    const void *values;      /* [n] */
    const ordo_vid *pred;    /* [n] or NULL */
    const ordo_vid *nearest; /* [n] or NULL */
    const char *noun;        /* "distance", "level" */
} ordo_claim;

/* The claimed value of v, INFINITY where it is "unreached". */
static inline ordo_real ordo_claim_value(const ordo_claim *c, ordo_vid v)
{
    if (c->type == ORDO_F32)
        return ((const ordo_f32 *)c->values)[v];
    if (c->type == ORDO_F64)
        return ((const double *)c->values)[v];
    if (c->type == ORDO_I64) {
        ordo_i64 whole = ((const ordo_i64 *)c->values)[v];
        return whole == ORDO_UNREACHED_I64 ? ORDO_REAL_INFINITY : whole;
    }
    if (c->type == ORDO_I32) {
        ordo_i32 whole = ((const ordo_i32 *)c->values)[v];
        return whole == ORDO_UNREACHED_I32 ? ORDO_REAL_INFINITY : whole;
    }
    ordo_u32 whole = ((const ordo_u32 *)c->values)[v];
    return whole == ORDO_UNREACHED_U32 ? ORDO_REAL_INFINITY : whole;
}

static inline ordo_real ordo_claim_weight(const ordo_claim *c, ordo_eid e)
{
    const ordo_u32 *at = c->weighted ? (const ordo_u32 *)ordo_csr_weight_at(c->g, e) : NULL;
    ordo_i64 whole;
    double real;
    if (!at)
        return 1;
    if (c->type == ORDO_F64) {
        memcpy(&real, at, sizeof real);
        return real;
    }
    if (c->type == ORDO_I64) {
        memcpy(&whole, at, sizeof whole);
        return whole;
    }
    if (c->type == ORDO_F32)
        return *(const ordo_f32 *)(const void *)at;
    return c->type == ORDO_I32 ? (ordo_real)(ordo_i32)*at : (ordo_real)*at;
}

/* The value of a path of value du, extended by edge e: rounded as the type rounds; INFINITY where it does not fit the
 * type or exceeds the limit. */
static inline ordo_real ordo_claim_reach(const ordo_claim *c, ordo_real du, ordo_eid e)
{
    ordo_real sum = du + ordo_claim_weight(c, e);
    if (c->type == ORDO_F32)
        sum = (ordo_f32)(double)sum; /* the sum of two f32 is rounded twice, and still right: Figueroa 1995 */
    else if (c->type == ORDO_F64)
        sum = (double)du + (double)ordo_claim_weight(c, e); /* rounded once */
    else if (sum >= (c->type == ORDO_I64   ? (ordo_real)ORDO_UNREACHED_I64
                     : c->type == ORDO_I32 ? (ordo_real)ORDO_UNREACHED_I32
                                           : (ordo_real)ORDO_UNREACHED_U32))
        return ORDO_REAL_INFINITY;
    return sum <= c->limit ? sum : ORDO_REAL_INFINITY;
}

/* Text of a value. */
typedef struct ordo_claim_text {
    char text[40];
} ordo_claim_text;
ordo_claim_text ordo_claim_print(ordo_real value);

/* Sets *serial and *certificate by `how` and the graph's size. */
ordo_status ordo_verify_choose(const ordo_csr *g, ordo_verify_how how, bool *serial, bool *certificate);
/* The first step of a verifier of paths: checks the question, and fills the claim. For messages, `noun` is the name of
 * one value and `what` of the problem; NULL: weights are ignored. *sources is to be freed where it succeeds. */
ordo_status ordo_claim_make(const ordo_graph *g, const ordo_path_query *query, const ordo_path_answer *answer,
                            const char *noun, const char *what, ordo_verify_how how, ordo_sources *sources,
                            ordo_claim *out, bool *serial, bool *certificate);
/* ORDO_ERR_VERIFY with "vertex 7: distance 12, expected 11" where a value is not the right one. */
ordo_status ordo_claim_compare(const ordo_claim *c, ordo_vid v, ordo_real right);
/* Checks that tight edges lead from a source to every vertex whose value is not `unreached`. `reach`: the value of a
 * path that is extended by an edge. root: NULL, or [out] [n] of every vertex the source that a breadth-first search
 * over tight edges found it from, ORDO_NO_VERTEX for the others. */
ordo_status ordo_claim_ground(const ordo_claim *c, ordo_real (*reach)(const ordo_claim *c, ordo_real tail, ordo_eid e),
                              ordo_real unreached, ordo_vid *root);
/* Checks that no edge gives its head a smaller value. */
ordo_status ordo_claim_check_edges(const ordo_claim *c);
/* Checks that no edge is violated, and that tight edges lead from a source to every reached vertex. */
ordo_status ordo_claim_certify(const ordo_claim *c);
/* Checks that a search that ends early ended where the query asks for it; the values must be right. */
ordo_status ordo_claim_check_end(const ordo_claim *c, const ordo_path_query *query, const ordo_path_answer *answer);
/* Checks that predecessors, and sources of vertices, are those that <ordo/apps.h> and <ordo/paths.h> specify, as far as
 * they are claimed; the values must be right. */
ordo_status ordo_claim_check_trees(const ordo_claim *c);
/* ORDO_ERR_VERIFY with "vertex 7: found source 3, expected 4". */
ordo_status ordo_claim_compare_source(const ordo_claim *c, ordo_vid v, ordo_vid right);

#endif
