/* lock_server on a GPU, critical operators: clients; a part of cuda_critical.cuh. */

/* By a whole block: combines the messages of a batch that are for one target, by chains as servers do, and leaves one
 * message of each chain, in the place of one of them. Before the call `local` is the target's number; in messages that
 * are left it becomes the number at its server. One function: it is four passes over messages that stay in
 * registers, with barriers between. */
template <typename Form>
ORDO_DEV void lock_server_gather(const lock_server_args *a, const lock_server_block *b,
                                 ordo_u32 (&to)[lock_server_places], ordo_u64 (&word)[lock_server_places][Form::width],
                                 server_counters *mine)
{
    ordo_u64 *const held = b->out.stage; /* the stage is free until the batch is sorted */
    ordo_u32 mine_last = 0, other;
#pragma unroll
    for (int k = 0; k < lock_server_places; k++) {
        const ordo_u32 at = (ordo_u32)k * SERVER_THREADS + threadIdx.x;
        if (to[k] == SERVER_NONE)
            continue;
#pragma unroll
        for (int w = 0; w < Form::width; w++)
            held[at * Form::width + w] = word[k][w];
        ordo_u32 target;
        server_unpack<Form::width, Form::words, op_request>(&a->shape, word[k], &target, &other);
        b->next[at] = atomicExch(&b->table[server_line(target)], at);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < lock_server_places; k++) {
        ordo_u32 target;
        if (to[k] == SERVER_NONE)
            continue;
        server_unpack<Form::width, Form::words, op_request>(&a->shape, word[k], &target, &other);
        mine_last |= (ordo_u32)(b->table[server_line(target)] == (ordo_u32)k * SERVER_THREADS + threadIdx.x) << k;
    }
    __syncthreads();
#pragma unroll 1
    for (; mine_last; mine_last &= mine_last - 1) {
        ordo_u32 at = ((ordo_u32)__ffs((int)mine_last) - 1) * SERVER_THREADS + threadIdx.x, last = SERVER_NONE;
        ordo_u32 target = 0;
        op_request whole = {};
        for (;;) { /* `whole` replaces the requests up to here; it is put in the place `last` */
            ordo_u64 here[Form::width];
            ordo_u32 next = SERVER_NONE, of = 0;
            op_request r = {};
            if (at != SERVER_NONE) {
#pragma unroll
                for (int w = 0; w < Form::width; w++)
                    here[w] = held[at * Form::width + w];
                next = b->next[at];
                r = server_unpack<Form::width, Form::words, op_request>(&a->shape, here, &of, &other);
                b->table[server_line(of)] = SERVER_NONE;
            }
            if (last != SERVER_NONE && at != SERVER_NONE && of == target && op_combine_valid(&a->state, &whole, &r)) {
                mine->useful++;
                b->next[last] = SERVER_NONE;
                last = at;
                at = next;
                continue;
            }
            if (last != SERVER_NONE) {
                ordo_u32 local;
                const ordo_u32 server = server_split(&a->owners, target, &local);
                server_pack<Form::width, Form::words, op_request>(&a->shape, &whole, local, 0, here);
#pragma unroll
                for (int w = 0; w < Form::width; w++)
                    held[last * Form::width + w] = here[w];
                b->next[last] = server;
            }
            if (at == SERVER_NONE)
                break;
            whole = r;
            target = of;
            last = at;
            at = next;
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < lock_server_places; k++) {
        const ordo_u32 at = (ordo_u32)k * SERVER_THREADS + threadIdx.x;
        if (to[k] == SERVER_NONE)
            continue;
        to[k] = b->next[at];
#pragma unroll
        for (int w = 0; w < Form::width; w++)
            word[k][w] = held[at * Form::width + w];
    }
}

/* By one thread: the server of a request whose targets are given by their numbers; sets `local` and `other` as messages
 * hold them. */
template <typename Form>
ORDO_DEV ordo_u32 lock_server_route(const lock_server_args *a, const op_request *r, ordo_u32 *local, ordo_u32 *other)
{
    const bool two = lock_server_pairs && r->targets == 2;
    const ordo_u32 first = r->target[0], second = two ? r->target[1] : 0;
    ordo_u32 home = first;
    *other = two ? second + 1 : 0;
    if (Form::nested && two) { /* the owner of the lower lock */
        const bool turned = server_above(&a->owners, first, second);
        home = turned ? second : first;
        *other = ((turned ? first : second) + 1) << 1 | turned;
    }
    return server_split(&a->owners, home, local);
}

/* By a whole block, of operators whose items have rows: whether there is another batch. A warp whose rows are at their
 * end begins those of its next 32 items; the last of a row may be in a later batch than its first, so rows may have
 * any length. Warps without `visits` take none. */
ORDO_DEV bool lock_server_rows_left(const lock_server_args *a, op_dev_rows *rows, const ordo_item *list, bool visits,
                                    ordo_u64 *first, ordo_u64 stride, ordo_u64 count, server_counters *mine)
{
    while (visits && rows->first >= rows->total && *first < count) {
        const ordo_u64 at = *first + threadIdx.x % 32;
        const bool there = at < count;
        op_dev_rows_begin(&a->state, rows, there, there ? (list ? list[at] : (ordo_item)at) : 0);
        mine->items += there;
        *first += stride;
    }
    return __syncthreads_or(rows->first < rows->total);
}

/* By a whole block: a client's step. One function: the requests of a batch stay in registers from `prepare` to the
 * messages. */
template <typename Form, bool Traced>
ORDO_DEV void lock_server_client(const lock_server_args *a, const lock_server_block *b, server_sending *sending,
                                 ordo_dev_queue *queue, ordo_u32 step, ordo_u64 count, server_counters *mine,
                                 ordo_u32 *rounds)
{
    (void)queue; /* of operators that are handed edges */
    /* nested: more requests do not fit into registers */
    constexpr int places = Form::nested ? (int)op_requests : lock_server_sent(Form::width, Form::shared, Form::gather);
    constexpr int items = places / (int)op_requests;
    constexpr int visitors = Form::nested ? (int)lock_server_visitors : (int)SERVER_THREADS;
    const ordo_u64 batch = (ordo_u64)items * visitors, clients = gridDim.x - a->servers;
    const ordo_item *list = step == 1 ? a->run.initial : a->frontier.list[step & 1];
    op_dev_rows rows = {};
    ordo_u64 row = (ordo_u64)b->index * visitors + threadIdx.x / 32 * 32; /* where items have rows: the warp's next */
    for (ordo_u64 base = b->index * batch;
         (int)op_expands
             ? lock_server_rows_left(a, &rows, list, threadIdx.x < visitors, &row, clients * visitors, count, mine)
             : base < count;
         base += clients * batch) {
        op_request request[items][op_requests] = {};
        ordo_u64 word[places][Form::width];
        ordo_u32 to[places], found[items];
        /* All loads are issued before the first value is used, so a thread waits once. Numbers are loaded behind a
         * branch, because otherwise the compiler makes each item wait for its own load. Threads beyond the end prepare
         * the last item, so that there is no other branch. */
#pragma unroll
        for (int k = 0; k < items; k++) {
            if constexpr ((int)op_expands != 0) {
                found[k] = op_dev_rows_next(&a->state, &rows, request[k]);
            } else {
                const ordo_u64 i = base + (ordo_u64)k * visitors + threadIdx.x, at = i < count ? i : count - 1;
                found[k] = op_prepare(&a->state, list ? list[at] : (ordo_item)at, request[k]);
            }
        }
        if (a->owners.number)
#pragma unroll
            for (int k = 0; k < items; k++)
#pragma unroll
                for (int q = 0; q < (int)op_requests; q++) {
                    op_request *const r = &request[k][q];
                    const bool there = (ordo_u32)q < found[k];
                    if constexpr ((int)op_hands_edges && (int)op_activates)
                        if (r->targets == 0) /* an activation, of an item */
                            continue;
                    r->target[0] = there ? server_number(&a->owners, r->target[0]) : 0;
                    if (lock_server_pairs)
                        r->target[1] = there && r->targets == 2 ? server_number(&a->owners, r->target[1]) : 0;
                }
#pragma unroll
        for (int k = 0; k < items; k++) {
            if constexpr (!(int)op_expands) {
                const bool visits = visitors == (int)SERVER_THREADS || threadIdx.x < visitors;
                const bool inside = visits && base + (ordo_u64)k * visitors + threadIdx.x < count;
                found[k] = inside ? found[k] : 0;
                mine->items += inside;
            }
            mine->edges += found[k];
        }
#pragma unroll
        for (int place = 0; place < places; place++) {
            constexpr int each = (int)op_requests;
            to[place] = SERVER_NONE;
            if (place < items * each) {
                const op_request *const r = &request[place / each][place % each];
                ordo_u32 local, other;
                const ordo_u32 server = lock_server_route<Form>(a, r, &local, &other);
                if ((ordo_u32)(place % each) < found[place / each])
                    to[place] = server;
                if constexpr ((int)op_hands_edges && (int)op_activates)
                    if (to[place] != SERVER_NONE && r->targets == 0) { /* an activation: no server is needed */
                        to[place] = SERVER_NONE;
                        lock_server_activate_at_once(a, queue, step, r, mine);
                    }
                server_pack<Form::width, Form::words, op_request>(&a->shape, r, Form::gather ? r->target[0] : local,
                                                                  other, word[place]);
            }
        }
        if constexpr (Form::gather)
            lock_server_gather<Form>(a, b, to, word, mine);
        if (!server_deliver<Form::width, places>(&b->out, &a->first, a->servers, to, word, sending, &a->halt, step,
                                                 rounds))
            break;
        if constexpr (Traced)
            ordo_live_publish<5>(a->run.traced, server_counted(mine), ORDO_BUSY);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ordo_dev_fence();
        ordo_dev_add(a->done, 1u);
    }
}
