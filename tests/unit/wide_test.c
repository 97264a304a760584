/* wide_test.c -- weights of 8 bytes, i64 and f64: reading and refusing, every format and edge transform, and what the
 * apps of paths do at the ends of the types. Expected numbers are written out, or come from long double.
 */
#include "tests/common/suite.h"

#include <math.h>
#include <string.h>

#include <ordo/arrays.h>
#include <ordo/memory.h>
#include <ordo/paths.h>

static ordo_i64 whole_at(const ordo_csr *g, ordo_eid e)
{
    ordo_i64 value;
    memcpy(&value, ordo_csr_weight_at(g, e), sizeof value);
    return value;
}

static double real_at(const ordo_csr *g, ordo_eid e)
{
    double value;
    memcpy(&value, ordo_csr_weight_at(g, e), sizeof value);
    return value;
}

/* ---- text ---- */

static const struct number {
    const char *text;
    const char *wrong[2]; /* as i64, as f64: a part of the message, or NULL */
    ordo_i64 whole;
    double real;
} numbers[] = {
    {"0", {NULL, NULL}, 0, 0},
    {"-5", {NULL, NULL}, -5, -5},
    {"+4294967296", {NULL, NULL}, 4294967296, 4294967296.0},
    {"9007199254740993", {NULL, "expected a weight that a 64-bit float holds"}, 9007199254740993, 9007199254740992.0},
    {"9223372036854775807", {NULL, "expected a weight that a 64-bit float holds"}, INT64_MAX, 0x1p63},
    {"-9223372036854775807", {NULL, "expected a weight that a 64-bit float holds"}, -INT64_MAX, -0x1p63},
    {"9223372036854775808", {"expected a weight of 64 bits", NULL}, 0, 0x1p63},
    {"-9223372036854775808", {"expected a weight of 64 bits", NULL}, 0, -0x1p63},
    {"63987282671206240.0", {"expected an integer weight", NULL}, 0, 63987282671206240.0},
    {"99999999999999999999", {"expected a weight of 64 bits", "64-bit float holds"}, 0, 1e20},
    {"0.1", {"expected an integer weight", NULL}, 0, 0.1},
    {"-1.2345678901234567e-3", {"expected an integer weight", NULL}, 0, -1.2345678901234567e-3},
    {"0.123456789012345678", {"expected an integer weight", "64-bit float holds"}, 0, 0.123456789012345678},
    {"1e300", {"expected an integer weight", NULL}, 0, 1e300},
    {"1e999", {"expected an integer weight", "within the range of a 64-bit float"}, 0, NAN},
    {"1e-999", {"expected an integer weight", "within the range of a 64-bit float"}, 0, NAN},
    {"nan", {"expected an integer weight", "expected a weight (a finite number)"}, 0, NAN},
};

START_TEST(text_is_read)
{
    const struct number *x = &numbers[_i];
    for (int k = 0; k < 2; k++) {
        char text[128], where[80];
        snprintf(text, sizeof text, "0 1 7\n1 0 %s\n", x->text);
        snprintf(where, sizeof where, "w.wel:2: found '%.24s", x->text);
        const char *path = put_text("w.wel", text);
        const ordo_read_options exact = {.edges.weight_type = k ? ORDO_F64 : ORDO_I64};
        const ordo_read_options round = {.edges.weight_type = ORDO_F64, .round = true};
        ordo_graph *g = NULL;
        if (!x->wrong[k]) {
            g = must_read(path, &exact);
            ck_assert_int_eq(ordo_graph_out(g)->weight_type, exact.edges.weight_type);
            ck_assert_uint_eq(ordo_graph_out(g)->stride, 3);
            if (k)
                ck_assert_double_eq(real_at(ordo_graph_out(g), 1), x->real);
            else
                ck_assert_int_eq(whole_at(ordo_graph_out(g), 1), x->whole);
            ordo_graph_free(g);
            continue;
        }
        ck_assert_int_eq(ordo_graph_read(path, &exact, &g), ORDO_ERR_INPUT);
        ck_assert_msg(strstr(ordo_last_error(), where) && strstr(ordo_last_error(), x->wrong[k]), "%s",
                      ordo_last_error());
        if (k && !isnan(x->real)) {
            g = must_read(path, &round);
            ck_assert_double_eq(real_at(ordo_graph_out(g), 1), x->real);
            ordo_graph_free(g);
        }
    }
}
END_TEST

