/* pass_kernel.h -- passes for the back end over a runtime without a GPU (tests/gpu/fake_runtime.cc), where a kernel is
 * a function of the host that gets its parameter's address. With PASS_KERNEL_DESCENDS what a pass selects comes in
 * descending order, for on a GPU it may come in any.
 */
#ifndef TESTS_PASS_KERNEL_H
#define TESTS_PASS_KERNEL_H

#include <string.h>

#include <ordo/operator/pass.h>

static inline void pass_kernel_all(const ordo_pass *pass, const void *parameter)
{
    const ordo_pass_head *head = (const ordo_pass_head *)parameter;
    ordo_visit visit = head->visit;
    visit.state = (const char *)parameter + sizeof *head;
    head->found[0] = pass->part(&visit, 0, visit.count, &head->found[1]);
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

#endif
