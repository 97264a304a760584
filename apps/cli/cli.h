/* cli.h -- what the files of the command `ordo` share: options, a loaded graph, the record of a run.
 *
 * The steps of a call: options/parse.c turns words into an `options`, one verb's file does the work (run.c, compare.c,
 * bench.c, gap.c, graphs.c, sample.c, help.c, man.c, complete.c; run_time/ for operators' files), text.c prints for
 * people, json.c for programs, files.c writes files and renames them. Functions return an ordo_status with the error
 * message set; only main prints it and chooses the exit status.
 */
#ifndef ORDO_CLI_H
#define ORDO_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include <ordo/distributed.h>
#include <ordo/partition.h>
#include <ordo/points_to.h>
#include <ordo/sat.h>
#include <ordo/version.h>
#include <ordo/trace.h>

#include "apps/app.h"
#include "framework/graph/twister.h"
#include "framework/graph/writer.h"
#include "framework/run/output.h"

/* ---- options (options/) ---- */

enum {
    VERB_APP = 1 << 0,
    VERB_COMPARE = 1 << 1,
    VERB_GENERATE = 1 << 2,
    VERB_CONVERT = 1 << 3,
    VERB_INFO = 1 << 4,
    VERB_SAMPLE = 1 << 5,
    VERB_BENCH = 1 << 6,
    VERB_TUNE = 1 << 8,
    VERB_CHECK = 1 << 9, /* check-operator */
    VERB_NEW = 1 << 10,
    VERB_GAP = 1 << 11,
    VERB_PARTITION = 1 << 12,
    VERB_REPORT = 1 << 13, /* report, plot */
    VERB_SAT = 1 << 14,
    VERB_POINTS = 1 << 15, /* points-to */
    VERB_REFINE = 1 << 16,
    VERB_LIST = 1 << 7 /* schedulers, operators, help, version: no options of their own */
};

/* GAP's seed: with it the random sources are those of GAP's programs on the same graph. */
enum {
    DEFAULT_SEED = 27491095,
    MAX_SETTINGS = 64,
    MAX_GRAPHS = 256,
    GAP_WEIGHT = 255,
    MAX_OPTIONS = 160,
    MAX_CANDIDATES = 256,
    MAX_OWN = 16, /* settings of one contender */
    MAX_SWEEPS = 8,
    MOST_THREADS = 1024,
    MOST_SOURCES = 1000000,
    MOST_RUNS = 1000000,
    SUMMED_SOURCES = 4, /* of an app that sums over sources, where none are given: GAP's -i 4 */
    LABEL = 160,        /* bytes of a contender's label */
    DEFAULT_REPEAT = 5
};

