/* triangulate.c -- the constrained Delaunay triangulation of points and segments: what refinement starts from.
 *
 * Problem. Refinement needs a Delaunay triangulation in which segments are edges; files may hold only points, points
 * and segments, or triangles that are not Delaunay.
 *
 * Method. Points are inserted one after another (cavity.h) into two triangles that cover a square around all of them,
 * in the order of a Hilbert curve, so that each is near the one before. Then each segment is made an edge: edges that
 * cross it are flipped until none does (Sloan 1993); points of the input on a segment cut it into pieces. Edges that
 * are not on a segment are flipped until all are locally Delaunay (Lawson 1977). At last triangles are removed that
 * are reached from the square's corners, or from a hole, without crossing a segment. Without segments the sides of the
 * convex hull are the segments. Triangles that are given are taken as they are, and then flipped.
 *
 * Serial: about a microsecond or two for each point, once. Libraries that do this are not used: Triangle may not be
 * sold, CGAL's is under the GPL, and either would bring predicates of its own.
 *
 * Not done: segments that cross; they are refused.
 */
#include "apps/mesh/cavity.h"

#include <stdlib.h>

#include "framework/run/phase.h"

typedef unsigned long long ull;

/* The work: a mesh with what only triangulating needs. */
typedef struct making {
    const ordo_mesh *in;
    mesh *m;
    cavity c;
    ordo_u32 *at;    /* [points] a triangle of each */
    ordo_u32 *same;  /* [given] the point that each is: another one where it is given twice */
    ordo_u32 *queue; /* [2 * queue_capacity] edges, by their ends */
    ordo_u64 queue_capacity;
    ordo_u32 *stack; /* sides that may not be Delaunay */
    ordo_u64 stacked, stack_capacity;
} making;

enum { CORNERS = 4 }; /* of the square around all points */

/* ---- points ---- */

typedef struct place {
    ordo_u64 key;
    ordo_u32 point;
} place;

static int by_key(const void *a, const void *b)
{
    const place *l = a, *r = b;
    return l->key != r->key ? (l->key < r->key ? -1 : 1) : l->point < r->point ? -1 : l->point > r->point;
}

/* The place of a cell of a grid of 2^31 by 2^31 on a Hilbert curve. */
static ordo_u64 hilbert(ordo_u32 x, ordo_u32 y)
{
    ordo_u64 key = 0;
    for (int bit = 30; bit >= 0; bit--) {
        const ordo_u32 across = x >> bit & 1, up = y >> bit & 1;
        key = key << 2 | ((3 * across) ^ up);
        if (up == 0) { /* the quarter is turned, and mirrored */
            if (across) {
                x = ~x;
                y = ~y;
            }
            const ordo_u32 t = x;
            x = y;
            y = t;
        }
    }
    return key;
}

static ordo_status check_points(const ordo_mesh *in)
{
    if (in->points < 3)
        return ordo_fail(ORDO_ERR_INPUT, "found %llu points, expected 3 at least", (ull)in->points);
    if (in->points > ORDO_MAX_TRIANGLES / 2)
        return ordo_fail(ORDO_ERR_INPUT, "found %llu points, expected at most %llu", (ull)in->points,
                         (ull)ORDO_MAX_TRIANGLES / 2);
    for (ordo_u64 i = 0; i < 2 * in->points; i++)
        if (!geometry_allows(in->xy[i]))
            return ordo_fail(ORDO_ERR_INPUT,
                             "point %llu: found a coordinate %g, expected 0 or a magnitude from 2^-200 to 2^200",
                             (ull)(i / 2 + in->id_base), in->xy[i]);
    for (ordo_u64 i = 0; i < 2 * in->segments; i++)
        if (in->ends[i] >= in->points)
            return ordo_fail(ORDO_ERR_INPUT, "segment %llu: found an end that is no point", (ull)(i / 2 + in->id_base));
    for (ordo_u64 i = 0; i < 3 * in->triangles; i++)
        if (in->corners[i] >= in->points)
            return ordo_fail(ORDO_ERR_INPUT, "triangle %llu: found a corner that is no point",
                             (ull)(i / 3 + in->id_base));
    return ORDO_OK;
}

/* The middle of all points, and the larger extent. */
static geometry_point extent(const ordo_mesh *in, double *size)
{
    geometry_point low = {in->xy[0], in->xy[1]}, high = low;
    for (ordo_u64 i = 1; i < in->points; i++) {
        const double x = in->xy[2 * i], y = in->xy[2 * i + 1];
        low = (geometry_point){fmin(low.x, x), fmin(low.y, y)};
        high = (geometry_point){fmax(high.x, x), fmax(high.y, y)};
    }
    *size = fmax(high.x - low.x, high.y - low.y);
    return (geometry_point){(low.x + high.x) / 2, (low.y + high.y) / 2};
}

