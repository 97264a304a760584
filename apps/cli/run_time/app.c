/* app.c -- an operator's file as an app: one run of the operator, on the cells that it begins with. See operator.h.
 *
 * An instance is compiled when memory is predicted, which every verb does ahead of its first run, so that no measured
 * time has it.
 */
#include "apps/cli/run_time/operator.h"

#include <math.h>
#include <string.h>

#include <ordo/memory.h>

#include "apps/cli/run_time/units.h"

static run_time_operator current;
static ordo_app current_app;

const run_time_operator *run_time_of(const ordo_app *app)
{
    return app == &current_app ? &current : NULL;
}

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return &current.op;
}

/* ---- a run ---- */

/* The app's choice where the caller makes none: as for the apps of the tree. */
static ordo_options options_for(const ordo_options *asked)
{
    ordo_options chosen = asked ? *asked : (ordo_options){0};
    const bool by_edges = current.op.items == ORDO_ITEMS_EDGES || (chosen.items && !strcmp(chosen.items, "edges"));
    if (!chosen.scheduler && !by_edges && !(chosen.sync && !strcmp(chosen.sync, "auto")))
        chosen.scheduler = !(current.op.properties & ORDO_MONOTONE) ? "auto"
                           : current.op.weight == ORDO_NONE         ? "bsp"
                                                                    : "delta";
    chosen.additions = run_time_grows(&current) ? &current.growth : NULL;
    return chosen;
}

static bool is_critical(void)
{
    return current.op.kind == ORDO_KIND_CRITICAL;
}

/* `source`: NULL if all vertices are initial. */
static ordo_work work_on(const ordo_graph *g, void *cells, const ordo_vid *source)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    cells = is_critical() ? NULL : cells;
    return (ordo_work){.op = &current.op,
                       .graph = g,
                       .cells = cells,
                       .state = current.state,
                       .num_items = run_time_items(&current, ordo_graph_out(g)),
                       .targets = n,
                       .initial = source,
                       .initial_count = source && n ? 1 : 0};
}

/* Whether the operator, and the scheduler if one is named, have code for a GPU at all. */
static ordo_status check_gpu_code(const ordo_options *asked)
{
    if (run_time_grows(&current))
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "operator '%s' makes new edges or items, on device 'cpu' alone: not built for a GPU",
                         current.op.name);
    if (!current.table->on_cuda && current.op.kind == ORDO_KIND_RELAX && current.op.cell >= ORDO_STRUCT4)
        return ordo_fail(
            ORDO_ERR_UNSOUND,
            "operator '%s' has cells of a struct; a GPU needs ORDO_RELAX_CELL_BYTES in its list and, where "
            "it has a state, ORDO_RELAX_ARRAYS",
            current.op.name);
    if (!current.table->on_cuda)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "operator '%s' has a state that it does not describe to a GPU; expected ORDO_RELAX_ARRAYS in "
                         "its list, empty where the state has no pointers",
                         current.op.name);
    return asked->scheduler && ordo_scheduler_find(asked->scheduler)
               ? run_time_has_code(asked->scheduler, ORDO_ON_CUDA, current.op.kind)
               : ORDO_OK;
}

/* Compiles what the run will choose. On a GPU the syncs that an instance offers are known when it has been compiled, so
 * the choice is made again then. "auto" does without a GPU if nothing can be compiled for it; if the run should turn
 * out not to fit on it, the run needs the CPU's instance, too. */
static ordo_status need_instances(const ordo_work *work, const ordo_options *asked)
{
    const bool automatic = asked->device && !strcmp(asked->device, "auto");
    ordo_choice choice;
    bool news = true;
    while (news) {
        ordo_status status = ordo_run_choice(work, asked, &choice);
        if (status)
            return status;
        if (asked->group && choice.device == ORDO_ON_CUDA)
            choice.device = ORDO_OVER_CUDA;
        status = run_time_need(&current, &choice, &news);
        if (status && automatic && choice.device != ORDO_ON_CPU) {
            run_time_leave_gpu(&current, ordo_last_error());
            news = true;
        } else if (status) {
            return status;
        }
    }
    if (!automatic || choice.device == ORDO_ON_CPU)
        return ORDO_OK;
    choice.device = ORDO_ON_CPU;
    return run_time_need(&current, &choice, &news);
}

/* The state as the options ask for, and its arrays. */
static ordo_status fill(const ordo_graph *g, const ordo_options *asked, const ordo_vid *source, bool with_files)
{
    ordo_edges edges;
    const bool handed = current.op.hands_edges;
    memcpy(current.state, current.initial, current.op.state);
    ordo_status status =
        handed ? ordo_edges_of(g, current.op.items == ORDO_ITEMS_EDGES, asked->threads, &edges) : ORDO_OK;
    return status ? status
                  : run_time_fill(&current, ordo_graph_out(g), handed ? &edges : NULL,
                                  source ? *source : ORDO_NO_VERTEX, with_files);
}

