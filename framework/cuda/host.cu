/* host.cu -- the CUDA back end on the host: devices, graphs on the device, memory, launches.
 *
 * Problem: every CUDA call must be checked, no kernel may wait for blocks that are not resident, and a user must learn
 * why a GPU cannot be used.
 *
 * Method: the result of every CUDA call goes through `failed`. A graph's rows are copied to the device once and kept
 * with the graph; the memory that is known to be needed is compared with the free memory before any is allocated.
 * Kernels are launched cooperatively with the number of blocks that can be resident according to the occupancy
 * calculator; the host polls an event, and tells the kernel through pinned memory to stop after a cancellation or at
 * the time limit. A kernel that does not stop is given up: from then on the process calls nothing that would wait for
 * it, and does not use the device.
 *
 * Not done: several devices in one process; graphs larger than the device.
 */
#include <ordo/scheduler/cuda_host.h>

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ordo/memory.h>

#include "framework/run/clock.h"
#include "framework/run/number.h"

#include <ordo/operator/pass.h>

#include "by_weight.h"
#include "carry.h"
#include "copy.h"
#include "held.h"
#include "hot.h"
#include "leading.h"
#include "live.h"
#include "machine.h"
#include "queue.h"
#include "range.h"
#include "ranks.h"
#include "records.h"
#include "transpose.h"

enum { MOST_BLOCKS = 32 + ORDO_MOST_ARRAYS, LEAST_MAJOR = 7, LEAST_MINOR = 5 };

/* Seconds after which a kernel that was told to stop is given up. */
#ifndef ORDO_CUDA_PATIENCE
#define ORDO_CUDA_PATIENCE 5.0
#endif

struct ordo_cuda_own {
    const char *name;     /* who asks for memory */
    int threads;          /* of the host, for copies */
    ordo_cuda_held *held; /* of the run's session, or what the process keeps; NULL: the memory for that was short */
    bool apart;           /* the run has a session: cells and items are on the device */
    void *block[MOST_BLOCKS];
    ordo_u64 bytes[MOST_BLOCKS];
    int blocks;
    size_t cell;
    ordo_u64 needed;            /* bytes that the run has asked for, including those of rows that it copies */
    size_t vacant, whole;       /* bytes of the device, when the run began */
    ordo_cuda_mailbox *mailbox; /* on the host */
    cudaEvent_t before, after;
    double ready;           /* when ordo_cuda_begin had copied everything */
    double earlier;         /* seconds of the job's kernels before the first of this run; negative: none was launched */
    nvtxRangeId_t range;    /* from begin to end, for profilers */
    ordo_live_reader *live; /* of a traced run, or NULL */
    bool launched;
    bool given_up; /* the kernel may still write to the memory of the run */
};

/* A kernel was given up; atomic. */
static int lost;

/* Ends a process that has given up a kernel, without waiting for the kernel. */
static void leave(int status, void *arg)
{
    (void)arg;
    fflush(NULL);
    _exit(status);
}

static ordo_status failed(cudaError_t error, const char *what)
{
    return ordo_cuda_failed(error, what);
}

/* ---- the device ---- */

bool ordo_cuda_is_lost(void)
{
    return __atomic_load_n(&lost, __ATOMIC_RELAXED) != 0;
}

ordo_status ordo_cuda_usable(void)
{
    return ordo_cuda_is_lost()
               ? ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': the kernel of an earlier run did not end when it was told "
                                            "to; this process cannot use the GPU any more")
               : ORDO_OK;
}

