/* maxflow_verify.c -- checks a maximum flow and its cut against the graph itself. Shares no code with the app.
 *
 * Certificate, O(n + m): (1) no edge carries more than its capacity; (2) the flow into every vertex except source and
 * sink equals the flow out of it (in a preflow: is at least that), and the flow into the sink is the value; (3) the cut
 * separates source and sink, edges out of the source side are saturated, edges into it carry nothing, and the capacity
 * of the cut is the value. No flow exceeds any cut, so both are optimal.
 *
 * Serial: the value is compared with that of Dinitz' algorithm (1970), which finds blocking flows by depth-first search
 * along levels, with a current edge for each vertex. It builds residual edges of its own: 32 bytes for each edge
 * of the graph, and 28 for each vertex. It is slow on networks on which push-relabel is fast.
 */
#include "apps/verify.h"

#include <string.h>

#include <ordo/memory.h>

#include "framework/run/phase.h"

__extension__ typedef __int128 wide;

typedef struct claim {
    const ordo_csr *g;
    ordo_vid source, sink;
    ordo_u64 infinite; /* 0: none */
    bool preflow;
    const ordo_u64 *flow;
    const ordo_u8 *side;
    const ordo_flow *result;
} claim;

static ordo_u64 word_of(const claim *c, ordo_eid e)
{
    if (!c->g->weight)
        return 1;
    ordo_u64 word = 0;
    if (c->g->weight_type == ORDO_I64)
        memcpy(&word, ordo_csr_weight_at(c->g, e), sizeof word);
    else
        word = *(const ordo_u32 *)ordo_csr_weight_at(c->g, e);
    return word;
}

static bool unbounded(const claim *c, ordo_eid e)
{
    return c->infinite && word_of(c, e) == c->infinite;
}

/* ---- the certificate ---- */

static ordo_status check_edge(const claim *c, ordo_vid u, ordo_eid e)
{
    ordo_vid v = c->g->head[e * c->g->stride];
    unsigned long long flow = c->flow[e], capacity = word_of(c, e);
    if (!unbounded(c, e) && flow > capacity)
        return ordo_fail(ORDO_ERR_VERIFY, "edge %u -> %u carries %llu, more than its capacity %llu", u, v, flow,
                         capacity);
    if (c->side[u] && !c->side[v] && (unbounded(c, e) || flow < capacity))
        return ordo_fail(ORDO_ERR_VERIFY, "edge %u -> %u leaves the source side and carries %llu, expected %s%llu", u,
                         v, flow, unbounded(c, e) ? "a bound, but it has none: " : "", capacity);
    if (!c->side[u] && c->side[v] && flow)
        return ordo_fail(ORDO_ERR_VERIFY, "edge %u -> %u leads back to the source side and carries %llu, expected 0", u,
                         v, flow);
    return ORDO_OK;
}

static ordo_status certify_with(const claim *c, wide *net)
{
    const ordo_csr *g = c->g;
    wide cut = 0;
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", g->n);
    for (ordo_vid u = 0; u < g->n && !ordo_phase_at(&phase, u); u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            ordo_status status = v == u ? ORDO_OK : check_edge(c, u, e);
            if (status)
                return status;
            if (v == u && c->flow[e])
                return ordo_fail(ORDO_ERR_VERIFY, "loop at %u carries %llu, expected 0", u,
                                 (unsigned long long)c->flow[e]);
            net[u] -= c->flow[e];
            net[v] += c->flow[e];
            if (c->side[u] && !c->side[v])
                cut += word_of(c, e);
        }
    ordo_status stopped = ordo_phase_end(&phase);
    if (stopped)
        return stopped;
    for (ordo_vid v = 0; v < g->n; v++) {
        if (v == c->source || v == c->sink)
            continue;
        if (net[v] < 0 || (net[v] > 0 && !c->preflow))
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: what flows in less what flows out is %s%llu, expected %s0", v,
                             net[v] < 0 ? "-" : "", (unsigned long long)(net[v] < 0 ? -net[v] : net[v]),
                             c->preflow ? "at least " : "");
    }
    if (net[c->sink] != (wide)c->result->value)
        return ordo_fail(ORDO_ERR_VERIFY, "found value %llu, but %s%llu reaches the sink",
                         (unsigned long long)c->result->value, net[c->sink] < 0 ? "-" : "",
                         (unsigned long long)(net[c->sink] < 0 ? -net[c->sink] : net[c->sink]));
    if (cut != (wide)c->result->cut_capacity || cut != (wide)c->result->value)
        return ordo_fail(ORDO_ERR_VERIFY, "the cut holds %llu, found cut_capacity %llu and value %llu",
                         (unsigned long long)cut, (unsigned long long)c->result->cut_capacity,
                         (unsigned long long)c->result->value);
    return ORDO_OK;
}

