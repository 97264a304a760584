/* compile.h -- a file of C or CUDA to a shared object: compiled by the system's compiler, kept, and loaded. */
#ifndef ORDO_CLI_RUN_TIME_COMPILE_H
#define ORDO_CLI_RUN_TIME_COMPILE_H

#include <stdbool.h>

#include <ordo/error.h>

#include "apps/cli/run_time/toolchain.h"

/* What is compiled. */
typedef struct unit {
    const char *file;        /* that the compiler reads */
    const char *about;       /* the user's file, which messages are about; may be the same */
    const char *const *flag; /* [flag_count] beside those of every unit */
    int flag_count;          /* at most UNIT_FLAGS */
    bool quiet;              /* messages of the compiler are dropped */
    toolchain_kind compiler;
    int capability; /* TOOLCHAIN_CUDA: the compute capability of the GPU, as ordo_backend.capability() gives it */
} unit;
enum { UNIT_FLAGS = 12 };

/* Compiles a unit, unless an object of it is kept, and loads it; *out is what dlopen() gives. It stays loaded until the
 * process ends. Messages of the compiler go to standard error. Errors: ORDO_ERR_INPUT (it cannot be compiled or
 * loaded), ORDO_ERR_IO (no file, no compiler, no headers, no folder). */
ordo_status unit_load(const unit *u, void **out);

#endif
