/* contract.c -- the contract, over the matrix: one operator, under one scheduler, sync and number of threads, on every
 * family of graphs, against references that share nothing with the schedulers.
 *
 *   contract OPERATOR SCHEDULER SYNC THREADS SEEDS [DEVICE]
 *
 * SEEDS: how many, from 1 on, or FIRST-LAST.
 * Every seed also draws the scheduler's tunables at random, so that tiny bins, one bucket, pull and the like are met.
 * Prints the path of the first failure (family, size, seed, settings) and ends with 1; 77 where the pair is refused as
 * unsound and the caller did not expect a run, or the device is not there.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/run.h>
#include <ordo/scheduler.h>

#define ORDO_TEMPLATE "operators/sssp.h"
#include <ordo/each_weight.h>
#define ORDO_WEIGHT u32
#include "operators/mst.h"
#undef ORDO_WEIGHT
#include "operators/bank.h"
#include "operators/bfs.h"
#include "operators/cc.h"
#include "operators/discharge.h"
#include "operators/hash_table.h"
#include "operators/sgd.h"
#include "operators/kcore.h"
#include "operators/pagerank.h"
#define ORDO_TEMPLATE "operators/widest.h"
#include <ordo/each_weight.h>

#include "families.h"

typedef struct trial {
    const char *op, *family;
    unsigned size;
    ordo_u64 seed;
    ordo_options options;
    const char *settings[ORDO_MAX_TUNABLES];
    char text[ORDO_MAX_TUNABLES][64];
    ordo_stats stats;
} trial;

static void fail(const trial *t, const char *what)
{
    printf("FAILED %s/%s/%s/%d family %s size %u seed %llu: %s\n", t->op, t->options.scheduler, t->options.sync,
           t->options.threads, t->family, t->size, (unsigned long long)t->seed, what);
    for (size_t i = 0; i < t->options.setting_count; i++)
        printf("  --set %s\n", t->options.settings[i]);
    exit(1);
}

static void *get(size_t count, size_t size)
{
    void *p = calloc(count + 1, size);
    if (!p)
        abort();
    return p;
}

/* Whether lock_server refuses a choice for that operator by name, or for want of a library. */
static bool refused_there(const char *op, const char *choice)
{
    bool bank = !strcmp(op, "bank"), table = !strcmp(op, "hash_table");
    bool critical = bank || table || !strcmp(op, "discharge") || !strcmp(op, "sgd");
#ifdef HAVE_METIS
    const bool metis = true;
#else
    const bool metis = false;
#endif
    return (!strncmp(choice, "halves", 6) && critical && !bank) ||
           (!strncmp(choice, "combine", 7) && critical && !table) ||
           (!strncmp(choice, "metis", 5) && (!metis || critical || !strcmp(op, "mst_u32")));
}

/* Whether it is refused on a GPU: forms that are not there. */
static bool refused_on_gpu(const trial *t, const ordo_tunable *row, const char *choice)
{
    const bool server = !strcmp(t->options.scheduler, "lock_server");
    /* words of targets in shared memory: not cells, nor those of sections that need two targets at once */
    bool far = strcmp(t->op, "bank") && strcmp(t->op, "hash_table");
    if (!t->options.device)
        return server && !strcmp(choice, "chains");
    for (size_t i = 0; i < t->options.setting_count; i++)
        far = far || !strcmp(t->settings[i], "form=chains") ||
              (!strcmp(t->op, "bank") && !strcmp(t->settings[i], "pairs=nested"));
    return (server && !strcmp(choice, "chains") && strcmp(t->op, "hash_table") &&
            ordo_operator_find(t->op)->kind == ORDO_KIND_CRITICAL) ||
           (server && !strcmp(row->name, "roles") && !strncmp(choice, "both", 4)) ||
           (server && !strcmp(row->name, "data") && !strncmp(choice, "shared", 6) && far) ||
           (!strcmp(row->name, "lock_place") && !strncmp(choice, "word", 4) &&
            (!strcmp(t->op, "sgd") || !strcmp(t->op, "discharge")));
}

