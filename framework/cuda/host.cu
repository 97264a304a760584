/* host.cu -- the CUDA back end on the host: devices, graphs on the device, memory, launches.
 *
 * Problem: no call may be unchecked, no kernel may wait for blocks that are not there, and a user must see why a GPU
 * cannot be used.
 *
 * Method: every CUDA call goes through `failed`. A graph's rows go to the device once and stay with the graph. Kernels
 * are launched cooperatively with the number of blocks that the occupancy calculator says can be resident; the host
 * polls an event and passes cancelling on through pinned memory.
 *
 * Not done: several devices; graphs larger than the device.
 */
#include <ordo/cuda_host.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <ordo/memory.h>

enum { MOST_BLOCKS = 32, LEAST_MAJOR = 7, LEAST_MINOR = 5 };

struct ordo_cuda_own {
    void *block[MOST_BLOCKS];
    ordo_u64 bytes[MOST_BLOCKS];
    int blocks;
    size_t cell;
    ordo_cuda_mailbox *mailbox; /* the host's address */
    cudaEvent_t before, after;
    bool launched;
};

static ordo_status failed(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return ORDO_OK;
    cudaGetLastError(); /* not sticky errors only: the next call starts clean */
    return ordo_fail(error == cudaErrorMemoryAllocation ? ORDO_ERR_MEMORY : ORDO_ERR_DEVICE, "device 'cuda': %s: %s",
                     what, cudaGetErrorString(error));
}

/* ---- the device ---- */

static ordo_status probe(char device[ORDO_DEVICE_NAME])
{
    int count = 0, driver = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorInsufficientDriver) {
        cudaDriverGetVersion(&driver);
        if (driver == 0)
            return ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': found no NVIDIA driver (libcuda.so.1)");
        return ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': found a driver for CUDA %d.%d, expected %d.%d or later",
                         driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    }
    if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
        return ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': found no GPU");
    if (error != cudaSuccess)
        return failed(error, "looking for GPUs");
    cudaDeviceProp p;
    int current = 0, cooperative = 0;
    if (cudaGetDevice(&current) != cudaSuccess || cudaGetDeviceProperties(&p, current) != cudaSuccess)
        return failed(cudaGetLastError(), "looking at the GPU");
    if (p.major < LEAST_MAJOR || (p.major == LEAST_MAJOR && p.minor < LEAST_MINOR))
        return ordo_fail(ORDO_ERR_DEVICE,
                         "device 'cuda': found %s of compute capability %d.%d, expected %d.%d or later", p.name,
                         p.major, p.minor, LEAST_MAJOR, LEAST_MINOR);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, current);
    if (!cooperative)
        return ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': %s cannot launch cooperatively", p.name);
    snprintf(device, ORDO_DEVICE_NAME, "%.90s", p.name);
    return ORDO_OK;
}

