/* check_critical.c -- what `ordo check-operator` tests of critical operators. See check.h.
 *
 * Method. An operator runs on a small graph, in one thread. Items wait, and prepare requests; requests wait, and their
 * critical sections run. The bits of a number say which of the two is next, and whether the first or the last one that
 * waits: so requests get out of date as they do beside other threads. The number 0 is a run in which every request is
 * served at once. Ahead of every call the state and its arrays are copied, and compared behind it: a critical section
 * may change the words of its targets and of its item alone, any other function none. Further properties call a
 * function again on such a copy, with something changed that it must not depend on.
 *
 * Not seen: what happens while a section runs, since one runs whole; a word that is read by what does not own it (the
 * operator may mean it as a hint); a word that is written with what it holds already; which target the elements of an
 * array per RUN belong to; words that no array lists.
 */
#include "apps/cli/run_time/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_WAITING = 256,
    MOST_SECTIONS = 1024, /* a run on so small a graph has ended by then */
    MOST_AGAIN = 64,      /* items that are processed once more in a run */
    ORDER_BITS = 20,
    SHOWN_STEPS = 12
};

/* A request that waits. */
typedef struct waiting {
    ordo_request_many r;
    ordo_u32 items; /* a bit for each item that it stands for */
    bool second;    /* its first half has run */
} waiting;

/* Copies of the state and its arrays, one after the other. */
enum image { BEFORE, AFTER, FIRST, OTHER, IMAGES };

typedef struct serial_run {
    scene *s;
    const ordo_run_time_sections *t;
    /* what is to happen in the run */
    bool again, halves, combine; /* items are processed more than once; sections run in halves, are combined */
    bool (*prepared)(struct serial_run *m, ordo_item item, ordo_eid unit, const ordo_request_many *list,
                     ordo_u32 count);
    bool (*serving)(struct serial_run *m, const waiting *w);
    bool (*served)(struct serial_run *m, const waiting *w, const ordo_activation *list, ordo_u32 count);
    bool guards; /* sections and other functions write what they may alone */
    /* the run */
    bool ended, stopped; /* stopped: by what another property tells */
    ordo_u64 items;
    ordo_u32 order, sections, repeated, steps;
    int bit;
    ordo_item item[MOST_WAITING];
    waiting request[MOST_WAITING];
    ordo_u32 item_count, request_count;
    char text[400]; /* the first steps */
    /* memory */
    ordo_array array[ORDO_MOST_ARRAYS];
    ordo_u64 per_item[ORDO_MOST_ARRAYS], per_target[ORDO_MOST_ARRAYS]; /* elements of each; 0: none */
    size_t bytes;
    char *image[IMAGES];
} serial_run;

/* ---- text ---- */

static void step(serial_run *m, const char *format, ordo_u32 number)
{
    char text[64];
    if (m->steps++ < SHOWN_STEPS) {
        snprintf(text, sizeof text, format, number);
        check_append(m->text, sizeof m->text, m->text[0] ? ", " : "; ");
        check_append(m->text, sizeof m->text, text);
    } else if (m->steps == SHOWN_STEPS + 1) {
        check_append(m->text, sizeof m->text, ", ...");
    }
}

/* Explains a contradiction. */
__attribute__((format(printf, 2, 3))) static bool says(serial_run *m, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(m->s->why, sizeof m->s->why, format, list);
    va_end(list);
    check_append(m->s->why, sizeof m->s->why, m->text);
    return check_explain(m->s);
}

/* "targets 0 and 2"; `of` is a request. */
static void targets_text(const ordo_request_many *of, char out[RUN_TIME_TEXT])
{
    char one[24];
    snprintf(out, RUN_TIME_TEXT, of->targets == 1 ? "target" : "targets");
    for (ordo_u32 k = 0; k < of->targets; k++) {
        snprintf(one, sizeof one, "%s%u", k == 0 ? " " : k + 1 == of->targets ? " and " : ", ", of->target[k]);
        check_append(out, RUN_TIME_TEXT, one);
    }
}

/* ---- memory ---- */

static void *place_of(const serial_run *m, size_t i)
{
    void *at;
    memcpy(&at, m->array[i].place, sizeof at);
    return at;
}

/* Bytes of an array and, where it is the command's, of what is behind it. */
static size_t bytes_of(const serial_run *m, size_t i)
{
    const ordo_u64 spare = place_of(m, i) == m->s->op->array[i] ? RUN_TIME_SPARE : 0;
    return place_of(m, i) ? (m->array[i].count + spare) * m->array[i].size : 0;
}