/* Draws every tunable: as it is, its least, or something small. */
static void draw_settings(trial *t, ordo_u64 *r)
{
    const ordo_scheduler *s = ordo_scheduler_find(t->options.scheduler);
    t->options.settings = t->settings;
    t->options.setting_count = 0;
    if (t->seed % 4 == 0)
        return;
    for (int i = 0; i < s->tunable_count; i++) {
        const ordo_tunable *row = &s->tunables[i];
        ordo_u64 choice = next_random(r) % 4;
        char *text = t->text[t->options.setting_count];
        if (choice == 0)
            continue;
        if (row->type == ORDO_TUNABLE_CHOICE) {
            int choices = 1;
            for (const char *c = row->choices; *c; c++)
                choices += *c == '|';
            const char *at = row->choices;
            for (ordo_u64 k = next_random(r) % (ordo_u64)choices; k; k--)
                at = strchr(at, '|') + 1;
            if (!strncmp(at, "pull", 4) && !strcmp(s->name, "bsp") && strcmp(t->op, "bfs"))
                continue; /* refused by name: tested elsewhere */
            if (!strncmp(at, "pull", 4) &&
                (!strcmp(t->op, "mst_u32") || !strcmp(t->op, "kcore") || !strcmp(t->op, "pagerank")))
                continue;
            if ((!strcmp(s->name, "lock_server") && refused_there(t->op, at)) || refused_on_gpu(t, row, at))
                continue;
            snprintf(text, sizeof t->text[0], "%s=%.*s", row->name, (int)strcspn(at, "|"), at);
        } else {
            double value = choice == 1 ? row->min : (double)(next_random(r) % ((ordo_u64)2 << next_random(r) % 9));
            if (row->type == ORDO_TUNABLE_REAL && choice == 3)
                value = (double)(next_random(r) % 1000) / 64;
            value = value < row->min ? row->min : value > row->max ? row->max : value;
            snprintf(text, sizeof t->text[0], "%s=%.17g", row->name, value);
        }
        t->settings[t->options.setting_count++] = text;
    }
}

static void run(trial *t, ordo_work *work)
{
    work->op = ordo_operator_find(t->op);
    ordo_stats_free(&t->stats);
    ordo_status status = ordo_run(work, &t->options, &t->stats);
    if (status == ORDO_ERR_DEVICE && t->seed == 1) {
        printf("skipped: %s\n", ordo_last_error());
        exit(77);
    }
    if (status) {
        char text[1200];
        snprintf(text, sizeof text, "%s: %s", ordo_status_name(status), ordo_last_error());
        fail(t, text);
    }
    if (t->stats.trace_count > ORDO_TRACE_MAX)
        fail(t, "trace too long");
    for (size_t i = 1; i < t->stats.trace_count; i++)
        if (t->stats.trace[i].seconds < t->stats.trace[i - 1].seconds)
            fail(t, "trace goes back in time");
}

/* ---- shortest paths, levels, labels: Bellman-Ford over the edge list, in the type's own arithmetic ---- */

static void check_u32(const trial *t, const ordo_u32 *found, const ordo_u32 *expected, ordo_u64 n)
{
    for (ordo_u64 v = 0; v < n; v++)
        if (found[v] != expected[v]) {
            char text[128];
            snprintf(text, sizeof text, "cell %llu is %u, expected %u", (unsigned long long)v, found[v], expected[v]);
            fail(t, text);
        }
}

/* Runs from `source`, or from all items, and compares every cell; gives back what the trial took. */
static void run_cells(trial *t, ordo_graph *g, const void *state, const ordo_item *source, ordo_u32 *cells,
                      ordo_u32 *expected)
{
    const ordo_u64 n = ordo_graph_out(g)->n;
    ordo_work work = {.graph = g,
                      .cells = cells,
                      .state = state,
                      .universe = n,
                      .targets = n,
                      .initial = source,
                      .initial_count = n ? 1 : 0};
    run(t, &work);
    check_u32(t, cells, expected, n);
    free(expected);
    free(cells);
    ordo_graph_free(g);
}

static void try_integers(trial *t, const edge_list *list, ordo_direction direction)
{
    bool labels = !strcmp(t->op, "cc"), levels = !strcmp(t->op, "bfs"), is_signed = !strcmp(t->op, "sssp_i32");
    const ordo_u32 worst = is_signed ? 0x7fffffffu : 0xffffffffu;
    ordo_graph *g = family_graph(list, labels || levels ? ORDO_NONE : is_signed ? ORDO_I32 : ORDO_U32, direction);
    ordo_u64 n = list->n;
    ordo_u32 *expected = get(n, 4), *cells = get(n, 4);
    ordo_item source = (ordo_item)(t->seed % (n ? n : 1));
    ordo_u32 limit = t->seed % 5 == 1 ? (ordo_u32)(t->seed % 97) : worst - 1;
    for (ordo_u64 v = 0; v < n; v++)
        expected[v] = cells[v] = labels ? (ordo_u32)v : v == source ? 0 : worst;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 e = 0; e < list->count; e++)
            for (int way = 0; way < (direction == ORDO_SYMMETRISE ? 2 : 1); way++) {
                ordo_vid u = way ? list->edge[e].head : list->edge[e].tail,
                         v = way ? list->edge[e].tail : list->edge[e].head;
                ordo_u32 c = expected[u] == worst ? worst
                             : labels             ? expected[u]
                                                  : expected[u] + (levels ? 1 : list->edge[e].weight);
                if (!labels && c > limit)
                    c = worst;
                if (c < expected[v]) {
                    expected[v] = c;
                    changed = true;
                }
            }
    }
    sssp_state_u32 unsigned_state = {limit};
    sssp_state_i32 signed_state = {(ordo_i32)limit};
    bfs_state bfs = {limit};
    const void *state = labels      ? NULL
                        : levels    ? (const void *)&bfs
                        : is_signed ? (const void *)&signed_state
                                    : (const void *)&unsigned_state;
    run_cells(t, g, state, labels ? NULL : &source, cells, expected);
}

