/* text.h -- what the text formats share: lines, words, numbers, and lines of edges as a source. */
#ifndef ORDO_FRAMEWORK_GRAPH_TEXT_H
#define ORDO_FRAMEWORK_GRAPH_TEXT_H

#include <string.h>

#include "graph.h"

/* ---- places in a text ---- */

typedef const ordo_u8 *ordo_place;

static inline bool is_blank(ordo_u8 c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static inline ordo_place skip_blanks(ordo_place p, ordo_place end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

static inline bool at_line_end(ordo_place p, ordo_place end)
{
    return p == end || *p == '\n';
}

/* Whether a word ends here. */
static inline bool at_gap(ordo_place p, ordo_place end)
{
    return p == end || *p == '\n' || is_blank(*p);
}

static inline ordo_place after_line(ordo_place p, ordo_place end)
{
    ordo_place newline = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    return newline ? newline + 1 : end;
}

/* Parses digits from p on; returns the first non-digit. Of a value beyond 2^40 only that is certain. Eight bytes at a
 * time while there are eight: exclusive or leaves digits as 0..9, adding 0x76 makes everything else exceed 0x7f, and
 * three multiplications add up pairs, fours and eights (Lemire, "Quickly parsing eight digits", 2022). */
static inline ordo_place scan_digits(ordo_place p, ordo_place end, ordo_u64 *out)
{
    ordo_u64 value = 0;
    if (end - p >= 8) {
        ordo_u64 eight = ordo_load64(p) ^ 0x3030303030303030u;
        ordo_u64 others = (eight | (eight + 0x7676767676767676u)) & 0x8080808080808080u;
        int digits = others ? __builtin_ctzll(others) >> 3 : 8;
        if (digits == 0) {
            *out = 0;
            return p;
        }
        eight <<= 64 - 8 * digits; /* zeros before them */
        eight = (eight * 10 + (eight >> 8)) & 0x00ff00ff00ff00ffu;
        eight = (eight * 100 + (eight >> 16)) & 0x0000ffff0000ffffu;
        value = (eight * 10000 + (eight >> 32)) & 0xffffffffu;
        p += digits;
        if (digits < 8) {
            *out = value;
            return p;
        }
    }
    for (unsigned digit; p < end && (digit = (unsigned)*p - '0') <= 9; p++)
        value = value > (ordo_u64)1 << 40 ? value : value * 10 + digit;
    *out = value;
    return p;
}

/* The same, digit by digit: of a value beyond 64 bits only that is certain, which is then their largest. */
static inline ordo_place scan_all_digits(ordo_place p, ordo_place end, ordo_u64 *out)
{
    ordo_u64 value = 0;
    bool beyond = false;
    for (unsigned digit; p < end && (digit = (unsigned)*p - '0') <= 9; p++)
        beyond = beyond || __builtin_mul_overflow(value, 10u, &value) || __builtin_add_overflow(value, digit, &value);
    *out = beyond ? ~(ordo_u64)0 : value;
    return p;
}

/* A decimal number of a text. */
typedef struct ordo_decimal {
    double value;         /* the nearest one (of the first 19 digits); too large is infinite, too small never 0 */
    ordo_u64 digits;      /* the first 19 or so, as a number */
    long places;          /* digits of these after the point; negative: digits before the point that are left out */
    bool point, exponent; /* it has one */
} ordo_decimal;
/* Parses the number from p on. Returns its end, or NULL where there is none. */
ordo_place ordo_scan_real(ordo_place p, ordo_place end, ordo_decimal *out);

/* A text is cut at line starts into pieces, whose number does not depend on threads. */
typedef struct ordo_piece {
    ordo_place begin, end;
} ordo_piece;
ordo_u64 ordo_pieces(size_t size);
/* The pieces [ordo_pieces(end - begin)] of begin..end. */
void ordo_cut(ordo_place begin, ordo_place end, ordo_piece *out);

/* ---- lines and words: headers ---- */

typedef struct ordo_span {
    ordo_place begin, end;
} ordo_span;

/* The start of a line. */
typedef struct ordo_cursor {
    const ordo_input *in;
    ordo_place at;
    ordo_u64 line; /* 1 is the first */
} ordo_cursor;

enum { ORDO_WORDS = 8 };
typedef struct ordo_words {
    ordo_u64 line;
    int count; /* words of the line; those beyond ORDO_WORDS are counted, not kept */
    ordo_span word[ORDO_WORDS];
    ordo_span end; /* empty, at the end of the line */
} ordo_words;

/* Reads the words of the line at the cursor, and moves it to the next line. False at the end of the text. */
bool ordo_next_line(ordo_cursor *c, ordo_words *out);
bool ordo_span_is(ordo_span s, const char *word, bool fold_case);
bool ordo_span_number(ordo_span s, ordo_u64 *out);
/* Fails with "FILE:LINE: found '...', expected ...", with the text at `found` (NULL: end of file). */
ordo_status ordo_text_fail(const ordo_input *in, ordo_u64 line, ordo_place found, const char *expected, ...)
    ORDO_PRINTF(4, 5);

/* ---- fields: lines that are cut at a separator ---- */

/* Reads the field at *p, without blanks and quotes around it; *p moves to the next one, *more is whether there is one.
 * Separator ' ': any blanks. False: a quote without an end, or text after the closing quote. */
bool ordo_next_field(ordo_place *p, ordo_place end, ordo_u8 separator, ordo_span *out, bool *more);

/* ---- lines of edges ---- */

typedef enum ordo_number {
    ORDO_INTEGER,
    ORDO_NATURAL, /* an integer that is not negative */
    ORDO_REAL,
    ORDO_EITHER /* real where one is no integer */
} ordo_number;

/* The shape of lines of edges, and what a header declares about them. */
typedef struct ordo_text_shape {
    bool arcs;            /* DIMACS: 'a' before the ends; lines of 'c' are comments */
    const char *comments; /* first characters of lines to skip, where not arcs; '/': two of them */
    int columns;          /* 2, or 3 with a weight */
    ordo_u8 separator;    /* of fields, among which those of `at` are the columns; 0: blanks, columns in their order */
    int fields;           /* of each line, and where the tail, the head and the weight are among them, from 0 */
    int at[3];
    ordo_u64 fields_line; /* the line that this was found in */
    bool round;           /* weights that f32 does not hold are rounded */
    ordo_u64 base;        /* what the file calls vertex 0 */
    ordo_u64 n;           /* vertices, or ORDO_COUNT_UNKNOWN: the largest end + 1, but at least least_n */
    ordo_u64 least_n;
    ordo_u64 tails;      /* of a bipartite graph, whose vertices are counted: edges begin at the first ones alone, and
                            heads are numbered from there on; 0: they begin and end anywhere */
    ordo_number number;  /* what weights may be */
    bool drop;           /* parse weights, but do not keep them */
    const char *claimed; /* what the header counted ("entries"), or NULL */
    ordo_u64 claim, claim_line;
    ordo_mirror mirror; /* of the format */
} ordo_text_shape;

/* A summary of lines of edges, from one parallel pass. */
typedef struct ordo_text_sums {
    ordo_u64 edges, largest; /* end of an edge */
    bool zero;               /* some end is 0 */
    bool wrong;              /* some line is not an edge: the rest is not valid */
} ordo_text_sums;
ordo_status ordo_text_sum(const ordo_cursor *from, const ordo_text_shape *shape, int threads, ordo_text_sums *out);

/* Makes the graph of the lines from the cursor on, in two parallel passes. */
ordo_status ordo_graph_from_text(const ordo_cursor *from, const ordo_text_shape *shape, const ordo_origin *origin,
                                 ordo_graph **out);

#endif