/* Refused by formats that say more of their weights. */
START_TEST(formats_refuse)
{
    static const struct {
        const char *name, *text, *message;
        ordo_type type;
    } table[] = {
        {"a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 1.5\n", "expected an integer weight",
         5},
        {"b.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1.5\n", "expected an integer weight", 6},
        {"c.gr", "p sp 2 1\na 1 2 9223372036854775808\n",
         "c.gr:2: found '9223372036854775808', expected a weight of 64", 6},
        {"d.max", "p max 2 1\nn 1 s\nn 2 t\na 1 2 -1\n", "expected a capacity of 0 or more", 6},
        {"e.graph", "2 1 001\n2 9223372036854775808\n1 1\n", "expected a weight: an integer from 0 to 922", 6},
        {"f.graph", "2 1 001\n2 4294967296\n1 4294967296\n", "from 0 to 4294967295", 0},
    };
    ordo_graph *g;
    const ordo_read_options options = {.edges.weight_type = table[_i].type};
    ck_assert_int_eq(ordo_graph_read(put_text(table[_i].name, table[_i].text), &options, &g), ORDO_ERR_INPUT);
    ck_assert_msg(strstr(ordo_last_error(), table[_i].message), "%s", ordo_last_error());
}
END_TEST

/* Weights that are not kept may be larger than 64 bits: in such a file the edges are still good. */
START_TEST(unkept_are_read)
{
    static const char *const large[] = {"9223372036854775808", "18446744073709551615", "99999999999999999999"};
    static const char *const formats[][2] = {
        {"u.max", "p max 2 1\nn 1 s\nn 2 t\na 1 2 %s\n"}, {"u.gr", "p sp 2 1\na 1 2 %s\n"}, {"u.wel", "0 1 %s\n"}};
    for (int f = 0; f < 3; f++)
        for (int type = 0; type < 2; type++)
            for (int round = 0; round < 2; round++) {
                char text[128];
                snprintf(text, sizeof text, formats[f][1], large[_i]);
                const ordo_read_options options = {
                    .edges = {.weight_type = type ? ORDO_F64 : ORDO_I64, .weights = ORDO_WEIGHTS_DROP}, .round = round};
                ordo_graph *g = must_read(put_text(formats[f][0], text), &options);
                ck_assert_uint_eq(ordo_graph_out(g)->m, 1);
                ck_assert_ptr_null(ordo_graph_out(g)->weight);
                ordo_graph_free(g);
            }
}
END_TEST

/* ---- arrays, formats, transforms ---- */

enum { N = 300, M = 2000 };

/* Directed, with loops and parallel edges. `symmetric`: also written by formats that hold nothing else. */
static ordo_graph *made(ordo_type type, bool negative, ordo_edge_options edges)
{
    static ordo_u32 tail[M], head[M];
    static ordo_i64 whole[M];
    static double real[M];
    ordo_u64 r = 12345;
    for (int e = 0; e < M; e++) {
        r = r * 6364136223846793005u + 1442695040888963407u;
        tail[e] = (ordo_u32)(r >> 33) % N;
        head[e] = (ordo_u32)(r >> 40) % N;
        whole[e] = (ordo_i64)(r >> 2) * (negative && e % 3 == 0 ? -1 : 1);
        real[e] = (double)whole[e] / 3;
    }
    edges.weight_type = type;
    const ordo_edge_arrays arrays = {.n = N,
                                     .count = M,
                                     .tail = tail,
                                     .head = head,
                                     .weight_type = type,
                                     .weight = type == ORDO_I64 ? (const void *)whole : real,
                                     .edges = edges,
                                     .threads = 2};
    ordo_graph *g;
    ck_assert_msg(!ordo_graph_from_arrays(&arrays, &g), "%s", ordo_last_error());
    return g;
}

