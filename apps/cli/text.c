/* text.c -- output for people. Labels and widths of times are GAP's, so that scripts written for it work. */
#define _DEFAULT_SOURCE /* winsize */
#include "apps/cli/cli.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void print_label(const char *label, const char *value)
{
    char text[64];
    snprintf(text, sizeof text, "%s:", label);
    printf("%-21s%7s\n", text, value);
}

void print_time(const char *label, double seconds)
{
    char text[32];
    snprintf(text, sizeof text, "%.5f", seconds);
    print_label(label, text);
}

void format_bytes(double bytes, char out[32])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    for (; bytes >= 1000 && unit < 5; unit++)
        bytes /= 1000;
    snprintf(out, 32, unit ? "%.2f %s" : "%.0f %s", bytes, units[unit]);
}

/* Four digits and a letter at most, for tables. */
void format_count(ordo_u64 count, char out[32])
{
    static const char letters[] = " kMGTPE";
    double value = (double)count;
    int at = 0;
    for (; value >= 9999.5 && at < 6; at++)
        value /= 1000;
    if (at)
        snprintf(out, 32, "%.*f%c", value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0, value, letters[at]);
    else
        snprintf(out, 32, "%llu", (unsigned long long)count);
}

const char *type_name(ordo_type type)
{
    static const char *const names[] = {"none", "u32", "i32",     "f32",     "u64",
                                        "f64",  "i64", "struct4", "struct8", "struct16"};
    return (int)type >= 0 && (int)type < 10 ? names[type] : "?";
}

const char *weights_origin(const loaded *g)
{
    return g->generated && !strcmp(g->info.weights, "stored") ? "made" : g->info.weights;
}

void print_graph(const loaded *g)
{
    const ordo_graph_info *i = &g->info;
    print_time(g->generated ? "Generate Time" : "Read Time", i->load_seconds);
    if (g->generated)
        print_time("Read Time", 0);
    print_time("Build Time", i->build_seconds);
    char weights[200] = "no weights", origin[100] = "";
    if (strcmp(i->weights, "stored") && strcmp(i->weights, "none"))
        snprintf(origin, sizeof origin, " (%.90s)", i->weights);
    if (i->weight_type != ORDO_NONE)
        snprintf(weights, sizeof weights, "%s weights %.9g to %.9g", type_name(i->weight_type), i->weight_min,
                 i->weight_max);
    printf("Graph:               %s (%s), %llu vertices, %llu %s edges, %s%s\n", i->source, i->format,
           (unsigned long long)i->vertices, (unsigned long long)i->edges, i->symmetric ? "symmetric" : "directed",
           weights, origin);
    print_dropped(i);
}

void print_dropped(const ordo_graph_info *i)
{
    unsigned long long loops = i->dropped_loops, parallel = i->dropped_parallel;
    if (loops + parallel)
        printf("Dropped:             %llu loop%s, %llu parallel edge%s\n", loops, loops == 1 ? "" : "s", parallel,
               parallel == 1 ? "" : "s");
}

void print_fields(FILE *out, const ordo_answer *answer)
{
    for (int i = 0; i < answer->field_count; i++) {
        const ordo_field *f = &answer->fields[i];
        fprintf(out, "%s%s ", i ? ", " : "", f->name);
        if (f->type == ORDO_F32)
            fprintf(out, "%.9g", f->real);
        else if (f->type == ORDO_I32)
            fprintf(out, "%lld", (long long)f->whole);
        else
            fprintf(out, "%llu", (unsigned long long)f->whole);
    }
}

static void print_count(const char *label, ordo_u64 count)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    print_label(label, text);
}

void print_analysis(const record *r)
{
    const ordo_stats *s = r->stats;
    char bytes[32];
    print_count("Items", s->items);
    print_count("Edges Relaxed", s->edges);
    print_count("Useful Updates", s->useful);
    print_count("Stale Items", s->stale);
    print_count("Activations", s->activations);
    print_count("Supersteps", s->supersteps);
    if (s->delta_first > 0)
        printf("%-21s%.9g to %.9g\n", "Delta:", s->delta_first, s->delta_last);
    print_time("Prepare Time", s->prepare_seconds);
    format_bytes((double)s->peak_worklist_bytes, bytes);
    print_label("Peak Worklist", bytes);
    format_bytes((double)s->peak_bytes, bytes);
    print_label("Peak Memory", bytes);
    format_bytes((double)(r->graph->info.bytes + r->expected), bytes);
    print_label("Predicted Memory", bytes);
}

