/* common.h -- helpers of the apps: checks, loops on all threads, copies of rows, answers. */
#ifndef ORDO_COMMON_H
#define ORDO_COMMON_H

#include <stdbool.h>

#include "apps/app.h"
#include "apps/path_query.h"

#include <ordo/operator/operator.h>
#include <string.h>

/* ORDO_ERR_NEGATIVE_WEIGHT or ORDO_ERR_INPUT with the first edge whose weight is negative, NaN or infinite. `paths`:
 * the problem, for the message: "shortest paths". `hint`: what else can take negative weights, or NULL. */
ordo_status ordo_check_weights(const ordo_graph *g, const char *paths, const char *hint);

/* The options, with that scheduler where they name none. */
ordo_options ordo_options_or(const ordo_options *options, const char *scheduler);
/* The same, but with "auto" where the run is on a GPU, because of --device cuda, or auto where there is one, and where
 * edges are asked for as items. */
ordo_options ordo_options_or_auto(const ordo_options *options, const char *scheduler);
/* The instance of an operator that is a template for the graph's weights; u32 where it has none. */
const ordo_operator *ordo_operator_for(const char *name, const ordo_graph *g);
/* A run whose items are the graph's vertices, with a cell for each. from: the initial items; NULL: all. For checks and
 * predictions, which read neither, cells and state may be anything but NULL. */
ordo_work ordo_vertex_work(const ordo_operator *op, const ordo_graph *g, const void *state, void *cells,
                           const ordo_sources *from);
/* One source, for checks and predictions. */
#define ORDO_FIRST_VERTEX                                                                                              \
    {                                                                                                                  \
        .vertex = (const ordo_vid[]){0}, .count = 1                                                                    \
    }
/* The largest u32 that is within the limit and does not mean "unreached". */
ordo_u32 ordo_limit_u32(double limit);

/* Words: the bits of a weight, a distance or a width, of 4 or 8 bytes, those of 4 with zeros above them. */
static inline bool ordo_is_wide(ordo_type type)
{
    return ordo_type_bytes(type) == 8;
}
static inline bool ordo_is_real(ordo_type type)
{
    return type == ORDO_F32 || type == ORDO_F64;
}
/* The word of edge e's weight; 1 where the graph has none. */
static inline ordo_u64 ordo_weight_word(const ordo_csr *g, ordo_eid e)
{
    if (!g->weight)
        return 1;
    const void *at = ordo_csr_weight_at(g, e);
    return ordo_is_wide(g->weight_type) ? (ordo_u64)ordo_get_i64(at) : *(const ordo_u32 *)at;
}
/* Word i of an array of that type. */
static inline ordo_u64 ordo_word_at(ordo_type type, const void *words, ordo_u64 i)
{
    return ordo_is_wide(type) ? ((const ordo_u64 *)words)[i] : ((const ordo_u32 *)words)[i];
}
static inline void ordo_word_set(ordo_type type, void *words, ordo_u64 i, ordo_u64 word)
{
    if (ordo_is_wide(type))
        ((ordo_u64 *)words)[i] = word;
    else
        ((ordo_u32 *)words)[i] = (ordo_u32)word;
}
/* The word of an integer or a real of that type. */
ordo_u64 ordo_word_of(ordo_type type, ordo_i64 whole, double real);
/* A word of an integer as an integer; a word as a double, which rounds i64. */
ordo_i64 ordo_word_whole(ordo_type type, ordo_u64 word);
double ordo_word_value(ordo_type type, ordo_u64 word);
/* The word that means "unreached". Words of distances, which are not negative, compare as the distances do, for every
 * type; this one is the largest. */
ordo_u64 ordo_unreached_word(ordo_type type);
/* Text of a word. */
typedef struct ordo_word_text {
    char text[40];
} ordo_word_text;
ordo_word_text ordo_word_print(ordo_type type, ordo_u64 word);
/* "u32", "i32", ... */
const char *ordo_type_text(ordo_type type);
/* ORDO_ERR_USAGE where weights have 8 bytes: `what` does not take them. */
ordo_status ordo_check_narrow(const ordo_graph *g, const char *what);

/* Memory of ordo_alloc() that has not been written, or NULL. */
typedef struct ordo_new_block {
    void *data;
    ordo_u64 bytes;
} ordo_new_block;
/* Faults in the pages of new blocks on `threads` threads (0: one for each core), each huge page by one of them. Without
 * that, threads that write neighbouring parts of a block fault on the same huge page at the same time: each clears a
 * page, and the kernel keeps one of these. Changes the contents. */
