/* ceilings.c -- the file of ceilings, their table, and how they are applied.
 *
 * A row of a table below is a figure: its key in the file, its name for people, and where it lies in the struct.
 * Reading, writing and printing go by these rows, for a CPU as for a GPU. A figure that was not measured is left out.
 */
#include "apps/cli/ceilings.h"

#include "apps/cli/cache.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct figure_row {
    const char *key, *label, *unit;
    double scale; /* to the unit */
    size_t at;
} figure_row;

#define OF_ALL(MEMBER) offsetof(ordo_ceilings, MEMBER)
#define OF_EACH(MEMBER) offsetof(ordo_footprint, MEMBER)
static const figure_row of_all[] = {
    {"stream_bytes_per_second", "Reading in order", "GB/s", 1e-9, OF_ALL(stream)},
    {"cached_bytes_per_second", "  from the cache", "GB/s", 1e-9, OF_ALL(cached)},
    {"one_address_per_second", "Additions on one", "M/s", 1e-6, OF_ALL(one_address)},
    {"barrier_seconds", "Barrier", "us", 1e6, OF_ALL(barrier)},
    {"launch_seconds", "Kernel launch", "us", 1e6, OF_ALL(launch)},
    {"copy_in_bytes_per_second", "Host to device", "GB/s", 1e-9, OF_ALL(copy_in)},
    {"copy_out_bytes_per_second", "Device to host", "GB/s", 1e-9, OF_ALL(copy_out)},
    {"round_trip_seconds", "  a word of it", "us", 1e6, OF_ALL(round_trip)},
};
static const figure_row of_each[] = {
    {"loads_per_second", "random loads", "M/s", 1e-6, OF_EACH(loads)},
    {"additions_per_second", "atomic additions", "M/s", 1e-6, OF_EACH(additions)},
    {"minimums_per_second", "atomic minimums", "M/s", 1e-6, OF_EACH(minimums)},
    {"hop_seconds", "dependent load", "ns", 1e9, OF_EACH(hop)},
};
enum { OF_ALLS = sizeof of_all / sizeof *of_all, OF_EACHS = sizeof of_each / sizeof *of_each };

static ordo_figure *figure_at(void *of, const figure_row *row)
{
    return (ordo_figure *)((char *)of + row->at);
}

static ordo_figure figure_of(const void *of, const figure_row *row)
{
    return *(const ordo_figure *)((const char *)of + row->at);
}

bool ceilings_path(char *out, size_t size)
{
    return cache_path("machine.json", out, size);
}

/* ---- reading ---- */

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : 0;
}

static void copy_text(char *out, size_t size, const json_t *value)
{
    snprintf(out, size, "%s", json_is_string(value) ? json_string_value(value) : "");
}

static void read_figures(const json_t *object, const figure_row *row, int rows, void *out)
{
    for (int i = 0; i < rows; i++) {
        const json_t *one = json_object_get(object, row[i].key);
        *figure_at(out, &row[i]) = (ordo_figure){number(one, "best"), number(one, "median"), number(one, "worst")};
    }
}

/* Whether the object is whole: what least times are computed from is there, and positive. */
static bool read_object(const json_t *object, ceilings *out)
{
    const json_t *list = json_object_get(object, "random"), *device = json_object_get(object, "device");
    ordo_ceilings *f = &out->figures;
    *out = (ceilings){.cores = (int)number(object, "cores"), .threads = (int)number(object, "threads")};
    copy_text(out->cpu, sizeof out->cpu, json_object_get(object, "cpu"));
    copy_text(out->device.name, sizeof out->device.name, json_object_get(device, "name"));
    out->device.units = (int)number(device, "multiprocessors");
    out->device.memory = number(device, "memory");
    out->device.cache = number(device, "cache");
    out->device.driver = (int)number(device, "driver");
    out->device.runtime = (int)number(device, "runtime");
    read_figures(object, of_all, OF_ALLS, f);
    bool whole = f->stream.best > 0 && json_array_size(list) > 0 && json_array_size(list) <= ORDO_MOST_FOOTPRINTS;
    for (size_t i = 0; whole && i < json_array_size(list); i++) {
        ordo_footprint *to = &f->footprint[f->footprints++];
        to->bytes = number(json_array_get(list, i), "bytes");
        read_figures(json_array_get(list, i), of_each, OF_EACHS, to);
        whole = to->loads.best > 0 && to->bytes > (i ? to[-1].bytes : 0);
    }
    return whole;
}

/* Whether both are of the same processor and number of threads, or of the same GPU. */
static bool same_place(const ceilings *a, const ceilings *b)
{
    return !strcmp(a->cpu, b->cpu) && !strcmp(a->device.name, b->device.name) && a->threads == b->threads &&
           (a->device.name[0] || a->cores == b->cores);
}

bool ceilings_read(int threads, const char *device, ceilings *out)
{
    char path[1024];
    machine here;
    machine_get(&here);
    ceilings wanted = {.cores = here.cores, .threads = device[0] ? 0 : threads};
    snprintf(wanted.cpu, sizeof wanted.cpu, "%s", here.cpu);
    snprintf(wanted.device.name, sizeof wanted.device.name, "%s", device);
    json_t *kept = ceilings_path(path, sizeof path) ? json_load_file(path, 0, NULL) : NULL;
    const json_t *list = json_object_get(kept, "measured");
    bool found = false;
    for (size_t i = 0; i < json_array_size(list) && !found; i++)
        found = read_object(json_array_get(list, i), out) && same_place(out, &wanted);
    json_decref(kept);
    return found;
}

