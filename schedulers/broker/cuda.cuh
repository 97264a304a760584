/* broker on a GPU: one FIFO queue for all warps (Kerbl et al., ICS 2018; Çavuşoğlu's thesis, chapter 3).
 *
 * Problem. That of cpu.h. Here a member is a warp, there are thousands of them, and none has memory for a backlog.
 *
 * Method. The queue is <ordo/scheduler/broker_queue.cuh>, which has the protocol, its memory orders and the argument
 * for progress. A warp takes up to 32 entries, one a lane, but no more than its share of what is there; it expands them
 * (op_warp_loop), collects what they activate in its store, and puts that into the queue: a reservation for each full
 * store, and one at the end of the batch. There are no chains: an entry that a warp kept for itself would overtake
 * others. Initial items are expanded by the warps that find them, in order, and need no places.
 *
 * A full queue. What finds no place becomes a bit of its item, as in adds and inbox; entries of one item are merged,
 * and an item is expanded with the value that its cell then has. A warp that sees that bits were set takes those of its
 * part of the items when the queue's head has passed the tail of that moment, or when it finds no entry: so what has
 * spilled waits for what was in the queue, and not for ever. No warp waits for free places, which would be a deadlock
 * once all warps do.
 *
 * Progress. One cooperative launch, so all blocks are resident. A warp that is not between the steps of a call waits
 * for no other: it asks the queue, the bits and the words below again and again. Between the steps it waits as
 * broker_queue.cuh says, and looks at no stop request; so a warp that ends leaves no ticket behind.
 *
 * Termination, exact and without a counter of what is pending, which each call would change. Tickets of enqueues (tail)
 * and entries that became bits (spilled) count what has been made besides the initial items; `done` counts what is
 * finished. A warp adds to done what it has finished when it finds no entry, and now and then; by then all that these
 * have activated has its tickets or bits. The run is over when a thread reads done, then tail and spilled, and done =
 * initial + spilled + tail. Let P be the initial items and what the thread has counted in tail and spilled. What done
 * counts was made, and had its activations made, before it was added to done, hence before the two reads: so it is in
 * P, and as the numbers are equal it is all of P. If there were something outside P, the first such thing was activated
 * by something in P, which done counts; so it was made before the reads, and would be in P. So there is nothing else,
 * and no warp has anything.
 *
 * Memory order.
 *   done, tail, spilled   a fence before each addition to done (release); done is read with acquire, before the two.
 *             Additions to one word are a chain, so the value read stands for all additions up to it.
 *   entries   their own words need no order; other memory does where critical sections or sums are activated, and the
 *             owner of a hub's pieces: `ordered`. Cells that select need none: an outdated cell is a worse one, whose
 *             candidates others replace.
 *   bits      counted in spilled before they are set, and in `set` behind that (ordo_spill); a warp that has read `set`
 *             fences before it takes bits, and after it (ordo_warp_take_bits). An entry whose bit was set before is
 *             finished at once.
 *
 * Passes. What is in the queue at a moment is a pass, as in cpu.h. The monitor, a warp that expands nothing, counts
 * them when it looks, so short ones may escape it; it also passes on the host's stop request and writes the trace.
 *
 * Not done: priorities; a queue for each block; stage (a warp's store has a fixed size).
 *
 * Over several GPUs, in units for that: cuda_ranks.cuh.
 */
#if ORDO_WARP_HAS_ENTRIES
#include <ordo/scheduler/broker_queue.cuh>

#include "tunables.h"

/* What profilers show carries the operator's name. */
#define broker_kernel ORDO_OP_NAME(broker_kernel)

enum {
    BROKER_DEV_THREADS = 256,
    BROKER_DEV_WARPS = BROKER_DEV_THREADS / 32,
    BROKER_DEV_LOOKS = 16,      /* a warp that has work reads the words below once in so many batches */
    BROKER_DEV_NAP = 64,        /* nanoseconds of an idle warp's first nap, */
    BROKER_DEV_LONGEST = 1024,  /* and of its longest */
    BROKER_RANKS_NAP = 500,     /* of a monitor between meetings of ranks */
    BROKER_DEV_PLACES = 1 << 22 /* the most places that are taken unasked */
};

