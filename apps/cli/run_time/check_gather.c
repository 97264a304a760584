/* check_gather.c -- what `ordo check-operator` tests of gather operators. See check.h.
 *
 * Method. Cells are those that the operator begins with, or those after a few rounds. Rounds are computed again, with
 * rows in another order, and in place.
 */
#include "apps/cli/run_time/check.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 256 }; /* that are tried until nothing changes */

/* The rows of in-edges of a case, and cells, as arrays of the operator's type. */
typedef struct rows {
    ordo_csr in;
    ordo_eid row[MOST_N + 1];
    ordo_vid head[2 * MOST_M];
    ordo_u32 weight[2 * MOST_M];
} rows;
typedef struct cells {
    _Alignas(16) char at[MOST_N * sizeof(run_time_cell)];
} cells;

static void make_rows(const scene *s, rows *r)
{
    ordo_eid m = 0;
    for (ordo_vid v = 0; v < s->g.n; v++) {
        r->row[v] = m;
        for (ordo_vid u = 0; u < s->g.n; u++)
            for (ordo_eid e = s->row[u]; e < s->row[u + 1]; e++)
                if (s->head[e] == v) {
                    r->head[m] = u;
                    r->weight[m++] = s->weight[e];
                }
    }
    r->row[s->g.n] = m;
    r->in = s->g;
    r->in.row = r->row;
    r->in.head = r->head;
    r->in.weight = s->g.weight ? r->weight : NULL;
}

static void begin(const scene *s, cells *c)
{
    *c = (cells){{0}};
    run_time_begin(s->op, ORDO_NO_VERTEX, s->g.n, c->at);
}

static double round_of(const scene *s, const rows *r, const cells *from, cells *to)
{
    *to = (cells){{0}};
    return s->op->table->round(s->op->state, &r->in, from->at, to->at);
}

/* The cells of a round in place: every vertex reads what is there. */
static double round_in_place(const scene *s, const rows *r, cells *c)
{
    const cells before = *c;
    cells next;
    for (ordo_vid v = 0; v < s->g.n; v++) {
        round_of(s, r, c, &next);
        memcpy(c->at + v * s->op->cell, next.at + v * s->op->cell, s->op->cell);
    }
    return s->op->table->far(s->op->state, s->g.n, before.at, c->at);
}

/* The cells after a few rounds. */
static void some_cells(const scene *s, const rows *r, cells *c)
{
    begin(s, c);
    for (ordo_u32 i = 0; i < s->order % 4; i++) {
        const cells from = *c;
        round_of(s, r, &from, c);
    }
}

static bool differs(scene *s, const cells *a, const cells *b, ordo_vid v)
{
    return memcmp(a->at + v * s->op->cell, b->at + v * s->op->cell, s->op->cell) != 0;
}

/* Explains two values of a vertex, of which `format` has a # each. */
static bool says(scene *s, ordo_vid v, const char *format, const cells *a, const cells *b)
{
    const cells *values[2] = {a, b};
    char text[RUN_TIME_TEXT];
    snprintf(s->why, sizeof s->why, "vertex %u: ", v);
    for (int i = 0; *format; format++) {
        if (*format == '#' && i < 2)
            run_time_text(s->op, v, values[i++]->at + v * s->op->cell, text);
        else
            snprintf(text, sizeof text, "%c", *format);
        check_append(s->why, sizeof s->why, text);
    }
    return check_explain(s);
}

/* ---- properties ---- */

static bool is_same_again(scene *s)
{
    rows r;
    cells from, first, second;
    make_rows(s, &r);
    some_cells(s, &r, &from);
    round_of(s, &r, &from, &first);
    round_of(s, &r, &from, &second);
    for (ordo_vid v = 0; v < s->g.n; v++)
        if (differs(s, &first, &second, v))
            return says(s, v, "its neighbours' cells make # of it, and then #", &first, &second);
    return true;
}

/* Whether some array has elements for edges, whose ids are places in rows. */
static bool has_edge_arrays(const scene *s)
{
    ordo_array few[ORDO_MOST_ARRAYS], more[ORDO_MOST_ARRAYS];
    s->op->table->list_arrays(s->op->state, s->g.n, s->g.n, 0, few);
    s->op->table->list_arrays(s->op->state, s->g.n, s->g.n, 1, more);
    for (size_t i = 0; i < s->op->table->array_count; i++)
        if (few[i].count != more[i].count)
            return true;
    return false;
}

