/* number.h -- numbers as text, independent of the locale: the decimal separator is a point.
 *
 * strtod and printf take the decimal separator from the locale, which belongs to the program that calls the library
 * and may change between two calls. Everything in Ordo that reads or prints a real number goes through these functions.
 */
#ifndef ORDO_RUN_NUMBER_H
#define ORDO_RUN_NUMBER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <ordo/types.h>

ORDO_BEGIN_DECLS

/* The whole of `text` as a real number, rounded to the nearest double: decimal digits with a point and an exponent, or
 * "inf" in small or large letters. False (and *out as it was) for anything else: NaN, hexadecimal digits, blanks before
 * or after it, a number beyond the range of a double (either way). */
ORDO_API bool ordo_parse_real(const char *text, double *out);

/* snprintf and vsnprintf with a decimal point. */
ORDO_API int ordo_format(char *out, size_t capacity, const char *format, ...) ORDO_PRINTF(3, 4);
ORDO_API int ordo_vformat(char *out, size_t capacity, const char *format, va_list arguments);

ORDO_END_DECLS

#endif
