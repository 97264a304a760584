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
 * Where all ranks are on one host, a search whose offers are atomic has one array of cells for all of them, in memory
 * that the transport shares, and no ghosts (remote.h, "Shared cells"). The caller's cells are copied there before the
 * run, and back after it. So one rank alone finds a vertex, and no rank offers a value that another one has bettered.
 *
 * Every rank makes the same calls in the same order, since all ranks run the same program on the same values. What each
 * is about to run is compared first. A failure that one rank has alone, such as too little memory, ends the whole job:
 * the others wait for it in a collective call, and nothing else can wake them.
 *
 * On GPUs, a rank each, kernels exchange messages and agree by themselves (<ordo/detail/cuda/ranks.cuh>); this file
 * divides the vertices, chooses the devices, and puts the answer together.
 *
 * Not done: critical operators, edges as items; gathering only what has changed.
 */
#define _POSIX_C_SOURCE 200809L
#include "distributed.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ordo/detail/backend.h>
#include <ordo/detail/peers.h>
#include <ordo/detail/transport.h>
#include <ordo/memory.h>
#include <ordo/session.h>

#include <unistd.h>

#include "framework/graph/graph.h"
#include "load_object.h"
#include "local_ranks.h"
#include "registry.h"
#include "session.h"

struct ordo_group {
    const ordo_transport *transport;
    const ordo_peers *peers; /* once a run was on GPUs */
    int rank, count;
    int number, here;       /* of this rank among those of its host, and how many these are */
    bool failing, all_fail; /* ordo_group_fail was called; what it returned */
    ordo_u32 *blocks;       /* the rank that owns each block of 2^block_bits vertices, or NULL: ranges */
    ordo_u32 block_bits;    /* 0: every vertex is a block */
    ordo_vid *bounds;       /* [count + 1] where parts begin that are ranges; NULL: others, or about equal ones */
    ordo_u64 part_count;    /* vertices of the partition; 0: there is none */
    /* of a run */
    ordo_remote remote;
    ordo_vid *begin;  /* [count + 1] */
    ordo_u32 *cyclic; /* as `blocks`, of a run without a partition that is block-cyclic; else NULL */
    ordo_parcel *parcel;
    ordo_u64 *collected; /* [ORDO_MOST_COLLECTED * count] */
    int parts;           /* the most threads that a rank has */
    void *own_cells;     /* the caller's array, where the run has one that ranks share; else NULL */
    bool alone;          /* rank 0 makes the run by itself */
};

static bool joined;

/* ---- joining ---- */

bool ordo_group_launched(void)
{
    if (ordo_local_ranks_launched())
        return true;
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
    if (ordo_local_ranks_launched()) {
        *out = &ordo_local_transport;
        return ORDO_OK;
    }
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

/* Sets r->number and r->here. */
static ordo_status count_on_host(ordo_group *r)
{
    char name[256] = "";
    ordo_u64 mine = 0, *all = ordo_alloc((size_t)r->count, sizeof *all);
    gethostname(name, sizeof name - 1);
    for (const char *c = name; *c; c++)
        mine = (mine ^ (ordo_u8)*c) * 0x100000001b3u;
    ordo_status status = all ? r->transport->collect(&mine, 1, all) : ORDO_ERR_MEMORY;
    for (int i = 0; i < r->count && !status; i++) {
        r->number += all[i] == mine && i < r->rank;
        r->here += all[i] == mine;
    }
    ordo_free(all);
    return status;
}

ordo_status ordo_group_join(ordo_group **out)
{
    if (__atomic_exchange_n(&joined, true, __ATOMIC_RELAXED))
        return ordo_fail(ORDO_ERR_USAGE, "ranks: joined already, expected one call in a process");
    ordo_group *r = ordo_alloc_zero(1, sizeof *r);
    ordo_status status = r ? load(&r->transport) : ORDO_ERR_MEMORY;
    if (!status)
        status = r->transport->join(&r->rank, &r->count);
    if (!status)
        status = count_on_host(r);
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
    if (group->peers)
        group->peers->finish();
    group->transport->leave();
    ordo_free(group->bounds);
    ordo_free(group->blocks);
    ordo_free(group);
}

void ordo_group_abort(ordo_group *group, int status)
{
    fflush(NULL);
    group->transport->abort(status);
}

bool ordo_group_fail(ordo_group *group)
{
    if (!group->failing)
        group->all_fail = group->transport->fail(2);
    group->failing = true;
    return group->all_fail;
}

int ordo_group_rank(const ordo_group *group)
{
    return group->rank;
}

int ordo_group_size(const ordo_group *group)
{
    return group->count;
}

bool ordo_group_was_alone(const ordo_group *group)
{
    return group->alone;
}

/* Parts that are ranges of vertices, in order, are known by where they begin, as if no partition were given. */
static ordo_status find_bounds(ordo_group *r, const ordo_u32 *part)
{
    r->bounds = ordo_alloc_zero((size_t)r->count + 1, sizeof *r->bounds);
    if (!r->bounds)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 v = 0; v < r->part_count; v++)
        r->bounds[part[v] + 1] = (ordo_vid)(v + 1);
    for (int i = 0; i < r->count; i++) /* of an empty part */
        if (r->bounds[i + 1] < r->bounds[i])
            r->bounds[i + 1] = r->bounds[i];
    r->bounds[r->count] = (ordo_vid)r->part_count;
    return ORDO_OK;
}

