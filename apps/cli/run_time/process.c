/* process.c -- see process.h. */
#define _GNU_SOURCE /* pipe2, environ */
#include "apps/cli/run_time/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void keep(captured *to, const char *bytes, size_t count)
{
    if (to->each)
        to->each(to->arg, bytes, count);
    if (to->text && to->used + 1 < to->size) {
        const size_t place = to->size - to->used - 1, taken = count < place ? count : place;
        memcpy(to->text + to->used, bytes, taken);
        to->used += taken;
        to->text[to->used] = 0;
    }
}

/* Starts the program; the write end of the pipe is its standard output or standard error. Returns 0 or an errno. */
static int start(const char *const *words, int write_end, int captured_fd, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    if ((error = posix_spawnattr_init(&attributes)) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    /* The command ignores these two; another program must not. */
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 3 - captured_fd, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, write_end, captured_fd);
    error = posix_spawnp(child, words[0], &actions, &attributes, (char *const *)(size_t)words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int process_capture(const char *const *words, captured *output, captured *errors)
{
    enum { PIECE = 1 << 14 };
    char bytes[PIECE];
    captured *to = output ? output : errors;
    int ends[2], status;
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    const int error = start(words, ends[1], output ? 1 : 2, &child);
    close(ends[1]);
    for (ssize_t got = 0; !error;) {
        got = read(ends[0], bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        keep(to, bytes, (size_t)got);
    }
    close(ends[0]);
    if (error)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
