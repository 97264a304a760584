/* The operator under every scheduler of Ordo. */
#define ORDO_OP puzzle
#include "puzzle.h"
#include <ordo/operator/instantiate.h>
