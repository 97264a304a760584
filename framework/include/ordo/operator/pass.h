/* pass.h -- ends the declaration of a pass: a function that a session calls for each item of a list.
 *
 * Problem. Between two runs an app looks at all vertices: it sets arrays, counts, finds the least of some number, or
 * lists the vertices that the next run starts from. Where the arrays are on a GPU this has to be done there, by code
 * that is written once for both devices.
 *
 * Method. A pass is a function of an item that returns a value, or ORDO_NO_VALUE. ordo_session_each() calls it
 * for each item of a list, folds the values, counts them, and can write the items that have one to another list. A
 * file declares its passes one after the other:
 *
 *   ORDO_PASS          the pass's name
 *   ORDO_PASS_STATE    struct of arrays and parameters. Its pointers are arrays of the session
 *   ORDO_PASS_EACH     u64 f(s, item, out, in): what is done with an item. out and in are the rows of the pass, an
 *                      ordo_rows each; row is NULL where the pass has none
 *   ORDO_PASS_FOLD     what is made of the values: ORDO_SUM (default), ORDO_MIN or ORDO_MAX
 *   ORDO_PASS_SELECT   int f(s, value): whether an item of that value is selected, which means counted and listed
 *                      (default: each that has a value is)
 *   #include <ordo/operator/pass.h>
 *
 * Items are visited at the same time, in any order, each once. What an item writes and another one reads is read and
 * written by ordo_load_u32(), ordo_store_u32() and so on, and sums of several items by ordo_add_u32(). One thread
 * visits an item, so a pass that traverses whole rows is slow on a GPU where some rows are very long.
 *
 * Defines `NAME_pass`, an ordo_pass, static in each file that includes it. Compiled by nvcc it defines the instance
 * for the CUDA back end instead, NAME_pass_on_cuda: compile such a file once by each compiler. A program's own passes
 * are linked with the program, and their descriptors refer to the instance where ORDO_WITH_CUDA is defined, as by
 * <ordo/operator/instantiate.h>.
 *
 * Not done: dividing a long row among threads; values of other types than u64.
 */
#ifndef ORDO_PASS_H
#define ORDO_PASS_H

#include <stddef.h>

#include <ordo/operator/operator.h>

/* An item of this value has none: it is not folded, counted or listed. */
#define ORDO_NO_VALUE (~(ordo_u64)0)

/* Rows as a pass reads them: row v is the edges row[v] .. row[v + 1] - 1; edge e has the head head[e * stride] and, in
 * a graph with weights, the weight of which word[e * stride] has the bits. */
typedef struct ordo_rows {
    const ordo_u64 *row;  /* NULL: the pass has no such rows */
    const ordo_u32 *head; /* [m * stride] */
    const ordo_u32 *word; /* NULL: no weights, or weights of 8 bytes, which passes do not read */
    ordo_u32 stride;      /* 1, 2 or, on the CPU where a weight of 8 bytes stands beside its head, 3 */
} ordo_rows;

/* What a pass over a part of the items needs, on either device. */
typedef struct ordo_visit {
    const void *state;
    const ordo_item *items; /* NULL: item i is i */
    ordo_u64 count;
    ordo_rows out, in;
    ordo_item *selected; /* or NULL */
} ordo_visit;

/* Values of ORDO_PASS_FOLD by one name each: the value of no items, and of two parts. */
ORDO_FN ordo_u64 ordo_fold_start(int fold)
{
    return fold == ORDO_MIN ? ~(ordo_u64)0 : 0;
}
ORDO_FN ordo_u64 ordo_fold(int fold, ordo_u64 a, ordo_u64 b)
{
    return fold == ORDO_SUM ? a + b : (a < b) == (fold == ORDO_MIN) ? a : b;
}

/* What the host gives a pass on a GPU, ahead of the pass's state, which is copied behind it. */
typedef struct ordo_pass_head {
    ordo_visit visit;
    ordo_u64 *found; /* [2] in device memory: number of selected items, folded value */
    ordo_u64 padding;
} ordo_pass_head;
enum { ORDO_PASS_STATE_BYTES = 2048 /* the most that a state may have */ };

