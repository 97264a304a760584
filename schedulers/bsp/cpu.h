/* bsp/cpu.h -- bulk-synchronous supersteps on the CPU.
 *
 * Problem: process a worklist in parallel with nothing shared but a barrier.
 * Method: see README.md. Every member appends to its own `next` bin. At the end of a superstep members vote how many
 * items and edges they have for the next one; after the barrier each opens its bin (ordo_share), so that the only
 * contention is on chunks taken from members that lag. Pull supersteps (Beamer et al. 2012) read the frontier as a
 * bitmap and write the next one: words of it belong to one chunk of vertices, so plain stores do.
 *
 * Ends when no member has an item, by votes compared across a barrier: exact.
 *
 * A template; expects ORDO_OP and <ordo/cpu.h> instantiated for it.
 */
#include "tunables.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _bsp_, _part)

#ifndef ORDO_BSP_ONCE
#define ORDO_BSP_ONCE
/* What a member has for the next superstep; two, for even and odd supersteps: one is read while the other is written.
 */
typedef struct ordo_bsp_vote {
    struct {
        ordo_u64 items, edges;
    } of[2];
    ordo_u64 padding[4];
} ordo_bsp_vote;
enum { ORDO_BSP_AUTO = 0, ORDO_BSP_PUSH = 1, ORDO_BSP_PULL = 2, ORDO_BSP_PULL_WORDS = 16, ORDO_BSP_GROWTH = 2 };
#endif

typedef struct MY(run) {
    ordo_job *job;
    ordo_share *shares;   /* [threads] */
    ordo_bsp_vote *votes; /* [threads] */
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    ordo_u64 *front[2]; /* [words] bitmaps of vertices, where pulling is possible; else NULL */
    ordo_u64 words;
    ordo_u64 next_word[2]; /* first not taken, for even and odd supersteps */
#else
    ordo_owners owners;
#endif
} MY(run);

typedef struct MY(member) {
    ordo_job *job;
    ordo_bin next;
    ordo_u64 next_edges; /* out-degrees of what is in next, where that is asked for */
    ordo_counters count;
} MY(member);

/* Votes, waits for all, adds up. False when the run is over. */
ORDO_INLINE bool MY(agree)(MY(run) * run, int index, ordo_u64 superstep, MY(member) * me, ordo_u64 my_items,
                           ordo_u64 *items, ordo_u64 *edges)
{
    ordo_job *job = run->job;
    ordo_publish_counters(job, index, &me->count);
    run->votes[index].of[superstep & 1].items = my_items;
    run->votes[index].of[superstep & 1].edges = me->next_edges;
    if (index == 0) {
        ordo_job_poll(job, *items);
        ordo_job_settle(job, superstep);
    }
    ordo_team_barrier(job->team);
    *items = *edges = 0;
    for (int t = 0; t < job->threads; t++) {
        *items += run->votes[t].of[superstep & 1].items;
        *edges += run->votes[t].of[superstep & 1].edges;
    }
    return *items > 0 && !ordo_job_settled(job, superstep);
}

ORDO_INLINE void MY(begin_superstep)(const MY(run) * run, int index, ordo_u64 superstep, ordo_u64 items)
{
    if (index != 0)
        return;
    run->job->supersteps = superstep;
    ORDO_COUNT(ordo_job_sample(run->job, items, superstep, 0, 1, -1));
}

/* Makes `next` the open bin of this superstep, and what was open before the new, empty `next`. */
ORDO_INLINE void MY(flip)(MY(run) * run, int index, ordo_u64 superstep, MY(member) * me, ordo_bin *open)
{
    ordo_bin swap = *open;
    *open = me->next;
    me->next = swap;
    me->next.count = 0;
    me->next_edges = 0;
    ordo_share_open(&run->shares[index], open, superstep);
}

#if ORDO_OP_KIND == ORDO_KIND_RELAX

ORDO_INLINE void MY(push)(void *arg, OP(entry) entry)
{
    MY(member) *me = (MY(member) *)arg;
    OP(append)(me->job, &me->next, entry);
    if (OP(can_settle))
        me->next_edges += me->job->out->row[entry.item + 1] - me->job->out->row[entry.item];
}

