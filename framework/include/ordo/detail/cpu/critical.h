/* critical.h -- critical operators on the CPU: prepares requests and runs their critical sections under locks.
 *
 * A template, included by <ordo/scheduler/cpu.h>. Expects the names that <ordo/operator/critical.h> derives from the
 * operator. Execution by owners instead of locks is in owner.h.
 */
#include <ordo/detail/cpu/base.h>

typedef struct op_entry {
    ordo_u32 value; /* the priority with which the item was activated */
    ordo_item item;
} op_entry;
/* A function that receives activated entries. Passed to the functions below as a compile-time constant. */
typedef void op_sink(void *arg, op_entry activated);
enum { op_priority_signed = 0 };

ORDO_INLINE bool op_stale(const ordo_job *job, op_entry entry)
{
    (void)job;
    (void)entry;
    return false; /* op_prepare reads the current state, and makes no request where nothing is to be done */
}
ORDO_INLINE op_entry op_entry_now(const ordo_job *job, ordo_item item)
{
    op_entry entry = {op_first_priority((const op_state *)job->state, item), item};
    return entry;
}
ORDO_INLINE double op_entry_priority(const ordo_job *job, op_entry entry)
{
    (void)job;
    return entry.value;
}

/* Runs the critical section of a request whose targets the caller owns; returns the number of items that it activated.
 */
ORDO_INLINE ordo_u32 op_run_commit(const ordo_job *job, const op_request *request, ordo_activation *activated,
                                   ordo_counters *count)
{
    ORDO_COUNT(count->useful++);
    return op_commit((const op_state *)job->state, request, activated);
}
ORDO_INLINE void op_push_activated(const ordo_activation *activated, ordo_u32 size, op_sink push, void *arg)
{
    for (ordo_u32 i = 0; i < size; i++) {
        op_entry entry = {activated[i].priority, activated[i].item};
        push(arg, entry);
    }
}

/* The locks of a request, each once and in ascending order, to index[]; returns their number. */
ORDO_INLINE ordo_u32 op_locks_of(const ordo_job *job, const op_request *request, ordo_u32 *index)
{
    ordo_u32 size = 0;
    for (ordo_u32 k = 0; k < request->targets; k++) {
        const ordo_u32 lock = request->target[k] & job->locks.mask;
        ordo_u32 at = size;
        while (at > 0 && index[at - 1] > lock)
            at--;
        if (at > 0 && index[at - 1] == lock)
            continue;
        for (ordo_u32 i = size++; i > at; i--)
            index[i] = index[i - 1];
        index[at] = lock;
    }
    return size;
}

/* op_serve for requests of many targets. No deadlock: a member waits only for locks above all that it holds. Exclusion
 * and order of memory are those of each single lock. */
ORDO_INLINE ordo_u32 op_serve_many(const ordo_job *job, const op_request *request, ordo_counters *count, op_sink push,
                                   void *arg)
{
    ordo_activation activated[op_activations + 1];
    ordo_u32 index[ORDO_MOST_TARGETS];
    const ordo_u32 locks = op_locks_of(job, request, index);
    for (ordo_u32 i = 0; i < locks; i++)
        ordo_lock(&job->locks, index[i]);
    const ordo_u32 activations = op_run_commit(job, request, activated, count);
    for (ordo_u32 i = locks; i-- > 0;)
        ordo_unlock(&job->locks, index[i]);
    op_push_activated(activated, activations, push, arg);
    return activations;
}

/* Locks the targets of a request, runs its critical section, and passes the items that it activates to the sink. The
 * lock of the smaller index is taken first, so there is no deadlock. Returns the number of activated items. */
ORDO_INLINE ordo_u32 op_serve(const ordo_job *job, const op_request *request, ordo_counters *count, op_sink push,
                              void *arg)
{
    ordo_activation activated[op_activations + 1];
    if (op_many)
        return op_serve_many(job, request, count, push, arg);
    if (op_hands_edges && request->targets == 0) { /* an activation: nothing is owned */
        const ordo_u32 alone = op_run_commit(job, request, activated, count);
        op_push_activated(activated, alone, push, arg);
        return alone;
    }
    ordo_u32 a = request->target[0] & job->locks.mask, b = request->target[request->targets - 1] & job->locks.mask;
    if (a > b) {
        ordo_u32 swap = a;
        a = b;
        b = swap;
    }
    ordo_lock(&job->locks, a);
    if (a != b)
        ordo_lock(&job->locks, b);
    ordo_u32 activations = op_run_commit(job, request, activated, count);
    if (a != b)
        ordo_unlock(&job->locks, b);
    ordo_unlock(&job->locks, a);
    op_push_activated(activated, activations, push, arg);
    return activations;
}

/* Where items have rows: prefetches the bounds of a row, and the heads of another, of later entries. As relax.h does.
 */
ORDO_INLINE void op_prefetch_units(const ordo_job *job, const op_entry *entries, ordo_u64 i, ordo_u64 known)
{
    if (!op_expands)
        return;
    const ordo_edges *g = op_edges((const op_state *)job->state);
    if (i + ORDO_AHEAD_ROW < known)
        __builtin_prefetch(&g->row[entries[i + ORDO_AHEAD_ROW].item]);
    if (i + ORDO_AHEAD_EDGES < known)
        __builtin_prefetch(&g->head[g->row[entries[i + ORDO_AHEAD_EDGES].item] * g->stride]);
}

/* A batch of op_expand: prepares the items in order and runs the critical sections of their requests under locks, the
 * only sync for which this function is called. Edges that are handed on are those of the state. Returns the number of
 * items and requests. */
ORDO_INLINE ordo_u64 op_expand_batch(ordo_job *job, const ordo_rows *r, const op_entry *entries, ordo_u64 size,
                                     ordo_u64 known, ordo_counters *count, ordo_bin *later, const ordo_sync sync,
                                     op_sink push, void *arg)
{
    ordo_u64 requests = 0, activations = 0;
    (void)r;
    (void)later;
    (void)sync;
    for (ordo_u64 i = 0; i < size; i++) {
        op_prefetch_units(job, entries, i, known);
        ordo_eid unit, end = op_units((const op_state *)job->state, entries[i].item, &unit);
        for (; unit < end; unit++) {
            op_request request[op_requests];
            ordo_u32 asked = op_prepare_unit((const op_state *)job->state, entries[i].item, unit, request);
            for (ordo_u32 k = 0; k < asked; k++)
                activations += op_serve(job, &request[k], count, push, arg);
            requests += asked;
        }
    }
    ORDO_COUNT(count->items += size);
    ORDO_COUNT(count->edges += requests);
    ORDO_COUNT(count->activations += activations);
    return size + requests;
}
