/* options.c -- options that name a scheduler's folder: the scheduler is compiled and registered, and the option then
 * has its name. A word is a folder if it has a slash.
 */
#include <string.h>

#include "apps/cli/run_time/operator.h"
#include "apps/cli/run_time/units.h"

static ordo_status name_of(const options *o, const char *path, const char **name)
{
    show_phase(o, "compiling", path);
    ordo_status status = run_time_scheduler(path, name);
    clear_progress();
    return status;
}

/* Rewrites a list of NAME[:SYNC][:TUNABLE=VALUE]..., with commas, to out[size]. */
static ordo_status rewrite_list(const options *o, const char *list, char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (const char *at = list; at;) {
        const size_t length = strcspn(at, ","), word = strcspn(at, ",:");
        char path[1024];
        const char *name = path;
        if (word >= sizeof path)
            return ordo_fail(ORDO_ERR_USAGE, "--schedulers '%.80s...': a name of that length", at);
        snprintf(path, sizeof path, "%.*s", (int)word, at);
        ordo_status status = strchr(path, '/') ? name_of(o, path, &name) : ORDO_OK;
        if (status)
            return status;
        used += (size_t)snprintf(out + used, size - used, "%s%s%.*s", used ? "," : "", name, (int)(length - word),
                                 at + word);
        if (used >= size)
            return ordo_fail(ORDO_ERR_USAGE, "--schedulers: the list is too long");
        at = at[length] ? at + length + 1 : NULL;
    }
    return ORDO_OK;
}

ordo_status run_time_options(options *o)
{
    static char list[8192];
    ordo_status status = ORDO_OK;
    if (o->scheduler && strchr(o->scheduler, '/'))
        status = name_of(o, o->scheduler, &o->scheduler);
    if (!status && o->schedulers && strchr(o->schedulers, '/')) {
        status = rewrite_list(o, o->schedulers, list, sizeof list);
        o->schedulers = list;
    }
    return status;
}