/* One pull superstep: members take words of 64 vertices and own them. Not for sums, which never settle. */
#if ORDO_OP_ORDER == ORDO_SUM
ORDO_INLINE ordo_u64 MY(pull)(MY(run) * run, ordo_u64 superstep, const ordo_rows *in, ordo_counters *count)
{
    (void)run;
    (void)superstep;
    (void)in;
    (void)count;
    return 0;
}
#else
ORDO_INLINE ordo_u64 MY(pull)(MY(run) * run, ordo_u64 superstep, const ordo_rows *in, ordo_counters *count)
{
    ordo_job *job = run->job;
    const OP(state) *state = (const OP(state) *)job->state;
    OP(cell) *cell = (OP(cell) *)job->cells;
    const ordo_u64 *front = run->front[superstep & 1];
    ordo_u64 *next = run->front[(superstep + 1) & 1];
    ordo_u64 awake = 0, first;
    while ((first = __atomic_fetch_add(&run->next_word[superstep & 1], ORDO_BSP_PULL_WORDS, __ATOMIC_RELAXED)) <
           run->words) {
        ordo_u64 last = first + ORDO_BSP_PULL_WORDS < run->words ? first + ORDO_BSP_PULL_WORDS : run->words;
        for (ordo_u64 word = first; word < last; word++) {
            ordo_u64 bits = 0, open = 0;
            const ordo_u64 base = word * 64, here = base + 64 < job->universe ? 64 : job->universe - base;
            /* who looks at all, without a branch; then all their rows are on the way while the first is looked at */
            for (ordo_u64 i = 0; i < here; i++)
                open |= (ordo_u64)(!OP(settled)(state, (ordo_item)(base + i), OP(load)(cell + base + i)) &
                                   (in->row[base + i] < in->row[base + i + 1]))
                        << i;
            for (ordo_u64 left = open; left; left &= left - 1)
                __builtin_prefetch(&in->head[in->row[base + (ordo_u64)__builtin_ctzll(left)] * in->head_stride]);
            for (ordo_u64 left = open; left; left &= left - 1) {
                const ordo_u64 v = base + (ordo_u64)__builtin_ctzll(left);
                ordo_eid e = in->row[v], row_end = in->row[v + 1];
                for (; e < row_end; e++) {
                    ordo_vid u = in->head[e * in->head_stride];
                    if (!(front[u / 64] >> (u % 64) & 1))
                        continue;
                    OP(cell) old = OP(load)(cell + v);
                    OP(cell) c = OP(gather_edge)(job, e, u, (ordo_vid)v, in->weight + e * in->weight_stride, old);
                    if (!OP(better)(c, old))
                        continue;
                    __atomic_store(cell + v, &c, __ATOMIC_RELAXED);
                    bits |= (ordo_u64)1 << (v % 64);
                    if (OP(settled)(state, (ordo_item)v, c)) {
                        e++;
                        break;
                    }
                }
                ORDO_COUNT(count->edges += e - in->row[v]);
            }
            next[word] = bits;
            awake += (ordo_u64)__builtin_popcountll(bits);
        }
    }
    return awake;
}
#endif

/* Own part of the bitmap into `next`. */
ORDO_INLINE void MY(bits_to_next)(MY(run) * run, int index, const ordo_u64 *front, MY(member) * me)
{
    ordo_u64 begin, end;
    ordo_split(run->words, run->job->threads, index, &begin, &end);
    for (ordo_u64 word = begin; word < end; word++)
        for (ordo_u64 bits = front[word]; bits; bits &= bits - 1)
            OP(append)
    (me->job, &me->next, OP(entry_now)(me->job, (ordo_item)(word * 64 + (ordo_u64)__builtin_ctzll(bits))));
}

/* `next` of all members into a bitmap. Ends with all members having done so. */
ORDO_INLINE void MY(next_to_bits)(MY(run) * run, int index, ordo_u64 *front, MY(member) * me)
{
    ordo_u64 begin, end;
    ordo_split(run->words, run->job->threads, index, &begin, &end);
    for (ordo_u64 word = begin; word < end; word++)
        front[word] = 0;
    ordo_team_barrier(run->job->team);
    for (ordo_u64 i = 0; i < me->next.count; i++) {
        ordo_item v = ((const OP(entry) *)me->next.data)[i].item;
        __atomic_fetch_or(&front[v / 64], (ordo_u64)1 << (v % 64), __ATOMIC_RELAXED);
    }
    ordo_team_barrier(run->job->team);
}

