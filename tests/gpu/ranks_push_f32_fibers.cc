/* ranks_push_f32_fibers.cc -- see ranks_fibers.h. */
#define ORDO_OP push_f32
#define CELL f32
#include "tests/reals/push.h"

#include "tests/gpu/ranks_fibers.h"
