/* lock_server on a GPU, critical operators: blocks that own targets, blocks that send them requests.
 *
 * Half of the blocks are servers and own the targets, dealt out in turn; the others are clients, which visit items and
 * send what those ask for to the owners (Wang, Fussell and Lin, ASPLOS 2019, with the changes below). A superstep
 * visits the items of one list and ends when every request is served; what sections activate is the next list.
 *   message.cuh   what goes over a ring, and the two protocols: sending and taking
 *   owners.cuh    who owns a target
 *   this file     clients, servers, the end of a step, the choice of forms
 *
 * How a server keeps sections of one target apart, all its threads working at once:
 *   plain     a lock in shared memory; by OP(dev_try_near) in the target's own word, where that is in shared memory.
 *             Where few targets are hot, one lane of a warp tries for a lock at once
 *   chains    no locks: messages of a batch that are for one target make a chain, by one exchange each; all that came
 *             last are listed, and a thread runs a whole chain from there, combining where the operator can. For words
 *             in global memory
 * With form=combine clients make such chains, too, and send one message for each, where items cannot ask twice.
 * Where the words of its targets are: in global memory as in the paper, or (data=shared) in the server's shared memory
 * during the run, from where they come back at its end.
 * Two targets: in two halves (ORDO_CRITICAL_FIRST), the second by a message from the first one's server to the other's,
 * and no lock is held across a message; or isolated, see cuda_nested.cuh.
 * A sample of the requests, before the run, chooses: how many targets are hot, and which.
 *
 * Nobody waits in a circle: clients wait for room in rings of servers. A server never waits: it takes second halves,
 * which ask for nothing more, in every round; it takes requests when all that the last ones led to is on its way; and
 * it tries to send that once a round. Every reservation is written as soon as its own ring has room, whatever other
 * rings have, and there is room for the first one in a ring as soon as its server has taken all that is before it.
 *
 * The end of a step is exact: a client counts itself done when its last message is written; a server whose ring is then
 * at its end (all that was reserved was taken) counts itself done with requests; when all have, and its ring of second
 * halves is at its end, it is done. Counters only grow, from step to step.
 *
 * Not done: targets that move; blocks that are both client and server; clusters of blocks, which lose
 * (docs/lock_server.md).
 */
#include "message.cuh"
#include "owners.cuh"
#include "tunables.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _lock_server_cuda_, _part)

typedef struct MY(args) {
    OP(state) state;
    ordo_u32 servers;
    server_owners owners;
    bool twice;
    bool crowded; /* few targets are hot: the lanes of a warp may all want one */
    server_shape shape;
    server_rings first, second; /* requests; second halves, or nested: tries at the higher lock */
    ordo_u32 *answer;           /* [servers][SERVER_THREADS] nested: what became of those tries */
    ordo_u32 homes;             /* nested: warps of a server that have requests in hand */
    ordo_u32 *done, *served;    /* clients that have ended a step; servers, or nested such warps, that have with
                                   requests: of all steps */
    ordo_cuda_frontier frontier;
    ordo_cuda_halt halt;
    ordo_cuda_run run;
} MY(args);

enum {
    MY(places) = (int)OP(requests) > SERVER_EACH ? (int)OP(requests) : SERVER_EACH, /* messages of a thread and batch */
    MY(batch) = MY(places) * SERVER_THREADS, /* below 2^16: requests are 16 at most */
    MY(pairs) = OP(targets) == 2,            /* in halves, but for what is said of nested ones */
    MY(recalls) = OP(recalls) || OP(words) == 0,
    MY(full) = OP(word_bits) == 32 && (OP(words) < 2 || OP(targets) == 1) ? 2 : 4, /* words of one with arguments */
    MY(lines) = MY(full) == 2 && MY(places) == SERVER_EACH ? SERVER_CHAINS : SERVER_LINES, /* of a server's table */
    MY(nested_words) = MY(recalls) ? 2 : 4, /* where tries at locks have room for a ticket */
};

/* Messages of a client's thread and batch. The more there are, the fewer and longer are the copies; where a message is
 * one word, registers and shared memory suffice for twice as many, and servers with words of their own keep up. */
static __host__ __device__ constexpr int MY(sent)(int words, bool near, bool gather)
{
    return words == 1 && near && !gather && !MY(pairs) ? 2 * (int)MY(places) : (int)MY(places);
}

/* Messages of a batch. Of isolated pairs they are long, and a block has no room for all that its threads may have:
 * where a visit may ask for many, fewer threads visit. */
static __host__ __device__ constexpr int MY(staged)(int words, bool near, bool gather, bool nested)
{
    return SERVER_THREADS * (nested ? (int)SERVER_EACH : MY(sent)(words, near, gather));
}
enum { MY(visitors) = SERVER_THREADS * SERVER_EACH / MY(places) };

/* A block's own, in shared memory. What a server has of it depends on its form. */
typedef struct MY(block) {
    server_outbox out;
    OP(state) state;      /* as sections see it */
    ordo_u32 *lock;       /* [SERVER_NEAR_LOCKS] or NULL */
    ordo_u32 *table;      /* [SERVER_LINES], servers [lines], last comers of chains */
    unsigned short *list; /* [batch] servers: all of those */
    ordo_u32 *next;       /* [batch] */
    ordo_u64 *held;       /* [batch][full] requests of chains */
    ordo_u32 *seen;       /* [servers] nested: `read` of their rings of tries, as it was last looked at */
    ordo_u32 index;
    bool server;
} MY(block);

/* ---- sections ---- */

template <bool Near> ORDO_DEV ordo_u32 MY(target)(const MY(args) * a, const MY(block) * b, ordo_u32 local)
{
    return Near ? local : server_target(&a->owners, server_join(&a->owners, local, b->index));
}

