/* text.c -- the scanner that the text formats share.
 *
 * Problem: turn tens of gigabytes of "u v w" lines into rows as fast as memory allows, without holding a list of edges,
 * and still name the exact line and word of the first thing that is wrong.
 *
 * Method: the text is cut into chunks at line starts; each chunk is a part of a source (graph.h). The first pass parses
 * only tails (and heads where they are needed) and counts lines: sums of these give every chunk the number of its first
 * line. The second pass parses everything. Each chunk stops at its first error; the first chunk with an error has the
 * first error of the file (where the first pass finds one, weights before it are parsed as well). Weights are parsed as
 * integers until one is not; then, if the format allows both, all are parsed again as reals. Real numbers are scanned
 * here and not by strtod, whose decimal point depends on the process's locale.
 *
 * Not done: lines that end in CR alone; numbers in other bases.
 */
#include "text.h"
#include "rows.h"

#include "framework/run/number.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

typedef ordo_place place;

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
    ordo_vformat(wish, sizeof wish, expected, args);
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

/* ---- fields ---- */

bool ordo_next_field(place *p, place end, ordo_u8 separator, ordo_span *out, bool *more)
{
    const bool blanks = separator == ' ';
    place at = *p;
    while (at < end && is_blank(*at) && (blanks || *at != separator))
        at++;
    if (at < end && *at == '"') {
        place begin = ++at;
        while (!at_line_end(at, end) && (*at != '"' || (at + 1 < end && at[1] == '"')))
            at += *at == '"' ? 2 : 1;
        if (at_line_end(at, end))
            return false;
        *out = (ordo_span){begin, at++};
    } else {
        place begin = at;
        while (!at_line_end(at, end) && *at != separator && !(blanks && is_blank(*at)))
            at++;
        place last = at;
        while (last > begin && is_blank(last[-1]))
            last--;
        *out = (ordo_span){begin, last};
    }
    while (at < end && is_blank(*at) && (blanks || *at != separator))
        at++;
    *more = !at_line_end(at, end);
    if (!blanks && *more && *at++ != separator)
        return false;
    *p = at;
    return true;
}

/* ---- real numbers ---- */

/* DIGITS * 10^power, rounded once; never 0, so that the caller can distinguish a number that is too small from 0. */
static double far_from_one(ordo_u64 digits, long power)
{
    char text[64];
    double value;
    snprintf(text, sizeof text, "%llue%ld", (unsigned long long)digits, power);
    if (ordo_parse_real(text, &value))
        return value;
    return power < 0 ? DBL_MIN : (double)INFINITY;
}

double ordo_nearest_double(ordo_u64 digits, long power)
{
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (digits == 0)
        return 0;
    if (digits <= (ordo_u64)1 << 53 && power >= -22 && power <= 22)
        return power < 0 ? (double)digits / exact[-power] : (double)digits * exact[power];
    return far_from_one(digits, power);
}

place ordo_scan_real(place p, place end, ordo_decimal *out)
{
    enum { FAR = 100000 };
    bool negative = p < end && *p == '-', any = false, point = false, exponential = false;
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
                power += !point; /* the digit does not change the double */
            }
        } else if (*p == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (!any)
        return NULL;
    const long places = -power;
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        exponential = true;
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
    const double value = ordo_nearest_double(digits, power);
    *out = (ordo_decimal){.value = negative ? -value : value,
                          .digits = digits,
                          .places = places,
                          .point = point,
                          .exponent = exponential};
    return p;
}

/* ---- pieces ---- */

static size_t piece_size(size_t size)
{
    enum { LEAST = 1 << 14, MOST = 1 << 22, PIECES = 64 };
    size_t step = size / PIECES;
    return step < LEAST ? LEAST : step > MOST ? MOST : step;
}

ordo_u64 ordo_pieces(size_t size)
{
    return size / piece_size(size) + 1;
}

