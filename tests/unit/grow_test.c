/* Graphs that change, as callers see them: bounds, errors, what is handed back, cancelling, memory. That runs are right
 * under every scheduler and sync is for tests/grow/grow.c.
 */
#include <ordo/scheduler/scheduler.h>

#include "tests/common/suite.h"
#include "tests/grow/reference.h"

static ordo_graph *graph_of(const char *kind, ordo_u64 vertices)
{
    ordo_graph *g;
    const ordo_generate_options options = {.kind = kind, .vertices = vertices, .edges.direction = ORDO_SYMMETRISE};
    ck_assert_int_eq(ordo_graph_generate(&options, &g), ORDO_OK);
    return g;
}

/* A vertex without edges. */
static ordo_graph *one_vertex(void)
{
    static const ordo_eid row[2] = {0, 0};
    const ordo_csr one = {.n = 1, .row = row, .stride = 1};
    ordo_graph *g;
    ck_assert_int_eq(ordo_graph_borrow(&one, false, &g), ORDO_OK);
    return g;
}

static const ordo_item first_item = 0;

static ordo_status solve_on(const ordo_graph *g, ordo_u32 wide, ordo_u32 high, const ordo_options *options,
                            ordo_u32 *cells)
{
    const puzzle_state state = {wide, high};
    const ordo_work work = {.op = &puzzle_operator,
                            .graph = g,
                            .cells = cells,
                            .state = &state,
                            .num_items = 1,
                            .targets = 1,
                            .initial = &first_item,
                            .initial_count = 1};
    cells[0] = 0;
    return ordo_run(&work, options, NULL);
}

static ordo_status solve(ordo_u32 wide, ordo_u32 high, const ordo_options *options, ordo_u32 *cells)
{
    ordo_graph *g = one_vertex();
    const ordo_status status = solve_on(g, wide, high, options, cells);
    ordo_graph_free(g);
    return status;
}

/* What is known of the board of 3 by 3: how many positions there are, and how many of them take the most moves. */
START_TEST(test_all_positions)
{
    static const char *const scheduler[] = {"delta", "bsp"};
    enum { POSITIONS = 181440 };
    ordo_additions added = {.most_edges = 4 * POSITIONS, .most_items = POSITIONS - 1};
    ordo_u32 *cells = malloc(POSITIONS * sizeof *cells), hardest = 0, count = 0;
    const ordo_options options = {.scheduler = scheduler[_i], .threads = 2, .additions = &added};
    ck_assert_msg(solve(3, 3, &options, cells) == ORDO_OK, "%s", ordo_last_error());
    ck_assert_uint_eq(added.items, POSITIONS - 1);
    ck_assert_uint_eq(added.edges, 483840); /* 24 moves of 9 places of the empty square, over 9 */
    for (int i = 0; i < POSITIONS; i++)
        hardest = cells[i] > hardest ? cells[i] : hardest;
    for (int i = 0; i < POSITIONS; i++)
        count += cells[i] == hardest;
    ck_assert_uint_eq(hardest, 31);
    ck_assert_uint_eq(count, 2);
    ordo_additions_free(&added);
    free(cells);
}
END_TEST

/* One less than what is needed fails, names the bound, and changes nothing of the graph; what is needed is enough. */
START_TEST(test_bounds)
{
    ordo_u32 cells[360];
    const ordo_u64 before = ordo_memory_now();
    for (int threads = 1; threads <= 8; threads += 7) {
        ordo_additions added = {.most_edges = 840, .most_items = 358};
        const ordo_options options = {.threads = threads, .additions = &added};
        ck_assert_int_eq(solve(3, 2, &options, cells), ORDO_ERR_MEMORY);
        ck_assert_str_eq(ordo_last_error(), "operator 'puzzle' makes more than 358 new items: raise "
                                            "ordo_additions.most_items (--new-items)");
        ck_assert_int_eq(ordo_status_exit(ORDO_ERR_MEMORY), 4);
        ck_assert_uint_eq(added.items + added.edges, 0);
        added = (ordo_additions){.most_edges = 839, .most_items = 359};
        ck_assert_int_eq(solve(3, 2, &options, cells), ORDO_ERR_MEMORY);
        ck_assert_str_eq(ordo_last_error(), "operator 'puzzle' makes more than 839 new edges: raise "
                                            "ordo_additions.most_edges (--new-edges)");
        added = (ordo_additions){.most_edges = 840, .most_items = 359};
        ck_assert_msg(solve(3, 2, &options, cells) == ORDO_OK, "%s", ordo_last_error());
        ck_assert_uint_eq(added.items, 359);
        ck_assert_uint_eq(added.edges, 840);
        ordo_additions_free(&added);
        ck_assert_uint_eq(added.most_edges, 840); /* bounds stay */
    }
    ck_assert_uint_eq(ordo_memory_now(), before);
}
END_TEST

