/* live.h -- samples of a traced run on the device: see live.cu. */
#ifndef ORDO_CUDA_LIVE_H
#define ORDO_CUDA_LIVE_H

#include <ordo/scheduler/cuda_host.h>

typedef struct ordo_live_reader ordo_live_reader;

/* Makes what a traced run needs, and sets c->run.traced. *out is to be freed by ordo_live_free, also after an error. */
ordo_status ordo_live_make(ordo_cuda *c, ordo_live_reader **out);
/* Begins sampling, for a kernel of `grid` blocks that is launched next. No effect with NULL. */
ordo_status ordo_live_start(ordo_live_reader *live, ordo_cuda *c, int grid, int threads);
/* Ends sampling; `seconds`: how long the kernel ran, or 0. No effect with NULL. */
void ordo_live_stop(ordo_live_reader *live, ordo_cuda *c, double seconds);
/* Frees it all; NULL is allowed. */
void ordo_live_free(ordo_live_reader *live);

#endif
