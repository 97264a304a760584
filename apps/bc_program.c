/* bc_program.c -- the native program of betweenness on a CPU.
 *
 * For each source a breadth-first search that counts shortest paths, and a pass back over its levels that adds up
 * dependencies [Brandes 2001]. With x(v) = (1 + dependency(v)) / paths(v), the dependency of u is
 * paths(u) times the sum of x(v) over its edges (u, v) into the next level.
 *
 * A level of the search pushes: frontier vertices add their number of paths to those of heads, with atomics; or it
 * pulls: unreached vertices add up the numbers of their in-edges' tails (Beamer, Asanovic and Patterson 2012). What is
 * cheaper by the edges to be looked at is done. The pass back always pulls.
 *
 * Pulling has no branch that depends on a level, because numbers of even and of odd levels are in two arrays that are 0
 * elsewhere. In the search: a vertex that level d has not reached has in-edges from level d and later ones alone, and
 * from the array of the parity of d it reads level d; what is being written is of the other parity. In the pass back:
 * edges of level d lead to level d + 1 at most, and levels below d have no x yet.
 *
 * A level of few edges is done by member 0 alone, so that a deep graph does not wait at barriers.
 *
 * Not done: several sources at once; weights.
 */
#include "apps/bc_program.h"

#include <math.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/operator/operator.h>

#include "apps/bc.h"

enum {
    BUFFER = 1024,  /* vertices that a member collects before it appends them */
    CHUNK = 64,     /* vertices of a frontier at once */
    RANGE = 1024,   /* vertices of the graph at once; at most BUFFER */
    FEW = 2048,     /* a level of fewer edges is member 0's */
    PUSH_COSTS = 2, /* an edge that is pushed, in edges that are pulled */
    SCAN = 8,       /* vertices that are looked at in the time of an edge, when unreached ones are looked for */
    SLOTS = 3
};

typedef struct sweep {
    ordo_job *job;
    ordo_csr out, in;
    double *paths[2];                    /* [n] numbers of shortest paths, by parity of the level */
    double *x[2];                        /* [n] */
    double *score;                       /* [n] */
    ordo_u32 *level;                     /* [n] atomic */
    ordo_vid *order;                     /* [n] reached vertices, by level */
    ordo_u64 *begin;                     /* [n + 2] of a level in `order` */
    ordo_u64 deepest;                    /* level that is the frontier; in the end the last one */
    ordo_u64 frontier_edges, left_edges; /* of the frontier; of vertices not reached */
    bool pulls, over, stopped;
    double *most;                      /* [members] of the numbers of paths */
    _Alignas(64) ordo_u64 next[SLOTS]; /* atomic: what no member has taken, of three levels in turn */
    _Alignas(64) ordo_u64 tail;        /* atomic: of `order` */
    _Alignas(64) ordo_u64 new_edges;   /* atomic: of vertices appended in this level */
} sweep;

/* A member's part of a level. */
typedef struct part {
    sweep *s;
    int member;
    ordo_u64 items, looked, new_edges, count;
    double most;
    ordo_vid buffer[BUFFER];
} part;

static void flush(part *p)
{
    const ordo_u64 at = __atomic_fetch_add(&p->s->tail, p->count, __ATOMIC_RELAXED);
    memcpy(p->s->order + at, p->buffer, p->count * sizeof *p->buffer);
    p->count = 0;
}

static inline void append(part *p, ordo_u64 v)
{
    if (p->count == BUFFER)
        flush(p);
    p->buffer[p->count++] = (ordo_vid)v;
    p->new_edges += p->s->out.row[v + 1] - p->s->out.row[v];
}

