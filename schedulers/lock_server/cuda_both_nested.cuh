/* lock_server on a GPU, roles=both, critical sections that need two targets at once (pairs=nested): a part of
 * cuda_both_critical.cuh.
 *
 * Problem. The locks of a pair are those of two blocks, of which each is client, home and owner of higher locks at the
 * same time: it must not wait in one role while others wait for it in another.
 *
 * Data structures. Those of cuda_nested.cuh: tables of locks in one order, requests that go to the owner of the lower
 * lock (home), tries, a word for each thread's answer. Each thread has a *hand*: a place
 * for a request at home.
 *
 * Protocol. The parts `second` and `first` of a round become
 *   answer    takes tries. A thread acquires the higher lock, runs the critical section and releases it; or it finds
 *             the lock held, a bounded number of times. It answers which of the two.
 *   at home   takes answers: the lower lock is released; after a refusal the request is kept, and rests for a number of
 *             rounds that doubles. If no thread has a request, each gets one of the next that have arrived. A request
 *             whose locks are both here is tried. For another its thread acquires the lower lock, and sends the try;
 *             only if the outbox of tries is free, so no lock is held for a try that cannot go to the outbox.
 * `expand` sends all requests, also those for the block itself.
 *
 * No block waits for ever. An answer is a store, so `answer` never waits, and is done in every round: each ring of
 * tries gets free places, each outbox of tries is written at last, and each try is answered. Locks are held over
 * messages by tries alone. Of the requests that hold a lower lock, the one with the highest other lock is refused only
 * because of a critical section, which ends (cuda_nested.cuh). So hands become free, then requests are taken, then each
 * outbox of requests is written. tests/models/server_nested.pml is a model of the locks.
 *
 * Termination. By the count of both.cuh. A request is a thing until its critical section has run and home knows it. A
 * try is none: its request is kept at home. What the critical section makes in the other block is covered there (C2),
 * and made before the answer.
 *
 * Memory order. That of cuda_nested.cuh: fences before a try is written and after it is taken, before an answer and
 * after it; the latter stands ahead of the release of the lower lock. A word for answers is open again before the next
 * try is written, by the first of these fences.
 *
 * Not done: fairness; a new request for a hand before the last of the block's hands is free.
 */
enum { NESTED_ROUNDS = 32 }; /* the most rounds for which a refused request rests */

/* A thread's request at home. */
typedef struct nested_hand {
    ordo_u64 word[lock_server_nested_words];
    ordo_u32 state;     /* NESTED_FREE, NESTED_HELD, NESTED_SENT */
    ordo_u32 rest, nap; /* rounds before it is tried again; and after the next refusal */
} nested_hand;

/* By one thread: tries once to run a critical section under locks of this block. */
template <typename Form>
ORDO_DEV bool nested_both_try(const critical_both_args *a, critical_both_shared *s, const critical_both_block *b,
                              const op_request *r, ordo_u32 slot, ordo_u32 second, server_counters *mine)
{
    ordo_activation out[op_activations + 1];
    ordo_u32 activated = 0;
    const bool got = lock_server_try_nested(&a->all, &b->own, r, slot, second, out, &activated);
    critical_both_activate<Form>(a, s, out, activated, mine);
    return got;
}

/* By a whole block: `answer`; returns the number of tries. */
template <typename Form>
ORDO_DEV ordo_u32 nested_both_answer(const critical_both_args *a, critical_both_shared *s, critical_both_block *b,
                                     server_counters *mine)
{
    ordo_u64 word[1][Form::width];
    ordo_u32 local = 0, partner = 0, there;
    op_request r = {};
    const ordo_u32 count = server_take<Form::width, 1>(&a->all.second, blockIdx.x, &b->takes[1], word, false);
    if (!count)
        return 0;
    ordo_dev_fence();
    server_cover(a->work.pending, &b->credit, (ordo_u64)count * (int)op_activations);
    __syncthreads();
    const bool has = threadIdx.x < count;
    if (has)
        r = lock_server_open_nested<Form, false>(&a->all, &b->own, word[0], &local, &partner);
    const ordo_u32 slot = server_lock_of(local);
    bool open = has, ran = false;
    for (int tries = 0; tries < NESTED_TRIES && __any_sync(0xffffffffu, open); tries++)
        if (open) {
            ran = nested_both_try<Form>(a, s, b, &r, slot, slot, mine);
            open = !ran && ordo_dev_load_block(&b->own.lock[slot]) != NESTED_AWAY;
        }
    ordo_dev_fence();
    critical_both_account(s, b, 0, 0); /* before the answers: what was made is in the count */
    if (has) {
        const ordo_u32 home = server_split(&a->all.owners, partner, &there);
        ordo_dev_store(&a->all.answer[home * SERVER_THREADS + server_tag_of(word[0])],
                       (ordo_u32)(ran ? NESTED_DONE : NESTED_REFUSED));
    }
    return count;
}

/* By one thread: what its hand holds: the lock's slot, and the owner and number there of the other lock. */
template <typename Form>
ORDO_DEV ordo_u32 nested_both_owner(const critical_both_args *a, const nested_hand *hand, ordo_u32 *slot,
                                    ordo_u32 *there)
{
    ordo_u32 local, other;
    server_unpack<Form::width, Form::words, op_request>(&a->all.shape, hand->word, &local, &other);
    *slot = server_lock_of(local);
    *there = local;
    return other ? server_split(&a->all.owners, (other >> 1) - 1, there) : blockIdx.x;
}

