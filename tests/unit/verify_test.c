/* verify_test.c -- the apps on small random graphs against naive answers, and the verifiers by mutation: right answers
 * must be accepted, damaged ones refused, by every method.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/apps.h>
#include <ordo/memory.h>

#include "apps/app.h"

#include "tests/common/suite.h"

enum { MAX_N = 16, MAX_M = 64, GRAPHS = 400 / BRIEFER, DAMAGES = 24 };

static const ordo_verify_how hows[] = {ORDO_VERIFY_SERIAL, ORDO_VERIFY_CERTIFICATE, ORDO_VERIFY_BOTH, ORDO_VERIFY_AUTO};
enum { HOWS = 4 };

/* ---- random graphs ---- */

static ordo_u64 random_state;

static ordo_u32 random_below(ordo_u32 bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (ordo_u32)((random_state >> 33) % bound);
}

typedef struct world {
    ordo_u32 n, m;
    ordo_edge_entry edge[MAX_M];
    ordo_type type; /* of the weights */
    ordo_vid source;
    double limit;
    ordo_graph *graph;
} world;

static ordo_u32 word_of(ordo_type type, double value)
{
    if (type != ORDO_F32)
        return value < 0 ? (ordo_u32)(ordo_i32)value : (ordo_u32)value;
    ordo_u32 word;
    ordo_f32 real = (ordo_f32)value;
    memcpy(&word, &real, sizeof word);
    return word;
}

static double value_of(ordo_type type, ordo_u32 word)
{
    ordo_f32 real;
    memcpy(&real, &word, sizeof real);
    if (type == ORDO_F32)
        return (double)real;
    if (type == ORDO_I32)
        return word == 0x7fffffff ? (double)INFINITY : (ordo_i32)word;
    return word == 0xffffffff ? (double)INFINITY : word;
}

static ordo_graph *graph_of(ordo_u32 n, const ordo_edge_entry *edge, ordo_u32 m, ordo_type type,
                            ordo_direction direction)
{
    ordo_graph *g = NULL;
    ck_assert_msg(ordo_graph_from_edges(n, edge, m, type, direction, 1, &g) == ORDO_OK, "%s", ordo_last_error());
    return g;
}

/* Few vertices, few weights: ties, loops, parallel edges, empty rows and cycles of weight 0 are common. Weights of
 * 2^25 and more make f32 lose small ones in rounding. */
static world random_world(ordo_u32 seed)
{
    static const ordo_type types[] = {ORDO_NONE, ORDO_U32, ORDO_I32, ORDO_F32};
    static const double reals[] = {0, 0, 0.1, 1, 1.5, 33554432, 0.25};
    random_state = seed;
    world w = {.n = 1 + random_below(MAX_N), .type = types[seed % 4]};
    w.m = random_below(seed % 3 ? 4 * w.n : w.n) + (seed % 5 == 0 ? 0 : 1);
    w.source = random_below(w.n);
    w.limit = seed % 7 ? (double)INFINITY : w.type == ORDO_F32 ? 0.5 * random_below(10) : random_below(6);
    ordo_u32 heaviest = 1 + random_below(4);
    for (ordo_u32 e = 0; e < w.m; e++) {
        double weight = w.type == ORDO_F32 ? reals[random_below(7)] : random_below(heaviest);
        w.edge[e] = (ordo_edge_entry){random_below(w.n), random_below(w.n), word_of(w.type, weight)};
    }
    w.graph = graph_of(w.n, w.edge, w.m, w.type, ORDO_AS_STORED);
    return w;
}

static ordo_options options_for(ordo_u32 seed)
{
    return (ordo_options){.scheduler = "delta", .threads = seed % 2 ? 1 : 2};
}

/* ---- naive answers ---- */

typedef struct answer {
    ordo_type type;
    ordo_u32 word[MAX_N];
    ordo_vid pred[MAX_N];
} answer;

static double reach(const world *w, bool weighted, double du, ordo_u32 e)
{
    double sum = du + (weighted && w->type != ORDO_NONE ? value_of(w->type, w->edge[e].weight) : 1);
    return weighted && w->type == ORDO_F32 ? (double)(ordo_f32)sum : sum;
}

/* Bellman and Ford's algorithm, and predecessors word by word as <ordo/apps.h> has it. */
static answer naive(const world *w, bool weighted)
{
    double dist[MAX_N];
    ordo_u32 hops[MAX_N];
    answer a = {.type = weighted && w->type != ORDO_NONE ? w->type : ORDO_U32};
    for (ordo_u32 v = 0; v < w->n; v++) {
        dist[v] = v == w->source ? 0 : (double)INFINITY;
        hops[v] = v == w->source ? 0 : 1000;
        a.pred[v] = ORDO_NO_VERTEX;
    }
    for (ordo_u32 round = 0; round < w->n; round++)
        for (ordo_u32 e = 0; e < w->m; e++) {
            double dv = reach(w, weighted, dist[w->edge[e].tail], e);
            if (dv <= w->limit && dv < dist[w->edge[e].head])
                dist[w->edge[e].head] = dv;
        }
    for (ordo_u32 round = 0; round < w->n; round++)
        for (ordo_u32 e = 0; e < w->m; e++) {
            ordo_vid u = w->edge[e].tail, v = w->edge[e].head;
            if (isinf(dist[u]) || reach(w, weighted, dist[u], e) != dist[v])
                continue;
            ordo_u32 here = dist[u] < dist[v] ? 0 : hops[u] + 1;
            hops[v] = here < hops[v] ? here : hops[v];
        }
    for (ordo_u32 e = 0; e < w->m; e++) {
        ordo_vid u = w->edge[e].tail, v = w->edge[e].head;
        if (isinf(dist[u]) || v == w->source || reach(w, weighted, dist[u], e) != dist[v])
            continue;
        if ((dist[u] < dist[v] || hops[u] < hops[v]) && u < a.pred[v])
            a.pred[v] = u;
    }
    for (ordo_u32 v = 0; v < w->n; v++)
        a.word[v] = isfinite(dist[v])    ? word_of(a.type, dist[v])
                    : a.type == ORDO_U32 ? 0xffffffff
                    : a.type == ORDO_I32 ? 0x7fffffff
                                         : 0x7f800000;
    return a;
}

