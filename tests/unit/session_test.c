/* session_test.c -- sessions: arrays, copies, passes and runs, and what is refused. On the CPU; with
 * SESSION_DEVICE=cuda on a back end over a runtime without a GPU (tests/gpu/fake_runtime.cc), for which passes are
 * functions of the host. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/apps.h>
#include <ordo/arrays.h>
#include <ordo/memory.h>
#include <ordo/operator/pass.h>
#include <ordo/session.h>

#include "operators/bfs.h"
#include "operators/discharge.h"
#include "tests/common/pass_kernel.h"
#include "tests/common/suite.h"

/* ---- passes ---- */

typedef struct numbers {
    const ordo_u32 *number; /* [n] */
    ordo_u32 *twice;        /* [n] */
    ordo_u32 least;
} numbers;

/* Odd numbers have no value. */
ORDO_FN ordo_u64 double_even(const numbers *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->twice[v] = 2 * s->number[v];
    return s->number[v] % 2 ? ORDO_NO_VALUE : s->number[v];
}

ORDO_FN int is_large(const numbers *s, ordo_u64 value)
{
    return value >= s->least;
}

ORDO_FN ordo_u64 degrees(const numbers *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    ordo_u64 sum = 0;
    (void)s;
    for (ordo_u64 e = out->row[v]; e < out->row[v + 1]; e++)
        sum += out->head[e * out->stride] + (out->word ? out->word[e * out->stride] : 0);
    return sum + (in->row ? 1000000 * (in->row[v + 1] - in->row[v]) : 0);
}

#define ORDO_PASS least_of
#define ORDO_PASS_STATE numbers
#define ORDO_PASS_EACH double_even
#define ORDO_PASS_FOLD ORDO_MIN
#include <ordo/operator/pass.h>
#define ORDO_PASS greatest_of
#define ORDO_PASS_STATE numbers
#define ORDO_PASS_EACH double_even
#define ORDO_PASS_FOLD ORDO_MAX
#define ORDO_PASS_SELECT is_large
#include <ordo/operator/pass.h>
#define ORDO_PASS degree_sum
#define ORDO_PASS_STATE numbers
#define ORDO_PASS_EACH degrees
#include <ordo/operator/pass.h>

PASS_KERNEL(least_of)
PASS_KERNEL(greatest_of)
PASS_KERNEL(degree_sum)

/* The pass with an instance for that device. */
static ordo_pass with(const ordo_pass *pass, ordo_pass_instance *instance, const void *(*kernel)(void))
{
    *instance = (ordo_pass_instance){pass->name, pass->fold, pass->state, kernel};
    ordo_pass both = *pass;
    both.on_cuda = instance;
    return both;
}

static const char *device(void)
{
    return getenv("SESSION_DEVICE");
}

static bool is_on_gpu(void)
{
    return device() && !strcmp(device(), "cuda");
}

static ordo_session *make(int threads)
{
    ordo_session *s;
    ck_assert_msg(!ordo_session_make(device(), threads, &s), "%s", ordo_last_error());
    return s;
}

#define REFUSED(_call, _status, _text)                                                                                 \
    do {                                                                                                               \
        ck_assert_int_eq(_call, _status);                                                                              \
        ck_assert_msg(strstr(ordo_last_error(), _text), "'%s'", ordo_last_error());                                    \
    } while (0)

/* ---- arrays ---- */

START_TEST(arrays_and_copies)
{
    ordo_u32 host[100], back[100] = {0}, *of_host, *own;
    ordo_session *s = make(1);
    ck_assert_str_eq(ordo_session_device(s), is_on_gpu() ? "cuda" : "cpu");
    for (ordo_u32 i = 0; i < 100; i++)
        host[i] = 7 * i;
    ck_assert(!ordo_session_array(s, host, 100, sizeof *host, (void **)&of_host));
    ck_assert(!ordo_session_array(s, NULL, 100, sizeof *host, (void **)&own));
    ck_assert_int_eq(of_host == host, !is_on_gpu());
    ck_assert(!ordo_session_write(s, own, host, sizeof host));
    ck_assert(!ordo_session_write(s, own + 50, host, 4));
    ck_assert(!ordo_session_read(s, back, own, sizeof back));
    for (ordo_u32 i = 0; i < 100; i++)
        ck_assert_uint_eq(back[i], i == 50 ? 0 : 7 * i);
    ck_assert(!ordo_session_read(s, back, own + 99, 4));
    ck_assert_uint_eq(back[0], 7 * 99);
    ck_assert(!ordo_session_read(s, back, own, 0));
    REFUSED(ordo_session_read(s, back, own + 99, 8), ORDO_ERR_USAGE, "8 bytes, and 4 to the end");
    REFUSED(ordo_session_write(s, back, own, 4), ORDO_ERR_USAGE, "not within an array of the session");
    ordo_session *other = make(1); /* to which the array is a stranger's */
    REFUSED(ordo_session_read(other, back, own, 8), ORDO_ERR_USAGE, "not within an array of the session");
    ck_assert(!ordo_session_adopt(other, own + 10, 8));
    ck_assert(!ordo_session_write(other, own + 10, host, 8));
    ck_assert(!ordo_session_read(other, back, own + 10, 8));
    ck_assert(back[0] == host[0] && back[1] == host[1]);
    REFUSED(ordo_session_read(other, back, own + 10, 12), ORDO_ERR_USAGE, "12 bytes, and 8 to the end");
    REFUSED(ordo_session_adopt(other, NULL, 8), ORDO_ERR_USAGE, "8 bytes at NULL");
    ck_assert(!ordo_session_drop(other, own + 10)); /* the caller's: it is not freed */
    ordo_session_free(other);
    ck_assert(!ordo_session_read(s, back, own + 10, 8)); /* it is still there */
    REFUSED(ordo_session_drop(s, own + 1), ORDO_ERR_USAGE, "no array of the session begins there");
    ck_assert(!ordo_session_drop(s, NULL));
    ck_assert(!ordo_session_drop(s, own));
    REFUSED(ordo_session_read(s, back, own, 4), ORDO_ERR_USAGE, "not within an array of the session");
    REFUSED(ordo_session_drop(s, own), ORDO_ERR_USAGE, "no array of the session begins there");
    ck_assert(!ordo_session_read(s, back, of_host, sizeof *host));
    REFUSED(ordo_session_array(s, NULL, ~(ordo_u64)0, 8, (void **)&own), ORDO_ERR_MEMORY, "larger than any memory");
    ordo_session_free(s);
    ordo_session_free(NULL);
}
END_TEST

