#include <ordo/scheduler/scheduler.h>

#include "tunables.h"

static const ordo_pairing pairings[] = {
    {ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, ORDO_MONOTONE},
    {ORDO_KIND_RELAX, ORDO_SYNC_LOCK, ORDO_MONOTONE},
    /* A lost update is harmless where all candidates of a superstep are equal. */
    {ORDO_KIND_RELAX, ORDO_SYNC_RACY, ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_UNIFORM | ORDO_SELECTIVE},
    {ORDO_KIND_CRITICAL, ORDO_SYNC_LOCK, 0},
    {ORDO_KIND_RELAX, ORDO_SYNC_RACE, ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_SELECTIVE},
    {ORDO_KIND_CRITICAL, ORDO_SYNC_OWNER, 0},
    {ORDO_KIND_CRITICAL, ORDO_SYNC_RACE, 0},
    {ORDO_KIND_GATHER, ORDO_SYNC_RACY, 0}, /* a cell has one writer */
    {0, ORDO_SYNC_DEFAULT, 0},
};

static const ordo_tunable tunables[] = {BSP_TUNABLES(ORDO_TUNABLE_ROW) BSP_CONSTANTS(ORDO_TUNABLE_ROW)};

/* Two bins for each thread, whose capacity doubles, and two bitmaps for pulling; with append= lists of all items,
 * a word for each of them, and places for edges. */
static void memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most)
{
    const int append = (int)tunable[BSP_APPEND];
    const bool listed = append != BSP_BUFFER || (int)tunable[BSP_DEDUP] == BSP_ONCE;
    const ordo_u64 lists = listed ? 2 * n * entry + 8 * n : 0, places = append == BSP_SCATTER ? 4 * m + 8 * (n + 1) : 0;
    *expected = 2 * n * entry + n / 4 + (ordo_u64)threads * (256 * entry + 512) + lists + places;
    *at_most = 4 * (n + m) * entry + n / 4 + (ordo_u64)threads * (256 * entry + 512) + lists + places +
               4 * n * sizeof(ordo_request);
}

/* Ways of listing what is activated, other than the default ones. */
static ordo_status check_lists(const ordo_operator *op, int item, const double *tunable)
{
    static const char *const append[] = {"", "append=atomic", "append=warp", "append=prefix", "append=scatter"};
    const int way = (int)tunable[BSP_APPEND], dedup = (int)tunable[BSP_DEDUP];
    const char *set = way                                       ? append[way]
                      : dedup == BSP_ONCE                       ? "dedup=on"
                      : dedup == BSP_EACH                       ? "dedup=off"
                      : (int)tunable[BSP_BALANCE] == BSP_DONATE ? "balance=donate"
                                                                : NULL;
    const unsigned needs = ORDO_IDEMPOTENT | ORDO_SELECTIVE;
    if (!set)
        return ORDO_OK;
    if (op->kind != ORDO_KIND_RELAX)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'bsp' with %s lists what relax operators activate; '%s' is %s %s",
                         set, op->name, op->kind == ORDO_KIND_GATHER ? "a gather" : "a critical", "operator");
    if (item == ORDO_ITEMS_EDGES)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'bsp' with %s lists vertices, found edges as items", set);
    if ((int)tunable[BSP_DIRECTION] == BSP_PULL)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'bsp' with %s lists what is pushed, found direction=pull", set);
    if (way == BSP_SCATTER && op->properties & ORDO_GROWING)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'bsp' with append=scatter has a place for each edge of the graph; "
                         "'%s' adds edges",
                         op->name);
    if (dedup == BSP_EACH && way == BSP_SCATTER)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'bsp' with append=scatter has a place for each edge, so an item "
                                           "is listed once; found dedup=off");
    if (dedup == BSP_EACH && needs & ~op->properties)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'bsp' with dedup=off may process an item twice, which needs an idempotent, "
                         "selective operator; '%s' is not",
                         op->name);
    return ORDO_OK;
}

