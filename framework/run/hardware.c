/* hardware.c -- hardware counters of a run, by PAPI where the library was built with it.
 *
 * Problem. Why one schedule is faster than another shows in what the cores did: cycles, instructions, misses.
 *
 * Method. Counters belong to a thread. So every member of the run's team makes its own set of events and starts it
 * before the scheduler begins, and stops it after the scheduler has ended: schedulers know nothing of it. Members that
 * wait at the ends of the run poll for some microseconds, which is counted. An event that cannot be counted (a virtual
 * machine without counters, too few of them, no permission) is absent; it is never reported as 0.
 *
 * Not done: runs on a device; events of the kernel's part of a thread; counting more events than the hardware can at
 * once, in turns.
 */
#include "hardware.h"

#include <pthread.h>
#include <string.h>

#include <ordo/memory.h>

const char *ordo_hardware_name(ordo_hardware_event event)
{
    static const char *const names[ORDO_HARDWARE_EVENTS] = {"cycles", "instructions", "cache_misses", "branch_misses"};
    return (int)event >= 0 && (int)event < ORDO_HARDWARE_EVENTS ? names[event] : "?";
}

#ifdef HAVE_PAPI

#include <papi.h>

typedef struct member_events {
    int set;
    int count;                       /* events in the set */
    int event[ORDO_HARDWARE_EVENTS]; /* [count] which they are */
    bool started, stopped;
    long long value[ORDO_HARDWARE_EVENTS]; /* [count] */
} member_events;

struct ordo_hardware_run {
    member_events *member; /* [threads of the team] */
};

static bool ready;
static int codes[ORDO_HARDWARE_EVENTS]; /* 0: the machine does not have it */

/* PAPI's presets; for misses of the last cache, where there is no third level, the kernel's own event. */
static void make_ready(void)
{
    static const int presets[ORDO_HARDWARE_EVENTS] = {PAPI_TOT_CYC, PAPI_TOT_INS, PAPI_L3_TCM, PAPI_BR_MSP};
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_thread_init(pthread_self) != PAPI_OK)
        return;
    for (int e = 0; e < ORDO_HARDWARE_EVENTS; e++)
        codes[e] = PAPI_query_event(presets[e]) == PAPI_OK ? presets[e] : 0;
    char last_cache[] = "perf::CACHE-MISSES";
    int code;
    if (!codes[ORDO_CACHE_MISSES] && PAPI_event_name_to_code(last_cache, &code) == PAPI_OK)
        codes[ORDO_CACHE_MISSES] = code;
    ready = true;
}

static void start_member(void *arg, int index)
{
    member_events *me = &((ordo_hardware_run *)arg)->member[index];
    me->set = PAPI_NULL;
    if (PAPI_register_thread() != PAPI_OK || PAPI_create_eventset(&me->set) != PAPI_OK)
        return;
    for (int e = 0; e < ORDO_HARDWARE_EVENTS; e++)
        if (codes[e] && PAPI_add_event(me->set, codes[e]) == PAPI_OK)
            me->event[me->count++] = e;
    me->started = me->count > 0 && PAPI_start(me->set) == PAPI_OK;
}

static void stop_member(void *arg, int index)
{
    member_events *me = &((ordo_hardware_run *)arg)->member[index];
    if (me->started)
        me->stopped = PAPI_stop(me->set, me->value) == PAPI_OK;
    if (me->set != PAPI_NULL) {
        PAPI_cleanup_eventset(me->set);
        PAPI_destroy_eventset(&me->set);
    }
    PAPI_unregister_thread();
}

ordo_hardware_run *ordo_hardware_start(ordo_team *team)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_ready);
    if (!ready)
        return NULL;
    ordo_hardware_run *run = ordo_alloc_zero(1, sizeof *run);
    if (run)
        run->member = ordo_alloc_zero((size_t)ordo_team_size(team), sizeof *run->member);
    if (!run || !run->member) {
        ordo_free(run);
        return NULL;
    }
    ordo_team_run(team, start_member, run);
    return run;
}

void ordo_hardware_stop(ordo_team *team, ordo_hardware_run *run, ordo_hardware *out)
{
    int members[ORDO_HARDWARE_EVENTS] = {0};
    *out = (ordo_hardware){0};
    if (!run)
        return;
    ordo_team_run(team, stop_member, run);
    for (int t = 0; t < ordo_team_size(team); t++) {
        const member_events *me = &run->member[t];
        for (int i = 0; i < me->count && me->stopped; i++) {
            members[me->event[i]]++;
            out->value[me->event[i]] += (ordo_u64)me->value[i];
        }
    }
    for (int e = 0; e < ORDO_HARDWARE_EVENTS; e++) {
        out->present[e] = members[e] == ordo_team_size(team);
        out->value[e] = out->present[e] ? out->value[e] : 0;
    }
    ordo_free(run->member);
    ordo_free(run);
}

#else

ordo_hardware_run *ordo_hardware_start(ordo_team *team)
{
    (void)team;
    return NULL;
}

void ordo_hardware_stop(ordo_team *team, ordo_hardware_run *run, ordo_hardware *out)
{
    (void)team;
    (void)run;
    *out = (ordo_hardware){0};
}

#endif