static ordo_status take(ordo_u64 bytes, void **out)
{
    *out = NULL;
    if (cudaMalloc(out, bytes ? bytes : 1) == cudaSuccess)
        return ORDO_OK;
    cudaGetLastError();
    size_t left = 0, whole = 0;
    cudaMemGetInfo(&left, &whole);
    return ordo_fail(ORDO_ERR_MEMORY, "device 'cuda': needs %llu bytes more, %llu of %llu are free",
                     (unsigned long long)bytes, (unsigned long long)left, (unsigned long long)whole);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- graphs ---- */

typedef struct device_graph {
    ordo_cuda_rows out, in;
    bool has_in;
} device_graph;

static void drop_rows(ordo_cuda_rows *r)
{
    cudaFree((void *)r->row);
    cudaFree((void *)r->edge);
    *r = ordo_cuda_rows{};
}

static void drop_graph(void *graph)
{
    device_graph *g = (device_graph *)graph;
    drop_rows(&g->out);
    drop_rows(&g->in);
    ordo_free(g);
}

/* Edges that are not {head, weight} pairs or heads alone already, a piece at a time. */
static ordo_status copy_edges(const ordo_csr *csr, ordo_u32 *to, ordo_u32 stride)
{
    enum { PIECE = 1 << 20 };
    if (csr->stride == stride && (stride == 1 || csr->weight == csr->head + 1))
        return failed(cudaMemcpy(to, csr->head, csr->m * stride * sizeof *to, cudaMemcpyHostToDevice), "copying edges");
    ordo_u32 *piece = (ordo_u32 *)ordo_alloc(PIECE, stride * sizeof *piece);
    ordo_status status = piece ? ORDO_OK : ORDO_ERR_MEMORY;
    for (ordo_u64 begin = 0; begin < csr->m && !status; begin += PIECE) {
        ordo_u64 count = csr->m - begin < PIECE ? csr->m - begin : PIECE;
        for (ordo_u64 i = 0; i < count; i++) {
            piece[i * stride] = csr->head[(begin + i) * csr->stride];
            if (stride == 2)
                piece[2 * i + 1] = ((const ordo_u32 *)csr->weight)[(begin + i) * csr->stride];
        }
        status = failed(cudaMemcpy(to + begin * stride, piece, count * stride * sizeof *to, cudaMemcpyHostToDevice),
                        "copying edges");
    }
    ordo_free(piece);
    return status;
}

static ordo_status copy_rows(const ordo_csr *csr, ordo_cuda_rows *out)
{
    ordo_cuda_rows r = {};
    r.n = csr->n;
    r.m = csr->m;
    r.stride = csr->weight_type == ORDO_NONE ? 1 : 2;
    void *row = NULL, *edge = NULL;
    ordo_status status = take(((ordo_u64)csr->n + 1) * sizeof(ordo_u64), &row);
    if (!status)
        status = take(csr->m * r.stride * sizeof(ordo_u32), &edge);
    if (!status)
        status = failed(cudaMemcpy(row, csr->row, ((ordo_u64)csr->n + 1) * sizeof(ordo_u64), cudaMemcpyHostToDevice),
                        "copying rows");
    if (!status)
        status = copy_edges(csr, (ordo_u32 *)edge, r.stride);
    r.row = (const ordo_u64 *)row;
    r.edge = (const ordo_u32 *)edge;
    if (status)
        drop_rows(&r);
    else
        *out = r;
    return status;
}

static ordo_status make_graph(const ordo_graph *g, void *arg, void **out)
{
    (void)arg;
    device_graph *d = (device_graph *)ordo_alloc_zero(1, sizeof *d);
    ordo_status status = d ? copy_rows(ordo_graph_out(g), &d->out) : ORDO_ERR_MEMORY;
    if (status)
        ordo_free(d);
    else
        *out = d;
    return status;
}

static ordo_status get_graph(ordo_job *job, bool need_in, ordo_cuda *c)
{
    void *attached = NULL;
    if (need_in) { /* the CPU's in-rows first: preparation, not transfer */
        ordo_status status = ordo_job_need_in(job);
        if (status)
            return status;
    }
    double start = now();
    ordo_status status = ordo_graph_attach(ordo_job_graph(job), make_graph, NULL, drop_graph, &attached);
    device_graph *d = (device_graph *)attached;
    bool same = !status && job->in == job->out;
    if (!status && need_in && !same && !d->has_in) {
        status = copy_rows(job->in, &d->in);
        d->has_in = !status;
    }
    ordo_job_add_transfer(job, now() - start);
    if (!status) {
        c->out = d->out;
        c->in = need_in ? (same ? d->out : d->in) : ordo_cuda_rows{};
    }
    return status;
}

/* ---- a run ---- */

void *ordo_cuda_alloc(ordo_cuda *c, ordo_u64 count, size_t size, bool zero)
{
    ordo_cuda_own *own = c->own;
    void *block = NULL;
    ordo_u64 bytes = count * size;
    if (own->blocks == MOST_BLOCKS || (size && count > ~(ordo_u64)0 / size)) {
        ordo_fail(ORDO_ERR_INTERNAL, "device 'cuda': more than %d blocks of memory asked for", (int)MOST_BLOCKS);
        return NULL;
    }
    if (take(bytes, &block) || (zero && failed(cudaMemset(block, 0, bytes), "clearing memory"))) {
        cudaFree(block);
        return NULL;
    }
    own->block[own->blocks] = block;
    own->bytes[own->blocks++] = bytes;
    ordo_job_book(c->job, (long long)bytes);
    return block;
}

ordo_status ordo_cuda_begin(ordo_job *job, size_t cell, bool need_in, ordo_cuda *out)
{
    *out = ordo_cuda{};
    out->job = job;
    out->own = (ordo_cuda_own *)ordo_alloc_zero(1, sizeof *out->own);
    if (!out->own)
        return ORDO_ERR_MEMORY;
    out->own->cell = cell;
    ordo_status status = get_graph(job, need_in, out);
    double start = now();
    ordo_cuda_own *own = out->own;
    if (!status)
        status = failed(cudaHostAlloc((void **)&own->mailbox, sizeof *own->mailbox, cudaHostAllocMapped),
                        "taking pinned memory");
    if (!status) {
        memset((void *)own->mailbox, 0, sizeof *own->mailbox);
        status = failed(cudaHostGetDevicePointer((void **)&out->mailbox, own->mailbox, 0), "mapping pinned memory");
    }
    if (!status)
        status = failed(cudaEventCreate(&own->before), "making an event");
    if (!status)
        status = failed(cudaEventCreate(&own->after), "making an event");
    if (!status)
        status = (out->counters = (ordo_cuda_counters *)ordo_cuda_alloc(out, 1, sizeof *out->counters, true))
                     ? ORDO_OK
                     : ORDO_ERR_MEMORY;
    if (!status)
        status = (out->record = (ordo_cuda_record *)ordo_cuda_alloc(out, 1, sizeof *out->record, true))
                     ? ORDO_OK
                     : ORDO_ERR_MEMORY;
    if (!status)
        status = (out->cells = ordo_cuda_alloc(out, job->targets, cell, false)) ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        status =
            failed(cudaMemcpy(out->cells, job->cells, job->targets * cell, cudaMemcpyHostToDevice), "copying cells");
    if (!status && job->initial) {
        void *items = ordo_cuda_alloc(out, job->initial_count, sizeof(ordo_item), false);
        status = !items ? ORDO_ERR_MEMORY
                        : failed(cudaMemcpy(items, job->initial, job->initial_count * sizeof(ordo_item),
                                            cudaMemcpyHostToDevice),
                                 "copying items");
        out->initial = (const ordo_item *)items;
    }
    ordo_job_add_transfer(job, now() - start);
    return status;
}

/* Passes cancelling to the kernel and progress to the caller until the event has come. */
static ordo_status wait_for(ordo_cuda *c)
{
    ordo_cuda_own *own = c->own;
    for (;;) {
        cudaError_t error = cudaEventQuery(own->after);
        if (error != cudaErrorNotReady)
            return failed(error, "running the kernel");
        c->job->supersteps = own->mailbox->supersteps;
        ordo_job_poll(c->job, own->mailbox->in_flight);
        if (ordo_job_stopped(c->job))
            own->mailbox->stop = 1;
        const struct timespec moment = {0, 20000};
        nanosleep(&moment, NULL);
    }
}

ordo_status ordo_cuda_grid(const void *kernel, int threads, int blocks, int *grid)
{
    int device = 0, units = 0, resident = 0;
    ordo_status status = failed(cudaGetDevice(&device), "asking for the device");
    if (!status)
        status = failed(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device), "asking for its size");
    if (!status)
        status = failed(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0),
                        "asking how many blocks fit");
    if (!status && resident == 0)
        status = ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': a block of %d threads does not fit this GPU", threads);
    *grid = units * (blocks > 0 && blocks < resident ? blocks : resident);
    return status;
}

