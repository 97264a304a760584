/* by_weight.cu -- rows on the device in the order of weights, and what a vertex' record says of them.
 *
 * Problem. A scheduler that goes through a row only as far as an edge can matter needs the row in the order of weights,
 * before runs that take less than a millisecond. Sorting by {row, weight} in 64 bits takes 8 passes over all edges for
 * each direction.
 *
 * Method. The edges are sorted by weight once, as {tail, head}, by as many bits as the weights have: one pass where
 * they are below 256. Then they are sorted by tail, and once more by head, stably, so that those of a row stay in the
 * order of their weights. Quantiles are read from the first sort.
 *
 * Memory, for m edges: 44 m bytes, with in-rows 52 m, of which the rows are 8 m and 16 m.
 *
 * Not done: weights of 8 bytes; an order of classes of weights alone.
 */
#include "by_weight.h"

#include "each.cuh"
#include "range.h"
#include "records.h"
#include "sort.h"

/* Weights as words whose order is that of the rows; and back. */
struct by_key {
    ordo_type type;
    bool falls;    /* the heaviest first */
    ordo_u32 most; /* of whole numbers that are not signed, the largest weight */

    ORDO_EACH_FN ordo_u32 of(ordo_u32 weight) const
    {
        if (type == ORDO_U32)
            return falls ? most - weight : weight;
        const ordo_u32 up = type == ORDO_I32 ? weight ^ 0x80000000u : weight >> 31 ? ~weight : weight ^ 0x80000000u;
        return falls ? ~up : up;
    }
    ORDO_EACH_FN ordo_u32 back(ordo_u32 key) const
    {
        if (type == ORDO_U32)
            return falls ? most - key : key;
        const ordo_u32 up = falls ? ~key : key;
        return type == ORDO_I32 ? up ^ 0x80000000u : up >> 31 ? up ^ 0x80000000u : ~up;
    }
};

struct by_split {
    ordo_cuda_rows rows;
    by_key key;
    const ordo_u32 *tail;
    ordo_u32 *word;
    uint2 *ends;

    ORDO_EACH_FN void operator()(ordo_u64 e) const
    {
        word[e] = key.of(rows.edge[2 * e + 1]);
        ends[e] = uint2{tail[e], rows.edge[2 * e]};
    }
};

/* The sorted edges as those of rows by one end, with the other end and the weight as their value. */
struct by_join {
    by_key key;
    const ordo_u32 *word;
    const uint2 *ends;
    bool turned;
    ordo_u32 *row;
    uint2 *edge;

    ORDO_EACH_FN void operator()(ordo_u64 e) const
    {
        row[e] = turned ? ends[e].y : ends[e].x;
        edge[e] = uint2{turned ? ends[e].x : ends[e].y, key.back(word[e])};
    }
};

struct by_quantile {
    by_key key;
    const ordo_u32 *word;
    ordo_u64 m;
    ordo_u32 *weight;

    ORDO_EACH_FN void operator()(ordo_u64 i) const
    {
        weight[i] = key.back(word[(ordo_u64)((double)(m - 1) * (double)i / (ORDO_CUDA_QUANTILES - 1))]);
    }
};

struct by_record {
    ordo_cuda_rows out, in;
    by_key key;
    bool weighted;
    ordo_u32 end[15]; /* weights of quantiles */
    uint4 *record;

    ORDO_EACH_FN void operator()(ordo_u64 v) const
    {
        const ordo_u64 first = out.row[v], degree = out.row[v + 1] - first, in_degree = in.row[v + 1] - in.row[v];
        ordo_u32 share[4] = {};
        ordo_u64 at = 0;
        for (int k = 0; k < 16; k++) {
            ordo_u64 high = degree;
            while (weighted && k < 15 && at < high) { /* the first edge beyond the quantile */
                const ordo_u64 middle = at + (high - at) / 2;
                if (key.of(out.edge[2 * (first + middle) + 1]) <= key.of(end[k]))
                    at = middle + 1;
                else
                    high = middle;
            }
            at = weighted && k < 15 ? at : degree;
            share[k / 4] |= (degree ? (ordo_u32)((at * 255 + degree - 1) / degree) : 0) << 8 * (k % 4);
        }
        record[2 * v] = uint4{(ordo_u32)first, (ordo_u32)(first >> 32), (ordo_u32)degree, (ordo_u32)in_degree};
        record[2 * v + 1] = uint4{share[0], share[1], share[2], share[3]};
    }
};

#ifdef __CUDACC__
static __global__ void __launch_bounds__((ORDO_EACH_THREADS)) by_most(const ordo_cuda_rows rows, unsigned *most)
{
    unsigned mine = 0;
    for (ordo_u64 e = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; e < rows.m;
         e += (ordo_u64)gridDim.x * blockDim.x)
        mine = max(mine, rows.edge[2 * e + 1]);
    for (int step = 16; step; step /= 2)
        mine = max(mine, __shfl_xor_sync(~0u, mine, step));
    if (threadIdx.x % 32 == 0)
        atomicMax(most, mine);
}
#endif

