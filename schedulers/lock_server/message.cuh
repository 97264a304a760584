/* lock_server/message.cuh -- messages between blocks of a GPU: what they hold, how they are sent and taken.
 *
 * Problem. Many blocks send short messages to one, through global memory, with few atomics and fences.
 *
 * Data structures. A server has a ring to which many blocks write.
 *   write   places that have been reserved, one atomic add per batch and server (senders)
 *   read    places that may be overwritten, one release store per round (the server)
 *   place   W words of 64 bits per message, each with its lap in its two upper bits: 1 more than the number of times
 *           that the ring was filled before, modulo 4
 *
 * Protocol. A batch of messages is sorted by server in the sender's shared memory (counts, a scan, places), so that the
 * messages for one server take one reservation and one coalesced copy. A word is valid for the reader at `at` if it has
 * the lap of `at`: before it is written it has the lap before, or 0 in the first. So there is no bit-mask, and nothing
 * to reset. A server takes the valid prefix of the places that come next. It may be behind what is reserved, but never
 * ahead: every reserved place is written, once.
 *
 * Termination. A reservation is written as soon as there are places for all of it in its ring (it is no larger than a
 * ring), and no sender waits for one ring while another has free places that it reserved there. So the first
 * reservation of a ring that is not written waits for that ring's server only.
 *
 * Memory order. A message is its words, each written whole: no fence is needed. Invariant: a sender writes place `at`
 * only if at - read < size. It acquires `read`, which the server releases when the words are in its registers: no word
 * is overwritten before it was taken.
 */
#ifndef SERVER_MESSAGE_ONCE
#define SERVER_MESSAGE_ONCE

#ifndef SERVER_BLOCK_THREADS /* a test's blocks are smaller */
#define SERVER_BLOCK_THREADS 512
#endif
#ifndef ORDO_CUDA_DYNAMIC
#define ORDO_CUDA_DYNAMIC(_type, _name) extern __shared__ _type _name[]
#endif

enum {
    SERVER_THREADS = SERVER_BLOCK_THREADS, /* of a block */
    SERVER_WARPS = SERVER_THREADS / 32,
    SERVER_EACH = 4,            /* the least number of messages of a thread in a batch */
    SERVER_MOST = 512,          /* the most servers: a sender has a thread for each */
    SERVER_LINES = 4096,        /* lines of a client's table of chains, */
    SERVER_CHAINS = 8192,       /* and of a server's, if messages are short and batches small */
    SERVER_SHARED_LOCKS = 4096, /* locks of a server, in shared memory */
    SERVER_TAGS = 2048,         /* number of tags of tries */
    SERVER_BITS = 62            /* bits of a word without its lap */
};
#define SERVER_NONE 0xffffffffu

/* ordo_cuda_counters of a thread, in half as many registers: no thread has 2^32 items. */
typedef struct server_counters {
    ordo_u32 items, edges, useful, activations;
} server_counters;

ORDO_DEV ordo_cuda_counters server_counted(const server_counters *mine)
{
    ordo_cuda_counters all = {};
    all.items = mine->items;
    all.edges = mine->edges;
    all.useful = mine->useful;
    all.activations = mine->activations;
    return all;
}

/* ---- what a message holds ---- */

/* Numbers of bits: of the item, of the target's number at its server, and of a message without arguments. */
typedef struct server_shape {
    ordo_u32 item, local, bits;
} server_shape;

static inline ordo_u32 server_bits_of(ordo_u64 count) /* bits for numbers below `count` */
{
    ordo_u32 bits = 0;
    while (bits < 64 && (1ull << bits) < count)
        bits++;
    return bits;
}

/* `others`: number of targets that can be a second one; 0: there is none. */
static inline server_shape server_shape_of(ordo_u64 items, ordo_u64 locals, ordo_u64 others)
{
    server_shape s;
    s.item = server_bits_of(items);
    s.local = server_bits_of(locals);
    s.bits = s.item + s.local + (others ? server_bits_of(others + 1) : 0);
    return s;
}

ORDO_DEV ordo_u64 server_low(ordo_u64 word, ordo_u32 bits)
{
    return word & ((1ull << bits) - 1);
}