/* Stores the owner of each block of ids in place of each vertex's, with the largest blocks of which each is in one
 * part: a run looks an owner up for every activated vertex, and a small table stays in the cache. */
static ordo_status find_blocks(ordo_group *r, const ordo_u32 *part)
{
    r->block_bits = 31;
    for (ordo_u64 v = 1; v < r->part_count; v++)
        while (part[v] != part[v - 1] && v & (((ordo_u64)1 << r->block_bits) - 1))
            r->block_bits--;
    const ordo_u64 count = ((r->part_count - 1) >> r->block_bits) + 1;
    r->blocks = ordo_alloc((size_t)count, sizeof *r->blocks);
    for (ordo_u64 b = 0; r->blocks && b < count; b++)
        r->blocks[b] = part[b << r->block_bits];
    return r->blocks ? ORDO_OK : ORDO_ERR_MEMORY;
}

ordo_status ordo_group_divide(ordo_group *group, const ordo_u32 *part, ordo_u64 n)
{
    bool ranges = true;
    for (ordo_u64 v = 0; part && v < n; v++) {
        if (part[v] >= (ordo_u32)group->count)
            return ordo_fail(ORDO_ERR_USAGE,
                             "found vertex %llu in part %u, expected a part below %d, the number of ranks",
                             (unsigned long long)v, part[v], group->count);
        ranges &= v == 0 || part[v] >= part[v - 1];
    }
    ordo_free(group->bounds);
    ordo_free(group->blocks);
    group->bounds = NULL;
    group->blocks = NULL;
    group->part_count = part ? n : 0;
    return !part ? ORDO_OK : ranges ? find_bounds(group, part) : find_blocks(group, part);
}

/* ---- GPUs ---- */

/* Ends the job where a call has failed in this rank in which the others wait. */
static void must(ordo_group *r, ordo_status status)
{
    if (!status)
        return;
    fprintf(stderr, "ordo: rank %d: %s\n", r->rank, ordo_last_error());
    ordo_group_abort(r, ordo_status_exit(status));
}

/* The same for an error that may be that of all ranks: then rank 0 alone says it, and ends the others meanwhile. */
static void must_all(ordo_group *r, ordo_status status)
{
    if (status && ordo_group_fail(r) && r->rank) {
        sleep(2);
        ordo_group_abort(r, ordo_status_exit(status));
    }
    must(r, status);
}

/* Words that rank 0 makes reach all. */
static ordo_status share_id(const ordo_group *r, const ordo_peers *peers, ordo_u64 id[ORDO_PEERS_ID])
{
    ordo_u64 *all = ordo_alloc((size_t)r->count, ORDO_PEERS_ID * sizeof *all);
    ordo_status status = !all ? ORDO_ERR_MEMORY : r->rank ? ORDO_OK : peers->make_id(id);
    if (!status)
        status = r->transport->collect(id, ORDO_PEERS_ID, all);
    if (!status)
        memcpy(id, all, ORDO_PEERS_ID * sizeof *id);
    ordo_free(all);
    return status;
}

/* Chooses the GPU of this rank and makes the memory of all reachable, before the first run on GPUs. */
static ordo_status use_devices(ordo_group *r, const ordo_backend *backend)
{
    void *object;
    ordo_u64 id[ORDO_PEERS_ID] = {0};
    if (r->peers)
        return ORDO_OK;
    const int devices = backend->devices ? backend->devices() : 0;
    ordo_status status = ORDO_OK;
    if (r->here > devices)
        status = ordo_fail(ORDO_ERR_DEVICE, "found %d GPU%s, expected %d, one for each rank of this host", devices,
                           devices == 1 ? "" : "s", r->here);
    if (!status)
        status = backend->select(r->number);
    if (!status)
        status = ordo_object_load("nvshmem", "ranks on GPUs", &object);
    const ordo_peers *peers = status ? NULL : dlsym(object, "ordo_nvshmem_peers");
    if (!status && (!peers || peers->abi != ORDO_PEERS_ABI))
        status = ordo_fail(ORDO_ERR_DEVICE, "ranks on GPUs: libordo-nvshmem.so is of another version of Ordo");
    if (!status)
        status = share_id(r, peers, id);
    if (!status) {
        must_all(r, peers->start(r->rank, r->count, r->here, id)); /* what has begun of it cannot begin again */
        r->peers = peers;
    }
    return status;
}

