/* mst.cu -- minimum spanning forests on a GPU: one run, whose cells are the bits of the forest's edges.
 *
 * The host's part of mst.cuh: memory, the launches one after the other (nothing is read back in between; a kernel that
 * has nothing to do ends at once), and what is wrong with the graph. mst.c calls it, as operator mst_forest under bsp.
 *
 * Memory, of n vertices and m arcs beside the rows: 28 n + 4 m bytes, and 32 an edge for two lists that can hold them
 * all.
 */
#include "apps/mst.cuh"

#include <stdio.h>

#include <ordo/backend.h>

#include "schedulers/bsp/tunables.h"

static ordo_status check(const ordo_job *job)
{
    if (job->out->n >= MST_ROOT)
        return ordo_fail(ORDO_ERR_UNSOUND, "device 'cuda': mst takes fewer than %u vertices, found %u", MST_ROOT,
                         job->out->n);
    if (job->out->m > MST_MOST_ARCS)
        return ordo_fail(ORDO_ERR_UNSOUND, "device 'cuda': mst takes at most %u stored edges, found %llu",
                         MST_MOST_ARCS, (unsigned long long)job->out->m);
    if ((int)job->tunable[BSP_DIRECTION] == 2)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'bsp' with direction=pull needs an operator that settles vertices; '%s' does not",
                         job->op->name);
    return ORDO_OK;
}

/* All that the kernels need, in one piece: where it does not fit, all that is needed is told. */
static ordo_status prepare(ordo_cuda *c, mst_args *a)
{
    const ordo_job *job = c->job;
    const ordo_u64 n = c->out.n, m = c->out.m;
    a->rows = c->out;
    a->type = (int)job->out->weight_type;
    a->twice = ordo_graph_symmetric(ordo_job_graph(job));
    a->n = (ordo_u32)n;
    a->m = (ordo_u32)m;
    a->room = (ordo_u32)(a->twice ? m / 2 : m);
    a->chosen = (ordo_u32 *)c->cells;
    a->counters = c->run.counters;
    a->record = c->run.record;
    a->mailbox = c->run.mailbox;
    const struct {
        void **to;
        ordo_u64 bytes;
    } part[] = {
        {(void **)&a->list[0], a->room * sizeof(uint4)},
        {(void **)&a->list[1], a->room * sizeof(uint4)},
        {(void **)&a->slot, m * sizeof(ordo_u32)},
        {(void **)&a->parent, 3 * n * sizeof(ordo_u32)},
        {(void **)&a->wish, n * sizeof(uint2)},
        {(void **)&a->best, n * sizeof(ordo_u64)},
        {(void **)&a->owner, (m / MST_CHUNK + 1) * sizeof(ordo_u32)},
        {(void **)&a->hub, (2 * (m / MST_CHUNK) + 1) * sizeof(mst_hub)},
    };
    enum { LINE = 256 };
    ordo_u64 bytes = 0;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
        bytes += (part[i].bytes + LINE - 1) / LINE * LINE;
    char *block = (char *)ordo_cuda_alloc(c, bytes, 1, false);
    a->words = block ? (mst_words *)ordo_cuda_alloc(c, 1, sizeof(mst_words), true) : NULL;
    if (!a->words)
        return ORDO_ERR_MEMORY;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        *part[i].to = block;
        block += (part[i].bytes + LINE - 1) / LINE * LINE;
    }
    return ORDO_OK;
}

/* Enough blocks for `items`, `each` a block; several times as many as fit at once, but no more, so that the device
 * deals them out and blocks that have more to do hold nobody up. */
static ordo_status step_of(const void *function, ordo_u64 items, ordo_u64 each, void **args, ordo_cuda_step *out)
{
    enum { TIMES = 16 };
    int fit = 0;
    const void *kernel = ordo_cuda_kernel(function);
    const ordo_u64 wanted = (items + each - 1) / each;
    ordo_status status = ordo_cuda_grid(kernel, MST_THREADS, 0, &fit);
    *out = ordo_cuda_step{kernel, MST_THREADS, 1, false, args};
    if (!status && wanted)
        out->grid = wanted < (ordo_u64)fit * TIMES ? (int)wanted : fit * TIMES;
    return status;
}

