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
 * Alone. Where there is little work, a rank that has entries in the head goes on with them without a meeting, until a
 * rank waits that has got or sent messages since the last one. No rank waits meanwhile that could work, since all have
 * the same head. So in road networks a bucket costs a meeting or two and not one a superstep. Messages come later,
 * which affects order only. What is agreed on changes at meetings only. Its model for Spin is
 * tests/models/delta_ranks.pml.
 *
 * Termination. As in cuda.cuh, when no rank has an entry, a spilled item or a ghost that waits, and none has sent a
 * message.
 *
 * Memory order. The last block tells the other ranks its words behind the arrival of all blocks (ordo_dev_join_ranks),
 * and behind a fence of system scope, which covers what those have stored before (<ordo/detail/cuda/meet.cuh>). The
 * rest is as in cuda.cuh.
 */

/* The words that a rank says, of the supersteps since the last meeting. */
enum { DELTA_RANKS_STATE, DELTA_RANKS_TAKEN, DELTA_RANKS_AGAIN, DELTA_RANKS_NEAREST, DELTA_RANKS_SUPERSTEPS };
/* Bits of its state, above the number of buckets to its next one that is not empty: DELTA_RANKS_NONE if all are. */
enum {
    DELTA_RANKS_NONE = 63,
    DELTA_RANKS_SPILLED = 64, /* it has spilled items */
    DELTA_RANKS_WAITS = 128,  /* it has ghosts that wait */
    DELTA_RANKS_STOP = 256,
    DELTA_RANKS_LONG = 512, /* a superstep took long */
};

/* What the block that arrives last reads, as delta_dev_look. */
typedef struct delta_ranks_seen {
    delta_dev_seen own;
    ordo_u64 waits;      /* ghosts that wait */
    ordo_u64 taken;      /* delta_dev_words.alone_taken */
    ordo_u32 supersteps; /* delta_dev_words.alone */
    ordo_u32 sent;       /* messages to the lane's rank */
    bool is_waited_for;  /* by a rank, at the next meeting, that has sent messages, or got some of this rank */
} delta_ranks_seen;

ORDO_DEV delta_ranks_seen delta_ranks_look(const delta_dev_queue &q, const delta_dev_step *s)
{
    const ordo_cuda_ranks &r = q.ranks;
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_cuda_words *const words = r.words[r.rank];
    delta_ranks_seen seen;
    ulonglong2 word;
    ordo_dev_hear(r, s->met + 1, 0, &word);
    seen.sent = ordo_dev_load(&words->sent[lane < r.count ? lane : 0].count);
    seen.waits = ordo_dev_load(&words->spilled);
    seen.taken = ordo_dev_load(&q.words->alone_taken);
    seen.supersteps = ordo_dev_load(&q.words->alone);
    seen.own = delta_dev_look(q, s);
    seen.sent = lane < r.count ? seen.sent : 0;
    seen.is_waited_for = false;
    for (ordo_u32 from = 0;;) {
        const bool there = from + lane / 16 < r.count && word.y > s->met;
        const ordo_u32 got = __shfl_sync(~0u, seen.sent, (int)(from + lane / 16) % 32);
        seen.is_waited_for =
            seen.is_waited_for || __any_sync(~0u, there && (got || (lane % 16 >= ORDO_CUDA_WORDS && word.x)));
        if ((from += 2) >= r.count)
            return seen;
        ordo_dev_hear(r, s->met + 1, from, &word);
    }
}

/* What all ranks together say. */
typedef struct delta_ranks_agreed {
    ordo_u64 steps, flags, taken, again, nearest, sent, supersteps;
    bool came; /* of `sent`: some to this rank */
} delta_ranks_agreed;

