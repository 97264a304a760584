/* push_relabel_test.c -- the native program of maximum flows in a build of its own, in which member 0 soon goes on
 * alone: values, distances and flows with one to eight threads.
 */
#include <stdlib.h>
#include <string.h>

#include <ordo/apps.h>
#include <ordo/detail/program.h>
#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

#include "apps/common.h"
#include "apps/network.h"
#include "tests/common/suite.h"

/* For apps/network.c, whose messages name types; none is wrong here. */
const char *ordo_type_text(ordo_type type)
{
    (void)type;
    return "?";
}

typedef struct phase {
    ordo_network *net;
    ordo_vid to;
    ordo_u64 looks;
} phase;

static bool stop(void *arg, ordo_u64 active, bool relabeled)
{
    phase *p = arg;
    ck_assert(active > 0);
    p->looks += relabeled;
    return false;
}

static ordo_status run(ordo_job *job)
{
    phase *p = (phase *)(size_t)job->state;
    bool stopped = true;
    const ordo_status status = ordo_preflow(p->net, p->to, job, stop, p, &stopped);
    ck_assert(status || !stopped);
    return status;
}

static const ordo_program program = {.name = "maxflow", .summary = "push-relabel", .run = run};

/* Returns the number of global relabels that found active vertices. */
static ordo_u64 run_phase(ordo_network *net, ordo_vid to, int threads)
{
    phase p = {.net = net, .to = to};
    const ordo_options options = {.threads = threads, .scheduler = "native"};
    const ordo_work work = {.state = &p};
    ck_assert_msg(!ordo_program_run(&program, &work, &options, NULL), "%s", ordo_last_error());
    return p.looks;
}

/* Heights are distances to the sink over residual edges, as a plain search finds them, or n. */
static void check_distances(const ordo_network *net)
{
    ordo_u32 *distance = malloc(net->n * sizeof *distance), *queue = malloc(net->n * sizeof *queue);
    ordo_u64 tail = 0;
    for (ordo_vid v = 0; v < net->n; v++)
        distance[v] = net->n;
    distance[net->sink] = 0;
    queue[tail++] = net->sink;
    for (ordo_u64 head = 0; head < tail; head++)
        for (ordo_u32 e = net->row[queue[head]]; e < net->row[queue[head] + 1]; e++) {
            const ordo_vid w = net->edge[e].head;
            if (distance[w] != net->n || w == net->fixed || !net->edge[net->edge[e].reverse].residual)
                continue;
            distance[w] = distance[queue[head]] + 1;
            queue[tail++] = w;
        }
    ck_assert(!memcmp(distance, net->height, net->n * sizeof *distance));
    free(distance);
    free(queue);
}

static void check(const ordo_graph *g, int threads, ordo_u64 value)
{
    const ordo_vertex_data *named = ordo_graph_vertex_data(g);
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_network net;
    ordo_u8 *side = calloc(rows->n, 1);
    ordo_u64 *flow = calloc(rows->m, sizeof *flow);
    ordo_flow found;
    ck_assert_msg(!ordo_network_make(g, named->source, named->sink, 0, 1, &net), "%s", ordo_last_error());
    ordo_network_start(&net, threads % 2);
    ck_assert_uint_gt(run_phase(&net, net.sink, threads), 1); /* so one round at least was member 0's */
    ck_assert_uint_eq(net.excess[net.sink], value);
    check_distances(&net);
    found.value = value;
    ck_assert(!ordo_network_cut(&net, threads, side, &found.source_side, &found.cut_capacity));
    ordo_network_return(&net);
    run_phase(&net, net.source, threads);
    ck_assert(!ordo_network_flow(&net, threads, flow));
    ck_assert_msg(!ordo_maxflow_verify(g, named->source, named->sink, NULL, flow, side, &found, ORDO_VERIFY_BOTH), "%s",
                  ordo_last_error());
    ordo_network_free(&net);
    free(side);
    free(flow);
}

START_TEST(member_zero_ends_alone)
{
    static const ordo_generate_options made[] = {
        {.kind = "rlg", .width = 40, .height = 60, .edges = {.low = 1, .high = 100, .seed = 5}},
        {.kind = "genrmf", .width = 8, .depth = 12, .edges = {.low = 1, .high = 100, .seed = 5}},
        {.kind = "genrmf", .width = 5, .depth = 40, .edges = {.low = 1, .high = 1000000, .seed = 5}}};
    ordo_graph *g = NULL;
    ordo_flow found;
    ck_assert_msg(!ordo_graph_generate(&made[_i], &g), "%s", ordo_last_error());
    ordo_u8 *side = calloc(ordo_graph_out(g)->n, 1);
    ck_assert(!ordo_maxflow(g, ORDO_NO_VERTEX, ORDO_NO_VERTEX, NULL, &(ordo_options){.scheduler = "bsp", .threads = 1},
                            NULL, side, &found, NULL));
    for (int threads = 1; threads <= 8; threads++)
        check(g, threads, found.value);
    free(side);
    ordo_graph_free(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("push-relabel");
    TCase *tests = tcase_create("push-relabel");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, member_zero_ends_alone, 0, 3);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
