/* adds/cpu.h -- asynchronous dynamic delta-stepping (ADDS) on the CPU.
 *
 * Problem. Delta-stepping in supersteps leaves threads idle at every barrier, and no fixed delta suits all graphs.
 *
 * Method (Wang, Fussell and Lin, PPoPP 2021; Wang's thesis, chapter 5). 32 shared buckets form a circle. All members
 * write to them; one manager reads them and assigns runs of entries to workers. There is no barrier. The head bucket
 * moves on when its work is done; meanwhile the next one to three buckets are dequeued as well, and delta follows how
 * much work the workers can take.
 *   queue.h    buckets, blocks, counters of what is written, read and done: sections 5.4 and 5.6
 *   manager.h  assignment, head switches, termination, delta: sections 5.4, 5.5, 5.7
 *   this file  a member: takes an assignment, expands it, pushes activations; all code that depends on the operator
 * A member differs from the paper's worker block in two ways: it collects activations per bucket and reserves slots for
 * many at once, at the end of an assignment at the latest and before DWC is counted; and it can be the manager itself.
 *
 * Exhausted pool. A member that finds no free slot for a push waits a moment for the memory role (or plays it, if it
 * may), then *spills*: the entries go to the member's overflow bin, counted in `in` before the DWC of the work that
 * made them. A member with overflow and nothing else to do pushes from it; if most of that spills again, it processes a
 * batch from it itself. So no member waits for slots without bound, and what is spilled is processed whatever the pool
 * does. The initial items of a member are overflow from the start, and become entries as slots are free.
 *
 * Good for: graphs whose best delta is not known, uneven threads.
 *
 * A template; expects ORDO_OP and <ordo/scheduler/cpu.h> instantiated for it.
 */
#include "params.h"

#include "manager.h"

/* What profilers show carries the operator's name. */
#define adds_work_atomic ORDO_OP_NAME(adds_work_atomic)
#define adds_work_lock ORDO_OP_NAME(adds_work_lock)

enum {
    ADDS_BUFFER = 64,  /* activations that a member collects for a bucket before it pushes them */
    ADDS_WORTH = 1024, /* pushes that make a head switch, a few microseconds, worthwhile */
};

/* Starting width in units of mean weight over mean degree, from the degrees only. Rather too narrow than too wide: the
 * clip point corrects a narrow width at once, while the unordered work in a wide bucket is done before it is noticed.
 */
ORDO_INLINE double ordo_adds_factor(const ordo_job *job, double asked)
{
    if (asked > 0)
        return asked;
    return job->mean_degree < 4 ? 16 : job->mean_degree < 8 ? 8 : 4;
}

/* Waits a moment for free slots in a bucket, playing the memory role if members may; false: the caller must spill. */
ORDO_NOINLINE bool ordo_adds_wait_for_room(adds_control *c, const ordo_job *job, ordo_u32 b)
{
    adds_call_memory(&c->queue, b);
    for (int turn = 1; turn <= 256 && !ordo_job_stopped(job); turn++) {
        if (c->params.combining && adds_try_lock(c)) {
            adds_memory(&c->queue, c->head);
            adds_unlock(c);
        }
        if (adds_has_room(&c->queue, b))
            return true;
        if (__atomic_load_n(&c->queue.dry, __ATOMIC_RELAXED))
            return false;
        ordo_pause();
        if (turn % 64 == 0)
            ordo_yield();
    }
    return false;
}

/* State of a member. */
typedef struct adds_member {
    ordo_job *job;
    adds_control *control;
    adds_worker *worker;
    adds_map map; /* copied at the start of the assignment, or later */
    ordo_u32 buckets;
    ordo_u32 filled;                    /* a bit for each bucket: its buffer is not empty */
    ordo_u64 next_initial, end_initial; /* initial items that are not entries yet */
    ordo_bin overflow;
    ordo_counters count;
    adds_writer writer;
    ordo_u32 in_buffer[ADDS_MAX_BUCKETS];
    op_entry buffer[ADDS_MAX_BUCKETS][ADDS_BUFFER];
    op_entry batch[]; /* [grain] entries taken from the overflow */
} adds_member;

