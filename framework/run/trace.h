/* trace.h -- what run.c and the sampler of trace.c share. */
#ifndef ORDO_RUN_TRACE_H
#define ORDO_RUN_TRACE_H

#include <time.h>

#include <ordo/detail/backend.h>
#include <ordo/trace.h>

/* Words of a run that its sampler reads, beside job->counters. Written by members and read by the sampler, at the same
 * time, by relaxed atomics. */
typedef struct ordo_run_words {
    ordo_u64 worklist_bytes;
    ordo_u64 in_flight; /* as given to the last ordo_job_poll */
    ordo_u64 bucket;    /* as given to the last ordo_job_sample */
    double delta;
    ordo_u32 concurrent;
} ordo_run_words;

/* The run that a trace records. */
typedef struct ordo_traced_run {
    const ordo_job *job;
    const ordo_run_words *words;
    bool by_time;   /* there is something to sample during the run: not in a native program */
    bool on_device; /* a back end gives it (ordo_trace_source), not the members of the team */
    bool all_items; /* ordo_scheduler.all_items */
} ordo_traced_run;

/* Adds up what members have published. For relax operators whose improvements activate, sets `activations` and `useful`
 * to items + stale - initial ones: each became an entry that was processed or found stale (see op_expand). */
void ordo_counters_sum(const ordo_job *job, bool all_items, ordo_counters *sum);

/* Begins recording: makes the thread that samples, which waits for ordo_trace_start. Errors: ORDO_ERR_MEMORY. After
 * ORDO_OK, ordo_trace_stop must follow. */
ordo_status ordo_trace_ready(ordo_trace *trace, const ordo_traced_run *run);
/* The run begins, at that time of CLOCK_MONOTONIC. */
void ordo_trace_start(ordo_trace *trace, const struct timespec *start);
/* ordo_job_trace_begin and ordo_job_trace_end; the former takes the place of ordo_trace_start. */
ordo_status ordo_trace_source_begin(ordo_trace *trace, const ordo_trace_source *source);
void ordo_trace_source_end(ordo_trace *trace, double seconds);
/* The run has ended: ends the thread, adds the sample of the end and the run's events, whose times begin with the run.
 */
void ordo_trace_stop(ordo_trace *trace, const ordo_sample *events, size_t count);
/* ordo_job_probe. */
void ordo_trace_set_probe(ordo_trace *trace, ordo_probe_fn *probe, const void *arg);

#endif
