/* sat_passes.h -- the second half of a round of survey propagation: every clause computes its surveys anew.
 *
 *   survey(a -> i) = product over the other literals j of a of   U / (U + S + N)
 *   U = (1 - against) * with,   S = (1 - with) * against,   N = with * against
 *   with:    product of (1 - survey(b -> j)) over the other clauses b in which j has the same sign as in a
 *   against: the same over the clauses in which it has the other sign       [Braunstein, Mezard and Zecchina 2005]
 *
 * The factor is the probability that j cannot serve a, since others ask for its negation. The products over all clauses
 * are the cells of literals (operators/survey.h). The one without a is the quotient by a's own factor, which is never
 * 0: a survey is at most SURVEY_MOST.
 *
 * A clause writes the cells of its own occurrences and reads those of literals, which this pass does not change. So
 * every cell has one writer, and the pass needs no atomics.
 */
#include <ordo/operator/pass.h>

#ifndef ORDO_SAT_PASSES_H
#define ORDO_SAT_PASSES_H

/* The most that a survey can be; with more, quotients of f32 lose what they are computed for. */
#define SURVEY_MOST 0.999999F
/* Changes of surveys are folded as whole numbers, in units of 2^-32. */
#define SURVEY_UNIT 4294967296.0F

typedef struct survey_arrays {
    const ordo_u32 *row;     /* [clauses + 1] the occurrences of a clause */
    const ordo_u32 *literal; /* [occurrences] */
    ordo_f32 *cell;          /* [occurrences + literals] */
    ordo_f32 *factor;        /* [occurrences] of the pass itself */
    ordo_u64 literals;       /* the first vertex that is a literal */
    ordo_f32 keep;           /* damping: the part of the old survey that stays, 0 to less than 1 */
} survey_arrays;

/* How likely the literal of occurrence o cannot serve its clause. */
ORDO_FN ordo_f32 survey_factor(const survey_arrays *s, ordo_u32 o)
{
    const ordo_u32 l = s->literal[o];
    const ordo_f32 against = s->cell[s->literals + (l ^ 1)];
    ordo_f32 same = s->cell[s->literals + l] / s->cell[o];
    same = same < 1 ? same : 1;
    const ordo_f32 cannot = (1 - against) * same;
    return cannot / (cannot + against); /* S + N = against; not 0: SURVEY_LEAST_LOG bounds it */
}

/* Returns by how much a survey of the clause has changed at most. */
ORDO_FN ordo_u64 survey_update_visit(const survey_arrays *s, ordo_item a, const ordo_rows *out, const ordo_rows *in)
{
    ordo_f32 product = 1, most = 0; /* product: of the factors but 0 */
    int zeros = 0;
    (void)out;
    (void)in;
    for (ordo_u32 o = s->row[a]; o < s->row[a + 1]; o++) {
        const ordo_f32 factor = survey_factor(s, o);
        s->factor[o] = factor;
        zeros += !(factor > 1e-12F);
        product *= factor > 1e-12F ? factor : 1;
    }
    for (ordo_u32 o = s->row[a]; o < s->row[a + 1]; o++) {
        const ordo_f32 factor = s->factor[o], old = 1 - s->cell[o];
        ordo_f32 survey = factor > 1e-12F ? (zeros ? 0 : product / factor) : (zeros == 1 ? product : 0);
        survey = survey < SURVEY_MOST ? survey : SURVEY_MOST;
        survey += s->keep * (old - survey);
        const ordo_f32 change = survey < old ? old - survey : survey - old;
        most = change > most ? change : most;
        s->cell[o] = 1 - survey;
    }
    return (ordo_u64)(most * SURVEY_UNIT);
}

#endif

#define ORDO_PASS survey_update
#define ORDO_PASS_STATE survey_arrays
#define ORDO_PASS_EACH survey_update_visit
#define ORDO_PASS_FOLD ORDO_MAX
#include <ordo/operator/pass.h>
