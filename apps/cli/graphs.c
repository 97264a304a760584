/* graphs.c -- the verbs about graphs alone: generate, convert, info. */
#include "apps/cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include <ordo/scheduler.h>

static ordo_status write_graph(const options *o, const loaded *g, const char *path)
{
    ordo_status status = check_cancelled();
    if (status)
        return status;
    show_phase(o, "writing", path);
    double start = now();
    process_cancellable(true); /* the writer removes its file itself: let it end */
    status = ordo_graph_write(g->graph, path);
    process_cancellable(false);
    clear_progress();
    if (!status)
        status = check_cancelled();
    if (status || o->quiet)
        return status;
    print_graph(g);
    print_time("Write Time", now() - start);
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
    loaded g = {.generated = true};
    show_phase(o, "making", made.kind);
    status = ordo_graph_generate(&made, &g.graph);
    clear_progress();
    if (status)
        return status;
    ordo_graph_get_info(g.graph, &g.info);
    status = write_graph(o, &g, o->output);
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
    status = write_graph(o, &g, o->words[1]);
    load_free(&g);
    return status;
}

/* ---- info ---- */

static void print_degrees(const loaded *g)
{
    const ordo_csr *csr = ordo_graph_out(g->graph);
    ordo_u64 none = 0, least = csr->n ? ~(ordo_u64)0 : 0;
    for (ordo_u64 v = 0; v < csr->n; v++) {
        ordo_u64 degree = csr->row[v + 1] - csr->row[v];
        none += degree == 0;
        least = degree < least ? degree : least;
    }
    printf("Out-degrees:         %llu to %llu, average %.3f, %llu vertices without an edge out\n",
           (unsigned long long)least, (unsigned long long)g->info.max_degree,
           csr->n ? (double)csr->m / (double)csr->n : 0, (unsigned long long)none);
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
        format_bytes((double)(expected + answer_bytes(g, false)), small);
        format_bytes((double)(at_most + answer_bytes(g, false)), large);
        printf("  %-18s about %s more, at most %s\n", (*app)->name, small, large);
    }
}

ordo_status verb_info(const options *o)
{
    const char *path;
    loaded g;
    sink json = {0};
    ordo_status status = one_graph(o, 0, &path);
    if (!status && o->scheduler && !ordo_scheduler_find(o->scheduler))
        status = unknown("scheduler", o->scheduler, scheduler_names(), "ordo schedulers");
    if (!status && o->json)
        status = sink_open(&json, o->json);
    if (!status)
        status = load_graph(o, path, true, &g);
    if (status) {
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
            printf("Weights:             %s, %.9g to %.9g, mean %.9g\n", type_name(i->weight_type), i->weight_min,
                   i->weight_max, i->weight_mean);
        print_degrees(&g);
        printf("Checksum:            %016llx\n", (unsigned long long)i->checksum);
        print_needs(o, &g);
    }
    if (json.file)
        status = json_write_info(&json, &g, o);
    ordo_status closed = sink_close(&json, !status);
    load_free(&g);
    return status ? status : closed;
}
