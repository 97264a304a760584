#!/usr/bin/env python3
"""Every app against igraph (python-igraph) and NetworkX, as references from outside. usage: outside_test.py PATH_OF_ORDO
[unittest arguments]; ends with 77 (skipped) where both are missing.

A row of ROWS is an app, its words, and what igraph says: the same values, or what makes an answer valid where many
are (a colouring, an independent set, communities). igraph has no widest paths: there the reference is the definition,
on the maximum spanning forest of igraph, since a path of it is widest. Sums of reals agree to 1e-6; whole numbers are
equal."""
import json
import math
import random
import sys
import unittest
import warnings

try:
    import igraph
except ImportError:
    igraph = None
try:
    import networkx
except ImportError:
    networkx = None
if not igraph and not networkx:
    print("no igraph and no NetworkX here: they are the references")
    sys.exit(77)

from command import Base, main, ordo, verbs
from references import INF

SOURCE = 3
warnings.simplefilter("ignore")  # igraph warns of vertices that are not reached, and of scores of 0


def graphs():
    """Name, number of vertices, edges with whole weights above 0; simple. The last is symmetric."""
    draw = random.Random(20261123)
    for name, n, m in (("sparse", 60, 90), ("middle", 80, 400), ("dense", 40, 900), ("symmetric", 70, 160)):
        edges = {}
        while len(edges) < m:
            u, v = draw.randrange(n), draw.randrange(n)
            if u != v:
                edges[u, v] = draw.randrange(1, 50)
                if name == "symmetric":
                    edges[v, u] = edges[u, v]
        edges.setdefault((n - 2, n - 1), 7)  # so that the file has all vertices
        edges.setdefault((n - 1, n - 2), 7)
        yield name, n, sorted((u, v, w) for (u, v), w in edges.items())


def directed(n, edges):
    return igraph.Graph(n=n, edges=[e[:2] for e in edges], directed=True, edge_attrs={"weight": [e[2] for e in edges]})


def undirected(n, edges):
    """One edge for the two directions, of the lesser weight."""
    least = {}
    for u, v, w in edges:
        key = min(u, v), max(u, v)
        least[key] = min(w, least.get(key, w))
    return igraph.Graph(n=n, edges=list(least), edge_attrs={"weight": list(least.values())})


def labels_of(clusters, n):
    """Each vertex' least one of its cluster."""
    out = [0] * n
    for cluster in clusters:
        for v in cluster:
            out[v] = min(cluster)
    return out


def widths(n, edges):
    """Of a symmetric graph: the least weight on the path from the source in igraph's maximum spanning forest."""
    g = undirected(n, edges)
    tree = g.spanning_tree(weights=[-w for w in g.es["weight"]])
    out = [0] * n
    out[SOURCE] = INF
    for v, path in enumerate(tree.get_shortest_paths(SOURCE, output="epath")):
        if path:
            out[v] = min(tree.es[e]["weight"] for e in path)
    return out


def normal(x):
    whole = math.sqrt(sum(v * v for v in x))
    return [v / whole for v in x]


def colouring(test, n, edges, colour):
    test.assertTrue(all(colour[u] != colour[v] for u, v, _ in edges))
    most = max(undirected(n, edges).degree())
    test.assertTrue(0 <= min(colour) and max(colour) <= most + 1)


def independent(test, n, edges, member):
    g = undirected(n, edges)
    chosen = [v for v in range(n) if member[v]]
    test.assertEqual(g.subgraph(chosen).ecount(), 0)
    near = set(chosen) | {u for v in chosen for u in g.neighbors(v)}
    test.assertEqual(len(near), n, "a vertex could be added")


def communities(test, n, edges, label):
    """A label lies within a component of igraph's."""
    part = labels_of(undirected(n, edges).connected_components(), n)
    test.assertTrue(all(part[v] == part[int(label[v])] for v in range(n)))


def whole(x):
    return [INF if v == "inf" or v == math.inf else int(v) for v in x]


