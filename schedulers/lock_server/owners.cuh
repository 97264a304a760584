/* lock_server/owners.cuh -- which block of a GPU owns a target.
 *
 * The owner of a target follows from the target's *number*. Runs of 1 << log consecutive numbers are assigned
 * round-robin: run % servers is the server, and the numbers of its runs, one after the other, are those that its
 * targets have there (server_split, server_join). A run is a single number; but where words are in the servers' shared
 * memory it is eight numbers, since words are copied in at the beginning and back at the end by sectors of 32 bytes, of
 * which a server would otherwise have one word.
 *
 * With partition=round-robin the number is the target itself, and needs no table. Otherwise there are two tables, made
 * on the host before a run: by hash; by the parts of a graph that METIS finds; or round-robin, except for the targets
 * that a sample finds most often in requests (partition=auto). These get the first numbers of every server, so that
 * each has as many of them, and are exchanged with the targets that have these numbers. Where every server has many of
 * the requested targets, round-robin distributes them evenly enough, and tables are not worth a look-up per request.
 *
 * Not done: moving targets during a run.
 */
#ifndef SERVER_OWNERS_ONCE
#define SERVER_OWNERS_ONCE

#include <ordo/memory.h>

enum {
    SERVER_DEALT = 64,    /* most hot targets of a server for partition=auto: with more, look-ups cost as much as an
                             even distribution gains (measured) */
    SERVER_RUN_LOG = 3,   /* log2 of the words in a sector of 32 bytes */
    SERVER_BY_SAMPLE = 0, /* the value `auto` of the tunable `partition` */
    SERVER_BY_HASH = 1,
    SERVER_BY_PART = 2,
    SERVER_BY_TURNS = 3,
};

typedef struct server_owners {
    const ordo_u32 *number; /* [targets], or NULL: a target is its own number */
    const ordo_u32 *target; /* [servers * most], SERVER_NONE: no target has that number */
    ordo_u32 servers, most; /* number of servers; numbers of a server, in whole runs */
    ordo_u32 log;           /* log2 of the numbers in a run */
    ordo_u64 targets;
} server_owners;

/* The server of a number, and the number there; and the inverse. */
static __host__ __device__ inline ordo_u32 server_split(const server_owners *o, ordo_u32 number, ordo_u32 *local)
{
    const ordo_u32 run = number >> o->log, round = run / o->servers;
    *local = round << o->log | (number & ((1u << o->log) - 1));
    return run - round * o->servers;
}
static __host__ __device__ inline ordo_u32 server_join(const server_owners *o, ordo_u32 local, ordo_u32 server)
{
    return ((local >> o->log) * o->servers + server) << o->log | (local & ((1u << o->log) - 1));
}

/* By one thread: the number of a target. */
ORDO_DEV ordo_u32 server_number(const server_owners *o, ordo_u32 target)
{
    return o->number ? __ldg(o->number + target) : target;
}
/* By one thread: the target with a number; SERVER_NONE, or a value beyond the targets, if no target has it. */
ORDO_DEV ordo_u32 server_target(const server_owners *o, ordo_u32 number)
{
    return o->target ? __ldg(o->target + number) : number;
}

/* By one thread: the lock of the target with this number at its server, by a hash, so that targets at regular distances
 * do not share a few locks. */
ORDO_DEV ordo_u32 server_lock_of(ordo_u32 local)
{
    static_assert(SERVER_SHARED_LOCKS == 1 << 12, "the upper 12 bits");
    return local * 0x9e3779b1u >> 20;
}

/* By one thread: whether the lock of number a is above that of b: by (slot, server), so that every server has as many
 * low ones as the others. */
ORDO_DEV bool server_above(const server_owners *o, ordo_u32 a, ordo_u32 b)
{
    ordo_u32 here, there;
    const ordo_u32 of = server_split(o, a, &here), other = server_split(o, b, &there);
    const ordo_u32 slot = server_lock_of(here), another = server_lock_of(there);
    return slot != another ? slot > another : of > other;
}

/* ---- the host's part ---- */

/* log2 of the numbers in a run: several if each server has so many targets that runs are distributed evenly. */
static inline ordo_u32 server_run_log(bool near, ordo_u64 targets, ordo_u32 servers)
{
    return near && targets >= (ordo_u64)SERVER_DEALT * servers ? SERVER_RUN_LOG : 0;
}

/* `numbers`, rounded up to whole runs. */
static inline ordo_u32 server_runs(ordo_u64 numbers, ordo_u32 log)
{
    return (ordo_u32)(((numbers - 1) >> log) + 1) << log;
}

