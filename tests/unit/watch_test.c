/* watch_test.c -- watches of long calls: what is reported, and by which thread; and that each call, cancelled at each
 * of its reports, says so, has freed what it allocated, leaves its inputs and its output as they were, and succeeds
 * when it is made again.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

#include "tests/common/families.h"
#include "tests/common/suite.h"

/* ---- the watch of these tests ---- */

typedef struct seen {
    ordo_u64 reports, cancel_at; /* the report, from 1, that cancels; 0: none */
    pthread_t thread;
    char phases[1024]; /* names, each once, by commas */
    bool wrong;        /* another thread, or more done than there is */
} seen;

static int look(void *arg, const char *phase, ordo_u64 done, ordo_u64 total)
{
    seen *s = arg;
    s->reports++;
    s->wrong |= !pthread_equal(pthread_self(), s->thread) || (total && done > total);
    if (!strstr(s->phases, phase))
        strncat(strncat(s->phases, phase, sizeof s->phases / 2 - strlen(s->phases)), ",", 2);
    return s->reports == s->cancel_at;
}

static seen now;
static const ordo_watch every = {.report = look, .arg = &now, .interval = 1e-9};

static void watch_from_here(ordo_u64 cancel_at)
{
    now = (seen){.cancel_at = cancel_at, .thread = pthread_self()};
    ck_assert(!ordo_watch_set(&every));
}

/* ---- calls that make a graph ---- */

typedef ordo_status make_fn(const void *arg, ordo_graph **out);

/* Cancels at the first reports one by one, then at ever fewer of the later ones; returns the names of the phases. */
static const char *cancel_everywhere(const char *what, make_fn *make, const void *arg)
{
    static char phases[1024];
    ordo_graph *g = NULL, *untouched = (ordo_graph *)&g;
    ck_assert_msg(!make(arg, &g), "%s: %s", what, ordo_last_error()); /* what is kept is there now */
    const ordo_u64 checksum = info_of(g).checksum;
    ordo_graph_free(g);
    const ordo_u64 before = ordo_memory_now();
    ordo_status status = ORDO_ERR_CANCELLED;
    for (ordo_u64 at = 1; status == ORDO_ERR_CANCELLED; at += 1 + at / (SLOWER > 1 ? 2 : 8)) {
        g = untouched;
        watch_from_here(at);
        status = make(arg, &g);
        ordo_watch_set(NULL);
        ck_assert_msg(!now.wrong, "%s, report %llu", what, (unsigned long long)at);
        if (!status)
            break;
        ck_assert_msg(status == ORDO_ERR_CANCELLED, "%s, report %llu: %s", what, (unsigned long long)at,
                      ordo_last_error());
        ck_assert_msg(strstr(ordo_last_error(), "cancelled"), "'%s'", ordo_last_error());
        ck_assert_msg(now.reports == at, "%s: %llu reports, expected none after %llu", what,
                      (unsigned long long)now.reports, (unsigned long long)at);
        ck_assert_ptr_eq(g, untouched);
        ck_assert_msg(ordo_memory_now() == before, "%s, report %llu: memory is left", what, (unsigned long long)at);
    }
    ck_assert_msg(!status, "%s: %s", what, ordo_last_error());
    ck_assert_uint_eq(info_of(g).checksum, checksum);
    ordo_graph_free(g);
    memcpy(phases, now.phases, sizeof phases);
    return phases;
}

static ordo_status generate(const void *arg, ordo_graph **out)
{
    return ordo_graph_generate(arg, out);
}

typedef struct file {
    const char *path;
    ordo_read_options options;
} file;

static ordo_status read_file(const void *arg, ordo_graph **out)
{
    const file *f = arg;
    return ordo_graph_read(f->path, &f->options, out);
}

static ordo_status from_arrays(const void *arg, ordo_graph **out)
{
    return ordo_graph_from_arrays(arg, out);
}

static const ordo_generate_options sample = {
    .kind = "grid", .width = 150, .height = 200 / (BRIEFER > 2 ? 4 : 1), .edges = {.low = 1, .high = 9}, .threads = 2};

