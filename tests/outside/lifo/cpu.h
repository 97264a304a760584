/* lifo/cpu.h -- one stack for all: the worked example of docs/schedulers.md.
 *
 * Problem: the smallest scheduler that is still right. Members take a chunk of entries off one stack, under a lock,
 * process it, and put what it activated back.
 *
 * Invariant: `pending` counts the entries on the stack and those that a member has taken and not yet finished. A member
 * adds its activations before it subtracts what it took (one addition under the lock does both), so pending is zero
 * only when nothing is left anywhere: then, and only then, everybody stops.
 *
 * A template; expects ORDO_OP and <ordo/cpu.h> instantiated for it.
 */
#if ORDO_OP_KIND == ORDO_KIND_RELAX

#define MY(_part) ORDO_JOIN3(ORDO_OP, _lifo_, _part)

typedef struct MY(run) {
    ordo_job *job;
    ordo_locks lock; /* of the two below; one lock */
    ordo_bin stack;
    ordo_u64 pending;
} MY(run);

typedef struct MY(member) {
    ordo_job *job;
    ordo_bin activated;
    ordo_counters count;
} MY(member);

/* The sink: where OP(expand) puts an improved target. */
ORDO_INLINE void MY(push)(void *arg, OP(entry) entry)
{
    MY(member) *me = (MY(member) *)arg;
    OP(append)(me->job, &me->activated, entry);
}

ORDO_NOINLINE void MY(work)(void *arg, int index)
{
    enum { CHUNK = 64 };
    MY(run) *run = (MY(run) *)arg;
    ordo_job *job = run->job;
    const ordo_rows rows = ordo_rows_of(job->out, OP(weight_type));
    MY(member) me = {.job = job};
    OP(entry) taken[CHUNK];
    ordo_u64 size = 0;

    for (ordo_u64 pending = 1; pending && !ordo_job_stopped(job);) {
        ordo_lock(&run->lock, 0);
        for (ordo_u64 i = 0; i < me.activated.count; i++)
            OP(append)(job, &run->stack, ((const OP(entry) *)me.activated.data)[i]);
        run->pending += me.activated.count - size;
        pending = run->pending;
        size = run->stack.count < CHUNK ? run->stack.count : CHUNK;
        run->stack.count -= size;
        for (ordo_u64 i = 0; i < size; i++)
            taken[i] = ((const OP(entry) *)run->stack.data)[run->stack.count + i];
        ordo_unlock(&run->lock, 0);

        me.activated.count = 0;
        if (size)
            OP(expand)(job, &rows, taken, size, &me.count, ORDO_SYNC_ATOMIC, MY(push), &me);
        else
            ordo_yield();
        if (index == 0)
            ordo_job_poll(job, pending);
    }
    ordo_bin_free(job, &me.activated, sizeof(OP(entry)));
    ordo_publish_counters(job, index, &me.count);
}

static ordo_status MY(run_job)(ordo_job *job)
{
    ordo_u8 lock = 0;
    MY(run) run = {.job = job, .lock = {&lock, 0}, .pending = job->initial_count};
    for (ordo_u64 i = 0; i < job->initial_count; i++)
        OP(append)(job, &run.stack, OP(entry_now)(job, OP(initial)(job, i)));
    ordo_team_run(job->team, MY(work), &run);
    ordo_bin_free(job, &run.stack, sizeof(OP(entry)));
    return ORDO_OK;
}

ORDO_CPU_INSTANCE(lifo, MY(run_job))
#undef MY

#else
ORDO_CPU_INSTANCE(lifo, NULL)
#endif
