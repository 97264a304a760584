/* common.c -- helpers of the apps: checks, loops on all threads, copies of rows, answers. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "apps/common.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <ordo/detail/backend.h>
#include <ordo/memory.h>
#include <ordo/scheduler/team.h>

#include "framework/run/number.h"
#include "framework/run/phase.h"

/* ---- checks ---- */

ordo_status ordo_check_weights(const ordo_graph *graph, const char *paths, const char *hint)
{
    const ordo_csr *g = ordo_graph_out(graph);
    if (g->weight_type == ORDO_NONE || g->weight_type == ORDO_U32 || !g->m)
        return ORDO_OK;
    ordo_graph_info info;
    ordo_graph_get_info(graph, &info);
    if (info.weight_min >= 0 && isfinite(info.weight_mean)) /* NaN and infinity always change the mean */
        return ORDO_OK;
    for (ordo_vid u = 0; u < g->n; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            const ordo_u64 word = ordo_weight_word(g, e);
            double w = ordo_word_value(g->weight_type, word);
            if (w < 0)
                return ordo_fail(ORDO_ERR_NEGATIVE_WEIGHT,
                                 "edge %u -> %u has weight %s; %s need weights that are not negative%s", u, v,
                                 ordo_word_print(g->weight_type, word).text, paths, hint ? hint : "");
            if (!isfinite(w))
                return ordo_fail(ORDO_ERR_INPUT, "edge %u -> %u has weight %g; %s need finite weights", u, v,
                                 isnan(w) ? (double)NAN : w, paths);
        }
    return ORDO_OK;
}

bool ordo_own_rows_always(const ordo_graph *g, const ordo_options *options)
{
    (void)g, (void)options;
    return true;
}

bool ordo_own_rows_symmetric(const ordo_graph *g, const ordo_options *options)
{
    (void)options;
    return ordo_graph_symmetric(g);
}

ordo_options ordo_options_or(const ordo_options *options, const char *scheduler)
{
    ordo_options chosen = options ? *options : (ordo_options){0};
    if (!chosen.scheduler)
        chosen.scheduler = scheduler;
    return chosen;
}

static bool wants_gpu(const ordo_options *options)
{
    char name[ORDO_DEVICE_NAME];
    const ordo_backend *backend;
    if (!options || !options->device || !strcmp(options->device, "cpu"))
        return false;
    return !strcmp(options->device, "cuda") ||
           (ordo_backend_load("cuda", &backend) == ORDO_OK && backend->probe(name) == ORDO_OK);
}

ordo_options ordo_options_or_auto(const ordo_options *options, const char *scheduler)
{
    const bool by_edges = options && options->items && !strcmp(options->items, "edges");
    return ordo_options_or(options, by_edges || wants_gpu(options) ? "auto" : scheduler);
}

const ordo_operator *ordo_operator_for(const char *name, const ordo_graph *g)
{
    const ordo_type type = ordo_graph_out(g)->weight_type;
    char instance[64];
    snprintf(instance, sizeof instance, "%s_%s", name, ordo_type_text(type));
    const ordo_operator *op = ordo_operator_find(instance);
    if (!op && ordo_is_wide(type)) { /* an app that does not take them says so of the input */
        snprintf(instance, sizeof instance, "%s_u32", name);
        op = ordo_operator_find(instance);
    }
    return op;
}

ordo_work ordo_vertex_work(const ordo_operator *op, const ordo_graph *g, const void *state, void *cells,
                           const ordo_sources *from)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    return (ordo_work){.op = op,
                       .graph = g,
                       .cells = cells,
                       .state = state,
                       .num_items = n,
                       .targets = n,
                       .initial = from ? from->vertex : NULL,
                       .initial_count = from && n ? from->count : 0};
}

ordo_u32 ordo_limit_u32(double limit)
{
    ordo_u32 largest = ORDO_UNREACHED_U32 - 1;
    return limit < (double)largest ? (ordo_u32)limit : largest;
}

