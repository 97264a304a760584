/* version.c -- the library's version. */
#include <ordo/version.h>

const char *ordo_version(void)
{
    return ORDO_VERSION;
}
