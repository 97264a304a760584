/* settings.h -- settings that a library may not take: constants of a release are tunables only with -Dablation=true,
 * which is how tools/check builds for the sanitizers and tools/gpu-check on a GPU. */
#ifndef TESTS_SETTINGS_H
#define TESTS_SETTINGS_H

#include <string.h>

#include <ordo/scheduler/scheduler.h>

/* Copies those of settings[count] ("name=value") that name a tunable of the scheduler to out[]; returns their number.
 */
__attribute__((unused)) static size_t settings_taken(const char *scheduler, const char *const *settings, size_t count,
                                                     const char **out)
{
    const ordo_scheduler *s = ordo_scheduler_find(scheduler);
    size_t taken = 0;
    for (size_t i = 0; s && i < count; i++)
        for (int k = 0; k < s->tunable_count; k++) {
            const size_t length = strlen(s->tunables[k].name);
            if (!strncmp(settings[i], s->tunables[k].name, length) && settings[i][length] == '=')
                out[taken++] = settings[i];
        }
    return taken;
}

#endif
