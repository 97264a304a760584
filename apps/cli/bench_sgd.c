/* bench_sgd.c -- `ordo bench sgd RATINGS`: matrix factorisation by stochastic gradient descent.
 *
 * Any graph with weights is a file of ratings: tails are users, heads what they rate, a number space for each. By the
 * seed, a share of the ratings is held out and the others are put in a random order; vectors start small, the same for
 * every scheduler. An epoch is a run. Checked: every rating is used once in each epoch, and the error is a number. The
 * root of the mean square error is reported for the ratings used, for those held out, and for these if each were
 * predicted as the mean of those used, which is the baseline.
 */
#include "apps/cli/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>

#include "operators/sgd.h"

typedef struct ratings {
    loaded file;
    ordo_graph *pairs; /* the graph of users and things, for partitions */
    sgd_rating *rating;
    ordo_u64 used, all; /* those from `used` on are held out */
    ordo_u32 *done;
    ordo_f32 *factor;
    ordo_u64 targets;
    sgd_state state;
    double by_mean;
} ratings;

static ordo_f32 weight_of(const ordo_csr *rows, ordo_eid e)
{
    const void *at = ordo_csr_weight_at(rows, e);
    if (rows->weight_type == ORDO_F32)
        return *(const ordo_f32 *)at;
    if (rows->weight_type == ORDO_F64)
        return (ordo_f32)ordo_get_f64(at);
    if (rows->weight_type == ORDO_I64)
        return (ordo_f32)ordo_get_i64(at);
    return rows->weight_type == ORDO_I32 ? (ordo_f32) * (const ordo_i32 *)at : (ordo_f32) * (const ordo_u32 *)at;
}

static void swap_ratings(sgd_rating *a, sgd_rating *b)
{
    sgd_rating c = *a;
    *a = *b;
    *b = c;
}

/* Those used first, in random order (Fisher and Yates), then those held out. */
static void split_ratings(ratings *d, const options *o)
{
    const ordo_csr *rows = ordo_graph_out(d->file.graph);
    ordo_u64 next = 0, limit = (ordo_u64)(o->holdout * 4294967296.0);
    d->used = d->all = rows->m;
    for (ordo_vid u = 0; u < rows->n; u++)
        for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++) {
            sgd_rating one = {u, rows->head[e * rows->stride], weight_of(rows, e)};
            bool held = bench_random(o->seed, e) >> 32 < limit;
            d->rating[held ? --d->used : next++] = one;
        }
    for (ordo_u64 i = d->used; i > 1; i--)
        swap_ratings(&d->rating[i - 1], &d->rating[bench_random(o->seed + 1, i) % i]);
}

static double root_mean_square(const ratings *d, ordo_u64 begin, ordo_u64 end)
{
    double sum = 0;
    for (ordo_u64 i = begin; i < end; i++) {
        double e = (double)sgd_error(&d->state, &d->rating[i]);
        sum += e * e;
    }
    return end > begin ? sqrt(sum / (double)(end - begin)) : NAN;
}

/* The graph of users and, after them, things: the one that --set partition=metis partitions. */
static ordo_status make_pairs(ratings *d, int threads)
{
    const ordo_vid users = d->state.users;
    ordo_edge_entry *edge = ordo_alloc(d->used, sizeof *edge);
    if (!edge)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; i < d->used; i++)
        edge[i] = (ordo_edge_entry){d->rating[i].user, users + d->rating[i].thing, 0};
    ordo_status status =
        ordo_graph_from_edges(d->targets, edge, d->used, ORDO_NONE, ORDO_SYMMETRISE, threads, &d->pairs);
    ordo_free(edge);
    return status;
}

static ordo_status make_ratings(ratings *d, const options *o)
{
    const ordo_csr *rows = ordo_graph_out(d->file.graph);
    if (rows->weight_type == ORDO_NONE)
        return ordo_fail(ORDO_ERR_INPUT, "%s has no weights, expected ratings", d->file.info.source);
    if (rows->n > ORDO_MAX_VERTICES / 2 || rows->m > ORDO_MAX_VERTICES)
        return ordo_fail(ORDO_ERR_INPUT, "%s: %u users and things and %llu ratings, expected fewer than 2^31 and 2^32",
                         d->file.info.source, rows->n, (unsigned long long)rows->m);
    d->targets = 2 * (ordo_u64)rows->n;
    ordo_status status = check_memory(o, "sgd", rows->m * 40 + d->targets * (o->rank * 4 + 16));
    if (status)
        return status;
    d->rating = ordo_alloc(rows->m, sizeof *d->rating);
    d->done = ordo_alloc(rows->m, sizeof *d->done);
    d->factor = ordo_alloc(d->targets * o->rank, sizeof *d->factor);
    if (!d->rating || !d->done || !d->factor)
        return ORDO_ERR_MEMORY;
    split_ratings(d, o);
    if (d->used == 0 || d->used == d->all)
        return ordo_fail(ORDO_ERR_INPUT, "%s: %llu of %llu ratings are held out, expected some to use and some to test",
                         d->file.info.source, (unsigned long long)(d->all - d->used), (unsigned long long)d->all);
    double sum = 0, square = 0;
    for (ordo_u64 i = 0; i < d->used; i++)
        sum += (double)d->rating[i].value;
    d->state = (sgd_state){.rating = d->rating,
                           .done = d->done,
                           .factor = d->factor,
                           .users = rows->n,
                           .rank = o->rank,
                           .mean = (ordo_f32)(sum / (double)d->used),
                           .rate = (ordo_f32)o->rate,
                           .decay = (ordo_f32)o->decay};
    for (ordo_u64 i = d->used; i < d->all; i++) {
        double e = (double)d->rating[i].value - (double)d->state.mean;
        square += e * e;
    }
    d->by_mean = sqrt(square / (double)(d->all - d->used));
    return make_pairs(d, o->threads);
}

