/* arrays.cu -- host functions that only some operators and schedulers need: copies the arrays of a state to the device,
 * and lets a kernel's blocks have more shared memory than the default.
 */
#include <ordo/scheduler/cuda_host.h>

#include <string.h>

#include "framework/run/clock.h"

#include "copy.h"

void *ordo_cuda_copy(ordo_cuda *c, const void *from, ordo_u64 count, size_t size)
{
    void *to = ordo_cuda_alloc(c, count, size, false);
    if (to && count && ordo_copy_in(to, from, count, size, NULL, ordo_job_host_threads(c->job), "copying tables"))
        return NULL;
    return to;
}

static bool is_of_session(const ordo_cuda *c, const void *at)
{
    void *own;
    const ordo_session *session = ordo_job_session(c->job, &own);
    return session && ordo_session_holds(session, at);
}

ordo_status ordo_cuda_arrays_in(ordo_cuda *c, ordo_cuda_arrays *arrays)
{
    const bool whole = !c->job->remote; /* a rank may have its own rows alone, and the state those of any vertex */
    for (int i = 0; i < arrays->count; i++) {
        const ordo_array *a = &arrays->array[i];
        memcpy(&arrays->host[i], a->place, sizeof arrays->host[i]);
        if (!arrays->host[i])
            continue;
        if (is_of_session(c, arrays->host[i])) {
            continue; /* it stays where it is, and is not copied back */
        } else if (arrays->host[i] == c->job->cells) {
            arrays->device[i] = c->cells;
        } else if (whole && c->out.row && arrays->host[i] == (const void *)c->job->out->row) {
            arrays->device[i] = (void *)c->out.row;
        } else if (whole && c->out.edge && c->out.stride == c->job->out->stride &&
                   arrays->host[i] == (const void *)c->job->out->head) {
            arrays->device[i] = (void *)c->out.edge;
        } else {
            if (!(arrays->device[i] = ordo_cuda_alloc(c, a->count, a->size, false)))
                return ORDO_ERR_MEMORY;
            ordo_status status = a->count ? ordo_copy_in(arrays->device[i], arrays->host[i], a->count, a->size, NULL,
                                                         ordo_job_host_threads(c->job), "copying the state")
                                          : ORDO_OK;
            if (status)
                return status;
        }
        memcpy(a->place, &arrays->device[i], sizeof arrays->device[i]);
    }
    return ORDO_OK;
}

ordo_status ordo_cuda_arrays_out(ordo_cuda *c, const ordo_cuda_arrays *arrays)
{
    const double start = ordo_seconds();
    ordo_status status = ORDO_OK;
    for (int i = 0; i < arrays->count && !status; i++) {
        const ordo_array *a = &arrays->array[i];
        if (arrays->device[i] && a->access != ORDO_ARRAY_READ && a->count)
            status = ordo_copy_out(arrays->host[i], arrays->device[i], a->count * a->size,
                                   ordo_job_host_threads(c->job), "copying the state");
    }
    ordo_job_add_transfer(c->job, ordo_seconds() - start);
    return status;
}

ordo_status ordo_cuda_share(ordo_cuda *c, const void *kernel, int threads, size_t bytes, int *resident)
{
    int units = 0;
    size_t unit = 0, most = 0;
    *resident = 0;
    ordo_status status = kernel ? ordo_cuda_size(&units, &unit, &most) : ORDO_ERR_DEVICE;
    if (status || bytes > most)
        return status;
    status = ordo_cuda_failed(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes),
                              "asking for shared memory");
    if (!status)
        status = ordo_cuda_failed(cudaOccupancyMaxActiveBlocksPerMultiprocessor(resident, kernel, threads, bytes),
                                  "asking how many blocks fit");
    if (!status)
        c->shared = bytes;
    return status;
}

ordo_status ordo_cuda_size(int *units, size_t *shared_unit, size_t *shared_block)
{
    int device = 0, unit = 0, block = 0;
    ordo_status status = ordo_cuda_failed(cudaGetDevice(&device), "asking for the device");
    if (!status)
        status = ordo_cuda_failed(cudaDeviceGetAttribute(units, cudaDevAttrMultiProcessorCount, device),
                                  "asking for its size");
    if (!status)
        status = ordo_cuda_failed(cudaDeviceGetAttribute(&unit, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device),
                                  "asking for its size");
    if (!status)
        status = ordo_cuda_failed(cudaDeviceGetAttribute(&block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                                  "asking for its size");
    *shared_unit = (size_t)unit;
    *shared_block = (size_t)block;
    return status;
}