typedef struct broker_dev_words {
    ordo_u64 done;    /* entries, bits and initial items that are finished */
    ordo_u64 spilled; /* entries that became bits */
    ordo_u64 set;     /* bits that were set: changes behind each */
    ordo_u64 stop;    /* the monitor tells workers to end: early, or over several GPUs always */
    ordo_u64 padding[12];
    ordo_u64 sent;  /* over several GPUs: messages that this rank has sent */
    ordo_u64 ended; /* over several GPUs: workers of this rank that have ended */
    ordo_u64 padding1[14];
} broker_dev_words;

typedef struct broker_args {
    ordo_dev_broker queue;
    broker_dev_words *words;
    ordo_u32 workers;     /* all warps but one */
    ordo_u32 batch;       /* at most 32 */
    bool latency_bound;   /* degrees are small, and there are no hubs */
    ordo_dev_spill spill; /* a bit for each id of an item or a hub's piece */
    ordo_u32 bit_words;
    op_warp_ctx ctx;
    ordo_cuda_run run;
} broker_args;

/* A worker's state beside its op_warp; the same in all lanes. */
typedef struct broker_worker {
    ordo_u32 index;
    ordo_u32 taken;    /* entries, bits and initial items that it holds */
    ordo_u32 finished; /* those that it has finished and not added to `done` */
    ordo_u32 turns;    /* batches taken */
    ordo_u32 looks;    /* over several GPUs: how often it has looked for messages */
    ordo_u32 nap;      /* 0: it was not idle at its last turn */
    ordo_u32 seen;     /* lower half of `set` when it last began to take bits, or decided to */
    ordo_u32 word;     /* the next 32 words of bits, or a number beyond the last */
    ordo_u64 due;      /* it takes bits when the head has come here; ~0: there are none to take */
} broker_worker;

/* What a thread has read of the words; see Termination. */
typedef struct broker_glance {
    ordo_u64 done, made, tail, head, spilled, set, stop;
} broker_glance;

/* By a whole warp: reads the words, `done` first. Valid in all lanes. */
ORDO_DEV broker_glance broker_look(const broker_args &a)
{
    const ordo_u32 lane = threadIdx.x % 32;
    broker_glance g;
    g.done = ordo_dev_acquire(&a.words->done);
    const ordo_u64 word = ordo_dev_load(lane == 0   ? &a.queue.words->tail
                                        : lane == 1 ? &a.queue.words->head
                                        : lane == 2 ? &a.words->spilled
                                        : lane == 3 ? &a.words->set
                                                    : &a.words->stop);
    /* the least of the lanes that read tail and spilled: what each of them has read came behind that */
    const ordo_u64 first = __shfl_sync(~0u, g.done, 0), third = __shfl_sync(~0u, g.done, 2);
    g.done = first < third ? first : third;
    g.tail = __shfl_sync(~0u, word, 0);
    g.head = __shfl_sync(~0u, word, 1);
    g.spilled = __shfl_sync(~0u, word, 2);
    g.set = __shfl_sync(~0u, word, 3);
    g.stop = __shfl_sync(~0u, word, 4);
    g.made = a.run.initial_count + g.spilled + g.tail;
    return g;
}

#if ORDO_OVER_RANKS
#include "cuda_ranks.cuh"
#endif

/* Hook `give`: puts the store's entries into the queue. `drained`: what the warp held is finished. */
ORDO_DEV void broker_give(const broker_args &a, op_warp *w, broker_worker *me, bool drained)
{
    const ordo_u32 lane = threadIdx.x % 32;
    w->store->count[lane] = 0; /* not used: all entries go to one queue */
    for (ordo_u32 at = w->held ? ordo_dev_broker_put(a.queue, w->store->held, w->held, op_warp_ordered || w->cut) : 0;
         at < w->held; at += 32) {
        const bool merged = at + lane < w->held && ordo_spill(a.spill, w->store->held[at + lane].item);
        me->finished += __popc(__ballot_sync(~0u, merged));
    }
    __syncwarp();
    w->held = 0;
    w->cut = false;
    if (drained) {
        me->finished += me->taken;
        me->taken = 0;
    }
}

