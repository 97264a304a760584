/* check.c -- `ordo check-operator FILE`: tests what an operator declares of itself, on small random cases.
 *
 * Problem. A scheduler trusts the properties of an operator. One that declares too much gives wrong answers, sometimes.
 *
 * Method. A case is a list of small numbers, from which a graph, cells, edge ids, an order and the numbers of the state
 * are made; cases grow. Each property is a function that looks for a contradiction in a case. The first one is made
 * smaller: numbers are lowered and edges are left out, as long as a contradiction stays (Hughes and Claessen 2000,
 * QuickCheck). A property that passes is not proven.
 *
 * Cells near the end of their type are tried only where weights are read: there a sum may exceed the type, and without
 * weights no run gets there. Weights are never negative.
 */
#define _POSIX_C_SOURCE 200809L /* sigaction */
#include "apps/cli/run_time/check.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct trial {
    ordo_u32 n, m;
    ordo_u32 edge[MOST_M][EDGE];
    ordo_u32 cell[3], order;
    ordo_u32 field[FIELDS];
} trial;
enum { NUMBERS = sizeof(trial) / sizeof(ordo_u32) };

/* ---- from numbers to a case ---- */

static run_time_cell cell_of(ordo_type type, ordo_u32 x)
{
    run_time_cell c = {0};
    const ordo_u32 below = x - FAR;
    if (type == ORDO_F32)
        c.f32 = x < FAR ? (ordo_f32)x / 2 : below == 0 ? INFINITY : 3e38f / (ordo_f32)below;
    else if (type == ORDO_F64)
        c.f64 = x < FAR ? (double)x / 2 : below == 0 ? (double)INFINITY : 1e308 / (double)below;
    else if (type == ORDO_U64)
        c.u64 = x < FAR ? x : ~(ordo_u64)0 - below;
    else if (type == ORDO_I64)
        c.i64 = x < FAR ? (ordo_i64)x : (ordo_i64)(~(ordo_u64)0 >> 1) - (ordo_i64)below;
    else if (type == ORDO_I32)
        c.i32 = x < FAR ? (ordo_i32)x : 0x7fffffff - (ordo_i32)below;
    else
        c.u32 = x < FAR ? x : 0xffffffffu - below;
    return c;
}

/* Varies the state, unless --set-state says what it is. Not that of gather operators, and of sums only whole numbers: a
 * factor of a real iteration, drawn at random, would let it grow for ever. */
static void set_fields(const run_time_operator *op, const trial *t)
{
    for (size_t i = 0; !op->o->state_count && i < op->table->field_count && i < FIELDS; i++) {
        const ordo_state_field *field = &op->table->fields[i];
        char *at = (char *)op->state + field->at;
        const double real = t->field[i];
        const ordo_f32 single = (ordo_f32)real;
        const ordo_u64 whole = t->field[i];
        const bool is_real = field->type == ORDO_F32 || field->type == ORDO_F64;
        if (!t->field[i] || op->op.kind == ORDO_KIND_GATHER || (is_real && run_time_sums(op)))
            continue; /* as the operator sets it */
        if (field->type == ORDO_F64)
            memcpy(at, &real, sizeof real);
        else if (field->type == ORDO_F32)
            memcpy(at, &single, sizeof single);
        else
            memcpy(at, ordo_type_bytes(field->type) == sizeof whole ? (const void *)&whole : &t->field[i],
                   ordo_type_bytes(field->type));
    }
}

/* Few weights where cells are structs, so that walks of one length meet: ties are the point there. */
static ordo_u32 weight_of(const run_time_operator *op, ordo_u32 x)
{
    return op->op.cell >= ORDO_STRUCT4 && x < FAR ? x % 3 : x;
}

