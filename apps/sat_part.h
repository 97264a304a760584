/* sat_part.h -- what is left of a formula under a partial assignment, and how it gets smaller.
 *
 * Variables and clauses of a part have numbers of their own, from 0 without gaps; `name` has the variables' numbers in
 * the formula. A part is made once, and only shrinks, in its own arrays: variables are fixed, unit propagation fixes
 * what follows (sat_part_fix), and sat_part_shrink() removes satisfied clauses, false literals, and variables that no
 * clause has any more. Those stay false.
 */
#ifndef ORDO_SAT_PART_H
#define ORDO_SAT_PART_H

#include <stdbool.h>

#include <ordo/sat.h>

typedef struct sat_part {
    ordo_u32 variables, clauses, occurrences;
    ordo_u32 *row;       /* [clauses + 1] */
    ordo_u32 *literal;   /* [occurrences] 2 v, or 2 v + 1 for the negation of v */
    ordo_f32 *cell;      /* [occurrences + 2 variables] operators/survey.h */
    ordo_u32 *name;      /* [variables] */
    ordo_u32 *clause;    /* [occurrences] whose it is */
    ordo_u32 *first;     /* [2 variables + 1] the occurrences of a literal: at[first[l]] to at[first[l + 1] - 1] */
    ordo_u32 *at;        /* [occurrences] */
    ordo_u32 *left;      /* [clauses] literals that are not false, or SAT_SATISFIED */
    ordo_u32 *queue;     /* [variables] literals that are true, in the order in which they became so */
    ordo_u32 *number;    /* [variables] */
    ordo_u8 *fixed;      /* [variables] SAT_FALSE, SAT_TRUE or SAT_FREE */
    ordo_u32 head, tail; /* of the queue: propagated; all */
} sat_part;

enum { SAT_FALSE = 0, SAT_TRUE = 1, SAT_FREE = 2 };
#define SAT_SATISFIED 0xffffffffu

/* The whole formula, without repeated literals and without clauses that hold for every assignment. To be freed in any
 * case. Errors: ORDO_ERR_MEMORY. */
ordo_status sat_part_make(const ordo_formula *f, sat_part *p);
void sat_part_free(sat_part *p);

/* Makes a literal true, and what unit propagation says of it. False where a clause is left without a literal, after
 * which the part is of no use. A literal of a variable that is fixed already is not looked at. */
bool sat_part_fix(sat_part *p, ordo_u32 literal);
/* The same for all clauses that have one literal, or none. */
bool sat_part_units(sat_part *p);
/* Writes what is fixed to value[], by the formula's variables, and removes it. Returns the number of variables that
 * were fixed. */
ordo_u32 sat_part_shrink(sat_part *p, ordo_u8 *value);

/* WalkSAT with the break count of Selman, Kautz and Cohen (1994), from a random assignment. Writes one that satisfies
 * the part to value[], by the formula's variables, and sets *done; after `most` flips it gives up. *flips are added up.
 * Errors: ORDO_ERR_MEMORY, ORDO_ERR_CANCELLED, ORDO_ERR_TIMEOUT by what `stop` returns. */
typedef ordo_status sat_stop(void *arg);
ordo_status sat_walk(const sat_part *p, ordo_u64 seed, ordo_u64 most, sat_stop *stop, void *arg, ordo_u8 *value,
                     ordo_u64 *flips, bool *done);

#endif
