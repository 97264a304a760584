/* operators.c -- the matrix of the library's operators: X(OPERATOR, REFERENCE, SIZE), a line for each. */
#include "contract.h"

#include <stddef.h>

#define CONTRACT_OPERATORS(X)                                                                                          \
    X(sssp_u32, contract_integers, 150)                                                                                \
    X(sssp_i32, contract_integers, 150)                                                                                \
    X(sssp_f32, contract_floats, 150)                                                                                  \
    X(bellman_ford_i32, contract_signed, 150)                                                                          \
    X(bellman_ford_f32, contract_signed, 150)                                                                          \
    X(sssp_i64, contract_wide, 150)                                                                                    \
    X(sssp_f64, contract_wide, 150)                                                                                    \
    X(bellman_ford_i64, contract_wide, 150)                                                                            \
    X(bellman_ford_f64, contract_wide, 150)                                                                            \
    X(bfs, contract_integers, 150)                                                                                     \
    X(cc, contract_integers, 150)                                                                                      \
    X(mst_u32, contract_forests, 150)                                                                                  \
    X(mst_i32, contract_forests, 150)                                                                                  \
    X(mst_f32, contract_forests, 150)                                                                                  \
    X(widest_u32, contract_widest, 150)                                                                                \
    X(widest_i32, contract_widest, 150)                                                                                \
    X(widest_f32, contract_widest, 150)                                                                                \
    X(widest_i64, contract_wide, 150)                                                                                  \
    X(widest_f64, contract_wide, 150)                                                                                  \
    X(kcore, contract_kcore, 150)                                                                                      \
    X(pagerank, contract_pagerank, 150)                                                                                \
    X(lp, contract_lp, 60)                                                                                             \
    X(hits, contract_hits, 150)                                                                                        \
    X(survey, contract_survey, 150)                                                                                    \
    X(pagerank_pull_f32, contract_pagerank_pull_f32, 150)                                                              \
    X(pagerank_pull_f64, contract_pagerank_pull_f64, 150)                                                              \
    X(tc, contract_tc, 150)                                                                                            \
    X(scc, contract_scc, 150)                                                                                          \
    X(mis, contract_mis, 150)                                                                                          \
    X(colour, contract_colour, 60)                                                                                     \
    X(bc, contract_bc, 150)                                                                                            \
    X(relabel, contract_relabel, 150)                                                                                  \
    X(discharge, contract_discharge, 24)                                                                               \
    X(discharge_apart, contract_discharge_apart, 24)                                                                   \
    X(bank, contract_bank, 150)                                                                                        \
    X(hash_table, contract_hash_table, 150)                                                                            \
    X(lock_transfer, contract_lock_transfer, 150)                                                                      \
    X(lock_transfer_pair, contract_lock_transfer_pair, 150)                                                            \
    X(sgd, contract_sgd, 75)                                                                                           \
    X(matching, contract_matching, 150)                                                                                \
    X(dining, contract_dining, 60)
#define CONTRACT_DECLARE(_op, _reference, _size) contract_reference _reference;
CONTRACT_OPERATORS(CONTRACT_DECLARE)
#undef CONTRACT_DECLARE

#define CONTRACT_ROW(_op, _reference, _size) {#_op, _reference, _size, NULL},
const contract_row contract_rows[] = {CONTRACT_OPERATORS(CONTRACT_ROW){NULL, NULL, 0, NULL}};
