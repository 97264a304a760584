#define ORDO_OP slow_edges
#include "slow_edges.h"

#include "tests/common/instances.h"
