/* graph_test.c -- reading, making, looking at and writing graphs.
 *
 * Rows are compared with those of a builder so simple that it is right by inspection; files are written by hand here,
 * whole and damaged; every allocation on the way is made to fail once.
 */
#define _GNU_SOURCE /* mkdtemp, setrlimit */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ordo/graph.h>
#include <ordo/memory.h>
#include <ordo/scheduler/team.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "tests/common/families.h"
#include "tests/common/suite.h"

#ifndef ORDO_SOURCE_ROOT
#define ORDO_SOURCE_ROOT "."
#endif

/* ---- helpers ---- */

typedef struct naive_edge {
    ordo_vid tail, head;
    ordo_u32 weight;
    ordo_u64 position;
} naive_edge;

static int compare_naive(const void *a, const void *b)
{
    const naive_edge *x = a, *y = b;
    if (x->tail != y->tail)
        return x->tail < y->tail ? -1 : 1;
    if (x->head != y->head)
        return x->head < y->head ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

static naive_edge *naive(const ordo_edge_entry *list, ordo_u64 count, bool symmetrise, ordo_u64 *made)
{
    naive_edge *edges = malloc((2 * count + 1) * sizeof *edges);
    ordo_u64 m = 0;
    for (ordo_u64 i = 0; i < count; i++) {
        edges[m++] = (naive_edge){list[i].tail, list[i].head, list[i].weight, 2 * i};
        if (symmetrise && list[i].tail != list[i].head)
            edges[m++] = (naive_edge){list[i].head, list[i].tail, list[i].weight, 2 * i + 1};
    }
    qsort(edges, m, sizeof *edges, compare_naive);
    *made = m;
    return edges;
}

static void check_rows(const ordo_csr *g, ordo_u64 n, const naive_edge *edges, ordo_u64 m)
{
    ck_assert_uint_eq(g->n, n);
    ck_assert_uint_eq(g->m, m);
    ck_assert_uint_eq(g->row[0], 0);
    ck_assert_uint_eq(g->row[n], m);
    ck_assert_uint_eq(g->stride, g->weight_type == ORDO_NONE ? 1 : 2);
    for (ordo_u64 u = 0; u < n; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            if (edges[e].tail != u || edges[e].head != g->head[e * g->stride] ||
                (g->weight_type != ORDO_NONE && edges[e].weight != weight_word(g, e)))
                ck_abort_msg("edge %llu differs", (unsigned long long)e);
        }
}

static ordo_edge_entry *random_list(ordo_u64 n, ordo_u64 count, ordo_u64 seed)
{
    ordo_edge_entry *list = malloc((count + 1) * sizeof *list);
    for (ordo_u64 i = 0; i < count; i++) {
        ordo_u64 hub = next_random(&seed) % 4; /* a quarter from few tails: long rows */
        list[i].tail = (ordo_vid)(next_random(&seed) % (hub ? n : (n + 99) / 100));
        list[i].head = (ordo_vid)(next_random(&seed) % n);
        list[i].weight = (ordo_u32)next_random(&seed) % 1000;
    }
    return list;
}

/* ---- building ---- */

static const struct {
    ordo_u64 n, count;
    int threads;
} sizes[] = {{0, 0, 1},    {1, 0, 1},      {1, 7, 2},          {5, 40, 1},         {300, 5000, 2},
             {3000, 9, 1}, {513, 2000, 1}, {50000, 120000, 1}, {50000, 120000, 2}, {50000, 120000, 5}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

START_TEST(build_matches_naive)
{
    ordo_u64 n = sizes[_i].n, count = sizes[_i].count, m;
    ordo_edge_entry *list = random_list(n ? n : 1, count, (ordo_u64)_i + 1);
    for (int symmetrise = 0; symmetrise < 2; symmetrise++) {
        naive_edge *edges = naive(list, count, symmetrise, &m);
        for (int weighted = 0; weighted < 2; weighted++) {
            ordo_graph *g = NULL;
            ck_assert_int_eq(ordo_graph_from_edges(n, list, count, weighted ? ORDO_U32 : ORDO_NONE,
                                                   symmetrise ? ORDO_SYMMETRISE : ORDO_AS_STORED, sizes[_i].threads,
                                                   &g),
                             ORDO_OK);
            check_rows(ordo_graph_out(g), n, edges, m);
            ck_assert(ordo_graph_symmetric(g) == symmetrise);
            ordo_graph_free(g);
        }
        free(edges);
    }
    free(list);
}
END_TEST

START_TEST(transpose_matches_naive)
{
    ordo_u64 n = sizes[_i].n, count = sizes[_i].count, m;
    ordo_edge_entry *list = random_list(n ? n : 1, count, (ordo_u64)_i + 100);
    ordo_graph *g = NULL;
    ck_assert_int_eq(ordo_graph_from_edges(n, list, count, ORDO_I32, ORDO_AS_STORED, sizes[_i].threads, &g), ORDO_OK);
    const ordo_csr *out = ordo_graph_out(g), *in = NULL, *again = NULL;
    for (ordo_u64 u = 0, e = 0; u < n; u++)
        for (; e < out->row[u + 1]; e++)
            list[e] = (ordo_edge_entry){out->head[e * out->stride], (ordo_vid)u, weight_word(out, e)};
    naive_edge *edges = naive(list, count, false, &m);
    ordo_u64 bytes = info_of(g).bytes;
    ck_assert_int_eq(ordo_graph_in(g, sizes[_i].threads, &in), ORDO_OK);
    check_rows(in, n, edges, m);
    ck_assert_int_eq(ordo_graph_in(g, 1, &again), ORDO_OK);
    ck_assert_ptr_eq(in, again);
    ck_assert_uint_eq(info_of(g).bytes, 2 * bytes);
    ordo_graph_free(g);
    free(edges);
    free(list);
}
END_TEST

/* A random order of n vertices, by number; *number: the other way round. */
static ordo_vid *random_names(ordo_u64 n, ordo_u64 seed, ordo_vid **number)
{
    ordo_vid *names = malloc((n + 1) * sizeof *names);
    *number = malloc((n + 1) * sizeof **number);
    for (ordo_u64 i = 0; i < n; i++) {
        const ordo_u64 at = next_random(&seed) % (i + 1);
        names[i] = names[at];
        names[at] = (ordo_vid)i;
    }
    for (ordo_u64 i = 0; i < n; i++)
        (*number)[names[i]] = (ordo_vid)i;
    return names;
}

START_TEST(renumbering_matches_naive)
{
    const ordo_u64 n = sizes[_i].n, count = sizes[_i].count;
    ordo_u64 m;
    ordo_vid *number, *names = random_names(n, (ordo_u64)_i + 300, &number);
    ordo_edge_entry *list = random_list(n ? n : 1, count, (ordo_u64)_i + 200);
    ordo_graph *g = NULL, *other = NULL;
    ck_assert_int_eq(ordo_graph_from_edges(n, list, count, ORDO_U32, ORDO_AS_STORED, 1, &g), ORDO_OK);
    ck_assert_int_eq(ordo_graph_renumbered(g, names, sizes[_i].threads, &other), ORDO_OK);
    for (ordo_u64 i = 0; i < count; i++) {
        list[i].tail = number[list[i].tail];
        list[i].head = number[list[i].head];
    }
    naive_edge *edges = naive(list, count, false, &m);
    check_rows(ordo_graph_out(other), n, edges, m);
    ck_assert(!ordo_graph_symmetric(other));
    ordo_graph_free(other);
    for (ordo_u64 i = 0; i < n; i++)
        number[i] = (ordo_vid)i;
    ck_assert_int_eq(ordo_graph_renumbered(g, number, sizes[_i].threads, &other), ORDO_OK);
    ck_assert_uint_eq(info_of(other).checksum, info_of(g).checksum);
    ordo_graph_free(other);
    ordo_graph_free(g);
    free(edges);
    free(list);
    free(names);
    free(number);
}
END_TEST

START_TEST(renumbering_keeps_places_and_refuses)
{
    const ordo_generate_options road = {.kind = "road", .vertices = 5000};
    ordo_graph *g, *other = NULL;
    ck_assert_int_eq(ordo_graph_generate(&road, &g), ORDO_OK);
    const ordo_vid n = ordo_graph_out(g)->n;
    ordo_vid *number, *names = random_names(n, 1, &number);
    names[3] = names[4];
    ck_assert_int_eq(ordo_graph_renumbered(g, names, 1, &other), ORDO_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "name 4: found vertex"));
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), " again, expected each vertex below 5000 once"));
    names[3] = n;
    ck_assert_int_eq(ordo_graph_renumbered(g, names, 1, &other), ORDO_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "name 3: found vertex 5000, expected each"));
    ck_assert_int_eq(ordo_graph_renumbered(g, NULL, 1, &other), ORDO_ERR_USAGE);
    for (ordo_vid v = 0; v < n; v++)
        names[number[v]] = v;
    ck_assert_int_eq(ordo_graph_renumbered(g, names, 2, &other), ORDO_OK);
    ck_assert(ordo_graph_symmetric(other));
    const ordo_i32 *before = ordo_graph_vertex_data(g)->coordinate, *after = ordo_graph_vertex_data(other)->coordinate;
    for (ordo_vid i = 0; i < n; i++)
        ck_assert(!memcmp(after + 2 * i, before + 2 * names[i], 2 * sizeof *after));
    ordo_graph_free(other);
    ordo_graph_free(g);
    free(names);
    free(number);
}
END_TEST

START_TEST(build_refuses)
{
    ordo_edge_entry list[] = {{0, 1, 5}, {1, 2, 6}, {2, 9, 7}};
    ordo_graph *g = NULL;
    ck_assert_int_eq(ordo_graph_from_edges(3, list, 3, ORDO_NONE, ORDO_AS_STORED, 1, &g), ORDO_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "edge 2 of the list: found 2 -> 9, expected ends below 3"));
    ck_assert_int_eq(ordo_graph_from_edges(0xffffffffu, list, 3, ORDO_NONE, ORDO_AS_STORED, 1, &g), ORDO_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "4294967295"));
    ck_assert_int_eq(ordo_graph_from_edges(3, list, 2, ORDO_U64, ORDO_AS_STORED, 1, &g), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_graph_from_edges(3, NULL, 2, ORDO_U32, ORDO_AS_STORED, 1, &g), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_graph_from_edges(3, list, 2, ORDO_U32, ORDO_AS_STORED, 9999, &g), ORDO_ERR_USAGE);
    ck_assert_ptr_null(g);
}
END_TEST

