/* compare_table.c -- the table of `ordo compare`: while runs go on, and at the end; as CSV; means over graphs.
 *
 * What a row says of times is in statistics.h: medians with intervals, and how many times as fast as the baseline, in
 * pairs. "faster" and "slower" are only said where the interval does not hold 1. A winner is named only where it is
 * faster than each of the others.
 *
 * On a terminal the table is drawn again in place as runs end, cut to the width, without intervals, which take time.
 * Elsewhere it is printed once, at the end, or when the command is interrupted.
 */
#define _GNU_SOURCE /* open_memstream */
#include "apps/cli/ceilings.h"
#include "apps/cli/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COLUMNS = 16, FIRST_NUMBER = 3, OF_CEILING = 11, CELL = LABEL };
typedef char row_cells[COLUMNS][CELL];

static const char *const heads[COLUMNS] = {"",      "scheduler",  "sync",          "median ms", "95 %",    "speed-up",
                                           "95 %",  "items",      "items/reached", "edges/m",   "ns/edge", "of ceiling",
                                           "stale", "supersteps", "peak MB",       "verified"};

/* How often the table is drawn again at most, in seconds. */
static const double PAUSE = 0.05;
/* Where auto took this many times as long as the best, it says so. */
static const double LOST = 1.1;

/* ---- estimates ---- */

/* The estimates of all rows of a table. */
typedef struct view {
    ordo_estimate time[MAX_CANDIDATES], ratio[MAX_CANDIDATES];
    double *replicates[MAX_CANDIDATES]; /* of known ratios, else NULL */
    int best;                           /* the row of the largest ratio that did not fail; -1: none */
    bool intervals;                     /* are computed, which takes time */
} view;

static void view_free(view *v)
{
    for (int i = 0; i < MAX_CANDIDATES && v; i++)
        free(v->replicates[i]);
    free(v);
}

/* The row that ratios refer to: the baseline, or the first row where it did not run. */
static const entry *base_of(const results *r)
{
    const entry *base = &r->entries[r->baseline];
    for (int i = 0; i < r->count && !took_part(base); i++)
        base = &r->entries[i];
    return base;
}

static view *view_of(const results *r, bool intervals)
{
    view *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    const entry *base = base_of(r);
    v->best = -1;
    v->intervals = intervals;
    for (int i = 0; i < r->count; i++) {
        const entry *e = &r->entries[i];
        v->ratio[i] = v->time[i] = (ordo_estimate){.value = NAN};
        if (!took_part(e))
            continue;
        v->time[i] = ordo_estimate_time(&e->times, intervals);
        v->ratio[i] = (ordo_estimate){.value = 1, .known = false};
        if (e != base) {
            v->replicates[i] = intervals ? malloc(ORDO_RESAMPLES * sizeof(double)) : NULL;
            v->ratio[i] = ordo_estimate_ratio(&base->times, &e->times, v->replicates[i] != NULL, v->replicates[i]);
        }
        if (!e->failed && !isnan(v->ratio[i].value) && (v->best < 0 || v->ratio[i].value > v->ratio[v->best].value))
            v->best = i;
    }
    return v;
}

static bool holds_one(const ordo_estimate *e)
{
    return !e->known || (e->low <= 1 && e->high >= 1);
}

/* ---- rows ---- */

static void write_interval(const ordo_estimate *e, double scale, const char *form, char *out)
{
    char low[32], high[32];
    if (!e->known) {
        snprintf(out, CELL, "-");
        return;
    }
    snprintf(low, sizeof low, form, scale * e->low);
    snprintf(high, sizeof high, form, scale * e->high);
    snprintf(out, CELL, "%s..%s", low, high);
}

/* The least time that the machine needs over the run's time (ceilings.h); NaN where it was not measured. */
static double share_of_ceiling(const results *r, const view *v, int i)
{
    const entry *e = &r->entries[i];
    ceilings c;
    if (!v->intervals || (e->threads == 0 && !e->gpu[0]) || !ceilings_read(e->threads, e->gpu, &c))
        return NAN;
    return ceilings_least_time(&c, e->edges / (double)e->runs, r->edge_bytes, (double)r->vertices * CELL_BYTES) /
           v->time[i].value;
}