START_TEST(test_making)
{
    ck_assert_ptr_nonnull(strstr(cancel_everywhere("generate", generate, &sample), "drawing weights"));
    ordo_graph *g;
    ck_assert(!ordo_graph_generate(&sample, &g));
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u32 *tail = malloc(rows->m * sizeof *tail), *head = malloc(rows->m * sizeof *head);
    ck_assert(tail && head);
    for (ordo_eid e = 0; e < rows->m; e++) { /* descending, so that there are buckets */
        tail[rows->m - 1 - e] = ordo_csr_tail(rows, e);
        head[rows->m - 1 - e] = rows->head[e * rows->stride];
    }
    const ordo_edge_arrays arrays = {.n = rows->n,
                                     .count = rows->m,
                                     .tail = tail,
                                     .head = head,
                                     .edges = {.direction = ORDO_SYMMETRIC, .parallel = ORDO_PARALLEL_MIN},
                                     .threads = 2};
    const char *phases = cancel_everywhere("arrays", from_arrays, &arrays);
    static const char *const names[] = {"reading", "building rows", "sorting rows", "transforming", "checking"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ck_assert_msg(strstr(phases, names[i]), "no %s in %s", names[i], phases);
    free(tail);
    free(head);
    ordo_graph_free(g);
}
END_TEST

/* Every format, also compressed; the names of the phases differ. */
START_TEST(test_reading)
{
    static const char *const names[] = {"a.gr",  "a.mtx",  "a.graph", "a.wel",     "a.wsg",   "a.ggr",
                                        "a.npz", "a.ordo", "a.gr.gz", "a.ordo.xz", "a.gr.zst"};
    ordo_graph *g;
    ck_assert(!ordo_graph_generate(&sample, &g));
    const file f = {.path = path_of(names[_i]), .options = {.edges = {.drop_loops = true}, .threads = 2}};
    if (ordo_graph_write(g, f.path) == ORDO_OK) { /* else this build lacks the library */
        const char *phases = cancel_everywhere(names[_i], read_file, &f);
        if (_i >= 8)
            ck_assert_msg(strstr(phases, "decompressing"), "%s", phases);
    }
    ordo_graph_free(g);
}
END_TEST

static ordo_status induced(const void *arg, ordo_graph **out)
{
    const ordo_graph *g = arg;
    ordo_u8 *keep = calloc(ordo_graph_out(g)->n, 1);
    memset(keep, 1, ordo_graph_out(g)->n / 2);
    ordo_status status = ordo_graph_induced(g, keep, 2, NULL, out);
    free(keep);
    return status;
}

static ordo_status renumbered(const void *arg, ordo_graph **out)
{
    const ordo_graph *g = arg;
    const ordo_vid n = ordo_graph_out(g)->n;
    ordo_vid *names = calloc(n, sizeof *names);
    for (ordo_vid i = 0; i < n; i++)
        names[i] = n - 1 - i;
    ordo_status status = ordo_graph_renumbered(g, names, 2, out);
    free(names);
    return status;
}

static int releases;
static void count_release(void *arg)
{
    (void)arg;
    releases++;
}

static ordo_status borrow(const void *arg, ordo_graph **out)
{
    const ordo_csr *rows = ordo_graph_out(arg);
    const int before = releases;
    ordo_status status = ordo_graph_borrow_arrays(&(ordo_row_arrays){.n = rows->n,
                                                                     .m = rows->m,
                                                                     .row = rows->row,
                                                                     .head = rows->head,
                                                                     .stride = rows->stride,
                                                                     .release = count_release},
                                                  out);
    ck_assert_int_eq(releases - before, status != ORDO_OK);
    return status;
}

/* In-rows of a graph of its own each time, since they are kept. */
static ordo_status transpose(const void *arg, ordo_graph **out)
{
    ordo_graph *g;
    const ordo_csr *in = NULL;
    ordo_status status = borrow(arg, &g);
    if (status)
        return status;
    status = ordo_graph_in(g, 2, &in);
    if (status) {
        ck_assert_ptr_null(in);
        ordo_graph_free(g);
    } else {
        *out = g;
    }
    return status;
}

START_TEST(test_of_a_graph)
{
    ordo_graph *g;
    ck_assert(!ordo_graph_generate(&sample, &g));
    const ordo_u64 checksum = info_of(g).checksum;
    ck_assert_ptr_nonnull(strstr(cancel_everywhere("induced", induced, g), "transforming"));
    ck_assert_ptr_nonnull(strstr(cancel_everywhere("renumbered", renumbered, g), "transforming"));
    ck_assert_ptr_nonnull(strstr(cancel_everywhere("borrow", borrow, g), "checking"));
    ck_assert_ptr_nonnull(strstr(cancel_everywhere("transpose", transpose, g), "transposing"));
    ordo_graph *again; /* its inputs are as they were */
    ck_assert(!ordo_graph_generate(&sample, &again));
    ck_assert_uint_eq(info_of(again).checksum, checksum);
    ck_assert(!memcmp(ordo_graph_out(g)->head, ordo_graph_out(again)->head, ordo_graph_out(g)->m * 8));
    ordo_graph_free(again);
    ordo_graph_free(g);
}
END_TEST

/* ---- runs and verification ---- */

typedef struct answers {
    ordo_u32 *value;
    ordo_vid *pred;
    double *rank;
    ordo_eid *edge;
    ordo_u64 *flow;
    ordo_u8 *side;
    ordo_forest forest;
    ordo_ranks ranks;
    ordo_flow result;
} answers;

enum { APPS = 8 };
static const char *const apps[APPS] = {"sssp", "bfs", "cc", "widest", "kcore", "pagerank", "mst", "maxflow"};

static ordo_status run_app(int app, const ordo_graph *g, const ordo_options *o, answers *a, ordo_stats *stats)
{
    const double none = (double)INFINITY;
    switch (app) {
    case 0:
        return ordo_sssp(g, 0, none, o, a->value, a->pred, stats);
    case 1:
        return ordo_bfs(g, 0, none, o, a->value, a->pred, stats);
    case 2:
        return ordo_cc(g, o, a->value, stats);
    case 3:
        return ordo_widest(g, 0, o, a->value, stats);
    case 4:
        return ordo_kcore(g, 0, o, a->value, stats);
    case 5:
        return ordo_pagerank(g, 0.85, 1e-6, o, a->rank, &a->ranks, stats);
    case 6:
        return ordo_mst(g, o, a->edge, &a->forest, stats);
    default:
        return ordo_maxflow(g, 0, ordo_graph_out(g)->n - 1, NULL, o, a->flow, a->side, &a->result, stats);
    }
}

static ordo_status verify_app(int app, const ordo_graph *g, const answers *a, ordo_verify_how how)
{
    const double none = (double)INFINITY;
    switch (app) {
    case 0:
        return ordo_sssp_verify(g, 0, none, a->value, a->pred, how);
    case 1:
        return ordo_bfs_verify(g, 0, none, a->value, a->pred, how);
    case 2:
        return ordo_cc_verify(g, a->value, how);
    case 3:
        return ordo_widest_verify(g, 0, a->value, how);
    case 4:
        return ordo_kcore_verify(g, 0, a->value, how);
    case 5:
        return ordo_pagerank_verify(g, 0.85, a->rank, a->ranks.error, how);
    case 6:
        return ordo_mst_verify(g, a->edge, &a->forest, how);
    default:
        return ordo_maxflow_verify(g, 0, ordo_graph_out(g)->n - 1, NULL, a->flow, a->side, &a->result, how);
    }
}

static answers make_answers(const ordo_graph *g)
{
    const ordo_u64 n = ordo_graph_out(g)->n, m = ordo_graph_out(g)->m;
    answers a = {.value = calloc(n, 4),
                 .pred = calloc(n, 4),
                 .rank = calloc(n, 8),
                 .edge = calloc(n, 8),
                 .flow = calloc(m, 8),
                 .side = calloc(n, 1)};
    ck_assert(a.value && a.pred && a.rank && a.edge && a.flow && a.side);
    return a;
}

static void free_answers(answers *a)
{
    free(a->value);
    free(a->pred);
    free(a->rank);
    free(a->edge);
    free(a->flow);
    free(a->side);
}

/* Cancelled at reports, a run and a verification leave nothing behind, and the next ones are right. */
START_TEST(test_apps)
{
    const int app = _i % APPS;
    const ordo_generate_options symmetric = {
        .kind = "grid", .width = 60, .height = 60 / SLOWER, .edges = {.low = 1, .high = 99}, .threads = 1};
    const ordo_generate_options directed = {
        .kind = "uniform", .vertices = 6000 / SLOWER, .degree = 4, .edges = {.low = 1, .high = 99}, .threads = 1};
    static const ordo_verify_how hows[] = {ORDO_VERIFY_SERIAL, ORDO_VERIFY_CERTIFICATE};
    ordo_graph *g;
    ck_assert(!ordo_graph_generate(_i < APPS ? &symmetric : &directed, &g)); /* of the latter, apps make copies */
    answers a = make_answers(g);
    const ordo_options options = {.threads = 2};
    ck_assert_msg(!run_app(app, g, &options, &a, NULL), "%s: %s", apps[app], ordo_last_error());
    for (size_t h = 0; h < 2; h++) /* what a graph keeps is there now */
        ck_assert_msg(!verify_app(app, g, &a, hows[h]), "%s: %s", apps[app], ordo_last_error());
    ordo_status status = ORDO_ERR_CANCELLED;
    const ordo_u64 before = ordo_memory_now();
    for (ordo_u64 at = 1; status; at += 1 + at / 2) {
        watch_from_here(at);
        ordo_stats stats;
        memset(&stats, 0xee, sizeof stats); /* must be filled, or cleared, also after a cancel before the first run */
        status = run_app(app, g, &options, &a, &stats);
        ordo_watch_set(NULL);
        if (!status || status == ORDO_ERR_CANCELLED)
            ordo_stats_free(&stats);
        ck_assert_msg(!status || status == ORDO_ERR_CANCELLED, "%s: %s", apps[app], ordo_last_error());
        ck_assert_msg(at > 1 || status, "%s reports nothing", apps[app]);
        ck_assert_uint_eq(ordo_memory_now(), before);
        ck_assert(!now.wrong);
    }
    ck_assert_ptr_nonnull(strstr(now.phases, "running"));
    for (size_t h = 0; h < 2; h++)
        for (ordo_u64 at = 1, done = 0; !done; at += 1 + at / 2) {
            watch_from_here(at);
            status = verify_app(app, g, &a, hows[h]);
            ordo_watch_set(NULL);
            ck_assert_msg(!status || status == ORDO_ERR_CANCELLED, "%s: %s", apps[app], ordo_last_error());
            ck_assert_uint_eq(ordo_memory_now(), before);
            done = !status;
        }
    free_answers(&a);
    ordo_graph_free(g);
}
END_TEST

/* Each scheduler calls the watch while it runs, and ends when it says so. */
START_TEST(test_schedulers)
{
    const ordo_scheduler *all[64];
    const size_t count = ordo_schedulers(all, 64);
    const ordo_generate_options line = {.kind = "path", .vertices = 100000 / SLOWER, .threads = 1};
    ordo_graph *g;
    ck_assert(!ordo_graph_generate(&line, &g));
    answers a = make_answers(g);
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(all[i]->name, "topology")) /* rounds over all vertices: too long here; run_test.c cancels it */
            continue;
        for (int threads = 1; threads <= 2; threads++) {
            const ordo_options options = {.scheduler = all[i]->name, .threads = threads};
            watch_from_here(2); /* the first one is made before the run */
            const ordo_status status = ordo_bfs(g, 0, (double)INFINITY, &options, a.value, NULL, NULL);
            ordo_watch_set(NULL);
            ck_assert_msg(status == ORDO_ERR_CANCELLED, "%s, %d threads: %s", all[i]->name, threads,
                          ordo_status_name(status));
            ck_assert_uint_eq(now.reports, 2);
            ck_assert(!now.wrong);
        }
    }
    free_answers(&a);
    ordo_graph_free(g);
}
END_TEST

