#!/usr/bin/env python3
"""Operators from strings of C: answers against ordo.sssp() and against NumPy, messages with the string's own lines, use in
compare() and tune(). usage: operator_test.py"""
import gc
import os
import shutil
import sys
import tempfile
import unittest

import case
import ordo
from case import np

if not os.environ.get("ORDO_COMMAND") or not any(map(shutil.which, ("cc", "gcc", "clang"))):
    print("no command or no compiler")
    sys.exit(77)
kept = tempfile.TemporaryDirectory()
os.chmod(kept.name, 0o700)
os.environ["ORDO_CACHE"] = kept.name

TOLLS = r"""
#include <ordo/operator/operator.h>

typedef struct tolls_state {
    ordo_u32 rate, toll;
    const ordo_u32 *fee; /* of a vertex */
} tolls_state;

ORDO_FN ordo_u32 tolls_candidate(const tolls_state *s, ordo_u32 cost, ordo_edge_u32 e)
{
    const ordo_u64 sum = cost + (ordo_u64)s->rate * e.weight + s->toll + s->fee[e.head];
    return sum < 0xffffffffu ? (ordo_u32)sum : 0xffffffffu;
}

#define ORDO_RELAX tolls
#define ORDO_RELAX_SUMMARY "cheapest routes with tolls"
#define ORDO_RELAX_STATE tolls_state
#define ORDO_RELAX_ARRAYS(X) X(fee, ITEM, 1)
#define ORDO_RELAX_SETTINGS(X) X(rate, u32, 1, "cost of a unit of length") X(toll, u32, 0, "cost of an edge")
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE tolls_candidate
#include <ordo/operator/relax.h>
"""


class Operators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph = ordo.generate("road", vertices=2000)
        cls.tolls = ordo.operator(TOLLS)

    def expected(self, rate, toll, fee):
        g = self.graph
        priced = ordo.Graph.from_csr(g.indptr, g.indices, (rate * g.weights + toll + fee[g.indices]).astype(np.uint32))
        return ordo.sssp(priced, 7).dist

    def test_answers(self):
        fee = np.random.default_rng(1).integers(0, 500, self.graph.n)
        for scheduler, sync in (("delta", "atomic"), ("bsp", "lock"), ("adds", None)):
            r = self.tolls(self.graph, 7, rate=3, toll=250, fee=fee, scheduler=scheduler, sync=sync, threads=2, verify=True)
            self.assertEqual((r.values.dtype, r.stats.scheduler, r.source), (np.uint32, scheduler, 7))
            np.testing.assert_array_equal(r.values, self.expected(3, 250, fee))
            self.assertEqual(r.found["reached"], int((r.values != 2**32 - 1).sum()))
        r = self.tolls(self.graph, 7, fee=[0] * self.graph.n, scheduler="near_far", settings={"delta": 2000})
        self.assertEqual(r.stats.settings["delta"], 2000)
        np.testing.assert_array_equal(r.values, ordo.sssp(self.graph, 7).dist)
        self.assertNotEqual(self.tolls(self.graph, 7, fee=fee, scheduler="auto").chosen, "")

    def test_decorator(self):
        @ordo.operator(TOLLS)
        def cheapest(graph, source, *, fee, toll=40):
            """Cheapest routes."""
        self.assertEqual((cheapest.__name__, cheapest.__doc__, cheapest.name), ("cheapest", "Cheapest routes.", "tolls"))
        fee = np.arange(self.graph.n)
        np.testing.assert_array_equal(cheapest(self.graph, 7, fee=fee, threads=1).values, self.expected(1, 40, fee))
        self.assertRaisesRegex(TypeError, "tol", cheapest, self.graph, 7, fee=fee, tol=1)
        self.assertRaisesRegex(TypeError, "fee", cheapest, self.graph, 7)
        self.assertRaisesRegex(TypeError, "source", cheapest, self.graph, fee=fee)
        self.assertRaisesRegex(TypeError, "expected", ordo.operator(TOLLS), lambda g: None)
        self.assertRaisesRegex(TypeError, "option of a run", ordo.operator(TOLLS), lambda graph, threads=1: None)
        self.assertRaisesRegex(TypeError, "CODE", ordo.operator, cheapest)

    def test_the_string_s_own_lines(self):
        wrong = ordo.operator(TOLLS.replace("s->toll", "s->tolll"))
        line = next(i for i, text in enumerate(TOLLS.split("\n"), 1) if "s->toll" in text)
        with self.assertRaises(ordo.InputError) as caught:
            wrong(self.graph, 7, fee=[0] * self.graph.n)
        said = str(caught.exception)
        self.assertRegex(said, r"^tolls\.c: .* cannot compile it\n")
        self.assertRegex(said, rf"\ntolls\.c:{line}:\d+: error: .*tolll")
        self.assertIn("s->tolll + s->fee[e.head];", said)
        self.assertNotIn(tempfile.gettempdir(), said)
        self.assertRaisesRegex(ordo.InputError, rf"tolls\.c:{line}:", ordo.compare, self.graph, wrong, "bsp", repeat=1)
        self.assertRaisesRegex(ordo.InputError, "ORDO_RELAX NAME", ordo.operator, "int f(void);")

    def test_refusals(self):
        zero = [0] * self.graph.n
        self.assertRaisesRegex(ordo.UsageError, "lists rate, toll", self.tolls, self.graph, 7, fee=zero, tol=1)
        self.assertRaisesRegex(ordo.UsageError, "fee", self.tolls, self.graph, 7)
        self.assertRaisesRegex(ordo.UsageError, "source", self.tolls, self.graph, self.graph.n, fee=zero)
        self.assertRaises(ordo.InputError, self.tolls, self.graph, 7, fee=zero[1:])
        self.assertRaises(TypeError, self.tolls, self.graph, 7, fee=["a"])
        self.assertRaises(TypeError, self.tolls, "road.gr", 7)
        real = ordo.Graph.from_edges([0, 1], [1, 0], [0.5, 1.5])
        self.assertRaisesRegex(ordo.InputError, "weights of type u32", self.tolls, real, 0, fee=[0, 0])

    def test_compare(self):
        free = ordo.operator(TOLLS.replace(" + s->fee[e.head]", "").replace("const ordo_u32 *fee; /* of a vertex */", "")
                             .replace("X(fee, ITEM, 1)", ""))
        t = ordo.compare(self.graph, free, ["delta", "bsp"], source=7, repeat=2, threads=1, state={"toll": 9})
        self.assertEqual({row["scheduler"] for row in t.table}, {"delta", "bsp"})
        self.assertTrue(all(row["app"] == "tolls" and row["verified"] for row in t.table))
        self.assertEqual(ordo.tune(self.graph, free, "delta", seconds=1, threads=1, source=7).scheduler, "delta")
        self.assertIn("monotone", free.check(trials=50).lower())

    def test_files(self):
        """A graph is written once, and removed with it; the folder with the operator."""
        own = ordo.operator(TOLLS)
        folder = os.path.dirname(own.path)
        g = ordo.generate("path", vertices=5, weights=(1, 1))
        for _ in range(2):
            own(g, 0, fee=[0] * 5, threads=1)
        self.assertEqual(sorted(os.listdir(folder)), ["graph-1.ordo", "tolls.c"])
        del g
        gc.collect()
        self.assertEqual(os.listdir(folder), ["tolls.c"])
        del own
        gc.collect()
        self.assertFalse(os.path.exists(folder))


if __name__ == "__main__":
    case.main()
