/* app_passes.cc -- passes of apps that run over ranks, for machines without a GPU: see tests/common/pass_kernel.h.
 * Items are visited in an order by chance, another one in each rank.
 */
#define PASS_KERNEL_SHUFFLES
#include "apps/hits_passes.h"
#include "apps/kcore_passes.h"
#include "apps/mst_passes.h"
#include "tests/common/pass_kernel.h"

PASS_INSTANCE(hits_add)
PASS_INSTANCE(hits_begin)
PASS_INSTANCE(hits_copy)
PASS_INSTANCE(hits_scale)
PASS_INSTANCE(kcore_next)
PASS_INSTANCE(kcore_remaining)
PASS_INSTANCE(mst_halve)
PASS_INSTANCE(mst_join)
PASS_INSTANCE(mst_live)
PASS_INSTANCE(mst_name)
PASS_INSTANCE(mst_start)
