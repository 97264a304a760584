/* ghosts.h -- gather operators over several processes on CPUs: how shares reach the ranks whose rows read them.
 * Included by <ordo/detail/cpu/gather.h>.
 *
 * Problem. A round reads the shares of all in-neighbours, some of which other ranks own.
 *
 * Method. Rounds are double-buffered: a round reads one array of shares, writes its own vertices' shares to the other,
 * and between two rounds the ghosts of that other array get what their owners have written. A rank knows by the
 * out-edges of its vertices which of these are ghosts elsewhere, and of whom; these lists are made once. The arrays
 * have an element for every vertex, so nothing else of a round changes. Changes and totals are added up in all ranks in
 * the order of ranks, so all decide alike.
 *
 * Invariant. When a round begins, the array that it reads has for every own vertex and every ghost, in this rank, what
 * the owner has computed in the round before: a ghost is the tail of an edge to an own vertex, so its owner has it in
 * the list of this rank, and an exchange ends when all that was sent has come.
 *
 * Memory order. Barriers on both sides of the exchange: members fill bins of their own from shares that others may have
 * computed, member 0 exchanges, members write the ghosts that have come, each of which comes once.
 *
 * Not done: rounds in place, where an answer may depend on what has come; schedules by residual; ranks that own other
 * than ranges; sending what has changed only.
 */
#ifndef ORDO_DETAIL_CPU_GHOSTS_H
#define ORDO_DETAIL_CPU_GHOSTS_H

typedef struct op_message {
    op_share share;
    ordo_vid item;
} op_message;

/* The vertices of this rank: all where it is alone. */
ORDO_INLINE ordo_vid op_own_end(const ordo_job *job)
{
    return job->remote ? job->first_owned + job->owned : (ordo_vid)job->num_items;
}

/* Lists a member's part of the vertices that are ghosts elsewhere: lists[member * count + rank]. */
ORDO_INLINE void op_ghosts_list(ordo_job *job, int member, ordo_bin *lists)
{
    const ordo_remote *remote = job->remote;
    const ordo_csr *out = job->out;
    ordo_u64 begin, end;
    ordo_split(job->owned, job->threads, member, &begin, &end);
    for (ordo_u64 v = begin + job->first_owned; v < end + job->first_owned; v++)
        for (ordo_eid e = out->row[v]; e < out->row[v + 1]; e++) {
            const ordo_vid head = out->head[e * out->stride];
            if (head - job->first_owned < job->owned)
                continue;
            ordo_bin *list = &lists[(ordo_u32)member * remote->count + ordo_owner_of(remote, head)];
            if (list->count && ((const ordo_vid *)list->data)[list->count - 1] == v)
                continue; /* it has a neighbour there already */
            if (list->count == list->capacity && !ordo_bin_grow(job, list, sizeof(ordo_vid)))
                return; /* the run has failed */
            ((ordo_vid *)list->data)[list->count++] = (ordo_vid)v;
        }
}

/* By all members, after a round: sends what this rank has written to `share`, and receives the ghosts. */
ORDO_INLINE void op_ghosts_exchange(ordo_job *job, int member, const ordo_bin *lists, op_share *share)
{
    ordo_remote *remote = job->remote;
    for (ordo_u32 to = 0; to < remote->count; to++) {
        const ordo_u32 at = (ordo_u32)member * remote->count + to;
        const ordo_bin *list = &lists[at];
        ordo_bin *bin = &remote->out[at];
        bin->count = 0;
        if (!ordo_bin_reserve(job, bin, list->count, sizeof(op_message)))
            continue; /* the run has failed, as the exchange says */
        op_message *message = (op_message *)bin->data;
        for (ordo_u64 i = 0; i < list->count; i++) {
            message[i].item = ((const ordo_vid *)list->data)[i];
            message[i].share = share[message[i].item];
        }
        bin->count = list->count;
    }
    remote->said[member].work = remote->said[member].edges = 0;
    remote->said[member].lowest = ~(ordo_u64)0;
    ordo_member_barrier(job, member);
    if (member == 0)
        ordo_job_exchange(job);
    ordo_member_barrier(job, member);
    ordo_u64 begin, end;
    ordo_split(remote->in.count, job->threads, member, &begin, &end);
    const op_message *in = (const op_message *)remote->in.data;
    for (ordo_u64 i = begin; i < end; i++)
        share[in[i].item] = in[i].share;
}

/* By member 0: makes sum[0], a change, and sum[1 .. count - 1], totals, those of all ranks. */
ORDO_INLINE void op_ghosts_sum(ordo_job *job, double *sum, int count)
{
    const int ranks = (int)job->remote->count;
    double mine[5], other;
    ordo_u64 words[5];
    for (int i = 0; i < count; i++) {
        mine[i] = sum[i];
        sum[i] = 0;
    }
    __builtin_memcpy(words, mine, (size_t)count * sizeof *words);
    const ordo_u64 *all = ordo_job_collect(job, words, count);
    for (int r = 0; r < ranks; r++)
        for (int i = 0; i < count; i++) {
            __builtin_memcpy(&other, &all[r * count + i], sizeof other);
            sum[i] = i == 0 ? op_join_changes(sum[0], other) : sum[i] + other;
        }
}

#endif
