/* backend.h -- a back end other than the CPU's: a shared object that exports one table and is loaded on demand.
 *
 * Problem. The library must work on machines without a GPU driver, and use a GPU where there is one.
 *
 * Method. libordo contains no device code. A run with `--device cuda` loads libordo-cuda.so, from the folder of
 * libordo, else from $ORDO_BACKENDS or along the loader's search path, and reads its symbol `ordo_cuda_backend`, an
 * ordo_backend. A missing shared object, driver or device is ORDO_ERR_DEVICE; the message names which of them.
 *
 * Not done: unloading; other back ends (the only name is "cuda").
 */
#ifndef ORDO_BACKEND_H
#define ORDO_BACKEND_H

#include <ordo/arrays.h>
#include <ordo/detail/ceilings.h>
#include <ordo/distributed.h>
#include <ordo/scheduler/scheduler.h>
#include <ordo/session.h>

ORDO_BEGIN_DECLS

enum { ORDO_BACKEND_ABI = 18 };

/* An array of sessions, of which rank r has the units at[r] .. at[r + 1] - 1, each rank on its device. */
typedef struct ordo_parted {
    void *array;
    const ordo_u64 *at;
    size_t unit; /* bytes */
} ordo_parted;

/* The memory of a session on a device (<ordo/session.h>). `own` is the back end's. */
typedef struct ordo_backend_session {
    ordo_status (*begin)(void **own);
    /* Frees everything. */
    void (*end)(void *own);
    /* Memory that is freed at the end. Errors: ORDO_ERR_MEMORY with the bytes that are free. */
    ordo_status (*take)(void *own, ordo_u64 bytes, void **out);
    /* Frees memory of `take`. */
    ordo_status (*drop)(void *own, void *at);
    ordo_status (*read)(void *own, void *to, const void *from, ordo_u64 bytes, int threads);
    ordo_status (*write)(void *own, void *to, const void *from, ordo_u64 bytes, int threads);
    /* A pass. found NULL: it need not have ended. */
    ordo_status (*each)(void *own, const ordo_each *each, int threads, ordo_found *found);
    /* The number of the device that the session was begun on, from 0. */
    int (*number)(const void *own);
    /* ORDO_ERR_USAGE unless `at` is in memory of that device. */
    ordo_status (*check)(const void *own, const void *at);
    /* In a run over ranks, by all: puts arrays together. Errors: ORDO_ERR_MEMORY, ORDO_ERR_DEVICE. */
    ordo_status (*gather)(const ordo_remote *remote, const ordo_parted *arrays, int count);
} ordo_backend_session;

/* A run of a queue on a device, to measure it: `entries` numbers are put into a queue and taken out of it. Over ranks
 * each puts and takes so many on a device and in a queue of its own. */
typedef struct ordo_queue_load {
    ordo_u64 entries, places;
    ordo_u32 blocks, threads; /* of a block; a multiple of 32 */
    ordo_u32 lanes;           /* one lane of a warp in so many calls */
    bool together;            /* one lane calls for those of its warp */
    bool certain;             /* Broker Queue, else Broker Work Distributor */
    bool mixed;               /* a put, then a take, over and over; else all puts first */
    const ordo_remote *ranks; /* NULL: one device. Set by ordo_group_devices; all ranks call */
    double remote;            /* over ranks: this share of the entries goes to the queues of others */
    bool staged;              /* they are collected, and sent several at once; else one by one */
} ordo_queue_load;
typedef struct ordo_queue_taken {
    ordo_u64 count, sum, squares; /* of what came out, on this device; the sums modulo 2^64 */
    ordo_u64 messages;            /* over ranks: entries that this one has sent */
    double seconds;
} ordo_queue_taken;