void ordo_cut(place begin, place end, ordo_piece *out)
{
    size_t size = (size_t)(end - begin), step = piece_size(size), count = ordo_pieces(size);
    place at = begin;
    for (size_t i = 0; i < count; i++) {
        /* A piece ends after the line that contains its last byte; after a long line pieces may be empty. */
        size_t until = (i + 1) * step < size ? (i + 1) * step : size;
        place stop = begin + until;
        stop = stop <= at ? at : after_line(stop - 1, end);
        out[i] = (ordo_piece){at, stop};
        at = stop;
    }
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
    WANT_HELD,
    WANT_64_BITS,
    WANT_DOUBLE,
    WANT_HELD_WIDE,
    WANT_NATURAL,
    WANT_FIELDS,
    WANT_LINE_END
} wanted;

typedef struct mark {
    place at; /* NULL: none */
    ordo_u64 line;
    wanted want;
} mark;

typedef struct chunk {
    ordo_piece piece;
    ordo_u64 lines;            /* in it, up to the first wrong end */
    ordo_u64 first_line;       /* 0 until all are counted */
    ordo_u64 max_id, max_line; /* largest end, 1 added: 0 is none */
    mark wrong;                /* what ended the chunk */
    mark negative, big, wide;  /* first weight < 0, > INT32_MAX, beyond 32 bits */
    bool real;                 /* has a weight that is not an integer */
} chunk;

typedef struct reading {
    const ordo_input *in;
    const ordo_text_shape *shape;
    chunk *chunks;
    ordo_u64 count;
    ordo_u64 line;  /* of the first chunk */
    ordo_type wide; /* weights are kept as this type of 8 bytes; ORDO_NONE: of 4, of the type that they need */
    bool heads;     /* also in the first pass: reverse edges are requested, or n is unknown */
    bool as_real;
} reading;

static inline bool is_edge_line(const ordo_text_shape *shape, place p, place end)
{
    if (at_line_end(p, end))
        return false;
    if (shape->arcs)
        return *p == 'a';
    if ((unsigned)*p - '0' <= 9 || !*p || !strchr(shape->comments, *p))
        return true;
    return *p == '/' && (p + 1 == end || p[1] != '/');
}

/* Whether a float is accepted for this number: it is equal, or the number is one that is always rounded to the nearest
 * float (docs/reals.md). */
static bool held(const ordo_decimal *d, ordo_f32 value)
{
    if ((double)value == d->value)
        return true;
    ordo_u64 digits = d->digits;
    long places = d->places;
    for (; digits && digits % 10 == 0; digits /= 10)
        places--;
    return digits < ORDO_NINE_DIGITS && (d->exponent || places > 0);
}

/* Whether a double is accepted for this number: a whole number is held exactly, a fraction has at most 17 digits. */
static bool held_wide(const ordo_decimal *d)
{
    const ordo_u64 most = 100000000000000000u; /* 10^17 */
    ordo_u64 digits = d->digits;
    long places = d->places;
    for (; digits && digits % 10 == 0; digits /= 10)
        places--;
    if (places > 0 || d->exponent)
        return digits < most;
    for (; places < 0; places++)
        if (__builtin_mul_overflow(digits, 10u, &digits))
            return false; /* more than 64 bits: 20 digits or more */
    return (double)digits < 0x1p64 && (ordo_u64)(double)digits == digits;
}

