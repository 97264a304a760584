/* bench_machine.c -- `ordo bench machine`: measures what bounds a run on this machine, and keeps it.
 *
 * All threads of a team work at once, as in a run: reading in order, loading and adding at random places of arrays of
 * several sizes. A dependent load is measured by one thread, on a random cycle through an array (Sattolo's algorithm),
 * so that neither the processor nor its prefetchers know the next place. A barrier is the team's own. Each figure is
 * the best of several passes, since it is to be a ceiling.
 *
 * Not done: GPUs.
 */
#include "apps/cli/cache.h"
#include "apps/cli/ceilings.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/scheduler/team.h>

enum { PASSES = 5, BARRIERS = 300, LOADS = 1 << 21, HOPS = 1 << 18, STREAM = 1 << 28 };
static const double footprints[FOOTPRINTS] = {1 << 15, 1 << 19, 1 << 22, 1 << 25, 1 << 28};

typedef enum kind { READ_IN_ORDER, LOAD_AT_RANDOM, ADD_AT_RANDOM, MEET } kind;

typedef struct work {
    ordo_team *team;
    ordo_u32 *cell;
    size_t count; /* a power of two */
    kind kind;
    ordo_u64 *sum; /* [members * SPREAD], so that nothing is left out as unused */
} work;
enum { SPREAD = 16, LINE = 16 /* cells of a cache line */ };

static ordo_u64 load_at_random(const work *w, ordo_u64 x)
{
    ordo_u64 sum = 0;
    for (int i = 0; i < LOADS; i++) {
        x = x * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
        sum += w->cell[(x >> 32) & (w->count - 1)];
    }
    return sum;
}

static ordo_u64 add_at_random(const work *w, ordo_u64 x)
{
    for (int i = 0; i < LOADS; i++) {
        x = x * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
        __atomic_fetch_add(&w->cell[(x >> 32) & (w->count - 1)], 1, __ATOMIC_RELAXED);
    }
    return x;
}

static void part(void *arg, int member)
{
    const work *w = arg;
    ordo_u64 begin, end, sum = 0;
    switch (w->kind) {
    case READ_IN_ORDER:
        ordo_split(w->count, ordo_team_size(w->team), member, &begin, &end);
        for (ordo_u64 i = begin; i < end; i++)
            sum += w->cell[i];
        break;
    case LOAD_AT_RANDOM:
        sum = load_at_random(w, (ordo_u64)member + 1);
        break;
    case ADD_AT_RANDOM:
        sum = add_at_random(w, (ordo_u64)member + 1);
        break;
    case MEET:
        for (int i = 0; i < BARRIERS; i++)
            ordo_team_barrier(w->team);
        break;
    }
    w->sum[member * SPREAD] += sum;
}

/* Seconds of the best pass. */
static double best_pass(work *w, kind what)
{
    double best = 0;
    w->kind = what;
    for (int i = 0; i < PASSES && !cancelled; i++) {
        double start = now();
        ordo_team_run(w->team, part, w);
        double seconds = now() - start;
        best = i == 0 || seconds < best ? seconds : best;
    }
    return best;
}

/* Makes the first cells of all cache lines one random cycle; count is a multiple of LINE. */
static void make_cycle(ordo_u32 *cell, size_t count)
{
    ordo_u64 x = 1;
    for (size_t i = 0; i < count; i += LINE)
        cell[i] = (ordo_u32)i;
    for (size_t i = count / LINE - 1; i > 0; i--) {
        x = x * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
        size_t other = (size_t)((x >> 32) * i >> 32);
        ordo_u32 swapped = cell[i * LINE];
        cell[i * LINE] = cell[other * LINE];
        cell[other * LINE] = swapped;
    }
}

static double best_hop(work *w)
{
    double best = 0;
    ordo_u32 at = 0;
    make_cycle(w->cell, w->count);
    for (int pass = 0; pass < PASSES && !cancelled; pass++) {
        double start = now();
        for (int i = 0; i < HOPS; i++)
            at = w->cell[at];
        double seconds = (now() - start) / HOPS;
        best = pass == 0 || seconds < best ? seconds : best;
    }
    w->sum[0] += at;
    return best;
}