static ordo_status probe(char device[ORDO_DEVICE_NAME])
{
    int count = 0, driver = 0;
    const ordo_status status = ordo_cuda_usable();
    if (status)
        return status;
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

static int devices(void)
{
    char name[ORDO_DEVICE_NAME];
    int count = 0;
    return probe(name) == ORDO_OK && cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

static ordo_status select_device(int device)
{
    ordo_status status = failed(cudaSetDevice(device), "choosing a GPU");
    return status ? status : failed(cudaFree(NULL), "making a context"); /* the first call that needs one makes it */
}

static int capability(void)
{
    char name[ORDO_DEVICE_NAME];
    cudaDeviceProp p;
    int current = 0;
    const bool known = probe(name) == ORDO_OK && cudaGetDevice(&current) == cudaSuccess &&
                       cudaGetDeviceProperties(&p, current) == cudaSuccess;
    return known ? 10 * p.major + p.minor : 0;
}

static ordo_status short_of(const ordo_cuda_own *own, ordo_u64 needed)
{
    return ordo_fail(ORDO_ERR_MEMORY, "device 'cuda': %s needs %llu bytes or more, %llu of %llu are free", own->name,
                     (unsigned long long)needed, (unsigned long long)own->vacant, (unsigned long long)own->whole);
}

/* Checks, before any memory is allocated, that there is enough for what is known to be needed. Where it is too little,
 * what is held for later runs is freed; and a session asked when its first run began, so it asks again. */
static ordo_status check_capacity(ordo_cuda_own *own, ordo_u64 needed)
{
    if (needed > own->vacant) {
        ordo_cuda_let_go(own->held);
        const ordo_status status = failed(cudaMemGetInfo(&own->vacant, &own->whole), "asking for memory");
        if (status)
            return status;
        if (own->held)
            own->held->vacant = own->vacant;
    }
    return needed > own->vacant ? short_of(own, needed) : ORDO_OK;
}

static ordo_status take(ordo_cuda_own *own, ordo_u64 bytes, void **out)
{
    *out = NULL;
    own->needed += bytes;
    cudaError_t error = cudaMalloc(out, bytes ? bytes : 1);
    if (error == cudaErrorMemoryAllocation && ordo_cuda_let_go(own->held)) {
        cudaGetLastError();
        error = cudaMalloc(out, bytes ? bytes : 1);
        cudaMemGetInfo(&own->vacant, &own->whole);
    }
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        return short_of(own, own->needed);
    }
    return failed(error, "taking memory");
}

/* ---- graphs ---- */

/* Rows of vertices first .. last - 1. Rows on the device have the addresses that those of all vertices would have, so
 * that kernels need not know; what is not there must not be read. */
typedef struct part_of_rows {
    ordo_vid first, last;
} part_of_rows;

/* What a graph has on the device. `out` is there from the beginning. The rest is made by the first run that needs it;
 * two runs on the graph may be under way at once, so each looks and makes it under `lock`, and afterwards only reads
 * it. */
typedef struct device_graph {
    ordo_cuda_rows out, in;
    ordo_u64 *in_row; /* [n + 1] on the host, where `in` was made on the device and is asked for; or NULL */
    ordo_eid out_before, in_before; /* edges of vertices before the part */
    part_of_rows part;       /* which rows these are: in a run over ranks those of the vertices that the rank owns */
    uint4 *record;           /* [2 * n], or NULL */
    part_of_rows listed;     /* of which rows the lists for gather operators are: in a run over ranks of own vertices */
    uint4 *four;             /* [n], or NULL: see ordo_cuda_fours */
    unsigned short *readers; /* or NULL: see ordo_cuda_ghosts */
    ordo_u64 sent;           /* likewise */
    ordo_eid listed_before;  /* in-edges of vertices before those rows */
    ordo_u32 *tail;          /* [m], or NULL: see ordo_cuda_edge_tails */
    ordo_vid *leading;       /* [n], or NULL: see ordo_cuda_leading_tails */
    part_of_rows led;        /* of which vertices */
    ordo_cuda_tails hot;
    ordo_cuda_order order;
    ordo_cuda_by_weight *by_weight[ORDO_CUDA_ROW_ORDERS]; /* or NULL */
    struct {
        bool row, edge, wide;
    } lent;     /* of `out`: the caller's, not to be freed */
    int device; /* where lent rows are; -1: none are lent */
    bool has_in, record_asked, four_asked, led_asked, has_order, has_listed;
    pthread_mutex_t lock;
} device_graph;

/* `before`: the edges of the vertices before the part. */
static void drop_rows(ordo_cuda_rows *r, part_of_rows part, ordo_eid before)
{
    if (!ordo_cuda_is_lost()) { /* freeing memory would wait for the kernel */
        cudaFree(r->row ? (void *)(r->row + part.first) : NULL);
        cudaFree(r->edge ? (void *)(r->edge + before * r->stride) : NULL);
        cudaFree(r->wide ? (void *)(r->wide + before) : NULL);
    }
    *r = ordo_cuda_rows{};
}

/* `before`: the edges of the vertices before those that are listed. */
static void drop_tails(ordo_cuda_tails *t, ordo_eid before)
{
    if (!ordo_cuda_is_lost()) {
        cudaFree(t->edge ? (void *)(t->edge + before) : NULL);
        cudaFree((void *)t->position);
    }
    *t = ordo_cuda_tails{};
}

static void drop_order(ordo_cuda_order *o)
{
    if (!ordo_cuda_is_lost()) {
        cudaFree((void *)o->row);
        cudaFree((void *)o->piece);
    }
    *o = ordo_cuda_order{};
}

static void drop_graph(void *graph)
{
    device_graph *g = (device_graph *)graph;
    for (int i = 0; i < ORDO_CUDA_ROW_ORDERS; i++) {
        if (g->by_weight[i] && !ordo_cuda_is_lost())
            ordo_by_weight_drop(g->out, g->by_weight[i]);
        ordo_free(g->by_weight[i]);
    }
    g->out.row = g->lent.row ? NULL : g->out.row;
    g->out.edge = g->lent.edge ? NULL : g->out.edge;
    g->out.wide = g->lent.wide ? NULL : g->out.wide;
    drop_rows(&g->out, g->part, g->out_before);
    drop_rows(&g->in, g->part, g->in_before);
    if (!ordo_cuda_is_lost()) {
        cudaFree(g->record ? g->record + 2ull * g->part.first : NULL);
        cudaFree(g->four ? g->four + g->listed.first : NULL);
        cudaFree(g->readers ? g->readers + g->listed.first : NULL);
        cudaFree(g->tail);
        cudaFree(g->leading ? g->leading + g->led.first : NULL);
        ordo_cuda_let_go(NULL);
    }
    drop_tails(&g->hot, g->listed_before);
    drop_order(&g->order);
    pthread_mutex_destroy(&g->lock);
    ordo_free(g->in_row);
    ordo_free(g);
}

static bool is_wide(const ordo_csr *csr)
{
    return csr->weight_type != ORDO_NONE && ordo_type_bytes(csr->weight_type) == 8;
}

static ordo_u32 stride_of(const ordo_csr *csr)
{
    return csr->weight_type == ORDO_NONE || is_wide(csr) ? 1 : 2;
}

static ordo_u64 rows_bytes(const ordo_csr *csr, part_of_rows part)
{
    const ordo_u64 edges = csr->row[part.last] - csr->row[part.first];
    return ((ordo_u64)(part.last - part.first) + 1) * sizeof(ordo_u64) + edges * stride_of(csr) * sizeof(ordo_u32) +
           (is_wide(csr) ? edges * sizeof(ordo_u64) : 0);
}

/* Copies edges that are stored neither as {head, weight} pairs nor as heads only. */
static void fill_heads(const void *from, void *to, ordo_u64 begin, ordo_u64 count)
{
    const ordo_csr *csr = (const ordo_csr *)from;
    for (ordo_u64 i = 0; i < count; i++)
        ((ordo_u32 *)to)[i] = csr->head[(begin + i) * csr->stride];
}

static void fill_pairs(const void *from, void *to, ordo_u64 begin, ordo_u64 count)
{
    const ordo_csr *csr = (const ordo_csr *)from;
    for (ordo_u64 i = 0; i < count; i++) {
        ((ordo_u32 *)to)[2 * i] = csr->head[(begin + i) * csr->stride];
        ((ordo_u32 *)to)[2 * i + 1] = ((const ordo_u32 *)csr->weight)[(begin + i) * csr->stride];
    }
}

static void fill_wide(const void *from, void *to, ordo_u64 begin, ordo_u64 count)
{
    const ordo_csr *csr = (const ordo_csr *)from;
    for (ordo_u64 i = 0; i < count; i++)
        memcpy((ordo_u64 *)to + i, ordo_csr_weight_at(csr, begin + i), sizeof(ordo_u64));
}

/* The edges of `csr` from edge `first` on. */
static ordo_csr edges_from(const ordo_csr *csr, ordo_eid first, ordo_eid count)
{
    ordo_csr part = *csr;
    part.head += first * csr->stride;
    if (csr->weight_type != ORDO_NONE)
        part.weight = ordo_csr_weight_at(csr, first);
    part.m = count;
    return part;
}

static ordo_status copy_edges(const ordo_csr *csr, void *to, ordo_u32 stride, int threads)
{
    const size_t size = stride * sizeof(ordo_u32);
    if (csr->stride == stride && (stride == 1 || csr->weight == csr->head + 1))
        return ordo_copy_in(to, csr->head, csr->m, size, NULL, threads, "copying edges");
    return ordo_copy_in(to, csr, csr->m, size, stride == 2 ? fill_pairs : fill_heads, threads, "copying edges");
}

static ordo_status copy_rows(ordo_cuda_own *own, const ordo_csr *csr, part_of_rows part, ordo_cuda_rows *out)
{
    ordo_cuda_rows r = {};
    r.n = csr->n;
    r.m = csr->m;
    r.stride = stride_of(csr);
    const int threads = own->threads;
    const ordo_eid before = csr->row[part.first];
    const ordo_csr edges = edges_from(csr, before, csr->row[part.last] - before);
    const ordo_u64 rows = (ordo_u64)(part.last - part.first) + 1;
    void *row = NULL, *edge = NULL, *wide = NULL;
    ordo_status status = take(own, rows * sizeof(ordo_u64), &row);
    if (!status)
        status = take(own, edges.m * r.stride * sizeof(ordo_u32) + ORDO_CUDA_EDGES, &edge);
    if (!status && is_wide(csr))
        status = take(own, edges.m * sizeof(ordo_u64), &wide);
    if (!status)
        status = ordo_copy_in(row, csr->row + part.first, rows, sizeof(ordo_u64), NULL, threads, "copying rows");
    if (!status)
        status = copy_edges(&edges, edge, r.stride, threads);
    if (!status && wide)
        status = ordo_copy_in(wide, &edges, edges.m, sizeof(ordo_u64), fill_wide, threads, "copying weights");
    r.row = row ? (const ordo_u64 *)row - part.first : NULL;
    r.edge = edge ? (const ordo_u32 *)edge - before * r.stride : NULL;
    r.wide = wide ? (const ordo_u64 *)wide - before : NULL;
    if (status)
        drop_rows(&r, part, before);
    else
        *out = r;
    return status;
}

typedef struct request {
    ordo_cuda_own *own;
    ordo_u64 besides; /* bytes that the run is known to need besides the out-rows */
    part_of_rows part;
} request;

/* Waits for the kernel that was launched last, which made `what`; ordo_cuda_launch_all counts the time. */
static ordo_status wait_made(const char *what)
{
    const ordo_status status = failed(cudaGetLastError(), what);
    return status ? status : failed(cudaDeviceSynchronize(), what);
}

static part_of_rows all_rows(const ordo_csr *csr)
{
    return part_of_rows{0, csr->n};
}

static part_of_rows owned_rows(const ordo_job *job)
{
    return job->remote ? part_of_rows{job->first_owned, job->first_owned + job->owned} : all_rows(job->out);
}

/* The rows that a run reads. Passes of a session read rows of any vertex. */
static part_of_rows rows_of(const ordo_job *job)
{
    void *own;
    return ordo_job_session(job, &own) ? all_rows(job->out) : owned_rows(job);
}

static ordo_status make_graph(const ordo_graph *g, void *arg, void **out)
{
    const request *r = (const request *)arg;
    ordo_status status = check_capacity(r->own, r->besides + rows_bytes(ordo_graph_out(g), r->part));
    device_graph *d = status ? NULL : (device_graph *)ordo_alloc_zero(1, sizeof *d);
    if (!status)
        status = d ? copy_rows(r->own, ordo_graph_out(g), r->part, &d->out) : ORDO_ERR_MEMORY;
    if (status) {
        ordo_free(d);
        return status;
    }
    d->device = -1;
    d->part = r->part;
    d->out_before = ordo_graph_out(g)->row[r->part.first];
    pthread_mutex_init(&d->lock, NULL); /* cannot fail without attributes */
    *out = d;
    return ORDO_OK;
}

/* ---- in-rows ---- */

/* Makes the in-rows on the device if there is memory for it; if there is not, that is no error. In-rows of all vertices
 * alone. */
static ordo_status transpose_rows(const ordo_csr *out, ordo_cuda_own *own, device_graph *d)
{
    size_t left = 0, whole = 0;
    ordo_u64 bytes = 0;
    ordo_status status = failed(cudaMemGetInfo(&left, &whole), "asking for memory");
    if (!status)
        status = ordo_cuda_transpose_bytes(d->out, &bytes);
    if (status || bytes > left)
        return status;
    status = ordo_cuda_transpose(d->out, &d->in);
    if (status == ORDO_ERR_MEMORY) /* taken by another process meanwhile, or in pieces that are too small */
        return ORDO_OK;
    d->has_in = !status;
    own->needed += status ? 0 : rows_bytes(out, d->part); /* as many edges */
    return status;
}

/* The in-rows that the host has made. */
static ordo_status copy_in_rows(ordo_cuda_own *own, const ordo_csr *in, device_graph *d)
{
    const ordo_status status = copy_rows(own, in, d->part, &d->in);
    d->in_before = in->row[d->part.first];
    d->has_in = !status;
    return status;
}

/* The in-rows, which are not the same as the out-rows, where they are not there yet. `needed`: bytes that the run is
 * known to need; they were not checked where the out-rows were there already. */
static ordo_status need_in_rows(ordo_job *job, ordo_cuda_own *own, ordo_u64 needed, device_graph *d)
{
    ordo_status status = ORDO_OK;
    pthread_mutex_lock(&d->lock);
    if (!d->has_in && !own->needed)
        status = check_capacity(own, needed);
    const double start = ordo_seconds();
    if (!d->has_in && !job->in && !status) {
        status = transpose_rows(job->out, own, d);
        ordo_job_add_prepare(job, ordo_seconds() - start);
    }
    const bool has_in = d->has_in;
    pthread_mutex_unlock(&d->lock);
    if (!status && !has_in)
        status = ordo_job_need_in(job); /* adds its time */
    if (status || has_in)
        return status;
    const double made = ordo_seconds();
    pthread_mutex_lock(&d->lock);
    if (!d->has_in)
        status = copy_in_rows(own, job->in, d);
    pthread_mutex_unlock(&d->lock);
    ordo_job_add_transfer(job, ordo_seconds() - made);
    return status;
}

/* ---- rows that are on the device already ---- */

typedef struct adoption {
    ordo_cuda_own *own;
    const ordo_row_arrays *arrays;
    int device;
} adoption;

/* Rewrites what has another layout or alignment. The kernels are on the legacy default stream, after what the caller
 * has ordered before it, and have ended on return. */
static ordo_status adopt_rows(ordo_cuda_own *own, const ordo_row_arrays *a, device_graph *d)
{
    ordo_cuda_rows *r = &d->out;
    const bool weighted = a->weight_type != ORDO_NONE, wide = weighted && ordo_type_bytes(a->weight_type) == 8;
    const ordo_u32 stride = a->stride ? a->stride : 1;
    void *row = NULL, *edge = NULL;
    r->n = (ordo_u32)a->n;
    r->m = a->m;
    r->stride = weighted && !wide ? 2 : 1;
    d->lent.row = a->row_type == ORDO_U64 || a->row_type == ORDO_NONE;
    d->lent.edge = stride == r->stride && a->head_type != ORDO_U64 && (size_t)a->head % ORDO_CUDA_EDGES == 0;
    d->lent.wide = wide;
    ordo_status status = d->lent.row ? ORDO_OK : take(own, (a->n + 1) * sizeof(ordo_u64), &row);
    if (!status && !d->lent.edge)
        status = take(own, a->m * r->stride * sizeof(ordo_u32) + ORDO_CUDA_EDGES, &edge);
    if (!status && row)
        ordo_fill_offsets((const ordo_u32 *)a->row, a->n + 1, (ordo_u64 *)row);
    if (!status && edge)
        ordo_fill_edges(ordo_words{a->head, a->head_type == ORDO_U64 ? 2 : stride},
                        ordo_words{r->stride == 2 ? (const ordo_u32 *)a->weight : NULL, stride}, a->m,
                        (ordo_u32 *)edge);
    if (!status && (row || edge))
        status = wait_made("rewriting rows");
    r->row = (const ordo_u64 *)(row ? row : a->row);
    r->edge = (const ordo_u32 *)(edge ? edge : a->head);
    r->wide = wide ? (const ordo_u64 *)a->weight : NULL;
    if (status) {
        cudaFree(row);
        cudaFree(edge);
    }
    return status;
}

static ordo_status make_adopted(const ordo_graph *g, void *arg, void **out)
{
    const adoption *from = (const adoption *)arg;
    device_graph *d = (device_graph *)ordo_alloc_zero(1, sizeof *d);
    const ordo_status status = d ? adopt_rows(from->own, from->arrays, d) : ORDO_ERR_MEMORY;
    if (status) {
        ordo_free(d);
        return status;
    }
    d->device = from->device;
    d->part = all_rows(ordo_graph_out(g));
    pthread_mutex_init(&d->lock, NULL); /* as above */
    *out = d;
    return ORDO_OK;
}

static ordo_status adopt(const ordo_graph *g, const ordo_row_arrays *arrays)
{
    void *attached;
    ordo_cuda_own own = {};
    own.name = "a graph";
    adoption from = {&own, arrays, 0};
    ordo_status status = ordo_cuda_usable();
    if (!status)
        status = failed(cudaGetDevice(&from.device), "asking for the device");
    if (!status)
        status = failed(cudaMemGetInfo(&own.vacant, &own.whole), "asking for memory");
    return status ? status : ordo_graph_attach(g, make_adopted, &from, drop_graph, &attached);
}

/* ORDO_ERR_USAGE where rows are lent that are on another device than the thread's. */
static ordo_status check_device(const device_graph *d)
{
    int current = d->device;
    const ordo_status status = d->device < 0 ? ORDO_OK : failed(cudaGetDevice(&current), "asking for the device");
    if (!status && current != d->device)
        return ordo_fail(ORDO_ERR_USAGE, "device 'cuda': the graph's arrays are on GPU %d, and this thread uses GPU %d",
                         d->device, current);
    return status;
}

static ordo_status make_nothing(const ordo_graph *g, void *arg, void **out)
{
    (void)g;
    (void)arg;
    (void)out;
    return ORDO_ERR_UNKNOWN;
}

static bool has_in_rows(const ordo_graph *g)
{
    void *attached = NULL;
    if (ordo_graph_attach(g, make_nothing, NULL, drop_graph, &attached))
        return false;
    device_graph *d = (device_graph *)attached;
    pthread_mutex_lock(&d->lock);
    const bool has = d->has_in;
    pthread_mutex_unlock(&d->lock);
    return has;
}

/* Whether there is memory to make in-rows on the device, and for the out-rows, which may not be there yet. */
static bool may_transpose(const ordo_csr *out)
{
    size_t left = 0, whole = 0;
    ordo_u64 bytes = 0;
    ordo_cuda_rows rows = {};
    rows.n = out->n;
    rows.m = out->m;
    rows.stride = stride_of(out);
    rows.wide = is_wide(out) ? (const ordo_u64 *)out->weight : NULL;
    return cudaMemGetInfo(&left, &whole) == cudaSuccess && !ordo_cuda_transpose_bytes(rows, &bytes) &&
           bytes + rows_bytes(out, all_rows(out)) <= left;
}

bool ordo_cuda_in_pays(const ordo_job *job, double here, double on_host)
{
    if (ordo_job_in_pays(job, on_host) || has_in_rows(ordo_job_graph(job)))
        return true;
    return ordo_job_in_pays(job, here) && may_transpose(job->out);
}

/* ---- the graph of a run ---- */

static ordo_status other_ranks(const char *what, part_of_rows found, part_of_rows expected)
{
    return ordo_fail(ORDO_ERR_USAGE,
                     "device 'cuda': the graph is there with %s of vertices %u to %u, expected %u to %u: one graph is "
                     "run over one group of ranks",
                     what, found.first, found.last, expected.first, expected.last);
}

/* `fixed`: bytes that the run is known to need besides rows. */
static ordo_status get_graph(ordo_job *job, bool need_in, ordo_u64 fixed, ordo_cuda *c)
{
    void *attached = NULL;
    if (job->op->kind == ORDO_KIND_CRITICAL) /* critical operators have no rows */
        return check_capacity(c->own, fixed);
    if (job->remote) /* first, so that it is done while the host copies */
        ordo_cuda_ranks_touch(job->remote);
    const part_of_rows part = rows_of(job);
    const bool same = need_in && ordo_graph_symmetric(ordo_job_graph(job));
    if (need_in && (same || job->remote)) { /* of a rank the host makes them; else they are the out-rows */
        ordo_status status = ordo_job_need_in(job);
        if (status)
            return status;
    }
    double start = ordo_seconds();
    const ordo_u64 in_bytes = !need_in || same ? 0 : rows_bytes(job->in ? job->in : job->out, part);
    request r = {c->own, fixed + in_bytes, part};
    ordo_status status = ordo_graph_attach(ordo_job_graph(job), make_graph, &r, drop_graph, &attached);
    device_graph *d = (device_graph *)attached;
    if (!status)
        status = check_device(d);
    if (!status && (d->part.first > part.first || d->part.last < part.last))
        status = other_ranks("rows", d->part, part);
    ordo_job_add_transfer(job, ordo_seconds() - start);
    if (!status && need_in && !same)
        status = need_in_rows(job, c->own, r.besides, d);
    if (!status && !c->own->needed)
        status = check_capacity(c->own, fixed);
    if (!status) {
        c->out = d->out;
        c->in = need_in ? (same ? d->out : d->in) : ordo_cuda_rows{};
    }
    return status;
}

ordo_status ordo_cuda_graph_rows(const ordo_graph *g, const char *name, int threads, ordo_cuda_held *held,
                                 ordo_cuda_rows *out)
{
    void *attached = NULL;
    ordo_cuda_own own = {};
    own.name = name;
    own.threads = threads ? threads : ordo_cores();
    own.held = held;
    request r = {&own, 0, all_rows(ordo_graph_out(g))};
    ordo_status status = failed(cudaMemGetInfo(&own.vacant, &own.whole), "asking for memory");
    if (!status)
        status = ordo_graph_attach(g, make_graph, &r, drop_graph, &attached);
    if (!status)
        status = check_device((device_graph *)attached);
    if (!status)
        *out = ((device_graph *)attached)->out;
    return status;
}

/* ordo_backend.in_rows. */
static ordo_status in_rows(const ordo_graph *g, int threads, ordo_eid *row, ordo_u32 *edge, double *seconds)
{
    void *attached = NULL;
    ordo_cuda_own own = {};
    own.name = "a graph";
    own.threads = threads ? threads : ordo_cores();
    request r = {&own, 0, all_rows(ordo_graph_out(g))};
    ordo_status status = ordo_cuda_usable();
    if (!status)
        status = failed(cudaMemGetInfo(&own.vacant, &own.whole), "asking for memory");
    const double start = ordo_seconds();
    if (!status)
        status = ordo_graph_attach(g, make_graph, &r, drop_graph, &attached);
    device_graph *d = (device_graph *)attached;
    if (!status)
        status = check_device(d);
    if (!status && d->part.last - d->part.first < d->out.n)
        status = ordo_fail(ORDO_ERR_USAGE, "device 'cuda': the graph is there with the rows of one rank");
    if (status)
        return status;
    pthread_mutex_lock(&d->lock);
    if (!d->has_in)
        status = transpose_rows(ordo_graph_out(g), &own, d);
    if (!status && !d->has_in)
        status = ordo_fail(ORDO_ERR_MEMORY, "device 'cuda': too little memory to transpose");
    const ordo_cuda_rows in = d->in;
    pthread_mutex_unlock(&d->lock);
    if (!status)
        status = ordo_copy_out(row, in.row, (in.n + 1ull) * sizeof *row, own.threads, "copying in-rows");
    if (!status)
        status = ordo_copy_out(edge, in.edge, in.m * in.stride * sizeof *edge, own.threads, "copying in-rows");
    *seconds = ordo_seconds() - start;
    return status;
}

/* ---- what runs add to a graph ---- */

/* The run's graph on the device, made by ordo_cuda_begin. */
static ordo_status graph_of(const ordo_cuda *c, device_graph **out)
{
    void *attached = NULL;
    const ordo_status status = ordo_graph_attach(ordo_job_graph(c->job), make_graph, NULL, drop_graph, &attached);
    *out = (device_graph *)attached;
    return status;
}

/* The same of a run of a gather operator, under the graph's lock: its lists are of the rows that the run owns. */
static ordo_status lists_of(const ordo_cuda *c, device_graph **out)
{
    const part_of_rows own = owned_rows(c->job);
    ordo_status status = graph_of(c, out);
    if (status)
        return status;
    device_graph *const d = *out;
    pthread_mutex_lock(&d->lock);
    if (!d->has_listed)
        d->listed = own;
    d->has_listed = true;
    if (d->listed.first == own.first && d->listed.last == own.last)
        return ORDO_OK;
    status = other_ranks("lists", d->listed, own);
    pthread_mutex_unlock(&d->lock);
    return status;
}

/* A part of rows as rows of their own, [0, last - first); edges keep their numbers. */
static ordo_cuda_rows rows_from(ordo_cuda_rows rows, part_of_rows part)
{
    rows.row += part.first;
    rows.n = part.last - part.first;
    return rows;
}

/* The in-rows on the host, without their edges where the device has made them. Under the lock of *d. */
static ordo_status in_offsets(const ordo_cuda *c, device_graph *d, ordo_csr *out)
{
    ordo_status status = ORDO_OK;
    *out = ordo_csr{};
    if (c->job->in) {
        *out = *c->job->in;
        return ORDO_OK;
    }
    const ordo_u64 bytes = ((ordo_u64)c->in.n + 1) * sizeof *d->in_row;
    if (!d->in_row) {
        ordo_u64 *const row = (ordo_u64 *)ordo_alloc((ordo_u64)c->in.n + 1, sizeof *row);
        status = row ? ordo_copy_out(row, c->in.row, bytes, ordo_job_host_threads(c->job), "copying offsets of rows")
                     : ORDO_ERR_MEMORY;
        if (status)
            ordo_free(row);
        else
            d->in_row = row;
    }
    out->n = c->in.n;
    out->m = c->in.m;
    out->row = d->in_row;
    return status;
}

ordo_status ordo_cuda_in_offsets(ordo_cuda *c, const ordo_u64 **row)
{
    device_graph *d;
    ordo_csr in = {};
    ordo_status status = graph_of(c, &d);
    if (status)
        return status;
    pthread_mutex_lock(&d->lock);
    status = in_offsets(c, d, &in);
    pthread_mutex_unlock(&d->lock);
    *row = in.row;
    return status;
}

/* ---- records ---- */

/* Whether at least 19 of 20 rows, of a sample, have at most four edges. Reads offsets alone. */
static bool mostly_short(const ordo_csr *csr)
{
    const ordo_vid step = csr->n / 16384 + 1;
    ordo_u64 taken = 0, shorts = 0;
    for (ordo_u64 v = 0; v < csr->n; v += step, taken++)
        shorts += csr->row[v + 1] - csr->row[v] <= 4;
    return 20 * shorts >= 19 * taken;
}

/* Memory of so many uint4 for what makes runs faster, or NULL: where there is little, runs do without. */
static uint4 *spare(ordo_u64 count)
{
    size_t left = 0, whole = 0;
    void *block = NULL;
    const ordo_u64 bytes = count * sizeof(uint4);
    if (cudaMemGetInfo(&left, &whole) == cudaSuccess && left / 2 >= bytes &&
        cudaMalloc(&block, bytes ? bytes : 1) == cudaSuccess)
        return (uint4 *)block;
    cudaGetLastError();
    return NULL;
}

/* Waits for the kernel that fills what spare() gave; frees it after an error. */
static ordo_status wait_filled(uint4 **block, const char *what)
{
    const ordo_status status = wait_made(what);
    if (status) {
        cudaFree(*block);
        *block = NULL;
    }
    return status;
}

/* Makes the records, unless they would not help. */
static ordo_status make_records(const ordo_cuda *c, device_graph *d)
{
    const ordo_csr *out = ordo_graph_out(ordo_job_graph(c->job));
    const ordo_cuda_rows rows = rows_from(d->out, d->part);
    uint4 *record = mostly_short(out) ? spare(2ull * rows.n) : NULL;
    if (!record)
        return ORDO_OK;
    ordo_fill_records(rows, out->weight_type == ORDO_F32, record);
    const ordo_status status = wait_filled(&record, "making records");
    d->record = record ? record - 2ull * d->part.first : NULL;
    return status;
}

/* Makes rows of four, likewise. */
static ordo_status make_fours(const ordo_cuda *c, device_graph *d)
{
    const ordo_cuda_rows rows = rows_from(c->in, d->listed);
    ordo_csr in;
    ordo_status status = in_offsets(c, d, &in);
    uint4 *four = !status && mostly_short(&in) ? spare(rows.n) : NULL;
    if (!four)
        return status;
    ordo_fill_fours(rows, four);
    status = wait_filled(&four, "making rows of four");
    d->four = four ? four - d->listed.first : NULL;
    return status;
}

ordo_status ordo_cuda_records(ordo_cuda *c, const uint4 **out)
{
    device_graph *d;
    *out = NULL;
    ordo_status status = graph_of(c, &d);
    if (status)
        return status;
    pthread_mutex_lock(&d->lock);
    if (!d->record_asked)
        status = make_records(c, d);
    d->record_asked = true;
    *out = d->record;
    pthread_mutex_unlock(&d->lock);
    return status;
}

ordo_status ordo_cuda_fours(ordo_cuda *c, const uint4 **out)
{
    device_graph *d;
    *out = NULL;
    ordo_status status = lists_of(c, &d);
    if (status)
        return status;
    if (!d->four_asked)
        status = make_fours(c, d);
    d->four_asked = true;
    *out = d->four;
    pthread_mutex_unlock(&d->lock);
    return status;
}

/* ---- tails of edges ---- */

static ordo_status make_edge_tails(const ordo_cuda *c, device_graph *d)
{
    void *tail = NULL;
    ordo_status status = take(c->own, d->out.m * sizeof *d->tail, &tail);
    if (!status) {
        ordo_fill_tails(d->out, (ordo_u32 *)tail);
        status = wait_made("making tails of edges");
    }
    if (status)
        cudaFree(tail);
    else
        d->tail = (ordo_u32 *)tail;
    return status;
}

ordo_status ordo_cuda_edge_tails(ordo_cuda *c, const ordo_u32 **out)
{
    device_graph *d;
    *out = NULL;
    ordo_status status = graph_of(c, &d);
    if (status)
        return status;
    pthread_mutex_lock(&d->lock);
    if (!d->tail)
        status = make_edge_tails(c, d);
    *out = d->tail;
    pthread_mutex_unlock(&d->lock);
    return status;
}

/* ---- rows by weight ---- */

/* `same`: in-rows are the out-rows. */
static ordo_status make_by_weight(const ordo_cuda *c, ordo_cuda_row_order order, device_graph *d)
{
    const bool same = ordo_graph_symmetric(ordo_job_graph(c->job)), sorts = order != ORDO_CUDA_ANY_ORDER;
    const ordo_type type = c->job->out->weight_type;
    ordo_cuda_by_weight by = {}, *kept = (ordo_cuda_by_weight *)ordo_alloc_zero(1, sizeof *kept);
    size_t left = 0, whole = 0;
    ordo_u64 bytes = 2 * sizeof(uint4) * (ordo_u64)d->out.n;
    ordo_status status = kept ? failed(cudaMemGetInfo(&left, &whole), "asking for memory") : ORDO_ERR_MEMORY;
    if (!status && sorts)
        status = ordo_by_weight_bytes(d->out, same, &bytes);
    if (!status && bytes > left && ordo_cuda_let_go(c->own->held))
        status = failed(cudaMemGetInfo(&left, &whole), "asking for memory");
    if (!status && bytes > left)
        status = ordo_fail(
            ORDO_ERR_MEMORY, "device 'cuda': rows by weight for %s need %llu bytes or more, %llu of %llu are free",
            c->own->name, (unsigned long long)bytes, (unsigned long long)left, (unsigned long long)whole);
    if (!status && sorts) {
        status = ordo_by_weight_make(d->out, type, order, same, &by);
    } else if (!status) {
        by.out = d->out;
        by.in = c->in;
    }
    if (!status && (status = ordo_by_weight_records(order, type, &by)) != ORDO_OK)
        ordo_by_weight_drop(d->out, &by);
    if (status) {
        ordo_free(kept);
        return status;
    }
    *kept = by;
    d->by_weight[order] = kept;
    return ORDO_OK;
}

ordo_status ordo_cuda_rows_by_weight(ordo_cuda *c, ordo_cuda_row_order order, ordo_cuda_by_weight *out)
{
    device_graph *d;
    ordo_status status = graph_of(c, &d);
    if (status)
        return status;
    if (order != ORDO_CUDA_ANY_ORDER && (c->job->out->weight_type == ORDO_NONE || is_wide(c->job->out)))
        return ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': rows by weight need weights of 4 bytes");
    const double start = ordo_seconds();
    pthread_mutex_lock(&d->lock);
    if (!d->by_weight[order]) {
        status = make_by_weight(c, order, d);
        ordo_job_add_prepare(c->job, ordo_seconds() - start);
    }
    *out = status ? ordo_cuda_by_weight{} : *d->by_weight[order];
    pthread_mutex_unlock(&d->lock);
    return status;
}

/* ---- hot tails ---- */

/* The in-edges before row v. Where the device has made them all rows are listed, and v is 0 or their number. */
static ordo_eid in_before(const ordo_cuda *c, ordo_vid v)
{
    return c->job->in ? c->job->in->row[v] : v ? c->in.m : 0;
}

/* The in-edges of a part of the rows. */
static ordo_u64 in_edges_of(const ordo_cuda *c, part_of_rows part)
{
    return in_before(c, part.last) - in_before(c, part.first);
}

/* Whether there is memory for them; if not, runs do without. All ranks or none: positions are the same in all. */
static ordo_status tails_fit(const ordo_cuda *c, part_of_rows part, bool *fit)
{
    size_t left = 0, whole = 0;
    *fit =
        cudaMemGetInfo(&left, &whole) == cudaSuccess && left / 2 >= (in_edges_of(c, part) + c->in.n) * sizeof(ordo_u32);
    cudaGetLastError();
    return c->job->remote ? ordo_cuda_ranks_all(c->job->remote, fit) : ORDO_OK;
}

/* Copies the positions, and makes the edges of the part, at the addresses that those of all would have. */
static ordo_status make_tails(const ordo_cuda *c, const ordo_u32 *position, ordo_u32 count, device_graph *d)
{
    const ordo_u64 edges = in_edges_of(c, d->listed), before = in_before(c, d->listed.first);
    ordo_cuda_rows in = c->in;
    void *edge = NULL, *place = NULL;
    ordo_status status = take(c->own, (ordo_u64)c->in.n * sizeof(ordo_u32), &place);
    if (!status)
        status = take(c->own, edges * sizeof(ordo_u32), &edge);
    d->hot = ordo_cuda_tails{edge ? (const ordo_u32 *)edge - before : NULL, (const ordo_u32 *)place, count};
    in.edge += before * in.stride;
    in.m = edges;
    if (!status)
        status = ordo_copy_in(place, position, c->in.n, sizeof(ordo_u32), NULL, ordo_job_host_threads(c->job),
                              "copying positions");
    if (!status) {
        ordo_renumber_tails(in, d->hot.position, (ordo_u32 *)edge);
        status = wait_made("renumbering tails");
    }
    return status;
}

/* ---- leading tails ---- */

/* Where there is memory for them and for a count of each vertex; if not, runs do without. */
static ordo_status make_leading(const ordo_cuda *c, device_graph *d)
{
    const ordo_csr *const host = c->job->in ? c->job->in : c->in.row == d->out.row ? c->job->out : NULL;
    const ordo_u64 before = host ? host->row[d->led.first] : 0; /* else all rows are there */
    const ordo_u64 counts = c->in.n * sizeof(ordo_u32);
    ordo_cuda_rows in = rows_from(c->in, d->led);
    size_t left = 0, whole = 0;
    void *leading = NULL, *count = NULL;
    ordo_status status = failed(cudaMemGetInfo(&left, &whole), "asking for memory");
    if (status || left / 2 < in.n * sizeof *d->leading + counts)
        return status;
    in.m = host ? host->row[d->led.last] - before : c->in.m;
    status = take(c->own, in.n * sizeof *d->leading, &leading);
    if (!status)
        status = take(c->own, counts, &count);
    if (!status)
        status = failed(cudaMemset(count, 0, counts), "clearing memory");
    if (!status) {
        ordo_count_tails(in, before, (ordo_u32 *)count);
        ordo_find_leading(in, (const ordo_u32 *)count, (ordo_vid *)leading);
        status = wait_made("finding leading tails");
    }
    cudaFree(count);
    if (status)
        cudaFree(leading);
    else
        d->leading = (ordo_vid *)leading - d->led.first;
    return status;
}

ordo_status ordo_cuda_leading_tails(ordo_cuda *c, const ordo_vid **out)
{
    const part_of_rows own = owned_rows(c->job);
    device_graph *d;
    *out = NULL;
    ordo_status status = graph_of(c, &d);
    if (status)
        return status;
    const double start = ordo_seconds();
    pthread_mutex_lock(&d->lock);
    if (!d->led_asked) {
        d->led = own;
        status = make_leading(c, d);
        ordo_job_add_prepare(c->job, ordo_seconds() - start);
    }
    d->led_asked = true;
    if (d->led.first == own.first && d->led.last == own.last) /* else a run over ranks that own others does without */
        *out = d->leading;
    pthread_mutex_unlock(&d->lock);
    return status;
}

/* ---- rows by their number of edges ---- */

static ordo_status copy_order(ordo_cuda *c, const ordo_order *order, ordo_cuda_order *out)
{
    const int threads = ordo_job_host_threads(c->job);
    void *row = NULL, *piece = NULL;
    ordo_status status = take(c->own, 4 * order->rows * sizeof *order->row, &row);
    if (!status)
        status = take(c->own, 2ull * order->out.pieces * sizeof *order->piece, &piece);
    if (!status)
        status =
            ordo_copy_in(row, order->row, order->rows, 4 * sizeof *order->row, NULL, threads, "copying lists of rows");
    if (!status)
        status = ordo_copy_in(piece, order->piece, order->out.pieces, 2 * sizeof *order->piece, NULL, threads,
                              "copying lists of rows");
    *out = order->out;
    out->row = (const uint4 *)row;
    out->piece = (const uint2 *)piece;
    if (status)
        drop_order(out);
    return status;
}

/* The least in-edges of a vertex that is listed: see ordo_cuda_order_rows. */
static ordo_u64 least_listed(const ordo_csr *in, bool hubs)
{
    if (hubs || in->m >= 0xffff0000u || in->n >= 0xffff0000u)
        return 0;
    return mostly_short(in) ? 5 : ORDO_CUDA_SHORT + 1;
}

/* Gives positions from `hot` on to the vertices that have none, as ordo_order_positions does for the lists of all rows.
 * A rank may have the in-rows of its own vertices alone, so ranks tell each other how many edges each row has: a share
 * is stored at the same position in all of them. */
static ordo_status positions_over_ranks(const ordo_cuda *c, const ordo_csr *in, part_of_rows own, ordo_u32 hot,
                                        ordo_u32 *position)
{
    ordo_order order = {};
    ordo_csr all = *in;
    ordo_u64 *const row = (ordo_u64 *)ordo_alloc((ordo_u64)in->n + 1, sizeof *row);
    if (!row)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 v = own.first; v < own.last; v++)
        row[v] = in->row[v + 1] - in->row[v];
    ordo_status status = ordo_group_gather(c->job->remote->group, row, own.first, in->n, sizeof *row);
    all.m = 0;
    for (ordo_u64 v = 0; v < in->n && !status; v++) {
        const ordo_u64 edges = row[v];
        row[v] = all.m;
        all.m += edges;
    }
    row[in->n] = all.m;
    all.row = row;
    if (!status)
        status = ordo_order_rows(&all, 0, &order);
    if (!status)
        ordo_order_positions(&order, hot, position);
    ordo_free(row);
    ordo_free(order.row);
    ordo_free(order.piece);
    return status;
}

