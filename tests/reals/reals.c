/* reals.c -- the contract of cells that are sums of reals (push.h): the matrix, and the reference.
 *
 * Reference: the fixed point by iteration, in double. What rounding can change is bounded as <ordo/operator/relax.h>
 * says: a relative error of 2^-24 (or 2^-53) for each addition, of which there are at most as many as edges processed.
 * Under bsp with direction=pull the same problem is run a second time, with another number of threads, and must have
 * the same bits.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/scheduler/scheduler.h>

#include "tests/contract/contract.h"

#define CELL f32
#include "tests/reals/push.h"
#undef CELL
#define CELL f64
#include "tests/reals/push.h"
#undef CELL

#define REALS_EACH(X) X(f32, FLT_EPSILON) X(f64, DBL_EPSILON)
#define REALS_DECLARE(_type, _epsilon)                                                                                 \
    static contract_reference check_##_type;                                                                           \
    extern const ordo_operator push_##_type##_operator;
REALS_EACH(REALS_DECLARE)
#define REALS_ROW(_type, _epsilon) {"push_" #_type, check_##_type, 150, &push_##_type##_operator},
const contract_row contract_rows[] = {REALS_EACH(REALS_ROW){NULL, NULL, 0, NULL}};

static const double DAMPING = 0.75, HALF = 0.5, FIRST = 1;

/* The exact ranks, but for double's rounding, and what is below 2^-70 of the whole. */
static double *exact_ranks(const ordo_csr *rows, double damping)
{
    enum { ITERATIONS = 180 };
    double *x = contract_alloc(rows->n, sizeof *x), *next = contract_alloc(rows->n, sizeof *next);
    for (int i = 0; i < ITERATIONS; i++) {
        for (ordo_vid v = 0; v < rows->n; v++)
            next[v] = FIRST;
        for (ordo_vid u = 0; u < rows->n; u++)
            for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++)
                next[rows->head[e * rows->stride]] += damping * x[u] / (double)(rows->row[u + 1] - rows->row[u]);
        double *swap = x;
        x = next;
        next = swap;
    }
    free(next);
    return x;
}

/* Six layers of sixteen vertices; each has one, two or four edges into the next layer. With HALF as damping all shares
 * are multiples of 2^-15 below 32, so cells of 24 bits hold every sum exactly, in any order. A layer's ids lie six
 * apart, so most edges lead to another rank where there are several. */
enum { LAYERS = 6, WIDTH = 16, FINEST = 1 << 15 };
static ordo_graph *layered_graph(ordo_u64 seed)
{
    ordo_edge_entry edge[LAYERS * WIDTH * 4];
    edge_list list = {.n = LAYERS * WIDTH, .edge = edge};
    for (ordo_vid layer = 0; layer + 1 < LAYERS; layer++)
        for (ordo_vid i = 0; i < WIDTH; i++) {
            const ordo_vid degree = 1u << next_random(&seed) % 3, first = (ordo_vid)(next_random(&seed) % WIDTH);
            for (ordo_vid k = 0; k < degree; k++)
                edge[list.count++] =
                    (ordo_edge_entry){.tail = i * LAYERS + layer, .head = (first + k) % WIDTH * LAYERS + layer + 1};
        }
    return family_graph(&list, ORDO_NONE, ORDO_AS_STORED);
}

/* Each check: runs from all vertices; residuals are below the least, and ranks lack no more than what was not pushed,
 * which the residuals sum up to, and what rounding may have lost. */
