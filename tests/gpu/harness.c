#include "harness.h"

#include "tests/common/settings.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/common/families.h"

#define ORDO_WEIGHT u32
#include "operators/sssp.h"
#include "operators/widest.h"
#undef ORDO_WEIGHT
#define ORDO_WEIGHT f32
#include "operators/sssp.h"
#undef ORDO_WEIGHT
#include "operators/bfs.h"
#include "operators/cc.h"

const char *const trial_operators[TRIAL_OPERATORS] = {"sssp_u32", "bfs", "cc", "widest_u32", "sssp_f32"};

/* ---- settings ---- */

static trial_settings hard_adds[] = {
    {"workers=2"},
    {"workers=1"},
    {"workers=1024"}, /* the most */
    {"pool=1"},       /* one block: everything spills */
    {"pool=4096"},
    {"block=64", "segment=1"},
    {"segment=64"},
    {"start_index=4294967295"}, /* indices wrap round at once */
    {"buckets=2"},
    {"concurrent_max=31", "concurrent_min=31"},
    {"reserve=thread"},
    {"cache=off"},
    {"chain=0"},
    {"chain=1000000"},
    {"chain=1000000", "latency_bound=1", "dynamic=off", "delta=1e9"}, /* more is kept than there is room for */
    {"dynamic=off", "delta=1"},
    {"dynamic=off", "delta=1e9"},
};
static trial_settings hard_delta[] = {
    {"pool=1"}, /* one block: everything spills */
    {"pool=64"},
    {"pool=4096"}, /* blocks come and go */
    {"pool=1", "chain_limit=1000000", "latency_bound=4294967295"},
    {"buckets=2"}, /* all but the head is the tail */
    {"buckets=3", "pool=64"},
    {"chain_limit=0"},
    {"chain_limit=1"},
    {"chain_limit=1000000", "latency_bound=4294967295", "delta=1e9"}, /* more is kept than there is room for */
    {"chain_limit=1000000", "latency_bound=0"},
    {"blocks=1"},
    {"records=off"},
    {"delta=1"}, /* and grows */
    {"delta=1", "dynamic=off"},
    {"delta=1e9"},
    {"chain=1", "chunk=1"}, /* a CPU's */
    {"chain=0"},
};
static trial_settings hard_inbox[] = {
    {"bitmap_threshold=1"}, /* most entries become bits */
    {"bitmap_threshold=64", "ring=1"},
    {"ring=1"}, /* every place is fought for, and rings spill */
    {"ring=1", "workers=1"},
    {"ring=1", "workers=2", "window=0"},
    {"ring=2", "workers=3", "delta=1e9"}, /* all in one bucket */
    {"ring=4", "window=27"},
    {"ring=64", "window=0"},
    {"ring=1", "chain_limit=1000000", "delta=1e9"}, /* chains while others wait */
    {"chain_limit=0"},
    {"chain_limit=1000000", "delta=1e9"}, /* more is kept than there is room for */
    {"workers=33"},
    {"blocks=1"},
    {"records=off"},
    {"delta=1"}, /* nearly all is clipped, and buckets become wider */
    {"delta=1", "dynamic=off"},
    {"delta=1e9"},
    {"chunk=1", "ring=1"}, /* a CPU's */
};
static trial_settings hard_broker[] = {
    {"ring=1"}, /* nearly everything becomes a bit, on a CPU the backlog */
    {"ring=1", "queue=bwd"},
    {"ring=2", "batch=1"},
    {"ring=64"},
    {"ring=64", "queue=bwd", "batch=3"},
    {"batch=1"},
    {"queue=bwd"},
    {"stage=1"}, /* a CPU's */
};

