/* transform.c -- edge transforms: from the rows of the input to the rows that were requested.
 *
 * Problem: adding reverse edges, removing loops and parallel edges, and drawing weights must work for every format, and
 * what is removed must be counted.
 *
 * Method: in sorted rows parallel edges are adjacent. Loops and parallel edges are removed within each row in parallel,
 * then rows are compacted in place. Drawn weights are hashes of seed, ends and rank among parallel edges, so they
 * depend neither on threads nor on the order of the input. Symmetry is checked by sums of hashes; where they differ, an
 * edge without its reverse is looked for, by binary search in the other row for each group of parallel edges.
 *
 * Not done: other distributions of weights.
 */
#define _POSIX_C_SOURCE 200809L
#include "rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "framework/run/reserved.h"

ordo_status ordo_edge_options_check(const ordo_edge_options *o)
{
    if (o->direction != ORDO_AS_STORED && o->direction != ORDO_SYMMETRISE && o->direction != ORDO_SYMMETRIC)
        return ordo_fail(ORDO_ERR_USAGE, "found direction %d, expected one of ordo_direction", (int)o->direction);
    if ((unsigned)o->weights > ORDO_WEIGHTS_REPLACE)
        return ordo_fail(ORDO_ERR_USAGE, "found weights %d, expected one of ordo_weights", (int)o->weights);
    if ((unsigned)o->parallel > ORDO_PARALLEL_FIRST)
        return ordo_fail(ORDO_ERR_USAGE, "found parallel %d, expected one of ordo_parallel", (int)o->parallel);
    if (o->weight_type != ORDO_NONE && !ordo_type_wide(o->weight_type))
        return ordo_fail(ORDO_ERR_USAGE, "found weight type %d, expected none, i64 or f64", (int)o->weight_type);
    if (o->low > o->high)
        return ordo_fail(ORDO_ERR_USAGE, "found weights %u to %u, expected the lower one first", o->low, o->high);
    return ORDO_RESERVED_CHECK(ordo_edge_options, o);
}

ordo_status ordo_graph_has_weights(const ordo_origin *origin)
{
    return ordo_fail(ORDO_ERR_INPUT,
                     "%s: found weights, expected none as uniform ones are to be drawn (drop those of the file to "
                     "replace them)",
                     origin->source);
}

/* ---- loops and parallel edges ---- */

typedef struct compaction {
    ordo_csr *g;
    const ordo_edge_options *options;
    ordo_team *team;
    ordo_u64 *degree; /* [n]: what is left of a row */
    ordo_shared next;
    ordo_phase phase;
    ordo_u64 loops, parallel; /* atomic: removed */
    ordo_u64 overflow;        /* atomic: the first edge whose sum does not fit; m if none */
    int failed;               /* atomic */
} compaction;

