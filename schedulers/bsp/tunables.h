/* Tunables of `bsp`: rows as <ordo/scheduler/scheduler.h> says. */
#define BSP_TUNABLES(X)                                                                                                \
    X(BSP_DIRECTION, "direction", CHOICE, "auto", 0, 0, "auto|push|pull", "",                                          \
      "push from the frontier, pull into vertices, or choose by superstep; pull only where operators declare "         \
      "ORDO_RELAX_FINAL or, on a CPU, sum, and are edge-blind (bfs, rmat-20: push alone takes 4.7x; cuda 4.2x)")       \
    X(BSP_ALPHA, "alpha", REAL, "15", 1e-6, 1e9, NULL, "",                                                             \
      "auto pulls when the frontier has more than 1/alpha of the edges not yet looked at, and has doubled")            \
    X(BSP_BETA, "beta", REAL, "0", 0, 1e9, NULL, "",                                                                   \
      "auto pushes again when the frontier has fewer than n/beta vertices; 0: 18, on a GPU 400 (bfs, rmat-20: 4 "      \
      "takes 1.2x; cuda, uniform 2^22: 18 takes 1.1x)")                                                                \
    X(BSP_MAX_CONTENDERS, "max_contenders", INT, "0", 0, 4096, NULL, "threads",                                        \
      "cuda, lock: threads a multiprocessor that run sections, at most as many as fit; 0: 32 to 1024, by "             \
      "how few targets a sample of the requests shares (1 K targets: all of them, on a table, 0.24 G/s, the "          \
      "choice 2.1)")                                                                                                   \
    X(BSP_LOCK_PLACE, "lock_place", CHOICE, "auto", 0, 0, "auto|table|word", "",                                       \
      "cuda, lock: a table of locks, or a bit of the target's own word; auto: the word where the operator "            \
      "has it (4 M targets: 12.6 G/s, 30.5 in words)")                                                                 \
    X(BSP_LOCK_ORDER, "lock_order", CHOICE, "any", 0, 0, "any|fifo", "",                                               \
      "lock: to whom a lock passes: any that tries, or in the order of asking (cpu, cuda with a table)")               \
    X(BSP_APPEND, "append", CHOICE, "buffer", 0, 0, "buffer|atomic|warp|prefix|scatter", "",                           \
      "relax: how activated items get onto the next frontier: by a buffer for each thread (cuda: block); a "           \
      "counted place for each item, or for 32; a prefix sum behind a barrier; a place for each edge, then gathered. "  \
      "All but buffer push alone")                                                                                     \
    X(BSP_DEDUP, "dedup", CHOICE, "auto", 0, 0, "auto|off|on", "",                                                     \
      "relax: whether an item that is activated several times in a superstep is listed once; auto: cuda on, cpu off, " \
      "where overtaken entries are skipped")                                                                           \
    X(BSP_BALANCE, "balance", CHOICE, "chunks", 0, 0, "chunks|donate", "",                                             \
      "relax: threads (cuda: blocks) take chunks of the frontier, or have even parts of it, and give away what is "    \
      "beyond the mean of edges")                                                                                      \
    X(BSP_EXCHANGE, "exchange", CHOICE, "auto", 0, 0, "auto|eager|bulk|atomic", "",                                    \
      "several GPUs: messages are stored into the owner's memory as targets improve; or, one for each target, behind " \
      "a superstep; or, if an atomic has improved the owner's cell; auto: eager where all candidates of a superstep "  \
      "are equal, bulk for sums, else atomic (four GPUs, uniform-24: bulk takes 1.3x; two, rmat-24: eager 1.1x)")

/* Constants of a release: see ORDO_TUNABLES. */
#define BSP_CONSTANTS(X)                                                                                               \
    X(BSP_CHUNK, "chunk", INT, "64", 1, 65536, NULL, "items",                                                          \
      "the most items that a thread takes from the frontier at once")                                                  \
    X(BSP_BLOCKS, "blocks", INT, "0", 0, 64, NULL, "blocks",                                                           \
      "cuda: blocks (of 512 threads if steps may pull, else 256) a multiprocessor; 0: as many as fit")                 \
    X(BSP_SLEEP, "sleep", INT, "0", 0, 1000000, NULL, "ns",                                                            \
      "cuda, lock: who finds a lock taken sleeps 32 ns, doubled each time up to this; 0: tries again at once")

enum { BSP_TUNABLES(ORDO_TUNABLE_ENUM) BSP_CONSTANTS(ORDO_TUNABLE_ENUM) BSP_ROWS };
enum { BSP_TUNABLE_COUNT = 0 BSP_TUNABLES(ORDO_TUNABLE_ONE) };
enum { BSP_AUTO, BSP_PUSH, BSP_PULL };                              /* values of direction */
enum { BSP_BUFFER, BSP_ATOMIC, BSP_WARP, BSP_PREFIX, BSP_SCATTER }; /* of append */
enum { BSP_EITHER, BSP_EACH, BSP_ONCE };                            /* of dedup: auto, off, on */
enum { BSP_CHUNKS, BSP_DONATE };                                    /* of balance */
enum { BSP_CHOSEN, BSP_EAGER, BSP_BULK, BSP_REMOTE };               /* of exchange */
/* auto: a search of a directed graph without in-rows pushes. Making them costs about what pulling saves over so many
 * times its edges: on a CPU; on a GPU; by the CPU, with a copy to the GPU, where the GPU has too little memory. On one
 * H100 the in-rows of rmat-22 take 5.6 ms, a search that pulls 0.24 and one that pushes 1.29 (lab 0072). */
enum { BSP_TRANSPOSE = 4, BSP_TRANSPOSE_CUDA = 6, BSP_TRANSPOSE_BUS = 512 };
/* beta, where it is 0. On a GPU a step that pulls reads two bits a vertex, and one that pushes makes a list first: on
 * an H200 rmat 2^24 takes 31 us for the pull of 960 000 items, and 150 for the push of 820 000. */
enum { BSP_BETA_CPU = 18, BSP_BETA_CUDA = 400 };
enum { BSP_GROWTH = 2 }; /* auto: a frontier has doubled if it has more than so many times the items of the last */
