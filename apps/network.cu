/* network.cu -- the residual network of a graph, made on a GPU: the rows that network.c makes, word by word.
 *
 * Problem: one thread of the host takes as long to make the network as the GPU to find the flow. It merges rows with
 * two cursors and pairs edges with a cursor for each vertex; both go from edge to edge.
 *
 * Method. What network.c says of an edge of the network can be said of each by itself. Rows of the graph are sorted by
 * head, so all edges from u to v are together; the first of them stands for all (`kept`), unless it is a loop or they
 * have no capacity. A row of the network is first these, in the order of the graph's row, so how many are kept before
 * an edge says where it goes. Behind them come edges without capacity, one for each kept edge into the vertex whose
 * reverse is not kept (`lone`; its reverse is looked for by bisection in the row of the head), by their heads: lone
 * edges sorted by head, stably, are in that order. The reverse of an edge is the kept edge that was found, or the one
 * made of it. A short row is put into the pseudo-random order of network.c, which depends on the places of its edges
 * alone: where each goes is computed before any is written (`moved`).
 *
 * Memory for m edges of the graph and r of the network: 16 m bytes, 4 r and, while lone edges are sorted, 16 for each
 * of these, beside the 16 r of the network.
 *
 * Not done: parallel edges are added up by one thread.
 */
#include "apps/network_cuda.h"

#include <ordo/detail/backend.h>

#include "framework/cuda/each.cuh"
#include "framework/cuda/range.h"
#include "framework/cuda/records.h"
#include "framework/cuda/sort.h"
#include "framework/graph/scramble.h"

static const ordo_u32 NONE = ~0u;

/* Arrays on the device, of the graph's edges unless another length is given. */
typedef struct making {
    ordo_cuda_rows rows;
    ordo_u64 declared, infinite; /* as of ordo_network */
    ordo_u32 *tail;
    ordo_u32 *kept;      /* [m + 1] 1 or 0, then the number of those before */
    ordo_u32 *lone;      /* [m + 1] likewise */
    ordo_u32 *back;      /* the reverse of a kept edge, an edge of the graph; NONE where it is lone */
    ordo_u32 *unsorted;  /* [1] not 0: a row is not in ascending order */
    ordo_u32 *head, *of; /* [lones] of lone edges, in ascending order of heads: the head, the edge */
    ordo_u32 *row;       /* [n + 1] of the network */
    ordo_u32 *moved;     /* [row[n]] where edges of short rows go */
    discharge_edge *edge;
    ordo_u32 lones;
} making;

/* ---- what bodies read ---- */

static ORDO_EACH_FN ordo_u32 head_of(const making &m, ordo_u64 e)
{
    return m.rows.edge[e * m.rows.stride];
}

static ORDO_EACH_FN ordo_u64 capacity_of(const making &m, ordo_u64 e)
{
    const ordo_u64 word = m.rows.wide ? m.rows.wide[e] : m.rows.stride == 2 ? m.rows.edge[2 * e + 1] : 1;
    return m.declared && word == m.declared ? m.infinite : word;
}

/* The capacity of edge e and those behind it with the same ends, as of take_head() in network.c. */
static ORDO_EACH_FN ordo_u64 sum_of(const making &m, ordo_u64 e)
{
    const ordo_u64 end = m.rows.row[m.tail[e] + 1ull];
    const ordo_u32 v = head_of(m, e);
    ordo_u64 sum = 0;
    do {
        sum += capacity_of(m, e);
        if (m.declared && sum > m.infinite)
            sum = m.infinite;
    } while (++e < end && head_of(m, e) == v);
    return sum;
}

/* After they have been added up. */
static ORDO_EACH_FN bool is_one(const ordo_u32 *before, ordo_u64 e)
{
    return before[e + 1] != before[e];
}

/* The edges of the network before row v that have capacity; and in the row. */
static ORDO_EACH_FN ordo_u32 kept_before(const making &m, ordo_u64 v)
{
    return m.kept[m.rows.row[v]];
}

/* Where an edge of row v goes that is at this place of it. */
static ORDO_EACH_FN ordo_u32 moved_to(const making &m, ordo_u32 v, ordo_u32 place)
{
    const ordo_u32 at = m.row[v] + place;
    return m.row[v + 1ull] - m.row[v] <= ORDO_NETWORK_MIXED ? m.moved[at] : at;
}

/* Where a kept edge goes. */
static ORDO_EACH_FN ordo_u32 place_of(const making &m, ordo_u64 e)
{
    const ordo_u32 u = m.tail[e];
    return moved_to(m, u, m.kept[e] - kept_before(m, u));
}

/* ---- bodies, in order ---- */

struct keep_edge {
    making m;

    ORDO_EACH_FN void operator()(ordo_u64 e) const
    {
        const ordo_u32 u = m.tail[e], v = head_of(m, e);
        const bool first = e == m.rows.row[u];
        const ordo_u32 before = first ? 0 : head_of(m, e - 1);
        if (!first && before > v)
            *m.unsorted = 1;
        m.kept[e] = u != v && (first || before != v) && sum_of(m, e) > 0;
    }
};