/* ORDO_PASS_SELECT where a pass has none. */
ORDO_FN int ordo_select_all(const void *s, ordo_u64 value)
{
    (void)s;
    (void)value;
    return 1;
}

/* A pass on a GPU. */
typedef struct ordo_pass_instance {
    const char *name;
    int fold;
    size_t state;                /* bytes */
    const void *(*kernel)(void); /* its handle */
} ordo_pass_instance;

/* A pass's descriptor. */
struct ordo_pass {
    const char *name;
    int fold;
    size_t state; /* bytes */
    /* Visits items begin .. end - 1, writes the selected ones to visit->selected from `begin` on; returns their number,
     * and folds values into *value. */
    ordo_u64 (*part)(const ordo_visit *visit, ordo_u64 begin, ordo_u64 end, ordo_u64 *value);
    const ordo_pass_instance *on_cuda; /* of a program's own pass; NULL: as the back end knows it, by its name */
};
typedef struct ordo_pass ordo_pass;

#define ORDO_PASS_TEXT_(_name) #_name
#define ORDO_PASS_TEXT(_name) ORDO_PASS_TEXT_(_name)

#ifdef __CUDACC__
#include <ordo/operator/pass.cuh>
#endif

#endif

#ifdef ORDO_PASS

#ifndef ORDO_PASS_FOLD
#define ORDO_PASS_FOLD ORDO_SUM
#endif
#ifndef ORDO_PASS_SELECT
#define ORDO_PASS_SELECT ordo_select_all
#endif

/* the size of this array is the error where a state has too many bytes, which a kernel could not take */
typedef char ORDO_JOIN(ORDO_PASS, _state_fits)[sizeof(ORDO_PASS_STATE) <= (size_t)ORDO_PASS_STATE_BYTES ? 1 : -1];

#ifdef __CUDACC__
ORDO_CUDA_PASS(ORDO_PASS, ORDO_PASS_STATE, ORDO_PASS_EACH, ORDO_PASS_FOLD, ORDO_PASS_SELECT)
#else
__attribute__((unused)) static ordo_u64 ORDO_JOIN(ORDO_PASS, _part)(const ordo_visit *visit, ordo_u64 begin,
                                                                    ordo_u64 end, ordo_u64 *value)
{
    const ORDO_PASS_STATE *const s = (const ORDO_PASS_STATE *)visit->state;
    const ordo_item *const items = visit->items;
    ordo_item *const selected = visit->selected;
    ordo_u64 folded = *value, count = 0;
    for (ordo_u64 i = begin; i < end; i++) {
        const ordo_item item = items ? items[i] : (ordo_item)i;
        const ordo_u64 found = ORDO_PASS_EACH(s, item, &visit->out, &visit->in);
        if (found == ORDO_NO_VALUE)
            continue;
        folded = ordo_fold(ORDO_PASS_FOLD, folded, found);
        if (!ORDO_PASS_SELECT(s, found))
            continue;
        if (selected)
            selected[begin + count] = item;
        count++;
    }
    *value = folded;
    return count;
}
#ifdef ORDO_WITH_CUDA
#ifdef __cplusplus
extern "C" const ordo_pass_instance ORDO_JOIN(ORDO_PASS, _pass_on_cuda);
#else
extern const ordo_pass_instance ORDO_JOIN(ORDO_PASS, _pass_on_cuda);
#endif
#define ORDO_PASS_ON_CUDA &ORDO_JOIN(ORDO_PASS, _pass_on_cuda)
#else
#define ORDO_PASS_ON_CUDA 0
#endif
__attribute__((unused)) static const ordo_pass ORDO_JOIN(ORDO_PASS, _pass) = {
    ORDO_PASS_TEXT(ORDO_PASS), ORDO_PASS_FOLD, sizeof(ORDO_PASS_STATE), ORDO_JOIN(ORDO_PASS, _part), ORDO_PASS_ON_CUDA};
#undef ORDO_PASS_ON_CUDA
#endif

#undef ORDO_PASS
#undef ORDO_PASS_STATE
#undef ORDO_PASS_EACH
#undef ORDO_PASS_FOLD
#undef ORDO_PASS_SELECT

#endif
