/* mesh_test.c -- mesh refinement: predicates against whole numbers of 128 bits, on degenerate points above all; meshes
 * of many kinds by 1, 2 and 4 threads, which must be the same and pass verification; that verification finds what is
 * wrong; what is refused; allocations that fail; and claims and growth (<ordo/scheduler/claim.h>, growth.h) alone.
 *
 * MESH_DEVICE=cuda: on a GPU as well, whose meshes and counts must be those of the CPU.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/mesh.h>
#include <ordo/scheduler/claim.h>
#include <ordo/scheduler/growth.h>
#include <ordo/scheduler/team.h>
#include <ordo/watch.h>

#include "apps/mesh/predicates.h"
#include "tests/common/suite.h"

/* A random number from a state (splitmix; Steele, Lea and Flood 2014). */
static ordo_u64 draw(ordo_u64 *state)
{
    ordo_u64 x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* NULL: none but the CPU. */
static const char *other_device(void)
{
    return getenv("MESH_DEVICE");
}

/* ---- predicates ---- */

__extension__ typedef __int128 wide;

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

static int wide_orient(const ordo_i64 p[][2])
{
    const wide det = (wide)(p[0][0] - p[2][0]) * (p[1][1] - p[2][1]) - (wide)(p[0][1] - p[2][1]) * (p[1][0] - p[2][0]);
    return (det > 0) - (det < 0);
}

static int wide_circle(const ordo_i64 p[][2])
{
    wide det = 0;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const wide x = p[i][0] - p[3][0], y = p[i][1] - p[3][1];
        const wide cross =
            (wide)(p[j][0] - p[3][0]) * (p[k][1] - p[3][1]) - (wide)(p[j][1] - p[3][1]) * (p[k][0] - p[3][0]);
        det += (x * x + y * y) * cross;
    }
    return (det > 0) - (det < 0);
}

static geometry_point scaled(const ordo_i64 p[2], int power)
{
    return (geometry_point){ldexp((double)p[0], power), ldexp((double)p[1], power)};
}

static void compare_predicates(const ordo_i64 p[4][2], bool circle)
{
    static const int powers[] = {0, -53, 100, -190};
    for (size_t i = 0; i < sizeof powers / sizeof powers[0]; i++) {
        geometry_point q[4];
        for (int j = 0; j < 4; j++)
            q[j] = scaled(p[j], powers[i]);
        ck_assert_int_eq(sign_of(geometry_orient(q[0], q[1], q[2])), wide_orient(p));
        if (circle)
            ck_assert_int_eq(sign_of(geometry_in_circle(q[0], q[1], q[2], q[3])), wide_circle(p));
    }
}

START_TEST(test_small_grid)
{
    /* few places: most fours have points on one line, on one circle, or twice */
    ordo_u64 state = 1;
    int zero_orient = 0, zero_circle = 0;
    for (int trial = 0; trial < 200000 / SLOWER; trial++) {
        ordo_i64 p[4][2];
        for (int i = 0; i < 8; i++)
            p[i / 2][i % 2] = (ordo_i64)(draw(&state) % 7) - 3;
        compare_predicates(p, true);
        zero_orient += wide_orient(p) == 0;
        zero_circle += wide_circle(p) == 0;
    }
    ck_assert_int_gt(zero_orient, 10000 / SLOWER);
    ck_assert_int_gt(zero_circle, 10000 / SLOWER);
}
END_TEST

START_TEST(test_near_line)
{
    /* Around the middle of two points that are far away, a place of the last bit apart: no rounded product is right. */
    const ordo_i64 unit = (ordo_i64)1 << 52;
    for (ordo_i64 x = -64; x < 64; x++)
        for (ordo_i64 y = -64; y < 64; y++) {
            const ordo_i64 p[4][2] = {{unit / 2 + x, unit / 2 + y}, {unit, unit}, {2 * unit, 2 * unit}, {0, 0}};
            compare_predicates(p, false);
        }
}
END_TEST

START_TEST(test_near_circle)
{
    /* 25-bit points on a circle (a Pythagorean triple, turned), moved by the last bits */
    const ordo_i64 side[4][2] = {{3, 4}, {-4, 3}, {-5, 0}, {4, -3}};
    const ordo_i64 unit = 6000011;
    ordo_u64 state = 2;
    int zero = 0;
    for (int trial = 0; trial < 100000 / SLOWER; trial++) {
        ordo_i64 p[4][2];
        for (int i = 0; i < 8; i++)
            p[i / 2][i % 2] =
                side[i / 2][i % 2] * unit + (ordo_i64)(draw(&state) % 3 == 0) * ((ordo_i64)(draw(&state) % 3) - 1);
        compare_predicates(p, true);
        zero += wide_circle(p) == 0;
    }
    ck_assert_int_gt(zero, 100 / SLOWER);
}
END_TEST

