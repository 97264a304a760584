/* process.h -- runs another program and reads what it prints. */
#ifndef ORDO_CLI_RUN_TIME_PROCESS_H
#define ORDO_CLI_RUN_TIME_PROCESS_H

#include <stddef.h>

/* Where the output goes: to text[size], as a string that is cut off where it does not fit, or to `each`, piece by
 * piece. Both may be NULL. */
typedef struct captured {
    char *text;
    size_t size, used; /* bytes of text; bytes in it */
    void (*each)(void *arg, const char *bytes, size_t count);
    void *arg;
} captured;

/* Runs a program, found along PATH, with the words that NULL ends, and waits for its end. Standard input is empty. One
 * of standard output and standard error is captured; the other one is dropped. Returns the exit status; 128 and more
 * where a signal ended it; -1 where it could not be run. */
int process_capture(const char *const *words, captured *output, captured *errors);

#endif
