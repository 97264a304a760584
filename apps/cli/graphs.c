/* graphs.c -- the verbs that only concern graphs: generate, convert, info. */
#include "apps/cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include <ordo/scheduler/scheduler.h>

/* Warns of parallel edges: SciPy adds up repeated entries in nearly all operations, without an error. */
static void warn_of_parallel(const options *o, const loaded *g, const char *path)
{
    const char *suffix = strrchr(path, '.');
    if (!o->quiet && suffix && !strcmp(suffix, ".npz") && ordo_graph_has_parallel(g->graph))
        fprintf(stderr,
                "ordo: warning: %s: has parallel edges, which SciPy adds up; --dedup min|max|sum|first keeps one of "
                "them\n",
                path);
}

ordo_status write_graph(const options *o, const loaded *g, const char *path, double *seconds)
{
    ordo_status status = check_cancelled();
    if (status)
        return status;
    show_phase(o, "writing", path);
    double start = now();
    process_cancellable(true); /* the writer stops and removes its file itself */
    status = ordo_graph_write(g->graph, path);
    process_cancellable(false);
    clear_progress();
    *seconds = now() - start;
    if (cancelled)
        return check_cancelled();
    if (!status)
        warn_of_parallel(o, g, path);
    return status;
}

static ordo_status write_and_say(const options *o, const loaded *g, const char *path)
{
    double seconds;
    ordo_status status = write_graph(o, g, path, &seconds);
    if (status || o->quiet)
        return status;
    print_graph(g);
    print_time("Write Time", seconds);
    return ORDO_OK;
}

ordo_status verb_generate(const options *o)
{
    if (!o->output)
        return ordo_fail(ORDO_ERR_USAGE, "generate needs --output FILE");
    ordo_generate_options made;
    ordo_status status = options_made(o, &made);
    if (status)
        return status;
    if (!strcmp(made.kind, "ksat"))
        return generate_formula(o);
    if (!strcmp(made.kind, "constraints"))
        return generate_constraints(o);
    loaded g = {.generated = true};
    show_phase(o, "making", made.kind);
    process_cancellable(true);
    status = ordo_graph_generate(&made, &g.graph);
    process_cancellable(false);
    clear_progress();
    if (!status && (status = check_cancelled()))
        load_free(&g);
    if (status)
        return status;
    ordo_graph_get_info(g.graph, &g.info);
    status = write_and_say(o, &g, o->output);
    load_free(&g);
    return status;
}

ordo_status verb_convert(const options *o)
{
    if (o->word_count != 2)
        return ordo_fail(ORDO_ERR_USAGE, "%d files given, expected two: IN and OUT", o->word_count);
    loaded g;
    ordo_status status = load_graph(o, o->words[0], true, &g);
    if (status)
        return status;
    status = write_and_say(o, &g, o->words[1]);
    load_free(&g);
    return status;
}

/* ---- info ---- */

static void print_degrees(const loaded *g, const graph_stats *s)
{
    const ordo_csr *csr = ordo_graph_out(g->graph);
    printf("Out-degrees:         %llu to %llu, average %.3f, %llu vertices without an edge out\n",
           (unsigned long long)s->least, (unsigned long long)g->info.max_degree,
           csr->n ? (double)csr->m / (double)csr->n : 0, (unsigned long long)s->without);
    for (int i = 0; i < s->buckets; i++) {
        unsigned long long low = i ? 1ull << (i - 1) : 0, high = i ? low - 1 + low : 0;
        char range[48];
        snprintf(range, sizeof range, low == high ? "%llu" : "%llu to %llu", low, high);
        printf("  %-18s %llu vertices\n", range, (unsigned long long)s->histogram[i]);
    }
}

static void print_vertex_data(const loaded *g)
{
    const ordo_vertex_data *v = ordo_graph_vertex_data(g->graph);
    char parts[5][48];
    int count = 0;
    if (v->coordinate)
        snprintf(parts[count++], sizeof parts[0], "coordinates");
    if (v->weight)
        snprintf(parts[count++], sizeof parts[0], "%u weight%s a vertex", v->weights, v->weights == 1 ? "" : "s");
    if (v->size)
        snprintf(parts[count++], sizeof parts[0], "sizes");
    if (v->source != ORDO_NO_VERTEX)
        snprintf(parts[count++], sizeof parts[0], "source %llu", (unsigned long long)(v->source + g->id_base));
    if (v->sink != ORDO_NO_VERTEX)
        snprintf(parts[count++], sizeof parts[0], "sink %llu", (unsigned long long)(v->sink + g->id_base));
    printf("Vertex data:         %s", count ? "" : "none");
    for (int i = 0; i < count; i++)
        printf("%s%s", i ? ", " : "", parts[i]);
    putchar('\n');
}

