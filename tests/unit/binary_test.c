/* binary_test.c -- the binary formats: GAP .sg and .wsg, Galois .gr, SciPy .npz, Ordo's own .ordo.
 *
 * Graphs go out and come back; files are also made by hand here, from the description of the format alone, whole and
 * damaged in every way that a table can hold, and must be refused with the place of the damage.
 */
#define _GNU_SOURCE /* mkdtemp, memmem */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ordo/graph.h>
#include <ordo/memory.h>

#ifdef HAVE_ZIP
#include <zip.h>
#endif

#include "tests/common/families.h"
#include "tests/common/suite.h"

#ifndef MUTATIONS
#define MUTATIONS 300 /* of each file; many more were tried once, under sanitizers */
#endif

/* ---- helpers ---- */

typedef struct bytes {
    ordo_u8 *at;
    size_t size;
} bytes;

static void add(bytes *b, const void *from, size_t size)
{
    b->at = realloc(b->at, b->size + size + 1);
    if (size)
        memcpy(b->at + b->size, from, size);
    b->size += size;
}

static void add_number(bytes *b, ordo_u64 value, size_t size)
{
    add(b, &value, size);
}

static void put_number(bytes *b, size_t at, ordo_u64 value, size_t size)
{
    ck_assert_uint_le(at + size, b->size);
    memcpy(b->at + at, &value, size);
}

static bytes copy_of(const bytes *from)
{
    bytes b = {0};
    add(&b, from->at, from->size);
    return b;
}

static const char *put_bytes(const char *name, const bytes *b)
{
    return put_file(name, b->at, b->size);
}

static bytes get_file(const char *path)
{
    bytes b = {0};
    char block[4096];
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    for (size_t got; (got = fread(block, 1, sizeof block, f)) > 0;)
        add(&b, block, got);
    fclose(f);
    return b;
}

/* The file is refused as bad input, in a sentence that holds `text`. */
static void must_refuse(const char *path, const ordo_read_options *options, const char *text, const char *what)
{
    ordo_graph *g = NULL;
    ordo_status status = ordo_graph_read(path, options, &g);
    ck_assert_msg(status == ORDO_ERR_INPUT && !g, "%s: status %d: %s", what, (int)status,
                  status ? ordo_last_error() : "was read");
    ck_assert_msg(strstr(ordo_last_error(), text), "%s: '%s' does not hold '%s'", what, ordo_last_error(), text);
    ck_assert_ptr_null(strchr(ordo_last_error(), '\n'));
}

static void refuse_bytes(const char *name, const bytes *b, const char *text, const char *what)
{
    must_refuse(put_bytes(name, b), NULL, text, what);
}

/* The same rows, heads and words; types too, unless there is no edge to tell them by. */
static void must_equal(const ordo_graph *a, const ordo_graph *b, const char *what)
{
    const ordo_csr *x = ordo_graph_out(a), *y = ordo_graph_out(b);
    ck_assert_msg(x->n == y->n && x->m == y->m, "%s: other counts", what);
    for (ordo_u64 u = 0; u <= x->n; u++)
        ck_assert_msg(x->row[u] == y->row[u], "%s: row %llu differs", what, (unsigned long long)u);
    for (ordo_eid e = 0; e < x->m; e++)
        ck_assert_msg(x->head[e * x->stride] == y->head[e * y->stride] && weight_word(x, e) == weight_word(y, e),
                      "%s: edge %llu differs", what, (unsigned long long)e);
    if (x->m) {
        ck_assert_msg(x->weight_type == y->weight_type, "%s: other weights", what);
        ck_assert_msg(info_of(a).checksum == info_of(b).checksum, "%s: other checksum", what);
    }
}

/* Whatever was read is a graph. */
static void must_be_graph(const ordo_graph *g)
{
    const ordo_csr *x = ordo_graph_out(g);
    ck_assert_uint_eq(x->row[0], 0);
    ck_assert_uint_eq(x->row[x->n], x->m);
    for (ordo_u64 u = 0; u < x->n; u++)
        ck_assert_uint_le(x->row[u], x->row[u + 1]);
    for (ordo_eid e = 0; e < x->m; e++)
        ck_assert_uint_lt(x->head[e * x->stride], x->n);
}

/* ---- graphs go out and come back ---- */

static const struct {
    const char *name;
    ordo_u64 n, used, m; /* ends are below `used` */
} shapes[] = {{"empty", 0, 0, 0},        {"one vertex", 1, 1, 0},           {"loops", 1, 1, 3},
              {"no edges", 1000, 1, 0},  {"isolated at the end", 9, 5, 20}, {"one edge", 3, 3, 1},
              {"random", 300, 300, 5000}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };
static const ordo_type types[] = {ORDO_NONE, ORDO_U32, ORDO_I32, ORDO_F32};

static ordo_graph *make(int shape, ordo_type type, bool symmetrise)
{
    ordo_u64 m = shapes[shape].m, seed = (ordo_u64)shape + 1;
    ordo_edge_entry *list = malloc((m + 1) * sizeof *list);
    for (ordo_u64 i = 0; i < m; i++) {
        list[i].tail = (ordo_vid)(next_random(&seed) % shapes[shape].used);
        list[i].head = (ordo_vid)(next_random(&seed) % shapes[shape].used);
        list[i].weight = (ordo_u32)next_random(&seed) % 1000;
        if (type == ORDO_I32)
            list[i].weight = 0u - list[i].weight - 1;
        ordo_f32 real = (ordo_f32)list[i].weight / 7 - 50;
        if (type == ORDO_F32)
            memcpy(&list[i].weight, &real, sizeof real);
    }
    ordo_graph *g = NULL;
    ck_assert_int_eq(
        ordo_graph_from_edges(shapes[shape].n, list, m, type, symmetrise ? ORDO_SYMMETRISE : ORDO_AS_STORED, 1, &g),
        ORDO_OK);
    free(list);
    return g;
}

static const struct {
    const char *suffix;
    bool none, u32, i32, f32;
    bool keeps_symmetry;
} formats[] = {{".sg", true, false, false, false, true},
               {".wsg", false, true, true, false, true},
               {".ggr", true, true, false, false, false},
               {".npz", false, true, true, true, false},
               {".ordo", true, true, true, true, true}};
enum { FORMATS = sizeof formats / sizeof formats[0] };

START_TEST(round_trip)
{
    char name[64], what[256];
#ifndef HAVE_ZIP
    if (strcmp(formats[_i].suffix, ".npz") == 0)
        return;
#endif
    const bool can[] = {formats[_i].none, formats[_i].u32, formats[_i].i32, formats[_i].f32};
    snprintf(name, sizeof name, "trip%s", formats[_i].suffix);
    for (int shape = 0; shape < SHAPES; shape++)
        for (int type = 0; type < 4; type++)
            for (int symmetric = 0; symmetric < 2 && can[type]; symmetric++) {
                snprintf(what, sizeof what, "%s, %s, weights %d, %s", formats[_i].suffix, shapes[shape].name, type,
                         symmetric ? "symmetric" : "directed");
                ordo_graph *g = make(shape, types[type], symmetric);
                ck_assert_msg(ordo_graph_write(g, path_of(name)) == ORDO_OK, "%s: %s", what, ordo_last_error());
                ordo_graph *back = must_read(path_of(name), NULL);
                must_equal(g, back, what);
                ck_assert_msg(ordo_graph_symmetric(back) == (symmetric && formats[_i].keeps_symmetry), "%s", what);
                ck_assert_str_eq(info_of(back).weights, ordo_graph_out(back)->weight_type ? "stored" : "none");
                ck_assert_str_eq(info_of(back).source, path_of(name));
                ordo_graph_free(back);
                if (symmetric) {
                    ordo_read_options both = {.edges.direction = ORDO_SYMMETRIC};
                    back = must_read(path_of(name), &both);
                    must_equal(g, back, what);
                    ck_assert(ordo_graph_symmetric(back));
                    ordo_graph_free(back);
                }
                bytes first = get_file(path_of(name)), second;
                ck_assert_int_eq(ordo_graph_write(g, path_of(name)), ORDO_OK);
                second = get_file(path_of(name));
                ck_assert_uint_eq(first.size, second.size);
                ck_assert_mem_eq(first.at, second.at, first.size); /* the same graph, the same file */
                free(first.at), free(second.at);
                ordo_graph_free(g);
            }
}
END_TEST

