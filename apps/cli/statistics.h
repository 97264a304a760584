/* statistics.h -- medians, ratios and geometric means of times, with bootstrap confidence intervals.
 *
 * Problem. Times of runs vary, by source and by round, and a difference between two schedulers may be chance.
 *
 * Method. Runs are made in rounds: in each round every scheduler runs from every source. The observations of one
 * scheduler are a set: values by source. A set's value is the median, or the mean, over its sources of the median of
 * the source's values. The ratio of two schedulers is paired: the values are the logarithms of the ratio of their times
 * in the same round from the same source, so what slows down both does not count. Schedulers that never ran in the same
 * round (of two saved comparisons) are compared from the same sources, unpaired.
 *
 * Intervals are percentile bootstrap intervals (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter
 * 13) of 95 %: a set is resampled with replacement, a source's values among themselves; from MIN_SOURCES sources on,
 * the sources, too, so that the interval speaks of other sources as well. Few observations give no interval: MIN_VALUES
 * of each source are needed, or MIN_SOURCES sources. With five values the interval of a median is their range. All is
 * deterministic.
 *
 * Not done: corrections for comparing many schedulers at once.
 */
#ifndef ORDO_CLI_STATISTICS_H
#define ORDO_CLI_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

enum { RESAMPLES = 1000, MIN_VALUES = 5, MIN_SOURCES = 5 };

/* Times of one scheduler. */
typedef struct times {
    double *at; /* [rounds * sources] seconds, by round and source; NaN where there was no run */
    size_t sources, rounds;
} times;

/* A value with its interval of 95 %. */
typedef struct estimate {
    double value;     /* NaN where there is no observation */
    bool known;       /* whether there is an interval */
    double low, high; /* if known */
} estimate;

/* Sorts the values as a side effect; count > 0. */
double median_of(double *values, size_t count);
/* A scheduler's time from a source: the median over rounds; NaN where it did not run. */
double time_from(const times *t, size_t source);
/* The median over sources of the times from each. `interval`: whether to compute one, which takes about RESAMPLES times
 * as long. Short of memory there is none. */
estimate estimate_time(const times *t, bool interval);
/* How many times as fast `other` is as `base`: the geometric mean over the sources from which both ran. `replicates`:
 * NULL, or [RESAMPLES] the logarithms of the ratios of the resampled sets, for combine_ratios(). */
estimate estimate_ratio(const times *base, const times *other, bool interval, double *replicates);
/* The geometric mean of ratios on several graphs, from estimate_ratio; replicates[i] of those that are `known`. */
estimate combine_ratios(const estimate *ratio, double *const *replicates, size_t count);

#endif
