/* bulk.cuh -- relax operators over several GPUs, a rank each: messages that are sent together, behind a superstep.
 *
 * A template, included by <ordo/scheduler/cuda.cuh> where ORDO_OVER_RANKS is 1, behind ranks.cuh.
 *
 * Problem. ranks.cuh sends a message for each improvement of a ghost, at once. So a ghost that improves several times
 * in a superstep costs several messages; and a sum is not known before all additions of the superstep are made.
 *
 * Protocol. A superstep only marks the ghosts that it improves, by bits of `spill` (op_dev_mark). Behind a barrier of
 * the rank's grid each marked ghost's value is one message (op_dev_send_marked). This sends
 * fewer messages, but none while edges are processed. `spilled` counts only ghosts that found their box full.
 *
 * Sums. A ghost begins as 0 and holds what this rank has added and not sent. Invariant, when a superstep's additions
 * have been made: a ghost that is not 0 has a mark. An addition that finds 0 sets it; others find what that one has
 * added, or additions between, whose first one found 0. Sending swaps the ghost for 0, so each addend is sent once. A
 * value whose box is full is added to the ghost again, with the mark, by the thread that has it: marks are set and
 * ghosts are swapped on different sides of a barrier, but for this thread's own. A box has a place for each cell that
 * its owner owns, so it is full only where tests make it smaller.
 *
 * Memory order. Ghosts and marks are relaxed; the barriers of the grid and the meeting order them.
 *
 * The protocol is a model for Spin, tests/models/ranks_bulk.pml.
 */
/* Whether this rank owns the cell of a target. */
ORDO_DEV bool op_dev_owns_target(const ordo_cuda_ranks &r, ordo_u32 target)
{
    if (op_activates) /* targets are items */
        return ordo_dev_owns(r, target);
    return target - r.first_target[r.rank] < r.first_target[r.rank + 1] - r.first_target[r.rank];
}

/* By one thread: applies a candidate to the ghost of a target that another rank owns. True if the ghost has something
 * to send that no mark tells of. */
ORDO_DEV bool op_dev_apply_ghost(const op_state *state, op_cell *cells, ordo_u32 target, op_cell candidate, bool blind)
{
#if ORDO_OP_ORDER == ORDO_SUM
    (void)state, (void)blind;
    return candidate != 0 && op_dev_add(&cells[target], candidate) == 0;
#else
    return op_dev_apply(state, cells, target, &candidate, false, blind);
#endif
}

/* By one thread: marks a ghost, to be sent by op_dev_send_marked. */
ORDO_DEV void op_dev_mark(const ordo_cuda_ranks &r, ordo_u32 target)
{
    const ordo_u32 bit = 1u << target % 32;
    if (!(ordo_dev_load(&r.spill[target / 32]) & bit))
        ordo_dev_or(&r.spill[target / 32], bit);
}

/* By the whole grid, behind a barrier behind all marks, and behind meeting `number`: sends the marked ghosts. Expects
 * that outboxes are empty and `spilled` is 0. */
ORDO_DEV void op_dev_send_marked(const ordo_cuda_ranks &r, ordo_u64 number, op_cell *cells, op_dev_outbox *outbox)
{
    const ordo_u32 words = r.first_target[r.count] / 32 + 1, lane = threadIdx.x % 32;
    for (ordo_u64 first = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x - lane; first < words;
         first += (ordo_u64)gridDim.x * blockDim.x) {
        ordo_u32 *const word = &r.spill[first + lane < words ? first + lane : 0];
        ordo_u32 bits = first + lane < words && ordo_dev_load(word) ? ordo_dev_exchange(word, 0u) : 0;
        while (__any_sync(~0u, bits != 0)) {
            if (bits) {
                const ordo_u32 item = 32 * (ordo_u32)(first + lane) + (ordo_u32)__ffs((int)bits) - 1;
                bits &= bits - 1;
#if ORDO_OP_ORDER == ORDO_SUM
                const op_cell value = ordo_dev_exchange(&cells[item], (op_cell)0);
                if (value != 0) /* addends may have cancelled out */
                    op_dev_post(r, number, outbox, item, value);
#else
                op_dev_post(r, number, outbox, item, ordo_dev_load(&cells[item]));
#endif
            }
            op_dev_dispatch(r, number, outbox, false);
        }
    }
    op_dev_dispatch(r, number, outbox, true);
}

#if ORDO_OP_ORDER == ORDO_SUM
/* By the whole grid, ahead of the first meeting: empties the ghosts. */
ORDO_DEV void op_dev_empty_ghosts(const ordo_cuda_ranks &r, op_cell *cells)
{
    for (ordo_u64 i = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; i < r.first_target[r.count];
         i += (ordo_u64)gridDim.x * blockDim.x)
        if (!op_dev_owns_target(r, (ordo_u32)i))
            ordo_dev_store(&cells[i], (op_cell)0);
}
#endif
