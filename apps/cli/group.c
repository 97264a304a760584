/* group.c -- the command as one of several processes, the ranks of an MPI job.
 *
 * Every rank does the same on the same words. Rank 0 alone prints, writes files and verifies; the others write to
 * /dev/null. An error ends all processes: where all have one, rank 0 is the one that says it.
 */
#include "apps/cli/cli.h"
#include "framework/graph/graph.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static ordo_group *group;
static bool all_fail;   /* every rank has an error: none waits for this one */
static bool own_rows;   /* a rank reads the rows that it owns alone, where the format allows it */
static ordo_u32 *parts; /* the rank of each vertex, with --partition */

ordo_group *group_here(void)
{
    return group;
}

bool group_suits(const options *o)
{
    return o->verb & VERB_APP || (o->verb & VERB_BENCH && o->word_count > 0 && !strcmp(o->words[0], "queue"));
}

bool group_lacks_rows(const options *o, const ordo_options *run, const loaded *g)
{
    const bool lacks = own_rows && g->graph->part && !o->app->own_rows_suffice(g->graph, run);
    own_rows &= !lacks;
    return lacks;
}

/* A file that is not standard output, which is quiet by itself. */
static void to_nowhere(const char **path)
{
    if (*path)
        *path = "/dev/null";
}

ordo_status group_join(const options *o, const char *name)
{
    if (!ordo_group_launched())
        return ORDO_OK;
    ordo_status status = ordo_group_join(&group);
    if (!status && ordo_group_rank(group)) /* mpirun ends the others by a signal, of which there is nothing to say */
        signal(SIGTERM, SIG_DFL);
    if (!status && !group_suits(o))
        status =
            ordo_fail(ORDO_ERR_USAGE, "'%s' runs in one process, found %d; apps and 'bench queue' run over several",
                      name, ordo_group_size(group));
    return status;
}

ordo_group *group_of_rows(void)
{
    return own_rows ? group : NULL;
}

static bool may_use_gpu(const options *o)
{
    return o->device && strcmp(o->device, "cpu") != 0;
}

bool group_rows_cyclic(const options *o)
{
    return own_rows && o->app->own_rows_cyclic && !may_use_gpu(o);
}

void group_silence(options *o)
{
    const bool edges_wanted = o->verify || o->partition || o->tree || o->path_to || o->nearest || o->target ||
                              o->stop_after || o->coordinates;
    own_rows = group && o->app && o->app->own_rows_suffice && !edges_wanted;
    if (!group || ordo_group_rank(group) == 0)
        return;
    o->quiet = true;
    o->progress = false;
    o->verify = false;
    to_nowhere(&o->json);
    to_nowhere(&o->output);
    to_nowhere(&o->tree);
    to_nowhere(&o->nearest);
    to_nowhere(&o->trace);
    to_nowhere(&o->cut);
}

/* Whether ranks are to own ranges of vertices, which the parts are not. */
static bool needs_ranges(const options *o, const loaded *g)
{
    bool ranges = true;
    for (ordo_u64 v = 1; v < g->info.vertices && ranges; v++)
        ranges = parts[v - 1] <= parts[v];
    return !ranges && (may_use_gpu(o) || o->app->op(g->graph)->kind == ORDO_KIND_GATHER);
}

ordo_status group_divide(const options *o, const loaded *g)
{
    const char *const how = o->partition;
    if (!how)
        return ORDO_OK;
    if (!group)
        return ordo_fail(ORDO_ERR_USAGE, "--partition given, expected several ranks (mpirun -np 2 ordo ...)");
    const ordo_u32 count = (ordo_u32)ordo_group_size(group);
    ordo_partition_query query = {.parts = count, .seed = o->seed, .threads = o->threads};
    int method = 0;
    while (ordo_partition_method_name((ordo_partition_method)method) &&
           strcmp(ordo_partition_method_name((ordo_partition_method)method), how) != 0)
        method++;
    query.method = (ordo_partition_method)method;
    parts = malloc((g->info.vertices + 1) * sizeof *parts);
    if (!parts)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for the parts of %llu vertices",
                         (unsigned long long)g->info.vertices);
    ordo_status status = ordo_partition_method_name(query.method)
                             ? ordo_partition_make(g->graph, &query, parts)
                             : ordo_partition_read(how, g->info.vertices, count, parts);
    if (!status && o->app->by_names && needs_ranges(o, g))
        status = renumbered_by_parts(o, g, parts, count);
    return status ? status : ordo_group_divide(group, parts, g->info.vertices);
}

void group_complain(const char *text)
{
    const int rank = group ? ordo_group_rank(group) : 0;
    all_fail = group && ordo_group_fail(group);
    if (all_fail) /* the first that exits makes mpirun end the others, which is no cancelling */
        signal(SIGTERM, SIG_DFL);
    if (rank && !all_fail && !cancelled)
        fprintf(stderr, "ordo: rank %d: %s\n", rank, text);
    else if (!rank)
        fprintf(stderr, "ordo: %s\n", text);
}

void group_end(int status)
{
    if (!group)
        return;
    if (status && !all_fail)
        ordo_group_abort(group, status);
    ordo_group_leave(group);
    group = NULL;
    free(parts);
}
