/* meet.cuh -- how the ranks of a run over several GPUs meet, a rank each.
 *
 * Included by <ordo/detail/cuda/ranks.cuh> and <ordo/detail/cuda/ghosts.cuh>, which have what ranks send each other
 * between two meetings.
 *
 * Meeting. All blocks of all ranks wait for each other (ordo_dev_meet). Each rank says some words, which all read
 * behind the meeting; as they are the same words in all ranks, all compute the same from them. It takes the place of
 * the grid's barrier. Each word is stored together with the meeting's number, by one store of 16 bytes into the memory
 * of each rank. So no flag is stored behind the words, for which the sender would wait until the words have crossed the
 * link; and a lane that has loaded the number has loaded the word. A rank is there when all of its words are.
 *
 * Why two sets of words are enough. A rank writes the words of meeting k + 2 only behind meeting k + 1, at which all
 * threads of all ranks have arrived; they have read the words of meeting k before.
 *
 * Memory order. A block's threads store what they send, then pass the block's barrier; its first thread passes a fence
 * of device scope and adds itself to `arrived`. A warp of the rank reads that with acquire until all blocks are there;
 * then each of its lanes passes a fence of system scope and stores words, relaxed, into each rank's memory. Fences are
 * cumulative over scopes: the blocks' stores, to whatever memory, come before the warp's acquire, and so before its
 * fence and its words (causality order, in the memory consistency model of NVIDIA's PTX ISA). A warp that has loaded
 * all words, relaxed, passes a fence of system scope as well; then the two fences synchronize, and it sees what all
 * threads of the sender had stored, by plain stores, too. A fence of system scope in each block would be sound as well,
 * and would keep all of them waiting for the link. The warp releases its own blocks at device scope, whose threads may
 * then load all of it plainly.
 *
 * Where hosts carry. Ranks whose memory the GPU does not see are told by its host, which puts what was sent, then the
 * words, which may arrive in parts, and then a number, `met`, behind both (framework/cuda/carry.cu). In such a run all
 * ranks store that number with release, and wait for it as well.
 *
 * The protocol is a model for Spin, tests/models/ranks_cuda.pml.
 *
 * A rank that never arrives lets the kernels of the others wait for ever: the process that has started the ranks ends
 * them.
 */
#ifndef ORDO_DETAIL_CUDA_MEET_CUH
#define ORDO_DETAIL_CUDA_MEET_CUH

/* By a whole warp of the rank, behind all that its blocks have sent: lane i gets how many messages were sent to rank i
 * since the last meeting. */
ORDO_DEV ordo_u32 ordo_dev_sent(const ordo_cuda_ranks &r)
{
    const ordo_u32 lane = threadIdx.x % 32;
    return lane < r.count ? ordo_dev_load(&r.words[r.rank]->sent[lane].count) : 0;
}

/* A rank's word: its value at the meeting at which it was said. */
ORDO_DEV ordo_u64 ordo_dev_said_word(const ordo_cuda_said &said, ordo_u32 i)
{
    return said.word[i].x;
}

/* How many messages a rank has sent to rank `to`. */
ORDO_DEV ordo_u32 ordo_dev_said_sent(const ordo_cuda_said &said, ordo_u32 to)
{
    const ordo_u64 word = ordo_dev_said_word(said, ORDO_CUDA_WORDS + to / 2);
    return (ordo_u32)(to % 2 ? word >> 32 : word);
}

/* By a whole warp of the rank, behind all that the rank has done before meeting `number`: tells all ranks the lanes'
 * words, of lane i < ORDO_CUDA_WORDS word i, and how many messages were sent, as ordo_dev_sent has it. */
ORDO_DEV void ordo_dev_say(const ordo_cuda_ranks &r, ordo_u64 number, ordo_u64 word, ordo_u32 sent)
{
    const ordo_u32 lane = threadIdx.x % 32, pair = lane < ORDO_CUDA_WORDS ? 0 : 2 * (lane - ORDO_CUDA_WORDS) % 32;
    ordo_cuda_words *const own = r.words[r.rank];
    const ordo_u32 lower = __shfl_sync(~0u, sent, pair), upper = __shfl_sync(~0u, sent, pair + 1);
    word = lane < ORDO_CUDA_WORDS ? word : (ordo_u64)upper << 32 | lower;
    if (lane < r.count) {
        ordo_dev_store(&own->sent[lane].count, 0u);
        if (r.carried)
            r.carried->of[number & 1].sent[lane] = sent;
    }
    ordo_dev_fence_system();
    for (ordo_u32 to = 0; to < r.count; to++)
        if (lane < ORDO_CUDA_SAID)
            ordo_dev_store_wide_system(&r.words[to]->said[number & 1][r.rank].word[lane], ulonglong2{word, number});
    __syncwarp();
    if (r.carried && lane < r.count) {
        ordo_dev_release_system(&r.words[lane]->met[r.rank].number, number);
        if (lane == 0)
            ordo_dev_release_system(&r.carried->number, number);
    }
    for (int step = 16; step; step /= 2)
        sent += __shfl_down_sync(~0u, sent, step);
    if (lane == 0 && sent)
        ordo_dev_add(&own->messages, (ordo_u64)sent);
    __syncwarp();
}

