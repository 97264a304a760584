/* compile.c -- see compile.h.
 *
 * Method. The user's file is the unit: <ordo/operator/relax.h>, which it includes last, includes the rest where
 * ORDO_RUN_TIME names it. So messages of the compiler name the user's file and lines. The object's name is a hash of
 * everything that it is made from: the preprocessed unit, which has the user's file, what that includes and Ordo's
 * headers; the compiler and its version; the flags; the version of Ordo. It is written to a temporary file and renamed,
 * so that processes can compile the same file at the same time.
 *
 * Not done: object files of a GPU; unloading.
 */
#define _GNU_SOURCE /* posix_spawnp, readlink */
#include "apps/cli/run_time/compile.h"

#include "commit.h"
#include "apps/cli/cache.h"
#include "apps/cli/run_time/process.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ordo/version.h>

#include "framework/run/output.h"

/* The way from the folder of an installed command to that of the headers; given by the build. */
#ifndef ORDO_INCLUDE_FROM_COMMAND
#define ORDO_INCLUDE_FROM_COMMAND "../include"
#endif

enum { COMPILER_WORDS = 16, MOST_WORDS = 48 };

/* ---- the compiler and the headers ---- */

typedef struct toolchain {
    char command[512]; /* the words below, each ended by 0 */
    const char *word[COMPILER_WORDS];
    int count;
    char version[512];
    char include[2][1200]; /* folders: of <ordo/...>, and in a build of <schedulers/...>; else the second is "" */
} toolchain;

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

static ordo_status find_compiler(toolchain *t)
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

/* Reads the lines of a file, without their ends. */
static bool read_two_lines(const char *path, char lines[2][1200])
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

static ordo_status find_toolchain(const toolchain **out)
{
    static toolchain t;
    static bool found;
    if (!found) {
        ordo_status status = find_compiler(&t);
        if (!status)
            status = find_headers(&t);
        if (status)
            return status;
        found = true;
    }
    *out = &t;
    return ORDO_OK;
}

/* ---- the unit ---- */

typedef struct unit {
    const toolchain *tools;
    const char *file, *scheduler;
    char place[1100]; /* the file, in a form that is no option */
    char code[160], name[96], sync[64], folder[2][1216];
    const char *word[MOST_WORDS]; /* the compiler and its flags, without input and output */
    int count;
} unit;

static void add(unit *u, const char *word)
{
    u->word[u->count++] = word;
}

static const char *sync_symbol(ordo_sync sync)
{
    static const char *const symbols[ORDO_SYNCS] = {
        "ORDO_SYNC_DEFAULT", "ORDO_SYNC_ATOMIC", "ORDO_SYNC_RACY",
        "ORDO_SYNC_LOCK",    "ORDO_SYNC_OWNER",  "ORDO_SYNC_SERVER",
    };
    return symbols[sync];
}

/* The flags that the unit is compiled with. What C90 let pass with a warning, such as a call of a function that is not
 * declared, is an error here: the object could not be loaded. */
static void make_unit(unit *u, ordo_sync sync)
{
    static const char *const flags[] = {"-std=c11",
                                        "-O2",
                                        "-fPIC",
                                        "-fvisibility=hidden",
                                        "-fno-math-errno",
                                        "-Werror=implicit-function-declaration",
                                        "-Werror=implicit-int",
                                        "-Werror=int-conversion",
                                        "-Werror=incompatible-pointer-types",
                                        "-DORDO_OP=ordo_run_time",
                                        "-DORDO_RUN_TIME=<ordo/detail/run_time_unit.h>"};
    const bool built = u->tools->include[1][0] != 0;
    for (int i = 0; i < u->tools->count; i++)
        add(u, u->tools->word[i]);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        add(u, flags[i]);
    for (int i = 0; i < (built ? 2 : 1); i++) {
        snprintf(u->folder[i], sizeof u->folder[i], "-I%s", u->tools->include[i]);
        add(u, u->folder[i]);
    }
    if (u->scheduler) {
        snprintf(u->name, sizeof u->name, "-DORDO_RUN_TIME_SCHEDULER=%.64s", u->scheduler);
        snprintf(u->code, sizeof u->code, "-DORDO_RUN_TIME_CODE=<%sschedulers/%.64s/cpu.h>", built ? "" : "ordo/",
                 u->scheduler);
        snprintf(u->sync, sizeof u->sync, "-DORDO_ONLY_SYNC=%s", sync_symbol(sync));
        add(u, u->name);
        add(u, u->code);
        add(u, u->sync);
    }
    snprintf(u->place, sizeof u->place, "%s%s", u->file[0] == '-' ? "./" : "", u->file);
}

/* Two hashes of 64 bits, by which objects are named: FNV-1a, and the same with another multiplier and order. */
typedef struct key {
    ordo_u64 first, second;
} key;

static void mix(void *arg, const char *bytes, size_t count)
{
    key *k = arg;
    for (size_t i = 0; i < count; i++) {
        k->first = (k->first ^ (unsigned char)bytes[i]) * 0x100000001b3u;
        k->second = k->second * 0x5851f42d4c957f2du + (unsigned char)bytes[i] + 1;
    }
}

