/* rows.c -- compressed sparse rows: allocating them, and sorting them by head, or by weight.
 *
 * Method: a row that is sorted already is left alone (most are: the list was sorted, or the rows were transposed). Up
 * to 64 edges are sorted by insertion, more by radix sort on the bytes of the head. Stable. O(m). By weight likewise,
 * on the bytes of a key in place of the weight, whose order as a whole number is that of the weights.
 *
 * Not done: rows in pieces; compressed heads.
 */
#include "graph.h"
#include "rows.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT_ROW = 64 };

/* Sorts a row, for each kind: heads alone, or heads with their weights, by a key of so many bytes. Stable. False where
 * memory for a long row is short. */
#define DEFINE_SORT(_word, _name, _key_of, _bytes)                                                                     \
    static bool _name(_word *row, ordo_u64 count, ordo_scratch *s)                                                     \
    {                                                                                                                  \
        ordo_u64 sorted = 1;                                                                                           \
        while (sorted < count && _key_of(row[sorted - 1]) <= _key_of(row[sorted]))                                     \
            sorted++;                                                                                                  \
        if (sorted >= count)                                                                                           \
            return true;                                                                                               \
        if (count <= SHORT_ROW) {                                                                                      \
            for (ordo_u64 i = sorted; i < count; i++) {                                                                \
                _word x = row[i];                                                                                      \
                ordo_u64 j = i;                                                                                        \
                for (; j > 0 && _key_of(row[j - 1]) > _key_of(x); j--)                                                 \
                    row[j] = row[j - 1];                                                                               \
                row[j] = x;                                                                                            \
            }                                                                                                          \
            return true;                                                                                               \
        }                                                                                                              \
        if (s->capacity < count) {                                                                                     \
            ordo_free(s->block);                                                                                       \
            s->capacity = 0;                                                                                           \
            s->block = ordo_alloc(count + count / 2, 3 * sizeof(ordo_u32)); /* of the longest kind */                  \
            if (!s->block)                                                                                             \
                return false;                                                                                          \
            s->capacity = count + count / 2;                                                                           \
        }                                                                                                              \
        ordo_u64 places[_bytes][256] = {{0}};                                                                          \
        for (ordo_u64 i = 0; i < count; i++)                                                                           \
            for (int d = 0; d < _bytes; d++)                                                                           \
                places[d][_key_of(row[i]) >> 8 * d & 255]++;                                                           \
        _word *from = row, *to = s->block;                                                                             \
        for (int d = 0; d < _bytes; d++) {                                                                             \
            ordo_u64 *place = places[d], sum = 0;                                                                      \
            if (place[_key_of(from[0]) >> 8 * d & 255] == count)                                                       \
                continue; /* all alike in this byte */                                                                 \
            for (int i = 0; i < 256; i++) {                                                                            \
                ordo_u64 here = place[i];                                                                              \
                place[i] = sum;                                                                                        \
                sum += here;                                                                                           \
            }                                                                                                          \
            for (ordo_u64 i = 0; i < count; i++)                                                                       \
                to[place[_key_of(from[i]) >> 8 * d & 255]++] = from[i];                                                \
            _word *other = from;                                                                                       \
            from = to;                                                                                                 \
            to = other;                                                                                                \
        }                                                                                                              \
        if (from != row)                                                                                               \
            memcpy(row, from, count * sizeof *row);                                                                    \
        return true;                                                                                                   \
    }

typedef struct pair {
    ordo_vid head;
    ordo_u32 weight;
} pair;
#define WORD_HEAD(_x) (_x)
#define PAIR_HEAD(_x) ((_x).head)
#define PAIR_WEIGHT(_x) ((_x).weight)
DEFINE_SORT(ordo_vid, sort_heads, WORD_HEAD, 4)
DEFINE_SORT(pair, sort_pairs, PAIR_HEAD, 4)
DEFINE_SORT(pair, sort_pairs_by_weight, PAIR_WEIGHT, 4)
typedef struct triple {
    ordo_vid head;
    ordo_u32 weight[2];
} triple;
#define TRIPLE_WEIGHT(_x) ((ordo_u64)(_x).weight[1] << 32 | (_x).weight[0])
DEFINE_SORT(triple, sort_triples, PAIR_HEAD, 4)
DEFINE_SORT(triple, sort_triples_by_weight, TRIPLE_WEIGHT, 8)

