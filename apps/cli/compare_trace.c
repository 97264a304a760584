/* compare_trace.c -- traces of all contenders of a comparison, on one time axis.
 *
 * Sampling takes a little time, so the runs that the table counts are not traced. Each contender that took part runs
 * once more, from the first source. Its trace goes to a file of its own, and as one process into a file for a viewer,
 * in which all runs begin at time 0.
 */
#include "apps/cli/compare.h"
#include "apps/cli/trace_file.h"

#include <string.h>

static ordo_status write_own(const comparison *c, int row, const trace_about *about, const ordo_trace_view *view)
{
    char path[TRACE_PATH + 80];
    sink own;
    snprintf(path, sizeof path, "%s-%d-%s.json", c->o->trace, row, about->scheduler);
    ordo_status status = sink_open(&own, path);
    if (status)
        return status;
    trace_write(own.file, TRACE_JSON, about, view);
    return sink_close(&own, true);
}

/* One more run of a contender. What ran until an error is written, too. */
static ordo_status trace_entry(comparison *c, entry *e, ordo_trace *trace)
{
    const int row = (int)(e - c->results.entries) + 1;
    ordo_app_input input;
    ordo_stats stats = {0};
    ordo_options run = e->who->run;
    record r = {.graph = c->graph, .app = c->o->app, .o = c->o, .label = e->label, .row = row};
    ordo_status status = app_input(c->o, c->graph, c->sources[0], &input);
    if (status)
        return status;
    ordo_trace_clear(trace);
    run.trace = trace;
    status = run_once(&r, &input, &run, false, &c->answer, &stats);
    trace_about about = trace_about_run(&r, &stats);
    about.label = e->label;
    if (!stats.scheduler)
        about.scheduler = e->who->scheduler;
    const ordo_trace_view view = ordo_trace_look(trace);
    if (status == ORDO_ERR_MEMORY || status == ORDO_ERR_TIMEOUT)
        status = ORDO_OK; /* the others continue */
    if (!status && view.sample_count) {
        trace_viewer_run(c->viewer.file, row, &about, &view);
        status = write_own(c, row, &about, &view);
    }
    ordo_stats_free(&stats);
    return status;
}

ordo_status comparison_trace(comparison *c)
{
    ordo_trace *trace;
    ordo_status status = ordo_trace_make(c->o->trace_period, &trace);
    if (status)
        return status;
    trace_viewer_begin(c->viewer.file);
    for (int i = 0; i < c->count && !status; i++)
        if (took_part(&c->results.entries[i]))
            status = trace_entry(c, &c->results.entries[i], trace);
    trace_viewer_end(c->viewer.file);
    ordo_trace_free(trace);
    return status;
}