void print_log(const ordo_stats *s)
{
    printf("%6s %11s %12s %10s %12s %5s %5s\n", "sample", "seconds", "in flight", "bucket", "delta", "conc", "util");
    for (size_t i = 0; i < s->trace_count; i++) {
        const ordo_sample *t = &s->trace[i];
        char share[16] = "-";
        if (t->utilisation >= 0)
            snprintf(share, sizeof share, "%.2f", (double)t->utilisation);
        printf("%6zu %11.6f %12llu %10llu %12.6g %5u %5s\n", i, t->seconds, (unsigned long long)t->in_flight,
               (unsigned long long)t->bucket, t->delta, t->concurrent, share);
    }
}

/* What the machine cannot count is said to be absent: 0 would be a figure. */
static void print_hardware(const ordo_hardware *h)
{
    static const char *const labels[ORDO_HARDWARE_EVENTS] = {"Cycles", "Instructions", "Cache Misses", "Branch Misses"};
    for (int e = 0; e < ORDO_HARDWARE_EVENTS; e++)
        if (h->present[e])
            print_count(labels[e], h->value[e]);
        else
            print_label(labels[e], "absent");
}

void print_run(const record *r)
{
    const options *o = r->o;
    if (r->at_once)
        printf("Sources:             %7zu at once\n", r->at_once);
    else if (r->app->needs_source || r->app->needs_terminals)
        printf("Source:              %7llu\n", (unsigned long long)(r->source + r->graph->id_base));
    if (r->app->needs_terminals)
        printf("Sink:                %7llu\n", (unsigned long long)(r->sink + r->graph->id_base));
    if (o->log)
        print_log(r->stats);
    if (o->counters)
        print_hardware(&r->stats->hardware);
    print_time("Trial Time", r->trial_seconds);
    if (r->verified >= 0) {
        print_label("Verification", r->verified ? "PASS" : "FAIL");
        print_time("Verification Time", r->verify_seconds);
    }
    printf("Result:              ");
    print_fields(stdout, r->answer);
    putchar('\n');
    if ((o->target || o->stop_after) && isinf(r->answer->within))
        print_label("Known", "everything; nothing is left to search");
    else if (o->target || o->stop_after)
        printf("Known:               up to distance %.9g\n", r->answer->within);
}

/* ---- progress ---- */

volatile bool progress_shown;

bool progress_wanted(const options *o)
{
    return o->progress || (!o->quiet && isatty(STDERR_FILENO));
}

bool terminal_size(int fd, int *columns, int *lines)
{
    struct winsize size;
    if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return false;
    *columns = size.ws_col;
    *lines = size.ws_row;
    return true;
}

static size_t step, steps;

void progress_steps(size_t count)
{
    step = 0;
    steps = count;
}

void progress_step(void)
{
    step++;
}

/* Prints at most one column less than the terminal has, since a full line would wrap. Continuation bytes of UTF-8 take
 * no column. */
static void show_line(const char *text)
{
    int columns, lines, used = 0;
    char line[512];
    if (!terminal_size(STDERR_FILENO, &columns, &lines))
        columns = 80;
    if (steps > 1)
        used = snprintf(line, sizeof line, "%zu of %zu: ", step, steps);
    snprintf(line + used, sizeof line - (size_t)used, "%s", text);
    char *end = line;
    for (int at = 0; *end; end++) {
        if (((unsigned char)*end & 0xc0) != 0x80 && ++at == columns)
            break;
        if ((unsigned char)*end < ' ' || *end == 127)
            *end = '?'; /* in a file's name */
    }
    *end = 0;
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    progress_shown = true;
}

void show_progress(void *arg, const ordo_progress *p)
{
    char text[400], items[32], flight[32];
    format_count(p->items, items);
    format_count(p->in_flight, flight);
    snprintf(text, sizeof text, "%s under %s: %.1f s, %llu supersteps, %s items done, %s in flight", (const char *)arg,
             p->scheduler, p->seconds, (unsigned long long)p->supersteps, items, flight);
    show_line(text);
}

static char work[400]; /* what show_phase printed last; empty: nothing, or cleared */

void show_phase(const options *o, const char *what, const char *name)
{
    if (!progress_wanted(o))
        return;
    snprintf(work, sizeof work, "%s %s", what, name);
    show_line(work);
}

int watch_report(void *arg, const char *phase, ordo_u64 done, ordo_u64 total)
{
    char text[480];
    (void)arg;
    if (work[0] && total && !cancelled) {
        snprintf(text, sizeof text, "%s: %s, %.0f %%", work, phase, 100 * (double)done / (double)total);
        show_line(text);
    }
    return cancelled;
}

void clear_progress(void)
{
    if (progress_shown)
        fputs("\r\033[K", stderr);
    progress_shown = false;
    work[0] = 0;
}
