/* session.cu -- what stays on a GPU between runs: memory that later runs use again, the arrays of a session, and
 * passes.
 *
 * Problem: between two runs that take some hundred microseconds each, an allocation, an event or a copy of all vertices
 * takes longer than the runs.
 *
 * Method: memory that a run gives back is kept, and a later run gets the smallest block that is large enough and not
 * more than twice as large; runs of one app ask for the same sizes. The pinned words and the events of a run are kept,
 * too. Runs without a session take what the process keeps for their device (kept_for). It is freed where memory is
 * short, where a graph leaves the device, and, block by block, when KEPT_RUNS runs did not use it. A pass is one
 * launch; what it has found are two words, cleared ahead of it and copied afterwards, which waits for the kernel.
 */
#include <string.h>

#include <ordo/memory.h>

#include "copy.h"
#include "held.h"
#include "ranks.h"

enum {
    THREADS = 256,
    BLOCKS = 8,        /* of a multiprocessor */
    KEPT_DEVICES = 64, /* what is kept is for devices with smaller numbers */
    KEPT_RUNS = 4
};

/* ---- memory of runs ---- */

void *ordo_cuda_hold(ordo_cuda_held *held, ordo_u64 bytes)
{
    ordo_cuda_block *best = NULL;
    for (int i = 0; i < held->blocks; i++) {
        ordo_cuda_block *b = &held->block[i];
        if (!b->used && b->bytes >= bytes && b->bytes / 2 <= bytes && (!best || b->bytes < best->bytes))
            best = b;
    }
    if (!best)
        return NULL;
    best->used = true;
    best->idle = 0;
    return best->at;
}

void ordo_cuda_give(ordo_cuda_held *held, void *block, ordo_u64 bytes)
{
    for (int i = 0; i < held->blocks; i++)
        if (held->block[i].at == block) {
            held->block[i].used = false;
            return;
        }
    if (held->blocks == ORDO_CUDA_MOST_HELD)
        cudaFree(block);
    else
        held->block[held->blocks++] = ordo_cuda_block{block, bytes, false, 0};
}

/* Frees the blocks that are not used, and have not been for so many runs. Whether there were any. */
static bool free_blocks(ordo_cuda_held *held, ordo_u32 idle)
{
    int left = 0;
    for (int i = 0; i < held->blocks; i++)
        if (held->block[i].used || held->block[i].idle < idle)
            held->block[left++] = held->block[i];
        else
            cudaFree(held->block[i].at);
    const bool any = left < held->blocks;
    held->blocks = left;
    return any;
}

static void free_tools(ordo_cuda_held *held)
{
    if (held->before)
        cudaEventDestroy(held->before);
    if (held->after)
        cudaEventDestroy(held->after);
    cudaFreeHost((void *)held->mailbox);
}

/* ---- runs without a session ---- */

/* By device; atomic. A run that begins takes it out, so no two use it at once; a second run finds NULL and makes one,
 * and of two that come back one is freed. The exchanges acquire and release, so a run sees what the last one left. */
static ordo_cuda_held *kept_for[KEPT_DEVICES];

