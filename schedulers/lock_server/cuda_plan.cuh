/* lock_server on a GPU, critical operators: the choice of a form and of owners; a part of cuda_critical.cuh. */

enum {
    SERVER_FEW = 2048,     /* up to this many hot targets clients should combine */
    SERVER_MANY = 65536,   /* from this many on, servers of halves are fast enough for more clients */
    SERVER_CONTENDED = 10, /* with fewer hot targets of a server, one lane of a warp at a time should try for a lock
                            in words, */
    SERVER_CONTENDED_GLOBAL = 16, /* and for a lock in a table with words in global memory, which is held for longer */
    SERVER_WIDE = 4096 /* up to this many, halves with 64-bit words are faster with words in global memory and a
                          table of locks */
};

/* Clients per server if clients combine: a batch leaves a message for each of its targets, and with fewer messages
 * fewer servers are needed: an eighth to a half of the blocks. */
static inline double server_gathering(double targets, double batch)
{
    const double left = targets > 0 ? targets / batch * (1 - exp(-batch / targets)) : 1, clients = 1 / (2 * left);
    return clients < 1 ? 1 : clients > 7 ? 7 : clients;
}

/* The form of a run, and its sizes. */
typedef struct lock_server_plan {
    bool near, chains, gather, nested;
    int words, units, blocks; /* words of a message; number of multiprocessors; blocks of each */
    int partition;
    ordo_u32 servers, most, log; /* `most`: the most targets of a server; runs of 1 << log numbers */
    size_t shared;
} lock_server_plan;

static server_shape lock_server_shape_of(const ordo_job *job, const lock_server_plan *p)
{
    return server_shape_of(job->num_items, p->most, lock_server_pairs ? (ordo_u64)p->most * p->servers : 0);
}

/* Words of a message. */
static int lock_server_words_of(const ordo_job *job, const lock_server_plan *p)
{
    if (p->nested)
        return lock_server_nested_words;
    if (p->gather || !lock_server_rebuilds_args)
        return lock_server_full;
    return lock_server_shape_of(job, p).bits <= SERVER_BITS ? 1 : 2;
}

/* Bytes of shared memory of a block. */
static size_t lock_server_capacity(const ordo_job *job, const lock_server_plan *p)
{
    const size_t batch = (size_t)lock_server_batch;
    const size_t lines = 4 * SERVER_LINES + 4 * batch, chains = 4 * (size_t)lock_server_lines + 6 * batch;
    const ordo_u32 stage = (ordo_u32)(lock_server_staged(p->words, p->near, p->gather, p->nested) * p->words);
    const size_t box = 8 * server_outbox_words(p->servers, stage);
    const size_t client = box + (p->gather ? lines : 0);
    size_t server = p->nested ? 8 * ((p->servers + 1) / 2) : lock_server_pairs ? box : 0;
    if (p->chains)
        server += chains + batch * 8 * (size_t)lock_server_full;
    else if (!(p->near && op_lock_bits))
        server += 4 * SERVER_SHARED_LOCKS;
    if (p->near)
        server += (size_t)p->most * op_owned_bytes((const op_state *)job->state) + 8 * ORDO_MOST_ARRAYS;
    return server > client ? server : client;
}

/* The number of servers: more if they have more work, as with pairs, or if their shared memory is the limit; fewer if
 * clients combine and `spared`; and one for nested pairs that all wait for few locks. */
static ordo_u32 lock_server_servers(const ordo_job *job, const lock_server_plan *p, double targets, bool more,
                                    bool spared)
{
    const double asked = job->tunable[SERVER_RATIO];
    const int all = p->units * p->blocks;
    if (asked > 0)
        return server_share(all, asked);
    if (p->nested && targets > 0 && targets <= NESTED_ALONE)
        return 1;
    if (p->gather && spared)
        return server_share(all, server_gathering(targets, lock_server_batch));
    if (p->blocks == 1)
        return server_share(all, 0.5);
    if (lock_server_pairs) /* with many targets and short critical sections, clients have more work */
        return server_share(all, p->near && targets >= SERVER_MANY ? 0.45 : 1.0 / 3);
    if (p->near && targets > 0.5 * all &&
        targets < 0.5 * SERVER_CONTENDED * all) /* requests for the same target dominate the time */
        return server_share(all, 1.0 / 3);
    return server_share(all, more ? 0.65 : 1);
}

