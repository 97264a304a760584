/* lock_server/cpu.h -- on the CPU: every update is sent to the server that owns its target.
 *
 * Problem. Threads that update the same words contend for their cache lines, and for the locks beside them.
 *
 * Method (Wang, Fussell and Lin, ASPLOS 2019). Clients process items in FIFO order and send each update as a message to
 * the server that owns its target; only that server accesses the target. A server is one thread, so critical sections
 * run one after another without locks, except for those with two targets (locks.h). By default every thread is client
 * and server, as in the paper's maximum flow: it serves what has arrived, then processes a chunk of its own items;
 * items that it activates as a server go to its own worklist. With separate servers, these send what they activate to
 * clients. ring.h has the protocol, termination, and why no member waits for ever.
 *   An iteration of a member: serve everything that has arrived; process a chunk of items; publish.
 *
 * Does not: order items by priority (see inbox); move targets to another owner while it runs.
 *
 * A template; expects ORDO_OP and <ordo/scheduler/cpu.h> instantiated for it.
 */
#include "tunables.h"

#include <string.h>

#include "locks.h"
#include "ring.h"

/* What profilers show carries the operator's name. */
#define lock_server_work ORDO_OP_NAME(lock_server_work)

/* W1: whether there is a free place for one more message. */
ORDO_INLINE bool server_has_place(server_writer *writer, const server_ring *ring, ordo_u32 size)
{
    if (writer->next - writer->read < size)
        return true;
    writer->read = __atomic_load_n(&ring->read, __ATOMIC_ACQUIRE);
    return writer->next - writer->read < size;
}
/* W3 without the netting. */
ORDO_INLINE void server_publish(server_writer *writer, server_ring *ring)
{
    writer->published = writer->next;
    __atomic_store_n(&ring->write, writer->next, __ATOMIC_RELEASE);
}
/* R1: the number of messages that have arrived. */
ORDO_INLINE ordo_u32 server_arrived(const server_ring *ring)
{
    return __atomic_load_n(&ring->write, __ATOMIC_ACQUIRE) - ring->read;
}
/* R3 */
ORDO_INLINE void server_give_back(server_ring *ring, ordo_u32 count)
{
    __atomic_store_n(&ring->read, ring->read + count, __ATOMIC_RELEASE);
}
ORDO_INLINE ordo_u32 server_floor(double asked)
{
    ordo_u32 power = 1;
    while (2 * (double)power <= asked)
        power *= 2;
    return power;
}

#if ORDO_OP_KIND != ORDO_KIND_CRITICAL
typedef op_entry lock_server_message;
#else
typedef op_request lock_server_message;
#endif

/* Shared by the members. Rings are [to][from], their places [to][from][size]. */
typedef struct lock_server_run {
    ordo_job *job;
    server_map map;
    ordo_u32 servers, clients, first_client; /* servers are members 0 .., clients members first_client .. */
    ordo_u32 size;                           /* places of a ring of messages or entries */
    server_ring *ring, *back;                /* from clients to servers; with separate servers also from servers to
                                                clients */
    lock_server_message *slot;
    op_entry *back_slot;
    bool combine, halves;
    /* operators with two targets: LOCK, REPLY, UNLOCK [channel][to][from], of `credit` words; or second halves, of
     * `size` requests */
    server_ring *channel, *second;
    server_word *word;
    op_request *second_slot;
    ordo_u32 credit, lock_bits;
    ordo_u64 padding0[8];
    ordo_u64 pending;
    ordo_u64 padding1[7];
    ordo_u64 taken; /* number of initial items taken */
    ordo_u64 padding2[7];
} lock_server_run;

/* State of a member. */
typedef struct lock_server_member {
    lock_server_run *run;
    ordo_job *job;
    ordo_u32 index, server, client; /* number as server, as client; SERVER_NONE: it is none */
    ordo_u64 balance;               /* things made less things finished since it last netted, modulo 2^64 */
    server_writer *to;              /* [servers] for messages as a client */
    server_writer *to_client;       /* [clients] for entries as a separate server */
    ordo_u32 next_client;           /* number of the client that gets the next entry */
    ordo_bin fifo;                  /* the worklist: entries from `head` on */
    ordo_u64 head;
    op_entry *batch;               /* [chunk] */
    lock_server_message *combined; /* [size] */
    ordo_u32 *combine_at;          /* [SERVER_COMBINE] */
    server_writer *to_server;      /* [SERVER_CHANNELS][servers], or [servers] of second halves */
    ordo_bin *spill;               /* [servers] second halves that found their ring full */
    ordo_u64 spilled;
    server_lock *lock; /* [1 << lock_bits] */
    ordo_bin place;    /* of server_place */
    ordo_u32 free_place, released, set_aside;
    ordo_counters count;
} lock_server_member;

