/* alone.c -- what readers ask about ranks, answered for a process that is the only one, so that the fuzzed readers need
 * no transport. */
#include "framework/run/distributed.h"

#include <string.h>

int ordo_group_rank(const ordo_group *group)
{
    (void)group;
    return 0;
}

int ordo_group_size(const ordo_group *group)
{
    (void)group;
    return 1;
}

ordo_vid ordo_range_begin(const ordo_csr *rows, int rank, int ranks)
{
    (void)ranks;
    return rank ? rows->n : 0;
}

ordo_status ordo_group_gather(const ordo_group *group, void *array, ordo_u64 first, ordo_u64 all, size_t unit)
{
    (void)group;
    (void)array;
    (void)first;
    (void)all;
    (void)unit;
    return ORDO_OK; /* the process has the whole array */
}

ordo_status ordo_group_any(const ordo_group *group, bool mine, bool *any)
{
    (void)group;
    *any = mine;
    return ORDO_OK;
}

ordo_status ordo_group_all_to_all(const ordo_group *group, const ordo_parcel *out, const ordo_room *in, size_t unit)
{
    (void)group;
    memcpy(in->data, out->data, out->count * unit);
    return ORDO_OK;
}
