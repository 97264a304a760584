/* sat_test.c -- formulas and survey propagation: files, what is refused, and answers against all assignments of small
 * formulas, tried one by one.
 */
#include "tests/common/random.h"
#include "tests/common/suite.h"

#include <string.h>

#include <ordo/memory.h>
#include <ordo/sat.h>

/* ---- files ---- */

static const struct damage {
    const char *text, *wrong;
} damages[] = {
    {"", ": found an empty file"},
    {"\n", ":2: found end of file, expected 'p cnf VARIABLES CLAUSES'"},
    {"c only\n", ":2: found end of file, expected 'p cnf VARIABLES CLAUSES'"},
    {"p dnf 2 1\n1 0\n", ":1: found 'dnf', expected 'p cnf VARIABLES CLAUSES'"},
    {"1 0\n", ":1: found '1', expected 'p cnf VARIABLES CLAUSES'"},
    {"p cnf x 1\n", ":1: found 'x', expected a number of variables, at most"},
    {"p cnf -3 1\n", ":1: found '-3', expected a number of variables, at most"},
    {"p cnf 99999999999999999999 1\n", "expected a number of variables, at most"},
    {"p cnf 1000000000 1\n1 0\n", "expected at most 4096 variables for each of"},
    {"p cnf 3\n", ":1: found end of line, expected a number of clauses, at most"},
    {"p cnf 3 -1\n", ":1: found '-1', expected a number of clauses, at most"},
    {"p cnf 3 2000000000\n1 0\n", "expected no more clauses than a file of"},
    {"p cnf 3 1 4\n1 0\n", ":1: found '4', expected the end of the line"},
    {"p cnf 3 2\n1 2 0\n", ":3: found end of file, expected 2 clauses, of which 1 are there"},
    {"p cnf 3 1\n1 2 0\n3 0\n", ":3: found '3', expected the end of the file behind 1 clauses"},
    {"p cnf 3 1\n1 2\n", ":3: found end of file, expected 0 to end the clause"},
    {"p cnf 3 1\n1 4 0\n", ":2: found '4', expected a variable from 1 to 3"},
    {"p cnf 3 1\n1 -4 0\n", ":2: found '-4', expected a variable from 1 to 3"},
    {"p cnf 3 1\n1 - 0\n", ":2: found '-', expected a variable from 1 to 3"},
    {"p cnf 3 1\n1 -0\n", ":2: found '-0', expected a variable from 1 to 3"},
    {"p cnf 3 1\n1 2x 0\n", ":2: found '2x', expected a variable from 1 to 3"},
    {"p cnf 3 1\n1 99999999999999999999 0\n", ":2: found '99999999999999999999', expected a variable from 1 to 3"},
    {"p cnf 3 1\n1 2.5 0\n", ":2: found '2.5', expected a variable from 1 to 3"},
};

START_TEST(files_are_refused)
{
    const struct damage *d = &damages[_i];
    ordo_formula f = {0};
    const char *path = put_text("f.cnf", d->text);
    ck_assert_int_eq(ordo_formula_read(path, &f), ORDO_ERR_INPUT);
    ck_assert_msg(strstr(ordo_last_error(), path) == ordo_last_error() && strstr(ordo_last_error(), d->wrong),
                  "found '%s', expected '%s'", ordo_last_error(), d->wrong);
    ck_assert_ptr_null(f.row);
}
END_TEST