static ordo_status verify(const world *w, bool weighted, const answer *a, bool pred, ordo_verify_how how)
{
    return weighted ? ordo_sssp_verify(w->graph, w->source, w->limit, a->word, pred ? a->pred : NULL, how)
                    : ordo_bfs_verify(w->graph, w->source, w->limit, a->word, pred ? a->pred : NULL, how);
}

static ordo_status solve(const world *w, bool weighted, const ordo_options *options, answer *a, bool pred,
                         ordo_stats *stats)
{
    return weighted ? ordo_sssp(w->graph, w->source, w->limit, options, a->word, pred ? a->pred : NULL, stats)
                    : ordo_bfs(w->graph, w->source, w->limit, options, a->word, pred ? a->pred : NULL, stats);
}

/* ---- distances and levels ---- */

START_TEST(apps_match_naive_answers)
{
    world w = random_world((ordo_u32)_i);
    for (int weighted = 0; weighted < 2; weighted++) {
        answer right = naive(&w, weighted), found = {.type = right.type};
        ordo_options options = options_for((ordo_u32)_i / 2);
        ck_assert_msg(!solve(&w, weighted, &options, &found, true, NULL), "%s", ordo_last_error());
        for (ordo_u32 v = 0; v < w.n; v++) {
            ck_assert_msg(found.word[v] == right.word[v], "vertex %u: %g, expected %g", v,
                          value_of(right.type, found.word[v]), value_of(right.type, right.word[v]));
            ck_assert_msg(found.pred[v] == right.pred[v], "vertex %u: predecessor %u, expected %u", v, found.pred[v],
                          right.pred[v]);
        }
    }
    ordo_graph_free(w.graph);
}
END_TEST

static bool same_values(const world *w, const answer *a, const answer *b)
{
    for (ordo_u32 v = 0; v < w->n; v++)
        if (value_of(a->type, a->word[v]) != value_of(b->type, b->word[v]))
            return false;
    return true;
}

static ordo_u32 damaged_word(ordo_type type, ordo_u32 word)
{
    switch (random_below(6)) {
    case 0:
        return word - 1;
    case 1:
        return type == ORDO_F32 ? 0x7f800000 : type == ORDO_I32 ? 0x7fffffff : 0xffffffff;
    case 2:
        return random_below(4);
    case 3:
        return type == ORDO_F32 ? word_of(type, random_below(5) - 1.0) : random_below(5);
    case 4:
        return type == ORDO_F32 ? 0x7fc00000 : 0x80000000u;
    default:
        return word + 1;
    }
}

/* One value, or the values of several vertices by the same amount: those keep the edges among them tight. */
static answer damaged(const world *w, const answer *right)
{
    answer a = *right;
    ordo_u32 v = random_below(w->n);
    switch (random_below(4)) {
    case 0:
        a.pred[v] = random_below(5) ? random_below(w->n) : ORDO_NO_VERTEX;
        break;
    case 1: {
        double by = 1.0 + random_below(2), past = value_of(a.type, a.word[v]);
        for (ordo_u32 x = 0; x < w->n; x++)
            if (value_of(a.type, a.word[x]) >= past && isfinite(value_of(a.type, a.word[x])))
                a.word[x] = word_of(a.type, value_of(a.type, a.word[x]) + by);
        break;
    }
    default:
        a.word[v] = damaged_word(a.type, a.word[v]);
    }
    return a;
}

START_TEST(path_verifiers_accept_right_and_refuse_damage)
{
    world w = random_world((ordo_u32)_i);
    for (int weighted = 0; weighted < 2; weighted++) {
        answer right = naive(&w, weighted);
        for (int h = 0; h < HOWS; h++) {
            ck_assert_msg(!verify(&w, weighted, &right, true, hows[h]), "%s", ordo_last_error());
            ck_assert_msg(!verify(&w, weighted, &right, false, hows[h]), "%s", ordo_last_error());
        }
        for (int d = 0; d < DAMAGES; d++) {
            answer wrong = damaged(&w, &right);
            bool values = !same_values(&w, &wrong, &right);
            if (!values && !memcmp(wrong.pred, right.pred, w.n * sizeof right.pred[0]))
                continue;
            for (int h = 0; h < HOWS; h++) {
                ck_assert_int_eq(verify(&w, weighted, &wrong, true, hows[h]), ORDO_ERR_VERIFY);
                ck_assert_ptr_nonnull(strstr(ordo_last_error(), "vertex "));
                ck_assert_int_eq(verify(&w, weighted, &wrong, false, hows[h]), values ? ORDO_ERR_VERIFY : ORDO_OK);
            }
        }
    }
    ordo_graph_free(w.graph);
}
END_TEST

START_TEST(zero_weight_cycle_floats_free_of_the_source)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_I32, ORDO_F32};
    ordo_type type = types[_i];
    ordo_u32 far = type == ORDO_F32 ? 0x7f800000 : type == ORDO_I32 ? 0x7fffffff : 0xffffffff;
    /* 0 -> 1; 2 <-> 3 by edges of weight 0, with no way there from 0 and none back */
    const ordo_edge_entry edge[] = {{0, 1, word_of(type, 2)}, {2, 3, 0}, {3, 2, 0}};
    world w = {.n = 4, .type = type, .limit = (double)INFINITY, .graph = graph_of(4, edge, 3, type, ORDO_AS_STORED)};
    answer a = {type, {0, word_of(type, 2), far, far}, {ORDO_NO_VERTEX, 0, ORDO_NO_VERTEX, ORDO_NO_VERTEX}};
    for (int h = 0; h < HOWS; h++)
        ck_assert_msg(!verify(&w, true, &a, true, hows[h]), "%s", ordo_last_error());
    a.word[2] = a.word[3] = word_of(type, 5);
    a.pred[2] = 3;
    a.pred[3] = 2;
    for (int h = 0; h < HOWS; h++) {
        ck_assert_int_eq(verify(&w, true, &a, true, hows[h]), ORDO_ERR_VERIFY);
        ck_assert_ptr_nonnull(strstr(ordo_last_error(), "vertex 2: found distance 5"));
    }
    ordo_graph_free(w.graph);
}
END_TEST

