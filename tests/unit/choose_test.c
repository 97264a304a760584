/* What is chosen where scheduler or sync is left open, on a CPU and on a GPU: the table of choices, what restricts
 * them, and a scheduler from outside that takes part.
 *
 * On a GPU choices alone are looked at: tests/gpu/choose_backend.c, which the library loads as its back end here, has
 * an instance of every operator that does nothing. Without it (a build's own back end may lie there instead) those rows
 * are left out.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/detail/backend.h>
#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

#include "tests/common/suite.h"
#include "operators/bank.h"
#include "operators/hash_table.h"
#include "operators/sgd.h"

enum { MOST_CELLS = 1 << 12, DEEP = 0, EVEN, DENSE, HUBS, GRAPHS };
static const char *const graph_names[GRAPHS] = {"deep", "even", "dense", "hubs"};
static ordo_graph *graphs[GRAPHS], *bare[GRAPHS];
static ordo_u32 *heads[GRAPHS];
static ordo_u64 cells[MOST_CELLS];
static ordo_u8 open_edges[1 << 16];
static ordo_item source = 0;

static void make_graphs(void)
{
    ordo_generate_options shape[GRAPHS] = {{.kind = "grid", .width = 16, .height = 16},
                                           {.kind = "uniform", .vertices = 200, .degree = 5},
                                           {.kind = "uniform", .vertices = 200, .degree = 16},
                                           {.kind = "rmat", .scale = 9}};
    for (int i = 0; i < GRAPHS; i++) {
        shape[i].edges.low = 1;
        shape[i].edges.high = 9;
        shape[i].edges.seed = 3;
        ck_assert_int_eq(ordo_graph_generate(&shape[i], &graphs[i]), ORDO_OK);
        ordo_csr rows = *ordo_graph_out(graphs[i]);
        heads[i] = malloc(rows.m * sizeof *heads[i]);
        for (ordo_u64 e = 0; e < rows.m; e++)
            heads[i][e] = rows.head[e * rows.stride];
        rows = (ordo_csr){.n = rows.n, .m = rows.m, .row = rows.row, .head = heads[i], .stride = 1};
        ck_assert_int_eq(ordo_graph_borrow(&rows, false, &bare[i]), ORDO_OK);
    }
    memset(open_edges, 1, sizeof open_edges);
}

static void drop_graphs(void)
{
    for (int i = 0; i < GRAPHS; i++) {
        ordo_graph_free(bare[i]);
        ordo_graph_free(graphs[i]);
        free(heads[i]);
    }
}

/* A run of no consequence: all cells are the worst value. */
static ordo_work relax(const char *op, int graph)
{
    static ordo_u64 state[64];
    const ordo_operator *found = ordo_operator_find(op);
    const ordo_vid n = ordo_graph_out(graphs[graph])->n;
    ck_assert_ptr_nonnull(found);
    memset(cells, 0xff, sizeof cells);
    memset(state, 0, sizeof state);
    return (ordo_work){.op = found,
                       .graph = found->weight == ORDO_F32 || found->weight == ORDO_I32 ? bare[graph] : graphs[graph],
                       .cells = cells,
                       .state = state,
                       .num_items = n,
                       .targets = n,
                       .initial = found->activates ? &source : NULL,
                       .initial_count = 1};
}

static bool has_gpu(void)
{
    char name[ORDO_DEVICE_NAME] = "";
    const ordo_backend *backend;
    return ordo_backend_load("cuda", &backend) == ORDO_OK && backend->probe(name) == ORDO_OK &&
           !strcmp(name, "no GPU, choices alone");
}

/* What was taken: "scheduler:sync", or "" where the run was refused, by ordo_last_error(). */
static const char *taken(const ordo_work *work, const ordo_options *options)
{
    static char out[96];
    ordo_stats stats = {0};
    out[0] = 0;
    if (!ordo_run(work, options, &stats)) {
        snprintf(out, sizeof out, "%s:%s", stats.scheduler, stats.sync);
        ck_assert_msg(stats.chosen[0] && strstr(stats.chosen, ": "), "no reason: '%s'", stats.chosen);
    }
    ordo_stats_free(&stats);
    return out;
}

