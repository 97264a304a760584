/* adds/params.h -- parameters of a run of `adds` that follow from its tunables, the same on both back ends. */
#ifndef ORDO_ADDS_PARAMS_H
#define ORDO_ADDS_PARAMS_H

#include <ordo/scheduler/scheduler.h>

#include "delta_controller.h"
#include "tunables.h"

static inline ordo_u32 adds_clamp(ordo_u32 x, ordo_u32 low, ordo_u32 high)
{
    return x < low ? low : x > high ? high : x;
}

/* The fewest items of an assignment: 32 over the mean degree, rounded up to a power of two. */
static inline ordo_u32 adds_grain_low(const ordo_job *job)
{
    if (job->tunable[ADDS_GRAIN_MIN] > 0)
        return (ordo_u32)job->tunable[ADDS_GRAIN_MIN];
    double degree = job->mean_degree > 1 ? job->mean_degree : 1;
    ordo_u32 low = 32;
    while (low > 1 && low / 2 >= 32 / degree)
        low /= 2;
    return low;
}

/* `concurrent`, the fewest buckets dequeued at once, and `util_high` are defaults, used if the tunables are not set. */
static inline adds_delta_params adds_delta_params_of(const ordo_job *job, double delta, ordo_u32 concurrent,
                                                     double util_high)
{
    const double *t = job->tunable;
    const ordo_u32 buckets = (ordo_u32)t[ADDS_BUCKETS];
    adds_delta_params r;
    r.dynamic = t[ADDS_DYNAMIC] > 0;
    concurrent = t[ADDS_CONCURRENT_MIN] > 0 ? (ordo_u32)t[ADDS_CONCURRENT_MIN] : concurrent;
    r.concurrent_min = adds_clamp(concurrent, 1, buckets - 1);
    r.concurrent_max = adds_clamp((ordo_u32)t[ADDS_CONCURRENT_MAX], r.concurrent_min, buckets - 1);
    r.cooldown = (ordo_u32)t[ADDS_COOLDOWN];
    r.clip = t[ADDS_CLIP];
    r.util_low = t[ADDS_UTIL_LOW];
    r.util_high = t[ADDS_UTIL_HIGH] > 0 ? t[ADDS_UTIL_HIGH] : util_high;
    r.util_more = r.util_low;
    r.delta_max = delta * 1073741824.0;
    r.worth = 0;
    return r;
}

static inline adds_delta_controller adds_delta_controller_of(const ordo_job *job, const adds_delta_params *r,
                                                             double delta)
{
    adds_delta_controller p;
    p.delta = delta;
    p.delta_min = delta / 1073741824.0;
    if (job->op->cell != ORDO_F32 && job->op->cell != ORDO_F64 && p.delta_min < 1)
        p.delta_min = delta < 1 ? delta : 1;
    p.util_mean = 0;
    p.cooldown_until = p.switches = 0;
    p.concurrent = r->concurrent_min;
    p.skip = false;
    return p;
}

#endif
