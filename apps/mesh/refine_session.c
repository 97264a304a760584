/* refine_session.c -- mesh refinement in the memory of a GPU: the parts of a superstep are passes (apps/mesh_passes.h).
 *
 * Problem. refine.c has a team whose members keep what they find in memory of their own, which grows. On a GPU no
 * thread can grow memory, and what is found in parallel has to get its place in order.
 *
 * Method. Passes follow one another; the host reads a few numbers between them, and allocates:
 *   look     each slot's cavity has a place of a fixed size. Where cavities are larger, their slots are looked at again
 *            with four times as much, and so on: few are
 *   check    what winners add; prefix sums number it, and the host allocates for it
 *   apply    how many entries of the next list come from each slot
 *   put      prefix sums say where they go: those that waited first, then the others, in the order of slots
 * Keys, winners, numbers and lists are those of refine.c, and so is the mesh.
 *
 * Memory. An array that is too small is made anew, by half larger than needed. Points and triangles are copied on the
 * device; both copies are there at the same time. Where the device has too little memory the call fails, and the mesh
 * of the host is as it was.
 *
 * Not done: supersteps of few items, of which there are many at the end, in one kernel; places as large as each cavity,
 * where many cavities of a superstep are very large.
 */
#include "apps/mesh/refining.h"

#include <string.h>

#include "apps/mesh_passes.h"
#include "framework/run/phase.h"

enum { SHELVES = 13, LEAST_PLACE = 32 /* triangles of a cavity */, PLACES_GROW = 4, LEAST_ROOM = 64 };

/* Places of one size. */
typedef struct shelf {
    mesh_places at;
    ordo_u64 inside_room, stack_room, ring_room; /* elements */
} shelf;

typedef struct refining {
    ordo_session *session;
    const mesh_plan *plan;
    mesh_stage stage;
    shelf shelves[SHELVES]; /* each for larger cavities than the one before */
    ordo_item *waits[2];    /* slots that need larger places, of even and odd shelves */
    ordo_u32 *taken;        /* [1] places of a shelf */
    ordo_u64 *sums;         /* of prefix sums */
    ordo_u64 point_room, on_room, triangle_room, mark_room, item_room, next_room, slot_room, won_room, place_room,
        sum_room, wait_room[2];
    ordo_u64 tried;
    ordo_phase phase;
} refining;

/* Makes the array at `array`, a pointer to a pointer, anew where it has fewer than `needed` elements. */
static ordo_status make_room(refining *r, void *array, ordo_u64 *room, ordo_u64 needed, size_t size)
{
    void **at = (void **)array;
    if (needed <= *room)
        return ORDO_OK;
    const ordo_u64 more = needed + needed / 2 + LEAST_ROOM;
    ordo_status status = ordo_session_drop(r->session, *at);
    *at = NULL;
    *room = 0;
    if (!status)
        status = ordo_session_array(r->session, NULL, more, size, at);
    if (!status)
        *room = more;
    return status;
}

static ordo_status pass_that_finds(refining *r, const ordo_pass *what, ordo_u64 count, ordo_found *found)
{
    const ordo_each each = {.pass = what, .state = &r->stage, .count = count};
    return ordo_session_each(r->session, &each, found);
}

static ordo_status pass(refining *r, const ordo_pass *what, ordo_u64 count)
{
    return pass_that_finds(r, what, count, NULL);
}

/* ---- prefix sums ---- */

static ordo_u64 chunks(ordo_u64 count)
{
    return (count + MESH_CHUNK - 1) / MESH_CHUNK;
}

static ordo_status pass_of_level(refining *r, const ordo_pass *what, const mesh_level *level, ordo_found *found)
{
    const ordo_each each = {.pass = what, .state = level, .count = level->sum ? chunks(level->count) : 1};
    return ordo_session_each(r->session, &each, found);
}

