/* generate_lattice.c -- generated graphs that are lattices: grid, mesh, road. Vertices are numbered x first, then y,
 * then z; every vertex gives the bonds to those after it.
 *
 *   grid     bonds to the 4 (depth 1) or 6 nearest, each kept with the same probability
 *   mesh     bonds to the 26 around: the matrix pattern of a 27-point stencil
 *   road     a square lattice with ends moved by up to 0.4 either way (edges still do not cross) whose bonds are kept
 *            with probability 0.63: just above the percolation threshold of 1/2, so one component has nearly all
 *            vertices, paths are long and winding, and the average degree is 2.5. Weights are lengths
 *
 * Not done: periodic lattices (tori); roads of several classes.
 */
#include "generate.h"

#include <math.h>

/* The coordinates of a vertex. */
typedef struct point {
    ordo_u64 x, y, z;
} point;

static inline point point_of(const ordo_maker *m, ordo_u64 v)
{
    return (point){v % m->width, v / m->width % m->height, v / m->width / m->height};
}

static inline void next_point(const ordo_maker *m, point *p)
{
    if (++p->x < m->width)
        return;
    p->x = 0;
    if (++p->y < m->height)
        return;
    p->y = 0;
    p->z++;
}

/* ---- grid and road ---- */

static const double all_bonds = 9007199254740992.0; /* 2^53 */

/* In thousandths of the lattice's width. Whole numbers: the same on every machine. */
static inline ordo_u32 length_of(const ordo_i32 *place, ordo_u64 u, ordo_u64 v)
{
    double x = (double)place[2 * u] - (double)place[2 * v], y = (double)place[2 * u + 1] - (double)place[2 * v + 1];
    return (ordo_u32)(sqrt(x * x + y * y) + 0.5); /* at least 200: the displacement is at most 0.4 of a cell */
}

static inline void put_bond(const ordo_maker *m, ordo_u64 u, ordo_u64 v, bool ends_only, ordo_batch *to)
{
    if (ordo_maker_hash(m, ORDO_USE_BOND, u << 32 | v) >> 11 >= m->kept)
        return;
    ordo_batch_put(to, u, v, m->lengths && !ends_only ? length_of(m->vertices.coordinate, u, v) : 0);
}

static void make_bonds(const ordo_maker *m, ordo_u64 begin, ordo_u64 end, bool ends_only, ordo_batch *to)
{
    ordo_u64 layer = m->width * m->height;
    point p = point_of(m, begin);
    for (ordo_u64 u = begin; u < end; u++, next_point(m, &p)) {
        if (p.x + 1 < m->width && u + 1 < m->n)
            put_bond(m, u, u + 1, ends_only, to);
        if (p.y + 1 < m->height && u + m->width < m->n) /* the last row of a road may be short */
            put_bond(m, u, u + m->width, ends_only, to);
        if (p.z + 1 < m->depth)
            put_bond(m, u, u + layer, ends_only, to);
    }
}

static void set_box(ordo_maker *m)
{
    m->width = m->o->width;
    m->height = m->o->height;
    m->depth = m->o->depth ? m->o->depth : 1;
}

static void say_box(ordo_maker *m)
{
    ordo_maker_describe(m, "%s --width %llu --height %llu", m->o->kind, (unsigned long long)m->width,
                        (unsigned long long)m->height);
    if (m->depth > 1)
        ordo_maker_describe(m, " --depth %llu", (unsigned long long)m->depth);
}

ordo_status ordo_make_grid(ordo_maker *m)
{
    double keep = m->o->keep;
    if (!(keep >= 0 && keep <= 1))
        return ordo_fail(ORDO_ERR_USAGE, "grid: found keep %g, expected a probability above 0, and up to 1", keep);
    bool all = !(keep > 0 && keep < 1);
    set_box(m);
    ordo_status status = ordo_maker_box(m, 0);
    if (status)
        return status;
    m->items = m->n;
    m->edges = 3 * m->n - m->n / m->width - m->n / m->height - m->n / m->depth;
    if (!all)
        m->edges = (ordo_u64)(keep * (double)m->edges);
    m->mirror = ORDO_MIRROR_SAME;
    m->kept = (ordo_u64)(all ? all_bonds : keep * all_bonds);
    m->random = !all;
    m->make = make_bonds;
    say_box(m);
    if (!all)
        ordo_maker_say_real(m, " --keep ", keep);
    return ORDO_OK;
}