/* By a whole warp: adds what it has finished to `done`. */
ORDO_DEV void broker_report(const broker_args &a, op_warp *w, broker_worker *me)
{
#if ORDO_OVER_RANKS
    broker_ranks_unstage(a, w, me);
#else
    (void)w;
#endif
    __syncwarp();
    if (threadIdx.x % 32 == 0 && me->finished) {
        ordo_dev_fence();
        ordo_dev_add(&a.words->done, (ordo_u64)me->finished);
    }
    me->finished = 0;
}

/* By a whole warp: notes that bits have been set since it last looked for them. */
ORDO_DEV void broker_note_spills(broker_worker *me, const broker_glance &g)
{
    if ((ordo_u32)g.set == me->seen)
        return;
    me->seen = (ordo_u32)g.set;
    me->due = g.tail < me->due ? g.tail : me->due;
}

/* By a whole warp that has found no entry, or whose turn it is to look. Returns whether the run is over. */
ORDO_DEV bool broker_check(const broker_args &a, op_warp *w, broker_worker *me, bool idle)
{
    broker_report(a, w, me);
    const broker_glance g = broker_look(a);
    broker_note_spills(me, g);
    const bool over = g.stop || (!ORDO_OVER_RANKS && g.done == g.made);
    if (over || __any_sync(~0u, w->edges >> 30)) /* before the lanes' 32-bit counters wrap */
        op_warp_publish(w, a.run);
    if (idle && !over && me->due == ~(ordo_u64)0) {
        if (!me->nap) {
            op_warp_show(w, a.run, ORDO_WAITING);
            me->nap = BROKER_DEV_NAP;
        }
        __nanosleep(me->nap);
        me->nap = me->nap < BROKER_DEV_LONGEST ? 2 * me->nap : me->nap;
    }
    return over;
}

/* Hook `take`. */
ORDO_DEV int broker_take(const broker_args &a, op_warp *w, broker_worker *me, bool *there, op_entry *entry,
                         ordo_u32 *bits)
{
    const ordo_u32 lane = threadIdx.x % 32;
    if (me->word < a.bit_words) {
        *bits = ordo_warp_take_bits(a.spill.bits, me->word + lane, me->word + lane < a.bit_words);
        me->word += a.workers * 32;
        me->taken += ordo_warp_sum((ordo_u32)__popc(*bits));
#if ORDO_OVER_RANKS
        *bits = op_warp_send_kept(a.ctx, w, me->word - a.workers * 32 + lane, *bits);
#endif
        return ORDO_WARP_AGAIN;
    }
#if ORDO_OVER_RANKS
    if (broker_ranks_take_mail(a, w, me))
        return ORDO_WARP_AGAIN;
#endif
    ordo_u64 first;
    const ordo_u32 got = ordo_dev_broker_take<(int)op_warp_ordered != 0>(a.queue, a.batch, a.workers, entry, &first);
    *there = lane < got;
    me->taken += got;
    if ((!got || ++me->turns % BROKER_DEV_LOOKS == 0) && broker_check(a, w, me, !got))
        return ORDO_WARP_END;
    if (me->due != ~(ordo_u64)0 && (!got || first >= me->due)) {
        ordo_dev_fence();
        me->due = ~(ordo_u64)0;
        me->word = me->index * 32;
    }
    if (!got)
        return ORDO_WARP_AGAIN;
    if (me->nap)
        op_warp_show_state(w, a.run, ORDO_BUSY);
    else if (me->turns % 8 == 0)
        op_warp_show(w, a.run, ORDO_LIVE_KEEP);
    me->nap = 0;
    return ORDO_WARP_ENTRIES;
}

