/* refine.c -- Delaunay mesh refinement by supersteps: triangles below the angle are items, which claim cavities.
 *
 * Problem. Bad triangles (quality.h) are removed by inserting points. Each insertion replaces a cavity (cavity.h), a
 * set of triangles that is only known once it has been searched, and may make new bad triangles.
 *
 * Method (Kulkarni et al. 2007; Nasre, Burtscher and Pingali 2013). The items of a superstep are the bad triangles. All
 * members look at a part of them each: an item finds its cavity, and claims its triangles and those around it
 * (<ordo/scheduler/claim.h>). After a barrier it sees whether it has won; room is made for what winners add
 * (<ordo/scheduler/growth.h>), and winners replace their cavities. What is bad in them, and the losers, are the items
 * of the next superstep (item.h).
 *
 * Invariant: whenever no one applies, the mesh is a constrained Delaunay triangulation of its points (cavity.h says why
 * disjoint claims suffice), and every triangle that is to be refined is an item, but those that are stuck.
 *
 * End: each superstep with a claim has a winner (claim.h), so the run ends if serial refinement does (quality.h says
 * when). Growth beyond max_triangles is an error. A point that cannot be told from its neighbours in 64 bits is not
 * inserted, and its triangle is left: `stuck`.
 *
 * The same mesh comes out with any number of threads: members have contiguous parts of the list of items, in order, so
 * that keys, winners, numbers of new points and triangles, and the next list depend on the list alone.
 *
 * On a GPU: refine_session.c, with the same items.
 */
#include "apps/mesh/refining.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/scheduler/growth.h>

#include "apps/mesh/item.h"
#include "framework/graph/graph.h"
#include "framework/run/phase.h"
#include "framework/run/reserved.h"
#include "framework/run/session.h"

#define RIGHT_ANGLE 90.0
#define HALF_TURN 180.0
#define PI 3.14159265358979323846

/* An item that has found its cavity in this superstep. */
typedef struct attempt {
    mesh_item of;
    ordo_u64 key;
    cavity found; /* counts and the point; arrays are in the member's, from these places on */
    ordo_u64 inside, ring;
    bool won;
} attempt;

/* A member's memory. */
typedef struct worker {
    cavity scratch;
    attempt *attempt;   /* [attempts] */
    ordo_u32 *inside;   /* cavities one after another */
    ring_edge *ring;    /* likewise */
    mesh_item *next;    /* items of the next superstep: new ones and losers */
    mesh_item *waiting; /* and those whose turn it was not */
    ordo_u64 attempts, attempt_room, insides, inside_room, edges, ring_room, nexts, next_room;
    ordo_u64 waitings, waiting_room;
    ordo_u64 won, tried, bad, kept, stuck; /* counts */
    double cos2;                           /* the square of the cosine of the smallest angle */
    ordo_status status;
    char padding[64];
} worker;

typedef struct refining {
    mesh *m;
    const mesh_plan *plan;
    ordo_u32 *on;
    ordo_u64 *mark;
    ordo_growth points, triangles;
    ordo_growth_demand *demand; /* [2 * members] */
    mesh_item *items;
    ordo_u64 item_count, item_room;
    worker *worker; /* [members] */
    int members;
    ordo_team *team;
    ordo_u32 superstep;
    ordo_status status;
    char why[512];
    bool ended;
    ordo_phase phase;
} refining;

static mesh_view view_of(const refining *r)
{
    return (mesh_view){.point = r->m->point,
                       .on = r->on,
                       .triangle = r->m->triangle,
                       .piece = r->m->piece,
                       .small = r->plan->small,
                       .given = r->m->given,
                       .quality = r->plan->quality};
}

static mesh_arrays arrays_of(const refining *r)
{
    return (mesh_arrays){r->m->point, r->on, r->m->triangle, r->mark};
}

/* ---- the parts of a superstep, by a member ---- */

/* Appends a triangle to the next items if it is to be refined. */
static void judge(const refining *r, worker *w, ordo_u32 t)
{
    const mesh_view view = view_of(r);
    if (!mesh_is_bad(&view, t))
        return;
    if (!w->status)
        w->status = mesh_room(&w->next, &w->next_room, w->nexts + 1, sizeof *w->next);
    if (!w->status)
        w->next[w->nexts++] = (mesh_item){t, view.triangle[t].born};
}