ordo_status ordo_cuda_launch(ordo_cuda *c, const void *kernel, int threads, int blocks, void **args)
{
    int grid = 0;
    ordo_status status = ordo_cuda_grid(kernel, threads, blocks, &grid);
    if (status)
        return status;
    status = failed(cudaEventRecord(c->own->before), "recording an event");
    if (!status)
        status = failed(cudaLaunchCooperativeKernel(kernel, dim3((unsigned)grid), dim3((unsigned)threads), args, 0, 0),
                        "launching the kernel");
    if (!status)
        status = failed(cudaEventRecord(c->own->after), "recording an event");
    if (!status)
        status = wait_for(c);
    float milliseconds = 0;
    if (!status)
        status = failed(cudaEventElapsedTime(&milliseconds, c->own->before, c->own->after), "reading an event");
    ordo_job_set_run(c->job, 1e-3 * (double)milliseconds);
    c->own->launched = !status;
    return status;
}

static ordo_status hand_over(ordo_cuda *c)
{
    ordo_job *job = c->job;
    ordo_cuda_counters counters;
    ordo_cuda_record *record = (ordo_cuda_record *)ordo_alloc(1, sizeof *record);
    ordo_status status = record ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        status =
            failed(cudaMemcpy(&counters, c->counters, sizeof counters, cudaMemcpyDeviceToHost), "copying counters");
    if (!status)
        status = failed(cudaMemcpy(record, c->record, sizeof *record, cudaMemcpyDeviceToHost), "copying the trace");
    if (!status)
        status = failed(cudaMemcpy(job->cells, c->cells, job->targets * c->own->cell, cudaMemcpyDeviceToHost),
                        "copying cells");
    if (!status) {
        ordo_counters *to = &job->counters[0];
        to->items += counters.items;
        to->edges += counters.edges;
        to->useful += counters.useful;
        to->stale += counters.stale;
        to->activations += counters.activations;
        job->supersteps = record->supersteps;
        job->delta_first = record->delta_first;
        job->delta_last = record->delta_last;
        for (ordo_u64 i = 0; i < record->taken; i++) {
            const ordo_cuda_moment *m = &record->moment[i];
            ordo_job_sample_at(job, 1e-9 * (double)(m->nanoseconds - record->began), m->in_flight, m->bucket, m->delta,
                               m->concurrent, m->utilisation);
        }
        if (record->overflow)
            status = ordo_fail(ORDO_ERR_MEMORY, "device 'cuda': a worklist was too small");
    }
    ordo_free(record);
    return status;
}