START_TEST(symmetric_is_checked)
{
    ordo_graph *g = NULL;
    ordo_edge_entry good[] = {{0, 1, 5}, {1, 0, 6}, {0, 1, 6}, {1, 0, 5}, {2, 2, 1}};
    ck_assert_int_eq(ordo_graph_from_edges(3, good, 5, ORDO_U32, ORDO_SYMMETRIC, 1, &g), ORDO_OK);
    ck_assert(ordo_graph_symmetric(g));
    ordo_graph_free(g);
    g = NULL;
    ordo_edge_entry missing[] = {{0, 1, 5}, {1, 0, 5}, {2, 1, 5}};
    ck_assert_int_eq(ordo_graph_from_edges(3, missing, 3, ORDO_U32, ORDO_SYMMETRIC, 1, &g), ORDO_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "2 -> 1"));
    ordo_edge_entry twice[] = {{0, 1, 5}, {1, 0, 5}, {1, 0, 5}};
    ck_assert_int_eq(ordo_graph_from_edges(3, twice, 3, ORDO_NONE, ORDO_SYMMETRIC, 1, &g), ORDO_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "1 -> 0"));
    ordo_edge_entry weights[] = {{0, 1, 5}, {0, 1, 7}, {0, 1, 5}, {1, 0, 7}, {1, 0, 5}, {1, 0, 7}};
    ck_assert_int_eq(ordo_graph_from_edges(3, weights, 6, ORDO_U32, ORDO_SYMMETRIC, 1, &g), ORDO_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "0 -> 1"));
    ck_assert_int_eq(ordo_graph_from_edges(3, weights, 6, ORDO_NONE, ORDO_SYMMETRIC, 1, &g), ORDO_OK);
    ordo_graph_free(g);
    /* one edge of many, by several threads: its weight, then its head */
    enum { N = 1000, PAIRS = 60000 };
    ordo_edge_entry *many = random_list(N, PAIRS, 3);
    many = realloc(many, 2 * PAIRS * sizeof *many);
    ck_assert_ptr_nonnull(many);
    for (int i = 0; i < PAIRS; i++)
        many[PAIRS + i] = (ordo_edge_entry){many[i].head, many[i].tail, many[i].weight};
    ck_assert_int_eq(ordo_graph_from_edges(N, many, 2 * PAIRS, ORDO_U32, ORDO_SYMMETRIC, 3, &g), ORDO_OK);
    ordo_graph_free(g);
    int one = 0;
    while (many[one].head == many[one].tail)
        one++;
    many[one].weight ^= 1;
    ck_assert_int_eq(ordo_graph_from_edges(N, many, 2 * PAIRS, ORDO_U32, ORDO_SYMMETRIC, 3, &g), ORDO_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "of the same weight"));
    many[one].weight ^= 1;
    many[one].head = (many[one].head + 1) % N;
    ck_assert_int_eq(ordo_graph_from_edges(N, many, 2 * PAIRS, ORDO_NONE, ORDO_SYMMETRIC, 3, &g), ORDO_ERR_INPUT);
    free(many);
}
END_TEST

START_TEST(checksum_is_of_the_graph_alone)
{
    enum { N = 70000, COUNT = 150000 };
    ordo_edge_entry *list = random_list(N, COUNT, 7);
    ordo_graph *g[3], *split = NULL, *plain[2];
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(ordo_graph_from_edges(N, list, COUNT, ORDO_U32, ORDO_AS_STORED, 1 + 2 * i, &g[i]), ORDO_OK);
    ordo_csr csr = *ordo_graph_out(g[0]);
    ordo_vid *head = malloc(COUNT * sizeof *head);
    ordo_u32 *weight = malloc(COUNT * sizeof *weight);
    for (ordo_u64 e = 0; e < COUNT; e++) {
        head[e] = csr.head[2 * e];
        weight[e] = weight_word(&csr, e);
    }
    csr.head = head;
    csr.weight = weight;
    csr.stride = 1;
    ck_assert_int_eq(ordo_graph_borrow(&csr, false, &split), ORDO_OK);
    ordo_graph_info a = info_of(g[0]), b = info_of(split);
    ck_assert_uint_eq(a.checksum, info_of(g[1]).checksum);
    ck_assert_uint_eq(a.checksum, info_of(g[2]).checksum);
    ck_assert_uint_eq(a.checksum, b.checksum);
    ck_assert(a.weight_mean <= b.weight_mean && a.weight_mean >= b.weight_mean);
    ck_assert_uint_eq(a.max_degree, b.max_degree);
    ck_assert_uint_eq(a.bytes, b.bytes);
    const ordo_csr *in, *in_split;
    ck_assert_int_eq(ordo_graph_in(g[2], 3, &in), ORDO_OK);
    ck_assert_int_eq(ordo_graph_in(split, 2, &in_split), ORDO_OK);
    ck_assert_mem_eq(in->head, in_split->head, 8 * (size_t)COUNT);
    ordo_graph_free(split);

    weight[COUNT / 2]++;
    ck_assert_int_eq(ordo_graph_borrow(&csr, false, &split), ORDO_OK);
    ck_assert_uint_ne(a.checksum, info_of(split).checksum);
    ordo_graph_free(split);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(ordo_graph_from_edges(N + (ordo_u64)i, list, COUNT, ORDO_NONE, ORDO_AS_STORED, 1, &plain[i]),
                         ORDO_OK);
    ck_assert_uint_ne(info_of(plain[0]).checksum, info_of(plain[1]).checksum);
    for (int i = 0; i < 2; i++)
        ordo_graph_free(plain[i]);
    for (int i = 0; i < 3; i++)
        ordo_graph_free(g[i]);
    free(head);
    free(weight);
    free(list);
}
END_TEST

START_TEST(borrow_checks)
{
    ordo_eid row[] = {0, 2, 2, 3};
    ordo_vid head[] = {1, 2, 0};
    ordo_f32 weight[] = {1.5f, -2, 4};
    ordo_csr csr = {3, 3, row, head, weight, 1, ORDO_F32};
    ordo_graph *g = NULL;
    ck_assert_int_eq(ordo_graph_borrow(&csr, false, &g), ORDO_OK);
    ordo_graph_info info = info_of(g);
    ck_assert(fabs(info.weight_min + 2) < 1e-9 && fabs(info.weight_max - 4) < 1e-9);
    ck_assert(fabs(info.weight_mean - 3.5 / 3) < 1e-9);
    ck_assert_uint_eq(info.max_degree, 2);
    ck_assert_uint_eq(info.loops, 0);
    ck_assert_ptr_eq(ordo_graph_ref(g), g);
    ordo_graph_free(g);
    ordo_graph_free(g);
    ordo_graph_free(NULL);
    g = NULL;
    head[1] = 3;
    ck_assert_int_eq(ordo_graph_borrow(&csr, false, &g), ORDO_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "edge 1: found head 3"));
    head[1] = 2;
    row[1] = 3;
    ck_assert_int_eq(ordo_graph_borrow(&csr, false, &g), ORDO_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "row 1"));
    row[1] = 2;
    row[3] = 4;
    ck_assert_int_eq(ordo_graph_borrow(&csr, false, &g), ORDO_ERR_INPUT);
    csr.stride = 3;
    ck_assert_int_eq(ordo_graph_borrow(&csr, false, &g), ORDO_ERR_USAGE);
    ck_assert_ptr_null(g);
}
END_TEST

/* ---- formats ---- */

#define BANNER "%%MatrixMarket matrix coordinate "

