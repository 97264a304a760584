/* team.h -- the CPU back end's threads: a persistent team, a barrier, and parallel loops.
 *
 * Problem. A run takes milliseconds and has thousands of barriers; creating threads for it would cost more.
 *
 * Method. A team of T members runs one function on all of them at once. The caller is member 0, so a team of one
 * creates no thread. Teams are kept between runs: leasing an existing one costs a lock, not the creation of threads.
 *
 * Not done: pinning threads to cores; nested teams.
 */
#ifndef ORDO_TEAM_H
#define ORDO_TEAM_H

#include <ordo/error.h>
#include <ordo/types.h>

#include <stdbool.h>

ORDO_BEGIN_DECLS

typedef struct ordo_team ordo_team;

enum { ORDO_MAX_THREADS = 1024 };

/* Number of processors that this process may use, at least 1: those that it is bound to, and no more than the limit of
 * its control group suffices for (a container's `--cpus`), rounded up. */
ORDO_API int ordo_cores(void);

/* Leases a team of `threads` members (0: one for each core). A leased team is used by one caller only; concurrent
 * callers get other teams. To be returned by ordo_team_return. Errors: ORDO_ERR_USAGE for a negative number or one
 * beyond ORDO_MAX_THREADS, ORDO_ERR_MEMORY if no thread can be created. */
ORDO_API ordo_status ordo_team_lease(int threads, ordo_team **out);
/* Returns a leased team; it is kept for later leases. */
ORDO_API void ordo_team_return(ordo_team *team);
/* The number of members. */
ORDO_API int ordo_team_size(const ordo_team *team);

/* Runs fn(arg, member) on every member, 0 to T - 1, and returns when all have returned. What the caller wrote before
 * the call is visible to every member; what members wrote is visible to the caller after it. Not reentrant. */
typedef void ordo_team_fn(void *arg, int member);
ORDO_API void ordo_team_run(ordo_team *team, ordo_team_fn *fn, void *arg);

/* Waits until every member of the running function has arrived. Everything that a member wrote before its arrival is
 * visible to every member after the barrier (release on arrival, acquire on departure). Waits actively for a
 * while, offering its core to other threads now and then, and then sleeps. */
ORDO_API void ordo_team_barrier(ordo_team *team);

/* The barrier in two halves, for a member that has other work while it waits. ordo_team_arrive says that this member
 * has arrived, and returns the number of the barrier; then ordo_team_await waits until all have, and must be called, by
 * the same member, before it arrives again. In between, ordo_team_passed tells whether all have arrived. What a member
 * wrote before it arrived is visible to every member after ordo_team_await, or once ordo_team_passed is true; what it
 * writes between the halves is not. */
ORDO_API ordo_u32 ordo_team_arrive(ordo_team *team);
ORDO_API bool ordo_team_passed(const ordo_team *team, ordo_u32 barrier);
ORDO_API void ordo_team_await(ordo_team *team, ordo_u32 barrier);

/* How many members have arrived at the barrier; as of some moment ago. */
ORDO_API int ordo_team_waiting(const ordo_team *team);

/* Lets another thread run on this core: for loops that wait for a thread which may not be running. */
ORDO_API void ordo_yield(void);

/* Splits 0 .. count - 1 into `members` contiguous parts, whose sizes differ by at most 1; the part of `member` is
 * *begin to *end - 1. */
static inline void ordo_split(ordo_u64 count, int members, int member, ordo_u64 *begin, ordo_u64 *end)
{
    ordo_u64 t = (ordo_u64)members, i = (ordo_u64)member, part = count / t, rest = count % t;
    *begin = i * part + (i < rest ? i : rest);
    *end = *begin + part + (i < rest);
}

ORDO_END_DECLS

#endif
