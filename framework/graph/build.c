/* build.c -- from a source of edges to rows.
 *
 * Problem: sort m edges by (tail, head, position in the list) with all threads, with the same result for any number of
 * them, and with at most 2.2 times the memory of the rows, so without holding the list beside the rows.
 *
 * Method: a counting sort in two passes over a source that gives its edges twice. In the first pass every part counts
 * its edges by bucket; there are at most 512 buckets of consecutive tails. The counts are summed in the order (bucket,
 * part). In the second pass edges are written to their buckets: stable, and to few enough places at a time for caches
 * and TLB. Then free threads take the buckets one by one: they count rows, write edges into rows, sort each row by
 * head, and return the pages of the bucket to the system, so that buckets shrink as rows grow. While n is unknown, the
 * width of a bucket doubles whenever a tail lies beyond the last bucket. If all tails ascend, there are no buckets:
 * edges are written to their rows directly. Reverse edges are made in both passes. O(m), except for the sorting of
 * rows.
 *
 * Not done: graphs that do not fit in memory.
 */
#define _DEFAULT_SOURCE /* madvise */
#include "rows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUCKETS = 512 };

typedef struct part {
    ordo_u64 edges;      /* edges of the source, without reverse ones */
    ordo_u64 first_edge; /* before it */
    ordo_vid first, last,
        before; /* tails: its first and last, and the last one of the parts before (where edges > 0) */
    int shift;  /* of the part's counts: tail u is in bucket u >> shift */
    bool ascends;
} part;

typedef struct build {
    ordo_team *team;
    const ordo_source *from;
    ordo_mirror mirror;
    ordo_u64 n;
    int shift; /* bucket of tail u: u >> shift */
    ordo_u64 buckets;
    part *parts;
    ordo_u64 *counts; /* [parts][BUCKETS]; in the second pass: places of next edges */
    ordo_u64 *start;  /* [buckets + 1] */
    ordo_u32 width;   /* words of an edge in a bucket: tail, head and, where they are kept, one or two of the weight */
    ordo_u32 *moved;  /* edges by bucket; NULL: they are written to their rows directly */
    bool started;     /* there was an edge in an earlier part; for `before` */
    ordo_csr to;
    ordo_eid *row;
    ordo_vid *head;
    ordo_shared next; /* part, then bucket */
    const char *what; /* the name of all phases; NULL: each has its own */
    ordo_phase phase;
    int failed; /* atomic */
} build;

static void begin_phase(build *b, const char *name, ordo_u64 total)
{
    ordo_phase_begin(&b->phase, b->what ? b->what : name, total);
}

/* ---- the first pass: counting ---- */

typedef struct counter {
    ordo_taker taker;
    bool mirrored;
    part *part;
    ordo_u64 *counts; /* [BUCKETS] */
} counter;

/* Doubles the width of buckets. */
static void fold(ordo_u64 *counts)
{
    for (int k = 0; k < BUCKETS / 2; k++)
        counts[k] = counts[2 * k] + counts[2 * k + 1];
    memset(counts + BUCKETS / 2, 0, BUCKETS / 2 * sizeof *counts);
}

static inline void count_one(counter *c, ordo_vid tail)
{
    while (__builtin_expect(tail >> c->part->shift >= BUCKETS, 0)) {
        fold(c->counts);
        c->part->shift++;
    }
    c->counts[tail >> c->part->shift]++;
}

static void take_count(ordo_taker *taker, const ordo_given_edge *edges, size_t count)
{
    counter *c = (counter *)taker;
    part *p = c->part;
    if (!count)
        return;
    if (p->edges == 0)
        p->first = p->last = edges[0].tail;
    p->edges += count;
    ordo_vid last = p->last;
    bool ascends = p->ascends;
    for (size_t i = 0; i < count; i++) {
        ordo_vid tail = edges[i].tail;
        ascends &= last <= tail;
        last = tail;
        count_one(c, tail);
    }
    if (c->mirrored)
        for (size_t i = 0; i < count; i++)
            if (edges[i].head != edges[i].tail)
                count_one(c, edges[i].head);
    p->last = last;
    p->ascends = ascends;
}

static int shift_for(ordo_u64 n)
{
    int shift = 0;
    while (n && (n - 1) >> shift >= BUCKETS)
        shift++;
    return shift;
}