START_TEST(sessions_that_are_refused)
{
    char name[100] = "?";
    ck_assert(!ordo_device_find(is_on_gpu() ? "cuda" : NULL, name, sizeof name));
    ck_assert_str_ne(name, "?");
    ck_assert(!ordo_device_find("cpu", name, 2));
    ck_assert_uint_eq(strlen(name), 1);
    REFUSED(ordo_device_find("tpu", name, sizeof name), ORDO_ERR_UNKNOWN, "device 'tpu' is unknown");
    ordo_session *s = NULL;
    REFUSED(ordo_session_make("abacus", 0, &s), ORDO_ERR_UNKNOWN, "expected cpu, cuda or auto");
    REFUSED(ordo_session_make(NULL, -1, &s), ORDO_ERR_USAGE, "-1 threads");
    REFUSED(ordo_session_read(NULL, NULL, NULL, 0), ORDO_ERR_USAGE, "no session");
    ck_assert_ptr_null(s);
    ck_assert(!ordo_session_make("auto", 0, &s));
    ck_assert_str_eq(ordo_session_device(s), is_on_gpu() ? "cuda" : "cpu");
    ordo_session_free(s);
}
END_TEST

/* ---- passes ---- */

static void check_pass(ordo_session *s, const ordo_u32 *number, ordo_u64 n, const ordo_item *items, ordo_u64 count,
                       numbers *on)
{
    ordo_pass_instance instance[2];
    const ordo_pass least = with(&least_of_pass, &instance[0], least_of_kernel),
                    greatest = with(&greatest_of_pass, &instance[1], greatest_of_kernel);
    ordo_found found, expected[2] = {{0, ~(ordo_u64)0}, {0, 0}};
    ordo_item *of = NULL, *selected, *list = calloc(count + 1, sizeof *list);
    ordo_u32 *twice = calloc(n + 1, sizeof *twice);
    ck_assert(!ordo_session_array(s, NULL, count, sizeof *selected, (void **)&selected));
    if (items)
        ck_assert(!ordo_session_array(s, NULL, count, sizeof *of, (void **)&of) &&
                  !ordo_session_write(s, of, items, count * sizeof *of));
    for (ordo_u64 i = 0, at = 0; i < count; i++) {
        const ordo_item v = items ? items[i] : (ordo_item)i;
        if (number[v] % 2)
            continue;
        expected[0].count++;
        expected[0].value = number[v] < expected[0].value ? number[v] : expected[0].value;
        expected[1].value = number[v] > expected[1].value ? number[v] : expected[1].value;
        if (number[v] >= on->least)
            list[at++] = v;
        expected[1].count = at;
    }
    ck_assert(!ordo_session_each(s, &(ordo_each){.pass = &least, .state = on, .count = count, .items = of}, &found));
    ck_assert_uint_eq(found.count, expected[0].count);
    ck_assert_uint_eq(found.value, expected[0].value);
    const ordo_each each = {.pass = &greatest, .state = on, .count = count, .items = of, .selected = selected};
    ck_assert(!ordo_session_each(s, &each, NULL) && !ordo_session_each(s, &each, &found));
    ck_assert_uint_eq(found.count, expected[1].count);
    ck_assert_uint_eq(found.value, expected[1].value);
    ordo_item *got = calloc(count + 1, sizeof *got);
    ck_assert(!ordo_session_read(s, got, selected, found.count * sizeof *got));
    ck_assert_mem_eq(got, list, found.count * sizeof *got); /* the runtime without a GPU keeps the order, too */
    ck_assert(!ordo_session_read(s, twice, on->twice, n * sizeof *twice));
    for (ordo_u64 i = 0; i < count; i++)
        ck_assert_uint_eq(twice[items ? items[i] : i], 2 * number[items ? items[i] : i]);
    free(got);
    free(list);
    free(twice);
}

