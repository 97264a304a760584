/* maxflow_test.c -- maximum flows on thousands of small networks, under every scheduler and sync that is sound and
 * without one, against augmenting paths in a matrix; what flows and the cut are checked here once more; and the
 * verifier by mutation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/apps.h>
#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

#include "apps/app.h"
#include "tests/common/families.h"
#include "tests/common/flow_answer.h"
#include "tests/common/suite.h"

static const ordo_verify_how hows[] = {ORDO_VERIFY_AUTO, ORDO_VERIFY_SERIAL, ORDO_VERIFY_CERTIFICATE, ORDO_VERIFY_BOTH};
enum { HOWS = 4, MOST = 40 };

/* ---- networks ---- */

/* With an infinite capacity where `infinite` is not 0. */
typedef struct network {
    ordo_graph *g;
    ordo_vid n, source, sink;
    ordo_u64 infinite;
} network;

static ordo_u64 capacity_of(const network *net, ordo_eid e)
{
    const ordo_csr *g = ordo_graph_out(net->g);
    if (g->weight_type == ORDO_I64)
        return ((const ordo_u64 *)g->weight)[e];
    return g->weight ? ((const ordo_u32 *)g->weight)[e * g->stride] : 1;
}

static ordo_u32 draw_capacity(int kind, ordo_u64 *r)
{
    ordo_u64 x = next_random(r);
    switch (kind) {
    case 0:
        return (ordo_u32)(x % 3);
    case 1:
        return 1 + (ordo_u32)(x % 100);
    case 2:
        return x % 4 ? (ordo_u32)(x >> 32) : 0xffffffffu;
    default: /* 7 means infinite */
        return (ordo_u32)(x % 8);
    }
}

/* Loops, parallel edges, edges both ways, edges into the source and out of the sink: whatever is drawn. */
static network random_network(ordo_u64 seed)
{
    ordo_u64 r = seed * 77 + 1;
    ordo_edge_entry list[4 * MOST];
    ordo_vid n = 2 + (ordo_vid)(next_random(&r) % (seed % 3 ? 9 : MOST - 2));
    ordo_u64 count = next_random(&r) % (4 * MOST);
    int kind = (int)(seed % 4);
    bool layered = seed % 5 == 0; /* long ways: heads are near tails */
    for (ordo_u64 i = 0; i < count; i++) {
        list[i].tail = (ordo_vid)(next_random(&r) % n);
        list[i].head = (ordo_vid)(layered ? (list[i].tail + next_random(&r) % 3) % n : next_random(&r) % n);
        list[i].weight = draw_capacity(kind, &r);
    }
    network net = {.n = n, .infinite = kind == 3 ? 7 : 0};
    ordo_type type = seed % 7 == 1 ? ORDO_NONE : seed % 7 == 2 && kind != 2 ? ORDO_I32 : ORDO_U32;
    ordo_direction direction = seed % 6 == 0 ? ORDO_SYMMETRISE : ORDO_AS_STORED;
    ck_assert_msg(!ordo_graph_from_edges(n, list, count, type, direction, 1, &net.g), "%s", ordo_last_error());
    net.source = layered ? 0 : (ordo_vid)(next_random(&r) % n);
    net.sink = layered ? n - 1 : (ordo_vid)((net.source + 1 + next_random(&r) % (n - 1)) % n);
    if (!ordo_graph_out(net.g)->weight)
        net.infinite = 0;
    return net;
}

/* ---- augmenting paths, as plainly as can be ---- */

#define UNBOUNDED (~(ordo_u64)0)

/* One path more, depth first; how much it carries. */
static ordo_u64 augment(ordo_u64 capacity[MOST][MOST], const network *net, ordo_vid u, ordo_u64 most, bool *seen)
{
    if (u == net->sink)
        return most;
    seen[u] = true;
    for (ordo_vid v = 0; v < net->n; v++) {
        if (seen[v] || !capacity[u][v])
            continue;
        ordo_u64 carried = augment(capacity, net, v, most < capacity[u][v] ? most : capacity[u][v], seen);
        if (carried) {
            capacity[u][v] -= carried;
            capacity[v][u] += carried;
            return carried;
        }
    }
    return 0;
}

