/* cuda_host.h -- the host's part of the CUDA back end: what a scheduler's cuda.cuh calls around its kernel.
 *
 * The order of a run: ordo_cuda_begin copies cells and initial items (and, once a graph, its rows) to the device;
 * ordo_cuda_alloc gives worklist memory; ordo_cuda_launch starts one cooperative kernel of as many blocks as the device
 * holds at once, and waits for it, passing on cancelling, the end of the run's time and progress; ordo_cuda_end copies
 * the cells back, hands counters and the trace to the job and frees everything. Every call checks what CUDA returns:
 * ORDO_ERR_DEVICE, or ORDO_ERR_MEMORY with the bytes needed, free and in all, before the kernel starts.
 *
 * A kernel must look at mailbox->stop at least once a step, and end then. One that still runs 5 s after it was told to
 * end is given up: its memory is never freed, and later runs of the process on the device are refused.
 *
 * Kernels from other objects. libordo-cuda.so and a program that brings kernels of its own have each a CUDA runtime of
 * their own (a static one, nvcc's default). Both share the device's memory, events and the default stream, for those
 * are the driver's; but only the runtime of the object that a kernel is compiled into knows the kernel by its function.
 * What every runtime knows is the driver's handle of it, so that is what goes to the calls below that take a kernel:
 * `ordo_cuda_kernel((const void *)kernel)`. It is inline, and so asks the runtime of the object that it stands in.
 */
#ifndef ORDO_CUDA_HOST_H
#define ORDO_CUDA_HOST_H

#include <cuda_runtime.h>

#include <ordo/backend.h>

ORDO_BEGIN_DECLS

/* Rows on the device, edges interleaved as {head, weight} or heads alone. */
typedef struct ordo_cuda_rows {
    const ordo_u64 *row;  /* [n + 1] */
    const ordo_u32 *edge; /* [m * stride] */
    ordo_u32 n, stride;   /* stride 2: with weights */
    ordo_u64 m;
} ordo_cuda_rows;

/* Up to four edges of a vertex in 32 bytes, {head, weight} each, beside each other: whoever has the vertex needs no row
 * offsets. A head of ORDO_RECORD_NONE: no more edges; of ORDO_RECORD_LONG: more than four, see the rows. Unweighted: 1.
 */
#define ORDO_RECORD_NONE 0xffffffffu
#define ORDO_RECORD_LONG 0xfffffffeu

/* Device memory that every kernel of a run shares. Words that many blocks touch are lines apart. */
typedef struct ordo_cuda_counters {
    ordo_u64 items, edges, useful, stale, activations;
} ordo_cuda_counters;

typedef struct ordo_cuda_moment {
    ordo_u64 nanoseconds; /* of the device's clock */
    ordo_u64 in_flight, bucket;
    double delta;
    ordo_u32 concurrent;
    float utilisation; /* -1: not measured */
} ordo_cuda_moment;

enum { ORDO_CUDA_MOMENTS = 4096 };

/* Written by one thread of the kernel: begins with all zero. */
typedef struct ordo_cuda_record {
    ordo_u64 supersteps;
    ordo_u64 began;                /* device clock when the kernel began */
    ordo_u64 taken, step, skipped; /* moments; thinned as ordo_job_sample does */
    double delta_first, delta_last;
    ordo_u32 overflow; /* a worklist was too small: the run's answer is void */
    ordo_cuda_moment moment[ORDO_CUDA_MOMENTS];
} ordo_cuda_record;

/* Pinned, seen by both sides while the kernel runs. */
typedef struct ordo_cuda_mailbox {
    volatile ordo_u32 stop;                  /* host to device */
    volatile ordo_u64 supersteps, in_flight; /* device to host */
} ordo_cuda_mailbox;

/* What every kernel's arguments hold of their run: the items that it begins with, and where it reports. */
typedef struct ordo_cuda_run {
    const ordo_item *initial; /* [initial_count], or NULL: all */
    ordo_u64 initial_count;
    ordo_cuda_counters *counters;
    ordo_cuda_record *record;
    ordo_cuda_mailbox *mailbox;
} ordo_cuda_run;

typedef struct ordo_cuda_own ordo_cuda_own;

