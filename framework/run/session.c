/* session.c -- sessions: the list of a session's arrays, and passes over items on the CPU. On a device its back end has
 * the memory and makes the passes (ordo_backend_session).
 *
 * A pass on the CPU. Items are cut into parts, which free threads take one after the other. Each part writes its
 * selected items where the part begins in the list; the lists of all parts are moved together at the end, in order, so
 * a list of items in ascending order stays so.
 */
#include <ordo/session.h>

#include <stdio.h>
#include <string.h>

#include <ordo/detail/backend.h>
#include <ordo/memory.h>
#include <ordo/operator/pass.h>
#include <ordo/scheduler/team.h>

#include "phase.h"
#include "reserved.h"
#include "session.h"

typedef struct array {
    char *at;
    ordo_u64 bytes;
    bool owned;   /* memory of the host, taken by the session */
    bool adopted; /* the caller's, of ordo_session_adopt() */
} array;

struct ordo_session {
    const ordo_backend *backend; /* NULL: the CPU */
    void *own;                   /* the back end's */
    int threads;
    array *arrays;
    size_t count, capacity;
    char why[sizeof((ordo_stats *)0)->fallback];
    ordo_status failure; /* after which nothing is known of the arrays */
    char sentence[512];  /* its line */
};

/* ---- sessions ---- */

static ordo_status find_backend(const char *device, const ordo_backend **out, char name[ORDO_DEVICE_NAME])
{
    const bool automatic = device && !strcmp(device, "auto");
    *out = NULL;
    if (!device || !strcmp(device, "cpu"))
        return ORDO_OK;
    ordo_status status = ordo_backend_load(automatic ? "cuda" : device, out);
    if (!status)
        status = (*out)->probe(name);
    if (!status && !(*out)->session)
        status = ordo_fail(ORDO_ERR_DEVICE, "device '%s': its back end has no sessions", device);
    if (status && automatic) {
        *out = NULL;
        return ORDO_OK;
    }
    return status;
}

ordo_status ordo_device_find(const char *device, char *name, size_t size)
{
    char found[ORDO_DEVICE_NAME];
    const ordo_backend *backend;
    const ordo_status status = find_backend(device, &backend, found);
    if (!status && backend)
        snprintf(name, size, "%s", found);
    else if (!status)
        snprintf(name, size, "%d cores", ordo_cores());
    return status;
}

ordo_status ordo_session_make(const char *device, int threads, ordo_session **out)
{
    if (threads < 0 || threads > ORDO_MAX_THREADS)
        return ordo_fail(ORDO_ERR_USAGE, "%d threads asked for, 1 to %d are possible (0: one a core)", threads,
                         ORDO_MAX_THREADS);
    char name[ORDO_DEVICE_NAME];
    const ordo_backend *backend;
    ordo_status status = find_backend(device, &backend, name);
    if (status)
        return status;
    ordo_session *s = ordo_alloc_zero(1, sizeof *s);
    if (!s)
        return ORDO_ERR_MEMORY;
    s->backend = backend;
    s->threads = threads;
    if (!backend && device && !strcmp(device, "auto"))
        snprintf(s->why, sizeof s->why, "%s", ordo_last_error());
    status = backend ? backend->session->begin(&s->own) : ORDO_OK;
    if (status)
        ordo_free(s);
    else
        *out = s;
    return status;
}

void ordo_session_free(ordo_session *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++)
        if (s->arrays[i].owned)
            ordo_free(s->arrays[i].at);
    if (s->backend)
        s->backend->session->end(s->own);
    ordo_free(s->arrays);
    ordo_free(s);
}

const char *ordo_session_device(const ordo_session *s)
{
    return s->backend ? s->backend->name : "cpu";
}

int ordo_session_number(const ordo_session *s)
{
    return s->backend ? s->backend->session->number(s->own) : 0;
}

bool ordo_session_is_apart(const ordo_session *s)
{
    return s->backend != NULL;
}

ordo_status ordo_session_gather(const ordo_session *s, const ordo_remote *remote, const ordo_parted *arrays, int count)
{
    return s->backend->session->gather(remote, arrays, count);
}

const char *ordo_session_why(const ordo_session *s)
{
    return s->why;
}

void *ordo_session_own(const ordo_session *s)
{
    return s->own;
}

ordo_status ordo_session_note(ordo_session *s, ordo_status status)
{
    if (status == ORDO_ERR_DEVICE && s && s->backend && !s->failure) {
        s->failure = status;
        snprintf(s->sentence, sizeof s->sentence, "%s", ordo_last_error());
    }
    return status;
}

static ordo_status usable(const ordo_session *s)
{
    if (!s)
        return ordo_fail(ORDO_ERR_USAGE, "no session given");
    return s->failure ? ordo_fail(s->failure, "%s", s->sentence) : ORDO_OK;
}

/* ---- arrays ---- */

ordo_u64 ordo_session_holds(const ordo_session *s, const void *at)
{
    for (size_t i = 0; i < s->count; i++) {
        const array *a = &s->arrays[i];
        if ((const char *)at >= a->at && (const char *)at < a->at + a->bytes)
            return (ordo_u64)(a->at + a->bytes - (const char *)at);
    }
    return 0;
}

