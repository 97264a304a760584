#!/usr/bin/env python3
"""The NetworkX backend beside NetworkX itself, on random graphs: the same values, of the same types, in the same order,
and the same exceptions. usage: nx_test.py SOURCE_ROOT"""
import copy
import inspect
import pickle
import random
import subprocess
import sys
import unittest
import warnings
from types import GeneratorType

import nx_case  # first: it makes the backend known
from case import main, np
from nx_case import nx

import ordo
from ordo_networkx import info
from ordo_networkx.graph import Graph
from ordo_networkx.serve import SERVED, SIGNATURE, original, reason, registered

warnings.filterwarnings("ignore", message="Note: conversions to backend graphs are saved to cache")

NAMES = {"numbers": lambda i: i, "shuffled": lambda i: 7 * i % 1009, "text": lambda i: f"node {i}", "pairs": lambda i: (i, str(i))}
ROUNDED = {"betweenness_centrality", "pagerank"}


def graph(seed, weights="int", directed=False, multigraph=False, names="text", n=None, degree=None):
    draw = random.Random(seed)
    g = {(False, False): nx.Graph, (True, False): nx.DiGraph, (False, True): nx.MultiGraph, (True, True): nx.MultiDiGraph}[directed, multigraph]()
    n = n or draw.randrange(2, 24)
    nodes = [NAMES[names](i) for i in range(n)]
    draw.shuffle(nodes) if names != "numbers" else None
    g.add_nodes_from(nodes, colour="red")
    for _ in range(int(n * (degree or draw.choice((0.7, 1.5, 4))))):
        u, v = draw.choice(nodes), draw.choice(nodes)
        g.add_edge(u, v, label=draw.random())
        edge = g.edges[(u, v, max(g[u][v])) if multigraph else (u, v)]
        if weights == "int" and draw.random() < 0.9:  # else missing, which is 1
            edge["weight"] = draw.randrange(0, 4)
        elif weights == "float":
            edge["weight"] = draw.choice((0.0, 0.1, 0.2, 0.3, draw.random()))
        elif weights == "wide":
            edge["weight"] = draw.randrange(2 ** 33, 2 ** 33 + 5)
        edge["capacity"] = draw.randrange(-1, 9)
        if draw.random() < 0.1:
            del edge["capacity"]
    return g


def plain(value):
    """A value that compares with order and types."""
    if isinstance(value, GeneratorType) or type(value).__name__ in ("map", "zip", "dict_keyiterator"):
        return "iterator", [plain(v) for v in value]
    if isinstance(value, nx.Graph):
        return type(value).__name__, plain(value.graph), plain(list(value.nodes(data=True))), plain(list(value.edges(data=True)))
    if isinstance(value, dict):
        return "dict", [(plain(k), plain(v)) for k, v in value.items()]
    if isinstance(value, (set, frozenset)):
        return "set", sorted(map(repr, value))
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [plain(v) for v in value]
    return type(value).__name__, value


def outcome(function, *arguments, **more):
    try:
        return plain(function(*arguments, **more))
    except NotImplementedError:
        return "declined", None
    except nx.NetworkXException as error:
        return type(error).__name__, str(error)
    except (ValueError, ZeroDivisionError, KeyError) as error:
        return type(error).__name__, str(error)


