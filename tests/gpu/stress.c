/* stress.c -- large graphs of awkward shapes, under every scheduler of a device, with adverse settings.
 *
 *   stress [DEVICE [small|large|tight]]   (cuda small)
 *
 * Problem: the contract's graphs have at most 2000 vertices: no hub fills a bucket, no pool wraps round, cells stay in
 * the cache, and a race that needs a million chances gets a thousand.
 *
 * Method: every answer is compared, cell by cell, with that of the CPU's `delta`. One line a case: graph, operator,
 * scheduler, sync, settings, milliseconds of the run alone. `large` has an rmat whose cells exceed any L2 of today,
 * more repeats, and a graph of a gigaedge where host and device have the memory. `tight` is small graphs under `delta`,
 * `inbox` and `adds` with every adverse setting of harness.h: rings of one place that wrap thousands of times and
 * spill, pools of one block, chains that are longer than the local queue.
 *
 * Ends with 1 where an answer is wrong, a run fails, or time is up before the last case; 77 where there is no such
 * device. It stops by itself within 9 minutes: the calling program may have a time limit, and a killed kernel gives no
 * information.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

#include "harness.h"

enum { ALL_SECONDS = 480 };

static trial_settings one_block = {"pool=1"}, defaults = {NULL};

/* What is asked of a graph besides shortest paths and levels. */
enum {
    LABELS = 1,      /* cc under every scheduler */
    HARD_LABELS = 2, /* cc with the hard settings too */
    MAY_LACK = 4     /* too little memory is no failure */
};

typedef struct shape {
    const char *name;
    ordo_graph *graph;
    ordo_vid n, source;
    unsigned asked;
    ordo_u32 *cells, *expected;
    const char *known; /* the operator whose answer `expected` is, or NULL */
} shape;

static const char *device = "cuda";
static double begun, case_seconds = 60;
static unsigned cases, wrong, skipped;

static void finish(const char *why)
{
    printf("%u cases, %u wrong, %u skipped, %.0f s%s%s\n", cases, wrong, skipped, trial_now() - begun, why ? ": " : "",
           why ? why : "");
    exit(why || wrong ? 1 : 0);
}

/* ---- graphs ---- */

typedef struct edge_list {
    ordo_edge_entry *edge;
    ordo_u64 count, capacity;
} edge_list;

static void add(edge_list *list, ordo_u64 tail, ordo_u64 head, ordo_u64 weight)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 1024;
        list->edge = realloc(list->edge, list->capacity * sizeof *list->edge);
        if (!list->edge)
            finish("not enough memory for an edge list");
    }
    list->edge[list->count++] = (ordo_edge_entry){(ordo_vid)tail, (ordo_vid)head, (ordo_u32)weight};
}