static const struct good {
    const char *name, *text;
    ordo_u64 n, m;
    ordo_type type;
    double min, max;
    bool symmetric;
    ordo_u64 id_base, loops;
} goods[] = {
    {"a.gr", "c hi\np sp 3 3\na 1 2 5\nc x\n\na 2 3 7\r\n  a\t3 3 0", 3, 3, ORDO_U32, 0, 7, false, 1, 1},
    {"neg.gr", "p sp 2 2\na 1 2 -2147483648\na 2 1 2147483647\n", 2, 2, ORDO_I32, -2147483648.0, 2147483647, false, 1,
     0},
    {"big.gr", "p sp 2 1\na 1 2 4294967295\n", 2, 1, ORDO_U32, 4294967295.0, 4294967295.0, false, 1, 0},
    {"none.gr", "p sp 4 0\n", 4, 0, ORDO_U32, 0, 0, false, 1, 0},
    {"a.el", "# c\n% d\n0 1\n1\t2\r\n\n 4 4 \n", 5, 3, ORDO_NONE, 0, 0, false, 0, 1},
    {"a.txt", "0 1\n1 2", 3, 2, ORDO_NONE, 0, 0, false, 0, 0},
    {"pipe", "0 1\n1 2", 3, 2, ORDO_NONE, 0, 0, false, 0, 0},
    {"a.wel", "0 1 3\n1 2 4\n", 3, 2, ORDO_U32, 3, 4, false, 0, 0},
    {"neg.wel", "0 1 -3\n1 2 4\n", 3, 2, ORDO_I32, -3, 4, false, 0, 0},
    {"real.wel", "0 1 3\n1 2 4.5\n2 0 1e2\n0 2 -.25\n", 3, 4, ORDO_F32, -0.25, 100, false, 0, 0},
    {"c.csv", "from,to\n0,1\n1,2\n", 3, 2, ORDO_NONE, 0, 0, false, 0, 0},
    {"names", "id_1,id_2\r\n0,24\r\n3,2", 25, 2, ORDO_NONE, 0, 0, false, 0, 0},
    {"kaggle.csv", "Source,Target,Type,Id,Label,Weight\n0,1,Undirected,0,\"a, b\",2.5\n5,1,Undirected,1,,1\n", 6, 2,
     ORDO_F32, 1, 2.5, false, 0, 0},
    {"quoted.csv", "\"WEIGHT\";\"dst\";\"src\"\n\"7\"; \"1\" ;\"2\"\n# c\n-8;1;3\n", 4, 2, ORDO_I32, -8, 7, false, 0,
     0},
    {"t.tsv", "FromNodeId\tToNodeId\tedge label\tcost\n0\t1\t\t5\n1\t2\tx y\t6\n", 3, 2, ORDO_U32, 5, 6, false, 0, 0},
    {"u.txt", "u v w\n0 1 5\n1  2\t6\n", 3, 2, ORDO_U32, 5, 6, false, 0, 0},
    {"bare.csv", "0,1,3\n2,1,4\n", 3, 2, ORDO_U32, 3, 4, false, 0, 0},
    {"bom.csv", "\xef\xbb\xbfsource;target\n0;1\n", 2, 1, ORDO_NONE, 0, 0, false, 0, 0},
    {"escaped.csv", "from,to,\"a \"\"b\"\"\"\n0,1,\"x\"\"y\"\n", 2, 1, ORDO_NONE, 0, 0, false, 0, 0},
    {"quoted.txt", "\"0\" \"1\"\n\"1\" \"2\"\n", 3, 2, ORDO_NONE, 0, 0, false, 0, 0},
    {"slashes", "// c\n//d\n0 1\n// e\n1 2\n", 3, 2, ORDO_NONE, 0, 0, false, 0, 0},
    /* counts: of rudy's, from 1; of algs4's, from 0; without a count of edges; what ends tell goes before that */
    {"rudy", "3 2 \n1 2 -1\n3 2 1\n", 3, 2, ORDO_I32, -1, 1, false, 1, 0},
    {"rudy-0.txt", "3 2\n0 1 5\n1 2 6\n", 3, 2, ORDO_U32, 5, 6, false, 0, 0},
    {"rudy-wide.txt", "9 2\n3 2 5\n4 2 6\n", 9, 2, ORDO_U32, 5, 6, false, 1, 0},
    {"algs4.txt", "# c\n8\n\n2\n4 5  0.35\n% c\n5 4  0.35\n", 8, 2, ORDO_F32, 0.35, 0.35, false, 0, 0},
    {"algs4-1.txt", "3\n2\n1 3\n2 3\n", 3, 2, ORDO_NONE, 0, 0, false, 1, 0},
    {"algs4-n.txt", "6\n0 1 2\n1 2 3\n", 6, 2, ORDO_U32, 2, 3, false, 0, 0},
    {"algs4-0.txt", "6\n0\n", 6, 0, ORDO_NONE, 0, 0, false, 0, 0},
    {"plain-counts.txt", "5 2\n1 2\n1 3\n", 5, 2, ORDO_NONE, 0, 0, false, 1, 0},
    /* and what is an edge, although it nearly is a count */
    {"edge-1.txt", "5 3\n1 2\n1 3\n", 6, 3, ORDO_NONE, 0, 0, false, 0, 0},
    {"edge-2.txt", "3 2\n0 3\n1 2\n", 4, 3, ORDO_NONE, 0, 0, false, 0, 0},
    {"edge-3.txt", "3 2\n1 4\n1 2\n", 5, 3, ORDO_NONE, 0, 0, false, 0, 0},
    {"edge-4.txt", "# Nodes: 6 Edges: 3\n5 2\n1 2\n1 3\n", 6, 3, ORDO_NONE, 0, 0, false, 0, 0},
    {"edge-5.txt", "3 0\n", 4, 1, ORDO_NONE, 0, 0, false, 0, 0},
    {"edge-6.txt", "0 1\n0 0\n", 2, 2, ORDO_NONE, 0, 0, false, 0, 1},
    {"edges.map", "0 1\n1 2\n", 3, 2, ORDO_NONE, 0, 0, false, 0, 0}, /* a suffix of grid maps says nothing */
    {"wide-real.wel", "0 1 5000000000\n1 2 0.5\n", 3, 2, ORDO_F32, 0.5, 5e9, false, 0, 0},
    {"g.mtx", BANNER "integer general\n% x\n3 3 2\n1 2 5\n3 3 -6\n", 3, 2, ORDO_I32, -6, 5, false, 1, 1},
    {"s.mtx", BANNER "pattern symmetric\n3 3 2\n2 1\n3 3\n", 3, 3, ORDO_NONE, 0, 0, true, 1, 1},
    {"k.mtx", BANNER "real skew-symmetric\n3 3 2\n2 1 1.5\n3 1 2\n", 3, 4, ORDO_F32, -2, 2, false, 1, 0},
    {"ki.mtx", BANNER "integer skew-symmetric\n2 2 1\n2 1 7\n", 2, 2, ORDO_I32, -7, 7, false, 1, 0},
    {"r.mtx", "%%matrixmarket MATRIX Coordinate Real General\n2 2 1\n1 2 1e+20\n", 2, 1, ORDO_F32, 1e20f, 1e20f, false,
     1, 0},
};
enum { GOODS = sizeof goods / sizeof goods[0] };

static void check_good(const struct good *want, ordo_graph *g)
{
    ordo_graph_info info = info_of(g);
    ck_assert_uint_eq(info.vertices, want->n);
    ck_assert_uint_eq(info.edges, want->m);
    ck_assert_int_eq(info.weight_type, want->type);
    ck_assert_msg(fabs(info.weight_min - want->min) < 1e-6 && fabs(info.weight_max - want->max) < 1e-6, "%g %g",
                  info.weight_min, info.weight_max);
    ck_assert(info.symmetric == want->symmetric);
    ck_assert_uint_eq(info.id_base, want->id_base);
    ck_assert_uint_eq(info.loops, want->loops);
}

START_TEST(formats_are_read)
{
    const char *path = put_text(goods[_i].name, goods[_i].text);
    ordo_graph *g = must_read(path, NULL);
    ck_assert_str_eq(info_of(g).source, path);
    check_good(&goods[_i], g);
    ordo_graph_free(g);

    ordo_read_options drop = {.edges.weights = ORDO_WEIGHTS_DROP, .edges.direction = ORDO_SYMMETRISE};
    g = must_read(path, &drop);
    ck_assert_int_eq(ordo_graph_out(g)->weight_type, ORDO_NONE);
    ck_assert(ordo_graph_symmetric(g));
    ordo_graph_free(g);
}
END_TEST

static void read_wrapped(const struct good *want, const char *name, const void *bytes, size_t size)
{
    ordo_graph *g = must_read(put_file(name, bytes, size), NULL);
    check_good(want, g);
    ordo_graph_free(g);
    g = NULL;
    for (size_t cut = 3; cut < size; cut += 1 + size / 7) {
        ck_assert_int_eq(ordo_graph_read(put_file(name, bytes, cut), NULL, &g), ORDO_ERR_INPUT);
        ck_assert_ptr_null(g);
    }
    ck_assert_int_eq(ordo_graph_read(put_file(name, bytes, size - 1), NULL, &g), ORDO_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), ": byte "));
    char *damaged = malloc(size);
    memcpy(damaged, bytes, size);
    damaged[size / 2] ^= 0x55;
    ordo_status status = ordo_graph_read(put_file(name, damaged, size), NULL, &g);
    ck_assert_int_eq(status, ORDO_ERR_INPUT);
    free(damaged);
}

START_TEST(wrappings_are_undone)
{
    static unsigned char bytes[4096];
    const struct good *want = &goods[0];
    size_t size = 0;
#ifdef HAVE_ZLIB
    z_stream z = {0};
    for (int member = 0; member < 2; member++) { /* two members, cut in the middle of a line */
        size_t half = 8, all = strlen(want->text);
        ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
        z.next_in = (Bytef *)(size_t)(want->text + (member ? half : 0));
        z.avail_in = (uInt)(member ? all - half : half);
        z.next_out = bytes + size;
        z.avail_out = (uInt)(sizeof bytes - size);
        ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
        size = sizeof bytes - z.avail_out;
        deflateEnd(&z);
    }
    read_wrapped(want, "w.gr.gz", bytes, size);
#endif
#ifdef HAVE_LZMA
    size = 0;
    ck_assert_int_eq(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)want->text, strlen(want->text),
                                             bytes, &size, sizeof bytes),
                     LZMA_OK);
    read_wrapped(want, "w.gr.xz", bytes, size);
#endif
#ifdef HAVE_ZSTD
    ZSTD_CCtx *c = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    size = ZSTD_compress2(c, bytes, sizeof bytes, want->text, strlen(want->text));
    ZSTD_freeCCtx(c);
    read_wrapped(want, "w.gr.zst", bytes, size);
#endif
    (void)bytes, (void)size, (void)want;
}
END_TEST

START_TEST(standard_input_is_read)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq((int)write(ends[1], goods[0].text, strlen(goods[0].text)), (int)strlen(goods[0].text));
    close(ends[1]);
    int old = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    ordo_graph *g = must_read("-", NULL);
    dup2(old, STDIN_FILENO);
    close(old);
    close(ends[0]);
    check_good(&goods[0], g);
    ck_assert_str_eq(info_of(g).source, "standard input");
    ordo_graph_free(g);
}
END_TEST

static size_t put_gap(unsigned char *to, bool directed, int64_t m, int64_t n, const int64_t *row, const int32_t *words,
                      size_t count)
{
    size_t at = 0;
    to[at++] = directed;
    memcpy(to + at, &m, 8);
    memcpy(to + at + 8, &n, 8);
    at += 16;
    for (int part = 0; part < (directed ? 2 : 1); part++) { /* the in-edges are skipped: the same will do */
        memcpy(to + at, row, 8 * ((size_t)n + 1));
        at += 8 * ((size_t)n + 1);
        memcpy(to + at, words, 4 * count);
        at += 4 * count;
    }
    return at;
}

START_TEST(gap_is_read)
{
    unsigned char bytes[256];
    const int64_t row[] = {0, 2, 3, 4};
    const int32_t plain[] = {2, 1, 0, 0}, weighted[] = {2, 9, 1, 8, 0, 8, 0, 9};
    ordo_graph *g = must_read(put_file("a.sg", bytes, put_gap(bytes, false, 4, 3, row, plain, 4)), NULL);
    ck_assert(ordo_graph_symmetric(g));
    ck_assert_uint_eq(ordo_graph_out(g)->head[0], 1); /* sorted */
    ck_assert_int_eq(ordo_graph_out(g)->weight_type, ORDO_NONE);
    ordo_graph_free(g);
    ordo_read_options check = {.edges.direction = ORDO_SYMMETRIC}, both = {.edges.direction = ORDO_SYMMETRISE};
    const char *path = put_file("noname", bytes, put_gap(bytes, true, 4, 3, row, weighted, 8));
    g = must_read(path, &check);
    ck_assert_int_eq(ordo_graph_out(g)->weight_type, ORDO_U32);
    ck_assert_uint_eq(weight_word(ordo_graph_out(g), 0), 8);
    ck_assert_uint_eq(weight_word(ordo_graph_out(g), 3), 9);
    ordo_graph_free(g);
    g = must_read(path, &both);
    ck_assert_uint_eq(ordo_graph_out(g)->m, 8);
    ordo_graph_free(g);
    int32_t negative[] = {2, 9, 1, -8, 0, 8, 0, 9};
    path = put_file("n.wsg", bytes, put_gap(bytes, true, 4, 3, row, negative, 8));
    g = must_read(path, NULL);
    ck_assert_int_eq(ordo_graph_out(g)->weight_type, ORDO_I32);
    ordo_graph_free(g);
    ck_assert_int_eq(ordo_graph_read(path, &check, &g), ORDO_ERR_INPUT);
}
END_TEST