/* Superstep 0: all triangles are judged. */
static void judge_all(refining *r, int member)
{
    worker *w = &r->worker[member];
    ordo_u64 begin, end;
    ordo_split(r->m->triangles, r->members, member, &begin, &end);
    for (ordo_u64 t = begin; t < end; t++)
        judge(r, w, (ordo_u32)t);
    w->bad = w->nexts;
}

/* Finds the cavity of an item, in the scratch, which grows until the cavity fits. */
static cavity_result find_cavity(worker *w, const mesh_view *view, ordo_u32 t, mesh_state state, int side)
{
    cavity *c = &w->scratch;
    cavity_result found;
    while ((found = cavity_of_item(c, view, t, state, side)) == CAVITY_FULL) {
        ordo_u64 rooms[3] = {c->capacity, c->capacity, c->capacity};
        const ordo_u64 needed = (ordo_u64)c->capacity + 1;
        if ((w->status = mesh_room(&c->inside, &rooms[0], needed, sizeof *c->inside)) ||
            (w->status = mesh_room(&c->stack, &rooms[1], needed, sizeof *c->stack)) ||
            (w->status = mesh_room(&c->ring, &rooms[2], needed, sizeof *c->ring)))
            return CAVITY_STUCK;
        c->capacity = (ordo_u32)rooms[0];
    }
    return found;
}

/* Keeps the scratch's cavity as an attempt. */
static void keep_attempt(worker *w, mesh_item of, ordo_u64 key)
{
    const cavity *c = &w->scratch;
    if ((w->status = mesh_room(&w->attempt, &w->attempt_room, w->attempts + 1, sizeof *w->attempt)) ||
        (w->status = mesh_room(&w->inside, &w->inside_room, w->insides + c->insides, sizeof *w->inside)) ||
        (w->status = mesh_room(&w->ring, &w->ring_room, w->edges + c->edges, sizeof *w->ring)))
        return;
    w->attempt[w->attempts++] = (attempt){of, key, *c, w->insides, w->edges, false};
    memcpy(w->inside + w->insides, c->inside, c->insides * sizeof *c->inside);
    memcpy(w->ring + w->edges, c->ring, c->edges * sizeof *c->ring);
    w->insides += c->insides;
    w->edges += c->edges;
}

/* Part 1: finds cavities and marks them. */
static void look(refining *r, int member)
{
    worker *w = &r->worker[member];
    const mesh_view view = view_of(r);
    ordo_u64 begin, end;
    ordo_split(r->item_count, r->members, member, &begin, &end);
    w->attempts = w->insides = w->edges = w->nexts = w->waitings = 0;
    for (ordo_u64 i = begin; i < end && !w->status; i++) {
        if (ordo_phase_at(&r->phase, i - begin))
            break;
        const mesh_item of = r->items[i];
        const mesh_triangle *t = &view.triangle[of.triangle];
        int side;
        if (t->born != of.born)
            continue;
        if (!item_has_turn(i, r->item_count, r->superstep)) {
            if (!(w->status = mesh_room(&w->waiting, &w->waiting_room, w->waitings + 1, sizeof *w->waiting)))
                w->waiting[w->waitings++] = of;
            continue;
        }
        const mesh_state state = mesh_judge(&view, t, &side);
        if (find_cavity(w, &view, of.triangle, state, side) != CAVITY_READY)
            continue;
        const ordo_u64 key = item_key(i, r->superstep);
        cavity_claim(&w->scratch, r->mark, key);
        keep_attempt(w, of, key);
    }
}

/* Part 2: which have won, and what they add. */
static void check(refining *r, int member)
{
    worker *w = &r->worker[member];
    ordo_u64 won = 0, grown = 0;
    for (ordo_u64 i = 0; i < w->attempts; i++) {
        attempt *a = &w->attempt[i];
        a->found.inside = w->inside + a->inside; /* they move no more in this superstep */
        a->found.ring = w->ring + a->ring;
        a->won = cavity_is_held(&a->found, r->mark, a->key);
        won += a->won;
        grown += a->won ? cavity_growth(&a->found) : 0;
    }
    w->tried += w->attempts;
    w->won += won;
    r->points.demand[member].count = won;
    r->triangles.demand[member].count = grown;
}

