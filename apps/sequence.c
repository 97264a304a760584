/* sequence.c -- runs one after the other: counts add up, traces follow each other, each has the time that is left. */
#include "apps/sequence.h"

#include <ordo/memory.h>

#include "apps/tree.h"

/* Appends a run's samples, later by what came before; both together are thinned as a run's own are. */
static void add_trace(ordo_stats *sum, const ordo_stats *one, double later)
{
    ordo_sample *trace = ordo_realloc(sum->trace, sum->trace_count + one->trace_count + 1, sizeof *trace);
    if (!trace)
        return; /* a trace is worth no failure */
    sum->trace = trace;
    for (size_t i = 0; i < one->trace_count; i++) {
        trace[sum->trace_count + i] = one->trace[i];
        trace[sum->trace_count + i].seconds += later;
    }
    sum->trace_count += one->trace_count;
    while (sum->trace_count > ORDO_TRACE_MAX) {
        for (size_t i = 0; i < sum->trace_count / 2; i++)
            trace[i] = trace[2 * i];
        sum->trace_count /= 2;
    }
}

static void add_stats(ordo_sequence *s, ordo_stats *one, double later)
{
    ordo_stats *sum = s->stats;
    if (!s->ran) {
        *sum = *one;
        for (size_t i = 0; i < sum->trace_count; i++)
            sum->trace[i].seconds += later;
        s->ran = true;
        return;
    }
    sum->prepare_seconds += one->prepare_seconds;
    sum->transfer_seconds += one->transfer_seconds;
    sum->items += one->items;
    sum->edges += one->edges;
    sum->useful += one->useful;
    sum->stale += one->stale;
    sum->activations += one->activations;
    sum->supersteps += one->supersteps;
    sum->work_seconds += one->work_seconds;
    sum->delta_last = one->delta_last;
    if (one->peak_worklist_bytes > sum->peak_worklist_bytes)
        sum->peak_worklist_bytes = one->peak_worklist_bytes;
    if (one->peak_bytes > sum->peak_bytes)
        sum->peak_bytes = one->peak_bytes;
    add_trace(sum, one, later);
    ordo_stats_free(one);
}

ordo_status ordo_sequence_run(ordo_sequence *s, const ordo_work *work, const char *left)
{
    ordo_options options = s->options;
    ordo_stats one = {0};
    double before = ordo_clock() - s->start - s->prepared;
    ordo_u64 peak = ordo_memory_peak(); /* of what was done between runs */
    if (options.timeout > 0 && before >= options.timeout)
        return ordo_fail(ORDO_ERR_TIMEOUT, "%s under '%s' did not end within %g s: %s", s->app, options.scheduler,
                         options.timeout, left);
    if (options.timeout > 0)
        options.timeout -= before;
    ordo_status status = ordo_run(work, &options, s->stats ? &one : NULL);
    if (s->stats && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT)) {
        if (s->ran && one.peak_bytes < peak)
            one.peak_bytes = peak;
        add_stats(s, &one, before);
    }
    return status;
}

void ordo_sequence_end(ordo_sequence *s, const ordo_operator *op, ordo_status status)
{
    if (!s->ran)
        return;
    ordo_stats *stats = s->stats;
    ordo_u64 peak = ordo_memory_peak();
    stats->op = ordo_operator_name(op);
    stats->run_seconds = ordo_clock() - s->start - s->prepared - stats->prepare_seconds - stats->transfer_seconds;
    stats->prepare_seconds += s->prepared;
    stats->peak_bytes = peak > stats->peak_bytes ? peak : stats->peak_bytes;
    if (status && status != ORDO_ERR_CANCELLED && status != ORDO_ERR_TIMEOUT)
        ordo_stats_free(stats);
}
