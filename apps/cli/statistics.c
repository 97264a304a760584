/* statistics.c -- the sets of observations, and the bootstrap over them. */
#include "apps/cli/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The observations of a source, in the order of rounds. */
typedef struct group {
    size_t first, count; /* value[first] to value[first + count - 1] of the set */
    double key;          /* the first of them */
} group;

/* Observations by source, without sources that have none; sorted, so that results do not depend on the order of
 * sources. */
typedef struct set {
    double *value;
    group *source;               /* [sources] */
    size_t sources, used, least; /* `used` values in all; the fewest values of a source */
} set;

/* ---- medians ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median_of(double *values, size_t count)
{
    enum { SMALL = 32 };
    if (count > SMALL)
        qsort(values, count, sizeof *values, by_value);
    for (size_t i = 1; i < count && count <= SMALL; i++) {
        double value = values[i];
        size_t at = i;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* ---- sets ---- */

static void set_free(set *s)
{
    free(s->value);
    free(s->source);
    *s = (set){0};
}

static bool set_make(set *s, const times *t)
{
    *s = (set){.value = malloc((t->sources * t->rounds + 1) * sizeof *s->value),
               .source = malloc((t->sources + 1) * sizeof *s->source),
               .least = SIZE_MAX};
    if (!s->value || !s->source)
        set_free(s);
    return s->value != NULL;
}

/* Ends a source whose values were put behind value[used]. */
static void set_end_source(set *s, size_t count)
{
    if (count == 0)
        return;
    s->source[s->sources++] = (group){s->used, count, s->value[s->used]};
    s->least = count < s->least ? count : s->least;
    s->used += count;
}

static int by_key(const void *a, const void *b)
{
    return by_value(&((const group *)a)->key, &((const group *)b)->key);
}

/* Times, or with `logarithms` their logarithms, from sources from which `other` ran, too (NULL: all). */
static bool set_of(set *s, const times *t, const times *other, bool logarithms)
{
    if (!set_make(s, t))
        return false;
    for (size_t source = 0; source < t->sources; source++) {
        size_t count = 0;
        bool counts = !other;
        for (size_t r = 0; !counts && r < other->rounds; r++)
            counts = !isnan(other->at[r * other->sources + source]);
        for (size_t r = 0; counts && r < t->rounds; r++) {
            double seconds = t->at[r * t->sources + source];
            if (!isnan(seconds))
                s->value[s->used + count++] = logarithms ? log(seconds) : seconds;
        }
        set_end_source(s, count);
    }
    qsort(s->source, s->sources, sizeof *s->source, by_key);
    return true;
}

/* Logarithms of the ratio of two times from the same source in the same round. */
static bool set_of_pairs(set *s, const times *base, const times *other)
{
    const size_t rounds = base->rounds < other->rounds ? base->rounds : other->rounds;
    if (!set_make(s, base))
        return false;
    for (size_t source = 0; source < base->sources; source++) {
        size_t count = 0;
        for (size_t r = 0; r < rounds; r++) {
            double a = base->at[r * base->sources + source], b = other->at[r * other->sources + source];
            if (!isnan(a) && !isnan(b))
                s->value[s->used + count++] = log(a) - log(b);
        }
        set_end_source(s, count);
    }
    qsort(s->source, s->sources, sizeof *s->source, by_key);
    return true;
}

/* ---- the bootstrap ---- */

static size_t random_below(uint64_t *state, size_t limit)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (size_t)((x >> 32) * (uint64_t)limit >> 32);
}

typedef enum over_sources { MEDIAN, MEAN } over_sources;

/* The value of a set, or, with the state of a random generator, of a resampled one. scratch: as many as values. */
static double value_of(const set *s, over_sources how, uint64_t *random, double *scratch, double *by_source)
{
    double sum = 0;
    for (size_t i = 0; i < s->sources; i++) {
        size_t source = random && s->sources >= MIN_SOURCES ? random_below(random, s->sources) : i;
        const double *value = s->value + s->source[source].first;
        size_t count = s->source[source].count;
        for (size_t k = 0; k < count; k++)
            scratch[k] = value[random ? random_below(random, count) : k];
        by_source[i] = median_of(scratch, count);
        sum += by_source[i];
    }
    return how == MEAN ? sum / (double)s->sources : median_of(by_source, s->sources);
}

