/* arrays.c -- graphs from arrays of the caller's: a list of edges as a source of edges, and rows that are borrowed.
 *
 * Problem: callers hold indices of 4 or 8 bytes and weights of 4 or 8, each in an array of its own, and want neither a
 * copy of the list beside the rows nor a copy of rows that have the right types.
 *
 * Method: a list is a source (graph.h) that converts batches of edges while build.c counts and moves them, and that
 * remembers the first index at fault. Rows are used as they are; offsets of 4 bytes are copied into ones of 8. Rows on
 * a device: framework/run/device_arrays.c.
 *
 * Not done: heads of 8 bytes in borrowed rows; arrays with gaps.
 */
#include "graph.h"

#include <stdio.h>
#include <string.h>

#include "framework/run/number.h"
#include "framework/run/reserved.h"

/* ---- lists of edges ---- */

enum { PART = 1 << 16 }; /* edges of a part */

typedef struct list {
    const ordo_edge_arrays *arrays;
    bool wide;           /* indices have 8 bytes */
    bool weighted;       /* weights are read */
    ordo_type kept;      /* the type that they are kept as */
    ordo_u64 bad_end;    /* atomic: the first edge with an end that is no vertex; count if none */
    ordo_u64 bad_weight; /* atomic: the first edge with a weight that is refused; count if none */
} list;

static inline ordo_u64 index_at(const void *array, bool wide, ordo_u64 i)
{
    return wide ? ((const ordo_u64 *)array)[i] : ((const ordo_u32 *)array)[i];
}

/* The bits that a weight is kept as. */
static ordo_u64 weight_at(list *l, ordo_u64 i)
{
    const ordo_edge_arrays *a = l->arrays;
    if (!ordo_type_wide(a->weight_type))
        return ((const ordo_u32 *)a->weight)[i];
    if (l->kept == a->weight_type) {
        const ordo_u64 bits = ((const ordo_u64 *)a->weight)[i];
        if (!ordo_wide_allowed(l->kept, bits))
            ordo_keep_least(&l->bad_weight, i);
        return bits;
    }
    const double wide = ((const double *)a->weight)[i];
    const ordo_f32 value = (ordo_f32)wide;
    ordo_u32 word;
    bool inside;
    if (!ordo_double_held(wide, a->round, &inside))
        ordo_keep_least(&l->bad_weight, i);
    memcpy(&word, &value, sizeof word);
    return word;
}

static void give(void *self, ordo_u64 index, bool ends_only, ordo_taker *to)
{
    list *l = self;
    const ordo_edge_arrays *a = l->arrays;
    ordo_u64 i = index * PART, end = a->count - i < PART ? a->count : i + PART;
    ordo_given_edge batch[ORDO_BATCH];
    while (i < end) {
        size_t size = 0;
        for (; i < end && size < ORDO_BATCH; i++) {
            const ordo_u64 tail = index_at(a->tail, l->wide, i), head = index_at(a->head, l->wide, i);
            if (tail >= a->n || head >= a->n) { /* in the first pass only: there is no second one then */
                ordo_keep_least(&l->bad_end, i);
                return;
            }
            batch[size++] = (ordo_given_edge){.tail = (ordo_vid)tail,
                                              .head = (ordo_vid)head,
                                              .weight = ends_only || !l->weighted ? 0 : weight_at(l, i)};
        }
        to->take(to, batch, size);
    }
}

static ordo_status check_ends(void *self, ordo_u64 edges, ordo_u64 *n)
{
    const list *l = self;
    const ordo_edge_arrays *a = l->arrays;
    (void)edges, (void)n;
    if (l->bad_end == a->count)
        return ORDO_OK;
    return ordo_fail(ORDO_ERR_INPUT, "edge %llu of the arrays: found %llu -> %llu, expected ends below %llu",
                     (unsigned long long)l->bad_end, (unsigned long long)index_at(a->tail, l->wide, l->bad_end),
                     (unsigned long long)index_at(a->head, l->wide, l->bad_end), (unsigned long long)a->n);
}

