/* The operator under every scheduler of Ordo, and under one of our own. */
#define ORDO_OP widest
#include "widest.h"
#include "lifo/instantiate.h"
