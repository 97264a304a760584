/* points_to_verify.c -- checks sets of points-to analysis against a serial program, written as plainly as it can be.
 *
 * Sets of objects and of successors are sorted lists. A variable whose set has grown is taken from a queue, its loads
 * and stores add edges for all that it points to, and its set goes to all its successors. Where nothing is left in the
 * queue, the sets are the smallest that satisfy all constraints. Nothing is shared with points_to.c.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/points_to.h>

typedef struct list {
    ordo_u32 *item; /* [count] ascending */
    ordo_u32 count, room;
} list;

typedef struct reference {
    ordo_u32 n;
    const ordo_constraints *c;
    list *points, *after;  /* [n] sets; successors */
    list *loads, *stores;  /* [n] destinations of loads from v; sources of stores to v */
    ordo_u32 *queue;       /* [n] a ring */
    bool *waits;           /* [n] is in it */
    ordo_u64 first, count; /* of the queue */
    bool failed;           /* no memory */
} reference;

/* Inserts; true where it is new. */
static bool insert(reference *r, list *l, ordo_u32 item)
{
    ordo_u32 low = 0, high = l->count;
    while (low < high) {
        const ordo_u32 middle = low + (high - low) / 2;
        if (l->item[middle] < item)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < l->count && l->item[low] == item)
        return false;
    if (l->count == l->room) {
        const ordo_u32 room = 2 * l->room + 4;
        ordo_u32 *more = ordo_realloc(l->item, room, sizeof *more);
        if (!more) {
            r->failed = true;
            return false;
        }
        l->item = more;
        l->room = room;
    }
    memmove(l->item + low + 1, l->item + low, (l->count - low) * sizeof *l->item);
    l->item[low] = item;
    l->count++;
    return true;
}

static void wait_for(reference *r, ordo_u32 v)
{
    if (r->waits[v])
        return;
    r->waits[v] = true;
    r->queue[(r->first + r->count++) % r->n] = v;
}

/* The set of `to` gets that of `from`. */
static void include(reference *r, ordo_u32 from, ordo_u32 to)
{
    bool grown = false;
    for (ordo_u32 i = 0; from != to && i < r->points[from].count; i++)
        grown |= insert(r, &r->points[to], r->points[from].item[i]);
    if (grown)
        wait_for(r, to);
}

static void add_edge(reference *r, ordo_u32 from, ordo_u32 to)
{
    if (insert(r, &r->after[from], to))
        include(r, from, to);
}

static void process(reference *r, ordo_u32 v)
{
    for (ordo_u32 i = 0; i < r->points[v].count; i++) {
        for (ordo_u32 k = 0; k < r->loads[v].count; k++)
            add_edge(r, r->points[v].item[i], r->loads[v].item[k]);
        for (ordo_u32 k = 0; k < r->stores[v].count; k++)
            add_edge(r, r->stores[v].item[k], r->points[v].item[i]);
    }
    for (ordo_u32 i = 0; i < r->after[v].count; i++)
        include(r, v, r->after[v].item[i]);
}

static void solve(reference *r)
{
    for (ordo_u64 i = 0; i < r->c->count; i++) {
        const ordo_constraint k = r->c->list[i];
        if (k.kind == ORDO_ADDRESS_OF && insert(r, &r->points[k.destination], k.source))
            wait_for(r, k.destination);
        if (k.kind == ORDO_COPY)
            insert(r, &r->after[k.source], k.destination);
        if (k.kind == ORDO_LOAD)
            insert(r, &r->loads[k.source], k.destination);
        if (k.kind == ORDO_STORE)
            insert(r, &r->stores[k.destination], k.source);
    }
    while (r->count && !r->failed) {
        const ordo_u32 v = r->queue[r->first];
        r->first = (r->first + 1) % r->n;
        r->count--;
        r->waits[v] = false;
        process(r, v);
    }
}

static ordo_status compare(const reference *r, const ordo_points_to_sets *sets)
{
    if (sets->variables != r->n)
        return ordo_fail(ORDO_ERR_VERIFY, "sets of %u variables, expected %u", sets->variables, r->n);
    for (ordo_u32 v = 0; v < r->n; v++) {
        if (sets->set[v] >= sets->sets)
            return ordo_fail(ORDO_ERR_VERIFY, "variable %u has set %u, expected one below %u", v, sets->set[v],
                             sets->sets);
        const ordo_u64 begin = sets->row[sets->set[v]], size = sets->row[sets->set[v] + 1] - begin;
        if (size != r->points[v].count)
            return ordo_fail(ORDO_ERR_VERIFY, "variable %u points to %llu objects, expected %u", v,
                             (unsigned long long)size, r->points[v].count);
        for (ordo_u32 i = 0; i < size; i++)
            if (sets->object[begin + i] != r->points[v].item[i])
                return ordo_fail(ORDO_ERR_VERIFY, "variable %u points to %u, expected %u", v, sets->object[begin + i],
                                 r->points[v].item[i]);
    }
    return ORDO_OK;
}

static void free_lists(list *l, ordo_u32 n)
{
    for (ordo_u32 v = 0; l && v < n; v++)
        ordo_free(l[v].item);
    ordo_free(l);
}

ordo_status ordo_points_to_verify(const ordo_constraints *c, const ordo_points_to_sets *sets)
{
    const ordo_u32 n = c->variables;
    reference r = {.n = n, .c = c};
    r.points = ordo_alloc_zero(n, sizeof *r.points);
    r.after = ordo_alloc_zero(n, sizeof *r.after);
    r.loads = ordo_alloc_zero(n, sizeof *r.loads);
    r.stores = ordo_alloc_zero(n, sizeof *r.stores);
    r.queue = ordo_alloc(n, sizeof *r.queue);
    r.waits = ordo_alloc_zero(n, sizeof *r.waits);
    ordo_status status = ORDO_ERR_MEMORY;
    if (r.points && r.after && r.loads && r.stores && r.queue && r.waits) {
        solve(&r);
        status = r.failed ? ORDO_ERR_MEMORY : compare(&r, sets);
    }
    free_lists(r.points, n);
    free_lists(r.after, n);
    free_lists(r.loads, n);
    free_lists(r.stores, n);
    ordo_free(r.queue);
    ordo_free(r.waits);
    return status;
}
