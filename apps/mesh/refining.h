/* refining.h -- what refinement on the CPU (refine.c) and in a session (refine_session.c) agree on. */
#ifndef ORDO_MESH_REFINING_H
#define ORDO_MESH_REFINING_H

#include <ordo/session.h>

#include "apps/mesh/quality.h"

/* What is asked of a mesh, and what is known of it ahead. */
typedef struct mesh_plan {
    mesh_quality quality;
    ordo_u64 most;  /* triangles that it may grow to */
    ordo_u8 *small; /* [given] whether pieces meet at that point at less than 60 degrees */
} mesh_plan;

/* ORDO_ERR_MEMORY, where a mesh needs more triangles than it may grow to. */
ordo_status mesh_too_large(const mesh_plan *plan);
/* Degrees. cos2: the square of an angle's cosine. */
double mesh_angle(double cos2);

/* Refines a mesh in the memory of a session's device. On an error it is as it was. stats: counts are added, and the
 * smallest angle is set. Errors: ORDO_ERR_MEMORY, ORDO_ERR_DEVICE, ORDO_ERR_CANCELLED. */
ordo_status mesh_refine_in_session(ordo_session *session, mesh *m, const mesh_plan *plan, ordo_refine_stats *stats);

#endif