START_TEST(passes_fold_and_select)
{
    static const ordo_u64 sizes[] = {0, 1, 2, 100, 2047, 20000, 300000};
    const ordo_u64 n = sizes[_i % 7];
    ordo_session *s = make(_i / 7 + 1);
    ordo_u32 *number = calloc(n + 1, sizeof *number);
    ordo_item *items = calloc(n + 1, sizeof *items);
    ordo_u64 some = 0;
    numbers on = {.least = 1u << 30};
    srand((unsigned)_i);
    for (ordo_u64 v = 0; v < n; v++) {
        number[v] = (ordo_u32)rand();
        if (number[v] % 3)
            items[some++] = (ordo_item)v;
    }
    ck_assert(!ordo_session_array(s, NULL, n, sizeof *number, (void **)&on.number));
    ck_assert(!ordo_session_array(s, NULL, n, sizeof *number, (void **)&on.twice));
    ck_assert(!ordo_session_write(s, (void *)(size_t)on.number, number, n * sizeof *number));
    check_pass(s, number, n, items, some, &on);
    check_pass(s, number, n, NULL, n, &on);
    ordo_session_free(s);
    free(number);
    free(items);
}
END_TEST

static ordo_graph *small_graph(ordo_type type)
{
    static const ordo_edge_entry edges[] = {{.tail = 0, .head = 1, .weight = 10},
                                            {.tail = 0, .head = 2, .weight = 20},
                                            {.tail = 2, .head = 3, .weight = 30},
                                            {.tail = 3, .head = 1, .weight = 40}};
    ordo_graph *g;
    ck_assert(!ordo_graph_from_edges(5, edges, 4, type, ORDO_AS_STORED, 1, &g));
    return g;
}

START_TEST(passes_read_rows)
{
    ordo_session *s = make(1);
    ordo_pass_instance instance;
    const ordo_pass pass = with(&degree_sum_pass, &instance, degree_sum_kernel);
    const numbers on = {0};
    ordo_found found;
    for (int weighted = 0; weighted < 2; weighted++) {
        ordo_graph *g = small_graph(weighted ? ORDO_U32 : ORDO_NONE), *other = small_graph(ORDO_NONE);
        const ordo_u64 sum = 7 + (weighted ? 100 : 0);
        ck_assert(!ordo_session_each(s, &(ordo_each){.pass = &pass, .state = &on, .count = 5, .graph = g}, &found));
        ck_assert_uint_eq(found.count, 5);
        ck_assert_uint_eq(found.value, sum);
        const ordo_each both = {.pass = &pass, .state = &on, .count = 5, .graph = g, .reversed = other};
        ck_assert(!ordo_session_each(s, &both, &found));
        ck_assert_uint_eq(found.value, sum + 4000000);
        ordo_graph_free(g);
        ordo_graph_free(other);
    }
    ordo_session_free(s);
}
END_TEST

/* ---- rows that are on the device already ---- */

static void count_release(void *arg)
{
    ++*(int *)arg;
}

enum { ROWS_N = 3, ROWS_M = 3 };
static const ordo_u64 ROWS[] = {0, 2, 3, 3};
static const ordo_u32 HEADS[] = {1, 2, 2}, NARROW[] = {0, 2, 3, 3}, WEIGHTS[] = {5, 6, 7}, PAIRS[] = {1, 5, 2, 6, 2, 7};
static const ordo_u64 WIDE[] = {5, 6, 7}, WIDE_HEADS[] = {1, 2, 2};

/* An array of the session with that content, `gap` bytes behind its beginning. */
static void *on_device(ordo_session *s, const void *from, size_t bytes, size_t gap)
{
    char *at;
    ck_assert(!ordo_session_array(s, NULL, bytes + gap, 1, (void **)&at));
    ck_assert(!ordo_session_write(s, at + gap, from, bytes));
    return at + gap;
}

/* The graph of those arrays, of the kind `form`. */
static ordo_row_arrays device_rows(ordo_session *s, int form, int *released)
{
    ordo_row_arrays a = {.n = ROWS_N, .m = ROWS_M, .threads = 1, .release = count_release, .release_arg = released};
    a.row = form == 1 ? on_device(s, NARROW, sizeof NARROW, 0) : on_device(s, ROWS, sizeof ROWS, 0);
    a.row_type = form == 1 ? ORDO_U32 : ORDO_U64;
    a.head_type = form == 6 || form == 7 ? ORDO_U64 : ORDO_NONE;
    a.head = form >= 6   ? on_device(s, WIDE_HEADS, sizeof WIDE_HEADS, 0)
             : form == 4 ? on_device(s, PAIRS, sizeof PAIRS, 0)
                         : on_device(s, HEADS, sizeof HEADS, form == 5 ? 4 : 0);
    if (form == 2 || form == 3 || form == 7) {
        a.weight_type = form != 3 ? ORDO_U32 : ORDO_I64;
        a.weight = form != 3 ? on_device(s, WEIGHTS, sizeof WEIGHTS, 0) : on_device(s, WIDE, sizeof WIDE, 0);
    }
    if (form == 4) {
        a.weight_type = ORDO_U32;
        a.stride = 2;
        a.weight = a.head + 1;
    }
    return a;
}