typedef struct options {
    int verb;
    const ordo_app *app; /* VERB_APP, VERB_COMPARE */
    const char *words[MAX_GRAPHS];
    int word_count; /* words that are not options: graphs, a kind */

    /* the graph */
    const char *file, *generate;
    ordo_generate_options made; /* kind NULL: none requested by -g, -u or the verb's own options */
    bool given[MAX_OPTIONS];    /* by row of the table of options */
    ordo_edge_options edges;    /* high > 0: weights are to be drawn; options_edges() makes the library's options */
    bool drop_weights, trust, bipartite, round;
    const char *coordinates, *columns;

    /* info; the vertices of a sample: one of the four */
    bool quick, largest;
    const char *induced, *ball, *names;
    double random; /* 0: not given */

    /* partition */
    ordo_u32 parts; /* 0: not given */
    const char *method, *partition;
    ordo_u64 gpus; /* ranks; 0: not given */

    /* refine */
    double min_angle, max_area;
    ordo_u64 points, max_triangles; /* 0: not given */

    /* the runs */
    const char *scheduler, *schedulers, *sync, *device, *items;
    const char *settings[MAX_SETTINGS];
    int setting_count;
    const char *states[MAX_SETTINGS]; /* of an operator that is compiled at run time */
    int state_count;
    ordo_u64 new_edges, new_items; /* 0: not given */
    const char *delta;             /* GAP's -d */
    const char *sweeps[MAX_SWEEPS];
    int sweep_count;
    const char *thread_list; /* compare, bench queue: --threads as it was given */
    int threads, repeat, warmup;
    const char *source, *sources, *sources_at_once, *target, *path_to, *sink; /* parsed once the graph is there */
    ordo_flow_options flow;
    ordo_u64 stop_after;   /* 0: none */
    ordo_u64 seed;         /* of random sources, drawn weights, samples, generated graphs */
    double limit, timeout; /* timeout 0: none */
    ordo_u32 k;            /* 0: none */
    double damping, tolerance;
    ordo_u32 rounds; /* the most */
    bool verify, no_verify, force, ids_of_file;
    ordo_verify_how how;

    /* sat, and generated formulas and constraints */
    ordo_sat_query sat;
    ordo_u64 variables;
    ordo_u32 length; /* 0: 3 */
    double ratio;    /* 0: the kind's */

    /* bench */
    const char *collisions;             /* NULL: the verb's default */
    const char *batches;                /* likewise */
    const char *block_list, *lane_list; /* likewise */
    const char *held, *section;         /* likewise */
    double remote;                      /* bench queue over several GPUs */
    ordo_u64 operations;
    ordo_u32 epochs, rank;
    double rate, decay, holdout;

    /* output */
    const char *json, *output, *tree, *nearest, *trace, *cut;
    const char *kernels;                            /* gap; NULL: all */
    const char *baseline, *csv, *svg, *save, *from; /* compare */
    double adaptive;                                /* compare: seconds; 0: --repeat alone */
    double search_seconds;                          /* tune */
    ordo_u64 trials;                                /* check-operator: of each property */
    double trace_period;                            /* seconds; 0: chosen */
    bool trace_json, counters, analysis, log, quiet, progress, help, version;
    bool stdout_taken; /* "-" is an output: standard output holds that and nothing else */
} options;

/* Traits of an app or a benchmark, which decide the options that it takes. */
enum {
    TRAIT_GRAPH = 1 << 0,
    TRAIT_SOURCE = 1 << 1,
    TRAIT_TERMINALS = 1 << 2,
    TRAIT_NO_TERMINALS = 1 << 3,
    TRAIT_PATHS = 1 << 4,
    TRAIT_K = 1 << 5,
    TRAIT_RANKS = 1 << 6,
    TRAIT_SECTIONS = 1 << 7, /* bench ht, atm */
    TRAIT_RATINGS = 1 << 8,  /* bench sgd */
    TRAIT_MACHINE = 1 << 9,  /* bench machine */
    TRAIT_TREE = 1 << 11,
    TRAIT_AT_ONCE = 1 << 12, /* one answer from several sources */
    TRAIT_ROUNDS = 1 << 13,
    TRAIT_QUEUE = 1 << 14,    /* bench queue */
    TRAIT_TRANSFER = 1 << 15, /* bench lock-transfer */
    TRAIT_STATE = 1 << 10     /* an operator's file */
};
/* A verb of the command that is not an app. */
typedef struct cli_verb {
    const char *name, *arguments, *summary;
    int verb;
    ordo_status (*run)(const options *o);
} cli_verb;
extern const cli_verb verbs[]; /* ends with name NULL */

