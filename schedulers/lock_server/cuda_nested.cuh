/* lock_server on a GPU, two targets that a section needs at once (pairs=nested): a part of cuda_critical.cuh.
 *
 * Every server has a table of locks in shared memory; a target's is that of its number at its server. Locks are ordered
 * by (slot, server), so that every server has as many low ones. A client sends a request to the owner of its lower
 * lock, its *home*. Home takes that lock and sends a *try* to the owner of the higher one, which takes its own, runs
 * the section and gives it back, or finds it taken; and answers which, in a word that is this request's alone. Home
 * then gives the lower lock back, and where the answer was a refusal tries again. Where both locks are home's own there
 * are no messages.
 *
 * The words of targets stay in global memory, since a section runs where its higher lock is.
 *
 * Exclusion: a section runs while both locks are held, one by the block that runs it, one by home until the answer.
 * What sections wrote is seen: by the same block through its locks; by another through the fence before a try is sent
 * and the one after it is taken, and through the fences before an answer and after it.
 *
 * Nobody waits, so nobody waits in a circle, whatever the rings hold: a server answers tries in every round, an answer
 * always has room, and a try that finds no room in its ring stays where it is while the server goes on. A lock is held
 * for messages only while its try is on its way.
 *   Progress: a try is refused for a section, which ends, or for a request that holds that lock as its lower one and
 * tries a higher one still. Of all those the one with the highest lock can be refused for a section alone.
 * tests/models/server_nested.pml checks exclusion and the end, and that it would see a server that waits for room, a
 * lock given back too early, an answer that comes before its section, a server that leaves while others try, and
 * hold-and-wait.
 *
 * The end of a step: a server whose requests have all run, and whose clients have ended, counts itself done; tries come
 * from servers that are not done alone.
 *
 * Not done: fairness. A request may be refused again and again while others pass.
 */
#ifndef SERVER_NESTED_ONCE
#define SERVER_NESTED_ONCE

enum { NESTED_OPEN = 0, NESTED_DONE = 1, NESTED_REFUSED = 2, NESTED_TRIES = 4 };

#endif

/* A request with its targets, from a message at home (Low) or at the owner of its higher lock; *partner is the number
 * of the target whose lock is the other one, or SERVER_NONE. */
template <int W, int Words, bool Low>
ORDO_DEV ordo_request MY(open_nested)(const MY(args) * a, const MY(block) * b, const ordo_u64 (&word)[W],
                                      ordo_u32 *local, ordo_u32 *partner)
{
    ordo_u32 other;
    ordo_request r = MY(open_message)<W, Words>(a, word, local, &other);
    const ordo_u32 mine = server_target(&a->owners, *local * a->servers + b->index);
    *partner = other ? (other >> 1) - 1 : SERVER_NONE;
    const ordo_u32 theirs = other ? server_target(&a->owners, *partner) : mine;
    const bool turned = Low == (bool)(other & 1); /* the first target is theirs */
    r.target[0] = other && turned ? theirs : mine;
    r.target[1] = other && turned ? mine : theirs;
    return r;
}

/* Runs a section under locks of this block; false: one was taken. */
ORDO_DEV bool MY(run_nested)(const MY(args) * a, const MY(block) * b, ordo_dev_queue *queue, const ordo_request *r,
                             ordo_u32 slot, ordo_u32 second, ordo_u32 step, server_counters *mine)
{
    ordo_activation out[OP(activations) + 1];
    ordo_u32 activated = 0;
    const bool twice = a->twice;
    const bool got =
        OP(dev_try_table)<true>(&b->state, b->lock, slot, second, r, [&](const OP(state) * state, ordo_request * here) {
            activated = twice ? OP(section)(state, here, out) : OP(section_open)(state, here, out);
        });
    MY(activate)(a, queue, step, out, activated, mine);
    return got;
}

