/* compile.c -- see compile.h.
 *
 * Method. The object's name is a hash of everything that it is made from: the preprocessed unit, which has the user's
 * file, what that includes and Ordo's headers; the compiler and its version; the flags, and with them the GPU's compute
 * capability; the version of Ordo. It is written to a temporary file and renamed, so that processes can compile the
 * same file at the same time.
 *
 * nvcc and not NVRTC compiles for a GPU: a scheduler's cuda.cuh has the kernel and the host's code around it in one
 * file, and NVRTC compiles for the device alone.
 *
 * Not done: unloading.
 */
#define _GNU_SOURCE /* memmem */
#include "apps/cli/run_time/compile.h"

#include "commit.h"
#include "apps/cli/cache.h"
#include "apps/cli/run_time/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ordo/types.h>
#include <ordo/version.h>

#include "framework/run/output.h"

enum { MOST_WORDS = 56 };

/* ---- the command ---- */

/* The compiler with its flags. */
typedef struct command {
    const unit *u;
    const toolchain *tools;
    char place[1100]; /* the file, in a form that is no option */
    char target[64];  /* the option for the GPU's capability */
    char folder[2][HEADER_PATH + 16];
    const char *word[MOST_WORDS];
    int count;
} command;

static void add(command *c, const char *word)
{
    c->word[c->count++] = word;
}

/* Words that nvcc adds to its command line, and the compiler that it calls. */
static const char *const nvcc_reads[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"};

/* What C90 let pass with a warning, such as a call of a function that is not declared, is an error here: the object
 * could not be loaded. */
static const char *const c_flags[] = {"-std=c11",
                                      "-O2",
                                      "-fPIC",
                                      "-fvisibility=hidden",
                                      "-fno-math-errno",
                                      "-Werror=implicit-function-declaration",
                                      "-Werror=implicit-int",
                                      "-Werror=int-conversion",
                                      "-Werror=incompatible-pointer-types",
                                      NULL};

/* Of functions that are for the command alone, such as ORDO_RELAX_PRINT's, nvcc would say that nothing calls them
 * (177). Most of the time that nvcc takes goes into headers: cooperative groups with no more than they need take a
 * third of what they take otherwise, and CUB is left out (ordo/detail/cuda/block_scan.cuh). Host code begins a run and
 * ends it, and need not be fast. */
static const char *const cuda_flags[] = {"-std=c++17",
                                         "-O3",
                                         "-DORDO_FAST_COMPILE",
                                         "-D_CG_LIMIT_INCLUDED_DEPENDENCIES",
                                         "-diag-suppress",
                                         "177",
                                         "-Xcompiler",
                                         "-fPIC,-fvisibility=hidden,-O1",
                                         NULL};

static void make_command(command *c)
{
    const bool cuda = c->u->compiler == TOOLCHAIN_CUDA;
    for (int i = 0; i < c->tools->count; i++)
        add(c, c->tools->word[i]);
    for (const char *const *flag = cuda ? cuda_flags : c_flags; *flag; flag++)
        add(c, *flag);
    if (cuda) {
        snprintf(c->target, sizeof c->target, "-gencode=arch=compute_%d,code=sm_%d", c->u->capability,
                 c->u->capability);
        add(c, c->target);
    }
    for (int i = 0; i < 2 && c->tools->include[i][0]; i++) {
        snprintf(c->folder[i], sizeof c->folder[i], "-I%s", c->tools->include[i]);
        add(c, c->folder[i]);
    }
    for (int i = 0; i < c->u->flag_count; i++)
        add(c, c->u->flag[i]);
    snprintf(c->place, sizeof c->place, "%s%s", c->u->file[0] == '-' ? "./" : "", c->u->file);
}

/* Ends the words with the file. */
static void add_file(command *c)
{
    add(c, "-x");
    add(c, c->u->compiler == TOOLCHAIN_CUDA ? "cu" : "c");
    add(c, c->place);
    add(c, NULL);
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
static bool find_key(const command *c, key *k)
{
    command more = *c;
    *k = (key){0xcbf29ce484222325u, 1};
    add(&more, "-E");
    if (c->u->compiler == TOOLCHAIN_CUDA)
        add(&more, "-Xcompiler");
    add(&more, "-P");
    add_file(&more);
    mix_text(k, ORDO_VERSION);
    mix_text(k, ORDO_COMMIT);
    mix_text(k, c->tools->version);
    for (int i = 0; i < c->count; i++)
        mix_text(k, c->word[i]);
    for (size_t i = 0; c->u->compiler == TOOLCHAIN_CUDA && i < sizeof nvcc_reads / sizeof nvcc_reads[0]; i++)
        mix_text(k, getenv(nvcc_reads[i]) ? getenv(nvcc_reads[i]) : "");
    captured text = {.each = mix, .arg = k};
    return process_capture(more.word, &text, NULL) == 0;
}

/* Prints what the compiler said. Where it found an error in the user's file, what comes before that, about a header
 * that the file includes, is left out. A line begins with FILE:LINE: or, of nvcc, with FILE(LINE): */
static void print_messages(const command *c, const char *text)
{
    const char *about = strcmp(c->u->about, c->u->file) ? c->u->about : c->place;
    const size_t length = strlen(about);
    const char *from = text;
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, about, length) && (line[length] == ':' || line[length] == '(') &&
            memmem(line, strcspn(line, "\n"), "error: ", strlen("error: "))) {
            from = line;
            break;
        }
    fputs(from, stderr);
}

