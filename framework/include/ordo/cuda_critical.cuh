/* cuda_critical.cuh -- critical operators on the device: exclusive ownership of targets by locks.
 *
 * Included by cuda.cuh, once per operator. Expects ORDO_OP of a critical operator that lists its arrays.
 *
 *   OP(dev_try)        one try to run a request's section under its locks: all of them or none, and never a wait
 *   OP(dev_try_near)   the same for a block that alone has the target, in its shared memory
 *   OP(dev_visits)     a block's part of a superstep: visits items, runs what they ask for by such tries
 *   OP(dev_owned)      no locks: see cuda_owner.cuh
 *   OP(dev_push)       an activation to the frontier of a step
 *
 * Two kinds of locks. A *table* has one word a target (ordo_dev_swap from 0 to 1, release store of 0). A lock *in the
 * word*, where the operator spares the top bit of its only OWNED word (ORDO_CRITICAL_LOCK), is taken by an atomic or
 * that brings the word along: the section works on that copy, in registers, and one store writes and unlocks. It costs
 * one trip to the second-level cache instead of three, and half the memory.
 *
 * Exclusion: between a try that got all locks and the store that gives back one of them nobody else's try gets it.
 * No deadlock: a thread that has the lower lock and fails to get the higher gives the lower back at once; nothing waits
 * while it holds. Within a warp the holder must not wait for lanes that try for its lock. So whoever tries again does
 * it in a loop of the whole warp (a vote at its head, or other work after a success): the section is then inside the
 * loop, and is run and left in the pass in which the lock was got. With a loop that a lane leaves at its success the
 * compiler may put the section behind the loop, where lanes wait for each other. No livelock: a try fails because of a
 * thread in its section, or of one that holds the higher lock as its lower one and tries a higher one still; of those
 * the one with the highest fails only for a thread in its section.
 *
 * Memory order. What sections of a target write is seen by the next one: by the fence after locking (acquire) and the
 * one before unlocking (release). With locks in words and requests that cannot come twice (`twice` false) neither is
 * needed: the target's words are the locked word itself, which atomics on one word order, and words of the item are
 * looked at by this thread alone.
 */
#ifndef ORDO_CUDA_CRITICAL_ONCE
#define ORDO_CUDA_CRITICAL_ONCE

/* How many threads a multiprocessor best run sections under locks, for so many targets: of 32, 48 (for pairs), 128, 512
 * and 1024. Where sections need two, they get into each other's way as if there were a quarter. */
static inline ordo_u64 ordo_usual_rivals(double targets, bool pairs)
{
    if (targets <= 0)
        return 512;
    targets /= pairs ? 4 : 1;
    if (targets < 256)
        return pairs && targets > 100 ? 48 : 32;
    return targets < 4096 ? 128 : targets < 1 << 19 ? 512 : 1024;
}

#endif

/* What visits need whose sections run under locks. */
typedef struct OP(cuda_sections) {
    OP(state) state;
    ordo_cuda_locks locks;
    ordo_u32 width; /* threads of a block that run sections */
    ordo_u32 sleep; /* most, in ns, of a thread that finds a lock taken */
    ordo_cuda_halt halt;
} OP(cuda_sections);

/* The request's second target, or the one that it has. Not by an index, which would keep the request in memory. */
ORDO_DEV ordo_u32 OP(dev_other)(const ordo_request *r)
{
    return (int)OP(targets) == 2 && r->targets == 2 ? r->target[1] : r->target[0];
}

/* Runs a section whose targets the caller owns; how many items it put into out[]. `twice`: its item may have asked for
 * it twice. */
ORDO_DEV ordo_u32 OP(dev_section)(const OP(state) * s, bool twice, const ordo_request *r, ordo_activation *out)
{
    return twice ? OP(section)(s, r, out) : OP(section_open)(s, r, out);
}

/* One try at locks in words, for `run(state, request)`; false: a lock was taken. */
template <typename Run>
ORDO_DEV bool OP(dev_try_word)(const OP(state) * s, bool twice, const ordo_request *request, Run run)
{
    using word = cuda::std::conditional_t<(int)OP(lock_bits) == 64, ordo_u64, ordo_u32>;
    const word bit = (word)1 << (8 * sizeof(word) - 1);
    word *const words = (word *)OP(lock_words)(s);
    const ordo_u32 a = request->target[0], b = request->targets == 2 ? request->target[1] : a;
    const bool two = (int)OP(targets) == 2 && a != b, turned = two && a > b;
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
    if (twice)
        ordo_dev_fence();
    word cell[2] = {turned ? second : first, turned ? first : second};
    OP(state) mine = *s;
    ordo_request here = *request;
    OP(lock_use)(&mine, cell);
    here.target[0] = 0;
    if (two) { /* constants, so that the two words stay in registers */
        here.target[1] = 1;
        run(&mine, &here);
    } else {
        here.target[1] = 0;
        run(&mine, &here);
    }
    if (twice)
        ordo_dev_fence();
    if (two)
        ordo_dev_store(&words[high], turned ? cell[0] : cell[1]);
    ordo_dev_store(&words[low], turned ? cell[1] : cell[0]);
    return true;
}

