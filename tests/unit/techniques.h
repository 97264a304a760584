/* techniques.h -- the techniques of Nasre, Burtscher and Pingali (Atomic-free irregular computations on GPUs, GPGPU-6,
 * 2013) as runs, and what each needs of an operator. techniques_test.c asks the library whether that is so, for every
 * operator; tools/properties writes docs/properties.md from these rows.
 *
 * X(section, technique, scheduler, sync, settings, kind, needs, derived, why)
 *   sync, settings  as --sync and --set take them; settings are separated by spaces
 *   needs           an operator of that kind runs if it has these properties, and is refused if it lacks one
 *   derived         1: the run also needs what no property says, so having them all is not enough
 */
#define TECHNIQUES(X)                                                                                                  \
    X("3.1", "places in a list by a prefix sum", "bsp", "atomic", "append=prefix", ORDO_KIND_RELAX, ORDO_MONOTONE, 0,  \
      "places are disjoint; monotone is asked for by bsp, which skips what was overtaken")                             \
    X("3.1", "donation of work", "bsp", "atomic", "balance=donate", ORDO_KIND_RELAX, ORDO_MONOTONE, 0,                 \
      "ranges of a list are disjoint, whoever processes them")                                                         \
    X("3.2", "race and resolve, AND", "bsp", "race", "", ORDO_KIND_CRITICAL, 0, 0,                                     \
      "a section runs when it has all of its targets: exclusion asks nothing of it")                                   \
    X("3.2", "race and resolve, AND, every item in every round", "topology", "race", "", ORDO_KIND_CRITICAL,           \
      ORDO_IDEMPOTENT, 0, "items are prepared again although nothing has changed")                                     \
    X("3.2", "race and resolve, OR", "bsp", "race", "", ORDO_KIND_RELAX,                                               \
      ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_SELECTIVE, 0,                                                             \
      "an item gets some of its targets, and is tried again for the others: its candidates are offered twice, and a "  \
      "loser that is no longer better is dropped")                                                                     \
    X("3.2", "unique elements of a list (figure 5)", "bsp", "atomic", "append=prefix dedup=on", ORDO_KIND_RELAX,       \
      ORDO_MONOTONE, 0, "an item that is listed once is processed with its last value")                                \
    X("3.3", "benign overlaps", "bsp", "racy", "", ORDO_KIND_RELAX,                                                    \
      ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_UNIFORM | ORDO_SELECTIVE, 0,                                              \
      "all that is stored to a cell in a superstep is one value, so it does not matter whose store is last")           \
    X("3.3", "benign overlaps, no exchange and no atomic append", "bsp", "racy", "append=prefix dedup=off",            \
      ORDO_KIND_RELAX, ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_UNIFORM | ORDO_SELECTIVE, 0,                             \
      "besides, several threads list the item that they have all improved")                                            \
    X("4.1", "plain stores, every item in every round", "topology", "racy", "", ORDO_KIND_RELAX,                       \
      ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_SELECTIVE, 0,                                                             \
      "a lost update is offered again in the next round, and never makes a cell worse than a round ago")               \
    X("4.2", "a worklist with duplicates", "bsp", "atomic", "dedup=off", ORDO_KIND_RELAX,                              \
      ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_SELECTIVE, 0, "an item may be processed several times with one value")    \
    X("4.3", "candidates joined before they are served", "lock_server", "server", "form=combine", ORDO_KIND_RELAX,     \
      ORDO_MONOTONE | ORDO_ASSOCIATIVE, 0, "candidates of a target may be put together in any grouping")               \
    X("5.1", "pulling: a cell has one writer", "topology", "racy", "direction=pull", ORDO_KIND_RELAX,                  \
      ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_SELECTIVE | ORDO_EDGE_BLIND, 1,                                           \
      "in-rows number edges otherwise; targets must be heads")                                                         \
    X("5.1", "pulling in place, without barriers between passes", "topology", "racy", "direction=pull sweeps=8",       \
      ORDO_KIND_RELAX, ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_SELECTIVE | ORDO_EDGE_BLIND, 1,                          \
      "an older value that is read costs a pass, and nothing else")                                                    \
    X("5.2", "scatter and gather", "bsp", "atomic", "append=scatter", ORDO_KIND_RELAX, ORDO_MONOTONE, 0,               \
      "every edge has a place of its own")
