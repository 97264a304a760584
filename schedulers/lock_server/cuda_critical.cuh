/* lock_server on a GPU, critical operators: blocks that own targets, and blocks that send them requests.
 *
 * Problem. Run critical sections on shared targets at a high rate where few targets are hot, without atomics on global
 * memory (Wang, Fussell and Lin, ASPLOS 2019, with the changes below). Half of the blocks are servers and own the
 * targets; the others are clients. A sample of the requests, before the run, chooses the form: how many targets are
 * hot, and which.
 *
 * Data structures. Each target has one owner (owners.cuh). Each server has a ring of requests, and for pairs one of
 * second halves, to which many blocks write (message.cuh). Words of targets are in global memory as in the paper, or
 * (data=shared) in the server's shared memory during the run, and are copied back at its end.
 *   cuda_client.cuh   clients
 *   cuda_server.cuh   servers
 *   cuda_chains.cuh   servers that serve by chains
 *   cuda_nested.cuh   isolated pairs
 *   cuda_plan.cuh     the host's choice of a form
 *   this file         what these share, and the kernel
 *
 * Protocol. A superstep takes the items of one list and ends when every request is served; what critical sections
 * activate is the next list. Clients prepare items and send the requests to the owners; where edges are handed row by
 * row, each warp goes through the rows of 32 items at once, and a batch takes up where the one before it ended.
 * Activations that edges ask for (no target) a client puts on the next list itself. All threads of a server work at
 * once; it excludes critical sections of one target from each other
 *   plain    by a lock in shared memory; or by op_dev_try_shared in the target's word, if that is in shared memory.
 *            Where few targets are hot, one lane of a warp tries for a lock at a time
 *   chains   without locks: requests of a batch that are for one target form a chain, by one exchange each; the last
 *            ones of all chains are listed, and a thread runs a whole chain from there, combining if the operator can.
 *            For words in global memory
 * With form=combine clients form such chains, too, and send one message for each, if no request is made more than once.
 * Two targets: in two halves (ORDO_CRITICAL_FIRST), the second by a message from the first one's server to the other's,
 * so that no lock is held across a message; or isolated, see cuda_nested.cuh.
 *
 * Termination. No cycle of waiting blocks: clients wait for places in rings of servers. A server never waits: it takes
 * second halves, which lead to no further message, in every round; it takes requests when all second halves of the last
 * ones are written; and it tries to write these once a round. Every reservation is written as soon as there are places
 * in its own ring, whatever other rings have, and there are places for the first one in a ring as soon as its server
 * has taken all that is before it. The end of a step is exact: a client counts itself done when its last message is
 * written; a server whose ring is then at its end (all that was reserved is taken) counts itself done with requests;
 * when all have, and its ring of second halves is at its end, it is done. Counters only grow, from step to step.
 *
 * Memory order. message.cuh for messages; critical sections see each other's writes by the block's locks, or by the
 * barriers between the batches of chains; supersteps by grid barriers.
 *
 * With roles=both every block is client and server, and there are no supersteps: see cuda_both_critical.cuh.
 *
 * Not done: targets that move; clusters of blocks, which are slower (docs/lock_server.md).
 */
#include "message.cuh"
#include "owners.cuh"
#include "tunables.h"

/* What profilers show carries the operator's name. */
#define lock_server_kernel ORDO_OP_NAME(lock_server_kernel)

typedef struct lock_server_args {
    op_state state;
    ordo_u32 servers;
    server_owners owners;
    bool may_repeat;
    bool contended; /* few targets are hot: several lanes of a warp may need the same one */
    server_shape shape;
    server_rings first, second; /* rings of requests; of second halves, or nested: of tries for the higher lock */
    ordo_u32 *answer;           /* [servers][SERVER_THREADS] nested: answers to these tries */
    ordo_u32 homes;             /* nested: number of warps of a server that are at home */
    ordo_u32 *done, *served;    /* summed over all steps: number of clients that have ended a step; of servers, or
                                   nested: of warps at home, that are done with the requests of a step */
    ordo_cuda_frontier frontier;
    ordo_cuda_halt halt;
    ordo_cuda_run run;
} lock_server_args;

