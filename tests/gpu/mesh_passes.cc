/* mesh_passes.cc -- the passes of mesh refinement for machines without a GPU: see tests/common/pass_kernel.h. Items of
 * each pass are visited in an order by chance. Linked with fake_runtime.cc and the host's part of the back end, they do
 * what `ordo refine --device cuda` asks for.
 */
#define PASS_KERNEL_SHUFFLES
#include "apps/mesh_passes.h"
#include "tests/common/pass_kernel.h"

PASS_INSTANCE(mesh_apply)
PASS_INSTANCE(mesh_begin)
PASS_INSTANCE(mesh_check)
PASS_INSTANCE(mesh_first)
PASS_INSTANCE(mesh_keep)
PASS_INSTANCE(mesh_left)
PASS_INSTANCE(mesh_list)
PASS_INSTANCE(mesh_look)
PASS_INSTANCE(mesh_move_points)
PASS_INSTANCE(mesh_move_triangles)
PASS_INSTANCE(mesh_put)
PASS_INSTANCE(mesh_sharpest)
PASS_INSTANCE(mesh_spread)
PASS_INSTANCE(mesh_sum)
PASS_INSTANCE(mesh_wait)
