/* operator.c -- opens an operator's file: what it is, its state, its instances. See operator.h. */
#include "apps/cli/run_time/operator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/detail/backend.h>
#include <ordo/memory.h>

#include "apps/cli/run_time/units.h"
#include "framework/run/number.h"

bool run_time_is_file(const char *word)
{
    return strpbrk(word, "./") != NULL;
}

/* ---- what cannot be run ---- */

static ordo_status check_kind(const char *file, const ordo_run_time *t)
{
    const char *what = NULL;
    if (t->op->kind == ORDO_KIND_CRITICAL &&
        !(t->on_cuda && t->fill && t->check && t->result != ORDO_RUN_TIME_NO_RESULT))
        what = "is a critical operator; expected ORDO_CRITICAL_ARRAYS, _FILL, _RESULT and _CHECK in its list";
    else if (t->op->kind == ORDO_KIND_RELAX && t->op->cell >= ORDO_STRUCT4 && !t->print)
        what = "has cells of a struct, and nothing that prints them; expected ORDO_RELAX_PRINT";
    else if (t->array_count > ORDO_MOST_ARRAYS)
        what = "has a state with more arrays than can be listed (ORDO_MOST_ARRAYS)";
    else if (!t->can_begin)
        what = "does not say what its cells begin with; with a comparator or a sum it needs ORDO_RELAX_BEGIN or "
               "ORDO_RELAX_SOURCE";
    return what ? ordo_fail(ORDO_ERR_UNSOUND, "%s: operator '%s' %s", file, t->name, what) : ORDO_OK;
}

/* ---- the state ---- */

run_time_number run_time_state(const run_time_operator *op, const ordo_state_field *field)
{
    const char *at = (const char *)op->state + field->at;
    run_time_number out = {.type = field->type};
    ordo_f32 real;
    ordo_u32 whole;
    ordo_i32 integer;
    switch (field->type) {
    case ORDO_F64:
        memcpy(&out.real, at, sizeof out.real);
        break;
    case ORDO_F32:
        memcpy(&real, at, sizeof real);
        out.real = (double)real;
        break;
    case ORDO_U64:
    case ORDO_I64:
        memcpy(&out.whole, at, sizeof out.whole);
        break;
    case ORDO_I32:
        memcpy(&integer, at, sizeof integer);
        out.whole = (ordo_u64)(long long)integer;
        break;
    default:
        memcpy(&whole, at, sizeof whole);
        out.whole = whole;
        break;
    }
    return out;
}

bool run_time_parse(void *state, const ordo_state_field *field, const char *text)
{
    char *at = (char *)state + field->at;
    const bool minus = text[0] == '-';
    ordo_u64 whole = 0;
    double real = 0;
    if (field->type == ORDO_F64 || field->type == ORDO_F32) {
        const ordo_f32 single = ordo_parse_real(text, &real) ? (ordo_f32)real : 0;
        if (!ordo_parse_real(text, &real) || (field->type == ORDO_F32 && isinf(single) && !isinf(real)))
            return false;
        if (field->type == ORDO_F64)
            memcpy(at, &real, sizeof real);
        else
            memcpy(at, &single, sizeof single);
        return true;
    }
    const bool is_signed = field->type == ORDO_I32 || field->type == ORDO_I64;
    if (!parse_u64(text + (minus && is_signed), &whole))
        return false;
    if (field->type == ORDO_I64 && whole > (minus ? 1ull << 63 : ~0ull >> 1))
        return false;
    if (ordo_type_bytes(field->type) == sizeof whole) {
        whole = minus ? 0 - whole : whole;
        memcpy(at, &whole, sizeof whole);
        return true;
    }
    if (whole > (field->type == ORDO_U32 ? 0xffffffffu : minus ? 0x80000000u : 0x7fffffffu))
        return false;
    const ordo_u32 word = minus ? 0u - (ordo_u32)whole : (ordo_u32)whole;
    memcpy(at, &word, sizeof word);
    return true;
}