trial_settings *trial_hard(const char *scheduler, size_t *count)
{
    static const struct {
        const char *scheduler;
        trial_settings *list;
        size_t count;
    } all[] = {{"adds", hard_adds, sizeof hard_adds / sizeof hard_adds[0]},
               {"broker", hard_broker, sizeof hard_broker / sizeof hard_broker[0]},
               {"delta", hard_delta, sizeof hard_delta / sizeof hard_delta[0]},
               {"inbox", hard_inbox, sizeof hard_inbox / sizeof hard_inbox[0]}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!strcmp(scheduler, all[i].scheduler)) {
            *count = all[i].count;
            return all[i].list;
        }
    *count = 0;
    return NULL;
}

void trial_set(ordo_options *options, trial_settings settings, char *text, size_t capacity)
{
    static _Thread_local const char *taken[TRIAL_SETTINGS];
    size_t count = 0;
    while (settings && count < TRIAL_SETTINGS && settings[count])
        count++;
    options->settings = taken;
    options->setting_count = settings_taken(options->scheduler, settings, count, taken);
    text[0] = 0;
    for (size_t i = 0; i < options->setting_count; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, capacity - used, "%s%s", used ? "," : "", taken[i]);
    }
}

double trial_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- operators ---- */

enum { SSSP_U32, BFS, CC, WIDEST_U32, SSSP_F32 }; /* as in trial_operators */

static int number_of(const char *op)
{
    for (int i = 0; i < TRIAL_OPERATORS; i++)
        if (!strcmp(op, trial_operators[i]))
            return i;
    return -1;
}

static ordo_u32 bits_of(ordo_f32 x)
{
    ordo_u32 word;
    memcpy(&word, &x, sizeof word);
    return word;
}
static ordo_f32 real_of(ordo_u32 word)
{
    ordo_f32 x;
    memcpy(&x, &word, sizeof x);
    return x;
}

static ordo_u32 begins(int op, ordo_vid v)
{
    return op == CC ? v : op == WIDEST_U32 ? 0 : op == SSSP_F32 ? bits_of(INFINITY) : 0xffffffffu;
}

/* Words of distances that are not negative compare as the distances do. */
static bool better(int op, ordo_u32 a, ordo_u32 b)
{
    return op == WIDEST_U32 ? a > b : a < b;
}

static ordo_u32 candidate(int op, ordo_u32 of, const ordo_csr *g, ordo_eid e)
{
    const ordo_u32 weight = op == BFS || op == CC ? 1 : ((const ordo_u32 *)g->weight)[e * g->stride];
    switch (op) {
    case CC:
        return of;
    case WIDEST_U32:
        return of < weight ? of : weight;
    case SSSP_F32:
        return bits_of(real_of(of) + real_of(weight));
    default:
        return weight < 0xffffffffu - of ? of + weight : 0xffffffffu;
    }
}

bool trial_untouched(const char *op, ordo_vid v, ordo_u32 cell)
{
    return cell == begins(number_of(op), v);
}
bool trial_better(const char *op, ordo_u32 a, ordo_u32 b)
{
    return better(number_of(op), a, b);
}

typedef struct question {
    ordo_work work;
    ordo_item source;
    sssp_state_u32 sssp;
    sssp_state_f32 real;
    bfs_state bfs;
    widest_state_u32 widest;
} question;

static ordo_status ask(const ordo_graph *g, const char *op, ordo_item source, ordo_u32 *cells, question *q)
{
    const int number = number_of(op);
    const ordo_vid n = ordo_graph_out(g)->n;
    if (number < 0)
        return ordo_fail(ORDO_ERR_UNKNOWN, "operator '%s' is not one of sssp_u32, sssp_f32, bfs, cc, widest_u32", op);
    if (number != CC && source >= n)
        return ordo_fail(ORDO_ERR_USAGE, "source %u found, expected below %u", source, n);
    *q = (question){.source = source, .sssp = {0xfffffffeu}, .real = {3.402823466e38f}, .bfs = {0xfffffffeu}};
    q->work = (ordo_work){.op = ordo_operator_find(op), .graph = g, .cells = cells, .num_items = n, .targets = n};
    q->work.state = number == CC ? NULL : number == BFS ? (const void *)&q->bfs : (const void *)&q->sssp;
    if (number == SSSP_F32)
        q->work.state = &q->real;
    if (number == WIDEST_U32) {
        ordo_graph_info info;
        ordo_graph_get_info(g, &info);
        q->widest.most = (ordo_u32)info.weight_max;
        q->widest.scale = q->widest.most ? 512 / (double)q->widest.most : 1;
        q->work.state = &q->widest;
    }
    if (number != CC) {
        q->work.initial = &q->source;
        q->work.initial_count = 1;
    }
    return ORDO_OK;
}