static ordo_status make_order(ordo_cuda *c, ordo_u32 most, device_graph *d)
{
    const bool hubs = ordo_job_graph_kind(c->job) == ORDO_GRAPH_HUBS;
    ordo_order order = {};
    ordo_csr in;
    ordo_u32 *position = NULL, count = 0;
    ordo_status status = in_offsets(c, d, &in);
    if (!status)
        status = ordo_order_rows(&in, least_listed(&in, hubs), &order);
    if (!status && hubs && !(position = (ordo_u32 *)ordo_alloc(c->in.n, sizeof *position)))
        status = ORDO_ERR_MEMORY;
    if (!status && hubs)
        count = ordo_hot_positions(ordo_graph_out(ordo_job_graph(c->job)), most, position);
    bool fit = false;
    if (count)
        status = tails_fit(c, d->listed, &fit);
    if (fit && !status && c->job->remote)
        status = positions_over_ranks(c, &in, d->listed, count, position);
    if (fit && !status) { /* over ranks all have positions by now, and this writes them to the lists */
        ordo_order_positions(&order, count, position);
        status = make_tails(c, position, count, d);
    }
    if (!status) {
        ordo_order_part(&order, d->listed.first, d->listed.last);
        status = copy_order(c, &order, &d->order);
    }
    ordo_free(position);
    ordo_free(order.row);
    ordo_free(order.piece);
    return status;
}