START_TEST(files_are_read)
{
    ordo_formula f;
    const ordo_u64 before = ordo_memory_now();
    const char *text = "c a comment\n\np  cnf\t4 4\r\n1 -2\n 3 0 -4 0 c 0\nc between\n0\n\n2 2 0\n%\n0\n";
    ck_assert_int_eq(ordo_formula_read(put_text("bad.cnf", text), &f), ORDO_ERR_INPUT); /* 'c' within a line */
    text = "c a comment\n\np  cnf\t4 4\r\n1 -2\n 3 0 -4 0\nc between\n0\n\n2 2 0\n%\n0\n";
    ck_assert_msg(!ordo_formula_read(put_text("f.cnf", text), &f), "%s", ordo_last_error());
    const ordo_u32 row[] = {0, 3, 4, 4, 6}, literal[] = {0, 3, 4, 7, 2, 2};
    ck_assert_uint_eq(f.variables, 4);
    ck_assert_uint_eq(f.clauses, 4);
    ck_assert_mem_eq(f.row, row, sizeof row);
    ck_assert_mem_eq(f.literal, literal, sizeof literal);
    ordo_formula again;
    ck_assert_msg(!ordo_formula_write(path_of("again.cnf"), &f), "%s", ordo_last_error());
    ck_assert_msg(!ordo_formula_read(path_of("again.cnf"), &again), "%s", ordo_last_error());
    ck_assert_mem_eq(again.row, row, sizeof row);
    ck_assert_mem_eq(again.literal, literal, sizeof literal);
    ordo_formula_free(&f);
    ordo_formula_free(&again);
    ck_assert_uint_eq(ordo_memory_now(), before);
    ck_assert_int_eq(ordo_formula_read(path_of("absent.cnf"), &f), ORDO_ERR_IO);
}
END_TEST

START_TEST(generator)
{
    ordo_formula f, g;
    for (ordo_u32 k = 1; k <= 5; k++) {
        ck_assert_int_eq(ordo_formula_generate(6, 200, k, 3, &f), ORDO_OK);
        ck_assert_int_eq(ordo_formula_generate(6, 200, k, 4, &g), ORDO_OK);
        ck_assert_uint_eq(f.row[200], 200 * k);
        ck_assert_int_ne(memcmp(f.literal, g.literal, 200 * k * sizeof *f.literal), 0);
        ordo_u32 negated = 0;
        for (ordo_u32 o = 0; o < 200 * k; o++) {
            ck_assert_uint_lt(f.literal[o], 12);
            negated += f.literal[o] & 1;
            for (ordo_u32 other = o - o % k; other < o; other++)
                ck_assert_uint_ne(f.literal[other] / 2, f.literal[o] / 2);
        }
        ck_assert_uint_gt(negated, 60 * k);
        ck_assert_uint_lt(negated, 140 * k);
        ordo_formula_free(&f);
        ordo_formula_free(&g);
    }
    ck_assert_int_eq(ordo_formula_generate(2, 5, 3, 1, &f), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_formula_generate(200, 5, 65, 1, &f), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_formula_generate(200, (ordo_u64)1 << 40, 3, 1, &f), ORDO_ERR_USAGE);
}
END_TEST

/* ---- answers ---- */

static ordo_u32 below(ordo_u32 limit)
{
    return next_random() % limit;
}

enum { MOST_VARIABLES = 10, MOST_CLAUSES = 60, LONGEST = 4 };

/* Clauses of 1 to LONGEST literals, or 0, which may repeat each other or be opposites. */
static void draw(ordo_formula *f, ordo_u32 *row, ordo_u32 *literal)
{
    f->variables = 1 + below(MOST_VARIABLES);
    f->clauses = below(MOST_CLAUSES);
    f->row = row;
    f->literal = literal;
    row[0] = 0;
    for (ordo_u32 c = 0; c < f->clauses; c++) {
        const ordo_u32 size = below(400) == 0 ? 0 : below(12) == 0 ? 1 : 2 + below(LONGEST - 1);
        row[c + 1] = row[c] + size;
        for (ordo_u32 o = row[c]; o < row[c + 1]; o++)
            literal[o] = below(2 * f->variables);
    }
}

static bool satisfies(const ordo_formula *f, ordo_u32 bits)
{
    for (ordo_u32 c = 0; c < f->clauses; c++) {
        bool any = false;
        for (ordo_u32 o = f->row[c]; o < f->row[c + 1]; o++)
            any = any || ((bits >> f->literal[o] / 2 & 1) != (f->literal[o] & 1));
        if (!any)
            return false;
    }
    return true;
}

