/* json.c -- output for programs: one object for each run, one on each line. docs/json.md and docs/schema.json describe
 * it.
 *
 * 64-bit numbers are JSON integers (as strings beyond 2^63 - 1, which jansson cannot hold), reals that are not finite
 * are null, bytes that are not UTF-8 are replaced.
 */
#define _POSIX_C_SOURCE 200809L
#include "commit.h"
#include "apps/cli/cli.h"
#include "apps/cli/run_time/operator.h"

#include "framework/run/number.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ordo/scheduler/scheduler.h>

enum { SCHEMA = 1 };

static int word_count;
static char **words;

void json_command_line(int argc, char **argv)
{
    word_count = argc;
    words = argv;
}

/* ---- values ---- */

static json_t *text(const char *s)
{
    json_t *j = json_string(s);
    if (j)
        return j;
    /* Three bytes of U+FFFD for each byte that is not ASCII. */
    char *clean = malloc(3 * strlen(s) + 1), *to = clean;
    if (!clean)
        return NULL;
    for (; *s; s++)
        if ((unsigned char)*s < 0x80) {
            *to++ = *s;
        } else {
            memcpy(to, "\xef\xbf\xbd", 3);
            to += 3;
        }
    *to = 0;
    j = json_string(clean);
    free(clean);
    return j;
}

static json_t *whole(ordo_u64 value)
{
    if (value <= INT64_MAX)
        return json_integer((json_int_t)value);
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    return json_string(digits);
}

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* An object, and whether a part of it could not be made. */
typedef struct object {
    json_t *json;
    bool *failed;
} object;

static object object_new(bool *failed)
{
    object o = {json_object(), failed};
    *failed = *failed || !o.json;
    return o;
}

static void put(object o, const char *key, json_t *value)
{
    if (json_object_set_new(o.json, key, value) != 0)
        *o.failed = true;
}

/* ---- parts ---- */

static json_t *command_line(void)
{
    json_t *list = json_array();
    for (int i = 0; i < word_count; i++)
        json_array_append_new(list, text(words[i]));
    return list;
}

static json_t *machine_object(bool *failed)
{
    machine m;
    machine_get(&m);
    object o = object_new(failed);
    put(o, "cpu", text(m.cpu));
    put(o, "architecture", text(m.system));
    put(o, "cores", json_integer(m.cores));
    put(o, "memory", whole(m.memory));
    put(o, "kernel", text(m.kernel));
    put(o, "compiler", text(m.compiler));
    return o.json;
}

static json_t *weight_number(ordo_type type, double value)
{
    if (type == ORDO_NONE)
        return json_null();
    return type == ORDO_F32 ? real(value) : json_integer((json_int_t)value);
}

static json_t *terminal(const loaded *g, ordo_vid v)
{
    return v == ORDO_NO_VERTEX ? json_null() : whole(v + g->id_base);
}

static json_t *terminals(const loaded *g, const ordo_vertex_data *v, bool *failed)
{
    if (v->source == ORDO_NO_VERTEX && v->sink == ORDO_NO_VERTEX)
        return json_null();
    object o = object_new(failed);
    put(o, "source", terminal(g, v->source));
    put(o, "sink", terminal(g, v->sink));
    return o.json;
}

static json_t *graph_object(const loaded *g, bool *failed)
{
    ordo_graph_info i;
    ordo_graph_get_info(g->graph, &i);
    const ordo_vertex_data *v = ordo_graph_vertex_data(g->graph);
    char checksum[24];
    snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)i.checksum);
    object o = object_new(failed), weight = object_new(failed);
    put(o, "source", text(i.source));
    put(o, "format", text(i.format));
    put(o, "vertices", whole(i.vertices));
    put(o, "edges", whole(i.edges));
    put(o, "loops", whole(i.loops));
    put(o, "max_degree", whole(i.max_degree));
    put(o, "symmetric", json_boolean(i.symmetric));
    put(weight, "type", text(type_name(i.weight_type)));
    put(weight, "min", weight_number(i.weight_type, i.weight_min));
    put(weight, "max", weight_number(i.weight_type, i.weight_max));
    put(weight, "mean", i.weight_type == ORDO_NONE ? json_null() : real(i.weight_mean));
    put(weight, "origin", text(weights_origin(g)));
    put(o, "weight", weight.json);
    put(o, "dropped_loops", whole(i.dropped_loops));
    put(o, "dropped_parallel", whole(i.dropped_parallel));
    put(o, "coordinates", json_boolean(v->coordinate != NULL));
    put(o, "vertex_weights", whole(v->weight ? v->weights : 0));
    put(o, "vertex_sizes", json_boolean(v->size != NULL));
    put(o, "terminals", terminals(g, v, failed));
    put(o, "checksum", text(checksum));
    put(o, "id_base", whole(i.id_base));
    put(o, "bytes", whole(i.bytes));
    return o.json;
}