/* ---- meshes ---- */

static ordo_mesh *new_mesh(ordo_u64 points, ordo_u64 segments)
{
    ordo_mesh *m = ordo_alloc_zero(1, sizeof *m);
    ck_assert_ptr_nonnull(m);
    m->points = points;
    m->segments = segments;
    m->xy = ordo_alloc(2 * points, sizeof *m->xy);
    m->ends = ordo_alloc(2 * segments, sizeof *m->ends);
    ck_assert(m->xy && m->ends);
    return m;
}

static void set_point(ordo_mesh *m, ordo_u64 p, double x, double y)
{
    m->xy[2 * p] = x;
    m->xy[2 * p + 1] = y;
}

static ordo_mesh *from_lists(const double *xy, ordo_u64 points, const ordo_u32 *ends, ordo_u64 segments)
{
    ordo_mesh *m = new_mesh(points, segments);
    memcpy(m->xy, xy, 2 * points * sizeof *xy);
    if (segments)
        memcpy(m->ends, ends, 2 * segments * sizeof *ends);
    return m;
}

static double chance(ordo_u64 *state)
{
    return ldexp((double)(draw(state) >> 11), -53);
}

/* A square grid, and with `turned` the same by an angle, so that its circles are not quite circles. */
static ordo_mesh *grid(int side, bool turned)
{
    ordo_mesh *m = new_mesh((ordo_u64)side * (ordo_u64)side, 0);
    for (int i = 0; i < side * side; i++) {
        const double x = i % side, y = i / side;
        set_point(m, (ordo_u64)i, turned ? x * 0.8 - y * 0.6 + 0.1 : x, turned ? x * 0.6 + y * 0.8 : y);
    }
    return m;
}

static ordo_mesh *cloud(ordo_u64 points, ordo_u64 seed, double places)
{
    ordo_mesh *m = new_mesh(points, 0);
    for (ordo_u64 i = 0; i < 2 * points; i++) { /* with few places: many points twice, many on one line */
        const double x = chance(&seed);
        m->xy[i] = places > 0 ? floor(x * places) : x;
    }
    return m;
}

static ordo_mesh *ring(ordo_u64 points)
{
    ordo_mesh *m = new_mesh(points, 0);
    for (ordo_u64 i = 0; i < points; i++)
        set_point(m, i, cos((double)i * 6.283185307179586 / (double)points),
                  sin((double)i * 6.283185307179586 / (double)points));
    return m;
}

/* A square with a square hole, a wall across, and points inside of the hole and outside, which are not used. */
static ordo_mesh *with_hole(void)
{
    static const double xy[] = {0, 0, 10, 0, 10, 10, 0, 10, 3, 3, 6, 3, 6, 6, 3, 6, 8, 1, 8, 9, 4, 4, 20, 20, 8, 5};
    static const ordo_u32 ends[] = {0, 1, 1, 2, 2, 3, 3, 0, 4, 5, 5, 6, 6, 7, 7, 4, 8, 9};
    ordo_mesh *m = from_lists(xy, 13, ends, 9);
    m->holes = 1;
    m->hole_xy = ordo_alloc(2, sizeof *m->hole_xy);
    m->hole_xy[0] = m->hole_xy[1] = 4.5;
    return m;
}

/* Two walls of a triangle at 8 degrees, and one from the corner between them. */
static ordo_mesh *wedge(void)
{
    static const double xy[] = {0, 0, 10, 0, 9, 1.26, 5, 0.4};
    static const ordo_u32 ends[] = {0, 1, 1, 2, 2, 0, 0, 3};
    return from_lists(xy, 4, ends, 4);
}

/* Spokes from the middle of a polygon: angles of 20 degrees. */
static ordo_mesh *wheel(void)
{
    enum { SPOKES = 18 };
    ordo_mesh *m = new_mesh(SPOKES + 1, 2 * SPOKES);
    set_point(m, SPOKES, 0.25, 0.125);
    for (ordo_u32 i = 0; i < SPOKES; i++) {
        set_point(m, i, 0.25 + 3 * cos(i * 6.283185307179586 / SPOKES),
                  0.125 + 3 * sin(i * 6.283185307179586 / SPOKES));
        const ordo_u32 pairs[] = {i, (i + 1) % SPOKES, i, SPOKES};
        memcpy(m->ends + 4 * i, pairs, sizeof pairs);
    }
    return m;
}

