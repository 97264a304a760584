/* points_to.c -- Andersen's points-to analysis, on all threads, without atomic updates of sets or edges.
 *
 * Problem. Sets grow along the edges of copies, and loads and stores add edges for what the sets have got: the graph
 * changes while it is worked on, and any thread may find that any set or row has to grow.
 *
 * Method. Supersteps, as of scheduler `bsp`: the worklist has the variables whose sets grew in the last one. Every
 * variable has an owner among the threads, who alone writes its set and the row of its edges. What another thread finds
 * out about it is a message to the owner, in a buffer for each pair of threads; messages are read after a barrier. So
 * a set has one writer, and readers look at it only in phases in which it is not written. Nasre, Burtscher and Pingali
 * (2013) give the reasons why that is enough: sets only grow, and a union is idempotent and associative, so any order
 * of messages, and doing one twice, leads to the same sets. The only atomics hand out blocks of memory and parts of the
 * worklist.
 *
 * A superstep has four phases, with a barrier after each. `fresh` of v is what its set got in the last superstep.
 *   look    Sets and edges are read. Any thread takes a variable v of the worklist. For every o in fresh(v), a load
 *           x = *v asks the owner of o for the edge o -> x, and a store *v = y asks the owner of y for the edge y -> o.
 *           Every edge v -> w that is there asks the owner of w to take over fresh(v).
 *   edges   Edges are written. Owners add those that are new, and ask the owner of each one's head to take over the
 *           whole set of its tail.
 *   unite   Sets are read, `coming` is written. Owners collect in coming(w) what w does not have yet.
 *   grow    Sets and `fresh` are written. Owners add coming(w) to the set of w. It becomes fresh(w), and w is put on
 *           the worklist.
 * It is difference propagation (Pearce, Kelly and Hankin 2004): along an edge that is there, only what is new travels.
 * Nothing is lost: an edge that is added in this superstep passes on the whole set, fresh part included.
 *
 * Classes. Variables on a cycle of copies have the same set in the end. One of them, the representative, stands for
 * all: it alone has a set, edges and a place on the worklist, and `of` tells each variable's. Objects in sets stay
 * variables. Before a superstep, if as many unions were made since the last time as there are edges and variables,
 * cycles are looked for (points_to_cycles.h), so that this takes a bounded part of the time; Hardekopf and Lin (2007)
 * look where two sets are found equal, which asks for a search by each thread. Three more phases follow:
 *   find    Member 0 alone searches, and sends each variable v that joins the class of r to the owner of r.
 *   join    Owners add v's set to that of r, and clear it. What r did not have becomes fresh(r). The edges of r have
 *           passed on what r had, those of v have not: they are asked for as if they were new edges of r.
 *   rename  Owners make `of` and the rows of their variables name representatives.
 * In the phase `look` that follows, the owner also follows v's loads and stores for the whole set of r, and after it,
 * in `edges`, hands them over to r.
 *
 * Sets and rows of edges are sparse bit vectors (points_to_set.h), as Hardekopf and Lin have them, from one bounded
 * pool. It ends when no set grew: every constraint then holds, and nothing is in a set but what some constraint put
 * there.
 *
 * Not done: offsets; a GPU.
 */
#include <string.h>

#include <ordo/memory.h>
#include <ordo/points_to.h>
#include <ordo/scheduler/team.h>

#include "apps/common.h"
#include "apps/points_to_cycles.h"
#include "apps/points_to_set.h"

typedef struct pair {
    ordo_u32 from, to;
} pair;

typedef struct pairs {
    pair *list; /* [count] */
    ordo_u64 count, room;
} pairs;

/* A member of the team; a cache line apart from others by its size. */
typedef struct member {
    set_owner sets;
    pairs *edges;   /* [members] asked for, by the owner of the tail */
    pairs *unions;  /* [members] of a fresh part, by the owner of the head */
    pairs *wholes;  /* [members] of a whole set */
    pairs *joins;   /* [members] of member 0: variables and representatives, by the owner of the latter */
    pairs work;     /* .from: variables of its own whose sets grew in the last superstep */
    pairs grown;    /* .from: in this one */
    ordo_u64 taken; /* atomic: of `work`, by any member */
    pairs heads;    /* .from: representatives of what is in a set */
    ordo_u32 *mark; /* [n] the last number `marks` with which the variable came into `heads` */
    ordo_u32 marks;
    ordo_u64 items, done, added, joined;
    ordo_status status; /* why it cannot go on */
    char padding[64];
} member;