/* ---- relax operators ---- */

static const struct {
    const char *op, *cpu[GRAPHS], *gpu[GRAPHS];
} relax_table[] = {
    {"sssp_u32", {"delta", "delta", "delta", "delta"}, {"delta", "delta", "delta", "adds"}},
    {"sssp_i32", {"delta", "delta", "delta", "delta"}, {"delta", "delta", "delta", "adds"}},
    {"sssp_f32", {"delta", "delta", "delta", "delta"}, {"delta", "delta", "delta", "adds"}},
    {"widest_u32", {"delta", "delta", "delta", "delta"}, {"delta", "delta", "inbox", "adds"}},
    {"bfs", {"delta", "bsp", "bsp", "bsp"}, {"delta", "delta", "delta", "bsp"}},
    {"cc", {"bsp", "bsp", "bsp", "bsp"}, {"delta", "delta", "inbox", "adds"}},
    {"mst_u32", {"bsp", "bsp", "bsp", "bsp"}, {"bsp", "bsp", "bsp", "bsp"}},
};

/* Which scheduler the table says where its favourite does not offer the sync. */
static const char *with_sync(const char *op, const char *favourite, const char *sync, bool gpu)
{
    if (!strcmp(sync, "server"))
        return "lock_server";
    if (!strcmp(sync, "lock") && gpu) /* the only one that has a lock there */
        return "bsp";
    if (!strcmp(sync, "racy"))
        return !strcmp(op, "bfs") ? "bsp" : "topology";
    return favourite;
}

START_TEST(relax_operators)
{
    static const char *const syncs[] = {"auto", NULL, "atomic", "lock", "racy", "server", "owner"};
    make_graphs();
    const bool gpu = has_gpu();
    for (int on_gpu = 0; on_gpu <= gpu; on_gpu++)
        for (int g = 0; g < GRAPHS; g++)
            for (size_t y = 0; y < sizeof syncs / sizeof *syncs; y++)
                for (int threads = 1; threads <= 2; threads++) {
                    const char *op = relax_table[_i].op, *sync = syncs[y];
                    const char *favourite = (on_gpu ? relax_table[_i].gpu : relax_table[_i].cpu)[g];
                    const bool open = !sync || !strcmp(sync, "auto");
                    const char *scheduler = open ? favourite : with_sync(op, favourite, sync, on_gpu);
                    char expected[64];
                    snprintf(expected, sizeof expected, "%s:%s", scheduler, open ? "atomic" : sync);
                    if (sync && !strcmp(sync, "owner")) /* no scheduler offers it for these */
                        expected[0] = 0;
                    const ordo_work work = relax(op, g);
                    const ordo_options options = {
                        .scheduler = "auto", .sync = sync, .device = on_gpu ? "cuda" : "cpu", .threads = threads};
                    ck_assert_msg(!strcmp(taken(&work, &options), expected),
                                  "%s on %s, %s, sync %s: found '%s' (%s), expected '%s'", op, graph_names[g],
                                  on_gpu ? "gpu" : "cpu", sync ? sync : "-", taken(&work, &options), ordo_last_error(),
                                  expected);
                }
    drop_graphs();
}
END_TEST

/* Components of which most are found: a round over all edges, but not where hubs are. */
START_TEST(nearly_done_runs)
{
    static const char *const expected[GRAPHS] = {"topology:racy", "topology:racy", "topology:racy", "bsp:atomic"};
    const ordo_options options = {.scheduler = "auto", .device = "cpu", .threads = 2};
    make_graphs();
    for (int g = 0; g < GRAPHS; g++) {
        ordo_work work = relax("cc", g);
        work.nearly_done = true;
        ck_assert_str_eq(taken(&work, &options), expected[g]);
    }
    drop_graphs();
}
END_TEST

