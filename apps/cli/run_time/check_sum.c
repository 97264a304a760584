/* check_sum.c -- what `ordo check-operator` tests of operators whose cells sum. See check.h.
 *
 * Method. An operator runs on a small graph in an order of work that is drawn from a seed. Every take and every offer
 * of that run is looked at: cells and addends are thus those that runs have.
 */
#include "apps/cli/run_time/check.h"

#include <math.h>
#include <string.h>

/* An offer: what it found, and what it left. */
typedef struct offer {
    ordo_vid tail, head;
    ordo_eid edge;
    run_time_cell taken, before, addend, after;
    run_time_cell last; /* the addend of the offer before */
} offer;

/* The two return false for a contradiction; NULL where that is not looked at. */
typedef struct looks {
    bool (*offer)(scene *s, const offer *o);
    bool (*take)(scene *s, ordo_vid v, const run_time_cell *before, const run_time_cell *after);
} looks;

static ordo_u32 level(const scene *s, const run_time_cell *c)
{
    return s->op->table->level(s->op->state, c);
}

static void cell_text(const scene *s, const run_time_cell *c, char out[RUN_TIME_TEXT])
{
    const run_time_operator *op = s->op;
    if (op->op.cell == ORDO_F32 || op->op.cell == ORDO_F64)
        snprintf(out, RUN_TIME_TEXT, "%.9g", op->op.cell == ORDO_F32 ? (double)c->f32 : c->f64);
    else if (op->op.cell == ORDO_I32 || op->op.cell == ORDO_I64)
        snprintf(out, RUN_TIME_TEXT, "%lld", op->op.cell == ORDO_I32 ? (long long)c->i32 : (long long)c->i64);
    else
        snprintf(out, RUN_TIME_TEXT, "%llu", op->op.cell == ORDO_U64 ? (unsigned long long)c->u64 : c->u32);
}

/* Explains a contradiction: `format` with the first # replaced by cell a, the second by b, the third by c. */
static bool says(scene *s, const char *format, const run_time_cell *a, const run_time_cell *b, const run_time_cell *c)
{
    const run_time_cell *cells[3] = {a, b, c};
    for (int i = 0; *format; format++) {
        char text[RUN_TIME_TEXT] = {*format};
        if (*format == '#' && i < 3)
            cell_text(s, cells[i++], text);
        check_append(s->why, sizeof s->why, text);
    }
    return check_explain(s);
}

/* Runs until no item has a level: least vertices first, or, with a seed, in an order that is drawn. */
static bool run(scene *s, ordo_u32 seed, const looks *look, run_time_cell *cell, bool *ends)
{
    const ordo_run_time *t = s->op->table;
    ordo_u64 x = seed;
    offer o = {.last = {0}};
    check_begin(s, cell);
    *ends = false;
    for (int step = 0; step < MOST_STEPS; step++) {
        ordo_vid list[MOST_N], count = 0;
        for (ordo_vid v = 0; v < s->g.n; v++)
            if (t->filter(s->op->state, v) && level(s, &cell[v]))
                list[count++] = v;
        if (!count) {
            *ends = true;
            return true;
        }
        o.tail = seed ? list[check_draw(&x, count)] : list[0];
        o.before = cell[o.tail];
        o.taken = (run_time_cell){0};
        t->take(s->op->state, o.tail, &cell[o.tail], &o.taken);
        if (look->take && !look->take(s, o.tail, &o.before, &cell[o.tail]))
            return false;
        for (o.edge = s->row[o.tail]; o.edge < s->row[o.tail + 1]; o.edge++) {
            o.head = s->head[o.edge];
            o.addend = (run_time_cell){0};
            run_time_candidate(s->op, &s->g, o.tail, o.edge, &o.taken, &o.addend);
            o.before = cell[o.head];
            t->add(&cell[o.head], &o.addend);
            o.after = cell[o.head];
            if (look->offer && !look->offer(s, &o))
                return false;
            o.last = o.addend;
        }
    }
    return true;
}

static bool look_at_run(scene *s, const looks *look)
{
    run_time_cell cell[MOST_N];
    bool ends;
    return run(s, s->order, look, cell, &ends);
}

/* ---- properties ---- */

static bool look_spent(scene *s, ordo_vid v, const run_time_cell *before, const run_time_cell *after)
{
    char format[160];
    if (!level(s, after))
        return true;
    snprintf(format, sizeof format, "vertex %u: a take from cell # leaves #, of level %u, expected level 0", v,
             level(s, after));
    return says(s, format, before, after, after);
}

static bool is_spent(scene *s)
{
    return look_at_run(s, &(looks){NULL, look_spent});
}

static bool look_monotone(scene *s, const offer *o)
{
    char format[160];
    if (level(s, &o->after) >= level(s, &o->before))
        return true;
    snprintf(format, sizeof format, "edge %u -> %u: it adds # to cell #, of level %u, which makes #, of level %u",
             o->tail, o->head, level(s, &o->before), level(s, &o->after));
    return says(s, format, &o->addend, &o->before, &o->after);
}