/* In each form: rows of 8 bytes, of 4; weights of 4 and 8 bytes; pairs; heads at an address that is not aligned, and of
 * 8 bytes, also beside weights. */
START_TEST(rows_on_the_device)
{
    if (!is_on_gpu())
        return;
    ordo_session *s = make(1);
    ordo_pass_instance instance;
    const ordo_pass pass = with(&degree_sum_pass, &instance, degree_sum_kernel);
    const numbers on = {0};
    for (int form = 0; form < 8; form++) {
        int released = 0;
        ordo_graph *g;
        ordo_found found;
        ordo_row_arrays a = device_rows(s, form, &released);
        ck_assert_msg(!ordo_graph_borrow_device_arrays(&a, "cuda", &g), "%d: %s", form, ordo_last_error());
        const ordo_csr *host = ordo_graph_out(g);
        ck_assert_uint_eq(host->m, ROWS_M);
        for (ordo_u32 e = 0; e < ROWS_M; e++) {
            ck_assert_uint_eq(host->head[e * host->stride], HEADS[e]);
            if (a.weight_type)
                ck_assert_uint_eq(*(const ordo_u32 *)ordo_csr_weight_at(host, e), WEIGHTS[e]);
        }
        ck_assert(
            !ordo_session_each(s, &(ordo_each){.pass = &pass, .state = &on, .count = ROWS_N, .graph = g}, &found));
        ck_assert_uint_eq(found.value, form == 2 || form == 4 || form == 7 ? 23 : 5);
        ordo_graph_ref(g);
        ordo_graph_free(g);
        ck_assert_int_eq(released, 0);
        ordo_graph_free(g);
        ck_assert_int_eq(released, 1);
    }
    ordo_session_free(s);
}
END_TEST

/* Every error, after which the arrays are released once. */
START_TEST(rows_on_the_device_that_are_refused)
{
    ordo_session *s = make(1);
    ordo_graph *g = NULL;
    int released = 0;
    REFUSED(ordo_graph_borrow_device_arrays(NULL, "cuda", &g), ORDO_ERR_USAGE, "arrays is NULL");
#define BAD(_device, _out, _status, _text, ...)                                                                        \
    do {                                                                                                               \
        ordo_row_arrays a = device_rows(s, 0, &released);                                                              \
        const int before = released;                                                                                   \
        __VA_ARGS__;                                                                                                   \
        REFUSED(ordo_graph_borrow_device_arrays(&a, _device, _out), _status, _text);                                   \
        ck_assert_int_eq(released, before + 1);                                                                        \
    } while (0)
    BAD("cuda", NULL, ORDO_ERR_USAGE, "out is NULL", (void)a);
    BAD(NULL, &g, ORDO_ERR_USAGE, "device is NULL", (void)a);
    BAD("cpu", &g, ORDO_ERR_USAGE, "device 'cpu', expected cuda", (void)a);
    BAD("tpu", &g, ORDO_ERR_UNKNOWN, "device 'tpu' is unknown", (void)a);
    BAD("cuda", &g, ORDO_ERR_USAGE, "row is NULL", a.row = NULL);
    BAD("cuda", &g, ORDO_ERR_USAGE, "found stride 2 on a device", a.stride = 2);
    BAD("cuda", &g, ORDO_ERR_USAGE, "row: found address", a.row = (const char *)a.row + 4);
    BAD("cuda", &g, ORDO_ERR_USAGE, "head: found address",
        a.head = (const ordo_u32 *)(const void *)((const char *)a.head + 2));
    if (is_on_gpu()) {
        BAD("cuda", &g, ORDO_ERR_INPUT, "expected 0 to 2", a.m = 2);
        BAD("cuda", &g, ORDO_ERR_INPUT, "found head 2, expected one below 2",
            (a.n = 2, a.row = on_device(s, (ordo_u64[]){0, 2, 3}, 24, 0)));
        BAD("cuda", &g, ORDO_ERR_INPUT, "edge 1: found head 4294967296, expected one below 3",
            (a.head_type = ORDO_U64, a.head = on_device(s, (ordo_u64[]){1, (ordo_u64)1 << 32, 2}, 24, 0)));
        BAD("cuda", &g, ORDO_ERR_USAGE, "head: found address",
            (a.head_type = ORDO_U64, a.head = on_device(s, WIDE_HEADS, 24, 4)));
        setenv("FAKE_PLACE", "1", 1);
        BAD("cuda", &g, ORDO_ERR_USAGE, "row: device 'cuda': found memory of GPU 1, expected GPU 0", (void)a);
        setenv("FAKE_PLACE", "-1", 1);
        BAD("cuda", &g, ORDO_ERR_USAGE, "row: device 'cuda': found memory of the host", (void)a);
        unsetenv("FAKE_PLACE");
    }
    ck_assert(!g);
    ordo_session_free(s);
}
END_TEST