static ordo_status lock_server_refuse(const ordo_job *job)
{
    const int form = (int)job->tunable[SERVER_FORM];
    if ((int)job->tunable[SERVER_PAIRS] == 2 && !op_halves)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' with pairs=halves needs an operator whose section has two halves, "
                         "since others come between them; '%s' has none",
                         job->op->name);
    if (form == 2 && !(op_combines && op_targets == 1))
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' with form=combine needs an operator of one target that combines "
                         "requests; '%s' does not",
                         job->op->name);
    if (form == 3 && (op_targets == 2 || (int)job->tunable[SERVER_DATA] == 2))
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' with form=chains needs an operator of one target, and has no "
                         "data=shared; '%s' was asked for",
                         job->op->name);
    if ((int)job->tunable[SERVER_DATA] == 2 && !(int)lock_server_keeps)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' on device 'cuda' with data=shared needs an operator with OWNED "
                         "arrays, whose words servers keep; '%s' has none",
                         job->op->name);
    if (op_targets == 2 && ((int)job->tunable[SERVER_PAIRS] == 1 || !op_halves) && (int)job->tunable[SERVER_DATA] == 2)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' on device 'cuda' with data=shared has no pairs=nested, since a "
                         "section needs the words of two servers; '%s' would be run so",
                         job->op->name);
    if ((int)job->tunable[SERVER_BLOCKS] > (int)lock_server_resident)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' on device 'cuda' has blocks=1 alone for an operator to whose items "
                         "edges are handed row by row; '%s' is one",
                         job->op->name);
    return ORDO_OK;
}

/* Chooses where words are kept, the form, and the number of blocks: the first combination that fits. */
static ordo_status lock_server_choose(const ordo_job *job, const ordo_contention_sample *contention,
                                      lock_server_plan *p)
{
    const int data = (int)job->tunable[SERVER_DATA], form = (int)job->tunable[SERVER_FORM];
    const int asked = (int)job->tunable[SERVER_BLOCKS], partition = (int)job->tunable[SERVER_PARTITION];
    const bool few = contention->targets > 0 && contention->targets <= SERVER_FEW;
    size_t unit = 0, most = 0;
    ordo_status status = ordo_cuda_size(&p->units, &unit, &most);
    if (status)
        return status;
    p->nested = op_targets == 2 && ((int)job->tunable[SERVER_PAIRS] == 1 || !op_halves);
    p->gather = (form == 2 || (form == 0 && few && op_combines && op_targets == 1)) && !op_cuda_may_repeat(job) &&
                job->targets < 1u << 27;
    /* the only 64-bit operation of shared memory is compare-and-swap, which is slow if many threads contend for a word
     */
    const bool wide = lock_server_pairs && (int)op_lock_bits == 64 && data == 0 && contention->targets > 0 &&
                      contention->targets <= SERVER_WIDE;
    /* few servers may have too little memory for all words: then more servers, if words must be in shared memory */
    for (int spared = 1; spared >= 0; spared--)
        for (int far = data == 1 || p->nested || form == 3 || wide || !(int)lock_server_keeps; far <= (data != 2);
             far++)
            for (int way = asked == 1 || (int)lock_server_resident == 1 ? 2 : 0; way <= (asked == 2 ? 1 : 2); way++) {
                p->blocks = way == 2 ? 1 : 2;
                p->near = !far;
                p->chains = far && (form >= 2 || p->gather);
                p->servers = lock_server_servers(job, p, contention->targets, way == 1, spared);
                p->partition = server_partition(partition, contention, p->servers);
                p->log = server_run_log(p->near, job->targets, p->servers);
                p->most = server_most(p->partition, job->targets, p->servers, p->log);
                p->words = lock_server_words_of(job, p);
                p->shared = lock_server_capacity(job, p);
                /* without the memory that the kernel declares and that the system uses */
                const size_t each = unit / (size_t)p->blocks - 5120 - (op_activates ? sizeof(ordo_dev_queue) : 0);
                if (p->units * p->blocks >= 2 && p->shared <= (each < most - 4096 ? each : most - 4096))
                    return ORDO_OK;
            }
    p->blocks = asked ? asked : 1;
    return ordo_fail(ORDO_ERR_USAGE,
                     "scheduler 'lock_server': blocks of %zu bytes of shared memory, %d a "
                     "multiprocessor, do not fit this GPU: one has %zu, a block at most %zu",
                     p->shared, p->blocks, unit, most);
}

