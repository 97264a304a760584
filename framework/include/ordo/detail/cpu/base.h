/* base.h -- shared by the CPU code of both kinds of operators: inlining, counting, locks, rows held in registers,
 * ending early, prefetch distances.
 */
#ifndef ORDO_DETAIL_CPU_BASE_H
#define ORDO_DETAIL_CPU_BASE_H

#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

/* Forced inlining: the compiler knows which sink function is called only where the function that takes the sink is
 * inlined. Under GCC's sanitizers, and with -DORDO_INLINE_FREELY, the compiler decides: code for tests need not be
 * fast, and then compiles in a third to a twentieth of the time. */
#if defined(ORDO_INLINE_FREELY) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ORDO_INLINE static inline __attribute__((unused))
#else
#define ORDO_INLINE static inline __attribute__((always_inline, unused))
#endif
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

/* Acquires a ticket lock, which passes on in the order of asking: a thread draws a ticket, and waits for its turn. Only
 * the holder changes `now`. A holder that loses its core makes all wait behind it, whereas a lock by test-and-set is
 * taken by any that runs. */
ORDO_NOINLINE void ordo_lock_ticket(ordo_ticket_lock *lock)
{
    const ordo_u32 mine = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);
    for (int spins = 0; __atomic_load_n(&lock->now, __ATOMIC_ACQUIRE) != mine;) {
        ordo_pause();
        if (++spins % 64 == 0)
            ordo_yield();
    }
}

/* Acquires a lock that was found taken. Between two looks at it a thread pauses, twice as long each time: threads that
 * look less often leave the lock's cache line to the one that releases it (docs/lab/0076-hosts-that-carry.md has
 * figures). */
ORDO_NOINLINE void ordo_lock_wait(ordo_u8 *lock)
{
    enum { MOST = 256, YIELD = 1024 }; /* pauses: between two looks; before the thread lets others run */
    int pauses = 1, waited = 0;
    do
        do {
            for (int i = 0; i < pauses; i++)
                ordo_pause();
            waited += pauses;
            pauses = pauses < MOST ? 2 * pauses : MOST;
            if (waited >= YIELD) {
                waited = 0;
                ordo_yield();
            }
        } while (__atomic_load_n(lock, __ATOMIC_RELAXED));
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE));
}

/* Acquires and releases a lock, by test-and-test-and-set, or by tickets where locks->ticket is set. Each target has a
 * lock; where there are very many targets, several share one. `index` is target & locks->mask. Acquire order in
 * ordo_lock and release order in ordo_unlock order the critical sections of one target. */
ORDO_INLINE void ordo_lock(const ordo_locks *locks, ordo_u32 index)
{
    if (__builtin_expect(locks->ticket != NULL, 0)) {
        ordo_lock_ticket(&locks->ticket[index]);
        return;
    }
    ordo_u8 *lock = &locks->lock[index];
    if (__builtin_expect(__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE), 0))
        ordo_lock_wait(lock);
}
ORDO_INLINE void ordo_unlock(const ordo_locks *locks, ordo_u32 index)
{
    if (__builtin_expect(locks->ticket != NULL, 0))
        __atomic_store_n(&locks->ticket[index].now, locks->ticket[index].now + 1, __ATOMIC_RELEASE);
    else
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
    static const ordo_i64 one_int = 1; /* its low word comes first */
    static const ordo_f32 one_f32 = 1.0f;
    static const ordo_f64 one_f64 = 1.0;
    ordo_rows r;
    r.row = csr->row;
    r.head = csr->head;
    r.head_stride = csr->stride;
    r.weight = (const ordo_u32 *)csr->weight;
    r.weight_stride = csr->stride;
    if (csr->stride == 1 && (weight_type == ORDO_I64 || weight_type == ORDO_F64))
        r.weight_stride = 2;
    if (!r.weight) {
        const void *one = weight_type == ORDO_F32   ? (const void *)&one_f32
                          : weight_type == ORDO_F64 ? (const void *)&one_f64
                                                    : (const void *)&one_int;
        r.weight = (const ordo_u32 *)one;
        r.weight_stride = 0;
    }
    return r;
}