/* Makes rows of the edges, in order of their tails. */
static void make_scene(run_time_operator *op, const trial *t, scene *s)
{
    const ordo_type type = run_time_weight(op);
    const bool both = op->o->edges.direction == ORDO_SYMMETRISE || op->op.properties & ORDO_BOTH_DIRECTIONS;
    ordo_eid m = 0;
    *s = (scene){.op = op, .order = t->order};
    for (ordo_u32 u = 0; u < t->n; u++) {
        s->row[u] = m;
        for (ordo_u32 i = 0; i < t->m; i++)
            for (int side = 0; side < (both ? 2 : 1); side++)
                if (t->edge[i][side] % t->n == u) {
                    s->tail[m] = u;
                    s->head[m] = t->edge[i][!side] % t->n;
                    s->weight[m++] =
                        cell_of(type, weight_of(op, t->edge[i][2])).u32; /* the word of a u32, i32 or f32 */
                }
    }
    s->row[t->n] = m;
    s->g = (ordo_csr){.n = t->n,
                      .m = m,
                      .row = s->row,
                      .head = s->head,
                      .weight = type == ORDO_NONE ? NULL : s->weight,
                      .weight_type = type,
                      .stride = 1};
    s->edges = (ordo_edges){.row = s->row,
                            .head = s->head,
                            .weight = type == ORDO_NONE ? NULL : s->weight,
                            .tail = op->op.items == ORDO_ITEMS_EDGES ? s->tail : NULL,
                            .edges = m,
                            .vertices = t->n,
                            .stride = 1};
    s->source = op->table->has_source ? 0 : ORDO_NO_VERTEX;
    for (int i = 0; i < 3; i++)
        s->cell[i] = cell_of(op->type, t->cell[i]);
}

/* ---- text ---- */

void check_append(char *out, size_t size, const char *text)
{
    const size_t used = strlen(out);
    snprintf(out + used, size - used, "%s", text);
}

static void append_state(const scene *s, char *out, size_t size)
{
    for (size_t i = 0; i < s->op->table->field_count; i++) {
        const ordo_state_field *field = &s->op->table->fields[i];
        const run_time_number x = run_time_state(s->op, field);
        char text[96];
        if (x.type == ORDO_F32 || x.type == ORDO_F64)
            snprintf(text, sizeof text, "%s%.40s=%.9g", i ? ", " : "; state ", field->name, x.real);
        else
            snprintf(text, sizeof text, "%s%.40s=%lld", i ? ", " : "; state ", field->name, (long long)x.whole);
        check_append(out, size, text);
    }
}

static void edge_text(const scene *s, ordo_vid u, ordo_eid e, char out[RUN_TIME_TEXT])
{
    char weight[RUN_TIME_TEXT] = "";
    if (run_time_weight(s->op) == ORDO_F32) {
        ordo_f32 real;
        memcpy(&real, &s->weight[e], sizeof real);
        snprintf(weight, sizeof weight, " of weight %.9g", (double)real);
    } else if (run_time_weight(s->op) != ORDO_NONE) {
        snprintf(weight, sizeof weight, " of weight %u", s->weight[e]);
    }
    snprintf(out, RUN_TIME_TEXT, "%u -> %u%.60s", u, s->head[e], weight);
}

/* "graph of 3 vertices: 0 -> 1 of weight 2, ..." */
static void append_graph(const scene *s, char *out, size_t size)
{
    char text[RUN_TIME_TEXT];
    snprintf(text, sizeof text, "; edges of %u vertices: ", s->g.n);
    check_append(out, size, text);
    for (ordo_vid u = 0; u < s->g.n; u++)
        for (ordo_eid e = s->row[u]; e < s->row[u + 1]; e++) {
            edge_text(s, u, e, text);
            check_append(out, size, e ? ", " : "");
            check_append(out, size, text);
        }
}

bool check_explain(scene *s)
{
    append_graph(s, s->why, sizeof s->why);
    append_state(s, s->why, sizeof s->why);
    return false;
}

/* ---- properties of a candidate ---- */

static bool better(const scene *s, const run_time_cell *a, const run_time_cell *b)
{
    return s->op->table->better(a, b) != 0;
}

static bool same_bits(const scene *s, const run_time_cell *a, const run_time_cell *b)
{
    return memcmp(a, b, s->op->cell) == 0;
}

/* The tail of the picked edge. */
static ordo_vid pick_tail(const scene *s)
{
    ordo_vid u = 0;
    while (u + 1 < s->g.n && s->row[u + 1] <= s->pick)
        u++;
    return u;
}

/* What the picked edge proposes, under an id of its own. */
static run_time_cell propose(const scene *s, const run_time_cell *tail_cell, ordo_eid id)
{
    static const ordo_u32 one = 1;
    static const ordo_f32 one_real = 1;
    const void *weight = s->op->op.weight == ORDO_F32 ? (const void *)&one_real : &one;
    run_time_cell out = {0};
    const ordo_vid u = pick_tail(s);
    s->op->table->candidate(s->op->state, tail_cell, id, u, s->head[s->pick],
                            s->op->op.weight == ORDO_NONE ? weight : &s->weight[s->pick], &out);
    return out;
}

