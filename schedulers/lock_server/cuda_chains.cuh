/* lock_server on a GPU, critical operators: servers that serve by chains; a part of cuda_server.cuh. */

/* By a whole warp: combines requests of its lanes that are for one target, pairwise: the request of the first lane
 * replaces both, and so on. Returns whether this lane's request is left. Only if requests are made at most once. */
ORDO_DEV bool lock_server_combine_warp(const lock_server_args *a, bool has, ordo_u32 local, op_request *r)
{
    const ordo_u32 lane = threadIdx.x % 32, all = 0xffffffffu;
    const ordo_u32 peers = __match_any_sync(all, has ? local : ~lane);
    const ordo_u32 before = peers & ((1u << lane) - 1), after = peers & ~before & ~(1u << lane);
    const ordo_u32 rank = (ordo_u32)__popc(before), count = (ordo_u32)__popc(peers);
    /* peers of rank `step` less and more */
    int less = before ? 31 - __clz((int)before) : (int)lane, more = after ? __ffs((int)after) - 1 : (int)lane;
    const ordo_u32 most = ordo_dev_warp_max(count);
#pragma unroll 1
    for (ordo_u32 step = 1; step < most; step *= 2) {
        op_request other = *r;
        other.item = __shfl_sync(all, r->item, more);
        other.word[0] = __shfl_sync(all, r->word[0], more);
        other.word[1] = __shfl_sync(all, r->word[1], more);
        const bool there = __shfl_sync(all, has, more) && has && rank % (2 * step) == 0 && rank + step < count;
        const bool done = there && op_combine_valid(&a->state, r, &other);
        const bool gone = __shfl_sync(all, done, less);
        has = has && !(gone && rank % (2 * step) == step);
        less = __shfl_sync(all, less, less);
        more = __shfl_sync(all, more, more);
    }
    return has;
}

/* By a whole block: serves `count` requests by chains. If few targets are hot, each warp first combines its own
 * requests. One function: it is three passes over messages that stay in registers, with barriers between. */
template <typename Form>
ORDO_DEV void lock_server_serve_chains(const lock_server_args *a, const lock_server_block *b, ordo_dev_queue *queue,
                                       const ordo_u64 (&word)[lock_server_places][Form::width], ordo_u32 count,
                                       ordo_u32 step, server_counters *mine)
{
    constexpr int full = (int)lock_server_full, words = (int)op_words ? (int)op_words : 2;
    const bool may_repeat = a->may_repeat, together = op_combines && !may_repeat && a->contended;
    __shared__ ordo_u32 chains;
    const ordo_u32 lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        chains = 0;
    ordo_u32 line[lock_server_places];
#pragma unroll
    for (int k = 0; k < lock_server_places; k++) {
        const ordo_u32 at = (ordo_u32)k * SERVER_THREADS + threadIdx.x;
        bool has = at < count;
        ordo_u32 local = 0, other;
        op_request r = {};
        if (has)
            r = lock_server_open_message<Form>(a, word[k], &local, &other);
        mine->useful += has;
        if (together)
            has = lock_server_combine_warp(a, has, local, &r);
        line[k] = has ? local % (ordo_u32)lock_server_lines : SERVER_NONE;
        if (has) {
            ordo_u64 held[full];
            server_pack<full, words, op_request>(&a->shape, &r, local, 0, held);
#pragma unroll
            for (int w = 0; w < full; w++)
                b->held[at * full + w] = held[w];
            b->next[at] = atomicExch(&b->table[line[k]], at);
        }
    }
    __syncthreads();
    /* The last request of each chain is put on a list that all threads share. Otherwise a warp that is late, such as
     * the one that frees ring slots, would have the last requests of most chains, and would run most chains alone. */
    ordo_u32 last[lock_server_places], sum = 0;
#pragma unroll
    for (int k = 0; k < lock_server_places; k++) {
        const ordo_u32 at = (ordo_u32)k * SERVER_THREADS + threadIdx.x;
        last[k] = __ballot_sync(0xffffffffu, line[k] != SERVER_NONE && b->table[line[k]] == at);
        sum += (ordo_u32)__popc(last[k]);
    }
    ordo_u32 place = lane == 0 ? ordo_dev_add_block(&chains, sum) : 0;
    place = __shfl_sync(0xffffffffu, place, 0);
#pragma unroll
    for (int k = 0; k < lock_server_places; k++) {
        if (last[k] >> lane & 1)
            b->list[place + (ordo_u32)__popc(last[k] & ((1u << lane) - 1))] =
                (unsigned short)((ordo_u32)k * SERVER_THREADS + threadIdx.x);
        place += (ordo_u32)__popc(last[k]);
    }
    __syncthreads();
    const ordo_u32 all_chains = chains;
#pragma unroll 1
    for (ordo_u32 i = threadIdx.x; i < all_chains; i += SERVER_THREADS) {
        ordo_activation out[op_activations + 1];
        op_request whole = {};
        ordo_u32 of = SERVER_NONE; /* the target of `whole`, the request that is to run */
        ordo_u32 at = b->list[i], next = b->next[at];
        ordo_u32 local, other;
        ordo_u64 held[full];
#pragma unroll
        for (int w = 0; w < full; w++)
            held[w] = b->held[at * full + w];
        server_unpack<full, words, op_request>(&a->shape, held, &local, &other);
        b->table[local % (ordo_u32)lock_server_lines] = SERVER_NONE; /* the whole chain is served */
        for (;;) {
            ordo_u32 after = SERVER_NONE;
            ordo_u64 ahead[full] = {}; /* the next request, loaded before this one is served */
            if (next != SERVER_NONE) {
                after = b->next[next];
#pragma unroll
                for (int w = 0; w < full; w++)
                    ahead[w] = b->held[next * full + w];
            }
            const op_request r = server_unpack<full, words, op_request>(&a->shape, held, &local, &other);
            if (may_repeat && !op_still_valid(&b->state, &r)) {
                /* the request has been served already */
            } else if (!(op_combines && local == of && op_combine_valid(&b->state, &whole, &r))) {
                if (of != SERVER_NONE)
                    lock_server_activate(a, queue, step, out, op_commit_valid(&b->state, &whole, out), mine);
                whole = r;
                whole.target[0] = whole.target[1] = lock_server_target<Form>(a, b, local);
                of = local;
            }
            if (next == SERVER_NONE)
                break;
#pragma unroll
            for (int w = 0; w < full; w++)
                held[w] = ahead[w];
            next = after;
        }
        if (of != SERVER_NONE)
            lock_server_activate(a, queue, step, out, op_commit_valid(&b->state, &whole, out), mine);
    }
    __syncthreads();
}