static void try_floats(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_F32, ORDO_AS_STORED);
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u64 n = list->n;
    ordo_f32 *expected = get(n, 4), *cells = get(n, 4);
    ordo_item source = (ordo_item)(t->seed % (n ? n : 1));
    for (ordo_u64 v = 0; v < n; v++)
        expected[v] = cells[v] = v == source ? 0 : INFINITY;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 u = 0; u < n; u++)
            for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++) {
                ordo_vid v = rows->head[e * rows->stride];
                float c = expected[u] + ((const float *)rows->weight)[e * rows->stride];
                if (c < expected[v]) {
                    expected[v] = c;
                    changed = true;
                }
            }
    }
    sssp_state_f32 state = {3.402823466e38f};
    ordo_work work = {.graph = g,
                      .cells = cells,
                      .state = &state,
                      .universe = n,
                      .targets = n,
                      .initial = &source,
                      .initial_count = n ? 1 : 0};
    run(t, &work);
    for (ordo_u64 v = 0; v < n; v++)
        if (cells[v] != expected[v])
            fail(t, "a distance is wrong");
    free(expected);
    free(cells);
    ordo_graph_free(g);
}

/* ---- widest: words of widths that are not negative compare as the widths do, whatever their type ---- */

static void try_widest(trial *t, const edge_list *list, ordo_direction direction)
{
    const bool is_signed = !strcmp(t->op, "widest_i32"), is_real = !strcmp(t->op, "widest_f32");
    ordo_graph *g = family_graph(list, is_real ? ORDO_F32 : is_signed ? ORDO_I32 : ORDO_U32, direction);
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u32 *capacity = rows->weight;
    const ordo_f32 no_limit = INFINITY;
    ordo_u64 n = list->n;
    ordo_u32 *expected = get(n, 4), *cells = get(n, 4), most = 0, at_source = is_signed ? 0x7fffffffu : 0xffffffffu;
    ordo_item source = (ordo_item)(t->seed % (n ? n : 1));
    if (is_real)
        memcpy(&at_source, &no_limit, sizeof at_source);
    expected[source] = cells[source] = at_source;
    for (ordo_eid e = 0; e < rows->m; e++)
        most = capacity[e * rows->stride] > most ? capacity[e * rows->stride] : most;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 u = 0; u < n; u++)
            for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++) {
                ordo_u32 c = capacity[e * rows->stride], *to = &expected[rows->head[e * rows->stride]];
                c = c < expected[u] ? c : expected[u];
                changed = changed || c > *to;
                *to = c > *to ? c : *to;
            }
    }
    const double scale = t->seed % 3 ? 1 : 0.01; /* of priorities: any will do */
    widest_state_u32 unsigned_state = {most, scale};
    widest_state_i32 signed_state = {(ordo_i32)most, scale};
    widest_state_f32 real_state = {0, scale};
    memcpy(&real_state.most, &most, sizeof most);
    const void *state = is_real     ? (const void *)&real_state
                        : is_signed ? (const void *)&signed_state
                                    : (const void *)&unsigned_state;
    run_cells(t, g, state, &source, cells, expected);
}

/* ---- kcore: one level, with parallel edges; who is left, by looking at all until nobody goes ---- */