/* The same for one target, `i`, whose word is in shared memory; both of the request's numbers become its number here.
 * Shared memory has no operation on 64 bits that sets a bit, only compare-and-swap.
 *
 * Who comes first is settled on the word alone. Only a holder's store clears the bit, so the atomic that takes the lock
 * has read such a store, and this thread's own store comes after its atomic. Hence all stores to a word come one after
 * the other, and none between the two halves of an atomic (from compute capability 7.0 on). A look that has become old
 * is refused by the compare-and-swap, and nothing else is done with it but a test of its bit.
 * The racecheck of compute-sanitizer knows no order but that of barriers, and leaves out atomics: it reports such
 * stores with each other (WAW), and with a look (RAW, WAR), falsely. An exchange in place of the store it does not
 * report, but where few targets are hot servers lose a tenth by that. */
template <typename Run>
ORDO_DEV bool OP(dev_try_near)(const OP(state) * s, bool twice, ordo_u32 i, const ordo_request *request, Run run)
{
    using word = cuda::std::conditional_t<(int)OP(lock_bits) == 64, ordo_u64, ordo_u32>;
    const word bit = (word)1 << (8 * sizeof(word) - 1);
    word *const at = (word *)OP(lock_words)(s) + i;
    word cell[1];
    if constexpr (sizeof(word) == 8) {
        cell[0] = ordo_dev_peek_near(at);
        if ((cell[0] & bit) || !ordo_dev_swap_near(at, &cell[0], (word)(cell[0] | bit)))
            return false;
    } else {
        cell[0] = ordo_dev_or_near(at, bit);
        if (cell[0] & bit)
            return false;
    }
    if (twice)
        ordo_dev_fence_near();
    OP(state) mine = *s;
    ordo_request here = *request;
    OP(lock_use)(&mine, cell);
    here.target[0] = here.target[1] = 0;
    run(&mine, &here);
    if (twice)
        ordo_dev_fence_near();
    ordo_dev_put_near(at, cell[0]);
    return true;
}

