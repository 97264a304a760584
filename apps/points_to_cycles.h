/* points_to_cycles.h -- finds variables that lie on a common cycle of copies, by Tarjan's algorithm (1972).
 *
 * Variables on a cycle have the same set when the analysis ends. They form a class, and one of them, the
 * representative, has the set and the edges of all. The search follows edges between representatives; rows must hold
 * representatives only. One thread calls it, while no other thread writes rows. The search keeps its path in an array
 * instead of recursing, since a path may have as many variables as the program.
 */
#ifndef ORDO_POINTS_TO_CYCLES_H
#define ORDO_POINTS_TO_CYCLES_H

#include "apps/points_to_set.h"

/* A variable on the path of the search, its edges that are left, and the least number reached from below it. */
typedef struct cycle_frame {
    ordo_u32 v, low;
    set_place left;
} cycle_frame;

typedef struct cycle_finder {
    ordo_u32 *number;  /* [n] in the order in which the search came to them; 0: not yet, CYCLE_DONE: class is known */
    ordo_u32 *open;    /* [n] stack of those whose class is not known */
    cycle_frame *path; /* [n] stack */
    ordo_u32 last, opened, depth;
} cycle_finder;

#define CYCLE_DONE 0xFFFFFFFFu

/* The search calls this for each variable that joins the class of another one. Calls for one class are consecutive. */
typedef void cycle_join(void *arg, ordo_u32 v, ordo_u32 into);

static inline bool cycle_finder_make(cycle_finder *f, ordo_u32 n)
{
    f->number = ordo_alloc(n, sizeof *f->number);
    f->open = ordo_alloc(n, sizeof *f->open);
    f->path = ordo_alloc(n, sizeof *f->path);
    return f->number && f->open && f->path;
}

static inline void cycle_finder_free(cycle_finder *f)
{
    ordo_free(f->number);
    ordo_free(f->open);
    ordo_free(f->path);
}

static inline void cycle_enter(cycle_finder *f, const ordo_u32 *row, ordo_u32 v)
{
    f->number[v] = ++f->last;
    f->open[f->opened++] = v;
    f->path[f->depth++] = (cycle_frame){.v = v, .low = f->last, .left = set_begin(row[v])};
}

/* All that the search can reach from `root`, which has no number yet. */
static inline void cycles_from(cycle_finder *f, const set_pool *pool, const ordo_u32 *row, ordo_u32 root,
                               cycle_join *join, void *arg)
{
    cycle_enter(f, row, root);
    while (f->depth) {
        cycle_frame *const at = &f->path[f->depth - 1];
        const ordo_u32 v = at->v;
        ordo_u32 w;
        if (set_next(pool, &at->left, &w)) {
            if (!f->number[w])
                cycle_enter(f, row, w);
            else if (f->number[w] < at->low) /* never so where it is CYCLE_DONE */
                at->low = f->number[w];
            continue;
        }
        f->depth--;
        if (at->low < f->number[v]) { /* on a cycle with one that is still on the path */
            if (at->low < at[-1].low)
                at[-1].low = at->low;
            continue;
        }
        do {
            w = f->open[--f->opened];
            f->number[w] = CYCLE_DONE;
            if (w != v)
                join(arg, w, v);
        } while (w != v);
    }
}

/* All classes: `join` gets each variable that joins another one. `of` [n] has the representative of each variable. */
static inline void cycles_find(cycle_finder *f, const set_pool *pool, const ordo_u32 *of, const ordo_u32 *row,
                               ordo_u32 n, cycle_join *join, void *arg)
{
    memset(f->number, 0, n * sizeof *f->number);
    f->last = 0;
    for (ordo_u32 v = 0; v < n; v++)
        if (of[v] == v && !f->number[v])
            cycles_from(f, pool, row, v, join, arg);
}

#endif
