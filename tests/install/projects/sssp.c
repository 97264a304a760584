/* An operator of Ordo's own under our scheduler besides its own ones. Not registered: the name is taken, by the one in
 * the library; ordo_work takes an operator by its address. */
#define ORDO_WEIGHT u32
#define ORDO_OP sssp_u32
#include <ordo/operators/sssp.h>
#include "lifo/instantiate.h"
