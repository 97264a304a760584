/* fifo_check.h -- whether a recorded history of a FIFO queue is linearizable.
 *
 * Problem. Calls of several threads overlap, and no single history shows that all are linearizable; but each one that
 * is not can be recognised. Trying all orders takes exponential time.
 *
 * Method. Henzinger, Sezgin and Vafeiadis (Aspect-oriented linearizability proofs, CONCUR 2013): a complete history in
 * which values are distinct is linearizable as a FIFO queue if and only if it shows none of
 *   VFresh  a value is taken that was never put, or was taken before its put began
 *   VRepet  a value is taken twice
 *   VOrd    the put of a ended before the put of b began, b was taken, and a was not, or its taking began after that of
 * b had ended VWit    a call answers `empty`, though at every moment of it there is a value whose put has ended and
 * whose taking has not begun: there are x1 .. xn such that the put of x1 ends before the call begins, each further put
 * ends before the taking of the value before begins, and the taking of xn begins after the call has ended, or never
 * Each is found by sorting: O(n log n). Calls that end and begin at the same time count as overlapping, so with a
 * clock of any resolution what is found is wrong. A batch counts as one call for each value.
 *   VFull   beyond the paper, for a bounded queue: a call answers `full`, but fewer values than there are places can
 * have been in the queue in any moment of it. Necessary, not sufficient.
 *
 * Not done: histories with calls that never end.
 */
#ifndef TESTS_FIFO_CHECK_H
#define TESTS_FIFO_CHECK_H

#include <stdbool.h>
#include <stdlib.h>

#include <ordo/types.h>

typedef enum fifo_kind { FIFO_PUT, FIFO_TAKEN, FIFO_EMPTY, FIFO_FULL } fifo_kind;

typedef struct fifo_call {
    ordo_u64 begin, end; /* on one clock */
    fifo_kind kind;
    ordo_u32 value; /* PUT, TAKEN: below the number of values */
} fifo_call;

#define FIFO_LAST (~(ordo_u64)0)

/* A value's put and taking; times of what has not happened are FIFO_LAST. */
typedef struct fifo_value {
    ordo_u64 put_begin, put_end, taken_begin, taken_end;
} fifo_value;

__attribute__((unused)) static int fifo_by_put_begin(const void *a, const void *b)
{
    const ordo_u64 x = ((const fifo_value *)a)->put_begin, y = ((const fifo_value *)b)->put_begin;
    return (x > y) - (x < y);
}
__attribute__((unused)) static int fifo_by_put_end(const void *a, const void *b)
{
    const ordo_u64 x = ((const fifo_value *)a)->put_end, y = ((const fifo_value *)b)->put_end;
    return (x > y) - (x < y);
}
/* By VFresh and VRepet; makes value[] of the calls. */
static const char *fifo_collect(const fifo_call *call, size_t count, fifo_value *value, ordo_u32 values)
{
    for (ordo_u32 v = 0; v < values; v++)
        value[v] = (fifo_value){FIFO_LAST, FIFO_LAST, FIFO_LAST, FIFO_LAST};
    for (size_t i = 0; i < count; i++) {
        fifo_value *v = &value[call[i].value];
        if (call[i].kind == FIFO_PUT) {
            v->put_begin = call[i].begin;
            v->put_end = call[i].end;
        } else if (call[i].kind == FIFO_TAKEN) {
            if (v->taken_end != FIFO_LAST)
                return "VRepet";
            v->taken_begin = call[i].begin;
            v->taken_end = call[i].end;
        }
    }
    for (ordo_u32 v = 0; v < values; v++)
        if (value[v].taken_end != FIFO_LAST &&
            (value[v].put_end == FIFO_LAST || value[v].taken_end < value[v].put_begin))
            return "VFresh";
    return NULL;
}

/* by_begin[], by_end[]: the values that were put, sorted. For each b in the order in which puts begin: the latest that
 * the taking of a value began whose put had ended by then. */
static bool fifo_in_order(const fifo_value *by_begin, const fifo_value *by_end, ordo_u32 values)
{
    ordo_u64 latest = 0;
    for (ordo_u32 b = 0, a = 0; b < values; b++) {
        for (; a < values && by_end[a].put_end < by_begin[b].put_begin; a++)
            latest = by_end[a].taken_begin > latest ? by_end[a].taken_begin : latest;
        if (by_begin[b].taken_end < latest)
            return false;
    }
    return true;
}

