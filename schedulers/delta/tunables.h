/* Tunables of `delta`: rows as <ordo/scheduler.h> says. */
#define DELTA_TUNABLES(X)                                                                                              \
    X(DELTA_DELTA, "delta", REAL, "0", 0, 1e18, NULL, "priority",                                                      \
      "width of a bucket; 0: factor times mean weight over mean degree")                                               \
    X(DELTA_FACTOR, "factor", REAL, "0", 0, 1e9, NULL, "",                                                             \
      "what delta 0 multiplies mean weight over mean degree by; 0: chosen from the degrees")                           \
    X(DELTA_CHAIN, "chain", INT, "1024", 0, 1e9, NULL, "items",                                                        \
      "activations of the current bucket that a thread keeps and processes itself before it shares them; 0: none")     \
    X(DELTA_CHUNK, "chunk", INT, "64", 1, 65536, NULL, "items",                                                        \
      "items that a thread takes from a shared bucket at once")                                                        \
    X(DELTA_BUCKETS, "buckets", INT, "32", 2, 64, NULL, "buckets",                                                     \
      "bucket arrays a thread, rounded down to a power of two; what lies farther ahead waits in one more")

enum { DELTA_TUNABLES(ORDO_TUNABLE_ENUM) DELTA_TUNABLE_COUNT };