/* Explains a contradiction along the picked edge: in `format`, {0} to {3} are cells, and {e} is the edge. */
static bool says(scene *s, const char *format, const run_time_cell *a, const run_time_cell *b, const run_time_cell *c,
                 const run_time_cell *d)
{
    const run_time_cell *cells[4] = {a, b, c, d};
    s->why[0] = 0;
    for (const char *at = format; *at;) {
        char text[RUN_TIME_TEXT] = "";
        const bool named = at[0] == '{' && at[1] && at[2] == '}';
        if (named && at[1] == 'e')
            edge_text(s, pick_tail(s), s->pick, text);
        else if (named)
            run_time_text(s->op, 0, cells[at[1] - '0'], text);
        else
            text[0] = *at;
        check_append(s->why, sizeof s->why, text);
        at += named ? 3 : 1;
    }
    append_state(s, s->why, sizeof s->why);
    return false;
}

/* Whether a vertex with that cell is processed at all. */
static bool is_active(const scene *s, const run_time_cell *cell)
{
    run_time_cell worst = {0};
    s->op->table->worst(&worst);
    return s->g.m && better(s, cell, &worst);
}

static bool is_order(scene *s)
{
    const run_time_cell *a = &s->cell[0], *b = &s->cell[1], *c = &s->cell[2];
    run_time_cell worst = {0};
    s->op->table->worst(&worst);
    if (better(s, a, a))
        return says(s, "{0} is better than itself", a, a, a, a);
    if (better(s, a, b) && better(s, b, a))
        return says(s, "{0} is better than {1}, and {1} than {0}", a, b, a, b);
    if (better(s, a, b) && better(s, b, c) && !better(s, a, c))
        return says(s, "{0} is better than {1}, which is better than {2}, but {0} is not better than {2}", a, b, c, a);
    if (better(s, &worst, a))
        return says(s, "the worst value, {0}, is better than {1}", &worst, a, a, a);
    return true;
}

static bool is_monotone(scene *s)
{
    const run_time_cell *a = &s->cell[0], *b = &s->cell[1];
    if (!is_active(s, b) || !better(s, a, b))
        return true;
    const run_time_cell from_a = propose(s, a, 0), from_b = propose(s, b, 0);
    return !better(s, &from_b, &from_a) ||
           says(s, "edge {e}: from cell {0} it proposes {2}, and from {1}, which is worse, the better {3}", a, b,
                &from_a, &from_b);
}

static bool is_idempotent(scene *s)
{
    if (!is_active(s, &s->cell[0]))
        return true;
    const run_time_cell first = propose(s, &s->cell[0], 0), second = propose(s, &s->cell[0], 0);
    return same_bits(s, &first, &second) ||
           says(s, "edge {e}: from cell {0} it proposes {2}, and then {3}", &s->cell[0], &s->cell[0], &first, &second);
}

/* Of two cells of which none is better a cell keeps the one that came first. */
static bool is_associative(scene *s)
{
    const run_time_cell *a = &s->cell[0], *b = &s->cell[1];
    if (better(s, a, b) || better(s, b, a) || same_bits(s, a, b))
        return true;
    return says(s, "neither of {0} and {1} is better, so a cell keeps whichever is first", a, b, a, b);
}

static bool is_edge_blind(scene *s)
{
    if (!is_active(s, &s->cell[0]))
        return true;
    char format[160];
    const ordo_eid id = 1 + s->order % 7;
    const run_time_cell first = propose(s, &s->cell[0], 0), second = propose(s, &s->cell[0], id);
    snprintf(format, sizeof format, "edge {e}: from cell {0} it proposes {2} with edge id 0, and {3} with %u",
             (unsigned)id);
    return same_bits(s, &first, &second) || says(s, format, &s->cell[0], &s->cell[0], &first, &second);
}

/* -1, 0 or 1: the first edge is lighter, as heavy, or heavier. */
static int compare_weights(const scene *s, ordo_eid first, ordo_eid second)
{
    ordo_f32 a, b;
    memcpy(&a, &s->weight[first], sizeof a);
    memcpy(&b, &s->weight[second], sizeof b);
    if (run_time_weight(s->op) == ORDO_NONE)
        return 0;
    if (run_time_weight(s->op) == ORDO_F32)
        return a < b ? -1 : a > b;
    return s->weight[first] < s->weight[second] ? -1 : s->weight[first] > s->weight[second];
}

/* Of the picked edge and another one. Weights that are not negative: the lighter, or where larger cells are better the
 * heavier, proposes as much as the other; neither more than the value. */
