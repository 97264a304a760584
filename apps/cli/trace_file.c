/* trace_file.c -- writes traces by time: CSV for spreadsheets, JSON for programs, trace events for viewers.
 *
 * Trace events are the JSON that Chrome's viewer introduced, and that ui.perfetto.dev opens: complete events ("X") for
 * what each thread does, counters ("C") and instants ("i"), with times in microseconds. A process of the viewer is a
 * run, its tracks are the threads. What a thread does is known at samples only; a state lasts from a sample that shows
 * it to the first one that does not.
 *
 * docs/trace.md has the columns.
 */
#include "apps/cli/trace_file.h"

#include <string.h>

static bool ends_with(const char *path, const char *suffix)
{
    const size_t length = strlen(path), tail = strlen(suffix);
    return length >= tail && !strcmp(path + length - tail, suffix);
}

trace_format trace_format_of(const char *path)
{
    if (ends_with(path, ".perfetto") || ends_with(path, ".perfetto.json"))
        return TRACE_PERFETTO;
    return ends_with(path, ".json") ? TRACE_JSON : TRACE_CSV;
}

static void put_string(FILE *file, const char *text)
{
    if (!text) {
        fputs("null", file);
        return;
    }
    fputc('"', file);
    for (const char *c = text; *c; c++)
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            fprintf(file, "\\u%04x", (unsigned)*c);
        else
            fputc(*c, file);
    fputc('"', file);
}

static unsigned long long wide(ordo_u64 value)
{
    return value;
}

static double share(const ordo_trace_view *v, const ordo_trace_sample *s)
{
    return (double)s->busy / v->threads;
}

static const char *event_name(const ordo_trace_event *e)
{
    return e->width_changed ? "delta" : "step";
}

/* ---- CSV ---- */

static void put_csv_sample(FILE *file, const ordo_trace_view *v, const ordo_trace_sample *s)
{
    fprintf(file, "%.9f,sample,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%.9g,%u,%u,%.4f,%llu\n", s->seconds,
            wide(s->in_flight), wide(s->items), wide(s->edges), wide(s->useful), wide(s->stale), wide(s->activations),
            wide(s->spills), wide(s->bucket), s->delta, s->concurrent, s->busy, share(v, s), wide(s->worklist_bytes));
}

/* Cells that only samples have stay empty. */
static void put_csv_event(FILE *file, const ordo_trace_event *e)
{
    fprintf(file, "%.9f,%s,%llu,,,,,,,%llu,%.9g,%u,,", e->at.seconds, event_name(e), wide(e->at.in_flight),
            wide(e->at.bucket), e->at.delta, e->at.concurrent);
    if (e->at.utilisation >= 0)
        fprintf(file, "%.4f", (double)e->at.utilisation);
    fputs(",\n", file);
}

/* Samples and events in the order of time. */
static void put_csv(FILE *file, const ordo_trace_view *v)
{
    size_t e = 0;
    fputs("seconds,event,in_flight,items,edges,useful,stale,activations,spills,bucket,delta,concurrent,busy,"
          "utilisation,worklist_bytes\n",
          file);
    for (size_t i = 0; i < v->sample_count; i++) {
        for (; e < v->event_count && v->events[e].at.seconds < v->samples[i].seconds; e++)
            put_csv_event(file, &v->events[e]);
        put_csv_sample(file, v, &v->samples[i]);
    }
    for (; e < v->event_count; e++)
        put_csv_event(file, &v->events[e]);
}

/* ---- JSON ---- */

static const struct {
    const char *name;
    size_t at;
} whole_columns[] = {{"in_flight", offsetof(ordo_trace_sample, in_flight)},
                     {"items", offsetof(ordo_trace_sample, items)},
                     {"edges", offsetof(ordo_trace_sample, edges)},
                     {"useful", offsetof(ordo_trace_sample, useful)},
                     {"stale", offsetof(ordo_trace_sample, stale)},
                     {"activations", offsetof(ordo_trace_sample, activations)},
                     {"spills", offsetof(ordo_trace_sample, spills)},
                     {"bucket", offsetof(ordo_trace_sample, bucket)},
                     {"worklist_bytes", offsetof(ordo_trace_sample, worklist_bytes)}};

static ordo_u64 whole_of(const ordo_trace_sample *s, size_t at)
{
    ordo_u64 value;
    memcpy(&value, (const char *)s + at, sizeof value);
    return value;
}

