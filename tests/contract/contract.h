/* contract.h -- what the references of the contract share: a trial, running it, and failing.
 *
 * A reference makes a problem from a list of edges (or from t->size and t->seed alone), runs t->op on it by
 * contract_run, and compares the outcome with what a naive algorithm gives, or with what must hold. It shares no code
 * with the schedulers.
 */
#ifndef ORDO_TESTS_CONTRACT_H
#define ORDO_TESTS_CONTRACT_H

#include <ordo/run.h>

#include "tests/common/families.h"

typedef struct trial {
    const char *op, *family;
    unsigned size;
    ordo_u64 seed;
    ordo_options options;
    const char *settings[ORDO_MAX_TUNABLES];
    char text[ORDO_MAX_TUNABLES][64];
    ordo_u64 refused; /* settings that this operator, device or build does not have */
    ordo_stats stats;
} trial;

typedef void contract_reference(trial *t, const edge_list *list);

/* A row of the program's matrix: an operator and its reference. Trials have up to `size` vertices, and where that is
 * 150 each tenth seed up to 2000. */
typedef struct contract_row {
    const char *op;
    contract_reference *reference;
    unsigned size;
    const ordo_operator *outside; /* registered by the program; NULL: the library has the operator */
} contract_row;
/* Ends with op NULL. Those of the library: operators.c; of the gallery: tests/gallery/gallery.c. */
extern const contract_row contract_rows[];

/* Prints what was wrong, and with which settings; ends the program with 1. */
_Noreturn void contract_fail(const trial *t, const char *what);
/* Zeroed; at least one element. */
void *contract_alloc(size_t count, size_t size);
/* For a problem of several runs: called with the status that they gave with t->options. Returns true after a setting
 * was left out that they refuse: to be run again, from the beginning. Fails where they failed otherwise. */
bool contract_again(trial *t, ordo_status status);
/* Runs work with t->op and t->options into t->stats. Fails where that does. */
void contract_run(trial *t, ordo_work *work);
void contract_check_u32(const trial *t, const ordo_u32 *found, const ordo_u32 *expected, ordo_u64 n);
/* Runs a relax operator with a cell for each vertex from `source`, or from all where that is NULL, and compares every
 * cell. Takes g, cells and expected. */
void contract_run_cells(trial *t, ordo_graph *g, const void *state, const ordo_item *source, ordo_u32 *cells,
                        ordo_u32 *expected);

/* Each third graph has every edge both ways. */
static inline ordo_direction contract_direction(const trial *t)
{
    return t->seed % 3 == 0 ? ORDO_SYMMETRISE : ORDO_AS_STORED;
}

#endif
