/**
 * @file
 * Satisfiability: formulas in conjunctive normal form, and assignments by survey propagation.
 *
 * ordo_sat() looks for an assignment that satisfies a formula. It finds one, or proves by unit propagation alone that
 * there is none, or gives up: a formula of which it found no assignment may have one.
 *
 * A literal is 2 v for variable v, 2 v + 1 for its negation; variables count from 0. In DIMACS files they count from 1.
 */
#ifndef ORDO_SAT_H
#define ORDO_SAT_H

#include <ordo/run.h>

ORDO_BEGIN_DECLS

/** The most variables of a formula. */
#define ORDO_MAX_VARIABLES ((ordo_u64)0x3fffffff)
/** The most occurrences of literals in a formula's clauses. */
#define ORDO_MAX_OCCURRENCES ((ordo_u64)0x7fffffff)

/** A formula. Its arrays are those of ordo_formula_read() and ordo_formula_generate(), or the caller's. */
typedef struct ordo_formula {
    ordo_u32 variables; /**< at most ORDO_MAX_VARIABLES */
    ordo_u32 clauses;   /**< how many */
    ordo_u32 *row;      /**< [clauses + 1] literals of clause c: row[c] to row[c + 1] - 1; a clause may be empty */
    ordo_u32 *literal;  /**< [row[clauses]] each below 2 * variables */
} ordo_formula;

/**
 * Reads a DIMACS .cnf file, which may be compressed.
 * @param path  the file; "-": standard input
 * @param out   [out] to be freed by ordo_formula_free(); untouched on error
 * @return ORDO_OK; ORDO_ERR_IO; ORDO_ERR_INPUT with file, line and what is expected; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_formula_read(const char *path, ordo_formula *out);

/**
 * Writes a DIMACS .cnf file, completely or not at all; compressed where the suffix says so.
 * @param path  the file
 * @param f     the formula
 * @return ORDO_OK; ORDO_ERR_IO; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_formula_write(const char *path, const ordo_formula *f);

/**
 * A random formula: every clause has `length` different variables, each negated with probability 1/2.
 * @param variables  at least `length`
 * @param clauses    how many
 * @param length     1 to 64
 * @param seed       the formula follows from these numbers
 * @param out        [out] to be freed by ordo_formula_free(); untouched on error
 * @return ORDO_OK; ORDO_ERR_USAGE; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_formula_generate(ordo_u64 variables, ordo_u64 clauses, ordo_u32 length, ordo_u64 seed,
                                           ordo_formula *out);

/**
 * Frees the arrays and clears the formula.
 * @param f  may be NULL
 */
ORDO_API void ordo_formula_free(ordo_formula *f);

/** How to look for an assignment. All zero: defaults. */
typedef struct ordo_sat_query {
    double fraction;      /**< share of the free variables that a decimation fixes, above 0 to 1; 0: 0.02 */
    ordo_u32 tries;       /**< how often to begin anew, each time with half the fraction; 0: 4 */
    ordo_u32 rounds;      /**< the most rounds of one decimation; 0: 300 */
    ordo_u64 seed;        /**< of all that is random */
    ordo_u64 flips;       /**< the most flips of a local search for each of its variables; 0: 200 */
    ordo_u64 reserved[4]; /**< 0 */
} ordo_sat_query;

/** What ordo_sat() found. */
typedef enum ordo_sat_answer {
    ORDO_SAT_UNKNOWN = 0,  /**< no assignment was found; there may be one */
    ORDO_SAT_SATISFIABLE,  /**< with an assignment */
    ORDO_SAT_UNSATISFIABLE /**< unit propagation of the formula as given ends in an empty clause: a proof */
} ordo_sat_answer;

/** How ordo_sat() came to its answer. */
typedef struct ordo_sat_found {
    ordo_sat_answer answer;
    ordo_u32 tries;       /**< that were begun */
    ordo_u32 decimations; /**< in which variables were fixed by their surveys, over all tries */
    ordo_u32 unconverged; /**< of these, how many used surveys that still changed */
    ordo_u64 rounds;      /**< of survey propagation, over all tries */
    ordo_u64 fixed;       /**< variables of the last try that surveys fixed */
    ordo_u64 implied;     /**< variables of the last try that unit propagation fixed */
    ordo_u64 searched;    /**< variables that were left to the last local search */
    ordo_u64 flips;       /**< of local searches, over all tries */
    ordo_u64 reserved[4]; /**< 0 */
} ordo_sat_found;

/**
 * Looks for an assignment by survey propagation and decimation (Braunstein, Mezard and Zecchina 2005): surveys are
 * iterated until they change little, the variables that they say most about are fixed, unit propagation simplifies the
 * formula, and so on until the surveys say nothing, when a local search (WalkSAT; Selman, Kautz and Cohen 1994) ends
 * it.
 * @param f        the formula
 * @param query    NULL: defaults
 * @param options  of the runs; scheduler "bsp" unless they name one. NULL: defaults
 * @param value    [out] [variables] 1 for true, 0 for false; set where the answer is ORDO_SAT_SATISFIABLE
 * @param found    [out] the answer
 * @param stats    [out] may be NULL; of all runs together, as of ordo_run(). Where nothing had to be run `op` is NULL
 * @return ORDO_OK, whatever the answer; ORDO_ERR_USAGE; ORDO_ERR_UNKNOWN; ORDO_ERR_UNSOUND; ORDO_ERR_MEMORY;
 *         ORDO_ERR_DEVICE; ORDO_ERR_CANCELLED; ORDO_ERR_TIMEOUT
 */
ORDO_API ordo_status ordo_sat(const ordo_formula *f, const ordo_sat_query *query, const ordo_options *options,
                              ordo_u8 *value, ordo_sat_found *found, ordo_stats *stats);

/**
 * Checks an assignment by substitution.
 * @param f      the formula
 * @param value  [variables] 0 or 1
 * @return ORDO_OK; ORDO_ERR_VERIFY with the first clause that is not satisfied
 */
ORDO_API ordo_status ordo_sat_verify(const ordo_formula *f, const ordo_u8 *value);

ORDO_END_DECLS

#endif