static ordo_status check_weights(void *self, ordo_type *weights, bool *again)
{
    const list *l = self;
    (void)weights, (void)again;
    if (l->bad_weight == l->arrays->count)
        return ORDO_OK;
    char found[64];
    if (l->kept == ORDO_I64)
        return ordo_fail(ORDO_ERR_INPUT, "edge %llu of the arrays: found weight %lld, expected one above it",
                         (unsigned long long)l->bad_weight, (long long)INT64_MIN);
    ordo_format(found, sizeof found, "%.17g", ((const double *)l->arrays->weight)[l->bad_weight]);
    if (l->kept == ORDO_F64)
        return ordo_fail(ORDO_ERR_INPUT, "edge %llu of the arrays: found weight %s, expected a finite one",
                         (unsigned long long)l->bad_weight, found);
    return ordo_fail(
        ORDO_ERR_INPUT,
        "edge %llu of the arrays: found weight %s, expected one that a 32-bit float holds: finite, a whole "
        "number exactly, a fraction of at most 9 digits (`round` takes the nearest float)",
        (unsigned long long)l->bad_weight, found);
}

static ordo_status check_list(const ordo_edge_arrays *a, ordo_graph **out)
{
    if (!a || !out)
        return ordo_fail(ORDO_ERR_USAGE, "%s is NULL", a ? "out" : "arrays");
    ordo_status status = ORDO_RESERVED_CHECK(ordo_edge_arrays, a);
    if (status)
        return status;
    if (a->index_type != ORDO_NONE && a->index_type != ORDO_U32 && a->index_type != ORDO_U64)
        return ordo_fail(ORDO_ERR_USAGE, "found index type %d, expected u32 or u64", (int)a->index_type);
    if (!ordo_is_weight(a->weight_type))
        return ordo_fail(ORDO_ERR_USAGE, "found weight type %d, expected none, u32, i32, f32, i64 or f64",
                         (int)a->weight_type);
    if (a->count && (!a->tail || !a->head || (!a->weight && a->weight_type != ORDO_NONE)))
        return ordo_fail(ORDO_ERR_USAGE, "%s is NULL", !a->tail ? "tail" : !a->head ? "head" : "weight");
    if (a->count > SIZE_MAX / 2 / sizeof(ordo_given_edge))
        return ordo_fail(ORDO_ERR_USAGE, "found %llu edges, more than memory can hold", (unsigned long long)a->count);
    return ORDO_OK;
}

ordo_status ordo_graph_from_arrays(const ordo_edge_arrays *arrays, ordo_graph **out)
{
    ordo_status status = check_list(arrays, out);
    if (status)
        return status;
    list l = {.arrays = arrays,
              .wide = arrays->index_type == ORDO_U64,
              .weighted = arrays->weight_type != ORDO_NONE && ordo_weights_wanted(&arrays->edges),
              .kept = arrays->weight_type == ORDO_F64 && arrays->edges.weight_type == ORDO_NONE ? ORDO_F32
                                                                                                : arrays->weight_type,
              .bad_end = arrays->count,
              .bad_weight = arrays->count};
    const ordo_source from = {.self = &l,
                              .parts = arrays->count / PART + 1,
                              .n = arrays->n,
                              .edges = arrays->n > arrays->count ? arrays->n : arrays->count,
                              .weights = l.weighted ? l.kept : ORDO_NONE,
                              .give = give,
                              .counted = check_ends,
                              .given = check_weights};
    const ordo_origin origin = {.source = "arrays",
                                .format = "edges in arrays",
                                .start = ordo_seconds(),
                                .threads = arrays->threads,
                                .edges = &arrays->edges};
    return ordo_graph_build(&from, &origin, out);
}

/* ---- rows ---- */