# app, words, the kind of values (None: valid by a check), igraph (or the check), whether for symmetric graphs alone
ROWS = (
    ("sssp", ["-r", SOURCE], whole, lambda n, e: directed(n, e).distances(SOURCE, weights="weight")[0], False),
    ("bellman-ford", ["-r", SOURCE], whole, lambda n, e: directed(n, e).distances(SOURCE, weights="weight")[0], False),
    ("bfs", ["-r", SOURCE], whole, lambda n, e: directed(n, e).distances(SOURCE)[0], False),
    ("widest", ["-r", SOURCE], whole, widths, True),
    ("cc", [], whole, lambda n, e: labels_of(directed(n, e).connected_components("weak"), n), False),
    ("scc", [], whole, lambda n, e: labels_of(directed(n, e).connected_components("strong"), n), False),
    ("kcore", [], whole, lambda n, e: undirected(n, e).coreness(), False),
    ("pagerank", ["--tolerance", "1e-10"], float, lambda n, e: directed(n, e).pagerank(damping=0.85), True),
    ("hits", ["--rounds", 1000], float, lambda n, e: directed(n, e).authority_score(), False),
    ("bc", ["--sources", "all"], float, lambda n, e: directed(n, e).betweenness(), False),
    ("colour", [], None, colouring, False),
    ("mis", [], None, independent, False),
    ("lp", [], None, communities, False),
)


class Outside(Base):
    def values(self, app, file, words):
        return self.ok(ordo(app, file, "--verify", "--output", "-", *words)).out.split()

    def record(self, *words):
        return json.loads(self.ok(ordo(*words, "--verify", "--json", "-")).out)

    def file(self, name, edges, suffix="wel"):
        path = self.path(f"{name}.{suffix}")
        with open(path, "w") as f:
            f.writelines(f"{u} {v} {w}\n" if suffix == "wel" else f"{u} {v}\n" for u, v, w in edges)
        return path

    def near(self, found, want):
        self.assertEqual(len(found), len(want))
        for a, b in zip(found, want):
            self.assertAlmostEqual(float(a), b, delta=1e-6 * max(1, abs(b)))


@unittest.skipUnless(igraph, "no igraph here")
class Igraph(Outside):
    def test_values(self):
        for name, n, edges in graphs():
            weighted, plain = self.file(name, edges), self.file(name, edges, "el")
            for app, words, kind, reference, symmetric in ROWS:
                if app not in verbs() or (symmetric and name != "symmetric"):
                    continue
                with self.subTest(app=app, graph=name):
                    reads = app in ("sssp", "bellman-ford", "widest")
                    found = self.values(app, weighted if reads else plain, words)
                    if kind is None:
                        reference(self, n, edges, [int(v) for v in found])
                        continue
                    want = reference(n, edges)
                    if kind is whole:
                        self.assertEqual(whole(found), whole(want))
                        continue
                    if app == "hits":
                        found, want = normal([float(v) for v in found]), normal(want)
                    self.near(found, want)

    def test_numbers(self):
        """The weight of a spanning forest, the number of triangles, the value of a flow."""
        for name, n, edges in graphs():
            with self.subTest(graph=name):
                weighted, plain = self.file(name, edges), self.file(name, edges, "el")
                result = lambda *words: self.record(*words)["result"]
                g = undirected(n, edges)
                if "mst" in verbs():
                    tree = g.spanning_tree(weights="weight")
                    for words in ((), ("--weight-type", "i64"), ("--weight-type", "f64")):
                        self.assertEqual(result("mst", weighted, *words)["weight"], sum(tree.es["weight"]))
                if "tc" in verbs():
                    self.assertEqual(result("tc", plain)["triangles"], len(g.list_triangles()))
                if "maxflow" in verbs():
                    flow = directed(n, edges).maxflow_value(0, n - 1, capacity="weight")
                    self.assertEqual(result("maxflow", weighted, "--source", 0, "--sink", n - 1)["value"], flow)


def signed(edges, n, seed):
    """Other weights, some below 0, without a negative cycle: each vertex has a height, which its edges climb."""
    draw = random.Random(seed)
    height = [draw.randrange(200) for _ in range(n)]
    return [(u, v, w + height[v] - height[u]) for u, v, w in edges]