/* Random walls that do not cross: rows of random zigzags in a box. */
static ordo_mesh *zigzags(ordo_u64 seed)
{
    enum { ROWS = 6, STEPS = 9 };
    ordo_mesh *m = new_mesh(4 + ROWS * STEPS, 4 + ROWS * (STEPS - 1));
    for (ordo_u32 i = 0; i < 4; i++) {
        set_point(m, i, i == 1 || i == 2 ? STEPS : -1, i >= 2 ? ROWS : -1);
        m->ends[2 * i] = i;
        m->ends[2 * i + 1] = (i + 1) % 4;
    }
    ordo_u64 s = 4;
    for (ordo_u32 i = 0; i < ROWS * STEPS; i++) {
        set_point(m, 4 + i, i % STEPS + 0.2 * chance(&seed), i / STEPS + 0.9 * chance(&seed));
        if (i % STEPS) {
            m->ends[2 * s] = 3 + i;
            m->ends[2 * s++ + 1] = 4 + i;
        }
    }
    return m;
}

static ordo_mesh *random_square(ordo_u64 points, ordo_u64 seed)
{
    ordo_mesh *m;
    ck_assert_int_eq(ordo_mesh_random(points, seed, &m), ORDO_OK);
    return m;
}

enum { KINDS = 14 };
static ordo_mesh *kind(int which)
{
    switch (which) {
    case 0:
        return random_square(4, 1);
    case 1:
        return random_square(60, 2);
    case 2:
        return random_square(4000 / SLOWER, 3);
    case 3:
        return grid(12, false);
    case 4:
        return grid(12, true);
    case 5:
        return cloud(300, 4, 6);
    case 6:
        return cloud(400, 5, 0);
    case 7:
        return ring(64);
    case 8:
        return with_hole();
    case 9:
        return wedge();
    case 10:
        return wheel();
    case 11:
        return zigzags(6);
    case 12:
        return zigzags(7);
    default:
        return cloud(3, 8, 0);
    }
}

static bool same_mesh(const ordo_mesh *a, const ordo_mesh *b)
{
    return a->points == b->points && a->triangles == b->triangles && a->segments == b->segments &&
           !memcmp(a->xy, b->xy, 2 * a->points * sizeof *a->xy) &&
           !memcmp(a->corners, b->corners, 3 * a->triangles * sizeof *a->corners) &&
           !memcmp(a->ends, b->ends, 2 * a->segments * sizeof *a->ends);
}

static ordo_mesh *refined(const ordo_mesh *in, const ordo_refine_options *options, ordo_refine_stats *stats)
{
    ordo_mesh *out;
    ck_assert_msg(!ordo_mesh_refine(in, options, &out, stats), "%s", ordo_last_error());
    ck_assert_msg(!ordo_mesh_verify(in, options, out), "%s", ordo_last_error());
    return out;
}

/* On the other device, where there is one. */
static void compare_device(const ordo_mesh *in, const ordo_refine_options *options, const ordo_mesh *expected,
                           const ordo_refine_stats *on_cpu)
{
    if (!other_device())
        return;
    ordo_refine_options there = *options;
    ordo_refine_stats stats;
    there.device = other_device();
    ordo_mesh *out = refined(in, &there, &stats);
    ck_assert_str_eq(on_cpu->device, "cpu");
    ck_assert_str_eq(stats.device, there.device);
    ck_assert_msg(same_mesh(expected, out), "device %s makes another mesh", there.device);
    ck_assert_uint_eq(stats.triangles, on_cpu->triangles);
    ck_assert_uint_eq(stats.bad, on_cpu->bad);
    ck_assert_uint_eq(stats.supersteps, on_cpu->supersteps);
    ck_assert_uint_eq(stats.tried, on_cpu->tried);
    ck_assert_uint_eq(stats.won, on_cpu->won);
    ck_assert_uint_eq(stats.kept, on_cpu->kept);
    ck_assert_uint_eq(stats.stuck, on_cpu->stuck);
    ck_assert(!(stats.least_angle < on_cpu->least_angle || stats.least_angle > on_cpu->least_angle));
    ordo_mesh_free(out);
}

