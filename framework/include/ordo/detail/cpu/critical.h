/* critical.h -- critical operators on the CPU: preparing requests and running their critical sections under locks.
 *
 * A template; included by <ordo/scheduler/cpu.h>, expects what <ordo/operator/critical.h> derived. Execution by owners
 * instead of under locks: owner.h.
 */
#include <ordo/detail/cpu/base.h>

typedef struct op_entry {
    ordo_u32 value; /* the priority that the item was activated with */
    ordo_item item;
} op_entry;
/* Takes an activation. A compile-time argument of the functions below. */
typedef void op_sink(void *arg, op_entry activated);
enum { op_priority_signed = 0 };

ORDO_INLINE bool op_stale(const ordo_job *job, op_entry entry)
{
    (void)job;
    (void)entry;
    return false; /* the prepare function checks */
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

/* Runs the critical section of a request whose targets the caller owns; returns how many items it activated. */
ORDO_INLINE ordo_u32 op_run_commit(const ordo_job *job, const ordo_request *request, ordo_activation *activated,
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

/* Runs the critical section of a request with its targets locked, and passes what it activates to the sink. The lock of
 * the smaller index is taken first, so there is no deadlock. Returns how many items were activated. */
ORDO_INLINE ordo_u32 op_serve(const ordo_job *job, const ordo_request *request, ordo_counters *count, op_sink push,
                              void *arg)
{
    ordo_activation activated[op_activations + 1];
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

/* A batch of op_expand: visits items in order and serves what they ask for, under locks: `sync` can be nothing else
 * here, and there are no rows. Returns how many items and requests there were. */
ORDO_INLINE ordo_u64 op_expand_batch(const ordo_job *job, const ordo_rows *r, const op_entry *entries, ordo_u64 size,
                                     ordo_u64 known, ordo_counters *count, const ordo_sync sync, op_sink push,
                                     void *arg)
{
    ordo_u64 requests = 0, activations = 0;
    (void)r;
    (void)known;
    (void)sync;
    for (ordo_u64 i = 0; i < size; i++) {
        ordo_request request[op_requests];
        ordo_u32 asked = op_prepare((const op_state *)job->state, entries[i].item, request);
        for (ordo_u32 k = 0; k < asked; k++)
            activations += op_serve(job, &request[k], count, push, arg);
        requests += asked;
    }
    ORDO_COUNT(count->items += size);
    ORDO_COUNT(count->edges += requests);
    ORDO_COUNT(count->activations += activations);
    return size + requests;
}