struct find_reverse {
    making m;

    ORDO_EACH_FN void operator()(ordo_u64 e) const
    {
        m.lone[e] = 0;
        if (!is_one(m.kept, e))
            return;
        const ordo_u32 u = m.tail[e], v = head_of(m, e);
        const ordo_u64 end = m.rows.row[v + 1ull];
        const ordo_u64 at = ordo_first_from(m.rows.edge, m.rows.stride, m.rows.row[v], end, u);
        const bool found = at < end && head_of(m, at) == u && is_one(m.kept, at);
        m.back[e] = found ? (ordo_u32)at : NONE;
        m.lone[e] = !found;
    }
};

struct list_lone {
    making m;

    ORDO_EACH_FN void operator()(ordo_u64 e) const
    {
        if (!is_one(m.lone, e))
            return;
        m.head[m.lone[e]] = head_of(m, e);
        m.of[m.lone[e]] = (ordo_u32)e;
    }
};

struct begin_row {
    making m;

    ORDO_EACH_FN void operator()(ordo_u64 v) const
    {
        m.row[v] = kept_before(m, v) + (ordo_u32)ordo_first_from(m.head, 1, 0, m.lones, v);
    }
};

/* As of mix_row() in network.c. */
struct mix_row {
    making m;

    ORDO_EACH_FN void operator()(ordo_u64 v) const
    {
        const ordo_u32 first = m.row[v], all = m.row[v + 1] - first, own = kept_before(m, v + 1) - kept_before(m, v);
        const ordo_u32 from[3] = {0, own, all};
        ordo_u32 who[ORDO_NETWORK_MIXED];
        if (all > ORDO_NETWORK_MIXED)
            return;
        for (ordo_u32 i = 0; i < all; i++)
            who[i] = i;
        for (int part = 0; part < 2; part++)
            for (ordo_u32 left = from[part + 1] - from[part]; left > 1; left--) {
                const ordo_u32 a = from[part] + left - 1;
                const ordo_u32 b = from[part] + (ordo_u32)ordo_below(ordo_scramble(first + a), left);
                const ordo_u32 one = who[a];
                who[a] = who[b];
                who[b] = one;
            }
        for (ordo_u32 i = 0; i < all; i++)
            m.moved[first + who[i]] = first + i;
    }
};

/* A kept edge; but the reverse of a lone one. */
struct put_kept {
    making m;

    ORDO_EACH_FN void operator()(ordo_u64 e) const
    {
        if (!is_one(m.kept, e))
            return;
        discharge_edge *const to = &m.edge[place_of(m, e)];
        to->head = head_of(m, e);
        to->residual = sum_of(m, e);
        if (m.back[e] != NONE)
            to->reverse = place_of(m, m.back[e]);
    }
};

/* The reverse of lone edge i, and where the two find each other. */
struct put_back {
    making m;

    ORDO_EACH_FN void operator()(ordo_u64 i) const
    {
        const ordo_u32 e = m.of[i], v = m.head[i], there = place_of(m, e);
        const ordo_u32 before = m.row[v] - kept_before(m, v), own = kept_before(m, v + 1ull) - kept_before(m, v);
        const ordo_u32 here = moved_to(m, v, own + ((ordo_u32)i - before));
        m.edge[here] = discharge_edge{m.tail[e], there, 0};
        m.edge[there].reverse = here;
    }
};

struct saturate_edge {
    discharge_edge *edge;
    const ordo_u32 *row;
    ordo_u64 *excess;
    ordo_vid source;

    /* Heads of a row differ, and so do reverses: no other index writes there. */
    ORDO_EACH_FN void operator()(ordo_u64 i) const
    {
        const ordo_u64 at = row[source] + i;
        if (at >= row[source + 1ull])
            return;
        edge[edge[at].reverse].residual += edge[at].residual;
        excess[edge[at].head] += edge[at].residual;
        edge[at].residual = 0;
    }
};

/* ---- on the host ---- */

/* Memory that is freed at the end, unless it is what was made. */
typedef struct store {
    void *block[16];
    int count;
    bool full;          /* memory was short */
    ordo_status status; /* another error */
} store;

template <typename Word> static Word *take(store *s, ordo_u64 count)
{
    void *out = NULL;
    if (s->full || s->status)
        return NULL;
    const cudaError_t error = cudaMalloc(&out, count ? count * sizeof(Word) : 1);
    s->full = error == cudaErrorMemoryAllocation;
    if (s->full)
        cudaGetLastError();
    else
        s->status = ordo_cuda_failed(error, "taking memory for the network");
    if (error != cudaSuccess)
        return NULL;
    s->block[s->count++] = out;
    return (Word *)out;
}

static void drop(store *s, void *block)
{
    for (int i = 0; i < s->count; i++)
        if (s->block[i] == block) {
            cudaFree(block);
            s->block[i] = s->block[--s->count];
            return;
        }
}

static bool goes_on(const store *s)
{
    return !s->full && !s->status;
}