static ordo_status launch(ordo_cuda *c, mst_args *a)
{
    enum { STEPS = 10 };
    const ordo_u64 n = a->n, m = a->m, vertex = MST_THREADS, row = 32 * MST_WARPS;
    const ordo_u64 chunks = (ordo_u64)MST_CHUNK * MST_WARPS;
    mst_args heavy = *a;
    heavy.heavy = true;
    void *args[] = {a}, *heavy_args[] = {&heavy};
    const struct {
        const void *kernel;
        ordo_u64 items, each;
    } plain[STEPS] = {
        {(const void *)mst_first, n + row, row}, /* a block more, for the limit */
        {(const void *)mst_hubs, m / MST_CHUNK, MST_WARPS},
        {(const void *)mst_hub_ends, m / MST_CHUNK, vertex},
        {(const void *)mst_roots, n, vertex * MST_AT_ONCE},
        {(const void *)mst_settle, n, vertex * MST_AT_ONCE},
        {(const void *)mst_light, m + m / (MST_IDS - 1) + chunks, chunks}, /* a block more, for ids */
        {NULL, 0, 0},                                                      /* the rounds */
        {(const void *)mst_rename, n, vertex},
        {(const void *)mst_heavy, n, row},
        {NULL, 0, 0},
    };
    ordo_cuda_step step[STEPS];
    ordo_status status = ORDO_OK;
    const int blocks = ((int)c->job->tunable[BSP_BLOCKS] + 1) / 2; /* of twice as many threads as the tunable says */
    int rounds = 0;
    for (int i = 0; i < STEPS && !status; i++) {
        if (plain[i].kernel) {
            status = step_of(plain[i].kernel, plain[i].items, plain[i].each, args, &step[i]);
            continue;
        }
        step[i].kernel = ordo_cuda_kernel((const void *)mst_rounds);
        step[i].threads = MST_ROUND_THREADS;
        step[i].cooperative = true;
        step[i].args = rounds++ ? heavy_args : args;
        status = ordo_cuda_grid(step[i].kernel, MST_ROUND_THREADS, blocks, &step[i].grid);
    }
    for (int i = 0; i < STEPS && !status; i++)
        if (plain[i].kernel && step[i].grid < 2)
            step[i].grid = 2; /* one for the limit, or for ids, and one for the rest */
    return status ? status : ordo_cuda_launch_all(c, step, STEPS);
}

static ordo_status read_words(const mst_args *a, mst_words *words)
{
    return cudaMemcpy(words, a->words, sizeof *words, cudaMemcpyDeviceToHost) == cudaSuccess
               ? ORDO_OK
               : ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': copying what the run has found");
}

static void explain(ordo_cuda *c, void *arg, char *text, size_t room)
{
    mst_words w;
    (void)c;
    if (read_words((const mst_args *)arg, &w))
        return;
    ordo_u32 k = 0;
    while (k + 1 < MST_LEVELS && w.edges[k + 1])
        k++;
    snprintf(text, room, "%u components, %u edges left", w.parts[k], w.edges[k]);
}

static ordo_status check_answer(const mst_args *a)
{
    mst_words w;
    ordo_status status = read_words(a, &w);
    const ordo_u64 arc = ~w.odd;
    if (!status && w.odd)
        return ordo_fail(ORDO_ERR_INPUT,
                         "edge %u -> %u has no reverse of the same weight, in a graph said to be symmetric",
                         (ordo_u32)(arc >> 32), (ordo_u32)arc);
    if (!status && w.excess)
        return ordo_fail(ORDO_ERR_INPUT, "some edges have no reverse, in a graph said to be symmetric");
    return status;
}

/* A component that joined another one has put an edge into the forest, or there was none out of the smaller end. */
static ordo_status check_bits(const ordo_job *job)
{
    const ordo_u32 *word = (const ordo_u32 *)job->cells;
    ordo_u64 edges = 0;
    for (ordo_u64 i = 0; i < job->targets; i++)
        edges += (ordo_u64)__builtin_popcount(word[i]);
    return edges == job->counters[0].useful
               ? ORDO_OK
               : ordo_fail(ORDO_ERR_INPUT, "some edges have no reverse of the same weight, in a graph said to be "
                                           "symmetric");
}

static ordo_status run(ordo_job *job)
{
    ordo_cuda c;
    mst_args a = {};
    ordo_status status = check(job);
    if (status)
        return status;
    status = ordo_cuda_begin(job, sizeof(ordo_u32), false, &c);
    if (!status)
        status = prepare(&c, &a);
    if (!status) {
        c.explain = explain;
        c.explain_arg = &a;
        status = launch(&c, &a);
    }
    if (!status && !ordo_job_stopped(job))
        status = check_answer(&a);
    status = ordo_cuda_end(&c, status);
    return status || ordo_job_stopped(job) ? status : check_bits(job);
}

extern const ordo_instance mst_forest_on_cuda_under_bsp;
const ordo_instance mst_forest_on_cuda_under_bsp = {"bsp", run, 1u << ORDO_SYNC_ATOMIC, ORDO_ON_CUDA};
