/* team.c -- teams of threads, and the barrier.
 *
 * Method. Members wait for the next function, and at the barrier, on an event: a word that they poll for a while where
 * every member has a core, and then a futex. Idle teams are in a list, by size. A child of fork() starts with an empty
 * list, because it has only one thread.
 *
 * Not done: barriers in a tree; one counter is enough for the numbers of cores that one process has.
 */
#define _GNU_SOURCE /* sched_getaffinity, syscall */
#include "quota.h"

#include <ordo/scheduler/team.h>

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How a member waits before it sleeps: it polls `polls` times, and yields its core after every `polls_a_yield` of them.
 * Another process may take the core of a member for a time slice, some milliseconds; that member goes on sooner where a
 * waiting member yields. Where members outnumber cores each poll yields. */
typedef struct wait_policy {
    int polls, polls_a_yield;
} wait_policy;
static const wait_policy CORE_EACH = {4096, 256}, CORES_SHARED = {4, 1};

/* A word on which members wait, with the number of sleepers, so that a post needs no system call if there are none.
 *
 * wait: sleepers += 1 (seq_cst), then the kernel compares the word with the old value before the thread sleeps.
 * post: the word changes (seq_cst), then sleepers is read (seq_cst). In the single order of these four operations,
 * either the poster reads the sleeper's increment and wakes it, or the increment comes later, and the kernel then reads
 * the changed word. */
typedef struct event {
    _Alignas(64) ordo_u32 word;
    ordo_u32 sleepers;
} event;

typedef struct member {
    pthread_t thread;
    ordo_team *team;
    int index;
} member;

struct ordo_team {
    int size;
    wait_policy policy;
    ordo_team_fn *fn;
    void *arg;
    event start; /* generation of fn; members other than 0 wait on it */
    event phase; /* generation of the barrier */
    _Alignas(64) ordo_u32 arrived;
    ordo_team *next; /* idle teams */
    member members[];
};

int ordo_cores(void)
{
    static int quota; /* read once, since that takes longer than a barrier; any thread finds the same */
    int most = __atomic_load_n(&quota, __ATOMIC_RELAXED);
    if (!most)
        __atomic_store_n(&quota, most = ordo_quota_cores("/sys/fs/cgroup"), __ATOMIC_RELAXED);
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int cores = CPU_COUNT(&set);
    return cores < 1 ? 1 : cores < most ? cores : most;
}

static void relax_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void event_wait(event *e, ordo_u32 old, wait_policy policy)
{
    for (int i = 1; i <= policy.polls; i++) {
        if (__atomic_load_n(&e->word, __ATOMIC_ACQUIRE) != old)
            return;
        if (i % policy.polls_a_yield == 0)
            sched_yield();
        else
            relax_cpu();
    }
    while (__atomic_load_n(&e->word, __ATOMIC_ACQUIRE) == old) {
        __atomic_add_fetch(&e->sleepers, 1, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, &e->word, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
        __atomic_sub_fetch(&e->sleepers, 1, __ATOMIC_RELAXED);
    }
}

static void event_post(event *e)
{
    __atomic_add_fetch(&e->word, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&e->sleepers, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &e->word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

ordo_u32 ordo_team_arrive(ordo_team *team)
{
    /* The phase cannot change before this member arrives, so a relaxed read of it is current. */
    const ordo_u32 phase = __atomic_load_n(&team->phase.word, __ATOMIC_RELAXED);
    if (__atomic_add_fetch(&team->arrived, 1, __ATOMIC_ACQ_REL) == (ordo_u32)team->size) {
        /* The last member to arrive: no other arrives again before the phase changes, so none adds to `arrived`. */
        __atomic_store_n(&team->arrived, 0, __ATOMIC_RELAXED);
        event_post(&team->phase);
    }
    return phase;
}

bool ordo_team_passed(const ordo_team *team, ordo_u32 phase)
{
    return __atomic_load_n(&team->phase.word, __ATOMIC_ACQUIRE) != phase;
}

void ordo_team_await(ordo_team *team, ordo_u32 phase)
{
    event_wait(&team->phase, phase, team->policy);
}

void ordo_team_barrier(ordo_team *team)
{
    if (team->size > 1)
        ordo_team_await(team, ordo_team_arrive(team));
}

int ordo_team_waiting(const ordo_team *team)
{
    return (int)__atomic_load_n(&team->arrived, __ATOMIC_RELAXED);
}

static void *member_main(void *arg)
{
    member *me = arg;
    ordo_team *team = me->team;
    for (ordo_u32 generation = 0;; generation++) {
        event_wait(&team->start, generation, team->policy);
        if (!team->fn)
            return NULL;
        team->fn(team->arg, me->index);
        ordo_team_barrier(team);
    }
}

void ordo_team_run(ordo_team *team, ordo_team_fn *fn, void *arg)
{
    team->fn = fn;
    team->arg = arg;
    if (team->size > 1)
        event_post(&team->start);
    fn(arg, 0);
    ordo_team_barrier(team);
}

/* ---- the teams of the process ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ordo_team *idle;

static void team_end(ordo_team *team, int made)
{
    team->fn = NULL;
    event_post(&team->start);
    for (int i = 1; i < made; i++)
        pthread_join(team->members[i].thread, NULL);
    free(team);
}

static void forget_teams(void)
{
    idle = NULL; /* a forked child has no threads of these teams, and makes new ones */
}

static ordo_status team_make(int threads, ordo_team **out)
{
    size_t bytes = sizeof(ordo_team) + (size_t)threads * sizeof(member);
    bytes = (bytes + 63) / 64 * 64;
    ordo_team *team = aligned_alloc(64, bytes);
    if (!team)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for a team of %d threads", threads);
    *team = (ordo_team){.size = threads, .policy = threads <= ordo_cores() ? CORE_EACH : CORES_SHARED};
    for (int i = 1; i < threads; i++) {
        team->members[i] = (member){.team = team, .index = i};
        if (pthread_create(&team->members[i].thread, NULL, member_main, &team->members[i]) != 0) {
            team_end(team, i);
            return ordo_fail(ORDO_ERR_MEMORY, "cannot make thread %d of %d", i + 1, threads);
        }
    }
    *out = team;
    return ORDO_OK;
}

ordo_status ordo_team_lease(int threads, ordo_team **out)
{
    static int fork_handler;
    if (threads < 0 || threads > ORDO_MAX_THREADS)
        return ordo_fail(ORDO_ERR_USAGE, "%d threads asked for, 1 to %d are possible (0: one a core)", threads,
                         ORDO_MAX_THREADS);
    if (threads == 0)
        threads = ordo_cores();
    pthread_mutex_lock(&lock);
    if (!fork_handler) {
        pthread_atfork(NULL, NULL, forget_teams);
        fork_handler = 1;
    }
    for (ordo_team **at = &idle; *at; at = &(*at)->next)
        if ((*at)->size == threads) {
            *out = *at;
            *at = (*at)->next;
            pthread_mutex_unlock(&lock);
            return ORDO_OK;
        }
    pthread_mutex_unlock(&lock);
    return team_make(threads, out);
}

void ordo_team_return(ordo_team *team)
{
    pthread_mutex_lock(&lock);
    team->next = idle;
    idle = team;
    pthread_mutex_unlock(&lock);
}

void ordo_yield(void)
{
    sched_yield();
}

int ordo_team_size(const ordo_team *team)
{
    return team->size;
}

/* Threads must not outlive a library that is unloaded. */
__attribute__((destructor)) static void end_teams(void)
{
    while (idle) {
        ordo_team *team = idle;
        idle = team->next;
        team_end(team, team->size);
    }
}