START_TEST(test_kinds)
{
    static const int threads[] = {1, 2, 4};
    static const double angles[] = {-1, 20.7, 30, 33};
    ordo_mesh *in = kind(_i);
    for (int a = 0; a < 4; a++) {
        ordo_mesh *first = NULL;
        for (int i = 0; i < 3; i += BRIEFER < 3 ? 1 : 2) {
            const ordo_refine_options options = {.min_angle = angles[a], .threads = threads[i]};
            ordo_refine_stats stats;
            ordo_mesh *out = refined(in, &options, &stats);
            ck_assert_uint_eq(stats.stuck, 0);
            ck_assert_uint_eq(out->points, in->points + stats.won);
            ck_assert_uint_ge(stats.tried, stats.won);
            if (stats.kept == 0 && angles[a] > 0)
                ck_assert(stats.least_angle >= angles[a] - 1e-7);
            ck_assert_msg(!first || same_mesh(first, out), "%d threads make another mesh", threads[i]);
            if (first)
                ordo_mesh_free(out);
            else
                first = out;
            if (i == 0)
                compare_device(in, &options, out, &stats);
        }
        /* A refined mesh, as triangles, needs no more refining. */
        ordo_refine_stats again;
        const ordo_refine_options options = {.min_angle = angles[a], .threads = 2};
        ordo_mesh as_input = *first;
        as_input.part_of = NULL;
        ordo_mesh *twice = refined(&as_input, &options, &again);
        if (again.kept == 0)
            ck_assert_uint_eq(again.won, 0);
        ordo_mesh_free(twice);
        ordo_mesh_free(first);
    }
    ordo_mesh_free(in);
}
END_TEST

/* The segments of `of`, the triangulation of a cloud, and of its other edges each with a chance of `part`. */
static ordo_mesh *with_walls(const ordo_mesh *of, ordo_u64 given, double part, ordo_u64 state)
{
    ordo_mesh *m = new_mesh(given, of->segments + 3 * of->triangles);
    memcpy(m->xy, of->xy, 2 * given * sizeof *m->xy);
    memcpy(m->ends, of->ends, 2 * of->segments * sizeof *m->ends);
    m->segments = of->segments;
    for (ordo_u64 t = 0; t < of->triangles; t++)
        for (ordo_u64 i = 0; i < 3; i++) {
            const ordo_u32 a = of->corners[3 * t + i], b = of->corners[3 * t + (i + 1) % 3];
            bool boundary = false;
            for (ordo_u64 g = 0; g < of->segments; g++)
                boundary = boundary || of->ends[2 * g] + of->ends[2 * g + 1] == a + b;
            if (a > b || boundary || chance(&state) > part) /* sums that are equal leave some more out */
                continue;
            m->ends[2 * m->segments] = a;
            m->ends[2 * m->segments++ + 1] = b;
        }
    return m;
}

START_TEST(test_walls)
{
    /* Segments that meet at any angle, some of a degree or less. */
    static const double part[] = {0.1, 0.5, 1};
    const ordo_u64 points = 6 + 7 * (ordo_u64)_i % 40;
    ordo_mesh *points_alone = cloud(points, 100 + (ordo_u64)_i, 0);
    const ordo_refine_options none = {.min_angle = -1, .threads = 1}, options = {.threads = 1 + _i % 4};
    ordo_mesh *plain = refined(points_alone, &none, NULL);
    ordo_mesh *in = with_walls(plain, points, part[_i % 3], (ordo_u64)_i);
    ordo_refine_stats stats;
    ordo_mesh *out = refined(in, &options, &stats);
    ck_assert_uint_eq(stats.stuck, 0);
    compare_device(in, &options, out, &stats);
    ordo_mesh_free(out);
    ordo_mesh_free(in);
    ordo_mesh_free(plain);
    ordo_mesh_free(points_alone);
}
END_TEST

START_TEST(test_area)
{
    ordo_mesh *in = with_hole();
    const ordo_refine_options options = {.max_area = 0.01, .threads = 2};
    ordo_refine_stats stats;
    ordo_mesh *out = refined(in, &options, &stats);
    ck_assert_uint_ge(out->triangles, (100 - 9) * 100);
    compare_device(in, &options, out, &stats);
    const ordo_refine_options only_area = {.min_angle = -1, .max_area = 0.25, .threads = 2};
    ordo_mesh *coarse = refined(in, &only_area, &stats);
    ck_assert_uint_ge(coarse->triangles, (100 - 9) * 4);
    ck_assert_uint_lt(coarse->triangles, out->triangles);
    ordo_mesh_free(coarse);
    ordo_mesh_free(out);
    ordo_mesh_free(in);
}
END_TEST

