/* run_time_unit.h -- the rest of the unit by which `ordo run` knows an operator: the operator's file, and this at its
 * end.
 *
 * <ordo/operator/relax.h> and its relatives include this where ORDO_RUN_TIME is its quoted name, while the operator's
 * list of macros is still defined. So the file that the compiler reads first is the user's, and its messages name that
 * file and its lines. ORDO_OP is defined on the command line, as a name of its own.
 *
 * Here is what all kinds of operators have. What one kind alone has, and the table, is in run_time_relax.h,
 * run_time_gather.h or run_time_critical.h.
 */
#include <ordo/detail/run_time.h>

#define ORDO_RUN_TIME_STRING_(_text) #_text
#define ORDO_RUN_TIME_STRING(_text) ORDO_RUN_TIME_STRING_(_text)

/* What all kinds have, under one name. */
#if ORDO_OP_KIND == ORDO_KIND_CRITICAL
#define ORDO_RUN_TIME_NAME ORDO_CRITICAL
#ifdef ORDO_CRITICAL_SETTINGS
#define ORDO_RUN_TIME_SETTINGS ORDO_CRITICAL_SETTINGS
#endif
#ifdef ORDO_CRITICAL_ARRAYS
#define ORDO_RUN_TIME_ARRAYS ORDO_CRITICAL_ARRAYS
#endif
#ifdef ORDO_CRITICAL_FILL
#define ORDO_RUN_TIME_FILL ORDO_CRITICAL_FILL
#endif
#ifdef ORDO_CRITICAL_CHECK
#define ORDO_RUN_TIME_CHECK(_state, _graph, _source, _cells) ORDO_CRITICAL_CHECK(_state, _graph)
#endif
#define ORDO_RUN_TIME_ARRAYS_OF(_state, _items, _targets, _edges, _out) op_arrays(_state, _items, _targets, _out)
#define ORDO_RUN_TIME_ARRAY_COUNT (op_array_count - 4 * (int)op_hands_edges) /* those of the graph come last */
#elif ORDO_OP_KIND == ORDO_KIND_GATHER
#define ORDO_RUN_TIME_NAME ORDO_GATHER
#ifdef ORDO_GATHER_SETTINGS
#define ORDO_RUN_TIME_SETTINGS ORDO_GATHER_SETTINGS
#endif
#ifdef ORDO_GATHER_ARRAYS
#define ORDO_RUN_TIME_ARRAYS ORDO_GATHER_ARRAYS
#endif
#ifdef ORDO_GATHER_FILL
#define ORDO_RUN_TIME_FILL ORDO_GATHER_FILL
#endif
#ifdef ORDO_GATHER_CHECK
#define ORDO_RUN_TIME_CHECK(_state, _graph, _source, _cells) ORDO_GATHER_CHECK(_state, _graph, _cells)
#endif
#ifdef ORDO_GATHER_BEGIN
#define ORDO_RUN_TIME_BEGIN(_state, _item) ORDO_GATHER_BEGIN(_state, _item)
#else
#define ORDO_RUN_TIME_BEGIN(_state, _item) 0
#endif
#else
#define ORDO_RUN_TIME_NAME ORDO_RELAX
#ifdef ORDO_RELAX_SETTINGS
#define ORDO_RUN_TIME_SETTINGS ORDO_RELAX_SETTINGS
#endif
#ifdef ORDO_RELAX_ARRAYS
#define ORDO_RUN_TIME_ARRAYS ORDO_RELAX_ARRAYS
#endif
#ifdef ORDO_RELAX_FILL
#define ORDO_RUN_TIME_FILL ORDO_RELAX_FILL
#endif
#ifdef ORDO_RELAX_CHECK
#define ORDO_RUN_TIME_CHECK(_state, _graph, _source, _cells) ORDO_RELAX_CHECK(_state, _graph, _source, _cells)
#endif
#ifdef ORDO_RELAX_BEGIN
#define ORDO_RUN_TIME_BEGIN(_state, _item) ORDO_RELAX_BEGIN(_state, _item)
#elif ORDO_OP_ORDER == ORDO_SUM
#define ORDO_RUN_TIME_BEGIN(_state, _item) op_spent()
#else
#define ORDO_RUN_TIME_BEGIN(_state, _item) op_worst()
#endif
#endif
#ifndef ORDO_RUN_TIME_ARRAYS_OF
#define ORDO_RUN_TIME_ARRAYS_OF(_state, _items, _targets, _edges, _out)                                                \
    op_arrays(_state, _items, _targets, _edges, _out)
#define ORDO_RUN_TIME_ARRAY_COUNT op_array_count
#endif

/* The check of <ordo/scheduler/cpu.h>, which is for files where ORDO_OP has to be the operator's name. */
enum { ORDO_JOIN(ordo_operator_is_, ORDO_OP) = 1 };
#include <ordo/scheduler/cpu.h>
#include <ordo/detail/describe.h>

