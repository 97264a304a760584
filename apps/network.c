/* network.c -- makes the pairs of residual edges of a graph, computes the exact distances of a global relabel, and
 * derives the flow on each edge of the graph from residuals.
 *
 * Method. The row of a vertex is merged from its out-edges and its in-edges, both in ascending order of the other end,
 * so memory is read and written sequentially; where each edge has its reverse, the graph's own rows will do. Only the
 * pairing of edges has random accesses, through two cursors for each vertex. A global relabel is a breadth-first search
 * against the direction of residual edges.
 *
 * Not done: several threads, except for the flow on each edge. network.cu makes the same rows and edges on a GPU.
 */
#include "apps/network.h"

#include <string.h>

#include <ordo/memory.h>

#include "apps/common.h"
#include "framework/graph/graph.h"

/* ---- input ---- */

/* The edge of the graph that is at index e of its sorted rows, or of the in-rows of those. */
static inline ordo_eid edge_of(const ordo_network *net, const ordo_csr *rows, ordo_eid e)
{
    return net->sorted ? ((const ordo_u32 *)rows->weight)[e * rows->stride] : e;
}

static inline ordo_u64 capacity_of(const ordo_network *net, const ordo_csr *rows, ordo_eid e)
{
    const ordo_u64 word = net->sorted ? ordo_weight_word(net->g, edge_of(net, rows, e)) : ordo_weight_word(rows, e);
    return net->declared && word == net->declared ? net->infinite : word;
}

static bool is_infinite(const ordo_network *net, const ordo_csr *g, ordo_eid e)
{
    return net->declared && ordo_weight_word(g, e) == net->declared;
}

/* Below 0 where a weight is negative. */
static ordo_i64 capacity_given(const ordo_csr *g, ordo_eid e)
{
    const ordo_u64 word = ordo_weight_word(g, e);
    return g->weight_type == ORDO_I32 ? (ordo_i32)(ordo_u32)word : (ordo_i64)word;
}

/* That no capacity is negative; and of capacities of 64 bits that what is finite adds up to less than 2^62, so that no
 * residual and no excess has more bits than its word. Fewer than 2^31 of 32 bits add up to less than 2^63. */
static ordo_status check_capacities(const ordo_csr *g, ordo_u64 declared)
{
    const bool is_signed = g->weight_type == ORDO_I32 || g->weight_type == ORDO_I64;
    ordo_u64 sum = 0;
    for (ordo_vid u = 0; is_signed && u < g->n; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_i64 capacity = capacity_given(g, e);
            if (capacity < 0)
                return ordo_fail(ORDO_ERR_NEGATIVE_WEIGHT, "edge %u -> %u has capacity %lld, expected none below 0", u,
                                 g->head[e * g->stride], (long long)capacity);
            if (declared && (ordo_u64)capacity == declared)
                continue;
            sum += (ordo_u64)capacity; /* below 2^62 + 2^63 */
            if (sum >> 62)
                return ordo_fail(ORDO_ERR_OVERFLOW, "finite capacities add up to 2^62 or more");
        }
    return ORDO_OK;
}

static ordo_status check_input(const ordo_graph *graph, ordo_vid source, ordo_vid sink, ordo_u64 declared)
{
    const ordo_csr *g = ordo_graph_out(graph);
    if (source == ORDO_NO_VERTEX || sink == ORDO_NO_VERTEX)
        return ordo_fail(ORDO_ERR_USAGE, "no %s given, and the graph names none",
                         source == ORDO_NO_VERTEX ? "source" : "sink");
    if (source >= g->n || sink >= g->n)
        return ordo_fail(ORDO_ERR_USAGE, "%s %u, expected a vertex below %u", source >= g->n ? "source" : "sink",
                         source >= g->n ? source : sink, g->n);
    if (source == sink)
        return ordo_fail(ORDO_ERR_USAGE, "source and sink are both %u, expected two vertices", source);
    if (g->m >= (ordo_u64)1 << 31)
        return ordo_fail(ORDO_ERR_INPUT, "the graph has %llu stored edges; maxflow takes fewer than 2^31",
                         (unsigned long long)g->m);
    if (g->weight_type == ORDO_F32 || g->weight_type == ORDO_F64)
        return ordo_fail(ORDO_ERR_INPUT, "capacities are of type %s, expected whole numbers",
                         ordo_type_text(g->weight_type));
    const ordo_u64 most = g->weight_type == ORDO_I64 ? INT64_MAX : UINT32_MAX;
    if (declared > most)
        return ordo_fail(ORDO_ERR_USAGE, "infinite capacity %llu, expected a number below 2^%d",
                         (unsigned long long)declared, g->weight_type == ORDO_I64 ? 63 : 32);
    return check_capacities(g, declared);
}

