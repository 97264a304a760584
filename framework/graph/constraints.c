/* constraints.c -- constraints of points-to analysis: files, and made ones.
 *
 * The first line of a file has two numbers, VARIABLES and CONSTRAINTS. Each further line is a constraint of five
 * numbers: its own number, which is not used, SOURCE, DESTINATION, TYPE and OFFSET. Types are 0 (address of), 1 (copy),
 * 2 (load) and 3 (store). Words are parted by blanks or commas; empty lines and those that begin with '#' are skipped.
 *
 * Not done: offsets but 0, which are fields of structures. How many fields a variable has is in another file of these
 * programs, and without it no offset can be checked.
 */
#include <ordo/points_to.h>

#include <ordo/memory.h>

#include "text.h"

typedef struct reading {
    const ordo_input *in;
    ordo_place at, end;
    ordo_u64 line;
} reading;

static ordo_place skip_gaps(ordo_place p, ordo_place end)
{
    while (p < end && (is_blank(*p) || *p == ','))
        p++;
    return p;
}

/* Moves to the next line that has something; false at the end. */
static bool next_line(reading *r)
{
    for (; r->at < r->end; r->line++) {
        r->at = skip_gaps(r->at, r->end);
        if (r->at < r->end && *r->at != '\n' && *r->at != '#')
            return true;
        r->at = after_line(r->at, r->end);
    }
    return false;
}

/* The next number of the line, at most `most`. */
static ordo_status take_number(reading *r, ordo_u64 most, const char *what, ordo_u64 *out)
{
    r->at = skip_gaps(r->at, r->end);
    const ordo_place end = scan_digits(r->at, r->end, out);
    if (end == r->at || !(at_gap(end, r->end) || *end == ',') || *out > most)
        return ordo_text_fail(r->in, r->line, r->at, "%s from 0 to %llu", what, (unsigned long long)most);
    r->at = end;
    return ORDO_OK;
}

static ordo_status end_line(reading *r)
{
    r->at = skip_gaps(r->at, r->end);
    if (!at_line_end(r->at, r->end))
        return ordo_text_fail(r->in, r->line, r->at, "the end of the line");
    if (r->at < r->end)
        r->at++;
    r->line++;
    return ORDO_OK;
}

static ordo_status read_constraint(reading *r, ordo_u32 variables, ordo_constraint *out)
{
    const struct {
        const char *name;
        ordo_u64 most;
    } words[] = {{"the number of the constraint,", (ordo_u64)1 << 40},
                 {"a source", variables - (ordo_u64)1},
                 {"a destination", variables - (ordo_u64)1},
                 {"a type (address of, copy, load, store)", ORDO_CONSTRAINT_KINDS - 1},
                 {"an offset", 0}};
    ordo_u64 number[5];
    ordo_status status = ORDO_OK;
    if (variables == 0)
        return ordo_text_fail(r->in, r->line, r->at, "no constraint: there are no variables");
    for (int i = 0; i < 5 && !status; i++)
        status = take_number(r, words[i].most, words[i].name, &number[i]);
    if (!status)
        *out = (ordo_constraint){(ordo_u32)number[1], (ordo_u32)number[2], (ordo_u32)number[3]};
    return status ? status : end_line(r);
}

static ordo_status read_all(reading *r, ordo_constraints *c)
{
    enum { LEAST = 10, PLAUSIBLE = 4096 }; /* bytes of a line; variables a byte */
    ordo_u64 variables = 0, count = 0;
    if (!next_line(r))
        return ordo_text_fail(r->in, r->line, NULL, "'VARIABLES CONSTRAINTS'");
    const ordo_u64 header = r->line;
    const ordo_place begin = r->at;
    ordo_status status = take_number(r, ORDO_MAX_VERTICES, "a number of variables", &variables);
    if (!status)
        status = take_number(r, (ordo_u64)1 << 40, "a number of constraints", &count);
    if (!status)
        status = end_line(r);
    if (!status && count / 2 > r->in->size / LEAST)
        status = ordo_text_fail(r->in, header, begin, "no more constraints than a file of %llu bytes can have",
                                (unsigned long long)r->in->size);
    if (!status && variables > PLAUSIBLE && variables / PLAUSIBLE > r->in->size)
        status = ordo_text_fail(r->in, header, begin, "at most %d variables for each of %llu bytes", PLAUSIBLE,
                                (unsigned long long)r->in->size);
    if (status)
        return status;
    c->variables = (ordo_u32)variables;
    c->list = ordo_alloc(count, sizeof *c->list);
    if (!c->list)
        return ORDO_ERR_MEMORY;
    while (!status && next_line(r)) {
        if (c->count == count)
            return ordo_text_fail(r->in, r->line, r->at, "the end of the file behind %llu constraints",
                                  (unsigned long long)count);
        status = read_constraint(r, c->variables, &c->list[c->count]);
        c->count += !status;
    }
    if (!status && c->count < count)
        status = ordo_text_fail(r->in, r->line, NULL, "%llu constraints, of which %llu are there",
                                (unsigned long long)count, (unsigned long long)c->count);
    return status;
}

