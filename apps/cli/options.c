/* options.c -- words of the command line to an `options`, strictly: unknown names, missing or malformed values and
 * options of another verb are refused by name.
 *
 * One table of rows feeds both the parser and the help. Long names first; letters are GAP's, for scripts that are
 * ported. `--name=value`, `--name value`, `-x value`, `-xvalue` and joined flags (`-sv`) are understood; `--` ends
 * options; "-" is a word (standard input).
 */
#include "apps/cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RUNS (VERB_APP | VERB_COMPARE)
#define MEASURES (RUNS | VERB_BENCH)
#define READS (RUNS | VERB_CONVERT | VERB_INFO | VERB_SAMPLE | VERB_BENCH)
#define MAKES (READS | VERB_GENERATE)
#define ANY (MAKES | VERB_LIST)

/* X(enumerator, long name, letter, argument, verbs, help). An argument in brackets is optional and needs "=". */
#define OPTIONS(X)                                                                                                     \
    X(FILE_, "file", 'f', "FILE", VERB_APP | VERB_INFO | VERB_BENCH,                                                   \
      "the graph, instead of the word GRAPH; '-' is standard input")                                                   \
    X(KRONECKER, NULL, 'g', "SCALE", RUNS,                                                                             \
      "GAP's kron graph of 2^SCALE vertices, symmetric; weights 1..255 if wanted")                                     \
    X(UNIFORM, NULL, 'u', "SCALE", RUNS, "GAP's urand graph, likewise")                                                \
    X(DEGREE, "degree", 'k', "N", RUNS | VERB_GENERATE,                                                                \
      "edges per vertex: rmat, kron, urand, uniform, -g and -u (16)")                                                  \
    X(GENERATE, "generate", 0, "\"KIND ...\"", MEASURES | VERB_INFO,                                                   \
      "a made graph: the words of `ordo generate`, quoted")                                                            \
    X(SCALE, "scale", 0, "N", VERB_GENERATE, "rmat, kron, urand: 2^N vertices")                                        \
    X(VERTICES, "vertices", 0, "N", VERB_GENERATE, "how many: uniform, road, star, path, complete, cliques")           \
    X(WIDTH, "width", 0, "N", VERB_GENERATE, "grid, mesh: columns; rlg: of a level; cliques: of one; genrmf: side")    \
    X(HEIGHT, "height", 0, "N", VERB_GENERATE, "grid, mesh: rows; rlg: levels")                                        \
    X(DEPTH, "depth", 0, "N", VERB_GENERATE, "grid, mesh: layers (1); genrmf: frames")                                 \
    X(KEEP, "keep", 0, "P", VERB_GENERATE, "grid: every bond is kept with probability P (1)")                          \
    X(ABCD, "abcd", 0, "A,B,C,D", VERB_GENERATE, "rmat: chances of the quadrants (.57,.19,.19,.05)")                   \
    X(WEIGHTS, "weights", 0, "uniform:LOW:HIGH", MAKES, "draws whole weights, by --seed; a file's must be dropped")    \
    X(SYMMETRISE, "symmetrise", 's', NULL, MAKES, "adds the reverse of every edge")                                    \
    X(SYMMETRIC, "symmetric", 0, NULL, READS, "the file holds both directions: checked, then relied on")               \
    X(DEDUP, "dedup", 0, "min|max|sum|first", MAKES, "one edge of parallel ones stays, with this weight of theirs")    \
    X(DROP_LOOPS, "drop-loops", 0, NULL, MAKES, "leaves loops out")                                                    \
    X(DROP_WEIGHTS, "drop-weights", 0, NULL, MAKES, "leaves weights out; with --weights: others in their place")       \
    X(COORDINATES, "coordinates", 0, "FILE", VERB_CONVERT | VERB_INFO | VERB_SAMPLE,                                   \
      "a DIMACS .co file for the graph")                                                                               \
    X(TRUST, "trust", 0, NULL, READS, "of .ordo files only the header is checked")                                     \
    X(BIPARTITE, "bipartite", 0, NULL, READS, "Matrix Market: columns are vertices of their own, behind the rows")     \
    X(LARGEST, "largest-component", 0, NULL, VERB_SAMPLE, "the weak component of the most vertices")                   \
    X(INDUCED, "induced", 0, "FILE", VERB_SAMPLE, "the vertices of FILE: one a line, '#' begins a comment")            \
    X(RANDOM, "random", 0, "P", VERB_SAMPLE, "every vertex with probability P, by --seed")                             \
    X(BALL, "ball", 0, "V:COUNT", VERB_SAMPLE, "the COUNT vertices nearest to V in hops, directions ignored")          \
    X(NAMES, "names", 0, "FILE", VERB_SAMPLE, "writes the old numbers of the vertices, one a line")                    \
    X(COLLISIONS, "collisions", 0, "LIST", VERB_BENCH,                                                                 \
      "ht, atm: of how many targets operations pick one, by commas (32,128,512,1K,32K,128K)")                          \
    X(OPERATIONS, "operations", 0, "N", VERB_BENCH, "ht, atm: how many (4M)")                                          \
    X(EPOCHS, "epochs", 0, "N", VERB_BENCH, "sgd: how often each rating is used (10)")                                 \
    X(RANK, "rank", 0, "N", VERB_BENCH, "sgd: numbers in a vector (16)")                                               \
    X(RATE, "rate", 0, "X", VERB_BENCH, "sgd: the step (0.01)")                                                        \
    X(DECAY, "decay", 0, "X", VERB_BENCH, "sgd: what keeps vectors small (0.05)")                                      \
    X(HOLDOUT, "holdout", 0, "P", VERB_BENCH, "sgd: this share of ratings is kept for testing (0.1)")                  \
    X(QUICK, "quick", 0, NULL, VERB_INFO, "leaves out components and diameter, which need runs")                       \
    X(SCHEDULER, "scheduler", 0, "NAME", VERB_APP | VERB_INFO,                                                         \
      "order of work, or auto (sssp, widest: delta; maxflow: none, one thread; others: bsp; on a GPU auto)")           \
    X(SCHEDULERS, "schedulers", 0, "LIST", VERB_COMPARE | VERB_BENCH,                                                  \
      "NAME or NAME:SYNC, by commas; or all (all; bench: lock_server,bsp:lock)")                                       \
    X(SYNC, "sync", 0, "NAME", MEASURES, "auto, atomic, racy, lock, owner or server (the scheduler's default)")        \
    X(SET, "set", 0, "NAME=VALUE", MEASURES | VERB_INFO,                                                               \
      "a tunable; SCHEDULER.NAME=VALUE reaches that scheduler alone")                                                  \
    X(DELTA, NULL, 'd', "DELTA", RUNS, "the tunable delta, for schedulers that have it")                               \
    X(DEVICE, "device", 0, "NAME", MEASURES, "cpu, cuda, or auto: cuda where that can be (cpu)")                       \
    X(THREADS, "threads", 0, "N", ANY & ~VERB_LIST, "threads (one a core)")                                            \
    X(SOURCE, "source", 'r', "V", RUNS, "the vertex to start from (a random one with an edge out, by --seed)")         \
    X(SINK, "sink", 0, "V", RUNS, "maxflow: where the flow goes, --source: where it is from (what the graph says)")    \
    X(PHASE, "phase", 0, "flow|cut", RUNS, "maxflow: cut: its value and cut, not what flows on each edge (flow)")      \
    X(INFINITE, "infinite", 0, "N", RUNS, "maxflow: edges of capacity N have no bound (none)")                         \
    X(HAND_OVER, "hand-over", 0, "N", RUNS,                                                                            \
      "maxflow: with fewer active vertices one thread does the rest without the scheduler (0: never)")                 \
    X(CUT, "cut", 0, "FILE", VERB_APP,                                                                                 \
      "maxflow: 1 for a vertex on the source side, else 0, one a line; NumPy if .npy")                                 \
    X(SOURCES, "sources", 0, "FILE", RUNS, "starts from each vertex of FILE: one a line, '#' begins a comment")        \
    X(SEED, "seed", 0, "N", MAKES, "of all that is random: sources, weights, graphs (27491095: GAP's)")                \
    X(REPEAT, "repeat", 'n', "N", MEASURES, "runs; without a source each picks a new one (1; compare: 5)")             \
    X(WARMUP, "warmup", 0, "N", MEASURES, "runs before those, not reported (0)")                                       \
    X(LIMIT, "limit", 0, "X", RUNS, "sssp, bfs: does not look for vertices farther than X")                            \
    X(CORE, "k", 0, "K", RUNS, "kcore: only who is in the K-core, 1 or 0 (core numbers)")                              \
    X(DAMPING, "damping", 0, "D", RUNS, "pagerank: chance of following an edge (0.85)")                                \
    X(TOLERANCE, "tolerance", 0, "T", RUNS, "pagerank: ends with every residual below T / vertices (1e-6)")            \
    X(TIMEOUT, "timeout", 0, "SECONDS", MEASURES, "ends a run that takes longer, with exit status 6 (0: none)")        \
    X(VERIFY, "verify", 'v', "[auto|serial|certificate|both]", RUNS, "checks each answer; exit status 1 if one fails") \
    X(NO_VERIFY, "no-verify", 0, NULL, VERB_COMPARE, "does not check answers, which compare does by default")          \
    X(IDS, "ids", 0, "index|file", RUNS | VERB_INFO | VERB_SAMPLE,                                                     \
      "vertices are indices from 0, or as the file counts them (index)")                                               \
    X(OUTPUT, "output", 'o', "FILE", VERB_APP | VERB_GENERATE, "one value a line, 'inf' for unreached; NumPy if .npy") \
    X(TREE, "tree", 0, "FILE", VERB_APP, "predecessors, one a line, '-' for none; NumPy with -1 if .npy")              \
    X(PATH_TO, "path-to", 0, "V", VERB_APP, "prints a shortest path to V")                                             \
    X(JSON, "json", 0, "FILE", MEASURES | VERB_INFO, "a JSON object a run, one a line; '-' is standard output")        \
    X(TRACE_JSON, "trace-json", 0, NULL, RUNS, "puts the trace into the JSON")                                         \
    X(TRACE, "trace", 0, "FILE", VERB_APP, "the trace of the last run as CSV")                                         \
    X(ANALYSIS, "analysis", 'a', NULL, VERB_APP, "prints what the last run did: items, edges, supersteps, memory")     \
    X(LOG, "log", 'l', NULL, VERB_APP, "prints the trace of each run")                                                 \
    X(FORCE, "force", 0, NULL, MEASURES | VERB_INFO | VERB_SAMPLE, "runs even where memory looks too small")           \
    X(QUIET, "quiet", 0, NULL, ANY & ~VERB_LIST, "prints nothing but errors and what was asked for")                   \
    X(PROGRESS, "progress", 0, NULL, MEASURES, "shows progress on stderr even if that is no terminal")                 \
    X(HELP, "help", 'h', NULL, ANY, "this")                                                                            \
    X(VERSION, "version", 0, NULL, ANY, "prints version and commit")