typedef struct analysis {
    const ordo_constraints *c;
    const ordo_options *options;
    ordo_u32 n;
    int threads;
    ordo_team *team;
    set_pool pool;
    member *member;
    ordo_u32 *set, *fresh, *coming, *after; /* [n] sets; `after`: heads of edges */
    ordo_u32 *of;                           /* [n] representatives */
    ordo_u64 *load_row, *store_row;         /* [n + 1] */
    ordo_u32 *load, *store;                 /* of v: destinations of x = *v; sources of *v = y */
    ordo_u32 *last_use, *next_use;          /* [n] of a representative: a ring of those in its class that have any of
                                               these, by its last one; NO_USE: none */
    cycle_finder cycles;
    ordo_u64 unions_then, edges_then; /* when cycles were looked for; written by member 0 */
    ordo_u64 rounds;
    double start;
} analysis;

#define NO_USE 0xFFFFFFFFu

static int owner_of(const analysis *a, ordo_u32 v)
{
    return (int)(v % (ordo_u32)a->threads);
}

static void send(member *m, pairs *to, ordo_u32 from, ordo_u32 head)
{
    if (to->count == to->room) {
        const ordo_u64 room = 2 * to->room + 256;
        pair *more = ordo_realloc(to->list, room, sizeof *more);
        if (!more) {
            m->status = ORDO_ERR_MEMORY;
            return;
        }
        to->list = more;
        to->room = room;
    }
    to->list[to->count++] = (pair){from, head};
}

/* ---- the phases ---- */

/* Lists the representatives of what is in the set, each once. */
static void list_heads(const analysis *a, member *m, ordo_u32 set)
{
    ordo_u32 o;
    m->heads.count = 0;
    if (++m->marks == 0) { /* after 2^32 sets */
        memset(m->mark, 0, a->n * sizeof *m->mark);
        m->marks = 1;
    }
    for (set_place p = set_begin(set); set_next(&a->pool, &p, &o);) {
        const ordo_u32 head = a->of[o];
        if (m->mark[head] != m->marks)
            send(m, &m->heads, head, 0);
        m->mark[head] = m->marks;
    }
}

static void ask_for_edge(const analysis *a, member *m, ordo_u32 from, ordo_u32 to)
{
    if (from != to)
        send(m, &m->edges[owner_of(a, from)], from, to);
}

/* The loads and stores of a ring of variables, for what is in the set. */
static void follow(const analysis *a, member *m, ordo_u32 last_use, ordo_u32 set)
{
    if (last_use == NO_USE || !set)
        return;
    list_heads(a, m, set);
    ordo_u32 v = last_use;
    do {
        v = a->next_use[v];
        for (ordo_u64 i = a->load_row[v]; i < a->load_row[v + 1]; i++)
            for (ordo_u64 k = 0; k < m->heads.count; k++)
                ask_for_edge(a, m, m->heads.list[k].from, a->of[a->load[i]]);
        for (ordo_u64 i = a->store_row[v]; i < a->store_row[v + 1]; i++)
            for (ordo_u64 k = 0; k < m->heads.count; k++)
                ask_for_edge(a, m, a->of[a->store[i]], m->heads.list[k].from);
    } while (v != last_use);
}

static void look_at(analysis *a, member *m, ordo_u32 v)
{
    ordo_u32 w;
    if (a->of[v] != v) /* it joined another one since it was put on the worklist */
        return;
    m->items++;
    follow(a, m, a->last_use[v], a->fresh[v]);
    for (set_place p = set_begin(a->after[v]); set_next(&a->pool, &p, &w);)
        send(m, &m->unions[owner_of(a, w)], v, w);
}

static void look(analysis *a, member *m, int self)
{
    enum { CHUNK = 16 };
    for (int i = 0; i < a->threads; i++) {
        member *const of = &a->member[(self + i) % a->threads];
        for (ordo_u64 k; (k = __atomic_fetch_add(&of->taken, CHUNK, __ATOMIC_RELAXED)) < of->work.count;)
            for (ordo_u64 end = k + CHUNK; k < end && k < of->work.count; k++)
                look_at(a, m, of->work.list[k].from);
    }
    const pairs *const joins = &a->member[0].joins[self];
    for (ordo_u64 k = 0; k < joins->count; k++)
        follow(a, m, a->last_use[joins->list[k].from], a->set[joins->list[k].to]);
}

