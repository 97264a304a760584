/* graph.c -- the graph itself: its references, its in-rows, and its statistics.
 *
 * Problem: rows that many threads share, whose in-rows and statistics are made only when they are needed.
 *
 * Method: a reference count, and one lock under which in-rows and statistics are made once. The statistics come from
 * one scan in blocks of 65536 edges (or rows), whose results are combined in the order of the blocks: the checksum and
 * the mean depend neither on the number of threads nor on the layout of the rows in memory.
 *
 * Not done: changing a graph; a cryptographic checksum (this one finds damage and mistakes, not attacks).
 */
#include "graph.h"

#include <ordo/detail/backend.h>

#include <stdio.h>
#include <string.h>

#include "framework/run/distributed.h"
#include "framework/run/phase.h"

enum { BLOCK = ORDO_SCAN_BLOCK };

/* ---- references ---- */

/* Where the weights come from, for ordo_graph_info: "none", "stored" or how they were drawn. */
static void describe_weights(const ordo_csr *csr, const ordo_edge_options *edges, char *text, size_t capacity)
{
    bool drawn = edges->weights == ORDO_WEIGHTS_UNIFORM || edges->weights == ORDO_WEIGHTS_REPLACE;
    if (csr->weight_type == ORDO_NONE)
        snprintf(text, capacity, "none");
    else if (drawn)
        snprintf(text, capacity, "uniform:%u:%u --seed %llu", edges->low, edges->high, (unsigned long long)edges->seed);
    else
        snprintf(text, capacity, "stored");
}

/* `said`: text that describes where the weights come from, or NULL. */
static ordo_status graph_new(const ordo_csr *csr, bool symmetric, const ordo_origin *origin, const char *said,
                             ordo_graph **out)
{
    char weights_text[80];
    if (said)
        snprintf(weights_text, sizeof weights_text, "%s", said);
    else
        describe_weights(csr, origin->edges, weights_text, sizeof weights_text);
    size_t source = strlen(origin->source) + 1, format = strlen(origin->format) + 1, weights = strlen(weights_text) + 1;
    ordo_graph *g = ordo_alloc(1, sizeof *g + source + format + weights);
    if (!g)
        return ORDO_ERR_MEMORY;
    memset(g, 0, sizeof *g);
    g->source = (char *)(g + 1);
    g->format = g->source + source;
    g->weights = g->format + format;
    memcpy(g->source, origin->source, source);
    memcpy(g->format, origin->format, format);
    memcpy(g->weights, weights_text, weights);
    if (pthread_mutex_init(&g->lock, NULL) != 0) {
        ordo_free(g);
        return ordo_fail(ORDO_ERR_MEMORY, "cannot make a lock");
    }
    g->references = 1;
    g->out = *csr;
    g->vertices = (ordo_vertex_data){.source = ORDO_NO_VERTEX, .sink = ORDO_NO_VERTEX};
    g->symmetric = symmetric;
    g->threads = origin->threads;
    g->info = (ordo_graph_info){.source = g->source,
                                .format = g->format,
                                .weights = g->weights,
                                .vertices = csr->n,
                                .edges = csr->m,
                                .symmetric = symmetric,
                                .weight_type = csr->weight_type,
                                .id_base = origin->id_base};
    *out = g;
    return ORDO_OK;
}

void ordo_vertex_data_free(ordo_vertex_data *v)
{
    ordo_free((void *)(size_t)v->coordinate);
    ordo_free((void *)(size_t)v->weight);
    ordo_free((void *)(size_t)v->size);
    *v = (ordo_vertex_data){.source = ORDO_NO_VERTEX, .sink = ORDO_NO_VERTEX};
}

ordo_status ordo_graph_own(ordo_csr *csr, bool symmetric, const ordo_origin *origin, const ordo_graph_info *known,
                           ordo_graph **out)
{
    ordo_graph *g;
    ordo_status status = graph_new(csr, symmetric, origin, known->weights, &g);
    if (status) {
        ordo_csr_free(csr);
        if (origin->vertices)
            ordo_vertex_data_free(origin->vertices);
        return status;
    }
    g->owned = true;
    if (origin->vertices)
        g->vertices = *origin->vertices;
    g->info.load_seconds = known->load_seconds;
    g->info.build_seconds = known->build_seconds;
    g->info.dropped_loops = known->dropped_loops;
    g->info.dropped_parallel = known->dropped_parallel;
    *out = g;
    return ORDO_OK;
}

