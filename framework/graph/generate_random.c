/* generate_random.c -- generated graphs whose edges are drawn independently: rmat, kron, urand, uniform.
 *
 *   rmat     Chakrabarti, Zhan, Faloutsos, "R-MAT", SDM 2004; numbers are then permuted, since degrees would fall with
 *            numbers. Probabilities are multiples of 1/65536: each level of recursion costs 16 random bits
 *   kron     rmat with the Graph500 probabilities, as the GAP Benchmark Suite makes it simple and symmetric
 *   urand    the GAP Benchmark Suite's uniform graph, edge for edge: both ends of 2^18 edges at a time from a
 *            std::mt19937 that starts at the seed plus the number of the block. Its ends are below 2^scale, a power of
 *            two, so that no draw is rejected. That suite takes scales up to 30; scale 31 follows the same rule
 *   uniform  heads drawn with replacement; loops and parallel edges occur
 *
 * Not done: kron edge for edge (it shuffles vertices by the standard library's own method); noise in R-MAT's levels.
 */
#include "generate.h"
#include "twister.h"

#include <math.h>

enum { RMAT_BITS = 16, RMAT_ONE = 1 << RMAT_BITS };

/* 2^scale vertices of so many edges each (0: 16). */
static ordo_status set_scale(ordo_maker *m)
{
    const ordo_generate_options *o = m->o;
    if (o->scale > 31)
        return ordo_fail(ORDO_ERR_USAGE, "%s: found scale %u, expected 0 to 31", o->kind, o->scale);
    m->degree = o->degree ? o->degree : 16;
    m->n = (ordo_u64)1 << o->scale;
    m->items = m->edges = m->n * m->degree;
    m->random = true;
    ordo_maker_describe(m, "%s --scale %u --degree %llu", o->kind, o->scale, (unsigned long long)m->degree);
    return ORDO_OK;
}

/* ---- rmat and kron ---- */

static void make_rmat(const ordo_maker *m, ordo_u64 begin, ordo_u64 end, bool ends_only, ordo_batch *to)
{
    (void)ends_only;
    ordo_u32 scale = m->o->scale, b = m->quadrant[0], c = m->quadrant[1], d = m->quadrant[2];
    for (ordo_u64 i = begin; i < end; i++) {
        ordo_u64 tail = 0, head = 0, random = 0;
        ordo_u64 state = ordo_maker_hash(m, ORDO_USE_EDGE, i);
        for (ordo_u32 level = 0; level < scale; level++) {
            if (level % (64 / RMAT_BITS) == 0)
                random = state = ordo_scramble(state);
            ordo_u32 draw = random & (RMAT_ONE - 1);
            random >>= RMAT_BITS;
            tail = tail << 1 | (draw >= c);
            head = head << 1 | ((draw >= b) ^ (draw >= c) ^ (draw >= d)); /* in b or in d; || would be a branch */
        }
        ordo_batch_put(to, ordo_permuted(m->names, scale, tail), ordo_permuted(m->names, scale, head), 0);
    }
}

static void set_quadrants(ordo_maker *m, const double *p)
{
    ordo_u32 sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += (ordo_u32)(p[i] * RMAT_ONE + 0.5);
        m->quadrant[i] = sum;
    }
    if (!(p[3] > 0))
        m->quadrant[2] = RMAT_ONE; /* what is left over by rounding must not go to d */
    for (ordo_u64 i = 0; i < 3; i++)
        m->names[i] = ordo_maker_hash(m, ORDO_USE_NAME, i);
    m->make = make_rmat;
}

static const double usual[4] = {.57, .19, .19, .05};

ordo_status ordo_make_rmat(ordo_maker *m)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    const double given[4] = {m->o->a, m->o->b, m->o->c, m->o->d};
    double sum = 0;
    bool none = true;
    for (int i = 0; i < 4; i++) {
        if (!(given[i] >= 0 && given[i] <= 1))
            return ordo_fail(ORDO_ERR_USAGE, "rmat: found probability %s = %g, expected 0 to 1", names[i], given[i]);
        sum += given[i];
        none &= !(given[i] > 0);
    }
    if (!none && !(fabs(sum - 1) <= 1e-6))
        return ordo_fail(ORDO_ERR_USAGE, "rmat: found probabilities a b c d that add up to %.9g, expected 1", sum);
    ordo_status status = set_scale(m);
    set_quadrants(m, none ? usual : given);
    for (int i = 0; i < 4 && !none; i++)
        ordo_maker_say_real(m, i ? "," : " --abcd ", given[i]);
    return status;
}

ordo_status ordo_make_kron(ordo_maker *m)
{
    m->mirror = ORDO_MIRROR_SAME;
    m->simple = true;
    set_quadrants(m, usual);
    return set_scale(m);
}

/* ---- urand ---- */

static void make_urand(const ordo_maker *m, ordo_u64 begin, ordo_u64 end, bool ends_only, ordo_batch *to)
{
    (void)ends_only;
    ordo_u64 mask = m->n - 1;
    ordo_twister32 stream;
    ordo_twister32_start(&stream, (ordo_u32)(m->o->edges.seed + begin / m->items_a_part));
    for (ordo_u64 i = begin; i < end; i++) {
        ordo_u64 one = ordo_twister32_next(&stream) & mask, other = ordo_twister32_next(&stream) & mask;
        ordo_batch_put(to, one, other, 0);
    }
}

ordo_status ordo_make_urand(ordo_maker *m)
{
    m->mirror = ORDO_MIRROR_SAME;
    m->simple = true;
    m->items_a_part = 1 << 18;
    m->make = make_urand;
    return set_scale(m);
}

/* ---- uniform ---- */

static void make_uniform(const ordo_maker *m, ordo_u64 begin, ordo_u64 end, bool ends_only, ordo_batch *to)
{
    (void)ends_only;
    for (ordo_u64 u = begin; u < end; u++)
        for (ordo_u64 k = 0; k < m->degree; k++)
            ordo_batch_put(to, u, ordo_below(ordo_maker_hash(m, ORDO_USE_EDGE, u * m->degree + k), m->n), 0);
}

ordo_status ordo_make_uniform(ordo_maker *m)
{
    m->degree = m->o->degree ? m->o->degree : 4;
    m->n = m->items = m->o->vertices;
    if (__builtin_mul_overflow(m->n, m->degree, &m->edges))
        m->edges = ~(ordo_u64)0; /* too many vertices, which is refused later */
    m->random = true;
    m->make = make_uniform;
    ordo_maker_describe(m, "uniform --vertices %llu --degree %llu", (unsigned long long)m->n,
                        (unsigned long long)m->degree);
    return ORDO_OK;
}
