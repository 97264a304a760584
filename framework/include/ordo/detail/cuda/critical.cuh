/* critical.cuh -- critical operators on the device: exclusive ownership of targets by locks.
 *
 * Included by <ordo/scheduler/cuda.cuh>, once per operator. Expects ORDO_OP, the name of a critical operator that lists
 * its arrays.
 *
 *   op_dev_try        tries once to run a request's critical section under its locks: gets all of them or none, and
 *                     never waits
 *   op_dev_try_shared   the same for a target whose word is in shared memory, and is used by that block only
 *   op_dev_prepares     a block's part of a superstep: prepares items and runs their requests by op_dev_try
 *   op_dev_owned, op_dev_raced   without locks, see owner.cuh, race.cuh
 *   op_dev_push       puts an activated item on the frontier of a step
 *
 * Three kinds of locks. A lock in a *table* is a word for each target (ordo_dev_swap from 0 to 1, release store of 0).
 * A lock *in the word* is the top bit of a target's only OWNED word, for operators that leave this bit unused
 * (ORDO_CRITICAL_LOCK). It is acquired by an atomic OR that returns the word: the critical section works on that copy,
 * in registers, and one store writes the word and releases the lock. That costs one round trip to the second-level
 * cache instead of three, and half the memory.
 *   A *ticket* lock (ordo_dev_ticket) passes in the order of asking, where others pass to any thread that tries.
 *
 * Exclusion: between a try that got all its locks and the store that releases one of them, no other try gets that lock.
 *   No deadlock: a thread that holds the lower lock and fails to get the higher one releases the lower lock at once; no
 *   thread waits while it holds a lock. Within a warp, the holder of a lock must not wait for lanes that try to get it.
 *   So threads retry in a loop of the whole warp (with a vote at its head, or other work after a success): the critical
 *   section is then inside the loop, and runs and ends in the iteration in which its lock was acquired. If a lane left
 *   the loop at its success, the compiler could move the critical section behind the loop, where lanes wait for each
 *   other.
 *   No livelock: a try fails because of a thread in its critical section, or because of a thread that holds the wanted
 * higher lock as its own lower one and tries for a still higher one. Of the threads of the second kind, the one with
 * the highest lock can fail only because of a thread in its critical section.
 *
 * Memory order. What a critical section writes to a target's words is visible to the target's next critical section, by
 * the fence after locking (acquire) and the fence before unlocking (release). With locks in words, and requests that
 * are made at most once (`may_repeat` false), neither is needed: a target's only word is the locked word itself, on
 * which atomics are ordered, and the item's words are read by this thread only.
 */
#ifndef ORDO_CUDA_CRITICAL_ONCE
#define ORDO_CUDA_CRITICAL_ONCE

/* How many threads of a multiprocessor should run critical sections under locks, for a number of targets: the best of
 * 32, 48 (for pairs), 128, 512 and 1024. Critical sections of two targets contend as if there were a quarter of the
 * targets. */
static inline ordo_u64 ordo_default_max_contenders(double targets, bool pairs)
{
    if (targets <= 0)
        return 512;
    targets /= pairs ? 4 : 1;
    if (targets < 256)
        return pairs && targets > 100 ? 48 : 32;
    return targets < 4096 ? 128 : targets < 1 << 19 ? 512 : 1024;
}

#endif

/* Parameters of running critical sections under locks. */
typedef struct op_cuda_sections {
    op_state state;
    ordo_cuda_locks locks;
    ordo_u32 width; /* threads of a block that run critical sections */
    ordo_u32 sleep; /* longest sleep, in ns, of a thread that finds a lock held; 0: it does not sleep */
    ordo_cuda_halt halt;
} op_cuda_sections;

/* By one thread: the request's second target, or its only one. Written without a variable index, which would keep the
 * request in memory. */
ORDO_DEV ordo_u32 op_dev_other(const op_request *r)
{
    return (int)op_targets == 2 && r->targets == 2 ? r->target[1] : r->target[0];
}

/* By one thread: runs a critical section whose targets the caller owns; returns the number of activations that it wrote
 * to out[]. may_repeat: the same request may have been made before. */
