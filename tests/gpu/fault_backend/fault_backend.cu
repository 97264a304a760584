/* fault_backend.cu -- schedulers that misbehave, for the tests of what the host does about it.
 *
 * Linked with the back end's host.cu and copy.cu to a separate libordo-cuda.so: for a GPU, and with fake_runtime.cc for
 * machines without one. One thread processes all edges until nothing changes, so answers are right. `topology` pulls
 * (in-rows), `near_far` takes memory that it does not need. ORDO_FAULT in the environment chooses what is wrong:
 *   slow  loops for ever, but ends when it is told to
 *   deaf  reads nothing for FAULT_SECONDS (8)
 *   full  reports that a worklist was too small, after it has overwritten every cell
 *
 * And rounds of spanning forests (operators/mst.h), under `bsp`, `topology` and `lock_server`, right and by one thread,
 * for what the app does between such runs; every word that an engine may look at must be there. For these ORDO_FAULT is
 *   turned  goes over in-rows, so that edges are known by the ids of others
 *   idle    changes no cell
 *   wild    leaves ids of edges and components that do not exist
 * Discharges of maximum flows (operators/discharge.h) and the searches between them (operators/relabel.h) likewise,
 * under `near_far` and `bsp`, but always right. Their arrays are a session's.
 *
 * The passes of both apps are right; what they select comes in descending order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ordo/scheduler/cuda_host.h>

#include "apps/mst_passes.h"
#define ORDO_TEMPLATE "operators/mst.h"
#include <ordo/operator/each_weight.h>

#include "operators/relabel.h"

#define ORDO_OP discharge
#include "apps/maxflow_passes.h"
#define PASS_KERNEL_DESCENDS
#include "tests/common/pass_kernel.h"

enum { RIGHT, SLOW, DEAF, FULL, TURNED, IDLE, WILD };

typedef struct fault_args {
    ordo_cuda_rows rows;
    ordo_u32 *cells;
    ordo_cuda_mailbox *mailbox;
    ordo_cuda_record *record;
    double seconds;
    int how;
    bool pull;
} fault_args;

static __host__ __device__ double seconds(void)
{
#ifdef __CUDA_ARCH__
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return 1e-9 * (double)t;
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#endif
}

static __host__ __device__ ordo_u64 sweep(const fault_args *a)
{
    ordo_u64 changes = 0;
    for (ordo_vid v = 0; v < a->rows.n; v++)
        for (ordo_u64 e = a->rows.row[v]; e < a->rows.row[v + 1]; e++) {
            const ordo_u32 *edge = a->rows.edge + e * a->rows.stride;
            ordo_vid from = a->pull ? edge[0] : v, to = a->pull ? v : edge[0];
            ordo_u32 weight = a->rows.stride == 2 ? edge[1] : 1, old = a->cells[from];
            if (old < ~0u - weight && old + weight < a->cells[to]) {
                a->cells[to] = old + weight;
                changes++;
            }
        }
    return changes;
}

static __host__ __device__ void work(const fault_args *a)
{
    volatile ordo_cuda_mailbox *box = a->mailbox;
    const double start = seconds(), most = 60; /* a test that fails must not hold the GPU for ever */
    if (a->how == DEAF) {
        box->supersteps = 7;
        box->in_flight = 42;
        while (seconds() - start < a->seconds)
            ;
        return;
    }
    if (a->how == FULL) {
        for (ordo_vid v = 0; v < a->rows.n; v++)
            a->cells[v] = 0;
        a->record->overflow = 1;
        return;
    }
    for (ordo_u64 step = 1, changes = 1; (changes || a->how == SLOW) && !box->stop && seconds() - start < most;
         step++) {
        changes = a->how == SLOW ? 5 : sweep(a);
        a->record->supersteps = step;
        box->supersteps = step;
        box->in_flight = changes;
    }
}

/* A kernel in which one thread does the work; over the runtime that has no GPU it is a function of the host. */
#ifdef __CUDACC__
#define FAULT_KERNEL(_name, _args, _work)                                                                              \
    static __global__ void _name(const _args a)                                                                        \
    {                                                                                                                  \
        if (blockIdx.x == 0 && threadIdx.x == 0)                                                                       \
            _work(&a);                                                                                                 \
    }
#else
#define FAULT_KERNEL(_name, _args, _work)                                                                              \
    static void _name(const _args *a)                                                                                  \
    {                                                                                                                  \
        _work(a);                                                                                                      \
    }
#endif
FAULT_KERNEL(kernel, fault_args, work)