/* ---- what can run ---- */

static ordo_status check_count(const ordo_group *r)
{
    if (r->count > ORDO_PEERS_MOST)
        return ordo_fail(ORDO_ERR_USAGE, "found %d ranks on GPUs, expected %d at most", r->count, (int)ORDO_PEERS_MOST);
    return ORDO_OK;
}

/* What a group cannot run, however it is planned for one process. */
static ordo_status check_group(const ordo_group *r, const ordo_plan *p)
{
    if (!p->backend && !r->transport->exchange)
        return ordo_fail(ORDO_ERR_USAGE, "ranks of --gpus have a GPU each, expected --device cuda");
    if (p->backend && r->blocks)
        return ordo_fail(ORDO_ERR_UNSOUND, "ranks on GPUs own ranges of vertices, expected a partition whose parts are "
                                           "ranges, in order: renumber the graph (ordo_graph_renumbered)");
    return p->backend ? check_count(r) : ORDO_OK;
}

/* Why the work does not run over ranks on GPUs; NULL: it does. */
static const char *not_on_gpus(const ordo_operator *op, const ordo_plan *p)
{
    const ordo_sync sync = op->kind == ORDO_KIND_GATHER ? ORDO_SYNC_RACY : ORDO_SYNC_ATOMIC;
    return p->sync != sync                 ? "on GPUs only sync atomic does"
           : ordo_type_bytes(op->cell) > 8 ? "its cells are larger than 8 bytes, and on GPUs messages are of 16"
                                           : NULL;
}

/* The code that runs an operator over ranks on GPUs; NULL: there is none. */
static const ordo_instance *instance_over_gpus(const ordo_backend *backend, const ordo_operator *op,
                                               const ordo_scheduler *s)
{
    const ordo_instance *const own = ordo_instance_find(op, s->name, ORDO_OVER_CUDA); /* of one from outside */
    const ordo_instance *const over =
        own || !backend->find_over_ranks ? own : backend->find_over_ranks(op->name, s->name);
    return over && over->run ? over : NULL;
}

/* Whether GPUs of the group may not see each other's memory: those of several hosts, or so that tests run as there. */
static bool unmapped(const ordo_group *r)
{
    const char *const asked = getenv("ORDO_UNMAPPED");
    return r->here < r->count || (asked && strcmp(asked, "0") != 0);
}

bool ordo_runs_over_ranks(const ordo_group *group, const ordo_operator *op, const ordo_scheduler *s,
                          const ordo_backend *backend)
{
    const unsigned devices = op->kind == ORDO_KIND_GATHER ? s->gathers_distributed : s->distributed;
    return devices & 1u << (backend ? ORDO_ON_CUDA : ORDO_ON_CPU) &&
           (!backend || (instance_over_gpus(backend, op, s) && !(devices & ORDO_NEEDS_MAPPED && unmapped(group))));
}

static ordo_status check_scheduler(const ordo_group *group, const ordo_operator *op, const ordo_plan *p)
{
    char others[128] = "";
    const ordo_scheduler *all[256];
    const size_t count = ordo_schedulers(all, 256);
    if (ordo_runs_over_ranks(group, op, p->scheduler, p->backend))
        return ORDO_OK;
    for (size_t i = 0; i < count && i < 256; i++)
        if (ordo_runs_over_ranks(group, op, all[i], p->backend))
            snprintf(others + strlen(others), sizeof others - strlen(others), "%s%s", others[0] ? ", " : "",
                     all[i]->name);
    return ordo_fail(ORDO_ERR_UNSOUND, "scheduler '%s' does not run '%s' over ranks%s; these do: %s",
                     p->scheduler->name, op->name,
                     !p->backend       ? ""
                     : unmapped(group) ? " on GPUs that do not see each other's memory"
                                       : " on GPUs",
                     others[0] ? others : "none");
}

ordo_status ordo_group_allows(const ordo_group *group, const ordo_operator *op, const ordo_plan *p)
{
    const ordo_status status = check_group(group, p);
    if (status)
        return status;
    const char *but = op->kind == ORDO_KIND_CRITICAL ? "its sections change several words of one process"
                      : op->kind == ORDO_KIND_GATHER && group->blocks
                          ? "it gathers, for which ranks own ranges of vertices; expected a partition of such parts"
                      : p->item == ORDO_ITEMS_EDGES ? "its items are edges in this run"
                      : p->sync == ORDO_SYNC_SERVER ? "servers are threads of one process"
                      : p->sync == ORDO_SYNC_RACE   ? "marks are those of one process"
                      : p->backend                  ? not_on_gpus(op, p)
                                                    : NULL;
    if (but)
        return ordo_fail(ORDO_ERR_UNSOUND, "operator '%s' does not run over ranks: %s", op->name, but);
    return check_scheduler(group, op, p);
}