ORDO_DEV ordo_u32 op_dev_commit(const op_state *s, bool may_repeat, const op_request *r, ordo_activation *out)
{
    return may_repeat ? op_commit(s, r, out) : op_commit_valid(s, r, out);
}

/* By one thread: tries once for locks in words, and then calls `run(state, request)`; false if another thread holds a
 * lock. */
template <typename Run>
ORDO_DEV bool op_dev_try_word(const op_state *s, bool may_repeat, const op_request *request, Run run)
{
    using word = ordo_dev_either<(int)op_lock_bits == 64, ordo_u64, ordo_u32>::type;
    const word bit = (word)1 << (8 * sizeof(word) - 1);
    word *const words = (word *)op_lock_words(s);
    const ordo_u32 a = request->target[0], b = request->targets == 2 ? request->target[1] : a;
    const bool two = (int)op_targets == 2 && a != b, turned = two && a > b;
    const ordo_u32 low = turned ? b : a, high = turned ? a : b;
    word first = ordo_dev_or(&words[low], bit), second = 0;
    if (first & bit)
        return false;
    if (two) {
        second = ordo_dev_or(&words[high], bit);
        if (second & bit) {
            ordo_dev_store(&words[low], first);
            return false;
        }
    }
    if (may_repeat)
        ordo_dev_fence();
    word cell[2] = {turned ? second : first, turned ? first : second};
    op_state mine = *s;
    op_request here = *request;
    op_lock_use(&mine, cell);
    here.target[0] = 0;
    if (two) { /* constants, so that the two words stay in registers */
        here.target[1] = 1;
        run(&mine, &here);
    } else {
        here.target[1] = 0;
        run(&mine, &here);
    }
    if (may_repeat)
        ordo_dev_fence();
    if (two)
        ordo_dev_store(&words[high], turned ? cell[0] : cell[1]);
    ordo_dev_store(&words[low], turned ? cell[1] : cell[0]);
    return true;
}

/* By one thread: the same for one target, `i`, whose word is in shared memory. In the request that is passed to `run`,
 * both targets are 0, the index of the word's copy. Shared memory has no 64-bit operation that sets a bit, only
 * compare-and-swap.
 *
 * Critical sections are ordered by the operations on the word. Only a holder's store clears the bit, so the atomic that
 * acquires the lock has read such a store, and the thread's own store comes after its atomic. Hence the stores to a
 * word are totally ordered, and none falls between the read and the write of an atomic (from compute capability 7.0
 * on). An outdated load makes the compare-and-swap fail; its value is used only to test the bit.
 *   The racecheck tool of compute-sanitizer knows no order but that of barriers, and ignores atomics. It falsely
 * reports these stores as hazards with each other (WAW) and with the load (RAW, WAR). An exchange instead of the store
 * is not reported, but costs servers a tenth where few targets are hot. */
template <typename Run>
ORDO_DEV bool op_dev_try_shared(const op_state *s, bool may_repeat, ordo_u32 i, const op_request *request, Run run)
{
    using word = ordo_dev_either<(int)op_lock_bits == 64, ordo_u64, ordo_u32>::type;
    const word bit = (word)1 << (8 * sizeof(word) - 1);
    word *const at = (word *)op_lock_words(s) + i;
    word cell[1];
    if constexpr (sizeof(word) == 8) {
        cell[0] = ordo_dev_load_shared(at);
        if ((cell[0] & bit) || !ordo_dev_swap_block(at, &cell[0], (word)(cell[0] | bit)))
            return false;
    } else {
        cell[0] = ordo_dev_or_block(at, bit);
        if (cell[0] & bit)
            return false;
    }
    if (may_repeat)
        ordo_dev_fence_block();
    op_state mine = *s;
    op_request here = *request;
    op_lock_use(&mine, cell);
    here.target[0] = here.target[1] = 0;
    run(&mine, &here);
    if (may_repeat)
        ordo_dev_fence_block();
    ordo_dev_store_shared(at, cell[0]);
    return true;
}

