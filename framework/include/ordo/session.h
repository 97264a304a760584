/**
 * @file
 * Sessions: an app of several phases whose arrays stay on the device between its runs.
 *
 * An app such as core numbers is a sequence of runs, with a pass over the vertices between two of them. A call of
 * ordo_run() on a GPU copies cells and arrays there and back, which may take longer than the run. In a session arrays
 * are in the memory of one device from the first phase to the last. The app makes them, starts runs and passes on them,
 * which leave small results on the host, and copies what it wants.
 *
 *     ordo_session_make("cuda", 0, &s);
 *     ordo_session_array(s, core, n, sizeof *core, (void **)&state.core);  (an array for `core`, which is the host's)
 *     ordo_session_each(s, &(ordo_each){.pass = &start, .state = &state, .count = n}, NULL);  (a pass over vertices)
 *     ordo_run(&(ordo_work){.session = s, .cells = state.left, ...}, NULL, NULL);
 *     ordo_session_read(s, core, state.core, n * sizeof *core);
 *     ordo_session_free(s);
 *
 * Memory. An array of a session is addressed by a pointer that is valid on the session's device. On the CPU that is
 * memory of the host, and every call below works without copies where it can. On a GPU the host must not follow it; it
 * may be computed with, so that a part of an array is `array + begin`. Rows of graphs are copied to a GPU once, by the
 * first run or pass that needs them, and are kept with the graph.
 *
 * Errors. A call that fails leaves one line with ordo_last_error(). After ORDO_ERR_DEVICE nothing is known of the
 * arrays: later calls for the session fail with the same line. After any other error the session goes on.
 *
 * Threads. One call for a session at a time. Several sessions may be used side by side.
 */
#ifndef ORDO_SESSION_H
#define ORDO_SESSION_H

#include <ordo/error.h>
#include <ordo/graph.h>
#include <ordo/run.h>
#include <ordo/types.h>

ORDO_BEGIN_DECLS

/** What a pass does with an item, compiled for each device: `<ordo/operator/pass.h>`. */
typedef struct ordo_pass ordo_pass;

/**
 * Whether a device can be used, and what it is.
 * @param device  as for ordo_session_make()
 * @param name    [out, size] cut off where it is longer; untouched on error
 * @param size    of name
 * @return ORDO_OK; ORDO_ERR_UNKNOWN; ORDO_ERR_DEVICE, with the reason
 */
ORDO_API ordo_status ordo_device_find(const char *device, char *name, size_t size);

/**
 * Begins a session.
 * @param device   NULL or "cpu"; "cuda"; "auto": cuda where a GPU can be used, else cpu
 * @param threads  of the CPU, for passes and copies; 0: one for each core
 * @param out      [out] to be freed by ordo_session_free(); untouched on error
 * @return ORDO_OK; ORDO_ERR_UNKNOWN or ORDO_ERR_DEVICE for the device; ORDO_ERR_USAGE for the threads; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_session_make(const char *device, int threads, ordo_session **out);

/**
 * Ends a session, and frees its arrays on the device. No run of it may be under way.
 * @param session  may be NULL
 */
ORDO_API void ordo_session_free(ordo_session *session);

/**
 * Where a session's arrays are.
 * @param session  not NULL
 * @return "cpu" or "cuda"; static
 */
ORDO_API const char *ordo_session_device(const ordo_session *session);

/**
 * Which of several GPUs a session is on: the one that the thread had chosen when the session was made.
 * @param session  not NULL
 * @return the number that CUDA gives it, from 0; on the CPU 0
 */
ORDO_API int ordo_session_number(const ordo_session *session);

/**
 * Makes an array of the session, which the session frees at its end. Its elements are not set.
 * @param session  not NULL
 * @param host     [count * size] memory of the caller that a session on the CPU uses in place of memory of its own, so
 *                 that nothing is copied; it is to live as long as the session. NULL: none. On a GPU it is not looked
 * at
 * @param count    number of elements
 * @param size     bytes of an element
 * @param out      [out] the array, on the session's device; untouched on error
 * @return ORDO_OK; ORDO_ERR_MEMORY with the bytes that are asked for and those that are free; ORDO_ERR_DEVICE
 */
