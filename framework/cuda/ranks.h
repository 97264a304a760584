/* ranks.h -- what host.cu, session.cu and queue_ranks.cu need of ranks.cu. */
#ifndef ORDO_CUDA_RANKS_H
#define ORDO_CUDA_RANKS_H

#include <ordo/scheduler/cuda_host.h>

/* For work that is not a run: memory of each rank, all zero, which all see; at[r] becomes where this rank's GPU sees
 * that of rank r. Ranks are to meet before their kernels begin. Kept for later calls. */
ordo_status ordo_cuda_ranks_map(const ordo_remote *remote, ordo_u64 bytes, ordo_cuda_ranks *ranks, void **at);
/* Waits until what this rank clears is cleared, and then for all ranks. */
ordo_status ordo_cuda_ranks_meet(const ordo_remote *remote);

/* Before a run: reads a word of each page that the ranks have shared in earlier ones, where this GPU sees it. A GPU
 * that was idle for some 10 ms does not know any more where pages of others are: the first access to each takes .1 ms,
 * for all together .2 ms, and a kernel would wait for some of them several times (two H200). Asynchronous. */
void ordo_cuda_ranks_touch(const ordo_remote *remote);

/* After a launch, where cells were shared: copies those that this rank owns back to where they were. */
ordo_status ordo_cuda_ranks_unshare_cells(ordo_cuda *c, size_t cell);

/* *all becomes whether it was set in all ranks. */
ordo_status ordo_cuda_ranks_all(const ordo_remote *remote, bool *all);
/* Sets out->readers and out->sent, which are made once for a graph: see host.cu. */
ordo_status ordo_cuda_readers(ordo_cuda *c, ordo_cuda_ghosts *out);

/* ordo_backend_session.gather. */
ordo_status ordo_cuda_ranks_gather(const ordo_remote *remote, const ordo_parted *arrays, int count);

/* After a kernel over ranks: sets remote->messages, and the time from when all ranks had met to the end, which does not
 * have the time by which their kernels began apart. */
ordo_status ordo_cuda_ranks_result(ordo_remote *remote, float *milliseconds);

#endif