START_TEST(verifier_names_vertex_value_and_right_value)
{
    const ordo_edge_entry edge[] = {{0, 1, 7}, {1, 2, 4}, {0, 2, 11}};
    ordo_graph *g = graph_of(3, edge, 3, ORDO_U32, ORDO_AS_STORED);
    ordo_u32 dist[] = {0, 7, 12};
    ordo_vid pred[] = {ORDO_NO_VERTEX, 0, 1};
    ck_assert_int_eq(ordo_sssp_verify(g, 0, (double)INFINITY, dist, NULL, ORDO_VERIFY_SERIAL), ORDO_ERR_VERIFY);
    ck_assert_str_eq(ordo_last_error(), "vertex 2: found distance 12, expected 11");
    ck_assert_int_eq(ordo_sssp_verify(g, 0, (double)INFINITY, dist, NULL, ORDO_VERIFY_CERTIFICATE), ORDO_ERR_VERIFY);
    ck_assert_str_eq(ordo_last_error(),
                     "vertex 2: found distance 12, expected at most 11, by edge 0 -> 2 of weight 11");
    dist[2] = 11;
    ck_assert_int_eq(ordo_sssp_verify(g, 0, (double)INFINITY, dist, pred, ORDO_VERIFY_AUTO), ORDO_ERR_VERIFY);
    ck_assert_str_eq(ordo_last_error(), "vertex 2: found predecessor 1, expected 0");
    ck_assert_int_eq(ordo_sssp_verify(g, 3, (double)INFINITY, dist, pred, ORDO_VERIFY_AUTO), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_sssp_verify(g, 0, (double)INFINITY, dist, pred, (ordo_verify_how)9), ORDO_ERR_USAGE);
    ordo_graph_free(g);
}
END_TEST

/* ---- refusals ---- */

START_TEST(negative_nan_and_infinite_weights_are_refused_by_name)
{
    ordo_edge_entry edge[] = {{0, 3, 5}, {3, 7, (ordo_u32)-2}, {4, 5, (ordo_u32)-9}};
    ordo_u32 dist[8] = {1, 2, 3, 4, 5, 6, 7, 8}, before[8];
    ordo_vid pred[8] = {0};
    memcpy(before, dist, sizeof before);
    ordo_graph *g = graph_of(8, edge, 3, ORDO_I32, ORDO_AS_STORED);
    ck_assert_int_eq(ordo_sssp(g, 0, (double)INFINITY, NULL, dist, pred, NULL), ORDO_ERR_NEGATIVE_WEIGHT);
    ck_assert_str_eq(ordo_last_error(),
                     "edge 3 -> 7 has weight -2; shortest paths need weights that are not negative; the "
                     "app bellman-ford takes them");
    ck_assert_int_eq(ordo_sssp_verify(g, 0, (double)INFINITY, dist, NULL, ORDO_VERIFY_AUTO), ORDO_ERR_NEGATIVE_WEIGHT);
    ordo_graph_free(g);

    static const struct {
        double weight[3];
        ordo_status status;
        const char *text;
    } rows[] = {
        {{1, -0.5, (double)NAN}, ORDO_ERR_NEGATIVE_WEIGHT, "edge 3 -> 7 has weight -0.5"},
        {{(double)NAN, -1, 1}, ORDO_ERR_INPUT, "edge 0 -> 3 has weight nan"},
        {{1, 1, (double)NAN}, ORDO_ERR_INPUT, "edge 4 -> 5 has weight nan"},
        {{1, (double)INFINITY, 1}, ORDO_ERR_INPUT, "edge 3 -> 7 has weight inf"},
        {{1, (double)INFINITY, -(double)INFINITY}, ORDO_ERR_INPUT, "edge 3 -> 7 has weight inf"},
        {{1, 1, -(double)INFINITY}, ORDO_ERR_NEGATIVE_WEIGHT, "edge 4 -> 5 has weight -inf"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int e = 0; e < 3; e++)
            edge[e].weight = word_of(ORDO_F32, rows[i].weight[e]);
        g = graph_of(8, edge, 3, ORDO_F32, ORDO_AS_STORED);
        ck_assert_int_eq(ordo_sssp(g, 0, (double)INFINITY, NULL, dist, pred, NULL), rows[i].status);
        ck_assert_msg(strstr(ordo_last_error(), rows[i].text) != NULL, "%s", ordo_last_error());
        ordo_graph_free(g);
    }
    edge[0].weight = edge[1].weight = edge[2].weight = word_of(ORDO_F32, -0.0);
    g = graph_of(8, edge, 3, ORDO_F32, ORDO_AS_STORED);
    ck_assert_mem_eq(dist, before, sizeof before);
    ck_assert_msg(!ordo_sssp(g, 0, (double)INFINITY, NULL, dist, pred, NULL), "%s", ordo_last_error());
    ck_assert_msg(!ordo_sssp_verify(g, 0, (double)INFINITY, dist, pred, ORDO_VERIFY_BOTH), "%s", ordo_last_error());
    ordo_graph_free(g);
}
END_TEST

