/* gap.c -- the serialized graphs of the GAP Benchmark Suite (.sg, .wsg).
 *
 * Problem: little-endian binary: u8 directed, i64 stored edges, i64 vertices, i64 offsets[n + 1], then for each
 * neighbour an i32 (.sg) or {i32 neighbour, i32 weight} (.wsg); for a directed graph, offsets and neighbours of the
 * in-edges follow. An undirected graph stores both directions, and counts both. Nothing in the file distinguishes .sg
 * from .wsg.
 *
 * Method: the size of the file decides (the suffix, where there are no edges). Everything after the header is
 * unaligned, so it is copied, in parallel, and checked at the same time. In-edges are skipped when reading, since they
 * can be made from the out-edges; they are written because the format has them. A rank of several processes copies the
 * bounds of all rows and the edges of its part (part.c).
 *
 * Not done: checking that a graph marked as undirected is symmetric (ORDO_SYMMETRIC does); big-endian machines.
 */
#include "graph.h"
#include "levels.h"

#include <ordo/distributed.h>

#include "framework/run/phase.h"

enum { HEADER = 17 };

typedef struct gap {
    const ordo_input *in;
    ordo_u64 n, m;
    bool directed, weighted;
    const ordo_u8 *offsets, *neighbours;
    ordo_u32 step; /* bytes of a neighbour */
    ordo_team *team;
    ordo_phase phase; /* counts edges */
    ordo_eid *row;
    ordo_vid *head;
    ordo_u32 stride;
    ordo_u64 first, end;        /* edges to copy; all: 0 and m */
    ordo_u64 bad_row, bad_edge; /* atomic: the smallest index of a wrong offset and head found; n + 1 and m if none */
    int negative;               /* atomic */
} gap;

/* The size of such a file in bytes, or 0 where that overflows; n and m are below 2^60. */
static ordo_u64 size_of(const gap *g, ordo_u32 step)
{
    ordo_u64 part, edges;
    if (__builtin_mul_overflow(g->n + 1, 8u, &part) || __builtin_mul_overflow(g->m, step, &edges) ||
        __builtin_add_overflow(part, edges, &part) || (g->directed && __builtin_mul_overflow(part, 2u, &part)) ||
        __builtin_add_overflow(part, HEADER, &part))
        return 0;
    return part;
}

static ordo_status fail_at(const ordo_input *in, ordo_u64 at, ordo_u64 found, const char *what, const char *expected)
{
    return ordo_fail(ORDO_ERR_INPUT, "%s: byte %llu: found %lld as %s, expected %s", in->name, (unsigned long long)at,
                     (long long)found, what, expected);
}

static ordo_status read_header(const ordo_input *in, gap *g)
{
    *g = (gap){.in = in};
    if (in->size < HEADER)
        return ordo_fail(ORDO_ERR_INPUT, "%s: byte %zu: found the end of the file, expected a GAP header of %d bytes",
                         in->name, in->size, HEADER);
    if (in->bytes[0] > 1)
        return fail_at(in, 0, in->bytes[0], "'directed'", "0 or 1");
    g->directed = in->bytes[0];
    g->m = ordo_load64(in->bytes + 1);
    g->n = ordo_load64(in->bytes + 9);
    if (g->m >> 60)
        return fail_at(in, 1, g->m, "number of edges", "one from 0 to 2^60");
    if (g->n > INT32_MAX)
        return fail_at(in, 9, g->n, "number of vertices", "one from 0 to 2147483647");
    return ORDO_OK;
}

static ordo_status tell_weights(gap *g)
{
    const ordo_input *in = g->in;
    ordo_u64 plain = size_of(g, 4), weighted = size_of(g, 8);
    bool wsg = ordo_input_has_suffix(in, ".wsg");
    g->weighted = in->size == weighted && (plain != weighted || wsg);
    if (g->weighted || (in->size == plain && !wsg)) /* a .wsg of that size is truncated */
        return ORDO_OK;
    ordo_u64 wanted = wsg ? weighted : plain;
    return ordo_fail(ORDO_ERR_INPUT,
                     "%s: byte %llu: found %s, expected %llu bytes of %s for %llu vertices and %llu edges", in->name,
                     (unsigned long long)(in->size < wanted ? in->size : wanted),
                     in->size < wanted ? "the end of the file" : "more bytes", (unsigned long long)wanted,
                     wsg ? ".wsg" : ".sg", (unsigned long long)g->n, (unsigned long long)g->m);
}

