/* boxes.cuh -- messages between GPUs, a rank each, that do not meet: for schedulers without supersteps.
 *
 * A template, included by <ordo/scheduler/cuda.cuh> behind <ordo/detail/cuda/ranks.cuh>, which has what messages are
 * and why improved ghosts are all that must be sent. There ranks meet, and a box is read behind the meeting. Here a
 * warp reads what has come whenever it looks for work, and no warp that processes items waits for another rank.
 *
 * Staging. The warps of a block collect messages in shared memory, by destination (op_dev_stage), under a lock. A warp
 * that finds a message for each lane takes them out, counts them in `sent`, gives the lock back, and sends them. So a
 * block's messages for one rank take one reservation for 32 of them. Fewer are sent by op_dev_unstage.
 *
 * Boxes. In the memory of each rank there is a box for each other one: ORDO_CUDA_RINGS rings, each of 1 << shift chunks
 * of 32 messages, and a word for each chunk, `filled`. Chunks of a ring have numbers 0, 1, ...; number c is in place c
 * mod 1 << shift. The sender's memory has a word for each of them, too, `freed`. Each side polls words of its own
 * memory alone, and stores into that of the other side: the link is crossed by stores, which no warp waits for. Rings
 * are independent of each other. A block sends by one of them, and the lanes of a warp that receives look at all of
 * them at once: of one ring all warps would change the same two words, where one at a time succeeds (lab 0068).
 *
 * Send (sender), chunk for a ring of rank `to`
 *   S1   c = drawn[ring]; if c >= 1 << shift, and freed of its place is not c - (1 << shift) + 1: the ring is full
 *   S2   drawn[ring]: compare-and-swap from c to c + 1; where another warp was faster, S1 again
 *   S3   store the messages into place c of the ring; then filled = (c + 1) << 8 | count
 * Receive (owner), from a ring of rank `from`
 *   R1   c = taken[ring]; if filled of its place is not (c + 1) << 8 | count: nothing has come
 *   R2   taken[ring]: compare-and-swap from c to c + 1; where another warp was faster: nothing, for now
 *   R3   load the messages; then freed of the place, in the sender's memory, = c + 1
 *
 * Invariants. (1) Of one number S2 succeeds once, and R2 once. (2) A warp stores into place c only behind S1 for c, and
 * loads from it only between R1 and R3 for c. By S1 the loads of number c - (1 << shift) are done then; by R1 the
 * stores of number c are. So no message is read before it is there, replaced before it is read, or read twice. (3) A
 * word of `filled` or `freed` that has number c changes only by a step for a later number of the same place; so a warp
 * that has seen it in S1 or R1 and succeeds in S2 or R2 has seen what holds until S3 or R3.
 *
 * A full box. No warp waits for a place: all warps of two ranks could wait for each other's. The caller keeps the
 * ghosts (`broker` as bits, like entries that its queue has no place for), and sends each later with the value that its
 * cell then has, which is at least as good. Receiving needs no place in any box: messages become entries of the rank's
 * own queue, or bits. So a box that is full is emptied, whatever its sender does, and keeping ends.
 *
 * Progress. A lock of a stage is held for a bounded number of steps, in which nothing is waited for. S2 fails only if
 * another warp has succeeded.
 *
 * Counting. Messages are counted in `sent` (of the sender) while the stage is locked, hence before their chunk can be
 * filled, and before any warp that has staged one of them returns from op_dev_unstage. A scheduler that says that the
 * item behind a message is finished does so behind that call; and that a message is finished, when what it activates is
 * counted. Then `finished` never counts what `sent` does not count yet: see schedulers/broker/cuda_ranks.cuh.
 *
 * Memory order.
 *   filled   S3: barrier of the warp, then a fence and a release at system scope by one lane; both are cumulative, so
 *            they order what the other lanes stored. R1 acquires at system scope; the warp's barrier passes that on.
 *   freed    R3: the same way round: the loads of all lanes are ordered before the release, and S1 acquires.
 *   drawn, taken
 *            relaxed: only their values are used, and (3) orders the rest. One rank alone changes them, at device
 * scope. stage    the lock: exchange and a fence of block scope, and a release. count[] is also read without the lock,
 * with acquire: 0 means that the messages which the reader had staged are counted. sent     device scope. The addition
 * comes before the stage's release, so what a warp does behind op_dev_unstage is ordered behind it, at the scope of
 * that warp's own releases.
 *
 * The protocol is a model for Spin, tests/models/boxes.pml.
 *
 * All functions are called by whole warps.
 *
 * Not done: chunks of other sizes; GPUs that do not see each other's memory.
 */
#if ORDO_OP_ORDER != ORDO_SUM