/* Copies the state and its arrays to an image, or back. */
static void copy(const serial_run *m, enum image image, bool back)
{
    const size_t state = m->s->op->op.state;
    char *at = m->image[image];
    memcpy(back ? m->s->op->state : at, back ? at : m->s->op->state, state);
    at += state;
    for (size_t i = 0; i < m->s->op->table->array_count; i++) {
        const size_t bytes = bytes_of(m, i);
        if (bytes && !(back && m->array[i].access == ORDO_ARRAY_READ)) /* may be the graph's, which is constant */
            memcpy(back ? place_of(m, i) : at, back ? at : place_of(m, i), bytes);
        at += bytes;
    }
}

static void take(const serial_run *m, enum image image)
{
    copy(m, image, false);
}

static void put(const serial_run *m, enum image image)
{
    copy(m, image, true);
}

/* What guard() compares with. */
static void take_guarded(const serial_run *m)
{
    if (m->guards)
        take(m, BEFORE);
}

/* A word that differs between two images, and which those that own these targets and items may not change. */
typedef struct difference {
    size_t array;
    ordo_u64 element;
    bool in_state;
} difference;

static bool may_write(const serial_run *m, size_t i, ordo_u64 e, ordo_u32 targets, ordo_u32 items)
{
    if (m->array[i].access == ORDO_ARRAY_READ || e >= m->array[i].count)
        return false;
    if (m->per_target[i])
        return targets >> e / m->per_target[i] & 1;
    if (m->per_item[i])
        return items >> e / m->per_item[i] & 1;
    return targets || items; /* the elements of an array of the run belong to no target */
}

static bool differs(const serial_run *m, enum image a, enum image b, ordo_u32 targets, ordo_u32 items, difference *d)
{
    const size_t state = m->s->op->op.state;
    const char *x = m->image[a] + state, *y = m->image[b] + state;
    *d = (difference){.in_state = memcmp(m->image[a], m->image[b], state) != 0};
    if (d->in_state)
        return true;
    for (d->array = 0; d->array < m->s->op->table->array_count; d->array++) {
        const ordo_array *array = &m->array[d->array];
        const ordo_u64 count = bytes_of(m, d->array) / array->size;
        for (d->element = 0; d->element < count; d->element++, x += array->size, y += array->size)
            if (memcmp(x, y, array->size) != 0 && !may_write(m, d->array, d->element, targets, items))
                return true;
    }
    return false;
}

/* "mate[2], a word of target 2" */
static void difference_text(const serial_run *m, const difference *d, char out[RUN_TIME_TEXT])
{
    const size_t i = d->array;
    char owner[48] = "";
    if (d->in_state) {
        snprintf(out, RUN_TIME_TEXT, "a member of the state itself");
        return;
    }
    if (d->element >= m->array[i].count)
        snprintf(owner, sizeof owner, ", behind its end");
    else if (m->array[i].access == ORDO_ARRAY_READ)
        snprintf(owner, sizeof owner, ", which is listed as READ");
    else if (m->per_target[i])
        snprintf(owner, sizeof owner, ", a word of target %u", (unsigned)(d->element / m->per_target[i]));
    else if (m->per_item[i])
        snprintf(owner, sizeof owner, ", a word of item %u", (unsigned)(d->element / m->per_item[i]));
    snprintf(out, RUN_TIME_TEXT, "%.40s[%u]%s", m->s->op->table->arrays[i].name, (unsigned)d->element, owner);
}

/* Whether what was called left everything alone that is not of these targets and items; BEFORE holds what was. */
static bool guard(serial_run *m, const char *what, ordo_u32 number, const char *owns, ordo_u32 targets, ordo_u32 items)
{
    char text[RUN_TIME_TEXT];
    difference d;
    if (!m->guards)
        return true;
    take(m, AFTER);
    if (!differs(m, BEFORE, AFTER, targets, items, &d))
        return true;
    difference_text(m, &d, text);
    return says(m, "item %u: %s%s writes %s", number, what, owns, text);
}

/* The sets of targets and items of a request. */
static ordo_u32 targets_of(const ordo_request_many *r, bool first, bool second)
{
    ordo_u32 set = 0;
    for (ordo_u32 k = 0; k < r->targets; k++)
        if ((k == 0 && first) || (k > 0 && second) || (r->targets == 1 && second))
            set |= 1u << r->target[k];
    return set;
}

/* ---- a run ---- */

