/* ghosts.cuh -- gather operators over several GPUs, a rank each: how shares reach the ranks whose rows read them.
 *
 * A template, included by gather.cuh and gather_mode.cuh. Where ORDO_OVER_RANKS is 0 it has what one GPU does in the
 * same places: it owns all vertices, sends nothing, and waits at the grid's barrier. The counterpart on CPUs is
 * <ordo/detail/cpu/ghosts.h>.
 *
 * Problem. A round reads the shares of all in-neighbours, some of which other ranks own.
 *
 * Protocol. A rank has the in-rows of its own vertices, and two arrays of shares in memory that all ranks see. These
 * have an element for every vertex, at the same position in all ranks; round k reads array k mod 2 and writes the other
 * one. Who computes a vertex stores its share into the array of its own rank, and by plain stores across the link into
 * the arrays of those ranks that read it, which own the head of one of its out-edges (`readers`, found once for a
 * graph). Then all blocks of all ranks meet (<ordo/detail/cuda/meet.cuh>), and the next round reads the arrays of its
 * own rank alone. So a share crosses once for each rank that reads it, while edges are read, and there is nothing to
 * unpack. For ranks whose memory the GPU does not see, its host puts all shares of this rank behind the round.
 *
 * Changes and totals are the words that a rank says when ranks meet. One warp of each rank adds up those of all ranks,
 * in the order of ranks, and stores the sums where the blocks of its rank look for those of the grid. The host's stop
 * is a word as well. So all ranks have the same bits and end at the same round, and a round's code is that of one GPU.
 *
 * Invariant. When a round begins, the array that it reads has for every own vertex and every ghost what its owner has
 * computed in the round before. First shares are computed by each rank, of all vertices: cells and states are the same
 * in all ranks. A ghost is the tail of an edge to an own vertex, so its owner has this rank among its readers.
 *
 * Why two arrays are enough. Round k + 1 stores to the array that round k has read, behind the meeting between them, at
 * which all threads of all ranks have arrived: their loads of round k are done. The first store of a run to another
 * rank is one of round 1, to the array that no begin writes. The last one is ahead of the last meeting, so no rank
 * stores to others when its kernel has ended; hosts meet before the next run begins.
 *
 * Memory order. Shares are stored and loaded plainly; the meetings order them: a store to another rank's memory, then
 * the barrier of the block and the fence of system scope of its first thread, ahead of the meeting; behind it the
 * acquire of each block, then loads. Each word is written by one thread in a round, and read in another round. Loads
 * must not be of the read-only kind (ld.global.nc), for the arrays change during the kernel.
 *
 * The protocol is a model for Spin, tests/models/ghosts_cuda.pml.
 *
 * Not done: rounds in place, where an answer would depend on what has come; schedules by residual; traces.
 */

/* Vertices first .. end - 1, and the in-edges of these. */
typedef struct op_own {
    ordo_u32 first, end;
    ordo_u64 edges;
} op_own;

/* What a thread knows of meetings. */
typedef struct op_dev_met {
    ordo_u64 number, began; /* meetings so far; when all kernels had begun */
} op_dev_met;

#if ORDO_OVER_RANKS
#include <ordo/detail/cuda/meet.cuh>

/* Of a kernel's arguments. */
typedef struct op_ghosts {
    ordo_cuda_ranks ranks;
    ordo_cuda_ghosts of;
    op_own own;
} op_ghosts;

/* The vertices that this rank computes. */
template <typename Args> ORDO_DEV op_own op_dev_own(const Args &a)
{
    return a.ghosts.own;
}

/* By one thread: stores the share of an own vertex to place `at` of the array `to` of this rank, and to those of the
 * ranks that read it. */
template <typename Args>
ORDO_DEV void op_dev_put_share(const Args &a, op_share *to, ordo_vid v, ordo_u32 at, op_share share)
{
    const ordo_cuda_ghosts &g = a.ghosts.of;
    for (ordo_u32 readers = __ldg(g.readers + v); readers; readers &= readers - 1)
        *(op_share *)((size_t)(to + at) + g.away[__ffs((int)readers) - 1]) = share;
    to[at] = share;
}

/* By the whole grid, first of all: waits until the kernels of all ranks run. */
template <typename Args> ORDO_DEV op_dev_met op_dev_begin_ranks(const Args &a)
{
    op_dev_met met = {};
    ordo_dev_meet(a.ghosts.ranks, &met.number, [] { return (ordo_u64)0; });
    met.began = ordo_dev_clock();
    return met;
}

/* By the whole grid, behind a round's work in it: waits for all ranks. sums[0], the change, and sums[1 .. Totals], the
 * totals, become those of all ranks, and *stop whether any rank's is set. */