/* By one thread: packs a message. 1 or 2 words hold the item, the target's number at its server (below 2^28) and
 * `other`, the second target plus 1, or 0; 4 words hold the arguments as well; 2 words with arguments (Words) hold two
 * arguments of 32 bits, and no second target. */
template <int W, int Words, typename Request>
ORDO_DEV void server_pack(const server_shape *s, const Request *r, ordo_u32 local, ordo_u32 other, ordo_u64 (&word)[W])
{
    static_assert((W == 1 && !Words) || W == 2 || (W == 4 && Words), "words of a message");
    if constexpr (W == 2 && Words) {
        word[0] = r->item | server_low(r->word[0], 30) << 32;
        word[1] = (r->word[0] >> 30 & 3) | (ordo_u64)local << (Words == 2 ? 34 : 2) |
                  (Words == 2 ? r->word[1] << 2 : (ordo_u64)other << 32);
    } else if constexpr (W == 1) {
        word[0] = r->item | (ordo_u64)local << s->item | (ordo_u64)other << (s->item + s->local);
    } else {
        word[0] = r->item;
        word[1] = local | (ordo_u64)other << 32;
        if constexpr (W == 4) {
            word[0] |= server_low(r->word[0], 30) << 32;
            word[2] = r->word[0] >> 30 | server_low(r->word[1], 28) << 34;
            word[3] = r->word[1] >> 28;
        }
    }
}

template <int W, int Words, typename Request>
ORDO_DEV Request server_unpack(const server_shape *s, const ordo_u64 (&word)[W], ordo_u32 *local, ordo_u32 *other)
{
    Request r = {};
    if constexpr (W == 2 && Words) {
        const ordo_u64 second = server_low(word[1], SERVER_BITS);
        r.item = (ordo_u32)word[0];
        r.word[0] = server_low(word[0], SERVER_BITS) >> 32 | (second & 3) << 30;
        r.word[1] = Words == 2 ? second >> 2 & 0xffffffffu : 0;
        *local = (ordo_u32)(Words == 2 ? second >> 34 : server_low(second >> 2, 30));
        *other = (ordo_u32)(Words == 2 ? 0 : second >> 32);
    } else if constexpr (W == 1) {
        const ordo_u64 all = server_low(word[0], SERVER_BITS);
        r.item = (ordo_u32)server_low(all, s->item);
        *local = (ordo_u32)server_low(all >> s->item, s->local);
        *other = (ordo_u32)(all >> (s->item + s->local));
    } else {
        r.item = (ordo_u32)word[0];
        *local = (ordo_u32)word[1];
        *other = (ordo_u32)(server_low(word[1], SERVER_BITS) >> 32);
        if constexpr (W == 4) {
            const ordo_u64 second = server_low(word[2], SERVER_BITS);
            r.word[0] = server_low(word[0], SERVER_BITS) >> 32 | server_low(second, 34) << 30;
            r.word[1] = second >> 34 | server_low(word[3], SERVER_BITS) << 28;
        }
    }
    r.targets = *other ? 2 : 1;
    return r;
}

/* By one thread: stores a tag below SERVER_TAGS, in bits that are free in 2 words without arguments and in 4 words. */
template <int W> ORDO_DEV void server_tag(ordo_u64 (&word)[W], ordo_u32 tag)
{
    static_assert(W == 2 || W == 4, "words with bits to spare");
    word[W - 1 - (W == 2)] |= (ordo_u64)tag << (W == 2 ? 32 : 36);
}
template <int W> ORDO_DEV ordo_u32 server_tag_of(const ordo_u64 (&word)[W])
{
    return (ordo_u32)(word[W - 1 - (W == 2)] >> (W == 2 ? 32 : 36)) & (SERVER_TAGS - 1);
}

/* By one thread: the line of a client's table of chains for a target's number (numbers at servers would share a few
 * lines). */
ORDO_DEV ordo_u32 server_line(ordo_u32 target)
{
    static_assert(SERVER_LINES == 1 << 12, "the upper 12 bits");
    return target * 0x9e3779b1u >> 20;
}

/* By one thread: reads and writes element k of an array in registers, if k is not a constant: so that a loop need not
 * be unrolled, which has a quarter of the code. */
