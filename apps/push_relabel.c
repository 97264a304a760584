/* push_relabel.c -- push-relabel by a team of threads: the native program of maxflow on the CPU.
 *
 * Method: Goldberg and Tarjan 1988, the highest active vertex first, with global relabels by work done, and gaps found
 * by counting vertices at each height (Cherkassky and Goldberg, "On implementing the push-relabel method for the
 * maximum flow problem", Algorithmica 19, 1997). A gap at height g disconnects all vertices above it from `to`: `limit`
 * becomes g + 1, and vertices that are not below the limit are skipped until the next global relabel. They need not be
 * found and relabelled. A vertex that reaches the limit later may be connected to `to` or not. So a phase ends with a
 * global relabel that finds no active vertex, unless none was skipped since the last one.
 *
 * If the highest vertex passes its excess on in many small pushes, each amount travels to the sink separately, which
 * takes quadratic time (on the family "ak" of networks, by the authors of that paper). So after many discharges without
 * a global relabel the order changes to sweeps from the highest level down, in which a vertex waits until all higher
 * ones have been discharged once. In sweeps, moving to a lower level also counts as work.
 *
 * Several threads, between two global relabels: each member has active vertices in lists of its own, discharges the
 * highest of these, and lists what it pushes to. There are no locks and no barriers: residuals and excesses change by
 * atomic additions, and heights are read as they are (Hong and He, "An asynchronous multithreaded algorithm for the
 * maximum network flow problem with nonblocking global relabeling heuristic", 2011). A member without vertices asks
 * others (below).
 *
 * Why the answer is right. An active vertex is in one list, or being discharged, or skipped. The push that raises its
 * excess from 0 lists it; the member that has discharged it subtracts what it has sent, and keeps it where excess
 * remains. The atomic operations on the excess order the two, so one of them does. They also order the discharges of a
 * vertex by different members: the subtraction is a release, the addition an acquire, so its height and current edge
 * are words of one member at a time. Only that member decreases residuals of its edges, by no more than it has read,
 * and the sum of the two residuals of a pair is constant. So the state is a preflow, whatever the heights are, and the
 * end is right: no residual path leads from a vertex with excess to `to`.
 *
 * Why a phase ends. With one member it is the sequential algorithm, with its proof. With several, a push may be made on
 * account of a height that has just changed, so that a height can be above the distance until the next global relabel;
 * there is no proof that these come to an end. So after TOGETHER of them member 0 discharges all vertices alone.
 *
 * Asking (receiver-initiated, Acar, Chargueraud and Rainey, "Scheduling parallel programs by work stealing with private
 * deques", PPoPP 2013). A member without vertices writes its number into the `request` of another, chosen at random, if
 * no other member has, and waits for the reply. Each member looks at its `request` after each discharge, and while it
 * waits itself. It hands over half of its vertices, the highest first, or refuses. Invariant: `working` is at least the
 * number of members that have vertices or a transfer under way, since who grants counts the receiver first. So at 0
 * there is no active vertex below the limit. A reply is a release, and reading it an acquire, for the vertices in
 * transfer[]. tests/models/requests.pml is a model.
 */
#include "apps/push_relabel.h"

#include <string.h>

#include <ordo/memory.h>
#include <ordo/scheduler/share.h> /* ordo_pause */
#include <ordo/scheduler/team.h>

#include "framework/graph/scramble.h"

enum {
    RELABEL_WORK = 12, /* work of a relabel, in addition to the number of edges */
    RELABEL_EVERY = 6, /* work between global relabels: so many times n, plus the number of residual edges */
    IN_ORDER = 4,      /* discharges, highest vertex first, between global relabels: so many times n */
    REPORT = 4096,     /* work that a member of several does before it reports it, at most */
    PAUSES = 32,       /* between two requests */
    YIELD = 64,        /* looks at a reply, or requests, after which a member offers its core to other threads */
    LISTS = 1 << 26    /* of all members together, at most, but for one member */
};
#ifndef TOGETHER
#define TOGETHER 1000 /* global relabels in a phase, after which member 0 goes on alone */
#endif

/* ---- steps ---- */

