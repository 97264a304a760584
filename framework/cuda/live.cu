/* live.cu -- samples of a traced run on the device: copies what the kernel shows, and adds it up.
 *
 * Problem. The thread of the trace (framework/run/trace.c) needs the counters of all warps and their states every few
 * tens of microseconds, while one kernel occupies the whole device.
 *
 * Method. The lines of all warps (<ordo/detail/cuda/live.cuh>), and behind them the words of the scheduler that it asks
 * for (ordo_cuda_glance), are copied to pinned memory on a stream of its own. That stream is non-blocking, so it does
 * not wait for the legacy default stream, where the kernel runs; the copy is made by a copy engine and takes nothing of
 * the multiprocessors. Then the host adds the lines up. 32-bit words become 64-bit sums by their differences from the
 * sample before.
 *   Workers are multiprocessors. One is busy if any of its warps is; the number of those that are busy is counted in
 *   warps, and told in multiprocessors: see ordo_trace_source.read.
 *
 * Not done: lines of kernels that are not launched cooperatively, which may have more warps than there are lines.
 */
#include "live.h"

#include <string.h>

#include <ordo/memory.h>

struct ordo_live_reader {
    ordo_cuda *c;
    int device, units;
    ordo_u32 most, warps, grid; /* warps for which there are lines; warps and blocks of the kernel */
    ordo_u32 block;             /* warps of a block */
    size_t bytes;               /* of `live` and all lines */
    cudaStream_t stream;
    char *on_device, *on_host; /* [bytes]; on the host [bytes + ORDO_CUDA_GLANCE] */
    ordo_u32 *shown;           /* ordo_cuda_traced.shown */
    ordo_cuda_live_warp *last; /* [most] lines as of the sample before */
    ordo_counters sum;
};

static const double PERIOD = 25e-6; /* at first: a copy takes 10 to 20 us */

/* From a pool, where the device has one, so that the run's own memory lies where it lies without a trace: how far its
 * most read words are from a multiprocessor changes short supersteps by 2 to 3 %. cudaFree gives both back. */
static ordo_status take_memory(int device, void **to, size_t bytes)
{
    int pools = 0;
    ordo_status status = ordo_cuda_failed(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, device),
                                          "asking for its memory pools");
    if (!status)
        status = ordo_cuda_failed(pools ? cudaMallocAsync(to, bytes, (cudaStream_t)0) : cudaMalloc(to, bytes),
                                  "taking memory for a trace");
    return status;
}

ordo_status ordo_live_make(ordo_cuda *c, ordo_live_reader **out)
{
    int threads = 0;
    ordo_live_reader *l = *out = (ordo_live_reader *)ordo_alloc_zero(1, sizeof *l);
    if (!l)
        return ORDO_ERR_MEMORY;
    l->c = c;
    ordo_status status = ordo_cuda_failed(cudaGetDevice(&l->device), "asking for the device");
    if (!status)
        status = ordo_cuda_failed(cudaDeviceGetAttribute(&l->units, cudaDevAttrMultiProcessorCount, l->device),
                                  "asking for its size");
    if (!status)
        status = ordo_cuda_failed(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, l->device),
                                  "asking for its size");
    l->most = (ordo_u32)l->units * ((ordo_u32)threads / 32);
    l->bytes = sizeof(ordo_cuda_live) + l->most * sizeof(ordo_cuda_live_warp);
    const size_t shown = (size_t)l->most * 32 * 5 * sizeof(ordo_u32);
    if (!status && !(l->last = (ordo_cuda_live_warp *)ordo_alloc_zero(l->most, sizeof *l->last)))
        status = ORDO_ERR_MEMORY;
    if (!status)
        status = take_memory(l->device, (void **)&l->on_device, l->bytes);
    if (!status)
        status = take_memory(l->device, (void **)&l->shown, shown);
    if (!status)
        status = ordo_cuda_failed(cudaMemset(l->on_device, 0, l->bytes), "clearing memory");
    if (!status)
        status = ordo_cuda_failed(cudaMemset(l->shown, 0, shown), "clearing memory");
    if (!status)
        status =
            ordo_cuda_failed(cudaHostAlloc((void **)&l->on_host, l->bytes + ORDO_CUDA_GLANCE, cudaHostAllocDefault),
                             "taking pinned memory");
    if (!status)
        status = ordo_cuda_failed(cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking), "making a stream");
    if (!status) {
        memset(l->on_host, 0, l->bytes + ORDO_CUDA_GLANCE);
        c->run.traced = ordo_cuda_traced{(ordo_cuda_live *)l->on_device, l->shown};
    }
    return status;
}