ordo_status ordo_group_check(ordo_group *group, const ordo_operator *op, ordo_plan *p)
{
    const ordo_status status = ordo_group_allows(group, op, p);
    if (status || !p->backend)
        return status;
    p->instance = instance_over_gpus(p->backend, op, p->scheduler);
    return use_devices(group, p->backend); /* here, for an app may make a session next, on its rank's GPU */
}

ordo_status ordo_group_devices(ordo_group *group, const ordo_backend *backend, ordo_remote *out)
{
    ordo_status status = check_count(group);
    if (!status)
        status = use_devices(group, backend);
    *out = (ordo_remote){
        .group = group, .rank = (ordo_u32)group->rank, .count = (ordo_u32)group->count, .peers = group->peers};
    return status;
}

/* ---- graphs of which each rank has a part ---- */

ordo_vid ordo_range_begin(const ordo_csr *rows, int rank, int ranks)
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

ordo_status ordo_group_gather(const ordo_group *r, void *array, ordo_u64 first, ordo_u64 all, size_t unit)
{
    ordo_u64 *at = ordo_alloc((size_t)r->count + 1, sizeof *at);
    ordo_status status = at ? r->transport->collect(&first, 1, at) : ORDO_ERR_MEMORY;
    if (!status) {
        at[r->count] = all;
        status = r->transport->gather(array, at, unit);
    }
    ordo_free(at);
    return status;
}

ordo_status ordo_group_all_to_all(const ordo_group *r, const ordo_parcel *out, const ordo_room *in, size_t unit)
{
    return r->transport->all_to_all(out, in, unit);
}

ordo_status ordo_group_any(const ordo_group *r, bool mine, bool *any)
{
    const ordo_u64 word = mine;
    ordo_u64 *all = ordo_alloc((size_t)r->count, sizeof *all);
    const ordo_status status = all ? r->transport->collect(&word, 1, all) : ORDO_ERR_MEMORY;
    *any = false;
    for (int i = 0; i < r->count && !status; i++)
        *any |= all[i] != 0;
    ordo_free(all);
    return status;
}

/* ---- a run ---- */