/* ---- road ---- */

/* The largest: about a thousand times the square root of the largest number of vertices. */
_Static_assert((ordo_u64)66000 * 66000 > ORDO_MAX_VERTICES && 66000 * 1000 <= INT32_MAX, "coordinates of roads fit");

static void place_vertices(void *arg, int member)
{
    ordo_maker *m = arg;
    ordo_i32 *place = (ordo_i32 *)(size_t)m->vertices.coordinate;
    ordo_u64 begin, end;
    ordo_split(m->n, ordo_team_size(m->team), member, &begin, &end);
    point p = point_of(m, begin);
    for (ordo_u64 v = begin; v < end; v++, next_point(m, &p)) {
        ordo_u64 random = ordo_maker_hash(m, ORDO_USE_PLACE, v);
        place[2 * v] = (ordo_i32)(1000 * p.x + (random & 0xffffffff) % 801) - 400;
        place[2 * v + 1] = (ordo_i32)(1000 * p.y + (random >> 32) % 801) - 400;
    }
}

static ordo_status place_road(ordo_maker *m)
{
    ordo_status status = ordo_graph_team(m->o->threads, m->n, &m->team);
    if (status)
        return status;
    m->vertices.coordinate = ordo_alloc(m->n, 2 * sizeof *m->vertices.coordinate);
    if (m->vertices.coordinate)
        ordo_team_run(m->team, place_vertices, m);
    ordo_team_return(m->team);
    return m->vertices.coordinate ? ORDO_OK : ORDO_ERR_MEMORY;
}

ordo_status ordo_make_road(ordo_maker *m)
{
    m->n = m->items = m->o->vertices;
    m->width = m->n ? (ordo_u64)sqrt((double)m->n) : 1;
    m->height = m->n ? (m->n - 1) / m->width + 1 : 1;
    m->depth = 1;
    m->edges = m->n + m->n / 4;
    m->mirror = ORDO_MIRROR_SAME;
    m->kept = (ordo_u64)(0.63 * all_bonds);
    m->random = m->lengths = true;
    m->make = make_bonds;
    m->place = place_road;
    ordo_maker_describe(m, "road --vertices %llu", (unsigned long long)m->n);
    return ORDO_OK;
}

/* ---- mesh ---- */

static void make_mesh(const ordo_maker *m, ordo_u64 begin, ordo_u64 end, bool ends_only, ordo_batch *to)
{
    (void)ends_only;
    point p = point_of(m, begin);
    for (ordo_u64 u = begin; u < end; u++, next_point(m, &p)) {
        ordo_u64 x0 = p.x ? p.x - 1 : 0, x1 = p.x + 1 < m->width ? p.x + 1 : p.x;
        ordo_u64 y0 = p.y ? p.y - 1 : 0, y1 = p.y + 1 < m->height ? p.y + 1 : p.y;
        ordo_u64 z1 = p.z + 1 < m->depth ? p.z + 1 : p.z;
        for (ordo_u64 z = p.z; z <= z1; z++)
            for (ordo_u64 y = y0; y <= y1; y++)
                for (ordo_u64 x = x0; x <= x1; x++) {
                    ordo_u64 v = x + m->width * (y + m->height * z);
                    if (v > u) /* earlier vertices gave the bond to this one */
                        ordo_batch_put(to, u, v, 0);
                }
    }
}

ordo_status ordo_make_mesh(ordo_maker *m)
{
    set_box(m);
    ordo_status status = ordo_maker_box(m, 0);
    if (status)
        return status;
    m->items = m->n;
    m->edges = ((3 * m->width - 2) * (3 * m->height - 2) * (3 * m->depth - 2) - m->n) / 2;
    m->mirror = ORDO_MIRROR_SAME;
    m->make = make_mesh;
    say_box(m);
    return ORDO_OK;
}