ordo_status ordo_constraints_read(const char *path, ordo_constraints *out)
{
    ordo_input in;
    ordo_constraints c = {0};
    ordo_status status = ordo_input_open(path, &in);
    if (status)
        return status;
    reading r = {&in, in.bytes, in.bytes + in.size, 1};
    status = read_all(&r, &c);
    ordo_input_close(&in);
    if (status)
        ordo_constraints_free(&c);
    else
        *out = c;
    return status;
}

static ordo_status put_constraints(ordo_writer *w, const void *arg)
{
    const ordo_constraints *c = arg;
    ordo_put_number(w, c->variables);
    ordo_put_text(w, " ");
    ordo_put_number(w, c->count);
    ordo_put_text(w, "\n");
    for (ordo_u64 i = 0; i < c->count && !ordo_put_failed(w); i++) {
        const ordo_u64 word[] = {i, c->list[i].source, c->list[i].destination, c->list[i].kind};
        for (int k = 0; k < 4; k++) {
            ordo_put_number(w, word[k]);
            ordo_put_text(w, " ");
        }
        ordo_put_text(w, "0\n");
    }
    return ORDO_OK;
}

ordo_status ordo_constraints_write(const char *path, const ordo_constraints *c)
{
    return ordo_write_file(path, put_constraints, c);
}

/* ---- made ones ---- */

/* A variable that a statement of that function uses: mostly one of its own; else a global, of which the first of every
 * thousand are used most (the square of a uniform number is nearer to 0). */
static ordo_u32 draw_variable(ordo_u64 *random, ordo_u64 variables, ordo_u64 function)
{
    enum { OWN_OF_64 = 62, OF_A_FUNCTION = 32 };
    *random = ordo_scramble(*random);
    const ordo_u64 first = function * OF_A_FUNCTION;
    const ordo_u64 own = variables - first < OF_A_FUNCTION ? variables - first : OF_A_FUNCTION;
    if (*random % 64 < OWN_OF_64)
        return (ordo_u32)(first + ordo_below(*random, own));
    const ordo_u64 near = ordo_below(*random, variables);
    *random = ordo_scramble(*random);
    return (ordo_u32)ordo_below(*random, near + 1);
}

ordo_status ordo_constraints_generate(ordo_u64 variables, ordo_u64 count, ordo_u64 seed, ordo_constraints *out)
{
    enum { OF_A_FUNCTION = 32 };
    if (variables < 2 || variables > ORDO_MAX_VERTICES)
        return ordo_fail(ORDO_ERR_USAGE, "%llu variables, expected 2 to %llu", (unsigned long long)variables,
                         (unsigned long long)ORDO_MAX_VERTICES);
    ordo_constraints c = {.variables = (ordo_u32)variables, .count = count};
    c.list = ordo_alloc(count, sizeof *c.list);
    if (!c.list)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; i < count; i++) {
        ordo_u64 random = ordo_scramble(ordo_scramble(seed) ^ i);
        const ordo_u64 function = ordo_below(random, (variables + OF_A_FUNCTION - 1) / OF_A_FUNCTION);
        const ordo_u64 kind = (random & 0xffff) * 100 >> 16;
        c.list[i].source = draw_variable(&random, variables, function);
        c.list[i].destination = draw_variable(&random, variables, function);
        c.list[i].kind = kind < 20 ? ORDO_ADDRESS_OF : kind < 70 ? ORDO_COPY : kind < 88 ? ORDO_LOAD : ORDO_STORE;
    }
    *out = c;
    return ORDO_OK;
}

void ordo_constraints_free(ordo_constraints *c)
{
    if (!c)
        return;
    ordo_free(c->list);
    *c = (ordo_constraints){0};
}
