/* cnf.c -- formulas: DIMACS .cnf files, and random ones.
 *
 * A file has lines of comments, which begin with the word 'c', then a line 'p cnf VARIABLES CLAUSES', then the clauses:
 * numbers of variables from 1, negative for a negation, each clause ended by 0. A clause may take several lines and a
 * line may have several clauses. Comments may stand between clauses, and a line that begins with '%' ends the file, as
 * in the files of SATLIB. The number of clauses must be the header's.
 */
#include <ordo/sat.h>

#include <ordo/memory.h>

#include "text.h"

enum { PLAUSIBLE = 4096 }; /* variables a byte of a file, so that a small damaged file causes no large allocation */

typedef struct reading {
    const ordo_input *in;
    ordo_place at, end;
    ordo_u64 line;
    ordo_u64 clauses; /* of the header */
    ordo_u64 literals, room;
    ordo_formula f;
} reading;

/* Skips blanks, line ends and comments; false at the end of the file. `p cnf` has been read. */
static bool next_word(reading *r)
{
    bool fresh = r->at == r->in->bytes || r->at[-1] == '\n'; /* at the start of a line */
    for (; r->at < r->end; r->at++) {
        if (*r->at == '\n') {
            r->line++;
            fresh = true;
        } else if (!is_blank(*r->at)) {
            if (!fresh || !((*r->at == 'c' && at_gap(r->at + 1, r->end)) || *r->at == '%'))
                return true;
            if (*r->at == '%')
                r->at = r->end;
            while (!at_line_end(r->at, r->end))
                r->at++;
            if (r->at == r->end)
                return false;
            r->line++;
        }
    }
    return false;
}

static ordo_status read_header(reading *r)
{
    ordo_cursor c = {r->in, r->at, 1};
    ordo_words w;
    do {
        if (!ordo_next_line(&c, &w))
            return ordo_text_fail(r->in, c.line, NULL, "'p cnf VARIABLES CLAUSES'");
    } while (w.count == 0 || ordo_span_is(w.word[0], "c", false));
    ordo_u64 variables;
    for (int i = 0; i < 2; i++)
        if (!ordo_span_is(w.word[i], i ? "cnf" : "p", false))
            return ordo_text_fail(r->in, w.line, w.word[i].begin, "'p cnf VARIABLES CLAUSES'");
    if (!ordo_span_number(w.word[2], &variables) || variables > ORDO_MAX_VARIABLES)
        return ordo_text_fail(r->in, w.line, w.word[2].begin, "a number of variables, at most %llu",
                              (unsigned long long)ORDO_MAX_VARIABLES);
    if (!ordo_span_number(w.word[3], &r->clauses) || r->clauses > ORDO_MAX_OCCURRENCES)
        return ordo_text_fail(r->in, w.line, w.word[3].begin, "a number of clauses, at most %llu",
                              (unsigned long long)ORDO_MAX_OCCURRENCES);
    if (w.count > 4)
        return ordo_text_fail(r->in, w.line, w.word[4].begin, "the end of the line");
    if (r->clauses > r->in->size)
        return ordo_text_fail(r->in, w.line, w.word[3].begin, "no more clauses than a file of %llu bytes can have",
                              (unsigned long long)r->in->size);
    if (variables > PLAUSIBLE && variables / PLAUSIBLE > r->in->size)
        return ordo_text_fail(r->in, w.line, w.word[2].begin, "at most %d variables for each of %llu bytes", PLAUSIBLE,
                              (unsigned long long)r->in->size);
    r->f.variables = (ordo_u32)variables;
    r->at = c.at;
    r->line = c.line;
    return ORDO_OK;
}

static ordo_status add_literal(reading *r, ordo_u64 variable, bool negated)
{
    if (r->literals == ORDO_MAX_OCCURRENCES)
        return ordo_text_fail(r->in, r->line, r->at, "at most %llu literals", (unsigned long long)ORDO_MAX_OCCURRENCES);
    if (r->literals == r->room) {
        const ordo_u64 room = r->room + r->room / 2 + 1024;
        ordo_u32 *more = ordo_realloc(r->f.literal, room, sizeof *more);
        if (!more)
            return ORDO_ERR_MEMORY;
        r->f.literal = more;
        r->room = room;
    }
    r->f.literal[r->literals++] = (ordo_u32)(2 * (variable - 1) + negated);
    return ORDO_OK;
}

