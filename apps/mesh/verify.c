/* verify.c -- checks a refined mesh: conforming, constrained Delaunay, complete, and with no angle below the bound.
 *
 * Shares nothing with refining: neighbours are found anew by sorting edges, and signs of determinants that long doubles
 * leave open are computed in whole numbers of as many bits as needed.
 *
 * What is checked, in this order:
 *   points       those of the input are the first ones, unchanged; each is a corner, or another point has its place, or
 *                it lies in no triangle
 *   triangles    counterclockwise; an edge has one triangle on each side at most
 *   boundary     edges of one triangle are segments; every segment is an edge
 *   Delaunay     the corner across an edge that is no segment is not inside of a triangle's circle
 *   segments     each one of the input is a chain of segments, from end to end, nearer to its line than rounding
 *   coverage     triangles given: the same area; no segments: the area of the convex hull; else each hole of the mesh
 *                has a point of the input's holes in it, and no triangle has one
 *   quality      area and smallest angle of each triangle. Below the bound one may only be where its shortest edge
 * joins points of two segments that meet at less than 60 degrees, equally far from there (quality.h says why)
 *
 * With all of these, triangles do not overlap: they turn the same way, and their boundary is that of the input.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/mesh.h>

typedef unsigned long long ull;
typedef long double real;

#define PI_REAL 3.14159265358979323846264338327950288L
#define NONE ORDO_NO_SEGMENT

/* ---- whole numbers of any size ---- */

enum { LIMBS = 64 }; /* of 32 bits: products of four differences of coordinates have at most 1 830 bits */

typedef struct big {
    int sign, size; /* -1, 0, 1; limbs used */
    ordo_u32 limb[LIMBS];
} big;

