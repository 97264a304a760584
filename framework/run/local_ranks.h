/* local_ranks.h -- ranks that one process of this host has started, `ordo ... --gpus N` for instance. */
#ifndef ORDO_RUN_LOCAL_RANKS_H
#define ORDO_RUN_LOCAL_RANKS_H

#include <ordo/detail/transport.h>

/* Whether this process is one of them, as its environment says: ORDO_RANK, from 0; ORDO_RANKS, how many there are;
 * ORDO_RANKS_FILE, the number of a descriptor of a file, empty at first, that all of them have. */
bool ordo_local_ranks_launched(void);

/* Without `exchange` and `unite`, which are of CPUs: these ranks have a GPU each. */
extern const ordo_transport ordo_local_transport;

#endif
