/* records.cu -- fills edge records, rows of four, readers of shares, tails of edges, what in-rows are made of, and rows
 * from arrays of another layout: by a kernel, or by a loop if a C++ compiler builds this for the tests. */
#include "records.h"

#ifdef __CUDACC__
#define ORDO_RECORDS_FN static __device__
#else
#define ORDO_RECORDS_FN static
#endif

ORDO_RECORDS_FN void fill(const ordo_cuda_rows &r, ordo_u32 one, uint4 *record, ordo_u64 v)
{
    const ordo_u64 begin = r.row[v], degree = r.row[v + 1] - begin;
    ordo_u32 word[8];
    for (ordo_u32 i = 0; i < 4; i++) {
        const bool there = i < degree && degree <= 4;
        word[2 * i] = there ? r.edge[(begin + i) * r.stride] : degree > 4 ? ORDO_RECORD_LONG : ORDO_RECORD_NONE;
        word[2 * i + 1] = there && r.stride == 2 ? r.edge[(begin + i) * 2 + 1] : one;
    }
    record[2 * v] = uint4{word[0], word[1], word[2], word[3]};
    record[2 * v + 1] = uint4{word[4], word[5], word[6], word[7]};
}

ORDO_RECORDS_FN void fill_four(const ordo_cuda_rows &r, uint4 *four, ordo_u64 v)
{
    const ordo_u64 begin = r.row[v], degree = r.row[v + 1] - begin;
    ordo_u32 word[4];
    for (ordo_u32 i = 0; i < 4; i++)
        word[i] = degree > 4 ? ORDO_RECORD_LONG : i < degree ? r.edge[(begin + i) * r.stride] : ORDO_RECORD_NONE;
    four[v] = uint4{word[0], word[1], word[2], word[3]};
}