static bool is_monotone(scene *s)
{
    return look_at_run(s, &(looks){look_monotone, NULL});
}

static bool same_again(scene *s, const offer *o, ordo_eid id, const char *what)
{
    run_time_cell again = {0};
    char format[200];
    run_time_candidate_as(s->op, &s->g, o->tail, o->edge, id, &o->taken, &again);
    if (!memcmp(&again, &o->addend, s->op->cell))
        return true;
    snprintf(format, sizeof format, "edge %u -> %u: of # taken it adds #, and %s #", o->tail, o->head, what);
    return says(s, format, &o->taken, &o->addend, &again);
}

static bool look_idempotent(scene *s, const offer *o)
{
    return same_again(s, o, o->edge, "asked again");
}

static bool is_idempotent(scene *s)
{
    return look_at_run(s, &(looks){look_idempotent, NULL});
}

static bool look_blind(scene *s, const offer *o)
{
    return same_again(s, o, o->edge + 1 + s->order % 7, "with another edge id");
}

static bool is_edge_blind(scene *s)
{
    return look_at_run(s, &(looks){look_blind, NULL});
}

/* (cell + a) + b and cell + (b + a): the same whole number; reals that are apart by rounding at most, which is taken
 * of the sum of the three sizes. */
static bool look_associative(scene *s, const offer *o)
{
    const ordo_type type = s->op->op.cell;
    run_time_cell one = o->after, joined = o->last, other = o->before;
    const run_time_cell *part[3] = {&o->before, &o->addend, &o->last}, zero = {0};
    double size = 0, unused;
    s->op->table->add(&one, &o->last);
    s->op->table->add(&joined, &o->addend);
    s->op->table->add(&other, &joined);
    if (type != ORDO_F32 && type != ORDO_F64)
        return !memcmp(&one, &other, s->op->cell) ||
               says(s, "cell #: addends # and # make different sums in two orders", part[0], part[1], part[2]);
    for (int i = 0; i < 3; i++)
        size += run_time_distance(type, part[i], &zero, &unused);
    const double apart = run_time_distance(type, &one, &other, &unused);
    return apart <= size * (type == ORDO_F32 ? 0x1p-21 : 0x1p-50) && isfinite(size)
               ? true
               : says(s, "cell #: addends # and # make sums that are apart by more than rounding in two orders",
                      part[0], part[1], part[2]);
}

static bool is_associative(scene *s)
{
    return look_at_run(s, &(looks){look_associative, NULL});
}

static bool take_answer(scene *s, const run_time_cell *cell, run_time_cell *out)
{
    const void *values = NULL;
    if (run_time_has_result(s->op) && run_time_result(s->op, s->g.n, &values))
        return false;
    for (ordo_vid v = 0; v < s->g.n; v++) {
        out[v] = (run_time_cell){0};
        memcpy(&out[v], values ? run_time_value_at(s->op, values, v) : (const void *)&cell[v], s->op->value);
    }
    return true;
}

static bool has_one_answer(scene *s)
{
    run_time_cell cell[MOST_N], answer[2][MOST_N];
    const looks nothing = {NULL, NULL};
    for (ordo_u32 i = 0; i < 2; i++) {
        bool ends;
        if (i && run_time_fill(s->op, &s->g, NULL, s->source, false))
            return true; /* without memory nothing is shown */
        run(s, i * (s->order + 1), &nothing, cell, &ends);
        if (!ends) {
            snprintf(s->why, sizeof s->why, "a run has not ended after %d steps", MOST_STEPS);
            return check_explain(s);
        }
        if (!take_answer(s, cell, answer[i]))
            return true;
    }
    const double within = s->op->table->within(s->op->state, &s->g);
    for (ordo_vid v = 0; v < s->g.n; v++) {
        double rounding;
        char text[2][RUN_TIME_TEXT];
        const double apart = run_time_distance(s->op->type, &answer[0][v], &answer[1][v], &rounding);
        if (apart <= within + rounding)
            continue;
        run_time_text(s->op, v, &answer[0][v], text[0]);
        run_time_text(s->op, v, &answer[1][v], text[1]);
        snprintf(s->why, sizeof s->why, "vertex %u ends with %.100s in one order of work and %.100s in another", v,
                 text[0], text[1]);
        return check_explain(s);
    }
    return true;
}

const property check_sum_properties[] = {
    {"spent", 0, NULL, is_spent},
    {"monotone", ORDO_MONOTONE, NULL, is_monotone},
    {"idempotent", ORDO_IDEMPOTENT, NULL, is_idempotent},
    {"associative", ORDO_ASSOCIATIVE, NULL, is_associative},
    {"edge-blind", ORDO_EDGE_BLIND, NULL, is_edge_blind},
    {"one answer in every order", ORDO_ASSOCIATIVE, NULL, has_one_answer},
    {NULL, 0, NULL, NULL},
};