static bool is_by_weight(scene *s)
{
    const run_time_cell *cell = &s->cell[0];
    if (!is_active(s, cell))
        return true;
    const ordo_eid first = s->pick, second = (first + 1 + s->order % s->g.m) % s->g.m;
    const bool heaviest_first = s->op->table->order == ORDO_MAX;
    const run_time_cell from_first = propose(s, cell, 0);
    if (better(s, &from_first, cell))
        return says(s, "edge {e}: from cell {0} it proposes the better {2}", cell, cell, &from_first, cell);
    s->pick = second;
    const run_time_cell from_second = propose(s, cell, 0);
    const int order = compare_weights(s, first, second);
    const bool fine = order == 0                      ? same_bits(s, &from_first, &from_second)
                      : (order < 0) != heaviest_first ? !better(s, &from_second, &from_first)
                                                      : !better(s, &from_first, &from_second);
    char format[240], text[RUN_TIME_TEXT];
    s->pick = first;
    edge_text(s, pick_tail(s), first, text);
    s->pick = second;
    snprintf(format, sizeof format, "edge %.80s: from cell {0} it proposes {2}, and edge {e} proposes {3}", text);
    const bool held = fine || says(s, format, cell, cell, &from_first, &from_second);
    s->pick = first;
    return held;
}

/* The worst value proposes nothing. */
static bool keeps_worst(scene *s)
{
    run_time_cell worst = {0};
    s->op->table->worst(&worst);
    if (!s->g.m || s->op->table->target)
        return true; /* with targets of its own a candidate reads no cell */
    const run_time_cell from = propose(s, &worst, 0);
    return !better(s, &from, &worst) ||
           says(s, "edge {e}: from the worst value, {0}, it proposes the better {1}", &worst, &from, &worst, &worst);
}

/* ---- targets of the operator's own ---- */

static ordo_u32 target_of(const scene *s, ordo_eid id)
{
    static const ordo_u32 one = 1;
    static const ordo_f32 one_real = 1;
    const void *weight = s->op->op.weight == ORDO_F32 ? (const void *)&one_real : &one;
    return s->op->table->target(s->op->state, id, pick_tail(s), s->head[s->pick],
                                s->op->op.weight == ORDO_NONE ? weight : &s->weight[s->pick]);
}

static bool has_targets(scene *s)
{
    char format[160];
    if (!s->g.m)
        return true;
    const ordo_u32 first = target_of(s, s->pick), second = target_of(s, s->pick);
    snprintf(format, sizeof format, "edge {e}: its target is %u, and then %u", first, second);
    if (first != second)
        return says(s, format, s->cell, s->cell, s->cell, s->cell);
    snprintf(format, sizeof format, "edge {e}: its target is %u, of %u cells", first, s->g.n);
    return first < s->g.n || says(s, format, s->cell, s->cell, s->cell, s->cell);
}

/* What an edge with a target of the operator's own proposes does not depend on a cell. */
static bool reads_no_cell(scene *s)
{
    const run_time_cell *a = &s->cell[0], *b = &s->cell[1];
    if (!s->g.m)
        return true;
    const run_time_cell from_a = propose(s, a, 0), from_b = propose(s, b, 0);
    return same_bits(s, &from_a, &from_b) ||
           says(s,
                "edge {e}: it proposes {2} beside cell {0}, and {3} beside {1}; with ORDO_RELAX_TARGET no cell is "
                "to be read",
                a, b, &from_a, &from_b);
}

static bool has_blind_target(scene *s)
{
    char format[160];
    const ordo_eid id = 1 + s->order % 7;
    if (!s->g.m)
        return true;
    const ordo_u32 first = target_of(s, 0), second = target_of(s, id);
    snprintf(format, sizeof format, "edge {e}: its target is %u with edge id 0, and %u with %u", first, second,
             (unsigned)id);
    return first == second ? is_edge_blind(s) : says(s, format, s->cell, s->cell, s->cell, s->cell);
}

static bool same_answers(scene *s, const run_time_cell *first, const run_time_cell *second)
{
    for (ordo_vid v = 0; v < s->g.n; v++)
        if (better(s, &first[v], &second[v]) || better(s, &second[v], &first[v])) {
            char text[2][RUN_TIME_TEXT];
            run_time_text(s->op, v, &first[v], text[0]);
            run_time_text(s->op, v, &second[v], text[1]);
            snprintf(s->why, sizeof s->why, "vertex %u ends with %.100s in one order of work and %.100s in another", v,
                     text[0], text[1]);
            return check_explain(s);
        }
    return true;
}

static bool has_all_targets(scene *s)
{
    for (s->pick = 0; s->pick < s->g.m; s->pick++)
        if (target_of(s, s->pick) >= s->g.n)
            return false;
    return true;
}

