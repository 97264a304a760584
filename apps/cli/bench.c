/* bench.c -- `ordo bench`: critical sections under servers and under locks.
 *
 * The benchmarks are those of Wang, Fussell and Lin (ASPLOS 2019, section 4): insertion into a hash table (ht),
 * transfers between accounts (atm), and gradient descent on ratings (sgd, bench_sgd.c). The collision factor is the
 * number of targets that operations choose from, by the seed; these are spread over a table of 2^20 or more. Runs are
 * interleaved, and every one is checked: each element is in its bucket once; all transfers have an outcome, the
 * balances follow from those that were paid, and the sum of balances is unchanged.
 */
#include "apps/cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>

#include "apps/cli/bench.h"
#include "operators/bank.h"
#include "operators/hash_table.h"

enum { TABLE = 1 << 20, MAX_FACTORS = 32, START = 1000, MOST_PAID = 100 };

ordo_u64 bench_random(ordo_u64 seed, ordo_u64 number)
{
    ordo_u64 x = seed * 0x9e3779b97f4a7c15u + number * 0xd1342543de82ef95u + 1;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

ordo_u32 bench_pick(ordo_u64 seed, ordo_u64 number, ordo_u64 limit)
{
    return (ordo_u32)((bench_random(seed, number) >> 32) * limit >> 32);
}

/* ---- ht and atm ---- */

/* Operations on `targets` targets, of which `used` are used, `stride` apart. */
typedef struct problem {
    ordo_u64 operations, targets, used, stride, seed;
    ordo_work work;
    hash_table_state table;
    bank_state bank;
    ordo_u32 *a, *b, *c; /* ht: bucket, next, head; atm: outcome */
    bank_transfer *transfer;
    ordo_u64 *balance, *change;
} problem;

static bool is_atm(const problem *p)
{
    return p->transfer != NULL;
}

static void free_problem(problem *p)
{
    ordo_free(p->a);
    ordo_free(p->b);
    ordo_free(p->c);
    ordo_free(p->transfer);
    ordo_free(p->balance);
    ordo_free(p->change);
    *p = (problem){0};
}

/* The used target of that number: at a random place in its stride, so that they are spread over all owners. */
static ordo_u32 place_of(const problem *p, ordo_u64 used)
{
    return (ordo_u32)(used * p->stride + bench_pick(~p->seed, used, p->stride));
}

static ordo_u32 target(const problem *p, ordo_u64 number)
{
    return place_of(p, bench_pick(p->seed, number, p->used));
}

static ordo_status make_ht(problem *p)
{
    p->a = ordo_alloc(p->operations, sizeof *p->a);
    p->b = ordo_alloc(p->operations, sizeof *p->b);
    p->c = ordo_alloc(p->targets, sizeof *p->c);
    if (!p->a || !p->b || !p->c)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; i < p->operations; i++)
        p->a[i] = target(p, i);
    p->table = (hash_table_state){p->a, p->b, p->c};
    p->work = (ordo_work){.op = ordo_operator_find("hash_table"), .state = &p->table};
    return ORDO_OK;
}

static ordo_status make_atm(problem *p)
{
    p->transfer = ordo_alloc(p->operations, sizeof *p->transfer);
    p->a = ordo_alloc(p->operations, sizeof *p->a);
    p->balance = ordo_alloc(p->targets, sizeof *p->balance);
    p->change = ordo_alloc(p->targets, sizeof *p->change);
    if (!p->transfer || !p->a || !p->balance || !p->change)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; i < p->operations; i++) {
        ordo_u64 from = bench_pick(p->seed, 3 * i, p->used);
        ordo_u64 to = p->used > 1 ? (from + 1 + bench_pick(p->seed, 3 * i + 1, p->used - 1)) % p->used : from;
        p->transfer[i] =
            (bank_transfer){place_of(p, from), place_of(p, to), 1 + bench_pick(p->seed, 3 * i + 2, MOST_PAID)};
    }
    p->bank = (bank_state){p->transfer, p->a, p->balance};
    p->work = (ordo_work){.op = ordo_operator_find("bank"), .state = &p->bank};
    return ORDO_OK;
}

