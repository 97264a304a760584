/* The contention sample of a critical operator's targets, and what --sync auto chooses by it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/run.h>
#include <ordo/scheduler/scheduler.h>

#include "operators/bank.h"
#include "operators/hash_table.h"
#include "operators/sgd.h"
#include "tests/common/suite.h"

enum { MOST = 200000 };

static ordo_u32 bucket[MOST], next[MOST], head[MOST];

static ordo_work table_of(ordo_u64 elements, ordo_u32 buckets, hash_table_state *state)
{
    ordo_u64 x = 7;
    for (ordo_u64 i = 0; i < elements; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        bucket[i] = (ordo_u32)((x >> 33) % buckets);
        next[i] = HASH_TABLE_FREE;
    }
    for (ordo_u32 b = 0; b < buckets; b++)
        head[b] = HASH_TABLE_END;
    *state = (hash_table_state){bucket, next, head};
    return (ordo_work){
        .op = ordo_operator_find("hash_table"), .state = state, .num_items = elements, .targets = buckets};
}

START_TEST(counts_targets)
{
    static const ordo_u32 sizes[] = {1, 2, 32, 1000, 30000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        hash_table_state state;
        ordo_contention_sample s;
        const ordo_work work = table_of(MOST, sizes[i], &state);
        ck_assert_int_eq(ordo_contention_sample_make(work.op, &state, NULL, MOST, &s), ORDO_OK);
        ck_assert_msg(fabs(s.targets / sizes[i] - 1) < 0.1, "%u buckets, found %g", sizes[i], s.targets);
        ck_assert_uint_le(s.count, sizes[i]);
        if (sizes[i] <= 1000)
            ck_assert_uint_eq(s.count, sizes[i]);
        ordo_contention_sample_free(&s);
    }
}
END_TEST

/* Half of all elements go to bucket 7: two of them meet there in a quarter of all cases; the next hottest is 3. */
START_TEST(knows_the_hottest)
{
    hash_table_state state;
    ordo_contention_sample s;
    ordo_work work = table_of(MOST, 100000, &state);
    for (ordo_u64 i = 0; i < MOST; i++)
        bucket[i] = i % 2 ? 7 : i % 16 == 0 ? 3 : bucket[i];
    ck_assert_int_eq(ordo_contention_sample_make(work.op, &state, NULL, MOST, &s), ORDO_OK);
    ck_assert_msg(s.targets > 3 && s.targets < 5, "found %g", s.targets);
    ck_assert_uint_eq(s.target[0], 7);
    ck_assert_uint_eq(s.target[1], 3);
    ordo_contention_sample_free(&s);
    ordo_item few[] = {0, 16, 32}; /* those alone: one bucket */
    ck_assert_int_eq(ordo_contention_sample_make(work.op, &state, few, 3, &s), ORDO_OK);
    ck_assert_msg(s.targets > 0.9 && s.targets < 1.1 && s.count == 1 && s.target[0] == 3, "found %g", s.targets);
    ordo_contention_sample_free(&s);
    ck_assert_int_eq(ordo_contention_sample_make(work.op, &state, NULL, 0, &s), ORDO_OK);
    ck_assert(s.targets == 0 && s.count == 0);
    ordo_contention_sample_free(&s);
}
END_TEST

/* What was chosen for so many buckets. */
static void expect(ordo_u32 buckets, const char *scheduler, int threads, const char *chosen, const char *sync)
{
    hash_table_state state;
    ordo_stats stats = {0};
    const ordo_options options = {.scheduler = scheduler, .sync = "auto", .threads = threads};
    const ordo_work work = table_of(20000, buckets, &state);
    ck_assert_msg(ordo_run(&work, &options, &stats) == ORDO_OK, "%s", ordo_last_error());
    ck_assert_str_eq(stats.scheduler, chosen);
    ck_assert_str_eq(stats.sync, sync);
    ck_assert_msg(strstr(stats.chosen, "targets asked for") != NULL, "%s", stats.chosen);
    ck_assert_uint_eq(stats.useful, 20000);
    ordo_stats_free(&stats);
}

START_TEST(sync_is_chosen)
{
    expect(8, NULL, 2, "lock_server", "server");
    expect(8, "auto", 2, "lock_server", "server");
    expect(50000, NULL, 2, "bsp", "lock");
    expect(8, NULL, 1, "bsp", "lock");                        /* one thread: no contention */
    expect(8, "bsp", 2, "bsp", "lock");                       /* has no servers */
    expect(50000, "lock_server", 2, "lock_server", "server"); /* has nothing else */
}
END_TEST

/* Sections that need two targets at once are better off under locks on a CPU, however few there are. */
START_TEST(pairs_are_locked)
{
    sgd_rating rating[100];
    ordo_u32 done[100] = {0};
    ordo_f32 factor[8] = {0};
    for (ordo_u32 i = 0; i < 100; i++)
        rating[i] = (sgd_rating){i % 2, i / 2 % 2, 1};
    sgd_state state = {.rating = rating, .done = done, .factor = factor, .users = 2, .rank = 2, .epoch = 1};
    ordo_work work = {.op = ordo_operator_find("sgd"), .state = &state, .num_items = 100, .targets = 4};
    ordo_options options = {.sync = "auto", .threads = 2};
    ordo_stats stats = {0};
    ck_assert_msg(ordo_run(&work, &options, &stats) == ORDO_OK, "%s", ordo_last_error());
    ck_assert_str_eq(stats.sync, "lock");
    ordo_stats_free(&stats);
    work.state = NULL;
    ck_assert_int_eq(ordo_run_check(&work, &options), ORDO_ERR_USAGE);
    ordo_item wrong = 100;
    work.state = &state;
    work.initial = &wrong;
    work.initial_count = 1;
    ck_assert_int_eq(ordo_run_check(&work, &options), ORDO_ERR_USAGE);
}
END_TEST

START_TEST(relax_operators_have_their_own)
{
    const ordo_u64 row[] = {0, 1, 1};
    const ordo_u32 to[] = {1};
    const ordo_csr rows = {.n = 2, .m = 1, .row = row, .head = to, .stride = 1, .weight_type = ORDO_NONE};
    ordo_graph *g;
    ck_assert_int_eq(ordo_graph_borrow(&rows, false, &g), ORDO_OK);
    ordo_u32 cells[] = {0, 1};
    const ordo_work work = {.op = ordo_operator_find("cc"), .graph = g, .cells = cells, .num_items = 2, .targets = 2};
    const ordo_options options = {.scheduler = "bsp", .sync = "auto", .threads = 1};
    ordo_stats stats = {0};
    ck_assert_msg(ordo_run(&work, &options, &stats) == ORDO_OK, "%s", ordo_last_error());
    ck_assert_str_eq(stats.sync, "atomic");
    ck_assert_uint_eq(cells[1], 0);
    ordo_stats_free(&stats);
    ordo_graph_free(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("survey");
    TCase *tc = tcase_create("survey");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, counts_targets);
    tcase_add_test(tc, knows_the_hottest);
    tcase_add_test(tc, sync_is_chosen);
    tcase_add_test(tc, pairs_are_locked);
    tcase_add_test(tc, relax_operators_have_their_own);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
