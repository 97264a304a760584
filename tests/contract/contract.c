/* contract.c -- the contract, over the matrix: an operator, under a scheduler, sync and number of threads, on every
 * family of graphs, against references that share nothing with the schedulers (contract.h).
 *
 *   contract OPERATOR SCHEDULER SYNC THREADS SEEDS [DEVICE]
 *   contract pairs DEVICE [relax|critical|gather]
 *
 * SCHEDULER: a name, or `all`. SYNC: a name, or `all`: every one that the library offers for operator, scheduler and
 * device. THREADS: 2, or 1,2,8. SEEDS: how many, from 1 on, or FIRST-LAST. The second form prints the pairs that the
 * library offers, a line each: operator, scheduler, sync.
 *
 * What is offered is asked of ordo_run_check, and must be what the descriptors say. Every seed also draws the
 * scheduler's tunables at random, so that tiny bins, one bucket, pull and the like are met. A choice may be refused, by
 * a sentence that names its tunable; it is left out then, and counted. Defaults and numbers within their limits never
 * are. Where edges are offered as items, half of the trials run with them.
 *
 * A process that is one of several ranks runs every trial together with the others, each of which compares the whole
 * answer (tests/gpu/ranks_fake_test.py).
 *
 * Prints a line for each sync and number of threads, and for each choice that was refused; or the path of the first
 * failure (family, size, seed, settings), and ends with 1. 77: the descriptors offer no sync for the pair, or the
 * device is not there.
 */
#include "contract.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/distributed.h>
#include <ordo/scheduler/scheduler.h>

#include "tests/common/pairs.h"

static const contract_row *find_row(const char *op)
{
    for (const contract_row *row = contract_rows; row->op; row++)
        if (!strcmp(row->op, op))
            return row;
    printf("FAILED operator %s has no reference: expected a line in tests/contract/operators.c\n", op);
    exit(1);
}

_Noreturn void contract_fail(const trial *t, const char *what)
{
    printf("FAILED %s/%s/%s/%d family %s size %u seed %llu: %s\n", t->op, t->options.scheduler, t->options.sync,
           t->options.threads, t->family, t->size, (unsigned long long)t->seed, what);
    if (t->options.items)
        printf("  --items %s\n", t->options.items);
    for (size_t i = 0; i < t->options.setting_count; i++)
        printf("  --set %s\n", t->options.settings[i]);
    exit(1);
}

void *contract_alloc(size_t count, size_t size)
{
    void *p = calloc(count + 1, size);
    if (!p)
        abort();
    return p;
}

/* ---- what the library offers ---- */

static int print_pairs(const char *device, const char *kind)
{
    const ordo_scheduler *scheduler[64];
    const size_t schedulers = ordo_schedulers(scheduler, 64);
    if (schedulers > 64)
        abort();
    for (const contract_row *row = contract_rows; row->op; row++) {
        const ordo_operator *op = ordo_operator_find(row->op);
        if (kind && strcmp(kind, op->kind == ORDO_KIND_RELAX    ? "relax"
                                 : op->kind == ORDO_KIND_GATHER ? "gather"
                                                                : "critical") != 0)
            continue;
        for (size_t k = 0; k < schedulers; k++)
            for (int sync = 1; sync < ORDO_SYNCS; sync++)
                if (pair_is_offered(op, scheduler[k], (ordo_sync)sync, device))
                    printf("%s %s %s\n", op->name, scheduler[k]->name, ordo_sync_name((ordo_sync)sync));
    }
    return 0;
}

/* ---- tunables ---- */

/* Draws every tunable: as it is, its least, or something small. */
static void draw_settings(trial *t, ordo_u64 *r)
{
    const ordo_scheduler *s = ordo_scheduler_find(t->options.scheduler);
    t->options.settings = t->settings;
    t->options.setting_count = 0;
    if (t->seed % 4 == 0)
        return;
    for (int i = 0; i < s->tunable_count; i++) {
        const ordo_tunable *row = &s->tunables[i];
        ordo_u64 choice = next_random(r) % 4;
        char *text = t->text[t->options.setting_count];
        if (choice == 0)
            continue;
        if (row->type == ORDO_TUNABLE_CHOICE) {
            int choices = 1;
            for (const char *c = row->choices; *c; c++)
                choices += *c == '|';
            const char *at = row->choices;
            for (ordo_u64 k = next_random(r) % (ordo_u64)choices; k; k--)
                at = strchr(at, '|') + 1;
            snprintf(text, sizeof t->text[0], "%s=%.*s", row->name, (int)strcspn(at, "|"), at);
        } else {
            double value = choice == 1 ? row->min : (double)(next_random(r) % ((ordo_u64)2 << next_random(r) % 9));
            if (row->type == ORDO_TUNABLE_REAL && choice == 3)
                value = (double)(next_random(r) % 1000) / 64;
            value = value < row->min ? row->min : value > row->max ? row->max : value;
            snprintf(text, sizeof t->text[0], "%s=%.17g", row->name, value);
        }
        t->settings[t->options.setting_count++] = text;
    }
}

