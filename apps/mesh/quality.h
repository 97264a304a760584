/* quality.h -- which triangles are to be refined, and by which point. In C and on a GPU.
 *
 * Method (Ruppert 1995; Chew 1993). A triangle whose smallest angle is below the bound, or that is too large, is
 * destroyed by the centre of its circle. But a centre that lies in the circle over a segment (with it as diameter), or
 * beyond a segment, is not inserted: the segment is split instead. A segment with the corner of a triangle in its
 * circle is split, too. For angles up to 20.7 degrees, and where segments meet at 60 degrees and more, that ends; in
 * practice it ends for 30 degrees, which is the default, and mostly for 33.
 *
 * Small angles between segments. Halves of two segments that meet at less than 60 degrees can encroach upon each other
 * for ever. So a part of a segment that begins at such a point is split at a distance from it that is a power of two
 * (Ruppert's shells). And a triangle below the bound stays if its shortest edge joins two points that split two such
 * segments at the same distance from where they meet (Shewchuk 2000; Miller, Pav and Walkington 2003).
 */
#ifndef ORDO_MESH_QUALITY_H
#define ORDO_MESH_QUALITY_H

#include "apps/mesh/cavity.h"

typedef struct mesh_quality {
    double cos2;     /* the square of the cosine of the smallest angle; beyond 1: any angle */
    double max_area; /* infinite: any */
} mesh_quality;

/* A mesh as items see it: arrays that do not move while they look. */
typedef struct mesh_view {
    const geometry_point *point;
    const ordo_u32 *on; /* of a point that splits a piece: which; else ORDO_NO_SEGMENT */
    const mesh_triangle *triangle;
    const mesh_piece *piece;
    const ordo_u8 *small; /* [given] whether pieces meet at that point at less than 60 degrees */
    ordo_u64 given;
    mesh_quality quality;
} mesh_view;

typedef enum mesh_state {
    MESH_GOOD,
    MESH_ENCROACHED, /* a corner is in the circle over a side on a segment */
    MESH_BAD,        /* an angle is too small, or the area too large */
    MESH_KEPT        /* an angle is too small, at a small angle between segments */
} mesh_state;

/* Whether the directions from `at` to a and b differ by less than 60 degrees. */
ORDO_FN bool is_small_angle(geometry_point at, geometry_point a, geometry_point b)
{
    const double dot = (a.x - at.x) * (b.x - at.x) + (a.y - at.y) * (b.y - at.y);
    return dot > 0 && dot * dot > 0.25 * (1 + 1e-12) * square_distance(at, a) * square_distance(at, b);
}

/* Whether points u and v split pieces that meet at a small angle, at the same distance from there. */
ORDO_FN bool at_small_angle(const mesh_view *m, ordo_u32 u, ordo_u32 v)
{
    const double same = 1e-3;
    if (m->on[u] == ORDO_NO_SEGMENT || m->on[v] == ORDO_NO_SEGMENT || m->on[u] == m->on[v])
        return false;
    const mesh_piece s = m->piece[m->on[u]], r = m->piece[m->on[v]];
    const ordo_u32 at = s.a == r.a || s.a == r.b ? s.a : s.b;
    if (at != r.a && at != r.b)
        return false;
    if (!is_small_angle(m->point[at], m->point[s.a == at ? s.b : s.a], m->point[r.a == at ? r.b : r.a]))
        return false;
    const double one = sqrt(square_distance(m->point[at], m->point[u]));
    return fabs(one - sqrt(square_distance(m->point[at], m->point[v]))) <= same * one;
}

/* The state of triangle t; *side: the first encroached one. */
ORDO_FN mesh_state mesh_judge(const mesh_view *m, const mesh_triangle *t, int *side)
{
    geometry_point p[3];
    double square[3];
    *side = 0;
    if (m->quality.cos2 > 1 && !(m->quality.max_area < INFINITY))
        return MESH_GOOD; /* nothing is asked for */
    for (int i = 0; i < 3; i++)
        p[i] = m->point[t->corner[i]];
    for (int i = 0; i < 3; i++) {
        *side = i;
        if (t->segment[i] != ORDO_NO_SEGMENT && in_diameter_circle(p[side_after(i)], p[side_before(i)], p[i]))
            return MESH_ENCROACHED;
        square[i] = square_distance(p[side_after(i)], p[side_before(i)]);
    }
    const double area = ((p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[1].y - p[0].y) * (p[2].x - p[0].x)) / 2;
    if (area > m->quality.max_area)
        return MESH_BAD;
    const int least = square[0] <= square[1] && square[0] <= square[2] ? 0 : square[1] <= square[2] ? 1 : 2;
    const double b = square[side_after(least)], c = square[side_before(least)], dot2 = b + c - square[least];
    if (!(dot2 * dot2 > 4 * b * c * m->quality.cos2))
        return MESH_GOOD;
    return at_small_angle(m, t->corner[side_after(least)], t->corner[side_before(least)]) ? MESH_KEPT : MESH_BAD;
}