/* The square: two triangles. */
static void begin_with_square(mesh *m, geometry_point middle, double size)
{
    const double far = 4 * size;
    const ordo_u32 q = (ordo_u32)m->given;
    for (int i = 0; i < CORNERS; i++)
        m->point[q + (ordo_u32)i] =
            (geometry_point){middle.x + (i == 1 || i == 2 ? far : -far), middle.y + (i >= 2 ? far : -far)};
    const ordo_u32 none = ORDO_NO_SEGMENT;
    m->triangle[0] = (mesh_triangle){{q, q + 1, q + 2}, {MESH_NONE, 1, MESH_NONE}, {none, none, none}, 0};
    m->triangle[1] = (mesh_triangle){{q, q + 2, q + 3}, {MESH_NONE, MESH_NONE, 0}, {none, none, none}, 0};
    m->points = m->given + CORNERS;
    m->triangles = 2;
}

static ordo_status cavity_room(cavity *c, ordo_u32 capacity)
{
    ordo_u32 *inside = ordo_realloc(c->inside, capacity, sizeof *inside);
    c->inside = inside ? inside : c->inside;
    ordo_u32 *stack = ordo_realloc(c->stack, capacity, sizeof *stack);
    c->stack = stack ? stack : c->stack;
    ring_edge *ring = ordo_realloc(c->ring, capacity, sizeof *ring);
    c->ring = ring ? ring : c->ring;
    if (!inside || !stack || !ring)
        return ORDO_ERR_MEMORY;
    c->capacity = capacity;
    return ORDO_OK;
}

static bool same_place(geometry_point a, geometry_point b)
{
    return !(a.x < b.x) && !(a.x > b.x) && !(a.y < b.y) && !(a.y > b.y);
}

/* Inserts point p, from triangle *near on; *near becomes one of its triangles. */
static ordo_status insert_point(making *k, ordo_u32 p, ordo_u32 *near)
{
    mesh *m = k->m;
    ordo_u32 blocked;
    const geometry_point at = m->point[p];
    *near = cavity_walk(m->point, m->triangle, *near, at, &blocked);
    const mesh_triangle *t = &m->triangle[*near];
    for (int i = 0; i < 3; i++)
        if (same_place(m->point[t->corner[i]], at)) {
            k->same[p] = t->corner[i];
            return ORDO_OK;
        }
    cavity_result found;
    while ((found = cavity_of_point(&k->c, m->point, m->triangle, *near, at)) == CAVITY_FULL) {
        const ordo_status status = cavity_room(&k->c, k->c.capacity * 2);
        if (status)
            return status;
    }
    if (found != CAVITY_READY)
        return ordo_fail(ORDO_ERR_INTERNAL, "point %u cannot be inserted", p);
    cavity_fill(&k->c, m->triangle, p, (ordo_u32)m->triangles, 0);
    m->triangles += cavity_growth(&k->c);
    *near = k->c.inside[0];
    return ORDO_OK;
}

static ordo_status insert_points(making *k, geometry_point middle, double size)
{
    const ordo_u64 n = k->m->given;
    place *order = ordo_alloc(n, sizeof *order);
    if (!order)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; i < n; i++) {
        const double cells = 0x1p31 - 1;
        const double x = (k->m->point[i].x - middle.x) / size + 0.5, y = (k->m->point[i].y - middle.y) / size + 0.5;
        order[i] = (place){hilbert((ordo_u32)(fmin(fmax(x, 0), 1) * cells), (ordo_u32)(fmin(fmax(y, 0), 1) * cells)),
                           (ordo_u32)i};
        k->same[i] = (ordo_u32)i;
    }
    qsort(order, n, sizeof *order, by_key);
    ordo_status status = ORDO_OK;
    ordo_u32 near = 0;
    ordo_phase phase;
    ordo_phase_begin(&phase, "triangulating", n);
    for (ordo_u64 i = 0; i < n && !status && !ordo_phase_at(&phase, i); i++)
        status = insert_point(k, order[i].point, &near);
    ordo_free(order);
    return status ? status : ordo_phase_end(&phase);
}

/* ---- edges ---- */

static void find_triangles_of_points(making *k)
{
    for (ordo_u64 t = 0; t < k->m->triangles; t++)
        for (int i = 0; i < 3; i++)
            k->at[k->m->triangle[t].corner[i]] = (ordo_u32)t;
}

