/* ordo_compare as its callers see it: what it refuses, that every contender runs as often as asked and in no fixed
 * order, which are left out and why, wrong answers, cells, statistics of made-up times, and how it ends early. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

#include "tests/common/sssp_work.h"
#include "tests/common/suite.h"

enum { MANY = 4 };

static ordo_graph *graph;
static ordo_u32 *cells[MANY];
static ordo_item source[MANY];
static ordo_work works[MANY];

static void make_works(void)
{
    ordo_generate_options options = {
        .kind = "grid", .width = 40, .height = 30, .edges.low = 1, .edges.high = 100, .edges.seed = 3};
    ck_assert_int_eq(ordo_graph_generate(&options, &graph), ORDO_OK);
    const ordo_u64 n = ordo_graph_out(graph)->n;
    for (int i = 0; i < MANY; i++) {
        source[i] = (ordo_item)(i * 7);
        cells[i] = malloc(n * sizeof *cells[i]);
        works[i] = sssp_work("sssp_u32", graph, cells[i], &source[i]);
    }
}

static void drop_works(void)
{
    for (int i = 0; i < MANY; i++)
        free(cells[i]);
    ordo_graph_free(graph);
}

/* ---- the caller's operator ---- */

static int checks, wrong_from;

static ordo_status check(void *arg, size_t input, const ordo_work *work)
{
    ck_assert_ptr_eq(arg, &checks);
    ck_assert_ptr_eq(work, &works[input]);
    ck_assert_uint_eq(((const ordo_u32 *)work->cells)[source[input]], 0);
    ck_assert_uint_ne(((const ordo_u32 *)work->cells)[source[input] + 1], 0xffffffffu);
    checks++;
    return wrong_from && checks >= wrong_from ? ordo_fail(ORDO_ERR_VERIFY, "a vertex is wrong") : ORDO_OK;
}

START_TEST(compares_works)
{
    const char *setting = "delta=50";
    ordo_contender contenders[] = {
        {.options.scheduler = "delta"},
        {.options.scheduler = "bsp", .options.sync = "lock"},
        {.label = "narrow", .options = {.scheduler = "adds", .settings = &setting, .setting_count = 1}},
        {.options.scheduler = "topology", .options.threads = 1}};
    ordo_compare_row rows[4];
    ordo_compare_plan plan = {.contenders = contenders,
                              .contender_count = 4,
                              .input_count = MANY,
                              .works = works,
                              .check = check,
                              .arg = &checks,
                              .rounds = 6};
    make_works();
    checks = wrong_from = 0;
    ck_assert_msg(ordo_compare(&plan, rows) == ORDO_OK, "%s", ordo_last_error());
    for (int i = 0; i < 4; i++)
        ck_assert_msg(rows[i].status == ORDO_OK, "%s", rows[i].reason);
    ck_assert_int_eq(checks, 4 * MANY); /* the first of each contender on each input */
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_eq(rows[i].runs, 6 * MANY);
        ck_assert_str_eq(rows[i].scheduler, contenders[i].options.scheduler);
        ck_assert(rows[i].seconds.known && rows[i].seconds.low > 0);
        ck_assert(rows[i].seconds.low <= rows[i].seconds.value && rows[i].seconds.value <= rows[i].seconds.high);
        ck_assert(rows[i].speedup.known == (i > 0));
        ck_assert_msg(rows[i].items >= 1200, "%g items", rows[i].items);
    }
    ck_assert_str_eq(rows[1].sync, "lock");
    ck_assert(rows[0].speedup.value == 1);
    for (int i = 0; i < MANY; i++) { /* as before the call */
        ck_assert_uint_eq(cells[i][source[i]], 0);
        ck_assert_uint_eq(cells[i][source[i] + 1], 0xffffffffu);
    }
    drop_works();
}
END_TEST

START_TEST(finds_wrong_answers)
{
    ordo_contender contenders[] = {{.options.scheduler = "delta"}, {.options.scheduler = "bsp"}};
    ordo_compare_row rows[2];
    ordo_compare_plan plan = {.contenders = contenders,
                              .contender_count = 2,
                              .input_count = 1,
                              .works = works,
                              .check = check,
                              .arg = &checks,
                              .rounds = 2};
    make_works();
    checks = 0;
    wrong_from = 2;
    ck_assert_int_eq(ordo_compare(&plan, rows), ORDO_ERR_VERIFY);
    ck_assert(strstr(ordo_last_error(), "a vertex is wrong") != NULL);
    ck_assert(!rows[0].status != !rows[1].status);
    ck_assert_uint_eq(rows[0].runs + rows[1].runs, 4); /* the rounds go on */
    ck_assert_str_eq(rows[rows[0].status ? 0 : 1].reason, "a vertex is wrong");
    drop_works();
}
END_TEST

