/* written.h -- which arrays of an operator's state a run over ranks puts together in the end.
 *
 * A template, for relax operators, included by <ordo/detail/cpu/remote.h> and <ordo/detail/cuda/relax.cuh>. What
 * processing an item writes is complete in the rank that owns the item, so these arrays are gathered as the cells are.
 */
#ifndef ORDO_DETAIL_WRITTEN_H
#define ORDO_DETAIL_WRITTEN_H

/* Notes the arrays, in job->remote. ORDO_ERR_UNSOUND: one has no element for each item. */
static inline ordo_status op_note_written(ordo_job *job)
{
    ordo_remote *remote = job->remote;
    op_state *state = (op_state *)(size_t)job->state; /* its words are not changed */
    ordo_array empty[ORDO_MOST_ARRAYS], one[ORDO_MOST_ARRAYS];
    op_arrays(state, 0, 0, 0, empty);
    const int arrays = op_arrays(state, 1, 0, 0, one);
    for (int i = 0; i < arrays; i++) {
        if (one[i].access == ORDO_ARRAY_READ)
            continue;
        if (empty[i].count || !one[i].count)
            return ordo_fail(ORDO_ERR_UNSOUND,
                             "operator '%s' does not run over ranks: it writes an array that is not of its items",
                             job->op->name);
        ordo_written *to = &remote->written[remote->written_count++];
        __builtin_memcpy(&to->array, one[i].place, sizeof to->array);
        to->unit = one[i].count * one[i].size;
    }
    return ORDO_OK;
}

#endif