static void fill_row(const results *r, const view *v, int i, double reached, row_cells cells)
{
    const entry *e = &r->entries[i];
    const double runs = (double)e->runs, edges = (double)r->edges;
    char count[32];
    snprintf(cells[0], CELL, "%s", i == v->best ? "*" : "");
    snprintf(cells[1], CELL, "%s", e->label);
    snprintf(cells[2], CELL, "%s", e->sync);
    snprintf(cells[3], CELL, "%.3f", 1e3 * v->time[i].value);
    write_interval(&v->time[i], 1e3, "%.3f", cells[4]);
    snprintf(cells[5], CELL, isnan(v->ratio[i].value) ? "-" : "%.2fx", v->ratio[i].value);
    write_interval(&v->ratio[i], 1, "%.2f", cells[6]);
    format_count((ordo_u64)(e->items / runs), count);
    snprintf(cells[7], CELL, "%s", count);
    snprintf(cells[8], CELL, "%.2f", reached > 0 ? e->items / runs / reached : 0);
    snprintf(cells[9], CELL, "%.2f", edges > 0 ? e->edges / runs / edges : 0);
    const double nanoseconds = edges > 0 ? 1e9 * v->time[i].value / edges : 0;
    snprintf(cells[10], CELL, nanoseconds < 1000 ? "%.3g" : "%.0f", nanoseconds);
    const double share = share_of_ceiling(r, v, i);
    snprintf(cells[OF_CEILING], CELL, isnan(share) ? "-" : "%.1f %%", 100 * share);
    format_count((ordo_u64)(e->stale / runs), count);
    snprintf(cells[12], CELL, "%s", count);
    format_count((ordo_u64)(e->supersteps / runs), count);
    snprintf(cells[13], CELL, "%s", count);
    snprintf(cells[14], CELL, "%.1f", (double)e->peak_worklist / 1e6);
    snprintf(cells[15], CELL, "%s", e->failed ? "FAIL" : e->checked ? "PASS" : "-");
}

/* Without the column of ceilings where none are known. */
static void print_rows(FILE *out, const row_cells *rows, int count)
{
    size_t width[COLUMNS];
    bool measured = false;
    for (int i = 0; i < COLUMNS; i++) {
        width[i] = strlen(heads[i]);
        for (int r = 0; r < count; r++) {
            width[i] = strlen(rows[r][i]) > width[i] ? strlen(rows[r][i]) : width[i];
            measured = measured || (i == OF_CEILING && strcmp(rows[r][i], "-") != 0);
        }
    }
    for (int r = -1; r < count; r++) {
        for (int i = 0; i < COLUMNS; i++) {
            if (i == OF_CEILING && !measured)
                continue;
            const char *text = r < 0 ? heads[i] : rows[r][i];
            int cell = (int)width[i];
            if (i < FIRST_NUMBER)
                fprintf(out, "%-*s ", i == 0 ? 1 : cell, text);
            else
                fprintf(out, " %*s", cell + 1, text);
        }
        fputc('\n', out);
    }
}

/* Reached vertices, on average over the sources that have an answer; all vertices if answers have no such field. */
static double mean_reached(const results *r)
{
    double total = 0;
    size_t count = 0;
    for (size_t s = 0; s < r->source_count; s++)
        if (r->answer[s].field_count) {
            total += answer_field(&r->answer[s], "reached", (double)r->vertices);
            count++;
        }
    return count ? total / (double)count : 0;
}

/* Prints only the table: heads and rows. */
static void print_table(FILE *out, const results *r, const view *v)
{
    row_cells *rows = malloc((size_t)r->count * sizeof *rows);
    const double reached = mean_reached(r);
    int count = 0;
    for (int i = 0; i < r->count && rows; i++)
        if (took_part(&r->entries[i]))
            fill_row(r, v, i, reached, rows[count++]);
    if (rows)
        print_rows(out, (const row_cells *)rows, count);
    free(rows);
}

/* ---- sentences ---- */

