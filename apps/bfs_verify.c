/* bfs_verify.c -- checks levels: serially with a queue, or by the certificate of distances where every edge counts 1
 * (sssp_verify.c). O(n + m), 8 bytes a vertex; predecessors 12.
 */
#include "apps/verify.h"

#include <ordo/memory.h>

#include "apps/common.h"
#include "framework/run/phase.h"

static ordo_status check_serially(const ordo_claim *c)
{
    const ordo_csr *g = c->g;
    ordo_u32 *level = ordo_alloc(g->n, sizeof *level);
    ordo_vid *queue = ordo_alloc(g->n, sizeof *queue);
    ordo_status status = level && queue ? ORDO_OK : ORDO_ERR_MEMORY;
    ordo_u64 count = 0;
    if (!status) {
        for (ordo_vid v = 0; v < g->n; v++)
            level[v] = ORDO_UNREACHED_U32;
        for (ordo_u64 i = 0; i < c->sources->count; i++) {
            level[c->sources->vertex[i]] = 0;
            queue[count++] = c->sources->vertex[i];
        }
    }
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", g->n);
    for (ordo_u64 i = 0; i < count && level[queue[i]] + 1 <= c->limit && !ordo_phase_at(&phase, i); i++)
        for (ordo_eid e = g->row[queue[i]]; e < g->row[queue[i] + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            if (level[v] != ORDO_UNREACHED_U32)
                continue;
            level[v] = level[queue[i]] + 1;
            queue[count++] = v;
        }
    if (!status)
        status = ordo_phase_end(&phase);
    for (ordo_vid v = 0; !status && v < g->n; v++)
        status = ordo_claim_compare(c, v, level[v] == ORDO_UNREACHED_U32 ? ORDO_REAL_INFINITY : level[v]);
    ordo_free(queue);
    ordo_free(level);
    return status;
}

ordo_status ordo_bfs_from_verify(const ordo_graph *g, const ordo_path_query *query, const ordo_path_answer *answer,
                                 ordo_verify_how how)
{
    bool serial = true, certificate = true;
    ordo_sources sources;
    ordo_claim c;
    ordo_status status = ordo_claim_make(g, query, answer, "level", NULL, how, &sources, &c, &serial, &certificate);
    if (status)
        return status;
    c.type = ORDO_U32;
    c.weighted = false;
    if (serial)
        status = check_serially(&c);
    if (!status && certificate)
        status = ordo_claim_certify(&c);
    if (!status)
        status = ordo_claim_check_end(&c, query, answer);
    if (!status)
        status = ordo_claim_check_trees(&c);
    ordo_sources_free(&sources);
    return status;
}

ordo_status ordo_bfs_verify(const ordo_graph *g, ordo_vid source, double limit, const ordo_u32 *level,
                            const ordo_vid *pred, ordo_verify_how how)
{
    const ordo_path_query query = {.sources = &source, .source_count = 1, .limited = true, .limit = limit};
    const ordo_path_answer answer = {.value = (void *)(size_t)level, .pred = (ordo_vid *)(size_t)pred};
    return ordo_bfs_from_verify(g, &query, &answer, how);
}
