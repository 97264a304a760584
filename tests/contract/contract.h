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

/* The matrix: X(OPERATOR, REFERENCE, SIZE), a line for each operator of the library. Trials have up to SIZE vertices,
 * and where that is 150 each tenth seed up to 2000. */
#define CONTRACT_OPERATORS(X)                                                                                          \
    X(sssp_u32, contract_integers, 150)                                                                                \
    X(sssp_i32, contract_integers, 150)                                                                                \
    X(sssp_f32, contract_floats, 150)                                                                                  \
    X(bfs, contract_integers, 150)                                                                                     \
    X(cc, contract_integers, 150)                                                                                      \
    X(mst_u32, contract_forests, 150)                                                                                  \
    X(mst_i32, contract_forests, 150)                                                                                  \
    X(mst_f32, contract_forests, 150)                                                                                  \
    X(widest_u32, contract_widest, 150)                                                                                \
    X(widest_i32, contract_widest, 150)                                                                                \
    X(widest_f32, contract_widest, 150)                                                                                \
    X(kcore, contract_kcore, 150)                                                                                      \
    X(pagerank, contract_pagerank, 150)                                                                                \
    X(relabel, contract_relabel, 150)                                                                                  \
    X(discharge, contract_discharge, 24)                                                                               \
    X(bank, contract_bank, 150)                                                                                        \
    X(hash_table, contract_hash_table, 150)                                                                            \
    X(sgd, contract_sgd, 150)
#define CONTRACT_DECLARE(_op, _reference, _size) contract_reference _reference;
CONTRACT_OPERATORS(CONTRACT_DECLARE)
#undef CONTRACT_DECLARE

/* Prints what was wrong, and with which settings; ends the program with 1. */
_Noreturn void contract_fail(const trial *t, const char *what);
/* Zeroed; at least one element. */
void *contract_alloc(size_t count, size_t size);
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
