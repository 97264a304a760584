/* errors.cu -- what only a GPU can show: memory that does not suffice, time that is up, a signal in the middle of a
 * run, a kernel that does not end; and that runs after each are right.
 *
 *   errors [memory|time|signal|odd|deaf] ...   (memory time signal)
 *
 * odd and deaf need the back end of tests/gpu/fault_backend (tools/gpu-check puts it in the place of the real one).
 * deaf comes last: after it the process has no GPU any more. Ends with 1 where something failed, 77 without a GPU.
 */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cuda_runtime.h>

#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

static int failures;
static volatile int interrupted;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One line; the sentence of the last failure where it is of interest. */
static void expect(bool right, const char *what, const char *scheduler)
{
    printf("  %-6s %s%s%s: %s\n", right ? "ok" : "FAILED", what, scheduler ? ", " : "", scheduler ? scheduler : "",
           ordo_last_error());
    fflush(stdout);
    failures += !right;
}

static bool says(const char *text)
{
    return strstr(ordo_last_error(), text) != NULL && !strchr(ordo_last_error(), '\n');
}

/* ---- graphs and runs ---- */

typedef struct problem {
    ordo_graph *graph;
    ordo_vid n, source;
    ordo_u32 *right, *dist;
} problem;

static void make(problem *p, const char *kind, ordo_u64 vertices, ordo_u32 scale, bool from_end)
{
    ordo_generate_options g = {};
    ordo_options on_cpu = {};
    g.kind = kind;
    g.vertices = vertices;
    g.scale = scale;
    if (strcmp(kind, "road")) {
        g.edges.low = 1;
        g.edges.high = 9;
    }
    *p = problem{};
    if (ordo_graph_generate(&g, &p->graph) == ORDO_OK) {
        p->n = ordo_graph_out(p->graph)->n;
        p->source = from_end ? p->n - 1 : 0;
        p->right = (ordo_u32 *)malloc(p->n * sizeof *p->right);
        p->dist = (ordo_u32 *)malloc(p->n * sizeof *p->dist);
        if (p->right && p->dist && ordo_sssp(p->graph, p->source, INFINITY, &on_cpu, p->right, NULL, NULL) == ORDO_OK)
            return;
    }
    printf("cannot make a graph: %s\n", ordo_last_error());
    exit(1);
}

static void drop(problem *p)
{
    free(p->right);
    free(p->dist);
    ordo_graph_free(p->graph);
}

static ordo_status run(problem *p, const char *scheduler, const char *device, double timeout, ordo_stats *stats)
{
    ordo_options options = {};
    options.scheduler = scheduler;
    options.device = device;
    options.timeout = timeout;
    options.cancel = &interrupted;
    ordo_status status = ordo_sssp(p->graph, p->source, INFINITY, &options, p->dist, NULL, stats);
    if (status == ORDO_OK)
        ordo_fail(ORDO_OK, "done"); /* for expect */
    return status;
}

static bool right(const problem *p)
{
    return !memcmp(p->dist, p->right, p->n * sizeof *p->dist);
}

/* Cells only get better, and never better than right, whenever a run is ended. */
static bool bounds(const problem *p)
{
    for (ordo_vid v = 0; v < p->n; v++)
        if (p->dist[v] < p->right[v])
            return false;
    return true;
}

static void expect_right(problem *p, const char *scheduler, const char *when)
{
    bool good = run(p, scheduler, "cuda", 0, NULL) == ORDO_OK && right(p);
    expect(good, when, scheduler);
}

static bool on_gpu(const ordo_scheduler *s, problem *p)
{
    ordo_options options = {};
    ordo_u64 expected, at_most;
    options.scheduler = s->name;
    options.device = "cuda";
    return ordo_sssp_memory(p->graph, &options, &expected, &at_most) == ORDO_OK;
}

/* ---- the parts ---- */

/* Takes all of the device's memory but `leave` bytes, in pieces, for the last ones. */
enum { HELD = 64 };
static void *held[HELD];

static void hold(size_t leave)
{
    size_t left = 0, whole = 0;
    for (int i = 0; i < HELD; i++) {
        cudaMemGetInfo(&left, &whole);
        if (left <= leave || cudaMalloc(&held[i], left - leave) != cudaSuccess) {
            cudaGetLastError();
            held[i] = NULL;
            leave += 1 << 20; /* what is free is not all in one piece */
        }
    }
    cudaMemGetInfo(&left, &whole);
    printf("  %zu of %zu bytes are left\n", left, whole);
}

static void let_go(void)
{
    for (int i = 0; i < HELD; i++) {
        cudaFree(held[i]);
        held[i] = NULL;
    }
}