static void count_parts(void *arg, int member)
{
    build *b = arg;
    (void)member;
    int shift = b->from->n == ORDO_COUNT_UNKNOWN ? 0 : shift_for(b->from->n);
    for (ordo_u64 i; !ordo_phase_step(&b->phase, 1) && (i = ordo_take_next(&b->next, 1)) < b->from->parts;) {
        ordo_u64 *counts = b->counts + i * BUCKETS;
        memset(counts, 0, BUCKETS * sizeof *counts);
        b->parts[i] = (part){.ascends = true, .shift = shift};
        counter c = {{take_count}, b->mirror != ORDO_MIRROR_NONE, &b->parts[i], counts};
        b->from->give(b->from->self, i, true, &c.taker);
    }
}

/* Sums the edges of parts, and finds out whether all tails ascend. */
static ordo_u64 join_parts(build *b, bool *ascends)
{
    ordo_u64 edges = 0;
    ordo_vid last = 0;
    *ascends = true;
    for (ordo_u64 i = 0; i < b->from->parts; i++) {
        part *p = &b->parts[i];
        p->first_edge = edges;
        p->before = last;
        if (p->edges) {
            *ascends &= p->ascends && (edges == 0 || last <= p->first);
            last = p->last;
        }
        edges += p->edges;
    }
    return edges;
}

/* Replaces counts by places (prefix sums), and sets the start of every bucket. */
static void place_buckets(build *b)
{
    for (ordo_u64 i = 0; i < b->from->parts; i++)
        for (; b->parts[i].shift < b->shift; b->parts[i].shift++)
            fold(b->counts + i * BUCKETS);
    ordo_u64 sum = 0;
    for (ordo_u64 k = 0; k < b->buckets; k++) {
        b->start[k] = sum;
        for (ordo_u64 i = 0; i < b->from->parts; i++) {
            ordo_u64 *slot = &b->counts[i * BUCKETS + k], here = *slot;
            *slot = sum;
            sum += here;
        }
    }
    b->start[b->buckets] = sum;
}

/* ---- the second pass: to buckets ---- */

typedef struct mover {
    ordo_taker taker;
    build *b;
    part *part;
    ordo_u64 *places; /* [BUCKETS] */
    ordo_u64 edge;    /* without buckets: the place of the next edge */
    ordo_u64 tail;    /* without buckets: the last tail whose row has its start */
} mover;

/* `sign`: the sign bit of a real. */
static inline ordo_u64 mirrored_weight(ordo_mirror mirror, ordo_u64 sign, ordo_u64 weight)
{
    return mirror == ORDO_MIRROR_MINUS_WHOLE ? 0u - weight : mirror == ORDO_MIRROR_MINUS_REAL ? weight ^ sign : weight;
}

static inline void put_moved(ordo_u32 *to, ordo_u32 width, ordo_vid tail, ordo_vid head, ordo_u64 weight)
{
    to[0] = tail;
    to[1] = head;
    if (width > 2)
        ordo_put_word(to + 1, width - 2, weight);
}

static inline __attribute__((always_inline)) void move_edges(mover *m, const ordo_given_edge *edges, size_t count,
                                                             ordo_u32 width, bool mirrored)
{
    ordo_u64 *places = m->places;
    ordo_u32 *moved = m->b->moved;
    int shift = m->b->shift;
    ordo_mirror mirror = m->b->mirror;
    const ordo_u64 sign = (ordo_u64)1 << (width == 4 ? 63 : 31);
    for (size_t i = 0; i < count; i++) {
        ordo_given_edge x = edges[i];
        put_moved(moved + places[x.tail >> shift]++ * width, width, x.tail, x.head, x.weight);
        if (mirrored && x.head != x.tail)
            put_moved(moved + places[x.head >> shift]++ * width, width, x.head, x.tail,
                      mirrored_weight(mirror, sign, x.weight));
    }
}

static void take_move(ordo_taker *taker, const ordo_given_edge *edges, size_t count)
{
    mover *m = (mover *)taker;
    bool mirrored = m->b->mirror != ORDO_MIRROR_NONE;
    if (m->b->width == 3)
        mirrored ? move_edges(m, edges, count, 3, true) : move_edges(m, edges, count, 3, false);
    else if (m->b->width == 4)
        mirrored ? move_edges(m, edges, count, 4, true) : move_edges(m, edges, count, 4, false);
    else
        mirrored ? move_edges(m, edges, count, 2, true) : move_edges(m, edges, count, 2, false);
}