static ordo_status make_problem(problem *p, bool atm, const options *o, ordo_u64 factor)
{
    *p = (problem){.operations = o->operations, .used = factor, .seed = o->seed};
    p->stride = factor < TABLE ? TABLE / factor : 1;
    p->targets = factor * p->stride;
    ordo_status status = atm ? make_atm(p) : make_ht(p);
    p->work.num_items = p->operations;
    p->work.targets = p->targets;
    return status;
}

static void reset_problem(problem *p)
{
    if (is_atm(p)) {
        memset(p->a, 0, p->operations * sizeof *p->a); /* BANK_OPEN */
        for (ordo_u64 t = 0; t < p->targets; t++)
            p->balance[t] = START;
        return;
    }
    for (ordo_u64 i = 0; i < p->operations; i++)
        p->b[i] = HASH_TABLE_FREE;
    for (ordo_u64 t = 0; t < p->targets; t++)
        p->c[t] = HASH_TABLE_END;
}

static ordo_status check_ht(problem *p)
{
    ordo_u64 found = 0;
    for (ordo_u64 t = 0; t < p->targets; t++)
        for (ordo_u32 i = p->c[t]; i != HASH_TABLE_END; i = p->b[i]) {
            if (i >= p->operations || p->a[i] != t)
                return ordo_fail(ORDO_ERR_VERIFY, "ht: bucket %llu holds %u, which is none of its elements",
                                 (unsigned long long)t, i);
            if (++found > p->operations) /* also ends at a cyclic list */
                return ordo_fail(ORDO_ERR_VERIFY, "ht: bucket %llu holds an element twice", (unsigned long long)t);
        }
    if (found != p->operations)
        return ordo_fail(ORDO_ERR_VERIFY, "ht: %llu elements of %llu are in the table", (unsigned long long)found,
                         (unsigned long long)p->operations);
    return ORDO_OK;
}

static ordo_status check_atm(problem *p)
{
    ordo_u64 sum = 0;
    for (ordo_u64 t = 0; t < p->targets; t++)
        p->change[t] = START;
    for (ordo_u64 i = 0; i < p->operations; i++) {
        const bank_transfer *m = &p->transfer[i];
        if (p->a[i] != BANK_PAID && p->a[i] != BANK_REFUSED)
            return ordo_fail(ORDO_ERR_VERIFY, "atm: transfer %llu was not tried", (unsigned long long)i);
        if (p->a[i] == BANK_PAID) {
            p->change[m->from] -= m->amount;
            p->change[m->to] += m->amount;
        }
    }
    for (ordo_u64 t = 0; t < p->targets; t++) {
        sum += p->balance[t];
        if (p->balance[t] != p->change[t])
            return ordo_fail(ORDO_ERR_VERIFY, "atm: account %llu holds %llu, expected %llu", (unsigned long long)t,
                             (unsigned long long)p->balance[t], (unsigned long long)p->change[t]);
    }
    if (sum != p->targets * START)
        return ordo_fail(ORDO_ERR_VERIFY, "atm: %llu money in all, expected %llu", (unsigned long long)sum,
                         (unsigned long long)(p->targets * START));
    return ORDO_OK;
}

/* ---- one row of the table ---- */

ordo_status bench_run(bench *b, int which, const ordo_work *work, ordo_stats *stats)
{
    progress_step();
    show_phase(b->o, b->name, b->candidates[which].scheduler);
    process_cancellable_run(&b->candidates[which].run);
    ordo_status status = ordo_run(work, &b->candidates[which].run, stats);
    process_cancellable(false);
    clear_progress();
    return status ? status : check_cancelled();
}

static ordo_status run_problem(bench *b, problem *p, ordo_u64 factor, int which, int trial)
{
    ordo_stats stats = {0};
    record r = {.o = b->o,
                .bench = b->name,
                .stats = &stats,
                .collisions = factor,
                .operations = p->operations,
                .trial = trial < 1 ? 1 : trial};
    reset_problem(p);
    ordo_status status = bench_run(b, which, &p->work, &stats);
    if (!status) {
        status = is_atm(p) ? check_atm(p) : check_ht(p);
        r.verified = !status;
    }
    if (!status || status == ORDO_ERR_VERIFY) {
        bench_note(b, which, trial, &stats, (double)p->operations / stats.run_seconds);
        if (trial > 0 && b->json.file) {
            ordo_status written = bench_record(b, &r);
            status = status ? status : written;
        }
    }
    ordo_stats_free(&stats);
    return status;
}

/* Columns of a candidate's cells. */
enum { WIDTH = 26 };

