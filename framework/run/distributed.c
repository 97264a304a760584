/* distributed.c -- a run over several processes: owners of vertices, exchanges between supersteps, the answer in the
 * end.
 *
 * Problem. Each process, a rank, has the whole graph and all cells; it must process its own vertices alone, learn of
 * improvements that others have found for them, and end when all have nothing left.
 *
 * Method. A vertex has one owner. The cells of the others' vertices are ghosts: a rank improves them as if they were
 * its own, and each improvement becomes a message to the owner, which offers the value to the cell itself. So a value
 * is sent only if it is better than all that this rank has sent or knows of. Messages are exchanged between supersteps
 * (<ordo/detail/cpu/remote.h>), with the words that ranks agree on in the same call. When the run has ended, owners'
 * cells are gathered, and with them the arrays that processing an item writes.
 *
 * Every rank makes the same calls in the same order, since all ranks run the same program on the same values. What each
 * is about to run is compared first. A failure that one rank has alone, such as too little memory, ends the whole job:
 * the others wait for it in a collective call, and nothing else can wake them.
 *
 * Not done: gather and critical operators, edges as items, GPUs; rank-local graphs; gathering only what has changed.
 */
#define _POSIX_C_SOURCE 200809L
#include "distributed.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/detail/transport.h>
#include <ordo/memory.h>

#include "load_object.h"

struct ordo_group {
    const ordo_transport *transport;
    int rank, count;
    const ordo_u32 *part; /* [part_count], or NULL: ranges */
    ordo_u64 part_count;
    /* of a run */
    ordo_remote remote;
    ordo_vid *begin; /* [count + 1] */
    ordo_parcel *parcel;
    int parts; /* the most threads that a rank has */
};

static bool joined;

/* ---- joining ---- */

bool ordo_group_launched(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"};
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    bool rank = false, several = false;
    for (int i = 0; i < 3; i++) {
        const char *size = getenv(sizes[i]);
        several |= size && atoi(size) > 1;
        rank |= getenv(ranks[i]) != NULL;
    }
    return rank && several;
}

static ordo_status load(const ordo_transport **out)
{
    void *object;
    ordo_status status = ordo_object_load("mpi", "ranks", &object);
    if (status)
        return status;
    const ordo_transport *found = dlsym(object, "ordo_mpi_transport");
    if (!found || found->abi != ORDO_TRANSPORT_ABI)
        return ordo_fail(ORDO_ERR_DEVICE, "ranks: libordo-mpi.so is of another version of Ordo: found %u, expected %u",
                         found ? found->abi : 0, (unsigned)ORDO_TRANSPORT_ABI);
    *out = found;
    return ORDO_OK;
}

ordo_status ordo_group_join(ordo_group **out)
{
    if (__atomic_exchange_n(&joined, true, __ATOMIC_RELAXED))
        return ordo_fail(ORDO_ERR_USAGE, "ranks: joined already, expected one call in a process");
    ordo_group *r = ordo_alloc_zero(1, sizeof *r);
    ordo_status status = r ? load(&r->transport) : ORDO_ERR_MEMORY;
    if (!status)
        status = r->transport->join(&r->rank, &r->count);
    if (status) {
        ordo_free(r);
        return status;
    }
    *out = r;
    return ORDO_OK;
}

void ordo_group_leave(ordo_group *group)
{
    if (!group)
        return;
    group->transport->leave();
    ordo_free(group);
}

void ordo_group_abort(ordo_group *group, int status)
{
    fflush(NULL);
    group->transport->abort(status);
}

bool ordo_group_fail(ordo_group *group)
{
    return group->transport->fail(2);
}

int ordo_group_rank(const ordo_group *group)
{
    return group->rank;
}

int ordo_group_size(const ordo_group *group)
{
    return group->count;
}

ordo_status ordo_group_divide(ordo_group *group, const ordo_u32 *part, ordo_u64 n)
{
    for (ordo_u64 v = 0; part && v < n; v++)
        if (part[v] >= (ordo_u32)group->count)
            return ordo_fail(ORDO_ERR_USAGE,
                             "found vertex %llu in part %u, expected a part below %d, the number of ranks",
                             (unsigned long long)v, part[v], group->count);
    group->part = part;
    group->part_count = part ? n : 0;
    return ORDO_OK;
}

/* ---- what can run ---- */