typedef struct ordo_backend {
    ordo_u32 abi; /* ORDO_BACKEND_ABI of the headers that the back end was built with */
    const char *name;
    /* Checks that there is a usable device, and writes its name. Errors: ORDO_ERR_DEVICE. Later calls are cheap. */
    ordo_status (*probe)(char device[ORDO_DEVICE_NAME]);
    /* The instance of an operator under a scheduler, or of a program under ORDO_NATIVE; NULL if there is none. An
     * instance whose run returns ORDO_ERR_MEMORY has left the cells unchanged: `--device auto` then runs on the CPU. */
    const ordo_instance *(*find)(const char *op, const char *scheduler);
    /* Measures the device that `probe` has found, in some seconds. Reports to the thread's watch (<ordo/watch.h>)
     * between two figures. NULL: the back end cannot. Errors: ORDO_ERR_MEMORY where too little is free,
     * ORDO_ERR_CANCELLED, ORDO_ERR_DEVICE. */
    ordo_status (*measure)(ordo_device *device, ordo_ceilings *out);
    /* The compute capability of the device that probe() found, 10 * major + minor: 90 for 9.0. 0 where probe() fails.
     */
    int (*capability)(void);
    /* As find, for runs over several devices, a rank each. */
    const ordo_instance *(*find_over_ranks)(const char *op, const char *scheduler);
    /* How many devices there are; 0 where probe() fails. */
    int (*devices)(void);
    /* Chooses the device, from 0, of the calling thread. Errors: ORDO_ERR_DEVICE. */
    ordo_status (*select)(int device);
    /* NULL: the back end has no sessions. */
    const ordo_backend_session *session;
    /* Runs a queue on the device that `probe` has found. NULL: the back end has none. Errors: ORDO_ERR_MEMORY,
     * ORDO_ERR_DEVICE. */
    ordo_status (*queue)(const ordo_queue_load *load, ordo_queue_taken *out);
    /* Attaches rows that are on the calling thread's device already to a graph that has the same rows on the host and
     * nothing attached. Arrays whose layout and alignment are those of the back end are used where they are, others are
     * rewritten on the device. Those that are used are read as long as the graph exists. Returns when nothing is
     * written any more. NULL: the back end cannot. Errors: ORDO_ERR_MEMORY, ORDO_ERR_DEVICE. */
    ordo_status (*adopt)(const ordo_graph *g, const ordo_row_arrays *arrays);
    /* Makes in-rows on the device, which keeps them, and copies them to the host: row [n + 1], and edge [m] heads or,
     * with weights of 4 bytes, [2 * m] {head, weight}. Sets *seconds, which do not count waking up the device. NULL:
     * the back end cannot. Errors: ORDO_ERR_MEMORY, ORDO_ERR_DEVICE. */
    ordo_status (*in_rows)(const ordo_graph *g, int threads, ordo_eid *row, ordo_u32 *edge, double *seconds);
    /* Bytes that are free on the calling thread's device; 0 where that is not known. NULL: more than any run needs. */
    ordo_u64 (*vacant)(void);
} ordo_backend;

/* Sets *out to the back end of that name, which is static and loaded by the first call. Errors: ORDO_ERR_UNKNOWN,
 * ORDO_ERR_DEVICE. */
ORDO_API ordo_status ordo_backend_load(const char *name, const ordo_backend **out);

/* ---- services for back ends ---- */

/* Sets *out to the data that a back end keeps with a graph, such as its copy on the device. `make` creates it in the
 * first call for a graph, `drop` frees it when the graph is freed. A graph holds the data of one back end. Thread-safe.
 * Errors: those of `make`. */
typedef ordo_status ordo_attach_fn(const ordo_graph *g, void *arg, void **out);
ORDO_API ordo_status ordo_graph_attach(const ordo_graph *g, ordo_attach_fn *make, void *arg, void (*drop)(void *),
                                       void **out);
/* The graph of a run; NULL where the operator needs none. */
ORDO_API const ordo_graph *ordo_job_graph(const ordo_job *job);
/* The session of a run: *own becomes the back end's part. NULL: the run is in none. */
ORDO_API ordo_session *ordo_job_session(const ordo_job *job, void **own);
/* The bytes from `at` to the end of the array of the session that holds it; 0: it is in none. */
ORDO_API ordo_u64 ordo_session_holds(const ordo_session *session, const void *at);
/* By all ranks: all[rank * count + i] becomes word i of each. Waits until all ranks have called it. Errors: those of
 * the transport. */