def calls(g, draw):
    """Calls of each function on g: name, arguments, keywords."""
    nodes = list(g)
    a, b, c = draw.choice(nodes), draw.choice(nodes), "absent"
    for node in (a, c):
        for cutoff in (None, 0, 1, 1.5, 3):
            for name in ("single_source_shortest_path_length", "single_source_shortest_path", "single_source_dijkstra",
                         "single_source_dijkstra_path", "single_source_dijkstra_path_length", "dijkstra_predecessor_and_distance"):
                yield name, (node,), {"cutoff": cutoff}
            for name in ("single_target_shortest_path_length", "single_target_shortest_path"):
                yield name, (node,), {"cutoff": cutoff}
            yield "predecessor", (node,), {"cutoff": cutoff, "return_seen": draw.random() < 0.5}
            for reverse in (False, True):
                yield "bfs_edges", (node,), {"depth_limit": cutoff, "reverse": reverse}
            yield "bfs_tree", (a,), {"depth_limit": cutoff}
            yield "bfs_successors", (node,), {"depth_limit": cutoff}
            yield "bfs_predecessors", (node,), {"depth_limit": cutoff}
        for name in ("descendants", "ancestors"):
            yield name, (node,), {}
        yield "node_connected_component", (node,), {}
        yield "descendants_at_distance", (node, 2), {}
        yield "bfs_layers", (node,), {}
        for weight in (None, "weight"):
            yield "shortest_path", (), {"source": node, "weight": weight}
            yield "shortest_path", (), {"target": node, "weight": weight}
            for ends in ({"source": node}, {"target": node}, {"source": a, "target": node}):
                yield "shortest_path_length", (), {"weight": weight, **ends}
            yield "single_source_all_shortest_paths", (node,), {"weight": weight}
    yield "bfs_layers", ([a, b],), {}
    for s, t in ((a, b), (a, a), (a, c), (c, a)):
        for name in ("dijkstra_path", "dijkstra_path_length", "bellman_ford_path_length", "has_path", "local_edge_connectivity",
                     "minimum_st_edge_cut", "minimum_edge_cut", "edge_connectivity", "minimum_cut", "minimum_cut_value",
                     "maximum_flow_value", "all_shortest_paths", "single_source_dijkstra", "multi_source_dijkstra"):
            yield name, ({s} if name == "multi_source_dijkstra" else s, t), {}
    for sources in ([a, b], {a, b, nodes[0]}, []):
        for name in ("multi_source_dijkstra", "multi_source_dijkstra_path", "multi_source_dijkstra_path_length", "voronoi_cells"):
            yield name, (sources,), {}
    for name in ("all_pairs_dijkstra", "all_pairs_dijkstra_path", "all_pairs_dijkstra_path_length", "all_pairs_shortest_path",
                 "all_pairs_shortest_path_length", "average_clustering", "clustering", "connected_components", "core_number",
                 "edge_connectivity", "is_connected", "is_strongly_connected", "is_weakly_connected", "k_core", "k_crust",
                 "k_shell", "maximum_spanning_tree", "minimum_spanning_tree", "negative_edge_cycle",
                 "number_connected_components", "number_strongly_connected_components", "number_weakly_connected_components",
                 "transitivity", "triangles", "weakly_connected_components", "pagerank", "betweenness_centrality"):
        yield name, (), {}
    for name in ("barycenter" if "barycenter" in SERVED else "centroid", "center", "diameter", "eccentricity", "periphery", "radius", "average_shortest_path_length",
                 "wiener_index", "closeness_centrality"):
        for weight in (None, "weight"):
            yield name, (), {"distance" if name == "closeness_centrality" else "weight": weight}
    for name in ("triangles", "clustering", "eccentricity", "closeness_centrality"):
        yield name, (a,), {}
    for name in ("triangles", "clustering", "eccentricity"):
        yield name, ([a, b],), {}
    yield "closeness_centrality", (), {"wf_improved": False}
    for name in ("minimum_spanning_edges", "maximum_spanning_edges"):
        for data, keys in ((True, True), (False, True), (False, False)):
            yield name, (), {"data": data, "keys": keys}
        yield name, (), {"algorithm": "none"}
    yield "k_corona", (2,), {}
    yield "k_core", (1,), {}
    yield "betweenness_centrality", (), {"k": min(3, len(nodes)), "seed": 5}
    yield "betweenness_centrality", (), {"normalized": False}
    some = {node: draw.randrange(1, 5) for node in nodes[:3]}
    for name in ("personalization", "nstart", "dangling"):
        yield "pagerank", (), {name: some, "weight": draw.choice(("weight", None))}
    yield "pagerank", (), {"max_iter": 1}


