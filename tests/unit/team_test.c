/* The thread team: barriers order plain writes, leases are exclusive, many members on few cores make progress. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ordo/scheduler/team.h>

#include "framework/cpu/quota.h"
#include "tests/common/suite.h"

enum { ROUNDS = 200 };

typedef struct relay {
    ordo_team *team;
    int threads;
    ordo_u64 value[64]; /* plain: only the barrier orders it */
    int wrong;
} relay;

/* Every member writes its word, and after the barrier checks the words of all members. */
static void pass_on(void *arg, int member)
{
    relay *r = arg;
    for (ordo_u64 round = 1; round <= ROUNDS; round++) {
        r->value[member] = round * 100 + (ordo_u64)member;
        ordo_team_barrier(r->team);
        for (int t = 0; t < r->threads; t++)
            if (r->value[t] != round * 100 + (ordo_u64)t)
                __atomic_store_n(&r->wrong, 1, __ATOMIC_RELAXED);
        ordo_team_barrier(r->team);
    }
}

START_TEST(barrier_orders_writes)
{
    static const int sizes[] = {1, 2, 3, 8, 33};
    relay r = {.threads = sizes[_i]};
    ck_assert_int_eq(ordo_team_lease(r.threads, &r.team), ORDO_OK);
    ck_assert_int_eq(ordo_team_size(r.team), r.threads);
    for (int again = 0; again < 5; again++)
        ordo_team_run(r.team, pass_on, &r);
    ck_assert_int_eq(r.wrong, 0);
    ordo_team_return(r.team);
}
END_TEST

/* Member 0 goes to the barrier when it has seen all others wait there. */
static void wait_for_others(void *arg, int member)
{
    relay *r = arg;
    while (member == 0 && ordo_team_waiting(r->team) < r->threads - 1)
        ordo_yield();
    ordo_team_barrier(r->team);
}

START_TEST(waiting_members_are_counted)
{
    relay r = {.threads = 5};
    ck_assert_int_eq(ordo_team_lease(r.threads, &r.team), ORDO_OK);
    for (int again = 0; again < 20; again++)
        ordo_team_run(r.team, wait_for_others, &r);
    ck_assert_int_eq(ordo_team_waiting(r.team), 0);
    ordo_team_return(r.team);
}
END_TEST

/* As pass_on, with the barrier in two halves. Member 0 writes and arrives when the others have arrived, so that one
 * that passes early reads an old word. */
static void pass_on_in_halves(void *arg, int member)
{
    relay *r = arg;
    for (ordo_u64 round = 1; round <= ROUNDS; round++) {
        while (member == 0 && ordo_team_waiting(r->team) < r->threads - 1)
            ordo_yield();
        r->value[member] = round * 100 + (ordo_u64)member;
        const ordo_u32 barrier = ordo_team_arrive(r->team);
        if (member == 0 && !ordo_team_passed(r->team, barrier))
            __atomic_store_n(&r->wrong, 1, __ATOMIC_RELAXED);
        while (round % 2 && !ordo_team_passed(r->team, barrier))
            ordo_yield(); /* as other work would; in even rounds it waits at once */
        if (round % 2 == 0)
            ordo_team_await(r->team, barrier);
        for (int t = 0; t < r->threads; t++)
            if (r->value[t] != round * 100 + (ordo_u64)t)
                __atomic_store_n(&r->wrong, 1, __ATOMIC_RELAXED);
        ordo_team_await(r->team, barrier); /* returns at once */
        ordo_team_barrier(r->team);
    }
}

START_TEST(a_barrier_has_two_halves)
{
    static const int sizes[] = {1, 2, 3, 8, 33};
    relay r = {.threads = sizes[_i]};
    ck_assert_int_eq(ordo_team_lease(r.threads, &r.team), ORDO_OK);
    for (int again = 0; again < 5; again++)
        ordo_team_run(r.team, pass_on_in_halves, &r);
    ck_assert_int_eq(r.wrong, 0);
    ck_assert_int_eq(ordo_team_waiting(r.team), 0);
    ordo_team_return(r.team);
}
END_TEST

static void *lease_and_run(void *arg)
{
    (void)arg;
    for (int i = 0; i < 20; i++) {
        relay r = {.threads = 2};
        if (ordo_team_lease(2, &r.team))
            return (void *)1;
        ordo_team_run(r.team, pass_on, &r);
        ordo_team_return(r.team);
        if (r.wrong)
            return (void *)1;
    }
    return NULL;
}

