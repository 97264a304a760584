/* units.c -- see units.h.
 *
 * An operator's file is the unit that the compiler reads: <ordo/operator/relax.h>, which the file includes last,
 * includes the rest where ORDO_RUN_TIME names it. So messages of the compiler name the user's file and lines.
 */
#define _GNU_SOURCE /* realpath, dladdr */
#include "apps/cli/run_time/units.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ordo/detail/backend.h>

#include "apps/cli/cache.h"
#include "apps/cli/run_time/compile.h"
#include "framework/run/registry.h"

enum { MOST_FOLDERS = 32, PATH_LENGTH = 1024, CODE_LENGTH = HEADER_PATH + 128 };

/* A scheduler's folder. */
typedef struct folder {
    char name[64];
    char path[PATH_LENGTH]; /* absolute */
} folder;
static folder folders[MOST_FOLDERS];
static int folder_count;

static const folder *find_folder(const char *scheduler)
{
    for (int i = 0; i < folder_count; i++)
        if (!strcmp(folders[i].name, scheduler))
            return &folders[i];
    return NULL;
}

/* ---- flags ---- */

typedef struct flags {
    char text[UNIT_FLAGS][CODE_LENGTH + 32];
    const char *flag[UNIT_FLAGS];
    int count;
} flags;

static void define(flags *f, const char *name, const char *before, const char *value, const char *after)
{
    snprintf(f->text[f->count], sizeof f->text[0], "-D%s=%s%s%s", name, before, value, after);
    f->flag[f->count] = f->text[f->count];
    f->count++;
}

/* ---- a scheduler's code ---- */

/* The file of a scheduler's code for operators of a kind. */
typedef struct code_file {
    char name[CODE_LENGTH + 2]; /* between quotes or, of Ordo's own schedulers, angle brackets */
    char path[CODE_LENGTH];     /* absolute */
    bool by_residual;           /* it takes gather operators as relax operators, on a GPU */
} code_file;

/* A scheduler may have files of its own for gather operators in rounds and, on a GPU, for critical ones. */
static ordo_status find_code(const char *scheduler, unsigned device, int kind, code_file *out)
{
    const bool gathers = kind == ORDO_KIND_GATHER, on_cpu = device == ORDO_ON_CPU;
    const char *const any = on_cpu ? "cpu.h" : "cuda.cuh";
    const char *const own = gathers                                 ? on_cpu ? "gather.h" : "cuda_gather.cuh"
                            : !on_cpu && kind == ORDO_KIND_CRITICAL ? "cuda_critical.cuh"
                                                                    : any;
    const char *const names[] = {own, any};
    const folder *from = find_folder(scheduler);
    const toolchain *headers;
    char root[HEADER_PATH + 16];
    ordo_status status = toolchain_find(TOOLCHAIN_C, &headers);
    if (status)
        return status;
    const bool built = headers->include[1][0];
    snprintf(root, sizeof root, "%s%s", headers->include[built ? 1 : 0], built ? "" : "/ordo");
    for (int i = 0; i < 2; i++) {
        const char *name = names[i];
        out->by_residual = i == 1 && gathers && !on_cpu;
        if (from) {
            snprintf(out->path, sizeof out->path, "%s/%s", from->path, name);
            snprintf(out->name, sizeof out->name, "\"%s\"", out->path);
        } else {
            snprintf(out->path, sizeof out->path, "%.1200s/schedulers/%.64s/%s", root, scheduler, name);
            snprintf(out->name, sizeof out->name, "<%sschedulers/%.64s/%s>", toolchain_prefix(headers), scheduler,
                     name);
        }
        if (access(out->path, R_OK) == 0)
            return ORDO_OK;
    }
    return ordo_fail(ORDO_ERR_UNSOUND, "scheduler '%s' has no code for %s: %.1000s is missing", scheduler,
                     device == ORDO_ON_CPU ? "the CPU" : "a GPU", out->path);
}

ordo_status run_time_has_code(const char *scheduler, unsigned device, int kind)
{
    code_file ignored;
    return find_code(scheduler, device, kind, &ignored);
}

