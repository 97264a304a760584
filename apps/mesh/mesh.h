/* mesh.h -- a mesh while it is made: triangles with their neighbours.
 *
 * Side i of a triangle is the edge opposite to corner i, from corner i + 1 to corner i + 2 (counting modulo 3), which
 * is counterclockwise. A side is named by one number, four times its triangle plus i. Neighbours across a side see it
 * in opposite directions.
 */
#ifndef ORDO_MESH_MESH_H
#define ORDO_MESH_MESH_H

#include <stdbool.h>

#include <ordo/memory.h>
#include <ordo/mesh.h>

#include "apps/mesh/predicates.h"

#define MESH_NONE ((ordo_u32)0xffffffffu) /* no triangle: outside of the area */

typedef struct mesh_triangle {
    ordo_u32 corner[3];  /* points, counterclockwise */
    ordo_u32 next[3];    /* the triangle across side i, or MESH_NONE */
    ordo_u32 segment[3]; /* the piece of a segment that side i is a part of, or ORDO_NO_SEGMENT */
    ordo_u32 born;       /* the superstep that wrote it */
} mesh_triangle;

/* A segment between two points of the input with none between them. */
typedef struct mesh_piece {
    ordo_u32 a, b;
    ordo_u32 source; /* the segment of the input; ORDO_NO_SEGMENT: a side of the hull */
} mesh_piece;

typedef struct mesh {
    ordo_u64 points, triangles; /* used */
    geometry_point *point;
    mesh_triangle *triangle;
    ordo_u64 given; /* points of the input, which are the first ones */
    ordo_u64 pieces, piece_capacity;
    mesh_piece *piece;
} mesh;

ORDO_FN int side_after(int i)
{
    return i == 2 ? 0 : i + 1;
}

ORDO_FN int side_before(int i)
{
    return i == 0 ? 2 : i - 1;
}

/* The corner of t that is point p; it has it. */
ORDO_FN int corner_of(const mesh_triangle *t, ordo_u32 p)
{
    return t->corner[0] == p ? 0 : t->corner[1] == p ? 1 : 2;
}

/* The side of t that goes from a to b; it has one. */
ORDO_FN int side_of(const mesh_triangle *t, ordo_u32 a, ordo_u32 b)
{
    for (int i = 0; i < 2; i++)
        if (t->corner[side_after(i)] == a && t->corner[side_before(i)] == b)
            return i;
    return 2;
}

ORDO_FN double square_distance(geometry_point a, geometry_point b)
{
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

/* > 0: p lies on the inner side of side i. */
ORDO_FN double inner_side(const geometry_point *point, const mesh_triangle *t, int i, geometry_point p)
{
    return geometry_orient(point[t->corner[side_after(i)]], point[t->corner[side_before(i)]], p);
}

/* Whether p lies inside of the circle through the corners of t. */
ORDO_FN bool in_conflict(const geometry_point *point, const mesh_triangle *t, geometry_point p)
{
    return geometry_in_circle(point[t->corner[0]], point[t->corner[1]], point[t->corner[2]], p) > 0;
}

/* Grows to `needed` elements at least the block at `block`, a pointer to a pointer; it doubles. */
static inline ordo_status mesh_room(void *block, ordo_u64 *capacity, ordo_u64 needed, size_t size)
{
    void **at = (void **)block;
    if (needed <= *capacity)
        return ORDO_OK;
    const ordo_u64 least = 64, more = needed < least ? least : needed * 2;
    void *moved = ordo_realloc(*at, more, size);
    if (!moved)
        return ORDO_ERR_MEMORY;
    *at = moved;
    *capacity = more;
    return ORDO_OK;
}

/* A side with its ends in ascending order; sorted, the two of an edge follow each other. */
typedef struct mesh_edge {
    ordo_u32 low, high, side;
} mesh_edge;
/* The sides of triangles, sorted: [3 * triangles] edges of ordo_alloc(). NULL: no memory. */
mesh_edge *mesh_edges(const ordo_u32 *corners, ordo_u64 triangles);
void mesh_sort_edges(mesh_edge *edge, ordo_u64 count);

/* Makes the constrained Delaunay triangulation of `in`, all zero before (triangulate.c). To be freed in any case. */
ordo_status mesh_triangulate(const ordo_mesh *in, mesh *out);
void mesh_free(mesh *m);

#endif
