/* table.c -- every option of the command, one row for each, and how help shows them.
 *
 * Long names first; letters are GAP's, for scripts that are ported. Two rows may have one name where verbs differ: an
 * output means other things to `generate`, and so does a scheduler to `maxflow`.
 */
#include "apps/cli/options/table.h"
#include "apps/cli/run_time/operator.h"

#include <math.h>
#include <string.h>

#define RUNS (VERB_APP | VERB_COMPARE | VERB_TUNE)
#define MEASURES (RUNS | VERB_BENCH)
#define READS (RUNS | VERB_GAP | VERB_CONVERT | VERB_INFO | VERB_SAMPLE | VERB_PARTITION | VERB_BENCH)
#define MAKES (READS | VERB_GENERATE)
#define FILES (VERB_CHECK | VERB_NEW)
#define SOLVES (VERB_SAT | VERB_POINTS)
#define ANY (MAKES | FILES | SOLVES | VERB_REPORT | VERB_REFINE | VERB_LIST)

#define ROW(_name, _letter, _argument, _verbs, _value, _help, ...)                                                     \
    {                                                                                                                  \
        .name = _name, .letter = _letter, .argument = _argument, .verbs = _verbs, .value = _value, .help = _help,      \
        __VA_ARGS__                                                                                                    \
    }
#define AT(_field) .at = offsetof(options, _field), .size = sizeof(((options *)0)->_field)
#define FLAG(_field)                                                                                                   \
    {                                                                                                                  \
        .type = VALUE_FLAG, AT(_field)                                                                                 \
    }
#define TEXT(_field)                                                                                                   \
    {                                                                                                                  \
        .type = VALUE_TEXT, AT(_field)                                                                                 \
    }
#define WORD(_field)                                                                                                   \
    {                                                                                                                  \
        .type = VALUE_WORD, AT(_field)                                                                                 \
    }
#define CHOICE(_field, _first)                                                                                         \
    {                                                                                                                  \
        .type = VALUE_CHOICE, AT(_field), .least = _first                                                              \
    }
#define WHOLE(_field, _least, _most)                                                                                   \
    {                                                                                                                  \
        .type = VALUE_WHOLE, AT(_field), .least = _least, .most = _most                                                \
    }
#define SIZE(_field)                                                                                                   \
    {                                                                                                                  \
        .type = VALUE_SIZE, AT(_field)                                                                                 \
    }
#define REAL(_field, _ends, _low, _high)                                                                               \
    {                                                                                                                  \
        .type = VALUE_REAL, AT(_field), .ends = _ends, .low = _low, .high = _high                                      \
    }
#define OWN(_take)                                                                                                     \
    {                                                                                                                  \
        .type = VALUE_OWN, .take = _take                                                                               \
    }
/* Options that not every app or benchmark takes. */
#define ONLY(_traits, _lacks) .only = _traits, .lacks = _lacks
/* Options of runs: all that benchmarks of operators and apps take. */
#define OPERATORS ONLY(TRAIT_GRAPH | TRAIT_SECTIONS, "runs no operator")
#define GRAPHS ONLY(TRAIT_GRAPH, "takes no graph")

enum { U32_MOST = 0xffffffff };

