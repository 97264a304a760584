/* Boost Graph Library: compressed rows; breadth_first_search, dijkstra_shortest_paths, disjoint sets over the edges
 * (its connected_components wants an undirected graph, which compressed rows are not), kruskal, push_relabel_max_flow.
 */
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <boost/pending/disjoint_sets.hpp>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "rows.h"

struct length {
    int weight;
};
using graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, length>;

static graph make(const rows &g)
{
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    std::vector<length> lengths;
    pairs.reserve(g.m);
    lengths.reserve(g.m);
    for (int64_t v = 0; v < g.n; v++)
        for (int64_t e = g.row[v]; e < g.row[v + 1]; e++) {
            pairs.emplace_back((std::size_t)v, (std::size_t)g.head[e]);
            lengths.push_back({g.weight ? g.weight[e] : 1});
        }
    return graph(boost::edges_are_sorted, pairs.begin(), pairs.end(), lengths.begin(), (std::size_t)g.n);
}

static int64_t sum(const std::vector<int> &value)
{
    int64_t all = 0;
    for (int v : value)
        all += v == std::numeric_limits<int>::max() ? 0 : v;
    return all;
}

static int64_t flow(const rows &g, double *start, double *end)
{
    using traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
    using network = boost::adjacency_list<
        boost::vecS, boost::vecS, boost::directedS, boost::no_property,
        boost::property<boost::edge_capacity_t, long,
                        boost::property<boost::edge_residual_capacity_t, long,
                                        boost::property<boost::edge_reverse_t, traits::edge_descriptor>>>>;
    network net((std::size_t)g.n);
    auto capacity = get(boost::edge_capacity, net);
    auto reverse = get(boost::edge_reverse, net);
    for (int64_t e = 0; e < g.m; e++) {
        auto there = add_edge((std::size_t)g.tail[e], (std::size_t)g.head[e], net).first;
        auto back = add_edge((std::size_t)g.head[e], (std::size_t)g.tail[e], net).first;
        capacity[there] = g.weight[e];
        capacity[back] = 0;
        reverse[there] = back;
        reverse[back] = there;
    }
    *start = rows_clock();
    int64_t value = boost::push_relabel_max_flow(net, (std::size_t)g.from, (std::size_t)g.to);
    *end = rows_clock();
    return value;
}

int main(int count, char **words)
{
    if (count != 5)
        return 2;
    const std::string app = words[1];
    const rows r = rows_read(words[1], words[2]);
    const std::size_t source = (std::size_t)atol(words[3]);
    graph g;
    if (app != "maxflow")
        g = make(r);
    for (int i = 0; i < atoi(words[4]); i++) {
        double start = rows_clock(), end = 0;
        int64_t answer = 0;
        if (app == "sssp") {
            std::vector<int> distance(num_vertices(g));
            dijkstra_shortest_paths(
                g, source,
                boost::weight_map(get(&length::weight, g))
                    .distance_map(boost::make_iterator_property_map(distance.begin(), get(boost::vertex_index, g))));
            end = rows_clock();
            answer = sum(distance);
        } else if (app == "bfs") {
            std::vector<int> level(num_vertices(g), std::numeric_limits<int>::max());
            level[source] = 0;
            auto map = boost::make_iterator_property_map(level.begin(), get(boost::vertex_index, g));
            breadth_first_search(g, source,
                                 visitor(boost::make_bfs_visitor(boost::record_distances(map, boost::on_tree_edge()))));
            end = rows_clock();
            answer = sum(level);
        } else if (app == "cc") {
            std::vector<std::size_t> rank(num_vertices(g)), parent(num_vertices(g));
            const auto index = get(boost::vertex_index, g);
            auto ranks = boost::make_iterator_property_map(rank.begin(), index);
            auto parents = boost::make_iterator_property_map(parent.begin(), index);
            boost::disjoint_sets<decltype(ranks), decltype(parents)> sets(ranks, parents);
            for (std::size_t v = 0; v < num_vertices(g); v++)
                sets.make_set(v);
            for (auto range = edges(g); range.first != range.second; ++range.first)
                sets.union_set(boost::source(*range.first, g), boost::target(*range.first, g));
            end = rows_clock();
            for (std::size_t v = 0; v < num_vertices(g); v++)
                answer += sets.find_set(v) == v;
        } else if (app == "mst") {
            std::vector<graph::edge_descriptor> tree;
            kruskal_minimum_spanning_tree(g, std::back_inserter(tree), boost::weight_map(get(&length::weight, g)));
            end = rows_clock();
            for (auto e : tree)
                answer += g[e].weight;
        } else if (app == "maxflow") {
            answer = flow(r, &start, &end);
        } else {
            return 2;
        }
        rows_say(start, end, answer);
    }
    return 0;
}
