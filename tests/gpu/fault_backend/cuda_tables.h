/* The table of a back end that has the schedulers of fault_backend.cu, by the names of real ones; see there. And
 * maximum flow, as it is. */
extern const ordo_instance fault_bsp, fault_near_far, fault_topology, fault_round_bsp, fault_round_topology,
    fault_round_server, fault_discharge, fault_relabel;
extern const ordo_instance maxflow_native_on_cuda;
static const named_instance instances[] = {
    {"sssp_u32", &fault_bsp},         {"sssp_u32", &fault_near_far},
    {"sssp_u32", &fault_topology},    {"bfs", &fault_bsp},
    {"bfs", &fault_near_far},         {"bfs", &fault_topology},
    {"mst_u32", &fault_round_bsp},    {"mst_u32", &fault_round_topology},
    {"mst_u32", &fault_round_server}, {"maxflow", &maxflow_native_on_cuda},
    {"discharge", &fault_discharge},  {"relabel", &fault_relabel},
};
extern "C" const ordo_pass_instance maxflow_active_pass_on_cuda, maxflow_begin_pass_on_cuda, mst_halve_pass_on_cuda,
    mst_join_pass_on_cuda, mst_live_pass_on_cuda, mst_name_pass_on_cuda, mst_start_pass_on_cuda;
static const named_instance over_ranks[] = {{NULL, NULL}};
static const ordo_pass_instance *const passes[] = {
    &maxflow_active_pass_on_cuda, &maxflow_begin_pass_on_cuda, &mst_halve_pass_on_cuda, &mst_join_pass_on_cuda,
    &mst_live_pass_on_cuda,       &mst_name_pass_on_cuda,      &mst_start_pass_on_cuda, NULL};
