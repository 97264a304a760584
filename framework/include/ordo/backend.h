/* backend.h -- a back end beside the CPU's: a shared object with one table, loaded when it is asked for.
 *
 * libordo knows no device. `--device cuda` makes it load libordo-cuda.so (from libordo's own folder, else as the loader
 * searches) and take the table `ordo_cuda_backend` from it. A missing object, driver or device is ORDO_ERR_DEVICE with
 * a sentence that says which.
 */
#ifndef ORDO_BACKEND_H
#define ORDO_BACKEND_H

#include <ordo/scheduler.h>

ORDO_BEGIN_DECLS

enum { ORDO_BACKEND_ABI = 4, ORDO_DEVICE_NAME = 96 };

typedef struct ordo_backend {
    ordo_u32 abi; /* ORDO_BACKEND_ABI of the headers it was built with */
    const char *name;
    /* Is there a device to run on? Its name to device; else ORDO_ERR_DEVICE. Cheap after the first call. */
    ordo_status (*probe)(char device[ORDO_DEVICE_NAME]);
    /* The instance of an operator under a scheduler, or NULL. Where its run gives ORDO_ERR_MEMORY, the cells are as
     * they were before: "auto" then takes the CPU. */
    const ordo_instance *(*find)(const char *op, const char *scheduler);
} ordo_backend;

/* The back end of that name, loaded on first use. */
ORDO_API ordo_status ordo_backend_load(const char *name, const ordo_backend **out);

/* ---- services for back ends ---- */

/* What a back end keeps with a graph: made once by `make`, dropped with the graph by `drop`. One back end a graph.
 * Thread-safe. */
typedef ordo_status ordo_attach_fn(const ordo_graph *g, void *arg, void **out);
ORDO_API ordo_status ordo_graph_attach(const ordo_graph *g, ordo_attach_fn *make, void *arg, void (*drop)(void *),
                                       void **out);
ORDO_API const ordo_graph *ordo_job_graph(const ordo_job *job);
/* Threads that the run may use on the host. */
ORDO_API int ordo_job_host_threads(const ordo_job *job);
/* How ordo_job_fail or ordo_job_poll ended the run, ORDO_ERR_TIMEOUT among others; ORDO_OK while it goes on. */
ORDO_API ordo_status ordo_job_failure(const ordo_job *job);
/* Adds "; TEXT" to the sentence of a run that was ended so. */
ORDO_API void ordo_job_explain(ordo_job *job, const char *text);
/* Seconds spent on moving data, and the scheduler's own time where the clock on the host does not tell it. */
ORDO_API void ordo_job_add_transfer(ordo_job *job, double seconds);
ORDO_API void ordo_job_set_run(ordo_job *job, double seconds);
/* ordo_job_sample for a moment that has passed. */
ORDO_API void ordo_job_sample_at(ordo_job *job, double seconds, ordo_u64 in_flight, ordo_u64 bucket, double delta,
                                 ordo_u32 concurrent, float utilisation);

ORDO_END_DECLS

#endif