/* ---- damage ---- */

static const struct bad {
    const char *name, *text;
    const char *message;
} bads[] = {
    {"1.gr", "p sp 3 2\na 1 2 5\n", "1.gr:2: found 1 lines of 'a', expected 2 as line 1 says"},
    {"2.gr", "p sp 3 1\na 1 2 5\nc\na 1 3 5\n", "2.gr:4: found 2 lines of 'a', expected 1"},
    {"3.gr", "p sp 3 1\na 0 2 5\n", "3.gr:2: found '0', expected a vertex from 1 to 3"},
    {"4.gr", "p sp 3 1\na 1 4 5\n", "4.gr:2: found '4', expected a vertex from 1 to 3"},
    {"5.gr", "p sp 3 1\na 1 2\n", "5.gr:2: found end of line, expected a weight"},
    {"6.gr", "p sp 3 1\na 1 2", "6.gr:2: found end of file, expected a weight"},
    {"7.gr", "p sp 3 1\na 1 2 4294967296\n", "7.gr:2: found '4294967296', expected a weight of 32 bits"},
    {"8.gr", "p sp 3 1\na 1 2 -2147483649\n", "8.gr:2: found '-2147483649', expected a weight of 32 bits"},
    {"9.gr", "p sp 3 2\na 1 2 -1\na 1 2 3000000000\n", "9.gr:3: found '3000000000', expected a weight of at most"},
    {"10.gr", "p sp 3 1\na 1 2 5 6\n", "10.gr:2: found '6', expected the end of the line"},
    {"11.gr", "p sp 3 1\na 1 2 5.5\n", "11.gr:2: found '5.5', expected an integer weight"},
    {"12.gr", "p sp 3 1\nb 1 2 5\n", "12.gr:2: found 'b', expected a line of 'a' or 'c'"},
    {"13.gr", "c\nc\na 1 2 5\n", "13.gr:3: found 'a', expected a line of 'c', or 'p sp"},
    {"14.gr", "p tw 3 2\n1 2\n", "14.gr:2: found 1 edges, expected 2 as line 1 says"},
    {"15.gr", "c\np min 3 1\n", "15.gr:2: found 'min', expected 'p sp VERTICES ARCS', 'p max"},
    {"16.gr", "p aux sp 3\n", "16.gr:1: found 'aux'"},
    {"17.gr", "p sp 3\n", "17.gr:1: found end of line, expected a number of arcs"},
    {"18.gr", "p sp -3 1\n", "18.gr:1: found '-3', expected a number of vertices"},
    {"19.gr", "p sp 3 1 9\n", "19.gr:1: found '9', expected the end of the line"},
    {"20.gr", "p sp 4000000000 1\na 1 2 3\n", "20.gr:1: found 4000000000 vertices in 26 bytes"},
    {"21.gr", "p sp 4294967295 1\n", "21.gr:1: found 4294967295 vertices, expected at most 4294967294"},
    {"22.gr", "p sp 3 99999999999999999999\n", "22.gr:1: found '99999999999999999999', expected a number of arcs"},
    {"23.gr", "c only\n", "23.gr:2: found end of file, expected a problem line"},
    {"24.gr", "p sp 3 1\np sp 3 1\na 1 2 3\n", "24.gr:2: found 'p'"},
    {"25.gr", "p sp 0 1\na 1 2 3\n", "25.gr:2: found '1', expected no edge"},
    {"26.gr", "p sp 3 1\na1 2 3\n", "26.gr:2: found 'a1'"},
    {"27.gr", "p sp 3 1\na 1 2 99999999999999999999999999\n", "expected a weight of 32 bits"},
    {"28.gr", "hello\n", "28.gr:1: found 'hello'"},
    {"1.el", "0 1\n1 x\n", "1.el:2: found 'x', expected a vertex from 0 to 4294967293"},
    {"2.el", "0 1\n1 -2\n", "2.el:2: found '-2', expected a vertex"},
    {"3.el", "0 1\n\n1 2 3\n", "3.el:3: found '3', expected the end of the line (2 columns"},
    {"4.el", "0 1\n1\n", "4.el:2: found end of line, expected a vertex"},
    {"5.el", "0 1\n0 4294967294\n", "5.el:2: found '4294967294', expected a vertex"},
    {"6.el", "0 1\n0 4294967293\n", "6.el:2: found 4294967294 vertices in 17 bytes"},
    {"7.el", "# nothing\n", "7.el:2: found end of file, expected at least one edge"},
    {"8.el", "0,1\n2 3\n", "8.el:2: found end of line, expected 2 columns, as line 1 has"},
    {"9.el", "foo bar\n", "9.el:1: found columns 'foo', 'bar', expected names that tell"},
    {"1.wel", "0 1 2\n1 2\n", "1.wel:2: found end of line, expected a weight"},
    {"2.wel", "0 1 2\n1 2 3 4\n", "2.wel:2: found '4', expected the end of the line (3 columns"},
    {"3.wel", "0 1 2\n1 2 nan\n", "3.wel:2: found 'nan', expected a weight (a finite number)"},
    {"4.wel", "0 1 2\n1 2 1e39\n", "4.wel:2: found '1e39', expected a weight within the range of a 32-bit float"},
    {"5.wel", "0 1 2\n1 2 5000000000\n", "5.wel:2: found '5000000000', expected a weight of 32 bits"},
    {"6.wel", "0 1 2\n1 2 1e-60\n", "6.wel:2: found '1e-60', expected a weight within the range"},
    {"8.wel", "0 1 2\n1 2 1e-99999\n", "8.wel:2: found '1e-99999', expected a weight within the range"},
    {"7.wel", "0 1 2\n1 2 1.5x\n", "7.wel:2: found '1.5x'"},
    {"1.txt", "1 2 3 4\n", "1.txt:1: found 4 columns without names ('1', '2', '3', '4'), expected"},
    {"2.txt", "800 19176\n1 560 1\n", "2.txt:2: found 1 lines of edges, expected 19176 as line 1 says"},
    {"3.txt", "3\n2\n0 1\n", "3.txt:3: found 1 lines of edges, expected 2 as line 2 says"},
    {"4.txt", "3\n2\n0 1\n1 2\n2 0\n", "4.txt:5: found 3 lines of edges, expected 2 as line 2 says"},
    {"5.txt", "3\n2\n0 1\n1 3\n", "5.txt:4: found '3', expected a vertex from 0 to 2"},
    {"6.txt", "3 2\n1 2 7\n1 4 7\n", "6.txt:3: found '4', expected a vertex from 1 to 3"},
    {"7.txt", "3\nx\n", "7.txt:1: found end of line, expected two ends"},
    {"8.txt", "3\n", "8.txt:1: found end of line, expected two ends"},
    {"9.txt", "4000000000 1\n1 2 3\n", "9.txt:1: found 4000000000 vertices in"},
    {"10.txt", "3\n2\n", "10.txt:2: found 0 lines of edges, expected 2 as line 2 says"},
    {"11.txt", "0 1\n/ 2\n", "11.txt:2: found '/', expected a vertex"},
    {"1.tsv", "u\tv\tw\n0\t1\t2\n0\t1\n", "1.tsv:3: found end of line, expected 3 columns, as line 1 has"},
    {"2.tsv", "u\tv\tw\n0\t\t2\n", "2.tsv:2: found '', expected a vertex"},
    {"2.csv", "from,to\n0,1,2\n", "2.csv:2: found '2', expected 2 columns, as line 1 has"},
    {"3.csv", "from,to\n0,x\n", "3.csv:2: found 'x', expected a vertex from 0"},
    {"4.csv", "from,to,weight\n0,1,\n", "4.csv:2: found end of line, expected a weight"},
    {"5.csv", "from,to,weight\n0,1,2 3\n", "5.csv:2: found '2', expected a weight"},
    {"6.csv", "from,to\n\"0,1\n", "6.csv:2: found '\"0,1', expected 2 columns"},
    {"7.csv", "from,to\n\"0\"1,1\n", "7.csv:2: found '\"0\"1,1', expected 2 columns"},
    {"8.csv", "from,to,u\n0,1,2\n", "8.csv:1: found columns 'from', 'to', 'u', expected names that tell"},
    {"9.csv", "source,target,weight,cost\n0,1,2,3\n", "9.csv:1: found columns 'source', 'target', 'weight', 'cost', "},
    {"10.csv", "\"from,to\n0,1\n", "10.csv:1: found '\"from,to', expected at most 256 columns, and quotes"},
    {"11.csv", "from,to\n", "11.csv:2: found end of file, expected at least one edge"},
    {"12.csv", "0,1,2,3\n", "12.csv:1: found 4 columns without names ('0', '1', '2', '3'), expected two or three"},
    {"13.csv", "from,to,w\n0,1,1.23456789012\n", "13.csv:2: found '1.23456789012', expected a weight that a 32-bit"},
    {"1.hgr", "1 2\n1 2\n", "1.hgr: found a hypergraph (hMETIS)"},
    {"1.aig", "aig 1 1 0 0 0\n", "1.aig: found a circuit (AIGER)"},
    {"a.map", "type octile\nheight 1\n", "a.map: found a grid map (MovingAI)"},
    {"a.map.scen", "version 1\n", "a.map.scen: found a list of queries"},
    {"1.co", "p aux sp co 1\nv 1 1 1\n", "1.co: found a co file"},
    {"1.mtx", BANNER "complex general\n2 2 0\n", "1.mtx:1: found 'complex', expected 'pattern', 'integer' or 'real'"},
    {"2.mtx", BANNER "real hermitian\n2 2 0\n", "2.mtx:1: found 'hermitian'"},
    {"3.mtx", "%%MatrixMarket matrix array real general\n2 2\n", "3.mtx:1: found 'array', expected 'coordinate'"},
    {"4.mtx", BANNER "real general\n%\n2 3 0\n", "4.mtx:3: found '3', expected 2 columns, as many as rows"},
    {"5.mtx", BANNER "pattern general\n2 2 1\n1 3\n", "5.mtx:3: found '3', expected a vertex from 1 to 2"},
    {"6.mtx", BANNER "pattern general\n2 2 2\n1 2\n", "6.mtx:3: found 1 entries, expected 2 as line 2 says"},
    {"7.mtx", BANNER "pattern general\n2 2 1\n1 2\n2 1\n", "7.mtx:4: found 2 entries, expected 1"},
    {"8.mtx", BANNER "integer general\n2 2 1\n1 2 1.5\n", "8.mtx:3: found '1.5', expected an integer weight"},
    {"9.mtx", BANNER "integer general\n2 2 1\n1 2 4294967296\n", "9.mtx:3: found '4294967296'"},
    {"10.mtx", BANNER "real general\n2 2 1\n1 2 1e+300\n", "10.mtx:3: found '1e+300', expected a weight within"},
    {"11.mtx", BANNER "real general\n2 2 1\n1 2 inf\n", "11.mtx:3: found 'inf', expected a weight"},
    {"12.mtx", BANNER "pattern skew-symmetric\n2 2 0\n", "12.mtx:1: found 'skew-symmetric'"},
    {"13.mtx", BANNER "real general\n", "13.mtx:2: found end of file, expected a line 'ROWS COLUMNS ENTRIES'"},
    {"14.mtx", BANNER "real general\n2 x 1\n", "14.mtx:2: found 'x', expected a number of columns"},
    {"15.mtx", "%%MatrixMarket vector coordinate real general\n", "15.mtx:1: found 'vector', expected 'matrix'"},
    {"16.mtx", BANNER "integer skew-symmetric\n2 2 1\n2 1 3000000000\n", "16.mtx:3: found '3000000000'"},
    {"17.mtx", BANNER "pattern general\n3999999999 3999999999 0\n", "17.mtx:2: found 3999999999 vertices"},
    {"18.mtx", BANNER "pattern general\n2 2 1\n1 2 7\n", "18.mtx:3: found '7', expected the end of the line"},
    {"19.mtx", "2 2 1\n%%MatrixMarket\n", "19.mtx:1: found '2', expected '%%MatrixMarket'"},
    {"20.mtx", "%%MatrixMarket matrix coordinate\n2 2 0\n", "20.mtx:1: found end of line, expected 'pattern'"},
    {"1.max", "p max 3 1\nn 1 s\n", "1.max:3: found end of file, expected 'n ID t' before the arcs"},
    {"2.max", "p max 3 1\nn 1 s\na 1 2 3\nn 3 t\n", "2.max:3: found 'a', expected 'n ID t' before the arcs"},
    {"3.max", "p max 3 1\nn 1 s\nn 1 t\na 1 2 3\n", "3.max:3: found '1', expected a sink other than the source"},
    {"4.max", "p max 3 1\nn 1 s\nn 2 s\na 1 2 3\n", "4.max:3: found 's', expected one source"},
    {"5.max", "p max 3 1\nn 0 s\nn 2 t\na 1 2 3\n", "5.max:2: found '0', expected a vertex from 1 to 3"},
    {"6.max", "p max 3 1\nn 1 s\nn 4 t\na 1 2 3\n", "6.max:3: found '4', expected a vertex from 1 to 3"},
    {"7.max", "p max 3 1\nn 1 s\nn 3 x\na 1 2 3\n", "7.max:3: found 'x', expected 's' or 't'"},
    {"8.max", "p max 3 1\nn 1 s\nn 3 t\na 1 2 -3\n", "8.max:4: found '-3', expected a capacity of 0 or more"},
    {"9.max", "p max 3 2\nn 1 s\nn 3 t\na 1 2 3\n", "9.max:4: found 1 lines of 'a', expected 2 as line 1 says"},
    {"10.max", "p max 3 1\nn 1 s\nn 3 t\na 1 2 5000000000\n", "10.max:4: found '5000000000', expected a weight of 32"},
    {"11.max", "p max 3 1\nn 1 s\nn 3 t\na 1 9 5\n", "11.max:4: found '9', expected a vertex from 1 to 3"},
    {"12.max", "p max 3 1\nn 1 s\nn 3 t 4\na 1 2 5\n", "12.max:3: found '4', expected the end of the line"},
    {"13.max", "p max -3 1\n", "13.max:1: found '-3', expected a number of vertices"},
    {"14.max", "p max 3 1\nn 1 s\nn 3 t\na 1 2\n", "14.max:4: found end of line, expected a weight"},
    {"15.max", "p max 3 1\nn 1 s\nn 3 t\na 1 2 nan\n", "15.max:4: found 'nan', expected an integer weight"},
    {"1.graph", "3 2\n2\n1 3\n", "1.graph:3: found 2 lines of vertices, expected 3 as line 1 says"},
    {"2.graph", "3 2\n2\n1 3\n2\n1\n", "2.graph:5: found '1', expected the end of the file: line 1 says 3 vertices"},
    {"3.graph", "3 3\n2\n1 3\n2\n", "3.graph:1: found 4 neighbours, expected 6, two an edge"},
    {"4.graph", "3 2\n2\n1 4\n2\n", "4.graph:3: found '4', expected a vertex from 1 to 3"},
    {"5.graph", "3 2\n2\n1 0\n2\n", "5.graph:3: found '0', expected a vertex from 1 to 3"},
    {"6.graph", "3 2\n2\n1 2\n2\n", "6.graph:3: found '2', expected another vertex: the format has no self-loops"},
    {"7.graph", "3 2\n2\n1 3\n1\n", "found edge 2 -> 3, expected 3 -> 2 as well"},
    {"8.graph", "3 2 001\n2 1\n1 1 3 1\n2 2\n", "found edge 2 -> 3, expected 3 -> 2 of the same weight as well"},
    {"9.graph", "3 2 1\n2 1\n1 1 3\n2 2\n", "9.graph:3: found end of line, expected a weight for every neighbour"},
    {"10.graph", "3 2 7\n", "10.graph:1: found '7', expected FMT: up to three digits 0 or 1"},
    {"11.graph", "3 2 011 0\n", "11.graph:1: found '0', expected NCON"},
    {"12.graph", "3 2 10\n5 2\n1 1 3\n\n", "12.graph:4: found end of line, expected 1 numbers for the vertex itself"},
    {"13.graph", "3 2\n2\n1 x\n2\n", "13.graph:3: found 'x', expected a vertex from 1 to 3"},
    {"14.graph", "3000000000 2\n2\n", "14.graph:1: found '3000000000', expected no more vertices than the file has"},
    {"15.graph", "-3 2\n2\n", "15.graph:1: found '-3', expected a number of vertices"},
    {"16.graph", "3 2 1\n2 5000000000\n1 1\n\n", "16.graph:2: found '5000000000', expected a weight"},
    {"17.graph", "% only\n", "17.graph:2: found end of file, expected a line 'VERTICES EDGES [FMT [NCON]]'"},
    {"18.graph", "3 2 1 2\n", "18.graph:1: found '2', expected the end of the line: FMT says no vertex weights"},
    {"19.graph", "3 99999999999999999999\n", "19.graph:1: found '99999999999999999999', expected a number of edges"},
    {"10.el", "# Nodes: 3999999999 Edges: 1\n0 1\n", "10.el:1: found 3999999999 vertices in 33 bytes"},
    {"11.el", "0 1\n2\t\n", "11.el:2: found end of line, expected a vertex"},
    {"12.el", "0 1\n1 99999999999999999999999\n", "12.el:2: found '99999999999999999999999', expected a vertex"},
    {"1.csv", "a,b\n0,1\n", "1.csv:1: found columns 'a', 'b', expected names that tell"},
    {"1.unknown", "hello\n", "1.unknown:1: found 'hello', expected DIMACS .gr"},
    {"empty.gr", "", "found an empty file"},
};
enum { BADS = sizeof bads / sizeof bads[0] };