ordo_status ordo_cuda_order_rows(ordo_cuda *c, ordo_u32 most, ordo_cuda_order *order, ordo_cuda_tails *hot)
{
    device_graph *d;
    *order = ordo_cuda_order{};
    *hot = ordo_cuda_tails{};
    ordo_status status = lists_of(c, &d);
    if (status)
        return status;
    if (!d->has_order) {
        d->listed_before = in_before(c, d->listed.first);
        status = make_order(c, most, d);
        d->has_order = !status;
        if (status)
            drop_tails(&d->hot, d->listed_before);
    }
    if (!status) {
        *order = d->order;
        *hot = d->hot;
    }
    pthread_mutex_unlock(&d->lock);
    return status;
}

/* ---- the ranks that read shares ---- */

static ordo_status make_readers(const ordo_cuda *c, device_graph *d)
{
    const ordo_remote *const remote = c->job->remote;
    unsigned long long *bits = NULL, sent = 0;
    void *readers = NULL;
    ordo_ranges ranges = {remote->count, remote->rank, {}};
    for (ordo_u32 r = 0; r < remote->count; r++)
        ranges.begin[r] = remote->begin[r];
    const ordo_cuda_rows rows = rows_from(c->out, d->listed);
    ordo_status status = take(c->own, rows.n * sizeof *d->readers, &readers);
    if (!status)
        status = take(c->own, sizeof *bits, (void **)&bits);
    if (!status)
        status = failed(cudaMemset(bits, 0, sizeof *bits), "clearing memory");
    if (!status) {
        ordo_fill_readers(rows, &ranges, (unsigned short *)readers, bits);
        status = failed(cudaGetLastError(), "finding readers of shares");
    }
    if (!status) /* waits for it */
        status = failed(cudaMemcpy(&sent, bits, sizeof sent, cudaMemcpyDeviceToHost), "finding readers of shares");
    cudaFree(bits);
    if (status)
        cudaFree(readers);
    else
        d->readers = (unsigned short *)readers - d->listed.first;
    d->sent = sent;
    return status;
}

