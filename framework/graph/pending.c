/* pending.c -- stand-ins until galois.c, npz.c and own.c are merged; goes then. */
#include "graph.h"
#define PENDING(_name)                                                                                                 \
    ordo_status _name(ordo_input *in, const ordo_read_options *options, ordo_origin *origin, ordo_graph **out)         \
    {                                                                                                                  \
        (void)in, (void)options, (void)origin, (void)out;                                                              \
        return ordo_fail(ORDO_ERR_INPUT, "pending");                                                                   \
    }
PENDING(ordo_read_galois)
PENDING(ordo_read_npz)
PENDING(ordo_read_own)
bool ordo_looks_like_galois(const ordo_input *in)
{
    (void)in;
    return false;
}
ordo_status ordo_write_galois(ordo_writer *w, const ordo_graph *g)
{
    (void)w, (void)g;
    return ordo_fail(ORDO_ERR_USAGE, "pending");
}
ordo_status ordo_write_own(ordo_writer *w, const ordo_graph *g)
{
    (void)w, (void)g;
    return ordo_fail(ORDO_ERR_USAGE, "pending");
}
ordo_status ordo_write_npz(const char *path, const ordo_graph *g)
{
    (void)path, (void)g;
    return ordo_fail(ORDO_ERR_USAGE, "pending");
}
