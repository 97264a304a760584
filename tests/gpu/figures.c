/* figures.c -- times runs on a GPU: kernel milliseconds, medians with the spread, every answer compared with the CPU's.
 *
 *   figures GRAPH SOURCES REPEATS OPERATOR:SCHEDULER[:SYNC][:SETTING,...] ...
 *
 * SOURCES: vertices, separated by commas, or xK: K vertices with out-edges, drawn by a fixed seed among those that the
 * vertex of most edges reaches. OPERATOR: sssp_u32, sssp_f32 (weights of a graph of whole numbers as f32), bfs, cc or
 * widest_u32. One line a run: the median over all sources and repeats, the least and the most, nanoseconds per edge
 * that was processed (a median, too), and the counts of the last source. Ends with 1 where an answer is wrong or a run
 * fails. DEVICE in the environment: another device than cuda. The graph stays on the device from the first run on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum { MOST_SOURCES = 64, MOST_REPEATS = 100, SETTINGS = 8 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Means over the trace of delta, of the number of buckets dequeued at once and, if known, of utilisation. */
static const char *pace(const ordo_stats *s)
{
    static char text[128];
    double busy = 0, concurrent = 0;
    size_t n = s->trace_count ? s->trace_count : 1;
    text[0] = 0;
    if (!s->delta_first)
        return text;
    for (size_t i = 0; i < s->trace_count; i++) {
        busy += s->trace[i].utilisation;
        concurrent += s->trace[i].concurrent;
    }
    const int end = snprintf(text, sizeof text, "  stale %.1f M  delta %g to %g  buckets %.1f", 1e-6 * (double)s->stale,
                             s->delta_first, s->delta_last, concurrent / (double)n);
    if (busy > 0)
        snprintf(text + end, sizeof text - (size_t)end, "  utilisation %.3f", busy / (double)n);
    return text;
}

/* The CPU's answers for one operator, one for each source, kept until another operator is run. */
typedef struct answers {
    char op[32];
    ordo_graph *graph; /* with that operator's weights */
    ordo_u32 *words, *cells[MOST_SOURCES];
} answers;

static void forget(answers *a)
{
    for (int i = 0; i < MOST_SOURCES; i++)
        ordo_free(a->cells[i]);
    ordo_graph_free(a->graph);
    ordo_free(a->words);
    *a = (answers){0};
}

static bool find_answers(answers *a, ordo_graph *g, const char *op, const ordo_vid *source, size_t sources)
{
    const ordo_options on_cpu = {.scheduler = "delta"};
    if (!strcmp(a->op, op))
        return true;
    forget(a);
    if (!(a->graph = trial_graph(g, op, &a->words)))
        return false;
    snprintf(a->op, sizeof a->op, "%s", op);
    for (size_t i = 0; i < sources; i++) {
        a->cells[i] = ordo_alloc(ordo_graph_out(g)->n, sizeof **a->cells);
        if (!a->cells[i] || trial_run(a->graph, op, source[i], &on_cpu, a->cells[i], NULL)) {
            a->op[0] = 0;
            return false;
        }
    }
    return true;
}

static size_t read_sources(const ordo_graph *g, char *text, ordo_vid *source)
{
    size_t count = 0;
    char *state = NULL;
    if (text[0] == 'x') {
        count = strtoul(text + 1, NULL, 10);
        count = count < MOST_SOURCES ? count : MOST_SOURCES;
        return trial_sources(g, 20120528, count, source) ? count : 0;
    }
    for (char *s = strtok_r(text, ",", &state); s && count < MOST_SOURCES; s = strtok_r(NULL, ",", &state)) {
        char *end;
        const unsigned long v = strtoul(s, &end, 10);
        if (*end || end == s || v >= ordo_graph_out(g)->n)
            return 0;
        source[count++] = (ordo_vid)v;
    }
    return count;
}