/* What f32 holds, and what of the rest --round takes: docs/formats.md, "Widths". Also what the nearest float is. */
static const struct width {
    const char *text; /* a weight */
    bool held, whole; /* without being asked; it alone makes integers of the list */
    double value;     /* once rounded */
} widths[] = {
    {"0.1", true, false, 0.1f},
    {"0.123456789", true, false, 0.123456789f},    /* 9 digits */
    {"0.1234567891", false, false, 0.1234567891f}, /* 10 */
    {"1234567.89", true, false, 1234567.89f},
    {"1234567.891", false, false, 1234567.891f},
    {"0.1000000000", true, false, 0.1f}, /* zeros are no digits */
    {"000000000000.1", true, false, 0.1f},
    {"0.10000000149011612", true, false, 0.1f}, /* 17 digits of what is a float */
    {"0.100000001490116119384765625", true, false, 0.1f},
    {"0.10000000149011613", false, false, 0.1f},
    {"3.141592653589793", false, false, 3.141592653589793f},
    {"-3.141592653589793", false, false, -3.141592653589793f},
    {"16777216.0", true, false, 16777216},
    {"16777217.0", false, false, 16777216}, /* a whole number */
    {"16777217.5", true, false, 16777218},  /* 9 digits */
    {"1e20", true, false, 1e20f},
    {"1.6777217e7", true, false, 16777216},
    {"123456789e1", true, false, 1234567890e0f},
    {"1234567891e1", false, false, 12345678910e0f},
    {"16777217", true, true, 16777217},
    {"4294967295", true, true, 4294967295.0},
    {"4294967296", false, true, 4294967296.0}, /* a float, but no integer of 32 bits */
    {"4294967297", false, true, 4294967296.0},
    {"-2147483649", false, true, -2147483648.0},
    {"99999999999999999999", false, true, 1e20f},
};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

START_TEST(widths_are_kept)
{
    const struct width *w = &widths[_i];
    static const char *const formats[] = {"0 1 %s\n",
                                          "from,to,weight\n0,1,\"%s\"\n",
                                          "2\n1\n0 1 %s\n",
                                          "%%%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 %s\n",
                                          "%%%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 %s\n",
                                          "p sp 2 1\na 1 2 %s\n"};
    static const char *const names[] = {"w.wel", "w.csv", "w.txt", "w.mtx", "wi.mtx", "w.gr"};
    static const int lines[] = {1, 2, 3, 3, 3, 2};
    const ordo_read_options round = {.round = true}, drop = {.edges.weights = ORDO_WEIGHTS_DROP};
    for (int f = 0; f < (w->whole ? 6 : 4); f++) {
        char text[256], where[64];
        snprintf(text, sizeof text, formats[f], w->text);
        snprintf(where, sizeof where, "%s:%d: found '%.10s", names[f], lines[f], w->text);
        const char *path = put_text(names[f], text);
        ordo_graph *g = NULL;
        bool real = f == 3, held = real && w->whole ? (double)(ordo_f32)atof(w->text) == atof(w->text) : w->held;
        if (real && !strcmp(w->text, "99999999999999999999"))
            held = false; /* that is not 1e20 */
        ordo_status status = ordo_graph_read(path, NULL, &g);
        ck_assert_msg((status == ORDO_OK) == held, "%s in %s: %s", w->text, names[f], ordo_last_error());
        if (!held) {
            ck_assert_int_eq(status, ORDO_ERR_INPUT);
            ck_assert_msg(strstr(ordo_last_error(), where) && strstr(ordo_last_error(), "(--round"), "%s, not %s",
                          ordo_last_error(), where);
            g = must_read(path, &drop); /* no weight is read */
        }
        ordo_graph_free(g);
        g = must_read(path, &round);
        ordo_graph_info info = info_of(g);
        double want = real ? (double)(ordo_f32)w->value : w->value;
        ck_assert_msg(info.weight_min == want, "%s in %s: %.17g, not %.17g", w->text, names[f], info.weight_min, want);
        ck_assert((info.weight_type == ORDO_F32) == (real || !w->whole || !w->held));
        ordo_graph_free(g);
    }
}
END_TEST

