/* saved.c -- `ordo compare --from FILE...`: the tables of runs that were made before, also on other machines and by
 * other commits.
 *
 * A file holds the records of --save or --json, one a line (docs/json.md). Runs of one app on one graph, by its
 * checksum, make a table. In it a row is a label, and where machines, commits or numbers of threads differ, a row is
 * one of each, and says which. Rounds of one call (session) are paired with each other; runs of different calls
 * are compared from the same sources, unpaired.
 *
 * Refused, with file and line: other records, a graph of the same name and another checksum, other parameters of the
 * app, the same label with other settings or another sync, a run that was read before.
 */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "apps/cli/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEM = 256, SETTINGS = 1024, MACHINE = 160 };

/* A record, and where it was read. */
typedef struct saved_run {
    const char *path;
    size_t line;
    char app[48], graph[512], checksum[24], label[LABEL], session[40], scheduler[48], sync[16], commit[24];
    char machine[MACHINE]; /* processor, cores, device */
    bool here;             /* on the CPU of this machine, or on a GPU beside it */
    char gpu[96];          /* its name; empty: on the CPU */
    double edge_bytes;
    char problem[PROBLEM];   /* the app's parameters */
    char settings[SETTINGS]; /* of the scheduler */
    char fallback[256], chosen[64];
    ordo_u64 vertices, edges, source;
    bool starts;
    size_t call; /* the number of its session, in the order of reading */
    long long threads, trial, row;
    double seconds, items, edges_proposed, stale, supersteps, peak_worklist;
    int verified;                       /* 1, 0, -1: not asked for */
    ordo_field fields[ORDO_MAX_FIELDS]; /* names are owned by the list */
    int field_count;
} saved_run;

typedef struct saved_runs {
    saved_run *run; /* [count] */
    size_t count, capacity;
    char **names; /* [name_count] of fields, each once */
    size_t name_count;
} saved_runs;

/* ---- reading ---- */

static void copy_text(char *out, size_t size, const json_t *value)
{
    snprintf(out, size, "%s", json_is_string(value) ? json_string_value(value) : "");
}

static const json_t *at(const json_t *object, const char *path)
{
    char key[48];
    for (const char *dot = path; dot && object; path = dot + 1) {
        dot = strchr(path, '.');
        snprintf(key, sizeof key, "%.*s", (int)(dot ? dot - path : 47), path);
        object = json_object_get(object, key);
        if (!dot)
            break;
    }
    return object;
}

static ordo_u64 whole_at(const json_t *object, const char *path)
{
    const json_t *value = at(object, path);
    return json_is_string(value) ? strtoull(json_string_value(value), NULL, 10) : (ordo_u64)json_integer_value(value);
}

static double number_at(const json_t *object, const char *path)
{
    const json_t *value = at(object, path);
    return json_is_number(value)   ? json_number_value(value)
           : json_is_string(value) ? (double)whole_at(object, path)
                                   : 0;
}

/* Appends "key=value " as JSON writes the value; false where there is too little place. */
static bool append_value(char *out, size_t size, const char *key, const json_t *value)
{
    char *dumped = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    size_t used = strlen(out);
    bool fits = !value || (dumped && snprintf(out + used, size - used, "%s=%s ", key, dumped) < (int)(size - used));
    free(dumped);
    return fits;
}

static const char *interned(saved_runs *all, const char *name)
{
    for (size_t i = 0; i < all->name_count; i++)
        if (!strcmp(all->names[i], name))
            return all->names[i];
    char **more = realloc(all->names, (all->name_count + 1) * sizeof *more);
    char *copy = more ? strdup(name) : NULL;
    all->names = more ? more : all->names;
    if (copy)
        all->names[all->name_count++] = copy;
    return copy;
}

static bool read_fields(saved_runs *all, saved_run *r, json_t *result)
{
    const char *name;
    json_t *value;
    json_object_foreach(result, name, value)
    {
        if (r->field_count == ORDO_MAX_FIELDS)
            break;
        ordo_field *f = &r->fields[r->field_count++];
        f->name = interned(all, name);
        f->type = json_is_real(value)                                       ? ORDO_F32
                  : json_is_integer(value) && json_integer_value(value) < 0 ? ORDO_I32
                                                                            : ORDO_U64;
        f->real = json_number_value(value);
        f->whole = whole_at(result, name);
        if (!f->name)
            return false;
    }
    return true;
}