/* Whose options: of a verb, and of one of its apps or benchmarks where that is known. */
typedef struct option_scope {
    const char *name; /* "sssp", "compare" */
    int verb;
    unsigned traits; /* 0: of all apps or benchmarks */
} option_scope;
option_scope scope_of_app(int verb, const ordo_app *app);
option_scope scope_of_verb(const cli_verb *v);
option_scope scope_of_benchmark(const char *name);
/* Parses the words after the verb. ORDO_ERR_USAGE names the wrong word. */
ordo_status options_parse(options *o, const option_scope *s, int count, char **words);
bool options_given(const options *o, const char *name);
/* The library's options of `generate`: the kind, and the options that belong to it. */
ordo_status options_made(const options *o, ordo_generate_options *out);
/* ORDO_ERR_USAGE where an option was given that the scope's app or benchmark does not take. */
ordo_status options_suit(const options *o, const option_scope *s);
/* The edge transforms for the edges of a file. `weights`: the app uses weights. */
ordo_edge_options options_edges(const options *o, bool weights);
/* Prints the kinds of graphs that can be generated, with their options, for the help. */
void options_print_kinds(FILE *out);
/* The name of the index-th, NULL after the last. */
const char *options_kind(int index);
/* False where the option shapes other kinds and not this one. */
bool options_kind_takes(const char *kind, const char *name);
/* An option as help, manual and completion show it. */
typedef struct cli_option {
    const char *name;     /* NULL: it has only a letter */
    int letter;           /* 0: none */
    const char *argument; /* NULL: none; "FILE", "a|b|c"; optional: "[a|b|c]" */
    bool optional, repeats;
    int group; /* options of one group exclude each other; 0: no group */
    char help[192];
} cli_option;
/* The next option of a scope; *at starts at 0. False after the last. */
bool options_next(const option_scope *s, int *at, cli_option *out);
/* Prints the options of a scope, for `ordo help VERB`. */
void options_print(FILE *out, const option_scope *s);
/* The word of the list (ends with NULL) that is nearest to a misspelt one, or NULL. */
const char *near_match(const char *word, const char *const *list);
/* Parse numbers; the whole text must be the number. */
bool parse_u64(const char *text, ordo_u64 *out);
ordo_status parse_whole(const char *name, const char *text, ordo_u64 least, ordo_u64 most, ordo_u64 *out);
/* Number, number of K, number of M; below 2^32. */
ordo_status parse_size(const char *name, const char *text, ordo_u64 *out);

/* ---- several processes (group.c) ---- */

/* Joins the MPI job that started this process, if one did. ORDO_ERR_USAGE for what is no app. `name`: the verb. */
ordo_status group_join(const options *o, const char *name);
/* What a rank other than 0 would write goes nowhere. */
void group_silence(options *o);
/* Prints an error; ranks other than 0 wait a moment first, with their number. */
void group_complain(const char *text);
/* Whether what the options ask for runs over several ranks. */
bool group_suits(const options *o);
/* NULL where this process is alone. */
ordo_group *group_here(void);
/* The same where each rank is to read the rows that it owns alone; else NULL. Known after group_silence(). */
ordo_group *group_of_rows(void);
/* Whether these rows may be in a block-cyclic distribution (ordo_read_options.cyclic). */
bool group_rows_cyclic(const options *o);
/* Ends the part in the job. With an exit status other than 0 all processes of the job end, and this does not return. */
void group_end(int status);

/* ---- graphs and vertices (load.c) ---- */

typedef struct loaded {
    ordo_graph *graph;
    ordo_graph_info info;
    bool generated;
    ordo_u64 id_base; /* the number of vertex 0 for the user: --ids */
} loaded;

/* Loads a graph; `path` NULL: by the generator of the options. `weights`: keep them, or draw GAP's for -g and -u. */
ordo_status load_graph(const options *o, const char *path, bool weights, loaded *out);
void load_free(loaded *g);
/* --gpus (gpus.c): whether this process is to start the ranks; starts them, and returns the exit status. */
bool gpus_wanted(const options *o);
int gpus_run(const options *o, char **argv);
/* Whether this rank has read its own rows, and the app turns out to need all: then all ranks are to read the graph
 * again, which reads all rows. */
bool group_lacks_rows(const options *o, const ordo_options *run, const loaded *g);
/* Sets the owner of each vertex, as --partition asks. */
ordo_status group_divide(const options *o, const loaded *g);
/* Makes a graph in which the vertices of a part follow each other, on which renumbered_run() runs from then on, until
 * renumbered_end() (renumbered.c). part[v], the part of each vertex, becomes that of each vertex of this graph. */
