/* lock_server on a GPU, critical sections that need two targets at once (pairs=nested): a part of cuda_critical.cuh.
 *
 * Problem. A critical section needs the locks of two servers at once, and holding one of them takes as long as two
 * messages.
 *
 * Data structures. Every server has a table of locks in shared memory; a target's lock is found by its number at its
 * server. Locks are ordered by (slot, server), so that every server has as many low ones as the others. A client sends
 * a request to the owner of its lower lock, its *home*. A message from a home to the owner of the higher lock is a
 * *try*, and its answer is a word for each lane at home. Words of targets stay in global memory, since a critical
 * section runs where its higher lock is.
 *
 * Protocol. Home acquires the lower lock and sends a try. The owner of the higher lock acquires that lock, runs the
 * critical section and releases it; or it finds the lock held for a try of its own, and still held after a few more
 * tests. It answers which of the two. Home then releases the lower lock, and after a refusal tries again, after a delay
 * that doubles. If home owns both locks there are no messages; where few targets are hot there is one server, and so
 * there are no messages at all. The speed depends on how soon each message is seen. Hence warps do not wait for each
 * other: some are at home, each lane with one request, the others answer tries. Places of a ring are assigned to lanes
 * in order, and a lane loads only its own. The number of lanes at home (`flight`) limits how many locks may be held
 * over messages: few where few targets are hot, since more would only refuse each other.
 *
 * Termination. Exclusion: a critical section runs while both locks are held, one by the block that runs it, one by home
 * until the answer. No cycle of waiting, whatever the rings hold: lanes that answer wait for messages, and for a lock a
 * bounded number of tests; there is always a place for an answer; a try that finds no place in its ring delays no other
 * lane, and gets one when that ring's server has answered the tries before it. A lock is held for messages only while
 * its try is on its way. Progress: a try is refused because of a critical section, which ends, or because of a request
 * that holds that lock as its lower one and tries for a still higher one. Of all those, the one with the highest lock
 * can be refused only because of a critical section. tests/models/server_nested.pml checks exclusion and termination,
 * and that it would detect a server that waits for a place, a lock released too early, an answer that comes before its
 * critical section, a server that leaves while others try, and hold-and-wait.
 *   The end of a step: a warp at home counts itself done when all its requests have run and no more can come, since
 *   clients have ended and its places are behind all that was reserved; tries come from warps that have not counted
 *   themselves. A place that a lane still waits for belongs to it in the next step.
 *
 * Memory order. What critical sections wrote is visible in the same block through its locks; in another block through
 * the fence before a try is sent and the one after it is taken, and through the fences before an answer and after it.
 * Words of shared memory that are accessed with no barrier in between are changed by atomics only: racecheck reports a
 * store and a load as a hazard, whatever fences order them.
 *
 * Not done: fairness. A request may be refused again and again while others succeed.
 */
#ifndef SERVER_NESTED_ONCE
#define SERVER_NESTED_ONCE

static_assert((int)SERVER_THREADS <= (int)SERVER_TAGS,
              "an answer is found by the number of the thread that waits for it");
enum { NESTED_OPEN = 0, NESTED_DONE = 1, NESTED_REFUSED = 2 }; /* answers */
/* States of a lane at home: no request; holds the lower lock; sends its try; waits for the answer. */
enum { NESTED_FREE, NESTED_HELD, NESTED_SENDING, NESTED_SENT };
#define NESTED_DENSE 0.4 /* lanes at home for each hot target */
enum {
    NESTED_ALONE = 4096,  /* up to this many hot targets one server is faster than many that send each other tries */
    NESTED_AWAY = 2,      /* a lock's word while it is held for a try on its way; 1: held for a critical section of this
                             block */
    NESTED_TRIES = 64,    /* tests of a lock that is held for critical sections, before a try is refused */
    NESTED_WAITS = 8,     /* tests of a lock that is held for a try, before another try is refused */
    NESTED_AT_HOME = 8,   /* tries for two locks of one server, before the warp reads its messages again */
    NESTED_ANSWERING = 8, /* the most warps that answer */
    NESTED_LOOK = 8,      /* loads without a message, before a warp tests whether more will come */
    NESTED_NAP = 1024,    /* delays in clock cycles: after the first refusal, and after many */
    NESTED_LONGEST = 16384,
};

