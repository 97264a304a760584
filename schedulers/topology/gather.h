/* topology/gather.h -- gather operators on the CPU: rounds in place (<ordo/detail/cpu/gather.h>).
 *
 * A template; expects ORDO_OP and <ordo/scheduler/cpu.h> instantiated for it.
 */
static ordo_status topology_run_job(ordo_job *job)
{
    return op_gather_job(job, true);
}

ORDO_CPU_INSTANCE_OF(topology, topology_run_job)
