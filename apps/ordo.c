/* ordo.c -- the command: finds the verb, runs it, prints the error, chooses the exit status.
 *
 * Exit statuses are those of ordo_status_exit(): 0 done, 1 failed verification, 2 usage, 3 bad input or output,
 * 4 memory, 5 device, 6 not done in time, 130 cancelled. Output that cannot be written is an error, never a silent
 * success.
 */
#include <stdlib.h>
#include <string.h>

#include <ordo/watch.h>

#include "apps/cli/cli.h"
#include "apps/cli/run_time/operator.h"

const cli_verb verbs[] = {
    {"run", "FILE GRAPH", "compiles an operator of yours, and runs it as an app", VERB_APP, verb_run_file},
    {"compare", "APP|FILE GRAPH...", "runs every scheduler on the same graphs, checks and compares them", VERB_COMPARE,
     verb_compare},
    {"report", "FILE... -o PAGE", "draws the runs and traces in files: one page with figures, for a browser",
     VERB_REPORT, verb_report},
    {"plot", "FIGURE FILE... -o PICTURE",
     "draws a figure of a report (speedup, parallelism, ...) as .svg, .pdf or .png", VERB_REPORT, verb_plot},
    {"tune", "APP|FILE GRAPH", "searches for settings of a scheduler that are faster than its own choice", VERB_TUNE,
     verb_tune},
    {"check-operator", "FILE", "tests what an operator of yours declares of itself, and shows a small counterexample",
     VERB_CHECK, verb_check_operator},
    {"new", "operator|scheduler NAME", "writes what to begin with, and a test of it", VERB_NEW, verb_new},
    {"bench", "ht|atm|sgd|machine|queue|lock-transfer [RATINGS]",
     "critical sections: servers against locks, checked; what the machine and queues can do", VERB_BENCH, verb_bench},
    {"gap", "GRAPH", "the kernels of the GAP Benchmark Suite by its rules, in its lines", VERB_GAP, verb_gap},
    {"generate", "KIND ... -o FILE", "makes a graph and writes it", VERB_GENERATE, verb_generate},
    {"convert", "IN OUT", "reads a graph and writes it in the format of OUT's suffix", VERB_CONVERT, verb_convert},
    {"sample", "IN OUT", "writes a part of a graph: a component, a ball, listed or random vertices", VERB_SAMPLE,
     verb_sample},
    {"partition", "GRAPH -k N", "divides the vertices of a graph, and says what each part holds", VERB_PARTITION,
     verb_partition},
    {"sat", "FORMULA", "looks for a satisfying assignment of a DIMACS .cnf formula, by survey propagation", VERB_SAT,
     verb_sat},
    {"points-to", "CONSTRAINTS", "what pointers of a program may point to: Andersen's inclusion-based analysis",
     VERB_POINTS, verb_points_to},
    {"refine", "FILE.node|.poly|.ele", "refines a triangle mesh until no angle is small", VERB_REFINE, verb_refine},
    {"info", "GRAPH", "what a graph holds, and the memory that each app would need", VERB_INFO, verb_info},
    {"schedulers", "", "lists the schedulers", VERB_LIST, verb_schedulers},
    {"operators", "", "lists the operators and the schedulers and syncs that can run them", VERB_LIST, verb_operators},
    {"help", "[VERB|SCHEDULER|OPERATOR]", "explains one; a scheduler with its tunables", VERB_LIST, verb_help},
    {"man", "[APP|VERB]", "prints a manual page, as troff", VERB_LIST, verb_man},
    {"complete", "-- [WORD...]", "prints how the last word may go on, for a shell", VERB_LIST, verb_complete},
    {"version", "", "prints version and commit", VERB_LIST, verb_version},
    {NULL, NULL, NULL, 0, NULL},
};

const cli_verb *find_verb(const char *name)
{
    for (const cli_verb *v = verbs; v->name; v++)
        if (!strcmp(v->name, name))
            return v;
    return NULL;
}

const ordo_app *find_app(const char *name)
{
    for (const ordo_app *const *app = ordo_built_apps; *app; app++)
        if (!strcmp((*app)->name, name))
            return *app;
    return NULL;
}

ordo_status find_app_or_file(const options *o, const char *name, const ordo_app **out)
{
    *out = find_app(name);
    if (*out)
        return ORDO_OK;
    if (run_time_is_file(name))
        return run_time_app(o, name, out);
    return unknown("app", name, verb_names(), "ordo help");
}

/* `explains`: the output is help or a list; a reader may close the pipe before its end. */
static ordo_status dispatch(int count, char **words, char **argv, bool *explains)
{
    const char *name = words[0];
    *explains = true;
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        print_usage(stdout);
        return ORDO_OK;
    }
    if (!strcmp(name, "--version"))
        return verb_version(NULL);

    const cli_verb *v = find_verb(name);
    const ordo_app *app = find_app(name);
    if (!v && !app)
        return unknown(name[0] == '-' ? "option" : "verb", name, verb_names(), "ordo help");

    static options o;
    *explains = v && v->verb == VERB_LIST;
    option_scope scope = app ? scope_of_app(VERB_APP, app) : scope_of_verb(v);
    ordo_status status = options_parse(&o, &scope, count - 1, words + 1);
    if (status)
        return status;
    *explains |= o.version || o.help;
    if (o.version)
        return verb_version(&o);
    if (o.help)
        return print_verb_help(name);
    if ((status = run_time_options(&o)))
        return status;
    if (app)
        o.app = app;
    if (gpus_wanted(&o))
        exit(gpus_run(&o, argv));
    if (!*explains && (status = group_join(&o, name)))
        return status;
    return app ? verb_run(&o) : v->run(&o);
}

int main(int argc, char **argv)
{
    static const ordo_watch watch = {.report = watch_report};
    process_start();
    ordo_watch_set(&watch);
    json_command_line(argc, argv);
    if (argc < 2) {
        print_usage(stderr);
        return ordo_status_exit(ORDO_ERR_USAGE);
    }
    bool explains;
    ordo_status status = dispatch(argc - 1, argv + 1, argv, &explains);
    clear_progress();
    if (status)
        group_complain(ordo_last_error()[0] ? ordo_last_error() : ordo_status_text(status));
    ordo_status written = flush_stdout();
    if (explains && stdout_reader_gone())
        written = ORDO_OK;
    if (written && !status)
        fprintf(stderr, "ordo: %s\n", ordo_last_error());
    const int exit_status = ordo_status_exit(status ? status : written);
    group_end(exit_status);
    return exit_status;
}
