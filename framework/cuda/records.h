/* records.h -- fills what is derived from rows on the device: edge records (see ORDO_RECORD_NONE in
 * <ordo/scheduler/cuda_host.h>), rows of four, tails of edges, what in-rows are made of, and rows of the layout of the
 * back end from others; first values of cells; reads pages. */
#ifndef ORDO_CUDA_RECORDS_H
#define ORDO_CUDA_RECORDS_H

#include <ordo/scheduler/cuda_host.h>

/* record: [2 * rows.n]; the weight of an unweighted edge is 1, as a float where asked for. Asynchronous. */
void ordo_fill_records(ordo_cuda_rows rows, bool floats, uint4 *record);
/* four: [rows.n] as of ordo_cuda_fours. Asynchronous. */
void ordo_fill_fours(ordo_cuda_rows rows, uint4 *four);
/* Ranges of vertices, of which the last one has no end, and which of them is left out. */
typedef struct ordo_ranges {
    ordo_u32 count, but;
    ordo_u32 begin[ORDO_CUDA_RANKS]; /* 0 first, ascending */
} ordo_ranges;
/* readers: [rows.n] bits of the ranges that have heads of the vertex' edges; *bits: how many are set in all, 0 before.
 * Asynchronous. */
void ordo_fill_readers(ordo_cuda_rows rows, const ordo_ranges *ranges, unsigned short *readers,
                       unsigned long long *bits);
/* tail: [rows.m]. Asynchronous. */
void ordo_fill_tails(ordo_cuda_rows rows, ordo_u32 *tail);
/* head: [rows.m] of each edge; tail: [rows.m * rows.stride] its tail, and its weight where rows have it. Asynchronous.
 */
void ordo_fill_reverse(ordo_cuda_rows rows, ordo_u32 *head, ordo_u32 *tail);
/* row: [n + 1] where keys of v or more begin, in `key` [m], which ascends. Asynchronous. */
void ordo_fill_rows(const ordo_u32 *key, ordo_u64 m, ordo_u64 n, ordo_u64 *row);
/* An array whose elements are so many words apart: 2 of words of 8 bytes, whose lower half counts, and of pairs. */
typedef struct ordo_words {
    const ordo_u32 *at; /* NULL: none */
    ordo_u32 stride;
} ordo_words;
/* edge: [m] heads, or with weights [2 * m] {head, weight}. Asynchronous. */
void ordo_fill_edges(ordo_words head, ordo_words weight, ordo_u64 m, ordo_u32 *edge);
/* row: [count] of 8 bytes, from ones of 4. Asynchronous. */
void ordo_fill_offsets(const ordo_u32 *narrow, ordo_u64 count, ordo_u64 *row);
/* Sets cells of 4, 8 or 16 bytes: all to `worst`, and then that of initial[i] to value[i]. All but `worst` is on the
 * device, the cells from a multiple of 16 bytes on. Asynchronous. */
void ordo_fill_cells(void *cell, ordo_u64 count, ordo_u32 bytes, const void *worst, const ordo_item *initial,
                     const void *value, ordo_u64 initial_count);
/* Reads a word of each page of an array. Asynchronous. */
void ordo_read_pages(const void *from, ordo_u64 bytes);

#endif
