/* lock_server: what would deadlock a server that is built a little differently, exclusion looked at from inside
 * sections, partitions, memory that runs out, and what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/graph.h>
#include <ordo/memory.h>
#include <ordo/run.h>

#include "operators/bank.h"
#include "operators/discharge.h"
#include "tests/common/settings.h"
#include "tests/common/suite.h"

#include <ordo/operator/operator.h>

/* A critical section checks whether another one is inside its targets, and stays a while. An item is processed `rounds`
 * times: its critical section activates it again. */
typedef struct probe_state {
    const ordo_u32 (*target)[2]; /* [items] */
    ordo_u32 *inside, *count;    /* [targets] plain words: the owner's */
    ordo_u32 *round;             /* [items] */
    ordo_u32 rounds, targets_each;
    ordo_u32 *violations;
} probe_state;

ORDO_FN ordo_u32 probe_prepare(const probe_state *s, ordo_item i, ordo_request *out)
{
    out[0] = s->targets_each == 2 ? ordo_request_two(s->target[i][0], s->target[i][1], 0, 0)
                                  : ordo_request_one(s->target[i][0], 0, 0);
    return 1;
}

ORDO_FN ordo_u32 probe_commit(const probe_state *s, const ordo_request *r, ordo_activation *out)
{
    ordo_u32 a = r->target[0], b = r->target[1];
    if (s->inside[a] || s->inside[b])
        __atomic_fetch_add(s->violations, 1, __ATOMIC_RELAXED);
    s->inside[a] = s->inside[b] = 1;
    for (volatile int i = 0; i < 20; i++)
        ;
    s->count[a]++;
    if (b != a)
        s->count[b]++;
    s->inside[a] = s->inside[b] = 0;
    out[0].item = r->item;
    out[0].priority = 0;
    return ++s->round[r->item] < s->rounds;
}

#define ORDO_CRITICAL probe
#define ORDO_CRITICAL_SUMMARY "looks whether it is alone"
#define ORDO_CRITICAL_STATE probe_state
#define ORDO_CRITICAL_PREPARE probe_prepare
#define ORDO_CRITICAL_COMMIT probe_commit
#define ORDO_CRITICAL_REQUESTS 1
#define ORDO_CRITICAL_ACTIVATIONS 1
#define ORDO_CRITICAL_PROPERTIES 0
#define ORDO_OP probe
#include <ordo/operator/critical.h>
#include <ordo/scheduler/cpu.h>
#include "schedulers/bsp/cpu.h"
#include "schedulers/lock_server/cpu.h"
#include <ordo/detail/describe.h>
static const ordo_instance *const instances[] = {&probe_on_cpu_under_bsp, &probe_on_cpu_under_lock_server, NULL};
ORDO_DESCRIBE_CRITICAL(instances)

/* ---- deadlock traps ---- */

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { ITEMS = 200, PATIENCE = 120 };
#else
enum { ITEMS = 3000, PATIENCE = 60 };
#endif
enum { MOST_TARGETS = 512, ROUNDS = 3 };

static const char *const patterns[] = {"one target", "opposite order", "a ring of targets", "any two", "one each"};
enum { ONE_TARGET, OPPOSITE, RING, ANY_TWO, ONE_EACH, PATTERNS };

static ordo_u32 targets_of(int pattern, ordo_u32 (*target)[2], ordo_u32 targets)
{
    ordo_u32 random = 1;
    for (ordo_u32 i = 0; i < ITEMS; i++) {
        random = random * 1664525u + 1013904223u;
        ordo_u32 a = (random >> 8) % targets, b = (random >> 20) % targets;
        switch (pattern) {
        case ONE_TARGET: /* all clients on one */
            a = b = 5 % targets;
            break;
        case OPPOSITE: /* the same two, one way and the other */
            a = i % 2 ? 0 : targets - 1;
            b = i % 2 ? targets - 1 : 0;
            break;
        case RING: /* each with the next, as philosophers sit */
            a = i % targets;
            b = (i + 1) % targets;
            break;
        default:
            break;
        }
        target[i][0] = a;
        target[i][1] = b;
    }
    return pattern == ONE_TARGET || pattern == ONE_EACH ? 1 : 2;
}

static const struct {
    const char *what, *settings[5];
} traps[] = {
    {"as it is", {NULL}},
    {"rings of two", {"ring=16"}},
    {"rings of one", {"ring=1"}},
    {"one lock a server", {"locks=1"}},
    {"one request in flight", {"flight=1"}},
    {"one lock, one request, rings of one, items one by one", {"locks=1", "flight=1", "ring=1", "chunk=1"}},
    {"servers apart", {"roles=apart"}},
    {"few servers apart", {"roles=apart", "ratio=3", "ring=1"}},
    {"many servers apart, one lock", {"roles=apart", "ratio=0.3", "locks=1", "flight=2"}},
    {"owners by hash", {"partition=hash", "grain=1", "flight=3"}},
};

