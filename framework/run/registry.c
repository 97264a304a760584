/* registry.c -- the tables of schedulers and operators: built in (generated from framework/tables.c.in) and registered.
 *
 * The built-in tables are checked once, at first use; the result is kept. All access is under one lock, but entries are
 * never removed, so pointers to entries stay valid.
 */
#include "registry.h"

#include "number.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/detail/program.h>

#include "tables.h"

enum { MAX_ENTRIES = ORDO_MOST_SCHEDULERS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const ordo_scheduler *schedulers[MAX_ENTRIES];
static const ordo_operator *operators[MAX_ENTRIES];
static size_t scheduler_count, operator_count;
static bool filled;
static ordo_status verdict;
static char reason[512];

static const ordo_scheduler *find_scheduler(const char *name)
{
    for (size_t i = 0; i < scheduler_count; i++)
        if (!strcmp(schedulers[i]->name, name))
            return schedulers[i];
    return NULL;
}

static const ordo_operator *find_operator(const char *name)
{
    for (size_t i = 0; i < operator_count; i++)
        if (!strcmp(operators[i]->name, name))
            return operators[i];
    return NULL;
}

const ordo_instance *ordo_instance_find(const ordo_operator *op, const char *scheduler, unsigned device)
{
    for (const ordo_instance *const *at = op->instances; *at; at++)
        if ((*at)->device == device && !strcmp((*at)->scheduler, scheduler))
            return *at;
    return NULL;
}

/* ---- instances that are made at run time ---- */

/* Those that were asked for; `lock` protects them, and is not held while one is made. */
static struct provided {
    const ordo_operator *op;
    const char *scheduler;
    const ordo_instance *instance;
} provided[MAX_ENTRIES];
static size_t provided_count;
static ordo_provide_fn *provider;

void ordo_instance_provider(ordo_provide_fn *provide)
{
    pthread_mutex_lock(&lock);
    provider = provide;
    pthread_mutex_unlock(&lock);
}

ordo_status ordo_instance_provide(const ordo_operator *op, const char *scheduler, unsigned device,
                                  const ordo_instance **out)
{
    *out = NULL;
    pthread_mutex_lock(&lock);
    ordo_provide_fn *make = provider;
    for (size_t i = 0; i < provided_count && !*out; i++)
        if (provided[i].op == op && provided[i].instance->device == device && !strcmp(provided[i].scheduler, scheduler))
            *out = provided[i].instance;
    pthread_mutex_unlock(&lock);
    if (*out || !make)
        return ORDO_OK;
    ordo_status status = make(op, scheduler, device, out);
    pthread_mutex_lock(&lock);
    if (!status && *out && provided_count < MAX_ENTRIES)
        provided[provided_count++] = (struct provided){op, find_scheduler(scheduler)->name, *out};
    pthread_mutex_unlock(&lock);
    return status;
}

static bool is_kind(int kind)
{
    return kind == ORDO_KIND_RELAX || kind == ORDO_KIND_CRITICAL || kind == ORDO_KIND_GATHER;
}

static bool offers(const ordo_scheduler *s, const ordo_operator *op)
{
    const unsigned compiled = ORDO_RESIDUAL | ORDO_BY_WEIGHT; /* there is code only where these hold */
    for (const ordo_pairing *p = s->pairings; p->kind; p++)
        if (p->kind == op->kind && !(p->needs & compiled & ~op->properties))
            return true;
    return false;
}

/* ---- tunables ---- */

/* Index of `text` among "a|b|c", or -1. */
static int choice_index(const char *choices, const char *text)
{
    size_t length = strlen(text);
    for (int index = 0;; index++) {
        size_t part = strcspn(choices, "|");
        if (part == length && !memcmp(choices, text, part))
            return index;
        if (!choices[part])
            return -1;
        choices += part + 1;
    }
}

ordo_status ordo_tunable_parse(const char *scheduler, const ordo_tunable *t, const char *text, double *out)
{
    if (t->type == ORDO_TUNABLE_CHOICE) {
        int index = choice_index(t->choices, text);
        if (index < 0)
            return ordo_fail(ORDO_ERR_USAGE, "scheduler '%s': %s='%s', expected one of %s", scheduler, t->name, text,
                             t->choices);
        *out = index;
        return ORDO_OK;
    }
    double value;
    if (!ordo_parse_real(text, &value) || !(value >= t->min && value <= t->max) ||
        (t->type == ORDO_TUNABLE_INT && value != floor(value)))
        return ordo_fail(ORDO_ERR_USAGE, "scheduler '%s': %s='%s', expected %s from %g to %g", scheduler, t->name, text,
                         t->type == ORDO_TUNABLE_INT ? "a whole number" : "a number", t->min, t->max);
    *out = value;
    return ORDO_OK;
}

void ordo_tunable_print(const ordo_tunable *t, double value, char out[ORDO_MAX_SETTING])
{
    if (t->type != ORDO_TUNABLE_CHOICE) {
        ordo_format(out, ORDO_MAX_SETTING, "%.12g", value);
        return;
    }
    const char *at = t->choices;
    for (int i = 0; i < (int)value; i++)
        at += strcspn(at, "|") + 1;
    snprintf(out, ORDO_MAX_SETTING, "%.*s", (int)strcspn(at, "|"), at);
}

/* ---- tables ---- */

static ordo_status check_scheduler(const ordo_scheduler *s)
{
    if (s->interface != ORDO_SCHEDULER_INTERFACE)
        return ordo_fail(ORDO_ERR_INTERNAL,
                         "a scheduler is of another version of Ordo: found interface %u, expected %u (does its "
                         "descriptor set .interface?)",
                         s->interface, (unsigned)ORDO_SCHEDULER_INTERFACE);
    if (!s->name || !s->name[0] || !s->summary || !s->paper || !s->pairings || !s->memory)
        return ordo_fail(ORDO_ERR_INTERNAL, "scheduler '%s': its descriptor lacks a part", s->name ? s->name : "?");
    if (!strcmp(s->name, "auto") || !strcmp(s->name, ORDO_NATIVE))
        return ordo_fail(ORDO_ERR_INTERNAL, "scheduler '%s': that name has another meaning", s->name);
    if (find_scheduler(s->name))
        return ordo_fail(ORDO_ERR_INTERNAL, "scheduler '%s' is registered twice", s->name);
    if (scheduler_count == MAX_ENTRIES || s->tunable_count + s->constant_count > ORDO_MAX_TUNABLES)
        return ordo_fail(ORDO_ERR_INTERNAL, "scheduler '%s': the tables are full", s->name);
    for (const ordo_pairing *p = s->pairings; p->kind; p++)
        if (!is_kind(p->kind) || p->sync <= ORDO_SYNC_DEFAULT || (int)p->sync >= ORDO_SYNCS)
            return ordo_fail(ORDO_ERR_INTERNAL, "scheduler '%s': pairing %d is wrong", s->name, (int)(p - s->pairings));
    for (int i = 0; i < s->tunable_count + s->constant_count; i++) {
        double value;
        if (ordo_tunable_parse(s->name, &s->tunables[i], s->tunables[i].initial, &value))
            return ORDO_ERR_INTERNAL;
        for (int j = 0; j < i; j++)
            if (!strcmp(s->tunables[i].name, s->tunables[j].name))
                return ordo_fail(ORDO_ERR_INTERNAL, "scheduler '%s': tunable '%s' twice", s->name, s->tunables[i].name);
    }
    return ORDO_OK;
}

static ordo_status check_operator(const ordo_operator *op, bool built)
{
    if (!op->name || !op->name[0] || !op->summary || !op->instances || !is_kind(op->kind))
        return ordo_fail(ORDO_ERR_INTERNAL, "operator '%s': its descriptor lacks a part", op->name ? op->name : "?");
    if (find_operator(op->name))
        return ordo_fail(built ? ORDO_ERR_INTERNAL : ORDO_ERR_USAGE, "operator '%s' is registered twice", op->name);
    if (operator_count == MAX_ENTRIES)
        return ordo_fail(ORDO_ERR_INTERNAL, "operator '%s': the tables are full", op->name);
    for (size_t i = 0; i < scheduler_count; i++) {
        const ordo_instance *instance = ordo_instance_find(op, schedulers[i]->name, ORDO_ON_CPU);
        if (built && (instance && instance->run) != offers(schedulers[i], op))
            return ordo_fail(ORDO_ERR_INTERNAL, "operator '%s' and scheduler '%s': descriptor and code disagree",
                             op->name, schedulers[i]->name);
    }
    return ORDO_OK;
}

/* Fills the tables at first use; the caller holds the lock. */
static void fill(void)
{
    if (filled)
        return;
    filled = true;
    for (const ordo_scheduler *const *s = ordo_built_schedulers; *s && !verdict; s++) {
        verdict = check_scheduler(*s);
        if (!verdict)
            schedulers[scheduler_count++] = *s;
    }
    for (const ordo_operator *const *op = ordo_built_operators; *op && !verdict; op++) {
        verdict = check_operator(*op, true);
        if (!verdict)
            operators[operator_count++] = *op;
    }
    if (verdict)
        snprintf(reason, sizeof reason, "%s", ordo_last_error());
}

ordo_status ordo_registry_check(void)
{
    pthread_mutex_lock(&lock);
    fill();
    pthread_mutex_unlock(&lock);
    return verdict ? ordo_fail(verdict, "%s", reason) : ORDO_OK;
}

const ordo_scheduler *ordo_scheduler_find(const char *name)
{
    pthread_mutex_lock(&lock);
    fill();
    const ordo_scheduler *found = find_scheduler(name);
    pthread_mutex_unlock(&lock);
    return found;
}

const ordo_scheduler *ordo_scheduler_default(void)
{
    return ordo_built_default;
}

const ordo_operator *ordo_operator_find(const char *name)
{
    pthread_mutex_lock(&lock);
    fill();
    const ordo_operator *found = find_operator(name);
    pthread_mutex_unlock(&lock);
    return found;
}

size_t ordo_schedulers(const ordo_scheduler **out, size_t capacity)
{
    pthread_mutex_lock(&lock);
    fill();
    for (size_t i = 0; i < scheduler_count && i < capacity; i++)
        out[i] = schedulers[i];
    size_t count = scheduler_count;
    pthread_mutex_unlock(&lock);
    return count;
}

size_t ordo_operators(const ordo_operator **out, size_t capacity)
{
    pthread_mutex_lock(&lock);
    fill();
    for (size_t i = 0; i < operator_count && i < capacity; i++)
        out[i] = operators[i];
    size_t count = operator_count;
    pthread_mutex_unlock(&lock);
    return count;
}

ordo_status ordo_operator_register(const ordo_operator *op)
{
    pthread_mutex_lock(&lock);
    fill();
    ordo_status status = check_operator(op, false);
    if (!status)
        operators[operator_count++] = op;
    pthread_mutex_unlock(&lock);
    return status;
}

ordo_status ordo_scheduler_register(const ordo_scheduler *scheduler)
{
    pthread_mutex_lock(&lock);
    fill();
    ordo_status status = check_scheduler(scheduler);
    if (!status)
        schedulers[scheduler_count++] = scheduler;
    pthread_mutex_unlock(&lock);
    return status;
}

const char *ordo_operator_name(const ordo_operator *op)
{
    return op->name;
}

const char *ordo_operator_summary(const ordo_operator *op)
{
    return op->summary;
}