static const char *const schedulers[] = {"bsp", "topology"};

START_TEST(small_formulas)
{
    const int trials = 400 / SLOWER;
    const ordo_u64 before = ordo_memory_now();
    ordo_u32 row[MOST_CLAUSES + 1], literal[MOST_CLAUSES * LONGEST];
    int satisfiable = 0, proved = 0, impossible = 0;
    seed = (ordo_u64)_i + 1;
    for (int t = 0; t < trials; t++) {
        ordo_formula f;
        ordo_u8 value[MOST_VARIABLES];
        ordo_sat_found found;
        ordo_stats stats = {0};
        draw(&f, row, literal);
        bool possible = false;
        ordo_u32 bits = 0;
        for (ordo_u32 b = 0; b < (ordo_u32)1 << f.variables; b++)
            possible = possible || satisfies(&f, b);
        const ordo_options options = {.scheduler = schedulers[_i % 2], .threads = 1 + t % 3};
        const ordo_sat_query query = {.seed = (ordo_u64)t, .rounds = 50, .tries = 2, .fraction = t % 2 ? 0.3 : 0.05};
        ck_assert_msg(!ordo_sat(&f, &query, &options, value, &found, &stats), "%s", ordo_last_error());
        ordo_stats_free(&stats);
        if (found.answer == ORDO_SAT_SATISFIABLE) {
            for (ordo_u32 v = 0; v < f.variables; v++)
                bits |= (ordo_u32)value[v] << v;
            ck_assert(satisfies(&f, bits));
            ck_assert_int_eq(ordo_sat_verify(&f, value), ORDO_OK);
        }
        if (found.answer == ORDO_SAT_UNSATISFIABLE)
            ck_assert(!possible);
        if (possible) /* so few variables are found by any walk */
            ck_assert_int_eq(found.answer, ORDO_SAT_SATISFIABLE);
        satisfiable += possible;
        impossible += !possible;
        proved += found.answer == ORDO_SAT_UNSATISFIABLE;
    }
    ck_assert_int_gt(satisfiable, trials / 10);
    ck_assert_int_gt(impossible, trials / 20);
    ck_assert_int_gt(proved, 0);
    ck_assert_uint_eq(ordo_memory_now(), before);
}
END_TEST

START_TEST(substitution)
{
    ordo_u32 row[MOST_CLAUSES + 1], literal[MOST_CLAUSES * LONGEST];
    seed = 77;
    for (int t = 0; t < 2000; t++) {
        ordo_formula f;
        ordo_u8 value[MOST_VARIABLES];
        ordo_u32 bits = 0;
        draw(&f, row, literal);
        f.clauses = f.clauses % 5;
        for (ordo_u32 v = 0; v < f.variables; v++) {
            value[v] = (ordo_u8)below(2);
            bits |= (ordo_u32)value[v] << v;
        }
        ck_assert_int_eq(ordo_sat_verify(&f, value), satisfies(&f, bits) ? ORDO_OK : ORDO_ERR_VERIFY);
    }
}
END_TEST

/* Random 3-SAT where local search alone takes long: surveys fix most variables. The same answer for every number of
 * threads. */
