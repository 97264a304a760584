/* remote.h -- relax operators over several processes on CPUs: what is sent to owners, and how ranks meet.
 *
 * A template, included by <ordo/scheduler/cpu.h> for relax operators.
 *
 * Problem. A scheduler's loops run in each of several processes, on that process' own items. An offer may improve the
 * cell of an item that another process owns, which then has to process it.
 *
 * Method. Cells of items that a rank does not own are its ghosts. Offers change ghosts as they change other cells. The
 * scheduler's sink asks op_keep() of each activated entry: false means that the item is another rank's, and that the
 * entry waits in a bin for that rank. Between two supersteps all members of all ranks call op_meet(): entries go to
 * their owners, whose members offer them to the cells that they own, and pass what is activated to the sink. The ranks
 * agree in the same exchange on how much there is to do, on the lowest bucket that has something, and on an early end.
 *
 * Why nothing is lost. Invariant, between supersteps: for every item the best value that any rank has for it is that of
 * the owner's cell, or of an entry in a bin for the owner, or of an entry in the exchange. A ghost's value changes only
 * together with an entry for the owner that has this value. Of several entries for one item a rank keeps the best: an
 * entry is dropped when the ghost has a better value, and the entry of that value is in a bin, too, or was sent before.
 * Values get better only (the operator selects), so an owner that meets an old value drops it by the offer itself.
 *
 * Shared cells. Where all ranks are on one host, the operator selects and offers are atomic, ranks work on one array of
 * cells (ordo_remote.shared) and have no ghosts. An offer is one step on the cell, whichever rank makes it, so one
 * member of one rank has offered each value that the cell takes, and that member makes the entry. Invariant, between
 * supersteps: the value of every cell that has not been processed with it has exactly one entry, on a worklist of the
 * owner, in a bin for it, or in the exchange. So an owner takes what comes unless its cell is better by now, and then
 * there is another entry. It does not offer what comes, since the cell has that value already. An entry that is dropped
 * before the exchange has been overtaken, and the member that made the better entry has yet to count it: no member
 * offers anything between its count and the end of the exchange. Offers are relaxed, as between threads. The processor
 * changes words of this size without a lock, so it makes no difference that the ranks are processes.
 * tests/models/ranks_shared.pml is a model.
 *
 * Racy stores. A plain store may put back a worse value into a ghost. The member that stores makes an entry of that
 * value, and keeps it unless the ghost is better when it looks, after the store: so the ghost's last value has an
 * entry, or a later store had the same value. What comes is offered to owners with atomics: a plain store of one
 * message might overwrite the value of another, which its sender, whose ghost has that value, would never offer again.
 *
 * Sums. A ghost begins as 0 and holds what this rank has added and has not sent. The offer that finds 0 there makes an
 * entry. When ranks meet, the member that has the entry swaps the ghost for 0, and sends what was in it. Invariant:
 * what was added to an item is, once each, in the owner's cell or in what it has taken from there, in a ghost, or in an
 * entry that has been swapped out. An addition and a swap are single steps on one word, so what another member adds
 * meanwhile is either swapped out, too, or finds 0 and makes an entry of its own. So a ghost that is not 0 has an entry
 * whose member has yet to look at it: every addend is sent, and none twice. (Where addends cancel out, an entry finds
 * 0, and is dropped.) Sums of integers are the same in any order, so answers are those of one process; reals round in
 * another order, as they do among threads. Levels are looked at by owners alone, and items taken by owners alone, so
 * what takes record in arrays of the state is complete in the owner, and gathered from there like the cells.
 *
 * Targets that are no heads. Nothing is activated, so nothing is sent during the run. In the end every rank offers what
 * its cells have become to those that own ranges of the targets. The operator selects, so offering a value again does
 * no harm.
 *
 * Why it ends, and when. `work` counts the entries of members and of bins before the exchange, so it is 0 in all ranks
 * only if no rank has an entry and none is under way: messages exist during the exchange alone. That is exact. An entry
 * that improves nothing costs one more superstep in which there is nothing to do.
 *
 * Memory order. Members write their bins and what they say before the first barrier, member 0 reads them behind it.
 * Member 0 writes job->remote->in and ->all before the second barrier, members read them behind it. The exchange orders
 * processes.
 *
 * Not done: overlapping an exchange with work; combining messages of several members for one item.
 */
#ifndef ORDO_DETAIL_CPU_REMOTE_H
#define ORDO_DETAIL_CPU_REMOTE_H

#include <ordo/detail/written.h>

/* op_keep of an entry that is not in the rank's range. Out of line: it is never called where there is one process, and
 * would take registers from the loops over edges. */
ORDO_NOINLINE bool op_keep_apart(ordo_job *job, int member, op_entry entry)
{
    if (op_owns(job, entry.item))
        return true;
    ordo_remote *remote = job->remote;
    op_append(job, &remote->out[(ordo_u32)member * remote->count + ordo_owner_of(remote, entry.item)], entry);
    return false;
}

/* Whether the member's worklist takes the entry; otherwise it waits for the next exchange. */
ORDO_INLINE bool op_keep(ordo_job *job, int member, op_entry entry)
{
    return __builtin_expect(ordo_job_in_own_range(job, entry.item), 1) || op_keep_apart(job, member, entry);
}