enum {
    lock_server_places =
        (int)op_requests > SERVER_EACH ? (int)op_requests : SERVER_EACH, /* messages of a thread in a batch */
    lock_server_batch = lock_server_places * SERVER_THREADS,             /* below 2^16: an item makes at most 16
                                                                            requests */
    lock_server_pairs = op_targets == 2,                                 /* requests of two targets: in halves, or
                                                                            nested */
    lock_server_rebuilds_args = op_rebuilds_args || op_words == 0,
    lock_server_full =
        op_word_bits == 32 && (op_words < 2 || op_targets == 1) ? 2 : 4, /* words of a message with arguments */
    lock_server_lines = lock_server_full == 2 && lock_server_places == SERVER_EACH
                            ? SERVER_CHAINS
                            : SERVER_LINES,                       /* lines of a server's table */
    lock_server_nested_words = lock_server_rebuilds_args ? 2 : 4, /* words of a try, with free bits for a tag */
};

/* Messages of a client's thread in a batch. With more messages there are fewer and longer copies. If a message is one
 * word, registers and shared memory suffice for two times as many, and servers with words in shared memory are fast
 * enough for them. */
static __host__ __device__ constexpr int lock_server_sent(int words, bool near, bool gather)
{
    return words == 1 && near && !gather && !lock_server_pairs ? 2 * (int)lock_server_places : (int)lock_server_places;
}

/* Messages of a batch. Those of nested pairs are long, and shared memory does not suffice for as many as all threads
 * may have: if an item may make many requests, fewer threads prepare items. */
static __host__ __device__ constexpr int lock_server_staged(int words, bool near, bool gather, bool nested)
{
    return SERVER_THREADS * (nested ? (int)SERVER_EACH : lock_server_sent(words, near, gather));
}
/* Threads that prepare items of nested pairs; whole warps, whose lanes share rows. */
enum { lock_server_visitors = SERVER_THREADS * SERVER_EACH / lock_server_places / 32 * 32 };
/* Blocks of a multiprocessor at most: rows of a warp's items take more registers than two leave. */
enum { lock_server_resident = (int)op_expands ? 1 : 2 };
/* Whether servers may keep words in shared memory, where a target has another number: only those of OWNED arrays. An
 * operator without them may use a target's number for anything. */
enum { lock_server_keeps = (int)op_owned_arrays > 0 };

/* A form of the kernel: the type that it and its parts are templates over.
 *   width    words of 64 bits of a message
 *   words    words of arguments in a message: op_words, or 0 if servers rebuild the arguments
 *   shared   servers have the words of their targets in shared memory; else in global memory
 *   chains   servers serve by chains; else under locks
 *   gather   clients combine
 *   nested   pairs are isolated (cuda_nested.cuh) */
enum lock_server_kind { LOCK_SERVER_PLAIN, LOCK_SERVER_CHAINS, LOCK_SERVER_GATHER, LOCK_SERVER_NESTED };
template <int Width, int Words, lock_server_kind Kind, bool Shared> struct lock_server_form {
    static constexpr int width = Width, words = Words;
    static constexpr bool shared = Shared, gather = Kind == LOCK_SERVER_GATHER, nested = Kind == LOCK_SERVER_NESTED;
    static constexpr bool chains = Kind == LOCK_SERVER_CHAINS || (gather && !shared);
};

/* Pointers into a block's shared memory. Which of these a block has depends on its role and form. */
typedef struct lock_server_block {
    server_outbox out;
    op_state state;       /* the state that critical sections get */
    ordo_u32 *lock;       /* [SERVER_SHARED_LOCKS] or NULL */
    ordo_u32 *table;      /* clients [SERVER_LINES], servers [lines]: the last request of each chain */
    unsigned short *list; /* [batch] servers: the last requests of all chains */
    ordo_u32 *next;       /* [batch] */
    ordo_u64 *held;       /* [batch][full] requests of chains */
    ordo_u32 *seen;       /* [servers] nested: the last loaded `read` of each ring of tries */
    ordo_u32 index;
    bool server;
} lock_server_block;

#include "cuda_server.cuh"
#include "cuda_client.cuh"
#include "cuda_nested.cuh"

/* ---- the kernel ---- */

