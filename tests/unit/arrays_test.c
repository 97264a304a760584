/* arrays_test.c -- graphs from arrays: lists of edges of every type against ordo_graph_from_edges(), options, refusals
 * with the first bad index; borrowed rows, their offsets of 4 bytes, and the release callback.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/ordo.h>

#include "tests/common/families.h"
#include "tests/common/suite.h"

/* ---- lists of edges ---- */

/* The list in arrays of every combination of types gives the graph of ordo_graph_from_edges(), to the bit. */
START_TEST(test_list_types)
{
    enum { N = 5000, COUNT = 200000 / SLOWER };
    static const ordo_type types[] = {ORDO_NONE, ORDO_U32, ORDO_I32, ORDO_F32, ORDO_F64};
    const ordo_type type = types[_i];
    ordo_edge_entry *list = malloc(COUNT * sizeof *list);
    ordo_u32 *tail = malloc(COUNT * sizeof *tail), *head = malloc(COUNT * sizeof *head),
             *word = malloc(COUNT * sizeof *word);
    ordo_u64 *wide[2] = {malloc(COUNT * sizeof **wide), malloc(COUNT * sizeof **wide)};
    double *real = malloc(COUNT * sizeof *real);
    ck_assert(list && tail && head && word && wide[0] && wide[1] && real);
    ordo_u64 random = 3;
    for (size_t i = 0; i < COUNT; i++) {
        tail[i] = (ordo_u32)(next_random(&random) % N);
        head[i] = (ordo_u32)(next_random(&random) % N);
        const ordo_f32 value = (ordo_f32)(next_random(&random) % 1000) / 8 - 50;
        word[i] = (ordo_u32)next_random(&random);
        if (type == ORDO_F32 || type == ORDO_F64)
            memcpy(&word[i], &value, sizeof value);
        real[i] = (double)value;
        wide[0][i] = tail[i];
        wide[1][i] = head[i];
        list[i] = (ordo_edge_entry){tail[i], head[i], word[i]};
    }
    ordo_graph *expected, *found;
    ck_assert(
        !ordo_graph_from_edges(N, list, COUNT, type == ORDO_F64 ? ORDO_F32 : type, ORDO_SYMMETRISE, 2, &expected));
    for (int w = 0; w < 2; w++) {
        const ordo_edge_arrays arrays = {.n = N,
                                         .count = COUNT,
                                         .index_type = w ? ORDO_U64 : ORDO_NONE,
                                         .tail = w ? (void *)wide[0] : tail,
                                         .head = w ? (void *)wide[1] : head,
                                         .weight_type = type,
                                         .weight = type == ORDO_F64 ? (void *)real : word,
                                         .edges = {.direction = ORDO_SYMMETRISE},
                                         .threads = 1 + w};
        ck_assert_msg(!ordo_graph_from_arrays(&arrays, &found), "%s", ordo_last_error());
        ck_assert_uint_eq(info_of(found).checksum, info_of(expected).checksum);
        ck_assert(ordo_graph_symmetric(found));
        ordo_graph_free(found);
    }
    ordo_graph_free(expected);
    free(list);
    free(tail);
    free(head);
    free(word);
    free(wide[0]);
    free(wide[1]);
    free(real);
}
END_TEST

static const ordo_u32 tails[] = {0, 0, 1, 2, 2}, heads[] = {1, 1, 2, 2, 0}, weights[] = {5, 3, 4, 9, 1};
#define LIST(...)                                                                                                      \
    &(const ordo_edge_arrays)                                                                                          \
    {                                                                                                                  \
        .n = 3, .count = 5, .tail = tails, .head = heads, __VA_ARGS__                                                  \
    }

START_TEST(test_list_options)
{
    ordo_graph *g;
    ck_assert(!ordo_graph_from_arrays(
        LIST(.weight_type = ORDO_U32, .weight = weights, .edges = {.parallel = ORDO_PARALLEL_MIN, .drop_loops = true}),
        &g));
    const ordo_csr *rows = ordo_graph_out(g);
    ck_assert_uint_eq(rows->m, 3);
    ck_assert_uint_eq(weight_word(rows, 0), 3);
    ck_assert_uint_eq(info_of(g).dropped_loops, 1);
    ck_assert_uint_eq(info_of(g).dropped_parallel, 1);
    ordo_graph_free(g);
    ck_assert(!ordo_graph_from_arrays(
        LIST(.weight_type = ORDO_U32, .weight = weights, .edges = {.weights = ORDO_WEIGHTS_DROP}), &g));
    ck_assert_int_eq(ordo_graph_out(g)->weight_type, ORDO_NONE);
    ordo_graph_free(g);
    ck_assert(!ordo_graph_from_arrays(LIST(.edges = {.weights = ORDO_WEIGHTS_UNIFORM, .low = 2, .high = 2}), &g));
    ck_assert_uint_eq(weight_word(ordo_graph_out(g), 4), 2);
    ordo_graph_free(g);
    ck_assert(!ordo_graph_from_arrays(&(ordo_edge_arrays){.n = 4}, &g)); /* no edges, no arrays */
    ck_assert_uint_eq(ordo_graph_out(g)->n, 4);
    ordo_graph_free(g);
}
END_TEST