/* Reads one weight of 8 bytes, likewise. */
static place scan_wide(const reading *r, chunk *c, place p, place end, ordo_u64 line, ordo_u64 *bits, wanted *want)
{
    const bool minus = p < end && *p == '-';
    ordo_decimal real;
    if (r->wide == ORDO_I64 || r->shape->number == ORDO_NATURAL) {
        const place first = p + (p < end && (*p == '-' || *p == '+'));
        ordo_u64 value;
        place after = scan_all_digits(first, end, &value);
        *want = WANT_INTEGER;
        if (after == first || !at_gap(after, end))
            return NULL;
        if (minus && value && !c->negative.at)
            c->negative = (mark){p, line, WANT_64_BITS};
        if (r->shape->drop)
            return after;
        *want = WANT_64_BITS;
        if (value > INT64_MAX)
            return NULL;
        const ordo_i64 whole = minus ? -(ordo_i64)value : (ordo_i64)value;
        *bits = r->wide == ORDO_I64 ? (ordo_u64)whole : ordo_f64_bits((double)whole);
        *want = WANT_HELD_WIDE;
        return r->wide == ORDO_I64 || r->shape->round || (ordo_u64)(double)value == value ? after : NULL;
    }
    place after = ordo_scan_real(p, end, &real);
    *want = WANT_WEIGHT;
    if (!after || !at_gap(after, end))
        return NULL;
    *want = WANT_INTEGER;
    if (r->shape->number == ORDO_INTEGER && (real.point || real.exponent))
        return NULL;
    *bits = ordo_f64_bits(real.value);
    if (r->shape->drop)
        return after;
    *want = WANT_DOUBLE;
    if (isinf(real.value) || (real.digits && fabs(real.value) <= DBL_MIN))
        return NULL;
    *want = WANT_HELD_WIDE;
    return r->shape->round || held_wide(&real) ? after : NULL;
}

/* Reads one weight of a chunk: its bits, and marks for the chunk. Returns its end, or NULL (then *want is what was
 * expected). */
static place scan_weight(const reading *r, chunk *c, place p, place end, ordo_u64 line, ordo_u64 *bits, wanted *want)
{
    const ordo_text_shape *shape = r->shape;
    ordo_decimal real;
    *bits = 0;
    if (r->wide)
        return scan_wide(r, c, p, end, line, bits, want);
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
            *bits = minus ? (ordo_u32)(0u - value) : (ordo_u32)value;
            return after;
        }
        bool whole = shape->number == ORDO_INTEGER || shape->number == ORDO_NATURAL;
        *want = at_gap(p, end) || !whole ? WANT_WEIGHT : WANT_INTEGER;
        if (whole)
            return NULL;
        after = ordo_scan_real(p, end, &real);
        if (!after || !at_gap(after, end))
            return NULL;
        c->real = true; /* the pass that reads reals checks its size */
        return after;
    }
    place after = ordo_scan_real(p, end, &real);
    *want = WANT_WEIGHT;
    if (!after || !at_gap(after, end))
        return NULL;
    *want = WANT_FLOAT;
    double size = fabs(real.value);
    ordo_f32 value = size <= (double)FLT_MAX ? (ordo_f32)real.value : 0;
    if (!shape->drop && (size > (double)FLT_MAX || (size > 0 && !(fabsf(value) > 0))))
        return NULL;
    *want = WANT_HELD;
    if (!shape->drop && !shape->round && !held(&real, value))
        return NULL;
    *want = WANT_INTEGER;
    if (shape->number == ORDO_INTEGER &&
        (real.point || real.exponent)) /* an integer that is read as a real because it is large */
        return NULL;
    ordo_u32 word;
    memcpy(&word, &value, sizeof value);
    *bits = word;
    return after;
}

/* Finds the columns of a line and its end. False: it has too few or too many fields, at *p. */
static bool cut_line(const ordo_text_shape *shape, place *p, place end, ordo_span column[3])
{
    bool more = true;
    for (int i = 0; i < shape->fields; i++) {
        place here = *p;
        ordo_span field;
        if (!more || !ordo_next_field(p, end, shape->separator, &field, &more)) {
            *p = more ? here : *p;
            return false;
        }
        for (int k = 0; k < shape->columns; k++)
            if (shape->at[k] == i)
                column[k] = field;
    }
    return !more;
}

/* ---- parsing a chunk: a loop for each layout and pass, whose steps are inlined ---- */

#define INLINE static inline __attribute__((always_inline))

/* Where a chunk's parser is. What it looks at in each line is copied: the compiler must otherwise assume that stores
 * change it. */