/* Memory of the host and of the device runs out at each place: nothing is left behind. */
START_TEST(rows_on_the_device_without_memory)
{
    if (!is_on_gpu())
        return;
    ordo_session *s = make(1);
    for (int form = 1; form < 3; form++) {
        ordo_status status = ORDO_ERR_MEMORY;
        int released = 0, tries = 0;
        ordo_row_arrays a = device_rows(s, form, &released);
        ordo_graph *g = NULL;
        for (ordo_u64 k = 1; status; k++, tries++) {
            const ordo_u64 before = ordo_memory_now();
            ordo_memory_fail_after(k);
            status = ordo_graph_borrow_device_arrays(&a, "cuda", &g);
            ordo_memory_fail_after(0);
            ck_assert_msg(!status || status == ORDO_ERR_MEMORY, "%s", ordo_last_error());
            ck_assert_msg(!status || ordo_memory_now() == before, "%llu bytes are left behind",
                          (unsigned long long)(ordo_memory_now() - before));
            ck_assert_int_eq(released, status ? tries + 1 : tries);
        }
        ck_assert_int_gt(tries, 4);
        ordo_graph_free(g);
        char text[32];
        status = ORDO_ERR_MEMORY;
        for (int bytes = 0; status && bytes < 1 << 16; bytes += 8) {
            snprintf(text, sizeof text, "%d", bytes);
            setenv("FAKE_MEMORY", text, 1);
            status = ordo_graph_borrow_device_arrays(&a, "cuda", &g);
            ck_assert_msg(!status || (status == ORDO_ERR_MEMORY && strstr(ordo_last_error(), "device 'cuda'")), "%s",
                          ordo_last_error());
        }
        unsetenv("FAKE_MEMORY");
        ck_assert(!status);
        ordo_graph_free(g);
    }
    ordo_session_free(s);
}
END_TEST

START_TEST(passes_that_are_refused)
{
    ordo_session *s = make(1);
    ordo_item *list;
    const numbers on = {0};
    ordo_each each = {.state = &on, .count = 11};
    ck_assert(!ordo_session_array(s, NULL, 10, sizeof *list, (void **)&list));
    REFUSED(ordo_session_each(s, NULL, NULL), ORDO_ERR_USAGE, "no pass given");
    REFUSED(ordo_session_each(s, &each, NULL), ORDO_ERR_USAGE, "no pass given");
    each.pass = &least_of_pass;
    each.items = list;
    REFUSED(ordo_session_each(s, &each, NULL), ORDO_ERR_USAGE, "items: 44 bytes, and 40 to the end");
    each.items = NULL;
    each.selected = list;
    REFUSED(ordo_session_each(s, &each, NULL), ORDO_ERR_USAGE, "selected items: 44 bytes");
    each.selected = NULL;
    each.reserved[1] = 3;
    REFUSED(ordo_session_each(s, &each, NULL), ORDO_ERR_USAGE, "found 3 in reserved[1]");
    each.reserved[1] = 0;
    each.state = NULL;
    REFUSED(ordo_session_each(s, &each, NULL), ORDO_ERR_USAGE, "no state given");
    each.state = &on;
    ordo_graph *g = small_graph(ORDO_NONE);
    each.reversed = g;
    REFUSED(ordo_session_each(s, &each, NULL), ORDO_ERR_USAGE, "11 items, and a graph of 5 vertices");
    each.reversed = NULL;
    ordo_graph_free(g);
    if (is_on_gpu())
        REFUSED(ordo_session_each(s, &each, NULL), ORDO_ERR_UNSOUND, "'least_of' was not compiled for device 'cuda'");
    ordo_session_free(s);
}
END_TEST

/* ---- runs ---- */

/* Breadth-first search in the session from the first `count` items, on the levels that are there. */
static ordo_status search_from(ordo_session *s, const ordo_graph *g, ordo_u32 *level, ordo_item *from, ordo_u64 count,
                               ordo_stats *stats)
{
    const bfs_state bfs = {.limit = 0xfffffffeu};
    const ordo_u64 n = ordo_graph_out(g)->n;
    const ordo_work work = {.op = ordo_operator_find("bfs"),
                            .graph = g,
                            .cells = level,
                            .state = &bfs,
                            .num_items = n,
                            .targets = n,
                            .initial = from,
                            .initial_count = count,
                            .session = s};
    return ordo_run(&work, &(ordo_options){.scheduler = "bsp", .threads = 1}, stats);
}

/* Likewise from `source`. */
static ordo_status search(ordo_session *s, const ordo_graph *g, ordo_u32 *level, ordo_item *from, ordo_vid source,
                          ordo_stats *stats)
{
    const ordo_u32 zero = 0;
    ordo_status status = ordo_session_write(s, level + source, &zero, sizeof zero);
    if (!status)
        status = ordo_session_write(s, from, &source, sizeof source);
    return status ? status : search_from(s, g, level, from, 1, stats);
}

