/* device_arrays.c -- graphs over rows of the caller's in the memory of a GPU.
 *
 * Method: the graph gets both, a copy on the host, since the host's code follows rows without asking first, and the
 * caller's arrays as what the back end has of the graph, which it then need not make. A session copies to the host, and
 * says whether addresses are of its device.
 */
#include <stdio.h>
#include <string.h>

#include <ordo/detail/backend.h>
#include <ordo/memory.h>
#include <ordo/session.h>

#include "framework/graph/graph.h"

/* The host's copies, freed with the graph that borrows them; then the device's arrays are released. */
typedef struct mirror {
    void *row, *head, *weight;
    ordo_release_fn *release;
    void *release_arg;
} mirror;

static void drop_mirror(void *arg)
{
    const mirror own = *(mirror *)arg;
    ordo_free(own.row);
    ordo_free(own.head);
    ordo_free(own.weight);
    ordo_free(arg);
    if (own.release)
        own.release(own.release_arg);
}

static size_t row_bytes(const ordo_row_arrays *a)
{
    return a->row_type == ORDO_U32 || a->row_type == ORDO_I32 ? sizeof(ordo_u32) : sizeof(ordo_u64);
}

static size_t weight_bytes(const ordo_row_arrays *a)
{
    return a->weight_type == ORDO_NONE ? 0 : ordo_type_bytes(a->weight_type);
}

static ordo_status check_address(const char *what, const void *at, size_t bytes)
{
    return !bytes || (size_t)at % bytes == 0
               ? ORDO_OK
               : ordo_fail(ORDO_ERR_USAGE, "%s: found address %p, expected a multiple of its elements' %zu bytes", what,
                           at, bytes);
}

static size_t head_bytes(const ordo_row_arrays *a)
{
    return a->head_type == ORDO_U64 ? sizeof(ordo_u64) : sizeof *a->head;
}

static ordo_status check_device_arrays(const ordo_row_arrays *a)
{
    ordo_row_arrays narrow = *a;
    narrow.head_type = a->head_type == ORDO_U64 ? ORDO_U32 : a->head_type;
    ordo_status status = ordo_check_row_arrays(&narrow);
    if (!status && a->stride > 1 && (weight_bytes(a) != 4 || head_bytes(a) != 4 || a->weight != a->head + 1))
        status = ordo_fail(ORDO_ERR_USAGE,
                           "found stride %u on a device, expected 1, or 2 with each weight of 4 bytes behind its head",
                           a->stride);
    if (!status)
        status = check_address("row", a->row, row_bytes(a));
    if (!status)
        status = check_address("head", a->head, head_bytes(a));
    return status ? status : check_address("weight", a->weight, weight_bytes(a));
}

/* Copies an array of the device to memory that is then the caller's. */
static ordo_status fetch(ordo_session *session, const char *what, const void *from, ordo_u64 count, size_t size,
                         void **out)
{
    if (!count)
        return ORDO_OK;
    ordo_status status = ordo_session_adopt(session, (void *)(size_t)from, count * size);
    if (status == ORDO_ERR_USAGE) {
        char why[256];
        snprintf(why, sizeof why, "%s", ordo_last_error());
        return ordo_fail(status, "%s: %s", what, why);
    }
    if (!status && !(*out = ordo_alloc(count, size)))
        status = ORDO_ERR_MEMORY;
    return status ? status : ordo_session_read(session, *out, from, count * size);
}

/* Heads of 8 bytes become ones of 4, in the same memory. */
static ordo_status narrow_heads(const ordo_row_arrays *a, void *heads)
{
    const ordo_u64 *wide = heads;
    ordo_vid *narrow = heads;
    for (ordo_u64 e = 0; e < a->m; e++) {
        ordo_u64 head;
        memcpy(&head, wide + e, sizeof head); /* the memory has both types */
        if (head >= a->n)
            return ordo_fail(ORDO_ERR_INPUT, "edge %llu: found head %llu, expected one below %llu",
                             (unsigned long long)e, (unsigned long long)head, (unsigned long long)a->n);
        const ordo_vid low = (ordo_vid)head;
        memcpy(narrow + e, &low, sizeof low);
    }
    return ORDO_OK;
}

static ordo_status fetch_all(const ordo_row_arrays *a, const char *device, mirror *m)
{
    ordo_session *session;
    const bool pairs = a->stride > 1;
    ordo_status status = ordo_session_make(device, a->threads, &session);
    if (status)
        return status;
    status = fetch(session, "row", a->row, a->n + 1, row_bytes(a), &m->row);
    if (!status)
        status = fetch(session, "head", a->head, a->m, (pairs ? 2 : 1) * head_bytes(a), &m->head);
    if (!status && a->head_type == ORDO_U64)
        status = narrow_heads(a, m->head);
    if (!status && !pairs && weight_bytes(a))
        status = fetch(session, "weight", a->weight, a->m, weight_bytes(a), &m->weight);
    ordo_session_free(session);
    return status;
}

static ordo_status borrow_device(const ordo_row_arrays *a, const ordo_backend *backend, mirror *m, ordo_graph **out)
{
    ordo_row_arrays host = *a;
    host.row = m->row;
    host.head = m->head;
    host.head_type = ORDO_U32;
    host.weight = a->stride > 1 ? host.head + (a->m ? 1 : 0) : m->weight;
    host.release = drop_mirror;
    host.release_arg = m;
    ordo_graph *g;
    ordo_status status = ordo_graph_borrow_arrays(&host, &g);
    if (status)
        return status;
    status = backend->adopt(g, a);
    if (status)
        ordo_graph_free(g);
    else
        *out = g;
    return status;
}

ordo_status ordo_graph_borrow_device_arrays(const ordo_row_arrays *arrays, const char *device, ordo_graph **out)
{
    if (!arrays)
        return ordo_fail(ORDO_ERR_USAGE, "arrays is NULL");
    const ordo_backend *backend = NULL;
    mirror *m = NULL;
    ordo_status status = !out || !device ? ordo_fail(ORDO_ERR_USAGE, "%s is NULL", out ? "device" : "out") : ORDO_OK;
    if (!status && (!strcmp(device, "cpu") || !strcmp(device, "auto")))
        status = ordo_fail(ORDO_ERR_USAGE, "device '%s', expected cuda, in whose memory the arrays are", device);
    if (!status)
        status = check_device_arrays(arrays);
    if (!status)
        status = ordo_backend_load(device, &backend);
    if (!status && (!backend->session || !backend->adopt))
        status = ordo_fail(ORDO_ERR_DEVICE, "device '%s': its back end cannot use arrays that are there", device);
    if (!status && !(m = ordo_alloc_zero(1, sizeof *m)))
        status = ORDO_ERR_MEMORY;
    if (!status)
        status = fetch_all(arrays, device, m);
    if (m) {
        m->release = arrays->release;
        m->release_arg = arrays->release_arg;
    }
    if (!status)
        return borrow_device(arrays, backend, m, out); /* which releases after an error, too */
    if (m)
        drop_mirror(m);
    else if (arrays->release)
        arrays->release(arrays->release_arg);
    return status;
}