bool ordo_looks_like_gap(const ordo_input *in)
{
    gap g;
    return in->size >= HEADER && in->bytes[0] <= 1 && read_header(in, &g) == ORDO_OK &&
           (in->size == size_of(&g, 4) || in->size == size_of(&g, 8));
}

static void copy_bounds(void *arg, int member)
{
    gap *g = arg;
    ordo_u64 begin, end;
    ordo_split(g->n + 1, ordo_team_size(g->team), member, &begin, &end);
    for (ordo_u64 u = begin; u < end; u++) {
        ordo_u64 offset = ordo_load64(g->offsets + 8 * u), before = u ? ordo_load64(g->offsets + 8 * (u - 1)) : 0;
        if (offset < before || offset > g->m || (u == 0 && offset) || (u == g->n && offset != g->m)) {
            ordo_keep_least(&g->bad_row, u);
            break;
        }
        g->row[u] = offset;
    }
}

static void copy_edges(void *arg, int member)
{
    gap *g = arg;
    ordo_u64 begin, end;
    bool negative = false;
    ordo_split(g->end - g->first, ordo_team_size(g->team), member, &begin, &end);
    begin += g->first;
    end += g->first;
    const ordo_u8 *passed = g->neighbours + begin * g->step;
    for (ordo_u64 e = begin; e < end; e++) {
        const ordo_u8 *from = g->neighbours + e * g->step;
        if (e % ORDO_INPUT_PART == 0) {
            if (ordo_phase_step(&g->phase, ORDO_INPUT_PART))
                return;
            ordo_input_passed(g->in, passed, from);
            passed = from;
        }
        ordo_u32 head = ordo_load32(from);
        if (head >= g->n) { /* negative ones are large */
            ordo_keep_least(&g->bad_edge, e);
            break;
        }
        g->head[e * g->stride] = head;
        if (g->stride == 2) {
            ordo_u32 weight = ordo_load32(from + 4);
            negative |= (ordo_i32)weight < 0;
            g->head[e * 2 + 1] = weight;
        }
    }
    if (negative)
        __atomic_store_n(&g->negative, 1, __ATOMIC_RELAXED);
}

static void begin_copy(gap *g, ordo_team *team, const ordo_csr *csr)
{
    g->offsets = g->in->bytes + HEADER;
    g->step = g->weighted ? 8 : 4;
    g->neighbours = g->offsets + 8 * (g->n + 1);
    g->row = (ordo_eid *)(size_t)csr->row;
    g->head = (ordo_vid *)(size_t)csr->head;
    g->stride = csr->stride;
    g->end = g->m;
    g->bad_row = g->n + 1;
    g->bad_edge = g->m;
    g->team = team;
}

static ordo_status check_bounds(const gap *g)
{
    if (g->bad_row > g->n)
        return ORDO_OK;
    return fail_at(g->in, HEADER + 8 * g->bad_row, ordo_load64(g->offsets + 8 * g->bad_row), "the offset of a row",
                   g->bad_row == 0      ? "0"
                   : g->bad_row == g->n ? "the number of edges"
                                        : "one from the row before to the number of edges");
}

static ordo_status check_edges(const gap *g)
{
    if (g->bad_edge == g->m)
        return ORDO_OK;
    return fail_at(g->in, (ordo_u64)(g->neighbours - g->in->bytes) + g->bad_edge * g->step,
                   (ordo_u64)(ordo_i32)ordo_load32(g->neighbours + g->bad_edge * g->step), "a neighbour",
                   "one from 0 to the number of vertices - 1");
}

static ordo_status copy_rows(void *arg, ordo_team *team, ordo_csr *csr)
{
    gap *g = arg;
    begin_copy(g, team, csr);
    ordo_phase_begin(&g->phase, "reading", g->m);
    ordo_team_run(team, copy_bounds, g);
    ordo_team_run(team, copy_edges, g);
    ordo_status status = ordo_phase_end(&g->phase);
    if (!status)
        status = check_bounds(g);
    if (!status)
        status = check_edges(g);
    if (!status && g->negative)
        csr->weight_type = ORDO_I32;
    return status;
}

