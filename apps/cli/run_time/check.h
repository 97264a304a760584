/* check.h -- cases of `ordo check-operator`, and the properties that its files test.
 *
 * check.c draws cases, makes them smaller, and tests operators that select; check_sum.c tests cells that sum,
 * check_gather.c gather operators, check_critical.c critical ones.
 */
#ifndef APPS_CLI_RUN_TIME_CHECK_H
#define APPS_CLI_RUN_TIME_CHECK_H

#include "apps/cli/run_time/operator.h"

enum {
    MOST_N = 5,       /* vertices of a case */
    MOST_M = 8,       /* edges */
    EDGE = 3,         /* numbers of an edge: tail, head, weight */
    FIELDS = 8,       /* numbers of the state that vary */
    SIZES = 12,       /* sizes of cases: the largest of their numbers */
    FAR = 1000,       /* a number from here on is a cell or a weight near the end of its type */
    MOST_STEPS = 4096 /* a run on so small a graph has ended by then */
};

/* A case as the operator sees it. Where graphs are symmetric every edge is there twice. */
typedef struct scene {
    run_time_operator *op;
    ordo_csr g;
    ordo_eid row[MOST_N + 1];
    ordo_vid head[2 * MOST_M];
    ordo_u32 weight[2 * MOST_M];
    ordo_vid tail[2 * MOST_M];
    ordo_edges edges; /* the same, as critical operators get them */
    ordo_vid source;
    ordo_eid pick; /* the edge along which candidates are compared */
    run_time_cell cell[3];
    ordo_u32 order;
    char why[600];
} scene;

typedef struct property {
    const char *name;                             /* NULL: the end of a list */
    unsigned bit;                                 /* 0: every operator must have it */
    bool (*applies)(const run_time_operator *op); /* NULL: to every operator that has the bit */
    bool (*holds)(scene *s);
} property;

extern const property check_sum_properties[], check_gather_properties[], check_critical_properties[];

/* Appends to a text that ends with 0. */
void check_append(char *out, size_t size, const char *text);
/* Appends "; edges of 3 vertices: 0 -> 1 of weight 2, ..." and the numbers of the state to the explanation. Returns
 * false, as a property does that does not hold. */
bool check_explain(scene *s);
/* Fills the cells that a run begins with; cells[v] is of vertex v. */
void check_begin(const scene *s, run_time_cell *cells);
/* The next number below `below` of a sequence. */
ordo_u32 check_draw(ordo_u64 *x, ordo_u32 below);

#endif