/* How many items are processed between two reads of job->stop, and how many items and edges between two reads of the
 * clock. An edge takes about 2 ns and a read of the clock 30 ns, so reading it costs less than 0.1 %. */
enum { ORDO_POLL_BATCH = 1024, ORDO_POLL_WORK = 1 << 14 };

/* Edges of a piece of a long row (ORDO_LONG_ROW): some microseconds, beside the fetch-and-add that takes it. */
enum { ORDO_ROW_PIECE = 1 << 10 };

/* ---- what a member shows to other threads ---- */

/* The sum of what bins hold, with `far` if that is not NULL. */
ORDO_NOINLINE ordo_u64 ordo_bins_hold(const ordo_bin *bins, ordo_u32 count, const ordo_bin *far)
{
    ordo_u64 sum = far ? far->count : 0;
    for (ordo_u32 i = 0; i < count; i++)
        sum += bins[i].count;
    return sum;
}

/* Copies a member's counters to `shared`, for progress reports, the trace and the statistics.
 *
 * Memory order. A published word has one writer, the member, and is read by other threads during the run: relaxed
 * atomic stores and loads. A counter never falls. No order between words is promised, and none is needed: the trace
 * treats sums of them as approximate, and the statistics read them after the team has returned.
 *
 * Cost. On x86 a relaxed store is the plain store that it replaces. Nothing is published for an item or an edge, but at
 * the end of a superstep or of many turns, and in a run that is traced once in ORDO_POLL_WORK items and edges. */
ORDO_INLINE void ordo_publish_to(ordo_counters *shared, const ordo_counters *local)
{
    __atomic_store_n(&shared->items, local->items, __ATOMIC_RELAXED);
    __atomic_store_n(&shared->edges, local->edges, __ATOMIC_RELAXED);
    __atomic_store_n(&shared->useful, local->useful, __ATOMIC_RELAXED);
    __atomic_store_n(&shared->stale, local->stale, __ATOMIC_RELAXED);
    __atomic_store_n(&shared->activations, local->activations, __ATOMIC_RELAXED);
    double work_seconds = local->work_seconds; /* clang takes no pointer to const */
    __atomic_store(&shared->work_seconds, &work_seconds, __ATOMIC_RELAXED);
    if (__builtin_expect(local->shared && local->bin_count, 0)) {
        const ordo_u64 put = local->put + ordo_bins_hold(local->bins, local->bin_count, local->far);
        __atomic_store_n(&shared->put, put, __ATOMIC_RELAXED);
    }
}
/* Polls in the middle of a superstep, and publishes to `shared` if that is not NULL. Out of line, and takes values: the
 * caller's loops keep their counters in registers. */
ORDO_NOINLINE void ordo_poll_within(ordo_job *job, ordo_counters *shared, ordo_u64 items, ordo_u64 edges,
                                    ordo_u64 useful, ordo_u64 stale, ordo_u64 activations, ordo_u64 put,
                                    const ordo_bin *bins, ordo_u32 bin_count, const ordo_bin *far)
{
    ordo_job_poll_within(job);
    if (!shared)
        return;
    __atomic_store_n(&shared->items, items, __ATOMIC_RELAXED);
    __atomic_store_n(&shared->edges, edges, __ATOMIC_RELAXED);
    __atomic_store_n(&shared->useful, useful, __ATOMIC_RELAXED);
    __atomic_store_n(&shared->stale, stale, __ATOMIC_RELAXED);
    __atomic_store_n(&shared->activations, activations, __ATOMIC_RELAXED);
    if (bin_count)
        __atomic_store_n(&shared->put, put + ordo_bins_hold(bins, bin_count, far), __ATOMIC_RELAXED);
}
ORDO_INLINE void ordo_publish_counters(ordo_job *job, int member, const ordo_counters *local)
{
    ordo_publish_to(&job->counters[member], local);
}

