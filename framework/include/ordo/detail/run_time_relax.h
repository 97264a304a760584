/* run_time_relax.h -- what the command knows of a relax operator that is compiled at run time: cells, candidates, the
 * order of cells or their sum. Included by run_time_unit.h.
 */
ORDO_DESCRIBE_RELAX(run_time_instances)

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

const ordo_run_time ordo_run_time_entry = {
    ORDO_RUN_TIME_COMMON,
    .order = op_order,
#ifdef ORDO_RELAX_PRIORITY
    .own_priority = true,
#endif
    .has_source = ORDO_RUN_TIME_HAS_SOURCE,
#if defined(ORDO_RELAX_SOURCE) || defined(ORDO_RELAX_BEGIN) || ORDO_OP_ORDER == ORDO_MIN ||                            \
    ORDO_OP_ORDER == ORDO_MAX || defined(ORDO_RELAX_TARGET)
    .can_begin = true,
#endif
    .result = ORDO_RUN_TIME_RESULT,
    .source = run_time_source,
    .worst = run_time_worst,
    .better = run_time_better,
    .filter = run_time_filter,
    .candidate = run_time_candidate,
    .priority = run_time_priority,
    .is_final = run_time_is_final,
    .print = run_time_print,
    .target = run_time_target,
    .level = run_time_level,
    .take = run_time_take,
    .add = run_time_add,
    .within = run_time_within,
};