/* Joins what two ranks say, of a word. */
ORDO_DEV ordo_u64 delta_ranks_join(ordo_u32 word, ordo_u64 a, ordo_u64 b)
{
    if (word == DELTA_RANKS_STATE)
        return ((a & 63) < (b & 63) ? a & 63 : b & 63) | ((a | b) & ~(ordo_u64)63);
    if (word == DELTA_RANKS_NEAREST || word == DELTA_RANKS_SUPERSTEPS)
        return a > b ? a : b;
    return a + b; /* two numbers of messages: the sum of the lower ones fits 32 bits */
}

/* By a whole warp: meets the other ranks; the lane's word of what this one says, and of messages to the lane's rank. */
ORDO_DEV delta_ranks_agreed delta_ranks_agree(const ordo_cuda_ranks &r, ordo_u64 number, ordo_u64 word, ordo_u32 sent)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u64 none = lane % 16 == DELTA_RANKS_STATE ? (ordo_u64)DELTA_RANKS_NONE : 0;
    const ordo_u64 said = ordo_dev_join_ranks(r, number, word, sent, none, delta_ranks_join);
    const ordo_u64 state = __shfl_sync(~0u, said, DELTA_RANKS_STATE);
    const ordo_u64 to = __shfl_sync(~0u, said, (int)(ORDO_CUDA_WORDS + r.rank / 2));
    const ordo_u64 messages = lane >= ORDO_CUDA_WORDS && lane < 16 ? (said >> 32) + (ordo_u32)said : 0;
    delta_ranks_agreed all;
    all.steps = state & 63;
    all.flags = state & ~(ordo_u64)63;
    all.taken = __shfl_sync(~0u, said, DELTA_RANKS_TAKEN);
    all.again = __shfl_sync(~0u, said, DELTA_RANKS_AGAIN);
    all.nearest = __shfl_sync(~0u, said, DELTA_RANKS_NEAREST);
    all.supersteps = __shfl_sync(~0u, said, DELTA_RANKS_SUPERSTEPS);
    all.sent = ordo_warp_sum(messages);
    all.came = r.rank % 2 ? to >> 32 : (ordo_u32)to;
    return all;
}

/* By a whole warp: returns the blocks of the head whose slots are all done to the stack. `stays`: more slots of the
 * head come. Whether there are any. */
ORDO_DEV bool delta_ranks_free(const delta_dev_queue &q, const delta_dev_step *s, const delta_dev_seen &seen,
                               bool stays)
{
    const ordo_u64 end = stays ? s->to : delta_dev_round(q, s->to);
    const ordo_u64 blocks = (end >> q.pool.block_shift) - (s->done[s->head] >> q.pool.block_shift);
    delta_dev_free(q, s, blocks, seen.block, seen.free_count);
    return blocks;
}

/* As delta_dev_adapt, from what all ranks have taken. */
ORDO_DEV ordo_u64 delta_ranks_adapt(const delta_dev_queue &q, const delta_dev_step *s, delta_dev_seen *seen,
                                    const delta_ranks_agreed &all)
{
    const ordo_u64 warps = (ordo_u64)gridDim.x * DELTA_DEV_WARPS * q.ranks.count;
    const ordo_u64 many = seen->enough ? seen->enough : (ordo_u64)DELTA_DEV_MANY * q.items;
    seen->taken += all.taken;
    if (all.taken) /* else there were only messages */
        seen->latency_bound = all.taken < warps / 2 * all.supersteps && !(all.flags & DELTA_RANKS_LONG)
                                  ? seen->latency_bound + (ordo_u32)all.supersteps
                                  : 0;
    const bool doubles = seen->latency_bound >= DELTA_DEV_LATENCY_BOUND, halves = !doubles && seen->taken > many;
    if (doubles)
        seen->latency_bound = 0;
    if (halves)
        seen->enough = many + (ordo_u64)DELTA_DEV_MANY * q.items / 2;
    const ordo_u64 change = doubles && 2 * s->delta <= q.most   ? DELTA_DEV_DOUBLES
                            : halves && s->delta / 2 >= q.least ? DELTA_DEV_HALVES
                                                                : DELTA_DEV_STAYS;
    return change << 54;
}