static void add_edge(analysis *a, member *m, ordo_u32 from, ordo_u32 to)
{
    if (from == to || !set_add(&m->sets, &a->after[from], to))
        return;
    m->added++;
    if (a->set[from])
        send(m, &m->wholes[owner_of(a, to)], from, to);
}

/* Hands the loads and stores of v over to r, its representative. */
static void hand_over(analysis *a, ordo_u32 v, ordo_u32 r)
{
    const ordo_u32 of_v = a->last_use[v], of_r = a->last_use[r];
    a->last_use[v] = NO_USE;
    if (of_v == NO_USE)
        return;
    if (of_r == NO_USE) {
        a->last_use[r] = of_v;
        return;
    }
    const ordo_u32 first = a->next_use[of_v]; /* two rings become one */
    a->next_use[of_v] = a->next_use[of_r];
    a->next_use[of_r] = first;
}

static void add_edges(analysis *a, member *m, int self)
{
    pairs *const joins = &a->member[0].joins[self];
    for (ordo_u64 k = 0; k < joins->count; k++)
        hand_over(a, joins->list[k].from, joins->list[k].to);
    joins->count = 0;
    for (int i = 0; i < a->threads; i++) {
        pairs *const asked = &a->member[i].edges[self];
        for (ordo_u64 k = 0; k < asked->count; k++)
            add_edge(a, m, asked->list[k].from, a->of[asked->list[k].to]);
        asked->count = 0; /* its sender uses it next after a barrier */
    }
}

static void collect(analysis *a, member *m, pairs *asked, const ordo_u32 *what)
{
    for (ordo_u64 k = 0; k < asked->count; k++) {
        const pair p = asked->list[k];
        const bool first = !a->coming[p.to];
        set_unite(&m->sets, &a->coming[p.to], what[p.from], a->set[p.to]);
        if (first && a->coming[p.to])
            send(m, &m->grown, p.to, 0);
        m->done++;
    }
    asked->count = 0;
}

static void unite(analysis *a, member *m, int self)
{
    for (int i = 0; i < a->threads; i++) {
        collect(a, m, &a->member[i].unions[self], a->fresh);
        collect(a, m, &a->member[i].wholes[self], a->set);
    }
}

static void grow(analysis *a, member *m)
{
    for (ordo_u64 k = 0; k < m->work.count; k++)
        set_clear(&m->sets, &a->fresh[m->work.list[k].from]);
    const pairs grown = m->grown;
    m->grown = m->work;
    m->grown.count = 0;
    m->work = grown;
    m->taken = 0;
    for (ordo_u64 k = 0; k < grown.count; k++) {
        const ordo_u32 v = grown.list[k].from;
        set_unite(&m->sets, &a->set[v], a->coming[v], 0);
        a->fresh[v] = a->coming[v];
        a->coming[v] = 0;
    }
}

/* ---- cycles ---- */

static ordo_u64 unions_of(const analysis *a)
{
    ordo_u64 unions = 0;
    for (int i = 0; i < a->threads; i++)
        unions += a->member[i].done;
    return unions;
}

static ordo_u64 edges_of(const analysis *a)
{
    ordo_u64 edges = 0;
    for (int i = 0; i < a->threads; i++)
        edges += a->member[i].added;
    return edges;
}

/* Every member comes to the same answer, from what all wrote before the barrier. */
static bool looks_for_cycles(const analysis *a)
{
    return unions_of(a) - a->unions_then >= a->edges_then + a->n;
}

static void send_join(void *arg, ordo_u32 v, ordo_u32 into)
{
    const analysis *a = arg;
    member *m = &a->member[0];
    m->joined++;
    send(m, &m->joins[owner_of(a, into)], v, into);
}

/* By member 0. */
static void find_cycles(analysis *a)
{
    a->unions_then = unions_of(a);
    a->edges_then = a->c->count + edges_of(a);
    cycles_find(&a->cycles, &a->pool, a->of, a->after, a->n, send_join, a);
}

static void join(analysis *a, member *m, ordo_u32 v, ordo_u32 r)
{
    const bool was_fresh = a->fresh[r];
    ordo_u32 w;
    set_unite(&m->sets, &a->fresh[r], a->set[v], a->set[r]);
    set_unite(&m->sets, &a->set[r], a->set[v], 0);
    if (a->fresh[r] && !was_fresh)
        send(m, &m->work, r, 0);
    for (set_place p = set_begin(a->after[v]); set_next(&a->pool, &p, &w);)
        send(m, &m->edges[owner_of(a, r)], r, w);
    set_clear(&m->sets, &a->set[v]);
    set_clear(&m->sets, &a->fresh[v]);
    set_clear(&m->sets, &a->after[v]);
    a->of[v] = r;
}

