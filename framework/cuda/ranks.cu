/* ranks.cu -- the memory that the GPUs of several ranks share in a run.
 *
 * Method. All ranks take blocks of the same size, and pass the addresses at which their GPU sees those of the others to
 * the kernel. Blocks are kept for later runs that need the same sizes, since taking them maps memory of all GPUs. The
 * words are cleared before every run, and all ranks wait for each other behind that: a kernel writes to the memory of
 * ranks whose own kernel has not begun.
 *
 * Where a GPU does not see another one's memory, its kernel is given addresses of its own memory, and its host carries
 * what is there (carry.cu).
 */
#include <ordo/detail/peers.h>
#include <ordo/scheduler/cuda_host.h>

#include "framework/run/clock.h"

#include "carry.h"
#include "ranks.h"
#include "records.h"

static_assert((int)ORDO_CUDA_RANKS == (int)ORDO_PEERS_MOST, "a kernel knows as many ranks as there may be");

/* How many messages fit into a box of a rank that owns so many items. Tests have less. */
#ifdef ORDO_CUDA_BOX
extern "C" ordo_u32 ORDO_CUDA_BOX(ordo_u32 owned);
#else
#define ORDO_CUDA_BOX(_owned) (_owned)
#endif

enum { WORDS, BOXES, STAGED, FRONTIER, CHUNKS, MARKS, SHARES, CELLS, QUEUE, GATHER, BLOCKS = GATHER + 2 };
static const double PAGES_LAST = .005; /* seconds of idling behind which a GPU still knows where pages of others are */
enum { MOST_SHIFT = 10 };              /* of chunks in a ring of ranks that do not meet: a million messages in a box */

/* Of the process, which is one rank. */
static void *block[BLOCKS];
static ordo_u64 size[BLOCKS];
static double last_used;                                    /* when a kernel has last used them, or they were touched */
static bool asked_who_sees, all_see, seen[ORDO_CUDA_RANKS]; /* ranks whose memory this GPU sees */

static ordo_status take(const ordo_peers *peers, int which, ordo_u64 bytes)
{
    if (block[which] && size[which] == bytes)
        return ORDO_OK;
    peers->give(block[which]);
    block[which] = NULL;
    const ordo_status status = peers->take(bytes, &block[which]);
    size[which] = status ? 0 : bytes;
    return status;
}

ordo_status ordo_cuda_ranks_see(const ordo_remote *remote, bool *all)
{
    *all = all_see;
    if (asked_who_sees)
        return ORDO_OK;
    ordo_status status = take(remote->peers, WORDS, sizeof(ordo_cuda_words));
    all_see = true;
    for (ordo_u32 r = 0; r < remote->count && !status; r++) {
        seen[r] = r == remote->rank || remote->peers->at(block[WORDS], (int)r);
        all_see = all_see && seen[r];
    }
    if (!status)
        status = ordo_cuda_ranks_all(remote, &all_see);
    asked_who_sees = !status;
    *all = all_see;
    return status;
}

/* The address of byte `at` of a block of another rank, whose memory this GPU must see. */
static ordo_status address(const ordo_remote *remote, int which, ordo_u64 at, ordo_u32 rank, void **out)
{
    void *const base = rank == remote->rank ? block[which] : remote->peers->at(block[which], (int)rank);
    *out = (ordo_u8 *)base + at;
    return base ? ORDO_OK
                : ordo_fail(ORDO_ERR_DEVICE,
                            "device 'cuda': the GPU of rank %u does not see the memory of that of rank %u",
                            remote->rank, rank);
}

static ordo_status clear(int which, ordo_u64 bytes)
{
    return ordo_cuda_failed(cudaMemset(block[which], 0, bytes), "clearing words that ranks share");
}

/* The parts of ranks, the most cells that a rank owns as `capacity`, and the words. `job`: NULL where items are
 * targets.
 */
static ordo_status begin(const ordo_remote *remote, const ordo_job *job, ordo_cuda_ranks *out)
{
    *out = ordo_cuda_ranks{};
    out->rank = remote->rank;
    out->count = remote->count;
    for (ordo_u32 r = 0; r <= remote->count; r++)
        out->begin[r] = remote->begin[r];
    out->first = out->begin[out->rank];
    out->owned = out->begin[out->rank + 1] - out->first;
    for (ordo_u32 r = 0; r <= remote->count; r++)
        out->first_target[r] = job && !job->op->activates ? (ordo_u32)ordo_targets_before(job, r) : out->begin[r];
    for (ordo_u32 r = 0; r < remote->count; r++) {
        const ordo_u32 room = ORDO_CUDA_BOX(out->first_target[r + 1] - out->first_target[r]);
        out->capacity = room > out->capacity ? room : out->capacity;
    }
    bool all;
    ordo_status status = ordo_cuda_ranks_see(remote, &all); /* takes the words, too */
    for (ordo_u32 r = 0; r < remote->count && !status; r++)
        status = address(remote, WORDS, 0, seen[r] ? r : out->rank, (void **)&out->words[r]);
    return status;
}

