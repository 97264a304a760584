/* describe.h -- ORDO_DESCRIBE_RELAX(instances), ORDO_DESCRIBE_CRITICAL(instances), ORDO_DESCRIBE_GATHER(instances): an
 * operator's descriptor, from what its file declared.
 *
 * Expects ORDO_OP and <ordo/scheduler/cpu.h> instantiated for it. `instances` is an array of pointers to ordo_instance,
 * one for each scheduler and device, that ends with NULL. Defines `const ordo_operator NAME_operator`.
 */
#ifndef ORDO_DESCRIBE_H
#define ORDO_DESCRIBE_H

#include <ordo/scheduler/scheduler.h>

#define ORDO_STRING_(_text) #_text
#define ORDO_STRING(_text) ORDO_STRING_(_text)

#if ORDO_OP_KIND == ORDO_KIND_RELAX && ORDO_OP_ORDER != ORDO_SUM
static void op_worst_of(void *cell)
{
    *(op_cell *)cell = op_worst();
}
#define ORDO_DESCRIBE_WORST op_worst_of
#else
#define ORDO_DESCRIBE_WORST NULL
#endif
#if ORDO_OP_KIND == ORDO_KIND_RELAX && ORDO_OP_HAS_KEYS
static ordo_u64 op_key_of(const void *state, ordo_item item)
{
    return op_key((const op_state *)state, item);
}
#define ORDO_DESCRIBE_KEY op_key_of
#else
#define ORDO_DESCRIBE_KEY NULL
#endif

#define ORDO_DESCRIBE_RELAX(_instances)                                                                                \
    static double ORDO_JOIN(ORDO_OP, _width)(double n, double m)                                                       \
    {                                                                                                                  \
        return op_delta(n, m);                                                                                         \
    }                                                                                                                  \
    extern const ordo_operator ORDO_JOIN(ORDO_OP, _operator);                                                          \
    const ordo_operator ORDO_JOIN(ORDO_OP, _operator) = {ORDO_STRING(ORDO_OP),                                         \
                                                         op_summary,                                                   \
                                                         ORDO_KIND_RELAX,                                              \
                                                         (ordo_type)op_cell_type,                                      \
                                                         (ordo_type)op_weight_type,                                    \
                                                         op_properties,                                                \
                                                         op_activates != 0,                                            \
                                                         op_knows_final != 0,                                          \
                                                         sizeof(op_entry),                                             \
                                                         sizeof(op_state),                                             \
                                                         _instances,                                                   \
                                                         NULL,                                                         \
                                                         false,                                                        \
                                                         NULL,                                                         \
                                                         0,                                                            \
                                                         false,                                                        \
                                                         op_items,                                                     \
                                                         ORDO_DESCRIBE_WORST,                                          \
                                                         ORDO_DESCRIBE_KEY,                                            \
                                                         ORDO_JOIN(ORDO_OP, _width)};
#define ORDO_DESCRIBE_GATHER(_instances)                                                                               \
    extern const ordo_operator ORDO_JOIN(ORDO_OP, _operator);                                                          \
    const ordo_operator ORDO_JOIN(ORDO_OP, _operator) = {ORDO_STRING(ORDO_OP),                                         \
                                                         op_summary,                                                   \
                                                         ORDO_KIND_GATHER,                                             \
                                                         (ordo_type)op_cell_type,                                      \
                                                         (ordo_type)op_weight_type,                                    \
                                                         op_properties,                                                \
                                                         false,                                                        \
                                                         false,                                                        \
                                                         sizeof(op_share),                                             \
                                                         sizeof(op_state),                                             \
                                                         _instances,                                                   \
                                                         NULL,                                                         \
                                                         false,                                                        \
                                                         NULL,                                                         \
                                                         0,                                                            \
                                                         false,                                                        \
                                                         ORDO_ITEMS_VERTICES,                                          \
                                                         NULL,                                                         \
                                                         NULL,                                                         \
                                                         NULL};
#define ORDO_DESCRIBE_CRITICAL(_instances)                                                                             \
    static ordo_u32 ORDO_JOIN(ORDO_OP, _ask)(const void *state, ordo_item item, ordo_u32 *target)                      \
    {                                                                                                                  \
        op_request request[op_requests];                                                                               \
        ordo_u32 count = 0;                                                                                            \
        ordo_eid unit, end = op_units((const op_state *)state, item, &unit);                                           \
        for (; unit < end && count < ORDO_MOST_ASKED; unit++) {                                                        \
            const ordo_u32 asked = op_prepare_unit((const op_state *)state, item, unit, request);                      \
            for (ordo_u32 i = 0; i < asked; i++)                                                                       \
                for (ordo_u32 k = 0; k < request[i].targets && count < ORDO_MOST_ASKED; k++)                           \
                    target[count++] = request[i].target[k];                                                            \
        }                                                                                                              \
        return count;                                                                                                  \
    }                                                                                                                  \
    static ordo_u64 ORDO_JOIN(ORDO_OP, _alone_owned)(const void *state)                                                \
    {                                                                                                                  \
        return (int)op_targets == 1 ? op_owned_bytes((const op_state *)state) : 0;                                     \
    }                                                                                                                  \
    extern const ordo_operator ORDO_JOIN(ORDO_OP, _operator);                                                          \
    const ordo_operator ORDO_JOIN(ORDO_OP, _operator) = {ORDO_STRING(ORDO_OP),                                         \
                                                         op_summary,                                                   \
                                                         ORDO_KIND_CRITICAL,                                           \
                                                         ORDO_NONE,                                                    \
                                                         ORDO_NONE,                                                    \
                                                         op_properties,                                                \
                                                         op_activations != 0,                                          \
                                                         false,                                                        \
                                                         sizeof(op_entry),                                             \
                                                         sizeof(op_state),                                             \
                                                         _instances,                                                   \
                                                         ORDO_JOIN(ORDO_OP, _ask),                                     \
                                                         (int)op_targets == 1 || (int)op_halves != 0,                  \
                                                         ORDO_JOIN(ORDO_OP, _alone_owned),                             \
                                                         op_targets,                                                   \
                                                         op_hands_edges != 0,                                          \
                                                         op_items,                                                     \
                                                         NULL,                                                         \
                                                         NULL,                                                         \
                                                         NULL};

#endif