/* Shared by all members. */
typedef struct adds_run {
    ordo_job *job;
    adds_control *control;
    adds_member **member; /* [threads] */
    double *lowest;       /* [threads] least priority of each member's initial items */
} adds_run;

ORDO_NOINLINE void adds_spill(adds_member *me, const op_entry *entries, ordo_u32 count)
{
    for (ordo_u32 i = 0; i < count; i++)
        op_append(me->job, &me->overflow, entries[i]);
    __atomic_store_n(&me->worker->in, me->worker->in + count, __ATOMIC_RELEASE);
}

ORDO_INLINE void adds_push_to(adds_member *me, ordo_u32 b, const op_entry *entries, ordo_u32 count)
{
    adds_queue *q = &me->control->queue;
    ordo_u32 pushed = adds_push(q, &me->writer, b, entries, count, sizeof(op_entry));
    while (__builtin_expect(pushed < count, 0) && ordo_adds_wait_for_room(me->control, me->job, b))
        pushed += adds_push(q, &me->writer, b, entries + pushed, count - pushed, sizeof(op_entry));
    if (__builtin_expect(pushed < count, 0))
        adds_spill(me, entries + pushed, count - pushed);
}

ORDO_INLINE ordo_u32 adds_entry_bucket(const adds_member *me, op_entry entry)
{
    return adds_bucket_of(&me->map, me->buckets, op_entry_priority(me->job, entry));
}

/* Pushes a buffer. If the head has moved or delta has changed since its entries were sorted, sorts them again first, in
 * runs, so that none is put behind the head. */
ORDO_NOINLINE void adds_flush(adds_member *me, ordo_u32 b)
{
    const op_entry *entries = me->buffer[b];
    ordo_u32 count = me->in_buffer[b];
    me->in_buffer[b] = 0;
    me->filled &= ~((ordo_u32)1 << b);
    if (__builtin_expect(!adds_map_is_old(me->control, &me->map), 1)) {
        adds_push_to(me, b, entries, count);
        return;
    }
    adds_map now;
    adds_read_map(me->control, &now);
    adds_map before = me->map;
    me->map = now;
    for (ordo_u32 i = 0, j; i < count; i = j) {
        ordo_u32 to = adds_entry_bucket(me, entries[i]);
        for (j = i + 1; j < count && adds_entry_bucket(me, entries[j]) == to;)
            j++;
        adds_push_to(me, to, entries + i, j - i);
    }
    me->map = before; /* the entries of the other buffers were sorted by this map */
}

ORDO_INLINE void adds_put(adds_member *me, op_entry entry)
{
    double priority = op_entry_priority(me->job, entry); /* not const: clang's atomics take no pointer to const */
    const ordo_u32 b = adds_bucket_of(&me->map, me->buckets, priority);
    if (b == adds_tail_of(&me->map, me->buckets)) {
        double least;
        __atomic_load(&me->worker->tail_least, &least, __ATOMIC_RELAXED);
        if (priority < least)
            __atomic_store(&me->worker->tail_least, &priority, __ATOMIC_RELAXED);
    }
    me->filled |= (ordo_u32)1 << b;
    me->buffer[b][me->in_buffer[b]++] = entry;
    if (me->in_buffer[b] == ADDS_BUFFER)
        adds_flush(me, b);
}

ORDO_INLINE void adds_activate(void *arg, op_entry entry)
{
    adds_member *me = (adds_member *)arg;
    adds_put(me, entry);
}

/* Pushes all buffers, that of the lowest bucket first. */
ORDO_INLINE void adds_flush_all(adds_member *me)
{
    ordo_u32 ahead = me->filled & ~(((ordo_u32)1 << me->map.head) - 1);
    while (me->filled) {
        adds_flush(me, (ordo_u32)__builtin_ctz(ahead ? ahead : me->filled));
        ahead &= me->filled;
    }
}

ORDO_INLINE void adds_refresh_map(adds_member *me)
{
    if (adds_map_is_old(me->control, &me->map))
        adds_read_map(me->control, &me->map);
}