/* A second run adds to the graph, not to what the first has added; the first one's is freed. */
START_TEST(test_again)
{
    ordo_u32 cells[360];
    ordo_additions added = {.most_edges = 840, .most_items = 359};
    const ordo_options options = {.threads = 2, .additions = &added};
    const ordo_u64 before = ordo_memory_now();
    ck_assert_int_eq(solve(3, 2, &options, cells), ORDO_OK);
    ck_assert_int_eq(solve(2, 2, &options, cells), ORDO_OK);
    ck_assert_uint_eq(added.items, 11);
    ck_assert_uint_eq(added.edges, 24);
    ordo_additions_free(&added);
    ck_assert_uint_eq(ordo_memory_now(), before);
}
END_TEST

static ordo_work labels_of(const ordo_graph *g, ordo_u32 *cells)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    for (ordo_vid v = 0; v < n; v++)
        cells[v] = v;
    return (ordo_work){.op = &shortcuts_operator, .graph = g, .cells = cells, .num_items = n, .targets = n};
}

/* Labels jump: supersteps are few. And the default bound is enough. */
START_TEST(test_few_supersteps)
{
    enum { N = 1024 };
    ordo_graph *g = graph_of("path", N);
    ordo_u32 cells[N];
    ordo_stats stats;
    const ordo_work work = labels_of(g, cells);
    ck_assert_msg(ordo_run(&work, &(ordo_options){.scheduler = "bsp", .threads = 2}, &stats) == ORDO_OK, "%s",
                  ordo_last_error());
    for (int v = 0; v < N; v++)
        ck_assert_uint_eq(cells[v], 0);
    ck_assert_msg(stats.supersteps < 40, "%llu supersteps", (unsigned long long)stats.supersteps);
    ordo_stats_free(&stats);
    ordo_graph_free(g);
}
END_TEST

/* The graph of the run is as it was; the other one has what was added. */
START_TEST(test_grown_graph)
{
    ordo_graph *g = graph_of("path", 50), *grown, *other = graph_of("path", 51);
    ordo_graph_info was, is;
    ordo_u32 cells[51];
    ordo_additions added = {0};
    const ordo_work work = labels_of(g, cells);
    ordo_graph_get_info(g, &was);
    ck_assert_int_eq(ordo_run(&work, &(ordo_options){.additions = &added}, NULL), ORDO_OK);
    ordo_graph_get_info(g, &is);
    ck_assert_uint_eq(was.checksum, is.checksum);
    ck_assert_uint_gt(added.edges, 0);
    ck_assert_int_eq(ordo_additions_graph(g, &added, 1, &grown), ORDO_OK);
    ck_assert_uint_eq(ordo_graph_out(grown)->m, was.edges + added.edges);
    ck_assert_uint_eq(ordo_graph_out(grown)->n, 50);
    ck_assert_int_eq(ordo_additions_graph(other, &added, 1, &grown), ORDO_ERR_USAGE);
    ordo_additions_free(&added);
    ordo_graph_free(grown);
    ordo_graph_free(other);
    ordo_graph_free(g);
}
END_TEST

/* With weights: those of the graph, and of what was added. */
START_TEST(test_grown_weights)
{
    const ordo_edge_entry edge[] = {{0, 1, 7}, {1, 2, 8}};
    ordo_graph *g, *grown;
    ordo_u32 cells[6], expected[3];
    const detours_state state = {3};
    ordo_additions added = {.most_items = 3};
    ck_assert_int_eq(ordo_graph_from_edges(3, edge, 2, ORDO_U32, ORDO_AS_STORED, 1, &g), ORDO_OK);
    const ordo_work work = {.op = &detours_operator,
                            .graph = g,
                            .cells = cells,
                            .state = &state,
                            .num_items = 3,
                            .targets = 3,
                            .initial = &first_item,
                            .initial_count = 1};
    memset(cells, 0xff, sizeof cells);
    cells[0] = 0;
    ck_assert_msg(ordo_run(&work, &(ordo_options){.additions = &added}, NULL) == ORDO_OK, "%s", ordo_last_error());
    reference_detours(ordo_graph_out(g), 0, expected);
    ck_assert_mem_eq(cells, expected, sizeof expected);
    ck_assert_int_eq(ordo_additions_graph(g, &added, 1, &grown), ORDO_OK);
    const ordo_csr *rows = ordo_graph_out(grown);
    ck_assert_uint_eq(rows->n, 3 + added.items);
    ck_assert_int_eq(rows->weight_type, ORDO_U32);
    ordo_u64 sum = 0, expected_sum = 15;
    for (ordo_eid e = 0; e < rows->m; e++)
        sum += *(const ordo_u32 *)ordo_csr_weight_at(rows, e);
    for (ordo_u64 i = 0; i < added.edges; i++)
        expected_sum += added.edge[i].weight[0];
    ck_assert_uint_eq(sum, expected_sum);
    ordo_additions_free(&added);
    ordo_graph_free(grown);
    ordo_graph_free(g);
}
END_TEST

