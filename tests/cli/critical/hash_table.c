/* hash_table.c -- operators/hash_table.h for `ordo check-operator`: vertices are elements and buckets; one goes into
 * the bucket of its first edge's head. */
#include <ordo/graph.h>

struct hash_table_state;
static void hash_table_fill(struct hash_table_state *s, const ordo_csr *graph, ordo_vid source);
static ordo_vid hash_table_check(const struct hash_table_state *s, const ordo_csr *graph);
#define ORDO_CRITICAL_FILL hash_table_fill
#define ORDO_CRITICAL_CHECK hash_table_check
#define ORDO_CRITICAL_RESULT head
#include "../../../operators/hash_table.h"

static void hash_table_fill(hash_table_state *s, const ordo_csr *graph, ordo_vid source)
{
    ordo_vid v;
    ordo_u32 *bucket = (ordo_u32 *)(size_t)s->bucket;
    (void)source;
    for (v = 0; v < graph->n; v++) {
        const ordo_eid first = graph->row[v];
        bucket[v] = first < graph->row[v + 1] ? graph->head[first * graph->stride] : v;
        s->next[v] = HASH_TABLE_FREE;
        s->head[v] = HASH_TABLE_END;
    }
}

/* Every element is in its bucket, and no bucket has more than these. */
static ordo_vid hash_table_check(const hash_table_state *s, const ordo_csr *graph)
{
    ordo_vid v, b, length;
    for (b = 0; b < graph->n; b++) {
        ordo_vid expected = 0;
        for (v = 0; v < graph->n; v++)
            expected += s->bucket[v] == b;
        for (v = s->head[b], length = 0; v != HASH_TABLE_END; v = s->next[v], length++)
            if (v >= graph->n || s->bucket[v] != b || length == expected)
                return b;
        if (length != expected)
            return b;
    }
    return ORDO_NO_VERTEX;
}