template <int Totals, typename Args, typename Grid>
ORDO_DEV void op_dev_end_round(const Args &a, Grid &, op_dev_met *met, double *sums, ordo_u32 *stop)
{
    static_assert(Totals + 2 <= 8, "a rank says its change, totals and stop");
    const ordo_cuda_ranks &r = a.ghosts.ranks;
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_dev_meet(
        r, &met->number,
        [&] {
            if (met->number > 2) /* round 1 ends with meeting 3, and has written array 0 */
                ordo_dev_carry(r, met->number, (met->number - 1) & 1);
            return lane <= Totals       ? (ordo_u64)__double_as_longlong(ordo_dev_load(sums + lane))
                   : lane == Totals + 1 ? (ordo_u64)ordo_dev_load(stop)
                                        : 0;
        },
        [&](const ordo_cuda_said *said) {
            double sum = 0;
            ordo_u64 any = 0;
            for (ordo_u32 from = 0; lane <= Totals + 1 && from < r.count; from++) {
                const ordo_u64 word = ordo_dev_said_word(said[from], lane);
                const double x = __longlong_as_double((long long)word);
                any |= word;
                sum = lane == 0 ? op_join_changes(sum, x) : sum + x;
            }
            if (lane <= Totals)
                ordo_dev_store(sums + lane, sum);
            else if (lane == Totals + 1)
                ordo_dev_store(stop, (ordo_u32)(any != 0));
            __syncwarp();
        });
}

/* By the whole grid, behind the last round: how long the run has taken, and how many shares each reader was sent. */
template <typename Args> ORDO_DEV void op_dev_end_ranks(const Args &a, const op_dev_met &met, ordo_u64 rounds)
{
    const ordo_cuda_ghosts &g = a.ghosts.of;
    if (blockIdx.x || threadIdx.x)
        return;
    ordo_cuda_words *const words = a.ghosts.ranks.words[a.ghosts.ranks.rank];
    words->nanoseconds = ordo_dev_clock() - met.began;
    words->messages = rounds * g.sent;
}
#else
template <typename Args> ORDO_DEV op_own op_dev_own(const Args &a)
{
    return op_own{0, a.rows.n, a.rows.m};
}

template <typename Args>
ORDO_DEV void op_dev_put_share(const Args &, op_share *to, ordo_vid, ordo_u32 at, op_share share)
{
    to[at] = share;
}

template <typename Args> ORDO_DEV op_dev_met op_dev_begin_ranks(const Args &)
{
    return op_dev_met{};
}

template <int Totals, typename Args, typename Grid>
ORDO_DEV void op_dev_end_round(const Args &, Grid &grid, op_dev_met *, double *, ordo_u32 *)
{
    grid.sync();
}

template <typename Args> ORDO_DEV void op_dev_end_ranks(const Args &, const op_dev_met &, ordo_u64)
{
}
#endif

/* On the host: the same as op_dev_own. */
static op_own op_own_of(const ordo_cuda *c)
{
    const ordo_job *const job = c->job;
    if (!ORDO_OVER_RANKS)
        return op_own{0, c->in.n, c->in.m};
    const ordo_u32 end = job->first_owned + job->owned;
    return op_own{job->first_owned, end, job->in->row[end] - job->in->row[job->first_owned]};
}

/* On the host, of a->share: two arrays, or the same twice in place. Where positions are vertices and cells are shares,
 * the cells are one of them. Over ranks also a->ghosts, and all ranks have cleared what they share. */
template <typename Args>
static ordo_status op_shares_make(ordo_cuda *c, bool in_place, const ordo_u32 *position, Args *a)
{
#if ORDO_OVER_RANKS
    if (in_place)
        return ordo_fail(ORDO_ERR_UNSOUND, "operator '%s' runs over ranks in double-buffered rounds alone",
                         c->job->op->name);
    a->ghosts.own = op_own_of(c);
    const ordo_status status = ordo_cuda_ghosts_make(c, sizeof(op_share), &a->ghosts.ranks, &a->ghosts.of);
    (void)position;
    for (int i = 0; i < 2; i++)
        a->share[i] = (op_share *)a->ghosts.of.share[i];
    return status;
#else
    a->share[1] = (op_share *)c->cells;
    if (op_shares || position)
        a->share[1] = (op_share *)ordo_cuda_alloc(c, c->in.n, sizeof(op_share), false);
    a->share[0] = in_place ? a->share[1] : (op_share *)ordo_cuda_alloc(c, c->in.n, sizeof(op_share), false);
    return a->share[0] && a->share[1] ? ORDO_OK : ORDO_ERR_MEMORY;
#endif
}