static void begin(int op, ordo_item source, ordo_u32 *cells, ordo_vid n)
{
    for (ordo_vid v = 0; v < n; v++)
        cells[v] = begins(op, v);
    if (op != CC && n)
        cells[source] = op == WIDEST_U32 ? 0xffffffffu : 0;
}

static ordo_status run(const ordo_graph *g, const char *op, ordo_item source, bool all, const ordo_options *options,
                       ordo_u32 *cells, ordo_stats *stats)
{
    question q;
    ordo_status status = ask(g, op, source, cells, &q);
    if (status)
        return status;
    if (all) {
        q.work.initial = NULL;
        q.work.initial_count = 0;
    }
    begin(number_of(op), source, cells, ordo_graph_out(g)->n);
    return ordo_run(&q.work, options, stats);
}

ordo_status trial_run(const ordo_graph *g, const char *op, ordo_item source, const ordo_options *options,
                      ordo_u32 *cells, ordo_stats *stats)
{
    return run(g, op, source, false, options, cells, stats);
}
ordo_status trial_run_all(const ordo_graph *g, const char *op, ordo_item source, const ordo_options *options,
                          ordo_u32 *cells, ordo_stats *stats)
{
    return run(g, op, source, true, options, cells, stats);
}

ordo_status trial_check(const ordo_graph *g, const char *op, const ordo_options *options)
{
    question q;
    ordo_u32 cell = 0;
    ordo_status status = ask(g, op, 0, &cell, &q);
    return status ? status : ordo_run_check(&q.work, options);
}

ordo_graph *trial_graph(ordo_graph *g, const char *op, ordo_u32 **words)
{
    const ordo_csr *from = ordo_graph_out(g);
    ordo_graph *out = NULL;
    *words = NULL;
    if (number_of(op) != SSSP_F32 || from->weight_type == ORDO_F32)
        return ordo_graph_ref(g);
    ordo_u32 *pairs = ordo_alloc(2 * from->m + 1, sizeof *pairs);
    if (!pairs)
        return NULL;
    for (ordo_eid e = 0; e < from->m; e++) {
        const ordo_u32 word = from->weight_type == ORDO_NONE ? 1 : ((const ordo_u32 *)from->weight)[e * from->stride];
        pairs[2 * e] = from->head[e * from->stride];
        pairs[2 * e + 1] = bits_of(from->weight_type == ORDO_I32 ? (ordo_f32)(ordo_i32)word : (ordo_f32)word);
    }
    ordo_csr to = *from;
    to.head = pairs;
    to.weight = pairs + 1;
    to.stride = 2;
    to.weight_type = ORDO_F32;
    if (ordo_graph_borrow(&to, ordo_graph_symmetric(g), &out))
        ordo_free(pairs);
    else
        *words = pairs;
    return out;
}

/* ---- answers ---- */

void trial_naive(const ordo_graph *g, const char *op, ordo_item source, ordo_u32 *cells)
{
    const ordo_csr *rows = ordo_graph_out(g);
    const int number = number_of(op);
    begin(number, source, cells, rows->n);
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_vid u = 0; u < rows->n; u++)
            for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++) {
                ordo_u32 *to = &cells[rows->head[e * rows->stride]], c = candidate(number, cells[u], rows, e);
                changed = changed || better(number, c, *to);
                *to = better(number, c, *to) ? c : *to;
            }
    }
}