ORDO_INLINE void MY(work)(MY(run) * run, int index, const ordo_sync sync)
{
    ordo_job *job = run->job;
    const ordo_rows rows = ordo_rows_of(job->out, OP(weight_type));
    const ordo_u64 chunk = (ordo_u64)job->tunable[BSP_CHUNK];
    const int direction = run->front[0] ? (int)job->tunable[BSP_DIRECTION] : ORDO_BSP_PUSH;
    const double alpha = job->tunable[BSP_ALPHA], beta = job->tunable[BSP_BETA];
    MY(member) me = {.job = job};
    ordo_bin open = {0};

    ordo_u64 begin, end, items = 0, edges = 0, last_items = 0, edges_left = job->out->m;
    ordo_split(job->initial_count, job->threads, index, &begin, &end);
    for (ordo_u64 i = begin; i < end; i++) {
        ordo_item item = OP(initial)(job, i);
        OP(append)(job, &me.next, OP(entry_now)(job, item));
        me.next_edges += job->out->row[item + 1] - job->out->row[item];
    }

    bool pulling = false;
    ordo_u64 my_items = me.next.count;
    for (ordo_u64 superstep = 1; MY(agree)(run, index, superstep, &me, my_items, &items, &edges); superstep++) {
        MY(begin_superstep)(run, index, superstep, items);
        /* Every member computes the same from the same votes. A pull looks at all that is left, so it pays where the
         * next frontier is most of it: a frontier that does not grow, as in a mesh, has more than 1/alpha of what is
         * left only because little is. */
        bool pull = direction == ORDO_BSP_PULL;
        if (direction == ORDO_BSP_AUTO)
            pull = pulling ? items >= last_items || (double)items > (double)job->universe / beta
                           : (double)edges > (double)edges_left / alpha && items > ORDO_BSP_GROWTH * last_items;
        edges_left -= edges < edges_left ? edges : edges_left;
        last_items = items;
        double before = ORDO_CLOCK(job);
        if (OP(can_settle) && pull) {
            const ordo_rows in = ordo_rows_of(job->in, OP(weight_type));
            if (!pulling)
                MY(next_to_bits)(run, index, run->front[superstep & 1], &me);
            if (index == 0)
                run->next_word[(superstep + 1) & 1] = 0;
            me.next.count = 0;
            me.next_edges = 0;
            if (index == 0)
                ORDO_COUNT(me.count.items += items); /* the frontier is what is processed, whoever looks at it */
            my_items = MY(pull)(run, superstep, &in, &me.count);
        } else {
            if (OP(can_settle) && pulling)
                MY(bits_to_next)(run, index, run->front[superstep & 1], &me);
            if (OP(can_settle) && index == 0)
                run->next_word[(superstep + 1) & 1] = 0;
            MY(flip)(run, index, superstep, &me, &open);
            OP(drain)(job, run->shares, index, superstep, chunk, &rows, &me.count, sync, MY(push), &me);
            my_items = me.next.count;
        }
        pulling = OP(can_settle) && pull;
        me.count.work_seconds += ORDO_CLOCK(job) - before;
    }
    ordo_bin_free(job, &me.next, sizeof(OP(entry)));
    ordo_bin_free(job, &open, sizeof(OP(entry)));
    ordo_publish_counters(job, index, &me.count);
}

ORDO_WORK_UNDER(atomic, ATOMIC)
ORDO_WORK_UNDER(lock, LOCK)
ORDO_WORK_UNDER(racy, RACY)

/* Bitmaps and in-rows, where pulling is possible and allowed. */
static ordo_status MY(prepare)(ordo_job *job, MY(run) * run)
{
    if ((int)job->tunable[BSP_DIRECTION] == ORDO_BSP_PUSH)
        return ORDO_OK;
    if (!OP(can_settle)) {
        if ((int)job->tunable[BSP_DIRECTION] == ORDO_BSP_PULL)
            return ordo_fail(
                ORDO_ERR_UNSOUND,
                "scheduler 'bsp' with direction=pull needs an operator that settles vertices; '%s' does not",
                job->op->name);
        return ORDO_OK;
    }
    run->words = (job->universe + 63) / 64;
    for (int i = 0; i < 2; i++) {
        run->front[i] = (ordo_u64 *)ordo_alloc(run->words, sizeof(ordo_u64));
        if (!run->front[i])
            return ORDO_ERR_MEMORY;
        ordo_job_book(job, (long long)(run->words * sizeof(ordo_u64)));
    }
    return ordo_job_need_in(job);
}