START_TEST(runs_share_arrays)
{
    ordo_graph *g;
    ordo_stats stats = {0};
    ck_assert(!ordo_graph_generate(&(ordo_generate_options){.kind = "grid", .width = 30, .height = 20}, &g));
    const ordo_u64 n = ordo_graph_out(g)->n;
    ordo_u32 *level, *got = calloc(n, sizeof *got), *expected = calloc(n, sizeof *expected);
    const ordo_vid sources[2] = {5, 301};
    ordo_item *from;
    ordo_session *s = make(1);
    ck_assert(!ordo_session_array(s, NULL, n, sizeof *level, (void **)&level));
    ck_assert(!ordo_session_array(s, NULL, 1, sizeof *from, (void **)&from));
    memset(got, 0xff, n * sizeof *got);
    ck_assert(!ordo_session_write(s, level, got, n * sizeof *got));
    for (int i = 0; i < 2; i++) { /* the second run goes on from the first one's levels */
        ck_assert_msg(!search(s, g, level, from, sources[i], &stats), "%s", ordo_last_error());
        ck_assert_str_eq(stats.backend, is_on_gpu() ? "cuda" : "cpu");
        ordo_stats_free(&stats);
    }
    ck_assert(!ordo_session_read(s, got, level, n * sizeof *got));
    memset(expected, 0xff, n * sizeof *expected);
    for (int i = 0; i < 2; i++) {
        ordo_u32 *one = calloc(n, sizeof *one);
        ck_assert(!ordo_bfs(g, sources[i], 1e30, NULL, one, NULL, NULL));
        for (ordo_u64 v = 0; v < n; v++)
            expected[v] = one[v] < expected[v] ? one[v] : expected[v];
        free(one);
    }
    ck_assert_mem_eq(got, expected, n * sizeof *got);
    if (is_on_gpu()) {
        ordo_u32 *few;
        ck_assert(!ordo_session_array(s, NULL, n - 1, sizeof *few, (void **)&few));
        REFUSED(search(s, g, few, from, 0, NULL), ORDO_ERR_USAGE, "cells: 2400 bytes, and 2396 to the end");
        REFUSED(search(s, g, got, from, 0, NULL), ORDO_ERR_USAGE, "not within an array of the session");
        REFUSED(search_from(s, g, level, from, ((ordo_u64)1 << 62) + 1, NULL), ORDO_ERR_USAGE, "initial items");
    }
    ordo_session_free(s);
    ordo_graph_free(g);
    free(got);
    free(expected);
}
END_TEST

/* An array of the session with those elements. */
static void *copy_in(ordo_session *s, const void *from, ordo_u64 count, size_t size)
{
    void *at;
    ck_assert(!ordo_session_array(s, NULL, count, size, &at));
    ck_assert(!ordo_session_write(s, at, from, count * size));
    return at;
}

/* Of a critical operator: what is on 0 goes along the path 0, 1, 2, as far as edges hold it. A second run goes on from
 * the first one's arrays. The chosen sync is explained by a sample of requests only where the host can read them. */
START_TEST(critical_runs_share_arrays)
{
    enum { N = 4, SINK = 3 };
    static const ordo_u32 row[N + 1] = {0, 1, 3, 5, 6}, height[N] = {3, 2, 1, 0};
    static const discharge_edge edge[] = {{1, 1, 100}, {0, 0, 0}, {2, 3, 100}, {1, 2, 0}, {3, 5, 7}, {2, 4, 0}};
    const discharge_progress begin = {.limit = N};
    const ordo_item first = 0;
    ordo_u64 excess[N] = {5};
    ordo_session *s = make(1);
    const discharge_state state = {.row = copy_in(s, row, N + 1, sizeof *row),
                                   .edge = copy_in(s, edge, 6, sizeof *edge),
                                   .height = copy_in(s, height, N, sizeof *height),
                                   .current = copy_in(s, row, N, sizeof *row),
                                   .excess = copy_in(s, excess, N, sizeof *excess),
                                   .progress = copy_in(s, &begin, 1, sizeof begin),
                                   .budget = 1000,
                                   .vertices = N,
                                   .edges = 6,
                                   .heights = N + 1,
                                   .source = N,
                                   .sink = SINK};
    const ordo_work work = {.op = ordo_operator_find("discharge"),
                            .state = &state,
                            .num_items = N,
                            .targets = N,
                            .initial = copy_in(s, &first, 1, sizeof first),
                            .initial_count = 1,
                            .session = s};
    const ordo_options options = {.scheduler = "near_far", .sync = "auto", .threads = 1};
    for (int i = 0; i < 2; i++) {
        ordo_stats stats = {0};
        ck_assert_msg(!ordo_run(&work, &options, &stats), "%s", ordo_last_error());
        ck_assert_str_eq(stats.backend, is_on_gpu() ? "cuda" : "cpu");
        ck_assert_msg(!strstr(stats.chosen, "targets asked for") == is_on_gpu(), "'%s'", stats.chosen);
        ordo_stats_free(&stats);
        ck_assert(!ordo_session_read(s, excess, state.excess, sizeof excess));
        ck_assert_uint_eq(excess[SINK], i ? 7 : 5); /* the last edge holds 7 */
        excess[0] += 4;
        ck_assert(!ordo_session_write(s, state.excess, excess, sizeof *excess));
        ck_assert(!ordo_session_write(s, state.height, height, sizeof height));
        ck_assert(!ordo_session_write(s, state.current, row, N * sizeof *row));
        ck_assert(!ordo_session_write(s, state.progress, &begin, sizeof begin));
    }
    ordo_session_free(s);
}
END_TEST

/* ---- faults ---- */