static bool has_interval(const set *s)
{
    return s->sources > 0 && (s->least >= MIN_VALUES || s->sources >= MIN_SOURCES);
}

/* The interval of sorted replicates. */
static void set_interval(estimate *e, double *replicates)
{
    const size_t tail = RESAMPLES / 40; /* 2.5 % */
    qsort(replicates, RESAMPLES, sizeof *replicates, by_value);
    e->known = true;
    e->low = replicates[tail];
    e->high = replicates[RESAMPLES - 1 - tail];
}

/* The value of `a`, or with `b` of b less that of a. */
static estimate estimate_sets(const set *a, const set *b, over_sources how, bool interval, double *replicates)
{
    const size_t longest = a->used, other = b ? b->used : 0;
    double *scratch = malloc((2 * (longest + other) + RESAMPLES + 1) * sizeof *scratch);
    double *by_source = scratch ? scratch + longest + other : NULL, *own = scratch ? by_source + longest + other : NULL;
    estimate e = {.value = NAN};
    if (!scratch || !a->sources || (b && !b->sources)) {
        free(scratch);
        return e;
    }
    e.value = value_of(a, how, NULL, scratch, by_source) - (b ? value_of(b, how, NULL, scratch, by_source) : 0);
    if (interval && has_interval(a) && (!b || has_interval(b))) {
        uint64_t random = 1;
        for (int i = 0; i < RESAMPLES; i++)
            own[i] =
                value_of(a, how, &random, scratch, by_source) - (b ? value_of(b, how, &random, scratch, by_source) : 0);
        if (replicates)
            memcpy(replicates, own, RESAMPLES * sizeof *own);
        set_interval(&e, own);
    }
    free(scratch);
    return e;
}

/* ---- the calls ---- */

double time_from(const times *t, size_t source)
{
    double *values = malloc((t->rounds + 1) * sizeof *values), result = NAN;
    size_t count = 0;
    for (size_t r = 0; values && r < t->rounds; r++)
        if (!isnan(t->at[r * t->sources + source]))
            values[count++] = t->at[r * t->sources + source];
    if (count)
        result = median_of(values, count);
    free(values);
    return result;
}

estimate estimate_time(const times *t, bool interval)
{
    set s;
    estimate e = {.value = NAN};
    if (set_of(&s, t, NULL, false))
        e = estimate_sets(&s, NULL, MEDIAN, interval, NULL);
    set_free(&s);
    return e;
}

static estimate from_logarithms(estimate e)
{
    return (estimate){.value = exp(e.value), .known = e.known, .low = exp(e.low), .high = exp(e.high)};
}

estimate estimate_ratio(const times *base, const times *other, bool interval, double *replicates)
{
    set a = {0}, b = {0};
    estimate e = {.value = NAN};
    bool made = set_of_pairs(&a, base, other);
    if (made && a.sources) {
        e = estimate_sets(&a, NULL, MEAN, interval, replicates);
    } else if (made) {
        set_free(&a);
        if (set_of(&a, base, other, true) && set_of(&b, other, base, true))
            e = estimate_sets(&a, &b, MEAN, interval, replicates);
    }
    set_free(&a);
    set_free(&b);
    return from_logarithms(e);
}

estimate combine_ratios(const estimate *ratio, double *const *replicates, size_t count)
{
    double *mean = calloc(RESAMPLES, sizeof *mean);
    estimate e = {.value = 0};
    bool known = mean && count > 0;
    for (size_t i = 0; i < count; i++) {
        e.value += log(ratio[i].value) / (double)count;
        known = known && ratio[i].known;
        for (int k = 0; k < RESAMPLES && known; k++)
            mean[k] += replicates[i][k] / (double)count;
    }
    if (known)
        set_interval(&e, mean);
    free(mean);
    return from_logarithms(e);
}