typedef struct parser {
    const reading *r;
    chunk *c;
    const ordo_text_shape *shape; /* a copy */
    ordo_u64 limit[2];            /* tails and heads are less */
    place at, end;
    ordo_u64 line;
} parser;

typedef struct parsed_edge {
    ordo_u64 tail, head;
    ordo_u64 bits; /* of the weight */
} parsed_edge;

/* Parses one end of an edge: all that is left of a field, or a word. False: p->at is where it was. */
INLINE bool parse_end(parser *p, place end, const bool field, ordo_u64 limit, ordo_u64 *out)
{
    place after = scan_digits(p->at, end, out);
    *out -= p->shape->base; /* 0 of a 1-based file becomes huge */
    if (after == p->at || !(field ? after == end : at_gap(after, end)) || *out >= limit)
        return false;
    p->at = after;
    return true;
}

/* Parses a line of words to the begin of the next one. Returns what was expected at p->at, if anything is wrong. */
INLINE wanted parse_words(parser *p, const bool ends_only, parsed_edge *out)
{
    const ordo_text_shape *shape = p->shape;
    const bool heads = !ends_only || p->r->heads;
    if (shape->arcs) {
        if (!at_gap(p->at + 1, p->end))
            return WANT_ARC;
        p->at = skip_blanks(p->at + 1, p->end);
    }
    if (!parse_end(p, p->end, false, p->limit[0], &out->tail))
        return WANT_TAIL;
    p->at = skip_blanks(p->at, p->end);
    if (heads) {
        if (!parse_end(p, p->end, false, p->limit[1], &out->head))
            return WANT_HEAD;
        p->at = skip_blanks(p->at, p->end);
    }
    if (ends_only && (shape->columns == 3 || !heads)) {
        p->at = after_line(p->at, p->end);
        return NOTHING_WRONG;
    }
    if (shape->columns == 3) {
        wanted want;
        place after = scan_weight(p->r, p->c, p->at, p->end, p->line, &out->bits, &want);
        if (!after)
            return want;
        p->at = skip_blanks(after, p->end);
    }
    if (!at_line_end(p->at, p->end))
        return WANT_LINE_END;
    p->at += p->at < p->end;
    return NOTHING_WRONG;
}

/* The same for a line of fields with separators. */
INLINE wanted parse_fields(parser *p, const bool ends_only, parsed_edge *out)
{
    ordo_span column[3] = {{NULL, NULL}};
    place next = p->at;
    const bool whole = cut_line(p->shape, &next, p->end, column);
    p->at = next;
    if (!whole)
        return WANT_FIELDS;
    p->at = column[0].begin;
    if (!parse_end(p, column[0].end, true, p->limit[0], &out->tail))
        return WANT_TAIL;
    p->at = column[1].begin;
    if (!parse_end(p, column[1].end, true, p->limit[1], &out->head))
        return WANT_HEAD;
    if (!ends_only && p->shape->columns == 3) {
        wanted want;
        p->at = column[2].begin;
        place after = scan_weight(p->r, p->c, p->at, column[2].end, p->line, &out->bits, &want);
        if (after != column[2].end)
            return after ? WANT_WEIGHT : want;
    }
    p->at = next + (next < p->end);
    return NOTHING_WRONG;
}

