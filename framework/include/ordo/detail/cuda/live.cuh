/* live.cuh -- what a traced run shows while its kernel runs: counters and states of warps, which the host copies.
 *
 * Problem. A trace by time needs the sums of all threads' counters at regular times. Threads count in registers, and
 * adding to shared sums often enough would slow the run down.
 *
 * Method. A warp has a line of 32 bytes in device memory (ordo_cuda_live_warp), and stores there what its lanes have
 * counted since the run began, modulo 2^32: by plain stores of one instruction, at points where it is between two
 * pieces of work anyway. The host copies the lines of all warps and adds them up, so the GPU's threads do nothing for
 * the sums. A run that is not traced has no lines (NULL), and tests that pointer, which is an argument of the kernel.
 *
 * Protocol. Each word is written by one warp, or by atomic additions, and read by the host's copy at the same time.
 *   Invariant 1: words are aligned and have 4 bytes, and all writes are relaxed at device scope or atomic; so a copy
 *   has for each word a value that it had at some moment of the copy. Different words may be of different moments.
 *   Invariant 2: a word only grows, modulo 2^32, and by less than 2^32 between two samples; so the host gets the true
 *   sum from differences.
 *   Invariant 3: nothing in the kernel reads a line. So a trace changes no decision, except by the time that it takes.
 *   The totals of a run are not taken from here, but from ordo_cuda_counters after the kernel has ended.
 *
 * Two ways to count, of which a kernel uses one. ordo_live_publish: by whole warps, the sums of all lanes.
 * ordo_live_add: by single threads, where the lanes of a warp leave a loop one by one; what a thread has shown is kept
 * in memory of its own, so that it costs no registers.
 */
#ifndef ORDO_DETAIL_CUDA_LIVE_CUH
#define ORDO_DETAIL_CUDA_LIVE_CUH

#include <cooperative_groups.h>

#include <ordo/detail/cuda/warp_reduce.cuh>

/* In place of a state: the warp's state stays as it is. */
enum { ORDO_LIVE_KEEP = ORDO_MEMBER_STATES };
/* Warps of `delta` publish once in so many supersteps; blocks of other schedulers once in ORDO_LIVE_TURN, and where a
 * step has many tiles once in ORDO_LIVE_TILES. */
enum { ORDO_LIVE_STEPS = 16, ORDO_LIVE_TURN = 8, ORDO_LIVE_TILES = 16 };

/* For __launch_bounds__ of a traced kernel of 256 threads: `blocks` blocks on a multiprocessor, or as many as one
 * holds. So that as many are resident as of the kernel that is not traced, although this one would need more registers.
 */
constexpr __host__ __device__ int ordo_live_resident(int blocks)
{
#if __CUDA_ARCH__ == 750
    const int most = 4;
#elif __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200
    const int most = 6;
#else
    const int most = 8;
#endif
    return blocks < most ? blocks : most;
}

/* By a thread: whether it is the one that shows its block's state, where the block has one. It is of the last warp: the
 * first one's thread 0 does the block's part of the barrier. */
ORDO_DEV bool ordo_live_shows(void)
{
    return threadIdx.x == blockDim.x - 32;
}

/* The line of the calling warp. */
ORDO_DEV ordo_u32 *ordo_live_line(ordo_cuda_live *live)
{
    ordo_cuda_live_warp *const warp = (ordo_cuda_live_warp *)(live + 1);
    return &warp[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32].items;
}

/* By a whole warp, or one of its threads: sets the warp's state, if the run is traced. */
ORDO_DEV void ordo_live_state(const ordo_cuda_traced &to, ordo_u32 state)
{
    if (to.live && threadIdx.x % 32 == 0)
        ordo_dev_store(ordo_live_line(to.live) + 5, state);
}

/* The same, before the warp's first work: also says on which multiprocessor it runs. */
ORDO_DEV void ordo_live_begin(const ordo_cuda_traced &to, ordo_u32 state)
{
    if (to.live && threadIdx.x % 32 == 0) {
        ordo_u32 unit;
        asm volatile("mov.u32 %0, %smid;" : "=r"(unit));
        ordo_dev_store(ordo_live_line(to.live) + 6, unit + 1);
        ordo_dev_store(ordo_live_line(to.live) + 5, state);
    }
}

/* By a whole warp: in lane i the sum of the lanes' i-th counters, of the first N. */
template <int N, typename Counters> ORDO_DEV ordo_u32 ordo_live_sums(const Counters &mine)
{
    ordo_u32 word = ordo_dev_warp_add((ordo_u32)mine.items);
    const ordo_u32 lane = threadIdx.x % 32, edges = ordo_dev_warp_add((ordo_u32)mine.edges);
    word = lane == 1 ? edges : word;
    const ordo_u32 useful = ordo_dev_warp_add((ordo_u32)mine.useful);
    word = lane == 2 ? useful : word;
    if constexpr (N > 3) {
        const ordo_u32 stale = ordo_dev_warp_add((ordo_u32)mine.stale);
        word = lane == 3 ? stale : word;
    }
    if constexpr (N > 4) {
        const ordo_u32 activations = ordo_dev_warp_add((ordo_u32)mine.activations);
        word = lane == 4 ? activations : word;
    }
    return word;
}

