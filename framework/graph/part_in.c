/* part_in.c -- in-rows of the vertices of one rank, where each of several processes has the edges of its own rows.
 *
 * Problem. A vertex's in-edges are in rows of any rank, and no rank has memory for all edges.
 *
 * Method. Each rank transposes its own rows. Of the result, the in-edges of another rank's vertices are a slice; ranks
 * exchange slices, the bounds of their rows first. A row of in-edges is merged from those of all slices, in ascending
 * order of tails as in ordo_csr_transpose(): where ranks own ranges, tails of rank 0 are below those of rank 1, and so
 * on; else rows are sorted.
 *
 * Rows of other ranks' vertices are empty, and their edges are not counted in m. While in-rows are being made there are
 * two copies of a rank's edges, in or out, and three more arrays of the bounds of all rows.
 */
#include "graph.h"
#include "rows.h"

#include <string.h>

#include "framework/run/distributed.h"

/* Bounds of a slice begin with 0 and are one more than there are vertices. */
typedef struct part_in {
    const ordo_rank_part *part; /* of out-rows */
    ordo_csr *in;               /* what is made */
    int threads;
    ordo_u64 *owned;            /* [ranks] vertices of each */
    ordo_u64 length;            /* of the bounds of a slice of this rank's vertices */
    ordo_parcel *send;          /* [ranks] */
    ordo_room *take;            /* [ranks] */
    ordo_csr own;               /* own rows transposed, of all vertices */
    ordo_eid *to_bounds;        /* [ranks][] of the slices of `own` */
    ordo_eid *bounds;           /* [ranks][length] of the slices that come */
    ordo_vid *to_edges, *edges; /* all slices that go, and that come */
} part_in;

/* The vertices of this rank's range whose edges it sends. Ranges may share some vertices (ordo_part_owned), but an edge
 * is sent by one rank: the one that owns its tail on CPUs. */
static void senders(const ordo_rank_part *part, ordo_u64 range, ordo_vid *first, ordo_vid *end)
{
    ordo_part_owned(part, part->rank, range, first, end);
    if (!part->is_cyclic)
        *first = ordo_range_begin(part->csr, part->rank, part->ranks);
}

/* Own rows, one behind the other; those of other vertices are empty. */
static ordo_status copy_own(const ordo_rank_part *part, ordo_csr *rows)
{
    const ordo_csr *out = part->csr;
    const ordo_u64 words = out->stride;
    ordo_u64 edges = 0, v = 0;
    ordo_vid first, end;
    for (ordo_u64 i = 0; i < part->ranges; i++) {
        senders(part, i, &first, &end);
        edges += out->row[end] - out->row[first];
    }
    const ordo_status status = ordo_csr_alloc(out->n, edges, out->weight_type, rows);
    if (status)
        return status;
    ordo_eid *const row = (ordo_eid *)(size_t)rows->row;
    ordo_vid *const head = (ordo_vid *)(size_t)rows->head;
    edges = 0;
    for (ordo_u64 i = 0; i < part->ranges; i++) {
        senders(part, i, &first, &end);
        while (v < first)
            row[v++] = edges;
        if (first < end)
            memcpy(head + edges * words, out->head + out->row[first] * words,
                   (out->row[end] - out->row[first]) * words * sizeof *head);
        for (; v < end; v++) {
            row[v] = edges;
            edges += out->row[v + 1] - out->row[v];
        }
    }
    while (v <= out->n)
        row[v++] = edges;
    return ORDO_OK;
}

static ordo_status transpose_own(part_in *p)
{
    ordo_csr rows;
    ordo_team *team;
    ordo_status status = copy_own(p->part, &rows);
    if (status)
        return status;
    status = ordo_graph_team(p->threads, rows.m > rows.n ? rows.m : rows.n, &team);
    if (!status) {
        status = ordo_csr_transpose(team, &rows, &p->own);
        ordo_team_return(team);
    }
    ordo_csr_free(&rows);
    return status;
}

static ordo_status exchange_bounds(part_in *p)
{
    const ordo_rank_part *part = p->part;
    const ordo_eid *row = p->own.row;
    ordo_u64 all = 0;
    for (int r = 0; r < part->ranks; r++)
        all += p->owned[r] + 1;
    p->to_bounds = ordo_alloc(all, sizeof *p->to_bounds);
    p->bounds = ordo_alloc(p->length, (size_t)part->ranks * sizeof *p->bounds);
    if (!p->to_bounds || !p->bounds)
        return ORDO_ERR_MEMORY;
    ordo_eid *to = p->to_bounds;
    for (int r = 0; r < part->ranks; r++) {
        p->send[r] = (ordo_parcel){to, p->owned[r] + 1};
        p->take[r] = (ordo_room){p->bounds + (ordo_u64)r * p->length, p->length};
        *to++ = 0;
        for (ordo_u64 i = 0; i < part->ranges; i++) {
            ordo_vid v, end;
            for (ordo_part_owned(part, r, i, &v, &end); v < end; v++, to++)
                *to = to[-1] + (row[v + 1] - row[v]);
        }
    }
    return ordo_group_all_to_all(part->group, p->send, p->take, sizeof *p->bounds);
}