/* Edges in two orders: as they are, and from the last to the first. */
static bool has_one_best(scene *s)
{
    run_time_cell first[MOST_N], second[MOST_N];
    check_begin(s, first);
    check_begin(s, second);
    if (!has_all_targets(s))
        return true; /* another property says so */
    for (ordo_eid i = 0; i < s->g.m; i++)
        for (int backward = 0; backward < 2; backward++) {
            run_time_cell c, *cell = backward ? second : first;
            s->pick = backward ? s->g.m - 1 - i : i;
            c = propose(s, &cell[pick_tail(s)], s->pick);
            cell += target_of(s, s->pick);
            if (better(s, &c, cell))
                *cell = c;
        }
    s->pick = 0;
    return same_answers(s, first, second);
}

/* ---- properties of a run ---- */

void check_begin(const scene *s, run_time_cell *cells)
{
    for (ordo_vid v = 0; v < s->g.n; v++) {
        cells[v] = (run_time_cell){0};
        s->op->table->begin(s->op->state, v, &cells[v]);
    }
    if (s->source != ORDO_NO_VERTEX)
        s->op->table->source(s->op->state, &cells[s->source]);
}

static bool proposes(const scene *s, ordo_vid u, const run_time_cell *cell)
{
    run_time_cell worst = {0};
    s->op->table->worst(&worst);
    return better(s, cell, &worst) && s->op->table->filter(s->op->state, u);
}

/* Runs in an order that is drawn from a seed; seed 0: always the least vertex. False if it does not end. */
static bool run_in_order(const scene *s, ordo_u32 seed, run_time_cell *cells)
{
    bool active[MOST_N] = {false};
    ordo_u64 x = seed;
    check_begin(s, cells);
    for (ordo_vid v = 0; v < s->g.n; v++)
        active[v] = s->source == ORDO_NO_VERTEX || v == s->source;
    for (int step = 0; step < MOST_STEPS; step++) {
        ordo_vid list[MOST_N], count = 0;
        for (ordo_vid v = 0; v < s->g.n; v++)
            if (active[v])
                list[count++] = v;
        if (!count)
            return true;
        x = x * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
        const ordo_vid u = seed ? list[(x >> 33) % count] : list[0];
        const run_time_cell cell = cells[u];
        active[u] = false;
        for (ordo_eid e = s->row[u]; proposes(s, u, &cell) && e < s->row[u + 1]; e++) {
            run_time_cell c = {0};
            run_time_candidate(s->op, &s->g, u, e, &cell, &c);
            if (better(s, &c, &cells[s->head[e]])) {
                cells[s->head[e]] = c;
                active[s->head[e]] = true;
            }
        }
    }
    return false;
}

static bool has_one_answer(scene *s)
{
    run_time_cell first[MOST_N], second[MOST_N];
    const bool ends = run_in_order(s, 0, first), also = run_in_order(s, s->order + 1, second);
    if (!ends || !also) {
        snprintf(s->why, sizeof s->why, "a run has not ended after %d steps", MOST_STEPS);
        return check_explain(s);
    }
    return same_answers(s, first, second);
}

/* Supersteps of all active vertices. `look` is called with each superstep's cells before and after it, and may end the
 * run by returning false. */
static bool run_supersteps(scene *s, bool (*look)(scene *s, int superstep, const run_time_cell *before,
                                                  const run_time_cell *after, const bool *active))
{
    run_time_cell before[MOST_N], after[MOST_N];
    bool active[MOST_N] = {false}, next[MOST_N], any = true;
    check_begin(s, after);
    for (ordo_vid v = 0; v < s->g.n; v++)
        active[v] = s->source == ORDO_NO_VERTEX || v == s->source;
    for (int superstep = 0; any && superstep < MOST_STEPS; superstep++) {
        memcpy(before, after, sizeof before);
        memset(next, 0, sizeof next);
        any = false;
        for (ordo_vid u = 0; u < s->g.n; u++)
            for (ordo_eid e = s->row[u]; active[u] && proposes(s, u, &before[u]) && e < s->row[u + 1]; e++) {
                run_time_cell c = {0};
                run_time_candidate(s->op, &s->g, u, e, &before[u], &c);
                if (better(s, &c, &after[s->head[e]])) {
                    after[s->head[e]] = c;
                    next[s->head[e]] = any = true;
                }
            }
        if (!look(s, superstep, before, after, active))
            return false;
        memcpy(active, next, sizeof active);
    }
    return true;
}

