/* majority.c -- every vertex takes the most frequent label of its in-neighbours, begun with the id modulo `labels`. */
#include <ordo/operator/operator.h>

typedef struct majority_state {
    ordo_u32 labels;
    ordo_u64 rounds;
} majority_state;

ORDO_FN ordo_u32 majority_begin(const majority_state *s, ordo_item v)
{
    return v % s->labels;
}

ORDO_FN ordo_u32 majority_apply(const majority_state *s, ordo_item v, ordo_u32 old, ordo_u32 most, const double *total)
{
    (void)s;
    (void)v;
    (void)total;
    return most == ORDO_NO_VERTEX ? old : most;
}

ORDO_FN ordo_u64 majority_rounds(const majority_state *s)
{
    return s->rounds;
}

#define ORDO_GATHER majority
#define ORDO_GATHER_SUMMARY "the label of most in-neighbours"
#define ORDO_GATHER_STATE majority_state
#define ORDO_GATHER_ARRAYS(X)
#define ORDO_GATHER_SETTINGS(X)                                                                                        \
    X(labels, u32, 7, "how many there are at the beginning")                                                           \
    X(rounds, u64, 6, "the most")
#define ORDO_GATHER_CELL u32
#define ORDO_GATHER_WEIGHT none
#define ORDO_GATHER_PROPERTIES 0
#define ORDO_GATHER_COMBINE ORDO_MODE
#define ORDO_GATHER_VALUE u32
#define ORDO_GATHER_APPLY majority_apply
#define ORDO_GATHER_BEGIN majority_begin
#define ORDO_GATHER_ROUNDS majority_rounds
#include <ordo/operator/gather.h>
