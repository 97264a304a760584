/* lock_server on a GPU, critical operators, roles=both: every block is client and server; no supersteps.
 *
 * Problem. Supersteps wait for the slowest block. Maximum flow has thousands of them, most of few items. (Wang, Fussell
 * and Lin, ASPLOS 2019, section 4.1: in their maximum flow all blocks are both servers and clients; a block accepts
 * updates of vertices and sends others, and the messages take the place of the worklist.)
 *
 * Data structures. A block owns targets and items (owners.cuh; where items are as many as targets, item i and target i
 * have one owner). It has
 *   a worklist of its items, in FIFO order (both.cuh);
 *   a list of *calls*: activations of its items by other blocks, a ring in global memory. A caller takes the item's
 *     flag, reserves a place by an atomic addition, and stores the item there. The flag is that of the worklist, so an
 *     item is on one of the two lists, once, and both have places for all items of the block;
 *   two rings to which all blocks write (message.cuh), of requests and of second halves, or nested: of tries;
 *   two outboxes, one for each kind of message;
 *   a table of locks in shared memory. A target's lock is held for each critical section and half.
 *
 * Protocol. A block repeats four parts. None of them waits; one that needs an outbox whose last batch is not yet
 * written to all rings is left out.
 *   second   takes second halves, and runs them.
 *   first    (needs the outbox of second halves) takes requests, and runs their critical sections or first halves; a
 *            second half that must follow is sent to the owner of the second target.
 *   expand   (needs both outboxes) takes items of the lists, clears their flags and prepares them. Requests whose first
 *            target the block owns are run at once, as in `first`; the others are sent. So discharge_apart, whose first
 *            target is its item, sends second halves alone: what flows. A push is one message.
 *   send     writes messages to the rings that have places for them.
 * A critical section activates an item by putting it on the worklist, or by a call if another block owns it.
 * Operators that activate nothing need no lists: blocks go through the initial items in turns.
 * Pairs that are isolated (pairs=nested): see cuda_both_nested.cuh.
 *
 * No block waits for ever, whatever the rings hold. Second halves lead to no message, and are taken in every round. So
 * each ring of second halves gets free places until all that is reserved there is written, and each outbox of second
 * halves is written at last. Then requests are taken; so each outbox of requests is written at last. A reservation is
 * at most a batch, which a ring can hold, and a batch for one ring is written although another ring is full. Lists have
 * places for all items.
 *
 * Termination. By the exact count of both.cuh. Things are messages, entries of worklists, calls, and the rest of a
 * block's initial items where there are no lists. A message is a thing from its reservation on, a call from when its
 * flag was taken. A critical section makes at most an entry or call for each activation, and a second half.
 *
 * Memory order.
 *   M1   What a critical section writes is visible to the target's next one, in the same block, by the lock.
 *   M2   What comes before a message in its sender is visible to the critical section that it leads to: all threads of
 *        the sender fence between a barrier of the block and the writing of the batch, and all threads of the receiver
 *        fence when they have loaded theirs.
 *   M3   Who activates an item sees that its flag is set, or sets it. The first: a seq_cst fence stands between what
 * the critical section wrote and the load of the flag, and another between the clearing of the flag and `prepare`. If
 * the load misses that the flag was cleared, its fence comes first in the order of these fences, and `prepare` sees
 * what the critical section wrote. The second: `prepare` follows the call, behind the same fence. In one block,
 * barriers stand between the parts. M4   A place of the list of calls is stored again only after its owner has cleared
 * it: it does that ahead of clearing the flag, with a fence between, and callers have fences between the flag, the
 * reservation and the store. There are never more reserved places than flags, and a list has a place for each flag.
 * tests/models/server_both_critical.pml is a model of the rounds, the rings, the calls and the count.
 *
 * Not done: operators to which edges are handed row by row; words of targets in shared memory; chains and combining;
 * order by priorities; hot targets that a sample finds, in a session, where the host cannot read the arrays.
 */

/* What profilers show carries the operator's name. */
#define critical_both_kernel ORDO_OP_NAME(critical_both_kernel)

/* A thread's messages of a batch: shared memory must suffice for two outboxes. */
enum {
    critical_both_width = lock_server_rebuilds_args ? 2 : (int)lock_server_full,
    critical_both_each = critical_both_width == 4 ? 2 : 4,
    critical_both_batch = critical_both_each * SERVER_THREADS,
    critical_both_made = (int)op_activations + (int)lock_server_pairs, /* things of a critical section, at most */
    critical_both_here = !(int)op_many && !(int)op_expands && !((int)op_hands_edges && (int)op_activates)
};