/* The sum of value[] over the heads of a row: four sums, so that additions overlap. */
static inline double sum_row(const ordo_csr *g, ordo_u64 v, const double *value)
{
    const ordo_u32 stride = g->stride;
    ordo_eid e = g->row[v];
    const ordo_eid end = g->row[v + 1];
    double a = 0, b = 0, c = 0, d = 0;
    for (; e + 4 <= end; e += 4) {
        a += value[g->head[e * stride]];
        b += value[g->head[(e + 1) * stride]];
        c += value[g->head[(e + 2) * stride]];
        d += value[g->head[(e + 3) * stride]];
    }
    for (; e < end; e++)
        a += value[g->head[e * stride]];
    return a + b + (c + d);
}

/* ---- the search ---- */

static void add_atomically(double *to, double value)
{
    double old, sum;
    __atomic_load(to, &old, __ATOMIC_RELAXED);
    do
        sum = old + value;
    while (!__atomic_compare_exchange(to, &old, &sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* Pushes the vertices order[begin .. end - 1]; alone: no other member does at the same time. */
static inline void push_range(part *p, ordo_u64 begin, ordo_u64 end, bool alone)
{
    sweep *s = p->s;
    const ordo_u32 then = (ordo_u32)s->deepest + 1;
    const double *from = s->paths[s->deepest & 1];
    double *to = s->paths[then & 1];
    for (ordo_u64 i = begin; i < end; i++) {
        const ordo_vid u = s->order[i];
        const double mine = from[u];
        const ordo_eid row_end = s->out.row[u + 1];
        for (ordo_eid e = s->out.row[u]; e < row_end; e++) {
            const ordo_vid v = s->out.head[e * s->out.stride];
            ordo_u32 level = __atomic_load_n(&s->level[v], __ATOMIC_RELAXED);
            if (level == ORDO_UNREACHED_U32) {
                if (alone)
                    s->level[v] = then;
                if (alone ||
                    __atomic_compare_exchange_n(&s->level[v], &level, then, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                    append(p, v);
                level = then;
            }
            if (level != then)
                continue;
            if (alone)
                to[v] += mine;
            else
                add_atomically(&to[v], mine);
        }
        p->looked += row_end - s->out.row[u];
    }
}

static void pull_range(part *p, ordo_u64 begin, ordo_u64 end)
{
    sweep *s = p->s;
    const ordo_u32 then = (ordo_u32)s->deepest + 1;
    const double *from = s->paths[s->deepest & 1];
    double *to = s->paths[then & 1];
    for (ordo_u64 v = begin; v < end; v++) {
        if (s->level[v] != ORDO_UNREACHED_U32)
            continue;
        const double sum = sum_row(&s->in, v, from);
        p->looked += s->in.row[v + 1] - s->in.row[v];
        if (sum > 0) {
            s->level[v] = then;
            to[v] = sum;
            append(p, v);
        }
    }
}

/* Before each chunk; false where the run is to end. */
static bool go_on(const part *p)
{
    if (p->member == 0)
        ordo_job_poll_within(p->s->job);
    return !ordo_job_stopped(p->s->job);
}

static void search_level(part *p)
{
    sweep *s = p->s;
    const bool alone = s->job->threads == 1;
    const ordo_u64 first = s->pulls ? 0 : s->begin[s->deepest], last = s->pulls ? s->out.n : s->begin[s->deepest + 1];
    const ordo_u64 chunk = s->pulls ? RANGE : CHUNK;
    while (go_on(p)) {
        const ordo_u64 begin = first + __atomic_fetch_add(&s->next[0], chunk, __ATOMIC_RELAXED);
        if (begin >= last)
            break;
        const ordo_u64 end = last - begin < chunk ? last : begin + chunk;
        if (s->pulls)
            pull_range(p, begin, end);
        else if (alone)
            push_range(p, begin, end, true);
        else
            push_range(p, begin, end, false);
    }
    flush(p);
    ordo_add_u64(&s->new_edges, p->new_edges);
    p->new_edges = 0;
}

/* By member 0: the level that was found becomes the frontier; decides how the next one is found. */
static void advance(sweep *s)
{
    s->deepest++;
    s->begin[s->deepest + 1] = s->tail;
    s->frontier_edges = s->new_edges;
    s->left_edges -= s->new_edges;
    s->new_edges = 0;
    s->next[0] = 0;
    s->job->supersteps++;
    ordo_job_poll(s->job, s->tail - s->begin[s->deepest]);
    if (s->tail == s->begin[s->deepest]) { /* it is empty */
        s->deepest--;
        s->over = true;
    }
    s->stopped = ordo_job_stopped(s->job);
    s->over |= s->stopped;
    s->pulls = s->frontier_edges * PUSH_COSTS > s->left_edges + s->out.n / SCAN;
}

/* By member 0: small levels. */
static void search_alone(part *p)
{
    sweep *s = p->s;
    while (!s->over && s->job->threads > 1 && s->frontier_edges < FEW) {
        push_range(p, s->begin[s->deepest], s->begin[s->deepest + 1], true);
        flush(p);
        s->new_edges += p->new_edges;
        p->new_edges = 0;
        advance(s);
    }
}

static void begin_search(part *p, ordo_vid source)
{
    sweep *s = p->s;
    s->level[source] = 0;
    s->paths[0][source] = 1;
    s->order[0] = source;
    s->begin[0] = 0;
    s->begin[1] = s->tail = 1;
    s->deepest = 0;
    s->frontier_edges = s->out.row[source + 1] - s->out.row[source];
    s->left_edges = s->out.m - s->frontier_edges;
    s->new_edges = 0;
    s->next[0] = 0;
    s->over = s->stopped = ordo_job_stopped(s->job);
    s->pulls = false;
    search_alone(p);
}

/* ---- dependencies ---- */

static void depend_range(part *p, ordo_u64 level, ordo_u64 begin, ordo_u64 end)
{
    sweep *s = p->s;
    const double *further = s->x[(level + 1) & 1], *paths = s->paths[level & 1];
    double *mine = s->x[level & 1];
    for (ordo_u64 i = begin; i < end; i++) {
        const ordo_vid u = s->order[i];
        double dependency = 0;
        if (level < s->deepest) {
            dependency = paths[u] * sum_row(&s->out, u, further);
            s->score[u] += dependency;
            p->looked += s->out.row[u + 1] - s->out.row[u];
        }
        mine[u] = (1 + dependency) / paths[u];
        p->most = paths[u] > p->most ? paths[u] : p->most;
    }
    p->items += end - begin;
}

static bool is_small(const sweep *s, ordo_u64 level)
{
    return s->job->threads > 1 && (double)(s->begin[level + 1] - s->begin[level]) * s->job->mean_degree < FEW;
}

/* All levels, the deepest first; that of the source has no score. */
static void add_dependencies(part *p, int member)
{
    sweep *s = p->s;
    bool shared = true; /* the level before was every member's */
    for (ordo_u64 level = s->deepest; level > 0; level--) {
        const bool small = is_small(s, level);
        const ordo_u64 first = s->begin[level], last = s->begin[level + 1];
        ordo_u64 *next = &s->next[level % SLOTS];
        if (shared || !small)
            ordo_team_barrier(s->job->team);
        shared = !small;
        if (member == 0) {
            s->next[(level - 1) % SLOTS] = 0; /* of the level to come; the one that used it is over */
            ordo_job_poll(s->job, last - first);
        }
        if (small && member == 0 && !ordo_job_stopped(s->job))
            depend_range(p, level, first, last);
        while (!small && go_on(p)) {
            const ordo_u64 begin = first + __atomic_fetch_add(next, CHUNK, __ATOMIC_RELAXED);
            if (begin >= last)
                break;
            depend_range(p, level, begin, last - begin < CHUNK ? last : begin + CHUNK);
        }
    }
    ordo_team_barrier(s->job->team);
}

/* ---- all sources ---- */

static void clear(sweep *s, int member)
{
    ordo_u64 begin, end;
    ordo_split(s->out.n, s->job->threads, member, &begin, &end);
    for (int i = 0; i < 2; i++) {
        memset(s->paths[i] + begin, 0, (end - begin) * sizeof *s->paths[i]);
        memset(s->x[i] + begin, 0, (end - begin) * sizeof *s->x[i]);
    }
    memset(s->level + begin, 0xff, (end - begin) * sizeof *s->level); /* ORDO_UNREACHED_U32 */
}

static void search(part *p, ordo_vid source, int member)
{
    sweep *s = p->s;
    clear(s, member);
    ordo_team_barrier(s->job->team);
    if (member == 0)
        begin_search(p, source);
    ordo_team_barrier(s->job->team);
    while (!s->over) {
        search_level(p);
        ordo_team_barrier(s->job->team);
        if (member == 0) {
            advance(s);
            search_alone(p);
        }
        ordo_team_barrier(s->job->team);
    }
    if (member == 0)
        for (int i = 0; i < SLOTS; i++)
            s->next[i] = 0;
}

static void bc_member(void *arg, int member)
{
    sweep *s = arg;
    const bc_request *request = s->job->state;
    ordo_counters *counters = &s->job->counters[member];
    part p = {.s = s, .member = member};
    for (ordo_u64 i = 0; i < request->count; i++) {
        search(&p, request->source[i], member);
        if (s->stopped)
            break;
        add_dependencies(&p, member);
        if (!isfinite(p.most)) {
            ordo_fail(ORDO_ERR_OVERFLOW, "source %u: more than 1e308 shortest paths lead to a vertex",
                      request->source[i]);
            ordo_job_fail(s->job, ORDO_ERR_OVERFLOW);
        }
    }
    s->most[member] = p.most;
    counters->items = p.items;
    counters->edges = p.looked;
    counters->useful = p.items;
}

ordo_u64 ordo_bc_program_memory(const ordo_csr *g)
{
    return g->n * (ordo_u64)(4 * sizeof(double) + sizeof(ordo_u32) + sizeof(ordo_vid) + sizeof(ordo_u64));
}

static ordo_status allocate(sweep *s)
{
    const size_t n = s->out.n;
    for (int i = 0; i < 2; i++) {
        s->paths[i] = ordo_alloc(n, sizeof *s->paths[i]);
        s->x[i] = ordo_alloc(n, sizeof *s->x[i]);
        if (!s->paths[i] || !s->x[i])
            return ORDO_ERR_MEMORY;
    }
    s->level = ordo_alloc(n, sizeof *s->level);
    s->order = ordo_alloc(n, sizeof *s->order);
    s->begin = ordo_alloc(n + 2, sizeof *s->begin);
    s->most = ordo_alloc_zero((size_t)s->job->threads, sizeof *s->most);
    return s->level && s->order && s->begin && s->most ? ORDO_OK : ORDO_ERR_MEMORY;
}

ordo_status ordo_bc_program(ordo_job *job)
{
    const long long bytes = (long long)ordo_bc_program_memory(job->out);
    ordo_status status = ordo_job_need_in(job);
    if (status)
        return status;
    sweep s = {.job = job, .out = *job->out, .in = *job->in, .score = job->cells};
    status = allocate(&s);
    if (!status) {
        ordo_job_account(job, bytes);
        ordo_team_run(job->team, bc_member, &s);
        ordo_job_account(job, -bytes);
        for (int i = 0; i < job->threads; i++)
            s.score[job->out->n] = fmax(s.score[job->out->n], s.most[i]);
    }
    for (int i = 0; i < 2; i++) {
        ordo_free(s.paths[i]);
        ordo_free(s.x[i]);
    }
    ordo_free(s.level);
    ordo_free(s.order);
    ordo_free(s.begin);
    ordo_free(s.most);
    return status;
}