static ordo_status MY(run_job)(ordo_job *job)
{
    MY(run)
    run = {.job = job,
           .shares = (ordo_share *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_share)),
           .votes = (ordo_bsp_vote *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_bsp_vote))};
    ordo_status status = run.shares && run.votes ? MY(prepare)(job, &run) : ORDO_ERR_MEMORY;
    if (!status)
        ordo_team_run(job->team,
                      job->sync == ORDO_SYNC_LOCK   ? MY(work_lock)
                      : job->sync == ORDO_SYNC_RACY ? MY(work_racy)
                                                    : MY(work_atomic),
                      &run);
    ordo_free(run.front[0]);
    ordo_free(run.front[1]);
    ordo_free(run.shares);
    ordo_free(run.votes);
    return status;
}

#else /* critical */

ORDO_INLINE void MY(push)(void *arg, OP(entry) activated)
{
    MY(member) *me = (MY(member) *)arg;
    OP(append)(me->job, &me->next, activated);
}

ORDO_INLINE void MY(visit)(MY(run) * run, int index, MY(member) * me, ordo_item item, const ordo_sync sync)
{
    ordo_job *job = run->job;
    ordo_request request[OP(requests)];
    ordo_u32 size = OP(visit)((const OP(state) *)job->state, item, request);
    ORDO_COUNT(me->count.items++);
    ORDO_COUNT(me->count.edges += size);
    for (ordo_u32 k = 0; k < size; k++) {
        if (sync == ORDO_SYNC_LOCK)
            me->count.activations += OP(serve)(job, &request[k], &me->count, MY(push), me);
        else
            ordo_owners_post(&run->owners, index, &request[k]);
    }
}

ORDO_INLINE void MY(work)(MY(run) * run, int index, const ordo_sync sync)
{
    ordo_job *job = run->job;
    const ordo_u64 chunk = (ordo_u64)job->tunable[BSP_CHUNK];
    MY(member) me = {.job = job};
    ordo_bin open = {0};
    ordo_u64 begin, end, items = 0, edges = 0;
    ordo_split(job->initial_count, job->threads, index, &begin, &end);
    for (ordo_u64 i = begin; i < end; i++)
        OP(append)(job, &me.next, OP(entry_now)(job, OP(initial)(job, i)));
    for (ordo_u64 superstep = 1; MY(agree)(run, index, superstep, &me, me.next.count, &items, &edges); superstep++) {
        MY(begin_superstep)(run, index, superstep, items);
        MY(flip)(run, index, superstep, &me, &open);
        double before = ORDO_CLOCK(job);
        for (int k = 0; k < job->threads; k++) {
            ordo_share *share = &run->shares[(index + k) % job->threads];
            if (!ordo_share_wait(job, share, superstep))
                break;
            while (ordo_share_take(share, chunk, &begin, &end))
                for (ordo_u64 i = begin; i < end; i++)
                    MY(visit)(run, index, &me, ((const OP(entry) *)share->data)[i].item, sync);
        }
        if (sync == ORDO_SYNC_OWNER)
            me.count.activations += OP(owners_serve)(&run->owners, index, &me.count, MY(push), &me);
        me.count.work_seconds += ORDO_CLOCK(job) - before;
    }
    ordo_bin_free(job, &me.next, sizeof(OP(entry)));
    ordo_bin_free(job, &open, sizeof(OP(entry)));
    ordo_publish_counters(job, index, &me.count);
}

ORDO_WORK_UNDER(lock, LOCK)
ORDO_WORK_UNDER(owner, OWNER)

static ordo_status MY(run_job)(ordo_job *job)
{
    MY(run)
    run = {.job = job,
           .shares = (ordo_share *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_share)),
           .votes = (ordo_bsp_vote *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_bsp_vote))};
    ordo_status status = run.shares && run.votes ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status && job->sync == ORDO_SYNC_OWNER)
        status = ordo_owners_make(job, &run.owners);
    if (!status)
        ordo_team_run(job->team, job->sync == ORDO_SYNC_OWNER ? MY(work_owner) : MY(work_lock), &run);
    if (run.owners.job)
        ordo_owners_free(&run.owners);
    ordo_free(run.shares);
    ordo_free(run.votes);
    return status;
}

#endif

ORDO_CPU_INSTANCE(bsp, MY(run_job))
#undef MY