/* The reading end of a ring, in shared memory, from which the warps of one role take. Places below `next` are assigned.
 * Invariant: of the places that warp w got, all below oldest[w] are taken, and it gets none below it: oldest[w] is
 * raised by that warp only, to its oldest place that is not taken, or to an earlier value of `next`. So all places
 * below the least of these words are taken, and one warp publishes that to senders. An outdated value that it may read
 * is lower: senders see fewer free places for a while. Taken before published: words are loaded into registers, warp
 * barrier, fence, `oldest` (the warp that took); `oldest`, fence, warp barrier, `read` with release (the warp that
 * publishes). A ring has at least a place for every lane, so that the laps that lanes expect and the laps of the words
 * differ by at most one. */
typedef struct nested_ring {
    ordo_u32 next, oldest[SERVER_WARPS];
} nested_ring;

/* The place of the ring for which a lane waits. */
typedef struct nested_place {
    ordo_u32 at;
    ordo_u32 read; /* `read` as last published; used by the warp that publishes */
    bool waiting;
} nested_place;

/* By a whole warp, number `warp` of `warps` of this role: lanes that want a message and have no place get one each.
 * Returns whether this lane's message has come. */
template <int W>
ORDO_DEV bool nested_take(const server_rings *rings, ordo_u32 index, nested_ring *ring, ordo_u32 warp, ordo_u32 warps,
                          bool want, nested_place *place, ordo_u64 (&word)[W])
{
    const ordo_u32 lane = threadIdx.x % 32, size = 1u << rings->log, all = 0xffffffffu;
    const ordo_u32 wants = __ballot_sync(all, want && !place->waiting);
    if (wants) {
        ordo_u32 first = lane == 0 ? ordo_dev_add_block(&ring->next, (ordo_u32)__popc(wants)) : 0;
        first = __shfl_sync(all, first, 0);
        if (wants >> lane & 1) {
            place->at = first + (ordo_u32)__popc(wants & ((1u << lane) - 1));
            place->waiting = true;
        }
    }
    bool came = place->waiting;
    if (came) {
        ordo_u64 *const from = rings->place + (((ordo_u64)index << rings->log) + (place->at & (size - 1))) * W;
        const ordo_u32 lap = ((place->at >> rings->log) + 1) & 3;
#pragma unroll
        for (int w = 0; w < W; w++)
            word[w] = ordo_dev_load(&from[w]);
#pragma unroll
        for (int w = 0; w < W; w++)
            came = came && (ordo_u32)(word[w] >> SERVER_BITS) == lap;
    }
    place->waiting = place->waiting && !came;
    const bool any = __any_sync(all, came);
    const ordo_u32 next = __shfl_sync(all, ordo_dev_load_block(&ring->next), 0);
    const ordo_u32 behind = ordo_dev_warp_max(place->waiting ? next - place->at : 0);
    __syncwarp(); /* the words are in registers */
    ordo_dev_fence_block();
    if (lane == 0)
        ordo_dev_exchange_block(&ring->oldest[warp], next - behind);
    if (warp == 0) { /* publishes to senders; while the warp has other work, not for every place */
        const ordo_u32 ahead = ordo_dev_load_block(&ring->oldest[lane < warps ? lane : 0]) - place->read;
        const ordo_u32 least = ~ordo_dev_warp_max(~ahead);
        if (least && (!any || least >= size / 8)) {
            place->read += least;
            ordo_dev_fence_block();
            __syncwarp();
            if (lane == 0)
                ordo_dev_release(&rings->read[index * ORDO_CUDA_LINE], place->read);
        }
    }
    return came;
}

/* By a whole warp: whether no more places of a ring will be reserved, since all `expected` senders have ended, counted
 * in `done`; *end is then behind the last one. */
ORDO_DEV bool nested_dry(const server_rings *rings, ordo_u32 index, ordo_u32 *done, ordo_u32 expected, ordo_u32 *end)
{
    const bool ended = __shfl_sync(0xffffffffu, threadIdx.x % 32 == 0 && ordo_dev_load(done) == expected, 0);
    if (ended) {
        ordo_dev_fence();
        *end = __shfl_sync(0xffffffffu, ordo_dev_load(&rings->write[index * ORDO_CUDA_LINE]), 0);
    }
    return ended;
}