static ordo_status certify(const claim *c)
{
    wide *net = ordo_alloc_zero(c->g->n, sizeof *net);
    ordo_status status = net ? certify_with(c, net) : ORDO_ERR_MEMORY;
    ordo_free(net);
    return status;
}

static ordo_status check_sides(const claim *c)
{
    ordo_u64 count = 0;
    for (ordo_vid v = 0; v < c->g->n; v++) {
        if (c->side[v] > 1)
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: side %d, expected 0 or 1", v, c->side[v]);
        count += c->side[v];
    }
    if (!c->side[c->source] || c->side[c->sink])
        return ordo_fail(ORDO_ERR_VERIFY, "the %s is on the wrong side of the cut",
                         c->side[c->sink] ? "sink" : "source");
    if (count != c->result->source_side)
        return ordo_fail(ORDO_ERR_VERIFY, "found source_side %llu, but %llu vertices are there",
                         (unsigned long long)c->result->source_side, (unsigned long long)count);
    return ORDO_OK;
}

/* ---- Dinitz ---- */

/* Residual edges 2 e and 2 e + 1 are edge e and its reverse. */
typedef struct residual {
    const claim *c;
    ordo_u64 *first; /* [n + 1] */
    ordo_u32 *list;  /* [2 m] residual edges out of each vertex */
    ordo_vid *head;  /* [2 m] */
    ordo_u64 *left;  /* [2 m] */
    ordo_u64 *at;    /* [n] the current edge, an index in list[] */
    ordo_u32 *level; /* [n] */
    ordo_vid *queue; /* [n] */
    ordo_u32 *path;  /* [n] */
} residual;

static void set_up(residual *r)
{
    const claim *c = r->c;
    const ordo_csr *g = c->g;
    ordo_u64 sum = 1;
    for (ordo_eid e = 0; e < g->m; e++)
        sum += unbounded(c, e) ? 0 : word_of(c, e);
    memset(r->first, 0, ((ordo_u64)g->n + 1) * sizeof *r->first);
    for (ordo_vid u = 0; u < g->n; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            r->first[u + 1]++;
            r->first[v + 1]++;
            r->head[2 * e] = v;
            r->head[2 * e + 1] = u;
            r->left[2 * e] = u == v ? 0 : unbounded(c, e) ? sum : word_of(c, e);
            r->left[2 * e + 1] = 0;
        }
    for (ordo_vid v = 0; v < g->n; v++) {
        r->first[v + 1] += r->first[v];
        r->at[v] = r->first[v];
    }
    for (ordo_u64 e = 0; e < 2 * g->m; e++)
        r->list[r->at[r->head[e ^ 1]]++] = (ordo_u32)e;
}

static bool find_levels(residual *r)
{
    const ordo_vid n = r->c->g->n, source = r->c->source, sink = r->c->sink;
    ordo_vid tail = 0;
    memset(r->level, 0xff, n * sizeof *r->level);
    r->level[source] = 0;
    r->queue[tail++] = source;
    for (ordo_vid i = 0; i < tail && r->level[sink] == ORDO_NO_VERTEX; i++) {
        ordo_vid u = r->queue[i];
        for (ordo_u64 k = r->first[u]; k < r->first[u + 1]; k++) {
            ordo_vid v = r->head[r->list[k]];
            if (r->left[r->list[k]] && r->level[v] == ORDO_NO_VERTEX) {
                r->level[v] = r->level[u] + 1;
                r->queue[tail++] = v;
            }
        }
    }
    return r->level[sink] != ORDO_NO_VERTEX;
}

/* Augments along the path. Returns the amount, and in *back the index of the first edge that is saturated then. */
static ordo_u64 fill_path(residual *r, ordo_u64 length, ordo_u64 *back)
{
    ordo_u64 least = ~(ordo_u64)0;
    for (ordo_u64 i = length; i-- > 0;)
        if (r->left[r->path[i]] <= least) {
            least = r->left[r->path[i]];
            *back = i;
        }
    for (ordo_u64 i = 0; i < length; i++) {
        r->left[r->path[i]] -= least;
        r->left[r->path[i] ^ 1] += least;
    }
    return least;
}

