/* residual.h -- gather operators on a worklist: what the adapters of both devices share.
 * Included by <ordo/detail/cpu/residual.h> and <ordo/detail/cuda/residual.cuh>, after the operator.
 *
 * Problem. An adapter says what a residual is worth as an entry, and when a run ends. Both are the same wherever
 * vertices are computed.
 *
 * Method. Residuals that are at most the threshold are left; each RESIDUAL_DOUBLINGS doublings above it are a level.
 * The priority is the residual for each edge out, in doublings, the greatest first. A run is passes: the worklist at a
 * threshold until no entry is left, then a round of all vertices, double-buffered, which measures the change. If that
 * is more than the tolerance, which rounding or an influence that is declared too low can cause, the next pass has a
 * quarter of the threshold. So influences decide the time, and never the answer.
 *
 * Rounding. A round may add up a row in another order than the worklist does (a GPU's lanes share rows). Where the
 * tolerance is no more than what that changes, as 0 is for sums of f64, every pass finds that residuals are 0, and
 * every round that cells change by an ulp. Such a run ends by its budget, as one in rounds does whose change never
 * falls that low.
 */
#ifndef ORDO_DETAIL_RESIDUAL_H
#define ORDO_DETAIL_RESIDUAL_H

#include <ordo/scheduler/scheduler.h>

enum { RESIDUAL_DOUBLINGS = 6, RESIDUAL_HIGHEST = 1025 + 64 };

/* What a pass may do. */
typedef struct op_residual_limits {
    double per_threshold; /* 1 / the residual that is left */
    ordo_u64 budget;      /* items that may be computed */
} op_residual_limits;

/* How many doublings a residual is above the threshold, rounded up: 0 if it is not above. */
ORDO_FN int op_residual_doublings(double per_threshold, double residual)
{
    const double ratio = residual * per_threshold;
    ordo_u64 bits;
    __builtin_memcpy(&bits, &ratio, sizeof bits);
    return ratio > 1 ? (int)(bits >> 52) - 1022 : 0;
}

ORDO_FN int op_residual_steps(double per_threshold, double residual)
{
    return (op_residual_doublings(per_threshold, residual) + RESIDUAL_DOUBLINGS - 1) / RESIDUAL_DOUBLINGS;
}

/* In doublings, the best gain for its cost first: the residual for each edge out. */
ORDO_FN double op_residual_priority(int doublings, ordo_u64 edges)
{
    return (double)(RESIDUAL_HIGHEST - doublings - (int)ordo_leading_zeros_u64(edges + 1));
}

/* The width of a bucket, in doublings. Wide: the more residual a vertex waits for, the less often it is computed. */
ORDO_FN double op_delta(double n, double m)
{
    (void)n;
    (void)m;
    return 12;
}

#ifdef __CUDACC__
#define ORDO_RESIDUAL_HOST static inline
#else
#define ORDO_RESIDUAL_HOST static inline __attribute__((always_inline, unused))
#endif

/* A run under a scheduler whose ordo_instance.run is `run_job`. `pass` runs the worklist at the limits, takes what it
 * has computed off the budget, and then runs the round. ORDO_GATHER_ROUNDS bounds how many items are computed, those of
 * so many rounds; what is left of it for the worklist is less by the round that measures. So a run that ends by it may
 * leave up to a round's items of it: those that the round behind another pass would need. */
ORDO_RESIDUAL_HOST ordo_status op_residual_passes(ordo_job *job, ordo_status (*run_job)(ordo_job *),
                                                  op_residual_limits *limits,
                                                  ordo_status (*pass)(ordo_job *, ordo_status (*)(ordo_job *)))
{
    const op_state *state = (const op_state *)job->state;
    const double n = (double)job->num_items, tolerance = op_tolerance(state);
    const bool greatest = !(op_join_changes(1, 1) > 1);
    const double all_of_it = greatest || n < 1 ? tolerance : tolerance / n;
    double threshold = 0.875 * all_of_it; /* less by what rounding may add */
    const ordo_u64 rounds = op_most_rounds(state), all = ~(ordo_u64)0;
    ordo_status status = ORDO_OK;
    limits->budget = rounds - 1 < all / (job->num_items + 1) ? (rounds - 1) * job->num_items : all;
    do {
        const ordo_u64 before = job->supersteps;
        /* Residuals below 2^-1000 are none. */
        limits->per_threshold = threshold > 0x1p-1000 ? 1 / threshold : 0x1p1000;
        status = pass(job, run_job);
        limits->budget -= job->num_items < limits->budget ? job->num_items : limits->budget;
        job->supersteps += before;
        threshold /= 4;
    } while (!status && !ordo_job_stopped(job) && job->change > tolerance && limits->budget > 0);
    return status;
}

#undef ORDO_RESIDUAL_HOST
#endif