/* On the host: the number of warps at home: for as many lanes as asked for, else in proportion to the number of hot
 * targets. */
static inline ordo_u32 nested_homes(double asked, double targets, ordo_u32 servers)
{
    const double usual = targets <= 0 ? 256 : servers == 1 ? SERVER_THREADS : NESTED_DENSE * targets / servers;
    const double warps = (asked > 0 ? asked : usual) / 32, most = servers == 1 ? SERVER_WARPS : SERVER_WARPS / 2 + 4;
    return warps < 1 ? 1 : warps < most ? (ordo_u32)(warps + 0.5) : (ordo_u32)most;
}

#endif

/* By one thread: a request with its targets, from a message at home (Low) or at the owner of its higher lock; *partner
 * is the number of the target whose lock is the other one, or SERVER_NONE. */
template <typename Form, bool Low>
ORDO_DEV op_request lock_server_open_nested(const lock_server_args *a, const lock_server_block *b,
                                            const ordo_u64 (&word)[Form::width], ordo_u32 *local, ordo_u32 *partner)
{
    ordo_u32 other;
    op_request r = lock_server_open_message<Form>(a, word, local, &other);
    const ordo_u32 mine = server_target(&a->owners, server_join(&a->owners, *local, b->index));
    *partner = other ? (other >> 1) - 1 : SERVER_NONE;
    const ordo_u32 theirs = other ? server_target(&a->owners, *partner) : mine;
    const bool turned = Low == (bool)(other & 1); /* the first target is theirs */
    r.target[0] = other && turned ? theirs : mine;
    r.target[1] = other && turned ? mine : theirs;
    return r;
}

/* By one thread: runs a critical section under locks of this block, and writes its activations; false: another thread
 * holds one of them. */
ORDO_DEV bool lock_server_try_nested(const lock_server_args *a, const lock_server_block *b, const op_request *r,
                                     ordo_u32 slot, ordo_u32 second, ordo_activation *out, ordo_u32 *activated)
{
    const bool may_repeat = a->may_repeat;
    return op_dev_try_table<true>(&b->state, b->lock, slot, second, r, [&](const op_state *state, op_request *here) {
        *activated = may_repeat ? op_commit(state, here, out) : op_commit_valid(state, here, out);
    });
}

/* By one thread: the same; what is activated goes to the next list. */
ORDO_DEV bool lock_server_run_nested(const lock_server_args *a, const lock_server_block *b, ordo_dev_queue *queue,
                                     const op_request *r, ordo_u32 slot, ordo_u32 second, ordo_u32 step,
                                     server_counters *mine)
{
    ordo_activation out[op_activations + 1];
    ordo_u32 activated = 0;
    const bool got = lock_server_try_nested(a, b, r, slot, second, out, &activated);
    lock_server_activate(a, queue, step, out, activated, mine);
    return got;
}

/* By a whole warp, after ordo_dev_told: shows its counters, as often as that function reads its word. */
ORDO_DEV void lock_server_show(const lock_server_args *a, const server_counters *mine, ordo_u32 rounds)
{
    if (__shfl_sync(0xffffffffu, rounds, 0) % ORDO_CUDA_LOOK == 0)
        ordo_live_publish<5>(a->run.traced, server_counted(mine), ORDO_BUSY);
}