ordo_status ceilings_measure(const options *o, ceilings *out)
{
    machine here;
    work w = {0};
    machine_get(&here);
    *out = (ceilings){.cores = here.cores};
    snprintf(out->cpu, sizeof out->cpu, "%s", here.cpu);
    ordo_status status = check_memory(o, "bench machine", STREAM);
    if (!status)
        status = ordo_team_lease(o->threads, &w.team);
    if (status)
        return status;
    const int threads = out->threads = ordo_team_size(w.team);
    w.cell = ordo_alloc(STREAM / sizeof *w.cell, sizeof *w.cell);
    w.sum = ordo_alloc((size_t)threads * SPREAD, sizeof *w.sum);
    if (!w.cell || !w.sum)
        status = ORDO_ERR_MEMORY;
    if (!status) {
        memset(w.sum, 0, (size_t)threads * SPREAD * sizeof *w.sum);
        w.count = STREAM / sizeof *w.cell;
        memset(w.cell, 1, STREAM);
        out->stream = STREAM / best_pass(&w, READ_IN_ORDER);
        out->barrier = best_pass(&w, MEET) / BARRIERS;
        for (int i = 0; i < FOOTPRINTS && !cancelled; i++) {
            w.count = (size_t)footprints[i] / sizeof *w.cell;
            out->footprint[i] = footprints[i];
            out->loads[i] = (double)threads * LOADS / best_pass(&w, LOAD_AT_RANDOM);
            out->atomics[i] = (double)threads * LOADS / best_pass(&w, ADD_AT_RANDOM);
            out->hop[i] = best_hop(&w);
        }
        status = check_cancelled();
    }
    ordo_free(w.cell);
    ordo_free(w.sum);
    ordo_team_return(w.team);
    return status;
}

/* ---- what is kept ---- */

static json_t *as_json(const ceilings *c)
{
    json_t *list = json_array();
    for (int i = 0; i < FOOTPRINTS; i++)
        json_array_append_new(list,
                              json_pack("{s:f, s:f, s:f, s:f}", "bytes", c->footprint[i], "loads_per_second",
                                        c->loads[i], "atomics_per_second", c->atomics[i], "hop_seconds", c->hop[i]));
    return json_pack("{s:s, s:i, s:i, s:f, s:f, s:o}", "cpu", c->cpu, "cores", c->cores, "threads", c->threads,
                     "stream_bytes_per_second", c->stream, "barrier_seconds", c->barrier, "random", list);
}

/* Puts them in the place of those of the same machine and number of threads. */
static ordo_status keep(const ceilings *c, char *path)
{
    json_t *kept = json_load_file(path, 0, NULL), *list = json_array();
    const json_t *old = json_object_get(kept, "measured");
    for (size_t i = 0; i < json_array_size(old); i++) {
        const json_t *one = json_array_get(old, i);
        const char *cpu = json_string_value(json_object_get(one, "cpu"));
        if (!cpu || strcmp(cpu, c->cpu) != 0 || json_integer_value(json_object_get(one, "cores")) != c->cores ||
            json_integer_value(json_object_get(one, "threads")) != c->threads)
            json_array_append(list, (json_t *)(size_t)one);
    }
    json_array_append_new(list, as_json(c));
    json_t *all = json_pack("{s:o}", "measured", list);
    char *text = all ? json_dumps(all, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) : NULL;
    json_decref(kept);
    json_decref(all);
    if (!text)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory to keep the figures");
    cache_make_folders(path);
    sink s;
    ordo_status status = sink_open(&s, path);
    if (!status) {
        fprintf(s.file, "%s\n", text);
        status = sink_close(&s, true);
    }
    free(text);
    return status;
}

static void print(const ceilings *c, const char *path)
{
    char bytes[32];
    printf("Machine:             %s, %d cores; %d threads\n", c->cpu, c->cores, c->threads);
    printf("Reading in order:    %.2f GB/s\n", c->stream / 1e9);
    printf("Barrier:             %.3f us\n", 1e6 * c->barrier);
    printf("\n%12s  %18s  %20s  %18s\n", "array", "random loads M/s", "random atomics M/s", "dependent load ns");
    for (int i = 0; i < FOOTPRINTS; i++) {
        format_bytes(c->footprint[i], bytes);
        printf("%12s  %18.1f  %20.1f  %18.2f\n", bytes, c->loads[i] / 1e6, c->atomics[i] / 1e6, 1e9 * c->hop[i]);
    }
    printf("\nKept in %s, for the column 'of ceiling' of ordo compare\n", path);
}

ordo_status bench_machine(const options *o)
{
    char path[1024];
    ceilings c;
    if (o->word_count > 1)
        return ordo_fail(ORDO_ERR_USAGE, "bench machine takes no graph");
    if (o->device && strcmp(o->device, "cpu") != 0)
        return ordo_fail(ORDO_ERR_USAGE, "bench machine measures the CPU, not --device %s", o->device);
    if (!ceilings_path(path, sizeof path))
        return ordo_fail(ORDO_ERR_USAGE,
                         "bench machine: no folder to keep figures in, expected ORDO_CACHE, XDG_CACHE_HOME or HOME");
    show_phase(o, "measuring", "the machine");
    process_cancellable(true);
    ordo_status status = ceilings_measure(o, &c);
    process_cancellable(false);
    clear_progress();
    if (!status)
        status = keep(&c, path);
    if (!status && !o->quiet)
        print(&c, path);
    return status;
}
