/* writer.c -- a file that is written by several threads, complete or not at all.
 *
 * Problem: formatting numbers costs more than writing them, and so does compressing them. The bytes must be the same
 * for any number of threads, and memory must not follow the size of the file.
 *
 * Method: bytes are collected in a block. A full block goes through wrap.c where the name ends in .gz, .xz or .zst, and
 * into a temporary file beside the target (framework/run/output.c), which is renamed when all is written and closed.
 * The first failure is kept, and later calls do nothing, so that errors are checked only at the end. Devices and pipes
 * are written in place.
 *
 * Parts: a list of items is cut into parts of about a block each. Members of a team take parts in order, and each
 * formats its part into a block of its own. Where a part begins in the file follows from the sizes of all before it, so
 * members pass a turn on from part to part: the one at the turn takes its offset, adds its size, passes it on, and then
 * writes with pwrite, at the same time as others. Compressed bytes, devices and pipes have one order, so these members
 * hand their bytes on before they pass the turn. A part that is longer than a block keeps the turn meanwhile.
 *
 * No deadlock: parts are taken in order, so the turn is at a part that some member has taken or takes next, and that
 * member does not wait. At most one part of a member waits for the turn, so parts that wait are less than a team's
 * size ahead of it, and a condition for each member suffices: passing the turn on wakes one thread.
 *
 * Not done: compressing by several threads, which would change the bytes.
 */
#define _POSIX_C_SOURCE 200809L
#include "wrap.h"

#include "framework/run/number.h"
#include "framework/run/output.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, PART = 1 << 18, LONGEST = 64 };

/* What the members that write parts share. */
typedef struct parts {
    ordo_writer *to;
    ordo_part_writer *put;
    const void *arg;
    ordo_u64 items, each, count; /* in all, of a part; parts */
    ordo_u64 next;               /* atomic: the first part that is not taken */
    int error;                   /* atomic: errno of a failure */
    int members;
    bool at_offsets; /* parts are written where they belong, else one after the other */
    pthread_mutex_t lock;
    ordo_u64 turn;          /* under lock: the part whose bytes are next */
    off_t end;              /* under lock: where they begin */
    pthread_cond_t *passed; /* [members] the turn is at a part whose number is this modulo members */
} parts;

struct ordo_writer {
    int fd;
    bool seeks; /* a file, so that fd can be written anywhere */
    int error;  /* errno of the first failure */
    size_t used, size;
    char *block;          /* [size] */
    ordo_wrapper wrapper; /* kind NULL: plain */
    parts *shared;        /* of a member that writes parts; else NULL */
    ordo_u64 part;        /* the one that it writes */
};

enum { ANYWHERE = -1 };

/* Writes all of it, from byte `at` of the file on, or ANYWHERE: where the last write ended. Returns 0 or an errno. */
static int write_all(int fd, const void *bytes, size_t size, off_t at)
{
    for (size_t done = 0; done < size;) {
        const char *from = (const char *)bytes + done;
        ssize_t put = at == ANYWHERE ? write(fd, from, size - done) : pwrite(fd, from, size - done, at + (off_t)done);
        if (put > 0)
            done += (size_t)put;
        else if (put == 0 || errno != EINTR)
            return put == 0 ? ENOSPC : errno;
    }
    return 0;
}

static int put_compressed(void *to, const void *bytes, size_t size)
{
    return write_all(((ordo_writer *)to)->fd, bytes, size, ANYWHERE);
}

/* A member's block goes where its part has come to; `last`: the part ends with it. */
static void flush_part(ordo_writer *w, bool last)
{
    parts *p = w->shared;
    int error = ordo_interrupted() ? EINTR : 0;
    pthread_mutex_lock(&p->lock);
    while (p->turn != w->part)
        pthread_cond_wait(&p->passed[w->part % (ordo_u64)p->members], &p->lock);
    const off_t at = p->end;
    p->end += (off_t)w->used;
    if (!p->at_offsets) {
        ordo_put_bytes(p->to, w->block, w->used);
        error = p->to->error;
    }
    if (last) {
        p->turn++;
        pthread_cond_signal(&p->passed[p->turn % (ordo_u64)p->members]);
    }
    pthread_mutex_unlock(&p->lock);
    if (p->at_offsets && !error && !ordo_put_failed(w))
        error = write_all(w->fd, w->block, w->used, at);
    if (error)
        __atomic_store_n(&p->error, error, __ATOMIC_RELAXED);
    w->used = 0;
}

static void flush(ordo_writer *w, bool last)
{
    if (w->shared) {
        flush_part(w, false);
        return;
    }
    if (ordo_interrupted() && !w->error)
        w->error = EINTR;
    if (!w->error)
        w->error = w->wrapper.kind ? ordo_wrapper_add(&w->wrapper, w->block, w->used, last)
                                   : write_all(w->fd, w->block, w->used, ANYWHERE);
    w->used = 0;
}