static void try_kcore(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_NONE, ORDO_SYMMETRISE);
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u64 n = list->n, k = 1 + t->seed % 7, low = 0;
    ordo_u32 *core = get(n, 4), *expected = get(n, 4);
    ordo_i32 *left = get(n, 4);
    ordo_item *initial = get(n, 4);
    for (ordo_u64 v = 0; v < n; v++) {
        core[v] = expected[v] = ORDO_NO_VERTEX;
        for (ordo_eid e = rows->row[v]; e < rows->row[v + 1]; e++)
            left[v] += rows->head[e * rows->stride] != v;
        if (left[v] < (ordo_i32)k)
            initial[low++] = (ordo_item)v;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 v = 0; v < n; v++) {
            ordo_u64 degree = 0;
            for (ordo_eid e = rows->row[v]; e < rows->row[v + 1]; e++) {
                ordo_vid w = rows->head[e * rows->stride];
                degree += w != v && expected[w] == ORDO_NO_VERTEX;
            }
            if (expected[v] == ORDO_NO_VERTEX && degree < k) {
                expected[v] = (ordo_u32)k - 1;
                changed = true;
            }
        }
    }
    kcore_state state = {core, (ordo_i32)k};
    ordo_work work = {.graph = g, .cells = left, .state = &state, .universe = n, .targets = n};
    if (t->seed % 2) { /* otherwise all items: those with enough neighbours are not removed */
        work.initial = initial;
        work.initial_count = low;
    }
    run(t, &work);
    check_u32(t, core, expected, n);
    free(core);
    free(expected);
    free(left);
    free(initial);
    ordo_graph_free(g);
}

/* ---- pagerank: x against the fixed point by iteration, in double; what is missing against what was not pushed ---- */

static void try_pagerank(trial *t, const edge_list *list, ordo_direction direction)
{
    enum { ITERATIONS = 250 };
    const double unit = 0x1p-62, damping = 0.75; /* a power of 2 times a whole number: exact in either arithmetic */
    ordo_graph *g = family_graph(list, ORDO_NONE, direction);
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u64 n = list->n, first = n ? ((ordo_u64)1 << 60) / n : 0;
    ordo_u64 *rank = get(n, 8), *residual = get(n, 8), least = first / (2 + t->seed % 1000) + 1;
    double *x = get(n, sizeof *x), *next = get(n, sizeof *next), slack = 1e-12, missing = 0, sent = 0;
    for (ordo_u64 v = 0; v < n; v++)
        residual[v] = first;
    for (int i = 0; i < ITERATIONS; i++) {
        for (ordo_u64 v = 0; v < n; v++)
            next[v] = (double)first * unit;
        for (ordo_u64 u = 0; u < n; u++)
            for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++)
                next[rows->head[e * rows->stride]] += damping * x[u] / (double)(rows->row[u + 1] - rows->row[u]);
        double *swap = x;
        x = next;
        next = swap;
    }
    pagerank_state state = {rows->row, rank, least, (ordo_u64)(damping * 0x1p64)};
    ordo_work work = {.graph = g, .cells = residual, .state = &state, .universe = n, .targets = n};
    run(t, &work);
    for (ordo_u64 v = 0; v < n; v++) {
        if (residual[v] >= least)
            fail(t, "a residual that is not below the least was left");
        if ((double)rank[v] * unit > x[v] + slack)
            fail(t, "a rank is beyond the exact one");
        missing += x[v] - (double)rank[v] * unit;
        sent += (double)first * unit - (rows->row[v + 1] > rows->row[v] ? 1 - damping : 1) * (double)rank[v] * unit;
    }
    if (missing * (1 - damping) > sent + slack || sent > (double)(n * least) * unit + slack)
        fail(t, "more is missing than was not pushed");
    free(rank);
    free(residual);
    free(x);
    free(next);
    ordo_graph_free(g);
}

/* ---- mst: cells are components; items are vertices, or pieces of a list of edges ---- */

/* Rows of vertices: each takes the lightest of its own edges, then the nearest head. */
static void try_vertices(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_U32, ORDO_SYMMETRISE);
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u64 n = list->n;
    ordo_u64 *cells = get(n, 8), *expected = get(n, 8);
    for (ordo_u64 u = 0; u < n; u++) {
        cells[u] = expected[u] = ~(ordo_u64)0;
        for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++) {
            ordo_vid v = rows->head[e * rows->stride];
            ordo_u64 key = (ordo_u64)((const ordo_u32 *)rows->weight)[e * rows->stride] << 32 | v;
            if (v != u && key < expected[u])
                expected[u] = key;
        }
    }
    mst_state state = {0};
    ordo_work work = {.graph = g, .cells = cells, .state = &state, .universe = n, .targets = n};
    run(t, &work);
    for (ordo_u64 u = 0; u < n; u++)
        if (cells[u] != expected[u])
            fail(t, "a vertex' lightest edge is wrong");
    if (strcmp(t->options.sync, "racy") && t->stats.items != n) /* racy rounds repeat until nothing changes */
        fail(t, "an item that activates nothing was not processed exactly once");
    free(cells);
    free(expected);
    ordo_graph_free(g);
}