/* By a whole warp: answers tries, for a step; `warp` of `warps`. */
template <typename Form, bool Traced>
ORDO_DEV void lock_server_answer_tries(const lock_server_args *a, const lock_server_block *b, nested_ring *ring,
                                       nested_place *place, ordo_u32 warp, ordo_u32 warps, ordo_dev_queue *queue,
                                       ordo_u32 step, server_counters *mine, ordo_u32 *rounds)
{
    ordo_u64 word[Form::width] = {};
    ordo_u32 end = 0, looks = 0, waits = 0;
    bool has = false;
    for (bool over = false;;) {
        ordo_u64 fresh[Form::width];
        if (nested_take<Form::width>(&a->second, b->index, ring, warp, warps, !has, place, fresh)) {
#pragma unroll
            for (int w = 0; w < Form::width; w++)
                word[w] = fresh[w];
            has = true;
            waits = 0;
        }
        if (__any_sync(0xffffffffu, has)) {
            ordo_u32 local = 0, partner = 0;
            op_request r = {};
            if (has)
                r = lock_server_open_nested<Form, false>(a, b, word, &local, &partner);
            ordo_dev_fence();
            const ordo_u32 slot = server_lock_of(local);
            bool open = has, ran = false;
            for (int tries = 0; tries < NESTED_TRIES && __any_sync(0xffffffffu, open); tries++)
                if (open) {
                    ran = lock_server_run_nested(a, b, queue, &r, slot, slot, step, mine);
                    open = !ran && ordo_dev_load_block(&b->lock[slot]) != NESTED_AWAY;
                }
            const bool answers = ran || (has && ++waits > NESTED_WAITS);
            if (__any_sync(0xffffffffu, answers))
                ordo_dev_fence();
            if (answers) {
                ordo_u32 there;
                const ordo_u32 home = server_split(&a->owners, partner, &there);
                ordo_dev_store(&a->answer[home * SERVER_THREADS + server_tag_of(word)],
                               (ordo_u32)(ran ? NESTED_DONE : NESTED_REFUSED));
            }
            has = has && !answers;
        } else if (!over && ++looks % NESTED_LOOK == 0) {
            over = nested_dry(&a->second, b->index, a->served, step * a->servers * a->homes, &end);
        }
        if (over && __all_sync(0xffffffffu, place->waiting && (int)(place->at - end) >= 0))
            break;
        if (__any_sync(0xffffffffu, ordo_dev_told(&a->halt, step, rounds)))
            break;
        if constexpr (Traced)
            lock_server_show(a, mine, *rounds);
    }
}

/* By a whole warp: at home, for a step. One function: an iteration is one pass over the states of all lanes'
 * requests, with one fence for all of them. */
