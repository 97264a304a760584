/* points_to_test.c -- points-to analysis: files, what is refused, and answers against a loop over all constraints of
 * small programs, on matrices of bits, until nothing changes.
 */
#include "tests/common/random.h"
#include "tests/common/suite.h"

#include <string.h>

#include <ordo/memory.h>
#include <ordo/points_to.h>

/* ---- files ---- */

static const struct damage {
    const char *text, *wrong;
} damages[] = {
    {"", ": found an empty file"},
    {"\n", ":2: found end of file, expected 'VARIABLES CONSTRAINTS'"},
    {"# only\n\n", ":3: found end of file, expected 'VARIABLES CONSTRAINTS'"},
    {"x 1\n", ":1: found 'x', expected a number of variables from 0 to"},
    {"-3 1\n", ":1: found '-3', expected a number of variables from 0 to"},
    {"99999999999999999999 1\n", "expected a number of variables from 0 to"},
    {"4000000000 1\n0 1 2 0 0\n", "expected at most 4096 variables for each of"},
    {"3\n", ":1: found end of line, expected a number of constraints from 0 to"},
    {"3 1000000\n0 1 2 0 0\n", "expected no more constraints than a file of"},
    {"3 1 4\n", ":1: found '4', expected the end of the line"},
    {"3 2\n0 1 2 0 0\n", ":3: found end of file, expected 2 constraints, of which 1 are there"},
    {"3 1\n0 1 2 0 0\n1 1 2 0 0\n", ":3: found '1', expected the end of the file behind 1 constraints"},
    {"3 1\n0 3 2 0 0\n", ":2: found '3', expected a source from 0 to 2"},
    {"3 1\n0 1 3 0 0\n", ":2: found '3', expected a destination from 0 to 2"},
    {"3 1\n0 1 -2 0 0\n", ":2: found '-2', expected a destination from 0 to 2"},
    {"3 1\n0 1 2 4 0\n", ":2: found '4', expected a type (address of, copy, load, store) from 0 to 3"},
    {"3 1\n0 1 2 1 5\n", ":2: found '5', expected an offset from 0 to 0"},
    {"3 1\n0 1 2 1\n", ":2: found end of line, expected an offset from 0 to 0"},
    {"3 1\n0 1 2 1 0 0\n", ":2: found '0', expected the end of the line"},
    {"3 1\n0 1x 2 1 0\n", ":2: found '1x', expected a source from 0 to 2"},
    {"0 1\n0 0 0 0 0\n", ":2: found '0', expected no constraint: there are no variables"},
};

START_TEST(files_are_refused)
{
    const struct damage *d = &damages[_i];
    ordo_constraints c = {0};
    const char *path = put_text("c.txt", d->text);
    ck_assert_int_eq(ordo_constraints_read(path, &c), ORDO_ERR_INPUT);
    ck_assert_msg(strstr(ordo_last_error(), path) == ordo_last_error() && strstr(ordo_last_error(), d->wrong),
                  "found '%s', expected '%s'", ordo_last_error(), d->wrong);
    ck_assert_ptr_null(c.list);
}
END_TEST

START_TEST(files_are_read)
{
    ordo_constraints c, again;
    const ordo_u64 before = ordo_memory_now();
    const char *text = "# variables, constraints\n 4,3\r\n\n0,1,2,0,0\n# a copy\n7\t3 0 1 0\n2 2 2 3 0";
    ck_assert_msg(!ordo_constraints_read(put_text("c.txt", text), &c), "%s", ordo_last_error());
    const ordo_constraint list[] = {{1, 2, ORDO_ADDRESS_OF}, {3, 0, ORDO_COPY}, {2, 2, ORDO_STORE}};
    ck_assert_uint_eq(c.variables, 4);
    ck_assert_uint_eq(c.count, 3);
    ck_assert_mem_eq(c.list, list, sizeof list);
    ck_assert_msg(!ordo_constraints_write(path_of("again.txt"), &c), "%s", ordo_last_error());
    ck_assert_msg(!ordo_constraints_read(path_of("again.txt"), &again), "%s", ordo_last_error());
    ck_assert_uint_eq(again.count, 3);
    ck_assert_mem_eq(again.list, list, sizeof list);
    ordo_constraints_free(&c);
    ordo_constraints_free(&again);
    ck_assert_uint_eq(ordo_memory_now(), before);
    ck_assert_int_eq(ordo_constraints_read(path_of("absent"), &c), ORDO_ERR_IO);
}
END_TEST