/* One function: the compiler knows the memory space of a block's pointers only if it sees where they come from. */
template <typename Form, bool Traced>
static __global__ void __launch_bounds__(SERVER_THREADS, (int)lock_server_resident)
    lock_server_kernel(const lock_server_args a)
{
    ORDO_CUDA_DYNAMIC(ordo_u64, capacity);
    __shared__ ordo_dev_queue queue;
    __shared__ ordo_u32 least[2][3];
    auto grid = cooperative_groups::this_grid();
    lock_server_block b;
    server_counters mine = {};
    ordo_u32 rounds = 0;
    b.server = server_role(a.servers, &b.index);
    b.state = a.state;
    b.out = server_outbox_at(capacity, a.servers);
    constexpr ordo_u32 stage = lock_server_staged(Form::width, Form::shared, Form::gather, Form::nested) * Form::width;
    ordo_u64 *rest =
        !b.server || (lock_server_pairs && !Form::nested) ? capacity + server_outbox_words(a.servers, stage) : capacity;
    if (b.server ? Form::chains : Form::gather) {
        b.table = (ordo_u32 *)rest;
        const ordo_u32 lines = b.server ? (ordo_u32)lock_server_lines : (ordo_u32)SERVER_LINES;
        b.next = b.table + lines;
        rest = (ordo_u64 *)(b.next + lock_server_batch);
        for (ordo_u32 i = threadIdx.x; i < lines; i += SERVER_THREADS)
            b.table[i] = SERVER_NONE;
    }
    if (Form::chains) {
        b.list = (unsigned short *)rest;
        rest += (int)lock_server_batch / 4;
        b.held = rest;
        rest += (int)lock_server_batch * (int)lock_server_full;
    } else if (!(Form::shared && op_lock_bits)) {
        b.lock = (ordo_u32 *)rest;
        rest += SERVER_SHARED_LOCKS / 2;
    }
    if (Form::nested) {
        b.seen = (ordo_u32 *)rest;
        for (ordo_u32 i = threadIdx.x; b.server && i < a.servers; i += SERVER_THREADS)
            b.seen[i] = 0;
    }
    const ordo_u32 owned = b.server ? a.owners.most : 0;
    if (Form::shared) /* clients, too, so that the compiler knows the memory space */
        op_owned_use(&b.state, (char *)rest, owned);
    if (b.server) {
        if (!Form::chains && !(Form::shared && op_lock_bits))
            for (ordo_u32 i = threadIdx.x; i < SERVER_SHARED_LOCKS; i += SERVER_THREADS)
                b.lock[i] = 0;
        for (ordo_u32 i = threadIdx.x; Form::shared && i < owned; i += SERVER_THREADS) {
            const ordo_u32 target = server_target(&a.owners, server_join(&a.owners, i, b.index));
            if (target < a.owners.targets)
                op_owned_copy(&b.state, i, &a.state, target);
        }
    }
    server_taking requests = server_taking_begin(least[0]), seconds = server_taking_begin(least[1]);
    server_sending sending = {};
    nested_place place = {};
    if constexpr (Traced)
        ordo_live_begin(a.run.traced, ORDO_BUSY);
    ordo_dev_start(&queue); /* has a barrier */
    for (ordo_u32 step = 1;; step++) {
        const ordo_cuda_frontier *f = &a.frontier;
        const ordo_u64 count = step == 1 ? a.run.initial_count : f->counters[step % 3].count;
        if (count == 0 || f->counters[step % 3].stop)
            break;
        if (ordo_dev_reports())
            ordo_dev_begin_step(f, step, &a.run, count, step, 0);
        if constexpr (Traced) {
            ordo_live_step(a.run.traced, step, count, step, 0, 0, 0);
            ordo_live_state(a.run.traced, ORDO_BUSY);
        }
        if (!b.server)
            lock_server_client<Form, Traced>(&a, &b, &sending, &queue, step, count, &mine, &rounds);
        else if constexpr (Form::nested)
            lock_server_nested_server<Form, Traced>(&a, &b, &place, &queue, step, &mine, &rounds);
        else
            lock_server_server<Form, Traced>(&a, &b, &requests, &seconds, &sending, &queue, step, &mine, &rounds);
        if constexpr (Traced)
            ordo_live_publish<5>(a.run.traced, server_counted(&mine), ORDO_AT_BARRIER);
        if (!op_activates)
            break;
        ordo_dev_flush(&queue, f->list[(step + 1) & 1], &f->counters[(step + 1) % 3].count, true);
        grid.sync();
        if (ordo_dev_halted(&a.halt, step))
            break;
    }
    __syncthreads();
    for (ordo_u32 i = threadIdx.x; Form::shared && i < owned; i += SERVER_THREADS) {
        const ordo_u32 target = server_target(&a.owners, server_join(&a.owners, i, b.index));
        if (target < a.owners.targets)
            op_owned_copy(&a.state, target, &b.state, i);
    }
    ordo_dev_publish(a.run.counters, server_counted(&mine));
}