static bool read_options(saved_run *r, const json_t *line)
{
    static const char *const parameters[] = {"limit", "k",        "damping",       "tolerance", "rounds",
                                             "phase", "infinite", "operator_file", "state"};
    const json_t *o = at(line, "options");
    bool fits = true;
    copy_text(r->scheduler, sizeof r->scheduler, at(o, "scheduler"));
    copy_text(r->sync, sizeof r->sync, at(o, "sync"));
    copy_text(r->fallback, sizeof r->fallback, at(o, "fallback"));
    if (json_is_string(at(o, "chosen")))
        copy_text(r->chosen, sizeof r->chosen, at(o, "scheduler"));
    r->threads = json_integer_value(at(o, "threads"));
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
        fits = append_value(r->problem, sizeof r->problem, parameters[i], at(o, parameters[i])) && fits;
    fits = append_value(r->settings, sizeof r->settings, "settings", at(o, "settings")) && fits;
    if (json_is_string(at(o, "items")) && !strcmp(json_string_value(at(o, "items")), "edges"))
        fits = append_value(r->settings, sizeof r->settings, "items", at(o, "items")) && fits;
    const char *device = json_string_value(at(o, "device")), *name = json_string_value(at(o, "device_name"));
    const char *cpu = json_string_value(at(line, "machine.cpu"));
    snprintf(r->gpu, sizeof r->gpu, "%s", device && name && strcmp(device, "cpu") != 0 ? name : "");
    snprintf(r->machine, sizeof r->machine, "%.80s, %lld cores%s%.60s", cpu ? cpu : "unknown",
             (long long)json_integer_value(at(line, "machine.cores")), r->gpu[0] ? ", " : "", r->gpu);
    machine own;
    machine_get(&own);
    r->here = device && cpu && !strcmp(cpu, own.cpu) &&
              (r->gpu[0] || json_integer_value(at(line, "machine.cores")) == own.cores);
    return fits && device;
}

/* Fills a run from a record; false where something is missing. */
static bool read_run(saved_runs *all, saved_run *r, json_t *line)
{
    copy_text(r->app, sizeof r->app, at(line, "app"));
    copy_text(r->graph, sizeof r->graph, at(line, "graph.source"));
    copy_text(r->checksum, sizeof r->checksum, at(line, "graph.checksum"));
    copy_text(r->commit, sizeof r->commit, at(line, "commit"));
    copy_text(r->session, sizeof r->session, at(line, "session"));
    bool complete = read_options(r, line) && read_fields(all, r, json_object_get(line, "result"));
    copy_text(r->label, sizeof r->label, at(line, "label"));
    if (!r->label[0])
        snprintf(r->label, sizeof r->label, "%s", r->scheduler);
    r->vertices = whole_at(line, "graph.vertices");
    r->edges = whole_at(line, "graph.edges");
    const char *weight = json_string_value(at(line, "graph.weight.type"));
    r->edge_bytes = weight && !strcmp(weight, "none") ? EDGE_BYTES : WEIGHTED_EDGE_BYTES;
    r->starts = at(line, "source") && !json_is_null(at(line, "source"));
    r->source = r->starts ? whole_at(line, "source") : 0;
    r->trial = json_integer_value(at(line, "trial"));
    r->row = json_integer_value(at(line, "row"));
    r->seconds = number_at(line, "seconds.run") + number_at(line, "seconds.transfer");
    r->items = number_at(line, "counts.items");
    r->edges_proposed = number_at(line, "counts.edges");
    r->stale = number_at(line, "counts.stale");
    r->supersteps = number_at(line, "counts.supersteps");
    r->peak_worklist = number_at(line, "memory.peak_worklist");
    r->verified = json_is_boolean(at(line, "verified")) ? json_is_true(at(line, "verified")) : -1;
    return complete && r->app[0] && r->checksum[0] && r->label[0] && r->trial >= 1 && r->trial <= 1000000 &&
           json_is_number(at(line, "seconds.run")) && r->seconds >= 0 && isfinite(r->seconds);
}

/* The number of the session of the run behind the last one. */
static size_t number_session(const saved_runs *all)
{
    const saved_run *r = &all->run[all->count];
    size_t calls = 0;
    for (size_t i = all->count; i-- > 0;) { /* nearly always the last one */
        if (!strcmp(all->run[i].session, r->session))
            return all->run[i].call;
        calls = all->run[i].call > calls ? all->run[i].call : calls;
    }
    return calls + 1;
}