/* Whole numbers that would be exact alone are not beside a fraction. */
START_TEST(widths_beside_others)
{
    const ordo_read_options round = {.round = true};
    static const struct {
        const char *text, *message;
        ordo_type type;
        double min, max;
    } table[] = {
        {"0 1 0.5\n1 2 16777216\n", NULL, ORDO_F32, 0.5, 16777216},
        {"0 1 0.5\n1 2 16777217\n", ":2: found '16777217', expected a weight that", ORDO_F32, 0.5, 16777216},
        {"0 1 16777217\n1 2 0.5\n", ":1: found '16777217', expected a weight that", ORDO_F32, 0.5, 16777216},
        {"0 1 -1\n1 2 2147483648\n", ":2: found '2147483648', expected a weight of at most 2147483647", ORDO_F32, -1,
         2147483648},
        {"0 1 1\n1 2 4294967296\n0 2 0.5\n", NULL, ORDO_F32, 0.5, 4294967296},
        {"0 1 1\n1 2 1e39\n", ":2: found '1e39', expected a weight within the range", ORDO_NONE, 0, 0},
        {"0 1 1\n1 2 1e-60\n", ":2: found '1e-60', expected a weight within the range", ORDO_NONE, 0, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const char *path = put_text("beside.wel", table[i].text);
        ordo_graph *g = NULL;
        ordo_status status = ordo_graph_read(path, NULL, &g);
        ck_assert_msg((status == ORDO_OK) == !table[i].message, "%zu: %s", i, ordo_last_error());
        if (table[i].message)
            ck_assert_msg(strstr(ordo_last_error(), table[i].message), "%s", ordo_last_error());
        ordo_graph_free(g);
        g = NULL;
        status = ordo_graph_read(path, &round, &g);
        if (table[i].type == ORDO_NONE) {
            ck_assert_int_eq(status, ORDO_ERR_INPUT); /* no float is near */
            continue;
        }
        ordo_graph_info info = info_of(g);
        ck_assert_int_eq(info.weight_type, table[i].type);
        ck_assert(info.weight_min == table[i].min && info.weight_max == table[i].max);
        ordo_graph_free(g);
    }
    ordo_graph *g = NULL;
    const char *path = put_text("w.max", "p max 2 1\nn 1 s\nn 2 t\na 1 2 4294967296\n");
    ck_assert_int_eq(ordo_graph_read(path, &round, &g), ORDO_ERR_INPUT); /* capacities are u32 */
    ck_assert_ptr_null(strstr(ordo_last_error(), "--round"));
    path = put_text("x.gr", "p sp 2 2\na 1 2 4294967296\na 1 2 0.5\n");
    ck_assert_int_eq(ordo_graph_read(path, &round, &g), ORDO_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "x.gr:3: found '0.5', expected an integer weight"));
}
END_TEST

START_TEST(columns_are_chosen)
{
    static const struct {
        const char *name, *text, *columns;
        ordo_status status;
        const char *message;
        ordo_vid tail, head; /* of the first edge */
        ordo_type type;
        double weight;
    } table[] = {
        {"a.csv", "6,2,4,1289.5\n", "1,2,3", ORDO_OK, NULL, 6, 2, ORDO_U32, 4},
        {"a.csv", "6,2,4,1289.5\n", "2,1", ORDO_OK, NULL, 2, 6, ORDO_NONE, 0},
        {"a.csv", "6,2,4,1289.5\n", "3,1,4", ORDO_OK, NULL, 4, 6, ORDO_F32, 1289.5},
        {"b.csv", "a,b,c\n1,2,3\n", "C,a,b", ORDO_OK, NULL, 3, 1, ORDO_U32, 2},
        {"b.csv", "a,b,c\n1,2,3\n", "3,1", ORDO_OK, NULL, 3, 1, ORDO_NONE, 0},
        {"from.csv", "from,to,weight\n1,2,3\n", "to,from", ORDO_OK, NULL, 2, 1, ORDO_NONE, 0},
        {"year.csv", "2,1,x y\n5,6,7\n", "1,2", ORDO_OK, NULL, 6, 5, ORDO_NONE, 0}, /* a name that is a number */
        {"blanks", "1 2 3 4\n", "4,2,1", ORDO_OK, NULL, 4, 2, ORDO_U32, 1},
        {"words", "a b c\n1 2 3\n", "a,c", ORDO_OK, NULL, 1, 3, ORDO_NONE, 0},
        {"counts.txt", "3 2\n1 2\n1 3\n", "1,2", ORDO_OK, NULL, 1, 2, ORDO_NONE, 0}, /* then no line counts */
        {"b.csv", "a,b,c\n1,2,3\n", "a,d", ORDO_ERR_USAGE,
         "b.csv:1: found no column 'd', expected a number from 1 to 3", 0, 0, ORDO_NONE, 0},
        {"b.csv", "a,b,c\n1,2,3\n", "a,4", ORDO_ERR_USAGE, "found no column '4'", 0, 0, ORDO_NONE, 0},
        {"b.csv", "a,b,c\n1,2,3\n", "a,0", ORDO_ERR_USAGE, "found no column '0'", 0, 0, ORDO_NONE, 0},
        {"b.csv", "a,b,c\n1,2,3\n", "a", ORDO_ERR_USAGE, "columns 'a', expected FROM,TO", 0, 0, ORDO_NONE, 0},
        {"b.csv", "a,b,c\n1,2,3\n", "", ORDO_ERR_USAGE, "found no column ''", 0, 0, ORDO_NONE, 0},
        {"b.csv", "a,b,c\n1,2,3\n", "a,b,", ORDO_ERR_USAGE, "found no column ''", 0, 0, ORDO_NONE, 0},
        {"b.csv", "a,b,c\n1,2,3\n", "a,b,c,a", ORDO_ERR_USAGE, "columns 'a,b,c,a', expected FROM,TO", 0, 0, ORDO_NONE,
         0},
        {"b.csv", "a,b,c\n1,2,3\n", "a,1", ORDO_ERR_USAGE, "expected a different one for each", 0, 0, ORDO_NONE, 0},
        {"c.csv", "a,a,c\n1,2,3\n", "a,c", ORDO_ERR_USAGE, "found two columns 'a', expected one", 0, 0, ORDO_NONE, 0},
        {"d.gr", "p sp 2 1\na 1 2 3\n", "1,2", ORDO_ERR_USAGE, "d.gr: found no edge list", 0, 0, ORDO_NONE, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const ordo_read_options options = {.columns = table[i].columns};
        ordo_graph *g = NULL;
        ordo_status status = ordo_graph_read(put_text(table[i].name, table[i].text), &options, &g);
        ck_assert_msg(status == table[i].status, "%zu: %s", i, ordo_last_error());
        if (status) {
            ck_assert_msg(strstr(ordo_last_error(), table[i].message), "%zu: %s", i, ordo_last_error());
            continue;
        }
        const ordo_csr *csr = ordo_graph_out(g);
        ck_assert(csr->row[table[i].tail + 1] > csr->row[table[i].tail]);
        ck_assert_uint_eq(csr->head[csr->row[table[i].tail] * csr->stride], table[i].head);
        ordo_graph_info info = info_of(g);
        ck_assert_int_eq(info.weight_type, table[i].type);
        ck_assert(info.weight_max == table[i].weight);
        ordo_graph_free(g);
    }
}
END_TEST

/* Which vertex is which, where counts precede the edges. */
START_TEST(counts_tell_the_first_vertex)
{
    static const struct {
        const char *text;
        ordo_vid tail, head;
    } table[] = {{"4 2\n2 3 7\n3 2 7\n", 1, 2},
                 {"4\n2\n2 3 7\n3 2 7\n", 2, 3},
                 {"4\n2\n2 4 7\n3 2 7\n", 1, 3},
                 {"4 2\n2 3 7\n0 2 7\n", 2, 3}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        ordo_graph *g = must_read(put_text("which.txt", table[i].text), NULL);
        const ordo_csr *csr = ordo_graph_out(g);
        ck_assert_uint_eq(csr->n, 4);
        ck_assert(csr->row[table[i].tail + 1] == csr->row[table[i].tail] + 1);
        ck_assert_uint_eq(csr->head[csr->row[table[i].tail] * csr->stride], table[i].head);
        ordo_graph_free(g);
    }
}
END_TEST

/* What the writer puts out is never taken for counts. */
START_TEST(written_lists_have_no_counts)
{
    for (ordo_vid u = 1; u < 6; u++)
        for (ordo_vid low = 0; low <= u; low++) {
            ordo_edge_entry edges[8];
            ordo_u64 count = 0;
            for (ordo_vid v = low; v <= u; v++)
                edges[count++] = (ordo_edge_entry){u, v, 0};
            for (ordo_u64 m = 1; m <= count; m++) {
                ordo_graph *g = NULL, *back;
                ck_assert_int_eq(ordo_graph_from_edges(u + 1, edges, m, ORDO_NONE, ORDO_AS_STORED, 1, &g), ORDO_OK);
                ck_assert_int_eq(ordo_graph_write(g, path_of("list.el")), ORDO_OK);
                back = must_read(path_of("list.el"), NULL);
                ck_assert_uint_eq(info_of(back).checksum, info_of(g).checksum);
                ordo_graph_free(back);
                ordo_graph_free(g);
            }
        }
}
END_TEST

static void must_fail(const char *path, ordo_status want, const char *message)
{
    ordo_graph *g = NULL;
    ordo_status status = ordo_graph_read(path, NULL, &g);
    ck_assert_ptr_null(g);
    ck_assert_msg(status == want && strstr(ordo_last_error(), message), "%s: %s, \"%s\", not \"%s\"", path,
                  ordo_status_name(status), ordo_last_error(), message);
    ck_assert_ptr_null(strchr(ordo_last_error(), '\n'));
}

START_TEST(damage_is_named)
{
    must_fail(put_text(bads[_i].name, bads[_i].text), ORDO_ERR_INPUT, bads[_i].message);
}
END_TEST

START_TEST(bipartite_matrices)
{
    const ordo_read_options two = {.bipartite = true};
    static const struct {
        const char *name, *text, *message;
    } odd[] = {
        {"1.mtx", BANNER "pattern symmetric\n2 2 0\n", "1.mtx:1: found 'symmetric', expected 'general'"},
        {"2.mtx", BANNER "pattern general\n2 3 1\n3 1\n", "2.mtx:3: found '3', expected a row from 1 to 2"},
        {"3.mtx", BANNER "pattern general\n2 3 1\n1 4\n", "3.mtx:3: found '4', expected a column from 1 to 3"},
        {"4.mtx", BANNER "pattern general\n0 3 1\n1 1\n", "4.mtx:2: found '1', expected 0 entries: there are no rows"},
        {"5.mtx", BANNER "pattern general\n3 0 1\n1 1\n", "5.mtx:2: found '1', expected 0 entries: there are no col"},
        {"6.mtx", BANNER "pattern general\n2999999999 2999999999 0\n", "6.mtx:2: found 5999999998 vertices"},
    };
    ordo_graph *g = must_read(put_text("a.mtx", BANNER "integer general\n2 3 3\n1 1 5\n2 3 7\n2 1 9\n"), &two);
    const ordo_csr *rows = ordo_graph_out(g);
    static const ordo_vid heads[] = {2, 2, 4};
    static const ordo_u32 weights[] = {5, 9, 7};
    ck_assert_uint_eq(rows->n, 5);
    ck_assert_uint_eq(rows->m, 3);
    ck_assert_uint_eq(rows->row[1], 1);
    ck_assert_uint_eq(rows->row[2], 3);
    for (ordo_eid e = 0; e < 3; e++) {
        ck_assert_uint_eq(rows->head[e * rows->stride], heads[e]);
        ck_assert_uint_eq(((const ordo_u32 *)rows->weight)[e * rows->stride], weights[e]);
    }
    ordo_graph_free(g);
    const ordo_read_options both = {.bipartite = true, .edges.direction = ORDO_SYMMETRISE};
    g = must_read(put_text("a.mtx", BANNER "pattern general\n1 2 2\n1 1\n1 2\n"), &both);
    ck_assert_uint_eq(ordo_graph_out(g)->m, 4);
    ck_assert_uint_eq(ordo_graph_out(g)->head[2 * ordo_graph_out(g)->stride], 0);
    ordo_graph_free(g);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        ck_assert_int_eq(ordo_graph_read(put_text(odd[i].name, odd[i].text), &two, &g), ORDO_ERR_INPUT);
        ck_assert_msg(strstr(ordo_last_error(), odd[i].message), "%s", ordo_last_error());
    }
    ck_assert_int_eq(ordo_graph_read(put_text("a.el", "0 1\n"), &two, &g), ORDO_ERR_USAGE);
    ck_assert_msg(strstr(ordo_last_error(), "expected one for a bipartite graph"), "%s", ordo_last_error());
}
END_TEST