/* ---- made-up runs ---- */

enum { FAST, SLOW, ABSENT, LATE, CONTENDERS };

typedef struct script {
    size_t runs, warm_ups, reversed, ends_at;
    size_t last;
    ordo_status end;
    int enough_after;
    volatile int cancel;
} script;

/* SLOW takes twice as long as FAST in each round, which itself varies; ABSENT is unsound; LATE times out in round 1. */
static ordo_status act(void *arg, const ordo_compare_turn *turn, ordo_stats *stats)
{
    static const double common[] = {3, 1, 9, 2, 5, 4, 8};
    script *s = arg;
    if (turn->contender == ABSENT)
        return ordo_fail(ORDO_ERR_UNSOUND, "not sound");
    if (turn->warms_up) {
        s->warm_ups++;
        return ORDO_OK;
    }
    if (turn->contender == LATE && turn->round == 1)
        return ordo_fail(ORDO_ERR_TIMEOUT, "too late");
    s->runs++;
    if (s->end && s->runs == s->ends_at) {
        if (s->end == ORDO_ERR_CANCELLED)
            s->cancel = 1;
        else
            return ordo_fail(s->end, "the end");
    }
    s->reversed += turn->contender == FAST && s->last == SLOW;
    s->last = turn->contender;
    stats->run_seconds = common[turn->round % 7] * (turn->contender == SLOW ? 2 : 1);
    stats->items = 10;
    stats->peak_worklist_bytes = 100 * turn->round;
    stats->scheduler = "made up";
    return ORDO_OK;
}

static bool enough(void *arg, const ordo_compare_row *rows, size_t rounds)
{
    script *s = arg;
    ck_assert_uint_eq(rows[FAST].runs, rounds * 3);
    return (int)rounds == s->enough_after;
}

static ordo_status play(script *s, ordo_compare_plan plan, ordo_compare_row *rows)
{
    static const ordo_contender contenders[CONTENDERS] = {
        {.label = "fast"}, {.label = "slow"}, {.label = "absent"}, {.label = "late"}};
    plan.contenders = contenders;
    plan.contender_count = CONTENDERS;
    plan.input_count = 3;
    plan.run = act;
    plan.arg = s;
    plan.cancel = &s->cancel;
    s->last = CONTENDERS;
    return ordo_compare(&plan, rows);
}

START_TEST(pairs_times)
{
    script s = {0};
    ordo_compare_row rows[CONTENDERS];
    ck_assert_int_eq(play(&s, (ordo_compare_plan){.baseline = SLOW}, rows), ORDO_OK);
    ck_assert_uint_eq(s.warm_ups, 3);
    ck_assert_uint_eq(rows[FAST].runs, 7 * 3);
    ck_assert_uint_eq(rows[SLOW].runs, 7 * 3);
    /* times vary ninefold, their ratio not at all */
    ck_assert_double_eq_tol(rows[FAST].seconds.value, 4, 1e-12);
    ck_assert_double_eq_tol(rows[FAST].speedup.low, 2, 1e-9);
    ck_assert_double_eq_tol(rows[FAST].speedup.high, 2, 1e-9);
    ck_assert_int_eq(ordo_compare_verdict(&rows[FAST].speedup), ORDO_VERDICT_FASTER);
    ck_assert_int_eq(ordo_compare_verdict(&rows[SLOW].speedup), ORDO_VERDICT_UNKNOWN);
    ck_assert_double_eq_tol(rows[FAST].items, 10, 1e-12);
    ck_assert_uint_eq(rows[FAST].worklist_bytes, 600);
    ck_assert(s.reversed > 0 && s.reversed < 7 * 3); /* neither is always first */
    ck_assert_int_eq(rows[ABSENT].status, ORDO_ERR_UNSOUND);
    ck_assert_str_eq(rows[ABSENT].reason, "not sound");
    ck_assert(isnan(rows[ABSENT].seconds.value) && rows[ABSENT].runs == 0);
    ck_assert_int_eq(rows[LATE].status, ORDO_ERR_TIMEOUT);
    ck_assert_uint_eq(rows[LATE].runs, 3); /* of round 0 */
}
END_TEST