class Backend(unittest.TestCase):
    def compare(self, name, g, arguments, more):
        mine = outcome(getattr(nx, name, None) or getattr(nx.algorithms.connectivity, name), g, *arguments, backend="ordo", **more)
        if mine[0] == "declined":
            return 0
        its = outcome(getattr(nx, name, None) or getattr(nx.algorithms.connectivity, name), g, *arguments, backend="networkx", **more)
        if name in ROUNDED and its[0] == "dict":
            self.assertEqual([k for k, _ in mine[1]], [k for k, _ in its[1]])
            np.testing.assert_allclose([v[1] for _, v in mine[1]], [v[1] for _, v in its[1]], 1e-9, 1e-15)
        else:
            self.assertEqual(mine, its)
        return 1

    def test_functions(self):
        """Each function is answered on some graph, and as NetworkX does."""
        answered = dict.fromkeys(SERVED, 0)
        for seed in range(24):
            draw = random.Random(seed)
            g = graph(seed, draw.choice(("int", "float", "none", "wide")), seed % 4 in (1, 3), seed % 8 in (6, 7), draw.choice(list(NAMES)))
            for name, arguments, more in calls(g, draw):
                with self.subTest(seed=seed, function=name, arguments=arguments, keywords=more):
                    answered[name] += self.compare(name, g, arguments, more)
        answered.pop("maximum_flow")
        self.assertEqual([name for name, times in answered.items() if not times], [])

    def test_flows(self):
        """A flow is one of several: within capacities, conserved, of NetworkX's value."""
        for seed in range(12):
            g = graph(seed, directed=seed % 2 == 0, n=12, degree=4)
            s, t = list(g)[0], list(g)[-1]
            with self.subTest(seed=seed):
                try:
                    want = nx.maximum_flow_value(g, s, t)
                except nx.NetworkXUnbounded:
                    self.assertRaises(nx.NetworkXUnbounded, nx.maximum_flow, g, s, t, backend="ordo")
                    continue
                value, flow = nx.maximum_flow(g, s, t, backend="ordo")
                self.assertEqual(value, want)
                self.assertEqual([list(row) for row in flow.values()], [list(g[u]) for u in g])
                for u in g:
                    balance = sum(flow[u].values()) - sum(flow[v].get(u, 0) for v in g)
                    self.assertEqual(balance, value if u == s else -value if u == t else 0)
                    for v, f in flow[u].items():
                        self.assertTrue(0 <= f <= max(0, g[u][v].get("capacity", f)))

    def test_signed(self):
        """Weights below 0, with negative cycles and without, of whole numbers and reals; and views of graphs."""
        ends = [0, 0]
        for seed in range(24):
            g = graph(seed, "float" if seed % 3 else "int", directed=seed % 4 > 0, names="pairs", n=9, degree=2)
            height = {v: random.Random(seed).randrange(9) + i for i, v in enumerate(g)}
            for u, v, d in g.edges(data=True):
                d["weight"] = d.get("weight", 1) + height[v] - height[u] - (seed % 6 == 5)
            a, b = list(g)[0], list(g)[5]
            some = nx.subgraph_view(g, filter_edge=lambda u, v: (hash((u, v)) + seed) % 5)
            for h in (g, some, g.subgraph(list(g)[:6])):
                with self.subTest(seed=seed):
                    self.compare("bellman_ford_path_length", h, (a, b), {})
                    self.compare("single_source_shortest_path", h, (a,), {})
                    self.assertEqual(self.compare("negative_edge_cycle", h, (), {}), 1)  # an error for views
            ends[nx.negative_edge_cycle(g)] += 1
        self.assertGreater(min(ends), 3)

    def test_errors(self):
        """Errors that NetworkX finds on its way: a negative weight before a target that is no node; a graph of one node."""
        g = nx.Graph()
        g.add_edge(0, 1, weight=-1)
        for name, arguments in (("dijkstra_path", (1, "absent")), ("dijkstra_path_length", (1, "absent")), ("multi_source_dijkstra", ({1}, "absent"))):
            self.assertEqual(self.compare(name, g, arguments, {}), 0)  # declined
            self.assertEqual(self.compare(name, g, arguments, {"weight": None}), 1)
        for empty in (nx.Graph, nx.DiGraph):
            one = empty()
            one.add_node("only")
            self.assertEqual(self.compare("edge_connectivity", one, (), {}), 1)

    def test_larger(self):
        """Where threads take part, and ties are many."""
        for names, directed in (("numbers", False), ("pairs", True)):
            g = graph(1, directed=directed, names=names, n=2000, degree=8)
            a, b = list(g)[3], list(g)[1500]
            for name, arguments in (("single_source_dijkstra", (a,)), ("dijkstra_path", (a, b)), ("bfs_tree", (a,)),
                                    ("single_source_shortest_path", (a,)), ("dijkstra_predecessor_and_distance", (a,)),
                                    ("minimum_cut", (a, b)), ("pagerank", ()), ("clustering", ()), ("core_number", ()),
                                    ("minimum_spanning_tree", ()), ("predecessor", (a,))):
                if directed and name in ("clustering", "core_number"):
                    continue
                with self.subTest(function=name, names=names):
                    self.assertEqual(self.compare(name, g, arguments, {}), 1)

    def test_declined(self):
        """What is not served says why, and NetworkX goes on without the backend."""
        g = nx.Graph([("a", "b"), ("b", "c")])
        path = lambda: nx.single_source_dijkstra_path_length(g, "a", backend="ordo")
        for values, why in (((1, 2.5), "depend on paths"), ((1, None), "NoneType"), ((1, 2 ** 70), "64 bits"), ((1, -2), "negative"),
                            ((1.0, float("inf")), "infinite"), ((1.0, float("nan")), "not a number"), ((1.5, 2 ** 60 + 1), "reals do not hold"),
                            ((1, 2 ** 62), None), ((2 ** 62, 2 ** 62), "64 bits")):
            g.edges["a", "b"]["weight"], g.edges["b", "c"]["weight"] = values
            g.__networkx_cache__.clear()
            with self.subTest(values=values):
                if why is None:
                    self.assertEqual(path(), {"a": 0, "b": values[0], "c": sum(values)})
                    continue
                with self.assertRaises(NotImplementedError) as refused:
                    path()
                self.assertIn(why, str(refused.exception.__cause__))
        length = lambda u, v, d: 2
        self.assertIn("function", reason("single_source_dijkstra", (g, "a"), {"weight": length}))
        self.assertIn("both ends", reason("shortest_path", (g, "a", "b"), {}))
        self.assertIn("flow_func", reason("maximum_flow", (g, "a", "b"), {"flow_func": 1}))
        self.assertIn("prim", reason("minimum_spanning_tree", (g,), {"algorithm": "prim"}))
        with nx.config(backend_priority=["ordo"]):
            self.assertEqual(nx.single_source_dijkstra_path_length(g, "a", weight=length), {"a": 0, "b": 2, "c": 4})

    def test_not_a_number(self):
        g = nx.Graph()
        g.add_weighted_edges_from([(0, 1, 1.0), (1, 2, float("nan")), (2, 0, 2.0)])
        self.assertRaisesRegex(ValueError, "NaN found", list, nx.minimum_spanning_edges(g, backend="ordo"))
        self.assertEqual(len(list(nx.minimum_spanning_edges(g, ignore_nan=True, backend="ordo"))), 2)
        g.add_edge(3, 0, weight=float("inf"))
        for name in ("minimum_spanning_tree", "maximum_spanning_tree"):
            self.compare(name, g, (), {"ignore_nan": True})

    def test_conversion(self):
        """A graph is converted once for all functions, and again after a change; sizes decide whether."""
        g = graph(3, n=40, degree=3)
        kept = lambda: {id(v) for v in g.__networkx_cache__.get("backends", {}).get("ordo", {}).values()}
        for name in ("number_connected_components", "core_number", "minimum_spanning_tree", "pagerank"):
            self.compare(name, g, (), {})
            self.assertEqual(len(kept()), 1)
        g.add_edge("new", "node")
        self.assertEqual(len(kept()), 0)
        self.assertEqual(nx.number_connected_components(g, backend="ordo"), nx.number_connected_components(g))
        for h in (pickle.loads(pickle.dumps(g)), copy.deepcopy(g)):
            self.assertEqual(nx.number_connected_components(h, backend="ordo"), nx.number_connected_components(g))
            h.add_edge("other", "nodes")
            self.assertEqual(nx.number_connected_components(h, backend="ordo"), nx.number_connected_components(g) + 1)
        mine = Graph(g)
        self.assertEqual(nx.number_connected_components(mine), nx.number_connected_components(g))
        backend = nx.utils.backends._load_backend("ordo")
        self.assertIs(backend.convert_to_nx(mine), g)
        self.assertIn("fewer than", backend.should_run("is_connected", (g,), {}))
        self.assertIn("fewer than", backend.should_run("pagerank", (), {"alpha": 0.5, "G": g}))
        with nx.config.backends.ordo(smallest=10):
            self.assertIs(backend.should_run("is_connected", (g,), {}), True)
        with nx.config.backends.ordo(scheduler="near_far", threads=2):
            self.assertEqual(mine.options(), {"scheduler": "near_far", "threads": 2})
            self.compare("single_source_dijkstra_path_length", g, (list(g)[0],), {})
        with nx.config.backends.ordo(scheduler="none"):
            self.assertRaises(ordo.UnknownNameError, nx.number_connected_components, mine)

    def test_information(self):
        self.assertEqual([n for n in info.FUNCTIONS if n in SERVED or (registered(n) and n != "centroid")], sorted(SERVED))
        self.assertEqual(sorted(info.FUNCTIONS), info.FUNCTIONS)
        code = ("import sys, ordo_networkx.info as i; i.get_info();"
                "assert not {'numpy', 'ordo', 'networkx', 'ctypes'} & set(sys.modules)")
        subprocess.run([sys.executable, "-c", code], check=True, env=nx_case.ENVIRONMENT)
        for name, function in SERVED.items():
            with self.subTest(function=name):  # NetworkX's parameters and defaults
                its = {n: p.default for n, p in inspect.signature(original(name)).parameters.items()}
                self.assertEqual({n: p.default for n, p in SIGNATURE[name].parameters.items()}, its)


if __name__ == "__main__":
    main()