static const entry *fastest_from(const results *r, size_t source)
{
    const entry *best = NULL;
    for (int i = 0; i < r->count; i++) {
        const entry *e = &r->entries[i];
        if (took_part(e) && !e->failed && !isnan(ordo_time_on(&e->times, source)) &&
            (!best || ordo_time_on(&e->times, source) < ordo_time_on(&best->times, source)))
            best = e;
    }
    return best;
}

/* Prints the result; from several sources one line for each, with the scheduler that was fastest from there. */
static void print_results(FILE *out, const results *r)
{
    for (size_t s = 0; s < r->source_count; s++) {
        char label[64] = "Result:";
        const entry *best = fastest_from(r, s);
        if (!r->answer[s].field_count)
            continue;
        if (r->source_count > 1)
            snprintf(label, sizeof label, "Source %llu:", (unsigned long long)r->source[s]);
        fprintf(out, "%-20s ", label);
        print_fields(out, &r->answer[s]);
        if (r->source_count > 1 && best)
            fprintf(out, "; fastest %s, %.3f ms", best->label, 1e3 * ordo_time_on(&best->times, s));
        fputc('\n', out);
    }
}

static void print_rounds(FILE *out, const results *r, const entry *best)
{
    fprintf(out, "; each from %zu run%s and %zu source%s\n", best->runs, best->runs == 1 ? "" : "s", r->source_count,
            r->source_count == 1 ? "" : "s");
}

/* Names the winner, or those that do not differ measurably from the best. */
static void print_best(FILE *out, const results *r, const view *v)
{
    const entry *best = v->best < 0 ? NULL : &r->entries[v->best], *next = NULL;
    ordo_estimate lead = {.value = INFINITY};
    char equal[512] = "";
    int others = 0, equals = 0;
    if (!best)
        return;
    for (int i = 0; i < r->count; i++) {
        const entry *e = &r->entries[i];
        if (e == best || !took_part(e) || e->failed)
            continue;
        ordo_estimate over = ordo_estimate_ratio(&e->times, &best->times, v->intervals, NULL);
        others++;
        if (over.value < lead.value) {
            lead = over;
            next = e;
        }
        if (holds_one(&over)) {
            size_t used = strlen(equal);
            snprintf(equal + used, sizeof equal - used, "%s%s", equals ? ", " : "", e->label);
            equals++;
        }
    }
    if (others == 0)
        return;
    if (equals == 0) {
        fprintf(out, "Best:                %s, %.2f (%.2f to %.2f) times as fast as %s, the next", best->label,
                lead.value, lead.low, lead.high, next->label);
    } else if (!lead.known) {
        fprintf(out, "Best:                %s by its median; too few runs to say more (%d rounds or %d sources)",
                best->label, ORDO_MIN_VALUES, ORDO_MIN_INPUTS);
    } else {
        fprintf(out, "Best:                no difference between %s and %s", best->label, equal);
    }
    print_rounds(out, r, best);
}

/* Says where `auto` chose what lost. */
static void print_lost_choices(FILE *out, const results *r, const view *v)
{
    for (int i = 0; i < r->count && v->best >= 0; i++) {
        const entry *e = &r->entries[i], *best = &r->entries[v->best];
        if (!took_part(e) || !e->chosen[0] || e == best)
            continue;
        ordo_estimate lost = ordo_estimate_ratio(&e->times, &best->times, true, NULL);
        if (lost.value > LOST && !holds_one(&lost))
            fprintf(out, "Choice:              %s took %s; %s is %.2f (%.2f to %.2f) times as fast\n", e->label,
                    e->chosen, best->label, lost.value, lost.low, lost.high);
    }
}

static void print_absent(FILE *out, const results *r)
{
    for (int i = 0; i < r->count; i++)
        if (r->entries[i].reason[0])
            fprintf(out, "  %s %s: %s\n", r->entries[i].label,
                    r->entries[i].status == ORDO_ERR_TIMEOUT ? "left out" : "cannot run", r->entries[i].reason);
    for (int i = 0; i < r->count; i++)
        if (r->entries[i].fallback[0])
            fprintf(out, "  %s not on a GPU: %s\n", r->entries[i].label, r->entries[i].fallback);
}