/* Processes an assignment, whose entries are contiguous. */
ORDO_INLINE void adds_process(adds_member *me, ordo_u64 flag, const ordo_rows *rows, const ordo_sync sync)
{
    adds_queue *q = &me->control->queue;
    ordo_u32 location = adds_flag_location(flag), size = adds_flag_size(flag);
    adds_refresh_map(me);
    op_expand(me->job, rows, (const op_entry *)(const void *)q->pool + location, size, &me->count, sync, adds_activate,
              me);
    adds_done_reading(q, location, size);
    adds_flush_all(me);
    adds_done_work(q, adds_flag_bucket(flag), size);
}

/* Takes up to `most` entries that are not pushed yet into me->batch: initial items first, then overflow. Returns their
 * number. */
static ordo_u32 adds_take_overflow(adds_member *me, ordo_u32 most)
{
    ordo_u32 count = 0;
    while (count < most && me->next_initial < me->end_initial)
        me->batch[count++] = op_entry_now(me->job, op_initial(me->job, me->next_initial++));
    while (count < most && me->overflow.count)
        me->batch[count++] = ((const op_entry *)me->overflow.data)[--me->overflow.count];
    return count;
}

/* Pushes a batch of the overflow; false where most of it spilled again. */
static bool adds_push_overflow(adds_member *me)
{
    adds_refresh_map(me);
    ordo_u32 count = adds_take_overflow(me, me->control->params.grain_high);
    ordo_u64 in = me->worker->in;
    for (ordo_u32 i = 0; i < count; i++)
        adds_put(me, me->batch[i]);
    adds_flush_all(me);
    ordo_u64 spilled = me->worker->in - in;
    __atomic_store_n(&me->worker->out, me->worker->out + count, __ATOMIC_RELEASE);
    return 2 * spilled <= count;
}

/* For a member with overflow and nothing else to do: pushes overflow, or processes what finds no free slots. */
ORDO_INLINE void adds_drain_overflow(adds_member *me, const ordo_rows *rows, const ordo_sync sync)
{
    if (adds_push_overflow(me))
        return;
    ordo_u32 count = adds_take_overflow(me, me->control->params.grain_high);
    op_expand(me->job, rows, me->batch, count, &me->count, sync, adds_activate, me);
    adds_flush_all(me);
    __atomic_store_n(&me->worker->out, me->worker->out + count, __ATOMIC_RELEASE);
}

/* Waits for a flag: a few pauses, more in each round, then yields the core to other threads. */
ORDO_INLINE void adds_wait(adds_member *me, int round, int patience)
{
    __atomic_store_n(&me->worker->waiting, 1, __ATOMIC_RELAXED);
    if (round >= patience)
        ordo_yield();
    else
        for (int i = 0; i < 4 << (round < 4 ? round : 4) && !__atomic_load_n(&me->worker->flag, __ATOMIC_RELAXED); i++)
            ordo_pause();
}

/* The loop of a dedicated manager. */
ORDO_NOINLINE void adds_manage_loop(adds_run *run, int patience)
{
    adds_control *c = run->control;
    for (int round = 0; !c->ended && !ordo_job_stopped(run->job);) {
        run->job->supersteps = c->switches;
        ordo_job_poll(run->job, __atomic_load_n(&c->in_flight, __ATOMIC_RELAXED));
        round = adds_manage(c, -1) ? 0 : round + 1;
        if (round >= patience)
            ordo_yield();
        else if (round)
            ordo_pause();
    }
}

/* By all members: the first bucket begins at the least priority of all initial items. */
ORDO_INLINE void adds_agree_base(adds_run *run, int index)
{
    ordo_job *job = run->job;
    adds_control *c = run->control;
    adds_member *me = run->member[index];
    double lowest = op_least_priority(job, me->next_initial, me->end_initial, &me->count);
    run->lowest[index] = lowest;
    ordo_team_barrier(job->team);
    if (index == 0) {
        for (int t = 1; t < job->threads; t++)
            lowest = run->lowest[t] < lowest ? run->lowest[t] : lowest;
        c->base = __builtin_isfinite(lowest) ? lowest : 0;
        adds_publish_map(c);
    }
    ordo_team_barrier(job->team);
    adds_read_map(c, &me->map);
}