/* The first of words 0 .. count - 1, which ascend, that is not below `least`; count: none is. */
template <typename Word> ORDO_RECORDS_FN ordo_u64 first_from(const Word *word, ordo_u64 count, ordo_u64 least)
{
    ordo_u64 low = 0, high = count;
    while (low < high) {
        const ordo_u64 middle = low + (high - low) / 2;
        if (word[middle] < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where the ends of an edge are written. */
struct ends {
    ordo_u32 *head; /* NULL: nowhere */
    ordo_u32 *tail;
    ordo_u32 stride; /* of `tail`; 2: beside its weight */
};

/* Of edges begin .. end - 1: the tail of the first by bisection. So a long row is shared by many threads. */
ORDO_RECORDS_FN void fill_ends(const ordo_cuda_rows &r, ordo_u64 begin, ordo_u64 end, const ends &to)
{
    ordo_u64 tail = first_from(r.row, r.n, begin + 1) - 1; /* row[tail] <= begin < row[tail + 1] */
    for (ordo_u64 e = begin; e < end; e++) {
        while (r.row[tail + 1] <= e)
            tail++;
        to.tail[e * to.stride] = (ordo_u32)tail;
        if (to.stride == 2)
            to.tail[2 * e + 1] = r.edge[2 * e + 1];
        if (to.head)
            to.head[e] = r.edge[e * r.stride];
    }
}

ORDO_RECORDS_FN void fill_edge(ordo_words head, ordo_words weight, ordo_u32 *edge, ordo_u64 e)
{
    if (weight.at) {
        edge[2 * e] = head.at[e * head.stride];
        edge[2 * e + 1] = weight.at[e * weight.stride];
    } else {
        edge[e] = head.at[e * head.stride];
    }
}

/* The bit of the range that has the head of edge e. */
ORDO_RECORDS_FN ordo_u32 reader(const ordo_cuda_rows &r, const ordo_ranges &ranges, ordo_u64 e)
{
    const ordo_u32 head = r.edge[e * r.stride];
    ordo_u32 of = 0;
    while (of + 1 < ranges.count && ranges.begin[of + 1] <= head)
        of++;
    return of == ranges.but ? 0 : 1u << of;
}

#ifdef __CUDACC__
/* A warp for each row, until it has found all ranges. */
static __global__ void fill_all_readers(const ordo_cuda_rows r, const __grid_constant__ ordo_ranges ranges,
                                        unsigned short *readers, unsigned long long *bits)
{
    const ordo_u32 lane = threadIdx.x % 32, all = ((1u << ranges.count) - 1) & ~(1u << ranges.but);
    ordo_u64 count = 0;
    for (ordo_u64 v = ((ordo_u64)blockIdx.x * blockDim.x + threadIdx.x) / 32; v < r.n;
         v += (ordo_u64)gridDim.x * blockDim.x / 32) {
        ordo_u32 found = 0;
        for (ordo_u64 e = r.row[v], last = r.row[v + 1]; e < last && found != all; e += 32) {
            found |= e + lane < last ? reader(r, ranges, e + lane) : 0;
            for (int step = 16; step; step /= 2)
                found |= __shfl_xor_sync(~0u, found, step);
        }
        if (lane == 0)
            readers[v] = (unsigned short)found;
        count += (ordo_u64)__popc(found);
    }
    if (lane == 0)
        atomicAdd(bits, count);
}

enum { TAILS = 16 }; /* of a thread at once */
static __global__ void fill_all_ends(const ordo_cuda_rows r, const ends to)
{
    for (ordo_u64 e = ((ordo_u64)blockIdx.x * blockDim.x + threadIdx.x) * TAILS; e < r.m;
         e += (ordo_u64)gridDim.x * blockDim.x * TAILS)
        fill_ends(r, e, e + TAILS < r.m ? e + TAILS : r.m, to);
}
static __global__ void fill_all_rows(const ordo_u32 *key, ordo_u64 m, ordo_u64 n, ordo_u64 *row)
{
    for (ordo_u64 v = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; v <= n; v += (ordo_u64)gridDim.x * blockDim.x)
        row[v] = first_from(key, m, v);
}
static __global__ void fill_all(const ordo_cuda_rows r, ordo_u32 one, uint4 *record)
{
    for (ordo_u64 v = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; v < r.n; v += (ordo_u64)gridDim.x * blockDim.x)
        fill(r, one, record, v);
}
static __global__ void fill_all_fours(const ordo_cuda_rows r, uint4 *four)
{
    for (ordo_u64 v = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; v < r.n; v += (ordo_u64)gridDim.x * blockDim.x)
        fill_four(r, four, v);
}
static __global__ void fill_all_edges(ordo_words head, ordo_words weight, ordo_u64 m, ordo_u32 *edge)
{
    for (ordo_u64 e = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; e < m; e += (ordo_u64)gridDim.x * blockDim.x)
        fill_edge(head, weight, edge, e);
}
static __global__ void fill_all_offsets(const ordo_u32 *narrow, ordo_u64 count, ordo_u64 *row)
{
    for (ordo_u64 v = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; v < count; v += (ordo_u64)gridDim.x * blockDim.x)
        row[v] = narrow[v];
}
#endif

void ordo_fill_records(ordo_cuda_rows rows, bool floats, uint4 *record)
{
    const ordo_u32 one = floats ? 0x3f800000u : 1u;
#ifdef __CUDACC__
    fill_all<<<1024, 256>>>(rows, one, record);
#else
    for (ordo_u64 v = 0; v < rows.n; v++)
        fill(rows, one, record, v);
#endif
}

void ordo_fill_fours(ordo_cuda_rows rows, uint4 *four)
{
#ifdef __CUDACC__
    fill_all_fours<<<1024, 256>>>(rows, four);
#else
    for (ordo_u64 v = 0; v < rows.n; v++)
        fill_four(rows, four, v);
#endif
}

void ordo_fill_readers(ordo_cuda_rows rows, const ordo_ranges *ranges, unsigned short *readers,
                       unsigned long long *bits)
{
#ifdef __CUDACC__
    fill_all_readers<<<1024, 256>>>(rows, *ranges, readers, bits);
#else
    for (ordo_u64 v = 0; v < rows.n; v++) {
        ordo_u32 found = 0;
        for (ordo_u64 e = rows.row[v]; e < rows.row[v + 1]; e++)
            found |= reader(rows, *ranges, e);
        readers[v] = (unsigned short)found;
        *bits += (unsigned)__builtin_popcount(found);
    }
#endif
}

static void start_ends(const ordo_cuda_rows &rows, const ends &to)
{
    if (!rows.m)
        return;
#ifdef __CUDACC__
    fill_all_ends<<<1024, 256>>>(rows, to);
#else
    fill_ends(rows, 0, rows.m, to);
#endif
}

void ordo_fill_tails(ordo_cuda_rows rows, ordo_u32 *tail)
{
    start_ends(rows, ends{NULL, tail, 1});
}

void ordo_fill_reverse(ordo_cuda_rows rows, ordo_u32 *head, ordo_u32 *tail)
{
    start_ends(rows, ends{head, tail, rows.stride});
}

void ordo_fill_rows(const ordo_u32 *key, ordo_u64 m, ordo_u64 n, ordo_u64 *row)
{
#ifdef __CUDACC__
    fill_all_rows<<<1024, 256>>>(key, m, n, row);
#else
    for (ordo_u64 v = 0; v <= n; v++)
        row[v] = first_from(key, m, v);
#endif
}

void ordo_fill_edges(ordo_words head, ordo_words weight, ordo_u64 m, ordo_u32 *edge)
{
#ifdef __CUDACC__
    fill_all_edges<<<1024, 256>>>(head, weight, m, edge);
#else
    for (ordo_u64 e = 0; e < m; e++)
        fill_edge(head, weight, edge, e);
#endif
}

void ordo_fill_offsets(const ordo_u32 *narrow, ordo_u64 count, ordo_u64 *row)
{
#ifdef __CUDACC__
    fill_all_offsets<<<1024, 256>>>(narrow, count, row);
#else
    for (ordo_u64 v = 0; v < count; v++)
        row[v] = narrow[v];
#endif
}