static int compare_sizes(const big *a, const big *b)
{
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    for (int i = a->size - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static void trim(big *a)
{
    while (a->size > 0 && a->limb[a->size - 1] == 0)
        a->size--;
    if (a->size == 0)
        a->sign = 0;
}

/* a + b, or a - b with `minus`. */
static big add(const big *a, const big *b, bool minus)
{
    big out = {0};
    const int other = minus ? -b->sign : b->sign;
    const bool same = a->sign * other >= 0;
    const bool larger = compare_sizes(a, b) >= 0;
    const big *high = larger ? a : b, *low = larger ? b : a;
    ordo_i64 carry = 0;
    out.sign = larger && a->sign ? a->sign : other ? other : a->sign;
    for (int i = 0; i < high->size || carry; i++) {
        const ordo_i64 l = i < low->size ? low->limb[i] : 0, h = i < high->size ? high->limb[i] : 0;
        const ordo_i64 sum = h + (same ? l : -l) + carry;
        out.limb[i] = (ordo_u32)sum;
        carry = sum >> 32;
        out.size = i + 1;
    }
    trim(&out);
    return out;
}

static big multiply(const big *a, const big *b)
{
    big out = {.sign = a->sign * b->sign, .size = a->size + b->size};
    for (int i = 0; i < a->size; i++) {
        ordo_u64 carry = 0;
        for (int j = 0; j < b->size || carry; j++) {
            const ordo_u64 sum = out.limb[i + j] + carry + (j < b->size ? (ordo_u64)a->limb[i] * b->limb[j] : 0);
            out.limb[i + j] = (ordo_u32)sum;
            carry = sum >> 32;
        }
    }
    trim(&out);
    return out;
}

/* x / 2^least, which is whole. */
static big whole(double x, int least)
{
    enum { MANTISSA = 53, BITS = 32 };
    int power;
    const double part = frexp(fabs(x), &power);
    big out = {.sign = x > 0 ? 1 : x < 0 ? -1 : 0};
    if (out.sign == 0)
        return out;
    ordo_u64 bits = (ordo_u64)ldexp(part, MANTISSA);
    int shift = power - MANTISSA - least;
    if (shift < 0) {
        bits >>= -shift;
        shift = 0;
    }
    for (int i = 0; i < 3; i++) {
        const int at = shift / BITS + i, skip = shift % BITS;
        const ordo_u64 part_of = i == 0   ? bits << skip
                                 : i == 1 ? bits >> (BITS - skip)
                                          : bits >> (2 * BITS - skip - 1) >> 1;
        out.limb[at] = (ordo_u32)part_of;
        out.size = at + 1;
    }
    trim(&out);
    return out;
}

/* ---- the mesh that is checked ---- */

typedef struct side {
    ordo_u32 low, high; /* ends */
    ordo_u32 triangle;
    ordo_u32 apex; /* the third corner */
    bool up;       /* it goes from low to high */
} side;

/* What is known of a point that was put on a segment. */
typedef struct stretch {
    ordo_u32 from, to; /* the input's points between which it lies on a segment; NONE: it is on none */
} stretch;

typedef struct checking {
    const ordo_mesh *in, *out;
    int least;  /* every coordinate is a whole multiple of 2^least */
    real scale; /* of coordinates */
    side *side; /* [3 * triangles] sorted by ends */
    ordo_u64 sides;
    ordo_u32 *segment; /* [3 * triangles] of each side, or NONE */
    ordo_u32 *first;   /* [points + 1] where segments of a point begin in `at` */
    ordo_u32 *at;      /* [2 * segments] */
    stretch *stretch;  /* [points] */
    ordo_u8 *used;     /* [points] whether it is a corner */
} checking;

static real x_of(const checking *c, ordo_u32 p)
{
    return c->out->xy[2 * (ordo_u64)p];
}

static real y_of(const checking *c, ordo_u32 p)
{
    return c->out->xy[2 * (ordo_u64)p + 1];
}

static real square_of(const checking *c, ordo_u32 a, ordo_u32 b)
{
    const real x = x_of(c, a) - x_of(c, b), y = y_of(c, a) - y_of(c, b);
    return x * x + y * y;
}

static ull id(const checking *c, ordo_u64 i)
{
    return i + c->out->id_base;
}

static big difference(const checking *c, ordo_u32 a, ordo_u32 b, int axis)
{
    const big left = whole(c->out->xy[2 * (ordo_u64)a + (ordo_u64)axis], c->least);
    const big right = whole(c->out->xy[2 * (ordo_u64)b + (ordo_u64)axis], c->least);
    return add(&left, &right, true);
}

static big cross(const big *ax, const big *ay, const big *bx, const big *by)
{
    const big left = multiply(ax, by), right = multiply(ay, bx);
    return add(&left, &right, true);
}

/* The sign of the area of a, b, p: 1 where they are counterclockwise. */
static int turn(const checking *c, ordo_u32 a, ordo_u32 b, ordo_u32 p)
{
    const real left = (x_of(c, a) - x_of(c, p)) * (y_of(c, b) - y_of(c, p));
    const real right = (y_of(c, a) - y_of(c, p)) * (x_of(c, b) - x_of(c, p));
    const real error = 16 * LDBL_EPSILON * (fabsl(left) + fabsl(right));
    if (fabsl(left - right) > error)
        return left > right ? 1 : -1;
    const big ax = difference(c, a, p, 0), ay = difference(c, a, p, 1);
    const big bx = difference(c, b, p, 0), by = difference(c, b, p, 1);
    return cross(&ax, &ay, &bx, &by).sign;
}

/* 1 where q lies inside of the circle through corner[3], which are counterclockwise; 0: on it; -1: outside. */
static int circle(const checking *c, const ordo_u32 *corner, ordo_u32 q)
{
    real x[3], y[3], sum = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        x[i] = x_of(c, corner[i]) - x_of(c, q);
        y[i] = y_of(c, corner[i]) - y_of(c, q);
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const real square = x[i] * x[i] + y[i] * y[i];
        sum += square * (x[j] * y[k] - y[j] * x[k]);
        size += square * (fabsl(x[j] * y[k]) + fabsl(y[j] * x[k]));
    }
    if (fabsl(sum) > 64 * LDBL_EPSILON * size)
        return sum > 0 ? 1 : -1;
    big bx[3], by[3], total = {0};
    for (int i = 0; i < 3; i++) {
        bx[i] = difference(c, corner[i], q, 0);
        by[i] = difference(c, corner[i], q, 1);
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const big x2 = multiply(&bx[i], &bx[i]), y2 = multiply(&by[i], &by[i]), square = add(&x2, &y2, false);
        const big rest = cross(&bx[j], &by[j], &bx[k], &by[k]), term = multiply(&square, &rest);
        total = add(&total, &term, false);
    }
    return total.sign;
}

/* ---- points, triangles, boundary ---- */

static ordo_status check_numbers(const checking *c)
{
    const ordo_mesh *in = c->in, *out = c->out;
    if (out->points < in->points || (in->points && memcmp(in->xy, out->xy, 2 * in->points * sizeof *in->xy) != 0))
        return ordo_fail(ORDO_ERR_VERIFY, "points of the input are not the first ones, unchanged");
    for (ordo_u64 i = 0; i < 3 * out->triangles; i++)
        if (out->corners[i] >= out->points)
            return ordo_fail(ORDO_ERR_VERIFY, "triangle %llu has a corner that is no point", id(c, i / 3));
    for (ordo_u64 i = 0; i < 2 * out->segments; i++)
        if (out->ends[i] >= out->points)
            return ordo_fail(ORDO_ERR_VERIFY, "segment %llu has an end that is no point", id(c, i / 2));
    if (out->triangles == 0)
        return ordo_fail(ORDO_ERR_VERIFY, "the mesh has no triangles");
    return ORDO_OK;
}

static int by_ends(const void *a, const void *b)
{
    const side *l = a, *r = b;
    if (l->low != r->low)
        return l->low < r->low ? -1 : 1;
    if (l->high != r->high)
        return l->high < r->high ? -1 : 1;
    return (int)l->up - (int)r->up;
}

static bool same_edge(const side *a, const side *b)
{
    return a->low == b->low && a->high == b->high;
}

/* Whether side s is the only one of its edge. */
static bool alone(const checking *c, ordo_u64 s)
{
    return (s == 0 || !same_edge(&c->side[s - 1], &c->side[s])) &&
           (s + 1 == c->sides || !same_edge(&c->side[s + 1], &c->side[s]));
}

static ordo_status check_triangles(checking *c)
{
    const ordo_mesh *out = c->out;
    c->sides = 3 * out->triangles;
    for (ordo_u64 t = 0; t < out->triangles; t++) {
        const ordo_u32 *corner = out->corners + 3 * t;
        if (turn(c, corner[0], corner[1], corner[2]) <= 0)
            return ordo_fail(ORDO_ERR_VERIFY, "triangle %llu is not counterclockwise", id(c, t));
        for (ordo_u64 i = 0; i < 3; i++) {
            const ordo_u32 a = corner[(i + 1) % 3], b = corner[(i + 2) % 3];
            c->side[3 * t + i] = (side){a < b ? a : b, a < b ? b : a, (ordo_u32)t, corner[i], a < b};
            c->used[corner[i]] = 1;
        }
    }
    qsort(c->side, c->sides, sizeof *c->side, by_ends);
    for (ordo_u64 s = 1; s < c->sides; s++)
        if (same_edge(&c->side[s - 1], &c->side[s]) && c->side[s - 1].up == c->side[s].up)
            return ordo_fail(ORDO_ERR_VERIFY, "triangles %llu and %llu lie on the same side of an edge",
                             id(c, c->side[s - 1].triangle), id(c, c->side[s].triangle));
    return ORDO_OK;
}

static ordo_status check_boundary(checking *c)
{
    const ordo_mesh *out = c->out;
    for (ordo_u64 s = 0; s < c->sides; s++)
        c->segment[s] = NONE;
    for (ordo_u64 g = 0; g < out->segments; g++) {
        const ordo_u32 a = out->ends[2 * g], b = out->ends[2 * g + 1];
        const side wanted = {a < b ? a : b, a < b ? b : a, 0, 0, false};
        ordo_u64 low = 0, high = c->sides;
        while (low < high) {
            const ordo_u64 middle = (low + high) / 2;
            if (by_ends(&c->side[middle], &wanted) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == c->sides || !same_edge(&c->side[low], &wanted))
            return ordo_fail(ORDO_ERR_VERIFY, "segment %llu is no edge of a triangle", id(c, g));
        for (; low < c->sides && same_edge(&c->side[low], &wanted); low++)
            c->segment[low] = (ordo_u32)g;
    }
    for (ordo_u64 s = 0; s < c->sides; s++)
        if (alone(c, s) && c->segment[s] == NONE)
            return ordo_fail(ORDO_ERR_VERIFY, "triangle %llu has a free edge that is no segment",
                             id(c, c->side[s].triangle));
    return ORDO_OK;
}

static ordo_status check_delaunay(const checking *c)
{
    for (ordo_u64 s = 1; s < c->sides; s++) {
        if (!same_edge(&c->side[s - 1], &c->side[s]) || c->segment[s] != NONE)
            continue;
        if (circle(c, c->out->corners + 3 * (ordo_u64)c->side[s].triangle, c->side[s - 1].apex) > 0)
            return ordo_fail(ORDO_ERR_VERIFY, "the circle of triangle %llu has a corner of triangle %llu inside",
                             id(c, c->side[s].triangle), id(c, c->side[s - 1].triangle));
    }
    return ORDO_OK;
}

/* ---- segments ---- */

static void find_segments_of_points(checking *c)
{
    const ordo_mesh *out = c->out;
    for (ordo_u64 i = 0; i < 2 * out->segments; i++)
        c->first[out->ends[i] + 1]++;
    for (ordo_u64 p = 0; p < out->points; p++)
        c->first[p + 1] += c->first[p];
    for (ordo_u64 i = 2 * out->segments; i-- > 0;)
        c->at[--c->first[out->ends[i] + 1]] = (ordo_u32)(i / 2);
    for (ordo_u64 p = 0; p < out->points; p++) /* what was counted down is put back */
        c->first[p] = c->first[p + 1];
    c->first[out->points] = (ordo_u32)(2 * out->segments);
}

/* The stretches of the input's segments: between its points. */
typedef struct piece {
    ordo_u32 source, from, to;
    real begin; /* where it begins, and ends, on the way of its segment: 0 to 1 */
    real end;
} piece;

static int by_source(const void *a, const void *b)
{
    const piece *l = a, *r = b;
    if (l->source != r->source)
        return l->source < r->source ? -1 : 1;
    return l->begin < r->begin ? -1 : l->begin > r->begin;
}

/* The way along `g` from point `from` on to the next point of the input, whose segments all have the same source. */
static ordo_status walk(const checking *c, ordo_u32 from, ordo_u32 g, ordo_u32 *to, ordo_u64 *steps)
{
    const ordo_mesh *out = c->out;
    const ordo_u32 source = out->part_of[g];
    ordo_u32 p = out->ends[2 * g] == from ? out->ends[2 * g + 1] : out->ends[2 * g];
    for (*steps = 1; p >= c->in->points; ++*steps) {
        const ordo_u32 first = c->first[p];
        if (c->first[p + 1] - first != 2 || *steps > out->segments)
            return ordo_fail(ORDO_ERR_VERIFY, "point %llu is new, and not on one segment", id(c, p));
        g = c->at[first] == g ? c->at[first + 1] : c->at[first];
        if (out->part_of[g] != source)
            return ordo_fail(ORDO_ERR_VERIFY, "point %llu is new, and on two segments", id(c, p));
        p = out->ends[2 * g] == p ? out->ends[2 * g + 1] : out->ends[2 * g];
    }
    *to = p;
    return ORDO_OK;
}

/* Checks the points between two of the input on the way along g: near to their line, and in order. */
static ordo_status check_way(checking *c, ordo_u32 from, ordo_u32 to, ordo_u32 g)
{
    const ordo_mesh *out = c->out;
    const real near = 0x1p-46L * c->scale, length = square_of(c, from, to);
    const real dx = x_of(c, to) - x_of(c, from), dy = y_of(c, to) - y_of(c, from);
    real before = 0;
    ordo_u32 p = out->ends[2 * g] == from ? out->ends[2 * g + 1] : out->ends[2 * g];
    while (p != to) {
        const real x = x_of(c, p) - x_of(c, from), y = y_of(c, p) - y_of(c, from);
        const real along = (x * dx + y * dy) / length;
        if (fabsl(x * dy - y * dx) > near * sqrtl(length) || !(along > before) || !(along < 1))
            return ordo_fail(ORDO_ERR_VERIFY, "point %llu is not on the segment that it splits", id(c, p));
        before = along;
        c->stretch[p] = (stretch){from, to};
        g = c->at[c->first[p]] == g ? c->at[c->first[p] + 1] : c->at[c->first[p]];
        p = out->ends[2 * g] == p ? out->ends[2 * g + 1] : out->ends[2 * g];
    }
    return ORDO_OK;
}

/* Where point p lies on the input's segment s: 0 to 1. */
static real place_on(const checking *c, ordo_u32 s, ordo_u32 p)
{
    const ordo_u32 a = c->in->ends[2 * (ordo_u64)s], b = c->in->ends[2 * (ordo_u64)s + 1];
    const real dx = x_of(c, b) - x_of(c, a), dy = y_of(c, b) - y_of(c, a);
    return ((x_of(c, p) - x_of(c, a)) * dx + (y_of(c, p) - y_of(c, a)) * dy) / square_of(c, a, b);
}

static bool same_place(const checking *c, ordo_u32 a, ordo_u32 b)
{
    return a == b || !(square_of(c, a, b) > 0);
}

/* Whether pieces [count] of segment s, in order, are a chain along it from end to end. */
static bool is_chain(const checking *c, ordo_u32 s, const piece *p, ordo_u64 count)
{
    ordo_u32 at = c->in->ends[2 * (ordo_u64)s];
    for (ordo_u64 i = 0; i < count; i++) {
        if (!same_place(c, p[i].from, at) || !(p[i].end > p[i].begin) ||
            turn(c, c->in->ends[2 * (ordo_u64)s], c->in->ends[2 * (ordo_u64)s + 1], p[i].to) != 0)
            return false;
        at = p[i].to;
    }
    return same_place(c, at, c->in->ends[2 * (ordo_u64)s + 1]);
}

static ordo_status check_chains(const checking *c, piece *pieces, ordo_u64 count)
{
    qsort(pieces, count, sizeof *pieces, by_source);
    ordo_u64 i = 0;
    for (ordo_u32 s = 0; s < c->in->segments; s++) {
        ordo_u64 end = i;
        while (end < count && pieces[end].source == s)
            end++;
        if (!is_chain(c, s, pieces + i, end - i))
            return ordo_fail(ORDO_ERR_VERIFY, "segment %llu of the input is no union of edges", id(c, s));
        i = end;
    }
    if (c->in->segments && i != count)
        return ordo_fail(ORDO_ERR_VERIFY, "the mesh has a segment that is on none of the input");
    return ORDO_OK;
}

static ordo_status check_segments(checking *c)
{
    const ordo_mesh *in = c->in, *out = c->out;
    piece *pieces = ordo_alloc(out->segments, sizeof *pieces);
    ordo_status status = pieces ? ORDO_OK : ORDO_ERR_MEMORY;
    ordo_u64 count = 0, seen = 0;
    for (ordo_u32 p = 0; p < in->points && !status; p++)
        for (ordo_u32 i = c->first[p]; i < c->first[p + 1] && !status; i++) {
            const ordo_u32 g = c->at[i], source = out->part_of[g];
            ordo_u32 to = 0;
            ordo_u64 steps = 0;
            status = walk(c, p, g, &to, &steps);
            if (!status && source != NONE && source >= in->segments)
                status = ordo_fail(ORDO_ERR_VERIFY, "segment %llu is a part of none of the input", id(c, g));
            if (status || to < p) /* seen from its other end */
                continue;
            seen += steps;
            status = check_way(c, p, to, g);
            piece made = {.source = source, .from = p, .to = to};
            if (source != NONE) {
                made.begin = place_on(c, source, p);
                made.end = place_on(c, source, to);
            }
            if (made.end < made.begin)
                made = (piece){source, to, p, made.end, made.begin};
            pieces[count++] = made;
        }
    if (!status && seen != out->segments)
        status = ordo_fail(ORDO_ERR_VERIFY, "the mesh has segments that begin at no point of the input");
    if (!status)
        status = check_chains(c, pieces, count);
    ordo_free(pieces);
    return status;
}

/* ---- coverage ---- */

static real area_of(const checking *c, const ordo_u32 *corner)
{
    return ((x_of(c, corner[1]) - x_of(c, corner[0])) * (y_of(c, corner[2]) - y_of(c, corner[0])) -
            (y_of(c, corner[1]) - y_of(c, corner[0])) * (x_of(c, corner[2]) - x_of(c, corner[0]))) /
           2;
}

static ordo_status check_area(const checking *c, real expected)
{
    real found = 0;
    for (ordo_u64 t = 0; t < c->out->triangles; t++)
        found += area_of(c, c->out->corners + 3 * t);
    if (!(fabsl(found - expected) <= 1e-10L * expected))
        return ordo_fail(ORDO_ERR_VERIFY, "triangles cover an area of %.12g, expected %.12g", (double)found,
                         (double)expected);
    return ORDO_OK;
}

static int by_place(const void *a, const void *b)
{
    const double *l = a, *r = b;
    if (l[0] < r[0] || l[0] > r[0])
        return l[0] < r[0] ? -1 : 1;
    return l[1] < r[1] ? -1 : l[1] > r[1];
}

/* The area under the upper (sign 1) or over the lower (-1) half of the convex hull of points sorted by x. */
static real half_area(const double *xy, ordo_u64 n, real sign, ordo_u64 *stack)
{
    ordo_u64 top = 0;
    real area = 0;
    for (ordo_u64 i = 0; i < n; i++) {
        while (top >= 2) {
            const double *a = xy + 2 * stack[top - 2], *b = xy + 2 * stack[top - 1], *p = xy + 2 * i;
            const real ux = (real)b[0] - a[0], uy = (real)b[1] - a[1], vx = (real)p[0] - a[0], vy = (real)p[1] - a[1];
            if (sign * (ux * vy - uy * vx) < 0)
                break;
            top--;
        }
        stack[top++] = i;
    }
    for (ordo_u64 i = 0; i + 1 < top; i++) {
        const double *a = xy + 2 * stack[i], *b = xy + 2 * stack[i + 1];
        area += sign * ((real)b[0] - a[0]) * (((real)a[1] - xy[1]) + ((real)b[1] - xy[1])) / 2;
    }
    return area;
}

static ordo_status check_hull(const checking *c)
{
    const ordo_u64 n = c->in->points;
    double *xy = ordo_alloc(2 * n, sizeof *xy);
    ordo_u64 *stack = ordo_alloc(n, sizeof *stack);
    ordo_status status = ORDO_ERR_MEMORY;
    if (xy && stack) {
        memcpy(xy, c->in->xy, 2 * n * sizeof *xy);
        qsort(xy, n, 2 * sizeof *xy, by_place);
        status = check_area(c, half_area(xy, n, 1, stack) + half_area(xy, n, -1, stack));
    }
    ordo_free(xy);
    ordo_free(stack);
    return status;
}

static bool in_triangle(const checking *c, const ordo_u32 *corner, real x, real y)
{
    for (int i = 0; i < 3; i++) {
        const ordo_u32 a = corner[i], b = corner[(i + 1) % 3];
        if ((x_of(c, b) - x_of(c, a)) * (y - y_of(c, a)) - (y_of(c, b) - y_of(c, a)) * (x - x_of(c, a)) <= 0)
            return false;
    }
    return true;
}

/* The free edge that follows the one from a to b around what is not covered, on its right: of those that begin at b
 * the first one counterclockwise from the direction of a. free_from: sides, sorted by where they begin. */
typedef struct free_edge {
    ordo_u32 from, to;
    bool seen;
} free_edge;

static int by_begin(const void *a, const void *b)
{
    const free_edge *l = a, *r = b;
    return l->from != r->from ? (l->from < r->from ? -1 : 1) : 0;
}

static ordo_u64 next_free(const checking *c, const free_edge *edge, ordo_u64 edges, ordo_u64 now)
{
    const ordo_u32 b = edge[now].to;
    ordo_u64 low = 0, high = edges, best = edges;
    while (low < high) {
        const ordo_u64 middle = (low + high) / 2;
        if (edge[middle].from < b)
            low = middle + 1;
        else
            high = middle;
    }
    const real back = atan2l(y_of(c, edge[now].from) - y_of(c, b), x_of(c, edge[now].from) - x_of(c, b));
    real least = 0;
    for (ordo_u64 i = low; i < edges && edge[i].from == b; i++) {
        real angle = atan2l(y_of(c, edge[i].to) - y_of(c, b), x_of(c, edge[i].to) - x_of(c, b)) - back;
        while (angle <= 0)
            angle += 2 * PI_REAL;
        if (best == edges || angle < least) {
            best = i;
            least = angle;
        }
    }
    return best;
}

/* Follows the loop of free edge `first`. Whether it goes around a hole of the mesh (clockwise) without a hole's point.
 */
static bool is_gap(const checking *c, free_edge *edge, ordo_u64 edges, ordo_u64 first)
{
    const ordo_mesh *in = c->in;
    bool inside = false;
    for (ordo_u64 h = 0; h < in->holes || h == 0; h++) { /* once for the area alone where there is no hole */
        const real px = in->holes ? in->hole_xy[2 * h] : 0, py = in->holes ? in->hole_xy[2 * h + 1] : 0;
        const real ox = x_of(c, edge[first].from), oy = y_of(c, edge[first].from);
        real area = 0;
        bool odd = false;
        ordo_u64 i = first;
        do {
            const real ax = x_of(c, edge[i].from), ay = y_of(c, edge[i].from), bx = x_of(c, edge[i].to),
                       by = y_of(c, edge[i].to);
            area += (ax - ox) * (by - oy) - (bx - ox) * (ay - oy);
            if ((ay > py) != (by > py) && px < ax + (py - ay) / (by - ay) * (bx - ax))
                odd = !odd;
            edge[i].seen = true;
            i = next_free(c, edge, edges, i);
        } while (i != first && i != edges);
        if (area > 0)
            return false;
        inside = inside || (odd && in->holes);
    }
    return !inside;
}

/* Segments enclose what is covered: all but the outside, and holes that have a point of the input in them. */
static ordo_status check_holes(const checking *c)
{
    const ordo_mesh *in = c->in;
    for (ordo_u64 h = 0; h < in->holes; h++)
        for (ordo_u64 t = 0; t < c->out->triangles; t++)
            if (in_triangle(c, c->out->corners + 3 * t, in->hole_xy[2 * h], in->hole_xy[2 * h + 1]))
                return ordo_fail(ORDO_ERR_VERIFY, "hole %llu lies in triangle %llu", id(c, h), id(c, t));
    free_edge *edge = ordo_alloc(2 * c->out->segments, sizeof *edge);
    ordo_u64 edges = 0;
    if (!edge)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 s = 0; s < c->sides; s++)
        if (alone(c, s))
            edge[edges++] = (free_edge){c->side[s].up ? c->side[s].low : c->side[s].high,
                                        c->side[s].up ? c->side[s].high : c->side[s].low, false};
    qsort(edge, edges, sizeof *edge, by_begin);
    ordo_status status = ORDO_OK;
    for (ordo_u64 i = 0; i < edges && !status; i++)
        if (!edge[i].seen && is_gap(c, edge, edges, i))
            status = ordo_fail(ORDO_ERR_VERIFY, "the mesh has a hole at point %llu that the input has not",
                               id(c, edge[i].from));
    ordo_free(edge);
    return status;
}

static ordo_status check_coverage(const checking *c)
{
    real given = 0;
    if (!c->in->triangles)
        return c->in->segments ? check_holes(c) : check_hull(c);
    for (ordo_u64 t = 0; t < c->in->triangles; t++)
        given += fabsl(area_of(c, c->in->corners + 3 * t));
    return check_area(c, given);
}

typedef struct placed {
    double x, y; /* first: by_place() compares them */
    ordo_u32 point;
} placed;

/* A point of the input that is no corner has the place of one, or lies in no triangle. */
static ordo_status check_unused(const checking *c)
{
    const ordo_u64 n = c->in->points;
    placed *p = ordo_alloc(n, sizeof *p);
    if (!p)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; i < n; i++)
        p[i] = (placed){c->in->xy[2 * i], c->in->xy[2 * i + 1], (ordo_u32)i};
    qsort(p, n, sizeof *p, by_place);
    ordo_status status = ORDO_OK;
    for (ordo_u64 i = 0, end; i < n && !status; i = end) {
        bool used = false;
        for (end = i; end < n && by_place(&p[i], &p[end]) == 0; end++)
            used = used || c->used[p[end].point];
        for (ordo_u64 t = 0; t < c->out->triangles && !used && !status; t++)
            if (in_triangle(c, c->out->corners + 3 * t, p[i].x, p[i].y))
                status = ordo_fail(ORDO_ERR_VERIFY, "point %llu lies in triangle %llu and is no corner",
                                   id(c, p[i].point), id(c, t));
    }
    ordo_free(p);
    return status;
}

