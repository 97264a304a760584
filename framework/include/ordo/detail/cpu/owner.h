/* owner.h -- owner-computes for critical operators: exclusive ownership without locks or atomics.
 *
 * Problem. Critical sections of different targets should run in parallel, and those of one target one after the other.
 *
 * Method. Targets are split into as many contiguous parts as there are owners (members, at most ORDO_MAX_OWNERS).
 * Requests are posted to a bin of the posting member, one bin for each pair of owners that their targets belong to, and
 * are run in phases that a barrier separates:
 *   phase 0         owner a runs all requests whose targets all belong to a;
 *   phase 1 .. P-1  owners are paired as in a round-robin tournament (the circle method): in each phase every owner has
 *                   at most one partner, and over all phases every pair is formed once. The smaller owner of a pair
 *                   runs the requests between the two.
 * Invariant: within a phase every part of the targets is read and written by one member only, and what earlier phases
 * wrote is visible through the barrier. No request waits for more than one tournament. The order is fixed by owner,
 * poster and order of posting, so a run with the same number of members does the same thing. (Single-writer policy:
 * Nasre, Burtscher and Pingali 2013, section 5; two-owner requests by pairs of owners instead of race-and-resolve.)
 *
 * Not done: balancing; parts are of equal numbers of targets, whatever their requests.
 *
 * Included by <ordo/scheduler/cpu.h>; the template part expects ORDO_OP of a critical operator.
 */
#ifndef ORDO_OWNER_H
#define ORDO_OWNER_H

#include <ordo/scheduler/scheduler.h>

ORDO_BEGIN_DECLS

enum { ORDO_MAX_OWNERS = 32 };

typedef struct ordo_owners {
    ordo_job *job;
    int count;      /* owners: members 0 .. count - 1 */
    ordo_u64 part;  /* targets of an owner */
    ordo_bin *bins; /* [threads][count * count], of ordo_request; [a * count + b] with a <= b is used */
} ordo_owners;

/* Sets up owners for a job, on the thread that runs it. To be freed by ordo_owners_free. Errors: ORDO_ERR_MEMORY. */
ORDO_API ordo_status ordo_owners_make(ordo_job *job, ordo_owners *owners);
/* Frees what ordo_owners_make and posting allocated; also after an error of ordo_owners_make. */
ORDO_API void ordo_owners_free(ordo_owners *owners);
/* Posts a copy of a request. By the member itself, before op_owners_serve. Where memory is short the run is stopped. */
ORDO_API void ordo_owners_post(ordo_owners *owners, int member, const ordo_request *request);
/* The partner of owner a in a phase (1 .. phases - 1); a itself or a number >= count where a has none. */
ORDO_API int ordo_owners_partner(int count, int a, int phase);
/* Phases of a tournament, phase 0 included. */
static inline int ordo_owners_phases(int count)
{
    return count < 2 ? 1 : count + (count & 1);
}

ORDO_END_DECLS

#endif

#ifdef ORDO_OP
/* Serves all requests posted since the last call; returns how many items that activated. Every member calls it; it
 * starts and ends with a barrier. Where the run ends early the rest is dropped, but no barrier is left out. */
ORDO_INLINE ordo_u64 op_owners_serve(ordo_owners *owners, int member, ordo_counters *count, op_sink push, void *arg)
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
                if (i % ORDO_POLL_BATCH == 0 && !ordo_go_on(job, count, i ? ORDO_POLL_BATCH : 1))
                    break;
                ordo_activation activated[op_activations + 1];
                ordo_u32 activations = op_run_commit(job, (const ordo_request *)bin->data + i, activated, count);
                op_push_activated(activated, activations, push, arg);
                all += activations;
            }
            bin->count = 0; /* the poster posts again only after the last barrier */
        }
    }
    ordo_team_barrier(job->team);
    return all;
}
#endif