/* Tries of other servers: each is answered. */
template <int W, int Words>
ORDO_DEV ordo_u32 MY(answer_tries)(const MY(args) * a, const MY(block) * b, server_taking *seconds,
                                   ordo_dev_queue *queue, ordo_u32 step, server_counters *mine)
{
#if __CUDA_ARCH__ >= 900
    constexpr int each = MY(places); /* tries of a thread and round */
#else
    constexpr int each = 1; /* for these compilers spill with more */
#endif
    ordo_u64 word[each][W];
    ordo_u32 ran = 0; /* bits */
    const ordo_u32 count = server_take<W, each>(&a->second, b->index, seconds, word, true);
    if (count == 0)
        return 0;
#pragma unroll 1
    for (int k = 0; k < each; k++) {
        ordo_u64 now[W];
        ordo_u32 local, partner;
        server_pick(word, k, now);
        bool has = (ordo_u32)k * SERVER_THREADS + threadIdx.x < count;
        ordo_request r = {};
        if (has)
            r = MY(open_nested)<W, Words, false>(a, b, now, &local, &partner);
        for (int tries = 0; tries < NESTED_TRIES && __any_sync(0xffffffffu, has); tries++)
            if (has &&
                MY(run_nested)(a, b, queue, &r, local % SERVER_NEAR_LOCKS, local % SERVER_NEAR_LOCKS, step, mine)) {
                ran |= 1u << k;
                has = false;
            }
    }
    ordo_dev_fence();
#pragma unroll
    for (int k = 0; k < each; k++)
        if ((ordo_u32)k * SERVER_THREADS + threadIdx.x < count) {
            ordo_u32 local, other;
            server_unpack<W, Words>(&a->shape, word[k], &local, &other);
            ordo_dev_store(&a->answer[((other >> 1) - 1) % a->servers * (ordo_u32)MY(batch) + server_tag_of(word[k])],
                           (ordo_u32)(ran >> k & 1 ? NESTED_DONE : NESTED_REFUSED));
        }
    return count;
}

/* The request in hand at a place. */
template <int W> ORDO_DEV void MY(in_hand)(const MY(block) * b, ordo_u32 at, ordo_u64 (&word)[W])
{
#pragma unroll
    for (int w = 0; w < W; w++)
        word[w] = b->held[at * W + w];
}

/* What is sent for it to the owner of its higher lock. */
template <int W, int Words>
ORDO_DEV void MY(make_try)(const MY(args) * a, const MY(block) * b, ordo_u32 at, ordo_u64 (&word)[W])
{
    ordo_u32 local, other;
    MY(in_hand)(b, at, word);
    const ordo_request r = server_unpack<W, Words>(&a->shape, word, &local, &other);
    const ordo_u32 there = ((other >> 1) - 1) / a->servers, mine = local * a->servers + b->index;
    server_pack<W, Words>(&a->shape, &r, there, (mine + 1) << 1 | (other & 1), word);
    server_tag(word, at);
}

/* A server's step. All threads of the block. Requests in hand are in b->held, place k * SERVER_THREADS + threadIdx.x
 * for bit k of `live`; of those whose try is on its way `sent` has it, too. */