/* A tunable's value with the type of its row. */
static json_t *setting_value(const ordo_scheduler *s, const ordo_setting *setting)
{
    for (int i = 0; s && i < s->tunable_count; i++) {
        const ordo_tunable *t = &s->tunables[i];
        double value;
        if (strcmp(t->name, setting->name) != 0 || t->type == ORDO_TUNABLE_CHOICE ||
            !ordo_parse_real(setting->value, &value))
            continue;
        return t->type == ORDO_TUNABLE_INT && fabs(value) < 9e18 ? json_integer((json_int_t)value) : real(value);
    }
    return text(setting->value);
}

/* An operator that was compiled at run time: its file, and the numbers of its state. */
static void put_operator_file(object o, const run_time_operator *op)
{
    object state = object_new(o.failed);
    for (size_t i = 0; i < op->table->field_count; i++) {
        const ordo_state_field *field = &op->table->fields[i];
        const run_time_number number = run_time_state(op, field);
        const bool is_real = number.type == ORDO_F32 || number.type == ORDO_F64;
        put(state, field->name,
            is_real                                              ? real(number.real)
            : number.type == ORDO_I32 || number.type == ORDO_I64 ? json_integer((json_int_t)number.whole)
                                                                 : whole(number.whole));
    }
    put(o, "operator_file", text(op->file));
    put(o, "state", state.json);
}

static json_t *options_object(const record *r, bool *failed)
{
    static const ordo_app none = {0}; /* a benchmark's */
    const ordo_app *app = r->app ? r->app : &none;
    const ordo_stats *s = r->stats;
    const ordo_scheduler *scheduler = ordo_scheduler_find(s->scheduler);
    object o = object_new(failed), settings = object_new(failed);
    put(o, "scheduler", text(s->scheduler));
    put(o, "sync", text(s->sync));
    put(o, "items", s->item ? text(s->item) : json_null());
    put(o, "device", text(s->backend));
    put(o, "device_name", text(s->device));
    put(o, "fallback", s->fallback[0] ? text(s->fallback) : json_null());
    put(o, "chosen", s->chosen[0] ? text(s->chosen) : json_null());
    put(o, "threads", json_integer(s->threads));
    for (int i = 0; i < s->setting_count; i++)
        put(settings, s->settings[i].name, setting_value(scheduler, &s->settings[i]));
    put(o, "settings", settings.json);
    put(o, "limit", real(r->o->limit));
    put(o, "k", app->has_k && r->o->k ? whole(r->o->k) : json_null());
    put(o, "damping", app->has_ranks ? real(r->o->damping) : json_null());
    put(o, "tolerance", app->has_ranks ? real(r->o->tolerance) : json_null());
    put(o, "rounds", app->has_rounds ? json_integer(r->o->rounds) : json_null());
    if (run_time_of(app))
        put_operator_file(o, run_time_of(app));
    put(o, "timeout", r->o->timeout > 0 ? real(r->o->timeout) : json_null());
    if (app->needs_terminals) {
        const ordo_flow_options *flow = &r->o->flow;
        put(o, "phase", text(flow->cut_only ? "cut" : "flow"));
        put(o, "infinite", flow->infinite ? whole(flow->infinite) : json_null());
    }
    put(o, "ids", text(r->o->ids_of_file ? "file" : "index"));
    put(o, "repeat", json_integer(r->o->repeat ? r->o->repeat : 1));
    put(o, "warmup", json_integer(r->o->warmup));
    return o.json;
}

static json_t *seconds_object(const record *r, bool *failed)
{
    object o = object_new(failed);
    put(o, "load", real(r->graph->info.load_seconds));
    put(o, "build", real(r->graph->info.build_seconds));
    put(o, "prepare", real(r->stats->prepare_seconds));
    put(o, "transfer", real(r->stats->transfer_seconds));
    put(o, "run", real(r->stats->run_seconds));
    put(o, "trial", real(r->trial_seconds));
    put(o, "verify", r->verified < 0 ? json_null() : real(r->verify_seconds));
    return o.json;
}