ordo_status ordo_cuda_readers(ordo_cuda *c, ordo_cuda_ghosts *out)
{
    device_graph *d;
    ordo_status status = lists_of(c, &d);
    if (status)
        return status;
    if (!d->readers)
        status = make_readers(c, d);
    out->readers = d->readers;
    out->sent = d->sent;
    pthread_mutex_unlock(&d->lock);
    return status;
}

/* ---- a run ---- */

void *ordo_cuda_alloc(ordo_cuda *c, ordo_u64 count, size_t size, bool zero)
{
    ordo_cuda_own *own = c->own;
    void *block = NULL;
    if (own->blocks == MOST_BLOCKS) {
        ordo_fail(ORDO_ERR_INTERNAL, "device 'cuda': more than %d blocks of memory asked for", (int)MOST_BLOCKS);
        return NULL;
    }
    ordo_u64 bytes = size && count > ~(ordo_u64)0 / size ? ~(ordo_u64)0 : count * size; /* more than any device has */
    if (bytes > own->whole) {
        short_of(own, bytes + own->needed < bytes ? bytes : bytes + own->needed);
        return NULL;
    }
    if (own->held && (block = ordo_cuda_hold(own->held, bytes)) != NULL)
        own->needed += bytes;
    else if (take(own, bytes, &block))
        return NULL;
    if (zero && failed(cudaMemset(block, 0, bytes), "clearing memory")) {
        if (own->held)
            ordo_cuda_give(own->held, block, bytes);
        else
            cudaFree(block);
        return NULL;
    }
    own->block[own->blocks] = block;
    own->bytes[own->blocks++] = bytes;
    ordo_job_account(c->job, (long long)bytes);
    return block;
}