/* The side from u to v, which is an edge: triangles around u are looked at counterclockwise, and, where that ends at a
 * side of the square, clockwise. */
static ordo_u32 find_side(const making *k, ordo_u32 u, ordo_u32 v)
{
    bool back = false;
    for (ordo_u32 t = k->at[u];;) {
        const mesh_triangle *of = &k->m->triangle[t];
        const int i = corner_of(of, u);
        if (of->corner[side_after(i)] == v)
            return t * 4 + (ordo_u32)side_before(i);
        t = of->next[back ? side_before(i) : side_after(i)];
        if (t == MESH_NONE) {
            back = true;
            t = k->at[u];
        }
    }
}

/* The triangle across the edge from a to b gets a new neighbour there. */
static void set_neighbour(mesh *m, ordo_u32 of, ordo_u32 a, ordo_u32 b, ordo_u32 now)
{
    if (of != MESH_NONE)
        m->triangle[of].next[side_of(&m->triangle[of], b, a)] = now;
}

/* Turns the edge at a side: the other diagonal of the two triangles p u v and q v u, which become p u q and q v p. */
static void flip(mesh *m, ordo_u32 *at, ordo_u32 side)
{
    const ordo_u32 one = side >> 2, none = ORDO_NO_SEGMENT;
    const int i = (int)(side & 3);
    const mesh_triangle t = m->triangle[one];
    const ordo_u32 p = t.corner[i], u = t.corner[side_after(i)], v = t.corner[side_before(i)], two = t.next[i];
    const mesh_triangle n = m->triangle[two];
    const int j = side_of(&n, v, u);
    const ordo_u32 q = n.corner[j];
    const int vp = side_after(i), pu = side_before(i), uq = side_after(j), qv = side_before(j);
    m->triangle[one] =
        (mesh_triangle){{p, u, q}, {n.next[uq], two, t.next[pu]}, {n.segment[uq], none, t.segment[pu]}, t.born};
    m->triangle[two] =
        (mesh_triangle){{q, v, p}, {t.next[vp], one, n.next[qv]}, {t.segment[vp], none, n.segment[qv]}, n.born};
    set_neighbour(m, n.next[uq], u, q, one);
    set_neighbour(m, t.next[vp], v, p, two);
    if (at) {
        at[p] = at[u] = one;
        at[q] = at[v] = two;
    }
}

static ordo_status push_side(making *k, ordo_u32 side)
{
    const ordo_status status = mesh_room(&k->stack, &k->stack_capacity, k->stacked + 1, sizeof *k->stack);
    if (!status)
        k->stack[k->stacked++] = side;
    return status;
}

/* Flips until every edge but those on segments is locally Delaunay. */
static ordo_status make_delaunay(making *k)
{
    mesh *m = k->m;
    ordo_status status = ORDO_OK;
    for (ordo_u64 first = 0; first < 3 * m->triangles && !status; first++) {
        status = push_side(k, (ordo_u32)(first / 3 * 4 + first % 3));
        while (k->stacked && !status) {
            const ordo_u32 side = k->stack[--k->stacked], other = m->triangle[side >> 2].next[side & 3];
            const mesh_triangle *t = &m->triangle[side >> 2];
            if (other == MESH_NONE || t->segment[side & 3] != ORDO_NO_SEGMENT)
                continue;
            const geometry_point p = m->point[t->corner[side & 3]];
            if (!in_conflict(m->point, &m->triangle[other], p))
                continue;
            flip(m, NULL, side);
            for (ordo_u32 i = 0; i <= 2 && !status; i += 2) {
                status = push_side(k, (side >> 2) * 4 + i);
                if (!status)
                    status = push_side(k, other * 4 + i);
            }
        }
    }
    return status;
}

/* ---- segments ---- */

static ordo_status add_piece(mesh *m, ordo_u32 a, ordo_u32 b, ordo_u32 source)
{
    const ordo_status status = mesh_room(&m->piece, &m->piece_capacity, m->pieces + 1, sizeof *m->piece);
    if (!status)
        m->piece[m->pieces++] = (mesh_piece){a, b, source};
    return status;
}

/* Puts a piece on the edge at a side: on both of its sides. */
static void put_piece(mesh *m, ordo_u32 side, ordo_u32 piece)
{
    mesh_triangle *t = &m->triangle[side >> 2];
    const int i = (int)(side & 3);
    t->segment[i] = piece;
    if (t->next[i] != MESH_NONE) {
        mesh_triangle *n = &m->triangle[t->next[i]];
        n->segment[side_of(n, t->corner[side_before(i)], t->corner[side_after(i)])] = piece;
    }
}