/* Every allocation on the way fails once: an error, nothing leaked. */
START_TEST(memory_runs_out)
{
    char name[64];
#ifndef HAVE_ZIP
    if (strcmp(formats[_i].suffix, ".npz") == 0)
        return;
#endif
    snprintf(name, sizeof name, "short%s", formats[_i].suffix);
    ordo_graph *g = make(4, formats[_i].none ? ORDO_NONE : ORDO_U32, false), *back = NULL;
    ck_assert_int_eq(ordo_graph_write(g, path_of(name)), ORDO_OK);
    for (int change = 0; change < 2; change++) {
        ordo_read_options options = {.edges.direction = change ? ORDO_SYMMETRISE : ORDO_AS_STORED, .threads = 1};
        ordo_u64 before = ordo_memory_now(), n = 1;
        ordo_status status;
        do {
            ordo_memory_fail_after(n++);
            status = ordo_graph_read(path_of(name), &options, &back);
            ordo_memory_fail_after(0);
            if (status) {
                ck_assert_int_eq(status, ORDO_ERR_MEMORY);
                ck_assert_uint_eq(ordo_memory_now(), before);
            }
        } while (status && n < 100);
        ck_assert_int_eq(status, ORDO_OK);
        ordo_graph_free(back);
    }
    ordo_graph_free(g);
}
END_TEST

/* ---- damage ---- */

/* A number put over what is at a place of a file that was made by hand. size 0: `value` bytes are cut off the end, or
 * put there where it is negative. */
typedef struct damage {
    size_t at;
    long long value;
    size_t size;
    const char *text; /* what the sentence holds */
} damage;

static void refuse_damaged(const char *name, const bytes *whole, const damage *table, size_t count)
{
    ordo_graph_free(must_read(put_bytes(name, whole), NULL));
    for (size_t i = 0; i < count; i++) {
        char what[128];
        snprintf(what, sizeof what, "%s, damage %zu", name, i);
        bytes b = copy_of(whole);
        if (table[i].size)
            put_number(&b, table[i].at, (ordo_u64)table[i].value, table[i].size);
        else if (table[i].value > 0)
            b.size -= (size_t)table[i].value;
        else
            for (long long more = table[i].value; more < 0; more++)
                add_number(&b, 0, 1);
        refuse_bytes(name, &b, table[i].text, what);
        free(b.at);
    }
}

/* Cut off anywhere it is refused, and what says so says "byte" (or, with nothing left, "empty"). */
static void refuse_truncated(const char *name, const bytes *whole, size_t step)
{
    for (size_t size = 0; size < whole->size; size += step) {
        char what[64];
        bytes b = {whole->at, size};
        snprintf(what, sizeof what, "%s of %zu bytes", name, size);
        refuse_bytes(name, &b, size ? "byte" : "empty", what);
    }
}

static void refuse_others(const char *name, const bytes *whole, size_t magic)
{
    static const char *const texts[] = {"p sp 3 4\na 1 2 3\n", "0 1\n1 2\n", "# a comment\n", "hello, world\n"};
    for (size_t i = 0; i < 4; i++) {
        /* Text that is a graph of some other format may be one whatever the name says; else the reader of the suffix
         * has its say. */
        bytes b = {0};
        add(&b, texts[i], strlen(texts[i]));
        ordo_graph *g = NULL;
        ordo_status status = ordo_graph_read(put_bytes(name, &b), NULL, &g);
        ck_assert(status == ORDO_OK || status == ORDO_ERR_INPUT);
        ordo_graph_free(g);
        if (i == 3)
            ck_assert_int_eq(status, ORDO_ERR_INPUT);
        free(b.at);
    }
    for (ordo_u64 seed = 1; seed <= 50; seed++) {
        ordo_u64 state = seed;
        bytes b = copy_of(whole);
        for (size_t i = magic; i < b.size; i++)
            b.at[i] = (ordo_u8)next_random(&state);
        refuse_bytes(name, &b, "byte", "noise");
        free(b.at);
    }
}

/* A few bytes changed at random: an error or a graph, never a crash. */
static void mutate(const char *name, const bytes *whole, void (*mend)(bytes *b))
{
    ordo_u64 state = 12345;
    for (int i = 0; i < MUTATIONS / BRIEFER; i++) {
        bytes b = copy_of(whole);
        for (ordo_u64 times = next_random(&state) % 3 + 1; times; times--) {
            static const ordo_u64 interesting[] = {0, 1, 0xff, 0x7f, 0x80, 0xffffffff, 0x80000000, 1u << 20};
            size_t at = next_random(&state) % b.size;
            if (next_random(&state) % 4) {
                b.at[at] = (ordo_u8)next_random(&state);
            } else if (at + 8 <= b.size) {
                put_number(&b, at / 4 * 4, interesting[next_random(&state) % 8], next_random(&state) % 2 ? 4 : 8);
            }
            if (next_random(&state) % 20 == 0)
                b.size = at + 1;
        }
        if (mend)
            mend(&b);
        ordo_graph *g = NULL;
        ordo_read_options options = {.edges.direction = (ordo_direction)(next_random(&state) % 3)};
        ordo_status status = ordo_graph_read(put_bytes(name, &b), &options, &g);
        if (status == ORDO_OK)
            must_be_graph(g);
        else
            ck_assert(status == ORDO_ERR_INPUT || status == ORDO_ERR_MEMORY);
        ordo_graph_free(g);
        free(b.at);
    }
}

/* 0 - 1 - 2 with loop 2, and one more edge 0 - 1: 7 edges of weights 10, 20, ... */
static const ordo_u64 path_rows[] = {0, 2, 5, 7};
static const ordo_vid path_heads[] = {1, 1, 0, 0, 2, 1, 2};
static const ordo_u32 path_weights[] = {10, 20, 10, 20, 30, 30, 40};
enum { PATH_N = 3, PATH_M = 7 };

static ordo_graph *path_graph(ordo_type type)
{
    ordo_edge_entry list[PATH_M];
    for (ordo_vid u = 0, e = 0; u < PATH_N; u++)
        for (; e < path_rows[u + 1]; e++)
            list[e] = (ordo_edge_entry){u, path_heads[e], path_weights[e]};
    ordo_graph *g = NULL;
    ck_assert_int_eq(ordo_graph_from_edges(PATH_N, list, PATH_M, type, ORDO_AS_STORED, 1, &g), ORDO_OK);
    return g;
}

static void must_be_path(const char *path, ordo_type type, const char *what)
{
    ordo_graph *g = path_graph(type), *back = must_read(path, NULL);
    must_equal(g, back, what);
    ordo_graph_free(g);
    ordo_graph_free(back);
}

/* ---- GAP ---- */

static bytes gap_file(bool weighted)
{
    bytes b = {0};
    add_number(&b, 0, 1);
    add_number(&b, PATH_M, 8);
    add_number(&b, PATH_N, 8);
    add(&b, path_rows, sizeof path_rows);
    for (int e = 0; e < PATH_M; e++) {
        add_number(&b, path_heads[e], 4);
        if (weighted)
            add_number(&b, path_weights[e], 4);
    }
    return b;
}

START_TEST(gap_damage)
{
    const size_t rows = 17, heads = 17 + 8 * (PATH_N + 1);
    static const char *const names[] = {"a.sg", "a.wsg"};
    for (int weighted = 0; weighted < 2; weighted++) {
        size_t step = weighted ? 8 : 4;
        const damage table[] = {
            {0, 2, 1, "byte 0"},                            /* 'directed' */
            {0, 1, 1, "byte"},                              /* directed, and no in-edges */
            {1, PATH_M + 1, 8, "byte"},                     /* counts that do not fit the size */
            {1, PATH_M - 1, 8, "byte"},                     /* ... */
            {1, -1, 8, "byte 1:"},                          /* a negative number of edges */
            {1, (long long)1 << 59, 8, "byte"},             /* more than any file has */
            {1, (long long)0x0700000000000000, 8, "byte"},  /* big-endian */
            {9, PATH_N + 1, 8, "byte"},                     /* vertices */
            {9, PATH_N - 1, 8, "byte"},                     /* ... */
            {9, (long long)1 << 40, 8, "byte 9:"},          /* ... */
            {9, -1, 8, "byte 9:"},                          /* ... */
            {rows, 1, 8, "byte 17:"},                       /* rows that begin later */
            {rows + 8, 6, 8, "byte 33:"},                   /* ... that decrease */
            {rows + 8, -1, 8, "byte 25:"},                  /* ... that are negative */
            {rows + 24, PATH_M - 1, 8, "byte 41:"},         /* ... that end sooner */
            {rows + 24, (long long)1 << 62, 8, "byte 41:"}, /* ... and later */
            {heads + 2 * step, PATH_N, 4, "as a neighbour"},
            {heads + 6 * step, -1, 4, "found -1 as a neighbour"},
            {0, 1, 0, "byte"},
            {0, -1, 0, "byte"},
            {0, -8, 0, "byte"},
        };
        bytes b = gap_file(weighted);
        must_be_path(put_bytes(names[weighted], &b), weighted ? ORDO_U32 : ORDO_NONE, names[weighted]);
        refuse_damaged(names[weighted], &b, table, sizeof table / sizeof table[0]);
        refuse_truncated(names[weighted], &b, 1);
        refuse_others(names[weighted], &b, 1);
        mutate(names[weighted], &b, NULL);
        free(b.at);
    }
}
END_TEST