/* By a whole warp: stores lane i's word i, i < N, and the state. */
template <int N> ORDO_DEV void ordo_live_put(ordo_cuda_live *live, ordo_u32 word, ordo_u32 state)
{
    const ordo_u32 lane = threadIdx.x % 32;
    if (lane < N || (lane == 5 && state != ORDO_LIVE_KEEP))
        ordo_dev_store(ordo_live_line(live) + lane, lane == 5 ? state : word);
}

/* By a whole warp: publishes the first N of its lanes' counters, and its state, if the run is traced. */
template <int N, typename Counters>
ORDO_DEV void ordo_live_publish(const ordo_cuda_traced &to, const Counters &mine, ordo_u32 state)
{
    if (to.live)
        ordo_live_put<N>(to.live, ordo_live_sums<N>(mine), state);
}

/* By the whole grid: the barrier that ends a step of a scheduler whose steps are short. Behind its arrival, where it
 * waits anyway, a block that `worked` stores that it has done its part of `step`, and publishes once in ORDO_LIVE_TURN
 * steps. States cost no store when a step begins: the host compares this one with the step that was reported. */
template <int N, typename Counters>
ORDO_DEV void ordo_live_barrier(const ordo_cuda_traced &to, const Counters &mine, ordo_u32 step, bool worked)
{
    auto grid = cooperative_groups::this_grid();
    auto token = grid.barrier_arrive();
    if (worked && ordo_live_shows())
        ordo_live_state(to, ORDO_LIVE_ARRIVED + step);
    if (worked && step % ORDO_LIVE_TURN == 0)
        ordo_live_publish<N>(to, mine, ORDO_LIVE_KEEP);
    grid.barrier_wait(static_cast<decltype(token) &&>(token));
}

/* By a whole block between two tiles or portions: publishes once in ORDO_LIVE_TILES numbers. */
template <int N, typename Counters>
ORDO_DEV void ordo_live_tile(const ordo_cuda_traced &to, const Counters &mine, ordo_u32 number)
{
    if (number % ORDO_LIVE_TILES == 0)
        ordo_live_publish<N>(to, mine, ORDO_LIVE_KEEP);
}

/* By the whole grid: the barrier of a traced run where all blocks have a part of each step, which is long: a round over
 * all edges. Shows that warps wait, behind their arrival: a store before it would delay it until the store is done. */
template <int N, typename Counters> ORDO_DEV void ordo_live_barrier(const ordo_cuda_traced &to, const Counters &mine)
{
    auto grid = cooperative_groups::this_grid();
    auto token = grid.barrier_arrive();
    ordo_live_publish<N>(to, mine, ORDO_AT_BARRIER);
    grid.barrier_wait(static_cast<decltype(token) &&>(token));
}

/* By one thread: adds what it has counted since its last call to its warp's counters, if the run is traced. */
ORDO_DEV void ordo_live_add(const ordo_cuda_traced &to, const ordo_cuda_counters &mine)
{
    if (!to.live)
        return;
    ordo_u32 *const shown = to.shown + 5 * (ordo_u64)(blockIdx.x * blockDim.x + threadIdx.x);
    ordo_u32 *const line = ordo_live_line(to.live);
    const ordo_u32 now[5] = {(ordo_u32)mine.items, (ordo_u32)mine.edges, (ordo_u32)mine.useful, (ordo_u32)mine.stale,
                             (ordo_u32)mine.activations};
#pragma unroll
    for (int i = 0; i < 5; i++)
        if (now[i] != shown[i]) {
            ordo_dev_add(&line[i], now[i] - shown[i]);
            shown[i] = now[i];
        }
}

/* By one thread of the grid: says where the scheduler is, if the run is traced. The members are those of
 * ordo_cuda_live.
 */
ORDO_DEV void ordo_live_report(const ordo_cuda_traced &to, ordo_u64 step, ordo_u64 in_flight, ordo_u64 bucket,
                               double delta, ordo_u32 concurrent, ordo_u64 detail = 0, ordo_u32 working = 0)
{
    if (!to.live)
        return;
    ordo_dev_store(&to.live->step, step);
    ordo_dev_store(&to.live->in_flight, in_flight);
    ordo_dev_store(&to.live->bucket, bucket);
    ordo_dev_store(&to.live->detail, detail);
    ordo_dev_store(&to.live->delta, delta);
    ordo_dev_store(&to.live->concurrent, concurrent);
    if (working)
        ordo_dev_store(&to.live->working, working);
}

/* By all threads, at the begin of a step: one of them does the same. It is of another warp than the thread that begins
 * the step (ordo_dev_reports), so that the two work at the same time. */
ORDO_DEV void ordo_live_step(const ordo_cuda_traced &to, ordo_u64 step, ordo_u64 in_flight, ordo_u64 bucket,
                             double delta, ordo_u64 detail, ordo_u32 working)
{
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x - 32)
        ordo_live_report(to, step, in_flight, bucket, delta, 1, detail, working);
}

#endif