double ordo_word_value(ordo_type type, ordo_u64 word)
{
    const ordo_u32 low = (ordo_u32)word;
    ordo_f32 single;
    double real;
    if (type == ORDO_F32) {
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
    if (type != ORDO_F64)
        return (double)ordo_word_whole(type, word);
    memcpy(&real, &word, sizeof real);
    return real;
}

ordo_i64 ordo_word_whole(ordo_type type, ordo_u64 word)
{
    return type == ORDO_I32 ? (ordo_i32)(ordo_u32)word : (ordo_i64)word;
}

ordo_u64 ordo_word_of(ordo_type type, ordo_i64 whole, double real)
{
    const ordo_f32 single = (ordo_f32)real;
    ordo_u32 low = (ordo_u32)whole;
    ordo_u64 word = (ordo_u64)whole;
    if (type == ORDO_F32)
        memcpy(&low, &single, sizeof low);
    if (type == ORDO_F64)
        memcpy(&word, &real, sizeof word);
    return ordo_is_wide(type) ? word : low;
}

ordo_u64 ordo_unreached_word(ordo_type type)
{
    return type == ORDO_F32   ? 0x7f800000u
           : type == ORDO_I32 ? (ordo_u32)ORDO_UNREACHED_I32
           : type == ORDO_F64 ? 0x7ff0000000000000u
           : type == ORDO_I64 ? (ordo_u64)ORDO_UNREACHED_I64
                              : ORDO_UNREACHED_U32;
}

ordo_word_text ordo_word_print(ordo_type type, ordo_u64 word)
{
    ordo_word_text t;
    if (type == ORDO_I64)
        snprintf(t.text, sizeof t.text, "%lld", (long long)ordo_word_whole(type, word));
    else
        ordo_format(t.text, sizeof t.text, type == ORDO_F64 ? "%.17g" : "%.10g", ordo_word_value(type, word));
    return t;
}

const char *ordo_type_text(ordo_type type)
{
    return type == ORDO_F32   ? "f32"
           : type == ORDO_I32 ? "i32"
           : type == ORDO_F64 ? "f64"
           : type == ORDO_I64 ? "i64"
                              : "u32";
}

ordo_status ordo_check_narrow(const ordo_graph *g, const char *what)
{
    const ordo_type type = ordo_graph_out(g)->weight_type;
    if (type == ORDO_NONE || !ordo_is_wide(type))
        return ORDO_OK;
    return ordo_fail(ORDO_ERR_USAGE, "%s: found %s weights, expected weights of 4 bytes", what, ordo_type_text(type));
}

double ordo_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- loops ---- */

typedef struct ranges {
    ordo_team *team;
    ordo_u64 count, grain;
    ordo_range_fn *fn;
    void *arg;
    ordo_phase phase;           /* of loops in grains */
    _Alignas(64) ordo_u64 next; /* atomic */
} ranges;

static void do_ranges(void *arg, int member)
{
    ranges *r = arg;
    ordo_u64 begin, end;
    if (!r->grain) {
        ordo_split(r->count, ordo_team_size(r->team), member, &begin, &end);
        r->fn(r->arg, begin, end);
        return;
    }
    while (!ordo_phase_step(&r->phase, r->grain) &&
           (begin = __atomic_fetch_add(&r->next, r->grain, __ATOMIC_RELAXED)) < r->count)
        r->fn(r->arg, begin, r->count - begin < r->grain ? r->count : begin + r->grain);
}

ordo_status ordo_for_ranges(int threads, ordo_u64 count, ordo_u64 grain, ordo_range_fn *fn, void *arg)
{
    if (count <= 2 * ORDO_GRAIN) { /* done before a second thread wakes up */
        fn(arg, 0, count);
        return ORDO_OK;
    }
    ranges r = {.count = count, .grain = grain, .fn = fn, .arg = arg};
    ordo_status status = ordo_team_lease(threads, &r.team);
    if (status)
        return status;
    if (grain)
        ordo_phase_begin(&r.phase, "working on rows", count);
    ordo_team_run(r.team, do_ranges, &r);
    ordo_team_return(r.team);
    return ordo_phase_end(&r.phase);
}

typedef struct new_blocks {
    const ordo_new_block *block;
    int count;
} new_blocks;

/* LINE is the unit in which work is divided, small enough that ordo_for_ranges takes several threads. */
enum { LINE = 64, PAGE = 4096, HUGE_PAGE = 2 << 20 };

static ordo_u64 lines_of(const ordo_new_block *block)
{
    return (block->bytes + HUGE_PAGE - 1) / HUGE_PAGE * (HUGE_PAGE / LINE);
}

/* Writes a byte of each page in lines begin .. end - 1, counted through all blocks, whose sizes are rounded up to huge
 * pages. */
static void prefault_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const new_blocks *f = arg;
    ordo_u64 before = 0;
    for (int i = 0; i < f->count; before += lines_of(&f->block[i]), i++) {
        volatile char *const data = f->block[i].data;
        const ordo_u64 lines = lines_of(&f->block[i]);
        const ordo_u64 from = begin > before ? begin - before : 0, to = end > before ? end - before : 0;
        for (ordo_u64 at = from * LINE; data && at < (to < lines ? to : lines) * LINE && at < f->block[i].bytes;
             at += PAGE)
            data[at] = 0;
    }
}

