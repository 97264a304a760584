/* predecessors.h -- a predecessor for every vertex, from distances. */
#ifndef ORDO_PREDECESSORS_H
#define ORDO_PREDECESSORS_H

#include <stdbool.h>
#include <string.h>

#include <ordo/graph.h>

#include "apps/common.h"
#include "apps/path_query.h"

/* Distances of one type on rows whose weights are of the same type; not weighted: every edge
 * counts 1. */
typedef struct ordo_paths {
    const ordo_csr *g;
    ordo_type type;
    bool weighted;
    bool by_hops; /* of any sign: the tight parent on a path of the fewest edges, and of these the smallest. Else as
                   * <ordo/apps.h> specifies for weights that are not negative */
    const ordo_sources *sources;
    const void *dist; /* [n] of that type, final */
} ordo_paths;

/* Fills pred[n] as <ordo/apps.h> specifies. O(n + m). */
ordo_status ordo_predecessors(const ordo_paths *paths, int threads, ordo_vid *pred);
/* The same; *missed: the reached vertices to which no tight edges lead from a source at 0, which then have none. */
ordo_status ordo_predecessors_some(const ordo_paths *paths, int threads, ordo_vid *pred, ordo_u64 *missed);
/* The same as ordo_predecessors, and fills nearest[n] with the source that predecessors lead to; NULL: not wanted,
 * either of them. */
ordo_status ordo_trees(const ordo_paths *paths, int threads, ordo_vid *pred, ordo_vid *nearest);
/* Fills the predecessors and the nearest sources that the input wants of an answer which has distances, as ordo_trees()
 * does. `paths`: how; its rows, sources and distances are set here. */
ordo_status ordo_answer_trees(const ordo_app_input *input, ordo_paths paths, int threads, ordo_answer *answer);
/* Bytes that ordo_predecessors may allocate. */
ordo_u64 ordo_predecessors_memory(ordo_u64 n);

/* Whether du + w = dv, as words of that type. A sum of whole numbers that wraps, of weights that are not negative, is
 * less than du. */
static inline __attribute__((always_inline)) bool ordo_is_tight(ordo_type type, ordo_u64 du, ordo_u64 w, ordo_u64 dv)
{
    ordo_f32 a, b;
    double x, y;
    if (type == ORDO_F32) {
        const ordo_u32 words[2] = {(ordo_u32)du, (ordo_u32)w};
        ordo_u32 sum;
        memcpy(&a, &words[0], sizeof a);
        memcpy(&b, &words[1], sizeof b);
        a += b;
        memcpy(&sum, &a, sizeof sum);
        return sum == dv;
    }
    if (type == ORDO_F64) {
        memcpy(&x, &du, sizeof x);
        memcpy(&y, &w, sizeof y);
        x += y;
        memcpy(&du, &x, sizeof du);
        return du == dv;
    }
    return ordo_is_wide(type) ? du + w == dv : (ordo_u32)du + (ordo_u32)w == (ordo_u32)dv;
}

#endif