/* Asks for the free memory; in a session once. */
static ordo_status ask_for_memory(ordo_cuda_own *own)
{
    ordo_cuda_held *held = own->held;
    if (held && held->whole) {
        own->vacant = held->vacant;
        own->whole = held->whole;
        return ORDO_OK;
    }
    const ordo_status status = failed(cudaMemGetInfo(&own->vacant, &own->whole), "asking for memory");
    if (held && !status) {
        held->vacant = own->vacant;
        held->whole = own->whole;
    }
    return status;
}

/* Makes the mailbox and the events, or takes those that are held from an earlier run. */
static ordo_status make_tools(ordo_cuda_own *own)
{
    ordo_status status = ORDO_OK;
    if (own->held && own->held->mailbox) {
        own->mailbox = own->held->mailbox;
        own->before = own->held->before;
        own->after = own->held->after;
        return ORDO_OK;
    }
    status = failed(cudaHostAlloc((void **)&own->mailbox, sizeof *own->mailbox, cudaHostAllocMapped),
                    "taking pinned memory");
    if (!status)
        status = failed(cudaEventCreate(&own->before), "making an event");
    if (!status)
        status = failed(cudaEventCreate(&own->after), "making an event");
    if (!status && own->held) {
        own->held->mailbox = own->mailbox;
        own->held->before = own->before;
        own->held->after = own->after;
    }
    return status;
}

static void free_tools(ordo_cuda_own *own)
{
    if (own->held && own->held->mailbox)
        return;
    if (own->before)
        cudaEventDestroy(own->before);
    if (own->after)
        cudaEventDestroy(own->after);
    cudaFreeHost((void *)own->mailbox);
}

/* Whether the device can be used, and the cells can be had where they are wanted besides. */
static ordo_status check_run(const ordo_job *job, size_t cell)
{
    ordo_u64 bytes;
    int device = 0;
    const void *at = ordo_job_device_cells(job, &bytes);
    const ordo_status usable = ordo_cuda_usable();
    if (usable || !at)
        return usable;
    if (bytes != job->targets * cell)
        return ordo_fail(ORDO_ERR_USAGE, "operator '%s': found device_bytes %llu, expected %llu", job->op->name,
                         (unsigned long long)bytes, (unsigned long long)(job->targets * cell));
    const ordo_status status = failed(cudaGetDevice(&device), "asking for the device");
    return status || !bytes ? status : ordo_cuda_check_place(at, device);
}