/* What is to run, and the instance for it. `source`: NULL if all vertices are initial. */
static ordo_status prepare(const ordo_graph *g, const ordo_options *asked, void *cells, const ordo_vid *source,
                           ordo_work *work)
{
    const ordo_csr *csr = ordo_graph_out(g);
    const ordo_type weight = run_time_weight(&current);
    if (weight != ORDO_NONE && csr->weight_type != ORDO_NONE && csr->weight_type != weight)
        return ordo_fail(ORDO_ERR_INPUT, "operator '%s' reads weights of type %s, the graph has %s", current.op.name,
                         type_name(weight), type_name(csr->weight_type));
    *work = work_on(g, cells, source);
    ordo_status status = is_critical() ? fill(g, asked, NULL, csr->n > 1) : ORDO_OK; /* a choice may look at requests */
    if (status)
        return status;
    status = asked->device && !strcmp(asked->device, "cuda") ? check_gpu_code(asked) : ORDO_OK;
    return status ? status : need_instances(work, asked);
}

static ordo_status memory(const ordo_graph *g, const ordo_options *asked, ordo_u64 *expected, ordo_u64 *at_most)
{
    static const ordo_vid first = 0;
    run_time_cell cell; /* is not read */
    ordo_work work;
    ordo_options chosen = options_for(asked);
    ordo_status status = prepare(g, &chosen, &cell, current.table->has_source ? &first : NULL, &work);
    if (!status)
        status = ordo_run_memory(&work, &chosen, expected, at_most);
    if (status || !run_time_sums(&current))
        return status;
    const size_t own = sizeof(ordo_item) + (run_time_has_result(&current) ? current.cell : 0); /* run_sum() */
    *expected += work.num_items * own;
    *at_most += work.num_items * own;
    return ORDO_OK;
}

