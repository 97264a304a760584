/* owner.h -- owner-computes for critical operators: exclusive ownership without locks or atomics.
 *
 * Targets are split into as many contiguous parts as there are owners (members, at most ORDO_MAX_OWNERS). Requests are
 * posted to a bin of the posting member, one bin for each pair of owners that their targets belong to, and are served
 * in phases that a barrier separates:
 *   phase 0        owner a serves all requests whose targets are all a's;
 *   phase 1 .. P-1 owners are paired off as in a round-robin tournament (the circle method): in each phase every owner
 *                  has at most one partner, over all phases every pair meets once, and the smaller of a pair serves the
 *                  requests between the two.
 * Invariant: within a phase every part of the targets is touched by one member only, and what earlier phases wrote is
 * visible through the barrier. No request waits for more than one tournament; order is fixed by owner, poster and time
 * of posting, so that a run with the same number of members does the same thing. (Single-writer policy: Nasre,
 * Burtscher and Pingali 2013, section 5; two-owner requests by pairs of owners instead of race-and-resolve.)
 *
 * Included by <ordo/cpu.h>; the template part expects ORDO_OP of a critical operator.
 */
#ifndef ORDO_OWNER_H
#define ORDO_OWNER_H

#include <ordo/scheduler.h>

ORDO_BEGIN_DECLS

enum { ORDO_MAX_OWNERS = 32 };

typedef struct ordo_owners {
    ordo_job *job;
    int count;      /* owners: members 0 .. count-1 */
    ordo_u64 part;  /* targets an owner */
    ordo_bin *bins; /* [threads][count * count], of ordo_request; [a * count + b] with a <= b is used */
} ordo_owners;

ORDO_API ordo_status ordo_owners_make(ordo_job *job, ordo_owners *owners);
ORDO_API void ordo_owners_free(ordo_owners *owners);
/* By the member itself, before ordo_owners_serve. */
ORDO_API void ordo_owners_post(ordo_owners *owners, int member, const ordo_request *request);
/* Whom owner a meets in phase p (1 .. phases-1): itself or a number >= count where it sits out. */
ORDO_API int ordo_owners_partner(int count, int a, int phase);
/* Phases of a tournament, phase 0 included. */
static inline int ordo_owners_phases(int count)
{
    return count < 2 ? 1 : count + (count & 1);
}

ORDO_END_DECLS

#endif

#ifdef OP
/* Serves all requests posted since the last call; returns how many items that activated. Every member calls it; it
 * starts and ends with a barrier. */
ORDO_INLINE ordo_u64 OP(owners_serve)(ordo_owners *owners, int member, ordo_counters *count, OP(sink) push, void *arg)
{
    ordo_job *job = owners->job;
    const int size = owners->count, phases = ordo_owners_phases(size);
    ordo_u64 all = 0;
    for (int phase = 0; phase < phases; phase++) {
        ordo_team_barrier(job->team);
        if (member >= size)
            continue;
        int other = phase ? ordo_owners_partner(size, member, phase) : member;
        if (other < member || other >= size || (phase && other == member))
            continue;
        for (int t = 0; t < job->threads; t++) {
            ordo_bin *bin = &owners->bins[(t * size + member) * size + other];
            for (ordo_u64 i = 0; i < bin->count; i++) {
                ordo_activation activated[OP(activations) + 1];
                ordo_u32 activations = OP(run_section)(job, (const ordo_request *)bin->data + i, activated, count);
                OP(push_activated)(activated, activations, push, arg);
                all += activations;
            }
            bin->count = 0; /* its poster posts again only behind the last barrier */
        }
    }
    ordo_team_barrier(job->team);
    return all;
}
#endif
