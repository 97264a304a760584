/* The table of a back end that has the schedulers of odd.cu, by the names of real ones; see there. And maximum flow,
 * as it is. */
extern const ordo_instance odd_bsp, odd_near_far, odd_topology, odd_round_bsp, odd_round_server, odd_discharge;
extern const ordo_instance maximum_flow_on_cuda_under_bsp;
static const named_instance instances[] = {
    {"sssp_u32", &odd_bsp},
    {"sssp_u32", &odd_near_far},
    {"sssp_u32", &odd_topology},
    {"bfs", &odd_bsp},
    {"bfs", &odd_near_far},
    {"bfs", &odd_topology},
    {"mst_u32", &odd_round_bsp},
    {"mst_u32", &odd_round_server},
    {"maximum_flow", &maximum_flow_on_cuda_under_bsp},
    {"discharge", &odd_discharge},
};
