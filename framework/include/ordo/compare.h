/**
 * @file
 * Comparing schedulers, syncs and settings: the same runs under each, in random order, with confidence intervals.
 *
 * A *contender* is a scheduler with a sync and settings. An *input* is what all contenders run on, such as a source on
 * a graph. Runs are made in rounds: in a round every contender runs once on every input, in a random order that is
 * drawn anew, so that neither changes of the machine's speed nor the run before favour one of them. `ordo compare` and
 * `ordo tune` are made of this call (docs/comparing.md).
 *
 * Statistics: the time of a contender is the median over the inputs of the median of its times on each. Speed-ups over
 * the baseline are paired: each is the ratio of two times of the same round and input, so what slows down both does not
 * count. Intervals are percentile bootstrap intervals of 95 % (Efron and Tibshirani, An Introduction to the Bootstrap,
 * 1993, chapter 13). They need 5 rounds, or 5 inputs.
 */
#ifndef ORDO_COMPARE_H
#define ORDO_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include <ordo/run.h>

ORDO_BEGIN_DECLS

/** A value with its interval of 95 %. */
typedef struct ordo_estimate {
    double value; /**< NaN where there is no observation */
    bool known;   /**< whether there is an interval */
    double low;   /**< where the interval begins, if known */
    double high;  /**< where it ends, if known */
} ordo_estimate;

/** One of those that are compared. Strings and arrays are the caller's and must live as long as the call. */
typedef struct ordo_contender {
    const char *label;    /**< names it in sentences; NULL: its scheduler */
    ordo_options options; /**< how it runs; NULL and 0 mean as in ordo_run() */
    ordo_u64 reserved[2]; /**< 0 */
} ordo_contender;

/** A run that is to be made. */
typedef struct ordo_compare_turn {
    size_t contender;            /**< index */
    size_t input;                /**< index */
    size_t round;                /**< counts from 0; of runs to warm up: 0 */
    bool warms_up;               /**< the run's time is not counted */
    const ordo_options *options; /**< those of the contender */
} ordo_compare_turn;

/**
 * Makes a run and checks its answer.
 * @param arg    ordo_compare_plan::arg
 * @param turn   which run
 * @param stats  [out] zeroed before, freed by the caller of this function; run_seconds and transfer_seconds are the
 * time
 * @return ORDO_OK. ORDO_ERR_VERIFY: the answer is wrong; its time is kept, the contender is marked and others go on.
 *         ORDO_ERR_UNSOUND, ORDO_ERR_MEMORY, ORDO_ERR_TIMEOUT: the contender is left out from here on. Anything else
 *         ends the comparison with this status. ordo_last_error() has the sentence
 */
typedef ordo_status ordo_compare_run_fn(void *arg, const ordo_compare_turn *turn, ordo_stats *stats);

/**
 * Checks the cells after a contender's first run on an input. Later runs must give the same cells, bit for bit.
 * @param arg    ordo_compare_plan::arg
 * @param input  index
 * @param work   the work of that input; its cells hold the answer
 * @return ORDO_OK, or ORDO_ERR_VERIFY by ordo_fail() where the answer is wrong
 */
typedef ordo_status ordo_compare_check_fn(void *arg, size_t input, const ordo_work *work);

/** What a contender came to. */
typedef struct ordo_compare_row {
    ordo_status status;      /**< why it was left out; ORDO_ERR_VERIFY: an answer was wrong; else ORDO_OK */
    char reason[512];        /**< the sentence of `status`; else "" */
    size_t runs;             /**< counted runs */
    const char *scheduler;   /**< as used in the last run; static; NULL where none was made */
    const char *sync;        /**< likewise */
    ordo_estimate seconds;   /**< time of a run */
    ordo_estimate speedup;   /**< how many times as fast as the baseline; of the baseline: 1, without an interval */
    double items;            /**< items processed, the mean of a run */
    double edges;            /**< edges looked at, the mean of a run */
    ordo_u64 worklist_bytes; /**< the most that worklists held */
    ordo_u64 reserved[4];    /**< set to 0; what is added later takes their place */
} ordo_compare_row;

/** What a speed-up says. */
typedef enum ordo_verdict {
    ORDO_VERDICT_UNKNOWN, /**< too few runs for an interval */
    ORDO_VERDICT_SAME,    /**< the interval holds 1: no measurable difference */
    ORDO_VERDICT_FASTER,  /**< all of the interval is above 1 */
    ORDO_VERDICT_SLOWER   /**< all of it is below 1 */
} ordo_verdict;

/**
 * What an interval of a speed-up says.
 * @param speedup  of ordo_compare_row
 * @return the verdict
 */
ORDO_API ordo_verdict ordo_compare_verdict(const ordo_estimate *speedup);

/**
 * Looks at the rows after a round and decides whether there is another.
 * @param arg     ordo_compare_plan::arg
 * @param rows    [contender_count] with statistics of all runs so far
 * @param rounds  finished
 * @return whether the comparison is to end here
 */
typedef bool ordo_compare_enough_fn(void *arg, const ordo_compare_row *rows, size_t rounds);

/** What to compare. Members that are 0 or NULL have the meaning that is given for them. */
typedef struct ordo_compare_plan {
    const ordo_contender *contenders; /**< [contender_count] */
    size_t contender_count;           /**< at least 1 */
    size_t baseline;                  /**< the contender that speed-ups refer to; where it cannot run, the first that
                                       * can */
    size_t input_count;               /**< at least 1 */

    const ordo_work *works; /**< [input_count] relax operators: the runs. Cells hold what each run begins with, and
                             * hold it again when the call returns. NULL: `run` makes the runs */
    ordo_compare_check_fn *check; /**< with `works`; NULL: the contenders' cells are compared with each other alone */
    ordo_compare_run_fn *run;     /**< makes the runs where `works` is NULL: of apps, of critical operators */
    void *arg;                    /**< the first argument of the functions */

    int rounds;                     /**< 0: 7 */
    int warmup;                     /**< runs of each contender that are not counted, on the first input. 0: 1;
                                     * negative: none */
    double adaptive;                /**< after `rounds`, seconds for which more rounds are made, until every interval
                                     * ends within 2 % of its value */
    ordo_compare_enough_fn *enough; /**< NULL: `rounds` and `adaptive` decide. Else it is asked after each round, up to
                                     * `rounds` */
    ordo_u64 seed;                  /**< of the order of runs */
    const volatile int *cancel;     /**< nonzero ends the comparison between two runs; to end a run as well, put it into
                                     * the options of the contenders */
    ordo_u64 reserved[6];           /**< 0; what is added later takes their place */
} ordo_compare_plan;

/**
 * Compares contenders.
 * @param plan  what to compare
 * @param rows  [out] [contender_count]; also filled, from the runs that were made, on ORDO_ERR_CANCELLED,
 *              ORDO_ERR_VERIFY and where `run` failed
 * @return ORDO_OK, also where contenders were left out. ORDO_ERR_USAGE for a plan that is malformed, or the same label
 *         twice; ORDO_ERR_VERIFY where an answer was wrong (the first one); ORDO_ERR_MEMORY; ORDO_ERR_CANCELLED; what
 *         ended the comparison (ordo_compare_run_fn). Where no contender can run: why the first cannot
 */
ORDO_API ordo_status ordo_compare(const ordo_compare_plan *plan, ordo_compare_row *rows);

ORDO_END_DECLS

#endif
