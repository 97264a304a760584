/* phase.c -- watches of threads, and the phases of long calls that report to them. */
#include "phase.h"

#include <stddef.h>

#include "clock.h"
#include "reserved.h"

static _Thread_local const ordo_watch *watch_of_thread;

ordo_status ordo_watch_set(const ordo_watch *watch)
{
    if (watch && !watch->report)
        return ordo_fail(ORDO_ERR_USAGE, "ordo_watch: report is NULL");
    if (watch && !(watch->interval >= 0))
        return ordo_fail(ORDO_ERR_USAGE, "ordo_watch: interval %g, expected seconds, 0 or more", watch->interval);
    ordo_status status = watch ? ORDO_RESERVED_CHECK(ordo_watch, watch) : ORDO_OK;
    if (!status)
        watch_of_thread = watch;
    return status;
}

const ordo_watch *ordo_watch_get(void)
{
    return watch_of_thread;
}

static void report(ordo_phase *p, ordo_u64 done)
{
    if (p->watch->report(p->watch->arg, p->name, p->total && done > p->total ? p->total : done, p->total))
        __atomic_store_n(&p->stopped, 1, __ATOMIC_RELAXED);
}

void ordo_phase_begin(ordo_phase *p, const char *name, ordo_u64 total)
{
    *p = (ordo_phase){.watch = watch_of_thread, .name = name, .total = total};
    if (!p->watch)
        return;
    p->caller = pthread_self();
    p->reported = ordo_seconds();
    report(p, 0);
}

bool ordo_phase_count(ordo_phase *p, ordo_u64 more)
{
    static const double INTERVAL = 0.05;
    const ordo_u64 done = __atomic_add_fetch(&p->done, more, __ATOMIC_RELAXED);
    if (pthread_equal(pthread_self(), p->caller) && !__atomic_load_n(&p->stopped, __ATOMIC_RELAXED)) {
        const double now = ordo_seconds();
        if (now - p->reported >= (p->watch->interval > 0 ? p->watch->interval : INTERVAL)) {
            p->reported = now;
            report(p, done);
        }
    }
    return __atomic_load_n(&p->stopped, __ATOMIC_RELAXED);
}

ordo_status ordo_phase_end(const ordo_phase *p)
{
    if (!p->watch || !__atomic_load_n(&p->stopped, __ATOMIC_RELAXED))
        return ORDO_OK;
    return ordo_fail(ORDO_ERR_CANCELLED, "cancelled while %s", p->name);
}