static bool bit_of(serial_run *m)
{
    const bool set = m->order >> m->bit & 1;
    m->bit = (m->bit + 1) % ORDER_BITS;
    return set;
}

static void wait_item(serial_run *m, ordo_item item)
{
    if (m->item_count == MOST_WAITING || item >= m->items)
        m->stopped = true;
    else
        m->item[m->item_count++] = item;
}

/* Whether a request is one that the framework can serve; another property tells. */
static bool is_request(const serial_run *m, const ordo_request_many *r)
{
    if (r->targets == 0)
        return m->s->op->op.hands_edges && m->t->activations && r->target[0] < m->items;
    bool fine = r->targets <= m->t->targets;
    for (ordo_u32 k = 0; fine && k < r->targets; k++)
        fine = r->target[k] < m->s->g.n;
    return fine;
}

/* Prepares an item: all its units, one after the other. */
static bool process(serial_run *m, ordo_item item)
{
    ordo_request_many list[ORDO_RUN_TIME_ROOM];
    void *state = m->s->op->state;
    ordo_eid unit;
    step(m, "%u asks", item);
    take_guarded(m);
    const ordo_eid end = m->t->units(state, item, &unit);
    for (; unit < end && !m->stopped; unit++) {
        const ordo_u32 count = m->t->prepare(state, item, unit, list);
        if (!guard(m, "prepare", item, ", which owns nothing,", 0, 0))
            return false;
        if (m->prepared && !m->prepared(m, item, unit, list, count))
            return false;
        if (count > m->t->requests || m->request_count + count > MOST_WAITING)
            m->stopped = true;
        for (ordo_u32 i = 0; i < count && !m->stopped; i++)
            if (is_request(m, &list[i]))
                m->request[m->request_count++] = (waiting){.r = list[i], .items = 1u << item};
            else
                m->stopped = true;
    }
    if (m->again && m->repeated < MOST_AGAIN && bit_of(m)) {
        m->repeated++;
        wait_item(m, item);
    }
    return true;
}

/* Whether the framework asks if requests are still wanted: not where no item can have made one more than once. */
static bool is_dropped(const serial_run *m, const ordo_request_many *r)
{
    const bool may_repeat = m->again || m->t->activations;
    return r->targets && may_repeat && m->t->still_valid && !m->t->still_valid(m->s->op->state, r);
}

/* What a section has activated. */
static bool activate(serial_run *m, const waiting *w, const ordo_activation *list, ordo_u32 count)
{
    if (m->served && !m->served(m, w, list, count))
        return false;
    if (count > m->t->activations)
        m->stopped = true;
    for (ordo_u32 i = 0; i < count && !m->stopped; i++)
        wait_item(m, list[i].item);
    return true;
}

static bool serve_half(serial_run *m, waiting *w)
{
    ordo_activation list[ORDO_RUN_TIME_ROOM];
    char owns[RUN_TIME_TEXT];
    int more = 0;
    const ordo_request_many asked = w->r;
    const bool second = w->second;
    step(m, second ? "second half of %u" : "first half of %u", w->r.item);
    take_guarded(m);
    const ordo_u32 count =
        second ? m->t->second(m->s->op->state, &w->r, list) : m->t->first(m->s->op->state, &w->r, list, &more);
    snprintf(owns, sizeof owns, ", which owns target %u,", asked.target[second ? asked.targets - 1 : 0]);
    if (!guard(m, second ? "the second half" : "the first half", asked.item, owns, targets_of(&asked, !second, second),
               w->items))
        return false;
    if (m->guards && (memcmp(w->r.target, asked.target, sizeof asked.target) != 0 || w->r.targets != asked.targets))
        return says(m, "item %u: the first half changes its request's targets", asked.item);
    if (m->guards && !second && m->t->rebuild_args && memcmp(w->r.word, asked.word, sizeof asked.word) != 0)
        return says(m, "item %u: the first half changes its request's words, in spite of ORDO_CRITICAL_REBUILD_ARGS",
                    asked.item);
    if (more && m->request_count == MOST_WAITING)
        m->stopped = true;
    else if (more)
        m->request[m->request_count++] = (waiting){.r = w->r, .items = w->items, .second = true};
    return activate(m, w, list, count);
}

