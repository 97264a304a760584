/* build.c -- from an edge list, or from other rows, to rows.
 *
 * Problem: put m edges in order of (tail, head, position in the list) with all threads, the same result for any number
 * of them, and not much more memory than list and rows.
 *
 * Method: a counting sort in two steps. First the edges are moved to at most 512 buckets of consecutive tails: every
 * thread counts its part of the list by bucket, the counts are summed in the order (bucket, thread), every thread
 * moves its part: stable, and it writes to few enough places at a time for caches and TLB. Then the buckets are taken
 * one by one by whoever is free: rows counted, edges put into rows, each row sorted by head. A list whose tails ascend
 * already is its own set of buckets and is not moved. Reverse edges are made while moving, so a symmetrised
 * list is never held. O(m) but for the sorting of rows: insertion up to 64 edges, else by bytes of the head.
 *
 * Not done: removing loops or parallel edges; renumbering; graphs that do not fit in memory.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "graph.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUCKETS = 512, SHORT_ROW = 64, ROWS_AT_ONCE = 1024 };

typedef struct cursor_line {
    _Alignas(64) ordo_u64 next; /* atomic: the next bucket or block that nobody has taken */
} cursor_line;

typedef struct source {
    const ordo_edge_entry *list; /* count edges, or */
    const ordo_csr *rows;        /* these, turned round if */
    bool turned;
    ordo_u64 count;
    bool symmetrise; /* the reverses as well */
    ordo_u64 n;
} source;

typedef struct member_result {
    _Alignas(64) ordo_u64 bad; /* first edge with an end >= n, or count */
    ordo_vid first, last;      /* tails of the part's first and last edge */
    bool ascends;
} member_result;

typedef struct build {
    ordo_team *team;
    source from;
    int shift;           /* bucket of tail u: u >> shift */
    ordo_u64 buckets;    /* used */
    ordo_u64 *histogram; /* [members][buckets]; counts, then where the member's next edge goes */
    ordo_u64 *start;     /* [buckets + 1] */
    member_result *results;
    const ordo_edge_entry *ordered; /* by bucket: the list itself or `moved` */
    ordo_edge_entry *moved;
    ordo_csr to;
    ordo_eid *row;
    ordo_vid *head;
    cursor_line cursor;
    int failed; /* atomic */
} build;

typedef void emit_fn(build *b, ordo_u64 *slots, ordo_vid tail, ordo_vid head, ordo_u32 weight);

/* Calls emit on every edge of positions begin..end-1, in order. Inlined with its emit. */
static inline __attribute__((always_inline)) void for_each(build *b, ordo_u64 begin, ordo_u64 end, ordo_u64 *slots,
                                                           emit_fn *emit)
{
    const source *s = &b->from;
    if (s->rows) {
        const ordo_csr *g = s->rows;
        if (begin == end)
            return;
        ordo_vid lo = 0, hi = g->n; /* the row that holds edge `begin` is in [lo, hi) */
        while (hi - lo > 1) {
            ordo_vid middle = lo + (hi - lo) / 2;
            if (g->row[middle] <= begin)
                lo = middle;
            else
                hi = middle;
        }
        for (ordo_u64 e = begin; e < end; e++) {
            while (g->row[lo + 1] <= e)
                lo++;
            ordo_vid head = g->head[e * g->stride];
            ordo_u32 weight = ordo_csr_word(g, e);
            emit(b, slots, s->turned ? head : lo, s->turned ? lo : head, weight);
            if (s->symmetrise && head != lo)
                emit(b, slots, head, lo, weight);
        }
        return;
    }
    for (ordo_u64 i = begin; i < end; i++) {
        ordo_edge_entry x = s->list[i];
        emit(b, slots, x.tail, x.head, x.weight);
        if (s->symmetrise && x.tail != x.head)
            emit(b, slots, x.head, x.tail, x.weight);
    }
}

static inline __attribute__((always_inline)) void emit_count(build *b, ordo_u64 *slots, ordo_vid tail, ordo_vid head,
                                                             ordo_u32 weight)
{
    (void)head, (void)weight;
    slots[tail >> b->shift]++;
}

static inline __attribute__((always_inline)) void emit_move(build *b, ordo_u64 *slots, ordo_vid tail, ordo_vid head,
                                                            ordo_u32 weight)
{
    b->moved[slots[tail >> b->shift]++] = (ordo_edge_entry){tail, head, weight};
}

static ordo_u64 *slots_of(build *b, int member)
{
    return b->histogram + (ordo_u64)member * b->buckets;
}

