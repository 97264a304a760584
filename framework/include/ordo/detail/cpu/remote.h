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
 * Racy stores. A plain store may put back a worse value into a ghost. Whoever stores makes an entry of that value, and
 * keeps it unless the ghost is better when it looks, after the store: so the ghost's last value has an entry, or a
 * later store had the same value. What comes is offered to owners with atomics: a plain store of one message might
 * overwrite the value of another, which its sender, whose ghost has that value, would never offer again.
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

/* Whether this process owns the item. */
ORDO_INLINE bool op_owns(const ordo_job *job, ordo_item item)
{
    if (__builtin_expect(item - job->first_owned < job->owned, 1))
        return true;
    return job->remote->part && job->remote->part[item] == job->remote->rank;
}

/* The rank that owns an item. */
static inline ordo_u32 ordo_owner_of(const ordo_remote *remote, ordo_item item)
{
    if (remote->part)
        return remote->part[item];
    ordo_u32 low = 0, high = remote->count; /* the last rank whose range begins at the item or before */
    while (high - low > 1) {
        const ordo_u32 middle = (low + high) / 2;
        if (remote->begin[middle] <= item)
            low = middle;
        else
            high = middle;
    }
    return low;
}

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
    return __builtin_expect(entry.item - job->first_owned < job->owned, 1) || op_keep_apart(job, member, entry);
}

/* Drops entries that have been overtaken; returns how many are left. */
ORDO_NOINLINE ordo_u64 op_thin_out(ordo_job *job, int member)
{
    const ordo_remote *remote = job->remote;
    ordo_u64 left = 0;
    for (ordo_u32 to = 0; to < remote->count; to++) {
        ordo_bin *bin = &remote->out[(ordo_u32)member * remote->count + to];
        op_entry *entry = (op_entry *)bin->data;
        ordo_u64 kept = 0;
        for (ordo_u64 i = 0; i < bin->count; i++)
            if (!op_stale(job, entry[i]))
                entry[kept++] = entry[i];
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
    remote->said[member].work = work + op_thin_out(job, member);
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
        if (op_offer(job, cell, entry.item, &entry.value, safe))
            push(arg, entry);
    }
    return remote->all;
}

#endif
