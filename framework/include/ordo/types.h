/* types.h -- the words of Ordo in C11, C++17 and CUDA C++.
 *
 * Read by operators, schedulers, back ends and callers alike, so it holds only what all four compilers
 * (C, C++, nvcc's host and device passes, NVRTC) accept.
 */
#ifndef ORDO_TYPES_H
#define ORDO_TYPES_H

#ifdef __CUDACC_RTC__ /* NVRTC has no C library */
typedef unsigned char ordo_u8;
typedef int ordo_i32;
typedef unsigned int ordo_u32;
typedef unsigned long long ordo_u64;
#else
#include <stdint.h>
typedef uint8_t ordo_u8;
typedef int32_t ordo_i32;
typedef uint32_t ordo_u32;
typedef uint64_t ordo_u64;
#endif
typedef float ordo_f32;

/* A vertex: an index into arrays of length n, 0 <= v < n <= ORDO_MAX_VERTICES. */
typedef ordo_u32 ordo_vid;
/* An edge: an index into the rows of a graph, 0 <= e < m. Always 64 bits: m may exceed 2^32. */
typedef ordo_u64 ordo_eid;
/* What a worklist holds: usually a vertex; an edge, a component or a task where an app says so. */
typedef ordo_u32 ordo_item;

#define ORDO_NO_VERTEX ((ordo_vid)0xffffffffu) /* "no predecessor", "not set" */
#define ORDO_MAX_VERTICES ((ordo_u64)0xfffffffeu)

/* Types of cells and weights; f64 is of answers alone. The enumerators' order is part of the ABI of registered
 * operators. */
typedef enum ordo_type {
    ORDO_NONE = 0,
    ORDO_U32 = 1,
    ORDO_I32 = 2,
    ORDO_F32 = 3,
    ORDO_U64 = 4,
    ORDO_F64 = 5
} ordo_type;

/* A function of an operator: inlined wherever it is used, on the host and on the device. */
#if defined(__CUDACC__)
#define ORDO_FN static __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define ORDO_FN static inline __attribute__((always_inline, unused))
#else
#define ORDO_FN static inline
#endif

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

/* Token pasting after expansion: ORDO_JOIN(ordo_, ORDO_WEIGHT) is ordo_u32 where ORDO_WEIGHT is u32. */
#define ORDO_JOIN_(_a, _b) _a##_b
#define ORDO_JOIN(_a, _b) ORDO_JOIN_(_a, _b)
#define ORDO_JOIN3_(_a, _b, _c) _a##_b##_c
#define ORDO_JOIN3(_a, _b, _c) ORDO_JOIN3_(_a, _b, _c)

#endif