START_TEST(formats_hold)
{
    static const struct {
        const char *name;
        bool reals, negative, symmetric;
    } table[] = {{"a.ordo", true, true, false}, {"a.ordo.gz", true, true, false}, {"a.npz", true, true, false},
                 {"a.mtx", true, true, false},  {"a.wel", true, true, false},     {"a.ggr", true, true, false},
                 {"a.gr", false, true, false},  {"a.graph", false, false, true},  {"a.mtx", true, true, true},
                 {"b.ordo", true, true, true}};
    for (int k = 0; k < (table[_i].reals ? 2 : 1); k++) {
        const ordo_type type = k ? ORDO_F64 : ORDO_I64;
        ordo_graph *g = made(type, table[_i].negative,
                             (ordo_edge_options){.direction = table[_i].symmetric ? ORDO_SYMMETRISE : ORDO_AS_STORED,
                                                 .drop_loops = table[_i].symmetric});
        const ordo_read_options options = {.edges.weight_type = type};
        const char *path = path_of(table[_i].name);
        ck_assert_msg(!ordo_graph_write(g, path), "%s", ordo_last_error());
        ordo_graph *same = must_read(path, &options);
        ck_assert_msg(info_of(g).checksum == info_of(same).checksum, "%s, type %d", table[_i].name, (int)type);
        ck_assert_double_eq(info_of(g).weight_max, info_of(same).weight_max);
        ordo_graph_free(same);
        if (strstr(table[_i].name, ".ordo")) { /* says itself what it holds */
            same = must_read(path, NULL);
            ck_assert_uint_eq(info_of(g).checksum, info_of(same).checksum);
            ordo_graph_free(same);
        }
        ordo_graph_free(g);
    }
}
END_TEST

START_TEST(formats_that_cannot)
{
    static const char *const names[] = {"a.wsg", "a.gr", "a.graph"};
    ordo_graph *g = made(ORDO_F64, false, (ordo_edge_options){.direction = ORDO_SYMMETRISE, .drop_loops = true});
    ck_assert_int_eq(ordo_graph_write(g, path_of(names[_i])), ORDO_ERR_USAGE);
    ck_assert_msg(strstr(ordo_last_error(), "found f64 weights"), "%s", ordo_last_error());
    ordo_graph_free(g);
}
END_TEST

/* Weights of 4 bytes become the same numbers. */
START_TEST(weights_widen)
{
    const char *path = put_text("narrow.wel", _i ? "0 1 0.1\n1 2 -7.5\n2 2 3\n" : "0 1 4000000000\n1 2 7\n2 2 3\n");
    const ordo_type type = _i == 1 ? ORDO_F64 : ORDO_I64;
    ordo_graph *narrow = must_read(path, NULL), *wide;
    ck_assert_msg(!ordo_graph_write(narrow, path_of("narrow.ordo")), "%s", ordo_last_error());
    const ordo_read_options options = {.edges.weight_type = type};
    const ordo_status status = ordo_graph_read(path_of("narrow.ordo"), &options, &wide);
    if (_i == 2) {
        ck_assert_int_eq(status, ORDO_ERR_INPUT);
        ck_assert_msg(strstr(ordo_last_error(), "found f32 weights, expected weights that become i64 without loss"),
                      "%s", ordo_last_error());
    } else {
        ck_assert_int_eq(status, ORDO_OK);
        if (_i)
            ck_assert_double_eq(real_at(ordo_graph_out(wide), 0), (double)0.1f);
        else
            ck_assert_int_eq(whole_at(ordo_graph_out(wide), 0), 4000000000);
        ordo_graph_free(wide);
    }
    ordo_graph_free(narrow);
}
END_TEST

