/* figures.c -- times runs on a GPU: kernel milliseconds, medians with the spread, every answer compared with the CPU's.
 *
 *   figures GRAPH SOURCE REPEATS OPERATOR:SCHEDULER[:SYNC][:SETTING,...] ...
 *
 * OPERATOR: sssp_u32, bfs or cc. One line a run; ends with 1 where an answer is wrong. The graph stays on the device
 * from the first run on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/ordo.h>
#include <ordo/run.h>

#define ORDO_WEIGHT u32
#include "operators/sssp.h"
#undef ORDO_WEIGHT
#include "operators/bfs.h"
#include "operators/cc.h"

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void fill(const char *op, ordo_u32 *cells, ordo_vid n, ordo_vid source)
{
    for (ordo_vid v = 0; v < n; v++)
        cells[v] = strcmp(op, "cc") ? 0xffffffffu : v;
    if (strcmp(op, "cc"))
        cells[source] = 0;
}

static ordo_status run(const ordo_graph *g, const char *op, ordo_vid source, const ordo_options *options,
                       ordo_u32 *cells, ordo_stats *stats)
{
    static const sssp_state_u32 sssp = {0xfffffffeu};
    static const bfs_state bfs = {0xfffffffeu};
    ordo_vid n = ordo_graph_out(g)->n;
    ordo_work work = {.op = ordo_operator_find(op), .graph = g, .cells = cells, .universe = n, .targets = n};
    work.state = !strcmp(op, "bfs") ? (const void *)&bfs : !strcmp(op, "cc") ? NULL : (const void *)&sssp;
    if (strcmp(op, "cc")) {
        work.initial = &source;
        work.initial_count = 1;
    }
    fill(op, cells, n, source);
    return ordo_run(&work, options, stats);
}

/* How delta, the number of buckets dequeued at once and utilisation went: means over the trace. */
static const char *pace(const ordo_stats *s)
{
    static char text[128];
    double busy = 0, concurrent = 0;
    size_t n = s->trace_count ? s->trace_count : 1;
    text[0] = 0;
    if (strcmp(s->scheduler, "adds"))
        return text;
    for (size_t i = 0; i < s->trace_count; i++) {
        busy += s->trace[i].utilisation;
        concurrent += s->trace[i].concurrent;
    }
    snprintf(text, sizeof text, "  stale %.1f M  delta %g to %g  buckets %.1f  utilisation %.3f",
             1e-6 * (double)s->stale, s->delta_first, s->delta_last, concurrent / (double)n, busy / (double)n);
    return text;
}

int main(int count, char **words)
{
    enum { MOST = 100, SETTINGS = 8 };
    ordo_graph *g;
    if (count < 5) {
        fprintf(stderr, "usage: figures GRAPH SOURCE REPEATS OPERATOR:SCHEDULER[:SYNC][:SETTING,...] ...\n");
        return 2;
    }
    ordo_read_options read = {0};
    if (ordo_graph_read(words[1], &read, &g) != ORDO_OK) {
        fprintf(stderr, "%s\n", ordo_last_error());
        return 3;
    }
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_vid source = (ordo_vid)strtoul(words[2], NULL, 10);
    int repeats = atoi(words[3]) < MOST ? atoi(words[3]) : MOST, wrong = 0;
    ordo_u32 *cells = malloc((rows->n + (size_t)1) * sizeof *cells),
             *expected = malloc((rows->n + (size_t)1) * sizeof *cells);
    char known[32] = "";
    if (!cells || !expected || source >= rows->n)
        return 2;
    printf("%s: %u vertices, %llu edges\n", words[1], rows->n, (unsigned long long)rows->m);
    for (int i = 4; i < count; i++) {
        char text[256], *state = NULL, *settings[SETTINGS];
        snprintf(text, sizeof text, "%s", words[i]);
        char *op = strtok_r(text, ":", &state), *scheduler = strtok_r(NULL, ":", &state);
        char *sync = strtok_r(NULL, ":", &state), *list = strtok_r(NULL, ":", &state);
        ordo_options on_cpu = {.scheduler = "delta"},
                     options = {.scheduler = scheduler, .sync = sync, .device = "cuda"};
        size_t used = 0;
        for (char *s = list ? strtok_r(list, ",", &state) : NULL; s && used < SETTINGS; s = strtok_r(NULL, ",", &state))
            settings[used++] = s;
        options.settings = (const char *const *)settings;
        options.setting_count = used;
        if (strcmp(known, op)) {
            if (run(g, op, source, &on_cpu, expected, NULL) != ORDO_OK) {
                fprintf(stderr, "%s\n", ordo_last_error());
                return 1;
            }
            snprintf(known, sizeof known, "%s", op);
        }
        double times[MOST];
        ordo_stats stats = {0};
        ordo_u64 bad = 0;
        ordo_status status = ORDO_OK;
        for (int k = -1; k < repeats && !status; k++) { /* the first warms up */
            ordo_stats_free(&stats);
            status = run(g, op, source, &options, cells, &stats);
            if (k >= 0)
                times[k] = 1e3 * stats.run_seconds;
            for (ordo_vid v = 0; v < rows->n && !status; v++)
                bad += cells[v] != expected[v];
        }
        if (status) {
            printf("  %-52s %s\n", words[i], ordo_last_error());
            wrong = 1;
            continue;
        }
        qsort(times, (size_t)repeats, sizeof *times, compare);
        printf("  %-52s %9.3f ms (%.3f to %.3f)  steps %llu  edges %.1f M  useful %.1f M%s%s\n", words[i],
               times[repeats / 2], times[0], times[repeats - 1], (unsigned long long)stats.supersteps,
               1e-6 * (double)stats.edges, 1e-6 * (double)stats.useful, pace(&stats), bad ? "  WRONG" : "");
        wrong |= bad != 0;
        ordo_stats_free(&stats);
        fflush(stdout);
    }
    free(cells);
    free(expected);
    ordo_graph_free(g);
    return wrong;
}
