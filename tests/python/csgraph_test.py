#!/usr/bin/env python3
"""ordo.csgraph against scipy.sparse.csgraph on random graphs: the same distances to the bit, the same shapes, types and
sentinels; where answers are not unique, valid ones. usage: csgraph_test.py"""
import inspect
import unittest
import warnings

import case
import ordo
import ordo.csgraph as ours
from case import np, scipy, small
from scipy.sparse import csgraph as theirs

NONE = -9999


class CsGraph(unittest.TestCase):
    def same(self, mine, its):
        self.assertEqual((mine.shape, mine.dtype), (its.shape, its.dtype))
        np.testing.assert_array_equal(mine, its)

    def predecessors(self, a, directed, dist, pred, its, unweighted=False):
        """A predecessor where SciPy has one, over an edge that makes the distance."""
        self.assertEqual((pred.shape, pred.dtype), (its.shape, its.dtype))
        np.testing.assert_array_equal(pred == NONE, its == NONE)
        edges = {}
        for u, v, w in zip(*a.tocoo().coords, a.tocoo().data):
            for e in [(u, v)] if directed else [(u, v), (v, u)]:
                edges[e] = min(1 if unweighted else w, edges.get(e, np.inf))
        for row, before in zip(np.atleast_2d(dist), np.atleast_2d(pred)):
            for v in np.flatnonzero(before != NONE):
                self.assertEqual(row[v], row[before[v]] + edges[before[v], v])

    def cases(self, count=16):
        for seed in range(count):
            a = small(seed, seed % 2 == 0)
            for directed in (True, False):
                with self.subTest(seed=seed, directed=directed):
                    yield a, directed

    def test_shortest_paths(self):
        for a, directed in self.cases():
            n = a.shape[0]
            for unweighted in (False, True):
                for indices in (None, 0, [0], [n - 1, 0, -1], np.array([[0, 1]])):
                    its, before = theirs.dijkstra(a, directed, indices, True, unweighted)
                    for mine in (ours.dijkstra, ours.bellman_ford, ours.johnson):
                        dist, pred = mine(a, directed, indices, True, unweighted)
                        self.same(dist, its)
                        self.predecessors(a, directed, dist.reshape(-1, n), pred.reshape(-1, n), before.reshape(-1, n), unweighted)
                        self.same(mine(a, directed, indices, unweighted=unweighted), its)
            for method in ("auto", "FW", "D", "BF", "J"):
                np.testing.assert_allclose(ours.shortest_path(a, method, directed), theirs.shortest_path(a, method, directed), 1e-12)
            for limit in (0, 0.3, 7):
                self.same(ours.dijkstra(a, directed, [0, 1], limit=limit), theirs.dijkstra(a, directed, [0, 1], limit=limit))
            its = theirs.dijkstra(a, directed, [0, 1], True, min_only=True)
            mine = ours.dijkstra(a, directed, [0, 1], True, min_only=True)
            self.same(mine[0], its[0])
            self.predecessors(a, directed, mine[0], mine[1], its[1])
            self.assertEqual(mine[2].dtype, its[2].dtype)
            alone = ours.dijkstra(a, directed, [0, 1])
            for v in range(n):
                self.assertTrue(mine[2][v] == NONE if np.isinf(mine[0][v]) else alone[mine[2][v], v] == mine[0][v])

    def test_dense_and_odd(self):
        a = np.array([[0, 2, np.inf], [np.nan, 0, 3], [1, 0, 0]])
        self.same(ours.dijkstra(a), theirs.dijkstra(a))
        self.same(ours.shortest_path(a.tolist()), theirs.shortest_path(a))
        b = scipy.sparse.csr_matrix((np.array([np.inf, 5, np.nan]), ([0, 0, 2], [1, 2, 1])), shape=(3, 3))
        self.same(ours.dijkstra(b), theirs.dijkstra(b))
        self.same(ours.dijkstra(b.tocsc(), indices=0, scheduler="near_far", threads=1), theirs.dijkstra(b, indices=0))
        for bad in (np.ones((2, 3)), scipy.sparse.eye_array(2, 3)):
            self.assertRaises(ValueError, ours.dijkstra, bad)
        self.assertRaises(ValueError, ours.dijkstra, a, indices=3)
        self.assertRaises(ValueError, ours.dijkstra, a, limit=-1)
        self.assertRaises(ValueError, ours.shortest_path, a, method="?")
        self.assertRaises(ValueError, ours.shortest_path, a, method="FW", indices=0)
        with self.assertRaisesRegex(ValueError, "dleta"):
            ours.dijkstra(a, scheduler="dleta")

    def test_negative(self):
        a = scipy.sparse.csr_array(np.array([[0, 4, 2, 0], [0, 0, 0, 1], [0, -3, 0, 0], [0, 0, 0, 0]]))
        for mine, its in ((ours.bellman_ford, theirs.bellman_ford), (ours.johnson, theirs.johnson),
                          (ours.floyd_warshall, theirs.floyd_warshall)):
            self.same(mine(a), its(a))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.same(ours.dijkstra(a), theirs.bellman_ford(a))
        self.assertTrue(caught)
        cycle = scipy.sparse.csr_array(np.array([[0, 1], [-2, 0]]))
        for mine in (ours.bellman_ford, ours.johnson, ours.floyd_warshall):
            self.assertRaises(theirs.NegativeCycleError, mine, cycle)

    def test_breadth_first(self):
        for a, directed in self.cases():
            its, before = theirs.breadth_first_order(a, 0, directed)
            order, pred = ours.breadth_first_order(a, 0, directed)
            self.same(order, its)
            self.same(pred, before)
            self.same(ours.breadth_first_order(a, 0, directed, False), order)
            self.assertEqual(ours.breadth_first_tree(a, 0, directed).shape, a.shape)

    def test_components(self):
        for a, directed in self.cases():
            count, labels = ours.connected_components(a, directed)
            its = theirs.connected_components(a, directed)
            self.assertEqual(count, its[0])
            self.same(labels, its[1])
            count, labels = ours.connected_components(a, directed, "strong")
            its = theirs.connected_components(a, directed, "strong")
            self.assertEqual((count, len(set(zip(labels, its[1]))), labels.dtype), (its[0], its[0], its[1].dtype))
            self.assertEqual(ours.connected_components(a, directed, return_labels=False), len(set(ours.connected_components(a, directed)[1])))
        self.assertRaises(ValueError, ours.connected_components, a, True, "both")

    def test_forests(self):
        for a, _ in self.cases():
            for given in (a, scipy.sparse.csr_matrix(a), a.toarray()):
                mine, its = ours.minimum_spanning_tree(given), theirs.minimum_spanning_tree(given)
                self.assertEqual((type(mine), mine.dtype, mine.shape), (type(its), its.dtype, its.shape))
                self.assertAlmostEqual(mine.sum(), its.sum())
                self.assertEqual((mine != mine.multiply(a != 0)).nnz, 0)  # edges of the graph
                self.assertEqual(mine.nnz, its.nnz)

    def test_flows(self):
        for seed in range(16):
            a = small(seed, True)
            n = a.shape[0]
            for given in (a, scipy.sparse.csr_matrix(a), a.astype(np.int16), a.astype(np.int64)):
                mine = ours.maximum_flow(given, 0, n - 1)
                its = theirs.maximum_flow(scipy.sparse.csr_matrix(a) if given.dtype != np.int32 else given, 0, n - 1)
                self.assertEqual(mine.flow_value, its.flow_value)
                flow = mine.flow.toarray()
                np.testing.assert_array_equal(flow, -flow.T)
                self.assertTrue((flow <= a.toarray()).all())
                at = flow.sum(axis=1)
                self.assertEqual((at[0], -at[n - 1], np.abs(at[1:-1]).sum()), (mine.flow_value, mine.flow_value, 0))
                self.assertEqual(isinstance(mine.flow, scipy.sparse.sparray), isinstance(given, scipy.sparse.sparray))
        wide = scipy.sparse.csr_array(np.array([[0, 2**32 - 1], [0, 0]], np.uint32))
        self.assertEqual(ours.maximum_flow(wide, 0, 1).flow[0, 1], 2**32 - 1)
        self.assertRaises(TypeError, ours.maximum_flow, a.tocsc(), 0, 1)
        for bad in ((a.astype(float), 0, 1), (a, 0, 0), (a, 0, n), (a, -1, 1)):
            self.assertRaises(ValueError, ours.maximum_flow, *bad)
        self.assertRaises(ValueError, ours.maximum_flow, a, 0, 1, method="?")

    def test_flows_from_hubs(self):
        """Far more can leave the source than can enter the sink, and the other way round; undirected graphs as given,
        and with what such a graph does not have: loops, zeros, edges of one direction."""
        for seed in range(120):
            draw = np.random.default_rng(seed)
            n = int(draw.integers(3, 400))
            tails, heads = draw.integers(0, n, (2, int(draw.integers(n, 4 * n))))
            tails[draw.random(len(tails)) < 0.4] = 0
            weights = draw.integers(seed % 3 > 0, 9, len(tails)).astype(np.int32)
            keep = tails != heads if seed % 2 else tails >= 0
            a = scipy.sparse.csr_array((weights[keep], (tails[keep], heads[keep])), (n, n))
            a = (a + a.T).tocsr() if seed % 4 else a
            g = ordo.Graph.from_scipy(a)
            for source, sink in ((0, n - 1), (n - 1, 0), (1, n - 1)):
                with self.subTest(seed=seed, source=source):
                    mine = ordo.maxflow(g, source, sink, threads=1)
                    mine.verify("both")
                    self.assertEqual(mine.value, theirs.maximum_flow(a, source, sink).flow_value)
                    runs = [ordo.maxflow(g, source, sink, threads=1, cut_only=True)]
                    runs += [ordo.maxflow(g, source, sink, threads=1, scheduler="near_far")] if seed % 8 == 0 else []
                    for other in runs:
                        self.assertEqual(other.value, mine.value)
                        np.testing.assert_array_equal(other.side, mine.side)

    def test_signatures(self):
        for name in ours.__all__:
            if inspect.isclass(getattr(ours, name)):
                continue
            mine = inspect.signature(getattr(ours, name)).parameters
            try:
                its = inspect.signature(getattr(theirs, name)).parameters
            except ValueError:  # compiled without one
                continue
            self.assertEqual([(p.name, p.default) for p in mine.values()][:-1], [(p.name, p.default) for p in its.values()], name)


if __name__ == "__main__":
    case.main()