static ordo_status add_line(saved_runs *all, const char *path, size_t number, const char *text, size_t length)
{
    json_error_t error;
    json_t *line = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    const char *kind = json_string_value(at(line, "kind"));
    ordo_status status = ORDO_OK;
    if (!line)
        status =
            ordo_fail(ORDO_ERR_INPUT, "%s:%zu: %s, expected a JSON record of ordo compare", path, number, error.text);
    else if (!kind || strcmp(kind, "run") != 0 || json_integer_value(at(line, "schema")) != 1)
        status =
            ordo_fail(ORDO_ERR_INPUT, "%s:%zu: found a record of kind '%.40s', schema %lld, expected 'run', schema 1",
                      path, number, kind ? kind : "", (long long)json_integer_value(at(line, "schema")));
    if (!status && all->count == all->capacity) {
        size_t capacity = all->capacity ? 2 * all->capacity : 256;
        saved_run *more = realloc(all->run, capacity * sizeof *more);
        if (!more)
            status = ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for %zu runs", path, capacity);
        else
            all->run = more, all->capacity = capacity;
    }
    if (!status) {
        saved_run *r = &all->run[all->count];
        *r = (saved_run){.path = path, .line = number};
        if (!read_run(all, r, line))
            status = ordo_fail(ORDO_ERR_INPUT, "%s:%zu: the record is not complete, expected one of ordo compare", path,
                               number);
        if (!r->session[0])
            snprintf(r->session, sizeof r->session, "%.39s", path);
        r->call = number_session(all);
        all->count += !status;
    }
    json_decref(line);
    return status;
}

static ordo_status read_file(saved_runs *all, const char *path)
{
    FILE *file = !strcmp(path, "-") ? stdin : fopen(path, "r");
    if (!file)
        return ordo_fail(ORDO_ERR_IO, "%s: %s", path, strerror(errno));
    char *line = NULL;
    size_t capacity = 0, before = all->count;
    ordo_status status = ORDO_OK;
    errno = 0;
    ssize_t length;
    for (size_t number = 1; !status && (length = getline(&line, &capacity, file)) >= 0; number++)
        if (strspn(line, " \t\r\n") < (size_t)length)
            status = add_line(all, path, number, line, (size_t)length);
    if (!status && ferror(file))
        status = ordo_fail(ORDO_ERR_IO, "%s: %s", path, strerror(errno ? errno : EIO));
    if (!status && all->count == before)
        status = ordo_fail(ORDO_ERR_INPUT, "%s: no runs found, expected records of ordo compare", path);
    free(line);
    if (file != stdin)
        fclose(file);
    return status;
}

/* ---- what may be mixed ---- */

static ordo_status refuse(const saved_run *r, const saved_run *other, const char *what)
{
    return ordo_fail(ORDO_ERR_INPUT, "%s:%zu: %s than in %s:%zu, so the runs cannot be compared", r->path, r->line,
                     what, other->path, other->line);
}

static bool same_table(const saved_run *a, const saved_run *b)
{
    return !strcmp(a->app, b->app) && !strcmp(a->checksum, b->checksum);
}

/* A row of a table: the label, and what else may tell runs of one label apart. */
static bool same_row(const saved_run *a, const saved_run *b)
{
    return !strcmp(a->label, b->label) && !strcmp(a->commit, b->commit) && !strcmp(a->machine, b->machine) &&
           a->threads == b->threads;
}

static ordo_status check_pair(const saved_run *r, const saved_run *other)
{
    if (!strcmp(r->graph, other->graph) && strcmp(r->checksum, other->checksum) != 0 && !strcmp(r->app, other->app))
        return refuse(r, other, "the graph has the same name and other contents");
    if (!same_table(r, other))
        return ORDO_OK;
    if (strcmp(r->problem, other->problem) != 0)
        return refuse(r, other, "the app has other parameters");
    if (strcmp(r->label, other->label) != 0 || strcmp(r->scheduler, other->scheduler) != 0)
        return ORDO_OK;
    if (strcmp(r->sync, other->sync) != 0)
        return refuse(r, other, "a scheduler of the same label has another sync");
    if (strcmp(r->settings, other->settings) != 0 && !strcmp(r->commit, other->commit))
        return refuse(r, other, "a scheduler of the same label has other settings");
    return ORDO_OK;
}

/* ---- tables ---- */

typedef struct saved_table {
    const saved_runs *all;
    results results;
    const saved_run **row;     /* [results.count] the first run of each */
    const saved_run **session; /* [session_count] the first run of each */
    size_t *first_round;       /* [session_count] */
    size_t session_count;
} saved_table;

/* In the order of the list of schedulers; those of other calls after them. */
static int by_row(const void *a, const void *b)
{
    const saved_run *x = *(const saved_run *const *)a, *y = *(const saved_run *const *)b;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    return x->row != y->row ? x->row < y->row ? -1 : 1 : (x > y) - (x < y);
}

static int by_id(const void *a, const void *b)
{
    const ordo_u64 x = *(const ordo_u64 *)a, y = *(const ordo_u64 *)b;
    return (x > y) - (x < y);
}

