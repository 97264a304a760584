/* path_order.c -- the order in which a serial search takes vertices, and the predecessors that follow from it.
 *
 * Problem: breadth-first search with a queue, and Dijkstra's algorithm with a heap that gives the earlier one of two
 * equal entries first, take vertices in a certain order: programs that had such a search before expect that order, and
 * that predecessor. Both depend on the order of the edges in a row.
 *
 * Method: breadth-first order is the queue itself. For Dijkstra's order distances are known, from any run; vertices
 * that are equally far form a group, which is a queue. A vertex that is taken appends the heads of its tight edges,
 * each once, to the queues of their distances: an edge without length appends to the queue that is being emptied. So
 * nothing is compared but distances, and the work is O(n + m).
 *
 * Not done: threads. Either order is defined by what one thread does.
 */
#include <ordo/error.h>
#include <ordo/memory.h>
#include <ordo/paths.h>

#include "apps/common.h"
#include "apps/path_query.h"
#include "apps/predecessors.h"

#define NO_GROUP 0xffffffffu

static ordo_status check(const ordo_path_query *query, const ordo_path_answer *answer, const void *order,
                         const void *count)
{
    if (!answer->value || !order || !count)
        return ordo_fail(ORDO_ERR_USAGE, "the order of a search: %s is NULL",
                         !answer->value ? "value"
                         : !order       ? "order"
                                        : "count");
    if (query->target_count || query->stop_after || answer->nearest || answer->stats || answer->within)
        return ordo_fail(ORDO_ERR_USAGE,
                         "the order of a search: there are targets, stop_after, nearest, stats or within, "
                         "expected none");
    return ORDO_OK;
}

static ordo_u64 queue_up(const ordo_csr *g, const ordo_path_query *query, ordo_u32 limit, ordo_u32 *level,
                         ordo_vid *pred, ordo_vid *queue)
{
    ordo_u64 count = 0;
    for (ordo_u64 i = 0; i < query->source_count; i++) {
        const ordo_vid s = query->sources[i];
        if (level[s] == ORDO_UNREACHED_U32) {
            level[s] = 0;
            queue[count++] = s;
        }
    }
    for (ordo_u64 i = 0; i < count && count < g->n; i++) {
        const ordo_vid u = queue[i];
        if (level[u] >= limit)
            break;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_vid v = g->head[e * g->stride];
            if (level[v] != ORDO_UNREACHED_U32)
                continue;
            level[v] = level[u] + 1;
            queue[count++] = v;
            if (pred)
                pred[v] = u;
        }
    }
    return count;
}

ordo_status ordo_bfs_order(const ordo_graph *g, const ordo_path_query *query, const ordo_path_answer *answer,
                           ordo_vid *order, ordo_u64 *count)
{
    ordo_sources from;
    ordo_status status = ordo_sources_make(g, query, answer, &from);
    if (status)
        return status;
    status = check(query, answer, order, count);
    if (!status) {
        const ordo_csr *rows = ordo_graph_out(g);
        ordo_u32 *level = answer->value;
        for (ordo_u64 v = 0; v < rows->n; v++)
            level[v] = ORDO_UNREACHED_U32;
        for (ordo_u64 v = 0; answer->pred && v < rows->n; v++)
            answer->pred[v] = ORDO_NO_VERTEX;
        *count = queue_up(rows, query, ordo_limit_u32(from.limit), level, answer->pred, order);
    }
    ordo_sources_free(&from);
    return status;
}

/* Vertices by distance, and their groups: queues that lie one after the other in `order`. */
typedef struct groups {
    const ordo_csr *g;
    ordo_type type;
    const void *dist;
    ordo_vid *pred;  /* or NULL */
    ordo_vid *order; /* [count] */
    ordo_u64 count;
    ordo_u32 *group; /* [n] where a vertex's group begins, until the vertex is appended to it; else NO_GROUP */
    ordo_u32 *end;   /* [count] of a group that begins there: where its queue ends by now */
} groups;