/* ---- one rank's part ---- */

/* The edges of the part, once the bounds of rows are known. */
static ordo_status read_edges(gap *g, const ordo_rank_part *part, ordo_csr *csr, ordo_input *below)
{
    ordo_status status = ordo_part_alloc(part, csr, below);
    g->head = (ordo_vid *)(size_t)csr->head;
    for (ordo_u64 i = 0; i < part->ranges && !status; i++) {
        const ordo_part_rows rows = part->rows[i];
        g->first = g->row[rows.first];
        g->end = g->row[rows.end];
        ordo_phase_begin(&g->phase, "reading", g->end - g->first);
        ordo_team_run(g->team, copy_edges, g);
        status = ordo_phase_end(&g->phase);
    }
    return status ? status : check_edges(g);
}

static ordo_vid head_in_file(const void *edges, ordo_eid edge)
{
    const gap *g = edges;
    return ordo_load32(g->neighbours + edge * g->step);
}

static ordo_status read_part(gap *g, ordo_type type, const ordo_read_options *options, const ordo_origin *origin,
                             ordo_graph **out)
{
    const ordo_group *group = options->group;
    ordo_input below = {.name = g->in->name};
    ordo_rank_part part;
    ordo_csr csr = {.n = (ordo_vid)g->n,
                    .m = g->m,
                    .row = ordo_alloc(g->n + 1, sizeof *csr.row),
                    .stride = type == ORDO_NONE ? 1 : 2,
                    .weight_type = type};
    ordo_team *team = NULL;
    ordo_status status = csr.row
                             ? ordo_graph_team(origin->threads, g->n + g->m / (ordo_u64)ordo_group_size(group), &team)
                             : ORDO_ERR_MEMORY;
    if (!status) {
        begin_copy(g, team, &csr);
        ordo_team_run(team, copy_bounds, g);
        status = check_bounds(g);
    }
    if (!status) {
        const ordo_row_source in_file = {g->n, g->m, csr.row, head_in_file, g};
        part = ordo_part_of(group, &csr, options->cyclic ? &in_file : NULL);
        status = read_edges(g, &part, &csr, &below);
    }
    if (team)
        ordo_team_return(team);
    if (status) {
        ordo_input_close(&below);
        ordo_free((void *)(size_t)csr.row);
        return status;
    }
    return ordo_part_graph(&part, &csr, g->negative, !g->directed, origin, &below, out);
}

ordo_status ordo_read_gap(ordo_input *in, const ordo_read_options *options, ordo_origin *origin, ordo_graph **out)
{
    gap g;
    ordo_status status = read_header(in, &g);
    if (!status)
        status = tell_weights(&g);
    if (status)
        return status;
    origin->format = g.weighted ? "GAP .wsg" : "GAP .sg";
    origin->id_base = 0;
    ordo_type type = g.weighted && ordo_weights_wanted(&options->edges) ? ORDO_U32 : ORDO_NONE;
    if (ordo_part_possible(options))
        return read_part(&g, type, options, origin, out);
    return ordo_graph_from_file(in, g.n, g.m, type, !g.directed, copy_rows, &g, origin, out);
}

/* ---- writing ---- */

static ordo_status write_rows(ordo_writer *w, int threads, const ordo_csr *g)
{
    const ordo_status status = ordo_put_array(w, threads, g->row, ((ordo_u64)g->n + 1) * sizeof *g->row);
    return status ? status : ordo_put_edges(w, threads, g);
}

ordo_status ordo_write_gap(ordo_writer *w, const ordo_graph *graph)
{
    const ordo_csr *g = ordo_graph_out(graph), *in;
    ordo_u8 directed = !ordo_graph_symmetric(graph);
    ordo_put_bytes(w, &directed, 1);
    ordo_put_word64(w, g->m);
    ordo_put_word64(w, g->n);
    ordo_status status = write_rows(w, graph->threads, g);
    if (!status && directed && !(status = ordo_graph_in(graph, graph->threads, &in)))
        status = write_rows(w, graph->threads, in);
    return status;
}
