/* maxflow.cu -- maximum flows on a GPU: both phases in one run, on the residual network that maxflow.c has made.
 *
 * This is the host's part of maxflow.cuh: it allocates and copies arrays, launches the kernel once for each phase, one
 * after the other, and copies the result back. The host reads nothing between the launches. maxflow.c runs it as the
 * app's native program (ordo/detail/program.h).
 *
 * Memory, for n vertices and r residual edges: 52 n + 16.5 r bytes.
 */
#include "apps/maxflow.cuh"

#include <stdio.h>

#include <ordo/detail/backend.h>
#include <ordo/detail/program.h>

/* The arrays of the network that are copied to the device; those marked ORDO_ARRAY_WRITE are copied back. */
typedef struct flow_arrays {
    discharge_edge *edge;
    ordo_u32 *row, *height;
    ordo_u64 *excess;
} flow_arrays;

static ordo_status check(const ordo_network *net)
{
    const ordo_u64 entries = net->n + (ordo_u64)net->row[net->n] / FLOW_PIECE + 1;
    if (entries >> 31)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "device 'cuda': maxflow takes fewer than 2^31 vertices and pieces of rows, found %llu",
                         (unsigned long long)entries);
    return ORDO_OK;
}

static ordo_status prepare(ordo_cuda *c, const ordo_flow_state *state, flow_arrays *f, ordo_cuda_arrays *moved,
                           flow_args *a)
{
    const ordo_network *net = state->net;
    const ordo_u64 n = net->n, edges = net->row[n];
    *f = flow_arrays{net->edge, net->row, net->height, net->excess};
    const ordo_array array[] = {
        {&f->edge, edges, sizeof *f->edge, ORDO_ARRAY_WRITE},
        {&f->row, n + 1, sizeof *f->row, ORDO_ARRAY_READ},
        {&f->height, n, sizeof *f->height, ORDO_ARRAY_WRITE},
        {&f->excess, n, sizeof *f->excess, ORDO_ARRAY_WRITE},
    };
    moved->count = sizeof array / sizeof array[0];
    for (int i = 0; i < moved->count; i++)
        moved->array[i] = array[i];
    ordo_status status = ordo_cuda_arrays_in(c, moved);
    if (status)
        return status;
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
    ordo_status status = check(state->net);
    if (status)
        return status;
    status = ordo_cuda_begin(job, sizeof(ordo_u32), false, &c);
    if (!status)
        status = prepare(&c, state, &f, &moved, &a);
    if (!status) {
        c.explain = explain;
        c.explain_arg = &a;
        status = launch(&c, state, &a);
    }
    if (!status && !ordo_job_stopped(job))
        status = ordo_cuda_arrays_out(&c, &moved);
    return ordo_cuda_end(&c, status);
}

extern const ordo_instance maxflow_native_on_cuda;
const ordo_instance maxflow_native_on_cuda = {ORDO_NATIVE, run, 0, ORDO_ON_CUDA};