/* All candidates that improve a cell within a superstep are equal. */
static bool look_uniform(scene *s, int superstep, const run_time_cell *before, const run_time_cell *after,
                         const bool *active)
{
    for (ordo_vid u = 0; u < s->g.n; u++)
        for (ordo_eid e = s->row[u]; active[u] && proposes(s, u, &before[u]) && e < s->row[u + 1]; e++) {
            const ordo_vid v = s->head[e];
            run_time_cell c = {0};
            run_time_candidate(s->op, &s->g, u, e, &before[u], &c);
            if (better(s, &c, &before[v]) && better(s, &after[v], &c)) {
                char text[2][RUN_TIME_TEXT];
                run_time_text(s->op, v, &c, text[0]);
                run_time_text(s->op, v, &after[v], text[1]);
                snprintf(s->why, sizeof s->why, "vertex %u gets %.100s and %.100s in superstep %d", v, text[0], text[1],
                         superstep);
                return check_explain(s);
            }
        }
    return true;
}

static bool is_uniform(scene *s)
{
    return run_supersteps(s, look_uniform);
}

/* A cell of which the operator says that it is final does not improve. */
static bool look_final(scene *s, int superstep, const run_time_cell *before, const run_time_cell *after,
                       const bool *active)
{
    (void)active;
    for (ordo_vid v = 0; v < s->g.n; v++)
        if (s->op->table->is_final(s->op->state, v, &before[v]) && better(s, &after[v], &before[v])) {
            char text[2][RUN_TIME_TEXT];
            run_time_text(s->op, v, &before[v], text[0]);
            run_time_text(s->op, v, &after[v], text[1]);
            snprintf(s->why, sizeof s->why,
                     "vertex %u: %.100s is said to be final, and improves to %.100s in superstep %d", v, text[0],
                     text[1], superstep);
            return check_explain(s);
        }
    return true;
}

static bool is_final(scene *s)
{
    return run_supersteps(s, look_final);
}

static bool knows_final(const run_time_operator *op)
{
    return op->op.knows_final;
}

static bool has_priority(scene *s)
{
    const double priority = s->op->table->priority(s->op->state, 0, &s->cell[0]);
    return !isnan(priority) || says(s, "the priority of cell {0} is no number", s->cell, s->cell, s->cell, s->cell);
}

/* ---- trials ---- */

static const property properties[] = {
    {"order", 0, NULL, is_order},
    {"monotone", ORDO_MONOTONE, NULL, is_monotone},
    {"idempotent", ORDO_IDEMPOTENT, NULL, is_idempotent},
    {"associative", ORDO_ASSOCIATIVE, NULL, is_associative},
    {"uniform", ORDO_UNIFORM, NULL, is_uniform},
    {"edge-blind", ORDO_EDGE_BLIND, NULL, is_edge_blind},
    {"by-weight", ORDO_BY_WEIGHT, NULL, is_by_weight},
    {"one answer in every order", ORDO_MONOTONE, NULL, has_one_answer},
    {"final", 0, knows_final, is_final},
    {"priority", 0, NULL, has_priority},
    {"worst value", 0, NULL, keeps_worst},
    {NULL, 0, NULL, NULL},
};

static const property target_properties[] = {
    {"targets", 0, NULL, has_targets},
    {"reads no cell", 0, NULL, reads_no_cell},
    {"order", 0, NULL, is_order},
    {"idempotent", ORDO_IDEMPOTENT, NULL, is_idempotent},
    {"associative", ORDO_ASSOCIATIVE, NULL, is_associative},
    {"edge-blind", ORDO_EDGE_BLIND, NULL, has_blind_target},
    {"one answer in every order", 0, NULL, has_one_best},
    {NULL, 0, NULL, NULL},
};

static const property *properties_of(const run_time_operator *op)
{
    return op->op.kind == ORDO_KIND_CRITICAL ? check_critical_properties
           : op->op.kind == ORDO_KIND_GATHER ? check_gather_properties
           : run_time_sums(op)               ? check_sum_properties
           : op->table->target               ? target_properties
                                             : properties;
}

ordo_u32 check_draw(ordo_u64 *x, ordo_u32 below)
{
    *x = *x * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
    return (ordo_u32)((*x >> 33) % below);
}

/* A number up to `size`; near the end of the type sometimes. */
static ordo_u32 draw_value(ordo_u64 *x, ordo_u32 size, bool with_far)
{
    return with_far && check_draw(x, 8) == 0 ? FAR + check_draw(x, 8) : check_draw(x, size + 1);
}

static ordo_u32 less(ordo_u32 a, ordo_u32 b)
{
    return a < b ? a : b;
}