START_TEST(binary_damage_is_named)
{
    static const char nul[] = "p sp 3 1\na 1 \0 5\n";
    must_fail(put_file("nul.gr", nul, sizeof nul - 1), ORDO_ERR_INPUT, "nul.gr:2: found '\\x00'");
    static const char nul_el[] = "0 1\n\0\n";
    must_fail(put_file("nul.el", nul_el, sizeof nul_el - 1), ORDO_ERR_INPUT, "nul.el:2: found '\\x00'");
    unsigned char bytes[256];
    int64_t row[] = {0, 2, 3, 4};
    int32_t words[] = {2, 1, 0, 0};
    size_t size = put_gap(bytes, false, 4, 3, row, words, 4);
    must_fail(put_file("1.sg", bytes, size - 1), ORDO_ERR_INPUT,
              "1.sg: byte 64: found the end of the file, expected 65");
    must_fail(put_file("2.sg", bytes, 16), ORDO_ERR_INPUT, "2.sg: byte 16: found the end of the file");
    must_fail(put_file("3.sg", bytes, size + 3), ORDO_ERR_INPUT, "3.sg: byte 65: found more bytes");
    words[2] = 3;
    size = put_gap(bytes, false, 4, 3, row, words, 4);
    must_fail(put_file("4.sg", bytes, size), ORDO_ERR_INPUT, "4.sg: byte 57: found 3 as a neighbour");
    words[2] = -1;
    size = put_gap(bytes, false, 4, 3, row, words, 4);
    must_fail(put_file("5.sg", bytes, size), ORDO_ERR_INPUT, "5.sg: byte 57: found -1 as a neighbour");
    words[2] = 0;
    row[1] = 4;
    size = put_gap(bytes, false, 4, 3, row, words, 4);
    must_fail(put_file("6.sg", bytes, size), ORDO_ERR_INPUT, "6.sg: byte 33: found 3 as the offset of a row");
    row[0] = 1;
    size = put_gap(bytes, false, 4, 3, row, words, 4);
    must_fail(put_file("7.sg", bytes, size), ORDO_ERR_INPUT, "7.sg: byte 17: found 1 as the offset of a row");
    bytes[0] = 2;
    must_fail(put_file("8.sg", bytes, size), ORDO_ERR_INPUT, "8.sg: byte 0: found 2");
    bytes[0] = 0;
    memset(bytes + 1, 0x7f, 8);
    must_fail(put_file("9.sg", bytes, size), ORDO_ERR_INPUT, "9.sg: byte 1: found");
    memset(bytes + 1, 0, 16);
    memset(bytes + 9, 0xff, 8);
    must_fail(put_file("10.wsg", bytes, size), ORDO_ERR_INPUT, "10.wsg: byte 9: found -1");
}
END_TEST

START_TEST(files_that_are_none)
{
    must_fail(path_of("missing.gr"), ORDO_ERR_IO, strerror(ENOENT));
    must_fail(folder, ORDO_ERR_IO, strerror(EISDIR));
    ordo_graph *g = NULL;
    ordo_read_options many = {.threads = 5000};
    ck_assert_int_eq(ordo_graph_read(put_text("m.gr", goods[0].text), &many, &g), ORDO_ERR_USAGE);
    if (geteuid() != 0) {
        const char *path = put_text("secret.gr", "p sp 1 0\n");
        chmod(path, 0);
        must_fail(path, ORDO_ERR_IO, strerror(EACCES));
    }
    ck_assert_ptr_null(g);
}
END_TEST

/* A line deep in a file of many chunks, whatever the number of threads. */
START_TEST(lines_are_counted_across_chunks)
{
    enum { LINES = 60000, WRONG = 41234 };
    char *text = malloc(LINES * 32);
    size_t size = 0;
    for (int i = 1; i <= LINES; i++)
        size += (size_t)sprintf(text + size, i == WRONG || i == WRONG + 9000 ? "%d z%d 7\n" : "%d %d 7\n", i % 1000,
                                i % 977);
    const char *path = put_file("long.wel", text, size);
    for (int threads = 1; threads <= 5; threads += 2) {
        ordo_read_options options = {.threads = threads};
        ordo_graph *g = NULL;
        ck_assert_int_eq(ordo_graph_read(path, &options, &g), ORDO_ERR_INPUT);
        ck_assert_msg(strstr(ordo_last_error(), "long.wel:41234: found 'z") != NULL, "%s", ordo_last_error());
    }
    free(text);
}
END_TEST

/* ---- writing ---- */

START_TEST(written_graphs_come_back)
{
    static const struct {
        const char *name;
        ordo_type type;
        bool symmetrise;
    } rounds[] = {{"r.gr", ORDO_U32, false},   {"ri.gr", ORDO_I32, true},  {"r.wel", ORDO_F32, false},
                  {"ri.wel", ORDO_I32, false}, {"ru.wel", ORDO_U32, true}, {"r.el", ORDO_NONE, false},
                  {"r.sg", ORDO_NONE, false},  {"rs.sg", ORDO_NONE, true}, {"r.wsg", ORDO_U32, false},
                  {"ri.wsg", ORDO_I32, false}, {"rs.wsg", ORDO_U32, true}};
    enum { N = 3000, COUNT = 40000 };
    for (size_t i = 0; i < sizeof rounds / sizeof rounds[0]; i++) {
        ordo_edge_entry *list = random_list(N, COUNT, 11 + i);
        list[0].tail = N - 1; /* an edge list tells of no more vertices than this */
        for (int k = 0; k < COUNT; k++) {
            ordo_f32 real = (ordo_f32)list[k].weight / 7 - 3;
            if (rounds[i].type == ORDO_I32)
                list[k].weight -= 500;
            else if (rounds[i].type == ORDO_F32)
                memcpy(&list[k].weight, &real, sizeof real);
        }
        ordo_graph *g = NULL, *back;
        ck_assert_int_eq(ordo_graph_from_edges(N, list, COUNT, rounds[i].type,
                                               rounds[i].symmetrise ? ORDO_SYMMETRISE : ORDO_AS_STORED, 2, &g),
                         ORDO_OK);
        const char *path = path_of(rounds[i].name);
        ck_assert_msg(ordo_graph_write(g, path) == ORDO_OK, "%s", ordo_last_error());
        for (int threads = 1; threads <= 3; threads++) {
            ordo_read_options options = {.threads = threads};
            back = must_read(path, &options);
            ck_assert_msg(info_of(g).checksum == info_of(back).checksum, "%s", path);
            ordo_graph_free(back);
        }
        if (rounds[i].symmetrise) {
            ordo_read_options options = {.edges.direction = ORDO_SYMMETRIC};
            ordo_graph_free(must_read(path, &options));
        }
        ordo_graph_free(g);
        free(list);
    }
}
END_TEST