/* The hooks of op_warp_loop. */
struct broker_hooks {
    static constexpr bool narrow = true, gives_surplus = false, expands_initial = true;
    static constexpr bool lanes = false, cuts = false;
    static constexpr ordo_u32 enough = ~0u;
    const broker_args &a;
    broker_worker *me;

    ORDO_HOOK ordo_u64 stride() const
    {
        return (ordo_u64)a.workers * 32;
    }
    ORDO_HOOK bool exhausted() const
    {
        return true;
    }
    ORDO_HOOK bool holds(const op_warp *w) const
    {
        return w->held || me->taken;
    }
    ORDO_HOOK void begun(ordo_u32 count)
    {
        me->taken += count;
    }
    ORDO_HOOK bool between_hops(const op_warp *) const
    {
        return false;
    }
    ORDO_HOOK ordo_u32 swept_word() const
    {
        return me->word - a.workers * 32 + threadIdx.x % 32;
    }
    ORDO_HOOK void give(op_warp *w, bool drained)
    {
        broker_give(a, w, me, drained);
    }
    ORDO_HOOK int take(op_warp *w, bool *there, op_entry *entry, ordo_u32 *bits)
    {
        return broker_take(a, w, me, there, entry, bits);
    }
};

/* By one whole warp of the grid: the monitor; runs until the end of the run. */
template <bool Traced> ORDO_DEV void broker_monitor(const broker_args &a)
{
    ordo_u64 passes = 0, end = 0;
    for (ordo_u64 stop = 0;;) {
        const broker_glance g = broker_look(a);
        if (g.done == g.made || stop)
            break;
        const ordo_u64 in_flight = g.made - g.done;
        if (passes == 0 || (g.head >= end && g.tail != end)) {
            end = g.tail;
            passes++;
        }
        if (threadIdx.x % 32 == 0) {
            ordo_dev_sample(a.run.record, in_flight, passes, 0, 1, -1);
            if (Traced)
                ordo_live_report(a.run.traced, passes, in_flight, passes, 0, 1);
            a.run.record->supersteps = passes;
            a.run.mailbox->supersteps = passes;
            a.run.mailbox->in_flight = in_flight;
            stop = a.run.mailbox->stop;
            if (stop)
                ordo_dev_store(&a.words->stop, stop);
        }
        stop = __shfl_sync(~0u, stop, 0);
        __nanosleep(2000);
    }
}

template <bool Traced>
static __global__ void __launch_bounds__(BROKER_DEV_THREADS, 2) broker_kernel(const __grid_constant__ broker_args a)
{
    __shared__ ordo_warp_store<op_entry> store[BROKER_DEV_WARPS];
    __shared__ ordo_u32 live[Traced ? (int)BROKER_DEV_WARPS : 1][5];
    const ordo_u32 warp = threadIdx.x / 32;
#if ORDO_OVER_RANKS
    __shared__ op_dev_stage stage;
    ordo_u64 met = 0;
    op_dev_stage_start(&stage);
    ordo_dev_meet(a.ctx.ranks, &met, [] { return (ordo_u64)0; }); /* all kernels run */
#endif
    op_warp w;
    op_warp_start(&w, &store[warp], store[warp].held /* no chains: not used */, Traced ? live[warp] : NULL);
    w.map.per_delta = 1;
    w.map.buckets = 1;
    w.map.latency_bound = a.latency_bound;
    broker_worker me = {};
    me.index = blockIdx.x + gridDim.x * warp; /* consecutive workers are in different blocks */
    me.word = a.bit_words;
    me.due = ~(ordo_u64)0;
#if ORDO_OVER_RANKS
    op_warp_start_stage(&w, &stage);
#endif
    if (Traced && me.index <= a.workers)
        ordo_live_begin(a.run.traced, me.index < a.workers ? ORDO_BUSY : ORDO_MANAGING);
    if (me.index < a.workers) {
        broker_hooks hooks = {a, &me};
        op_warp_loop(a.ctx, a.run, &w, hooks, (ordo_u64)me.index * 32);
#if ORDO_OVER_RANKS
        __syncwarp();
        ordo_dev_fence();
        if (threadIdx.x % 32 == 0)
            ordo_dev_add(&a.words->ended, (ordo_u64)1);
    } else if (me.index == a.workers) {
        broker_ranks_monitor(a, met);
#else
    } else if (me.index == a.workers) {
        broker_monitor<Traced>(a);
#endif
    }
}

