/* compare_plot.c -- `ordo compare --svg FILE`: the tables as a picture, times with their intervals, a panel for each
 * app and graph.
 *
 * Each contender is a line: a dot at the median, a bar over its interval of 95 %, the speed-up in words. Times are on a
 * logarithmic axis of the panel's own. Colours are told apart by people who see fewer of them (Okabe and Ito), and the
 * words at the right say the same.
 */
#define _GNU_SOURCE /* open_memstream */
#include "apps/cli/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 940, LEFT = 230, RIGHT = 670, ROW_HEIGHT = 20, HEAD = 44, FOOT = 34 };

static const char BASE[] = "#0072B2", FASTER[] = "#009E73", SLOWER[] = "#D55E00", SAME[] = "#767676";

/* A panel's axis: seconds from low to high. */
typedef struct axis {
    double low, high, top, bottom;
} axis;

static double x_at(const axis *a, double seconds)
{
    return LEFT + (RIGHT - LEFT) * log(seconds / a->low) / log(a->high / a->low);
}

/* Text as XML holds it; bytes that are not ASCII become question marks, since a path may be in any encoding. */
static void put_xml(FILE *out, const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '&' || c == '<' || c == '>')
            fputs(c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;", out);
        else
            fputc(c >= ' ' && c < 0x7f ? c : '?', out);
    }
}

static bool is_drawn(const results *r, const ordo_estimate *time, int i)
{
    return took_part(&r->entries[i]) && isfinite(time[i].value) && time[i].value > 0;
}

/* From the least to the largest end of an interval, and at least a factor of 1.5 wide. */
static axis make_axis(const results *r, const ordo_estimate *time, double top)
{
    axis a = {.low = INFINITY, .high = 0, .top = top, .bottom = top};
    for (int i = 0; i < r->count; i++) {
        if (!is_drawn(r, time, i))
            continue;
        a.low = fmin(a.low, time[i].known ? time[i].low : time[i].value);
        a.high = fmax(a.high, time[i].known ? time[i].high : time[i].value);
        a.bottom += ROW_HEIGHT;
    }
    const double narrow = a.high / a.low < 1.5 ? sqrt(1.5 * a.low / a.high) : 1;
    a.low /= narrow * 1.05;
    a.high *= narrow * 1.05;
    return a;
}

static void draw_axis(FILE *out, const axis *a)
{
    static const int digits[] = {1, 2, 5};
    for (int power = (int)floor(log10(a->low)); power <= (int)ceil(log10(a->high)); power++)
        for (int i = 0; i < 3; i++) {
            const double seconds = digits[i] * pow(10, power), x = x_at(a, seconds);
            if (seconds < a->low || seconds > a->high)
                continue;
            fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ccc\"/>\n", x, a->top - 4, x,
                    a->bottom + 2);
            fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n", x, a->bottom + 16,
                    1e3 * seconds);
        }
    fprintf(out, "<text x=\"%d\" y=\"%.1f\">ms</text>\n", RIGHT + 10, a->bottom + 16);
}

/* The speed-up in words, and its colour. */
static const char *describe(const entry *e, const ordo_estimate *ratio, bool is_base, char *out, size_t size)
{
    const ordo_verdict verdict = ordo_compare_verdict(ratio);
    if (e->failed) {
        snprintf(out, size, "wrong answer");
        return SLOWER;
    }
    if (is_base) {
        snprintf(out, size, "baseline");
        return BASE;
    }
    if (verdict == ORDO_VERDICT_UNKNOWN)
        snprintf(out, size, "%.2fx, too few runs", ratio->value);
    else
        snprintf(out, size, "%.2fx (%.2f to %.2f)%s", ratio->value, ratio->low, ratio->high,
                 verdict == ORDO_VERDICT_SAME ? ", no difference" : "");
    return verdict == ORDO_VERDICT_FASTER ? FASTER : verdict == ORDO_VERDICT_SLOWER ? SLOWER : SAME;
}

static void draw_row(FILE *out, const axis *a, const entry *e, const ordo_estimate *time, const ordo_estimate *ratio,
                     bool is_base, double y)
{
    char words[96];
    const char *colour = describe(e, ratio, is_base, words, sizeof words);
    fprintf(out, "<g><title>");
    put_xml(out, e->label);
    fprintf(out, ": %.6g ms", 1e3 * time->value);
    if (time->known)
        fprintf(out, ", %.6g to %.6g", 1e3 * time->low, 1e3 * time->high);
    fprintf(out, "; %s</title>\n<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", words, LEFT - 12, y + 4);
    put_xml(out, e->label);
    fprintf(out, "</text>\n");
    if (time->known)
        fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"3\"/>\n",
                x_at(a, time->low), y, x_at(a, time->high), y, colour);
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\"/>\n", x_at(a, time->value), y, colour);
    fprintf(out, "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">%s</text></g>\n", RIGHT + 20, y + 4, colour, words);
}

ordo_status plot_panel(plot *p, const results *r, const ordo_estimate *time, const ordo_estimate *ratio, int base)
{
    if (!p->out && !(p->out = open_memstream(&p->text, &p->size)))
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for a plot");
    const axis a = make_axis(r, time, p->y + HEAD);
    double y = a.top + ROW_HEIGHT / 2.0;
    if (a.bottom <= a.top)
        return ORDO_OK;
    fprintf(p->out, "<text x=\"20\" y=\"%.1f\" font-weight=\"bold\">", p->y + 24);
    put_xml(p->out, r->app);
    fprintf(p->out, ", ");
    put_xml(p->out, r->graph);
    fprintf(p->out, ": %llu vertices, %llu edges, %zu source%s</text>\n", (unsigned long long)r->vertices,
            (unsigned long long)r->edges, r->source_count, r->source_count == 1 ? "" : "s");
    draw_axis(p->out, &a);
    for (int i = 0; i < r->count; i++) {
        if (!is_drawn(r, time, i))
            continue;
        draw_row(p->out, &a, &r->entries[i], &time[i], &ratio[i], i == base, y);
        y += ROW_HEIGHT;
    }
    p->y = a.bottom + FOOT;
    return ORDO_OK;
}

ordo_status plot_write(plot *p, FILE *out)
{
    if (!p->out)
        return ORDO_OK;
    if (fclose(p->out) != 0)
        p->size = 0;
    p->out = NULL;
    if (!p->size)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for a plot");
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" role=\"img\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<title>Times of schedulers</title>\n"
        "<rect width=\"%d\" height=\"%.0f\" fill=\"white\"/>\n",
        WIDTH, p->y + 24, WIDTH, p->y + 24, WIDTH, p->y + 24);
    fwrite(p->text, 1, p->size, out);
    fprintf(out,
            "<text x=\"20\" y=\"%.0f\">Median time with its interval of 95 %%; left is better; "
            "logarithmic.</text>\n</svg>\n",
            p->y + 12);
    return ORDO_OK;
}

void plot_free(plot *p)
{
    if (p->out)
        fclose(p->out);
    free(p->text);
    *p = (plot){0};
}
