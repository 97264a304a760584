/* backend.c -- finds and loads back ends, which <ordo/detail/backend.h> describes. A loaded one is kept.
 *
 * Not done: unloading; several versions side by side.
 */
#define _GNU_SOURCE /* dladdr */
#include <ordo/detail/backend.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load_object.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const ordo_backend *cuda;

ordo_status ordo_object_load(const char *name, const char *subject, void **out)
{
    char path[4096] = "";
    Dl_info me;
    if (dladdr((const void *)&cuda, &me) && me.dli_fname && strrchr(me.dli_fname, '/')) {
        int length = (int)(strrchr(me.dli_fname, '/') - me.dli_fname);
        snprintf(path, sizeof path, "%.*s/libordo-%s.so", length, me.dli_fname, name);
    }
    const char *folder = getenv("ORDO_BACKENDS");
    bool beside = path[0] && access(path, F_OK) == 0;
    if (!beside && folder && folder[0]) {
        snprintf(path, sizeof path, "%s/libordo-%s.so", folder, name);
        beside = access(path, F_OK) == 0;
    }
    if (!beside)
        snprintf(path, sizeof path, "libordo-%s.so", name);
    *out = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*out)
        return ORDO_OK;
    const char *why = dlerror();
    return ordo_fail(ORDO_ERR_DEVICE, "%s: %s: %s", subject,
                     beside ? "its back end cannot be loaded" : "this Ordo has no such back end", why ? why : path);
}

static ordo_status load(const char *name, const ordo_backend **out)
{
    char symbol[64], subject[32];
    void *object;
    snprintf(subject, sizeof subject, "device '%s'", name);
    ordo_status status = ordo_object_load(name, subject, &object);
    if (status)
        return status;
    snprintf(symbol, sizeof symbol, "ordo_%s_backend", name);
    const ordo_backend *found = dlsym(object, symbol);
    if (!found || found->abi != ORDO_BACKEND_ABI) {
        if (found)
            ordo_fail(ORDO_ERR_DEVICE,
                      "device '%s': libordo-%s.so is of another version of Ordo: found %u, expected %u", name, name,
                      found->abi, (unsigned)ORDO_BACKEND_ABI);
        else
            ordo_fail(ORDO_ERR_DEVICE, "device '%s': libordo-%s.so is no back end of Ordo: it has no %s", name, name,
                      symbol);
        dlclose(object);
        return ORDO_ERR_DEVICE;
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