static void count_part(void *arg, int member)
{
    build *b = arg;
    const source *s = &b->from;
    ordo_u64 begin, end;
    ordo_split(s->count, ordo_team_size(b->team), member, &begin, &end);
    member_result *r = &b->results[member];
    *r = (member_result){.bad = s->count, .ascends = true};
    if (s->list && begin < end) {
        ordo_vid before = s->list[begin].tail;
        r->first = before;
        for (ordo_u64 i = begin; i < end; i++) {
            ordo_edge_entry x = s->list[i];
            if (x.tail >= s->n || x.head >= s->n) {
                r->bad = i;
                return;
            }
            r->ascends &= before <= x.tail;
            before = x.tail;
        }
        r->last = before;
    }
    ordo_u64 *slots = slots_of(b, member);
    memset(slots, 0, b->buckets * sizeof *slots);
    for_each(b, begin, end, slots, emit_count);
}

static void move_part(void *arg, int member)
{
    build *b = arg;
    ordo_u64 begin, end;
    ordo_split(b->from.count, ordo_team_size(b->team), member, &begin, &end);
    for_each(b, begin, end, slots_of(b, member), emit_move);
}

/* ---- sorting a row ---- */

typedef struct scratch {
    void *block;
    ordo_u64 room; /* edges */
} scratch;

/* For both kinds of row: heads alone, or heads with their weights. Stable. Rows mostly come sorted (the list was, or
 * they were transposed), so that is looked at first. False where memory for a long row is short. */
