/* external_operator.cu -- an operator compiled into a program, on the CUDA back end without a GPU: which instance a run
 * gets, how the state's arrays are copied, and the error for a kernel that is not known.
 *
 * The program is linked with the back end's host part, and contains its own copy of fake_runtime.cc, just as programs
 * and libordo-cuda.so each contain a CUDA runtime. Its kernel is a function of the host. Everything that it calls of
 * the back end is exported. Prints a line for each check; ends with 1 if one failed. tests/install/projects is the same
 * with a GPU.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/scheduler/cuda_host.h>
#include <ordo/operator/operator.h>
#include <ordo/ordo.h>

/* Shortest paths with a toll at every vertex that is left, and nothing beyond a limit of the head's own. */
typedef struct toll_state {
    const ordo_u32 *toll, *limit; /* [n] */
    const ordo_u32 *dist;         /* the cells */
    const ordo_u32 *nothing;      /* NULL */
    ordo_u32 most;
} toll_state;

ORDO_FN ordo_u32 toll_candidate(const toll_state *s, ordo_u32 du, ordo_edge_u32 e)
{
    ordo_u32 dv = ordo_add_sat_u32(ordo_add_sat_u32(du, s->toll[e.tail]), e.weight);
    return dv < s->most && dv < s->limit[2 * e.head + 1] && dv < ordo_load_u32(&s->dist[e.head]) ? dv
                                                                                                 : ordo_highest_u32();
}

#define ORDO_OP toll
#define ORDO_RELAX toll
#define ORDO_RELAX_SUMMARY "shortest paths with tolls"
#define ORDO_RELAX_STATE toll_state
#define ORDO_RELAX_ARRAYS(X) X(toll, ITEM, 1) X(limit, ITEM, 2) X(dist, TARGET, 1) X(nothing, EDGE, 1)
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE)
#define ORDO_RELAX_CANDIDATE toll_candidate
#include <ordo/operator/relax.h>

#if !ORDO_OP_ON_CUDA
#error "an operator that lists its arrays is for the CUDA back end"
#endif

#include <ordo/scheduler/cpu.h>
#include <ordo/detail/describe.h>

#include "schedulers/bsp/cpu.h"
#include "schedulers/delta/cpu.h"

static int failures;

static void check(bool ok, const char *what)
{
    failures += !ok;
    printf("%s %s\n", ok ? "ok    " : "FAILED", what);
}

/* That the last call failed so, and said that. */
static void check_failed(ordo_status status, ordo_status expected, const char *sentence, const char *what)
{
    check(status == expected && strstr(ordo_last_error(), sentence), what);
    if (status != expected || !strstr(ordo_last_error(), sentence))
        printf("       %s: %s\n", ordo_status_name(status), ordo_last_error());
}

/* ---- the instance ---- */

typedef struct toll_args {
    ordo_cuda_rows rows;
    ordo_u32 *cells;
    toll_state state;
} toll_args;

static void kernel(const toll_args *a)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_vid v = 0; v < a->rows.n; v++)
            for (ordo_u64 e = a->rows.row[v]; e < a->rows.row[v + 1]; e++) {
                const ordo_u32 *edge = a->rows.edge + e * a->rows.stride;
                ordo_u32 c = op_candidate(&a->state, a->cells[v], op_make_edge(e, v, edge[0], edge + 1));
                if (op_better(c, a->cells[edge[0]])) {
                    a->cells[edge[0]] = c;
                    changed = true;
                }
            }
    }
}

static bool kernel_is_known = true;

static ordo_status run_on_cuda(ordo_job *job)
{
    ordo_cuda c;
    toll_args a = {};
    ordo_cuda_arrays arrays = {};
    const toll_state *host = (const toll_state *)job->state;
    ordo_status status = ordo_cuda_begin(job, sizeof(ordo_u32), false, &c);
    if (!status) {
        a.state = *host;
        arrays.count = op_arrays(&a.state, job->num_items, job->targets, job->out->m, arrays.array);
        status = ordo_cuda_arrays_in(&c, &arrays);
    }
    if (!status) {
        check(arrays.count == 4 && a.state.dist == c.cells && !a.state.nothing && a.state.most == host->most,
              "cells, NULL and numbers of a state");
        check(a.state.toll != host->toll && !memcmp(a.state.toll, host->toll, job->num_items * sizeof(ordo_u32)) &&
                  a.state.limit != host->limit &&
                  !memcmp(a.state.limit, host->limit, 2 * job->num_items * sizeof(ordo_u32)),
              "arrays of a state");
        a.rows = c.out;
        a.cells = (ordo_u32 *)c.cells;
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, ordo_cuda_kernel(kernel_is_known ? (const void *)kernel : NULL), 32, 1, args);
    }
    return ordo_cuda_end(&c, status);
}

