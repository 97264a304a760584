/* oriented.c -- see oriented.h. */
#include "apps/oriented.h"

#include <ordo/memory.h>

enum {
    CHUNK = 1024, /* vertices at once */
    OCTAVE = 8    /* bins for a factor of two */
};
/* Vertices have ranks by degree where the mean of squared degrees is so many times the square of the mean. */
static const double UNEVEN = 1.5;

static unsigned bin_of(ordo_u64 degree)
{
    if (degree < OCTAVE)
        return (unsigned)degree;
    const unsigned log = 63 - (unsigned)__builtin_clzll(degree);
    return (log - 2) * OCTAVE + ((unsigned)(degree >> (log - 3)) & (OCTAVE - 1));
}

ordo_status ordo_oriented_make(ordo_oriented *o)
{
    const size_t members = (size_t)ordo_team_size(o->team);
    o->is_simple = true;
    o->count = ordo_alloc(o->g->n, sizeof *o->count);
    o->bin = ordo_alloc_zero(members, sizeof *o->bin);
    o->squares = ordo_alloc_zero(members, sizeof *o->squares);
    return o->count && o->bin && o->squares ? ORDO_OK : ORDO_ERR_MEMORY;
}

void ordo_oriented_free(ordo_oriented *o)
{
    ordo_free(o->count);
    ordo_free(o->own_begin);
    ordo_free(o->bin);
    ordo_free(o->squares);
    ordo_free(o->rank);
    ordo_free(o->own);
}

ordo_u64 ordo_oriented_memory(const ordo_csr *g, int members)
{
    return g->n * (ordo_u64)(sizeof(ordo_eid) + 2 * sizeof(ordo_u32)) + g->m * sizeof(ordo_vid) +
           (ordo_u64)members * (sizeof(ordo_u64[ORDO_DEGREE_BINS]) + sizeof(double));
}

/* A member's vertices by degree. */
static void count_degrees(ordo_oriented *o, int member)
{
    const ordo_eid *row = o->g->row;
    ordo_u64 begin, end, *bin = o->bin[member];
    double squares = 0;
    ordo_split(o->g->n, ordo_team_size(o->team), member, &begin, &end);
    for (ordo_u64 v = begin; v < end; v++) {
        const ordo_u64 degree = row[v + 1] - row[v];
        bin[bin_of(degree)]++;
        squares += (double)degree * (double)degree;
    }
    o->squares[member] = squares;
}

/* By member 0: whether there are ranks; if so, bins become the first ranks of their vertices. */
static ordo_status plan(ordo_oriented *o)
{
    const int members = ordo_team_size(o->team);
    double squares = 0;
    for (int i = 0; i < members; i++)
        squares += o->squares[i];
    o->by_degree = o->ranks || squares * o->g->n > UNEVEN * (double)o->g->m * (double)o->g->m;
    o->begin = o->g->row;
    o->head = o->g->head;
    o->stride = o->g->stride;
    if (!o->by_degree)
        return ORDO_OK;
    o->rank = ordo_alloc(o->g->n, sizeof *o->rank);
    o->own = ordo_alloc(o->g->m, sizeof *o->own);
    o->own_begin = ordo_alloc(o->g->n, sizeof *o->own_begin);
    if (!o->rank || !o->own || !o->own_begin) {
        o->failed = true;
        return ORDO_ERR_MEMORY;
    }
    o->begin = o->own_begin;
    o->head = o->own;
    o->stride = 1;
    ordo_u64 rank = 0;
    for (int b = ORDO_DEGREE_BINS - 1; b >= 0; b--)
        for (int i = 0; i < members; i++) {
            const ordo_u64 count = o->bin[i][b];
            o->bin[i][b] = rank;
            rank += count;
        }
    return ORDO_OK;
}

static void give_ranks(ordo_oriented *o, int member)
{
    const ordo_eid *row = o->g->row;
    ordo_u64 begin, end, *next = o->bin[member];
    ordo_split(o->g->n, ordo_team_size(o->team), member, &begin, &end);
    for (ordo_u64 v = begin; v < end; v++)
        o->rank[v] = (ordo_u32)next[bin_of(row[v + 1] - row[v])]++;
}

/* Copies the heads of lower rank. Rows are packed from where the graph's row of `begin` is. */
static bool copy_rows(ordo_oriented *o, ordo_u64 begin, ordo_u64 end)
{
    const ordo_csr g = *o->g;
    const ordo_u32 *rank = o->rank;
    ordo_eid at = g.row[begin];
    bool simple = true;
    for (ordo_u64 u = begin; u < end; u++) {
        const ordo_u32 mine = rank[u];
        ordo_u64 least = 0; /* of the next head */
        o->own_begin[mine] = at;
        for (ordo_eid e = g.row[u]; e < g.row[u + 1]; e++) {
            const ordo_vid v = g.head[e * g.stride];
            const ordo_u32 other = rank[v];
            simple &= (v >= least) & (v != u);
            least = (ordo_u64)v + 1;
            o->own[at] = other;
            at += other < mine;
        }
        o->count[mine] = (ordo_u32)(at - o->own_begin[mine]);
    }
    return simple;
}

/* The heads of lower rank are the beginning of a row. */
static bool cut_rows(ordo_oriented *o, ordo_u64 begin, ordo_u64 end)
{
    const ordo_csr g = *o->g;
    bool simple = true;
    for (ordo_u64 u = begin; u < end; u++) {
        ordo_u64 least = 0;
        ordo_eid lower = 0;
        for (ordo_eid e = g.row[u]; e < g.row[u + 1]; e++) {
            const ordo_vid v = g.head[e * g.stride];
            simple &= (v >= least) & (v != u);
            least = (ordo_u64)v + 1;
            lower += v < u;
        }
        o->count[u] = (ordo_u32)lower;
    }
    return simple;
}

static void cut_or_copy(ordo_oriented *o, int member)
{
    const ordo_u64 n = o->g->n;
    bool simple = true;
    while (simple && !(o->job && ordo_job_stopped(o->job))) {
        const ordo_u64 begin = __atomic_fetch_add(&o->next, CHUNK, __ATOMIC_RELAXED);
        const ordo_u64 end = n - begin < CHUNK ? n : begin + CHUNK;
        if (begin >= n)
            return;
        if (member == 0 && o->job)
            ordo_job_poll(o->job, n - begin);
        simple = o->by_degree ? copy_rows(o, begin, end) : cut_rows(o, begin, end);
    }
    if (!simple)
        __atomic_store_n(&o->is_simple, false, __ATOMIC_RELAXED);
}

ordo_status ordo_oriented_fill(ordo_oriented *o, int member)
{
    ordo_status status = ORDO_OK;
    count_degrees(o, member);
    ordo_team_barrier(o->team);
    if (member == 0)
        status = plan(o);
    ordo_team_barrier(o->team);
    if (o->failed)
        return status;
    if (o->by_degree) {
        give_ranks(o, member);
        ordo_team_barrier(o->team);
    }
    cut_or_copy(o, member);
    ordo_team_barrier(o->team);
    return status;
}
