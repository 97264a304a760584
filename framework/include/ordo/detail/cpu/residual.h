/* residual.h -- gather operators on a worklist, on the CPU: presents them to schedulers as items with priorities.
 * Included by <ordo/scheduler/cpu.h> where ORDO_OP_BY_RESIDUAL is 1. Expects <ordo/detail/cpu/gather.h>.
 *
 * Problem. Rounds compute every vertex alike, though late in an iteration few vertices still move. The schedulers with
 * an order of work take entries of relax operators.
 *
 * Method (by residual: Elidan, McGraw and Koller 2006; PageRank: Zhang et al. 2011). A vertex has a *residual*: how far
 * it would move at most, by what its in-neighbours have changed since it was last computed. It begins as infinite. An
 * entry is an item with the residual that it had; its priority follows from the residual, the greatest first. To
 * process an item: take its residual, which becomes 0; gather its row; write its cell and its share; add to the
 * residual of every out-neighbour what the operator says (ORDO_GATHER_INFLUENCE). A residual that reaches another
 * level makes an entry; one of level 0 is left. So an adapter of the same names as <ordo/detail/cpu/relax.h> has for
 * sums is enough, and one text serves all schedulers. Levels, priorities and the end of a run:
 * <ordo/detail/residual.h>.
 *
 * Memory order. The word of a residual has a sign, which says that a member is computing the vertex.
 *   take     compare-and-swap of a word of a level above 0 without sign to -0, acquire
 *   offer    compare-and-swap that adds to the magnitude and keeps the sign, release; makes an entry where there is no
 *            sign and the level rises
 *   finish   compare-and-swap that removes the sign, release; makes an entry if the level is above 0 by then
 * Invariants. (1) A vertex has one writer at a time, and sees what the one before it wrote: only a take sets the sign,
 * only its member removes it, and the take that follows reads a value of the chain of read-modify-writes that this
 * release heads. (2) A vertex of a level above 0 without sign has an entry of that level in flight: offers and finishes
 * make one whenever they bring that state about, and only takes lower a level. So none is lost. (3) Who takes a
 * residual sees the shares whose changes it sums up: they were stored before the release of the offer, in the same
 * chain. A share that is stored while it is read gives the value before or after; its change then reaches the residual
 * later, and so the vertex is computed again. A message (sync `server`) carries the order by its ring.
 *
 * Not done: long rows shared by several members.
 */
#include <ordo/detail/cpu/base.h>
#include <ordo/detail/residual.h>

typedef double op_offered; /* what is offered to a target, and the type of op_offers() */

typedef struct op_residual_entry {
    double value; /* the residual of the item, when the entry was made */
    ordo_item item;
} op_residual_entry;
#define op_entry op_residual_entry

enum { op_priority_signed = 0 };

/* A run. job->adapter points at it. */
typedef struct op_residual_run {
    ordo_rows in;
    op_share *share;  /* [n] in place */
    double *residual; /* [n] */
    op_residual_limits limits;
    ordo_u64 padding[8];
    ordo_u64 computed; /* of these; members add to it */
} op_residual_run;

ORDO_INLINE op_residual_run *op_residual(const ordo_job *job)
{
    return (op_residual_run *)job->adapter;
}

/* The words that offers go to. */
ORDO_INLINE double *op_offers(const ordo_job *job)
{
    return op_residual(job)->residual;
}

ORDO_INLINE double op_get(const double *word)
{
    double value;
    __atomic_load(word, &value, __ATOMIC_RELAXED);
    return value;
}
ORDO_INLINE void op_put(double *word, double value)
{
    __atomic_store(word, &value, __ATOMIC_RELAXED);
}
ORDO_INLINE bool op_residual_swap(double *word, double *expected, double value, int order)
{
    return __atomic_compare_exchange(word, expected, &value, true, order, __ATOMIC_RELAXED);
}

ORDO_INLINE int op_residual_level(const ordo_job *job, double residual)
{
    return op_residual_steps(op_residual(job)->limits.per_threshold, residual);
}

/* Adds *addend to the residual of `target`; true if that makes an entry, of the residual that *addend is then. Under
 * ORDO_SYNC_SERVER nothing is written: true means that the sink must send the addend. */