/* By one thread: the locks of a request in ascending order, each once; returns their number. */
ORDO_DEV ordo_u32 op_dev_locks_of(const ordo_cuda_locks *locks, const op_request *request,
                                  ordo_u32 (&index)[ORDO_MOST_TARGETS])
{
    ordo_u32 size = 0;
    for (ordo_u32 k = 0; k < request->targets; k++) {
        const ordo_u32 lock = request->target[k] & locks->mask;
        ordo_u32 at = size;
        while (at > 0 && index[at - 1] > lock)
            at--;
        if (at > 0 && index[at - 1] == lock)
            continue;
        for (ordo_u32 i = size++; i > at; i--)
            index[i] = index[i - 1];
        index[at] = lock;
    }
    return size;
}

/* By one thread: the same for requests of many targets. */
template <typename Run>
ORDO_DEV bool op_dev_try_many(const op_state *s, const ordo_cuda_locks *locks, const op_request *request, Run run)
{
    ordo_u32 index[ORDO_MOST_TARGETS], got = 0;
    const ordo_u32 size = op_dev_locks_of(locks, request, index);
    op_request here = *request;
    while (got < size && ordo_dev_lock<false>(&locks->lock[index[got]]))
        got++;
    const bool all = got == size;
    if (all) {
        ordo_dev_order<false>();
        run(s, &here);
        ordo_dev_order<false>();
    }
    while (got > 0)
        ordo_dev_unlock<false>(&locks->lock[index[--got]]);
    return all;
}

/* By one thread: the same at locks a and b of a table. */
template <bool Near, typename Run>
ORDO_DEV bool op_dev_try_table(const op_state *s, ordo_u32 *lock, ordo_u32 a, ordo_u32 b, const op_request *request,
                               Run run)
{
    const bool two = a != b;
    const ordo_u32 low = a < b ? a : b, high = a < b ? b : a;
    op_request here = *request;
    if (!ordo_dev_lock<Near>(&lock[low]))
        return false;
    if (two && !ordo_dev_lock<Near>(&lock[high])) {
        ordo_dev_unlock<Near>(&lock[low]);
        return false;
    }
    ordo_dev_order<Near>();
    run(s, &here);
    ordo_dev_order<Near>();
    if (two)
        ordo_dev_unlock<Near>(&lock[high]);
    ordo_dev_unlock<Near>(&lock[low]);
    return true;
}

/* By one thread: looks once whether it is the thread's turn at the next lock of a request, and calls `run(state,
 * request)` when it holds all; false before. `ticket` is kept from look to look. */
template <typename Run>
ORDO_DEV bool op_dev_try_tickets(const op_state *s, const ordo_cuda_locks *locks, const op_request *request,
                                 ordo_dev_ticket *ticket, Run run)
{
    ordo_u32 index[ORDO_MOST_TARGETS];
    const ordo_u32 size = op_dev_locks_of(locks, request, index);
    op_request here = *request;
    while (ticket->held < size)
        if (!ordo_dev_look_ticket(&locks->lock[2 * (ordo_u64)index[ticket->held]], ticket))
            return false;
    ordo_dev_order<false>();
    run(s, &here);
    ordo_dev_order<false>();
    while (ticket->held > 0)
        ordo_dev_pass_ticket(&locks->lock[2 * (ordo_u64)index[--ticket->held]]);
    return true;
}

/* By one thread: tries once to run a request's critical section, and sets *activated to the number of activations that
 * it wrote to out[]. False if another thread holds a lock, or it is another's turn (`ticket`, with ORDO_LOCK_TICKETS).
 */
template <int How>
ORDO_DEV bool op_dev_try(const op_state *s, const ordo_cuda_locks *locks, const op_request *request,
                         ordo_activation *out, ordo_u32 *activated, ordo_dev_ticket *ticket = NULL)
{
    const bool may_repeat = locks->may_repeat;
    auto run = [&](const op_state *state, op_request *r) { *activated = op_dev_commit(state, may_repeat, r, out); };
    if constexpr ((int)op_hands_edges != 0)
        if (request->targets == 0) { /* an activation: nothing is owned */
            *activated = op_dev_commit(s, may_repeat, request, out);
            return true;
        }
    if constexpr (How == ORDO_LOCK_WORD)
        return op_dev_try_word(s, may_repeat, request, run);
    if constexpr (How == ORDO_LOCK_TICKETS)
        return op_dev_try_tickets(s, locks, request, ticket, run);
    if constexpr ((int)op_many != 0)
        return op_dev_try_many(s, locks, request, run);
    return op_dev_try_table<false>(s, locks->lock, request->target[0] & locks->mask,
                                   op_dev_other(request) & locks->mask, request, run);
}