/* Part 3: winners replace their cavities. */
static void apply(refining *r, int member)
{
    worker *w = &r->worker[member];
    const mesh_arrays own = arrays_of(r);
    ordo_u32 point = (ordo_u32)ordo_growth_first(&r->points, member);
    ordo_u32 fresh = (ordo_u32)ordo_growth_first(&r->triangles, member);
    for (ordo_u64 i = 0; i < w->attempts && !w->status; i++) {
        const attempt *a = &w->attempt[i];
        const cavity *c = &a->found;
        bool again = true;
        if (a->won) {
            cavity_replace(c, &own, point, fresh, r->superstep);
            for (ordo_u32 j = 0; j < c->edges; j++)
                judge(r, w, fan_triangle(c, j, fresh));
            point++;
            fresh += cavity_growth(c);
            again = !cavity_has(c, a->of.triangle);
        }
        if (again && !(w->status = mesh_room(&w->next, &w->next_room, w->nexts + 1, sizeof *w->next)))
            w->next[w->nexts++] = a->of;
    }
}

/* ---- between the parts, by member 0 ---- */

/* Keeps the first error, for the caller's thread. */
static void note(refining *r, ordo_status status, const char *why)
{
    if (!status || r->status)
        return;
    r->status = status;
    snprintf(r->why, sizeof r->why, "%s", why);
}

ordo_status mesh_too_large(const mesh_plan *plan)
{
    return ordo_fail(
        ORDO_ERR_MEMORY,
        "the mesh needs more than %llu triangles (--max-triangles, or memory), and refining has not ended: "
        "a smaller --min-angle or a larger --max-area needs fewer",
        (unsigned long long)plan->most);
}

static void make_room(refining *r)
{
    ordo_status status = ordo_growth_make_room(&r->points);
    if (!status && ordo_growth_first(&r->triangles, r->members) > r->triangles.limit)
        status = mesh_too_large(r->plan);
    if (!status)
        status = ordo_growth_make_room(&r->triangles);
    note(r, status, ordo_last_error());
}

/* Appends items to the list; they fit. */
static void append_items(refining *r, const mesh_item *from, ordo_u64 count)
{
    if (count)
        memcpy(r->items + r->item_count, from, count * sizeof *from);
    r->item_count += count;
}

/* Makes the next list of items: those that wait, then the others, in the order of members each. */
static void advance(refining *r)
{
    ordo_u64 count = 0;
    for (int m = 0; m < r->members; m++) {
        note(r, r->worker[m].status, "not enough memory for the cavities");
        count += r->worker[m].nexts + r->worker[m].waitings;
    }
    ordo_growth_count(&r->points);
    ordo_growth_count(&r->triangles);
    r->m->points = r->points.count;
    r->m->triangles = r->triangles.count;
    if (!r->status)
        note(r, mesh_room(&r->items, &r->item_room, count, sizeof *r->items), "not enough memory for the items");
    r->item_count = 0;
    for (int m = 0; m < r->members && !r->status; m++)
        append_items(r, r->worker[m].waiting, r->worker[m].waitings);
    for (int m = 0; m < r->members && !r->status; m++)
        append_items(r, r->worker[m].next, r->worker[m].nexts);
    r->superstep++;
    r->ended = r->status || r->item_count == 0 || ordo_phase_step(&r->phase, 1);
}

/* ---- the run ---- */

/* Counts what stays, and the smallest angle, in a member's part. */
static void survey(refining *r, int member)
{
    worker *w = &r->worker[member];
    mesh_view view = view_of(r);
    ordo_u64 begin, end;
    ordo_split(r->m->triangles, r->members, member, &begin, &end);
    for (ordo_u64 t = begin; t < end; t++) {
        int side;
        const mesh_state state = mesh_judge(&view, &view.triangle[t], &side);
        w->kept += state == MESH_KEPT;
        w->stuck += state == MESH_BAD || state == MESH_ENCROACHED;
        const double cos2 = sharpest_cos2(&view, &view.triangle[t]);
        w->cos2 = cos2 > w->cos2 ? cos2 : w->cos2;
    }
}