ordo_status ordo_prefault(int threads, const ordo_new_block *block, int count)
{
    const new_blocks f = {block, count};
    ordo_u64 lines = 0;
    for (int i = 0; i < count; i++)
        lines += lines_of(&block[i]);
    return threads == 1 ? ORDO_OK
                        : ordo_for_ranges(threads, lines, HUGE_PAGE / LINE, prefault_range, (void *)(size_t)&f);
}

typedef struct fill {
    ordo_u32 *words, value;
} fill;

static void fill_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const fill *f = arg;
    for (ordo_u64 i = begin; i < end; i++)
        f->words[i] = f->value;
}

typedef struct fill_words {
    ordo_type type;
    void *words;
    ordo_u64 value;
} fill_words;

static void fill_words_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const fill_words *f = arg;
    for (ordo_u64 i = begin; i < end; i++)
        ordo_word_set(f->type, f->words, i, f->value);
}

ordo_status ordo_fill_words(int threads, ordo_type type, void *words, ordo_u64 count, ordo_u64 value)
{
    fill_words f = {type, words, value};
    return ordo_for_ranges(threads, count, 0, fill_words_range, &f);
}

static void fill_ids_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const fill *f = arg;
    for (ordo_u64 i = begin; i < end; i++)
        f->words[i] = (ordo_u32)i;
}

ordo_status ordo_fill(int threads, ordo_u32 *words, ordo_u64 count, ordo_u32 value)
{
    fill f = {.words = words, .value = value};
    return ordo_for_ranges(threads, count, 0, fill_range, &f);
}

ordo_status ordo_fill_ids(int threads, ordo_u32 *words, ordo_u64 count)
{
    fill f = {.words = words};
    return ordo_for_ranges(threads, count, 0, fill_ids_range, &f);
}

typedef struct largest {
    const double *values;
    ordo_u64 bits; /* atomic: the largest so far; bits of doubles that are not negative compare as they do */
} largest;