/* ---- instances ---- */

/* The symbol of an object, which has the interface's number first; of another number: ORDO_ERR_INPUT. */
static ordo_status entry_of(void *object, const char *symbol, const char *file, const void **out)
{
    const ordo_u32 *interface = dlsym(object, symbol);
    if (!interface)
        return ordo_fail(ORDO_ERR_INPUT,
                         "%s: it declares no operator; expected an ORDO_RELAX_... list and, as the last include, "
                         "<ordo/operator/relax.h>",
                         file);
    if (*interface != ORDO_RUN_TIME_INTERFACE)
        return ordo_fail(ORDO_ERR_INPUT,
                         "%s: it was compiled for another version of Ordo: found interface %u, expected %u", file,
                         *interface, (unsigned)ORDO_RUN_TIME_INTERFACE);
    *out = interface;
    return ORDO_OK;
}

/* Makes the functions of the loaded back end known to objects that are loaded from now on. */
static ordo_status share_backend(const ordo_backend *backend)
{
    Dl_info found;
    if (dladdr((const void *)backend, &found) && found.dli_fname &&
        dlopen(found.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL))
        return ORDO_OK;
    return ordo_fail(ORDO_ERR_DEVICE, "device '%s': objects that are compiled at run time cannot use its back end",
                     backend->name);
}

/* What is there is asked ahead of compiling: without a GPU nothing is compiled for one. */
static ordo_status aim_at_gpu(unit *u)
{
    const ordo_backend *backend;
    char name[ORDO_DEVICE_NAME];
    ordo_status status = ordo_backend_load("cuda", &backend);
    if (!status)
        status = backend->probe(name);
    if (!status)
        status = share_backend(backend);
    if (status)
        return status;
    u->compiler = TOOLCHAIN_CUDA;
    u->capability = backend->capability();
    return ORDO_OK;
}

/* Compiles a unit that has the code of a scheduler at its end. */
static ordo_status load_instance(unit *u, flags *f, const char *scheduler, unsigned device, const code_file *code,
                                 const ordo_instance **out)
{
    const void *entry = NULL;
    void *object;
    define(f, "ORDO_RUN_TIME_SCHEDULER", "", scheduler, "");
    define(f, "ORDO_RUN_TIME_CODE", "", code->name, "");
    if (code->by_residual)
        define(f, "ORDO_RUN_TIME_BY_RESIDUAL", "", "1", "");
    u->flag = f->flag;
    u->flag_count = f->count;
    ordo_status status = device == ORDO_ON_CPU ? ORDO_OK : aim_at_gpu(u);
    if (!status)
        status = unit_load(u, &object);
    if (!status)
        status = entry_of(object, "ordo_run_time_code", u->about, &entry);
    if (!status)
        *out = ((const ordo_run_time_instance *)entry)->instance;
    return status;
}

/* ---- an operator's file ---- */

static const char *sync_symbol(ordo_sync sync)
{
    static const char *const symbols[ORDO_SYNCS] = {
        "ORDO_SYNC_DEFAULT", "ORDO_SYNC_ATOMIC", "ORDO_SYNC_RACY", "ORDO_SYNC_LOCK",
        "ORDO_SYNC_OWNER",   "ORDO_SYNC_SERVER", "ORDO_SYNC_RACE",
    };
    return symbols[sync];
}

ordo_status run_time_describe(const char *file, const ordo_run_time **out)
{
    flags f = {.count = 0};
    const void *entry = NULL;
    void *object;
    define(&f, "ORDO_OP", "", "ordo_run_time", "");
    define(&f, "ORDO_RUN_TIME", "", "<ordo/detail/run_time_unit.h>", "");
    const unit u = {.file = file, .about = file, .flag = f.flag, .flag_count = f.count};
    ordo_status status = unit_load(&u, &object);
    if (!status)
        status = entry_of(object, "ordo_run_time_entry", file, &entry);
    if (!status)
        *out = entry;
    return status;
}