template <int W, int Words>
ORDO_DEV void MY(nested_server)(const MY(args) * a, const MY(block) * b, server_taking *requests,
                                server_taking *seconds, server_sending *sending, ordo_dev_queue *queue, ordo_u32 step,
                                server_counters *mine, ordo_u32 *rounds)
{
    static_assert((int)MY(batch) <= 1 << 11, "places that a tag can name");
    __shared__ ordo_u32 taken; /* places of which a thread has one */
    ordo_u32 *const answer = a->answer + b->index * (ordo_u32)MY(batch);
    ordo_u32 live = 0, sent = 0, turns = 0;
    bool served = false, busy = false; /* the same for all threads */
    if (threadIdx.x == 0)
        taken = 0;
    __syncthreads();
    for (;;) {
        const ordo_u32 tries = MY(answer_tries)<W, Words>(a, b, seconds, queue, step, mine);
        ordo_u32 back = 0, all;
        for (ordo_u32 open = sent; open; open &= open - 1) {
            const ordo_u32 k = (ordo_u32)__ffs((int)open) - 1, at = k * SERVER_THREADS + threadIdx.x;
            const ordo_u32 found = ordo_dev_load(&answer[at]);
            if (found == NESTED_OPEN)
                continue;
            ordo_dev_store(&answer[at], (ordo_u32)NESTED_OPEN); /* before the next try is sent, behind a fence */
            back |= 1u << k;
            live &= found == NESTED_DONE ? ~(1u << k) : ~0u;
            mine->useful += found == NESTED_DONE;
        }
        if (back)
            ordo_dev_fence();
        for (sent &= ~back; back; back &= back - 1) {
            ordo_u64 word[W];
            ordo_u32 local, other;
            MY(in_hand)(b, ((ordo_u32)__ffs((int)back) - 1) * SERVER_THREADS + threadIdx.x, word);
            server_unpack<W, Words>(&a->shape, word, &local, &other);
            ordo_dev_unlock<true>(&b->lock[local % SERVER_NEAR_LOCKS]);
        }
        if (busy)
            busy = __syncthreads_or(server_send<W>(&b->out, &a->second, sending));
        if (!busy) {
            ordo_u32 to[MY(places)];
            bool any = false;
#pragma unroll
            for (int k = 0; k < MY(places); k++)
                to[k] = SERVER_NONE;
#pragma unroll 1
            for (int k = 0; k < MY(places); k++) {
                if (!((live & ~sent) >> k & 1))
                    continue;
                ordo_u64 word[W];
                ordo_u32 local, other;
                MY(in_hand)(b, (ordo_u32)k * SERVER_THREADS + threadIdx.x, word);
                server_unpack<W, Words>(&a->shape, word, &local, &other);
                const ordo_u32 slot = local % SERVER_NEAR_LOCKS, partner = other ? (other >> 1) - 1 : 0;
                const ordo_u32 owner = other ? partner % a->servers : b->index;
                if (owner == b->index) {
                    const ordo_u32 second = other ? partner / a->servers % SERVER_NEAR_LOCKS : slot;
                    const ordo_request r = MY(open_nested)<W, Words, true>(a, b, word, &local, &other);
                    if (MY(run_nested)(a, b, queue, &r, slot, second, step, mine)) {
                        live &= ~(1u << k);
                        mine->useful++;
                    }
                } else if (ordo_dev_lock<true>(&b->lock[slot])) {
                    server_put(to, k, owner);
                    sent |= 1u << k;
                    any = true;
                }
            }
            if (__syncthreads_or(any)) {
                server_fill_by<W, MY(places)>(&b->out, a->servers, to, [&](int k, ordo_u64(&word)[W]) {
                    MY(make_try)<W, Words>(a, b, (ordo_u32)k * SERVER_THREADS + threadIdx.x, word);
                });
                ordo_dev_fence();
                server_reserve(&b->out, &a->second, a->servers, sending);
                busy = __syncthreads_or(server_send<W>(&b->out, &a->second, sending));
            }
        }
        /* a place that no thread has is filled again */
        const ordo_u32 warp = ordo_dev_warp_or(live);
        if (threadIdx.x % 32 == 0 && warp)
            ordo_dev_or_near(&taken, warp);
        __syncthreads();
        all = taken;
        __syncthreads();
        if (threadIdx.x == 0)
            taken = 0; /* a barrier comes before the next use */
        ordo_u32 count = 0;
        const ordo_u32 place = (ordo_u32)__ffs((int)~all) - 1;
        if (!served && place < MY(places)) {
            ordo_u64 word[1][W];
            count = server_take<W, 1>(&a->first, b->index, requests, word, false);
            if (threadIdx.x < count) {
#pragma unroll
                for (int w = 0; w < W; w++)
                    b->held[(place * SERVER_THREADS + threadIdx.x) * W + w] = word[0][w];
                live |= 1u << place;
            }
        }
        if (OP(activates))
            ordo_dev_flush(queue, a->frontier.list[(step + 1) & 1], &a->frontier.turn[(step + 1) % 3].count, false);
        if (MY(round_ends)(a, b, step, !count && !tries && !busy && !all, &served, requests, seconds, &turns, rounds))
            break;
    }
}