bool ordo_row_sort(ordo_vid *head, ordo_u32 stride, ordo_eid begin, ordo_eid end, ordo_scratch *s)
{
    if (end - begin < 2)
        return true;
    return stride == 3   ? sort_triples((triple *)(void *)(head + 3 * begin), end - begin, s)
           : stride == 2 ? sort_pairs((pair *)(void *)(head + 2 * begin), end - begin, s)
                         : sort_heads(head + begin, end - begin, s);
}

/* ---- all rows ---- */

typedef struct sorting {
    const ordo_csr *g;
    ordo_shared next;
    ordo_phase phase;
    int failed; /* atomic */
} sorting;

static void sort_rows(void *arg, int member)
{
    sorting *p = arg;
    (void)member;
    const ordo_csr *g = p->g;
    ordo_scratch s = {NULL, 0};
    for (ordo_u64 begin, end; ordo_next_rows(g, &p->next, &p->phase, &begin, &end);)
        for (ordo_u64 u = begin; u < end; u++)
            if (!ordo_row_sort((ordo_vid *)(size_t)g->head, g->stride, g->row[u], g->row[u + 1], &s))
                __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
    ordo_free(s.block);
}

ordo_status ordo_csr_sort(ordo_team *team, ordo_csr *g)
{
    sorting p = {.g = g};
    ordo_phase_begin(&p.phase, "sorting rows", g->n);
    ordo_team_run(team, sort_rows, &p);
    ordo_status status = ordo_phase_end(&p.phase);
    return status ? status
           : p.failed
               ? ordo_fail(ORDO_ERR_MEMORY, "not enough memory to sort rows of %llu edges", (unsigned long long)g->m)
               : ORDO_OK;
}

/* ---- rows by weight ---- */

/* The key of a weight, by its bits, and back: whole numbers whose order is that of the weights, or the opposite one. */
static ordo_u64 weight_key(ordo_type type, bool heaviest_first, ordo_u64 bits)
{
    const ordo_u64 all = ordo_type_wide(type) ? ~(ordo_u64)0 : 0xffffffffu, sign = all / 2 + 1;
    const bool real = type == ORDO_F32 || type == ORDO_F64;
    const ordo_u64 key = type == ORDO_U32 ? bits : real && bits & sign ? ~bits & all : bits ^ sign;
    return heaviest_first ? ~key & all : key;
}
static ordo_u64 weight_of_key(ordo_type type, bool heaviest_first, ordo_u64 key)
{
    const ordo_u64 all = ordo_type_wide(type) ? ~(ordo_u64)0 : 0xffffffffu, sign = all / 2 + 1;
    const bool real = type == ORDO_F32 || type == ORDO_F64;
    key = heaviest_first ? ~key & all : key;
    return type == ORDO_U32 ? key : real && !(key & sign) ? ~key & all : key ^ sign;
}

typedef struct weighing {
    const ordo_csr *from;
    ordo_csr *to;
    bool heaviest_first;
    ordo_shared next;
    ordo_phase phase;
    int failed; /* atomic */
} weighing;

