/* number.c -- numbers as text in the locale "C": strtod_l for reading, uselocale around vsnprintf for printing.
 *
 * uselocale changes the locale of the calling thread only, and is undone after the call; setlocale in other threads has
 * no effect on it.
 *
 * Not done: a fallback where newlocale fails, which for "C" happens only where memory is short. The locale of the
 * thread then stays: a number with a point may be refused, but is never read as another one (the whole text must be
 * read).
 */
#define _GNU_SOURCE /* strtod_l */
#include "number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t plain; /* (locale_t)0: none could be made */

static void make_plain(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

bool ordo_parse_real(const char *text, double *out)
{
    const char *first = text + (text[0] == '-' || text[0] == '+');
    bool infinite = !strcasecmp(first, "inf") || !strcasecmp(first, "infinity");
    if (!infinite && (!strspn(first, ".0123456789") || strpbrk(first, "xX")))
        return false;
    int before = errno;
    char *end;
    pthread_once(&once, make_plain);
    errno = 0;
    double value = plain ? strtod_l(text, &end, plain) : strtod(text, &end);
    bool beyond = errno == ERANGE && (isinf(value) || fpclassify(value) == FP_ZERO);
    errno = before;
    if (*end || end == text || isnan(value) || beyond)
        return false;
    *out = value;
    return true;
}

int ordo_vformat(char *out, size_t capacity, const char *format, va_list arguments)
{
    pthread_once(&once, make_plain);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    int length = vsnprintf(out, capacity, format, arguments);
    if (plain)
        uselocale(before);
    return length;
}

int ordo_format(char *out, size_t capacity, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = ordo_vformat(out, capacity, format, arguments);
    va_end(arguments);
    return length;
}