/* ---- answers ---- */

static ordo_u32 below(ordo_u32 limit)
{
    return next_random() % limit;
}

enum { N = 700, MOST = 900 };
static bool points[N][N];

static bool include(ordo_u32 n, ordo_u32 from, ordo_u32 to)
{
    bool grown = false;
    for (ordo_u32 o = 0; o < n; o++) {
        grown = grown || (points[from][o] && !points[to][o]);
        points[to][o] = points[to][o] || points[from][o];
    }
    return grown;
}

/* All constraints again and again, until none adds anything. */
static void naive(const ordo_constraints *c)
{
    memset(points, 0, sizeof points);
    for (bool grown = true; grown;) {
        grown = false;
        for (ordo_u64 i = 0; i < c->count; i++) {
            const ordo_u32 s = c->list[i].source, d = c->list[i].destination;
            if (c->list[i].kind == ORDO_ADDRESS_OF) {
                grown = grown || !points[d][s];
                points[d][s] = true;
            } else if (c->list[i].kind == ORDO_COPY) {
                grown |= include(c->variables, s, d);
            }
            for (ordo_u32 o = 0; o < c->variables; o++) {
                if (c->list[i].kind == ORDO_LOAD && points[s][o])
                    grown |= include(c->variables, o, d);
                if (c->list[i].kind == ORDO_STORE && points[d][o])
                    grown |= include(c->variables, s, o);
            }
        }
    }
}

static void check_sets(const ordo_constraints *c, const ordo_points_to_sets *s)
{
    ck_assert_uint_eq(s->variables, c->variables);
    for (ordo_u32 v = 0; v < c->variables; v++) {
        ck_assert_uint_lt(s->set[v], s->sets);
        ordo_u64 at = s->row[s->set[v]];
        for (ordo_u32 o = 0; o < c->variables; o++)
            if (points[v][o]) {
                ck_assert_uint_lt(at, s->row[s->set[v] + 1]);
                ck_assert_uint_eq(s->object[at++], o);
            }
        ck_assert_uint_eq(at, s->row[s->set[v] + 1]);
    }
}

/* Small and dense, or so many variables that sets have several chunks. */
static ordo_constraints draw(ordo_constraint *list)
{
    const bool wide = below(10) == 0;
    ordo_constraints c = {.variables = wide ? 300 + below(N - 300) : 1 + below(30), .list = list};
    c.count = wide ? c.variables : below(MOST / 10);
    const ordo_u32 shares[] = {10 + below(60), 20 + below(30), 1 + below(20), 1 + below(20)};
    for (ordo_u64 i = 0; i < c.count; i++) {
        ordo_u32 drawn = below(shares[0] + shares[1] + shares[2] + shares[3]), kind = 0;
        while (drawn >= shares[kind])
            drawn -= shares[kind++];
        list[i] = (ordo_constraint){below(c.variables), below(c.variables), kind};
    }
    return c;
}