/* Its form: halves or one target; and nested. */
using critical_both_plain =
    lock_server_form<(int)critical_both_width, (int)lock_server_rebuilds_args ? 0 : (int)op_words, LOCK_SERVER_PLAIN,
                     false>;
using critical_both_nested =
    lock_server_form<(int)lock_server_nested_words, (int)lock_server_rebuilds_args ? 0 : 2, LOCK_SERVER_NESTED, false>;

typedef struct critical_both_args {
    lock_server_args all; /* all blocks are servers; answer: nested */
    server_owners items;
    server_worklists work;
    ordo_u32 *call;   /* [blocks][1 << work.log] item + 1, or 0 */
    ordo_u32 *called; /* [blocks] each on a separate cache line: number of the places that were reserved */
} critical_both_args;

/* A block's words in shared memory. */
typedef struct critical_both_shared {
    ordo_u32 lock[SERVER_SHARED_LOCKS];
    ordo_u32 tail;  /* of the worklist */
    ordo_u32 made;  /* entries and calls that this part of the round has made */
    ordo_u32 there; /* of the calls that are looked at: number of those that are there */
    ordo_u32 ended; /* nested: requests at home that have ended in this round */
    ordo_u32 least[2][3];
    int verdict, quiet, was_called;
} critical_both_shared;

/* What all threads of a block know alike. */
typedef struct critical_both_block {
    lock_server_block own; /* `out`: of requests */
    server_outbox seconds; /* of second halves, or tries */
    ordo_u32 head, heard;  /* of the worklist; number of calls that were taken */
    ordo_u32 taken;        /* items of the tile */
    ordo_u64 credit;
    ordo_u64 share; /* the block's next initial item, where there are no lists */
    server_taking takes[2];
    bool was_called; /* a call was reserved that is not taken */
    bool busy[2];    /* the outbox has a batch that is not yet written to all rings */
} critical_both_block;

/* A thread's part: its item's requests, and what it sends. */
typedef struct critical_both_thread {
    op_request request[op_requests];
    ordo_u32 found, next; /* number of requests, and of those that are run or sent */
    server_sending sending[2];
} critical_both_thread;

/* By one thread: puts activated items on the worklist, or calls their owners. */
template <typename Form>
ORDO_DEV void critical_both_activate(const critical_both_args *a, critical_both_shared *s, const ordo_activation *out,
                                     ordo_u32 count, server_counters *mine)
{
    const ordo_u32 mask = (1u << a->work.log) - 1;
    for (ordo_u32 i = 0; (int)op_activates && i < count; i++) {
        const ordo_u32 item = (ordo_u32)out[i].item;
        ordo_u32 local, *const flag = &a->work.queued[item];
        const ordo_u32 owner = server_split(&a->items, server_number(&a->items, item), &local);
        if (owner != blockIdx.x)
            ordo_dev_fence_seq_cst(); /* M3 */
        if (ordo_dev_load(flag) || ordo_dev_exchange(flag, 1u))
            continue;
        ordo_dev_add_block(&s->made, 1u);
        mine->activations++;
        if (owner == blockIdx.x) {
            ordo_dev_store(&a->work.list[((ordo_u64)owner << a->work.log) + (ordo_dev_add_block(&s->tail, 1u) & mask)],
                           item);
        } else {
            ordo_dev_fence(); /* M4 */
            const ordo_u32 at = ordo_dev_add(&a->called[owner * ORDO_CUDA_LINE], 1u);
            ordo_dev_fence();
            ordo_dev_store(&a->call[((ordo_u64)owner << a->work.log) + (at & mask)], item + 1);
        }
    }
}

/* By a whole block, after critical sections: C1 for `ended` things; `sent` messages are made besides entries and calls.
 */
ORDO_DEV void critical_both_account(critical_both_shared *s, critical_both_block *b, ordo_u64 ended, ordo_u64 sent)
{
    __syncthreads();
    b->credit += ended - s->made - sent;
    __syncthreads();
    if (threadIdx.x == 0)
        s->made = 0;
}

/* By a whole block: sorts second halves into their outbox, which is free; returns their number. Thread by thread,
 * message k is r[k], for server to[k], where the second target has number local[k]. */