/* Rows by weight are made where there are hubs and enough runs, and used by every run once they are there. */
START_TEST(runs_that_pay_for_rows_by_weight)
{
    make_graphs();
    for (int g = 0; g < GRAPHS; g++)
        for (ordo_u64 runs = 0; runs < 28; runs++) {
            ordo_work work = relax("sssp_u32", g);
            const ordo_options options = {.scheduler = "auto", .device = "cpu", .threads = 2, .repeats = runs};
            const bool pays = g == HUBS && runs >= 12;
            ck_assert_str_eq(taken(&work, &options), pays ? "horizon:atomic" : "delta:atomic");
            if (has_gpu()) {
                const ordo_options there = {.scheduler = "auto", .device = "cuda", .threads = 2, .repeats = runs};
                work = relax("sssp_u32", g);
                ck_assert_int_eq(strstr(taken(&work, &there), "horizon") != NULL, g == HUBS && runs >= 16);
                work = relax("widest_u32", g);
                ck_assert_int_eq(strstr(taken(&work, &there), "horizon") != NULL, g == HUBS && runs >= 26);
            }
        }
    const ordo_options once = {.scheduler = "auto", .device = "cpu", .threads = 2};
    const ordo_work work = relax("sssp_u32", HUBS);
    ck_assert_str_eq(taken(&work, &once), "horizon:atomic");
    drop_graphs();
}
END_TEST

/* A run of no consequence on a graph that it makes: all cells are the worst value. They stay until the next call. */
static ordo_work relax_on(const char *op, const ordo_generate_options *shape, ordo_graph **g)
{
    static ordo_u32 state[16], all[1 << 18];
    ck_assert_int_eq(ordo_graph_generate(shape, g), ORDO_OK);
    const ordo_vid n = ordo_graph_out(*g)->n;
    ck_assert_uint_le(n, sizeof all / sizeof all[0]);
    memset(all, 0xff, sizeof all);
    return (ordo_work){.op = ordo_operator_find(op),
                       .graph = *g,
                       .cells = all,
                       .state = state,
                       .num_items = n,
                       .targets = n,
                       .initial = &source,
                       .initial_count = 1};
}

