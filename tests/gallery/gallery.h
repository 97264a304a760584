/* gallery.h -- what the references of the gallery share: the calls of drivers.
 *
 * Each gallery_NAME is the contract_reference of operators/gallery/NAME.h (tests/contract/contract.h).
 */
#ifndef ORDO_TESTS_GALLERY_H
#define ORDO_TESTS_GALLERY_H

#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>

#include "tests/contract/ranked.h"

/* A driver's call, with t->options. */
typedef ordo_status gallery_call(const trial *t, void *arg);

/* Makes the call until it refuses no setting; returns its status, which is `other` or ORDO_OK. In some trials, makes it
 * again for each of its allocations, which then fails: it must say so, and leave nothing behind. */
static inline ordo_status run_driver(trial *t, gallery_call *call, void *arg, ordo_status other)
{
    ordo_status status;
    do
        status = call(t, arg);
    while (status != other && contract_again(t, status));
    if (status || t->seed != 1 || t->options.threads != 1 || strcmp(t->family, "disconnected") != 0)
        return status;
    const ordo_u64 before = ordo_memory_now();
    ordo_u64 k = 0;
    do {
        ordo_memory_fail_after(++k);
        status = call(t, arg);
        ordo_memory_fail_after(0);
        if (status && status != ORDO_ERR_MEMORY)
            contract_fail(t, "a failed allocation gives another error");
        if (ordo_memory_now() != before)
            contract_fail(t, "memory is left behind");
    } while (status);
    if (k < 3)
        contract_fail(t, "no allocation failed");
    return status;
}

#endif