/* That targets' numbers fit into messages. */
static ordo_status lock_server_check_numbers(bool nested, bool chains, ordo_u64 numbers)
{
    const int bits = nested ? 29 : lock_server_pairs ? 30 : 28;
    if ((lock_server_pairs || chains || (lock_server_full == 2 && !lock_server_rebuilds_args)) && numbers >> bits)
        return ordo_fail(ORDO_ERR_USAGE,
                         "scheduler 'lock_server' on device 'cuda': %llu targets, expected fewer than 2^%d",
                         (unsigned long long)numbers, bits);
    return ORDO_OK;
}

/* Makes the owners; the largest number of targets of an owner determines the length of messages and the shared memory
 * of a block. */
static ordo_status lock_server_choose_owners(ordo_cuda *c, const ordo_contention_sample *contention,
                                             lock_server_plan *p, lock_server_args *a)
{
    const ordo_job *job = c->job;
    const ordo_u32 expected = p->most;
    ordo_status status = server_owners_make(c, p->partition, p->servers, p->log, contention, &a->owners);
    if (status)
        return status;
    a->servers = p->servers;
    a->contended = contention->targets > 0 &&
                   contention->targets < (p->near ? SERVER_CONTENDED : SERVER_CONTENDED_GLOBAL) * p->servers;
    a->homes = p->nested ? nested_homes(job->tunable[SERVER_FLIGHT], contention->targets, p->servers) : 0;
    p->most = a->owners.most;
    a->shape = lock_server_shape_of(job, p);
    const int words = p->words;
    p->words = lock_server_words_of(job, p);
    p->shared = lock_server_capacity(job, p);
    status = lock_server_check_numbers(p->nested, p->chains, (ordo_u64)p->most * p->servers);
    if (status)
        return status;
    if (p->words > words || (p->near && p->most > expected))
        return ordo_fail(ORDO_ERR_USAGE,
                         "scheduler 'lock_server' on device 'cuda': parts of very different sizes: one has %u of %llu "
                         "targets, expected %u at most",
                         p->most, (unsigned long long)job->targets, expected);
    return ORDO_OK;
}

static ordo_status lock_server_make_args(ordo_cuda *c, const lock_server_plan *p, lock_server_args *a)
{
    const ordo_job *job = c->job;
    const ordo_u32 log = server_ring_log(job->tunable[SERVER_RING],
                                         (ordo_u32)lock_server_staged(p->words, p->near, p->gather, p->nested));
    a->may_repeat = op_cuda_may_repeat(job);
    a->run = c->run;
    ordo_status status = op_cuda_frontier(c, op_activates, &a->frontier, &a->halt);
    if (!status)
        status = server_rings_make(c, a->servers, log, p->words, &a->first);
    if (!status && lock_server_pairs)
        status = server_rings_make(c, a->servers,
                                   p->nested ? server_ring_log(job->tunable[SERVER_RING], SERVER_THREADS) : log,
                                   p->words, &a->second);
    if (!status && p->nested)
        status =
            (a->answer = (ordo_u32 *)ordo_cuda_alloc(c, (ordo_u64)a->servers * SERVER_THREADS, sizeof(ordo_u32), true))
                ? ORDO_OK
                : ORDO_ERR_MEMORY;
    if (!status) {
        a->done = (ordo_u32 *)ordo_cuda_alloc(c, 2 * ORDO_CUDA_LINE, sizeof(ordo_u32), true);
        a->served = a->done ? a->done + ORDO_CUDA_LINE : NULL;
        status = a->done ? ORDO_OK : ORDO_ERR_MEMORY;
    }
    return status;
}