@unittest.skipUnless(networkx, "no NetworkX here")
class Networkx(Outside):
    """Weights below 0 and their cycles, which igraph does not search for; and what is counted, by other code."""

    def graph(self, n, edges, kind=None):
        g = (kind or networkx.DiGraph)()
        g.add_nodes_from(range(n))
        g.add_weighted_edges_from(edges)
        return g

    @unittest.skipUnless("mst" in verbs(), "no mst here")
    def test_wide_spanning_forests(self):
        """Weights of 8 bytes that no two edges share, so that there is one forest: its edges."""
        for name, n, edges in graphs():
            draw = random.Random(n)
            for kind, weight in (("i64", lambda: draw.randrange(-2 ** 55, 2 ** 55)), ("f64", lambda: draw.uniform(-1, 1) * 10.0 ** draw.randrange(-9, 9))):
                with self.subTest(graph=name, weights=kind):
                    apart = [(u, v, weight()) for u, v, _ in edges]
                    self.assertEqual(len({w for _, _, w in apart}), len(apart))
                    path = self.path("wide.wel")
                    with open(path, "w") as f:
                        f.writelines(f"{u} {v} {w!r}\n" for u, v, w in apart)
                    g = self.graph(n, apart, networkx.MultiGraph)
                    want = sorted(d["weight"] for _, _, d in networkx.minimum_spanning_edges(g, data=True, keys=False))
                    out = self.ok(ordo("mst", path, "--weight-type", kind, "--verify", "--output", "-")).out
                    number = int if kind == "i64" else float
                    self.assertEqual(sorted(number(line.split()[2]) for line in out.splitlines()), want)

    def test_negative_weights(self):
        for name, n, edges in graphs():
            with self.subTest(graph=name):
                below = signed(edges, n, 7)
                self.assertLess(min(w for _, _, w in below), 0)
                file, g = self.file(name, below), self.graph(n, below)
                for source in (SOURCE, n - 1):
                    want = networkx.single_source_bellman_ford_path_length(g, source)
                    for app in {"bellman-ford", "johnson"} & set(verbs()):
                        found = whole(self.values(app, file, ["-r", source]))
                        self.assertEqual(found, [want.get(v, INF) for v in range(n)])

    def test_negative_cycles(self):
        """A cycle that the source reaches is found where NetworkX finds one, and its edges are those of the graph."""
        for name, n, edges in graphs():
            for bad in (False, True):
                with self.subTest(graph=name, bad=bad):
                    below = [e for e in signed(edges, n, 8)]
                    if bad:
                        u, v, w = next(e for e in below if e[0] == SOURCE)
                        below = [e for e in below if e[:2] != (v, u)] + [(v, u, -w - 1)]
                    file, g = self.file(f"{name}{bad}", below), self.graph(n, below)
                    try:
                        networkx.single_source_bellman_ford_path_length(g, SOURCE)
                        expected = 0
                    except networkx.NetworkXUnbounded:
                        expected = 1
                    self.assertEqual(expected, bad)
                    record = self.record("bellman-ford", file, "-r", SOURCE)
                    self.assertEqual(record["result"].get("negative_cycle", 0), expected)
                    if expected:
                        around = record["cycle"]["vertices"]
                        weight = sum(g.edges[a, b]["weight"] for a, b in zip(around, around[1:] + around[:1]))
                        self.assertEqual(weight, record["cycle"]["weight"])
                        self.assertLess(weight, 0)

    def test_values(self):
        for name, n, edges in graphs():
            with self.subTest(graph=name):
                g, plain = self.graph(n, edges), self.file(name, edges, "el")
                both = self.graph(n, [(u, v, 1) for u, v, _ in edges], networkx.Graph)
                core = networkx.core_number(both)
                self.assertEqual(whole(self.values("kcore", plain, [])), [core[v] for v in range(n)])
                score = networkx.betweenness_centrality(g, normalized=False)
                self.near(self.values("bc", plain, ["--sources", "all"]), [score[v] for v in range(n)])
                label = labels_of(networkx.strongly_connected_components(g), n)
                self.assertEqual(whole(self.values("scc", plain, [])), label)
                triangles = sum(networkx.triangles(both).values()) // 3
                self.assertEqual(self.record("tc", plain)["result"]["triangles"], triangles)


if __name__ == "__main__":
    main()
