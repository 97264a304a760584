/* records.cu -- fills edge records, rows of four, readers of shares, tails of edges, what in-rows are made of, rows from
 * arrays of another layout, and first values of cells: by kernels, or by loops if a C++ compiler builds this for the
 * tests. */
#include "records.h"

#include <string.h>

#include "each.cuh"

struct fill_record {
    ordo_cuda_rows r;
    ordo_u32 one;
    uint4 *record;

    ORDO_EACH_FN void operator()(ordo_u64 v) const
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
};

struct fill_four {
    ordo_cuda_rows r;
    uint4 *four;

    ORDO_EACH_FN void operator()(ordo_u64 v) const
    {
        const ordo_u64 begin = r.row[v], degree = r.row[v + 1] - begin;
        ordo_u32 word[4];
        for (ordo_u32 i = 0; i < 4; i++)
            word[i] = degree > 4 ? ORDO_RECORD_LONG : i < degree ? r.edge[(begin + i) * r.stride] : ORDO_RECORD_NONE;
        four[v] = uint4{word[0], word[1], word[2], word[3]};
    }
};

enum { ENDS = 16 }; /* edges of an index */

/* The tails of a piece of edges, that of the first by bisection. So a long row is shared by many threads. */
struct fill_ends {
    ordo_cuda_rows r;
    ordo_u32 *head; /* NULL: nowhere */
    ordo_u32 *tail;
    ordo_u32 stride; /* of `tail`; 2: beside its weight */

    ORDO_EACH_FN void operator()(ordo_u64 piece) const
    {
        const ordo_u64 begin = piece * ENDS, end = begin + ENDS < r.m ? begin + ENDS : r.m;
        ordo_u64 v = ordo_first_from(r.row, 1, 0, r.n, begin + 1) - 1; /* row[v] <= begin < row[v + 1] */
        for (ordo_u64 e = begin; e < end; e++) {
            while (r.row[v + 1] <= e)
                v++;
            tail[e * stride] = (ordo_u32)v;
            if (stride == 2)
                tail[2 * e + 1] = r.edge[2 * e + 1];
            if (head)
                head[e] = r.edge[e * r.stride];
        }
    }
};

struct fill_row {
    const ordo_u32 *key;
    ordo_u64 m;
    ordo_u64 *row;

    ORDO_EACH_FN void operator()(ordo_u64 v) const
    {
        row[v] = ordo_first_from(key, 1, 0, m, v);
    }
};

struct fill_edge {
    ordo_words head, weight;
    ordo_u32 *edge;

    ORDO_EACH_FN void operator()(ordo_u64 e) const
    {
        if (weight.at) {
            edge[2 * e] = head.at[e * head.stride];
            edge[2 * e + 1] = weight.at[e * weight.stride];
        } else {
            edge[e] = head.at[e * head.stride];
        }
    }
};

struct fill_offset {
    const ordo_u32 *narrow;
    ordo_u64 *row;

    ORDO_EACH_FN void operator()(ordo_u64 v) const
    {
        row[v] = narrow[v];
    }
};

/* The bit of the range that has the head of edge e. */
static ORDO_EACH_FN ordo_u32 reader(const ordo_cuda_rows &r, const ordo_ranges &ranges, ordo_u64 e)
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
#endif

void ordo_fill_records(ordo_cuda_rows rows, bool floats, uint4 *record)
{
    ordo_each_index(rows.n, fill_record{rows, floats ? 0x3f800000u : 1u, record});
}

void ordo_fill_fours(ordo_cuda_rows rows, uint4 *four)
{
    ordo_each_index(rows.n, fill_four{rows, four});
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

void ordo_fill_tails(ordo_cuda_rows rows, ordo_u32 *tail)
{
    ordo_each_index((rows.m + ENDS - 1) / ENDS, fill_ends{rows, NULL, tail, 1});
}

void ordo_fill_reverse(ordo_cuda_rows rows, ordo_u32 *head, ordo_u32 *tail)
{
    ordo_each_index((rows.m + ENDS - 1) / ENDS, fill_ends{rows, head, tail, rows.stride});
}

void ordo_fill_rows(const ordo_u32 *key, ordo_u64 m, ordo_u64 n, ordo_u64 *row)
{
    ordo_each_index(n + 1, fill_row{key, m, row});
}

void ordo_fill_edges(ordo_words head, ordo_words weight, ordo_u64 m, ordo_u32 *edge)
{
    ordo_each_index(m, fill_edge{head, weight, edge});
}

void ordo_fill_offsets(const ordo_u32 *narrow, ordo_u64 count, ordo_u64 *row)
{
    ordo_each_index(count, fill_offset{narrow, row});
}

struct fill_cell {
    uint4 worst; /* over and over */
    ordo_u32 *cell;
    ordo_u64 words;

    ORDO_EACH_FN void operator()(ordo_u64 i) const
    {
        const ordo_u32 word[4] = {worst.x, worst.y, worst.z, worst.w};
        if (4 * i + 4 <= words)
            ((uint4 *)cell)[i] = worst;
        else
            for (ordo_u64 at = 4 * i; at < words; at++)
                cell[at] = word[at % 4];
    }
};

struct fill_initial {
    ordo_u32 *cell;
    ordo_u32 words; /* of a cell */
    const ordo_item *initial;
    const ordo_u32 *value;

    ORDO_EACH_FN void operator()(ordo_u64 i) const
    {
        for (ordo_u32 w = 0; w < words; w++)
            cell[(ordo_u64)initial[i] * words + w] = value[i * words + w];
    }
};

void ordo_fill_cells(void *cell, ordo_u64 count, ordo_u32 bytes, const void *worst, const ordo_item *initial,
                     const void *value, ordo_u64 initial_count)
{
    fill_cell fill = {{}, (ordo_u32 *)cell, count * bytes / 4};
    for (ordo_u32 at = 0; at < sizeof fill.worst; at += bytes)
        memcpy((char *)&fill.worst + at, worst, bytes);
    ordo_each_index((fill.words + 3) / 4, fill);
    ordo_each_index(initial_count, fill_initial{(ordo_u32 *)cell, bytes / 4, initial, (const ordo_u32 *)value});
}

enum { PAGE = 2 << 20 };

struct read_page {
    const ordo_u8 *from;

    ORDO_EACH_FN void operator()(ordo_u64 page) const
    {
        (void)*(const volatile ordo_u32 *)(from + page * PAGE);
    }
};

void ordo_read_pages(const void *from, ordo_u64 bytes)
{
    ordo_each_index((bytes + PAGE - 1) / PAGE, read_page{(const ordo_u8 *)from});
}