/* Each number becomes the sum of those before; *total: of all. */
static ordo_status add_up(refining *r, ordo_u64 *number, ordo_u64 count, ordo_u64 *total)
{
    enum { LEVELS = 8 }; /* MESH_CHUNK to that power is more than there are */
    mesh_level level[LEVELS] = {{number, NULL, count}};
    int top = 0;
    ordo_u64 needed = 0;
    ordo_found found;
    for (ordo_u64 n = count; n > MESH_CHUNK; n = chunks(n))
        needed += chunks(n);
    ordo_status status = make_room(r, &r->sums, &r->sum_room, needed, sizeof *r->sums);
    ordo_u64 *sum = r->sums;
    for (; level[top].count > MESH_CHUNK && !status; top++) {
        level[top].sum = sum;
        level[top + 1] = (mesh_level){sum, NULL, chunks(level[top].count)};
        sum += chunks(level[top].count);
        status = pass_of_level(r, &mesh_sum_pass, &level[top], NULL);
    }
    if (!status)
        status = pass_of_level(r, &mesh_spread_pass, &level[top], &found);
    if (!status)
        *total = found.value;
    while (top-- > 0 && !status)
        status = pass_of_level(r, &mesh_spread_pass, &level[top], NULL);
    return status;
}

/* ---- the mesh's arrays ---- */

static void show_arrays(refining *r)
{
    r->stage.view.point = r->stage.own.point;
    r->stage.view.on = r->stage.own.on;
    r->stage.view.triangle = r->stage.own.triangle;
}

/* Makes a copy of the host's array. */
static ordo_status copy_in(refining *r, void *array, const void *from, ordo_u64 count, size_t size)
{
    void **at = (void **)array;
    const ordo_status status = ordo_session_array(r->session, NULL, count, size, at);
    return status ? status : ordo_session_write(r->session, *at, from, count * size);
}

static ordo_status begin(refining *r, const mesh *m)
{
    mesh_stage *s = &r->stage;
    s->points = m->points;
    s->triangles = m->triangles;
    s->view.given = m->given;
    s->view.quality = r->plan->quality;
    ordo_status status = copy_in(r, &s->own.point, m->point, m->points, sizeof *m->point);
    if (!status)
        status = copy_in(r, &s->own.triangle, m->triangle, m->triangles, sizeof *m->triangle);
    if (!status)
        status = copy_in(r, &s->view.piece, m->piece, m->pieces, sizeof *m->piece);
    if (!status)
        status = copy_in(r, &s->view.small, r->plan->small, m->given, sizeof *r->plan->small);
    if (!status)
        status = ordo_session_array(r->session, NULL, m->points, sizeof *s->own.on, (void **)&s->own.on);
    if (!status)
        status = ordo_session_array(r->session, NULL, m->triangles, sizeof *s->own.mark, (void **)&s->own.mark);
    if (!status)
        status = ordo_session_array(r->session, NULL, 1, sizeof *r->taken, (void **)&r->taken);
    r->point_room = m->points;
    r->triangle_room = m->triangles;
    show_arrays(r);
    return status ? status : pass(r, &mesh_begin_pass, m->points > m->triangles ? m->points : m->triangles);
}

/* Grows two arrays, whose pointers are at own[], to `needed` elements. larger[]: where pointers to larger ones are kept
 * for `move`, which copies `count` elements. */
static ordo_status grow(refining *r, ordo_u64 *room, ordo_u64 needed, ordo_u64 most, void **own[2], void **larger[2],
                        const size_t size[2], const ordo_pass *move, ordo_u64 count)
{
    if (needed <= *room)
        return ORDO_OK;
    const ordo_u64 wanted = needed + needed / 2, more = wanted < most ? wanted : most;
    ordo_status status = ordo_session_array(r->session, NULL, more, size[0], larger[0]);
    if (!status)
        status = ordo_session_array(r->session, NULL, more, size[1], larger[1]);
    if (!status)
        status = pass(r, move, count);
    for (int i = 0; i < 2 && !status; i++) {
        status = ordo_session_drop(r->session, *own[i]);
        *own[i] = *larger[i];
    }
    *room = more;
    show_arrays(r);
    return status;
}