/* By a whole warp: the rank's state, as bits of DELTA_RANKS_... */
ORDO_DEV ordo_u64 delta_ranks_state(const delta_dev_queue &q, const delta_dev_step *s, const delta_ranks_seen &seen)
{
    const ordo_u32 lane = threadIdx.x % 32, head = s->head;
    const ordo_u64 done = lane == head ? s->to : s->done[lane];
    const ordo_u32 some = __ballot_sync(~0u, lane < q.pool.buckets && seen.own.tail > done);
    const ordo_u32 after = some & ~((1u << head) - 1); /* the head first, then the others round the circle */
    const ordo_u32 next = (ordo_u32)__ffs((int)(after ? after : some)) - 1;
    ordo_u64 state = !some ? (ordo_u64)DELTA_RANKS_NONE : next >= head ? next - head : next + q.pool.buckets - head;
    if (seen.own.spilled != seen.own.swept)
        state |= DELTA_RANKS_SPILLED;
    if (seen.waits)
        state |= DELTA_RANKS_WAITS;
    if (seen.own.stop)
        state |= DELTA_RANKS_STOP;
    if (seen.own.now > seen.own.decided + (ordo_u64)DELTA_DEV_SHORT * (1 + seen.supersteps))
        state |= DELTA_RANKS_LONG;
    return __shfl_sync(~0u, state, 0); /* lanes may have read different times */
}

/* By a whole warp: whether the rank goes on with the head alone: it has entries there, fewer than warps, and no rank
 * waits for it with messages on the way between them. */
ORDO_DEV bool delta_ranks_alone(const delta_dev_step *s, const delta_ranks_seen &seen, ordo_u64 state)
{
    const bool few = __shfl_sync(~0u, seen.own.tail, (int)s->head) - s->to < (ordo_u64)gridDim.x * DELTA_DEV_WARPS;
    return s->phase == DELTA_DEV_RUN && (state & 63) == 0 && !(state & (DELTA_RANKS_WAITS | DELTA_RANKS_STOP)) && few &&
           !seen.is_waited_for;
}

/* As delta_dev_jumps, from what all ranks have sorted again; `moves`: the head does. */
ORDO_DEV bool delta_ranks_jumps(const delta_dev_queue &q, const delta_dev_step *s, const delta_dev_sorted &sorted,
                                const delta_ranks_agreed &all, bool moves)
{
    delta_dev_sorted *const words = &q.words->sorted;
    const bool futile = all.again && all.again == all.taken;
    const ordo_u64 moved = futile ? sorted.moved + (moves ? all.steps : 0) : 0;
    const double base = ordo_dev_unordered(~all.nearest);
    const bool jumps = moves && moved >= q.pool.buckets - 1 && base > s->base + all.steps * s->delta;
    if (all.nearest && threadIdx.x % 32 == 0) {
        ordo_dev_store(&words->again, (ordo_u64)0);
        ordo_dev_store(&words->moved, jumps ? 0 : moved);
        ordo_dev_store(&words->nearest, jumps || !futile ? (ordo_u64)0 : all.nearest);
        if (jumps)
            ordo_dev_store(&q.words->base, (ordo_u64)__double_as_longlong(base));
    }
    return jumps;
}

/* By the first warp of the block that arrived last: the word that says what comes next, from what all ranks say.
 * *seen is then what the block that arrives last the next time is to read. */