static void take_straight(ordo_taker *taker, const ordo_given_edge *edges, size_t count)
{
    mover *m = (mover *)taker;
    ordo_eid *row = m->b->row;
    ordo_vid *head = m->b->head;
    ordo_u64 at = m->edge, tail = m->tail;
    const ordo_u32 stride = m->b->to.stride;
    for (size_t i = 0; i < count; i++, at++) {
        while (tail < edges[i].tail)
            row[++tail] = at;
        head[stride * at] = edges[i].head;
        if (stride > 1)
            ordo_put_word(head + stride * at, stride - 1, edges[i].weight);
    }
    m->edge = at;
    m->tail = tail;
}

static void move_parts(void *arg, int member)
{
    build *b = arg;
    (void)member;
    for (ordo_u64 i; !ordo_phase_step(&b->phase, 1) && (i = ordo_take_next(&b->next, 1)) < b->from->parts;) {
        part *p = &b->parts[i];
        mover m = {{b->moved ? take_move : take_straight}, b, p, b->counts + i * BUCKETS, p->first_edge, p->before};
        b->from->give(b->from->self, i, false, &m.taker);
    }
}

/* Restores the places: parts are given again where a weight turns out to be of another type. */
static ordo_status move_all(build *b, ordo_type *weights)
{
    ordo_u64 *kept = NULL, size = b->from->parts * BUCKETS;
    ordo_status status = ORDO_OK;
    if (b->from->given && b->moved) {
        kept = ordo_alloc(size, sizeof *kept);
        if (!kept)
            return ORDO_ERR_MEMORY;
        memcpy(kept, b->counts, size * sizeof *kept);
    }
    for (bool again = true; again && !status;) {
        again = false;
        b->next.next = 0;
        begin_phase(b, "building rows", b->from->parts);
        ordo_team_run(b->team, move_parts, b);
        status = ordo_phase_end(&b->phase);
        if (!status && b->from->given)
            status = b->from->given(b->from->self, weights, &again);
        if (again && kept)
            memcpy(b->counts, kept, size * sizeof *kept);
    }
    ordo_free(kept);
    return status;
}

/* ---- buckets to rows ---- */

/* Returns the pages that lie wholly in the block to the system: its words are not read again. */
static void give_back(const ordo_u32 *begin, const ordo_u32 *end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *first = (char *)(((size_t)begin + page - 1) / page * page), *last = (char *)((size_t)end / page * page);
    if (first < last)
        madvise(first, (size_t)(last - first), MADV_DONTNEED); /* advice: a refusal costs memory only */
}

static bool fill_bucket(build *b, ordo_u64 bucket, ordo_u64 *cursor, ordo_scratch *s)
{
    ordo_u64 low = bucket << b->shift, high = (bucket + 1) << b->shift;
    if (high > b->n)
        high = b->n;
    const ordo_u32 *first = b->moved + b->start[bucket] * b->width, *last = b->moved + b->start[bucket + 1] * b->width;

    memset(cursor, 0, (high - low) * sizeof *cursor);
    for (const ordo_u32 *x = first; x < last; x += b->width)
        cursor[x[0] - low]++;
    ordo_u64 sum = b->start[bucket];
    for (ordo_u64 u = low; u < high; u++) {
        ordo_u64 degree = cursor[u - low];
        b->row[u] = cursor[u - low] = sum;
        sum += degree;
    }
    if (b->width == 3) {
        for (const ordo_u32 *x = first; x < last; x += 3) {
            ordo_vid *to = b->head + 2 * cursor[x[0] - low]++;
            to[0] = x[1];
            to[1] = x[2];
        }
    } else if (b->width == 4) {
        for (const ordo_u32 *x = first; x < last; x += 4)
            memcpy(b->head + 3 * cursor[x[0] - low]++, x + 1, 3 * sizeof *x);
    } else {
        ordo_u32 stride = b->to.stride; /* 2: weights will be drawn */
        for (const ordo_u32 *x = first; x < last; x += 2)
            b->head[stride * cursor[x[0] - low]++] = x[1];
    }
    give_back(first, last);
    ordo_u64 begin = b->start[bucket]; /* each cursor is at the end of its row */
    for (ordo_u64 u = low; u < high; begin = cursor[u - low], u++)
        if (!ordo_row_sort(b->head, b->to.stride, begin, cursor[u - low], s))
            return false;
    return true;
}