/* Combines a request with those of the same target that wait. */
static bool join(serial_run *m, waiting *w)
{
    const void *state = m->s->op->state;
    for (ordo_u32 i = 0; i < m->request_count;) {
        waiting *b = &m->request[i];
        bool joined = false;
        if (b->r.targets == 1 && w->r.targets == 1 && b->r.target[0] == w->r.target[0]) {
            take_guarded(m);
            joined = m->t->still_valid && !m->t->still_valid(state, &b->r);
            if (!joined && m->t->combine(state, &w->r, &b->r)) {
                joined = true;
                w->items |= b->items;
                step(m, "%u is combined", b->r.item);
            }
            if (!guard(m, "combining its request", w->r.item, "", 0, w->items | b->items))
                return false;
        }
        if (joined)
            memmove(b, b + 1, (--m->request_count - i) * sizeof *b);
        else
            i++;
    }
    return true;
}

static bool serve(serial_run *m, waiting *w)
{
    ordo_activation list[ORDO_RUN_TIME_ROOM];
    char targets[RUN_TIME_TEXT], owns[RUN_TIME_TEXT + 16];
    if (w->second)
        return serve_half(m, w);
    take_guarded(m);
    const bool dropped = is_dropped(m, &w->r);
    if (!guard(m, "the test of its request", w->r.item, ", which owns nothing,", 0, 0))
        return false;
    if (dropped)
        return true;
    if (m->serving && !m->serving(m, w))
        return false;
    if (m->halves && w->r.targets)
        return serve_half(m, w);
    if (m->combine && !join(m, w))
        return false;
    step(m, w->r.targets ? "section of %u" : "activation by %u", w->r.item);
    take_guarded(m);
    const ordo_u32 count = m->t->commit(m->s->op->state, &w->r, list);
    targets_text(&w->r, targets);
    snprintf(owns, sizeof owns, ", which owns %s,", targets);
    if (!guard(m, "its section", w->r.item, owns, targets_of(&w->r, true, true), w->items))
        return false;
    return activate(m, w, list, count);
}

/* Takes what is next: the first of a list, or the last. */
static bool go_on(serial_run *m)
{
    const bool items = m->item_count && (!m->request_count || bit_of(m));
    const ordo_u32 size = items ? m->item_count : m->request_count;
    const ordo_u32 at = size > 1 && bit_of(m) ? size - 1 : 0;
    if (items) {
        const ordo_item item = m->item[at];
        memmove(&m->item[at], &m->item[at + 1], (--m->item_count - at) * sizeof m->item[0]);
        return process(m, item);
    }
    waiting w = m->request[at];
    memmove(&m->request[at], &m->request[at + 1], (--m->request_count - at) * sizeof m->request[0]);
    m->sections++;
    return serve(m, &w);
}

/* Runs until nothing waits. The state is as ORDO_CRITICAL_FILL leaves it. */
static bool run(serial_run *m)
{
    for (ordo_u64 i = 0; i < m->items; i++)
        if (!m->s->op->table->begins || m->s->op->table->begins(m->s->op->state, (ordo_item)i))
            wait_item(m, (ordo_item)i);
    while (!m->stopped && (m->item_count || m->request_count)) {
        if (m->sections > MOST_SECTIONS)
            return true;
        if (!go_on(m))
            return false;
    }
    m->ended = !m->stopped;
    return true;
}

/* ---- what properties begin with ---- */

/* Finds out what the arrays are, and makes images. */
static bool open(serial_run *m, scene *s)
{
    ordo_array more[ORDO_MOST_ARRAYS + 4];
    const ordo_run_time *table = s->op->table;
    m->s = s;
    m->t = table->sections;
    m->order = s->order;
    m->items = run_time_items(s->op, &s->g);
    table->list_arrays(s->op->state, m->items + 1, s->g.n, s->g.m, more);
    table->list_arrays(s->op->state, m->items, s->g.n, s->g.m, m->array);
    for (size_t i = 0; i < table->array_count; i++)
        m->per_item[i] = more[i].count - m->array[i].count;
    table->list_arrays(s->op->state, m->items, (ordo_u64)s->g.n + 1, s->g.m, more);
    m->bytes = s->op->op.state;
    for (size_t i = 0; i < table->array_count; i++) {
        m->per_target[i] = more[i].count - m->array[i].count;
        m->bytes += bytes_of(m, i);
    }
    m->image[0] = calloc(IMAGES, m->bytes + 1);
    for (int i = 1; m->image[0] && i < IMAGES; i++)
        m->image[i] = m->image[0] + (size_t)i * (m->bytes + 1);
    return m->image[0] != NULL;
}