static void print_all(FILE *out, const results *r, const view *v, bool interrupted)
{
    size_t ran = 0, left_out = 0;
    print_results(out, r);
    fputc('\n', out);
    print_table(out, r, v);
    print_absent(out, r);
    for (int i = 0; i < r->count; i++) {
        ran += r->entries[i].reason[0] ? 0 : r->entries[i].runs;
        left_out += r->entries[i].reason[0] != 0;
    }
    if (r->count > 1)
        fprintf(out, "Baseline:            %s; speed-up is over it, from the same source in the same round\n",
                base_of(r)->label);
    print_best(out, r, v);
    if (v->intervals)
        print_lost_choices(out, r, v);
    if (interrupted)
        fprintf(out, "Interrupted:         %zu of %zu runs were made; the table holds these\n", ran,
                r->wanted - left_out * (r->wanted / (size_t)r->count));
}

/* ---- CSV ---- */

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_estimate(FILE *out, const ordo_estimate *e)
{
    const double values[] = {e->value, e->known ? e->low : NAN, e->known ? e->high : NAN};
    for (int i = 0; i < 3; i++)
        fprintf(out, isfinite(values[i]) ? ",%.9g" : ",", values[i]);
}

static void write_csv(table *t, const results *r, const view *v)
{
    if (!t->csv_begun)
        fprintf(t->csv, "app,graph,vertices,edges,scheduler,sync,runs,sources,seconds,seconds_low,seconds_high,"
                        "speed_up,speed_up_low,speed_up_high,baseline,items,edges_proposed,stale,supersteps,"
                        "peak_worklist_bytes,verified,of_ceiling\n");
    t->csv_begun = true;
    for (int i = 0; i < r->count; i++) {
        const entry *e = &r->entries[i];
        const double runs = (double)e->runs;
        if (!took_part(e))
            continue;
        put_text(t->csv, r->app);
        fputc(',', t->csv);
        put_text(t->csv, r->graph);
        fprintf(t->csv, ",%llu,%llu,", (unsigned long long)r->vertices, (unsigned long long)r->edges);
        put_text(t->csv, e->label);
        fprintf(t->csv, ",%s,%zu,%zu", e->sync, e->runs, r->source_count);
        put_estimate(t->csv, &v->time[i]);
        put_estimate(t->csv, &v->ratio[i]);
        fputc(',', t->csv);
        put_text(t->csv, base_of(r)->label);
        fprintf(t->csv, ",%.9g,%.9g,%.9g,%.9g,%llu,%s", e->items / runs, e->edges / runs, e->stale / runs,
                e->supersteps / runs, (unsigned long long)e->peak_worklist,
                e->failed    ? "false"
                : e->checked ? "true"
                             : "");
        const double share = share_of_ceiling(r, v, i);
        fprintf(t->csv, isnan(share) ? ",\n" : ",%.4g\n", share);
    }
}

/* ---- means over graphs ---- */

static ordo_status keep_summary(table *t, const results *r, view *v)
{
    summary *more = realloc(t->summaries, (t->summary_count + (size_t)r->count) * sizeof *more);
    if (!more)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for the means over graphs");
    t->summaries = more;
    for (int i = 0; i < r->count; i++) {
        summary *s = &more[t->summary_count];
        if (!took_part(&r->entries[i]) || &r->entries[i] == base_of(r) || isnan(v->ratio[i].value))
            continue;
        *s = (summary){.ratio = v->ratio[i], .replicates = v->replicates[i]};
        snprintf(s->app, sizeof s->app, "%s", r->app);
        snprintf(s->label, sizeof s->label, "%s", r->entries[i].label);
        v->replicates[i] = NULL;
        t->summary_count++;
    }
    t->graphs++;
    return ORDO_OK;
}