flow_said flow_meet(flow_view *v)
{
    flow_run *run = v->run;
    const ordo_u64 step = v->step++;
    flow_said all = {0};
    v->me->said[step & 1] = v->me->mine;
    v->me->mine = (flow_said){0};
    if (v->id == 0)
        ordo_job_agree_stop(run->job, step);
    ordo_team_barrier(run->job->team);
    for (int i = 0; i < run->job->threads; i++) {
        const flow_said *one = &run->members[i].said[step & 1];
        all.entries += one->entries;
        all.edges += one->edges;
        all.reached += one->reached;
        all.active += one->active;
        all.skipped += one->skipped;
    }
    all.level = run->members[0].said[step & 1].level;
    v->stopped = ordo_job_stop_agreed(run->job, step);
    return all;
}

static inline bool halted(const flow_run *run)
{
    return __atomic_load_n(&run->halt, __ATOMIC_RELAXED) != 0;
}

static void halt(flow_run *run)
{
    __atomic_store_n(&run->halt, 1, __ATOMIC_RELAXED);
}

/* By member 0, now and then: whether the run is to end early. */
static void look_at_time(flow_view *v)
{
    if (v->id == 0 && v->run->stop(v->run->arg, v->active, false))
        halt(v->run);
}

static void report(flow_run *run, flow_member *me, bool shared)
{
    const ordo_u64 all = me->work + (shared ? __atomic_fetch_add(&run->work, me->work, __ATOMIC_RELAXED) : run->work);
    if (!shared)
        run->work = all;
    if (all > run->budget)
        halt(run);
    me->work = 0;
}

/* ---- lists ---- */

static inline void list(flow_run *run, flow_member *me, ordo_vid u, ordo_u32 height)
{
    const ordo_u32 at = height < run->heights ? height : run->heights - 1;
    run->next[u] = me->first[at];
    me->first[at] = u + 1;
    me->listed++;
    if (at > me->highest)
        me->highest = at;
    if (me->in_order && at > me->turn)
        me->turn = at;
}

/* Removes the vertex whose turn it is, and returns it; FLOW_NONE where all lists below the limit are empty. No active
 * vertex has height 0, that of `to`. */
static inline ordo_vid take(flow_run *run, flow_member *me)
{
    const ordo_u32 limit = __atomic_load_n(&run->limit, __ATOMIC_RELAXED);
    if (me->highest >= limit) {
        me->top = me->highest > me->top ? me->highest : me->top;
        me->highest = limit - 1;
        me->skipped = true;
    }
    ordo_u32 turn = me->turn < me->highest ? me->turn : me->highest, before = turn;
    while (turn && !me->first[turn])
        turn--;
    if (!turn) {
        for (turn = me->highest; turn && !me->first[turn];)
            turn--;
        before += me->highest;
        me->top = me->highest > me->top ? me->highest : me->top;
        me->highest = turn;
    }
    me->turn = turn;
    if (me->in_order)
        me->in_order--;
    else
        me->work += before - turn;
    if (!turn) {
        me->listed = 0;
        return FLOW_NONE;
    }
    const ordo_vid u = me->first[turn] - 1;
    me->first[turn] = run->next[u];
    me->listed--;
    return u;
}

/* ---- discharges ---- */

/* Adds to a word, and returns what it was. `shared`: other members may change it. */
static inline ordo_u64 add(ordo_u64 *word, ordo_u64 amount, bool shared)
{
    if (shared)
        return __atomic_fetch_add(word, amount, __ATOMIC_ACQ_REL);
    const ordo_u64 old = *word;
    *word = old + amount;
    return old;
}

/* Lifts a vertex above its lowest residual neighbour. Sets *at to the first edge to that. Returns the height, which is
 * not below the limit where the vertex is to be skipped. */
