/**
 * @file
 * Graphs from arrays of the caller's: lists of edges, which are copied into rows, and rows, which are borrowed.
 *
 * Structs that callers fill begin as all zero, which is the default of every member, and end with reserved words, which
 * must stay zero: what is added later takes their place. Arrays of signed integers are given as the unsigned type of
 * the same width; a negative number is then too large, and refused with its index.
 */
#ifndef ORDO_ARRAYS_H
#define ORDO_ARRAYS_H

#include <stdbool.h>

#include <ordo/graph.h>

ORDO_BEGIN_DECLS

/** A list of edges in arrays: edge i leads from tail[i] to head[i]. */
typedef struct ordo_edge_arrays {
    ordo_u64 n;            /**< vertices; every end is below it */
    ordo_u64 count;        /**< edges */
    ordo_type index_type;  /**< of tail and head: ORDO_U32 (also for int32; ORDO_NONE means the same) or ORDO_U64 (also
                            * for int64) */
    const void *tail;      /**< [count] */
    const void *head;      /**< [count] */
    ordo_type weight_type; /**< of weight: ORDO_U32, ORDO_I32, ORDO_F32, ORDO_I64, ORDO_F64, or ORDO_NONE. Reals of 8
                            * bytes are kept as f32 unless edges.weight_type is ORDO_F64 */
    const void *weight;    /**< [count], or NULL where weight_type is ORDO_NONE */
    ordo_edge_options edges; /**< what is done to edges, as for files */
    bool round;              /**< ORDO_F64 kept as f32: weights that it does not hold are rounded; else refused */
    int threads;             /**< 0: all cores */
    ordo_u64 reserved[4];    /**< 0 */
} ordo_edge_arrays;

/**
 * Makes a graph from a list of edges. The arrays are read and not kept. Edges of a row are sorted by (head, position in
 * the list).
 * @param arrays  the list
 * @param out     [out] the graph, to be freed by ordo_graph_free(); untouched on error
 * @return ORDO_OK; ORDO_ERR_INPUT for an end that is no vertex or a weight that does not fit, with the first index of
 *         one; ORDO_ERR_USAGE for types, options and NULL; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_graph_from_arrays(const ordo_edge_arrays *arrays, ordo_graph **out);

/** Called once, by the thread that gives the last reference of a graph back, or that makes the call which fails. */
typedef void ordo_release_fn(void *arg);

/** Rows in arrays: the edges of vertex u are row[u] .. row[u + 1] - 1. */
typedef struct ordo_row_arrays {
    ordo_u64 n;            /**< vertices */
    ordo_u64 m;            /**< stored edges */
    ordo_type row_type;    /**< of row: ORDO_U64 (also for int64; ORDO_NONE means the same), which is borrowed; or
                            * ORDO_U32 or ORDO_I32, which is copied into 8 * (n + 1) bytes of the graph's own */
    const void *row;       /**< [n + 1], row[0] == 0, row[n] == m, not decreasing */
    const ordo_vid *head;  /**< [m] (also for int32), every one below n */
    ordo_type weight_type; /**< of weight: ORDO_U32, ORDO_I32, ORDO_F32, ORDO_I64, ORDO_F64, or ORDO_NONE */
    const void *weight;    /**< [m], or NULL where weight_type is ORDO_NONE */
    ordo_u32 stride;       /**< of head and weight, in words of 4 bytes: 0 and 1: each is an array; 2 or, with weights
                            * of 8 bytes, 3: interleaved, as of ordo_csr */
    bool symmetric;        /**< every edge has its reverse; believed */
    int threads;           /**< 0: all cores; for checking the arrays */
    ordo_release_fn
        *release;         /**< NULL: none. Called exactly once, whatever the call returns: after the graph is freed,
                           * or before a call that fails returns. From then on the library does not use the arrays */
    void *release_arg;    /**< its argument */
    ordo_type head_type;  /**< of head: ORDO_U32 (also for int32; ORDO_NONE means the same); on a device also ORDO_U64
                           * (also for int64), whose address `head` is then */
    ordo_u64 reserved[3]; /**< 0 */
} ordo_row_arrays;

/**
 * Makes a graph over arrays that stay the caller's. They must not change, and must exist until `release` is called;
 * without it as long as the graph. The arrays are checked: rows do not decrease, heads are below n.
 * @param arrays  the rows; the struct itself is not kept
 * @param out     [out] the graph, to be freed by ordo_graph_free(); untouched on error
 * @return ORDO_OK; ORDO_ERR_INPUT for rows and heads that are wrong, with the first index of one; ORDO_ERR_USAGE for
 *         types, strides and NULL; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_graph_borrow_arrays(const ordo_row_arrays *arrays, ordo_graph **out);

/**
 * Makes a graph over arrays in the memory of a GPU, which runs there use without copying them to it: as of
 * ordo_graph_borrow_arrays(), but that `row`, `head` and `weight` are addresses on the device.
 *
 * What is used where it is: rows of 8 bytes; heads without weights or beside weights of 8 bytes, and these weights;
 * pairs {head, weight} (`stride` 2). Heads must then begin at a multiple of 16 bytes. Anything else is rewritten on the
 * device, once: rows of 4 bytes, heads of 8, heads beside weights of 4 bytes (which become pairs), heads at other
 * addresses. The host gets a copy of all three arrays, once, in this call, for checks, verification, choices by degree
 * and runs on the CPU; the graph owns it. In-rows that a run needs of a graph which is not symmetric are made on the
 * device where it has memory for that, else on the host.
 *
 * Order: what writes the arrays must have ended, or be ordered before the device's legacy default stream, when this is
 * called. `release` is called when no run uses the arrays any more.
 * @param arrays  the rows; stride 3 is refused. The struct itself is not kept
 * @param device  "cuda": the arrays are on the calling thread's device of CUDA (cudaGetDevice), as the runs must be
 * @param out     [out] the graph, to be freed by ordo_graph_free(); untouched on error
 * @return as of ordo_graph_borrow_arrays(); ORDO_ERR_USAGE for memory of the host or of another device;
 *         ORDO_ERR_UNKNOWN and ORDO_ERR_DEVICE for the device
 */
ORDO_API ordo_status ordo_graph_borrow_device_arrays(const ordo_row_arrays *arrays, const char *device,
                                                     ordo_graph **out);

ORDO_END_DECLS

#endif