/* By a whole warp: edges of the rows of its lanes' items, concatenated, so that lanes take edges and not rows: of
 * operators whose items have rows (op_expands). */
typedef struct op_dev_rows {
    ordo_item item;         /* the lane's */
    ordo_u64 begin, offset; /* edge i of all is edge begin + i, by the begin of its item's lane; the lane's first i */
    ordo_u64 total, first;  /* number of edges of all lanes, and of those that were taken; the same in all lanes */
} op_dev_rows;

/* Begins with the items of the lanes with `there`. */
ORDO_DEV void op_dev_rows_begin(const op_state *s, op_dev_rows *r, bool there, ordo_item item)
{
    ordo_u64 begin = 0, degree = 0;
    if (there)
        degree = op_units(s, item, &begin) - begin;
    ordo_u64 offset = degree;
    for (int step = 1; step < 32; step *= 2) {
        const ordo_u64 other = __shfl_up_sync(~0u, offset, step);
        offset += threadIdx.x % 32 >= (ordo_u32)step ? other : 0;
    }
    r->item = item;
    r->total = __shfl_sync(~0u, offset, 31);
    r->offset = offset - degree;
    r->begin = begin - r->offset;
    r->first = 0;
}

/* Takes the next edges, one for each lane, and prepares their requests; returns their number. */
ORDO_DEV ordo_u32 op_dev_rows_next(const op_state *s, op_dev_rows *r, op_request *request)
{
    const ordo_u64 i = r->first + threadIdx.x % 32;
    ordo_u32 owner = 0; /* the last lane whose offset is at most i */
#pragma unroll
    for (ordo_u32 step = 16; step; step /= 2) {
        const ordo_u64 other = __shfl_sync(~0u, r->offset, owner + step);
        owner += other <= i ? step : 0;
    }
    const ordo_eid e = __shfl_sync(~0u, r->begin, owner) + i;
    const ordo_item item = __shfl_sync(~0u, r->item, owner);
    r->first += 32;
    return i < r->total ? op_prepare_unit(s, item, e, request) : 0;
}

/* By a whole warp: op_dev_prepare of items that have rows; the arguments are those of its first lane. A row of any
 * length is the warp's, 32 edges at a time; lanes retry together until all 32 are done. */
template <int How, typename Sink>
ORDO_DEV bool op_dev_expand(const op_cuda_sections *s, const ordo_cuda_traced &traced, const ordo_item *list,
                            ordo_u32 step, ordo_u64 first, ordo_u64 end, ordo_u64 stride, ordo_cuda_counters *mine,
                            ordo_u32 *rounds, Sink sink)
{
    op_request request[op_requests];
    ordo_activation out[op_activations + 1];
    op_dev_rows rows;
    ordo_dev_ticket ticket = {};
    for (; first < end; first += stride) {
        const ordo_u64 at = first + threadIdx.x % 32;
        op_dev_rows_begin(&s->state, &rows, at < end, at < end ? (list ? list[at] : (ordo_item)at) : 0);
        mine->items += at < end;
        while (rows.first < rows.total) {
            const ordo_u32 asked = op_dev_rows_next(&s->state, &rows, request);
            mine->edges += asked;
            for (ordo_u32 next = 0; __any_sync(~0u, next < asked);) {
                if (__any_sync(~0u, ordo_dev_told(&s->halt, step, rounds)))
                    return false;
                ordo_dev_told_show(traced, *rounds, *mine);
                ordo_u32 activated = 0;
                const op_request *now = (int)op_requests == 1 ? &request[0] : &request[next];
                if (next < asked && op_dev_try<How>(&s->state, &s->locks, now, out, &activated, &ticket)) {
                    next++;
                    mine->useful++;
                    if (op_activates)
                        for (ordo_u32 i = 0; i < activated; i++)
                            mine->activations += sink(out[i]);
                }
            }
        }
    }
    return true;
}

