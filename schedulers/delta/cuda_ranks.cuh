/* delta over several GPUs, a rank each: buckets of a rank hold its own items, and all ranks have the same head.
 *
 * Problem. What cuda.cuh does, where activated items may be those of other ranks, and where all ranks must agree on
 * what a superstep does.
 *
 * Protocol. What improves a ghost is sent to its owner (<ordo/detail/cuda/ranks.cuh>), and offered there in the next
 * superstep, in which warps take messages beside slots of the head: those that improve a cell are expanded at once if
 * they belong to the head, and else put into their bucket. If all were put into buckets, what crosses would be a
 * superstep later than what does not, and hubs, which take two supersteps, would keep one rank busy in even ones and
 * the other one in odd ones. The head stays while a rank has entries in it, or many messages have been sent.
 * Few messages are not waited for, since that would cost a superstep for each bucket: those for buckets that the head
 * has passed are put into the new head, as all late entries are. The block that arrives last decides for its rank, as
 * in cuda.cuh, by words of all ranks that all of them have: whether a rank's head is done, and how far its next bucket
 * is; how many entries were taken and messages sent; what entries that were sorted again say. So all ranks compute the
 * same steps of the head, width and base.
 *
 * Termination. As in cuda.cuh, when no rank has an entry, a spilled item or a ghost that waits, and none has sent a
 * message.
 *
 * Memory order. The last block tells the other ranks its words behind the arrival of all blocks (ordo_dev_tell_ranks),
 * with a release at system scope, which covers what those have stored before (<ordo/detail/cuda/meet.cuh>). The rest is
 * as in cuda.cuh.
 */

/* The words that a rank says. */
enum { DELTA_RANKS_STATE, DELTA_RANKS_TAKEN, DELTA_RANKS_AGAIN, DELTA_RANKS_NEAREST };
/* Bits of its state, above the number of buckets to its next one that is not empty: DELTA_RANKS_NONE if all are. */
enum {
    DELTA_RANKS_NONE = 63,
    DELTA_RANKS_SPILLED = 64, /* it has spilled items */
    DELTA_RANKS_WAITS = 128,  /* it has ghosts that wait */
    DELTA_RANKS_STOP = 256,
    DELTA_RANKS_LONG = 512, /* this superstep took long */
};

/* What all ranks together say. */
typedef struct delta_ranks_agreed {
    ordo_u64 steps, flags, taken, again, nearest, sent;
} delta_ranks_agreed;

ORDO_DEV delta_ranks_agreed delta_ranks_agree(const ordo_cuda_ranks &r, const ordo_cuda_said *said)
{
    delta_ranks_agreed all = {DELTA_RANKS_NONE, 0, 0, 0, 0, 0};
    for (ordo_u32 i = 0; i < r.count; i++) {
        const ordo_u64 *const word = said[i].word;
        const ordo_u64 steps = word[DELTA_RANKS_STATE] & 63;
        all.steps = steps < all.steps ? steps : all.steps;
        all.flags |= word[DELTA_RANKS_STATE] & ~(ordo_u64)63;
        all.taken += word[DELTA_RANKS_TAKEN];
        all.again += word[DELTA_RANKS_AGAIN];
        all.nearest = word[DELTA_RANKS_NEAREST] > all.nearest ? word[DELTA_RANKS_NEAREST] : all.nearest;
        for (ordo_u32 to = 0; to < r.count; to++)
            all.sent += said[i].sent[to];
    }
    return all;
}

/* By a whole warp: returns the blocks of the head whose slots are all done to the stack. `stays`: more slots of the
 * head come. */
ORDO_DEV void delta_ranks_free(const delta_dev_queue &q, const delta_dev_step *s, bool stays)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u64 end = stays ? s->to : delta_dev_round(q, s->to);
    const ordo_u64 word =
        ordo_dev_load(ordo_pool_word(q.pool, s->head, ordo_pool_number(q.pool, s->done[s->head]) + lane));
    delta_dev_free(q, s, (end >> q.pool.block_shift) - (s->done[s->head] >> q.pool.block_shift), word,
                   ordo_dev_load(&q.words->free_count));
}