/* Arrays for the answer, the old ones where they fit. */
static ordo_status make_answer(const ordo_csr *g, ordo_answer *answer)
{
    /* room for new items: their cells lie behind those of the graph's vertices, which are the answer */
    const ordo_u64 room = (g->n ? g->n : 1) + current.growth.most_items;
    if (answer->values && (answer->n != g->n || answer->size != current.value || run_time_grows(&current))) {
        ordo_free(answer->values);
        answer->values = NULL;
    }
    answer->type = current.type;
    answer->size = current.value;
    answer->n = answer->used = g->n;
    answer->within = (double)INFINITY;
    if (!answer->values)
        answer->values = ordo_alloc(room, current.value);
    return answer->values ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* The number of cells that are better than the worst value. */
static void count_reached(ordo_answer *answer)
{
    run_time_cell worst = {0};
    ordo_u64 reached = 0;
    current.table->worst(&worst);
    for (ordo_u64 v = 0; v < answer->n + current.growth.items; v++)
        reached += current.table->better(run_time_at(&current, answer->values, v), &worst) != 0;
    answer->fields[0] = (ordo_field){.name = "reached", .type = ORDO_U64, .whole = reached};
    answer->field_count = 1;
}

/* What a run has added. */
static void count_added(ordo_answer *answer)
{
    answer->fields[answer->field_count++] =
        (ordo_field){.name = "new_edges", .type = ORDO_U64, .whole = current.growth.edges};
    answer->fields[answer->field_count++] =
        (ordo_field){.name = "new_items", .type = ORDO_U64, .whole = current.growth.items};
}

/* Adds up the cells that are better than the worst value, where they do not select all values: how many, the least,
 * the largest and, unless they are u64 or i64, whose sum may not fit, their sum. */
static void sum_up(ordo_answer *answer)
{
    const ordo_type type = current.type;
    run_time_cell worst = {0}, c = {0};
    ordo_u64 reached = 0, sum = 0, least = 0, most = 0;
    const bool is_signed = type == ORDO_I32 || type == ORDO_I64;
    double real_sum = 0, real_least = 0, real_most = 0;
    if (run_time_selects(&current))
        current.table->worst(&worst);
    for (ordo_u64 v = 0; v < answer->n + current.growth.items; v++) {
        const void *value = run_time_value_at(&current, answer->values, v);
        if (run_time_selects(&current) && !current.table->better(value, &worst))
            continue;
        memcpy(&c, value, current.value);
        const ordo_u64 whole = ordo_type_bytes(type) == sizeof c.u64 ? c.u64
                               : type == ORDO_I32                    ? (ordo_u64)(long long)c.i32
                                                                     : c.u32;
        const double real = type == ORDO_F32 ? (double)c.f32 : type == ORDO_F64 ? c.f64 : 0;
        const bool first = reached++ == 0;
        const bool less = is_signed ? (long long)whole < (long long)least : whole < least;
        const bool more = is_signed ? (long long)whole > (long long)most : whole > most;
        least = first || less ? whole : least;
        most = first || more ? whole : most;
        real_least = first || real < real_least ? real : real_least;
        real_most = first || real > real_most ? real : real_most;
        sum += whole;
        real_sum += real;
    }
    const ordo_type shown = type == ORDO_F32 || type == ORDO_F64 ? ORDO_F32 : is_signed ? ORDO_I32 : ORDO_U64;
    ordo_field *field = answer->fields;
    if (run_time_selects(&current))
        *field++ = (ordo_field){.name = "reached", .type = ORDO_U64, .whole = reached};
    *field++ = (ordo_field){.name = "min", .type = shown, .whole = least, .real = real_least};
    *field++ = (ordo_field){.name = "max", .type = shown, .whole = most, .real = real_most};
    if (type != ORDO_U64 && type != ORDO_I64)
        *field++ = (ordo_field){.name = "sum", .type = shown, .whole = sum, .real = real_sum};
    answer->field_count = (int)(field - answer->fields);
}

static ordo_status run_relax(const ordo_vid *source, const ordo_work *work, const ordo_options *chosen,
                             ordo_stats *stats)
{
    run_time_begin(&current, source ? *source : ORDO_NO_VERTEX, (ordo_vid)work->num_items, work->cells);
    return ordo_run(work, chosen, stats);
}

/* Copies the array of the state that is the answer. */
static ordo_status copy_result(ordo_vid n, void *values)
{
    const void *result;
    ordo_status status = run_time_result(&current, n, &result);
    if (!status)
        memcpy(values, result, (size_t)n * current.value);
    return status;
}

/* Cells of the operator's own for a run on n vertices, the old ones where they fit. */
static ordo_status make_cells(ordo_vid n)
{
    if (current.cells && current.cells_count != n) {
        ordo_free(current.cells);
        current.cells = NULL;
    }
    current.cells_count = n;
    if (!current.cells)
        current.cells = ordo_alloc((size_t)n + 1, current.cell);
    return current.cells ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* All items of level 1 or more are initial. The answer is an array of the state, or the cells. */
static ordo_status run_sum(const ordo_vid *source, ordo_work *work, const ordo_options *chosen, void *values,
                           ordo_stats *stats)
{
    const ordo_vid n = (ordo_vid)work->num_items;
    ordo_status status = run_time_has_result(&current) ? make_cells(n) : ORDO_OK;
    if (status)
        return status;
    ordo_item *initial = ordo_alloc((size_t)n + 1, sizeof *initial);
    if (!initial)
        return ORDO_ERR_MEMORY;
    work->cells = run_time_has_result(&current) ? current.cells : values;
    run_time_begin(&current, source ? *source : ORDO_NO_VERTEX, n, work->cells);
    work->initial_count = 0;
    for (ordo_vid v = 0; v < n; v++)
        if (current.table->level(current.state, run_time_at(&current, work->cells, v)))
            initial[work->initial_count++] = v;
    work->initial = initial;
    status = ordo_run(work, chosen, stats);
    ordo_free(initial);
    return status || !run_time_has_result(&current) ? status : copy_result(n, values);
}

/* The answer is an array of the state. */
static ordo_status run_critical(ordo_vid n, ordo_work *work, const ordo_options *chosen, void *values,
                                ordo_stats *stats)
{
    ordo_item *initial = current.table->begins ? ordo_alloc((size_t)work->num_items + 1, sizeof *initial) : NULL;
    if (current.table->begins && !initial)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; initial && i < work->num_items; i++)
        if (current.table->begins(current.state, (ordo_item)i))
            initial[work->initial_count++] = (ordo_item)i;
    work->initial = initial;
    ordo_status status = ordo_run(work, chosen, stats);
    ordo_free(initial);
    return status ? status : copy_result(n, values);
}

static ordo_status run(const ordo_app_input *input, const ordo_options *asked, ordo_answer *answer, ordo_stats *stats)
{
    const ordo_csr *g = ordo_graph_out(input->graph);
    const ordo_vid *source = current.table->has_source ? &input->source : NULL;
    ordo_work work;
    ordo_options chosen = options_for(asked);
    ordo_status status = make_answer(g, answer);
    if (!status)
        status = prepare(input->graph, &chosen, answer->values, source, &work);
    if (status)
        return status;
    status = fill(input->graph, &chosen, source, true);
    if (!status && current.table->target)
        status = run_time_check_targets(&current, g);
    if (status)
        return status;
    status = is_critical()             ? run_critical(g->n, &work, &chosen, answer->values, stats)
             : run_time_sums(&current) ? run_sum(source, &work, &chosen, answer->values, stats)
                                       : run_relax(source, &work, &chosen, stats);
    if (!status && stats && stats->fallback[0] && current.not_on_gpu[0])
        snprintf(stats->fallback, sizeof stats->fallback, "%s", current.not_on_gpu);
    if (!status && current.type >= ORDO_STRUCT4)
        count_reached(answer);
    else if (!status)
        sum_up(answer);
    if (!status && run_time_grows(&current))
        count_added(answer);
    return status;
}

/* Of a graph that has changed: the answer must be right on the graph as it is after the run. Which edges and items had
 * to be added the operator's own check has to tell. */
static ordo_status verify_grown(const ordo_app_input *input, ordo_vid source, const void *cells, ordo_verify_how how)
{
    ordo_graph *grown;
    if (!(current.op.properties & ORDO_EDGE_BLIND))
        return ordo_fail(
            ORDO_ERR_UNSOUND,
            "operator '%s' is not edge-blind, and edges of the graph that it makes are numbered otherwise: "
            "its answer cannot be verified",
            current.op.name);
    ordo_status status = ordo_additions_graph(input->graph, &current.growth, 0, &grown);
    if (status)
        return status;
    status = run_time_verify(&current, ordo_graph_out(grown), source, cells, how);
    ordo_graph_free(grown);
    return status;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    if (current.op.kind == ORDO_KIND_GATHER)
        return run_time_verify_gather(&current, input->graph, answer->values);
    const ordo_csr *g = ordo_graph_out(input->graph);
    const ordo_vid source = current.table->has_source ? input->source : ORDO_NO_VERTEX;
    if (run_time_grows(&current))
        return verify_grown(input, source, answer->values, how);
    return run_time_sums(&current) ? run_time_verify_sum(&current, g, source, answer->values, how)
                                   : run_time_verify(&current, g, source, answer->values, how);
}

static int print(const ordo_answer *answer, ordo_u64 v, char *out, size_t size)
{
    char text[RUN_TIME_TEXT];
    run_time_text(&current, (ordo_vid)v, run_time_value_at(&current, answer->values, v), text);
    return snprintf(out, size, "%s", text);
}

/* ---- several runs ---- */

static bool is_in(const ordo_choice *list, int count, const ordo_choice *c)
{
    for (int i = 0; i < count; i++)
        if (list[i].device == c->device && !strcmp(list[i].scheduler, c->scheduler) &&
            (c->device == ORDO_ON_CUDA || list[i].sync == c->sync))
            return true;
    return false;
}

void run_time_ahead(const options *o, const ordo_app *app, const ordo_options *const *runs, int count)
{
    enum { MOST = 256 };
    static const ordo_vid first = 0;
    ordo_choice choice[MOST];
    int used = 0;
    ordo_graph *tiny;
    if (app != &current_app || tiny_graph(app, &tiny))
        return;
    for (int i = 0; i < count && used < MOST; i++) {
        run_time_cell cell; /* is not read */
        const ordo_options run = options_for(runs[i]);
        const ordo_work work = work_on(tiny, &cell, current.table->has_source ? &first : NULL);
        if (!ordo_run_choice(&work, &run, &choice[used]) && !is_in(choice, used, &choice[used]))
            used++;
    }
    ordo_graph_free(tiny);
    char what[400];
    snprintf(what, sizeof what, "%.250s for %d schedulers", current.file, used);
    show_phase(o, "compiling", what);
    run_time_compile_ahead(current.file, current.op.kind, choice, used);
    clear_progress();
}

/* ---- the app ---- */

ordo_status run_time_app(const options *o, const char *file, const ordo_app **out)
{
    run_time_close(&current);
    ordo_status status = run_time_open(o, file, &current);
    if (status)
        return status;
    const ordo_run_time *t = current.table;
    current_app = (ordo_app){
        .name = current.op.name,
        .summary = current.op.summary,
        .value_name = run_time_has_result(&current) ? "value" : "cell",
        .needs_source = t->has_source,
        .wants_weights = run_time_weight(&current) != ORDO_NONE,
        .weight = run_time_weight(&current),
        .has_infinity = t->order == ORDO_MIN,
        .is_approximate =
            !run_time_selects(&current), /* which vertex comes first may change what is right, or by rounding */
        .values_are_wide = current.value >= sizeof(ordo_u64),
        .print = t->print ? print : NULL,
        .op = op_for,
        .run = run,
        .verify = verify,
        .memory = memory,
    };
    *out = &current_app;
    return ORDO_OK;
}