void ordo_live_free(ordo_live_reader *live)
{
    if (!live)
        return;
    if (live->stream)
        cudaStreamDestroy(live->stream);
    cudaFree(live->on_device);
    cudaFree(live->shown);
    cudaFreeHost(live->on_host);
    ordo_free(live->last);
    ordo_free(live);
}

/* Copies what the kernel shows, and the scheduler's words, whose copies are then copy[]. */
static bool copy_all(ordo_live_reader *l, const void *copy[2])
{
    const ordo_cuda_glance *g = &l->c->glance;
    const size_t bytes = sizeof(ordo_cuda_live) + l->warps * sizeof(ordo_cuda_live_warp);
    char *to = l->on_host + l->bytes;
    cudaError_t error = cudaMemcpyAsync(l->on_host, l->on_device, bytes, cudaMemcpyDeviceToHost, l->stream);
    for (int i = 0; i < 2 && error == cudaSuccess; i++)
        if (g->from[i] && to + g->bytes[i] <= l->on_host + l->bytes + ORDO_CUDA_GLANCE) {
            error = cudaMemcpyAsync(to, g->from[i], g->bytes[i], cudaMemcpyDeviceToHost, l->stream);
            copy[i] = to;
            to += (g->bytes[i] + 15) / 16 * 16;
        }
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(l->stream);
    if (error != cudaSuccess)
        cudaGetLastError(); /* the run's thread finds out by itself */
    return error == cudaSuccess;
}

/* Adds to the sums what lines have grown by since the sample before. */
static void add_lines(ordo_live_reader *l, const ordo_cuda_live_warp *line)
{
    enum { WORDS = sizeof *line / sizeof(ordo_u32) };
    ordo_u64 grown[WORDS] = {};
    const ordo_u32 *now = &line->items;
    ordo_u32 *before = &l->last->items;
    for (ordo_u32 i = 0; i < l->warps; i++, now += WORDS, before += WORDS) {
        if (!memcmp(now, before, sizeof *line)) /* most warps, where there is little work */
            continue;
        for (int w = 0; w < WORDS; w++) { /* those that are no counters, too: a loop without branches is fastest */
            grown[w] += now[w] - before[w];
            before[w] = now[w];
        }
    }
    l->sum.items += grown[0];
    l->sum.edges += grown[1];
    l->sum.useful += grown[2];
    l->sum.stale += grown[3];
    l->sum.activations += grown[4];
}