/* ---- verification ---- */

static void finds(const ordo_mesh *in, const ordo_mesh *out, const char *what)
{
    const ordo_refine_options options = {.threads = 1};
    ck_assert_int_eq(ordo_mesh_verify(in, &options, out), ORDO_ERR_VERIFY);
    ck_assert_msg(strstr(ordo_last_error(), what) != NULL, "'%s' is not about '%s'", ordo_last_error(), what);
}

START_TEST(test_verify)
{
    ordo_mesh *in = with_hole();
    const ordo_refine_options options = {.threads = 1};
    ordo_mesh *out = refined(in, &options, NULL);
    const ordo_mesh whole = *out;
    ordo_u32 *c = out->corners;

    out->triangles--; /* a triangle is missing */
    finds(in, out, "");
    *out = whole;
    ordo_u32 kept = c[0];
    c[0] = c[1];
    c[1] = kept; /* turned over */
    finds(in, out, "not counterclockwise");
    kept = c[0];
    c[0] = c[1];
    c[1] = kept;

    out->segments--;
    finds(in, out, "");
    *out = whole;

    const double x = out->xy[0];
    out->xy[0] = 0.001;
    finds(in, out, "points of the input");
    out->xy[0] = x;

    const ordo_u64 new = in->points; /* a point that was added, moved along and beside its segment, or inside */
    for (int axis = 0; axis < 2; axis++) {
        const double before = out->xy[2 * new + (ordo_u64)axis];
        out->xy[2 * new + (ordo_u64)axis] += 1.0;
        finds(in, out, "");
        out->xy[2 * new + (ordo_u64)axis] = before;
    }
    ordo_refine_options more = {.min_angle = 34, .threads = 1};
    ck_assert_int_eq(ordo_mesh_verify(in, &more, out), ORDO_ERR_VERIFY);
    more = (ordo_refine_options){.max_area = 0.001, .threads = 1};
    ck_assert_int_eq(ordo_mesh_verify(in, &more, out), ORDO_ERR_VERIFY);

    ordo_mesh other = *in; /* of an input without the hole, and with another wall */
    other.holes = 0;
    finds(&other, out, "hole");
    ordo_u32 ends[20];
    memcpy(ends, in->ends, 18 * sizeof *ends);
    ends[18] = 0;
    ends[19] = 4;
    other = *in;
    other.segments = 10;
    other.ends = ends;
    finds(&other, out, "no union of edges");
    ck_assert_msg(!ordo_mesh_verify(in, &options, out), "%s", ordo_last_error());
    ordo_mesh_free(out);
    ordo_mesh_free(in);
}
END_TEST

START_TEST(test_verify_delaunay)
{
    /* four points: the wrong diagonal */
    static const double xy[] = {0, 0, 4, 1, 5, 4, 1, 4};
    ordo_mesh *in = from_lists(xy, 4, NULL, 0);
    const ordo_refine_options options = {.min_angle = -1};
    ordo_mesh *out = refined(in, &options, NULL);
    ck_assert_uint_eq(out->triangles, 2);
    const bool up = (out->corners[0] == 0 || out->corners[1] == 0 || out->corners[2] == 0) &&
                    (out->corners[3] == 0 || out->corners[4] == 0 || out->corners[5] == 0);
    static const ordo_u32 with[] = {0, 1, 2, 0, 2, 3}, without[] = {0, 1, 3, 1, 2, 3};
    memcpy(out->corners, up ? without : with, sizeof with);
    ck_assert_int_eq(ordo_mesh_verify(in, &options, out), ORDO_ERR_VERIFY);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "circle"));
    memcpy(out->corners, up ? with : without, sizeof with);
    ck_assert_int_eq(ordo_mesh_verify(in, &options, out), ORDO_OK);
    ordo_mesh_free(out);
    ordo_mesh_free(in);
}
END_TEST

/* ---- what is refused ---- */

static void refuses(ordo_mesh *in, const ordo_refine_options *options, ordo_status expected, const char *what)
{
    ordo_mesh *out = NULL;
    ck_assert_int_eq(ordo_mesh_refine(in, options, &out, NULL), expected);
    ck_assert_msg(strstr(ordo_last_error(), what) != NULL, "'%s' is not about '%s'", ordo_last_error(), what);
    ck_assert_ptr_null(out);
    ordo_mesh_free(in);
}