enum {
#define X(_id, _long, _letter, _argument, _verbs, _help) OPT_##_id,
    OPTIONS(X)
#undef X
        OPT_COUNT
};
_Static_assert((int)OPT_COUNT <= (int)MAX_OPTIONS, "options.given has one for every option");

static const struct row {
    const char *name;
    int letter;
    const char *argument;
    int verbs;
    const char *help;
} rows[] = {
#define X(_id, _long, _letter, _argument, _verbs, _help) {_long, _letter, _argument, _verbs, _help},
    OPTIONS(X)
#undef X
};

bool options_next(int verb, int *at, cli_option *out)
{
    while (*at < OPT_COUNT && !(rows[*at].verbs & verb))
        ++*at;
    if (*at == OPT_COUNT)
        return false;
    const struct row *r = &rows[*at];
    *out = (cli_option){.name = r->name,
                        .letter = r->letter,
                        .argument = r->argument,
                        .optional = r->argument && r->argument[0] == '[',
                        .help = r->help};
    if (*at == OPT_OUTPUT && verb == VERB_GENERATE)
        out->help = "where to; the suffix is the format";
    ++*at;
    return true;
}

void options_print(FILE *out, int verb)
{
    cli_option o;
    for (int at = 0; options_next(verb, &at, &o);) {
        char left[64];
        int used = snprintf(left, sizeof left, "  %s%s", o.name ? "--" : "", o.name ? o.name : "");
        if (o.letter)
            used += snprintf(left + used, sizeof left - (size_t)used, "%s-%c", o.name ? ", " : "", o.letter);
        if (o.argument && !o.optional)
            snprintf(left + used, sizeof left - (size_t)used, " %s", o.argument);
        fprintf(out, "%-30s %s%s%s\n", left, o.help, o.optional ? "; HOW: =" : "", o.optional ? o.argument : "");
    }
}

