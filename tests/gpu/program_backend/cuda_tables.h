/* The table of a back end that has native programs and a gather operator, and relax operators over ranks, over fibers.
 */
#define OVER_RANKS(_op, _scheduler) _op##_over_ranks_under_##_scheduler
extern const ordo_instance mst_native_on_cuda, cc_native_on_cuda, kcore_native_on_cuda, tc_native_on_cuda,
    bc_native_on_cuda, pagerank_pull_f32_on_cuda_under_bsp, pagerank_pull_f32_on_cuda_under_topology,
    pagerank_pull_f32_on_cuda_under_near_far, pagerank_pull_f32_on_cuda_under_delta,
    pagerank_pull_f32_on_cuda_under_broker, bfs_on_cuda_under_bsp, sssp_u32_on_cuda_under_broker,
    OVER_RANKS(sssp_u32, bsp), OVER_RANKS(sssp_u32, delta), OVER_RANKS(bfs, bsp), OVER_RANKS(bfs, delta),
    OVER_RANKS(sssp_u32, near_far), OVER_RANKS(bfs, near_far);
static const named_instance instances[] = {{"mst", &mst_native_on_cuda},
                                           {"cc", &cc_native_on_cuda},
                                           {"kcore", &kcore_native_on_cuda},
                                           {"tc", &tc_native_on_cuda},
                                           {"bc", &bc_native_on_cuda},
                                           {"pagerank_pull_f32", &pagerank_pull_f32_on_cuda_under_bsp},
                                           {"pagerank_pull_f32", &pagerank_pull_f32_on_cuda_under_topology},
                                           {"pagerank_pull_f32", &pagerank_pull_f32_on_cuda_under_near_far},
                                           {"pagerank_pull_f32", &pagerank_pull_f32_on_cuda_under_delta},
                                           {"bfs", &bfs_on_cuda_under_bsp},
                                           {"pagerank_pull_f32", &pagerank_pull_f32_on_cuda_under_broker},
                                           {"sssp_u32", &sssp_u32_on_cuda_under_broker},
                                           /* runs in one process do not get these, but plans begin with them */
                                           {"sssp_u32", &OVER_RANKS(sssp_u32, bsp)},
                                           {"sssp_u32", &OVER_RANKS(sssp_u32, delta)},
                                           {"bfs", &OVER_RANKS(bfs, bsp)},
                                           {"bfs", &OVER_RANKS(bfs, delta)},
                                           {"sssp_u32", &OVER_RANKS(sssp_u32, near_far)},
                                           {"bfs", &OVER_RANKS(bfs, near_far)}};
static const named_instance over_ranks[] = {{"sssp_u32", &OVER_RANKS(sssp_u32, bsp)},
                                            {"sssp_u32", &OVER_RANKS(sssp_u32, delta)},
                                            {"bfs", &OVER_RANKS(bfs, bsp)},
                                            {"bfs", &OVER_RANKS(bfs, delta)},
                                            {"sssp_u32", &OVER_RANKS(sssp_u32, near_far)},
                                            {"bfs", &OVER_RANKS(bfs, near_far)},
                                            {NULL, NULL}};
extern "C" const ordo_pass_instance mesh_apply_pass_on_cuda, mesh_begin_pass_on_cuda, mesh_check_pass_on_cuda,
    mesh_first_pass_on_cuda, mesh_keep_pass_on_cuda, mesh_left_pass_on_cuda, mesh_list_pass_on_cuda,
    mesh_look_pass_on_cuda, mesh_move_points_pass_on_cuda, mesh_move_triangles_pass_on_cuda, mesh_put_pass_on_cuda,
    mesh_sharpest_pass_on_cuda, mesh_spread_pass_on_cuda, mesh_sum_pass_on_cuda, mesh_wait_pass_on_cuda;
static const ordo_pass_instance *const passes[] = {&mesh_apply_pass_on_cuda,       &mesh_begin_pass_on_cuda,
                                                   &mesh_check_pass_on_cuda,       &mesh_first_pass_on_cuda,
                                                   &mesh_keep_pass_on_cuda,        &mesh_left_pass_on_cuda,
                                                   &mesh_list_pass_on_cuda,        &mesh_look_pass_on_cuda,
                                                   &mesh_move_points_pass_on_cuda, &mesh_move_triangles_pass_on_cuda,
                                                   &mesh_put_pass_on_cuda,         &mesh_sharpest_pass_on_cuda,
                                                   &mesh_spread_pass_on_cuda,      &mesh_sum_pass_on_cuda,
                                                   &mesh_wait_pass_on_cuda,        NULL};