static void print_heads(const bench *b)
{
    printf("\n%10s", "collisions");
    for (int i = 0; i < b->count; i++) {
        char who[80];
        const candidate *c = &b->candidates[i];
        snprintf(who, sizeof who, "%s:%s", c->scheduler, !strcmp(c->sync, "auto") ? c->sync : b->seen[i].sync);
        printf("  %*s", WIDTH, who);
    }
    printf("  %8s\n", b->count > 1 ? "1st/2nd" : "");
}

static void print_line(bench *b, ordo_u64 factor)
{
    printf("%10llu", (unsigned long long)factor);
    for (int i = 0; i < b->count; i++) {
        bench_seen *s = &b->seen[i];
        char cell[64] = "-";
        if (s->runs) {
            s->median = ordo_median(s->rate, s->runs);
            snprintf(cell, sizeof cell, "%.2f (%.2f to %.2f)", s->median / 1e6, s->rate[0] / 1e6,
                     s->rate[s->runs - 1] / 1e6);
        }
        printf("  %*s", WIDTH, cell);
    }
    if (b->count > 1 && b->seen[0].runs && b->seen[1].runs)
        printf("  %8.2f", b->seen[0].median / b->seen[1].median);
    for (int i = 0; i < b->count; i++)
        if (!strcmp(b->candidates[i].sync, "auto"))
            printf("  auto: %s, %s", b->seen[i].scheduler, b->seen[i].sync);
    putchar('\n');
}

static ordo_status run_factor(bench *b, bool atm, ordo_u64 factor, bool first)
{
    problem p;
    ordo_status status = make_problem(&p, atm, b->o, factor);
    for (int i = 0; i < b->count; i++)
        b->seen[i].runs = 0;
    for (int trial = 1 - b->o->warmup; trial <= b->o->repeat && !status; trial++)
        for (int i = 0; i < b->count && !status; i++)
            status = run_problem(b, &p, factor, i, trial);
    if (!status && b->text) {
        if (first)
            print_heads(b);
        print_line(b, factor);
        status = flush_stdout();
    }
    free_problem(&p);
    return status;
}

static ordo_status bench_sections(bench *b, bool atm)
{
    ordo_u64 factor[MAX_FACTORS];
    int count;
    ordo_status status = bench_numbers("--collisions", b->o->collisions ? b->o->collisions : "32,128,512,1K,32K,128K",
                                       0xffffffff, factor, MAX_FACTORS, &count);
    if (status)
        return status;
    if (b->o->word_count > 1)
        return ordo_fail(ORDO_ERR_USAGE, "bench %s takes no graph", b->name);
    if (!atm && b->o->operations >= HASH_TABLE_END)
        return ordo_fail(ORDO_ERR_USAGE, "bench ht: --operations %llu, expected fewer than %u",
                         (unsigned long long)b->o->operations, HASH_TABLE_END);
    ordo_work work = {.op = ordo_operator_find(atm ? "bank" : "hash_table"), .state = b, .targets = 1}; /* no items */
    for (int i = 0; i < b->count; i++) {
        status = ordo_run_check(&work, &b->candidates[i].run);
        if (status)
            return status;
    }
    if (b->text)
        printf(
            "%s: %llu operations a run, million operations a second: median (least to most) of %d runs, all checked\n",
            b->name, (unsigned long long)b->o->operations, b->o->repeat);
    progress_steps((size_t)count * (size_t)b->count * (size_t)(b->o->repeat + b->o->warmup));
    for (int i = 0; i < count && !status; i++)
        status = run_factor(b, atm, factor[i], i == 0);
    return status;
}

/* ---- the verb ---- */

ordo_status bench_numbers(const char *option, const char *list, ordo_u64 most, ordo_u64 *out, int capacity, int *count)
{
    *count = 0;
    for (const char *at = list;;) {
        char word[24];
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 23 ? length : 23), at);
        if (*count == capacity)
            return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected %d at most", option, list, capacity);
        ordo_status status = parse_size(option, word, &out[*count]);
        if (status)
            return status;
        if (out[*count] > most)
            return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected %llu at most", option, word, (unsigned long long)most);
        ++*count;
        if (!at[length])
            return ORDO_OK;
        at += length + 1;
    }
}

