/* text.c -- the scanner that the text formats share.
 *
 * Problem: turn tens of gigabytes of "u v w" lines into an edge list as fast as memory allows, and still name the
 * exact line and word of the first thing that is wrong.
 *
 * Method: the text is cut into chunks at line starts, many a thread. A first pass counts lines and edges a chunk;
 * sums of these tell every chunk the number of its first line and the place of its first edge; a second pass parses.
 * Each chunk stops at its first error; the first chunk with an error has the first error of the file. Weights are
 * parsed as integers until one is not; then, if the format allows both, all are parsed again as reals. Real numbers
 * are scanned here and not by strtod, whose decimal point depends on the process's locale.
 *
 * Not done: lines that end in CR alone; numbers in other bases.
 */
#include "graph.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef const ordo_u8 *place;

static inline bool is_blank(ordo_u8 c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static inline place skip_blanks(place p, place end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

static inline bool at_line_end(place p, place end)
{
    return p == end || *p == '\n';
}

/* A word ends here. */
static inline bool at_gap(place p, place end)
{
    return p == end || *p == '\n' || is_blank(*p);
}

static inline place after_line(place p, place end)
{
    place newline = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    return newline ? newline + 1 : end;
}

/* ---- messages ---- */

ordo_status ordo_text_fail(const ordo_input *in, ordo_u64 line, place found, const char *expected, ...)
{
    char what[160] = "end of file", wish[400];
    place end = in->bytes + in->size;
    if (found && found < end && *found == '\n') {
        snprintf(what, sizeof what, "end of line");
    } else if (found && found < end) {
        size_t used = 0;
        what[used++] = '\'';
        int shown = 0;
        for (; !at_gap(found, end) && shown < 24; found++, shown++)
            used += (size_t)snprintf(what + used, sizeof what - used,
                                     *found > ' ' && *found < 127 && *found != '\\' ? "%c" : "\\x%02x", *found);
        snprintf(what + used, sizeof what - used, "%s'", at_gap(found, end) ? "" : "...");
    }
    va_list args;
    va_start(args, expected);
    vsnprintf(wish, sizeof wish, expected, args);
    va_end(args);
    return ordo_fail(ORDO_ERR_INPUT, "%s:%llu: found %s, expected %s", in->name, (unsigned long long)line, what, wish);
}

/* ---- single lines: headers ---- */

bool ordo_next_line(ordo_cursor *c, ordo_words *out)
{
    place end = c->in->bytes + c->in->size, p = c->at;
    if (p == end)
        return false;
    *out = (ordo_words){.line = c->line};
    for (p = skip_blanks(p, end); !at_line_end(p, end); p = skip_blanks(p, end)) {
        place begin = p;
        while (!at_gap(p, end))
            p++;
        if (out->count < ORDO_WORDS)
            out->word[out->count] = (ordo_span){begin, p};
        out->count++;
    }
    for (int i = out->count; i < ORDO_WORDS; i++)
        out->word[i] = (ordo_span){p, p};
    out->end = (ordo_span){p, p};
    c->at = p == end ? end : p + 1;
    c->line++;
    return true;
}

bool ordo_span_is(ordo_span s, const char *word, bool fold_case)
{
    size_t length = strlen(word);
    if ((size_t)(s.end - s.begin) != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        ordo_u8 c = s.begin[i];
        if (fold_case && c >= 'A' && c <= 'Z')
            c = (ordo_u8)(c - 'A' + 'a');
        if (c != (ordo_u8)word[i])
            return false;
    }
    return true;
}

bool ordo_span_number(ordo_span s, ordo_u64 *out)
{
    ordo_u64 value = 0;
    if (s.begin == s.end)
        return false;
    for (place p = s.begin; p < s.end; p++) {
        unsigned digit = (unsigned)*p - '0';
        if (digit > 9 || __builtin_mul_overflow(value, 10u, &value) || __builtin_add_overflow(value, digit, &value))
            return false;
    }
    *out = value;
    return true;
}

/* ---- numbers ---- */

/* Digits from p on; beyond 2^40 the value is only known to be too large. Returns the first non-digit. */
static inline place scan_digits(place p, place end, ordo_u64 *out)
{
    ordo_u64 value = 0;
    for (unsigned digit; p < end && (digit = (unsigned)*p - '0') <= 9; p++)
        value = value > (ordo_u64)1 << 40 ? value : value * 10 + digit;
    *out = value;
    return p;
}

/* A decimal number from p on, exact to double but for a last-place error beyond 19 digits or 10^22. Returns where it
 * ends, or NULL where none is. Too large is infinite. */
static place scan_real(place p, place end, double *out)
{
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { FAR = 100000 };
    bool negative = p < end && *p == '-', any = false, point = false;
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    ordo_u64 digits = 0;
    long power = 0;
    for (; p < end; p++) {
        unsigned digit = (unsigned)*p - '0';
        if (digit <= 9) {
            any = true;
            if (digits < UINT64_MAX / 10 - 1) {
                digits = digits * 10 + digit;
                power -= point;
            } else {
                power += !point; /* the digit is beyond what a double can tell */
            }
        } else if (*p == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (!any)
        return NULL;
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        bool below = p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+'))
            p++;
        place first = p;
        ordo_u64 exponent;
        p = scan_digits(p, end, &exponent);
        if (p == first)
            return NULL;
        long far = exponent < FAR ? (long)exponent : FAR;
        power += below ? -far : far;
    }
    double value;
    if (digits == 0)
        value = 0;
    else if (digits <= (ordo_u64)1 << 53 && power >= -22 && power <= 22)
        value = power < 0 ? (double)digits / exact[-power] : (double)digits * exact[power];
    else
        /* never 0: the caller sees that it is too small, and not nothing */
        value = fmax((double)((long double)digits * powl(10.0L, (long double)power)), DBL_MIN);
    *out = negative ? -value : value;
    return p;
}

/* ---- chunks ---- */

typedef enum wanted {
    NOTHING_WRONG = 0,
    WANT_ARC,
    WANT_TAIL,
    WANT_HEAD,
    WANT_WEIGHT,
    WANT_INTEGER,
    WANT_32_BITS,
    WANT_FLOAT,
    WANT_LINE_END
} wanted;

typedef struct mark {
    place at; /* NULL: none */
    ordo_u64 line;
    wanted want;
} mark;

typedef struct chunk {
    place begin, end;
    ordo_u64 lines, edges;           /* in it */
    ordo_u64 first_line, first_edge; /* before it */
    ordo_u64 max_id, max_line;       /* largest end, 1 added: 0 is none */
    mark wrong;                      /* what ended the chunk */
    mark negative, big, wide;        /* first weight < 0, > INT32_MAX, beyond 32 bits */
    bool real;                       /* has a weight that is no integer */
} chunk;

typedef struct reading {
    const ordo_text_shape *shape;
    place begin, end;
    chunk *chunks;
    ordo_u64 count;
    ordo_edge_entry *list; /* NULL: only look */
    bool as_real;
    _Alignas(64) ordo_u64 next; /* atomic */
} reading;

static inline bool is_edge_line(const ordo_text_shape *shape, place p, place end)
{
    if (at_line_end(p, end))
        return false;
    return shape->arcs ? *p == 'a' : !*p || !strchr(shape->comments, *p);
}

static void count_chunk(const reading *r, chunk *c)
{
    for (place p = c->begin; p < c->end; c->lines++) {
        p = skip_blanks(p, c->end);
        c->edges += is_edge_line(r->shape, p, c->end);
        p = after_line(p, c->end);
    }
}

/* One weight of a chunk: its bits, and what is odd about it. Returns its end, or NULL (then *want says what). */
static place scan_weight(const reading *r, chunk *c, place p, place end, ordo_u64 line, ordo_u32 *bits, wanted *want)
{
    const ordo_text_shape *shape = r->shape;
    double real;
    *bits = 0;
    if (!r->as_real) {
        bool minus = p < end && *p == '-';
        place first = p + (p < end && (*p == '-' || *p == '+'));
        ordo_u64 value;
        place after = scan_digits(first, end, &value);
        if (after > first && at_gap(after, end)) {
            if (minus && value && !c->negative.at)
                c->negative = (mark){p, line, WANT_32_BITS};
            if (!minus && value > INT32_MAX && !c->big.at)
                c->big = (mark){p, line, WANT_32_BITS};
            if (value > (minus ? (ordo_u64)1 << 31 : UINT32_MAX) && !c->wide.at)
                c->wide = (mark){p, line, WANT_32_BITS};
            *bits = minus ? 0u - (ordo_u32)value : (ordo_u32)value;
            return after;
        }
        *want = at_gap(p, end) ? WANT_WEIGHT : shape->number == ORDO_INTEGER ? WANT_INTEGER : WANT_WEIGHT;
        if (shape->number == ORDO_INTEGER)
            return NULL;
        after = scan_real(p, end, &real);
        if (!after || !at_gap(after, end))
            return NULL;
        c->real = true; /* the pass as reals looks at its size */
        return after;
    }
    place after = scan_real(p, end, &real);
    *want = WANT_WEIGHT;
    if (!after || !at_gap(after, end))
        return NULL;
    *want = WANT_FLOAT;
    double size = fabs(real);
    ordo_f32 value = size <= (double)FLT_MAX ? (ordo_f32)real : 0;
    if (!shape->drop && (size > (double)FLT_MAX || (size > 0 && !(fabsf(value) > 0))))
        return NULL;
    memcpy(bits, &value, sizeof value);
    return after;
}

static void parse_chunk(const reading *r, chunk *c)
{
    const ordo_text_shape shape = *r->shape; /* a copy: stores to the list could else change it, for the compiler */
    const place end = c->end;
    ordo_u64 limit = shape.counted ? shape.n : ORDO_MAX_VERTICES, line = c->first_line;
    ordo_edge_entry *to = r->list ? r->list + c->first_edge : NULL;
    wanted want;
    c->wrong = c->negative = c->big = c->wide = (mark){0};
    c->max_id = 0;
    place p = c->begin;
    for (; p < end; line++) {
        p = skip_blanks(p, end);
        if (!is_edge_line(&shape, p, end)) {
            if (shape.arcs && !at_line_end(p, end) && *p != 'c') {
                want = WANT_ARC;
                goto wrong;
            }
            p = after_line(p, end);
            continue;
        }
        if (shape.arcs) {
            want = WANT_ARC;
            if (!at_gap(p + 1, end))
                goto wrong;
            p = skip_blanks(p + 1, end);
        }
        ordo_u64 ends[2];
        for (int i = 0; i < 2; i++) {
            want = i ? WANT_HEAD : WANT_TAIL;
            place after = scan_digits(p, end, &ends[i]);
            ends[i] -= shape.base; /* 0 of a 1-based file becomes huge */
            if (after == p || !at_gap(after, end) || ends[i] >= limit)
                goto wrong;
            p = skip_blanks(after, end);
        }
        ordo_u64 larger = ends[0] > ends[1] ? ends[0] : ends[1];
        if (larger >= c->max_id) {
            c->max_id = larger + 1;
            c->max_line = line;
        }
        ordo_u32 bits = 0;
        if (shape.columns == 3) {
            place after = scan_weight(r, c, p, end, line, &bits, &want);
            if (!after)
                goto wrong;
            p = skip_blanks(after, end);
        }
        want = WANT_LINE_END;
        if (!at_line_end(p, end))
            goto wrong;
        if (p < end)
            p++;
        if (to)
            *to++ = (ordo_edge_entry){(ordo_vid)ends[0], (ordo_vid)ends[1], bits};
    }
    return;
wrong:
    c->wrong = (mark){p, line, want};
}

static void count_chunks(void *arg, int member)
{
    reading *r = arg;
    (void)member;
    for (;;) {
        ordo_u64 i = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED);
        if (i >= r->count)
            return;
        count_chunk(r, &r->chunks[i]);
    }
}

static void parse_chunks(void *arg, int member)
{
    reading *r = arg;
    (void)member;
    for (;;) {
        ordo_u64 i = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED);
        if (i >= r->count)
            return;
        parse_chunk(r, &r->chunks[i]);
    }
}

static void cut(reading *r)
{
    size_t size = (size_t)(r->end - r->begin), step = size / r->count + 1;
    place at = r->begin;
    for (ordo_u64 i = 0; i < r->count; i++) {
        /* The chunk ends after the line that holds its last byte; a long line may leave chunks empty. */
        size_t until = (i + 1) * step < size ? (i + 1) * step : size;
        place end = r->begin + until;
        end = end <= at ? at : after_line(end - 1, r->end);
        r->chunks[i] = (chunk){.begin = at, .end = end};
        at = end;
    }
}

/* The first mark of a kind (the offset of a member of chunk), in the order of lines. */
static mark first_mark(const reading *r, size_t kind)
{
    mark m = {0};
    for (ordo_u64 i = 0; i < r->count && !m.at; i++)
        memcpy(&m, (const char *)&r->chunks[i] + kind, sizeof m);
    return m;
}

static ordo_status report(const ordo_input *in, const ordo_text_shape *shape, mark m)
{
    unsigned long long low = shape->base;
    unsigned long long high = (shape->counted ? shape->n : ORDO_MAX_VERTICES) + shape->base - 1;
    switch (m.want) {
    case WANT_ARC:
        return ordo_text_fail(in, m.line, m.at, "a line of 'a' or 'c'");
    case WANT_TAIL:
    case WANT_HEAD:
        if (shape->counted && shape->n == 0)
            return ordo_text_fail(in, m.line, m.at, "no edge: there are no vertices");
        return ordo_text_fail(in, m.line, m.at, "a vertex from %llu to %llu", low, high);
    case WANT_WEIGHT:
        return ordo_text_fail(in, m.line, m.at, "a weight (%s)",
                              shape->number == ORDO_INTEGER ? "an integer" : "a finite number");
    case WANT_INTEGER:
        return ordo_text_fail(in, m.line, m.at, "an integer weight");
    case WANT_32_BITS:
        return ordo_text_fail(in, m.line, m.at, "a weight of 32 bits");
    case WANT_FLOAT:
        return ordo_text_fail(in, m.line, m.at, "a weight within the range of a 32-bit float");
    case WANT_LINE_END:
        return ordo_text_fail(
            in, m.line, m.at, "the end of the line (%s%d columns%s)", shape->arcs ? "'a' and " : "", shape->columns,
            shape->counted ? "" : ", as in the first line: a header of counts is none of this format");
    case NOTHING_WRONG:
        break;
    }
    return ORDO_OK;
}

/* Looks at what the chunks found; on ORDO_OK the list's weights are of type *type. */
static ordo_status judge(const ordo_input *in, const reading *r, ordo_type *type)
{
    const ordo_text_shape *shape = r->shape;
    mark wrong = first_mark(r, offsetof(chunk, wrong)), wide = first_mark(r, offsetof(chunk, wide));
    mark negative = first_mark(r, offsetof(chunk, negative)), big = first_mark(r, offsetof(chunk, big));
    bool keep = shape->columns == 3 && !shape->drop;
    if (keep && !r->as_real && wide.at && (!wrong.at || wide.line < wrong.line))
        return report(in, shape, wide);
    if (wrong.at)
        return report(in, shape, wrong);
    *type = !keep ? ORDO_NONE : r->as_real ? ORDO_F32 : negative.at ? ORDO_I32 : ORDO_U32;
    if (*type == ORDO_I32 && big.at)
        return ordo_text_fail(in, big.line, big.at, "a weight of at most %d: there are negative ones (line %llu)",
                              INT32_MAX, (unsigned long long)negative.line);
    return ORDO_OK;
}

static ordo_status read_chunks(const ordo_cursor *from, reading *r, ordo_team *team, ordo_text_edges *out)
{
    cut(r);
    ordo_team_run(team, count_chunks, r);
    ordo_u64 line = from->line, edges = 0;
    for (ordo_u64 i = 0; i < r->count; i++) {
        chunk *c = &r->chunks[i];
        c->first_line = line;
        c->first_edge = edges;
        line += c->lines;
        edges += c->edges;
    }
    *out = (ordo_text_edges){.count = edges, .last_line = line - 1};
    /* Allocated by the lines that are there, never by a number that a header claims. */
    if (edges > SIZE_MAX / sizeof *r->list || !ordo_memory_fits(edges * sizeof *r->list))
        return ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for a list of %llu edges", from->in->name,
                         (unsigned long long)edges);
    r->list = ordo_alloc(edges, sizeof *r->list);
    if (!r->list)
        return ORDO_ERR_MEMORY;

    r->as_real = r->shape->columns == 3 && r->shape->number == ORDO_REAL;
    r->next = 0;
    ordo_team_run(team, parse_chunks, r);
    bool any_real = false;
    for (ordo_u64 i = 0; i < r->count; i++)
        any_real |= r->chunks[i].real;
    if (any_real && !r->as_real) {
        r->as_real = true;
        r->next = 0;
        ordo_team_run(team, parse_chunks, r);
    }
    ordo_status status = judge(from->in, r, &out->weight_type);
    if (status)
        return status;

    for (ordo_u64 i = 0; i < r->count; i++)
        if (r->chunks[i].max_id > out->max_id) {
            out->max_id = r->chunks[i].max_id;
            out->max_line = r->chunks[i].max_line;
        }
    out->max_id -= out->max_id != 0;
    mark big = first_mark(r, offsetof(chunk, big));
    if (big.at && out->weight_type == ORDO_U32) {
        out->big_line = big.line;
        out->big_found = big.at;
    }
    out->list = r->list;
    r->list = NULL;
    return ORDO_OK;
}