/* Makes the run that *m asks for, and then `then`, if that is not NULL. Without memory nothing is shown. */
static bool run_of(scene *s, serial_run *m, bool (*then)(serial_run *m))
{
    if (!open(m, s))
        return true;
    const bool fine = run(m) && (!then || m->stopped || then(m));
    free(m->image[0]);
    return fine;
}

/* ---- requests and activations ---- */

static bool look_at_requests(serial_run *m, ordo_item item, ordo_eid unit, const ordo_request_many *list,
                             ordo_u32 count)
{
    const ordo_run_time_sections *t = m->t;
    (void)unit;
    if (count > t->requests)
        return says(m, "item %u: prepare writes %u requests, and ORDO_CRITICAL_REQUESTS is %u", item, count,
                    t->requests);
    for (ordo_u32 i = 0; i < count; i++) {
        const ordo_request_many *r = &list[i];
        if (r->targets > t->targets)
            return says(m, "item %u: a request has %u targets, and ORDO_CRITICAL_TARGETS is %u", item, r->targets,
                        t->targets);
        if (r->targets == 0 && !is_request(m, r))
            return m->s->op->op.hands_edges && t->activations
                       ? says(m, "item %u: it activates item %u, of %u", item, r->target[0], (unsigned)m->items)
                       : says(m, "item %u: a request has no target", item);
        for (ordo_u32 k = 0; k < r->targets; k++)
            if (r->target[k] >= m->s->g.n)
                return says(m, "item %u: a request has target %u, of %u", item, r->target[k], m->s->g.n);
        for (ordo_u32 k = 0; r->targets && t->word_bits == 32 && k < t->words; k++)
            if (r->word[k] >> 32)
                return says(m, "item %u: word %u of a request is %llu, and ORDO_CRITICAL_WORD_BITS is 32", item, k,
                            (unsigned long long)r->word[k]);
    }
    return true;
}

static bool asks_well(scene *s)
{
    serial_run m = {.prepared = look_at_requests};
    return run_of(s, &m, NULL);
}

static bool look_at_activations(serial_run *m, const waiting *w, const ordo_activation *list, ordo_u32 count)
{
    if (count > m->t->activations)
        return says(m, "item %u: its section writes %u activations, and ORDO_CRITICAL_ACTIVATIONS is %u", w->r.item,
                    count, m->t->activations);
    for (ordo_u32 i = 0; i < count; i++)
        if (list[i].item >= m->items)
            return says(m, "item %u: its section activates item %u, of %u", w->r.item, list[i].item,
                        (unsigned)m->items);
    return true;
}

static bool activates_well(scene *s)
{
    serial_run m = {.served = look_at_activations};
    return run_of(s, &m, NULL);
}

static bool writes_own(scene *s)
{
    serial_run m = {.guards = true};
    return run_of(s, &m, NULL);
}

/* ---- what a section depends on ---- */

/* Runs a section on what BEFORE holds; the result is in an image, and its activations in list[]. */
static ordo_u32 try_section(serial_run *m, const ordo_request_many *r, ordo_activation *list, enum image result)
{
    put(m, BEFORE);
    const ordo_u32 count = m->t->commit(m->s->op->state, r, list);
    take(m, result);
    put(m, BEFORE);
    return count;
}

/* Whether two runs of a section did the same: what they left is in FIRST and OTHER. */
static bool did_same(serial_run *m, ordo_item item, const char *if_what, const ordo_activation *a, ordo_u32 a_count,
                     const ordo_activation *b, ordo_u32 b_count)
{
    char text[RUN_TIME_TEXT];
    difference d;
    if (differs(m, FIRST, OTHER, 0, 0, &d)) {
        difference_text(m, &d, text);
        return says(m, "item %u: its section leaves something else in %s, if %s", item, text, if_what);
    }
    bool same = a_count == b_count;
    for (ordo_u32 i = 0; same && i < a_count && i < ORDO_RUN_TIME_ROOM; i++)
        same = a[i].item == b[i].item && a[i].priority == b[i].priority;
    return same || says(m, "item %u: its section activates other items, if %s", item, if_what);
}

/* Words that are not declared as used are not sent. */
static bool look_at_words(serial_run *m, const waiting *w)
{
    ordo_activation first[ORDO_RUN_TIME_ROOM], second[ORDO_RUN_TIME_ROOM];
    ordo_request_many other = w->r;
    if (!w->r.targets)
        return true;
    for (ordo_u32 k = m->t->words; k < 2; k++)
        other.word[k] = ~other.word[k];
    take(m, BEFORE);
    const ordo_u32 count = try_section(m, &w->r, first, FIRST), again = try_section(m, &other, second, OTHER);
    return did_same(m, w->r.item, "a word of its request differs that ORDO_CRITICAL_WORDS does not count", first, count,
                    second, again);
}

