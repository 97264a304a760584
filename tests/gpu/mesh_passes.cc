/* mesh_passes.cc -- the passes of mesh refinement for machines without a GPU: see tests/common/pass_kernel.h. Items of
 * each pass are visited in an order by chance. Linked with fake_runtime.cc and the host's part of the back end, they do
 * what `ordo refine --device cuda` asks for.
 */
#define PASS_KERNEL_SHUFFLES
#include "apps/mesh_passes.h"
#include "tests/common/pass_kernel.h"

#define MESH_PASS(_name)                                                                                               \
    PASS_KERNEL(_name)                                                                                                 \
    extern "C" const ordo_pass_instance _name##_pass_on_cuda;                                                          \
    const ordo_pass_instance _name##_pass_on_cuda = {_name##_pass.name, _name##_pass.fold, _name##_pass.state,         \
                                                     _name##_kernel};
MESH_PASS(mesh_apply)
MESH_PASS(mesh_begin)
MESH_PASS(mesh_check)
MESH_PASS(mesh_first)
MESH_PASS(mesh_keep)
MESH_PASS(mesh_left)
MESH_PASS(mesh_list)
MESH_PASS(mesh_look)
MESH_PASS(mesh_move_points)
MESH_PASS(mesh_move_triangles)
MESH_PASS(mesh_put)
MESH_PASS(mesh_sharpest)
MESH_PASS(mesh_spread)
MESH_PASS(mesh_sum)
MESH_PASS(mesh_wait)
