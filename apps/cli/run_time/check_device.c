/* check_device.c -- `ordo check-operator FILE --device DEVICE`: the operator under every scheduler on a device (a
 * critical operator also under every sync), on small random graphs. Each answer is verified as `ordo run --verify`
 * does, and so compared with a serial run.
 *
 * What is declared has been tested before (check.c). A wrong answer here is a property that those cases missed, code
 * that another compiler understands differently, or an error of a scheduler.
 */
#include "apps/cli/run_time/operator.h"

#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>

enum { GRAPHS = 7, MOST_VERTICES = 3000, EDGES_EACH = 4, SECONDS = 10 };

/* Vertices of each graph. The third has a long path, the last one a vertex that all edges begin or end at. */
static const ordo_vid sizes[GRAPHS] = {1, 2, 700, 9, 80, 1000, MOST_VERTICES};
enum { LONG_PATH = 2, HUB = GRAPHS - 1 };

static ordo_u32 draw(ordo_u64 *x, ordo_u64 below)
{
    *x = *x * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
    return (ordo_u32)((*x >> 33) % below);
}

/* A weight from 0 to 99, as a word of its type. */
static ordo_u32 draw_weight(ordo_u64 *x, ordo_type type)
{
    const ordo_u32 whole = draw(x, 100);
    const ordo_f32 real = (ordo_f32)whole / 4;
    ordo_u32 word = whole;
    if (type == ORDO_F32)
        memcpy(&word, &real, sizeof word);
    return word;
}

static ordo_status make_graph(int which, ordo_u64 *x, ordo_type weight, ordo_direction direction, ordo_graph **out)
{
    const ordo_vid n = sizes[which];
    const ordo_u64 m = (ordo_u64)n * EDGES_EACH;
    ordo_edge_entry *edges = malloc(m * sizeof *edges);
    if (!edges)
        return ordo_fail(ORDO_ERR_MEMORY, "no memory for a graph of %u vertices", n);
    for (ordo_u64 i = 0; i < m; i++) {
        edges[i] = (ordo_edge_entry){draw(x, n), draw(x, n), draw_weight(x, weight)};
        if (which == LONG_PATH) {
            edges[i].tail = (ordo_vid)(i % n);
            edges[i].head = (edges[i].tail + 1) % n;
        } else if (which == HUB) {
            edges[i].tail = i % 2 ? 0 : edges[i].tail;
            edges[i].head = i % 2 ? edges[i].head : 0;
        }
    }
    ordo_status status = ordo_graph_from_edges(n, edges, m, weight == ORDO_NONE ? ORDO_U32 : weight, direction, 1, out);
    free(edges);
    return status;
}

/* Runs an app under a scheduler on one graph. ORDO_ERR_VERIFY and ORDO_ERR_TIMEOUT: it is wrong. */
static ordo_status run_graph(const ordo_app *app, const ordo_options *run, const ordo_graph *g)
{
    const ordo_app_input input = {.graph = g};
    ordo_answer answer = {0};
    ordo_stats stats = {0};
    ordo_status status = app->run(&input, run, &answer, &stats);
    if (!status)
        status = app->verify(&input, &answer, ORDO_VERIFY_AUTO);
    ordo_stats_free(&stats);
    ordo_free(answer.values);
    return status;
}

static ordo_status run_graphs(const options *o, const ordo_app *app, const ordo_options *run)
{
    const bool both = o->edges.direction == ORDO_SYMMETRISE || app->op(NULL)->properties & ORDO_BOTH_DIRECTIONS;
    ordo_status status = ORDO_OK;
    ordo_u64 x = o->seed;
    for (int i = 0; i < GRAPHS && !status; i++) {
        ordo_graph *g;
        status = make_graph(i, &x, app->weight, both ? ORDO_SYMMETRISE : ORDO_AS_STORED, &g);
        if (status)
            return status;
        status = run_graph(app, run, g);
        ordo_graph_free(g);
    }
    return status;
}

/* Lists the runs under a scheduler: one or, of a critical operator, which is the same under locks, owners and servers
 * by what it declares, one for each sync. */
static int list_runs(const char *scheduler, int kind, const char *device, ordo_options *run, int count)
{
    const ordo_pairing *pair = ordo_scheduler_find(scheduler)->pairings;
    const ordo_options one = {.scheduler = scheduler, .device = device, .timeout = SECONDS};
    if (kind != ORDO_KIND_CRITICAL && count < RUN_TIME_SCHEDULERS)
        run[count++] = one;
    for (; pair->kind && kind == ORDO_KIND_CRITICAL; pair++)
        if (pair->kind == kind && count < RUN_TIME_SCHEDULERS) {
            run[count] = one;
            run[count++].sync = ordo_sync_name(pair->sync);
        }
    return count;
}

ordo_status run_time_check_device(const options *o, const char *file, char *first, size_t size)
{
    ordo_options run[RUN_TIME_SCHEDULERS];
    const ordo_options *runs[RUN_TIME_SCHEDULERS];
    const ordo_app *app;
    int count = 0;
    ordo_status status = run_time_app(o, file, &app);
    if (status)
        return status;
    for (const char *const *name = scheduler_names(); *name; name++)
        count = list_runs(*name, app->op(NULL)->kind, o->device, run, count);
    for (int i = 0; i < count; i++)
        runs[i] = &run[i];
    run_time_ahead(o, app, runs, count);
    for (int i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.40s%s%s", run[i].scheduler, run[i].sync ? ", " : "",
                 run[i].sync ? run[i].sync : "");
        status = run_graphs(o, app, &run[i]);
        if (status == ORDO_ERR_UNSOUND)
            continue;
        const bool wrong = status == ORDO_ERR_VERIFY || status == ORDO_ERR_TIMEOUT;
        if (status && !wrong)
            return status;
        if (!o->quiet)
            printf("  answer under %-19s %s%s\n", name, wrong ? "FAILS: " : "holds", wrong ? ordo_last_error() : "");
        if (wrong && !first[0])
            snprintf(first, size, "%s: operator '%s' under scheduler '%s' on device '%s': %.600s", file, app->name,
                     name, o->device, ordo_last_error());
    }
    return ORDO_OK;
}