/* They are made for random graphs, too, where rows have twelve edges and weights are summed up. */
START_TEST(runs_on_random_graphs)
{
    static const struct {
        const char *op;
        bool gpu;
        unsigned degree;
        ordo_u64 runs;
        bool pays;
    } cases[] = {{"sssp_u32", true, 16, 49, false},   {"sssp_u32", true, 16, 51, true},
                 {"sssp_u32", true, 32, 21, false},   {"sssp_u32", true, 32, 24, true},
                 {"sssp_u32", true, 8, 1000, false},  {"widest_u32", true, 16, 1000, false},
                 {"sssp_u32", false, 16, 69, false},  {"sssp_u32", false, 16, 71, true},
                 {"sssp_u32", false, 32, 15, false},  {"sssp_u32", false, 32, 17, true},
                 {"sssp_u32", false, 8, 1000, false}, {"widest_u32", false, 32, 1000, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (cases[i].gpu && !has_gpu())
            continue;
        const ordo_generate_options shape = {
            .kind = "uniform", .vertices = 20000, .degree = cases[i].degree, .edges = {.low = 1, .high = 9, .seed = 3}};
        const ordo_options options = {
            .scheduler = "auto", .device = cases[i].gpu ? "cuda" : "cpu", .threads = 2, .repeats = cases[i].runs};
        ordo_graph *g = NULL;
        const ordo_work work = relax_on(cases[i].op, &shape, &g);
        ck_assert_int_eq(strstr(taken(&work, &options), "horizon") != NULL, cases[i].pays);
        ordo_graph_free(g);
    }
}
END_TEST

/* Where degrees are alike, how deep the graph is, and how long its rows are, decides. */
START_TEST(levels_and_long_rows)
{
    static const struct {
        ordo_generate_options shape;
        const char *op, *cpu, *gpu;
    } cases[] = {
        {{.kind = "cliques", .vertices = 20000, .width = 16}, "bfs", "delta:atomic", "delta:atomic"},
        {{.kind = "mesh", .width = 10, .height = 10, .depth = 400}, "bfs", "bsp:atomic", "bsp:atomic"},
        {{.kind = "grid", .width = 200, .height = 200, .depth = 3}, "bfs", "bsp:atomic", "delta:atomic"},
        {{.kind = "uniform", .vertices = 20000, .degree = 16}, "bfs", "bsp:atomic", "bsp:atomic"},
        {{.kind = "uniform", .vertices = 20000, .degree = 5}, "bfs", "bsp:atomic", "bsp:atomic"},
        {{.kind = "uniform", .vertices = 1000, .degree = 200}, "sssp_u32", "delta:atomic", "near_far:atomic"},
        {{.kind = "uniform", .vertices = 1000, .degree = 100}, "sssp_u32", "delta:atomic", "inbox:atomic"},
        {{.kind = "uniform", .vertices = 20000, .degree = 16}, "sssp_u32", "delta:atomic", "delta:atomic"},
        {{.kind = "uniform", .vertices = 20000, .degree = 64}, "sssp_u32", "delta:atomic", "delta:atomic"},
        {{.kind = "mesh", .width = 60, .height = 60, .depth = 60}, "sssp_u32", "delta:atomic", "inbox:atomic"},
        {{.kind = "cliques", .vertices = 20000, .width = 16}, "sssp_u32", "delta:atomic", "delta:atomic"},
    };
    ordo_generate_options shape = cases[_i].shape;
    ordo_graph *g = NULL;
    shape.edges.low = 1;
    shape.edges.high = 9;
    shape.edges.seed = 3;
    const ordo_work work = relax_on(cases[_i].op, &shape, &g);
    for (int on_gpu = 0; on_gpu <= has_gpu(); on_gpu++) {
        const ordo_options options = {.scheduler = "auto", .device = on_gpu ? "cuda" : "cpu", .threads = 2};
        ck_assert_str_eq(taken(&work, &options), on_gpu ? cases[_i].gpu : cases[_i].cpu);
    }
    ordo_graph_free(g);
}
END_TEST
enum { DEPTHS = 11 };

/* ---- critical operators ---- */

enum { ITEMS = 2000 };
typedef struct sections {
    hash_table_state table;
    bank_state bank;
    sgd_state sgd;
    ordo_u32 a[ITEMS], b[ITEMS], *head;
    bank_transfer transfer[ITEMS];
    sgd_rating rating[ITEMS];
    ordo_u64 *balance;
    ordo_f32 *factor;
} sections;

/* Requests for `used` of `targets` targets. */
static ordo_work make_sections(sections *s, const char *op, ordo_u32 used, ordo_u32 targets)
{
    ordo_u64 x = 1;
    s->head = malloc(targets * sizeof *s->head);
    s->balance = calloc(targets, sizeof *s->balance);
    s->factor = calloc(2 * (size_t)targets, sizeof *s->factor);
    for (ordo_u32 t = 0; t < targets; t++)
        s->head[t] = HASH_TABLE_END;
    for (ordo_u32 i = 0; i < ITEMS; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        s->a[i] = (ordo_u32)(x >> 33) % used;
        s->b[i] = !strcmp(op, "hash_table") ? HASH_TABLE_FREE : 0;
        s->transfer[i] = (bank_transfer){s->a[i], (s->a[i] + 1) % used, 1};
        s->rating[i] = (sgd_rating){s->a[i] / 2, s->a[i] / 2, 1};
    }
    s->table = (hash_table_state){s->a, s->b, s->head};
    s->bank = (bank_state){s->transfer, s->b, s->balance};
    s->sgd = (sgd_state){
        .rating = s->rating, .done = s->b, .factor = s->factor, .users = targets / 2, .rank = 2, .epoch = 1};
    const void *state = !strcmp(op, "hash_table") ? (const void *)&s->table
                        : !strcmp(op, "bank")     ? (const void *)&s->bank
                                                  : (const void *)&s->sgd;
    return (ordo_work){.op = ordo_operator_find(op), .state = state, .num_items = ITEMS, .targets = targets};
}

static void drop_sections(sections *s)
{
    free(s->head);
    free(s->balance);
    free(s->factor);
}

/* `used`: targets that are asked for; where that is more than ITEMS / 2, a sample sees few of them twice. */
static const struct {
    const char *op;
    ordo_u32 used, targets;
    const char *cpu1, *cpu2, *gpu;
} critical_table[] = {
    {"hash_table", 8, 8, "bsp:lock", "lock_server:server", "lock_server:server"},
    {"hash_table", 40, 1 << 12, "bsp:lock", "lock_server:server", "lock_server:server"},
    {"hash_table", 100, 1 << 12, "bsp:lock", "bsp:lock", "lock_server:server"},
    {"hash_table", 1 << 22, 1 << 22, "bsp:lock", "bsp:lock", "lock_server:server"}, /* the words fit: 16 MB */
    {"hash_table", 1 << 23, 1 << 23, "bsp:lock", "bsp:lock", "bsp:lock"},
    {"bank", 8, 8, "bsp:lock", "lock_server:server", "lock_server:server"},
    {"bank", 100, 100, "bsp:lock", "bsp:lock", "lock_server:server"},
    {"sgd", 8, 8, "bsp:lock", "bsp:lock", "lock_server:server"},
    {"sgd", 1000, 1000, "bsp:lock", "bsp:lock", "bsp:lock"},
};

static void expect(const char *op, ordo_u32 used, ordo_u32 targets, const ordo_options *options, const char *expected)
{
    static sections s;
    const ordo_work work = make_sections(&s, op, used, targets);
    const char *found = taken(&work, options);
    ck_assert_msg(!strcmp(found, expected),
                  "%s, %u of %u targets, %s, %d threads, %s:%s: found '%s' (%s), expected '%s'", op, used, targets,
                  options->device, options->threads, options->scheduler ? options->scheduler : "-",
                  options->sync ? options->sync : "-", found, ordo_last_error(), expected);
    drop_sections(&s);
}

START_TEST(critical_operators)
{
    const char *op = critical_table[_i].op;
    const ordo_u32 used = critical_table[_i].used, targets = critical_table[_i].targets;
    for (int named = 0; named < 2; named++) { /* "auto" goes without saying where the sync is */
        const char *scheduler = named ? "auto" : NULL;
        for (int threads = 1; threads <= 2; threads++)
            expect(op, used, targets,
                   &(ordo_options){.scheduler = scheduler, .sync = "auto", .device = "cpu", .threads = threads},
                   threads == 1 ? critical_table[_i].cpu1 : critical_table[_i].cpu2);
        if (has_gpu())
            expect(op, used, targets,
                   &(ordo_options){.scheduler = scheduler, .sync = "auto", .device = "cuda", .threads = 2},
                   critical_table[_i].gpu);
    }
    for (int on_gpu = 0; on_gpu <= has_gpu(); on_gpu++) {
        const char *device = on_gpu ? "cuda" : "cpu";
        static const char *const named[][3] = {
            {"auto", NULL, "bsp:lock"},
            {"auto", "lock", "bsp:lock"},
            {"auto", "owner", "bsp:owner"},
            {"auto", "server", "lock_server:server"},
            {"auto", "atomic", ""},
            {"auto", "racy", ""},
            {"bsp", "auto", "bsp:lock"},
            {"lock_server", "auto", "lock_server:server"},
            {"topology", "auto", "topology:lock"},
        };
        for (size_t i = UNDER_TSAN ? (size_t)_i % 3 : 0; i < sizeof named / sizeof *named; i += UNDER_TSAN ? 3 : 1)
            if (strcmp(named[i][0], "topology") != 0 || !strcmp(op, "hash_table"))
                expect(op, used, targets,
                       &(ordo_options){.scheduler = named[i][0], .sync = named[i][1], .device = device, .threads = 2},
                       named[i][2]);
    }
}
END_TEST

/* ---- what restricts a choice ---- */

static const struct {
    const char *op, *sync, *setting, *expected, *sentence;
} settings[] = {
    {"sssp_u32", NULL, "window=2", "inbox:atomic", ""},
    {"sssp_u32", "server", "form=plain", "lock_server:server", ""},
    {"sssp_u32", NULL, "concurrent_max=2", "adds:atomic", ""},
    {"sssp_u32", NULL, "direction=pull", "topology:racy", ""}, /* bsp has it, too, and refuses it here */
    {"bfs", NULL, "direction=push", "bsp:atomic", ""},
    {"sssp_u32", NULL, "adds.pool=100000", "delta:atomic", ""}, /* passed over by others */
    {"sssp_u32", NULL, "delta=7", "delta:atomic", ""},
    {"sssp_u32", NULL, "speed=9", "", "no scheduler has a tunable 'speed'"},
    {"sssp_u32", NULL, "fifo.speed=9", "", "scheduler 'fifo' is unknown"},
    {"sssp_u32", NULL, "adds.speed=9", "", "scheduler 'adds' has no tunable 'speed'"},
    {"sssp_u32", NULL, "adds.pool=few", "", "expected a whole number"},
    {"sssp_u32", NULL, "delta=-1", "", "expected a number from 0"},
    {"sssp_u32", NULL, "delta", "", "expected NAME=VALUE"},
    {"sssp_u32", "server", "delta=7", "", "scheduler 'lock_server' has no tunable 'delta'"},
    {"mst_u32", NULL, "direction=pull", "", "with direction=pull needs an operator"},
    {"sssp_u32", "often", NULL, "", "sync 'often' is unknown"},
    {"sssp_u32", "owner", NULL, "", "no scheduler can run 'sssp_u32' as asked: scheduler '"},
    {"kcore", "racy", NULL, "", "'kcore' is not"},
};

START_TEST(settings_and_syncs_are_honoured)
{
    make_graphs();
    const ordo_work work = relax(settings[_i].op, EVEN);
    const ordo_options options = {.scheduler = "auto",
                                  .sync = settings[_i].sync,
                                  .threads = 2,
                                  .settings = &settings[_i].setting,
                                  .setting_count = settings[_i].setting != NULL};
    if (settings[_i].expected[0]) {
        ck_assert_msg(!strcmp(taken(&work, &options), settings[_i].expected), "%s: found '%s' (%s)",
                      settings[_i].setting, taken(&work, &options), ordo_last_error());
    } else {
        ck_assert_int_ne(ordo_run_check(&work, &options), ORDO_OK);
        ck_assert_msg(strstr(ordo_last_error(), settings[_i].sentence), "'%s'", ordo_last_error());
    }
    drop_graphs();
}
END_TEST

START_TEST(device_auto_takes_the_gpu_where_that_runs)
{
    make_graphs();
    ordo_stats stats = {0};
    ordo_work work = relax("sssp_u32", HUBS);
    ordo_options options = {.scheduler = "auto", .device = "auto", .threads = 2};
    ck_assert_int_eq(ordo_run(&work, &options, &stats), ORDO_OK);
    ck_assert_str_eq(stats.scheduler, has_gpu() ? "adds" : "delta");
    ck_assert(has_gpu() ? !stats.fallback[0] : strstr(stats.fallback, "device 'cuda'") != NULL);
    ordo_stats_free(&stats);
    if (has_gpu()) { /* what it has nothing for */
        work = relax("kcore", HUBS);
        ck_assert_msg(ordo_run_check(&work, &(ordo_options){.scheduler = "auto", .device = "cuda"}) ==
                              ORDO_ERR_UNSOUND &&
                          strstr(ordo_last_error(), "was not compiled for device 'cuda'"),
                      "%s", ordo_last_error());
        ck_assert_int_eq(ordo_run_check(&work, &options), ORDO_OK);
    }
    drop_graphs();
}
END_TEST

/* ---- one from outside ---- */

static ordo_status no_run(ordo_job *job)
{
    (void)job;
    return ORDO_OK;
}

static void no_memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                      ordo_u64 *at_most)
{
    (void)n, (void)m, (void)threads, (void)entry, (void)tunable;
    *expected = *at_most = 0;
}

