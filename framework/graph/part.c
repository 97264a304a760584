/* part.c -- graphs of which each of several processes has the edges of its own rows.
 *
 * Problem. Every rank of a distributed run needs the bounds of all rows, for degrees and for the ranges that ranks own,
 * but the edges of its own rows alone. A graph may be larger than the memory of one process.
 *
 * Method. The array of edges has all its addresses, so that edges keep their ids and no code changes; memory is behind
 * those of the part alone. The others are mapped to pages that read as 0, which take none. The part is what the rank
 * owns in runs (ordo_range_begin), with whole rows before it until a block of the statistics begins: so each block is
 * scanned by one rank, and the statistics, the checksum too, are those of the whole graph.
 *
 * Not done: formats whose rows are not in the file; edge transforms, which would move edges between ranks. The bounds
 * of rows are in every rank.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "graph.h"
#include "rows.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/run/distributed.h"

bool ordo_part_possible(const ordo_read_options *options)
{
    const ordo_edge_options *e = &options->edges;
    return options->group && ordo_group_size(options->group) > 1 && e->direction == ORDO_AS_STORED && !e->drop_loops &&
           e->parallel == ORDO_PARALLEL_KEEP && e->weight_type == ORDO_NONE &&
           (e->weights == ORDO_WEIGHTS_AS_STORED || e->weights == ORDO_WEIGHTS_DROP);
}

enum { WORD = 32 }; /* ranges on GPUs begin at multiples of it */

void ordo_part_range(const ordo_csr *csr, int rank, int ranks, ordo_vid *first, ordo_vid *end)
{
    *first = ordo_range_begin(csr, rank, ranks) / WORD * WORD;
    *end = rank + 1 < ranks ? ordo_range_begin(csr, rank + 1, ranks) : csr->n;
}

void ordo_part_of(const ordo_group *group, const ordo_csr *csr, ordo_rank_part *out)
{
    const int rank = ordo_group_rank(group), ranks = ordo_group_size(group);
    const ordo_u64 blocks = csr->m / ORDO_SCAN_BLOCK + (csr->m % ORDO_SCAN_BLOCK != 0);
    ordo_vid first, end;
    ordo_part_range(csr, rank, ranks, &first, &end);
    *out = (ordo_rank_part){
        .group = group, .first_block = csr->row[first] / ORDO_SCAN_BLOCK, .end_block = blocks, .end = end};
    if (rank + 1 < ranks)
        out->end_block = csr->row[end / WORD * WORD] / ORDO_SCAN_BLOCK;
    while (first > 0 && csr->row[first] > out->first_block * ORDO_SCAN_BLOCK)
        first--;
    out->first = first;
}

ordo_status ordo_part_alloc(const ordo_rank_part *part, ordo_csr *csr, ordo_input *below)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), edge = csr->stride * sizeof(ordo_vid);
    const ordo_u64 begin = csr->row[part->first] * edge / page * page, end = csr->row[part->end] * edge;
    const size_t bytes = csr->m * edge + page; /* not 0 */
    ordo_u8 *all = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return ordo_fail(ORDO_ERR_MEMORY, "no addresses for %zu bytes of edges: %s", bytes, strerror(errno));
    *below = (ordo_input){.name = below->name, .mapped = all, .mapped_size = bytes};
    if (!ordo_memory_fits(end - begin) || mprotect(all + begin, end - begin, PROT_READ | PROT_WRITE)) {
        ordo_input_close(below);
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory: %llu bytes asked for, for the edges of this rank",
                         (unsigned long long)(end - begin));
    }
    csr->head = (const ordo_vid *)(const void *)all;
    csr->weight = csr->stride > 1 ? csr->head + 1 : NULL;
    return ORDO_OK;
}

static ordo_status sort_part(const ordo_rank_part *part, const ordo_csr *csr, int threads)
{
    ordo_csr own = *csr;
    ordo_team *team;
    own.row += part->first;
    own.n = part->end - part->first;
    own.m = csr->row[part->end] - csr->row[part->first];
    ordo_status status = ordo_graph_team(threads, own.m, &team);
    if (status)
        return status;
    status = ordo_csr_sort(team, &own);
    ordo_team_return(team);
    return status;
}

ordo_status ordo_part_graph(const ordo_rank_part *part, ordo_csr *csr, bool negative, bool symmetric,
                            const ordo_origin *origin, ordo_input *below, ordo_graph **out)
{
    const ordo_vertex_data none = {.source = ORDO_NO_VERTEX, .sink = ORDO_NO_VERTEX};
    ordo_eid *row = (ordo_eid *)(size_t)csr->row;
    ordo_graph *g = NULL;
    ordo_status status = sort_part(part, csr, origin->threads);
    if (!status && csr->weight_type != ORDO_NONE) {
        status = ordo_group_any(part->group, negative, &negative);
        csr->weight_type = negative ? ORDO_I32 : csr->weight_type;
    }
    if (status)
        ordo_input_close(below);
    else
        status = ordo_graph_over(csr, symmetric, &none, origin, true, below, &g);
    if (status) {
        ordo_free(row);
        return status;
    }
    g->part = true;
    g->absent = (csr->m - (csr->row[part->end] - csr->row[part->first])) * csr->stride * sizeof(ordo_vid);
    g->lent.row = row;
    status = ordo_graph_scan_part(g, part);
    if (status) {
        ordo_graph_free(g);
        return status;
    }
    *out = g;
    return ORDO_OK;
}
