/* cli.h -- what the files of the command `ordo` share: options, a loaded graph, the record of a run.
 *
 * The way of a call: options.c turns words into an `options`, one verb's file does the work (run.c, compare.c, bench.c,
 * graphs.c, sample.c, help.c, man.c, complete.c), text.c prints for people, json.c for programs, files.c writes files
 * aside and renames them. Functions return an ordo_status with the sentence set; only main prints it and chooses the
 * exit status.
 */
#ifndef ORDO_CLI_H
#define ORDO_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "apps/app.h"
#include "framework/graph/twister.h"

/* Both are given by the build. */
#ifndef ORDO_VERSION
#define ORDO_VERSION "unknown"
#endif
#ifndef ORDO_COMMIT
#define ORDO_COMMIT "unknown"
#endif

/* ---- options (options.c) ---- */

enum {
    VERB_APP = 1 << 0,
    VERB_COMPARE = 1 << 1,
    VERB_GENERATE = 1 << 2,
    VERB_CONVERT = 1 << 3,
    VERB_INFO = 1 << 4,
    VERB_SAMPLE = 1 << 5,
    VERB_BENCH = 1 << 6,
    VERB_LIST = 1 << 7 /* schedulers, operators, help, version: no options of their own */
};

/* GAP's seed: without another one the random sources are those of GAP's programs on the same graph. */
enum {
    DEFAULT_SEED = 27491095,
    MAX_SETTINGS = 64,
    MAX_GRAPHS = 256,
    GAP_WEIGHT = 255,
    MAX_OPTIONS = 96,
    MAX_CANDIDATES = 64,
    DEFAULT_REPEAT = 5
};

typedef struct options {
    int verb;
    const ordo_app *app; /* VERB_APP, VERB_COMPARE */
    const char *words[MAX_GRAPHS];
    int word_count; /* what is no option: graphs, a kind */

    /* the graph */
    const char *file, *generate;
    ordo_generate_options made; /* kind NULL: none asked for by -g, -u or the verb's own options */
    bool given[MAX_OPTIONS];    /* options.c's */
    ordo_edge_options edges;    /* high > 0: weights were asked for; options_edges() says what the library is told */
    bool drop_weights, trust, bipartite;
    const char *coordinates;

    /* info, and which vertices a sample has: one of the four */
    bool quick, largest;
    const char *induced, *ball, *names;
    double random; /* 0: not given */

    /* the runs */
    const char *scheduler, *schedulers, *sync, *device;
    const char *settings[MAX_SETTINGS];
    int setting_count;
    const char *delta; /* GAP's -d */
    int threads, repeat, warmup;
    const char *source, *sources, *path_to, *sink; /* parsed once the graph is there */
    ordo_flow_options flow;
    ordo_u64 seed;         /* of random sources, drawn weights, samples, made graphs */
    double limit, timeout; /* timeout 0: none */
    ordo_u32 k;            /* 0: none */
    double damping, tolerance;
    bool verify, no_verify, force, ids_of_file;
    ordo_verify_how how;

    /* bench */
    const char *collisions; /* NULL: the verb's own */
    ordo_u64 operations;
    ordo_u32 epochs, rank;
    double rate, decay, holdout;

    /* what comes out */
    const char *json, *output, *tree, *trace, *cut;
    bool trace_json, analysis, log, quiet, progress, help, version;
    bool stdout_taken; /* "-" is an output: standard output holds that and nothing else */
} options;