static double claimed;
static void claim(const ordo_situation *s, ordo_sync sync, ordo_fit *out)
{
    ck_assert(s->has_rows && s->op && s->edges > 0 && s->threads == 2 && !s->on_gpu && sync == ORDO_SYNC_ATOMIC);
    *out = (ordo_fit){claimed, "it says so"};
}

START_TEST(one_from_outside_takes_part)
{
    static const ordo_pairing pairings[] = {{ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, 0}, {0, ORDO_SYNC_DEFAULT, 0}};
    static const ordo_scheduler mine = {.interface = ORDO_SCHEDULER_INTERFACE,
                                        .name = "mine",
                                        .summary = "-",
                                        .paper = "-",
                                        .pairings = pairings,
                                        .memory = no_memory,
                                        .suit = claim};
    static const ordo_scheduler silent = {.interface = ORDO_SCHEDULER_INTERFACE,
                                          .name = "silent",
                                          .summary = "-",
                                          .paper = "-",
                                          .pairings = pairings,
                                          .memory = no_memory};
    static const ordo_instance under_mine = {"mine", no_run, 0, ORDO_ON_CPU};
    static const ordo_instance under_silent = {"silent", no_run, 0, ORDO_ON_CPU};
    const ordo_instance *both[] = {&under_silent, &under_mine, NULL, NULL}, *one[] = {&under_silent, NULL};
    make_graphs();
    ck_assert_int_eq(ordo_scheduler_register(&silent), ORDO_OK);
    ck_assert_int_eq(ordo_scheduler_register(&mine), ORDO_OK);
    const ordo_operator *sssp = ordo_operator_find("sssp_u32");
    for (const ordo_instance *const *at = sssp->instances; *at; at++)
        if (!strcmp((*at)->scheduler, "delta"))
            both[2] = *at;
    ordo_operator op = *sssp;
    op.instances = both;
    ordo_work work = relax("sssp_u32", EVEN);
    work.op = &op;
    const ordo_options options = {.scheduler = "auto", .threads = 2};
    claimed = 0.9; /* less than what the best of Ordo's says */
    ck_assert_str_eq(taken(&work, &options), "mine:atomic");
    claimed = 1.1;
    ck_assert_str_eq(taken(&work, &options), "delta:atomic");
    claimed = NAN; /* no prediction: chosen only where no other scheduler can run */
    ck_assert_str_eq(taken(&work, &options), "delta:atomic");
    op.instances = one;
    ck_assert_str_eq(taken(&work, &options), "silent:atomic");
    drop_graphs();
}
END_TEST