static ordo_status make_instance(const char *file, int kind, const ordo_choice *choice, bool quiet,
                                 const ordo_instance **out)
{
    unit u = {.file = file, .about = file, .quiet = quiet};
    flags f = {.count = 0};
    code_file code;
    ordo_status status = find_code(choice->scheduler, choice->device, kind, &code);
    if (status)
        return status;
    define(&f, "ORDO_OP", "", "ordo_run_time", "");
    define(&f, "ORDO_RUN_TIME", "", "<ordo/detail/run_time_instance.h>", "");
    if (choice->device == ORDO_ON_CPU)
        define(&f, "ORDO_ONLY_SYNC", "", sync_symbol(choice->sync), "");
    if (choice->device == ORDO_OVER_CUDA)
        define(&f, "ORDO_OVER_RANKS", "", "1", "");
    return load_instance(&u, &f, choice->scheduler, choice->device, &code, out);
}

ordo_status run_time_instance(const char *file, int kind, const ordo_choice *choice, const ordo_instance **out)
{
    return make_instance(file, kind, choice, false, out);
}

/* ---- several at once ---- */

typedef struct queue {
    const char *file;
    int kind;
    const ordo_choice *choice; /* [count] */
    int count, next;           /* next: taken by an atomic addition */
} queue;

static void *compile_some(void *arg)
{
    queue *q = arg;
    const ordo_instance *ignored;
    for (int i; (i = __atomic_fetch_add(&q->next, 1, __ATOMIC_RELAXED)) < q->count;)
        make_instance(q->file, q->kind, &q->choice[i], true, &ignored);
    return NULL;
}

/* What is found once is found ahead of the threads. */
static bool can_compile(const ordo_choice *choices, int count)
{
    const toolchain *ignored;
    cache_folder cache;
    bool gpu = false;
    for (int i = 0; i < count; i++)
        gpu |= choices[i].device != ORDO_ON_CPU;
    if (toolchain_find(TOOLCHAIN_C, &ignored) || (gpu && toolchain_find(TOOLCHAIN_CUDA, &ignored)) ||
        cache_private_folder("operators", &cache))
        return false;
    if (!cache.kept)
        rmdir(cache.path);
    return cache.kept;
}

void run_time_compile_ahead(const char *file, int kind, const ordo_choice *choices, int count)
{
    enum { MOST = 7 }; /* files that ordo_output can list for a signal handler, less one */
    queue q = {file, kind, choices, count, 0};
    pthread_t thread[MOST];
    int started = 0;
    if (!can_compile(choices, count))
        return;
    while (started < count && started < MOST && started < ordo_cores() &&
           pthread_create(&thread[started], NULL, compile_some, &q) == 0)
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
}

/* ---- a scheduler's folder ---- */

/* The name and the type of weights of an operator of the tree: "sssp", "u32" of sssp_u32; "" where it has one type. */
static void split_name(const char *op, char name[64], char weight[8])
{
    static const char *const types[] = {"u32", "i32", "f32"};
    const char *last = strrchr(op, '_');
    weight[0] = 0;
    snprintf(name, 64, "%s", op);
    for (int i = 0; last && i < 3; i++)
        if (!strcmp(last + 1, types[i])) {
            snprintf(weight, 8, "%s", types[i]);
            name[(last - op) % 64] = 0;
        }
}

/* Whether the back end has the operator under any scheduler: it has none of those that it does not support. */
static bool runs_on_gpu(const ordo_operator *op)
{
    const ordo_scheduler *all[ORDO_MOST_SCHEDULERS];
    const size_t count = ordo_schedulers(all, ORDO_MOST_SCHEDULERS);
    const ordo_backend *backend;
    if (ordo_backend_load("cuda", &backend))
        return false;
    for (size_t i = 0; i < count; i++)
        if (backend->find(op->name, all[i]->name))
            return true;
    return false;
}

/* Compiles an operator of the tree under the scheduler of a folder: the registry asks for it. All its syncs: which one
 * a run takes is not known here. */