START_TEST(writing_refuses)
{
    ordo_edge_entry list[] = {{0, 1, 3000000000u}};
    ordo_type types[] = {ORDO_NONE, ORDO_U32, ORDO_F32};
    const char *wrong[3][3] = {{"x.gr", "x.wsg", "x.wel"}, {"x.sg", "x.el", "x.wsg"}, {"x.gr", "x.wsg", "x.sg"}};
    for (int t = 0; t < 3; t++) {
        ordo_graph *g = NULL;
        ck_assert_int_eq(ordo_graph_from_edges(2, list, 1, types[t], ORDO_AS_STORED, 1, &g), ORDO_OK);
        for (int i = 0; i < 3; i++)
            ck_assert_int_eq(ordo_graph_write(g, path_of(wrong[t][i])), ORDO_ERR_USAGE);
        ck_assert_int_eq(ordo_graph_write(g, path_of("x.hgr")), ORDO_ERR_USAGE);
        const char *good = t == 0 ? "no/x.el" : "no/x.wel";
        ck_assert_int_eq(ordo_graph_write(g, path_of(good)), ORDO_ERR_IO);
        ordo_graph_free(g);
    }
}
END_TEST

static int files_named_tmp(void)
{
    int found = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));)
        found += strstr(e->d_name, ".tmp.") != NULL;
    closedir(d);
    return found;
}

START_TEST(failed_writes_leave_the_old_file)
{
    ordo_generate_options o = {.kind = "grid", .width = 300, .height = 300};
    ordo_graph *g = NULL;
    ck_assert_int_eq(ordo_graph_generate(&o, &g), ORDO_OK);
    const char *path = put_text("old.el", "0 1\n");
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &small);
    ordo_status status = ordo_graph_write(g, path);
    setrlimit(RLIMIT_FSIZE, &old);
    ck_assert_int_eq(status, ORDO_ERR_IO);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), strerror(EFBIG)));
    ck_assert_int_eq(files_named_tmp(), 0);
    ordo_graph_free(g);
    g = must_read(path, NULL);
    ck_assert_uint_eq(info_of(g).vertices, 2);
    ordo_graph_free(g);
}
END_TEST

/* ---- real files ---- */

static const struct {
    const char *name;
    ordo_u64 n, m;
    ordo_type type;
    bool symmetric, rounded; /* some of its weights are beyond the digits of a float */
} reals[] = {{"road/USA-road-d.NY.gr.xz", 264346, 733846, ORDO_U32, false, false},
             {"road/rome99.gr", 3353, 8870, ORDO_U32, false, false},
             {"circuit/bips98_606.mtx.xz", 7135, 34738, ORDO_F32, false, true},
             {"mesh/bcsstk13.mtx.xz", 2003, 2 * 42943 - 2003, ORDO_F32, true, true},
             {"small/karate.mtx", 34, 156, ORDO_NONE, true, false},
             {"web/wiki-Vote.txt.xz", 8298, 103689, ORDO_NONE, false, false}};
enum { REALS = sizeof reals / sizeof reals[0] };

START_TEST(real_files_are_read)
{
    char path[1024];
    const char *data = getenv("ORDO_DATA");
    snprintf(path, sizeof path, "%s%s/%s", data ? data : ORDO_SOURCE_ROOT, data ? "" : "/../shared/data",
             reals[_i].name);
    if (access(path, R_OK) != 0) {
        printf("skipped: %s is not there\n", path);
        return;
    }
    ordo_graph *g = NULL;
    ordo_status status = ordo_graph_read(path, NULL, &g);
    if (status == ORDO_ERR_INPUT && strstr(ordo_last_error(), "was built without")) {
        printf("skipped: %s\n", ordo_last_error());
        return;
    }
    if (reals[_i].rounded) {
        const ordo_read_options round = {.round = true};
        ck_assert_int_eq(status, ORDO_ERR_INPUT);
        ck_assert_ptr_nonnull(strstr(ordo_last_error(), "--round"));
        status = ordo_graph_read(path, &round, &g);
    }
    ck_assert_msg(status == ORDO_OK, "%s", ordo_last_error());
    ordo_graph_info info = info_of(g);
    ck_assert_uint_eq(info.vertices, reals[_i].n);
    ck_assert_uint_eq(info.edges, reals[_i].m);
    ck_assert_int_eq(info.weight_type, reals[_i].type);
    ck_assert(info.symmetric == reals[_i].symmetric);
    ordo_graph_free(g);
}
END_TEST

/* ---- memory ---- */

START_TEST(every_failed_allocation_is_told)
{
    static const char *const names[] = {"a.gr", "k.mtx", "real.wel", "f.wsg", "g.gr.gz", "g.gr.xz", "g.gr.zst", "l.el"};
    unsigned char bytes[512];
    const int64_t row[] = {0, 2, 3, 4};
    const int32_t words[] = {2, 9, 1, 8, 0, 8, 0, 9};
    put_text("a.gr", goods[0].text);
    put_text("k.mtx", BANNER "real skew-symmetric\n3 3 2\n2 1 1.5\n3 1 2\n");
    put_text("real.wel", "0 1 3\n1 2 4.5\n");
    put_file("f.wsg", bytes, put_gap(bytes, true, 4, 3, row, words, 8));
    char *text = malloc(1 << 20);
    size_t size = 0; /* a long unsorted row: sorting takes memory */
    for (int i = 0; i < 50000; i++)
        size += (size_t)sprintf(text + size, "%d %d\n", i % 3, 50000 - i);
    put_file("l.el", text, size);
    free(text);
#ifdef HAVE_ZLIB
    gzFile z = gzopen(path_of("g.gr.gz"), "wb");
    gzputs(z, goods[0].text);
    gzclose(z);
#endif
#ifdef HAVE_LZMA
    size = 0;
    lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)goods[0].text, strlen(goods[0].text), bytes,
                            &size, sizeof bytes);
    put_file("g.gr.xz", bytes, size);
#endif
#ifdef HAVE_ZSTD
    put_file("g.gr.zst", bytes, ZSTD_compress(bytes, sizeof bytes, goods[0].text, strlen(goods[0].text), 3));
#endif
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *path = path_of(names[i]);
        if (access(path, R_OK) != 0)
            continue;
        for (int direction = ORDO_AS_STORED; direction <= ORDO_SYMMETRISE; direction++) {
            if (BRIEFER > 1 && (i + (size_t)direction) % 2)
                continue;
            bool done = false;
            for (ordo_u64 k = 1; k <= 60; k++) {
                ordo_u64 held = ordo_memory_now();
                ordo_graph *g = NULL;
                const ordo_csr *in = NULL;
                ordo_read_options options = {.edges.direction = (ordo_direction)direction, .threads = 2};
                ordo_memory_fail_after(k);
                ordo_status status = ordo_graph_read(path, &options, &g), turned = ORDO_OK;
                if (!status) {
                    turned = ordo_graph_in(g, 2, &in);
                    info_of(g); /* must do without memory */
                }
                ordo_memory_fail_after(0);
                ck_assert_msg(status == ORDO_OK || status == ORDO_ERR_MEMORY, "%s", ordo_last_error());
                ck_assert(turned == ORDO_OK || turned == ORDO_ERR_MEMORY);
                ck_assert((g == NULL) == (status != ORDO_OK));
                if (turned) { /* and may be tried again */
                    ck_assert_int_eq(ordo_graph_in(g, 1, &in), ORDO_OK);
                }
                ordo_graph_free(g);
                ck_assert_uint_eq(ordo_memory_now(), held);
                done = !status && !turned;
            }
            ck_assert(done);
        }
    }
    ordo_generate_options road = {.kind = "road", .vertices = 50000, .threads = 2};
    ordo_generate_options rmat = {
        .kind = "rmat", .scale = 12, .edges.high = 9, .edges.direction = ORDO_SYMMETRIC, .threads = 2};
    for (ordo_u64 k = 1; k <= 60; k++) {
        ordo_u64 held = ordo_memory_now();
        ordo_graph *g = NULL;
        ordo_memory_fail_after(k);
        ordo_status status = ordo_graph_generate(&road, &g);
        ordo_status asymmetric = ordo_graph_generate(&rmat, &g);
        ordo_status written = status ? ORDO_OK : ordo_graph_write(g, path_of("mem.wsg"));
        ordo_memory_fail_after(0);
        ck_assert(status == ORDO_OK || status == ORDO_ERR_MEMORY);
        ck_assert(asymmetric == ORDO_ERR_INPUT || asymmetric == ORDO_ERR_MEMORY);
        ck_assert(written == ORDO_OK || written == ORDO_ERR_MEMORY);
        ordo_graph_free(g);
        ck_assert_uint_eq(ordo_memory_now(), held);
    }
    ck_assert_int_eq(files_named_tmp(), 0);
}
END_TEST

int main(void)
{
    if (!make_folder())
        return EXIT_FAILURE;
    Suite *suite = suite_create("graph");
    TCase *build = tcase_create("build"), *read = tcase_create("read"), *other = tcase_create("other");
    tcase_add_loop_test(build, build_matches_naive, 0, SIZES);
    tcase_add_loop_test(build, transpose_matches_naive, 0, SIZES);
    tcase_add_loop_test(build, renumbering_matches_naive, 0, SIZES);
    tcase_add_test(build, renumbering_keeps_places_and_refuses);
    tcase_add_test(build, build_refuses);
    tcase_add_test(build, symmetric_is_checked);
    tcase_add_test(build, checksum_is_of_the_graph_alone);
    tcase_add_test(build, borrow_checks);
    tcase_add_loop_test(read, formats_are_read, 0, GOODS);
    tcase_add_test(read, wrappings_are_undone);
    tcase_add_test(read, standard_input_is_read);
    tcase_add_test(read, gap_is_read);
    tcase_add_loop_test(read, damage_is_named, 0, BADS);
    tcase_add_loop_test(read, widths_are_kept, 0, WIDTHS);
    tcase_add_test(read, widths_beside_others);
    tcase_add_test(read, columns_are_chosen);
    tcase_add_test(read, counts_tell_the_first_vertex);
    tcase_add_test(read, written_lists_have_no_counts);
    tcase_add_test(read, bipartite_matrices);
    tcase_add_test(read, binary_damage_is_named);
    tcase_add_test(read, files_that_are_none);
    tcase_add_test(read, lines_are_counted_across_chunks);
    tcase_add_loop_test(read, real_files_are_read, 0, REALS);
    tcase_add_test(other, written_graphs_come_back);
    tcase_add_test(other, writing_refuses);
    tcase_add_test(other, failed_writes_leave_the_old_file);
    tcase_add_test(other, every_failed_allocation_is_told);
    TCase *cases[] = {build, read, other};
    for (int i = 0; i < 3; i++) {
        tcase_set_timeout(cases[i], 120);
        suite_add_tcase(suite, cases[i]);
    }
    int status = run_suite(suite);
    return remove_folder() ? status : EXIT_FAILURE;
}