START_TEST(the_default_is_one_of_the_list)
{
    const ordo_scheduler *all[64];
    const size_t count = ordo_schedulers(all, 64);
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        found |= all[i] == ordo_scheduler_default();
        ck_assert_msg(all[i]->suit != NULL, "%s does not say how well it suits", all[i]->name);
    }
    ck_assert(found);
    make_graphs();
    const ordo_work work = relax("sssp_u32", EVEN);
    ordo_stats stats = {0};
    ck_assert_int_eq(ordo_run(&work, NULL, &stats), ORDO_OK);
    ck_assert_str_eq(stats.scheduler, ordo_scheduler_default()->name);
    ck_assert_str_eq(stats.chosen, "");
    ordo_stats_free(&stats);
    drop_graphs();
}
END_TEST

#define COUNT(_table) (int)(sizeof _table / sizeof *_table)

int main(void)
{
    Suite *suite = suite_create("choose");
    TCase *tc = tcase_create("choose");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, relax_operators, 0, COUNT(relax_table));
    tcase_add_test(tc, nearly_done_runs);
    tcase_add_test(tc, runs_that_pay_for_rows_by_weight);
    tcase_add_test(tc, runs_on_random_graphs);
    if (!UNDER_TSAN)
        tcase_add_loop_test(tc, levels_and_long_rows, 0, DEPTHS);
    tcase_add_loop_test(tc, critical_operators, 0, COUNT(critical_table));
    tcase_add_loop_test(tc, settings_and_syncs_are_honoured, 0, COUNT(settings));
    tcase_add_test(tc, device_auto_takes_the_gpu_where_that_runs);
    tcase_add_test(tc, the_default_is_one_of_the_list);
    tcase_add_test(tc, one_from_outside_takes_part); /* last: what it registers stays where checks share a process */
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