START_TEST(random_programs)
{
    const int trials = 120 / SLOWER;
    ordo_constraint list[MOST];
    ordo_u64 facts = 0, added = 0, joined = 0;
    const ordo_u64 before = ordo_memory_now();
    seed = (ordo_u64)_i * 1000 + 1;
    for (int t = 0; t < trials; t++) {
        const ordo_constraints c = draw(list);
        ordo_points_to_sets sets;
        ordo_points_to_found found;
        const ordo_options options = {.threads = (const int[]){1, 2, 3, 8}[t % 4]};
        ck_assert_msg(!ordo_points_to(&c, 0, &options, &sets, &found), "%s", ordo_last_error());
        naive(&c);
        check_sets(&c, &sets);
        ck_assert_msg(!ordo_points_to_verify(&c, &sets), "%s", ordo_last_error());
        facts += sets.row[sets.sets];
        added += found.added;
        joined += found.joined;
        if (sets.row[sets.sets]) { /* the verifier sees a damaged object, and one that is missing */
            const ordo_u64 at = below((ordo_u32)sets.row[sets.sets]);
            sets.object[at] ^= 1;
            ck_assert_int_eq(ordo_points_to_verify(&c, &sets), ORDO_ERR_VERIFY);
            sets.object[at] ^= 1;
            for (ordo_u32 k = 0; k < sets.sets; k++)
                sets.row[k + 1] -= sets.row[k + 1] > at;
            ck_assert_int_eq(ordo_points_to_verify(&c, &sets), ORDO_ERR_VERIFY);
        }
        ordo_points_to_free(&sets);
    }
    ck_assert_uint_gt(facts, (ordo_u64)trials * 10);
    ck_assert_uint_gt(added, (ordo_u64)trials);
    ck_assert_uint_gt(joined, (ordo_u64)trials);
    ck_assert_uint_eq(ordo_memory_now(), before);
}
END_TEST

START_TEST(made_programs)
{
    ordo_constraints c, other;
    ordo_points_to_sets sets;
    ordo_points_to_found found;
    ck_assert_int_eq(ordo_constraints_generate(3000, 3000, 1, &c), ORDO_OK);
    ck_assert_int_eq(ordo_constraints_generate(3000, 3000, 2, &other), ORDO_OK);
    ck_assert_int_ne(memcmp(c.list, other.list, 3000 * sizeof *c.list), 0);
    ordo_u32 kinds[ORDO_CONSTRAINT_KINDS] = {0};
    for (ordo_u64 i = 0; i < c.count; i++)
        kinds[c.list[i].kind]++;
    ck_assert_uint_gt(kinds[ORDO_COPY], 1300);
    ck_assert_uint_gt(kinds[ORDO_STORE], 250);
    ck_assert_msg(!ordo_points_to(&c, 0, &(ordo_options){.threads = 4}, &sets, &found), "%s", ordo_last_error());
    ck_assert_msg(!ordo_points_to_verify(&c, &sets), "%s", ordo_last_error());
    ck_assert_uint_gt(found.added, 0);
    ordo_points_to_free(&sets);
    ordo_constraints_free(&c);
    ordo_constraints_free(&other);
    ck_assert_int_eq(ordo_constraints_generate(1, 5, 1, &c), ORDO_ERR_USAGE);
}
END_TEST

/* A cycle that only a load and a store close, and one of copies that is as long as the program: all share one set. */
START_TEST(cycles)
{
    enum { LONG = 100000 };
    ordo_constraint *list = ordo_alloc(LONG + 4, sizeof *list);
    ordo_u64 count = 0;
    for (ordo_u32 v = 4; v < LONG; v++)
        list[count++] = (ordo_constraint){v, v + 1 < LONG ? v + 1 : 4, ORDO_COPY};
    list[count++] = (ordo_constraint){0, 1, ORDO_ADDRESS_OF}; /* 1 = &0; 2 = *1; *1 = 2: 0 and 2 are on a cycle */
    list[count++] = (ordo_constraint){1, 2, ORDO_LOAD};
    list[count++] = (ordo_constraint){2, 1, ORDO_STORE};
    list[count++] = (ordo_constraint){3, LONG / 2, ORDO_ADDRESS_OF};
    for (int threads = 1; threads <= 3; threads++) {
        const ordo_constraints c = {.variables = LONG, .count = count, .list = list};
        ordo_points_to_sets sets;
        ordo_points_to_found found;
        ck_assert_msg(!ordo_points_to(&c, 0, &(ordo_options){.threads = threads}, &sets, &found), "%s",
                      ordo_last_error());
        ck_assert_uint_eq(found.joined, LONG - 5);
        ck_assert_uint_lt(found.rounds, 10);
        ck_assert_uint_eq(sets.set[4], sets.set[LONG - 1]);
        ck_assert_uint_eq(sets.row[sets.set[4] + 1] - sets.row[sets.set[4]], 1);
        ck_assert_uint_eq(sets.object[sets.row[sets.set[4]]], 3);
        ck_assert_uint_eq(sets.set[2], 0);
        ordo_points_to_free(&sets);
    }
    ordo_free(list);
}
END_TEST

