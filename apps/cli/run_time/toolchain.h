/* toolchain.h -- the system's C compiler, and the headers of Ordo for it. */
#ifndef ORDO_CLI_RUN_TIME_TOOLCHAIN_H
#define ORDO_CLI_RUN_TIME_TOOLCHAIN_H

#include <ordo/error.h>

enum { COMPILER_WORDS = 16, HEADER_PATH = 1200 };

typedef struct toolchain {
    char command[512]; /* the words below, each ended by 0 */
    const char *word[COMPILER_WORDS];
    int count;
    char version[512]; /* what it prints of itself */
    char include[2]
                [HEADER_PATH]; /* folders: of <ordo/...>, and in a build of <schedulers/...>; else the second is "" */
} toolchain;

/* Finds them once; *out is static. Errors: ORDO_ERR_IO. */
ordo_status toolchain_find(const toolchain **out);
/* What comes ahead of schedulers/ and operators/ in the name of a header: "ordo/" where Ordo is installed, else "". */
const char *toolchain_prefix(const toolchain *t);

#endif