/* ---- numbers ---- */

bool parse_u64(const char *text, ordo_u64 *out)
{
    if (!isdigit((unsigned char)text[0]))
        return false;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end)
        return false;
    *out = value;
    return true;
}

bool parse_real(const char *text, double *out)
{
    if (!text[0] || isspace((unsigned char)text[0]))
        return false;
    char *end;
    double value = strtod(text, &end);
    if (*end || isnan(value) || (isinf(value) && !strchr("iI", text[text[0] == '-' || text[0] == '+'])))
        return false;
    *out = value;
    return true;
}

/* ---- near matches ---- */

/* The least number of letters to add, drop, change or swap with their neighbour; for words of a command line. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    size_t n = strlen(a), m = strlen(b), lines[3][LONGEST + 1];
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t i = 0; i <= n; i++) {
        size_t *line = lines[i % 3], *above = lines[(i + 2) % 3], *higher = lines[(i + 1) % 3];
        line[0] = i;
        for (size_t j = 1; j <= m; j++) {
            if (i == 0) {
                line[j] = j;
                continue;
            }
            size_t best = (above[j] < line[j - 1] ? above[j] : line[j - 1]) + 1;
            size_t change = above[j - 1] + (a[i - 1] != b[j - 1]);
            best = change < best ? change : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && higher[j - 2] + 1 < best)
                best = higher[j - 2] + 1;
            line[j] = best;
        }
    }
    return lines[n % 3][m];
}

const char *near_match(const char *word, const char *const *list)
{
    const char *best = NULL;
    size_t least = strlen(word) / 2 < 2 ? strlen(word) / 2 + 1 : 3; /* fewer mistakes than this */
    for (; *list; list++) {
        size_t distance = edit_distance(word, *list);
        if (distance < least) {
            least = distance;
            best = *list;
        }
    }
    return best;
}