ORDO_INLINE bool op_offer(const ordo_job *job, double *word, ordo_u32 target, double *addend, const ordo_sync sync)
{
    double old = op_get(word + target), sum;
    if (!(*addend > 0))
        return false;
    if (sync == ORDO_SYNC_SERVER)
        return true;
    do
        sum = __builtin_signbit(old) ? old - *addend : old + *addend;
    while (!op_residual_swap(word + target, &old, sum, __ATOMIC_RELEASE));
    *addend = sum;
    return !__builtin_signbit(sum) && op_residual_level(job, sum) > op_residual_level(job, old);
}

/* Whether an entry can be skipped: its item is being computed, has been since, or has an entry of a higher level. */
ORDO_INLINE bool op_stale(const ordo_job *job, op_entry entry)
{
    const int level = op_residual_level(job, op_get(op_offers(job) + entry.item));
    return level == 0 || level != op_residual_level(job, entry.value);
}

ORDO_INLINE op_entry op_entry_now(const ordo_job *job, ordo_item item)
{
    op_entry entry;
    entry.item = item;
    entry.value = op_get(op_offers(job) + item);
    return entry;
}

ORDO_INLINE double op_entry_priority(const ordo_job *job, op_entry entry)
{
    return op_residual_priority(op_residual_doublings(op_residual(job)->limits.per_threshold, entry.value),
                                job->out->row[entry.item + 1] - job->out->row[entry.item]);
}

typedef void op_sink(void *arg, op_entry activated);

/* Takes the residual of an item, and with it the right to write its cell. */
ORDO_INLINE bool op_residual_take(const ordo_job *job, ordo_item item)
{
    double *word = op_offers(job) + item, old = op_get(word);
    while (op_residual_level(job, old) > 0) /* 0 where there is a sign */
        if (op_residual_swap(word, &old, -0.0, __ATOMIC_ACQUIRE))
            return true;
    return false;
}

/* Ends what op_residual_take has begun. What has been offered meanwhile makes an entry, or is sent to the item's owner
 * as one more offer. */
ORDO_INLINE void op_residual_finish(const ordo_job *job, ordo_item item, const ordo_sync sync, op_sink push, void *arg)
{
    double *word = op_offers(job) + item, old = op_get(word), left;
    do
        left = sync == ORDO_SYNC_SERVER ? 0 : -old;
    while (!op_residual_swap(word, &old, left, __ATOMIC_RELEASE));
    const op_entry entry = {-old, item};
    if (sync == ORDO_SYNC_SERVER ? entry.value > 0 : op_residual_level(job, entry.value) > 0)
        push(arg, entry);
}

/* Computes an item that has been taken; returns the number of edges it has read and offered to. */
ORDO_INLINE ordo_u64 op_residual_item(const ordo_job *job, const ordo_rows *r, ordo_item v, const ordo_sync sync,
                                      op_sink push, void *arg)
{
    const op_residual_run *run = op_residual(job);
    const op_state *state = (const op_state *)job->state;
    static const double no_totals[4] = {0};
    const ordo_eid begin = run->in.row[v], end = run->in.row[v + 1];
    const op_value value = op_gather_row(state, &run->in, run->share, v, begin, end, NULL);
    const op_share before = op_load_share(run->share + v);
    op_cell *cell = (op_cell *)job->cells + v;
    const op_cell old = *cell; /* where there are no shares, these are the cells */
    const op_cell now = op_apply(state, v, old, value, no_totals);
    op_share share = op_share_of(state, v, now);
    if (op_shares)
        *cell = now;
    __atomic_store(run->share + v, &share, __ATOMIC_RELAXED);
    if (!(share < before || share > before))
        return end - begin;
    const ordo_eid first = r->row[v], last = r->row[v + 1];
    for (ordo_eid e = first; e < last; e++) {
        const ordo_vid head = r->head[e * r->head_stride];
        if (e + ORDO_AHEAD_HEAD < last)
            __builtin_prefetch(run->residual + r->head[(e + ORDO_AHEAD_HEAD) * r->head_stride], 1);
        op_entry raised = {
            op_influence(state, before, share, op_make_edge(e, v, head, r->weight + e * r->weight_stride)), head};
        if (op_offer(job, run->residual, head, &raised.value, sync))
            push(arg, raised);
    }
    return end - begin + last - first;
}

