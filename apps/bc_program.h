/* bc_program.h -- the native program of betweenness on a CPU. */
#ifndef ORDO_BC_PROGRAM_H
#define ORDO_BC_PROGRAM_H

#include <ordo/apps.h>
#include <ordo/scheduler/scheduler.h>

/* As ordo_program.run; state and cells are those of bc.h. */
ordo_status ordo_bc_program(ordo_job *job);
/* Bytes that it takes. */
ordo_u64 ordo_bc_program_memory(const ordo_csr *g);

#endif
