"""What NetworkX reads when it is imported: no library, no NumPy. The test of the backend compares the names with those
that the modules register."""

FUNCTIONS = """
    all_pairs_dijkstra all_pairs_dijkstra_path all_pairs_dijkstra_path_length all_pairs_shortest_path
    all_pairs_shortest_path_length all_shortest_paths ancestors average_clustering average_shortest_path_length
    barycenter bellman_ford_path_length betweenness_centrality bfs_edges bfs_layers bfs_predecessors bfs_successors
    bfs_tree center centroid closeness_centrality clustering connected_components core_number descendants
    descendants_at_distance diameter dijkstra_path dijkstra_path_length dijkstra_predecessor_and_distance eccentricity
    edge_connectivity has_path is_connected is_strongly_connected is_weakly_connected k_core k_corona k_crust k_shell
    local_edge_connectivity maximum_flow maximum_flow_value maximum_spanning_edges maximum_spanning_tree minimum_cut
    minimum_cut_value minimum_edge_cut minimum_spanning_edges minimum_spanning_tree minimum_st_edge_cut
    multi_source_dijkstra multi_source_dijkstra_path multi_source_dijkstra_path_length negative_edge_cycle
    node_connected_component number_connected_components number_strongly_connected_components
    number_weakly_connected_components pagerank periphery predecessor radius shortest_path shortest_path_length
    single_source_all_shortest_paths single_source_dijkstra single_source_dijkstra_path
    single_source_dijkstra_path_length single_source_shortest_path single_source_shortest_path_length
    single_target_shortest_path single_target_shortest_path_length transitivity triangles voronoi_cells
    weakly_connected_components wiener_index
""".split()

# Functions whose answers may differ from NetworkX's: shown in its documentation.
NOTES = {
    "betweenness_centrality": "Sums are made in another order, so scores may differ in their last digits.",
    "maximum_flow": "Of several flows of the same value another one may be found.",
    "pagerank": "Sums are made in another order, so ranks may differ in their last digits.",
}


def get_info() -> dict:
    return {
        "backend_name": "ordo", "project": "ordo", "package": "ordo_networkx",
        "short_summary": "Graph algorithms under interchangeable schedulers, on all cores or a GPU.",
        "default_config": {"threads": 0, "scheduler": "", "device": "", "smallest": 2000},
        "functions": {name: {"additional_docs": NOTES[name]} if name in NOTES else {} for name in FUNCTIONS},
    }