/* ORDO_ERR_USAGE where `order` is not a list of vertices by distance. */
static ordo_status find_groups(groups *t)
{
    const ordo_u64 unreached = ordo_unreached_word(t->type);
    ordo_u64 last = 0, begin = 0;
    for (ordo_u64 v = 0; v < t->g->n; v++)
        t->group[v] = NO_GROUP;
    for (ordo_u64 i = 0; i < t->count; i++) {
        const ordo_vid v = t->order[i];
        const ordo_u64 d = v < t->g->n ? ordo_word_at(t->type, t->dist, v) : unreached;
        if (d == unreached || d < last || t->group[v] != NO_GROUP)
            return ordo_fail(ORDO_ERR_USAGE,
                             "order[%llu] is %u, expected each vertex that is reached once, by distance",
                             (unsigned long long)i, v);
        if (d != last || !i)
            begin = i;
        t->group[v] = (ordo_u32)begin;
        t->end[i] = (ordo_u32)i;
        last = d;
    }
    return ORDO_OK;
}

static void append(groups *t, ordo_vid v)
{
    t->order[t->end[t->group[v]]++] = v;
    t->group[v] = NO_GROUP;
}

/* Empties all queues in turn; the number of vertices that were taken, which is less where a queue has places left. */
static ordo_u64 take_all(groups *t)
{
    ordo_u64 last = 0, begin = 0;
    for (ordo_u64 i = 0; i < t->count; i++) {
        const ordo_vid u = t->order[i];
        const ordo_u64 du = ordo_word_at(t->type, t->dist, u);
        if (du != last)
            begin = i;
        if (i >= t->end[begin])
            return i;
        last = du;
        for (ordo_eid e = t->g->row[u]; e < t->g->row[u + 1]; e++) {
            const ordo_vid v = t->g->head[e * t->g->stride];
            if (t->group[v] == NO_GROUP ||
                !ordo_is_tight(t->type, du, ordo_weight_word(t->g, e), ordo_word_at(t->type, t->dist, v)))
                continue;
            append(t, v);
            if (t->pred)
                t->pred[v] = u;
        }
    }
    return t->count;
}

static ordo_status take_in_order(groups *t, const ordo_path_query *query)
{
    ordo_status status = find_groups(t);
    if (status)
        return status;
    for (ordo_u64 v = 0; t->pred && v < t->g->n; v++)
        t->pred[v] = ORDO_NO_VERTEX;
    for (ordo_u64 i = 0; i < query->source_count; i++)
        if (t->group[query->sources[i]] == 0 && ordo_word_at(t->type, t->dist, query->sources[i]) == 0)
            append(t, query->sources[i]);
    const ordo_u64 taken = take_all(t);
    return taken == t->count
               ? ORDO_OK
               : ordo_fail(ORDO_ERR_USAGE,
                           "no tight edge leads to a vertex at place %llu of the order: expected distances "
                           "from these sources",
                           (unsigned long long)taken);
}

ordo_status ordo_sssp_order(const ordo_graph *g, const ordo_path_query *query, const ordo_path_answer *answer,
                            ordo_vid *order, ordo_u64 count)
{
    ordo_sources from;
    ordo_status status = ordo_sources_make(g, query, answer, &from);
    if (status)
        return status;
    groups t = {.g = ordo_graph_out(g),
                .type = ordo_sssp_type(g),
                .dist = answer->value,
                .pred = answer->pred,
                .order = order,
                .count = count};
    status = check(query, answer, order, &count);
    if (!status && count > t.g->n)
        status = ordo_fail(ORDO_ERR_USAGE, "an order of %llu vertices, expected at most %u", (unsigned long long)count,
                           t.g->n);
    if (!status) {
        t.group = ordo_alloc(t.g->n, sizeof *t.group);
        t.end = ordo_alloc(count + 1, sizeof *t.end);
        status = t.group && t.end ? take_in_order(&t, query) : ORDO_ERR_MEMORY;
    }
    ordo_free(t.group);
    ordo_free(t.end);
    ordo_sources_free(&from);
    return status;
}
