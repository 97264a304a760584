/* Tunables of `near_far`: rows as <ordo/scheduler/scheduler.h> says. */
#define NEAR_FAR_TUNABLES(X)                                                                                           \
    X(NEAR_FAR_DELTA, "delta", REAL, "0", 0, 1e18, NULL, "priority",                                                   \
      "distance between thresholds; 0: factor times mean weight over mean degree, which is what to vary "              \
      "first")                                                                                                         \
    X(NEAR_FAR_FACTOR, "factor", REAL, "32", 1e-6, 1e9, NULL, "",                                                      \
      "what delta 0 multiplies mean weight over mean degree by, 32 in the paper: a warp's width (8: 0.7 to "           \
      "1.4x, 128: 0.8 to 3.3x)")

/* Constants of a release: see ORDO_TUNABLES. */
#define NEAR_FAR_CONSTANTS(X)                                                                                          \
    X(NEAR_FAR_CHAIN, "chain", INT, "1024", 0, 1e9, NULL, "items",                                                     \
      "cpu: near activations that a thread keeps and processes itself before it shares them, where there are fewer "   \
      "than 8 edges a vertex; 0: none")                                                                                \
    X(NEAR_FAR_ALONE, "alone", INT, "128", 0, 1e9, NULL, "items",                                                      \
      "cpu: if one thread has all near items, and no more than these, it goes on by itself")                           \
    X(NEAR_FAR_PATIENCE, "patience", INT, "64", 0, 1e9, NULL, "items",                                                 \
      "cpu: a chain of more items is shared once half of the threads wait for it")                                     \
    X(NEAR_FAR_CHUNK, "chunk", INT, "64", 1, 65536, NULL, "items",                                                     \
      "the most items that a thread takes from the near pile at once")                                                 \
    X(NEAR_FAR_BLOCKS, "blocks", INT, "0", 0, 64, NULL, "blocks",                                                      \
      "cuda: blocks of 256 threads a multiprocessor; 0: as many as fit")

enum { NEAR_FAR_TUNABLES(ORDO_TUNABLE_ENUM) NEAR_FAR_CONSTANTS(ORDO_TUNABLE_ENUM) NEAR_FAR_ROWS };
enum { NEAR_FAR_TUNABLE_COUNT = 0 NEAR_FAR_TUNABLES(ORDO_TUNABLE_ONE) };