/* By a whole block: sends the tries of the threads that have locked their lower locks. */
template <typename Form>
ORDO_DEV void nested_both_send(const critical_both_args *a, critical_both_block *b, critical_both_thread *t,
                               const nested_hand *hand, bool locked, ordo_u32 owner, ordo_u32 there)
{
    const ordo_u32 to[1] = {locked ? owner : SERVER_NONE};
    const ordo_u32 sent = server_fill_by<Form::width, 1>(
        &b->seconds, &a->all.second, gridDim.x, to,
        [&](int, ordo_u64(&word)[Form::width]) {
            ordo_u32 local, other;
            const op_request r =
                server_unpack<Form::width, Form::words, op_request>(&a->all.shape, hand->word, &local, &other);
            const ordo_u32 mine = server_join(&a->all.owners, local, blockIdx.x);
            server_pack<Form::width, Form::words, op_request>(&a->all.shape, &r, there, (mine + 1) << 1 | (other & 1),
                                                              word);
            server_tag(word, threadIdx.x);
        },
        &t->sending[1]);
    if (sent)
        ordo_dev_fence();
    b->busy[1] = sent != 0;
}

/* By a whole block: takes the answers of tries; returns whether any hand still has a request. */
template <typename Form>
ORDO_DEV bool nested_both_hear(const critical_both_args *a, critical_both_shared *s, const critical_both_block *b,
                               nested_hand *hand)
{
    ordo_u32 *const answer = &a->all.answer[blockIdx.x * SERVER_THREADS + threadIdx.x];
    const ordo_u32 found = hand->state == NESTED_SENT ? ordo_dev_load(answer) : (ordo_u32)NESTED_OPEN;
    ordo_u32 slot, there;
    if (__any_sync(0xffffffffu, found != NESTED_OPEN))
        ordo_dev_fence();
    if (found != NESTED_OPEN) {
        nested_both_owner<Form>(a, hand, &slot, &there);
        ordo_dev_store(answer, (ordo_u32)NESTED_OPEN);
        ordo_dev_unlock<true>(&b->own.lock[slot]);
        hand->state = found == NESTED_DONE ? NESTED_FREE : NESTED_HELD;
        hand->rest = hand->nap + threadIdx.x % 4;
        hand->nap = hand->nap < NESTED_ROUNDS ? 2 * hand->nap : hand->nap;
        if (found == NESTED_DONE)
            ordo_dev_add_block(&s->ended, 1u);
    }
    return __syncthreads_or(hand->state != NESTED_FREE);
}

/* By a whole block: `at home`; returns whether a hand has a request, or one has ended. */
template <typename Form>
ORDO_DEV bool nested_both_at_home(const critical_both_args *a, critical_both_shared *s, critical_both_block *b,
                                  critical_both_thread *t, nested_hand *hand, bool quiet, server_counters *mine)
{
    ordo_u32 slot, there, unused;
    bool locked = false;
    if (threadIdx.x == 0)
        s->ended = 0;
    __syncthreads();
    if (!nested_both_hear<Form>(a, s, b, hand) && !quiet) {
        ordo_u64 word[1][Form::width];
        const ordo_u32 count = server_take<Form::width, 1>(&a->all.first, blockIdx.x, &b->takes[0], word, false);
        if (count)
            ordo_dev_fence(); /* M2 */
        if (threadIdx.x < count) {
            server_pick(word, 0, hand->word);
            hand->state = NESTED_HELD;
            hand->rest = 0;
            hand->nap = 1;
        }
    }
    const bool due = hand->state == NESTED_HELD && !hand->rest;
    hand->rest -= hand->rest > 0;
    if (!__syncthreads_or(hand->state != NESTED_FREE) && !s->ended)
        return false;
    server_cover(a->work.pending, &b->credit, (ordo_u64)SERVER_THREADS * (int)op_activations);
    __syncthreads();
    const ordo_u32 owner = nested_both_owner<Form>(a, hand, &slot, &there);
    bool here = due && owner == blockIdx.x;
    if (__any_sync(0xffffffffu, here)) {
        op_request r = {};
        if (here)
            r = lock_server_open_nested<Form, true>(&a->all, &b->own, hand->word, &unused, &unused);
        const ordo_u32 second = r.targets == 2 ? server_lock_of(there) : slot;
        for (int tries = 0; tries < NESTED_AT_HOME && __any_sync(0xffffffffu, here); tries++)
            if (here && nested_both_try<Form>(a, s, b, &r, slot, second, mine)) {
                here = false;
                hand->state = NESTED_FREE;
                ordo_dev_add_block(&s->ended, 1u);
            }
    }
    if (!b->busy[1]) { /* the same for all threads */
        ordo_u32 free_lock = 0;
        if (due && owner != blockIdx.x)
            locked = ordo_dev_swap_block(&b->own.lock[slot], &free_lock, (ordo_u32)NESTED_AWAY);
        if (locked)
            hand->state = NESTED_SENT;
        if (__syncthreads_or(locked))
            nested_both_send<Form>(a, b, t, hand, locked, owner, there);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        mine->useful += s->ended;
    critical_both_account(s, b, s->ended, 0);
    return true;
}