ordo_status unknown(const char *what, const char *word, const char *const *list, const char *see)
{
    const char *nearest = near_match(word, list);
    if (nearest)
        return ordo_fail(ORDO_ERR_UNKNOWN, "%s '%s' is unknown; did you mean '%s'? (see: %s)", what, word, nearest,
                         see);
    return ordo_fail(ORDO_ERR_UNKNOWN, "%s '%s' is unknown (see: %s)", what, word, see);
}

static ordo_status unknown_option(const char *word, int verb)
{
    char names[OPT_COUNT][40];
    const char *list[OPT_COUNT + 1];
    int count = 0;
    for (int i = 0; i < OPT_COUNT; i++)
        if (rows[i].name && rows[i].verbs & verb) {
            snprintf(names[count], sizeof names[count], "--%s", rows[i].name);
            list[count] = names[count];
            count++;
        }
    list[count] = NULL;
    return unknown("option", word, list, "ordo help");
}

/* ---- values ---- */

static ordo_status whole(const char *name, const char *text, ordo_u64 least, ordo_u64 most, ordo_u64 *out)
{
    if (!parse_u64(text, out) || *out < least || *out > most)
        return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected a whole number from %llu to %llu", name, text,
                         (unsigned long long)least, (unsigned long long)most);
    return ORDO_OK;
}

static ordo_status one_of(const char *name, const char *text, const char *const *list, int *out)
{
    char all[128] = "";
    for (int i = 0; list[i]; i++) {
        if (!strcmp(list[i], text)) {
            *out = i;
            return ORDO_OK;
        }
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", list[i]);
    }
    const char *nearest = near_match(text, list);
    return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected one of %s%s%s%s", name, text, all,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* "uniform:LOW:HIGH" */
static ordo_status parse_weights(const char *text, options *o)
{
    static const char prefix[] = "uniform:";
    char low[24] = "";
    const char *high = "";
    ordo_u64 from, to;
    if (!strncmp(text, prefix, sizeof prefix - 1)) {
        text += sizeof prefix - 1;
        size_t length = strcspn(text, ":");
        if (length < sizeof low && text[length]) {
            snprintf(low, sizeof low, "%.*s", (int)length, text);
            high = text + length + 1;
        }
        text -= sizeof prefix - 1;
    }
    if (!parse_u64(low, &from) || !parse_u64(high, &to) || from > to || to == 0 || to > 0xffffffffu)
        return ordo_fail(ORDO_ERR_USAGE,
                         "--weights '%s', expected uniform:LOW:HIGH, whole numbers, LOW <= HIGH, "
                         "0 < HIGH < 2^32",
                         text);
    o->edges.low = (ordo_u32)from;
    o->edges.high = (ordo_u32)to;
    return ORDO_OK;
}

/* "A,B,C,D" */
static ordo_status parse_abcd(const char *text, options *o)
{
    double *const to[4] = {&o->made.a, &o->made.b, &o->made.c, &o->made.d};
    const char *at = text;
    for (int i = 0; i < 4; i++) {
        char word[32];
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), at);
        if (length > 31 || (at[length] == 0) != (i == 3) || !parse_real(word, to[i]) || *to[i] < 0 || *to[i] > 1)
            return ordo_fail(ORDO_ERR_USAGE, "--abcd '%s', expected four numbers A,B,C,D that add up to 1", text);
        at += length + 1;
    }
    return ORDO_OK;
}

ordo_status parse_size(const char *name, const char *text, ordo_u64 *out)
{
    char digits[24];
    size_t length = strspn(text, "0123456789");
    int shift = !strcmp(text + length, "K") ? 10 : !strcmp(text + length, "M") ? 20 : 0;
    snprintf(digits, sizeof digits, "%.*s", (int)(length < 23 ? length : 23), text);
    if ((text[length] && !shift) || !parse_u64(digits, out) || *out < 1 || *out > (ORDO_MAX_VERTICES - 1) >> shift)
        return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected a whole number from 1 to 2^32 - 3; K is 1024, M 1024 K",
                         name, text);
    *out <<= shift;
    return ORDO_OK;
}

/* A probability that is not 0. */
static ordo_status parse_chance(const char *name, const char *text, double *out)
{
    if (!parse_real(text, out) || !(*out > 0) || *out > 1)
        return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected a number above 0, at most 1", name, text);
    return ORDO_OK;
}

static ordo_status gap_graph(options *o, const char *kind, ordo_u64 scale)
{
    if (o->made.kind)
        return ordo_fail(ORDO_ERR_USAGE, "two made graphs given, expected one of -g and -u");
    o->made.kind = kind;
    o->made.scale = (ordo_u32)scale;
    return ORDO_OK;
}