static void join_all(analysis *a, member *m, int self)
{
    const pairs *const joins = &a->member[0].joins[self];
    for (ordo_u64 k = 0; k < joins->count; k++)
        join(a, m, joins->list[k].from, joins->list[k].to);
}

/* A row whose heads joined others is made again. */
static void rename_row(analysis *a, member *m, ordo_u32 v)
{
    ordo_u32 w, made = 0;
    bool same = true;
    for (set_place p = set_begin(a->after[v]); same && set_next(&a->pool, &p, &w);)
        same = a->of[w] == w;
    if (same)
        return;
    for (set_place p = set_begin(a->after[v]); set_next(&a->pool, &p, &w);)
        if (a->of[w] != v)
            set_add(&m->sets, &made, a->of[w]);
    set_clear(&m->sets, &a->after[v]);
    a->after[v] = made;
}

/* A variable that joins has its new representative since the phase before; one that had joined it before gets it here.
 * So of[of[v]] is not written by others meanwhile. */
static void rename_all(analysis *a, member *m, int self)
{
    for (ordo_u64 v = (ordo_u64)self; v < a->n; v += (ordo_u64)a->threads) {
        const ordo_u32 r = a->of[a->of[v]];
        if (r != a->of[v])
            a->of[v] = r;
        if (r == v)
            rename_row(a, m, (ordo_u32)v);
    }
}

/* ---- the program ---- */

/* What the program says of the member's own variables: its first sets and edges. */
static void begin(analysis *a, member *m, int self)
{
    for (ordo_u64 i = 0; i < a->c->count; i++) {
        const ordo_constraint k = a->c->list[i];
        if (k.kind == ORDO_COPY && owner_of(a, k.source) == self && k.source != k.destination)
            set_add(&m->sets, &a->after[k.source], k.destination);
        if (k.kind != ORDO_ADDRESS_OF || owner_of(a, k.destination) != self)
            continue;
        if (!a->coming[k.destination])
            send(m, &m->grown, k.destination, 0);
        set_add(&m->sets, &a->coming[k.destination], k.source);
    }
}

/* By member 0: whether the run has to end early. */
static void look_at_options(const analysis *a, member *m)
{
    if (a->options->cancel && *a->options->cancel)
        m->status = ORDO_ERR_CANCELLED;
    else if (a->options->timeout > 0 && ordo_clock() - a->start > a->options->timeout)
        m->status = ORDO_ERR_TIMEOUT;
}

/* Every member comes to the same answer, from what all wrote before the barrier. */
static bool goes_on(const analysis *a)
{
    bool any = false;
    for (int i = 0; i < a->threads; i++) {
        if (a->member[i].status || a->member[i].sets.full)
            return false;
        any = any || a->member[i].work.count;
    }
    return any;
}

static void run_member(void *arg, int self)
{
    analysis *a = arg;
    member *m = &a->member[self];
    ordo_u64 rounds = 0;
    begin(a, m, self);
    grow(a, m);
    for (;; rounds++) {
        if (self == 0)
            look_at_options(a, m);
        ordo_team_barrier(a->team);
        if (!goes_on(a))
            break;
        const bool cycles = rounds == 0 || looks_for_cycles(a);
        ordo_team_barrier(a->team); /* all have looked before a member may fail in the next phase */
        if (cycles) {
            if (self == 0)
                find_cycles(a);
            ordo_team_barrier(a->team);
            join_all(a, m, self);
            ordo_team_barrier(a->team);
            rename_all(a, m, self);
            ordo_team_barrier(a->team);
        }
        look(a, m, self);
        ordo_team_barrier(a->team);
        add_edges(a, m, self);
        ordo_team_barrier(a->team);
        unite(a, m, self);
        ordo_team_barrier(a->team);
        grow(a, m);
    }
    if (self == 0)
        a->rounds = rounds;
}