/* A whole session, with a graph of its own. */
static ordo_status whole(ordo_graph *g)
{
    ordo_pass_instance instance;
    const ordo_pass pass = with(&degree_sum_pass, &instance, degree_sum_kernel);
    const numbers on = {0};
    ordo_session *s = NULL;
    ordo_u32 *level = NULL;
    ordo_item *from = NULL;
    ordo_found found;
    ordo_stats stats = {0};
    ordo_status status = ordo_session_make(device(), 1, &s);
    if (!status)
        status = ordo_session_array(s, NULL, 5, sizeof *level, (void **)&level);
    if (!status)
        status = ordo_session_array(s, NULL, 1, sizeof *from, (void **)&from);
    if (!status)
        status = ordo_session_each(s, &(ordo_each){.pass = &pass, .state = &on, .count = 5, .graph = g}, &found);
    for (int i = 0; i < 2 && !status; i++) { /* the second run uses the first one's memory again */
        status = search(s, g, level, from, 0, &stats);
        ordo_stats_free(&stats);
    }
    ordo_session_free(s);
    return status;
}

START_TEST(each_allocation_fails)
{
    ordo_u64 k = 0;
    ordo_graph *g = small_graph(ORDO_NONE);
    ordo_status status = whole(g); /* what is kept by the process is there */
    ck_assert_msg(!status, "%s", ordo_last_error());
    ordo_graph_free(g);
    do {
        g = small_graph(ORDO_NONE);
        const ordo_u64 before = ordo_memory_now();
        ordo_memory_fail_after(++k);
        status = whole(g);
        ordo_memory_fail_after(0);
        ck_assert_msg(!status || status == ORDO_ERR_MEMORY, "%s", ordo_last_error());
        const ordo_u64 kept = ordo_memory_now() - before; /* with the graph */
        ck_assert_msg(kept < 1000, "%llu bytes are left behind", (unsigned long long)kept);
        ordo_graph_free(g);
    } while (status && k < 1000);
    ck_assert_int_gt((int)k, 3);
}
END_TEST

START_TEST(too_little_device_memory)
{
    if (!is_on_gpu())
        return;
    ordo_status status = ORDO_ERR_MEMORY;
    char text[32];
    for (int bytes = 0; status && bytes < 4 << 20; bytes += 997) {
        ordo_graph *g = small_graph(ORDO_NONE);
        snprintf(text, sizeof text, "%d", bytes);
        setenv("FAKE_MEMORY", text, 1);
        status = whole(g);
        ck_assert_msg(!status || (status == ORDO_ERR_MEMORY && strstr(ordo_last_error(), "device 'cuda'")), "%d: %s",
                      bytes, ordo_last_error());
        ordo_graph_free(g);
        unsetenv("FAKE_MEMORY");
    }
    ck_assert_int_eq(status, ORDO_OK);
}
END_TEST

/* A clearing of memory fails: what the run had taken is freed once. */
START_TEST(memory_is_not_cleared)
{
    if (!is_on_gpu())
        return;
    ordo_status status = ORDO_ERR_DEVICE;
    char text[32];
    for (int k = 1; status; k++) {
        ck_assert_int_lt(k, 100);
        ordo_graph *g = small_graph(ORDO_NONE);
        snprintf(text, sizeof text, "%d", k);
        setenv("FAKE_UNCLEARED", text, 1);
        status = whole(g);
        unsetenv("FAKE_UNCLEARED");
        ck_assert_msg(!status || status == ORDO_ERR_DEVICE || status == ORDO_ERR_MEMORY, "%d: %s", k,
                      ordo_last_error());
        ordo_graph_free(g);
    }
}
END_TEST

/* Memory that others free after the session's first run is there for its later ones. */
START_TEST(memory_that_is_freed_later)
{
    if (!is_on_gpu())
        return;
    ordo_graph *small = small_graph(ORDO_NONE), *large;
    ck_assert(!ordo_graph_generate(&(ordo_generate_options){.kind = "grid", .width = 300, .height = 200}, &large));
    ordo_session *s = make(1);
    ordo_u32 *level;
    ordo_item *from;
    setenv("FAKE_MEMORY", "600000", 1); /* the rows of the large graph take 2.4 MB */
    ck_assert(!ordo_session_array(s, NULL, 60000, sizeof *level, (void **)&level));
    ck_assert(!ordo_session_array(s, NULL, 1, sizeof *from, (void **)&from));
    ck_assert_msg(!search(s, small, level, from, 0, NULL), "%s", ordo_last_error());
    ck_assert_int_eq(search(s, large, level, from, 0, NULL), ORDO_ERR_MEMORY);
    setenv("FAKE_MEMORY", "10000000", 1);
    ck_assert_msg(!search(s, large, level, from, 0, NULL), "%s", ordo_last_error());
    unsetenv("FAKE_MEMORY");
    ordo_session_free(s);
    ordo_graph_free(small);
    ordo_graph_free(large);
}
END_TEST