/* By any lanes of a warp, each with its own first item: handles items first, first + stride, ... below end, of `list`
 * or, without one, of these numbers. A lane has one request at a time. In an iteration it takes an item if it has no
 * request, and tries its request once. So a lane that finds a lock held delays no other lane, and lanes that got their
 * locks go on with other items. Where targets have several words and critical sections are long, both steps are done in
 * one iteration: a third faster for gradient descent, while short critical sections on one word gain nothing
 * (measured). False if the run ends early. */
template <int How, typename Sink>
ORDO_DEV bool op_dev_prepare(const op_cuda_sections *s, const ordo_cuda_traced &traced, const ordo_item *list,
                             ordo_u32 step, ordo_u64 first, ordo_u64 end, ordo_u64 stride, ordo_cuda_counters *mine,
                             ordo_u32 *rounds, Sink sink)
{
    if constexpr ((int)op_expands != 0)
        return op_dev_expand<How>(s, traced, list, step, first - threadIdx.x % 32, end, stride, mine, rounds, sink);
    op_request request[op_requests];
    ordo_activation out[op_activations + 1];
    ordo_u32 asked = 0, next = 0, nap = 32;
    ordo_dev_ticket ticket = {};
    while (first < end || next < asked) {
        if (ordo_dev_told(&s->halt, step, rounds))
            return false;
        ordo_dev_told_show(traced, *rounds, *mine);
        if (next == asked) {
            next = 0;
            asked = op_prepare(&s->state, list ? list[first] : (ordo_item)first, request);
            first += stride;
            mine->items++;
            mine->edges += asked;
            if (asked == 0 || (int)op_lock_bits != 0)
                continue;
        }
        ordo_u32 activated = 0;
        /* for an item with one request the index is a constant, so the array stays in registers */
        const op_request *now = (int)op_requests == 1 ? &request[0] : &request[next];
        if (op_dev_try<How>(&s->state, &s->locks, now, out, &activated, &ticket)) {
            next++;
            nap = 32;
            mine->useful++;
            if (op_activates)
                for (ordo_u32 i = 0; i < activated; i++)
                    mine->activations += sink(out[i]);
        } else if (s->sleep) {
            __nanosleep(nap);
            nap = 2 * nap < s->sleep ? 2 * nap : s->sleep;
        }
    }
    return true;
}

/* By a whole block: its part of a superstep over `count` items of `list`, or 0 .. count - 1. For each activation one
 * thread calls `sink(activation)`, which returns whether the item is new on a worklist. The whole block calls `done()`
 * between tiles, to flush; never if the operator activates nothing. `mine` and `rounds` differ between threads.
 * `traced`: that of the run, or empty. */
template <int How, typename Sink, typename Done>
ORDO_DEV void op_dev_prepares(const op_cuda_sections *s, const ordo_cuda_traced &traced, const ordo_item *list,
                              ordo_u64 count, ordo_u32 step, ordo_cuda_counters *mine, ordo_u32 *rounds, Sink sink,
                              Done done)
{
    enum { SHARE = 4 }; /* items that a thread processes between two flushes */
    const ordo_u64 width = s->width;
    if (!op_activates) {
        if (threadIdx.x < width)
            op_dev_prepare<How>(s, traced, list, step, blockIdx.x * width + threadIdx.x, count, gridDim.x * width, mine,
                                rounds, sink);
        return;
    }
    bool going = true;
    for (ordo_u64 first = blockIdx.x * width * SHARE; first < count; first += gridDim.x * width * SHARE) {
        const ordo_u64 end = first + width * SHARE < count ? first + width * SHARE : count;
        if (threadIdx.x < width && going)
            going = op_dev_prepare<How>(s, traced, list, step, first + threadIdx.x, end, width, mine, rounds, sink);
        if (!__syncthreads_and(going))
            break;
        done();
    }
}

/* By one thread: puts an item on the frontier of step `step`, unless it is there; returns whether it was added. */
ORDO_DEV bool op_dev_push(const ordo_cuda_frontier *f, ordo_dev_queue *q, ordo_item item, ordo_u32 step)
{
    if (ordo_dev_exchange(&f->stamp[item], step) == step)
        return false;
    ordo_dev_append(q, item, f->list[step & 1], &f->counters[step % 3].count);
    return true;
}

