/* reals.c -- which doubles a 32-bit float stands for, for sources of doubles (docs/reals.md). */
#include "graph.h"

#include <math.h>

/* Whether a fraction (or a number too large to have one) has at most 9 significant digits: in the shortest decimal that
 * reads back as this double. It is then rounded to a float, as such a decimal in text is (docs/reals.md). */
static bool is_short(double value)
{
    const double size = fabs(value);
    if (size <= 0x1p53 && size == floor(size))
        return false;
    long power = (long)floor(log10(size)) - 8;
    ordo_u64 digits = (ordo_u64)llround(size * pow(10, (double)-power)); /* 9, or 10 next to a power of 10 */
    for (; digits % 10 == 0 && digits; digits /= 10)
        power++;
    return digits < ORDO_NINE_DIGITS && ordo_nearest_double(digits, power) == size;
}

bool ordo_double_held(double wide, bool round, bool *inside)
{
    const ordo_f32 value = (ordo_f32)wide;
    *inside = isfinite(value) && (value != 0 || wide == 0);
    return *inside && (round || (double)value == wide || is_short(wide));
}
