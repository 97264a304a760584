/* lock_server on a GPU, critical operators: servers; a part of cuda_critical.cuh, which has the protocol. */

/* ---- critical sections ---- */

/* By one thread: the target with that number at this server; if words are in shared memory, its place there. */
template <typename Form>
ORDO_DEV ordo_u32 lock_server_target(const lock_server_args *a, const lock_server_block *b, ordo_u32 local)
{
    return Form::shared ? local : server_target(&a->owners, server_join(&a->owners, local, b->index));
}

/* By one thread: puts the activations of a critical section on the next list. */
ORDO_DEV void lock_server_activate(const lock_server_args *a, ordo_dev_queue *queue, ordo_u32 step,
                                   const ordo_activation *out, ordo_u32 count, server_counters *mine)
{
    if (op_activates)
        for (ordo_u32 i = 0; i < count; i++)
            mine->activations += op_dev_push(&a->frontier, queue, out[i].item, step + 1);
}

/* By one thread: does what a request without a target asks for. */
ORDO_DEV void lock_server_activate_at_once(const lock_server_args *a, ordo_dev_queue *queue, ordo_u32 step,
                                           const op_request *r, server_counters *mine)
{
    ordo_activation out[op_activations + 1];
    const ordo_u32 activated = op_commit_valid(&a->state, r, out);
    mine->useful++;
    lock_server_activate(a, queue, step, out, activated, mine);
}

/* By a whole warp: for each lane that `has` a request, calls `run(state, request, may_repeat)` under the block's lock
 * of the lane's target `local`. The whole warp stays in the loop; <ordo/detail/cuda/critical.cuh> says why. Shared
 * memory serves lanes that try for the same lock one after the other, and all other accesses, the unlocking store
 * included, wait for that. So if many lanes need few locks, only the first of the lanes that need the same lock tries.
 */
template <typename Form, typename Run>
ORDO_DEV void lock_server_own(const lock_server_args *a, const lock_server_block *b, bool has, ordo_u32 local,
                              const op_request *request, Run run)
{
    constexpr bool word = Form::shared && (int)op_lock_bits != 0;
    const ordo_u32 slot = word ? local : local % SERVER_SHARED_LOCKS;
    /* called with constants, because every instruction of the loop delays the lanes that wait */
    auto own = [&](const bool may_repeat, const bool contended) {
        const ordo_u32 lane = threadIdx.x % 32, all = 0xffffffffu;
        const ordo_u32 before = contended ? __match_any_sync(all, has ? slot : ~lane) & ((1u << lane) - 1) : 0;
        auto here = [&](const op_state *state, op_request *r) { run(state, r, may_repeat); };
        ordo_u32 mine = has;
        for (;;) {
#pragma unroll 1
            for (int tries = 0; tries < 1024; tries++) {
                const ordo_u32 left = __ballot_sync(all, mine);
                if (!left)
                    return;
                if (mine && !(left & before)) {
                    bool got;
                    if constexpr (word)
                        got = op_dev_try_shared(&b->state, may_repeat, local, request, here);
                    else
                        got = op_dev_try_table<true>(&b->state, b->lock, slot, slot, request, here);
                    mine = got ? 0 : 1;
                }
            }
            if (ordo_dev_load(a->halt.word)) /* the run ends early */
                return;
        }
    };
    if ((int)op_activates || a->may_repeat)
        own(true, a->contended);
    else if (a->contended)
        own(false, true);
    else
        own(false, false);
}

/* By one thread: the request of a message, except for its targets. A thread makes the requests of all its messages
 * before the first is served, because rebuilding arguments may load from memory. */
template <typename Form>
ORDO_DEV op_request lock_server_open_message(const lock_server_args *a, const ordo_u64 (&word)[Form::width],
                                             ordo_u32 *local, ordo_u32 *other)
{
    op_request r = server_unpack<Form::width, Form::words, op_request>(&a->shape, word, local, other);
    if (op_rebuilds_args && !Form::words)
        op_rebuild_args(&a->state, &r);
    return r;
}

/* By a whole warp: runs the critical section of a client's request, or its first half, in each lane that `has` one, and
 * writes its activations; returns their number. *more is set if a second half must follow, with the words that *r then
 * has. */