START_TEST(ends)
{
    script s = {.enough_after = 4};
    ordo_compare_row rows[CONTENDERS];
    ck_assert_int_eq(play(&s, (ordo_compare_plan){.rounds = 100, .enough = enough, .warmup = -1}, rows), ORDO_OK);
    ck_assert_uint_eq(rows[FAST].runs, 4 * 3);
    ck_assert_uint_eq(s.warm_ups, 0);
    ck_assert(!rows[FAST].speedup.known); /* 4 rounds, 3 inputs */

    s = (script){0}; /* times never get close, so the time decides */
    ck_assert_int_eq(play(&s, (ordo_compare_plan){.rounds = 1, .adaptive = 0.05}, rows), ORDO_OK);
    ck_assert_uint_gt(rows[FAST].runs, 3);

    s = (script){.end = ORDO_ERR_DEVICE, .ends_at = 20};
    ck_assert_int_eq(play(&s, (ordo_compare_plan){0}, rows), ORDO_ERR_DEVICE);
    ck_assert_str_eq(ordo_last_error(), "the end");
    ck_assert_uint_eq(rows[FAST].runs + rows[SLOW].runs + rows[LATE].runs, 19);

    s = (script){.end = ORDO_ERR_CANCELLED, .ends_at = 20};
    ck_assert_int_eq(play(&s, (ordo_compare_plan){0}, rows), ORDO_ERR_CANCELLED);
    ck_assert_uint_eq(rows[FAST].runs + rows[SLOW].runs + rows[LATE].runs, 20);
    ck_assert(!isnan(rows[FAST].seconds.value));
}
END_TEST

static ordo_status cannot(void *arg, const ordo_compare_turn *turn, ordo_stats *stats)
{
    (void)arg;
    (void)stats;
    return ordo_fail(ORDO_ERR_MEMORY, "contender %zu has no memory", turn->contender);
}

START_TEST(refuses)
{
    static const ordo_contender two[2] = {{.label = "a"}, {.label = "b"}};
    ordo_compare_row rows[2];
    ordo_work critical = {.op = ordo_operator_find("bank")};
    const struct {
        ordo_compare_plan plan;
        const char *sentence;
    } table[] = {
        {{.contenders = two, .contender_count = 0, .input_count = 1, .run = act}, "0 contenders"},
        {{.contenders = two, .contender_count = 2, .input_count = 0, .run = act}, "on 0 inputs"},
        {{.contenders = two, .contender_count = 2, .input_count = 1, .run = act, .baseline = 2}, "baseline 2"},
        {{.contenders = two, .contender_count = 2, .input_count = 1}, "either works or a function"},
        {{.contenders = two, .contender_count = 2, .input_count = 1, .run = act, .rounds = -1}, "-1 rounds"},
        {{.contenders = two, .contender_count = 2, .input_count = 1, .run = act, .adaptive = NAN}, "nan seconds"},
        {{.contenders = two, .contender_count = 2, .input_count = (size_t)1 << 33, .run = act}, "2^32"},
        {{.contenders = two, .contender_count = 2, .input_count = 1, .works = &critical}, "expected a relax operator"},
        {{.contenders = two, .contender_count = 2, .input_count = 1, .run = act, .reserved = {1}}, "in reserved[0]"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        ck_assert_int_eq(ordo_compare(&table[i].plan, rows), ORDO_ERR_USAGE);
        ck_assert_msg(strstr(ordo_last_error(), table[i].sentence), "'%s' not in '%s'", table[i].sentence,
                      ordo_last_error());
    }
    ordo_compare_plan none = {.contenders = two, .contender_count = 2, .input_count = 1, .run = cannot};
    ck_assert_int_eq(ordo_compare(&none, rows), ORDO_ERR_MEMORY);
    ck_assert_str_eq(ordo_last_error(), "contender 0 has no memory");
}
END_TEST

START_TEST(out_of_memory)
{
    ordo_contender contenders[] = {{.options.scheduler = "delta"}, {.options.scheduler = "bsp"}};
    ordo_compare_row rows[2];
    ordo_compare_plan plan = {
        .contenders = contenders, .contender_count = 2, .input_count = MANY, .works = works, .rounds = 1};
    make_works();
    const ordo_u64 before = ordo_memory_now();
    for (ordo_u64 n = 1; n < 12; n++) { /* its own allocations, and the first of runs, which leave contenders out */
        ordo_memory_fail_after(n);
        ordo_status status = ordo_compare(&plan, rows);
        ordo_memory_fail_after(0);
        ck_assert_int_eq(status, ORDO_ERR_MEMORY);
        ck_assert_uint_eq(ordo_memory_now(), before);
        for (int i = 0; i < MANY; i++)
            ck_assert(cells[i][source[i]] == 0 && cells[i][source[i] + 1] == 0xffffffffu);
    }
    drop_works();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("compare");
    TCase *tests = tcase_create("compare");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, compares_works);
    tcase_add_test(tests, finds_wrong_answers);
    tcase_add_test(tests, pairs_times);
    tcase_add_test(tests, ends);
    tcase_add_test(tests, refuses);
    tcase_add_test(tests, out_of_memory);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
