/* push_relabel_search.c -- global relabels of push_relabel.c: a breadth-first search against residual edges.
 *
 * A level ends at a barrier. The entries of a level are in the bins of the members that have found them; a member
 * processes an even part of the sequence of all bins, mostly its own. Long rows are several entries. Levels of few
 * edges are processed by member 0 alone, while the others wait at the barrier. A vertex is found by the member whose
 * compare-and-swap sets its height.
 */
#include <string.h>

#include <ordo/scheduler/team.h>

#include "apps/push_relabel.h"

enum {
    PIECE = 1024,    /* edges of an entry, at most */
    FEW_EDGES = 512, /* levels of so many edges are member 0's; of twice as many, those after them */
    FEW = 64         /* a search does not go on beyond vertices with excess that are fewer than one of so many */
};

/* Makes entries of a row for a level. Returns the number of its edges. */
static inline ordo_u32 put_row(flow_view *v, ordo_bin *bin, ordo_vid u)
{
    const ordo_u32 begin = v->run->net->row[u], degree = v->run->net->row[u + 1] - begin;
    for (ordo_u32 i = 0; i < degree; i += PIECE)
        flow_put(v, bin, (flow_entry){u, begin + i});
    return degree;
}

/* Finds the vertices that have a residual edge to those of a level. `shared`: other members do so at the same time. */
static inline void search(flow_view *v, const flow_entry *first, ordo_u64 count, bool shared)
{
    const ordo_network *net = v->run->net;
    const discharge_edge *edge = net->edge;
    const ordo_u32 *row = net->row, n = net->n, level = v->level;
    ordo_u32 *height = net->height;
    ordo_bin *next = &v->me->level[(level + 1) & 1];
    flow_said sum = {0};
    for (ordo_u64 i = 0; i < count; i++) {
        const ordo_u32 begin = first[i].begin, row_end = row[first[i].vertex + 1];
        const ordo_u32 end = row_end - begin < PIECE ? row_end : begin + PIECE;
        for (ordo_u32 e = begin; e < end; e++) {
            const ordo_vid w = edge[e].head;
            ordo_u32 none = n;
            if (__atomic_load_n(&height[w], __ATOMIC_RELAXED) != none || w == net->fixed ||
                !edge[edge[e].reverse].residual)
                continue;
            if (!shared)
                height[w] = level;
            else if (!__atomic_compare_exchange_n(&height[w], &none, level, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                continue;
            sum.reached++;
            sum.edges += put_row(v, next, w);
            if (flow_holds_excess(net, w)) {
                flow_put(v, &v->me->active, (flow_entry){w, 0});
                sum.active++;
            }
        }
    }
    v->me->mine.reached += sum.reached;
    v->me->mine.edges += sum.edges;
    v->me->mine.active += sum.active;
    v->me->mine.entries = next->count;
}

/* A member's part of a level of `count` entries. */
static void search_part(flow_view *v, ordo_u64 count)
{
    const flow_run *run = v->run;
    ordo_u64 begin, end, before = 0;
    ordo_split(count, run->job->threads, v->id, &begin, &end);
    for (int i = 0; i < run->job->threads && before < end; i++) {
        const ordo_bin *bin = &run->members[i].level[v->level & 1];
        const ordo_u64 first = begin > before ? begin - before : 0, rest = end - before;
        const ordo_u64 last = rest < bin->count ? rest : bin->count;
        if (first < last)
            search(v, (const flow_entry *)bin->data + first, last - first, true);
        before += bin->count;
    }
}

/* By member 0 alone: levels of few edges, until `wanted` vertices with excess are reached. */
static void search_alone(flow_view *v, ordo_u64 wanted)
{
    flow_run *run = v->run;
    flow_said *mine = &v->me->mine;
    for (int i = 1; i < run->job->threads; i++) {
        ordo_bin *bin = &run->members[i].level[v->level & 1];
        for (ordo_u64 k = 0; k < bin->count; k++)
            flow_put(v, &v->me->level[v->level & 1], ((flow_entry *)bin->data)[k]);
        bin->count = 0;
    }
    for (bool more = true; more && !ordo_job_stopped(run->job);) {
        ordo_bin *level = &v->me->level[v->level & 1];
        *mine = (flow_said){.active = mine->active};
        search(v, level->data, level->count, false);
        level->count = 0;
        run->count[flow_count_of(run, v->level)] = (ordo_u32)mine->reached;
        v->level++;
        more = mine->entries && mine->active < wanted && (mine->edges <= 2 * FEW_EDGES || run->job->threads == 1);
        if (v->level % FLOW_POLL == 0)
            ordo_job_poll_within(run->job);
    }
    mine->reached = 0; /* counted */
}

/* Sets heights to n, and clears what the search makes. Counts vertices with excess. */
static void clear(flow_view *v)
{
    flow_run *run = v->run;
    ordo_network *net = run->net;
    ordo_u64 begin, end;
    ordo_split(net->n, run->job->threads, v->id, &begin, &end);
    for (ordo_u64 u = begin; u < end; u++) {
        net->height[u] = net->n;
        v->me->mine.active += flow_holds_excess(net, (ordo_vid)u);
    }
    memcpy(net->current + begin, net->row + begin, (end - begin) * sizeof *net->row);
    ordo_split((ordo_u64)run->count_stride << run->count_shift, run->job->threads, v->id, &begin, &end);
    memset(run->count + begin, 0, (end - begin) * sizeof *run->count);
    v->me->active.count = v->me->level[0].count = v->me->level[1].count = 0;
}

/* What an early end has left out is farther than what was reached. */
static void lift_rest(flow_view *v)
{
    flow_run *run = v->run;
    ordo_network *net = run->net;
    ordo_u64 begin, end;
    ordo_u32 lifted = 0;
    ordo_split(net->n, run->job->threads, v->id, &begin, &end);
    for (ordo_u64 u = begin; v->level < net->n && u < end; u++)
        if (net->height[u] == net->n && u != net->fixed) {
            net->height[u] = v->level;
            lifted++;
        }
    if (lifted)
        __atomic_fetch_add(&run->count[flow_count_of(run, v->level)], lifted, __ATOMIC_RELAXED);
}

/* The first level: the edges into `to`. */
static void start(flow_view *v)
{
    flow_run *run = v->run;
    run->net->height[run->to] = 0;
    run->count[flow_count_of(run, 0)] = 1;
    run->net->global_relabels++;
    run->relabels++;
    v->me->mine.edges = put_row(v, &v->me->level[v->level & 1], run->to);
    v->me->mine.entries = v->me->level[v->level & 1].count;
}

void flow_relabel(flow_view *v)
{
    flow_run *run = v->run;
    const ordo_network *net = run->net;
    clear(v);
    const ordo_u64 holders = flow_meet(v).active;
    /* whether the search ends once it has reached all vertices with excess */
    const bool enough = run->to == net->source || (holders && holders < net->n / FEW);
    const ordo_u64 wanted = enough ? holders : ~(ordo_u64)0;
    v->level = 1;
    v->active = 0;
    if (v->id == 0)
        start(v);
    for (flow_said all = flow_meet(v); all.entries && v->active < wanted && !v->stopped;) {
        const ordo_u32 level = v->level;
        if (all.edges > FEW_EDGES && run->job->threads > 1) {
            search_part(v, all.entries);
            v->level++;
        } else if (v->id == 0)
            search_alone(v, wanted - v->active);
        v->me->mine.level = v->level;
        all = flow_meet(v);
        if (v->id == 0 && all.reached)
            run->count[flow_count_of(run, level)] = (ordo_u32)all.reached;
        v->me->level[(v->level + 1) & 1].count = 0;
        v->level = all.level;
        v->active += all.active;
    }
    if (enough && v->active == holders && !v->stopped) {
        lift_rest(v);
        flow_meet(v);
    }
}