/* Makes an edge a new piece. */
static ordo_status mark_side(const making *k, ordo_u32 side, ordo_u32 source)
{
    mesh *m = k->m;
    mesh_triangle *t = &m->triangle[side >> 2];
    const int i = (int)(side & 3);
    const ordo_u32 a = t->corner[side_after(i)], b = t->corner[side_before(i)];
    if (t->segment[i] != ORDO_NO_SEGMENT)
        return ordo_fail(ORDO_ERR_INPUT, "segments %llu and %llu overlap, expected segments that meet in points alone",
                         (ull)(m->piece[t->segment[i]].source + k->in->id_base), (ull)(source + k->in->id_base));
    put_piece(m, side, (ordo_u32)m->pieces);
    return add_piece(m, a, b, source);
}

/* Collects the edges that the line from a to b crosses, beginning with side `from` opposite to a, to the first point on
 * it, *end. */
static ordo_status find_crossed(making *k, ordo_u32 a, ordo_u32 b, ordo_u32 from, ordo_u32 source, ordo_u64 *count,
                                ordo_u32 *end)
{
    const mesh *m = k->m;
    for (ordo_u32 side = from;;) {
        const mesh_triangle *t = &m->triangle[side >> 2];
        const int i = (int)(side & 3);
        const ordo_u32 u = t->corner[side_after(i)], v = t->corner[side_before(i)];
        if (t->segment[i] != ORDO_NO_SEGMENT)
            return ordo_fail(ORDO_ERR_INPUT,
                             "segments %llu and %llu cross, expected segments that meet in points alone",
                             (ull)(m->piece[t->segment[i]].source + k->in->id_base), (ull)(source + k->in->id_base));
        const ordo_status status = mesh_room(&k->queue, &k->queue_capacity, *count + 1, 2 * sizeof *k->queue);
        if (status)
            return status;
        k->queue[2 * *count] = u;
        k->queue[2 * *count + 1] = v;
        ++*count;
        const mesh_triangle *n = &m->triangle[t->next[i]];
        const int j = side_of(n, v, u);
        *end = n->corner[j];
        const double w = geometry_orient(m->point[a], m->point[b], m->point[*end]);
        if (!(w > 0) && !(w < 0))
            return ORDO_OK;
        side = t->next[i] * 4 + (ordo_u32)(w > 0 ? side_after(j) : side_before(j));
    }
}

/* Flips the edges in the queue until none crosses the line from a to b. Each is turned once its two triangles form a
 * convex quadrilateral; if it still crosses, it waits for its neighbours. */
static ordo_status flip_crossed(making *k, ordo_u32 a, ordo_u32 b, ordo_u64 count)
{
    const mesh *m = k->m;
    const ordo_u64 places = count;
    for (ordo_u64 head = 0; count > 0; head = (head + 1) % places) {
        const ordo_u32 u = k->queue[2 * head], v = k->queue[2 * head + 1], side = find_side(k, u, v);
        const mesh_triangle *t = &m->triangle[side >> 2];
        const int i = (int)(side & 3);
        const mesh_triangle *n = &m->triangle[t->next[i]];
        ordo_u32 one = u, two = v;
        const ordo_u32 p = t->corner[i], q = n->corner[side_of(n, v, u)];
        bool crosses = true;
        if (geometry_orient(m->point[p], m->point[u], m->point[q]) > 0 &&
            geometry_orient(m->point[q], m->point[v], m->point[p]) > 0) {
            flip(k->m, k->at, side);
            const double of_p = geometry_orient(m->point[a], m->point[b], m->point[p]);
            const double of_q = geometry_orient(m->point[a], m->point[b], m->point[q]);
            crosses = (of_p > 0 && of_q < 0) || (of_p < 0 && of_q > 0);
            one = p;
            two = q;
        }
        const ordo_u64 tail = (head + count) % places;
        k->queue[2 * tail] = one;
        k->queue[2 * tail + 1] = two;
        count -= !crosses;
    }
    return ORDO_OK;
}

/* The next point on the way from a to b: an edge that leads there is *side; or, where the way crosses triangles, *side
 * is the first crossed one, and the result is MESH_NONE. */