static ordo_status read_clauses(reading *r)
{
    ordo_status status = ORDO_OK;
    bool open = false; /* a clause has begun */
    while (!status && next_word(r)) {
        const bool negated = *r->at == '-';
        ordo_u64 number;
        ordo_place digits = r->at + negated, end = scan_digits(digits, r->end, &number);
        if (r->f.clauses == r->clauses)
            return ordo_text_fail(r->in, r->line, r->at, "the end of the file behind %llu clauses",
                                  (unsigned long long)r->clauses);
        if (end == digits || !at_gap(end, r->end) || number > r->f.variables || (negated && number == 0))
            return ordo_text_fail(r->in, r->line, r->at,
                                  "a variable from 1 to %u, its negative, or 0 to end the clause", r->f.variables);
        open = number != 0;
        if (open)
            status = add_literal(r, number, negated);
        else
            r->f.row[++r->f.clauses] = (ordo_u32)r->literals;
        r->at = end;
    }
    if (!status && open)
        return ordo_text_fail(r->in, r->line, NULL, "0 to end the clause");
    if (!status && r->f.clauses < r->clauses)
        return ordo_text_fail(r->in, r->line, NULL, "%llu clauses, of which %u are there",
                              (unsigned long long)r->clauses, r->f.clauses);
    return status;
}

ordo_status ordo_formula_read(const char *path, ordo_formula *out)
{
    ordo_input in;
    ordo_status status = ordo_input_open(path, &in);
    if (status)
        return status;
    reading r = {.in = &in, .at = in.bytes, .end = in.bytes + in.size, .line = 1};
    status = read_header(&r);
    if (!status) {
        r.f.row = ordo_alloc_zero(r.clauses + 1, sizeof *r.f.row);
        r.f.literal = ordo_alloc(r.room = 1024, sizeof *r.f.literal);
        status = r.f.row && r.f.literal ? read_clauses(&r) : ORDO_ERR_MEMORY;
    }
    ordo_input_close(&in);
    if (status)
        ordo_formula_free(&r.f);
    else
        *out = r.f;
    return status;
}

static ordo_status put_formula(ordo_writer *w, const void *arg)
{
    const ordo_formula *f = arg;
    ordo_put_text(w, "p cnf ");
    ordo_put_number(w, f->variables);
    ordo_put_text(w, " ");
    ordo_put_number(w, f->clauses);
    ordo_put_text(w, "\n");
    for (ordo_u32 c = 0; c < f->clauses && !ordo_put_failed(w); c++) {
        for (ordo_u32 o = f->row[c]; o < f->row[c + 1]; o++) {
            if (f->literal[o] & 1)
                ordo_put_text(w, "-");
            ordo_put_number(w, f->literal[o] / 2 + 1);
            ordo_put_text(w, " ");
        }
        ordo_put_text(w, "0\n");
    }
    return ORDO_OK;
}

ordo_status ordo_formula_write(const char *path, const ordo_formula *f)
{
    return ordo_write_file(path, put_formula, f);
}

/* A clause of different variables: draws one anew while the clause has it. */
static void draw_clause(const ordo_formula *f, ordo_u64 key, ordo_u32 c, ordo_u32 length)
{
    ordo_u32 *const literal = f->literal + (size_t)c * length;
    ordo_u64 random = ordo_scramble(key ^ c);
    for (ordo_u32 i = 0; i < length;) {
        random = ordo_scramble(random + 0x9e3779b97f4a7c15u);
        const ordo_u32 drawn = 2 * (ordo_u32)ordo_below(random, f->variables) + (ordo_u32)(random & 1);
        bool fresh = true;
        for (ordo_u32 j = 0; j < i; j++)
            fresh = fresh && literal[j] / 2 != drawn / 2;
        if (fresh)
            literal[i++] = drawn;
    }
}

ordo_status ordo_formula_generate(ordo_u64 variables, ordo_u64 clauses, ordo_u32 length, ordo_u64 seed,
                                  ordo_formula *out)
{
    enum { LONGEST = 64 };
    if (length < 1 || length > LONGEST)
        return ordo_fail(ORDO_ERR_USAGE, "clauses of %u literals, expected 1 to %d", length, LONGEST);
    if (variables < length || variables > ORDO_MAX_VARIABLES)
        return ordo_fail(ORDO_ERR_USAGE, "%llu variables, expected %u to %llu", (unsigned long long)variables, length,
                         (unsigned long long)ORDO_MAX_VARIABLES);
    if (clauses > ORDO_MAX_OCCURRENCES / length)
        return ordo_fail(ORDO_ERR_USAGE, "%llu clauses of %u literals, expected at most %llu",
                         (unsigned long long)clauses, length, (unsigned long long)(ORDO_MAX_OCCURRENCES / length));
    ordo_formula f = {.variables = (ordo_u32)variables, .clauses = (ordo_u32)clauses};
    f.row = ordo_alloc(clauses + 1, sizeof *f.row);
    f.literal = ordo_alloc(clauses * length, sizeof *f.literal);
    if (!f.row || !f.literal) {
        ordo_formula_free(&f);
        return ORDO_ERR_MEMORY;
    }
    const ordo_u64 key = ordo_scramble(seed);
    f.row[0] = 0;
    for (ordo_u32 c = 0; c < f.clauses; c++) {
        draw_clause(&f, key, c, length);
        f.row[c + 1] = (c + 1) * length;
    }
    *out = f;
    return ORDO_OK;
}

void ordo_formula_free(ordo_formula *f)
{
    if (!f)
        return;
    ordo_free(f->row);
    ordo_free(f->literal);
    *f = (ordo_formula){0};
}
