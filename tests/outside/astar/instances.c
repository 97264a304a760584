#include "astar.h"

#define ORDO_OP astar
#include <ordo/instantiate.h>
