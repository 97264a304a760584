/* Tunables of `lock_server`: rows as <ordo/scheduler/scheduler.h> says. */
#define SERVER_TUNABLES(X)                                                                                             \
    X(SERVER_ROLES, "roles", CHOICE, "auto", 0, 0, "auto|both|apart", "",                                              \
      "both: every thread is client and server; apart: some only serve; auto: both; cuda: blocks, apart; both: "       \
      "without supersteps; not for sums (cpu: apart takes 1.2x)")                                                      \
    X(SERVER_RATIO, "ratio", REAL, "0", 0, 1024, NULL, "clients",                                                      \
      "clients to a server where roles are apart; 0: automatic, which is 1; cuda: by form and how many are "           \
      "hot (halves, 128 K targets: 0.45, 16.1 G/s; 0.5, 14.9)")                                                        \
    X(SERVER_PARTITION, "partition", CHOICE, "auto", 0, 0, "auto|hash|metis|interleave", "",                           \
      "who owns a target: servers in turn, by hash, or by the part of the graph that METIS puts it into; "             \
      "auto: in turn, but on cuda those dealt out first that a sample says are asked for most, where they "            \
      "are few (sgd, cpu: metis 1.4x as fast)")                                                                        \
    X(SERVER_FORM, "form", CHOICE, "auto", 0, 0, "auto|plain|combine|chains", "",                                      \
      "combine: messages for one target are served together, on cuda sent together; chains (cuda, "                    \
      "data=global): served together, with no locks; auto: plain, or on cuda combine where few targets are "           \
      "hot (32 targets: plain 0.87 G/s, combine 15.1)")                                                                \
    X(SERVER_PAIRS, "pairs", CHOICE, "auto", 0, 0, "auto|nested|halves", "",                                           \
      "two targets: isolated by nested locks, or in two halves; auto: halves where the operator has them "             \
      "(cuda, 1 K targets: nested 0.13 G/s, halves 4.5)")                                                              \
    X(SERVER_DATA, "data", CHOICE, "auto", 0, 0, "auto|global|shared", "",                                             \
      "cuda: where the words of targets are during a run; auto: in the servers' shared memory where they "             \
      "fit, but for halves of few targets (1 K targets: global 7.6 G/s, shared 15.7)")

/* Constants of a release: see ORDO_TUNABLES. */
#define SERVER_CONSTANTS(X)                                                                                            \
    X(SERVER_GRAIN, "grain", INT, "0", 0, 65536, NULL, "targets",                                                      \
      "neighbouring targets of one owner (not metis), rounded down to a power of two; 0: a cache line's; cuda: 1")     \
    X(SERVER_RING, "ring", INT, "4096", 1, 1048576, NULL, "messages",                                                  \
      "places of a server's rings together, at least one for each client; cuda: of its one ring, at least 2048")       \
    X(SERVER_LOCKS, "locks", INT, "4096", 1, 1048576, NULL, "locks",                                                   \
      "cpu: locks of a server for nested pairs, rounded down to a power of two")                                       \
    X(SERVER_FLIGHT, "flight", INT, "0", 0, 65536, NULL, "requests",                                                   \
      "requests that a server sets aside at most, cuda: has in hand at once (pairs=nested), a warp or more; 0: "       \
      "automatic, on a cpu 256, on cuda by how many targets a sample finds")                                           \
    X(SERVER_CHUNK, "chunk", INT, "256", 1, 65536, NULL, "items",                                                      \
      "cpu: items that a client processes before it publishes, and serves again")                                      \
    X(SERVER_BLOCKS, "blocks", INT, "0", 0, 2, NULL, "blocks",                                                         \
      "cuda: blocks of 512 threads a multiprocessor; 0: two, or one where the words fit only so")

enum { SERVER_TUNABLES(ORDO_TUNABLE_ENUM) SERVER_CONSTANTS(ORDO_TUNABLE_ENUM) SERVER_ROWS };
enum { SERVER_TUNABLE_COUNT = 0 SERVER_TUNABLES(ORDO_TUNABLE_ONE) };