static json_t *counts_object(const ordo_stats *s, bool *failed)
{
    object o = object_new(failed);
    put(o, "items", whole(s->items));
    put(o, "edges", whole(s->edges));
    put(o, "useful", whole(s->useful));
    put(o, "stale", whole(s->stale));
    put(o, "activations", whole(s->activations));
    put(o, "supersteps", whole(s->supersteps));
    return o.json;
}

/* Null where the machine cannot count it. */
static json_t *hardware_object(const ordo_hardware *h, bool *failed)
{
    object o = object_new(failed);
    for (int e = 0; e < ORDO_HARDWARE_EVENTS; e++)
        put(o, ordo_hardware_name((ordo_hardware_event)e), h->present[e] ? whole(h->value[e]) : json_null());
    return o.json;
}

static json_t *memory_object(const record *r, bool *failed)
{
    object o = object_new(failed);
    put(o, "predicted_expected", whole(r->expected));
    put(o, "predicted_at_most", whole(r->at_most));
    put(o, "peak_worklist", whole(r->stats->peak_worklist_bytes));
    put(o, "peak", whole(r->stats->peak_bytes));
    put(o, "peak_rss", whole(peak_rss()));
    return o.json;
}

static json_t *result_object(const record *r, bool *failed)
{
    object o = object_new(failed);
    for (int i = 0; i < r->answer->field_count; i++) {
        const ordo_field *f = &r->answer->fields[i];
        put(o, f->name,
            f->type == ORDO_F32   ? real(f->real)
            : f->type == ORDO_I32 ? json_integer((json_int_t)f->whole)
                                  : whole(f->whole));
    }
    return o.json;
}

static json_t *path_array(const record *r)
{
    json_t *list = json_array();
    for (ordo_u64 i = 0; i < r->path_length; i++)
        json_array_append_new(list, whole(r->path[i] + r->graph->id_base));
    return list;
}

/* A cycle that was found: vertices in order, and the edge out of each. */
static json_t *cycle_object(const record *r, bool *failed)
{
    const ordo_cycle *c = &r->answer->cycle;
    if (!c->length)
        return json_null();
    object o = object_new(failed);
    json_t *vertices = json_array(), *edges = json_array();
    for (ordo_u64 i = 0; i < c->length; i++) {
        json_array_append_new(vertices, whole(c->vertex[i] + r->graph->id_base));
        json_array_append_new(edges, whole(c->edge[i]));
    }
    put(o, "vertices", vertices);
    put(o, "edges", edges);
    put(o, "weight", c->type == ORDO_F32 ? real(c->real) : json_integer((json_int_t)c->whole));
    return o.json;
}

static json_t *trace_array(const ordo_stats *s, bool *failed)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->trace_count; i++) {
        const ordo_sample *t = &s->trace[i];
        object o = object_new(failed);
        put(o, "seconds", real(t->seconds));
        put(o, "in_flight", whole(t->in_flight));
        put(o, "bucket", whole(t->bucket));
        put(o, "delta", real(t->delta));
        put(o, "concurrent", json_integer(t->concurrent));
        put(o, "utilisation", t->utilisation < 0 ? json_null() : real((double)t->utilisation));
        json_array_append_new(list, o.json);
    }
    return list;
}

/* ---- records ---- */

static object begin(const char *kind, bool *failed)
{
    char stamp[32] = "";
    time_t moment = time(NULL);
    struct tm utc;
    if (gmtime_r(&moment, &utc))
        strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &utc);
    object o = object_new(failed);
    put(o, "schema", json_integer(SCHEMA));
    put(o, "kind", text(kind));
    put(o, "time", text(stamp));
    put(o, "command", command_line());
    put(o, "version", text(ORDO_VERSION));
    put(o, "commit", text(ORDO_COMMIT));
    put(o, "machine", machine_object(failed));
    return o;
}