static void put_samples(FILE *file, const ordo_trace_view *v)
{
    fputs("\"samples\":{", file);
    for (size_t c = 0; c < sizeof whole_columns / sizeof whole_columns[0]; c++) {
        fprintf(file, "%s\"%s\":[", c ? "," : "", whole_columns[c].name);
        for (size_t i = 0; i < v->sample_count; i++)
            fprintf(file, "%s%llu", i ? "," : "", wide(whole_of(&v->samples[i], whole_columns[c].at)));
        fputs("]\n", file);
    }
    fputs(",\"seconds\":[", file);
    for (size_t i = 0; i < v->sample_count; i++)
        fprintf(file, "%s%.9f", i ? "," : "", v->samples[i].seconds);
    fputs("]\n,\"delta\":[", file);
    for (size_t i = 0; i < v->sample_count; i++)
        fprintf(file, "%s%.9g", i ? "," : "", v->samples[i].delta);
    fputs("]\n,\"concurrent\":[", file);
    for (size_t i = 0; i < v->sample_count; i++)
        fprintf(file, "%s%u", i ? "," : "", v->samples[i].concurrent);
    fputs("]\n,\"busy\":[", file);
    for (size_t i = 0; i < v->sample_count; i++)
        fprintf(file, "%s%u", i ? "," : "", v->samples[i].busy);
    fputs("]\n,\"utilisation\":[", file);
    for (size_t i = 0; i < v->sample_count; i++)
        fprintf(file, "%s%.4f", i ? "," : "", share(v, &v->samples[i]));
    fputs("]}\n", file);
}

/* A string for each thread, with a letter for each sample. */
static void put_states(FILE *file, const ordo_trace_view *v)
{
    static const char letters[] = "-bsw|m";
    fputs(",\"states\":{", file);
    for (int s = 0; s < ORDO_TRACE_STATES; s++)
        fprintf(file, "%s\"%c\":\"%s\"", s ? "," : "", letters[s], ordo_trace_state_name((ordo_trace_state)s));
    fputs("},\"workers\":[", file);
    for (int t = 0; t < v->threads; t++) {
        fputs(t ? ",\"" : "\"", file);
        for (size_t i = 0; i < v->sample_count; i++)
            fputc(letters[v->states[i * (size_t)v->threads + (size_t)t]], file);
        fputs("\"\n", file);
    }
    fputs("]", file);
}

static void put_json(FILE *file, const trace_about *a, const ordo_trace_view *v)
{
    const struct {
        const char *name, *value;
    } words[] = {{"kind", "trace"},           {"app", a->app},   {"operator", a->op},
                 {"scheduler", a->scheduler}, {"sync", a->sync}, {"device", a->device}};
    fputs("{\"schema\":1", file);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        fprintf(file, ",\"%s\":", words[i].name);
        put_string(file, words[i].value);
    }
    fputs(",\"label\":", file);
    put_string(file, a->label);
    fputs(",\"graph\":", file);
    put_string(file, a->graph);
    fprintf(file, ",\"checksum\":\"%016llx\"", wide(a->checksum));
    fprintf(file, ",\"threads\":%d,\"period\":%.9g,\"sampler_seconds\":%.9f,\"incomplete\":%s\n,", v->threads,
            v->period, v->sampler_seconds, v->incomplete ? "true" : "false");
    put_samples(file, v);
    put_states(file, v);
    fputs(",\"events\":[", file);
    for (size_t i = 0; i < v->event_count; i++) {
        const ordo_trace_event *e = &v->events[i];
        fprintf(file,
                "%s{\"seconds\":%.9f,\"event\":\"%s\",\"in_flight\":%llu,\"bucket\":%llu,\"delta\":%.9g,"
                "\"concurrent\":%u,\"utilisation\":",
                i ? ",\n" : "", e->at.seconds, event_name(e), wide(e->at.in_flight), wide(e->at.bucket), e->at.delta,
                e->at.concurrent);
        if (e->at.utilisation >= 0)
            fprintf(file, "%.4f}", (double)e->at.utilisation);
        else
            fputs("null}", file);
    }
    fputs("]}\n", file);
}

/* ---- trace events ---- */

void trace_viewer_begin(FILE *file)
{
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", file);
}

void trace_viewer_end(FILE *file)
{
    /* a last element, so that each one before may end with a comma */
    fputs("{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"ordo\"}}\n]}\n", file);
}

