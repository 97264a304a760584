/* cpu.h -- the CPU back end's part of the contract: from what an operator declares, every way of applying it.
 *
 * A template by inclusion. Expects ORDO_OP, the operator's name, whose file was included just before; include once per
 * operator and unit, ahead of the schedulers' cpu.h. Generated units and <ordo/instantiate.h> do so.
 *
 * Leaves the macros
 *   OP(part)      the operator's derived names: OP(cell), OP(better), ...
 *   OP(entry)     a worklist entry: an item and a value: relax, what its cell was when it was put there; critical, the
 *                 priority it was activated with
 *   OP(expand)    processes a batch of entries and hands what they activate to a sink: relax, skips stale ones, walks
 *                 rows, offers; critical, visits, and serves requests under locks
 *   OP(drain), OP(bucket), OP(stale), OP(entry_priority)
 * and, for relax operators,
 *   OP(offer)     applies one candidate under a sync
 *   OP(gather)    pulls: the best candidate that a vertex's in-edges propose
 * for critical operators,
 *   OP(serve)     runs one request's section under locks
 *
 * Hot-path rules: nothing here or in a scheduler's cpu.h calls through a pointer, allocates, locks (but ORDO_SYNC_LOCK)
 * or reads a clock per edge. Sinks are functions known at compile time, forced inline; the build fails where an object
 * keeps an indirect call (tests/hot_objects.py).
 *
 * Memory order. Cells are read and written relaxed: a cell is the only thing that a candidate depends on, a stale read
 * of it proposes a worse candidate at most, and every improvement activates its target again, so the last value is
 * always propagated. What carries items from one member to another (a barrier, a queue) gives the ordering that the
 * entries themselves need. Builtins and not <stdatomic.h>, because cells are plain arrays of the caller's.
 *
 * Sums (ORDO_SUM). Every change of a cell is one read-modify-write, or is made under the cell's lock: so each value is
 * followed by exactly one other, and each rise of a level is seen by exactly one offer, which makes an entry of the new
 * level. An entry is stale unless its level is the cell's. Invariant: an item whose level is L > 0 has an entry of
 * level L in flight, that of its last rise, or its initial one; for offers only raise levels, and what lowers one is a
 * take, which leaves level 0. So no item is forgotten, and of the entries that a rising item leaves behind one counts.
 * What was added is taken once, for a take is a compare-and-swap of the whole cell. Relaxed order is enough: coherence
 * of that one word is all that the argument uses, and what a take books is read after the run.
 */
#include <ordo/memory.h>
#include <ordo/scheduler.h>

#ifndef ORDO_OP
#error "cpu.h expects ORDO_OP, the name of the operator whose file was included before"
#endif
#ifndef ORDO_OP_KIND
#error "cpu.h expects an operator file to be included before it"
#endif

#ifndef ORDO_CPU_ONCE
#define ORDO_CPU_ONCE

#define OP(_part) ORDO_JOIN3(ORDO_OP, _op_, _part)

/* Forced inline: engines take a sink function as a compile-time argument, which only works when they are inlined. */
#define ORDO_INLINE static inline __attribute__((always_inline, unused))
#define ORDO_NOINLINE static __attribute__((noinline, unused))

