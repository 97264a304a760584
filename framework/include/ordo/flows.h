/**
 * @file
 * Maximum flows by a query and an answer: the call of ordo_maxflow() without its list of arguments.
 *
 * Structs that callers fill begin as all zero, which is the default of every member, and end with reserved words, which
 * must stay zero: what is added later takes their place.
 */
#ifndef ORDO_FLOWS_H
#define ORDO_FLOWS_H

#include <stdbool.h>

#include <ordo/apps.h>

ORDO_BEGIN_DECLS

/** What is asked. */
typedef struct ordo_flow_query {
    bool terminals;        /**< whether `source` and `sink` count; else they are those that the graph names, see
                            * ordo_graph_vertex_data() */
    ordo_vid source;       /**< where the flow is from */
    ordo_vid sink;         /**< where it goes */
    ordo_flow_options how; /**< how it is wanted */
    ordo_u64 reserved[4];  /**< 0 */
} ordo_flow_query;

/** What is answered. Arrays are the caller's. */
typedef struct ordo_flow_answer {
    ordo_u64 *flow;       /**< [out] [m] the flow on each stored edge; NULL: not wanted */
    ordo_u8 *side;        /**< [out] [n] 1 on the source side of the cut, 0 on the sink side; not NULL */
    ordo_flow *result;    /**< [out] the flow's numbers; not NULL */
    ordo_stats *stats;    /**< [out] the caller's, see ordo_run(); NULL: not wanted */
    ordo_u64 reserved[4]; /**< 0 */
} ordo_flow_answer;

/**
 * A maximum flow and a minimum cut, as ordo_maxflow().
 * @param g        as there
 * @param query    NULL: all zero
 * @param options  NULL: defaults
 * @param answer   arrays to fill
 * @return as of ordo_maxflow()
 */
ORDO_API ordo_status ordo_maxflow_from(const ordo_graph *g, const ordo_flow_query *query, const ordo_options *options,
                                       const ordo_flow_answer *answer);
/**
 * Verifies an answer of ordo_maxflow_from(), as ordo_maxflow_verify().
 * @param g       as then
 * @param query   likewise
 * @param answer  its arrays, all three
 * @param how     the method
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_maxflow_from_verify(const ordo_graph *g, const ordo_flow_query *query,
                                              const ordo_flow_answer *answer, ordo_verify_how how);

ORDO_END_DECLS

#endif
