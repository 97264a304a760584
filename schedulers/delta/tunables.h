/* Tunables of `delta`: rows as <ordo/scheduler/scheduler.h> says. */
#define DELTA_TUNABLES(X)                                                                                              \
    X(DELTA_DELTA, "delta", REAL, "0", 0, 1e18, NULL, "priority",                                                      \
      "width of a bucket; 0: factor times mean weight over mean degree")                                               \
    X(DELTA_FACTOR, "factor", REAL, "0", 0, 1e9, NULL, "",                                                             \
      "what delta 0 multiplies mean weight over mean degree by; 0: chosen from the degrees (mesh-100, cuda: "          \
      "2 takes 1.4x, 32 takes 2.6x)")                                                                                  \
    X(DELTA_CHAIN, "chain", INT, "1024", 0, 1e9, NULL, "items",                                                        \
      "cpu: activations of the current bucket that a thread keeps and processes itself before it shares "              \
      "them; 0: none (16 threads: 0 takes 1.5x on road-1M, 0.7x on rmat-20)")                                          \
    X(DELTA_BUCKETS, "buckets", INT, "32", 2, 64, NULL, "buckets",                                                     \
      "bucket arrays a thread, rounded down to a power of two; what lies farther ahead waits in one more (4 "          \
      "take 1.2x on rmat-20, 1.6x on mesh-60)")                                                                        \
    X(DELTA_CHAIN_LIMIT, "chain_limit", INT, "-1", -1, 1000000, NULL, "hops",                                          \
      "cuda: how far a warp follows its own activations where there is little work; -1: 128 where depth "              \
      "binds, 0 where hubs are, else 64, or 8 where priorities are classes of weights (0 takes 6.8x on "               \
      "road-1M)")                                                                                                      \
    X(DELTA_DYNAMIC, "dynamic", CHOICE, "on", 0, 0, "off|on", "",                                                      \
      "cuda: whether delta doubles where supersteps are short and warps idle, and halves where items come "            \
      "often (off, 16 times too narrow: 3.0x on a road)")                                                              \
    X(DELTA_POOL, "pool", INT, "0", 0, 4294967295.0, NULL, "items",                                                    \
      "cuda: capacity that all buckets share, which is memory; what exceeds it is spilled. 0: half the "               \
      "edges, and the vertices (100000 takes 3.6x on rmat-20)")

/* Constants of a release: see ORDO_TUNABLES. */
#define DELTA_CONSTANTS(X)                                                                                             \
    X(DELTA_CHUNK, "chunk", INT, "64", 1, 65536, NULL, "items",                                                        \
      "the most items that a thread takes from a shared bucket at once")                                               \
    X(DELTA_ALONE, "alone", INT, "128", 0, 1e9, NULL, "items",                                                         \
      "cpu: if one thread has all items, and no more than these, it processes bucket after bucket by itself")          \
    X(DELTA_PATIENCE, "patience", INT, "64", 0, 1e9, NULL, "items",                                                    \
      "cpu: a chain of more items is shared once half of the threads wait for it")                                     \
    X(DELTA_RUN_AHEAD, "run_ahead", INT, "1", 0, 32, NULL, "buckets",                                                  \
      "cpu: a thread that waits for others processes its own items of so many buckets behind the current one")         \
    X(DELTA_LATENCY_BOUND, "latency_bound", INT, "-1", -1, 4294967295.0, NULL, "items",                                \
      "cuda: less than that in a superstep is little work: chains are followed, cells improved without a test; "       \
      "-1: a 64th of all, 32768 at least")                                                                             \
    X(DELTA_LANES, "lanes", CHOICE, "on", 0, 0, "off|on", "",                                                          \
      "cuda: where there is little work and no records, eight lanes expand a row, so that a hop needs no search for "  \
      "who has which edge")                                                                                            \
    X(DELTA_SHARE, "share", CHOICE, "on", 0, 0, "off|on", "",                                                          \
      "cuda: with lanes, warps of a block share what one of them activates before they meet")                          \
    X(DELTA_SPREAD, "spread", CHOICE, "on", 0, 0, "off|on", "",                                                        \
      "cuda: where hubs are, a warp's entries are not consecutive, which pieces of one hub are")                       \
    X(DELTA_RECORDS, "records", CHOICE, "on", 0, 0, "off|on", "",                                                      \
      "cuda: edges of vertices beside them, 32 bytes a vertex, where nearly all have at most four")                    \
    X(DELTA_BLOCKS, "blocks", INT, "0", 0, 64, NULL, "blocks",                                                         \
      "cuda: blocks of 256 threads a multiprocessor; 0: as many as fit")

enum { DELTA_TUNABLES(ORDO_TUNABLE_ENUM) DELTA_CONSTANTS(ORDO_TUNABLE_ENUM) DELTA_ROWS };
enum { DELTA_TUNABLE_COUNT = 0 DELTA_TUNABLES(ORDO_TUNABLE_ONE) };