template <typename Form>
ORDO_DEV ordo_u32 lock_server_run_one(const lock_server_args *a, const lock_server_block *b, bool has, op_request *r,
                                      ordo_u32 local, bool pair, ordo_activation *out, int *more)
{
    ordo_u32 activated = 0;
    int goes_on = 0;
    lock_server_own<Form>(a, b, has, local, r, [&](const op_state *state, op_request *here, bool may_repeat) {
        if (lock_server_pairs && pair)
            activated = may_repeat ? op_first(state, here, out, &goes_on) : op_first_valid(state, here, out, &goes_on);
        else
            activated = may_repeat ? op_commit(state, here, out) : op_commit_valid(state, here, out);
        r->word[0] = here->word[0];
        r->word[1] = here->word[1];
    });
    *more = goes_on;
    return activated;
}

/* By a whole warp: the same for second halves. */
template <typename Form>
ORDO_DEV ordo_u32 lock_server_run_second(const lock_server_args *a, const lock_server_block *b, bool has,
                                         const op_request *r, ordo_u32 local, ordo_activation *out)
{
    ordo_u32 activated = 0;
    lock_server_own<Form>(a, b, has, local, r, [&](const op_state *state, op_request *here, bool) {
        activated = op_second(state, here, out);
    });
    return activated;
}

/* By a whole warp: serves a client's request in each lane that `has` one, as lock_server_run_one does. */
template <typename Form>
ORDO_DEV void lock_server_serve_one(const lock_server_args *a, const lock_server_block *b, ordo_dev_queue *queue,
                                    bool has, op_request *r, ordo_u32 local, bool pair, ordo_u32 step,
                                    server_counters *mine, int *more)
{
    ordo_activation out[op_activations + 1];
    const ordo_u32 activated = lock_server_run_one<Form>(a, b, has, r, local, pair, out, more);
    mine->useful += has;
    lock_server_activate(a, queue, step, out, activated, mine);
}

/* By a whole warp: serves a second half in each lane that `has` one. */
template <typename Form>
ORDO_DEV void lock_server_serve_second(const lock_server_args *a, const lock_server_block *b, ordo_dev_queue *queue,
                                       bool has, const op_request *r, ordo_u32 local, ordo_u32 step,
                                       server_counters *mine)
{
    ordo_activation out[op_activations + 1];
    const ordo_u32 activated = lock_server_run_second<Form>(a, b, has, r, local, out);
    lock_server_activate(a, queue, step, out, activated, mine);
}

#include "cuda_chains.cuh"

/* ---- servers ---- */

enum { SERVER_GOES_ON, SERVER_SERVED, SERVER_ENDS };

/* By thread 0 of a server without messages: whether the server has ended. */
ORDO_DEV int lock_server_end_state(const lock_server_args *a, const lock_server_block *b, ordo_u32 step, bool served,
                                   const server_taking *requests, const server_taking *seconds)
{
    if (!served)
        return server_dry(&a->first, b->index, requests, a->done, step * (gridDim.x - a->servers)) ? SERVER_SERVED
                                                                                                   : SERVER_GOES_ON;
    return server_dry(&a->second, b->index, seconds, a->served, step * a->servers) ? SERVER_ENDS : SERVER_GOES_ON;
}

/* By a whole block, at the end of a server's round: whether its step has ended. `idle`: the round found no messages;
 * otherwise the end is tested only once in ORDO_CUDA_LOOK rounds. *served is set when the server is done with requests.
 */
ORDO_DEV bool lock_server_round_ends(const lock_server_args *a, const lock_server_block *b, ordo_u32 step, bool idle,
                                     bool *served, const server_taking *requests, const server_taking *seconds,
                                     ordo_u32 *turns, ordo_u32 *rounds)
{
    __shared__ int verdict;
    if (!idle && ++*turns % ORDO_CUDA_LOOK)
        return false;
    if (threadIdx.x == 0) {
        int now = idle ? lock_server_end_state(a, b, step, *served, requests, seconds) : SERVER_GOES_ON;
        if (now == SERVER_SERVED && lock_server_pairs) {
            ordo_dev_fence();
            ordo_dev_add(a->served, 1u);
        } else if (now == SERVER_SERVED) {
            now = SERVER_ENDS;
        }
        *rounds += idle ? 0 : ORDO_CUDA_LOOK - 1;
        if (ordo_dev_told(&a->halt, step, rounds))
            now = SERVER_ENDS;
        verdict = now;
    }
    __syncthreads();
    const int now = verdict;
    __syncthreads();
    *served = *served || now == SERVER_SERVED;
    return now == SERVER_ENDS;
}

/* By a whole block: a server's step. One function: the requests of a batch stay in registers from the message to
 * the second half. */
