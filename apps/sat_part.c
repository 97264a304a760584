/* sat_part.c -- see sat_part.h. */
#include "apps/sat_part.h"

#include <string.h>

#include <ordo/memory.h>

/* Lists of the occurrences of literals, and numbers of literals left. */
static void index_part(sat_part *p)
{
    const ordo_u32 literals = 2 * p->variables;
    memset(p->first, 0, ((size_t)literals + 2) * sizeof *p->first);
    for (ordo_u32 o = 0; o < p->occurrences; o++)
        p->first[p->literal[o] + 2]++;
    for (ordo_u32 l = 2; l <= literals; l++)
        p->first[l] += p->first[l - 1];
    for (ordo_u32 c = 0; c < p->clauses; c++) {
        p->left[c] = p->row[c + 1] - p->row[c];
        for (ordo_u32 o = p->row[c]; o < p->row[c + 1]; o++) {
            p->clause[o] = c;
            p->at[p->first[p->literal[o] + 1]++] = o;
        }
    }
    memset(p->fixed, SAT_FREE, p->variables);
    p->head = p->tail = 0;
}

/* Copies the clauses; seen[l] is the last clause with literal l, from 1. */
static void copy_clauses(const ordo_formula *f, sat_part *p, ordo_u32 *seen)
{
    p->row[0] = 0;
    for (ordo_u32 c = 0; c < f->clauses; c++) {
        ordo_u32 end = p->occurrences;
        bool holds = false;
        for (ordo_u32 o = f->row[c]; o < f->row[c + 1]; o++) {
            const ordo_u32 l = f->literal[o];
            holds = holds || seen[l ^ 1] == c + 1;
            if (seen[l] != c + 1)
                p->literal[end++] = l;
            seen[l] = c + 1;
        }
        if (holds)
            continue;
        p->occurrences = end;
        p->row[++p->clauses] = end;
    }
}

ordo_status sat_part_make(const ordo_formula *f, sat_part *p)
{
    const size_t variables = f->variables, clauses = f->clauses, occurrences = f->clauses ? f->row[f->clauses] : 0;
    *p = (sat_part){.variables = f->variables};
    p->row = ordo_alloc(clauses + 1, sizeof *p->row);
    p->literal = ordo_alloc(occurrences, sizeof *p->literal);
    p->cell = ordo_alloc(occurrences + 2 * variables, sizeof *p->cell);
    p->name = ordo_alloc(variables, sizeof *p->name);
    p->clause = ordo_alloc(occurrences, sizeof *p->clause);
    p->first = ordo_alloc_zero(2 * variables + 2, sizeof *p->first);
    p->at = ordo_alloc(occurrences, sizeof *p->at);
    p->left = ordo_alloc(clauses, sizeof *p->left);
    p->queue = ordo_alloc(variables, sizeof *p->queue);
    p->number = ordo_alloc(variables, sizeof *p->number);
    p->fixed = ordo_alloc(variables, sizeof *p->fixed);
    if (!p->row || !p->literal || !p->cell || !p->name || !p->clause || !p->first || !p->at || !p->left || !p->queue ||
        !p->number || !p->fixed)
        return ORDO_ERR_MEMORY;
    copy_clauses(f, p, p->first);
    for (ordo_u32 v = 0; v < p->variables; v++)
        p->name[v] = v;
    index_part(p);
    return ORDO_OK;
}

void sat_part_free(sat_part *p)
{
    ordo_free(p->row);
    ordo_free(p->literal);
    ordo_free(p->cell);
    ordo_free(p->name);
    ordo_free(p->clause);
    ordo_free(p->first);
    ordo_free(p->at);
    ordo_free(p->left);
    ordo_free(p->queue);
    ordo_free(p->number);
    ordo_free(p->fixed);
    *p = (sat_part){0};
}

/* ---- unit propagation ---- */

static bool is_true(const sat_part *p, ordo_u32 literal)
{
    return p->fixed[literal / 2] == (literal % 2 ? SAT_FALSE : SAT_TRUE);
}