/* Whether triangle t is to be refined. */
ORDO_FN bool mesh_is_bad(const mesh_view *m, ordo_u32 t)
{
    int side;
    const mesh_state state = mesh_judge(m, &m->triangle[t], &side);
    return state == MESH_BAD || state == MESH_ENCROACHED;
}

/* The square of the cosine of the smallest angle of t; 1 at most. */
ORDO_FN double sharpest_cos2(const mesh_view *m, const mesh_triangle *t)
{
    double sharpest = 0;
    for (int i = 0; i < 3; i++) {
        const geometry_point at = m->point[t->corner[i]], a = m->point[t->corner[side_after(i)]],
                             b = m->point[t->corner[side_before(i)]];
        const double to_a = square_distance(at, a), to_b = square_distance(at, b);
        const double dot2 = to_a + to_b - square_distance(a, b);
        const double cos2 = dot2 > 0 ? dot2 * dot2 / (4 * to_a * to_b) : 0;
        sharpest = cos2 > sharpest ? cos2 : sharpest;
    }
    return sharpest < 1 ? sharpest : 1;
}

/* The centre of the circle through the corners of t, rounded. */
ORDO_FN geometry_point circle_centre(const geometry_point *point, const mesh_triangle *t)
{
    const geometry_point o = point[t->corner[0]], a = point[t->corner[1]], b = point[t->corner[2]];
    const double ax = a.x - o.x, ay = a.y - o.y, bx = b.x - o.x, by = b.y - o.y;
    const double a2 = ax * ax + ay * ay, b2 = bx * bx + by * by, twice = 2 * geometry_orient(o, a, b);
    const geometry_point c = {o.x + (by * a2 - ay * b2) / twice, o.y + (ax * b2 - bx * a2) / twice};
    return c;
}

/* Where to split a side on a segment: in its middle, or on a shell around an end with a small angle. */
ORDO_FN geometry_point split_point(const mesh_view *m, const mesh_triangle *t, int side)
{
    const ordo_u32 a = t->corner[side_after(side)], b = t->corner[side_before(side)];
    const bool at_a = a < m->given && m->small[a], at_b = b < m->given && m->small[b];
    const geometry_point from = m->point[at_b ? b : a], to = m->point[at_b ? a : b];
    double part = 0.5;
    if (at_a != at_b) {
        const double length = sqrt(square_distance(from, to));
        int power;
        frexp(length / 1.5, &power); /* the shell: the largest power of two of at most two thirds of the length */
        part = ldexp(1.0, power - 1) / length;
    }
    const geometry_point p = {from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part};
    return p;
}

/* Finds what item t is to insert: its cavity. */
ORDO_FN cavity_result cavity_of_item(cavity *c, const mesh_view *m, ordo_u32 t, mesh_state state, int side)
{
    ordo_u32 split = t * 4 + (ordo_u32)side;
    if (state == MESH_BAD) {
        const geometry_point centre = circle_centre(m->point, &m->triangle[t]);
        if (!geometry_allows(centre.x) || !geometry_allows(centre.y) || !in_conflict(m->point, &m->triangle[t], centre))
            return CAVITY_STUCK;
        const ordo_u32 in = cavity_walk(m->point, m->triangle, t, centre, &split);
        if (split == MESH_NONE) {
            const cavity_result found = cavity_of_point(c, m->point, m->triangle, in, centre);
            if (found == CAVITY_FULL || c->encroached == MESH_NONE)
                return found;
            split = c->encroached;
        }
    }
    const int on = (int)(split & 3);
    const geometry_point at = split_point(m, &m->triangle[split >> 2], on);
    if (!geometry_allows(at.x) || !geometry_allows(at.y))
        return CAVITY_STUCK;
    return cavity_of_side(c, m->point, m->triangle, split, at);
}

#endif