template <typename Form, int P>
ORDO_DEV ordo_u32 critical_both_send_seconds(const critical_both_args *a, critical_both_block *b,
                                             critical_both_thread *t, const op_request (&r)[P],
                                             const ordo_u32 (&local)[P], const ordo_u32 (&to)[P])
{
    const ordo_u32 sent = server_fill_by<Form::width, P>(
        &b->seconds, &a->all.second, gridDim.x, to,
        [&](int k, ordo_u64(&word)[Form::width]) {
            server_pack<Form::width, Form::words, op_request>(&a->all.shape, &r[k], local[k], 0, word);
        },
        &t->sending[1]);
    if (sent)
        ordo_dev_fence(); /* M2 */
    b->busy[1] = sent != 0;
    return sent;
}

/* By a whole block: `second`; returns the number of messages. */
template <typename Form>
ORDO_DEV ordo_u32 critical_both_second(const critical_both_args *a, critical_both_shared *s, critical_both_block *b,
                                       server_counters *mine)
{
    constexpr int P = critical_both_each;
    ordo_u64 word[P][Form::width];
    const ordo_u32 count = server_take<Form::width, P>(&a->all.second, blockIdx.x, &b->takes[1], word, false);
    if (!count)
        return 0;
    ordo_dev_fence(); /* M2 */
    server_cover(a->work.pending, &b->credit, (ordo_u64)count * (int)op_activations);
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < P; k++) {
        ordo_u64 here[Form::width] = {};
        ordo_activation out[op_activations + 1];
        ordo_u32 local = 0, other;
        op_request r = {};
        const bool has = (ordo_u32)k * SERVER_THREADS + threadIdx.x < count;
        server_pick(word, k, here);
        if (has) {
            r = lock_server_open_message<Form>(&a->all, here, &local, &other);
            r.target[0] = r.target[1] = lock_server_target<Form>(&a->all, &b->own, local);
            r.targets = 2;
        }
        const ordo_u32 activated = lock_server_run_second<Form>(&a->all, &b->own, has, &r, local, out);
        critical_both_activate<Form>(a, s, out, activated, mine);
    }
    critical_both_account(s, b, count, 0);
    return count;
}

/* By a whole warp: runs the request r of each lane that `has` one, a critical section of one target or a first half:
 * `second` is the number of the second target plus 1, or 0. If a second half must follow, its server is returned, and
 * *local becomes the second target's number there; else SERVER_NONE. */
template <typename Form>
ORDO_DEV ordo_u32 critical_both_run(const critical_both_args *a, critical_both_shared *s, const critical_both_block *b,
                                    bool has, op_request *r, ordo_u32 *local, ordo_u32 second, server_counters *mine)
{
    ordo_activation out[op_activations + 1];
    int more = 0;
    if (has) {
        r->target[0] = r->target[1] = lock_server_target<Form>(&a->all, &b->own, *local);
        r->targets = second ? 2 : 1;
    }
    const ordo_u32 activated = lock_server_run_one<Form>(&a->all, &b->own, has, r, *local, second != 0, out, &more);
    mine->useful += has;
    critical_both_activate<Form>(a, s, out, activated, mine);
    return lock_server_pairs && more ? server_split(&a->all.owners, second - 1, local) : SERVER_NONE;
}

/* By a whole block: `first`; returns the number of requests. */
template <typename Form>
ORDO_DEV ordo_u32 critical_both_first(const critical_both_args *a, critical_both_shared *s, critical_both_block *b,
                                      critical_both_thread *t, server_counters *mine)
{
    constexpr int P = critical_both_each;
    ordo_u64 word[P][Form::width];
    op_request r[P] = {};
    ordo_u32 local[P] = {}, other[P] = {}, to[P], sent = 0;
    const ordo_u32 count = server_take<Form::width, P>(&a->all.first, blockIdx.x, &b->takes[0], word, false);
    if (!count)
        return 0;
    ordo_dev_fence(); /* M2 */
    server_cover(a->work.pending, &b->credit, (ordo_u64)count * (int)critical_both_made);
#pragma unroll
    for (int k = 0; k < P; k++) {
        to[k] = SERVER_NONE;
        if ((ordo_u32)k * SERVER_THREADS + threadIdx.x < count)
            r[k] = lock_server_open_message<Form>(&a->all, word[k], &local[k], &other[k]);
    }
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < P; k++) {
        const bool has = (ordo_u32)k * SERVER_THREADS + threadIdx.x < count;
        op_request now = server_pick(r, k);
        ordo_u32 at = server_pick(local, k);
        const ordo_u32 server = critical_both_run<Form>(a, s, b, has, &now, &at, server_pick(other, k), mine);
        if (server != SERVER_NONE) {
            server_put(r, k, now);
            server_put(local, k, at);
            server_put(to, k, server);
        }
    }
    if (lock_server_pairs)
        sent = critical_both_send_seconds<Form, P>(a, b, t, r, local, to);
    critical_both_account(s, b, count, sent);
    return count;
}

