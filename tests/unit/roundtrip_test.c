/* roundtrip_test.c -- every format to every other and back gives the same graph.
 *
 * A graph is the same when its checksum is: of n, rows, heads, weights and their type. A pair of formats takes part
 * where both can hold the graph; what a format cannot hold must be refused by ORDO_ERR_USAGE and leave no file. Formats
 * that do not say that a graph is symmetric are read with ORDO_SYMMETRIC where it was; integer weights of formats
 * without a type come back as u32, where none is negative.
 */
#define _GNU_SOURCE /* mkdtemp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/families.h"
#include "tests/common/suite.h"

static const struct format {
    const char *suffix;
    bool drop; /* unweighted graphs come back with weights of 1 */
} formats[] = {
    {".gr", false},  {".max", false}, {".mtx", false}, {".graph", false}, {".el", false}, {".wel", false},
    {".txt", false}, {".sg", false},  {".wsg", false}, {".ggr", false},   {".npz", true}, {".ordo", false},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static const ordo_type types[] = {ORDO_NONE, ORDO_U32, ORDO_I32, ORDO_F32};

static const char *path_with(const char *name, const char *suffix)
{
    char both[128];
    snprintf(both, sizeof both, "%s%s", name, suffix);
    return path_of(both);
}

/* NULL where the format cannot hold the graph. */
static ordo_graph *through(const ordo_graph *g, const struct format *f, const char *name, int threads)
{
    const char *path = path_with(name, f->suffix);
    ordo_status status = ordo_graph_write(g, path);
    if (status) {
        ck_assert_msg(status == ORDO_ERR_USAGE, "%s: %s", f->suffix, ordo_last_error());
        ck_assert_int_ne(access(path, F_OK), 0);
        return NULL;
    }
    ordo_read_options options = {.threads = threads};
    if (ordo_graph_symmetric(g))
        options.edges.direction = ORDO_SYMMETRIC;
    if (f->drop && ordo_graph_out(g)->weight_type == ORDO_NONE)
        options.edges.weights = ORDO_WEIGHTS_DROP;
    ordo_graph *back = NULL;
    status = ordo_graph_read(path, &options, &back);
    /* an edge list without an edge and without a vertex is an empty file */
    if (status && ordo_graph_out(g)->n == 0) {
        unlink(path);
        return NULL;
    }
    ck_assert_msg(status == ORDO_OK, "%s: %s", f->suffix, ordo_last_error());
    ck_assert_int_eq(unlink(path), 0);
    return back;
}

static void same(const ordo_graph *a, const ordo_graph *b, const char *way)
{
    ordo_graph_info x, y;
    ordo_graph_get_info(a, &x);
    ordo_graph_get_info(b, &y);
    ck_assert_msg(x.vertices == y.vertices && x.edges == y.edges && x.symmetric == y.symmetric, "%s: %llu, %llu, %d",
                  way, (unsigned long long)y.vertices, (unsigned long long)y.edges, y.symmetric);
    /* Nothing is left of the type where there is no weight. */
    if (x.edges || x.weight_type == y.weight_type)
        ck_assert_msg(x.checksum == y.checksum, "%s: type %d, was %d", way, (int)y.weight_type, (int)x.weight_type);
}

/* Weights in the type; for i32 some are negative, if there are any, the same both ways. */
static ordo_graph *weighted(const edge_list *list, ordo_type type, ordo_direction direction)
{
    if (type != ORDO_I32)
        return family_graph(list, type, direction);
    edge_list other = *list;
    other.edge = malloc((list->count + 1) * sizeof *other.edge);
    bool negative = false;
    for (ordo_u64 i = 0; i < list->count; i++) {
        other.edge[i] = list->edge[i];
        ordo_u32 sum = other.edge[i].tail + other.edge[i].head;
        if (sum % 3 == 0 || i == 0) {
            other.edge[i].weight = 0u - other.edge[i].weight - 1;
            negative = true;
        }
    }
    ordo_graph *g = NULL;
    if (negative || list->count == 0)
        ck_assert_int_eq(ordo_graph_from_edges(other.n, other.edge, other.count, ORDO_I32, direction, 1, &g), ORDO_OK);
    free(other.edge);
    return g;
}

static void every_pair(const ordo_graph *g, const char *what)
{
    int held = 0;
    for (int a = 0; a < FORMATS; a++) {
        ordo_graph *first = through(g, &formats[a], "a", 1);
        if (!first)
            continue;
        held++;
        char way[160];
        snprintf(way, sizeof way, "%s to %s", what, formats[a].suffix);
        same(g, first, way);
        for (int b = 0; b < FORMATS; b++) {
            ordo_graph *second = through(first, &formats[b], "b", 2), *third;
            if (!second)
                continue;
            snprintf(way, sizeof way, "%s to %s to %s", what, formats[a].suffix, formats[b].suffix);
            same(g, second, way);
            third = through(second, &formats[a], "c", 1);
            if (!third) {
                /* only what has source and sink can go back to .max; without edges a type of weights may be lost */
                ck_assert(!strcmp(formats[a].suffix, ".max") || ordo_graph_out(g)->m == 0);
            } else {
                same(g, third, way);
            }
            ordo_graph_free(third);
            ordo_graph_free(second);
        }
        ordo_graph_free(first);
    }
    ck_assert_msg(held >= 3 || ordo_graph_out(g)->n == 0, "%s: only %d formats hold it", what, held);
}

static int families(void)
{
    int count = 0;
    while (family_names[count])
        count++;
    return count;
}

START_TEST(families_survive)
{
    const char *name = family_names[_i];
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (int symmetric = 0; symmetric < 2; symmetric++) {
            if (BRIEFER > 1 && (t + (size_t)(_i + symmetric)) % 2)
                continue;
            edge_list list;
            family_make(name, 40, 5, &list);
            ordo_graph *g = weighted(&list, types[t], symmetric ? ORDO_SYMMETRISE : ORDO_AS_STORED);
            char what[96];
            snprintf(what, sizeof what, "%s, type %d%s", name, (int)types[t], symmetric ? ", symmetric" : "");
            if (g)
                every_pair(g, what);
            ordo_graph_free(g);
            family_free(&list);
        }
}
END_TEST

/* Larger ones, which readers cut into pieces. */
START_TEST(pieces_survive)
{
    const ordo_generate_options kinds[] = {
        {.kind = "rmat", .scale = BRIEFER > 1 ? 12 : 13, .degree = 6, .edges.high = 1000000, .edges.seed = 3},
        {.kind = "grid", .width = 150, .height = 150 / BRIEFER, .keep = 0.4, .edges.high = 9},
        {.kind = "rlg", .width = 100, .height = 60 / BRIEFER, .edges.low = 1, .edges.high = 10000},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        ordo_graph *g;
        ck_assert_int_eq(ordo_graph_generate(&kinds[i], &g), ORDO_OK);
        every_pair(g, kinds[i].kind);
        ordo_graph_free(g);
    }
}
END_TEST

static void same_words(const void *a, const void *b, ordo_u64 words)
{
    ck_assert(!a == !b);
    if (a)
        ck_assert_int_eq(memcmp(a, b, words * sizeof(ordo_u32)), 0);
}

/* What formats say of vertices: METIS' sizes and weights, coordinates, terminals. */
START_TEST(vertex_data_survives)
{
    const char *path = path_with("v", ".graph"), *places = path_with("v", ".co");
    FILE *f = fopen(path, "w");
    fputs("% comment\n4 3 111 2\n9 1 2 2 7\n8 3 4 1 7 3 5\n\t7 5 6 2 5 4 0\n6 4294967295 8 3 0\n\n", f);
    fclose(f);
    f = fopen(places, "w");
    fputs("c places\np aux sp co 4\nv 2 -5 6\nv 1 1 2\nv 4 2147483647 -2147483648\nv 3 0 0\n", f);
    fclose(f);
    ordo_read_options options = {.coordinates = places};
    ordo_graph *g, *h, *k;
    ck_assert_msg(ordo_graph_read(path, &options, &g) == ORDO_OK, "%s", ordo_last_error());
    const ordo_vertex_data *v = ordo_graph_vertex_data(g);
    const ordo_i32 coordinates[] = {1, 2, -5, 6, 0, 0, 2147483647, -2147483647 - 1};
    const ordo_u32 weights[] = {1, 2, 3, 4, 5, 6, 4294967295u, 8}, sizes[] = {9, 8, 7, 6};
    ck_assert_uint_eq(v->weights, 2);
    same_words(v->coordinate, coordinates, 8);
    same_words(v->weight, weights, 8);
    same_words(v->size, sizes, 4);

    const char *own = path_with("v", ".ordo");
    ck_assert_msg(ordo_graph_write(g, own) == ORDO_OK, "%s", ordo_last_error());
    ck_assert_msg(ordo_graph_read(own, NULL, &h) == ORDO_OK, "%s", ordo_last_error());
    same(g, h, "data of vertices in .ordo");
    same_words(ordo_graph_vertex_data(h)->coordinate, coordinates, 8);
    same_words(ordo_graph_vertex_data(h)->weight, weights, 8);
    same_words(ordo_graph_vertex_data(h)->size, sizes, 4);
    const char *again = path_with("w", ".graph");
    ck_assert_msg(ordo_graph_write(h, again) == ORDO_OK, "%s", ordo_last_error());
    ck_assert_msg(ordo_graph_read(again, NULL, &k) == ORDO_OK, "%s", ordo_last_error());
    same(g, k, "data of vertices in .graph");
    same_words(ordo_graph_vertex_data(k)->weight, weights, 8);
    same_words(ordo_graph_vertex_data(k)->size, sizes, 4);
    ck_assert_ptr_null(ordo_graph_vertex_data(k)->coordinate);
    const char *co = path_with("w", ".co");
    ck_assert_int_eq(ordo_graph_write(h, co), ORDO_OK);
    ck_assert_int_eq(ordo_graph_write(k, path_with("x", ".co")), ORDO_ERR_USAGE);
    ordo_graph_free(k);
    options.coordinates = co;
    ck_assert_msg(ordo_graph_read(again, &options, &k) == ORDO_OK, "%s", ordo_last_error());
    same_words(ordo_graph_vertex_data(k)->coordinate, coordinates, 8);
    ordo_graph_free(k);
    ordo_graph_free(h);
    ordo_graph_free(g);
}
END_TEST

START_TEST(terminals_survive)
{
    const ordo_generate_options genrmf = {.kind = "genrmf", .width = 3, .depth = 4, .edges.low = 1, .edges.high = 9};
    ordo_graph *g, *h;
    ck_assert_int_eq(ordo_graph_generate(&genrmf, &g), ORDO_OK);
    static const char *const suffixes[] = {".max", ".ordo"};
    for (int i = 0; i < 2; i++) {
        const char *path = path_with("t", suffixes[i]);
        ck_assert_msg(ordo_graph_write(g, path) == ORDO_OK, "%s", ordo_last_error());
        ck_assert_msg(ordo_graph_read(path, NULL, &h) == ORDO_OK, "%s", ordo_last_error());
        ck_assert_uint_eq(ordo_graph_vertex_data(h)->source, ordo_graph_vertex_data(g)->source);
        ck_assert_uint_eq(ordo_graph_vertex_data(h)->sink, ordo_graph_vertex_data(g)->sink);
        same(g, h, suffixes[i]);
        ordo_graph_free(h);
    }
    ordo_graph_free(g);
}
END_TEST

/* ---- what is done to edges on the way ---- */

static const ordo_edge_entry crowd[] = {{0, 1, 5}, {0, 1, 3}, {1, 1, 9}, {0, 1, 4}, {2, 0, 1}, {2, 2, 1}, {2, 2, 2}};
enum { CROWD = sizeof crowd / sizeof crowd[0] };

START_TEST(edges_are_thinned)
{
    const char *path = path_with("crowd", ".wel");
    FILE *f = fopen(path, "w");
    for (int i = 0; i < CROWD; i++)
        fprintf(f, "%u %u %u\n", crowd[i].tail, crowd[i].head, crowd[i].weight);
    fclose(f);
    const ordo_u32 kept[] = {0, 3, 5, 12, 5}; /* weight of 0 -> 1 under keep, min, max, sum, first */
    for (int parallel = 0; parallel <= ORDO_PARALLEL_FIRST; parallel++)
        for (int loops = 0; loops < 2; loops++) {
            ordo_read_options o = {.edges.parallel = (ordo_parallel)parallel, .edges.drop_loops = loops};
            ordo_graph *g;
            ordo_graph_info info;
            ck_assert_msg(ordo_graph_read(path, &o, &g) == ORDO_OK, "%s", ordo_last_error());
            ordo_graph_get_info(g, &info);
            ck_assert_uint_eq(info.dropped_loops, loops ? 3 : 0);
            ck_assert_uint_eq(info.dropped_parallel, !parallel ? 0 : loops ? 2 : 3);
            ck_assert_uint_eq(info.edges, CROWD - info.dropped_loops - info.dropped_parallel);
            const ordo_csr *rows = ordo_graph_out(g);
            if (parallel) {
                ck_assert_uint_eq(rows->row[1], 1);
                ck_assert_uint_eq(((const ordo_u32 *)rows->weight)[0], kept[parallel]);
            }
            ordo_graph_free(g);
        }
    f = fopen(path, "w");
    fputs("0 1 4294967295\n0 1 1\n", f);
    fclose(f);
    ordo_read_options sum = {.edges.parallel = ORDO_PARALLEL_SUM};
    ordo_graph *g = NULL;
    ck_assert_int_eq(ordo_graph_read(path, &sum, &g), ORDO_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "found parallel edges 0 -> 1 whose weights add up"));
}
END_TEST

