/* Tunables of `inbox`: rows as <ordo/scheduler/scheduler.h> says. */
#define INBOX_TUNABLES(X)                                                                                              \
    X(INBOX_DELTA, "delta", REAL, "0", 0, 1e18, NULL, "priority",                                                      \
      "width of a bucket; 0: factor times mean weight over mean degree")                                               \
    X(INBOX_FACTOR, "factor", REAL, "0", 0, 1e9, NULL, "",                                                             \
      "what delta 0 multiplies mean weight over mean degree by; 0: chosen from the degrees (cuda: 2 takes "            \
      "1.3x on road-1M, 32 takes 1.9x on mesh-100)")                                                                   \
    X(INBOX_WINDOW, "window", INT, "-1", -1, 27, NULL, "buckets",                                                      \
      "how far beyond the lowest bucket that any worker has a worker goes; -1: 1, cuda: 0 where depth "                \
      "binds, else 3 (0 takes 2.0x on mesh-100)")                                                                      \
    X(INBOX_DYNAMIC, "dynamic", CHOICE, "on", 0, 0, "off|on", "",                                                      \
      "cuda: whether delta doubles where buckets take no time and workers are idle, and halves where work "            \
      "repeats (off, 16 times too narrow: 2.2x on a road)")                                                            \
    X(INBOX_CHAIN_LIMIT, "chain_limit", INT, "-1", -1, 1000000, NULL, "hops",                                          \
      "cuda: how far a warp follows its own activations; -1: 64 where depth binds, 16 on even degrees, else "          \
      "0 (0 takes 3.9x on road-1M)")                                                                                   \
    X(INBOX_WORKERS, "workers", INT, "0", 0, 1000000, NULL, "warps",                                                   \
      "cuda: workers; 0: all warps but one, on even degrees five in eight (1000 take 1.1x on mesh-100)")

/* Constants of a release: see ORDO_TUNABLES. */
#define INBOX_CONSTANTS(X)                                                                                             \
    X(INBOX_RING, "ring", INT, "0", 0, 1048576, NULL, "items",                                                         \
      "places of a ring, rounded down to a power of two; 0: 4096, cuda: 64 to 4096, by the vertices a warp")           \
    X(INBOX_BITMAP_THRESHOLD, "bitmap_threshold", INT, "0", 0, 4294967295.0, NULL, "items",                            \
      "cuda: items that wait in a bucket, from which on more of them are a bit each; 0: half of the "                  \
      "rings' room where a run begins with most items, else never")                                                    \
    X(INBOX_CHUNK, "chunk", INT, "256", 1, 65536, NULL, "items",                                                       \
      "items that a worker processes before it looks into its inbox again")                                            \
    X(INBOX_RECORDS, "records", CHOICE, "on", 0, 0, "off|on", "",                                                      \
      "cuda: edges of vertices beside them, 32 bytes a vertex, where nearly all have at most four")                    \
    X(INBOX_BLOCKS, "blocks", INT, "0", 0, 64, NULL, "blocks",                                                         \
      "cuda: blocks of 256 threads a multiprocessor; 0: as many as fit")

enum { INBOX_TUNABLES(ORDO_TUNABLE_ENUM) INBOX_CONSTANTS(ORDO_TUNABLE_ENUM) INBOX_ROWS };
enum { INBOX_TUNABLE_COUNT = 0 INBOX_TUNABLES(ORDO_TUNABLE_ONE) };