/* A list in pieces of five arcs: more vertices than components, so cells and items are of different numbers. */
static void try_listed(trial *t, const edge_list *list)
{
    enum { PIECE = 5 };
    ordo_u64 arcs = 2 * list->count, components = list->n / 3 + 1, pieces = (arcs + PIECE - 1) / PIECE, r = t->seed;
    ordo_u64 rows = pieces > components ? pieces : components;
    ordo_eid *row = get(rows + 1, sizeof *row);
    ordo_vid *head = get(arcs, sizeof *head);
    ordo_u32 *weight = get(arcs, sizeof *weight);
    ordo_u64 *cells = get(components, 8), *expected = get(components, 8);
    for (ordo_u64 i = 0; i <= rows; i++)
        row[i] = i * PIECE < arcs ? i * PIECE : arcs;
    for (ordo_u64 c = 0; c < components; c++)
        cells[c] = expected[c] = ~(ordo_u64)0;
    for (ordo_u64 a = 0; a < arcs; a++) {
        head[a] = (ordo_vid)(next_random(&r) % components);
        weight[a] = list->edge[a / 2].weight;
        ordo_u64 key = (ordo_u64)weight[a] << 32 | a / 2;
        expected[head[a]] = key < expected[head[a]] ? key : expected[head[a]];
    }
    ordo_csr csr = {.n = (ordo_vid)rows,
                    .m = arcs,
                    .row = row,
                    .head = head,
                    .weight = weight,
                    .stride = 1,
                    .weight_type = ORDO_U32};
    ordo_graph *g;
    if (ordo_graph_borrow(&csr, false, &g))
        fail(t, ordo_last_error());
    mst_state state = {.listed = 1};
    ordo_work work = {.graph = g, .cells = cells, .state = &state, .universe = pieces, .targets = components};
    run(t, &work);
    for (ordo_u64 c = 0; c < components; c++)
        if (cells[c] != expected[c])
            fail(t, "a component's lightest edge is wrong");
    ordo_graph_free(g);
    free(row);
    free(head);
    free(weight);
    free(cells);
    free(expected);
}

/* ---- bank: money is conserved, every transfer is tried once ---- */

static void try_bank(trial *t)
{
    ordo_u64 r = t->seed + 1, transfers = t->size * 4, accounts = t->seed % 3 ? t->size : 2, total = 0, after = 0;
    bank_transfer *transfer = get(transfers, sizeof *transfer);
    ordo_u32 *outcome = get(transfers, 4);
    ordo_u64 *balance = get(accounts, 8), *change = get(accounts, 8);
    for (ordo_u64 i = 0; i < transfers; i++)
        transfer[i] = (bank_transfer){(ordo_u32)(next_random(&r) % accounts), (ordo_u32)(next_random(&r) % accounts),
                                      (ordo_u32)(next_random(&r) % 50)};
    for (ordo_u64 a = 0; a < accounts; a++)
        total += balance[a] = next_random(&r) % 100;
    for (ordo_u64 a = 0; a < accounts; a++)
        change[a] = balance[a];
    bank_state state = {transfer, outcome, balance};
    ordo_work work = {.state = &state, .universe = transfers, .targets = accounts};
    run(t, &work);
    for (ordo_u64 i = 0; i < transfers; i++) {
        if (outcome[i] != BANK_PAID && outcome[i] != BANK_REFUSED)
            fail(t, "a transfer was not tried");
        if (outcome[i] == BANK_PAID) {
            change[transfer[i].from] -= transfer[i].amount;
            change[transfer[i].to] += transfer[i].amount;
        }
    }
    for (ordo_u64 a = 0; a < accounts; a++) {
        after += balance[a];
        if (change[a] != balance[a])
            fail(t, "a balance does not follow from the transfers that were paid");
    }
    if (after != total)
        fail(t, "money was made or lost");
    if (t->stats.useful != transfers)
        fail(t, "a transfer's section ran not exactly once");
    free(transfer);
    free(outcome);
    free(balance);
    free(change);
}

/* ---- hash_table: every element is in its bucket, once ---- */