/* Assigns numbers to targets in order: each target gets the next number of its server. */
template <typename Owner>
static ordo_status server_count_out(server_owners *o, ordo_u32 *number, ordo_u32 **target, Owner owner)
{
    ordo_u32 *next = (ordo_u32 *)ordo_alloc_zero(o->servers, sizeof *next);
    if (!next)
        return ORDO_ERR_MEMORY;
    o->most = 1;
    for (ordo_u64 t = 0; t < o->targets; t++) {
        const ordo_u32 server = owner((ordo_u32)t);
        number[t] = server_join(o, next[server]++, server);
        o->most = next[server] > o->most ? next[server] : o->most;
    }
    ordo_free(next);
    o->most = server_runs(o->most, o->log);
    const ordo_u64 size = (ordo_u64)o->most * o->servers;
    if (size > ORDO_MAX_VERTICES)
        return ordo_fail(ORDO_ERR_USAGE, "scheduler 'lock_server': parts of very different sizes, the largest of %u",
                         o->most);
    *target = (ordo_u32 *)ordo_alloc(size, sizeof **target);
    if (!*target)
        return ORDO_ERR_MEMORY;
    memset(*target, 255, size * sizeof **target); /* SERVER_NONE */
    for (ordo_u64 t = 0; t < o->targets; t++)
        (*target)[number[t]] = (ordo_u32)t;
    return ORDO_OK;
}

/* The most frequent targets of a sample get the numbers from 0 on. Servers get them in alternating directions, as the
 * first ones are the hottest. */
static inline ordo_status server_deal_out(server_owners *o, const ordo_contention_sample *contention, ordo_u32 *number,
                                          ordo_u32 **target)
{
    const ordo_u64 size = (ordo_u64)o->most * o->servers;
    *target = (ordo_u32 *)ordo_alloc(size, sizeof **target);
    if (!*target)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 t = 0; t < size; t++) {
        (*target)[t] = t < o->targets ? (ordo_u32)t : 0xffffffffu;
        if (t < o->targets)
            number[t] = (ordo_u32)t;
    }
    const ordo_u64 round = (ordo_u64)o->servers << o->log, whole = o->targets / round * round; /* all have as many */
    for (ordo_u64 i = 0; i < contention->count && i < whole; i++) {
        const ordo_u32 row = (ordo_u32)(i / o->servers), column = (ordo_u32)(i % o->servers);
        const ordo_u32 to = server_join(o, row, row & 1 ? o->servers - 1 - column : column);
        const ordo_u32 hot = contention->target[i], from = number[hot], other = (*target)[to];
        number[hot] = to;
        number[other] = from;
        (*target)[to] = hot;
        (*target)[from] = other;
    }
    return ORDO_OK;
}

/* The partition to use: auto distributes hot targets if there are few. */
static inline int server_partition(int asked, const ordo_contention_sample *contention, ordo_u32 servers)
{
    const bool few = contention->targets > 0 && contention->targets < (double)SERVER_DEALT * servers;
    return asked == SERVER_BY_SAMPLE && !few ? (int)SERVER_BY_TURNS : asked;
}

/* The most targets of a server; for hash and parts a limit that is rarely exceeded. */
static inline ordo_u32 server_most(int partition, ordo_u64 targets, ordo_u32 servers, ordo_u32 log)
{
    const ordo_u64 runs = ((targets + (1u << log) - 1) >> log) + servers - 1, even = runs / servers << log;
    return partition == SERVER_BY_HASH || partition == SERVER_BY_PART ? server_runs(even + even / 4 + 64, log)
                                                                      : (ordo_u32)even;
}

/* Makes the owners, by runs of 1 << log numbers; tables are on the device. */
static inline ordo_status server_owners_make(ordo_cuda *c, int partition, ordo_u32 servers, ordo_u32 log,
                                             const ordo_contention_sample *contention, server_owners *o)
{
    const ordo_u64 targets = c->job->targets;
    const ordo_u32 *part = NULL;
    ordo_u32 *target = NULL;
    *o = {};
    o->servers = servers;
    o->targets = targets;
    o->log = log;
    o->most = server_most(partition, targets, servers, log);
    if (partition == SERVER_BY_TURNS || targets == 0)
        return ORDO_OK;
    ordo_status status = ORDO_OK;
    if (partition == SERVER_BY_PART) {
        const double began = ordo_job_seconds(c->job);
        status = ordo_job_need_partition(c->job, servers, &part);
        ordo_job_add_transfer(c->job, began - ordo_job_seconds(c->job)); /* this time counts as preparation */
    }
    ordo_u32 *number = status ? NULL : (ordo_u32 *)ordo_alloc(targets, sizeof *number);
    if (!status && !number)
        status = ORDO_ERR_MEMORY;
    if (!status && partition == SERVER_BY_SAMPLE)
        status = server_deal_out(o, contention, number, &target);
    else if (!status && part)
        status = server_count_out(o, number, &target, [&](ordo_u32 t) { return part[t]; });
    else if (!status)
        status = server_count_out(o, number, &target,
                                  [&](ordo_u32 t) { return (ordo_u32)((ordo_u64)(t * 0x9e3779b1u) * servers >> 32); });
    if (!status &&
        (!(o->number = (const ordo_u32 *)ordo_cuda_copy(c, number, targets, sizeof *number)) ||
         !(o->target = (const ordo_u32 *)ordo_cuda_copy(c, target, (ordo_u64)o->most * servers, sizeof *target))))
        status = ORDO_ERR_MEMORY;
    ordo_free(number);
    ordo_free(target);
    return status;
}

#endif