static ordo_u64 mix(ordo_u64 hash, ordo_u64 word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* The session of a job whose arrays, and list of initial items, are on a device; else NULL. */
static ordo_session *session_apart(const ordo_job *job)
{
    void *own;
    ordo_session *const session = ordo_job_session(job, &own);
    return session && ordo_session_is_apart(session) ? session : NULL;
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
    for (ordo_u64 i = 0; !session_apart(job) && job->initial && i < job->initial_count; i++)
        items += mix(0, job->initial[i]);
    for (int i = 0; r->bounds && i < r->count; i++)
        hash = mix(hash, r->bounds[i]);
    return mix(mix(hash, items), r->part_count);
}

/* Fewer edges a level of a search than this, and more GPUs lose more by meetings than they take over. One and two H200,
 * ms (lab 0079), and edges a level: road network 10.5 and 13.2 (9000), triangles 5.9 and 5.6 (16 000), random geometric
 * graph 5.4 and 21.7, 26 neighbours 1.80 and 2.84 (310 000), uniform graph 11.6 and 8.3 (27 million). */
enum { EDGES_OF_A_LEVEL = 1 << 20, FEW_INITIAL = 1024 };

/* Whether the run is a search that rank 0 can make with the kernel of one GPU. Operators that select change nothing but
 * cells, which ordo_group_end copies to the other ranks; that kernel notes no other arrays. */
static bool may_be_alone(const ordo_group *r, const ordo_job *job, const ordo_plan *p)
{
    void *own;
    const ordo_instance *const plain =
        p->backend ? ordo_instance_on_gpu(p->backend, job->op, p->scheduler->name) : NULL;
    return plain && plain->run && !r->part_count && job->op->kind == ORDO_KIND_RELAX && job->op->activates &&
           (job->op->properties & ORDO_SELECTIVE) && job->initial && job->initial_count <= FEW_INITIAL &&
           !ordo_job_session(job, &own) && !ordo_job_is_traced(job);
}

/* Whether rank 0 is to make the run by itself: a search whose levels are small, if its device has memory for the graph.
 * The first run of a graph over ranks decides for all, since rows stay on the device, and rank 0 needs all of them. */
static bool goes_alone(const ordo_group *r, const ordo_job *job, const ordo_plan *p)
{
    ordo_graph *const graph = (ordo_graph *)(size_t)ordo_job_graph(job); /* the member is no part of what callers see */
    const bool may = may_be_alone(r, job, p);
    if (!graph)
        return false;
    if (graph->searched_by == ORDO_BY_UNKNOWN) {
        const ordo_u64 rows = 8 * ((ordo_u64)job->out->n + job->out->m), items = 64 * (ordo_u64)job->out->n;
        const bool small = may && !graph->part && ordo_job_levels(job) * EDGES_OF_A_LEVEL > (double)job->out->m &&
                           (!p->backend->vacant || p->backend->vacant() > 2 * rows + items);
        graph->searched_by = small ? ORDO_BY_ONE : ORDO_BY_ALL;
    }
    return may && graph->searched_by == ORDO_BY_ONE;
}

/* Compares digests, and sets r->parts, and r->alone as rank 0 has it. */
static ordo_status compare_ranks(ordo_group *r, const ordo_job *job, const ordo_plan *p)
{
    enum { WORDS = 3 };
    const ordo_u64 mine[WORDS] = {digest(r, job, p), (ordo_u64)job->threads, goes_alone(r, job, p)};
    ordo_u64 *all = ordo_alloc((size_t)r->count, sizeof mine);
    ordo_status status = all ? r->transport->collect(mine, WORDS, all) : ORDO_ERR_MEMORY;
    r->parts = 1;
    r->alone = !status && all[2];
    for (int i = 0; !status && i < r->count; i++) {
        r->parts = (int)all[WORDS * i + 1] > r->parts ? (int)all[WORDS * i + 1] : r->parts;
        if (all[WORDS * i] != all[0])
            status = ordo_fail(ORDO_ERR_USAGE,
                               "rank %d is about to run something else than rank 0, expected the same graph, operator, "
                               "scheduler and settings in all ranks",
                               i);
    }
    ordo_free(all);
    return status;
}

/* Whether the partition is of the items that the job's ranks divide, and not of another graph, of which an app has made
 * its own. */
static bool divides_items(const ordo_group *r, const ordo_job *job)
{
    return r->part_count && (job->op->activates || r->part_count == job->out->n);
}

/* Whether a run divides the vertices by blocks in turns: in a deep graph, where each rank has all rows, or those of
 * such a distribution (framework/graph/part.c). In a graph of few vertices ranks keep ranges. */
static bool divides_cyclically(const ordo_group *r, const ordo_job *job, ordo_cyclic *out)
{
    const ordo_graph *g = ordo_job_graph(job);
    return !r->part_count && job->op->kind == ORDO_KIND_RELAX && job->op->activates && g &&
           (g->part ? g->part == ORDO_CYCLIC_ROWS : ordo_is_deep(ordo_job_levels(job))) &&
           ordo_cyclic_of(job->out->n, r->count, out);
}

/* Sets r->cyclic and what of the job follows from it. */
static ordo_status own_cyclically(ordo_group *r, ordo_job *job)
{
    ordo_cyclic c;
    if (!divides_cyclically(r, job, &c))
        return ORDO_OK;
    const ordo_u64 blocks = (ordo_u64)1 << (c.period_bits - c.block_bits),
                   count = ((job->out->n - 1ull) >> c.block_bits) + 1;
    r->cyclic = ordo_alloc((size_t)count, sizeof *r->cyclic);
    for (ordo_u64 b = 0; r->cyclic && b < count; b++)
        r->cyclic[b] = (ordo_u32)(b % blocks * (ordo_u64)r->count / blocks);
    r->remote.part = r->cyclic;
    r->remote.block_bits = c.block_bits;
    ordo_vid end;
    ordo_cyclic_range(&c, r->rank, r->count, &job->first_owned, &end);
    job->owned = end - job->first_owned;
    job->owned_mask = ((ordo_u32)1 << c.period_bits) - 1;
    return r->cyclic ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* `step`: ranges begin at multiples of it. */
static ordo_status own_vertices(ordo_group *r, ordo_job *job, ordo_vid step)
{
    ordo_remote *remote = &r->remote;
    const bool divided = divides_items(r, job);
    if (r->part_count && ordo_job_graph(job)->part)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "ranks have read ranges of the graph's rows, expected the whole graph where a "
                         "partition is another");
    if (ordo_job_graph(job) && ordo_job_graph(job)->part == ORDO_CYCLIC_ROWS && !r->cyclic)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "found a graph whose rows ranks have read in a block-cyclic distribution, expected one read "
                         "without 'cyclic': this run divides ranges of vertices");
    if (divided && r->part_count != job->out->n)
        return ordo_fail(ORDO_ERR_USAGE, "found a partition of %llu vertices, expected one of the graph's %u",
                         (unsigned long long)r->part_count, job->out->n);
    if (remote->part) {
        job->owned = r->cyclic ? job->owned : 0; /* of other parts the table alone tells the owner */
        return ORDO_OK;
    }
    r->begin = ordo_alloc((size_t)r->count + 1, sizeof *r->begin);
    if (!r->begin)
        return ORDO_ERR_MEMORY;
    for (int i = 0; i < r->count; i++)
        r->begin[i] = (divided && r->bounds ? r->bounds[i] : ordo_range_begin(job->out, i, r->count)) / step * step;
    for (int i = 1; r->alone && i < r->count; i++)
        r->begin[i] = job->out->n;
    r->begin[r->count] = job->out->n;
    remote->begin = r->begin;
    job->first_owned = r->begin[r->rank];
    job->owned = r->begin[r->rank + 1] - r->begin[r->rank];
    return ORDO_OK;
}

