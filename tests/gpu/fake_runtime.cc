/* fake_runtime.cc -- as much of the CUDA runtime as the host's part of the back end calls, without a GPU, so that what
 * it does when things go wrong can be tested anywhere.
 *
 * Memory is the host's. On a stream that is made a copy is made at once. On the default stream what is asynchronous is
 * put off as long as CUDA may put it off: a copy is made when an event after it, or something that waits for
 * everything, asks for it, so a buffer that is filled again too early shows. A kernel is a function of the host, taking
 * a pointer to its arguments, on a thread of its own.
 *
 * The environment sets FAKE_DRIVER (13000), FAKE_DEVICES (1), FAKE_DEVICE (the one that threads use, 0),
 * FAKE_CAPABILITY (90), FAKE_MEMORY (bytes, 1 GiB), FAKE_PINNED (0: memory cannot be pinned in large pieces),
 * FAKE_UNCLEARED (k: the k-th clearing of memory fails),
 * FAKE_BOX (messages between two ranks at a time; as many as the receiver owns items), FAKE_GUARD (bytes below each
 * block of memory, a multiple of 4096, that end the program if they are accessed; 0), FAKE_PLACE (the device that all
 * memory is said to be on; 0, and -1: the host), FAKE_COUNTS (the address, in this process, of longs to which the bytes
 * of each kind of copy are added, by the number of its cudaMemcpyKind, and behind them blocks of memory and events that
 * are taken).
 *
 * Several threads may call it: one call at a time, those that wait for a kernel included.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mutexes that are recursive from the start */
#endif
#include <cuda_runtime_api.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { QUEUE = 64, HEAD = 64, LARGE = 1 << 20 };

struct CUevent_st {
    int pending; /* records that are on the queue */
    double time;
};

/* A copy, or where `event` is set a record. */
typedef struct entry {
    void *to;
    const void *from;
    size_t bytes;
    cudaEvent_t event;
} entry;

static entry queue[QUEUE];
static int queued;
static size_t taken;
static int running; /* atomic: a kernel is */
static cudaError_t last;
static pthread_mutex_t one = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* Holds `one` from its declaration to the end of the function. */
struct alone {
    alone()
    {
        pthread_mutex_lock(&one);
    }
    ~alone()
    {
        pthread_mutex_unlock(&one);
    }
};

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

static cudaError_t with(cudaError_t error)
{
    if (error != cudaSuccess)
        last = error;
    return error;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_for_kernel(void)
{
    const struct timespec moment = {0, 100000};
    while (__atomic_load_n(&running, __ATOMIC_ACQUIRE))
        nanosleep(&moment, NULL);
}

/* Works the queue off until `event` has come; NULL: all of it. */
static void work_off(cudaEvent_t event)
{
    int done = 0;
    while (done < queued && !(event && event->pending == 0)) {
        entry *e = &queue[done++];
        if (e->event) {
            e->event->pending--;
            e->event->time = now();
        } else {
            memcpy(e->to, e->from, e->bytes);
        }
    }
    queued -= done;
    memmove(queue, queue + done, (size_t)queued * sizeof *queue);
}

static void wait_for_all(void)
{
    wait_for_kernel();
    work_off(NULL);
}

static void put_off(entry e)
{
    if (queued == QUEUE)
        wait_for_all();
    if (e.event)
        e.event->pending++;
    queue[queued++] = e;
}

/* ---- the device ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
    if (setting("FAKE_DRIVER", 13000) < CUDART_VERSION)
        return with(cudaErrorInsufficientDriver);
    *count = (int)setting("FAKE_DEVICES", 1);
    return *count ? cudaSuccess : with(cudaErrorNoDevice);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = (int)setting("FAKE_DRIVER", 13000);
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = (int)setting("FAKE_DEVICE", 0);
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    (void)device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    (void)device;
    memset(p, 0, sizeof *p);
    strcpy(p->name, "fake GPU");
    p->major = (int)setting("FAKE_CAPABILITY", 90) / 10;
    p->minor = (int)setting("FAKE_CAPABILITY", 90) % 10;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    (void)attribute;
    (void)device;
    *value = 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    const alone guard;
    wait_for_all();
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last;
    last = cudaSuccess;
    return error;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "out of memory" : "an error";
}

/* ---- memory ---- */

cudaError_t cudaMemGetInfo(size_t *left, size_t *whole)
{
    const alone guard;
    *whole = (size_t)setting("FAKE_MEMORY", 1 << 30);
    *left = *whole > taken ? *whole - taken : 0;
    return cudaSuccess;
}

static size_t guard_bytes(void)
{
    return (size_t)setting("FAKE_GUARD", 0);
}

/* Memory below which nothing is mapped. */
static char *guarded(size_t bytes)
{
    const size_t guard = guard_bytes();
    if (!guard)
        return (char *)malloc(bytes);
    char *const base = (char *)mmap(NULL, guard + bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return base == MAP_FAILED || mprotect(base + guard, bytes, PROT_READ | PROT_WRITE) ? NULL : base + guard;
}

static void drop_guarded(char *block, size_t bytes)
{
    if (guard_bytes())
        munmap(block - guard_bytes(), guard_bytes() + bytes);
    else
        free(block);
}

static void count(int kind, size_t bytes)
{
    long *const counts = (long *)setting("FAKE_COUNTS", 0);
    if (counts)
        counts[kind] += (long)bytes;
}
enum { TAKEN = cudaMemcpyDefault + 1 }; /* its place among the counts */

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    const alone guard;
    count(TAKEN, 1);
    size_t left, whole;
    cudaMemGetInfo(&left, &whole);
    char *block = bytes <= left ? guarded(bytes + HEAD) : NULL;
    if (!block)
        return with(cudaErrorMemoryAllocation);
    memset(block + HEAD, 0xa5, bytes);
    *(size_t *)block = bytes;
    taken += bytes;
    *out = block + HEAD;
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    return cudaMalloc(out, bytes);
}

cudaError_t cudaFree(void *block)
{
    const alone guard;
    wait_for_all();
    if (block) {
        taken -= *(size_t *)((char *)block - HEAD);
        drop_guarded((char *)block - HEAD, *(size_t *)((char *)block - HEAD) + HEAD);
    }
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    count(TAKEN, 1);
    if (bytes >= LARGE && !setting("FAKE_PINNED", 1))
        return with(cudaErrorMemoryAllocation);
    *out = malloc(bytes);
    return *out ? cudaSuccess : with(cudaErrorMemoryAllocation);
}

cudaError_t cudaHostGetDevicePointer(void **out, void *host, unsigned flags)
{
    (void)flags;
    *out = host;
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *block)
{
    const alone guard;
    wait_for_all();
    free(block);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    static long failing, cleared;
    const alone guard;
    if (failing != setting("FAKE_UNCLEARED", 0)) {
        failing = setting("FAKE_UNCLEARED", 0);
        cleared = 0;
    }
    if (failing && ++cleared == failing)
        return with(cudaErrorUnknown);
    wait_for_all();
    memset(to, value, bytes);
    return cudaSuccess;
}

/* A test of the same process reads the numbers. */
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out, const void *at)
{
    memset(out, 0, sizeof *out);
    out->device = (int)setting("FAKE_PLACE", 0);
    out->type = out->device < 0 ? cudaMemoryTypeUnregistered : cudaMemoryTypeDevice;
    out->devicePointer = (void *)at;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    const alone guard;
    count(kind, bytes);
    wait_for_all();
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    const alone guard;
    count(kind, bytes);
    if (stream) {
        memcpy(to, from, bytes);
        return cudaSuccess;
    }
    put_off(entry{to, from, bytes, NULL});
    return cudaSuccess;
}