/* Words after the verb. ORDO_ERR_USAGE names the word at fault. */
ordo_status options_parse(options *o, int verb, int count, char **words);
/* What a `generate` asks for: its kind, and the options that belong to that kind. */
ordo_status options_made(const options *o, ordo_generate_options *out);
/* ORDO_ERR_USAGE where an option was given that the app does not take. */
ordo_status options_suit(const options *o, const ordo_app *app);
/* What is to be done to the edges of a file. `weights`: they are wanted. */
ordo_edge_options options_edges(const options *o, bool weights);
/* The kinds of graph that can be made, with their options, as the help shows them. */
void options_print_kinds(FILE *out);
/* The name of the index-th, NULL after the last. */
const char *options_kind(int index);
/* An option as help, manual and completion tell it. */
typedef struct cli_option {
    const char *name;     /* NULL: it has a letter alone */
    int letter;           /* 0: none */
    const char *argument; /* NULL: none; "FILE", "a|b|c"; optional: "[a|b|c]" */
    bool optional;
    const char *help;
} cli_option;
/* The next option of a verb; *at starts at 0. False after the last. */
bool options_next(int verb, int *at, cli_option *out);
/* The options of a verb as `ordo help VERB` shows them. */
void options_print(FILE *out, int verb);
/* The word of the list (ends with NULL) that is nearest to a misspelt one, or NULL. */
const char *near_match(const char *word, const char *const *list);
/* Whole words only; the whole text must be the number. */
bool parse_u64(const char *text, ordo_u64 *out);
/* Number, number of K, number of M; below 2^32. */
ordo_status parse_size(const char *name, const char *text, ordo_u64 *out);
bool parse_real(const char *text, double *out);

/* ---- graphs and vertices (load.c) ---- */

typedef struct loaded {
    ordo_graph *graph;
    ordo_graph_info info;
    bool generated;
    ordo_u64 id_base; /* what people call vertex 0: --ids */
} loaded;

/* `path` NULL: the generator of the options. `weights`: keep them, or draw GAP's for -g and -u. */
ordo_status load_graph(const options *o, const char *path, bool weights, loaded *out);
void load_free(loaded *g);
/* A graph of one vertex, to have options checked before a large one is read. */
ordo_status check_options_early(const options *o, const ordo_options *run);
ordo_status parse_vertex(const loaded *g, const char *what, const char *text, ordo_vid *out);
/* ids of a file, one a line; *out is malloc'ed. `what`: "source", for messages. */
ordo_status read_vertices(const loaded *g, const char *path, const char *what, ordo_vid **out, size_t *count);

/* A random source as GAP picks them: from std::mt19937_64 of the seed, only vertices with an edge out. */
ordo_status pick_source(ordo_twister64 *random, const ordo_graph *g, ordo_vid *out);

/* Refuses with ORDO_ERR_MEMORY and both numbers where more is needed than there is. */
ordo_status check_memory(const options *o, const char *what, ordo_u64 expected);
/* Bytes of the arrays that hold an answer. */
ordo_u64 answer_bytes(const ordo_app *app, const loaded *g, bool with_pred);

/* ---- what info finds out (survey.c) ---- */

enum { SWEEPS = 4, DEGREE_BUCKETS = 65 };

typedef struct survey {
    ordo_u64 least, without;            /* the least out-degree, vertices of out-degree 0 */
    ordo_u64 histogram[DEGREE_BUCKETS]; /* [0]: degree 0; [i]: 2^(i-1) to 2^i - 1 */
    int buckets;                        /* the last one that is not empty, and one */
    bool ran;                           /* what follows is known */
    char why[512];                      /* else why not; "" with --quick */
    ordo_u64 components, largest;       /* weak components, vertices of the largest */
    ordo_u64 hops;                      /* the most that any sweep needed */
    int sweeps;
} survey;
/* Runs apps unless --quick was given or memory is short. */
ordo_status survey_graph(const options *o, const loaded *g, survey *out);
/* The component of the most vertices (of those the one with the least id in it) and how many they are; components:
 * [n] of ordo_cc. *count is the number of components. ORDO_ERR_MEMORY. */
ordo_status largest_component(const ordo_u32 *components, ordo_u64 n, ordo_vid *which, ordo_u64 *size, ordo_u64 *count);
/* Room for ordo_cc and its answer, or ORDO_ERR_MEMORY; then the components, malloc'ed. */
ordo_status find_components(const options *o, const loaded *g, ordo_u32 **out);

