/* cavity.h -- inserting a point into a Delaunay triangulation: the triangles that have to go, and those that come.
 * In C and on a GPU.
 *
 * Problem. A point p is added, and the triangulation is to be (constrained) Delaunay again.
 *
 * Method (Bowyer 1981, Watson 1981; Kulkarni et al. 2007 for what may run at the same time). The triangles whose circle
 * has p inside, and that are reached from that of p without crossing a segment, are its cavity. The edges around it are
 * its ring. The cavity is replaced by a fan: a triangle from each edge of the ring to p. The cavity is searched depth
 * first, each triangle's sides in counterclockwise order, so the ring comes out in its order. Where p splits a segment
 * the search starts from both of its sides; the ring is then two chains, which meet at the ends of the segment.
 *
 * Sound: a cavity is star-shaped around p. A step of the search enters a triangle across a side that p lies beyond; as
 * p is inside of its circle, it lies beyond no other side. A point that splits a segment is rounded and lies beside the
 * segment by the last bit, so every triangle of the fan is checked to be counterclockwise, exactly; if one is not, the
 * point is refused. Edges of the fan are Delaunay, since the cavity's circles were empty, and so is the ring, since the
 * search ended there.
 *
 * At the same time: two insertions change different triangles if their cavities share none, and different neighbours if
 * no triangle of one cavity has a side in common with one of the other. An item claims both its cavity and the
 * triangles outside of its ring; then p is in the circle of no triangle that the other makes, and both come out as one
 * after the other (Spielman, Teng and Ungor 2007).
 */
#ifndef ORDO_MESH_CAVITY_H
#define ORDO_MESH_CAVITY_H

#include "apps/mesh/mesh.h"

/* An edge of the ring, counterclockwise: from a to b. */
typedef struct ring_edge {
    ordo_u32 a, b;
    ordo_u32 outside; /* the triangle behind it, or MESH_NONE */
    ordo_u32 segment; /* the piece that it is a part of, or ORDO_NO_SEGMENT */
} ring_edge;

typedef struct cavity {
    geometry_point at;   /* the point */
    ordo_u32 insides;    /* triangles of the cavity */
    ordo_u32 edges;      /* of the ring */
    ordo_u32 segment;    /* the piece that the point splits, or ORDO_NO_SEGMENT */
    ordo_u32 second;     /* with `segment`: the first edge of the chain on its other side; `edges`: it has one side */
    ordo_u32 encroached; /* the first side of the ring that is on a segment in whose circle the point is; MESH_NONE */
    ordo_u32 stacked;    /* sides to search from */
    ordo_u32 capacity;   /* of each array */
    ordo_u32 *inside;    /* [capacity] */
    ordo_u32 *stack;     /* [capacity] */
    ring_edge *ring;     /* [capacity] */
} cavity;

typedef enum cavity_result {
    CAVITY_READY,
    CAVITY_FULL, /* `capacity` was too small */
    CAVITY_STUCK /* the point cannot be inserted */
} cavity_result;

/* The triangle that has p, from `from` on. *blocked: the side on a segment that p lies on or beyond, and the walk ended
 * there; else MESH_NONE. Across a side that p lies beyond, the circle has more of p's side; so the walk ends. */
ORDO_FN ordo_u32 cavity_walk(const geometry_point *point, const mesh_triangle *triangle, ordo_u32 from,
                             geometry_point p, ordo_u32 *blocked)
{
    for (;;) {
        const mesh_triangle *t = &triangle[from];
        int beyond = -1, on = -1;
        for (int i = 0; i < 3 && beyond < 0; i++) {
            const double inner = inner_side(point, t, i, p);
            if (inner < 0)
                beyond = i;
            else if (!(inner > 0) && t->segment[i] != ORDO_NO_SEGMENT)
                on = i;
        }
        const int out = beyond >= 0 ? beyond : on;
        *blocked = out >= 0 && (t->segment[out] != ORDO_NO_SEGMENT || t->next[out] == MESH_NONE)
                       ? from * 4 + (ordo_u32)out
                       : MESH_NONE;
        if (out < 0 || *blocked != MESH_NONE)
            return from;
        from = t->next[out];
    }
}

/* Begins a cavity with triangle t; its sides but `without` (3: all) are searched from. */
ORDO_FN bool cavity_begin(cavity *c, ordo_u32 t, int without)
{
    if (c->insides + 1 > c->capacity || c->stacked + 3 > c->capacity)
        return false;
    c->inside[c->insides++] = t;
    const int last = without == 3 ? 2 : side_before(without), sides = without == 3 ? 3 : 2;
    for (int i = last, k = 0; k < sides; k++, i = side_before(i))
        c->stack[c->stacked++] = t * 4 + (ordo_u32)i;
    return true;
}

/* Whether p lies inside of the circle with a and b as a diameter. */
ORDO_FN bool in_diameter_circle(geometry_point a, geometry_point b, geometry_point p)
{
    return (a.x - p.x) * (b.x - p.x) + (a.y - p.y) * (b.y - p.y) < 0;
}

