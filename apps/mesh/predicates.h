/* predicates.h -- on which side of a line, and of a circle, a point lies: exact, in C and on a GPU.
 *
 * Problem. Both are signs of determinants. Computed in floating point they can be wrong where points lie nearly on one
 * line or circle, and a triangulation that trusts them gets folded triangles or never ends. Grids, repeated points and
 * points on one line are the common case, not the rare one.
 *
 * Method (Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates", 1997). First
 * the determinant in doubles, with a bound on its error; where it is beyond the bound its sign is right. Otherwise
 * exactly, as an expansion: a sum of doubles of growing magnitude that do not overlap, so that the last one has the
 * sign. Components that are 0 are left out, which makes points of a grid cheap.
 *
 * What it relies on: round to nearest, and no overflow or underflow. A coordinate is 0 or from 2^-200 to 2^200 in
 * magnitude (geometry_allows); products of four differences are then multiples of 2^-1008 below 2^810. And no product
 * and sum may be contracted into one operation: two_sum() is exact for a rounded product, but not if its first sum
 * takes the product unrounded and the others rounded. C11 compilers do not contract (c_std=c11); nvcc does, unless it
 * is told -fmad=false, as it is for this code (framework/cuda/meson.build). Then all results, not only signs, are those
 * of the host. fma() by name is rounded once everywhere, and gives a product's error.
 *
 * Local memory. On a GPU each thread has memory for the largest exact sum, so that is kept small: sums are shortened
 * while they are made (expansion_compress).
 *
 * Not done: the stages between the filter and the exact sum that Shewchuk has.
 */
#ifndef ORDO_MESH_PREDICATES_H
#define ORDO_MESH_PREDICATES_H

#include <math.h>

#include <ordo/types.h>

/* An exact sum: too much code to be inlined. */
#if defined(__CUDACC__)
#define GEOMETRY_EXACT static __host__ __device__ __noinline__
#else
#define GEOMETRY_EXACT static __attribute__((noinline, unused))
#endif

#define GEOMETRY_LEAST 0x1p-200 /* of coordinates that are not 0 */
#define GEOMETRY_MOST 0x1p200

typedef struct geometry_point {
    double x, y;
} geometry_point;

ORDO_FN int geometry_allows(double x)
{
    const double size = fabs(x);
    return !(size > 0) ? size <= 0 : size >= GEOMETRY_LEAST && size <= GEOMETRY_MOST; /* NaN: neither */
}

/* ---- expansions ---- */

/* a + b = *sum + *rest exactly (Knuth). */
ORDO_FN void two_sum(double a, double b, double *sum, double *rest)
{
    const double s = a + b, of_b = s - a;
    *rest = (a - (s - of_b)) + (b - of_b);
    *sum = s;
}

ORDO_FN void two_product(double a, double b, double *product, double *rest)
{
    const double p = a * b;
    *rest = fma(a, b, -p);
    *product = p;
}

/* a - b as an expansion: out[2]; returns its components, 1 or 2. */
ORDO_FN int two_difference(double a, double b, double *out)
{
    double sum, rest;
    two_sum(a, -b, &sum, &rest);
    if (rest < 0 || rest > 0) {
        out[0] = rest;
        out[1] = sum;
        return 2;
    }
    out[0] = sum;
    return 1;
}

/* Appends a component that is not 0. */
ORDO_FN int append(double *out, int count, double x)
{
    if (x < 0 || x > 0)
        out[count++] = x;
    return count;
}

/* out = e + f: merged by magnitude, then summed from the smallest on. out[n + m]; a sum of 0 has one component, 0. */
GEOMETRY_EXACT int expansion_sum(const double *e, int n, const double *f, int m, double *out)
{
    int i = 0, j = 0, count = 0;
    double sum = 0, rest;
    while (i < n || j < m) {
        const double next = j == m || (i < n && fabs(e[i]) < fabs(f[j])) ? e[i++] : f[j++];
        two_sum(sum, next, &sum, &rest);
        count = append(out, count, rest);
    }
    count = append(out, count, sum);
    if (count == 0)
        out[count++] = 0;
    return count;
}

/* out = e * x. out[2 n]. */
GEOMETRY_EXACT int expansion_scale(const double *e, int n, double x, double *out)
{
    double carry, rest;
    two_product(e[0], x, &carry, &rest);
    int count = append(out, 0, rest);
    for (int i = 1; i < n; i++) {
        double high, low, sum;
        two_product(e[i], x, &high, &low);
        two_sum(carry, low, &sum, &rest);
        count = append(out, count, rest);
        two_sum(high, sum, &carry, &rest);
        count = append(out, count, rest);
    }
    count = append(out, count, carry);
    if (count == 0)
        out[count++] = 0;
    return count;
}

enum { MOST_FACTOR = 2, MOST_CROSS = 16, MOST_SUM = 40 };

/* The same sum, with fewer components, in place; returns how many. Downwards, each is made a rounded sum, so the next
 * is at most its last bit: 52 bits apart or more. A sum of products of four differences has 1820 bits, so at most 36
 * stay. Upwards, they are made such that none overlap. (Shewchuk's Compress.) */
GEOMETRY_EXACT int expansion_compress(double *e, int n)
{
    double sum = e[n - 1], rest;
    int bottom = n - 1, count = 0;
    for (int i = n - 2; i >= 0; i--) {
        two_sum(sum, e[i], &sum, &rest);
        if (rest < 0 || rest > 0) {
            e[bottom--] = sum;
            sum = rest;
        }
    }
    for (int i = bottom + 1; i < n; i++) {
        two_sum(e[i], sum, &sum, &rest);
        count = append(e, count, rest); /* below i: a component is read before one is written in its place */
    }
    e[count++] = sum;
    return count;
}