/* Parses a chunk and gives its edges to `to`, if that is not NULL. */
INLINE void parse_chunk(const reading *r, chunk *c, ordo_taker *to, const bool ends_only, const bool fields)
{
    const ordo_text_shape shape = *r->shape;
    const bool counted = shape.n != ORDO_COUNT_UNKNOWN;
    const ordo_u64 all = counted ? shape.n : ORDO_MAX_VERTICES;
    parser p = {.r = r,
                .c = c,
                .shape = &shape,
                .limit = {shape.tails ? shape.tails : all, all - shape.tails},
                .at = c->piece.begin,
                .end = c->piece.end,
                .line = c->first_line};
    ordo_u64 max_id = 0, max_line = 0;
    ordo_given_edge batch[ORDO_BATCH];
    size_t given = 0;
    wanted want = NOTHING_WRONG;
    c->wrong = c->negative = c->big = c->wide = (mark){0};
    c->real = false;
    for (; p.at < p.end; p.line++) {
        const place start = p.at; /* a separator may be a blank */
        p.at = skip_blanks(p.at, p.end);
        if (!is_edge_line(&shape, p.at, p.end)) {
            if (shape.arcs && !at_line_end(p.at, p.end) && *p.at != 'c') {
                want = WANT_ARC;
                break;
            }
            p.at = after_line(p.at, p.end);
            continue;
        }
        p.at = fields ? start : p.at;
        parsed_edge edge = {0, 0, 0};
        want = fields ? parse_fields(&p, ends_only, &edge) : parse_words(&p, ends_only, &edge);
        if (want)
            break;
        if (!counted) {
            ordo_u64 larger = edge.tail > edge.head ? edge.tail : edge.head;
            if (larger >= max_id) {
                max_id = larger + 1;
                max_line = p.line;
            }
        }
        batch[given++] = (ordo_given_edge){(ordo_vid)edge.tail, (ordo_vid)(edge.head + shape.tails), edge.bits};
        if (given == ORDO_BATCH) {
            if (to)
                to->take(to, batch, given);
            given = 0;
        }
    }
    c->lines = p.line - c->first_line;
    if (want) {
        c->wrong = (mark){p.at, p.line, want};
        return;
    }
    if (to)
        to->take(to, batch, given);
    c->max_id = max_id;
    c->max_line = max_line;
}

static void give_chunk(void *self, ordo_u64 index, bool ends_only, ordo_taker *to)
{
    reading *r = self;
    chunk *c = &r->chunks[index];
    if (r->shape->separator)
        ends_only ? parse_chunk(r, c, to, true, true) : parse_chunk(r, c, to, false, true);
    else
        ends_only ? parse_chunk(r, c, to, true, false) : parse_chunk(r, c, to, false, false);
}

/* The first mark of a kind (given as the offset of a member of chunk), in the order of lines. */
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
    unsigned long long high = (shape->n != ORDO_COUNT_UNKNOWN ? shape->n : ORDO_MAX_VERTICES) + shape->base - 1;
    if (shape->tails)
        high = (m.want == WANT_TAIL ? shape->tails : shape->n - shape->tails) + shape->base - 1;
    switch (m.want) {
    case WANT_ARC:
        return ordo_text_fail(in, m.line, m.at, "a line of 'a' or 'c'");
    case WANT_TAIL:
    case WANT_HEAD:
        if (shape->n == 0 || high < low)
            return ordo_text_fail(in, m.line, m.at, "no edge: there are no %s",
                                  !shape->tails         ? "vertices"
                                  : m.want == WANT_TAIL ? "rows"
                                                        : "columns");
        return ordo_text_fail(in, m.line, m.at, "a %s from %llu to %llu",
                              !shape->tails         ? "vertex"
                              : m.want == WANT_TAIL ? "row"
                                                    : "column",
                              low, high);
    case WANT_WEIGHT:
        return ordo_text_fail(in, m.line, m.at, "a weight (%s)",
                              shape->number == ORDO_INTEGER || shape->number == ORDO_NATURAL ? "an integer"
                                                                                             : "a finite number");
    case WANT_INTEGER:
        return ordo_text_fail(in, m.line, m.at, "an integer weight");
    case WANT_32_BITS:
        return ordo_text_fail(
            in, m.line, m.at, "a weight of 32 bits%s",
            shape->number == ORDO_NATURAL ? "" : " (--round takes the nearest float, --weight-type i64 keeps 64 bits)");
    case WANT_64_BITS:
        return ordo_text_fail(in, m.line, m.at, "a weight of 64 bits, from %lld to %lld", (long long)-INT64_MAX,
                              (long long)INT64_MAX);
    case WANT_DOUBLE:
        return ordo_text_fail(in, m.line, m.at, "a weight within the range of a 64-bit float");
    case WANT_HELD_WIDE:
        return ordo_text_fail(in, m.line, m.at,
                              "a weight that a 64-bit float holds: a whole number exactly, a fraction of at most 17 "
                              "digits (--round takes the nearest one)");
    case WANT_FLOAT:
        return ordo_text_fail(in, m.line, m.at, "a weight within the range of a 32-bit float");
    case WANT_HELD:
        return ordo_text_fail(in, m.line, m.at,
                              "a weight that a 32-bit float holds: a whole number exactly, a fraction of at most 9 "
                              "digits (--round takes the nearest float, --weight-type f64 keeps 17)");
    case WANT_FIELDS:
        return ordo_text_fail(in, m.line, m.at, "%d columns, as line %llu has", shape->fields,
                              (unsigned long long)shape->fields_line);
    case WANT_NATURAL:
        return ordo_text_fail(in, m.line, m.at, "a capacity of 0 or more");
    case WANT_LINE_END:
        return ordo_text_fail(in, m.line, m.at, "the end of the line (%s%d columns%s)", shape->arcs ? "'a' and " : "",
                              shape->columns, shape->n != ORDO_COUNT_UNKNOWN ? "" : ", as in the first line");
    case NOTHING_WRONG:
        break;
    }
    return ORDO_OK;
}

