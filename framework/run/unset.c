/* unset.c -- see unset.h. For a run on a GPU the back end does the same there: set_cells in framework/cuda/host.cu. */
#include "unset.h"

#include <string.h>

#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

enum { FEW = 1 << 14 }; /* cells that one thread sets before a second one wakes up */

typedef struct filling {
    ordo_team *team;
    unsigned char *cells;
    ordo_u64 count;
    ordo_u32 bytes;
    _Alignas(16) unsigned char worst[16];
} filling;

ordo_status ordo_unset_check(const ordo_work *work)
{
    if (!work->unset)
        return ORDO_OK;
    if (!work->op->worst)
        return ordo_fail(ORDO_ERR_USAGE,
                         "operator '%s': found cells that are not set, expected an operator that selects",
                         work->op->name);
    if (work->session)
        return ordo_fail(ORDO_ERR_USAGE,
                         "operator '%s': found cells that are not set in a session, expected all of them",
                         work->op->name);
    return ORDO_OK;
}

static void fill_part(void *arg, int member)
{
    const filling *f = arg;
    ordo_u64 begin, end;
    ordo_split(f->count, ordo_team_size(f->team), member, &begin, &end);
    if (f->bytes == 4) {
        ordo_u32 word, *const cells = (ordo_u32 *)(void *)f->cells;
        memcpy(&word, f->worst, sizeof word);
        for (ordo_u64 i = begin; i < end; i++)
            cells[i] = word;
    } else {
        for (ordo_u64 i = begin; i < end; i++)
            memcpy(f->cells + i * f->bytes, f->worst, f->bytes);
    }
}

ordo_status ordo_unset_fill(const ordo_work *work, int threads)
{
    if (!work->initial) /* all items are */
        return ORDO_OK;
    filling f = {.cells = work->cells, .count = work->targets, .bytes = ordo_type_bytes(work->op->cell)};
    unsigned char *const first = ordo_alloc(work->initial_count, f.bytes);
    if (!first)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; i < work->initial_count; i++)
        memcpy(first + i * f.bytes, f.cells + (ordo_u64)work->initial[i] * f.bytes, f.bytes);
    work->op->worst(f.worst);
    const ordo_status status = ordo_team_lease(f.count < FEW ? 1 : threads, &f.team);
    if (!status) {
        ordo_team_run(f.team, fill_part, &f);
        ordo_team_return(f.team);
        for (ordo_u64 i = 0; i < work->initial_count; i++)
            memcpy(f.cells + (ordo_u64)work->initial[i] * f.bytes, first + i * f.bytes, f.bytes);
    }
    ordo_free(first);
    return status;
}
