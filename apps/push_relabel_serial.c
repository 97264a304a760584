/* push_relabel_serial.c -- push-relabel by one thread: the native program of maxflow on the CPU.
 *
 * Method: Goldberg and Tarjan 1988, the highest active vertex first, with global relabels by work done, and gaps found
 * by counting vertices at each height (Cherkassky and Goldberg, "On implementing the push-relabel method for the
 * maximum flow problem", Algorithmica 19, 1997). Active vertices are in lists by height. A gap at height g disconnects
 * all vertices above it from `to`: `limit` becomes g + 1, and vertices that are not below the limit are skipped until
 * the next global relabel. They need not be found and relabelled. A vertex that reaches the limit later may be
 * connected to `to` or not. So the algorithm ends with a global relabel that finds no active vertex, unless no vertex
 * was skipped since the last one.
 *
 * If the highest vertex passes its excess on in many small pushes, each amount travels to the sink separately, which
 * takes quadratic time (on the family "ak" of networks, by the authors of that paper). So after many discharges without
 * a global relabel the order changes to sweeps from the highest level down, in which a vertex waits until all higher
 * ones have been discharged once. In sweeps, moving to a lower level also counts as work.
 *
 * Not done: several threads.
 */
#include "apps/network.h"

#include <string.h>

#include <ordo/memory.h>

enum {
    RELABEL_WORK = 12, /* work of a relabel, in addition to the number of edges */
    RELABEL_EVERY = 6, /* work between global relabels: so many times n, plus the number of residual edges */
    IN_TURN = 4,       /* discharges, highest vertex first, between global relabels: so many times n */
    POLL = 4096        /* discharges between two calls of `stop` */
};
#define NOBODY 0xffffffffu

typedef struct preflow {
    ordo_network *net;
    ordo_vid to;
    ordo_u32 limit;   /* vertices at this height or above are skipped */
    ordo_u32 highest; /* no listed vertex is higher */
    ordo_u32 *first;  /* [n] by height: the first of the listed active vertices */
    ordo_u32 *next;   /* [n] by vertex: the next in the same list */
    ordo_u32 *count;  /* [n] by height, below the limit: the number of vertices */
    ordo_u32 level;   /* the next vertex to be discharged is not higher */
    ordo_u64 in_turn; /* discharges that remain in the order highest first; 0: sweeps */
    ordo_u64 work;    /* since the last global relabel */
    bool dropped;     /* an active vertex has been skipped since then */
} preflow;

static inline void list(preflow *p, ordo_vid v, ordo_u32 height)
{
    p->next[v] = p->first[height];
    p->first[height] = v;
    if (height > p->highest)
        p->highest = height;
    if (p->in_turn && height > p->level)
        p->level = height;
}

static ordo_u64 relabel_all(preflow *p)
{
    ordo_network *net = p->net;
    const ordo_u32 n = net->n;
    ordo_u64 active = ordo_network_relabel(net, p->to);
    memset(p->first, 0xff, n * sizeof *p->first);
    memset(p->count, 0, n * sizeof *p->count);
    p->limit = n;
    p->highest = p->level = 0;
    p->in_turn = IN_TURN * (ordo_u64)n;
    p->work = 0;
    p->dropped = false;
    for (ordo_vid v = 0; v < n; v++)
        if (net->height[v] < n)
            p->count[net->height[v]]++;
    for (ordo_u64 i = active; i-- > 0;)
        list(p, net->queue[i], net->height[net->queue[i]]);
    return active;
}

static void discharge(preflow *p, const ordo_vid u)
{
    ordo_network *net = p->net;
    discharge_edge *const edge = net->edge;
    ordo_u32 *const height = net->height;
    ordo_u64 *const excess = net->excess;
    const ordo_u32 begin = net->row[u], end = net->row[u + 1];
    ordo_u32 h = height[u], e = net->current[u];
    ordo_u64 mine = excess[u];
    net->pushed[u] = true;
    for (;;) {
        for (; e < end; e++) {
            const ordo_vid v = edge[e].head;
            if (!edge[e].residual || height[v] + 1 != h)
                continue;
            ordo_u64 amount = mine < edge[e].residual ? mine : edge[e].residual;
            edge[e].residual -= amount;
            edge[edge[e].reverse].residual += amount;
            if (!excess[v] && v != p->to)
                list(p, v, h - 1);
            excess[v] += amount;
            mine -= amount;
            net->pushes++;
            if (!mine) {
                excess[u] = 0;
                net->current[u] = e;
                return;
            }
        }
        ordo_u32 lowest = p->limit, at = begin;
        for (e = begin; e < end; e++)
            if (edge[e].residual && height[edge[e].head] < lowest) {
                lowest = height[edge[e].head];
                at = e;
            }
        p->work += RELABEL_WORK + end - begin;
        net->relabels++;
        if (--p->count[h] == 0 && h + 1 < p->limit)
            p->limit = h + 1;
        if (lowest + 1 >= p->limit) {
            height[u] = p->limit > h ? p->limit : h + 1;
            excess[u] = mine;
            p->dropped = true;
            return;
        }
        height[u] = h = lowest + 1;
        p->count[h]++;
        e = at;
        if (p->in_turn == 0) { /* it is discharged again in the next sweep */
            net->current[u] = e;
            excess[u] = mine;
            list(p, u, h);
            return;
        }
    }
}

/* Removes the next active vertex from its list, and returns it. */
static inline ordo_vid next_active(preflow *p)
{
    if (p->highest >= p->limit) {
        p->highest = p->limit - 1;
        p->dropped = true;
    }
    if (p->level > p->highest)
        p->level = p->highest;
    ordo_u32 before = p->level;
    while (p->level && p->first[p->level] == NOBODY)
        p->level--;
    if (!p->level) {
        while (p->highest && p->first[p->highest] == NOBODY)
            p->highest--;
        p->level = p->highest;
        before += p->highest;
    }
    if (p->in_turn)
        p->in_turn--;
    else
        p->work += before - p->level;
    if (!p->level)
        return NOBODY;
    ordo_vid u = p->first[p->level];
    p->first[p->level] = p->next[u];
    return u;
}

ordo_status ordo_preflow(ordo_network *net, ordo_vid to, ordo_stop_fn *stop, void *arg, bool *exact, bool *stopped)
{
    const ordo_u32 n = net->n;
    const ordo_u64 budget = RELABEL_EVERY * (ordo_u64)n + net->row[n];
    preflow p = {.net = net,
                 .to = to,
                 .first = ordo_alloc(n, sizeof *p.first),
                 .next = ordo_alloc(n, sizeof *p.next),
                 .count = ordo_alloc(n, sizeof *p.count)};
    ordo_status status = p.first && p.next && p.count ? ORDO_OK : ORDO_ERR_MEMORY;
    *stopped = false;
    *exact = false;
    for (ordo_vid u = 0; !status && !*stopped && (u != NOBODY || p.dropped);) {
        ordo_u64 active = relabel_all(&p);
        if ((*exact = active == 0))
            break;
        *stopped = stop && stop(arg, active, true);
        while (!*stopped && p.work <= budget && (u = next_active(&p)) != NOBODY) {
            discharge(&p, u);
            if (++net->discharges % POLL == 0)
                *stopped = stop && stop(arg, active, false);
        }
    }
    ordo_free(p.first);
    ordo_free(p.next);
    ordo_free(p.count);
    return status;
}