typedef struct ordo_cuda ordo_cuda;
struct ordo_cuda {
    ordo_job *job;
    ordo_cuda_rows out, in; /* in: where asked for */
    void *cells;            /* [targets] on the device */
    ordo_cuda_run run;      /* all of it the device's addresses */
    ordo_cuda_own *own;
    /* The scheduler's, set after ordo_cuda_begin: cells are what it reads most beside a stream of edges and entries, so
     * that keeping them in the second-level cache pays. Supersteps over frontiers lose by it (measured). */
    bool keep_cells;
    /* Bytes of shared memory that a block gets beside what its kernel declares; see ordo_cuda_share. */
    size_t shared;
    /* The scheduler's, set after ordo_cuda_begin where it has something to say: called when the kernel was ended
     * because its time was up (options.timeout), while its memory is still there. Writes the state of its worklists as
     * one sentence without newline, "" for none, which is added to the error's. */
    void (*explain)(ordo_cuda *c, void *arg, char *text, size_t room);
    void *explain_arg;
};

/* ORDO_OK, ORDO_ERR_MEMORY or ORDO_ERR_DEVICE with what was being done and what CUDA says. */
ORDO_API ordo_status ordo_cuda_failed(cudaError_t error, const char *what);
/* A kernel of this object as the calls below take it; NULL after ordo_fail, which they pass on. */
static inline const void *ordo_cuda_kernel(const void *function)
{
    cudaKernel_t kernel;
    return ordo_cuda_failed(cudaGetKernel(&kernel, function), "looking up the kernel") ? NULL : (const void *)kernel;
}

/* `cell`: bytes of a cell. `need_in`: in-rows as well. `keep_weights`: edges with weights where the graph has them. */
ORDO_API ordo_status ordo_cuda_begin(ordo_job *job, size_t cell, bool need_in, ordo_cuda *out);
/* The out-rows as records, [2 * n] uint4, where nearly all vertices have at most four edges and there is memory for
 * them; else NULL, which is no error. Made at the first call for a graph, and stay with it. */
ORDO_API ordo_status ordo_cuda_records(ordo_cuda *c, const uint4 **out);
/* Device memory until the end of the run; zeroed where asked for. NULL after ordo_fail. */
ORDO_API void *ordo_cuda_alloc(ordo_cuda *c, ordo_u64 count, size_t size, bool zero);
/* The same with what lies at `from`. */
ORDO_API void *ordo_cuda_copy(ordo_cuda *c, const void *from, ordo_u64 count, size_t size);
/* How many blocks a launch with these arguments will have. */
ORDO_API ordo_status ordo_cuda_grid(const void *kernel, int threads, int blocks, int *grid);
/* One cooperative launch of `threads` a block with `args` (pointers to arguments): `blocks` blocks a multiprocessor, or
 * as many as fit where that is 0 or more. Returns when the kernel has ended. */
ORDO_API ordo_status ordo_cuda_launch(ordo_cuda *c, const void *kernel, int threads, int blocks, void **args);
/* A kernel of `grid` blocks; cooperative: no more than ordo_cuda_grid says. */
typedef struct ordo_cuda_step {
    const void *kernel;
    int threads, grid;
    bool cooperative;
    void **args;
} ordo_cuda_step;
/* The same for kernels one after the other. After a stop they are all launched: each looks whether it is to end. */
ORDO_API ordo_status ordo_cuda_launch_all(ordo_cuda *c, const ordo_cuda_step *step, int count);
/* Has the next launch give every block that many bytes beside what the kernel declares, and says how many blocks of
 * `threads` a multiprocessor then holds: 0 where it is too much. */
ORDO_API ordo_status ordo_cuda_share(ordo_cuda *c, const void *kernel, int threads, size_t bytes, int *resident);
/* Multiprocessors, and the bytes of shared memory of one, and the most that a block may have. */
ORDO_API ordo_status ordo_cuda_size(int *units, size_t *shared_unit, size_t *shared_block);

/* The arrays of a state go to the device for a run, and what sections write comes back. `place` points into a copy of
 * the state, whose pointers become the device's: NULL stays NULL, the run's cells become c->cells. Only arrays_in looks
 * at that copy. */
typedef struct ordo_cuda_arrays {
    ordo_array array[ORDO_MOST_ARRAYS];
    void *host[ORDO_MOST_ARRAYS], *device[ORDO_MOST_ARRAYS];
    int count;
} ordo_cuda_arrays;
ORDO_API ordo_status ordo_cuda_arrays_in(ordo_cuda *c, ordo_cuda_arrays *arrays);
/* After a launch that went well. */
ORDO_API ordo_status ordo_cuda_arrays_out(ordo_cuda *c, const ordo_cuda_arrays *arrays);

/* Also after a failure, which it passes through. */
ORDO_API ordo_status ordo_cuda_end(ordo_cuda *c, ordo_status status);

ORDO_END_DECLS

#endif