/* ---- the process (process.c) ---- */

typedef struct machine {
    char cpu[128], kernel[160], compiler[96], system[72];
    int cores;
    ordo_u64 memory;
} machine;
void machine_get(machine *m);
ordo_u64 memory_available(void);
ordo_u64 peak_rss(void);
double now(void);

/* Nonzero once SIGINT or SIGTERM came. */
extern volatile int cancelled;
void process_start(void);
/* While `on`, a signal sets the flag and a second one ends the process; otherwise the first one ends it, after
 * removing the file being written. */
void process_cancellable(bool on);
ordo_status check_cancelled(void);
/* Adds (or takes back) a file to remove when a signal ends the process. */
void process_guard(const char *path, bool on);

/* ---- a run's record ---- */

typedef struct record {
    const loaded *graph;
    const ordo_app *app;
    ordo_vid source, sink;
    const options *o;
    const ordo_stats *stats;
    const ordo_answer *answer;
    ordo_u64 expected, at_most; /* predicted bytes */
    double trial_seconds;       /* the app's call, less what is done once a graph */
    double verify_seconds;
    int verified; /* 1, 0, or -1: not asked for */
    int trial;
    const ordo_vid *path; /* with --path-to */
    ordo_u64 path_length;
    ordo_vid path_to;
    const char *bench;                 /* bench: which one; graph and app may be NULL, */
    ordo_u64 collisions, operations;   /* sgd: 0, ratings used in an epoch */
    double rmse, rmse_held, rmse_mean; /* sgd: on those, on those held out, and of these if all were the mean */
} record;

/* One run of an app and, where asked for, its verification; fills the record, which the caller set up. `shown` is the
 * name for progress. A failed verification is no error here: r->verified is 0 and ordo_last_error() says why. */
ordo_status run_once(record *r, const ordo_app_input *input, const ordo_options *run, bool verify, ordo_answer *answer,
                     ordo_stats *stats);
/* Options for the library. `settings` has room for MAX_SETTINGS. */
ordo_options run_options(const options *o, const char *scheduler, const char *sync, const char **settings);
/* One that takes part where several do: NAME or NAME:SYNC. It stays where it is: `run` points into it. */
typedef struct candidate {
    char scheduler[48], sync[16]; /* sync empty: the scheduler's default */
    const char *settings[MAX_SETTINGS];
    ordo_options run;
} candidate;
/* Those of the list of names (or "all"), [MAX_CANDIDATES]; every setting must reach one of them. */
ordo_status find_candidates(const options *o, const char *names, candidate *list, int *count);
/* Sorts the values, too; count > 0. */
double median_of(double *values, size_t count);
/* The sources that runs start from: given, of a file, or `count` random ones; *out is malloc'ed. */
ordo_status choose_sources(const options *o, const loaded *g, size_t count, ordo_vid **out, size_t *chosen);
/* What a run from that source is given; the sink is the one asked for, or the graph's. */
ordo_status app_input(const options *o, const loaded *g, ordo_vid source, ordo_app_input *out);
/* Refuses options of source, sink and paths that the app does not take. */
ordo_status check_terminals(const options *o, const ordo_app *app);
void free_answer(ordo_answer *answer);
/* The file that the options name, or NULL for a made graph; refuses none and two. `first` is the first word that may
 * name one. */
ordo_status one_graph(const options *o, int first, const char **path);
/* Writes a graph; what is left of it is removed where a signal ends the process (graphs.c). */
ordo_status write_graph(const options *o, const loaded *g, const char *path, double *seconds);

/* ---- files (files.c) ---- */