static ordo_u64 drawn(ordo_u64 x) /* 1..100 */
{
    x = (x + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    return 1 + (x >> 33) % 100;
}

/* A hub whose many out-edges are looked at again and again: every vertex of a short path offers it something better
 * than the one before, so pieces of the hub become stale while they wait. */
static void star_out(edge_list *list, ordo_u64 leaves)
{
    enum { STEPS = 8 };
    const ordo_u64 hub = STEPS;
    for (ordo_u64 i = 0; i < STEPS; i++) {
        if (i + 1 < STEPS)
            add(list, i, i + 1, 1);
        add(list, i, hub, 100 * (STEPS - i));
    }
    for (ordo_u64 i = 1; i <= leaves; i++)
        add(list, hub, hub + i, drawn(i));
}

/* Every vertex of a bushy tree offers the hub something, the later the better: all warps want one cell, and it goes on
 * the worklist up to a million times. What the hub tells one vertex more would show that the last one was lost. */
static void star_in(edge_list *list, ordo_u64 leaves)
{
    enum { CHILDREN = 16 };
    for (ordo_u64 v = 1; v < leaves; v++)
        add(list, (v - 1) / CHILDREN, v, drawn(v));
    for (ordo_u64 v = 0; v < leaves; v++)
        add(list, v, leaves, 2 * (leaves - v));
    add(list, leaves, leaves + 1, 7);
}

/* Two hubs that share all their leaves and are joined; symmetric. */
static void two_hubs(edge_list *list, ordo_u64 leaves)
{
    add(list, 0, 1, 100);
    for (ordo_u64 i = 0; i < leaves; i++) {
        add(list, 0, 2 + i, drawn(2 * i));
        add(list, 1, 2 + i, drawn(2 * i + 1));
    }
}

static void zero_grid(edge_list *list, ordo_u64 side)
{
    for (ordo_u64 y = 0; y < side; y++)
        for (ordo_u64 x = 0; x < side; x++) {
            if (x + 1 < side)
                add(list, y * side + x, y * side + x + 1, 0);
            if (y + 1 < side)
                add(list, y * side + x, (y + 1) * side + x, 0);
        }
}

static void drop(shape *s)
{
    ordo_graph_free(s->graph);
    ordo_free(s->cells);
    ordo_free(s->expected);
    *s = (shape){0};
}

/* False where memory is short and that is no failure. */
static bool made(shape *s, ordo_status status, double since)
{
    if (!status) {
        s->n = ordo_graph_out(s->graph)->n;
        s->cells = ordo_alloc(s->n, sizeof *s->cells);
        s->expected = ordo_alloc(s->n, sizeof *s->expected);
        status = s->cells && s->expected ? ORDO_OK : ORDO_ERR_MEMORY;
    }
    if (status == ORDO_ERR_MEMORY && s->asked & MAY_LACK) {
        printf("skipped: graph %s: %s\n", s->name, ordo_last_error());
        skipped++;
        drop(s);
        return false;
    }
    if (status)
        finish(ordo_last_error());
    printf("graph %s: %u vertices, %llu edges, made in %.1f s\n", s->name, s->n,
           (unsigned long long)ordo_graph_out(s->graph)->m, trial_now() - since);
    fflush(stdout);
    return true;
}

typedef void lister(edge_list *list, ordo_u64 size);

static shape listed(const char *name, lister *fill, ordo_u64 size, ordo_direction direction, unsigned asked)
{
    shape s = {.name = name, .asked = asked};
    edge_list list = {0};
    ordo_u64 n = 0;
    double since = trial_now();
    fill(&list, size);
    for (ordo_u64 e = 0; e < list.count; e++) {
        n = n > list.edge[e].tail ? n : list.edge[e].tail;
        n = n > list.edge[e].head ? n : list.edge[e].head;
    }
    made(&s, ordo_graph_from_edges(n + 1, list.edge, list.count, ORDO_U32, direction, 0, &s.graph), since);
    free(list.edge);
    return s;
}

static bool generated(shape *s, const char *name, const ordo_generate_options *how, unsigned asked)
{
    *s = (shape){.name = name, .asked = asked};
    double since = trial_now();
    return made(s, ordo_graph_generate(how, &s->graph), since);
}

/* ---- runs ---- */

static ordo_status run(const shape *s, const char *op, ordo_u32 *cells, const ordo_options *options, double *ms)
{
    ordo_stats stats = {0};
    ordo_status status = trial_run(s->graph, op, s->source, options, cells, &stats);
    *ms = 1e3 * stats.run_seconds;
    ordo_stats_free(&stats);
    return status;
}

/* The CPU's answer; kept until another operator's is wanted. A source from which little is reached would make every
 * case right. */
static ordo_status expect(shape *s, const char *op)
{
    const ordo_options on_cpu = {.scheduler = "delta"};
    double ms;
    if (s->known && !strcmp(s->known, op))
        return ORDO_OK;
    s->known = NULL;
    ordo_status status = run(s, op, s->expected, &on_cpu, &ms);
    if (status)
        return status;
    s->known = op;
    ordo_u64 reached = 0;
    for (ordo_vid v = 0; v < s->n; v++)
        reached += !strcmp(op, "cc") || !trial_untouched(op, v, s->expected[v]);
    printf("%-9s %-8s on the CPU: %llu vertices in %.0f ms\n", s->name, op, (unsigned long long)reached, ms);
    if (reached < s->n / 8)
        finish("too few are reached for a test");
    return ORDO_OK;
}

static bool offered(const shape *s, const char *op, const ordo_options *options)
{
    ordo_status status = trial_check(s->graph, op, options);
    if (status && status != ORDO_ERR_UNSOUND)
        finish(ordo_last_error());
    return !status;
}

/* One case: `repeats` runs, all of which must be right. */
static void try(shape *s, const char *op, const char *scheduler, const char *sync, trial_settings settings, int repeats)
{
    ordo_options options = {.scheduler = scheduler, .sync = sync, .device = device};
    char list[128], what[1200] = "ok";
    trial_set(&options, settings, list, sizeof list);
    if (!offered(s, op, &options))
        return;
    double sum = 0, least = 0, most = 0;
    ordo_status status = expect(s, op);
    bool right = !status;
    int done = 0;
    for (; done < repeats && right; done++) {
        double ms;
        const double left = ALL_SECONDS - (trial_now() - begun);
        options.timeout = left < case_seconds ? left : case_seconds;
        status = left > 0 ? run(s, op, s->cells, &options, &ms) : ORDO_ERR_TIMEOUT;
        if (status == ORDO_ERR_TIMEOUT && left < case_seconds) {
            printf("%s %s %s %s: ", s->name, op, scheduler, list);
            finish("time is up, this case and those after it are open");
        }
        right = !status;
        if (!right)
            break;
        ordo_vid first = 0;
        const ordo_u64 bad = trial_differ(s->cells, s->expected, s->n, &first);
        right = !bad;
        if (bad)
            snprintf(what, sizeof what, "WRONG: %llu cells, the first is %u: %u, expected %u", (unsigned long long)bad,
                     first, s->cells[first], s->expected[first]);
        least = done == 0 || ms < least ? ms : least;
        most = ms > most ? ms : most;
        sum += ms;
    }
    const bool lacks = status == ORDO_ERR_MEMORY && s->asked & MAY_LACK;
    if (status)
        snprintf(what, sizeof what, "%s: %s", lacks ? "skipped" : "WRONG", ordo_last_error());
    printf("%-9s %-8s %-9s %-6s %-35s %10.3f ms", s->name, op, scheduler, sync, list, done ? sum / done : 0);
    if (repeats > 1)
        printf(" (%.3f to %.3f), %d of %d", least, most, done, repeats);
    printf("  %s\n", what);
    fflush(stdout);
    cases++;
    skipped += lacks;
    wrong += !right && !lacks;
    if (status == ORDO_ERR_DEVICE) /* a device that failed once fails from then on */
        finish(ordo_last_error());
}

static void try_hard(shape *s, const char *op, const char *scheduler, int repeats)
{
    size_t count;
    trial_settings *hard = trial_hard(scheduler, &count);
    for (size_t i = 0; i < count; i++)
        try(s, op, scheduler, "atomic", hard[i], repeats);
}

static void try_all(shape *s)
{
    static const char *const ops[] = {"sssp_u32", "bfs", "cc"}, *const syncs[] = {"atomic", "racy"};
    const ordo_scheduler *all[64];
    const size_t count = ordo_schedulers(all, 64);
    for (int o = 0; o < 3; o++) {
        if (o == 2 && !(s->asked & LABELS))
            continue;
        for (size_t i = 0; i < count && i < 64; i++)
            for (int y = 0; y < 2; y++)
                try(s, ops[o], all[i]->name, syncs[y], defaults, 1);
        if (o == 0 || (o == 2 && s->asked & HARD_LABELS))
            try_hard(s, ops[o], "adds", 1);
    }
}

/* A gigaedge, unweighted: bytes of rows, and those of the pool, are past 32 bits. */
static void gigaedge(void)
{
    static const char *const ops[] = {"bfs", "cc"}, *const schedulers[] = {"bsp", "adds", "near_far"};
    const ordo_generate_options how = {.kind = "uniform", .vertices = 1 << 25, .degree = 32, .edges = {.seed = 9}};
    shape s;
    if (!generated(&s, "gigaedge", &how, MAY_LACK))
        return;
    for (int o = 0; o < 2; o++)
        for (int i = 0; i < 3; i++)
            try(&s, ops[o], schedulers[i], "atomic", defaults, 1);
    drop(&s);
}

/* Small graphs of every shape under the settings that hurt: where a ring has one place a run takes long. */
static void tight(ordo_u64 size, int repeats)
{
    static const char *const ops[] = {"sssp_u32", "bfs", "cc", "widest_u32"};
    const ordo_edge_options weights = {.low = 1, .high = 100, .seed = 5};
    ordo_u32 scale = 0, side = 0;
    while ((ordo_u64)2 << scale <= size)
        scale++;
    while ((ordo_u64)(side + 1) * (side + 1) <= size)
        side++;
    const ordo_generate_options generate[] = {{.kind = "rmat", .scale = scale, .edges = weights},
                                              {.kind = "road", .vertices = size, .edges = {.seed = 5}},
                                              {.kind = "cliques", .vertices = size, .width = 32, .edges = weights},
                                              {.kind = "path", .vertices = size / 8 + 1, .edges = weights}};
    lister *const list[] = {star_out, star_in, two_hubs, zero_grid};
    static const char *const names[] = {"star-out", "star-in", "two-hubs", "zero-grid"};
    for (int k = 0; k < 8; k++) {
        shape s;
        if (k < 4) {
            generated(&s, generate[k].kind, &generate[k], 0);
            s.source = k ? 0 : trial_busiest(s.graph);
        } else {
            s = listed(names[k - 4], list[k - 4], k == 7 ? side : size, k < 6 ? ORDO_AS_STORED : ORDO_SYMMETRISE, 0);
        }
        for (int o = 0; o < 4; o++) {
            if (k >= 7 && o == 3)
                continue; /* a grid of weights 0 has no width */
            const int times = o ? 1 : repeats;
            try_hard(&s, ops[o], "delta", times);
            try_hard(&s, ops[o], "inbox", times);
            try_hard(&s, ops[o], "adds", times);
        }
        drop(&s);
    }
}

/* 77 where there is no such device: found out with a graph of one vertex. */
static void find_device(void)
{
    const ordo_generate_options how = {.kind = "path", .vertices = 1};
    const ordo_options options = {.scheduler = "bsp", .device = device};
    shape s = {.name = "vertex", .n = 1};
    if (ordo_graph_generate(&how, &s.graph))
        finish(ordo_last_error());
    ordo_status status = trial_check(s.graph, "bfs", &options);
    if (status) {
        printf("%s%s\n", status == ORDO_ERR_DEVICE ? "skipped: " : "", ordo_last_error());
        exit(status == ORDO_ERR_DEVICE ? 77 : 2);
    }
    ordo_graph_free(s.graph);
}

int main(int argc, char **argv)
{
    const bool large = argc > 2 && !strcmp(argv[2], "large");
    const ordo_edge_options weights = {.low = 1, .high = 100, .seed = 5};
    const int repeats = large ? 50 : 20;
    enum { LEAVES = 1000000 };
    const bool is_tight = argc > 2 && !strcmp(argv[2], "tight");
    if (argc > 3 || (argc > 2 && !large && !is_tight && strcmp(argv[2], "small") != 0)) {
        fprintf(stderr, "usage: stress [DEVICE [small|large|tight]]\n");
        return 2;
    }
    device = argc > 1 ? argv[1] : device;
    begun = trial_now();
    find_device();

    if (is_tight) {
        case_seconds = 15;
        tight(strcmp(device, "cpu") ? 20000 : 5000, strcmp(device, "cpu") ? 3 : 2);
        finish(NULL);
    }

    shape s = listed("star-out", star_out, LEAVES, ORDO_AS_STORED, LABELS | HARD_LABELS);
    try_all(&s);
    try(&s, "sssp_u32", "adds", "atomic", one_block, repeats);
    drop(&s);

    s = listed("star-in", star_in, LEAVES, ORDO_AS_STORED, LABELS | HARD_LABELS);
    try_all(&s);
    drop(&s);

    s = listed("two-hubs", two_hubs, LEAVES, ORDO_SYMMETRISE, LABELS | HARD_LABELS);
    try_all(&s);
    drop(&s);

    s = listed("zero-grid", zero_grid, 512, ORDO_SYMMETRISE, LABELS | HARD_LABELS);
    try_all(&s);
    drop(&s);

    const ordo_generate_options cliques = {.kind = "cliques", .vertices = 1 << 15, .width = 64, .edges = weights};
    if (generated(&s, "cliques", &cliques, LABELS | HARD_LABELS))
        try_all(&s);
    drop(&s);

    /* No labels: all of them move a vertex a round where order is not kept, which makes n * n / 2 offers. */
    const ordo_generate_options path = {.kind = "path", .vertices = 100000, .edges = weights};
    if (generated(&s, "path", &path, 0))
        try_all(&s);
    drop(&s);

    const ordo_generate_options road = {.kind = "road", .vertices = 1000000, .edges = {.seed = 5}};
    if (generated(&s, "road", &road, LABELS)) {
        try_all(&s);
        try(&s, "sssp_u32", "adds", "atomic", defaults, repeats);
    }
    drop(&s);

    const ordo_generate_options rmat = {.kind = "rmat", .scale = large ? 24 : 20, .edges = weights};
    if (generated(&s, "rmat", &rmat, LABELS)) {
        s.source = trial_busiest(s.graph); /* others may have no edge */
        try_all(&s);
        try(&s, "sssp_u32", "adds", "atomic", defaults, repeats);
    }
    drop(&s);

    if (large)
        gigaedge();
    finish(NULL);
}