/* clang-format off */
const option_row option_rows[OPTION_ROWS] = {
    /* the graph */
    ROW("file", 'f', "FILE", VERB_APP | VERB_GAP | VERB_INFO | VERB_PARTITION | VERB_BENCH, TEXT(file),
        "the graph, instead of the word GRAPH; '-' is standard input", GRAPHS),
    ROW(NULL, 'g', "SCALE", RUNS | VERB_GAP, OWN(take_kron),
        "GAP's kron graph of 2^SCALE vertices, symmetric; weights 1..255 if wanted", .group = GROUP_MADE),
    ROW(NULL, 'u', "SCALE", RUNS | VERB_GAP, OWN(take_urand), "GAP's urand graph, likewise", .group = GROUP_MADE),
    ROW("degree", 'k', "N", RUNS, WHOLE(made.degree, 1, U32_MOST), "-g and -u: edges per vertex (16)"),
    ROW("degree", 'k', "N", VERB_GENERATE, WHOLE(made.degree, 1, U32_MOST), "rmat, kron, urand, uniform: edges per vertex (16)"),
    ROW("generate", 0, "\"KIND ...\"", MEASURES | VERB_GAP | VERB_INFO | VERB_PARTITION, TEXT(generate),
        "a made graph: the words of `ordo generate`, quoted", GRAPHS, .group = GROUP_MADE),
    ROW("scale", 0, "N", VERB_GENERATE, WHOLE(made.scale, 0, 31), "rmat, kron, urand: 2^N vertices"),
    ROW("vertices", 0, "N", VERB_GENERATE, WHOLE(made.vertices, 0, ORDO_MAX_VERTICES), "how many: uniform, road, star, path, complete, cliques"),
    ROW("width", 0, "N", VERB_GENERATE, WHOLE(made.width, 0, U32_MOST), "grid, mesh: columns; rlg: of a level; cliques: of one; genrmf: side"),
    ROW("height", 0, "N", VERB_GENERATE, WHOLE(made.height, 0, U32_MOST), "grid, mesh: rows; rlg: levels"),
    ROW("depth", 0, "N", VERB_GENERATE, WHOLE(made.depth, 0, U32_MOST), "grid, mesh: layers (1); genrmf: frames"),
    ROW("keep", 0, "P", VERB_GENERATE, REAL(made.keep, "(]", 0, 1), "grid: every bond is kept with probability P (1)"),
    ROW("variables", 0, "N", VERB_GENERATE, WHOLE(variables, 1, ORDO_MAX_VARIABLES), "how many: ksat, constraints"),
    ROW("ratio", 0, "R", VERB_GENERATE, REAL(ratio, "(]", 0, 1000), "for each variable so many clauses (4.2) or constraints (1)"),
    ROW("length", 0, "K", VERB_GENERATE, WHOLE(length, 1, 64), "ksat: literals of a clause (3)"),
    ROW("abcd", 0, "A,B,C,D", VERB_GENERATE, OWN(take_abcd), "rmat: chances of the quadrants (.57,.19,.19,.05)"),
    ROW("weights", 0, "uniform:LOW:HIGH", MAKES, OWN(take_weights), "draws whole weights, by --seed; a file's must be dropped", GRAPHS),
    ROW("symmetrise", 's', NULL, MAKES | VERB_CHECK, OWN(take_symmetrise), "adds the reverse of every edge", GRAPHS, .group = GROUP_DIRECTION),
    ROW("symmetric", 0, NULL, READS, OWN(take_symmetric), "the file holds both directions: checked, then relied on", GRAPHS,
        .group = GROUP_DIRECTION),
    ROW("dedup", 0, "min|max|sum|first", MAKES, CHOICE(edges.parallel, ORDO_PARALLEL_MIN),
        "one edge of parallel ones stays, with this weight of theirs", GRAPHS),
    ROW("drop-loops", 0, NULL, MAKES, FLAG(edges.drop_loops), "leaves loops out", GRAPHS),
    ROW("drop-weights", 0, NULL, MAKES, FLAG(drop_weights), "leaves weights out; with --weights: others in their place", GRAPHS),
    ROW("coordinates", 0, "FILE", VERB_CONVERT | VERB_INFO | VERB_SAMPLE, TEXT(coordinates), "a DIMACS .co file for the graph"),
    ROW("trust", 0, NULL, READS, FLAG(trust), "of .ordo files only the header is checked", GRAPHS),
    ROW("bipartite", 0, NULL, READS, FLAG(bipartite), "Matrix Market: columns are vertices of their own, behind the rows", GRAPHS),
    ROW("columns", 0, "FROM,TO[,WEIGHT]", READS, TEXT(columns), "edge lists: which columns, by name or number from 1", GRAPHS),
    ROW("round", 0, NULL, READS, FLAG(round), "takes the nearest float of weights that it does not hold", GRAPHS),
    ROW("weight-type", 0, "f64|i64", MAKES, CHOICE(edges.weight_type, ORDO_F64), "keeps weights in 8 bytes: reals, whole numbers", GRAPHS),

    /* parts of it */
    ROW("largest-component", 0, NULL, VERB_SAMPLE, FLAG(largest), "the weak component of the most vertices", .group = GROUP_SAMPLE),
    ROW("induced", 0, "FILE", VERB_SAMPLE, TEXT(induced), "the vertices of FILE: one a line, '#' begins a comment", .group = GROUP_SAMPLE),
    ROW("random", 0, "P", VERB_SAMPLE, REAL(random, "(]", 0, 1), "every vertex with probability P, by --seed", .group = GROUP_SAMPLE),
    ROW("ball", 0, "V:COUNT", VERB_SAMPLE, TEXT(ball), "the COUNT vertices nearest to V in hops, directions ignored", .group = GROUP_SAMPLE),
    ROW("names", 0, "FILE", VERB_SAMPLE, TEXT(names), "writes the old numbers of the vertices, one a line"),
    ROW("parts", 'k', "N", VERB_PARTITION, WHOLE(parts, 1, ORDO_MAX_PARTS), "how many parts"),
    ROW("method", 0, "metis|block|edges|random", VERB_PARTITION, WORD(method),
        "few edges between parts; ranges of ids with as many vertices, or vertices and edges; by --seed (metis)"),
    ROW("read", 0, "FILE", VERB_PARTITION, TEXT(partition), "takes the partition of FILE: the part of each vertex, one a line, from 0"),
    ROW("output", 'o', "FILE", VERB_PARTITION, TEXT(output), "writes the part of each vertex, one a line, from 0, as METIS does"),
    ROW("min-angle", 0, "DEGREES", VERB_REFINE, REAL(min_angle, "[]", 0, 34), "no angle below it; 0: the Delaunay triangulation as it is (30)"),
    ROW("max-area", 0, "A", VERB_REFINE, REAL(max_area, "(]", 0, INFINITY), "no triangle larger than A (any)"),
    ROW("max-triangles", 0, "N", VERB_REFINE, SIZE(max_triangles), "gives up where the mesh needs more (what fits into memory)"),
    ROW("points", 0, "N", VERB_REFINE, SIZE(points), "instead of FILE: N random points in the unit square, and its sides, by --seed"),
    ROW("output", 'o', "BASE", VERB_REFINE, TEXT(output), "writes BASE.node, BASE.ele and BASE.poly"),
    ROW("svg", 0, "FILE", VERB_REFINE, TEXT(svg), "draws the mesh"),
    ROW("verify", 'v', NULL, VERB_REFINE, FLAG(verify), "checks the mesh; exit status 1 if that fails"),
    ROW("device", 0, "cpu|cuda|auto", VERB_REFINE, WORD(device), "where it is refined; auto: cuda where that can be (cpu)"),
    ROW("partition", 0, "METHOD|FILE", VERB_APP, TEXT(partition),
        "several ranks: who owns which vertex, by a method of `ordo partition` or a file (ranges)", GRAPHS),
    ROW("gpus", 0, "N", VERB_APP, WHOLE(gpus, 1, 16),
        "a run over so many GPUs of this host, in a process each; with --device cuda (one, in this process)", GRAPHS),
    ROW("gpus", 0, "N", VERB_BENCH, WHOLE(gpus, 1, 16), "a queue on each of so many GPUs of this host, beside one on one of them; with --device cuda (one)",
        ONLY(TRAIT_QUEUE, "has no queue")),
    ROW("quick", 0, NULL, VERB_INFO, FLAG(quick), "leaves out components and diameter, which need runs"),

    /* benchmarks */
    ROW("collisions", 0, "LIST", VERB_BENCH, TEXT(collisions),
        "of how many targets operations pick one, by commas (32,128,512,1K,32K,128K)", ONLY(TRAIT_SECTIONS, "has its targets from its file")),
    ROW("operations", 0, "N", VERB_BENCH, SIZE(operations), "how many (4M; queue: 10000000; lock-transfer: 256K)", ONLY(TRAIT_SECTIONS | TRAIT_QUEUE, "has its operations from its file")),
    ROW("batch", 0, "LIST", VERB_BENCH, TEXT(batches), "entries that a thread puts or takes at once, by commas (1,64); on a GPU 1 or 32: each lane calls, or one for its warp (1,32)",
        ONLY(TRAIT_QUEUE, "has no queue")),
    ROW("blocks", 0, "LIST", VERB_BENCH, TEXT(block_list), "on a GPU: blocks of --threads threads, by commas (64,108,132,216)",
        ONLY(TRAIT_QUEUE, "has no queue")),
    ROW("lanes", 0, "LIST", VERB_BENCH, TEXT(lane_list), "on a GPU: one lane of a warp in so many calls, by commas (1)",
        ONLY(TRAIT_QUEUE, "has no queue")),
    ROW("remote", 0, "P", VERB_BENCH, REAL(remote, "[]", 0, 1), "with --gpus: this share of what a GPU puts goes to the queues of others (0.5)",
        ONLY(TRAIT_QUEUE, "has no queue")),
    ROW("held", 0, "LIST", VERB_BENCH, TEXT(held), "locks that a critical section needs at once, by commas (1,2)", ONLY(TRAIT_TRANSFER, "hands no locks over")),
    ROW("section", 0, "LIST", VERB_BENCH, TEXT(section), "steps of arithmetic in a critical section, by commas (1,100)",
        ONLY(TRAIT_TRANSFER, "hands no locks over")),
    ROW("epochs", 0, "N", VERB_BENCH, WHOLE(epochs, 1, MOST_RUNS), "how often each rating is used (10)", ONLY(TRAIT_RATINGS, "has no ratings")),
    ROW("rank", 0, "N", VERB_BENCH, WHOLE(rank, 1, 4096), "numbers in a vector (16)", ONLY(TRAIT_RATINGS, "has no ratings")),
    ROW("rate", 0, "X", VERB_BENCH, REAL(rate, "[]", 0, 1), "the step (0.01)", ONLY(TRAIT_RATINGS, "has no ratings")),
    ROW("decay", 0, "X", VERB_BENCH, REAL(decay, "[]", 0, 1), "what keeps vectors small (0.05)", ONLY(TRAIT_RATINGS, "has no ratings")),
    ROW("holdout", 0, "P", VERB_BENCH, REAL(holdout, "(]", 0, 1), "this share of ratings is kept for testing (0.1)",
        ONLY(TRAIT_RATINGS, "has no ratings")),

    /* the runs */
    ROW("scheduler", 0, "NAME", VERB_APP, TEXT(scheduler),
        "order of work, a folder of one (./mine), or auto (delta where work has priorities, else bsp; on a GPU auto)", ONLY(TRAIT_NO_TERMINALS, "")),
    ROW("scheduler", 0, "NAME", VERB_APP, TEXT(scheduler), "order of work, auto, or native: the app's own program (native)",
        ONLY(TRAIT_TERMINALS, "")),
    ROW("scheduler", 0, "NAME", VERB_SAT, TEXT(scheduler), "order of work of the products, as `ordo operators` lists for survey (bsp)"),
    ROW("fraction", 0, "P", VERB_SAT, REAL(sat.fraction, "(]", 0, 1), "share of the free variables that are fixed at once (0.02)"),
    ROW("tries", 0, "N", VERB_SAT, WHOLE(sat.tries, 1, MOST_RUNS), "how often to begin anew, each time with half of that share (4)"),
    ROW("rounds", 0, "N", VERB_SAT, WHOLE(sat.rounds, 2, MOST_RUNS), "the most rounds of surveys before variables are fixed (300)"),
    ROW("flips", 0, "N", VERB_SAT, WHOLE(sat.flips, 1, U32_MOST), "the most flips of a local search, for each of its variables (200)"),
    ROW("scheduler", 0, "NAME", VERB_INFO, TEXT(scheduler), "the one that memory is predicted for (each app's default)"),
    ROW("scheduler", 0, "NAME", VERB_TUNE, TEXT(scheduler), "which one to tune (the one that auto takes)"),
    ROW("for", 0, "SECONDS", VERB_TUNE, OWN(take_time), "how long to search: 30, 30s, 5m or 1h (30s)"),
    ROW("schedulers", 0, "LIST", VERB_COMPARE, TEXT(schedulers), "NAME|FOLDER[:SYNC][:TUNABLE=VALUE]... or all, by commas (all)"),
    ROW("schedulers", 0, "LIST", VERB_BENCH, TEXT(schedulers), "NAME[:SYNC][:TUNABLE=VALUE]..., by commas; or all (lock_server,bsp:lock)", OPERATORS),
    ROW("sync", 0, "LIST", VERB_COMPARE, TEXT(sync), "syncs of schedulers without one of their own, by commas (each one's default)"),
    ROW("sweep", 0, "TUNABLE=VALUES", VERB_COMPARE, OWN(take_sweep),
        "A..B (doubling), A..B:COUNT or A,B,C; [SCHEDULER.]TUNABLE; numbers or 2^N", .repeats = true),
    ROW("sync", 0, "NAME", (MEASURES & ~VERB_COMPARE) | VERB_SAT, TEXT(sync), "auto, atomic, racy, lock, owner, server or race (the scheduler's default)", OPERATORS),
    ROW("items", 0, "LIST", VERB_COMPARE, TEXT(items), "vertices or edges, or both by a comma: what an item is, for operators that allow both (vertices)"),
    ROW("items", 0, "vertices|edges", RUNS & ~VERB_COMPARE, WORD(items), "what an item is, for operators that allow both (vertices)"),
    ROW("set", 0, "NAME=VALUE", MEASURES | VERB_INFO | VERB_SAT, OWN(take_setting),
        "a tunable; SCHEDULER.NAME=VALUE reaches that scheduler alone", OPERATORS, .repeats = true),
    ROW("set-state", 0, "NAME=VALUE", RUNS | VERB_CHECK, OWN(take_state), "operators' files: a number of the operator's state; @FILE: an array",
        ONLY(TRAIT_STATE, "has no state to set"), .repeats = true),
    ROW("new-edges", 0, "N", RUNS, WHOLE(new_edges, 1, 0xfff00000u), "operators' files that add edges: the most (four times as many as edges and items)",
        ONLY(TRAIT_STATE, "adds no edges")),
    ROW("new-items", 0, "N", RUNS, WHOLE(new_items, 1, ORDO_MAX_VERTICES), "operators' files that add items: the most (none)",
        ONLY(TRAIT_STATE, "adds no items")),
    ROW(NULL, 'd', "DELTA", RUNS, OWN(take_delta), "the tunable delta, for schedulers that have it"),
    ROW("device", 0, "LIST", VERB_COMPARE, TEXT(device), "cpu, cuda, auto (cuda where that can be), by commas (cpu)"),
    ROW("device", 0, "cpu|cuda|auto", (MEASURES & ~VERB_COMPARE) | VERB_GAP | VERB_SAT, WORD(device), "where; auto: cuda where that can be (cpu)"),
    ROW("device", 0, "cpu|cuda|auto", VERB_CHECK, WORD(device), "also runs it there, under every scheduler, on small graphs (not run)"),
    ROW("threads", 0, "LIST", VERB_COMPARE, TEXT(thread_list), "threads, by commas (OMP_NUM_THREADS, or one a core)"),
    ROW("threads", 0, "N", VERB_BENCH, TEXT(thread_list), "threads (OMP_NUM_THREADS, or one a core); lock-transfer: numbers by commas; queue: likewise (1,2,4,... and one a core; on a GPU of a block, 32,128,512)"),
    ROW("threads", 0, "N", (MAKES & ~(VERB_COMPARE | VERB_BENCH)) | SOLVES | VERB_REFINE, WHOLE(threads, 1, MOST_THREADS), "threads (OMP_NUM_THREADS, or one a core)"),
    ROW("source", 'r', "V", VERB_COMPARE | VERB_TUNE, TEXT(source), "where to start (a random vertex with an edge out, by --seed), or where the flow is from (what the graph says)",
        ONLY(TRAIT_SOURCE | TRAIT_TERMINALS, "has no source"), .group = GROUP_SOURCES),
    ROW("source", 'r', "V", VERB_APP | VERB_GAP, TEXT(source), "the vertex to start from (a random one with an edge out, by --seed)",
        ONLY(TRAIT_SOURCE, "has no source"), .group = GROUP_SOURCES),
    ROW("source", 'r', "V", VERB_APP, TEXT(source), "where the flow is from (what the graph says)",
        ONLY(TRAIT_TERMINALS, "has no source"), .group = GROUP_SOURCES),
    ROW("sink", 0, "V", RUNS, TEXT(sink), "where the flow goes (what the graph says)", ONLY(TRAIT_TERMINALS, "has no sink")),
    ROW("phase", 0, "flow|cut", RUNS, CHOICE(flow.cut_only, 0), "cut: its value and cut, not what flows on each edge (flow)",
        ONLY(TRAIT_TERMINALS, "has no sink")),
    ROW("infinite", 0, "N", RUNS, WHOLE(flow.infinite, 1, INT64_MAX), "edges of capacity N have no bound (none)",
        ONLY(TRAIT_TERMINALS, "has no sink")),
    ROW("sources", 0, "FILE|N", RUNS | VERB_GAP, TEXT(sources), "starts from each vertex of FILE (one a line, '#' begins a comment), or from N random ones; bc also takes all",
        ONLY(TRAIT_SOURCE, "takes no list of sources"), .group = GROUP_SOURCES),
    ROW("sources-at-once", 0, "FILE", VERB_APP, TEXT(sources_at_once),
        "one run from all vertices of FILE: each vertex has the best path from any of them", ONLY(TRAIT_AT_ONCE, "takes no list of sources as one"),
        .group = GROUP_SOURCES),
    ROW("seed", 0, "N", MAKES | VERB_CHECK | VERB_SAT | VERB_REFINE, WHOLE(seed, 0, ~(ordo_u64)0), "of all that is random: sources, weights, graphs, points (27491095: GAP's)"),
    ROW("trials", 0, "N", VERB_CHECK, WHOLE(trials, 1, 1000000000), "random cases for each property (2000)"),
    ROW("repeat", 'n', "N", VERB_APP, WHOLE(repeat, 1, MOST_RUNS), "runs, of each source; without any each run picks a new one (1)"),
    ROW("repeat", 'n', "N", VERB_COMPARE, WHOLE(repeat, 1, MOST_RUNS), "rounds: runs of each scheduler from each source (5)"),
    ROW("kernels", 'k', "LIST", VERB_GAP, TEXT(kernels), "bfs, sssp, pr, cc, bc, tc, by commas (all)"),
    ROW("repeat", 'n', "N", VERB_GAP, WHOLE(repeat, 1, MOST_RUNS), "trials of each kernel (GAP's: bfs 64, sssp 64, pr 16, cc 16, bc 16, tc 3)"),
    ROW("adaptive", 0, "SECONDS", VERB_COMPARE, REAL(adaptive, "(]", 0, 1e6),
        "more rounds, until every interval is within 2 % or the time for a graph is up"),
    ROW("baseline", 0, "NAME", VERB_COMPARE | VERB_REPORT, TEXT(baseline), "what the others are compared with (the first of the list)"),
    ROW("repeat", 'n', "N", VERB_BENCH, WHOLE(repeat, 1, MOST_RUNS), "runs (5)", ONLY(TRAIT_SECTIONS | TRAIT_QUEUE, "runs --epochs times")),
    ROW("warmup", 0, "N", VERB_APP, WHOLE(warmup, 0, MOST_RUNS), "runs before those, not reported (0)"),
    ROW("warmup", 0, "N", VERB_COMPARE, WHOLE(warmup, 0, MOST_RUNS), "runs of each scheduler before those, not reported (1)"),
    ROW("warmup", 0, "N", VERB_BENCH, WHOLE(warmup, 0, MOST_RUNS), "runs before those, not reported (0)",
        ONLY(TRAIT_SECTIONS | TRAIT_QUEUE, "reports every epoch")),
    ROW("limit", 0, "X", RUNS, REAL(limit, "[]", 0, INFINITY), "does not look for vertices farther than X",
        ONLY(TRAIT_PATHS, "knows no distances")),
    ROW("k", 0, "K", RUNS, WHOLE(k, 1, 0x7fffffff), "only who is in the K-core, 1 or 0 (core numbers)", ONLY(TRAIT_K, "has no k")),
    ROW("damping", 0, "D", RUNS, REAL(damping, "[)", 0, 1), "chance of following an edge (0.85)", ONLY(TRAIT_RANKS, "has no damping")),
    ROW("tolerance", 0, "T", RUNS, REAL(tolerance, "(]", 0, 1), "ends when a round changes at most T in all, or pushes less than T / vertices (1e-6)",
        ONLY(TRAIT_RANKS, "is exact")),
    ROW("rounds", 0, "N", RUNS, WHOLE(rounds, 1, 1000000), "ends after N rounds (10)", ONLY(TRAIT_ROUNDS, "has no rounds")),
    ROW("timeout", 0, "SECONDS", MEASURES | VERB_GAP | SOLVES, REAL(timeout, "[)", 0, INFINITY), "ends a run that takes longer, with exit status 6 (0: none)", OPERATORS),
    ROW("verify", 'v', "[auto|serial|certificate|both]", RUNS | VERB_GAP, OWN(take_verify), "checks each answer; exit status 1 if one fails",
        .group = GROUP_VERIFY),
    ROW("verify", 'v', NULL, VERB_POINTS, FLAG(verify), "compares the sets with those of a serial program; exit status 1 if one differs"),
    ROW("no-verify", 0, NULL, VERB_COMPARE | VERB_TUNE, FLAG(no_verify), "does not check answers, which compare does by default", .group = GROUP_VERIFY),
    ROW("ids", 0, "index|file", RUNS | VERB_GAP | VERB_INFO | VERB_SAMPLE, CHOICE(ids_of_file, 0),
        "vertices are indices from 0, or as the file counts them (index)"),

    /* output */
    ROW("output", 'o', "FILE", VERB_APP, TEXT(output), "one value a line, 'inf' for unreached; NumPy if .npy"),
    ROW("output", 'o', "FILE", VERB_SAT, TEXT(output), "writes the answer and the assignment as DIMACS solvers do: lines 's' and 'v'"),
    ROW("output", 'o', "FILE", VERB_POINTS, TEXT(output), "writes the sets: a line for each variable that points to something, and behind it to what"),
    ROW("output", 'o', "FILE", VERB_GENERATE, TEXT(output), "where to; the suffix is the format"),
    ROW("output", 'o', "FILE", VERB_REPORT, TEXT(output), "where to"),
    ROW("cut", 0, "FILE", VERB_APP, TEXT(cut), "1 for a vertex on the source side, else 0, one a line; NumPy if .npy",
        ONLY(TRAIT_TERMINALS, "has no sink")),
    ROW("tree", 0, "FILE", VERB_APP, TEXT(tree), "predecessors, one a line, '-' for none; NumPy with -1 if .npy",
        ONLY(TRAIT_TREE, "gives no paths")),
    ROW("nearest", 0, "FILE", VERB_APP, TEXT(nearest), "the source that each vertex's path comes from, as --tree writes it",
        ONLY(TRAIT_AT_ONCE, "has no such source")),
    ROW("target", 0, "V", VERB_APP, TEXT(target), "ends once V is final; what is farther is not known", ONLY(TRAIT_PATHS, "does not end early")),
    ROW("stop-after", 0, "K", VERB_APP, WHOLE(stop_after, 1, ORDO_MAX_VERTICES), "ends once the K nearest vertices are final, or V of --target",
        ONLY(TRAIT_PATHS, "does not end early")),
    ROW("path-to", 0, "V", VERB_APP, TEXT(path_to), "prints a shortest path to V", ONLY(TRAIT_TREE, "gives no paths")),
    ROW("json", 0, "FILE", MEASURES | VERB_GAP | VERB_INFO | VERB_PARTITION | SOLVES, TEXT(json), "a JSON object a run, one a line; '-' is standard output",
        ONLY(TRAIT_GRAPH | TRAIT_SECTIONS | TRAIT_QUEUE, "runs no operator")),
    ROW("csv", 0, "FILE", VERB_COMPARE, TEXT(csv), "the table as CSV, a line a scheduler and graph"),
    ROW("svg", 0, "FILE", VERB_COMPARE, TEXT(svg), "the tables as a picture: times with their intervals"),
    ROW("save", 0, "FILE", VERB_COMPARE, TEXT(save), "adds each run to FILE, as --json writes it, for --from"),
    ROW("from", 0, "FILE", VERB_COMPARE, TEXT(from), "runs nothing: tables from the runs in FILE, and in further files"),
    ROW("trace-json", 0, NULL, VERB_APP | VERB_COMPARE, FLAG(trace_json), "puts the trace into the JSON"),
    ROW("trace", 0, "FILE", VERB_APP, TEXT(trace), "the last run over time; .json, .perfetto (for ui.perfetto.dev), else CSV"),
    ROW("trace", 0, "PREFIX", VERB_COMPARE, TEXT(trace), "a further run of each over time: PREFIX-N-NAME.json, all in PREFIX.perfetto"),
    ROW("trace-period", 0, "SECONDS", VERB_APP | VERB_COMPARE, REAL(trace_period, "[]", 1e-5, 3600), "time between its samples (chosen, from 0.00025, on a GPU 0.000025)"),
    ROW("counters", 0, NULL, VERB_APP | VERB_COMPARE, FLAG(counters), "hardware counters of each run, where there are any; of compare, in the JSON"),
    ROW("analysis", 'a', NULL, VERB_APP, FLAG(analysis), "prints what the last run did: items, edges, supersteps, memory"),
    ROW("log", 'l', NULL, VERB_APP, FLAG(log), "prints the trace of each run"),
    ROW("force", 0, NULL, MEASURES | VERB_GAP | VERB_INFO | VERB_SAMPLE | VERB_PARTITION, FLAG(force), "runs even where memory looks too small"),
    ROW("quiet", 0, NULL, ANY & ~VERB_LIST, FLAG(quiet), "prints nothing but errors and what was asked for"),
    ROW("progress", 0, NULL, MAKES | VERB_REFINE, FLAG(progress), "shows progress on stderr even if that is no terminal"),
    ROW("help", 'h', NULL, ANY, FLAG(help), "this"),
    ROW("version", 0, NULL, ANY, FLAG(version), "prints version and commit"),
};
/* clang-format on */