/* A batch of op_expand (<ordo/scheduler/cpu.h>). There is no `later`. Past the budget, entries are dropped. Returns the
 * number of entries and of edges. */
ORDO_INLINE ordo_u64 op_expand_batch(ordo_job *job, const ordo_rows *r, const op_entry *entries, ordo_u64 size,
                                     ordo_u64 known, ordo_counters *count, ordo_bin *later, const ordo_sync sync,
                                     op_sink push, void *arg)
{
    op_residual_run *run = op_residual(job);
    ordo_u64 computed = 0, edges = 0;
    (void)later;
    if (__atomic_load_n(&run->computed, __ATOMIC_RELAXED) >= run->limits.budget)
        return size;
    for (ordo_u64 i = 0; i < size; i++) {
        if (i + ORDO_AHEAD_ROW < known) {
            const ordo_item ahead = entries[i + ORDO_AHEAD_ROW].item;
            __builtin_prefetch(&run->in.row[ahead]);
            __builtin_prefetch(&r->row[ahead]);
            __builtin_prefetch(run->residual + ahead, 1);
        }
        if (i + ORDO_AHEAD_EDGES < known) {
            const ordo_item ahead = entries[i + ORDO_AHEAD_EDGES].item;
            __builtin_prefetch(&run->in.head[run->in.row[ahead] * run->in.head_stride]);
            __builtin_prefetch(&r->head[r->row[ahead] * r->head_stride]);
        }
        if (op_stale(job, entries[i]) || !op_residual_take(job, entries[i].item))
            continue;
        computed++;
        edges += op_residual_item(job, r, entries[i].item, sync, push, arg);
        op_residual_finish(job, entries[i].item, sync, push, arg);
    }
    __atomic_fetch_add(&run->computed, computed, __ATOMIC_RELAXED);
    ORDO_COUNT(count->stale += size - computed);
    ORDO_COUNT(count->items += computed);
    ORDO_COUNT(count->edges += edges);
    return size + edges;
}

/* A member's part of the first residuals and shares. */
ORDO_NOINLINE void op_residual_fill(void *arg, int index)
{
    ordo_job *job = (ordo_job *)arg;
    const op_residual_run *run = op_residual(job);
    ordo_u64 begin, end;
    ordo_split(job->num_items, job->threads, index, &begin, &end);
    for (ordo_u64 v = begin; v < end; v++) {
        run->residual[v] = __builtin_huge_val();
        if (op_shares)
            run->share[v] = op_share_of((const op_state *)job->state, (ordo_item)v, ((const op_cell *)job->cells)[v]);
    }
}

/* A pass: see op_residual_passes. */
ORDO_INLINE ordo_status op_residual_pass(ordo_job *job, ordo_status (*run_job)(ordo_job *))
{
    op_residual_run *run = op_residual(job);
    const ordo_u64 n = job->num_items;
    const long long bytes = (long long)(n * (sizeof(double) + (op_shares ? sizeof(op_share) : 0)));
    run->computed = 0;
    run->residual = (double *)ordo_alloc(n, sizeof(double));
    run->share = op_shares ? (op_share *)ordo_alloc(n, sizeof(op_share)) : (op_share *)job->cells;
    ordo_status status = run->residual && run->share ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status) {
        ordo_job_account(job, bytes);
        ordo_team_run(job->team, op_residual_fill, job);
        status = run_job(job);
        ordo_job_account(job, -bytes);
    }
    ordo_free(run->residual);
    if (op_shares)
        ordo_free(run->share);
    run->limits.budget -= run->computed < run->limits.budget ? run->computed : run->limits.budget;
    const ordo_u64 steps = job->supersteps;
    if (!status && !ordo_job_stopped(job))
        status = op_gather_rounds(job, false, 1);
    job->supersteps = steps + 1;
    return status;
}

/* A run under a scheduler whose ordo_instance.run is `run_job`. */
ORDO_INLINE ordo_status op_residual_job(ordo_job *job, ordo_status (*run_job)(ordo_job *))
{
    op_residual_run run = {0};
    ordo_status status = ordo_job_need_in(job);
    if (status)
        return status;
    run.in = ordo_rows_of(job->in, op_weight_type);
    job->adapter = &run;
    status = op_residual_passes(job, run_job, &run.limits, op_residual_pass);
    job->adapter = NULL;
    return status;
}