static ordo_u32 next_point(const making *k, ordo_u32 a, ordo_u32 b, ordo_u32 *side)
{
    const mesh *m = k->m;
    const geometry_point from = m->point[a], to = m->point[b];
    for (ordo_u32 t = k->at[a];; t = m->triangle[t].next[side_after(corner_of(&m->triangle[t], a))]) {
        const mesh_triangle *of = &m->triangle[t];
        const int i = corner_of(of, a);
        const geometry_point u = m->point[of->corner[side_after(i)]], v = m->point[of->corner[side_before(i)]];
        const double of_u = geometry_orient(from, to, u);
        if (!(of_u < 0) && !(of_u > 0) &&
            ((u.x - from.x) * (to.x - from.x) > 0 || (u.y - from.y) * (to.y - from.y) > 0)) {
            *side = t * 4 + (ordo_u32)side_before(i);
            return of->corner[side_after(i)];
        }
        if (of_u < 0 && geometry_orient(from, to, v) > 0) {
            *side = t * 4 + (ordo_u32)i;
            return MESH_NONE;
        }
    }
}

/* Makes the segment from a to b a union of edges. */
static ordo_status insert_segment(making *k, ordo_u32 a, ordo_u32 b, ordo_u32 source)
{
    ordo_status status = ORDO_OK;
    while (a != b && !status) {
        ordo_u32 side, end = next_point(k, a, b, &side);
        if (end == MESH_NONE) {
            ordo_u64 count = 0;
            status = find_crossed(k, a, b, side, source, &count, &end);
            if (!status)
                status = flip_crossed(k, a, end, count);
            side = status ? side : find_side(k, a, end);
        }
        if (!status)
            status = mark_side(k, side, source);
        a = end;
    }
    return status;
}

static ordo_status insert_segments(making *k)
{
    const ordo_mesh *in = k->in;
    ordo_status status = ORDO_OK;
    for (ordo_u64 s = 0; s < in->segments && !status; s++) {
        const ordo_u32 a = k->same[in->ends[2 * s]], b = k->same[in->ends[2 * s + 1]];
        if (a == b)
            status = ordo_fail(ORDO_ERR_INPUT, "segment %llu: found two equal ends, expected different points",
                               (ull)(s + in->id_base));
        else
            status = insert_segment(k, a, b, (ordo_u32)s);
    }
    return status;
}

static int by_place(const void *a, const void *b)
{
    const geometry_point *l = a, *r = b;
    if (l->x < r->x || l->x > r->x)
        return l->x < r->x ? -1 : 1;
    return l->y < r->y ? -1 : l->y > r->y;
}

typedef struct hull_point {
    geometry_point at; /* first: by_place() compares it */
    ordo_u32 point;
} hull_point;

/* Appends the hull's half that lies on the right of the way from first to last. */
static void half_hull(const hull_point *p, ordo_u64 first, ordo_u64 last, ordo_u32 *hull, ordo_u64 *count)
{
    const ordo_u64 begin = *count;
    for (ordo_u64 i = first;; i = first < last ? i + 1 : i - 1) {
        while (*count >= begin + 2 && !(geometry_orient(p[hull[*count - 2]].at, p[hull[*count - 1]].at, p[i].at) > 0))
            --*count;
        hull[(*count)++] = (ordo_u32)i;
        if (i == last)
            break;
    }
    --*count; /* the last one begins the other half */
}

/* Whether points, sorted, lie on one line, but for `near`. */
static bool on_one_line(const hull_point *p, ordo_u64 n, double near)
{
    const double most = near * sqrt(square_distance(p[0].at, p[n - 1].at));
    for (ordo_u64 i = 0; i < n; i++)
        if (fabs(geometry_orient(p[0].at, p[n - 1].at, p[i].at)) > most)
            return false;
    return true;
}

/* The sides of the convex hull as segments, by Andrew's monotone chain (1979): points sorted by x, then y. */
static ordo_status insert_hull(making *k, double near)
{
    const mesh *m = k->m;
    hull_point *p = ordo_alloc(m->given, sizeof *p);
    ordo_u32 *hull = ordo_alloc(2 * m->given + 2, sizeof *hull);
    ordo_status status = p && hull ? ORDO_OK : ORDO_ERR_MEMORY;
    ordo_u64 n = 0, count = 0;
    for (ordo_u64 i = 0; i < m->given && !status; i++)
        if (k->same[i] == i)
            p[n++] = (hull_point){m->point[i], (ordo_u32)i};
    if (!status) {
        qsort(p, n, sizeof *p, by_place);
        if (on_one_line(p, n, near))
            status = ordo_fail(ORDO_ERR_INPUT, "all points lie on one line, expected an area");
    }
    if (!status) {
        half_hull(p, 0, n - 1, hull, &count);
        half_hull(p, n - 1, 0, hull, &count);
    }
    for (ordo_u64 i = 0; i < count && !status; i++)
        status = insert_segment(k, p[hull[i]].point, p[hull[(i + 1) % count]].point, ORDO_NO_SEGMENT);
    ordo_free(p);
    ordo_free(hull);
    return status;
}