/* The value, or UNBOUNDED. */
static ordo_u64 naive_value(const network *net)
{
    static ordo_u64 capacity[MOST][MOST];
    const ordo_csr *g = ordo_graph_out(net->g);
    const ordo_u64 large = (ordo_u64)1 << 45; /* more than 160 capacities together */
    ordo_u64 value = 0, carried;
    memset(capacity, 0, sizeof capacity);
    for (ordo_vid u = 0; u < g->n; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
            if (u != g->head[e * g->stride]) {
                ordo_u64 *at = &capacity[u][g->head[e * g->stride]], c = capacity_of(net, e);
                *at += net->infinite && c == net->infinite ? large : c;
            }
    do {
        bool seen[MOST] = {false};
        carried = augment(capacity, net, net->source, UNBOUNDED, seen);
        value += carried;
    } while (carried && value < large);
    return value < large ? value : UNBOUNDED;
}

/* ---- answers ---- */

/* Capacities, conservation, and a cut that is full. */
static void check_answer(const network *net, const answer *a, bool preflow, ordo_u64 value, const char *what)
{
    const ordo_csr *g = ordo_graph_out(net->g);
    int64_t *in = calloc(net->n, sizeof *in);
    ordo_u64 cut = 0, side = 0;
    ck_assert(in);
    for (ordo_vid u = 0; u < g->n; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            ordo_u64 c = capacity_of(net, e);
            bool bounded = !net->infinite || c != net->infinite;
            ck_assert_msg(!bounded || a->flow[e] <= c, "%s: edge %u -> %u is over its capacity", what, u, v);
            in[u] -= (int64_t)a->flow[e];
            in[v] += (int64_t)a->flow[e];
            if (a->side[u] && !a->side[v]) {
                ck_assert_msg(bounded, "%s: an infinite edge is in the cut", what);
                cut += c;
            }
        }
    for (ordo_vid v = 0; v < g->n; v++) {
        side += a->side[v];
        if (v != net->source && v != net->sink)
            ck_assert_msg(preflow ? in[v] >= 0 : in[v] == 0, "%s: vertex %u has %lld more in than out", what, v,
                          (long long)in[v]);
    }
    ck_assert_msg(a->f.value == value && in[net->sink] == (int64_t)value, "%s: value %llu, expected %llu", what,
                  (unsigned long long)a->f.value, (unsigned long long)value);
    ck_assert_msg(a->f.cut_capacity == value && cut == value && a->f.source_side == side, "%s: the cut is wrong", what);
    ck_assert(a->side[net->source] && !a->side[net->sink]);
    free(in);
}

static answer solve(const network *net, const ordo_flow_options *how, const ordo_options *options, ordo_u64 value,
                    const char *what)
{
    answer a = answer_capacity(net->g);
    ordo_status status = ordo_maxflow(net->g, net->source, net->sink, how, options, a.flow, a.side, &a.f, &a.stats);
    ck_assert_msg(!status, "%s: %s", what, ordo_last_error());
    check_answer(net, &a, how->cut_only, value, what);
    for (int h = 0; h < HOWS; h++)
        ck_assert_msg(!ordo_maxflow_verify(net->g, net->source, net->sink, how, a.flow, a.side, &a.f, hows[h]),
                      "%s: %s", what, ordo_last_error());
    return a;
}

/* ---- tests ---- */

static const int threads_of[] = {1, 2, 8};

/* The pairs of scheduler and sync that run it. */
typedef struct pairs {
    const char *scheduler[64], *sync[64];
    size_t count;
} pairs;

static pairs sound_pairs(void)
{
    const ordo_scheduler *schedulers[64];
    size_t count = ordo_schedulers(schedulers, 64);
    pairs p = {.count = 0};
    for (size_t i = 0; i < count; i++)
        for (int sync = ORDO_SYNC_ATOMIC; sync < ORDO_SYNCS; sync++) {
            network net = random_network(1);
            ordo_options options = {.scheduler = schedulers[i]->name, .sync = ordo_sync_name((ordo_sync)sync)};
            ordo_u64 expected, at_most;
            if (!ordo_maxflow_memory(net.g, &options, &expected, &at_most)) {
                p.scheduler[p.count] = options.scheduler;
                p.sync[p.count++] = options.sync;
            } else { /* refused before anything is written */
                answer a = answer_capacity(net.g);
                a.f.value = 99;
                ck_assert_int_eq(ordo_maxflow(net.g, net.source, net.sink, NULL, &options, a.flow, a.side, &a.f, NULL),
                                 ORDO_ERR_UNSOUND);
                ck_assert(a.f.value == 99);
                answer_free(&a);
            }
            ordo_graph_free(net.g);
        }
    return p;
}

enum { NETWORKS = SLOWER > 1 ? 40 : 400 };

/* Each network without a scheduler, and under two pairs in turn. */
START_TEST(flows_match_augmenting_paths)
{
    pairs p = sound_pairs();
    ck_assert_uint_ge(p.count, 8); /* six schedulers with locks, two with owners as well */
    ordo_u64 unbounded = 0;
    for (ordo_u64 seed = 1 + (ordo_u64)_i * NETWORKS; seed <= ((ordo_u64)_i + 1) * NETWORKS; seed++) {
        network net = random_network(seed);
        ordo_u64 value = naive_value(&net);
        answer first = {0};
        for (int run = 0; run < 3; run++) {
            size_t pair = (size_t)(2 * seed + (ordo_u64)run) % p.count;
            ordo_flow_options how = {.infinite = net.infinite, .cut_only = (seed + (ordo_u64)run) % 3 == 0};
            ordo_options options = {.threads = threads_of[(seed + (ordo_u64)run) % 3],
                                    .scheduler = seed % 2 ? "native" : NULL}; /* named: with all threads */
            if (run) {
                options.scheduler = p.scheduler[pair];
                options.sync = p.sync[pair];
            }
            char what[120];
            snprintf(what, sizeof what, "network %llu, %s, %s, %d threads%s", (unsigned long long)seed,
                     run ? options.scheduler : "native", run ? options.sync : "none", options.threads,
                     how.cut_only ? ", cut only" : "");
            if (value == UNBOUNDED) {
                answer a = answer_capacity(net.g);
                ck_assert_msg(ordo_maxflow(net.g, net.source, net.sink, &how, &options, a.flow, a.side, &a.f, NULL) ==
                                  ORDO_ERR_OVERFLOW,
                              "%s: an infinite flow was found", what);
                ck_assert(strstr(ordo_last_error(), "unbounded"));
                answer_free(&a);
                unbounded++;
                continue;
            }
            answer a = solve(&net, &how, &options, value, what);
            ck_assert_str_eq(a.stats.scheduler, run ? options.scheduler : "native");
            ck_assert_str_eq(a.stats.sync, run ? options.sync : "none");
            if (!run) {
                first = a;
                continue;
            }
            ck_assert_msg(!memcmp(first.side, a.side, net.n), "%s: another cut than without a scheduler", what);
            answer_free(&a);
        }
        answer_free(&first);
        ordo_graph_free(net.g);
    }
    ck_assert_uint_gt(unbounded, 0);
}
END_TEST

static ordo_graph *generated(const char *kind, ordo_u32 width, ordo_u32 height, ordo_u32 depth)
{
    ordo_generate_options made = {
        .kind = kind, .width = width, .height = height, .depth = depth, .edges = {.low = 1, .high = 100, .seed = 3}};
    ordo_graph *g = NULL;
    ck_assert_msg(!ordo_graph_generate(&made, &g), "%s", ordo_last_error());
    return g;
}

/* Large enough for several global relabels; the graph names the terminals. */
START_TEST(larger_networks_under_every_scheduler)
{
    pairs p = sound_pairs();
    network net = {.g = _i ? generated("genrmf", 7, 0, 9) : generated("rlg", 30, 40, 0)};
    const ordo_vertex_data *named = ordo_graph_vertex_data(net.g);
    net.n = ordo_graph_out(net.g)->n;
    net.source = named->source;
    net.sink = named->sink;
    ordo_flow_options how = {0};
    ordo_flow found;
    ordo_u64 expected, at_most;
    ordo_u8 *side = calloc(net.n, 1);
    ck_assert_msg(!ordo_maxflow(net.g, ORDO_NO_VERTEX, ORDO_NO_VERTEX, NULL, NULL, NULL, side, &found, NULL), "%s",
                  ordo_last_error());
    answer serial = solve(&net, &how, &(ordo_options){.threads = 2}, found.value, "serial");
    ck_assert(serial.stats.supersteps > 2 && serial.stats.items > net.n && serial.stats.trace_count > 1 &&
              serial.stats.run_seconds > 0);
    for (size_t i = 0; i < p.count; i++)
        for (int t = 0; t < 2; t++) {
            if (BRIEFER > 2 && (i + (size_t)(t + _i)) % 2)
                continue;
            ordo_options options = {.scheduler = p.scheduler[i], .sync = p.sync[i], .threads = threads_of[t]};
            ck_assert(!ordo_maxflow_memory(net.g, &options, &expected, &at_most));
            ordo_u64 before = ordo_memory_now();
            answer a = solve(&net, &how, &options, found.value, options.scheduler);
            ck_assert(!memcmp(side, a.side, net.n));
            ck_assert_uint_le(a.stats.peak_bytes - before, at_most);
            ck_assert(a.stats.items > net.n && a.stats.useful > net.n && a.stats.supersteps > 2);
            answer_free(&a);
        }
    answer_free(&serial);
    for (int threads = 1; threads <= 8; threads++) {
        ordo_options options = {.scheduler = "native", .threads = threads};
        answer a = solve(&net, &how, &options, found.value, "native");
        ck_assert(!memcmp(side, a.side, net.n));
        ck_assert(a.stats.threads == threads && a.stats.items > net.n && a.stats.supersteps > 2);
        answer_free(&a);
    }
    free(side);
    ordo_graph_free(net.g);
}
END_TEST

START_TEST(damage_is_refused)
{
    ordo_u64 refused = 0;
    for (ordo_u64 seed = 1; seed <= 60; seed++) {
        network net = random_network(seed);
        ordo_u64 value = naive_value(&net), r = seed, m = ordo_graph_out(net.g)->m;
        ordo_flow_options how = {.infinite = net.infinite};
        if (value == UNBOUNDED || m == 0) {
            ordo_graph_free(net.g);
            continue;
        }
        answer a = solve(&net, &how, NULL, value, "damage");
        for (int d = 0; d < 30; d++) {
            ordo_flow f = a.f;
            ordo_eid e = next_random(&r) % m;
            ordo_vid v = (ordo_vid)(next_random(&r) % net.n);
            ordo_u64 flow = a.flow[e];
            ordo_u8 side = a.side[v];
            switch (d % 5) {
            case 0:
                f.value += d % 2 ? 1 : ~(ordo_u64)0;
                break;
            case 1:
                f.cut_capacity++;
                break;
            case 2:
                a.side[v] = !side;
                break;
            case 3:
                a.flow[e] += 1 + next_random(&r) % 5;
                break;
            default: /* one unit less in all: of the value, too */
                f.value--;
                f.cut_capacity--;
            }
            ck_assert_int_eq(ordo_maxflow_verify(net.g, net.source, net.sink, &how, a.flow, a.side, &f,
                                                 d % 2 ? ORDO_VERIFY_AUTO : ORDO_VERIFY_BOTH),
                             ORDO_ERR_VERIFY);
            if (d % 5 == 0 || d % 5 == 4)
                ck_assert_int_eq(
                    ordo_maxflow_verify(net.g, net.source, net.sink, &how, a.flow, a.side, &f, ORDO_VERIFY_SERIAL),
                    ORDO_ERR_VERIFY);
            a.flow[e] = flow;
            a.side[v] = side;
            refused++;
        }
        answer_free(&a);
        ordo_graph_free(net.g);
    }
    ck_assert_uint_gt(refused, 500);
}
END_TEST

/* Rows in no order, with parallel edges apart: flows are those of their own edges. */
START_TEST(unsorted_rows)
{
    static const ordo_eid row[] = {0, 4, 7, 9, 9};
    static const ordo_vid head[] = {2, 1, 2, 1, 3, 0, 3, 3, 1};
    static const ordo_u32 weight[] = {5, 1, 3, 4, 4, 9, 2, 6, 1};
    network net = {.n = 4, .source = 0, .sink = 3};
    net.g = borrowed(
        &(ordo_csr){.n = 4, .m = 9, .row = row, .head = head, .weight = weight, .stride = 1, .weight_type = ORDO_U32},
        false);
    ordo_flow_options how = {0};
    ck_assert_uint_eq(naive_value(&net), 12);
    for (int i = 0; i < 2; i++) {
        answer a = solve(&net, &how, &(ordo_options){.scheduler = i ? "bsp" : NULL}, 12, "unsorted rows");
        answer_free(&a);
    }
    ordo_graph_free(net.g);
}
END_TEST

/* Capacities of 64 bits: a network, and the same with each capacity times 2^22. */
START_TEST(wide_capacities)
{
    enum { SHIFT = 22 };
    pairs p = sound_pairs();
    for (ordo_u64 seed = 1; seed <= 80; seed++) {
        network narrow = random_network(seed), net = narrow;
        const ordo_csr *g = ordo_graph_out(narrow.g);
        const ordo_u64 value = naive_value(&narrow);
        ordo_i64 *weight = calloc(g->m + 1, sizeof *weight);
        ordo_vid *head = calloc(g->m + 1, sizeof *head);
        for (ordo_eid e = 0; e < g->m; e++) {
            weight[e] = (ordo_i64)(capacity_of(&narrow, e) << SHIFT);
            head[e] = g->head[e * g->stride];
        }
        net.infinite = narrow.infinite << SHIFT;
        net.g = borrowed(&(ordo_csr){.n = g->n,
                                     .m = g->m,
                                     .row = g->row,
                                     .head = head,
                                     .weight = weight,
                                     .stride = 1,
                                     .weight_type = ORDO_I64},
                         ordo_graph_symmetric(narrow.g));
        for (int run = 0; run < 2 && value != UNBOUNDED; run++) {
            const size_t pair = (size_t)seed % p.count;
            const ordo_flow_options how = {.infinite = net.infinite, .cut_only = seed % 3 == 0};
            const ordo_options options = {.threads = 1 + (int)seed % 2,
                                          .scheduler = run ? p.scheduler[pair] : NULL,
                                          .sync = run ? p.sync[pair] : NULL};
            answer a = solve(&net, &how, &options, value << SHIFT, run ? options.scheduler : "native");
            answer_free(&a);
        }
        ordo_graph_free(net.g);
        ordo_graph_free(narrow.g);
        free(weight);
        free(head);
    }
}
END_TEST

/* Sums beyond 32 bits; infinite edges out of the source; a way that only infinite edges are on is no error unless it
 * ends at the sink. */
START_TEST(large_and_infinite_capacities)
{
    const ordo_u32 top = 0xffffffffu;
    const ordo_edge_entry large[] = {{0, 1, top}, {0, 1, top}, {0, 2, top}, {1, 3, top}, {2, 3, top}, {1, 3, top}};
    network net = {.n = 4, .source = 0, .sink = 3};
    ordo_flow_options how = {0};
    ck_assert(!ordo_graph_from_edges(4, large, 6, ORDO_U32, ORDO_AS_STORED, 1, &net.g));
    answer a = solve(&net, &how, NULL, 3 * (ordo_u64)top, "large");
    answer_free(&a);
    how.infinite = net.infinite = top;
    ordo_u8 side[4];
    ck_assert_int_eq(ordo_maxflow(net.g, 0, 3, &how, NULL, NULL, side, &a.f, NULL), ORDO_ERR_OVERFLOW);
    ordo_graph_free(net.g);

    const ordo_edge_entry wide[] = {{0, 1, 7}, {0, 1, 7}, {0, 1, 2}, {0, 2, 7},
                                    {1, 2, 7}, {2, 1, 7}, {1, 3, 3}, {2, 3, 2}};
    ck_assert(!ordo_graph_from_edges(4, wide, 8, ORDO_U32, ORDO_AS_STORED, 1, &net.g));
    how.infinite = net.infinite = 7;
    a = solve(&net, &how, NULL, 5, "infinite");
    ck_assert_uint_eq(a.f.source_side, 3);
    answer_free(&a);
    ordo_graph_free(net.g);
}
END_TEST

static void refused(const ordo_graph *g, ordo_vid source, ordo_vid sink, ordo_status status, const char *sentence)
{
    ordo_u8 side[8] = {9};
    ordo_flow f = {.value = 99};
    ck_assert_int_eq(ordo_maxflow(g, source, sink, NULL, NULL, NULL, side, &f, NULL), status);
    ck_assert_msg(strstr(ordo_last_error(), sentence), "%s", ordo_last_error());
    ck_assert(f.value == 99 && side[0] == 9);
}

START_TEST(bad_input_is_refused_in_one_line)
{
    const ordo_edge_entry list[] = {{0, 1, 5}, {1, 2, 0xfffffffeu}};
    ordo_graph *g = NULL;
    ck_assert(!ordo_graph_from_edges(3, list, 2, ORDO_U32, ORDO_AS_STORED, 1, &g));
    refused(g, 0, 0, ORDO_ERR_USAGE, "source and sink are both 0");
    refused(g, 0, 3, ORDO_ERR_USAGE, "sink 3, expected a vertex below 3");
    refused(g, ORDO_NO_VERTEX, 1, ORDO_ERR_USAGE, "no source given, and the graph names none");
    ck_assert_int_eq(ordo_maxflow(g, 0, 1, NULL, NULL, NULL, NULL, &(ordo_flow){0}, NULL), ORDO_ERR_USAGE);
    ordo_flow_options how = {.infinite = (ordo_u64)1 << 32};
    ordo_u8 side[3];
    ck_assert_int_eq(ordo_maxflow(g, 0, 1, &how, NULL, NULL, side, &(ordo_flow){0}, NULL), ORDO_ERR_USAGE);
    ordo_graph_free(g);
    ck_assert(!ordo_graph_from_edges(3, list, 2, ORDO_I32, ORDO_AS_STORED, 1, &g));
    refused(g, 0, 2, ORDO_ERR_NEGATIVE_WEIGHT, "edge 1 -> 2 has capacity -2");
    ordo_graph_free(g);
    ck_assert(!ordo_graph_from_edges(3, list, 2, ORDO_F32, ORDO_AS_STORED, 1, &g));
    refused(g, 0, 2, ORDO_ERR_INPUT, "whole numbers");
    ordo_graph_free(g);
    static const ordo_eid row[] = {0, 1, 2};
    static const ordo_i64 wide[][2] = {{5, -((ordo_i64)1 << 40)}, {(ordo_i64)1 << 61, (ordo_i64)1 << 61}};
    static const ordo_status statuses[] = {ORDO_ERR_NEGATIVE_WEIGHT, ORDO_ERR_OVERFLOW};
    static const char *const sentences[] = {"edge 1 -> 0 has capacity -1099511627776", "add up to 2^62 or more"};
    static const ordo_vid head[] = {1, 0};
    for (int i = 0; i < 2; i++) {
        g = borrowed(
            &(ordo_csr){
                .n = 2, .m = 2, .row = row, .head = head, .weight = wide[i], .stride = 1, .weight_type = ORDO_I64},
            false);
        refused(g, 0, 1, statuses[i], sentences[i]);
        ordo_graph_free(g);
    }
    for (int i = 0; i < 2; i++) { /* the edge to the higher vertex alone, and that to the lower one alone */
        const ordo_u32 one[] = {i ? 0 : 5, i ? 5 : 0};
        g = borrowed(
            &(ordo_csr){.n = 2, .m = 2, .row = row, .head = head, .weight = one, .stride = 1, .weight_type = ORDO_U32},
            true);
        refused(g, 0, 1, ORDO_ERR_INPUT,
                i ? "edge 1 -> 0 has no reverse of the same weight, in a graph said to be symmetric"
                  : "edge 0 -> 1 has no reverse of the same weight, in a graph said to be symmetric");
        ordo_graph_free(g);
    }
}
END_TEST

/* A hub whose row is long, and a vertex that it leads to without an edge back. */
START_TEST(hub_without_reverse)
{
    enum { HUB = 40, LOST = 7 };
    ordo_eid row[HUB + 2];
    ordo_vid head[2 * HUB];
    ordo_u32 weight[2 * HUB];
    ordo_eid m = 0;
    for (ordo_vid v = 0; v < HUB; v++) {
        row[v] = m;
        head[m] = HUB;
        m += v != LOST;
    }
    row[HUB] = m;
    for (ordo_vid v = 0; v < HUB; v++)
        head[m++] = v;
    row[HUB + 1] = m;
    for (ordo_eid e = 0; e < m; e++)
        weight[e] = 5;
    ordo_graph *g = borrowed(
        &(ordo_csr){
            .n = HUB + 1, .m = m, .row = row, .head = head, .weight = weight, .stride = 1, .weight_type = ORDO_U32},
        true);
    refused(g, 0, 1, ORDO_ERR_INPUT, "edge 40 -> 7 has no reverse of the same weight, in a graph said to be symmetric");
    ordo_graph_free(g);
}
END_TEST

START_TEST(cancelled_and_late)
{
    ordo_graph *g = generated("rlg", 40, 40, 0);
    volatile int cancel = 1;
    ordo_u8 *side = calloc(ordo_graph_out(g)->n, 1);
    ordo_flow f;
    ordo_stats stats = {0};
    static const char *const schedulers[] = {NULL, "native", "bsp", "adds"};
    for (int i = 0; i < 4; i++) {
        ordo_options options = {.scheduler = schedulers[i], .threads = 2, .cancel = &cancel};
        ck_assert_int_eq(ordo_maxflow(g, ORDO_NO_VERTEX, ORDO_NO_VERTEX, NULL, &options, NULL, side, &f, &stats),
                         ORDO_ERR_CANCELLED);
        ordo_stats_free(&stats);
        options = (ordo_options){.scheduler = schedulers[i], .threads = 2, .timeout = 1e-9};
        ck_assert_int_eq(ordo_maxflow(g, ORDO_NO_VERTEX, ORDO_NO_VERTEX, NULL, &options, NULL, side, &f, &stats),
                         ORDO_ERR_TIMEOUT);
        ordo_stats_free(&stats);
    }
    free(side);
    ordo_graph_free(g);
}
END_TEST

/* Every allocation in turn fails: one error, nothing lost. */
START_TEST(memory_runs_short)
{
    network net = random_network(9);
    static const char *const schedulers[] = {NULL, "bsp", "inbox", "native"};
    ordo_vid n = ordo_graph_out(net.g)->n;
    ordo_u8 *side = calloc(n, 1);
    ordo_u64 *flow = calloc(ordo_graph_out(net.g)->m + 1, sizeof *flow);
    const ordo_csr *in;
    ck_assert(!ordo_graph_in(net.g, 1, &in)); /* kept by the graph */
    for (int i = 0; i < 4; i++) {
        ordo_options options = {.scheduler = schedulers[i], .threads = i < 3 ? 1 : 3};
        ordo_u64 before = ordo_memory_now();
        ordo_status status = ORDO_ERR_MEMORY;
        for (ordo_u64 after = 1; status == ORDO_ERR_MEMORY && after < 200; after++) {
            ordo_flow f;
            ordo_stats stats = {0};
            ordo_memory_fail_after(after);
            status = ordo_maxflow(net.g, net.source, net.sink, NULL, &options, flow, side, &f, &stats);
            ordo_memory_fail_after(0);
            ordo_stats_free(&stats);
            ck_assert_uint_eq(ordo_memory_now(), before);
        }
        ck_assert_int_eq(status, ORDO_OK);
    }
    free(side);
    free(flow);
    ordo_graph_free(net.g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("maxflow");
    TCase *tests = tcase_create("maxflow");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, flows_match_augmenting_paths, 0, 8);
    tcase_add_loop_test(tests, larger_networks_under_every_scheduler, 0, 2);
    tcase_add_test(tests, damage_is_refused);
    tcase_add_test(tests, unsorted_rows);
    tcase_add_test(tests, wide_capacities);
    tcase_add_test(tests, large_and_infinite_capacities);
    tcase_add_test(tests, bad_input_is_refused_in_one_line);
    tcase_add_test(tests, hub_without_reverse);
    tcase_add_test(tests, cancelled_and_late);
    tcase_add_test(tests, memory_runs_short);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
