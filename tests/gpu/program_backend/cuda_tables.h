/* The table of a back end that has native programs and a gather operator, over fibers. */
extern const ordo_instance mst_native_on_cuda, cc_native_on_cuda, kcore_native_on_cuda, tc_native_on_cuda,
    bc_native_on_cuda, pagerank_pull_f32_on_cuda_under_bsp, pagerank_pull_f32_on_cuda_under_topology,
    pagerank_pull_f32_on_cuda_under_near_far, pagerank_pull_f32_on_cuda_under_delta;
static const named_instance instances[] = {{"mst", &mst_native_on_cuda},
                                           {"cc", &cc_native_on_cuda},
                                           {"kcore", &kcore_native_on_cuda},
                                           {"tc", &tc_native_on_cuda},
                                           {"bc", &bc_native_on_cuda},
                                           {"pagerank_pull_f32", &pagerank_pull_f32_on_cuda_under_bsp},
                                           {"pagerank_pull_f32", &pagerank_pull_f32_on_cuda_under_topology},
                                           {"pagerank_pull_f32", &pagerank_pull_f32_on_cuda_under_near_far},
                                           {"pagerank_pull_f32", &pagerank_pull_f32_on_cuda_under_delta}};
static const ordo_pass_instance *const passes[] = {NULL};