/* Moves sides of the hull inwards where the triangle at them is thinner than `near`: its other two sides become the
 * boundary. Points that were to lie on one line lie beside it by a last bit; nothing could refine the triangles between
 * them and the hull's side. Pieces have the area on their left. */
static ordo_status drop_slivers(making *k, double near)
{
    mesh *m = k->m;
    find_triangles_of_points(k);
    ordo_status status = ORDO_OK;
    for (ordo_u64 s = 0; s < m->pieces && !status;) {
        const ordo_u32 a = m->piece[s].a, b = m->piece[s].b, side = find_side(k, a, b);
        const mesh_triangle *t = &m->triangle[side >> 2];
        const int i = (int)(side & 3), bc = side_after(i), ca = side_before(i);
        const ordo_u32 c = t->corner[i];
        if (geometry_orient(m->point[a], m->point[b], m->point[c]) >
                near * sqrt(square_distance(m->point[a], m->point[b])) ||
            t->segment[bc] != ORDO_NO_SEGMENT || t->segment[ca] != ORDO_NO_SEGMENT) {
            s++;
            continue;
        }
        put_piece(m, side, ORDO_NO_SEGMENT);
        put_piece(m, (side & ~3u) + (ordo_u32)ca, (ordo_u32)s);
        put_piece(m, (side & ~3u) + (ordo_u32)bc, (ordo_u32)m->pieces);
        m->piece[s] = (mesh_piece){a, c, ORDO_NO_SEGMENT};
        status = add_piece(m, c, b, ORDO_NO_SEGMENT);
    }
    return status;
}

/* ---- what is outside ---- */

/* Removes the triangles that are reached from t without crossing a segment: their first corner becomes MESH_NONE. */
static ordo_status remove_from(making *k, ordo_u32 first)
{
    mesh *m = k->m;
    k->stacked = 0;
    if (m->triangle[first].corner[0] == MESH_NONE)
        return ORDO_OK;
    m->triangle[first].corner[0] = MESH_NONE;
    ordo_status status = push_side(k, first);
    while (k->stacked && !status) {
        const mesh_triangle *t = &m->triangle[k->stack[--k->stacked]];
        for (int i = 0; i < 3 && !status; i++) {
            const ordo_u32 next = t->next[i];
            if (next == MESH_NONE || t->segment[i] != ORDO_NO_SEGMENT || m->triangle[next].corner[0] == MESH_NONE)
                continue;
            m->triangle[next].corner[0] = MESH_NONE;
            status = push_side(k, next);
        }
    }
    return status;
}

static ordo_status remove_holes(making *k)
{
    ordo_status status = ORDO_OK;
    for (ordo_u64 h = 0; h < k->in->holes && !status; h++) {
        const geometry_point hole = {k->in->hole_xy[2 * h], k->in->hole_xy[2 * h + 1]};
        if (!geometry_allows(hole.x) || !geometry_allows(hole.y))
            return ordo_fail(ORDO_ERR_INPUT, "hole %llu: found a coordinate beyond 2^200 or below 2^-200",
                             (ull)(h + k->in->id_base));
        for (ordo_u32 t = 0; t < k->m->triangles && !status; t++) {
            const mesh_triangle *of = &k->m->triangle[t];
            if (of->corner[0] == MESH_NONE)
                continue;
            bool in = true;
            for (int i = 0; i < 3; i++)
                in = in && !(inner_side(k->m->point, of, i, hole) < 0);
            if (in) {
                status = remove_from(k, t);
                break;
            }
        }
    }
    return status;
}

/* Renumbers the triangles that are left. Every piece must have one. */
static ordo_status keep_rest(making *k)
{
    mesh *m = k->m;
    ordo_u32 *number = ordo_alloc(m->triangles, sizeof *number);
    ordo_u8 *seen = ordo_alloc_zero(m->pieces + 1, 1);
    ordo_status status = number && seen ? ORDO_OK : ORDO_ERR_MEMORY;
    ordo_u32 left = 0;
    for (ordo_u64 t = 0; t < m->triangles && !status; t++)
        number[t] = m->triangle[t].corner[0] == MESH_NONE ? MESH_NONE : left++;
    for (ordo_u64 t = 0; t < m->triangles && !status; t++) {
        if (number[t] == MESH_NONE)
            continue;
        mesh_triangle *of = &m->triangle[number[t]];
        *of = m->triangle[t];
        for (int i = 0; i < 3; i++) {
            of->next[i] = of->next[i] == MESH_NONE ? MESH_NONE : number[of->next[i]];
            if (of->segment[i] != ORDO_NO_SEGMENT)
                seen[of->segment[i]] = 1;
        }
    }
    if (!status && left == 0)
        status = ordo_fail(ORDO_ERR_INPUT, "the segments enclose no area");
    for (ordo_u64 s = 0; s < m->pieces && !status; s++)
        if (!seen[s])
            status = ordo_fail(ORDO_ERR_INPUT,
                               "segment %llu: found outside of the area that segments enclose, or in a hole; expected "
                               "inside or on its boundary",
                               (ull)(m->piece[s].source + k->in->id_base));
    m->triangles = left;
    m->points = m->given;
    ordo_free(number);
    ordo_free(seen);
    return status;
}