static ordo_status provide(const ordo_operator *op, const char *scheduler, unsigned device, const ordo_instance **out)
{
    const folder *from = find_folder(scheduler);
    const toolchain *tools;
    flags f = {.count = 0};
    char name[64], weight[8], header[160], file[HEADER_PATH + 64];
    code_file code;
    *out = NULL;
    if (!from || ordo_operator_find(op->name) != op || (device == ORDO_ON_CUDA && !runs_on_gpu(op)))
        return ORDO_OK;
    ordo_status status = toolchain_find(TOOLCHAIN_C, &tools);
    if (!status)
        status = find_code(scheduler, device, op->kind, &code);
    if (status)
        return status;
    split_name(op->name, name, weight);
    snprintf(header, sizeof header, "%soperators/%s.h", toolchain_prefix(tools), name);
    snprintf(file, sizeof file, "%s/ordo/detail/run_time_instance.h", tools->include[0]);
    define(&f, "ORDO_OP", "", op->name, "");
    define(&f, "ORDO_RUN_TIME_OPERATOR", "<", header, ">");
    if (weight[0])
        define(&f, "ORDO_WEIGHT", "", weight, "");
    unit u = {.file = file, .about = code.path};
    return load_instance(&u, &f, scheduler, device, &code, out);
}

/* The last part of an absolute path. */
static const char *last_part(const char *path)
{
    return strrchr(path, '/') + 1;
}

static ordo_status register_folder(const folder *f)
{
    char file[PATH_LENGTH + 16], symbol[96];
    static const char *const flag[] = {"-fvisibility=default"};
    void *object;
    snprintf(file, sizeof file, "%s/scheduler.c", f->path);
    const unit u = {.file = file, .about = file, .flag = flag, .flag_count = 1};
    ordo_status status = unit_load(&u, &object);
    if (status)
        return status;
    snprintf(symbol, sizeof symbol, "ordo_scheduler_%s", f->name);
    const ordo_scheduler *found = dlsym(object, symbol);
    if (!found)
        return ordo_fail(ORDO_ERR_INPUT, "%s: it defines no scheduler of the folder's name, expected %s", file, symbol);
    if (found->interface != ORDO_SCHEDULER_INTERFACE)
        return ordo_fail(ORDO_ERR_INPUT,
                         "%s: it was written for another version of Ordo: found interface %u, expected %u", file,
                         found->interface, (unsigned)ORDO_SCHEDULER_INTERFACE);
    if (!found->name || strcmp(found->name, f->name) != 0)
        return ordo_fail(ORDO_ERR_INPUT, "%s: scheduler '%.60s' is in a folder of another name, expected '%s'", file,
                         found->name ? found->name : "", f->name);
    if (ordo_scheduler_find(f->name))
        return ordo_fail(ORDO_ERR_USAGE, "%s: there is another scheduler '%s'; expected a name of its own", f->path,
                         f->name);
    return ordo_scheduler_register(found);
}

ordo_status run_time_scheduler(const char *path, const char **name)
{
    char *real = realpath(path, NULL);
    if (!real)
        return ordo_fail(ORDO_ERR_IO, "%s: no such folder of a scheduler", path);
    const char *last = last_part(real);
    for (int i = 0; i < folder_count; i++)
        if (!strcmp(folders[i].path, real)) {
            *name = folders[i].name;
            free(real);
            return ORDO_OK;
        }
    folder *f = &folders[folder_count];
    if (folder_count == MOST_FOLDERS || strlen(real) >= sizeof f->path || strlen(last) >= sizeof f->name ||
        strpbrk(real, "\"\\") ||
        strspn(last, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(last)) {
        free(real);
        return ordo_fail(ORDO_ERR_USAGE,
                         "%s: expected a folder whose name is that of a scheduler (letters, digits, '_'), %d at most",
                         path, MOST_FOLDERS);
    }
    snprintf(f->name, sizeof f->name, "%s", last);
    snprintf(f->path, sizeof f->path, "%s", real);
    free(real);
    ordo_status status = register_folder(f);
    if (status)
        return status;
    folder_count++;
    ordo_instance_provider(provide);
    *name = f->name;
    return ORDO_OK;
}
