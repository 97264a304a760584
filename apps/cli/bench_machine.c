/* bench_machine.c -- `ordo bench machine`: measures what bounds a run on this machine, and keeps it.
 *
 * All threads of a team work at once, as in a run: reading in order, loading and adding at random places of arrays of
 * several sizes. A dependent load is measured by one thread, on a random cycle through an array (Sattolo's algorithm),
 * so that neither the processor nor its prefetchers know the next place. A barrier is the team's own. A GPU is measured
 * by its back end (framework/cuda/machine.cu).
 */
#include "apps/cli/bench.h"
#include "apps/cli/ceilings.h"

#include <string.h>

#include <ordo/memory.h>
#include <ordo/scheduler/team.h>

enum {
    PASSES = 5,
    BARRIERS = 300,
    LOADS = 1 << 21,
    CONTENDED = 1 << 16,
    HOPS = 1 << 18,
    STREAM = 1 << 28,
    FOOTPRINTS = 5
};
static const double footprints[FOOTPRINTS] = {1 << 15, 1 << 19, 1 << 22, 1 << 25, 1 << 28};

typedef enum kind { READ_IN_ORDER, LOAD_AT_RANDOM, ADD_AT_RANDOM, ADD_AT_ONE, MEET } kind;

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
    case ADD_AT_ONE:
        for (int i = 0; i < CONTENDED; i++)
            sum += __atomic_fetch_add(w->cell, 1, __ATOMIC_RELAXED);
        break;
    case MEET:
        for (int i = 0; i < BARRIERS; i++)
            ordo_team_barrier(w->team);
        break;
    }
    w->sum[member * SPREAD] += sum;
}

/* The figure of a kind of pass: a rate where there is `work`, else the seconds of one of `parts`. */
static ordo_figure measure(work *w, kind what, double done, double parts)
{
    double seconds[PASSES];
    int passes = 0;
    w->kind = what;
    while (passes < PASSES && !cancelled) {
        double start = now();
        ordo_team_run(w->team, part, w);
        seconds[passes++] = (now() - start) / parts;
    }
    return passes ? ordo_figure_of(seconds, passes, done) : (ordo_figure){0, 0, 0};
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

static ordo_figure measure_hop(work *w)
{
    double seconds[PASSES];
    int passes = 0;
    ordo_u32 at = 0;
    make_cycle(w->cell, w->count);
    while (passes < PASSES && !cancelled) {
        double start = now();
        for (int i = 0; i < HOPS; i++)
            at = w->cell[at];
        seconds[passes++] = (now() - start) / HOPS;
    }
    w->sum[0] += at;
    return passes ? ordo_figure_of(seconds, passes, 0) : (ordo_figure){0, 0, 0};
}

static void measure_all(work *w, double threads, ordo_ceilings *out)
{
    w->count = STREAM / sizeof *w->cell;
    memset(w->cell, 1, STREAM);
    out->stream = measure(w, READ_IN_ORDER, STREAM, 1);
    out->barrier = measure(w, MEET, 0, BARRIERS);
    w->count = 1;
    out->one_address = measure(w, ADD_AT_ONE, threads * CONTENDED, 1);
    for (int i = 0; i < FOOTPRINTS && !cancelled; i++) {
        ordo_footprint *f = &out->footprint[out->footprints++];
        w->count = (size_t)footprints[i] / sizeof *w->cell;
        f->bytes = footprints[i];
        f->loads = measure(w, LOAD_AT_RANDOM, threads * LOADS, 1);
        f->additions = measure(w, ADD_AT_RANDOM, threads * LOADS, 1);
        f->hop = measure_hop(w);
    }
}

static ordo_status measure_cpu(const options *o, ceilings *c)
{
    work w = {0};
    ordo_status status = check_memory(o, "bench machine", STREAM);
    if (!status)
        status = ordo_team_lease(o->threads, &w.team);
    if (status)
        return status;
    c->threads = ordo_team_size(w.team);
    w.cell = ordo_alloc(STREAM / sizeof *w.cell, sizeof *w.cell);
    w.sum = ordo_alloc_zero((size_t)c->threads * SPREAD, sizeof *w.sum);
    if (!w.cell || !w.sum)
        status = ORDO_ERR_MEMORY;
    if (!status) {
        measure_all(&w, c->threads, &c->figures);
        status = check_cancelled();
    }
    ordo_free(w.cell);
    ordo_free(w.sum);
    ordo_team_return(w.team);
    return status;
}

/* ---- GPUs ---- */

static ordo_status load_gpu(const ordo_backend **out)
{
    char name[ORDO_DEVICE_NAME];
    const ordo_status status = ordo_backend_load("cuda", out);
    return status ? status : (*out)->probe(name);
}

static ordo_status measure_gpu(ceilings *c)
{
    const ordo_backend *backend;
    ordo_status status = load_gpu(&backend);
    if (!status && !backend->measure)
        status = ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': its back end cannot measure it");
    return status ? status : backend->measure(&c->device, &c->figures);
}

/* Whether to measure a GPU: where it is asked for, and under `auto` where there is one. */
static bool takes_gpu(const options *o)
{
    const ordo_backend *backend;
    if (!o->device || strcmp(o->device, "auto") != 0)
        return o->device && strcmp(o->device, "cpu") != 0;
    return load_gpu(&backend) == ORDO_OK;
}

ordo_status bench_gpu(const options *o, const ordo_backend **out)
{
    *out = NULL;
    return takes_gpu(o) ? load_gpu(out) : ORDO_OK;
}

ordo_status bench_machine(const options *o)
{
    char path[1024];
    ceilings c = {0};
    machine here;
    if (o->word_count > 1)
        return ordo_fail(ORDO_ERR_USAGE, "bench machine takes no graph");
    if (!ceilings_path(path, sizeof path))
        return ordo_fail(ORDO_ERR_USAGE,
                         "bench machine: no folder to keep figures in, expected ORDO_CACHE, XDG_CACHE_HOME or HOME");
    const bool gpu = takes_gpu(o);
    if (gpu && options_given(o, "threads"))
        return ordo_fail(ORDO_ERR_USAGE, "bench machine takes no --threads with a GPU, which uses all of its own");
    machine_get(&here);
    c.cores = here.cores;
    snprintf(c.cpu, sizeof c.cpu, "%s", here.cpu);
    show_phase(o, "measuring", gpu ? "the GPU" : "the machine");
    process_cancellable_run(&(ordo_options){.device = gpu ? "cuda" : NULL});
    ordo_status status = gpu ? measure_gpu(&c) : measure_cpu(o, &c);
    process_cancellable(false);
    clear_progress();
    if (!status)
        status = ceilings_keep(&c, path);
    if (!status && !o->quiet) {
        ceilings_print(&c);
        printf("\nKept in %s, for the column 'of ceiling' of ordo compare\n", path);
    }
    return status;
}