ordo_status renumbered_by_parts(const options *o, const loaded *g, ordo_u32 *part, ordo_u32 parts);
/* app->run, on that graph where there is one; input and answer are in the ids of the given graph. */
ordo_status renumbered_run(const ordo_app *app, const ordo_app_input *input, const ordo_options *run,
                           ordo_answer *answer, ordo_stats *stats);
void renumbered_end(void);
/* A graph of one vertex, with weights of the type that the app reads. */
ordo_status tiny_graph(const ordo_app *app, ordo_graph **out);
/* Checks options on such a graph before a large one is read. */
ordo_status check_options_early(const options *o, const ordo_options *run);
ordo_status parse_vertex(const loaded *g, const char *what, const char *text, ordo_vid *out);
/* Reads ids from a file, one on each line; *out is malloc'ed. `what`: "source", for messages. */
ordo_status read_vertices(const loaded *g, const char *path, const char *what, ordo_vid **out, size_t *count);

/* Random sources as GAP picks them: from std::mt19937_64 of the seed, only vertices with an out-edge. */
ordo_status pick_source(ordo_twister64 *random, const ordo_graph *g, ordo_vid *out);

/* ORDO_ERR_MEMORY, with both numbers, where more is needed than is available. */
ordo_status check_memory(const options *o, const char *what, ordo_u64 expected);
/* Bytes of the arrays that hold an answer. */
ordo_u64 answer_bytes(const ordo_app *app, const loaded *g, bool with_pred);

/* ---- statistics of `ordo info` (graph_stats.c) ---- */

enum { SWEEPS = 4, DEGREE_BUCKETS = 65 };

typedef struct graph_stats {
    ordo_u64 least, without;            /* the least out-degree, vertices of out-degree 0 */
    ordo_u64 histogram[DEGREE_BUCKETS]; /* [0]: degree 0; [i]: 2^(i-1) to 2^i - 1 */
    int buckets;                        /* the last one that is not empty, plus 1 */
    bool ran;                           /* the following fields are set */
    char why[512];                      /* otherwise the reason; "" with --quick */
    ordo_u64 components, largest;       /* weak components, vertices of the largest */
    ordo_u64 hops;                      /* the largest distance that a sweep found */
    int sweeps;
} graph_stats;
/* Runs apps unless --quick was given or memory is short. */
ordo_status graph_stats_of(const options *o, const loaded *g, graph_stats *out);
/* The largest component (of several, the one with the least id) and its number of vertices; components: [n] of ordo_cc.
 * *count is the number of components. Errors: ORDO_ERR_MEMORY. */
ordo_status largest_component(const ordo_u32 *components, ordo_u64 n, ordo_vid *which, ordo_u64 *size, ordo_u64 *count);
/* Checks the memory for ordo_cc and its answer (ORDO_ERR_MEMORY), then computes the components, malloc'ed. */
ordo_status find_components(const options *o, const loaded *g, ordo_u32 **out);

/* ---- partitions (partition.c) ---- */

typedef struct partition_sums {
    ordo_u64 edges, cut, ghosts, empty;  /* empty: parts without a vertex */
    double vertex_balance, edge_balance; /* of the largest part over the mean */
} partition_sums;
partition_sums partition_sum(const ordo_part *of, ordo_u32 parts);

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
/* While `on`, a signal sets the flag; the process ends if the work does not end within GRACE_MS, or at a second signal.
 * Otherwise the first signal ends it. Files that are being written are then removed, except for complete parts. */
enum { GRACE_MS = 100 };
void process_cancellable(bool on);
/* While `on`, what is not cancellable work by itself is so, too: a series of runs that looks at the flag between them.
 */
void process_cancellable_between(bool on);
/* The same for a run. On a device there is no such limit: the back end has its own. */
void process_cancellable_run(const ordo_options *run);
ordo_status check_cancelled(void);
/* Sets the text that is printed on standard output if a signal ends the process; NULL: none. The text is copied. */
void process_last_words(const char *text);

/* ---- a run's record ---- */

