/* fuzz.c -- one libFuzzer target a reader (-DREADER=ordo_read_mtx), or one for whole files (-DFILES).
 *
 * Whatever the bytes: no crash, no leak, no hang, and either one line of error and no graph, or a graph whose rows are
 * rows, whose heads are vertices and whose statistics can be taken. What is asked of the edges (direction, loops,
 * parallel edges, weights) is picked by the input's last byte, so that every path behind the readers is walked, too.
 * Built and run by tools/fuzz, with address and undefined-behaviour sanitizers.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/graph/graph.h"
#include "tests/fuzz/target.h"

/* An .ordo header of this size has its checksum at its end: put right, so that mutations get behind it. */
static void mend(ordo_u8 *bytes, size_t size)
{
    enum { WORDS = 31, HEADER = 8 * (WORDS + 1) };
    static const char magic[] = ORDO_OWN_MAGIC;
    if (size < HEADER || memcmp(bytes, magic, sizeof magic - 1) != 0)
        return;
    ordo_u64 hash = 0;
    for (int i = 0; i < WORDS; i++) {
        hash = (hash ^ ordo_load64(bytes + 8 * i)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    memcpy(bytes + 8 * WORDS, &hash, sizeof hash);
}

static void look_at(ordo_graph *g)
{
    const ordo_csr *rows = ordo_graph_out(g), *in;
    must(rows->row[0] == 0 && rows->row[rows->n] == rows->m, "rows do not span the edges");
    for (ordo_u64 u = 0; u < rows->n; u++)
        must(rows->row[u] <= rows->row[u + 1], "a row ends before it begins");
    for (ordo_eid e = 0; e < rows->m; e++)
        must(rows->head[e * rows->stride] < rows->n, "a head is no vertex");
    ordo_graph_info info;
    ordo_graph_get_info(g, &info);
    must(info.vertices == rows->n && info.edges == rows->m, "info is of another graph");
    must(ordo_graph_in(g, 1, &in) == ORDO_OK && in->m == rows->m, "no in-rows");
    const ordo_vertex_data *v = ordo_graph_vertex_data(g);
    must(v->source == ORDO_NO_VERTEX || v->source < rows->n, "a source that is no vertex");
    must(v->sink == ORDO_NO_VERTEX || v->sink < rows->n, "a sink that is no vertex");
    volatile ordo_u32 touched = 0;
    for (ordo_u64 i = 0; i < rows->n; i++)
        touched += (v->coordinate ? (ordo_u32)v->coordinate[2 * i + 1] : 0) + (v->size ? v->size[i] : 0) +
                   (v->weight ? v->weight[i * v->weights] : 0);
}

static ordo_read_options options_of(const ordo_u8 *data, size_t size)
{
    ordo_u8 pick = size ? data[size - 1] : 0;
    ordo_read_options o = {.threads = 1};
    if (pick & 128) /* half of the inputs: nothing asked */
        return o;
    o.edges.direction = (ordo_direction)(pick % 3);
    o.edges.drop_loops = pick & 4;
    o.edges.parallel = (ordo_parallel)(pick / 8 % 5);
    o.edges.weights = (ordo_weights)(pick % 4);
    static const char *const columns[] = {"1,2", "2,1,3", "u,v,weight", "b,a"};
    ordo_u8 other = size > 1 ? data[size - 2] : 0;
    o.round = other & 1;
    o.columns = other & 8 ? columns[other / 16 % 4] : NULL;
    o.edges.weight_type = other & 2 ? other & 4 ? ORDO_I64 : ORDO_F64 : ORDO_NONE;
    o.edges.low = 1;
    o.edges.high = 9;
    return o;
}

#ifdef FILES
static ordo_status read_bytes(const ordo_u8 *data, size_t size, const ordo_read_options *options, ordo_graph **out)
{
    int fd;
    const char *path = file_in_memory(data, size, &fd);
    ordo_status status = ordo_graph_read(path, options, out);
    ordo_i32 *places = NULL;
    if (status && ordo_read_coordinates(path, 3, &places) == ORDO_OK)
        ordo_free(places);
    close(fd);
    return status;
}
#else
static ordo_status read_bytes(const ordo_u8 *data, size_t size, const ordo_read_options *options, ordo_graph **out)
{
    ordo_u8 *block = ordo_alloc(size, 1);
    memcpy(block, data, size);
    if (data[size - 1] & 1)
        mend(block, size);
    ordo_input in = {.name = "fuzz", .bytes = block, .size = size, .block = block};
    ordo_vertex_data vertices = {.source = ORDO_NO_VERTEX, .sink = ORDO_NO_VERTEX};
    ordo_origin origin = {.source = in.name,
                          .start = ordo_seconds(),
                          .threads = 1,
                          .edges = &options->edges,
                          .vertices = &vertices,
                          .input = &in};
    ordo_status status = READER(&in, options, &origin, out);
    ordo_input_close(&in);
    if (status)
        ordo_vertex_data_free(&vertices);
    return status;
}
#endif

int LLVMFuzzerTestOneInput(const ordo_u8 *data, size_t size);
int LLVMFuzzerTestOneInput(const ordo_u8 *data, size_t size)
{
    if (size == 0) /* input.c refuses empty files before any reader */
        return 0;
    ordo_read_options options = options_of(data, size);
    ordo_graph *g = NULL;
    ordo_status status = read_bytes(data, size, &options, &g);
    if (status) {
        must(g == NULL, "an error and a graph");
        must(*ordo_last_error() && !strchr(ordo_last_error(), '\n'), "not one line of error");
        must(status == ORDO_ERR_INPUT || status == ORDO_ERR_MEMORY || (status == ORDO_ERR_USAGE && options.columns),
             "an error that is not the input's");
        return 0;
    }
    look_at(g);
    ordo_graph_free(g);
    return 0;
}
