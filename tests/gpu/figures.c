/* figures.c -- times runs on a GPU: kernel milliseconds, medians with the spread, every answer compared with the CPU's.
 *
 *   figures GRAPH SOURCES REPEATS OPERATOR:SCHEDULER[:SYNC][:SETTING,...] ...
 *
 * SOURCES: vertices, separated by commas, or xK: K vertices with out-edges, drawn by a fixed seed among those that the
 * vertex of most edges reaches. OPERATOR: sssp_u32, sssp_f32 (weights of a graph of whole numbers as f32), bfs, cc or
 * widest_u32. One line a run: the median over all sources and repeats, the least and the most, nanoseconds per edge
 * that was processed (a median, too), and the counts of the last source. Ends with 1 where an answer is wrong or a run
 * fails. DEVICE in the environment: another device than cuda. The graph stays on the device from the first run on.
 *   With TRACED in the environment every run is made with a trace, too, alternately before and after the one without;
 * a second line has the median of the quotients of their times, and what the last trace shows. Ends with 1, too, where
 * a trace is not as it should be: columns that fall, other totals than the run's, no sample of work. TRACED=PERIOD: a
 * period in seconds, 0: chosen.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/trace.h>

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

/* ---- traces ---- */

/* Quotients of times with and without a trace, and the last trace. */
typedef struct traced_runs {
    ordo_trace *trace; /* NULL: no traces are asked for */
    double quotient[MOST_SOURCES * MOST_REPEATS];
    size_t count, fewest; /* samples of the run that had the fewest */
    const char *wrong;
} traced_runs;

static bool falls(const ordo_trace_sample *a, const ordo_trace_sample *b)
{
    return b->seconds < a->seconds || b->items < a->items || b->edges < a->edges || b->useful < a->useful ||
           b->stale < a->stale || b->activations < a->activations || b->spills < a->spills;
}

/* What is wrong with a trace, or NULL. */
static const char *trace_fault(const ordo_trace_view *v, const ordo_stats *s)
{
    const ordo_trace_sample *last = &v->samples[v->sample_count - 1];
    ordo_u64 in_flight = 0, busy = 0;
    if (v->sample_count < 2 || v->incomplete)
        return "no samples";
    for (size_t i = 1; i < v->sample_count; i++) {
        if (falls(&v->samples[i - 1], &v->samples[i]))
            return "a column falls";
        in_flight += i + 1 < v->sample_count ? v->samples[i].in_flight : 0;
        busy += v->samples[i].busy;
    }
    if (last->items != s->items || last->edges != s->edges || last->useful != s->useful || last->stale != s->stale ||
        last->activations != s->activations)
        return "other totals than the run's";
    if (v->event_count && v->events[v->event_count - 1].at.seconds > last->seconds + 1e-4)
        return "an event after the end";
    if (last->seconds < 0.9 * s->run_seconds || last->seconds > s->run_seconds + 1e-3)
        return "another duration than the run's";
    if (v->sample_count > 8 && (!in_flight || !busy))
        return "nothing in flight, or nobody busy";
    if (v->sample_count > 30 && v->samples[v->sample_count - 2].edges < last->edges / 2)
        return "half of the edges are in the last sample";
    return NULL;
}

/* One run with a trace; its time. */
static double traced_run(traced_runs *t, ordo_graph *g, const char *op, ordo_vid source, ordo_options options,
                         ordo_u32 *cells)
{
    ordo_stats s = {0};
    ordo_trace_clear(t->trace);
    options.trace = t->trace;
    if (trial_run(g, op, source, &options, cells, &s)) {
        t->wrong = ordo_last_error();
        return 0;
    }
    const ordo_trace_view v = ordo_trace_look(t->trace);
    const char *fault = trace_fault(&v, &s);
    const double seconds = s.run_seconds;
    t->wrong = fault ? fault : t->wrong;
    t->fewest = v.sample_count < t->fewest ? v.sample_count : t->fewest;
    ordo_stats_free(&s);
    return seconds;
}

static void print_traced(traced_runs *t)
{
    const ordo_trace_view v = ordo_trace_look(t->trace);
    double busy = 0;
    ordo_u64 in_flight = 0;
    for (size_t i = 0; i < v.sample_count; i++) {
        busy += v.samples[i].busy;
        in_flight = v.samples[i].in_flight > in_flight ? v.samples[i].in_flight : in_flight;
    }
    qsort(t->quotient, t->count, sizeof *t->quotient, compare);
    printf("    traced: %.4f times (%.3f to %.3f)  %zu samples (at least %zu) every %.0f us  busy %.3f of %d  at most "
           "%llu in flight%s%s\n",
           t->quotient[t->count / 2], t->quotient[0], t->quotient[t->count - 1], v.sample_count, t->fewest,
           1e6 * v.period, busy / (double)v.sample_count / v.threads, v.threads, (unsigned long long)in_flight,
           t->wrong ? "  WRONG: " : "", t->wrong ? t->wrong : "");
}

/* ---- runs ---- */

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
    static traced_runs traced;
    ordo_stats stats = {0};
    ordo_u64 bad = 0;
    size_t count = 0;
    traced = (traced_runs){.fewest = (size_t)-1};
    if (getenv("TRACED") && ordo_trace_make(atof(getenv("TRACED")), &traced.trace))
        return false;
    for (size_t i = 0; i < sources && done; i++)
        for (int k = i ? 0 : -1; k < repeats && done; k++) { /* the first warms up */
            ordo_vid first;
            const bool first_traced = traced.trace && k % 2;
            double with = first_traced ? traced_run(&traced, a->graph, op, source[i], options, cells) : 0;
            ordo_stats_free(&stats);
            done = !trial_run(a->graph, op, source[i], &options, cells, &stats);
            if (done)
                bad += trial_differ(cells, a->cells[i], ordo_graph_out(g)->n, &first);
            if (done && traced.trace && !first_traced)
                with = traced_run(&traced, a->graph, op, source[i], options, cells);
            if (done && traced.trace && k >= 0)
                traced.quotient[traced.count++] = with / stats.run_seconds;
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
    if (traced.trace)
        print_traced(&traced);
    ordo_trace_free(traced.trace);
    fflush(stdout);
    return !bad && !traced.wrong;
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
