/* counting.c -- the native programs of triangles and betweenness on a device.
 *
 *   counting tc|bc check DEVICE GRAPHS    thousands of small graphs, of all families and directions; some large ones
 *   counting tc|bc time DEVICE GRAPH REPEATS    run milliseconds on a file, median with the spread
 *
 * `check` compares with the serial verifiers, which share no code with the programs; `time` with the program on the
 * CPU. Ends with 1 where an answer is wrong, with 77 where there is no such device.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/apps.h>
#include <ordo/detail/backend.h>

#include "tests/common/graph_set.h"

enum { SOURCES = 4, SHOWN = 10 };

typedef struct question {
    bool triangles;
    const char *device;
    int checked, failures;
} question;

static void failed(question *q, const char *what, const char *why)
{
    if (q->failures++ < SHOWN)
        printf("FAILED %s: %s\n", what, why);
}

/* Spread over the vertices. */
static void choose_sources(const ordo_csr *g, ordo_vid *source)
{
    for (int i = 0; i < SOURCES; i++)
        source[i] = (ordo_vid)((ordo_u64)g->n * (ordo_u64)i / SOURCES);
}

static ordo_status run_bc(const ordo_graph *g, const ordo_options *options, double *score, ordo_stats *stats)
{
    ordo_vid source[SOURCES];
    ordo_betweenness_found found;
    choose_sources(ordo_graph_out(g), source);
    return ordo_betweenness(g, source, ordo_graph_out(g)->n ? SOURCES : 0, options, score, &found, stats);
}

static ordo_status check_bc(const ordo_graph *g, const ordo_options *options, ordo_stats *stats)
{
    ordo_vid source[SOURCES];
    const ordo_csr *rows = ordo_graph_out(g);
    double *score = calloc((size_t)rows->n + 1, sizeof *score);
    if (!score)
        abort();
    choose_sources(rows, source);
    ordo_status status = run_bc(g, options, score, stats);
    if (!status)
        status = ordo_betweenness_verify(g, source, rows->n ? SOURCES : 0, score, 0, ORDO_VERIFY_AUTO);
    else if (status == ORDO_ERR_OVERFLOW) /* of some families with parallel edges */
        status = ORDO_OK;
    free(score);
    return status;
}

static ordo_status check_tc(const ordo_graph *g, const ordo_options *options, ordo_stats *stats)
{
    ordo_triangles_found found;
    const ordo_status status = ordo_triangles(g, options, NULL, &found, stats);
    return status ? status : ordo_triangles_verify(g, NULL, &found, ORDO_VERIFY_AUTO);
}

static void check(void *arg, const ordo_graph *g, const char *what, bool small)
{
    question *q = arg;
    const ordo_options options = {.device = q->device, .scheduler = "native", .timeout = 60, .threads = small ? 4 : 0};
    ordo_stats stats = {0};
    q->checked++;
    if (!g || (q->triangles ? check_tc : check_bc)(g, &options, &stats))
        failed(q, what, ordo_last_error());
    else if (stats.op && (strcmp(stats.backend, q->device) != 0 || strcmp(stats.scheduler, "native") != 0))
        failed(q, what, "not run by the program on that device");
    ordo_stats_free(&stats);
}

static int check_all(question *q, int graphs)
{
    graph_set_small(graphs, check, q);
    if (graphs > 100)
        graph_set_large(check, q);
    printf("%s: %d of %d graphs have the answer of the serial algorithm\n", q->triangles ? "tc" : "bc",
           q->checked - q->failures, q->checked);
    return q->failures != 0;
}

/* ---- times ---- */

static int by_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* An answer: the number of triangles, or scores. */
typedef struct answer {
    ordo_triangles_found found;
    double *score;
} answer;

static ordo_status answer_on(const question *q, const ordo_graph *g, const char *device, answer *out, ordo_stats *stats)
{
    const ordo_options options = {.device = device, .scheduler = "native", .timeout = 120};
    return q->triangles ? ordo_triangles(g, &options, NULL, &out->found, stats)
                        : run_bc(g, &options, out->score, stats);
}

static bool same(const question *q, const answer *a, const answer *b, ordo_vid n)
{
    if (q->triangles)
        return a->found.triangles == b->found.triangles;
    for (ordo_vid v = 0; v < n; v++)
        if (!(fabs(a->score[v] - b->score[v]) <= 1e-9 * a->score[v]))
            return false;
    return true;
}

static int time_file(const question *q, const char *path, int repeats)
{
    enum { MOST = 100 };
    double times[MOST];
    ordo_graph *g = NULL;
    ordo_stats stats = {0};
    if (ordo_graph_read(path, NULL, &g)) {
        fprintf(stderr, "%s\n", ordo_last_error());
        return 3;
    }
    const ordo_csr *rows = ordo_graph_out(g);
    answer expected = {.score = calloc((size_t)rows->n + 1, sizeof(double))};
    answer found = {.score = calloc((size_t)rows->n + 1, sizeof(double))};
    if (!expected.score || !found.score)
        abort();
    ordo_status status = answer_on(q, g, "cpu", &expected, NULL);
    bool right = true;
    repeats = repeats < 1 ? 1 : repeats > MOST ? MOST : repeats;
    for (int i = -1; i < repeats && !status; i++) { /* the first warms up */
        ordo_stats_free(&stats);
        status = answer_on(q, g, q->device, &found, &stats);
        times[i < 0 ? 0 : i] = 1e3 * stats.run_seconds;
        right = right && same(q, &expected, &found, rows->n);
    }
    if (status) {
        printf("  %s: %s\n", path, ordo_last_error());
        return 1;
    }
    qsort(times, (size_t)repeats, sizeof *times, by_double);
    printf("%-28s %9u vertices %10llu edges  %9.4f ms (%.4f to %.4f)  %s\n", path, rows->n, (unsigned long long)rows->m,
           times[repeats / 2], times[0], times[repeats - 1], right ? "right" : "WRONG");
    ordo_stats_free(&stats);
    free(expected.score);
    free(found.score);
    ordo_graph_free(g);
    return !right;
}

int main(int count, char **words)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* what came before a kernel that hangs is wanted, too */
    if (count >= 5 && (!strcmp(words[1], "tc") || !strcmp(words[1], "bc"))) {
        question q = {.triangles = !strcmp(words[1], "tc"), .device = words[3]};
        const ordo_backend *backend;
        char name[ORDO_DEVICE_NAME];
        if (strcmp(q.device, "cpu") != 0 && (ordo_backend_load(q.device, &backend) || backend->probe(name))) {
            printf("skipped: %s\n", ordo_last_error());
            return 77;
        }
        if (count == 5 && !strcmp(words[2], "check"))
            return check_all(&q, atoi(words[4]));
        if (count == 6 && !strcmp(words[2], "time"))
            return time_file(&q, words[4], atoi(words[5]));
    }
    fprintf(stderr, "usage: counting tc|bc check DEVICE GRAPHS | counting tc|bc time DEVICE GRAPH REPEATS\n");
    return 2;
}