/* One line. False where an answer is wrong or a run fails. */
static bool time_run(ordo_graph *g, const char *word, const ordo_vid *source, size_t sources, int repeats, answers *a,
                     ordo_u32 *cells)
{
    static double times[MOST_SOURCES * MOST_REPEATS], each[MOST_SOURCES * MOST_REPEATS];
    char text[256], *state = NULL;
    const char *settings[SETTINGS];
    snprintf(text, sizeof text, "%s", word);
    char *op = strtok_r(text, ":", &state), *scheduler = strtok_r(NULL, ":", &state);
    char *sync = strtok_r(NULL, ":", &state), *list = strtok_r(NULL, ":", &state);
    ordo_options options = {.scheduler = scheduler, .sync = sync, .device = "cuda", .settings = settings};
    if (getenv("DEVICE"))
        options.device = getenv("DEVICE");
    for (char *s = list ? strtok_r(list, ",", &state) : NULL; s && options.setting_count < SETTINGS;
         s = strtok_r(NULL, ",", &state))
        settings[options.setting_count++] = s;
    bool done = op && scheduler && find_answers(a, g, op, source, sources);
    if (!op || !strcmp(op, "cc"))
        sources = 1; /* it has none */
    ordo_stats stats = {0};
    ordo_u64 bad = 0;
    size_t count = 0;
    for (size_t i = 0; i < sources && done; i++)
        for (int k = i ? 0 : -1; k < repeats && done; k++) { /* the first warms up */
            ordo_vid first;
            ordo_stats_free(&stats);
            done = !trial_run(a->graph, op, source[i], &options, cells, &stats);
            if (done)
                bad += trial_differ(cells, a->cells[i], ordo_graph_out(g)->n, &first);
            if (done && k >= 0) {
                times[count] = 1e3 * stats.run_seconds;
                each[count++] = stats.edges ? 1e9 * stats.run_seconds / (double)stats.edges : 0;
            }
        }
    if (!done) {
        printf("  %-52s %s\n", word, op && scheduler ? ordo_last_error() : "expected OPERATOR:SCHEDULER");
        return false;
    }
    qsort(times, count, sizeof *times, compare);
    qsort(each, count, sizeof *each, compare);
    printf("  %-52s %9.3f ms (%.3f to %.3f, %zu runs)  %.3f ns an edge  steps %llu  edges %.1f M  useful %.1f M%s%s\n",
           word, times[count / 2], times[0], times[count - 1], count, each[count / 2],
           (unsigned long long)stats.supersteps, 1e-6 * (double)stats.edges, 1e-6 * (double)stats.useful, pace(&stats),
           bad ? "  WRONG" : "");
    ordo_stats_free(&stats);
    fflush(stdout);
    return !bad;
}

int main(int count, char **words)
{
    ordo_graph *g;
    ordo_vid source[MOST_SOURCES];
    const ordo_read_options read = {0};
    int repeats = count > 3 ? atoi(words[3]) : 0, wrong = 0;
    repeats = repeats < MOST_REPEATS ? repeats : MOST_REPEATS;
    if (count < 5 || repeats < 1) {
        fprintf(stderr, "usage: figures GRAPH SOURCE,...|xK REPEATS OPERATOR:SCHEDULER[:SYNC][:SETTING,...] ...\n");
        return 2;
    }
    if (ordo_graph_read(words[1], &read, &g)) {
        fprintf(stderr, "%s\n", ordo_last_error());
        return 3;
    }
    const size_t sources = read_sources(g, words[2], source);
    ordo_u32 *cells = ordo_alloc(ordo_graph_out(g)->n + (size_t)1, sizeof *cells);
    answers a = {0};
    if (!cells || !sources) {
        fprintf(stderr, "%s: found no source among its vertices, or no memory\n", words[1]);
        return 2;
    }
    printf("%s: %u vertices, %llu edges; sources", words[1], ordo_graph_out(g)->n,
           (unsigned long long)ordo_graph_out(g)->m);
    for (size_t i = 0; i < sources; i++)
        printf(" %u", source[i]);
    printf("\n");
    for (int i = 4; i < count; i++)
        wrong |= !time_run(g, words[i], source, sources, repeats, &a, cells);
    forget(&a);
    ordo_free(cells);
    ordo_graph_free(g);
    return wrong;
}
