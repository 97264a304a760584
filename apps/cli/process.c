/* process.c -- the process and its machine: signals, standard streams, memory, the description of the hardware.
 *
 * Signals. During the long calls of the library the first SIGINT or SIGTERM sets a flag, by which their watch cancels
 * them (text.c), and which runs and writers poll. They have 100 ms, since some parts do neither (partitions, a pipe
 * without data, sorting for Kruskal's algorithm). After that, at the second signal, and during everything else at the
 * first one, the signal handler itself ends the process with 130: it removes the files that are being written, keeps
 * complete records (compare, bench), and prints the last words. A run on a device has no such limit: the back end stops
 * the kernel, waits, and reports a kernel that does not end.
 *
 * Files are mapped. If one becomes shorter meanwhile, SIGBUS is raised, which ends the process like bad input.
 *
 * Not done: signals other than SIGINT and SIGTERM, which have their default actions.
 */
#define _GNU_SOURCE
#include "apps/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <ordo/scheduler/team.h>

enum { EXIT_INPUT = 3, EXIT_CANCELLED = 130 };

volatile int cancelled;
enum { NOT_NOW, ON_CPU, ON_DEVICE };
static volatile sig_atomic_t cancellable; /* one of these */
static sig_atomic_t otherwise;            /* NOT_NOW or ON_CPU: while no work is cancellable */

/* Double-buffered: a signal may come while one of the texts is replaced. */
static char *last_words[2];
static char *volatile last_words_now;

void process_last_words(const char *text)
{
    static int turn;
    last_words_now = NULL;
    turn = !turn;
    free(last_words[turn]);
    last_words[turn] = text ? strdup(text) : NULL;
    last_words_now = last_words[turn];
}

/* Async-signal-safe. */
static void print(int fd, const char *text)
{
    for (size_t length = strlen(text); length > 0;) {
        ssize_t put = write(fd, text, length);
        if (put <= 0)
            return;
        text += put;
        length -= (size_t)put;
    }
}

/* Ends the process. Async-signal-safe. Several threads may get SIGBUS at once: one of them prints the message. */
static _Noreturn void end(const char *said, int status)
{
    static int ending; /* atomic */
    while (__atomic_exchange_n(&ending, 1, __ATOMIC_RELAXED))
        pause(); /* all signals are blocked here, so another thread ends the process */
    ordo_output_end_all();
    if (progress_shown)
        print(STDERR_FILENO, "\r\033[K");
    const char *text = last_words_now;
    if (text)
        print(STDOUT_FILENO, text);
    print(STDERR_FILENO, said);
    _exit(status);
}

/* The first signal during cancellable work sets the flag, and the alarm ends the process if the work does not end. */
static void on_signal(int number)
{
    static const struct itimerval grace = {.it_value = {.tv_usec = GRACE_MS * 1000L}};
    if (number == SIGALRM && !(cancellable && cancelled))
        return;
    if (number != SIGALRM && cancellable && !cancelled) {
        cancelled = 1;
        ordo_interrupt();
        if (cancellable == ON_CPU)
            setitimer(ITIMER_REAL, &grace, NULL);
        return;
    }
    end("ordo: cancelled\n", EXIT_CANCELLED);
}

/* A page of a mapped file does not exist any more. Any other bus error is a defect of Ordo: with the default action
 * restored it is raised again on return, and ends the process. */
static void on_bus(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code != BUS_ADRERR) {
        signal(number, SIG_DFL);
        return;
    }
    end("ordo: a file became shorter while it was read\n", EXIT_INPUT);
}

void process_start(void)
{
    /* A closed standard stream must stay an error: a file that is opened later must not get its descriptor. */
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
    sigaction(SIGXFSZ, &ignore, NULL); /* writing beyond the limit of file sizes then fails with an error */
    struct sigaction old;
    if (sigaction(SIGINT, NULL, &old) == 0 &&
        old.sa_handler != SIG_IGN) /* started in the background by a shell: stays ignored */
        sigaction(SIGINT, &handle, NULL);
    sigaction(SIGTERM, &handle, NULL);
    sigaction(SIGALRM, &handle, NULL);
}

void process_cancellable(bool on)
{
    cancellable = on ? ON_CPU : otherwise;
}

void process_cancellable_between(bool on)
{
    cancellable = otherwise = on ? ON_CPU : NOT_NOW;
}

void process_cancellable_run(const ordo_options *run)
{
    cancellable = !run->device || !strcmp(run->device, "cpu") ? ON_CPU : ON_DEVICE;
}

ordo_status check_cancelled(void)
{
    return cancelled ? ordo_fail(ORDO_ERR_CANCELLED, "cancelled") : ORDO_OK;
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
