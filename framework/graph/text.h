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

/* A word ends here. */
static inline bool at_gap(ordo_place p, ordo_place end)
{
    return p == end || *p == '\n' || is_blank(*p);
}

static inline ordo_place after_line(ordo_place p, ordo_place end)
{
    ordo_place newline = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    return newline ? newline + 1 : end;
}

/* Digits from p on; beyond 2^40 the value is only known to be too large. Returns the first non-digit. Eight bytes at
 * a time while there are eight: exclusive or leaves digits as 0..9, adding 0x76 lifts everything else over 0x7f, and
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

/* A decimal number from p on, exact to double but for a last-place error beyond 19 digits or 10^22. Returns where it
 * ends, or NULL where none is. Too large is infinite. */
ordo_place ordo_scan_real(ordo_place p, ordo_place end, double *out);

/* A text cut at line starts into pieces of some size that does not depend on threads. */
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

/* The words of the line at the cursor, which moves on. False at the end of the text. */
bool ordo_next_line(ordo_cursor *c, ordo_words *out);
bool ordo_span_is(ordo_span s, const char *word, bool fold_case);
bool ordo_span_number(ordo_span s, ordo_u64 *out);
/* "FILE:LINE: found '...', expected ..." with what stands at `found` (NULL end of file). */
ordo_status ordo_text_fail(const ordo_input *in, ordo_u64 line, ordo_place found, const char *expected, ...)
    ORDO_PRINTF(4, 5);

/* ---- lines of edges ---- */

typedef enum ordo_number {
    ORDO_INTEGER,
    ORDO_NATURAL, /* an integer that is not negative */
    ORDO_REAL,
    ORDO_EITHER /* real where one is no integer */
} ordo_number;

/* What lines of edges look like, and what a header said of them. */
typedef struct ordo_text_shape {
    bool arcs;            /* DIMACS: 'a' before the ends; lines of 'c' are comments */
    const char *comments; /* first characters of lines to skip, where not arcs */
    int columns;          /* 2, or 3 with a weight */
    ordo_u64 base;        /* what the file calls vertex 0 */
    ordo_u64 n;           /* vertices, or ORDO_COUNT_UNKNOWN: the largest end + 1, but at least least_n */
    ordo_u64 least_n;
    ordo_u64 tails;      /* of a bipartite graph, whose vertices are counted: edges begin at the first ones alone, and
                            heads are numbered from there on; 0: they begin and end anywhere */
    ordo_number number;  /* what weights may be */
    bool drop;           /* look at weights, but do not keep them */
    const char *claimed; /* what the header counted ("entries"), or NULL */
    ordo_u64 claim, claim_line;
    ordo_mirror mirror; /* of the format */
} ordo_text_shape;

/* The graph of the lines from the cursor on, read in parallel, twice. */
ordo_status ordo_graph_from_text(const ordo_cursor *from, const ordo_text_shape *shape, const ordo_origin *origin,
                                 ordo_graph **out);

#endif
