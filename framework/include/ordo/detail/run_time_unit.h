/* run_time_unit.h -- the rest of the unit by which `ordo run` knows an operator: the operator's file, and this at its
 * end.
 *
 * <ordo/operator/relax.h> and <ordo/operator/critical.h> include this where ORDO_RUN_TIME is its quoted name, while the
 * operator's list of macros is still defined. So the file that the compiler reads first is the user's, and its messages
 * name that file and its lines. ORDO_OP is defined on the command line, as a name of its own.
 */
#include <ordo/detail/run_time.h>

#define ORDO_RUN_TIME_STRING_(_text) #_text
#define ORDO_RUN_TIME_STRING(_text) ORDO_RUN_TIME_STRING_(_text)

/* What both kinds of operators have, under one name. */
#if ORDO_OP_KIND == ORDO_KIND_CRITICAL
#ifdef ORDO_CRITICAL_SETTINGS
#define ORDO_RUN_TIME_SETTINGS ORDO_CRITICAL_SETTINGS
#endif
#ifdef ORDO_CRITICAL_ARRAYS
#define ORDO_RUN_TIME_ARRAYS ORDO_CRITICAL_ARRAYS
#endif
#ifdef ORDO_CRITICAL_FILL
#define ORDO_RUN_TIME_FILL ORDO_CRITICAL_FILL
#endif
#elif ORDO_OP_KIND == ORDO_KIND_GATHER
#ifdef ORDO_GATHER_SETTINGS
#define ORDO_RUN_TIME_SETTINGS ORDO_GATHER_SETTINGS
#endif
#ifdef ORDO_GATHER_ARRAYS
#define ORDO_RUN_TIME_ARRAYS ORDO_GATHER_ARRAYS
#endif
#ifdef ORDO_GATHER_FILL
#define ORDO_RUN_TIME_FILL ORDO_GATHER_FILL
#endif
#else
#ifdef ORDO_RELAX_SETTINGS
#define ORDO_RUN_TIME_SETTINGS ORDO_RELAX_SETTINGS
#endif
#ifdef ORDO_RELAX_ARRAYS
#define ORDO_RUN_TIME_ARRAYS ORDO_RELAX_ARRAYS
#endif
#ifdef ORDO_RELAX_FILL
#define ORDO_RUN_TIME_FILL ORDO_RELAX_FILL
#endif
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
static const ordo_state_field run_time_arrays[op_array_count + 1] = {
    ORDO_RUN_TIME_ARRAYS(ORDO_RUN_TIME_ARRAY){NULL, NULL, ORDO_NONE, 0}};
#else
static const ordo_state_field *const run_time_arrays = NULL;
#endif