/* Draws a case of that size, from 1 to SIZES. */
static void draw_trial(const run_time_operator *op, ordo_u64 *x, ordo_u32 size, trial *t)
{
    const bool with_far = run_time_weight(op) != ORDO_NONE && size > SIZES / 2;
    *t = (trial){.n = 1 + check_draw(x, less(size, MOST_N)), .m = check_draw(x, 1 + less(size, MOST_M))};
    for (ordo_u32 i = 0; i < t->m; i++) {
        t->edge[i][0] = check_draw(x, t->n);
        t->edge[i][1] = check_draw(x, t->n);
        t->edge[i][2] = draw_value(x, size, with_far && check_draw(x, 4) == 0);
    }
    for (int i = 0; i < 3; i++)
        t->cell[i] = draw_value(x, size, with_far);
    t->order = check_draw(x, 1u << 20);
    for (int i = 0; i < FIELDS; i++)
        t->field[i] = check_draw(x, 2) ? check_draw(x, size) : 0;
}

/* ---- cells of a struct ---- */

enum { MOST_REACHED = 12 };
typedef struct reached {
    run_time_cell cell[MOST_N][MOST_REACHED]; /* of each vertex; with targets of the operator's own all at 0 */
    ordo_u32 count[MOST_N];
} reached;

static bool add_reached(const scene *s, reached *r, ordo_vid v, const run_time_cell *c)
{
    for (ordo_u32 i = 0; i < r->count[v]; i++)
        if (same_bits(s, &r->cell[v][i], c))
            return false;
    if (r->count[v] == MOST_REACHED)
        return false;
    r->cell[v][r->count[v]++] = *c;
    return true;
}

/* The command does not know the members of a struct, so cells are those that walks along edges reach. Cells are
 * compared that meet at one vertex: the tail of the picked edge. */
static void reach_cells(scene *s, const trial *t)
{
    reached r = {.count = {0}};
    run_time_cell cells[MOST_N], c;
    bool more = true;
    s->pick = s->g.m ? t->order % s->g.m : 0;
    check_begin(s, cells);
    for (ordo_vid v = 0; v < s->g.n; v++)
        add_reached(s, &r, s->op->table->target ? 0 : v, &cells[v]);
    for (int round = 0; round < MOST_REACHED && more; round++) {
        more = false;
        for (ordo_vid u = 0; u < s->g.n; u++)
            for (ordo_u32 i = 0; i < r.count[u]; i++)
                for (ordo_eid e = s->row[u]; e < s->row[u + 1]; e++)
                    if (s->op->table->target || proposes(s, u, &r.cell[u][i])) {
                        c = (run_time_cell){0};
                        run_time_candidate(s->op, &s->g, u, e, &r.cell[u][i], &c);
                        more |= add_reached(s, &r, s->op->table->target ? 0 : s->head[e], &c);
                    }
    }
    const ordo_vid at = s->op->table->target ? 0 : pick_tail(s);
    for (int i = 0; i < 3; i++)
        s->cell[i] = r.cell[at][t->cell[i] % r.count[at]];
}

/* The state is that of the operator again when this returns. */
static bool holds(run_time_operator *op, const property *p, const trial *t, char *why, size_t size)
{
    scene s;
    unsigned char kept[256];
    const size_t bytes = op->op.state < sizeof kept ? op->op.state : sizeof kept;
    memcpy(kept, op->state, bytes);
    if (bytes == op->op.state)
        set_fields(op, t);
    make_scene(op, t, &s);
    const bool filled = /* without memory nothing is shown */
        run_time_fill(op, &s.g, op->op.hands_edges ? &s.edges : NULL, s.source, false) == ORDO_OK;
    if (filled && op->op.cell >= ORDO_STRUCT4)
        reach_cells(&s, t);
    const bool fine = !filled || p->holds(&s);
    snprintf(why, size, "%s", s.why);
    memcpy(op->state, kept, bytes);
    return fine;
}

/* Whether a smaller case has a contradiction, too; it then replaces *t. */
static bool try_smaller(run_time_operator *op, const property *p, trial *t, const trial *smaller, char *why,
                        size_t size)
{
    char other[600];
    if (holds(op, p, smaller, other, sizeof other))
        return false;
    *t = *smaller;
    snprintf(why, size, "%s", other);
    return true;
}