/* ---- streams ---- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    (void)flags;
    *out = (cudaStream_t)malloc(1);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    const alone guard;
    if (!stream)
        wait_for_all();
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    free(stream);
    return cudaSuccess;
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    (void)flags;
    count(TAKEN, 1);
    *out = (cudaEvent_t)calloc(1, sizeof **out);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    return cudaEventCreateWithFlags(out, 0);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    const alone guard;
    (void)stream;
    put_off(entry{NULL, NULL, 0, event});
    return cudaSuccess;
}

static bool is_awaited(cudaEvent_t event)
{
    const alone guard;
    return event->pending && __atomic_load_n(&running, __ATOMIC_ACQUIRE);
}

/* A host that asks over and over leaves its core to the threads that are kernels, its own and those of other ranks. */
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    const struct timespec moment = {0, 20000};
    if (is_awaited(event)) {
        nanosleep(&moment, NULL);
        return cudaErrorNotReady;
    }
    const alone guard;
    work_off(event);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const alone guard;
    if (event->pending)
        wait_for_kernel();
    work_off(event);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t before, cudaEvent_t after)
{
    *milliseconds = (float)(1e3 * (after->time - before->time));
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    const alone guard;
    wait_for_all();
    free(event);
    return cudaSuccess;
}

/* ---- kernels ---- */

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    *kernel = (cudaKernel_t)function;
    return function ? cudaSuccess : with(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads, size_t shared)
{
    (void)kernel;
    (void)threads;
    (void)shared;
    *blocks = 1;
    return cudaSuccess;
}

typedef struct launch {
    void (*kernel)(const void *arguments);
    const void *arguments;
} launch;

static void *run(void *arg)
{
    launch l = *(launch *)arg;
    free(arg);
    l.kernel(l.arguments);
    __atomic_store_n(&running, 0, __ATOMIC_RELEASE);
    return NULL;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    (void)kernel;
    (void)attribute;
    (void)value;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value)
{
    (void)limit;
    (void)value;
    return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments)
{
    const alone guard;
    (void)config;
    wait_for_all();
    launch *l = (launch *)malloc(sizeof *l);
    l->kernel = (void (*)(const void *))kernel;
    l->arguments = arguments[0];
    __atomic_store_n(&running, 1, __ATOMIC_RELEASE);
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, l))
        return with(cudaErrorLaunchFailure);
    pthread_detach(thread);
    return cudaSuccess;
}

extern "C" unsigned fake_box(unsigned owned)
{
    return (unsigned)setting("FAKE_BOX", (long)owned);
}
