/**
 * @file
 * Points-to analysis: Andersen's, which is inclusion-based, flow-insensitive and context-insensitive (Andersen 1994).
 *
 * Variables of a program are numbered from 0; what a pointer may point to is a set of variables. A program is a list of
 * constraints, and the answer the smallest sets that satisfy them all; there is one.
 */
#ifndef ORDO_POINTS_TO_H
#define ORDO_POINTS_TO_H

#include <ordo/run.h>

ORDO_BEGIN_DECLS

/** What a statement of the program says. With S a source and D a destination, and pts() the sets: */
typedef enum ordo_constraint_kind {
    ORDO_ADDRESS_OF = 0, /**< D = &S: S is in pts(D) */
    ORDO_COPY = 1,       /**< D = S: pts(D) contains pts(S) */
    ORDO_LOAD = 2,       /**< D = *S: pts(D) contains pts(o) for every o in pts(S) */
    ORDO_STORE = 3       /**< *D = S: pts(o) contains pts(S) for every o in pts(D) */
} ordo_constraint_kind;
enum { ORDO_CONSTRAINT_KINDS = 4 /**< enumerators of ordo_constraint_kind */ };

/** A constraint. */
typedef struct ordo_constraint {
    ordo_u32 source, destination; /**< variables */
    ordo_u32 kind;                /**< an ordo_constraint_kind */
} ordo_constraint;

/** A program. */
typedef struct ordo_constraints {
    ordo_u32 variables;    /**< at most ORDO_MAX_VERTICES */
    ordo_u64 count;        /**< how many */
    ordo_constraint *list; /**< [count] every source and destination below `variables` */
} ordo_constraints;

/**
 * Reads a file of constraints, as those of Hardekopf and Lin (2007) and of Mendez-Lojo, Burtscher and Pingali (2012):
 * docs/points_to.md. It may be compressed.
 * @param path  the file; "-": standard input
 * @param out   [out] to be freed by ordo_constraints_free(); untouched on error
 * @return ORDO_OK; ORDO_ERR_IO; ORDO_ERR_INPUT with file, line and what is expected; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_constraints_read(const char *path, ordo_constraints *out);
/**
 * Writes such a file, completely or not at all.
 * @param path  the file
 * @param c     the constraints
 * @return ORDO_OK; ORDO_ERR_IO; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_constraints_write(const char *path, const ordo_constraints *c);
/**
 * Constraints like those of C programs: variables are in functions of 32, most statements are within a function, and
 * some use globals, a few of which are used often. 20 % take addresses, 50 % copy, 18 % load and 12 % store.
 * @param variables  2 or more
 * @param count      how many constraints
 * @param seed       the list follows from these numbers
 * @param out        [out] to be freed by ordo_constraints_free(); untouched on error
 * @return ORDO_OK; ORDO_ERR_USAGE; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_constraints_generate(ordo_u64 variables, ordo_u64 count, ordo_u64 seed,
                                               ordo_constraints *out);
/**
 * Frees the list and clears the constraints.
 * @param c  may be NULL
 */
ORDO_API void ordo_constraints_free(ordo_constraints *c);

/** The answer. Variables that were found on a cycle of copies share a set. */
typedef struct ordo_points_to_sets {
    ordo_u32 variables; /**< as of the constraints */
    ordo_u32 sets;      /**< how many; set 0 is empty */
    ordo_u32 *set;      /**< [variables] the number of each variable's set */
    ordo_u64 *row;      /**< [sets + 1] of set s: object[row[s]] to object[row[s + 1] - 1] */
    ordo_u32 *object;   /**< [row[sets]] what the set's variables may point to, ascending */
} ordo_points_to_sets;

/** How the answer was found. */
typedef struct ordo_points_to_found {
    ordo_u64 rounds; /**< in which sets grew */
    ordo_u64 items;  /**< variables processed: each time that a set had grown */
    ordo_u64 unions; /**< of a set into another one, along an edge */
    ordo_u64 edges;  /**< of copies at the end, those of the program included; one where both ends share sets */
    ordo_u64 added;  /**< edges that loads and stores added, and that variables brought to those whose set they share */
    ordo_u64 bytes;  /**< of blocks that sets and edges took */
    ordo_u64 joined; /**< variables that share the set of another one, on whose cycle of copies they were found */
    ordo_u64 reserved[3]; /**< 0 */
} ordo_points_to_found;

/**
 * Finds the sets.
 * @param c        the constraints
 * @param most     bytes that sets and edges may take while they grow; 0: no bound
 * @param options  only threads, timeout and cancel are read. NULL: defaults
 * @param out      [out] to be freed by ordo_points_to_free(); untouched on error
 * @param found    [out] may be NULL
 * @return ORDO_OK; ORDO_ERR_USAGE; ORDO_ERR_INPUT for a constraint that is none; ORDO_ERR_MEMORY, also where more than
 *         `most` bytes are needed; ORDO_ERR_CANCELLED; ORDO_ERR_TIMEOUT
 */
ORDO_API ordo_status ordo_points_to(const ordo_constraints *c, ordo_u64 most, const ordo_options *options,
                                    ordo_points_to_sets *out, ordo_points_to_found *found);
/**
 * Compares the sets with those that a serial program finds, which shares nothing with ordo_points_to().
 * @param c     the constraints
 * @param sets  the answer
 * @return ORDO_OK; ORDO_ERR_VERIFY with the first variable whose set is wrong; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_points_to_verify(const ordo_constraints *c, const ordo_points_to_sets *sets);
/**
 * Frees the sets and clears them.
 * @param sets  may be NULL
 */
ORDO_API void ordo_points_to_free(ordo_points_to_sets *sets);

ORDO_END_DECLS

#endif
