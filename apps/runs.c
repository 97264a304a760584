/* runs.c -- see runs.h. */
#include "apps/runs.h"

#include <stdio.h>
#include <string.h>

#include <ordo/memory.h>

#include "apps/common.h"

/* Appends a run's samples, with times from the start of the app; if there are too many, every second one is dropped, as
 * in a run. */
static void add_trace(ordo_stats *sum, const ordo_stats *one, double later)
{
    ordo_sample *trace = ordo_realloc(sum->trace, sum->trace_count + one->trace_count + 1, sizeof *trace);
    if (!trace)
        return; /* a lost trace is no failure */
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

void ordo_runs_add(ordo_runs *runs, ordo_stats *one, double later)
{
    ordo_stats *sum = runs->stats;
    if (!runs->ran) {
        *sum = *one;
        for (size_t i = 0; i < sum->trace_count; i++)
            sum->trace[i].seconds += later;
        runs->ran = true;
        return;
    }
    sum->run_seconds += one->run_seconds;
    sum->prepare_seconds += one->prepare_seconds;
    sum->transfer_seconds += one->transfer_seconds;
    sum->items += one->items;
    sum->edges += one->edges;
    sum->useful += one->useful;
    sum->stale += one->stale;
    sum->activations += one->activations;
    sum->supersteps += one->supersteps;
    sum->messages += one->messages;
    sum->critical_edges += one->critical_edges;
    sum->work_seconds += one->work_seconds;
    sum->delta_last = one->delta_last;
    sum->change = one->change;
    for (int e = 0; e < ORDO_HARDWARE_EVENTS; e++) {
        sum->hardware.present[e] = sum->hardware.present[e] && one->hardware.present[e];
        sum->hardware.value[e] += one->hardware.value[e];
    }
    if (one->peak_worklist_bytes > sum->peak_worklist_bytes)
        sum->peak_worklist_bytes = one->peak_worklist_bytes;
    if (one->peak_bytes > sum->peak_bytes)
        sum->peak_bytes = one->peak_bytes;
    add_trace(sum, one, later);
    ordo_stats_free(one);
}

bool ordo_runs_late(const ordo_runs *runs)
{
    return runs->options.timeout > 0 && ordo_clock() - runs->start >= runs->options.timeout;
}

/* program: the native program to run; NULL: the operator. */
static ordo_status run_one(ordo_runs *runs, const ordo_program *program, const ordo_work *work)
{
    ordo_options options = runs->options;
    ordo_work own = *work;
    ordo_stats one = {0};
    double before = ordo_clock() - runs->start;
    ordo_u64 peak = ordo_memory_peak(); /* includes memory that was used between runs */
    if (options.timeout > 0) {
        double rest = options.timeout - before;
        options.timeout = rest > 1e-9 ? rest : 1e-9;
    }
    ordo_stats *stats = runs->stats ? &one : NULL;
    own.session = runs->session;
    ordo_status status = program ? ordo_program_run(program, &own, &options, stats) : ordo_run(&own, &options, stats);
    if (runs->stats && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT)) {
        if (runs->ran && one.peak_bytes < peak)
            one.peak_bytes = peak;
        ordo_runs_add(runs, &one, before);
    }
    return status;
}

ordo_status ordo_runs_one(ordo_runs *runs, const ordo_work *work)
{
    return run_one(runs, NULL, work);
}

ordo_status ordo_runs_program(ordo_runs *runs, const ordo_program *program, const ordo_work *work)
{
    return run_one(runs, program, work);
}

ordo_status ordo_runs_read(ordo_runs *runs, void *to, const void *from, ordo_u64 bytes)
{
    const double before = ordo_clock();
    const ordo_status status = ordo_session_read(runs->session, to, from, bytes);
    if (strcmp(ordo_session_device(runs->session), "cpu") != 0)
        runs->transfer += ordo_clock() - before;
    return status;
}

ordo_status ordo_runs_write(ordo_runs *runs, void *to, const void *from, ordo_u64 bytes)
{
    const double before = ordo_clock();
    const ordo_status status = ordo_session_write(runs->session, to, from, bytes);
    if (strcmp(ordo_session_device(runs->session), "cpu") != 0)
        runs->transfer += ordo_clock() - before;
    return status;
}

bool ordo_is_auto(const ordo_options *o)
{
    return o && o->scheduler && !strcmp(o->scheduler, "auto");
}

bool ordo_is_native(const ordo_options *o)
{
    return o && o->scheduler && !strcmp(o->scheduler, ORDO_NATIVE);
}

bool ordo_is_for_gpu(const ordo_options *o)
{
    return o && o->device && strcmp(o->device, "cpu") != 0;
}

/* "scheduler.name=value" applies to that scheduler only. */
static bool is_for_one(const char *setting)
{
    return memchr(setting, '.', strcspn(setting, "=")) != NULL;
}

bool ordo_may_be_native(const ordo_options *o, bool any_sync)
{
    if (!o)
        return true;
    if (o->items || o->group) /* a program does not run over ranks */
        return false;
    for (size_t i = 0; i < o->setting_count; i++)
        if (!is_for_one(o->settings[i]))
            return false;
    return (!o->scheduler || ordo_is_auto(o)) && (!o->sync || (any_sync && !strcmp(o->sync, "auto")));
}

bool ordo_may_fall_back(const ordo_options *options, ordo_status status)
{
    return !strcmp(options->device, "auto") &&
           (status == ORDO_ERR_DEVICE || status == ORDO_ERR_UNSOUND || status == ORDO_ERR_MEMORY);
}

void ordo_runs_none(ordo_stats *stats, ordo_status status)
{
    if (stats && (status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT))
        *stats = (ordo_stats){0};
}

bool ordo_runs_fall_back(ordo_runs *runs, ordo_status status)
{
    if (!status || !runs->options.device || !ordo_may_fall_back(&runs->options, status))
        return false;
    snprintf(runs->why_not, sizeof runs->why_not, "%s", ordo_last_error());
    if (runs->ran)
        ordo_stats_free(runs->stats);
    runs->ran = false;
    runs->transfer = 0;
    runs->options.device = "cpu";
    return true;
}

void ordo_runs_end(ordo_runs *runs, const char *op, ordo_status status)
{
    ordo_stats *stats = runs->stats;
    if (!runs->ran) {
        ordo_runs_none(stats, status);
        return;
    }
    ordo_u64 peak = ordo_memory_peak();
    stats->op = op;
    if (runs->why_not[0])
        snprintf(stats->fallback, sizeof stats->fallback, "%s", runs->why_not);
    stats->transfer_seconds += runs->transfer;
    const double all = ordo_clock() - runs->start - stats->transfer_seconds;
    if (runs->on_gpu)
        stats->prepare_seconds = all - stats->run_seconds;
    else
        stats->run_seconds = all - stats->prepare_seconds;
    stats->peak_bytes = peak > stats->peak_bytes ? peak : stats->peak_bytes;
    if (status && status != ORDO_ERR_CANCELLED && status != ORDO_ERR_TIMEOUT)
        ordo_stats_free(stats);
}