static ordo_status check(const ordo_operator *op, int item, const double *tunable)
{
    const ordo_status lists = check_lists(op, item, tunable);
    if (lists)
        return lists;
    if (op->kind == ORDO_KIND_GATHER)
        return (int)tunable[BSP_DIRECTION] != BSP_PUSH
                   ? ORDO_OK
                   : ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'bsp' with direction=push: '%s' gathers, and never pushes",
                               op->name);
    if ((int)tunable[BSP_DIRECTION] == BSP_PULL && item == ORDO_ITEMS_EDGES)
        return ordo_operator_check_pull(op, item, "bsp");
    const unsigned gathers = ORDO_EDGE_BLIND | ORDO_SELECTIVE; /* sums are not selective */
    if ((int)tunable[BSP_DIRECTION] != BSP_PULL || (op->properties & gathers) == ORDO_EDGE_BLIND)
        return ORDO_OK;
    if (!op->knows_final)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'bsp' with direction=pull needs an operator with ORDO_RELAX_FINAL; '%s' has none",
                         op->name);
    return ordo_operator_check_pull(op, item, "bsp");
}

/* Predicted times, rounded from the tables of docs/results.md and docs/lab, and estimated where they have no figure.
 * Supersteps have no order, so they are fastest where an order gains nothing: items that activate nothing, levels of
 * equal candidates, cells without weights on a CPU. On a GPU every superstep costs a barrier, so long paths are slow;
 * and where degrees are even, changing the direction gains nothing. */
static void suit(const ordo_situation *s, ordo_sync sync, ordo_fit *out)
{
    static const double levels_cpu[ORDO_GRAPH_KINDS] = {1.1, 1, 1}, levels_gpu[ORDO_GRAPH_KINDS] = {5, 1.7, 1};
    static const double weights_cpu[ORDO_GRAPH_KINDS] = {2.6, 2, 1.7}, weights_gpu[ORDO_GRAPH_KINDS] = {8, 5.5, 2.1};
    const ordo_operator *op = s->op;
    if (op->kind == ORDO_KIND_GATHER)
        *out = (ordo_fit){s->on_gpu && s->graph_kind != ORDO_GRAPH_EVEN ? 1 : 1.3, "double-buffered rounds"};
    else if (sync == ORDO_SYNC_RACE)
        *out = (ordo_fit){4, "two barriers and more for what an atomic or a lock does at once"};
    else if (op->kind == ORDO_KIND_CRITICAL && sync == ORDO_SYNC_OWNER)
        *out = (ordo_fit){3, "one owner for every target, which waits for memory section by section"};
    else if (op->kind == ORDO_KIND_CRITICAL)
        *out = (ordo_fit){1, "locks, items straight from a list"};
    else if (!op->activates || !s->has_rows)
        *out = (ordo_fit){1, "one superstep, for nothing is activated"};
    else if (op->properties & ORDO_UNIFORM && s->on_gpu && ordo_even_few_levels(s))
        *out = (ordo_fit){0.8, "few levels, of which supersteps pull the large ones"};
    else if (op->properties & ORDO_UNIFORM)
        *out = (ordo_fit){s->on_gpu ? levels_gpu[s->graph_kind] : levels_cpu[s->graph_kind] + ordo_levels_cost(s),
                          "direction-optimising supersteps"};
    else if (s->on_gpu && ordo_even_long_rows(s))
        *out = (ordo_fit){1.3, "supersteps without an order"};
    else if (!s->on_gpu && op->weight == ORDO_NONE)
        *out = (ordo_fit){1, "supersteps, for no order gains anything"};
    else
        *out = (ordo_fit){(s->on_gpu ? weights_gpu : weights_cpu)[s->graph_kind], "supersteps without an order"};
}

extern const ordo_scheduler ordo_scheduler_bsp;
const ordo_scheduler ordo_scheduler_bsp = {
    .interface = ORDO_SCHEDULER_INTERFACE,
    .name = "bsp",
    .summary = "double-buffered supersteps; direction-optimising where the operator allows it",
    .paper = "Valiant, CACM 1990; Nasre et al., GPGPU-6, 2013, section 3; Beamer et al., SC 2012 (direction)",
    .pairings = pairings,
    ORDO_TUNABLES(tunables, BSP_TUNABLE_COUNT, BSP_ROWS),
    .growing = 1u << ORDO_ON_CPU,
    .memory = memory,
    .check = check,
    .edge_items = 1u << ORDO_ON_CPU,
    .distributed = 1u << ORDO_ON_CPU | 1u << ORDO_ON_CUDA,
    .gathers_distributed = 1u << ORDO_ON_CPU | 1u << ORDO_ON_CUDA,
    .sums_distributed = 1u << ORDO_ON_CPU | 1u << ORDO_ON_CUDA,
    .suit = suit,
};
