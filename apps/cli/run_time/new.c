/* new.c -- `ordo new operator NAME` and `ordo new scheduler NAME`: writes what to begin with, and a test that passes at
 * once. Nothing is overwritten.
 */
#define _GNU_SOURCE /* fchmod */
#include "apps/cli/cli.h"
#include "apps/cli/run_time/new.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_identifier(const char *name)
{
    if (!isalpha((unsigned char)name[0]) || strlen(name) > 60)
        return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return true;
}

/* Writes a text with the name in place of @ to a file that must not exist. */
static ordo_status write_new(const char *path, const char *text, const char *name, mode_t mode)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0 && errno == EEXIST)
        return ordo_fail(ORDO_ERR_IO, "%s: it exists, and is left as it is", path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) {
        const int error = errno;
        if (fd >= 0)
            close(fd);
        return ordo_output_error(path, error);
    }
    for (const char *c = text; *c; c++)
        if (*c == '@')
            fputs(name, file);
        else
            fputc(*c, file);
    const bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        const int error = errno;
        unlink(path);
        return ordo_output_error(path, error);
    }
    return ORDO_OK;
}

/* A file to write. */
typedef struct new_file {
    const char *name; /* behind the operator's name, or in the scheduler's folder */
    const char *text;
    mode_t mode;
} new_file;
static const new_file operator_files[] = {{".c", new_operator_text, 0666}, {"_test", new_operator_test_text, 0777}};
static const new_file scheduler_files[] = {{"/scheduler.c", new_scheduler_text, 0666},
                                           {"/tunables.h", new_tunables_text, 0666},
                                           {"/cpu.h", new_code_text, 0666},
                                           {"/test", new_scheduler_test_text, 0777},
                                           {"/README.md", new_readme_text, 0666}};

/* Writes all or, after an error, none. */
static ordo_status write_all(const char *name, const new_file *files, size_t count)
{
    char path[96];
    ordo_status status = ORDO_OK;
    size_t written = 0;
    for (; written < count && !status; written += !status) {
        snprintf(path, sizeof path, "%s%s", name, files[written].name);
        status = write_new(path, files[written].text, name, files[written].mode);
    }
    for (size_t i = 0; status && i < written; i++) {
        snprintf(path, sizeof path, "%s%s", name, files[i].name);
        unlink(path);
    }
    return status;
}

static ordo_status new_scheduler(const options *o, const char *name)
{
    if (mkdir(name, 0777) != 0)
        return errno == EEXIST ? ordo_fail(ORDO_ERR_IO, "%s: it exists, and is left as it is", name)
                               : ordo_output_error(name, errno);
    ordo_status status = write_all(name, scheduler_files, sizeof scheduler_files / sizeof scheduler_files[0]);
    if (status)
        rmdir(name);
    else if (!o->quiet)
        printf("%s: a scheduler, and its test, %s/test\n", name, name);
    return status;
}

ordo_status verb_new(const options *o)
{
    static const char *const kinds[] = {"operator", "scheduler", NULL};
    if (o->word_count != 2)
        return ordo_fail(ORDO_ERR_USAGE, "new needs what to write and its name: new operator|scheduler NAME");
    const char *kind = o->words[0], *name = o->words[1];
    if (strcmp(kind, kinds[0]) != 0 && strcmp(kind, kinds[1]) != 0)
        return unknown("kind", kind, kinds, "ordo help new");
    if (!is_identifier(name))
        return ordo_fail(ORDO_ERR_USAGE,
                         "'%s' is no name of an operator or scheduler, expected letters, digits and '_'", name);
    if (!strcmp(kind, kinds[1]))
        return new_scheduler(o, name);
    ordo_status status = write_all(name, operator_files, sizeof operator_files / sizeof operator_files[0]);
    if (!status && !o->quiet)
        printf("%s.c and its test, %s_test\n", name, name);
    return status;
}
