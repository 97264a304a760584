/* oriented.h -- a simple graph with each edge in one row: that of the end of higher rank. For counting triangles.
 *
 * Problem. A triangle is to be found once, and a vertex of many neighbours must not be asked for all pairs of them.
 *
 * Method. Vertices get ranks 0 .. n - 1, and the row of a vertex keeps the neighbours of lower rank. Where degrees are
 * similar, ids are ranks: a row is then the beginning of the graph's own row, and nothing is copied. Else the vertices
 * of most neighbours have the lowest ranks. Then no row has more than about sqrt(2 m) heads (Schank and Wagner 2005;
 * Latapy 2008), and what is looked up most often is close together. Degrees are compared in bins, eight to a factor of
 * two; within a bin the order is that of ids.
 *
 * The pass over the edges also finds out whether rows are in order of heads without loops and parallel edges. That each
 * edge has its reverse is believed.
 *
 * Not done: sorting the heads of a row where ids are not ranks.
 */
#ifndef ORDO_ORIENTED_H
#define ORDO_ORIENTED_H

#include <stdbool.h>

#include <ordo/graph.h>
#include <ordo/scheduler/scheduler.h>

enum { ORDO_DEGREE_BINS = 256 };

/* A row: edges begin .. end - 1 of `head`. */
typedef struct ordo_oriented_row {
    ordo_eid begin, end;
} ordo_oriented_row;

typedef struct ordo_oriented {
    const ordo_csr *g;                 /* the graph; set by the caller, as the next three */
    ordo_team *team;                   /* whose members make it */
    bool ranks;                        /* vertices have ranks by degree, whatever the degrees are */
    ordo_job *job;                     /* polled, and stops the work; NULL: none */
    bool failed;                       /* for lack of memory */
    bool by_degree;                    /* has ranks: `rank` is set */
    bool is_simple;                    /* atomic: rows are in order of heads without loops and parallel edges */
    ordo_u32 *rank;                    /* [n] by_degree */
    const ordo_eid *begin;             /* [n] by rank: the row in `head`, in edges */
    ordo_u32 *count;                   /* [n] by rank: its length */
    ordo_eid *own_begin;               /* [n] `begin` where that is not the graph's */
    const ordo_vid *head;              /* [stride * edge] ranks */
    ordo_u32 stride;                   /* 1, or 2 where it is the graph's own array with weights */
    ordo_vid *own;                     /* [m] `head` where that is not the graph's */
    ordo_u64 (*bin)[ORDO_DEGREE_BINS]; /* [members] */
    double *squares;                   /* [members] of degrees: their sum */
    ordo_u64 next;                     /* atomic: the first vertex that no member has taken */
} ordo_oriented;

static inline ordo_oriented_row ordo_oriented_at(const ordo_oriented *o, ordo_u64 rank)
{
    const ordo_eid begin = o->begin[rank];
    return (ordo_oriented_row){begin, begin + o->count[rank]};
}

/* Allocates what there is without ranks. By one thread, as ordo_oriented_free, which is called in any case. Errors:
 * ORDO_ERR_MEMORY. */
ordo_status ordo_oriented_make(ordo_oriented *o);
void ordo_oriented_free(ordo_oriented *o);
/* Makes it, by all members of the team together. Returns in all of them after a barrier; ORDO_ERR_MEMORY in member 0.
 * Where the work ended early, or memory is short, or the graph is not simple, rows are not to be used. */
ordo_status ordo_oriented_fill(ordo_oriented *o, int member);
/* Bytes at most that it takes. */
ordo_u64 ordo_oriented_memory(const ordo_csr *g, int members);

#endif
