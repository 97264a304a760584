/* statistics.c -- the sets of observations, and the bootstrap over them. */
#include "statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The observations of an input, in the order of rounds. */
typedef struct group {
    size_t first, count; /* value[first] to value[first + count - 1] of the set */
    double key;          /* the first of them */
} group;

/* Observations by input, without inputs that have none; sorted, so that results do not depend on the order of
 * inputs. */
typedef struct set {
    double *value;
    group *input;               /* [inputs] */
    size_t inputs, used, least; /* `used` values in all; the fewest values of an input */
} set;

/* ---- times ---- */

bool ordo_times_grow(ordo_times *t, size_t rounds, size_t inputs)
{
    t->inputs = inputs;
    if (t->rounds >= rounds)
        return true;
    double *more = realloc(t->at, rounds * inputs * sizeof *more);
    if (!more)
        return false;
    t->at = more;
    for (size_t at = t->rounds * inputs; at < rounds * inputs; at++)
        more[at] = NAN;
    t->rounds = rounds;
    return true;
}

void ordo_times_set(ordo_times *t, size_t round, size_t input, double seconds)
{
    static const double shortest = 1e-9;
    t->at[round * t->inputs + input] = seconds > shortest ? seconds : shortest;
}

/* ---- medians ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double ordo_median(double *values, size_t count)
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
    free(s->input);
    *s = (set){0};
}

static bool set_make(set *s, const ordo_times *t)
{
    *s = (set){.value = malloc((t->inputs * t->rounds + 1) * sizeof *s->value),
               .input = malloc((t->inputs + 1) * sizeof *s->input),
               .least = SIZE_MAX};
    if (!s->value || !s->input)
        set_free(s);
    return s->value != NULL;
}

/* Ends a input whose values were put behind value[used]. */
static void set_end_input(set *s, size_t count)
{
    if (count == 0)
        return;
    s->input[s->inputs++] = (group){s->used, count, s->value[s->used]};
    s->least = count < s->least ? count : s->least;
    s->used += count;
}

static int by_key(const void *a, const void *b)
{
    return by_value(&((const group *)a)->key, &((const group *)b)->key);
}

/* Times, or with `logarithms` their logarithms, from inputs from which `other` ran, too (NULL: all). */
static bool set_of(set *s, const ordo_times *t, const ordo_times *other, bool logarithms)
{
    if (!set_make(s, t))
        return false;
    for (size_t input = 0; input < t->inputs; input++) {
        size_t count = 0;
        bool counts = !other;
        for (size_t r = 0; !counts && r < other->rounds; r++)
            counts = !isnan(other->at[r * other->inputs + input]);
        for (size_t r = 0; counts && r < t->rounds; r++) {
            double seconds = t->at[r * t->inputs + input];
            if (!isnan(seconds))
                s->value[s->used + count++] = logarithms ? log(seconds) : seconds;
        }
        set_end_input(s, count);
    }
    qsort(s->input, s->inputs, sizeof *s->input, by_key);
    return true;
}