static ordo_status failed(cudaError_t error, const char *what)
{
    return ordo_cuda_failed(error, what);
}

static ordo_status take(void **out, ordo_u64 bytes)
{
    const ordo_status status = failed(cudaMalloc(out, bytes ? bytes : 1), "taking memory for rows by weight");
    *out = status ? NULL : *out;
    return status;
}

static ordo_sort sort_of(ordo_u64 count, int bits)
{
    ordo_sort sort = {};
    sort.count = count;
    sort.width = sizeof(uint2);
    sort.bits = bits;
    return sort;
}

ordo_status ordo_by_weight_bytes(ordo_cuda_rows out, bool same, ordo_u64 *bytes)
{
    size_t room = 0;
    ordo_sort sort = sort_of(out.m, 32);
    const ordo_status status = failed(ordo_sort_pairs(&sort, NULL, &room), "asking for the memory of a sort");
    *bytes = (same ? 44 : 52) * out.m + room + (out.n + 1ull) * (sizeof(ordo_u64) + 2 * sizeof(uint4));
    return status;
}

/* Sets *key, and how many bits keys have. */
static ordo_status find_key(ordo_cuda_rows out, ordo_type type, ordo_cuda_row_order order, unsigned *word, by_key *key,
                            int *bits)
{
    *key = by_key{type, order == ORDO_CUDA_HEAVIEST_FIRST, 0};
    *bits = 32;
    if (type != ORDO_U32)
        return ORDO_OK;
    ordo_status status = failed(cudaMemset(word, 0, sizeof *word), "clearing memory");
#ifdef __CUDACC__
    by_most<<<ORDO_EACH_BLOCKS, ORDO_EACH_THREADS>>>(out, word);
#else
    for (ordo_u64 e = 0; e < out.m; e++)
        *word = out.edge[2 * e + 1] > *word ? out.edge[2 * e + 1] : *word;
#endif
    if (!status)
        status = failed(cudaMemcpy(&key->most, word, sizeof *word, cudaMemcpyDeviceToHost), "looking at weights");
    *bits = key->most == ~0u ? 32 : ordo_sort_bits(key->most + 1);
    return status;
}

/* Sorts, and waits. `room` is for 32 bits. */
static ordo_status sort_now(ordo_sort *sort, void *room, size_t bytes)
{
    ordo_status status = failed(cudaGetLastError(), "splitting edges");
    if (!status)
        status = failed(ordo_sort_pairs(sort, room, &bytes), "sorting edges");
    return status ? status : failed(cudaDeviceSynchronize(), "sorting edges");
}

/* What the sorts share: two keys, two values, and what is sorted by weight. */
typedef struct by_space {
    ordo_u32 *word, *key[2];
    uint2 *ends, *edge[2];
    void *room;
    size_t bytes;
} by_space;

static ordo_status take_space(ordo_u64 m, by_space *s)
{
    ordo_sort sort = sort_of(m, 32);
    ordo_status status = failed(ordo_sort_pairs(&sort, NULL, &s->bytes), "asking for the memory of a sort");
    if (!status)
        status = take(&s->room, s->bytes);
    if (!status)
        status = take((void **)&s->word, m * sizeof(ordo_u32));
    if (!status)
        status = take((void **)&s->ends, m * sizeof(uint2));
    for (int i = 0; i < 2 && !status; i++) {
        status = take((void **)&s->key[i], m * sizeof(ordo_u32));
        if (!status)
            status = take((void **)&s->edge[i], m * sizeof(uint2) + ORDO_CUDA_EDGES);
    }
    return status;
}

static void drop_space(by_space *s)
{
    void *const all[] = {s->room, s->word, s->ends, s->key[0], s->key[1], s->edge[0], s->edge[1]};
    for (void *one : all)
        cudaFree(one);
}

/* Sorts by weight: into word[] and ends[]. */
static ordo_status sort_weights(ordo_cuda_rows out, const by_key &key, int bits, by_space *s)
{
    ordo_sort sort = sort_of(out.m, bits);
    ordo_fill_tails(out, s->key[1]);
    sort.key[0] = s->word;
    sort.key[1] = s->key[0];
    sort.value[0] = s->ends;
    sort.value[1] = s->edge[0];
    ordo_each_index(out.m, by_split{out, key, s->key[1], s->word, s->ends});
    const ordo_status status = sort_now(&sort, s->room, s->bytes);
    s->word = sort.key[0];
    s->key[0] = sort.key[1];
    s->ends = (uint2 *)sort.value[0];
    s->edge[0] = (uint2 *)sort.value[1];
    return status;
}

