/* Tunables of `horizon`: rows as <ordo/scheduler/scheduler.h> says. */
#define HORIZON_TUNABLES(X)                                                                                            \
    X(HORIZON_STEP, "step", REAL, "0", 0, 1, NULL, "",                                                                 \
      "first step of the horizon, as a quantile of the weights, from the lightest (ORDO_MAX: how far the heaviest "    \
      "lie apart); 0: 0.015 on a CPU (kron-20: 0.125 takes 2x), 0.125 on a GPU (rmat-22: 0.015 takes 1.5x), but four " \
      "edges of a row there at most, where degrees are similar")                                                       \
    X(HORIZON_PULL, "pull", REAL, "0.2", 0, 1, NULL, "",                                                               \
      "pull once the vertices beyond the horizon have less than this share of all in-edges; 0: never "                 \
      "(rmat-22: 0.05 takes 2x; uniform, 2^20: 0 takes 5x)")                                                           \
    X(HORIZON_GROW, "grow", REAL, "2", 1, 1024, NULL, "",                                                              \
      "what a step is multiplied by where the one before brought few vertices within the horizon")

/* Constants of a release: see ORDO_TUNABLES. */
#define HORIZON_CONSTANTS(X)                                                                                           \
    X(HORIZON_CHUNK, "chunk", INT, "64", 1, 1024, NULL, "items", "cpu: items that a thread takes at once")             \
    X(HORIZON_PIECE, "piece", INT, "4096", 1, 1048576, NULL, "edges",                                                  \
      "longer rows are shared in pieces of so many edges")                                                             \
    X(HORIZON_RANGES, "ranges", INT, "0", 0, 2097152, NULL, "ranges",                                                  \
      "cuda: long rows that a superstep can share among warps; 0: an eighth of the vertices")                          \
    X(HORIZON_BLOCKS, "blocks", INT, "0", 0, 64, NULL, "blocks",                                                       \
      "cuda: blocks of 256 threads a multiprocessor; 0: as many as fit")

enum { HORIZON_TUNABLES(ORDO_TUNABLE_ENUM) HORIZON_CONSTANTS(ORDO_TUNABLE_ENUM) HORIZON_ROWS };
enum { HORIZON_TUNABLE_COUNT = 0 HORIZON_TUNABLES(ORDO_TUNABLE_ONE) };

/* The quantile of the first step. `chosen`: where the caller leaves it to the scheduler. */
static inline double horizon_quantile(const double *tunable, double chosen)
{
    return tunable[HORIZON_STEP] > 0 ? tunable[HORIZON_STEP] : chosen;
}