static const ordo_instance on_cuda = {"bsp", run_on_cuda, 1u << ORDO_SYNC_ATOMIC, ORDO_ON_CUDA};
/* The CPU's of the same scheduler behind it: which is which is a matter of the device. */
static const ordo_instance *const instances[] = {&on_cuda, &toll_on_cpu_under_bsp, &toll_on_cpu_under_delta, NULL};
ORDO_DESCRIBE_RELAX(instances)

/* ---- runs ---- */

static ordo_item source;

static ordo_status run(const ordo_operator *op, const ordo_graph *graph, toll_state *state, ordo_u32 *cells,
                       const char *scheduler, const char *sync, const char *device, const char **backend)
{
    const ordo_vid n = ordo_graph_out(graph)->n;
    ordo_work work = {};
    work.op = op;
    work.graph = graph;
    work.cells = cells;
    work.state = state;
    work.num_items = work.targets = n;
    work.initial = &source;
    work.initial_count = 1;
    state->dist = cells;
    memset(cells, 0xff, n * sizeof *cells);
    cells[source] = 0;
    ordo_options options = {};
    options.scheduler = scheduler;
    options.sync = sync;
    options.device = device;
    ordo_stats stats;
    ordo_status status = ordo_run(&work, &options, &stats);
    if (!status) {
        *backend = stats.backend;
        ordo_stats_free(&stats);
    }
    return status;
}

int main(void)
{
    ordo_generate_options generate = {};
    generate.kind = "rmat";
    generate.scale = 10;
    generate.edges.low = 1;
    generate.edges.high = 1000;
    generate.edges.seed = 3;
    ordo_graph *graph;
    if (ordo_operator_register(&toll_operator) || ordo_graph_generate(&generate, &graph)) {
        fprintf(stderr, "%s\n", ordo_last_error());
        return 2;
    }
    const ordo_csr *rows = ordo_graph_out(graph);
    const ordo_vid n = rows->n;
    while (rows->row[source + 1] - rows->row[source] < 8)
        source++;
    ordo_u32 *word = (ordo_u32 *)malloc(5 * (size_t)n * sizeof *word), *expected = word + 3 * (size_t)n,
             *cells = word + 4 * (size_t)n;
    if (!word)
        return 2;
    for (ordo_vid i = 0; i < n; i++) {
        word[i] = i % 7;
        word[n + 2 * i] = 0;
        word[n + 2 * i + 1] = 1000 + i * 2654435761u % 4096;
    }
    toll_state state = {word, word + n, NULL, NULL, 4000};
    const char *backend = "";

    check(!run(&toll_operator, graph, &state, expected, "bsp", NULL, "cpu", &backend) && !strcmp(backend, "cpu"),
          "on the CPU");
    ordo_vid reached = 0;
    for (ordo_vid i = 0; i < n; i++)
        reached += expected[i] != ordo_highest_u32();
    check(reached > n / 10, "it gets somewhere");
    check(!run(&toll_operator, graph, &state, cells, "bsp", NULL, "cuda", &backend) && !strcmp(backend, "cuda") &&
              !memcmp(cells, expected, n * sizeof *cells),
          "on the back end, the same cells");
    check(!run(&toll_operator, graph, &state, cells, "auto", NULL, "auto", &backend) && !strcmp(backend, "cuda") &&
              !memcmp(cells, expected, n * sizeof *cells),
          "there by itself, under the scheduler that it has an instance for");
    check_failed(run(&toll_operator, graph, &state, cells, "delta", NULL, "cuda", &backend), ORDO_ERR_UNSOUND,
                 "operator 'toll' under scheduler 'delta' was not compiled for device 'cuda'", "no instance");
    check_failed(run(&toll_operator, graph, &state, cells, "bsp", "lock", "cuda", &backend), ORDO_ERR_UNSOUND,
                 "scheduler 'bsp' on device 'cuda' does not offer sync 'lock'", "no such sync");
    check(!run(&toll_operator, graph, &state, cells, "delta", NULL, "auto", &backend) && !strcmp(backend, "cpu"),
          "no instance: on the CPU, by itself");
    kernel_is_known = false;
    check_failed(run(&toll_operator, graph, &state, cells, "bsp", NULL, "cuda", &backend), ORDO_ERR_DEVICE,
                 "device 'cuda': looking up the kernel: ", "a kernel that its runtime does not know");
    kernel_is_known = true;

    /* a name that the back end has is not enough: it must be the operator of that name */
    ordo_operator namesake = toll_operator;
    static const ordo_instance *const on_cpu[] = {&toll_on_cpu_under_bsp, NULL};
    namesake.name = "sssp_u32";
    namesake.instances = on_cpu;
    check_failed(run(&namesake, graph, &state, cells, "bsp", NULL, "cuda", &backend), ORDO_ERR_UNSOUND,
                 "operator 'sssp_u32' under scheduler 'bsp' was not compiled for device 'cuda'", "a namesake");
    ordo_options options = {};
    options.scheduler = "bsp";
    options.device = "cuda";
    check(!ordo_sssp(graph, source, INFINITY, &options, cells, NULL, NULL), "the operator of that name");
    free(word);
    ordo_graph_free(graph);
    return failures > 0;
}