/* What a run of `bench lock-transfer` has found; see operators/lock_transfer.h. */
typedef struct lock_transfer_seen {
    int locks_held;
    ordo_u64 steps, handovers, longest_wait_ns, longest_wait_served;
    double handover_ns, share, wait_ns, held_ns;
} lock_transfer_seen;

typedef struct record {
    const loaded *graph;
    const ordo_app *app;
    ordo_vid source, sink;
    size_t at_once; /* sources at once, instead of `source`; 0: none */
    const options *o;
    const ordo_stats *stats;
    const ordo_trace *trace; /* NULL: none is asked for */
    const ordo_answer *answer;
    ordo_u64 expected, at_most; /* predicted bytes */
    double trial_seconds;       /* the app's call without preparation that is done once for each graph */
    double verify_seconds;
    int verified; /* 1, 0, or -1: not asked for */
    int trial;
    const char *label;    /* compare: of the contender; else NULL */
    const char *session;  /* compare: the same in all records of a call; else NULL */
    int row;              /* compare: of the contender, from 1; else 0 */
    const ordo_vid *path; /* with --path-to */
    ordo_u64 path_length;
    ordo_vid path_to;
    const char *bench;                  /* bench: its name; graph and app may be NULL */
    ordo_u64 collisions, operations;    /* sgd: 0, ratings used in an epoch */
    const lock_transfer_seen *transfer; /* lock-transfer */
    double rmse, rmse_held,
        rmse_mean; /* sgd: for those, for those held out, and for these if all were predicted as the mean */
} record;

/* Runs an app once and verifies it where requested; fills the record, which the caller has set up. `shown` is the name
 * for progress. A failed verification is not an error here: r->verified is 0, and ordo_last_error() has the reason. */
ordo_status run_once(record *r, const ordo_app_input *input, const ordo_options *run, bool verify, ordo_answer *answer,
                     ordo_stats *stats);
/* Options for the library. settings[MAX_SETTINGS]. */
ordo_options run_options(const options *o, const char *scheduler, const char *sync, const char **settings);

/* A contender of compare or bench (contenders.c). Must not be moved: `run` points into it. */
typedef struct candidate {
    char label[LABEL];            /* in the form of --schedulers; no two have the same */
    char scheduler[48], sync[16]; /* sync empty: the scheduler's default */
    char device[8];               /* empty: as the options say */
    char items[12];               /* empty: the operator's */
    int threads;                  /* 0: as the options say */
    char own[MAX_OWN][64];        /* [own_count] its own settings, which override those of all */
    int own_count;
    const char *settings[MAX_SETTINGS];
    ordo_options run;
} candidate;
/* Fills candidates[MAX_CANDIDATES] from a list of names (or "all") and the options that multiply them; every setting
 * must apply to one of them. */
ordo_status find_candidates(const options *o, const char *names, candidate *list, int *count);
/* Fills `settings` and `run` from the options and the other members. */
void candidate_options(const options *o, candidate *c);
/* The sources of runs: given, from a file, as many random ones as --sources says, or `count`; *out is malloc'ed. */
ordo_status choose_sources(const options *o, const loaded *g, size_t count, ordo_vid **out, size_t *chosen);
/* Makes the input of a run from that source; the sink is the given one, or the graph's. */
ordo_status app_input(const options *o, const loaded *g, ordo_vid source, ordo_app_input *out);
/* Refuses options of source, sink and paths that the app does not take. */
ordo_status check_terminals(const options *o, const ordo_app *app);
void free_answer(ordo_answer *answer);
/* The file that the options name, or NULL for a generated graph; refuses none and two. `first` is the index of the
 * first word that may name one. */
ordo_status one_graph(const options *o, int first, const char **path);
/* Writes a graph (graphs.c). */
ordo_status write_graph(const options *o, const loaded *g, const char *path, double *seconds);

/* ---- files (files.c) ---- */