/* Whether an entry for another rank is to be sent. Drops what has been overtaken; of sums, takes what the ghost has. */
#if ORDO_OP_ORDER == ORDO_SUM
ORDO_INLINE bool op_send(ordo_job *job, op_entry *entry, const ordo_sync sync)
{
    op_cell *ghost = (op_cell *)job->cells + entry->item, none = 0;
    if (sync == ORDO_SYNC_LOCK)
        ordo_lock(&job->locks, entry->item & job->locks.mask);
    __atomic_exchange(ghost, &none, &entry->value, __ATOMIC_RELAXED);
    if (sync == ORDO_SYNC_LOCK)
        ordo_unlock(&job->locks, entry->item & job->locks.mask);
    return entry->value != 0;
}
#else
ORDO_INLINE bool op_send(ordo_job *job, op_entry *entry, const ordo_sync sync)
{
    (void)sync;
    return !op_stale(job, *entry);
}
#endif

/* Keeps the entries that are to be sent; returns how many these are. */
ORDO_INLINE ordo_u64 op_thin_out(ordo_job *job, int member, const ordo_sync sync)
{
    const ordo_remote *remote = job->remote;
    ordo_u64 left = 0;
    for (ordo_u32 to = 0; to < remote->count; to++) {
        ordo_bin *bin = &remote->out[(ordo_u32)member * remote->count + to];
        op_entry *entry = (op_entry *)bin->data;
        ordo_u64 kept = 0;
        for (ordo_u64 i = 0; i < bin->count; i++) {
            if (i + ORDO_AHEAD_HEAD < bin->count)
                __builtin_prefetch((op_cell *)job->cells + entry[i + ORDO_AHEAD_HEAD].item, op_sums);
            if (op_send(job, &entry[i], sync))
                entry[kept++] = entry[i];
        }
        bin->count = kept;
        left += kept;
    }
    return left;
}

/* By all members, between supersteps. `work`: entries that the member holds; `lowest`: the lowest bucket of these and
 * of what it has sent. What has come goes to `push`. Returns what the ranks agree on. */
ORDO_INLINE ordo_agreed op_meet(ordo_job *job, int member, ordo_u64 work, ordo_u64 lowest, const ordo_sync sync,
                                op_sink push, void *arg)
{
    ordo_remote *remote = job->remote;
    remote->said[member].work = work + op_thin_out(job, member, sync);
    remote->said[member].lowest = lowest;
    ordo_member_barrier(job, member);
    if (member == 0)
        ordo_job_exchange(job);
    ordo_member_barrier(job, member);
    for (ordo_u32 to = 0; to < remote->count; to++)
        remote->out[(ordo_u32)member * remote->count + to].count = 0;
    ordo_u64 begin, end;
    ordo_split(remote->in.count, job->threads, member, &begin, &end);
    const op_entry *in = (const op_entry *)remote->in.data;
    op_cell *cell = (op_cell *)job->cells;
    const ordo_sync safe = sync == ORDO_SYNC_RACY ? ORDO_SYNC_ATOMIC : sync;
    for (ordo_u64 i = begin; i < end; i++) {
        if (i + ORDO_AHEAD_HEAD < end)
            __builtin_prefetch(&cell[in[i + ORDO_AHEAD_HEAD].item], 1);
        op_entry entry = in[i];
        if (!op_sums && remote->shared ? !op_stale(job, entry) : op_offer(job, cell, entry.item, &entry.value, safe))
            push(arg, entry);
    }
    return remote->all;
}

/* ---- before and after a run ---- */

/* Notes the arrays that processing an item writes, and empties ghosts of sums. */
ORDO_INLINE ordo_status op_begin_among_ranks(ordo_job *job)
{
    const ordo_status status = op_note_written(job);
    if (status) /* cells stay as they are */
        return status;
#if ORDO_OP_ORDER == ORDO_SUM
    for (ordo_u64 v = 0; v < job->num_items; v++)
        if (!op_owns(job, (ordo_item)v))
            ((op_cell *)job->cells)[v] = 0;
#endif
    return ORDO_OK;
}

#if ORDO_OP_ORDER != ORDO_SUM
/* Offers the cells of other ranks' targets to these, where targets are no heads; by the calling thread alone. */
ORDO_INLINE void op_join_targets(ordo_job *job)
{
    ordo_remote *remote = job->remote;
    op_cell *cell = (op_cell *)job->cells;
    for (ordo_u32 to = 0; to < remote->count; to++)
        for (ordo_u64 t = ordo_targets_before(job, to); to != remote->rank && t < ordo_targets_before(job, to + 1);
             t++) {
            const op_entry entry = {cell[t], (ordo_item)t};
            if (op_better(entry.value, op_worst()))
                op_append(job, &remote->out[to], entry);
        }
    for (int t = 0; t < job->threads; t++)
        remote->said[t] = (ordo_said){.lowest = ~(ordo_u64)0};
    ordo_job_exchange(job);
    for (ordo_u64 i = 0; i < remote->in.count && !remote->all.ended; i++) {
        op_entry entry = ((const op_entry *)remote->in.data)[i];
        (void)op_offer(job, cell, entry.item, &entry.value, ORDO_SYNC_RACY);
    }
}
#endif

/* Makes a run, as one of several processes where it is. */
ORDO_INLINE ordo_status op_run_among_ranks(ordo_job *job, ordo_status (*run)(ordo_job *))
{
    if (!job->remote)
        return run(job);
    ordo_status status = op_begin_among_ranks(job);
    if (!status)
        status = run(job);
#if ORDO_OP_ORDER != ORDO_SUM
    if (!status && !op_activates && !job->remote->all.ended)
        op_join_targets(job);
#endif
    return status;
}

#endif