/* Vectors of about length 1/2, none of them 0. */
static void reset_ratings(ratings *d, const options *o)
{
    memset(d->done, 0, d->all * sizeof *d->done);
    for (ordo_u64 i = 0; i < d->targets * o->rank; i++)
        d->factor[i] =
            ((ordo_f32)(bench_random(o->seed + 2, i) >> 40) / (ordo_f32)(1 << 24) - 0.5f) / sqrtf((ordo_f32)o->rank);
    d->state.epoch = 0;
}

static ordo_status run_epoch(bench *b, ratings *d, int which, int epoch, record *r)
{
    ordo_stats stats = {0};
    ordo_work work = {.op = ordo_operator_find("sgd"),
                      .graph = d->pairs,
                      .state = &d->state,
                      .num_items = d->used,
                      .targets = d->targets};
    d->state.epoch = (ordo_u32)epoch;
    progress_step();
    show_phase(b->o, b->name, b->candidates[which].scheduler);
    process_cancellable_run(&b->candidates[which].run);
    ordo_status status = ordo_run(&work, &b->candidates[which].run, &stats);
    process_cancellable(false);
    clear_progress();
    if (!status)
        status = check_cancelled();
    if (status) {
        ordo_stats_free(&stats);
        return status;
    }
    r->stats = &stats;
    r->trial = epoch;
    r->rmse = root_mean_square(d, 0, d->used);
    r->rmse_held = root_mean_square(d, d->used, d->all);
    for (ordo_u64 i = 0; i < d->used && !status; i++)
        if (d->done[i] != d->state.epoch)
            status = ordo_fail(ORDO_ERR_VERIFY, "sgd: epoch %d did not use rating %llu", epoch, (unsigned long long)i);
    if (!status && (!isfinite(r->rmse) || !isfinite(r->rmse_held)))
        status = ordo_fail(ORDO_ERR_VERIFY, "sgd: the error is no number any more in epoch %d; a smaller --rate helps",
                           epoch);
    r->verified = !status;
    bench_note(b, which, epoch, &stats, (double)d->used / stats.run_seconds);
    if (b->json.file) {
        ordo_status written = bench_record(b, r);
        status = status ? status : written;
    }
    ordo_stats_free(&stats);
    return status;
}

/* Runs all epochs of one scheduler, and prints its line. */
static ordo_status run_candidate(bench *b, ratings *d, int which)
{
    record r = {.o = b->o, .graph = &d->file, .bench = b->name, .operations = d->used, .rmse_mean = d->by_mean};
    bench_seen *s = &b->seen[which];
    ordo_status status = ORDO_OK;
    reset_ratings(d, b->o);
    for (int epoch = 1; epoch <= b->o->repeat && !status; epoch++)
        status = run_epoch(b, d, which, epoch, &r);
    if (status || !b->text)
        return status;
    s->median = ordo_median(s->rate, s->runs);
    printf("%-12s %-7s %9.2f (%.2f to %.2f) %12.5f %12.5f\n", b->candidates[which].scheduler, s->sync, s->median / 1e6,
           s->rate[0] / 1e6, s->rate[s->runs - 1] / 1e6, r.rmse, r.rmse_held);
    return flush_stdout();
}

ordo_status bench_ratings(bench *b)
{
    const options *o = b->o;
    const char *path = NULL;
    ratings d = {0};
    ordo_status status = one_graph(o, 1, &path);
    if (!status)
        status = load_graph(o, path, true, &d.file);
    if (status)
        return status;
    status = make_ratings(&d, o);
    if (!status && b->text) {
        print_graph(&d.file);
        printf(
            "sgd: %llu ratings used, %llu held out, rank %u, %d epochs; held-out error if all were the mean: %.5f\n\n",
            (unsigned long long)d.used, (unsigned long long)(d.all - d.used), o->rank, o->repeat, d.by_mean);
        printf("%-12s %-7s %s %12s %12s\n", "scheduler", "sync", "million ratings a second", "error used", "held out");
    }
    progress_steps((size_t)b->count * (size_t)o->repeat);
    for (int i = 0; i < b->count && !status; i++)
        status = run_candidate(b, &d, i);
    ordo_free(d.rating);
    ordo_free(d.done);
    ordo_free(d.factor);
    ordo_graph_free(d.pairs);
    load_free(&d.file);
    return status;
}