/* Makes rows by one of the ends, which *rows gets, with offsets where they are `turned`. */
static ordo_status make_rows(ordo_cuda_rows out, const by_key &key, bool turned, by_space *s, ordo_cuda_rows *rows)
{
    ordo_sort sort = sort_of(out.m, ordo_sort_bits(out.n));
    void *row = NULL, *edge = NULL;
    ordo_status status = take(&edge, out.m * sizeof(uint2) + ORDO_CUDA_EDGES);
    if (!status && turned)
        status = take(&row, (out.n + 1ull) * sizeof(ordo_u64));
    for (int i = 0; i < 2; i++) {
        sort.key[i] = s->key[i];
        sort.value[i] = s->edge[i];
    }
    if (!status) {
        ordo_each_index(out.m, by_join{key, s->word, s->ends, turned, s->key[0], s->edge[0]});
        status = sort_now(&sort, s->room, s->bytes);
    }
    if (!status && turned)
        ordo_fill_rows(sort.key[0], out.m, out.n, (ordo_u64 *)row);
    if (!status)
        status = failed(cudaMemcpyAsync(edge, sort.value[0], out.m * sizeof(uint2), cudaMemcpyDeviceToDevice, 0),
                        "keeping rows by weight");
    if (!status)
        status = failed(cudaDeviceSynchronize(), "keeping rows by weight");
    if (status) {
        cudaFree(row);
        cudaFree(edge);
        return status;
    }
    *rows = out;
    rows->row = turned ? (const ordo_u64 *)row : out.row;
    rows->edge = (const ordo_u32 *)edge;
    rows->wide = NULL;
    return ORDO_OK;
}

ordo_status ordo_by_weight_make(ordo_cuda_rows out, ordo_type type, ordo_cuda_row_order order, bool same,
                                ordo_cuda_by_weight *by)
{
    const ordo_range marked("rows by weight");
    by_space s = {};
    by_key key = {};
    int bits = 32;
    void *word = NULL;
    ordo_status status = take(&word, ORDO_CUDA_QUANTILES * sizeof(ordo_u32));
    if (!status)
        status = take_space(out.m, &s);
    if (!status)
        status = find_key(out, type, order, (unsigned *)word, &key, &bits);
    if (!status)
        status = sort_weights(out, key, bits, &s);
    if (!status && out.m)
        ordo_each_index(ORDO_CUDA_QUANTILES, by_quantile{key, s.word, out.m, (ordo_u32 *)word});
    if (!status && out.m)
        status = failed(cudaMemcpy(by->weight, word, sizeof by->weight, cudaMemcpyDeviceToHost), "looking at weights");
    if (!status)
        status = make_rows(out, key, false, &s, &by->out);
    if (!status && same)
        by->in = by->out;
    else if (!status)
        status = make_rows(out, key, true, &s, &by->in);
    drop_space(&s);
    cudaFree(word);
    if (status)
        ordo_by_weight_drop(out, by);
    return status;
}

ordo_status ordo_by_weight_records(ordo_cuda_row_order order, ordo_type type, ordo_cuda_by_weight *by)
{
    static const int at[15] = ORDO_CUDA_QUANTILES_OF_RECORDS;
    /* the largest weight is that of an end, whichever comes first */
    const ordo_u32 first = by->weight[0], last = by->weight[ORDO_CUDA_QUANTILES - 1];
    by_record fill = {by->out,
                      by->in,
                      {type, order == ORDO_CUDA_HEAVIEST_FIRST, first > last ? first : last},
                      order != ORDO_CUDA_ANY_ORDER,
                      {},
                      NULL};
    void *record = NULL;
    ordo_status status = take(&record, by->out.n * 2ull * sizeof(uint4));
    if (status)
        return status;
    for (int k = 0; k < 15; k++)
        fill.end[k] = by->weight[at[k]];
    fill.record = (uint4 *)record;
    ordo_each_index(by->out.n, fill);
    status = failed(cudaGetLastError(), "making records of rows");
    if (!status)
        status = failed(cudaDeviceSynchronize(), "making records of rows");
    if (status)
        cudaFree(record);
    else
        by->record = (const uint4 *)record;
    return status;
}

void ordo_by_weight_drop(ordo_cuda_rows out, ordo_cuda_by_weight *by)
{
    cudaFree((void *)by->record);
    if (by->in.row != by->out.row && by->in.row && by->out.edge != out.edge) { /* else they are the graph's */
        cudaFree((void *)by->in.row);
        cudaFree((void *)by->in.edge);
    }
    if (by->out.edge != out.edge)
        cudaFree((void *)by->out.edge);
    *by = ordo_cuda_by_weight{};
}
