/* compare_table.c -- the table of `ordo compare`: while runs go on, and at the end.
 *
 * Runs from several sources are paired: a scheduler's time from a source is the median of its runs from there, its
 * median is that over sources, and how much faster one scheduler is than another is the geometric mean, over the
 * sources, of the ratio of their times from the same source. So a far source, whose runs take long under every
 * scheduler, counts no more than a near one.
 *
 * On a terminal the table is drawn again in place as runs end, cut to the width. Elsewhere it is printed once, at the
 * end, or when the command is interrupted.
 */
#define _GNU_SOURCE /* open_memstream */
#include "apps/cli/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COLUMNS = 13, FIRST_NUMBER = 3, CELL = 40 };
typedef char row_cells[COLUMNS][CELL];

static const char *const heads[COLUMNS] = {"",           "scheduler", "sync",          "median ms", "min..max ms",
                                           "speed-up",   "items",     "items/reached", "edges/m",   "stale",
                                           "supersteps", "peak MB",   "verified"};

/* How often the table is drawn again at most, in seconds. */
static const double PAUSE = 0.05;

bool took_part(const entry *e)
{
    return !e->reason[0] && e->runs > 0;
}

double answer_field(const ordo_answer *a, const char *name, double otherwise)
{
    for (int i = 0; i < a->field_count; i++)
        if (!strcmp(a->fields[i].name, name))
            return a->fields[i].type == ORDO_F32 ? a->fields[i].real : (double)a->fields[i].whole;
    return otherwise;
}

/* ---- times ---- */

/* A scheduler's time from a source: the median of its runs; there is at least one. */
static double time_from(const comparison *c, const entry *e, size_t source)
{
    memcpy(c->scratch, e->seconds + source * (size_t)c->o->repeat, e->done[source] * sizeof *c->scratch);
    return median_of(c->scratch, e->done[source]);
}

static double median_over_sources(const comparison *c, const entry *e)
{
    double *times = c->scratch + c->o->repeat;
    size_t count = 0;
    for (size_t s = 0; s < c->source_count; s++)
        if (e->done[s])
            times[count++] = time_from(c, e, s);
    return median_of(times, count);
}

static void range_of(const comparison *c, const entry *e, double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    for (size_t s = 0; s < c->source_count; s++)
        for (size_t i = 0; i < e->done[s]; i++) {
            double t = e->seconds[s * (size_t)c->o->repeat + i];
            *least = t < *least ? t : *least;
            *most = t > *most ? t : *most;
        }
}

/* The geometric mean of a scheduler's times from those sources from which all schedulers have run; 0 if a time is 0. */
static double mean_of_pairs(const comparison *c, const entry *e)
{
    double sum = 0;
    size_t count = 0;
    for (size_t s = 0; s < c->source_count; s++) {
        bool all = true;
        for (int i = 0; i < c->count; i++)
            all = all && (!took_part(&c->entries[i]) || c->entries[i].done[s]);
        if (all) {
            sum += log(time_from(c, e, s));
            count++;
        }
    }
    return count ? exp(sum / (double)count) : 0;
}

/* ---- rows ---- */

static void fill_row(const comparison *c, const entry *e, double reached, double speed_up, bool best, row_cells cells)
{
    double runs = (double)e->runs, least, most;
    const double edges = (double)c->graph->info.edges;
    char count[32];
    range_of(c, e, &least, &most);
    snprintf(cells[0], CELL, "%s", best ? "*" : "");
    snprintf(cells[1], CELL, "%.39s", e->who->scheduler);
    snprintf(cells[2], CELL, "%s", e->used_sync);
    snprintf(cells[3], CELL, "%.3f", 1e3 * median_over_sources(c, e));
    snprintf(cells[4], CELL, "%.3f..%.3f", 1e3 * least, 1e3 * most);
    snprintf(cells[5], CELL, "%.2fx", speed_up);
    format_count((ordo_u64)(e->items / runs), count);
    snprintf(cells[6], CELL, "%s", count);
    snprintf(cells[7], CELL, "%.2f", reached > 0 ? e->items / runs / reached : 0);
    snprintf(cells[8], CELL, "%.2f", edges > 0 ? e->edges / runs / edges : 0);
    format_count((ordo_u64)(e->stale / runs), count);
    snprintf(cells[9], CELL, "%s", count);
    format_count((ordo_u64)(e->supersteps / runs), count);
    snprintf(cells[10], CELL, "%s", count);
    snprintf(cells[11], CELL, "%.1f", (double)e->peak_worklist / 1e6);
    snprintf(cells[12], CELL, "%s", e->failed ? "FAIL" : c->o->no_verify ? "-" : "PASS");
}

