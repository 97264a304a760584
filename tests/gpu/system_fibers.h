/* system_fibers.h -- accesses at system scope, over fibers. They are real: other ranks are other processes.
 */
#ifndef TESTS_GPU_SYSTEM_FIBERS_H
#define TESTS_GPU_SYSTEM_FIBERS_H

#include <time.h>

template <typename T> ORDO_DEV T ordo_dev_acquire_system(T *p)
{
    static int asked;
    const struct timespec moment = {0, 20000};
    if (++asked % 8 == 0)
        nanosleep(&moment, NULL); /* other ranks may have no core */
    fiber_touch();
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
template <typename T> ORDO_DEV T ordo_dev_load_system(T *p)
{
    fiber_touch();
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}
/* FAKE_DELAY: some of what others wait for comes so many turns of the thread later. */
template <typename T> ORDO_DEV void ordo_dev_release_system(T *p, T value)
{
    static const char *const most = getenv("FAKE_DELAY");
    fiber_touch();
    for (unsigned i = most && fiber_random(2) ? fiber_random(1 + (unsigned)atoi(most)) : 0; i > 0; i--)
        fiber_yield();
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
}
template <typename T> ORDO_DEV T ordo_dev_add_system(T *p, T value)
{
    fiber_touch();
    return __atomic_fetch_add(p, value, __ATOMIC_RELAXED);
}
ORDO_DEV void ordo_dev_fence_system(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    fiber_touch();
}
/* Two words here. A load that gets the second one, which has a place's turn, gets the first one that was stored with
 * it, or one that was stored later. */
ORDO_DEV ulonglong2 ordo_dev_load_wide_system(const ulonglong2 *p)
{
    ulonglong2 value;
    fiber_touch();
    value.y = __atomic_load_n(&p->y, __ATOMIC_ACQUIRE);
    value.x = __atomic_load_n(&p->x, __ATOMIC_RELAXED);
    return value;
}
ORDO_DEV void ordo_dev_store_wide_system(ulonglong2 *p, ulonglong2 value)
{
    __atomic_store_n(&p->x, value.x, __ATOMIC_RELAXED);
    ordo_dev_release_system(&p->y, value.y);
}

#endif