/* Says what a member does from now on, ORDO_BUSY ...: one store to a cache line that is the member's own, never for an
 * item. */
ORDO_INLINE void ordo_set_state(ordo_job *job, int member, ordo_u32 state)
{
    ORDO_COUNT(__atomic_store_n(&job->counters[member].state, state, __ATOMIC_RELAXED));
}

/* Begins counting for a member; `count` is all zero. Where a run consists of several, it goes on from the counters that
 * the last of these has published. `bins` and `far` are those of the bins from which entries leave
 * for processing only by ways that add to count->put; bin_count 0: the scheduler has a probe (ordo_job_probe) instead.
 * If the run is traced, the member publishes its counters in the middle of a superstep, too. */
ORDO_INLINE void ordo_count_from(ordo_job *job, int member, ordo_counters *count, const ordo_bin *bins,
                                 ordo_u32 bin_count, const ordo_bin *far)
{
    const ordo_counters *before = &job->counters[member];
    ordo_set_state(job, member, ORDO_BUSY);
    count->items += before->items;
    count->edges += before->edges;
    count->useful += before->useful;
    count->stale += before->stale;
    count->activations += before->activations;
    count->work_seconds += before->work_seconds;
    count->put += before->put;
    if (!job->traced)
        return;
    count->shared = &job->counters[member];
    count->bins = bins;
    count->bin_count = bin_count;
    count->far = far;
}

/* The member has ended: publishes its counters for the last time. */
ORDO_INLINE void ordo_count_to(ordo_job *job, int member, const ordo_counters *count)
{
    ordo_publish_counters(job, member, count);
    ordo_set_state(job, member, ORDO_ENDED);
}

/* For a member that has found nothing to do, and has worked since `since`; and for one that has something to do again,
 * which returns the time. */
ORDO_INLINE void ordo_stop_work(ordo_job *job, int member, ordo_counters *count, double since)
{
    count->work_seconds += ORDO_CLOCK(job) - since;
    ordo_set_state(job, member, ORDO_WAITING);
}
ORDO_INLINE double ordo_go_to_work(ordo_job *job, int member)
{
    ordo_set_state(job, member, ORDO_BUSY);
    return ORDO_CLOCK(job);
}

/* ordo_team_barrier, which the trace shows. */
ORDO_INLINE void ordo_member_barrier(ordo_job *job, int member)
{
    ordo_set_state(job, member, ORDO_AT_BARRIER);
    ordo_team_barrier(job->team);
    ordo_set_state(job, member, ORDO_BUSY);
}

/* ---- ending early ---- */

/* Called by a member that has processed `work` more items and edges. Polls for cancellation and the time limit once in
 * ORDO_POLL_WORK of them. Returns false if the run must end early; the member then stops working. */
ORDO_INLINE bool ordo_go_on(ordo_job *job, ordo_counters *count, ordo_u64 work)
{
    count->unpolled += work;
    if (__builtin_expect(count->unpolled >= ORDO_POLL_WORK, 0)) {
        count->unpolled = 0;
        ordo_poll_within(job, count->shared, count->items, count->edges, count->useful, count->stale,
                         count->activations, count->put, count->bins, count->bin_count, count->far);
    }
    return !ordo_job_stopped(job);
}

/* Prefetch distances of rows and cells, in entries and edges. Measured on 2 cores (tools/bench): longer distances gain
 * nothing, shorter ones lose 10 to 30 % on graphs larger than the cache. */
enum { ORDO_AHEAD_ROW = 12, ORDO_AHEAD_EDGES = 6, ORDO_AHEAD_CELLS = 2, ORDO_AHEAD_HEAD = 16, ORDO_AHEAD_MOST = 8 };

#endif