static ordo_status check_scheduler(const ordo_operator *op, const ordo_plan *p)
{
    char others[128] = "";
    const ordo_scheduler *all[256];
    const size_t count = ordo_schedulers(all, 256);
    if (p->scheduler->distributed & 1u << ORDO_ON_CPU)
        return ORDO_OK;
    for (size_t i = 0; i < count && i < 256; i++)
        if (all[i]->distributed & 1u << ORDO_ON_CPU)
            snprintf(others + strlen(others), sizeof others - strlen(others), "%s%s", others[0] ? ", " : "",
                     all[i]->name);
    return ordo_fail(ORDO_ERR_UNSOUND, "scheduler '%s' does not run '%s' over ranks; these do: %s", p->scheduler->name,
                     op->name, others);
}

ordo_status ordo_group_check(const ordo_work *work, const ordo_plan *p)
{
    const ordo_operator *op = work->op;
    const char *but = op->kind == ORDO_KIND_CRITICAL ? "its sections change several words of one process"
                      : op->kind == ORDO_KIND_GATHER ? "it reads its neighbours' cells in every round"
                      : p->item == ORDO_ITEMS_EDGES  ? "its items are edges in this run"
                      : p->backend                   ? "it runs on a GPU"
                      : p->sync == ORDO_SYNC_SERVER  ? "servers are threads of one process"
                                                     : NULL;
    if (but)
        return ordo_fail(ORDO_ERR_UNSOUND, "operator '%s' does not run over ranks: %s", op->name, but);
    return check_scheduler(op, p);
}

/* ---- a run ---- */

/* The vertex at which a rank's range begins: as many vertices and edges together lie before it as ranks * their mean.
 */