/* By a whole block: takes items, one for each thread at most, and prepares them; returns their number. */
template <typename Form>
ORDO_DEV ordo_u32 critical_both_take(const critical_both_args *a, critical_both_shared *s, critical_both_block *b,
                                     critical_both_thread *t, server_counters *mine)
{
    const ordo_u32 mask = (1u << a->work.log) - 1, me = blockIdx.x, half = SERVER_THREADS / 2;
    ordo_u32 *const calls = &a->call[(ordo_u64)me << a->work.log];
    ordo_u32 item = SERVER_NONE, count = 0, heard = 0;
    t->found = t->next = 0;
    if (!op_activates) {
        const ordo_u64 first = b->share, all = a->all.run.initial_count;
        count = first >= all ? 0 : all - first < SERVER_THREADS ? (ordo_u32)(all - first) : (ordo_u32)SERVER_THREADS;
        b->share += (ordo_u64)gridDim.x * SERVER_THREADS;
        if (threadIdx.x < count)
            item = (ordo_u32)ordo_dev_initial(&a->all.run, first + threadIdx.x);
    } else {
        if (b->was_called) { /* the calls that are there, up to the first that is not */
            if (threadIdx.x == 0)
                s->there = half;
            __syncthreads();
            item = threadIdx.x < half ? ordo_dev_load(&calls[(b->heard + threadIdx.x) & mask]) : 1;
            const ordo_u32 gaps = __ballot_sync(0xffffffffu, item == 0 || threadIdx.x > mask);
            if (threadIdx.x % 32 == 0 && gaps)
                atomicMin(&s->there, threadIdx.x + (ordo_u32)__ffs((int)gaps) - 1);
            __syncthreads();
            heard = s->there;
            b->heard += heard;
            item--;
        }
        const ordo_u32 entries = s->tail - b->head, room = SERVER_THREADS - heard;
        count = heard + (entries < room ? entries : room);
        if (threadIdx.x < heard) {
            ordo_dev_store(&calls[(b->heard - heard + threadIdx.x) & mask], 0u);
            ordo_dev_fence(); /* M4 */
        } else if (threadIdx.x < count) {
            item =
                ordo_dev_load(&a->work.list[((ordo_u64)me << a->work.log) + ((b->head + threadIdx.x - heard) & mask)]);
        }
        b->head += count - heard;
        if (threadIdx.x < count) {
            ordo_dev_store(&a->work.queued[item], 0u);
            ordo_dev_fence_seq_cst(); /* M3 */
        }
    }
    if (threadIdx.x < count) {
        t->found = op_prepare(&a->all.state, item, t->request);
        mine->items++;
        mine->edges += t->found;
    }
    return count;
}