/* Evaluates the marks of all chunks; on ORDO_OK the list's weights are of type *type. */
static ordo_status judge(const ordo_input *in, const reading *r, ordo_type *type)
{
    const ordo_text_shape *shape = r->shape;
    mark wrong = first_mark(r, offsetof(chunk, wrong)), wide = first_mark(r, offsetof(chunk, wide));
    mark negative = first_mark(r, offsetof(chunk, negative)), big = first_mark(r, offsetof(chunk, big));
    bool keep = shape->columns == 3 && !shape->drop;
    if (keep && !r->as_real && wide.at && (!wrong.at || wide.line < wrong.line))
        return report(in, shape, wide);
    if (shape->number == ORDO_NATURAL && negative.at && (!wrong.at || negative.line < wrong.line)) {
        negative.want = WANT_NATURAL;
        return report(in, shape, negative);
    }
    if (wrong.at)
        return report(in, shape, wrong);
    if (r->wide) {
        *type = keep ? r->wide : ORDO_NONE;
        return ORDO_OK;
    }
    *type = !keep ? ORDO_NONE : r->as_real ? ORDO_F32 : negative.at ? ORDO_I32 : ORDO_U32;
    if (*type == ORDO_I32 && big.at)
        return ordo_text_fail(in, big.line, big.at, "a weight of at most %d: there are negative ones (line %llu)",
                              INT32_MAX, (unsigned long long)negative.line);
    if (*type == ORDO_U32 && shape->mirror == ORDO_MIRROR_MINUS_WHOLE) {
        if (big.at)
            return ordo_text_fail(in, big.line, big.at,
                                  "a weight of at most %d: a skew-symmetric matrix has its opposite as well",
                                  INT32_MAX);
        *type = ORDO_I32;
    }
    return ORDO_OK;
}

/* ---- as a source ---- */

/* Whether weights must be parsed again, as reals. */
static bool wants_reals(const reading *r)
{
    bool real = false, wide = false, negative = false, big = false;
    for (ordo_u64 i = 0; i < r->count; i++) {
        real |= r->chunks[i].real;
        wide |= r->chunks[i].wide.at != NULL;
        negative |= r->chunks[i].negative.at != NULL;
        big |= r->chunks[i].big.at != NULL;
    }
    bool rounded = r->shape->round && !r->shape->drop && r->shape->number != ORDO_NATURAL &&
                   r->shape->mirror != ORDO_MIRROR_MINUS_WHOLE && (wide || (negative && big));
    return !r->as_real && !r->wide && (real || rounded);
}