/* Ends a scheduler's cpu.h: defines the instance that the generated tables name. */
#define ORDO_CPU_INSTANCE(_scheduler, _run)                                                                            \
    extern const ordo_instance ORDO_JOIN3(ORDO_OP, _on_cpu_under_, _scheduler);                                        \
    const ordo_instance ORDO_JOIN3(ORDO_OP, _on_cpu_under_, _scheduler) = {#_scheduler, _run, 0, ORDO_ON_CPU};

/* Wraps every statement that only feeds the statistics, so that -DORDO_NO_STATS builds without them and tools/bench can
 * tell what they cost. */
#ifdef ORDO_NO_STATS
#define ORDO_COUNT(_statement) ((void)sizeof((_statement), 0))
#define ORDO_CLOCK(_job) 0.0
#else
#define ORDO_COUNT(_statement) (_statement)
#define ORDO_CLOCK(_job) ordo_job_seconds(_job)
#endif

ORDO_INLINE void ordo_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* One lock a target, or one for several where there are very many: test-and-test-and-set. Acquire on taking and release
 * on giving order the sections of one target. */
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

/* Rows with what a loop over edges needs, in registers. An unweighted graph has the weight 1 everywhere, at stride 0.
 */
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

/* How far ahead rows and cells are fetched, in entries and edges. Measured on 2 cores (tools/bench): farther gains
 * nothing, nearer loses 10 to 30 % on graphs beyond the cache. */
enum { ORDO_AHEAD_ROW = 12, ORDO_AHEAD_EDGES = 6, ORDO_AHEAD_CELLS = 2, ORDO_AHEAD_HEAD = 16, ORDO_AHEAD_MOST = 8 };

/* One member's part of a superstep: a bin that it opens for all to take chunks from.
 *
 * Invariant: between opening for superstep g and the barrier that ends g, data and count do not change, and every index
 * below count is taken by exactly one member, since only fetch-and-add moves `next`. `opened` is stored with release
 * after the rest and read with acquire before the rest, so whoever sees g sees g's bin. A member that sees an older
 * value waits: its owner has left the barrier before g and is about to open. The owner keeps the bin's memory until
 * that barrier. */
typedef struct ordo_share {
    ordo_u64 opened; /* superstep, from 1 */
    const void *data;
    ordo_u64 count;
    ordo_u64 padding0[5];
    ordo_u64 next; /* first index not taken; on a line of its own */
    ordo_u64 padding1[7];
} ordo_share;

ORDO_INLINE void ordo_share_open(ordo_share *share, const ordo_bin *bin, ordo_u64 superstep)
{
    share->data = bin->data;
    share->count = bin->count;
    share->next = 0;
    __atomic_store_n(&share->opened, superstep, __ATOMIC_RELEASE);
}

/* Waits until the share is open for this superstep; false where the run ends early instead. */
ORDO_INLINE bool ordo_share_wait(const ordo_job *job, const ordo_share *share, ordo_u64 superstep)
{
    for (int spins = 1; __atomic_load_n(&share->opened, __ATOMIC_ACQUIRE) != superstep; spins++) {
        ordo_pause();
        if (spins % 64 == 0) {
            if (ordo_job_stopped(job))
                return false;
            ordo_yield();
        }
    }
    return true;
}

/* Takes up to `chunk` indices; false when none is left. */
ORDO_INLINE bool ordo_share_take(ordo_share *share, ordo_u64 chunk, ordo_u64 *begin, ordo_u64 *end)
{
    if (__atomic_load_n(&share->next, __ATOMIC_RELAXED) >= share->count)
        return false;
    *begin = __atomic_fetch_add(&share->next, chunk, __ATOMIC_RELAXED);
    *end = *begin + chunk < share->count ? *begin + chunk : share->count;
    return *begin < share->count;
}

/* Makes a member's counters visible to progress reports and to the statistics. */
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

/* Width of buckets in units of mean weight over mean degree for schedulers that keep them in order: deep graphs of
 * small degree want wide buckets, graphs with hubs narrow ones (measured; docs/performance.md). */
ORDO_INLINE double ordo_bucket_factor(const ordo_job *job, double asked)
{
    if (asked > 0)
        return asked;
    return job->mean_degree < 4 ? 8 : job->mean_degree < 8 ? 3 : 0.5;
}

/* The bucket of a priority: monotone in it, 0 for what is below `base`, ORDO_FAR_BUCKET for what is very far. */
#define ORDO_FAR_BUCKET ((ordo_u64)1 << 62)
ORDO_INLINE ordo_u64 ordo_bucket(double priority, double per_delta)
{
    double b = priority * per_delta;
    if (!(b > 0))
        return 0;
    return b < 4e18 ? (ordo_u64)b : ORDO_FAR_BUCKET;
}

/* Defines MY(work_NAME), the team's function of a scheduler whose MY(work)(run, index, sync) is inlined: one for each
 * sync, a constant there. */
#define ORDO_WORK_UNDER(_name, _SYNC)                                                                                  \
    ORDO_NOINLINE void MY(ORDO_JOIN(work_, _name))(void *run, int index)                                               \
    {                                                                                                                  \
        MY(work)((MY(run) *)run, index, ORDO_SYNC_##_SYNC);                                                            \
    }

#endif /* ORDO_CPU_ONCE */

#if ORDO_OP_KIND == ORDO_KIND_RELAX

typedef struct OP(entry) {
    OP(cell) value;
    ordo_item item;
} OP(entry);

ORDO_INLINE OP(cell) OP(load)(const OP(cell) * cell)
{
    OP(cell) value;
    __atomic_load(cell, &value, __ATOMIC_RELAXED);
    return value;
}

/* Offers a candidate to a cell; true where that activates the target: the cell was improved, or, for sums, its level
 * raised; then *candidate is the cell's new value. Under ORDO_SYNC_SERVER nothing is written: true where the owner of
 * the cell should get the candidate, and the sink is what takes it there. `sync` is a constant at every call. */
#if ORDO_OP_ORDER == ORDO_SUM
ORDO_INLINE bool OP(offer)(const ordo_job *job, OP(cell) * cell, ordo_u32 target, OP(cell) * candidate,
                           const ordo_sync sync)
{
    const OP(state) *state = (const OP(state) *)job->state;
    OP(cell) old, sum;
    if (*candidate == 0)
        return false;
    if (sync == ORDO_SYNC_SERVER)
        return true;
    if (sync == ORDO_SYNC_LOCK) {
        ordo_lock(&job->locks, target & job->locks.mask);
        old = OP(load)(cell + target);
        sum = old + *candidate;
        __atomic_store(cell + target, &sum, __ATOMIC_RELAXED);
        ordo_unlock(&job->locks, target & job->locks.mask);
    } else {
        old = __atomic_fetch_add(cell + target, *candidate, __ATOMIC_RELAXED);
        sum = old + *candidate;
    }
    *candidate = sum;
    return OP(level)(state, sum) > OP(level)(state, old);
}
#else
ORDO_INLINE bool OP(offer)(const ordo_job *job, OP(cell) * cell, ordo_u32 target, OP(cell) * candidate,
                           const ordo_sync sync)
{
    OP(cell) c = *candidate, old = OP(load)(cell + target);
    if (!OP(better)(c, old))
        return false;
    if (sync == ORDO_SYNC_SERVER)
        return true;
    if (sync == ORDO_SYNC_RACY) {
        /* Another's better value may be overwritten here. Sound where every item is looked at again until nothing
         * changes, or where all candidates of a superstep are equal: what pairings ask for. */
        __atomic_store(cell + target, &c, __ATOMIC_RELAXED);
        return true;
    }
    if (sync == ORDO_SYNC_LOCK) {
        ordo_lock(&job->locks, target & job->locks.mask);
        old = OP(load)(cell + target);
        bool improved = OP(better)(c, old);
        if (improved)
            __atomic_store(cell + target, &c, __ATOMIC_RELAXED);
        ordo_unlock(&job->locks, target & job->locks.mask);
        return improved;
    }
    do {
        if (__atomic_compare_exchange(cell + target, &old, &c, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return true;
    } while (OP(better)(c, old));
    return false;
}
#endif

/* Whether an entry need not be processed: what its item had to do has been done, or a fresh entry is there for it. */
ORDO_INLINE bool OP(stale)(const ordo_job *job, OP(entry) entry)
{
    const OP(cell) *cell = (const OP(cell) *)job->cells;
#if ORDO_OP_ORDER == ORDO_SUM
    const OP(state) *state = (const OP(state) *)job->state;
    ordo_u32 level = OP(level)(state, OP(load)(&cell[entry.item]));
    return level == 0 || level != OP(level)(state, entry.value);
#else
    return OP(activates) && OP(better)(OP(load)(&cell[entry.item]), entry.value);
#endif
}

/* Whether an item with that entry has nothing to propose yet. */
ORDO_INLINE bool OP(idle)(const ordo_job *job, OP(entry) entry)
{
#if ORDO_OP_ORDER == ORDO_SUM
    return OP(level)((const OP(state) *)job->state, entry.value) == 0;
#else
    (void)job;
    return OP(activates) && !OP(better)(entry.value, OP(worst)());
#endif
}

/* Begins processing an entry: makes entry->value what its candidates are proposed from. False where a sum has been
 * taken by somebody else meanwhile. */
ORDO_INLINE bool OP(begin)(const ordo_job *job, OP(entry) * entry, const ordo_sync sync)
{
#if ORDO_OP_ORDER == ORDO_SUM
    const OP(state) *state = (const OP(state) *)job->state;
    OP(cell) *cell = (OP(cell) *)job->cells + entry->item, spent = OP(spent)(), taken;
    bool has;
    if (sync == ORDO_SYNC_LOCK) {
        ordo_lock(&job->locks, entry->item & job->locks.mask);
        taken = OP(load)(cell);
        if ((has = OP(level)(state, taken) > 0))
            __atomic_store(cell, &spent, __ATOMIC_RELAXED);
        ordo_unlock(&job->locks, entry->item & job->locks.mask);
    } else {
        taken = OP(load)(cell);
        while ((has = OP(level)(state, taken) > 0) &&
               !__atomic_compare_exchange(cell, &taken, &spent, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
    }
    if (has)
        entry->value = OP(take)(state, entry->item, taken);
    return has;
#else
    (void)job;
    (void)entry;
    (void)sync;
    return true;
#endif
}

/* Takes an activation. An engine's compile-time argument. */
typedef void OP(sink)(void *arg, OP(entry) activated);

/* Walks one row; returns how many offers activate, or would. Cells ahead are fetched while earlier ones are offered:
 * they are what misses the cache. */
ORDO_INLINE ordo_u64 OP(expand_row)(const ordo_job *job, const ordo_rows *r, OP(cell) * cell, OP(entry) entry,
                                    ordo_eid e, ordo_eid end, const ordo_sync sync, OP(sink) push, void *arg)
{
    const OP(state) *state = (const OP(state) *)job->state;
    const ordo_vid *head = r->head + e * r->head_stride;
    const ordo_u32 *weight = r->weight + e * r->weight_stride;
    ordo_u64 improved = 0;
    for (; e < end; e++, head += r->head_stride, weight += r->weight_stride) {
        if (e + ORDO_AHEAD_HEAD < end && OP(activates))
            __builtin_prefetch(&cell[head[ORDO_AHEAD_HEAD * r->head_stride]], 1);
        OP(edge) edge = OP(make_edge)(e, entry.item, *head, weight);
        OP(cell) c = OP(candidate)(state, entry.value, edge);
        ordo_u32 target = OP(target)(state, edge);
        if (OP(offer)(job, cell, target, &c, sync)) {
            improved++;
            if (OP(activates) || sync == ORDO_SYNC_SERVER) {
                OP(entry) activated = {c, target};
                push(arg, activated);
            }
        }
    }
    return improved;
}

/* Processes `size` entries in order. Three things are fetched ahead, each when the one before it has arrived: cell and
 * row bounds of an entry, its edges, the cells of its first edges. Entries whose cell has become better meanwhile are
 * stale: whoever improved it put a fresh entry on the worklist (sums: OP(stale)). Counts in registers until the batch
 * ends. Improvements that activate are not counted: each becomes an entry that is processed or found stale, so the end
 * of the run knows their number (a counter in the innermost loop was worth 1 to 2 % on road networks). */
ORDO_INLINE void OP(expand)(const ordo_job *job, const ordo_rows *r, const OP(entry) * entries, ordo_u64 size,
                            ordo_counters *count, const ordo_sync sync, OP(sink) push, void *arg)
{
    const OP(state) *state = (const OP(state) *)job->state;
    OP(cell) *cell = (OP(cell) *)job->cells;
    ordo_u64 stale = 0, edges = 0, improved = 0;
    for (ordo_u64 i = 0; i < size; i++) {
        if (i + ORDO_AHEAD_ROW < size) {
            ordo_item ahead = entries[i + ORDO_AHEAD_ROW].item;
            __builtin_prefetch(&r->row[ahead]);
            if (OP(activates))
                __builtin_prefetch(&cell[ahead]);
        }
        if (i + ORDO_AHEAD_EDGES < size)
            __builtin_prefetch(&r->head[r->row[entries[i + ORDO_AHEAD_EDGES].item] * r->head_stride]);
        if (OP(activates) && i + ORDO_AHEAD_CELLS < size) {
            ordo_item ahead = entries[i + ORDO_AHEAD_CELLS].item;
            ordo_eid first = r->row[ahead], last = r->row[ahead + 1];
            if (last > first + ORDO_AHEAD_MOST)
                last = first + ORDO_AHEAD_MOST;
            for (ordo_eid e = first; e < last; e++)
                __builtin_prefetch(&cell[r->head[e * r->head_stride]], 1);
        }
        OP(entry) entry = entries[i];
        if (OP(stale)(job, entry)) {
            stale++;
            continue;
        }
        if (!OP(filter)(state, entry.item))
            continue;
        if (!OP(begin)(job, &entry, sync)) {
            stale++;
            continue;
        }
        ordo_eid begin = r->row[entry.item], end = r->row[entry.item + 1];
        edges += end - begin;
        ordo_u64 won = OP(expand_row)(job, r, cell, entry, begin, end, sync, push, arg);
        if (!OP(activates) && sync != ORDO_SYNC_SERVER)
            improved += won;
    }
    ORDO_COUNT(count->stale += stale);
    ORDO_COUNT(count->items += size - stale);
    ORDO_COUNT(count->edges += edges);
    ORDO_COUNT(count->useful += improved);
}

/* An entry for an item as it stands now. */
ORDO_INLINE OP(entry) OP(entry_now)(const ordo_job *job, ordo_item item)
{
    OP(entry) entry;
    entry.item = item;
#if ORDO_OP_ORDER != ORDO_SUM
    entry.value = OP(worst)();
#endif
    if (OP(activates))
        entry.value = OP(load)((const OP(cell) *)job->cells + item);
    return entry;
}

#if ORDO_OP_ORDER != ORDO_SUM
/* Whether an improvement, at a vertex, may be proposed by in-edge (u, v); and what it proposes. Only for operators that
 * activate: cells and items are then the same thing. Returns the better of `best` and that. */
ORDO_INLINE OP(cell)
    OP(gather_edge)(const ordo_job *job, ordo_eid e, ordo_vid u, ordo_vid v, const ordo_u32 *weight, OP(cell) best)
{
    const OP(state) *state = (const OP(state) *)job->state;
    if (!OP(filter)(state, u))
        return best;
    OP(cell) c = OP(candidate)(state, OP(load)((const OP(cell) *)job->cells + u), OP(make_edge)(e, u, v, weight));
    return OP(better)(c, best) ? c : best;
}

/* Pulls over all in-edges of v. Edge ids are those of the in-rows. */
ORDO_INLINE OP(cell)
    OP(gather)(const ordo_job *job, const ordo_rows *in, ordo_vid v, OP(cell) best, ordo_counters *count)
{
    ordo_eid e = in->row[v], end = in->row[v + 1];
    const ordo_vid *tail = in->head + e * in->head_stride;
    const ordo_u32 *weight = in->weight + e * in->weight_stride;
    ORDO_COUNT(count->edges += end - e);
    for (; e < end; e++, tail += in->head_stride, weight += in->weight_stride) {
        if (e + ORDO_AHEAD_HEAD < end)
            __builtin_prefetch((const OP(cell) *)job->cells + tail[ORDO_AHEAD_HEAD * in->head_stride]);
        best = OP(gather_edge)(job, e, *tail, v, weight, best);
    }
    return best;
}
#endif

ORDO_INLINE double OP(entry_priority)(const ordo_job *job, OP(entry) entry)
{
    return OP(priority)((const OP(state) *)job->state, entry.item, entry.value);
}

#else /* ORDO_KIND_CRITICAL */

typedef struct OP(entry) {
    ordo_u32 value; /* the priority that it was activated with */
    ordo_item item;
} OP(entry);
typedef void OP(sink)(void *arg, OP(entry) activated);

ORDO_INLINE bool OP(stale)(const ordo_job *job, OP(entry) entry)
{
    (void)job;
    (void)entry;
    return false; /* its visit looks */
}
ORDO_INLINE OP(entry) OP(entry_now)(const ordo_job *job, ordo_item item)
{
    OP(entry) entry = {OP(first_priority)((const OP(state) *)job->state, item), item};
    return entry;
}
ORDO_INLINE double OP(entry_priority)(const ordo_job *job, OP(entry) entry)
{
    (void)job;
    return entry.value;
}

/* Runs a section, whose targets the caller owns; returns how many items it activated. */
ORDO_INLINE ordo_u32 OP(run_section)(const ordo_job *job, const ordo_request *request, ordo_activation *activated,
                                     ordo_counters *count)
{
    ORDO_COUNT(count->useful++);
    return OP(section)((const OP(state) *)job->state, request, activated);
}
ORDO_INLINE void OP(push_activated)(const ordo_activation *activated, ordo_u32 size, OP(sink) push, void *arg)
{
    for (ordo_u32 i = 0; i < size; i++) {
        OP(entry) entry = {activated[i].priority, activated[i].item};
        push(arg, entry);
    }
}

/* Runs one request's section with its targets locked, the smaller lock first, so that no two wait for each other.
 * Returns how many items it activated. */
ORDO_INLINE ordo_u32 OP(serve)(const ordo_job *job, const ordo_request *request, ordo_counters *count, OP(sink) push,
                               void *arg)
{
    ordo_activation activated[OP(activations) + 1];
    ordo_u32 a = request->target[0] & job->locks.mask, b = request->target[request->targets - 1] & job->locks.mask;
    if (a > b) {
        ordo_u32 swap = a;
        a = b;
        b = swap;
    }
    ordo_lock(&job->locks, a);
    if (a != b)
        ordo_lock(&job->locks, b);
    ordo_u32 activations = OP(run_section)(job, request, activated, count);
    if (a != b)
        ordo_unlock(&job->locks, b);
    ordo_unlock(&job->locks, a);
    OP(push_activated)(activated, activations, push, arg);
    return activations;
}

/* Visits `size` items in order and serves what they ask for, under locks: `sync` can be nothing else here, and there
 * are no rows. */
ORDO_INLINE void OP(expand)(const ordo_job *job, const ordo_rows *r, const OP(entry) * entries, ordo_u64 size,
                            ordo_counters *count, const ordo_sync sync, OP(sink) push, void *arg)
{
    ordo_u64 requests = 0, activations = 0;
    (void)r;
    (void)sync;
    for (ordo_u64 i = 0; i < size; i++) {
        ordo_request request[OP(requests)];
        ordo_u32 asked = OP(visit)((const OP(state) *)job->state, entries[i].item, request);
        for (ordo_u32 k = 0; k < asked; k++)
            activations += OP(serve)(job, &request[k], count, push, arg);
        requests += asked;
    }
    ORDO_COUNT(count->items += size);
    ORDO_COUNT(count->edges += requests);
    ORDO_COUNT(count->activations += activations);
}

#include <ordo/owner.h>

#endif

/* A member's work in a superstep: its own share first, then what others have left of theirs. */
ORDO_INLINE void OP(drain)(const ordo_job *job, ordo_share *shares, int member, ordo_u64 superstep, ordo_u64 chunk,
                           const ordo_rows *r, ordo_counters *count, const ordo_sync sync, OP(sink) push, void *arg)
{
    for (int k = 0; k < job->threads; k++) {
        ordo_share *share = &shares[(member + k) % job->threads];
        if (!ordo_share_wait(job, share, superstep))
            return;
        ordo_u64 begin, end;
        while (ordo_share_take(share, chunk, &begin, &end))
            OP(expand)(job, r, (const OP(entry) *)share->data + begin, end - begin, count, sync, push, arg);
    }
}

ORDO_INLINE ordo_u64 OP(bucket)(const ordo_job *job, OP(entry) entry, double per_delta)
{
    return ordo_bucket(OP(entry_priority)(job, entry), per_delta);
}

/* Appends to a member's bin. */
ORDO_INLINE void OP(append)(ordo_job *job, ordo_bin *bin, OP(entry) entry)
{
    if (__builtin_expect(bin->count == bin->room, 0) && !ordo_bin_grow(job, bin, sizeof(OP(entry))))
        return; /* the run has failed and will say so */
    ((OP(entry) *)bin->data)[bin->count++] = entry;
}

/* The i-th initial item. */
ORDO_INLINE ordo_item OP(initial)(const ordo_job *job, ordo_u64 i)
{
    return job->initial ? job->initial[i] : (ordo_item)i;
}