ORDO_API ordo_status ordo_group_collect(const ordo_group *group, const ordo_u64 *mine, int count, ordo_u64 *all);
/* By all ranks: puts `all` units of an array together, of which each rank has those from `first` on, up to those of the
 * next rank. Errors: ORDO_ERR_MEMORY; those of the transport. */
ORDO_API ordo_status ordo_group_gather(const ordo_group *group, void *array, ordo_u64 first, ordo_u64 all, size_t unit);
/* By all ranks, for work on GPUs that is not a run: chooses the GPU of this rank, makes the memory of all reachable,
 * and sets *out to the group, the rank and ordo_peers. Errors: ORDO_ERR_DEVICE; ORDO_ERR_USAGE (too many ranks). */
ORDO_API ordo_status ordo_group_devices(ordo_group *group, const ordo_backend *backend, ordo_remote *out);
/* Whether the back end sets the cells, all but those of initial items to the operator's worst value: ordo_work::unset.
 */
ORDO_API bool ordo_job_cells_are_unset(const ordo_job *job);
/* Where the cells are wanted on the device as well (ordo_options.device_cells), and how many bytes; NULL: nowhere. */
ORDO_API void *ordo_job_device_cells(const ordo_job *job, ordo_u64 *bytes);
/* Number of threads that the run may use on the host. */
ORDO_API int ordo_job_host_threads(const ordo_job *job);
/* The status with which ordo_job_fail or ordo_job_poll has ended the run, such as ORDO_ERR_TIMEOUT; ORDO_OK if neither
 * has. */
ORDO_API ordo_status ordo_job_failure(const ordo_job *job);
/* Appends "; TEXT" to the error message of a run that was ended early. */
ORDO_API void ordo_job_explain(ordo_job *job, const char *text);
/* Adds to the seconds spent on transfer (ordo_stats.transfer_seconds). */
ORDO_API void ordo_job_add_transfer(ordo_job *job, double seconds);
/* Adds to the seconds of work done once for a graph (ordo_stats.prepare_seconds). */
ORDO_API void ordo_job_add_prepare(ordo_job *job, double seconds);
/* Adds to the scheduler's time (ordo_stats.run_seconds), for back ends that measure it by another clock than the
 * host's. Returns what it was before. */
ORDO_API double ordo_job_set_run(ordo_job *job, double seconds);
/* As ordo_job_sample, for an earlier time: `seconds` after the run began. */
ORDO_API void ordo_job_sample_at(ordo_job *job, double seconds, ordo_u64 in_flight, ordo_u64 bucket, double delta,
                                 ordo_u32 concurrent, float utilisation);

/* Traces by time (<ordo/trace.h>) of a run whose threads are not members of the job's team, such as those of a device.
 * The thread that samples calls `read` at regular times, one call at a time. */
typedef struct ordo_trace_source {
    int workers;   /* whose states the trace shows: at least 1, and the same in all runs of a trace */
    double period; /* seconds between two samples at first, if the trace chooses it: about as long as a read takes */
    /* Adds to *sum what has been counted since the run began; sets state[workers] to ORDO_BUSY ..., which are
     * ORDO_ENDED before; changes *out, which has what the framework knows, by what is known better. Returns how many
     * workers are busy, or were if all had the same share of the threads that are. */
    ordo_u32 (*read)(void *arg, ordo_counters *sum, unsigned char *state, ordo_probed *out);
    void *arg;
} ordo_trace_source;
/* Whether the run is traced by time: the back end is then to give a source. */
ORDO_API bool ordo_job_is_traced(const ordo_job *job);
/* Begins sampling `source`, at the moment at which the device begins to work, which is the time 0 of the run. Not
 * called: the trace of the run is empty. *source is copied. Calls between begin and end: those of the other services.
 * No effect if the run is not traced. Errors: ORDO_ERR_MEMORY; there is nothing to be ended then. */
ORDO_API ordo_status ordo_job_trace_begin(ordo_job *job, const ordo_trace_source *source);
/* Ends sampling, after a last read; no read is running or will run when it returns. `seconds`: how long the device has
 * worked, by its own clock, or 0 if that is not known. */
ORDO_API void ordo_job_trace_end(ordo_job *job, double seconds);

ORDO_END_DECLS

#endif
