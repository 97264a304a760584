#include "within.h"