template <typename T, int P> ORDO_DEV T server_pick(const T (&from)[P], int k)
{
    T value = from[0];
#pragma unroll
    for (int i = 1; i < P; i++)
        if (i == k)
            value = from[i];
    return value;
}
template <int P, int W> ORDO_DEV void server_pick(const ordo_u64 (&from)[P][W], int k, ordo_u64 (&to)[W])
{
#pragma unroll
    for (int i = 0; i < P; i++)
#pragma unroll
        for (int w = 0; w < W; w++)
            if (i == 0 || i == k)
                to[w] = from[i][w];
}
template <typename T, int P> ORDO_DEV void server_put(T (&to)[P], int k, T value)
{
#pragma unroll
    for (int i = 0; i < P; i++)
        if (i == k)
            to[i] = value;
}

/* ---- rings ---- */

typedef struct server_rings {
    ordo_u64 *place;        /* [servers][1 << log][W], initially 0 */
    ordo_u32 *write, *read; /* [servers] each on a separate cache line, initially 0 */
    ordo_u32 log;
} server_rings;

/* By a whole block: whether it is a server, and its number among the servers or clients. Servers are spread evenly over
 * the blocks, so that every multiprocessor has both. */
ORDO_DEV bool server_role(ordo_u32 servers, ordo_u32 *index)
{
    const ordo_u32 before = (ordo_u32)((ordo_u64)blockIdx.x * servers / gridDim.x);
    const ordo_u32 after = (ordo_u32)((ordo_u64)(blockIdx.x + 1) * servers / gridDim.x);
    *index = before != after ? before : blockIdx.x - before;
    return before != after;
}

/* A batch, sorted by server, in shared memory. */
typedef struct server_outbox {
    ordo_u32 *count, *offset; /* [servers] */
    ordo_u64 *stage;          /* [messages][W] */
} server_outbox;

static __host__ __device__ inline ordo_u32 server_outbox_words(ordo_u32 servers, ordo_u32 stage)
{
    return servers + stage;
}
ORDO_DEV server_outbox server_outbox_at(ordo_u64 *capacity, ordo_u32 servers)
{
    server_outbox out = {(ordo_u32 *)capacity, (ordo_u32 *)capacity + servers, capacity + servers};
    return out;
}

/* The messages that a thread sends, to server warp + SERVER_WARPS * lane. */
typedef struct server_sending {
    ordo_u32 count, offset, at; /* their number, place in the outbox, and first reserved place */
    ordo_u32 seen;              /* the last loaded `read` */
    bool waiting;
} server_sending;

/* By a whole block: sorts messages into the outbox, whose last batch must have been written; server_send writes this
 * one. Returns their number. If to[k] is SERVER_NONE, the thread has no message k; `get(k, word)` makes the others.
 * Places are reserved as soon as their number is known, so that the reservation and the sorting overlap; in between no
 * thread waits for another block. */
template <int W, int P, typename Get>
ORDO_DEV ordo_u32 server_fill_by(const server_outbox *out, const server_rings *rings, ordo_u32 servers,
                                 const ordo_u32 (&to)[P], Get get, server_sending *s)
{
    __shared__ ordo_dev_scan<ordo_u32, SERVER_THREADS, true> scan;
    const ordo_u32 mine = threadIdx.x / 32 + SERVER_WARPS * (threadIdx.x % 32); /* server */
    static_assert(P * SERVER_THREADS <= 1 << 16 && SERVER_MOST <= 1 << 16, "both in one register");
    ordo_u32 ranked[P], total; /* the server, and in the upper half the number of messages for it that come before */
    if (threadIdx.x < servers)
        out->count[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < P; k++)
        ranked[k] = to[k] == SERVER_NONE ? SERVER_NONE : to[k] | atomicAdd(&out->count[to[k]], 1u) << 16;
    __syncthreads();
    s->count = mine < servers ? out->count[mine] : 0;
    s->at = s->count ? ordo_dev_add(&rings->write[mine * ORDO_CUDA_LINE], s->count) : 0;
    s->waiting = s->count != 0;
    const ordo_u32 offset = ordo_dev_sum_before(&scan, threadIdx.x < servers ? out->count[threadIdx.x] : 0u, &total);
    if (threadIdx.x < servers)
        out->offset[threadIdx.x] = offset;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < P; k++)
        if (ranked[k] != SERVER_NONE) {
            const ordo_u32 at = out->offset[ranked[k] & 0xffff] + (ranked[k] >> 16);
            ordo_u64 word[W];
            get(k, word);
#pragma unroll
            for (int w = 0; w < W; w++)
                out->stage[at * W + w] = word[w];
        }
    s->offset = s->count ? out->offset[mine] : 0;
    __syncthreads();
    return total;
}

