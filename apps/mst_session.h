/* mst_session.h -- spanning forests by runs in a session. */
#ifndef ORDO_MST_SESSION_H
#define ORDO_MST_SESSION_H

#include "apps/runs.h"

/* Finds the minimum spanning forest of a graph whose weights are u32, or none: bit e of `chosen` [m / 64 + 1], which is
 * 0, is set where edge e is one of it. *components: trees. The session is the device's that the options name, and is
 * freed. */
ordo_status ordo_mst_in_session(ordo_runs *runs, const ordo_graph *graph, ordo_u64 *chosen, ordo_u64 *components);

#endif
