/* survey.h -- half a round of survey propagation: every literal multiplies what its clauses do not ask for.
 *
 *   GATHER(l):  cell(l) = product of (1 - survey(a -> l)) over the clauses a that contain l
 *                                                                        [Braunstein, Mezard and Zecchina 2005]
 *
 * Vertices are the occurrences of literals in clauses, from 0, and behind them the literals, from `literals` on. Each
 * occurrence has one edge, to its literal. The cell of an occurrence is 1 less the survey that its clause sends to the
 * variable: the probability that the clause does not ask for this literal. The cell of a literal is the product of
 * these. A product is the exponential of a sum of logarithms, which an occurrence takes once a round.
 *
 * Where the products are pushed along the edges instead, every edge is an atomic multiplication of its variable's
 * word. Here a literal has one writer, so nothing is atomic, which is what Nasre, Burtscher and Pingali (2013) want of
 * the method.
 *
 * In place: occurrences keep their cells, and literals offer nothing, so a round has one answer whatever it reads.
 *
 * Not done: the other half, surveys from products (apps/sat_passes.h). Three cells make a factor of it, which is more
 * than an edge of a gather operator reads.
 */
#include <math.h>

#include <ordo/operator/operator.h>

#ifndef ORDO_OPERATORS_SURVEY_H
#define ORDO_OPERATORS_SURVEY_H

/* A product of a hundred small factors is not to become 0: what is divided by a factor later must not be 0 / 0. */
#define SURVEY_LEAST_LOG (-69.0F)

typedef struct survey_state {
    ordo_u64 literals; /* the first vertex that is a literal */
} survey_state;

ORDO_FN ordo_f32 survey_share(const survey_state *s, ordo_item v, ordo_f32 cell)
{
    return v < s->literals ? logf(cell) : 0.0F;
}

ORDO_FN ordo_f32 survey_apply(const survey_state *s, ordo_item v, ordo_f32 old, ordo_f32 sum, const double *total)
{
    (void)total;
    return v < s->literals ? old : expf(sum > SURVEY_LEAST_LOG ? sum : SURVEY_LEAST_LOG);
}

ORDO_FN ordo_u64 survey_rounds(const survey_state *s)
{
    (void)s;
    return 1;
}

#endif

#define ORDO_GATHER survey
#define ORDO_GATHER_SUMMARY "survey propagation, the products of literals"
#define ORDO_GATHER_STATE survey_state
#define ORDO_GATHER_ARRAYS(X)
#define ORDO_GATHER_CELL f32
#define ORDO_GATHER_WEIGHT none
#define ORDO_GATHER_PROPERTIES ORDO_IN_PLACE
#define ORDO_GATHER_COMBINE ORDO_SUM
#define ORDO_GATHER_VALUE f32
#define ORDO_GATHER_APPLY survey_apply
#define ORDO_GATHER_SHARE survey_share
#define ORDO_GATHER_SHARE_TYPE f32
#define ORDO_GATHER_ROUNDS survey_rounds
#include <ordo/operator/gather.h>