static const ordo_instance *const run_time_instances[] = {NULL};

#ifdef ORDO_RUN_TIME_SETTINGS
#define ORDO_RUN_TIME_INITIAL(_member, _type, _initial, _help)                                                         \
    {                                                                                                                  \
        ORDO_TYPE_OF(_type) *field = &state->_member; /* the compiler compares the types */                            \
        *field = (_initial);                                                                                           \
    }
#define ORDO_RUN_TIME_FIELD(_member, _type, _initial, _help)                                                           \
    {#_member, _help, (ordo_type)ORDO_JOIN(ORDO_TYPE_NUMBER_, _type), offsetof(op_state, _member)},
static const ordo_state_field run_time_fields[] = {ORDO_RUN_TIME_SETTINGS(ORDO_RUN_TIME_FIELD)};
enum { run_time_field_count = sizeof run_time_fields / sizeof run_time_fields[0] };
#else
static const ordo_state_field *const run_time_fields = NULL;
enum { run_time_field_count = 0 };
#endif

#ifdef ORDO_RUN_TIME_ARRAYS
/* The type is that of what the pointer points at, const or not. */
#define ORDO_RUN_TIME_ARRAY(_member, ...)                                                                              \
    {#_member, NULL,                                                                                                   \
     (ordo_type) _Generic(*((op_state *)0)->_member, ordo_u32                                                          \
                          : ORDO_U32, ordo_i32                                                                         \
                          : ORDO_I32, ordo_f32                                                                         \
                          : ORDO_F32, ordo_u64                                                                         \
                          : ORDO_U64, ordo_i64                                                                         \
                          : ORDO_I64, ordo_f64                                                                         \
                          : ORDO_F64, default                                                                          \
                          : ORDO_NONE),                                                                                \
     offsetof(op_state, _member)},
static const ordo_state_field run_time_arrays[ORDO_RUN_TIME_ARRAY_COUNT + 1] = {
    ORDO_RUN_TIME_ARRAYS(ORDO_RUN_TIME_ARRAY){NULL, NULL, ORDO_NONE, 0}};
#else
static const ordo_state_field *const run_time_arrays = NULL;
#endif

static void run_time_list_arrays(void *state, ordo_u64 items, ordo_u64 targets, ordo_u64 edges, ordo_array *out)
{
    (void)edges;
    ORDO_RUN_TIME_ARRAYS_OF((op_state *)state, items, targets, edges, out);
}

#ifdef ORDO_RUN_TIME_FILL
static void run_time_fill(void *state, const ordo_csr *graph, ordo_vid source)
{
    ORDO_RUN_TIME_FILL((op_state *)state, graph, source);
}
#else
#define run_time_fill NULL
#endif

static void run_time_set_initial(void *to)
{
    op_state *state = (op_state *)to;
    (void)state;
#ifdef ORDO_RUN_TIME_SETTINGS
    ORDO_RUN_TIME_SETTINGS(ORDO_RUN_TIME_INITIAL)
#endif
}

#ifdef ORDO_RUN_TIME_BEGIN
static void run_time_begin(const void *state, ordo_item item, void *cell)
{
    (void)state;
    (void)item;
    *(op_cell *)cell = ORDO_RUN_TIME_BEGIN((const op_state *)state, item);
}
typedef op_cell run_time_cell;
#else
#define run_time_begin NULL
typedef void run_time_cell; /* there are no cells */
#endif

#ifdef ORDO_RUN_TIME_CHECK
static ordo_vid run_time_check(const void *state, const ordo_csr *graph, ordo_vid source, const void *cells)
{
    (void)source;
    (void)cells;
    return ORDO_RUN_TIME_CHECK((const op_state *)state, graph, source, (const run_time_cell *)cells);
}
#else
#define run_time_check NULL
#endif

/* The members of the table that all kinds have. */
#define ORDO_RUN_TIME_COMMON                                                                                           \
    .interface = ORDO_RUN_TIME_INTERFACE, .name = ORDO_RUN_TIME_STRING(ORDO_RUN_TIME_NAME),                            \
    .op = &ORDO_JOIN(ORDO_OP, _operator), .arrays = run_time_arrays, .array_count = ORDO_RUN_TIME_ARRAY_COUNT,         \
    .on_cuda = ORDO_OP_ON_CUDA != 0, .fields = run_time_fields, .field_count = run_time_field_count,                   \
    .set_initial = run_time_set_initial, .list_arrays = run_time_list_arrays, .fill = run_time_fill,                   \
    .begin = run_time_begin, .check = run_time_check

#if ORDO_OP_KIND == ORDO_KIND_CRITICAL
#include <ordo/detail/run_time_critical.h>
#elif ORDO_OP_KIND == ORDO_KIND_GATHER
#include <ordo/detail/run_time_gather.h>
#else
#include <ordo/detail/run_time_relax.h>
#endif