/* out = e * f, of at most MOST_FACTOR components each. out[2 n m]. */
GEOMETRY_EXACT int expansion_product(const double *e, int n, const double *f, int m, double *out)
{
    double part[2 * MOST_FACTOR], before[2 * MOST_FACTOR];
    int count = expansion_scale(e, n, f[0], m == 1 ? out : before);
    if (m == 1)
        return count;
    const int parts = expansion_scale(e, n, f[1], part);
    return expansion_sum(before, count, part, parts, out);
}

/* out = a d - b c, of at most two components each. out[16]. */
GEOMETRY_EXACT int expansion_cross(const double *a, int as, const double *b, int bs, const double *c, int cs,
                                   const double *d, int ds, double *out)
{
    double left[8], right[8];
    const int lefts = expansion_product(a, as, d, ds, left), rights = expansion_product(b, bs, c, cs, right);
    for (int i = 0; i < rights; i++)
        right[i] = -right[i];
    return expansion_sum(left, lefts, right, rights, out);
}

/* ---- the predicates ---- */

GEOMETRY_EXACT double orient_exact(geometry_point a, geometry_point b, geometry_point c)
{
    double ax[2], ay[2], bx[2], by[2], det[16];
    const int axs = two_difference(a.x, c.x, ax), ays = two_difference(a.y, c.y, ay);
    const int bxs = two_difference(b.x, c.x, bx), bys = two_difference(b.y, c.y, by);
    return det[expansion_cross(ax, axs, ay, ays, bx, bxs, by, bys, det) - 1];
}

/* > 0: c lies on the left of the line from a to b; 0: on it; < 0: on the right. Twice the area of a, b, c, nearly. */
ORDO_FN double geometry_orient(geometry_point a, geometry_point b, geometry_point c)
{
    const double half_ulp = 0x1p-53;
    const double left = (a.x - c.x) * (b.y - c.y), right = (a.y - c.y) * (b.x - c.x), det = left - right;
    const double bound = (3 + 16 * half_ulp) * half_ulp * (fabs(left) + fabs(right));
    return det > bound || -det > bound ? det : orient_exact(a, b, c);
}

/* Adds to a sum, which has `sums` components, the square of the distance of d from a point times the cross product of
 * the other two: a term of the determinant. The point is x, y, of one or two components each. sum[MOST_SUM]. */
GEOMETRY_EXACT int add_circle_term(const double *x, int xs, const double *y, int ys, const double *cross, int crosses,
                                   double *sum, int sums)
{
    double x2[8], y2[8], square[MOST_CROSS], part[2 * MOST_CROSS], next[MOST_SUM + 2 * MOST_CROSS];
    const int x2s = expansion_product(x, xs, x, xs, x2), y2s = expansion_product(y, ys, y, ys, y2);
    const int squares = expansion_sum(x2, x2s, y2, y2s, square);
    for (int j = 0; j < squares; j++) {
        const int parts = expansion_scale(cross, crosses, square[j], part);
        sums = expansion_compress(next, expansion_sum(sum, sums, part, parts, next));
        for (int i = 0; i < sums; i++)
            sum[i] = next[i];
    }
    return sums;
}

GEOMETRY_EXACT double in_circle_exact(geometry_point a, geometry_point b, geometry_point c, geometry_point d)
{
    const geometry_point corner[3] = {a, b, c};
    double x[3][2], y[3][2], cross[MOST_CROSS], sum[MOST_SUM];
    int xs[3], ys[3], sums = 1;
    for (int i = 0; i < 3; i++) {
        xs[i] = two_difference(corner[i].x, d.x, x[i]);
        ys[i] = two_difference(corner[i].y, d.y, y[i]);
    }
    sum[0] = 0;
    for (int i = 0; i < 3; i++) {
        const int j = i == 2 ? 0 : i + 1, k = i == 0 ? 2 : i - 1;
        const int crosses = expansion_cross(x[j], xs[j], y[j], ys[j], x[k], xs[k], y[k], ys[k], cross);
        sums = add_circle_term(x[i], xs[i], y[i], ys[i], cross, crosses, sum, sums);
    }
    return sum[sums - 1];
}

/* > 0: d lies inside of the circle through a, b, c, which are in counterclockwise order; 0: on it; < 0: outside. */
ORDO_FN double geometry_in_circle(geometry_point a, geometry_point b, geometry_point c, geometry_point d)
{
    const double half_ulp = 0x1p-53;
    const double ax = a.x - d.x, ay = a.y - d.y, bx = b.x - d.x, by = b.y - d.y, cx = c.x - d.x, cy = c.y - d.y;
    const double bc = bx * cy, cb = by * cx, ca = cx * ay, ac = cy * ax, ab = ax * by, ba = ay * bx;
    const double a2 = ax * ax + ay * ay, b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
    const double det = a2 * (bc - cb) + b2 * (ca - ac) + c2 * (ab - ba);
    const double size = (fabs(bc) + fabs(cb)) * a2 + (fabs(ca) + fabs(ac)) * b2 + (fabs(ab) + fabs(ba)) * c2;
    const double bound = (10 + 96 * half_ulp) * half_ulp * size;
    return det > bound || -det > bound ? det : in_circle_exact(a, b, c, d);
}

#endif
