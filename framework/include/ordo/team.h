/* team.h -- the CPU back end's threads: a persistent team, a barrier, and parallel loops.
 *
 * A team of T members runs one function on all of them at once; the caller is member 0, so a team of one makes no
 * thread. Teams are kept between runs: leasing one that exists costs a lock, not a thread creation.
 */
#ifndef ORDO_TEAM_H
#define ORDO_TEAM_H

#include <ordo/error.h>
#include <ordo/types.h>

ORDO_BEGIN_DECLS

typedef struct ordo_team ordo_team;

enum { ORDO_MAX_THREADS = 1024 };

/* Processors that this process may use. */
ORDO_API int ordo_cores(void);

/* Leases a team of `threads` members (0: one a core). While leased it is the caller's alone; concurrent callers get
 * teams of their own. Errors: ORDO_ERR_USAGE beyond ORDO_MAX_THREADS, ORDO_ERR_MEMORY where no thread can be made. */
ORDO_API ordo_status ordo_team_lease(int threads, ordo_team **out);
ORDO_API void ordo_team_return(ordo_team *team);
ORDO_API int ordo_team_size(const ordo_team *team);

/* Runs fn(arg, member) on every member and returns when all have. What the caller wrote before is visible to every
 * member; what members wrote is visible to the caller after. Not reentrant. */
typedef void ordo_team_fn(void *arg, int member);
ORDO_API void ordo_team_run(ordo_team *team, ordo_team_fn *fn, void *arg);

/* Waits until every member of the running function has arrived. All that any member wrote before its arrival is
 * visible to every member after (release on arrival, acquire on departure). Spins briefly where every member can have
 * a core of its own, sleeps otherwise. */
ORDO_API void ordo_team_barrier(ordo_team *team);

/* Gives the core away: for spins that may wait on a thread that has none. */
ORDO_API void ordo_yield(void);

/* Splits 0..count-1 into T contiguous parts; member's is [*begin, *end). */
static inline void ordo_split(ordo_u64 count, int members, int member, ordo_u64 *begin, ordo_u64 *end)
{
    ordo_u64 t = (ordo_u64)members, i = (ordo_u64)member, part = count / t, rest = count % t;
    *begin = i * part + (i < rest ? i : rest);
    *end = *begin + part + (i < rest);
}

ORDO_END_DECLS

#endif
