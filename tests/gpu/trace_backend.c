/* A back end without a GPU, for traces alone: a run does nothing but count, and gives a source of samples. For
 * tests/unit/trace_source_test.c, which expects what is counted here. The scheduler chooses what a run is like:
 *   delta      begins, works and ends
 *   adds       the same, in two parts with a pause between them
 *   near_far   gives no source
 *   bsp        fails before it begins
 *   inbox      fails after its end
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <ordo/detail/backend.h>

#include "trace_backend.h"

typedef struct device {
    ordo_u64 turns; /* atomic */
    ordo_u32 works; /* atomic: a read is allowed */
    ordo_u32 wrong; /* a read came when none was allowed, or two at once */
    ordo_u32 reading;
} device;

static ordo_status probe(char name[ORDO_DEVICE_NAME])
{
    snprintf(name, ORDO_DEVICE_NAME, "no GPU, traces alone");
    return ORDO_OK;
}

static ordo_u32 read_device(void *arg, ordo_counters *sum, unsigned char *state, ordo_probed *out)
{
    device *d = arg;
    const ordo_u64 turns = __atomic_load_n(&d->turns, __ATOMIC_RELAXED);
    if (!__atomic_load_n(&d->works, __ATOMIC_ACQUIRE) || __atomic_exchange_n(&d->reading, 1, __ATOMIC_ACQUIRE))
        d->wrong = 1;
    for (int w = 0; w < TRACED_WORKERS; w++)
        if (state[w] != ORDO_ENDED)
            d->wrong = 1;
    state[0] = ORDO_BUSY;
    state[1] = turns % 2 ? ORDO_WAITING : ORDO_AT_BARRIER;
    sum->items += turns * TRACED_ITEMS;
    sum->edges += turns * TRACED_EDGES;
    sum->stale += turns;
    out->in_flight = TRACED_IN_FLIGHT;
    out->bucket = turns;
    out->delta = TRACED_DELTA;
    out->concurrent = 2;
    out->spills = turns / 2;
    __atomic_store_n(&d->reading, 0, __ATOMIC_RELEASE);
    return 1;
}

static void work(device *d, int turns)
{
    const struct timespec moment = {0, 500000};
    for (int i = 0; i < turns; i++) {
        __atomic_fetch_add(&d->turns, 1, __ATOMIC_RELAXED);
        nanosleep(&moment, NULL);
    }
}

static ordo_status traced(ordo_job *job, int parts)
{
    device d = {0};
    const ordo_trace_source source = {TRACED_WORKERS, 1e-4, read_device, &d};
    ordo_status status = ORDO_OK;
    for (int part = 0; part < parts && !status; part++) {
        __atomic_store_n(&d.works, 1, __ATOMIC_RELEASE);
        status = ordo_job_trace_begin(job, &source);
        if (!status) {
            work(&d, TRACED_TURNS / parts);
            ordo_job_trace_end(job, 0);
        }
        __atomic_store_n(&d.works, 0, __ATOMIC_RELEASE); /* as if its memory were freed */
        if (part + 1 < parts)
            nanosleep(&(struct timespec){0, 3000000}, NULL);
    }
    job->counters[0].items += d.turns * TRACED_ITEMS;
    job->counters[0].edges += d.turns * TRACED_EDGES;
    job->counters[0].stale += d.turns;
    ordo_job_sample_at(job, 1e-4, 1, 1, TRACED_DELTA, 1, -1);
    if (!status && d.wrong)
        status = ordo_fail(ORDO_ERR_INTERNAL, "a sample was read where none may be");
    return status;
}

static ordo_status run_whole(ordo_job *job)
{
    return traced(job, 1);
}
static ordo_status run_parts(ordo_job *job)
{
    return traced(job, 2);
}
static ordo_status run_blind(ordo_job *job)
{
    job->counters[0].items += 7;
    return ORDO_OK;
}
static ordo_status run_early(ordo_job *job)
{
    (void)job;
    return ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': none");
}
static ordo_status run_late(ordo_job *job)
{
    const ordo_status status = traced(job, 1);
    return status ? status : ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': lost");
}

enum { ATOMIC = 1 << ORDO_SYNC_ATOMIC };
static const ordo_instance instances[] = {{"delta", run_whole, ATOMIC, ORDO_ON_CUDA},
                                          {"adds", run_parts, ATOMIC, ORDO_ON_CUDA},
                                          {"near_far", run_blind, ATOMIC, ORDO_ON_CUDA},
                                          {"bsp", run_early, ATOMIC, ORDO_ON_CUDA},
                                          {"inbox", run_late, ATOMIC, ORDO_ON_CUDA}};

static const ordo_instance *find(const char *op, const char *scheduler)
{
    (void)op;
    for (size_t i = 0; i < sizeof instances / sizeof instances[0]; i++)
        if (!strcmp(instances[i].scheduler, scheduler))
            return &instances[i];
    return NULL;
}

extern const ordo_backend ordo_cuda_backend;
__attribute__((visibility("default"))) const ordo_backend ordo_cuda_backend = {
    ORDO_BACKEND_ABI, "cuda", probe, find, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