/* The same at locks a and b of a table. */
template <bool Near, typename Run>
ORDO_DEV bool OP(dev_try_table)(const OP(state) * s, ordo_u32 *lock, ordo_u32 a, ordo_u32 b,
                                const ordo_request *request, Run run)
{
    const bool two = a != b;
    const ordo_u32 low = a < b ? a : b, high = a < b ? b : a;
    ordo_request here = *request;
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

/* One try to run a request's section; *activated says how many items it put into out[]. */
template <bool Word>
ORDO_DEV bool OP(dev_try)(const OP(state) * s, const ordo_cuda_locks *locks, const ordo_request *request,
                          ordo_activation *out, ordo_u32 *activated)
{
    const bool twice = locks->twice;
    auto run = [&](const OP(state) * state, ordo_request * r) {
        *activated = OP(dev_section)(state, twice, r, out);
    };
    if constexpr (Word)
        return OP(dev_try_word)(s, twice, request, run);
    return OP(dev_try_table)<false>(s, locks->lock, request->target[0] & locks->mask,
                                    OP(dev_other)(request) & locks->mask, request, run);
}

/* A thread's visits: items first, first + stride, ... below end, of `list` or, without one, those numbers. It has one
 * request at a time and goes through one loop: take an item where it has none, try its request once. So a lane whose
 * lock is taken holds nobody up, and lanes that got theirs go on with other items. Where targets have several words and
 * sections are long, both are done in one pass: a third faster for gradient descent, while short sections on one word
 * gain nothing (measured). False where the run ends early. */
template <bool Word, typename Sink>
ORDO_DEV bool OP(dev_visit)(const OP(cuda_sections) * s, const ordo_item *list, ordo_u32 step, ordo_u64 first,
                            ordo_u64 end, ordo_u64 stride, ordo_cuda_counters *mine, ordo_u32 *rounds, Sink sink)
{
    ordo_request request[OP(requests)];
    ordo_activation out[OP(activations) + 1];
    ordo_u32 asked = 0, next = 0, nap = 32;
    while (first < end || next < asked) {
        if (ordo_dev_told(&s->halt, step, rounds))
            return false;
        if (next == asked) {
            next = 0;
            asked = OP(visit)(&s->state, list ? list[first] : (ordo_item)first, request);
            first += stride;
            mine->items++;
            mine->edges += asked;
            if (asked == 0 || (int)OP(lock_bits) != 0)
                continue;
        }
        ordo_u32 activated = 0;
        /* of one that can only be the first the place is known, and it stays in registers */
        const ordo_request *now = (int)OP(requests) == 1 ? &request[0] : &request[next];
        if (OP(dev_try) < Word > (&s->state, &s->locks, now, out, &activated)) {
            next++;
            nap = 32;
            mine->useful++;
            if (OP(activates))
                for (ordo_u32 i = 0; i < activated; i++)
                    mine->activations += sink(out[i]);
        } else if (s->sleep) {
            __nanosleep(nap);
            nap = 2 * nap < s->sleep ? 2 * nap : s->sleep;
        }
    }
    return true;
}

/* A block's part of a superstep over `count` items of `list`, or 0 .. count - 1: what sections activate goes to
 * `sink(activation)`, which says whether that is new on a worklist. `done()` runs between tiles, by all threads: to
 * flush; not at all where nothing is activated. */
template <bool Word, typename Sink, typename Done>
ORDO_DEV void OP(dev_visits)(const OP(cuda_sections) * s, const ordo_item *list, ordo_u64 count, ordo_u32 step,
                             ordo_cuda_counters *mine, ordo_u32 *rounds, Sink sink, Done done)
{
    enum { SHARE = 4 }; /* items of a thread between flushes */
    const ordo_u64 width = s->width;
    if (!OP(activates)) {
        if (threadIdx.x < width)
            OP(dev_visit)<Word>(s, list, step, blockIdx.x * width + threadIdx.x, count, gridDim.x * width, mine, rounds,
                                sink);
        return;
    }
    bool going = true;
    for (ordo_u64 first = blockIdx.x * width * SHARE; first < count; first += gridDim.x * width * SHARE) {
        const ordo_u64 end = first + width * SHARE < count ? first + width * SHARE : count;
        if (threadIdx.x < width && going)
            going = OP(dev_visit)<Word>(s, list, step, first + threadIdx.x, end, width, mine, rounds, sink);
        if (!__syncthreads_and(going))
            break;
        done();
    }
}

/* Puts an item on the frontier of step `step`, once; whether it was not there. */
ORDO_DEV bool OP(dev_push)(const ordo_cuda_frontier *f, ordo_dev_queue *q, ordo_item item, ordo_u32 step)
{
    if (ordo_dev_exchange(&f->stamp[item], step) == step)
        return false;
    ordo_dev_append(q, item, f->list[step & 1], &f->turn[step % 3].count);
    return true;
}

/* ---- the host's part ---- */

/* The state with its arrays on the device. */
static ordo_status OP(cuda_state)(ordo_cuda *c, OP(state) * state, ordo_cuda_arrays *arrays)
{
    *state = *(const OP(state) *)c->job->state;
    arrays->count = OP(arrays)(state, c->job->universe, c->job->targets, arrays->array);
    return ordo_cuda_arrays_in(c, arrays);
}

/* What supersteps need: with lists of items, or their words alone. */
static ordo_status OP(cuda_frontier)(ordo_cuda *c, bool lists, ordo_cuda_frontier *f, ordo_cuda_halt *halt)
{
    ordo_status status = ORDO_OK;
    if (lists)
        status = ordo_cuda_frontier_make(c, c->job->universe, 0, f);
    else if (!(f->turn = (ordo_cuda_turn *)ordo_cuda_alloc(c, 3, sizeof(ordo_cuda_turn), true)))
        status = ORDO_ERR_MEMORY;
    return status ? status : ordo_cuda_halt_make(c, halt);
}

/* Whether an item may be visited twice in a run. */
static bool OP(cuda_twice)(const ordo_job *job)
{
    return OP(activates) || job->initial;
}

/* A run around `launch`, which says what is on the device and starts the kernel. */
static ordo_status OP(cuda_run)(ordo_job *job, ordo_status (*launch)(ordo_cuda *c, ordo_cuda_arrays *arrays))
{
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    ordo_status status = ordo_cuda_begin(job, 0, false, &c);
    if (!status)
        status = launch(&c, &arrays);
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

/* What visits under locks need, but for `halt`: locks in words, or in a table. `rivals` threads a multiprocessor run
 * sections, or as many as a sample of the requests says where that is 0. *blocks, the most that a multiprocessor may
 * have (0: any number), becomes as few as have them, and of these all threads but for what is too many. */
static ordo_status OP(cuda_sections_make)(ordo_cuda *c, bool word, ordo_u64 rivals, int *blocks,
                                          ordo_cuda_arrays *arrays, OP(cuda_sections) * s)
{
    const ordo_job *job = c->job;
    ordo_survey survey = {};
    ordo_status status = ORDO_OK;
    if (!rivals)
        status = ordo_survey_make(job->op, job->state, job->initial, job->initial_count, &survey);
    rivals = rivals ? rivals : ordo_usual_rivals(survey.targets, OP(targets) == 2);
    ordo_survey_free(&survey);
    if (!status)
        status = OP(cuda_state)(c, &s->state, arrays);
    if (!status)
        status = ordo_cuda_locks_make(c, !word, &s->locks);
    s->locks.twice = OP(cuda_twice)(job);
    const int needed = (int)((rivals + ORDO_CUDA_THREADS - 1) / ORDO_CUDA_THREADS);
    *blocks = *blocks && *blocks < needed ? *blocks : needed;
    s->width = (ordo_u32)((rivals + (ordo_u64)*blocks - 1) / (ordo_u64)*blocks);
    s->width = s->width < ORDO_CUDA_THREADS ? s->width : ORDO_CUDA_THREADS;
    return status;
}

#include <ordo/cuda_owner.cuh>
