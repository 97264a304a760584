/* wrap.h -- gzip, xz and zstd: decompression when a file is read, compression when it is written. */
#ifndef ORDO_FRAMEWORK_GRAPH_WRAP_H
#define ORDO_FRAMEWORK_GRAPH_WRAP_H

#include "graph.h"

/* A growing block of bytes; `bytes` is the owner's to free. */
typedef struct ordo_block {
    const char *name; /* of the file, for messages */
    ordo_u8 *bytes;
    size_t size, capacity;
} ordo_block;
/* Doubles the capacity, or sets it to `first`. ORDO_ERR_MEMORY where the system has not that much. */
ordo_status ordo_block_grow(ordo_block *b, size_t first);

typedef struct ordo_wrapping ordo_wrapping;
/* The kind of compression of a file, by its first bytes, never by the name; NULL: plain. */
const ordo_wrapping *ordo_wrapping_of(const ordo_u8 *bytes, size_t size);
/* The kind of compression to write, by the end of the name; NULL: none. */
const ordo_wrapping *ordo_wrapping_named(const char *path);
/* "gzip" and ".gz". */
const char *ordo_wrapping_name(const ordo_wrapping *w);
const char *ordo_wrapping_suffix(const ordo_wrapping *w);
/* Characters of the name without such a suffix. */
size_t ordo_unwrapped_length(const char *path);

/* Decompresses into the block, which may hold some bytes also where it fails. Refused where this build lacks the
 * library. */
ordo_status ordo_unwrap(const ordo_wrapping *w, const ordo_u8 *from, size_t size, ordo_block *to);

/* One stream being compressed. */
typedef struct ordo_wrapper {
    const ordo_wrapping *kind;
    void *state;                                          /* the library's */
    ordo_u8 *out;                                         /* compressed bytes on their way */
    int (*put)(void *to, const void *bytes, size_t size); /* takes compressed bytes: 0, or an errno */
    void *to;
} ordo_wrapper;
/* kind, put and to are set. Refused where this build lacks the library (ORDO_ERR_USAGE). */
ordo_status ordo_wrapper_start(ordo_wrapper *w, const char *path);
/* Compresses bytes; `last`: they are the last ones. Returns 0, or the errno of the failure. */
int ordo_wrapper_add(ordo_wrapper *w, const void *bytes, size_t size, bool last);
void ordo_wrapper_free(ordo_wrapper *w);

#endif