static void refused(const ordo_work *work, const ordo_options *options, ordo_status status, const char *sentence)
{
    ck_assert_msg(ordo_run(work, options, NULL) == status, "expected %s, got '%s'", ordo_status_name(status),
                  ordo_last_error());
    ck_assert_msg(strstr(ordo_last_error(), sentence), "'%s' not in '%s'", sentence, ordo_last_error());
}

START_TEST(test_refused)
{
    ordo_graph *g = graph_of("path", 9);
    ordo_u32 cells[9];
    ordo_additions added = {0};
    ordo_work work = labels_of(g, cells);
    static const char *const pull[] = {"direction=pull"}, *const scatter[] = {"append=scatter"};
    refused(&work, &(ordo_options){.scheduler = "topology", .settings = pull, .setting_count = 1}, ORDO_ERR_UNSOUND,
            "needs an operator without new edges");
    refused(&work, &(ordo_options){.scheduler = "bsp", .settings = pull, .setting_count = 1}, ORDO_ERR_UNSOUND,
            "direction=pull");
    refused(&work, &(ordo_options){.scheduler = "bsp", .settings = scatter, .setting_count = 1}, ORDO_ERR_UNSOUND,
            "append=scatter has a place for each edge of the graph");
    refused(&work, &(ordo_options){.scheduler = "bsp", .sync = "racy"}, ORDO_ERR_UNSOUND, "is not uniform");
    refused(&work, &(ordo_options){.items = "edges"}, ORDO_ERR_UNSOUND, "has no items that are edges");
    added.most_edges = 1ull << 32;
    refused(&work, &(ordo_options){.additions = &added}, ORDO_ERR_USAGE, "room for 4294967296 new edges");
    added = (ordo_additions){.most_items = ORDO_MAX_VERTICES};
    refused(&work, &(ordo_options){.additions = &added}, ORDO_ERR_USAGE, "9 items and room for 4294967294 new ones");
    added = (ordo_additions){.reserved = {1}};
    refused(&work, &(ordo_options){.additions = &added}, ORDO_ERR_USAGE, "ordo_additions: found 1 in reserved[0]");
    added = (ordo_additions){0};
    work.op = ordo_operator_find("cc");
    refused(&work, &(ordo_options){.additions = &added}, ORDO_ERR_USAGE, "'cc' makes no new edges or items");
    ordo_graph_free(g);
}
END_TEST

/* A scheduler that does not say that it runs such operators. */
START_TEST(test_scheduler_without)
{
    const ordo_scheduler *bsp = ordo_scheduler_find("bsp");
    static ordo_scheduler mute;
    ordo_graph *g = graph_of("path", 9);
    ordo_u32 cells[9];
    ordo_work work = labels_of(g, cells);
    mute = *bsp;
    mute.name = "mute";
    mute.growing = 0;
    ck_assert_int_eq(ordo_scheduler_register(&mute), ORDO_OK);
    refused(&work, &(ordo_options){.scheduler = "mute"}, ORDO_ERR_UNSOUND,
            "scheduler 'mute' on device 'cpu' does not run 'shortcuts', which makes new edges or items: not built; "
            "such operators run there under: bsp, ");
    ordo_graph_free(g);
}
END_TEST

static ordo_u64 same_key(const void *state, ordo_item item)
{
    (void)state;
    (void)item;
    return 7;
}

