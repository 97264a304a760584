/* network.c -- makes the pairs of residual edges of a graph, and derives the cut and the flow on each edge of the graph
 * from heights and residuals.
 *
 * Method. The row of a vertex is merged from its out-edges and its in-edges, both in ascending order of the other end,
 * so memory is read and written sequentially; where each edge has its reverse, the graph's own rows will do. Short rows
 * are then shuffled. An edge to a higher vertex finds its reverse in the other row. All loops over vertices are shared
 * out.
 *
 * Not done: several threads for capacities that are checked, or infinite. network.cu makes the same rows and edges on a
 * GPU.
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

/* Work on all rows of a network, shared out. */
typedef struct making {
    ordo_network *net;
    const ordo_csr *g, *in; /* rows that are looked at, or merged */
    bool checked;           /* the rows are said to be those of a symmetric graph, and are checked */
    discharge_edge *spare;  /* NULL: rows have been counted; or, of one thread, for edges of a row without capacity */
    ordo_u32 failed;        /* atomic: not 0 if a row is not as expected */
    bool all;               /* the reverse of each edge is looked for, not only of those to higher vertices */
    ordo_u64 surplus;       /* atomic: edges to higher vertices, less those to lower ones */
    ordo_u64 wrong;         /* atomic: an edge without reverse, tail and head */
} making;

static bool has_failed(const making *m)
{
    return __atomic_load_n(&m->failed, __ATOMIC_RELAXED) != 0;
}

static void fail(making *m)
{
    __atomic_store_n(&m->failed, 1, __ATOMIC_RELAXED);
}

static void sorted_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    making *m = arg;
    const ordo_csr *g = m->g;
    for (ordo_u64 u = begin; u < end && !has_failed(m); u++)
        for (ordo_eid e = g->row[u] + 1; e < g->row[u + 1]; e++)
            if (g->head[e * g->stride] < g->head[(e - 1) * g->stride])
                fail(m);
}

static ordo_status is_sorted(const ordo_csr *g, int threads, bool *sorted)
{
    making m = {.g = g};
    const ordo_status status = ordo_for_ranges(threads, g->n, ORDO_GRAIN, sorted_range, &m);
    *sorted = !m.failed;
    return status;
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

/* The neighbours of a vertex x in ascending order, from its out-edges and its in-edges. merge_next() returns the next
 * one, with the sums of the capacities of the edges to it and from it, and false once there is none. x itself and
 * neighbours without capacity are left out. */
typedef struct merge {
    const ordo_network *net;
    const ordo_csr *g, *in;
    ordo_vid x;
    ordo_eid e, end, back, back_end;
} merge;

static inline merge merge_begin(const making *m, ordo_vid x)
{
    return (merge){m->net, m->g, m->in, x, m->g->row[x], m->g->row[x + 1], m->in->row[x], m->in->row[x + 1]};
}

static inline bool merge_next(merge *r, ordo_vid *head, ordo_u64 *there, ordo_u64 *here)
{
    while (r->e < r->end || r->back < r->back_end) {
        const ordo_u64 a = r->e < r->end ? r->g->head[r->e * r->g->stride] : ~(ordo_u64)0;
        const ordo_u64 b = r->back < r->back_end ? r->in->head[r->back * r->in->stride] : ~(ordo_u64)0;
        *there = a <= b ? take_head(r->net, r->g, &r->e, r->end) : 0;
        *here = b <= a ? take_head(r->net, r->in, &r->back, r->back_end) : 0;
        *head = (ordo_vid)(a < b ? a : b);
        if (*head != r->x && (*there | *here))
            return true;
    }
    return false;
}

/* row[x] becomes the number of residual edges of x, and out[x] that of those with capacity. */
static void count_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    making *m = arg;
    for (ordo_u64 x = begin; x < end; x++) {
        merge r = merge_begin(m, (ordo_vid)x);
        ordo_vid head;
        ordo_u64 there, here;
        m->net->row[x] = m->net->out[x] = 0;
        while (merge_next(&r, &head, &there, &here)) {
            m->net->row[x]++;
            m->net->out[x] += there > 0;
        }
    }
}