static ordo_f32 as_f32(ordo_u32 bits)
{
    ordo_f32 value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool less(ordo_type type, ordo_u64 a, ordo_u64 b)
{
    return type == ORDO_F32   ? as_f32((ordo_u32)a) < as_f32((ordo_u32)b)
           : type == ORDO_I32 ? (ordo_i32)(ordo_u32)a < (ordo_i32)(ordo_u32)b
           : type == ORDO_I64 ? (ordo_i64)a < (ordo_i64)b
           : type == ORDO_F64 ? ordo_bits_f64(a) < ordo_bits_f64(b)
                              : a < b;
}

static ordo_u32 f32_bits(ordo_f32 value)
{
    ordo_u32 bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static int compare_floats(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sets *out to the sum of weights of edges e .. e + count - 1; false where it does not fit. */
static bool sum_of(const ordo_csr *g, ordo_eid e, ordo_u64 count, ordo_u64 *out, bool *short_of_memory)
{
    const bool wide = g->weight_type == ORDO_F64;
    if (g->weight_type == ORDO_F32 || wide) {
        double *values = ordo_alloc(count, sizeof *values), sum = 0;
        if (!values) {
            *short_of_memory = true;
            return true;
        }
        for (ordo_u64 i = 0; i < count; i++)
            values[i] =
                wide ? ordo_bits_f64(ordo_csr_word(g, e + i)) : (double)as_f32((ordo_u32)ordo_csr_word(g, e + i));
        qsort(values, count, sizeof *values, compare_floats); /* the same sum in both directions of an edge */
        for (ordo_u64 i = 0; i < count; i++)
            sum += values[i];
        ordo_free(values);
        *out = wide ? ordo_f64_bits(sum) : f32_bits((ordo_f32)sum);
        return wide ? isfinite(sum) : isfinite((ordo_f32)sum);
    }
    __int128 sum = 0;
    for (ordo_u64 i = 0; i < count; i++) {
        const ordo_u64 word = ordo_csr_word(g, e + i);
        sum += g->weight_type == ORDO_I64   ? (ordo_i64)word
               : g->weight_type == ORDO_I32 ? (ordo_i32)(ordo_u32)word
                                            : (ordo_i64)word;
    }
    *out = (ordo_u64)sum;
    return g->weight_type == ORDO_I64   ? sum > INT64_MIN && sum <= INT64_MAX
           : g->weight_type == ORDO_I32 ? sum >= INT32_MIN && sum <= INT32_MAX
                                        : sum <= UINT32_MAX;
}

static bool weight_of_group(compaction *t, ordo_eid e, ordo_u64 count, ordo_u64 *out)
{
    const ordo_csr *g = t->g;
    ordo_u64 best = ordo_csr_word(g, e);
    bool fits = true, short_of_memory = false;
    if (t->options->parallel == ORDO_PARALLEL_SUM) {
        fits = sum_of(g, e, count, &best, &short_of_memory);
        if (short_of_memory)
            __atomic_store_n(&t->failed, 1, __ATOMIC_RELAXED);
    } else if (t->options->parallel != ORDO_PARALLEL_FIRST) {
        bool least = t->options->parallel == ORDO_PARALLEL_MIN;
        for (ordo_u64 i = 1; i < count; i++) {
            ordo_u64 word = ordo_csr_word(g, e + i);
            if (least ? less(g->weight_type, word, best) : less(g->weight_type, best, word))
                best = word;
        }
    }
    *out = best;
    return fits;
}

static ordo_u64 run_of(const ordo_csr *g, ordo_eid e, ordo_eid end, ordo_vid v)
{
    ordo_u64 count = 0;
    while (e + count < end && g->head[(e + count) * g->stride] == v)
        count++;
    return count;
}

/* Moves the edges of a row that stay to its start. */
static void compact_row(compaction *t, ordo_vid u, ordo_u64 *loops, ordo_u64 *parallel)
{
    const ordo_csr *g = t->g;
    ordo_vid *head = (ordo_vid *)(size_t)g->head;
    ordo_u64 to = g->row[u];
    for (ordo_eid e = g->row[u]; e < g->row[u + 1];) {
        ordo_vid v = head[e * g->stride];
        if (v == u && t->options->drop_loops) {
            (*loops)++;
            e++;
            continue;
        }
        ordo_u64 count = t->options->parallel == ORDO_PARALLEL_KEEP ? 1 : run_of(g, e, g->row[u + 1], v);
        ordo_u64 weight = ordo_csr_word(g, e);
        if (count > 1 && g->weight_type != ORDO_NONE && !weight_of_group(t, e, count, &weight))
            ordo_keep_least(&t->overflow, e);
        head[to * g->stride] = v;
        if (g->weight_type != ORDO_NONE)
            ordo_put_word(head + to * g->stride, g->stride - 1, weight);
        to++;
        e += count;
        *parallel += count - 1;
    }
    t->degree[u] = to - g->row[u];
}

static void thin_rows(void *arg, int member)
{
    compaction *t = arg;
    (void)member;
    ordo_u64 loops = 0, parallel = 0;
    for (ordo_u64 begin, end; ordo_next_rows(t->g, &t->next, &t->phase, &begin, &end);)
        for (ordo_u64 u = begin; u < end; u++)
            compact_row(t, (ordo_vid)u, &loops, &parallel);
    __atomic_fetch_add(&t->loops, loops, __ATOMIC_RELAXED);
    __atomic_fetch_add(&t->parallel, parallel, __ATOMIC_RELAXED);
}

/* Removes the gaps between rows. */
static void close_gaps(compaction *t)
{
    ordo_csr *g = t->g;
    ordo_eid *row = (ordo_eid *)(size_t)g->row;
    ordo_vid *head = (ordo_vid *)(size_t)g->head;
    ordo_u64 to = 0;
    for (ordo_u64 u = 0; u < g->n; u++) {
        memmove(head + to * g->stride, head + row[u] * g->stride, t->degree[u] * g->stride * sizeof *head);
        row[u] = to;
        to += t->degree[u];
    }
    row[g->n] = g->m = to;
    ordo_vid *less_capacity = ordo_realloc(head, to, g->stride * sizeof *head);
    if (less_capacity)
        head = less_capacity; /* otherwise the block stays larger than needed */
    g->head = head;
    if (g->weight)
        g->weight = head + 1;
}

static ordo_status drop_edges(ordo_team *team, ordo_csr *g, const ordo_origin *origin, ordo_graph_info *info)
{
    compaction t = {.g = g, .options = origin->edges, .team = team, .overflow = g->m};
    t.degree = ordo_alloc(g->n, sizeof *t.degree);
    if (!t.degree)
        return ORDO_ERR_MEMORY;
    ordo_phase_begin(&t.phase, "transforming", g->n);
    ordo_team_run(team, thin_rows, &t);
    ordo_status status = ordo_phase_end(&t.phase);
    if (status)
        ; /* rows have gaps now; the caller frees them */
    else if (t.failed)
        status = ordo_fail(ORDO_ERR_MEMORY, "not enough memory to add up parallel edges");
    else if (t.overflow < g->m)
        status = ordo_fail(ORDO_ERR_INPUT,
                           "%s: found parallel edges %llu -> %llu whose weights add up to more than their type holds, "
                           "expected a sum of %s",
                           origin->source, (unsigned long long)(ordo_csr_tail(g, t.overflow) + origin->id_base),
                           (unsigned long long)(g->head[t.overflow * g->stride] + origin->id_base),
                           ordo_type_wide(g->weight_type) ? "64 bits" : "32 bits");
    else if (t.loops + t.parallel)
        close_gaps(&t);
    info->dropped_loops = t.loops;
    info->dropped_parallel = t.parallel;
    ordo_free(t.degree);
    return status;
}

/* ---- drawn weights ---- */

typedef struct drawing {
    const ordo_csr *g;
    const ordo_edge_options *options;
    bool symmetric;
    ordo_u64 key; /* of the seed */
    ordo_shared next;
    ordo_phase phase;
} drawing;

static void draw_rows(void *arg, int member)
{
    drawing *d = arg;
    (void)member;
    const ordo_csr *g = d->g;
    ordo_u32 *words = (ordo_u32 *)(size_t)g->weight;
    ordo_u64 low = d->options->low, many = d->options->high - low + 1;
    for (ordo_u64 begin, end; ordo_next_rows(g, &d->next, &d->phase, &begin, &end);)
        for (ordo_u64 u = begin; u < end; u++) {
            ordo_u64 rank = 0, before = ~(ordo_u64)0;
            for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
                ordo_u64 v = g->head[e * g->stride];
                rank = v == before ? rank + 1 : 0;
                before = v;
                ordo_u64 pair = d->symmetric && v < u ? v << 32 | u : u << 32 | v;
                ordo_u64 random = ordo_scramble(ordo_scramble(d->key ^ pair) + rank);
                words[e * g->stride] = (ordo_u32)(low + ordo_below(random, many));
            }
        }
}

/* Copies the rows without their weights, with space for others. */
static ordo_status make_room(ordo_csr *g)
{
    ordo_csr wide;
    ordo_status status = ordo_csr_alloc(g->n, g->m, ORDO_U32, &wide);
    if (status)
        return status;
    memcpy((void *)(size_t)wide.row, g->row, ((size_t)g->n + 1) * sizeof *g->row);
    for (ordo_eid e = 0; e < g->m; e++)
        ((ordo_vid *)(size_t)wide.head)[2 * e] = g->head[e * g->stride];
    ordo_csr_free(g);
    *g = wide;
    return ORDO_OK;
}

static ordo_status draw(ordo_team *team, ordo_csr *g, bool symmetric, const ordo_edge_options *options)
{
    ordo_status status = g->stride == 2 ? ORDO_OK : make_room(g);
    if (status)
        return status;
    g->weight_type = ORDO_U32;
    drawing d = {.g = g, .options = options, .symmetric = symmetric, .key = ordo_scramble(options->seed)};
    ordo_phase_begin(&d.phase, "drawing weights", g->n);
    ordo_team_run(team, draw_rows, &d);
    return ordo_phase_end(&d.phase);
}

/* ---- weights of 8 bytes ---- */

typedef struct widening {
    const ordo_csr *from;
    ordo_csr to;
    ordo_shared next;
    ordo_phase phase;
} widening;

/* The bits of a weight as `to`, which holds every value of `type`. */
static ordo_u64 wider(ordo_type type, ordo_type to, ordo_u64 bits)
{
    const ordo_u32 low = (ordo_u32)bits;
    if (to == ORDO_I64)
        return type == ORDO_I32 ? (ordo_u64)(ordo_i64)(ordo_i32)low : bits;
    return ordo_f64_bits(type == ORDO_F32   ? (double)as_f32(low)
                         : type == ORDO_I32 ? (double)(ordo_i32)low
                                            : (double)low);
}

static void widen_rows(void *arg, int member)
{
    widening *w = arg;
    (void)member;
    const ordo_csr *g = w->from;
    ordo_u32 *edges = (ordo_u32 *)(size_t)w->to.head;
    for (ordo_u64 begin, end; ordo_next_rows(g, &w->next, &w->phase, &begin, &end);) {
        memcpy((ordo_eid *)(size_t)w->to.row + begin + 1, g->row + begin + 1, (end - begin) * sizeof *g->row);
        for (ordo_eid e = g->row[begin]; e < g->row[end]; e++) {
            edges[3 * e] = g->head[e * g->stride];
            ordo_put_word(edges + 3 * e, 2, wider(g->weight_type, w->to.weight_type, ordo_csr_word(g, e)));
        }
    }
}

/* Makes the weights of rows those of the type that was requested. */
static ordo_status widen_weights(ordo_team *team, ordo_csr *g, const ordo_origin *origin)
{
    const ordo_type type = origin->edges->weight_type;
    if (type == ORDO_NONE || g->weight_type == ORDO_NONE || g->weight_type == type)
        return ORDO_OK;
    if (ordo_type_wide(g->weight_type) || (g->weight_type == ORDO_F32 && type == ORDO_I64))
        return ordo_fail(ORDO_ERR_INPUT, "%s: found %s weights, expected weights that become %s without loss: %s",
                         origin->source, ordo_type_name(g->weight_type), ordo_type_name(type),
                         type == ORDO_I64 ? "u32 or i32" : "u32, i32 or f32");
    widening w = {.from = g};
    ordo_status status = ordo_csr_alloc(g->n, g->m, type, &w.to);
    if (status)
        return status;
    ((ordo_eid *)(size_t)w.to.row)[0] = 0;
    ordo_phase_begin(&w.phase, "transforming", g->n);
    ordo_team_run(team, widen_rows, &w);
    status = ordo_phase_end(&w.phase);
    ordo_csr_free(status ? &w.to : g);
    if (!status)
        *g = w.to;
    return status;
}

/* ---- is it symmetric? ---- */

static int compare_words(const void *a, const void *b)
{
    ordo_u64 x = *(const ordo_u64 *)a, y = *(const ordo_u64 *)b;
    return (x > y) - (x < y);
}

/* Compares the weights of two groups of `count` edges: the index in the first group of the first edge whose weight
 * occurs less often in the second group; `count` if none; count + 1 where memory is short. */
static ordo_u64 unmatched(const ordo_csr *g, ordo_eid a, ordo_eid b, ordo_u64 count)
{
    if (g->weight_type == ORDO_NONE)
        return count;
    ordo_u64 same = 0;
    while (same < count && ordo_csr_word(g, a + same) == ordo_csr_word(g, b + same))
        same++;
    if (same == count)
        return count;
    ordo_u64 *words = ordo_alloc(count, 2 * sizeof *words);
    if (!words)
        return count + 1;
    ordo_u64 *wa = words, *wb = words + count;
    for (ordo_u64 i = 0; i < count; i++) {
        wa[i] = ordo_csr_word(g, a + i);
        wb[i] = ordo_csr_word(g, b + i);
    }
    qsort(wa, count, sizeof *wa, compare_words);
    qsort(wb, count, sizeof *wb, compare_words);
    /* The groups have equal sizes: if they differ, some weight occurs in the first group more often than in the second.
     */
    ordo_u64 i = 0, j = 0, found = count;
    while (i < count && j < count && wa[i] >= wb[j]) {
        i += wa[i] == wb[j];
        j++;
    }
    if (i < count)
        for (found = 0; ordo_csr_word(g, a + found) != wa[i]; found++)
            ;
    ordo_free(words);
    return found;
}

typedef struct checking {
    const ordo_csr *g;
    ordo_shared next;
    ordo_phase phase;
    int failed;           /* atomic */
    ordo_u64 first_wrong; /* atomic: the first edge found without a reverse; m if none */
} checking;

static void check_rows(void *arg, int member)
{
    checking *p = arg;
    (void)member;
    const ordo_csr *g = p->g;
    for (ordo_u64 begin, end; ordo_next_rows(g, &p->next, &p->phase, &begin, &end);)
        for (ordo_u64 u = begin; u < end; u++)
            for (ordo_eid e = g->row[u]; e < g->row[u + 1];) {
                ordo_vid v = g->head[e * g->stride];
                ordo_u64 count = run_of(g, e, g->row[u + 1], v), wrong = count;
                if (v != u) {
                    ordo_eid back = ordo_csr_find(g, v, (ordo_vid)u);
                    ordo_u64 count_back = run_of(g, back, g->row[v + 1], (ordo_vid)u);
                    if (count > count_back)
                        wrong = count_back;
                    else if (count == count_back) /* fewer: the edge without a reverse is in the other group */
                        wrong = unmatched(g, e, back, count);
                }
                if (wrong == count + 1)
                    __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
                else if (wrong < count)
                    ordo_keep_least(&p->first_wrong, e + wrong);
                e += count;
            }
}

/* Sums over all edges but loops of two random functions of (lower end, higher end, weight): added where the tail is the
 * lower end, subtracted where it is the higher one. They are 0 if each edge has its reverse. */
typedef struct balance {
    const ordo_csr *g;
    ordo_shared next;
    ordo_phase phase;
    ordo_u64 seed[2];
    ordo_u64 sum[2]; /* atomic */
} balance;

static void balance_rows(void *arg, int member)
{
    balance *b = arg;
    (void)member;
    const ordo_csr *g = b->g;
    const bool weighted = g->weight_type != ORDO_NONE;
    ordo_u64 first = 0, second = 0;
    for (ordo_u64 begin, end; ordo_next_rows(g, &b->next, &b->phase, &begin, &end);)
        for (ordo_u64 u = begin; u < end; u++)
            for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
                const ordo_u64 v = g->head[e * g->stride], low = u < v ? u : v, high = u < v ? v : u;
                const ordo_u64 minus = 0 - (ordo_u64)(u > v), counts = 0 - (ordo_u64)(u != v);
                ordo_u64 x = ordo_scramble((low << 32 | high) ^ b->seed[0]);
                if (weighted)
                    x = ordo_scramble(x ^ ordo_csr_word(g, e));
                const ordo_u64 y = ordo_scramble(x ^ b->seed[1]);
                first += ((x ^ minus) - minus) & counts;
                second += ((y ^ minus) - minus) & counts;
            }
    __atomic_fetch_add(&b->sum[0], first, __ATOMIC_RELAXED);
    __atomic_fetch_add(&b->sum[1], second, __ATOMIC_RELAXED);
}

/* Whether the sums are 0. If so, the graph is symmetric but for a chance of about 2^-128, since no input can know the
 * seed: sums of hashes compare multisets (Clarke, Devadas, van Dijk, Gassend and Suh, ASIACRYPT 2003). One pass without
 * random accesses, a fraction of the time of looking for every reverse edge. */
static ordo_status check_balance(ordo_team *team, const ordo_csr *g, bool *balanced)
{
    balance b = {.g = g};
    *balanced = false;
    if (getrandom(b.seed, sizeof b.seed, 0) != sizeof b.seed)
        return ORDO_OK;
    ordo_phase_begin(&b.phase, "checking", g->n);
    ordo_team_run(team, balance_rows, &b);
    *balanced = !b.sum[0] && !b.sum[1];
    return ordo_phase_end(&b.phase);
}

ordo_status ordo_csr_check_symmetric(ordo_team *team, const ordo_csr *g, const ordo_origin *origin)
{
    bool balanced;
    ordo_status status = check_balance(team, g, &balanced);
    if (status || balanced)
        return status;
    checking p = {.g = g, .first_wrong = g->m};
    ordo_phase_begin(&p.phase, "checking", g->n);
    ordo_team_run(team, check_rows, &p);
    status = ordo_phase_end(&p.phase);
    if (status)
        return status;
    if (p.failed)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory to check for reverse edges");
    if (p.first_wrong == g->m)
        return ORDO_OK;
    unsigned long long from = ordo_csr_tail(g, p.first_wrong) + origin->id_base,
                       to = g->head[p.first_wrong * g->stride] + origin->id_base;
    return ordo_fail(ORDO_ERR_INPUT,
                     "%s: found edge %llu -> %llu, expected %llu -> %llu %sas well, as often, in a symmetric graph",
                     origin->source, from, to, to, from, g->weight_type == ORDO_NONE ? "" : "of the same weight ");
}

/* ---- the call ---- */

static ordo_status transform_edges(ordo_team *team, ordo_csr *g, bool *symmetric, const ordo_origin *origin,
                                   ordo_graph_info *info)
{
    const ordo_edge_options *o = origin->edges;
    bool drawn = o->weights == ORDO_WEIGHTS_UNIFORM || o->weights == ORDO_WEIGHTS_REPLACE;
    ordo_status status = ORDO_OK;
    if (!drawn)
        status = widen_weights(team, g, origin); /* first: sums of parallel edges may need it */
    const ordo_type stored = g->weight_type;
    if (drawn)
        g->weight_type = ORDO_NONE; /* its weights are not those of the input */
    if (status)
        return status;
    if (o->drop_loops || o->parallel != ORDO_PARALLEL_KEEP)
        status = drop_edges(team, g, origin, info);
    if (!status && o->direction == ORDO_SYMMETRIC) {
        status = ordo_csr_check_symmetric(team, g, origin);
        *symmetric = !status;
    }
    if (status || !drawn) {
        g->weight_type = stored;
        return status;
    }
    status = draw(team, g, *symmetric, o);
    return status ? status : widen_weights(team, g, origin);
}

ordo_status ordo_graph_transform(ordo_team *team, ordo_csr *csr, bool symmetric, const ordo_origin *origin,
                                 double load_end, ordo_graph **out)
{
    ordo_graph_info known = {.load_seconds = load_end - origin->start};
    ordo_status status = transform_edges(team, csr, &symmetric, origin, &known);
    known.build_seconds = ordo_seconds() - load_end;
    if (!status)
        return ordo_graph_own(csr, symmetric, origin, &known, out);
    ordo_csr_free(csr);
    if (origin->vertices)
        ordo_vertex_data_free(origin->vertices);
    return status;
}

ordo_status ordo_graph_from_rows(ordo_csr *csr, bool symmetric, const ordo_origin *origin, ordo_graph **out)
{
    double load_end = ordo_seconds();
    const ordo_edge_options *o = origin->edges;
    ordo_team *team = NULL;
    ordo_status status = ordo_edge_options_check(o);
    if (!status && o->weights == ORDO_WEIGHTS_UNIFORM && csr->weight_type != ORDO_NONE)
        status = ordo_graph_has_weights(origin);
    if (!status)
        status = ordo_graph_team(origin->threads, csr->m > csr->n ? csr->m : csr->n, &team);
    if (!status)
        status = ordo_csr_sort(team, csr);
    if (!status && o->direction == ORDO_SYMMETRISE && !symmetric) {
        ordo_csr both;
        status = ordo_csr_symmetrise(team, csr, &both);
        if (!status) {
            ordo_csr_free(csr);
            *csr = both;
            symmetric = true;
        }
    }
    if (!status) {
        status = ordo_graph_transform(team, csr, symmetric, origin, load_end, out);
    } else {
        ordo_csr_free(csr);
        if (origin->vertices)
            ordo_vertex_data_free(origin->vertices);
    }
    if (team)
        ordo_team_return(team);
    return status;
}

ordo_status ordo_graph_from_file(ordo_input *in, ordo_u64 n, ordo_u64 m, ordo_type type, bool symmetric,
                                 ordo_fill_fn *fill, void *arg, const ordo_origin *origin, ordo_graph **out)
{
    ordo_csr csr;
    ordo_team *team;
    ordo_status status = ordo_csr_alloc(n, m, type, &csr);
    if (status)
        return status;
    status = ordo_graph_team(origin->threads, n + m, &team);
    if (!status) {
        status = fill(arg, team, &csr);
        ordo_team_return(team);
    }
    if (status) {
        ordo_csr_free(&csr);
        return status;
    }
    ordo_input_close(in);
    return ordo_graph_from_rows(&csr, symmetric, origin, out);
}