typedef struct check {
    const ordo_csr *g;
    ordo_team *team;
    ordo_phase phase;           /* counts edges */
    ordo_u64 bad_row, bad_edge; /* atomic: the smallest index of a wrong row and head found; n and m if none */
} check;

void ordo_keep_least(ordo_u64 *least, ordo_u64 value)
{
    ordo_u64 old = __atomic_load_n(least, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(least, &old, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void check_part(void *arg, int member)
{
    check *c = arg;
    const ordo_csr *g = c->g;
    ordo_u64 begin, end;
    ordo_split(g->n, ordo_team_size(c->team), member, &begin, &end);
    for (ordo_u64 u = begin; u < end; u++)
        if (g->row[u] > g->row[u + 1]) {
            ordo_keep_least(&c->bad_row, u);
            break;
        }
    ordo_split(g->m, ordo_team_size(c->team), member, &begin, &end);
    for (ordo_u64 next; begin < end && !ordo_phase_step(&c->phase, BLOCK); begin = next) {
        next = end - begin < BLOCK ? end : begin + BLOCK;
        for (ordo_u64 e = begin; e < next; e++)
            if (g->head[e * g->stride] >= g->n) {
                ordo_keep_least(&c->bad_edge, e);
                return;
            }
    }
}

/* "byte N: " for data of a mapped file; "" where `file` is NULL. */
static const char *place_of(const void *at, const ordo_u8 *file, char text[32])
{
    text[0] = 0;
    if (file)
        snprintf(text, 32, "byte %llu: ", (unsigned long long)((const ordo_u8 *)at - file));
    return text;
}

/* Checks that every row begins where the one before ends, and that every head is a vertex. `file`: the first byte of
 * the mapped file that holds them, or NULL. */
static ordo_status check_rows(const ordo_csr *g, int threads, const ordo_u8 *file)
{
    char place[32];
    if (g->row[0] != 0 || g->row[g->n] != g->m)
        return ordo_fail(ORDO_ERR_INPUT, "found rows from edge %llu to %llu, expected 0 to %llu",
                         (unsigned long long)g->row[0], (unsigned long long)g->row[g->n], (unsigned long long)g->m);
    check c = {.g = g, .bad_row = g->n, .bad_edge = g->m};
    ordo_status status = ordo_graph_team(threads, g->m > g->n ? g->m : g->n, &c.team);
    if (status)
        return status;
    ordo_phase_begin(&c.phase, "checking", g->m);
    ordo_team_run(c.team, check_part, &c);
    ordo_team_return(c.team);
    if ((status = ordo_phase_end(&c.phase)))
        return status;
    if (c.bad_row < g->n)
        return ordo_fail(ORDO_ERR_INPUT, "%srow %llu: found %llu as its end, expected at least its start %llu",
                         place_of(&g->row[c.bad_row + 1], file, place), (unsigned long long)c.bad_row,
                         (unsigned long long)g->row[c.bad_row + 1], (unsigned long long)g->row[c.bad_row]);
    if (c.bad_edge < g->m)
        return ordo_fail(ORDO_ERR_INPUT, "%sedge %llu: found head %llu, expected one below %llu",
                         place_of(&g->head[c.bad_edge * g->stride], file, place), (unsigned long long)c.bad_edge,
                         (unsigned long long)g->head[c.bad_edge * g->stride], (unsigned long long)g->n);
    return ORDO_OK;
}

ordo_status ordo_graph_over_own(const ordo_csr *csr, bool symmetric, ordo_u64 longest_row, ordo_graph **out)
{
    const ordo_edge_options plain = {0};
    const ordo_origin origin = {.source = "arrays", .format = "borrowed arrays", .edges = &plain};
    ordo_status status = graph_new(csr, symmetric, &origin, NULL, out);
    if (!status)
        (*out)->longest_row = longest_row;
    return status;
}

ordo_status ordo_graph_lend(const ordo_csr *csr, const ordo_lent *lent, bool symmetric, int threads, ordo_graph **out)
{
    ordo_status status = check_rows(csr, threads, NULL);
    if (!status)
        status = ordo_graph_over_own(csr, symmetric, 0, out);
    if (!status)
        (*out)->lent = *lent;
    return status;
}

ordo_status ordo_graph_over(const ordo_csr *csr, bool symmetric, const ordo_vertex_data *vertices,
                            const ordo_origin *origin, bool trust, ordo_input *below, ordo_graph **out)
{
    ordo_status status = trust ? ORDO_OK : check_rows(csr, origin->threads, below->bytes);
    if (status) {
        char why[512];
        snprintf(why, sizeof why, "%s", ordo_last_error());
        if (status == ORDO_ERR_INPUT)
            ordo_fail(status, "%s: %s", origin->source, why);
    }
    ordo_graph *g = NULL;
    if (!status)
        status = graph_new(csr, symmetric, origin, NULL, &g);
    if (status) {
        ordo_input_close(below);
        return status;
    }
    g->vertices = *vertices;
    g->below = *below;
    g->below.name = g->source;
    *below = (ordo_input){.name = below->name};
    g->info.load_seconds = ordo_seconds() - origin->start;
    *out = g;
    return ORDO_OK;
}

ordo_graph *ordo_graph_ref(ordo_graph *g)
{
    __atomic_add_fetch(&g->references, 1, __ATOMIC_RELAXED);
    return g;
}

void ordo_graph_free(ordo_graph *g)
{
    /* acq_rel: what every holder did with the graph happens before its memory is freed */
    if (!g || __atomic_sub_fetch(&g->references, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    if (g->drop_attached)
        g->drop_attached(g->attached);
    ordo_partitions_free(g->partitions);
    if (g->in_made)
        ordo_csr_free(&g->in);
    for (int i = 0; i < 4; i++)
        ordo_csr_free(&g->by_weight[i / 2][i % 2]);
    ordo_free(g->tail);
    if (g->owned) {
        ordo_csr_free(&g->out);
        ordo_vertex_data_free(&g->vertices);
    } else if (g->owned_places) {
        ordo_free((void *)(size_t)g->vertices.coordinate);
    }
    ordo_input_close(&g->below);
    pthread_mutex_destroy(&g->lock);
    const ordo_lent lent = g->lent;
    ordo_free(g);
    ordo_free(lent.row);
    if (lent.release) /* last: nothing refers to the arrays any more */
        lent.release(lent.arg);
}

/* ---- rows ---- */

const ordo_csr *ordo_graph_out(const ordo_graph *g)
{
    return &g->out;
}

const ordo_vertex_data *ordo_graph_vertex_data(const ordo_graph *g)
{
    return &g->vertices;
}

bool ordo_graph_has_parallel(const ordo_graph *g)
{
    const ordo_csr *csr = &g->out;
    for (ordo_u64 u = 0; u < csr->n; u++)
        for (ordo_eid e = csr->row[u] + 1; e < csr->row[u + 1]; e++)
            if (csr->head[e * csr->stride] == csr->head[(e - 1) * csr->stride])
                return true;
    return false;
}

bool ordo_graph_symmetric(const ordo_graph *g)
{
    return g->symmetric;
}

static ordo_status transpose(const ordo_graph *g, const struct ordo_group *group, int threads, ordo_csr *in)
{
    ordo_team *team;
    if (g->part) {
        const ordo_rank_part part = ordo_part_again(group, g);
        return ordo_part_transpose(&part, threads, in);
    }
    ordo_status status = ordo_graph_team(threads, g->out.m > g->out.n ? g->out.m : g->out.n, &team);
    if (!status) {
        status = ordo_csr_transpose(team, &g->out, in);
        ordo_team_return(team);
    }
    return status;
}

ordo_status ordo_graph_in(const ordo_graph *g, int threads, const ordo_csr **out)
{
    return ordo_graph_in_ranks(g, NULL, threads, out);
}

ordo_status ordo_graph_in_ranks(const ordo_graph *g, const struct ordo_group *group, int threads, const ordo_csr **out)
{
    if (g->symmetric) {
        *out = &g->out;
        return ORDO_OK;
    }
    if (g->part && !group)
        return ordo_fail(ORDO_ERR_UNSOUND, "this rank has read its own part of the graph, and in-rows need all of it");
    ordo_graph *me = (ordo_graph *)(size_t)g; /* immutable to callers: what is made here is made once, under lock */
    ordo_status status = ORDO_OK;
    pthread_mutex_lock(&me->lock);
    if (!me->in_made) {
        status = transpose(g, group, threads, &me->in);
        me->in_made = !status;
    }
    pthread_mutex_unlock(&me->lock);
    if (!status)
        *out = &g->in;
    return status;
}

ordo_status ordo_graph_by_weight(const ordo_graph *g, bool in, bool heaviest_first, int threads, const ordo_csr **out)
{
    ordo_graph *me = (ordo_graph *)(size_t)g; /* as above */
    const ordo_csr *rows = &g->out;
    ordo_csr *made = &me->by_weight[in && !g->symmetric][heaviest_first];
    ordo_status status = in ? ordo_graph_in(g, threads, &rows) : ORDO_OK;
    *out = rows->weight_type == ORDO_NONE || rows->n == 0 ? rows : made;
    if (status || *out == rows)
        return status;
    pthread_mutex_lock(&me->lock);
    if (!made->n) {
        ordo_team *team;
        status = ordo_graph_team(threads, rows->m > rows->n ? rows->m : rows->n, &team);
        if (!status) {
            status = ordo_csr_by_weight(team, rows, heaviest_first, made);
            ordo_team_return(team);
        }
    }
    pthread_mutex_unlock(&me->lock);
    return status;
}

bool ordo_graph_has_by_weight(const ordo_graph *g)
{
    ordo_graph *me = (ordo_graph *)(size_t)g; /* for its lock */
    pthread_mutex_lock(&me->lock);
    const bool made = g->by_weight[0][0].n || g->by_weight[0][1].n;
    pthread_mutex_unlock(&me->lock);
    return made;
}

bool ordo_graph_has_in(const ordo_graph *g)
{
    ordo_graph *me = (ordo_graph *)(size_t)g; /* for its lock */
    pthread_mutex_lock(&me->lock);
    const bool made = g->in_made;
    pthread_mutex_unlock(&me->lock);
    return made;
}

void ordo_graph_take_in(const ordo_graph *g, ordo_csr *in)
{
    ordo_graph *me = (ordo_graph *)(size_t)g; /* as in ordo_graph_in */
    pthread_mutex_lock(&me->lock);
    if (me->in_made)
        ordo_csr_free(in);
    else
        me->in = *in;
    me->in_made = true;
    pthread_mutex_unlock(&me->lock);
}

bool ordo_graph_in_pays(const ordo_graph *g, double times)
{
    return g->symmetric || ordo_graph_has_in(g) ||
           (double)__atomic_load_n(&g->pushed, __ATOMIC_RELAXED) >= times * (double)g->out.m;
}

typedef struct tails {
    const ordo_csr *g;
    ordo_vid *tail;
    int threads;
} tails;

static void fill_tails(void *arg, int member)
{
    const tails *t = (const tails *)arg;
    ordo_u64 v, end;
    ordo_split(t->g->n, t->threads, member, &v, &end);
    for (; v < end; v++)
        for (ordo_eid e = t->g->row[v]; e < t->g->row[v + 1]; e++)
            t->tail[e] = (ordo_vid)v;
}

static ordo_status make_tails(ordo_graph *me, int threads)
{
    ordo_team *team;
    tails t = {&me->out, (ordo_vid *)ordo_alloc(me->out.m, sizeof *t.tail), 0};
    ordo_status status = t.tail ? ordo_graph_team(threads, me->out.m, &team) : ORDO_ERR_MEMORY;
    if (status) {
        ordo_free(t.tail);
        return status;
    }
    t.threads = ordo_team_size(team);
    ordo_team_run(team, fill_tails, &t);
    ordo_team_return(team);
    me->tail = t.tail;
    return ORDO_OK;
}

ordo_status ordo_edges_of(const ordo_graph *g, bool with_tails, int threads, ordo_edges *out)
{
    ordo_graph *me = (ordo_graph *)(size_t)g; /* as above */
    ordo_status status = ORDO_OK;
    pthread_mutex_lock(&me->lock);
    if (with_tails && !me->tail)
        status = make_tails(me, threads);
    const ordo_vid *tail = with_tails ? me->tail : NULL;
    pthread_mutex_unlock(&me->lock);
    if (!status)
        *out = (ordo_edges){.row = g->out.row,
                            .head = g->out.head,
                            .weight = g->out.stride == 1 && !ordo_type_wide(g->out.weight_type)
                                          ? (const ordo_u32 *)g->out.weight
                                          : NULL,
                            .tail = tail,
                            .edges = g->out.m,
                            .vertices = g->out.n,
                            .stride = g->out.stride};
    return status;
}

ordo_status ordo_graph_attach(const ordo_graph *g, ordo_attach_fn *make, void *arg, void (*drop)(void *), void **out)
{
    ordo_graph *me = (ordo_graph *)(size_t)g; /* as above */
    ordo_status status = ORDO_OK;
    pthread_mutex_lock(&me->lock);
    if (!me->drop_attached) {
        status = make(g, arg, &me->attached);
        if (!status)
            me->drop_attached = drop;
    }
    if (!status)
        *out = me->attached;
    pthread_mutex_unlock(&me->lock);
    return status;
}

/* ---- statistics ---- */

typedef struct block_result {
    ordo_u64 hash, loops, max_degree;
    double min, max, sum;
} block_result;

typedef struct scan {
    const ordo_csr *g;
    ordo_u64 row_blocks, edge_blocks;
    ordo_u64 first, end;        /* edge blocks of this rank; all: 0 and edge_blocks */
    block_result *results;      /* [row_blocks + edge_blocks] */
    _Alignas(64) ordo_u64 next; /* atomic */
} scan;

static ordo_u64 mix(ordo_u64 hash, ordo_u64 word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static double weight_value(ordo_type type, ordo_u64 word)
{
    const ordo_u32 low = (ordo_u32)word;
    ordo_f32 real;
    switch ((int)type) {
    case ORDO_U32:
        return low;
    case ORDO_I32:
        return (ordo_i32)low;
    case ORDO_F32:
        memcpy(&real, &low, sizeof real);
        return (double)real;
    case ORDO_I64:
        return (double)(ordo_i64)word;
    case ORDO_F64:
        return ordo_bits_f64(word);
    default:
        return 0;
    }
}

static block_result scan_rows(const ordo_csr *g, ordo_u64 block)
{
    block_result r = {0};
    ordo_u64 begin = block * BLOCK, end = begin + BLOCK < g->n ? begin + BLOCK : g->n;
    for (ordo_u64 u = begin; u < end; u++) {
        ordo_u64 degree = g->row[u + 1] - g->row[u];
        if (degree > r.max_degree)
            r.max_degree = degree;
        r.hash = mix(r.hash, degree);
    }
    return r;
}

static block_result scan_edges(const ordo_csr *g, ordo_u64 block)
{
    block_result r = {0};
    ordo_u64 begin = block * BLOCK, end = begin + BLOCK < g->m ? begin + BLOCK : g->m;
    ordo_u64 u = ordo_csr_tail(g, begin);
    r.min = r.max = weight_value(g->weight_type, ordo_csr_word(g, begin));
    for (ordo_u64 e = begin; e < end; e++) {
        while (g->row[u + 1] <= e)
            u++;
        ordo_vid head = g->head[e * g->stride];
        ordo_u64 word = ordo_csr_word(g, e);
        double weight = weight_value(g->weight_type, word);
        r.loops += head == u;
        r.min = weight < r.min ? weight : r.min;
        r.max = weight > r.max ? weight : r.max;
        r.sum += weight;
        r.hash = mix(r.hash, head | word << 32);
        if (ordo_type_wide(g->weight_type))
            r.hash = mix(r.hash, word >> 32);
    }
    return r;
}

static block_result scan_block(const scan *s, ordo_u64 block)
{
    return block < s->row_blocks ? scan_rows(s->g, block) : scan_edges(s->g, block - s->row_blocks);
}

static void scan_part(void *arg, int member)
{
    scan *s = arg;
    (void)member;
    for (;;) {
        ordo_u64 block = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED);
        block += block < s->row_blocks ? 0 : s->first;
        if (block >= s->row_blocks + s->end)
            return;
        s->results[block] = scan_block(s, block);
    }
}

static scan scan_of(const ordo_csr *csr)
{
    scan s = {.g = csr,
              .row_blocks = ((ordo_u64)csr->n + BLOCK - 1) / BLOCK,
              .edge_blocks = csr->m / BLOCK + (csr->m % BLOCK != 0)};
    s.end = s.edge_blocks;
    return s;
}

/* Combines the results of blocks in their order. */
static void take_results(ordo_graph *g, const scan *s)
{
    const ordo_csr *csr = &g->out;
    ordo_graph_info *info = &g->info;
    ordo_u64 hash = mix(mix(mix(0, csr->n), csr->m), (ordo_u64)csr->weight_type);
    double sum = 0;
    for (ordo_u64 i = 0; i < s->row_blocks + s->edge_blocks; i++) {
        block_result r = s->results ? s->results[i] : scan_block(s, i);
        hash = mix(hash, r.hash);
        info->loops += r.loops;
        info->max_degree = r.max_degree > info->max_degree ? r.max_degree : info->max_degree;
        if (i < s->row_blocks || csr->weight_type == ORDO_NONE)
            continue;
        info->weight_min = i == s->row_blocks || r.min < info->weight_min ? r.min : info->weight_min;
        info->weight_max = i == s->row_blocks || r.max > info->weight_max ? r.max : info->weight_max;
        sum += r.sum;
    }
    info->checksum = hash;
    info->weight_mean = csr->m ? sum / (double)csr->m : 0;
}

static void scan_graph(ordo_graph *g)
{
    const ordo_csr *csr = &g->out;
    scan s = scan_of(csr);
    ordo_u64 blocks = s.row_blocks + s.edge_blocks;
    ordo_team *team;
    /* This cannot fail: without memory or threads the blocks are scanned one after the other. */
    s.results = blocks > 2 ? ordo_alloc(blocks, sizeof *s.results) : NULL;
    if (s.results && ordo_graph_team(g->threads, csr->m > csr->n ? csr->m : csr->n, &team) == ORDO_OK) {
        ordo_team_run(team, scan_part, &s);
        ordo_team_return(team);
    } else {
        ordo_free(s.results);
        s.results = NULL;
    }
    take_results(g, &s);
    ordo_free(s.results);
}

/* Each rank scans blocks of edges that it has, and the results are gathered: the statistics are those of the whole
 * graph, in all ranks. */
ordo_status ordo_graph_scan_part(ordo_graph *g, const ordo_rank_part *part)
{
    scan s = scan_of(&g->out);
    ordo_team *team;
    s.results = ordo_alloc(s.row_blocks + s.edge_blocks, sizeof *s.results);
    ordo_status status =
        s.results ? ordo_graph_team(g->threads, g->out.m > g->out.n ? g->out.m : g->out.n, &team) : ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; i < part->ranges && !status; i++) {
        const ordo_part_rows rows = part->rows[i];
        s.next = i ? s.row_blocks : 0;
        s.first = rows.first_block;
        s.end = rows.end_block;
        ordo_team_run(team, scan_part, &s);
    }
    if (!status)
        ordo_team_return(team);
    for (ordo_u64 i = 0; i < part->ranges && !status; i++)
        status = ordo_group_gather(part->group, s.results + s.row_blocks, part->rows[i].first_block,
                                   ordo_part_blocks_end(part, i), sizeof *s.results);
    if (!status)
        take_results(g, &s);
    g->scanned = !status;
    ordo_free(s.results);
    return status;
}

static ordo_u64 csr_bytes(const ordo_csr *g)
{
    ordo_u64 words = g->weight_type == ORDO_NONE ? 1 : 1 + ordo_type_bytes(g->weight_type) / sizeof(ordo_vid);
    return ((ordo_u64)g->n + 1) * sizeof(ordo_eid) + g->m * words * sizeof(ordo_vid);
}

static ordo_u64 vertex_bytes(const ordo_graph *g)
{
    const ordo_vertex_data *v = &g->vertices;
    ordo_u64 words = (v->coordinate ? 2u : 0u) + (v->weight ? v->weights : 0u) + (v->size ? 1u : 0u);
    return words * g->out.n * sizeof(ordo_u32);
}

ordo_u64 ordo_graph_longest_row(const ordo_graph *g)
{
    ordo_graph *me = (ordo_graph *)(size_t)g; /* as in ordo_graph_in */
    pthread_mutex_lock(&me->lock);
    if (me->scanned)
        me->longest_row = me->info.max_degree;
    else if (!me->longest_row)
        for (ordo_u64 u = 0; u < g->out.n; u++)
            if (g->out.row[u + 1] - g->out.row[u] > me->longest_row)
                me->longest_row = g->out.row[u + 1] - g->out.row[u];
    const ordo_u64 longest = me->longest_row;
    pthread_mutex_unlock(&me->lock);
    return longest;
}

void ordo_graph_get_info(const ordo_graph *g, ordo_graph_info *out)
{
    ordo_graph *me = (ordo_graph *)(size_t)g; /* as in ordo_graph_in */
    pthread_mutex_lock(&me->lock);
    if (!me->scanned) {
        scan_graph(me);
        me->scanned = true;
    }
    *out = me->info;
    out->bytes = csr_bytes(&g->out) - g->absent + (g->in_made ? csr_bytes(&g->in) : 0) +
                 (me->tail ? g->out.m * sizeof *me->tail : 0) + vertex_bytes(g);
    pthread_mutex_unlock(&me->lock);
}