ORDO_DEV void MY(activate)(const MY(args) * a, ordo_dev_queue *queue, ordo_u32 step, const ordo_activation *out,
                           ordo_u32 count, server_counters *mine)
{
    if (OP(activates))
        for (ordo_u32 i = 0; i < count; i++)
            mine->activations += OP(dev_push)(&a->frontier, queue, out[i].item, step + 1);
}

/* Runs `run(state, request, twice)` with a target owned that has this number here, under a lock of the block, for all
 * lanes that have one. By whole warps: see cuda_critical.cuh for why. In shared memory lanes that try for one lock at
 * once are served one after the other, and what others wait for, the unlocking store too, waits for that. So where many
 * want few locks only the first of a warp's lanes that are left and want the same one tries. */
template <bool Near, typename Run>
ORDO_DEV void MY(own)(const MY(args) * a, const MY(block) * b, bool has, ordo_u32 local, const ordo_request *request,
                      Run run)
{
    constexpr bool word = Near && (int)OP(lock_bits) != 0;
    const ordo_u32 slot = word ? local : local % SERVER_NEAR_LOCKS;
    /* called with constants: every instruction that goes round is paid for by whoever waits */
    auto own = [&](const bool twice, const bool crowded) {
        const ordo_u32 lane = threadIdx.x % 32, all = 0xffffffffu;
        const ordo_u32 before = crowded ? __match_any_sync(all, has ? slot : ~lane) & ((1u << lane) - 1) : 0;
        auto here = [&](const OP(state) * state, ordo_request * r) { run(state, r, twice); };
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
                        got = OP(dev_try_near)(&b->state, twice, local, request, here);
                    else
                        got = OP(dev_try_table)<true>(&b->state, b->lock, slot, slot, request, here);
                    mine = got ? 0 : 1;
                }
            }
            if (ordo_dev_load(a->halt.word)) /* the run ends early */
                return;
        }
    };
    if ((int)OP(activates) || a->twice)
        own(true, a->crowded);
    else if (a->crowded)
        own(false, true);
    else
        own(false, false);
}

/* What a message asks for, but for its targets: of all of a thread before the first is served, for recalling may have
 * to fetch. */
template <int W, int Words>
ORDO_DEV ordo_request MY(open_message)(const MY(args) * a, const ordo_u64 (&word)[W], ordo_u32 *local, ordo_u32 *other)
{
    ordo_request r = server_unpack<W, Words>(&a->shape, word, local, other);
    if (OP(recalls) && !Words)
        OP(recall)(&a->state, &r);
    return r;
}

/* A request of a client, of lanes that have one; *more is set where it leads to a second half, with the words that *r
 * then has. */
template <bool Near>
ORDO_DEV void MY(serve_one)(const MY(args) * a, const MY(block) * b, ordo_dev_queue *queue, bool has, ordo_request *r,
                            ordo_u32 local, bool pair, ordo_u32 step, server_counters *mine, int *more)
{
    ordo_activation out[OP(activations) + 1];
    ordo_u32 activated = 0;
    int goes_on = 0;
    MY(own)<Near>(a, b, has, local, r, [&](const OP(state) * state, ordo_request * here, bool twice) {
        if (MY(pairs) && pair)
            activated = twice ? OP(first)(state, here, out, &goes_on) : OP(first_open)(state, here, out, &goes_on);
        else
            activated = twice ? OP(section)(state, here, out) : OP(section_open)(state, here, out);
        r->word[0] = here->word[0];
        r->word[1] = here->word[1];
    });
    *more = goes_on;
    mine->useful += has;
    MY(activate)(a, queue, step, out, activated, mine);
}

/* A second half. */
template <bool Near>
ORDO_DEV void MY(serve_second)(const MY(args) * a, const MY(block) * b, ordo_dev_queue *queue, bool has,
                               const ordo_request *r, ordo_u32 local, ordo_u32 step, server_counters *mine)
{
    ordo_activation out[OP(activations) + 1];
    ordo_u32 activated = 0;
    MY(own)<Near>(a, b, has, local, r, [&](const OP(state) * state, ordo_request * here, bool) {
        activated = OP(second)(state, here, out);
    });
    MY(activate)(a, queue, step, out, activated, mine);
}

/* Combines requests of a warp's lanes that are for one target, two by two, the first one's standing for both, and so
 * on; whether this lane's is left. Only where items cannot ask twice. By whole warps. */
ORDO_DEV bool MY(combine_warp)(const MY(args) * a, bool has, ordo_u32 local, ordo_request *r)
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
        ordo_request other = *r;
        other.item = __shfl_sync(all, r->item, more);
        other.word[0] = __shfl_sync(all, r->word[0], more);
        other.word[1] = __shfl_sync(all, r->word[1], more);
        const bool there = __shfl_sync(all, has, more) && has && rank % (2 * step) == 0 && rank + step < count;
        const bool done = there && OP(combine_open)(&a->state, r, &other);
        const bool gone = __shfl_sync(all, done, less);
        has = has && !(gone && rank % (2 * step) == step);
        less = __shfl_sync(all, less, less);
        more = __shfl_sync(all, more, more);
    }
    return has;
}

/* `count` requests by chains. Where a warp has many for one target, combined as far as they can be before. All threads
 * of the block. */