START_TEST(test_refused)
{
    static const double line[] = {0, 0, 1, 1, 2, 2, 5, 5}, square[] = {0, 0, 4, 0, 4, 4, 0, 4, 1, 1, 9, 9};
    static const double same[] = {1, 2, 1, 2, 1, 2}, far[] = {0, 0, 1, 0, 1e300, 1};
    static const ordo_u32 crossing[] = {0, 1, 1, 2, 2, 3, 3, 0, 0, 2, 1, 3};
    static const ordo_u32 twice[] = {0, 1, 1, 2, 2, 3, 3, 0, 1, 0}, open[] = {0, 1, 1, 2, 2, 3};
    static const ordo_u32 outside[] = {0, 1, 1, 2, 2, 3, 3, 0, 2, 5};
    refuses(from_lists(line, 4, NULL, 0), NULL, ORDO_ERR_INPUT, "one line");
    refuses(from_lists(same, 3, NULL, 0), NULL, ORDO_ERR_INPUT, "same");
    refuses(from_lists(line, 2, NULL, 0), NULL, ORDO_ERR_INPUT, "3 at least");
    refuses(from_lists(far, 3, NULL, 0), NULL, ORDO_ERR_INPUT, "2^200");
    refuses(from_lists(square, 5, crossing, 6), NULL, ORDO_ERR_INPUT, "cross");
    refuses(from_lists(square, 5, twice, 5), NULL, ORDO_ERR_INPUT, "overlap");
    refuses(from_lists(square, 5, open, 3), NULL, ORDO_ERR_INPUT, "enclose no area");
    refuses(from_lists(square, 6, outside, 5), NULL, ORDO_ERR_INPUT, "outside");
    const ordo_refine_options steep = {.min_angle = 35}, negative = {.max_area = -1}, unknown = {.reserved = {1}};
    refuses(random_square(10, 1), &steep, ORDO_ERR_USAGE, "34");
    refuses(random_square(10, 1), &negative, ORDO_ERR_USAGE, "max_area");
    refuses(random_square(10, 1), &unknown, ORDO_ERR_USAGE, "reserved");
    const ordo_refine_options few = {.max_triangles = 100, .device = other_device()}, nowhere = {.device = "abacus"};
    refuses(random_square(100, 1), &few, ORDO_ERR_MEMORY, "more than 100 triangles");
    refuses(random_square(100, 1), &nowhere, ORDO_ERR_UNKNOWN, "abacus");
}
END_TEST

START_TEST(test_triangles_refused)
{
    static const double xy[] = {0, 0, 4, 0, 4, 4, 0, 4, 2, 0};
    static const ordo_u32 ends[] = {0, 1, 1, 2, 2, 3, 3, 0};
    static ordo_u32 flat[] = {0, 4, 1}, three[] = {0, 1, 2, 0, 2, 3, 0, 1, 3}, free_edge[] = {0, 1, 2};
    static const struct {
        ordo_u32 *corners;
        ordo_u64 triangles;
        const char *what;
    } cases[] = {{flat, 1, "no area"}, {three, 3, "overlap"}, {free_edge, 1, "no triangle that has it"}};
    for (int i = 0; i < 3; i++) {
        ordo_mesh *in = from_lists(xy, 5, ends, 4), *out = NULL;
        in->corners = cases[i].corners;
        in->triangles = cases[i].triangles;
        ck_assert_int_eq(ordo_mesh_refine(in, NULL, &out, NULL), ORDO_ERR_INPUT);
        ck_assert_msg(strstr(ordo_last_error(), cases[i].what) != NULL, "%s", ordo_last_error());
        in->corners = NULL;
        ordo_mesh_free(in);
    }
}
END_TEST

START_TEST(test_memory)
{
    ordo_mesh *in = with_hole(), *out;
    const ordo_refine_options options = {.threads = 2, .device = other_device()};
    const ordo_u64 before = ordo_memory_now();
    for (ordo_u64 n = 1;; n++) {
        ordo_memory_fail_after(n);
        const ordo_status status = ordo_mesh_refine(in, &options, &out, NULL);
        ordo_memory_fail_after(0);
        if (!status)
            break;
        ck_assert_int_eq(status, ORDO_ERR_MEMORY);
        ck_assert_uint_eq(ordo_memory_now(), before);
        ck_assert_uint_lt(n, 10000);
    }
    ordo_mesh_free(out);
    ordo_mesh_free(in);
    ck_assert_uint_lt(ordo_memory_now(), before);
}
END_TEST