/* For samples of a trace. */
static void broker_show(const ordo_cuda_seen *seen, const void *, ordo_probed *out)
{
    const broker_dev_words *const words = (const broker_dev_words *)seen->copy[0];
    const ordo_dev_broker_words *const queue = (const ordo_dev_broker_words *)seen->copy[1];
    if (!words || !queue)
        return;
    const ordo_u64 made = seen->c->job->initial_count + words->spilled + queue->tail;
    out->in_flight = made > words->done ? made - words->done : 0;
    out->spills = words->spilled;
}

static ordo_status broker_run_job(ordo_job *job)
{
    const double *t = job->tunable;
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    broker_args a = {};
    int blocks = 0;
    ordo_u64 ids = 0;
    ordo_status status = op_cuda_begin(job, &c);
    const void *kernel =
        status ? NULL
               : ordo_cuda_kernel(c.run.traced.live ? (const void *)broker_kernel<!ORDO_OVER_RANKS>
                                                    : (const void *)broker_kernel<false>);
    if (!status)
        status = ordo_cuda_grid(kernel, BROKER_DEV_THREADS, 0, &blocks);
    if (!status)
        status = ordo_warp_ids(job, "broker", &ids);
    if (!status) {
        const ordo_u64 most = BROKER_DEV_PLACES, own = job->remote ? job->owned : job->num_items;
        const ordo_u64 wish = own < most ? own : most;
        const ordo_u64 places = t[BROKER_RING] > 0 ? (ordo_u64)t[BROKER_RING] : wish;
        while ((ordo_u64)1 << a.queue.shift < places)
            a.queue.shift++;
        a.queue.certain = t[BROKER_QUEUE] < 1;
        a.batch = t[BROKER_BATCH] < 32 ? (ordo_u32)t[BROKER_BATCH] : 32;
        a.workers = (ordo_u32)blocks * BROKER_DEV_WARPS - 1;
        a.latency_bound = ordo_job_graph_kind(job) != ORDO_GRAPH_HUBS;
        a.bit_words = (ordo_u32)((ids + 31) / 32);
        a.ctx.local_capacity = 1;
        const ordo_warp_need needs[] = {
            {(void **)&a.words, 1, sizeof *a.words, true},
            {(void **)&a.queue.words, 1, sizeof *a.queue.words, true},
            {(void **)&a.queue.place, (ordo_u64)1 << a.queue.shift, sizeof *a.queue.place, true},
            {(void **)&a.spill.bits, a.bit_words, sizeof *a.spill.bits, true},
            {(void **)&a.ctx.owner, ids - job->num_items, sizeof(ordo_u32), false},
        };
        status = ordo_warp_alloc(&c, needs, sizeof needs / sizeof needs[0]);
    }
    if (!status)
        status = op_warp_arguments(&c, true, &a, &arrays);
    a.spill.count = &a.words->spilled;
    a.spill.set = &a.words->set;
#if ORDO_OVER_RANKS
    if (!status)
        status = ordo_cuda_boxes_make(&c, sizeof(op_dev_message), &a.ctx.ranks, &a.ctx.boxes);
    if (!status) {
        a.ctx.boxes.sent = &a.words->sent;
        a.ctx.kept = a.spill;
    }
#endif
    if (!status) {
        void *args[] = {&a};
        c.glance = {{a.words, a.queue.words}, {sizeof *a.words, sizeof *a.queue.words}, broker_show, NULL};
        status = ordo_cuda_launch(&c, kernel, BROKER_DEV_THREADS, 0, args);
    }
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(broker, broker_run_job, 1u << op_warp_sync)
#else
ORDO_CUDA_INSTANCE(broker, NULL, 1u << ORDO_SYNC_DEFAULT /* of no sync */)
#endif