static ordo_status set_value(options *o, int id, const char *name, const char *value)
{
    static const char *const hows[] = {"auto", "serial", "certificate", "both", NULL};
    static const char *const devices[] = {"cpu", "cuda", "auto", NULL};
    static const char *const ids[] = {"index", "file", NULL};
    static const char *const phases[] = {"flow", "cut", NULL};
    static const char *const parallel[] = {"min", "max", "sum", "first", NULL}; /* ordo_parallel, from 1 */
    enum { MOST = 1000000 };
    ordo_status status = ORDO_OK;
    ordo_u64 number = 0;
    int choice = 0;
    switch (id) {
    case OPT_FILE_:
        o->file = value;
        break;
    case OPT_SINK:
        o->sink = value;
        break;
    case OPT_PHASE:
        status = one_of(name, value, phases, &choice);
        o->flow.cut_only = choice == 1;
        break;
    case OPT_INFINITE:
        status = whole(name, value, 1, 0xffffffffu, &o->flow.infinite);
        break;
    case OPT_HAND_OVER:
        status = whole(name, value, 0, ORDO_MAX_VERTICES, &o->flow.hand_over);
        break;
    case OPT_CUT:
        o->cut = value;
        break;
    case OPT_KRONECKER:
        status = whole(name, value, 0, 31, &number);
        return status ? status : gap_graph(o, "kron", number);
    case OPT_UNIFORM:
        status = whole(name, value, 0, 31, &number);
        return status ? status : gap_graph(o, "urand", number);
    case OPT_DEGREE:
        status = whole(name, value, 1, 0xffffffffu, &number);
        o->made.degree = (ordo_u32)number;
        break;
    case OPT_GENERATE:
        o->generate = value;
        break;
    case OPT_SCALE:
        status = whole(name, value, 0, 31, &number);
        o->made.scale = (ordo_u32)number;
        break;
    case OPT_VERTICES:
        status = whole(name, value, 0, ORDO_MAX_VERTICES, &o->made.vertices);
        break;
    case OPT_WIDTH:
        status = whole(name, value, 0, 0xffffffffu, &number);
        o->made.width = (ordo_u32)number;
        break;
    case OPT_HEIGHT:
        status = whole(name, value, 0, 0xffffffffu, &number);
        o->made.height = (ordo_u32)number;
        break;
    case OPT_DEPTH:
        status = whole(name, value, 0, 0xffffffffu, &number);
        o->made.depth = (ordo_u32)number;
        break;
    case OPT_KEEP:
        return parse_chance(name, value, &o->made.keep);
    case OPT_ABCD:
        return parse_abcd(value, o);
    case OPT_WEIGHTS:
        return parse_weights(value, o);
    case OPT_DEDUP:
        status = one_of(name, value, parallel, &choice);
        o->edges.parallel = (ordo_parallel)(ORDO_PARALLEL_MIN + choice);
        break;
    case OPT_DROP_LOOPS:
        o->edges.drop_loops = true;
        break;
    case OPT_COORDINATES:
        o->coordinates = value;
        break;
    case OPT_TRUST:
        o->trust = true;
        break;
    case OPT_BIPARTITE:
        o->bipartite = true;
        break;
    case OPT_LARGEST:
        o->largest = true;
        break;
    case OPT_INDUCED:
        o->induced = value;
        break;
    case OPT_RANDOM:
        return parse_chance(name, value, &o->random);
    case OPT_BALL:
        o->ball = value;
        break;
    case OPT_NAMES:
        o->names = value;
        break;
    case OPT_COLLISIONS:
        o->collisions = value;
        break;
    case OPT_OPERATIONS:
        return parse_size(name, value, &o->operations);
    case OPT_EPOCHS:
        status = whole(name, value, 1, MOST, &number);
        o->epochs = (ordo_u32)number;
        break;
    case OPT_RANK:
        status = whole(name, value, 1, 4096, &number);
        o->rank = (ordo_u32)number;
        break;
    case OPT_RATE:
    case OPT_DECAY: {
        double *to = id == OPT_RATE ? &o->rate : &o->decay;
        if (!parse_real(value, to) || *to < 0 || *to > 1)
            return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected a number from 0 to 1", name, value);
        break;
    }
    case OPT_HOLDOUT:
        return parse_chance(name, value, &o->holdout);
    case OPT_QUICK:
        o->quick = true;
        break;
    case OPT_SYMMETRISE:
    case OPT_SYMMETRIC:
        if (o->edges.direction != ORDO_AS_STORED && (o->edges.direction == ORDO_SYMMETRISE) != (id == OPT_SYMMETRISE))
            return ordo_fail(ORDO_ERR_USAGE, "--symmetrise and --symmetric exclude each other");
        o->edges.direction = id == OPT_SYMMETRISE ? ORDO_SYMMETRISE : ORDO_SYMMETRIC;
        break;
    case OPT_DROP_WEIGHTS:
        o->drop_weights = true;
        break;
    case OPT_SCHEDULER:
        o->scheduler = value;
        break;
    case OPT_SCHEDULERS:
        o->schedulers = value;
        break;
    case OPT_SYNC:
        o->sync = value;
        break;
    case OPT_SET:
        if (o->setting_count == MAX_SETTINGS - 1)
            return ordo_fail(ORDO_ERR_USAGE, "%s '%s': more than %d settings", name, value, MAX_SETTINGS - 1);
        o->settings[o->setting_count++] = value;
        break;
    case OPT_DELTA: {
        double ignored;
        if (!parse_real(value, &ignored))
            return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected a number", name, value);
        o->delta = value;
        break;
    }
    case OPT_DEVICE:
        status = one_of(name, value, devices, &choice);
        o->device = value;
        break;
    case OPT_THREADS:
        status = whole(name, value, 1, 1024, &number);
        o->threads = (int)number;
        break;
    case OPT_SOURCE:
        o->source = value;
        break;
    case OPT_SOURCES:
        o->sources = value;
        break;
    case OPT_SEED:
        status = whole(name, value, 0, ~(ordo_u64)0, &o->seed);
        break;
    case OPT_REPEAT:
        status = whole(name, value, 1, MOST, &number);
        o->repeat = (int)number;
        break;
    case OPT_WARMUP:
        status = whole(name, value, 0, MOST, &number);
        o->warmup = (int)number;
        break;
    case OPT_LIMIT:
        if (!parse_real(value, &o->limit) || o->limit < 0)
            return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected a number, 0 or more", name, value);
        break;
    case OPT_CORE:
        status = whole(name, value, 1, 0x7fffffff, &number);
        o->k = (ordo_u32)number;
        break;
    case OPT_DAMPING:
        if (!parse_real(value, &o->damping) || !(o->damping >= 0 && o->damping < 1))
            return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected a number, 0 or more and less than 1", name, value);
        break;
    case OPT_TOLERANCE:
        if (!parse_real(value, &o->tolerance) || !(o->tolerance > 0 && o->tolerance <= 1))
            return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected a number, more than 0 and at most 1", name, value);
        break;
    case OPT_TIMEOUT:
        if (!parse_real(value, &o->timeout) || o->timeout < 0 || isinf(o->timeout))
            return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected seconds, 0 or more (0: none)", name, value);
        break;
    case OPT_VERIFY:
        status = value ? one_of(name, value, hows, &choice) : ORDO_OK;
        o->verify = true;
        o->how = (ordo_verify_how)choice;
        break;
    case OPT_NO_VERIFY:
        o->no_verify = true;
        break;
    case OPT_IDS:
        status = one_of(name, value, ids, &choice);
        o->ids_of_file = choice == 1;
        break;
    case OPT_OUTPUT:
        o->output = value;
        break;
    case OPT_TREE:
        o->tree = value;
        break;
    case OPT_PATH_TO:
        o->path_to = value;
        break;
    case OPT_JSON:
        o->json = value;
        break;
    case OPT_TRACE_JSON:
        o->trace_json = true;
        break;
    case OPT_TRACE:
        o->trace = value;
        break;
    case OPT_ANALYSIS:
        o->analysis = true;
        break;
    case OPT_LOG:
        o->log = true;
        break;
    case OPT_FORCE:
        o->force = true;
        break;
    case OPT_QUIET:
        o->quiet = true;
        break;
    case OPT_PROGRESS:
        o->progress = true;
        break;
    case OPT_HELP:
        o->help = true;
        break;
    case OPT_VERSION:
        o->version = true;
        break;
    default:
        break;
    }
    return status;
}