static size_t find_source(results *r, const saved_run *run)
{
    for (size_t s = 0; s < r->source_count; s++)
        if (r->source[s] == run->source)
            return s;
    r->source[r->source_count] = run->source;
    return r->source_count++;
}

static size_t find_session(saved_table *t, const saved_run *run)
{
    for (size_t s = 0; s < t->session_count; s++)
        if (!strcmp(t->session[s]->session, run->session))
            return s;
    t->session[t->session_count] = run;
    t->first_round[t->session_count] = 0;
    return t->session_count++;
}

static int find_row(saved_table *t, const saved_run *run)
{
    for (int i = 0; i < t->results.count; i++)
        if (same_row(t->row[i], run))
            return i;
    t->row[t->results.count] = run;
    return t->results.count++;
}

/* What tells a row from others of the same label. */
static void extend_label(const saved_table *t, int i, int *machines)
{
    const saved_run *r = t->row[i];
    bool commit = false, threads = false, elsewhere = false;
    int number = 1;
    for (int k = 0; k < t->results.count; k++) {
        const saved_run *o = t->row[k];
        if (!strcmp(r->label, o->label)) {
            commit = commit || strcmp(r->commit, o->commit) != 0;
            threads = threads || r->threads != o->threads;
        }
        elsewhere = elsewhere || strcmp(r->machine, o->machine) != 0;
    }
    for (int k = 0; k < t->results.count && strcmp(t->row[k]->machine, r->machine) != 0; k++) {
        bool seen = false;
        for (int j = 0; j < k; j++)
            seen = seen || !strcmp(t->row[j]->machine, t->row[k]->machine);
        number += !seen;
    }
    char *label = t->results.entries[i].label;
    size_t used = (size_t)snprintf(label, LABEL, "%.100s", r->label);
    if (threads)
        used += (size_t)snprintf(label + used, LABEL - used, " /%lld", r->threads);
    if (commit)
        used += (size_t)snprintf(label + used, LABEL - used, " %.12s", r->commit);
    if (elsewhere)
        snprintf(label + used, LABEL - used, " on %d", number);
    *machines = elsewhere ? number : 0;
}

/* Finds rows, sources and sessions of the table of run `first`. */
static ordo_status shape(saved_table *t, size_t first)
{
    const saved_runs *all = t->all;
    results *r = &t->results;
    const saved_run *head = &all->run[first];
    r->source = malloc(all->count * sizeof *r->source);
    t->row = malloc(all->count * sizeof *t->row);
    t->session = malloc(all->count * sizeof *t->session);
    t->first_round = malloc((all->count + 1) * sizeof *t->first_round);
    if (!r->source || !t->row || !t->session || !t->first_round)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for %zu runs", all->count);
    snprintf(r->app, sizeof r->app, "%s", head->app);
    snprintf(r->graph, sizeof r->graph, "%s", head->graph);
    r->vertices = head->vertices;
    r->edges = head->edges;
    r->edge_bytes = head->edge_bytes;
    r->starts = head->starts;
    for (size_t i = first; i < all->count; i++) {
        const saved_run *run = &all->run[i];
        if (!same_table(run, head))
            continue;
        find_source(r, run);
        find_row(t, run);
        size_t s = find_session(t, run);
        if ((size_t)run->trial > t->first_round[s])
            t->first_round[s] = (size_t)run->trial; /* for now: how many rounds it has */
    }
    if (r->count > MAX_CANDIDATES)
        return ordo_fail(ORDO_ERR_INPUT, "%s: %d rows in a table, expected at most %d", head->path, r->count,
                         MAX_CANDIDATES);
    qsort(t->row, (size_t)r->count, sizeof(const saved_run *), by_row);
    qsort(r->source, r->source_count, sizeof *r->source, by_id);
    size_t rounds = 0;
    for (size_t s = 0; s < t->session_count; s++) {
        size_t own = t->first_round[s];
        t->first_round[s] = rounds;
        rounds += own;
    }
    r->entries = calloc((size_t)r->count, sizeof *r->entries);
    r->answer = calloc(r->source_count, sizeof *r->answer);
    if (!r->entries || !r->answer)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for %zu runs", all->count);
    return results_rounds(r, rounds);
}