static ordo_status from_points(making *k)
{
    mesh *m = k->m;
    double size;
    const geometry_point middle = extent(k->in, &size);
    if (!(size > 0))
        return ordo_fail(ORDO_ERR_INPUT, "all points are the same, expected an area");
    begin_with_square(m, middle, size);
    ordo_status status = cavity_room(&k->c, 64);
    if (!status)
        status = insert_points(k, middle, size);
    if (status)
        return status;
    find_triangles_of_points(k);
    const double near = 0x1p-46 * size;
    status = k->in->segments ? insert_segments(k) : insert_hull(k, near);
    if (!status)
        status = make_delaunay(k);
    if (!status && !k->in->segments)
        status = drop_slivers(k, near);
    for (ordo_u64 t = 0; t < m->triangles && !status; t++)
        for (int i = 0; i < 3 && !status; i++)
            if (m->triangle[t].corner[0] != MESH_NONE && m->triangle[t].corner[i] >= m->given)
                status = remove_from(k, (ordo_u32)t);
    if (!status)
        status = remove_holes(k);
    return status ? status : keep_rest(k);
}

/* ---- triangles that are given ---- */

static int by_ends(const void *a, const void *b)
{
    const mesh_edge *l = a, *r = b;
    if (l->low != r->low)
        return l->low < r->low ? -1 : 1;
    if (l->high != r->high)
        return l->high < r->high ? -1 : 1;
    return l->side < r->side ? -1 : l->side > r->side;
}

void mesh_sort_edges(mesh_edge *edge, ordo_u64 count)
{
    qsort(edge, count, sizeof *edge, by_ends);
}

mesh_edge *mesh_edges(const ordo_u32 *corners, ordo_u64 triangles)
{
    mesh_edge *edge = ordo_alloc(3 * triangles, sizeof *edge);
    if (!edge)
        return NULL;
    for (ordo_u64 t = 0; t < triangles; t++)
        for (int i = 0; i < 3; i++) {
            const ordo_u32 a = corners[3 * t + (ordo_u64)side_after(i)], b = corners[3 * t + (ordo_u64)side_before(i)];
            edge[3 * t + (ordo_u64)i] = (mesh_edge){a < b ? a : b, a < b ? b : a, (ordo_u32)(4 * t) + (ordo_u32)i};
        }
    mesh_sort_edges(edge, 3 * triangles);
    return edge;
}

/* The triangles, counterclockwise. */
static ordo_status take_triangles(making *k)
{
    mesh *m = k->m;
    const ordo_u32 none = ORDO_NO_SEGMENT;
    for (ordo_u64 t = 0; t < k->in->triangles; t++) {
        const ordo_u32 *c = &k->in->corners[3 * t];
        const double turn = geometry_orient(m->point[c[0]], m->point[c[1]], m->point[c[2]]);
        if (!(turn > 0) && !(turn < 0))
            return ordo_fail(ORDO_ERR_INPUT, "triangle %llu: found no area, expected corners that are not on one line",
                             (ull)(t + k->in->id_base));
        m->triangle[t] = (mesh_triangle){{c[0], turn > 0 ? c[1] : c[2], turn > 0 ? c[2] : c[1]},
                                         {MESH_NONE, MESH_NONE, MESH_NONE},
                                         {none, none, none},
                                         0};
    }
    m->triangles = k->in->triangles;
    return ORDO_OK;
}

static bool has_side(const mesh_triangle *t, ordo_u32 a, ordo_u32 b)
{
    const int i = side_of(t, a, b);
    return t->corner[side_after(i)] == a && t->corner[side_before(i)] == b;
}