/* Grows the mesh by what winners add: points, and beyond bit 32 triangles. */
static ordo_status grow_mesh(refining *r, ordo_u64 added)
{
    mesh_stage *s = &r->stage;
    const ordo_u64 points = s->points + (ordo_u32)added, triangles = s->triangles + (added >> 32);
    if (triangles > r->plan->most || points > ORDO_MAX_TRIANGLES)
        return mesh_too_large(r->plan);
    void **points_at[] = {(void **)&s->own.point, (void **)&s->own.on};
    void **triangles_at[] = {(void **)&s->own.triangle, (void **)&s->own.mark};
    void **larger_points[] = {(void **)&s->larger.point, (void **)&s->larger.on};
    void **larger_triangles[] = {(void **)&s->larger.triangle, (void **)&s->larger.mark};
    const size_t point_size[] = {sizeof *s->own.point, sizeof *s->own.on};
    const size_t triangle_size[] = {sizeof *s->own.triangle, sizeof *s->own.mark};
    const ordo_status status = grow(r, &r->point_room, points, ORDO_MAX_TRIANGLES, points_at, larger_points, point_size,
                                    &mesh_move_points_pass, s->points);
    return status ? status
                  : grow(r, &r->triangle_room, triangles, r->plan->most, triangles_at, larger_triangles, triangle_size,
                         &mesh_move_triangles_pass, s->triangles);
}

/* ---- supersteps ---- */

static ordo_status make_list(refining *r, ordo_u64 items)
{
    return make_room(r, &r->stage.next, &r->next_room, items, sizeof *r->stage.next);
}

static void take_list(refining *r, ordo_u64 items)
{
    mesh_item *const item = r->stage.next;
    const ordo_u64 room = r->next_room;
    r->stage.next = r->stage.item;
    r->next_room = r->item_room;
    r->stage.item = item;
    r->item_room = room;
    r->stage.items = items;
    r->stage.superstep++;
}

/* Superstep 0: all triangles are judged. */
static ordo_status find_items(refining *r)
{
    mesh_stage *s = &r->stage;
    ordo_u64 items = 0;
    ordo_status status = make_room(r, &s->place, &r->place_room, s->triangles + 1, sizeof *s->place);
    if (!status)
        status = pass(r, &mesh_first_pass, s->triangles + 1);
    if (!status)
        status = add_up(r, s->place, s->triangles + 1, &items);
    if (!status)
        status = make_list(r, items);
    if (!status)
        status = pass(r, &mesh_list_pass, s->triangles);
    take_list(r, items);
    return status;
}

/* Has `count` places of the shelf ready. */
static ordo_status make_places(refining *r, int which, ordo_u64 count)
{
    static const ordo_u32 none;
    shelf *s = &r->shelves[which];
    s->at.capacity = which ? r->shelves[which - 1].at.capacity * PLACES_GROW : LEAST_PLACE;
    s->at.next = which ? r->taken : NULL;
    const ordo_u64 needed = count * s->at.capacity;
    ordo_status status = make_room(r, &s->at.inside, &s->inside_room, needed, sizeof *s->at.inside);
    if (!status)
        status = make_room(r, &s->at.stack, &s->stack_room, needed, sizeof *s->at.stack);
    if (!status)
        status = make_room(r, &s->at.ring, &s->ring_room, needed, sizeof *s->at.ring);
    r->stage.places = s->at;
    return status || !which ? status : ordo_session_write(r->session, r->taken, &none, sizeof none);
}

/* Slots whose places are too small are looked at again, with larger ones. */
static ordo_status look(refining *r, ordo_u64 slots)
{
    ordo_each each = {.pass = &mesh_look_pass, .state = &r->stage, .count = slots};
    ordo_found found = {0, 0};
    ordo_status status = ORDO_OK;
    for (int which = 0; each.count && !status; which++) {
        if (which == SHELVES)
            return ordo_fail(ORDO_ERR_MEMORY, "a cavity has more than %u triangles",
                             r->shelves[SHELVES - 1].at.capacity);
        status = make_places(r, which, each.count);
        if (!status)
            status = make_room(r, &r->waits[which & 1], &r->wait_room[which & 1], each.count, sizeof *r->waits[0]);
        each.selected = r->waits[which & 1];
        if (!status)
            status = ordo_session_each(r->session, &each, &found);
        r->tried += (ordo_u32)found.value;
        each.items = each.selected;
        each.count = found.count;
    }
    return status;
}