/* ---- quality ---- */

static real angle_between(const checking *c, ordo_u32 at, ordo_u32 a, ordo_u32 b)
{
    const real ax = x_of(c, a) - x_of(c, at), ay = y_of(c, a) - y_of(c, at);
    const real bx = x_of(c, b) - x_of(c, at), by = y_of(c, b) - y_of(c, at);
    return fabsl(atan2l(ax * by - ay * bx, ax * bx + ay * by)) * 180 / PI_REAL;
}

/* Whether a and b are new points on two stretches that meet at less than 60 degrees, equally far from there. */
static bool at_small_angle(const checking *c, ordo_u32 a, ordo_u32 b)
{
    const stretch s = c->stretch[a], r = c->stretch[b];
    for (int i = 0; i < 4 && s.from != NONE && r.from != NONE; i++) {
        const ordo_u32 at = i & 1 ? s.to : s.from, one = i & 1 ? s.from : s.to;
        const ordo_u32 other = i & 2 ? r.to : r.from, two = i & 2 ? r.from : r.to;
        const real near = sqrtl(square_of(c, at, a)), far = sqrtl(square_of(c, at, b));
        if (at == other && one != two && angle_between(c, at, one, two) < 60 && fabsl(near - far) <= 0.01L * near)
            return true;
    }
    return false;
}

