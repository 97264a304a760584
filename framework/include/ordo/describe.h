/* describe.h -- ORDO_DESCRIBE(instances): an operator's descriptor, from what its file declared.
 *
 * Expects ORDO_OP and <ordo/cpu.h> instantiated for it. `instances` is an array of pointers to ordo_instance, one a
 * scheduler, that ends with NULL. Defines `const ordo_operator NAME_operator`.
 */
#ifndef ORDO_DESCRIBE_H
#define ORDO_DESCRIBE_H

#include <ordo/scheduler.h>

#define ORDO_STRING_(_text) #_text
#define ORDO_STRING(_text) ORDO_STRING_(_text)

#define ORDO_DESCRIBE_RELAX(_instances)                                                                                \
    extern const ordo_operator ORDO_JOIN(ORDO_OP, _operator);                                                          \
    const ordo_operator ORDO_JOIN(ORDO_OP, _operator) = {ORDO_STRING(ORDO_OP),                                         \
                                                         OP(summary),                                                  \
                                                         ORDO_KIND_RELAX,                                              \
                                                         (ordo_type)OP(cell_type),                                     \
                                                         (ordo_type)OP(weight_type),                                   \
                                                         OP(properties),                                               \
                                                         OP(activates) != 0,                                           \
                                                         sizeof(OP(entry)),                                            \
                                                         sizeof(OP(state)),                                            \
                                                         _instances,                                                   \
                                                         NULL,                                                         \
                                                         false,                                                        \
                                                         NULL};
#define ORDO_DESCRIBE_CRITICAL(_instances)                                                                             \
    static ordo_u32 ORDO_JOIN(ORDO_OP, _ask)(const void *state, ordo_item item, ordo_u32 *target)                      \
    {                                                                                                                  \
        ordo_request request[OP(requests)];                                                                            \
        const ordo_u32 asked = OP(visit)((const OP(state) *)state, item, request);                                     \
        ordo_u32 count = 0;                                                                                            \
        for (ordo_u32 i = 0; i < asked; i++)                                                                           \
            for (ordo_u32 k = 0; k < request[i].targets && count < ORDO_MOST_ASKED; k++)                               \
                target[count++] = request[i].target[k];                                                                \
        return count;                                                                                                  \
    }                                                                                                                  \
    static ordo_u64 ORDO_JOIN(ORDO_OP, _alone_owned)(const void *state)                                                \
    {                                                                                                                  \
        return (int)OP(targets) == 1 ? OP(owned_bytes)((const OP(state) *)state) : 0;                                  \
    }                                                                                                                  \
    extern const ordo_operator ORDO_JOIN(ORDO_OP, _operator);                                                          \
    const ordo_operator ORDO_JOIN(ORDO_OP, _operator) = {ORDO_STRING(ORDO_OP),                                         \
                                                         OP(summary),                                                  \
                                                         ORDO_KIND_CRITICAL,                                           \
                                                         ORDO_NONE,                                                    \
                                                         ORDO_NONE,                                                    \
                                                         OP(properties),                                               \
                                                         OP(activations) != 0,                                         \
                                                         sizeof(OP(entry)),                                            \
                                                         sizeof(OP(state)),                                            \
                                                         _instances,                                                   \
                                                         ORDO_JOIN(ORDO_OP, _ask),                                     \
                                                         (int)OP(targets) == 1 || (int)OP(halves) != 0,                \
                                                         ORDO_JOIN(ORDO_OP, _alone_owned)};

#endif