/* As delta_dev_adapt, from what all ranks have taken. */
ORDO_DEV ordo_u64 delta_ranks_adapt(const delta_dev_queue &q, const delta_dev_step *s, ordo_u32 ranks,
                                    const delta_ranks_agreed &all)
{
    delta_dev_words *const words = q.words;
    const ordo_u64 warps = (ordo_u64)gridDim.x * DELTA_DEV_WARPS * ranks;
    const ordo_u64 taken = ordo_dev_load(&words->taken) + all.taken, enough = ordo_dev_load(&words->enough);
    const ordo_u64 many = enough ? enough : (ordo_u64)DELTA_DEV_MANY * q.items;
    const ordo_u32 before = ordo_dev_load(&words->latency_bound);
    const ordo_u32 latency_bound = all.taken == 0 ? before /* only messages */
                                   : all.taken < warps / 2 && !(all.flags & DELTA_RANKS_LONG) ? before + 1
                                                                                              : 0;
    const bool doubles = latency_bound == DELTA_DEV_LATENCY_BOUND, halves = !doubles && taken > many;
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        ordo_dev_store(&words->taken, taken);
        ordo_dev_store(&words->decided, ordo_dev_clock());
        ordo_dev_store(&words->latency_bound, doubles ? 0 : latency_bound);
        if (halves)
            ordo_dev_store(&words->enough, many + (ordo_u64)DELTA_DEV_MANY * q.items / 2);
    }
    const ordo_u64 change = doubles && 2 * s->delta <= q.most   ? DELTA_DEV_DOUBLES
                            : halves && s->delta / 2 >= q.least ? DELTA_DEV_HALVES
                                                                : DELTA_DEV_STAYS;
    return change << 54;
}

/* By a whole warp: the rank's state, as bits of DELTA_RANKS_...; *tail is the lane's bucket's. */
ORDO_DEV ordo_u64 delta_ranks_state(const delta_dev_queue &q, const delta_dev_step *s, const ordo_cuda_ranks &r,
                                    ordo_u64 *tail)
{
    const ordo_u32 lane = threadIdx.x % 32, head = s->head;
    *tail = ordo_dev_load(&q.words->tail[lane]);
    const ordo_u64 done = lane == head ? s->to : s->done[lane];
    const ordo_u32 some = __ballot_sync(~0u, lane<q.pool.buckets && * tail> done);
    const ordo_u32 after = some & ~((1u << head) - 1); /* the head first, then the others round the circle */
    const ordo_u32 next = (ordo_u32)__ffs((int)(after ? after : some)) - 1;
    ordo_u64 state = !some ? (ordo_u64)DELTA_RANKS_NONE : next >= head ? next - head : next + q.pool.buckets - head;
    if (ordo_dev_load(q.spill.count) != ordo_dev_load(&q.words->swept))
        state |= DELTA_RANKS_SPILLED;
    if (ordo_dev_load(&r.words[r.rank]->spilled))
        state |= DELTA_RANKS_WAITS;
    if (ordo_dev_load(&q.words->stop))
        state |= DELTA_RANKS_STOP;
    if (ordo_dev_clock() > ordo_dev_load(&q.words->decided) + DELTA_DEV_SHORT)
        state |= DELTA_RANKS_LONG;
    return __shfl_sync(~0u, state, 0);
}

/* By the first warp of the block that arrived last: meets the other ranks, and computes the word that says what comes
 * next, as delta_dev_decide does. */