START_TEST(wrong_use_leaves_outputs_alone)
{
    const ordo_edge_entry edge[] = {{0, 1, 1}};
    ordo_graph *g = graph_of(2, edge, 1, ORDO_U32, ORDO_AS_STORED);
    ordo_graph *empty = graph_of(0, NULL, 0, ORDO_NONE, ORDO_AS_STORED);
    ordo_u32 dist[2] = {41, 42};
    ordo_vid pred[2] = {43, 44};
    ordo_options delta = {.scheduler = "delta"}, unknown = {.scheduler = "nonesuch"};
    ck_assert_int_eq(ordo_sssp(g, 2, (double)INFINITY, &delta, dist, pred, NULL), ORDO_ERR_USAGE);
    ck_assert_str_eq(ordo_last_error(), "source 2 is no vertex: the graph has 2, numbered from 0");
    ck_assert_int_eq(ordo_bfs(g, 2, (double)INFINITY, &delta, dist, pred, NULL), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_sssp(empty, 0, (double)INFINITY, &delta, dist, pred, NULL), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_bfs(empty, 0, (double)INFINITY, &delta, dist, pred, NULL), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_sssp(g, 0, (double)NAN, &delta, dist, pred, NULL), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_sssp(g, 0, -1, &delta, dist, pred, NULL), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_bfs(g, 0, (double)NAN, &delta, dist, pred, NULL), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_sssp(g, 0, 1, &unknown, dist, pred, NULL), ORDO_ERR_UNKNOWN);
    ck_assert_int_eq(ordo_bfs(g, 0, 1, &unknown, dist, pred, NULL), ORDO_ERR_UNKNOWN);
    ck_assert_int_eq(ordo_cc(g, &unknown, dist, NULL), ORDO_ERR_UNKNOWN);
    ck_assert_int_eq(ordo_sssp(g, 0, 1, &delta, NULL, pred, NULL), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_cc(NULL, &delta, dist, NULL), ORDO_ERR_USAGE);
    ck_assert(dist[0] == 41 && dist[1] == 42 && pred[0] == 43 && pred[1] == 44);
    ck_assert_msg(!ordo_cc(empty, &delta, dist, NULL), "%s", ordo_last_error());
    ck_assert_msg(!ordo_cc_verify(empty, dist, ORDO_VERIFY_BOTH), "%s", ordo_last_error());
    ordo_graph_free(g);
    ordo_graph_free(empty);
}
END_TEST