static ordo_status fill(saved_table *t, size_t first)
{
    results *r = &t->results;
    for (int i = 0; i < r->count; i++)
        r->entries[i].checked = true;
    for (size_t i = first; i < t->all->count; i++) {
        const saved_run *run = &t->all->run[i];
        if (!same_table(run, &t->all->run[first]))
            continue;
        entry *e = &r->entries[find_row(t, run)];
        size_t source = find_source(r, run), round = t->first_round[find_session(t, run)] + (size_t)run->trial - 1;
        if (!isnan(e->times.at[round * r->source_count + source]))
            return ordo_fail(ORDO_ERR_INPUT, "%s:%zu: the run of %s was read before (session %s, round %lld)",
                             run->path, run->line, run->label, run->session, run->trial);
        ordo_stats stats = {.sync = run->sync,
                            .scheduler = run->chosen,
                            .peak_worklist_bytes = (ordo_u64)run->peak_worklist,
                            .backend = !run->here    ? ""
                                       : run->gpu[0] ? "cuda"
                                                     : "cpu",
                            .threads = (int)run->threads};
        snprintf(stats.device, sizeof stats.device, "%s", run->gpu);
        snprintf(stats.fallback, sizeof stats.fallback, "%s", run->fallback);
        snprintf(stats.chosen, sizeof stats.chosen, "%s", run->chosen);
        results_count(e, round, source, run->seconds, &stats);
        e->items += run->items;
        e->edges += run->edges_proposed;
        e->stale += run->stale;
        e->supersteps += run->supersteps;
        e->failed = e->failed || run->verified == 0;
        e->checked = e->checked && run->verified > 0;
        if (run->verified > 0 || !r->answer[source].field_count) {
            memcpy(r->answer[source].fields, run->fields, sizeof run->fields);
            r->answer[source].field_count = run->field_count;
        }
    }
    return ORDO_OK;
}

static void print_head(const saved_table *t, const int *machines)
{
    const results *r = &t->results;
    printf("App:                 %s\n", r->app);
    printf("Graph:               %s, %llu vertices, %llu edges\n", r->graph, (unsigned long long)r->vertices,
           (unsigned long long)r->edges);
    if (r->starts && r->source_count == 1)
        printf("Source:              %7llu\n", (unsigned long long)r->source[0]);
    int shown = 0;
    for (int i = 0; i < r->count; i++)
        if (machines[i] > shown) {
            shown = machines[i];
            printf("Machine %d:           %s\n", shown, t->row[i]->machine);
        }
}

static ordo_status one_table(const options *o, table *out, const saved_runs *all, size_t first)
{
    saved_table t = {.all = all};
    ordo_status status = shape(&t, first);
    int *machines = status ? NULL : calloc((size_t)t.results.count, sizeof *machines);
    for (int i = 0; i < t.results.count && machines; i++)
        extend_label(&t, i, &machines[i]);
    if (!status && !machines)
        status = ordo_fail(ORDO_ERR_MEMORY, "not enough memory for a table");
    if (!status)
        status = fill(&t, first);
    if (!status)
        status = results_baseline(&t.results, o->baseline);
    if (!status && out->text) {
        if (out->graphs)
            putchar('\n');
        print_head(&t, machines);
    }
    if (!status)
        status = table_finish(out, &t.results, false);
    results_free(&t.results);
    free(machines);
    free(t.row);
    free(t.session);
    free(t.first_round);
    return status;
}

static ordo_status check_all(const saved_runs *all)
{
    ordo_status status = ORDO_OK;
    size_t *kept = malloc((all->count + 1) * sizeof *kept),
           count = 0; /* one run of each kind is enough to compare with */
    for (size_t i = 0; i < all->count && kept && !status; i++) {
        const saved_run *r = &all->run[i];
        bool seen = false;
        for (size_t k = 0; k < count && !status; k++) {
            const saved_run *o = &all->run[kept[k]];
            status = check_pair(r, o);
            seen = seen || (same_table(r, o) && same_row(r, o) && !strcmp(r->graph, o->graph) &&
                            !strcmp(r->scheduler, o->scheduler));
        }
        if (!seen)
            kept[count++] = i;
    }
    free(kept);
    return kept ? status : ordo_fail(ORDO_ERR_MEMORY, "not enough memory for %zu runs", all->count);
}

ordo_status compare_saved(const options *o, table *out)
{
    saved_runs all = {0};
    ordo_status status = read_file(&all, o->from);
    for (int i = 0; i < o->word_count && !status; i++)
        status = read_file(&all, o->words[i]);
    if (!status)
        status = check_all(&all);
    for (size_t i = 0; i < all.count && !status; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = same_table(&all.run[k], &all.run[i]);
        if (!seen)
            status = one_table(o, out, &all, i);
    }
    if (!status && out->text)
        table_means(out);
    for (size_t i = 0; i < all.name_count; i++)
        free(all.names[i]);
    free(all.names);
    free(all.run);
    return status;
}