/* Puts the slices of the transposed rows one behind the other, and frees these. */
static ordo_status pack_edges(part_in *p)
{
    const ordo_rank_part *part = p->part;
    const ordo_eid *row = p->own.row, *bounds = p->to_bounds;
    const ordo_u64 words = p->own.stride;
    ordo_u64 all = 0;
    for (int r = 0; r < part->ranks; r++, bounds++) {
        bounds += p->owned[r];
        p->send[r].count = *bounds;
        all += *bounds;
    }
    p->to_edges = ordo_alloc(all, words * sizeof *p->to_edges);
    ordo_vid *to = p->to_edges;
    for (int r = 0; r < part->ranks && to; r++) {
        p->send[r].data = to;
        for (ordo_u64 i = 0; i < part->ranges; i++) {
            ordo_vid first, end;
            ordo_part_owned(part, r, i, &first, &end);
            const ordo_u64 length = (row[end] - row[first]) * words;
            memcpy(to, p->own.head + row[first] * words, length * sizeof *to);
            to += length;
        }
    }
    ordo_csr_free(&p->own);
    return p->to_edges ? ORDO_OK : ORDO_ERR_MEMORY;
}

static ordo_status exchange_edges(part_in *p)
{
    const ordo_u64 words = p->part->csr->stride;
    ordo_u64 coming = 0;
    for (int r = 0; r < p->part->ranks; r++) {
        p->take[r].count = p->bounds[((ordo_u64)r + 1) * p->length - 1];
        coming += p->take[r].count;
    }
    p->edges = ordo_alloc(coming, words * sizeof *p->edges);
    if (!p->edges)
        return ORDO_ERR_MEMORY;
    ordo_vid *to = p->edges;
    for (int r = 0; r < p->part->ranks; r++) {
        p->take[r].data = to;
        to += p->take[r].count * words;
    }
    const ordo_status status = ordo_group_all_to_all(p->part->group, p->send, p->take, words * sizeof *p->edges);
    ordo_free(p->to_edges);
    p->to_edges = NULL;
    return status;
}

/* Puts the rows of some vertices together; by a member of a team. */
static void join_rows(void *arg, int member)
{
    const part_in *p = arg;
    const ordo_u64 words = p->in->stride;
    ordo_vid *to = (ordo_vid *)(size_t)p->in->head;
    ordo_u64 begin, end;
    ordo_split(p->length - 1, p->threads, member, &begin, &end);
    for (int r = 0; r < p->part->ranks; r++)
        to += p->bounds[(ordo_u64)r * p->length + begin] * words;
    for (ordo_u64 i = begin; i < end; i++)
        for (int r = 0; r < p->part->ranks; r++) {
            const ordo_eid *bounds = p->bounds + (ordo_u64)r * p->length;
            const ordo_u64 count = (bounds[i + 1] - bounds[i]) * words;
            if (count)
                memcpy(to, (const ordo_vid *)p->take[r].data + bounds[i] * words, count * sizeof *to);
            to += count;
        }
}

/* Bounds of the rows of all vertices; those of other ranks' are empty. */
static void set_bounds(const part_in *p)
{
    ordo_eid *const row = (ordo_eid *)(size_t)p->in->row, edges = 0;
    ordo_u64 i = 0;
    ordo_vid v = 0;
    for (ordo_u64 range = 0; range < p->part->ranges; range++) {
        ordo_vid first, end;
        ordo_part_owned(p->part, p->part->rank, range, &first, &end);
        while (v < first)
            row[v++] = edges;
        for (; v < end; v++, i++) {
            row[v] = edges;
            for (int r = 0; r < p->part->ranks; r++)
                edges += p->bounds[(ordo_u64)r * p->length + i + 1] - p->bounds[(ordo_u64)r * p->length + i];
        }
    }
    for (ordo_u64 rest = v; rest <= p->part->csr->n; rest++)
        row[rest] = edges;
}

static ordo_status merge_slices(part_in *p)
{
    ordo_u64 all = 0;
    for (int r = 0; r < p->part->ranks; r++)
        all += p->take[r].count;
    ordo_team *team;
    ordo_status status = ordo_csr_alloc(p->part->csr->n, all, p->part->csr->weight_type, p->in);
    if (status)
        return status;
    set_bounds(p);
    status = ordo_graph_team(p->threads, all, &team);
    if (!status) {
        p->threads = ordo_team_size(team);
        ordo_team_run(team, join_rows, p);
        if (p->part->is_cyclic)
            status = ordo_csr_sort(team, p->in);
        ordo_team_return(team);
    }
    if (status)
        ordo_csr_free(p->in);
    return status;
}

ordo_status ordo_part_transpose(const ordo_rank_part *part, int threads, ordo_csr *in)
{
    const size_t ranks = (size_t)part->ranks;
    part_in p = {.part = part,
                 .in = in,
                 .threads = threads,
                 .owned = ordo_alloc_zero(ranks, sizeof *p.owned),
                 .send = ordo_alloc(ranks, sizeof *p.send),
                 .take = ordo_alloc(ranks, sizeof *p.take)};
    ordo_status status = p.owned && p.send && p.take ? ORDO_OK : ORDO_ERR_MEMORY;
    for (int r = 0; r < part->ranks && !status; r++)
        for (ordo_u64 i = 0; i < part->ranges; i++) {
            ordo_vid first, end;
            ordo_part_owned(part, r, i, &first, &end);
            p.owned[r] += end - first;
        }
    if (!status) {
        p.length = p.owned[part->rank] + 1;
        status = transpose_own(&p);
    }
    if (!status)
        status = exchange_bounds(&p);
    if (!status)
        status = pack_edges(&p);
    if (!status)
        status = exchange_edges(&p);
    if (!status)
        status = merge_slices(&p);
    ordo_csr_free(&p.own);
    ordo_free(p.to_bounds);
    ordo_free(p.to_edges);
    ordo_free(p.bounds);
    ordo_free(p.edges);
    ordo_free(p.owned);
    ordo_free(p.send);
    ordo_free(p.take);
    return status;
}