/* A kernel of another run does not end: the session fails at once and does not wait for it. */
START_TEST(after_a_lost_kernel)
{
    if (!is_on_gpu())
        return;
    ordo_graph *g = small_graph(ORDO_NONE);
    ordo_session *s = make(1);
    ordo_u32 *array, level[5] = {0};
    ordo_found found;
    ordo_pass_instance instance;
    const ordo_pass pass = with(&degree_sum_pass, &instance, degree_sum_kernel);
    const numbers on = {0};
    const bfs_state bfs = {.limit = 0xfffffffeu};
    ck_assert(!ordo_session_array(s, NULL, 5, sizeof *array, (void **)&array));
    const ordo_work work = {
        .op = ordo_operator_find("bfs"), .graph = g, .cells = level, .state = &bfs, .num_items = 5, .targets = 5};
    setenv("ORDO_FAULT", "deaf", 1);
    const ordo_options options = {.scheduler = "bsp", .device = "cuda", .timeout = 0.1};
    REFUSED(ordo_run(&work, &options, NULL), ORDO_ERR_TIMEOUT, "still runs");
    REFUSED(ordo_session_read(s, level, array, sizeof level), ORDO_ERR_DEVICE, "cannot use the GPU any more");
    REFUSED(ordo_session_write(s, array, level, sizeof level), ORDO_ERR_DEVICE, "cannot use the GPU any more");
    REFUSED(ordo_session_array(s, NULL, 5, sizeof *array, (void **)&array), ORDO_ERR_DEVICE, "any more");
    REFUSED(ordo_session_each(s, &(ordo_each){.pass = &pass, .state = &on, .count = 5, .graph = g}, &found),
            ORDO_ERR_DEVICE, "cannot use the GPU any more");
    ordo_session_free(s);
}
END_TEST

/* ---- runs side by side ---- */

typedef struct pair_of_runs {
    const ordo_graph *graph;
    pthread_barrier_t begin;
    const ordo_u32 *expected; /* [n] */
} pair_of_runs;

/* Pulls, so that the run needs in-rows. NULL, or what went wrong. */
static void *run_beside(void *arg)
{
    pair_of_runs *p = arg;
    const ordo_u64 n = ordo_graph_out(p->graph)->n;
    ordo_u32 *level = malloc(n * sizeof *level);
    const bfs_state bfs = {.limit = 0xfffffffeu};
    const ordo_item from = 0;
    const ordo_work work = {.op = ordo_operator_find("bfs"),
                            .graph = p->graph,
                            .cells = level,
                            .state = &bfs,
                            .num_items = n,
                            .targets = n,
                            .initial = &from,
                            .initial_count = 1};
    memset(level, 0xff, n * sizeof *level);
    level[0] = 0;
    pthread_barrier_wait(&p->begin);
    const ordo_status status =
        ordo_run(&work, &(ordo_options){.scheduler = "topology", .device = device(), .threads = 1}, NULL);
    char *wrong = NULL;
    if (status)
        wrong = strdup(ordo_last_error());
    else if (memcmp(level, p->expected, n * sizeof *level) != 0)
        wrong = strdup("wrong levels");
    free(level);
    return wrong;
}

/* Two runs on a graph that is new to the device: its rows are copied once, and nothing is left behind. */
START_TEST(two_runs_on_one_graph)
{
    enum { ROUNDS = 60 / BRIEFER };
    if (is_on_gpu())
        setenv("FAKE_MEMORY", "800000", 1); /* a round takes 460 kB, in-rows 200 kB of them */
    for (int round = 0; round < ROUNDS; round++) {
        ordo_graph *g;
        pthread_t thread[2];
        void *wrong[2];
        const ordo_generate_options options = {
            .kind = "urand", .scale = 13, .degree = 4, .edges = {.seed = (ordo_u64)round}};
        ck_assert_msg(!ordo_graph_generate(&options, &g), "%s", ordo_last_error());
        ordo_u32 *expected = malloc(ordo_graph_out(g)->n * sizeof *expected);
        ck_assert(!ordo_bfs(g, 0, 1e30, NULL, expected, NULL, NULL));
        pair_of_runs p = {.graph = g, .expected = expected};
        ck_assert(!pthread_barrier_init(&p.begin, NULL, 2));
        for (int i = 0; i < 2; i++)
            ck_assert(!pthread_create(&thread[i], NULL, run_beside, &p));
        for (int i = 0; i < 2; i++) {
            ck_assert(!pthread_join(thread[i], &wrong[i]));
            ck_assert_msg(!wrong[i], "round %d: %s", round, (char *)wrong[i]);
        }
        pthread_barrier_destroy(&p.begin);
        ordo_graph_free(g);
        free(expected);
    }
    unsetenv("FAKE_MEMORY");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("session");
    TCase *tests = tcase_create("session");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, arrays_and_copies);
    tcase_add_test(tests, sessions_that_are_refused);
    tcase_add_loop_test(tests, passes_fold_and_select, 0, 21);
    tcase_add_test(tests, passes_read_rows);
    tcase_add_test(tests, rows_on_the_device);
    tcase_add_test(tests, rows_on_the_device_that_are_refused);
    tcase_add_test(tests, rows_on_the_device_without_memory);
    tcase_add_test(tests, passes_that_are_refused);
    tcase_add_test(tests, runs_share_arrays);
    tcase_add_test(tests, critical_runs_share_arrays);
    tcase_add_test(tests, each_allocation_fails);
    tcase_add_test(tests, too_little_device_memory);
    tcase_add_test(tests, memory_is_not_cleared);
    tcase_add_test(tests, memory_that_is_freed_later);
    tcase_add_test(tests, after_a_lost_kernel);
    tcase_add_test(tests, two_runs_on_one_graph);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
