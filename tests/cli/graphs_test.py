#!/usr/bin/env python3
"""`ordo generate`, `convert` and `info`: kinds of graphs, edges, formats. usage: graphs_test.py PATH_OF_ORDO [unittest arguments]"""
import json
import os
import re
import subprocess

from command import ORDO, TREE, Base, check_schema, main, needs, ordo
from references import INF, both_ways, hops


@needs("generate")
class Graphs(Base):
    def test_generate(self):
        file = self.path("made.wsg")
        for words in (["rmat", "--scale", 6, "--weights", "uniform:1:9"], ["road", "--vertices", 100],
                      ["uniform", "--vertices", 50, "--degree", 3, "--weights", "uniform:0:4", "-s"],
                      ["grid", "--width", 6, "--height", 7, "--weights", "uniform:5:5"]):
            self.ok(ordo("generate", *words, "--seed", 3, "-o", file))
            first = ordo("info", file).out
            self.ok(ordo("generate", *words, "--seed", 3, "-o", file, "--threads", 1))
            self.assertEqual(re.search("Checksum.*", first)[0], re.search("Checksum.*", ordo("info", file).out)[0])
        self.refused(2, "needs --output", "generate", "rmat", "--scale", 3)
        self.refused(2, "one: rmat", "generate", "-o", file)
        self.refused(2, "--weights 'uniform:9:1'", "generate", "rmat", "--scale", 3, "--weights", "uniform:9:1", "-o", file)
        self.refused(3, "/no/such/folder/x.el", "generate", "rmat", "--scale", 3, "-o", "/no/such/folder/x.el")

    def test_convert_and_info(self):
        for suffix in (".gr", ".wsg", ".wel"):
            out = self.path("converted" + suffix)
            self.ok(ordo("convert", self.gr, out))
            one, two = ordo("info", self.gr).out, ordo("info", out).out
            if suffix != ".wel":  # an edge list does not tell of vertices after the last one with an edge
                self.assertEqual(re.search("Checksum.*", one)[0], re.search("Checksum.*", two)[0])
        out = self.path("bare.el")
        self.ok(ordo("convert", self.gr, out, "--drop-weights", "--quiet"))
        self.assertRegex(ordo("info", out).out, "no weights")
        self.refused(2, "expected two", "convert", self.gr)
        before = self.path("converted.gr")
        with open(before, "rb") as f:
            kept = f.read()
        self.ok(ordo("convert", "/no/such/graph", before), 3)
        with open(before, "rb") as f:
            self.assertEqual(f.read(), kept)

    def test_info(self):
        r = self.ok(ordo("info", self.gr))
        self.assertIn(f"{self.n} vertices, {len(self.edges)} directed edges", r.out)
        for pattern in ("u32 weights", r"Checksum: +[0-9a-f]{16}", "sssp +about", "bfs +about", "cc +about"):
            self.assertRegex(r.out, pattern)