static void put_counter(FILE *file, int pid, const char *name, double seconds, double value)
{
    fprintf(file, "{\"ph\":\"C\",\"pid\":%d,\"name\":\"%s\",\"ts\":%.3f,\"args\":{\"value\":%.9g}},\n", pid, name,
            1e6 * seconds, value);
}

/* The states of one thread, equal ones together. */
static void put_track(FILE *file, int pid, const ordo_trace_view *v, int thread)
{
    fprintf(file, "{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"worker %d\"}},\n",
            pid, thread + 1, thread);
    const unsigned char *state = v->states + thread;
    const size_t step = (size_t)v->threads;
    for (size_t i = 0, j; i + 1 < v->sample_count; i = j) {
        for (j = i + 1; j + 1 < v->sample_count && state[j * step] == state[i * step];)
            j++;
        if (state[i * step] != ORDO_TRACE_ENDED)
            fprintf(file, "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\",\"ts\":%.3f,\"dur\":%.3f},\n", pid,
                    thread + 1, ordo_trace_state_name((ordo_trace_state)state[i * step]), 1e6 * v->samples[i].seconds,
                    1e6 * (v->samples[j].seconds - v->samples[i].seconds));
    }
}

void trace_viewer_run(FILE *file, int pid, const trace_about *a, const ordo_trace_view *v)
{
    char name[400];
    snprintf(name, sizeof name, "%s under %s, sync %s, %s", a->app, a->label ? a->label : a->scheduler, a->sync,
             a->device);
    fprintf(file, "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":", pid);
    put_string(file, name);
    fprintf(file, "}},\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%d}},\n", pid,
            pid);
    for (int t = 0; t < v->threads; t++)
        put_track(file, pid, v, t);
    for (size_t i = 0; i < v->sample_count; i++) {
        const ordo_trace_sample *s = &v->samples[i];
        put_counter(file, pid, "in flight", s->seconds, (double)s->in_flight);
        put_counter(file, pid, "items", s->seconds, (double)s->items);
        put_counter(file, pid, "delta", s->seconds, s->delta);
        put_counter(file, pid, "busy workers", s->seconds, s->busy);
        put_counter(file, pid, "worklist bytes", s->seconds, (double)s->worklist_bytes);
    }
    for (size_t i = 0; i < v->event_count; i++) {
        const ordo_trace_event *e = &v->events[i];
        fprintf(file,
                "{\"ph\":\"i\",\"s\":\"p\",\"pid\":%d,\"tid\":0,\"name\":\"%s\",\"ts\":%.3f,\"args\":{\"bucket\":%llu,"
                "\"delta\":%.9g,\"in_flight\":%llu}},\n",
                pid, event_name(e), 1e6 * e->at.seconds, wide(e->at.bucket), e->at.delta, wide(e->at.in_flight));
    }
}

void trace_write(FILE *file, trace_format format, const trace_about *about, const ordo_trace_view *view)
{
    if (format == TRACE_CSV) {
        put_csv(file, view);
    } else if (format == TRACE_JSON) {
        put_json(file, about, view);
    } else {
        trace_viewer_begin(file);
        trace_viewer_run(file, 1, about, view);
        trace_viewer_end(file);
    }
}

/* ---- in words ---- */

trace_about trace_about_run(const record *r, const ordo_stats *s)
{
    const options *o = r->o;
    const bool known = s->scheduler != NULL; /* an error may have left no statistics */
    trace_about a = {.app = o->app->name,
                     .op = known ? s->op : o->app->name,
                     .scheduler = known          ? s->scheduler
                                  : o->scheduler ? o->scheduler
                                                 : "default",
                     .sync = known     ? s->sync
                             : o->sync ? o->sync
                                       : "default",
                     .graph = r->graph->info.source,
                     .checksum = r->graph->info.checksum};
    snprintf(a.device, sizeof a.device, "%s", known ? s->device : o->device ? o->device : "cpu");
    return a;
}

void print_trace(const ordo_trace_view *v)
{
    char text[160];
    snprintf(text, sizeof text, "%zu samples every %g us, %zu events; the sampler took %.3f ms of CPU time%s",
             v->sample_count, 1e6 * v->period, v->event_count, 1e3 * v->sampler_seconds,
             v->incomplete ? "; later samples are missing" : "");
    print_label("Trace", text);
}
