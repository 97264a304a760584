/* harness.h -- shared by figures, stress and random_runs: a run of a relax operator by name, its expected answer, and
 * adverse settings.
 *
 * Operators: sssp_u32, sssp_f32, bfs, cc and widest_u32; their cells are words of 32 bits. */
#ifndef TESTS_GPU_HARNESS_H
#define TESTS_GPU_HARNESS_H

#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

enum { TRIAL_SETTINGS = 4, TRIAL_OPERATORS = 5 };
extern const char *const trial_operators[TRIAL_OPERATORS];

/* Settings of a scheduler, NULL after the last one, if fewer than TRIAL_SETTINGS. */
typedef const char *const trial_settings[TRIAL_SETTINGS];
/* Adverse settings of a scheduler, each for one mechanism: rings of one place, pools of one block, unbounded chains,
 * buckets that hold everything or one value. If there are none for a scheduler, *count is 0. */
trial_settings *trial_hard(const char *scheduler, size_t *count);
/* Into options, whose scheduler is set, those that the library takes (settings.h); `text` is what people read. Valid
 * until the thread's next call. */
void trial_set(ordo_options *options, trial_settings settings, char *text, size_t capacity);

double trial_now(void); /* seconds */

/* A run from `source`, which cc does without. Cells [n] begin as the operator wants them. */
ordo_status trial_run(const ordo_graph *g, const char *op, ordo_item source, const ordo_options *options,
                      ordo_u32 *cells, ordo_stats *stats);
/* The same with all items as initial items, most of which have nothing to propose. */
ordo_status trial_run_all(const ordo_graph *g, const char *op, ordo_item source, const ordo_options *options,
                          ordo_u32 *cells, ordo_stats *stats);
/* Only the checks of such a run. */
ordo_status trial_check(const ordo_graph *g, const char *op, const ordo_options *options);

/* The same graph, or, where the operator's weights are f32 and the graph's are not, one with its weights as f32. To be
 * given back; `words` to be freed after that. NULL: no memory. */
ordo_graph *trial_graph(ordo_graph *g, const char *op, ordo_u32 **words);

/* Cells that a loop over all edges ends with, in no scheduler's code or order. For small graphs. */
void trial_naive(const ordo_graph *g, const char *op, ordo_item source, ordo_u32 *cells);

/* Whether cells are right, from the cells alone, in a pass over the edges on all cores. Right: the source has its own,
 * no edge improves anything, so no value is too bad; and every value but the source's is met exactly by an edge from a
 * vertex that is strictly better, so none is too good. OPEN: some is met by no better vertex, but by one as good
 * (weights of 0), or the operator is one for which that says nothing: cc, widest. */
typedef enum trial_verdict { TRIAL_RIGHT, TRIAL_WRONG, TRIAL_OPEN } trial_verdict;
trial_verdict trial_certify(const ordo_graph *g, const char *op, ordo_item source, const ordo_u32 *cells);

/* How many of the n cells differ from `expected`, and the first of them. */
ordo_u64 trial_differ(const ordo_u32 *cells, const ordo_u32 *expected, ordo_u64 n, ordo_vid *first);
/* Whether a cell is what it was before anything reached it. */
bool trial_untouched(const char *op, ordo_vid v, ordo_u32 cell);
/* Whether a is a better cell than b. */
bool trial_better(const char *op, ordo_u32 a, ordo_u32 b);

/* The vertex with the most out-edges. */
ordo_vid trial_busiest(const ordo_graph *g);
/* `count` sources: vertices with out-edges that are reached from the busiest one. False: a run failed. */
bool trial_sources(const ordo_graph *g, ordo_u64 seed, size_t count, ordo_vid *out);

#endif
