/* writer.h -- writing files, by several threads. For the writers of graphs and for the command; not installed. */
#ifndef ORDO_FRAMEWORK_WRITER_H
#define ORDO_FRAMEWORK_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include <ordo/error.h>
#include <ordo/graph.h>

ORDO_BEGIN_DECLS

typedef struct ordo_writer ordo_writer;
/* Writes a file, complete or not at all, compressed as its suffix says: `body` puts its bytes. */
typedef ordo_status ordo_body_writer(ordo_writer *w, const void *arg);
ordo_status ordo_write_file(const char *path, ordo_body_writer *body, const void *arg);
/* Puts items 0 .. items - 1, by as many threads as ordo_graph_team gives: `put` puts items begin .. end - 1, and is
 * called by several of them at the same time, each with a writer of its own. The bytes are the same for any number of
 * threads. `bytes`: about how many an item has, at least 1. Errors: no memory, no threads; failures to write are kept,
 * as by all that puts. (writer.c) */
typedef void ordo_part_writer(ordo_writer *w, const void *arg, ordo_u64 begin, ordo_u64 end);
ordo_status ordo_put_parts(ordo_writer *w, int threads, ordo_u64 items, ordo_u64 bytes, ordo_part_writer *put,
                           const void *arg);
/* Does what ordo_put_parts() does, for a file descriptor: where `seeks`, at the offset at which its last write ended;
 * else in order, as a device or a pipe needs it. Returns 0, or the errno of the first failure (ENOMEM also where no
 * team can be had). */
ORDO_API int ordo_write_parts(int fd, bool seeks, int threads, ordo_u64 items, ordo_u64 bytes, ordo_part_writer *put,
                              const void *arg);
/* Puts an array whose bytes in the file are those in memory, by several threads. */
ordo_status ordo_put_array(ordo_writer *w, int threads, const void *bytes, ordo_u64 size);
/* Puts all edges in binary form, by several threads: of each edge the head, then the weight if there is one. */
ordo_status ordo_put_edges(ordo_writer *w, int threads, const ordo_csr *g);
/* Calls `put` for each edge in order, by several threads. `put` may put nothing. */
typedef void ordo_line_writer(ordo_writer *w, const ordo_csr *g, ordo_vid tail, ordo_eid e);
ordo_status ordo_put_lines(ordo_writer *w, int threads, const ordo_csr *g, ordo_line_writer *put);
/* The tail of edge e, for callers that take edges in order: `tail` is that of an earlier edge. */
static inline ordo_vid ordo_tail_from(const ordo_csr *g, ordo_vid tail, ordo_eid e)
{
    while (g->row[tail + 1] <= e)
        tail++;
    return tail;
}
ORDO_API void ordo_put_bytes(ordo_writer *w, const void *bytes, size_t size);
ORDO_API void ordo_put_text(ordo_writer *w, const char *text);
ORDO_API void ordo_put_number(ordo_writer *w, ordo_u64 value); /* decimal digits */
void ordo_put_word64(ordo_writer *w, ordo_u64 value);          /* 8 bytes */
void ordo_put_weight(ordo_writer *w, ordo_type type, ordo_u64 bits);
bool ordo_put_failed(const ordo_writer *w); /* whether a write failed, so that the rest is useless */

ORDO_END_DECLS

#endif