void ordo_put_bytes(ordo_writer *w, const void *bytes, size_t size)
{
    const char *from = bytes;
    if (size <= w->size - w->used) { /* nearly always: without a loop */
        memcpy(w->block + w->used, from, size);
        w->used += size;
        return;
    }
    while (size > 0) {
        if (w->used == w->size)
            flush(w, false);
        size_t piece = size < w->size - w->used ? size : w->size - w->used;
        memcpy(w->block + w->used, from, piece);
        w->used += piece;
        from += piece;
        size -= piece;
    }
}

void ordo_put_text(ordo_writer *w, const char *text)
{
    ordo_put_bytes(w, text, strlen(text));
}

void ordo_put_number(ordo_writer *w, ordo_u64 value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    enum { MOST = 20 };
    char digits[2 * MOST] = {0};
    int at = MOST;
    for (; value >= 10; value /= 100)
        memcpy(digits + (at -= 2), pairs + value % 100 * 2, 2);
    if (value || at == MOST)
        digits[--at] = (char)('0' + value);
    if (w->size - w->used < MOST) {
        ordo_put_bytes(w, digits + at, (size_t)(MOST - at));
        return;
    }
    memcpy(w->block + w->used, digits + at, MOST); /* a fixed number: no call; what follows overwrites the rest */
    w->used += (size_t)(MOST - at);
}

void ordo_put_word64(ordo_writer *w, ordo_u64 value)
{
    ordo_put_bytes(w, &value, sizeof value);
}

bool ordo_put_failed(const ordo_writer *w)
{
    return w->shared ? __atomic_load_n(&w->shared->error, __ATOMIC_RELAXED) != 0 : w->error != 0;
}

/* Nine digits distinguish any two floats, 17 any two doubles. A point or an exponent shows the reader that it is not an
 * integer. */
static void put_real(ordo_writer *w, const char *format, double value)
{
    char text[LONGEST];
    int length = ordo_format(text, sizeof text - 2, format, value);
    bool marked = strpbrk(text, ".e") != NULL;
    if (!marked) {
        text[length++] = '.';
        text[length++] = '0';
    }
    ordo_put_bytes(w, text, (size_t)length);
}

void ordo_put_weight(ordo_writer *w, ordo_type type, ordo_u64 bits)
{
    const ordo_u32 low = (ordo_u32)bits;
    const ordo_i64 value = type == ORDO_I32 ? (ordo_i32)low : (ordo_i64)bits;
    if (type == ORDO_F32) {
        ordo_f32 real;
        memcpy(&real, &low, sizeof real);
        put_real(w, "%.9g", (double)real);
    } else if (type == ORDO_F64) {
        put_real(w, "%.17g", ordo_bits_f64(bits));
    } else if (value < 0) {
        ordo_put_bytes(w, "-", 1);
        ordo_put_number(w, 0u - (ordo_u64)value);
    } else {
        ordo_put_number(w, type == ORDO_NONE ? 1 : bits);
    }
}

/* ---- parts ---- */

static void put_part(ordo_writer *w, const parts *p, ordo_u64 part)
{
    const ordo_u64 begin = part * p->each, end = begin + p->each;
    p->put(w, p->arg, begin, end < p->items ? end : p->items);
}

static void put_parts(void *arg, int member)
{
    parts *p = arg;
    (void)member;
    ordo_writer w = {.fd = p->to->fd, .size = PART, .block = ordo_alloc(PART, 1), .shared = p};
    if (!w.block)
        __atomic_store_n(&p->error, ENOMEM, __ATOMIC_RELAXED);
    while (w.block && (w.part = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED)) < p->count) {
        if (!ordo_put_failed(&w))
            put_part(&w, p, w.part);
        flush_part(&w, true); /* also where it failed: others may wait for their turn */
    }
    ordo_free(w.block);
}

/* Where a file is written from here on, flushed; false where it is no file, or its bytes are compressed. */
static bool offset_of(ordo_writer *w, off_t *at)
{
    if (!w->seeks || w->wrapper.kind)
        return false;
    flush(w, false);
    *at = lseek(w->fd, 0, SEEK_CUR);
    return *at >= 0;
}

static ordo_status share_parts(parts *p, ordo_team *team)
{
    p->members = ordo_team_size(team);
    p->passed = ordo_alloc((ordo_u64)p->members, sizeof *p->passed);
    if (!p->passed)
        return ORDO_ERR_MEMORY;
    for (int i = 0; i < p->members; i++)
        pthread_cond_init(&p->passed[i], NULL);
    p->at_offsets = offset_of(p->to, &p->end);
    ordo_team_run(team, put_parts, p);
    if (!p->error && p->at_offsets && lseek(p->to->fd, p->end, SEEK_SET) < 0)
        p->error = errno;
    if (p->error && !p->to->error)
        p->to->error = p->error;
    for (int i = 0; i < p->members; i++)
        pthread_cond_destroy(&p->passed[i]);
    ordo_free(p->passed);
    return ORDO_OK;
}

