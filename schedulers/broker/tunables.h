/* Tunables of `broker`: rows as <ordo/scheduler/scheduler.h> says. */
#define BROKER_TUNABLES(X)                                                                                             \
    X(BROKER_QUEUE, "queue", CHOICE, "bq", 0, 0, "bq|bwd", "",                                                         \
      "bq: the Broker Queue, which answers empty or full only where that is certain; bwd: the Broker Work "            \
      "Distributor, which asks once")                                                                                  \
    X(BROKER_BATCH, "batch", INT, "64", 1, 65536, NULL, "items",                                                       \
      "the most items that a thread takes at once; cuda: a warp, 32 at most")                                          \
    X(BROKER_STAGE, "stage", INT, "64", 1, 65536, NULL, "items",                                                       \
      "a CPU's: activations that a thread collects before it puts them into the queue, at the end of a batch at "      \
      "the latest")                                                                                                    \
    X(BROKER_RING, "ring", INT, "0", 0, 1073741824, NULL, "items",                                                     \
      "places of the queue, rounded up to a power of two; a thread keeps what does not fit. 0: as many as "            \
      "there are items, 65536 at most (cuda: 4194304)")

/* The places of a run's queue: by the tunable, or the number of its items. */
#define BROKER_PLACES(_ring, _items) ((_ring) > 0 ? (ordo_u64)(_ring) : (_items) < 65536 ? (_items) : (ordo_u64)65536)

enum { BROKER_TUNABLES(ORDO_TUNABLE_ENUM) BROKER_ROWS };