static void check(store *s, cudaError_t error)
{
    if (goes_on(s))
        s->status = ordo_cuda_failed(error, "making the network");
}

/* Word `at`, when what comes before has ended. */
static ordo_u32 word_of(store *s, const ordo_u32 *from, ordo_u64 at)
{
    ordo_u32 word = 0;
    check(s, cudaGetLastError());
    if (goes_on(s))
        check(s, cudaMemcpy(&word, from + at, sizeof word, cudaMemcpyDeviceToHost));
    return word;
}

/* Makes of `count` words of 1 and 0 the numbers of ones before, and behind them the number of all, which it returns. */
static ordo_u32 number(store *s, ordo_u32 *word, ordo_u64 count)
{
    size_t bytes = 0;
    check(s, ordo_sum_before(word, count + 1, NULL, &bytes));
    char *const room = take<char>(s, bytes);
    if (goes_on(s))
        check(s, ordo_sum_before(word, count + 1, room, &bytes));
    const ordo_u32 all = goes_on(s) ? word_of(s, word, count) : 0;
    drop(s, room);
    return all;
}

/* Lists lone edges by their heads. */
static void list_lones(store *s, making *m)
{
    ordo_sort sort = {};
    size_t bytes = 0;
    sort.count = m->lones;
    sort.width = sizeof(ordo_u32);
    sort.bits = ordo_sort_bits(m->rows.n);
    for (int i = 0; i < 2; i++) {
        sort.key[i] = take<ordo_u32>(s, m->lones);
        sort.value[i] = take<ordo_u32>(s, m->lones);
    }
    m->head = sort.key[0];
    m->of = (ordo_u32 *)sort.value[0];
    check(s, ordo_sort_pairs(&sort, NULL, &bytes));
    char *const room = take<char>(s, bytes);
    if (goes_on(s) && m->lones) {
        ordo_each_index(m->rows.m, list_lone{*m});
        check(s, ordo_sort_pairs(&sort, room, &bytes));
        check(s, cudaDeviceSynchronize());
        m->head = sort.key[0];
        m->of = (ordo_u32 *)sort.value[0];
    }
    drop(s, room);
    drop(s, sort.key[1]);
    drop(s, sort.value[1]);
}

/* Whether the rows are such that the device can go on. */
static bool find_edges(store *s, making *m, bool symmetric)
{
    const ordo_u64 edges = m->rows.m;
    m->tail = take<ordo_u32>(s, edges);
    m->kept = take<ordo_u32>(s, edges + 1);
    m->lone = take<ordo_u32>(s, edges + 1);
    m->back = take<ordo_u32>(s, edges);
    m->unsorted = take<ordo_u32>(s, 1);
    if (!goes_on(s))
        return false;
    ordo_fill_tails(m->rows, m->tail);
    check(s, cudaMemset(m->unsorted, 0, sizeof *m->unsorted));
    check(s, cudaMemset(m->kept + edges, 0, sizeof *m->kept));
    check(s, cudaMemset(m->lone + edges, 0, sizeof *m->lone));
    ordo_each_index(edges, keep_edge{*m});
    number(s, m->kept, edges);
    if (!goes_on(s) || word_of(s, m->unsorted, 0))
        return false;
    ordo_each_index(edges, find_reverse{*m});
    m->lones = number(s, m->lone, edges);
    if (symmetric && m->lones)
        return false;
    list_lones(s, m);
    return goes_on(s);
}

static void put_edges(store *s, making *m, ordo_network_made *out)
{
    const ordo_u64 n = m->rows.n;
    m->row = take<ordo_u32>(s, n + 1);
    if (!goes_on(s))
        return;
    ordo_each_index(n + 1, begin_row{*m});
    out->edges = word_of(s, m->row, n);
    m->moved = take<ordo_u32>(s, out->edges);
    m->edge = take<discharge_edge>(s, out->edges);
    if (!goes_on(s))
        return;
    ordo_each_index(n, mix_row{*m});
    ordo_each_index(m->rows.m, put_kept{*m});
    ordo_each_index(m->lones, put_back{*m});
    check(s, cudaGetLastError());
    check(s, cudaDeviceSynchronize());
    if (!goes_on(s))
        return;
    out->row = m->row;
    out->edge = m->edge;
}

ordo_status ordo_network_on_cuda(const ordo_network *net, ordo_cuda_rows rows, bool symmetric, ordo_network_made *out)
{
    const ordo_range marked("making the network");
    store s = {};
    making m = {};
    m.rows = rows;
    m.declared = net->declared;
    m.infinite = net->infinite;
    *out = ordo_network_made{};
    if (find_edges(&s, &m, symmetric))
        put_edges(&s, &m, out);
    for (int i = 0; i < s.count; i++)
        if (s.block[i] != out->row && s.block[i] != out->edge)
            cudaFree(s.block[i]);
    return s.status;
}

void ordo_network_saturate(const ordo_network *net, ordo_network_made made, ordo_u64 *excess)
{
    ordo_each_index(net->n, saturate_edge{made.edge, made.row, excess, net->source});
}