/* The member's assignment flag. Where it has none and the role is free: after a turn of managing. */
ORDO_INLINE ordo_u64 adds_next_flag(adds_control *c, const adds_member *me, int index)
{
    ordo_u64 flag = __atomic_load_n(&me->worker->flag, __ATOMIC_ACQUIRE);
    if (!flag && c->params.combining && adds_try_lock(c)) {
        adds_manage(c, index);
        adds_unlock(c);
        flag = __atomic_load_n(&me->worker->flag, __ATOMIC_ACQUIRE);
    }
    return flag;
}

ORDO_INLINE void adds_work(adds_run *run, int index, const ordo_sync sync)
{
    ordo_job *job = run->job;
    adds_control *c = run->control;
    adds_member *me = run->member[index];
    const int patience = job->threads > ordo_cores() ? 2 : 64;
    adds_agree_base(run, index);
    ordo_count_from(job, index, &me->count, NULL, 0, NULL);
    if (!c->params.combining && index == 0) {
        ordo_set_state(job, index, ORDO_MANAGING);
        adds_manage_loop(run, patience);
        ordo_set_state(job, index, ORDO_ENDED);
        return;
    }

    const ordo_rows rows = ordo_rows_of(job->out, op_weight_type);
    double busy_since = ORDO_CLOCK(job);
    while (me->next_initial < me->end_initial && ordo_go_on(job, &me->count, c->params.grain_high) &&
           adds_push_overflow(me))
        ;
    ordo_u64 assignments = 0;
    for (int round = 0; !ordo_job_stopped(job);) {
        if (index == 0) {
            job->supersteps = __atomic_load_n(&c->switches, __ATOMIC_RELAXED);
            ordo_job_poll(job, __atomic_load_n(&c->in_flight, __ATOMIC_RELAXED));
        }
        const ordo_u64 flag = adds_next_flag(c, me, index);
        const bool overflow = !flag && (me->next_initial < me->end_initial || me->overflow.count);
        if (flag || overflow) {
            if (round) {
                __atomic_store_n(&me->worker->waiting, 0, __ATOMIC_RELAXED);
                if (round > 1)
                    busy_since = ordo_go_to_work(job, index);
                round = 0;
            }
            if (flag == ADDS_END)
                break;
            if (flag) {
                __atomic_store_n(&me->worker->flag, 0, __ATOMIC_RELAXED);
                adds_process(me, flag, &rows, sync);
            } else {
                adds_drain_overflow(me, &rows, sync);
            }
            if (++assignments % 64 == 0) /* for progress reports */
                ordo_publish_counters(job, index, &me->count);
            continue;
        }
        if (++round == 2) /* the first round is too short to read the clock */
            ordo_stop_work(job, index, &me->count, busy_since);
        adds_wait(me, round, patience);
    }
    me->count.work_seconds += ORDO_CLOCK(job) - busy_since;
    ordo_count_to(job, index, &me->count);
}

ORDO_NOINLINE void adds_work_atomic(void *run, int index)
{
    adds_work((adds_run *)run, index, ORDO_SYNC_ATOMIC);
}
ORDO_NOINLINE void adds_work_lock(void *run, int index)
{
    adds_work((adds_run *)run, index, ORDO_SYNC_LOCK);
}

/* The parameters that follow from the tunables. */
static adds_params adds_params_of(ordo_job *job, double delta)
{
    const double *t = job->tunable;
    double degree = job->mean_degree > 1 ? job->mean_degree : 1;
    adds_params r = {
        .first_worker = t[ADDS_MANAGER] > 0 && job->threads > 1,
        .workers = (ordo_u32)job->threads,
        .combining = !(t[ADDS_MANAGER] > 0) || job->threads == 1,
        .grain_low = adds_grain_low(job),
        .grain_high = (ordo_u32)t[ADDS_GRAIN],
        .epoch = t[ADDS_EPOCH] > 0 ? (ordo_u32)t[ADDS_EPOCH] : 32,
        .controller = adds_delta_params_of(job, delta, 2, 0.3),
        .job = job,
        .overflow = job->initial_count,
    };
    r.controller.worth = ADDS_WORTH;
    /* So that an assignment of high degrees ends within about a millisecond: member 0 polls for cancellation between
     * assignments. */
    while (r.grain_high > r.grain_low && r.grain_high * degree > 131072)
        r.grain_high /= 2;
    if (r.grain_low > r.grain_high)
        r.grain_low = r.grain_high;
    return r;
}

