/* toolchain.c -- see toolchain.h.
 *
 * A compiler is looked for when it is needed, and not when Ordo is built: the machine may be another one. nvcc is also
 * looked for where CUDA's installers put it, since they leave the search path as it is.
 */
#define _GNU_SOURCE /* readlink, strtok_r */
#include "apps/cli/run_time/toolchain.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/run_time/process.h"

/* The way from the folder of an installed command to that of the headers; given by the build. */
#ifndef ORDO_INCLUDE_FROM_COMMAND
#define ORDO_INCLUDE_FROM_COMMAND "../include"
#endif

/* Splits a command at blanks. */
static bool split(toolchain *t, const char *command)
{
    t->count = 0;
    if (strlen(command) >= sizeof t->command)
        return false;
    strcpy(t->command, command);
    char *state = NULL;
    for (char *word = strtok_r(t->command, " \t", &state); word; word = strtok_r(NULL, " \t", &state)) {
        if (t->count == COMPILER_WORDS)
            return false;
        t->word[t->count++] = word;
    }
    return t->count > 0;
}

static bool answers(toolchain *t)
{
    const char *words[COMPILER_WORDS + 2];
    memcpy(words, t->word, (size_t)t->count * sizeof *words);
    words[t->count] = "--version";
    words[t->count + 1] = NULL;
    captured version = {.text = t->version, .size = sizeof t->version};
    return process_capture(words, &version, NULL) == 0;
}

static ordo_status find_c(toolchain *t)
{
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *own = getenv("CC");
    if (own && *own)
        return split(t, own) && answers(t)
                   ? ORDO_OK
                   : ordo_fail(ORDO_ERR_IO, "CC is '%.200s', which does not run; expected a C compiler", own);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (split(t, usual[i]) && answers(t))
            return ORDO_OK;
    return ordo_fail(ORDO_ERR_IO, "no C compiler found, expected one in CC, or cc, gcc or clang in PATH");
}

/* The program of that path, which may have blanks. */
static bool is_at(toolchain *t, const char *folder, const char *name)
{
    if (!folder || !*folder)
        return false;
    const int length = snprintf(t->command, sizeof t->command, "%s%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof t->command)
        return false;
    t->word[0] = t->command;
    t->count = 1;
    return answers(t);
}

static ordo_status find_nvcc(toolchain *t)
{
    const char *own = getenv("NVCC");
    if (own && *own)
        return split(t, own) && answers(t)
                   ? ORDO_OK
                   : ordo_fail(ORDO_ERR_IO, "NVCC is '%.200s', which does not run; expected CUDA's compiler", own);
    if (is_at(t, "nvcc", "") || is_at(t, getenv("CUDA_HOME"), "/bin/nvcc") ||
        is_at(t, getenv("CUDA_PATH"), "/bin/nvcc") || is_at(t, "/usr/local/cuda", "/bin/nvcc"))
        return ORDO_OK;
    return ordo_fail(ORDO_ERR_IO, "no nvcc found, which compiles operators for a GPU; expected it in NVCC, in PATH, in "
                                  "the bin of CUDA_HOME or CUDA_PATH, or in /usr/local/cuda/bin");
}

/* Reads the lines of a file, without their ends. */
static bool read_two_lines(const char *path, char lines[2][HEADER_PATH])
{
    FILE *file = fopen(path, "r");
    bool whole = file != NULL;
    for (int i = 0; i < 2 && whole; i++) {
        whole = fgets(lines[i], sizeof lines[i], file) != NULL;
        if (whole)
            lines[i][strcspn(lines[i], "\n")] = 0;
    }
    if (file)
        fclose(file);
    return whole;
}

/* In a build's folder the file beside the command names the folders of the source tree. */
static ordo_status find_headers(toolchain *t)
{
    char self[1024], path[1200];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    snprintf(path, sizeof path, "%s/ordo-headers", self);
    if (read_two_lines(path, t->include))
        return ORDO_OK;
    t->include[1][0] = 0;
    snprintf(t->include[0], sizeof t->include[0], "%s/" ORDO_INCLUDE_FROM_COMMAND, self);
    snprintf(path, sizeof path, "%.1100s/ordo/detail/run_time.h", t->include[0]);
    return access(path, R_OK) == 0
               ? ORDO_OK
               : ordo_fail(ORDO_ERR_IO, "%.400s: no headers of Ordo there, which compiling an operator needs", path);
}

ordo_status toolchain_find(toolchain_kind kind, const toolchain **out)
{
    static toolchain all[TOOLCHAINS];
    static bool found[TOOLCHAINS];
    toolchain *t = &all[kind];
    if (!found[kind]) {
        t->kind = kind;
        ordo_status status = kind == TOOLCHAIN_CUDA ? find_nvcc(t) : find_c(t);
        if (!status)
            status = find_headers(t);
        if (status)
            return status;
        found[kind] = true;
    }
    *out = t;
    return ORDO_OK;
}

const char *toolchain_prefix(const toolchain *t)
{
    return t->include[1][0] ? "" : "ordo/";
}
