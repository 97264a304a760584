#!/usr/bin/env python3
"""Every app on random graphs: Ordo's verification accepts its answer, and rejects another one; the members of results;
SciPy as a reference; options and what is refused. usage: apps_test.py"""
import inspect
import unittest

import case
import ordo
from case import np, small
from scipy.sparse import csgraph

RUNS = {"sssp": (0,), "bfs": (0,), "widest": (0,), "bellman_ford": (0,), "johnson": ([0, 1],), "cc": (), "scc": (),
        "mis": (), "colour": (), "kcore": (), "lp": (), "pagerank": (), "hits": (), "tc": (), "bc": (), "mst": (),
        "maxflow": (0, 1)}
VALUES = {"sssp": "dist", "bfs": "level", "widest": "width", "bellman_ford": "dist", "johnson": "dist", "cc": "component",
          "scc": "component", "mis": "member", "colour": "colour", "kcore": "core", "lp": "label", "pagerank": "rank",
          "hits": "authority", "bc": "score", "mst": "edges", "maxflow": "flow"}


class Apps(unittest.TestCase):
    def test_all(self):
        for seed in range(6):
            g = ordo.Graph.from_scipy(small(seed, True))
            for app, arguments in RUNS.items():
                with self.subTest(app=app, seed=seed):
                    r = getattr(ordo, app)(g, *arguments, threads=1 + seed % 2)
                    r.verify()
                    self.assertGreaterEqual(r.stats.run_seconds, 0)
                    self.assertIs(r.graph, g)
                    self.assertIn(type(r).__name__, repr(r))
                    if app in VALUES and len(getattr(r, VALUES[app])):
                        values = getattr(r, VALUES[app])
                        values.flat[0] = 3 - np.minimum(values.flat[0], 2)
                        with self.assertRaises(ordo.VerificationError):
                            r.verify()
        self.assertEqual(set(RUNS), {n for n, f in vars(ordo).items() if inspect.isfunction(f)} - {"compare", "devices", "operator", "operators", "schedulers", "to_device", "tune"})

    def test_paths(self):
        for seed in range(20):
            a = small(seed, seed % 2 == 0)
            g = ordo.Graph.from_scipy(a)
            found = ordo.sssp(g, 0)
            reference = csgraph.dijkstra(a, indices=0)
            np.testing.assert_array_equal(np.where(found.reached, found.dist.astype(float), np.inf), reference)
            for v in range(g.n):
                path = found.path_to(v)
                if not found.reached[v]:
                    self.assertEqual(len(path), 0)
                    continue
                self.assertEqual((path[0], path[-1]), (0, v))
                self.assertAlmostEqual(sum(a[u, w] for u, w in zip(path, path[1:])), reference[v], 9)
            many = ordo.bfs(g, [0, 1], nearest=True)
            for v in np.flatnonzero(many.reached):
                self.assertEqual(many.path_to(v)[0], many.nearest[v])
                self.assertEqual(len(many.path_to(v)), many.level[v] + 1)
        g = ordo.generate("road", vertices=3000)
        far = ordo.sssp(g, 0)
        target = int(np.flatnonzero(far.reached)[-1])
        near = ordo.sssp(g, 0, targets=[target])
        self.assertEqual((near.within, far.within), (far.dist[target], np.inf))
        near.verify()
        self.assertGreaterEqual(ordo.sssp(g, 0, stop_after=10).reached.sum(), 10)
        limited = ordo.sssp(g, 0, limit=3000)
        np.testing.assert_array_equal(limited.reached, far.dist <= 3000)
        with self.assertRaises(IndexError):
            near.path_to(3000)
        with self.assertRaisesRegex(ordo.UsageError, "predecessors=True"):
            ordo.sssp(g, 0, predecessors=False).path_to(3)

    def test_negative(self):
        g = ordo.Graph.from_edges([0, 1, 0], [1, 2, 2], [4, -3, 2])
        np.testing.assert_array_equal(ordo.bellman_ford(g, 0).dist, [0, 4, 1])
        self.assertEqual(ordo.johnson(g, [0, 2]).dist.shape, (2, 3))
        with self.assertRaisesRegex(ordo.NegativeWeightError, "edge 1 -> 2 has weight -3"):
            ordo.sssp(g, 0)
        with self.assertRaises(ordo.NegativeCycleError) as caught:
            ordo.bellman_ford(ordo.Graph.from_edges([0, 1], [1, 0], [4, -5]), 0)
        self.assertEqual((sorted(caught.exception.vertices), caught.exception.weight), ([0, 1], -1))
        for weight in (np.nan, np.inf):
            with self.assertRaisesRegex(ordo.InputError, "expected a finite one"):
                ordo.sssp(ordo.Graph.from_edges([0], [1], [weight]), 0)
        with self.assertRaises(OverflowError):
            ordo.sssp(ordo.Graph.from_edges([0, 1], [1, 2], np.array([2**32 - 2, 9], np.uint32)), 0)

    def test_results(self):
        g = ordo.Graph.from_edges([0, 1, 0, 3, 3], [1, 2, 2, 4, 4], [5, 3, 1, 2, 7], symmetrise=True)
        r = ordo.cc(g)
        self.assertEqual((r.count, r.labels.tolist()), (2, [0, 0, 0, 1, 1]))
        r = ordo.mst(g)
        self.assertEqual((r.trees, r.weight, sorted(zip(r.tails.tolist(), r.heads.tolist()))), (2, 6, [(0, 2), (1, 2), (3, 4)]))
        r = ordo.tc(g, corners=True)
        self.assertEqual((r.triangles, r.corner.tolist()), (1, [1, 1, 1, 0, 0]))
        r = ordo.maxflow(g, 0, 2)
        self.assertEqual((r.value, int(g.weights[r.cut].sum()), r.side.dtype), (4, 4, np.bool_))
        self.assertEqual(ordo.maxflow(g, 0, 4, flow=False).value, 0)
        self.assertEqual(ordo.kcore(g, 2).core.tolist(), [1, 1, 1, 0, 0])
        self.assertAlmostEqual(ordo.pagerank(g, tolerance=1e-9).rank.sum(), 1, 8)
        self.assertEqual((ordo.colour(g).count, len(ordo.mis(g).vertices)), (3, 2))

    def test_options(self):
        g = ordo.generate("rmat", scale=10, weights=(1, 100))
        dist = ordo.sssp(g, 1).dist
        for scheduler in ordo.schedulers():
            if scheduler != "lock_server":
                r = ordo.sssp(g, 1, scheduler=scheduler, threads=2)
                self.assertEqual((r.stats.scheduler, r.stats["threads"]), (scheduler, 2))
                np.testing.assert_array_equal(r.dist, dist)
        r = ordo.sssp(g, 1, scheduler="delta", sync="lock", delta=7, dynamic=False, settings={"delta.chain": 9})
        self.assertEqual((r.stats.sync, r.stats.settings["delta"], r.stats.settings["chain"]), ("lock", "7", "9"))
        self.assertEqual(r.stats.settings["dynamic"], "off")
        r = ordo.sssp(g, 1, scheduler="auto")
        self.assertTrue(r.chosen)
        self.assertGreater(len(r.stats.trace), 0)
        self.assertIn("in_flight", r.stats.trace.dtype.names)
        self.assertEqual(r.stats.as_dict()["op"], "sssp_u32")
        for options, kind, pattern in (({"scheduler": "dleta"}, ordo.UnknownNameError, "dleta"),
                                       ({"delat": 3}, ordo.UnknownNameError, "delat"), ({"scheduler": 3}, TypeError, "a str"),
                                       ({"sync": "server"}, ordo.UnsoundError, "server"),
                                       ({"timeout": 0}, ValueError, "above 0"), ({"threads": -1}, ValueError, ""),
                                       ({"targets": [5000]}, ValueError, "5000"), ({"settings": "delta=3"}, TypeError, "mapping")):
            with self.assertRaisesRegex(kind, pattern):
                ordo.sssp(g, 1, **options)
        for source in (-1, g.n, 1.5, [-1], [0, g.n], []):
            with self.assertRaises((ValueError, TypeError)):
                ordo.sssp(g, source)
        with self.assertRaises(TypeError):
            ordo.cc("graph")
        self.assertIn("sssp_u32", ordo.operators())
        public = {name for name in vars(ordo) if not name.startswith("_") and name != "csgraph"}
        self.assertEqual(sorted(public), sorted(ordo.__all__))


if __name__ == "__main__":
    case.main()
