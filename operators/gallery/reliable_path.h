/* reliable_path.h -- most reliable paths from one source: the largest probability that all edges of a path work.
 *
 *   p(v) = max(p(v), p(u) q(u, v))                                                   [Petrovic and Jovanovic 1979]
 *
 * Weights q are probabilities, 0 to 1, of edges that fail independently. Cells are 0, and 1 at the source, which is the
 * only initial item. A product is rounded, and rounding keeps the order of numbers, so no path gains by a worse
 * beginning: the answer is the best rounded product, the same in any order of work. The default priority takes larger
 * cells first, on a logarithmic scale.
 *
 * Not done: products below the least f32, which become 0, "no path".
 */
#include <ordo/operator/operator.h>

ORDO_FN ordo_f32 reliable_path_candidate(const ordo_no_state *s, ordo_f32 p, ordo_edge_f32 e)
{
    (void)s;
    return p * e.weight;
}

#define ORDO_RELAX reliable_path
#define ORDO_RELAX_SUMMARY "most reliable paths from one source"
#define ORDO_RELAX_CELL f32
#define ORDO_RELAX_WEIGHT f32
#define ORDO_RELAX_ORDER ORDO_MAX
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE reliable_path_candidate
#include <ordo/operator/relax.h>