/* Weights are drawn only where that is asked for, depend on seed and ends alone, and are the same both ways. */
START_TEST(weights_are_drawn)
{
    edge_list list;
    family_make("random", 200, 3, &list);
    ordo_graph *plain = family_graph(&list, ORDO_NONE, ORDO_SYMMETRISE);
    const char *path = path_with("drawn", ".el"), *heavy = path_with("drawn", ".wel");
    ck_assert_int_eq(ordo_graph_write(plain, path), ORDO_OK);
    ordo_u64 checksums[3];
    for (int threads = 1; threads <= 3; threads++) {
        ordo_read_options o = {
            .threads = threads,
            .edges = {.direction = ORDO_SYMMETRIC, .weights = ORDO_WEIGHTS_UNIFORM, .low = 3, .high = 9}};
        o.edges.seed = threads == 3; /* the third has another */
        ordo_graph *g;
        ordo_graph_info info;
        ck_assert_msg(ordo_graph_read(path, &o, &g) == ORDO_OK, "%s", ordo_last_error());
        ordo_graph_get_info(g, &info);
        ck_assert_str_eq(info.weights, threads == 3 ? "uniform:3:9 --seed 1" : "uniform:3:9 --seed 0");
        ck_assert(info.weight_min >= 3 && info.weight_max <= 9 && info.weight_min < info.weight_max);
        checksums[threads - 1] = info.checksum;
        ck_assert_int_eq(ordo_graph_write(g, heavy), ORDO_OK);
        ordo_graph_free(g);
        ordo_read_options check = {.edges.direction = ORDO_SYMMETRIC}; /* looks at weights as well */
        ck_assert_msg(ordo_graph_read(heavy, &check, &g) == ORDO_OK, "%s", ordo_last_error());
        ordo_graph_free(g);
    }
    ck_assert_uint_eq(checksums[0], checksums[1]);
    ck_assert_uint_ne(checksums[0], checksums[2]);
    ordo_read_options over = {.edges = {.weights = ORDO_WEIGHTS_UNIFORM, .high = 9}};
    ordo_graph *g = NULL;
    ck_assert_int_eq(ordo_graph_read(heavy, &over, &g), ORDO_ERR_INPUT);
    over.edges.weights = ORDO_WEIGHTS_REPLACE;
    ck_assert_int_eq(ordo_graph_read(heavy, &over, &g), ORDO_OK);
    ordo_graph_free(g);
    over.edges.low = 10;
    ck_assert_int_eq(ordo_graph_read(heavy, &over, &g), ORDO_ERR_USAGE);
    ordo_graph_free(plain);
    family_free(&list);
}
END_TEST

static void start(void)
{
    ck_assert(make_folder());
}

static void stop(void)
{
    ck_assert(remove_folder());
}

int main(void)
{
    Suite *s = suite_create("roundtrip");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 300);
    tcase_add_unchecked_fixture(c, start, stop);
    tcase_add_loop_test(c, families_survive, 0, families());
    tcase_add_test(c, pieces_survive);
    tcase_add_test(c, vertex_data_survives);
    tcase_add_test(c, terminals_survive);
    tcase_add_test(c, edges_are_thinned);
    tcase_add_test(c, weights_are_drawn);
    suite_add_tcase(s, c);
    return run_suite(s);
}
