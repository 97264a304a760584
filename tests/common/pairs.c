#include "pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/detail/backend.h>

static bool is_cpu(const char *device)
{
    return !device || !strcmp(device, "cpu");
}

/* The instance that a run would take; NULL where there is none. Ends with 77 where the device is not there. */
static const ordo_instance *instance_of(const ordo_operator *op, const ordo_scheduler *s, const char *device)
{
    const unsigned on = is_cpu(device) ? ORDO_ON_CPU : ORDO_ON_CUDA;
    for (const ordo_instance *const *i = op->instances; *i; i++) /* those of a program's own operator on a GPU, too */
        if (!strcmp((*i)->scheduler, s->name) && (*i)->device == on)
            return *i;
    if (!is_cpu(device)) {
        const ordo_backend *backend;
        char name[ORDO_DEVICE_NAME];
        ordo_status status = ordo_backend_load(device, &backend);
        if (!status)
            status = backend->probe(name);
        if (status) {
            printf("%s: %s\n", status == ORDO_ERR_DEVICE ? "skipped" : "FAILED", ordo_last_error());
            exit(status == ORDO_ERR_DEVICE ? 77 : 1);
        }
        return backend->find(op->name, s->name);
    }
    return NULL;
}

/* Whether the descriptors of scheduler, operator and instance have that sync. */
static bool is_declared(const ordo_operator *op, const ordo_scheduler *s, ordo_sync sync, const ordo_instance *instance)
{
    if (!instance || !instance->run || (instance->syncs && !(instance->syncs & 1u << sync)))
        return false;
    for (const ordo_pairing *pair = s->pairings; pair->kind; pair++)
        if (pair->kind == op->kind && pair->sync == sync && !(pair->needs & ~op->properties))
            return true;
    return false;
}

/* Whether ordo_run_check lets a work of one item pass, which says nothing of what its state holds. */
static ordo_status ask(const ordo_operator *op, const ordo_scheduler *s, ordo_sync sync, const char *device,
                       const char *items)
{
    static const ordo_eid row[2];
    static const ordo_vid head[1];
    static _Alignas(16) char cells[64], state[4096];
    const ordo_csr csr = {.n = 1, .row = row, .head = head, .stride = 1, .weight_type = ORDO_NONE};
    ordo_graph *g;
    if (ordo_graph_borrow(&csr, true, &g)) {
        printf("FAILED %s\n", ordo_last_error());
        exit(1);
    }
    const ordo_work work = {.op = op, .graph = g, .cells = cells, .state = state, .num_items = 1, .targets = 1};
    const ordo_options options = {.scheduler = s->name, .sync = ordo_sync_name(sync), .device = device, .items = items};
    ordo_status status = ordo_run_check(&work, &options);
    ordo_graph_free(g);
    return status;
}

/* Whether the descriptors offer the pair with these items; ordo_run_check must say the same. */
static bool is_offered(const ordo_operator *op, const ordo_scheduler *s, ordo_sync sync, const char *device,
                       const char *items, bool declared)
{
    const ordo_status status = ask(op, s, sync, device, items);
    if (status == (declared ? ORDO_OK : ORDO_ERR_UNSOUND))
        return declared;
    printf("FAILED %s/%s/%s%s%s: the descriptors %s it, ordo_run_check gives %s%s%s\n", op->name, s->name,
           ordo_sync_name(sync), items ? ", items " : "", items ? items : "", declared ? "offer" : "do not offer",
           ordo_status_name(status), status ? ": " : "", status ? ordo_last_error() : "");
    exit(1);
}

static bool has_items(const ordo_operator *op, const ordo_scheduler *s, const char *device, int item)
{
    const unsigned on = 1u << (is_cpu(device) ? ORDO_ON_CPU : ORDO_ON_CUDA);
    return op->items & item && (op->kind != ORDO_KIND_RELAX || item != ORDO_ITEMS_EDGES || s->edge_items & on);
}

bool pair_is_offered(const ordo_operator *op, const ordo_scheduler *s, ordo_sync sync, const char *device)
{
    const bool by_edges = op->kind == ORDO_KIND_RELAX && op->items == ORDO_ITEMS_EDGES;
    return is_offered(op, s, sync, device, NULL,
                      is_declared(op, s, sync, instance_of(op, s, device)) &&
                          (!by_edges || has_items(op, s, device, ORDO_ITEMS_EDGES)));
}

bool pair_has_items(const ordo_operator *op, const ordo_scheduler *s, ordo_sync sync, const char *device, int item)
{
    return is_offered(op, s, sync, device, item == ORDO_ITEMS_EDGES ? "edges" : "vertices",
                      is_declared(op, s, sync, instance_of(op, s, device)) && has_items(op, s, device, item));
}