ordo_status ordo_prefault(int threads, const ordo_new_block *block, int count);

/* Calls fn(arg, begin, end) on parts that cover 0 .. count - 1, on `threads` threads (0: one for each core). Parts have
 * `grain` indices and are taken by free threads; grain 0: one part for each thread, in order. Little work is done by
 * the caller alone, unwatched. Where a watch cancels, parts are left out: ORDO_ERR_CANCELLED. */
typedef void ordo_range_fn(void *arg, ordo_u64 begin, ordo_u64 end);
ORDO_API ordo_status ordo_for_ranges(int threads, ordo_u64 count, ordo_u64 grain, ordo_range_fn *fn, void *arg);

/* Seconds of a monotonic clock. */
double ordo_clock(void);

enum { ORDO_GRAIN = 1024 }; /* rows at once */

/* Sets every word; each thread touches its own part first. */
ordo_status ordo_fill(int threads, ordo_u32 *words, ordo_u64 count, ordo_u32 value);
/* The same of an array of that type. */
ordo_status ordo_fill_words(int threads, ordo_type type, void *words, ordo_u64 count, ordo_u64 value);
/* The same with word[i] = i. */
ordo_status ordo_fill_ids(int threads, ordo_u32 *words, ordo_u64 count);

/* A copy of the graph without weights, rows sorted by head; ORDO_SYMMETRISE: with the reverse of every edge. */
ordo_status ordo_copy_rows(const ordo_graph *g, ordo_direction direction, int threads, ordo_graph **out);
/* Bytes of that copy; *lists: bytes that are needed in addition while it is made. */
ordo_u64 ordo_copy_memory(const ordo_graph *g, ordo_direction direction, ordo_u64 *lists);

/* For ordo_app.own_rows_suffice: of every graph; of one that has both directions of every edge, so that no copy is made
 * and out-rows are in-rows. */
bool ordo_own_rows_always(const ordo_graph *g, const ordo_options *options);
bool ordo_own_rows_symmetric(const ordo_graph *g, const ordo_options *options);

/* Sets *least to value if that is smaller. */
static inline void ordo_keep_least_u64(ordo_u64 *least, ordo_u64 value)
{
    ordo_u64 old = __atomic_load_n(least, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(least, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* The largest of values that are not negative; 0 of none. */
double ordo_largest(int threads, const double *values, ordo_u64 count);

/* Arrays for an answer of that type on n vertices, the old ones where they fit. */
ordo_status ordo_answer_capacity(ordo_answer *answer, ordo_type type, ordo_u64 n, bool want_pred);
/* Makes the arrays of predecessors and of nearest sources that the input wants and the answer has not. */
ordo_status ordo_answer_lists(ordo_answer *answer, const ordo_app_input *input);
/* Gives components, which are numbered as vertices are, the least name of their vertices; names NULL: leaves them. */
ordo_status ordo_name_components(const ordo_vid *names, ordo_u64 n, ordo_u32 *component);
/* The query of a run on that input, and the answer whose arrays it fills; both point into what they are made of.
 * Allocates predecessors and sources where they are wanted. */
ordo_path_query ordo_input_query(const ordo_app_input *input);
ordo_status ordo_answer_paths(ordo_answer *answer, ordo_type type, const ordo_app_input *input, ordo_stats *stats,
                              ordo_path_answer *out);
/* The same answer, to be verified. */
ordo_path_answer ordo_answer_claimed(const ordo_answer *answer, const ordo_app_input *input);
/* Of words that are not "unreached": their number, the largest, and their sum, as unsigned integers. */
typedef struct ordo_word_totals {
    ordo_u64 reached, max;
    unsigned __int128 whole;
} ordo_word_totals;
ordo_word_totals ordo_total_words(ordo_type type, const void *words, ordo_u64 begin, ordo_u64 end);
/* Fields reached, max and sum of the values, by that many threads (0: one a core); sums of reals are taken in double,
 * in order of ids, by one. */
void ordo_answer_sum(ordo_answer *answer, int threads);
/* The same of distances of either sign, or of the cycle that was found in their place: negative_cycle, and its weight
 * or reached, min, max and sum. With a cycle values are unknown (within). */
void ordo_answer_sum_signed(ordo_answer *answer);

#endif