ordo_status ordo_check_row_arrays(const ordo_row_arrays *a)
{
    ordo_status status = ORDO_RESERVED_CHECK(ordo_row_arrays, a);
    if (status)
        return status;
    const ordo_type type = a->weight_type;
    if (!ordo_is_weight(type))
        return ordo_fail(ORDO_ERR_USAGE, "found weight type %d, expected none, u32, i32, f32, i64 or f64", (int)type);
    if (a->row_type != ORDO_NONE && a->row_type != ORDO_U64 && a->row_type != ORDO_U32 && a->row_type != ORDO_I32)
        return ordo_fail(ORDO_ERR_USAGE, "found row type %d, expected u64, u32 or i32", (int)a->row_type);
    if (a->head_type != ORDO_NONE && a->head_type != ORDO_U32)
        return ordo_fail(ORDO_ERR_USAGE, "found head type %d, expected u32", (int)a->head_type);
    const ordo_u32 pair = ordo_type_wide(type) ? 3 : 2;
    if (a->stride > 1 && a->stride != pair)
        return ordo_fail(ORDO_ERR_USAGE, "found stride %u, expected 1 or %u", a->stride, pair);
    if (!a->row || (!a->head && a->m) || (!a->weight && type != ORDO_NONE && a->m))
        return ordo_fail(ORDO_ERR_USAGE, "%s is NULL", !a->row ? "row" : !a->head ? "head" : "weight");
    if (a->n > ORDO_MAX_VERTICES)
        return ordo_fail(ORDO_ERR_INPUT, "found %llu vertices, expected at most %llu", (unsigned long long)a->n,
                         (unsigned long long)ORDO_MAX_VERTICES);
    return ORDO_OK;
}

/* Rows of 8 bytes: the caller's, or a copy, which is then also in *own. */
static ordo_status widen(const ordo_row_arrays *a, const ordo_eid **row, ordo_eid **own)
{
    *own = NULL;
    *row = a->row;
    if (a->row_type != ORDO_U32 && a->row_type != ORDO_I32)
        return ORDO_OK;
    ordo_eid *copy = ordo_alloc((size_t)a->n + 1, sizeof *copy);
    if (!copy)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 u = 0; u <= a->n; u++) {
        copy[u] = ((const ordo_u32 *)a->row)[u];
        if (a->row_type == ORDO_I32 && copy[u] > INT32_MAX) {
            ordo_free(copy);
            return ordo_fail(ORDO_ERR_INPUT, "row %llu: found %d as its start, expected one that is not negative",
                             (unsigned long long)u, ((const ordo_i32 *)a->row)[u]);
        }
    }
    *row = *own = copy;
    return ORDO_OK;
}

static ordo_status borrow(const ordo_row_arrays *a, ordo_graph **out)
{
    if (!out)
        return ordo_fail(ORDO_ERR_USAGE, "out is NULL");
    ordo_status status = ordo_check_row_arrays(a);
    if (status)
        return status;
    ordo_lent lent = {.release = a->release, .arg = a->release_arg};
    ordo_csr csr = {.n = (ordo_vid)a->n,
                    .m = a->m,
                    .head = a->head,
                    .weight = a->weight_type == ORDO_NONE ? NULL : a->weight,
                    .stride = a->stride ? a->stride : 1,
                    .weight_type = a->weight_type};
    status = widen(a, &csr.row, &lent.row);
    if (!status)
        status = ordo_graph_lend(&csr, &lent, a->symmetric, a->threads, out);
    if (status)
        ordo_free(lent.row);
    return status;
}

ordo_status ordo_graph_borrow_arrays(const ordo_row_arrays *arrays, ordo_graph **out)
{
    if (!arrays)
        return ordo_fail(ORDO_ERR_USAGE, "arrays is NULL");
    ordo_status status = borrow(arrays, out);
    if (status && arrays->release)
        arrays->release(arrays->release_arg);
    return status;
}

ordo_status ordo_graph_borrow(const ordo_csr *csr, bool symmetric, ordo_graph **out)
{
    if (!csr)
        return ordo_fail(ORDO_ERR_USAGE, "csr is NULL");
    if (csr->stride == 0)
        return ordo_fail(ORDO_ERR_USAGE, "found stride 0, expected 1 or more");
    return ordo_graph_borrow_arrays(&(ordo_row_arrays){.n = csr->n,
                                                       .m = csr->m,
                                                       .row = csr->row,
                                                       .head = csr->head,
                                                       .weight_type = csr->weight_type,
                                                       .weight = csr->weight,
                                                       .stride = csr->stride,
                                                       .symmetric = symmetric},
                                    out);
}