@needs("sample")
class Edges(Base):
    """What is done to edges on their way into a graph."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.multi, cls.plain = cls.path("multi.wel"), cls.path("plain.el")
        with open(cls.multi, "w") as f:
            f.write("0 0 4\n0 1 5\n0 1 3\n0 1 6\n1 2 7\n2 2 1\n2 1 9\n")
        with open(cls.plain, "w") as f:
            f.write("0 1\n1 2\n2 3\n0 1\n")

    def graph(self, *words):
        return json.loads(self.ok(ordo("info", *words, "--quick", "--json", "-")).out)["graph"]

    def edges_of(self, *words):
        out = self.path("edges.wel")
        self.ok(ordo("convert", *words[:1], out, *words[1:], "--quiet"))
        with open(out) as f:
            return [tuple(map(int, line.split())) for line in f if line[0] != "#"]

    def test_parallel_edges(self):
        for how, weight in (("min", 3), ("max", 6), ("sum", 14), ("first", 5)):
            self.assertEqual(self.edges_of(self.multi, "--dedup", how, "--drop-loops"),
                             [(0, 1, weight), (1, 2, 7), (2, 1, 9)])
            g = self.graph(self.multi, "--dedup", how)
            self.assertEqual((g["edges"], g["loops"], g["dropped_loops"], g["dropped_parallel"]), (5, 2, 0, 2))
        self.assertEqual(self.edges_of(self.multi, "-s", "--dedup", "min", "--drop-loops"),
                         [(0, 1, 3), (1, 0, 3), (1, 2, 7), (2, 1, 7)])
        self.refused(2, "expected one of min, max, sum, first", "info", self.multi, "--dedup", "mean")
        with open(self.path("much.wel"), "w") as f:
            f.write("0 1 4294967295\n0 1 1\n")
        self.refused(3, "more than their type holds", "sssp", self.path("much.wel"), "--dedup", "sum")
        self.ok(ordo("bfs", self.path("much.wel"), "--dedup", "sum"))  # weights are not read

    def test_scipy_adds_parallel_edges_up(self):
        """Said where such a file is written, with what helps; nothing is said of a graph without."""
        plain, double, out = self.path("single.wel"), self.path("double.wel"), self.path("x.npz")
        with open(plain, "w") as f:
            f.write("0 1 5\n1 2 7\n1 0 5\n")
        with open(double, "w") as f:
            f.write("0 1 5\n1 2 7\n0 1 9\n0 1 5\n")
        r = ordo("convert", plain, out)
        if "without libzip" in r.err:
            self.skipTest("no libzip")
        self.ok(r)
        r = ordo("convert", double, out)
        self.assertEqual((r.returncode, r.err), (0, f"ordo: warning: {out}: has parallel edges, which SciPy adds up; "
                                                    "--dedup min|max|sum|first keeps one of them\n"))
        self.ok(ordo("convert", double, out, "--dedup", "min"))
        self.ok(ordo("convert", double, out, "--quiet"))
        self.ok(ordo("convert", double, self.path("x.wel")))

    def test_it_is_said(self):
        for verb in ("sssp", "info"):
            r = self.ok(ordo(verb, self.multi, "--dedup", "min", "--drop-loops"))
            self.assertIn("Dropped:             2 loops, 2 parallel edges\n", r.out)
            self.assertNotIn("Dropped:", ordo(verb, self.multi).out)
            self.assertEqual(ordo(verb, self.multi, "--drop-loops", "--quiet").out, "")
        record = json.loads(self.ok(ordo("sssp", self.multi, "--drop-loops", "--json", "-", "-r", 0)).out)
        self.assertEqual((record["graph"]["dropped_loops"], record["graph"]["dropped_parallel"]), (2, 0))
        r = self.ok(ordo("convert", self.multi, self.path("x.wel"), "--drop-loops"))
        self.assertIn("Dropped:             2 loops, 0 parallel edges\n", r.out)

    def test_drawn_weights(self):
        self.refused(3, "found weights", "sssp", self.multi, "--weights", "uniform:1:9")
        self.ok(ordo("bfs", self.multi, "--weights", "uniform:1:9"))  # needs none
        r = self.ok(ordo("sssp", self.multi, "--weights", "uniform:1:9", "--drop-weights", "--seed", 7))
        self.assertIn("(uniform:1:9 --seed 7)", r.out)
        self.assertEqual(self.graph(self.multi)["weight"]["origin"], "stored")
        self.assertEqual(self.graph(self.plain)["weight"]["origin"], "none")
        self.assertEqual(self.graph(self.multi, "--drop-weights")["weight"]["type"], "none")
        g = self.graph(self.plain, "--weights", "uniform:1:9")
        self.assertEqual((g["weight"]["type"], g["weight"]["origin"]), ("u32", "uniform:1:9 --seed 27491095"))
        self.assertEqual(ordo("sssp", self.plain, "--weights", "uniform:2:2", "-r0", "--output", "-").out, "0\n2\n4\n6\n")

        big = ["--weights", "uniform:1:1000000"]
        one = self.edges_of(self.gr, "--drop-weights", *big)
        self.assertEqual(one, self.edges_of(self.gr, "--drop-weights", *big, "--threads", 1))
        self.assertNotEqual(one, self.edges_of(self.gr, "--drop-weights", *big, "--seed", 1))
        self.assertTrue(all(1 <= w <= 1000000 for _, _, w in one) and len({w for _, _, w in one}) > 190)
        both = self.edges_of(self.plain, "-s", *big)
        self.assertEqual(len(both), 8)
        self.assertEqual(sorted(both), sorted((v, u, w) for u, v, w in both))

    def test_drawn_weights_of_made_graphs(self):
        def weight(*words):
            return json.loads(self.ok(ordo("sssp", *words, "--json", "-")).out)["graph"]["weight"]
        w = weight("-g", 6)
        self.assertEqual((w["origin"], w["type"]), ("uniform:1:255 --seed 27491095", "u32"))
        self.assertEqual((weight("-g", 6, "--weights", "uniform:3:3")["max"]), 3)
        self.assertEqual(weight("-u", 6, "--drop-weights")["type"], "none")
        self.assertEqual(weight("--generate", "road --vertices 30 --drop-weights")["type"], "none")
        self.refused(2, "among the words of --generate", "sssp", "--generate", "star --vertices 4", "--weights",
                     "uniform:1:2")
        self.refused(2, "needs a file", "sssp", "-g", 4, "--trust")

    def test_coordinates(self):
        places = self.path("small.co")
        with open(places, "w") as f:
            f.write(f"p aux sp co {self.n}\n" + "".join(f"v {v + 1} {10 * v} {-v}\n" for v in range(self.n)))
        self.assertIs(self.graph(self.gr)["coordinates"], False)
        self.assertIs(self.graph(self.gr, "--coordinates", places)["coordinates"], True)
        self.assertRegex(ordo("info", self.gr, "--coordinates", places).out, "(?m)^Vertex data: +coordinates")
        self.refused(3, "small.co", "info", self.plain, "--coordinates", places)
        out, names = self.path("part.co"), self.path("part.names")
        self.ok(ordo("sample", self.gr, out, "--coordinates", places, "--random", 0.5, "--names", names))
        with open(names) as f:
            kept = [int(v) for v in f]
        with open(out) as f:
            self.assertEqual([line.split() for line in f if line[0] == "v"],
                             [["v", str(i + 1), str(10 * v), str(-v)] for i, v in enumerate(kept)])


@needs("sample")
class Kinds(Base):
    words = {"rmat": "--scale 5 --abcd .4,.2,.2,.2", "kron": "--scale 5 --degree 4", "urand": "--scale 5",
             "uniform": "--vertices 40 --degree 3", "grid": "--width 4 --height 3 --depth 2 --keep .8",
             "mesh": "--width 3 --height 3 --depth 3", "road": "--vertices 50",
             "rlg": "--width 4 --height 5 --weights uniform:1:9", "genrmf": "--width 3 --depth 4 --weights uniform:1:9",
             "star": "--vertices 5", "path": "--vertices 5", "complete": "--vertices 5",
             "cliques": "--vertices 10 --width 5"}

    def graph(self, kind, *words):
        r = self.ok(ordo("info", "--quick", "--json", "-", "--generate", " ".join([kind, self.words[kind], *words])))
        return json.loads(r.out)["graph"]

    def test_every_kind(self):
        for kind in self.words:
            g = self.graph(kind)
            self.assertTrue(g["source"].startswith(kind))
            self.assertEqual(g["symmetric"], kind not in ("rmat", "uniform", "rlg", "genrmf"))
            self.assertEqual(g["coordinates"], kind == "road")
            self.assertEqual(g["terminals"] is not None, kind in ("rlg", "genrmf"))
            # the words that a graph says of itself make it again
            again = json.loads(ordo("info", "--quick", "--json", "-", "--generate", g["source"]).out)["graph"]
            self.assertEqual(again["checksum"], g["checksum"], g["source"])
        for kind, size in {"star": (5, 8), "path": (5, 8), "complete": (5, 20), "cliques": (10, 42)}.items():
            g = self.graph(kind)
            self.assertEqual((g["vertices"], g["edges"]), size, kind)
        self.assertEqual(self.graph("mesh")["max_degree"], 26)
        self.assertEqual(self.graph("genrmf")["vertices"], 36)
        for kind in ("kron", "urand"):
            self.assertEqual(self.graph(kind)["loops"], 0)

    def test_options_of_kinds(self):
        text = self.ok(ordo("generate", "--help")).out
        for kind in self.words:
            self.assertRegex(text, rf"(?m)^  {kind} +--")
        for pattern, words in {"star has no --width": "star --vertices 3 --width 2", "genrmf needs --depth": "genrmf --width 3",
                               "kron has no --abcd": "kron --scale 3 --abcd .25,.25,.25,.25",
                               "--keep '0'": "grid --width 3 --height 3 --keep 0",
                               "--keep '1.5'": "grid --width 3 --height 3 --keep 1.5",
                               "--abcd '1,2'": "rmat --scale 3 --abcd 1,2",
                               "1": "rmat --scale 3 --abcd .5,.5,.5,.5",
                               "'gird' is unknown; did you mean 'grid'": "gird --width 3"}.items():
            self.refused(2, re.escape(pattern), "generate", *words.split(), "-o", self.path("x.el"))


@needs("sample")
class Info(Base):
    def info(self, *words):
        with open(os.path.join(TREE, "docs", "schema.json")) as f:
            schema = json.load(f)
        record = json.loads(self.ok(ordo("info", *words, "--json", "-")).out)
        self.assertEqual(check_schema(record, schema, schema), [])
        return record

    def test_components_and_diameter(self):
        both = both_ways(self.edges)
        parts = {tuple(u for u, d in enumerate(hops(self.n, both, v)) if d < INF) for v in range(self.n)}
        longest = max(d for v in range(self.n) for d in hops(self.n, self.edges, v) if d < INF)
        record = self.info(self.gr)
        self.assertEqual(record["components"], {"count": len(parts), "largest": max(map(len, parts))})
        self.assertTrue(longest / 2 <= record["diameter"]["at_least"] <= longest)
        text = self.ok(ordo("info", self.gr)).out
        self.assertIn(f"Components:          {len(parts)} weak, the largest of {max(map(len, parts))} vertices", text)
        self.assertRegex(text, r"(?m)^Diameter: +at least \d+ hops \(4 double sweeps\)$")
        self.assertEqual(self.info(self.chain)["diameter"], {"at_least": 3, "double_sweeps": 4, "seed": 27491095})
        self.assertEqual(self.info("--generate", "path --vertices 40", "--seed", 5)["diameter"],
                         {"at_least": 39, "double_sweeps": 4, "seed": 5})
        quick = self.info(self.gr, "--quick")
        self.assertIsNone(quick["components"])
        self.assertIsNone(quick["diameter"])
        text = self.ok(ordo("info", self.gr, "--quick")).out
        self.assertNotIn("Diameter:", text)
        self.assertIn("Checksum:", text)

    def test_degrees(self):
        self.assertEqual(self.info("--generate", "star --vertices 6")["degrees"],
                         {"min": 1, "zero": 0, "histogram": [0, 5, 0, 1]})
        text = self.ok(ordo("info", "--generate", "star --vertices 6")).out
        self.assertRegex(text, r"(?m)^  4 to 7 +1 vertices$")
        degree = [sum(u == v for u, _, _ in self.edges) for v in range(self.n)]
        self.assertEqual(self.info(self.gr)["degrees"]["zero"], degree.count(0))
        self.assertEqual(sum(self.info(self.gr)["degrees"]["histogram"]), self.n)

    def test_small_graphs(self):
        for name, text, count in (("one.gr", "p sp 1 0\n", 1), ("bare.gr", "p sp 5 0\n", 5), ("none.gr", "p sp 0 0\n", 0)):
            with open(self.path(name), "w") as f:
                f.write(text)
            record = self.info(self.path(name))
            self.assertEqual(record["components"], {"count": count, "largest": min(count, 1)})
            self.assertEqual(record["diameter"]["at_least"], 0)
            self.assertIn("Components:", self.ok(ordo("info", self.path(name))).out)


@needs("sample")
class Formats(Base):
    def test_help_lists_them(self):
        for verb in ("sssp", "convert", "info", "sample", "compare"):
            text = self.ok(ordo("help", verb)).out
            for suffix in (".gr", ".max", ".mtx", ".graph", ".el", ".wel", ".sg", ".wsg", ".npz", ".ordo"):
                self.assertRegex(text, rf"(?m)^  {re.escape(suffix)} ")
        for verb in ("generate", "convert", "sample"):
            self.assertIn("Formats written", self.ok(ordo("help", verb)).out)

    def test_convert_to_every_format(self):
        """Names and weights survive; what a format cannot hold is refused in one line."""
        checksum = json.loads(ordo("info", self.gr, "--json", "-").out)["graph"]["checksum"]
        for suffix in (".gr", ".mtx", ".wsg", ".ggr", ".npz", ".ordo"):
            with self.subTest(suffix=suffix):
                out = self.path("again" + suffix)
                r = ordo("convert", self.gr, out, "--dedup", "first")
                if "built without" in r.err:
                    continue
                self.ok(r)
                back = json.loads(self.ok(ordo("info", out, "--json", "-")).out)["graph"]
                once = json.loads(ordo("info", self.gr, "--dedup", "first", "--json", "-").out)["graph"]
                if once["weight"]["type"] == back["weight"]["type"]:
                    self.assertEqual(back["checksum"], once["checksum"])
                else:
                    self.assertEqual((back["vertices"], back["edges"]), (once["vertices"], once["edges"]))
        out = self.path("again.ordo")
        self.ok(ordo("convert", self.gr, out))
        for words in ([], ["--trust"]):
            self.assertEqual(json.loads(ordo("info", out, "--json", "-", *words).out)["graph"]["checksum"], checksum)
        self.refused(2, "directed|symmetric", "convert", self.gr, self.path("x.graph"))
        self.refused(2, "terminals|source", "convert", self.gr, self.path("x.max"))
        self.refused(2, "coordinates", "convert", self.gr, self.path("x.co"))

    def test_file_that_shrinks(self):
        """A mapped file is cut while the command waits for its sources."""
        graph, pipe, out = self.path("long.ordo"), self.path("pipe"), self.path("values")
        self.ok(ordo("generate", "uniform", "--vertices", 200000, "--degree", 4, "-o", graph))
        os.mkfifo(pipe)
        child = subprocess.Popen([ORDO, "bfs", graph, "--trust", "--sources", pipe, "--output", out],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            with open(pipe, "w") as f:  # waits until the command opens it: the graph is there by then
                os.truncate(graph, 4096)
                f.write("0\n")
            _, err = child.communicate(timeout=60)
        finally:
            child.kill()
        self.assertEqual((child.returncode, err), (3, b"ordo: a file became shorter while it was read\n"))
        self.assertFalse(os.path.exists(out))
        self.assertEqual([n for n in os.listdir(self.folder.name) if ".tmp." in n], [])


if __name__ == "__main__":
    main()
