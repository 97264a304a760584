/* ordered_weights.c -- words of 32 bits in the place of weights, in the same order.
 *
 * Problem: minimum spanning forests depend on the order of weights alone, and a weight shares a word of 64 bits with a
 * tie-breaker (operators/mst.h). Weights of 8 bytes do not fit. With fewer than 2^32 edges, the rank of a weight among
 * the distinct ones does.
 *
 * Method. A weight is mapped to a key of 64 bits: unsigned order is the order of weights, 0 and -0 are equal. If all
 * keys agree in their low bits, and their range without these takes at most 32 bits, the word is the key less the
 * least one, without those bits: one pass, no sort. That holds for integers within a range of 2^32, and for reals that
 * were whole numbers or f32. Else the word is the rank. Edges are put into buckets, whose bounds are quantiles of a
 * sample; each bucket is sorted by one thread, least digit first, leaving out digits in which all keys agree; the
 * distinct keys of the buckets before it are added. Work is O(m) for each digit, and divided among the threads unless
 * most weights are equal, which is a bucket with few digits.
 *
 * Memory: 8 bytes an edge for the graph; with a sort, 24 bytes an edge while it is made.
 *
 * Not done: making ranks on a GPU, or keeping the graph for a later call.
 */
#include "apps/ordered_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/arrays.h>
#include <ordo/memory.h>

#include "apps/common.h"

enum {
    BUCKET = 2048, /* edges in a bucket, on average, if there are not too many buckets */
    MOST_BUCKETS = 4096,
    SAMPLED = 16,    /* of each bucket */
    BLOCK = 1 << 14, /* edges that are put into buckets at once, at least */
    MOST_BLOCKS = 256,
    DIGIT = 8
};

typedef struct pair {
    ordo_u32 head, word;
} pair;

/* An edge with its key, in words of 32 bits, so that no space is lost. */
typedef struct keyed {
    ordo_u32 low, high, edge;
} keyed;

typedef struct ordering {
    const ordo_csr *g;
    pair *pairs;          /* [m] of the new graph */
    ordo_u64 first;       /* the key of edge 0 */
    ordo_u64 least, most; /* atomic: keys */
    ordo_u64 unlike;      /* atomic: bits in which some key differs from that of edge 0 */
    ordo_u64 bad;         /* atomic: the first edge whose weight is NaN or infinite; m if none */
    int shift;            /* low bits in which all keys agree */

    /* for ranks */
    keyed *list, *scratch; /* [m] by bucket */
    ordo_u64 *bound;       /* [buckets - 1] the least key of a bucket, but of the first one */
    ordo_u64 buckets, block;
    ordo_u64 *count; /* [blocks * buckets] edges, then the place of the next one */
    ordo_u64 *begin; /* [buckets + 1] place of the first edge */
    ordo_u64 *rank;  /* [buckets + 1] distinct keys, then the rank of the first one */
} ordering;

/* A real has its sign above its size: of two negative ones the larger word is the smaller number. f32 is taken as f64.
 */
static ordo_u64 key_of(const ordo_csr *g, ordo_eid e)
{
    const ordo_u64 word = ordo_weight_word(g, e), sign = (ordo_u64)1 << 63;
    if (!ordo_is_real(g->weight_type))
        return (ordo_u64)ordo_word_whole(g->weight_type, word) ^ sign;
    const double real = ordo_word_value(g->weight_type, word);
    ordo_u64 bits;
    memcpy(&bits, &real, sizeof bits);
    return (bits & sign ? 0 - (bits ^ sign) : bits) ^ sign;
}

static bool is_finite(const ordo_csr *g, ordo_eid e)
{
    return !ordo_is_real(g->weight_type) || isfinite(ordo_word_value(g->weight_type, ordo_weight_word(g, e)));
}

