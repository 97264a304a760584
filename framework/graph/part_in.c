/* part_in.c -- in-rows of the vertices of one rank, where each of several processes has the edges of its own rows.
 *
 * Problem. A vertex's in-edges are in rows of any rank, and no rank has memory for all edges.
 *
 * Method. Each rank transposes its own rows. Of the result, the in-edges of another rank's vertices are a slice, since
 * these vertices are a range; ranks exchange slices of row bounds, and then of edges. Tails of rank 0 are below those
 * of rank 1, and so on, so the parts of a row, rank after rank, are in ascending order as in ordo_csr_transpose().
 *
 * Rows of other ranks' vertices are empty, and their edges are not counted in m. While in-rows are being made there are
 * two copies of a rank's in-edges, or one and the transposed out-edges, and two more arrays of the bounds of all rows.
 */
#include "graph.h"

#include <string.h>

#include "framework/run/distributed.h"

typedef struct part_in {
    const ordo_group *group;
    const ordo_csr *out; /* of the graph */
    ordo_csr *in;        /* what is made */
    int rank, ranks, threads;
    ordo_vid *first, *end; /* [ranks] the vertices of each */
    ordo_u64 length;       /* of a slice's bounds: one more than vertices of this rank */
    ordo_parcel *send;     /* [ranks] */
    ordo_room *take;       /* [ranks] */
    ordo_csr own;          /* own rows transposed, of all vertices */
    ordo_eid *bounds;      /* [ranks][length] of each slice, counted as in the rank that sent it */
    ordo_vid *edges;       /* all slices */
} part_in;

/* Sets p->own. Ranges of ranks may share some vertices (ordo_part_range), but an edge is sent by one rank: the one
 * whose row it is on CPUs. */
static ordo_status transpose_own(part_in *p)
{
    const ordo_csr *out = p->out;
    const ordo_eid begin = out->row[ordo_range_begin(out, p->rank, p->ranks)];
    const ordo_eid end = p->rank + 1 < p->ranks ? out->row[ordo_range_begin(out, p->rank + 1, p->ranks)] : out->m;
    ordo_eid *row = ordo_alloc((size_t)out->n + 1, sizeof *row);
    ordo_team *team;
    if (!row)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 v = 0; v <= out->n; v++)
        row[v] = out->row[v] < begin ? 0 : (out->row[v] < end ? out->row[v] : end) - begin;
    ordo_csr rows = *out;
    rows.row = row;
    rows.m = end - begin;
    rows.head += begin * out->stride;
    if (out->weight)
        rows.weight = (const ordo_vid *)out->weight + begin * out->stride;
    ordo_status status = ordo_graph_team(p->threads, rows.m > rows.n ? rows.m : rows.n, &team);
    if (!status) {
        status = ordo_csr_transpose(team, &rows, &p->own);
        ordo_team_return(team);
    }
    ordo_free(row);
    return status;
}

static ordo_status exchange_bounds(part_in *p)
{
    p->bounds = ordo_alloc(p->length, (size_t)p->ranks * sizeof *p->bounds);
    if (!p->bounds)
        return ORDO_ERR_MEMORY;
    for (int r = 0; r < p->ranks; r++) {
        p->send[r] = (ordo_parcel){p->own.row + p->first[r], (ordo_u64)(p->end[r] - p->first[r]) + 1};
        p->take[r] = (ordo_room){p->bounds + (ordo_u64)r * p->length, p->length};
    }
    return ordo_group_all_to_all(p->group, p->send, p->take, sizeof *p->bounds);
}

static ordo_status exchange_edges(part_in *p)
{
    const ordo_u64 words = p->own.stride;
    ordo_u64 coming = 0;
    for (int r = 0; r < p->ranks; r++) {
        const ordo_eid *row = p->own.row, *bounds = p->bounds + (ordo_u64)r * p->length;
        p->send[r] = (ordo_parcel){p->own.head + row[p->first[r]] * words, row[p->end[r]] - row[p->first[r]]};
        p->take[r].count = bounds[p->length - 1] - bounds[0];
        coming += p->take[r].count;
    }
    p->edges = ordo_alloc(coming, words * sizeof *p->edges);
    if (!p->edges)
        return ORDO_ERR_MEMORY;
    ordo_vid *to = p->edges;
    for (int r = 0; r < p->ranks; r++) {
        p->take[r].data = to;
        to += p->take[r].count * words;
    }
    return ordo_group_all_to_all(p->group, p->send, p->take, words * sizeof *p->edges);
}

