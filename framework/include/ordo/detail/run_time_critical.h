/* run_time_critical.h -- what the command knows of a critical operator that is compiled at run time: which items begin,
 * and the operator's functions, which `ordo check-operator` calls. Included by run_time_unit.h.
 *
 * The command's requests are ordo_request_many, whatever the operator's own are. Functions that write lists get room
 * for more than they may write, so that a longer list does no harm and is seen.
 */
#include <string.h>

ORDO_DESCRIBE_CRITICAL(run_time_instances)

#ifdef ORDO_CRITICAL_BEGINS
static int run_time_begins(const void *state, ordo_item item)
{
    return ORDO_CRITICAL_BEGINS((const op_state *)state, item);
}
#else
#define run_time_begins NULL
#endif

#ifdef ORDO_CRITICAL_RESULT
#define ORDO_RUN_TIME_RESULT offsetof(op_state, ORDO_CRITICAL_RESULT)
#else
#define ORDO_RUN_TIME_RESULT ORDO_RUN_TIME_NO_RESULT
#endif

/* ---- requests and lists ---- */

static void run_time_widen(const op_request *r, ordo_request_many *out)
{
    memset(out, 0, sizeof *out);
    for (size_t k = 0; k < sizeof r->target / sizeof r->target[0]; k++)
        out->target[k] = r->target[k];
    out->targets = r->targets;
    out->item = r->item;
    memcpy(out->word, r->word, sizeof out->word);
}

static op_request run_time_narrow(const ordo_request_many *r)
{
    op_request out;
    memset(&out, 0, sizeof out);
    for (size_t k = 0; k < sizeof out.target / sizeof out.target[0]; k++)
        out.target[k] = r->target[k];
    out.targets = r->targets;
    out.item = r->item;
    memcpy(out.word, r->word, sizeof out.word);
    return out;
}

enum { RUN_TIME_FILLED = 0xa5 }; /* a byte of a list that nothing has been written to */

/* The number of elements that a list was said to have or, if something was written behind what the operator may write,
 * where that ends. */
static ordo_u32 run_time_length(const void *list, size_t each, ordo_u32 said, ordo_u32 most)
{
    const unsigned char *byte = (const unsigned char *)list;
    for (size_t at = ORDO_RUN_TIME_ROOM * each; at > most * each && at > said * each; at--)
        if (byte[at - 1] != RUN_TIME_FILLED)
            return (ordo_u32)((at - 1) / each) + 1;
    return said;
}

/* ---- the operator's functions ---- */

static ordo_eid run_time_units(const void *state, ordo_item item, ordo_eid *first)
{
    return op_units((const op_state *)state, item, first);
}

static ordo_u32 run_time_prepare(const void *state, ordo_item item, ordo_eid unit, ordo_request_many *out)
{
    op_request list[ORDO_RUN_TIME_ROOM];
    memset(list, RUN_TIME_FILLED, sizeof list);
    const ordo_u32 count = op_prepare_unit((const op_state *)state, item, unit, list);
    for (ordo_u32 i = 0; i < count && i < ORDO_RUN_TIME_ROOM; i++)
        run_time_widen(&list[i], &out[i]);
    return run_time_length(list, sizeof list[0], count, op_requests);
}

static ordo_u32 run_time_commit(const void *state, const ordo_request_many *r, ordo_activation *out)
{
    const op_request request = run_time_narrow(r);
    memset(out, RUN_TIME_FILLED, ORDO_RUN_TIME_ROOM * sizeof *out);
    const ordo_u32 count = op_commit_valid((const op_state *)state, &request, out);
    return run_time_length(out, sizeof *out, count, op_activations);
}

#ifdef ORDO_CRITICAL_STILL_VALID
static int run_time_still_valid(const void *state, const ordo_request_many *r)
{
    const op_request request = run_time_narrow(r);
    return op_still_valid((const op_state *)state, &request);
}
#else
#define run_time_still_valid NULL
#endif

#ifdef ORDO_CRITICAL_FIRST
static ordo_u32 run_time_first(const void *state, ordo_request_many *r, ordo_activation *out, int *more)
{
    op_request request = run_time_narrow(r);
    memset(out, RUN_TIME_FILLED, ORDO_RUN_TIME_ROOM * sizeof *out);
    const ordo_u32 count = op_first_valid((const op_state *)state, &request, out, more);
    run_time_widen(&request, r);
    return run_time_length(out, sizeof *out, count, op_activations);
}

static ordo_u32 run_time_second(const void *state, const ordo_request_many *r, ordo_activation *out)
{
    const op_request request = run_time_narrow(r);
    memset(out, RUN_TIME_FILLED, ORDO_RUN_TIME_ROOM * sizeof *out);
    const ordo_u32 count = op_second((const op_state *)state, &request, out);
    return run_time_length(out, sizeof *out, count, op_activations);
}
#else
#define run_time_first NULL
#define run_time_second NULL
#endif

#ifdef ORDO_CRITICAL_COMBINE
static int run_time_combine(const void *state, ordo_request_many *a, const ordo_request_many *b)
{
    op_request first = run_time_narrow(a);
    const op_request second = run_time_narrow(b);
    const int combined = op_combine_valid((const op_state *)state, &first, &second);
    run_time_widen(&first, a);
    return combined;
}
#else
#define run_time_combine NULL
#endif

#ifdef ORDO_CRITICAL_REBUILD_ARGS
static void run_time_rebuild_args(const void *state, ordo_request_many *r)
{
    op_request request = run_time_narrow(r);
    op_rebuild_args((const op_state *)state, &request);
    run_time_widen(&request, r);
}
#else
#define run_time_rebuild_args NULL
#endif

static ordo_u64 run_time_owned_bytes(const void *state)
{
    return op_owned_bytes((const op_state *)state);
}

static void run_time_owned_use(void *state, char *at, ordo_u64 count)
{
    op_owned_use((op_state *)state, at, count);
}

static void run_time_owned_copy(const void *to, ordo_u64 i, const void *state, ordo_u64 j)
{
    op_owned_copy((const op_state *)to, i, (const op_state *)state, j);
}

static const void *run_time_lock_words(const void *state)
{
    return op_lock_words((const op_state *)state);
}

static const ordo_run_time_sections run_time_sections = {
    .targets = op_targets,
    .requests = op_requests,
    .activations = op_activations,
    .words = op_words,
    .word_bits = op_word_bits,
    .lock_bits = op_lock_bits,
#ifdef ORDO_CRITICAL_EDGE
    .edges = offsetof(op_state, ORDO_CRITICAL_EDGES),
    .weight = (ordo_type)ORDO_JOIN(ORDO_TYPE_NUMBER_, ORDO_CRITICAL_WEIGHT),
#endif
    .units = run_time_units,
    .prepare = run_time_prepare,
    .commit = run_time_commit,
    .still_valid = run_time_still_valid,
    .first = run_time_first,
    .second = run_time_second,
    .combine = run_time_combine,
    .rebuild_args = run_time_rebuild_args,
    .owned_bytes = run_time_owned_bytes,
    .owned_use = run_time_owned_use,
    .owned_copy = run_time_owned_copy,
    .lock_words = run_time_lock_words,
    .delta = op_delta,
};

const ordo_run_time ordo_run_time_entry = {
    ORDO_RUN_TIME_COMMON,           .can_begin = true, .result = ORDO_RUN_TIME_RESULT, .begins = run_time_begins,
    .sections = &run_time_sections,
};