template <typename Form, bool Traced>
ORDO_DEV void lock_server_at_home(const lock_server_args *a, const lock_server_block *b, nested_ring *ring,
                                  nested_place *place, ordo_u32 warp, ordo_dev_queue *queue, ordo_u32 step,
                                  server_counters *mine, ordo_u32 *rounds)
{
    ordo_u32 *const answer = &a->answer[b->index * SERVER_THREADS + threadIdx.x];
    const ordo_u32 size = 1u << a->second.log;
    ordo_u64 word[Form::width] = {};
    ordo_u32 hand = NESTED_FREE, at = 0, wake = 0, nap = NESTED_NAP, end = 0, looks = 0;
    for (bool over = false;;) {
        ordo_u64 fresh[Form::width];
        const ordo_u32 found = hand == NESTED_SENT ? ordo_dev_load(answer) : (ordo_u32)NESTED_OPEN;
        if (nested_take<Form::width>(&a->first, b->index, ring, warp, a->homes, hand == NESTED_FREE, place, fresh)) {
#pragma unroll
            for (int w = 0; w < Form::width; w++)
                word[w] = fresh[w];
            hand = NESTED_HELD;
            wake = (ordo_u32)clock();
            nap = NESTED_NAP;
        }
        ordo_u32 local, other;
        server_unpack<Form::width, Form::words, op_request>(&a->shape, word, &local, &other);
        const ordo_u32 slot = server_lock_of(local), partner = other ? (other >> 1) - 1 : 0;
        ordo_u32 there;
        const ordo_u32 theirs = server_split(&a->owners, partner, &there), owner = other ? theirs : b->index;
        const bool due = hand == NESTED_HELD && (int)((ordo_u32)clock() - wake) >= 0;
        bool here = due && owner == b->index, locked = false;
        if (__any_sync(0xffffffffu, here)) {
            op_request r = {};
            if (here)
                r = lock_server_open_nested<Form, true>(a, b, word, &local, &other);
            const ordo_u32 second = r.targets == 2 ? server_lock_of(there) : slot;
            for (int tries = 0; tries < NESTED_AT_HOME && __any_sync(0xffffffffu, here); tries++)
                if (here && lock_server_run_nested(a, b, queue, &r, slot, second, step, mine)) {
                    here = false;
                    hand = NESTED_FREE;
                    mine->useful++;
                }
        }
        if (found != NESTED_OPEN)
            ordo_dev_store(answer, (ordo_u32)NESTED_OPEN); /* the next try is sent behind a fence */
        if (due && owner != b->index) {
            ordo_u32 open = 0;
            if (ordo_dev_swap_block(&b->lock[slot], &open, (ordo_u32)NESTED_AWAY)) {
                at = ordo_dev_add(&a->second.write[owner * ORDO_CUDA_LINE], 1u);
                hand = NESTED_SENDING;
                locked = true;
            }
        }
        /* One fence for two purposes, since it takes half of an iteration. After it, a lock is released whose critical
         * section has run in another block; and a try is sent, which must be ordered after what was written here under
         * its lock. */
        if (__any_sync(0xffffffffu, locked || found != NESTED_OPEN))
            ordo_dev_fence();
        if (found != NESTED_OPEN) {
            ordo_dev_unlock<true>(&b->lock[slot]);
            mine->useful += found == NESTED_DONE;
            hand = found == NESTED_DONE ? NESTED_FREE : NESTED_HELD;
            wake = (ordo_u32)clock() + nap + (threadIdx.x * 0x9e3779b1u >> 22);
            nap = nap < NESTED_LONGEST ? 2 * nap : nap;
        }
        if (hand == NESTED_SENDING) {
            /* what one lane has acquired orders the others, through `seen`; an outdated value shows fewer free places
             */
            bool capacity = at - ordo_dev_acquire_block(&b->seen[owner]) < size;
            if (!capacity) {
                const ordo_u32 read = ordo_dev_acquire(&a->second.read[owner * ORDO_CUDA_LINE]);
                ordo_dev_fence_block();
                ordo_dev_exchange_block(&b->seen[owner], read);
                capacity = at - read < size;
            }
            if (capacity) {
                ordo_u64 out[Form::width], *const to =
                                               a->second.place +
                                               (((ordo_u64)owner << a->second.log) + (at & (size - 1))) * Form::width;
                const ordo_u64 lap = (ordo_u64)(((at >> a->second.log) + 1) & 3) << SERVER_BITS;
                const op_request r =
                    server_unpack<Form::width, Form::words, op_request>(&a->shape, word, &local, &other);
                const ordo_u32 mine_too = server_join(&a->owners, local, b->index);
                server_pack<Form::width, Form::words, op_request>(&a->shape, &r, there,
                                                                  (mine_too + 1) << 1 | (other & 1), out);
                server_tag(out, threadIdx.x);
#pragma unroll
                for (int w = 0; w < Form::width; w++)
                    ordo_dev_store(&to[w], out[w] | lap);
                hand = NESTED_SENT;
            }
        }
        const bool idle = __all_sync(0xffffffffu, hand == NESTED_FREE);
        if (idle && !over && ++looks % NESTED_LOOK == 0)
            over = nested_dry(&a->first, b->index, a->done, step * (gridDim.x - a->servers), &end);
        if (idle && over && __all_sync(0xffffffffu, place->waiting && (int)(place->at - end) >= 0))
            break;
        if (__any_sync(0xffffffffu, ordo_dev_told(&a->halt, step, rounds)))
            break;
        if constexpr (Traced)
            lock_server_show(a, mine, *rounds);
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        ordo_dev_fence();
        ordo_dev_add(a->served, 1u);
    }
}

/* By a whole block: a server's step. Its warps work independently until a barrier at its end. */
template <typename Form, bool Traced>
ORDO_DEV void lock_server_nested_server(const lock_server_args *a, const lock_server_block *b, nested_place *place,
                                        ordo_dev_queue *queue, ordo_u32 step, server_counters *mine, ordo_u32 *rounds)
{
    __shared__ nested_ring requests, tries;
    const ordo_u32 warp = threadIdx.x / 32, left = SERVER_WARPS - a->homes;
    const ordo_u32 answering = a->servers == 1 ? 0 : left < NESTED_ANSWERING ? left : NESTED_ANSWERING;
    if (step == 1 && threadIdx.x < SERVER_WARPS) {
        requests.oldest[threadIdx.x] = tries.oldest[threadIdx.x] = 0;
        requests.next = tries.next = 0;
    }
    __syncthreads();
    if (warp < a->homes)
        lock_server_at_home<Form, Traced>(a, b, &requests, place, warp, queue, step, mine, rounds);
    else if (warp - a->homes < answering)
        lock_server_answer_tries<Form, Traced>(a, b, &tries, place, warp - a->homes, answering, queue, step, mine,
                                               rounds);
    __syncthreads();
}
