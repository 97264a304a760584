/* bucket.h -- from a priority to the number of a bucket of a given width.
 *
 * Schedulers subtract a base from priorities first; priorities below 0 after that are in bucket 0.
 */
#ifndef ORDO_SCHEDULER_BUCKET_H
#define ORDO_SCHEDULER_BUCKET_H

#include <ordo/detail/cpu/base.h>

/* The default bucket width, in units of mean weight over mean degree, for schedulers that process buckets in order;
 * `asked`, the value of a tunable, where it is not 0. Deep graphs of small degree need wide buckets, graphs with hubs
 * narrow ones (measured: docs/lab/index.md). */
ORDO_INLINE double ordo_bucket_factor(const ordo_job *job, double asked)
{
    if (asked > 0)
        return asked;
    return job->mean_degree < 4 ? 8 : job->mean_degree < 8 ? 3 : 0.5;
}

/* The bucket width for an operator that declares `own`: that, but several levels where priorities are levels and a
 * search has many of them (a guess, ordo_job_levels). A superstep for each level would consist of its barrier; in a
 * bucket of 16 some vertices are expanded before their level is known, up to 10 % more edges (measured:
 * docs/lab/index.md). */
ORDO_INLINE double ordo_bucket_levels(const ordo_job *job, double own)
{
    if (own != 1 || !(job->op->properties & ORDO_UNIFORM))
        return own;
    const double width = ordo_job_levels(job) / 64;
    return width < 1 ? 1 : width > 16 ? 16 : (double)(int)width;
}

/* Whether a bucket is one level (once job->delta_first is set): nothing that is activated is in the same one. */
ORDO_INLINE bool ordo_bucket_is_level(const ordo_job *job)
{
    return job->op->properties & ORDO_UNIFORM && job->delta_first <= 1;
}

/* The bucket of a priority; `per_delta` is 1 / width. Monotone in the priority. Negative priorities and NaN are in
 * bucket 0, priorities beyond 4e18 widths in ORDO_FAR_BUCKET. */
#define ORDO_FAR_BUCKET ((ordo_u64)1 << 62)
ORDO_INLINE ordo_u64 ordo_bucket(double priority, double per_delta)
{
    double b = priority * per_delta;
    if (!(b > 0))
        return 0;
    return b < 4e18 ? (ordo_u64)b : ORDO_FAR_BUCKET;
}

#endif
