#!/usr/bin/env python3
"""`ordo partition`: who owns which vertex, and what each part holds. usage: partition_test.py PATH_OF_ORDO [unittest arguments]"""
import json
import os

from command import Base, main, needs, ordo


@needs("partition")
class Partition(Base):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file, cls.wrong = cls.path("part"), cls.path("wrong")

    def made(self, *words, graph=None):
        """The part of each vertex, after a comparison of what the command counted with a count of our own."""
        r = self.ok(ordo("partition", graph or self.gr, *words, "-o", self.file, "--json", "-"))
        record = json.loads(r.out)
        with open(self.file) as f:
            part = [int(line) for line in f]
        self.assertEqual(len(part), self.n)
        k = len(record["parts"])
        self.assertTrue(all(0 <= p < k for p in part))
        for p, of in enumerate(record["parts"]):
            own = [(u, v) for u, v, _ in self.edges if part[u] == p]
            cut = [v for u, v in own if part[v] != p]
            self.assertEqual(of, {"vertices": part.count(p), "edges": len(own), "cut": len(cut), "ghosts": len(set(cut))})
        for key in ("cut", "ghosts"):
            self.assertEqual(record[key], sum(of[key] for of in record["parts"]))
        for key, all_of in (("vertices", self.n), ("edges", len(self.edges))):
            self.assertAlmostEqual(record["balance"][key], max(of[key] for of in record["parts"]) * k / all_of)
        return part

    def test_methods(self):
        n, m = self.n, len(self.edges)
        before = [sum(u < v for u, _, _ in self.edges) for v in range(n)]
        for k in (1, 2, 3, 7, n, n + 5):
            self.assertEqual(self.made("-k", k, "--method", "block"), [v * k // n for v in range(n)])
            self.assertEqual(self.made("-k", k, "--method", "edges"), [(before[v] + v) * k // (n + m) for v in range(n)])
            self.assertEqual(self.made("-k", k, "--method", "random"), self.made("-k", k, "--method", "random", "--threads", 1))
        self.assertNotEqual(self.made("-k", 3, "--method", "random"), self.made("-k", 3, "--method", "random", "--seed", 1))
        self.assertEqual(set(self.made("-k", 3, "--method", "random")), {0, 1, 2})

    def test_metis(self):
        """Of a grid METIS cuts less than ranges of ids that were drawn at random; the counts stay right."""
        r = ordo("partition", self.gr, "-k", 2)
        if r.returncode == 2 and "no METIS" in r.err:
            self.skipTest("built without METIS")
        self.assertEqual(sorted(set(self.made("-k", 2))), [0, 1])
        words = ("partition", "--generate", "grid --width 40 --height 40", "-k", 4, "--json", "-")
        by = {m: json.loads(self.ok(ordo(*words, "--method", m)).out) for m in ("metis", "random")}
        self.assertLess(4 * by["metis"]["cut"], by["random"]["cut"])
        self.assertLess(by["metis"]["balance"]["vertices"], 1.1)
        hubs = json.loads(self.ok(ordo("partition", "--generate", "rmat --scale 11", "-k", 4, "--json", "-")).out)
        self.assertLess(hubs["balance"]["edges"], 1.1)  # 3 where vertices are in balance

    def test_read(self):
        part = self.made("-k", 5, "--method", "random")
        again = self.ok(ordo("partition", self.gr, "-k", 5, "--read", self.file)).out
        self.assertIn("Parts:               5 from " + self.file, again)
        self.ok(ordo("partition", self.gr, "-k", 5, "--read", self.file, "-o", self.wrong + ".gz"))
        self.assertEqual(self.made("-k", 5, "--read", self.wrong + ".gz"), part)
        lines = [str(p) for p in part]
        for text, message in (
                (lines[:-1], f":{self.n}: found end of file, expected a line for each of {self.n} vertices"),
                (lines + ["0"], f":{self.n + 1}: found '0', expected the end of the file behind the parts of {self.n} vertices"),
                (lines[:3] + ["5"] + lines[4:], ":4: found '5', expected a part from 0 to 4"),
                (lines[:3] + ["-1"] + lines[4:], ":4: found '-1', expected a part from 0 to 4"),
                (lines[:3] + ["1 2"] + lines[4:], ":4: found '2', expected one number in a line"),
                (lines[:3] + [""] + lines[4:], ":4: found end of line, expected a part from 0 to 4"),
                (["x"], ":1: found 'x', expected a part from 0 to 4")):
            with open(self.wrong, "w") as f:
                f.write("".join(line + "\n" for line in text))
            self.refused(3, message, "partition", self.gr, "-k", 5, "--read", self.wrong)
        self.refused(3, "absent", "partition", self.gr, "-k", 5, "--read", self.path("absent"))

    def test_text(self):
        out = self.ok(ordo("partition", self.gr, "-k", 3, "--method", "block")).out
        self.assertIn("Parts:               3 by block\n", out)
        self.assertEqual(len([line for line in out.splitlines() if line.startswith("     ")]), 3)
        self.assertIn("parts are empty", self.ok(ordo("partition", self.gr, "-k", self.n + 5, "--method", "block")).out)

    def test_refused(self):
        self.refused(2, "partition needs -k N", "partition", self.gr)
        self.refused(2, "'0'", "partition", self.gr, "-k", 0)
        self.refused(2, "65536", "partition", self.gr, "-k", 65537)
        self.refused(2, "'metis2'", "partition", self.gr, "-k", 2, "--method", "metis2")
        self.refused(2, "--method and --read", "partition", self.gr, "-k", 2, "--method", "block", "--read", self.file)
        before = os.listdir(os.path.dirname(self.file))
        self.refused(2, "partition needs", "partition", self.gr, "-o", self.path("never"))
        self.assertEqual(before, os.listdir(os.path.dirname(self.file)))


if __name__ == "__main__":
    main()