static void memory(void)
{
    enum { MARGIN = 8 << 20 };
    problem p;
    ordo_stats stats = {};
    make(&p, "rmat", 0, 20, false);
    const ordo_csr *g = ordo_graph_out(p.graph);
    size_t rows = ((size_t)g->n + 1) * 8 + g->m * 8, cells = (size_t)g->n * 4;
    problem small;
    make(&small, "road", 1000, 0, false);
    expect_right(&small, "bsp", "room enough"); /* the kernels are loaded while there is room for them */
    expect_right(&small, "near_far", "room enough");

    hold(rows / 2);
    expect(run(&p, "near_far", "cuda", 0, NULL) == ORDO_ERR_MEMORY && says(" bytes or more, ") && says(" are free"),
           "rows do not fit", "near_far");
    expect(run(&p, "near_far", "auto", 0, &stats) == ORDO_OK && right(&p) && !strcmp(stats.backend, "cpu") &&
               strstr(stats.fallback, " bytes or more, "),
           "rows do not fit, auto", "near_far");
    ordo_stats_free(&stats);
    let_go();

    hold(rows + cells + MARGIN); /* near_far takes 24 bytes an item besides */
    expect(run(&p, "near_far", "cuda", 0, NULL) == ORDO_ERR_MEMORY && says(" bytes or more, "), "worklists do not fit",
           "near_far");
    expect(run(&p, "near_far", "auto", 0, &stats) == ORDO_OK && right(&p) && !strcmp(stats.backend, "cpu"),
           "worklists do not fit, auto", "near_far");
    ordo_stats_free(&stats);
    let_go();

    expect_right(&p, "near_far", "room again");
    drop(&small);
    drop(&p);
}

static void time_is_up(void)
{
    const ordo_scheduler *all[64];
    size_t count = ordo_schedulers(all, 64);
    problem road, path;
    make(&road, "road", 300000, 0, false);
    make(&path, "path", 2000000, 0, true); /* millions of supersteps */
    for (size_t i = 0; i < count; i++) {
        if (!on_gpu(all[i], &road))
            continue;
        char sentence[128];
        snprintf(sentence, sizeof sentence, "sssp_u32 under '%s' did not end within 1e-06 s: superstep ", all[i]->name);
        expect(run(&road, all[i]->name, "cuda", 1e-6, NULL) == ORDO_ERR_TIMEOUT && says(sentence) && bounds(&road),
               "a microsecond", all[i]->name);
        expect_right(&road, all[i]->name, "after that");
        double start = now();
        ordo_status status = run(&path, all[i]->name, "cuda", 0.2, NULL);
        double took = now() - start;
        printf("  %.3f s\n", took);
        expect((status == ORDO_ERR_TIMEOUT || (status == ORDO_OK && right(&path))) && bounds(&path) && took < 3,
               "a fifth of a second", all[i]->name);
        expect_right(&road, all[i]->name, "after that");
    }
    drop(&path);
    drop(&road);
}

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static void *signal_later(void *arg)
{
    (void)arg;
    usleep(200000);
    kill(getpid(), SIGINT);
    return NULL;
}

static void interrupt(void)
{
    problem road, path;
    make(&road, "road", 300000, 0, false);
    make(&path, "path", 2000000, 0, true);
    signal(SIGINT, on_signal);
    for (int i = 0; i < 2; i++) {
        const char *scheduler = i ? "near_far" : "bsp";
        pthread_t thread;
        expect_right(&road, scheduler, "before a signal");
        if (pthread_create(&thread, NULL, signal_later, NULL))
            exit(1);
        double start = now();
        ordo_status status = run(&path, scheduler, "cuda", 0, NULL);
        double took = now() - start;
        pthread_join(thread, NULL);
        interrupted = 0;
        printf("  %.3f s\n", took);
        expect(status == ORDO_ERR_CANCELLED && says("cancelled after ") && bounds(&path) && took < 3, "a signal",
               scheduler);
        expect_right(&road, scheduler, "after it");
    }
    drop(&path);
    drop(&road);
}

/* ORDO_FAULT=slow: a kernel that goes on for ever, until it is told to end, and a scheduler that has something to say.
 */
static void odd(void)
{
    problem road;
    make(&road, "road", 20000, 0, false);
    setenv("ORDO_FAULT", "slow", 1);
    expect(run(&road, "bsp", "cuda", 0.3, NULL) == ORDO_ERR_TIMEOUT && says("; odd queue: ") &&
               says(" steps were made"),
           "a scheduler explains", "bsp");
    unsetenv("ORDO_FAULT");
    expect_right(&road, "bsp", "after that");
    drop(&road);
}

/* ORDO_FAULT=deaf: a kernel that looks at nothing for twenty seconds. */
static void deaf(void)
{
    problem road;
    make(&road, "road", 20000, 0, false);
    setenv("ORDO_FAULT", "deaf", 1);
    setenv("FAULT_SECONDS", "20", 1);
    double start = now();
    ordo_status status = run(&road, "bsp", "cuda", 0.3, NULL);
    double took = now() - start;
    expect(status == ORDO_ERR_TIMEOUT && says("superstep 7, 42 items in flight; the kernel still runs 5 s after"),
           "a kernel that does not end", "bsp");
    expect(run(&road, "near_far", "cuda", 0, NULL) == ORDO_ERR_DEVICE && says("an earlier run"), "a run after it",
           "near_far");
    expect(run(&road, "near_far", "auto", 0, NULL) == ORDO_OK && right(&road), "auto after it", "near_far");
    drop(&road);
    printf("  given up after %.1f s, all done after %.1f s\n", took, now() - start);
    expect(now() - start < 12, "nothing waited for the kernel", NULL);
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        void (*run)(void);
        bool always;
    } parts[] = {{"memory", memory, true},
                 {"time", time_is_up, true},
                 {"signal", interrupt, true},
                 {"odd", odd, false},
                 {"deaf", deaf, false}};
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("skipped: no GPU\n");
        return 77;
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        bool asked = count == 1 && parts[i].always;
        for (int k = 1; k < count; k++)
            asked = asked || !strcmp(words[k], parts[i].name);
        if (!asked)
            continue;
        printf("%s\n", parts[i].name);
        parts[i].run();
    }
    printf("%d failed\n", failures);
    return failures > 0;
}
