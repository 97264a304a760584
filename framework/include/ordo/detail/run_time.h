/* run_time.h -- an operator that is compiled at run time, as the command `ordo` sees it (docs/run_time_operators.md).
 *
 * Problem. The command has to fill, print and check the cells of an operator that it did not know when it was built.
 *
 * Method. A shared object exports one table. `ordo_run_time_entry` describes the operator: for it the file is compiled
 * with <ordo/detail/run_time_unit.h> at its end, as C. A cell is passed by address, and a weight as the address of its
 * word. These functions are for beginning, printing and checking. `ordo_run_time_code` is the instance under one
 * scheduler, into which the operator is inlined, for the CPU or, compiled by nvcc, for a GPU: the same file with
 * <ordo/detail/run_time_instance.h> at its end.
 *
 * Not done: more cells than vertices.
 */
#ifndef ORDO_DETAIL_RUN_TIME_H
#define ORDO_DETAIL_RUN_TIME_H

#include <ordo/operator/operator.h>
#include <ordo/scheduler/scheduler.h>

ORDO_BEGIN_DECLS

/* Changes with every change of this file, of ordo_operator, ordo_instance and ordo_job. */
enum { ORDO_RUN_TIME_INTERFACE = 7 };

/* A number of the state that can be set: a row of ORDO_RELAX_SETTINGS or ORDO_CRITICAL_SETTINGS. */
typedef struct ordo_state_field {
    const char *name, *help;
    ordo_type type; /* ORDO_U32 ... ORDO_I64 */
    size_t at;      /* offset in the state, bytes */
} ordo_state_field;

#define ORDO_RUN_TIME_NO_RESULT ((size_t)-1)

/* How many requests and activations there is room for where the command asks for them: more than an operator may
 * write. */
enum { ORDO_RUN_TIME_ROOM = 64 };

/* A critical operator's bounds and functions, as <ordo/operator/critical.h> says; of its requests, whatever their type.
 * Lists are written to out[ORDO_RUN_TIME_ROOM]; what is returned is above the bound, too, where something was written
 * behind that. */
typedef struct ordo_run_time_sections {
    ordo_u32 targets, requests, activations; /* the most */
    ordo_u32 words, word_bits;
    ordo_u32 lock_bits; /* of a word that has a lock; 0: none has */
    size_t edges;       /* offset of the ordo_edges in the state, where the framework hands edges to the operator */
    ordo_type weight;   /* of these edges; ORDO_NONE: not read */
    ordo_eid (*units)(const void *state, ordo_item item, ordo_eid *first);
    ordo_u32 (*prepare)(const void *state, ordo_item item, ordo_eid unit, ordo_request_many *out);
    ordo_u32 (*commit)(const void *state, const ordo_request_many *r, ordo_activation *out); /* of a valid request */
    /* NULL: the operator has none. */
    int (*still_valid)(const void *state, const ordo_request_many *r);
    ordo_u32 (*first)(const void *state, ordo_request_many *r, ordo_activation *out, int *more);
    ordo_u32 (*second)(const void *state, const ordo_request_many *r, ordo_activation *out);
    int (*combine)(const void *state, ordo_request_many *a, const ordo_request_many *b);
    void (*rebuild_args)(const void *state, ordo_request_many *r);
    /* Its OWNED arrays: bytes of a target's words; the state made to use other memory; words of a target copied. */
    ordo_u64 (*owned_bytes)(const void *state);
    void (*owned_use)(void *state, char *at, ordo_u64 count);
    void (*owned_copy)(const void *to, ordo_u64 i, const void *state, ordo_u64 j);
    const void *(*lock_words)(const void *state);
    double (*delta)(double n, double m);
} ordo_run_time_sections;

typedef struct ordo_run_time {
    ordo_u32 interface;             /* ORDO_RUN_TIME_INTERFACE; the first member, whatever the others are */
    const char *name;               /* the operator's own */
    const ordo_operator *op;        /* without instances, and under another name */
    int order;                      /* ORDO_MIN, ORDO_MAX, ORDO_BY_COMPARATOR, ORDO_SUM */
    const ordo_state_field *arrays; /* [array_count] those that the operator lists, in that order; `type` is that
                                       of an element, or ORDO_NONE for any other, `help` is NULL */
    size_t array_count;
    bool own_priority;              /* ORDO_RELAX_PRIORITY is defined */
    bool has_source, can_begin;     /* can_begin: it is known what cells begin with */
    bool on_cuda;                   /* the CUDA back end supports it: ORDO_OP_ON_CUDA */
    const ordo_state_field *fields; /* [field_count] */
    size_t field_count;

    /* The members below are NULL where the command refuses the operator; so are those that the file does not have. */
    void (*set_initial)(void *state); /* sets the fields of a state that is all 0 */
    /* Writes the arrays of that state to out[ORDO_MOST_ARRAYS]. */
    void (*list_arrays)(void *state, ordo_u64 items, ordo_u64 targets, ordo_u64 edges, ordo_array *out);
    void (*fill)(void *state, const ordo_csr *graph, ordo_vid source);
    ordo_vid (*check)(const void *state, const ordo_csr *graph, ordo_vid source, const void *cells);

    /* `at` of the array that is the answer, of critical operators and of sums; ORDO_RUN_TIME_NO_RESULT: the file does
     * not say. `begins` is for critical operators, what follows for relax operators. */
    size_t result;
    int (*begins)(const void *state, ordo_item item);
    const ordo_run_time_sections *sections; /* NULL for the other kinds */

    void (*begin)(const void *state, ordo_item item, void *cell);
    void (*source)(const void *state, void *cell);
    void (*worst)(void *cell);                   /* this and the next: NULL for cells that sum */
    int (*better)(const void *a, const void *b); /* a is strictly better */
    int (*filter)(const void *state, ordo_item item);
    void (*candidate)(const void *state, const void *tail_cell, ordo_eid edge, ordo_vid tail, ordo_vid head,
                      const void *weight, void *out);
    double (*priority)(const void *state, ordo_item item, const void *cell);
    int (*is_final)(const void *state, ordo_item item, const void *cell);
    int (*print)(const void *state, ordo_item item, const void *value, char *out, size_t size);
    /* The cell that is proposed to; below the number of cells. NULL where that is the head. */
    ordo_u32 (*target)(const void *state, ordo_eid edge, ordo_vid tail, ordo_vid head, const void *weight);

    /* For cells that sum. */
    ordo_u32 (*level)(const void *state, const void *cell);
    void (*take)(const void *state, ordo_item item, void *cell, void *out); /* the cell is spent then */
    void (*add)(void *cell, const void *addend);
    double (*within)(const void *state, const ordo_csr *graph); /* ORDO_RELAX_WITHIN */

    /* For gather operators, beside `begin`. A round reads cells and writes others, and returns its change. */
    double (*round)(const void *state, const ordo_csr *in, const void *from, void *to);
    double (*far)(const void *state, ordo_vid n, const void *a, const void *b); /* a change from a to b */
    double (*noise)(const void *state, ordo_vid n, const void *cells);          /* that of rounding */
    double (*tolerance)(const void *state);
    ordo_u64 (*rounds)(const void *state);
    double (*change)(const void *state, ordo_item item, const void *a, const void *b); /* that of one item */
} ordo_run_time;

typedef struct ordo_run_time_instance {
    ordo_u32 interface; /* ORDO_RUN_TIME_INTERFACE */
    const ordo_instance *instance;
} ordo_run_time_instance;

ORDO_API extern const ordo_run_time ordo_run_time_entry;
ORDO_API extern const ordo_run_time_instance ordo_run_time_code;

ORDO_END_DECLS

#endif
