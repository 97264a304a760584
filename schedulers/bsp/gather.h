/* bsp/gather.h -- gather operators on the CPU: double-buffered rounds, each a superstep (<ordo/detail/cpu/gather.h>).
 *
 * A template; expects ORDO_OP and <ordo/scheduler/cpu.h> instantiated for it.
 */
static ordo_status bsp_run_job(ordo_job *job)
{
    return op_gather_job(job, false);
}

ORDO_CPU_INSTANCE_OF(bsp, bsp_run_job)
