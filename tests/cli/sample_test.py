#!/usr/bin/env python3
"""`ordo sample`: parts of a graph. usage: sample_test.py PATH_OF_ORDO [unittest arguments]"""
import json
import os
import re

from command import Base, main, needs, ordo, read_gr
from references import INF, both_ways, hops


@needs("sample")
class Sample(Base):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.out, cls.list = cls.path("part.gr"), cls.path("part.names")
        cls.edges = sorted(cls.edges, key=lambda e: e[:2])  # as rows have them: by tail, head, place in the file

    def sample(self, *words, base=0):
        """The old numbers of what was kept, after a look at the graph of them."""
        r = self.ok(ordo("sample", self.gr, self.out, "--names", self.list, *words))
        with open(self.list) as f:
            kept = [int(v) - base for v in f]
        self.assertEqual(kept, sorted(set(kept)))
        number = {v: i for i, v in enumerate(kept)}
        want = [(number[u], number[v], w) for u, v, w in self.edges if u in number and v in number]
        self.assertEqual(read_gr(self.out), (len(kept), want))
        self.assertIn(f"Sample:              {len(kept)} of {self.n} vertices, {len(want)} of {len(self.edges)} edges\n", r.out)
        return kept

    def test_largest_component(self):
        both = both_ways(self.edges)
        parts = {tuple(u for u, d in enumerate(hops(self.n, both, v)) if d < INF) for v in range(self.n)}
        self.assertEqual(tuple(self.sample("--largest-component")), max(parts, key=len))

    def test_listed(self):
        with open(self.path("ids"), "w") as f:
            f.write("# some\n7\n3\n50\n3\n59\n" + "".join(f"{v}\n" for v in range(20, 40)))
        want = [3, 7, *range(20, 40), 50, 59]
        self.assertEqual(self.sample("--induced", self.path("ids")), want)
        self.assertEqual(self.sample("--induced", self.path("ids"), "--ids", "file", base=1), [v - 1 for v in want])
        with open(self.path("wrong"), "w") as f:
            f.write("3\n60\n")
        self.refused(3, ":2: vertex '60'", "sample", self.gr, self.out, "--induced", self.path("wrong"))

    def test_random(self):
        some = self.sample("--random", 0.5)
        self.assertTrue(10 < len(some) < 50)
        self.assertEqual(some, self.sample("--random", 0.5, "--threads", 1))
        self.assertNotEqual(some, self.sample("--random", 0.5, "--seed", 3))
        self.assertTrue(set(self.sample("--random", 0.2)) <= set(some))
        self.assertEqual(self.sample("--random", 1), list(range(self.n)))
        one, two = ordo("info", self.gr).out, ordo("info", self.out).out
        self.assertEqual(re.search("Checksum.*", one)[0], re.search("Checksum.*", two)[0])

    def test_ball(self):
        for graph_words, edges in (([], self.edges), (["-s"], self.edges)):
            for center, count in ((self.source, 1), (self.source, 7), (self.source, 30), (56, 2), (56, 9), (58, 3)):
                far = hops(self.n, both_ways(edges), center)
                order = sorted((d, v) for v, d in enumerate(far) if d < INF)
                want = sorted(v for _, v in order[:count])
                if graph_words:
                    self.ok(ordo("sample", self.gr, self.out, "--names", self.list, "--ball", f"{center}:{count}", *graph_words))
                    with open(self.list) as f:
                        self.assertEqual([int(v) for v in f], want)
                else:
                    self.assertEqual(self.sample("--ball", f"{center}:{count}"), want)

    def test_symmetric_stays_so(self):
        out = self.path("part.wsg")
        r = self.ok(ordo("sample", self.gr, out, "-s", "--random", 0.6, "--names", "-"))
        self.assertTrue(all(re.fullmatch(r"\d+", v) for v in r.out.split()))
        self.ok(ordo("info", out, "--symmetric"))

    def test_terminals(self):
        flow, part = self.path("flow.max"), self.path("part.max")
        with open(flow, "w") as f:
            f.write("p max 5 4\nn 2 s\nn 5 t\na 2 3 4\na 3 5 1\na 2 5 2\na 1 2 9\n")
        r = self.ok(ordo("info", flow, "--json", "-"))
        self.assertEqual(json.loads(r.out)["graph"]["terminals"], {"source": 1, "sink": 4})
        self.assertRegex(ordo("info", flow, "--ids", "file").out, "(?m)^Vertex data: +source 2, sink 5$")
        with open(self.path("ids"), "w") as f:
            f.write("1\n2\n4\n")
        self.ok(ordo("sample", flow, part, "--induced", self.path("ids")))
        self.assertEqual(json.loads(ordo("info", part, "--json", "-").out)["graph"]["terminals"], {"source": 0, "sink": 2})
        with open(self.path("ids"), "w") as f:
            f.write("1\n2\n")
        os.remove(part)
        self.ok(ordo("sample", flow, part, "--induced", self.path("ids")), 2)
        self.assertFalse(os.path.exists(part))
        self.ok(ordo("sample", flow, self.out, "--induced", self.path("ids")))
        self.assertEqual(read_gr(self.out), (2, [(0, 1, 4)]))

    def test_refused(self):
        with open(self.out, "w") as f:
            f.write("old\n")
        for pattern, words in {"0 ways": [], "--random and --largest-component exclude": ["--random", 0.5, "--largest-component"], "--random '0'": ["--random", 0],
                               "--random '2'": ["--random", 2], "--ball '3'": ["--ball", 3], "--ball '3:0'": ["--ball", "3:0"],
                               "from 0 to 59": ["--ball", "60:4"], "--ball ':4'": ["--ball", ":4"]}.items():
            self.refused(2, pattern, "sample", self.gr, self.out, *words)
        self.refused(2, "expected two", "sample", self.gr, "--random", 0.5)
        self.refused(3, "No such file", "sample", self.gr, self.out, "--induced", "/no/such/file")
        self.refused(2, "standard input", "sample", "-", self.out, "--induced", "-")
        with open(self.out) as f:
            self.assertEqual(f.read(), "old\n")


if __name__ == "__main__":
    main()