static void make_true(sat_part *p, ordo_u32 literal)
{
    if (p->fixed[literal / 2] != SAT_FREE)
        return;
    p->fixed[literal / 2] = literal % 2 ? SAT_FALSE : SAT_TRUE;
    p->queue[p->tail++] = literal;
}

/* A clause with one literal that is not known to be false: makes it true, unless another one is. */
static void look_for_unit(sat_part *p, ordo_u32 c)
{
    ordo_u32 unit = SAT_SATISFIED;
    for (ordo_u32 o = p->row[c]; o < p->row[c + 1]; o++) {
        const ordo_u32 l = p->literal[o];
        if (is_true(p, l))
            return;
        if (p->fixed[l / 2] == SAT_FREE)
            unit = l;
    }
    if (unit != SAT_SATISFIED) /* else a literal of the queue makes the clause empty */
        make_true(p, unit);
}

/* left[c] counts the literals of c that are not false, where literals that are still in the queue count. So it is 0
 * only once every literal of the clause has been taken from the queue as false. */
static bool propagate(sat_part *p)
{
    while (p->head < p->tail) {
        const ordo_u32 l = p->queue[p->head++], opposite = l ^ 1;
        for (ordo_u32 i = p->first[l]; i < p->first[l + 1]; i++)
            p->left[p->clause[p->at[i]]] = SAT_SATISFIED;
        for (ordo_u32 i = p->first[opposite]; i < p->first[opposite + 1]; i++) {
            const ordo_u32 c = p->clause[p->at[i]];
            if (p->left[c] == SAT_SATISFIED)
                continue;
            if (--p->left[c] == 0)
                return false;
            if (p->left[c] == 1)
                look_for_unit(p, c);
        }
    }
    return true;
}

bool sat_part_fix(sat_part *p, ordo_u32 literal)
{
    make_true(p, literal);
    return propagate(p);
}

bool sat_part_units(sat_part *p)
{
    for (ordo_u32 c = 0; c < p->clauses; c++) {
        if (p->left[c] == 0)
            return false;
        if (p->left[c] == 1)
            look_for_unit(p, c);
    }
    return propagate(p);
}

/* Keeps the clauses that are not satisfied, and of these the literals that are free; marks their variables. */
static void keep_clauses(sat_part *p)
{
    ordo_u32 clauses = 0, occurrences = 0;
    memset(p->number, 0, p->variables * sizeof *p->number);
    for (ordo_u32 c = 0; c < p->clauses; c++) {
        const ordo_u32 begin = p->row[c], end = p->row[c + 1]; /* read before they are written: clauses <= c */
        if (p->left[c] == SAT_SATISFIED)
            continue;
        p->row[clauses++] = occurrences;
        for (ordo_u32 o = begin; o < end; o++)
            if (p->fixed[p->literal[o] / 2] == SAT_FREE) {
                p->number[p->literal[o] / 2] = 1;
                p->literal[occurrences] = p->literal[o];
                p->cell[occurrences++] = p->cell[o];
            }
    }
    p->row[clauses] = occurrences;
    p->clauses = clauses;
    p->occurrences = occurrences;
}

ordo_u32 sat_part_shrink(sat_part *p, ordo_u8 *value)
{
    const ordo_u32 fixed = p->tail;
    ordo_u32 variables = 0;
    keep_clauses(p);
    for (ordo_u32 v = 0; v < p->variables; v++) {
        if (p->fixed[v] != SAT_FREE)
            value[p->name[v]] = p->fixed[v] == SAT_TRUE;
        if (p->number[v]) {
            p->name[variables] = p->name[v];
            p->number[v] = variables++;
        }
    }
    p->variables = variables;
    for (ordo_u32 o = 0; o < p->occurrences; o++)
        p->literal[o] = 2 * p->number[p->literal[o] / 2] + p->literal[o] % 2;
    index_part(p);
    return fixed;
}
