/**
 * @file
 * How Ordo reports failure.
 *
 * Every call that can fail returns an ordo_status: ORDO_OK is 0, errors are negative. The sentence that belongs to
 * the last failure of the calling thread is in ordo_last_error(). It names the file, line or value at fault, what was
 * found and what was expected. The library never exits and never prints. Unless a call says otherwise, refused input
 * leaves its outputs untouched.
 */
#ifndef ORDO_ERROR_H
#define ORDO_ERROR_H

#include <ordo/types.h>

ORDO_BEGIN_DECLS

/** All statuses: X(name, value, exit status of the command, text). The exit statuses are documented in docs/output.md.
 */
#define ORDO_STATUS_MAP(X)                                                                                             \
    X(OK, 0, 0, "done")                                                                                                \
    X(ERR_VERIFY, -1, 1, "the answer failed verification")                                                             \
    X(ERR_USAGE, -2, 2, "wrong use")                                                                                   \
    X(ERR_UNSOUND, -3, 2, "unsound combination of operator, scheduler and sync")                                       \
    X(ERR_UNKNOWN, -4, 2, "unknown name")                                                                              \
    X(ERR_INPUT, -5, 3, "bad input")                                                                                   \
    X(ERR_NEGATIVE_WEIGHT, -6, 3, "negative weight")                                                                   \
    X(ERR_OVERFLOW, -7, 3, "a result does not fit its type")                                                           \
    X(ERR_IO, -8, 3, "cannot read or write")                                                                           \
    X(ERR_MEMORY, -9, 4, "not enough memory")                                                                          \
    X(ERR_DEVICE, -10, 5, "device error")                                                                              \
    X(ERR_CANCELLED, -11, 130, "cancelled")                                                                            \
    X(ERR_INTERNAL, -12, 70, "internal error")                                                                         \
    X(ERR_TIMEOUT, -13, 6, "did not end in time")

/**
 * What a call returns. ordo_status_exit() gives the exit status of the command.
 *
 * | status | value | exit | meaning |
 * | --- | --: | --: | --- |
 * | ORDO_OK | 0 | 0 | success |
 * | ORDO_ERR_VERIFY | -1 | 1 | an answer failed verification |
 * | ORDO_ERR_USAGE | -2 | 2 | a malformed or contradictory argument |
 * | ORDO_ERR_UNSOUND | -3 | 2 | operator, scheduler and sync cannot be combined |
 * | ORDO_ERR_UNKNOWN | -4 | 2 | an unknown name |
 * | ORDO_ERR_INPUT | -5 | 3 | a malformed file, or a graph that the app cannot take |
 * | ORDO_ERR_NEGATIVE_WEIGHT | -6 | 3 | a negative weight where none may be |
 * | ORDO_ERR_OVERFLOW | -7 | 3 | a result does not fit its type |
 * | ORDO_ERR_IO | -8 | 3 | a file cannot be read or written |
 * | ORDO_ERR_MEMORY | -9 | 4 | not enough memory |
 * | ORDO_ERR_DEVICE | -10 | 5 | a device is missing or failed |
 * | ORDO_ERR_CANCELLED | -11 | 130 | the caller cancelled the run |
 * | ORDO_ERR_INTERNAL | -12 | 70 | an error of Ordo |
 * | ORDO_ERR_TIMEOUT | -13 | 6 | the time limit of a run |
 */
typedef enum ordo_status {
/** @cond */
#define ORDO_STATUS_ENUM(_name, _value, _exit, _text) ORDO_##_name = _value,
    ORDO_STATUS_MAP(ORDO_STATUS_ENUM)
#undef ORDO_STATUS_ENUM
    /** @endcond */
} ordo_status;

/**
 * The name of a status, such as "ORDO_ERR_INPUT".
 * @param status  any value
 * @return a static string; "?" for a value that is no status
 */
ORDO_API const char *ordo_status_name(ordo_status status);
/**
 * A few words for a status, such as "bad input".
 * @param status  any value
 * @return a static string; "?" for a value that is no status
 */
ORDO_API const char *ordo_status_text(ordo_status status);
/**
 * The exit status that the command `ordo` ends with for a status.
 * @param status  any value
 * @return 0 to 255
 */
ORDO_API int ordo_status_exit(ordo_status status);

/**
 * One line, without newline, about the calling thread's last failed call.
 * @return valid until the thread's next failing call; "" if there was none. Not to be freed
 */
ORDO_API const char *ordo_last_error(void);

/**
 * Sets the calling thread's sentence: `return ordo_fail(ORDO_ERR_USAGE, "...", ...)`. For schedulers, readers and apps,
 * in and out of tree.
 * @param status  what to return
 * @param format  as of printf(); one line without newline
 * @return `status`
 */
ORDO_API ordo_status ordo_fail(ordo_status status, const char *format, ...) ORDO_PRINTF(2, 3);

ORDO_END_DECLS

#endif