static ordo_status superstep(refining *r)
{
    mesh_stage *s = &r->stage;
    const ordo_u64 slots = item_slots(s->items, s->superstep);
    ordo_u64 added = 0, items = 0;
    ordo_status status = make_room(r, &s->slot, &r->slot_room, slots, sizeof *s->slot);
    if (!status)
        status = make_room(r, &s->won, &r->won_room, slots, sizeof *s->won);
    if (!status)
        status = make_room(r, &s->place, &r->place_room, s->items + slots, sizeof *s->place);
    if (!status)
        status = look(r, slots);
    if (!status)
        status = pass(r, &mesh_check_pass, slots);
    if (!status)
        status = add_up(r, s->won, slots, &added);
    if (!status)
        status = grow_mesh(r, added);
    if (!status)
        status = pass(r, &mesh_wait_pass, s->items);
    if (!status)
        status = pass(r, &mesh_apply_pass, slots);
    s->points += (ordo_u32)added;
    s->triangles += added >> 32;
    if (!status)
        status = add_up(r, s->place, s->items + slots, &items);
    if (!status)
        status = make_list(r, items);
    if (!status)
        status = pass(r, &mesh_keep_pass, s->items);
    if (!status)
        status = pass(r, &mesh_put_pass, slots);
    take_list(r, items);
    return status;
}

/* ---- the whole ---- */

/* What is left, and the smallest angle. */
static ordo_status survey(refining *r, ordo_refine_stats *stats)
{
    ordo_found left = {0, 0}, sharpest = {0, 0};
    ordo_status status = pass_that_finds(r, &mesh_left_pass, r->stage.triangles, &left);
    if (!status)
        status = pass_that_finds(r, &mesh_sharpest_pass, r->stage.triangles, &sharpest);
    double cos2;
    memcpy(&cos2, &sharpest.value, sizeof cos2);
    stats->kept += (ordo_u32)left.value;
    stats->stuck += left.value >> 32;
    stats->least_angle = mesh_angle(cos2);
    return status;
}

/* The mesh becomes what the session has. */
static ordo_status read_mesh(refining *r, mesh *m)
{
    const mesh_stage *s = &r->stage;
    geometry_point *point = ordo_alloc(s->points, sizeof *point);
    mesh_triangle *triangle = ordo_alloc(s->triangles, sizeof *triangle);
    ordo_status status = point && triangle ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        status = ordo_session_read(r->session, point, s->own.point, s->points * sizeof *point);
    if (!status)
        status = ordo_session_read(r->session, triangle, s->own.triangle, s->triangles * sizeof *triangle);
    ordo_free(status ? point : m->point);
    ordo_free(status ? triangle : m->triangle);
    if (status)
        return status;
    m->point = point;
    m->points = s->points;
    m->triangle = triangle;
    m->triangles = s->triangles;
    return ORDO_OK;
}

ordo_status mesh_refine_in_session(ordo_session *session, mesh *m, const mesh_plan *plan, ordo_refine_stats *stats)
{
    refining r = {.session = session, .plan = plan};
    ordo_phase_begin(&r.phase, "refining", 0);
    ordo_status status = begin(&r, m);
    if (!status)
        status = find_items(&r);
    stats->bad += r.stage.items;
    while (!status && r.stage.items && !ordo_phase_step(&r.phase, 1))
        status = superstep(&r);
    if (!status)
        status = ordo_phase_end(&r.phase);
    if (!status)
        status = survey(&r, stats);
    stats->supersteps += r.stage.superstep ? r.stage.superstep - 1 : 0;
    stats->tried += r.tried;
    stats->won += r.stage.points - m->points;
    return status ? status : read_mesh(&r, m);
}