/* ---- Galois ---- */

static bytes galois_file(ordo_u64 version, ordo_u64 data_bytes)
{
    bytes b = {0};
    add_number(&b, version, 8);
    add_number(&b, data_bytes, 8);
    add_number(&b, PATH_N, 8);
    add_number(&b, PATH_M, 8);
    add(&b, path_rows + 1, 8 * PATH_N);
    for (int e = 0; e < PATH_M; e++)
        add_number(&b, path_heads[e], version == 1 ? 4 : 8);
    if (version == 1)
        add_number(&b, 0, 4);
    for (int e = 0; e < PATH_M; e++)
        add_number(&b, path_weights[e], data_bytes);
    return b;
}

START_TEST(galois_damage)
{
    ordo_u64 version = (ordo_u64)_i % 2 + 1, data = (ordo_u64)_i / 2 * 4;
    size_t ends = 32, heads = ends + 8 * PATH_N, step = version == 1 ? 4 : 8;
    size_t weights = heads + step * PATH_M + (version == 1 ? 4 : 0);
    const damage table[] = {
        {0, 3, 8, "byte 0: found 3 as Galois version"},
        {0, 0, 8, "byte 0"},
        {0, (long long)version << 56, 8, "big-endian"},
        {0, (long long)(3 - version), 8, "byte"}, /* the other version */
        {8, 1, 8, "byte 8:"},                     /* edge data */
        {8, 16, 8, "byte 8:"},
        {8, -1, 8, "byte 8:"},
        {8, (long long)(8 - data / 2), 8, "byte"}, /* of another size, or some where there are none */
        {16, PATH_N + 1, 8, "byte"},
        {16, PATH_N - 1, 8, "byte"},
        {16, 0, 8, "byte"},
        {16, -1, 8, "byte 16:"},
        {16, (long long)1 << 61, 8, "byte 16:"},
        {24, PATH_M + 2, 8, "byte"},
        {24, PATH_M - 2, 8, "byte"},
        {24, -1, 8, "byte 24:"},
        {24, (long long)1 << 61, 8, "byte 24:"},
        {24, (long long)1 << 58, 8, "byte"},
        {ends, 6, 8, "byte 40:"},
        {ends + 8, PATH_M + 1, 8, "byte 40:"},
        {ends + 16, PATH_M - 1, 8, "byte 48:"},
        {ends, -1, 8, "byte 32:"},
        {heads, PATH_N, 4, "byte 56: found 3 as a head"},
        {heads + 6 * step, -1, step, "as a head"},
        {0, 8, 0, "byte"},
        {0, -1, 0, "byte"},
        {0, -8, 0, "byte"},
        {weights + 5 * 8, (long long)1 << 32, 8, "found 4294967296 as an edge's data"},
        {weights + 6 * 8, -1, 8, "as an edge's data"},
        {weights + 6 * 8, 0x3ff0000000000000, 8, "as an edge's data"}, /* a double */
    };
    if (data == 0 && version == 1) { /* unpadded: as one of Galois' own writers has it */
        bytes b = galois_file(1, 0);
        b.size -= 4;
        must_be_path(put_bytes("b.ggr", &b), ORDO_NONE, "unpadded");
        free(b.at);
    }
    bytes b = galois_file(version, data);
    must_be_path(put_bytes("a.ggr", &b), data ? ORDO_U32 : ORDO_NONE, "a.ggr");
    must_be_path(put_bytes("a.gr", &b), data ? ORDO_U32 : ORDO_NONE, "a.gr"); /* told from DIMACS */
    refuse_damaged("a.ggr", &b, table, sizeof table / sizeof table[0] - (data == 8 ? 0 : 3));
    refuse_truncated("a.ggr", &b, 8);
    refuse_others("a.ggr", &b, 8);
    mutate("a.ggr", &b, NULL);
    ordo_read_options drop = {.edges.weights = ORDO_WEIGHTS_DROP};
    ordo_graph *g = path_graph(ORDO_NONE), *back = must_read(put_bytes("a.ggr", &b), &drop);
    must_equal(g, back, "dropped");
    ordo_graph_free(g);
    ordo_graph_free(back);
    free(b.at);
}
END_TEST

/* ---- SciPy ---- */

typedef struct member {
    const char *name, *descr, *shape;
    const void *data;
    size_t size;
} member;

#define SHAPE_OF(_n) "(" #_n ",)"
static const ordo_i32 npz_indptr[] = {0, 2, 5, 7};
static const ordo_u64 npz_shape[] = {PATH_N, PATH_N};
static const member good[] = {
    {"indices.npy", "<i4", "(7,)", path_heads, sizeof path_heads},
    {"indptr.npy", "<i4", "(4,)", npz_indptr, sizeof npz_indptr},
    {"format.npy", "|S3", "()", "csr", 3},
    {"shape.npy", "<i8", "(2,)", npz_shape, sizeof npz_shape},
    {"data.npy", "<i4", "(7,)", path_weights, sizeof path_weights},
};
enum { INDICES, INDPTR, FORMAT, SHAPE, DATA, MEMBERS };

static bytes npy_of(const member *m)
{
    bytes b = {0};
    char header[256];
    int length =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", m->descr, m->shape);
    memset(header + length, ' ', 118 - (size_t)length);
    header[117] = '\n';
    add(&b, "\x93NUMPY\1\0\x76\0", 10);
    add(&b, header, 118);
    add(&b, m->data, m->size);
    return b;
}