/* By any lanes of the same warp, before it says its words: the host is to carry this rank's part of array `which` of
 * the run, 0 or 1, to the ranks that it carries for. */
ORDO_DEV void ordo_dev_carry(const ordo_cuda_ranks &r, ordo_u64 number, ordo_u32 which)
{
    if (r.carried)
        r.carried->of[number & 1].array = 1 + which;
}

/* By a whole warp: loads a word of two ranks, `from` and the next one, per lane, into *word; lane i of a half has word
 * i. Returns whether both have said all of them at meeting `number`, or there is no second one. */
ORDO_DEV bool ordo_dev_hear(const ordo_cuda_ranks &r, ordo_u64 number, ordo_u32 from, ulonglong2 *word)
{
    static_assert(ORDO_CUDA_SAID == 16, "two ranks a warp");
    const ordo_u32 lane = threadIdx.x % 32, rank = from + lane / 16 < r.count ? from + lane / 16 : from;
    *word = ordo_dev_load_wide_system(&r.words[r.rank]->said[number & 1][rank].word[lane % 16]);
    return __all_sync(~0u, word->y >= number);
}

/* By the same warp: whether all ranks have said their words. */
ORDO_DEV bool ordo_dev_all_said(const ordo_cuda_ranks &r, ordo_u64 number)
{
    const ordo_u32 lane = threadIdx.x % 32;
    ulonglong2 word;
    for (ordo_u32 from = 0; from < r.count; from += 2)
        if (!ordo_dev_hear(r, number, from, &word))
            return false;
    if (r.carried) {
        const bool waits = lane < r.count && ordo_dev_load_system(&r.words[r.rank]->met[lane].number) < number;
        if (__any_sync(~0u, waits))
            return false;
    }
    ordo_dev_fence_system();
    __syncwarp(); /* what a lane's fence orders is ordered before what all lanes do */
    return true;
}

/* By a whole warp of the rank, when its blocks have arrived and wait: tells all ranks its words, and waits for theirs.
 * Returns what each rank has said, [count], which is valid until the next meeting. */
ORDO_DEV const ordo_cuda_said *ordo_dev_tell_ranks(const ordo_cuda_ranks &r, ordo_u64 number, ordo_u64 word,
                                                   ordo_u32 sent)
{
    ordo_dev_say(r, number, word, sent);
    while (!ordo_dev_all_said(r, number))
        ;
    return r.words[r.rank]->said[number & 1];
}

/* The same, where each lane keeps what all ranks have said of word i, lane i of each half of the warp: `join(i, a, b)`
 * of all of them, from `none` on. Loads each word once. */
template <typename Join>
ORDO_DEV ordo_u64 ordo_dev_join_ranks(const ordo_cuda_ranks &r, ordo_u64 number, ordo_u64 word, ordo_u32 sent,
                                      ordo_u64 none, Join join)
{
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u64 all = none;
    ordo_dev_say(r, number, word, sent);
    while (r.carried && !ordo_dev_all_said(r, number))
        ;
    for (ordo_u32 from = 0; from < r.count; from += 2) {
        ulonglong2 said;
        while (!ordo_dev_hear(r, number, from, &said))
            ;
        all = from + lane / 16 < r.count ? join(lane % 16, all, (ordo_u64)said.x) : all;
    }
    ordo_dev_fence_system();
    __syncwarp();
    const ordo_u64 other = __shfl_xor_sync(~0u, all, 16);
    return join(lane % 16, all, other);
}

/* By the whole grid: waits for all blocks of all ranks, and returns what each rank has said. `say()` is called by a
 * warp of the rank behind all that its blocks have done before, and returns the lane's word for ordo_dev_tell_ranks.
 * `told(said)`, which ends with a barrier of the warp, is called by the same warp before the rank's blocks go on, which
 * see what it stores. *number: of meetings so far, the same in all threads. */
template <typename Say, typename Told>
ORDO_DEV const ordo_cuda_said *ordo_dev_meet(const ordo_cuda_ranks &r, ordo_u64 *number, Say say, Told told)
{
    const ordo_u64 now = ++*number;
    ordo_cuda_words *const own = r.words[r.rank];
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            ordo_dev_fence();
            ordo_dev_add(&own->arrived, (ordo_u64)1);
            while (blockIdx.x == 0 && ordo_dev_acquire(&own->arrived) < now * gridDim.x)
                ;
            while (blockIdx.x != 0 && ordo_dev_acquire(&own->released) < now)
                ;
        }
        __syncwarp();
        if (blockIdx.x == 0) {
            told(ordo_dev_tell_ranks(r, now, say(), ordo_dev_sent(r)));
            if (threadIdx.x == 0)
                ordo_dev_release(&own->released, now);
        }
    }
    __syncthreads();
    return own->said[now & 1];
}

/* The same where no block waits for what is made of the words. */
template <typename Say>
ORDO_DEV const ordo_cuda_said *ordo_dev_meet(const ordo_cuda_ranks &r, ordo_u64 *number, Say say)
{
    return ordo_dev_meet(r, number, say, [](const ordo_cuda_said *) {});
}

#endif
