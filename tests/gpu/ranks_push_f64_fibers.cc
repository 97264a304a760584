/* ranks_push_f64_fibers.cc -- see ranks_fibers.h. */
#define ORDO_OP push_f64
#define CELL f64
#include "tests/reals/push.h"

#include "tests/gpu/ranks_fibers.h"