static void fill_rows(void *arg, int member)
{
    build *b = arg;
    (void)member;
    ordo_scratch s = {NULL, 0};
    ordo_u64 *cursor = ordo_alloc((size_t)1 << b->shift, sizeof *cursor);
    bool good = cursor != NULL;
    while (good && !__atomic_load_n(&b->failed, __ATOMIC_RELAXED) && !ordo_phase_step(&b->phase, 1)) {
        ordo_u64 bucket = ordo_take_next(&b->next, 1);
        if (bucket >= b->buckets)
            break;
        good = fill_bucket(b, bucket, cursor, &s);
    }
    if (!good)
        __atomic_store_n(&b->failed, 1, __ATOMIC_RELAXED);
    ordo_free(cursor);
    ordo_free(s.block);
}

static ordo_status rows_from_buckets(build *b)
{
    b->next.next = 0;
    begin_phase(b, "sorting rows", b->buckets);
    ordo_team_run(b->team, fill_rows, b);
    ordo_status status = ordo_phase_end(&b->phase);
    return status      ? status
           : b->failed ? ordo_fail(ORDO_ERR_MEMORY, "not enough memory to sort %llu edges into rows",
                                   (unsigned long long)b->to.m)
                       : ORDO_OK;
}

/* Sets the rows after the last tail, and sorts within rows. */
static ordo_status finish_straight(build *b, ordo_vid last)
{
    for (ordo_u64 u = (ordo_u64)last + 1; u <= b->n; u++)
        b->row[u] = b->to.m;
    return ordo_csr_sort(b->team, &b->to);
}

/* ---- the call ---- */

static ordo_status alloc_rows(build *b, ordo_u64 m, ordo_type type)
{
    ordo_status status = ordo_csr_alloc(b->n, m, type, &b->to);
    if (status)
        return status;
    b->row = (ordo_eid *)(size_t)b->to.row;
    b->head = (ordo_vid *)(size_t)b->to.head;
    b->row[0] = 0;
    b->row[b->n] = m;
    return ORDO_OK;
}

