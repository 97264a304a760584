/* sat.c -- the verb sat: reads a formula, looks for an assignment, checks it, and says what was found; and `ordo
 * generate ksat`.
 *
 * What is printed is what solvers of the SAT competitions print: lines 'c' for people, one line 's' with the answer,
 * and, in the file of --output, lines 'v' with the assignment. Exit status 0: the line 's' has the answer. 6: no
 * assignment was found, or not in time; there may be one.
 */
#include "apps/cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ordo_status generate_formula(const options *o)
{
    const double ratio = o->ratio > 0 ? o->ratio : 4.2;
    const double clauses = floor(ratio * (double)o->variables + 0.5);
    ordo_formula f;
    ordo_status status = ordo_formula_generate(o->variables, (ordo_u64)clauses, o->length ? o->length : 3, o->seed, &f);
    if (status)
        return status;
    process_cancellable(true);
    status = ordo_formula_write(o->output, &f);
    process_cancellable(false);
    if (!status && !(status = check_cancelled()) && !o->quiet)
        printf("Formula with %u variables and %u clauses (%.3f for each) of %u literals\n", f.variables, f.clauses,
               (double)f.clauses / (double)f.variables, o->length ? o->length : 3);
    ordo_formula_free(&f);
    return status;
}

ordo_status stdout_of(const options *o, bool *taken)
{
    const bool output = o->output && !strcmp(o->output, "-"), json = o->json && !strcmp(o->json, "-");
    *taken = output || json;
    return output && json ? ordo_fail(ORDO_ERR_USAGE, "--output - and --json - given, expected one of them") : ORDO_OK;
}

static const char *answer_name(ordo_sat_answer answer)
{
    return answer == ORDO_SAT_SATISFIABLE     ? "SATISFIABLE"
           : answer == ORDO_SAT_UNSATISFIABLE ? "UNSATISFIABLE"
                                              : "UNKNOWN";
}

/* Lines of the form that the competitions ask for: at most 78 bytes each. */
static void put_assignment(FILE *out, const ordo_u8 *value, ordo_u32 variables)
{
    int used = 0;
    for (ordo_u64 v = 0; v <= variables; v++) { /* the last number is 0 */
        char word[16];
        const int size = v == variables ? snprintf(word, sizeof word, " 0")
                                        : snprintf(word, sizeof word, value[v] ? " %u" : " -%u", (ordo_u32)v + 1);
        if (used && used + size > 78) {
            putc('\n', out);
            used = 0;
        }
        if (!used) {
            putc('v', out);
            used = 1;
        }
        fputs(word, out);
        used += size;
    }
    putc('\n', out);
}

static void put_answer(FILE *out, const sat_record *r, const ordo_u8 *value)
{
    fprintf(out, "s %s\n", answer_name(r->found->answer));
    if (r->found->answer == ORDO_SAT_SATISFIABLE)
        put_assignment(out, value, r->formula->variables);
}

static void print_found(const sat_record *r)
{
    const ordo_sat_found *f = r->found;
    const ordo_stats *s = r->stats;
    printf("c %s: %u variables, %u clauses, %u literals\n", r->file, r->formula->variables, r->formula->clauses,
           r->formula->row[r->formula->clauses]);
    if (s->op)
        printf("c surveys by '%s' under scheduler '%s' with sync '%s' on %s\n", s->op, s->scheduler, s->sync,
               s->device);
    printf("c tries %u, decimations %u (%u of surveys that still changed), rounds %llu\n", f->tries, f->decimations,
           f->unconverged, (unsigned long long)f->rounds);
    printf("c variables of the last try: %llu by surveys, %llu by unit propagation, %llu by local search\n",
           (unsigned long long)f->fixed, (unsigned long long)f->implied, (unsigned long long)f->searched);
    printf("c flips %llu\n", (unsigned long long)f->flips);
    printf("c seconds: load %.3f, search %.3f\n", r->load_seconds, r->seconds);
    printf("s %s\n", answer_name(f->answer));
}

static ordo_status run_sat(const options *o, sat_record *r, ordo_formula *f, ordo_u8 **value, ordo_sat_found *found,
                           ordo_stats *stats)
{
    const char *settings[MAX_SETTINGS];
    ordo_options run = run_options(o, o->scheduler, o->sync, settings);
    ordo_sat_query query = o->sat;
    query.seed = o->seed;
    double start = now();
    ordo_status status = ordo_formula_read(r->file, f);
    r->load_seconds = now() - start;
    if (status)
        return status;
    *value = malloc((size_t)f->variables + 1);
    if (!*value)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for %u variables", f->variables);
    process_cancellable_run(&run);
    start = now();
    status = ordo_sat(f, &query, &run, *value, found, stats);
    r->seconds = now() - start;
    process_cancellable(false);
    clear_progress();
    if (!status && found->answer == ORDO_SAT_SATISFIABLE)
        status = ordo_sat_verify(f, *value);
    return status;
}

ordo_status verb_sat(const options *o)
{
    if (o->word_count != 1)
        return ordo_fail(ORDO_ERR_USAGE, "%d files given, expected one: a formula", o->word_count);
    sink json = {0}, answer = {0};
    ordo_formula f = {0};
    ordo_u8 *value = NULL;
    ordo_sat_found found = {0};
    ordo_stats stats = {0};
    sat_record r = {.file = o->words[0], .formula = &f, .found = &found, .stats = &stats};
    bool taken;
    ordo_status status = stdout_of(o, &taken);
    if (!status && o->json)
        status = sink_open(&json, o->json);
    if (!status && o->output)
        status = sink_open(&answer, o->output);
    if (!status)
        status = run_sat(o, &r, &f, &value, &found, &stats);
    if (!status && answer.file)
        put_answer(answer.file, &r, value);
    if (!status && json.file)
        status = json_write_sat(&json, o, &r);
    if (!status && !o->quiet && !taken)
        print_found(&r);
    status = sink_end(&json, sink_end(&answer, status));
    if (!status && found.answer == ORDO_SAT_UNKNOWN)
        status = ordo_fail(ORDO_ERR_TIMEOUT, "no assignment was found in %u tries; there may be one", found.tries);
    ordo_stats_free(&stats);
    ordo_formula_free(&f);
    free(value);
    return status;
}
