/* toolchain.h -- the system's compilers, and the headers of Ordo for them. */
#ifndef ORDO_CLI_RUN_TIME_TOOLCHAIN_H
#define ORDO_CLI_RUN_TIME_TOOLCHAIN_H

#include <ordo/error.h>

enum { COMPILER_WORDS = 16, HEADER_PATH = 1200 };

/* The C compiler; nvcc. */
typedef enum toolchain_kind { TOOLCHAIN_C, TOOLCHAIN_CUDA, TOOLCHAINS } toolchain_kind;

typedef struct toolchain {
    toolchain_kind kind;
    char command[1100]; /* the words below, each ended by 0 */
    const char *word[COMPILER_WORDS];
    int count;
    char version[512]; /* what it prints of itself */
    char include[2]
                [HEADER_PATH]; /* folders: of <ordo/...>, and in a build of <schedulers/...>; else the second is "" */
} toolchain;

/* Finds them once; *out is static. Errors: ORDO_ERR_IO, which names what was looked for. */
ordo_status toolchain_find(toolchain_kind kind, const toolchain **out);
/* What comes ahead of schedulers/ and operators/ in the name of a header: "ordo/" where Ordo is installed, else "". */
const char *toolchain_prefix(const toolchain *t);

#endif