/* ---- another device ---- */

static int stop_at(void *arg, const char *phase, ordo_u64 done, ordo_u64 total)
{
    (void)total;
    return strcmp(phase, "refining") == 0 && done >= *(const ordo_u64 *)arg;
}

START_TEST(test_device)
{
    /* Cavities that are larger than any place but the last ones': the middle of a ring has all of it. */
    enum { POINTS = 600, LARGE = 30000 };
    if (!other_device())
        return;
    ordo_mesh *in = ring(POINTS);
    const ordo_refine_options options = {.threads = 1};
    ordo_refine_stats stats;
    ordo_mesh *out = refined(in, &options, &stats);
    compare_device(in, &options, out, &stats);
    ordo_mesh_free(out);
    ordo_mesh_free(in);
    /* Lists of several levels of sums, whose items take turns; arrays that grow. */
    in = random_square(LARGE, 9);
    out = refined(in, &options, &stats);
    compare_device(in, &options, out, &stats);
    ordo_mesh_free(out);

    static const ordo_u64 stops[] = {0, 1, 7};
    for (int i = 0; i < 3; i++) {
        const ordo_watch watch = {.report = stop_at, .arg = (void *)&stops[i], .interval = 1e-9};
        const ordo_refine_options there = {.device = other_device()};
        ck_assert_int_eq(ordo_watch_set(&watch), ORDO_OK);
        ck_assert_int_eq(ordo_mesh_refine(in, &there, &out, NULL), ORDO_ERR_CANCELLED);
        ck_assert_int_eq(ordo_watch_set(NULL), ORDO_OK);
    }

    ck_assert_int_eq(setenv("FAKE_MEMORY", "20000000", 1), 0); /* of the test's runtime: bytes of the device */
    ordo_refine_options there = {.device = other_device()};
    ck_assert_int_eq(ordo_mesh_refine(in, &there, &out, NULL), ORDO_ERR_MEMORY);
    ck_assert_msg(strstr(ordo_last_error(), "bytes, ") != NULL, "%s", ordo_last_error());
    there.device = "auto";
    ck_assert_int_eq(ordo_mesh_refine(in, &there, &out, &stats), ORDO_OK);
    ck_assert_str_eq(stats.device, "cpu");
    ck_assert_ptr_nonnull(strstr(stats.fallback, "bytes, "));
    ordo_mesh_free(out);
    ordo_mesh_free(in);
}
END_TEST

/* ---- claims and growth ---- */

enum { TARGETS = 64, ITEMS = 32, WANTED = 4, MEMBERS = 4, ROUNDS = 400 };

typedef struct race {
    ordo_team *team;
    ordo_u64 mark[TARGETS], held[TARGETS];
    ordo_u32 wants[ITEMS][WANTED];
    bool won[ITEMS];
    ordo_growth growth;
    ordo_growth_demand demand[MEMBERS];
    ordo_u32 *list; /* grows: winners write their items */
    ordo_status status;
} race;

static void race_member(void *arg, int member)
{
    race *r = arg;
    ordo_u64 begin, end;
    ordo_split(ITEMS, MEMBERS, member, &begin, &end);
    for (ordo_u32 round = 0; round < ROUNDS / SLOWER; round++) {
        if (member == 0) {
            ordo_u64 state = round + 1;
            for (int i = 0; i < ITEMS * WANTED; i++)
                r->wants[i / WANTED][i % WANTED] = (ordo_u32)(draw(&state) % TARGETS);
            memset(r->held, 0, sizeof r->held);
        }
        ordo_team_barrier(r->team);
        for (ordo_u64 i = begin; i < end; i++)
            for (int w = 0; w < WANTED; w++)
                ordo_claim_mark(&r->mark[r->wants[i][w]], ordo_claim_key(round, ordo_claim_priority((ordo_u32)i)));
        ordo_team_barrier(r->team);
        for (ordo_u64 i = begin; i < end; i++) {
            r->won[i] = true;
            for (int w = 0; w < WANTED; w++)
                r->won[i] = r->won[i] && ordo_claim_holds(&r->mark[r->wants[i][w]],
                                                          ordo_claim_key(round, ordo_claim_priority((ordo_u32)i)));
            r->growth.demand[member].count += r->won[i];
        }
        ordo_team_barrier(r->team);
        if (member == 0)
            r->status = ordo_growth_make_room(&r->growth);
        ordo_team_barrier(r->team);
        ordo_u64 at = ordo_growth_first(&r->growth, member);
        for (ordo_u64 i = begin; i < end; i++) {
            if (!r->won[i])
                continue;
            r->list[at++] = (ordo_u32)i;
            for (int w = 0; w < WANTED; w++)
                r->held[r->wants[i][w]] = i; /* plain: a winner is alone there; TSan looks, too */
        }
        ordo_team_barrier(r->team);
        if (member == 0)
            ordo_growth_count(&r->growth);
        ordo_team_barrier(r->team);
    }
}

