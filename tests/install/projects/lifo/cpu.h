/* lifo/cpu.h -- one stack for all: the worked example of docs/schedulers.md.
 *
 * Problem: the smallest scheduler that is still right. Members take a chunk of entries off one stack, under a lock,
 * process it, and put what it activated back.
 *
 * Invariant: `pending` counts the entries on the stack and those that a member has taken and not yet finished. A member
 * adds its activations before it subtracts what it took (one addition under the lock does both), so pending is zero
 * exactly when nothing is left, and then all members stop.
 *
 * A template; expects ORDO_OP and <ordo/scheduler/cpu.h> instantiated for it.
 */

/* What profilers show carries the operator's name. */
#define lifo_work ORDO_OP_NAME(lifo_work)

#if ORDO_OP_KIND == ORDO_KIND_RELAX

typedef struct lifo_run {
    ordo_job *job;
    ordo_locks lock; /* of the two below; one lock */
    ordo_bin stack;
    ordo_u64 pending;
} lifo_run;

typedef struct lifo_member {
    ordo_job *job;
    ordo_bin activated;
    ordo_counters count;
} lifo_member;

/* The sink: where op_expand puts an improved target. */
ORDO_INLINE void lifo_push(void *arg, op_entry entry)
{
    lifo_member *me = (lifo_member *)arg;
    op_append(me->job, &me->activated, entry);
}

ORDO_NOINLINE void lifo_work(void *arg, int index)
{
    enum { CHUNK = 64 };
    lifo_run *run = (lifo_run *)arg;
    ordo_job *job = run->job;
    const ordo_rows rows = ordo_rows_of(job->out, op_weight_type);
    lifo_member me = {.job = job};
    op_entry taken[CHUNK];
    ordo_u64 size = 0;

    for (ordo_u64 pending = 1; pending && !ordo_job_stopped(job);) {
        ordo_lock(&run->lock, 0);
        for (ordo_u64 i = 0; i < me.activated.count; i++)
            op_append(job, &run->stack, ((const op_entry *)me.activated.data)[i]);
        run->pending += me.activated.count - size;
        pending = run->pending;
        size = run->stack.count < CHUNK ? run->stack.count : CHUNK;
        run->stack.count -= size;
        for (ordo_u64 i = 0; i < size; i++)
            taken[i] = ((const op_entry *)run->stack.data)[run->stack.count + i];
        ordo_unlock(&run->lock, 0);

        me.activated.count = 0;
        if (size)
            op_expand(job, &rows, taken, size, &me.count, ORDO_SYNC_ATOMIC, lifo_push, &me);
        else
            ordo_yield();
        if (index == 0)
            ordo_job_poll(job, pending);
    }
    ordo_bin_free(job, &me.activated, sizeof(op_entry));
    ordo_publish_counters(job, index, &me.count);
}

static ordo_status lifo_run_job(ordo_job *job)
{
    ordo_u8 lock = 0;
    lifo_run run = {.job = job, .lock = {&lock, 0}, .pending = job->initial_count};
    for (ordo_u64 i = 0; i < job->initial_count; i++)
        op_append(job, &run.stack, op_entry_now(job, op_initial(job, i)));
    ordo_team_run(job->team, lifo_work, &run);
    ordo_bin_free(job, &run.stack, sizeof(op_entry));
    return ORDO_OK;
}

ORDO_CPU_INSTANCE(lifo, lifo_run_job)

#else
ORDO_CPU_INSTANCE(lifo, NULL)
#endif