static inline ordo_u32 lift(flow_run *run, flow_member *me, ordo_vid u, ordo_u32 height, ordo_u32 *at, bool shared)
{
    ordo_network *net = run->net;
    const discharge_edge *edge = net->edge;
    const ordo_u32 begin = net->row[u], end = net->row[u + 1];
    ordo_u32 limit = __atomic_load_n(&run->limit, __ATOMIC_RELAXED), lowest = limit;
    *at = begin;
    for (ordo_u32 e = begin; e < end; e++) {
        if (!__atomic_load_n(&edge[e].residual, __ATOMIC_RELAXED))
            continue;
        const ordo_u32 there = __atomic_load_n(&net->height[edge[e].head], __ATOMIC_RELAXED);
        if (there < lowest) {
            lowest = there;
            *at = e;
        }
    }
    me->work += RELABEL_WORK + end - begin;
    me->relabels++;
    if (lowest < height) /* a push to this vertex has made an edge residual meanwhile */
        return height;
    const ordo_u32 lifted = lowest + 1 < limit ? lowest + 1 : limit > height ? limit : height + 1;
    ordo_u32 *from = &run->count[flow_count_of(run, height)], left;
    if (lifted < limit) {
        ordo_u32 *to = &run->count[flow_count_of(run, lifted)];
        if (shared)
            __atomic_fetch_add(to, 1, __ATOMIC_RELAXED);
        else
            ++*to;
    }
    __atomic_store_n(&net->height[u], lifted, __ATOMIC_RELAXED);
    left = shared ? __atomic_sub_fetch(from, 1, __ATOMIC_RELAXED) : --*from;
    while (!left && height + 1 < limit &&
           !__atomic_compare_exchange_n(&run->limit, &limit, height + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return lifted;
}

/* Pushes excess of u, below `height`, along edges from *at on. Returns the amount; where that is all, *at is the last
 * edge, which may take more. */
static inline ordo_u64 push(flow_run *run, flow_member *me, ordo_vid u, ordo_u32 height, ordo_u64 excess, ordo_u32 *at,
                            bool shared)
{
    ordo_network *net = run->net;
    discharge_edge *const edge = net->edge;
    const ordo_u32 end = net->row[u + 1];
    ordo_u64 sent = 0, pushes = 0;
    ordo_u32 e = *at;
    for (; e < end; e++) {
        const ordo_vid w = edge[e].head;
        const ordo_u64 residual = __atomic_load_n(&edge[e].residual, __ATOMIC_RELAXED);
        const ordo_u32 there = residual ? __atomic_load_n(&net->height[w], __ATOMIC_RELAXED) : height;
        if (there >= height)
            continue;
        const ordo_u64 rest = excess - sent, amount = rest < residual ? rest : residual;
        add(&edge[e].residual, 0 - amount, shared);
        add(&edge[edge[e].reverse].residual, amount, shared);
        sent += amount;
        pushes++;
        if (w == run->to)
            me->arrived += amount;
        else if (!add(&net->excess[w], amount, shared) && w != net->fixed)
            list(run, me, w, there);
        if (sent == excess)
            break;
    }
    *at = e;
    me->pushes += pushes;
    return sent;
}

static inline void discharge(flow_run *run, flow_member *me, ordo_vid u, bool shared)
{
    ordo_network *net = run->net;
    const ordo_u64 excess = __atomic_load_n(&net->excess[u], __ATOMIC_RELAXED);
    ordo_u32 height = net->height[u], at = net->current[u];
    ordo_u64 sent = 0;
    net->pushed[u] = true;
    me->discharges++;
    for (;;) {
        sent += push(run, me, u, height, excess - sent, &at, shared);
        if (sent == excess)
            break;
        height = lift(run, me, u, height, &at, shared);
        if (height >= __atomic_load_n(&run->limit, __ATOMIC_RELAXED) || !me->in_order)
            break; /* it is skipped; or discharged again in the next sweep */
    }
    net->current[u] = at;
    if (add(&net->excess[u], 0 - sent, shared) == sent)
        return;
    if (height < __atomic_load_n(&run->limit, __ATOMIC_RELAXED))
        list(run, me, u, height);
    else
        me->skipped = true;
}

/* ---- asking for vertices ---- */

static inline bool is_asked(const flow_member *me)
{
    return __atomic_load_n(&me->request, __ATOMIC_RELAXED) != FLOW_NONE;
}

static void reply(flow_run *run, flow_member *me)
{
    flow_member *to = &run->members[__atomic_load_n(&me->request, __ATOMIC_ACQUIRE)];
    const ordo_u64 half = me->listed / 2, count = half < FLOW_TRANSFER ? half : FLOW_TRANSFER;
    for (to->transfers = 0; to->transfers < count; to->transfers++)
        if ((to->transfer[to->transfers] = take(run, me)) == FLOW_NONE)
            break;
    const bool granted = to->transfers > 0;
    if (granted)
        __atomic_fetch_add(&run->working, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&me->request, FLOW_NONE, __ATOMIC_RELAXED);
    __atomic_store_n(&to->reply, granted ? FLOW_GRANTED : FLOW_REFUSED, __ATOMIC_RELEASE);
}

static inline bool goes_on(const flow_run *run)
{
    return !halted(run) && __atomic_load_n(&run->working, __ATOMIC_RELAXED);
}

/* Makes one request. Whether it was granted. */
static bool ask_one(flow_view *v, flow_member *other)
{
    flow_run *run = v->run;
    flow_member *me = v->me;
    ordo_u32 none = FLOW_NONE;
    if (other == me || is_asked(other))
        return false;
    __atomic_store_n(&me->reply, FLOW_WAITING, __ATOMIC_RELAXED);
    if (!__atomic_compare_exchange_n(&other->request, &none, (ordo_u32)v->id, false, __ATOMIC_RELEASE,
                                     __ATOMIC_RELAXED))
        return false;
    for (int spins = 1; __atomic_load_n(&me->reply, __ATOMIC_ACQUIRE) == FLOW_WAITING && goes_on(run); spins++) {
        if (is_asked(me))
            reply(run, me);
        ordo_pause();
        if (spins % YIELD == 0)
            ordo_yield(); /* the other may not be running */
    }
    if (__atomic_load_n(&me->reply, __ATOMIC_ACQUIRE) != FLOW_GRANTED)
        return false;
    for (ordo_u32 i = 0; i < me->transfers; i++)
        list(run, me, me->transfer[i], run->net->height[me->transfer[i]]);
    return true;
}

/* Asks other members until one hands over vertices. False where no member has any, or no more is to be discharged. */
static bool ask(flow_view *v)
{
    flow_run *run = v->run;
    flow_member *me = v->me;
    __atomic_fetch_sub(&run->working, 1, __ATOMIC_RELAXED);
    for (ordo_u64 tries = 1; goes_on(run); tries++) {
        me->random = ordo_scramble(me->random);
        if (ask_one(v, &run->members[ordo_below(me->random, (ordo_u64)run->job->threads)]))
            return true;
        if (is_asked(me))
            reply(run, me);
        for (int i = 0; i < PAUSES; i++)
            ordo_pause();
        if (tries % YIELD == 0) {
            ordo_yield();
            look_at_time(v);
        }
    }
    return false;
}

/* ---- the whole ---- */

/* Lists what the last search has reached; with `all` what every member has, and otherwise nothing. */
static void list_active(flow_view *v, bool all)
{
    flow_run *run = v->run;
    const int first = all ? 0 : v->id, last = all ? run->job->threads - 1 : v->id;
    for (int i = first; i <= last; i++) {
        const ordo_bin *active = &run->members[i].active;
        for (ordo_u64 k = 0; k < active->count; k++) {
            const ordo_vid u = ((const flow_entry *)active->data)[k].vertex;
            list(run, v->me, u, run->net->height[u]);
        }
    }
}

/* Before discharges, after a search. Ends with a barrier. */
static void begin(flow_view *v)
{
    flow_run *run = v->run;
    flow_member *me = v->me;
    const ordo_u32 top = me->highest > me->top ? me->highest : me->top; /* of what is left of the round before */
    memset(me->first, 0, ((size_t)top + 1) * sizeof *me->first);
    me->highest = me->turn = me->top = 0;
    me->listed = me->work = 0;
    me->in_order = IN_ORDER * (ordo_u64)run->net->n / (ordo_u64)run->job->threads + 1;
    me->request = FLOW_NONE;
    if (v->id == 0) {
        run->limit = run->net->n;
        run->working = (ordo_u32)run->job->threads;
        run->work = 0;
        run->halt = 0;
    }
    flow_meet(v);
}

/* Discharges until no vertex is active, or as much work is done as a global relabel is worth. Ends with a barrier;
 * returns whether a vertex may still be active. */
static bool discharge_all(flow_view *v)
{
    flow_run *run = v->run;
    flow_member *me = v->me;
    const bool alone = run->relabels > TOGETHER, shared = run->job->threads > 1 && !alone;
    begin(v);
    if (!alone || v->id == 0)
        list_active(v, alone);
    while (!halted(run)) {
        for (ordo_u32 polls = 1; !halted(run); polls++) {
            const ordo_vid u = take(run, me);
            if (u == FLOW_NONE)
                break;
            if (shared)
                discharge(run, me, u, true);
            else
                discharge(run, me, u, false);
            if (shared && is_asked(me))
                reply(run, me);
            if (me->work > run->report)
                report(run, me, shared);
            if (polls % FLOW_POLL == 0) {
                __atomic_store_n(&run->job->counters[v->id].items, me->discharges, __ATOMIC_RELAXED);
                look_at_time(v);
            }
        }
        const double before = ordo_job_seconds(run->job);
        const bool more = shared && ask(v);
        me->waited += ordo_job_seconds(run->job) - before;
        if (!more)
            break;
    }
    me->mine.skipped = me->skipped || halted(run);
    me->skipped = false;
    return flow_meet(v).skipped;
}

static void run_member(void *arg, int id)
{
    flow_run *run = arg;
    flow_view v = {.run = run, .me = &run->members[id], .id = id};
    bool more = true;
    while (more && !v.stopped) {
        flow_relabel(&v);
        if (v.stopped || !v.active)
            break;
        if (id == 0)
            run->stop(run->arg, v.active, true);
        more = discharge_all(&v) || run->to == run->net->sink; /* then exact distances tell the cut */
    }
    if (id == 0)
        run->stopped = v.stopped;
}

static ordo_u32 lists_of(ordo_u32 n, int threads)
{
    const ordo_u32 most = threads == 1 ? n : LISTS / (ordo_u32)threads;
    return n < most ? n : most;
}

/* Bytes of all but bins, which the job accounts for itself. */
static ordo_u64 fixed_memory(ordo_u64 n, int threads)
{
    const ordo_u64 lists = (ordo_u64)lists_of((ordo_u32)n, threads) * (ordo_u64)threads;
    return n * sizeof(ordo_vid) + (2 * n + 16 + lists) * sizeof(ordo_u32);
}

ordo_u64 ordo_preflow_memory(ordo_u64 n, int threads)
{
    return fixed_memory(n, threads) + 3 * n * sizeof(flow_entry);
}

static ordo_status make_members(flow_run *run)
{
    const int threads = run->job->threads;
    run->heights = lists_of(run->net->n, threads);
    run->next = ordo_alloc(run->net->n, sizeof *run->next);
    run->count = ordo_alloc((size_t)run->count_stride << run->count_shift, sizeof *run->count);
    run->members = ordo_alloc_zero((size_t)threads, sizeof *run->members);
    ordo_status status = run->next && run->count && run->members ? ORDO_OK : ORDO_ERR_MEMORY;
    for (int i = 0; !status && i < threads; i++) {
        run->members[i].first = ordo_alloc_zero(run->heights, sizeof *run->members[i].first);
        run->members[i].random = (ordo_u64)i;
        status = run->members[i].first ? ORDO_OK : ORDO_ERR_MEMORY;
    }
    return status;
}

static void free_members(flow_run *run)
{
    for (int i = 0; run->members && i < run->job->threads; i++) {
        flow_member *m = &run->members[i];
        ordo_bin_free(run->job, &m->active, sizeof(flow_entry));
        ordo_bin_free(run->job, &m->level[0], sizeof(flow_entry));
        ordo_bin_free(run->job, &m->level[1], sizeof(flow_entry));
        ordo_free(m->first);
    }
    ordo_free(run->members);
    ordo_free(run->count);
    ordo_free(run->next);
}

/* Adds what members have counted to the network and to the job. */
static void sum(flow_run *run, double seconds)
{
    ordo_network *net = run->net;
    for (int i = 0; i < run->job->threads; i++) {
        const flow_member *m = &run->members[i];
        net->excess[run->to] += m->arrived;
        run->job->counters[i] = (ordo_counters){.items = m->discharges,
                                                .edges = m->pushes + m->relabels,
                                                .useful = m->pushes + m->relabels,
                                                .activations = m->discharges,
                                                .work_seconds = seconds - m->waited};
    }
}

ordo_status ordo_preflow(ordo_network *net, ordo_vid to, ordo_job *job, ordo_stop_fn *stop, void *arg, bool *stopped)
{
    const ordo_u64 budget = RELABEL_EVERY * (ordo_u64)net->n + net->row[net->n];
    const ordo_u64 share = budget / (4 * (ordo_u64)job->threads);
    const double before = ordo_job_seconds(job);
    flow_run run = {.net = net,
                    .job = job,
                    .to = to,
                    .budget = budget,
                    .report = job->threads == 1 ? 0
                              : share < REPORT  ? share
                                                : REPORT,
                    .stop = stop,
                    .arg = arg};
    run.count_stride = job->threads == 1 ? 1 : 16;
    while (((ordo_u64)run.count_stride << run.count_shift) < net->n)
        run.count_shift++;
    const long long bytes = (long long)fixed_memory(net->n, job->threads);
    const ordo_status status = make_members(&run);
    ordo_job_account(job, bytes);
    if (!status) {
        ordo_team_run(job->team, run_member, &run);
        sum(&run, ordo_job_seconds(job) - before);
    }
    *stopped = run.stopped;
    free_members(&run);
    ordo_job_account(job, -bytes);
    return status;
}