/* "limit, rate" */
static void list_fields(const ordo_run_time *t, char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < t->field_count + t->array_count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "",
                                 i < t->field_count ? t->fields[i].name : t->arrays[i - t->field_count].name);
}

/* Sets a field by "name=value". */
static ordo_status set_state(run_time_operator *op, const char *text)
{
    const ordo_run_time *t = op->table;
    const char *equals = strchr(text, '=');
    char names[400];
    if (!equals)
        return ordo_fail(ORDO_ERR_USAGE, "--set-state '%s', expected NAME=VALUE", text);
    const size_t length = (size_t)(equals - text);
    for (size_t i = 0; i < t->field_count; i++) {
        const ordo_state_field *field = &t->fields[i];
        if (strlen(field->name) != length || memcmp(field->name, text, length) != 0)
            continue;
        return run_time_parse(op->state, field, equals + 1)
                   ? ORDO_OK
                   : ordo_fail(ORDO_ERR_USAGE, "--set-state '%s', expected a number of type %s", text,
                               type_name(field->type));
    }
    for (size_t i = 0; i < t->array_count; i++)
        if (strlen(t->arrays[i].name) == length && !memcmp(t->arrays[i].name, text, length))
            return equals[1] == '@'
                       ? ORDO_OK
                       : ordo_fail(ORDO_ERR_USAGE, "--set-state '%s': an array, expected NAME=@FILE", text);
    list_fields(t, names, sizeof names);
    return ordo_fail(ORDO_ERR_UNKNOWN, "--set-state '%s': operator '%s' has no such number to set; it lists %s", text,
                     t->name, names[0] ? names : "none (ORDO_RELAX_SETTINGS)");
}

/* ---- opening ---- */

/* Stands for an instance until that is compiled. */
static ordo_status not_compiled(ordo_job *job)
{
    return ordo_fail(ORDO_ERR_INTERNAL, "operator '%s' was not compiled for this scheduler", job->op->name);
}

/* The slots as a list of instances. */
static void list_slots(run_time_operator *op)
{
    size_t used = 0;
    for (size_t i = 0; i < 3 * RUN_TIME_SCHEDULERS && op->slots[i].instance.scheduler; i++)
        if (op->slots[i].instance.device == ORDO_ON_CPU || !op->not_on_gpu[0])
            op->instances[used++] = &op->slots[i].instance;
    op->instances[used] = NULL;
    op->op.instances = op->instances;
}

/* The devices over several of which a scheduler has code for the operator. */
static unsigned distributed(const run_time_operator *op, const ordo_scheduler *s)
{
    if (op->op.kind != ORDO_KIND_RELAX)
        return op->op.kind == ORDO_KIND_GATHER ? s->gathers_distributed : 0;
    return op->table->order == ORDO_SUM || !op->op.activates ? s->sums_distributed : s->distributed;
}

/* Whether there is code of a scheduler for the operator on a device. */
static bool has_code(const run_time_operator *op, const ordo_scheduler *s, unsigned device)
{
    if (device == ORDO_ON_CPU)
        return true;
    if (device == ORDO_OVER_CUDA && !(distributed(op, s) & 1u << ORDO_ON_CUDA))
        return false;
    return op->table->on_cuda && !run_time_has_code(s->name, device, op->op.kind);
}

/* A slot for every scheduler that runs operators of the kind, another one if it does so on a GPU, and on several. */
static void make_slots(run_time_operator *op)
{
    const ordo_scheduler *all[RUN_TIME_SCHEDULERS];
    size_t count = ordo_schedulers(all, RUN_TIME_SCHEDULERS), used = 0;
    for (size_t i = 0; i < count && i < RUN_TIME_SCHEDULERS; i++) {
        const ordo_pairing *pair = all[i]->pairings;
        while (pair->kind && (pair->kind != op->op.kind || (pair->needs & ORDO_RESIDUAL & ~op->op.properties)))
            pair++; /* by residual there is code only where it is sound */
        for (unsigned device = ORDO_ON_CPU; pair->kind && device <= ORDO_OVER_CUDA; device++)
            if (has_code(op, all[i], device))
                op->slots[used++].instance =
                    (ordo_instance){.scheduler = all[i]->name, .run = not_compiled, .device = device};
    }
    list_slots(op);
}

