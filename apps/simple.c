/* simple.c -- see simple.h. */
#include "apps/simple.h"

#include "apps/common.h"
#include "framework/graph/graph.h"

#include <ordo/memory.h>
#include <ordo/operator/operator.h>

typedef struct counting {
    const ordo_csr *g;
    ordo_i32 *left; /* [n] neighbours */
    ordo_u64 sum;   /* atomic: of left */
    ordo_u64 huge;  /* atomic: the first vertex with too many; n if none */
    bool unsorted;  /* atomic: some row is not in order of heads */
    const char *app;
} counting;

static void count_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    counting *c = arg;
    const ordo_csr *g = c->g;
    ordo_u64 sum = 0;
    for (ordo_u64 u = begin; u < end; u++) {
        ordo_u64 neighbours = 0;
        ordo_vid last = 0;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            bool first = e == g->row[u];
            if (!first && v < last)
                __atomic_store_n(&c->unsorted, true, __ATOMIC_RELAXED);
            neighbours += v != u && (first || v != last);
            last = v;
        }
        if (neighbours > ORDO_MOST_NEIGHBOURS)
            ordo_keep_least_u64(&c->huge, u);
        c->left[u] = (ordo_i32)neighbours;
        sum += neighbours;
    }
    ordo_add_u64(&c->sum, sum);
}

static ordo_status count_neighbours(counting *c, int threads)
{
    c->sum = 0;
    c->huge = c->g->n;
    c->unsorted = false;
    ordo_status status = ordo_for_ranges(threads, c->g->n, ORDO_GRAIN, count_range, c);
    if (!status && c->huge < c->g->n)
        status = ordo_fail(ORDO_ERR_INPUT, "vertex %llu has 2^31 neighbours or more; %s takes fewer",
                           (unsigned long long)c->huge, c->app);
    return status;
}

typedef struct packing {
    const ordo_csr *from;
    const ordo_eid *row;
    ordo_vid *head;
} packing;

static void pack_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const packing *p = arg;
    const ordo_csr *g = p->from;
    for (ordo_u64 u = begin; u < end; u++) {
        ordo_eid to = p->row[u];
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            if (v != u && (to == p->row[u] || v != p->head[to - 1]))
                p->head[to++] = v;
        }
    }
}

void ordo_simple_free(ordo_simple *s)
{
    ordo_graph_free(s->packed);
    ordo_graph_free(s->copy);
    ordo_free(s->row);
    ordo_free(s->head);
}

/* Copies sorted rows without loops and parallel edges. */
static ordo_status pack(ordo_simple *s, const counting *c, int threads)
{
    const ordo_vid n = c->g->n;
    s->row = ordo_alloc((size_t)n + 1, sizeof *s->row);
    s->head = ordo_alloc(c->sum, sizeof *s->head);
    if (!s->row || !s->head)
        return ORDO_ERR_MEMORY;
    s->row[0] = 0;
    for (ordo_vid v = 0; v < n; v++)
        s->row[v + 1] = s->row[v] + (ordo_u64)c->left[v];
    packing p = {c->g, s->row, s->head};
    ordo_status status = ordo_for_ranges(threads, n, ORDO_GRAIN, pack_range, &p);
    if (status)
        return status;
    ordo_csr csr = {.n = n, .m = c->sum, .row = s->row, .head = s->head, .stride = 1, .weight_type = ORDO_NONE};
    status = ordo_graph_over_own(&csr, true, 0, &s->packed);
    s->graph = s->packed;
    return status;
}

ordo_status ordo_simple_make(const ordo_graph *g, int threads, const char *app, ordo_i32 *neighbours, ordo_simple *s)
{
    const bool symmetric = ordo_graph_symmetric(g);
    counting c = {.g = ordo_graph_out(g), .left = neighbours, .app = app};
    ordo_status status = ORDO_OK;
    *s = (ordo_simple){.graph = g};
    if (symmetric && (status = count_neighbours(&c, threads)))
        return status;
    if (!symmetric || c.unsorted) {
        status = ordo_copy_rows(g, symmetric ? ORDO_AS_STORED : ORDO_SYMMETRISE, threads, &s->copy);
        if (status)
            return status;
        s->graph = s->copy;
        c.g = ordo_graph_out(s->copy);
        if ((status = count_neighbours(&c, threads)))
            return status;
    }
    return c.sum == c.g->m ? ORDO_OK : pack(s, &c, threads);
}
