/* backend.h -- a back end beside the CPU's: a shared object with one table, loaded when a run needs it.
 *
 * Problem. The library must work without a driver, and use a device where one is present.
 *
 * Method. libordo contains no code for devices. `--device cuda` makes it load libordo-cuda.so (from libordo's own
 * folder, else as the loader searches) and take the table `ordo_cuda_backend` from it. A missing object, driver or
 * device is ORDO_ERR_DEVICE with a message that says which.
 *
 * Not done: unloading; back ends that are found by name (the one name is "cuda").
 */
#ifndef ORDO_BACKEND_H
#define ORDO_BACKEND_H

#include <ordo/scheduler/scheduler.h>

ORDO_BEGIN_DECLS

enum { ORDO_BACKEND_ABI = 5, ORDO_DEVICE_NAME = 96 };

typedef struct ordo_backend {
    ordo_u32 abi; /* ORDO_BACKEND_ABI of the headers it was built with */
    const char *name;
    /* Checks that there is a device to run on, and writes its name; else ORDO_ERR_DEVICE. Cheap after the first call.
     */
    ordo_status (*probe)(char device[ORDO_DEVICE_NAME]);
    /* The instance of an operator under a scheduler, or of a program under ORDO_NATIVE, or NULL. Where its run gives
     * ORDO_ERR_MEMORY, the cells are as they were before: "auto" then takes the CPU. */
    const ordo_instance *(*find)(const char *op, const char *scheduler);
} ordo_backend;

/* The back end of that name, loaded on first use; static. Errors: ORDO_ERR_UNKNOWN, ORDO_ERR_DEVICE. */
ORDO_API ordo_status ordo_backend_load(const char *name, const ordo_backend **out);

/* ---- services for back ends ---- */

/* *out: what a back end keeps with a graph. Made once by `make`, freed by `drop` when the graph is freed. One back end
 * for each graph. Thread-safe. Errors: those of `make`. */
typedef ordo_status ordo_attach_fn(const ordo_graph *g, void *arg, void **out);
ORDO_API ordo_status ordo_graph_attach(const ordo_graph *g, ordo_attach_fn *make, void *arg, void (*drop)(void *),
                                       void **out);
/* The graph of a run; NULL where the operator needs none. */
ORDO_API const ordo_graph *ordo_job_graph(const ordo_job *job);
/* Threads that the run may use on the host. */
ORDO_API int ordo_job_host_threads(const ordo_job *job);
/* How ordo_job_fail or ordo_job_poll ended the run, ORDO_ERR_TIMEOUT among others; ORDO_OK while it goes on. */
ORDO_API ordo_status ordo_job_failure(const ordo_job *job);
/* Adds "; TEXT" to the message of a run that was ended early. */
ORDO_API void ordo_job_explain(ordo_job *job, const char *text);
/* Adds seconds spent on transfer (ordo_stats.transfer_seconds). */
ORDO_API void ordo_job_add_transfer(ordo_job *job, double seconds);
/* Sets the scheduler's own time (ordo_stats.run_seconds), where the host's clock does not measure it. */
ORDO_API void ordo_job_set_run(ordo_job *job, double seconds);
/* ordo_job_sample for an earlier moment, `seconds` after the run began. */
ORDO_API void ordo_job_sample_at(ordo_job *job, double seconds, ordo_u64 in_flight, ordo_u64 bucket, double delta,
                                 ordo_u32 concurrent, float utilisation);

ORDO_END_DECLS

#endif
