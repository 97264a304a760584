/**
 * @file
 * Partitions: vertices in parts, for programs that run in several places. A part owns its vertices and stores their
 * out-edges. Heads of these that other parts own are the part's ghosts: copies of their cells are kept there.
 *
 * Files of partitions are METIS': line i has the part of vertex i, a number from 0.
 */
#ifndef ORDO_PARTITION_H
#define ORDO_PARTITION_H

#include <ordo/graph.h>

ORDO_BEGIN_DECLS

enum { ORDO_MAX_PARTS = 65536 };

/** How vertices are divided. */
typedef enum ordo_partition_method {
    ORDO_PARTITION_METIS = 0, /**< few edges between parts, by METIS (Karypis and Kumar 1998); vertices and out-edges
                                 together in balance */
    ORDO_PARTITION_BLOCK,     /**< ranges of ids with equally many vertices */
    ORDO_PARTITION_EDGES,     /**< ranges of ids with about equally many vertices and out-edges together */
    ORDO_PARTITION_RANDOM     /**< every vertex at random, by the seed */
} ordo_partition_method;

/** Which partition. All zero but `parts`: by METIS. */
typedef struct ordo_partition_query {
    ordo_u32 parts; /**< 1 to ORDO_MAX_PARTS; some are empty where there are more than vertices */
    ordo_partition_method method;
    ordo_u64 seed;        /**< of ORDO_PARTITION_RANDOM alone: METIS' answer is kept with the graph, from one seed */
    int threads;          /**< 0: all cores. The partition does not depend on it */
    ordo_u64 reserved[4]; /**< 0 */
} ordo_partition_query;

/**
 * Divides the vertices of a graph.
 * @param g      any graph
 * @param query  which partition
 * @param part   [out] [n] the part of each vertex, below query->parts; the caller's array
 * @return ORDO_OK; ORDO_ERR_USAGE (a number of parts or a method that there is not; this build has no METIS);
 *         ORDO_ERR_INPUT (more edges than METIS can count); ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_partition_make(const ordo_graph *g, const ordo_partition_query *query, ordo_u32 *part);

/** What a part holds. */
typedef struct ordo_part {
    ordo_u64 vertices; /**< it owns */
    ordo_u64 edges;    /**< it stores: out-edges of its vertices */
    ordo_u64 cut;      /**< of these, those whose head another part owns */
    ordo_u64 ghosts;   /**< different heads of these */
    ordo_u64 reserved[4];
} ordo_part;

/**
 * Counts what each part holds. O(n + m), and n bits for each thread.
 * @param g        any graph
 * @param parts    how many
 * @param part     [n] the part of each vertex
 * @param threads  0: all cores
 * @param out      [out] [parts]
 * @return ORDO_OK; ORDO_ERR_USAGE (a number of parts, or a vertex in a part that there is not); ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_partition_measure(const ordo_graph *g, ordo_u32 parts, const ordo_u32 *part, int threads,
                                            ordo_part *out);

/**
 * Reads a partition.
 * @param path   a file of n lines; "-" is standard input; may be compressed
 * @param n      vertices
 * @param parts  how many parts there may be
 * @param part   [out] [n]; undefined on error
 * @return ORDO_OK; ORDO_ERR_IO; ORDO_ERR_INPUT (with the line: what is no part, or another number of lines);
 *         ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_partition_read(const char *path, ordo_u64 n, ordo_u32 parts, ordo_u32 *part);

/**
 * Writes a partition. The file is complete, or what was there before stays.
 * @param path  compressed where it ends in .gz, .xz or .zst
 * @param n     vertices
 * @param part  [n]
 * @return ORDO_OK; ORDO_ERR_IO; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_partition_write(const char *path, ordo_u64 n, const ordo_u32 *part);

/** "metis", "block", "edges", "random"; NULL behind the last. */
ORDO_API const char *ordo_partition_method_name(ordo_partition_method method);

ORDO_END_DECLS

#endif