ORDO_DEV ordo_u64 delta_ranks_decide(const delta_dev_queue &q, const delta_dev_step *s, const ordo_cuda_ranks &r)
{
    const ordo_u32 lane = threadIdx.x % 32, head = s->head;
    const ordo_u64 generation = s->generation << 56;
    delta_dev_sorted *const sorted = &q.words->sorted;
    ordo_u64 tail;
    const ordo_u64 state = delta_ranks_state(q, s, r, &tail);
    const ordo_u64 word = lane == DELTA_RANKS_STATE     ? state
                          : lane == DELTA_RANKS_TAKEN   ? s->to - s->from
                          : lane == DELTA_RANKS_AGAIN   ? ordo_dev_load(&sorted->again)
                          : lane == DELTA_RANKS_NEAREST ? ordo_dev_load(&sorted->nearest)
                                                        : 0;
    const delta_ranks_agreed all = delta_ranks_agree(
        r, ordo_dev_tell_ranks(r, s->generation + 1, word) /* the first meeting is that of the kernels */);
    if (all.flags & DELTA_RANKS_STOP)
        return generation | (ordo_u64)DELTA_DEV_END << 52;
    const ordo_u64 end = __shfl_sync(~0u, tail, head);
    const bool comes = all.sent || all.flags & DELTA_RANKS_WAITS;
    const bool stays = all.steps == 0 || all.sent >= DELTA_DEV_FEW || (all.steps == DELTA_RANKS_NONE && comes);
    delta_ranks_free(q, s, stays);
    const ordo_u64 change = s->phase == DELTA_DEV_RUN ? delta_ranks_adapt(q, s, r.count, all) : 0;
    const bool moves = !stays && all.steps != DELTA_RANKS_NONE;
    /* as delta_dev_jumps, from what all ranks have sorted again */
    const bool futile = all.again && all.again == all.taken;
    const ordo_u64 moved = futile ? ordo_dev_load(&sorted->moved) + (moves ? all.steps : 0) : 0;
    const double base = ordo_dev_unordered(~all.nearest);
    const bool jumps = moves && moved >= q.pool.buckets - 1 && base > s->base + all.steps * s->delta;
    __syncwarp();
    if (all.nearest && lane == 0) {
        ordo_dev_store(&sorted->again, (ordo_u64)0);
        ordo_dev_store(&sorted->moved, jumps ? 0 : moved);
        ordo_dev_store(&sorted->nearest, jumps || !futile ? (ordo_u64)0 : all.nearest);
        if (jumps)
            ordo_dev_store(&q.words->base, (ordo_u64)__double_as_longlong(base));
    }
    if (stays)
        return generation | change | end;
    if (lane == head) {
        tail = delta_dev_round(q, end);
        ordo_dev_store(&q.words->tail[lane], tail);
    }
    if (moves) {
        const ordo_u32 next = (ordo_u32)((head + all.steps) % q.pool.buckets);
        const ordo_u64 phase = jumps ? DELTA_DEV_JUMP : DELTA_DEV_RUN;
        return generation | change | DELTA_DEV_ROUNDS | phase << 52 | all.steps << 46 |
               __shfl_sync(~0u, tail, (int)next);
    }
    if (all.flags & DELTA_RANKS_SPILLED) {
        if (lane == 0)
            ordo_dev_store(&q.words->swept, ordo_dev_load(q.spill.count));
        return generation | DELTA_DEV_ROUNDS | (ordo_u64)DELTA_DEV_SWEEP << 52 | __shfl_sync(~0u, tail, (int)head);
    }
    return generation | (ordo_u64)DELTA_DEV_END << 52;
}

/* How many messages have come. By one thread. */
ORDO_DEV ordo_u64 delta_ranks_mail(const ordo_cuda_ranks &r, ordo_u64 number)
{
    ordo_u64 count = 0;
    for (ordo_u32 from = 0; from < r.count; from++)
        count += ordo_dev_came(r, r.words[r.rank]->said[number & 1], from);
    return count;
}

/* By one thread: message `i` of those that have come before meeting `number`, from whatever rank. */
ORDO_DEV op_dev_message delta_ranks_message(const ordo_cuda_ranks &r, ordo_u64 number, ordo_u64 i)
{
    ordo_u32 from = 0;
    for (ordo_u32 came; i >= (came = ordo_dev_came(r, r.words[r.rank]->said[number & 1], from)); from++)
        i -= came;
    return ((const op_dev_message *)r.mail[number & 1])[(ordo_u64)from * r.capacity + i];
}

/* ---- what cuda.cuh has for one GPU ---- */

ORDO_DEV ordo_u64 delta_dev_next(const delta_dev_queue &q, const delta_dev_step *s, bool)
{
    const ordo_u64 word = delta_ranks_decide(q, s, q.ranks);
    __syncwarp();
    if (threadIdx.x == 0)
        ordo_dev_release(&q.words->word, word);
    return word;
}
