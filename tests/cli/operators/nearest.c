/* nearest.c -- the length of a shortest path, of those the fewest edges, and of those the least vertex before the last:
 * a cell of 16 bytes that is a struct. */
#include <stdio.h>

#include <ordo/operator/operator.h>

typedef struct nearest {
    ordo_u64 length;
    ordo_u32 edges, before;
} nearest;

ORDO_FN int nearest_better(nearest a, nearest b)
{
    if (a.length != b.length)
        return a.length < b.length;
    return a.edges != b.edges ? a.edges < b.edges : a.before < b.before;
}

ORDO_FN nearest nearest_worst(void)
{
    nearest c = {~(ordo_u64)0, 0xffffffffu, 0xffffffffu};
    return c;
}

ORDO_FN nearest nearest_source(const ordo_no_state *s)
{
    nearest c = {0, 0, 0};
    (void)s;
    return c;
}

ORDO_FN nearest nearest_candidate(const ordo_no_state *s, nearest cell, ordo_edge_u32 e)
{
    (void)s;
    if (!nearest_better(cell, nearest_worst()))
        return cell;
    cell.length += e.weight;
    cell.edges++;
    cell.before = e.tail;
    return cell;
}

ORDO_FN double nearest_priority(const ordo_no_state *s, ordo_item v, nearest cell)
{
    (void)s;
    (void)v;
    return (double)cell.length;
}

static int nearest_print(const ordo_no_state *s, ordo_item v, nearest cell, char *out, size_t size)
{
    (void)s;
    (void)v;
    return nearest_better(cell, nearest_worst())
               ? snprintf(out, size, "%llu,%u,%u", (unsigned long long)cell.length, cell.edges, cell.before)
               : snprintf(out, size, "inf");
}

#define ORDO_RELAX nearest
#define ORDO_RELAX_SUMMARY "shortest paths of the fewest edges"
#define ORDO_RELAX_CELL_STRUCT nearest
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_BY_COMPARATOR
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE nearest_candidate
#define ORDO_RELAX_BETTER nearest_better
#define ORDO_RELAX_WORST nearest_worst
#define ORDO_RELAX_PRIORITY nearest_priority
#define ORDO_RELAX_SOURCE nearest_source
#define ORDO_RELAX_PRINT nearest_print
#include <ordo/operator/relax.h>