static bool shrink_once(run_time_operator *op, const property *p, trial *t, char *why, size_t size)
{
    for (ordo_u32 i = 0; i < t->m; i++) { /* without edge i */
        trial smaller = *t;
        smaller.m--;
        memmove(smaller.edge[i], smaller.edge[i + 1], (size_t)(smaller.m - i) * sizeof smaller.edge[0]);
        memset(smaller.edge[smaller.m], 0, sizeof smaller.edge[0]);
        if (try_smaller(op, p, t, &smaller, why, size))
            return true;
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        ordo_u32 number[NUMBERS];
        memcpy(number, t, sizeof number);
        const ordo_u32 old = number[i], least = i == 0 ? 1 : 0, lower[] = {least, old / 2, old - 1};
        for (size_t k = 0; k < 3 && old > least; k++) {
            if (i == 1 || lower[k] < least || lower[k] >= old)
                continue; /* the number of edges goes with their removal */
            trial smaller;
            number[i] = lower[k];
            memcpy(&smaller, number, sizeof smaller);
            if (try_smaller(op, p, t, &smaller, why, size))
                return true;
        }
    }
    return false;
}

/* Looks for a contradiction in so many cases, small ones first, and makes it smaller still. */
static bool survives(run_time_operator *op, const property *p, ordo_u64 seed, ordo_u64 trials, char *why, size_t size)
{
    ordo_u64 x = seed;
    for (ordo_u64 i = 0; i < trials; i++) {
        trial t;
        draw_trial(op, &x, 1 + (ordo_u32)((double)i / (double)trials * SIZES), &t);
        if (holds(op, p, &t, why, size))
            continue;
        while (shrink_once(op, p, &t, why, size))
            ;
        return false;
    }
    return true;
}

/* ---- operators that end the process ---- */

static const char *checked_file, *checked_property;

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(1);
}

/* A division by zero or a wild pointer in the operator. Async-signal-safe. */
static void on_crash(int number)
{
    say("ordo: ");
    say(checked_file);
    say(number == SIGFPE ? ": the operator divides by zero" : ": the operator accesses memory that is not its own");
    say(", found by a case for: ");
    say(checked_property);
    say("\n");
    _exit(ordo_status_exit(ORDO_ERR_VERIFY));
}

static void watch_crashes(void)
{
    const struct sigaction handle = {.sa_handler = on_crash};
    sigaction(SIGFPE, &handle, NULL);
    sigaction(SIGSEGV, &handle, NULL);
    sigaction(SIGBUS, &handle, NULL);
}

/* ---- the verb ---- */

ordo_status verb_check_operator(const options *o)
{
    static run_time_operator op;
    char why[600], first[900] = "";
    if (o->word_count != 1)
        return ordo_fail(ORDO_ERR_USAGE, "check-operator needs one operator's file, found %d words", o->word_count);
    ordo_status status = run_time_open(o, o->words[0], &op);
    if (status)
        return status;
    for (size_t i = 0; i < op.table->array_count && !status; i++)
        if (run_time_array_file(&op, op.table->arrays[i].name))
            status = ordo_fail(ORDO_ERR_USAGE,
                               "%s: array '%s' is read from a file, which does not fit the small graphs of "
                               "check-operator; expected ORDO_RELAX_FILL",
                               o->words[0], op.table->arrays[i].name);
    if (status) {
        run_time_close(&op);
        return status;
    }
    checked_file = o->words[0];
    watch_crashes();
    if (!o->quiet)
        printf("%s: %s\n", op.op.name, op.op.summary);
    for (const property *p = properties_of(&op); p->name; p++) {
        const bool declared = p->bit ? op.op.properties & p->bit : !p->applies || p->applies(&op);
        if (!declared && p->bit != ORDO_EDGE_BLIND)
            continue; /* a run in which little happens shows nothing; a candidate that ignores the id shows it */
        fflush(stdout);
        checked_property = p->name;
        const bool fine = survives(&op, p, o->seed, o->trials, why, sizeof why);
        if (!fine && declared && !first[0])
            snprintf(first, sizeof first, "%s: operator '%s' is not what it declares, %s: %.600s", o->words[0],
                     op.op.name, p->name, why);
        if (!o->quiet)
            printf("  %-26s %s%s\n", p->name,
                   fine       ? "holds"
                   : declared ? "FAILS: "
                              : "is not declared",
                   fine && !declared   ? ", and is not declared"
                   : fine || !declared ? ""
                                       : why);
    }
    if (!o->quiet && run_time_grows(&op))
        printf("  %-26s not tried\n", "what it adds to a graph");
    run_time_close(&op);
    fflush(stdout);
    checked_property = "runs";
    status = o->device ? run_time_check_device(o, o->words[0], first, sizeof first) : ORDO_OK;
    if (status)
        return status;
    return first[0] ? ordo_fail(ORDO_ERR_VERIFY, "%s", first) : ORDO_OK;
}