static void refine_member(void *arg, int member)
{
    refining *r = arg;
    judge_all(r, member);
    ordo_team_barrier(r->team);
    if (member == 0)
        advance(r);
    ordo_team_barrier(r->team);
    while (!r->ended) {
        look(r, member);
        ordo_team_barrier(r->team);
        check(r, member);
        ordo_team_barrier(r->team);
        if (member == 0)
            make_room(r);
        ordo_team_barrier(r->team);
        if (r->status)
            break;
        apply(r, member);
        ordo_team_barrier(r->team);
        if (member == 0)
            advance(r);
        ordo_team_barrier(r->team);
    }
    survey(r, member);
}

typedef struct ray {
    ordo_u32 at;
    double angle;
} ray;

static int by_angle(const void *a, const void *b)
{
    const ray *l = a, *r = b;
    if (l->at != r->at)
        return l->at < r->at ? -1 : 1;
    return l->angle < r->angle ? -1 : l->angle > r->angle;
}

/* Marks the points at which two pieces meet at less than 60 degrees: neighbours in the order of directions. */
static ordo_status find_small_angles(const mesh *m, ordo_u8 *small)
{
    ray *ray_of = ordo_alloc(2 * m->pieces, sizeof *ray_of);
    if (!ray_of)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 s = 0; s < m->pieces; s++) {
        const geometry_point a = m->point[m->piece[s].a], b = m->point[m->piece[s].b];
        ray_of[2 * s] = (ray){m->piece[s].a, atan2(b.y - a.y, b.x - a.x)};
        ray_of[2 * s + 1] = (ray){m->piece[s].b, atan2(a.y - b.y, a.x - b.x)};
    }
    qsort(ray_of, 2 * m->pieces, sizeof *ray_of, by_angle);
    for (ordo_u64 first = 0, end; first < 2 * m->pieces; first = end) {
        for (end = first + 1; end < 2 * m->pieces && ray_of[end].at == ray_of[first].at;)
            end++;
        for (ordo_u64 i = first; i < end && end - first > 1; i++) {
            const double turn =
                i + 1 < end ? ray_of[i + 1].angle - ray_of[i].angle : ray_of[first].angle - ray_of[i].angle + 2 * PI;
            small[ray_of[i].at] |= turn < PI / 3 * (1 - 1e-9);
        }
    }
    ordo_free(ray_of);
    return ORDO_OK;
}

/* The most triangles: as asked for, or as memory allows. */
static ordo_u64 limit_of(const ordo_refine_options *options)
{
    enum { BYTES = 160 }; /* of a triangle with its mark, half a point, what it is copied into, and items */
    if (options->max_triangles)
        return options->max_triangles < ORDO_MAX_TRIANGLES ? options->max_triangles : ORDO_MAX_TRIANGLES;
    const ordo_u64 fit = ordo_memory_available() / BYTES;
    return fit < ORDO_MAX_TRIANGLES ? fit : ORDO_MAX_TRIANGLES;
}

/* plan->small is to be freed in any case. */
static ordo_status make_plan(const mesh *m, const ordo_refine_options *options, mesh_plan *plan)
{
    const double angle = options->min_angle > 0 ? options->min_angle : 30, c = cos(angle * PI / HALF_TURN);
    plan->quality = (mesh_quality){.cos2 = options->min_angle < 0 ? 2 : c * c,
                                   .max_area = options->max_area > 0 ? options->max_area : INFINITY};
    plan->most = limit_of(options);
    plan->small = ordo_alloc_zero(m->given, 1);
    return plan->small ? find_small_angles(m, plan->small) : ORDO_ERR_MEMORY;
}