#define DEFINE_SORT(_word, _name, _head_of)                                                                            \
    static bool _name(_word *row, ordo_u64 count, scratch *s)                                                          \
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
        if (s->room < count) {                                                                                         \
            ordo_free(s->block);                                                                                       \
            s->room = 0;                                                                                               \
            s->block = ordo_alloc(count + count / 2, sizeof(ordo_u64));                                                \
            if (!s->block)                                                                                             \
                return false;                                                                                          \
            s->room = count + count / 2;                                                                               \
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

static bool sort_row(ordo_vid *head, ordo_u32 stride, ordo_eid begin, ordo_eid end, scratch *s)
{
    if (end - begin < 2)
        return true;
    return stride == 2 ? sort_pairs((pair *)(void *)(head + 2 * begin), end - begin, s)
                       : sort_heads(head + begin, end - begin, s);
}

/* ---- buckets to rows ---- */

static bool fill_bucket(build *b, ordo_u64 bucket, ordo_u64 *cursor, scratch *s)
{
    ordo_u64 low = bucket << b->shift, high = (bucket + 1) << b->shift;
    if (high > b->from.n)
        high = b->from.n;
    const ordo_edge_entry *first = b->ordered + b->start[bucket], *last = b->ordered + b->start[bucket + 1];

    memset(cursor, 0, (high - low) * sizeof *cursor);
    for (const ordo_edge_entry *x = first; x < last; x++)
        cursor[x->tail - low]++;
    ordo_u64 sum = b->start[bucket];
    for (ordo_u64 u = low; u < high; u++) {
        ordo_u64 degree = cursor[u - low];
        b->row[u] = cursor[u - low] = sum;
        sum += degree;
    }
    if (b->to.stride == 2) {
        pair *pairs = (pair *)(void *)b->head;
        for (const ordo_edge_entry *x = first; x < last; x++)
            pairs[cursor[x->tail - low]++] = (pair){x->head, x->weight};
    } else {
        for (const ordo_edge_entry *x = first; x < last; x++)
            b->head[cursor[x->tail - low]++] = x->head;
    }
    ordo_u64 begin = b->start[bucket]; /* a cursor stands at the end of its row now */
    for (ordo_u64 u = low; u < high; begin = cursor[u - low], u++)
        if (!sort_row(b->head, b->to.stride, begin, cursor[u - low], s))
            return false;
    return true;
}

static void fill_rows(void *arg, int member)
{
    build *b = arg;
    (void)member;
    scratch s = {NULL, 0};
    ordo_u64 *cursor = ordo_alloc((size_t)1 << b->shift, sizeof *cursor);
    bool good = cursor != NULL;
    while (good && !__atomic_load_n(&b->failed, __ATOMIC_RELAXED)) {
        ordo_u64 bucket = __atomic_fetch_add(&b->cursor.next, 1, __ATOMIC_RELAXED);
        if (bucket >= b->buckets)
            break;
        good = fill_bucket(b, bucket, cursor, &s);
    }
    if (!good)
        __atomic_store_n(&b->failed, 1, __ATOMIC_RELAXED);
    ordo_free(cursor);
    ordo_free(s.block);
}

ordo_status ordo_csr_alloc(ordo_u64 n, ordo_u64 m, ordo_type weight_type, ordo_csr *out)
{
    ordo_u64 words = weight_type == ORDO_NONE ? 1 : 2, bytes;
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

/* Sums counts into places; the start of every bucket on the way. */
static void place_buckets(build *b)
{
    ordo_u64 sum = 0;
    int members = ordo_team_size(b->team);
    for (ordo_u64 k = 0; k < b->buckets; k++) {
        b->start[k] = sum;
        for (int t = 0; t < members; t++) {
            ordo_u64 *slot = &slots_of(b, t)[k], here = *slot;
            *slot = sum;
            sum += here;
        }
    }
    b->start[b->buckets] = sum;
}

/* The first edge of the list with an end that is no vertex, or count; and whether tails ascend all along. */
static ordo_u64 join_results(const build *b, bool *ascends)
{
    ordo_u64 count = b->from.count, bad = count;
    bool any = false;
    ordo_vid last = 0;
    *ascends = true;
    for (int t = 0; t < ordo_team_size(b->team); t++) {
        ordo_u64 begin, end;
        ordo_split(count, ordo_team_size(b->team), t, &begin, &end);
        const member_result *r = &b->results[t];
        if (r->bad < bad)
            bad = r->bad;
        if (begin == end)
            continue;
        *ascends &= r->ascends && (!any || last <= r->first);
        last = r->last;
        any = true;
    }
    return bad;
}

/* Rows of `from`; frees *taken (and sets it NULL) as soon as its edges are moved. */
static ordo_status rows_from(ordo_team *team, const source *from, ordo_type weight_type, ordo_edge_entry **taken,
                             ordo_csr *out)
{
    build b = {.team = team, .from = *from};
    while (from->n && (from->n - 1) >> b.shift >= BUCKETS)
        b.shift++;
    b.buckets = from->n ? ((from->n - 1) >> b.shift) + 1 : 0;

    size_t members = (size_t)ordo_team_size(team);
    ordo_status status = ORDO_ERR_MEMORY;
    b.histogram = ordo_alloc(members * b.buckets, sizeof *b.histogram);
    b.start = b.histogram ? ordo_alloc(b.buckets + 1, sizeof *b.start) : NULL;
    b.results = b.start ? ordo_alloc(members, sizeof *b.results) : NULL;
    if (!b.results)
        goto done;

    ordo_team_run(team, count_part, &b);
    bool ascends;
    ordo_u64 bad = join_results(&b, &ascends);
    if (bad < from->count) {
        ordo_edge_entry x = from->list[bad];
        status = ordo_fail(ORDO_ERR_INPUT, "edge %llu of the list: found %llu -> %llu, expected ends below %llu",
                           (unsigned long long)bad, (unsigned long long)x.tail, (unsigned long long)x.head,
                           (unsigned long long)from->n);
        goto done;
    }
    place_buckets(&b);
    if (from->list && ascends && !from->symmetrise) {
        b.ordered = from->list;
    } else {
        b.moved = ordo_alloc(b.start[b.buckets], sizeof *b.moved);
        if (!b.moved)
            goto done;
        ordo_team_run(team, move_part, &b);
        b.ordered = b.moved;
        if (taken) {
            ordo_free(*taken);
            *taken = NULL;
        }
    }

    status = ordo_csr_alloc(from->n, b.start[b.buckets], weight_type, &b.to);
    if (status)
        goto done;
    b.row = (ordo_eid *)(size_t)b.to.row;
    b.head = (ordo_vid *)(size_t)b.to.head;
    b.row[from->n] = b.to.m;
    ordo_team_run(team, fill_rows, &b);
    if (b.failed) {
        ordo_csr_free(&b.to);
        status = ordo_fail(ORDO_ERR_MEMORY, "not enough memory to sort %llu edges into rows",
                           (unsigned long long)b.start[b.buckets]);
        goto done;
    }
    *out = b.to;

done:
    ordo_free(b.moved);
    ordo_free(b.results);
    ordo_free(b.start);
    ordo_free(b.histogram);
    return status;
}

ordo_status ordo_csr_transpose(ordo_team *team, const ordo_csr *g, ordo_csr *out)
{
    source from = {.rows = g, .turned = true, .count = g->m, .n = g->n};
    return rows_from(team, &from, g->weight_type, NULL, out);
}

ordo_status ordo_csr_symmetrise(ordo_team *team, const ordo_csr *g, ordo_csr *out)
{
    source from = {.rows = g, .symmetrise = true, .count = g->m, .n = g->n};
    return rows_from(team, &from, g->weight_type, NULL, out);
}

/* ---- passes over rows ---- */

typedef struct pass {
    const ordo_csr *g;
    cursor_line cursor;
    int failed;           /* atomic */
    ordo_u64 first_wrong; /* atomic: least edge known without a reverse; m if none */
} pass;

static bool next_rows(pass *p, ordo_u64 *begin, ordo_u64 *end)
{
    *begin = __atomic_fetch_add(&p->cursor.next, ROWS_AT_ONCE, __ATOMIC_RELAXED);
    *end = *begin + ROWS_AT_ONCE < p->g->n ? *begin + ROWS_AT_ONCE : p->g->n;
    return *begin < p->g->n && !__atomic_load_n(&p->failed, __ATOMIC_RELAXED);
}

static void sort_rows(void *arg, int member)
{
    pass *p = arg;
    (void)member;
    const ordo_csr *g = p->g;
    scratch s = {NULL, 0};
    for (ordo_u64 begin, end; next_rows(p, &begin, &end);)
        for (ordo_u64 u = begin; u < end; u++)
            if (!sort_row((ordo_vid *)(size_t)g->head, g->stride, g->row[u], g->row[u + 1], &s))
                __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
    ordo_free(s.block);
}

ordo_status ordo_csr_sort(ordo_team *team, ordo_csr *g)
{
    pass p = {.g = g};
    ordo_team_run(team, sort_rows, &p);
    return p.failed
               ? ordo_fail(ORDO_ERR_MEMORY, "not enough memory to sort rows of %llu edges", (unsigned long long)g->m)
               : ORDO_OK;
}

static int compare_words(const void *a, const void *b)
{
    ordo_u32 x = *(const ordo_u32 *)a, y = *(const ordo_u32 *)b;
    return (x > y) - (x < y);
}

/* Index within the first group of the first edge whose weight the second group has less often; `count` if none;
 * count + 1 where memory is short. */
static ordo_u64 unmatched(const ordo_csr *g, ordo_eid a, ordo_eid b, ordo_u64 count)
{
    if (g->weight_type == ORDO_NONE)
        return count;
    ordo_u64 same = 0;
    while (same < count && ordo_csr_word(g, a + same) == ordo_csr_word(g, b + same))
        same++;
    if (same == count)
        return count;
    ordo_u32 *words = ordo_alloc(count, 2 * sizeof *words);
    if (!words)
        return count + 1;
    ordo_u32 *wa = words, *wb = words + count;
    for (ordo_u64 i = 0; i < count; i++) {
        wa[i] = ordo_csr_word(g, a + i);
        wb[i] = ordo_csr_word(g, b + i);
    }
    qsort(wa, count, sizeof *wa, compare_words);
    qsort(wb, count, sizeof *wb, compare_words);
    /* Equally many: if they are not the same, some weight is in the first group more often than in the second. */
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

static ordo_eid first_of(const ordo_csr *g, ordo_vid u, ordo_vid v)
{
    ordo_eid lo = g->row[u], hi = g->row[u + 1];
    while (lo < hi) {
        ordo_eid middle = lo + (hi - lo) / 2;
        if (g->head[middle * g->stride] < v)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static ordo_u64 run_of(const ordo_csr *g, ordo_eid e, ordo_eid end, ordo_vid v)
{
    ordo_u64 count = 0;
    while (e + count < end && g->head[(e + count) * g->stride] == v)
        count++;
    return count;
}

static void check_rows(void *arg, int member)
{
    pass *p = arg;
    (void)member;
    const ordo_csr *g = p->g;
    for (ordo_u64 begin, end; next_rows(p, &begin, &end);)
        for (ordo_u64 u = begin; u < end; u++)
            for (ordo_eid e = g->row[u]; e < g->row[u + 1];) {
                ordo_vid v = g->head[e * g->stride];
                ordo_u64 count = run_of(g, e, g->row[u + 1], v), wrong = count;
                if (v != u) {
                    ordo_eid back = first_of(g, v, (ordo_vid)u);
                    ordo_u64 count_back = run_of(g, back, g->row[v + 1], (ordo_vid)u);
                    if (count > count_back)
                        wrong = count_back;
                    else if (count == count_back) /* fewer: the other group has the edge to blame */
                        wrong = unmatched(g, e, back, count);
                }
                if (wrong == count + 1)
                    __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
                else if (wrong < count) {
                    ordo_u64 least = __atomic_load_n(&p->first_wrong, __ATOMIC_RELAXED);
                    while (e + wrong < least && !__atomic_compare_exchange_n(&p->first_wrong, &least, e + wrong, 1,
                                                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                        ;
                }
                e += count;
            }
}

ordo_status ordo_csr_check_symmetric(ordo_team *team, const ordo_csr *g, const ordo_origin *origin)
{
    pass p = {.g = g, .first_wrong = g->m};
    ordo_team_run(team, check_rows, &p);
    if (p.failed)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory to check for reverse edges");
    if (p.first_wrong == g->m)
        return ORDO_OK;
    ordo_u64 u = 0, high = g->n; /* the row of that edge */
    while (high - u > 1) {
        ordo_u64 middle = u + (high - u) / 2;
        if (g->row[middle] <= p.first_wrong)
            u = middle;
        else
            high = middle;
    }
    unsigned long long from = u + origin->id_base, to = g->head[p.first_wrong * g->stride] + origin->id_base;
    return ordo_fail(ORDO_ERR_INPUT,
                     "%s: found edge %llu -> %llu, expected %llu -> %llu %sas well, as often, in a symmetric graph",
                     origin->source, from, to, to, from, g->weight_type == ORDO_NONE ? "" : "of the same weight ");
}

/* ---- graphs from lists ---- */

double ordo_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

ordo_status ordo_graph_team(int threads, ordo_u64 work, ordo_team **out)
{
    enum { WORK_OF_ONE = 16384 };
    if (threads < 0 || threads > ORDO_MAX_THREADS)
        return ordo_team_lease(threads, out); /* to be refused in its words */
    if (threads == 0)
        threads = ordo_cores();
    if ((ordo_u64)threads > work / WORK_OF_ONE + 1)
        threads = (int)(work / WORK_OF_ONE + 1);
    return ordo_team_lease(threads, out);
}

static ordo_status make(ordo_u64 n, const ordo_edge_entry *list, ordo_edge_entry **taken, ordo_u64 count,
                        ordo_type weight_type, ordo_direction direction, const ordo_origin *origin, ordo_graph **out)
{
    double start = ordo_seconds();
    if (n > ORDO_MAX_VERTICES)
        return ordo_fail(ORDO_ERR_INPUT, "%s: found %llu vertices, expected at most %llu", origin->source,
                         (unsigned long long)n, (unsigned long long)ORDO_MAX_VERTICES);
    ordo_team *team;
    ordo_status status = ordo_graph_team(origin->threads, n > count ? n : count, &team);
    if (status)
        return status;
    source from = {.list = list, .count = count, .n = n, .symmetrise = direction == ORDO_SYMMETRISE};
    ordo_csr csr;
    status = rows_from(team, &from, weight_type, taken, &csr);
    if (!status && direction == ORDO_SYMMETRIC) {
        status = ordo_csr_check_symmetric(team, &csr, origin);
        if (status)
            ordo_csr_free(&csr);
    }
    ordo_team_return(team);
    if (status)
        return status;
    return ordo_graph_own(&csr, direction != ORDO_AS_STORED, origin, ordo_seconds() - start, out);
}

ordo_status ordo_graph_build(ordo_u64 n, ordo_edge_entry *list, ordo_u64 count, ordo_type weight_type,
                             ordo_direction direction, const ordo_origin *origin, ordo_graph **out)
{
    ordo_status status = make(n, list, &list, count, weight_type, direction, origin, out);
    ordo_free(list);
    return status;
}

ordo_status ordo_graph_from_edges(ordo_u64 n, const ordo_edge_entry *edges, ordo_u64 count, ordo_type weight_type,
                                  ordo_direction direction, int threads, ordo_graph **out)
{
    static const ordo_edge_entry none = {0, 0, 0};
    if (!out || (!edges && count))
        return ordo_fail(ORDO_ERR_USAGE, "%s is NULL", out ? "edges" : "out");
    if (weight_type != ORDO_NONE && weight_type != ORDO_U32 && weight_type != ORDO_I32 && weight_type != ORDO_F32)
        return ordo_fail(ORDO_ERR_USAGE, "found weight type %d, expected none, u32, i32 or f32", (int)weight_type);
    if (direction != ORDO_AS_STORED && direction != ORDO_SYMMETRISE && direction != ORDO_SYMMETRIC)
        return ordo_fail(ORDO_ERR_USAGE, "found direction %d, expected one of ordo_direction", (int)direction);
    if (count > SIZE_MAX / 2 / sizeof *edges)
        return ordo_fail(ORDO_ERR_USAGE, "found %llu edges, more than memory can hold", (unsigned long long)count);
    ordo_origin origin = {.source = "edge list", .format = "edge list in memory", .threads = threads};
    return make(n, edges ? edges : &none, NULL, count, weight_type, direction, &origin, out);
}
