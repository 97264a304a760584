/* LEMON: a static digraph (for networks too); Bfs, Dijkstra, connectedComponents and kruskal over it, Preflow. */
#include <lemon/adaptors.h>
#include <lemon/bfs.h>
#include <lemon/connectivity.h>
#include <lemon/dijkstra.h>
#include <lemon/kruskal.h>
#include <lemon/preflow.h>
#include <lemon/static_graph.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "rows.h"

using namespace lemon;
using lengths = StaticDigraph::ArcMap<int>;

/* Arcs by tail, which StaticDigraph::build wants; a network's are in any order. */
static void make(const rows &g, StaticDigraph &d, std::vector<int64_t> &order)
{
    std::vector<std::pair<int, int>> arcs;
    arcs.reserve(g.m);
    if (g.row) {
        for (int64_t v = 0; v < g.n; v++)
            for (int64_t e = g.row[v]; e < g.row[v + 1]; e++)
                arcs.emplace_back((int)v, g.head[e]);
    } else {
        order.resize(g.m);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return g.tail[a] < g.tail[b]; });
        for (int64_t e : order)
            arcs.emplace_back(g.tail[e], g.head[e]);
    }
    d.build((int)g.n, arcs.begin(), arcs.end());
}

int main(int count, char **words)
{
    if (count != 5)
        return 2;
    const std::string app = words[1];
    const rows r = rows_read(words[1], words[2]);
    StaticDigraph g;
    std::vector<int64_t> order;
    make(r, g, order);
    lengths length(g, 1);
    for (int e = 0; r.weight && e < (int)r.m; e++)
        length[g.arc(e)] = r.weight[order.empty() ? e : order[(std::size_t)e]];
    const int source = atoi(words[3]);
    for (int i = 0; i < atoi(words[4]); i++) {
        double start = rows_clock(), end = 0;
        int64_t answer = 0;
        if (app == "sssp") {
            Dijkstra<StaticDigraph, lengths> run(g, length);
            run.run(g.node(source));
            end = rows_clock();
            for (int v = 0; v < (int)r.n; v++)
                answer += run.reached(g.node(v)) ? run.dist(g.node(v)) : 0;
        } else if (app == "bfs") {
            Bfs<StaticDigraph> run(g);
            run.run(g.node(source));
            end = rows_clock();
            for (int v = 0; v < (int)r.n; v++)
                answer += run.reached(g.node(v)) ? run.dist(g.node(v)) : 0;
        } else if (app == "cc") {
            Undirector<const StaticDigraph> both(g);
            Undirector<const StaticDigraph>::NodeMap<int> component(both);
            answer = connectedComponents(both, component);
            end = rows_clock();
        } else if (app == "mst") {
            std::vector<StaticDigraph::Arc> tree;
            answer = kruskal(g, length, std::back_inserter(tree));
            end = rows_clock();
        } else if (app == "maxflow") {
            Preflow<StaticDigraph, lengths> run(g, length, g.node((int)r.from), g.node((int)r.to));
            run.run();
            answer = run.flowValue();
            end = rows_clock();
        } else {
            return 2;
        }
        rows_say(start, end, answer);
    }
    return 0;
}
