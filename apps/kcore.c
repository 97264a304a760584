/* kcore.c -- the app of core numbers: runs of operators/kcore.h, one for each level.
 *
 * The k-core is what remains when vertices with fewer than k remaining neighbours are removed until there are none; the
 * core number of a vertex is the largest k whose core contains it. Levels are peeled in ascending order: the next k is
 * one more than the smallest number of remaining neighbours, so levels without a vertex cost nothing, and a run starts
 * from the vertices that have exactly that many. Between two runs, one pass over the list of remaining vertices finds
 * them.
 *
 * Neighbours are counted once: directions, loops and parallel edges do not matter. A graph that is symmetric and has no
 * loops and no parallel edges is used as it is; otherwise such a copy without weights is made first, counted as
 * preparation.
 *
 * On a GPU a native program (kcore.cu) peels all levels in one run, unless a scheduler or sync is named.
 *
 * Not done: keeping that copy for a later call.
 */
#include "apps/kcore.h"
#include "apps/common.h"
#include "apps/runs.h"
#include "apps/simple.h"

#include <stdio.h>
#include <string.h>

#include <ordo/memory.h>

#include "operators/kcore.h"

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("kcore");
}

/* ---- peeling ---- */

enum { PARTS = 256, LEAST_PART = 4096 /* vertices */, FEW = 16384 /* vertices that one thread looks at */ };

/* A part of the vertices: those that remain are at its beginning in `alive`; what looking at them has found. */
typedef struct part {
    ordo_u64 alive, count; /* remaining vertices; of these in `initial`, from the part's beginning */
    ordo_i32 least;        /* the fewest neighbours */
} part;

typedef struct peeling {
    ordo_runs runs;
    const ordo_graph *graph;
    ordo_i32 *left;              /* [n] cells */
    ordo_u32 *core;              /* [n] ORDO_NO_VERTEX while the vertex remains */
    ordo_item *alive, *initial;  /* [n] remaining vertices; those with the fewest neighbours */
    ordo_u64 alive_count, count; /* of these */
    ordo_u32 k;                  /* 0, or those with fewer are looked for */
    ordo_u64 size;               /* vertices of a part */
    part part[PARTS + 1];
} peeling;

static ordo_u64 parts_of(const peeling *p)
{
    const ordo_u64 n = ordo_graph_out(p->graph)->n;
    return n / p->size + (n % p->size != 0);
}

/* Parts of the vertices, all of which remain. */
static void make_parts(peeling *p)
{
    const ordo_u64 n = ordo_graph_out(p->graph)->n;
    p->size = n / PARTS + 1 < LEAST_PART ? LEAST_PART : n / PARTS + 1;
    p->alive_count = n;
    for (ordo_u64 i = 0; i < parts_of(p); i++)
        p->part[i].alive = n - i * p->size < p->size ? n - i * p->size : p->size;
}

/* Drops removed vertices from a part; finds those with the fewest neighbours or, with k, with fewer than k. */
static void look_at_part(peeling *p, part *mine, ordo_item *alive, ordo_item *initial)
{
    const ordo_u32 k = p->k;
    ordo_i32 least = ORDO_MOST_NEIGHBOURS;
    ordo_u64 kept = 0, count = 0;
    for (ordo_u64 i = 0; i < mine->alive; i++) {
        const ordo_item v = alive[i];
        if (p->core[v] != ORDO_NO_VERTEX)
            continue;
        alive[kept++] = v;
        if (k ? p->left[v] >= (ordo_i32)k : p->left[v] > least)
            continue;
        if (!k && p->left[v] < least) {
            least = p->left[v];
            count = 0;
        }
        initial[count++] = v;
    }
    *mine = (part){kept, count, least};
}

static void look_at_parts(void *arg, ordo_u64 begin, ordo_u64 end)
{
    peeling *p = arg;
    for (ordo_u64 i = begin / p->size; i * p->size < end; i++)
        if (p->part[i].alive)
            look_at_part(p, &p->part[i], p->alive + i * p->size, p->initial + i * p->size);
        else
            p->part[i] = (part){.least = ORDO_MOST_NEIGHBOURS};
}

/* The same for all vertices; sets *least. */
static ordo_status look_round(peeling *p, ordo_i32 *least)
{
    const ordo_u64 n = ordo_graph_out(p->graph)->n, parts = parts_of(p);
    ordo_status status = ORDO_OK;
    if (p->alive_count < FEW)
        look_at_parts(p, 0, n);
    else
        status = ordo_for_ranges(p->runs.options.threads, n, p->size, look_at_parts, p);
    *least = ORDO_MOST_NEIGHBOURS;
    p->alive_count = p->count = 0;
    for (ordo_u64 i = 0; i < parts; i++) {
        *least = p->part[i].least < *least ? p->part[i].least : *least;
        p->alive_count += p->part[i].alive;
    }
    for (ordo_u64 i = 0; i < parts && !status; i++)
        if (p->k || p->part[i].least == *least) {
            memmove(p->initial + p->count, p->initial + i * p->size, p->part[i].count * sizeof *p->initial);
            p->count += p->part[i].count;
        }
    return status;
}