/* Vertices, taken in pieces by all threads; what the threads share about the answer. */
typedef struct certificate {
    const ordo_csr *g;
    const ordo_u32 *cells;
    ordo_u8 *met; /* [n] by a better vertex, exactly */
    int op;
    ordo_vid next;
    int bad;
} certificate;

enum { PIECE = 4096, MOST_THREADS = 64 };

static void *certify_pieces(void *arg)
{
    certificate *c = arg;
    const ordo_csr *g = c->g;
    for (;;) {
        const ordo_u64 first = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED) * (ordo_u64)PIECE;
        const ordo_u64 last = first + PIECE < g->n ? first + PIECE : g->n;
        if (first >= g->n)
            return NULL;
        for (ordo_vid u = (ordo_vid)first; u < last; u++) {
            const ordo_u32 of = c->cells[u];
            if (of == begins(c->op, u))
                continue;
            for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
                const ordo_vid v = g->head[e * g->stride];
                const ordo_u32 offer = candidate(c->op, of, g, e);
                if (better(c->op, offer, c->cells[v]))
                    __atomic_store_n(&c->bad, 1, __ATOMIC_RELAXED);
                else if (offer == c->cells[v] && better(c->op, of, offer))
                    __atomic_store_n(&c->met[v], 1, __ATOMIC_RELAXED);
            }
        }
    }
}

trial_verdict trial_certify(const ordo_graph *g, const char *op, ordo_item source, const ordo_u32 *cells)
{
    certificate c = {.g = ordo_graph_out(g), .cells = cells, .op = number_of(op)};
    pthread_t thread[MOST_THREADS];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int started = 0;
    if (c.op == CC || c.op == WIDEST_U32 || !(c.met = ordo_alloc_zero(c.g->n, 1)))
        return TRIAL_OPEN;
    while (started < MOST_THREADS && started + 1 < cores && !pthread_create(&thread[started], NULL, certify_pieces, &c))
        started++;
    certify_pieces(&c);
    while (started > 0)
        pthread_join(thread[--started], NULL);
    trial_verdict verdict = c.bad || cells[source] != 0 ? TRIAL_WRONG : TRIAL_RIGHT;
    for (ordo_vid v = 0; v < c.g->n && !verdict; v++)
        if (v != source && !c.met[v] && cells[v] != begins(c.op, v))
            verdict = TRIAL_OPEN;
    ordo_free(c.met);
    return verdict;
}

ordo_u64 trial_differ(const ordo_u32 *cells, const ordo_u32 *expected, ordo_u64 n, ordo_vid *first)
{
    ordo_u64 bad = 0;
    if (!memcmp(cells, expected, n * sizeof *cells))
        return 0;
    for (ordo_u64 v = n; v-- > 0;)
        if (cells[v] != expected[v]) {
            bad++;
            *first = (ordo_vid)v;
        }
    return bad;
}

/* ---- sources ---- */

ordo_vid trial_busiest(const ordo_graph *g)
{
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_vid best = 0;
    for (ordo_vid v = 1; v < rows->n; v++)
        best = rows->row[v + 1] - rows->row[v] > rows->row[best + 1] - rows->row[best] ? v : best;
    return best;
}

bool trial_sources(const ordo_graph *g, ordo_u64 seed, size_t count, ordo_vid *out)
{
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_vid busiest = rows->n ? trial_busiest(g) : 0;
    ordo_u32 *level = ordo_alloc(rows->n + (size_t)1, sizeof *level);
    bool done = level && rows->n && !ordo_bfs(g, busiest, INFINITY, NULL, level, NULL, NULL);
    for (size_t i = 0; i < count && done; i++) {
        out[i] = busiest; /* where chance finds none */
        for (int tries = 0; tries < 1000; tries++) {
            const ordo_vid v = (ordo_vid)(next_random(&seed) % rows->n);
            if (level[v] == ORDO_UNREACHED_U32 || rows->row[v] == rows->row[v + 1])
                continue;
            out[i] = v;
            break;
        }
    }
    ordo_free(level);
    return done;
}