static void adds_run_team(adds_run *run)
{
    ordo_job *job = run->job;
    ordo_job_probe(job, adds_probe_run, run->control);
    ordo_team_run(job->team, ordo_job_sync(job) == ORDO_SYNC_LOCK ? adds_work_lock : adds_work_atomic, run);
    ordo_job_probe(job, NULL, NULL);
}

static ordo_status adds_run_job(ordo_job *job)
{
    const double *t = job->tunable;
    const ordo_u32 buckets = (ordo_u32)t[ADDS_BUCKETS];
    double own = op_delta((double)job->out->n, (double)job->out->m);
    double delta = ordo_job_delta(job, t[ADDS_DELTA], own, ordo_adds_factor(job, t[ADDS_FACTOR]));
    adds_layout layout = adds_layout_for(buckets, (ordo_u64)t[ADDS_POOL], (ordo_u64)t[ADDS_BLOCK],
                                         (ordo_u64)t[ADDS_SEGMENT], job->out->m, sizeof(op_entry), ADDS_MOST);
    layout.start = (ordo_u32)t[ADDS_START_INDEX];
    adds_control *c = (adds_control *)ordo_alloc_zero(1, sizeof *c);
    adds_run run = {.job = job, .control = c};
    run.member = (adds_member **)ordo_alloc_zero((size_t)job->threads, sizeof *run.member);
    run.lowest = (double *)ordo_alloc((size_t)job->threads, sizeof *run.lowest);
    ordo_status status = c && run.member && run.lowest ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status) {
        c->params = adds_params_of(job, delta);
        c->worker = (adds_worker *)ordo_alloc_zero((size_t)job->threads, sizeof(adds_worker));
        if (!adds_queue_init(&c->queue, &layout) || !c->worker)
            status = ORDO_ERR_MEMORY;
    }
    int first = status ? 0 : (int)c->params.first_worker;
    for (int i = 0; !status && i < job->threads; i++) {
        adds_member *me = run.member[i] =
            (adds_member *)ordo_alloc(1, sizeof *me + c->params.grain_high * sizeof(op_entry));
        if (!me) {
            status = ORDO_ERR_MEMORY;
            break;
        }
        memset(me, 0, sizeof *me);
        me->job = job;
        me->control = c;
        me->worker = &c->worker[i];
        me->buckets = buckets;
        adds_writer_init(&me->writer);
        if (i >= first)
            ordo_split(job->initial_count, job->threads - first, i - first, &me->next_initial, &me->end_initial);
        me->worker->in = me->end_initial - me->next_initial;
    }
    if (!status) {
        adds_control_init(c, adds_delta_controller_of(job, &c->params.controller, delta));
        job->delta_first = delta;
        adds_run_team(&run);
        job->supersteps = c->switches;
        job->delta_last = c->controller.delta;
        long long pool = (long long)(((ordo_u64)c->queue.blocks_used << layout.block_shift) * layout.entry);
        ordo_job_account(job, pool);
        ordo_job_account(job, -pool);
    }
    for (int i = 0; run.member && i < job->threads; i++) {
        if (run.member[i])
            ordo_bin_free(job, &run.member[i]->overflow, sizeof(op_entry));
        ordo_free(run.member[i]);
    }
    if (c) {
        adds_queue_free(&c->queue);
        ordo_free(c->worker);
    }
    ordo_free(c);
    ordo_free(run.member);
    ordo_free(run.lowest);
    return status;
}

ORDO_CPU_INSTANCE(adds, adds_run_job)
