/* part.c -- graphs of which each of several processes has the edges of its own rows.
 *
 * Problem. Every rank of a distributed run needs the bounds of all rows, for degrees and for the ranges that ranks own,
 * but the edges of its own rows alone. A graph may be larger than the memory of one process.
 *
 * Method. The array of edges has all its addresses, so that edges keep their ids and no code changes; memory is behind
 * those of the part alone. The others are mapped to pages that read as 0, which take none. The part is what the rank
 * owns in runs, with whole rows before it until a block of the statistics begins: so each block is scanned by one rank,
 * and the statistics, the checksum too, are those of the whole graph.
 *
 * What a rank owns is a range of vertices (ordo_range_begin). A search of a deep graph is in one part of the ids at a
 * time, since neighbours often have neighbouring ids, so ranks that own ranges would search one after the other (lab
 * 0081). So where the reader asks for it, rows of deep graphs are distributed block-cyclically. Each rank guesses the
 * depth from the same rows of the file, so all ranks decide alike.
 *
 * Not done: formats whose rows are not in the file; edge transforms, which would move edges between ranks. The bounds
 * of rows are in every rank.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, MADV_HUGEPAGE */
#include "graph.h"
#include "levels.h"
#include "rows.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/run/distributed.h"

/* ---- the distribution ---- */

/* A period has a power of two of blocks, eight or more for each rank, and a block at least the 64 ids of a word of
 * bits. */
enum { DEEP = 100 /* levels */, PERIODS = ORDO_MOST_RANGES / 2, LEAST_BLOCK_BITS = 6 };

bool ordo_is_deep(double levels)
{
    return levels >= DEEP;
}

bool ordo_cyclic_of(ordo_u64 n, int ranks, ordo_cyclic *out)
{
    ordo_u32 bits = LEAST_BLOCK_BITS, per = 3;
    while (1 << (per - 3) < ranks)
        per++;
    while (n >> (bits + 1 + per) >= PERIODS)
        bits++;
    *out =
        (ordo_cyclic){.block_bits = bits, .period_bits = bits + per, .periods = n ? ((n - 1) >> (bits + per)) + 1 : 0};
    return n >> (bits + per) >= PERIODS;
}

void ordo_cyclic_range(const ordo_cyclic *c, int rank, int ranks, ordo_vid *first, ordo_vid *end)
{
    const ordo_u64 blocks = (ordo_u64)1 << (c->period_bits - c->block_bits), all = (ordo_u64)ranks;
    *first = (ordo_vid)(((ordo_u64)rank * blocks + all - 1) / all << c->block_bits);
    *end = (ordo_vid)((((ordo_u64)rank + 1) * blocks + all - 1) / all << c->block_bits);
}

enum { WORD = 32 }; /* ranges on GPUs begin at multiples of it */

void ordo_part_owned(const ordo_rank_part *part, int rank, ordo_u64 range, ordo_vid *first, ordo_vid *end)
{
    const ordo_csr *csr = part->csr;
    if (part->is_cyclic) {
        const ordo_u64 period = range << part->cyclic.period_bits;
        ordo_cyclic_range(&part->cyclic, rank, part->ranks, first, end);
        *first = period + *first < csr->n ? (ordo_vid)(period + *first) : csr->n;
        *end = period + *end < csr->n ? (ordo_vid)(period + *end) : csr->n;
    } else {
        *first = ordo_range_begin(csr, rank, part->ranks) / WORD * WORD;
        *end = rank + 1 < part->ranks ? ordo_range_begin(csr, rank + 1, part->ranks) : csr->n;
    }
}

/* The block of the statistics in which the edges of a rank's range begin; behind the last range, the end of all. Ranges
 * 0 of all ranks come first, then ranges 1, and so on. */
static ordo_u64 first_block(const ordo_rank_part *part, int rank, ordo_u64 range)
{
    const ordo_u64 m = part->csr->m, next = range + (rank == part->ranks);
    ordo_vid first, end;
    if (next == part->ranges)
        return m / ORDO_SCAN_BLOCK + (m % ORDO_SCAN_BLOCK != 0);
    ordo_part_owned(part, rank % part->ranks, next, &first, &end);
    return part->csr->row[first] / ORDO_SCAN_BLOCK;
}

ordo_u64 ordo_part_blocks_end(const ordo_rank_part *part, ordo_u64 range)
{
    return first_block(part, part->ranks, range);
}

/* Sets the rows of each range: of what the rank owns, and before them those of its blocks. Where ranges have few edges,
 * a block begins in an earlier range, which then ends there. */
