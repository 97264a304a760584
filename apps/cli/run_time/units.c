/* units.c -- see units.h.
 *
 * An operator's file is the unit that the compiler reads: <ordo/operator/relax.h>, which the file includes last,
 * includes the rest where ORDO_RUN_TIME names it. So messages of the compiler name the user's file and lines.
 */
#define _GNU_SOURCE /* realpath */
#include "apps/cli/run_time/units.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/run_time/compile.h"
#include "framework/run/registry.h"

enum { MOST_FOLDERS = 32, PATH_LENGTH = 1024 };

/* A scheduler's folder. */
typedef struct folder {
    char name[64];
    char path[PATH_LENGTH]; /* absolute */
    char code[PATH_LENGTH + 16];
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
    char text[UNIT_FLAGS][PATH_LENGTH + 64];
    const char *flag[UNIT_FLAGS];
    int count;
} flags;

static void define(flags *f, const char *name, const char *before, const char *value, const char *after)
{
    snprintf(f->text[f->count], sizeof f->text[0], "-D%s=%s%s%s", name, before, value, after);
    f->flag[f->count] = f->text[f->count];
    f->count++;
}

/* The scheduler that a unit is compiled for. */
static void define_scheduler(flags *f, const toolchain *tools, const char *scheduler)
{
    const folder *from = find_folder(scheduler);
    char path[160];
    define(f, "ORDO_RUN_TIME_SCHEDULER", "", scheduler, "");
    snprintf(path, sizeof path, "%sschedulers/%.64s/cpu.h", toolchain_prefix(tools), scheduler);
    if (from)
        define(f, "ORDO_RUN_TIME_CODE", "\"", from->code, "\"");
    else
        define(f, "ORDO_RUN_TIME_CODE", "<", path, ">");
}

/* The table of an object; of another version: ORDO_ERR_INPUT. */
static ordo_status table_of(void *object, const char *file, const ordo_run_time **out)
{
    const ordo_run_time *found = dlsym(object, "ordo_run_time_entry");
    if (!found)
        return ordo_fail(ORDO_ERR_INPUT,
                         "%s: it declares no operator; expected an ORDO_RELAX_... list and, as the last include, "
                         "<ordo/operator/relax.h>",
                         file);
    if (found->interface != ORDO_RUN_TIME_INTERFACE)
        return ordo_fail(ORDO_ERR_INPUT,
                         "%s: it was compiled for another version of Ordo: found interface %u, expected %u", file,
                         found->interface, (unsigned)ORDO_RUN_TIME_INTERFACE);
    *out = found;
    return ORDO_OK;
}

/* ---- an operator's file ---- */

static const char *sync_symbol(ordo_sync sync)
{
    static const char *const symbols[ORDO_SYNCS] = {
        "ORDO_SYNC_DEFAULT", "ORDO_SYNC_ATOMIC", "ORDO_SYNC_RACY",
        "ORDO_SYNC_LOCK",    "ORDO_SYNC_OWNER",  "ORDO_SYNC_SERVER",
    };
    return symbols[sync];
}

ordo_status run_time_compile(const char *file, const char *scheduler, ordo_sync sync, const ordo_run_time **out)
{
    const toolchain *tools;
    flags f = {.count = 0};
    void *object;
    ordo_status status = toolchain_find(&tools);
    if (status)
        return status;
    define(&f, "ORDO_OP", "", "ordo_run_time", "");
    define(&f, "ORDO_RUN_TIME", "", "<ordo/detail/run_time_unit.h>", "");
    if (scheduler) {
        define_scheduler(&f, tools, scheduler);
        define(&f, "ORDO_ONLY_SYNC", "", sync_symbol(sync), "");
    }
    const unit u = {.file = file, .about = file, .flag = f.flag, .flag_count = f.count};
    status = unit_load(&u, &object);
    return status ? status : table_of(object, file, out);
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

/* Compiles an operator of the tree under the scheduler of a folder: the registry asks for it. All its syncs: which one
 * a run takes is not known here. */
static ordo_status provide(const ordo_operator *op, const char *scheduler, const ordo_instance **out)
{
    const folder *from = find_folder(scheduler);
    const ordo_run_time *table = NULL;
    const toolchain *tools;
    flags f = {.count = 0};
    char name[64], weight[8], header[160], file[HEADER_PATH + 64];
    void *object;
    *out = NULL;
    if (!from || ordo_operator_find(op->name) != op)
        return ORDO_OK;
    ordo_status status = toolchain_find(&tools);
    if (status)
        return status;
    split_name(op->name, name, weight);
    snprintf(header, sizeof header, "%soperators/%s.h", toolchain_prefix(tools), name);
    snprintf(file, sizeof file, "%s/ordo/detail/run_time_instance.h", tools->include[0]);
    define(&f, "ORDO_OP", "", op->name, "");
    define(&f, "ORDO_RUN_TIME_OPERATOR", "<", header, ">");
    if (weight[0])
        define(&f, "ORDO_WEIGHT", "", weight, "");
    define_scheduler(&f, tools, scheduler);
    const unit u = {.file = file, .about = from->code, .flag = f.flag, .flag_count = f.count};
    status = unit_load(&u, &object);
    if (!status)
        status = table_of(object, from->code, &table);
    if (!status)
        *out = table->instance;
    return status;
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
    snprintf(f->code, sizeof f->code, "%s/cpu.h", real);
    free(real);
    ordo_status status = register_folder(f);
    if (status)
        return status;
    folder_count++;
    ordo_instance_provider(provide);
    *name = f->name;
    return ORDO_OK;
}