/* A block's messages that are not sent yet, in shared memory, by destination. */
typedef struct op_dev_stage {
    op_dev_message held[ORDO_CUDA_RANKS][ORDO_CUDA_CHUNK];
    ordo_u32 count[ORDO_CUDA_RANKS]; /* below ORDO_CUDA_CHUNK */
    ordo_u32 lock;
} op_dev_stage;

/* Makes it empty; a barrier of the block must follow. */
ORDO_DEV void op_dev_stage_start(op_dev_stage *s)
{
    if (threadIdx.x < ORDO_CUDA_RANKS)
        s->count[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        s->lock = 0;
}

ORDO_DEV void op_dev_stage_lock(op_dev_stage *s)
{
    if (threadIdx.x % 32 == 0)
        while (ordo_dev_exchange_block(&s->lock, 1u))
            ;
    ordo_dev_fence_block();
    __syncwarp();
}
ORDO_DEV void op_dev_stage_unlock(op_dev_stage *s)
{
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        ordo_dev_release_block(&s->lock, 0u);
}

/* S1 and S2, by one thread: the number of a chunk of a ring, which is numbered among those of all ranks, or ~0 if the
 * ring is full. */
ORDO_DEV ordo_u64 ordo_dev_draw_chunk(const ordo_cuda_boxes &b, ordo_u32 ring)
{
    const ordo_u64 chunks = (ordo_u64)1 << b.shift;
    for (ordo_u64 c = ordo_dev_load(&b.side[ring].drawn);;) {
        if (c >= chunks &&
            ordo_dev_acquire_system(&b.freed[((ordo_u64)ring << b.shift) + (c & (chunks - 1))]) != c - chunks + 1) {
            const ordo_u64 now = ordo_dev_load(&b.side[ring].drawn); /* others may have had more laps meanwhile */
            if (now == c)
                return ~(ordo_u64)0;
            c = now;
        } else if (ordo_dev_swap(&b.side[ring].drawn, &c, c + 1)) {
            return c;
        }
    }
}

/* Sends a message of each lane with `has`, those of the first lanes, to rank `to`. They are counted in `sent` already.
 * Returns whether there was place; else none was sent. */
ORDO_DEV bool op_dev_send_chunk(const ordo_cuda_boxes &b, ordo_u32 to, bool has, const op_dev_message &message)
{
    const ordo_u32 lane = threadIdx.x % 32, count = (ordo_u32)__popc(__ballot_sync(~0u, has));
    const ordo_u32 ring = blockIdx.x % ORDO_CUDA_RINGS;
    ordo_u64 c = 0;
    if (lane == 0)
        c = ordo_dev_draw_chunk(b, to * ORDO_CUDA_RINGS + ring);
    c = __shfl_sync(~0u, c, 0);
    if (c == ~(ordo_u64)0)
        return false;
    const ordo_u64 place = ((ordo_u64)ring << b.shift) + (c & (((ordo_u64)1 << b.shift) - 1));
    __syncwarp(); /* S1's acquire is lane 0's */
    if (has)
        ((op_dev_message *)b.box[to])[place * ORDO_CUDA_CHUNK + lane] = message;
    __syncwarp();
    if (lane == 0) {
        ordo_dev_fence_system();
        ordo_dev_release_system(&b.filled_at[to][place], (c + 1) << 8 | count);
    }
    return true;
}

/* Takes `count` messages for rank `to` out of a stage that is locked, one for each lane, and counts them. */
ORDO_DEV op_dev_message op_dev_stage_take(const ordo_cuda_boxes &b, op_dev_stage *s, ordo_u32 to, ordo_u32 count)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const op_dev_message message = s->held[to][lane < count ? lane : 0];
    if (lane == 0)
        ordo_dev_add(b.sent, (ordo_u64)count);
    __syncwarp();
    return message;
}

/* Stages a message of each lane with `has` for the owner of `item`, and sends those for which there are
 * ORDO_CUDA_CHUNK. keep(item, there) is called by the whole warp for messages of lanes with `there` that find their box
 * full. */