ordo_status ordo_put_parts(ordo_writer *w, int threads, ordo_u64 items, ordo_u64 bytes, ordo_part_writer *put,
                           const void *arg)
{
    parts p = {.to = w, .put = put, .arg = arg, .items = items, .lock = PTHREAD_MUTEX_INITIALIZER};
    p.each = bytes < PART ? PART / bytes : 1;
    p.count = items / p.each + (items % p.each != 0);
    ordo_team *team;
    ordo_status status = ordo_graph_team(threads, items * bytes / 8, &team);
    if (status)
        return status;
    if (ordo_team_size(team) > 1 && p.count > 1)
        status = share_parts(&p, team);
    else
        for (ordo_u64 part = 0; part < p.count && !ordo_put_failed(w); part++)
            put_part(w, &p, part);
    ordo_team_return(team);
    return status;
}

int ordo_write_parts(int fd, bool seeks, int threads, ordo_u64 items, ordo_u64 bytes, ordo_part_writer *put,
                     const void *arg)
{
    ordo_writer w = {.fd = fd, .seeks = seeks, .size = BLOCK, .block = ordo_alloc(BLOCK, 1)};
    if (!w.block)
        return ENOMEM;
    const ordo_status status = ordo_put_parts(&w, threads, items, bytes, put, arg);
    flush(&w, true);
    ordo_free(w.block);
    return status && !w.error ? ENOMEM : w.error;
}

static void put_piece(ordo_writer *w, const void *arg, ordo_u64 begin, ordo_u64 end)
{
    ordo_put_bytes(w, (const ordo_u8 *)arg + begin, end - begin);
}

ordo_status ordo_put_array(ordo_writer *w, int threads, const void *bytes, ordo_u64 size)
{
    return ordo_put_parts(w, threads, size, 1, put_piece, bytes);
}

/* Of edges as they are in files: a head, and the words of its weight, low word first. */
typedef struct edges {
    const ordo_csr *g;
    ordo_u32 words; /* of an edge */
} edges;

static void put_edges(ordo_writer *w, const void *arg, ordo_u64 begin, ordo_u64 end)
{
    const edges *of = arg;
    const ordo_csr *g = of->g;
    for (ordo_eid e = begin; e < end; e++) {
        const ordo_u64 weight = ordo_csr_word(g, e);
        const ordo_u32 words[3] = {g->head[e * g->stride], (ordo_u32)weight, (ordo_u32)(weight >> 32)};
        ordo_put_bytes(w, words, of->words * sizeof *words);
    }
}

ordo_status ordo_put_edges(ordo_writer *w, int threads, const ordo_csr *g)
{
    const ordo_u32 words = ordo_edge_words(g->weight_type);
    const ordo_u64 bytes = words * sizeof *g->head;
    if (g->stride == words && (words == 1 || (const ordo_vid *)g->weight == g->head + 1))
        return ordo_put_array(w, threads, g->head, g->m * bytes); /* they are the same in memory */
    return ordo_put_parts(w, threads, g->m, bytes, put_edges, &(edges){g, words});
}

/* Of a line for each edge. */
typedef struct lines {
    const ordo_csr *g;
    ordo_line_writer *put;
} lines;

static void put_lines(ordo_writer *w, const void *arg, ordo_u64 begin, ordo_u64 end)
{
    const lines *of = arg;
    ordo_vid tail = ordo_csr_tail(of->g, begin);
    for (ordo_eid e = begin; e < end; e++) {
        tail = ordo_tail_from(of->g, tail, e);
        of->put(w, of->g, tail, e);
    }
}

ordo_status ordo_put_lines(ordo_writer *w, int threads, const ordo_csr *g, ordo_line_writer *put)
{
    enum { USUAL = 20 }; /* bytes */
    return ordo_put_parts(w, threads, g->m, USUAL, put_lines, &(lines){g, put});
}

/* ---- the file ---- */

/* The bytes of the file. */
static ordo_status write_bytes(ordo_writer *w, ordo_body_writer *body, const void *arg, const char *path)
{
    w->size = BLOCK;
    w->block = ordo_alloc(w->size, 1);
    ordo_status status = w->block ? ORDO_OK : ORDO_ERR_MEMORY;
    w->wrapper = (ordo_wrapper){.kind = ordo_wrapping_named(path), .put = put_compressed, .to = w};
    if (!status && w->wrapper.kind)
        status = ordo_wrapper_start(&w->wrapper, path);
    if (!status)
        status = body(w, arg);
    if (!status)
        flush(w, true);
    ordo_wrapper_free(&w->wrapper);
    ordo_free(w->block);
    return status;
}

ordo_status ordo_write_file(const char *path, ordo_body_writer *body, const void *arg)
{
    ordo_output out;
    ordo_status status = ordo_output_open(path, &out);
    if (status)
        return status;
    ordo_writer w = {.fd = out.fd, .seeks = out.target != NULL};
    status = write_bytes(&w, body, arg, path);
    ordo_status closed = ordo_output_close(&out, !status, w.error);
    return status ? status : closed;
}