static ordo_status check_quality(const checking *c, const ordo_refine_options *options)
{
    const real least = options->min_angle > 0 ? options->min_angle : options->min_angle < 0 ? 0 : 30;
    for (ordo_u64 t = 0; t < c->out->triangles; t++) {
        const ordo_u32 *corner = c->out->corners + 3 * t;
        const real area = area_of(c, corner);
        if (options->max_area > 0 && area > options->max_area * (1 + 1e-12L))
            return ordo_fail(ORDO_ERR_VERIFY, "triangle %llu has an area of %.12g, expected at most %.12g", id(c, t),
                             (double)area, options->max_area);
        for (int i = 0; i < 3; i++) {
            const ordo_u32 a = corner[(i + 1) % 3], b = corner[(i + 2) % 3];
            const real angle = angle_between(c, corner[i], a, b);
            if (angle < least - 1e-7L && !at_small_angle(c, a, b))
                return ordo_fail(ORDO_ERR_VERIFY, "triangle %llu has an angle of %.9g degrees, expected at least %.9g",
                                 id(c, t), (double)angle, (double)least);
        }
    }
    return ORDO_OK;
}

/* ---- all of it ---- */

/* The power of two that all coordinates are multiples of, and their size. */
static void measure(checking *c)
{
    enum { MANTISSA = 53 };
    c->least = 1024;
    for (ordo_u64 i = 0; i < 2 * c->out->points; i++) {
        const double x = c->out->xy[i];
        int power;
        const ordo_u64 bits = (ordo_u64)ldexp(frexp(fabs(x), &power), MANTISSA);
        if (bits == 0)
            continue;
        power += __builtin_ctzll(bits) - MANTISSA;
        c->least = power < c->least ? power : c->least;
        c->scale = fabs(x) > c->scale ? (real)fabs(x) : c->scale;
    }
}

