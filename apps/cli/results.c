/* results.c -- the times and counts of contenders on one graph, while runs are made or read from files. */
#include "apps/cli/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ordo_status results_rounds(results *r, size_t rounds)
{
    for (int i = 0; i < r->count; i++) {
        if (!ordo_times_grow(&r->entries[i].times, rounds, r->source_count))
            return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for %zu rounds", rounds);
    }
    return ORDO_OK;
}

void results_count(entry *e, size_t round, size_t source, double seconds, const ordo_stats *stats)
{
    ordo_times_set(&e->times, round, source, seconds);
    e->runs++;
    snprintf(e->sync, sizeof e->sync, "%s", stats->sync);
    snprintf(e->fallback, sizeof e->fallback, "%s", stats->fallback);
    e->threads = stats->backend && !strcmp(stats->backend, "cpu") ? stats->threads : 0;
    snprintf(e->gpu, sizeof e->gpu, "%s", stats->backend && !strcmp(stats->backend, "cuda") ? stats->device : "");
    if (stats->chosen[0])
        snprintf(e->chosen, sizeof e->chosen, "%s", stats->scheduler);
    e->items += (double)stats->items;
    e->edges += (double)stats->edges;
    e->stale += (double)stats->stale;
    e->supersteps += (double)stats->supersteps;
    e->peak_worklist = stats->peak_worklist_bytes > e->peak_worklist ? stats->peak_worklist_bytes : e->peak_worklist;
}

void results_free(results *r)
{
    for (int i = 0; i < r->count && r->entries; i++)
        free(r->entries[i].times.at);
    free(r->entries);
    free(r->source);
    free(r->answer);
    *r = (results){0};
}

ordo_status results_baseline(results *r, const char *label)
{
    int found = -1, matches = 0;
    r->baseline = 0;
    if (!label)
        return ORDO_OK;
    const size_t length = strlen(label);
    for (int i = 0; i < r->count; i++) {
        const char *name = r->entries[i].label;
        if (!strcmp(name, label)) {
            r->baseline = i;
            return ORDO_OK;
        }
        if (!strncmp(name, label, length) && strchr(":@/ ", name[length])) {
            found = i;
            matches++;
        }
    }
    if (matches != 1)
        return ordo_fail(ORDO_ERR_USAGE, "--baseline '%s' %s, expected a row of the table such as '%s'", label,
                         matches ? "fits several rows" : "does not take part", r->entries[r->count - 1].label);
    r->baseline = found;
    return ORDO_OK;
}

bool took_part(const entry *e)
{
    return !e->reason[0] && e->runs > 0;
}

double answer_field(const ordo_answer *a, const char *name, double otherwise)
{
    for (int i = 0; i < a->field_count; i++)
        if (!strcmp(a->fields[i].name, name))
            return a->fields[i].type == ORDO_F32   ? a->fields[i].real
                   : a->fields[i].type == ORDO_I32 ? (double)(ordo_i64)a->fields[i].whole
                                                   : (double)a->fields[i].whole;
    return otherwise;
}