static void largest_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    largest *l = arg;
    double most = 0;
    for (ordo_u64 i = begin; i < end; i++)
        most = l->values[i] > most ? l->values[i] : most;
    ordo_u64 bits, old = __atomic_load_n(&l->bits, __ATOMIC_RELAXED);
    memcpy(&bits, &most, sizeof bits);
    while (old < bits && !__atomic_compare_exchange_n(&l->bits, &old, bits, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

double ordo_largest(int threads, const double *values, ordo_u64 count)
{
    largest l = {.values = values};
    double most;
    if (ordo_for_ranges(threads, count, 0, largest_range, &l)) /* no team */
        largest_range(&l, 0, count);
    memcpy(&most, &l.bits, sizeof most);
    return most;
}

/* ---- copies ---- */

typedef struct listing {
    const ordo_csr *g;
    ordo_edge_entry *list; /* [m] */
} listing;

static void list_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const listing *l = arg;
    const ordo_csr *g = l->g;
    for (ordo_u64 u = begin; u < end; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
            l->list[e] = (ordo_edge_entry){.tail = (ordo_vid)u, .head = g->head[e * g->stride]};
}

ordo_status ordo_copy_rows(const ordo_graph *graph, ordo_direction direction, int threads, ordo_graph **out)
{
    const ordo_csr *g = ordo_graph_out(graph);
    listing l = {.g = g, .list = ordo_alloc(g->m, sizeof *l.list)};
    if (!l.list)
        return ORDO_ERR_MEMORY;
    ordo_status status = ordo_for_ranges(threads, g->n, ORDO_GRAIN, list_range, &l);
    if (!status)
        status = ordo_graph_from_edges(g->n, l.list, g->m, ORDO_NONE, direction, threads, out);
    ordo_free(l.list);
    return status;
}

ordo_u64 ordo_copy_memory(const ordo_graph *graph, ordo_direction direction, ordo_u64 *lists)
{
    const ordo_csr *g = ordo_graph_out(graph);
    ordo_u64 edges = direction == ORDO_SYMMETRISE ? 2 * g->m : g->m;
    *lists = (g->m + edges) * sizeof(ordo_edge_entry); /* the copy, and the rows that it is made from */
    return ((ordo_u64)g->n + 1) * sizeof(ordo_eid) + edges * sizeof(ordo_vid);
}

/* ---- answers ---- */

ordo_status ordo_answer_capacity(ordo_answer *answer, ordo_type type, ordo_u64 n, bool want_pred)
{
    size_t size = ordo_type_bytes(type);
    if (answer->n != n || answer->size != size) {
        ordo_free(answer->values);
        ordo_free(answer->pred);
        ordo_free(answer->nearest);
        answer->values = NULL;
        answer->pred = answer->nearest = NULL;
    }
    answer->n = n;
    answer->type = type;
    answer->size = size;
    answer->field_count = 0;
    answer->used = n;
    answer->within = (double)INFINITY;
    if (!answer->values)
        answer->values = ordo_alloc(n, size);
    if (want_pred && !answer->pred)
        answer->pred = ordo_alloc(n, sizeof *answer->pred);
    return answer->values && (answer->pred || !want_pred) ? ORDO_OK : ORDO_ERR_MEMORY;
}

ordo_path_query ordo_input_query(const ordo_app_input *input)
{
    return (ordo_path_query){.sources = input->source_count ? input->sources : &input->source,
                             .source_count = input->source_count ? input->source_count : 1,
                             .limited = input->limit < (double)INFINITY,
                             .limit = input->limit,
                             .targets = input->targets,
                             .target_count = input->target_count,
                             .stop_after = input->stop_after};
}

ordo_path_answer ordo_answer_claimed(const ordo_answer *answer, const ordo_app_input *input)
{
    return (ordo_path_answer){.value = answer->values,
                              .pred = input->want_pred ? answer->pred : NULL,
                              .nearest = input->want_nearest ? answer->nearest : NULL,
                              .within = (double *)(size_t)&answer->within};
}

ordo_status ordo_answer_lists(ordo_answer *answer, const ordo_app_input *input)
{
    const ordo_vid n = ordo_graph_out(input->graph)->n;
    if (input->want_pred && !answer->pred)
        answer->pred = ordo_alloc(n, sizeof *answer->pred);
    if (input->want_nearest && !answer->nearest)
        answer->nearest = ordo_alloc(n, sizeof *answer->nearest);
    return (answer->pred || !input->want_pred) && (answer->nearest || !input->want_nearest) ? ORDO_OK : ORDO_ERR_MEMORY;
}

ordo_status ordo_name_components(const ordo_vid *names, ordo_u64 n, ordo_u32 *component)
{
    if (!names)
        return ORDO_OK;
    ordo_vid *least = ordo_alloc(n, sizeof *least);
    if (!least)
        return ORDO_ERR_MEMORY;
    memset(least, 0xff, n * sizeof *least); /* ORDO_NO_VERTEX */
    for (ordo_u64 v = 0; v < n; v++)
        least[component[v]] = names[v] < least[component[v]] ? names[v] : least[component[v]];
    for (ordo_u64 v = 0; v < n; v++)
        component[v] = least[component[v]];
    ordo_free(least);
    return ORDO_OK;
}

ordo_status ordo_answer_paths(ordo_answer *answer, ordo_type type, const ordo_app_input *input, ordo_stats *stats,
                              ordo_path_answer *out)
{
    const ordo_vid n = ordo_graph_out(input->graph)->n;
    ordo_status status = ordo_answer_capacity(answer, type, n, false);
    if (!status)
        status = ordo_answer_lists(answer, input);
    *out = ordo_answer_claimed(answer, input);
    out->stats = stats;
    return status;
}

ordo_word_totals ordo_total_words(ordo_type type, const void *all, ordo_u64 begin, ordo_u64 end)
{
    ordo_word_totals t = {0};
    /* no branch: unreached vertices are unpredictable */
    if (ordo_is_wide(type)) {
        const ordo_u64 *words = all, unreached = ordo_unreached_word(type);
        for (ordo_u64 v = begin; v < end; v++) {
            const ordo_u64 there = words[v] != unreached, w = words[v] & -there;
            t.reached += there;
            t.max = w > t.max ? w : t.max;
            t.whole += w;
        }
        return t;
    }
    const ordo_u32 *words = all, unreached = (ordo_u32)ordo_unreached_word(type);
    ordo_u32 most = 0;
    for (ordo_u64 stop; begin < end; begin = stop) { /* in so short pieces no counter of 32 bits overflows */
        ordo_u32 reached = 0, low = 0, high = 0;
        stop = end - begin < 1 << 15 ? end : begin + (1 << 15);
        for (ordo_u64 v = begin; v < stop; v++) {
            const ordo_u32 there = words[v] != unreached, w = words[v] & -there;
            reached += there;
            most = w > most ? w : most;
            low += w & 0xffff;
            high += w >> 16;
        }
        t.reached += reached;
        t.whole += low + ((ordo_u64)high << 16);
    }
    t.max = most;
    return t;
}

typedef struct totals {
    ordo_type type;
    const void *words;
    pthread_mutex_t lock; /* of the rest */
    ordo_word_totals all;
} totals;

static void total_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    totals *t = arg;
    const ordo_word_totals part = ordo_total_words(t->type, t->words, begin, end);
    pthread_mutex_lock(&t->lock);
    t->all.reached += part.reached;
    t->all.max = part.max > t->all.max ? part.max : t->all.max;
    t->all.whole += part.whole;
    pthread_mutex_unlock(&t->lock);
}

void ordo_answer_sum(ordo_answer *answer, int threads)
{
    const ordo_type type = answer->type;
    const bool is_real = ordo_is_real(type);
    const ordo_u64 unreached = ordo_unreached_word(type);
    totals t = {.type = type, .words = answer->values, .lock = PTHREAD_MUTEX_INITIALIZER};
    double real = 0;
    if (ordo_for_ranges(threads, answer->n, 0, total_range, &t)) /* no team */
        total_range(&t, 0, answer->n);
    for (ordo_u64 v = 0; is_real && v < answer->n; v++) {
        const ordo_u64 word = ordo_word_at(type, t.words, v);
        real += word == unreached ? 0 : ordo_word_value(type, word);
    }
    const ordo_u64 max = t.all.max;
    const unsigned __int128 whole = t.all.whole;
    const bool large = !is_real && whole > INT64_MAX; /* of i64: a double tells its size */
    answer->fields[0] = (ordo_field){.name = "reached", .type = ORDO_U64, .whole = t.all.reached};
    answer->fields[1] = (ordo_field){.name = "max", .type = is_real ? ORDO_F32 : ORDO_U64};
    answer->fields[2] = (ordo_field){.name = "sum",
                                     .type = is_real || large ? ORDO_F32 : ORDO_U64,
                                     .whole = is_real ? 0 : (ordo_u64)whole,
                                     .real = large ? (double)whole : real};
    if (is_real)
        answer->fields[1].real = ordo_word_value(type, max);
    else
        answer->fields[1].whole = max;
    answer->field_count = 3;
}

static bool word_less(ordo_type type, ordo_u64 a, ordo_u64 b)
{
    return ordo_is_real(type) ? ordo_word_value(type, a) < ordo_word_value(type, b)
                              : ordo_word_whole(type, a) < ordo_word_whole(type, b);
}

/* A field of a type that is signed or real. */
static ordo_field field_of(const char *name, ordo_type type, ordo_i64 whole, double real)
{
    const bool is_real = ordo_is_real(type);
    return (ordo_field){.name = name,
                        .type = is_real ? ORDO_F32 : ORDO_I32,
                        .whole = is_real ? 0 : (ordo_u64)whole,
                        .real = is_real ? real : 0};
}

void ordo_answer_sum_signed(ordo_answer *answer)
{
    const ordo_type type = answer->type;
    const void *words = answer->values;
    const ordo_u64 unreached = ordo_unreached_word(type);
    ordo_u64 reached = 0, least = 0, most = 0;
    __int128 whole = 0;
    double real = 0;
    for (ordo_u64 v = 0; v < answer->n; v++) {
        const ordo_u64 word = ordo_word_at(type, words, v);
        if (word == unreached)
            continue;
        least = !reached || word_less(type, word, least) ? word : least;
        most = !reached || word_less(type, most, word) ? word : most;
        reached++;
        if (ordo_is_real(type))
            real += ordo_word_value(type, word);
        else
            whole += ordo_word_whole(type, word);
    }
    const bool cycle = answer->cycle.length > 0, large = whole > INT64_MAX || whole < INT64_MIN;
    answer->within = cycle ? 0 : (double)INFINITY;
    answer->fields[0] = (ordo_field){.name = "negative_cycle", .type = ORDO_U64, .whole = cycle};
    answer->field_count = cycle ? 2 : 5;
    if (cycle) {
        answer->fields[1] = field_of("weight", type, answer->cycle.whole, answer->cycle.real);
        return;
    }
    answer->fields[1] = (ordo_field){.name = "reached", .type = ORDO_U64, .whole = reached};
    answer->fields[2] = field_of("min", type, ordo_word_whole(type, least), ordo_word_value(type, least));
    answer->fields[3] = field_of("max", type, ordo_word_whole(type, most), ordo_word_value(type, most));
    answer->fields[4] = large ? (ordo_field){.name = "sum", .type = ORDO_F32, .real = (double)whole}
                              : field_of("sum", type, (ordo_i64)whole, real);
}
