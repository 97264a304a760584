/* maxflow.cu -- maximum flows on a GPU: both phases in one run, on the residual network that network.cu makes of the
 * graph's rows, or where that cannot the host.
 *
 * This is the host's part of maxflow.cuh: it allocates and copies arrays, launches the kernel once for each phase, one
 * after the other, and copies the result back. The host reads nothing between the launches. maxflow.c runs it as the
 * app's native program (ordo/detail/program.h).
 *
 * Memory, for n vertices and r residual edges: 52 n + 16.5 r bytes, beside the graph's rows and, ahead of the launches,
 * what network.cu says.
 */
#include "apps/maxflow.cuh"

#include <stdio.h>

#include "apps/network_cuda.h"
#include "framework/cuda/held.h"
#include "framework/run/clock.h"

#include <ordo/detail/backend.h>
#include <ordo/detail/program.h>

/* The arrays of the network that are copied to the device; those marked ORDO_ARRAY_WRITE are copied back. */
typedef struct flow_arrays {
    discharge_edge *edge;
    ordo_u32 *row, *height;
    ordo_u64 *excess;
} flow_arrays;

/* Makes rows and edges. made->edge NULL: they are on the host. */
static ordo_status make_network(const ordo_cuda *c, const ordo_flow_state *state, ordo_network_made *made)
{
    const double start = ordo_seconds();
    ordo_status status = ordo_network_on_cuda(state->net, c->out, ordo_graph_symmetric(state->graph), made);
    if (!status && !made->edge) {
        status = state->fill(state->net, state->graph, ordo_job_host_threads(c->job));
        made->edges = status ? 0 : state->net->row[state->net->n];
    }
    ordo_job_add_prepare(c->job, ordo_seconds() - start);
    return status;
}

static ordo_status check(const ordo_network *net, ordo_u64 edges)
{
    const ordo_u64 entries = net->n + edges / FLOW_PIECE + 1;
    if (entries >> 31)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "device 'cuda': maxflow takes fewer than 2^31 vertices and pieces of rows, found %llu",
                         (unsigned long long)entries);
    return ORDO_OK;
}

/* An array that is on the device alone, and will be copied to the host. */
static void add_made(ordo_cuda_arrays *moved, void *host, void *device, ordo_u64 count, ordo_u32 size)
{
    const int i = moved->count++;
    moved->array[i] = ordo_array{NULL, count, size, ORDO_ARRAY_WRITE};
    moved->host[i] = host;
    moved->device[i] = device;
}

static ordo_status prepare(ordo_cuda *c, const ordo_flow_state *state, const ordo_network_made *made, flow_arrays *f,
                           ordo_cuda_arrays *moved, flow_args *a)
{
    const ordo_network *net = state->net;
    const ordo_u64 n = net->n, edges = made->edges;
    *f = flow_arrays{net->edge, net->row, net->height, net->excess};
    const ordo_array array[] = {
        {&f->height, n, sizeof *f->height, ORDO_ARRAY_WRITE},
        {&f->excess, n, sizeof *f->excess, ORDO_ARRAY_WRITE},
        {&f->edge, edges, sizeof *f->edge, ORDO_ARRAY_WRITE},
        {&f->row, n + 1, sizeof *f->row, ORDO_ARRAY_READ},
    };
    moved->count = made->edge ? 2 : 4;
    for (int i = 0; i < moved->count; i++)
        moved->array[i] = array[i];
    ordo_status status = check(net, edges);
    if (!status)
        status = ordo_cuda_arrays_in(c, moved);
    if (status)
        return status;
    if (made->edge) {
        f->edge = made->edge;
        f->row = made->row;
        ordo_network_saturate(net, *made, f->excess);
        if (state->edges) {
            add_made(moved, net->edge, made->edge, edges, sizeof *made->edge);
            add_made(moved, net->row, made->row, n + 1, sizeof *made->row);
        }
    }
    a->edge = f->edge;
    a->row = f->row;
    a->height = f->height;
    a->excess = f->excess;
    a->n = (ordo_u32)n;
    a->capacity = (ordo_u32)(n + edges / FLOW_PIECE + 1);
    a->source = net->source;
    a->sink = a->to = net->sink;
    a->budget = FLOW_RELABEL_EVERY * (edges + 4 * n);
    a->run = c->run;
    a->list = (uint4 *)ordo_cuda_alloc(c, 2 * (ordo_u64)a->capacity, sizeof *a->list, false);
    a->words = a->list ? (flow_words *)ordo_cuda_alloc(c, 1, sizeof *a->words, true) : NULL;
    return a->words ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* The second phase uses an array of heights of its own, since the heights of the first phase give the cut. */
static ordo_status launch(ordo_cuda *c, const ordo_flow_state *state, flow_args *a)
{
    flow_args back = *a;
    void *args[] = {a}, *back_args[] = {&back};
    enum { BLOCKS = 1 }; /* per multiprocessor: see FLOW_THREADS */
    ordo_cuda_step step[2] = {};
    back.to = a->source;
    if (!state->cut_only && !(back.height = (ordo_u32 *)ordo_cuda_alloc(c, a->n, sizeof *back.height, false)))
        return ORDO_ERR_MEMORY;
    for (int i = 0; i < 2; i++) {
        step[i] = ordo_cuda_step{ordo_cuda_kernel((const void *)flow_cuda_kernel), FLOW_THREADS, 0, true,
                                 i ? back_args : args};
        ordo_status status = ordo_cuda_grid(step[i].kernel, FLOW_THREADS, BLOCKS, &step[i].grid);
        if (status)
            return status;
    }
    return ordo_cuda_launch_all(c, step, state->cut_only ? 1 : 2);
}

static void explain(ordo_cuda *c, void *arg, char *text, size_t capacity)
{
    flow_words w;
    (void)c;
    if (cudaMemcpy(&w, ((const flow_args *)arg)->words, sizeof w, cudaMemcpyDeviceToHost) == cudaSuccess)
        snprintf(text, capacity, "%llu global relabels, %u active vertices after the last one",
                 (unsigned long long)w.global_relabels, w.active);
}

static ordo_status run(ordo_job *job)
{
    const ordo_flow_state *state = (const ordo_flow_state *)job->state;
    ordo_cuda c;
    flow_arrays f;
    ordo_cuda_arrays moved = {};
    flow_args a = {};
    ordo_network_made made = {};
    ordo_status status = ordo_cuda_begin(job, sizeof(ordo_u32), false, &c);
    if (!status)
        status = make_network(&c, state, &made);
    const long long bytes =
        made.edge ? (long long)(made.edges * sizeof *made.edge + state->net->n * sizeof *made.row) : 0;
    ordo_job_account(job, bytes);
    if (!status)
        status = prepare(&c, state, &made, &f, &moved, &a);
    if (!status) {
        c.explain = explain;
        c.explain_arg = &a;
        status = launch(&c, state, &a);
    }
    if (!status && !ordo_job_stopped(job))
        status = ordo_cuda_arrays_out(&c, &moved);
    status = ordo_cuda_end(&c, status);
    if (!ordo_cuda_is_lost()) { /* else the kernel may still write there */
        cudaFree(made.edge);
        cudaFree(made.row);
    }
    ordo_job_account(job, -bytes);
    return status;
}

extern const ordo_instance maxflow_native_on_cuda;
const ordo_instance maxflow_native_on_cuda = {ORDO_NATIVE, run, 0, ORDO_ON_CUDA};