static bool uses_its_words(scene *s)
{
    serial_run m = {.serving = look_at_words};
    return run_of(s, &m, NULL);
}

static bool has_unused_words(const run_time_operator *op)
{
    return op->table->sections->words < 2;
}

static bool rebuilds(serial_run *m, const ordo_request_many *r, const char *when)
{
    ordo_request_many other = *r;
    other.word[0] = other.word[1] = 0;
    m->guards = true;
    take_guarded(m);
    m->t->rebuild_args(m->s->op->state, &other);
    const bool fine = guard(m, "rebuilding its request", r->item, "", 0, 0);
    m->guards = false;
    if (!fine)
        return false;
    for (ordo_u32 k = 0; k < m->t->words; k++)
        if (other.word[k] != r->word[k])
            return says(m, "item %u: word %u of its request is %llu, and rebuilt%s %llu", r->item, k,
                        (unsigned long long)r->word[k], when, (unsigned long long)other.word[k]);
    return true;
}

static bool look_at_rebuilt(serial_run *m, ordo_item item, ordo_eid unit, const ordo_request_many *list, ordo_u32 count)
{
    (void)item;
    (void)unit;
    for (ordo_u32 i = 0; i < count && i < m->t->requests; i++)
        if (list[i].targets && !rebuilds(m, &list[i], ""))
            return false;
    return true;
}

static bool look_at_rebuilt_later(serial_run *m, const waiting *w)
{
    return !w->r.targets || rebuilds(m, &w->r, " later");
}

static bool rebuilds_args(scene *s)
{
    serial_run m = {.prepared = look_at_rebuilt, .serving = look_at_rebuilt_later};
    return run_of(s, &m, NULL);
}

static bool has_rebuild(const run_time_operator *op)
{
    return op->table->sections->rebuild_args != NULL;
}

/* ---- whether a request is still wanted: words of the item alone ---- */

/* Puts what the run began with into all words but those of the item; FIRST holds the beginning, BEFORE what is now. */
static void put_mixed(serial_run *m, ordo_item item)
{
    const char *old = m->image[FIRST] + m->s->op->op.state;
    for (size_t i = 0; i < m->s->op->table->array_count; i++) {
        const size_t size = m->array[i].size;
        char *at = place_of(m, i);
        for (ordo_u64 e = 0; e < bytes_of(m, i) / size; e++, old += size)
            if (e < m->array[i].count && m->array[i].access != ORDO_ARRAY_READ &&
                (!m->per_item[i] || e / m->per_item[i] != item))
                memcpy(at + e * size, old, size);
    }
}

static bool look_at_valid(serial_run *m, const waiting *w)
{
    if (!w->r.targets)
        return true;
    take(m, BEFORE);
    const bool now = m->t->still_valid(m->s->op->state, &w->r) != 0;
    put_mixed(m, w->r.item);
    const bool mixed = m->t->still_valid(m->s->op->state, &w->r) != 0;
    put(m, BEFORE);
    return now == mixed ||
           says(m, "item %u: its request is %s, but %s if words of others are as they were at the beginning", w->r.item,
                now ? "still valid" : "not valid any more", mixed ? "is" : "is not");
}

static bool prepared_begins(serial_run *m, ordo_item item, ordo_eid unit, const ordo_request_many *list, ordo_u32 count)
{
    (void)item;
    (void)unit;
    (void)list;
    (void)count;
    if (!m->sections && !m->repeated)
        take(m, FIRST); /* nothing has changed yet */
    for (ordo_u32 i = 0; i < m->request_count; i++)
        if (!look_at_valid(m, &m->request[i]))
            return false;
    return true;
}

static bool tests_item(scene *s)
{
    serial_run m = {.prepared = prepared_begins, .serving = look_at_valid};
    return run_of(s, &m, NULL);
}

static bool has_still_valid(const run_time_operator *op)
{
    return op->table->sections->still_valid != NULL;
}

/* ---- OWNED arrays ---- */

static bool has_owned(const run_time_operator *op)
{
    return op->table->sections->owned_bytes(op->state) > 0;
}