/* Whether ranks may work on one array of cells: each offer is one atomic step, and each improvement makes an entry.
 */
static bool may_share_cells(const ordo_group *r, const ordo_job *job, const ordo_plan *p)
{
    return r->transport->share && !p->backend && job->op->kind == ORDO_KIND_RELAX && job->op->activates &&
           (job->op->properties & ORDO_SELECTIVE) && p->sync == ORDO_SYNC_ATOMIC && ordo_type_bytes(job->op->cell) <= 8;
}

/* Puts the cells into memory that all ranks share, where there is such. Every rank copies a part of them. */
static ordo_status share_cells(ordo_group *r, ordo_job *job, const ordo_plan *p)
{
    const size_t cell = ordo_type_bytes(job->op->cell);
    ordo_u8 *const shared = may_share_cells(r, job, p) ? r->transport->share(job->targets * cell) : NULL;
    ordo_u64 begin, end;
    bool any;
    if (!shared)
        return ORDO_OK;
    ordo_split(job->targets, r->count, r->rank, &begin, &end);
    memcpy(shared + begin * cell, (const ordo_u8 *)job->cells + begin * cell, (end - begin) * cell);
    r->own_cells = job->cells;
    job->cells = shared;
    r->remote.shared = true;
    return ordo_group_any(r, false, &any); /* a barrier: no rank begins before all have copied their parts */
}

/* Gives the job the caller's cells back, with what the shared ones hold. */
static void take_cells_back(ordo_group *r, ordo_job *job)
{
    if (r->own_cells) {
        memcpy(r->own_cells, job->cells, job->targets * ordo_type_bytes(job->op->cell));
        job->cells = r->own_cells;
    }
    r->own_cells = NULL;
}

ordo_status ordo_group_begin(ordo_group *r, ordo_job *job, const ordo_plan *p)
{
    ordo_remote *remote = &r->remote;
    const size_t bins = (size_t)job->threads * (size_t)r->count;
    r->own_cells = NULL;
    *remote = (ordo_remote){.group = r,
                            .rank = (ordo_u32)r->rank,
                            .count = (ordo_u32)r->count,
                            .entry = job->op->entry,
                            .block_bits = r->block_bits};
    ordo_status status = compare_ranks(r, job, p);
    if (!status && job->op->activates)
        remote->part = r->blocks;
    if (!status && !p->backend)
        status = own_cyclically(r, job);
    if (!status)
        status = own_vertices(r, job, p->backend ? 32 : 1); /* a GPU writes words of bits */
    remote->peers = p->backend ? r->peers : NULL;
    if (!status) {
        remote->out = ordo_alloc_zero(bins, sizeof *remote->out);
        remote->said = ordo_alloc_zero((size_t)job->threads, sizeof *remote->said);
        r->parcel = ordo_alloc_zero((size_t)r->parts * (size_t)r->count, sizeof *r->parcel);
        r->collected = ordo_alloc((size_t)r->count, ORDO_MOST_COLLECTED * sizeof *r->collected);
        status = remote->out && remote->said && r->parcel && r->collected ? ORDO_OK : ORDO_ERR_MEMORY;
    }
    if (!status)
        status = share_cells(r, job, p);
    job->remote = remote;
    return status;
}

/* ---- exchanges ---- */

static void *make_room(void *arg, ordo_u64 count)
{
    ordo_job *job = arg;
    ordo_bin *in = &job->remote->in;
    if (count > in->capacity && !ordo_bin_reserve(job, in, count, job->remote->entry))
        return NULL;
    in->count = count;
    return in->data;
}

/* A rank that ends the run says its status and its number; the greatest of these is what all report. */
static ordo_u64 ended_word(const ordo_job *job, int rank)
{
    return ordo_job_stopped(job) ? (ordo_u64)ordo_job_failure(job) << 32 | (ordo_u64)(rank + 1) : 0;
}