template <int W, int Words, bool Near>
ORDO_DEV void MY(serve_chains)(const MY(args) * a, const MY(block) * b, ordo_dev_queue *queue,
                               const ordo_u64 (&word)[MY(places)][W], ordo_u32 count, ordo_u32 step,
                               server_counters *mine)
{
    constexpr int full = (int)MY(full), words = (int)OP(words) ? (int)OP(words) : 2;
    const bool twice = a->twice, together = OP(combines) && !twice && a->crowded;
    __shared__ ordo_u32 chains;
    const ordo_u32 lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        chains = 0;
    ordo_u32 line[MY(places)];
#pragma unroll
    for (int k = 0; k < MY(places); k++) {
        const ordo_u32 at = (ordo_u32)k * SERVER_THREADS + threadIdx.x;
        bool has = at < count;
        ordo_u32 local = 0, other;
        ordo_request r = {};
        if (has)
            r = MY(open_message)<W, Words>(a, word[k], &local, &other);
        mine->useful += has;
        if (together)
            has = MY(combine_warp)(a, has, local, &r);
        line[k] = has ? local % (ordo_u32)MY(lines) : SERVER_NONE;
        if (has) {
            ordo_u64 held[full];
            server_pack<full, words>(&a->shape, &r, local, 0, held);
#pragma unroll
            for (int w = 0; w < full; w++)
                b->held[at * full + w] = held[w];
            b->next[at] = atomicExch(&b->table[line[k]], at);
        }
    }
    __syncthreads();
    /* the last comers, listed: a warp that is late, as the one is that gives back places of the ring, comes last in
     * most chains, and would run these alone */
    ordo_u32 last[MY(places)], sum = 0;
#pragma unroll
    for (int k = 0; k < MY(places); k++) {
        const ordo_u32 at = (ordo_u32)k * SERVER_THREADS + threadIdx.x;
        last[k] = __ballot_sync(0xffffffffu, line[k] != SERVER_NONE && b->table[line[k]] == at);
        sum += (ordo_u32)__popc(last[k]);
    }
    ordo_u32 place = lane == 0 ? ordo_dev_add_near(&chains, sum) : 0;
    place = __shfl_sync(0xffffffffu, place, 0);
#pragma unroll
    for (int k = 0; k < MY(places); k++) {
        if (last[k] >> lane & 1)
            b->list[place + (ordo_u32)__popc(last[k] & ((1u << lane) - 1))] =
                (unsigned short)((ordo_u32)k * SERVER_THREADS + threadIdx.x);
        place += (ordo_u32)__popc(last[k]);
    }
    __syncthreads();
    const ordo_u32 all_chains = chains;
#pragma unroll 1
    for (ordo_u32 i = threadIdx.x; i < all_chains; i += SERVER_THREADS) {
        ordo_activation out[OP(activations) + 1];
        ordo_request whole = {};
        ordo_u32 of = SERVER_NONE; /* whose `whole` is, which waits to be run */
        ordo_u32 at = b->list[i], next = b->next[at];
        ordo_u32 local, other;
        ordo_u64 held[full];
#pragma unroll
        for (int w = 0; w < full; w++)
            held[w] = b->held[at * full + w];
        server_unpack<full, words>(&a->shape, held, &local, &other);
        b->table[local % (ordo_u32)MY(lines)] = SERVER_NONE; /* of all the chain */
        for (;;) {
            ordo_u32 after = SERVER_NONE;
            ordo_u64 ahead[full] = {}; /* the one after this is fetched before this is served */
            if (next != SERVER_NONE) {
                after = b->next[next];
#pragma unroll
                for (int w = 0; w < full; w++)
                    ahead[w] = b->held[next * full + w];
            }
            const ordo_request r = server_unpack<full, words>(&a->shape, held, &local, &other);
            if (twice && !OP(open)(&b->state, &r)) {
                /* it has been served */
            } else if (!(OP(combines) && local == of && OP(combine_open)(&b->state, &whole, &r))) {
                if (of != SERVER_NONE)
                    MY(activate)(a, queue, step, out, OP(section_open)(&b->state, &whole, out), mine);
                whole = r;
                whole.target[0] = whole.target[1] = MY(target)<Near>(a, b, local);
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
            MY(activate)(a, queue, step, out, OP(section_open)(&b->state, &whole, out), mine);
    }
    __syncthreads();
}

/* ---- clients ---- */

/* Combines the messages of a batch that are for one target, by chains as servers do, and leaves one of them, in the
 * place of one of the chain. Here `local` is the whole number of the target; where a message is left it becomes that at
 * its server. All threads of the block. */
template <int W, int Words>
ORDO_DEV void MY(gather)(const MY(args) * a, const MY(block) * b, ordo_u32 (&to)[MY(places)],
                         ordo_u64 (&word)[MY(places)][W], server_counters *mine)
{
    ordo_u64 *const held = b->out.stage; /* free until the batch is sorted */
    ordo_u32 mine_last = 0, other;
#pragma unroll
    for (int k = 0; k < MY(places); k++) {
        const ordo_u32 at = (ordo_u32)k * SERVER_THREADS + threadIdx.x;
        if (to[k] == SERVER_NONE)
            continue;
#pragma unroll
        for (int w = 0; w < W; w++)
            held[at * W + w] = word[k][w];
        ordo_u32 target;
        server_unpack<W, Words>(&a->shape, word[k], &target, &other);
        b->next[at] = atomicExch(&b->table[server_line(target)], at);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < MY(places); k++) {
        ordo_u32 target;
        if (to[k] == SERVER_NONE)
            continue;
        server_unpack<W, Words>(&a->shape, word[k], &target, &other);
        mine_last |= (ordo_u32)(b->table[server_line(target)] == (ordo_u32)k * SERVER_THREADS + threadIdx.x) << k;
    }
    __syncthreads();
#pragma unroll 1
    for (; mine_last; mine_last &= mine_last - 1) {
        ordo_u32 at = ((ordo_u32)__ffs((int)mine_last) - 1) * SERVER_THREADS + threadIdx.x, last = SERVER_NONE;
        ordo_u32 target = 0;
        ordo_request whole = {};
        for (;;) { /* `whole` stands for what went by; it is left in the place `last` */
            ordo_u64 here[W];
            ordo_u32 next = SERVER_NONE, of = 0;
            ordo_request r = {};
            if (at != SERVER_NONE) {
#pragma unroll
                for (int w = 0; w < W; w++)
                    here[w] = held[at * W + w];
                next = b->next[at];
                r = server_unpack<W, Words>(&a->shape, here, &of, &other);
                b->table[server_line(of)] = SERVER_NONE;
            }
            if (last != SERVER_NONE && at != SERVER_NONE && of == target && OP(combine_open)(&a->state, &whole, &r)) {
                mine->useful++;
                b->next[last] = SERVER_NONE;
                last = at;
                at = next;
                continue;
            }
            if (last != SERVER_NONE) {
                ordo_u32 local;
                const ordo_u32 server = server_split(&a->owners, target, &local);
                server_pack<W, Words>(&a->shape, &whole, local, 0, here);
#pragma unroll
                for (int w = 0; w < W; w++)
                    held[last * W + w] = here[w];
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
    for (int k = 0; k < MY(places); k++) {
        const ordo_u32 at = (ordo_u32)k * SERVER_THREADS + threadIdx.x;
        if (to[k] == SERVER_NONE)
            continue;
        to[k] = b->next[at];
#pragma unroll
        for (int w = 0; w < W; w++)
            word[k][w] = held[at * W + w];
    }
}

/* Where a request goes, whose targets are numbers: its server, and there `local` and `other` as messages have them. */
template <bool Nested>
ORDO_DEV ordo_u32 MY(route)(const MY(args) * a, const ordo_request *r, ordo_u32 *local, ordo_u32 *other)
{
    const bool two = MY(pairs) && r->targets == 2;
    const ordo_u32 first = r->target[0], second = two ? r->target[1] : 0;
    ordo_u32 home = first;
    *other = two ? second + 1 : 0;
    if (Nested && two) { /* to the owner of the lower lock */
        const bool turned = server_above(&a->owners, first, second);
        home = turned ? second : first;
        *other = ((turned ? first : second) + 1) << 1 | turned;
    }
    return server_split(&a->owners, home, local);
}

/* A client's step. All threads of the block. */
template <int W, int Words, bool Near, bool Gather, bool Nested>
ORDO_DEV void MY(client)(const MY(args) * a, const MY(block) * b, server_sending *sending, ordo_u32 step,
                         ordo_u64 count, server_counters *mine, ordo_u32 *rounds)
{
    /* nested: more do not fit registers */
    constexpr int places = Nested ? (int)OP(requests) : MY(sent)(W, Near, Gather);
    constexpr int items = places / (int)OP(requests);
    constexpr int visitors = Nested ? (int)MY(visitors) : (int)SERVER_THREADS;
    const ordo_u64 batch = (ordo_u64)items * visitors, clients = gridDim.x - a->servers;
    const ordo_item *list = step == 1 ? a->run.initial : a->frontier.list[step & 1];
    for (ordo_u64 base = b->index * batch; base < count; base += clients * batch) {
        ordo_request request[items][OP(requests)] = {};
        ordo_u64 word[places][W];
        ordo_u32 to[places], found[items];
        /* All that is to be fetched comes before the first use of it: a thread then waits once. Numbers are behind a
         * branch, or the compiler has each item wait for its own. Items beyond the end look at the last one, so that
         * nothing else branches. */
#pragma unroll
        for (int k = 0; k < items; k++) {
            const ordo_u64 i = base + (ordo_u64)k * visitors + threadIdx.x, at = i < count ? i : count - 1;
            found[k] = OP(visit)(&a->state, list ? list[at] : (ordo_item)at, request[k]);
        }
        if (a->owners.number)
#pragma unroll
            for (int k = 0; k < items; k++)
#pragma unroll
                for (int q = 0; q < (int)OP(requests); q++) {
                    ordo_request *const r = &request[k][q];
                    const bool there = (ordo_u32)q < found[k];
                    r->target[0] = there ? server_number(&a->owners, r->target[0]) : 0;
                    if (MY(pairs))
                        r->target[1] = there && r->targets == 2 ? server_number(&a->owners, r->target[1]) : 0;
                }
#pragma unroll
        for (int k = 0; k < items; k++) {
            const bool visits = visitors == (int)SERVER_THREADS || threadIdx.x < visitors;
            const bool inside = visits && base + (ordo_u64)k * visitors + threadIdx.x < count;
            found[k] = inside ? found[k] : 0;
            mine->items += inside;
            mine->edges += found[k];
        }
#pragma unroll
        for (int place = 0; place < places; place++) {
            constexpr int each = (int)OP(requests);
            to[place] = SERVER_NONE;
            if (place < items * each) {
                const ordo_request *const r = &request[place / each][place % each];
                ordo_u32 local, other;
                const ordo_u32 server = MY(route)<Nested>(a, r, &local, &other);
                if ((ordo_u32)(place % each) < found[place / each])
                    to[place] = server;
                server_pack<W, Words>(&a->shape, r, Gather ? r->target[0] : local, other, word[place]);
            }
        }
        if constexpr (Gather)
            MY(gather)<W, Words>(a, b, to, word, mine);
        if (!server_deliver<W, places>(&b->out, &a->first, a->servers, to, word, sending, &a->halt, step, rounds))
            break;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ordo_dev_fence();
        ordo_dev_add(a->done, 1u);
    }
}

/* ---- servers ---- */

enum { SERVER_GOES_ON, SERVER_SERVED, SERVER_ENDS };

/* Thread 0 of a server that has nothing to do: has it ended? */
ORDO_DEV int MY(judge)(const MY(args) * a, const MY(block) * b, ordo_u32 step, bool served,
                       const server_taking *requests, const server_taking *seconds)
{
    if (!served)
        return server_dry(&a->first, b->index, requests, a->done, step * (gridDim.x - a->servers)) ? SERVER_SERVED
                                                                                                   : SERVER_GOES_ON;
    return server_dry(&a->second, b->index, seconds, a->served, step * a->servers) ? SERVER_ENDS : SERVER_GOES_ON;
}

/* The end of a server's round, for all threads of the block: whether it has ended. Idle: there was nothing to do; else
 * it is looked at now and then alone. *served is set when it has ended with requests. */
ORDO_DEV bool MY(round_ends)(const MY(args) * a, const MY(block) * b, ordo_u32 step, bool idle, bool *served,
                             const server_taking *requests, const server_taking *seconds, ordo_u32 *turns,
                             ordo_u32 *rounds)
{
    __shared__ int verdict;
    if (!idle && ++*turns % ORDO_CUDA_LOOK)
        return false;
    if (threadIdx.x == 0) {
        int now = idle ? MY(judge)(a, b, step, *served, requests, seconds) : SERVER_GOES_ON;
        if (now == SERVER_SERVED && MY(pairs)) {
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

/* A server's step. All threads of the block. */
template <int W, int Words, bool Near, bool Chains>
ORDO_DEV void MY(server)(const MY(args) * a, const MY(block) * b, server_taking *requests, server_taking *seconds,
                         server_sending *sending, ordo_dev_queue *queue, ordo_u32 step, server_counters *mine,
                         ordo_u32 *rounds)
{
    const bool chains = Chains && !MY(pairs);
    bool served = false, busy = false; /* the same for all threads */
    ordo_u32 turns = 0;
    for (;;) {
        ordo_u64 word[MY(places)][W];
        ordo_u32 count = 0, others = 0;
        if (MY(pairs)) {
            others = server_take<W, MY(places)>(&a->second, b->index, seconds, word, Words);
            ordo_request r[MY(places)] = {};
            ordo_u32 local[MY(places)] = {}, other;
#pragma unroll
            for (int k = 0; k < MY(places); k++)
                if ((ordo_u32)k * SERVER_THREADS + threadIdx.x < others)
                    r[k] = MY(open_message)<W, Words>(a, word[k], &local[k], &other);
#pragma unroll 1 /* a quarter of the code is faster by a third */
            for (int k = 0; k < MY(places); k++) {
                ordo_request now = server_pick(r, k);
                now.target[0] = now.target[1] = MY(target)<Near>(a, b, server_pick(local, k));
                now.targets = 2;
                MY(serve_second)<Near>(a, b, queue, (ordo_u32)k * SERVER_THREADS + threadIdx.x < others, &now,
                                       server_pick(local, k), step, mine);
            }
            if (busy)
                busy = __syncthreads_or(server_send<W>(&b->out, &a->second, sending));
        }
        if (!busy && !served)
            count = server_take<W, MY(places)>(&a->first, b->index, requests, word, false);
        if (count && chains) {
            MY(serve_chains)<W, Words, Near>(a, b, queue, word, count, step, mine);
        } else if (count) {
            ordo_request r[MY(places)] = {};
            ordo_u32 to[MY(places)], local[MY(places)] = {}, other[MY(places)] = {};
#pragma unroll
            for (int k = 0; k < MY(places); k++)
                if ((ordo_u32)k * SERVER_THREADS + threadIdx.x < count)
                    r[k] = MY(open_message)<W, Words>(a, word[k], &local[k], &other[k]);
#pragma unroll
            for (int k = 0; k < MY(places); k++)
                to[k] = SERVER_NONE;
#pragma unroll 1
            for (int k = 0; k < MY(places); k++) {
                int more = 0;
                ordo_request now = server_pick(r, k);
                const ordo_u32 second = server_pick(other, k);
                now.target[0] = now.target[1] = MY(target)<Near>(a, b, server_pick(local, k));
                now.targets = second ? 2 : 1;
                MY(serve_one)<Near>(a, b, queue, (ordo_u32)k * SERVER_THREADS + threadIdx.x < count, &now,
                                    server_pick(local, k), second != 0, step, mine, &more);
                if (MY(pairs) && more) {                              /* the second half takes its place */
                    ordo_u32 there; /* `second` is 1 more than its number */
                    const ordo_u32 server = server_split(&a->owners, second - 1, &there);
                    server_put(r, k, now);
                    server_put(local, k, there);
                    server_put(to, k, server);
                }
            }
#pragma unroll
            for (int k = 0; k < MY(places); k++)
                if (MY(pairs))
                    server_pack<W, Words>(&a->shape, &r[k], local[k], 0, word[k]);
            if (MY(pairs)) {
                server_fill<W, MY(places)>(&b->out, &a->second, a->servers, to, word, sending);
                if (Words) /* what first halves wrote comes before the messages; else second halves do not look */
                    ordo_dev_fence();
                busy = __syncthreads_or(server_send<W>(&b->out, &a->second, sending));
            }
        }
        if (OP(activates))
            ordo_dev_flush(queue, a->frontier.list[(step + 1) & 1], &a->frontier.turn[(step + 1) % 3].count, false);
        if (MY(round_ends)(a, b, step, !count && !others && !busy, &served, requests, seconds, &turns, rounds))
            break;
    }
}

#include "cuda_nested.cuh"

/* ---- the kernel ---- */

template <int W, int Words, bool Near, bool Chains, bool Gather, bool Nested>
static __global__ void __launch_bounds__(SERVER_THREADS, 2) MY(kernel)(const MY(args) a)
{
    extern __shared__ ordo_u64 room[];
    __shared__ ordo_dev_queue queue;
    __shared__ ordo_u32 least[2][3];
    auto grid = cooperative_groups::this_grid();
    MY(block) b;
    server_counters mine = {};
    ordo_u32 rounds = 0;
    b.server = server_role(a.servers, &b.index);
    b.state = a.state;
    b.out = server_outbox_at(room, a.servers);
    constexpr ordo_u32 stage = MY(staged)(W, Near, Gather, Nested) * W;
    ordo_u64 *rest = !b.server || (MY(pairs) && !Nested) ? room + server_outbox_words(a.servers, stage) : room;
    if (b.server ? Chains : Gather) {
        b.table = (ordo_u32 *)rest;
        const ordo_u32 lines = b.server ? (ordo_u32)MY(lines) : (ordo_u32)SERVER_LINES;
        b.next = b.table + lines;
        rest = (ordo_u64 *)(b.next + MY(batch));
        for (ordo_u32 i = threadIdx.x; i < lines; i += SERVER_THREADS)
            b.table[i] = SERVER_NONE;
    }
    if (Chains) {
        b.list = (unsigned short *)rest;
        rest += (int)MY(batch) / 4;
        b.held = rest;
        rest += (int)MY(batch) * (int)MY(full);
    } else if (!(Near && OP(lock_bits))) {
        b.lock = (ordo_u32 *)rest;
        rest += SERVER_NEAR_LOCKS / 2;
    }
    if (Nested) {
        b.seen = (ordo_u32 *)rest;
        for (ordo_u32 i = threadIdx.x; b.server && i < a.servers; i += SERVER_THREADS)
            b.seen[i] = 0;
    }
    const ordo_u32 owned = b.server ? a.owners.most : 0;
    if (Near) /* clients, too: so the compiler knows what memory it is */
        OP(owned_use)(&b.state, (char *)rest, owned);
    if (b.server) {
        if (!Chains && !(Near && OP(lock_bits)))
            for (ordo_u32 i = threadIdx.x; i < SERVER_NEAR_LOCKS; i += SERVER_THREADS)
                b.lock[i] = 0;
        for (ordo_u32 i = threadIdx.x; Near && i < owned; i += SERVER_THREADS) {
            const ordo_u32 target = server_target(&a.owners, server_join(&a.owners, i, b.index));
            if (target < a.owners.targets)
                OP(owned_copy)(&b.state, i, &a.state, target);
        }
    }
    server_taking requests = server_taking_begin(least[0]), seconds = server_taking_begin(least[1]);
    server_sending sending = {};
    nested_place place = {};
    ordo_dev_start(&queue); /* has a barrier */
    for (ordo_u32 step = 1;; step++) {
        const ordo_cuda_frontier *f = &a.frontier;
        const ordo_u64 count = step == 1 ? a.run.initial_count : f->turn[step % 3].count;
        if (count == 0 || f->turn[step % 3].stop)
            break;
        if (blockIdx.x == 0 && threadIdx.x == 0)
            ordo_dev_begin_step(f, step, &a.run, count, step, 0);
        if (!b.server)
            MY(client)<W, Words, Near, Gather, Nested>(&a, &b, &sending, step, count, &mine, &rounds);
        else if constexpr (Nested)
            MY(nested_server)<W, Words>(&a, &b, &place, &queue, step, &mine, &rounds);
        else
            MY(server)<W, Words, Near, Chains>(&a, &b, &requests, &seconds, &sending, &queue, step, &mine, &rounds);
        if (!OP(activates))
            break;
        ordo_dev_flush(&queue, f->list[(step + 1) & 1], &f->turn[(step + 1) % 3].count, true);
        grid.sync();
        if (ordo_dev_halted(&a.halt, step))
            break;
    }
    __syncthreads();
    for (ordo_u32 i = threadIdx.x; Near && i < owned; i += SERVER_THREADS) {
        const ordo_u32 target = server_target(&a.owners, server_join(&a.owners, i, b.index));
        if (target < a.owners.targets)
            OP(owned_copy)(&a.state, target, &b.state, i);
    }
    ordo_dev_publish(a.run.counters, server_counted(&mine));
}

/* ---- the host's part ---- */

enum {
    SERVER_FEW = 2048,       /* hot targets, up to which it is best to combine in the client */
    SERVER_MANY = 65536,     /* from which owners of halves keep up with more clients */
    SERVER_CROWDED = 10,     /* of a server, below which one lane of a warp better tries for a lock in words, */
    SERVER_CROWDED_FAR = 16, /* and for those beside words in global memory, which are held for longer */
    SERVER_WIDE = 4096       /* up to which halves better have words of 64 bits in global memory, and locks beside */
};

/* Clients to a server where clients combine: a batch leaves a message for each target in it, and the fewer these are,
 * the fewer servers are kept busy; an eighth of the blocks to a half. */
static inline double server_gathering(double targets, double batch)
{
    const double left = targets > 0 ? targets / batch * (1 - exp(-batch / targets)) : 1, clients = 1 / (2 * left);
    return clients < 1 ? 1 : clients > 7 ? 7 : clients;
}

/* Forms of a run, and how large it is. */
typedef struct MY(plan) {
    bool near, chains, gather, nested;
    int words, units, blocks; /* of a message; multiprocessors; blocks of each */
    int partition;
    ordo_u32 servers, most, log; /* `most` targets of a server, by runs of 1 << log */
    size_t shared;
} MY(plan);

static server_shape MY(shape_of)(const ordo_job *job, const MY(plan) * p)
{
    return server_shape_of(job->universe, p->most, MY(pairs) ? (ordo_u64)p->most * p->servers : 0);
}

/* Words of a message. */
static int MY(words_of)(const ordo_job *job, const MY(plan) * p)
{
    if (p->nested)
        return MY(nested_words);
    if (p->gather || !MY(recalls))
        return MY(full);
    return MY(shape_of)(job, p).bits <= SERVER_BITS ? 1 : 2;
}

/* Bytes of shared memory of a block. */
static size_t MY(room)(const ordo_job *job, const MY(plan) * p)
{
    const size_t batch = (size_t)MY(batch);
    const size_t lines = 4 * SERVER_LINES + 4 * batch, chains = 4 * (size_t)MY(lines) + 6 * batch;
    const ordo_u32 stage = (ordo_u32)(MY(staged)(p->words, p->near, p->gather, p->nested) * p->words);
    const size_t box = 8 * server_outbox_words(p->servers, stage);
    const size_t client = box + (p->gather ? lines : 0);
    size_t server = p->nested ? 8 * ((p->servers + 1) / 2) : MY(pairs) ? box : 0;
    if (p->chains)
        server += chains + batch * 8 * (size_t)MY(full);
    else if (!(p->near && OP(lock_bits)))
        server += 4 * SERVER_NEAR_LOCKS;
    if (p->near)
        server += (size_t)p->most * OP(owned_bytes)((const OP(state) *)job->state) + 8 * ORDO_MOST_ARRAYS;
    return server > client ? server : client;
}

/* More servers where they have more to do, as those of pairs have, or where it is their memory that is short; fewer
 * where clients combine, if they are `spared`; and one for isolated pairs that all wait for few locks. */
static ordo_u32 MY(servers)(const ordo_job *job, const MY(plan) * p, double targets, bool more, bool spared)
{
    const double asked = job->tunable[SERVER_RATIO];
    const int all = p->units * p->blocks;
    if (asked > 0)
        return server_share(all, asked);
    if (p->nested && targets > 0 && targets <= NESTED_ALONE)
        return 1;
    if (p->gather && spared)
        return server_share(all, server_gathering(targets, MY(batch)));
    if (p->blocks == 1)
        return server_share(all, 0.5);
    if (MY(pairs)) /* with many targets and short sections clients have enough to do */
        return server_share(all, p->near && targets >= SERVER_MANY ? 0.45 : 1.0 / 3);
    if (p->near && targets > 0.5 * all && targets < 0.5 * SERVER_CROWDED * all) /* several of one are what takes time */
        return server_share(all, 1.0 / 3);
    return server_share(all, more ? 0.65 : 1);
}

static ordo_status MY(refuse)(const ordo_job *job)
{
    const int form = (int)job->tunable[SERVER_FORM];
    if ((int)job->tunable[SERVER_PAIRS] == 2 && !OP(halves))
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' with pairs=halves needs an operator whose section has two halves, "
                         "since others come between them; '%s' has none",
                         job->op->name);
    if (form == 2 && !(OP(combines) && OP(targets) == 1))
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' with form=combine needs an operator of one target that combines "
                         "requests; '%s' does not",
                         job->op->name);
    if (form == 3 && (OP(targets) == 2 || (int)job->tunable[SERVER_DATA] == 2))
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' with form=chains needs an operator of one target, and has no "
                         "data=shared; '%s' was asked for",
                         job->op->name);
    if (OP(targets) == 2 && ((int)job->tunable[SERVER_PAIRS] == 1 || !OP(halves)) &&
        (int)job->tunable[SERVER_DATA] == 2)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' on device 'cuda' with data=shared has no pairs=nested, since a "
                         "section needs the words of two servers; '%s' would be run so",
                         job->op->name);
    if ((int)job->tunable[SERVER_ROLES] == 1)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'lock_server' on device 'cuda' has roles=apart alone");
    return ORDO_OK;
}

/* Where the words go, in what form they are served, how many blocks: the first of these that fits. */
static ordo_status MY(choose)(const ordo_job *job, const ordo_survey *survey, MY(plan) * p)
{
    const int data = (int)job->tunable[SERVER_DATA], form = (int)job->tunable[SERVER_FORM];
    const int asked = (int)job->tunable[SERVER_BLOCKS], partition = (int)job->tunable[SERVER_PARTITION];
    const bool few = survey->targets > 0 && survey->targets <= SERVER_FEW;
    size_t unit = 0, most = 0;
    ordo_status status = ordo_cuda_size(&p->units, &unit, &most);
    if (status)
        return status;
    p->nested = OP(targets) == 2 && ((int)job->tunable[SERVER_PAIRS] == 1 || !OP(halves));
    p->gather = (form == 2 || (form == 0 && few && OP(combines) && OP(targets) == 1)) && !OP(cuda_twice)(job) &&
                job->targets < 1u << 27;
    /* shared memory has no operation on 64 bits but compare-and-swap, which takes long where many want one word */
    const bool wide = MY(pairs) && (int)OP(lock_bits) == 64 && data == 0 && survey->targets > 0 &&
                      survey->targets <= SERVER_WIDE;
    /* few servers may have no room for all words: then more of them where these have to be shared */
    for (int spared = 1; spared >= 0; spared--)
        for (int far = data == 1 || p->nested || form == 3 || wide; far <= (data != 2); far++)
            for (int way = asked == 1 ? 2 : 0; way <= (asked == 2 ? 1 : 2); way++) {
                p->blocks = way == 2 ? 1 : 2;
                p->near = !far;
                p->chains = far && (form >= 2 || p->gather);
                p->servers = MY(servers)(job, p, survey->targets, way == 1, spared);
                p->partition = server_partition(partition, survey, p->servers);
                p->log = server_run_log(p->near, job->targets, p->servers);
                p->most = server_most(p->partition, job->targets, p->servers, p->log);
                p->words = MY(words_of)(job, p);
                p->shared = MY(room)(job, p);
                /* less what the kernel declares, and what the system takes */
                const size_t each = unit / (size_t)p->blocks - 5120 - (OP(activates) ? sizeof(ordo_dev_queue) : 0);
                if (p->units * p->blocks >= 2 && p->shared <= (each < most - 4096 ? each : most - 4096))
                    return ORDO_OK;
            }
    p->blocks = asked ? asked : 1;
    return ordo_fail(ORDO_ERR_USAGE,
                     "scheduler 'lock_server': blocks of %zu bytes of shared memory, %d a "
                     "multiprocessor, do not fit this GPU: one has %zu, a block at most %zu",
                     p->shared, p->blocks, unit, most);
}

/* Owners, and from how many targets the fullest has, how long a message is, and how large a block. */
static ordo_status MY(choose_owners)(ordo_cuda *c, const ordo_survey *survey, MY(plan) * p, MY(args) * a)
{
    const ordo_job *job = c->job;
    const ordo_u32 expected = p->most;
    ordo_status status = server_owners_make(c, p->partition, p->servers, p->log, survey, &a->owners);
    if (status)
        return status;
    a->servers = p->servers;
    a->crowded = survey->targets > 0 && survey->targets < (p->near ? SERVER_CROWDED : SERVER_CROWDED_FAR) * p->servers;
    a->homes = p->nested ? nested_homes(job->tunable[SERVER_FLIGHT], survey->targets, p->servers) : 0;
    p->most = a->owners.most;
    a->shape = MY(shape_of)(job, p);
    const int words = p->words;
    p->words = MY(words_of)(job, p);
    p->shared = MY(room)(job, p);
    const int bits = p->nested ? 29 : MY(pairs) ? 30 : 28;
    const ordo_u64 numbers = (ordo_u64)p->most * p->servers;
    if ((MY(pairs) || p->chains || (MY(full) == 2 && !MY(recalls))) && numbers >> bits)
        return ordo_fail(ORDO_ERR_USAGE,
                         "scheduler 'lock_server' on device 'cuda': %llu targets, expected fewer than 2^%d",
                         (unsigned long long)numbers, bits);
    if (p->words > words || (p->near && p->most > expected))
        return ordo_fail(ORDO_ERR_USAGE,
                         "scheduler 'lock_server' on device 'cuda': parts of very different sizes: one has %u of %llu "
                         "targets, expected %u at most",
                         p->most, (unsigned long long)job->targets, expected);
    return ORDO_OK;
}

static ordo_status MY(make_args)(ordo_cuda *c, const MY(plan) * p, MY(args) * a)
{
    const ordo_job *job = c->job;
    const ordo_u32 log =
        server_ring_log(job->tunable[SERVER_RING], (ordo_u32)MY(staged)(p->words, p->near, p->gather, p->nested));
    a->twice = OP(cuda_twice)(job);
    a->run = c->run;
    ordo_status status = OP(cuda_frontier)(c, OP(activates), &a->frontier, &a->halt);
    if (!status)
        status = server_rings_make(c, a->servers, log, p->words, &a->first);
    if (!status && MY(pairs))
        status = server_rings_make(c, a->servers,
                                   p->nested ? server_ring_log(job->tunable[SERVER_RING], SERVER_THREADS) : log,
                                   p->words, &a->second);
    if (!status && p->nested)
        status =
            (a->answer = (ordo_u32 *)ordo_cuda_alloc(c, (ordo_u64)a->servers * SERVER_THREADS, sizeof(ordo_u32), true))
                ? ORDO_OK
                : ORDO_ERR_MEMORY;
    if (!status) {
        a->done = (ordo_u32 *)ordo_cuda_alloc(c, 2 * ORDO_CUDA_LINE, sizeof(ordo_u32), true);
        a->served = a->done ? a->done + ORDO_CUDA_LINE : NULL;
        status = a->done ? ORDO_OK : ORDO_ERR_MEMORY;
    }
    return status;
}

/* The kernel of a form, or NULL: of templates that an operator cannot have none is instantiated. */
template <int W, int Words, bool Has, bool Chains> static const void *MY(kernel_of)(const MY(plan) * p)
{
    if constexpr (Has && Chains) {
        if (p->chains)
            return (const void *)MY(kernel)<W, Words, false, true, false, false>;
    }
    if constexpr (Has)
        return p->near ? (const void *)MY(kernel)<W, Words, true, false, false, false>
                       : (const void *)MY(kernel)<W, Words, false, false, false, false>;
    return NULL;
}

template <bool Has> static const void *MY(gathering_kernel_of)(const MY(plan) * p)
{
    constexpr int width = (int)MY(full), words = Has ? (int)OP(words) : 2;
    if constexpr (Has)
        return p->near ? (const void *)MY(kernel)<width, words, true, false, true, false>
                       : (const void *)MY(kernel)<width, words, false, true, true, false>;
    return NULL;
}

template <bool Has> static const void *MY(nested_kernel_of)(void)
{
    if constexpr (Has)
        return (const void *)MY(kernel) < (int)MY(nested_words), (int)MY(recalls) ? 0 : 2, false, false, false, true > ;
    return NULL;
}

static const void *MY(find_kernel)(const MY(plan) * p)
{
    constexpr bool one = (int)OP(targets) == 1, runs = one || (int)OP(halves), recalls = (int)MY(recalls);
    if (p->nested)
        return MY(nested_kernel_of)<!one>();
    if (p->gather)
        return MY(gathering_kernel_of) < one && (int)OP(combines) > (p);
    if (!recalls)
        return MY(kernel_of) < (int)MY(full), (int)OP(words), runs && !recalls, one > (p);
    return p->words == 1 ? MY(kernel_of) < 1, 0, runs && recalls, one > (p) : MY(kernel_of) < 2, 0, runs && recalls,
           one > (p);
}

static ordo_status MY(run_job)(ordo_job *job)
{
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    MY(args) a = {};
    MY(plan) plan = {};
    ordo_survey survey = {};
    int resident = 0;
    const void *kernel = NULL;
    ordo_status status = MY(refuse)(job);
    if (status)
        return status;
    status = ordo_cuda_begin(job, 0, false, &c);
    if (!status)
        status = ordo_survey_make(job->op, job->state, job->initial, job->initial_count, &survey);
    if (!status)
        status = MY(choose)(job, &survey, &plan);
    if (!status)
        status = MY(choose_owners)(&c, &survey, &plan, &a);
    ordo_survey_free(&survey);
    if (!status)
        status = OP(cuda_state)(&c, &a.state, &arrays);
    if (!status)
        status = MY(make_args)(&c, &plan, &a);
    if (!status) {
        kernel = ordo_cuda_kernel(MY(find_kernel)(&plan));
        status = ordo_cuda_share(&c, kernel, SERVER_THREADS, plan.shared, &resident);
    }
    if (!status && resident < plan.blocks)
        status = ordo_fail(ORDO_ERR_DEVICE,
                           "device 'cuda': %d blocks of %zu bytes of shared memory a multiprocessor "
                           "asked for, %d fit",
                           plan.blocks, plan.shared, resident);
    if (!status) {
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, kernel, SERVER_THREADS, plan.blocks, args);
    }
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(lock_server, MY(run_job), 1u << ORDO_SYNC_SERVER)
#undef MY