ORDO_API ordo_status ordo_session_array(ordo_session *session, void *host, ordo_u64 count, size_t size, void **out);

/**
 * Ends an array before its session ends, so that its memory can be used again: of one that is made anew because it was
 * too small, say.
 * @param session  not NULL
 * @param array    where an array begins; one of ordo_session_adopt() is no array of the session any more, and is not
 *                 freed. NULL: nothing is done
 * @return ORDO_OK; ORDO_ERR_USAGE where no array begins there; ORDO_ERR_DEVICE
 */
ORDO_API ordo_status ordo_session_drop(ordo_session *session, void *array);

/**
 * Makes memory of the session's device that is the caller's an array of the session: calls below then take it, and it
 * is not freed at the end. For memory that another library has allocated there.
 * @param session  not NULL
 * @param at       [bytes] on the session's device; it must exist as long as the session
 * @param bytes    how many
 * @return ORDO_OK; ORDO_ERR_USAGE for NULL, and on a GPU for memory of the host or of another GPU; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_session_adopt(ordo_session *session, void *at, ordo_u64 bytes);

/**
 * Copies from the session's device. Nothing is copied where both are the same memory.
 * @param session  not NULL
 * @param to       [bytes] memory of the host
 * @param from     within one array of the session
 * @param bytes    how many
 * @return ORDO_OK; ORDO_ERR_USAGE where [from, from + bytes) is not within an array; ORDO_ERR_DEVICE
 */
ORDO_API ordo_status ordo_session_read(ordo_session *session, void *to, const void *from, ordo_u64 bytes);

/**
 * Copies to the session's device.
 * @param session  not NULL
 * @param to       within one array of the session
 * @param from     [bytes] memory of the host
 * @param bytes    how many
 * @return as of ordo_session_read()
 */
ORDO_API ordo_status ordo_session_write(ordo_session *session, void *to, const void *from, ordo_u64 bytes);

/** A pass over items. All that its pointers refer to is owned by the caller, or by the session. */
typedef struct ordo_each {
    const ordo_pass *pass;              /**< what is done with each item */
    const void *state;                  /**< the pass's state; its pointers are arrays of the session, or NULL */
    ordo_u64 count;                     /**< number of items; without a list at most the graphs' vertices */
    const ordo_item *items;             /**< [count] of the session; NULL: 0 .. count - 1 */
    const ordo_graph *graph, *reversed; /**< whose rows the pass reads as `out` and as `in`; NULL: no rows */
    ordo_item *selected;                /**< [count] of the session, apart from `items`; NULL: no list is wanted.
                                         * Becomes the items that the pass selects: on the CPU in their order, on a GPU in
                                         * any */
    ordo_u64 reserved[2];               /**< 0 */
} ordo_each;

/** What a pass gives back. */
typedef struct ordo_found {
    ordo_u64 count; /**< items that are selected */
    ordo_u64 value; /**< the sum, least or greatest of the values, as the pass says; with none 0, the type's greatest
                     * value, or 0 */
} ordo_found;

/**
 * Makes a pass: calls the pass's function for each item, on all threads of the device.
 * @param session  not NULL
 * @param each     the pass
 * @param found    [out] may be NULL: the call then need not wait for the device
 * @return ORDO_OK; ORDO_ERR_USAGE for arrays that are too small or not of the session; ORDO_ERR_UNSOUND for a pass that
 *         was not compiled for the device; ORDO_ERR_MEMORY; on the CPU ORDO_ERR_CANCELLED where the thread's
 *         watch cancels;
 *         ORDO_ERR_DEVICE
 */
ORDO_API ordo_status ordo_session_each(ordo_session *session, const ordo_each *each, ordo_found *found);

ORDO_END_DECLS

#endif