void run_time_leave_gpu(run_time_operator *op, const char *why)
{
    snprintf(op->not_on_gpu, sizeof op->not_on_gpu, "%s", why);
    list_slots(op);
}

/* Without a GPU that is asked for nothing needs to be compiled. A list may ask for several devices. */
static ordo_status check_device(const options *o)
{
    const ordo_backend *backend;
    char name[ORDO_DEVICE_NAME];
    if (!o->device || !strstr(o->device, "cuda"))
        return ORDO_OK;
    ordo_status status = ordo_backend_load("cuda", &backend);
    return status ? status : backend->probe(name);
}

/* The type of a value of the answer; ORDO_NONE where no answer can have it. */
static ordo_type value_type(const ordo_run_time *t)
{
    if (t->op->kind == ORDO_KIND_GATHER || (t->op->kind == ORDO_KIND_RELAX && t->result == ORDO_RUN_TIME_NO_RESULT))
        return t->op->cell;
    for (size_t i = 0; i < t->array_count; i++)
        if (t->arrays[i].at == t->result)
            return t->arrays[i].type;
    return ORDO_NONE;
}

/* Keeps what the state is before anything fills it, and checks what the answer is made of. */
static ordo_status keep_state(run_time_operator *op)
{
    if (op->type == ORDO_NONE)
        return ordo_fail(
            ORDO_ERR_UNSOUND,
            "%s: operator '%s': ORDO_%s_RESULT is no array that it lists, of u32, i32, f32, u64, i64 or f64", op->file,
            op->op.name, op->op.kind == ORDO_KIND_CRITICAL ? "CRITICAL" : "RELAX");
    op->initial = malloc(op->op.state ? op->op.state : 1);
    if (!op->initial)
        return ordo_fail(ORDO_ERR_MEMORY, "no memory for the state of an operator");
    memcpy(op->initial, op->state, op->op.state);
    return ORDO_OK;
}

ordo_status run_time_open(const options *o, const char *file, run_time_operator *out)
{
    *out = (run_time_operator){.file = file, .o = o};
    ordo_status status = check_device(o);
    if (status)
        return status;
    show_phase(o, "compiling", file);
    status = run_time_describe(file, &out->table);
    clear_progress();
    if (!status)
        status = check_kind(file, out->table);
    if (status)
        return status;
    out->op = *out->table->op;
    out->op.name = out->table->name;
    out->type = value_type(out->table);
    out->value = ordo_type_bytes(out->type);
    out->cell = out->op.kind == ORDO_KIND_CRITICAL ? out->value : ordo_type_bytes(out->op.cell);
    if ((o->new_edges || o->new_items) && !run_time_grows(out))
        return ordo_fail(ORDO_ERR_USAGE, "operator '%s' makes no new edges or items (ORDO_RELAX_GROW), found %s",
                         out->op.name, o->new_edges ? "--new-edges" : "--new-items");
    out->growth = (ordo_additions){.most_edges = o->new_edges, .most_items = o->new_items};
    make_slots(out);
    out->state = calloc(1, out->op.state < sizeof(ordo_u64) ? sizeof(ordo_u64) : out->op.state);
    if (!out->state)
        return ordo_fail(ORDO_ERR_MEMORY, "no memory for the state of an operator");
    out->table->set_initial(out->state);
    for (int i = 0; i < o->state_count && !status; i++)
        status = set_state(out, o->states[i]);
    status = status ? status : run_time_check_arrays(out);
    status = status ? status : keep_state(out);
    if (status)
        run_time_close(out);
    return status;
}