/* ---- apps ---- */

ordo_status options_suit(const options *o, const ordo_app *app)
{
    const bool starts = app->needs_source || app->needs_terminals;
    const struct {
        int id;
        bool taken;
        const char *lacks;
    } some[] = {
        {OPT_SOURCE, starts, "has no source"},
        {OPT_SOURCES, app->needs_source, starts ? "has one source" : "has no source"},
        {OPT_TREE, app->has_paths, "gives no paths"},
        {OPT_PATH_TO, app->has_paths, "gives no paths"},
        {OPT_LIMIT, app->has_paths, "knows no distances"},
        {OPT_SINK, app->needs_terminals, "has no sink"},
        {OPT_PHASE, app->needs_terminals, "has no sink"},
        {OPT_INFINITE, app->needs_terminals, "has no sink"},
        {OPT_HAND_OVER, app->needs_terminals, "has no sink"},
        {OPT_CUT, app->needs_terminals, "has no sink"},
        {OPT_CORE, app->has_k, "has no k"},
        {OPT_DAMPING, app->has_ranks, "has no damping"},
        {OPT_TOLERANCE, app->has_ranks, "is exact"},
    };
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        if (o->given[some[i].id] && !some[i].taken)
            return ordo_fail(ORDO_ERR_USAGE, "%s %s, so it takes no --%s", app->name, some[i].lacks,
                             rows[some[i].id].name);
    if (o->flow.cut_only && o->output)
        return ordo_fail(ORDO_ERR_USAGE, "--phase cut does not say what flows on edges, so it takes no --output");
    return ORDO_OK;
}

/* ---- graphs ---- */

ordo_edge_options options_edges(const options *o, bool weights)
{
    ordo_edge_options edges = o->edges;
    bool draw = o->given[OPT_WEIGHTS];
    edges.seed = o->seed;
    if (!weights)
        edges.weights = ORDO_WEIGHTS_DROP;
    else if (draw)
        edges.weights = o->drop_weights ? ORDO_WEIGHTS_REPLACE : ORDO_WEIGHTS_UNIFORM;
    else
        edges.weights = o->drop_weights ? ORDO_WEIGHTS_DROP : ORDO_WEIGHTS_AS_STORED;
    return edges;
}

