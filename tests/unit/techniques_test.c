/* techniques_test.c -- whether what techniques.h says of properties is what the library refuses and allows, for all
 * operators of the library; and whether ways of listing process what they should. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

#include "tests/common/suite.h"
#include "techniques.h"

#define ROW(_section, _technique, _scheduler, _sync, _settings, _kind, _needs, _derived, _why)                         \
    {_technique, _scheduler, _sync, _settings, _kind, _needs, _derived},
static const struct {
    const char *technique, *scheduler, *sync, *settings;
    int kind;
    unsigned needs;
    int derived;
} techniques[] = {TECHNIQUES(ROW)};

static ordo_status ask(const ordo_operator *op, int row)
{
    static const ordo_eid offset[2];
    static const ordo_vid head[1];
    static _Alignas(16) char cells[64], state[4096];
    const ordo_csr csr = {.n = 1, .row = offset, .head = head, .stride = 1, .weight_type = ORDO_NONE};
    ordo_graph *g = borrowed(&csr, true);
    const ordo_work work = {.op = op, .graph = g, .cells = cells, .state = state, .num_items = 1, .targets = 1};
    char text[128];
    const char *settings[8];
    ordo_options options = {.scheduler = techniques[row].scheduler, .sync = techniques[row].sync, .settings = settings};
    snprintf(text, sizeof text, "%s", techniques[row].settings);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        settings[options.setting_count++] = word;
    const ordo_status status = ordo_run_check(&work, &options);
    ordo_graph_free(g);
    return status;
}

START_TEST(operators_run_by_their_properties)
{
    const ordo_operator *op[256];
    const size_t count = ordo_operators(op, 256);
    int allowed = 0;
    ck_assert(count > 0 && count <= 256);
    for (size_t i = 0; i < count; i++) {
        const unsigned lacks = techniques[_i].needs & ~op[i]->properties;
        if (op[i]->kind != techniques[_i].kind)
            continue;
        const ordo_status status = ask(op[i], _i);
        ck_assert_msg(status == ORDO_OK || status == ORDO_ERR_UNSOUND, "%s, %s: %s", techniques[_i].technique,
                      op[i]->name, ordo_last_error());
        ck_assert_msg(!lacks || status, "%s, %s: allowed, but a property is lacking", techniques[_i].technique,
                      op[i]->name);
        ck_assert_msg(lacks || techniques[_i].derived || !status, "%s, %s: %s", techniques[_i].technique, op[i]->name,
                      ordo_last_error());
        allowed += !status;
    }
    ck_assert_msg(allowed > 0, "%s: no operator may run", techniques[_i].technique);
}
END_TEST

/* Every way of listing, with and without duplicates, in chunks and with donation: the same distances; and with dedup=on
 * an item is in a superstep at most once, so there are no more items than vertices times supersteps. */
START_TEST(ways_of_listing_give_the_same)
{
    static const char *const appends[] = {"append=buffer", "append=atomic", "append=warp", "append=prefix",
                                          "append=scatter"};
    static const char *const dedups[] = {"dedup=auto", "dedup=on", "dedup=off"};
    static const char *const balances[] = {"balance=chunks", "balance=donate"};
    ordo_graph *graph;
    const ordo_generate_options make = {.kind = _i % 2 ? "rmat" : "grid",
                                        .scale = 11,
                                        .width = 40,
                                        .height = 50,
                                        .degree = 8,
                                        .edges = {.low = 1, .high = 255, .seed = 7}};
    ck_assert_msg(!ordo_graph_generate(&make, &graph), "%s", ordo_last_error());
    const ordo_csr *g = ordo_graph_out(graph);
    ordo_u32 *expected = malloc(g->n * sizeof *expected), *dist = malloc(g->n * sizeof *dist);
    ordo_vid source = 0;
    while (g->row[source + 1] == g->row[source])
        source++;
    ordo_options options = {.scheduler = "delta", .threads = 1};
    ck_assert(!ordo_sssp(graph, source, INFINITY, &options, expected, NULL, NULL));
    for (int way = 0; way < 5 * 3 * 2; way++) {
        const char *const settings[] = {appends[way % 5], dedups[way / 5 % 3], balances[way / 15]};
        if (way % 5 == 4 && way / 5 % 3 == 2)
            continue; /* scatter lists once */
        ordo_stats stats = {0};
        options = (ordo_options){.scheduler = "bsp", .threads = 1 + _i, .settings = settings, .setting_count = 3};
        ck_assert_msg(!ordo_sssp(graph, source, INFINITY, &options, dist, NULL, &stats), "%s", ordo_last_error());
        ck_assert_msg(!memcmp(dist, expected, g->n * sizeof *dist), "%s %s %s", settings[0], settings[1], settings[2]);
        if (way / 5 % 3 == 1 || way % 5 == 4)
            ck_assert_msg(stats.items + stats.stale <= stats.supersteps * g->n, "%s %s %s: %llu items", settings[0],
                          settings[1], settings[2], (unsigned long long)stats.items);
        ordo_stats_free(&stats);
    }
    free(expected);
    free(dist);
    ordo_graph_free(graph);
}
END_TEST

/* Racy stores are sound where a superstep stores one value, so bsp asks for initial items of one value: other ones end
 * before anything is stored. An item without a value proposes nothing, and may be there. */
START_TEST(racy_initial_items_have_one_value)
{
    static const ordo_eid row[] = {0, 1, 2, 3, 3};
    static const ordo_vid head[] = {3, 2, 3};
    static const ordo_item initial[] = {0, 1, 2};
    static const char *const scatter[] = {"append=scatter"};
    const ordo_csr csr = {.n = 4, .m = 3, .row = row, .head = head, .stride = 1, .weight_type = ORDO_NONE};
    struct {
        ordo_u32 limit;
    } state = {~0u};
    ordo_graph *g = borrowed(&csr, false);
    const ordo_options options = {
        .scheduler = "bsp", .sync = "racy", .threads = 2, .settings = scatter, .setting_count = (size_t)_i};
    ordo_u32 level[] = {0, 0, ~0u, ~0u};
    const ordo_work work = {.op = ordo_operator_find("bfs"),
                            .graph = g,
                            .cells = level,
                            .state = &state,
                            .num_items = 4,
                            .targets = 4,
                            .initial = initial,
                            .initial_count = 3};
    ck_assert_msg(!ordo_run(&work, &options, NULL), "%s", ordo_last_error());
    ck_assert(level[2] == 1 && level[3] == 1);
    level[1] = 5;
    level[2] = ~0u;
    ck_assert_int_eq(ordo_run(&work, &options, NULL), ORDO_ERR_UNSOUND);
    ck_assert_msg(strstr(ordo_last_error(), "initial items of one value, found others in cells 0 and 1"), "%s",
                  ordo_last_error());
    ck_assert(level[1] == 5 && level[2] == ~0u);
    ordo_graph_free(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("techniques");
    TCase *tc = tcase_create("techniques");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, operators_run_by_their_properties, 0, (int)(sizeof techniques / sizeof techniques[0]));
    tcase_add_loop_test(tc, ways_of_listing_give_the_same, 0, 4);
    tcase_add_loop_test(tc, racy_initial_items_have_one_value, 0, 2);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