/* A file written beside its name and renamed at the end, or standard output for "-". */
typedef struct sink {
    FILE *file;
    const char *path;
    char *target; /* what is replaced at the end: the file that `path` names, through links */
    char *aside;  /* NULL: standard output, or a device or pipe that cannot be renamed over */
} sink;
ordo_status sink_open(sink *s, const char *path);
/* Keeps what was written where `keep`; otherwise leaves no trace. */
ordo_status sink_close(sink *s, bool keep);
ordo_status sink_flush(sink *s);
/* One value a line, or a NumPy array where the path ends in .npy. The sink is closed by its owner. Edges: a line is
 * tail, head and weight; in an array their indices. What flows on edges: a DIMACS solution, which counts from 1; an
 * array in the order of the edges. */
void write_values(sink *s, const loaded *g, const ordo_app *app, const ordo_answer *answer);
void write_tree(sink *s, const loaded *g, const ordo_answer *answer);
void write_cut(sink *s, const ordo_answer *answer);
void write_trace(sink *s, const ordo_stats *stats);
/* Flushes standard output; ORDO_ERR_IO if anything printed there was lost. */
ordo_status flush_stdout(void);

/* ---- JSON (json.c) ---- */

void json_command_line(int argc, char **argv);
ordo_status json_write_run(sink *s, const record *r);
/* One run of a benchmark; sgd: one epoch. */
ordo_status json_write_bench(sink *s, const record *r);
ordo_status json_write_info(sink *s, const loaded *g, const options *o, const survey *found);

/* ---- text (text.c) ---- */

void print_label(const char *label, const char *value);
void print_time(const char *label, double seconds);
void print_graph(const loaded *g);
/* Where weights are from: "none", "stored" (in the file), "made" with the graph, or the words that drew them. */
const char *weights_origin(const loaded *g);
/* What was left out on the way to the graph, where anything was. */
void print_dropped(const ordo_graph_info *i);
void print_run(const record *r);
void print_fields(const ordo_answer *answer);
void print_analysis(const record *r);
void print_log(const ordo_stats *stats);
void format_bytes(double bytes, char out[32]);
void format_count(ordo_u64 count, char out[32]);
const char *type_name(ordo_type type);
/* Prints a line of progress on stderr, over the last one; `arg` is the app's name. */
void show_progress(void *arg, const ordo_progress *p);
void show_phase(const options *o, const char *what, const char *name);
void clear_progress(void);
bool progress_wanted(const options *o);

/* ---- verbs ---- */

ordo_status verb_run(const options *o);
ordo_status verb_compare(const options *o);
ordo_status verb_bench(const options *o);
ordo_status verb_generate(const options *o);
ordo_status verb_convert(const options *o);
ordo_status verb_info(const options *o);
ordo_status verb_sample(const options *o);
ordo_status verb_schedulers(const options *o);
ordo_status verb_operators(const options *o);
ordo_status verb_help(const options *o);
ordo_status verb_man(const options *o);
ordo_status verb_complete(const options *o);
ordo_status verb_version(const options *o);
void print_usage(FILE *out);
ordo_status print_verb_help(const char *name);
/* The formats that are read, or those that are written, with their suffixes. */
void print_formats(FILE *out, bool read);
/* Whether a verb's help has that list; VERB_APP for apps. */
bool reads_graphs(int verb);
bool writes_graphs(int verb);
/* Examples, a line each, indented; exit statuses in a sentence. */
extern const char usage_examples[], usage_statuses[];

/* A verb of the command that is no app. */
typedef struct cli_verb {
    const char *name, *arguments, *summary;
    int verb;
    ordo_status (*run)(const options *o);
} cli_verb;
extern const cli_verb verbs[]; /* ends with name NULL */
/* NULL where there is none. */
const cli_verb *find_verb(const char *name);
const ordo_app *find_app(const char *name);
/* Verbs and apps, ended by NULL, for near_match. */
const char *const *verb_names(void);
/* Names of all schedulers, ended by NULL. */
const char *const *scheduler_names(void);
/* One of them, or auto. */
bool known_scheduler(const char *name);
/* ORDO_ERR_UNKNOWN with a near match, where there is one. */
ordo_status unknown(const char *what, const char *word, const char *const *list, const char *see);

#endif