ordo_status ordo_cuda_end(ordo_cuda *c, ordo_status status)
{
    ordo_cuda_own *own = c->own;
    if (!own)
        return status;
    double start = now();
    if (!status && own->launched)
        status = hand_over(c);
    for (int i = 0; i < own->blocks; i++) {
        cudaFree(own->block[i]);
        ordo_job_book(c->job, -(long long)own->bytes[i]);
    }
    if (own->before)
        cudaEventDestroy(own->before);
    if (own->after)
        cudaEventDestroy(own->after);
    cudaFreeHost((void *)own->mailbox);
    ordo_free(own);
    c->own = NULL;
    ordo_job_add_transfer(c->job, now() - start);
    return status;
}

/* ---- the table ---- */

typedef struct named_instance {
    const char *op;
    const ordo_instance *instance;
} named_instance;

#include "cuda_tables.h"

static const ordo_instance *find(const char *op, const char *scheduler)
{
    for (size_t i = 0; i < sizeof instances / sizeof instances[0]; i++)
        if (!strcmp(instances[i].op, op) && !strcmp(instances[i].instance->scheduler, scheduler))
            return instances[i].instance;
    return NULL;
}

extern "C" ORDO_API const ordo_backend ordo_cuda_backend;
const ordo_backend ordo_cuda_backend = {ORDO_BACKEND_ABI, "cuda", probe, find};