/* ---- the watch itself ---- */

static void *unwatched(void *arg)
{
    ordo_graph *g;
    ck_assert_ptr_null(ordo_watch_get());
    *(bool *)arg = ordo_graph_generate(&sample, &g) == ORDO_OK;
    ordo_graph_free(g);
    return NULL;
}

START_TEST(test_setting)
{
    ordo_watch bad = every;
    bad.reserved[3] = 1;
    watch_from_here(1);
    ck_assert_int_eq(ordo_watch_set(&bad), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_watch_set(&(ordo_watch){.arg = &now}), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_watch_set(&(ordo_watch){.report = look, .interval = -1}), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_watch_set(&(ordo_watch){.report = look, .interval = NAN}), ORDO_ERR_USAGE);
    ck_assert_ptr_eq(ordo_watch_get(), &every);
    pthread_t thread; /* others are not watched */
    bool good = false;
    ck_assert(!pthread_create(&thread, NULL, unwatched, &good) && !pthread_join(thread, NULL));
    ck_assert(good && now.reports == 0);
    ck_assert(!ordo_watch_set(NULL));
    ordo_graph *g;
    ck_assert(!ordo_graph_generate(&sample, &g));
    ck_assert(now.reports == 0 && !ordo_watch_get());
    ordo_graph_free(g);
}
END_TEST

int main(void)
{
    if (!make_folder())
        return EXIT_FAILURE;
    Suite *suite = suite_create("watch");
    TCase *tests = tcase_create("watch");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, test_making);
    tcase_add_loop_test(tests, test_reading, 0, 11);
    tcase_add_test(tests, test_of_a_graph);
    tcase_add_loop_test(tests, test_apps, 0, 2 * APPS);
    tcase_add_test(tests, test_schedulers);
    tcase_add_test(tests, test_setting);
    suite_add_tcase(suite, tests);
    int status = run_suite(suite);
    return remove_folder() ? status : EXIT_FAILURE;
}
