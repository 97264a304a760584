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
 * Requests of more than two targets have no phase of two owners in which to run. They run by race-and-resolve (section
 * 5 of the same paper, its AND form), with priorities: in rounds, separated by barriers, claim     every member claims
 * all targets of its pending requests: an atomic minimum of the target's word and the request's key; resolve   a
 * request wins that finds its key in the words of all its targets; its member runs the critical section. The others
 * stay for the next round. A key is the round, inverted, and the request's number in this round. So keys of a round are
 * smaller than those that earlier rounds have left, and words need no clearing. Exclusion: keys are distinct, so of two
 * requests that share a target at most one finds its key there; the words change only before the barrier in front of
 * `resolve`. Progress: the least key of a round wins. Order of memory: words are relaxed, since the barriers order
 * claims before `resolve`, and the critical sections of a round before those of the next. tests/models/claims.pml is a
 * model of it.
 *
 * Not done: load balancing. All parts have the same number of targets, however many requests these get.
 *
 * Included by <ordo/scheduler/cpu.h>. The template part at the end expects ORDO_OP, the name of a critical operator.
 */
#ifndef ORDO_OWNER_H
#define ORDO_OWNER_H

#include <ordo/scheduler/scheduler.h>

ORDO_BEGIN_DECLS

enum { ORDO_MAX_OWNERS = 32, ORDO_OWNER_LINE = 8 };
/* A key has 24 bits of the round and 40 of the request's number. When all rounds are used, words are cleared. */
enum { ORDO_CLAIM_BITS = 40, ORDO_CLAIM_ROUNDS = (1 << 24) - 1 };

typedef struct ordo_owners {
    ordo_job *job;
    int count;       /* number of owners, which are members 0 .. count - 1 */
    ordo_u64 part;   /* number of targets of an owner */
    ordo_bin *bins;  /* [threads][count * count] bins of requests; those at [a * count + b] with a <= b are used. By
                        race-and-resolve a member has the first of them */
    size_t size;     /* bytes of a request */
    ordo_u64 *claim; /* [targets] race-and-resolve: the least key; else NULL */
    ordo_u64 *left;  /* [2][threads * ORDO_OWNER_LINE] the members' pending requests after even and odd rounds */
    ordo_u64 round;  /* the next one. Written by member 0, behind the last barrier of a round */
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
/* Posts a copy of a request, as ordo_owners_post does. */
ORDO_INLINE void op_owners_post(ordo_owners *owners, int member, const op_request *request)
{
    if (!op_many) {
        ordo_owners_post(owners, member, (const ordo_request *)(const void *)request);
        return;
    }
    ordo_bin *bin = &owners->bins[member * owners->count * owners->count];
    if (bin->count == bin->capacity && !ordo_bin_grow(owners->job, bin, sizeof *request))
        return; /* the run has failed */
    ((op_request *)bin->data)[bin->count++] = *request;
}

/* Claims the targets of a member's pending requests. */
ORDO_INLINE void op_claim(const ordo_owners *owners, const ordo_bin *bin, ordo_u64 key, ordo_u64 step)
{
    const op_request *request = (const op_request *)bin->data;
    for (ordo_u64 i = 0; i < bin->count; i++, key += step)
        for (ordo_u32 k = 0; k < request[i].targets; k++) {
            ordo_u64 *const word = &owners->claim[request[i].target[k]];
            ordo_u64 old = __atomic_load_n(word, __ATOMIC_RELAXED);
            while (key < old && !__atomic_compare_exchange_n(word, &old, key, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                ;
        }
}

/* Runs the requests of a member that have won, and keeps the others in its bin, in order. Returns the number of items
 * that were activated. */
ORDO_INLINE ordo_u64 op_resolve(const ordo_owners *owners, ordo_bin *bin, ordo_u64 key, ordo_u64 step,
                                ordo_counters *count, op_sink push, void *arg)
{
    op_request *request = (op_request *)bin->data;
    ordo_u64 lost = 0, all = 0;
    for (ordo_u64 i = 0; i < bin->count; i++, key += step) {
        if (i % ORDO_POLL_BATCH == 0 && !ordo_go_on(owners->job, count, i ? ORDO_POLL_BATCH : 1))
            break;
        bool won = true;
        for (ordo_u32 k = 0; k < request[i].targets && won; k++)
            won = __atomic_load_n(&owners->claim[request[i].target[k]], __ATOMIC_RELAXED) == key;
        if (!won) {
            request[lost++] = request[i];
            continue;
        }
        ordo_activation activated[op_activations + 1];
        const ordo_u32 activations = op_run_commit(owners->job, &request[i], activated, count);
        op_push_activated(activated, activations, push, arg);
        all += activations;
    }
    bin->count = ordo_job_stopped(owners->job) ? 0 : lost;
    return all;
}

/* op_owners_serve by race-and-resolve. */
ORDO_INLINE ordo_u64 op_claims_serve(ordo_owners *owners, int member, ordo_counters *count, op_sink push, void *arg)
{
    ordo_job *job = owners->job;
    ordo_bin *bin = &owners->bins[member * owners->count * owners->count];
    const ordo_u64 threads = (ordo_u64)job->threads;
    ordo_u64 all = 0, left;
    ordo_member_barrier(job, member);
    do {
        const ordo_u64 round = owners->round;
        const ordo_u64 key = (ORDO_CLAIM_ROUNDS - round) << ORDO_CLAIM_BITS | (ordo_u64)member;
        ordo_u64 *const votes = owners->left + (round & 1) * threads * ORDO_OWNER_LINE;
        op_claim(owners, bin, key, threads);
        ordo_member_barrier(job, member);
        all += op_resolve(owners, bin, key, threads, count, push, arg);
        votes[member * ORDO_OWNER_LINE] = bin->count;
        if (round + 1 == ORDO_CLAIM_ROUNDS) { /* behind a barrier more, since others may still read words */
            ordo_u64 begin, end;
            ordo_member_barrier(job, member);
            ordo_split(job->targets, job->threads, member, &begin, &end);
            for (; begin < end; begin++)
                owners->claim[begin] = ~(ordo_u64)0;
        }
        ordo_member_barrier(job, member);
        left = 0;
        for (ordo_u64 t = 0; t < threads; t++)
            left += votes[t * ORDO_OWNER_LINE];
        if (member == 0)
            owners->round = round + 1 == ORDO_CLAIM_ROUNDS ? 0 : round + 1;
        ordo_member_barrier(job, member);
    } while (left);
    return all;
}

/* Runs all requests posted since the last call; returns the number of items that they activated. All members call it
 * together; it begins and ends with a barrier. If the run ends early, the remaining requests are dropped, but every
 * member still takes part in every barrier. */
ORDO_INLINE ordo_u64 op_owners_serve(ordo_owners *owners, int member, ordo_counters *count, op_sink push, void *arg)
{
    if (op_many)
        return op_claims_serve(owners, member, count, push, arg);
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
                ordo_u32 activations = op_run_commit(job, (const op_request *)bin->data + i, activated, count);
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
