/* in_rows.c -- in-rows of a graph on the host, made where runs go. A GPU makes them in some milliseconds, and copies
 * them back in less time than the host takes to make them.
 *
 * Not done: weights of 8 bytes, which lie beside their heads on the host alone.
 */
#include "in_rows.h"

#include <string.h>

#include <ordo/detail/backend.h>

#include "framework/graph/graph.h"

static bool is_for_gpu(const ordo_graph *g, const ordo_options *options)
{
    return options && options->device && strcmp(options->device, "cpu") != 0 && !options->group && !g->part &&
           !g->symmetric && !ordo_type_wide(g->out.weight_type);
}

/* Has a GPU make them. Where it cannot, nothing has changed. Returns the seconds that it took. */
static double make_on_gpu(const ordo_graph *g, const ordo_options *options)
{
    const ordo_backend *gpu;
    char name[ORDO_DEVICE_NAME];
    ordo_csr in;
    double seconds = 0;
    if (ordo_backend_load("cuda", &gpu) || !gpu->in_rows || gpu->probe(name) ||
        ordo_csr_alloc(g->out.n, g->out.m, g->out.weight_type, &in))
        return 0;
    if (gpu->in_rows(g, options->threads, (ordo_eid *)(size_t)in.row, (ordo_vid *)(size_t)in.head, &seconds))
        ordo_csr_free(&in);
    else
        ordo_graph_take_in(g, &in);
    return seconds;
}

ordo_status ordo_in_rows(const ordo_graph *g, const ordo_options *options, const ordo_csr **out, double *seconds)
{
    const double there = is_for_gpu(g, options) && !ordo_graph_has_in(g) ? make_on_gpu(g, options) : 0;
    const double before = ordo_seconds();
    const ordo_status status =
        ordo_graph_in_ranks(g, options ? options->group : NULL, options ? options->threads : 0, out);
    *seconds = there + ordo_seconds() - before;
    return status;
}