/* Searches from the sides on the stack. False: full. */
ORDO_FN bool cavity_search(cavity *c, const geometry_point *point, const mesh_triangle *triangle)
{
    while (c->stacked) {
        const ordo_u32 side = c->stack[--c->stacked];
        const int i = (int)(side & 3);
        const mesh_triangle *t = &triangle[side >> 2];
        const ring_edge e = {t->corner[side_after(i)], t->corner[side_before(i)], t->next[i], t->segment[i]};
        if (e.segment == ORDO_NO_SEGMENT && e.outside != MESH_NONE && in_conflict(point, &triangle[e.outside], c->at)) {
            if (!cavity_begin(c, e.outside, side_of(&triangle[e.outside], e.b, e.a)))
                return false;
            continue;
        }
        if (c->edges == c->capacity)
            return false;
        c->ring[c->edges++] = e;
        if (c->encroached == MESH_NONE && e.segment != ORDO_NO_SEGMENT &&
            in_diameter_circle(point[e.a], point[e.b], c->at))
            c->encroached = side;
    }
    return true;
}

/* Whether the point sees the whole ring. */
ORDO_FN bool cavity_is_star(const cavity *c, const geometry_point *point)
{
    for (ordo_u32 j = 0; j < c->edges; j++)
        if (!(geometry_orient(point[c->ring[j].a], point[c->ring[j].b], c->at) > 0))
            return false;
    return true;
}

ORDO_FN void cavity_clear(cavity *c, geometry_point at)
{
    c->at = at;
    c->insides = c->edges = c->second = c->stacked = 0;
    c->segment = ORDO_NO_SEGMENT;
    c->encroached = MESH_NONE;
}

/* The cavity of a point in triangle t (inside, or on a side that is no segment). */
ORDO_FN cavity_result cavity_of_point(cavity *c, const geometry_point *point, const mesh_triangle *triangle, ordo_u32 t,
                                      geometry_point at)
{
    cavity_clear(c, at);
    if (!cavity_begin(c, t, 3) || !cavity_search(c, point, triangle))
        return CAVITY_FULL;
    return cavity_is_star(c, point) ? CAVITY_READY : CAVITY_STUCK;
}

/* The cavity of a point that splits a side, which is on a segment. */
ORDO_FN cavity_result cavity_of_side(cavity *c, const geometry_point *point, const mesh_triangle *triangle,
                                     ordo_u32 side, geometry_point at)
{
    const ordo_u32 t = side >> 2;
    const int i = (int)(side & 3);
    const ordo_u32 a = triangle[t].corner[side_after(i)], b = triangle[t].corner[side_before(i)];
    const ordo_u32 other = triangle[t].next[i];
    cavity_clear(c, at);
    c->segment = triangle[t].segment[i];
    if (!in_conflict(point, &triangle[t], at) || (other != MESH_NONE && !in_conflict(point, &triangle[other], at)))
        return CAVITY_STUCK;
    if (!cavity_begin(c, t, i) || !cavity_search(c, point, triangle))
        return CAVITY_FULL;
    c->second = c->edges;
    if (other != MESH_NONE &&
        (!cavity_begin(c, other, side_of(&triangle[other], b, a)) || !cavity_search(c, point, triangle)))
        return CAVITY_FULL;
    return cavity_is_star(c, point) ? CAVITY_READY : CAVITY_STUCK;
}

/* How many triangles more the fan has than the cavity: 1 or 2. */
ORDO_FN ordo_u32 cavity_growth(const cavity *c)
{
    return c->edges - c->insides;
}

/* The number of triangle j of the fan: those of the cavity first. */
ORDO_FN ordo_u32 fan_triangle(const cavity *c, ordo_u32 j, ordo_u32 fresh)
{
    return j < c->insides ? c->inside[j] : fresh + j - c->insides;
}

/* Whether the edge to the point before triangle j of the fan is a part of the split segment. */
ORDO_FN bool fan_is_joint(const cavity *c, ordo_u32 j)
{
    return c->segment != ORDO_NO_SEGMENT && (j == 0 || j == c->second);
}

/* Replaces the cavity by the fan around point p. fresh: the first of cavity_growth() new triangles. */
ORDO_FN void cavity_fill(const cavity *c, mesh_triangle *triangle, ordo_u32 p, ordo_u32 fresh, ordo_u32 born)
{
    const bool open = c->segment != ORDO_NO_SEGMENT && c->second == c->edges;
    for (ordo_u32 j = 0; j < c->edges; j++) {
        const ring_edge e = c->ring[j];
        const ordo_u32 before = j == 0 ? c->edges - 1 : j - 1, after = j + 1 == c->edges ? 0 : j + 1;
        const ordo_u32 self = fan_triangle(c, j, fresh);
        const bool starts = fan_is_joint(c, j), ends = fan_is_joint(c, after);
        mesh_triangle *t = &triangle[self];
        t->corner[0] = e.a;
        t->corner[1] = e.b;
        t->corner[2] = p;
        t->next[0] = ends && open ? MESH_NONE : fan_triangle(c, after, fresh);
        t->next[1] = starts && open ? MESH_NONE : fan_triangle(c, before, fresh);
        t->next[2] = e.outside;
        t->segment[0] = ends ? c->segment : ORDO_NO_SEGMENT;
        t->segment[1] = starts ? c->segment : ORDO_NO_SEGMENT;
        t->segment[2] = e.segment;
        t->born = born;
        if (e.outside != MESH_NONE)
            triangle[e.outside].next[side_of(&triangle[e.outside], e.b, e.a)] = self;
    }
}

#endif