template <typename Form, bool Traced>
ORDO_DEV void lock_server_server(const lock_server_args *a, const lock_server_block *b, server_taking *requests,
                                 server_taking *seconds, server_sending *sending, ordo_dev_queue *queue, ordo_u32 step,
                                 server_counters *mine, ordo_u32 *rounds)
{
    const bool chains = Form::chains && !lock_server_pairs;
    bool served = false, busy = false; /* the same for all threads */
    ordo_u32 turns = 0, looks = 0;
    for (;;) {
        ordo_u64 word[lock_server_places][Form::width];
        ordo_u32 count = 0, others = 0;
        if (lock_server_pairs) {
            others = server_take<Form::width, lock_server_places>(&a->second, b->index, seconds, word, Form::words);
            op_request r[lock_server_places] = {};
            ordo_u32 local[lock_server_places] = {}, other;
#pragma unroll
            for (int k = 0; k < lock_server_places; k++)
                if ((ordo_u32)k * SERVER_THREADS + threadIdx.x < others)
                    r[k] = lock_server_open_message<Form>(a, word[k], &local[k], &other);
#pragma unroll 1 /* not unrolled: a quarter of the code, and faster by a third */
            for (int k = 0; k < lock_server_places; k++) {
                op_request now = server_pick(r, k);
                now.target[0] = now.target[1] = lock_server_target<Form>(a, b, server_pick(local, k));
                now.targets = 2;
                lock_server_serve_second<Form>(a, b, queue, (ordo_u32)k * SERVER_THREADS + threadIdx.x < others, &now,
                                               server_pick(local, k), step, mine);
            }
            if (busy)
                busy = __syncthreads_or(server_send<Form::width>(&b->out, &a->second, sending));
        }
        if (!busy && !served)
            count = server_take<Form::width, lock_server_places>(&a->first, b->index, requests, word, false);
        if (count && chains) {
            lock_server_serve_chains<Form>(a, b, queue, word, count, step, mine);
        } else if (count) {
            op_request r[lock_server_places] = {};
            ordo_u32 to[lock_server_places], local[lock_server_places] = {}, other[lock_server_places] = {};
#pragma unroll
            for (int k = 0; k < lock_server_places; k++)
                if ((ordo_u32)k * SERVER_THREADS + threadIdx.x < count)
                    r[k] = lock_server_open_message<Form>(a, word[k], &local[k], &other[k]);
#pragma unroll
            for (int k = 0; k < lock_server_places; k++)
                to[k] = SERVER_NONE;
#pragma unroll 1
            for (int k = 0; k < lock_server_places; k++) {
                int more = 0;
                op_request now = server_pick(r, k);
                const ordo_u32 second = server_pick(other, k);
                now.target[0] = now.target[1] = lock_server_target<Form>(a, b, server_pick(local, k));
                now.targets = second ? 2 : 1;
                lock_server_serve_one<Form>(a, b, queue, (ordo_u32)k * SERVER_THREADS + threadIdx.x < count, &now,
                                            server_pick(local, k), second != 0, step, mine, &more);
                if (lock_server_pairs && more) { /* the second half replaces the request */
                    ordo_u32 there;              /* `second` is its number plus 1 */
                    const ordo_u32 server = server_split(&a->owners, second - 1, &there);
                    server_put(r, k, now);
                    server_put(local, k, there);
                    server_put(to, k, server);
                }
            }
#pragma unroll
            for (int k = 0; k < lock_server_places; k++)
                if (lock_server_pairs)
                    server_pack<Form::width, Form::words, op_request>(&a->shape, &r[k], local[k], 0, word[k]);
            if (lock_server_pairs) {
                server_fill<Form::width, lock_server_places>(&b->out, &a->second, a->servers, to, word, sending);
                if (Form::words) /* what first halves wrote comes before the messages; without words in messages second
                                    halves do not read it */
                    ordo_dev_fence();
                busy = __syncthreads_or(server_send<Form::width>(&b->out, &a->second, sending));
            }
        }
        if (op_activates)
            ordo_dev_flush(queue, a->frontier.list[(step + 1) & 1], &a->frontier.counters[(step + 1) % 3].count, false);
        if constexpr (Traced)
            if (++looks % 8 == 0)
                ordo_live_publish<5>(a->run.traced, server_counted(mine),
                                     count || others || busy ? ORDO_BUSY : ORDO_WAITING);
        if (lock_server_round_ends(a, b, step, !count && !others && !busy, &served, requests, seconds, &turns, rounds))
            break;
    }
}