static void run_time_list_arrays(void *state, ordo_u64 items, ordo_u64 edges, ordo_array *out)
{
#if ORDO_OP_KIND == ORDO_KIND_CRITICAL
    (void)edges;
    op_arrays((op_state *)state, items, items, out);
#else
    op_arrays((op_state *)state, items, items, edges, out);
#endif
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

#if ORDO_OP_KIND == ORDO_KIND_CRITICAL

ORDO_DESCRIBE_CRITICAL(run_time_instances)

#ifdef ORDO_CRITICAL_BEGINS
static int run_time_begins(const void *state, ordo_item item)
{
    return ORDO_CRITICAL_BEGINS((const op_state *)state, item);
}
#else
#define run_time_begins NULL
#endif

#ifdef ORDO_CRITICAL_CHECK
static ordo_vid run_time_check(const void *state, const ordo_csr *graph, ordo_vid source, const void *cells)
{
    (void)source;
    (void)cells;
    return ORDO_CRITICAL_CHECK((const op_state *)state, graph);
}
#else
#define run_time_check NULL
#endif

#ifdef ORDO_CRITICAL_RESULT
#define ORDO_RUN_TIME_RESULT offsetof(op_state, ORDO_CRITICAL_RESULT)
#else
#define ORDO_RUN_TIME_RESULT ORDO_RUN_TIME_NO_RESULT
#endif

const ordo_run_time ordo_run_time_entry = {
    .interface = ORDO_RUN_TIME_INTERFACE,
    .name = ORDO_RUN_TIME_STRING(ORDO_CRITICAL),
    .op = &ORDO_JOIN(ORDO_OP, _operator),
    .arrays = run_time_arrays,
    .array_count = op_array_count,
    .can_begin = true,
    .on_cuda = ORDO_OP_ON_CUDA != 0,
    .fields = run_time_fields,
    .field_count = run_time_field_count,
    .set_initial = run_time_set_initial,
    .list_arrays = run_time_list_arrays,
    .fill = run_time_fill,
    .result = ORDO_RUN_TIME_RESULT,
    .begins = run_time_begins,
    .check = run_time_check,
};

#elif ORDO_OP_KIND == ORDO_KIND_GATHER

#include <ordo/detail/run_time_gather.h>

#else

ORDO_DESCRIBE_RELAX(run_time_instances)

static void run_time_begin(const void *state, ordo_item item, void *cell)
{
    (void)state;
    (void)item;
#ifdef ORDO_RELAX_BEGIN
    *(op_cell *)cell = ORDO_RELAX_BEGIN((const op_state *)state, item);
#elif ORDO_OP_ORDER == ORDO_SUM
    *(op_cell *)cell = op_spent();
#else
    *(op_cell *)cell = op_worst();
#endif
}

/* What the source's cell begins with. A struct, a sum and a target of the operator's own need ORDO_RELAX_SOURCE. */
#ifdef ORDO_RELAX_SOURCE
#define ORDO_RUN_TIME_SOURCE(_state) ORDO_RELAX_SOURCE(_state)
#elif !(defined(ORDO_RELAX_BEGIN) || ORDO_OP_ORDER == ORDO_SUM || ORDO_OP_STRUCT || defined(ORDO_RELAX_TARGET))
#if ORDO_OP_ORDER == ORDO_MAX
#define ORDO_RUN_TIME_SOURCE(_state) ORDO_JOIN(ordo_highest_, ORDO_RELAX_CELL)()
#else
#define ORDO_RUN_TIME_SOURCE(_state) 0
#endif
#endif
#ifdef ORDO_RUN_TIME_SOURCE
#define ORDO_RUN_TIME_HAS_SOURCE 1
static void run_time_source(const void *state, void *cell)
{
    (void)state;
    *(op_cell *)cell = ORDO_RUN_TIME_SOURCE((const op_state *)state);
}
#else
#define ORDO_RUN_TIME_HAS_SOURCE 0
#define run_time_source NULL
#endif

#if ORDO_OP_ORDER == ORDO_SUM
#define run_time_worst NULL
#define run_time_better NULL

static ordo_u32 run_time_level(const void *state, const void *cell)
{
    return op_level((const op_state *)state, *(const op_cell *)cell);
}

static void run_time_take(const void *state, ordo_item item, void *cell, void *out)
{
    const op_cell taken = *(op_cell *)cell;
    *(op_cell *)cell = op_spent();
    *(op_cell *)out = op_take((const op_state *)state, item, taken);
}

static void run_time_add(void *cell, const void *addend)
{
    *(op_cell *)cell += *(const op_cell *)addend;
}

static double run_time_within(const void *state, const ordo_csr *graph)
{
#ifdef ORDO_RELAX_WITHIN
    return ORDO_RELAX_WITHIN((const op_state *)state, graph);
#else
    (void)state;
    (void)graph;
    return 0;
#endif
}
#else
#define run_time_level NULL
#define run_time_take NULL
#define run_time_add NULL
#define run_time_within NULL

static void run_time_worst(void *cell)
{
    *(op_cell *)cell = op_worst();
}

static int run_time_better(const void *a, const void *b)
{
    return op_better(*(const op_cell *)a, *(const op_cell *)b);
}
#endif

#ifdef ORDO_RELAX_TARGET
static ordo_u32 run_time_target(const void *state, ordo_eid edge, ordo_vid tail, ordo_vid head, const void *weight)
{
    return op_target((const op_state *)state, op_make_edge(edge, tail, head, weight));
}
#else
#define run_time_target NULL
#endif

static int run_time_filter(const void *state, ordo_item item)
{
    return op_filter((const op_state *)state, item);
}

static void run_time_candidate(const void *state, const void *tail_cell, ordo_eid edge, ordo_vid tail, ordo_vid head,
                               const void *weight, void *out)
{
    *(op_cell *)out =
        op_candidate((const op_state *)state, *(const op_cell *)tail_cell, op_make_edge(edge, tail, head, weight));
}

static double run_time_priority(const void *state, ordo_item item, const void *cell)
{
    return op_priority((const op_state *)state, item, *(const op_cell *)cell);
}

static int run_time_is_final(const void *state, ordo_item item, const void *cell)
{
    return op_is_final((const op_state *)state, item, *(const op_cell *)cell);
}

/* A value of the answer. */
#ifdef ORDO_RELAX_RESULT
typedef __typeof__(*((op_state *)0)->ORDO_RELAX_RESULT) run_time_value;
#define ORDO_RUN_TIME_RESULT offsetof(op_state, ORDO_RELAX_RESULT)
#else
typedef op_cell run_time_value;
#define ORDO_RUN_TIME_RESULT ORDO_RUN_TIME_NO_RESULT
#endif

#ifdef ORDO_RELAX_PRINT
static int run_time_print(const void *state, ordo_item item, const void *value, char *out, size_t size)
{
    return ORDO_RELAX_PRINT((const op_state *)state, item, *(const run_time_value *)value, out, size);
}
#else
#define run_time_print NULL
#endif

#ifdef ORDO_RELAX_CHECK
static ordo_vid run_time_check(const void *state, const ordo_csr *graph, ordo_vid source, const void *cells)
{
    return ORDO_RELAX_CHECK((const op_state *)state, graph, source, (const op_cell *)cells);
}
#else
#define run_time_check NULL
#endif

const ordo_run_time ordo_run_time_entry = {
    .interface = ORDO_RUN_TIME_INTERFACE,
    .name = ORDO_RUN_TIME_STRING(ORDO_RELAX),
    .op = &ORDO_JOIN(ORDO_OP, _operator),
    .order = op_order,
    .arrays = run_time_arrays,
    .array_count = op_array_count,
#ifdef ORDO_RELAX_PRIORITY
    .own_priority = true,
#endif
    .has_source = ORDO_RUN_TIME_HAS_SOURCE,
#if defined(ORDO_RELAX_SOURCE) || defined(ORDO_RELAX_BEGIN) || ORDO_OP_ORDER == ORDO_MIN ||                            \
    ORDO_OP_ORDER == ORDO_MAX || defined(ORDO_RELAX_TARGET)
    .can_begin = true,
#endif
    .on_cuda = ORDO_OP_ON_CUDA != 0,
    .fields = run_time_fields,
    .field_count = run_time_field_count,
    .set_initial = run_time_set_initial,
    .list_arrays = run_time_list_arrays,
    .fill = run_time_fill,
    .result = ORDO_RUN_TIME_RESULT,
    .begin = run_time_begin,
    .source = run_time_source,
    .worst = run_time_worst,
    .better = run_time_better,
    .filter = run_time_filter,
    .candidate = run_time_candidate,
    .priority = run_time_priority,
    .is_final = run_time_is_final,
    .print = run_time_print,
    .check = run_time_check,
    .target = run_time_target,
    .level = run_time_level,
    .take = run_time_take,
    .add = run_time_add,
    .within = run_time_within,
};

#endif