static ordo_status peel(peeling *p)
{
    const ordo_u32 k = p->k;
    ordo_status status = ORDO_OK;
    ordo_u64 before = ~(ordo_u64)0; /* vertices that remained before the last run */
    do {
        ordo_i32 least;
        if ((status = look_round(p, &least)))
            return status;
        if (p->alive_count && p->alive_count == before)
            return ordo_fail(ORDO_ERR_INTERNAL, "kcore: a run under scheduler '%s' has removed none of %llu vertices",
                             p->runs.options.scheduler, (unsigned long long)before);
        before = p->alive_count;
        if (!p->alive_count && p->runs.ran)
            break;
        kcore_state state = {.core = p->core, .k = k ? (ordo_i32)k : p->alive_count ? least + 1 : 1};
        ordo_work work = ordo_vertex_work(op_for(p->graph), p->graph, &state, p->left, NULL);
        work.initial = p->initial;
        work.initial_count = p->count;
        if (ordo_runs_late(&p->runs))
            return ordo_fail(ORDO_ERR_TIMEOUT, "kcore under '%s' did not end within %g s: level %d, %llu vertices left",
                             p->runs.options.scheduler, p->runs.options.timeout, (int)state.k,
                             (unsigned long long)p->alive_count);
        status = ordo_runs_one(&p->runs, &work);
    } while (!status && !k && p->alive_count);
    return status;
}

/* With k, core numbers become whether the vertex is in the k-core. */
static void mark_members(ordo_u32 k, ordo_vid n, ordo_u32 *core)
{
    for (ordo_vid v = 0; k && v < n; v++)
        core[v] = core[v] == ORDO_NO_VERTEX;
}

static ordo_status by_runs(const ordo_graph *g, ordo_u32 k, const ordo_options *options, ordo_u32 *core,
                           ordo_stats *stats)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    kcore_state unused = {0};
    ordo_i32 none = 0;
    peeling p = {
        .runs = {.options = ordo_options_or(options, "bsp"), .stats = stats, .on_gpu = ordo_is_for_gpu(options)},
        .core = core,
        .k = k};
    ordo_work work = ordo_vertex_work(op_for(g), g, &unused, &none, NULL); /* cells are not looked at */
    ordo_status status = ordo_run_check(&work, &p.runs.options);
    if (status)
        return status;
    const int threads = p.runs.options.threads;
    ordo_simple s = {0};
    const double before = ordo_clock();
    p.left = ordo_alloc(n, sizeof *p.left);
    p.alive = ordo_alloc(n, sizeof *p.alive);
    p.initial = ordo_alloc(n, sizeof *p.initial);
    status = p.left && p.alive && p.initial ? ordo_simple_make(g, threads, "kcore", p.left, &s) : ORDO_ERR_MEMORY;
    p.graph = s.graph;
    p.runs.start = ordo_clock();
    const double prepared = p.runs.start - before;
    if (!status)
        status = ordo_fill(threads, core, n, ORDO_NO_VERTEX);
    if (!status)
        status = ordo_fill_ids(threads, p.alive, n);
    if (!status) {
        make_parts(&p);
        status = peel(&p);
    }
    if (!status)
        mark_members(k, n, core);
    ordo_runs_end(&p.runs, ordo_operator_name(work.op), status);
    if (p.runs.ran && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT))
        stats->prepare_seconds += prepared;
    ordo_simple_free(&s);
    ordo_free(p.left);
    ordo_free(p.alive);
    ordo_free(p.initial);
    return status;
}

/* ---- on a GPU ---- */

static const ordo_program program = {.name = "kcore", .summary = "all levels in one run", .on_cuda = true};

static ordo_status by_program(const ordo_graph *g, ordo_u32 k, const ordo_options *options, ordo_u32 *core,
                              ordo_stats *stats)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    const bool any = ordo_is_auto(options);
    ordo_options chosen = ordo_options_or(options, ORDO_NATIVE);
    chosen.scheduler = ORDO_NATIVE;
    ordo_status status = ordo_program_check(&program, &chosen);
    if (status)
        return status;
    ordo_simple s = {0};
    const double before = ordo_clock();
    ordo_i32 *left = ordo_alloc(n, sizeof *left);
    status = left ? ordo_simple_make(g, chosen.threads, "kcore", left, &s) : ORDO_ERR_MEMORY;
    ordo_free(left);
    if (!status)
        status = ordo_fill(chosen.threads, core, n, ORDO_NO_VERTEX);
    const double prepared = ordo_clock() - before;
    ordo_kcore_state state = {k};
    const ordo_work work = {.graph = s.graph, .state = &state, .cells = core, .num_items = n, .targets = n};
    if (status)
        ordo_runs_none(stats, status);
    else
        status = ordo_program_run(&program, &work, &chosen, stats);
    if (!status)
        mark_members(k, n, core);
    if (stats && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT)) {
        stats->prepare_seconds += prepared;
        if (any)
            snprintf(stats->chosen, sizeof stats->chosen, "kcore's program for a GPU, all levels in one run");
    }
    ordo_simple_free(&s);
    return status;
}

