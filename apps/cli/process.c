/* process.c -- the process and its machine: signals, standard streams, memory, what the JSON says of the hardware.
 *
 * Signals: while a run is on, the first SIGINT or SIGTERM sets the flag that runs poll; otherwise, and the second time,
 * it ends the process with 130. Loading and verifying have no flag, so there the first one does. Files are mapped: one
 * that becomes shorter meanwhile raises SIGBUS, which ends the process as bad input does.
 */
#define _GNU_SOURCE
#include "apps/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <ordo/team.h>

enum { EXIT_INPUT = 3, EXIT_CANCELLED = 130 };

volatile int cancelled;
static volatile sig_atomic_t cancellable;

enum { GUARDS = 8, LONGEST_PATH = 4096 };
static char guarded[GUARDS][LONGEST_PATH]; /* files to remove */
static volatile sig_atomic_t is_guarded[GUARDS];

/* Of what a signal handler may call. Several threads may meet the end of a file at once: one of them says so. */
static _Noreturn void end(const char *said, size_t length, int status)
{
    static int ending; /* atomic */
    while (__atomic_exchange_n(&ending, 1, __ATOMIC_RELAXED))
        pause(); /* all signals are held here, so that the one that ends is another thread */
    for (int i = 0; i < GUARDS; i++)
        if (is_guarded[i])
            unlink(guarded[i]);
    if (write(STDERR_FILENO, said, length) < 0)
        _exit(status);
    _exit(status);
}

static void on_signal(int number)
{
    static const char said[] = "ordo: cancelled\n";
    (void)number;
    if (cancellable && !cancelled) {
        cancelled = 1;
        return;
    }
    end(said, sizeof said - 1, EXIT_CANCELLED);
}

/* A page that the file had when it was mapped is no more. Any other bus error is a fault of ours: it happens again on
 * return, and then ends the process as it would have. */
static void on_bus(int number, siginfo_t *info, void *context)
{
    static const char said[] = "ordo: a file became shorter while it was read\n";
    (void)context;
    if (info->si_code != BUS_ADRERR) {
        signal(number, SIG_DFL);
        return;
    }
    end(said, sizeof said - 1, EXIT_INPUT);
}

void process_start(void)
{
    /* A closed standard stream must stay an error: the next file opened must not become it. */
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            int other = open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY); /* reading from or writing to it fails */
            if (other >= 0 && other != fd)
                close(other);
        }
    struct sigaction ignore = {.sa_handler = SIG_IGN}, handle = {.sa_handler = on_signal};
    sigfillset(&handle.sa_mask);
    handle.sa_flags = SA_RESTART;
    struct sigaction bus = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};
    sigfillset(&bus.sa_mask);
    sigaction(SIGBUS, &bus, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL); /* writing beyond the limit of a file's size fails, and says so */
    struct sigaction old;
    if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* in a shell's background: stays ignored */
        sigaction(SIGINT, &handle, NULL);
    sigaction(SIGTERM, &handle, NULL);
}

void process_cancellable(bool on)
{
    cancellable = on;
}

ordo_status check_cancelled(void)
{
    return cancelled ? ordo_fail(ORDO_ERR_CANCELLED, "cancelled") : ORDO_OK;
}

void process_guard(const char *path, bool on)
{
    for (int i = 0; path && i < GUARDS; i++) {
        if (on && !is_guarded[i] && strlen(path) < LONGEST_PATH) {
            strcpy(guarded[i], path);
            is_guarded[i] = 1;
            return;
        }
        if (!on && is_guarded[i] && !strcmp(guarded[i], path))
            is_guarded[i] = 0;
    }
}

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- memory ---- */

/* The number after `key` in a file of "key: number" lines, or the file's first number where key is ""; 0 if none. */
static ordo_u64 number_in(const char *path, const char *key)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    char line[256];
    ordo_u64 value = 0;
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key))) {
            value = strtoull(line + strlen(key), NULL, 10); /* "max" gives 0 */
            break;
        }
    fclose(file);
    return value;
}

static ordo_u64 less(ordo_u64 a, ordo_u64 b)
{
    return a < b ? a : b;
}

ordo_u64 memory_available(void)
{
    ordo_u64 available = number_in("/proc/meminfo", "MemAvailable:") << 10;
    if (!available)
        return ~(ordo_u64)0;
    ordo_u64 most = number_in("/sys/fs/cgroup/memory.max", "");
    if (most) {
        ordo_u64 used = number_in("/sys/fs/cgroup/memory.current", "");
        available = less(available, most > used ? most - used : 0);
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        ordo_u64 used = number_in("/proc/self/statm", "") * (ordo_u64)sysconf(_SC_PAGESIZE);
        available = less(available, limit.rlim_cur > used ? limit.rlim_cur - used : 0);
    }
    return available;
}

ordo_u64 peak_rss(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (ordo_u64)usage.ru_maxrss << 10 : 0;
}

/* ---- the machine ---- */

void machine_get(machine *m)
{
    *m = (machine){.cpu = "unknown", .kernel = "unknown", .cores = ordo_cores()};
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[512];
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        colon[strcspn(colon, "\n")] = 0;
        snprintf(m->cpu, sizeof m->cpu, "%s", colon);
        break;
    }
    if (file)
        fclose(file);
    struct utsname name;
    if (uname(&name) == 0) {
        snprintf(m->kernel, sizeof m->kernel, "%s %s", name.sysname, name.release);
        snprintf(m->system, sizeof m->system, "%s", name.machine);
    }
#if defined(__clang__)
    snprintf(m->compiler, sizeof m->compiler, "%s", __VERSION__);
#else
    snprintf(m->compiler, sizeof m->compiler, "GCC %s", __VERSION__);
#endif
    m->memory = number_in("/proc/meminfo", "MemTotal:") << 10;
}
