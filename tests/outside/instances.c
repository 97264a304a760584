/* The operator under every scheduler of Ordo, and under one of our own. */
#include "widest.h"

#define ORDO_OP widest
#include "lifo/instantiate.h"
