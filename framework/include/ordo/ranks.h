/**
 * @file
 * PageRank by a query and an answer: the call of ordo_pagerank() without its list of arguments.
 *
 * Structs that callers fill begin as all zero, which is the default of every member, and end with reserved words, which
 * must stay zero: what is added later takes their place.
 */
#ifndef ORDO_RANKS_H
#define ORDO_RANKS_H

#include <ordo/apps.h>

ORDO_BEGIN_DECLS

/** What is asked. */
typedef struct ordo_rank_query {
    double damping;       /**< 0 to 1 - 2^-20; 0: 0.85 */
    double tolerance;     /**< n / 2^62 to 1; 0: 1e-6 */
    ordo_u64 reserved[6]; /**< 0 */
} ordo_rank_query;

/** What is answered. Arrays are the caller's. */
typedef struct ordo_rank_answer {
    double *rank;         /**< [out] [n]; not NULL where there are vertices */
    ordo_ranks *ranks;    /**< [out] what is known of them; not NULL */
    ordo_stats *stats;    /**< [out] the caller's, see ordo_run(); NULL: not wanted */
    ordo_u64 reserved[4]; /**< 0 */
} ordo_rank_answer;

/**
 * Ranks, as ordo_pagerank().
 * @param g        any graph
 * @param query    NULL: all zero
 * @param options  NULL: defaults
 * @param answer   arrays to fill
 * @return as of ordo_pagerank()
 */
ORDO_API ordo_status ordo_pagerank_of(const ordo_graph *g, const ordo_rank_query *query, const ordo_options *options,
                                      const ordo_rank_answer *answer);
/**
 * Verifies an answer of ordo_pagerank_of(), as ordo_pagerank_verify().
 * @param g       as then
 * @param query   likewise
 * @param answer  its arrays
 * @param how     the method
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_pagerank_of_verify(const ordo_graph *g, const ordo_rank_query *query,
                                             const ordo_rank_answer *answer, ordo_verify_how how);

ORDO_END_DECLS

#endif