static ordo_status compile_to(const command *c, const char *path)
{
    enum { MESSAGES = 1 << 16 };
    command more = *c;
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
    add_file(&more);
    captured said = {.text = messages, .size = MESSAGES};
    int result = process_capture(more.word, NULL, &said);
    if (!c->u->quiet)
        print_messages(c, messages);
    free(messages);
    ordo_status closed = ordo_output_close(&out, result == 0, 0);
    if (result == 0)
        return closed;
    return ordo_fail(ORDO_ERR_INPUT, "%s: %s cannot compile it", c->u->about, c->tools->word[0]);
}

/* ---- loading ---- */

/* Whether a shared object has its end, where the table of its sections is. The loader would map one that is cut off,
 * and an access behind the end of the file would end the process. */
static bool is_whole(const char *path)
{
    ElfW(Ehdr) head;
    struct stat is;
    FILE *file = fopen(path, "rb");
    bool whole = file && fread(&head, sizeof head, 1, file) == 1 && fstat(fileno(file), &is) == 0 &&
                 !memcmp(head.e_ident, ELFMAG, SELFMAG);
    if (whole)
        whole = head.e_shoff + (ordo_u64)head.e_shnum * head.e_shentsize <= (ordo_u64)is.st_size;
    if (file)
        fclose(file);
    return whole;
}

static void *open_object(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* The object of a file in the folder: the one that is kept or, if there is none or it is damaged, a new one. */
static ordo_status find_object(const command *c, const cache_folder *folder, const char *path, bool known, void **out)
{
    *out = known && is_whole(path) ? open_object(path) : NULL;
    if (*out) {
        cache_used(path);
        return ORDO_OK;
    }
    ordo_status status = compile_to(c, path);
    if (status)
        return status;
    *out = open_object(path);
    cache_prune(folder);
    if (*out)
        return ORDO_OK;
    const char *why = dlerror();
    return ordo_fail(ORDO_ERR_INPUT, "%s: it cannot be loaded: %.600s", c->u->about, why ? why : path);
}

ordo_status unit_load(const unit *u, void **out)
{
    struct stat is;
    if (stat(u->file, &is) != 0)
        return ordo_fail(ORDO_ERR_IO, "%s: %s", u->file, strerror(errno));
    if (!S_ISREG(is.st_mode))
        return ordo_fail(ORDO_ERR_IO, "%s: expected a file of C", u->file);
    command c = {.u = u};
    cache_folder folder;
    char path[1200];
    key k;
    ordo_status status = toolchain_find(u->compiler, &c.tools);
    if (!status)
        status = cache_private_folder("operators", &folder);
    if (status)
        return status;
    make_command(&c);
    const bool known = find_key(&c, &k);
    snprintf(path, sizeof path, "%s/%016llx%016llx.so", folder.path, (unsigned long long)k.first,
             (unsigned long long)k.second);
    status = find_object(&c, &folder, path, known, out);
    if (!folder.kept) {
        unlink(path);
        rmdir(folder.path);
    }
    return status;
}