bool option_taken(const option_row *row, const option_scope *s)
{
    return !row->only || !s->traits || row->only & s->traits;
}

bool option_is_optional(const option_row *row)
{
    return row->argument && row->argument[0] == '[';
}

const char *option_shown(const option_row *row, char capacity[48])
{
    if (row->name)
        snprintf(capacity, 48, "--%s", row->name);
    else
        snprintf(capacity, 48, "-%c", row->letter);
    return capacity;
}

const option_row *option_named(const option_scope *s, const char *name, size_t length)
{
    const option_row *other = NULL;
    for (const option_row *row = option_rows; row < option_rows + OPTION_ROWS; row++) {
        if (!(row->verbs & s->verb) || !row->name || strlen(row->name) != length ||
            memcmp(row->name, name, length) != 0)
            continue;
        if (option_taken(row, s))
            return row;
        other = row;
    }
    return other;
}

/* ---- who takes which option ---- */

static unsigned traits_of(const ordo_app *app)
{
    return TRAIT_GRAPH | (app->needs_source ? TRAIT_SOURCE : 0) |
           (app->needs_source && !app->takes_list ? TRAIT_AT_ONCE : 0) |
           (app->needs_terminals ? TRAIT_TERMINALS : TRAIT_NO_TERMINALS) | (app->has_paths ? TRAIT_PATHS : 0) |
           (app->has_tree ? TRAIT_TREE : 0) | (app->has_k ? TRAIT_K : 0) | (app->has_ranks ? TRAIT_RANKS : 0) |
           (app->has_rounds ? TRAIT_ROUNDS : 0) | (run_time_of(app) ? TRAIT_STATE : 0);
}

