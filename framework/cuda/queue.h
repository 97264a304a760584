/* queue.h -- runs a queue on the GPU, to measure it. */
#ifndef ORDO_CUDA_QUEUE_H
#define ORDO_CUDA_QUEUE_H

#include <ordo/detail/backend.h>

/* ordo_backend.queue. */
ordo_status ordo_cuda_queue(const ordo_queue_load *load, ordo_queue_taken *out);
/* The same where load->ranks is set. */
ordo_status ordo_cuda_queue_ranks(const ordo_queue_load *load, ordo_queue_taken *out);

#endif
