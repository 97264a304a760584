/* links.c -- see links.h. */
#include "apps/links.h"

enum {
    SAMPLE = 1024, /* vertices that are asked for their root */
    SEARCH = 8     /* edges of a row among which the second head is looked for: parallel edges are adjacent */
};

static ordo_u32 parent_of(const ordo_links *l, ordo_u32 v)
{
    return __atomic_load_n(&l->parent[v], __ATOMIC_RELAXED);
}

static void set_parent(const ordo_links *l, ordo_u32 v, ordo_u32 ancestor)
{
    __atomic_store_n(&l->parent[v], ancestor, __ATOMIC_RELAXED);
}

/* Gives u and v a common ancestor. Climbs from the larger of two ancestors, one tree at a time, and so ends at a root
 * that a compare-and-swap can link, or at equal ancestors. Returns whether two trees have become one. */
static inline bool link_two(const ordo_links *l, ordo_u32 u, ordo_u32 v)
{
    ordo_u32 a = parent_of(l, u), b = parent_of(l, v);
    while (a != b) {
        const ordo_u32 low = a < b ? a : b;
        ordo_u32 high = a < b ? b : a;
        const ordo_u32 above = parent_of(l, high);
        if (above == low)
            break;
        if (above == high) {
            ordo_u32 expected = high;
            if (__atomic_compare_exchange_n(&l->parent[high], &expected, low, false, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED))
                return true;
            a = expected;
        } else {
            a = parent_of(l, above);
            set_parent(l, high, a); /* halves the path for those who climb it later */
        }
        b = low;
    }
    return false;
}

/* Another head of v's first edges than `first` and v itself; `first` if there is none. */
static inline ordo_vid second_head(const ordo_csr *g, ordo_vid v, ordo_vid first)
{
    const ordo_eid e = g->row[v], stop = g->row[v + 1], last = stop - e < SEARCH ? stop : e + SEARCH;
    ordo_vid other = first;
    for (ordo_eid i = e + 1; i < last && (other == first || other == v); i++)
        other = g->head[i * g->stride];
    return other;
}

void ordo_links_first(const ordo_links *l, ordo_vid begin, ordo_vid end, ordo_links_count *count)
{
    const ordo_csr g = *l->g;
    ordo_u64 edges = 0;
    for (ordo_vid v = begin; v < end; v++) {
        const ordo_eid degree = g.row[v + 1] - g.row[v];
        const ordo_vid first = degree ? g.head[g.row[v] * g.stride] : v;
        edges += degree < 2 ? degree : 2;
        /* the parent of a head of this range is there already, and is a shorter way to the root */
        l->parent[v] = first >= v ? v : first < begin ? first : l->parent[first];
    }
    count->edges += edges;
}

void ordo_links_second(const ordo_links *l, ordo_vid begin, ordo_vid end, ordo_links_count *count)
{
    const ordo_csr g = *l->g;
    (void)count; /* its edges are counted with the first ones */
    for (ordo_vid v = begin; v < end; v++) {
        if (g.row[v] == g.row[v + 1])
            continue;
        const ordo_vid first = g.head[g.row[v] * g.stride], other = second_head(&g, v, first);
        if (other != first || first > v)
            (void)link_two(l, v, other);
    }
}

void ordo_links_compress(const ordo_links *l, ordo_vid begin, ordo_vid end, ordo_links_count *count)
{
    ordo_u64 roots = 0;
    for (ordo_u64 v = begin; v < end; v++) {
        const ordo_u32 parent = parent_of(l, (ordo_u32)v);
        ordo_u32 root = parent;
        for (ordo_u32 up = parent_of(l, root); up != root; up = parent_of(l, root))
            root = up;
        if (root != parent)
            set_parent(l, (ordo_u32)v, root);
        roots += root == v;
    }
    count->roots += roots;
}

void ordo_links_rest(const ordo_links *l, ordo_vid begin, ordo_vid end, ordo_links_count *count)
{
    const ordo_csr g = *l->g;
    const bool all = l->symmetric && l->largest == ORDO_NO_VERTEX; /* each edge from its larger end */
    ordo_u64 edges = 0;
    for (ordo_u64 v = begin; v < end; v++) {
        if (l->largest != ORDO_NO_VERTEX && parent_of(l, (ordo_u32)v) == l->largest) /* ahead of its row */
            continue;
        const ordo_eid from = g.row[v], to = g.row[v + 1];
        edges += to - from;
        for (ordo_eid e = from; e < to; e++) {
            const ordo_vid head = g.head[e * g.stride];
            if (!all || head < v)
                (void)link_two(l, (ordo_u32)v, head);
        }
    }
    count->edges += edges;
}

void ordo_links_join(const ordo_links *l, const ordo_u32 *other, ordo_vid begin, ordo_vid end, ordo_link *joined,
                     ordo_u64 *count)
{
    for (ordo_vid v = begin; v < end; v++)
        if (other[v] != v && link_two(l, v, other[v]))
            joined[__atomic_fetch_add(count, 1, __ATOMIC_RELAXED)] = (ordo_link){v, other[v]};
}

void ordo_links_add(const ordo_links *l, const ordo_link *joined, ordo_u64 begin, ordo_u64 end)
{
    for (ordo_u64 i = begin; i < end; i++)
        (void)link_two(l, joined[i].one, joined[i].other);
}

void ordo_links_sample(ordo_links *l)
{
    ordo_u32 root[SAMPLE];
    ordo_u64 n = l->g->n, x = 1;
    int most = 0;
    int slot[2 * SAMPLE] = {0}; /* hash table: 1 + index in `root` of the first with that root */
    int seen[SAMPLE] = {0};
    l->largest = ORDO_NO_VERTEX;
    if (!l->symmetric)
        return;
    for (int i = 0; i < SAMPLE && n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        root[i] = parent_of(l, (ordo_u32)((x >> 32) * n >> 32));
        unsigned at = root[i] * 2654435761u >> 21;
        while (slot[at] && root[slot[at] - 1] != root[i])
            at = (at + 1) % (2 * SAMPLE);
        slot[at] = slot[at] ? slot[at] : i + 1;
        if (++seen[slot[at] - 1] > most) {
            most = seen[slot[at] - 1];
            l->largest = root[i];
        }
    }
}
