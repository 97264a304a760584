/* flows.c -- references of maximum flow's operators: discharge against augmenting paths, relabel against a loop over
 * residual edges.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operators/discharge.h"
#include "operators/relabel.h"

#include "contract.h"

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
    net->row = contract_alloc(net->n + 2, 8);
    net->reverse = contract_alloc(net->m, 8);
    net->head = contract_alloc(net->m, 4);
    net->capacity = contract_alloc(net->m, 8);
    for (ordo_u64 e = 0; e < list->count; e++) {
        net->row[list->edge[e].tail + 1]++;
        net->row[list->edge[e].head + 1]++;
    }
    for (ordo_u64 v = 0; v < net->n; v++)
        net->row[v + 1] += net->row[v];
    ordo_eid *at = contract_alloc(net->n, 8);
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

static void network_free(network *net)
{
    free(net->row);
    free(net->reverse);
    free(net->head);
    free(net->capacity);
}

static ordo_u64 augmenting_paths(const network *net, ordo_vid source, ordo_vid sink)
{
    ordo_u64 value = 0;
    ordo_u64 *residual = contract_alloc(net->m, 8);
    ordo_eid *via = contract_alloc(net->n, 8);
    ordo_vid *queue = contract_alloc(net->n, 4);
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

/* Distances to the sink along residual edges; n where there is no path, and at the source. */
static void exact_heights(const network *net, const discharge_edge *edge, ordo_vid source, ordo_vid sink,
                          ordo_u32 *height)
{
    ordo_vid *queue = contract_alloc(net->n, 4);
    ordo_u64 head = 0, tail = 0;
    for (ordo_vid v = 0; v < net->n; v++)
        height[v] = (ordo_u32)net->n;
    height[sink] = 0;
    queue[tail++] = sink;
    while (head < tail) {
        const ordo_vid v = queue[head++];
        for (ordo_eid e = net->row[v]; e < net->row[v + 1]; e++)
            if (edge[edge[e].reverse].residual && height[edge[e].head] == net->n && edge[e].head != source) {
                height[edge[e].head] = height[v] + 1;
                queue[tail++] = edge[e].head;
            }
    }
    free(queue);
}

/* Half of the trials end early by a budget and go on from there, as apps do, and count vertices at heights; the others
 * are one run to the end. Heights are never computed anew here. */
static void check_discharge(trial *t, const edge_list *list, bool apart)
{
    if (list->n < 2)
        return;
    network net;
    network_make(list, &net);
    ordo_vid source = 0, sink = (ordo_vid)(list->n - 1);
    ordo_u32 *row = contract_alloc(net.n + 1, 4), *height = contract_alloc(net.n, 4),
             *current = contract_alloc(net.n, 4), *count = contract_alloc(net.n + 1, 4);
    ordo_u64 *excess = contract_alloc(net.n, 8), active = 1, work = 0;
    discharge_edge *edge = contract_alloc(net.m, sizeof *edge);
    ordo_item *initial = contract_alloc(net.n, 4);
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
                             .heights = (ordo_u32)net.n + 1,
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
            .state = &state, .num_items = net.n, .targets = net.n, .initial = initial, .initial_count = active};
        contract_run(t, &w);
        if (apart) { /* goes on until exact distances leave no active vertex */
            exact_heights(&net, edge, source, sink, height);
            memcpy(current, row, net.n * 4);
            continue;
        }
        if (t->seed % 2)
            break;
        if (active && progress.work == 0 && progress.limit == net.n && ++work > 1000000)
            contract_fail(t, "active vertices are left, and no work is done");
    }
    ordo_u64 expected = augmenting_paths(&net, source, sink), held = 0;
    if (excess[sink] != expected) {
        char text[96];
        snprintf(text, sizeof text, "flow is %llu, expected %llu", (unsigned long long)excess[sink],
                 (unsigned long long)expected);
        contract_fail(t, text);
    }
    for (ordo_u64 e = 0; e < net.m; e++)
        if (edge[e].residual + edge[edge[e].reverse].residual != net.capacity[e] + net.capacity[net.reverse[e]])
            contract_fail(t, "two residuals do not add up to what they did");
    for (ordo_u32 e = row[source]; e < row[source + 1]; e++)
        held += net.capacity[e] - edge[e].residual;
    for (ordo_vid v = 0; v < net.n; v++)
        held -= v == source ? 0 : excess[v];
    if (held)
        contract_fail(t, "excess was made or lost");
    free(row);
    free(height);
    free(current);
    free(count);
    free(excess);
    free(edge);
    free(initial);
    network_free(&net);
}

void contract_discharge(trial *t, const edge_list *list)
{
    check_discharge(t, list, false);
}

/* Here heights are computed anew after every run, as they must be. */
void contract_discharge_apart(trial *t, const edge_list *list)
{
    check_discharge(t, list, true);
}

/* ---- relabel: distances to one vertex over residual edges, by a loop over all edges ---- */

void contract_relabel(trial *t, const edge_list *list)
{
    network net;
    network_make(list, &net);
    const ordo_u64 n = net.n;
    ordo_u64 r = t->seed + 4;
    ordo_u8 *residual = contract_alloc(net.m, 1), *open = contract_alloc(net.m, 1);
    ordo_u32 *expected = contract_alloc(n, 4), *height = contract_alloc(n, 4);
    const ordo_item to = (ordo_item)(t->seed % (n ? n : 1));
    /* the excluded vertex: a flow's source; none for the way back to it */
    const ordo_vid shut = n > 1 && t->seed % 3 ? (ordo_vid)((to + 1 + next_random(&r) % (n - 1)) % n) : ORDO_NO_VERTEX;
    for (ordo_u64 e = 0; e < net.m; e++)
        residual[e] = next_random(&r) % 4 != 0;
    for (ordo_u64 e = 0; e < net.m; e++)
        open[e] = residual[net.reverse[e]];
    for (ordo_u64 v = 0; v < n; v++)
        expected[v] = height[v] = v == to ? 0 : ORDO_NO_VERTEX;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 u = 0; u < n; u++)
            for (ordo_eid e = net.row[u]; e < net.row[u + 1]; e++) {
                const ordo_u32 h = expected[net.head[e]];
                if (residual[e] && u != shut && h != ORDO_NO_VERTEX && h + 1 < expected[u]) {
                    expected[u] = h + 1;
                    changed = true;
                }
            }
    }
    const ordo_csr csr = {
        .n = (ordo_vid)n, .m = net.m, .row = net.row, .head = net.head, .stride = 1, .weight_type = ORDO_NONE};
    ordo_graph *g;
    if (ordo_graph_borrow(&csr, true, &g))
        contract_fail(t, ordo_last_error());
    const relabel_state state = {open, shut};
    contract_run_cells(t, g, &state, t->seed % 5 ? &to : NULL, height, expected);
    free(residual);
    free(open);
    network_free(&net);
}