/* A chain 0 -> 1 -> 2 of two weights, and perhaps a way around by 0 -> 2. */
START_TEST(distances_that_do_not_fit_are_an_error)
{
    static const struct {
        ordo_type type;
        double first, second, limit, around; /* around 0: none */
        ordo_status status;
        double expected; /* of vertex 2 */
        const char *text;
    } rows[] = {
        {ORDO_U32, 4294967293, 1, (double)INFINITY, 0, ORDO_OK, 4294967294, ""},
        {ORDO_U32, 4294967294, 1, (double)INFINITY, 0, ORDO_ERR_OVERFLOW, 0,
         "edge 1 -> 2: distance 4294967294 + weight 1 does not fit u32"},
        {ORDO_U32, 4294967294, 4294967295, (double)INFINITY, 0, ORDO_ERR_OVERFLOW, 0, "edge 1 -> 2"},
        {ORDO_U32, 4294967295, 1, (double)INFINITY, 0, ORDO_ERR_OVERFLOW, 0, "edge 0 -> 1"},
        {ORDO_U32, 4294967294, 1, (double)INFINITY, 9, ORDO_OK, 9, ""},
        {ORDO_U32, 4294967294, 1, 4294967294, 0, ORDO_OK, (double)INFINITY, ""},
        {ORDO_U32, 4294967294, 1, 5e9, 0, ORDO_ERR_OVERFLOW, 0, "edge 1 -> 2"},
        {ORDO_U32, 4294967294, 4294967294, 5e9, 0, ORDO_OK, (double)INFINITY, ""},
        {ORDO_I32, 2147483645, 1, (double)INFINITY, 0, ORDO_OK, 2147483646, ""},
        {ORDO_I32, 2147483646, 1, (double)INFINITY, 0, ORDO_ERR_OVERFLOW, 0, "does not fit i32"},
        {ORDO_I32, 2147483646, 1, 2147483646, 0, ORDO_OK, (double)INFINITY, ""},
        {ORDO_F32, (double)FLT_MAX, 1, (double)INFINITY, 0, ORDO_OK, (double)FLT_MAX, ""},
        {ORDO_F32, (double)FLT_MAX, 1e38, (double)INFINITY, 0, ORDO_ERR_OVERFLOW, 0, "edge 1 -> 2"},
        {ORDO_F32, (double)FLT_MAX, 1e38, (double)FLT_MAX, 0, ORDO_OK, (double)INFINITY, ""},
        {ORDO_F32, (double)FLT_MAX, 1e38, (double)INFINITY, 3, ORDO_OK, 3, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ordo_type type = rows[i].type;
        ordo_edge_entry edge[] = {
            {0, 1, word_of(type, rows[i].first)}, {1, 2, word_of(type, rows[i].second)}, {0, 2, 0}};
        edge[2].weight = word_of(type, rows[i].around);
        world w = {.n = 3,
                   .type = type,
                   .limit = rows[i].limit,
                   .graph = graph_of(3, edge, rows[i].around > 0 ? 3 : 2, type, ORDO_AS_STORED)};
        answer a = {.type = type};
        ordo_options options = options_for(1);
        ck_assert_msg(solve(&w, true, &options, &a, true, NULL) == rows[i].status, "row %zu: %s", i, ordo_last_error());
        if (rows[i].status) {
            ck_assert_msg(strstr(ordo_last_error(), rows[i].text) != NULL, "row %zu: %s", i, ordo_last_error());
        } else {
            ck_assert_msg(value_of(type, a.word[2]) == rows[i].expected, "row %zu: %.10g", i,
                          value_of(type, a.word[2]));
            for (int h = 0; h < HOWS; h++)
                ck_assert_msg(!verify(&w, true, &a, true, hows[h]), "row %zu: %s", i, ordo_last_error());
        }
        ordo_graph_free(w.graph);
    }
}
END_TEST

START_TEST(limits_between_values_of_the_type)
{
    const double just_below = 2.5 - 1e-12; /* 2.5 as an f32 */
    static const ordo_edge_entry whole[] = {{0, 1, 2}, {1, 2, 1}, {2, 3, 1}};
    ordo_edge_entry real[] = {{0, 1, 0}, {1, 2, 0}};
    real[0].weight = word_of(ORDO_F32, 2);
    real[1].weight = word_of(ORDO_F32, 0.5);
    ordo_options options = options_for(1);
    ordo_u32 dist[4];

    ordo_graph *g = graph_of(4, whole, 3, ORDO_U32, ORDO_AS_STORED);
    ck_assert_msg(!ordo_sssp(g, 0, 3.99, &options, dist, NULL, NULL), "%s", ordo_last_error());
    ck_assert(dist[1] == 2 && dist[2] == 3 && dist[3] == ORDO_UNREACHED_U32);
    ck_assert_msg(!ordo_sssp(g, 0, 0, &options, dist, NULL, NULL), "%s", ordo_last_error());
    ck_assert(dist[0] == 0 && dist[1] == ORDO_UNREACHED_U32);
    ck_assert_msg(!ordo_bfs(g, 0, 1.5, &options, dist, NULL, NULL), "%s", ordo_last_error());
    ck_assert(dist[1] == 1 && dist[2] == ORDO_UNREACHED_U32);
    ck_assert_msg(!ordo_bfs_verify(g, 0, 1.5, dist, NULL, ORDO_VERIFY_BOTH), "%s", ordo_last_error());
    ck_assert_int_eq(ordo_bfs_verify(g, 0, 2, dist, NULL, ORDO_VERIFY_CERTIFICATE), ORDO_ERR_VERIFY);
    ordo_graph_free(g);

    g = graph_of(3, real, 2, ORDO_F32, ORDO_AS_STORED);
    ordo_f32 near[3];
    ck_assert_msg(!ordo_sssp(g, 0, just_below, &options, near, NULL, NULL), "%s", ordo_last_error());
    ck_assert(isinf(near[2]));
    ck_assert_msg(!ordo_sssp_verify(g, 0, just_below, near, NULL, ORDO_VERIFY_BOTH), "%s", ordo_last_error());
    ck_assert_msg(!ordo_sssp(g, 0, 2.5, &options, near, NULL, NULL), "%s", ordo_last_error());
    ck_assert(near[2] == 2.5f);
    ordo_graph_free(g);
}
END_TEST

/* ---- components ---- */

static void naive_components(const world *w, ordo_u32 *label)
{
    for (ordo_u32 v = 0; v < w->n; v++)
        label[v] = v;
    for (ordo_u32 round = 0; round < w->n; round++)
        for (ordo_u32 e = 0; e < w->m; e++) {
            ordo_u32 *a = &label[w->edge[e].tail], *b = &label[w->edge[e].head];
            *a = *b = *a < *b ? *a : *b;
        }
}

START_TEST(components_match_and_damage_is_refused)
{
    world w = random_world((ordo_u32)_i);
    if (_i % 2) {
        ordo_graph_free(w.graph);
        w.graph = graph_of(w.n, w.edge, w.m, w.type, ORDO_SYMMETRISE);
    }
    ordo_u32 right[MAX_N], found[MAX_N];
    ordo_options options = options_for((ordo_u32)_i / 2);
    naive_components(&w, right);
    ck_assert_msg(!ordo_cc(w.graph, &options, found, NULL), "%s", ordo_last_error());
    ck_assert_mem_eq(found, right, w.n * sizeof right[0]);
    for (int h = 0; h < HOWS; h++)
        ck_assert_msg(!ordo_cc_verify(w.graph, right, hows[h]), "%s", ordo_last_error());
    for (int d = 0; d < DAMAGES; d++) {
        memcpy(found, right, sizeof found);
        ordo_u32 v = random_below(w.n), other = random_below(w.n);
        if (d % 3 == 0) /* two components become one, or one becomes two */
            for (ordo_u32 x = 0; x < w.n; x++)
                found[x] = right[x] == right[v] && (d % 2 || x >= v) ? right[other] : found[x];
        else
            found[v] = d % 3 == 1 ? right[other] : d % 2 ? v : random_below(2 * w.n);
        if (!memcmp(found, right, w.n * sizeof right[0]))
            continue;
        for (int h = 0; h < HOWS; h++)
            ck_assert_int_eq(ordo_cc_verify(w.graph, found, hows[h]), ORDO_ERR_VERIFY);
        ck_assert_ptr_nonnull(strstr(ordo_last_error(), "vertex "));
    }
    ordo_graph_free(w.graph);
}
END_TEST

/* ---- widths, core numbers, ranks ---- */

START_TEST(widths_match_and_damage_is_refused)
{
    world w = random_world((ordo_u32)_i);
    const ordo_u32 unlimited = w.type == ORDO_F32   ? word_of(ORDO_F32, (double)INFINITY)
                               : w.type == ORDO_I32 ? 0x7fffffffu
                                                    : 0xffffffffu;
    ordo_u32 right[MAX_N] = {0}, found[MAX_N];
    ordo_options options = options_for((ordo_u32)_i / 2);
    right[w.source] = unlimited;
    for (ordo_u32 round = 0; round < w.n; round++)
        for (ordo_u32 e = 0; e < w.m; e++) { /* words of numbers that are not negative compare as these do */
            ordo_u32 fits = w.type == ORDO_NONE ? 1 : w.edge[e].weight, *to = &right[w.edge[e].head];
            fits = fits < right[w.edge[e].tail] ? fits : right[w.edge[e].tail];
            *to = fits > *to ? fits : *to;
        }
    ck_assert_msg(!ordo_widest(w.graph, w.source, &options, found, NULL), "%s", ordo_last_error());
    ck_assert_mem_eq(found, right, w.n * sizeof right[0]);
    for (int h = 0; h < HOWS; h++)
        ck_assert_msg(!ordo_widest_verify(w.graph, w.source, right, hows[h]), "%s", ordo_last_error());
    for (int d = 0; d < DAMAGES; d++) {
        memcpy(found, right, sizeof found);
        ordo_u32 v = random_below(w.n), other = right[random_below(w.n)];
        if (d % 3 == 0) /* all of one width: cycles hold each other up */
            for (ordo_u32 x = 0; x < w.n; x++)
                found[x] = right[x] == right[v] ? other : found[x];
        else
            found[v] = d % 3 == 1 ? other : found[v] + 1;
        if (!memcmp(found, right, w.n * sizeof right[0]))
            continue;
        for (int h = 0; h < HOWS; h++)
            ck_assert_int_eq(ordo_widest_verify(w.graph, w.source, found, hows[h]), ORDO_ERR_VERIFY);
        ck_assert_ptr_nonnull(strstr(ordo_last_error(), "vertex "));
    }
    ordo_graph_free(w.graph);
}
END_TEST

/* For every k removes vertices until none has too few neighbours, which are in a matrix. */
static void naive_cores(const world *w, ordo_u32 *core)
{
    bool near[MAX_N][MAX_N] = {{0}};
    for (ordo_u32 e = 0; e < w->m; e++)
        near[w->edge[e].tail][w->edge[e].head] = near[w->edge[e].head][w->edge[e].tail] = true;
    for (ordo_u32 v = 0; v < w->n; v++)
        core[v] = ORDO_NO_VERTEX;
    for (ordo_u32 k = 1; k <= w->n; k++)
        for (bool changed = true; changed;) {
            changed = false;
            for (ordo_u32 v = 0; v < w->n; v++) {
                ordo_u32 left = 0;
                for (ordo_u32 u = 0; u < w->n; u++)
                    left += u != v && near[v][u] && core[u] == ORDO_NO_VERTEX;
                if (core[v] == ORDO_NO_VERTEX && left < k) {
                    core[v] = k - 1;
                    changed = true;
                }
            }
        }
}

START_TEST(core_numbers_match_and_damage_is_refused)
{
    world w = random_world((ordo_u32)_i);
    if (_i % 2) {
        ordo_graph_free(w.graph);
        w.graph = graph_of(w.n, w.edge, w.m, w.type, ORDO_SYMMETRISE);
    }
    ordo_u32 right[MAX_N], found[MAX_N], k = 1 + random_below(4), in[MAX_N];
    ordo_options options = options_for((ordo_u32)_i / 2);
    ordo_stats stats = {0};
    naive_cores(&w, right);
    ck_assert_msg(!ordo_kcore(w.graph, 0, &options, found, &stats), "%s", ordo_last_error());
    ck_assert_mem_eq(found, right, w.n * sizeof right[0]);
    ck_assert_uint_eq(stats.items, w.n); /* each vertex is removed once */
    ck_assert_str_eq(stats.op, "kcore");
    ordo_stats_free(&stats);
    for (ordo_u32 v = 0; v < w.n; v++)
        in[v] = right[v] >= k;
    ck_assert_msg(!ordo_kcore(w.graph, k, &options, found, NULL), "%s", ordo_last_error());
    ck_assert_mem_eq(found, in, w.n * sizeof in[0]);
    for (int h = 0; h < HOWS; h++) {
        ck_assert_msg(!ordo_kcore_verify(w.graph, 0, right, hows[h]), "%s", ordo_last_error());
        ck_assert_msg(!ordo_kcore_verify(w.graph, k, in, hows[h]), "%s", ordo_last_error());
    }
    for (int d = 0; d < DAMAGES; d++) {
        ordo_u32 v = random_below(w.n);
        memcpy(found, right, sizeof found);
        found[v] += d % 2 ? 1 : 0xffffffffu;
        ck_assert_int_eq(ordo_kcore_verify(w.graph, 0, found, hows[d % HOWS]), ORDO_ERR_VERIFY);
        ck_assert_ptr_nonnull(strstr(ordo_last_error(), "vertex "));
        memcpy(found, in, sizeof found);
        found[v] ^= 1;
        ck_assert_int_eq(ordo_kcore_verify(w.graph, k, found, hows[d % HOWS]), ORDO_ERR_VERIFY);
    }
    ordo_graph_free(w.graph);
}
END_TEST

/* By elimination, which shares nothing with iterating. */
static void naive_ranks(const world *w, double damping, double *rank)
{
    double a[MAX_N][MAX_N + 1], degree[MAX_N] = {0};
    const ordo_u32 n = w->n;
    for (ordo_u32 e = 0; e < w->m; e++)
        degree[w->edge[e].tail]++;
    for (ordo_u32 v = 0; v < n; v++)
        for (ordo_u32 u = 0; u <= n; u++)
            a[v][u] = u == n ? (1 - damping) / n : (u == v) - (degree[u] > 0 ? 0 : damping / n);
    for (ordo_u32 e = 0; e < w->m; e++)
        a[w->edge[e].head][w->edge[e].tail] -= damping / degree[w->edge[e].tail];
    for (ordo_u32 i = 0; i < n; i++) /* diagonally dominant in columns: no pivots are needed */
        for (ordo_u32 v = 0; v < n; v++)
            for (ordo_u32 u = n + 1; v != i && u-- > i;)
                a[v][u] -= a[v][i] / a[i][i] * a[i][u];
    for (ordo_u32 v = 0; v < n; v++)
        rank[v] = a[v][n] / a[v][v];
}

START_TEST(ranks_are_within_their_error_and_damage_is_refused)
{
    static const double dampings[] = {0.85, 0.5, 0, 0.999}, tolerances[] = {1e-3, 1e-6, 1e-12, 1};
    world w = random_world((ordo_u32)_i);
    const double damping = dampings[_i % 4], tolerance = tolerances[_i / 4 % 4];
    double right[MAX_N], rank[MAX_N], distance = 0, sum = 0;
    ordo_options options = options_for((ordo_u32)_i / 2);
    ordo_ranks ranks;
    naive_ranks(&w, damping, right);
    ck_assert_msg(!ordo_pagerank(w.graph, damping, tolerance, &options, rank, &ranks, NULL), "%s", ordo_last_error());
    for (ordo_u32 v = 0; v < w.n; v++) {
        distance += fabs(rank[v] - right[v]);
        sum += rank[v];
    }
    ck_assert_msg(distance <= ranks.error + 1e-12, "L1 error %g, said to be at most %g", distance, ranks.error);
    ck_assert(fabs(sum - 1) < 1e-12 && ranks.residual <= tolerance);
    ck_assert(ranks.error <= 2 * tolerance / (1 - damping) / (1 - damping) + 1e-6 * tolerance + 1e-9);
    for (int h = 0; h < HOWS; h++)
        ck_assert_msg(!ordo_pagerank_verify(w.graph, damping, rank, ranks.error, hows[h]), "%s", ordo_last_error());
    for (int d = 0; d < 3; d++) {
        double damaged[MAX_N], most = (1 + damping) / (1 - damping) * (ranks.error + 1e-9);
        ordo_u32 v = random_below(w.n), u = (v + 1) % w.n;
        memcpy(damaged, rank, sizeof damaged);
        if (d == 0) { /* moved from one to the other, by more than either way of checking allows */
            damaged[v] += 3 * most;
            damaged[u] -= 3 * most;
            if (u == v || damaged[u] < 0 || damaged[v] > 1)
                continue;
        } else {
            damaged[v] = d == 1 ? (double)NAN : -damaged[v];
        }
        for (int h = 0; h < HOWS; h++)
            ck_assert_int_eq(ordo_pagerank_verify(w.graph, damping, damaged, ranks.error, hows[h]), ORDO_ERR_VERIFY);
    }
    ordo_graph_free(w.graph);
}
END_TEST

/* ---- paths ---- */

START_TEST(paths_are_followed_and_bad_input_never_loops)
{
    const ordo_vid none = ORDO_NO_VERTEX, pred[] = {none, 0, 1, 2, none, 6, 5, 99};
    ordo_vid path[8] = {0};
    ck_assert_uint_eq(ordo_path(pred, 8, 0, 3, path, 8), 4);
    for (ordo_vid i = 0; i < 4; i++)
        ck_assert_uint_eq(path[i], i);
    memset(path, 0xff, sizeof path);
    ck_assert_uint_eq(ordo_path(pred, 8, 0, 3, path, 2), 4);
    ck_assert(path[0] == 0 && path[1] == 1 && path[2] == none);
    ck_assert_uint_eq(ordo_path(pred, 8, 0, 3, NULL, 0), 4);
    ck_assert_uint_eq(ordo_path(pred, 8, 0, 0, path, 8), 1);
    ck_assert_uint_eq(ordo_path(pred, 8, 0, 4, path, 8), 0); /* unreached */
    ck_assert_uint_eq(ordo_path(pred, 8, 0, 5, path, 8), 0); /* a cycle */
    ck_assert_uint_eq(ordo_path(pred, 8, 0, 7, path, 8), 0); /* no vertex */
    ck_assert_uint_eq(ordo_path(pred, 8, 8, 3, path, 8), 0);
    ck_assert_uint_eq(ordo_path(pred, 8, 0, 8, path, 8), 0);
    ck_assert_uint_eq(ordo_path(pred, 0, 0, 0, path, 8), 0);
}
END_TEST

/* ---- larger graphs: all threads at work, long layers of zero weights ---- */

typedef struct large {
    ordo_u32 n, m, heaviest, reach; /* heads are at most `reach` away; 0: anywhere */
    ordo_type type;
} large;

enum { LARGE = 20000 / BRIEFER };
static const large larges[] = {
    {LARGE, 4 * LARGE, 1, 0, ORDO_U32}, /* all weights 0: wide layers */
    {20000, 60000, 1, 3, ORDO_I32},     /* all weights 0: thousands of layers */
    {LARGE, 4 * LARGE, 3, 0, ORDO_F32}, /* some weights 0 */
    {LARGE, 4 * LARGE, 1000, 0, ORDO_U32}, {LARGE, 3 * LARGE, 1, 0, ORDO_NONE},
};

static ordo_graph *large_graph(const large *l, ordo_direction direction)
{
    ordo_edge_entry *edge = malloc(l->m * sizeof *edge);
    ck_assert_ptr_nonnull(edge);
    random_state = 7;
    for (ordo_u32 e = 0; e < l->m; e++) {
        ordo_vid u = random_below(l->n);
        edge[e] = (ordo_edge_entry){u, l->reach ? (u + 1 + random_below(l->reach)) % l->n : random_below(l->n),
                                    word_of(l->type, random_below(l->heaviest))};
    }
    ordo_graph *g = graph_of(l->n, edge, l->m, l->type, direction);
    free(edge);
    return g;
}

START_TEST(large_graphs_on_several_threads)
{
    const large *l = &larges[_i];
    ordo_graph *g = large_graph(l, ORDO_AS_STORED);
    ordo_options options = {.scheduler = "delta", .threads = 4};
    for (size_t i = 0; ordo_built_apps[i]; i++) {
        const ordo_app *app = ordo_built_apps[i];
        ordo_app_input input = {.graph = g,
                                .source = 5,
                                .sink = 7,
                                .limit = (double)INFINITY,
                                .want_pred = app->has_paths,
                                .damping = 0.85,
                                .tolerance = 1e-6,
                                .rounds = 3};
        ordo_answer a = {0};
        ordo_stats stats = {0};
        options.scheduler = app->has_rounds || app->has_ranks ? "bsp" : "delta"; /* that of gather operators */
        if (app->needs_terminals && l->type == ORDO_F32)
            continue; /* capacities are whole */
        ck_assert_msg(!app->run(&input, &options, &a, &stats), "%s: %s", app->name, ordo_last_error());
        ck_assert_msg(!app->verify(&input, &a, ORDO_VERIFY_BOTH), "%s: %s", app->name, ordo_last_error());
        ck_assert_msg(stats.items > 0, "%s", app->name);
        ordo_stats_free(&stats);
        ordo_free(a.values);
        ordo_free(a.pred);
        ordo_free(a.side);
    }
    ordo_graph_free(g);
}
END_TEST

/* ---- the table of apps ---- */

static const ordo_app *app_named(const char *name)
{
    for (size_t i = 0; ordo_built_apps[i]; i++)
        if (!strcmp(ordo_built_apps[i]->name, name))
            return ordo_built_apps[i];
    ck_abort_msg("no app %s", name);
    return NULL;
}

START_TEST(fields_say_reached_max_and_sum)
{
    const ordo_edge_entry edge[] = {{0, 1, 2}, {1, 2, 4000000000u}, {3, 4, 1}};
    const ordo_edge_entry real[] = {{0, 1, word_of(ORDO_F32, 0.5)}, {1, 2, word_of(ORDO_F32, 2)}};
    ordo_options options = {.scheduler = "delta", .threads = 1};
    ordo_answer a = {0};
    ordo_app_input input = {.graph = graph_of(5, edge, 3, ORDO_U32, ORDO_AS_STORED), .limit = (double)INFINITY};
    ck_assert_msg(!app_named("sssp")->run(&input, &options, &a, NULL), "%s", ordo_last_error());
    void *values = a.values;
    ck_assert(a.type == ORDO_U32 && a.n == 5 && !a.pred && a.field_count == 3);
    ck_assert_str_eq(a.fields[0].name, "reached");
    ck_assert_uint_eq(a.fields[0].whole, 3);
    ck_assert_str_eq(a.fields[1].name, "max");
    ck_assert_uint_eq(a.fields[1].whole, 4000000002u);
    ck_assert_str_eq(a.fields[2].name, "sum");
    ck_assert_uint_eq(a.fields[2].whole, 4000000004u);
    input.want_pred = true;
    ck_assert_msg(!app_named("bfs")->run(&input, &options, &a, NULL), "%s", ordo_last_error());
    ck_assert(a.values == values && a.pred && a.fields[1].whole == 2 && a.fields[2].whole == 3);
    ck_assert_msg(!app_named("bfs")->verify(&input, &a, ORDO_VERIFY_BOTH), "%s", ordo_last_error());
    ck_assert_msg(!app_named("cc")->run(&input, &options, &a, NULL), "%s", ordo_last_error());
    ck_assert_str_eq(a.fields[0].name, "components");
    ck_assert(a.field_count == 1 && a.fields[0].whole == 2);
    ordo_graph_free((ordo_graph *)(size_t)input.graph);

    input.graph = graph_of(3, real, 2, ORDO_F32, ORDO_AS_STORED);
    ck_assert_msg(!app_named("sssp")->run(&input, &options, &a, NULL), "%s", ordo_last_error());
    ck_assert(a.type == ORDO_F32 && a.n == 3 && a.fields[1].type == ORDO_F32);
    ck_assert(a.fields[0].whole == 3 && a.fields[1].real == 2.5 && a.fields[2].real == 3);
    ordo_graph_free((ordo_graph *)(size_t)input.graph);
    ordo_free(a.values);
    ordo_free(a.pred);
}
END_TEST

START_TEST(table_rows_agree_with_operators)
{
    static const ordo_type types[] = {ORDO_NONE, ORDO_U32, ORDO_I32, ORDO_F32};
    ordo_options options = {.scheduler = "delta", .threads = 2};
    for (int t = 0; t < 4; t++) {
        const ordo_edge_entry edge[] = {{0, 1, 0}};
        ordo_graph *g = graph_of(2, edge, 1, types[t], ORDO_AS_STORED);
        for (size_t i = 0; ordo_built_apps[i]; i++) {
            const ordo_app *app = ordo_built_apps[i];
            ordo_u64 expected = 0, at_most = 0;
            options.scheduler = app->has_rounds ? "bsp" : "delta"; /* gather operators are not for the latter */
            ck_assert_ptr_nonnull(app->op(g));
            ck_assert_msg(!app->memory(g, &options, &expected, &at_most), "%s: %s", app->name, ordo_last_error());
            ck_assert_msg(at_most > 0 && expected <= at_most, "%s: %llu, at most %llu", app->name,
                          (unsigned long long)expected, (unsigned long long)at_most);
        }
        ck_assert_int_eq(ordo_sssp_type(g), types[t] == ORDO_NONE ? ORDO_U32 : types[t]);
        ordo_graph_free(g);
    }
}
END_TEST

/* ---- short memory: one allocation after the other fails ---- */

START_TEST(every_failing_allocation_is_reported)
{
    const large *l = &larges[2];
    ordo_options options = {.scheduler = "delta", .threads = 2};
    for (size_t i = 0; ordo_built_apps[i]; i++) {
        const ordo_app *app = ordo_built_apps[i];
        ordo_status status = ORDO_ERR_MEMORY;
        options.scheduler = app->has_rounds || app->has_ranks ? "bsp" : "delta"; /* that of gather operators */
        for (ordo_u64 nth = 1; status == ORDO_ERR_MEMORY && nth < 2000; nth += BRIEFER) {
            ordo_graph *g =
                large_graph(&(large){3000, 9000, 2, 0, app->needs_terminals ? ORDO_U32 : l->type}, ORDO_AS_STORED);
            ordo_app_input input = {.graph = g,
                                    .sink = 7,
                                    .limit = (double)INFINITY,
                                    .want_pred = app->has_paths,
                                    .damping = 0.85,
                                    .tolerance = 1e-6,
                                    .rounds = 3};
            ordo_answer a = {0};
            ordo_memory_fail_after(nth);
            status = app->run(&input, &options, &a, NULL);
            if (!status)
                status = app->verify(&input, &a, ORDO_VERIFY_BOTH);
            ordo_memory_fail_after(0);
            ck_assert_msg(status == ORDO_OK || status == ORDO_ERR_MEMORY, "%s, allocation %llu: %s", app->name,
                          (unsigned long long)nth, ordo_last_error());
            ck_assert(status == ORDO_OK || ordo_last_error()[0]);
            ordo_free(a.values);
            ordo_free(a.pred);
            ordo_free(a.side);
            ordo_graph_free(g);
        }
        ck_assert_int_eq(status, ORDO_OK);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verify");
    TCase *tests = tcase_create("verify");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, apps_match_naive_answers, 0, GRAPHS);
    tcase_add_loop_test(tests, path_verifiers_accept_right_and_refuse_damage, 0, GRAPHS);
    tcase_add_loop_test(tests, zero_weight_cycle_floats_free_of_the_source, 0, 3);
    tcase_add_test(tests, verifier_names_vertex_value_and_right_value);
    tcase_add_test(tests, negative_nan_and_infinite_weights_are_refused_by_name);
    tcase_add_test(tests, wrong_use_leaves_outputs_alone);
    tcase_add_test(tests, distances_that_do_not_fit_are_an_error);
    tcase_add_test(tests, limits_between_values_of_the_type);
    tcase_add_loop_test(tests, components_match_and_damage_is_refused, 0, GRAPHS);
    tcase_add_loop_test(tests, widths_match_and_damage_is_refused, 0, GRAPHS);
    tcase_add_loop_test(tests, core_numbers_match_and_damage_is_refused, 0, GRAPHS);
    tcase_add_loop_test(tests, ranks_are_within_their_error_and_damage_is_refused, 0, GRAPHS);
    tcase_add_test(tests, paths_are_followed_and_bad_input_never_loops);
    tcase_add_loop_test(tests, large_graphs_on_several_threads, 0, (int)(sizeof larges / sizeof larges[0]));
    tcase_add_test(tests, fields_say_reached_max_and_sum);
    tcase_add_test(tests, table_rows_agree_with_operators);
    if (!UNDER_TSAN)
        tcase_add_test(tests, every_failing_allocation_is_reported);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