/* Shuffles a short row, once it is filled. Excess is pushed along the first edge that leads to a lower height. If all
 * rows have the same order, excess moves in the same direction everywhere, and back again: a grid takes three to five
 * times as many pushes. So each part of a row is put in a pseudo-random order, which is the same in every run. Long
 * rows, those of terminals and hubs, stay in ascending order, so that searches access the heads' heights at ascending
 * addresses. */
static void mix_row(ordo_network *net, ordo_vid x)
{
    const ordo_u32 from[3] = {net->row[x], net->out[x], net->row[x + 1]};
    for (int part = 0; part < 2 && is_mixed(net, x); part++)
        for (ordo_u32 left = from[part + 1] - from[part]; left > 1; left--) {
            const ordo_u32 a = from[part] + left - 1;
            const ordo_u32 b = from[part] + (ordo_u32)ordo_below(ordo_scramble(a), left);
            const discharge_edge edge = net->edge[a];
            net->edge[a] = net->edge[b];
            net->edge[b] = edge;
        }
}

/* Makes the residual edges of vertices: for each neighbour the capacity of the edges to it, and in `reverse`, for now,
 * whether edges from it have capacity. Edges with capacity come first, edges that can only return flow last: of two
 * heads of equal height a relabel then selects the one with capacity. Otherwise excess moves back and forth between two
 * vertices, and each push makes a relabel of the other vertex necessary. */
static void fill_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    making *m = arg;
    ordo_network *net = m->net;
    for (ordo_u64 x = begin; x < end; x++) {
        merge r = merge_begin(m, (ordo_vid)x);
        discharge_edge *const back = m->spare ? m->spare : &net->edge[net->out[x]];
        ordo_u32 to = net->row[x], only_back = 0;
        ordo_vid head;
        ordo_u64 there, here;
        while (merge_next(&r, &head, &there, &here)) {
            discharge_edge *const edge = there ? &net->edge[to++] : &back[only_back++];
            *edge = (discharge_edge){head, here > 0, there};
        }
        if (m->spare) {
            memcpy(&net->edge[to], back, only_back * sizeof *back);
            net->out[x] = to;
            net->row[x + 1] = to + only_back;
        }
        mix_row(net, (ordo_vid)x);
    }
}

/* The edge from w to x, in the part of the row of w with capacity (`holds`), or without; row[w + 1] where there is
 * none. All of a short row is looked at: where in it the edge is cannot be predicted. */
static inline ordo_u32 find_head(const ordo_network *net, ordo_vid w, ordo_vid x, bool holds)
{
    const ordo_u32 end = net->row[w + 1];
    ordo_u32 at = net->row[w], found = end;
    if (is_mixed(net, w)) {
        for (; at < end; at++)
            found = net->edge[at].head == x ? at : found;
        return found;
    }
    at = holds ? at : net->out[w];
    for (ordo_u32 after = holds ? net->out[w] : end; at < after;) {
        const ordo_u32 middle = at + (after - at) / 2;
        if (net->edge[middle].head < x)
            at = middle + 1;
        else
            after = middle;
    }
    return at < end && net->edge[at].head == x ? at : end;
}

/* Pairs edge e of x. */
static inline bool pair_edge(making *m, ordo_vid x, ordo_u32 e)
{
    ordo_network *net = m->net;
    const ordo_vid w = net->edge[e].head;
    const bool holds = m->checked || net->edge[e].reverse; /* not read where the other end may write it */
    const ordo_u32 at = find_head(net, w, x, holds);
    if (at == net->row[w + 1]) {
        __atomic_store_n(&m->wrong, (ordo_u64)x << 32 | w, __ATOMIC_RELAXED);
        fail(m);
        return false;
    }
    if (w > x) {
        net->edge[e].reverse = at;
        net->edge[at].reverse = e;
    }
    return true;
}

