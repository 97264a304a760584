/* gpus.c -- --gpus N: starts N processes, the ranks of a run over so many GPUs of this host, and waits for them.
 *
 * Each process is this command with the same words, and learns from its environment which rank it is
 * (framework/run/local_ranks.h). The first that fails decides the exit status. The others get some time to say what
 * they have to say and are killed then: their kernels may wait for a rank that is gone.
 */
#define _GNU_SOURCE /* memfd_create */
#include "apps/cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_GPUS = 16, SECONDS_LEFT = 3 };

static pid_t child[MOST_GPUS];
static int children;

static void pass_on(int number)
{
    for (int i = 0; i < children; i++)
        if (child[i] > 0)
            kill(child[i], number);
}

static void set(const char *name, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    setenv(name, text, 1);
}

static void become_rank(int rank, int ranks, int file, char **argv)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    set("ORDO_RANK", rank);
    set("ORDO_RANKS", ranks);
    set("ORDO_RANKS_FILE", file);
    setenv("CUDA_MODULE_LOADING", "EAGER",
           0); /* loading a kernel waits for kernels that run, and these wait for ranks */
    execv("/proc/self/exe", argv);
    fprintf(stderr, "ordo: rank %d does not start: %s\n", rank, strerror(errno));
    _exit(ordo_status_exit(ORDO_ERR_DEVICE));
}

/* Waits for all. Returns the exit status. */
static int wait_for_all(void)
{
    int left = children, first = 0, how;
    double since_failure = -1;
    while (left) {
        const pid_t ended = waitpid(-1, &how, first ? WNOHANG : 0);
        if (ended < 0 && errno != EINTR)
            break;
        for (int i = 0; ended > 0 && i < children; i++)
            if (child[i] == ended)
                child[i] = 0;
        left -= ended > 0;
        if (ended > 0 && !first && !(WIFEXITED(how) && WEXITSTATUS(how) == 0)) {
            first = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
            since_failure = 0;
            if (WIFSIGNALED(how))
                fprintf(stderr, "ordo: a rank was ended by signal %d\n", WTERMSIG(how));
        }
        if (first && ended <= 0) {
            const struct timespec moment = {0, 10000000};
            nanosleep(&moment, NULL);
            if ((since_failure += 0.01) > SECONDS_LEFT)
                pass_on(SIGKILL);
        }
    }
    return first;
}

bool gpus_wanted(const options *o)
{
    return o->gpus > 1 && group_suits(o) && !ordo_group_launched();
}

int gpus_run(const options *o, char **argv)
{
    const int file = memfd_create("ordo-ranks", 0);
    if (file < 0) {
        fprintf(stderr, "ordo: --gpus: the file that ranks share: %s\n", strerror(errno));
        return ordo_status_exit(ORDO_ERR_DEVICE);
    }
    struct sigaction handle = {.sa_handler = pass_on};
    for (int i = 0; i < (int)o->gpus; i++) {
        child[i] = fork();
        if (child[i] == 0)
            become_rank(i, (int)o->gpus, file, argv);
        if (child[i] < 0) {
            fprintf(stderr, "ordo: --gpus: rank %d does not start: %s\n", i, strerror(errno));
            pass_on(SIGKILL);
            return ordo_status_exit(ORDO_ERR_MEMORY);
        }
        children++;
    }
    sigaction(SIGINT, &handle, NULL);
    sigaction(SIGTERM, &handle, NULL);
    return wait_for_all();
}