/* Joins the times in which a value is certainly in the queue, (put_end, taken_begin), to spans in which it is certainly
 * not empty. Returns their number; span[2 * i], span[2 * i + 1] are ends, exclusive. */
static size_t fifo_spans(const fifo_value *by_end, ordo_u32 values, ordo_u64 *span)
{
    size_t spans = 0;
    for (ordo_u32 v = 0; v < values; v++) {
        const ordo_u64 from = by_end[v].put_end, to = by_end[v].taken_begin;
        if (from >= to)
            continue;
        if (spans && from < span[2 * spans - 1]) {
            span[2 * spans - 1] = to > span[2 * spans - 1] ? to : span[2 * spans - 1];
        } else {
            span[2 * spans] = from;
            span[2 * spans + 1] = to;
            spans++;
        }
    }
    return spans;
}

static bool fifo_empty_is_right(const fifo_call *call, const ordo_u64 *span, size_t spans)
{
    size_t low = 0, high = spans; /* the last span that begins before the call does */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (span[2 * middle] < call->begin)
            low = middle + 1;
        else
            high = middle;
    }
    return !low || call->end >= span[2 * low - 1];
}

/* The number of the first values by put_begin whose puts began before `limit`. */
static ordo_u32 fifo_begun(const fifo_value *by_begin, ordo_u32 values, ordo_u64 limit)
{
    ordo_u32 low = 0, high = values;
    while (low < high) {
        const ordo_u32 middle = (low + high) / 2;
        if (by_begin[middle].put_begin < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* By VFull. least_after[v]: when the first taking of values v and later ended. Looks at the latest puts first, which
 * are those that a queue still has. */
static bool fifo_full_is_right(const fifo_call *call, const fifo_value *by_begin, ordo_u32 values,
                               const ordo_u64 *least_after, ordo_u64 places)
{
    const ordo_u32 begun = fifo_begun(by_begin, values, call->end + 1);
    ordo_u64 possible = 0;
    for (ordo_u32 v = begun; v-- > 0 && possible < places;)
        possible += by_begin[v].taken_end >= call->begin && by_begin[v].taken_begin <= least_after[begun];
    return possible >= places;
}

/* The condition that a history of calls breaks, NULL if none. Values are below `values`, each put at most once; places
 * 0: not bounded. */
__attribute__((unused)) static const char *fifo_violation(const fifo_call *call, size_t count, ordo_u32 values,
                                                          ordo_u64 places)
{
    fifo_value *value = (fifo_value *)malloc((values + 1) * sizeof *value),
               *by_end = (fifo_value *)malloc((values + 1) * sizeof *by_end);
    ordo_u64 *span = (ordo_u64 *)malloc(2 * (values + 1) * sizeof *span);
    const char *found = value && by_end && span ? fifo_collect(call, count, value, values) : "no memory";
    if (!found) {
        ordo_u32 put = 0;
        for (ordo_u32 v = 0; v < values; v++)
            if (value[v].put_end != FIFO_LAST)
                by_end[put] = value[v], value[put++] = value[v];
        qsort(value, put, sizeof *value, fifo_by_put_begin);
        qsort(by_end, put, sizeof *by_end, fifo_by_put_end);
        if (!fifo_in_order(value, by_end, put))
            found = "VOrd";
        const size_t spans = fifo_spans(by_end, put, span);
        for (size_t i = 0; i < count && !found; i++)
            if (call[i].kind == FIFO_EMPTY && !fifo_empty_is_right(&call[i], span, spans))
                found = "VWit";
        ordo_u64 *least_after =
            span; /* [v]: the first end of a taking of values v and later; the spans are not needed */
        least_after[put] = FIFO_LAST;
        for (ordo_u32 v = put; v-- > 0;)
            least_after[v] = value[v].taken_end < least_after[v + 1] ? value[v].taken_end : least_after[v + 1];
        for (size_t i = 0; i < count && !found && places; i++)
            if (call[i].kind == FIFO_FULL && !fifo_full_is_right(&call[i], value, put, least_after, places))
                found = "VFull";
    }
    free(value);
    free(by_end);
    free(span);
    return found;
}

#endif