static ordo_status alloc_moved(build *b, ordo_u64 m)
{
    if (m > SIZE_MAX / b->width / sizeof *b->moved || !ordo_memory_fits(m * b->width * sizeof *b->moved))
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for %llu edges", (unsigned long long)m);
    b->moved = ordo_alloc(m, b->width * sizeof *b->moved);
    return b->moved ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* Makes the rows of a source, with space for weights of type `stored` (their final type is in *out). */
static ordo_status fill(build *b, ordo_type stored, ordo_input *input, double *moved_at)
{
    begin_phase(b, "reading", b->from->parts);
    ordo_team_run(b->team, count_parts, b);
    ordo_status status = ordo_phase_end(&b->phase);
    if (status)
        return status;
    bool ascends;
    ordo_u64 edges = join_parts(b, &ascends);
    b->n = b->from->n;
    status = b->from->counted ? b->from->counted(b->from->self, edges, &b->n) : ORDO_OK;
    if (status)
        return status;
    b->shift = shift_for(b->n);
    b->buckets = b->n ? ((b->n - 1) >> b->shift) + 1 : 0;
    place_buckets(b);
    ordo_u64 m = b->start[b->buckets];
    ordo_type type = b->from->weights;
    b->width = type == ORDO_NONE ? 2 : ordo_type_wide(type) ? 4 : 3;
    bool straight = ascends && b->mirror == ORDO_MIRROR_NONE;
    status = straight ? alloc_rows(b, m, stored) : alloc_moved(b, m);
    if (!status)
        status = move_all(b, &type);
    *moved_at = ordo_seconds();
    if (status)
        return status;
    if (input)
        ordo_input_close(input);
    if (!straight)
        status = alloc_rows(b, m, stored);
    if (!status)
        status = straight ? finish_straight(b, b->parts[b->from->parts - 1].edges ? b->parts[b->from->parts - 1].last
                                                                                  : b->parts[b->from->parts - 1].before)
                          : rows_from_buckets(b);
    if (b->from->weights != ORDO_NONE)
        b->to.weight_type = type;
    return status;
}

/* `stored`: the type of weights that rows have space for: the source's, or the type of those that will be drawn.
 * `what`: for the watch, or NULL. */
static ordo_status rows_from(ordo_team *team, const char *what, const ordo_source *from, ordo_mirror mirror,
                             ordo_type stored, ordo_input *input, double *moved_at, ordo_csr *out)
{
    build b = {.team = team, .from = from, .mirror = mirror, .what = what};
    ordo_status status = ORDO_ERR_MEMORY;
    b.parts = ordo_alloc(from->parts, sizeof *b.parts);
    b.counts = b.parts ? ordo_alloc(from->parts, BUCKETS * sizeof *b.counts) : NULL;
    b.start = b.counts ? ordo_alloc(BUCKETS + 1, sizeof *b.start) : NULL;
    if (b.start)
        status = fill(&b, stored, input, moved_at);
    if (status)
        ordo_csr_free(&b.to);
    else
        *out = b.to;
    ordo_free(b.moved);
    ordo_free(b.start);
    ordo_free(b.counts);
    ordo_free(b.parts);
    return status;
}

ordo_status ordo_graph_build(const ordo_source *from, const ordo_origin *origin, ordo_graph **out)
{
    const ordo_edge_options *edges = origin->edges;
    bool draw = edges->weights == ORDO_WEIGHTS_UNIFORM || edges->weights == ORDO_WEIGHTS_REPLACE;
    ordo_status status = ordo_edge_options_check(edges);
    if (!status && edges->weights == ORDO_WEIGHTS_UNIFORM && from->weights != ORDO_NONE)
        status = ordo_graph_has_weights(origin);
    if (!status && from->n != ORDO_COUNT_UNKNOWN && from->n > ORDO_MAX_VERTICES)
        status = ordo_fail(ORDO_ERR_INPUT, "%s: found %llu vertices, expected at most %llu", origin->source,
                           (unsigned long long)from->n, (unsigned long long)ORDO_MAX_VERTICES);
    ordo_team *team = NULL;
    if (!status)
        status = ordo_graph_team(origin->threads, from->edges, &team);
    ordo_mirror mirror = from->mirror;
    if (mirror == ORDO_MIRROR_NONE && edges->direction == ORDO_SYMMETRISE)
        mirror = ORDO_MIRROR_SAME;
    double moved_at = 0;
    ordo_csr csr;
    if (!status)
        status = rows_from(team, NULL, from, mirror, draw ? ORDO_U32 : from->weights, origin->input, &moved_at, &csr);
    if (!status)
        status = ordo_graph_transform(team, &csr, mirror == ORDO_MIRROR_SAME, origin, moved_at, out);
    else if (origin->vertices)
        ordo_vertex_data_free(origin->vertices);
    if (team)
        ordo_team_return(team);
    return status;
}

/* ---- rows as a source ---- */

enum { PART = 1 << 16 }; /* edges of a part */

static ordo_u64 parts_of(ordo_u64 edges)
{
    return edges / PART + 1;
}

typedef struct row_source {
    const ordo_csr *rows;
    bool turned;
} row_source;

static void give_rows(void *self, ordo_u64 index, bool ends_only, ordo_taker *to)
{
    (void)ends_only;
    const row_source *s = self;
    const ordo_csr *g = s->rows;
    ordo_u64 e = index * PART, end = e + PART < g->m ? e + PART : g->m;
    if (e >= end)
        return;
    ordo_vid u = ordo_csr_tail(g, e);
    ordo_given_edge batch[ORDO_BATCH];
    while (e < end) {
        size_t count = 0;
        for (; e < end && count < ORDO_BATCH; e++) {
            while (g->row[u + 1] <= e)
                u++;
            ordo_vid head = g->head[e * g->stride];
            ordo_u64 weight = ordo_csr_word(g, e);
            batch[count++] = s->turned ? (ordo_given_edge){head, u, weight} : (ordo_given_edge){u, head, weight};
        }
        to->take(to, batch, count);
    }
}

static ordo_status from_rows(ordo_team *team, const ordo_csr *g, bool turned, ordo_mirror mirror, ordo_csr *out)
{
    row_source rows = {g, turned};
    ordo_source from = {
        .self = &rows, .parts = parts_of(g->m), .n = g->n, .edges = g->m, .weights = g->weight_type, .give = give_rows};
    double moved_at;
    return rows_from(team, turned ? "transposing" : "symmetrising", &from, mirror, g->weight_type, NULL, &moved_at,
                     out);
}

ordo_status ordo_csr_transpose(ordo_team *team, const ordo_csr *g, ordo_csr *out)
{
    return from_rows(team, g, true, ORDO_MIRROR_NONE, out);
}

ordo_status ordo_csr_symmetrise(ordo_team *team, const ordo_csr *g, ordo_csr *out)
{
    return from_rows(team, g, false, ORDO_MIRROR_SAME, out);
}

/* ---- lists in memory as a source ---- */

typedef struct list_source {
    const ordo_edge_entry *list;
    ordo_u64 count, n;
    ordo_u64 bad; /* atomic: first edge with an end that is no vertex, or count */
} list_source;

static void give_list(void *self, ordo_u64 index, bool ends_only, ordo_taker *to)
{
    list_source *s = self;
    ordo_u64 begin = index * PART, end = begin + PART < s->count ? begin + PART : s->count;
    for (ordo_u64 i = begin; i < end && ends_only; i++)
        if (s->list[i].tail >= s->n || s->list[i].head >= s->n) {
            ordo_keep_least(&s->bad, i);
            return;
        }
    ordo_given_edge batch[ORDO_BATCH];
    while (begin < end) {
        size_t count = 0;
        for (; begin < end && count < ORDO_BATCH; begin++) {
            const ordo_edge_entry x = s->list[begin];
            batch[count++] = (ordo_given_edge){x.tail, x.head, x.weight};
        }
        to->take(to, batch, count);
    }
}

static ordo_status check_list(void *self, ordo_u64 edges, ordo_u64 *n)
{
    (void)edges, (void)n;
    list_source *s = self;
    if (s->bad == s->count)
        return ORDO_OK;
    ordo_edge_entry x = s->list[s->bad];
    return ordo_fail(ORDO_ERR_INPUT, "edge %llu of the list: found %llu -> %llu, expected ends below %llu",
                     (unsigned long long)s->bad, (unsigned long long)x.tail, (unsigned long long)x.head,
                     (unsigned long long)s->n);
}

ordo_status ordo_graph_from_edges(ordo_u64 n, const ordo_edge_entry *edges, ordo_u64 count, ordo_type weight_type,
                                  ordo_direction direction, int threads, ordo_graph **out)
{
    if (!out || (!edges && count))
        return ordo_fail(ORDO_ERR_USAGE, "%s is NULL", out ? "edges" : "out");
    if (weight_type != ORDO_NONE && weight_type != ORDO_U32 && weight_type != ORDO_I32 && weight_type != ORDO_F32)
        return ordo_fail(ORDO_ERR_USAGE,
                         "found weight type %d, expected none, u32, i32 or f32 (ordo_graph_from_arrays takes others)",
                         (int)weight_type);
    if (count > SIZE_MAX / 2 / sizeof *edges)
        return ordo_fail(ORDO_ERR_USAGE, "found %llu edges, more than memory can hold", (unsigned long long)count);
    list_source list = {edges, count, n, count};
    ordo_source from = {.self = &list,
                        .parts = parts_of(count),
                        .n = n,
                        .edges = n > count ? n : count,
                        .weights = weight_type,
                        .give = give_list,
                        .counted = check_list};
    ordo_edge_options options = {.direction = direction};
    ordo_origin origin = {.source = "edge list",
                          .format = "edge list in memory",
                          .start = ordo_seconds(),
                          .threads = threads,
                          .edges = &options};
    return ordo_graph_build(&from, &origin, out);
}

/* ---- threads ---- */

ordo_status ordo_graph_team(int threads, ordo_u64 work, ordo_team **out)
{
    enum { WORK_OF_ONE = 16384 };
    if (threads < 0 || threads > ORDO_MAX_THREADS)
        return ordo_team_lease(threads, out); /* ordo_team_lease refuses it, with its own message */
    if (threads == 0)
        threads = ordo_cores();
    if ((ordo_u64)threads > work / WORK_OF_ONE + 1)
        threads = (int)(work / WORK_OF_ONE + 1);
    return ordo_team_lease(threads, out);
}