/* Rows of loads and stores by the variable that they follow. */
static ordo_status make_rows(analysis *a)
{
    ordo_u64 loads = 0, stores = 0;
    a->load_row = ordo_alloc_zero((size_t)a->n + 2, sizeof *a->load_row);
    a->store_row = ordo_alloc_zero((size_t)a->n + 2, sizeof *a->store_row);
    if (!a->load_row || !a->store_row)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; i < a->c->count; i++) {
        const ordo_constraint k = a->c->list[i];
        if (k.source >= a->n || k.destination >= a->n || k.kind >= ORDO_CONSTRAINT_KINDS)
            return ordo_fail(ORDO_ERR_INPUT,
                             "constraint %llu: %u, %u, type %u; expected variables below %u and a type "
                             "below %d",
                             (unsigned long long)i, k.source, k.destination, k.kind, a->n, ORDO_CONSTRAINT_KINDS);
        if (k.kind == ORDO_LOAD)
            a->load_row[k.source + 2]++, loads++;
        if (k.kind == ORDO_STORE)
            a->store_row[k.destination + 2]++, stores++;
    }
    a->load = ordo_alloc(loads, sizeof *a->load);
    a->store = ordo_alloc(stores, sizeof *a->store);
    if (!a->load || !a->store)
        return ORDO_ERR_MEMORY;
    for (ordo_u32 v = 1; v <= a->n; v++) {
        a->load_row[v + 1] += a->load_row[v];
        a->store_row[v + 1] += a->store_row[v];
    }
    for (ordo_u64 i = 0; i < a->c->count; i++) {
        const ordo_constraint k = a->c->list[i];
        if (k.kind == ORDO_LOAD)
            a->load[a->load_row[k.source + 1]++] = k.destination;
        if (k.kind == ORDO_STORE)
            a->store[a->store_row[k.destination + 1]++] = k.source;
    }
    return ORDO_OK;
}

static ordo_status make_members(analysis *a)
{
    const size_t t = (size_t)a->threads;
    a->member = ordo_alloc_zero(t, sizeof *a->member);
    a->pool.block = ordo_alloc_zero(SET_BLOCKS, sizeof *a->pool.block);
    ordo_u32 **const array[] = {&a->set, &a->fresh, &a->coming, &a->after, &a->of, &a->last_use, &a->next_use};
    bool complete = a->member && a->pool.block;
    for (size_t i = 0; i < sizeof array / sizeof array[0]; i++)
        complete = (*array[i] = ordo_alloc_zero(a->n, sizeof(ordo_u32))) && complete;
    complete = cycle_finder_make(&a->cycles, a->n) && complete;
    for (size_t i = 0; i < t && complete; i++) {
        member *m = &a->member[i];
        m->sets.pool = &a->pool;
        m->edges = ordo_alloc_zero(t, sizeof *m->edges);
        m->unions = ordo_alloc_zero(t, sizeof *m->unions);
        m->wholes = ordo_alloc_zero(t, sizeof *m->wholes);
        m->joins = ordo_alloc_zero(t, sizeof *m->joins);
        m->mark = ordo_alloc_zero(a->n, sizeof *m->mark);
        complete = m->edges && m->unions && m->wholes && m->joins && m->mark;
    }
    if (!complete)
        return ORDO_ERR_MEMORY;
    for (ordo_u32 v = 0; v < a->n; v++) {
        a->of[v] = v;
        a->next_use[v] = v;
        a->last_use[v] = a->load_row[v] < a->load_row[v + 1] || a->store_row[v] < a->store_row[v + 1] ? v : NO_USE;
    }
    return ORDO_OK;
}

static void free_all(analysis *a)
{
    for (int i = 0; a->member && i < a->threads; i++) {
        member *m = &a->member[i];
        pairs *const buffers[] = {m->edges, m->unions, m->wholes, m->joins};
        for (int b = 0; b < 4; b++) {
            for (int k = 0; buffers[b] && k < a->threads; k++)
                ordo_free(buffers[b][k].list);
            ordo_free(buffers[b]);
        }
        ordo_free(m->work.list);
        ordo_free(m->grown.list);
        ordo_free(m->heads.list);
        ordo_free(m->mark);
    }
    for (ordo_u64 b = 0; a->pool.block && b < a->pool.next_block && b < SET_BLOCKS; b++)
        ordo_free(a->pool.block[b]);
    ordo_free(a->member);
    ordo_free(a->pool.block);
    ordo_free(a->set);
    ordo_free(a->fresh);
    ordo_free(a->coming);
    ordo_free(a->after);
    ordo_free(a->of);
    ordo_free(a->last_use);
    ordo_free(a->next_use);
    cycle_finder_free(&a->cycles);
    ordo_free(a->load_row);
    ordo_free(a->store_row);
    ordo_free(a->load);
    ordo_free(a->store);
}