/* By a whole block: `expand`; returns whether there was an item. The items of a tile may take several rounds. */
template <typename Form>
ORDO_DEV bool critical_both_expand(const critical_both_args *a, critical_both_shared *s, critical_both_block *b,
                                   critical_both_thread *t, server_counters *mine)
{
    constexpr int P = Form::nested ? 1 : (int)critical_both_each;
    op_request r[P] = {};
    ordo_u32 local[P] = {}, other[P] = {}, to[P], there[P], sent = 0, followed = 0;
    bool asks = false; /* another block */
    if (!b->taken && !(b->taken = critical_both_take<Form>(a, s, b, t, mine)))
        return false;
    server_cover(a->work.pending, &b->credit,
                 (ordo_u64)P * SERVER_THREADS * ((int)critical_both_made > 1 ? (int)critical_both_made : 1));
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < P; k++) {
        ordo_u32 second = 0, at = 0, to_first = SERVER_NONE, to_second = SERVER_NONE;
        op_request now = {};
        bool here = false;
        if (t->next < t->found) {
            now = (int)op_requests == 1 ? t->request[0] : t->request[t->next];
            t->next++;
            op_request numbers = now;
            numbers.target[0] = server_number(&a->all.owners, now.target[0]);
            if (lock_server_pairs)
                numbers.target[1] = now.targets == 2 ? server_number(&a->all.owners, now.target[1]) : 0;
            to_first = lock_server_route<Form>(&a->all, &numbers, &at, &second);
            here = !Form::nested && to_first == blockIdx.x;
        }
        if constexpr (!Form::nested)
            if (__any_sync(0xffffffffu, here)) {
                ordo_u32 place = at;
                op_request run = now;
                to_second = critical_both_run<Form>(a, s, b, here, &run, &place, second, mine);
                if (here) {
                    now = run;
                    at = place;
                }
            }
        server_put(r, k, now);
        server_put(local, k, at);
        server_put(other, k, second);
        asks = asks || (to_first != SERVER_NONE && !here);
        server_put(to, k, here ? SERVER_NONE : to_first);
        server_put(there, k, to_second);
    }
    if (__syncthreads_or(asks))
        sent = server_fill_by<Form::width, P>(
            &b->own.out, &a->all.first, gridDim.x, to,
            [&](int k, ordo_u64(&word)[Form::width]) {
                server_pack<Form::width, Form::words, op_request>(&a->all.shape, &r[k], local[k], other[k], word);
            },
            &t->sending[0]);
    if (sent)
        ordo_dev_fence(); /* M2 */
    b->busy[0] = sent != 0;
    if constexpr (!Form::nested && (int)lock_server_pairs)
        followed = critical_both_send_seconds<Form, P>(a, b, t, r, local, there);
    const bool over = !__syncthreads_or(t->next < t->found);
    /* without lists, the rest of the initial items is one thing */
    critical_both_account(s, b, (int)op_activates && over ? b->taken : 0, (ordo_u64)sent + followed);
    if (over)
        b->taken = 0;
    return true;
}

#include "cuda_both_nested.cuh"

/* By thread 0, at the end of a round: whether the block ends, whether its rings are empty, and whether it was called.
 */
ORDO_DEV void critical_both_look(const critical_both_args *a, critical_both_shared *s, const critical_both_block *b,
                                 ordo_u32 idle, ordo_u32 *rounds)
{
    const ordo_u32 line = blockIdx.x * ORDO_CUDA_LINE;
    s->verdict =
        ordo_dev_told(&a->all.halt, 1, rounds) || (idle % BOTH_LOOK == 1 && !ordo_dev_acquire(a->work.pending));
    s->quiet = idle && ordo_dev_load(&a->all.first.write[line]) == b->takes[0].taken &&
               (!lock_server_pairs || ordo_dev_load(&a->all.second.write[line]) == b->takes[1].taken);
    s->was_called = (int)op_activates && ordo_dev_load(&a->called[line]) != b->heard;
}

/* Words of 64 bits of a block's shared memory, without critical_both_shared. */
template <typename Form> static __host__ __device__ inline ordo_u32 critical_both_boxes(ordo_u32 blocks)
{
    constexpr ordo_u32 stage = (Form::nested ? 1 : (ordo_u32)critical_both_each) * SERVER_THREADS * Form::width;
    return (lock_server_pairs ? 2 : 1) * server_outbox_words(blocks, stage);
}

/* One block a multiprocessor: the state of a round's parts takes more registers than two leave. One function: the
 * parts, in their order. */
