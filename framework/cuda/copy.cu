/* copy.cu -- copies through two pinned buffers.
 *
 * Problem: the driver copies pageable memory through a small internal buffer, by one thread, at a fraction of the
 * bandwidth of the bus; and edges may need another layout on the device.
 *
 * Method: while the device reads one buffer, several threads fill the other; an event for each buffer signals when it
 * is free. A process has one pair of buffers, made at the first copy that is large enough and kept, because pinning
 * takes longer than most copies. Small copies, and all copies if memory cannot be pinned, use plain calls.
 */
#include "copy.h"
#include "range.h"

#include <pthread.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/scheduler/team.h>

enum {
    HALF = 8 << 20,          /* bytes of a buffer */
    LEAST_PIECE = 256 << 10, /* the least piece of a small copy, which is cut, too, so that its pieces overlap */
    WORTH_IT = 64 << 10,     /* copies of fewer bytes use plain calls */
    WORTH_THREADS = 1 << 20, /* pieces of fewer bytes are filled by the caller only */
    MOST_THREADS = 4         /* as many threads fill buffers faster than the bus transfers them */
};

ordo_status ordo_cuda_failed(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return ORDO_OK;
    cudaGetLastError(); /* the next call starts clean */
    return ordo_fail(error == cudaErrorMemoryAllocation ? ORDO_ERR_MEMORY : ORDO_ERR_DEVICE, "device 'cuda': %s: %s",
                     what, cudaGetErrorString(error));
}

/* ---- the pair ---- */

typedef struct staging {
    pthread_mutex_t lock; /* one copy at a time */
    void *half[2];        /* NULL: not allocated */
    cudaEvent_t free[2];  /* the device no longer uses the buffer */
} staging;

static staging pair = {PTHREAD_MUTEX_INITIALIZER, {NULL, NULL}, {NULL, NULL}};

/* Makes the pair. False if memory cannot be pinned; the next copy tries again. */
static bool make_pair(void)
{
    if (pair.half[1])
        return true;
    void *half[2] = {NULL, NULL};
    cudaEvent_t free[2] = {NULL, NULL};
    bool made = true;
    for (int i = 0; i < 2 && made; i++)
        made = cudaHostAlloc(&half[i], HALF, cudaHostAllocDefault) == cudaSuccess &&
               cudaEventCreateWithFlags(&free[i], cudaEventDisableTiming) == cudaSuccess;
    for (int i = 0; i < 2; i++) {
        if (made) {
            pair.half[i] = half[i];
            pair.free[i] = free[i];
            continue;
        }
        if (free[i])
            cudaEventDestroy(free[i]);
        cudaFreeHost(half[i]);
    }
    if (!made)
        cudaGetLastError();
    return made;
}

/* Waits for the device, also after a failure: no thread may write to a buffer that the device still reads. */
static ordo_status drain(ordo_status status, const char *what)
{
    for (int i = 0; i < 2; i++) {
        cudaError_t error = cudaEventSynchronize(pair.free[i]);
        status = status ? status : ordo_cuda_failed(error, what);
    }
    return status;
}

/* ---- filling ---- */

typedef struct filling {
    ordo_copy_fill *fill;
    const void *from;
    char *to;
    ordo_u64 begin, count;
    size_t size;
    ordo_team *team;
} filling;

static void as_it_lies(const void *from, void *to, ordo_u64 begin, ordo_u64 count)
{
    memcpy(to, (const char *)from + begin, count);
}

static void fill_part(void *arg, int member)
{
    const filling *f = (const filling *)arg;
    ordo_u64 begin, end;
    ordo_split(f->count, ordo_team_size(f->team), member, &begin, &end);
    f->fill(f->from, f->to + begin * f->size, f->begin + begin, end - begin);
}

static void fill_all(filling f)
{
    if (f.team && f.count * f.size >= WORTH_THREADS)
        ordo_team_run(f.team, fill_part, &f);
    else
        f.fill(f.from, f.to, f.begin, f.count);
}

/* A team that helps to fill buffers. NULL: none is needed, or none can be made. */
static ordo_team *helpers(ordo_u64 bytes, int threads)
{
    ordo_team *team = NULL;
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    return threads > 1 && bytes >= 4 * (ordo_u64)WORTH_THREADS && !ordo_team_lease(threads, &team) ? team : NULL;
}

static ordo_u64 least(ordo_u64 a, ordo_u64 b)
{
    return a < b ? a : b;
}

/* Number of elements of a piece: a quarter of a small copy, so that pieces overlap. */
static ordo_u64 piece_of(ordo_u64 count, size_t size)
{
    ordo_u64 bytes = count * size / 4;
    return least(bytes < LEAST_PIECE ? (ordo_u64)LEAST_PIECE : bytes, HALF) / size;
}