/* Keys of the graph's vertices differ, or the run is refused. */
START_TEST(test_keys)
{
    ordo_graph *g = graph_of("path", 2);
    ordo_u32 cells[20] = {0};
    const puzzle_state state = {1, 1}; /* keys 0 and 1 */
    ordo_additions added = {.most_items = 18};
    ordo_operator same = puzzle_operator;
    ordo_work work = {.op = &puzzle_operator,
                      .graph = g,
                      .cells = cells,
                      .state = &state,
                      .num_items = 2,
                      .targets = 2,
                      .initial = &first_item,
                      .initial_count = 1};
    const ordo_options options = {.additions = &added};
    ck_assert_msg(ordo_run(&work, &options, NULL) == ORDO_OK, "%s", ordo_last_error());
    ck_assert_uint_eq(added.key[0], 0);
    ck_assert_uint_eq(added.key[1], 1);
    same.key = same_key;
    work.op = &same;
    refused(&work, &options, ORDO_ERR_INPUT, "operator 'puzzle': vertices 0 and 1 have the same key, 7");
    ordo_additions_free(&added);
    ordo_graph_free(g);
}
END_TEST

/* An operator that takes the graph for a larger one adds edges to what is no item. */
START_TEST(test_no_item)
{
    ordo_graph *g = graph_of("path", 5);
    ordo_u32 cells[105] = {0};
    const detours_state state = {1000000};
    ordo_additions added = {.most_items = 100};
    const ordo_work work = {.op = &detours_operator,
                            .graph = g,
                            .cells = cells,
                            .state = &state,
                            .num_items = 5,
                            .targets = 5,
                            .initial = &first_item,
                            .initial_count = 1};
    refused(&work, &(ordo_options){.additions = &added}, ORDO_ERR_USAGE,
            "operator 'detours' makes an edge from or to a number that is no item");
    ordo_graph_free(g);
}
END_TEST

/* A flag that is set before the run, and one that progress sets. */
START_TEST(test_cancelled)
{
    ordo_u32 cells[360];
    volatile int stop = 1;
    ordo_additions added = {.most_edges = 840, .most_items = 359};
    const ordo_u64 before = ordo_memory_now();
    ck_assert_int_eq(solve(3, 2, &(ordo_options){.cancel = &stop, .additions = &added}, cells), ORDO_ERR_CANCELLED);
    ck_assert_uint_eq(added.edges + added.items, 0);
    ck_assert_ptr_null(added.edge);
    ck_assert_uint_eq(ordo_memory_now(), before);
}
END_TEST

START_TEST(test_timeout)
{
    enum { ROOM = 2000000 }; /* a board of 4 by 4 has 10^13 positions */
    ordo_additions added = {.most_edges = 4 * (ordo_u64)ROOM, .most_items = ROOM};
    ordo_u32 *cells = malloc((ROOM + 1) * sizeof *cells);
    const ordo_status status = solve(4, 4, &(ordo_options){.timeout = 0.05, .threads = 2, .additions = &added}, cells);
    ck_assert_msg(status == ORDO_ERR_TIMEOUT || status == ORDO_ERR_MEMORY, "%s", ordo_last_error());
    ck_assert_ptr_null(added.edge);
    free(cells);
}
END_TEST

/* Each allocation fails once: the run says so and leaves nothing behind. */
START_TEST(test_no_memory)
{
    ordo_graph *g = one_vertex();
    ordo_u32 cells[12];
    const ordo_u64 before = ordo_memory_now();
    ordo_status status = ORDO_ERR_MEMORY;
    int failures = 0;
    for (; status; failures++) {
        ordo_additions added = {.most_edges = 24, .most_items = 11};
        ordo_memory_fail_after((ordo_u64)failures + 1);
        status = solve_on(g, 2, 2, &(ordo_options){.threads = 2, .additions = &added}, cells);
        ordo_memory_fail_after(0);
        ck_assert(status == ORDO_OK || status == ORDO_ERR_MEMORY);
        ordo_additions_free(&added);
        ck_assert_uint_eq(ordo_memory_now(), before);
    }
    ck_assert_int_gt(failures, 8);
    ordo_graph_free(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("grow");
    TCase *tc = tcase_create("grow");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_all_positions, 0, UNDER_TSAN ? 1 : 2);
    tcase_add_test(tc, test_bounds);
    tcase_add_test(tc, test_again);
    tcase_add_test(tc, test_few_supersteps);
    tcase_add_test(tc, test_grown_graph);
    tcase_add_test(tc, test_grown_weights);
    tcase_add_test(tc, test_refused);
    tcase_add_test(tc, test_keys);
    tcase_add_test(tc, test_no_item);
    tcase_add_test(tc, test_cancelled);
    tcase_add_test(tc, test_timeout);
    if (!UNDER_TSAN)
        tcase_add_test(tc, test_no_memory);
    tcase_add_test(tc, test_scheduler_without); /* last: what it registers stays where checks share a process */
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
