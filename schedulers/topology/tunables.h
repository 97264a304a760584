/* Tunables of `topology`: rows as <ordo/scheduler/scheduler.h> says. */
#define TOPOLOGY_TUNABLES(X)                                                                                           \
    X(TOPOLOGY_DIRECTION, "direction", CHOICE, "push", 0, 0, "push|pull", "",                                          \
      "push: an item offers to its targets; pull: a vertex takes from its in-neighbours and is its own only "          \
      "writer")                                                                                                        \
    X(TOPOLOGY_SWEEP, "sweep", CHOICE, "alternate", 0, 0, "alternate|forward", "",                                     \
      "cpu: order of items within a thread's chunks: up and down in turn (Yen 1970), or always up (always "            \
      "up takes 0.7x on road-1M, 1.4x on mesh-60)")                                                                    \
    X(TOPOLOGY_SWEEPS, "sweeps", INT, "1", 1, 1024, NULL, "passes",                                                    \
      "pull: how often a thread (cuda: block) goes over a chunk before it takes another, as long as cells change: "    \
      "in place, without a barrier in between")

/* Constants of a release: see ORDO_TUNABLES. */
#define TOPOLOGY_CONSTANTS(X)                                                                                          \
    X(TOPOLOGY_CHUNK, "chunk", INT, "1024", 1, 1e9, NULL, "items",                                                     \
      "items that a thread takes at once, at most: fewer where there are few")                                         \
    X(TOPOLOGY_BLOCKS, "blocks", INT, "0", 0, 64, NULL, "blocks",                                                      \
      "cuda: blocks of 256 threads a multiprocessor; 0: as many as fit")                                               \
    X(TOPOLOGY_OWNERS, "owners", INT, "0", 0, 4096, NULL, "threads",                                                   \
      "cuda, owner: threads that own targets, rounded up to an even number where requests have two; 0: all, or then "  \
      "about the root of the number of items")

enum { TOPOLOGY_TUNABLES(ORDO_TUNABLE_ENUM) TOPOLOGY_CONSTANTS(ORDO_TUNABLE_ENUM) TOPOLOGY_ROWS };
enum { TOPOLOGY_TUNABLE_COUNT = 0 TOPOLOGY_TUNABLES(ORDO_TUNABLE_ONE) };
enum { TOPOLOGY_PUSH, TOPOLOGY_PULL }; /* values of direction */