static void try_hash_table(trial *t)
{
    ordo_u64 r = t->seed + 2, elements = t->size * 4, buckets = t->seed % 3 ? t->size : 1 + t->seed % 2, found = 0;
    ordo_u32 *bucket = get(elements, 4), *next = get(elements, 4), *head = get(buckets, 4), *times = get(elements, 4);
    for (ordo_u64 i = 0; i < elements; i++) {
        bucket[i] = (ordo_u32)(next_random(&r) % buckets);
        next[i] = HASH_TABLE_FREE;
    }
    for (ordo_u64 b = 0; b < buckets; b++)
        head[b] = HASH_TABLE_END;
    hash_table_state state = {bucket, next, head};
    ordo_work work = {.state = &state, .universe = elements, .targets = buckets};
    run(t, &work);
    for (ordo_u64 b = 0; b < buckets; b++)
        for (ordo_u32 i = head[b]; i != HASH_TABLE_END; i = next[i]) {
            if (i >= elements || bucket[i] != b)
                fail(t, "a bucket holds what is none of its elements");
            if (times[i]++)
                fail(t, "an element is in a bucket twice");
            found++;
        }
    if (found != elements)
        fail(t, "an insertion was lost");
    if (t->stats.useful != elements)
        fail(t, "an insertion was counted not exactly once");
    free(bucket);
    free(next);
    free(head);
    free(times);
}

/* ---- sgd: every rating is used once an epoch; on one thread bit for bit as in a loop, where a scheduler takes items
 * in the order in which they stand, else about as good ---- */

enum { RANK = 3, EPOCHS = 4 };

static double mean_square(const sgd_state *s, ordo_u64 ratings)
{
    double sum = 0;
    for (ordo_u64 i = 0; i < ratings; i++) {
        double e = (double)s->rating[i].value - (double)s->mean;
        for (int k = 0; k < RANK; k++)
            e -= (double)s->factor[s->rating[i].user * RANK + (ordo_u32)k] *
                 (double)s->factor[(s->users + s->rating[i].thing) * RANK + (ordo_u32)k];
        sum += e * e;
    }
    return sum / (double)ratings;
}

static void loop_epoch(sgd_state *s, ordo_u64 ratings)
{
    for (ordo_u64 i = 0; i < ratings; i++) {
        ordo_f32 *p = s->factor + s->rating[i].user * RANK;
        ordo_f32 *q = s->factor + (s->users + s->rating[i].thing) * RANK, e = s->rating[i].value - s->mean;
        for (int k = 0; k < RANK; k++)
            e -= p[k] * q[k];
        for (int k = 0; k < RANK; k++) {
            ordo_f32 old = p[k];
            p[k] += s->rate * (e * q[k] - s->decay * old);
            q[k] += s->rate * (e * old - s->decay * q[k]);
        }
    }
}

static void try_sgd(trial *t)
{
    ordo_u64 r = t->seed + 3, ratings = t->size * 6, users = t->size / 2 + 1,
             things = t->seed % 3 ? t->size / 4 + 1 : 1;
    sgd_rating *rating = get(ratings, sizeof *rating);
    ordo_u32 *done = get(ratings, 4);
    ordo_f32 *factor = get((users + things) * RANK, 4), *expected = get((users + things) * RANK, 4);
    for (ordo_u64 i = 0; i < ratings; i++)
        rating[i] = (sgd_rating){(ordo_u32)(next_random(&r) % users), (ordo_u32)(next_random(&r) % things),
                                 (ordo_f32)(1 + next_random(&r) % 5)};
    for (ordo_u64 i = 0; i < (users + things) * RANK; i++)
        factor[i] = expected[i] = (ordo_f32)(next_random(&r) % 1000) / 2000;
    sgd_state state = {rating, done, factor, (ordo_u32)users, RANK, 0, 3.0f, 0.02f, 0.01f}, loop = state;
    loop.factor = expected;
    const double before = mean_square(&state, ratings);
    for (state.epoch = 1; state.epoch <= EPOCHS; state.epoch++) {
        ordo_work work = {.state = &state, .universe = ratings, .targets = users + things};
        run(t, &work);
        loop_epoch(&loop, ratings);
        if (t->stats.useful != ratings)
            fail(t, "a rating was used not exactly once");
        for (ordo_u64 i = 0; i < ratings; i++)
            if (done[i] != state.epoch)
                fail(t, "a rating was not used");
    }
    if (t->options.threads == 1 && !t->options.device && strcmp(t->options.scheduler, "inbox") &&
        strcmp(t->options.scheduler, "adds"))
        for (ordo_u64 i = 0; i < (users + things) * RANK; i++)
            if (factor[i] != expected[i])
                fail(t, "a factor is not what a loop over the ratings gives");
    const double after = mean_square(&state, ratings), looped = mean_square(&loop, ratings);
    if (!(fabs(after - looped) <= 0.25 * fabs(before - looped) + 0.05 * looped))
        fail(t, "the error is not about that of a loop over the ratings");
    free(rating);
    free(done);
    free(factor);
    free(expected);
}