START_TEST(traps_are_got_through)
{
    static const int threads[] = {1, 2, 3, 8};
    const size_t trap = (size_t)_i;
    static ordo_u32 target[ITEMS][2], inside[MOST_TARGETS], count[MOST_TARGETS], expected[MOST_TARGETS], round[ITEMS];
    for (int t = 0; t < 4; t++)
        for (int pattern = 0; pattern < PATTERNS; pattern++)
            for (ordo_u32 targets = 2, turn = 0; targets <= MOST_TARGETS; targets *= 16, turn++) {
                /* in short, with one number of threads, another one for each pattern, number of targets and trap */
                if (BRIEFER > 1 && (turn + (ordo_u32)(t + pattern + _i)) % 4)
                    continue;
                ordo_u32 violations = 0;
                probe_state state = {(const ordo_u32(*)[2])target, inside, count, round, ROUNDS, 0, &violations};
                state.targets_each = targets_of(pattern, target, targets);
                memset(count, 0, sizeof count);
                memset(expected, 0, sizeof expected);
                memset(round, 0, sizeof round);
                for (ordo_u32 i = 0; i < ITEMS; i++) {
                    ordo_u32 a = target[i][0], b = state.targets_each == 2 ? target[i][1] : a;
                    expected[a] += ROUNDS;
                    expected[b] += b != a ? ROUNDS : 0;
                }
                ordo_work work = {.op = &probe_operator, .state = &state, .num_items = ITEMS, .targets = targets};
                const char *taken[5];
                size_t settings = 0;
                while (traps[trap].settings[settings])
                    settings++;
                ordo_options options = {.scheduler = "lock_server",
                                        .threads = threads[t],
                                        .settings = taken,
                                        .setting_count =
                                            settings_taken("lock_server", traps[trap].settings, settings, taken),
                                        .timeout = PATIENCE};
                ordo_stats stats = {0};
                ck_assert_msg(!ordo_run(&work, &options, &stats), "%s, %s, %u targets, %d threads: %s",
                              traps[trap].what, patterns[pattern], targets, threads[t], ordo_last_error());
                ck_assert_msg(violations == 0, "%s, %s, %u targets, %d threads: not alone %u times", traps[trap].what,
                              patterns[pattern], targets, threads[t], violations);
                ck_assert_uint_eq(stats.useful, ITEMS * ROUNDS);
                ck_assert_uint_eq(stats.items, ITEMS * ROUNDS);
                ck_assert_uint_eq(stats.activations, ITEMS * (ROUNDS - 1));
                for (ordo_u32 i = 0; i < targets; i++)
                    ck_assert_uint_eq(count[i], expected[i]);
                ordo_stats_free(&stats);
            }
}
END_TEST

/* The probe can fail: with its own sections under no lock at all it would; here under bsp's locks it does not. */
START_TEST(probe_under_locks)
{
    static ordo_u32 target[ITEMS][2], inside[MOST_TARGETS], count[MOST_TARGETS], round[ITEMS];
    ordo_u32 violations = 0, sum = 0;
    probe_state state = {(const ordo_u32(*)[2])target, inside, count, round, ROUNDS, 0, &violations};
    state.targets_each = targets_of(ANY_TWO, target, 8);
    ordo_work work = {.op = &probe_operator, .state = &state, .num_items = ITEMS, .targets = 8};
    ordo_options options = {.scheduler = "bsp", .threads = 8};
    ck_assert_int_eq(ordo_run(&work, &options, NULL), ORDO_OK);
    ck_assert_uint_eq(violations, 0);
    for (int i = 0; i < 8; i++)
        sum += count[i];
    ck_assert_uint_gt(sum, ITEMS * ROUNDS);
    inside[target[0][0]] = 1; /* marks a target as occupied for ever: the first critical section must notice */
    memset(round, 0, sizeof round);
    ck_assert_int_eq(ordo_run(&work, &options, NULL), ORDO_OK);
    ck_assert_uint_gt(violations, 0);
}
END_TEST

/* ---- memory ---- */

