/* flows.c -- maximum flows on a GPU against the verifier and the CPU.
 *
 *   flows check DEVICE NETWORKS           thousands of small networks of all families, both phases and the first alone,
 *                                         infinite capacities, hand-overs; from 100 on some large ones as well
 *   flows time DEVICE NETWORK REPEATS     milliseconds, median with the spread: the cut, then the flow, then what it
 *                                         took to get there and back
 *
 * A NETWORK is a file that names its terminals; or rlg:WIDTH:HEIGHT, genrmf:WIDTH:DEPTH, made as `ordo generate` does,
 * capacities 1 to 100, seed 1; or grid:WIDTH:HEIGHT: a grid with edges both ways, one in ten left out, capacities of 1
 * to 100; a source before all of the first column, a sink behind all of the last.
 *
 * Either takes [SCHEDULER SYNC [SETTING ...]] after that: runs of discharges under these, where they are not what the
 * app does whole. For a check SYNC may be `all`: each that the library offers for discharge.
 *
 * Every small answer is compared with Dinitz' algorithm (the verifier's, which shares nothing with what is tested), is
 * proved by the certificate, and has the cut that the CPU finds, which is unique; large ones by the last two. Ends with
 * 1 where one is wrong, with 77 where there is no such device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/apps.h>
#include <ordo/detail/backend.h>
#include <ordo/graph.h>

#include "tests/common/families.h"
#include "tests/common/flow_answer.h"
#include "tests/common/pairs.h"

static int by_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- answers ---- */

typedef struct network {
    ordo_graph *g;
    ordo_vid source, sink;
    ordo_flow_options how;
} network;

static const char *scheduler, *sync_name; /* of what is checked; NULL: the app's own */
static const char *const *settings;
static size_t setting_count;

static ordo_status solve(const network *net, const char *device, answer *a)
{
    ordo_options options = {.device = device, .timeout = 120};
    if (device) { /* else it is what that is compared with */
        options.scheduler = scheduler;
        options.sync = sync_name;
        options.settings = settings;
        options.setting_count = setting_count;
    }
    return ordo_maxflow(net->g, net->source, net->sink, &net->how, &options, a->flow, a->side, &a->f, &a->stats);
}

/* ---- checks ---- */

static int checked, failures;
enum { SHOWN = 10 };

static void failed(const char *what, const char *why)
{
    checked++;
    if (failures++ < SHOWN)
        printf("FAILED %s: %s\n", what, why);
}

static void check(const network *net, const char *device, const char *what, bool small)
{
    answer a = answer_capacity(net->g), cpu = answer_capacity(net->g);
    network plain = *net;
    plain.how.cut_only = true;
    ordo_status expected = solve(&plain, NULL, &cpu), status = solve(net, device, &a);
    char sentence[300];
    snprintf(sentence, sizeof sentence, "%s", ordo_last_error());
    if (expected || status) { /* an infinite flow */
        if (expected != status)
            failed(what, status ? sentence : "a flow was found where there is none");
        else
            checked++;
    } else {
        status = ordo_maxflow_verify(net->g, net->source, net->sink, &net->how, a.flow, a.side, &a.f,
                                     small ? ORDO_VERIFY_BOTH : ORDO_VERIFY_CERTIFICATE);
        if (status)
            failed(what, ordo_last_error());
        else if (memcmp(a.side, cpu.side, ordo_graph_out(net->g)->n) || a.f.value != cpu.f.value)
            failed(what, "another cut than on the CPU");
        else if (strcmp(a.stats.backend, strcmp(device, "cpu") ? device : "cpu"))
            failed(what, "it ran elsewhere");
        else
            checked++;
    }
    answer_free(&a);
    answer_free(&cpu);
}

/* Capacities: few and 0, as they are, any word at all, or some that mean infinite. */
static void set_capacities(ordo_edge_entry *list, ordo_u64 count, int how, ordo_u64 *r)
{
    for (ordo_u64 e = 0; e < count; e++) {
        const ordo_u64 drawn = next_random(r);
        ordo_u32 *word = &list[e].weight;
        *word = how == 0 ? (ordo_u32)(drawn % 3) : how == 1 ? *word : how == 2 ? (ordo_u32)(drawn >> 32) : *word % 32;
    }
}

