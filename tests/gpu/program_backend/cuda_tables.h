/* The table of a back end that has native programs alone, over fibers. */
extern const ordo_instance mst_native_on_cuda, cc_native_on_cuda, kcore_native_on_cuda, tc_native_on_cuda,
    bc_native_on_cuda;
static const named_instance instances[] = {{"mst", &mst_native_on_cuda},
                                           {"cc", &cc_native_on_cuda},
                                           {"kcore", &kcore_native_on_cuda},
                                           {"tc", &tc_native_on_cuda},
                                           {"bc", &bc_native_on_cuda}};
static const ordo_pass_instance *const passes[] = {NULL};
