/* compare.c -- ordo_compare(): rounds of runs in random order, whose answers must agree; rows of estimates. */
#include <ordo/compare.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

#include "framework/graph/twister.h"
#include "framework/run/clock.h"
#include "framework/run/reserved.h"
#include "statistics.h"

enum { DEFAULT_ROUNDS = 7 };

/* Where `adaptive` asks for narrow intervals: their ends are that close to the value. */
static const double CLOSE = 0.02;

/* The first answer to an input, with which the others are compared. */
typedef struct answer {
    bool known;
    ordo_u64 hash;
    size_t contender;
} answer;

typedef struct comparison {
    const ordo_compare_plan *plan;
    ordo_compare_row *rows; /* [contender_count] */
    ordo_times *times;      /* likewise */
    ordo_u32 *order;        /* [contender_count * input_count] of a round */
    ordo_twister64 random;
    double begin;

    /* where the runs are those of `works` */
    void **initial;  /* [input_count] what cells begin with */
    answer *answers; /* likewise */

    char wrong[512]; /* the sentence of the first wrong answer, or "" */
} comparison;

/* ---- runs of works ---- */

static size_t cells_bytes(const ordo_work *work)
{
    return (size_t)work->targets * ordo_type_bytes(work->op->cell);
}

static ordo_u64 hash_cells(const ordo_work *work)
{
    const ordo_u32 *word = work->cells;
    const size_t words = cells_bytes(work) / sizeof *word;
    ordo_u64 hash = 0;
    for (size_t i = 0; i < words; i++) {
        hash = (hash ^ word[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

static const char *label_of(const ordo_contender *c)
{
    if (c->label)
        return c->label;
    return c->options.scheduler ? c->options.scheduler : ordo_scheduler_default()->name;
}

/* The first answer of each contender is checked, and all must be the same. */
static ordo_status judge_cells(comparison *c, const ordo_compare_turn *turn)
{
    const ordo_compare_plan *plan = c->plan;
    const ordo_work *work = &plan->works[turn->input];
    answer *first = &c->answers[turn->input];
    const ordo_u64 hash = hash_cells(work);
    ordo_status status = ORDO_OK;
    if (plan->check && turn->round == 0)
        status = plan->check(plan->arg, turn->input, work);
    if (!status && !first->known)
        *first = (answer){true, hash, turn->contender};
    if (!status && first->hash != hash)
        status = ordo_fail(ORDO_ERR_VERIFY, "its cells differ from those of %s",
                           label_of(&plan->contenders[first->contender]));
    return status;
}

static ordo_status run_work(comparison *c, const ordo_compare_turn *turn, ordo_stats *stats)
{
    const ordo_work *work = &c->plan->works[turn->input];
    memcpy(work->cells, c->initial[turn->input], cells_bytes(work));
    ordo_status status = ordo_run(work, turn->options, stats);
    return status || turn->warms_up ? status : judge_cells(c, turn);
}

/* ---- one run ---- */

static void count_run(comparison *c, const ordo_compare_turn *turn, const ordo_stats *stats)
{
    ordo_compare_row *row = &c->rows[turn->contender];
    ordo_times_set(&c->times[turn->contender], turn->round, turn->input, stats->run_seconds + stats->transfer_seconds);
    row->items = (row->items * (double)row->runs + (double)stats->items) / (double)(row->runs + 1);
    row->edges = (row->edges * (double)row->runs + (double)stats->edges) / (double)(row->runs + 1);
    row->runs++;
    row->scheduler = stats->scheduler;
    row->sync = stats->sync;
    if (stats->peak_worklist_bytes > row->worklist_bytes)
        row->worklist_bytes = stats->peak_worklist_bytes;
}

static bool leaves_out(ordo_status status)
{
    return status == ORDO_ERR_UNSOUND || status == ORDO_ERR_MEMORY || status == ORDO_ERR_TIMEOUT;
}

static bool takes_part(const ordo_compare_row *row)
{
    return !leaves_out(row->status);
}

static ordo_status make_run(comparison *c, ordo_compare_turn turn)
{
    const ordo_compare_plan *plan = c->plan;
    ordo_compare_row *row = &c->rows[turn.contender];
    ordo_stats stats = {0};
    if (plan->cancel && *plan->cancel)
        return ordo_fail(ORDO_ERR_CANCELLED, "cancelled");
    if (!takes_part(row))
        return ORDO_OK;
    turn.options = &plan->contenders[turn.contender].options;
    ordo_status status = plan->works ? run_work(c, &turn, &stats) : plan->run(plan->arg, &turn, &stats);
    if (!turn.warms_up && (!status || status == ORDO_ERR_VERIFY))
        count_run(c, &turn, &stats);
    ordo_stats_free(&stats);
    if (leaves_out(status) || (status == ORDO_ERR_VERIFY && !row->status)) {
        row->status = status;
        snprintf(row->reason, sizeof row->reason, "%s", ordo_last_error());
    }
    if (status == ORDO_ERR_VERIFY && !c->wrong[0])
        snprintf(c->wrong, sizeof c->wrong, "%.120s: %.380s", label_of(&plan->contenders[turn.contender]), row->reason);
    return leaves_out(status) || status == ORDO_ERR_VERIFY ? ORDO_OK : status;
}

/* ---- rounds ---- */

static ordo_status warm_up(comparison *c)
{
    const int runs = c->plan->warmup ? c->plan->warmup : 1;
    ordo_status status = ORDO_OK;
    for (int i = 0; i < runs && !status; i++)
        for (size_t k = 0; k < c->plan->contender_count && !status; k++)
            status = make_run(c, (ordo_compare_turn){.contender = k, .warms_up = true});
    return status;
}

/* A new random order of a round's runs (Fisher and Yates). */
static void shuffle(comparison *c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        c->order[i] = (ordo_u32)i;
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)(ordo_twister64_next(&c->random) % i);
        ordo_u32 swapped = c->order[i - 1];
        c->order[i - 1] = c->order[other];
        c->order[other] = swapped;
    }
}

static ordo_status make_round(comparison *c, size_t round)
{
    const size_t contenders = c->plan->contender_count, count = contenders * c->plan->input_count;
    ordo_status status = ORDO_OK;
    for (size_t i = 0; i < contenders; i++)
        if (!ordo_times_grow(&c->times[i], round + 1, c->plan->input_count))
            return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for %zu rounds", round + 1);
    shuffle(c, count);
    for (size_t i = 0; i < count && !status; i++)
        status =
            make_run(c, (ordo_compare_turn){
                            .contender = c->order[i] % contenders, .input = c->order[i] / contenders, .round = round});
    return status;
}

/* Estimates of all rows. */
static void estimate_rows(comparison *c)
{
    const size_t count = c->plan->contender_count;
    size_t base = c->plan->baseline;
    for (size_t i = 0; i < count && (!takes_part(&c->rows[base]) || !c->rows[base].runs); i++)
        base = i;
    for (size_t i = 0; i < count; i++) {
        ordo_compare_row *row = &c->rows[i];
        row->seconds = row->speedup = (ordo_estimate){.value = NAN};
        if (!row->runs)
            continue;
        row->seconds = ordo_estimate_time(&c->times[i], true);
        row->speedup = (ordo_estimate){.value = 1};
        if (i != base)
            row->speedup = ordo_estimate_ratio(&c->times[base], &c->times[i], true, NULL);
    }
}

static bool is_close(const ordo_estimate *e)
{
    return e->known && e->low >= e->value * (1 - CLOSE) && e->high <= e->value * (1 + CLOSE);
}

/* Whether all intervals, of times and of speed-ups, are narrow. The baseline's speed-up has none. */
static bool all_close(const comparison *c)
{
    for (size_t i = 0; i < c->plan->contender_count; i++) {
        const ordo_compare_row *row = &c->rows[i];
        const bool is_base = !row->speedup.known && row->speedup.value == 1;
        if (takes_part(row) && row->runs && (!is_close(&row->seconds) || (!is_base && !is_close(&row->speedup))))
            return false;
    }
    return true;
}

/* Whether there is no further round after `rounds`. */
static bool is_enough(comparison *c, size_t rounds)
{
    const ordo_compare_plan *plan = c->plan;
    const size_t wanted = plan->rounds ? (size_t)plan->rounds : DEFAULT_ROUNDS;
    bool any = false;
    for (size_t i = 0; i < plan->contender_count; i++)
        any = any || takes_part(&c->rows[i]);
    if (!any)
        return true;
    if (plan->enough || (rounds >= wanted && plan->adaptive > 0))
        estimate_rows(c);
    if (plan->enough)
        return rounds >= wanted || plan->enough(plan->arg, c->rows, rounds);
    return rounds >= wanted && (!(plan->adaptive > 0) || ordo_seconds() - c->begin > plan->adaptive || all_close(c));
}

static ordo_status make_rounds(comparison *c)
{
    c->begin = ordo_seconds();
    ordo_status status = c->plan->warmup >= 0 ? warm_up(c) : ORDO_OK;
    for (size_t round = 0; !status && (round == 0 || !is_enough(c, round)); round++)
        status = make_round(c, round);
    return status;
}

/* ---- the call ---- */

static ordo_status check_plan(const ordo_compare_plan *plan)
{
    ordo_status status = ORDO_RESERVED_CHECK(ordo_compare_plan, plan);
    if (status)
        return status;
    if (!plan->contenders || !plan->contender_count || !plan->input_count)
        return ordo_fail(ORDO_ERR_USAGE, "a comparison of %zu contenders on %zu inputs, expected at least one of each",
                         plan->contender_count, plan->input_count);
    if (plan->baseline >= plan->contender_count)
        return ordo_fail(ORDO_ERR_USAGE, "baseline %zu, expected less than %zu, the number of contenders",
                         plan->baseline, plan->contender_count);
    if (plan->contender_count > UINT32_MAX / plan->input_count)
        return ordo_fail(ORDO_ERR_USAGE, "%zu contenders on %zu inputs, expected fewer than 2^32 runs a round",
                         plan->contender_count, plan->input_count);
    if (!plan->works == !plan->run)
        return ordo_fail(ORDO_ERR_USAGE, "a comparison needs either works or a function that makes runs");
    if (plan->rounds < 0 || !(plan->adaptive >= 0) || isinf(plan->adaptive))
        return ordo_fail(ORDO_ERR_USAGE, "%d rounds and %g seconds, expected numbers that are finite and not negative",
                         plan->rounds, plan->adaptive);
    for (size_t i = 0; i < plan->input_count && plan->works; i++) {
        const ordo_work *work = &plan->works[i];
        if (!work->op || work->op->kind != ORDO_KIND_RELAX || !work->cells)
            return ordo_fail(ORDO_ERR_USAGE,
                             "work %zu: expected a relax operator and cells; others are run by a function", i);
    }
    for (size_t i = 0; i < plan->contender_count && !status; i++)
        status = ORDO_RESERVED_CHECK(ordo_contender, &plan->contenders[i]);
    return status;
}

static ordo_status save_cells(comparison *c)
{
    const ordo_compare_plan *plan = c->plan;
    c->initial = ordo_alloc_zero(plan->input_count, sizeof *c->initial);
    c->answers = ordo_alloc_zero(plan->input_count, sizeof *c->answers);
    if (!c->initial || !c->answers)
        return ORDO_ERR_MEMORY;
    for (size_t i = 0; i < plan->input_count; i++) {
        const size_t bytes = cells_bytes(&plan->works[i]);
        c->initial[i] = ordo_alloc(bytes, 1);
        if (!c->initial[i])
            return ORDO_ERR_MEMORY;
        memcpy(c->initial[i], plan->works[i].cells, bytes);
    }
    return ORDO_OK;
}

/* Cells are again what they were. */
static void restore_cells(comparison *c)
{
    for (size_t i = 0; i < c->plan->input_count && c->initial; i++) {
        if (c->initial[i])
            memcpy(c->plan->works[i].cells, c->initial[i], cells_bytes(&c->plan->works[i]));
        ordo_free(c->initial[i]);
    }
    ordo_free(c->initial);
    ordo_free(c->answers);
}

/* What the comparison came to; a status that ended it comes first. */
static ordo_status conclude(const comparison *c, ordo_status status)
{
    const ordo_compare_row *first = &c->rows[0];
    bool any = false;
    for (size_t i = 0; i < c->plan->contender_count; i++)
        any = any || c->rows[i].runs;
    if (status)
        return status;
    if (c->wrong[0])
        return ordo_fail(ORDO_ERR_VERIFY, "%s", c->wrong);
    if (!any)
        return ordo_fail(first->status, "%s", first->reason);
    return ORDO_OK;
}

ordo_status ordo_compare(const ordo_compare_plan *plan, ordo_compare_row *rows)
{
    ordo_status status = check_plan(plan);
    if (status)
        return status;
    memset(rows, 0, plan->contender_count * sizeof *rows);
    comparison c = {.plan = plan,
                    .rows = rows,
                    .times = ordo_alloc_zero(plan->contender_count, sizeof *c.times),
                    .order = ordo_alloc(plan->contender_count * plan->input_count, sizeof *c.order)};
    status = c.times && c.order ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status && plan->works)
        status = save_cells(&c);
    if (!status) {
        ordo_twister64_start(&c.random, plan->seed);
        status = make_rounds(&c);
        estimate_rows(&c);
        status = conclude(&c, status);
    }
    restore_cells(&c);
    for (size_t i = 0; i < plan->contender_count && c.times; i++)
        free(c.times[i].at);
    ordo_free(c.times);
    ordo_free(c.order);
    return status;
}

ordo_verdict ordo_compare_verdict(const ordo_estimate *speedup)
{
    if (!speedup->known)
        return ORDO_VERDICT_UNKNOWN;
    if (speedup->low > 1)
        return ORDO_VERDICT_FASTER;
    return speedup->high < 1 ? ORDO_VERDICT_SLOWER : ORDO_VERDICT_SAME;
}
