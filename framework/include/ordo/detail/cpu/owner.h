/* owner.h -- owner-computes for critical operators: exclusive ownership without locks or atomics.
 *
 * Problem. Critical sections of one target must run one after the other; those of different targets should run in
 * parallel.
 *
 * Method. An owner is a member of the team (at most ORDO_MAX_OWNERS are). Targets are split into contiguous parts, one
 * for each owner. A member posts a request to one of its bins; it has a bin for each pair of owners that the two
 * targets of a request can belong to. Requests then run in phases, separated by barriers:
 *   phase 0         owner a runs the requests whose targets all belong to a;
 *   phase 1 .. P-1  owners are paired as in a round-robin tournament, by the circle method: in each phase every owner
 *                   has at most one partner, and over all phases every pair is formed once. The owner with the smaller
 *                   number runs the requests of the pair.
 * Invariant: within a phase every part of the targets is read and written by one member only, and what earlier phases
 * wrote is visible through the barrier. Every request runs in the first tournament after it was posted. Requests run in
 * the order of owner, posting member and posting, so runs with the same number of members make the same updates.
 * (Single-writer policy: Nasre, Burtscher and Pingali 2013, section 5; here pairs of owners run two-owner requests,
 * instead of race-and-resolve.)
 *
 * Not done: load balancing. All parts have the same number of targets, however many requests these get.
 *
 * Included by <ordo/scheduler/cpu.h>. The template part at the end expects ORDO_OP, the name of a critical operator.
 */
#ifndef ORDO_OWNER_H
#define ORDO_OWNER_H

#include <ordo/scheduler/scheduler.h>

ORDO_BEGIN_DECLS

enum { ORDO_MAX_OWNERS = 32 };

typedef struct ordo_owners {
    ordo_job *job;
    int count;      /* number of owners, which are members 0 .. count - 1 */
    ordo_u64 part;  /* number of targets of an owner */
    ordo_bin *bins; /* [threads][count * count] bins of ordo_request; those at [a * count + b] with a <= b are used */
} ordo_owners;

/* Sets up the owners of a job. Called by the thread that runs the job. To be freed by ordo_owners_free. Errors:
 * ORDO_ERR_MEMORY. */
ORDO_API ordo_status ordo_owners_make(ordo_job *job, ordo_owners *owners);
/* Frees the memory of ordo_owners_make and of posted requests. Also called after an error of ordo_owners_make. */
ORDO_API void ordo_owners_free(ordo_owners *owners);
/* Posts a copy of a request. Called by `member` itself, before op_owners_serve. If memory is short, the run is stopped.
 */
ORDO_API void ordo_owners_post(ordo_owners *owners, int member, const ordo_request *request);
/* The partner of owner a in a phase, 1 .. phases - 1; a itself or a number >= count if a has none in this phase. */
ORDO_API int ordo_owners_partner(int count, int a, int phase);
/* Number of phases of a tournament, including phase 0. */
static inline int ordo_owners_phases(int count)
{
    return count < 2 ? 1 : count + (count & 1);
}

ORDO_END_DECLS

#endif

#ifdef ORDO_OP
/* Runs all requests posted since the last call; returns the number of items that they activated. All members call it
 * together; it begins and ends with a barrier. If the run ends early, the remaining requests are dropped, but every
 * member still takes part in every barrier. */
ORDO_INLINE ordo_u64 op_owners_serve(ordo_owners *owners, int member, ordo_counters *count, op_sink push, void *arg)
{
    ordo_job *job = owners->job;
    const int size = owners->count, phases = ordo_owners_phases(size);
    ordo_u64 all = 0;
    for (int phase = 0; phase < phases; phase++) {
        ordo_member_barrier(job, member);
        if (member >= size)
            continue;
        int other = phase ? ordo_owners_partner(size, member, phase) : member;
        if (other < member || other >= size || (phase && other == member))
            continue;
        for (int t = 0; t < job->threads; t++) {
            ordo_bin *bin = &owners->bins[(t * size + member) * size + other];
            for (ordo_u64 i = 0; i < bin->count; i++) {
                if (i % ORDO_POLL_BATCH == 0 && !ordo_go_on(job, count, i ? ORDO_POLL_BATCH : 1))
                    break;
                ordo_activation activated[op_activations + 1];
                ordo_u32 activations = op_run_commit(job, (const ordo_request *)bin->data + i, activated, count);
                op_push_activated(activated, activations, push, arg);
                all += activations;
            }
            bin->count = 0; /* no race: its member posts again only after the last barrier */
        }
    }
    ordo_member_barrier(job, member);
    return all;
}
#endif