/* Prepare does not read them. */
static bool look_at_hidden(serial_run *m, ordo_item item, ordo_eid unit, const ordo_request_many *list, ordo_u32 count)
{
    ordo_request_many other[ORDO_RUN_TIME_ROOM];
    take(m, BEFORE);
    for (size_t i = 0; i < m->s->op->table->array_count; i++)
        for (size_t k = 0; m->array[i].access == ORDO_ARRAY_OWNED && k < bytes_of(m, i); k++)
            ((unsigned char *)place_of(m, i))[k] ^= 0xffu;
    const ordo_u32 again = m->t->prepare(m->s->op->state, item, unit, other);
    put(m, BEFORE);
    bool same = again == count;
    for (ordo_u32 i = 0; same && i < count && i < m->t->requests; i++)
        same = other[i].targets == list[i].targets && !memcmp(other[i].word, list[i].word, sizeof list[i].word) &&
               !memcmp(other[i].target, list[i].target, sizeof list[i].target);
    return same ||
           says(m, "item %u: prepare asks for something else if arrays that are OWNED hold something else", item);
}

/* Numbers the targets of a request from 0 on; returns how many there are. old[] are their numbers before. */
static ordo_u32 renumber(ordo_request_many *r, ordo_u32 old[ORDO_MOST_TARGETS])
{
    ordo_u32 count = 0;
    for (ordo_u32 k = 0; k < ORDO_MOST_TARGETS; k++) {
        ordo_u32 i = 0;
        while (k < r->targets && i < count && old[i] != r->target[k])
            i++;
        if (k < r->targets && i == count)
            old[count++] = r->target[k];
        r->target[k] = k < r->targets ? i : 0;
    }
    return count;
}

/* A section gives the same with the words of its targets elsewhere, under other numbers. */
static bool look_at_moved(serial_run *m, const waiting *w)
{
    run_time_operator *op = m->s->op;
    ordo_activation first[ORDO_RUN_TIME_ROOM], second[ORDO_RUN_TIME_ROOM];
    ordo_u32 old[ORDO_MOST_TARGETS];
    ordo_request_many moved = w->r;
    const ordo_u32 targets = renumber(&moved, old);
    const size_t room = (targets + MOST_N) * (m->t->owned_bytes(op->state) + 8 * ORDO_MOST_ARRAYS);
    void *state = malloc(op->op.state);
    char *words = malloc(room);
    bool same = true;
    if (w->r.targets && state && words) {
        take(m, BEFORE);
        const ordo_u32 count = try_section(m, &w->r, first, FIRST);
        memcpy(state, op->state, op->op.state);
        memset(words, 0x5a, room);
        m->t->owned_use(state, words, targets);
        for (ordo_u32 i = 0; i < targets; i++)
            m->t->owned_copy(state, i, op->state, old[i]);
        const ordo_u32 again = m->t->commit(state, &moved, second);
        for (ordo_u32 i = 0; i < targets; i++)
            m->t->owned_copy(op->state, old[i], state, i);
        take(m, OTHER);
        put(m, BEFORE);
        same = did_same(m, w->r.item, "the OWNED words of its targets are kept elsewhere, under other numbers", first,
                        count, second, again);
    }
    free(state);
    free(words);
    return same;
}

static bool keeps_owned(scene *s)
{
    serial_run m = {.prepared = look_at_hidden, .serving = look_at_moved};
    return run_of(s, &m, NULL);
}

/* ---- the bit that is the lock ---- */

static bool has_lock(const run_time_operator *op)
{
    return op->table->sections->lock_bits != 0;
}

static bool look_at_bits(serial_run *m)
{
    const char *word = m->t->lock_words(m->s->op->state);
    const size_t bytes = m->t->lock_bits / 8;
    for (ordo_vid v = 0; v < m->s->g.n; v++) {
        ordo_u64 value = 0;
        ordo_u32 low;
        memcpy(&low, word + v * bytes, sizeof low);
        if (bytes == sizeof value)
            memcpy(&value, word + v * bytes, sizeof value);
        else
            value = low;
        if (value >> (m->t->lock_bits - 1))
            return says(m, "the word of target %u is %llu: its top bit, which is the lock, is set", v,
                        (unsigned long long)value);
    }
    return true;
}

static bool look_at_bits_after(serial_run *m, const waiting *w, const ordo_activation *list, ordo_u32 count)
{
    (void)w;
    (void)list;
    (void)count;
    return look_at_bits(m);
}

static bool leaves_lock(scene *s)
{
    serial_run m = {.served = look_at_bits_after};
    return run_of(s, &m, look_at_bits);
}

/* ---- answers ---- */

static const char *order_text(const serial_run *m)
{
    return m->order ? "" : ", in order, every request served at once";
}