START_TEST(refusals)
{
    static const volatile int cancel = 1;
    ordo_constraint list[] = {{0, 1, ORDO_ADDRESS_OF}, {1, 2, ORDO_COPY}, {9, 0, ORDO_COPY}};
    ordo_constraints c = {.variables = 3, .count = 3, .list = list};
    ordo_points_to_sets sets = {0};
    ck_assert_int_eq(ordo_points_to(&c, 0, NULL, &sets, NULL), ORDO_ERR_INPUT);
    list[2] = (ordo_constraint){0, 0, 4};
    ck_assert_int_eq(ordo_points_to(&c, 0, NULL, &sets, NULL), ORDO_ERR_INPUT);
    list[2].kind = ORDO_LOAD;
    ck_assert_int_eq(ordo_points_to(&c, 0, &(ordo_options){.cancel = &cancel}, &sets, NULL), ORDO_ERR_CANCELLED);
    ck_assert_int_eq(ordo_points_to(&c, 0, &(ordo_options){.timeout = 1e-12}, &sets, NULL), ORDO_ERR_TIMEOUT);
    ck_assert_int_eq(ordo_points_to(NULL, 0, NULL, &sets, NULL), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_points_to(&c, 1, NULL, &sets, NULL), ORDO_ERR_MEMORY);
    ck_assert_msg(strstr(ordo_last_error(), "bytes that they may take") != NULL, "%s", ordo_last_error());
    ck_assert_ptr_null(sets.row);
}
END_TEST

START_TEST(memory_that_is_missing)
{
    ordo_constraints c;
    ordo_points_to_sets sets;
    ck_assert_int_eq(ordo_constraints_generate(600, 600, 1, &c), ORDO_OK);
    const ordo_u64 before = ordo_memory_now();
    for (int threads = 1; threads <= 2; threads++) {
        const ordo_options options = {.threads = threads};
        ordo_status status = ORDO_ERR_MEMORY;
        ordo_u64 n = 0;
        for (; status == ORDO_ERR_MEMORY && n < 1000; n++) {
            ordo_memory_fail_after(n + 1);
            status = ordo_points_to(&c, 0, &options, &sets, NULL);
            ordo_memory_fail_after(0);
            if (status)
                ck_assert_uint_eq(ordo_memory_now(), before);
        }
        ck_assert_int_eq(status, ORDO_OK);
        ck_assert_uint_gt(n, 15);
        ordo_points_to_free(&sets);
    }
    ordo_constraints_free(&c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("points_to");
    TCase *files = tcase_create("files"), *answers = tcase_create("answers");
    if (!make_folder())
        return EXIT_FAILURE;
    tcase_set_timeout(answers, 300);
    tcase_add_loop_test(files, files_are_refused, 0, (int)(sizeof damages / sizeof damages[0]));
    tcase_add_test(files, files_are_read);
    tcase_add_loop_test(answers, random_programs, 0, 4);
    tcase_add_test(answers, made_programs);
    tcase_add_test(answers, cycles);
    tcase_add_test(answers, refusals);
    if (!UNDER_TSAN)
        tcase_add_test(answers, memory_that_is_missing);
    suite_add_tcase(suite, files);
    suite_add_tcase(suite, answers);
    const int status = run_suite(suite);
    return remove_folder() ? status : EXIT_FAILURE;
}