/* Sets the states of multiprocessors; returns how many are busy, in warps, rounded up. */
static ordo_u32 find_states(const ordo_live_reader *l, const ordo_cuda_live_warp *line, unsigned char *state)
{
    /* the state of a multiprocessor is that one of its warps' states that comes last here */
    static const unsigned char order[ORDO_MEMBER_STATES] = {ORDO_ENDED,    ORDO_AT_BARRIER, ORDO_WAITING,
                                                            ORDO_MANAGING, ORDO_STEALING,   ORDO_BUSY};
    unsigned char rank[ORDO_MEMBER_STATES] = {};
    ordo_u64 begun = 0, busy = 0;
    for (unsigned char i = 0; i < ORDO_MEMBER_STATES; i++)
        rank[order[i]] = i;
    const ordo_cuda_live *const live = (const ordo_cuda_live *)l->on_host;
    for (ordo_u32 i = 0; i < l->warps; i++) {
        ordo_u32 now = line[i].state;
        if (!line[i].unit)
            continue;
        if (now >= ORDO_LIVE_ARRIVED || (live->step && live->working)) {
            const ordo_u32 step = now >= ORDO_LIVE_ARRIVED ? now - ORDO_LIVE_ARRIVED : 0;
            now = (ordo_u32)live->step != step && i / l->block < live->working ? ORDO_BUSY : ORDO_AT_BARRIER;
        }
        if (now >= ORDO_MEMBER_STATES)
            continue;
        const ordo_u32 unit = line[i].unit - 1; /* numbers may have gaps */
        unsigned char *of = &state[unit < (ordo_u32)l->units ? unit : unit % (ordo_u32)l->units];
        begun++;
        busy += now == ORDO_BUSY || now == ORDO_STEALING || now == ORDO_MANAGING;
        *of = rank[now] > rank[*of] ? (unsigned char)now : *of;
    }
    return begun ? (ordo_u32)((busy * (ordo_u64)l->units + begun - 1) / begun) : 0;
}

/* Of critical operators under any scheduler with a worklist: what was put on it and is not taken yet. */
static void show_activations(const ordo_live_reader *l, ordo_probed *out)
{
    const ordo_u64 put = l->c->job->initial_count + l->sum.activations;
    out->in_flight = put > l->sum.items ? put - l->sum.items : 0;
}

/* ordo_trace_source.read */
static ordo_u32 read_sample(void *arg, ordo_counters *sum, unsigned char *state, ordo_probed *out)
{
    ordo_live_reader *l = (ordo_live_reader *)arg;
    const ordo_cuda_live *const live = (const ordo_cuda_live *)l->on_host;
    const ordo_cuda_live_warp *const line = (const ordo_cuda_live_warp *)(live + 1);
    ordo_cuda_seen seen = {l->c, live, &l->sum, {}, l->grid};
    ordo_u32 busy = 0;
    cudaSetDevice(l->device); /* of this thread, which the caller's choice does not concern */
    if (copy_all(l, seen.copy)) {
        add_lines(l, line);
        busy = find_states(l, line, state);
    }
    sum->items += l->sum.items;
    sum->edges += l->sum.edges;
    sum->useful += l->sum.useful;
    sum->stale += l->sum.stale;
    sum->activations += l->sum.activations;
    if (live->step) {
        out->in_flight = live->in_flight;
        out->bucket = live->bucket;
        out->delta = live->delta;
        out->concurrent = live->concurrent;
    }
    if (l->c->glance.show)
        l->c->glance.show(&seen, l->c->glance.arg, out);
    else if (l->c->job->op->kind == ORDO_KIND_CRITICAL)
        show_activations(l, out);
    return busy;
}

ordo_status ordo_live_start(ordo_live_reader *live, ordo_cuda *c, int grid, int threads)
{
    if (!live)
        return ORDO_OK;
    const ordo_u64 warps = (ordo_u64)grid * ((ordo_u64)threads / 32);
    live->c = c;
    live->grid = (ordo_u32)grid;
    live->block = (ordo_u32)threads / 32;
    live->warps = warps < live->most ? (ordo_u32)warps : live->most;
    const ordo_trace_source source = {live->units, PERIOD, read_sample, live};
    /* memory is cleared on the default stream, for which copies do not wait */
    const ordo_status status = ordo_cuda_failed(cudaStreamSynchronize(NULL), "clearing memory");
    return status ? status : ordo_job_trace_begin(c->job, &source);
}

void ordo_live_stop(ordo_live_reader *live, ordo_cuda *c, double seconds)
{
    if (live)
        ordo_job_trace_end(c->job, seconds);
}
