#include "instances.c"
