#!/usr/bin/env python3
"""Graphs from arrays, SciPy, files and generators: what they hold, what is copied, how long arrays live, and what is
refused. usage: graphs_test.py"""
import gc
import os
import tempfile
import unittest
import weakref

import case
import ordo
from case import np, small
from ordo import Graph


class Array(np.ndarray):
    """An array that can be referred to weakly."""


class Graphs(unittest.TestCase):
    def refused(self, kind, pattern, make, *arguments, **options):
        with self.assertRaisesRegex(kind, pattern):
            make(*arguments, **options)

    def test_scipy(self):
        for seed in range(40):
            a = small(seed, seed % 2 == 0)
            g = Graph.from_scipy(a)
            b = g.to_scipy()
            self.assertEqual((a != b).nnz, 0)
            self.assertEqual(b.dtype, a.dtype)
            np.testing.assert_array_equal(g.tails(), a.tocoo().coords[0])
            np.testing.assert_array_equal(g.tails(np.arange(g.m)), g.tails())
            self.assertEqual((g.n, g.m), (a.shape[0], a.nnz))
            for other in ("csc", "coo"):
                self.assertEqual((Graph.from_scipy(a.asformat(other)).to_scipy() != a).nnz, 0)
        self.refused(TypeError, "matrix is coo", Graph.from_scipy, a.tocoo(), casting="no")
        self.refused(ValueError, "expected a square", Graph.from_scipy, case.scipy.sparse.eye_array(2, 3))
        self.assertIsNone(Graph.from_scipy(a, weighted=False).weights)

    def test_no_copy(self):
        for index, weight in ((np.int32, np.float32), (np.uint32, np.uint32), (np.int32, np.int64), (np.int32, np.float64)):
            row, head, w = np.array([0, 2, 3, 3]), np.array([1, 2, 2], index), np.array([1, 2, 3], weight)
            g = Graph.from_csr(row, head, w, casting="no")
            for mine, its in ((row, g.indptr), (head, g.indices), (w, g.weights)):
                self.assertTrue(np.shares_memory(mine, its))
                self.assertFalse(its.flags.writeable)
            np.testing.assert_array_equal(ordo.sssp(g, 0).dist, [0, 1, 2])
        for what, arrays in (("indptr", (row.astype(np.int32), head)), ("indices", (row, head.astype(np.int64))),
                             ("weights", (row, head, w.astype(np.int8))), ("indices", (row, np.repeat(head, 2)[::2]))):
            self.refused(TypeError, f"^{what}.*casting='safe' makes a copy", Graph.from_csr, *arrays, casting="no")

    def test_lifetime(self):
        head = Array((2,), np.int32)
        head[:] = [1, 0]
        alive = weakref.ref(head)
        g = Graph.from_csr([0, 1, 2], head)
        view = g.indices
        result = ordo.bfs(g, 0)
        del head, g
        gc.collect()
        self.assertIsNotNone(alive())  # the view keeps the graph, and that the array
        np.testing.assert_array_equal(view, [1, 0])
        del view
        result.verify()  # the result keeps it, too
        del result
        gc.collect()
        self.assertIsNone(alive())

    def test_casting(self):
        for type in (np.bool_, np.uint8, np.int8, np.uint16, np.int16, np.float16, np.uint64, ">i4", ">f8"):
            g = Graph.from_csr([0, 1, 1], np.array([1], np.uint8), np.array([1], type))
            self.assertEqual(g.weights[0], 1)
        for weight, kind, pattern in (([2**64 - 1], ordo.InputError, r"weights\[0\] is 18446744073709551615"),
                                      ([1j], TypeError, "complex128"), (["a"], TypeError, "expected whole numbers or reals"),
                                      ([1, 2], ValueError, "2, expected one for each of 1 edges"),
                                      ([np.longdouble(1)], TypeError, "at most 8 bytes")):
            self.refused(kind, pattern, Graph.from_csr, [0, 1, 1], [1], weight)
        self.refused(TypeError, "float64, expected whole", Graph.from_csr, [0, 1.5], [0])
        self.refused(TypeError, "indices: float64", Graph.from_csr, [0, 1], [0.5])
        self.refused(ordo.InputError, r"indices\[1\] is -1", Graph.from_csr, [0, 2], [0, -1])
        self.refused(ordo.InputError, "found head 4294967295", Graph.from_csr, [0, 1], np.array([-1], np.int32))
        self.refused(ordo.InputError, "found head 7", Graph.from_csr, [0, 1], [7])
        self.refused(ordo.InputError, "", Graph.from_csr, [0, 2, 1], [0, 0])
        self.refused(ValueError, "indptr is empty", Graph.from_csr, [], [])
        self.refused(ValueError, "2 dimensions", Graph.from_csr, [[0]], [])

    def test_edges(self):
        g = Graph.from_edges([0, 0, 2, 0], [1, 1, 2, 2], [4, 3, 9, -1], vertices=5, dedup="min", drop_loops=True)
        np.testing.assert_array_equal(g.indices, [1, 2])
        np.testing.assert_array_equal(g.weights, [3, -1])
        self.assertEqual((g.n, g.weights.dtype), (5, np.int64))
        g = Graph.from_edges([0, 1], [1, 2], np.array([0.1, 0.2]), symmetrise=True)
        self.assertTrue(g.symmetric)
        np.testing.assert_array_equal(g.weights, [0.1, 0.1, 0.2, 0.2])
        self.assertEqual((Graph.from_edges([], []).n, Graph.from_edges([], [], vertices=3).n), (0, 3))
        self.refused(ordo.InputError, "", Graph.from_edges, [0], [1], symmetric=True)
        self.refused(ValueError, "1 tails and 2 heads", Graph.from_edges, [0], [1, 2])
        self.refused(ordo.InputError, "", Graph.from_edges, [0], [5], vertices=2)
        self.refused(ordo.UsageError, "dedup='most'", Graph.from_edges, [0], [1], dedup="most")
        self.refused(ordo.UsageError, "expected one of them", Graph.from_edges, [0], [1], symmetric=True, symmetrise=True)

    def test_files(self):
        made = ordo.generate("road", vertices=500, seed=3)
        with tempfile.TemporaryDirectory() as folder:
            for suffix in ("ordo", "gr", "npz", "gr.gz"):
                path = os.path.join(folder, "g." + suffix)
                try:
                    made.write(path)
                except ordo.UsageError:  # a build without the library that compresses
                    continue
                g = ordo.read(path)
                self.assertEqual(g.info()["checksum"], made.info()["checksum"])
                self.assertEqual(ordo.read(path, drop_weights=True, weights=(7, 7)).weights.max(), 7)
            self.assertEqual(made.coordinates.shape, (500, 2))
            self.refused(FileNotFoundError, "nothing.gr", ordo.read, os.path.join(folder, "nothing.gr"))
            with open(os.path.join(folder, "bad.gr"), "w") as file:
                file.write("p sp 2 1\na 1 3 4\n")
            self.refused(ordo.InputError, "bad.gr.*2", ordo.read, os.path.join(folder, "bad.gr"))
            self.refused(OSError, "", made.write, os.path.join(folder, "none", "g.gr"))

    def test_generators(self):
        g = ordo.generate("rmat", scale=8, degree=4, weights=(1, 9))
        self.assertEqual((g.n, g.m), (256, 1024))
        self.assertTrue(((g.weights >= 1) & (g.weights <= 9)).all())
        self.assertFalse(g.indices.flags.c_contiguous)  # interleaved with weights
        self.assertEqual((g.to_scipy().indices != g.indices).sum(), 0)
        f = ordo.generate("genrmf", width=2, depth=3, weights=(1, 5))
        self.assertEqual((f.source, f.sink), (0, f.n - 1))
        self.refused(ordo.UnknownNameError, "nothing", ordo.generate, "nothing")
        self.refused(TypeError, "from_csr", Graph)
        self.assertRegex(repr(g), "256 vertices, 1024 edges, uint32 weights")


if __name__ == "__main__":
    case.main()