ORDO_DEV ordo_u64 delta_ranks_decide(const delta_dev_queue &q, const delta_dev_step *s, const delta_ranks_agreed &all,
                                     delta_dev_seen *seen)
{
    const ordo_u32 lane = threadIdx.x % 32, head = s->head;
    const ordo_u64 generation = s->generation << 56;
    if (all.flags & DELTA_RANKS_STOP)
        return generation | (ordo_u64)DELTA_DEV_END << 52;
    ordo_u64 tail = seen->tail;
    const ordo_u64 end = __shfl_sync(~0u, tail, head);
    const bool comes = all.sent || all.flags & DELTA_RANKS_WAITS;
    const bool stays = all.steps == 0 || all.sent >= DELTA_DEV_FEW || (all.steps == DELTA_RANKS_NONE && comes);
    delta_ranks_free(q, s, *seen, stays);
    const ordo_u64 change = s->phase == DELTA_DEV_RUN ? delta_ranks_adapt(q, s, seen, all) : 0;
    const bool moves = !stays && all.steps != DELTA_RANKS_NONE;
    const bool jumps = delta_ranks_jumps(q, s, seen->sorted, all, moves);
    if (stays)
        return generation | change | end;
    if (lane == head) {
        tail = delta_dev_round(q, end);
        ordo_dev_store(&q.words->tail[lane], tail);
    }
    if (moves) {
        const ordo_u32 at = head + (ordo_u32)all.steps, next = at < q.pool.buckets ? at : at - q.pool.buckets;
        const ordo_u64 phase = jumps ? DELTA_DEV_JUMP : DELTA_DEV_RUN;
        return generation | change | DELTA_DEV_ROUNDS | phase << 52 | all.steps << 46 |
               __shfl_sync(~0u, tail, (int)next);
    }
    if (all.flags & DELTA_RANKS_SPILLED) {
        seen->swept = __shfl_sync(~0u, seen->spilled, 0);
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

/* By the first warp of the block that arrived last: decides, alone or with all ranks, and stores the word. What it
 * stores behind the word is ordered as in cuda.cuh. The word is a release of what this block has stored and of what the
 * other ranks had, if they have met; else, of what this rank's blocks had stored, the fence behind the addition makes
 * it one. */
ORDO_DEV ordo_u64 delta_dev_next(const delta_dev_queue &q, const delta_dev_step *s, bool)
{
    const ordo_u32 lane = threadIdx.x % 32;
    delta_dev_words *const words = q.words;
    delta_ranks_seen seen = delta_ranks_look(q, s);
    const ordo_u64 state = delta_ranks_state(q, s, seen);
    const bool alone = delta_ranks_alone(s, seen, state);
    const ordo_u64 taken = seen.taken + s->to - s->from, supersteps = seen.supersteps + 1;
    bool stored = true;
    ordo_u64 word;
    if (alone) {
        stored = delta_ranks_free(q, s, seen.own, true);
        word = s->generation << 56 | (ordo_u64)DELTA_DEV_ALONE << 54 | __shfl_sync(~0u, seen.own.tail, (int)s->head);
    } else {
        const ordo_u64 mine = lane == DELTA_RANKS_STATE        ? state
                              : lane == DELTA_RANKS_TAKEN      ? taken
                              : lane == DELTA_RANKS_AGAIN      ? seen.own.sorted.again
                              : lane == DELTA_RANKS_NEAREST    ? seen.own.sorted.nearest
                              : lane == DELTA_RANKS_SUPERSTEPS ? supersteps
                                                               : 0;
        const delta_ranks_agreed all = delta_ranks_agree(q.ranks, s->met + 1, mine, seen.sent);
        word = delta_ranks_decide(q, s, all, &seen.own) | (all.came ? DELTA_DEV_MAIL : 0) |
               (state & DELTA_RANKS_WAITS ? DELTA_DEV_WAITS : 0);
    }
    __syncwarp();
    if (lane == 0) {
        if (stored)
            ordo_dev_fence();
        ordo_dev_store(&words->word, word);
        ordo_dev_store(&words->alone_taken, alone ? taken : 0);
        ordo_dev_store(&words->alone, alone ? (ordo_u32)supersteps : 0);
        if (!alone) {
            ordo_dev_store(&words->taken, seen.own.taken);
            ordo_dev_store(&words->enough, seen.own.enough);
            ordo_dev_store(&words->decided, ordo_dev_clock());
            ordo_dev_store(&words->latency_bound, seen.own.latency_bound);
            ordo_dev_store(&words->swept, seen.own.swept);
        }
    }
    return word;
}
