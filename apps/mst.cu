/* mst.cu -- minimum spanning forests on a GPU: one run, whose cells are the bits of the forest's edges.
 *
 * The host part of mst.cuh: allocates memory, launches the kernels one after the other (nothing is read back in
 * between; a kernel without work ends at once), and reports faults of the graph. mst.c calls it as its native program
 * (<ordo/detail/program.h>).
 *
 * Memory, for n vertices and m arcs, in addition to the rows: 28 n + 4 m bytes, and 32 bytes an edge for two lists that
 * can hold all edges.
 */
#include "apps/mst.cuh"

#include <stdio.h>

#include <ordo/detail/backend.h>
#include <ordo/detail/program.h>

static ordo_status check(const ordo_job *job)
{
    if (job->out->n >= MST_ROOT)
        return ordo_fail(ORDO_ERR_UNSOUND, "device 'cuda': mst takes fewer than %u vertices, found %u", MST_ROOT,
                         job->out->n);
    if (job->out->m > MST_MOST_ARCS)
        return ordo_fail(ORDO_ERR_UNSOUND, "device 'cuda': mst takes at most %u stored edges, found %llu",
                         MST_MOST_ARCS, (unsigned long long)job->out->m);
    return ORDO_OK;
}

/* Allocates all memory of the kernels at once, so that an error names the total. */
static ordo_status prepare(ordo_cuda *c, mst_args *a)
{
    const ordo_job *job = c->job;
    const ordo_u64 n = c->out.n, m = c->out.m;
    a->rows = c->out;
    a->type = (int)job->out->weight_type;
    a->symmetric = ordo_graph_symmetric(ordo_job_graph(job));
    a->n = (ordo_u32)n;
    a->m = (ordo_u32)m;
    a->capacity = (ordo_u32)(a->symmetric ? m / 2 : m);
    a->dense = a->capacity > MST_DENSE * n && m >= MST_SAMPLE;
    a->chosen = (ordo_u32 *)c->cells;
    a->words_of_chosen = (ordo_u32)job->targets;
    a->run = c->run;
    const struct {
        void **to;
        ordo_u64 bytes;
    } part[] = {
        {(void **)&a->list[0], a->capacity * sizeof(uint4)},
        {(void **)&a->list[1], a->capacity * sizeof(uint4)},
        {(void **)&a->across, m * sizeof(ordo_u32)},
        {(void **)&a->parent, 3 * n * sizeof(ordo_u32)},
        {(void **)&a->wish, n * sizeof(ordo_u32)},
        {(void **)&a->wished, n * sizeof(ordo_u32)},
        {(void **)&a->best, n * sizeof(ordo_u64)},
        {(void **)&a->few, (MST_LAST_WORDS - 1) * MST_LAST_PARTS * sizeof(ordo_u64)},
        {(void **)&a->hub, (m / MST_CHUNK + m / MST_HUB + 1) * sizeof(mst_hub)},
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
    a->inner = a->wish;
    return ORDO_OK;
}

/* A kernel's launch: enough blocks of `threads` threads for `items` at `each` a block, but at most `times` as many as
 * fit at once. With more blocks the device can balance uneven work better; with fewer blocks less is done per block. */
typedef struct plan {
    const void *kernel; /* NULL: the cooperative launch of the rounds */
    int threads, times;
    ordo_u64 items, each;
    mst_args *args;
} plan;

static ordo_status step_of(const plan *p, void **args, ordo_cuda_step *out)
{
    const void *kernel = ordo_cuda_kernel(p->kernel ? p->kernel : (const void *)mst_rounds);
    const ordo_u64 wanted = (p->items + p->each - 1) / p->each;
    int fit = 0;
    *out = ordo_cuda_step{kernel, p->threads, 2, !p->kernel, args};
    ordo_status status = ordo_cuda_grid(kernel, p->threads, 0, &fit);
    if (!p->kernel)
        out->grid = fit;
    else if (wanted > 2) /* one block for ids, and one for the rest */
        out->grid = wanted < (ordo_u64)fit * (ordo_u64)p->times ? (int)wanted : fit * p->times;
    return status;
}

static ordo_status launch(ordo_cuda *c, mst_args *a)
{
    enum { MOST = 13, EVEN = 4, UNEVEN = 16 };
    const ordo_u64 n = a->n, m = a->m, vertex = MST_THREADS, at_once = vertex * MST_AT_ONCE;
    mst_args heavy = *a;
    plan all[MOST];
    void *args[MOST];
    ordo_cuda_step step[MOST];
    int count = 0;
    heavy.heavy = true;
    const auto then = [&](const void *kernel, int times, ordo_u64 items, ordo_u64 each, int threads, mst_args *with) {
        all[count++] = plan{kernel, threads, times, items, each, with};
    };
    if (a->dense)
        then((const void *)mst_limit, EVEN, MST_SAMPLE, MST_WARPS, MST_THREADS, a);
    then(a->dense ? (const void *)mst_first<true> : (const void *)mst_first<false>, UNEVEN, n, 32 * MST_FIRST_WARPS,
         MST_FIRST_THREADS, a);
    then(a->dense ? (const void *)mst_hubs<true> : (const void *)mst_hubs<false>, UNEVEN, m / MST_CHUNK, MST_WARPS,
         MST_THREADS, a);
    then((const void *)mst_hub_ends, EVEN, m / MST_CHUNK, vertex, MST_THREADS, a);
    then((const void *)mst_roots, EVEN, n, at_once, MST_THREADS, a);
    then((const void *)mst_label_roots, EVEN, n, at_once, MST_THREADS, a);
    then((const void *)mst_ready, EVEN, n / 2, at_once, MST_THREADS, a);
    then((const void *)mst_light, UNEVEN, a->dense ? n + n / (MST_IDS - 1) : a->capacity, at_once, MST_THREADS, a);
    then(NULL, 1, 0, 1, MST_ROUND_THREADS, a);
    if (a->dense) {
        then((const void *)mst_rename, EVEN, n, 8 * vertex, MST_THREADS, a);
        then((const void *)mst_name_vertices, EVEN, n, at_once, MST_THREADS, a);
        then((const void *)mst_heavy, EVEN, n, 32 * MST_TILES * MST_WARPS, MST_THREADS, a);
        then(NULL, 1, 0, 1, MST_ROUND_THREADS, &heavy);
    }
    ordo_status status = ORDO_OK;
    for (int i = 0; i < count && !status; i++) {
        args[i] = all[i].args;
        status = step_of(&all[i], &args[i], &step[i]);
    }
    return status ? status : ordo_cuda_launch_all(c, step, count);
}

static ordo_status read_words(const mst_args *a, mst_words *words)
{
    return cudaMemcpy(words, a->words, sizeof *words, cudaMemcpyDeviceToHost) == cudaSuccess
               ? ORDO_OK
               : ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': copying what the run has found");
}

static void explain(ordo_cuda *c, void *arg, char *text, size_t capacity)
{
    mst_words w;
    (void)c;
    if (read_words((const mst_args *)arg, &w))
        return;
    ordo_u32 k = 0;
    while (k + 1 < MST_LEVELS && w.edges[k + 1])
        k++;
    snprintf(text, capacity, "%u components, %u edges left", w.parts[k], w.edges[k]);
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

/* Every component that joined another one must have put an edge into the forest; otherwise there was no arc out of the
 * smaller end. */
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

extern const ordo_instance mst_native_on_cuda;
const ordo_instance mst_native_on_cuda = {ORDO_NATIVE, run, 0, ORDO_ON_CUDA};