/* Joins triangles across common edges. Their directions are those of m->triangle, not those of `edge`. */
static ordo_status join_triangles(const making *k, const mesh_edge *edge)
{
    mesh *m = k->m;
    for (ordo_u64 e = 0; e + 1 < 3 * m->triangles; e++) {
        if (edge[e].low != edge[e + 1].low || edge[e].high != edge[e + 1].high)
            continue;
        const ordo_u32 one = edge[e].side >> 2, two = edge[e + 1].side >> 2;
        mesh_triangle *t = &m->triangle[one], *n = &m->triangle[two];
        const bool up = has_side(t, edge[e].low, edge[e].high);
        const ordo_u32 a = up ? edge[e].low : edge[e].high, b = up ? edge[e].high : edge[e].low;
        const int i = side_of(t, a, b), j = side_of(n, b, a);
        if (!has_side(n, b, a) || t->next[i] != MESH_NONE || n->next[j] != MESH_NONE)
            return ordo_fail(
                ORDO_ERR_INPUT,
                "triangles %llu and %llu lie on the same side of an edge, or a third has it, too; expected "
                "triangles that do not overlap",
                (ull)(one + k->in->id_base), (ull)(two + k->in->id_base));
        t->next[i] = two;
        n->next[j] = one;
    }
    return ORDO_OK;
}

/* Puts the segments on the edges that they are. */
static ordo_status mark_segments(making *k, const mesh_edge *edge)
{
    mesh *m = k->m;
    ordo_status status = ORDO_OK;
    for (ordo_u64 s = 0; s < k->in->segments && !status; s++) {
        const ordo_u32 a = k->in->ends[2 * s], b = k->in->ends[2 * s + 1];
        const mesh_edge wanted = {a < b ? a : b, a < b ? b : a, 0};
        ordo_u64 low = 0, high = 3 * m->triangles;
        while (low < high) {
            const ordo_u64 middle = (low + high) / 2;
            if (by_ends(&edge[middle], &wanted) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == 3 * m->triangles || edge[low].low != wanted.low || edge[low].high != wanted.high)
            return ordo_fail(ORDO_ERR_INPUT, "segment %llu: found no triangle that has it as an edge, expected one",
                             (ull)(s + k->in->id_base));
        const mesh_triangle *t = &m->triangle[edge[low].side >> 2];
        const int i = has_side(t, a, b) ? side_of(t, a, b) : side_of(t, b, a);
        status = mark_side(k, (edge[low].side >> 2) * 4 + (ordo_u32)i, (ordo_u32)s);
    }
    for (ordo_u64 t = 0; t < m->triangles && !status; t++)
        for (int i = 0; i < 3 && !status; i++)
            if (m->triangle[t].next[i] == MESH_NONE && m->triangle[t].segment[i] == ORDO_NO_SEGMENT)
                status = ordo_fail(ORDO_ERR_INPUT,
                                   "triangle %llu: found an edge of no other triangle, expected it to be a segment",
                                   (ull)(t + k->in->id_base));
    return status;
}

static ordo_status from_triangles(making *k)
{
    ordo_status status = take_triangles(k);
    if (status)
        return status;
    mesh_edge *edge = mesh_edges(k->in->corners, k->in->triangles);
    if (!edge)
        return ORDO_ERR_MEMORY;
    status = join_triangles(k, edge);
    if (!status)
        status = mark_segments(k, edge);
    ordo_free(edge);
    return status ? status : make_delaunay(k);
}

/* ---- all of it ---- */

void mesh_free(mesh *m)
{
    ordo_free(m->point);
    ordo_free(m->triangle);
    ordo_free(m->piece);
    *m = (mesh){0};
}

ordo_status mesh_triangulate(const ordo_mesh *in, mesh *out)
{
    ordo_status status = check_points(in);
    if (status)
        return status;
    const ordo_u64 n = in->points, triangles = in->triangles ? in->triangles : 2 * (n + CORNERS);
    making k = {.in = in, .m = out};
    out->given = out->points = n;
    out->point = ordo_alloc(n + CORNERS, sizeof *out->point);
    out->triangle = ordo_alloc(triangles, sizeof *out->triangle);
    k.at = ordo_alloc(n + CORNERS, sizeof *k.at);
    k.same = ordo_alloc(n, sizeof *k.same);
    status = out->point && out->triangle && k.at && k.same ? ORDO_OK : ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; i < n && !status; i++)
        out->point[i] = (geometry_point){in->xy[2 * i], in->xy[2 * i + 1]};
    if (!status)
        status = in->triangles ? from_triangles(&k) : from_points(&k);
    ordo_free(k.at);
    ordo_free(k.same);
    ordo_free(k.queue);
    ordo_free(k.stack);
    ordo_free(k.c.inside);
    ordo_free(k.c.stack);
    ordo_free(k.c.ring);
    return status;
}