/* Pairs residual edges, each pair where its lower end is. */
static void pair_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    making *m = arg;
    const ordo_network *net = m->net;
    ordo_u64 surplus = 0;
    for (ordo_u64 x = begin; x < end && !has_failed(m); x++) {
        ordo_u32 pairs[ORDO_NETWORK_MIXED], count = 0, e = net->row[x];
        for (; is_mixed(net, (ordo_vid)x) && e < net->row[x + 1]; e++) { /* chosen without a branch */
            const bool higher = net->edge[e].head > x;
            pairs[count] = e;
            count += m->all || higher;
            surplus += higher ? 1 : ~(ordo_u64)0;
        }
        for (ordo_u32 i = 0; i < count; i++)
            if (!pair_edge(m, (ordo_vid)x, pairs[i]))
                return;
        for (; e < net->row[x + 1]; e++) {
            const bool higher = net->edge[e].head > x;
            surplus += higher ? 1 : ~(ordo_u64)0;
            if ((m->all || higher) && !pair_edge(m, (ordo_vid)x, e))
                return;
        }
    }
    __atomic_fetch_add(&m->surplus, surplus, __ATOMIC_RELAXED);
}

/* Pairs all edges, or finds one without reverse. The heads of a row differ, so if each edge to a higher vertex has its
 * reverse, and as many lead to lower ones, each of those has one, too. */
static ordo_status pair_rows(making *m, int threads)
{
    ordo_status status = ordo_for_ranges(threads, m->net->n, ORDO_GRAIN, pair_range, m);
    if (!status && !m->failed && m->surplus) {
        m->all = true;
        status = ordo_for_ranges(threads, m->net->n, ORDO_GRAIN, pair_range, m);
    }
    return status;
}

/* The residual edges of a graph in which each edge has its reverse, and none is a loop, parallel to another, out of
 * order or without capacity, as undirected graphs are mostly given: they are the graph's own, and in-rows are not
 * needed. */
static void own_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    making *m = arg;
    ordo_network *net = m->net;
    const ordo_csr *g = m->g;
    for (ordo_u64 x = begin; x < end && !has_failed(m); x++) {
        for (ordo_eid e = g->row[x]; e < g->row[x + 1]; e++) {
            const ordo_vid w = g->head[e * g->stride];
            const ordo_u64 there = capacity_of(net, g, e);
            if (!there || w == x || (e > g->row[x] && g->head[(e - 1) * g->stride] >= w)) {
                fail(m);
                break;
            }
            net->edge[e] = (discharge_edge){w, 1, net->declared && there > net->infinite ? net->infinite : there};
        }
        if (!has_failed(m))
            mix_row(net, (ordo_vid)x);
    }
}

enum { FIRST_ROWS = 256 /* mostly tell a graph without reverses */ };

/* Sets *own to whether the graph's rows will do, and if so makes edges and pairs of them. */
static ordo_status own_rows(ordo_network *net, int threads, bool *own)
{
    const ordo_csr *g = net->g;
    making m = {.net = net, .g = g, .checked = true};
    ordo_status status = ORDO_OK;
    for (ordo_u64 x = 0; x <= g->n; x++)
        net->row[x] = (ordo_u32)g->row[x];
    memcpy(net->out, net->row + 1, g->n * sizeof *net->out);
    own_range(&m, 0, g->n < FIRST_ROWS ? g->n : FIRST_ROWS);
    if (!m.failed)
        status = ordo_for_ranges(threads, g->n, ORDO_GRAIN, own_range, &m);
    if (!status && !m.failed)
        status = pair_rows(&m, threads);
    *own = !m.failed;
    return status;
}

/* Several threads count the edges of all rows before they fill them. */
static ordo_status fill_rows(making *m, int threads)
{
    ordo_network *net = m->net;
    ordo_status status = ordo_for_ranges(threads, net->n, ORDO_GRAIN, count_range, m);
    ordo_u32 before = 0;
    for (ordo_u64 x = 0; x < net->n && !status; x++) {
        const ordo_u32 count = net->row[x];
        net->row[x] = before;
        net->out[x] += before;
        before += count;
    }
    net->row[net->n] = before;
    return status ? status : ordo_for_ranges(threads, net->n, ORDO_GRAIN, fill_range, m);
}