/* Fails the job where another rank has ended the run. */
static ordo_status end_with_others(const ordo_group *r, ordo_job *job)
{
    const ordo_u64 ended = r->remote.all.ended;
    if (!ended || ordo_job_stopped(job))
        return ORDO_OK;
    const ordo_status status = (ordo_status)(ended >> 32);
    ordo_fail(status, "rank %llu has ended the run: %s", (unsigned long long)((ended & 0xffffffff) - 1),
              ordo_status_text(status));
    ordo_job_fail(job, status);
    return status;
}

/* Edges that members have published since the exchange before. */
static ordo_u64 edges_since(ordo_job *job)
{
    const ordo_u64 before = job->remote->edges;
    job->remote->edges = 0;
    for (int t = 0; t < job->threads; t++)
        job->remote->edges += __atomic_load_n(&job->counters[t].edges, __ATOMIC_RELAXED);
    return job->remote->edges - before;
}

void ordo_job_exchange(ordo_job *job)
{
    ordo_remote *remote = job->remote;
    ordo_group *r = remote->group;
    remote->all = (ordo_agreed){.lowest = ~(ordo_u64)0, .most = edges_since(job), .ended = ended_word(job, r->rank)};
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
    must(r, r->transport->exchange(r->parcel, r->parts, remote->entry, &remote->all, make_room, job));
    remote->critical_edges += remote->all.most;
    end_with_others(r, job);
}

ordo_status ordo_group_collect(const ordo_group *group, const ordo_u64 *mine, int count, ordo_u64 *all)
{
    return group->transport->collect(mine, count, all);
}

/* ---- the end ---- */

static bool has_cells_of_items(const ordo_job *job)
{
    return job->op->activates || job->op->kind == ORDO_KIND_GATHER;
}

/* gather_owned where ranks own parts that are no ranges: each rank's elements go into a stretch of a copy. */
static ordo_status gather_parts(const ordo_group *r, const ordo_job *job, ordo_u8 *elements, ordo_u64 n, size_t size)
{
    const ordo_u32 *part = job->remote->part;
    const ordo_u64 block = (ordo_u64)1 << job->remote->block_bits;
    ordo_u64 *at = ordo_alloc_zero((size_t)r->count + 2, sizeof *at);
    ordo_u8 *copy = ordo_alloc(n, size);
    ordo_status status = at && copy ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status) {
        for (ordo_u64 v = 0, b = 0; v < n; v += block, b++)
            at[part[b] + 1] += n - v < block ? n - v : block;
        for (int i = 0; i < r->count; i++)
            at[i + 1] += at[i];
        ordo_u64 to = at[r->rank];
        for (ordo_u64 v = 0, b = 0; v < n; v += block, b++) {
            const ordo_u64 here = n - v < block ? n - v : block;
            if (part[b] == (ordo_u32)r->rank) {
                memcpy(copy + size * to, elements + size * v, size * here);
                to += here;
            }
        }
        status = r->transport->gather(copy, at, size);
        for (ordo_u64 v = 0, b = 0; !status && v < n; v += block, b++) {
            const ordo_u64 here = n - v < block ? n - v : block;
            memcpy(elements + size * v, copy + size * at[part[b]], size * here);
            at[part[b]] += here;
        }
    }
    ordo_free(copy);
    ordo_free(at);
    return status;
}

/* Where the parts of an array of items, or of targets, begin: at[0 .. count]. */
static void parts_of(const ordo_group *r, const ordo_job *job, bool of_items, ordo_u64 n, ordo_u64 *at)
{
    for (int i = 0; i <= r->count; i++)
        at[i] = !of_items ? ordo_targets_before(job, (ordo_u32)i) : r->begin[i] < n ? r->begin[i] : n;
}

/* Puts the elements of items, or of targets, together that ranks own, in all ranks. */
static ordo_status gather_owned(ordo_group *r, const ordo_job *job, bool of_items, void *array, ordo_u64 n, size_t size)
{
    if (job->remote->part)
        return gather_parts(r, job, array, n, size);
    ordo_u64 *at = ordo_alloc((size_t)r->count + 1, sizeof *at);
    if (!at)
        return ORDO_ERR_MEMORY;
    parts_of(r, job, of_items, n, at);
    const ordo_status status = r->transport->gather(array, at, size);
    ordo_free(at);
    return status;
}

/* The same of all arrays at once, which a session has on devices. */
static ordo_status gather_apart(const ordo_group *r, const ordo_job *job, const ordo_session *session)
{
    const ordo_remote *const remote = &r->remote;
    ordo_u64 *of_cells = ordo_alloc(2 * ((size_t)r->count + 1), sizeof *of_cells);
    if (!of_cells)
        return ORDO_ERR_MEMORY;
    ordo_u64 *const of_items = of_cells + r->count + 1;
    ordo_parted array[1 + ORDO_MOST_WRITTEN] = {{job->cells, of_cells, ordo_type_bytes(job->op->cell)}};
    parts_of(r, job, has_cells_of_items(job), job->targets, of_cells);
    parts_of(r, job, true, job->num_items, of_items);
    for (int i = 0; i < remote->written_count; i++)
        array[1 + i] = (ordo_parted){remote->written[i].array, of_items, remote->written[i].unit};
    const ordo_status status = ordo_session_gather(session, remote, array, 1 + remote->written_count);
    ordo_free(of_cells);
    return status;
}