/* Copies a row with keys in place of weights, sorts it, and puts the weights back: all while it is in the cache. */
static bool weigh_row(const weighing *p, ordo_vid u, ordo_scratch *s)
{
    const ordo_csr *g = p->from;
    const ordo_type type = g->weight_type;
    const ordo_eid begin = g->row[u], end = g->row[u + 1];
    const ordo_u32 words = p->to->stride;
    ordo_u32 *edge = (ordo_u32 *)(size_t)p->to->head + begin * words;
    for (ordo_eid e = begin; e < end; e++) {
        edge[(e - begin) * words] = g->head[e * g->stride];
        ordo_put_word(edge + (e - begin) * words, words - 1, weight_key(type, p->heaviest_first, ordo_csr_word(g, e)));
    }
    const bool sorted = words == 3 ? sort_triples_by_weight((triple *)(void *)edge, end - begin, s)
                                   : sort_pairs_by_weight((pair *)(void *)edge, end - begin, s);
    for (ordo_u32 *last = edge + (end - begin) * words; edge < last; edge += words) {
        const ordo_u64 key = words == 3 ? TRIPLE_WEIGHT(*(triple *)(void *)edge) : edge[1];
        ordo_put_word(edge, words - 1, weight_of_key(type, p->heaviest_first, key));
    }
    return sorted;
}

static void weigh_rows(void *arg, int member)
{
    enum { ROWS_AT_ONCE = 64 }; /* rows of hubs often lie side by side */
    weighing *p = arg;
    const ordo_vid n = p->from->n;
    ordo_scratch s = {NULL, 0};
    ordo_u64 begin;
    (void)member;
    while (!ordo_phase_step(&p->phase, ROWS_AT_ONCE) && (begin = ordo_take_next(&p->next, ROWS_AT_ONCE)) < n) {
        for (ordo_u64 u = begin; u < begin + ROWS_AT_ONCE && u < n; u++) {
            ((ordo_eid *)(size_t)p->to->row)[u + 1] = p->from->row[u + 1];
            if (p->from->row[u] < p->from->row[u + 1] && !weigh_row(p, (ordo_vid)u, &s))
                __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
        }
    }
    ordo_free(s.block);
}

ordo_status ordo_csr_by_weight(ordo_team *team, const ordo_csr *g, bool heaviest_first, ordo_csr *out)
{
    weighing p = {.from = g, .to = out, .heaviest_first = heaviest_first};
    ordo_status status = ordo_csr_alloc(g->n, g->m, g->weight_type, out);
    if (status)
        return status;
    ((ordo_eid *)(size_t)out->row)[0] = 0;
    ordo_phase_begin(&p.phase, "sorting rows by weight", g->n);
    ordo_team_run(team, weigh_rows, &p);
    status = ordo_phase_end(&p.phase);
    if (!status && p.failed)
        status = ordo_fail(ORDO_ERR_MEMORY, "not enough memory to sort rows of %llu edges by weight",
                           (unsigned long long)g->m);
    if (status)
        ordo_csr_free(out);
    return status;
}

/* ---- allocation ---- */

ordo_status ordo_csr_alloc(ordo_u64 n, ordo_u64 m, ordo_type weight_type, ordo_csr *out)
{
    ordo_u64 words = weight_type == ORDO_NONE ? 1 : 1 + ordo_type_bytes(weight_type) / sizeof(ordo_vid), bytes;
    if (__builtin_mul_overflow(m, words * sizeof(ordo_vid), &bytes) ||
        __builtin_add_overflow(bytes, (n + 1) * sizeof(ordo_eid), &bytes) || !ordo_memory_fits(bytes))
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for %llu vertices and %llu edges", (unsigned long long)n,
                         (unsigned long long)m);
    ordo_eid *row = ordo_alloc(n + 1, sizeof *row);
    ordo_vid *head = row ? ordo_alloc(m, words * sizeof *head) : NULL;
    if (!head) {
        ordo_free(row);
        return ORDO_ERR_MEMORY;
    }
    *out = (ordo_csr){.n = (ordo_vid)n,
                      .m = m,
                      .row = row,
                      .head = head,
                      .weight = weight_type == ORDO_NONE ? NULL : head + 1,
                      .stride = (ordo_u32)words,
                      .weight_type = weight_type};
    return ORDO_OK;
}

void ordo_csr_free(ordo_csr *csr)
{
    ordo_free((void *)(size_t)csr->row);
    ordo_free((void *)(size_t)csr->head);
    *csr = (ordo_csr){0};
}