static void check_small(const char *device, int networks)
{
    int families = 0;
    ordo_u64 r = 7;
    while (family_names[families])
        families++;
    for (int i = 0; i < networks; i++) {
        const char *family = family_names[i % families];
        const unsigned size = 2 + (unsigned)(next_random(&r) % (i % 20 ? 100 : 2000));
        const int how = (int)(next_random(&r) % 4);
        const ordo_type type = next_random(&r) % 5 ? ORDO_U32 : ORDO_NONE;
        char what[96];
        edge_list list;
        network net = {0};
        family_make(family, size, next_random(&r), &list);
        if (list.n < 2) {
            family_free(&list);
            continue;
        }
        set_capacities(list.edge, list.count, how, &r);
        net.how.infinite = how == 3 && type == ORDO_U32 ? 31 : 0;
        net.how.cut_only = next_random(&r) % 3 == 0;
        net.source = (ordo_vid)(next_random(&r) % list.n);
        net.sink = (ordo_vid)((net.source + 1 + next_random(&r) % (list.n - 1)) % list.n);
        if (i % 2 && list.n > 8) { /* far apart, and several ways out and in */
            net.source = 0;
            net.sink = (ordo_vid)list.n - 1;
            for (ordo_u64 e = 0; e < list.count; e += 7) {
                if (list.edge[e].tail < list.n / 8)
                    list.edge[e].tail = net.source;
                if (list.edge[e].head > list.n - list.n / 8)
                    list.edge[e].head = net.sink;
            }
        }
        for (ordo_u64 e = 0; i % 5 == 1 && e < list.count; e++) /* much of it through one vertex */
            if (e % 3 < 2)
                *(e % 3 ? &list.edge[e].tail : &list.edge[e].head) = (ordo_vid)list.n / 2;
        snprintf(what, sizeof what, "network %d: %s, size %u, capacities %d%s", i, family, size, how,
                 net.how.cut_only ? ", cut" : "");
        if (ordo_graph_from_edges((ordo_vid)list.n, list.edge, list.count, type,
                                  next_random(&r) % 3 ? ORDO_AS_STORED : ORDO_SYMMETRISE, 1, &net.g)) {
            failed(what, ordo_last_error());
        } else {
            check(&net, device, what, true);
            ordo_graph_free(net.g);
        }
        family_free(&list);
    }
}

static ordo_graph *grid(ordo_vid width, ordo_vid height)
{
    const ordo_vid n = width * height + 2, source = n - 2, sink = n - 1;
    ordo_edge_entry *list = calloc(4 * (size_t)n + 2 * (size_t)height, sizeof *list);
    ordo_u64 count = 0, r = 5;
    ordo_graph *g = NULL;
    if (!list)
        abort();
    for (ordo_vid y = 0; y < height; y++)
        for (ordo_vid x = 0; x < width; x++) {
            const ordo_vid v = y * width + x, next[2] = {x + 1 < width ? v + 1 : v, y + 1 < height ? v + width : v};
            for (int d = 0; d < 2; d++)
                if (next[d] != v && next_random(&r) % 10) {
                    list[count++] = (ordo_edge_entry){v, next[d], 1 + (ordo_u32)(next_random(&r) % 100)};
                    list[count++] = (ordo_edge_entry){next[d], v, 1 + (ordo_u32)(next_random(&r) % 100)};
                }
            if (x == 0)
                list[count++] = (ordo_edge_entry){source, v, 300};
            if (x == width - 1)
                list[count++] = (ordo_edge_entry){v, sink, 300};
        }
    if (ordo_graph_from_edges(n, list, count, ORDO_U32, ORDO_AS_STORED, 0, &g))
        g = NULL;
    free(list);
    return g;
}

/* Everything through some hubs, which hold excess; every vertex beside both terminals; drops that go far. */
enum { HUBS, TERMINALS, CHAIN, SHAPES };
static const char *const shapes[] = {"hubs", "terminals everywhere", "chain of drops"};