static void set_rows(ordo_rank_part *part)
{
    const ordo_eid *row = part->csr->row;
    ordo_vid covered = part->csr->n;
    for (ordo_u64 i = part->ranges; i-- > 0;) {
        ordo_part_rows *rows = &part->rows[i];
        ordo_part_owned(part, part->rank, i, &rows->first, &rows->end);
        rows->first_block = first_block(part, part->rank, i);
        rows->end_block = first_block(part, part->rank + 1, i);
        while (rows->first_block < rows->end_block && rows->first > 0 &&
               row[rows->first] > rows->first_block * ORDO_SCAN_BLOCK)
            rows->first--;
        rows->end = rows->end < covered ? rows->end : covered;
        rows->first = rows->first < rows->end ? rows->first : rows->end;
        covered = rows->first;
    }
}

static ordo_rank_part part_of(const ordo_group *group, const ordo_csr *csr, bool is_cyclic)
{
    ordo_rank_part part = {
        .group = group, .rank = ordo_group_rank(group), .ranks = ordo_group_size(group), .csr = csr, .ranges = 1};
    part.is_cyclic = is_cyclic && ordo_cyclic_of(csr->n, part.ranks, &part.cyclic);
    if (part.is_cyclic)
        part.ranges = part.cyclic.periods;
    set_rows(&part);
    return part;
}

ordo_rank_part ordo_part_of(const ordo_group *group, const ordo_csr *csr, const ordo_row_source *rows)
{
    const double levels = rows ? ordo_guess_levels(rows) : 0;
    ordo_rank_part part = part_of(group, csr, ordo_is_deep(levels));
    part.levels = levels;
    return part;
}

ordo_rank_part ordo_part_again(const ordo_group *group, const ordo_graph *g)
{
    return part_of(group, &g->out, g->part == ORDO_CYCLIC_ROWS);
}

/* ---- the graph ---- */

bool ordo_part_possible(const ordo_read_options *options)
{
    const ordo_edge_options *e = &options->edges;
    return options->group && ordo_group_size(options->group) > 1 && e->direction == ORDO_AS_STORED && !e->drop_loops &&
           e->parallel == ORDO_PARALLEL_KEEP && e->weight_type == ORDO_NONE &&
           (e->weights == ORDO_WEIGHTS_AS_STORED || e->weights == ORDO_WEIGHTS_DROP);
}

/* Edges of the part. */
static ordo_u64 edges_of(const ordo_rank_part *part)
{
    ordo_u64 edges = 0;
    for (ordo_u64 i = 0; i < part->ranges; i++) {
        const ordo_part_rows rows = part->rows[i];
        edges += part->csr->row[rows.end] - part->csr->row[rows.first];
    }
    return edges;
}

ordo_status ordo_part_alloc(const ordo_rank_part *part, ordo_csr *csr, ordo_input *below)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), edge = csr->stride * sizeof(ordo_vid);
    const size_t bytes = csr->m * edge + page; /* not 0 */
    ordo_u8 *all = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return ordo_fail(ORDO_ERR_MEMORY, "no addresses for %zu bytes of edges: %s", bytes, strerror(errno));
    *below = (ordo_input){.name = below->name, .mapped = all, .mapped_size = bytes};
    bool fits = ordo_memory_fits(edges_of(part) * edge);
    for (ordo_u64 i = 0; i < part->ranges && fits; i++) {
        const ordo_part_rows rows = part->rows[i];
        const ordo_u64 begin = csr->row[rows.first] * edge / page * page, end = csr->row[rows.end] * edge;
        fits = begin >= end || !mprotect(all + begin, end - begin, PROT_READ | PROT_WRITE);
        /* For fewer TLB misses, as ordo_alloc does (lab 0087). Advice: a refusal changes nothing. */
        if (fits && begin < end)
            madvise(all + begin, end - begin, MADV_HUGEPAGE);
    }
    if (!fits) {
        ordo_input_close(below);
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory: %llu bytes asked for, for the edges of this rank",
                         (unsigned long long)(edges_of(part) * edge));
    }
    csr->head = (const ordo_vid *)(const void *)all;
    csr->weight = csr->stride > 1 ? csr->head + 1 : NULL;
    return ORDO_OK;
}

static ordo_status sort_part(const ordo_rank_part *part, const ordo_csr *csr, int threads)
{
    ordo_team *team;
    ordo_status status = ordo_graph_team(threads, edges_of(part), &team);
    if (status)
        return status;
    for (ordo_u64 i = 0; i < part->ranges && !status; i++) {
        const ordo_part_rows rows = part->rows[i];
        ordo_csr own = *csr;
        own.row += rows.first;
        own.n = rows.end - rows.first;
        own.m = csr->row[rows.end] - csr->row[rows.first];
        status = ordo_csr_sort(team, &own);
    }
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
    g->part = part->is_cyclic ? ORDO_CYCLIC_ROWS : ORDO_RANGE_OF_ROWS;
    g->levels = part->levels ? 1 + (ordo_u64)part->levels : 0;
    g->absent = (csr->m - edges_of(part)) * csr->stride * sizeof(ordo_vid);
    g->lent.row = row;
    status = ordo_graph_scan_part(g, part);
    if (status) {
        ordo_graph_free(g);
        return status;
    }
    *out = g;
    return ORDO_OK;
}