/* Sets the cells on the device: those of initial items to what they are, all others to the operator's worst value. */
static ordo_status set_cells(ordo_cuda *c, size_t cell)
{
    const ordo_job *const job = c->job;
    const int threads = c->own->threads;
    ordo_u8 *const value = (ordo_u8 *)ordo_alloc(job->initial_count, cell);
    void *const there = value ? ordo_cuda_alloc(c, job->initial_count, cell, false) : NULL;
    ordo_status status = there ? ORDO_OK : ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; value && i < job->initial_count; i++)
        memcpy(value + i * cell, (const ordo_u8 *)job->cells + job->initial[i] * cell, cell);
    if (!status)
        status = ordo_copy_in(there, value, job->initial_count, cell, NULL, threads, "copying cells");
    if (!status) {
        ordo_u64 worst[2] = {};
        job->op->worst(worst);
        ordo_fill_cells(c->cells, job->targets, (ordo_u32)cell, worst, c->run.initial, there, job->initial_count);
        status = failed(cudaGetLastError(), "setting cells");
    }
    ordo_free(value);
    return status;
}

/* The run's own arrays on the device: initial items and cells. */
static ordo_status make_arrays(ordo_cuda *c, size_t cell)
{
    const ordo_job *const job = c->job;
    const int threads = c->own->threads;
    ordo_status status = (c->cells = ordo_cuda_alloc(c, job->targets, cell, false)) ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status && job->initial) {
        void *items = ordo_cuda_alloc(c, job->initial_count, sizeof(ordo_item), false);
        status = !items ? ORDO_ERR_MEMORY
                        : ordo_copy_in(items, job->initial, job->initial_count, sizeof(ordo_item), NULL, threads,
                                       "copying items");
        c->run.initial = (const ordo_item *)items;
    }
    if (status)
        return status;
    return ordo_job_cells_are_unset(job)
               ? set_cells(c, cell)
               : ordo_copy_in(c->cells, job->cells, job->targets, cell, NULL, threads, "copying cells");
}

ordo_status ordo_cuda_begin(ordo_job *job, size_t cell, bool need_in, ordo_cuda *out)
{
    *out = ordo_cuda{};
    out->job = job;
    out->run.initial_count = job->initial_count;
    out->own = (ordo_cuda_own *)ordo_alloc_zero(1, sizeof *out->own);
    if (!out->own)
        return ORDO_ERR_MEMORY;
    ordo_cuda_own *own = out->own;
    own->earlier = -1;
    own->cell = cell;
    own->range = nvtxRangeStartA(job->op->name);
    own->name = job->op->name;
    own->threads = ordo_job_host_threads(job);
    const bool apart = own->apart = ordo_job_session(job, (void **)&own->held) != NULL;
    const ordo_u64 fixed = (apart ? 0 : job->targets * cell) +
                           (job->initial && !apart ? job->initial_count * sizeof(ordo_item) : 0) +
                           (ordo_job_cells_are_unset(job) ? job->initial_count * cell : 0) +
                           ORDO_CUDA_COUNTER_LINES * sizeof *out->run.counters + sizeof *out->run.record;
    ordo_status status = check_run(job, cell);
    if (!status && !apart)
        own->held = ordo_cuda_kept();
    if (!status)
        status = ask_for_memory(own);
    if (!status)
        status = get_graph(job, need_in, fixed, out);
    const double start = ordo_seconds();
    if (!status)
        status = make_tools(own);
    if (!status) {
        memset((void *)own->mailbox, 0, sizeof *own->mailbox);
        status = failed(cudaHostGetDevicePointer((void **)&out->run.mailbox, own->mailbox, 0), "mapping pinned memory");
    }
    if (!status)
        status = (out->run.counters =
                      (ordo_cuda_counter_line *)ordo_cuda_alloc(out, ORDO_CUDA_COUNTER_LINES, sizeof *out->run.counters, true))
                     ? ORDO_OK
                     : ORDO_ERR_MEMORY;
    if (!status)
        status = (out->run.record = (ordo_cuda_record *)ordo_cuda_alloc(out, 1, sizeof *out->run.record, true))
                     ? ORDO_OK
                     : ORDO_ERR_MEMORY;
    if (apart) {
        out->cells = job->cells;
        out->run.initial = job->initial;
    } else if (!status) {
        status = make_arrays(out, cell);
    }
    if (!status && job->remote && ordo_job_is_traced(job))
        status = ordo_fail(ORDO_ERR_UNSOUND, "ranks on GPUs are not traced, expected no trace");
    if (!status && ordo_job_is_traced(job))
        status = ordo_live_make(out, &own->live);
    own->ready = ordo_seconds();
    ordo_job_add_transfer(job, own->ready - start);
    return status;
}

/* Gives up a kernel that does not stop: its memory is not freed. */
static ordo_status give_up(ordo_cuda *c)
{
    char text[160];
    c->own->given_up = true;
    if (!__atomic_exchange_n(&lost, 1, __ATOMIC_RELAXED))
        on_exit(leave, NULL); /* handlers run in reverse order, so this one runs before CUDA's, which waits for the
                                 kernel */
    ordo_format(text, sizeof text,
                "the kernel still runs %g s after it was told to end; this process cannot use the GPU any more",
                (double)ORDO_CUDA_PATIENCE);
    ordo_job_explain(c->job, text);
    return ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': %s", text);
}

/* Adds the scheduler's explanation of a run that did not end in time. */
static void explain(ordo_cuda *c)
{
    char text[512] = "";
    if (!c->explain || ordo_job_failure(c->job) != ORDO_ERR_TIMEOUT)
        return;
    c->explain(c, c->explain_arg, text, sizeof text);
    if (text[0])
        ordo_job_explain(c->job, text);
}

/* Seconds for which the host asks for the event without sleeping, which would make a short run twice as long. */
static const double EAGER = 2e-4;

/* Waits for the event; meanwhile passes on cancellation, the time limit and progress. Reads the clock before it tests
 * the event, so that a time limit that has passed ends the run, however fast the kernel is. */
static ordo_status wait_for(ordo_cuda *c)
{
    ordo_cuda_own *own = c->own;
    double told = 0;
    const double began = ordo_seconds();
    const bool carries = ordo_cuda_carry();
    for (;;) {
        c->job->supersteps = own->mailbox->supersteps;
        ordo_job_poll(c->job, own->mailbox->in_flight);
        if (told == 0 && ordo_job_stopped(c->job)) {
            own->mailbox->stop = 1;
            told = ordo_seconds();
        }
        cudaError_t error = cudaEventQuery(own->after);
        if (error != cudaErrorNotReady) {
            ordo_cuda_carry(); /* the last meeting, for which other ranks may still wait */
            return failed(error, "running the kernel");
        }
        if (told > 0 && ordo_seconds() - told > ORDO_CUDA_PATIENCE)
            return give_up(c);
        if (carries) {
            ordo_cuda_carry();
            sched_yield(); /* other ranks may have no core */
        } else if (ordo_seconds() - began > EAGER) {
            const struct timespec moment = {0, 20000};
            nanosleep(&moment, NULL);
        }
    }
}

static ordo_status grid_of(const void *kernel, int threads, size_t shared, int blocks, int *grid)
{
    int device = 0, units = 0, resident = 0;
    ordo_status status = kernel ? failed(cudaGetDevice(&device), "asking for the device") : ORDO_ERR_DEVICE;
    if (!status)
        status = failed(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device), "asking for its size");
    if (!status)
        status = failed(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared),
                        "asking how many blocks fit");
    if (!status && resident == 0)
        status = ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': a block of %d threads does not fit this GPU", threads);
    *grid = units * (blocks > 0 && blocks < resident ? blocks : resident);
    return status;
}

ordo_status ordo_cuda_grid(const void *kernel, int threads, int blocks, int *grid)
{
    return grid_of(kernel, threads, 0, blocks, grid);
}

/* Sets a part of the second-level cache aside for cells, if they are about as large as the cache: they then stay there
 * while edges stream through, which is a tenth faster. Smaller arrays stay there anyway; of larger ones too small a part
 * would. Returns whether it did; *out is then an attribute for launches. */
static bool keep_cells(const ordo_cuda *c, cudaLaunchAttribute *out)
{
    const size_t bytes = (size_t)c->job->targets * c->own->cell;
    int device = 0, cache = 0, most = 0, window = 0;
    if (!c->keep_cells)
        return false;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, device) != cudaSuccess || most <= 0 ||
        bytes < (size_t)cache / 2 || bytes > (size_t)cache / 4 * 5 || bytes > (size_t)window ||
        cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)most) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    cudaAccessPolicyWindow *w = &out->val.accessPolicyWindow;
    out->id = cudaLaunchAttributeAccessPolicyWindow;
    w->base_ptr = c->cells;
    w->num_bytes = bytes;
    w->hitRatio = (float)(bytes > (size_t)most ? (double)most / (double)bytes : 1);
    w->hitProp = cudaAccessPropertyPersisting;
    w->missProp = cudaAccessPropertyStreaming;
    return true;
}

