/* README's first operator, which says no order of work. */
#define ORDO_OP widest
#include "tests/install/projects/widest.h"

#include "tests/common/instances.h"