/* The mean of the contender of summary `first` over the graphs; how many of them in *count. */
static ordo_estimate mean_over_graphs(const table *t, size_t first, size_t *count)
{
    ordo_estimate *ratio = malloc(t->summary_count * sizeof *ratio), e = {.value = NAN};
    double **replicates = malloc(t->summary_count * sizeof *replicates);
    *count = 0;
    for (size_t i = first; i < t->summary_count && ratio && replicates; i++)
        if (!strcmp(t->summaries[i].label, t->summaries[first].label) &&
            !strcmp(t->summaries[i].app, t->summaries[first].app)) {
            ratio[*count] = t->summaries[i].ratio;
            replicates[(*count)++] = t->summaries[i].replicates;
        }
    if (*count)
        e = ordo_combine_ratios(ratio, replicates, *count);
    free(ratio);
    free(replicates);
    return e;
}

void table_means(const table *t)
{
    bool head = false;
    for (size_t i = 0; i < t->summary_count && t->graphs > 1; i++) {
        const summary *s = &t->summaries[i];
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen = seen || (!strcmp(t->summaries[k].label, s->label) && !strcmp(t->summaries[k].app, s->app));
        size_t count;
        if (seen)
            continue;
        ordo_estimate mean = mean_over_graphs(t, i, &count);
        if (count < 2)
            continue;
        if (!head)
            printf("\nSpeed-up over the baseline, geometric mean over graphs:\n");
        head = true;
        printf("  %-12s %-28s %6.2fx over %zu graphs", s->app, s->label, mean.value, count);
        if (mean.known)
            printf(", %.2f to %.2f%s", mean.low, mean.high, holds_one(&mean) ? ": no difference" : "");
        putchar('\n');
    }
}

void table_free(table *t)
{
    for (size_t i = 0; i < t->summary_count; i++)
        free(t->summaries[i].replicates);
    free(t->summaries);
    plot_free(&t->plot);
    *t = (table){0};
}

/* ---- on a terminal ---- */

/* The text that moves the cursor to the first line of the table on the terminal. */
static int rewind_text(const table *t, char out[32])
{
    return t->lines_shown ? snprintf(out, 32, "\033[%dA\r\033[J", t->lines_shown) : (out[0] = 0, 0);
}

static void draw(table *t, const results *r, const view *v)
{
    int width, height;
    char *text = NULL, back[32];
    size_t size = 0;
    FILE *out;
    if (!terminal_size(STDOUT_FILENO, &width, &height) || !(out = open_memstream(&text, &size)))
        return;
    print_table(out, r, v);
    if (fclose(out) != 0) {
        free(text);
        return;
    }
    int lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    if (lines + 2 < height) { /* a table that has scrolled cannot be drawn over */
        rewind_text(t, back);
        fputs(back, stdout);
        for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1) {
            *end = 0;
            printf("%.*s\n", width - 1, at);
        }
        t->lines_shown = lines;
        fflush(stdout);
    }
    free(text);
}

static void keep_for_a_signal(const table *t, const results *r, const view *v)
{
    char *text = NULL, back[32];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    rewind_text(t, back);
    fputs(back, out);
    print_all(out, r, v, true);
    if (fclose(out) == 0)
        process_last_words(text);
    free(text);
}

void table_update(table *t, const results *r)
{
    int first = 0;
    for (int i = 0; i < r->count; i++)
        first += r->entries[i].runs == 1;
    double at = now();
    if (!t->text || (!first && at - t->last_shown < PAUSE))
        return;
    view *v = view_of(r, false);
    if (v) {
        draw(t, r, v);
        keep_for_a_signal(t, r, v);
    }
    view_free(v);
    t->last_shown = now();
}

ordo_status table_finish(table *t, const results *r, bool interrupted)
{
    char back[32];
    view *v = view_of(r, true); /* a signal that ends the process meanwhile prints what was kept */
    process_last_words(NULL);
    if (!v)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for the table");
    ordo_status status = ORDO_OK;
    if (t->text) {
        rewind_text(t, back);
        fputs(back, stdout);
        print_all(stdout, r, v, interrupted);
        t->lines_shown = 0;
        status = flush_stdout();
    }
    if (t->csv)
        write_csv(t, r, v);
    if (!status && t->svg)
        status = plot_panel(&t->plot, r, v->time, v->ratio, (int)(base_of(r) - r->entries));
    if (!status)
        status = keep_summary(t, r, v);
    view_free(v);
    return status;
}
