/* points_to.c -- the verb points-to: reads constraints, finds what each pointer may point to, and reports; and `ordo
 * generate constraints`.
 */
#include "apps/cli/cli.h"

#include <math.h>
#include <string.h>

#include <ordo/scheduler/team.h>

ordo_status generate_constraints(const options *o)
{
    const double count = floor((o->ratio > 0 ? o->ratio : 1) * (double)o->variables + 0.5);
    ordo_constraints c;
    ordo_status status = ordo_constraints_generate(o->variables, (ordo_u64)count, o->seed, &c);
    if (status)
        return status;
    process_cancellable(true);
    status = ordo_constraints_write(o->output, &c);
    process_cancellable(false);
    if (!status && !(status = check_cancelled()) && !o->quiet)
        printf("Program of %u variables and %llu constraints\n", c.variables, (unsigned long long)c.count);
    ordo_constraints_free(&c);
    return status;
}

/* A line for each variable that points to something: its number, then those of the objects. */
static void put_sets(FILE *out, const ordo_points_to_sets *s)
{
    for (ordo_u32 v = 0; v < s->variables; v++) {
        if (!s->set[v])
            continue;
        fprintf(out, "%u", v);
        for (ordo_u64 i = s->row[s->set[v]]; i < s->row[s->set[v] + 1]; i++)
            fprintf(out, " %u", s->object[i]);
        putc('\n', out);
    }
}

static void print_sets(const points_to_record *r)
{
    printf("Program:             %s, %u variables, %llu constraints\n", r->file, r->constraints->variables,
           (unsigned long long)r->constraints->count);
    printf("Facts:               %llu, of %llu pointers, at most %llu each\n", (unsigned long long)r->facts,
           (unsigned long long)r->pointers, (unsigned long long)r->most);
    printf("Edges:               %llu, %llu added\n", (unsigned long long)r->found->edges,
           (unsigned long long)r->found->added);
    printf("Cycles:              %llu variables share the set of another one\n", (unsigned long long)r->found->joined);
    printf("Work:                %llu supersteps, %llu items, %llu unions, %llu bytes of sets\n",
           (unsigned long long)r->found->rounds, (unsigned long long)r->found->items,
           (unsigned long long)r->found->unions, (unsigned long long)r->found->bytes);
    print_time("Load Time", r->load_seconds);
    print_time("Run Time", r->seconds);
    if (r->verified) {
        print_time("Verification Time", r->verify_seconds);
        printf("Verification:        PASS\n");
    }
}

static void measure_sets(points_to_record *r)
{
    for (ordo_u32 v = 0; v < r->sets->variables; v++) {
        const ordo_u64 *const row = &r->sets->row[r->sets->set[v]], size = row[1] - row[0];
        r->facts += size;
        r->pointers += size > 0;
        r->most = size > r->most ? size : r->most;
    }
}

static ordo_status run_points_to(const options *o, points_to_record *r, ordo_constraints *c, ordo_points_to_sets *sets,
                                 ordo_points_to_found *found)
{
    const ordo_options run = {.threads = o->threads, .timeout = o->timeout, .cancel = &cancelled};
    double start = now();
    ordo_status status = ordo_constraints_read(r->file, c);
    r->load_seconds = now() - start;
    if (status)
        return status;
    process_cancellable(true);
    start = now();
    status = ordo_points_to(c, memory_available(), &run, sets, found);
    r->seconds = now() - start;
    process_cancellable(false);
    if (status)
        return status;
    measure_sets(r);
    start = now();
    if (o->verify)
        status = ordo_points_to_verify(c, sets);
    r->verify_seconds = now() - start;
    r->verified = o->verify && !status;
    return status;
}

ordo_status verb_points_to(const options *o)
{
    if (o->word_count != 1)
        return ordo_fail(ORDO_ERR_USAGE, "%d files given, expected one: constraints", o->word_count);
    sink json = {0}, out = {0};
    ordo_constraints c = {0};
    ordo_points_to_sets sets = {0};
    ordo_points_to_found found = {0};
    points_to_record r = {.file = o->words[0],
                          .constraints = &c,
                          .sets = &sets,
                          .found = &found,
                          .threads = o->threads ? o->threads : ordo_cores()};
    bool taken;
    ordo_status status = stdout_of(o, &taken);
    if (!status && o->json)
        status = sink_open(&json, o->json);
    if (!status && o->output)
        status = sink_open(&out, o->output);
    if (!status)
        status = run_points_to(o, &r, &c, &sets, &found);
    if (!status && out.file)
        put_sets(out.file, &sets);
    if (!status && json.file)
        status = json_write_points_to(&json, &r);
    if (!status && !o->quiet && !taken)
        print_sets(&r);
    status = sink_end(&json, sink_end(&out, status));
    ordo_points_to_free(&sets);
    ordo_constraints_free(&c);
    return status;
}
