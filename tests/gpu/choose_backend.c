/* A back end without a GPU, for choices alone: it has an instance of every operator that Ordo's has, with the syncs
 * that it has there, and running one does nothing. For tests/unit/choose_test.c.
 */
#include <stdio.h>
#include <string.h>

#include <ordo/detail/backend.h>

static ordo_status probe(char device[ORDO_DEVICE_NAME])
{
    snprintf(device, ORDO_DEVICE_NAME, "no GPU, choices alone");
    return ORDO_OK;
}

static int capability(void)
{
    return 90;
}

static ordo_status run(ordo_job *job)
{
    (void)job;
    return ORDO_OK;
}

enum {
    ATOMIC = 1 << ORDO_SYNC_ATOMIC,
    RACY = 1 << ORDO_SYNC_RACY,
    LOCK = 1 << ORDO_SYNC_LOCK,
    OWNER = 1 << ORDO_SYNC_OWNER,
    SERVER = 1 << ORDO_SYNC_SERVER
};
static const ordo_instance on_relax[] = {{"bsp", run, ATOMIC | RACY | LOCK, ORDO_ON_CUDA},
                                         {"near_far", run, ATOMIC, ORDO_ON_CUDA},
                                         {"delta", run, ATOMIC, ORDO_ON_CUDA},
                                         {"topology", run, ATOMIC | RACY, ORDO_ON_CUDA},
                                         {"adds", run, ATOMIC, ORDO_ON_CUDA},
                                         {"inbox", run, ATOMIC, ORDO_ON_CUDA},
                                         {"lock_server", run, SERVER, ORDO_ON_CUDA},
                                         {"horizon", run, ATOMIC, ORDO_ON_CUDA},
                                         {NULL, NULL, 0, 0}};
static const ordo_instance on_critical[] = {
    {"bsp", run, OWNER | LOCK, ORDO_ON_CUDA},   {"near_far", run, LOCK, ORDO_ON_CUDA},
    {"delta", run, LOCK, ORDO_ON_CUDA},         {"topology", run, OWNER | LOCK, ORDO_ON_CUDA},
    {"adds", run, LOCK, ORDO_ON_CUDA},          {"inbox", run, LOCK, ORDO_ON_CUDA},
    {"lock_server", run, SERVER, ORDO_ON_CUDA}, {NULL, NULL, 0, 0}};

static const ordo_instance *find(const char *op, const char *scheduler)
{
    const ordo_operator *found = ordo_operator_find(op);
    if (!found || !(found->properties & ORDO_SELECTIVE || found->kind == ORDO_KIND_CRITICAL))
        return NULL; /* cells that sum have none */
    if (!strcmp(scheduler, "horizon") && !(found->properties & ORDO_BY_WEIGHT))
        return NULL;
    const ordo_instance *at = found->kind == ORDO_KIND_RELAX ? on_relax : on_critical;
    while (at->scheduler && strcmp(at->scheduler, scheduler) != 0)
        at++;
    return at->scheduler ? at : NULL;
}

extern const ordo_backend ordo_cuda_backend;
__attribute__((visibility("default"))) const ordo_backend ordo_cuda_backend = {
    ORDO_BACKEND_ABI, "cuda", probe, find, NULL, capability, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