/* In-rows, added reverse edges and induced subgraphs have the weights of their edges. */
START_TEST(rows_keep_weights)
{
    ordo_graph *g = made(_i ? ORDO_F64 : ORDO_I64, true, (ordo_edge_options){0}), *part;
    const ordo_csr *out = ordo_graph_out(g), *in;
    ordo_u8 keep[N];
    for (int v = 0; v < N; v++)
        keep[v] = v % 3 != 0;
    ck_assert_msg(!ordo_graph_in(g, 2, &in), "%s", ordo_last_error());
    ck_assert_msg(!ordo_graph_induced(g, keep, 2, NULL, &part), "%s", ordo_last_error());
    const ordo_csr *some = ordo_graph_out(part);
    ordo_eid kept = 0;
    for (ordo_vid u = 0; u < out->n; u++)
        for (ordo_eid e = out->row[u]; e < out->row[u + 1]; e++) {
            const ordo_vid v = out->head[e * out->stride];
            bool found = false;
            for (ordo_eid b = in->row[v]; b < in->row[v + 1]; b++)
                found |= in->head[b * in->stride] == u && whole_at(in, b) == whole_at(out, e);
            ck_assert(found);
            if (keep[u] && keep[v])
                ck_assert_int_eq(whole_at(some, kept++), whole_at(out, e));
        }
    ck_assert_uint_eq(kept, some->m);
    ordo_graph_free(part);
    ordo_graph_free(g);
}
END_TEST

START_TEST(parallel_edges)
{
    static const char *const text = "0 1 4611686018427387904\n0 1 -3\n0 1 4611686018427387000\n1 0 5\n";
    static const ordo_i64 expected[] = {0, -3, 4611686018427387904, 9223372036854774901, 4611686018427387904};
    const char *path = put_text("p.wel", text);
    const ordo_read_options options = {
        .edges = {.weight_type = ORDO_I64, .parallel = (ordo_parallel)(ORDO_PARALLEL_MIN + _i)}};
    ordo_graph *g = must_read(path, &options);
    ck_assert_int_eq(whole_at(ordo_graph_out(g), 0), expected[1 + _i]);
    ordo_graph_free(g);
    if (options.edges.parallel == ORDO_PARALLEL_SUM) {
        path = put_text("q.wel", "0 1 9223372036854775807\n0 1 1\n");
        ck_assert_int_eq(ordo_graph_read(path, &options, &g), ORDO_ERR_INPUT);
        ck_assert_msg(strstr(ordo_last_error(), "expected a sum of 64 bits"), "%s", ordo_last_error());
    }
}
END_TEST

START_TEST(arrays_refuse)
{
    static const ordo_u32 ends[] = {0, 0};
    static const ordo_i64 low[] = {1, INT64_MIN};
    static const double infinite[] = {1, INFINITY};
    ordo_edge_arrays arrays = {.n = 1,
                               .count = 2,
                               .tail = ends,
                               .head = ends,
                               .weight_type = _i ? ORDO_F64 : ORDO_I64,
                               .weight = _i ? (const void *)infinite : low,
                               .edges.weight_type = _i ? ORDO_F64 : ORDO_I64};
    ordo_graph *g;
    ck_assert_int_eq(ordo_graph_from_arrays(&arrays, &g), ORDO_ERR_INPUT);
    ck_assert_msg(strstr(ordo_last_error(), "edge 1 of the arrays: found weight"), "%s", ordo_last_error());
    arrays.edges.weight_type = ORDO_F32;
    ck_assert_int_eq(ordo_graph_from_arrays(&arrays, &g), ORDO_ERR_USAGE);
}
END_TEST

/* ---- apps ---- */

static ordo_graph *text_graph(const char *text, ordo_type type)
{
    const ordo_read_options options = {.edges.weight_type = type};
    return must_read(put_text("t.wel", text), &options);
}