static void mix_text(key *k, const char *text)
{
    mix(k, text, strlen(text) + 1);
}

/* False where the preprocessor refuses the unit. */
static bool unit_key(const unit *u, key *k)
{
    char number[24];
    unit more = *u;
    *k = (key){0xcbf29ce484222325u, 1};
    add(&more, "-E");
    add(&more, "-P");
    add(&more, "-x");
    add(&more, "c");
    add(&more, u->place);
    add(&more, NULL);
    mix_text(k, ORDO_VERSION);
    mix_text(k, ORDO_COMMIT);
    snprintf(number, sizeof number, "%d", ORDO_RUN_TIME_INTERFACE);
    mix_text(k, number);
    mix_text(k, u->tools->version);
    for (int i = 0; i < u->count; i++)
        mix_text(k, u->word[i]);
    captured text = {.each = mix, .arg = k};
    return process_capture(more.word, &text, NULL) == 0;
}

/* Prints what the compiler said. Where it found an error in the user's file, what comes before that, about a header
 * that the file includes, is left out. */
static void print_messages(const unit *u, const char *text)
{
    const size_t length = strlen(u->place);
    const char *from = text;
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, u->place, length) && line[length] == ':' &&
            memmem(line, strcspn(line, "\n"), "error: ", strlen("error: "))) {
            from = line;
            break;
        }
    fputs(from, stderr);
}

static ordo_status compile_to(const unit *u, const char *path)
{
    enum { MESSAGES = 1 << 16 };
    unit more = *u;
    ordo_output out;
    char *messages = calloc(1, MESSAGES);
    ordo_status status = messages ? ordo_output_open(path, &out)
                                  : ordo_fail(ORDO_ERR_MEMORY, "no memory for the messages of the compiler");
    if (status) {
        free(messages);
        return status;
    }
    add(&more, "-shared");
    add(&more, "-o");
    add(&more, out.beside);
    add(&more, "-x");
    add(&more, "c");
    add(&more, u->place);
    add(&more, NULL);
    captured said = {.text = messages, .size = MESSAGES};
    int result = process_capture(more.word, NULL, &said);
    print_messages(u, messages);
    free(messages);
    ordo_status closed = ordo_output_close(&out, result == 0, 0);
    if (result == 0)
        return closed;
    return ordo_fail(ORDO_ERR_INPUT, "%s: %s cannot compile it", u->file, u->tools->word[0]);
}

/* ---- loading ---- */

/* Sets *out to the table of an object; *opened: it is a shared object at all, and not a damaged file. */
static ordo_status load(const char *file, const char *path, bool *opened, const ordo_run_time **out)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *opened = object != NULL;
    if (!object) {
        const char *why = dlerror();
        return ordo_fail(ORDO_ERR_INPUT, "%s: it cannot be loaded: %.600s", file, why ? why : path);
    }
    const ordo_run_time *found = dlsym(object, "ordo_run_time_entry");
    if (found && found->interface == ORDO_RUN_TIME_INTERFACE) {
        *out = found;
        return ORDO_OK;
    }
    const ordo_u32 interface = found ? found->interface : 0;
    dlclose(object);
    if (!found)
        return ordo_fail(ORDO_ERR_INPUT,
                         "%s: it declares no operator; expected an ORDO_RELAX_... list and, as the last include, "
                         "<ordo/operator/relax.h>",
                         file);
    return ordo_fail(ORDO_ERR_INPUT, "%s: it was compiled for another version of Ordo: found interface %u, expected %u",
                     file, interface, (unsigned)ORDO_RUN_TIME_INTERFACE);
}

ordo_status run_time_compile(const char *file, const char *scheduler, ordo_sync sync, const ordo_run_time **out)
{
    struct stat is;
    if (stat(file, &is) != 0)
        return ordo_fail(ORDO_ERR_IO, "%s: %s", file, strerror(errno));
    if (!S_ISREG(is.st_mode))
        return ordo_fail(ORDO_ERR_IO, "%s: expected an operator's file", file);
    unit u = {.file = file, .scheduler = scheduler};
    cache_folder folder;
    char path[1200];
    key k;
    ordo_status status = find_toolchain(&u.tools);
    if (!status)
        status = cache_private_folder("operators", &folder);
    if (status)
        return status;
    make_unit(&u, sync);
    const bool known = unit_key(&u, &k);
    snprintf(path, sizeof path, "%s/%016llx%016llx.so", folder.path, (unsigned long long)k.first,
             (unsigned long long)k.second);
    bool opened = false;
    if (known && access(path, R_OK) == 0)
        status = load(file, path, &opened, out);
    if (!opened) {
        status = compile_to(&u, path);
        if (!status)
            status = load(file, path, &opened, out);
    }
    if (!folder.kept) {
        unlink(path);
        rmdir(folder.path);
    }
    return status;
}