static ordo_status check_range(const ordo_session *s, const char *what, const void *at, ordo_u64 bytes)
{
    const ordo_u64 held = bytes ? ordo_session_holds(s, at) : 0;
    if (held >= bytes)
        return ORDO_OK;
    if (!held)
        return ordo_fail(ORDO_ERR_USAGE, "%s: not within an array of the session", what);
    return ordo_fail(ORDO_ERR_USAGE, "%s: %llu bytes, and %llu to the end of the session's array", what,
                     (unsigned long long)bytes, (unsigned long long)held);
}

/* Likewise for [count] elements of `size` bytes, whose number of bytes may be more than any array has. */
static ordo_status check_elements(const ordo_session *s, const char *what, const void *at, ordo_u64 count,
                                  ordo_u64 size)
{
    if (size && count > ~(ordo_u64)0 / size)
        return ordo_fail(ORDO_ERR_USAGE, "%s: %llu elements of %llu bytes are more than any array has", what,
                         (unsigned long long)count, (unsigned long long)size);
    return check_range(s, what, at, count * size);
}

static ordo_status take(ordo_session *s, void *host, ordo_u64 bytes, array *out)
{
    *out = (array){.at = host, .bytes = bytes, .owned = !s->backend && !host};
    if (s->backend) {
        void *at = NULL;
        const ordo_status status = s->backend->session->take(s->own, bytes, &at);
        out->at = at;
        return status;
    }
    if (out->owned && !(out->at = ordo_alloc(bytes, 1)))
        return ORDO_ERR_MEMORY;
    return ORDO_OK;
}

static ordo_status make_room(ordo_session *s)
{
    if (s->count < s->capacity)
        return ORDO_OK;
    array *more = ordo_realloc(s->arrays, 2 * s->capacity + 8, sizeof *more);
    if (!more)
        return ORDO_ERR_MEMORY;
    s->arrays = more;
    s->capacity = 2 * s->capacity + 8;
    return ORDO_OK;
}

ordo_status ordo_session_array(ordo_session *s, void *host, ordo_u64 count, size_t size, void **out)
{
    ordo_status status = usable(s);
    if (!status && size && count > ~(ordo_u64)0 / size)
        status = ordo_fail(ORDO_ERR_MEMORY, "an array of %llu elements of %zu bytes is larger than any memory",
                           (unsigned long long)count, size);
    if (!status)
        status = make_room(s);
    if (status)
        return status;
    status = take(s, host, count * size, &s->arrays[s->count]);
    if (!status)
        *out = s->arrays[s->count++].at;
    return ordo_session_note(s, status);
}

ordo_status ordo_session_drop(ordo_session *s, void *at)
{
    ordo_status status = usable(s);
    size_t i = 0;
    if (status || !at)
        return status;
    while (i < s->count && s->arrays[i].at != at)
        i++;
    if (i == s->count)
        return ordo_fail(ORDO_ERR_USAGE, "dropping: no array of the session begins there");
    const array dropped = s->arrays[i];
    s->arrays[i] = s->arrays[--s->count];
    if (s->backend && !dropped.adopted)
        status = s->backend->session->drop(s->own, at);
    if (dropped.owned)
        ordo_free(at);
    return ordo_session_note(s, status);
}

ordo_status ordo_session_adopt(ordo_session *s, void *at, ordo_u64 bytes)
{
    ordo_status status = usable(s);
    if (!status && bytes && !at)
        status = ordo_fail(ORDO_ERR_USAGE, "adopting %llu bytes at NULL", (unsigned long long)bytes);
    if (!status && bytes && s->backend)
        status = s->backend->session->check(s->own, at);
    if (!status)
        status = make_room(s);
    if (!status)
        s->arrays[s->count++] = (array){.at = at, .bytes = bytes, .adopted = true};
    return status;
}

ordo_status ordo_session_read(ordo_session *s, void *to, const void *from, ordo_u64 bytes)
{
    ordo_status status = usable(s);
    if (!status)
        status = check_range(s, "reading", from, bytes);
    if (status || !bytes || to == from)
        return status;
    if (s->backend)
        return ordo_session_note(s, s->backend->session->read(s->own, to, from, bytes, s->threads));
    memmove(to, from, bytes);
    return ORDO_OK;
}

ordo_status ordo_session_write(ordo_session *s, void *to, const void *from, ordo_u64 bytes)
{
    ordo_status status = usable(s);
    if (!status)
        status = check_range(s, "writing", to, bytes);
    if (status || !bytes || to == from)
        return status;
    if (s->backend)
        return ordo_session_note(s, s->backend->session->write(s->own, to, from, bytes, s->threads));
    memmove(to, from, bytes);
    return ORDO_OK;
}

/* ---- runs ---- */

ordo_status ordo_session_check(const ordo_work *work)
{
    const ordo_session *s = work->session;
    const ordo_u32 cell = work->op->cell == ORDO_NONE ? 0 : ordo_type_bytes(work->op->cell);
    ordo_status status = usable(s);
    if (!status && s->backend)
        status = check_elements(s, "cells", work->cells, work->targets, cell);
    if (!status && s->backend && work->initial)
        status = check_elements(s, "initial items", work->initial, work->initial_count, sizeof(ordo_item));
    return status;
}