/* ---- things ---- */

ORDO_INLINE void lock_server_net(lock_server_member *me)
{
    if (me->balance)
        __atomic_fetch_add(&me->run->pending, me->balance, __ATOMIC_RELEASE);
    me->balance = 0;
}

ORDO_INLINE void lock_server_publish(lock_server_member *me, server_writer *writer, server_ring *ring)
{
    if (writer->next == writer->published)
        return;
    lock_server_net(me);
    server_publish(writer, ring);
}

/* Waits for a moment. Member 0 polls for cancellation and the time limit while it waits, too. */
ORDO_INLINE void lock_server_wait(lock_server_member *me, int round)
{
    if (me->index == 0 && round % 16 == 15) /* a yield may take long */
        ordo_job_poll(me->job, __atomic_load_n(&me->run->pending, __ATOMIC_RELAXED));
    if (round < 64)
        ordo_pause();
    else
        ordo_yield();
}

/* The sink of activations: appends one to the member's worklist. */
ORDO_INLINE void lock_server_keep(void *arg, op_entry entry)
{
    lock_server_member *me = (lock_server_member *)arg;
    if (__builtin_expect(me->fifo.count == me->fifo.capacity, 0) && me->head > me->fifo.capacity / 2) {
        me->fifo.count -= me->head;
        memmove(me->fifo.data, (op_entry *)me->fifo.data + me->head, me->fifo.count * sizeof entry);
        me->head = 0;
    }
    op_append(me->job, &me->fifo, entry);
    me->balance++;
}

#if ORDO_OP_KIND != ORDO_KIND_CRITICAL
#include "serve_relax.h"
#else
#include "serve_critical.h"
#endif

/* Serves everything that has arrived for this server; returns whether anything had. */
ORDO_NOINLINE bool lock_server_serve(lock_server_member *me)
{
    const lock_server_run *run = me->run;
    if (me->server == SERVER_NONE)
        return false;
    bool any = lock_server_serve_servers(me);
    for (ordo_u32 k = 0; k < run->clients; k++) {
        const ordo_u32 client = (me->index + k) % run->clients;
        server_ring *ring = &run->ring[me->server * run->clients + client];
        const lock_server_message *slot = run->slot + ((ordo_u64)me->server * run->clients + client) * run->size;
        ordo_u32 count = server_arrived(ring);
        if (!count)
            continue;
        count = run->combine ? lock_server_serve_combined(me, slot, ring->read, count)
                             : lock_server_serve_messages(me, slot, ring->read, count);
        server_give_back(ring, count);
        any = any || count;
    }
    lock_server_publish_servers(me);
    return any;
}

/* ---- clients ---- */

/* W1 if the ring is full: waits for a free place; false if the run ends early. */
ORDO_NOINLINE bool lock_server_wait_for_place(lock_server_member *me, ordo_u32 server, server_ring *ring)
{
    server_writer *writer = &me->to[server];
    lock_server_publish(me, writer, ring);
    for (int round = 0; !server_has_place(writer, ring, me->run->size); round++) {
        if (ordo_job_stopped(me->job))
            return false;
        if (lock_server_serve(me)) {
            round = 0;
            continue;
        }
        ordo_set_state(me->job, (int)me->index, ORDO_WAITING);
        lock_server_wait(me, round);
        ordo_set_state(me->job, (int)me->index, ORDO_BUSY);
    }
    return true;
}

/* W1 to W3. Messages to the member's own server are served at once. */
ORDO_INLINE void lock_server_send(lock_server_member *me, ordo_u32 server, lock_server_message message)
{
    const lock_server_run *run = me->run;
    if (server == me->server) {
        lock_server_serve_own(me, &message);
        return;
    }
    server_writer *writer = &me->to[server];
    const ordo_u64 at = (ordo_u64)server * run->clients + me->client;
    if (!server_has_place(writer, &run->ring[at], run->size) && !lock_server_wait_for_place(me, server, &run->ring[at]))
        return;
    run->slot[at * run->size + (writer->next & (run->size - 1))] = message;
    writer->next++;
    me->balance++;
    if (writer->next - writer->published >= SERVER_BUFFER)
        lock_server_publish(me, writer, &run->ring[at]);
}