ordo_status ordo_kcore(const ordo_graph *g, ordo_u32 k, const ordo_options *options, ordo_u32 *core, ordo_stats *stats)
{
    if (!g || (!core && ordo_graph_out(g)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", g ? "room for core numbers" : "graph");
    if (k > ORDO_MOST_NEIGHBOURS)
        return ordo_fail(ORDO_ERR_USAGE, "k is %u, expected less than 2^31", k);
    const bool native = ordo_is_native(options);
    if (native && !ordo_is_for_gpu(options))
        return ordo_program_check(&program, options); /* fails with the message that there is none */
    if (!ordo_is_for_gpu(options))
        return by_runs(g, k, options, core, stats);
    char why_not[sizeof stats->fallback] = "";
    ordo_options asked = *options;
    if (!native && !strcmp(asked.device, "auto"))
        asked.device = "cuda"; /* its error is the reason that "auto" reports */
    ordo_status status = native || ordo_may_be_native(options, true) ? by_program(g, k, &asked, core, stats)
                                                                     : by_runs(g, k, &asked, core, stats);
    if (!status || native || !ordo_may_fall_back(options, status))
        return status;
    snprintf(why_not, sizeof why_not, "%s", ordo_last_error());
    asked.device = "cpu";
    status = by_runs(g, k, &asked, core, stats);
    if (stats && !status)
        snprintf(stats->fallback, sizeof stats->fallback, "%s", why_not);
    return status;
}

ordo_status ordo_kcore_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    kcore_state unused = {0};
    ordo_i32 none = 0;
    ordo_options chosen = ordo_options_or(options, "bsp");
    ordo_work work = ordo_vertex_work(op_for(g), g, &unused, &none, NULL); /* cells are not looked at */
    const bool native = ordo_is_native(options) || (ordo_is_for_gpu(options) && ordo_may_be_native(options, true) &&
                                                    !strcmp(options->device, "cuda"));
    *expected = *at_most = 0; /* of the program: on the host it needs what is added below */
    ordo_status status =
        native ? ordo_program_check(&program, options) : ordo_run_memory(&work, &chosen, expected, at_most);
    if (status)
        return status;
    const bool symmetric = ordo_graph_symmetric(g);
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u64 fixed = rows->n * (ordo_u64)(sizeof(ordo_i32) + 2 * sizeof(ordo_item)) +
                     ORDO_TRACE_MAX * sizeof(ordo_sample); /* the sum's trace */
    ordo_u64 lists, copy = ordo_copy_memory(g, symmetric ? ORDO_AS_STORED : ORDO_SYMMETRISE, &lists);
    ordo_u64 before = copy > lists ? copy : lists; /* packed rows, or the lists, which are freed by then */
    *expected += fixed;
    if (!symmetric)
        *expected = fixed + copy + (*expected > before ? *expected : before);
    *at_most = fixed + copy + before + 2 * *at_most;
    *at_most = *at_most > *expected ? *at_most : *expected;
    return ORDO_OK;
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    ordo_status status = ordo_answer_capacity(answer, ORDO_U32, ordo_graph_out(input->graph)->n, false);
    if (!status)
        status = ordo_kcore(input->graph, input->k, options, answer->values, stats);
    if (status)
        return status;
    const ordo_u32 *core = answer->values;
    ordo_u32 most = 0;
    ordo_u64 count = 0;
    for (ordo_u64 v = 0; v < answer->n; v++)
        most = core[v] > most ? core[v] : most;
    for (ordo_u64 v = 0; v < answer->n; v++)
        count += input->k ? core[v] : core[v] == most;
    answer->fields[0] = (ordo_field){.name = "k", .type = ORDO_U64, .whole = input->k ? input->k : most};
    answer->fields[1] = (ordo_field){.name = "vertices", .type = ORDO_U64, .whole = count};
    answer->field_count = 2;
    return ORDO_OK;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    return ordo_kcore_verify(input->graph, input->k, answer->values, how);
}

extern const ordo_app ordo_app_kcore;
const ordo_app ordo_app_kcore = {
    .name = "kcore",
    .summary = "core numbers, or the vertices of one k-core; directions are not looked at",
    .value_name = "core",
    .has_k = true,
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_kcore_memory,
    .program = &program,
};