static void refused(const ordo_edge_arrays *arrays, ordo_status status, const char *sentence)
{
    ordo_graph *g = (ordo_graph *)&g;
    ck_assert_int_eq(ordo_graph_from_arrays(arrays, &g), status);
    ck_assert_msg(strstr(ordo_last_error(), sentence), "'%s'", ordo_last_error());
    ck_assert_ptr_eq(g, &g); /* untouched */
}

START_TEST(test_list_refused)
{
    static const double real[] = {0.1, 1e9, -4, 16777217, 1e300}, infinite[] = {1, 2, (double)INFINITY, NAN, 3};
    static const int32_t minus[] = {0, 1, -1, 2, -2};
    static const int64_t minus_wide[] = {0, 1, -1, 2, -2}, wide[] = {0, 0, 0, 0, 0};
    refused(NULL, ORDO_ERR_USAGE, "arrays is NULL");
    refused(LIST(.reserved = {[3] = 9}), ORDO_ERR_USAGE, "ordo_edge_arrays: found 9 in reserved[3], expected 0");
    refused(LIST(.edges = {.reserved = {1}}), ORDO_ERR_USAGE, "ordo_edge_options: found 1 in reserved[0]");
    refused(LIST(.index_type = ORDO_F32), ORDO_ERR_USAGE, "found index type 3");
    refused(LIST(.weight_type = ORDO_U64, .weight = weights), ORDO_ERR_USAGE, "found weight type 4");
    refused(LIST(.weight_type = ORDO_U32), ORDO_ERR_USAGE, "weight is NULL");
    refused(LIST(.edges = {.direction = ORDO_SYMMETRIC}), ORDO_ERR_INPUT, "found edge 0 -> 1");
    refused(LIST(.edges = {.parallel = (ordo_parallel)9}), ORDO_ERR_USAGE, "found parallel 9");
    refused(LIST(.weight_type = ORDO_U32, .weight = weights, .edges = {.weights = ORDO_WEIGHTS_UNIFORM, .high = 3}),
            ORDO_ERR_INPUT, "found weights, expected none");
    refused(&(ordo_edge_arrays){.n = 2, .count = 5, .tail = tails, .head = heads}, ORDO_ERR_INPUT,
            "edge 2 of the arrays: found 1 -> 2, expected ends below 2");
    refused(&(ordo_edge_arrays){.n = 0xffffffffu, .count = 5, .tail = tails, .head = heads}, ORDO_ERR_INPUT,
            "found 4294967295 vertices");
    refused(&(ordo_edge_arrays){.n = 3, .count = 5, .tail = tails, .head = minus}, ORDO_ERR_INPUT,
            "edge 2 of the arrays: found 1 -> 4294967295, expected ends below 3");
    refused(&(ordo_edge_arrays){.n = 3, .count = 5, .index_type = ORDO_U64, .tail = minus_wide, .head = wide},
            ORDO_ERR_INPUT, "edge 2 of the arrays: found 18446744073709551615 -> 0");
    refused(LIST(.weight_type = ORDO_F64, .weight = real), ORDO_ERR_INPUT,
            "edge 3 of the arrays: found weight 16777217");
    refused(LIST(.weight_type = ORDO_F64, .weight = real, .round = true), ORDO_ERR_INPUT, "edge 4 of the arrays");
    refused(LIST(.weight_type = ORDO_F64, .weight = infinite, .round = true), ORDO_ERR_INPUT, "edge 2 of the arrays");
    ck_assert_int_eq(ordo_graph_from_arrays(LIST(.threads = 1), NULL), ORDO_ERR_USAGE);
    ordo_graph *g; /* those of options of other calls */
    ck_assert_int_eq(ordo_graph_read("/none", &(ordo_read_options){.reserved = {1}}, &g), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_graph_generate(&(ordo_generate_options){.kind = "path", .vertices = 2, .reserved = {1}}, &g),
                     ORDO_ERR_USAGE);
}
END_TEST

/* ---- borrowed rows ---- */

static int released;
static void release(void *arg)
{
    ck_assert_ptr_eq(arg, &released);
    released++;
}

static const ordo_u64 row[] = {0, 2, 3, 5};
#define ROWS(_row, _head, ...)                                                                                         \
    &(const ordo_row_arrays)                                                                                           \
    {                                                                                                                  \
        .n = 3, .m = 5, .row = _row, .head = _head, .release = release, .release_arg = &released, __VA_ARGS__          \
    }