static void print_rows(FILE *out, const row_cells *rows, int count)
{
    size_t width[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        width[i] = strlen(heads[i]);
        for (int r = 0; r < count; r++)
            width[i] = strlen(rows[r][i]) > width[i] ? strlen(rows[r][i]) : width[i];
    }
    for (int r = -1; r < count; r++) {
        for (int i = 0; i < COLUMNS; i++) {
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
static double mean_reached(const comparison *c)
{
    double total = 0;
    size_t count = 0;
    for (size_t s = 0; s < c->source_count; s++)
        if (c->results[s].field_count) {
            total += answer_field(&c->results[s], "reached", (double)c->graph->info.vertices);
            count++;
        }
    return count ? total / (double)count : 0;
}

static const entry *fastest_from(const comparison *c, size_t source)
{
    const entry *best = NULL;
    for (int i = 0; i < c->count; i++) {
        const entry *e = &c->entries[i];
        if (took_part(e) && !e->failed && e->done[source] &&
            (!best || time_from(c, e, source) < time_from(c, best, source)))
            best = e;
    }
    return best;
}

/* Prints the result; from several sources one line for each, with the scheduler that was fastest from there. */
static void print_results(FILE *out, const comparison *c)
{
    for (size_t s = 0; s < c->source_count; s++) {
        char label[64] = "Result:";
        const entry *best = fastest_from(c, s);
        if (!c->results[s].field_count)
            continue;
        if (c->source_count > 1)
            snprintf(label, sizeof label, "Source %llu:", (unsigned long long)(c->sources[s] + c->graph->id_base));
        fprintf(out, "%-20s ", label);
        print_fields(out, &c->results[s]);
        if (c->source_count > 1 && best)
            fprintf(out, "; fastest %s, %.3f ms", best->who->scheduler, 1e3 * time_from(c, best, s));
        fputc('\n', out);
    }
}

/* Prints only the table: heads and rows. */
static void print_table(FILE *out, const comparison *c)
{
    static row_cells rows[MAX_CANDIDATES];
    double mean[MAX_CANDIDATES], least = INFINITY, most = 0, reached = mean_reached(c);
    int best = -1, count = 0;
    for (int i = 0; i < c->count; i++) {
        const entry *e = &c->entries[i];
        mean[i] = took_part(e) ? mean_of_pairs(c, e) : 0;
        if (took_part(e) && !e->failed && mean[i] < least) {
            least = mean[i];
            best = i;
        }
        most = took_part(e) && mean[i] > most ? mean[i] : most;
    }
    for (int i = 0; i < c->count; i++)
        if (took_part(&c->entries[i]))
            fill_row(c, &c->entries[i], reached, mean[i] > 0 ? most / mean[i] : 1, i == best, rows[count++]);
    print_rows(out, (const row_cells *)rows, count);
}

static void print_best(FILE *out, const comparison *c)
{
    const entry *best = NULL, *slow = NULL;
    double least = INFINITY, most = 0;
    for (int i = 0; i < c->count; i++) {
        const entry *e = &c->entries[i];
        double mean = took_part(e) ? mean_of_pairs(c, e) : 0;
        if (took_part(e) && !e->failed && mean < least) {
            least = mean;
            best = e;
        }
        if (took_part(e) && (!slow || mean > most)) {
            most = mean;
            slow = e;
        }
    }
    if (!best)
        return;
    fprintf(out, "Best:                %s, %.2f times as fast as %s%s; each from %zu run%s and %zu source%s\n",
            best->who->scheduler, least > 0 ? most / least : 1, slow->who->scheduler,
            c->source_count > 1 ? " (geometric mean over the sources)" : "", best->runs, best->runs == 1 ? "" : "s",
            c->source_count, c->source_count == 1 ? "" : "s");
}

static void print_all(FILE *out, const comparison *c, bool interrupted)
{
    size_t ran = 0, wanted = 0;
    print_results(out, c);
    fputc('\n', out);
    print_table(out, c);
    for (int i = 0; i < c->count; i++) {
        const entry *e = &c->entries[i];
        if (e->reason[0])
            fprintf(out, "  %s %s: %s\n", e->who->scheduler, e->status == ORDO_ERR_TIMEOUT ? "left out" : "cannot run",
                    e->reason);
        if (!e->reason[0]) {
            ran += e->runs;
            wanted += c->source_count * (size_t)c->o->repeat;
        }
    }
    for (int i = 0; i < c->count; i++)
        if (c->entries[i].fallback[0])
            fprintf(out, "  %s not on a GPU: %s\n", c->candidates[i].scheduler, c->entries[i].fallback);
    print_best(out, c);
    if (interrupted)
        fprintf(out, "Interrupted:         %zu of %zu runs were made; the table holds these\n", ran, wanted);
}

/* ---- on a terminal ---- */

/* The text that moves the cursor to the first line of the table on the terminal. */
static int rewind_text(const comparison *c, char out[32])
{
    return c->lines_shown ? snprintf(out, 32, "\033[%dA\r\033[J", c->lines_shown) : (out[0] = 0, 0);
}

static void draw(comparison *c)
{
    int width, height;
    char *text = NULL, back[32];
    size_t size = 0;
    FILE *out;
    if (!terminal_size(STDOUT_FILENO, &width, &height) || !(out = open_memstream(&text, &size)))
        return;
    print_table(out, c);
    if (fclose(out) != 0) {
        free(text);
        return;
    }
    int lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    if (lines + 2 < height) { /* a table that has scrolled cannot be drawn over */
        rewind_text(c, back);
        fputs(back, stdout);
        for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1) {
            *end = 0;
            printf("%.*s\n", width - 1, at);
        }
        c->lines_shown = lines;
        fflush(stdout);
    }
    free(text);
}

static void keep_for_a_signal(const comparison *c)
{
    char *text = NULL, back[32];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    rewind_text(c, back);
    fputs(back, out);
    print_all(out, c, true);
    if (fclose(out) == 0)
        process_last_words(text);
    free(text);
}

void table_update(comparison *c)
{
    int first = 0;
    for (int i = 0; i < c->count; i++)
        first += c->entries[i].runs == 1;
    double at = now();
    if (!c->text || (!first && at - c->last_shown < PAUSE))
        return;
    draw(c);
    keep_for_a_signal(c);
    c->last_shown = now();
}

void table_finish(comparison *c, bool interrupted)
{
    char back[32];
    process_last_words(NULL);
    rewind_text(c, back);
    fputs(back, stdout);
    print_all(stdout, c, interrupted);
    c->lines_shown = 0;
}