void ordo_cuda_ranks_touch(const ordo_remote *remote)
{
    if (ordo_seconds() < last_used + PAGES_LAST)
        return;
    last_used = ordo_seconds();
    for (int which = 0; which < BLOCKS; which++)
        for (ordo_u32 r = 0; r < remote->count && block[which]; r++)
            if (r != remote->rank && seen[r])
                ordo_read_pages(remote->peers->at(block[which], (int)r), size[which]);
}

/* What this rank's host may have to carry for the next kernel. */
static ordo_cuda_cargo cargo_of(const ordo_remote *remote, const ordo_cuda_ranks *ranks)
{
    ordo_cuda_cargo cargo = {};
    cargo.peers = remote->peers;
    cargo.rank = ranks->rank;
    cargo.count = ranks->count;
    cargo.seen = seen;
    cargo.words = (ordo_cuda_words *)block[WORDS];
    return cargo;
}

/* Last of what makes a run ready: all ranks wait for each other behind it. */
static ordo_status carry(const ordo_remote *remote, const ordo_cuda_cargo *cargo, ordo_cuda_ranks *out)
{
    ordo_status status = ordo_cuda_carry_begin(cargo, &out->carried);
    if (!status)
        status = clear(WORDS, sizeof(ordo_cuda_words));
    return status ? status : ordo_cuda_ranks_meet(remote);
}

ordo_status ordo_cuda_ranks_meet(const ordo_remote *remote)
{
    const ordo_u64 none = 0;
    ordo_u64 all[ORDO_CUDA_RANKS];
    const ordo_status status = ordo_cuda_failed(cudaDeviceSynchronize(), "waiting for other ranks");
    return status ? status : ordo_group_collect(remote->group, &none, 1, all);
}

ordo_status ordo_cuda_ranks_all(const ordo_remote *remote, bool *all)
{
    const ordo_u64 mine = *all;
    ordo_u64 words[ORDO_CUDA_RANKS];
    const ordo_status status = ordo_group_collect(remote->group, &mine, 1, words);
    for (ordo_u32 r = 0; r < remote->count && !status; r++)
        *all = *all && words[r];
    return status;
}

ordo_status ordo_cuda_ranks_share_cells(ordo_cuda *c, size_t cell)
{
    const ordo_u64 bytes = (ordo_u64)c->job->targets * cell;
    ordo_status status = take(c->job->remote->peers, CELLS, bytes);
    if (!status) /* ahead of the kernel, on its stream; others store behind the first meeting of kernels */
        status = ordo_cuda_failed(cudaMemcpyAsync(block[CELLS], c->cells, bytes, cudaMemcpyDeviceToDevice, 0),
                                  "copying cells to where all ranks see them");
    if (!status) {
        c->cells_apart = c->cells;
        c->cells = block[CELLS];
    }
    return status;
}

ordo_status ordo_cuda_ranks_unshare_cells(ordo_cuda *c, size_t cell)
{
    ordo_u64 first, end;
    ordo_job_owned_range(c->job, c->job->op->activates, &first, &end);
    void *const to = (ordo_u8 *)c->cells_apart + first * cell;
    const void *const from = (const ordo_u8 *)c->cells + first * cell;
    c->cells = c->cells_apart;
    return ordo_cuda_failed(cudaMemcpy(to, from, (end - first) * cell, cudaMemcpyDeviceToDevice),
                            "copying cells from where all ranks see them");
}