static ordo_vid range_begin(const ordo_csr *rows, int rank, int ranks)
{
    const unsigned __int128 all = (unsigned __int128)(rows->m + rows->n) * (unsigned)rank;
    const ordo_u64 before = (ordo_u64)(all / (unsigned)ranks);
    ordo_vid low = 0, high = rows->n; /* the first vertex v with row[v] + v >= before */
    while (low < high) {
        const ordo_vid middle = low + (high - low) / 2;
        if (rows->row[middle] + middle < before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static ordo_u64 mix(ordo_u64 hash, ordo_u64 word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* A number for what a rank is about to run: equal in all ranks. */
static ordo_u64 digest(const ordo_group *r, const ordo_job *job, const ordo_plan *p)
{
    ordo_u64 hash = mix(mix(job->out->n, job->out->m), mix(job->initial_count, (ordo_u64)p->sync));
    for (const char *c = job->op->name; *c; c++)
        hash = mix(hash, (ordo_u8)*c);
    for (const char *c = p->scheduler->name; *c; c++)
        hash = mix(hash, (ordo_u8)*c);
    for (int i = 0; i < p->scheduler->tunable_count; i++) {
        ordo_u64 bits;
        memcpy(&bits, &p->tunable[i], sizeof bits);
        hash = mix(hash, bits);
    }
    ordo_u64 items = 0; /* in any order: each rank has its own list of the same items */
    for (ordo_u64 i = 0; job->initial && i < job->initial_count; i++)
        items += mix(0, job->initial[i]);
    return mix(mix(hash, items), r->part_count);
}

/* Compares digests, and sets r->parts. */
static ordo_status compare_ranks(ordo_group *r, const ordo_job *job, const ordo_plan *p)
{
    const ordo_u64 mine[2] = {digest(r, job, p), (ordo_u64)job->threads};
    ordo_u64 *all = ordo_alloc((size_t)r->count, sizeof mine);
    ordo_status status = all ? r->transport->collect(mine, 2, all) : ORDO_ERR_MEMORY;
    r->parts = 1;
    for (int i = 0; !status && i < r->count; i++) {
        r->parts = (int)all[2 * i + 1] > r->parts ? (int)all[2 * i + 1] : r->parts;
        if (all[2 * i] != all[0])
            status = ordo_fail(ORDO_ERR_USAGE,
                               "rank %d is about to run something else than rank 0, expected the same graph, operator, "
                               "scheduler and settings in all ranks",
                               i);
    }
    ordo_free(all);
    return status;
}

static ordo_status own_vertices(ordo_group *r, ordo_job *job)
{
    ordo_remote *remote = &r->remote;
    if (r->part && job->op->activates) {
        if (r->part_count != job->out->n)
            return ordo_fail(ORDO_ERR_USAGE, "found a partition of %llu vertices, expected one of the graph's %u",
                             (unsigned long long)r->part_count, job->out->n);
        job->owned = 0; /* the table says */
        return ORDO_OK;
    }
    r->begin = ordo_alloc((size_t)r->count + 1, sizeof *r->begin);
    if (!r->begin)
        return ORDO_ERR_MEMORY;
    for (int i = 0; i < r->count; i++)
        r->begin[i] = range_begin(job->out, i, r->count);
    r->begin[r->count] = job->out->n;
    remote->begin = r->begin;
    job->first_owned = r->begin[r->rank];
    job->owned = r->begin[r->rank + 1] - r->begin[r->rank];
    return ORDO_OK;
}

ordo_status ordo_group_begin(ordo_group *r, ordo_job *job, const ordo_plan *p)
{
    ordo_remote *remote = &r->remote;
    const size_t bins = (size_t)job->threads * (size_t)r->count;
    *remote = (ordo_remote){.group = r,
                            .rank = (ordo_u32)r->rank,
                            .count = (ordo_u32)r->count,
                            .part = job->op->activates ? r->part : NULL};
    ordo_status status = own_vertices(r, job);
    if (!status)
        status = compare_ranks(r, job, p);
    if (!status) {
        remote->out = ordo_alloc_zero(bins, sizeof *remote->out);
        remote->said = ordo_alloc_zero((size_t)job->threads, sizeof *remote->said);
        r->parcel = ordo_alloc_zero((size_t)r->parts * (size_t)r->count, sizeof *r->parcel);
        status = remote->out && remote->said && r->parcel ? ORDO_OK : ORDO_ERR_MEMORY;
    }
    job->remote = remote;
    return status;
}

/* ---- exchanges ---- */

/* Ends the job where an exchange has failed, for the others wait in it. */
static void must(ordo_group *r, ordo_status status)
{
    if (!status)
        return;
    fprintf(stderr, "ordo: rank %d: %s\n", r->rank, ordo_last_error());
    ordo_group_abort(r, ordo_status_exit(status));
}

static void *make_room(void *arg, ordo_u64 count)
{
    ordo_job *job = arg;
    ordo_bin *in = &job->remote->in;
    if (count > in->capacity && !ordo_bin_reserve(job, in, count, job->op->entry))
        return NULL;
    in->count = count;
    return in->data;
}

/* A rank that ends the run says its status and its number; the greatest of these is what all report. */
static ordo_u64 ended_word(const ordo_job *job, int rank)
{
    return ordo_job_stopped(job) ? (ordo_u64)ordo_job_failure(job) << 32 | (ordo_u64)(rank + 1) : 0;
}

void ordo_job_exchange(ordo_job *job)
{
    ordo_remote *remote = job->remote;
    ordo_group *r = remote->group;
    remote->all = (ordo_agreed){.lowest = ~(ordo_u64)0, .ended = ended_word(job, r->rank)};
    for (int t = 0; t < job->threads; t++) {
        const ordo_said *said = &remote->said[t];
        remote->all.work += said->work;
        remote->all.edges += said->edges;
        remote->all.lowest = said->lowest < remote->all.lowest ? said->lowest : remote->all.lowest;
        for (int to = 0; to < r->count; to++) {
            const ordo_bin *bin = &remote->out[t * r->count + to];
            r->parcel[to * r->parts + t] = (ordo_parcel){bin->data, bin->count};
            remote->messages += bin->count;
        }
    }
    remote->in.count = 0;
    must(r, r->transport->exchange(r->parcel, r->parts, job->op->entry, &remote->all, make_room, job));
    if (remote->all.ended && !ordo_job_stopped(job)) {
        const ordo_status status = (ordo_status)(remote->all.ended >> 32);
        ordo_fail(status, "rank %llu has ended the run: %s", (unsigned long long)((remote->all.ended & 0xffffffff) - 1),
                  ordo_status_text(status));
        ordo_job_fail(job, status);
    }
}

/* ---- the end ---- */

/* Puts the elements of items, or of targets, together that ranks own. Where parts are ranges, these are where they
 * belong. Otherwise each rank's go into a stretch of a copy. */
static ordo_status gather_owned(ordo_group *r, const ordo_job *job, bool of_items, void *array, ordo_u64 n, size_t size)
{
    const ordo_u32 *part = job->remote->part;
    ordo_u64 *at = ordo_alloc_zero((size_t)r->count + 2, sizeof *at);
    ordo_u8 *copy = part ? ordo_alloc(n, size) : NULL, *elements = array;
    ordo_status status = at && (copy || !part) ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status && !part) {
        for (int i = 0; i <= r->count; i++)
            at[i] = !of_items ? ordo_targets_before(job, (ordo_u32)i) : r->begin[i] < n ? r->begin[i] : n;
        status = r->transport->gather(elements, at, size);
    }
    if (!status && part) {
        for (ordo_u64 v = 0; v < n; v++)
            at[part[v] + 1]++;
        for (int i = 0; i < r->count; i++)
            at[i + 1] += at[i];
        ordo_u64 to = at[r->rank];
        for (ordo_u64 v = 0; v < n; v++)
            if (part[v] == (ordo_u32)r->rank)
                memcpy(copy + size * to++, elements + size * v, size);
        status = r->transport->gather(copy, at, size);
        for (ordo_u64 v = 0; !status && v < n; v++)
            memcpy(elements + size * v, copy + size * at[part[v]]++, size);
    }
    ordo_free(copy);
    ordo_free(at);
    return status;
}

/* Cells, and arrays that processing an item writes. */
static ordo_status gather_answer(ordo_group *r, ordo_job *job)
{
    ordo_status status =
        gather_owned(r, job, job->op->activates, job->cells, job->targets, ordo_type_bytes(job->op->cell));
    for (int i = 0; !status && i < r->remote.written_count; i++)
        status = gather_owned(r, job, true, r->remote.written[i].array, job->num_items, r->remote.written[i].unit);
    return status;
}

void ordo_job_unite(ordo_job *job, ordo_u64 *bits, ordo_u64 words, ordo_u64 span[2])
{
    ordo_group *r = job->remote->group;
    ordo_u64 *all = ordo_alloc((size_t)r->count, 2 * sizeof *all);
    must(r, all ? ORDO_OK : ORDO_ERR_MEMORY);
    must(r, r->transport->unite(bits, words));
    must(r, r->transport->collect(span, 2, all));
    for (int i = 0; i < r->count; i++) {
        span[0] = all[2 * i] < span[0] ? all[2 * i] : span[0];
        span[1] = all[2 * i + 1] > span[1] ? all[2 * i + 1] : span[1];
    }
    ordo_free(all);
}

void ordo_job_refresh(ordo_job *job)
{
    ordo_group *r = job->remote->group;
    must(r, gather_owned(r, job, true, job->cells, job->targets, ordo_type_bytes(job->op->cell)));
}

/* Counters of all ranks, in those of member 0. */
static ordo_status gather_counters(ordo_group *r, ordo_job *job)
{
    enum { WORDS = 7 };
    ordo_counters sum = {0};
    for (int t = 0; t < job->threads; t++) {
        const ordo_counters *c = &job->counters[t];
        sum.items += c->items;
        sum.edges += c->edges;
        sum.useful += c->useful;
        sum.stale += c->stale;
        sum.activations += c->activations;
        sum.put += c->put;
    }
    const ordo_u64 mine[WORDS] = {sum.items, sum.edges,       sum.useful,        sum.stale,
                                  sum.put,   sum.activations, r->remote.messages};
    ordo_u64 *all = ordo_alloc((size_t)r->count, sizeof mine);
    ordo_status status = all ? r->transport->collect(mine, WORDS, all) : ORDO_ERR_MEMORY;
    for (int i = 0; !status && i < r->count; i++) {
        const ordo_u64 *of = all + WORDS * i;
        if (i == r->rank)
            continue;
        job->counters[0].items += of[0];
        job->counters[0].edges += of[1];
        job->counters[0].useful += of[2];
        job->counters[0].stale += of[3];
        job->counters[0].put += of[4];
        job->counters[0].activations += of[5];
        r->remote.messages += of[6];
    }
    ordo_free(all);
    return status;
}

ordo_status ordo_group_end(ordo_group *r, ordo_job *job, ordo_status status, ordo_u64 *messages)
{
    ordo_remote *remote = &r->remote;
    const bool alike = remote->all.ended || status == ORDO_ERR_UNSOUND; /* all ranks have the same settings */
    if (status && !alike) { /* this rank alone has failed, and the others wait */
        fprintf(stderr, "ordo: rank %d: %s\n", r->rank, ordo_last_error());
        ordo_group_abort(r, ordo_status_exit(status));
    }
    const double start = ordo_job_seconds(job);
    if (!status || remote->all.ended) { /* a search may go on from cells of a run that was stopped */
        ordo_status gathered = gather_answer(r, job);
        if (!gathered)
            gathered = gather_counters(r, job);
        status = status ? status : gathered;
    }
    ordo_job_add_transfer(job, ordo_job_seconds(job) - start);
    for (size_t i = 0; remote->out && i < (size_t)job->threads * (size_t)r->count; i++)
        ordo_bin_free(job, &remote->out[i], job->op->entry);
    ordo_bin_free(job, &remote->in, job->op->entry);
    ordo_free(remote->out);
    ordo_free(remote->said);
    ordo_free(r->parcel);
    ordo_free(r->begin);
    r->parcel = NULL;
    r->begin = NULL;
    *messages = remote->messages;
    job->remote = NULL;
    return status;
}
