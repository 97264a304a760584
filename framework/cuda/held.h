/* held.h -- what is held on the device between runs (session.cu): by a session, beside its arrays, and by the process
 * for runs without a session; and what host.cu offers for passes. */
#ifndef ORDO_CUDA_HELD_H
#define ORDO_CUDA_HELD_H

#include <ordo/operator/pass.h>
#include <ordo/scheduler/cuda_host.h>

enum { ORDO_CUDA_MOST_HELD = 64 };

typedef struct ordo_cuda_block {
    void *at;
    ordo_u64 bytes;
    bool used;     /* by the run under way */
    ordo_u32 idle; /* runs that ended since one used it; counted for runs without a session */
} ordo_cuda_block;

typedef struct ordo_cuda_held {
    ordo_cuda_block block[ORDO_CUDA_MOST_HELD]; /* memory of runs, kept for later ones: allocating takes longer than a
                                                   short run */
    int blocks;
    void **array; /* [arrays] of the session */
    size_t arrays, capacity;
    ordo_u64 *found; /* [2] of a pass, on the device: selected items, and the folded value */
    union {
        ordo_pass_head head;
        char bytes[sizeof(ordo_pass_head) + ORDO_PASS_STATE_BYTES];
    } pass;                     /* the parameter of the last one */
    int device;                 /* its number */
    int units;                  /* multiprocessors */
    size_t vacant, whole;       /* bytes of the device, as of the first run of a session; whole 0: none yet */
    ordo_cuda_mailbox *mailbox; /* of runs; NULL before the first */
    cudaEvent_t before, after;
} ordo_cuda_held;

/* A block of at least that many bytes, or NULL where none is free; to be given back by ordo_cuda_give. */
void *ordo_cuda_hold(ordo_cuda_held *held, ordo_u64 bytes);
/* Keeps a block for later runs, or frees it where too many are kept. */
void ordo_cuda_give(ordo_cuda_held *held, void *block, ordo_u64 bytes);
/* Frees the blocks that no run uses: of `held`, unless NULL, and those that the process keeps. Whether there were any.
 */
bool ordo_cuda_let_go(ordo_cuda_held *held);
/* What the process keeps for runs without a session on the current device, which is the caller's until it gives it back
 * by ordo_cuda_keep. NULL: nothing can be kept, for want of host memory or since the device's number is too large. */
ordo_cuda_held *ordo_cuda_kept(void);
/* By a run that ends: gives it back for the next one. Blocks that the last few runs did not use are freed. */
void ordo_cuda_keep(ordo_cuda_held *held);
/* ORDO_ERR_USAGE unless `at` is in memory of that GPU. */
ordo_status ordo_cuda_check_place(const void *at, int device);
/* Whether a kernel was given up: then nothing that waits for the device may be called. */
bool ordo_cuda_is_lost(void);
/* ORDO_OK, or ORDO_ERR_DEVICE after a kernel was given up. */
ordo_status ordo_cuda_usable(void);
/* The out-rows of a graph on the device, copied there by the first call for it. `name`: who needs them. Memory that
 * `held` keeps for later runs is freed where the rows need it. */
ordo_status ordo_cuda_graph_rows(const ordo_graph *g, const char *name, int threads, ordo_cuda_held *held,
                                 ordo_cuda_rows *out);
/* The instance of a pass that this object has; NULL: none. */
const ordo_pass_instance *ordo_cuda_find_pass(const char *name);

extern const ordo_backend_session ordo_cuda_sessions;

#endif
