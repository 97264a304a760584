/* base.h -- what all CPU code of operators uses: inlining, counting, locks, rows in registers, prefetch distances.
 */
#ifndef ORDO_DETAIL_CPU_BASE_H
#define ORDO_DETAIL_CPU_BASE_H

#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

/* Forced inline: a sink function is a compile-time argument only where the function that takes it is inlined. */
#define ORDO_INLINE static inline __attribute__((always_inline, unused))
#define ORDO_NOINLINE static __attribute__((noinline, unused))

/* Wraps every statement that only feeds the statistics: -DORDO_NO_STATS builds without them, so that tools/bench can
 * measure what they cost. */
#ifdef ORDO_NO_STATS
#define ORDO_COUNT(_statement) ((void)sizeof((_statement), 0))
#define ORDO_CLOCK(_job) 0.0
#else
#define ORDO_COUNT(_statement) (_statement)
#define ORDO_CLOCK(_job) ordo_job_seconds(_job)
#endif

/* A hint to the processor, for loops that spin. */
ORDO_INLINE void ordo_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Takes and releases a lock: test-and-test-and-set, one lock for each target, or one for several targets where there
 * are very many. `index` is target & locks->mask. Acquire on taking and release on releasing order the critical
 * sections of one target. */
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

/* Rows of a graph as a loop over edges needs them, to be kept in registers. In an unweighted graph all weights are one
 * word, 1, at stride 0. */
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

/* Items between two looks at job->stop, and items and edges between two looks at the clock: at two nanoseconds an edge
 * a clock read of 30 is less than 0.1 %. */
enum { ORDO_POLL_BATCH = 1024, ORDO_POLL_WORK = 1 << 14 };

/* For a member that has processed `work` more items and edges: false where the run must end early. */
ORDO_INLINE bool ordo_go_on(ordo_job *job, ordo_counters *count, ordo_u64 work)
{
    count->unpolled += work;
    if (__builtin_expect(count->unpolled >= ORDO_POLL_WORK, 0)) {
        count->unpolled = 0;
        ordo_job_poll_within(job);
    }
    return !ordo_job_stopped(job);
}

/* How far ahead rows and cells are fetched, in entries and edges. Measured on 2 cores (tools/bench): farther gains
 * nothing, nearer loses 10 to 30 % on graphs beyond the cache. */
enum { ORDO_AHEAD_ROW = 12, ORDO_AHEAD_EDGES = 6, ORDO_AHEAD_CELLS = 2, ORDO_AHEAD_HEAD = 16, ORDO_AHEAD_MOST = 8 };

/* Copies a member's counters to job->counters, for progress reports and the statistics. `items` is read while the run
 * goes on, so it is an atomic store; the others are read after the run. */
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