ORDO_INLINE void lock_server_publish_all(lock_server_member *me)
{
    const lock_server_run *run = me->run;
    for (ordo_u32 server = 0; server < run->servers; server++)
        lock_server_publish(me, &me->to[server], &run->ring[server * run->clients + me->client]);
}

#if ORDO_OP_KIND != ORDO_KIND_CRITICAL

/* The sink of op_expand: a candidate that would improve its target. */
ORDO_INLINE void lock_server_offer(void *arg, op_entry candidate)
{
    lock_server_member *me = (lock_server_member *)arg;
    lock_server_send(me, server_owner(&me->run->map, candidate.item), candidate);
}

ORDO_INLINE void lock_server_process(lock_server_member *me, const ordo_rows *rows, ordo_u64 size)
{
    op_expand(me->job, rows, me->batch, size, &me->count, ORDO_SYNC_SERVER, lock_server_offer, me);
}

#else

ORDO_INLINE void lock_server_process(lock_server_member *me, const ordo_rows *rows, ordo_u64 size)
{
    (void)rows;
    for (ordo_u64 i = 0; i < size && ordo_go_on(me->job, &me->count, op_requests); i++) {
        op_request request[op_requests];
        ordo_eid unit, end = op_units((const op_state *)me->job->state, me->batch[i].item, &unit);
        if (op_expands)
            ORDO_COUNT(me->count.items++);
        for (; unit < end; unit++) {
            const ordo_u32 count = op_prepare_unit((const op_state *)me->job->state, me->batch[i].item, unit, request);
            if (!op_expands)
                ORDO_COUNT(me->count.items++);
            ORDO_COUNT(me->count.edges += count);
            for (ordo_u32 k = 0; k < count; k++)
                if (op_hands_edges && request[k].targets == 0) /* an activation, for which no server is needed */
                    lock_server_run_commit(me, &request[k]);
                else
                    lock_server_send(me, lock_server_home(me->run, &request[k]), request[k]);
        }
    }
}

#endif

/* With separate servers: appends the entries that servers have sent to this client to its worklist. */
ORDO_INLINE void lock_server_fetch(lock_server_member *me)
{
    const lock_server_run *run = me->run;
    for (ordo_u32 server = 0; server < run->servers; server++) {
        const ordo_u64 at = (ordo_u64)me->client * run->servers + server;
        server_ring *ring = &run->back[at];
        const ordo_u32 count = server_arrived(ring);
        for (ordo_u32 i = 0; i < count; i++) {
            lock_server_keep(me, run->back_slot[at * run->size + ((ring->read + i) & (run->size - 1))]);
            me->balance--; /* the same thing has moved: `keep` has counted it again */
        }
        if (count)
            server_give_back(ring, count);
    }
}

/* Takes the next chunk of items, initial ones first; returns their number. */
ORDO_INLINE ordo_u64 lock_server_take(lock_server_member *me, ordo_u64 chunk)
{
    lock_server_run *run = me->run;
    ordo_job *job = me->job;
    if (__atomic_load_n(&run->taken, __ATOMIC_RELAXED) < job->initial_count) {
        const ordo_u64 begin = __atomic_fetch_add(&run->taken, chunk, __ATOMIC_RELAXED);
        const ordo_u64 left = begin < job->initial_count ? job->initial_count - begin : 0;
        const ordo_u64 size = left < chunk ? left : chunk;
        for (ordo_u64 i = 0; i < size; i++)
            me->batch[i] = op_entry_now(job, op_initial(job, begin + i));
        if (size)
            return size;
    }
    if (run->back && me->head == me->fifo.count)
        lock_server_fetch(me);
    const ordo_u64 left = me->fifo.count - me->head, size = left < chunk ? left : chunk;
    if (!size)
        return 0;
    memcpy(me->batch, (const op_entry *)me->fifo.data + me->head, size * sizeof(op_entry));
    me->head += size;
    if (me->head == me->fifo.count)
        me->head = me->fifo.count = 0;
    return size;
}

/* ---- separate servers ---- */

/* Sends entries of the server's worklist to clients whose rings have free places, round-robin; returns whether there
 * were any. */