static ordo_u64 size_of(const analysis *a, ordo_u32 set)
{
    ordo_u64 size = 0;
    for (; set; set = set_at(&a->pool, set)->next)
        for (int i = 0; i < SET_WORDS; i++)
            size += (ordo_u64)__builtin_popcountll(set_at(&a->pool, set)->word[i]);
    return size;
}

/* Sets of representatives; set 0 is empty. */
static ordo_status write_sets(const analysis *a, ordo_points_to_sets *out)
{
    ordo_points_to_sets sets = {.variables = a->n, .sets = 1};
    ordo_u64 objects = 0;
    for (ordo_u32 v = 0; v < a->n; v++) {
        sets.sets += a->set[v] != 0;
        objects += size_of(a, a->set[v]);
    }
    sets.set = ordo_alloc_zero(a->n, sizeof *sets.set);
    sets.row = ordo_alloc_zero((size_t)sets.sets + 1, sizeof *sets.row);
    sets.object = ordo_alloc(objects, sizeof *sets.object);
    if (!sets.set || !sets.row || !sets.object) {
        ordo_points_to_free(&sets);
        return ORDO_ERR_MEMORY;
    }
    ordo_u32 made = 1;
    ordo_u64 at = 0;
    for (ordo_u32 v = 0; v < a->n; v++) {
        ordo_u32 o;
        if (!a->set[v])
            continue;
        for (set_place p = set_begin(a->set[v]); set_next(&a->pool, &p, &o);)
            sets.object[at++] = o;
        sets.set[v] = made;
        sets.row[++made] = at;
    }
    for (ordo_u32 v = 0; v < a->n; v++)
        sets.set[v] = sets.set[a->of[v]];
    *out = sets;
    return ORDO_OK;
}

/* Why the members ended, and the sums of what they did. */
static ordo_status conclude(const analysis *a, ordo_points_to_found *found)
{
    const ordo_u64 blocks = a->pool.next_block < a->pool.most_blocks ? a->pool.next_block : a->pool.most_blocks;
    ordo_status status = ORDO_OK;
    bool full = false;
    *found = (ordo_points_to_found){.rounds = a->rounds, .bytes = blocks * SET_BLOCK * sizeof(set_chunk)};
    for (int i = 0; i < a->threads; i++) {
        const member *m = &a->member[i];
        status = status ? status : m->status;
        full = full || m->sets.full;
        found->items += m->items;
        found->unions += m->done;
        found->added += m->added;
        found->joined += m->joined;
    }
    for (ordo_u32 v = 0; v < a->n; v++)
        found->edges += size_of(a, a->after[v]);
    if (status == ORDO_ERR_CANCELLED)
        return ordo_fail(status, "cancelled");
    if (status == ORDO_ERR_TIMEOUT)
        return ordo_fail(status, "points-to analysis did not end within %g s", a->options->timeout);
    if (full || status)
        return ordo_fail(ORDO_ERR_MEMORY, "sets and edges need more than the %llu bytes that they may take",
                         (unsigned long long)(a->pool.most_blocks * SET_BLOCK * sizeof(set_chunk)));
    return ORDO_OK;
}

ordo_status ordo_points_to(const ordo_constraints *c, ordo_u64 most, const ordo_options *options,
                           ordo_points_to_sets *out, ordo_points_to_found *found)
{
    const ordo_options none = {0};
    if (!c || !out)
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", c ? "room for sets" : "constraints");
    analysis a = {.c = c, .options = options ? options : &none, .n = c->variables, .start = ordo_clock()};
    ordo_points_to_found own;
    const ordo_u64 bytes = SET_BLOCK * sizeof(set_chunk);
    a.pool.most_blocks = most && most / bytes < SET_BLOCKS ? most / bytes : SET_BLOCKS;
    ordo_status status = ordo_team_lease(a.options->threads, &a.team);
    if (status)
        return status;
    a.threads = ordo_team_size(a.team);
    status = make_rows(&a);
    if (!status)
        status = make_members(&a);
    if (!status) {
        ordo_team_run(a.team, run_member, &a);
        status = conclude(&a, found ? found : &own);
    }
    if (!status)
        status = write_sets(&a, out);
    ordo_team_return(a.team);
    free_all(&a);
    return status;
}

void ordo_points_to_free(ordo_points_to_sets *sets)
{
    if (!sets)
        return;
    ordo_free(sets->set);
    ordo_free(sets->row);
    ordo_free(sets->object);
    *sets = (ordo_points_to_sets){0};
}