/* Cells, and arrays that processing an item writes. */
static ordo_status gather_answer(ordo_group *r, ordo_job *job)
{
    const ordo_session *const session = session_apart(job);
    if (session)
        return gather_apart(r, job, session);
    ordo_status status = ORDO_OK;
    if (!r->own_cells)
        status =
            gather_owned(r, job, has_cells_of_items(job), job->cells, job->targets, ordo_type_bytes(job->op->cell));
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

const ordo_u64 *ordo_job_collect(ordo_job *job, const ordo_u64 *words, int count)
{
    ordo_group *r = job->remote->group;
    must(r, r->transport->collect(words, count, r->collected));
    return r->collected;
}

/* Counters of all ranks, in those of member 0. On GPUs kernels have agreed to end early; their hosts learn with these
 * which of them wanted it, and why. */
static ordo_status collect_counters(ordo_group *r, ordo_job *job)
{
    enum { WORDS = 9 };
    ordo_remote *remote = &r->remote;
    ordo_counters sum = {0};
    ordo_u64 last = 0; /* edges after the last exchange, of the rank with most */
    for (int t = 0; t < job->threads; t++) {
        const ordo_counters *c = &job->counters[t];
        sum.items += c->items;
        sum.edges += c->edges;
        sum.useful += c->useful;
        sum.stale += c->stale;
        sum.activations += c->activations;
        sum.put += c->put;
    }
    const ordo_u64 mine[WORDS] = {sum.items,
                                  sum.edges,
                                  sum.useful,
                                  sum.stale,
                                  sum.put,
                                  sum.activations,
                                  remote->messages,
                                  sum.edges - remote->edges,
                                  remote->peers ? ended_word(job, r->rank) : remote->all.ended};
    ordo_u64 *all = ordo_alloc((size_t)r->count, sizeof mine);
    ordo_status status = all ? r->transport->collect(mine, WORDS, all) : ORDO_ERR_MEMORY;
    for (int i = 0; !status && i < r->count; i++) {
        const ordo_u64 *of = all + WORDS * i;
        last = of[7] > last ? of[7] : last;
        remote->all.ended = of[8] > remote->all.ended ? of[8] : remote->all.ended;
        if (i == r->rank)
            continue;
        job->counters[0].items += of[0];
        job->counters[0].edges += of[1];
        job->counters[0].useful += of[2];
        job->counters[0].stale += of[3];
        job->counters[0].put += of[4];
        job->counters[0].activations += of[5];
        remote->messages += of[6];
    }
    remote->critical_edges += remote->peers && !r->alone ? 0 : last; /* GPUs do not exchange by their hosts */
    ordo_free(all);
    return status ? status : end_with_others(r, job);
}

ordo_status ordo_group_end(ordo_group *r, ordo_job *job, ordo_status status, ordo_remote *counted)
{
    ordo_remote *remote = &r->remote;
    if (!status || remote->all.ended || (remote->peers && ordo_job_stopped(job))) {
        const ordo_status others = collect_counters(r, job);
        status = status ? status : others;
    }
    const bool alike = remote->all.ended || status == ORDO_ERR_UNSOUND; /* all ranks have the same settings */
    if (status && !alike && !ordo_group_fail(r)) { /* this rank alone has failed, and the others wait */
        fprintf(stderr, "ordo: rank %d: %s\n", r->rank, ordo_last_error());
        ordo_group_abort(r, ordo_status_exit(status));
    }
    const double start = ordo_job_seconds(job);
    if (!status || remote->all.ended) { /* a search may go on from cells of a run that was stopped */
        const ordo_status gathered = gather_answer(r, job);
        status = status ? status : gathered;
    }
    take_cells_back(r, job);
    ordo_job_add_transfer(job, ordo_job_seconds(job) - start);
    for (size_t i = 0; remote->out && i < (size_t)job->threads * (size_t)r->count; i++)
        ordo_bin_free(job, &remote->out[i], remote->entry);
    ordo_bin_free(job, &remote->in, remote->entry);
    ordo_free(remote->out);
    ordo_free(remote->said);
    ordo_free(r->parcel);
    ordo_free(r->collected);
    ordo_free(r->begin);
    ordo_free(r->cyclic);
    r->parcel = NULL;
    r->collected = NULL;
    r->begin = NULL;
    r->cyclic = NULL;
    *counted = *remote;
    job->remote = NULL;
    return status;
}