/* ---- writing ---- */

static void write_figures(json_t *object, const figure_row *row, int rows, const void *of)
{
    for (int i = 0; i < rows; i++) {
        const ordo_figure f = figure_of(of, &row[i]);
        if (f.best > 0)
            json_object_set_new(object, row[i].key,
                                json_pack("{s:f, s:f, s:f}", "best", f.best, "median", f.median, "worst", f.worst));
    }
}

static json_t *as_json(const ceilings *c)
{
    const ordo_device *d = &c->device;
    json_t *object = json_pack("{s:s, s:i}", "cpu", c->cpu, "cores", c->cores), *list = json_array();
    if (d->name[0])
        json_object_set_new(object, "device",
                            json_pack("{s:s, s:i, s:I, s:I, s:i, s:i}", "name", d->name, "multiprocessors", d->units,
                                      "memory", (json_int_t)d->memory, "cache", (json_int_t)d->cache, "driver",
                                      d->driver, "runtime", d->runtime));
    else
        json_object_set_new(object, "threads", json_integer(c->threads));
    write_figures(object, of_all, OF_ALLS, &c->figures);
    for (int i = 0; i < c->figures.footprints; i++) {
        json_t *one = json_pack("{s:I}", "bytes", (json_int_t)c->figures.footprint[i].bytes);
        write_figures(one, of_each, OF_EACHS, &c->figures.footprint[i]);
        json_array_append_new(list, one);
    }
    json_object_set_new(object, "random", list);
    return object;
}

ordo_status ceilings_keep(const ceilings *c, char *path)
{
    json_t *kept = json_load_file(path, 0, NULL), *list = json_array();
    const json_t *old = json_object_get(kept, "measured");
    for (size_t i = 0; i < json_array_size(old); i++) {
        ceilings other;
        if (read_object(json_array_get(old, i), &other) && !same_place(&other, c))
            json_array_append(list, json_array_get(old, i));
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

/* ---- for people ---- */

/* "2.5 GB/s (2.4 to 2.6)": the median, and the range of the passes. */
static void print_figure(const figure_row *row, ordo_figure f)
{
    const double a = row->scale * f.best, b = row->scale * f.worst;
    char label[32];
    snprintf(label, sizeof label, "%s:", row->label);
    if (f.best > 0)
        printf("%-21s%.4g %s (%.4g to %.4g)\n", label, row->scale * f.median, row->unit, fmin(a, b), fmax(a, b));
}

static double spread_of(ordo_figure f)
{
    return f.median > 0 ? fabs(f.best - f.worst) / f.median : 0;
}

static void print_footprints(const ordo_ceilings *f)
{
    const ordo_footprint *first = &f->footprint[0];
    char text[64];
    printf("\n%12s", "array");
    for (int k = 0; k < OF_EACHS; k++) {
        snprintf(text, sizeof text, "%s %s", of_each[k].label, of_each[k].unit);
        if (figure_of(first, &of_each[k]).best > 0)
            printf("  %20s", text);
    }
    printf("  %7s\n", "spread");
    for (int i = 0; i < f->footprints; i++) {
        double spread = 0;
        format_bytes(f->footprint[i].bytes, text);
        printf("%12s", text);
        for (int k = 0; k < OF_EACHS; k++) {
            const ordo_figure one = figure_of(&f->footprint[i], &of_each[k]);
            spread = fmax(spread, spread_of(one));
            if (figure_of(first, &of_each[k]).best > 0)
                printf("  %20.1f", of_each[k].scale * one.median);
        }
        printf("  %5.1f %%\n", 100 * spread);
    }
}

void ceilings_print(const ceilings *c)
{
    const ordo_device *d = &c->device;
    char memory[32], cache[32];
    format_bytes(d->memory, memory);
    format_bytes(d->cache, cache);
    if (d->name[0])
        printf("GPU:                 %s; %d multiprocessors, %s, cache %s; CUDA %d.%d, driver for %d.%d\n", d->name,
               d->units, memory, cache, d->runtime / 1000, d->runtime % 1000 / 10, d->driver / 1000,
               d->driver % 1000 / 10);
    else
        printf("Machine:             %s, %d cores; %d threads\n", c->cpu, c->cores, c->threads);
    for (int i = 0; i < OF_ALLS; i++)
        print_figure(&of_all[i], figure_of(&c->figures, &of_all[i]));
    print_footprints(&c->figures);
}

/* ---- applying ---- */

/* Loads a second from an array of that size: between two footprints that were measured, on a line in logarithms. */
static double loads_at(const ordo_ceilings *f, double bytes)
{
    const ordo_footprint *at = f->footprint;
    int i = 0;
    while (i < f->footprints && at[i].bytes < bytes)
        i++;
    if (i == 0 || i == f->footprints)
        return at[i == 0 ? 0 : f->footprints - 1].loads.best;
    const double share = log(bytes / at[i - 1].bytes) / log(at[i].bytes / at[i - 1].bytes);
    return at[i - 1].loads.best * pow(at[i].loads.best / at[i - 1].loads.best, share);
}

double ceilings_least_time(const ceilings *c, double edges, double edge_bytes, double cell_bytes)
{
    const ordo_ceilings *f = &c->figures;
    const double stream = edges * edge_bytes / f->stream.best, random = edges / loads_at(f, cell_bytes);
    double copies = f->copy_in.best > 0 ? cell_bytes / f->copy_in.best : 0;
    copies += f->copy_out.best > 0 ? cell_bytes / f->copy_out.best : 0;
    return copies + (stream > random ? stream : random);
}
