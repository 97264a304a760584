/* rows.c -- compressed sparse rows: allocating them, and sorting them by head.
 *
 * Method: a row that is sorted already is left alone (most are: the list was sorted, or the rows were transposed). Up
 * to 64 edges are sorted by insertion, more by radix sort on the bytes of the head. Stable. O(m).
 *
 * Not done: rows in pieces; compressed heads.
 */
#include "graph.h"
#include "rows.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT_ROW = 64 };

/* Sorts a row, for each kind: heads alone, or heads with their weights. Stable. False where memory for a long row is
 * short. */
#define DEFINE_SORT(_word, _name, _head_of)                                                                            \
    static bool _name(_word *row, ordo_u64 count, ordo_scratch *s)                                                     \
    {                                                                                                                  \
        ordo_u64 sorted = 1;                                                                                           \
        while (sorted < count && _head_of(row[sorted - 1]) <= _head_of(row[sorted]))                                   \
            sorted++;                                                                                                  \
        if (sorted >= count)                                                                                           \
            return true;                                                                                               \
        if (count <= SHORT_ROW) {                                                                                      \
            for (ordo_u64 i = sorted; i < count; i++) {                                                                \
                _word x = row[i];                                                                                      \
                ordo_u64 j = i;                                                                                        \
                for (; j > 0 && _head_of(row[j - 1]) > _head_of(x); j--)                                               \
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
        ordo_u64 places[4][256] = {{0}};                                                                               \
        for (ordo_u64 i = 0; i < count; i++)                                                                           \
            for (int d = 0; d < 4; d++)                                                                                \
                places[d][_head_of(row[i]) >> 8 * d & 255]++;                                                          \
        _word *from = row, *to = s->block;                                                                             \
        for (int d = 0; d < 4; d++) {                                                                                  \
            ordo_u64 *place = places[d], sum = 0;                                                                      \
            if (place[_head_of(from[0]) >> 8 * d & 255] == count)                                                      \
                continue; /* all alike in this byte */                                                                 \
            for (int i = 0; i < 256; i++) {                                                                            \
                ordo_u64 here = place[i];                                                                              \
                place[i] = sum;                                                                                        \
                sum += here;                                                                                           \
            }                                                                                                          \
            for (ordo_u64 i = 0; i < count; i++)                                                                       \
                to[place[_head_of(from[i]) >> 8 * d & 255]++] = from[i];                                               \
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
DEFINE_SORT(ordo_vid, sort_heads, WORD_HEAD)
DEFINE_SORT(pair, sort_pairs, PAIR_HEAD)
typedef struct triple {
    ordo_vid head;
    ordo_u32 weight[2];
} triple;
DEFINE_SORT(triple, sort_triples, PAIR_HEAD)

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