/* Nothing is copied, but offsets of 4 bytes; released with the last reference, once. */
START_TEST(test_rows)
{
    static const int32_t narrow[] = {0, 2, 3, 5};
    static const ordo_type types[] = {ORDO_NONE, ORDO_U64, ORDO_U32, ORDO_I32};
    const ordo_u64 before = ordo_memory_now();
    for (int t = 0; t < 4; t++) {
        ordo_graph *g;
        released = 0;
        ck_assert_msg(!ordo_graph_borrow_arrays(ROWS(t < 2 ? (const void *)row : narrow, heads, .row_type = types[t],
                                                     .weight_type = ORDO_I32, .weight = weights),
                                                &g),
                      "%s", ordo_last_error());
        const ordo_csr *csr = ordo_graph_out(g), *in;
        ck_assert(csr->head == heads && csr->weight == weights && csr->stride == 1 && (t >= 2 || csr->row == row));
        ck_assert_uint_eq(csr->row[3], 5);
        ck_assert(!ordo_graph_in(g, 1, &in));
        ordo_graph_free(ordo_graph_ref(g));
        ck_assert_int_eq(released, 0);
        ordo_graph_free(g);
        ck_assert_int_eq(released, 1);
        ck_assert_uint_eq(ordo_memory_now(), before);
    }
}
END_TEST

static void rows_refused(const ordo_row_arrays *arrays, ordo_status status, const char *sentence)
{
    const ordo_u64 before = ordo_memory_now();
    ordo_graph *g = (ordo_graph *)&g;
    released = 0;
    ck_assert_int_eq(ordo_graph_borrow_arrays(arrays, &g), status);
    ck_assert_msg(strstr(ordo_last_error(), sentence), "'%s'", ordo_last_error());
    ck_assert_ptr_eq(g, &g);
    ck_assert_int_eq(released, 1);
    ck_assert_uint_eq(ordo_memory_now(), before);
}

START_TEST(test_rows_refused)
{
    static const int32_t falls[] = {0, 3, 2, 5}, minus[] = {0, -2, 3, 5}, shorter[] = {0, 2, 3, 4};
    static const ordo_vid heads_beyond[] = {1, 1, 3, 2, 0};
    rows_refused(ROWS(row, heads, .reserved = {2}), ORDO_ERR_USAGE, "ordo_row_arrays: found 2 in reserved[0]");
    rows_refused(ROWS(row, heads, .row_type = ORDO_F32), ORDO_ERR_USAGE, "found row type 3");
    rows_refused(ROWS(row, heads, .weight_type = ORDO_U64, .weight = weights), ORDO_ERR_USAGE, "found weight type 4");
    rows_refused(ROWS(row, heads, .weight_type = ORDO_U32), ORDO_ERR_USAGE, "weight is NULL");
    rows_refused(ROWS(row, heads, .head_type = ORDO_U64), ORDO_ERR_USAGE, "found head type 4, expected u32");
    rows_refused(ROWS(row, heads, .stride = 3), ORDO_ERR_USAGE, "found stride 3");
    rows_refused(ROWS(falls, heads, .row_type = ORDO_I32), ORDO_ERR_INPUT, "row 1: found 2 as its end");
    rows_refused(ROWS(minus, heads, .row_type = ORDO_I32), ORDO_ERR_INPUT, "row 1: found -2 as its start");
    rows_refused(ROWS(shorter, heads, .row_type = ORDO_U32), ORDO_ERR_INPUT, "found rows from edge 0 to 4");
    rows_refused(ROWS(row, heads_beyond, .threads = 1), ORDO_ERR_INPUT, "edge 2: found head 3");
    rows_refused(ROWS(row, heads, .threads = -1), ORDO_ERR_USAGE, "threads");
    ck_assert_int_eq(ordo_graph_borrow_arrays(NULL, &(ordo_graph *){NULL}), ORDO_ERR_USAGE);
    released = 0;
    ck_assert_int_eq(ordo_graph_borrow_arrays(ROWS(row, heads, .threads = 1), NULL), ORDO_ERR_USAGE);
    ck_assert_int_eq(released, 1);
}
END_TEST

/* Allocations fail one after the other: the arrays are released once in any case. */
START_TEST(test_rows_memory)
{
    static const int32_t narrow[] = {0, 2, 3, 5};
    ordo_graph *g = NULL;
    ordo_status status = ORDO_ERR_MEMORY;
    for (ordo_u64 failing = 1; status == ORDO_ERR_MEMORY; failing++) {
        ck_assert_uint_lt(failing, 100);
        released = 0;
        ordo_memory_fail_after(failing);
        status = ordo_graph_borrow_arrays(ROWS(narrow, heads, .row_type = ORDO_I32, .threads = 1), &g);
        ordo_memory_fail_after(0);
        ck_assert_int_eq(released, status != ORDO_OK);
    }
    ck_assert_int_eq(status, ORDO_OK);
    ordo_graph_free(g);
    ck_assert_int_eq(released, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arrays");
    TCase *tests = tcase_create("arrays");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, test_list_types, 0, 5);
    tcase_add_test(tests, test_list_options);
    tcase_add_test(tests, test_list_refused);
    tcase_add_test(tests, test_rows);
    tcase_add_test(tests, test_rows_refused);
    tcase_add_test(tests, test_rows_memory);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
