/* Tunables of `adds`: rows as <ordo/scheduler/scheduler.h> says. Section numbers are those of Wang's thesis. */
#define ADDS_TUNABLES(X)                                                                                               \
    X(ADDS_MANAGER, "manager", CHOICE, "combining", 0, 0, "combining|dedicated", "",                                   \
      "cpu: which thread assigns work: any idle thread for a moment, or thread 0 and nothing else (5.3; "              \
      "dedicated takes 1.8 to 2.4x on 2 cores)")                                                                       \
    X(ADDS_BUCKETS, "buckets", INT, "32", 2, 32, NULL, "buckets",                                                      \
      "buckets in the circle (5.5; 2 take 1.2x on road-1M, 1.6x on mesh-100, cuda)")                                   \
    X(ADDS_POOL, "pool", INT, "0", 0, 2147483648.0, NULL, "items",                                                     \
      "capacity of the pool that all buckets share, which is memory; 0: half the edges (5.6; cuda, rmat-20: "          \
      "1000000 takes 4.6x)")                                                                                           \
    X(ADDS_CONCURRENT_MIN, "concurrent_min", INT, "0", 0, 32, NULL, "buckets",                                         \
      "buckets dequeued from at once, at least; 0: 2, cuda: 4 where neither depth nor memory binds (5.5; 1 "           \
      "takes 1.2x on rmat-20, 0.8x on mesh-100)")                                                                      \
    X(ADDS_CONCURRENT_MAX, "concurrent_max", INT, "4", 1, 32, NULL, "buckets",                                         \
      "buckets dequeued from at once, at most (5.5; cuda: 1 takes 1.1x on road-1M, 16 takes 1.2x on "                  \
      "mesh-100)")                                                                                                     \
    X(ADDS_DELTA, "delta", REAL, "0", 0, 1e18, NULL, "priority",                                                       \
      "width of a bucket at the start; 0: factor times mean weight over mean degree (5.7)")                            \
    X(ADDS_FACTOR, "factor", REAL, "0", 0, 1e9, NULL, "",                                                              \
      "what delta 0 multiplies mean weight over mean degree by; 0: chosen from the degrees (cuda: 2 takes "            \
      "2.8x on road-1M, 128 takes 1.6x on mesh-100)")                                                                  \
    X(ADDS_DYNAMIC, "dynamic", CHOICE, "on", 0, 0, "off|on", "",                                                       \
      "whether delta and the number of buckets dequeued from change while it runs (5.7; off, cuda: 1.1x on "           \
      "road-1M, 0.8x on mesh-100)")                                                                                    \
    X(ADDS_CHAIN, "chain", INT, "-1", -1, 1000000, NULL, "hops",                                                       \
      "cuda: how far a warp follows its own activations where there is little work; 0: never, as in the "              \
      "paper; -1: 64, or 8 where priorities are classes of weights and degrees even (0 takes 7.4x on "                 \
      "road-1M)")

/* Constants of a release: see ORDO_TUNABLES. */
#define ADDS_CONSTANTS(X)                                                                                              \
    X(ADDS_BLOCK, "block", INT, "65536", 64, 16777216, NULL, "items",                                                  \
      "unit of the pool, rounded down to a power of two; smaller where the pool has fewer than 8 a bucket (5.6)")      \
    X(ADDS_SEGMENT, "segment", INT, "256", 1, 65536, NULL, "items",                                                    \
      "items a write-finished counter, rounded down to a power of two, at most a block (5.4)")                         \
    X(ADDS_GRAIN, "grain", INT, "1024", 1, 16384, NULL, "items", "most items of an assignment (5.4)")                  \
    X(ADDS_GRAIN_MIN, "grain_min", INT, "0", 0, 16384, NULL, "items",                                                  \
      "what an assignment is not split below; 0: 32 over the mean degree (5.4)")                                       \
    X(ADDS_CLIP, "clip", REAL, "0.65", 0, 1, NULL, "",                                                                 \
      "delta doubles where more than this share of an epoch's pushes goes to the tail; 1: never (5.7.1)")              \
    X(ADDS_UTIL_LOW, "util_low", REAL, "0.03", 0, 1, NULL, "",                                                         \
      "more buckets at once, then a larger delta, where utilisation is below (5.7.2)")                                 \
    X(ADDS_UTIL_HIGH, "util_high", REAL, "0", 0, 1, NULL, "",                                                          \
      "fewer buckets at once, then a smaller delta, where utilisation is above; 0: 0.3, cuda: 0.6 (5.7.2)")            \
    X(ADDS_COOLDOWN, "cooldown", INT, "3", 0, 1000, NULL, "switches",                                                  \
      "head switches that delta stays after it was changed (5.7.2)")                                                   \
    X(ADDS_EPOCH, "epoch", INT, "0", 0, 1000000, NULL, "assignments",                                                  \
      "between two looks at clipping and utilisation; 0: 32, cuda: 2 a worker")                                        \
    X(ADDS_START_INDEX, "start_index", INT, "0", 0, 4294967295.0, NULL, "",                                            \
      "first index of every bucket; near 2^32 it wraps round early, which is for tests")                               \
    X(ADDS_BLOCKS, "blocks", INT, "0", 0, 2, NULL, "blocks",                                                           \
      "cuda: blocks of 320 threads a multiprocessor, the manager's among them; 0: as many as fit")                     \
    X(ADDS_WORKERS, "workers", INT, "0", 0, 1024, NULL, "blocks", "cuda: worker blocks; 0: all")                       \
    X(ADDS_LATENCY_BOUND, "latency_bound", REAL, "0.5", 0, 1, NULL, "",                                                \
      "cuda: utilisation below which warps follow chains and do not test before an atomic")                            \
    X(ADDS_RECORDS, "records", CHOICE, "on", 0, 0, "off|on", "",                                                       \
      "cuda: edges of vertices beside them, 32 bytes a vertex, where nearly all have at most four")                    \
    X(ADDS_TRANSLATION, "cache", CHOICE, "on", 0, 0, "off|on", "",                                                     \
      "cuda: whether a worker caches where a bucket's blocks lie (5.6)")                                               \
    X(ADDS_RESERVE, "reserve", CHOICE, "warp", 0, 0, "thread|warp", "",                                                \
      "cuda: who touches a bucket's counters: every thread for itself, or one lane for its warp (5.4)")

enum { ADDS_TUNABLES(ORDO_TUNABLE_ENUM) ADDS_CONSTANTS(ORDO_TUNABLE_ENUM) ADDS_ROWS };
enum { ADDS_TUNABLE_COUNT = 0 ADDS_TUNABLES(ORDO_TUNABLE_ONE) };