ordo_status bench_close(sink *json, ordo_status status, bool any_whole)
{
    char failure[1024];
    snprintf(failure, sizeof failure, "%s", ordo_last_error());
    bool keep = !status || status == ORDO_ERR_VERIFY || (status == ORDO_ERR_CANCELLED && any_whole);
    ordo_status closed = sink_close(json, keep);
    if (closed && keep && status != ORDO_ERR_CANCELLED)
        return closed;
    return status ? ordo_fail(status, "%s", failure) : ORDO_OK;
}

ordo_status bench_record(bench *b, const record *r)
{
    ordo_status status = json_write_bench(&b->json, r);
    if (!status)
        status = sink_whole(&b->json);
    b->any_whole = true;
    return status;
}

void bench_note(bench *b, int which, int trial, const ordo_stats *stats, double rate)
{
    bench_seen *s = &b->seen[which];
    snprintf(s->sync, sizeof s->sync, "%s", stats->sync);
    snprintf(s->scheduler, sizeof s->scheduler, "%s", stats->scheduler);
    if (trial > 0)
        s->rate[s->runs++] = rate;
}

/* ht, atm, sgd and lock-transfer, which run an operator. */
static ordo_status bench_operator(options *o, const char *name)
{
    const bool sgd = !strcmp(name, "sgd"), transfer = !strcmp(name, "lock-transfer");
    bench *b = calloc(1, sizeof *b);
    if (!b)
        return ordo_fail(ORDO_ERR_MEMORY, "no memory for a benchmark");
    o->repeat = sgd ? (int)o->epochs : o->repeat ? o->repeat : DEFAULT_REPEAT;
    if (transfer && !options_given(o, "operations"))
        o->operations = BENCH_SECTIONS;
    b->o = o;
    b->name = name;
    const char *ways = transfer ? bench_ways_of_locking(o) : "lock_server,bsp:lock";
    ordo_status status = find_candidates(o, o->schedulers ? o->schedulers : ways, b->candidates, &b->count);
    for (int i = 0; i < b->count && !status; i++) {
        b->candidates[i].run.progress = NULL;
        if (!(b->seen[i].rate = malloc((size_t)o->repeat * sizeof *b->seen[i].rate)))
            status = ordo_fail(ORDO_ERR_MEMORY, "not enough memory for %d rates", o->repeat);
    }
    if (!status && o->json)
        status = sink_open(&b->json, o->json);
    b->text = !o->quiet && b->json.file != stdout;
    if (!status)
        status = sgd ? bench_ratings(b) : transfer ? bench_lock_transfer(b) : bench_sections(b, !strcmp(name, "atm"));
    status = bench_close(&b->json, status, b->any_whole);
    for (int i = 0; i < b->count; i++)
        free(b->seen[i].rate);
    free(b);
    return status;
}

/* --threads is a list for `queue` and `lock-transfer`, one number for the others. */
static ordo_status one_number_of_threads(options *o)
{
    ordo_u64 threads = (ordo_u64)o->threads;
    ordo_status status = o->thread_list ? parse_whole("--threads", o->thread_list, 1, MOST_THREADS, &threads) : ORDO_OK;
    o->threads = (int)threads;
    o->thread_list = NULL;
    return status;
}

ordo_status verb_bench(const options *given)
{
    static const char *const names[] = {"ht", "atm", "sgd", "machine", "queue", "lock-transfer", NULL};
    if (given->word_count == 0)
        return ordo_fail(ORDO_ERR_USAGE, "bench needs one of ht, atm, sgd, machine, queue and lock-transfer");
    int which = 0;
    while (names[which] && strcmp(names[which], given->words[0]) != 0)
        which++;
    if (!names[which])
        return unknown("benchmark", given->words[0], names, "ordo help bench");
    option_scope scope = scope_of_benchmark(names[which]);
    ordo_status status = options_suit(given, &scope);
    if (status)
        return status;
    options *o = malloc(sizeof *o);
    if (!o)
        return ordo_fail(ORDO_ERR_MEMORY, "no memory for a benchmark");
    *o = *given;
    if (strcmp(names[which], "queue") != 0 && strcmp(names[which], "lock-transfer") != 0)
        status = one_number_of_threads(o);
    if (!status)
        status = !strcmp(names[which], "queue")     ? bench_queue(o)
                 : !strcmp(names[which], "machine") ? bench_machine(o)
                                                    : bench_operator(o, names[which]);
    free(o);
    return status;
}