static ordo_status write_line(sink *s, object o)
{
    enum { DIGITS = 15 };
    char *line = *o.failed ? NULL : json_dumps(o.json, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    json_decref(o.json);
    if (!line)
        return ordo_fail(ORDO_ERR_MEMORY, "no memory for a JSON record");
    fputs(line, s->file);
    fputc('\n', s->file);
    free(line);
    return sink_flush(s);
}

ordo_status json_write_run(sink *s, const record *r)
{
    bool failed = false;
    object o = begin("run", &failed);
    put(o, "graph", graph_object(r->graph, &failed));
    put(o, "app", text(r->app->name));
    put(o, "operator", text(r->stats->op));
    const bool starts = r->app->needs_source || r->app->needs_terminals;
    put(o, "source", starts && !r->at_once ? whole(r->source + r->graph->id_base) : json_null());
    put(o, "sources_at_once", r->at_once ? whole(r->at_once) : json_null());
    if (r->app->needs_terminals)
        put(o, "sink", whole(r->sink + r->graph->id_base));
    bool random = r->app->needs_source && !r->o->source && !r->o->sources && !r->o->sources_at_once;
    put(o, "seed", random ? whole(r->o->seed) : json_null());
    put(o, "trial", json_integer(r->trial));
    put(o, "label", r->label ? text(r->label) : json_null());
    put(o, "session", r->session ? text(r->session) : json_null());
    put(o, "row", r->row ? json_integer(r->row) : json_null());
    put(o, "options", options_object(r, &failed));
    put(o, "seconds", seconds_object(r, &failed));
    put(o, "counts", counts_object(r->stats, &failed));
    put(o, "work_seconds", real(r->stats->work_seconds));
    put(o, "memory", memory_object(r, &failed));
    object delta = object_new(&failed);
    put(delta, "first", real(r->stats->delta_first));
    put(delta, "last", real(r->stats->delta_last));
    put(o, "delta", delta.json);
    put(o, "result", result_object(r, &failed));
    put(o, "verified", r->verified < 0 ? json_null() : json_boolean(r->verified));
    const bool early = r->o->target || r->o->stop_after;
    put(o, "within", early ? real(r->answer->within) : json_null());
    if (r->o->path_to)
        put(o, "path", path_array(r));
    if (r->app->has_cycle)
        put(o, "cycle", cycle_object(r, &failed));
    if (group_here()) {
        object ranks = object_new(&failed);
        put(ranks, "count", json_integer(ordo_group_size(group_here())));
        put(ranks, "messages", whole(r->stats->messages));
        put(ranks, "critical_edges", whole(r->stats->critical_edges));
        put(ranks, "alone", json_boolean(ordo_group_was_alone(group_here())));
        put(o, "ranks", ranks.json);
    }
    if (r->o->counters)
        put(o, "hardware", hardware_object(&r->stats->hardware, &failed));
    if (r->trace) {
        const ordo_trace_view view = ordo_trace_look(r->trace);
        put(o, "trace_samples", whole(view.sample_count));
        put(o, "trace_period", real(view.period));
    }
    if (r->o->trace_json)
        put(o, "trace", trace_array(r->stats, &failed));
    return write_line(s, o);
}

ordo_status json_write_bench(sink *s, const record *r)
{
    bool failed = false;
    object o = begin("bench", &failed), seconds = object_new(&failed), memory = object_new(&failed);
    put(o, "bench", text(r->bench));
    put(o, "graph", r->graph ? graph_object(r->graph, &failed) : json_null());
    put(o, "operator", text(r->stats->op));
    put(o, "collisions", r->collisions ? whole(r->collisions) : json_null());
    put(o, "operations", whole(r->operations));
    put(o, "seed", whole(r->o->seed));
    put(o, "trial", json_integer(r->trial));
    put(o, "options", options_object(r, &failed));
    put(seconds, "prepare", real(r->stats->prepare_seconds));
    put(seconds, "run", real(r->stats->run_seconds));
    put(o, "seconds", seconds.json);
    put(o, "counts", counts_object(r->stats, &failed));
    put(o, "work_seconds", real(r->stats->work_seconds));
    put(memory, "peak_worklist", whole(r->stats->peak_worklist_bytes));
    put(memory, "peak", whole(r->stats->peak_bytes));
    put(o, "memory", memory.json);
    put(o, "rate", real((double)r->operations / r->stats->run_seconds));
    if (r->transfer) {
        object transfer = object_new(&failed);
        put(transfer, "held", json_integer(r->transfer->locks_held));
        put(transfer, "steps", whole(r->transfer->steps));
        put(transfer, "handovers", whole(r->transfer->handovers));
        put(transfer, "handover_ns", real(r->transfer->handover_ns));
        put(transfer, "section_ns", real(r->transfer->held_ns));
        put(transfer, "wait_ns", real(r->transfer->wait_ns));
        put(transfer, "longest_wait_ns", whole(r->transfer->longest_wait_ns));
        put(transfer, "longest_wait_sections", whole(r->transfer->longest_wait_served));
        put(o, "transfer", transfer.json);
    }
    if (r->graph) {
        object rmse = object_new(&failed);
        put(rmse, "used", real(r->rmse));
        put(rmse, "held_out", real(r->rmse_held));
        put(rmse, "held_out_by_mean", real(r->rmse_mean));
        put(o, "rmse", rmse.json);
    }
    put(o, "verified", json_boolean(r->verified));
    return write_line(s, o);
}

ordo_status json_write_queue(sink *s, const queue_record *r)
{
    bool failed = false;
    object o = begin("bench", &failed), seconds = object_new(&failed);
    put(o, "bench", text("queue"));
    put(o, "queue", text(r->queue));
    put(o, "pattern", text(r->pattern));
    put(o, "threads", json_integer(r->threads));
    put(o, "batch", json_integer(r->batch));
    put(o, "device", text(r->blocks ? "cuda" : "cpu"));
    if (r->blocks) {
        put(o, "blocks", json_integer(r->blocks));
        put(o, "lanes", json_integer(r->lanes));
    }
    if (r->gpus)
        put(o, "gpus", json_integer(r->gpus));
    if (r->gpus > 1) {
        put(o, "staged", json_boolean(r->staged));
        put(o, "remote", real(r->remote));
        put(o, "messages", whole(r->messages));
    }
    put(o, "places", whole(r->places));
    put(o, "operations", whole(r->operations));
    put(o, "trial", json_integer(r->trial));
    put(seconds, "run", real(r->seconds));
    put(o, "seconds", seconds.json);
    put(o, "rate", real((double)r->operations / r->seconds));
    put(o, "verified", json_boolean(r->verified));
    return write_line(s, o);
}

static json_t *degrees_object(const graph_stats *found, bool *failed)
{
    object o = object_new(failed);
    json_t *list = json_array();
    for (int i = 0; i < found->buckets; i++)
        json_array_append_new(list, whole(found->histogram[i]));
    put(o, "min", whole(found->least));
    put(o, "zero", whole(found->without));
    put(o, "histogram", list);
    return o.json;
}

static json_t *components_object(const graph_stats *found, bool *failed)
{
    if (!found->ran)
        return json_null();
    object o = object_new(failed);
    put(o, "count", whole(found->components));
    put(o, "largest", whole(found->largest));
    return o.json;
}

static json_t *diameter_object(ordo_u64 seed, const graph_stats *found, bool *failed)
{
    if (!found->ran)
        return json_null();
    object o = object_new(failed);
    put(o, "at_least", whole(found->hops));
    put(o, "double_sweeps", json_integer(found->sweeps));
    put(o, "seed", whole(seed));
    return o.json;
}

static json_t *part_object(const ordo_part *p, bool *failed)
{
    object o = object_new(failed);
    put(o, "vertices", whole(p->vertices));
    put(o, "edges", whole(p->edges));
    put(o, "cut", whole(p->cut));
    put(o, "ghosts", whole(p->ghosts));
    return o.json;
}

ordo_status json_write_partition(sink *s, const loaded *g, const options *o, const ordo_part *of, double seconds)
{
    bool failed = false;
    object all = begin("partition", &failed), balance = object_new(&failed), times = object_new(&failed);
    const partition_sums sums = partition_sum(of, o->parts);
    json_t *list = json_array();
    for (ordo_u32 p = 0; p < o->parts; p++)
        json_array_append_new(list, part_object(&of[p], &failed));
    put(all, "graph", graph_object(g, &failed));
    put(all, "method", o->partition ? json_null() : text(o->method ? o->method : "metis"));
    put(all, "file", o->partition ? text(o->partition) : json_null());
    put(all, "seed", whole(o->seed));
    put(all, "parts", list);
    put(all, "cut", whole(sums.cut));
    put(all, "ghosts", whole(sums.ghosts));
    put(balance, "vertices", real(sums.vertex_balance));
    put(balance, "edges", real(sums.edge_balance));
    put(all, "balance", balance.json);
    put(times, "load", real(g->info.load_seconds));
    put(times, "build", real(g->info.build_seconds));
    put(times, "partition", real(seconds));
    put(all, "seconds", times.json);
    return write_line(s, all);
}

ordo_status json_write_sat(sink *s, const options *o, const sat_record *r)
{
    static const char *const answers[] = {"unknown", "satisfiable", "unsatisfiable"};
    const ordo_sat_found *f = r->found;
    const bool ran = r->stats->op != NULL;
    bool failed = false;
    object all = begin("sat", &failed), formula = object_new(&failed), search = object_new(&failed),
           times = object_new(&failed);
    put(formula, "file", text(r->file));
    put(formula, "variables", whole(r->formula->variables));
    put(formula, "clauses", whole(r->formula->clauses));
    put(formula, "literals", whole(r->formula->row[r->formula->clauses]));
    put(all, "formula", formula.json);
    put(all, "operator", ran ? text(r->stats->op) : json_null());
    put(all, "scheduler", ran ? text(r->stats->scheduler) : json_null());
    put(all, "sync", ran ? text(r->stats->sync) : json_null());
    put(all, "device", ran ? text(r->stats->backend) : json_null());
    put(all, "threads", json_integer(r->stats->threads));
    put(all, "seed", whole(o->seed));
    put(all, "answer", text(answers[f->answer]));
    put(all, "verified", json_boolean(f->answer == ORDO_SAT_SATISFIABLE));
    put(search, "tries", whole(f->tries));
    put(search, "decimations", whole(f->decimations));
    put(search, "unconverged", whole(f->unconverged));
    put(search, "rounds", whole(f->rounds));
    put(search, "fixed", whole(f->fixed));
    put(search, "implied", whole(f->implied));
    put(search, "searched", whole(f->searched));
    put(search, "flips", whole(f->flips));
    put(all, "search", search.json);
    put(times, "load", real(r->load_seconds));
    put(times, "search", real(r->seconds));
    put(times, "prepare", real(r->stats->prepare_seconds));
    put(times, "transfer", real(r->stats->transfer_seconds));
    put(all, "seconds", times.json);
    return write_line(s, all);
}

ordo_status json_write_points_to(sink *s, const points_to_record *r)
{
    bool failed = false;
    object all = begin("points_to", &failed), program = object_new(&failed), result = object_new(&failed),
           work = object_new(&failed), times = object_new(&failed);
    put(program, "file", text(r->file));
    put(program, "variables", whole(r->constraints->variables));
    put(program, "constraints", whole(r->constraints->count));
    put(all, "program", program.json);
    put(all, "threads", json_integer(r->threads));
    put(result, "facts", whole(r->facts));
    put(result, "pointers", whole(r->pointers));
    put(result, "largest", whole(r->most));
    put(result, "edges", whole(r->found->edges));
    put(result, "edges_added", whole(r->found->added));
    put(result, "joined", whole(r->found->joined));
    put(all, "result", result.json);
    put(work, "rounds", whole(r->found->rounds));
    put(work, "items", whole(r->found->items));
    put(work, "unions", whole(r->found->unions));
    put(work, "bytes", whole(r->found->bytes));
    put(all, "work", work.json);
    put(all, "verified", r->verified ? json_true() : json_null());
    put(times, "load", real(r->load_seconds));
    put(times, "run", real(r->seconds));
    put(times, "verify", r->verified ? real(r->verify_seconds) : json_null());
    put(all, "seconds", times.json);
    return write_line(s, all);
}

ordo_status json_write_info(sink *s, const loaded *g, const options *o, const graph_stats *found)
{
    bool failed = false;
    object info = begin("info", &failed), needs = object_new(&failed), seconds = object_new(&failed);
    put(info, "graph", graph_object(g, &failed));
    put(seconds, "load", real(g->info.load_seconds));
    put(seconds, "build", real(g->info.build_seconds));
    put(info, "seconds", seconds.json);
    put(info, "degrees", degrees_object(found, &failed));
    put(info, "components", components_object(found, &failed));
    put(info, "diameter", diameter_object(o->seed, found, &failed));
    for (const ordo_app *const *app = ordo_built_apps; *app; app++) {
        const char *settings[MAX_SETTINGS];
        ordo_options run = run_options(o, o->scheduler, o->sync, settings);
        ordo_u64 expected, at_most;
        if ((*app)->memory(g->graph, &run, &expected, &at_most) != ORDO_OK)
            continue;
        object one = object_new(&failed);
        put(one, "predicted_expected", whole(expected + answer_bytes(*app, g, false)));
        put(one, "predicted_at_most", whole(at_most + answer_bytes(*app, g, false)));
        put(needs, (*app)->name, one.json);
    }
    put(info, "memory", needs.json);
    return write_line(s, info);
}