option_scope scope_of_app(int verb, const ordo_app *app)
{
    return (option_scope){.name = app->name, .verb = verb, .traits = traits_of(app)};
}

/* Verbs for an operator's file take what an app of it may take: before it is compiled, that is not known. */
option_scope scope_of_verb(const cli_verb *v)
{
    const bool file = v->verb == VERB_APP;
    return (option_scope){.name = v->name,
                          .verb = v->verb,
                          .traits =
                              file ? TRAIT_GRAPH | TRAIT_SOURCE | TRAIT_AT_ONCE | TRAIT_NO_TERMINALS | TRAIT_STATE : 0};
}

/* The benchmarks of `ordo bench`, and their traits. */
static const struct {
    const char *name;
    unsigned traits;
} benchmarks[] = {
    {"ht", TRAIT_SECTIONS},     {"atm", TRAIT_SECTIONS}, {"sgd", TRAIT_RATINGS | TRAIT_GRAPH},
    {"machine", TRAIT_MACHINE}, {"queue", TRAIT_QUEUE},  {"lock-transfer", TRAIT_SECTIONS | TRAIT_TRANSFER}};
enum { BENCHMARKS = sizeof benchmarks / sizeof benchmarks[0] };

option_scope scope_of_benchmark(const char *name)
{
    option_scope s = {.name = name, .verb = VERB_BENCH};
    for (int i = 0; i < BENCHMARKS; i++)
        if (!strcmp(benchmarks[i].name, name))
            s.traits = benchmarks[i].traits;
    return s;
}