/* ---- the copies ---- */

/* A copy by plain calls, used if memory cannot be pinned. */
static ordo_status refill(filling f, char *to, ordo_u64 count, const char *what)
{
    const ordo_u64 piece = piece_of(count, f.size);
    ordo_status status = (f.to = (char *)ordo_alloc(piece, f.size)) ? ORDO_OK : ORDO_ERR_MEMORY;
    for (f.begin = 0; f.begin < count && !status; f.begin += f.count) {
        f.count = least(piece, count - f.begin);
        fill_all(f);
        status =
            ordo_cuda_failed(cudaMemcpy(to + f.begin * f.size, f.to, f.count * f.size, cudaMemcpyHostToDevice), what);
    }
    ordo_free(f.to);
    return status;
}

static ordo_status put(filling f, char *to, ordo_u64 count, const char *what)
{
    const ordo_u64 piece = piece_of(count, f.size);
    ordo_status status = ORDO_OK;
    for (int turn = 0; f.begin < count && !status; f.begin += f.count, turn = !turn) {
        f.count = least(piece, count - f.begin);
        f.to = (char *)pair.half[turn];
        status = ordo_cuda_failed(cudaEventSynchronize(pair.free[turn]), what); /* an event that was never recorded
                                                                                   counts as complete */
        if (!status) {
            fill_all(f);
            status = ordo_cuda_failed(
                cudaMemcpyAsync(to + f.begin * f.size, f.to, f.count * f.size, cudaMemcpyHostToDevice, 0), what);
        }
        if (!status)
            status = ordo_cuda_failed(cudaEventRecord(pair.free[turn], 0), what);
    }
    return drain(status, what);
}

ordo_status ordo_copy_in(void *to, const void *from, ordo_u64 count, size_t size, ordo_copy_fill *fill, int threads,
                         const char *what)
{
    const ordo_range marked(what);
    const ordo_u64 bytes = count * size;
    if (!bytes)
        return ORDO_OK;
    if (!fill && bytes < WORTH_IT)
        return ordo_cuda_failed(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), what);
    filling f = {fill ? fill : as_it_lies, from, NULL, 0, 0, fill ? size : 1, helpers(bytes, threads)};
    count = fill ? count : bytes;
    pthread_mutex_lock(&pair.lock);
    ordo_status status = make_pair() ? put(f, (char *)to, count, what)
                         : fill      ? refill(f, (char *)to, count, what)
                                     : ordo_cuda_failed(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), what);
    pthread_mutex_unlock(&pair.lock);
    if (f.team)
        ordo_team_return(f.team);
    return status;
}

/* The device fills one buffer while the host copies from the other. */
static ordo_status get(filling f, const char *from, ordo_u64 bytes, const char *what)
{
    char *const to = f.to;
    const ordo_u64 piece = piece_of(bytes, 1), pieces = (bytes + piece - 1) / piece;
    ordo_status status = ORDO_OK;
    for (ordo_u64 i = 0; i <= pieces && !status; i++) {
        if (i < pieces)
            status = ordo_cuda_failed(cudaMemcpyAsync(pair.half[i & 1], from + i * piece,
                                                      least(piece, bytes - i * piece), cudaMemcpyDeviceToHost, 0),
                                      what);
        if (i < pieces && !status)
            status = ordo_cuda_failed(cudaEventRecord(pair.free[i & 1], 0), what);
        if (i == 0 || status)
            continue;
        status = ordo_cuda_failed(cudaEventSynchronize(pair.free[(i - 1) & 1]), what);
        f.from = pair.half[(i - 1) & 1];
        f.to = to + (i - 1) * piece;
        f.count = least(piece, bytes - (i - 1) * piece);
        if (!status)
            fill_all(f);
    }
    return drain(status, what);
}

ordo_status ordo_copy_out(void *to, const void *from, ordo_u64 bytes, int threads, const char *what)
{
    const ordo_range marked(what);
    if (!bytes)
        return ORDO_OK;
    if (bytes < WORTH_IT)
        return ordo_cuda_failed(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), what);
    filling f = {as_it_lies, NULL, (char *)to, 0, 0, 1, helpers(bytes, threads)};
    pthread_mutex_lock(&pair.lock);
    ordo_status status = make_pair() ? get(f, (const char *)from, bytes, what)
                                     : ordo_cuda_failed(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), what);
    pthread_mutex_unlock(&pair.lock);
    if (f.team)
        ordo_team_return(f.team);
    return status;
}