/* The operator's own check, of the state as it is. */
static bool is_right(serial_run *m)
{
    const run_time_operator *op = m->s->op;
    const void *values;
    if (!m->ended)
        return says(m, "a run has not ended after %u sections%s", (unsigned)MOST_SECTIONS, order_text(m));
    ordo_status status = run_time_result(op, m->s->g.n, &values);
    if (!status)
        status = run_time_own_check(op, &m->s->g, m->s->source, NULL, values);
    return !status || says(m, "%s%s", ordo_last_error(), order_text(m));
}

static bool is_right_in_order(scene *s)
{
    serial_run m = {.halves = false};
    return run_of(s, &m, is_right);
}

/* An item whose work is done asks for nothing. Where one asks, the section may show why. */
static bool is_at_rest(serial_run *m)
{
    if (!is_right(m))
        return false;
    for (ordo_u64 i = 0; i < m->items && !m->stopped; i++) {
        if (!process(m, (ordo_item)i))
            return false;
        if (!m->request_count)
            continue;
        char text[RUN_TIME_TEXT];
        ordo_activation list[ORDO_RUN_TIME_ROOM];
        difference d;
        take(m, FIRST);
        m->t->commit(m->s->op->state, &m->request[0].r, list);
        take(m, OTHER);
        if (!differs(m, FIRST, OTHER, 0, 0, &d))
            return says(m,
                        "item %u asks again when all work is done, and its section changes nothing: 'topology' "
                        "would go on for ever",
                        (unsigned)i);
        difference_text(m, &d, text);
        return says(m, "item %u asks again when all work is done, and its section changes %s", (unsigned)i, text);
    }
    return true;
}

static bool is_idempotent(scene *s)
{
    serial_run m = {.again = true};
    return run_of(s, &m, is_at_rest);
}

/* ---- halves, combined requests ---- */

static bool has_halves(const run_time_operator *op)
{
    return op->table->sections->first != NULL;
}

/* Both halves, one after the other, do what the section does. */
static bool look_at_halves(serial_run *m, const waiting *w)
{
    ordo_activation whole[ORDO_RUN_TIME_ROOM], half[2 * ORDO_RUN_TIME_ROOM];
    ordo_request_many r = w->r;
    int more = 0;
    if (!w->r.targets)
        return true;
    take(m, BEFORE);
    const ordo_u32 count = try_section(m, &w->r, whole, FIRST);
    ordo_u32 again = m->t->first(m->s->op->state, &r, half, &more);
    if (more && again <= m->t->activations)
        again += m->t->second(m->s->op->state, &r, half + again);
    take(m, OTHER);
    put(m, BEFORE);
    return again > m->t->activations
               ? says(m, "item %u: its halves write %u activations, and ORDO_CRITICAL_ACTIVATIONS is %u", w->r.item,
                      again, m->t->activations)
               : did_same(m, w->r.item, "it runs in halves", whole, count, half, again);
}

static bool splits(scene *s)
{
    serial_run m = {.halves = true, .guards = true, .serving = look_at_halves};
    return run_of(s, &m, is_right);
}

static bool has_combine(const run_time_operator *op)
{
    return op->table->sections->combine != NULL;
}

static bool combines(scene *s)
{
    serial_run m = {.combine = true, .guards = true};
    return run_of(s, &m, is_right);
}

static bool has_width(scene *s)
{
    serial_run m = {.s = s};
    const double delta = s->op->table->sections->delta(s->g.n, (double)s->g.m);
    return (isfinite(delta) && delta > 0) || says(&m, "the width of a bucket is %g, expected more than 0", delta);
}

const property check_critical_properties[] = {
    {"writes its own words", 0, NULL, writes_own}, /* first: what others stumble over */
    {"requests", 0, NULL, asks_well},
    {"activations", 0, NULL, activates_well},
    {"words of requests", 0, has_unused_words, uses_its_words},
    {"rebuilt requests", 0, has_rebuild, rebuilds_args},
    {"still valid", 0, has_still_valid, tests_item},
    {"owned arrays", 0, has_owned, keeps_owned},
    {"lock bit", 0, has_lock, leaves_lock},
    {"right in every order", 0, NULL, is_right_in_order},
    {"idempotent", ORDO_IDEMPOTENT, NULL, is_idempotent},
    {"halves", 0, has_halves, splits},
    {"combined requests", 0, has_combine, combines},
    {"bucket width", 0, NULL, has_width},
    {NULL, 0, NULL, NULL},
};