static void print_graph_stats(const loaded *g, const graph_stats *s)
{
    if (!s->ran) {
        if (s->why[0])
            printf("Components:          not counted: %s\n", s->why);
        return;
    }
    double n = (double)g->info.vertices;
    printf("Components:          %llu%s, the largest of %llu vertices (%.4g %%)\n", (unsigned long long)s->components,
           g->info.symmetric ? "" : " weak", (unsigned long long)s->largest,
           n > 0 ? 100 * (double)s->largest / n : 0.0);
    printf("Diameter:            at least %llu hops (%d double sweeps)\n", (unsigned long long)s->hops, s->sweeps);
}

static void print_needs(const options *o, const loaded *g)
{
    char have[32], small[32], large[32];
    format_bytes((double)g->info.bytes, small);
    printf("Memory:              %s for the graph", small);
    ordo_u64 available = memory_available();
    if (available != ~(ordo_u64)0) {
        format_bytes((double)available, have);
        printf(", %s available beyond it", have);
    }
    putchar('\n');
    for (const ordo_app *const *app = ordo_built_apps; *app; app++) {
        const char *settings[MAX_SETTINGS];
        ordo_options run = run_options(o, o->scheduler, o->sync, settings);
        ordo_u64 expected, at_most;
        if ((*app)->memory(g->graph, &run, &expected, &at_most) != ORDO_OK) {
            printf("  %-18s %s\n", (*app)->name, ordo_last_error());
            continue;
        }
        format_bytes((double)(expected + answer_bytes(*app, g, false)), small);
        format_bytes((double)(at_most + answer_bytes(*app, g, false)), large);
        printf("  %-18s about %s more, at most %s\n", (*app)->name, small, large);
    }
}

ordo_status verb_info(const options *o)
{
    const char *path;
    loaded g = {0};
    graph_stats found;
    sink json = {0};
    ordo_status status = one_graph(o, 0, &path);
    if (!status && o->scheduler && !known_scheduler(o->scheduler))
        status = unknown("scheduler", o->scheduler, scheduler_names(), "ordo schedulers");
    if (!status && o->json)
        status = sink_open(&json, o->json);
    if (!status)
        status = load_graph(o, path, true, &g);
    if (!status)
        status = graph_stats_of(o, &g, &found);
    if (status) {
        load_free(&g);
        char failure[1024];
        snprintf(failure, sizeof failure, "%s", ordo_last_error());
        sink_close(&json, false);
        return ordo_fail(status, "%s", failure);
    }
    const ordo_graph_info *i = &g.info;
    if (!o->quiet && !(o->json && !strcmp(o->json, "-"))) {
        print_graph(&g);
        printf("Vertices:            %llu, counted from %llu in the file\n", (unsigned long long)i->vertices,
               (unsigned long long)i->id_base);
        printf("Edges:               %llu stored, %llu loops among them\n", (unsigned long long)i->edges,
               (unsigned long long)i->loops);
        if (i->symmetric)
            printf("Symmetric:           yes: %llu undirected edges\n",
                   (unsigned long long)((i->edges - i->loops) / 2 + i->loops));
        else
            printf("Symmetric:           not known to be (--symmetric checks, --symmetrise makes it so)\n");
        if (i->weight_type == ORDO_NONE)
            printf("Weights:             none: every edge counts 1\n");
        else
            printf("Weights:             %s, %.9g to %.9g, mean %.9g (%s)\n", type_name(i->weight_type), i->weight_min,
                   i->weight_max, i->weight_mean, weights_origin(&g));
        print_vertex_data(&g);
        print_degrees(&g, &found);
        print_graph_stats(&g, &found);
        printf("Checksum:            %016llx\n", (unsigned long long)i->checksum);
        print_needs(o, &g);
    }
    if (json.file)
        status = json_write_info(&json, &g, o, &found);
    ordo_status closed = sink_close(&json, !status);
    load_free(&g);
    return status ? status : closed;
}