/* ---- passes on the CPU ---- */

enum { PARTS = 256, LEAST_PART = 2048 /* items */, FEW = 16384 /* items that one thread visits */ };

typedef struct part {
    ordo_u64 count, value;
} part;

typedef struct passing {
    const ordo_pass *pass;
    ordo_visit visit;
    ordo_u64 size; /* items of a part */
    ordo_team *team;
    ordo_phase phase;
    part part[PARTS + 1];
    _Alignas(64) ordo_u64 next; /* atomic */
} passing;

static ordo_rows rows_of(const ordo_graph *g)
{
    const ordo_csr *csr = g ? ordo_graph_out(g) : NULL;
    if (!csr)
        return (ordo_rows){0};
    const bool words = csr->weight_type != ORDO_NONE && ordo_type_bytes(csr->weight_type) == 4;
    return (ordo_rows){csr->row, csr->head, words ? csr->weight : NULL, csr->stride};
}

static void visit_parts(void *arg, int member)
{
    passing *p = arg;
    (void)member;
    for (;;) {
        const ordo_u64 i = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED), begin = i * p->size;
        if (begin >= p->visit.count || ordo_phase_step(&p->phase, p->size))
            return;
        const ordo_u64 left = p->visit.count - begin;
        p->part[i].value = ordo_fold_start(p->pass->fold);
        p->part[i].count =
            p->pass->part(&p->visit, begin, begin + (left < p->size ? left : p->size), &p->part[i].value);
    }
}

/* Adds up what the parts have found, and moves their lists together. */
static void join_parts(const passing *p, ordo_found *found)
{
    *found = (ordo_found){0, ordo_fold_start(p->pass->fold)};
    for (ordo_u64 i = 0; i * p->size < p->visit.count; i++) {
        const part *one = &p->part[i];
        if (p->visit.selected && one->count && found->count != i * p->size)
            memmove(p->visit.selected + found->count, p->visit.selected + i * p->size,
                    one->count * sizeof *p->visit.selected);
        found->count += one->count;
        found->value = ordo_fold(p->pass->fold, found->value, one->value);
    }
}

static ordo_status each_on_cpu(const ordo_session *s, const ordo_each *each, ordo_found *found)
{
    const ordo_u64 count = each->count;
    passing p = {.pass = each->pass,
                 .visit = {.state = each->state,
                           .items = each->items,
                           .count = count,
                           .out = rows_of(each->graph),
                           .in = rows_of(each->reversed),
                           .selected = each->selected},
                 .size = count / PARTS + 1 < LEAST_PART ? LEAST_PART : count / PARTS + 1};
    if (count < FEW) { /* done before a second thread wakes up */
        visit_parts(&p, 0);
        join_parts(&p, found);
        return ORDO_OK;
    }
    ordo_status status = ordo_team_lease(s->threads, &p.team);
    if (status)
        return status;
    ordo_phase_begin(&p.phase, "a pass", count);
    ordo_team_run(p.team, visit_parts, &p);
    ordo_team_return(p.team);
    status = ordo_phase_end(&p.phase);
    if (!status)
        join_parts(&p, found);
    return status;
}

/* ---- passes ---- */

static ordo_status check_each(const ordo_session *s, const ordo_each *each)
{
    ordo_status status = usable(s);
    if (!status && (!each || !each->pass || (!each->state && each->pass->state > sizeof(ordo_no_state))))
        status = ordo_fail(ORDO_ERR_USAGE, "no %s given", !each || !each->pass ? "pass" : "state");
    if (!status)
        status = ORDO_RESERVED_CHECK(ordo_each, each);
    if (!status && each->count > ORDO_MAX_VERTICES)
        status = ordo_fail(ORDO_ERR_USAGE, "pass '%s': more than %llu items", each->pass->name,
                           (unsigned long long)ORDO_MAX_VERTICES);
    for (int i = 0; i < 2 && !status && !each->items; i++) {
        const ordo_graph *g = i ? each->reversed : each->graph;
        if (g && ordo_graph_out(g)->n < each->count)
            status = ordo_fail(ORDO_ERR_USAGE, "pass '%s': %llu items, and a graph of %llu vertices", each->pass->name,
                               (unsigned long long)each->count, (unsigned long long)ordo_graph_out(g)->n);
    }
    if (!status && each->items)
        status = check_range(s, "items", each->items, each->count * sizeof *each->items);
    if (!status && each->selected)
        status = check_range(s, "selected items", each->selected, each->count * sizeof *each->selected);
    return status;
}

ordo_status ordo_session_each(ordo_session *s, const ordo_each *each, ordo_found *found)
{
    ordo_found unused;
    ordo_status status = check_each(s, each);
    if (status)
        return status;
    if (!s->backend)
        return each_on_cpu(s, each, found ? found : &unused);
    return ordo_session_note(s, s->backend->session->each(s->own, each, s->threads, found));
}
