/* Tunables of `inbox`: rows as <ordo/scheduler.h> says. */
#define INBOX_TUNABLES(X)                                                                                              \
    X(INBOX_DELTA, "delta", REAL, "0", 0, 1e18, NULL, "priority",                                                      \
      "width of a bucket; 0: factor times mean weight over mean degree")                                               \
    X(INBOX_FACTOR, "factor", REAL, "0", 0, 1e9, NULL, "",                                                             \
      "what delta 0 multiplies mean weight over mean degree by; 0: chosen from the degrees")                           \
    X(INBOX_WINDOW, "window", INT, "1", 0, 27, NULL, "buckets",                                                        \
      "how far beyond the lowest bucket that anybody has a worker goes")                                               \
    X(INBOX_RING, "ring", INT, "4096", 1, 1048576, NULL, "items",                                                      \
      "places in a worker's inbox, rounded down to a power of two")                                                    \
    X(INBOX_CHUNK, "chunk", INT, "256", 1, 65536, NULL, "items",                                                       \
      "items that a worker processes before it looks into its inbox again")

enum { INBOX_TUNABLES(ORDO_TUNABLE_ENUM) INBOX_TUNABLE_COUNT };