/* The edges that leave the set of vertices which infinite edges reach from the source are a finite cut, if the sink is
 * not in that set. Uses height[] for marks. */
static ordo_status find_infinite(ordo_network *net)
{
    const ordo_csr *g = net->g;
    ordo_u64 sum = 0, tail = 0, from_source = 0;
    if (!net->declared)
        return ORDO_OK;
    memset(net->height, 0, net->n * sizeof *net->height);
    net->queue[tail++] = net->source;
    net->height[net->source] = 1;
    for (ordo_u64 head = 0; head < tail; head++) {
        ordo_vid u = net->queue[head];
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            if (!is_infinite(net, g, e) || net->height[v])
                continue;
            if (v == net->sink)
                return ordo_fail(ORDO_ERR_OVERFLOW,
                                 "the flow is unbounded: a path of edges of infinite capacity leads from source %u to "
                                 "sink %u",
                                 net->source, net->sink);
            net->height[v] = 1;
            net->queue[tail++] = v;
        }
    }
    for (ordo_u64 i = 0; i < tail; i++) {
        ordo_vid u = net->queue[i];
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
            if (!net->height[g->head[e * g->stride]])
                sum += ordo_weight_word(g, e);
    }
    net->infinite = sum + 1; /* of the finite capacities: see check_capacities() */
    if (net->infinite >> 62)
        return ordo_fail(ORDO_ERR_OVERFLOW, "finite capacities around source %u add up to 2^62 or more", net->source);
    for (ordo_eid e = g->row[net->source]; e < g->row[net->source + 1]; e++)
        if (__builtin_add_overflow(from_source, is_infinite(net, g, e) ? net->infinite : ordo_weight_word(g, e),
                                   &from_source) ||
            from_source >> 63)
            return ordo_fail(ORDO_ERR_OVERFLOW,
                             "capacities out of source %u add up to 2^63 or more: its infinite ones count as %llu each",
                             net->source, (unsigned long long)net->infinite);
    return ORDO_OK;
}

/* ---- residual edges ---- */

/* Whether the edges of a row are put in random order. */
static bool is_mixed(const ordo_network *net, ordo_vid x)
{
    return net->row[x + 1] - net->row[x] <= ORDO_NETWORK_MIXED;
}

static bool is_sorted(const ordo_csr *g)
{
    for (ordo_vid u = 0; u < g->n; u++)
        for (ordo_eid e = g->row[u] + 1; e < g->row[u + 1]; e++)
            if (g->head[e * g->stride] < g->head[(e - 1) * g->stride])
                return false;
    return true;
}