/* A file that is written to a temporary file and renamed at the end, or standard output for "-". */
typedef struct sink {
    FILE *file;
    const char *path;
    ordo_output out; /* standard output has none */
    int threads;     /* for sink_parts; 0: one a core */
    int error;       /* errno of the first failure there */
} sink;
ordo_status sink_open(sink *s, const char *path);
/* A file that lines are added to as they are; sink_whole() after each. Errors: ORDO_ERR_IO. */
ordo_status sink_append(sink *s, const char *path);
/* Closes it; with `keep` the file is kept, otherwise removed. */
ordo_status sink_close(sink *s, bool keep);
/* Closes it at the end of a call that has come to `status`; the file is kept if that is ORDO_OK. Returns `status`, with
 * the line of its error, or the error of closing. */
ordo_status sink_end(sink *s, ordo_status status);
ordo_status sink_flush(sink *s);
/* Writes a list of items by several threads, as ordo_put_parts does. Failures are told by what flushes or closes. */
void sink_parts(sink *s, ordo_u64 items, ordo_u64 bytes, ordo_part_writer *put, const void *arg);
/* Flushes; what was written so far is kept if a signal ends the process. */
ordo_status sink_whole(sink *s);
/* Writes an answer: one value on each line, or a NumPy array where the path ends in .npy. The sink is closed by its
 * owner. Edges: a line is tail, head and weight; an array holds their indices. Flows: a DIMACS solution, with vertices
 * from 1; an array in the order of the edges. */
void write_values(sink *s, const loaded *g, const ordo_app *app, const ordo_answer *answer);
/* Writes an array of vertices: predecessors, or sources. */
void write_vertices(sink *s, const loaded *g, const ordo_vid *vertices, ordo_u64 count);
void write_cut(sink *s, const ordo_answer *answer);
/* Flushes standard output; ORDO_ERR_IO if anything printed there was lost. */
ordo_status flush_stdout(void);
/* Whether that was because the reader has closed the pipe. */
bool stdout_reader_gone(void);

/* ---- formulas (sat.c) ---- */

/* For sat and points-to: *taken is whether --output or --json is standard output; ORDO_ERR_USAGE where both are. */
ordo_status stdout_of(const options *o, bool *taken);
/* `ordo generate ksat`. */
ordo_status generate_formula(const options *o);
/* `ordo generate constraints` (points_to.c). */
ordo_status generate_constraints(const options *o);

/* ---- JSON (json.c) ---- */

void json_command_line(int argc, char **argv);
ordo_status json_write_run(sink *s, const record *r);
/* One run of a benchmark; sgd: one epoch. */
ordo_status json_write_bench(sink *s, const record *r);
/* One run of `bench queue`. */
typedef struct queue_record {
    const char *queue, *pattern;
    int threads, trial;
    ordo_u32 batch, blocks, lanes; /* of the GPU; blocks 0: on the CPU */
    ordo_u64 places, operations;
    int gpus;          /* in a command over several: of this run; else 0 */
    bool staged;       /* of a run over several GPUs */
    double remote;     /* likewise */
    ordo_u64 messages; /* likewise */
    double seconds;
    bool verified;
} queue_record;
ordo_status json_write_queue(sink *s, const queue_record *r);
ordo_status json_write_info(sink *s, const loaded *g, const options *o, const graph_stats *found);
/* A run of `sat` on the formula of a file. */
typedef struct sat_record {
    const char *file;
    const ordo_formula *formula;
    const ordo_sat_found *found;
    const ordo_stats *stats;
    double load_seconds, seconds;
} sat_record;
/* A run of `points-to` on the constraints of a file. */
typedef struct points_to_record {
    const char *file;
    const ordo_constraints *constraints;
    const ordo_points_to_sets *sets;
    const ordo_points_to_found *found;
    ordo_u64 facts, pointers, most; /* pairs; variables that point to something; the size of the largest set */
    int threads;
    double load_seconds, seconds, verify_seconds;
    bool verified;
} points_to_record;
ordo_status json_write_points_to(sink *s, const points_to_record *r);
ordo_status json_write_sat(sink *s, const options *o, const sat_record *r);
ordo_status json_write_partition(sink *s, const loaded *g, const options *o, const ordo_part *of, double seconds);

