/* cuda.cuh -- the building blocks of a scheduler's cuda.cuh: applying an operator on a GPU.
 *
 * The counterpart of cpu.h: a template by inclusion. Expects ORDO_OP, the operator's name, and the operator's file
 * included before; included once in a translation unit, ahead of the schedulers' cuda.cuh. The list below is for relax
 * operators; for critical ones see <ordo/detail/cuda/critical.cuh>, for gather operators, which have op_gather_job
 * alone, <ordo/detail/cuda/gather.cuh> and, with ORDO_MODE, <ordo/detail/cuda/gather_mode.cuh>. Where
 * ORDO_OP_BY_RESIDUAL is 1, <ordo/detail/cuda/residual.cuh>, included behind the schedulers in rounds, adds the names
 * of the list.
 *
 * Defines the operator's functions (op_candidate, op_better, ...) as cpu.h does, and
 *   op_taken        what candidates are computed from: a cell or, by residual, what computing a vertex has changed
 *   op_cuda_begin   ordo_cuda_begin for the operator's cells
 *   op_dev_offer    applies one candidate: tests the cell, then an atomic (or, if racy, a plain store)
 *   op_dev_offer_locked   the same with a store under a lock
 *   op_dev_apply, op_dev_apply_locked   the same for selects and sums (ORDO_SUM) alike
 *   op_dev_begin    sums: takes an item's cell
 *   op_dev_expand   a block expands the edges of up to ORDO_CUDA_THREADS items, balanced by degree
 *   ordo_dev_queue   a block's buffer for appending: one atomic on the shared counter for up to ORDO_CUDA_CAPACITY
 *                    items; op_dev_queue is one in front of a frontier
 *   op_dev_push, op_dev_step   supersteps over a frontier (ordo_cuda_frontier): what bsp and near_far have in common
 *   op_dev_send, op_dev_receive, ordo_dev_meet   several GPUs (<ordo/detail/cuda/ranks.cuh>,
 * <ordo/detail/cuda/meet.cuh>) op_dev_mark, op_dev_send_marked   the same with messages behind a superstep
 * (<ordo/detail/cuda/bulk.cuh>) op_dev_post_staged, op_dev_unstage, op_dev_take_chunk   the same without supersteps
 * (<ordo/detail/cuda/boxes.cuh>), whose end is found by ordo_dev_round (<ordo/detail/cuda/rounds.cuh>)
 *
 * Threads. The comment of a device function says which threads call it: one thread (any thread, independently of all
 * others), a whole warp, a whole block, or the whole grid. With a whole warp (block), all its threads call it together
 * and pass the same arguments, except for those described as the lane's (thread's) own. Results are valid in all
 * threads that call, unless the comment says otherwise.
 *
 * Memory order. As on the CPU, cells are read and written relaxed, at device scope: an outdated cell proposes a worse
 * candidate at most, and every improvement puts its target on a worklist again. Worklists pass from block to block only
 * over a grid barrier, which orders everything.
 */
#include <cooperative_groups.h>
#include <cuda_pipeline_primitives.h>

#include <ordo/detail/cuda/block_scan.cuh>
#include <ordo/detail/cuda/frontier.cuh>
#include <ordo/detail/cuda/locks.cuh>
#include <ordo/detail/cuda/warp_reduce.cuh>

#ifndef ORDO_OP
#error "cuda.cuh expects ORDO_OP, the name of the operator whose file was included before"
#endif

/* 1 behind <ordo/detail/cuda/residual.cuh>. */
#undef ORDO_OP_RESIDUALS
#define ORDO_OP_RESIDUALS 0

/* 1: the instances of this unit are for runs over several GPUs, a rank each; the schedulers that can are included. */
#ifndef ORDO_OVER_RANKS
#define ORDO_OVER_RANKS 0
#endif

/* Ends a scheduler's cuda.cuh: defines the instance that the back end's table names. */
#if ORDO_OVER_RANKS
#define ORDO_CUDA_UNDER _over_ranks_under_
#else
#define ORDO_CUDA_UNDER _on_cuda_under_
#endif
#define ORDO_CUDA_INSTANCE(_scheduler, _run, _syncs) ORDO_CUDA_INSTANCE_OF(_scheduler, _run, _syncs)
#define ORDO_CUDA_INSTANCE_OF(_scheduler, _run, _syncs)                                                                \
    extern const ordo_instance ORDO_JOIN3(ORDO_OP, ORDO_CUDA_UNDER, _scheduler);                                       \
    const ordo_instance ORDO_JOIN3(ORDO_OP, ORDO_CUDA_UNDER, _scheduler) = {#_scheduler, _run, _syncs, ORDO_ON_CUDA};

#if !ORDO_OP_ON_CUDA
#error "no engine of the CUDA back end runs this operator: it does not list its state's arrays"
#endif
static_assert((int)op_array_count <= (int)ORDO_MOST_ARRAYS, "a state lists at most ORDO_MOST_ARRAYS arrays");

#if ORDO_OP_KIND == ORDO_KIND_RELAX
#include <ordo/detail/cuda/relax.cuh>
#if ORDO_OVER_RANKS
#include <ordo/detail/cuda/ranks.cuh>
#include <ordo/detail/cuda/bulk.cuh>
#include <ordo/detail/cuda/boxes.cuh>
#endif
#elif ORDO_OP_KIND == ORDO_KIND_GATHER && ORDO_OP_COMBINE == ORDO_MODE
#include <ordo/detail/cuda/gather_mode.cuh>
#elif ORDO_OP_KIND == ORDO_KIND_GATHER
#include <ordo/detail/cuda/gather.cuh>
#else
#include <ordo/detail/cuda/critical.cuh>
#endif
