#define ORDO_OP slow_sections
#include "slow_sections.h"

#include "tests/common/instances.h"