/* ---- discharge: a maximum preflow's value against augmenting paths ---- */

typedef struct network {
    ordo_u64 n, m;
    ordo_eid *row, *reverse;
    ordo_vid *head;
    ordo_u64 *capacity;
} network;

static void network_make(const edge_list *list, network *net)
{
    *net = (network){.n = list->n, .m = 2 * list->count};
    net->row = get(net->n + 2, 8);
    net->reverse = get(net->m, 8);
    net->head = get(net->m, 4);
    net->capacity = get(net->m, 8);
    for (ordo_u64 e = 0; e < list->count; e++) {
        net->row[list->edge[e].tail + 1]++;
        net->row[list->edge[e].head + 1]++;
    }
    for (ordo_u64 v = 0; v < net->n; v++)
        net->row[v + 1] += net->row[v];
    ordo_eid *at = get(net->n, 8);
    memcpy(at, net->row, net->n * 8);
    for (ordo_u64 e = 0; e < list->count; e++) {
        ordo_eid a = at[list->edge[e].tail]++, b = at[list->edge[e].head]++;
        net->head[a] = list->edge[e].head;
        net->head[b] = list->edge[e].tail;
        net->capacity[a] = list->edge[e].weight;
        net->reverse[a] = b;
        net->reverse[b] = a;
    }
    free(at);
}

static ordo_u64 augmenting_paths(const network *net, ordo_vid source, ordo_vid sink)
{
    ordo_u64 value = 0;
    ordo_u64 *residual = get(net->m, 8);
    ordo_eid *via = get(net->n, 8);
    ordo_vid *queue = get(net->n, 4);
    memcpy(residual, net->capacity, net->m * 8);
    for (;;) {
        ordo_u64 head = 0, tail = 0;
        memset(via, 255, net->n * 8);
        queue[tail++] = source;
        via[source] = 0;
        while (head < tail && via[sink] == ~(ordo_u64)0) {
            ordo_vid u = queue[head++];
            for (ordo_eid e = net->row[u]; e < net->row[u + 1]; e++)
                if (residual[e] && via[net->head[e]] == ~(ordo_u64)0) {
                    via[net->head[e]] = e;
                    queue[tail++] = net->head[e];
                }
        }
        if (via[sink] == ~(ordo_u64)0)
            break;
        ordo_u64 least = ~(ordo_u64)0;
        for (ordo_vid v = sink; v != source; v = net->head[net->reverse[via[v]]])
            if (residual[via[v]] < least)
                least = residual[via[v]];
        for (ordo_vid v = sink; v != source; v = net->head[net->reverse[via[v]]]) {
            residual[via[v]] -= least;
            residual[net->reverse[via[v]]] += least;
        }
        value += least;
    }
    free(residual);
    free(via);
    free(queue);
    return value;
}

/* Half of the trials end early by a budget and go on from there, as apps do, and count vertices at heights; the others
 * are one run to the end. Heights are never computed anew here. */
