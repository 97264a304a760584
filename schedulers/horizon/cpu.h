/* horizon/cpu.h -- a horizon on the CPU.
 *
 * A template; expects ORDO_OP and <ordo/scheduler/cpu.h> instantiated for it.
 */
#include "tunables.h"

#if ORDO_OP_KIND == ORDO_KIND_RELAX && ORDO_OP_ACTIVATES && !ORDO_OP_GROWS &&                                          \
    (ORDO_OP_ORDER == ORDO_MIN || ORDO_OP_ORDER == ORDO_MAX)

typedef struct horizon_member {
    ordo_job *job;
    ordo_bin next;
    ordo_counters count;
} horizon_member;

ORDO_INLINE void horizon_push(void *arg, op_entry entry)
{
    horizon_member *me = (horizon_member *)arg;
    op_append(me->job, &me->next, entry);
}

ORDO_NOINLINE void horizon_work(void *arg, int index)
{
    ordo_job *job = (ordo_job *)arg;
    const ordo_rows rows = ordo_rows_of(job->out, op_weight_type);
    horizon_member me = {.job = job};
    ordo_bin now = {0};
    if (index != 0)
        return;
    ordo_count_from(job, index, &me.count, &me.next, 1, NULL);
    for (ordo_u64 i = 0; i < job->initial_count; i++)
        horizon_push(&me, op_entry_now(job, op_initial(job, i)));
    while (me.next.count && !ordo_job_stopped(job)) {
        ordo_bin swap = now;
        now = me.next;
        me.next = swap;
        me.next.count = 0;
        me.count.put += now.count;
        job->supersteps++;
        ordo_job_poll(job, now.count);
        op_expand(job, &rows, (const op_entry *)now.data, now.count, &me.count, ORDO_SYNC_ATOMIC, horizon_push, &me);
    }
    ordo_bin_free(job, &me.next, sizeof(op_entry));
    ordo_bin_free(job, &now, sizeof(op_entry));
    ordo_count_to(job, index, &me.count);
}

static ordo_status horizon_run_job(ordo_job *job)
{
    ordo_team_run(job->team, horizon_work, job);
    return ORDO_OK;
}
#define HORIZON_RUN ((op_properties & ORDO_BY_WEIGHT) ? horizon_run_job : NULL)

#else
#define HORIZON_RUN NULL
#endif

ORDO_CPU_INSTANCE_OF(horizon, HORIZON_RUN)
#undef HORIZON_RUN