/* Logarithms of the ratio of two times from the same input in the same round. */
static bool set_of_pairs(set *s, const ordo_times *base, const ordo_times *other)
{
    const size_t rounds = base->rounds < other->rounds ? base->rounds : other->rounds;
    if (!set_make(s, base))
        return false;
    for (size_t input = 0; input < base->inputs; input++) {
        size_t count = 0;
        for (size_t r = 0; r < rounds; r++) {
            double a = base->at[r * base->inputs + input], b = other->at[r * other->inputs + input];
            if (!isnan(a) && !isnan(b))
                s->value[s->used + count++] = log(a) - log(b);
        }
        set_end_input(s, count);
    }
    qsort(s->input, s->inputs, sizeof *s->input, by_key);
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

typedef enum over_inputs { MEDIAN, MEAN } over_inputs;

/* The value of a set, or, with the state of a random generator, of a resampled one. scratch: as many as values. */
static double value_of(const set *s, over_inputs how, uint64_t *random, double *scratch, double *by_input)
{
    double sum = 0;
    for (size_t i = 0; i < s->inputs; i++) {
        size_t input = random && s->inputs >= ORDO_MIN_INPUTS ? random_below(random, s->inputs) : i;
        const double *value = s->value + s->input[input].first;
        size_t count = s->input[input].count;
        for (size_t k = 0; k < count; k++)
            scratch[k] = value[random ? random_below(random, count) : k];
        by_input[i] = ordo_median(scratch, count);
        sum += by_input[i];
    }
    return how == MEAN ? sum / (double)s->inputs : ordo_median(by_input, s->inputs);
}

static bool has_interval(const set *s)
{
    return s->inputs > 0 && (s->least >= ORDO_MIN_VALUES || s->inputs >= ORDO_MIN_INPUTS);
}

/* The interval of sorted replicates. */
static void set_interval(ordo_estimate *e, double *replicates)
{
    const size_t tail = ORDO_RESAMPLES / 40; /* 2.5 % */
    qsort(replicates, ORDO_RESAMPLES, sizeof *replicates, by_value);
    e->known = true;
    e->low = replicates[tail];
    e->high = replicates[ORDO_RESAMPLES - 1 - tail];
}

/* The value of `a`, or with `b` of b less that of a. */
static ordo_estimate estimate_sets(const set *a, const set *b, over_inputs how, bool interval, double *replicates)
{
    const size_t longest = a->used, other = b ? b->used : 0;
    double *scratch = malloc((2 * (longest + other) + ORDO_RESAMPLES + 1) * sizeof *scratch);
    double *by_input = scratch ? scratch + longest + other : NULL, *own = scratch ? by_input + longest + other : NULL;
    ordo_estimate e = {.value = NAN};
    if (!scratch || !a->inputs || (b && !b->inputs)) {
        free(scratch);
        return e;
    }
    e.value = value_of(a, how, NULL, scratch, by_input) - (b ? value_of(b, how, NULL, scratch, by_input) : 0);
    if (interval && has_interval(a) && (!b || has_interval(b))) {
        uint64_t random = 1;
        for (int i = 0; i < ORDO_RESAMPLES; i++)
            own[i] =
                value_of(a, how, &random, scratch, by_input) - (b ? value_of(b, how, &random, scratch, by_input) : 0);
        if (replicates)
            memcpy(replicates, own, ORDO_RESAMPLES * sizeof *own);
        set_interval(&e, own);
    }
    free(scratch);
    return e;
}

/* ---- the calls ---- */

double ordo_time_on(const ordo_times *t, size_t input)
{
    double *values = malloc((t->rounds + 1) * sizeof *values), result = NAN;
    size_t count = 0;
    for (size_t r = 0; values && r < t->rounds; r++)
        if (!isnan(t->at[r * t->inputs + input]))
            values[count++] = t->at[r * t->inputs + input];
    if (count)
        result = ordo_median(values, count);
    free(values);
    return result;
}

ordo_estimate ordo_estimate_time(const ordo_times *t, bool interval)
{
    set s;
    ordo_estimate e = {.value = NAN};
    if (set_of(&s, t, NULL, false))
        e = estimate_sets(&s, NULL, MEDIAN, interval, NULL);
    set_free(&s);
    return e;
}

static ordo_estimate from_logarithms(ordo_estimate e)
{
    return (ordo_estimate){.value = exp(e.value), .known = e.known, .low = exp(e.low), .high = exp(e.high)};
}

ordo_estimate ordo_estimate_ratio(const ordo_times *base, const ordo_times *other, bool interval, double *replicates)
{
    set a = {0}, b = {0};
    ordo_estimate e = {.value = NAN};
    bool made = set_of_pairs(&a, base, other);
    if (made && a.inputs) {
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

ordo_estimate ordo_combine_ratios(const ordo_estimate *ratio, double *const *replicates, size_t count)
{
    double *mean = calloc(ORDO_RESAMPLES, sizeof *mean);
    ordo_estimate e = {.value = 0};
    bool known = mean && count > 0;
    for (size_t i = 0; i < count; i++) {
        e.value += log(ratio[i].value) / (double)count;
        known = known && ratio[i].known;
        for (int k = 0; k < ORDO_RESAMPLES && known; k++)
            mean[k] += replicates[i][k] / (double)count;
    }
    if (known)
        set_interval(&e, mean);
    free(mean);
    return from_logarithms(e);
}
