/* generate_test.c -- made graphs: the same whatever the number of threads, and what each kind says of itself.
 *
 * Numbers of vertices and edges come from formulas, degrees and neighbours are counted in the rows, symmetry is checked
 * by building every graph again from its own edges; urand is compared with edges that the GAP Benchmark Suite's own
 * converter wrote.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/graph.h>
#include <ordo/memory.h>
#include <ordo/scheduler/team.h>

#include "framework/graph/twister.h"

#include "tests/common/suite.h"

/* ---- helpers ---- */

/* For edges and vertices: ck_assert takes a note of each time that it was there, by a system call. */
#define EVERY(_condition)                                                                                              \
    do {                                                                                                               \
        if (!(_condition))                                                                                             \
            ck_abort_msg("not so: %s", #_condition);                                                                   \
    } while (0)

static ordo_graph *must_make(ordo_generate_options o)
{
    ordo_graph *g = NULL;
    ck_assert_msg(ordo_graph_generate(&o, &g) == ORDO_OK, "%s: %s", o.kind, ordo_last_error());
    return g;
}

static ordo_u64 degree_of(const ordo_csr *g, ordo_u64 u)
{
    return g->row[u + 1] - g->row[u];
}

/* Rebuilt from its own edges with the check on: both directions are there, of the same weight. */
static void check_symmetric(const ordo_graph *g)
{
    const ordo_csr *out = ordo_graph_out(g);
    ck_assert(ordo_graph_symmetric(g));
    ordo_edge_entry *list = malloc((out->m + 1) * sizeof *list);
    for (ordo_u64 u = 0, e = 0; u < out->n; u++)
        for (; e < out->row[u + 1]; e++)
            list[e] = (ordo_edge_entry){(ordo_vid)u, out->head[e * out->stride], weight_word(out, e)};
    ordo_graph *again = NULL;
    ck_assert_msg(ordo_graph_from_edges(out->n, list, out->m, out->weight_type, ORDO_SYMMETRIC, 2, &again) == ORDO_OK,
                  "%s: %s", info_of(g).source, ordo_last_error());
    ck_assert_uint_eq(info_of(g).checksum, info_of(again).checksum);
    ordo_graph_free(again);
    free(list);
}

/* No loops, no parallel edges. Rows are sorted. */
static void check_simple(const ordo_graph *g)
{
    const ordo_csr *out = ordo_graph_out(g);
    for (ordo_u64 u = 0; u < out->n; u++)
        for (ordo_eid e = out->row[u]; e < out->row[u + 1]; e++) {
            ordo_vid v = out->head[e * out->stride];
            EVERY(v != u && (e == out->row[u] || out->head[(e - 1) * out->stride] < v));
        }
}

/* Vertices that s reaches, itself counted. */
static ordo_u64 reached_from(const ordo_csr *g, ordo_vid s, bool *seen, ordo_vid *queue)
{
    ordo_u64 size = 0;
    seen[s] = true;
    queue[size++] = s;
    for (ordo_u64 at = 0; at < size; at++)
        for (ordo_eid e = g->row[queue[at]]; e < g->row[queue[at] + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            if (!seen[v])
                queue[size++] = v;
            seen[v] = true;
        }
    return size;
}

static ordo_u64 giant_component(const ordo_csr *g)
{
    ordo_vid *queue = malloc(((size_t)g->n + 1) * sizeof *queue);
    bool *seen = calloc((size_t)g->n + 1, 1);
    ordo_u64 giant = 0;
    for (ordo_vid s = 0; s < g->n; s++) {
        ordo_u64 size = seen[s] ? 0 : reached_from(g, s, seen, queue);
        giant = size > giant ? size : giant;
    }
    free(seen);
    free(queue);
    return giant;
}

/* ---- all kinds ---- */

enum { FREE_COUNT = -1 };

static const struct {
    ordo_generate_options o;
    long long n, m;         /* FREE_COUNT: no formula */
    bool symmetric, random; /* random: another seed makes another shape */
    bool capacities;        /* weights are random, too, without being drawn by the builder */
} all[] = {
    {{.kind = "rmat", .scale = 14}, 1 << 14, 16 << 14, false, true, false},
    {{.kind = "rmat", .scale = 13, .degree = 3, .a = .4, .b = .3, .c = .2, .d = .1}, 8192, 3 << 13, false, true, false},
    {{.kind = "rmat", .scale = 0}, 1, 16, false, false, false},
    {{.kind = "kron", .scale = 13, .degree = 9}, 8192, FREE_COUNT, true, true, false},
    {{.kind = "kron", .scale = 0}, 1, 0, true, false, false},
    {{.kind = "urand", .scale = 15, .degree = 17}, 1 << 15, FREE_COUNT, true, true, false},
    {{.kind = "urand", .scale = 0}, 1, 0, true, false, false},
    {{.kind = "uniform", .vertices = 40001}, 40001, 160004, false, true, false},
    {{.kind = "uniform", .vertices = 1}, 1, 4, false, false, false},
    {{.kind = "uniform", .vertices = 0}, 0, 0, false, false, false},
    {{.kind = "grid", .width = 301, .height = 203}, 301 * 203, 2 * (300 * 203 + 301 * 202), true, false, false},
    {{.kind = "grid", .width = 301, .height = 203, .keep = .5}, 301 * 203, FREE_COUNT, true, true, false},
    {{.kind = "grid", .width = 31, .height = 45, .depth = 37},
     31 * 45 * 37,
     2 * (30 * 45 * 37 + 31 * 44 * 37 + 31 * 45 * 36),
     true,
     false,
     false},
    {{.kind = "grid", .width = 31, .height = 45, .depth = 37, .keep = .9}, 31 * 45 * 37, FREE_COUNT, true, true, false},
    {{.kind = "grid", .width = 1, .height = 1}, 1, 0, true, false, false},
    {{.kind = "mesh", .width = 17, .height = 19, .depth = 23},
     17 * 19 * 23,
     (3 * 17 - 2) * (3 * 19 - 2) * (3 * 23 - 2) - 17 * 19 * 23,
     true,
     false,
     false},
    {{.kind = "mesh", .width = 1, .height = 5, .depth = 2}, 10, 13 * 4 - 10, true, false, false},
    {{.kind = "mesh", .width = 4, .height = 3}, 12, 10 * 7 - 12, true, false, false},
    {{.kind = "road", .vertices = 100003}, 100003, FREE_COUNT, true, true, false},
    {{.kind = "road", .vertices = 1}, 1, 0, true, false, false},
    {{.kind = "road", .vertices = 0}, 0, 0, true, false, false},
    {{.kind = "rlg", .width = 300, .height = 100, .edges.high = 99}, 30002, 600 + 3 * 300 * 99, false, true, true},
    {{.kind = "rlg", .width = 2, .height = 3}, 8, 4 + 2 * 2 * 2, false, false, false},
    {{.kind = "rlg", .width = 1, .height = 1}, 3, 2, false, false, false},
    {{.kind = "genrmf", .width = 17, .depth = 90, .edges.high = 99},
     17 * 17 * 90,
     4 * 17 * 16 * 90 + 17 * 17 * 89,
     false,
     true,
     true},
    {{.kind = "genrmf", .width = 1, .depth = 7}, 7, 6, false, false, false},
    {{.kind = "genrmf", .width = 2}, 4, 8, false, false, false},
    {{.kind = "star", .vertices = 100000}, 100000, 2 * 99999, true, false, false},
    {{.kind = "star", .vertices = 1}, 1, 0, true, false, false},
    {{.kind = "star", .vertices = 0}, 0, 0, true, false, false},
    {{.kind = "path", .vertices = 100000}, 100000, 2 * 99999, true, false, false},
    {{.kind = "path", .vertices = 0}, 0, 0, true, false, false},
    {{.kind = "complete", .vertices = 600}, 600, 600 * 599, true, false, false},
    {{.kind = "complete", .vertices = 601}, 601, 601 * 600, true, false, false},
    {{.kind = "complete", .vertices = 2}, 2, 2, true, false, false},
    {{.kind = "complete", .vertices = 1}, 1, 0, true, false, false},
    {{.kind = "complete", .vertices = 0}, 0, 0, true, false, false},
    {{.kind = "cliques", .vertices = 10010, .width = 20}, 10010, 500 * 20 * 19 + 10 * 9 + 2 * 500, true, false, false},
    {{.kind = "cliques", .vertices = 10, .width = 1}, 10, 18, true, false, false},
    {{.kind = "cliques", .vertices = 7, .width = 4000000000}, 7, 42, true, false, false},
    {{.kind = "cliques", .vertices = 0, .width = 3}, 0, 0, true, false, false},
};
enum { ALL = sizeof all / sizeof all[0] };

static void check_one(ordo_generate_options o, int i)
{
    static const int members[] = {1, 2, 5};
    ordo_u64 checksum = 0;
    ordo_u64 held = ordo_memory_now();
    for (int k = 0; k < 3; k += BRIEFER < 3 ? 1 : 2) {
        o.threads = members[k];
        ordo_graph *g = must_make(o);
        ordo_graph_info info = info_of(g);
        if (k == 0) {
            checksum = info.checksum;
            ck_assert_uint_eq(info.vertices, (ordo_u64)all[i].n);
            if (all[i].m != FREE_COUNT)
                ck_assert_msg(info.edges == (ordo_u64)all[i].m, "%s: %llu edges, expected %llu", info.source,
                              (unsigned long long)info.edges, (unsigned long long)all[i].m);
            ck_assert(info.symmetric == all[i].symmetric);
            if (all[i].symmetric && BRIEFER <= 2)
                check_symmetric(g);
            ck_assert_str_eq(info.format, "generated");
            ck_assert(strncmp(info.source, o.kind, strlen(o.kind)) == 0 && info.source[strlen(o.kind)] == ' ');
        }
        ck_assert_msg(info.checksum == checksum, "%s: differs with %d threads", info.source, o.threads);
        ordo_graph_free(g);
    }
    o.edges.seed++;
    ordo_graph *g = must_make(o);
    ordo_graph_info info = info_of(g);
    bool weighed = info.weight_type != ORDO_NONE && info.edges > 0;
    if (all[i].random || (weighed && info.weight_min < info.weight_max))
        ck_assert_msg(info.checksum != checksum, "%s: the seed means nothing", info.source);
    else if (!weighed)
        ck_assert_msg(info.checksum == checksum, "%s: the seed means something", info.source);
    ordo_graph_free(g);
    ck_assert_uint_eq(ordo_memory_now(), held);
}

START_TEST(every_kind_is_deterministic)
{
    ordo_generate_options o = all[_i].o;
    o.edges.seed = 3;
    check_one(o, _i);
}
END_TEST

/* Weights do not change the shape, and both directions have the same. */
START_TEST(every_kind_takes_weights)
{
    if (UNDER_TSAN && _i % 3) /* the threads are those of every_kind_is_deterministic */
        return;
    ordo_generate_options o = all[_i].o;
    o.edges.seed = 7;
    ordo_graph *bare = must_make(o);
    bool has = info_of(bare).weight_type != ORDO_NONE, road = strcmp(o.kind, "road") == 0;
    ck_assert(has == (road || all[_i].capacities));
    o.edges.low = 100;
    o.edges.high = 120;
    if (SLOWER == 1) /* under a sanitizer once is enough: every_kind_is_deterministic */
        check_one(o, _i);
    ordo_graph *g = must_make(o);
    ordo_graph_info info = info_of(g);
    const ordo_csr *a = ordo_graph_out(bare), *b = ordo_graph_out(g);
    ck_assert_int_eq(b->weight_type, ORDO_U32);
    ck_assert_uint_eq(a->m, b->m);
    for (ordo_eid e = 0; e < a->m; e += BRIEFER) {
        EVERY(a->head[e * a->stride] == b->head[e * b->stride]);
        if (!road && o.kind[0] != 'r' && strcmp(o.kind, "genrmf") != 0)
            EVERY(weight_word(b, e) >= 100 && weight_word(b, e) <= 120);
    }
    ck_assert((strstr(info.source, "--weights uniform:100:120") != NULL) == !road);
    if (!road)
        ck_assert_ptr_nonnull(strstr(info.source, "--seed 7"));
    ordo_graph_free(g);
    o.edges.weights = ORDO_WEIGHTS_DROP;
    g = must_make(o);
    ck_assert_int_eq(ordo_graph_out(g)->weight_type, ORDO_NONE);
    ck_assert_uint_eq(ordo_graph_out(g)->m, a->m);
    ck_assert_ptr_null(strstr(info_of(g).source, "--weights"));
    ordo_graph_free(g);
    ordo_graph_free(bare);
}
END_TEST

/* ---- each kind ---- */

START_TEST(rmat_is_as_told)
{
    ordo_graph *g = must_make((ordo_generate_options){.kind = "rmat", .scale = 13, .edges = {.low = 3, .high = 8}});
    ordo_graph_info info = info_of(g);
    ck_assert_uint_eq(info.edges, 16u << 13);
    ck_assert(info.weight_min > 2.5 && info.weight_min < 3.5 && info.weight_max > 7.5 && info.weight_max < 8.5);
    ck_assert_uint_gt(info.max_degree, 200); /* skewed */
    ck_assert_ptr_nonnull(strstr(info.source, "rmat --scale 13 --degree 16"));
    ck_assert_ptr_null(strstr(info.source, "--abcd"));
    ordo_graph_free(g);

    /* Evenly: no degree stands out. */
    ordo_generate_options even = {.kind = "rmat", .scale = 13, .a = .25, .b = .25, .c = .25, .d = .25};
    g = must_make(even);
    ck_assert_uint_lt(info_of(g).max_degree, 60);
    ck_assert_str_eq(info_of(g).source, "rmat --scale 13 --degree 16 --abcd 0.25,0.25,0.25,0.25 --seed 0");
    ordo_graph_free(g);

    /* One quadrant: one vertex has every edge; b and c: one vertex to another. */
    for (int quadrant = 0; quadrant < 4; quadrant++) {
        ordo_generate_options one = {.kind = "rmat", .scale = 8, .degree = 4, .edges.seed = 5};
        *(quadrant == 0 ? &one.a : quadrant == 1 ? &one.b : quadrant == 2 ? &one.c : &one.d) = 1;
        g = must_make(one);
        info = info_of(g);
        const ordo_csr *out = ordo_graph_out(g);
        ck_assert_uint_eq(info.max_degree, 1024);
        ck_assert_uint_eq(info.loops, quadrant == 0 || quadrant == 3 ? 1024 : 0);
        ck_assert_uint_eq(out->head[0], out->head[1023]);
        ordo_graph_free(g);
    }

    /* What cannot be is not left to rounding. */
    ordo_generate_options thirds = {.kind = "rmat", .scale = 16, .a = 1. / 3, .b = 1. / 3, .c = 1. / 3};
    g = must_make(thirds);
    ck_assert_uint_lt(info_of(g).loops, 16u << 10); /* a alone: 3^-16 of them, near none */
    ordo_graph_free(g);

    ordo_generate_options both = {.kind = "rmat", .scale = 10, .edges = {.direction = ORDO_SYMMETRISE, .high = 50}};
    g = must_make(both);
    check_symmetric(g);
    ck_assert_ptr_nonnull(strstr(info_of(g).source, " --symmetrise"));
    ordo_graph_free(g);
    both.edges.direction = ORDO_AS_STORED;
    both.edges.drop_loops = true;
    both.edges.parallel = ORDO_PARALLEL_MIN;
    g = must_make(both);
    check_simple(g);
    ck_assert_ptr_nonnull(strstr(info_of(g).source, " --drop-loops --dedup min"));
    ordo_graph_free(g);
}
END_TEST

START_TEST(kron_is_simple_rmat)
{
    ordo_generate_options o = {.kind = "kron", .scale = 12, .edges = {.low = 1, .high = 255, .seed = 9}};
    ordo_graph *kron = must_make(o);
    check_simple(kron);
    check_symmetric(kron);
    o.kind = "rmat";
    o.edges.direction = ORDO_SYMMETRISE;
    o.edges.drop_loops = true;
    o.edges.parallel = ORDO_PARALLEL_MIN;
    ordo_graph *rmat = must_make(o);
    ck_assert_uint_eq(info_of(kron).checksum, info_of(rmat).checksum);
    ck_assert_uint_gt(info_of(kron).max_degree, 400);
    ordo_graph_free(kron);
    ordo_graph_free(rmat);
}
END_TEST

/* Rows that `converter -u 4 -k 2` of the GAP Benchmark Suite wrote. */
START_TEST(urand_is_of_gap)
{
    static const ordo_eid row[] = {0, 2, 4, 7, 10, 12, 14, 16, 21, 24, 26, 30, 35, 37, 42, 47, 52};
    static const ordo_vid head[] = {7,  10, 4,  11, 6,  13, 14, 7,  11, 12, 1,  11, 9, 10, 2,  15, 0,  3,
                                    13, 14, 15, 13, 14, 15, 5,  14, 0,  5,  12, 13, 1, 3,  4,  13, 15, 3,
                                    10, 2,  7,  8,  10, 11, 2,  7,  8,  9,  15, 6,  7, 8,  11, 14};
    ordo_graph *g =
        must_make((ordo_generate_options){.kind = "urand", .scale = 4, .degree = 2, .edges.seed = 27491095});
    const ordo_csr *out = ordo_graph_out(g);
    ck_assert_uint_eq(out->m, 52);
    ck_assert_mem_eq(out->row, row, sizeof row);
    ck_assert_mem_eq(out->head, head, sizeof head);
    ordo_graph_free(g);

    /* The same of three blocks, whose checksum was seen with `converter -u 15 -k 20`. */
    ordo_generate_options blocks = {.kind = "urand", .scale = 15, .degree = 20, .edges.seed = 27491095};
    g = must_make(blocks);
    check_simple(g);
    check_symmetric(g);
    ck_assert_uint_eq(info_of(g).edges, 1309816);
    ck_assert_uint_eq(info_of(g).checksum, 3230699174077208318u);
    ordo_graph_free(g);
}
END_TEST

/* The C++ standard says what the ten thousandth draw of each is. */
START_TEST(twisters_are_by_definition)
{
    ordo_twister32 *a = malloc(sizeof *a);
    ordo_twister64 *b = malloc(sizeof *b);
    ordo_twister32_start(a, 5489);
    ordo_twister64_start(b, 5489);
    for (int i = 1; i < 10000; i++) {
        ordo_twister32_next(a);
        ordo_twister64_next(b);
    }
    ck_assert_uint_eq(ordo_twister32_next(a), 4123659995u);
    ck_assert_uint_eq(ordo_twister64_next(b), 9981545732273789042u);
    free(a);
    free(b);
}
END_TEST

START_TEST(uniform_is_as_told)
{
    ordo_graph *g = must_make((ordo_generate_options){.kind = "uniform", .vertices = 5000, .degree = 7});
    const ordo_csr *out = ordo_graph_out(g), *in;
    for (ordo_u64 u = 0; u < out->n; u++)
        EVERY(degree_of(out, u) == 7);
    ck_assert_int_eq(ordo_graph_in(g, 1, &in), ORDO_OK);
    ordo_u64 most = 0;
    for (ordo_u64 u = 0; u < in->n; u++)
        most = degree_of(in, u) > most ? degree_of(in, u) : most;
    ck_assert_uint_lt(most, 30);
    ck_assert_int_eq(info_of(g).weight_type, ORDO_NONE);
    ordo_graph_free(g);
}
END_TEST

START_TEST(grid_is_as_told)
{
    ordo_generate_options flat = {.kind = "grid", .width = 7, .height = 5, .edges = {.low = 1, .high = 1000}};
    ordo_graph *g = must_make(flat);
    ck_assert_uint_eq(info_of(g).edges, 2 * (6 * 5 + 7 * 4));
    ck_assert_uint_eq(giant_component(ordo_graph_out(g)), 35);
    ordo_graph_free(g);

    ordo_generate_options box = {.kind = "grid", .width = 4, .height = 5, .depth = 6};
    g = must_make(box);
    const ordo_csr *out = ordo_graph_out(g);
    ordo_u64 inside = 1 + 4 * (2 + 5 * 3); /* (1, 2, 3) */
    const ordo_vid around[] = {(ordo_vid)inside - 20, (ordo_vid)inside - 4, (ordo_vid)inside - 1,
                               (ordo_vid)inside + 1,  (ordo_vid)inside + 4, (ordo_vid)inside + 20};
    ck_assert_uint_eq(degree_of(out, inside), 6);
    ck_assert_mem_eq(out->head + out->row[inside], around, sizeof around);
    ck_assert_uint_eq(degree_of(out, 0), 3);
    ck_assert_uint_eq(giant_component(out), 120);
    ck_assert_str_eq(info_of(g).source, "grid --width 4 --height 5 --depth 6");
    ordo_graph_free(g);

    ordo_generate_options half = {.kind = "grid", .width = 500, .height = 400, .keep = .5, .edges.seed = 2};
    g = must_make(half);
    double bonds = (double)info_of(g).edges / 2, whole = 499. * 400 + 500. * 399;
    ck_assert_msg(fabs(bonds / whole - .5) < .005, "%g of %g", bonds, whole);
    ck_assert_str_eq(info_of(g).source, "grid --width 500 --height 400 --keep 0.5 --seed 2");
    ordo_graph_free(g);
    half.keep = 1e-300;
    g = must_make(half);
    ck_assert_uint_eq(info_of(g).edges, 0);
    ordo_graph_free(g);
}
END_TEST

START_TEST(mesh_is_as_told)
{
    ordo_graph *g = must_make((ordo_generate_options){.kind = "mesh", .width = 6, .height = 5, .depth = 4});
    const ordo_csr *out = ordo_graph_out(g);
    for (ordo_u64 z = 0, u = 0; z < 4; z++)
        for (ordo_u64 y = 0; y < 5; y++)
            for (ordo_u64 x = 0; x < 6; x++, u++) {
                ordo_u64 around = (x % 5 ? 3u : 2u) * (y % 4 ? 3u : 2u) * (z % 3 ? 3u : 2u) - 1; /* 26 inside */
                EVERY(degree_of(out, u) == around);
                for (ordo_eid e = out->row[u]; e < out->row[u + 1]; e++) {
                    ordo_u64 v = out->head[e], vx = v % 6, vy = v / 6 % 5, vz = v / 30;
                    EVERY(v != u && vx + 1 >= x && vx <= x + 1 && vy + 1 >= y && vy <= y + 1 && vz + 1 >= z &&
                          vz <= z + 1);
                }
            }
    check_simple(g);
    ordo_graph_free(g);
}
END_TEST

START_TEST(road_is_as_told)
{
    ordo_generate_options o = {.kind = "road", .vertices = 200000, .edges.seed = 1};
    ordo_graph *g = must_make(o);
    ordo_graph_info info = info_of(g);
    double degree = (double)info.edges / (double)info.vertices;
    ck_assert_msg(degree > 2.4 && degree < 2.6, "%g", degree);
    ck_assert(info.weight_type == ORDO_U32 && info.weight_min >= 200);
    ck_assert(info.weight_mean > 300 && info.weight_mean < 3000);
    ck_assert_uint_le(info.max_degree, 4);
    ck_assert_str_eq(info.source, "road --vertices 200000 --seed 1");
    const ordo_csr *out = ordo_graph_out(g);
    ordo_u64 giant = giant_component(out);
    ck_assert_msg(giant > 180000, "%llu", (unsigned long long)giant);

    /* A weight is the distance between places. */
    const ordo_i32 *place = ordo_graph_vertex_data(g)->coordinate;
    ck_assert_ptr_nonnull(place);
    for (ordo_u64 u = 0; u < out->n; u++)
        for (ordo_eid e = out->row[u]; e < out->row[u + 1]; e++) {
            ordo_u64 v = out->head[e * out->stride];
            double x = place[2 * u] - place[2 * v], y = place[2 * u + 1] - place[2 * v + 1];
            EVERY(fabs(sqrt(x * x + y * y) - weight_word(out, e)) <= .5);
        }
    ck_assert_uint_eq(ordo_graph_vertex_data(g)->source, ORDO_NO_VERTEX);
    ck_assert_uint_eq(ordo_graph_vertex_data(g)->sink, ORDO_NO_VERTEX);

    /* Of any number of threads, and of any choice about weights. */
    o.threads = 3;
    o.edges.weights = ORDO_WEIGHTS_DROP;
    ordo_graph *bare = must_make(o);
    ck_assert_mem_eq(ordo_graph_vertex_data(bare)->coordinate, place, 200000 * 2 * sizeof *place);
    ck_assert_str_eq(info_of(bare).source, "road --vertices 200000 --drop-weights --seed 1");
    ordo_graph_free(bare);
    ordo_graph_free(g);
}
END_TEST

/* Every vertex is reached from the source, and every one reaches the sink. */
static void check_terminals(ordo_graph *g)
{
    const ordo_vertex_data *v = ordo_graph_vertex_data(g);
    const ordo_csr *out = ordo_graph_out(g), *in;
    ck_assert_uint_eq(v->source, 0);
    ck_assert_uint_eq(v->sink, out->n - 1);
    ck_assert_ptr_null(v->coordinate);
    ck_assert_int_eq(ordo_graph_in(g, 1, &in), ORDO_OK);
    ordo_vid *queue = malloc(out->n * sizeof *queue);
    bool *seen = calloc(out->n, 1);
    reached_from(out, v->source, seen, queue);
    ck_assert(seen[v->sink]);
    memset(seen, 0, out->n);
    ck_assert_uint_eq(reached_from(in, v->sink, seen, queue), out->n);
    free(queue);
    free(seen);
}

START_TEST(rlg_is_as_told)
{
    ordo_generate_options o = {.kind = "rlg", .width = 50, .height = 40, .edges = {.low = 5, .high = 1000}};
    ordo_graph *g = must_make(o);
    const ordo_csr *out = ordo_graph_out(g);
    check_terminals(g);
    check_simple(g);
    ck_assert_uint_eq(out->n, 2002);
    ck_assert_uint_eq(out->m, 50 + 3 * 50 * 39 + 50);
    ck_assert_uint_eq(degree_of(out, 0), 50);
    ck_assert_uint_eq(degree_of(out, 2001), 0);
    for (ordo_u64 u = 0; u < out->n - 1; u++) {
        ordo_u64 level = u == 0 ? 0 : 1 + (u - 1) / 50; /* the source's is 0 */
        EVERY(degree_of(out, u) == (level == 0 ? 50 : level == 40 ? 1 : 3));
        for (ordo_eid e = out->row[u]; e < out->row[u + 1]; e++) {
            ordo_u32 weight = weight_word(out, e);
            EVERY(1 + (out->head[e * out->stride] - 1) / 50 == level + 1);
            if (level == 0 || level == 40)
                EVERY(weight == 3000);
            else
                EVERY(weight >= 5 && weight <= 1000);
        }
    }
    ck_assert_str_eq(info_of(g).source, "rlg --width 50 --height 40 --weights uniform:5:1000 --seed 0");
    ordo_graph_free(g);
    o.edges.high = UINT32_MAX / 3;
    g = must_make(o);
    ck_assert(info_of(g).weight_max > 4294967294.);
    ordo_graph_free(g);
}
END_TEST

START_TEST(genrmf_is_as_told)
{
    for (ordo_u32 a = 1; a <= 12; a++) {
        const ordo_u32 b = 9, frame = a * a;
        ordo_generate_options o = {.kind = "genrmf", .width = a, .depth = b, .edges = {.low = 5, .high = 1000}};
        ordo_graph *g = must_make(o);
        const ordo_csr *out = ordo_graph_out(g);
        check_terminals(g);
        check_simple(g);
        ck_assert_uint_eq(out->n, frame * b);
        ck_assert_uint_eq(out->m, 4 * a * (a - 1) * b + frame * (b - 1));
        bool *met = calloc(out->n, 1); /* by an edge from the frame before */
        for (ordo_vid u = 0; u < out->n; u++) {
            ordo_u64 beyond = 0, x = u % frame % a, y = u % frame / a;
            for (ordo_eid e = out->row[u]; e < out->row[u + 1]; e++) {
                ordo_vid v = out->head[e * out->stride];
                ordo_u64 vx = v % frame % a, vy = v % frame / a;
                if (v / frame == u / frame) {
                    EVERY((x > vx ? x - vx : vx - x) + (y > vy ? y - vy : vy - y) == 1);
                    EVERY(weight_word(out, e) == 1000 * frame);
                } else {
                    EVERY(v / frame == u / frame + 1);
                    EVERY(weight_word(out, e) >= 5 && weight_word(out, e) <= 1000);
                    EVERY(!met[v]);
                    met[v] = true;
                    beyond++;
                }
            }
            EVERY(beyond == (u / frame + 1 < b));
        }
        free(met);
        ordo_graph_free(g);
    }

    /* Frames do not repeat each other. */
    ordo_graph *g = must_make((ordo_generate_options){.kind = "genrmf", .width = 10, .depth = 3});
    const ordo_csr *out = ordo_graph_out(g);
    int same = 0;
    for (ordo_u64 u = 0; u < 100; u++)
        same += out->head[out->row[u + 1] - 1] + 100 == out->head[out->row[u + 101] - 1];
    ck_assert_int_lt(same, 20);
    ordo_graph_free(g);
}
END_TEST

START_TEST(plain_ones_are_as_told)
{
    ordo_graph *g = must_make((ordo_generate_options){.kind = "star", .vertices = 1000});
    const ordo_csr *out = ordo_graph_out(g);
    ck_assert_uint_eq(degree_of(out, 0), 999);
    for (ordo_u64 u = 1; u < 1000; u++)
        EVERY(degree_of(out, u) == 1 && out->head[out->row[u]] == 0);
    ck_assert_str_eq(info_of(g).source, "star --vertices 1000");
    ordo_graph_free(g);

    g = must_make((ordo_generate_options){.kind = "path", .vertices = 1000});
    out = ordo_graph_out(g);
    for (ordo_u64 u = 0; u < 1000; u++) {
        EVERY(degree_of(out, u) == (u % 999 ? 2 : 1));
        EVERY(out->head[out->row[u + 1] - 1] == (u == 999 ? 998 : u + 1));
    }
    ordo_graph_free(g);

    for (ordo_u64 n = 1; n < 40; n++) {
        g = must_make((ordo_generate_options){.kind = "complete", .vertices = n});
        out = ordo_graph_out(g);
        check_simple(g);
        for (ordo_u64 u = 0; u < n; u++)
            EVERY(degree_of(out, u) == n - 1);
        ordo_graph_free(g);
    }

    g = must_make((ordo_generate_options){.kind = "cliques", .vertices = 25, .width = 6});
    out = ordo_graph_out(g);
    check_simple(g);
    for (ordo_u64 u = 0; u < 25; u++) {
        ordo_u64 others = u == 24 ? 0 : 5, chain = (u % 6 == 5 ? 1u : 0u) + (u % 6 == 0 && u > 0 ? 1u : 0u);
        EVERY(degree_of(out, u) == others + chain);
        for (ordo_eid e = out->row[u]; e < out->row[u + 1]; e++) {
            ordo_u64 v = out->head[e];
            EVERY(v / 6 == u / 6 || (v == u + 1 && v % 6 == 0) || (u == v + 1 && u % 6 == 0));
        }
    }
    ck_assert_uint_eq(giant_component(out), 25);
    ck_assert_str_eq(info_of(g).source, "cliques --vertices 25 --width 6");
    ordo_graph_free(g);
}
END_TEST

/* ---- what is refused ---- */

static const struct {
    ordo_generate_options o;
    ordo_status status;
    const char *words; /* in the sentence */
} wrongs[] = {
    {{.kind = "tree"},
     ORDO_ERR_UNKNOWN,
     "found generator 'tree', expected rmat, kron, urand, uniform, grid, mesh, road, rlg, genrmf, star, path, complete "
     "or cliques"},
    {{.kind = ""}, ORDO_ERR_UNKNOWN, "found generator ''"},
    {{.kind = NULL}, ORDO_ERR_USAGE, "kind is NULL"},
    {{.kind = "rmat", .scale = 32}, ORDO_ERR_USAGE, "rmat: found scale 32, expected 0 to 31"},
    {{.kind = "kron", .scale = 32}, ORDO_ERR_USAGE, "kron: found scale 32"},
    {{.kind = "urand", .scale = 4000000000}, ORDO_ERR_USAGE, "urand: found scale 4000000000"},
    {{.kind = "rmat", .scale = 31, .degree = 4000000000}, ORDO_ERR_MEMORY, "not enough memory"},
    {{.kind = "urand", .scale = 31, .degree = 4000000000}, ORDO_ERR_MEMORY, "not enough memory"},
    {{.kind = "rmat", .scale = 5, .a = .5}, ORDO_ERR_USAGE, "add up to 0.5, expected 1"},
    {{.kind = "rmat", .scale = 5, .a = .5, .b = .5, .c = .5}, ORDO_ERR_USAGE, "add up to 1.5, expected 1"},
    {{.kind = "rmat", .scale = 5, .a = 1.5, .d = -.5}, ORDO_ERR_USAGE, "probability a = 1.5"},
    {{.kind = "rmat", .scale = 5, .a = 1, .c = -.5, .d = .5}, ORDO_ERR_USAGE, "probability c = -0.5"},
    {{.kind = "rmat", .scale = 5, .b = NAN}, ORDO_ERR_USAGE, "probability b = "},
    {{.kind = "rmat", .scale = 5, .d = INFINITY}, ORDO_ERR_USAGE, "probability d = inf"},
    {{.kind = "uniform", .vertices = ORDO_MAX_VERTICES + 1}, ORDO_ERR_USAGE, "found 4294967295 vertices"},
    {{.kind = "uniform", .vertices = ~(ordo_u64)0}, ORDO_ERR_USAGE, "found 18446744073709551615 vertices"},
    {{.kind = "road", .vertices = ~(ordo_u64)0}, ORDO_ERR_USAGE, "found 18446744073709551615 vertices"},
    {{.kind = "road", .vertices = ORDO_MAX_VERTICES + 1}, ORDO_ERR_USAGE, "found 4294967295 vertices"},
    {{.kind = "star", .vertices = ORDO_MAX_VERTICES + 1}, ORDO_ERR_USAGE, "found 4294967295 vertices"},
    {{.kind = "path", .vertices = ORDO_MAX_VERTICES + 1}, ORDO_ERR_USAGE, "found 4294967295 vertices"},
    {{.kind = "complete", .vertices = ORDO_MAX_VERTICES + 1}, ORDO_ERR_USAGE, "found 4294967295 vertices"},
    {{.kind = "complete", .vertices = ORDO_MAX_VERTICES}, ORDO_ERR_MEMORY, "not enough memory"},
    {{.kind = "cliques", .vertices = ORDO_MAX_VERTICES + 1, .width = 1}, ORDO_ERR_USAGE, "found 4294967295 vertices"},
    {{.kind = "cliques", .vertices = 5}, ORDO_ERR_USAGE, "cliques: found width 0, expected at least 1"},
    {{.kind = "grid", .height = 5}, ORDO_ERR_USAGE, "grid: found width 0, expected at least 1"},
    {{.kind = "grid", .width = 5}, ORDO_ERR_USAGE, "grid: found height 0, expected at least 1"},
    {{.kind = "grid", .width = 70000, .height = 70000}, ORDO_ERR_USAGE, "found 70000 x 70000 x 1 vertices"},
    {{.kind = "grid", .width = 4000000000, .height = 4000000000, .depth = 4000000000},
     ORDO_ERR_USAGE,
     "found 4000000000 x 4000000000 x 4000000000 vertices"},
    {{.kind = "grid", .width = 2, .height = 2, .keep = -.1}, ORDO_ERR_USAGE, "grid: found keep -0.1"},
    {{.kind = "grid", .width = 2, .height = 2, .keep = 1.01}, ORDO_ERR_USAGE, "grid: found keep 1.01"},
    {{.kind = "grid", .width = 2, .height = 2, .keep = NAN}, ORDO_ERR_USAGE, "grid: found keep "},
    {{.kind = "mesh", .height = 2, .depth = 2}, ORDO_ERR_USAGE, "mesh: found width 0"},
    {{.kind = "mesh", .width = 2, .depth = 2}, ORDO_ERR_USAGE, "mesh: found height 0"},
    {{.kind = "mesh", .width = 2000, .height = 2000, .depth = 2000}, ORDO_ERR_USAGE, "found 2000 x 2000 x 2000"},
    {{.kind = "rlg", .height = 2}, ORDO_ERR_USAGE, "rlg: found width 0"},
    {{.kind = "rlg", .width = 2}, ORDO_ERR_USAGE, "rlg: found height 0"},
    {{.kind = "rlg", .width = 65536, .height = 65536}, ORDO_ERR_USAGE, "found 65536 x 65536 x 1 vertices"},
    {{.kind = "rlg", .width = 2, .height = 2, .edges.high = UINT32_MAX / 3 + 1},
     ORDO_ERR_USAGE,
     "rlg: found capacities up to 1431655766, expected at most 1431655765"},
    {{.kind = "genrmf", .depth = 2}, ORDO_ERR_USAGE, "genrmf: found width 0"},
    {{.kind = "genrmf", .width = 1}, ORDO_ERR_USAGE, "genrmf: found 1 vertex"},
    {{.kind = "genrmf", .width = 70000, .depth = 2}, ORDO_ERR_USAGE, "found 70000 x 70000 x 2 vertices"},
    {{.kind = "genrmf", .width = 100, .depth = 2, .edges.high = 429497},
     ORDO_ERR_USAGE,
     "genrmf: found capacities up to 429497, expected at most 429496"},
    {{.kind = "grid", .width = 2, .height = 2, .edges = {.low = 9, .high = 3}},
     ORDO_ERR_USAGE,
     "found weights 9 to 3, expected the lower one first"},
    {{.kind = "rlg", .width = 2, .height = 2, .edges = {.low = 9, .high = 3}}, ORDO_ERR_USAGE, "found weights 9 to 3"},
    {{.kind = "star", .vertices = 2, .edges = {.high = 3, .weights = ORDO_WEIGHTS_UNIFORM}},
     ORDO_ERR_USAGE,
     "star: found weights 2, expected"},
    {{.kind = "road", .vertices = 2, .edges = {.high = 3, .weights = ORDO_WEIGHTS_REPLACE}},
     ORDO_ERR_USAGE,
     "road: found weights 3, expected"},
    {{.kind = "star", .vertices = 2, .edges.direction = (ordo_direction)7}, ORDO_ERR_USAGE, "found direction 7"},
    {{.kind = "star", .vertices = 2, .edges.parallel = (ordo_parallel)9}, ORDO_ERR_USAGE, "found parallel 9"},
    {{.kind = "star", .vertices = 2, .threads = -1}, ORDO_ERR_USAGE, ""},
    {{.kind = "road", .vertices = 2, .threads = 5000}, ORDO_ERR_USAGE, ""},
    {{.kind = "rmat", .scale = 6, .edges.direction = ORDO_SYMMETRIC}, ORDO_ERR_INPUT, "in a symmetric graph"},
};
enum { WRONGS = sizeof wrongs / sizeof wrongs[0] };

START_TEST(wrong_options_are_refused)
{
    ordo_graph *g = NULL;
    ordo_u64 held = ordo_memory_now();
    ck_assert_msg(ordo_graph_generate(&wrongs[_i].o, &g) == wrongs[_i].status, "%s", ordo_last_error());
    ck_assert_msg(strstr(ordo_last_error(), wrongs[_i].words) && !strchr(ordo_last_error(), '\n'), "%s",
                  ordo_last_error());
    ck_assert_ptr_null(g);
    ck_assert_uint_eq(ordo_memory_now(), held);
}
END_TEST

START_TEST(nothing_is_refused)
{
    ordo_graph *g = NULL;
    ordo_generate_options o = {.kind = "star", .vertices = 2};
    ck_assert_int_eq(ordo_graph_generate(NULL, &g), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_graph_generate(&o, NULL), ORDO_ERR_USAGE);
    o.edges.low = 5; /* without high: no weights */
    g = must_make(o);
    ck_assert_int_eq(info_of(g).weight_type, ORDO_NONE);
    ordo_graph_free(g);
}
END_TEST

START_TEST(every_failed_allocation_is_told)
{
    if (BRIEFER > 1 && _i % 2)
        return;
    ordo_generate_options o = all[_i].o;
    o.threads = 2;
    bool done = false;
    for (ordo_u64 k = 1; k <= 60 && !done; k++) {
        ordo_u64 held = ordo_memory_now();
        ordo_graph *g = NULL;
        ordo_memory_fail_after(k);
        ordo_status status = ordo_graph_generate(&o, &g);
        ordo_memory_fail_after(0);
        ck_assert_msg(status == ORDO_OK || status == ORDO_ERR_MEMORY, "%s", ordo_last_error());
        ck_assert((g == NULL) == (status != ORDO_OK));
        ordo_graph_free(g);
        ck_assert_uint_eq(ordo_memory_now(), held);
        done = status == ORDO_OK;
    }
    ck_assert(done);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("generate");
    TCase *kinds = tcase_create("kinds"), *each = tcase_create("each"), *refused = tcase_create("refused");
    tcase_add_loop_test(kinds, every_kind_is_deterministic, 0, ALL);
    tcase_add_loop_test(kinds, every_kind_takes_weights, 0, ALL);
    tcase_add_test(each, rmat_is_as_told);
    tcase_add_test(each, kron_is_simple_rmat);
    tcase_add_test(each, urand_is_of_gap);
    tcase_add_test(each, twisters_are_by_definition);
    tcase_add_test(each, uniform_is_as_told);
    tcase_add_test(each, grid_is_as_told);
    tcase_add_test(each, mesh_is_as_told);
    tcase_add_test(each, road_is_as_told);
    tcase_add_test(each, rlg_is_as_told);
    tcase_add_test(each, genrmf_is_as_told);
    tcase_add_test(each, plain_ones_are_as_told);
    tcase_add_loop_test(refused, wrong_options_are_refused, 0, WRONGS);
    tcase_add_test(refused, nothing_is_refused);
    if (!UNDER_TSAN)
        tcase_add_loop_test(refused, every_failed_allocation_is_told, 0, ALL);
    TCase *cases[] = {kinds, refused, each};
    for (int i = 0; i < (UNDER_TSAN ? 2 : 3); i++) { /* what TSan would see of each, it sees of kinds */
        tcase_set_timeout(cases[i], 120);
        suite_add_tcase(suite, cases[i]);
    }
    return run_suite(suite);
}