/* A copy of the edges in sorted rows, with the index of each edge as its weight. */
static ordo_status sorted_copy(const ordo_csr *g, int threads, ordo_graph **out)
{
    ordo_edge_entry *list = ordo_alloc(g->m, sizeof *list);
    if (!list)
        return ORDO_ERR_MEMORY;
    for (ordo_vid u = 0; u < g->n; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
            list[e] = (ordo_edge_entry){u, g->head[e * g->stride], (ordo_u32)e};
    ordo_status status = ordo_graph_from_edges(g->n, list, g->m, ORDO_U32, ORDO_AS_STORED, threads, out);
    ordo_free(list);
    return status;
}

/* The sum of the capacities of all edges of a row that have the head of edge *e; at most the capacity of an infinite
 * edge. Advances *e to the next edge with another head, or to `end`. */
static inline ordo_u64 take_head(const ordo_network *net, const ordo_csr *g, ordo_eid *e, ordo_eid end)
{
    const ordo_vid v = g->head[*e * g->stride];
    ordo_u64 sum = 0;
    do {
        sum += capacity_of(net, g, *e);
        if (net->declared && sum > net->infinite)
            sum = net->infinite;
    } while (++*e < end && g->head[*e * g->stride] == v);
    return sum;
}

/* Makes the residual edges of a vertex: for each neighbour the capacity of the edges to it, and in `reverse`, for now,
 * whether edges from it have capacity. Edges with capacity come first, edges that can only return flow last: of two
 * heads of equal height a relabel then selects the one with capacity. Otherwise excess moves back and forth between two
 * vertices, and each push makes a relabel of the other vertex necessary. */
static ordo_u32 fill_row(ordo_network *net, const ordo_csr *g, const ordo_csr *in, ordo_vid x, ordo_u32 to,
                         discharge_edge *capacity)
{
    ordo_eid e = g->row[x], end = g->row[x + 1], back = in->row[x], back_end = in->row[x + 1];
    ordo_u32 only_back = 0;
    while (e < end || back < back_end) {
        ordo_u64 a = e < end ? g->head[e * g->stride] : ~(ordo_u64)0;
        ordo_u64 b = back < back_end ? in->head[back * in->stride] : ~(ordo_u64)0;
        ordo_u64 there = a <= b ? take_head(net, g, &e, end) : 0;
        ordo_u64 here = b <= a ? take_head(net, in, &back, back_end) : 0;
        discharge_edge entry = {.head = (ordo_vid)(a < b ? a : b), .reverse = here > 0, .residual = there};
        if (entry.head == x || !(there | here))
            continue;
        if (there)
            net->edge[to++] = entry;
        else
            capacity[only_back++] = entry;
    }
    net->out[x] = to;
    memcpy(&net->edge[to], capacity, only_back * sizeof *capacity);
    return to + only_back;
}

/* Pairs residual edges. Rows are traversed in order and are sorted by head, so the reverse of an edge is the next
 * unpaired edge in its part (with capacity, or without) of the row of its head. `believed`: the rows were said to be
 * those of a symmetric graph, and are checked; each check is a random access. */
static ordo_status pair_edges(ordo_network *net, bool believed)
{
    ordo_u32 *next[2] = {net->queue, net->current}; /* the next unpaired edges: without capacity, with it */
    for (ordo_vid x = 0; x < net->n; x++) {
        next[1][x] = net->row[x];
        next[0][x] = net->out[x];
    }
    for (ordo_vid x = 0; x < net->n; x++)
        for (ordo_u32 e = net->row[x]; e < net->row[x + 1]; e++) {
            const ordo_vid w = net->edge[e].head;
            const ordo_u32 holds = net->edge[e].reverse, at = next[holds][w]++;
            if (believed && (at >= (holds ? net->out[w] : net->row[w + 1]) || net->edge[at].head != x))
                return ordo_fail(ORDO_ERR_INPUT,
                                 "edge %u -> %u has no reverse of the same weight, in a graph said to be symmetric", w,
                                 x);
            net->edge[e].reverse = at;
        }
    return ORDO_OK;
}

/* The residual edges of a graph in which each edge has its reverse, and none is a loop, parallel to another, out of
 * order or without capacity, as undirected graphs are mostly given. They are the graph's own, paired as above, and
 * in-rows are not needed. False, mostly after a few edges, for another graph. */
static bool own_rows(ordo_network *net)
{
    const ordo_csr *g = net->g;
    ordo_u32 *next = net->queue;
    for (ordo_vid x = 0; x < g->n; x++)
        net->row[x] = next[x] = (ordo_u32)g->row[x];
    net->row[g->n] = (ordo_u32)g->m;
    memcpy(net->out, net->row + 1, g->n * sizeof *net->out);
    for (ordo_vid x = 0; x < g->n; x++)
        for (ordo_eid e = g->row[x], to; e < g->row[x + 1]; e = to) {
            const ordo_vid w = g->head[e * g->stride];
            const ordo_u32 at = next[w]++;
            to = e;
            const ordo_u64 there = take_head(net, g, &to, g->row[x + 1]);
            if (!there || to != e + 1 || w == x || at >= net->row[w + 1] || g->head[(ordo_u64)at * g->stride] != x)
                return false;
            net->edge[e] = (discharge_edge){w, at, there};
        }
    return true;
}

static void swap_edges(ordo_network *net, ordo_u32 a, ordo_u32 b)
{
    const discharge_edge edge = net->edge[a];
    net->edge[a] = net->edge[b];
    net->edge[b] = edge;
    net->edge[net->edge[a].reverse].reverse = a; /* never edge a or b itself: the heads of a row differ */
    net->edge[net->edge[b].reverse].reverse = b;
}

/* Shuffles rows. Excess is pushed along the first edge that leads to a lower height. If all rows have the same order,
 * excess moves in the same direction everywhere, and back again: a grid takes three to five times as many pushes. So
 * each part of a row is put in a pseudo-random order, which is the same in every run. Long rows, those of terminals and
 * hubs, stay in ascending order, so that searches access the heads' heights at ascending addresses. */
static void mix_rows(ordo_network *net)
{
    for (ordo_vid x = 0; x < net->n; x++) {
        const ordo_u32 from[3] = {net->row[x], net->out[x], net->row[x + 1]};
        for (int part = 0; part < 2 && is_mixed(net, x); part++)
            for (ordo_u32 left = from[part + 1] - from[part]; left > 1; left--) {
                const ordo_u32 a = from[part] + left - 1;
                const ordo_u32 b = from[part] + (ordo_u32)ordo_below(ordo_scramble(a), left);
                if (a != b)
                    swap_edges(net, a, b);
            }
    }
}

static ordo_status make_rows(ordo_network *net, const ordo_csr *in)
{
    ordo_u64 widest = 1;
    ordo_u32 to = 0;
    for (ordo_vid x = 0; x < net->n; x++)
        if (in->row[x + 1] - in->row[x] > widest)
            widest = in->row[x + 1] - in->row[x];
    discharge_edge *capacity = ordo_alloc(widest, sizeof *capacity);
    if (!capacity)
        return ORDO_ERR_MEMORY;
    for (ordo_vid x = 0; x < net->n; x++) {
        net->row[x] = to;
        to = fill_row(net, net->rows, in, x, to, capacity);
    }
    net->row[net->n] = to;
    ordo_free(capacity);
    return pair_edges(net, in == net->rows);
}

/* Rows that are merged, from sorted ones. */
static ordo_status merge_rows(ordo_network *net, const ordo_graph *graph, int threads)
{
    const ordo_csr *in;
    ordo_status status = ordo_graph_in(graph, threads, &in);
    if (!status && !(is_sorted(net->g) && is_sorted(in))) {
        status = sorted_copy(net->g, threads, &net->sorted);
        if (!status)
            status = ordo_graph_in(net->sorted, threads, &in);
        if (!status)
            net->rows = ordo_graph_out(net->sorted);
    }
    return status ? status : make_rows(net, in);
}

ordo_status ordo_network_begin(const ordo_graph *graph, ordo_vid source, ordo_vid sink, ordo_u64 declared,
                               ordo_network *out)
{
    ordo_status status = check_input(graph, source, sink, declared);
    const ordo_csr *g = ordo_graph_out(graph);
    if (status)
        return status;
    ordo_network net = {
        .g = g, .rows = g, .n = g->n, .source = source, .sink = sink, .fixed = source, .declared = declared};
    net.row = ordo_alloc((ordo_u64)g->n + 1, sizeof *net.row);
    net.out = ordo_alloc(g->n, sizeof *net.out);
    net.edge = ordo_alloc(2 * g->m, sizeof *net.edge);
    net.height = ordo_alloc(g->n, sizeof *net.height);
    net.current = ordo_alloc(g->n, sizeof *net.current);
    net.excess = ordo_alloc_zero(g->n, sizeof *net.excess);
    net.queue = ordo_alloc(g->n, sizeof *net.queue);
    net.pushed = ordo_alloc_zero(g->n, sizeof *net.pushed);
    if (!net.row || !net.out || !net.edge || !net.height || !net.current || !net.excess || !net.queue || !net.pushed)
        status = ORDO_ERR_MEMORY;
    if (!status)
        status = find_infinite(&net);
    if (status)
        ordo_network_free(&net);
    else
        *out = net;
    return status;
}

ordo_status ordo_network_fill(ordo_network *net, const ordo_graph *graph, int threads)
{
    const ordo_status status = own_rows(net) ? ORDO_OK : merge_rows(net, graph, threads);
    if (!status)
        mix_rows(net);
    return status;
}

ordo_status ordo_network_make(const ordo_graph *graph, ordo_vid source, ordo_vid sink, ordo_u64 declared, int threads,
                              ordo_network *out)
{
    ordo_network net;
    ordo_status status = ordo_network_begin(graph, source, sink, declared, &net);
    if (status)
        return status;
    status = ordo_network_fill(&net, graph, threads);
    if (status)
        ordo_network_free(&net);
    else
        *out = net;
    return status;
}

void ordo_network_free(ordo_network *net)
{
    void *all[] = {net->row, net->out, net->edge, net->height, net->current, net->excess, net->queue, net->pushed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ordo_free(all[i]);
    ordo_graph_free(net->sorted);
    *net = (ordo_network){0};
}

ordo_u64 ordo_network_memory(ordo_u64 n, ordo_u64 m)
{
    return n * (5 * sizeof(ordo_u32) + sizeof(ordo_u64) + sizeof(bool)) + 2 * m * sizeof(discharge_edge) + 4096;
}

/* ---- the first preflow, and global relabels ---- */

enum {
    FAR_MORE = 4, /* the source holds its excess if so many times what can enter the sink can leave it */
    FEW = 64      /* a search does not go on beyond vertices with excess that are fewer than one of so many */
};

/* The residuals out of a vertex, or into it, as far as they add up to less than 2^63. */
static ordo_u64 capacity_at(const ordo_network *net, ordo_vid v, bool into)
{
    ordo_u64 sum = 0;
    for (ordo_u32 e = net->row[v]; e < net->row[v + 1] && !(sum >> 63); e++)
        sum += net->edge[into ? net->edge[e].reverse : e].residual;
    return sum >> 63 ? (ordo_u64)1 << 63 : sum;
}

/* With `enough` in the source, no more than the capacity of either cut, a maximum preflow is one of the network: if all
 * of it arrives, one of the two cuts is saturated, and otherwise the source cannot reach the sink. */
void ordo_network_start(ordo_network *net, bool serial)
{
    const ordo_u64 enough = serial ? capacity_at(net, net->sink, true) : ~(ordo_u64)0;
    net->fixed = net->source;
    memset(net->pushed, !serial, net->n * sizeof *net->pushed);
    net->pushed[net->source] = true;
    if (enough <= capacity_at(net, net->source, false) / FAR_MORE) {
        net->fixed = ORDO_NO_VERTEX;
        net->excess[net->source] = enough;
        return;
    }
    for (ordo_u32 e = net->row[net->source]; e < net->row[net->source + 1]; e++) {
        discharge_edge *edge = &net->edge[e];
        net->edge[edge->reverse].residual += edge->residual;
        net->excess[edge->head] += edge->residual;
        edge->residual = 0;
    }
}

void ordo_network_return(ordo_network *net)
{
    net->fixed = net->source;
}

static bool holds_excess(const ordo_network *net, ordo_vid v)
{
    return net->excess[v] && v != net->fixed && v != net->sink;
}

ordo_u64 ordo_network_relabel(ordo_network *net, ordo_vid to)
{
    const ordo_u32 *row = net->row, n = net->n;
    const discharge_edge *edge = net->edge;
    ordo_u32 *height = net->height, *queue = net->queue, next = n;
    const bool held = net->fixed == ORDO_NO_VERTEX, back = to == net->source;
    const ordo_u64 most = back ? n : n - !held; /* a search from the sink leaves the source out */
    ordo_u64 tail = 0, active = 0, wanted = 0;
    for (ordo_vid v = 0; v < n; v++) {
        height[v] = n;
        wanted += holds_excess(net, v);
    }
    /* whether the search ends when it has reached all vertices with excess */
    const bool enough = back || (wanted && wanted < n / FEW);
    queue[tail++] = to;
    height[to] = 0;
    for (ordo_u64 head = 0; head < tail && tail < most && (wanted || !enough); head++) {
        const ordo_vid v = queue[head];
        next = height[v] + 1;
        for (ordo_u32 e = row[v]; e < row[v + 1]; e++) {
            const ordo_vid w = edge[e].head;
            if (height[w] == n && w != net->fixed && edge[edge[e].reverse].residual) {
                height[w] = next;
                queue[tail++] = w;
                wanted -= enough && holds_excess(net, w);
            }
        }
    }
    for (ordo_vid v = 0; enough && !wanted && v < n; v++)
        if (height[v] == n && v != net->fixed)
            height[v] = next;
    memcpy(net->current, row, n * sizeof *row);
    for (ordo_u64 i = 0; i < tail; i++)
        if (holds_excess(net, queue[i]))
            queue[active++] = queue[i];
    net->global_relabels++;
    return active;
}

/* ---- the result ---- */

typedef struct flows {
    const ordo_network *net;
    ordo_u64 *flow;
} flows;

/* The total flow from u to v is the capacity of the edges less the residual; the first edges get it. */
static void flow_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const flows *f = arg;
    const ordo_network *net = f->net;
    const ordo_csr *g = net->rows;
    for (ordo_u64 u = begin; u < end; u++) {
        ordo_u32 at = net->row[u];
        for (ordo_eid e = g->row[u]; !net->pushed[u] && e < g->row[u + 1]; e++)
            f->flow[edge_of(net, g, e)] = 0;
        for (ordo_eid e = net->pushed[u] ? g->row[u] : g->row[u + 1], next; e < g->row[u + 1]; e = next) {
            const ordo_vid v = g->head[e * g->stride];
            next = e;
            ordo_u64 sum = take_head(net, g, &next, g->row[u + 1]);
            if (v == u)
                sum = 0;
            if (is_mixed(net, (ordo_vid)u))
                at = net->row[u];
            while (sum && net->edge[at].head != v)
                at++;
            sum -= sum && net->edge[at].residual < sum ? net->edge[at].residual : sum;
            for (ordo_eid k = e; k < next; k++) {
                ordo_u64 capacity = capacity_of(net, g, k), most = capacity < sum ? capacity : sum;
                f->flow[edge_of(net, g, k)] = most;
                sum -= most;
            }
        }
    }
}

ordo_status ordo_network_flow(const ordo_network *net, int threads, ordo_u64 *flow)
{
    flows f = {.net = net, .flow = flow};
    return ordo_for_ranges(threads, net->n, ORDO_GRAIN, flow_range, &f);
}

ordo_u64 ordo_network_cut(const ordo_network *net, ordo_u8 *side, ordo_u64 *capacity)
{
    const ordo_csr *g = net->g;
    ordo_u64 size = 0;
    *capacity = 0;
    for (ordo_vid v = 0; v < net->n; v++) {
        side[v] = net->height[v] == net->n;
        size += side[v];
    }
    for (ordo_vid u = 0; u < net->n; u++)
        for (ordo_eid e = side[u] ? g->row[u] : g->row[u + 1]; e < g->row[u + 1]; e++)
            if (!side[g->head[e * g->stride]])
                *capacity += is_infinite(net, g, e) ? net->infinite : ordo_weight_word(g, e);
    return size;
}
