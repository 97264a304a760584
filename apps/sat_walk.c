/* sat_walk.c -- WalkSAT (Selman, Kautz and Cohen 1994): takes a random clause that is not satisfied and flips one of
 * its variables. One that makes no satisfied clause unsatisfied is taken where there is one; otherwise, with
 * probability NOISE, a random one of the clause, else the one that breaks fewest.
 *
 * A clause knows the number of its true literals and the exclusive or of these, which is the literal itself where there
 * is one. So a flip costs a step for each clause of the variable, and a search for the literal in no clause.
 */
#include "apps/sat_part.h"

#include <ordo/memory.h>

#include "framework/graph/graph.h"

typedef struct walk {
    const sat_part *p;
    ordo_u64 random;
    ordo_u8 *value;   /* [variables] */
    ordo_u32 *trues;  /* [clauses] number of true literals */
    ordo_u32 *which;  /* [clauses] exclusive or of them */
    ordo_u32 *breaks; /* [variables] clauses whose one true literal is the variable's */
    ordo_u32 *broken; /* [clauses] those without a true literal */
    ordo_u32 *place;  /* [clauses] where in it, of those */
    ordo_u32 count;
} walk;

/* Of random 3-SAT 0.57 is best; surveys leave many clauses of two literals, for which less is. */
static const double NOISE = 0.5;

static ordo_u64 draw(walk *w)
{
    w->random += 0x9e3779b97f4a7c15u;
    return ordo_scramble(w->random);
}

static bool holds(const walk *w, ordo_u32 literal)
{
    return w->value[literal / 2] != literal % 2;
}

static void add_broken(walk *w, ordo_u32 c)
{
    w->place[c] = w->count;
    w->broken[w->count++] = c;
}

static void remove_broken(walk *w, ordo_u32 c)
{
    const ordo_u32 last = w->broken[--w->count];
    w->broken[w->place[c]] = last;
    w->place[last] = w->place[c];
}

static void begin(walk *w)
{
    const sat_part *p = w->p;
    for (ordo_u32 v = 0; v < p->variables; v++)
        w->value[v] = draw(w) & 1;
    for (ordo_u32 c = 0; c < p->clauses; c++) {
        for (ordo_u32 o = p->row[c]; o < p->row[c + 1]; o++)
            if (holds(w, p->literal[o])) {
                w->trues[c]++;
                w->which[c] ^= p->literal[o];
            }
        if (w->trues[c] == 0)
            add_broken(w, c);
        else if (w->trues[c] == 1)
            w->breaks[w->which[c] / 2]++;
    }
}

static void flip(walk *w, ordo_u32 v)
{
    const sat_part *p = w->p;
    w->value[v] ^= 1;
    const ordo_u32 now = 2 * v + !w->value[v], before = now ^ 1; /* the literal that is true now, and before */
    for (ordo_u32 i = p->first[now]; i < p->first[now + 1]; i++) {
        const ordo_u32 c = p->clause[p->at[i]];
        if (w->trues[c] == 0) {
            remove_broken(w, c);
            w->breaks[v]++;
        } else if (w->trues[c] == 1) {
            w->breaks[w->which[c] / 2]--;
        }
        w->trues[c]++;
        w->which[c] ^= now;
    }
    for (ordo_u32 i = p->first[before]; i < p->first[before + 1]; i++) {
        const ordo_u32 c = p->clause[p->at[i]];
        w->trues[c]--;
        w->which[c] ^= before;
        if (w->trues[c] == 0) {
            add_broken(w, c);
            w->breaks[v]--;
        } else if (w->trues[c] == 1) {
            w->breaks[w->which[c] / 2]++;
        }
    }
}

/* A variable of the clause. Of several that break fewest a random one is taken: the first would always be the same one,
 * and then the walk may not leave a neighbourhood (seen on what surveys leave of random formulas). */
static ordo_u32 choose(walk *w, ordo_u32 c)
{
    const sat_part *p = w->p;
    const ordo_u32 begin = p->row[c], size = p->row[c + 1] - begin;
    ordo_u32 best = p->literal[begin] / 2, ties = 1;
    for (ordo_u32 i = 1; i < size; i++) {
        const ordo_u32 v = p->literal[begin + i] / 2;
        ties = w->breaks[v] < w->breaks[best] ? 1 : ties + (w->breaks[v] == w->breaks[best]);
        if (w->breaks[v] < w->breaks[best] || (w->breaks[v] == w->breaks[best] && ordo_below(draw(w), ties) == 0))
            best = v;
    }
    if (w->breaks[best] == 0 || (double)(draw(w) >> 11) * 0x1p-53 >= NOISE)
        return best;
    return p->literal[begin + ordo_below(draw(w), size)] / 2;
}

ordo_status sat_walk(const sat_part *p, ordo_u64 seed, ordo_u64 most, sat_stop *stop, void *arg, ordo_u8 *value,
                     ordo_u64 *flips, bool *done)
{
    enum { APART = 65536 };
    walk w = {.p = p, .random = ordo_scramble(seed)};
    w.value = ordo_alloc(p->variables, sizeof *w.value);
    w.trues = ordo_alloc_zero(p->clauses, sizeof *w.trues);
    w.which = ordo_alloc_zero(p->clauses, sizeof *w.which);
    w.breaks = ordo_alloc_zero(p->variables, sizeof *w.breaks);
    w.broken = ordo_alloc(p->clauses, sizeof *w.broken);
    w.place = ordo_alloc(p->clauses, sizeof *w.place);
    ordo_status status = w.value && w.trues && w.which && w.breaks && w.broken && w.place ? ORDO_OK : ORDO_ERR_MEMORY;
    ordo_u64 made = 0;
    if (!status)
        begin(&w);
    while (!status && w.count && made < most) {
        flip(&w, choose(&w, w.broken[ordo_below(draw(&w), w.count)]));
        if (++made % APART == 0)
            status = stop(arg);
    }
    *flips += made;
    *done = !status && w.count == 0;
    for (ordo_u32 v = 0; v < p->variables && *done; v++)
        value[p->name[v]] = w.value[v];
    ordo_free(w.value);
    ordo_free(w.trues);
    ordo_free(w.which);
    ordo_free(w.breaks);
    ordo_free(w.broken);
    ordo_free(w.place);
    return status;
}
