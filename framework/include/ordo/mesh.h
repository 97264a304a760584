/**
 * @file
 * Triangle meshes in the plane: reading and writing them, Delaunay triangulation, and refinement until no angle is
 * small. Files are those of Shewchuk's program Triangle: `.node`, `.ele`, `.poly`.
 *
 * A coordinate is 0 or from 2^-200 to 2^200 in magnitude. Points that are given twice are used once.
 */
#ifndef ORDO_MESH_H
#define ORDO_MESH_H

#include <ordo/error.h>

ORDO_BEGIN_DECLS

/** No segment, no marker: see ordo_mesh. */
#define ORDO_NO_SEGMENT ((ordo_u32)0xffffffffu)
/** The most points, and the most triangles, of a mesh. */
#define ORDO_MAX_TRIANGLES ((ordo_u64)1 << 30)

/** Points, segments that are to be unions of edges, and triangles. Arrays are of ordo_alloc(), or NULL where empty. */
typedef struct ordo_mesh {
    ordo_u64 points;
    double *xy; /**< [2 * points] x and y of each */
    ordo_u64 segments;
    ordo_u32 *ends;       /**< [2 * segments] points */
    ordo_u32 *part_of;    /**< [segments] of a refined mesh: the segment of the input that it is a part of, or
                               ORDO_NO_SEGMENT for the boundary of a set of points; else NULL */
    ordo_u64 triangles;   /**< 0: not triangulated yet */
    ordo_u32 *corners;    /**< [3 * triangles] points, counterclockwise */
    ordo_u64 holes;       /**< points of regions that are left out */
    double *hole_xy;      /**< [2 * holes] */
    ordo_u64 id_base;     /**< what its file calls point 0: 0 or 1 */
    ordo_u64 reserved[4]; /**< 0 */
} ordo_mesh;

/**
 * Reads a mesh.
 * @param path  of a `.node`: points. `.poly`: points and segments; the points are in the `.node` beside it where the
 *              file has none. `.ele`: triangles, with the points of the `.node` and the segments of the `.poly` beside
 * it if there is one; edges of one triangle become segments, too
 * @param out   [out] to be freed by ordo_mesh_free()
 * @return ORDO_OK; ORDO_ERR_IO; ORDO_ERR_INPUT (file, line, what was found and what expected); ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_mesh_read(const char *path, ordo_mesh **out);

/**
 * Makes random points in the unit square, with its corners and its four sides as segments.
 * @param points  how many in all, 4 at least
 * @param seed    of the random numbers
 * @param out     [out] to be freed by ordo_mesh_free()
 * @return ORDO_OK; ORDO_ERR_USAGE (a number of points); ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_mesh_random(ordo_u64 points, ordo_u64 seed, ordo_mesh **out);

/**
 * Frees a mesh.
 * @param mesh  may be NULL
 */
ORDO_API void ordo_mesh_free(ordo_mesh *mesh);

/** What is asked of a refined mesh. All zero: no angle below 30 degrees. */
typedef struct ordo_refine_options {
    double min_angle;       /**< degrees, to 34; 0: 30; negative: any angle, so that it is only triangulated */
    double max_area;        /**< of a triangle; 0: any */
    ordo_u64 max_triangles; /**< that the mesh may grow to; 0: ORDO_MAX_TRIANGLES */
    int threads;            /**< 0: all cores. The mesh does not depend on it */
    const char *device;     /**< for refining: NULL or "cpu"; "cuda"; "auto": cuda where there is a GPU with enough
                             * memory, else cpu. The mesh does not depend on it */
    ordo_u64 reserved[3];   /**< 0 */
} ordo_refine_options;

/** What was done. */
typedef struct ordo_refine_stats {
    ordo_u64 triangles;     /**< before the refinement, in the Delaunay triangulation */
    ordo_u64 bad;           /**< of these, those to be refined */
    ordo_u64 supersteps;    /**< of the refinement */
    ordo_u64 tried;         /**< cavities that were found and claimed */
    ordo_u64 won;           /**< of these, those that were retriangulated: points that were added */
    ordo_u64 kept;          /**< triangles below the angle that stay: at a small angle between two segments */
    ordo_u64 stuck;         /**< others that stay: a point between theirs cannot be told from them in 64 bits */
    double least_angle;     /**< of the refined mesh, in degrees */
    double prepare_seconds; /**< triangulating */
    double run_seconds;     /**< refining; on a GPU with the copies there and back */
    const char *device;     /**< on which it was refined: "cpu" or "cuda"; static */
    char fallback[256];     /**< why that is not the GPU for which device "auto" stands; else "" */
    ordo_u64 reserved[3];
} ordo_refine_stats;

/**
 * Makes the constrained Delaunay triangulation of a mesh, and refines it. Points of the input keep their numbers.
 * @param in       points and segments; its triangles are taken where it has some, made Delaunay first. Without segments
 *                 the convex hull of the points is triangulated, else what segments enclose, without the holes
 * @param options  NULL: all zero
 * @param out      [out] to be freed by ordo_mesh_free()
 * @param stats    [out] NULL: not wanted
 * @return ORDO_OK; ORDO_ERR_USAGE (an option); ORDO_ERR_INPUT (nothing is enclosed, segments cross, a segment lies
 *         outside, triangles do not fit together); ORDO_ERR_MEMORY (also: more than max_triangles, and of a GPU's
 *         memory); ORDO_ERR_CANCELLED; ORDO_ERR_UNKNOWN and ORDO_ERR_DEVICE for the device
 */
ORDO_API ordo_status ordo_mesh_refine(const ordo_mesh *in, const ordo_refine_options *options, ordo_mesh **out,
                                      ordo_refine_stats *stats);

/**
 * Checks a refined mesh, by code that shares nothing with refining: that points of the input have their numbers, that
 * triangles are counterclockwise, fit together and cover the input's area, that segments of the input are unions of
 * edges, that every edge is locally Delaunay or on a segment, and that no triangle is below the angle or beyond the
 * area but next to a small angle of the input.
 * @param in       what was refined
 * @param options  with which it was
 * @param out      the refined mesh
 * @return ORDO_OK; ORDO_ERR_VERIFY (the first that is wrong); ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_mesh_verify(const ordo_mesh *in, const ordo_refine_options *options, const ordo_mesh *out);

/**
 * Writes BASE.node, BASE.ele and BASE.poly, each completely or not at all.
 * @param mesh  any
 * @param base  the name without a suffix
 * @return ORDO_OK; ORDO_ERR_IO; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_mesh_write(const ordo_mesh *mesh, const char *base);

/**
 * Draws a mesh: edges light, segments dark, in a picture of 800 points at most.
 * @param mesh  any
 * @param path  of an .svg file
 * @return ORDO_OK; ORDO_ERR_IO; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_mesh_draw(const ordo_mesh *mesh, const char *path);

ORDO_END_DECLS

#endif