ORDO_INLINE bool lock_server_distribute(lock_server_member *me, ordo_u64 chunk)
{
    const lock_server_run *run = me->run;
    bool any = false;
    for (ordo_u32 k = 0; k < run->clients && me->head < me->fifo.count; k++) {
        const ordo_u32 client = me->next_client;
        const ordo_u64 at = (ordo_u64)client * run->servers + me->server;
        server_writer *writer = &me->to_client[client];
        me->next_client = (client + 1) % run->clients;
        for (ordo_u64 i = 0; i < chunk && me->head < me->fifo.count; i++) {
            if (!server_has_place(writer, &run->back[at], run->size))
                break;
            run->back_slot[at * run->size + (writer->next & (run->size - 1))] =
                ((const op_entry *)me->fifo.data)[me->head++];
            writer->next++;
            any = true;
        }
        lock_server_publish(me, writer, &run->back[at]);
    }
    if (me->head == me->fifo.count)
        me->head = me->fifo.count = 0;
    return any;
}

/* ---- members ---- */

static bool lock_server_make_member(lock_server_run *run, int index, lock_server_member *me)
{
    const ordo_u32 i = (ordo_u32)index;
    *me = (lock_server_member){.run = run,
                               .job = run->job,
                               .index = i,
                               .server = i < run->servers ? i : SERVER_NONE,
                               .client = i >= run->first_client ? i - run->first_client : SERVER_NONE,
                               .free_place = SERVER_NONE,
                               .released = SERVER_NONE};
    me->to = (server_writer *)ordo_alloc_zero(run->servers, sizeof *me->to);
    me->to_client = (server_writer *)ordo_alloc_zero(run->back ? run->clients : 0, sizeof *me->to_client);
    me->batch = (op_entry *)ordo_alloc((ordo_u64)run->job->tunable[SERVER_CHUNK], sizeof *me->batch);
    me->combined = (lock_server_message *)ordo_alloc(run->combine ? run->size : 0, sizeof *me->combined);
    me->combine_at = (ordo_u32 *)ordo_alloc_zero(run->combine ? SERVER_COMBINE : 0, sizeof *me->combine_at);
    return me->to && me->to_client && me->batch && me->combined && me->combine_at && lock_server_make_server(me);
}

static void lock_server_free_member(lock_server_member *me)
{
    lock_server_free_server(me);
    ordo_bin_free(me->job, &me->fifo, sizeof(op_entry));
    ordo_free(me->to);
    ordo_free(me->to_client);
    ordo_free(me->batch);
    ordo_free(me->combined);
    ordo_free(me->combine_at);
}

ORDO_NOINLINE void lock_server_work(void *arg, int index)
{
    lock_server_run *run = (lock_server_run *)arg;
    ordo_job *job = run->job;
    const ordo_rows rows = ordo_rows_of(job->out, op_weight_type);
    const ordo_u64 chunk = (ordo_u64)job->tunable[SERVER_CHUNK];
    const int patience = job->threads > ordo_cores() ? 2 : 64;
    lock_server_member me;
    if (!lock_server_make_member(run, index, &me))
        ordo_job_fail(job, ORDO_ERR_MEMORY);

    ordo_count_from(job, index, &me.count, NULL, 0, NULL);
    double busy_since = ORDO_CLOCK(job);
    int idle = 0;
    for (ordo_u64 turns = 0; !ordo_job_stopped(job); turns++) {
        bool busy = lock_server_serve(&me);
        const ordo_u64 size = me.client == SERVER_NONE ? 0 : lock_server_take(&me, chunk);
        if (size) {
            if (idle > 1)
                busy_since = ordo_go_to_work(job, index);
            idle = 0;
            lock_server_process(&me, &rows, size);
            me.balance -= size;
            lock_server_publish_all(&me);
            lock_server_publish_servers(&me);
        } else if (run->back && me.client == SERVER_NONE) {
            busy = lock_server_distribute(&me, chunk) || busy;
        }
        if (index == 0) {
            job->supersteps += size || busy || !turns;
            if (turns % 16 == 0) {
                const ordo_u64 pending = __atomic_load_n(&run->pending, __ATOMIC_RELAXED);
                ordo_job_poll(job, pending);
                if (size || busy || !turns)
                    ORDO_COUNT(ordo_job_sample(job, pending, job->supersteps, 0, run->servers, -1));
            }
        }
        if (turns % 64 == 0)
            ordo_publish_counters(job, index, &me.count);
        if (size || busy) {
            if (idle > 1)
                busy_since = ordo_go_to_work(job, index);
            idle = 0;
            continue;
        }
        lock_server_net(&me);
        if (__atomic_load_n(&run->pending, __ATOMIC_ACQUIRE) == 0)
            break;
        if (++idle == 2)
            ordo_stop_work(job, index, &me.count, busy_since);
        if (idle >= patience)
            ordo_yield();
        else
            ordo_pause();
    }
    if (idle < 2)
        me.count.work_seconds += ORDO_CLOCK(job) - busy_since;
    ordo_count_to(job, index, &me.count);
    lock_server_free_member(&me);
}

