/* adds/pace.h -- delta and the number of buckets dequeued at once: section 5.7, the same on both back ends.
 *
 * Two signals, looked at once an epoch. The *clip point*: more than a share `clip` of what was pushed went to the tail
 * bucket, so delta is too small for the circle of buckets; it doubles, and what it was is never gone below again.
 * *Utilisation*, the share of the workers' hands that is full: too low, and more buckets are dequeued from at once,
 * then delta doubles, if more waits in other buckets than hands are full of then (Ordo's own: where nothing waits, as
 * at the start, a wider bucket has no more to do); too high, the other way. Delta moves on the mean of several epochs
 * and not before `settle` head switches have passed since it last did, because the buckets must have filled under it
 * before its effect shows. It does not halve where a bucket holds less than is worth a head switch (Ordo's own: a few
 * threads are always utilised).
 */
#ifndef ORDO_ADDS_PACE_H
#define ORDO_ADDS_PACE_H

#include <stdbool.h>

#include <ordo/types.h>

/* Fixed for a run. */
typedef struct adds_pace_rules {
    bool dynamic;
    ordo_u32 concurrent_min, concurrent_max;
    ordo_u32 settle;                  /* head switches */
    double clip, util_low, util_high; /* shares */
    double util_more;                 /* below it more buckets are dequeued from at once; at least util_low */
    double delta_max;
    ordo_u64 worth; /* pushes a head switch, at least, for a smaller delta */
} adds_pace_rules;

typedef struct adds_pace {
    double delta, delta_min;
    double util_mean;    /* over epochs; below 0: none yet */
    ordo_u64 settled_at; /* delta may change from this switch on */
    ordo_u64 switches;   /* at the end of the last epoch */
    ordo_u32 concurrent;
    bool skip; /* the epoch that ends next has seen two deltas */
} adds_pace;

ORDO_FN bool adds_pace_set(const adds_pace_rules *r, adds_pace *p, double delta, ordo_u64 switches)
{
    if (delta < p->delta_min || delta > r->delta_max)
        return false;
    p->delta = delta;
    p->skip = true;
    p->settled_at = switches + r->settle;
    return true;
}

/* The end of an epoch in which `pushes` were pushed, `tail_pushes` of them to the tail: N of the thesis. `waiting`:
 * what is in buckets that are not dequeued from, as a share of the hands. Returns whether delta is another one now. */
ORDO_FN bool adds_pace_epoch(const adds_pace_rules *r, adds_pace *p, ordo_u64 pushes, ordo_u64 tail_pushes, double util,
                             double waiting, ordo_u64 switches)
{
    const ordo_u64 passed = switches - p->switches;
    p->switches = switches;
    p->util_mean = p->util_mean < 0 ? util : 0.75 * p->util_mean + 0.25 * util;
    if (!r->dynamic)
        return false;
    if (p->skip) {
        p->skip = false;
        p->util_mean = -1;
        return false;
    }
    bool settled = switches >= p->settled_at;
    if (pushes && (double)tail_pushes > r->clip * (double)pushes) { /* at the clip point: the bound from now on */
        double bound = 2 * p->delta;
        if (!adds_pace_set(r, p, bound, switches))
            return false;
        p->delta_min = bound;
        return true;
    }
    if (util < r->util_more) {
        if (p->concurrent < r->concurrent_max)
            p->concurrent++;
        else if (settled && util < r->util_low && p->util_mean < r->util_low && waiting > r->util_low)
            return adds_pace_set(r, p, 2 * p->delta, switches);
    } else if (util > r->util_high) {
        if (p->concurrent > r->concurrent_min)
            p->concurrent--;
        else if (settled && p->util_mean > r->util_high && pushes >= r->worth * passed)
            return adds_pace_set(r, p, p->delta / 2, switches);
    }
    return false;
}

#endif