/* Puts it back, unless another one is there. */
static void put_back(ordo_cuda_held *held)
{
    ordo_cuda_held *none = NULL;
    if (__atomic_compare_exchange_n(&kept_for[held->device], &none, held, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        return;
    free_blocks(held, 0);
    free_tools(held);
    ordo_free(held);
}

ordo_cuda_held *ordo_cuda_kept(void)
{
    int device;
    if (cudaGetDevice(&device) != cudaSuccess || device >= KEPT_DEVICES)
        return NULL;
    ordo_cuda_held *held = __atomic_exchange_n(&kept_for[device], (ordo_cuda_held *)NULL, __ATOMIC_ACQUIRE);
    if (!held && (held = (ordo_cuda_held *)ordo_alloc_zero(1, sizeof *held)))
        held->device = device;
    return held;
}

void ordo_cuda_keep(ordo_cuda_held *held)
{
    for (int i = 0; i < held->blocks; i++)
        held->block[i].idle++;
    free_blocks(held, 1 + KEPT_RUNS);
    held->whole = 0; /* each run asks for the memory that is free */
    put_back(held);
}

bool ordo_cuda_let_go(ordo_cuda_held *held)
{
    bool any = held && free_blocks(held, 0);
    for (int device = 0; device < KEPT_DEVICES && !ordo_cuda_is_lost(); device++) {
        ordo_cuda_held *kept = __atomic_exchange_n(&kept_for[device], (ordo_cuda_held *)NULL, __ATOMIC_ACQUIRE);
        if (!kept)
            continue;
        any = free_blocks(kept, 0) || any;
        put_back(kept);
    }
    return any;
}

/* ---- arrays ---- */

static void session_end(void *own)
{
    ordo_cuda_held *held = (ordo_cuda_held *)own;
    if (!ordo_cuda_is_lost()) {
        free_blocks(held, 0);
        for (size_t i = 0; i < held->arrays; i++)
            cudaFree(held->array[i]);
        cudaFree(held->found);
        free_tools(held);
    }
    ordo_free(held->array);
    ordo_free(held);
}

static ordo_status session_begin(void **own)
{
    ordo_cuda_held *held = (ordo_cuda_held *)ordo_alloc_zero(1, sizeof *held);
    if (!held)
        return ORDO_ERR_MEMORY;
    ordo_status status = ordo_cuda_failed(cudaGetDevice(&held->device), "asking for the device");
    if (!status)
        status = ordo_cuda_failed(cudaDeviceGetAttribute(&held->units, cudaDevAttrMultiProcessorCount, held->device),
                                  "asking for its size");
    if (!status)
        status = ordo_cuda_failed(cudaMalloc((void **)&held->found, sizeof(ordo_found)), "taking memory");
    if (status)
        session_end(held);
    else
        *own = held;
    return status;
}

static ordo_status session_take(void *own, ordo_u64 bytes, void **out)
{
    ordo_cuda_held *held = (ordo_cuda_held *)own;
    const ordo_status usable = ordo_cuda_usable();
    if (usable)
        return usable;
    if (held->arrays == held->capacity) {
        const size_t capacity = 2 * held->capacity + 8;
        void **more = (void **)ordo_realloc(held->array, capacity, sizeof *more);
        if (!more)
            return ORDO_ERR_MEMORY;
        held->array = more;
        held->capacity = capacity;
    }
    cudaError_t error = cudaMalloc(out, bytes ? bytes : 1);
    if (error == cudaErrorMemoryAllocation && ordo_cuda_let_go(held)) {
        cudaGetLastError();
        error = cudaMalloc(out, bytes ? bytes : 1);
    }
    if (error == cudaErrorMemoryAllocation) {
        size_t vacant = 0, whole = 0;
        cudaGetLastError();
        cudaMemGetInfo(&vacant, &whole);
        return ordo_fail(ORDO_ERR_MEMORY,
                         "device 'cuda': an array of a session needs %llu bytes, %llu of %llu are free",
                         (unsigned long long)bytes, (unsigned long long)vacant, (unsigned long long)whole);
    }
    if (error != cudaSuccess)
        return ordo_cuda_failed(error, "taking memory");
    held->array[held->arrays++] = *out;
    return ORDO_OK;
}

static ordo_status session_drop(void *own, void *at)
{
    ordo_cuda_held *held = (ordo_cuda_held *)own;
    const ordo_status usable = ordo_cuda_usable();
    if (usable)
        return usable;
    for (size_t i = 0; i < held->arrays; i++)
        if (held->array[i] == at) {
            held->array[i] = held->array[--held->arrays];
            break;
        }
    return ordo_cuda_failed(cudaFree(at), "freeing memory");
}

static ordo_status session_read(void *own, void *to, const void *from, ordo_u64 bytes, int threads)
{
    (void)own;
    const ordo_status usable = ordo_cuda_usable();
    return usable ? usable : ordo_copy_out(to, from, bytes, threads ? threads : ordo_cores(), "copying an array");
}

static ordo_status session_write(void *own, void *to, const void *from, ordo_u64 bytes, int threads)
{
    (void)own;
    const ordo_status usable = ordo_cuda_usable();
    return usable ? usable
                  : ordo_copy_in(to, from, bytes, 1, NULL, threads ? threads : ordo_cores(), "copying an array");
}

/* ---- places ---- */

ordo_status ordo_cuda_check_place(const void *at, int device)
{
    cudaPointerAttributes place;
    const ordo_status status = ordo_cuda_failed(cudaPointerGetAttributes(&place, at), "asking where an address is");
    if (status || place.type == cudaMemoryTypeManaged) /* every GPU reads that */
        return status;
    if (place.type != cudaMemoryTypeDevice)
        return ordo_fail(ORDO_ERR_USAGE, "device 'cuda': found memory of the host, expected memory of GPU %d", device);
    if (place.device != device)
        return ordo_fail(ORDO_ERR_USAGE,
                         "device 'cuda': found memory of GPU %d, expected GPU %d, which this thread uses", place.device,
                         device);
    return ORDO_OK;
}

static int session_number(const void *own)
{
    return ((const ordo_cuda_held *)own)->device;
}

static ordo_status session_check(const void *own, const void *at)
{
    return ordo_cuda_check_place(at, ((const ordo_cuda_held *)own)->device);
}

/* ---- passes ---- */

static ordo_status find_instance(const ordo_pass *pass, const ordo_pass_instance **out)
{
    *out = pass->on_cuda ? pass->on_cuda : ordo_cuda_find_pass(pass->name);
    if (*out && (*out)->state == pass->state && (*out)->fold == pass->fold)
        return ORDO_OK;
    return ordo_fail(ORDO_ERR_UNSOUND, "pass '%s' was not compiled for device 'cuda'%s", pass->name,
                     *out ? " as it was for the host" : "");
}

/* Rows that a pass reads; those of no graph are empty. */
static ordo_status find_rows(ordo_cuda_held *held, const ordo_each *each, const ordo_graph *g, int threads,
                             ordo_rows *out)
{
    ordo_cuda_rows rows;
    if (!g)
        return ORDO_OK;
    const ordo_status status = ordo_cuda_graph_rows(g, each->pass->name, threads, held, &rows);
    if (!status)
        *out = ordo_rows{rows.row, rows.edge, rows.stride == 2 ? rows.edge + 1 : NULL, rows.stride};
    return status;
}

static ordo_status clear(const ordo_cuda_held *held, int fold)
{
    ordo_status status = ordo_cuda_failed(cudaMemset(held->found, 0, sizeof(ordo_found)), "clearing memory");
    if (!status && fold == ORDO_MIN)
        status = ordo_cuda_failed(cudaMemset(held->found + 1, 0xff, sizeof held->found[1]), "clearing memory");
    return status;
}

static ordo_status launch(ordo_cuda_held *held, const void *kernel, const ordo_each *each)
{
    const ordo_u64 blocks = (each->count + THREADS - 1) / THREADS, most = (ordo_u64)held->units * BLOCKS;
    void *args[] = {held->pass.bytes};
    const ordo_cuda_step step = {kernel, THREADS, (int)(blocks < most ? blocks : most), false, args};
    if (!kernel)
        return ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': the kernel of pass '%s' is not found", each->pass->name);
    if (each->state)
        memcpy(held->pass.bytes + sizeof(ordo_pass_head), each->state, each->pass->state);
    return each->count ? ordo_cuda_start(&step, 0) : ORDO_OK;
}

static ordo_status session_each(void *own, const ordo_each *each, int threads, ordo_found *out)
{
    ordo_cuda_held *held = (ordo_cuda_held *)own;
    ordo_pass_head *head = &held->pass.head;
    const ordo_pass_instance *instance;
    ordo_status status = ordo_cuda_usable();
    if (!status)
        status = find_instance(each->pass, &instance);
    if (!status)
        status = clear(held, instance->fold);
    *head = ordo_pass_head{};
    head->visit.items = each->items;
    head->visit.count = each->count;
    head->visit.selected = each->selected;
    head->found = held->found;
    if (!status)
        status = find_rows(held, each, each->graph, threads, &head->visit.out);
    if (!status)
        status = find_rows(held, each, each->reversed, threads, &head->visit.in);
    if (!status)
        status = launch(held, instance->kernel(), each);
    if (!status && out)
        status = ordo_cuda_failed(cudaMemcpy(out, held->found, sizeof *out, cudaMemcpyDeviceToHost), "running a pass");
    return status;
}

const ordo_backend_session ordo_cuda_sessions = {session_begin, session_end,           session_take, session_drop,
                                                 session_read,  session_write,         session_each, session_number,
                                                 session_check, ordo_cuda_ranks_gather};
