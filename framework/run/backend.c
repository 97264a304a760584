/* backend.c -- finds and loads back ends.
 *
 * Not done: unloading; several versions side by side.
 */
#define _GNU_SOURCE /* dladdr */
#include <ordo/backend.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const ordo_backend *cuda;

/* "libordo-NAME.so" beside this library, else by name alone. */
static void *open_object(const char *name, char *why, size_t room)
{
    char path[4096];
    Dl_info me;
    void *object = NULL;
    if (dladdr((const void *)&cuda, &me) && me.dli_fname && strrchr(me.dli_fname, '/')) {
        int folder = (int)(strrchr(me.dli_fname, '/') - me.dli_fname);
        snprintf(path, sizeof path, "%.*s/libordo-%s.so", folder, me.dli_fname, name);
        object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (!object) {
        const char *first = dlerror(); /* NULL where there was no first try */
        snprintf(why, room, "%s", first ? first : "");
        snprintf(path, sizeof path, "libordo-%s.so", name);
        object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return object;
}

static ordo_status load(const char *name, const ordo_backend **out)
{
    char why[512], symbol[64];
    void *object = open_object(name, why, sizeof why);
    if (!object)
        return ordo_fail(ORDO_ERR_DEVICE, "device '%s': this Ordo has no such back end: %s", name, why);
    snprintf(symbol, sizeof symbol, "ordo_%s_backend", name);
    const ordo_backend *found = dlsym(object, symbol);
    if (!found || found->abi != ORDO_BACKEND_ABI) {
        dlclose(object);
        return ordo_fail(ORDO_ERR_DEVICE, "device '%s': libordo-%s.so is of another version of Ordo", name, name);
    }
    *out = found;
    return ORDO_OK;
}

ordo_status ordo_backend_load(const char *name, const ordo_backend **out)
{
    if (strcmp(name, "cuda") != 0)
        return ordo_fail(ORDO_ERR_UNKNOWN, "device '%s' is unknown, expected cpu, cuda or auto", name);
    pthread_mutex_lock(&lock);
    ordo_status status = cuda ? ORDO_OK : load(name, &cuda);
    *out = cuda;
    pthread_mutex_unlock(&lock);
    return status;
}