template <typename Keep>
ORDO_DEV void op_dev_post_staged(const ordo_cuda_ranks &r, const ordo_cuda_boxes &b, op_dev_stage *s, bool has,
                                 ordo_u32 item, const op_cell &value, Keep keep)
{
    const ordo_u32 lane = threadIdx.x % 32, owner = has ? ordo_dev_owner(r, item) : r.count;
    for (ordo_u32 left = __ballot_sync(~0u, has); left;) {
        const ordo_u32 to = __shfl_sync(~0u, owner, __ffs((int)left) - 1);
        const ordo_u32 those = __ballot_sync(~0u, owner == to), count = (ordo_u32)__popc(those);
        const ordo_u32 rank = (ordo_u32)__popc(those & ((1u << lane) - 1));
        op_dev_message message = {};
        ordo_u32 full = 0;
        op_dev_stage_lock(s);
        const ordo_u32 at = __shfl_sync(~0u, ordo_dev_load_block(&s->count[to]), 0);
        if (owner == to && at + rank < ORDO_CUDA_CHUNK)
            s->held[to][at + rank] = op_dev_message{value, item};
        __syncwarp();
        if (at + count >= ORDO_CUDA_CHUNK) {
            message = op_dev_stage_take(b, s, to, ORDO_CUDA_CHUNK);
            full = ORDO_CUDA_CHUNK;
            if (owner == to && at + rank >= ORDO_CUDA_CHUNK)
                s->held[to][at + rank - ORDO_CUDA_CHUNK] = op_dev_message{value, item};
            __syncwarp();
        }
        if (lane == 0)
            ordo_dev_release_block(&s->count[to], at + count - full);
        op_dev_stage_unlock(s);
        if (full && !op_dev_send_chunk(b, to, true, message))
            keep(message.item, true);
        left &= ~those;
    }
}

/* Sends all that is staged in the block. Behind it what this warp has staged before is counted in `sent`. */
template <typename Keep>
ORDO_DEV void op_dev_unstage(const ordo_cuda_ranks &r, const ordo_cuda_boxes &b, op_dev_stage *s, Keep keep)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u32 waits = lane < r.count ? ordo_dev_acquire_block(&s->count[lane]) : 0;
    for (ordo_u32 left = __ballot_sync(~0u, waits != 0); left; left &= left - 1) {
        const ordo_u32 to = (ordo_u32)__ffs((int)left) - 1;
        op_dev_message message = {};
        op_dev_stage_lock(s);
        const ordo_u32 count = __shfl_sync(~0u, ordo_dev_load_block(&s->count[to]), 0);
        if (count) { /* else another warp was faster */
            message = op_dev_stage_take(b, s, to, count);
            if (lane == 0)
                ordo_dev_release_block(&s->count[to], 0u);
        }
        op_dev_stage_unlock(s);
        if (count && !op_dev_send_chunk(b, to, lane < count, message))
            keep(message.item, lane < count);
    }
}

/* Takes a chunk that has come, if one of a rank's rings has one: the lane's message is *message if the lane is below
 * the number that is returned. `turn`: counts the calls of a warp, so that it looks at all ranks, and begins with a
 * number of the warp, so that warps look at different ones first. */
ORDO_DEV ordo_u32 op_dev_take_chunk(const ordo_cuda_ranks &r, const ordo_cuda_boxes &b, ordo_u32 turn,
                                    op_dev_message *message)
{
    const ordo_u32 lane = threadIdx.x % 32, chunks = 1u << b.shift;
    if (r.count == 1)
        return 0;
    const ordo_u32 other = turn % (r.count - 1), from = other + (other >= r.rank);
    const ordo_u32 ring = from * ORDO_CUDA_RINGS + lane;
    ordo_u64 c = ordo_dev_load(&b.side[ring].taken); /* R1 */
    ordo_u64 word = ordo_dev_load_system(&b.filled[((ordo_u64)ring << b.shift) + (c & (chunks - 1))]);
    const ordo_u32 there = __ballot_sync(~0u, word >> 8 == c + 1);
    if (!there)
        return 0;
    const ordo_u32 first = turn % 32; /* the first of them from there on, round the circle */
    const ordo_u32 turned = there >> first | there << (32 - first) % 32;
    const int who = (int)((first + (ordo_u32)__ffs((int)turned) - 1) % 32);
    bool got = false;
    if ((int)lane == who) { /* R1 with acquire: the same word, or that of a later lap if another warp is faster */
        word = ordo_dev_acquire_system(&b.filled[((ordo_u64)ring << b.shift) + (c & (chunks - 1))]);
        ordo_u64 was = c;
        got = word >> 8 == c + 1 && ordo_dev_swap(&b.side[ring].taken, &was, c + 1);
    }
    if (!__shfl_sync(~0u, got, who))
        return 0;
    const ordo_u32 sender = __shfl_sync(~0u, from, who), count = (ordo_u32)__shfl_sync(~0u, word, who) & 0xff;
    c = __shfl_sync(~0u, c, who);
    const ordo_u64 place = ((ordo_u64)who << b.shift) + (c & (chunks - 1));
    const ordo_u64 all = ((ordo_u64)sender * ORDO_CUDA_RINGS << b.shift) + place;
    __syncwarp();
    if (lane < count)
        *message = ((const op_dev_message *)b.mail)[all * ORDO_CUDA_CHUNK + lane];
    __syncwarp();
    if (lane == 0) {
        ordo_dev_fence_system();
        ordo_dev_release_system(&b.freed_at[sender][place], c + 1);
    }
    return count;
}

#endif