/* Copies from the device, as a scheduler would that keeps its worklist there. */
static void explain(ordo_cuda *c, void *arg, char *text, size_t capacity)
{
    ordo_cuda_record record;
    if (cudaMemcpy(&record, c->run.record, sizeof record, cudaMemcpyDeviceToHost) == cudaSuccess)
        snprintf(text, capacity, "%s: %llu steps were made", (const char *)arg, (unsigned long long)record.supersteps);
}

static ordo_status run(ordo_job *job, bool pull, ordo_u64 besides)
{
    static char name[] = "odd queue";
    fault_args *a = (fault_args *)malloc(sizeof *a); /* not on the stack: a kernel that was given up still reads it */
    ordo_cuda c;
    if (!a)
        return ORDO_ERR_MEMORY;
    const char *how = getenv("ORDO_FAULT"), *time = getenv("FAULT_SECONDS");
    ordo_status status = ordo_cuda_begin(job, sizeof(ordo_u32), pull, &c);
    if (!status && besides && !ordo_cuda_alloc(&c, besides, 1, true))
        status = ORDO_ERR_MEMORY;
    if (!status) {
        *a = fault_args{pull ? c.in : c.out, (ordo_u32 *)c.cells, c.run.mailbox, c.run.record, 8, RIGHT, pull};
        if (how)
            a->how = !strcmp(how, "slow") ? SLOW : !strcmp(how, "deaf") ? DEAF : !strcmp(how, "full") ? FULL : RIGHT;
        if (time)
            a->seconds = atof(time);
        c.explain = explain;
        c.explain_arg = name;
        void *args[] = {a};
        status = ordo_cuda_launch(&c, ordo_cuda_kernel((const void *)kernel), 32, 1, args);
    }
    if (status != ORDO_ERR_DEVICE)
        free(a);
    return ordo_cuda_end(&c, status);
}

static ordo_status run_bsp(ordo_job *job)
{
    return run(job, false, 0);
}

static ordo_status run_near_far(ordo_job *job)
{
    return run(job, false, 64 * job->num_items + (1 << 20));
}

static ordo_status run_topology(ordo_job *job)
{
    return run(job, true, 0);
}

/* ---- a round of a forest ---- */

typedef struct round_args {
    ordo_cuda_rows rows;
    ordo_u64 *cells, num_items, targets;
    ordo_cuda_record *record;
    mst_state state;
    int how;
} round_args;

/* Offers edge e of row v. */
static __host__ __device__ void offer(const round_args *a, ordo_vid v, ordo_u64 e)
{
    const ordo_u32 *word = a->rows.edge + e * a->rows.stride;
    ordo_edge_u32 edge;
    edge.id = e;
    edge.tail = v;
    edge.head = word[0];
    edge.weight = a->rows.stride == 2 ? word[1] : 1;
    const ordo_u64 candidate = mst_candidate_u32(&a->state, 0, edge);
    const ordo_u32 target = a->how == TURNED && a->state.form == MST_LIST ? v : mst_target_u32(&a->state, edge);
    if (target >= a->targets)
        a->record->overflow = 1;
    else if (candidate < a->cells[target])
        a->cells[target] = candidate;
}

static __host__ __device__ void work_round(const round_args *a)
{
    a->record->supersteps = 1;
    a->record->overflow = a->num_items > a->rows.n;
    for (ordo_u64 c = 0; a->how == WILD && c < a->targets; c++)
        a->cells[c] = 0xfffffffe;
    const ordo_u64 rows = a->how == WILD || a->how == IDLE ? 0 : a->how == TURNED ? a->rows.n : a->num_items;
    for (ordo_vid v = 0; v < rows && !a->record->overflow; v++)
        for (ordo_u64 e = a->rows.row[v]; e < a->rows.row[v + 1]; e++)
            offer(a, v, e);
}

FAULT_KERNEL(round_kernel, round_args, work_round)

static ordo_status run_round(ordo_job *job)
{
    ordo_cuda c;
    round_args a = {};
    const char *name = getenv("ORDO_FAULT");
    const mst_state *state = (const mst_state *)job->state;
    const int how = !name                     ? RIGHT
                    : !strcmp(name, "turned") ? TURNED
                    : !strcmp(name, "idle")   ? IDLE
                    : !strcmp(name, "wild")   ? WILD
                                              : RIGHT;
    ordo_status status = ordo_cuda_begin(job, sizeof(ordo_u64), how == TURNED, &c);
    if (!status) {
        a = round_args{
            how == TURNED ? c.in : c.out, (ordo_u64 *)c.cells, job->num_items, job->targets, c.run.record, *state, how};
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, ordo_cuda_kernel((const void *)round_kernel), 32, 1, args);
    }
    return ordo_cuda_end(&c, status);
}

/* ---- discharges ---- */

typedef struct discharge_args {
    discharge_state state;
    ordo_u64 num_items;
    ordo_cuda_record *record;
} discharge_args;