static bool is_any_order(scene *s)
{
    rows r;
    cells from, first, second;
    ordo_u64 x = s->order;
    if (has_edge_arrays(s))
        return true; /* the arrays would belong to other edges */
    make_rows(s, &r);
    some_cells(s, &r, &from);
    round_of(s, &r, &from, &first);
    for (ordo_vid v = 0; v < s->g.n; v++)
        for (ordo_eid i = r.row[v], n = r.row[v + 1]; i + 1 < n; i++) {
            const ordo_eid j = i + check_draw(&x, (ordo_u32)(n - i));
            const ordo_vid head = r.head[i];
            const ordo_u32 weight = r.weight[i];
            r.head[i] = r.head[j];
            r.weight[i] = r.weight[j];
            r.head[j] = head;
            r.weight[j] = weight;
        }
    round_of(s, &r, &from, &second);
    for (ordo_vid v = 0; v < s->g.n; v++) {
        double rounding;
        const void *a = first.at + v * s->op->cell, *b = second.at + v * s->op->cell;
        if (run_time_distance(s->op->type, a, b, &rounding) > rounding)
            return says(s, v, "its neighbours' cells make # of it, and in another order of neighbours #", &first,
                        &second);
    }
    return true;
}

/* A change is 0 where nothing changes, and no less anywhere else. */
static bool has_change(scene *s)
{
    rows r;
    cells from, to;
    make_rows(s, &r);
    some_cells(s, &r, &from);
    round_of(s, &r, &from, &to);
    for (ordo_vid v = 0; v < s->g.n; v++) {
        char format[160];
        const void *old = from.at + v * s->op->cell, *now = to.at + v * s->op->cell;
        const double still = s->op->table->change(s->op->state, v, old, old);
        const double change = s->op->table->change(s->op->state, v, old, now);
        snprintf(format, sizeof format, "nothing changes beside cell #, and the change is %.9g, expected 0", still);
        if (still != 0)
            return says(s, v, format, &from, &from);
        snprintf(format, sizeof format, "from # to # the change is %.9g, expected at least 0", change);
        if (!(change >= 0))
            return says(s, v, format, &from, &to);
    }
    return true;
}

/* Rounds until they change no more than rounding does. False: they do not end here. */
static bool converge(const scene *s, const rows *r, bool in_place, cells *c, double *limit)
{
    begin(s, c);
    for (int i = 0; i < MOST_ROUNDS; i++) {
        const cells from = *c;
        const double change = in_place ? round_in_place(s, r, c) : round_of(s, r, &from, c);
        *limit = s->op->table->noise(s->op->state, s->g.n, c->at);
        if (change <= *limit)
            return true;
    }
    return false;
}

/* Where rounds that are double-buffered converge, those in place do, too, at the same answer. Near it they may be apart
 * by what rounding adds up to. */
static bool runs_in_place(scene *s)
{
    rows r;
    cells first, second;
    double limit, unused;
    make_rows(s, &r);
    if (!converge(s, &r, false, &first, &limit))
        return true;
    if (!converge(s, &r, true, &second, &unused))
        return says(s, 0, "rounds converge to #, but in place they do not: # after 256 rounds", &first, &second);
    for (ordo_vid v = 0; v < s->g.n; v++) {
        cells moved = first;
        memcpy(moved.at + v * s->op->cell, second.at + v * s->op->cell, s->op->cell);
        if (s->op->table->far(s->op->state, s->g.n, first.at, moved.at) > 1000 * limit)
            return says(s, v, "it ends with # by rounds, and with # in place", &first, &second);
    }
    return true;
}

const property check_gather_properties[] = {
    {"same value again", 0, NULL, is_same_again},
    {"any order of neighbours", 0, NULL, is_any_order},
    {"change", 0, NULL, has_change},
    {"in place", ORDO_IN_PLACE, NULL, runs_in_place},
    {NULL, 0, NULL, NULL},
};