/* ---- text (text.c) ---- */

void print_label(const char *label, const char *value);
void print_time(const char *label, double seconds);
void print_graph(const loaded *g);
/* The origin of weights: "none", "stored" (in the file), "made" with the graph, or the words that drew them. */
const char *weights_origin(const loaded *g);
/* Prints the numbers of dropped edges, if there are any. */
void print_dropped(const ordo_graph_info *i);
void print_run(const record *r);
/* "reached 6, max 20", without a newline. */
void print_fields(FILE *out, const ordo_answer *answer);
void print_analysis(const record *r);
void print_log(const ordo_stats *stats);
void format_bytes(double bytes, char out[32]);
void format_count(ordo_u64 count, char out[32]);
const char *type_name(ordo_type type);
/* Columns and lines of the terminal that a descriptor is; false where it is none. */
bool terminal_size(int fd, int *columns, int *lines);
/* The number of steps to come (0: not known), and the beginning of a step, for progress. */
void progress_steps(size_t count);
void progress_step(void);
/* Prints a line of progress on stderr, in place of the last one, cut to the width of the terminal; `arg` is the app's
 * name. */
void show_progress(void *arg, const ordo_progress *p);
void show_phase(const options *o, const char *what, const char *name);
/* The watch of the main thread (<ordo/watch.h>): adds to that line how far the library's call is, and cancels it once a
 * signal came. Runs have show_progress. */
int watch_report(void *arg, const char *phase, ordo_u64 done, ordo_u64 total);
void clear_progress(void);
extern volatile bool progress_shown;
bool progress_wanted(const options *o);

/* ---- verbs ---- */

ordo_status verb_run(const options *o);
ordo_status verb_run_file(const options *o);
ordo_status verb_check_operator(const options *o);
ordo_status verb_new(const options *o);
ordo_status verb_compare(const options *o);
ordo_status verb_tune(const options *o);
ordo_status verb_bench(const options *o);
ordo_status verb_gap(const options *o);
ordo_status verb_generate(const options *o);
ordo_status verb_convert(const options *o);
ordo_status verb_info(const options *o);
ordo_status verb_sample(const options *o);
ordo_status verb_partition(const options *o);
ordo_status verb_sat(const options *o);
ordo_status verb_points_to(const options *o);
ordo_status verb_refine(const options *o);
ordo_status verb_report(const options *o);
ordo_status verb_plot(const options *o);
ordo_status verb_schedulers(const options *o);
ordo_status verb_operators(const options *o);
ordo_status verb_help(const options *o);
ordo_status verb_man(const options *o);
ordo_status verb_complete(const options *o);
ordo_status verb_version(const options *o);
/* Prints the apps that have a native program, one on each line, which are those that take scheduler native. */
void print_programs(void);
void print_usage(FILE *out);
ordo_status print_verb_help(const char *name);
/* Prints the formats that are read, or those that are written, with their suffixes. */
void print_formats(FILE *out, bool read);
/* Whether a verb's help has that list; VERB_APP for apps. */
bool reads_graphs(int verb);
bool writes_graphs(int verb);
/* Examples, a line each, indented; exit statuses in a sentence. */
extern const char usage_examples[], usage_statuses[];

/* NULL where there is none. */
const cli_verb *find_verb(const char *name);
const ordo_app *find_app(const char *name);
/* An app, or the app of an operator's file, which is compiled. Errors: ORDO_ERR_UNKNOWN, and those of
 * run_time_app() (run_time/operator.h). */
ordo_status find_app_or_file(const options *o, const char *name, const ordo_app **out);
/* Verbs and apps, ended by NULL, for near_match. */
const char *const *verb_names(void);
/* Names of all schedulers, ended by NULL. */
const char *const *scheduler_names(void);
/* Whether it is one of them, or auto, or native, which apps without a program refuse. */
bool known_scheduler(const char *name);
/* Fails with ORDO_ERR_UNKNOWN, and a near match if there is one. */
ordo_status unknown(const char *what, const char *word, const char *const *list, const char *see);

#endif