static ordo_graph *shape(int which)
{
    const ordo_vid n = which == CHAIN ? 1000 : 40000, hubs = 5;
    ordo_u64 count = 0, r = 11;
    ordo_edge_entry *list = calloc(6 * (size_t)n, sizeof *list);
    ordo_graph *g = NULL;
    if (!list)
        abort();
    for (ordo_vid v = 2; v < n; v++) {
        const ordo_u32 c = 1 + (ordo_u32)(next_random(&r) % 1000), d = 1 + (ordo_u32)(next_random(&r) % 1000);
        const ordo_vid hub = 2 + (ordo_vid)(next_random(&r) % hubs);
        if (which == HUBS) {
            list[count++] = v % 2 ? (ordo_edge_entry){0, v, c} : (ordo_edge_entry){v, 1, c};
            list[count++] = v % 2 ? (ordo_edge_entry){v, hub, d} : (ordo_edge_entry){hub, v, d};
        } else if (which == TERMINALS) {
            list[count++] = (ordo_edge_entry){0, v, c};
            list[count++] = (ordo_edge_entry){v, 1, d};
            list[count++] = (ordo_edge_entry){v, v + 1 < n ? v + 1 : 2, 1 + c % 50};
            list[count++] = (ordo_edge_entry){v, 2 + (v + 197) % (n - 2), 1 + d % 50};
        } else {
            list[count++] = (ordo_edge_entry){v == 2 ? 0 : v - 1, v, n - v + 5};
            list[count++] = (ordo_edge_entry){v, 1, 1};
        }
    }
    if (ordo_graph_from_edges(n, list, count, ORDO_U32, ORDO_AS_STORED, 0, &g))
        g = NULL;
    free(list);
    return g;
}

static void check_large(const char *device)
{
    for (int i = 0; i < 2 * SHAPES; i++) {
        network net = {.g = shape(i / 2), .source = 0, .sink = 1, .how.cut_only = i % 2};
        if (net.g)
            check(&net, device, shapes[i / 2], false);
        else
            failed(shapes[i / 2], ordo_last_error());
        ordo_graph_free(net.g);
    }
    for (int i = 0; i < 8; i++) {
        static const char *const kinds[] = {"rlg", "genrmf", "grid", "rlg, long"};
        ordo_generate_options o = {.kind = i / 2 == 1 ? "genrmf" : "rlg",
                                   .width = i / 2 == 1   ? 16
                                            : i / 2 == 3 ? 20
                                                         : 300,
                                   .height = i / 2 == 3 ? 2000 : 100,
                                   .depth = 16,
                                   .edges = {.low = 1, .high = 100, .seed = 3}};
        network net = {.source = ORDO_NO_VERTEX, .sink = ORDO_NO_VERTEX, .how.cut_only = i % 2};
        if (i / 2 == 2) {
            net.g = grid(200, 150);
            net.source = 200 * 150;
            net.sink = net.source + 1;
        } else if (ordo_graph_generate(&o, &net.g)) {
            net.g = NULL;
        }
        if (net.g)
            check(&net, device, kinds[i / 2], false);
        else
            failed(kinds[i / 2], ordo_last_error());
        ordo_graph_free(net.g);
    }
}

static int check_all(const char *device, int networks)
{
    const ordo_backend *backend;
    char name[ORDO_DEVICE_NAME];
    if (strcmp(device, "cpu") && (ordo_backend_load(device, &backend) || backend->probe(name))) {
        printf("skipped: %s\n", ordo_last_error());
        return 77;
    }
    check_small(device, networks);
    if (networks >= 100)
        check_large(device);
    printf("%d of %d flows are maximum, their cuts the CPU's\n", checked - failures, checked);
    return failures != 0 || checked == 0;
}

/* ---- times ---- */