/* Allocates everything beside the mesh. */
static ordo_status refine_begin(refining *r)
{
    mesh *m = r->m;
    r->members = ordo_team_size(r->team);
    r->on = ordo_alloc(m->points, sizeof *r->on);
    r->mark = ordo_alloc(m->triangles, sizeof *r->mark);
    r->worker = ordo_alloc_zero((size_t)r->members, sizeof *r->worker);
    r->demand = ordo_alloc_zero(2 * (size_t)r->members, sizeof *r->demand);
    if (!r->on || !r->mark || !r->worker || !r->demand)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; i < m->points; i++)
        r->on[i] = ORDO_NO_SEGMENT;
    for (ordo_u64 i = 0; i < m->triangles; i++)
        r->mark[i] = ORDO_UNCLAIMED;
    r->points = (ordo_growth){.what = "points",
                              .count = m->points,
                              .capacity = m->points,
                              .limit = ORDO_MAX_TRIANGLES,
                              .members = r->members,
                              .demand = r->demand,
                              .array = {{(void **)&m->point, sizeof *m->point}, {(void **)&r->on, sizeof *r->on}}};
    r->triangles =
        (ordo_growth){.what = "triangles",
                      .count = m->triangles,
                      .capacity = m->triangles,
                      .limit = r->plan->most,
                      .members = r->members,
                      .demand = r->demand + r->members,
                      .array = {{(void **)&m->triangle, sizeof *m->triangle}, {(void **)&r->mark, sizeof *r->mark}}};
    return ORDO_OK;
}

static void refine_end(refining *r)
{
    for (int i = 0; i < r->members && r->worker; i++) {
        worker *w = &r->worker[i];
        ordo_free(w->scratch.inside);
        ordo_free(w->scratch.stack);
        ordo_free(w->scratch.ring);
        ordo_free(w->attempt);
        ordo_free(w->inside);
        ordo_free(w->ring);
        ordo_free(w->next);
        ordo_free(w->waiting);
    }
    ordo_free(r->on);
    ordo_free(r->mark);
    ordo_free(r->worker);
    ordo_free(r->demand);
    ordo_free(r->items);
}

double mesh_angle(double cos2)
{
    return acos(sqrt(cos2)) * HALF_TURN / PI;
}

static void sum_up(const refining *r, ordo_refine_stats *stats)
{
    double cos2 = 0;
    for (int i = 0; i < r->members; i++) {
        const worker *w = &r->worker[i];
        stats->bad += w->bad;
        stats->tried += w->tried;
        stats->won += w->won;
        stats->kept += w->kept;
        stats->stuck += w->stuck;
        cos2 = fmax(cos2, w->cos2);
    }
    stats->supersteps = r->superstep - 1;
    stats->least_angle = mesh_angle(cos2);
}

/* The mesh for the caller: its arrays, and the parts of segments. */
static ordo_status hand_over(const ordo_mesh *in, const mesh *m, ordo_mesh **out)
{
    ordo_mesh *o = ordo_alloc_zero(1, sizeof *o);
    ordo_u64 segments = 0;
    if (!o)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 t = 0; t < m->triangles; t++)
        for (int i = 0; i < 3; i++)
            segments += m->triangle[t].segment[i] != ORDO_NO_SEGMENT && m->triangle[t].next[i] > t;
    *out = o;
    o->id_base = in->id_base;
    o->points = m->points;
    o->triangles = m->triangles;
    o->holes = in->holes;
    o->xy = ordo_alloc(2 * m->points, sizeof *o->xy);
    o->corners = ordo_alloc(3 * m->triangles, sizeof *o->corners);
    o->ends = ordo_alloc(2 * segments, sizeof *o->ends);
    o->part_of = ordo_alloc(segments, sizeof *o->part_of);
    o->hole_xy = ordo_alloc(2 * in->holes, sizeof *o->hole_xy);
    if (!o->xy || !o->corners || !o->ends || !o->part_of || !o->hole_xy)
        return ORDO_ERR_MEMORY;
    if (in->holes)
        memcpy(o->hole_xy, in->hole_xy, 2 * in->holes * sizeof *o->hole_xy);
    for (ordo_u64 p = 0; p < m->points; p++) {
        o->xy[2 * p] = m->point[p].x;
        o->xy[2 * p + 1] = m->point[p].y;
    }
    for (ordo_u64 t = 0; t < m->triangles; t++)
        for (int i = 0; i < 3; i++) {
            const mesh_triangle *of = &m->triangle[t];
            o->corners[3 * t + (ordo_u64)i] = of->corner[i];
            if (of->segment[i] == ORDO_NO_SEGMENT || of->next[i] <= t)
                continue;
            o->ends[2 * o->segments] = of->corner[side_after(i)];
            o->ends[2 * o->segments + 1] = of->corner[side_before(i)];
            o->part_of[o->segments++] = m->piece[of->segment[i]].source;
        }
    return ORDO_OK;
}

