/**
 * @file
 * Types and macros of Ordo in C11, C++17 and CUDA C++.
 *
 * Operators, schedulers, back ends and callers include it, so it holds only what all four compilers (C, C++, nvcc's
 * host and device passes, NVRTC) accept.
 */
#ifndef ORDO_TYPES_H
#define ORDO_TYPES_H

#ifdef __CUDACC_RTC__ /* NVRTC has no C library */
typedef unsigned char ordo_u8;
typedef int ordo_i32;
typedef unsigned int ordo_u32;
typedef long long ordo_i64;
typedef unsigned long long ordo_u64;
#else
#include <stdint.h>
typedef uint8_t ordo_u8;   /**< 8 bits, unsigned */
typedef int32_t ordo_i32;  /**< 32 bits, signed */
typedef uint32_t ordo_u32; /**< 32 bits, unsigned */
typedef int64_t ordo_i64;  /**< 64 bits, signed */
typedef uint64_t ordo_u64; /**< 64 bits, unsigned */
#endif
typedef float ordo_f32;  /**< 32 bits, floating */
typedef double ordo_f64; /**< 64 bits, floating */

/** A vertex: an index into arrays of length n, 0 <= v < n <= ORDO_MAX_VERTICES. */
typedef ordo_u32 ordo_vid;
/** An edge: an index into the rows of a graph, 0 <= e < m. Always 64 bits: m may exceed 2^32. */
typedef ordo_u64 ordo_eid;
/** What a worklist holds: usually a vertex; an edge, a component or a task where an app says so. */
typedef ordo_u32 ordo_item;

#define ORDO_NO_VERTEX ((ordo_vid)0xffffffffu)    /**< "no predecessor", "not set" */
#define ORDO_MAX_VERTICES ((ordo_u64)0xfffffffeu) /**< the most vertices of a graph */

/** Types of cells and weights. The order of the enumerators is part of the ABI of registered operators. */
typedef enum ordo_type {
    ORDO_NONE = 0,    /**< no weights, no cells */
    ORDO_U32 = 1,     /**< ordo_u32 */
    ORDO_I32 = 2,     /**< ordo_i32 */
    ORDO_F32 = 3,     /**< ordo_f32 */
    ORDO_U64 = 4,     /**< ordo_u64; of cells and answers, not of weights */
    ORDO_F64 = 5,     /**< ordo_f64 */
    ORDO_I64 = 6,     /**< ordo_i64 */
    ORDO_STRUCT4 = 7, /**< a struct of the operator's own, of 4 bytes; of cells alone */
    ORDO_STRUCT8 = 8, /**< of 8 bytes */
    ORDO_STRUCT16 = 9 /**< of 16 bytes */
} ordo_type;

/**
 * A graph's edges in the state of a critical operator to which the framework hands edges (ORDO_CRITICAL_EDGE).
 * ordo_edges_of() fills it. The arrays are the graph's.
 */
typedef struct ordo_edges {
    const ordo_eid *row;    /**< [vertices + 1] edges row[v] .. row[v + 1] - 1 have tail v */
    const ordo_vid *head;   /**< [edges * stride] the head of edge e is head[e * stride] */
    const ordo_u32 *weight; /**< [edges] words of weights where these are an array of their own, else NULL; weights of 8
                             * bytes are not handed on: every edge then weighs 1 */
    const ordo_vid *tail;   /**< [edges] for operators whose items are edges, else NULL */
    ordo_u64 edges;         /**< number of edges */
    ordo_vid vertices;      /**< number of vertices */
    ordo_u32 stride;        /**< 1, or 2: the word behind a head is the weight; 3: two words that are not read */
} ordo_edges;

/** An edge that an operator has added in a run (ORDO_RELAX_GROW). */
typedef struct ordo_new_edge {
    ordo_u32 from;      /**< tail: a vertex of the graph, or a new item: the vertices' number and more */
    ordo_u32 to;        /**< head, likewise */
    ordo_u32 weight[2]; /**< of the operator's type: the first word, or both; {1, 0} where it reads none */
    ordo_u32 next;      /**< number + 1 of the edge that was added before it to the same tail; 0: none */
    ordo_u32 also;      /**< number + 1 of the edge that the same call has added before it; 0: none */
} ordo_new_edge;

/**
 * @def ORDO_FN
 * A function of an operator: inlined wherever it is used, on the host and on the device.
 * @def ORDO_RESTRICT
 * `restrict` in C and C++.
 * @def ORDO_BEGIN_DECLS
 * Begins declarations with C linkage.
 * @def ORDO_END_DECLS
 * Ends them.
 * @def ORDO_API
 * A symbol that the library exports.
 * @def ORDO_PRINTF
 * The compiler checks the arguments of a function that formats as printf() does.
 */
#if defined(__CUDACC__)
#define ORDO_FN static __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define ORDO_FN static inline __attribute__((always_inline, unused))
#else
#define ORDO_FN static inline
#endif

/**
 * The size of a value.
 * @param type  not ORDO_NONE
 * @return bytes
 */
ORDO_FN ordo_u32 ordo_type_bytes(ordo_type type)
{
    return type == ORDO_STRUCT16                                                              ? 16
           : type == ORDO_U64 || type == ORDO_F64 || type == ORDO_I64 || type == ORDO_STRUCT8 ? 8
                                                                                              : 4;
}

#if defined(__cplusplus)
#define ORDO_RESTRICT __restrict__
#define ORDO_BEGIN_DECLS extern "C" {
#define ORDO_END_DECLS }
#else
#define ORDO_RESTRICT restrict
#define ORDO_BEGIN_DECLS
#define ORDO_END_DECLS
#endif

#if defined(__GNUC__)
#define ORDO_API __attribute__((visibility("default")))
#define ORDO_PRINTF(_format, _first) __attribute__((format(printf, _format, _first)))
#else
#define ORDO_API
#define ORDO_PRINTF(_format, _first)
#endif

/** @cond */
/* Token pasting after expansion: ORDO_JOIN(ordo_, ORDO_WEIGHT) is ordo_u32 where ORDO_WEIGHT is u32. */
#define ORDO_JOIN_(_a, _b) _a##_b
#define ORDO_JOIN(_a, _b) ORDO_JOIN_(_a, _b)
#define ORDO_JOIN3_(_a, _b, _c) _a##_b##_c
#define ORDO_JOIN3(_a, _b, _c) ORDO_JOIN3_(_a, _b, _c)
/** @endcond */

#endif