START_TEST(test_claims)
{
    static race r;
    for (int i = 0; i < TARGETS; i++)
        r.mark[i] = ORDO_UNCLAIMED;
    r.growth = (ordo_growth){.what = "winners",
                             .limit = 1 << 20,
                             .members = MEMBERS,
                             .demand = r.demand,
                             .array = {{(void **)&r.list, sizeof *r.list}}};
    ck_assert_int_eq(ordo_team_lease(MEMBERS, &r.team), ORDO_OK);
    ordo_team_run(r.team, race_member, &r);
    ordo_team_return(r.team);
    ck_assert_int_eq(r.status, ORDO_OK);
    ck_assert_uint_ge(r.growth.count, ROUNDS / SLOWER); /* a winner in each, at least */
    /* One round after another: who won is known from the keys alone. */
    ordo_u64 at = 0;
    for (ordo_u32 round = 0; round < ROUNDS / SLOWER; round++) {
        ordo_u64 state = round + 1;
        ordo_u32 wants[ITEMS][WANTED];
        for (int i = 0; i < ITEMS * WANTED; i++)
            wants[i / WANTED][i % WANTED] = (ordo_u32)(draw(&state) % TARGETS);
        for (ordo_u32 i = 0; i < ITEMS; i++) {
            bool wins = true;
            for (int w = 0; w < WANTED; w++)
                for (ordo_u32 j = 0; j < ITEMS; j++)
                    for (int v = 0; v < WANTED; v++)
                        wins = wins && (wants[j][v] != wants[i][w] || ordo_claim_priority(j) >= ordo_claim_priority(i));
            if (wins)
                ck_assert_uint_eq(r.list[at++], i);
        }
    }
    ck_assert_uint_eq(at, r.growth.count);
    ordo_free(r.list);
}
END_TEST

START_TEST(test_growth_limit)
{
    ordo_u64 *list = NULL;
    ordo_growth_demand demand[2] = {{.count = 3}, {.count = 4}};
    ordo_growth g = {
        .what = "numbers", .limit = 10, .members = 2, .demand = demand, .array = {{(void **)&list, sizeof *list}}};
    ck_assert_int_eq(ordo_growth_make_room(&g), ORDO_OK);
    ck_assert_uint_eq(ordo_growth_first(&g, 0), 0);
    ck_assert_uint_eq(ordo_growth_first(&g, 1), 3);
    ck_assert_uint_eq(g.capacity, 10);
    ordo_growth_count(&g);
    ck_assert_uint_eq(g.count, 7);
    demand[1].count = 3;
    ck_assert_int_eq(ordo_growth_make_room(&g), ORDO_OK);
    demand[0].count = 1;
    ck_assert_int_eq(ordo_growth_make_room(&g), ORDO_ERR_MEMORY);
    ck_assert_str_eq(ordo_last_error(), "found a need of 11 numbers, expected at most 10");
    ck_assert_uint_eq(g.count, 7);
    ordo_free(list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mesh");
    TCase *tests = tcase_create("mesh");
    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, test_small_grid);
    tcase_add_test(tests, test_near_line);
    tcase_add_test(tests, test_near_circle);
    tcase_add_loop_test(tests, test_kinds, 0, KINDS);
    tcase_add_loop_test(tests, test_walls, 0, 48 / SLOWER);
    tcase_add_test(tests, test_area);
    tcase_add_test(tests, test_verify);
    tcase_add_test(tests, test_verify_delaunay);
    tcase_add_test(tests, test_refused);
    tcase_add_test(tests, test_triangles_refused);
    if (!UNDER_TSAN)
        tcase_add_test(tests, test_memory);
    tcase_add_test(tests, test_device);
    tcase_add_test(tests, test_claims);
    tcase_add_test(tests, test_growth_limit);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