START_TEST(distances_that_do_not_fit)
{
    ordo_graph *g = text_graph("0 1 9223372036854775800\n1 2 6\n", ORDO_I64);
    ordo_i64 dist[3];
    ck_assert_msg(!ordo_sssp(g, 0, INFINITY, NULL, dist, NULL, NULL), "%s", ordo_last_error());
    ck_assert_int_eq(dist[2], 9223372036854775806);
    ck_assert_msg(!ordo_sssp_verify(g, 0, INFINITY, dist, NULL, ORDO_VERIFY_BOTH), "%s", ordo_last_error());
    dist[2]--;
    ck_assert_int_eq(ordo_sssp_verify(g, 0, INFINITY, dist, NULL, ORDO_VERIFY_SERIAL), ORDO_ERR_VERIFY);
    ck_assert_msg(strstr(ordo_last_error(), "found distance 9223372036854775805, expected 9223372036854775806"), "%s",
                  ordo_last_error());
    ordo_graph_free(g);
    g = text_graph("0 1 9223372036854775800\n1 2 7\n", ORDO_I64);
    ck_assert_int_eq(ordo_sssp(g, 0, INFINITY, NULL, dist, NULL, NULL), ORDO_ERR_OVERFLOW);
    ck_assert_str_eq(ordo_last_error(), "edge 1 -> 2: distance 9223372036854775800 + weight 7 does not fit i64");
    ordo_graph_free(g);
    g = text_graph("0 1 1e308\n1 2 1e308\n", ORDO_F64);
    ck_assert_int_eq(ordo_sssp(g, 0, INFINITY, NULL, dist, NULL, NULL), ORDO_ERR_OVERFLOW);
    ordo_graph_free(g);
}
END_TEST

START_TEST(low_distances)
{
    const ordo_vid source = 0;
    const ordo_path_query query = {.sources = &source, .source_count = 1};
    ordo_i64 dist[3];
    ordo_vid pred[3];
    const ordo_path_answer answer = {.value = dist, .pred = pred};
    ordo_cycle cycle = {0};
    ordo_graph *g = text_graph("0 1 -9223372036854775800\n1 2 -7\n", ORDO_I64);
    ck_assert_msg(!ordo_bellman_ford(g, &query, NULL, &answer, &cycle), "%s", ordo_last_error());
    ck_assert_int_eq(dist[2], -9223372036854775807);
    ck_assert_msg(!ordo_bellman_ford_verify(g, &query, &answer, &cycle, ORDO_VERIFY_BOTH), "%s", ordo_last_error());
    ordo_graph_free(g);
    g = text_graph("0 1 -9223372036854775800\n1 2 -8\n", ORDO_I64);
    ck_assert_int_eq(ordo_bellman_ford(g, &query, NULL, &answer, &cycle), ORDO_ERR_OVERFLOW);
    ordo_graph_free(g);
    g = text_graph("0 1 5000000000\n1 2 -9000000000\n2 1 8999999999\n", ORDO_I64);
    ck_assert_msg(!ordo_bellman_ford(g, &query, NULL, &answer, &cycle), "%s", ordo_last_error());
    ck_assert_uint_eq(cycle.length, 2);
    ck_assert_int_eq(cycle.whole, -1);
    ck_assert_msg(!ordo_bellman_ford_verify(g, &query, &answer, &cycle, ORDO_VERIFY_BOTH), "%s", ordo_last_error());
    ordo_cycle_free(&cycle);
    ordo_graph_free(g);
}
END_TEST

/* Potentials of i64 give what a search from each source gives. */
START_TEST(johnson_agrees)
{
    static const ordo_vid sources[] = {3, 0, 17};
    static ordo_i64 rows[3][N], one[N];
    static ordo_vid pred[3][N], one_pred[N];
    static ordo_u32 tail[M], head[M];
    static ordo_i64 weight[M], potential[N];
    ordo_u64 r = 99;
    for (int i = 0; i < N + M; i++) {
        r = r * 6364136223846793005u + 1442695040888963407u;
        if (i < N) {
            potential[i] = (ordo_i64)(r >> 12);
            continue;
        }
        tail[i - N] = (ordo_u32)(r >> 33) % N;
        head[i - N] = (ordo_u32)(r >> 42) % N;
        weight[i - N] = (ordo_i64)(r >> 20) + potential[head[i - N]] - potential[tail[i - N]];
    }
    const ordo_edge_arrays arrays = {
        .n = N, .count = M, .tail = tail, .head = head, .weight_type = ORDO_I64, .weight = weight};
    ordo_graph *g;
    ordo_cycle cycle = {0};
    ck_assert_msg(!ordo_graph_from_arrays(&arrays, &g), "%s", ordo_last_error());
    const ordo_path_query all = {.sources = sources, .source_count = 3};
    const ordo_path_answer answer = {.value = rows, .pred = &pred[0][0]};
    ck_assert_msg(!ordo_johnson(g, &all, NULL, &answer, &cycle), "%s", ordo_last_error());
    ck_assert_uint_eq(cycle.length, 0);
    ck_assert_msg(!ordo_johnson_verify(g, &all, &answer, &cycle, ORDO_VERIFY_BOTH), "%s", ordo_last_error());
    for (int i = 0; i < 3; i++) {
        const ordo_path_query query = {.sources = &sources[i], .source_count = 1};
        const ordo_path_answer single = {.value = one, .pred = one_pred};
        ck_assert_msg(!ordo_bellman_ford(g, &query, NULL, &single, &cycle), "%s", ordo_last_error());
        ck_assert_mem_eq(one, rows[i], sizeof one);
        ck_assert_mem_eq(one_pred, pred[i], sizeof one_pred);
    }
    ordo_graph_free(g);
}
END_TEST