/* By a whole block: the same for messages in registers. */
template <int W, int P>
ORDO_DEV ordo_u32 server_fill(const server_outbox *out, const server_rings *rings, ordo_u32 servers,
                              const ordo_u32 (&to)[P], const ordo_u64 (&word)[P][W], server_sending *s)
{
    return server_fill_by<W, P>(
        out, rings, servers, to,
        [&](int k, ordo_u64(&here)[W]) {
#pragma unroll
            for (int w = 0; w < W; w++)
                here[w] = word[k][w];
        },
        s);
}

/* By a whole warp: writes the messages for servers whose rings have free places; returns whether this lane's messages
 * still wait. */
template <int W> ORDO_DEV bool server_send(const server_outbox *out, const server_rings *rings, server_sending *s)
{
    const ordo_u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, size = 1u << rings->log;
    bool ready = s->waiting;
    if (ready && s->at + s->count - s->seen > size) {
        s->seen = ordo_dev_acquire(&rings->read[(warp + SERVER_WARPS * lane) * ORDO_CUDA_LINE]);
        ready = s->at + s->count - s->seen <= size;
    }
    for (ordo_u32 open = __ballot_sync(0xffffffffu, ready); open; open &= open - 1) {
        const int from = __ffs((int)open) - 1;
        const ordo_u32 count = __shfl_sync(0xffffffffu, s->count, from);
        const ordo_u32 offset = __shfl_sync(0xffffffffu, s->offset, from);
        const ordo_u32 first = __shfl_sync(0xffffffffu, s->at, from);
        ordo_u64 *const ring = rings->place + (((ordo_u64)(warp + SERVER_WARPS * (ordo_u32)from) << rings->log) * W);
        for (ordo_u32 i = lane; i < count; i += 32) {
            const ordo_u32 at = first + i;
            const ordo_u64 lap = (ordo_u64)(((at >> rings->log) + 1) & 3) << SERVER_BITS;
#pragma unroll
            for (int w = 0; w < W; w++)
                ordo_dev_store(&ring[(ordo_u64)(at & (size - 1)) * W + w], out->stage[(offset + i) * W + w] | lap);
        }
    }
    s->waiting = s->waiting && !ready;
    return s->waiting;
}

/* By a whole block: sends a client's batch. On return it is written, and the outbox may be filled again. False if the
 * run ends early. */
template <int W, int P>
ORDO_DEV bool server_deliver(const server_outbox *out, const server_rings *rings, ordo_u32 servers,
                             const ordo_u32 (&to)[P], const ordo_u64 (&word)[P][W], server_sending *sending,
                             const ordo_cuda_halt *halt, ordo_u32 step, ordo_u32 *rounds)
{
    server_fill<W, P>(out, rings, servers, to, word, sending);
    bool told = ordo_dev_told(halt, step, rounds);
    while (__any_sync(0xffffffffu, server_send<W>(out, rings, sending)) && !__any_sync(0xffffffffu, told))
        told = ordo_dev_told(halt, step, rounds);
    return !__syncthreads_or(told);
}

/* A server's end of a ring. least[slot] is the first place of a round that is not valid, triple-buffered: the word of
 * the round after next is reset after the barrier that all threads pass which read it last. */
typedef struct server_taking {
    ordo_u32 taken; /* number of places taken so far */
    ordo_u32 slot;
    ordo_u32 *least; /* [3] in shared memory */
} server_taking;

/* By a whole block; a barrier must follow before the first server_take. */
ORDO_DEV server_taking server_taking_begin(ordo_u32 *least)
{
    server_taking t = {0, 0, least};
    if (threadIdx.x < 3)
        least[threadIdx.x] = SERVER_NONE;
    return t;
}

