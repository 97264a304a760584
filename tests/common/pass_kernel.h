/* pass_kernel.h -- passes for the back end over a runtime without a GPU (tests/gpu/fake_runtime.cc), where a kernel is
 * a function of the host that gets its parameter's address. With PASS_KERNEL_DESCENDS what a pass selects comes in
 * descending order, for on a GPU it may come in any. With PASS_KERNEL_SHUFFLES items are visited in an order by chance.
 */
#ifndef TESTS_PASS_KERNEL_H
#define TESTS_PASS_KERNEL_H

#include <stdlib.h>
#include <string.h>

#include <ordo/operator/pass.h>

#ifdef PASS_KERNEL_SHUFFLES
/* The items of a visit in an order by chance (Durstenfeld 1964). To be freed. */
static inline ordo_item *pass_kernel_shuffled(const ordo_visit *visit)
{
    static ordo_u64 random = 1;
    ordo_item *const items = (ordo_item *)malloc((size_t)visit->count * sizeof *items);
    if (!items)
        abort();
    for (ordo_u64 i = 0; i < visit->count; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const ordo_u64 other = (random >> 32) % (i + 1);
        items[i] = items[other];
        items[other] = visit->items ? visit->items[i] : (ordo_item)i;
    }
    return items;
}
#endif

static inline void pass_kernel_all(const ordo_pass *pass, const void *parameter)
{
    const ordo_pass_head *head = (const ordo_pass_head *)parameter;
    ordo_visit visit = head->visit;
    visit.state = (const char *)parameter + sizeof *head;
#ifdef PASS_KERNEL_SHUFFLES
    ordo_item *const shuffled = pass_kernel_shuffled(&visit);
    visit.items = shuffled;
#endif
    head->found[0] = pass->part(&visit, 0, visit.count, &head->found[1]);
#ifdef PASS_KERNEL_SHUFFLES
    free(shuffled);
#endif
#ifdef PASS_KERNEL_DESCENDS
    for (ordo_u64 i = 0; visit.selected && i < head->found[0] / 2; i++) {
        const ordo_u64 other = head->found[0] - 1 - i;
        const ordo_item swap = visit.selected[i];
        visit.selected[i] = visit.selected[other];
        visit.selected[other] = swap;
    }
#endif
}

/* Defines NAME_kernel(), the handle of an instance of NAME_pass. */
#define PASS_KERNEL(_name)                                                                                             \
    static void _name##_all(const void *parameter)                                                                     \
    {                                                                                                                  \
        pass_kernel_all(&_name##_pass, parameter);                                                                     \
    }                                                                                                                  \
    static const void *_name##_kernel(void)                                                                            \
    {                                                                                                                  \
        void (*const kernel)(const void *) = _name##_all;                                                              \
        const void *handle;                                                                                            \
        memcpy(&handle, &kernel, sizeof handle);                                                                       \
        return handle;                                                                                                 \
    }

#ifdef __cplusplus
/* Defines the kernel and the instance that nvcc would make of NAME_pass. */
#define PASS_INSTANCE(_name)                                                                                           \
    PASS_KERNEL(_name)                                                                                                 \
    extern "C" const ordo_pass_instance _name##_pass_on_cuda;                                                          \
    const ordo_pass_instance _name##_pass_on_cuda = {_name##_pass.name, _name##_pass.fold, _name##_pass.state,         \
                                                     _name##_kernel};
#endif

#endif