static ordo_status open_network(const char *path, network *net)
{
    unsigned width, height;
    char kind[8];
    *net = (network){.source = ORDO_NO_VERTEX, .sink = ORDO_NO_VERTEX};
    if (sscanf(path, "%7[a-z]:%u:%u", kind, &width, &height) != 3)
        return ordo_graph_read(path, NULL, &net->g);
    if (strcmp(kind, "grid")) {
        ordo_generate_options o = {.kind = kind, .width = width, .edges = {.low = 1, .high = 100, .seed = 1}};
        *(strcmp(kind, "rlg") ? &o.depth : &o.height) = height;
        return ordo_graph_generate(&o, &net->g);
    }
    net->g = grid(width, height);
    net->source = width * height;
    net->sink = net->source + 1;
    return net->g ? ORDO_OK : ORDO_ERR_MEMORY;
}

enum { MOST = 100 };

static void print_times(const char *what, double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, by_double);
    printf("  %s %9.2f ms (%.2f to %.2f)", what, 1e3 * times[count / 2], 1e3 * times[0], 1e3 * times[count - 1]);
}

static int time_network(const char *device, const char *path, int repeats)
{
    network net;
    ordo_status status = open_network(path, &net);
    if (status) {
        fprintf(stderr, "%s\n", ordo_last_error());
        return 3;
    }
    answer a = answer_capacity(net.g);
    double run[MOST], transfer[MOST];
    repeats = repeats < 1 ? 1 : repeats > MOST ? MOST : repeats;
    printf("%-24s", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    for (int cut = 1; cut >= 0 && !status; cut--) {
        net.how.cut_only = cut;
        for (int i = -1; i < repeats && !status; i++) { /* the first warms up */
            ordo_stats_free(&a.stats);
            status = solve(&net, device, &a);
            if (i >= 0) {
                run[i] = a.stats.run_seconds;
                transfer[i] = a.stats.transfer_seconds;
            }
        }
        if (!status)
            status = ordo_maxflow_verify(net.g, net.source, net.sink, &net.how, a.flow, a.side, &a.f,
                                         ORDO_VERIFY_CERTIFICATE);
        if (!status)
            print_times(cut ? "cut" : "flow", run, repeats);
    }
    if (status) {
        printf("  %s\n", ordo_last_error());
    } else {
        print_times("transfer", transfer, repeats);
        printf("  prepare %.0f ms  steps %llu  discharges %llu  pushes and relabels %llu  value %llu, proved\n",
               1e3 * a.stats.prepare_seconds, (unsigned long long)a.stats.supersteps, (unsigned long long)a.stats.items,
               (unsigned long long)a.stats.edges, (unsigned long long)a.f.value);
    }
    answer_free(&a);
    ordo_graph_free(net.g);
    return status != ORDO_OK;
}

/* Under every sync that the library offers. */
static int check_offered(const char *device, int networks)
{
    const ordo_scheduler *s = ordo_scheduler_find(scheduler);
    int failed = 0, offered = 0;
    for (int sync = 1; s && sync < ORDO_SYNCS; sync++)
        if (pair_is_offered(ordo_operator_find("discharge"), s, (ordo_sync)sync, device)) {
            sync_name = ordo_sync_name((ordo_sync)sync);
            printf("%s:%s: ", s->name, sync_name);
            failed |= check_all(device, networks);
            offered++;
        }
    if (!offered)
        printf("FAILED no sync is offered under %s\n", scheduler);
    return failed || !offered;
}

int main(int count, char **words)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* what came before a kernel that hangs is wanted, too */
    const int own = count > 1 && !strcmp(words[1], "time") ? 5 : 4; /* words before those of a scheduler */
    if (count >= own + 2) {
        scheduler = words[own];
        sync_name = words[own + 1];
        settings = (const char *const *)&words[own + 2];
        setting_count = (size_t)(count - own - 2);
        count = own;
    }
    if (count == 4 && !strcmp(words[1], "check") && sync_name && !strcmp(sync_name, "all"))
        return check_offered(words[2], atoi(words[3]));
    if (count == 4 && !strcmp(words[1], "check"))
        return check_all(words[2], atoi(words[3]));
    if (count == 5 && !strcmp(words[1], "time"))
        return time_network(words[2], words[3], atoi(words[4]));
    fprintf(stderr, "usage: flows check DEVICE NETWORKS [SCHEDULER SYNC [SETTING ...]] | "
                    "flows time DEVICE NETWORK REPEATS [SCHEDULER SYNC [SETTING ...]]\n");
    return 2;
}