ordo_status ordo_cuda_ranks_make(ordo_cuda *c, size_t message, bool frontier, ordo_cuda_ranks *out)
{
    const ordo_remote *const remote = c->job->remote;
    const ordo_u64 bits = ((ordo_u64)c->job->targets / 32 + 1) * sizeof(ordo_u32);
    ordo_status status = begin(remote, c->job, out);
    out->cells = c->cells;
    const ordo_u64 box = (ordo_u64)out->capacity * message, boxes = box * remote->count;
    if (!status)
        status = take(remote->peers, BOXES, 2 * boxes);
    if (!status && !all_see)
        status = take(remote->peers, STAGED, 2 * boxes);
    if (!status && frontier)
        status = take(remote->peers, FRONTIER, 2 * bits);
    if (!status && !(out->spill = (ordo_u32 *)ordo_cuda_alloc(c, bits, 1, true))) /* no other rank sees it */
        status = ORDO_ERR_MEMORY;
    for (ordo_u32 r = 0; r < remote->count && !status; r++)
        for (ordo_u64 i = 0; i < 2 && !status; i++) {
            status = seen[r] ? address(remote, BOXES, i * boxes + remote->rank * box, r, &out->box[i][r])
                             : address(remote, STAGED, i * boxes + r * box, remote->rank, &out->box[i][r]);
            if (!status && frontier)
                status = address(remote, FRONTIER, i * bits, seen[r] ? r : remote->rank, (void **)&out->frontier[i][r]);
        }
    for (ordo_u32 r = 0; r < remote->count && !status && c->cells == block[CELLS]; r++)
        status = address(remote, CELLS, 0, r, &out->cells_at[r]);
    if (status)
        return status;
    ordo_cuda_cargo cargo = cargo_of(remote, out);
    for (int i = 0; i < 2; i++) {
        out->mail[i] = (ordo_u8 *)block[BOXES] + (ordo_u64)i * boxes;
        cargo.array[i] = frontier ? (ordo_u8 *)block[FRONTIER] + (ordo_u64)i * bits : NULL;
    }
    cargo.mail = (ordo_u8 *)block[BOXES];
    cargo.staged = all_see ? NULL : (ordo_u8 *)block[STAGED];
    cargo.capacity = out->capacity;
    cargo.message = message;
    cargo.at = out->first / 32 * sizeof(ordo_u32);
    cargo.bytes = frontier ? ((ordo_u64)out->owned + 31) / 32 * sizeof(ordo_u32) : 0;
    return carry(remote, &cargo, out);
}

ordo_status ordo_cuda_ghosts_make(ordo_cuda *c, size_t share, ordo_cuda_ranks *ranks, ordo_cuda_ghosts *out)
{
    enum { LINE = 128 };
    const ordo_remote *const remote = c->job->remote;
    const ordo_u64 bytes = (c->in.n * share / LINE + 1) * LINE;
    *out = ordo_cuda_ghosts{};
    ordo_status status = begin(remote, NULL, ranks);
    if (!status)
        status = take(remote->peers, SHARES, 2 * bytes);
    for (ordo_u32 r = 0; r < remote->count && !status; r++) {
        void *there;
        status = address(remote, SHARES, 0, seen[r] ? r : remote->rank, &there);
        out->away[r] = (size_t)there - (size_t)block[SHARES];
    }
    if (!status)
        status = ordo_cuda_readers(c, out);
    if (status)
        return status;
    ordo_cuda_cargo cargo = cargo_of(remote, ranks);
    for (int i = 0; i < 2; i++) {
        out->share[i] = (ordo_u8 *)block[SHARES] + (ordo_u64)i * bytes;
        cargo.array[i] = (ordo_u8 *)out->share[i];
    }
    cargo.at = ranks->first * share;
    cargo.bytes = ranks->owned * share;
    return carry(remote, &cargo, ranks);
}

ordo_status ordo_cuda_boxes_make(ordo_cuda *c, size_t message, ordo_cuda_ranks *ranks, ordo_cuda_boxes *out)
{
    const ordo_remote *const remote = c->job->remote;
    *out = ordo_cuda_boxes{};
    ordo_status status = begin(remote, NULL, ranks);
    while (out->shift < MOST_SHIFT && (ordo_u64)ORDO_CUDA_CHUNK * ORDO_CUDA_RINGS << out->shift < ranks->capacity)
        out->shift++;
    const ordo_u64 chunks = (ordo_u64)ORDO_CUDA_RINGS << out->shift, box = chunks * ORDO_CUDA_CHUNK * message;
    const ordo_u64 words = chunks * sizeof(ordo_u64), all = words * remote->count;
    if (!status)
        status = take(remote->peers, CHUNKS, box * remote->count);
    if (!status)
        status = take(remote->peers, MARKS, 2 * all);
    for (ordo_u32 r = 0; r < remote->count && !status; r++) {
        status = address(remote, CHUNKS, remote->rank * box, r, &out->box[r]);
        if (!status)
            status = address(remote, MARKS, remote->rank * words, r, (void **)&out->filled_at[r]);
        if (!status)
            status = address(remote, MARKS, all + remote->rank * words, r, (void **)&out->freed_at[r]);
    }
    if (status)
        return status;
    out->mail = block[CHUNKS];
    out->filled = (ordo_u64 *)block[MARKS];
    out->freed = (ordo_u64 *)block[MARKS] + remote->count * chunks;
    out->side =
        (ordo_cuda_side *)ordo_cuda_alloc(c, (ordo_u64)remote->count * ORDO_CUDA_RINGS, sizeof *out->side, true);
    if (!out->side)
        return ORDO_ERR_MEMORY;
    status = clear(WORDS, sizeof(ordo_cuda_words));
    if (!status)
        status = clear(MARKS, 2 * all);
    return status ? status : ordo_cuda_ranks_meet(remote);
}