static void try_discharge(trial *t, const edge_list *list)
{
    if (list->n < 2)
        return;
    network net;
    network_make(list, &net);
    ordo_vid source = 0, sink = (ordo_vid)(list->n - 1);
    ordo_u32 *row = get(net.n + 1, 4), *height = get(net.n, 4), *current = get(net.n, 4), *count = get(net.n + 1, 4);
    ordo_u64 *excess = get(net.n, 8), active = 1, work = 0;
    discharge_edge *edge = get(net.m, sizeof *edge);
    ordo_item *initial = get(net.n, 4);
    for (ordo_u64 v = 0; v <= net.n; v++)
        row[v] = (ordo_u32)net.row[v];
    memcpy(current, row, net.n * 4);
    for (ordo_u64 e = 0; e < net.m; e++)
        edge[e] = (discharge_edge){net.head[e], (ordo_u32)net.reverse[e], net.capacity[e]};
    height[source] = (ordo_u32)net.n;
    for (ordo_u32 e = row[source]; e < row[source + 1]; e++) {
        edge[edge[e].reverse].residual += edge[e].residual;
        excess[edge[e].head] += edge[e].residual;
        edge[e].residual = 0;
    }
    discharge_progress progress = {.limit = (ordo_u32)net.n};
    discharge_state state = {.row = row,
                             .edge = edge,
                             .height = height,
                             .current = current,
                             .excess = excess,
                             .progress = &progress,
                             .budget = t->seed % 2 ? ~(ordo_u64)0 : 40,
                             .vertices = (ordo_u32)net.n,
                             .edges = (ordo_u32)net.m,
                             .source = source,
                             .sink = sink};
    while (active) {
        active = 0;
        for (ordo_vid v = 0; v < net.n; v++)
            if (excess[v] && v != source && v != sink && height[v] < net.n)
                initial[active++] = v;
        if (t->seed % 2 == 0) {
            memset(count, 0, (net.n + 1) * 4);
            for (ordo_vid v = 0; v < net.n; v++)
                count[height[v]]++;
            state.count = count;
        }
        progress = (discharge_progress){.limit = (ordo_u32)net.n};
        ordo_work w = {
            .state = &state, .universe = net.n, .targets = net.n, .initial = initial, .initial_count = active};
        run(t, &w);
        if (t->seed % 2)
            break;
        if (active && progress.work == 0 && progress.limit == net.n && ++work > 1000000)
            fail(t, "active vertices are left, and no work is done");
    }
    ordo_u64 expected = augmenting_paths(&net, source, sink), held = 0;
    if (excess[sink] != expected) {
        char text[96];
        snprintf(text, sizeof text, "flow is %llu, expected %llu", (unsigned long long)excess[sink],
                 (unsigned long long)expected);
        fail(t, text);
    }
    for (ordo_u64 e = 0; e < net.m; e++)
        if (edge[e].residual + edge[edge[e].reverse].residual != net.capacity[e] + net.capacity[net.reverse[e]])
            fail(t, "two residuals do not add up to what they did");
    for (ordo_u32 e = row[source]; e < row[source + 1]; e++)
        held += net.capacity[e] - edge[e].residual;
    for (ordo_vid v = 0; v < net.n; v++)
        held -= v == source ? 0 : excess[v];
    if (held)
        fail(t, "excess was made or lost");
    free(row);
    free(height);
    free(current);
    free(count);
    free(excess);
    free(edge);
    free(initial);
    free(net.row);
    free(net.reverse);
    free(net.head);
    free(net.capacity);
}

int main(int argc, char **argv)
{
    if (argc != 6 && argc != 7) {
        fprintf(stderr, "usage: contract OPERATOR SCHEDULER SYNC THREADS SEEDS [DEVICE]\n");
        return 2;
    }
    trial t = {.op = argv[1], .options = {.scheduler = argv[2], .sync = argv[3], .threads = atoi(argv[4])}};
    t.options.device = argc == 7 ? argv[6] : NULL;
    char *rest;
    ordo_u64 first = 1, seeds = strtoull(argv[5], &rest, 10), trials = 0;
    if (*rest == '-') { /* FIRST-LAST */
        first = seeds;
        seeds = strtoull(rest + 1, NULL, 10);
    }
    for (t.seed = first; t.seed <= seeds; t.seed++)
        for (const char *const *family = family_names; *family; family++) {
            ordo_u64 r = t.seed * 31 + (ordo_u64)(family - family_names);
            bool flow = !strcmp(t.op, "discharge"), bank = !strcmp(t.op, "bank");
            t.family = *family;
            t.size = 1 + (unsigned)(next_random(&r) % (flow ? 24 : t.seed % 10 == 0 ? 2000 : 150));
            draw_settings(&t, &r);
            edge_list list;
            family_make(*family, t.size, t.seed, &list);
            if (bank)
                try_bank(&t);
            else if (!strcmp(t.op, "hash_table"))
                try_hash_table(&t);
            else if (!strcmp(t.op, "sgd"))
                try_sgd(&t);
            else if (flow)
                try_discharge(&t, &list);
            else if (!strcmp(t.op, "mst_u32"))
                t.seed % 2 ? try_vertices(&t, &list) : try_listed(&t, &list);
            else if (!strcmp(t.op, "sssp_f32"))
                try_floats(&t, &list);
            else if (!strncmp(t.op, "widest", 6))
                try_widest(&t, &list, t.seed % 3 == 0 ? ORDO_SYMMETRISE : ORDO_AS_STORED);
            else if (!strcmp(t.op, "kcore"))
                try_kcore(&t, &list);
            else if (!strcmp(t.op, "pagerank"))
                try_pagerank(&t, &list, t.seed % 3 == 0 ? ORDO_SYMMETRISE : ORDO_AS_STORED);
            else
                try_integers(&t, &list, !strcmp(t.op, "cc") || t.seed % 3 == 0 ? ORDO_SYMMETRISE : ORDO_AS_STORED);
            family_free(&list);
            trials++;
        }
    ordo_stats_free(&t.stats);
    printf("%llu trials\n", (unsigned long long)trials);
    return 0;
}