/* ---- the host's part ---- */

/* The operator's state, with pointers to copies of its arrays on the device. */
static ordo_status op_cuda_state(ordo_cuda *c, op_state *state, ordo_cuda_arrays *arrays)
{
    *state = *(const op_state *)c->job->state;
    arrays->count = op_arrays(state, c->job->num_items, c->job->targets, arrays->array);
    return ordo_cuda_arrays_in(c, arrays);
}

/* Allocates the frontier of supersteps: lists of items and counters, or counters only. */
static ordo_status op_cuda_frontier(ordo_cuda *c, bool lists, ordo_cuda_frontier *f, ordo_cuda_halt *halt)
{
    ordo_status status = ORDO_OK;
    if (lists)
        status = ordo_cuda_frontier_make(c, c->job->num_items, 0, f);
    else if (!(f->counters =
                   (ordo_cuda_superstep_counters *)ordo_cuda_alloc(c, 3, sizeof(ordo_cuda_superstep_counters), true)))
        status = ORDO_ERR_MEMORY;
    return status ? status : ordo_cuda_halt_make(c, halt);
}

/* Whether an item may be processed more than once in a run. */
static bool op_cuda_may_repeat(const ordo_job *job)
{
    return op_activates || job->initial;
}

/* Begins a run, which has neither cells nor rows. */
static inline ordo_status op_cuda_begin(ordo_job *job, ordo_cuda *c)
{
    return ordo_cuda_begin(job, 0, false, c);
}

/* A run: copies the data to the device, calls `launch`, which allocates memory and starts the kernel, and copies
 * results back. */
static ordo_status op_cuda_run(ordo_job *job, ordo_status (*launch)(ordo_cuda *c, ordo_cuda_arrays *arrays))
{
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    ordo_status status = op_cuda_begin(job, &c);
    if (!status)
        status = launch(&c, &arrays);
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

/* Samples the run's requests. The sample is empty in a session, whose arrays the host cannot read. */
static ordo_status op_cuda_sample(const ordo_job *job, ordo_contention_sample *out)
{
    void *own;
    *out = ordo_contention_sample{};
    if (ordo_job_session(job, &own))
        return ORDO_OK;
    return ordo_contention_sample_make(job->op, job->state, job->initial, job->initial_count, out);
}

/* Prepares running critical sections under locks (`how`: ORDO_LOCK_*): sets all members of *s but `halt`.
 * max_contenders threads of a multiprocessor run critical sections; 0: as many as a sample of the requests suggests,
 * 512 without a sample.
 * *blocks is the most blocks of a multiprocessor (0: any number), and is reduced to the fewest that have this many
 * threads; s->width becomes the number of a block's threads that run critical sections. */
static ordo_status op_cuda_sections_make(ordo_cuda *c, int how, ordo_u64 max_contenders, int *blocks,
                                         ordo_cuda_arrays *arrays, op_cuda_sections *s)
{
    const ordo_job *job = c->job;
    ordo_contention_sample sample = {};
    ordo_status status = ORDO_OK;
    if (!max_contenders)
        status = op_cuda_sample(job, &sample);
    max_contenders = max_contenders ? max_contenders : ordo_default_max_contenders(sample.targets, op_targets == 2);
    ordo_contention_sample_free(&sample);
    if (!status)
        status = op_cuda_state(c, &s->state, arrays);
    if (!status)
        status = ordo_cuda_locks_make(c, how, &s->locks);
    s->locks.may_repeat = op_cuda_may_repeat(job);
    const int needed = (int)((max_contenders + ORDO_CUDA_THREADS - 1) / ORDO_CUDA_THREADS);
    *blocks = *blocks && *blocks < needed ? *blocks : needed;
    s->width = (ordo_u32)((max_contenders + (ordo_u64)*blocks - 1) / (ordo_u64)*blocks);
    if (op_expands) /* whole warps */
        s->width = (s->width + 31) / 32 * 32;
    s->width = s->width < ORDO_CUDA_THREADS ? s->width : ORDO_CUDA_THREADS;
    return status;
}

#include <ordo/detail/cuda/owner.cuh>
#include <ordo/detail/cuda/race.cuh>
