/**
 * @file
 * The version of Ordo: of the headers, and of the library.
 */
#ifndef ORDO_VERSION_H
#define ORDO_VERSION_H

#include <ordo/types.h>

ORDO_BEGIN_DECLS

/** The version of these headers, MAJOR.MINOR.PATCH. */
#define ORDO_VERSION "0.1.0"

/**
 * The version of the library that the program runs with, which may be newer than ORDO_VERSION.
 * @return a static string, MAJOR.MINOR.PATCH
 */
ORDO_API const char *ordo_version(void);

ORDO_END_DECLS

#endif