/* Releases the part of the cache that was set aside, which later runs could not use otherwise. */
static void keep_nothing(void)
{
    if (cudaCtxResetPersistingL2Cache() != cudaSuccess ||
        cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0) != cudaSuccess)
        cudaGetLastError();
}

/* `kept`: the attribute that keep_cells made, or NULL. */
static ordo_status launch(const ordo_cuda *c, const ordo_cuda_step *step, const cudaLaunchAttribute *kept)
{
    if (!step->kernel) /* see ordo_cuda_kernel */
        return ORDO_ERR_DEVICE;
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)step->grid);
    config.blockDim = dim3((unsigned)step->threads);
    config.dynamicSmemBytes = c->shared;
    config.attrs = attributes;
    config.numAttrs = kept ? 2 : 1;
    attributes[0].id = cudaLaunchAttributeCooperative;
    attributes[0].val.cooperative = step->cooperative;
    if (kept)
        attributes[1] = *kept;
    return failed(cudaLaunchKernelExC(&config, step->kernel, step->args), "launching the kernel");
}

ordo_status ordo_cuda_start(const ordo_cuda_step *step, size_t shared)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)step->grid);
    config.blockDim = dim3((unsigned)step->threads);
    config.dynamicSmemBytes = shared;
    return failed(cudaLaunchKernelExC(&config, step->kernel, step->args), "launching the kernel");
}

ordo_status ordo_cuda_launch(ordo_cuda *c, const void *kernel, int threads, int blocks, void **args)
{
    ordo_cuda_step step = {kernel, threads, 0, true, args};
    ordo_status status = grid_of(kernel, threads, c->shared, blocks, &step.grid);
    return status ? status : ordo_cuda_launch_all(c, &step, 1);
}

ordo_status ordo_cuda_launch_all(ordo_cuda *c, const ordo_cuda_step *step, int count)
{
    cudaLaunchAttribute kept = {};
    const bool keeps = keep_cells(c, &kept);
    ordo_job_add_transfer(c->job, ordo_seconds() - c->own->ready); /* allocating worklists, loading the kernel and
                                                             dividing the cache do not count as run time, either */
    const ordo_range marked("kernels of a run");
    ordo_status status = ordo_live_start(c->own->live, c, step[0].grid, step[0].threads);
    if (!status)
        status = failed(cudaEventRecord(c->own->before), "recording an event");
    for (int i = 0; i < count && !status; i++)
        status = launch(c, &step[i], keeps ? &kept : NULL);
    if (!status)
        status = failed(cudaEventRecord(c->own->after), "recording an event");
    if (!status)
        status = wait_for(c);
    float milliseconds = 0;
    if (!status)
        status = failed(cudaEventElapsedTime(&milliseconds, c->own->before, c->own->after), "reading an event");
    if (!status && c->job->remote)
        status = ordo_cuda_ranks_result(c->job->remote, &milliseconds);
    ordo_cuda_carry_end();
    ordo_live_stop(c->own->live, c, 1e-3 * (double)milliseconds);
    if (c->own->given_up)
        return status;
    if (keeps)
        keep_nothing();
    if (!status)
        explain(c);
    const double earlier = ordo_job_set_run(c->job, 1e-3 * (double)milliseconds);
    if (c->own->earlier < 0)
        c->own->earlier = earlier;
    c->own->launched = !status;
    return status;
}

static ordo_status copy_results(ordo_cuda *c, const ordo_cuda_own *own)
{
    ordo_job *job = c->job;
    ordo_cuda_counter_line counters[ORDO_CUDA_COUNTER_LINES];
    ordo_cuda_record *record = (ordo_cuda_record *)ordo_alloc(1, sizeof *record);
    ordo_status status = record ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        status =
            failed(cudaMemcpy(counters, c->run.counters, sizeof counters, cudaMemcpyDeviceToHost), "copying counters");
    if (!status)
        status = failed(cudaMemcpy(record, c->run.record, offsetof(ordo_cuda_record, moment), cudaMemcpyDeviceToHost),
                        "copying the trace");
    if (!status && record->taken) /* few as a rule */
        status = failed(cudaMemcpy(record->moment, c->run.record->moment, record->taken * sizeof record->moment[0],
                                   cudaMemcpyDeviceToHost),
                        "copying the trace");
    if (!status && record->overflow) /* checked before the cells are written: see ordo_backend.find */
        status = ordo_fail(ORDO_ERR_MEMORY, "device 'cuda': a worklist was too small");
    if (!status && c->cells_apart)
        status = ordo_cuda_ranks_unshare_cells(c, own->cell);
    /* over ranks each copies what it owns; the others' come from them */
    ordo_u64 first = 0, end = job->targets;
    if (job->remote)
        ordo_job_owned_range(job, job->op->activates || job->op->kind == ORDO_KIND_GATHER, &first, &end);
    if (!status && job->cells != c->cells &&
        ordo_copy_out((ordo_u8 *)job->cells + first * own->cell, (ordo_u8 *)c->cells + first * own->cell,
                      (end - first) * own->cell, ordo_job_host_threads(job), "copying cells"))
        status = ORDO_ERR_DEVICE;
    if (!status) {
        ordo_counters *to = &job->counters[0];
        for (const ordo_cuda_counter_line &part : counters) {
            to->items += part.items;
            to->edges += part.edges;
            to->useful += part.useful;
            to->stale += part.stale;
            to->activations += part.activations;
        }
        job->supersteps = record->supersteps;
        job->delta_first = record->delta_first;
        job->delta_last = record->delta_last;
        job->change = record->change;
        for (ordo_u64 i = 0; i < record->taken; i++) {
            const ordo_cuda_moment *m = &record->moment[i];
            ordo_job_sample_at(job, own->earlier + 1e-9 * (double)(m->nanoseconds - record->began), m->in_flight,
                               m->bucket, m->delta, m->concurrent, m->utilisation);
        }
    }
    ordo_free(record);
    return status;
}

/* Copies the cells to where they are wanted besides. The kernel has ended; a copy within the device need not have when
 * the call returns, so it is waited for, and the caller may read the cells on any stream. */
static ordo_status copy_cells(const ordo_cuda *c)
{
    ordo_u64 bytes;
    void *to = ordo_job_device_cells(c->job, &bytes);
    if (!to || !bytes)
        return ORDO_OK;
    const ordo_status status =
        failed(cudaMemcpyAsync(to, c->cells, bytes, cudaMemcpyDeviceToDevice, 0), "copying cells on the device");
    return status ? status : failed(cudaStreamSynchronize(0), "copying cells on the device");
}

ordo_status ordo_cuda_end(ordo_cuda *c, ordo_status status)
{
    ordo_cuda_own *own = c->own;
    if (!own)
        return status;
    c->own = NULL;
    nvtxRangeEnd(own->range);
    if (own->given_up) {
        ordo_free(own);
        return status;
    }
    double start = ordo_seconds();
    if (!status && own->launched)
        status = copy_results(c, own);
    if (!status)
        status = copy_cells(c);
    for (int i = 0; i < own->blocks; i++) {
        if (own->held)
            ordo_cuda_give(own->held, own->block[i], own->bytes[i]);
        else
            cudaFree(own->block[i]);
        ordo_job_account(c->job, -(long long)own->bytes[i]);
    }
    ordo_live_free(own->live);
    free_tools(own);
    if (own->held && !own->apart)
        ordo_cuda_keep(own->held);
    ordo_free(own);
    ordo_job_add_transfer(c->job, ordo_seconds() - start);
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

static const ordo_instance *find_over_ranks(const char *op, const char *scheduler)
{
    for (const named_instance *i = over_ranks; i->op; i++)
        if (!strcmp(i->op, op) && !strcmp(i->instance->scheduler, scheduler))
            return i->instance;
    return NULL;
}

const ordo_pass_instance *ordo_cuda_find_pass(const char *name)
{
    for (size_t i = 0; passes[i]; i++)
        if (!strcmp(passes[i]->name, name))
            return passes[i];
    return NULL;
}

static ordo_u64 vacant(void)
{
    size_t left = 0, whole = 0;
    return failed(cudaMemGetInfo(&left, &whole), "asking for memory") ? 0 : left;
}

extern "C" ORDO_API const ordo_backend ordo_cuda_backend;
const ordo_backend ordo_cuda_backend = {ORDO_BACKEND_ABI, "cuda",          probe,   find,          ordo_cuda_measure,
                                        capability,       find_over_ranks, devices, select_device, &ordo_cuda_sessions,
                                        ordo_cuda_queue,  adopt,           in_rows, vacant};
