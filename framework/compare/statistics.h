/* statistics.h -- medians, ratios and geometric means of times, with bootstrap confidence intervals.
 *
 * Problem. Times of runs vary, by input and by round, and a difference between two schedulers may be chance.
 *
 * Method. Runs are made in rounds: in each round every scheduler runs on every input, such as a source. The
 * observations of one scheduler are a set: values by input. A set's value is the median, or the mean, over its inputs
 * of the median of the input's values. The ratio of two schedulers is paired: the values are the logarithms of the
 * ratio of their times in the same round on the same input, so what slows down both does not count. Schedulers that
 * never ran in the same round (of two saved comparisons) are compared on the same inputs, unpaired.
 *
 * Intervals are percentile bootstrap intervals (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter
 * 13) of 95 %: a set is resampled with replacement, an input's values among themselves; from ORDO_MIN_INPUTS inputs on,
 * the inputs, too, so that the interval speaks of other inputs as well. Few observations give no interval:
 * ORDO_MIN_VALUES of each input are needed, or ORDO_MIN_INPUTS inputs. With five values the interval of a median is
 * their range. All is deterministic.
 *
 * Not done: corrections for comparing many schedulers at once.
 */
#ifndef ORDO_STATISTICS_H
#define ORDO_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include <ordo/compare.h>

ORDO_BEGIN_DECLS

enum { ORDO_RESAMPLES = 1000, ORDO_MIN_VALUES = 5, ORDO_MIN_INPUTS = 5 };

/* Times of one scheduler. */
typedef struct ordo_times {
    double *at; /* [rounds * inputs] seconds, by round and input; NaN where there was no run */
    size_t inputs, rounds;
} ordo_times;

/* Extends the array to `rounds` rounds of `inputs` inputs; new times are NaN. False: not enough memory. To be freed by
 * free(at). */
ORDO_API bool ordo_times_grow(ordo_times *t, size_t rounds, size_t inputs);
/* Sets the time of a run, which the array must hold. What the clock does not tell from 0 counts as 1 ns: ratios need
 * times above 0. */
ORDO_API void ordo_times_set(ordo_times *t, size_t round, size_t input, double seconds);

/* Sorts the values as a side effect; count > 0. */
ORDO_API double ordo_median(double *values, size_t count);
/* A scheduler's time on an input: the median over rounds; NaN where it did not run. */
ORDO_API double ordo_time_on(const ordo_times *t, size_t input);
/* The median over inputs of the times on each. `interval`: whether to compute one, which takes about ORDO_RESAMPLES
 * times as long. Short of memory there is none. */
ORDO_API ordo_estimate ordo_estimate_time(const ordo_times *t, bool interval);
/* How many times as fast `other` is as `base`: the geometric mean over the inputs on which both ran. `replicates`:
 * NULL, or [ORDO_RESAMPLES] the logarithms of the ratios of the resampled sets, for ordo_combine_ratios(). */
ORDO_API ordo_estimate ordo_estimate_ratio(const ordo_times *base, const ordo_times *other, bool interval,
                                           double *replicates);
/* The geometric mean of ratios on several graphs, from ordo_estimate_ratio; replicates[i] of those that are `known`. */
ORDO_API ordo_estimate ordo_combine_ratios(const ordo_estimate *ratio, double *const *replicates, size_t count);

ORDO_END_DECLS

#endif