static void keep_most(ordo_u64 *most, ordo_u64 value)
{
    ordo_u64 old = __atomic_load_n(most, __ATOMIC_RELAXED);
    while (value > old && !__atomic_compare_exchange_n(most, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void look_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    ordering *o = arg;
    const ordo_csr *g = o->g;
    ordo_u64 least = ~(ordo_u64)0, most = 0, unlike = 0, bad = g->m;
    for (ordo_eid e = begin; e < end; e++) {
        const ordo_u64 key = key_of(g, e);
        least = key < least ? key : least;
        most = key > most ? key : most;
        unlike |= key ^ o->first;
        if (!is_finite(g, e) && e < bad)
            bad = e;
    }
    ordo_keep_least_u64(&o->least, least);
    keep_most(&o->most, most);
    __atomic_fetch_or(&o->unlike, unlike, __ATOMIC_RELAXED);
    ordo_keep_least_u64(&o->bad, bad);
}

/* Keys agree in their low bits, and so do their differences, of which these bits are 0. */
static void subtract_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const ordering *o = arg;
    for (ordo_eid e = begin; e < end; e++)
        o->pairs[e] = (pair){o->g->head[e * o->g->stride], (ordo_u32)((key_of(o->g, e) - o->least) >> o->shift)};
}

/* ---- ranks ---- */

static ordo_u64 bucket_of(const ordering *o, ordo_u64 key)
{
    ordo_u64 low = 0, high = o->buckets - 1;
    while (low < high) {
        const ordo_u64 middle = (low + high) / 2;
        if (o->bound[middle] <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void count_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const ordering *o = arg;
    ordo_u64 *count = o->count + begin / o->block * o->buckets;
    for (ordo_eid e = begin; e < end; e++)
        count[bucket_of(o, key_of(o->g, e))]++;
}

static void put_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const ordering *o = arg;
    ordo_u64 *place = o->count + begin / o->block * o->buckets;
    for (ordo_eid e = begin; e < end; e++) {
        const ordo_u64 key = key_of(o->g, e);
        o->list[place[bucket_of(o, key)]++] = (keyed){(ordo_u32)key, (ordo_u32)(key >> 32), (ordo_u32)e};
    }
}

static ordo_u32 digit_of(const keyed *k, int shift)
{
    return (shift < 32 ? k->low >> shift : k->high >> (shift - 32)) & ((1u << DIGIT) - 1);
}

/* Sorts one bucket; the result is in o->list. */
static void sort_bucket(const ordering *o, ordo_u64 begin, ordo_u64 count)
{
    keyed *from = o->list + begin, *to = o->scratch + begin;
    for (int shift = 0; shift < 64; shift += DIGIT) {
        ordo_u64 place[(1 << DIGIT) + 1] = {0};
        for (ordo_u64 i = 0; i < count; i++)
            place[digit_of(&from[i], shift) + 1]++;
        if (place[digit_of(&from[0], shift) + 1] == count)
            continue;
        for (int d = 0; d < 1 << DIGIT; d++)
            place[d + 1] += place[d];
        for (ordo_u64 i = 0; i < count; i++)
            to[place[digit_of(&from[i], shift)]++] = from[i];
        keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != o->list + begin)
        memcpy(to, from, count * sizeof *to);
}

static bool differ(const keyed *a, const keyed *b)
{
    return a->low != b->low || a->high != b->high;
}

/* The first bucket that begins at that place or behind it; o->buckets if none does. */
static ordo_u64 bucket_at(const ordering *o, ordo_u64 place)
{
    ordo_u64 low = 0, high = o->buckets;
    while (low < high) {
        const ordo_u64 middle = (low + high) / 2;
        if (o->begin[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Sorts the buckets that begin at these places, and counts their keys. */
static void sort_range(void *arg, ordo_u64 first, ordo_u64 last)
{
    const ordering *o = arg;
    for (ordo_u64 b = bucket_at(o, first); b < o->buckets && o->begin[b] < last; b++) {
        const ordo_u64 begin = o->begin[b], end = o->begin[b + 1];
        o->rank[b] = end > begin;
        if (end > begin)
            sort_bucket(o, begin, end - begin);
        for (ordo_u64 i = begin + 1; i < end; i++)
            o->rank[b] += differ(&o->list[i], &o->list[i - 1]);
    }
}

static void rank_range(void *arg, ordo_u64 first, ordo_u64 last)
{
    const ordering *o = arg;
    for (ordo_u64 b = bucket_at(o, first); b < o->buckets && o->begin[b] < last; b++) {
        ordo_u64 rank = o->rank[b];
        for (ordo_u64 i = o->begin[b]; i < o->begin[b + 1]; i++) {
            const ordo_eid e = o->list[i].edge;
            rank += i > o->begin[b] && differ(&o->list[i], &o->list[i - 1]);
            o->pairs[e] = (pair){o->g->head[e * o->g->stride], (ordo_u32)rank};
        }
    }
}

static int by_key(const void *a, const void *b)
{
    const ordo_u64 x = *(const ordo_u64 *)a, y = *(const ordo_u64 *)b;
    return (x > y) - (x < y);
}

/* Bounds of buckets: different quantiles of a sample of the keys. */
static ordo_status choose_bounds(ordering *o)
{
    const ordo_u64 m = o->g->m, wanted = m / BUCKET < MOST_BUCKETS ? m / BUCKET + 1 : MOST_BUCKETS;
    const ordo_u64 samples = wanted * SAMPLED < m ? wanted * SAMPLED : m;
    ordo_u64 *sample = ordo_alloc(samples, sizeof *sample);
    o->bound = ordo_alloc(wanted, sizeof *o->bound);
    if (!sample || !o->bound) {
        ordo_free(sample);
        return ORDO_ERR_MEMORY;
    }
    for (ordo_u64 i = 0; i < samples; i++)
        sample[i] = key_of(o->g, m / samples * i);
    qsort(sample, samples, sizeof *sample, by_key);
    o->buckets = 1;
    for (ordo_u64 i = SAMPLED; i < samples; i += SAMPLED)
        if (o->buckets == 1 || sample[i] > o->bound[o->buckets - 2])
            o->bound[o->buckets++ - 1] = sample[i];
    ordo_free(sample);
    return ORDO_OK;
}

/* Replaces counts by places: buckets one after the other, in each the blocks. */
static void find_places(ordering *o, ordo_u64 blocks)
{
    ordo_u64 sum = 0;
    for (ordo_u64 b = 0; b < o->buckets; b++) {
        o->begin[b] = sum;
        for (ordo_u64 k = 0; k < blocks; k++) {
            ordo_u64 *count = &o->count[k * o->buckets + b], before = sum;
            sum += *count;
            *count = before;
        }
    }
    o->begin[o->buckets] = sum;
}

static ordo_status make_ranks(ordering *o, int threads)
{
    const ordo_u64 m = o->g->m;
    o->block = m / MOST_BLOCKS < BLOCK ? BLOCK : m / MOST_BLOCKS + 1;
    const ordo_u64 blocks = m / o->block + 1;
    ordo_status status = choose_bounds(o);
    if (status)
        return status;
    o->list = ordo_alloc(m, sizeof *o->list);
    o->scratch = ordo_alloc(m, sizeof *o->scratch);
    o->count = ordo_alloc_zero(blocks * o->buckets, sizeof *o->count);
    o->begin = ordo_alloc(o->buckets + 1, sizeof *o->begin);
    o->rank = ordo_alloc_zero(o->buckets + 1, sizeof *o->rank);
    if (!o->list || !o->scratch || !o->count || !o->begin || !o->rank)
        return ORDO_ERR_MEMORY;
    status = ordo_for_ranges(threads, m, o->block, count_range, o);
    if (!status) {
        find_places(o, blocks);
        status = ordo_for_ranges(threads, m, o->block, put_range, o);
    }
    if (!status)
        status = ordo_for_ranges(threads, m, BLOCK, sort_range, o);
    for (ordo_u64 b = 0, sum = 0; b < o->buckets && !status; b++) {
        const ordo_u64 distinct = o->rank[b];
        o->rank[b] = sum;
        sum += distinct;
    }
    return status ? status : ordo_for_ranges(threads, m, BLOCK, rank_range, o);
}

/* ---- the graph ---- */

static ordo_status make_words(ordering *o, int threads, const char *what)
{
    const ordo_csr *g = o->g;
    o->first = g->m ? key_of(g, 0) : 0;
    o->bad = g->m;
    o->least = ~(ordo_u64)0;
    ordo_status status = ordo_for_ranges(threads, g->m, BLOCK, look_range, o);
    if (status)
        return status;
    if (o->bad < g->m) {
        const double w = ordo_word_value(g->weight_type, ordo_weight_word(g, o->bad));
        return ordo_fail(ORDO_ERR_INPUT, "edge %u -> %u has weight %g; %s need finite weights",
                         ordo_csr_tail(g, o->bad), g->head[o->bad * g->stride], isnan(w) ? (double)NAN : w, what);
    }
    o->shift = o->unlike ? __builtin_ctzll(o->unlike) : 0;
    if (g->m && (o->most - o->least) >> o->shift >> 32)
        return make_ranks(o, threads);
    return ordo_for_ranges(threads, g->m, BLOCK, subtract_range, o);
}

ordo_status ordo_ordered_weights(const ordo_graph *graph, int threads, const char *what, ordo_graph **out)
{
    const ordo_csr *g = ordo_graph_out(graph);
    if (g->m >> 32)
        return ordo_fail(ORDO_ERR_INPUT, "%s: found %llu stored edges, expected fewer than 2^32", what,
                         (unsigned long long)g->m);
    ordering o = {.g = g, .pairs = ordo_alloc(g->m + 1, sizeof *o.pairs)};
    ordo_status status = o.pairs ? make_words(&o, threads, what) : ORDO_ERR_MEMORY;
    void *all[] = {o.list, o.scratch, o.bound, o.count, o.begin, o.rank};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ordo_free(all[i]);
    const ordo_row_arrays rows = {.n = g->n,
                                  .m = g->m,
                                  .row = g->row,
                                  .head = &o.pairs->head,
                                  .weight_type = ORDO_U32,
                                  .weight = &o.pairs->word,
                                  .stride = 2,
                                  .symmetric = ordo_graph_symmetric(graph),
                                  .threads = threads,
                                  .release = ordo_free,
                                  .release_arg = o.pairs};
    if (!status)
        return ordo_graph_borrow_arrays(&rows, out);
    ordo_free(o.pairs);
    return status;
}

ordo_u64 ordo_ordered_weights_memory(const ordo_graph *graph, ordo_u64 *lists)
{
    const ordo_u64 m = ordo_graph_out(graph)->m;
    *lists = 2 * m * sizeof(keyed) +
             (m / BLOCK + 1 < MOST_BLOCKS ? m / BLOCK + 1 : MOST_BLOCKS + 1) * MOST_BUCKETS * 8 +
             MOST_BUCKETS * (SAMPLED + 4) * sizeof(ordo_u64);
    return (m + 1) * sizeof(pair);
}