static __host__ __device__ void work_discharge(const discharge_args *a)
{
    ordo_request request[DISCHARGE_REQUESTS];
    ordo_activation activated[2];
    for (ordo_u64 asked = 1; asked; a->record->supersteps++) {
        asked = 0;
        for (ordo_vid v = 0; v < a->num_items; v++) {
            const ordo_u32 some = discharge_prepare(&a->state, v, request);
            for (ordo_u32 i = 0; i < some; i++)
                discharge_commit(&a->state, &request[i], activated);
            asked += some;
        }
    }
}

FAULT_KERNEL(discharge_kernel, discharge_args, work_discharge)

static ordo_status run_discharge(ordo_job *job)
{
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    discharge_args a = {*(const discharge_state *)job->state, job->num_items, NULL};
    ordo_status status = ordo_cuda_begin(job, 0, false, &c);
    if (!status) {
        a.record = c.run.record;
        arrays.count = op_arrays(&a.state, job->num_items, job->targets, arrays.array);
        status = ordo_cuda_arrays_in(&c, &arrays);
    }
    if (!status) {
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, ordo_cuda_kernel((const void *)discharge_kernel), 32, 1, args);
    }
    memset(&a, 0xee, sizeof a); /* the kernel's arguments may be invalid by the time that arrays are copied back */
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

/* ---- searches between them ---- */

typedef struct relabel_args {
    relabel_state state;
    ordo_cuda_rows rows;
    ordo_u32 *cells;
    ordo_cuda_record *record;
} relabel_args;

static __host__ __device__ void work_relabel(const relabel_args *a)
{
    for (ordo_u64 changes = 1; changes; a->record->supersteps++) {
        changes = 0;
        for (ordo_vid v = 0; v < a->rows.n; v++)
            for (ordo_u64 e = a->rows.row[v]; e < a->rows.row[v + 1]; e++) {
                ordo_edge_none edge = {};
                edge.id = e;
                edge.tail = v;
                edge.head = a->rows.edge[e * a->rows.stride];
                const ordo_u32 height = relabel_candidate(&a->state, a->cells[v], edge);
                if (height < a->cells[edge.head]) {
                    a->cells[edge.head] = height;
                    changes++;
                }
            }
    }
}

FAULT_KERNEL(relabel_kernel, relabel_args, work_relabel)

static ordo_status run_relabel(ordo_job *job)
{
    ordo_cuda c;
    relabel_args a = {*(const relabel_state *)job->state, {}, NULL, NULL};
    ordo_status status = ordo_cuda_begin(job, sizeof(ordo_u32), false, &c);
    if (!status) {
        a.rows = c.out;
        a.cells = (ordo_u32 *)c.cells;
        a.record = c.run.record;
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, ordo_cuda_kernel((const void *)relabel_kernel), 32, 1, args);
    }
    return ordo_cuda_end(&c, status);
}

/* ---- passes, whose instances nvcc makes itself ---- */

#ifndef __CUDACC__
PASS_INSTANCE(maxflow_active)
PASS_INSTANCE(maxflow_begin)
PASS_INSTANCE(mst_halve)
PASS_INSTANCE(mst_join)
PASS_INSTANCE(mst_live)
PASS_INSTANCE(mst_name)
PASS_INSTANCE(mst_start)
#endif

extern const ordo_instance fault_relabel;
const ordo_instance fault_relabel = {"bsp", run_relabel, 0, ORDO_ON_CUDA};
extern const ordo_instance fault_discharge;
const ordo_instance fault_discharge = {"near_far", run_discharge, 1u << ORDO_SYNC_LOCK, ORDO_ON_CUDA};
extern const ordo_instance fault_bsp, fault_near_far, fault_topology, fault_round_bsp, fault_round_topology,
    fault_round_server;
const ordo_instance fault_round_bsp = {"bsp", run_round, 1u << ORDO_SYNC_ATOMIC | 1u << ORDO_SYNC_LOCK, ORDO_ON_CUDA};
const ordo_instance fault_round_topology = {"topology", run_round, 1u << ORDO_SYNC_ATOMIC | 1u << ORDO_SYNC_RACY,
                                            ORDO_ON_CUDA};
const ordo_instance fault_round_server = {"lock_server", run_round, 1u << ORDO_SYNC_SERVER, ORDO_ON_CUDA};
const ordo_instance fault_bsp = {"bsp", run_bsp, 0, ORDO_ON_CUDA};
const ordo_instance fault_near_far = {"near_far", run_near_far, 0, ORDO_ON_CUDA};
const ordo_instance fault_topology = {"topology", run_topology, 0, ORDO_ON_CUDA};