/* By a whole block: takes the valid prefix of the next places, at most P messages per thread. A thread's word[k] gets
 * message k SERVER_THREADS + threadIdx.x of these. Returns their number. `order`: what their senders wrote before is
 * visible. Has one barrier. */
template <int W, int P>
ORDO_DEV ordo_u32 server_take(const server_rings *rings, ordo_u32 index, server_taking *t, ordo_u64 (&word)[P][W],
                              bool order)
{
    const ordo_u32 size = 1u << rings->log;
    ordo_u64 *const ring = rings->place + ((ordo_u64)index << rings->log) * W;
    ordo_u32 first = P * SERVER_THREADS;
#pragma unroll
    for (int k = 0; k < P; k++)
#pragma unroll
        for (int w = 0; w < W; w++)
            word[k][w] = ordo_dev_load(
                &ring[(ordo_u64)((t->taken + (ordo_u32)k * SERVER_THREADS + threadIdx.x) & (size - 1)) * W + w]);
#pragma unroll
    for (int k = P - 1; k >= 0; k--) {
        const ordo_u32 lap = (((t->taken + (ordo_u32)k * SERVER_THREADS + threadIdx.x) >> rings->log) + 1) & 3;
        bool valid = true;
#pragma unroll
        for (int w = 0; w < W; w++)
            valid = valid && (ordo_u32)(word[k][w] >> SERVER_BITS) == lap;
        const ordo_u32 gaps = __ballot_sync(0xffffffffu, !valid);
        if (gaps)
            first = (ordo_u32)k * SERVER_THREADS + (threadIdx.x & ~31u) + (ordo_u32)__ffs((int)gaps) - 1;
    }
    if (order)
        ordo_dev_fence();
    if (threadIdx.x % 32 == 0 && first < P * SERVER_THREADS)
        atomicMin(&t->least[t->slot], first);
    __syncthreads();
    const ordo_u32 least = t->least[t->slot], count = least < P * SERVER_THREADS ? least : P * SERVER_THREADS;
    if (threadIdx.x == 0)
        t->least[t->slot == 0 ? 2 : t->slot - 1] = SERVER_NONE;
    t->slot = t->slot == 2 ? 0 : t->slot + 1;
    t->taken += count;
    if (count && threadIdx.x == 0)
        ordo_dev_release(&rings->read[index * ORDO_CUDA_LINE], t->taken);
    return count;
}

/* By one thread: whether all messages are taken and no more will come: `expected` senders have ended, counted in
 * `done`, and all that was reserved is taken. Acquire: a sender that counts itself done has reserved before. */
ORDO_DEV bool server_dry(const server_rings *rings, ordo_u32 index, const server_taking *t, ordo_u32 *done,
                         ordo_u32 expected)
{
    return ordo_dev_acquire(done) == expected && ordo_dev_load(&rings->write[index * ORDO_CUDA_LINE]) == t->taken;
}

/* ---- the host's part ---- */

static inline ordo_status server_rings_make(ordo_cuda *c, ordo_u32 servers, ordo_u32 log, int words,
                                            server_rings *rings)
{
    rings->log = log;
    rings->place = (ordo_u64 *)ordo_cuda_alloc(c, (ordo_u64)servers << log, 8 * (size_t)words, true);
    rings->write = rings->place ? (ordo_u32 *)ordo_cuda_alloc(c, (ordo_u64)servers * ORDO_CUDA_LINE, 4, true) : NULL;
    rings->read = rings->write ? (ordo_u32 *)ordo_cuda_alloc(c, (ordo_u64)servers * ORDO_CUDA_LINE, 4, true) : NULL;
    return rings->read ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* log2 of the places of a ring, which holds at least a batch. */
static inline ordo_u32 server_ring_log(double asked, ordo_u32 batch)
{
    ordo_u32 log = 0;
    while ((ordo_u64)2 << log <= (ordo_u64)asked || 1u << log < batch)
        log++;
    return log;
}

/* The number of servers among `all` blocks, with `ratio` clients to each. */
static inline ordo_u32 server_share(int all, double ratio)
{
    int servers = (int)((double)all / (1 + ratio) + 0.5);
    servers = servers < 1 ? 1 : servers > all - 1 ? all - 1 : servers;
    return (ordo_u32)(servers < SERVER_MOST ? servers : SERVER_MOST);
}

#endif