static ordo_status refine_on_cpu(mesh *m, const mesh_plan *plan, int threads, ordo_refine_stats *stats)
{
    refining r = {.m = m, .plan = plan};
    ordo_status status = ordo_team_lease(threads, &r.team);
    if (status)
        return status;
    status = refine_begin(&r);
    if (!status) {
        ordo_phase_begin(&r.phase, "refining", 0);
        ordo_team_run(r.team, refine_member, &r);
        status = r.status ? ordo_fail(r.status, "%s", r.why) : ordo_phase_end(&r.phase);
        sum_up(&r, stats);
    }
    refine_end(&r);
    ordo_team_return(r.team);
    return status;
}

/* On the session's device. "auto": on the CPU where a GPU has too little memory. */
static ordo_status refine(ordo_session *session, mesh *m, const ordo_refine_options *options, ordo_refine_stats *stats)
{
    const bool on_cpu = strcmp(ordo_session_device(session), "cpu") == 0;
    const bool automatic = options->device && strcmp(options->device, "auto") == 0;
    mesh_plan plan = {0};
    ordo_status status = make_plan(m, options, &plan);
    stats->triangles = m->triangles;
    stats->device = ordo_session_device(session);
    snprintf(stats->fallback, sizeof stats->fallback, "%s", ordo_session_why(session));
    const ordo_refine_stats before = *stats;
    if (!status && !on_cpu)
        status = mesh_refine_in_session(session, m, &plan, stats);
    if (!on_cpu && automatic && (status == ORDO_ERR_MEMORY || status == ORDO_ERR_DEVICE)) {
        *stats = before;
        snprintf(stats->fallback, sizeof stats->fallback, "%s", ordo_last_error());
        stats->device = "cpu";
        status = ORDO_OK;
    }
    if (!status && strcmp(stats->device, "cpu") == 0)
        status = refine_on_cpu(m, &plan, options->threads, stats);
    ordo_free(plan.small);
    return status;
}

static ordo_status check_options(const ordo_refine_options *options)
{
    const double most = 34; /* beyond it refining does not end on most inputs */
    if (!(options->min_angle <= most))
        return ordo_fail(ORDO_ERR_USAGE, "ordo_refine_options: min_angle %g, expected at most %g degrees",
                         options->min_angle, most);
    if (!(options->max_area >= 0))
        return ordo_fail(ORDO_ERR_USAGE, "ordo_refine_options: max_area %g, expected 0 or more", options->max_area);
    return ORDO_RESERVED_CHECK(ordo_refine_options, options);
}

ordo_status ordo_mesh_refine(const ordo_mesh *in, const ordo_refine_options *options, ordo_mesh **out,
                             ordo_refine_stats *stats)
{
    static const ordo_refine_options none;
    ordo_refine_stats own = {0};
    mesh m = {0};
    if (!in || !out)
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", in ? "place for the mesh" : "mesh");
    options = options ? options : &none;
    ordo_session *session = NULL;
    ordo_status status = check_options(options);
    if (!status)
        status = ordo_session_make(options->device, options->threads, &session);
    if (status)
        return status;
    const double start = ordo_seconds();
    status = mesh_triangulate(in, &m);
    const double prepared = ordo_seconds();
    if (!status)
        status = refine(session, &m, options, &own);
    own.prepare_seconds = prepared - start;
    own.run_seconds = ordo_seconds() - prepared;
    ordo_session_free(session);
    ordo_mesh *made = NULL;
    if (!status)
        status = hand_over(in, &m, &made);
    mesh_free(&m);
    if (status) {
        ordo_mesh_free(made);
        return status;
    }
    *out = made;
    if (stats)
        *stats = own;
    return ORDO_OK;
}