template <typename Form, bool Traced>
static __global__ void __launch_bounds__(SERVER_THREADS, 1) critical_both_kernel(const critical_both_args a)
{
    ORDO_CUDA_DYNAMIC(ordo_u64, capacity);
    auto grid = cooperative_groups::this_grid();
    const ordo_cuda_traced traced = Traced ? a.all.run.traced : ordo_cuda_traced{};
    const ordo_u32 boxes = critical_both_boxes<Form>(gridDim.x);
    critical_both_shared *const s = (critical_both_shared *)(capacity + boxes);
    critical_both_block b = {};
    critical_both_thread t = {};
    nested_hand hand = {};
    server_counters mine = {};
    ordo_u32 rounds = 0, turn = 0, idle = 0;
    bool quiet = false; /* an idle block has seen that no place is reserved: it need not look at places */
    b.own.out = server_outbox_at(capacity, gridDim.x);
    b.seconds = server_outbox_at(lock_server_pairs ? capacity + boxes / 2 : capacity, gridDim.x);
    b.own.state = a.all.state;
    b.own.lock = s->lock;
    b.own.index = blockIdx.x;
    b.share = (ordo_u64)blockIdx.x * SERVER_THREADS;
    for (int i = 0; i < 2; i++)
        b.takes[i] = server_taking_begin(s->least[i]);
    for (ordo_u32 i = threadIdx.x; i < SERVER_SHARED_LOCKS; i += SERVER_THREADS)
        s->lock[i] = 0;
    if (ordo_live_shows())
        ordo_live_begin(traced, ORDO_BUSY);
    if (op_activates)
        server_begin_worklists(&a.work, &a.items, &a.all.run);
    else if (threadIdx.x == 0) /* the block's initial items */
        ordo_dev_add(a.work.pending, (ordo_u64)1);
    grid.sync();
    if (threadIdx.x == 0) {
        s->tail = op_activates ? ordo_dev_load(&a.work.first[blockIdx.x * ORDO_CUDA_LINE]) : 0;
        s->made = 0;
    }
    bool shares = !op_activates; /* they are not at their end */
    __syncthreads();
    for (;;) {
        ordo_u32 served = 0;
        if constexpr (Form::nested) {
            served = quiet ? 0 : nested_both_answer<Form>(&a, s, &b, &mine);
            served += nested_both_at_home<Form>(&a, s, &b, &t, &hand, quiet, &mine);
        } else {
            if (lock_server_pairs && !quiet)
                served = critical_both_second<Form>(&a, s, &b, &mine);
            if (!b.busy[1] && !quiet)
                served += critical_both_first<Form>(&a, s, &b, &t, &mine);
        }
        bool expanded = false;
        if (!b.busy[0] && (Form::nested || !b.busy[1])) {
            expanded = critical_both_expand<Form>(&a, s, &b, &t, &mine);
            if (shares && !expanded) {
                shares = false;
                b.credit++; /* C1 */
            }
        }
        if (b.busy[1])
            b.busy[1] = __syncthreads_or(server_send<Form::width>(&b.seconds, &a.all.second, &t.sending[1]));
        if (b.busy[0])
            b.busy[0] = __syncthreads_or(server_send<Form::width>(&b.own.out, &a.all.first, &t.sending[0]));
        const bool works = served || expanded || b.busy[0] || b.busy[1];
        if (works ? idle >= 16 : ++idle == 16)
            ordo_live_state(traced, works ? ORDO_BUSY : ORDO_WAITING);
        idle = works ? 0 : idle;
        if (!works)
            server_settle(a.work.pending, &b.credit); /* C3 */
        if (threadIdx.x == 0)
            critical_both_look(&a, s, &b, idle, &rounds); /* C4 */
        __syncthreads();
        const bool ends = s->verdict;
        quiet = s->quiet;
        b.was_called = s->was_called;
        __syncthreads();
        if (ends)
            break;
        if constexpr (Traced)
            ordo_live_tile<5>(traced, server_counted(&mine), turn++);
    }
    ordo_dev_publish(a.all.run.counters, server_counted(&mine));
}

/* ---- the host's part ---- */

template <typename Form, bool Exists> static const void *critical_both_kernel_of(bool traced)
{
    if constexpr (Exists)
        return traced ? (const void *)critical_both_kernel<Form, true>
                      : (const void *)critical_both_kernel<Form, false>;
    return NULL;
}

static const void *critical_both_find_kernel(bool nested, bool traced)
{
    constexpr bool here = critical_both_here != 0, pairs = (int)op_targets == 2;
    return nested                   ? critical_both_kernel_of < critical_both_nested,
           here && pairs > (traced) : critical_both_kernel_of < critical_both_plain,
           here && (!pairs || (int)op_halves) > (traced);
}

static ordo_status critical_both_refuse(const ordo_job *job)
{
    if (!critical_both_here)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' with roles=both on device 'cuda' hands no edges to operators; '%s' "
                         "needs them",
                         job->op->name);
    if ((int)job->tunable[SERVER_FORM] >= 2)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' with roles=both on device 'cuda' has form=plain alone");
    if ((int)job->tunable[SERVER_DATA] == 2)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' with roles=both on device 'cuda' has data=global alone");
    if (job->tunable[SERVER_RATIO] > 0)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'lock_server' with roles=both has no ratio: every block is both");
    if (job->num_items >= 0xffffffffu)
        return ordo_fail(ORDO_ERR_USAGE,
                         "scheduler 'lock_server' with roles=both on device 'cuda': %llu items, expected fewer than "
                         "2^32 - 1",
                         (unsigned long long)job->num_items);
    return ORDO_OK;
}