/* An end or a count is wrong: looks for an earlier error in weights. */
static ordo_status report_first(reading *r)
{
    for (bool again = true; again;) {
        bool bad = false;
        for (ordo_u64 i = 0; i < r->count && !bad; i++) {
            give_chunk(r, i, false, NULL);
            bad = r->chunks[i].wrong.at != NULL;
        }
        again = wants_reals(r);
        r->as_real |= again;
    }
    ordo_type type;
    return judge(r->in, r, &type);
}

/* The number of the line of the k-th (0 is the first) edge. */
static ordo_u64 line_of(const reading *r, ordo_u64 k)
{
    ordo_u64 line = r->line;
    for (ordo_u64 i = 0; i < r->count; i++) {
        place end = r->chunks[i].piece.end;
        for (place p = r->chunks[i].piece.begin; p < end; p = after_line(p, end), line++) {
            p = skip_blanks(p, end);
            if (is_edge_line(r->shape, p, end) && k-- == 0)
                return line;
        }
    }
    return line;
}

static ordo_status chunks_counted(void *self, ordo_u64 edges, ordo_u64 *n)
{
    reading *r = self;
    const ordo_text_shape *shape = r->shape;
    ordo_u64 line = r->line, max_id = 0, max_line = 0;
    bool wrong = false;
    for (ordo_u64 i = 0; i < r->count; i++) {
        chunk *c = &r->chunks[i];
        c->first_line = line;
        if (c->max_id > max_id) {
            max_id = c->max_id;
            max_line = line + c->max_line;
        }
        line += c->lines;
        wrong |= c->wrong.at != NULL;
    }
    bool miscounted = shape->claimed && edges != shape->claim;
    if (wrong ||
        miscounted) { /* the error of a damaged line is more useful than that of the count, which it makes wrong */
        ordo_status status = report_first(r);
        if (status)
            return status;
    }
    if (miscounted) {
        ordo_u64 at = edges < shape->claim ? line - 1 : line_of(r, shape->claim);
        return ordo_fail(ORDO_ERR_INPUT, "%s:%llu: found %llu %s, expected %llu as line %llu says", r->in->name,
                         (unsigned long long)at, (unsigned long long)edges, shape->claimed,
                         (unsigned long long)shape->claim, (unsigned long long)shape->claim_line);
    }
    if (shape->n != ORDO_COUNT_UNKNOWN)
        return ORDO_OK;
    *n = max_id > shape->least_n ? max_id : shape->least_n;
    return ordo_input_plausible(r->in, max_id > shape->least_n ? max_line : shape->claim_line, *n);
}

static ordo_status chunks_given(void *self, ordo_type *weights, bool *again)
{
    reading *r = self;
    if (wants_reals(r)) {
        *again = r->as_real = true;
        return ORDO_OK;
    }
    return judge(r->in, r, weights);
}

/* ---- one pass, for summaries ---- */

typedef struct summer {
    ordo_taker taker;
    ordo_text_sums sums;
} summer;

typedef struct summing {
    reading *r;
    ordo_text_sums *sums; /* [chunks] */
    ordo_shared next;
    ordo_phase phase;
} summing;

static void take_sum(ordo_taker *taker, const ordo_given_edge *edges, size_t count)
{
    ordo_text_sums *s = &((summer *)taker)->sums;
    for (size_t i = 0; i < count; i++) {
        ordo_vid low = edges[i].tail < edges[i].head ? edges[i].tail : edges[i].head,
                 high = edges[i].tail ^ edges[i].head ^ low;
        s->zero |= low == 0;
        s->largest = high > s->largest ? high : s->largest;
    }
    s->edges += count;
}

