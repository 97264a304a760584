/* The operator under every scheduler of Ordo, and under one of our own. */
#include "widest.h"

#define ORDO_OP widest
#define ORDO_EXTRA_SCHEDULERS "lifo/cpu.h"
#define ORDO_EXTRA_INSTANCES &widest_on_cpu_under_lifo,
#include <ordo/instantiate.h>