START_TEST(surveys_decide)
{
    enum { N = 2000 / (BRIEFER > 2 ? 2 : 1) };
    ordo_formula f;
    ordo_u8 value[2][N];
    ck_assert_int_eq(ordo_formula_generate(N, N * 4, 3, 5, &f), ORDO_OK);
    for (int i = 0; i < 2; i++) {
        ordo_sat_found found;
        ordo_stats stats;
        const ordo_options options = {.scheduler = schedulers[_i], .threads = i ? 3 : 1};
        ck_assert_msg(!ordo_sat(&f, NULL, &options, value[i], &found, &stats), "%s", ordo_last_error());
        ck_assert_int_eq(found.answer, ORDO_SAT_SATISFIABLE);
        ck_assert_int_eq(ordo_sat_verify(&f, value[i]), ORDO_OK);
        ck_assert_uint_gt(found.fixed, N / 20);
        ck_assert_uint_ge(stats.supersteps, found.rounds);
        ck_assert_str_eq(stats.scheduler, schedulers[_i]);
        ck_assert_uint_eq(found.fixed + found.implied + found.searched <= N, 1);
        ordo_stats_free(&stats);
    }
    ck_assert_mem_eq(value[0], value[1], N);
    ordo_formula_free(&f);
}
END_TEST

START_TEST(refusals)
{
    ordo_formula f;
    ordo_u8 value[60];
    ordo_sat_found found;
    static const volatile int cancel = 1;
    ck_assert_int_eq(ordo_formula_generate(60, 240, 3, 1, &f), ORDO_OK);
    ck_assert_int_eq(ordo_sat(&f, &(ordo_sat_query){.fraction = -1}, NULL, value, &found, NULL), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_sat(&f, &(ordo_sat_query){.fraction = 1.5}, NULL, value, &found, NULL), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_sat(&f, NULL, &(ordo_options){.scheduler = "delta"}, value, &found, NULL), ORDO_ERR_UNSOUND);
    ck_assert_int_eq(ordo_sat(&f, NULL, &(ordo_options){.sync = "atomic"}, value, &found, NULL), ORDO_ERR_UNSOUND);
    ck_assert_int_eq(ordo_sat(&f, NULL, &(ordo_options){.scheduler = "none"}, value, &found, NULL), ORDO_ERR_UNKNOWN);
    ck_assert_int_eq(ordo_sat(&f, NULL, &(ordo_options){.cancel = &cancel}, value, &found, NULL), ORDO_ERR_CANCELLED);
    ck_assert_int_eq(ordo_sat(NULL, NULL, NULL, value, &found, NULL), ORDO_ERR_USAGE);
    ordo_formula_free(&f);
}
END_TEST

START_TEST(memory_that_is_missing)
{
    ordo_formula f;
    ordo_u8 value[40];
    ordo_sat_found found;
    ck_assert_int_eq(ordo_formula_generate(40, 150, 3, 1, &f), ORDO_OK);
    const ordo_u64 before = ordo_memory_now();
    ordo_status status = ORDO_ERR_MEMORY;
    ordo_u64 n = 0;
    for (; status == ORDO_ERR_MEMORY && n < 4000; n += BRIEFER) {
        ordo_memory_fail_after(n + 1);
        status = ordo_sat(&f, NULL, &(ordo_options){.threads = 1}, value, &found, NULL);
        ordo_memory_fail_after(0);
        ck_assert_uint_eq(ordo_memory_now(), before);
    }
    ck_assert_int_eq(status, ORDO_OK);
    ck_assert_uint_gt(n, 15);
    ordo_formula_free(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sat");
    TCase *files = tcase_create("files"), *answers = tcase_create("answers");
    if (!make_folder())
        return EXIT_FAILURE;
    tcase_set_timeout(answers, 300);
    tcase_add_loop_test(files, files_are_refused, 0, (int)(sizeof damages / sizeof damages[0]));
    tcase_add_test(files, files_are_read);
    tcase_add_test(files, generator);
    tcase_add_loop_test(answers, small_formulas, 0, 4);
    tcase_add_test(answers, substitution);
    tcase_add_loop_test(answers, surveys_decide, 0, 2);
    tcase_add_test(answers, refusals);
    if (!UNDER_TSAN)
        tcase_add_test(answers, memory_that_is_missing);
    suite_add_tcase(suite, files);
    suite_add_tcase(suite, answers);
    const int status = run_suite(suite);
    return remove_folder() ? status : EXIT_FAILURE;
}
