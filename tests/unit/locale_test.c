/* locale_test.c -- numbers are read and printed the same in every locale.
 *
 * A program that calls the library may choose a locale whose decimal separator is a comma, before its first call or
 * between two calls. The locale is compiled into a folder of the test by localedef; without that program, or without
 * the sources of locales, the test is skipped (77) and says so.
 */
#include "tests/common/suite.h"

#include <locale.h>
#include <math.h>
#include <string.h>

#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

#include "framework/run/number.h"

static bool make_locale(void)
{
    char command[256];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", folder);
    if (system(command) < 0) /* 1: made, with warnings; what counts is whether it can be used */
        return false;
    setenv("LOCPATH", folder, 1);
    bool made = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    char text[16];
    snprintf(text, sizeof text, "%.1f", 0.5);
    setlocale(LC_ALL, "C");
    return made && !strcmp(text, "0,5");
}

static void in_comma(void)
{
    ck_assert_ptr_nonnull(setlocale(LC_ALL, "de_DE.UTF-8"));
    ck_assert_str_eq(localeconv()->decimal_point, ",");
}

/* Shortest paths of a graph of the file under a scheduler, with a fraction among its settings; what the statistics say
 * of that setting. */
static void run(const char *scheduler, const char *setting, const char *name, const char *shown)
{
    ordo_graph *g = NULL;
    ck_assert_msg(!ordo_graph_read(path_of("in.wel"), NULL, &g), "%s", ordo_last_error());
    ck_assert_int_eq(ordo_sssp_type(g), ORDO_F32);
    const char *settings[] = {setting};
    ordo_options options = {
        .scheduler = scheduler, .threads = 2, .settings = settings, .setting_count = setting != NULL};
    ordo_stats stats = {0};
    ordo_f32 dist[3];
    ck_assert_msg(!ordo_sssp(g, 0, INFINITY, &options, dist, NULL, &stats), "%s", ordo_last_error());
    ck_assert(dist[1] == 0.5f && dist[2] == 0.5f + 1.25f);
    bool found = !name;
    for (int i = 0; i < stats.setting_count && name; i++)
        if (!strcmp(stats.settings[i].name, name)) {
            ck_assert_str_eq(stats.settings[i].value, shown);
            found = true;
        }
    ck_assert(found);
    ordo_stats_free(&stats);
    ordo_graph_free(g);
}

static void use_everything(void)
{
    const ordo_scheduler *all[64];
    size_t count = ordo_schedulers(all, 64);
    for (size_t i = 0; i < count; i++)
        run(all[i]->name, NULL, NULL, NULL);
    run("delta", "delta=0.75", "delta", "0.75");
    run("adds", "factor=0.625", "factor", "0.625");
    run("auto", NULL, NULL, NULL);

    ordo_graph *g = NULL, *back = NULL;
    ordo_generate_options grid = {.kind = "grid", .width = 9, .height = 9, .keep = 0.5, .edges.seed = 2};
    ordo_graph_info info;
    ck_assert_int_eq(ordo_graph_generate(&grid, &g), ORDO_OK);
    ordo_graph_get_info(g, &info);
    ck_assert_str_eq(info.source, "grid --width 9 --height 9 --keep 0.5 --seed 2");
    ordo_graph_free(g);

    ordo_edge_entry edge = {0, 1, 0};
    const ordo_f32 weight = 0.1f;
    memcpy(&edge.weight, &weight, sizeof weight);
    ck_assert_int_eq(ordo_graph_from_edges(2, &edge, 1, ORDO_F32, ORDO_AS_STORED, 1, &g), ORDO_OK);
    static const char *const names[] = {"out.wel", "out.mtx"};
    for (int i = 0; i < 2; i++) {
        char text[256] = "";
        ck_assert_int_eq(ordo_graph_write(g, path_of(names[i])), ORDO_OK);
        FILE *f = fopen(path_of(names[i]), "r");
        text[fread(text, 1, sizeof text - 1, f)] = 0;
        fclose(f);
        ck_assert_ptr_nonnull(strstr(text, " 0.1"));
        ck_assert_ptr_null(strchr(text, ','));
        ck_assert_int_eq(ordo_graph_read(path_of(names[i]), NULL, &back), ORDO_OK);
        ck_assert(*(const ordo_f32 *)ordo_graph_out(back)->weight == weight);
        ordo_graph_free(back);
    }
    ordo_graph_free(g);

    grid.keep = 1.5;
    ck_assert_int_eq(ordo_graph_generate(&grid, &g), ORDO_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "1.5"));
}

START_TEST(numbers)
{
    double value = 7;
    char text[32];
    static const char *const bad[] = {"",      "0,5", "1.5x", " 1",     "1 ",    "nan", "0x10", "1e",
                                      "1e999", "--1", "+",    "1e-999", "1.2.3", "e5",  ".",    "inff"};
    for (int comma = 0; comma < 2; comma++) {
        if (comma)
            in_comma();
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
            ck_assert_msg(!ordo_parse_real(bad[i], &value) && value == 7, "'%s' is no number", bad[i]);
        ck_assert(ordo_parse_real("-0.125e1", &value) && value == -1.25);
        ck_assert(ordo_parse_real(".5", &value) && value == 0.5);
        ck_assert(ordo_parse_real("INF", &value) && isinf(value));
        value = 7;
        ck_assert_int_eq(ordo_format(text, sizeof text, "%.2f|%g", 0.25, 1e-7), 10);
        ck_assert_str_eq(text, "0.25|1e-07");
    }
    /* the locale of the caller is what it was */
    snprintf(text, sizeof text, "%.1f", 0.5);
    ck_assert_str_eq(text, "0,5");
}
END_TEST

START_TEST(a_comma_before_the_first_call)
{
    in_comma();
    use_everything();
}
END_TEST

START_TEST(a_comma_between_calls)
{
    setlocale(LC_ALL, "C");
    use_everything();
    in_comma();
    use_everything();
    setlocale(LC_ALL, "C");
    use_everything();
}
END_TEST

int main(void)
{
    if (!make_folder())
        return EXIT_FAILURE;
    FILE *f = fopen(path_of("in.wel"), "w");
    fputs("0 1 0.5\n1 2 1.25\n", f);
    fclose(f);
    if (!make_locale()) {
        printf("skipped: localedef cannot make a locale with decimal commas here\n");
        return remove_folder() ? 77 : EXIT_FAILURE;
    }
    Suite *suite = suite_create("locale");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_comma_before_the_first_call);
    tcase_add_test(all, a_comma_between_calls);
    tcase_add_test(all, numbers);
    tcase_set_timeout(all, 120);
    suite_add_tcase(suite, all);
    int status = run_suite(suite);
    return remove_folder() ? status : EXIT_FAILURE;
}
