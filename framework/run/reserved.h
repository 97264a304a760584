/* reserved.h -- the reserved words of structs that callers fill. A program that was compiled against later headers may
 * set them; a library that does not know their meaning must refuse it, and not run as if they were not set. */
#ifndef ORDO_FRAMEWORK_RESERVED_H
#define ORDO_FRAMEWORK_RESERVED_H

#include <stddef.h>

#include <ordo/error.h>

/* ORDO_ERR_USAGE unless all words are 0. */
static inline ordo_status ordo_reserved_check(const char *type, const ordo_u64 *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (words[i])
            return ordo_fail(ORDO_ERR_USAGE, "%s: found %llu in reserved[%zu], expected 0", type,
                             (unsigned long long)words[i], i);
    return ORDO_OK;
}
#define ORDO_RESERVED_CHECK(_type, _struct)                                                                            \
    ordo_reserved_check(#_type, (_struct)->reserved, sizeof(_struct)->reserved / sizeof(_struct)->reserved[0])

#endif