ordo_status ordo_cuda_ranks_map(const ordo_remote *remote, ordo_u64 bytes, ordo_cuda_ranks *ranks, void **at)
{
    ordo_status status = begin(remote, NULL, ranks);
    if (!status && size[QUEUE] < bytes) /* the same in all ranks */
        status = take(remote->peers, QUEUE, bytes);
    for (ordo_u32 r = 0; r < remote->count && !status; r++)
        status = address(remote, QUEUE, 0, r, &at[r]);
    if (!status)
        status = clear(WORDS, sizeof(ordo_cuda_words));
    return status ? status : clear(QUEUE, bytes);
}

/* By a host: copies what rank `r` has at byte `at` of its block to `here`, by way of the second half of this rank's. */
static ordo_status get(const ordo_remote *remote, int which, ordo_u64 at, ordo_u32 r, void *here, ordo_u64 bytes)
{
    void *const landing = (ordo_u8 *)block[which] + size[which] / 2;
    remote->peers->get(landing, (ordo_u8 *)block[which] + at, bytes, (int)r);
    const ordo_status status =
        ordo_cuda_failed(cudaMemcpyAsync(here, landing, bytes, cudaMemcpyDeviceToDevice, 0), "copying between GPUs");
    return status ? status : ordo_cuda_failed(cudaDeviceSynchronize(), "copying between GPUs");
}

/* The place of an array's parts in a block: that of the largest one. */
static ordo_u64 place_of(const ordo_remote *remote, const ordo_parted *a)
{
    ordo_u64 most = 0;
    for (ordo_u32 r = 0; r < remote->count; r++)
        most = a->at[r + 1] - a->at[r] > most ? a->at[r + 1] - a->at[r] : most;
    return (most * a->unit + 15) / 16 * 16;
}

/* Copies this rank's parts of arrays into its block, or those of another one from there. */
static ordo_status copy_parts(const ordo_remote *remote, int which, ordo_u32 r, const ordo_parted *arrays, int count)
{
    ordo_status status = ORDO_OK;
    ordo_u64 at = 0;
    for (int i = 0; i < count && !status; at += place_of(remote, &arrays[i++])) {
        const ordo_parted *const a = &arrays[i];
        ordo_u8 *const here = (ordo_u8 *)a->array + a->at[r] * a->unit;
        const ordo_u64 bytes = (a->at[r + 1] - a->at[r]) * a->unit;
        void *there;
        if (!bytes)
            continue;
        if (!seen[r]) {
            status = get(remote, which, at, r, here, bytes);
            continue;
        }
        status = address(remote, which, at, r, &there);
        if (!status)
            status =
                ordo_cuda_failed(r == remote->rank ? cudaMemcpyAsync(there, here, bytes, cudaMemcpyDeviceToDevice, 0)
                                                   : cudaMemcpyAsync(here, there, bytes, cudaMemcpyDeviceToDevice, 0),
                                 "copying between GPUs");
    }
    return status;
}

/* A rank copies what it has into a block that all see, and behind a meeting what the others have from theirs. Blocks
 * take turns: one is written again behind the meeting of the next call, when all have copied from it. */
ordo_status ordo_cuda_ranks_gather(const ordo_remote *remote, const ordo_parted *arrays, int count)
{
    static int turn;
    const int which = GATHER + (turn++ & 1);
    bool all;
    ordo_u64 bytes = 16;
    for (int i = 0; i < count; i++)
        bytes += place_of(remote, &arrays[i]);
    ordo_status status = ordo_cuda_ranks_see(remote, &all);
    const ordo_u64 wanted = all_see ? bytes : 2 * bytes;
    if (!status && size[which] < wanted)
        status = take(remote->peers, which, wanted);
    if (!status)
        status = copy_parts(remote, which, remote->rank, arrays, count);
    if (!status)
        status = ordo_cuda_ranks_meet(remote);
    for (ordo_u32 i = 1; i < remote->count && !status; i++) /* ranks begin with different ones */
        status = copy_parts(remote, which, (remote->rank + i) % remote->count, arrays, count);
    return status ? status : ordo_cuda_failed(cudaDeviceSynchronize(), "copying between GPUs");
}

ordo_status ordo_cuda_ranks_result(ordo_remote *remote, float *milliseconds)
{
    ordo_cuda_words words;
    const ordo_status status =
        ordo_cuda_failed(cudaMemcpy(&words, block[WORDS], sizeof words, cudaMemcpyDeviceToHost), "copying counts");
    if (status)
        return status;
    last_used = ordo_seconds();
    remote->messages = words.messages;
    *milliseconds = (float)(1e-6 * (double)words.nanoseconds);
    return ORDO_OK;
}
