/* base.h -- shared by the CPU code of both kinds of operators: inlining, counting, locks, rows held in registers,
 * ending early, prefetch distances.
 */
#ifndef ORDO_DETAIL_CPU_BASE_H
#define ORDO_DETAIL_CPU_BASE_H

#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

/* Forced inlining: the compiler knows which sink function is called only where the function that takes the sink is
 * inlined. */
#define ORDO_INLINE static inline __attribute__((always_inline, unused))
#define ORDO_NOINLINE static __attribute__((noinline, unused))

/* Wraps every statement that only feeds the statistics. -DORDO_NO_STATS compiles these statements out, so that
 * tools/bench can measure their cost. */
#ifdef ORDO_NO_STATS
#define ORDO_COUNT(_statement) ((void)sizeof((_statement), 0))
#define ORDO_CLOCK(_job) 0.0
#else
#define ORDO_COUNT(_statement) (_statement)
#define ORDO_CLOCK(_job) ordo_job_seconds(_job)
#endif

/* Tells the processor that the calling loop spins. */
ORDO_INLINE void ordo_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Acquires and releases a lock, by test-and-test-and-set. Each target has a lock; where there are very many targets,
 * several share one. `index` is target & locks->mask. Acquire order in ordo_lock and release order in ordo_unlock order
 * the critical sections of one target. */
ORDO_INLINE void ordo_lock(const ordo_locks *locks, ordo_u32 index)
{
    ordo_u8 *lock = &locks->lock[index];
    for (int spins = 0; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE);)
        while (__atomic_load_n(lock, __ATOMIC_RELAXED)) {
            ordo_pause();
            if (++spins % 64 == 0)
                ordo_yield();
        }
}
ORDO_INLINE void ordo_unlock(const ordo_locks *locks, ordo_u32 index)
{
    __atomic_store_n(&locks->lock[index], 0, __ATOMIC_RELEASE);
}

/* Rows of a graph in the form that loops over edges need: pointers and strides to keep in registers. An unweighted
 * graph has one weight word, 1, read with stride 0. */
typedef struct ordo_rows {
    const ordo_eid *row;
    const ordo_vid *head;
    const ordo_u32 *weight;
    ordo_u64 head_stride, weight_stride;
} ordo_rows;

ORDO_INLINE ordo_rows ordo_rows_of(const ordo_csr *csr, int weight_type)
{
    static const ordo_u32 one_int = 1;
    static const ordo_f32 one_real = 1.0f;
    ordo_rows r;
    r.row = csr->row;
    r.head = csr->head;
    r.head_stride = csr->stride;
    r.weight = (const ordo_u32 *)csr->weight;
    r.weight_stride = csr->stride;
    if (!r.weight) {
        r.weight = weight_type == ORDO_F32 ? (const ordo_u32 *)(const void *)&one_real : &one_int;
        r.weight_stride = 0;
    }
    return r;
}

/* How many items are processed between two reads of job->stop, and how many items and edges between two reads of the
 * clock. An edge takes about 2 ns and a read of the clock 30 ns, so reading it costs less than 0.1 %. */
enum { ORDO_POLL_BATCH = 1024, ORDO_POLL_WORK = 1 << 14 };

/* Called by a member that has processed `work` more items and edges. Polls for cancellation and the time limit once in
 * ORDO_POLL_WORK of them. Returns false if the run must end early; the member then stops working. */
ORDO_INLINE bool ordo_go_on(ordo_job *job, ordo_counters *count, ordo_u64 work)
{
    count->unpolled += work;
    if (__builtin_expect(count->unpolled >= ORDO_POLL_WORK, 0)) {
        count->unpolled = 0;
        ordo_job_poll_within(job);
    }
    return !ordo_job_stopped(job);
}

/* Prefetch distances of rows and cells, in entries and edges. Measured on 2 cores (tools/bench): longer distances gain
 * nothing, shorter ones lose 10 to 30 % on graphs larger than the cache. */
enum { ORDO_AHEAD_ROW = 12, ORDO_AHEAD_EDGES = 6, ORDO_AHEAD_CELLS = 2, ORDO_AHEAD_HEAD = 16, ORDO_AHEAD_MOST = 8 };

/* Copies a member's counters to job->counters, for progress reports and the statistics. `items` is stored atomically
 * because member 0 reads it during the run; the others are read after the run. */
ORDO_INLINE void ordo_publish_counters(ordo_job *job, int member, const ordo_counters *local)
{
    ordo_counters *shared = &job->counters[member];
    __atomic_store_n(&shared->items, local->items, __ATOMIC_RELAXED);
    shared->edges = local->edges;
    shared->useful = local->useful;
    shared->stale = local->stale;
    shared->activations = local->activations;
    shared->work_seconds = local->work_seconds;
}

#endif