enum { MOST_OF_A_KIND = 3 };

_Static_assert(OPT_FILE_ == 0, "0 ends a list of options");

/* The options that give a graph its shape: which ones a kind needs and which it may have. OPT_FILE_ ends a list. */
static const struct kind {
    const char *name;
    int needs[MOST_OF_A_KIND + 1], allows[MOST_OF_A_KIND + 1];
    const char *help;
} kinds[] = {
    {"rmat", {OPT_SCALE}, {OPT_DEGREE, OPT_ABCD, OPT_WEIGHTS}, "R-MAT, directed"},
    {"kron", {OPT_SCALE}, {OPT_DEGREE, OPT_WEIGHTS}, "R-MAT as GAP shapes it (-g): symmetric, simple"},
    {"urand", {OPT_SCALE}, {OPT_DEGREE, OPT_WEIGHTS}, "uniform random as GAP's (-u): symmetric, simple"},
    {"uniform", {OPT_VERTICES}, {OPT_DEGREE, OPT_WEIGHTS}, "every vertex has edges to random others, directed"},
    {"grid", {OPT_WIDTH, OPT_HEIGHT}, {OPT_DEPTH, OPT_KEEP, OPT_WEIGHTS}, "lattice of 4 or 6 neighbours, symmetric"},
    {"mesh", {OPT_WIDTH, OPT_HEIGHT}, {OPT_DEPTH, OPT_WEIGHTS}, "lattice of 26 neighbours, symmetric"},
    {"road", {OPT_VERTICES}, {0}, "planar, sparse, long paths; weights are lengths, has coordinates; symmetric"},
    {"rlg", {OPT_WIDTH, OPT_HEIGHT}, {OPT_WEIGHTS}, "random level graph, a flow network; weights are capacities"},
    {"genrmf", {OPT_WIDTH, OPT_DEPTH}, {OPT_WEIGHTS}, "frames of a flow network; weights are capacities"},
    {"star", {OPT_VERTICES}, {OPT_WEIGHTS}, "vertex 0 and its neighbours, symmetric"},
    {"path", {OPT_VERTICES}, {OPT_WEIGHTS}, "one vertex behind the other, symmetric"},
    {"complete", {OPT_VERTICES}, {OPT_WEIGHTS}, "every two are neighbours, symmetric"},
    {"cliques", {OPT_VERTICES, OPT_WIDTH}, {OPT_WEIGHTS}, "a chain of complete graphs, symmetric"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool is_among(int id, const int *list)
{
    while (*list && *list != id)
        list++;
    return *list != 0;
}

const char *options_kind(int index)
{
    return index < KINDS ? kinds[index].name : NULL;
}

static bool is_shape(int id)
{
    for (int i = 0; i < KINDS; i++)
        if (is_among(id, kinds[i].needs) || is_among(id, kinds[i].allows))
            return true;
    return false;
}

void options_print_kinds(FILE *out)
{
    for (int i = 0; i < KINDS; i++) {
        const struct kind *k = &kinds[i];
        char left[120];
        int used = snprintf(left, sizeof left, "  %-9s", k->name);
        for (const int *id = k->needs; *id; id++)
            used += snprintf(left + used, sizeof left - (size_t)used, " --%s %s", rows[*id].name, rows[*id].argument);
        for (const int *id = k->allows; *id; id++)
            if (*id != OPT_WEIGHTS)
                used +=
                    snprintf(left + used, sizeof left - (size_t)used, " [--%s %s]", rows[*id].name, rows[*id].argument);
        fprintf(out, "%-58s %s\n", left, k->help);
    }
    fprintf(out, "  all but road: [--weights uniform:LOW:HIGH]\n");
}

static ordo_status find_kind(const options *o, const struct kind **out)
{
    const char *names[KINDS + 1] = {NULL};
    char all[160] = "";
    for (int i = 0; i < KINDS; i++) {
        names[i] = kinds[i].name;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
        if (o->word_count == 1 && !strcmp(names[i], o->words[0])) {
            *out = &kinds[i];
            return ORDO_OK;
        }
    }
    if (o->word_count != 1)
        return ordo_fail(ORDO_ERR_USAGE, "%d kinds of graph given, expected one: %s", o->word_count, all);
    return unknown("kind of graph", o->words[0], names, "ordo help generate");
}

ordo_status options_made(const options *o, ordo_generate_options *out)
{
    const struct kind *k;
    ordo_status status = find_kind(o, &k);
    if (status)
        return status;
    for (const int *id = k->needs; *id; id++)
        if (!o->given[*id])
            return ordo_fail(ORDO_ERR_USAGE, "%s needs --%s %s", k->name, rows[*id].name, rows[*id].argument);
    for (int id = 0; id < OPT_COUNT; id++)
        if (o->given[id] && is_shape(id) && !is_among(id, k->needs) && !is_among(id, k->allows))
            return ordo_fail(ORDO_ERR_USAGE, "%s has no --%s", k->name, rows[id].name);
    *out = o->made;
    out->kind = k->name;
    out->edges = o->edges;
    out->edges.seed = o->seed;
    out->edges.weights = o->drop_weights && !o->given[OPT_WEIGHTS] ? ORDO_WEIGHTS_DROP : ORDO_WEIGHTS_AS_STORED;
    out->threads = o->threads;
    if (!strcmp(out->kind, "uniform") && !out->degree)
        out->degree = 16;
    return ORDO_OK;
}

/* ---- words ---- */

static int find_long(const char *name, size_t length)
{
    for (int i = 0; i < OPT_COUNT; i++)
        if (rows[i].name && strlen(rows[i].name) == length && !memcmp(rows[i].name, name, length))
            return i;
    return -1;
}

static int find_letter(int letter)
{
    for (int i = 0; i < OPT_COUNT; i++)
        if (rows[i].letter == letter)
            return i;
    return -1;
}

/* One option; *at moves past a value in a word of its own. */
static ordo_status take(options *o, int id, const char *name, const char *attached, int count, char **words, int *at)
{
    const struct row *r = &rows[id];
    if (!(r->verbs & o->verb))
        return ordo_fail(ORDO_ERR_USAGE, "option '%s' does not belong to this verb (see: ordo help VERB)", name);
    if (!r->argument && attached)
        return ordo_fail(ORDO_ERR_USAGE, "option '%s' takes no value, found '%s'", name, attached);
    if (r->argument && r->argument[0] != '[' && !attached) {
        if (*at + 1 >= count)
            return ordo_fail(ORDO_ERR_USAGE, "option '%s' needs a value: %s", name, r->argument);
        attached = words[++*at];
    }
    o->given[id] = true;
    return set_value(o, id, name, attached);
}

static ordo_status take_long(options *o, int count, char **words, int *at)
{
    const char *word = words[*at];
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    char name[48];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    int id = find_long(word + 2, length - 2);
    if (id < 0)
        return unknown_option(name, o->verb);
    return take(o, id, name, equals ? equals + 1 : NULL, count, words, at);
}

static ordo_status take_letters(options *o, int count, char **words, int *at)
{
    for (const char *c = words[*at] + 1; *c; c++) {
        char name[3] = {'-', *c, 0};
        int id = find_letter(*c);
        if (id < 0)
            return ordo_fail(ORDO_ERR_UNKNOWN, "option '%s' is unknown (see: ordo help)", name);
        bool has_value = rows[id].argument && rows[id].argument[0] != '[';
        ordo_status status = take(o, id, name, has_value && c[1] ? c + 1 : NULL, count, words, at);
        if (status || has_value)
            return status;
    }
    return ORDO_OK;
}

ordo_status options_parse(options *o, int verb, int count, char **words)
{
    *o = (options){.verb = verb,
                   .seed = DEFAULT_SEED,
                   .limit = INFINITY,
                   .damping = 0.85,
                   .tolerance = 1e-6,
                   .operations = 4 << 20,
                   .epochs = 10,
                   .rank = 16,
                   .rate = 0.01,
                   .decay = 0.05,
                   .holdout = 0.1};
    bool only_words = false;
    for (int i = 0; i < count; i++) {
        const char *word = words[i];
        ordo_status status = ORDO_OK;
        if (only_words || word[0] != '-' || !word[1]) {
            if (o->word_count == MAX_GRAPHS)
                return ordo_fail(ORDO_ERR_USAGE, "'%s': more than %d words", word, MAX_GRAPHS);
            o->words[o->word_count++] = word;
        } else if (!strcmp(word, "--")) {
            only_words = true;
        } else if (word[1] == '-') {
            status = take_long(o, count, words, &i);
        } else {
            status = take_letters(o, count, words, &i);
        }
        if (status)
            return status;
    }
    if (o->source && o->sources)
        return ordo_fail(ORDO_ERR_USAGE, "--source and --sources exclude each other");
    if (verb & RUNS && o->made.degree && !o->made.kind)
        return ordo_fail(ORDO_ERR_USAGE, "--degree needs -g or -u");
    if (o->generate && o->made.kind)
        return ordo_fail(ORDO_ERR_USAGE, "two made graphs given, expected one of --generate, -g and -u");
    if ((o->generate || o->made.kind) && verb != VERB_COMPARE &&
        (o->coordinates || o->trust || o->bipartite)) /* compare: may have both */
        return ordo_fail(ORDO_ERR_USAGE, "%s needs a file, found a made graph",
                         o->trust       ? "--trust"
                         : o->bipartite ? "--bipartite"
                                        : "--coordinates");
    if (o->generate && o->given[OPT_WEIGHTS])
        return ordo_fail(ORDO_ERR_USAGE, "--weights beside --generate, expected it among the words of --generate");
    if (o->no_verify && o->verify)
        return ordo_fail(ORDO_ERR_USAGE, "--verify and --no-verify exclude each other");
    return ORDO_OK;
}
