/* machine.h -- measures what the GPU can do at most. */
#ifndef ORDO_CUDA_MACHINE_H
#define ORDO_CUDA_MACHINE_H

#include <ordo/detail/backend.h>

/* ordo_backend.measure. */
ordo_status ordo_cuda_measure(ordo_device *device, ordo_ceilings *out);

#endif