/* Whether `sentence` has the word word[0 .. length - 1]. */
static bool names(const char *sentence, const char *word, size_t length)
{
    for (const char *at = sentence; *at; at++)
        if (!strncmp(at, word, length) && (at == sentence || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
            !(isalnum((unsigned char)at[length]) || at[length] == '_'))
            return true;
    return false;
}

/* Whether a setting may be refused: a choice that is not the default. */
static bool is_refusable(const ordo_scheduler *s, const char *setting)
{
    const size_t length = strcspn(setting, "=");
    for (int i = 0; i < s->tunable_count; i++)
        if (strlen(s->tunables[i].name) == length && !memcmp(s->tunables[i].name, setting, length))
            return s->tunables[i].type == ORDO_TUNABLE_CHOICE &&
                   strcmp(s->tunables[i].initial, setting + length + 1) != 0;
    return false;
}

/* Leaves out the setting that the last error's sentence names, with its value or at least by its tunable's name. */
static bool leave_out_refused(trial *t, ordo_status status)
{
    static char said[ORDO_MAX_TUNABLES][64];
    static size_t count;
    if (status != ORDO_ERR_UNSOUND && status != ORDO_ERR_USAGE)
        return false;
    const ordo_scheduler *s = ordo_scheduler_find(t->options.scheduler);
    for (int whole = 1; whole >= 0; whole--)
        for (size_t i = 0; i < t->options.setting_count; i++) {
            const char *setting = t->settings[i];
            if (!is_refusable(s, setting) ||
                !names(ordo_last_error(), setting, whole ? strlen(setting) : strcspn(setting, "=")))
                continue;
            t->refused++;
            size_t known = 0;
            while (known < count && strcmp(said[known], setting) != 0)
                known++;
            if (known == count && count < ORDO_MAX_TUNABLES) {
                snprintf(said[count++], sizeof said[0], "%s", setting);
                printf("%s/%s: %s is refused: %s\n", t->op, s->name, setting, ordo_last_error());
            }
            t->options.setting_count--;
            memmove(&t->settings[i], &t->settings[i + 1], (t->options.setting_count - i) * sizeof t->settings[0]);
            return true;
        }
    return false;
}

/* ---- a run ---- */

bool contract_again(trial *t, ordo_status status)
{
    if (!status)
        return false;
    if (leave_out_refused(t, status))
        return true;
    char text[1200];
    snprintf(text, sizeof text, "%s: %s", ordo_status_name(status), ordo_last_error());
    contract_fail(t, text);
}

void contract_run(trial *t, ordo_work *work)
{
    work->op = ordo_operator_find(t->op);
    ordo_stats_free(&t->stats);
    ordo_status status;
    do { /* what only an instance can tell is refused by the run, which then has changed nothing */
        status = ordo_run_check(work, &t->options);
        if (!status)
            status = ordo_run(work, &t->options, &t->stats);
    } while (contract_again(t, status));
    if (t->stats.trace_count > ORDO_TRACE_MAX)
        contract_fail(t, "trace too long");
    for (size_t i = 1; i < t->stats.trace_count; i++)
        if (t->stats.trace[i].seconds < t->stats.trace[i - 1].seconds)
            contract_fail(t, "trace goes back in time");
}

void contract_check_u32(const trial *t, const ordo_u32 *found, const ordo_u32 *expected, ordo_u64 n)
{
    for (ordo_u64 v = 0; v < n; v++)
        if (found[v] != expected[v]) {
            char text[128];
            snprintf(text, sizeof text, "cell %llu is %u, expected %u", (unsigned long long)v, found[v], expected[v]);
            contract_fail(t, text);
        }
}

void contract_run_cells(trial *t, ordo_graph *g, const void *state, const ordo_item *source, ordo_u32 *cells,
                        ordo_u32 *expected)
{
    const ordo_u64 n = ordo_graph_out(g)->n;
    ordo_work work = {.graph = g,
                      .cells = cells,
                      .state = state,
                      .num_items = n,
                      .targets = n,
                      .initial = source,
                      .initial_count = n ? 1 : 0};
    contract_run(t, &work);
    contract_check_u32(t, cells, expected, n);
    free(expected);
    free(cells);
    ordo_graph_free(g);
}

/* ---- the trials of a pair ---- */

/* Whether this trial's items are edges, where vertices and edges are offered: half of the trials. */
static bool draws_edges(const trial *t, int items)
{
    ordo_u64 r = t->seed * 977 + t->size;
    return items == (ORDO_ITEMS_VERTICES | ORDO_ITEMS_EDGES) && next_random(&r) % 2;
}

/* items: those that are offered. */
static void run_trials(trial *t, ordo_u64 first, ordo_u64 last, int items)
{
    const contract_row *row = find_row(t->op);
    ordo_u64 trials = 0, by_edges = 0;
    t->refused = 0;
    for (t->seed = first; t->seed <= last; t->seed++)
        for (const char *const *family = family_names; *family; family++) {
            ordo_u64 r = t->seed * 31 + (ordo_u64)(family - family_names);
            t->family = *family;
            t->options.repeats = t->seed % 3; /* 2: searches of directed graphs pull */
            t->size = 1 + (unsigned)(next_random(&r) % (row->size == 150 && t->seed % 10 == 0 ? 2000 : row->size));
            draw_settings(t, &r);
            t->options.items = draws_edges(t, items) ? "edges" : NULL;
            by_edges += t->options.items != NULL;
            edge_list list;
            family_make(*family, t->size, t->seed, &list);
            row->reference(t, &list);
            family_free(&list);
            trials++;
        }
    printf("%s/%s/%s/%d: %llu trials, %llu with edges as items, %llu settings refused\n", t->op, t->options.scheduler,
           t->options.sync, t->options.threads, (unsigned long long)trials, (unsigned long long)by_edges,
           (unsigned long long)t->refused);
    fflush(stdout);
}

static int wrong_use(void)
{
    fprintf(stderr, "usage: contract OPERATOR SCHEDULER|all SYNC|all THREADS[,...] SEEDS [DEVICE]\n"
                    "       contract pairs DEVICE [relax|critical|gather]\n");
    return 2;
}

/* What the command line asks for. */
typedef struct request {
    const ordo_operator *op;
    const char *sync, *threads;
    ordo_u64 first, last; /* seeds */
} request;

/* Runs the trials of one scheduler, with each sync that is asked for and offered. Returns the number of these, or -1
 * where the numbers of threads are no such list. */
static int run_scheduler(trial *t, const request *asked, const ordo_scheduler *s)
{
    int offered = 0;
    t->options.scheduler = s->name;
    for (int sync = 1; sync < ORDO_SYNCS; sync++) {
        t->options.sync = ordo_sync_name((ordo_sync)sync);
        if ((strcmp(asked->sync, "all") != 0 && strcmp(asked->sync, t->options.sync) != 0) ||
            !pair_is_offered(asked->op, s, (ordo_sync)sync, t->options.device))
            continue;
        offered++;
        int items = 0;
        for (int item = ORDO_ITEMS_VERTICES; item <= ORDO_ITEMS_EDGES; item *= 2)
            items |= pair_has_items(asked->op, s, (ordo_sync)sync, t->options.device, item) ? item : 0;
        char *rest;
        for (const char *threads = asked->threads; *threads; threads = *rest ? rest + 1 : rest) {
            t->options.threads = (int)strtol(threads, &rest, 10);
            if (rest == threads || (*rest && *rest != ',') || t->options.threads < 1)
                return -1;
            run_trials(t, asked->first, asked->last, items);
        }
    }
    return offered;
}

int main(int argc, char **argv)
{
    for (const contract_row *row = contract_rows; row->op; row++)
        if (row->outside && ordo_operator_register(row->outside)) {
            printf("FAILED %s\n", ordo_last_error());
            return 1;
        }
    if (argc >= 3 && argc <= 4 && !strcmp(argv[1], "pairs"))
        return print_pairs(argv[2], argv[3]);
    if (argc != 6 && argc != 7)
        return wrong_use();
    trial t = {.op = argv[1], .options = {.device = argc == 7 ? argv[6] : NULL}};
    char *rest;
    request asked = {ordo_operator_find(t.op), argv[3], argv[4], 1, strtoull(argv[5], &rest, 10)};
    if (*rest == '-') { /* FIRST-LAST */
        asked.first = asked.last;
        asked.last = strtoull(rest + 1, &rest, 10);
    }
    if (!asked.op || *rest || asked.first > asked.last || !asked.last)
        return wrong_use();
    const ordo_scheduler *scheduler[64];
    size_t schedulers = ordo_schedulers(scheduler, 64);
    if (strcmp(argv[2], "all") != 0) {
        scheduler[0] = ordo_scheduler_find(argv[2]);
        schedulers = scheduler[0] ? 1 : 0;
    }
    if (schedulers < 1 || schedulers > 64)
        return wrong_use();
    if (ordo_group_launched() && ordo_group_join(&t.options.group)) {
        printf("FAILED %s\n", ordo_last_error());
        return 1;
    }
    int offered = 0;
    for (size_t i = 0; i < schedulers; i++) {
        const int syncs = run_scheduler(&t, &asked, scheduler[i]);
        if (syncs < 0)
            return wrong_use();
        offered += syncs;
    }
    ordo_stats_free(&t.stats);
    ordo_group_leave(t.options.group);
    if (offered)
        return 0;
    const bool expected = strcmp(asked.sync, "all") != 0 || t.options.device; /* where a build lists pairs by itself */
    printf("%s: the library does not offer %s under %s with sync %s\n", expected ? "FAILED" : "skipped", t.op, argv[2],
           asked.sync);
    return expected ? 1 : 77;
}