/* Puts the rows of some vertices together; by a member of a team. */
static void merge_rows(void *arg, int member)
{
    const part_in *p = arg;
    const ordo_u64 words = p->in->stride;
    const ordo_eid *const row = p->in->row + p->first[p->rank];
    ordo_u64 begin, end;
    ordo_split(p->length - 1, p->threads, member, &begin, &end);
    for (ordo_u64 v = begin; v < end; v++) {
        ordo_vid *to = (ordo_vid *)(size_t)p->in->head + row[v] * words;
        for (int r = 0; r < p->ranks; r++) {
            const ordo_eid *bounds = p->bounds + (ordo_u64)r * p->length;
            const ordo_vid *slice = p->take[r].data;
            const ordo_u64 count = (bounds[v + 1] - bounds[v]) * words;
            if (count)
                memcpy(to, slice + (bounds[v] - bounds[0]) * words, count * sizeof *to);
            to += count;
        }
    }
}

static ordo_status merge_slices(part_in *p)
{
    const ordo_vid first = p->first[p->rank], end = p->end[p->rank];
    ordo_u64 all = 0;
    for (int r = 0; r < p->ranks; r++)
        all += p->take[r].count;
    ordo_team *team;
    ordo_status status = ordo_csr_alloc(p->out->n, all, p->out->weight_type, p->in);
    if (status)
        return status;
    ordo_eid *const row = (ordo_eid *)(size_t)p->in->row;
    for (ordo_u64 v = 0; v <= p->out->n; v++) {
        const ordo_u64 i = v <= first ? 0 : v < end ? v - first : p->length - 1;
        row[v] = 0;
        for (int r = 0; r < p->ranks; r++)
            row[v] += p->bounds[(ordo_u64)r * p->length + i] - p->bounds[(ordo_u64)r * p->length];
    }
    status = ordo_graph_team(p->threads, all, &team);
    if (status) {
        ordo_csr_free(p->in);
        return status;
    }
    p->threads = ordo_team_size(team);
    ordo_team_run(team, merge_rows, p);
    ordo_team_return(team);
    return ORDO_OK;
}

ordo_status ordo_part_transpose(const ordo_group *group, const ordo_csr *out, int threads, ordo_csr *in)
{
    const size_t ranks = (size_t)ordo_group_size(group);
    part_in p = {.group = group,
                 .out = out,
                 .in = in,
                 .threads = threads,
                 .rank = ordo_group_rank(group),
                 .ranks = (int)ranks,
                 .first = ordo_alloc(ranks, sizeof *p.first),
                 .end = ordo_alloc(ranks, sizeof *p.end),
                 .send = ordo_alloc(ranks, sizeof *p.send),
                 .take = ordo_alloc(ranks, sizeof *p.take)};
    ordo_status status = p.first && p.end && p.send && p.take ? ORDO_OK : ORDO_ERR_MEMORY;
    for (int r = 0; r < p.ranks && !status; r++)
        ordo_part_range(out, r, p.ranks, &p.first[r], &p.end[r]);
    if (!status) {
        p.length = (ordo_u64)(p.end[p.rank] - p.first[p.rank]) + 1;
        status = transpose_own(&p);
    }
    if (!status) {
        status = exchange_bounds(&p);
        if (!status)
            status = exchange_edges(&p);
        ordo_csr_free(&p.own);
    }
    if (!status)
        status = merge_slices(&p);
    ordo_free(p.edges);
    ordo_free(p.bounds);
    ordo_free(p.first);
    ordo_free(p.end);
    ordo_free(p.send);
    ordo_free(p.take);
    return status;
}