void run_time_close(run_time_operator *op)
{
    run_time_free_arrays(op);
    free(op->initial);
    free(op->state);
    ordo_free(op->cells);
    ordo_additions_free(&op->growth);
    op->initial = op->state = op->cells = NULL;
}

ordo_status run_time_need(run_time_operator *op, const ordo_choice *choice, bool *news)
{
    run_time_slot *slot = op->slots;
    const bool on_gpu = choice->device != ORDO_ON_CPU;
    while (slot->instance.scheduler &&
           (slot->instance.device != choice->device || strcmp(slot->instance.scheduler, choice->scheduler) != 0))
        slot++;
    if (!slot->instance.scheduler)
        return ordo_fail(ORDO_ERR_INTERNAL, "scheduler '%s' has no place for an operator from a file",
                         choice->scheduler);
    *news = false;
    if (!slot->compiled[choice->sync]) {
        const ordo_instance *made;
        char what[400];
        snprintf(what, sizeof what, "%.250s for %.64s%s", op->file, choice->scheduler, on_gpu ? " on a GPU" : "");
        show_phase(op->o, "compiling", what);
        ordo_status status = run_time_instance(op->file, op->op.kind, choice, &made);
        clear_progress();
        if (status)
            return status;
        for (int sync = 0; sync < ORDO_SYNCS; sync++)
            if (on_gpu || sync == (int)choice->sync)
                slot->compiled[sync] = made->run;
        *news = slot->instance.syncs != made->syncs;
        slot->instance.syncs = made->syncs;
    }
    slot->instance.run = slot->compiled[choice->sync];
    return ORDO_OK;
}

/* ---- cells ---- */

void run_time_begin_cell(const run_time_operator *op, ordo_vid source, ordo_vid v, void *cell)
{
    if (op->growth.items && v >= op->growth.vertices)
        op->table->worst(cell);
    else
        op->table->begin(op->state, v, cell);
    if (v == source && op->table->source)
        op->table->source(op->state, cell);
}

void run_time_begin(const run_time_operator *op, ordo_vid source, ordo_vid n, void *cells)
{
    for (ordo_u64 v = 0; v < n; v++)
        run_time_begin_cell(op, source, (ordo_vid)v, (char *)cells + v * op->cell);
}

ordo_status run_time_result(const run_time_operator *op, ordo_u64 n, const void **out)
{
    size_t i = 0;
    while (op->table->arrays[i].at != op->table->result)
        i++;
    memcpy(out, (const char *)op->state + op->table->result, sizeof *out); /* ORDO_CRITICAL_FILL may set it */
    return op->array_bytes[i] >= n * op->value
               ? ORDO_OK
               : ordo_fail(ORDO_ERR_UNSOUND,
                           "operator '%s': its result '%s' has %llu bytes, expected one of %zu for "
                           "each vertex",
                           op->op.name, op->table->arrays[i].name, (unsigned long long)op->array_bytes[i], op->value);
}

void run_time_text(const run_time_operator *op, ordo_vid v, const void *value, char out[RUN_TIME_TEXT])
{
    run_time_cell c = {0};
    memcpy(&c, value, op->value);
    out[0] = 0;
    if (op->table->print)
        op->table->print(op->state, v, &c, out, RUN_TIME_TEXT);
    else if (op->type == ORDO_F32)
        ordo_format(out, RUN_TIME_TEXT, "%.9g", (double)c.f32);
    else if (op->type == ORDO_F64)
        ordo_format(out, RUN_TIME_TEXT, "%.17g", c.f64);
    else if (op->type == ORDO_I32)
        snprintf(out, RUN_TIME_TEXT, "%d", c.i32);
    else if (op->type == ORDO_I64)
        snprintf(out, RUN_TIME_TEXT, "%lld", (long long)c.i64);
    else
        snprintf(out, RUN_TIME_TEXT, "%llu", op->type == ORDO_U64 ? (unsigned long long)c.u64 : c.u32);
    out[strcspn(out, "\n")] = 0;
}