#define REALS_CHECK(_type, _epsilon)                                                                                   \
    static void run_##_type(trial *t, ordo_graph *g, const push_##_type##_state *state, ordo_##_type *residual)        \
    {                                                                                                                  \
        const ordo_u64 n = ordo_graph_out(g)->n;                                                                       \
        ordo_work work = {.graph = g, .cells = residual, .state = state, .num_items = n, .targets = n};                \
        for (ordo_u64 v = 0; v < n; v++) {                                                                             \
            residual[v] = (ordo_##_type)FIRST;                                                                         \
            state->rank[v] = 0;                                                                                        \
        }                                                                                                              \
        contract_run(t, &work);                                                                                        \
    }                                                                                                                  \
    static void check_exact_##_type(trial *t)                                                                          \
    {                                                                                                                  \
        ordo_##_type residual[LAYERS * WIDTH], rank[LAYERS * WIDTH];                                                   \
        ordo_graph *g = layered_graph(t->seed);                                                                        \
        const ordo_csr *rows = ordo_graph_out(g);                                                                      \
        const push_##_type##_state state = {rows->row, rank, (ordo_##_type)(FIRST / FINEST), (ordo_##_type)HALF};      \
        double *x = exact_ranks(rows, HALF);                                                                           \
        run_##_type(t, g, &state, residual);                                                                           \
        for (ordo_vid v = 0; v < rows->n; v++)                                                                         \
            if (residual[v] != 0 || (double)rank[v] != x[v])                                                           \
                contract_fail(t, "sums without rounding differ from the exact ones");                                  \
        free(x);                                                                                                       \
        ordo_graph_free(g);                                                                                            \
    }                                                                                                                  \
    static void check_##_type(trial *t, const edge_list *list)                                                         \
    {                                                                                                                  \
        ordo_graph *g = family_graph(list, ORDO_NONE, contract_direction(t));                                          \
        const ordo_csr *rows = ordo_graph_out(g);                                                                      \
        const ordo_u64 n = list->n;                                                                                    \
        ordo_##_type *residual = contract_alloc(n, sizeof *residual), *rank = contract_alloc(n, sizeof *rank);         \
        const push_##_type##_state state = {rows->row, rank, (ordo_##_type)(FIRST / (double)(2 + t->seed % 1000)),     \
                                            (ordo_##_type)DAMPING};                                                    \
        double *x = exact_ranks(rows, DAMPING), left = 0, missing = 0, whole = 0;                                      \
        if (t->family == family_names[0])                                                                              \
            check_exact_##_type(t);                                                                                    \
        run_##_type(t, g, &state, residual);                                                                           \
        for (ordo_u64 v = 0; v < n; v++) {                                                                             \
            if (!(residual[v] < state.least))                                                                          \
                contract_fail(t, "a residual that is not below the least was left");                                   \
            left += (double)residual[v];                                                                               \
            missing += x[v] - (double)rank[v];                                                                         \
            whole += x[v];                                                                                             \
        }                                                                                                              \
        const double slack = (double)(t->stats.edges + t->stats.items + n) * (_epsilon)*whole + 1e-9 * whole;          \
        if (missing < -slack || missing * (1 - DAMPING) > left + slack)                                                \
            contract_fail(t, "ranks are not as far from the exact ones as the residuals say");                         \
        if (ask_for_pull(t)) {                                                                                         \
            run_##_type(t, g, &state, residual);                                                                       \
            ordo_##_type *before = contract_alloc(n, sizeof *before);                                                  \
            memcpy(before, rank, n * sizeof *rank);                                                                    \
            t->options.threads = t->options.threads % 4 + 1;                                                           \
            run_##_type(t, g, &state, residual);                                                                       \
            if (memcmp(before, rank, n * sizeof *rank) != 0)                                                           \
                contract_fail(t, "other bits in a second run that pulls");                                             \
            free(before);                                                                                              \
        }                                                                                                              \
        free(residual);                                                                                                \
        free(rank);                                                                                                    \
        free(x);                                                                                                       \
        ordo_graph_free(g);                                                                                            \
    }

/* Under bsp asks for direction=pull; false under others, over ranks, or where the trial has a direction. */
static bool ask_for_pull(trial *t)
{
    if (t->options.group)
        return false;
    for (size_t i = 0; i < t->options.setting_count; i++)
        if (strstr(t->settings[i], "direction="))
            return false;
    if (strcmp(t->options.scheduler, "bsp") != 0 || t->options.setting_count >= ORDO_MAX_TUNABLES)
        return false;
    t->settings[t->options.setting_count++] = "direction=pull";
    t->options.settings = t->settings;
    return true;
}

REALS_EACH(REALS_CHECK)