START_TEST(leases_are_exclusive)
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, lease_and_run, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        ck_assert_ptr_null(wrong);
    }
}
END_TEST

START_TEST(returned_teams_are_used_again)
{
    ordo_team *first, *second;
    ck_assert_int_eq(ordo_team_lease(3, &first), ORDO_OK);
    ordo_team_return(first);
    ck_assert_int_eq(ordo_team_lease(3, &second), ORDO_OK);
    ck_assert_ptr_eq(first, second);
    ordo_team_return(second);
}
END_TEST

START_TEST(silly_sizes_are_refused)
{
    ordo_team *team = NULL;
    ck_assert_int_eq(ordo_team_lease(-1, &team), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_team_lease(ORDO_MAX_THREADS + 1, &team), ORDO_ERR_USAGE);
    ck_assert_ptr_null(team);
    ck_assert_int_eq(ordo_team_lease(0, &team), ORDO_OK);
    ck_assert_int_eq(ordo_team_size(team), ordo_cores());
    ordo_team_return(team);
}
END_TEST

START_TEST(split_covers_all_once)
{
    for (ordo_u64 count = 0; count < 50; count++)
        for (int members = 1; members < 9; members++) {
            ordo_u64 expected = 0;
            for (int member = 0; member < members; member++) {
                ordo_u64 begin, end;
                ordo_split(count, members, member, &begin, &end);
                ck_assert_uint_eq(begin, expected);
                ck_assert_uint_ge(end, begin);
                ck_assert_uint_le(end - begin, count / (ordo_u64)members + 1);
                expected = end;
            }
            ck_assert_uint_eq(expected, count);
        }
}
END_TEST

/* What a file of the folder `at` holds; NULL: there is no such file. */
static void file_has(const char *at, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", at, name);
    unlink(path);
    FILE *f = text ? fopen(path, "w") : NULL;
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

START_TEST(limits_of_control_groups)
{
    static const struct {
        const char *both, *time, *period; /* of version 2; of version 1 */
        int cores;
    } cases[] = {
        {NULL, NULL, NULL, INT_MAX},
        {"max 100000\n", NULL, NULL, INT_MAX},
        {"100000 100000\n", NULL, NULL, 1},
        {"150000 100000\n", NULL, NULL, 2},
        {"1000 100000\n", NULL, NULL, 1},
        {"6400000 100000\n", NULL, NULL, 64},
        {"9000000000000000000 1\n", NULL, NULL, INT_MAX},
        {"100000 0\n", NULL, NULL, INT_MAX},
        {"100000\n", NULL, NULL, INT_MAX},
        {"", NULL, NULL, INT_MAX},
        {NULL, "-1\n", "100000\n", INT_MAX},
        {NULL, "250000\n", "100000\n", 3},
        {NULL, "250000\n", NULL, INT_MAX},
    };
    char at[] = "/tmp/ordo-team-XXXXXX", below[64];
    ck_assert_ptr_nonnull(mkdtemp(at));
    snprintf(below, sizeof below, "%s/cpu", at);
    ck_assert_int_eq(mkdir(below, 0700), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        file_has(at, "cpu.max", cases[i].both);
        file_has(below, "cpu.cfs_quota_us", cases[i].time);
        file_has(below, "cpu.cfs_period_us", cases[i].period);
        ck_assert_msg(ordo_quota_cores(at) == cases[i].cores, "case %zu: %d, expected %d", i, ordo_quota_cores(at),
                      cases[i].cores);
    }
    file_has(at, "cpu.max", NULL);
    file_has(below, "cpu.cfs_quota_us", NULL);
    file_has(below, "cpu.cfs_period_us", NULL);
    rmdir(below);
    rmdir(at);
    ck_assert_int_le(ordo_cores(), ordo_quota_cores("/sys/fs/cgroup"));
    ck_assert_int_ge(ordo_cores(), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("team");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, barrier_orders_writes, 0, 5);
    tcase_add_test(tests, waiting_members_are_counted);
    tcase_add_loop_test(tests, a_barrier_has_two_halves, 0, 5);
    tcase_add_test(tests, leases_are_exclusive);
    tcase_add_test(tests, returned_teams_are_used_again);
    tcase_add_test(tests, silly_sizes_are_refused);
    tcase_add_test(tests, split_covers_all_once);
    tcase_add_test(tests, limits_of_control_groups);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