static ordo_u64 blocking_flow(residual *r)
{
    const ordo_vid source = r->c->source, sink = r->c->sink;
    ordo_u64 value = 0, length = 0;
    memcpy(r->at, r->first, r->c->g->n * sizeof *r->at);
    for (ordo_vid u = source;;) {
        if (u == sink) {
            value += fill_path(r, length, &length);
            u = r->head[r->path[length] ^ 1];
            continue;
        }
        ordo_u64 *at = &r->at[u];
        while (*at < r->first[u + 1] && (!r->left[r->list[*at]] || r->level[r->head[r->list[*at]]] != r->level[u] + 1))
            ++*at;
        if (*at < r->first[u + 1]) {
            r->path[length++] = r->list[*at];
            u = r->head[r->list[*at]];
        } else if (u == source) {
            return value;
        } else { /* no edge leads on from u: go back by an edge */
            u = r->head[r->path[--length] ^ 1];
            ++r->at[u];
        }
    }
}

static ordo_status solve(const claim *c)
{
    const ordo_u64 n = c->g->n, m = c->g->m;
    ordo_u64 value = 0;
    residual r = {.c = c,
                  .first = ordo_alloc(n + 1, sizeof *r.first),
                  .list = ordo_alloc(2 * m, sizeof *r.list),
                  .head = ordo_alloc(2 * m, sizeof *r.head),
                  .left = ordo_alloc(2 * m, sizeof *r.left),
                  .at = ordo_alloc(n, sizeof *r.at),
                  .level = ordo_alloc(n, sizeof *r.level),
                  .queue = ordo_alloc(n, sizeof *r.queue),
                  .path = ordo_alloc(n, sizeof *r.path)};
    ordo_status status = ORDO_ERR_MEMORY;
    if (r.first && r.list && r.head && r.left && r.at && r.level && r.queue && r.path) {
        set_up(&r);
        ordo_phase phase;
        ordo_phase_begin(&phase, "verifying", 0);
        while (!ordo_phase_step(&phase, 1) && find_levels(&r))
            value += blocking_flow(&r);
        status = ordo_phase_end(&phase);
    }
    if (!status) {
        status = value == c->result->value ? ORDO_OK
                                           : ordo_fail(ORDO_ERR_VERIFY, "found value %llu, expected %llu",
                                                       (unsigned long long)c->result->value, (unsigned long long)value);
    }
    void *all[] = {r.first, r.list, r.head, r.left, r.at, r.level, r.queue, r.path};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ordo_free(all[i]);
    return status;
}

ordo_status ordo_maxflow_verify(const ordo_graph *graph, ordo_vid source, ordo_vid sink, const ordo_flow_options *how,
                                const ordo_u64 *flow, const ordo_u8 *side, const ordo_flow *result,
                                ordo_verify_how verify)
{
    if (!graph || !result || !side || (!flow && ordo_graph_out(graph)->m))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", !graph ? "graph" : !result ? "result" : !side ? "cut" : "flow");
    const ordo_vertex_data *named = ordo_graph_vertex_data(graph);
    claim c = {.g = ordo_graph_out(graph),
               .source = source == ORDO_NO_VERTEX ? named->source : source,
               .sink = sink == ORDO_NO_VERTEX ? named->sink : sink,
               .infinite = how ? how->infinite : 0,
               .preflow = how && how->cut_only,
               .flow = flow,
               .side = side,
               .result = result};
    if (c.source >= c.g->n || c.sink >= c.g->n || c.source == c.sink || c.g->weight_type == ORDO_F32 ||
        c.g->weight_type == ORDO_F64 || c.g->m >= (ordo_u64)1 << 31)
        return ordo_fail(ORDO_ERR_USAGE, "source %u, sink %u: no network that a flow could be of", c.source, c.sink);
    ordo_status status = check_sides(&c);
    if (!status && verify != ORDO_VERIFY_SERIAL)
        status = certify(&c);
    if (!status && (verify == ORDO_VERIFY_SERIAL || verify == ORDO_VERIFY_BOTH))
        status = solve(&c);
    return status;
}