ordo_status ordo_text_read(const ordo_cursor *from, const ordo_text_shape *shape, int threads, ordo_text_edges *out)
{
    enum { CHUNK_LEAST = 1 << 14, CHUNK_MOST = 1 << 22, BYTES_OF_AN_EDGE = 8, CHUNKS_OF_A_THREAD = 8 };
    reading r = {.shape = shape, .begin = from->at, .end = from->in->bytes + from->in->size};
    size_t size = (size_t)(r.end - r.begin);
    ordo_team *team;
    ordo_status status = ordo_graph_team(threads, size / BYTES_OF_AN_EDGE, &team);
    if (status)
        return status;
    size_t step = size / (size_t)(ordo_team_size(team) * CHUNKS_OF_A_THREAD);
    step = step < CHUNK_LEAST ? CHUNK_LEAST : step > CHUNK_MOST ? CHUNK_MOST : step;
    r.count = size / step + 1;
    r.chunks = ordo_alloc(r.count, sizeof *r.chunks);
    status = r.chunks ? read_chunks(from, &r, team, out) : ORDO_ERR_MEMORY;
    ordo_free(r.list);
    ordo_free(r.chunks);
    ordo_team_return(team);
    return status;
}

ordo_u64 ordo_text_line_of(const ordo_cursor *from, const ordo_text_shape *shape, ordo_u64 k)
{
    place end = from->in->bytes + from->in->size;
    ordo_u64 line = from->line;
    for (place p = from->at; p < end; p = after_line(p, end), line++) {
        p = skip_blanks(p, end);
        if (is_edge_line(shape, p, end) && k-- == 0)
            break;
    }
    return line;
}