/* "sssp, bfs: " where only some apps or benchmarks of the verb take the option; else "". */
static void name_takers(const option_row *row, int verb, char *out, size_t size)
{
    size_t used = 0;
    bool all = true;
    out[0] = 0;
    for (const ordo_app *const *app = ordo_built_apps; verb == VERB_COMPARE && *app; app++) {
        option_scope s = scope_of_app(verb, *app);
        bool takes = option_taken(row, &s);
        all &= takes;
        if (takes && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", s.name);
    }
    for (int i = 0; verb == VERB_BENCH && i < BENCHMARKS; i++) {
        option_scope s = scope_of_benchmark(benchmarks[i].name);
        bool takes = option_taken(row, &s);
        all &= takes;
        if (takes && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", s.name);
    }
    if (all || !used) /* an option of operators' files says so itself */
        out[0] = 0;
    else if (used < size)
        snprintf(out + used, size - used, ": ");
}

/* ---- help ---- */

bool options_next(const option_scope *s, int *at, cli_option *out)
{
    while (*at < OPTION_ROWS && !(option_rows[*at].verbs & s->verb && option_taken(&option_rows[*at], s)))
        ++*at;
    if (*at == OPTION_ROWS)
        return false;
    const option_row *row = &option_rows[*at];
    *out = (cli_option){.name = row->name,
                        .letter = row->letter,
                        .argument = row->argument,
                        .optional = option_is_optional(row),
                        .repeats = row->repeats,
                        .group = (int)row->group};
    char takers[120] = "";
    if (!s->traits)
        name_takers(row, s->verb, takers, sizeof takers);
    snprintf(out->help, sizeof out->help, "%s%s", takers, row->help);
    ++*at;
    return true;
}

void options_print(FILE *out, const option_scope *s)
{
    cli_option o;
    for (int at = 0; options_next(s, &at, &o);) {
        char left[64];
        int used = snprintf(left, sizeof left, "  %s%s", o.name ? "--" : "", o.name ? o.name : "");
        if (o.letter)
            used += snprintf(left + used, sizeof left - (size_t)used, "%s-%c", o.name ? ", " : "", o.letter);
        if (o.argument && !o.optional)
            snprintf(left + used, sizeof left - (size_t)used, " %s", o.argument);
        fprintf(out, "%-30s %s%s%s\n", left, o.help, o.optional ? "; HOW: =" : "", o.optional ? o.argument : "");
    }
}