/* Chooses the servers: all members, or one of every 1 + ratio. */
static void lock_server_choose_roles(const ordo_job *job, lock_server_run *run)
{
    const ordo_u32 threads = (ordo_u32)job->threads;
    run->servers = run->clients = threads;
    run->first_client = 0;
    if ((int)job->tunable[SERVER_ROLES] != 2 || threads < 2)
        return;
    const double ratio = job->tunable[SERVER_RATIO] > 0 ? job->tunable[SERVER_RATIO] : 1;
    run->servers = (ordo_u32)((double)threads / (1 + ratio) + 0.5);
    run->servers = run->servers < 1 ? 1 : run->servers > threads - 1 ? threads - 1 : run->servers;
    run->first_client = run->servers;
    run->clients = threads - run->servers;
}

static ordo_status lock_server_choose_owners(ordo_job *job, lock_server_run *run)
{
    run->map.servers = run->servers;
    run->map.hashed = (int)job->tunable[SERVER_PARTITION] == 1;
    if ((int)job->tunable[SERVER_PARTITION] == 2)
        return ordo_job_need_partition(job, run->servers, &run->map.of);
    /* The targets of a cache line have one owner, unless there are so few that some servers would have none. */
    double grain = job->tunable[SERVER_GRAIN] > 0 ? job->tunable[SERVER_GRAIN] : 64.0 / lock_server_target_bytes;
    while (job->tunable[SERVER_GRAIN] == 0 && grain > 1 && grain * 4 * run->servers > (double)job->targets)
        grain /= 2;
    while ((ordo_u32)2 << run->map.shift <= (ordo_u32)grain)
        run->map.shift++;
    return ORDO_OK;
}

/* For the trace: items that wait or are processed, and messages that are not served. */
static void lock_server_probe(const void *arg, ordo_probed *out)
{
    out->in_flight = __atomic_load_n(&((const lock_server_run *)arg)->pending, __ATOMIC_RELAXED);
}

static ordo_status lock_server_run_job(ordo_job *job)
{
    lock_server_run run = {.job = job, .pending = job->initial_count};
    lock_server_choose_roles(job, &run);
    ordo_status status = lock_server_choose_owners(job, &run);
    if (!status)
        status = lock_server_choose_forms(job, &run);
    if (status)
        return status;
    const ordo_u64 rings = (ordo_u64)run.servers * run.clients;
    const bool apart = run.first_client > 0 && op_activates;
    run.size = server_floor(job->tunable[SERVER_RING] / run.clients);
    run.ring = (server_ring *)ordo_alloc_zero(rings, sizeof *run.ring);
    run.slot = (lock_server_message *)ordo_alloc(rings * run.size, sizeof *run.slot);
    run.back = apart ? (server_ring *)ordo_alloc_zero(rings, sizeof *run.back) : NULL;
    run.back_slot = apart ? (op_entry *)ordo_alloc(rings * run.size, sizeof *run.back_slot) : NULL;
    status = run.ring && run.slot && (!apart || (run.back && run.back_slot)) ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        status = lock_server_make_channels(&run);
    if (!status) {
        const long long bytes =
            (long long)(rings * run.size * (sizeof *run.slot + (apart ? sizeof *run.back_slot : 0)));
        ordo_job_account(job, bytes);
        ordo_job_probe(job, lock_server_probe, &run);
        ordo_team_run(job->team, lock_server_work, &run);
        ordo_job_probe(job, NULL, NULL);
        ordo_job_account(job, -bytes);
    }
    lock_server_free_channels(&run);
    ordo_free(run.ring);
    ordo_free(run.slot);
    ordo_free(run.back);
    ordo_free(run.back_slot);
    return status;
}

ORDO_CPU_INSTANCE(lock_server, lock_server_run_job)
