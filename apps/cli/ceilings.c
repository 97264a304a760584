/* ceilings.c -- reads the ceilings that are kept, and applies them. */
#include "apps/cli/ceilings.h"

#include "apps/cli/cache.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ceilings_path(char *out, size_t size)
{
    return cache_path("machine.json", out, size);
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Whether the object is whole: every number is there, and positive. */
static bool read_object(const json_t *object, ceilings *out)
{
    const char *cpu = json_string_value(json_object_get(object, "cpu"));
    const json_t *list = json_object_get(object, "random");
    snprintf(out->cpu, sizeof out->cpu, "%s", cpu ? cpu : "");
    out->cores = (int)json_integer_value(json_object_get(object, "cores"));
    out->threads = (int)json_integer_value(json_object_get(object, "threads"));
    out->stream = number(object, "stream_bytes_per_second");
    out->barrier = number(object, "barrier_seconds");
    bool whole = out->stream > 0 && json_array_size(list) == FOOTPRINTS;
    for (size_t i = 0; i < FOOTPRINTS && whole; i++) {
        const json_t *one = json_array_get(list, i);
        out->footprint[i] = number(one, "bytes");
        out->loads[i] = number(one, "loads_per_second");
        out->atomics[i] = number(one, "atomics_per_second");
        out->hop[i] = number(one, "hop_seconds");
        whole = out->loads[i] > 0 && out->footprint[i] > (i ? out->footprint[i - 1] : 0);
    }
    return whole;
}

bool ceilings_read(int threads, ceilings *out)
{
    char path[1024];
    machine here;
    json_t *kept = ceilings_path(path, sizeof path) ? json_load_file(path, 0, NULL) : NULL;
    const json_t *list = json_object_get(kept, "measured");
    bool found = false;
    machine_get(&here);
    for (size_t i = 0; i < json_array_size(list) && !found; i++)
        found = read_object(json_array_get(list, i), out) && !strcmp(out->cpu, here.cpu) && out->cores == here.cores &&
                out->threads == threads;
    json_decref(kept);
    return found;
}

/* Loads a second from an array of that size: between two footprints that were measured, on a line in logarithms. */
static double loads_at(const ceilings *c, double bytes)
{
    int i = 0;
    while (i < FOOTPRINTS && c->footprint[i] < bytes)
        i++;
    if (i == 0 || i == FOOTPRINTS)
        return c->loads[i == 0 ? 0 : FOOTPRINTS - 1];
    double share = log(bytes / c->footprint[i - 1]) / log(c->footprint[i] / c->footprint[i - 1]);
    return c->loads[i - 1] * pow(c->loads[i] / c->loads[i - 1], share);
}

double ceilings_least_time(const ceilings *c, double edges, double edge_bytes, double cell_bytes)
{
    const double stream = edges * edge_bytes / c->stream, random = edges / loads_at(c, cell_bytes);
    return stream > random ? stream : random;
}