static ordo_u32 crc_of(const bytes *b)
{
    ordo_u32 crc = ~0u;
    for (size_t i = 0; i < b->size; i++) {
        crc ^= b->at[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

/* How members are put: plainly, as NumPy does (sizes in the zip64 field of the local header), or as into a pipe
 * (flag 3, sizes behind the data). */
typedef enum style { PLAIN, ZIP64, PIPED } style;

/* A zip archive of files that are stored. */
static bytes zip_of(const char *const names[], const bytes files[], size_t count, style how)
{
    bytes b = {0}, directory_part = {0};
    for (size_t i = 0; i < count; i++) {
        size_t offset = b.size, length = strlen(names[i]), size = files[i].size;
        ordo_u32 crc = crc_of(&files[i]);
        ordo_u64 flags = how == PIPED ? 8 : 0, shown = how == ZIP64 ? 0xffffffff : how == PIPED ? 0 : size;
        for (int central = 0; central < 2; central++) {
            bytes *to = central ? &directory_part : &b;
            add(to, central ? "PK\1\2\x14\0" : "PK\3\4", central ? 6 : 4);
            add_number(to, how == ZIP64 ? 45 : 20, 2);
            add_number(to, flags, 2);
            add_number(to, 0, 2);          /* stored */
            add_number(to, 0x00210000, 4); /* 1980 */
            add_number(to, central || how != PIPED ? crc : 0, 4);
            add_number(to, central ? size : shown, 4);
            add_number(to, central ? size : shown, 4);
            add_number(to, length, 2);
            add_number(to, !central && how == ZIP64 ? 20 : 0, 2);
            if (central) {
                add_number(to, 0, 2); /* comment, disk, attributes */
                add_number(to, 0, 8);
                add_number(to, offset, 4);
            }
            add(to, names[i], length);
        }
        if (how == ZIP64) {
            add_number(&b, 0x00100001, 4);
            add_number(&b, size, 8);
            add_number(&b, size, 8);
        }
        add(&b, files[i].at, size);
        if (how == PIPED) {
            add(&b, "PK\7\x8", 4);
            add_number(&b, crc, 4);
            add_number(&b, size, 4);
            add_number(&b, size, 4);
        }
    }
    size_t start = b.size;
    add(&b, directory_part.at, directory_part.size);
    add(&b, "PK\5\6\0\0\0\0", 8);
    add_number(&b, count, 2);
    add_number(&b, count, 2);
    add_number(&b, directory_part.size, 4);
    add_number(&b, start, 4);
    add_number(&b, 0, 2);
    free(directory_part.at);
    return b;
}

static bytes npz_of(const member *members, size_t count, style how)
{
    const char *names[16] = {NULL};
    bytes files[16] = {{NULL, 0}};
    for (size_t i = 0; i < count; i++) {
        names[i] = members[i].name;
        files[i] = npy_of(&members[i]);
    }
    bytes b = zip_of(names, files, count, how);
    for (size_t i = 0; i < count; i++)
        free(files[i].at);
    return b;
}

#ifdef HAVE_ZIP

START_TEST(npz_styles)
{
    static const style styles[] = {PLAIN, ZIP64, PIPED};
    for (int i = 0; i < 3; i++) {
        bytes b = npz_of(good, MEMBERS, styles[i]);
        must_be_path(put_bytes("a.npz", &b), ORDO_U32, "a.npz");
        must_be_path(put_bytes("npz-without-suffix", &b), ORDO_U32, "told by content");
        free(b.at);
    }
    /* members in another order, one more that newer versions write, and text of 4 bytes a character */
    member others[] = {good[DATA],
                       good[SHAPE],
                       {"_is_array.npy", "|b1", "()", "\1", 1},
                       {"format.npy", "<U3", "()", "c\0\0\0s\0\0\0r\0\0", 12},
                       good[INDPTR],
                       good[INDICES]};
    bytes b = npz_of(others, 6, PLAIN);
    must_be_path(put_bytes("a.npz", &b), ORDO_U32, "a.npz");
    free(b.at);
}
END_TEST

/* Every type of data, and what it becomes. Values are 4 in number, on vertex 0. */
START_TEST(npz_types)
{
    static const ordo_i32 ends[] = {0, 4}, heads[] = {0, 0, 0, 0};
    static const ordo_u64 one[] = {1, 1};
    static const double doubles[] = {0.5, -0.0, (double)1e-40f, (double)3.4028234e38f}, two_largest[] = {1, 1e39, 1, 1},
                        tiny[] = {1, 1e-60, 1, 1}, not_numbers[] = {1, 2, (double)NAN, 1},
                        no_ends[] = {1, 2, 3, (double)-INFINITY}, fractions[] = {0.1, -0.3, 1234567.89, 123456.789},
                        far[] = {1e20, 1e-5, 1.23456789e-38, -9.99999999e30}, sum[] = {1, 0.5, 0.1 + 0.2, 1},
                        ten_digits[] = {1, 1, 1, 1.234567891}, far_ten_digits[] = {1.234567891e25, 1, 1, 1},
                        large[] = {16777216, 16777217, 1, 1};
    static const ordo_f32 floats[] = {1, 2.5f, -3, 0}, float_nan[] = {1, 1, 1, NAN};
    static const int8_t i8[] = {1, -2, 127, -128};
    static const int16_t i16[] = {1, 2, 300, 4};
    static const ordo_i32 i32[] = {1, -2, INT32_MAX, INT32_MIN};
    static const int64_t i64[] = {1, 2, 0, UINT32_MAX}, i64_signed[] = {-1, 2, 3, INT32_MAX},
                         i64_both[] = {-1, 2, 3, 1 + (int64_t)INT32_MAX}, i64_large[] = {1, (int64_t)1 << 32, 1, 1},
                         i64_small[] = {1, 1, 1, (int64_t)INT32_MIN - 1};
    static const ordo_u64 u64[] = {1, 2, 3, UINT32_MAX}, u64_large[] = {1, 1, UINT64_MAX, 1};
    static const struct {
        const char *descr;
        const void *data;
        size_t size;
        ordo_type type;   /* ORDO_NONE: refused, */
        const char *text; /* with this; where it says --round, read as floats if that is asked for */
    } table[] = {
        {"|b1", "\0\1\1\0", 4, ORDO_U32, NULL},
        {"|b1", "\0\2\1\0", 4, ORDO_NONE, "member data.npy, index 1"},
        {"|i1", i8, 4, ORDO_I32, NULL},
        {"|u1", "\0\1\2\xff", 4, ORDO_U32, NULL},
        {"<i2", i16, 8, ORDO_U32, NULL},
        {"<i4", i32, 16, ORDO_I32, NULL},
        {"<i8", i64, 32, ORDO_U32, NULL},
        {"<i8", i64_signed, 32, ORDO_I32, NULL},
        {"<i8", i64_both, 32, ORDO_NONE,
         "index 3: found a value above 2147483647, expected none as others are negative (--round"},
        {"<i8", i64_large, 32, ORDO_NONE, "index 1: found 4294967296, expected an integer of 32 bits (--round"},
        {"<i8", i64_small, 32, ORDO_NONE, "index 3: found -2147483649, expected an integer of 32 bits (--round"},
        {"<u8", u64, 32, ORDO_U32, NULL},
        {"<u8", u64_large, 32, ORDO_NONE,
         "index 2: found 18446744073709551615, expected an integer of 32 bits (--round"},
        {"<f4", floats, 16, ORDO_F32, NULL},
        {"<f4", float_nan, 16, ORDO_NONE, "member data.npy, index 3"},
        {"<f8", doubles, 32, ORDO_F32, NULL},
        {"<f8", two_largest, 32, ORDO_NONE, "member data.npy, index 1"},
        {"<f8", tiny, 32, ORDO_NONE, "member data.npy, index 1"},
        {"<f8", fractions, 32, ORDO_F32, NULL},
        {"<f8", far, 32, ORDO_F32, NULL},
        {"<f8", sum, 32, ORDO_NONE,
         "index 2: found 0.30000000000000004, expected a number that a 32-bit float holds: a whole number exactly, a "
         "fraction of at most 9 digits (--round"},
        {"<f8", ten_digits, 32, ORDO_NONE,
         "index 3: found 1.234567891, expected a number that a 32-bit float "
         "holds: a whole number exactly, a fraction of at most 9 digits (--round"},
        {"<f8", far_ten_digits, 32, ORDO_NONE,
         "index 0: found 1.2345678909999999e+25, expected a number that a 32-bit float holds: a whole "
         "number exactly, a fraction of at most 9 digits (--round"},
        {"<f8", large, 32, ORDO_NONE,
         "index 1: found 16777217, expected a number that a 32-bit float holds: a whole number exactly, a fraction of "
         "at most 9 digits (--round"},
        {"<f8", not_numbers, 32, ORDO_NONE, "member data.npy, index 2: found nan"},
        {"<f8", no_ends, 32, ORDO_NONE, "member data.npy, index 3: found -inf"},
        {"<f2", doubles, 8, ORDO_NONE, "member data.npy"},
        {"<c8", doubles, 32, ORDO_NONE, "complex"},
        {"<c16", doubles, 32, ORDO_NONE, "complex"},
        {"|O", doubles, 32, ORDO_NONE, "Python objects"},
        {"<i16", doubles, 32, ORDO_NONE, "member data.npy"},
        {"<M8[ns]", i64, 32, ORDO_NONE, "member data.npy"},
        {"|S4", i32, 16, ORDO_NONE, "member data.npy"},
        {">i4", i32, 16, ORDO_NONE, "big-endian"},
        {"|i4", i32, 16, ORDO_NONE, "member data.npy"},
        {"i4", i32, 16, ORDO_NONE, "member data.npy"},
        {"", i32, 16, ORDO_NONE, "member data.npy"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        member members[] = {{"indices.npy", "<i4", "(4,)", heads, sizeof heads},
                            {"indptr.npy", "<i4", "(2,)", ends, sizeof ends},
                            good[FORMAT],
                            {"shape.npy", "<i8", "(2,)", one, sizeof one},
                            {"data.npy", table[i].descr, "(4,)", table[i].data, table[i].size}};
        bytes b = npz_of(members, MEMBERS, PLAIN);
        const char *path = put_bytes("types.npz", &b);
        if (table[i].type == ORDO_NONE) {
            must_refuse(path, NULL, table[i].text, table[i].descr);
            const ordo_read_options round = {.round = true};
            if (!strstr(table[i].text, "--round")) {
                must_refuse(path, &round, table[i].text, table[i].descr);
                free(b.at);
                continue;
            }
            ordo_graph *g = must_read(path, &round);
            const ordo_csr *csr = ordo_graph_out(g);
            ck_assert_int_eq(csr->weight_type, ORDO_F32);
            for (ordo_eid e = 0; e < 4; e++) {
                const char kind = table[i].descr[1];
                const ordo_u32 bits = weight_word(csr, e);
                ordo_f32 value, want = kind == 'f'   ? (ordo_f32)((const double *)table[i].data)[e]
                                       : kind == 'i' ? (ordo_f32)((const int64_t *)table[i].data)[e]
                                                     : (ordo_f32)((const ordo_u64 *)table[i].data)[e];
                memcpy(&value, &bits, sizeof value);
                ck_assert_msg(value == want, "%s: value %llu is %g", table[i].descr, (unsigned long long)e,
                              (double)value);
            }
            ordo_graph_free(g);
        } else {
            ordo_graph *g = must_read(path, NULL);
            const ordo_csr *csr = ordo_graph_out(g);
            ck_assert_msg(csr->weight_type == table[i].type, "%s: type %d", table[i].descr, (int)csr->weight_type);
            for (ordo_eid e = 0; e < 4; e++) {
                ordo_u64 value = 0;
                size_t width = table[i].size / 4;
                memcpy(&value, (const char *)table[i].data + e * width, width);
                double wide;
                memcpy(&wide, &value, sizeof wide);
                ordo_f32 real = (ordo_f32)wide;
                if (table[i].descr[1] == 'i')
                    value = (ordo_u64)((int64_t)(value << (64 - 8 * width)) >> (64 - 8 * width));
                if (width == 8 && table[i].type == ORDO_F32)
                    memcpy(&value, &real, sizeof real);
                ck_assert_msg(weight_word(csr, e) == (ordo_u32)value, "%s: value %llu", table[i].descr,
                              (unsigned long long)e);
            }
            ordo_graph_free(g);
        }
        free(b.at);
    }
}
END_TEST

static void refuse_members(const member *members, size_t count, const char *text, const char *what)
{
    bytes b = npz_of(members, count, PLAIN);
    refuse_bytes("a.npz", &b, text, what);
    free(b.at);
}

START_TEST(npz_members)
{
    static const ordo_u64 wide[] = {3, 4}, huge[] = {1ull << 63, 1ull << 63}, many[] = {1ull << 40, 1ull << 40};
    static const ordo_i32 later[] = {1, 2, 5, 7}, falls[] = {0, 5, 2, 7}, shorter[] = {0, 2, 5, 6},
                          longer[] = {0, 2, 5, 8}, below[] = {0, -1, 5, 7};
    static const ordo_i32 far[] = {1, 1, 0, 0, 3, 1, 2}, negative[] = {1, 1, 0, -1, 2, 1, 2};
    static const struct {
        member instead;
        int of;
        const char *text;
    } table[] = {
        {{"format.npy", "|S3", "()", "csc", 3}, FORMAT, "'csc'"},
        {{"format.npy", "|S3", "()", "coo", 3}, FORMAT, "'coo'"},
        {{"format.npy", "|S3", "()", "bsr", 3}, FORMAT, "'bsr'"},
        {{"format.npy", "|S4", "()", "csrx", 4}, FORMAT, "'csrx'"},
        {{"format.npy", "|S3", "()", "c\nr", 3}, FORMAT, "'c?r'"},
        {{"format.npy", "<i4", "()", "csr\0", 4}, FORMAT, "member format.npy"},
        {{"format.npy", "|S99", "()", "csr", 3}, FORMAT, "member format.npy"},
        {{"format.npy", "<U3", "()", "c\1\0\0s\0\0\0r\0\0", 12}, FORMAT, "member format.npy"},
        {{"shape.npy", "<i8", "(2,)", wide, 16}, SHAPE, "member shape.npy, index 1: found 4"},
        {{"shape.npy", "<i8", "(2,)", huge, 16}, SHAPE, "member shape.npy, index 0"},
        {{"shape.npy", "<u8", "(2,)", many, 16}, SHAPE, "member shape.npy, index 0: found 1099511627776"},
        {{"shape.npy", "<i8", "(1,)", wide, 8}, SHAPE, "member shape.npy"},
        {{"shape.npy", "<f8", "(2,)", wide, 16}, SHAPE, "member shape.npy"},
        {{"indptr.npy", "<i4", "(4,)", later, 16}, INDPTR, "member indptr.npy, index 0: found 1"},
        {{"indptr.npy", "<i4", "(4,)", falls, 16}, INDPTR, "member indptr.npy, index 2: found 2"},
        {{"indptr.npy", "<i4", "(4,)", shorter, 16}, INDPTR, "member indptr.npy, index 3: found 6, expected 7"},
        {{"indptr.npy", "<i4", "(4,)", longer, 16}, INDPTR, "member indptr.npy, index 3: found 8"},
        {{"indptr.npy", "<i4", "(4,)", below, 16}, INDPTR, "member indptr.npy, index 1: found -1"},
        {{"indptr.npy", "<i4", "(3,)", later, 12}, INDPTR, "member indptr.npy"},
        {{"indptr.npy", "<i4", "(2, 2)", npz_indptr, 16}, INDPTR, "member indptr.npy"},
        {{"indptr.npy", "<f4", "(4,)", npz_indptr, 16}, INDPTR, "member indptr.npy"},
        {{"indices.npy", "<i4", "(7,)", far, 28}, INDICES, "member indices.npy, index 4: found 3"},
        {{"indices.npy", "<i4", "(7,)", negative, 28}, INDICES, "member indices.npy, index 3: found -1"},
        {{"indices.npy", "<i4", "(6,)", far, 24}, INDICES, "member data.npy"},
        {{"indices.npy", "<i4", "(8,)", far, 28}, INDICES, "member indices.npy"},
        {{"indices.npy", "<i4", "(4611686018427387904,)", far, 0}, INDICES, "member indices.npy"},
        {{"indices.npy", "<i4", "(99999999999999999999,)", far, 0}, INDICES, "member indices.npy"},
        {{"indices.npy", "<i4", "(7)", far, 28}, INDICES, "member indices.npy, byte 128: found header"},
        {{"indices.npy", "<i4", "(-7,)", far, 28}, INDICES, "found header"},
        {{"indices.npy", "<i4", "(7,, )", far, 28}, INDICES, "found header"},
        {{"indices.npy", "<i4", "7", far, 28}, INDICES, "found header"},
        {{"indices.npy", "<i4", "(7,), 'shape': (7,)", path_heads, 28}, INDICES, "found header"},
        {{"indices.npy", "<i4", "(7,), 'other': 1", path_heads, 28}, INDICES, "found header"},
        {{"indices.npy", "<i4', 'x': '", "(7,)", path_heads, 28}, INDICES, "found header"},
        {{"indices.npy", "<i4", "(7,)} {", path_heads, 28}, INDICES, "found header"},
        {{"data.npy", "<i4", "(7,)", path_weights, 24}, DATA, "member data.npy"},
        {{"data.npy", "<i4", "(6,)", path_weights, 24}, DATA, "member data.npy"},
        {{"data.npy", "<i4", "()", path_weights, 4}, DATA, "member data.npy"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char what[64];
        snprintf(what, sizeof what, "npz member %zu", i);
        member members[MEMBERS];
        memcpy(members, good, sizeof good);
        members[table[i].of] = table[i].instead;
        refuse_members(members, MEMBERS, table[i].text, what);
    }
    for (int missing = 0; missing < MEMBERS; missing++) {
        member members[MEMBERS];
        memcpy(members, good, sizeof good);
        members[missing] = members[MEMBERS - 1];
        refuse_members(members, MEMBERS - 1, good[missing].name, "a member is missing");
        memcpy(members, good, sizeof good);
        members[missing] = members[(missing + 1) % MEMBERS];
        refuse_members(members, MEMBERS, "n", "a member is there twice");
    }
    member more[MEMBERS + 1];
    memcpy(more, good, sizeof good);
    more[MEMBERS] = good[DATA];
    refuse_members(more, MEMBERS + 1, "data.npy twice", "a member is there twice");
    more[MEMBERS].name = "more.npy";
    refuse_members(more, MEMBERS + 1, "member more.npy", "a member too many");
    more[MEMBERS].name = "a-name-that-is-longer-than-that-of-any-member-of-a-matrix.npy";
    refuse_members(more, MEMBERS + 1, "byte", "a long name");
}
END_TEST

/* What is wrong with the archive and not with the arrays in it. */
START_TEST(npz_damage)
{
    bytes b = npz_of(good, MEMBERS, PLAIN);
    const ordo_u8 *found = memmem(b.at, b.size, "PK\1\2", 4);
    ck_assert_ptr_nonnull(found);
    size_t central = (size_t)(found - b.at), end = b.size - 22, second = 30 + 11 + 128 + 28;
    ck_assert_mem_eq(b.at + second, "PK\3\4", 4);
    const damage table[] = {
        {0, 0, 1, "byte"},                            /* no zip archive */
        {6, 1, 2, "byte 0: found an encrypted"},      /* encrypted */
        {8, 99, 2, "byte"},                           /* another method, in the local header alone */
        {26, 12, 2, "byte"},                          /* a name of another length */
        {26, 0xffff, 2, "byte"},                      /* ... and one beyond the file */
        {28, 1, 2, "byte"},                           /* more fields */
        {30, 'I', 1, "byte"},                         /* another name */
        {30, 0, 1, "byte"},                           /* ... with a zero */
        {30 + 11, 0, 1, "indices.npy"},               /* no array */
        {30 + 11 + 6, 9, 1, "indices.npy"},           /* of another version */
        {30 + 11 + 8, 0xffff, 2, "indices.npy"},      /* with a longer header */
        {30 + 11 + 128, 2, 4, "indices.npy"},         /* another CRC */
        {second, 0, 4, "byte"},                       /* between members */
        {central, 0, 4, "byte"},                      /* the directory */
        {central + 8, 1, 2, "byte"},                  /* encrypted, by the directory alone */
        {central + 10, 99, 2, "byte"},                /* an unknown method */
        {central + 10, 8, 2, "byte"},                 /* deflated: it is not */
        {central + 16, 0, 4, "indices.npy"},          /* CRC */
        {central + 20, 157, 4, "byte"},               /* bytes in the archive */
        {central + 20, 0x7fffffff, 4, "byte"},        /* ... */
        {central + 24, 155, 4, "indices.npy"},        /* bytes of the member */
        {central + 24, 0x7fffffff, 4, "indices.npy"}, /* ... */
        {central + 42, 1, 4, "byte"},                 /* where it is */
        {central + 42, (long long)second, 4, "byte"}, /* where another one is */
        {end + 10, 4, 2, "byte"},                     /* members */
        {end + 16, 1, 4, "byte"},                     /* where the directory is */
        {end + 20, 1, 2, "byte"},                     /* a comment that is not there */
        {0, 1, 0, "byte"},
        {0, -1, 0, "byte"},
        {0, -8, 0, "byte"},
    };
    refuse_damaged("a.npz", &b, table, sizeof table / sizeof table[0]);
    refuse_truncated("a.npz", &b, 1);
    refuse_others("a.npz", &b, 4);
    mutate("a.npz", &b, NULL);

    /* something in front, or between the members and their directory */
    bytes front = {0};
    add(&front, "garbage!", 8);
    add(&front, b.at, b.size);
    refuse_bytes("a.npz", &front, "byte", "garbage in front");
    bytes between = {0};
    add(&between, b.at, central);
    add(&between, "garbage!", 8);
    add(&between, b.at + central, b.size - central);
    put_number(&between, between.size - 6, central + 8, 4);
    refuse_bytes("a.npz", &between, "byte", "garbage between");
    free(front.at), free(between.at), free(b.at);
}
END_TEST

/* Arrays that are damaged in an archive that is whole. */
START_TEST(npz_mutated_arrays)
{
    const char *names[MEMBERS];
    bytes files[MEMBERS];
    ordo_u64 state = 99;
    for (int i = 0; i < MEMBERS; i++)
        names[i] = good[i].name;
    for (int times = 0; times < MUTATIONS / BRIEFER; times++) {
        for (int i = 0; i < MEMBERS; i++)
            files[i] = npy_of(&good[i]);
        for (ordo_u64 k = next_random(&state) % 3 + 1; k; k--) {
            bytes *f = &files[next_random(&state) % MEMBERS];
            static const char likely[] = "0123456789()',<>|{}: csrbiufOU\n\xff";
            f->at[next_random(&state) % f->size] = next_random(&state) % 2
                                                       ? (ordo_u8)likely[next_random(&state) % (sizeof likely - 1)]
                                                       : (ordo_u8)next_random(&state);
        }
        bytes b = zip_of(names, files, MEMBERS, (style)(times % 3));
        ordo_graph *g = NULL;
        ordo_status status = ordo_graph_read(put_bytes("a.npz", &b), NULL, &g);
        ck_assert(status == ORDO_OK || status == ORDO_ERR_INPUT);
        if (g)
            must_be_graph(g);
        ordo_graph_free(g);
        free(b.at);
        for (int i = 0; i < MEMBERS; i++)
            free(files[i].at);
    }
}
END_TEST

/* A member that unfolds to a gigabyte and one that says so are refused without the memory for it. */
START_TEST(npz_bombs)
{
    enum { LARGE = 1 << 27 };
    for (int claimed = 0; claimed < 2; claimed++) {
        const char *path = path_of("bomb.npz");
        unlink(path);
        int code;
        zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_EXCL, &code);
        ck_assert_ptr_nonnull(zip);
        bytes files[MEMBERS];
        for (int i = 0; i < MEMBERS; i++) {
            files[i] = npy_of(&good[i]);
            if (i == DATA && !claimed) {
                size_t before = files[i].size;
                files[i].at = realloc(files[i].at, LARGE);
                files[i].size = LARGE;
                memset(files[i].at + before, 0, LARGE - before);
            }
            zip_source_t *source = zip_source_buffer(zip, files[i].at, files[i].size, 0);
            ck_assert_int_ge(zip_file_add(zip, good[i].name, source, 0), 0);
            ck_assert_int_eq(zip_set_file_compression(zip, (zip_uint64_t)i, ZIP_CM_DEFLATE, 0), 0);
        }
        ck_assert_int_eq(zip_close(zip), 0);
        for (int i = 0; i < MEMBERS; i++)
            free(files[i].at);
        if (claimed) { /* in the directory, on the last member */
            bytes b = get_file(path);
            const ordo_u8 *last = NULL, *at = b.at;
            while ((at = memmem(at, b.size - (size_t)(at - b.at), "PK\1\2", 4)))
                last = at++;
            ck_assert_ptr_nonnull(last);
            put_number(&b, (size_t)(last - b.at) + 24, 0x7ffffff0, 4);
            path = put_bytes("bomb.npz", &b);
            free(b.at);
        }
        ordo_u64 before = ordo_memory_now();
        ordo_memory_reset_peak();
        must_refuse(path, NULL, "data.npy", claimed ? "a claim" : "a bomb");
        ck_assert_uint_lt(ordo_memory_peak(), before + (1 << 20));
    }
}
END_TEST

/* What is written for graphs without weights, and for weights beyond 31 bits. */
START_TEST(npz_weights)
{
    ordo_graph *g = path_graph(ORDO_NONE);
    ck_assert_int_eq(ordo_graph_write(g, path_of("w.npz")), ORDO_OK);
    ordo_graph *back = must_read(path_of("w.npz"), NULL);
    ck_assert_int_eq(ordo_graph_out(back)->weight_type, ORDO_U32);
    for (ordo_eid e = 0; e < PATH_M; e++)
        ck_assert_uint_eq(weight_word(ordo_graph_out(back), e), 1);
    ordo_graph_free(back);
    ordo_read_options drop = {.edges.weights = ORDO_WEIGHTS_DROP};
    back = must_read(path_of("w.npz"), &drop);
    must_equal(g, back, "dropped");
    ordo_graph_free(back);
    ordo_graph_free(g);

    ordo_edge_entry edge = {0, 1, UINT32_MAX};
    ck_assert_int_eq(ordo_graph_from_edges(2, &edge, 1, ORDO_U32, ORDO_AS_STORED, 1, &g), ORDO_OK);
    ck_assert_int_eq(ordo_graph_write(g, path_of("w.npz")), ORDO_OK);
    back = must_read(path_of("w.npz"), NULL);
    must_equal(g, back, "large");
    ordo_graph_free(back);
    ordo_graph_free(g);
}
END_TEST

#else

START_TEST(npz_left_out)
{
    bytes b = npz_of(good, MEMBERS, PLAIN);
    refuse_bytes("a.npz", &b, "without libzip", "a.npz");
    free(b.at);
    ordo_graph *g = path_graph(ORDO_U32);
    ck_assert_int_eq(ordo_graph_write(g, path_of("w.npz")), ORDO_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "without libzip"));
    ordo_graph_free(g);
}
END_TEST

#endif

/* ---- Ordo's own ---- */

static ordo_u64 own_checksum(ordo_u64 hash, const ordo_u8 *at, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        ordo_u64 word = 0;
        memcpy(&word, at + i, size - i < 8 ? size - i : 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static void own_mend(bytes *b)
{
    if (b->size >= 256)
        put_number(b, 248, own_checksum(0, b->at, 248), 8);
}

static const ordo_i32 own_coordinates[2 * PATH_N] = {1, -2, 3, -4, INT32_MAX, INT32_MIN};
static const ordo_u32 own_weights[2 * PATH_N] = {5, 6, 7, 8, 9, 10}, own_sizes[PATH_N] = {11, 12, 13};

/* The path, by the description of the format alone. */
static bytes own_file(bool weighted, bool vertex_data)
{
    ordo_graph *g = path_graph(weighted ? ORDO_U32 : ORDO_NONE);
    ordo_graph_info info = info_of(g);
    bytes b = {0}, edges = {0};
    for (int e = 0; e < PATH_M; e++) {
        add_number(&edges, path_heads[e], 4);
        if (weighted)
            add_number(&edges, path_weights[e], 4);
    }
    const struct {
        const void *at;
        size_t size;
    } sections[5] = {{path_rows, sizeof path_rows},
                     {edges.at, edges.size},
                     {own_coordinates, vertex_data ? sizeof own_coordinates : 0},
                     {own_weights, vertex_data ? sizeof own_weights : 0},
                     {own_sizes, vertex_data ? sizeof own_sizes : 0}};
    add(&b, "\x89ordo\r\n\x1a", 8);
    add_number(&b, 1, 4);
    add_number(&b, 0x01020304, 4);
    add_number(&b, 256, 4);
    add_number(&b, 4, 1);
    add_number(&b, 8, 1);
    add_number(&b, weighted ? 1 : 0, 1);
    add_number(&b, weighted ? 2 : 1, 1);
    add_number(&b, vertex_data ? 1 | 2 | 4 : 1, 4);
    add_number(&b, vertex_data ? 2 : 0, 4);
    add_number(&b, PATH_N, 8);
    add_number(&b, PATH_M, 8);
    add_number(&b, 1, 8);
    add_number(&b, vertex_data ? 2 : 0xffffffff, 4);
    add_number(&b, vertex_data ? 0 : 0xffffffff, 4);
    size_t end = 4096;
    for (int i = 0; i < 5; i++) {
        size_t first = (end + 4095) / 4096 * 4096;
        add_number(&b, sections[i].size ? first : 0, 8);
        add_number(&b, sections[i].size, 8);
        end = sections[i].size ? first + sections[i].size : end;
    }
    add_number(&b, end, 8);
    add_number(&b, info.checksum, 8);
    add_number(&b, info.loops, 8);
    add_number(&b, info.max_degree, 8);
    add(&b, &info.weight_min, 8);
    add(&b, &info.weight_max, 8);
    add(&b, &info.weight_mean, 8);
    ordo_u64 hash = 0;
    for (int i = 2; i < 5; i++)
        hash = own_checksum(hash, sections[i].at, sections[i].size);
    add_number(&b, hash, 8);
    for (int i = 0; i < 6; i++)
        add_number(&b, 0, 8);
    own_mend(&b);
    for (int i = 0; i < 5; i++) {
        while (sections[i].size && b.size % 4096)
            add_number(&b, 0, 1);
        add(&b, sections[i].at, sections[i].size);
    }
    free(edges.at);
    ordo_graph_free(g);
    return b;
}

static void must_have_vertex_data(const ordo_graph *g)
{
    const ordo_vertex_data *v = ordo_graph_vertex_data(g);
    ck_assert_mem_eq(v->coordinate, own_coordinates, sizeof own_coordinates);
    ck_assert_uint_eq(v->weights, 2);
    ck_assert_mem_eq(v->weight, own_weights, sizeof own_weights);
    ck_assert_mem_eq(v->size, own_sizes, sizeof own_sizes);
    ck_assert_uint_eq(v->source, 2);
    ck_assert_uint_eq(v->sink, 0);
}

START_TEST(own_layout)
{
    for (int i = 0; i < 8; i++) {
        bool weighted = i & 1, vertex_data = i & 2;
        ordo_read_options options = {.trust = i & 4};
        bytes b = own_file(weighted, vertex_data);
        ordo_graph *g = path_graph(weighted ? ORDO_U32 : ORDO_NONE),
                   *back = must_read(put_bytes("a.ordo", &b), &options);
        must_equal(g, back, "a.ordo");
        ordo_graph_info a = info_of(g), c = info_of(back);
        ck_assert(ordo_graph_symmetric(back) && c.symmetric);
        ck_assert_uint_eq(c.id_base, 1);
        ck_assert_uint_eq(c.loops, 1);
        ck_assert_uint_eq(c.max_degree, a.max_degree);
        ck_assert_double_eq(c.weight_min, a.weight_min);
        ck_assert_double_eq(c.weight_max, a.weight_max);
        ck_assert_double_eq(c.weight_mean, a.weight_mean);
        if (vertex_data) {
            must_have_vertex_data(back);
        } else {
            ck_assert_ptr_null(ordo_graph_vertex_data(back)->coordinate);
            ck_assert_ptr_null(ordo_graph_vertex_data(back)->weight);
            ck_assert_ptr_null(ordo_graph_vertex_data(back)->size);
            ck_assert_uint_eq(ordo_graph_vertex_data(back)->source, ORDO_NO_VERTEX);
        }
        ck_assert_int_eq(ordo_graph_write(back, path_of("b.ordo")), ORDO_OK);
        bytes again = get_file(path_of("b.ordo"));
        ck_assert_uint_eq(again.size, b.size);
        ck_assert_mem_eq(again.at, b.at, b.size);
        ordo_graph_free(g);
        ordo_graph_free(back);
        /* by content: a name that says nothing */
        g = must_read(put_bytes("ordo-without-suffix", &b), NULL);
        ordo_graph_free(g);
        free(again.at), free(b.at);
    }
}
END_TEST

START_TEST(own_changed)
{
    static const struct {
        ordo_edge_options edges;
        ordo_u64 m;
        ordo_type type;
    } table[] = {
        {{.direction = ORDO_SYMMETRISE}, PATH_M, ORDO_U32},
        {{.direction = ORDO_SYMMETRIC}, PATH_M, ORDO_U32},
        {{.drop_loops = true}, PATH_M - 1, ORDO_U32},
        {{.parallel = ORDO_PARALLEL_MIN}, PATH_M - 2, ORDO_U32},
        {{.weights = ORDO_WEIGHTS_DROP}, PATH_M, ORDO_NONE},
        {{.weights = ORDO_WEIGHTS_REPLACE, .low = 5, .high = 5}, PATH_M, ORDO_U32},
    };
    bytes b = own_file(true, true);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (int trust = 0; trust < 2; trust++) {
            ordo_read_options options = {.edges = table[i].edges, .trust = trust};
            ordo_graph *g = must_read(put_bytes("c.ordo", &b), &options);
            ck_assert_uint_eq(ordo_graph_out(g)->m, table[i].m);
            ck_assert_int_eq(ordo_graph_out(g)->weight_type, table[i].type);
            ck_assert(ordo_graph_symmetric(g));
            ck_assert_uint_eq(info_of(g).id_base, 1);
            must_have_vertex_data(g);
            must_be_graph(g);
            ordo_graph_free(g);
        }
    ordo_read_options uniform = {.edges = {.weights = ORDO_WEIGHTS_UNIFORM, .low = 1, .high = 9}};
    must_refuse(put_bytes("c.ordo", &b), &uniform, "found weights", "uniform weights over others");

    /* marked as directed, but with both directions, and then without one of them */
    put_number(&b, 24, 2 | 4, 4);
    own_mend(&b);
    ordo_read_options both = {.edges.direction = ORDO_SYMMETRIC};
    ordo_graph *g = must_read(put_bytes("c.ordo", &b), &both);
    ck_assert(ordo_graph_symmetric(g));
    ordo_graph_free(g);
    both.edges.direction = ORDO_SYMMETRISE;
    g = must_read(put_bytes("c.ordo", &b), &both);
    ck_assert_uint_eq(ordo_graph_out(g)->m, 2 * PATH_M - 1);
    must_have_vertex_data(g);
    ordo_graph_free(g);
    ordo_graph *one = make(5, ORDO_U32, false);
    ck_assert_int_eq(ordo_graph_write(one, path_of("d.ordo")), ORDO_OK);
    both.edges.direction = ORDO_SYMMETRIC;
    if (info_of(one).loops == 0)
        must_refuse(path_of("d.ordo"), &both, "symmetric graph", "one direction");
    ordo_graph_free(one);
    free(b.at);
}
END_TEST

START_TEST(own_damage)
{
    bool vertex_data = _i;
    bytes b = own_file(true, vertex_data);
    ordo_graph_free(must_read(put_bytes("a.ordo", &b), NULL));
    ordo_read_options trust = {.trust = true};
    /* Of every byte a bit: nothing escapes, and the header's damage not even where the rest is believed. */
    const char *path = put_bytes("a.ordo", &b);
    int fd = open(path, O_WRONLY);
    ck_assert_int_ge(fd, 0);
    for (size_t i = 0; i < b.size; i += BRIEFER == 1 ? 1 : 3) {
        char what[64];
        snprintf(what, sizeof what, "bit of byte %zu", i);
        ordo_u8 flipped = b.at[i] ^ (ordo_u8)(1 << i % 8);
        ck_assert_int_eq(pwrite(fd, &flipped, 1, (off_t)i), 1);
        bool row_or_head = i >= 4096 && i < 8192 + 8 * PATH_M;
        if (i >= 8)
            must_refuse(path, NULL, row_or_head ? "" : "byte", what);
        if (i >= 8 && i < 4096)
            must_refuse(path, &trust, "byte", what);
        ck_assert_int_eq(pwrite(fd, &b.at[i], 1, (off_t)i), 1);
    }
    /* Every bit of the header, the first eight bytes by the reader that the suffix picks. */
    for (size_t i = 0; i < 256 * 8; i++) {
        ordo_u8 flipped = b.at[i / 8] ^ (ordo_u8)(1 << i % 8);
        ck_assert_int_eq(pwrite(fd, &flipped, 1, (off_t)(i / 8)), 1);
        must_refuse(path, NULL, "byte", "header");
        ck_assert_int_eq(pwrite(fd, &b.at[i / 8], 1, (off_t)(i / 8)), 1);
    }
    close(fd);
    refuse_truncated("a.ordo", &b, 8);
    refuse_others("a.ordo", &b, 8);
    mutate("a.ordo", &b, NULL);
    mutate("a.ordo", &b, own_mend);
    free(b.at);
}
END_TEST

/* Headers that are wrong though their checksum is right. */
START_TEST(own_fields)
{
    static const struct {
        damage what;
        bool kept; /* the checksum is as it was: it is not looked at */
    } table[] = {
        {{5, 0x1a0a, 2, "transfer as text"}, true},
        {{8, 3, 4, "byte 8: found 3 as version"}, true},
        {{8, 3, 4, "byte 8: found 3 as version"}, false},
        {{8, 2, 4, "byte 22: found 1 as type of weights, expected 5 or 6"}, false},
        {{12, 0x04030201, 4, "big-endian"}, false},
        {{12, 0x01020305, 4, "byte 12:"}, false},
        {{16, 512, 4, "byte 16:"}, false},
        {{20, 8, 1, "byte 20:"}, false},
        {{21, 4, 1, "byte 21:"}, false},
        {{22, 4, 1, "byte 22:"}, false},
        {{22, 0, 1, "byte 23:"}, false},
        {{23, 1, 1, "byte 23:"}, false},
        {{23, 0, 1, "byte 23:"}, false},
        {{24, 8, 4, "byte 24:"}, false},
        {{24, 2, 4, "byte 96:"}, false}, /* coordinates that are not there */
        {{28, 1, 4, "byte 112:"}, false},
        {{28, -1, 4, "byte"}, false},
        {{32, PATH_N + 1, 8, "byte 64:"}, false},
        {{32, 0, 8, "byte 40:"}, false},
        {{32, -1, 8, "byte 32:"}, false},
        {{32, 0xffffffff, 8, "byte 32:"}, false},
        {{32, 0xfffffffe, 8, "byte 64:"}, false},
        {{40, PATH_M + 1, 8, "byte 80:"}, false},
        {{40, PATH_M - 1, 8, "byte 80:"}, false},
        {{40, (long long)1 << 60, 8, "byte"}, false},
        {{40, (long long)1 << 61, 8, "byte 40:"}, false},
        {{40, (long long)((ordo_u64)1 << 63), 8, "byte 40:"}, false},
        {{40, -1, 8, "byte 40:"}, false},
        {{56, PATH_N, 4, "byte 56:"}, false},
        {{60, 0xfffffffe, 4, "byte 60:"}, false},
        {{64, 4096 + 64, 8, "byte 64:"}, false},
        {{64, 0, 8, "byte 64:"}, false},
        {{72, 24, 8, "byte 64:"}, false},
        {{80, (long long)((ordo_u64)1 << 63), 8, "byte 80:"}, false},
        {{88, -1, 8, "byte 80:"}, false},
        {{96, 4096, 8, "byte 96:"}, false},
        {{144, 1, 8, "byte 144:"}, false},
        {{152, 1, 8, "byte 152"}, false},
        {{200, 1, 8, "byte 200"}, false},
        {{208, 1, 8, "byte 208:"}, false},
        {{240, 1, 8, "byte 240:"}, false},
        {{248, 1, 8, "byte 248:"}, true},
        {{256, 1, 1, "byte 256:"}, false},
        {{4096, 1, 8, "byte 4096:"}, false},
        {{4104, 6, 8, "row 1:"}, false},
        {{4120, 6, 8, "byte 4120:"}, false},
        {{4128, 1, 1, "byte 4128:"}, false},
        {{8192, PATH_N, 4, "edge 0: found head 3"}, false},
        {{8192 + 8, -1, 4, "edge 1: found head"}, false},
        {{8192 + 12, 99, 4, "byte 152"}, false}, /* a weight: only the checksum tells */
        {{0, 1, 0, "byte"}, false},
        {{0, -1, 0, "byte"}, false},
        {{0, -4096, 0, "byte"}, false},
    };
    bytes whole = own_file(true, false);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char what[64];
        snprintf(what, sizeof what, "field %zu", i);
        bytes b = copy_of(&whole);
        const damage *d = &table[i].what;
        if (d->size)
            put_number(&b, d->at, (ordo_u64)d->value, d->size);
        else if (d->value > 0)
            b.size -= (size_t)d->value;
        else
            for (long long more = d->value; more < 0; more++)
                add_number(&b, 0, 1);
        if (!table[i].kept)
            own_mend(&b);
        refuse_bytes("a.ordo", &b, d->text, what);
        free(b.at);
    }
    free(whole.at);
}
END_TEST

/* A file of zeros, not written to, as large as it may be: the header alone must do. */
START_TEST(own_trusted_is_not_read)
{
    bytes b = own_file(true, false);
    ordo_read_options trust = {.trust = true};
    put_number(&b, 8192 + 12, 99, 4); /* a weight: believed */
    ordo_graph *g = must_read(put_bytes("a.ordo", &b), &trust);
    ck_assert_uint_eq(weight_word(ordo_graph_out(g), 1), 99);
    ck_assert_double_eq(info_of(g).weight_max, 40);
    ordo_u64 now = ordo_memory_now();
    ordo_graph_free(g);
    ck_assert_uint_lt(now - ordo_memory_now(), 4096); /* the rows were never ours */
    free(b.at);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("binary");
    TCase *t = tcase_create("round trips");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, round_trip, 0, FORMATS);
    tcase_add_loop_test(t, memory_runs_out, 0, FORMATS);
    suite_add_tcase(s, t);
    t = tcase_create("damage");
    tcase_set_timeout(t, 3000);
    tcase_add_test(t, gap_damage);
    tcase_add_loop_test(t, galois_damage, 0, 6);
#ifdef HAVE_ZIP
    tcase_add_test(t, npz_styles);
    tcase_add_test(t, npz_types);
    tcase_add_test(t, npz_members);
    tcase_add_test(t, npz_damage);
    tcase_add_test(t, npz_mutated_arrays);
    tcase_add_test(t, npz_bombs);
    tcase_add_test(t, npz_weights);
#else
    tcase_add_test(t, npz_left_out);
#endif
    tcase_add_test(t, own_layout);
    tcase_add_test(t, own_changed);
    tcase_add_loop_test(t, own_damage, 0, 2);
    tcase_add_test(t, own_fields);
    tcase_add_test(t, own_trusted_is_not_read);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    if (!make_folder())
        return EXIT_FAILURE;
    int status = run_suite(suite());
    return remove_folder() ? status : EXIT_FAILURE;
}