static void sum_chunks(void *arg, int member)
{
    summing *s = arg;
    (void)member;
    for (ordo_u64 i; !ordo_phase_step(&s->phase, 1) && (i = ordo_take_next(&s->next, 1)) < s->r->count;) {
        summer one = {.taker = {take_sum}};
        give_chunk(s->r, i, true, &one.taker);
        one.sums.wrong = s->r->chunks[i].wrong.at != NULL;
        s->sums[i] = one.sums;
    }
}

ordo_status ordo_text_sum(const ordo_cursor *from, const ordo_text_shape *shape, int threads, ordo_text_sums *out)
{
    place end = from->in->bytes + from->in->size;
    size_t size = (size_t)(end - from->at);
    reading r = {.in = from->in, .shape = shape, .count = ordo_pieces(size), .heads = true};
    summing s = {.r = &r};
    ordo_piece *pieces = ordo_alloc(r.count, sizeof *pieces);
    r.chunks = pieces ? ordo_alloc(r.count, sizeof *r.chunks) : NULL;
    s.sums = r.chunks ? ordo_alloc(r.count, sizeof *s.sums) : NULL;
    ordo_team *team;
    ordo_status status = s.sums ? ordo_graph_team(threads, size / 8, &team) : ORDO_ERR_MEMORY;
    if (!status) {
        ordo_cut(from->at, end, pieces);
        for (ordo_u64 i = 0; i < r.count; i++)
            r.chunks[i] = (chunk){.piece = pieces[i]};
        ordo_phase_begin(&s.phase, "reading", r.count);
        ordo_team_run(team, sum_chunks, &s);
        ordo_team_return(team);
        status = ordo_phase_end(&s.phase);
    }
    if (!status) {
        *out = (ordo_text_sums){0};
        for (ordo_u64 i = 0; i < r.count; i++) {
            out->edges += s.sums[i].edges;
            out->largest = s.sums[i].largest > out->largest ? s.sums[i].largest : out->largest;
            out->zero |= s.sums[i].zero;
            out->wrong |= s.sums[i].wrong;
        }
    }
    ordo_free(s.sums);
    ordo_free(r.chunks);
    ordo_free(pieces);
    return status;
}

ordo_status ordo_graph_from_text(const ordo_cursor *from, const ordo_text_shape *shape, const ordo_origin *origin,
                                 ordo_graph **out)
{
    enum { BYTES_OF_AN_EDGE = 8 };
    place end = from->in->bytes + from->in->size;
    size_t size = (size_t)(end - from->at);
    reading r = {.in = from->in,
                 .shape = shape,
                 .count = ordo_pieces(size),
                 .line = from->line,
                 .heads = shape->mirror != ORDO_MIRROR_NONE || origin->edges->direction == ORDO_SYMMETRISE ||
                          shape->n == ORDO_COUNT_UNKNOWN,
                 .wide = origin->edges->weight_type,
                 .as_real = shape->columns == 3 && shape->number == ORDO_REAL};
    ordo_piece *pieces = ordo_alloc(r.count, sizeof *pieces);
    r.chunks = pieces ? ordo_alloc(r.count, sizeof *r.chunks) : NULL;
    ordo_status status = r.chunks ? ORDO_OK : ORDO_ERR_MEMORY;
    if (status) {
        if (origin->vertices)
            ordo_vertex_data_free(origin->vertices);
    } else {
        ordo_cut(from->at, end, pieces);
        for (ordo_u64 i = 0; i < r.count; i++)
            r.chunks[i] = (chunk){.piece = pieces[i]};
        ordo_source source = {.self = &r,
                              .parts = r.count,
                              .n = shape->n,
                              .edges = size / BYTES_OF_AN_EDGE,
                              .weights = shape->columns != 3 || shape->drop ? ORDO_NONE
                                         : r.wide                           ? r.wide
                                                                            : ORDO_U32,
                              .mirror = shape->mirror,
                              .give = give_chunk,
                              .counted = chunks_counted,
                              .given = chunks_given};
        status = ordo_graph_build(&source, origin, out);
    }
    ordo_free(r.chunks);
    ordo_free(pieces);
    return status;
}