START_TEST(memory_runs_out)
{
    enum { TRANSFERS = 500, ACCOUNTS = 16 };
    static const char *const forms[] = {"pairs=nested", "pairs=halves"};
    static bank_transfer transfer[TRANSFERS];
    static ordo_u32 outcome[TRANSFERS];
    static ordo_u64 balance[ACCOUNTS];
    for (ordo_u32 i = 0; i < TRANSFERS; i++)
        transfer[i] = (bank_transfer){i % ACCOUNTS, (i * 7 + 3) % ACCOUNTS, i % 5};
    bank_state state = {transfer, outcome, balance};
    ordo_work work = {.op = ordo_operator_find("bank"), .state = &state, .num_items = TRANSFERS, .targets = ACCOUNTS};
    ordo_options options = {
        .scheduler = "lock_server", .threads = 3, .settings = &forms[_i], .setting_count = 1, .timeout = PATIENCE};
    int failures = 0;
    for (ordo_u64 n = 1; n < 200; n++) {
        memset(outcome, 0, sizeof outcome);
        ordo_u64 before = ordo_memory_now();
        ordo_memory_fail_after(n);
        ordo_status status = ordo_run(&work, &options, NULL);
        ordo_memory_fail_after(0);
        ck_assert_msg(status == ORDO_OK || status == ORDO_ERR_MEMORY, "%s", ordo_last_error());
        ck_assert_uint_eq(ordo_memory_now(), before);
        failures += status != ORDO_OK;
        if (!status)
            break;
    }
    ck_assert_int_gt(failures, 5);
    ck_assert_int_lt(failures, 199);
}
END_TEST

/* ---- partitions ---- */

static ordo_u64 crossing(const ordo_csr *g, const ordo_u32 *part)
{
    ordo_u64 count = 0;
    for (ordo_vid u = 0; u < g->n; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
            count += part[u] != part[g->head[e * g->stride]];
    return count;
}

START_TEST(partitions_cut_little)
{
    ordo_generate_options made = {.kind = _i ? "uniform" : "grid", .vertices = 900, .width = 30, .height = 30};
    ordo_graph *g;
    ck_assert_int_eq(ordo_graph_generate(&made, &g), ORDO_OK);
    const ordo_csr *rows = ordo_graph_out(g);
    for (ordo_u32 parts = 1; parts <= 1024; parts *= 4) {
        const ordo_u32 *part, *again;
        ordo_status status = ordo_graph_partition(g, parts, 2, &part);
        if (status == ORDO_ERR_USAGE && strstr(ordo_last_error(), "no METIS"))
            break;
        ck_assert_msg(!status, "%s", ordo_last_error());
        ck_assert_int_eq(ordo_graph_partition(g, parts, 1, &again), ORDO_OK);
        ck_assert_ptr_eq(part, again); /* kept */
        ordo_u64 *size = calloc(parts, sizeof *size), most = 0;
        for (ordo_vid v = 0; v < rows->n; v++) {
            ck_assert_uint_lt(part[v], parts);
            size[part[v]]++;
            most = size[part[v]] > most ? size[part[v]] : most;
        }
        free(size);
        if (parts == 4 || parts == 16)
            ck_assert_uint_le(most, rows->n / parts + rows->n / parts / 4 + 1);
        if (parts == 4 && !_i) /* two cuts through the middle cross 2 * 30 edges, stored twice */
            ck_assert_uint_le(crossing(rows, part), 200);
    }
    ck_assert_int_eq(ordo_graph_partition(g, 0, 1, &(const ordo_u32 *){NULL}), ORDO_ERR_USAGE);
    ordo_graph_free(g);
}
END_TEST

/* ---- refusals ---- */

START_TEST(refuses_by_name)
{
    static const struct {
        const char *op, *setting;
        ordo_status status;
        const char *sentence;
    } cases[] = {
        {"discharge", "pairs=halves", ORDO_ERR_UNSOUND, "whose section has two halves"},
        {"bank", "form=combine", ORDO_ERR_UNSOUND, "an operator of one target that combines"},
        {"bank", "partition=metis", ORDO_ERR_USAGE,
         "operator 'bank' works on arrays of its app and not on a graph's rows"},
        {"bank", "ratio=-1", ORDO_ERR_USAGE, "expected a number from 0"},
    };
    static ordo_u64 words[64];
    ordo_work work = {.op = ordo_operator_find(cases[_i].op), .state = words, .num_items = 0, .targets = 4};
    ordo_options options = {.scheduler = "lock_server", .settings = &cases[_i].setting, .setting_count = 1};
    ck_assert_int_eq(ordo_run(&work, &options, NULL), cases[_i].status);
    ck_assert_msg(strstr(ordo_last_error(), cases[_i].sentence), "'%s' not in '%s'", cases[_i].sentence,
                  ordo_last_error());
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock_server");
    TCase *tc = tcase_create("lock_server");
    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, traps_are_got_through, 0, sizeof traps / sizeof traps[0]);
    tcase_add_test(tc, probe_under_locks);
    tcase_add_loop_test(tc, memory_runs_out, 0, 2);
    tcase_add_loop_test(tc, partitions_cut_little, 0, 2);
    tcase_add_loop_test(tc, refuses_by_name, 0, 4);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