/* ---- the host's part ---- */

#include "cuda_plan.cuh"

#include "both.cuh"
#include "cuda_both_critical.cuh"

/* Not operators of many targets. */
enum { lock_server_takes = !(int)op_many };

/* The kernel of a form; instantiated only if the operator can have it (Exists). */
template <typename Form, bool Exists> static const void *lock_server_kernel_of(bool traced)
{
    if constexpr (Exists && (int)lock_server_takes != 0)
        return traced ? (const void *)lock_server_kernel<Form, true> : (const void *)lock_server_kernel<Form, false>;
    return NULL;
}

/* The kernel of a plan, with messages of that width. If pairs are nested, or clients combine, there is only one width.
 */
template <int Width, int Words, bool Exists>
static const void *lock_server_kernel_for(const lock_server_plan *p, bool traced)
{
    constexpr bool chains = Exists && (int)op_targets == 1;
    constexpr bool near = Exists && (int)lock_server_keeps;
    if (p->chains && chains)
        return lock_server_kernel_of<lock_server_form<Width, Words, LOCK_SERVER_CHAINS, false>, chains>(traced);
    return p->near ? lock_server_kernel_of<lock_server_form<Width, Words, LOCK_SERVER_PLAIN, true>, near>(traced)
                   : lock_server_kernel_of<lock_server_form<Width, Words, LOCK_SERVER_PLAIN, false>, Exists>(traced);
}

static const void *lock_server_find_kernel(const lock_server_plan *p, bool traced)
{
    constexpr int full = (int)lock_server_full, words = (int)op_words;
    constexpr bool one = (int)op_targets == 1, runs = one || (int)op_halves, gathers = one && (int)op_combines;
    constexpr bool keeps = (int)lock_server_keeps;
    constexpr bool rebuilds = runs && (int)lock_server_rebuilds_args, sends = runs && !rebuilds;
    using nested = lock_server_form<(int)lock_server_nested_words, (int)lock_server_rebuilds_args ? 0 : 2,
                                    LOCK_SERVER_NESTED, false>;
    if (p->nested)
        return lock_server_kernel_of<nested, (int)op_targets == 2>(traced);
    if (p->gather)
        return p->near
               ? lock_server_kernel_of < lock_server_form<full, words, LOCK_SERVER_GATHER, true>,
               gathers && keeps > (traced)
               : lock_server_kernel_of<lock_server_form<full, words, LOCK_SERVER_GATHER, false>, gathers>(traced);
    if (!(int)lock_server_rebuilds_args)
        return lock_server_kernel_for<full, words, sends>(p, traced);
    return p->words == 1 ? lock_server_kernel_for<1, 0, rebuilds>(p, traced)
                         : lock_server_kernel_for<2, 0, rebuilds>(p, traced);
}

static ordo_status lock_server_run_job(ordo_job *job)
{
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    lock_server_args a = {};
    lock_server_plan plan = {};
    ordo_contention_sample contention = {};
    int resident = 0;
    const void *kernel = NULL;
    ordo_status status = lock_server_refuse(job);
    if (status)
        return status;
    if ((int)job->tunable[SERVER_ROLES] == 1)
        return critical_both_run_job(job);
    status = op_cuda_begin(job, &c);
    if (!status)
        status = op_cuda_sample(job, &contention);
    if (!status)
        status = lock_server_choose(job, &contention, &plan);
    if (!status)
        status = lock_server_choose_owners(&c, &contention, &plan, &a);
    ordo_contention_sample_free(&contention);
    if (!status)
        status = op_cuda_state(&c, &a.state, &arrays);
    if (!status)
        status = lock_server_make_args(&c, &plan, &a);
    if (!status) {
        kernel = ordo_cuda_kernel(lock_server_find_kernel(&plan, a.run.traced.live != NULL));
        status = ordo_cuda_share(&c, kernel, SERVER_THREADS, plan.shared, &resident);
    }
    if (!status && resident < plan.blocks)
        status = ordo_fail(ORDO_ERR_DEVICE,
                           "device 'cuda': %d blocks of %zu bytes of shared memory a multiprocessor "
                           "asked for, %d fit",
                           plan.blocks, plan.shared, resident);
    if (!status) {
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, kernel, SERVER_THREADS, plan.blocks, args);
    }
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(lock_server, lock_server_run_job,
                   lock_server_takes ? 1u << ORDO_SYNC_SERVER : 1u << ORDO_SYNC_DEFAULT /* of no sync */)