static ordo_status check_all(checking *c, const ordo_refine_options *options)
{
    ordo_status status = check_numbers(c);
    if (status)
        return status;
    measure(c);
    status = check_triangles(c);
    if (!status)
        status = check_boundary(c);
    if (!status)
        status = check_delaunay(c);
    if (status)
        return status;
    find_segments_of_points(c);
    for (ordo_u64 p = 0; p < c->out->points; p++)
        c->stretch[p] = (stretch){NONE, NONE};
    status = check_segments(c);
    if (!status)
        status = check_coverage(c);
    if (!status)
        status = check_unused(c);
    return status ? status : check_quality(c, options);
}

ordo_status ordo_mesh_verify(const ordo_mesh *in, const ordo_refine_options *options, const ordo_mesh *out)
{
    static const ordo_refine_options none;
    if (!in || !out || !out->part_of)
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", in && out ? "refined mesh" : "mesh");
    checking c = {.in = in, .out = out};
    c.side = ordo_alloc(3 * out->triangles, sizeof *c.side);
    c.segment = ordo_alloc(3 * out->triangles, sizeof *c.segment);
    c.first = ordo_alloc_zero(out->points + 2, sizeof *c.first);
    c.at = ordo_alloc(2 * out->segments, sizeof *c.at);
    c.stretch = ordo_alloc(out->points, sizeof *c.stretch);
    c.used = ordo_alloc_zero(out->points, 1);
    ordo_status status = c.side && c.segment && c.first && c.at && c.stretch && c.used
                             ? check_all(&c, options ? options : &none)
                             : ORDO_ERR_MEMORY;
    ordo_free(c.side);
    ordo_free(c.segment);
    ordo_free(c.first);
    ordo_free(c.at);
    ordo_free(c.stretch);
    ordo_free(c.used);
    return status;
}