/* One thread fills a row behind the other. */
static ordo_status fill_rows_alone(making *m)
{
    ordo_u64 widest = 1;
    for (ordo_u64 x = 0; x < m->net->n; x++)
        if (m->in->row[x + 1] - m->in->row[x] > widest)
            widest = m->in->row[x + 1] - m->in->row[x];
    m->spare = ordo_alloc(widest, sizeof *m->spare);
    if (!m->spare)
        return ORDO_ERR_MEMORY;
    m->net->row[0] = 0;
    fill_range(m, 0, m->net->n);
    ordo_free(m->spare);
    return ORDO_OK;
}

static ordo_status make_rows(ordo_network *net, const ordo_csr *in, int threads)
{
    making m = {.net = net, .g = net->rows, .in = in, .checked = in == net->rows};
    ordo_status status = threads == 1 ? fill_rows_alone(&m) : fill_rows(&m, threads);
    if (!status)
        status = pair_rows(&m, threads);
    if (!status && m.failed)
        status = ordo_fail(ORDO_ERR_INPUT,
                           "edge %u -> %u has no reverse of the same weight, in a graph said to be symmetric",
                           (ordo_vid)(m.wrong >> 32), (ordo_vid)m.wrong);
    return status;
}

/* Rows that are merged, from sorted ones. */
static ordo_status merge_rows(ordo_network *net, const ordo_graph *graph, int threads)
{
    const ordo_csr *in;
    bool sorted = true;
    ordo_status status = ordo_graph_in(graph, threads, &in);
    if (!status)
        status = is_sorted(net->g, threads, &sorted);
    if (!status && sorted)
        status = is_sorted(in, threads, &sorted);
    if (!status && !sorted) {
        status = sorted_copy(net->g, threads, &net->sorted);
        if (!status)
            status = ordo_graph_in(net->sorted, threads, &in);
        if (!status)
            net->rows = ordo_graph_out(net->sorted);
    }
    return status ? status : make_rows(net, in, threads);
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
    bool own = false;
    ordo_status status = own_rows(net, threads, &own);
    if (!status && !own)
        status = merge_rows(net, graph, threads);
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

/* ---- the first preflow ---- */

enum { FAR_MORE = 4 /* the source holds its excess if so many times what can enter the sink can leave it */ };

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
void ordo_network_start(ordo_network *net, bool native)
{
    const ordo_u64 enough = native ? capacity_at(net, net->sink, true) : ~(ordo_u64)0;
    net->fixed = net->source;
    memset(net->pushed, !native, net->n * sizeof *net->pushed);
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

typedef struct cut {
    const ordo_network *net;
    ordo_u8 *side;
    ordo_u64 size, capacity; /* atomic */
} cut;

static void side_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    cut *c = arg;
    ordo_u64 size = 0;
    for (ordo_u64 v = begin; v < end; v++) {
        c->side[v] = c->net->height[v] == c->net->n;
        size += c->side[v];
    }
    __atomic_fetch_add(&c->size, size, __ATOMIC_RELAXED);
}

static void capacity_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    cut *c = arg;
    const ordo_network *net = c->net;
    const ordo_csr *g = net->g;
    ordo_u64 sum = 0;
    for (ordo_u64 u = begin; u < end; u++)
        for (ordo_eid e = c->side[u] ? g->row[u] : g->row[u + 1]; e < g->row[u + 1]; e++)
            if (!c->side[g->head[e * g->stride]])
                sum += is_infinite(net, g, e) ? net->infinite : ordo_weight_word(g, e);
    __atomic_fetch_add(&c->capacity, sum, __ATOMIC_RELAXED);
}

ordo_status ordo_network_cut(const ordo_network *net, int threads, ordo_u8 *side, ordo_u64 *size, ordo_u64 *capacity)
{
    cut c = {.net = net, .side = side};
    ordo_status status = ordo_for_ranges(threads, net->n, ORDO_GRAIN, side_range, &c);
    if (!status)
        status = ordo_for_ranges(threads, net->n, ORDO_GRAIN, capacity_range, &c);
    *size = c.size;
    *capacity = c.capacity;
    return status;
}