/* Owners of targets and of items. */
static ordo_status critical_both_owners(ordo_cuda *c, ordo_u32 all, bool nested, critical_both_args *a)
{
    const ordo_job *job = c->job;
    ordo_contention_sample contention = {};
    ordo_status status = op_cuda_sample(job, &contention);
    if (!status)
        status = server_owners_make(c, server_partition((int)job->tunable[SERVER_PARTITION], &contention, all), all, 0,
                                    &contention, &a->all.owners);
    a->all.contended = contention.targets > 0 && contention.targets < (double)SERVER_CONTENDED_GLOBAL * all;
    ordo_contention_sample_free(&contention);
    a->items = a->all.owners;
    if (job->num_items != job->targets) {
        a->items = server_owners{};
        a->items.servers = all;
        a->items.targets = job->num_items;
        a->items.most = server_most(SERVER_BY_TURNS, job->num_items, all, 0);
    }
    return status ? status : lock_server_check_numbers(nested, false, (ordo_u64)a->all.owners.most * all);
}

/* Rings, worklists, calls. */
static ordo_status critical_both_make(ordo_cuda *c, ordo_u32 all, bool nested, critical_both_args *a)
{
    const int width = nested ? (int)critical_both_nested::width : (int)critical_both_plain::width;
    const ordo_u32 batch = nested ? (ordo_u32)SERVER_THREADS : (ordo_u32)critical_both_batch;
    const ordo_u32 log = server_ring_log(c->job->tunable[SERVER_RING], batch);
    ordo_status status = ordo_cuda_halt_make(c, &a->all.halt);
    if (!status)
        status = server_rings_make(c, all, log, width, &a->all.first);
    if (!status && lock_server_pairs)
        status = server_rings_make(c, all, log, width, &a->all.second);
    if (!status && nested)
        a->all.answer = (ordo_u32 *)ordo_cuda_alloc(c, (ordo_u64)all * SERVER_THREADS, sizeof(ordo_u32), true);
    if (!status && nested && !a->all.answer)
        status = ORDO_ERR_MEMORY;
    if (!status)
        status = server_worklists_make(c, all, op_activates ? a->items.most : 1, op_activates ? c->job->num_items : 0,
                                       &a->work);
    if (status || !op_activates)
        return status;
    a->call = (ordo_u32 *)ordo_cuda_alloc(c, (ordo_u64)all << a->work.log, sizeof(ordo_u32), true);
    a->called = a->call ? (ordo_u32 *)ordo_cuda_alloc(c, (ordo_u64)all * ORDO_CUDA_LINE, sizeof(ordo_u32), true) : NULL;
    return a->called ? ORDO_OK : ORDO_ERR_MEMORY;
}

static ordo_status critical_both_run_job(ordo_job *job)
{
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    critical_both_args a = {};
    const bool nested = op_targets == 2 && ((int)job->tunable[SERVER_PAIRS] == 1 || !op_halves);
    int blocks = 0;
    ordo_u32 all = 0;
    const void *kernel = NULL;
    ordo_status status = critical_both_refuse(job);
    if (status)
        return status;
    status = op_cuda_begin(job, &c);
    if (!status) {
        kernel = ordo_cuda_kernel(critical_both_find_kernel(nested, c.run.traced.live != NULL));
        status = server_choose_blocks(
            &c, kernel,
            [=](ordo_u32 n) {
                return 8 * (nested ? critical_both_boxes<critical_both_nested>(n)
                                   : critical_both_boxes<critical_both_plain>(n)) +
                       sizeof(critical_both_shared);
            },
            &blocks, &all);
    }
    if (!status)
        status = critical_both_owners(&c, all, nested, &a);
    if (!status)
        status = op_cuda_state(&c, &a.all.state, &arrays);
    if (!status)
        status = critical_both_make(&c, all, nested, &a);
    a.all.servers = all;
    a.all.may_repeat = op_cuda_may_repeat(job);
    a.all.shape =
        server_shape_of(job->num_items, a.all.owners.most, lock_server_pairs ? (ordo_u64)a.all.owners.most * all : 0);
    a.all.run = c.run;
    if (!status) {
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, kernel, SERVER_THREADS, blocks, args);
    }
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}