/* A search that ends early, where a double does not tell distances apart. */
START_TEST(early_ends)
{
    ordo_graph *g = text_graph("0 1 9007199254740992\n0 2 9007199254740993\n0 3 9007199254740994\n3 4 1\n", ORDO_I64);
    const ordo_vid source = 0;
    const ordo_path_query query = {.sources = &source, .source_count = 1, .stop_after = 3};
    ordo_i64 dist[5];
    double within;
    const ordo_path_answer answer = {.value = dist, .within = &within};
    ck_assert_msg(!ordo_sssp_from(g, &query, NULL, &answer), "%s", ordo_last_error());
    ck_assert_int_eq(dist[1], 9007199254740992);
    ck_assert_int_eq(dist[2], 9007199254740993);
    ck_assert_int_eq(dist[3], ORDO_UNREACHED_I64);
    ck_assert_int_eq(dist[4], ORDO_UNREACHED_I64);
    ordo_graph_free(g);
}
END_TEST

/* Of a cycle that f32 does not tell from one of weight 0. */
START_TEST(small_cycles)
{
    static const char *const text = "0 1 1e13\n1 2 -0.0625\n2 1 0.03125\n";
    const ordo_vid source = 0;
    const ordo_path_query query = {.sources = &source, .source_count = 1};
    double dist[3];
    const ordo_path_answer answer = {.value = dist};
    ordo_cycle cycle = {0};
    ordo_graph *g = text_graph(text, ORDO_F64);
    ck_assert_msg(!ordo_bellman_ford(g, &query, NULL, &answer, &cycle), "%s", ordo_last_error());
    ck_assert_uint_eq(cycle.length, 2);
    ck_assert_double_eq(cycle.real, -0.03125);
    ordo_cycle_free(&cycle);
    ordo_graph_free(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("wide");
    TCase *graphs = tcase_create("graphs"), *apps = tcase_create("apps");
    if (!make_folder())
        return EXIT_FAILURE;
    tcase_add_loop_test(graphs, text_is_read, 0, (int)(sizeof numbers / sizeof numbers[0]));
    tcase_add_loop_test(graphs, formats_refuse, 0, 6);
    tcase_add_loop_test(graphs, formats_hold, 0, 10);
    tcase_add_loop_test(graphs, formats_that_cannot, 0, 3);
    tcase_add_loop_test(graphs, weights_widen, 0, 3);
    tcase_add_loop_test(graphs, rows_keep_weights, 0, 2);
    tcase_add_loop_test(graphs, parallel_edges, 0, 4);
    tcase_add_loop_test(graphs, arrays_refuse, 0, 2);
    tcase_add_loop_test(graphs, unkept_are_read, 0, 3);
    tcase_add_test(apps, distances_that_do_not_fit);
    tcase_add_test(apps, low_distances);
    tcase_add_test(apps, johnson_agrees);
    tcase_add_test(apps, early_ends);
    tcase_add_test(apps, small_cycles);
    suite_add_tcase(suite, graphs);
    suite_add_tcase(suite, apps);
    const int status = run_suite(suite);
    return remove_folder() ? status : EXIT_FAILURE;
}
