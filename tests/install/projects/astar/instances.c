#define ORDO_OP astar
#include "astar.h"
#include <ordo/operator/instantiate.h>
