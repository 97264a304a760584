#!/usr/bin/env python3
"""Every app: values, trees, files of values, sources, timeouts. usage: apps_test.py PATH_OF_ORDO [unittest arguments]"""
import json
import os
import re

from command import APPS, Base, general_schedulers, main, needs, ordo, read_npy, schedulers
from references import INF, bellman_ford, core_numbers, dijkstra, hops, kruskal, pagerank, widest


@needs("sssp")
class Run(Base):
    def values(self, *words):
        out = self.ok(ordo("sssp", self.gr, "--source", self.source, "--output", "-", *words)).out
        return [INF if v == "inf" else int(v) for v in out.split("\n")[:-1]]

    def test_values_under_every_scheduler(self):
        for name in schedulers():
            for threads in (1, 2, 5):
                self.assertEqual(self.values("--scheduler", name, "--threads", threads), self.dist, name)

    def test_limit(self):
        self.assertEqual(self.values("--limit", 50), [d if d <= 50 else INF for d in self.dist])

    def test_totals(self):
        """Of distances of all 32 bits, in several pieces, by any number of threads; those of a path are known."""
        path, n = self.path("heavy.wel"), 70001
        for weight, status in ((60000, 0), (61357, 3)):  # 61357 * 69999 fits, 61357 * 70000 does not
            with open(path, "w") as f:
                f.write("".join(f"{v} {v + 1} {weight}\n" for v in range(n - 1)) + f"{n + 5} 0 1\n")
            for threads in (1, 3):
                r = ordo("sssp", path, "--source", 0, "--threads", threads, "--json", "-")
                self.assertEqual(r.returncode, status, r.err)
                if status:
                    self.assertIn(f"edge {n - 2} -> {n - 1}: distance {(n - 2) * weight} + weight {weight} does not fit u32", r.err)
                    continue
                found = json.loads(r.out)["result"]
                self.assertEqual([found[key] for key in ("reached", "max", "sum")], [n, (n - 1) * weight, weight * n * (n - 1) // 2])

    def test_timeout(self):
        path = self.path("late.json")
        for name in schedulers():
            r = self.refused(6, rf"sssp_u32 under '{name}' did not end within 1e-09 s: superstep \d+, \d+ items in flight",
                             "sssp", "-g", 12, "--scheduler", name, "--timeout", "1e-9", "--json", path)
            self.assertNotIn("Trial Time", r.out)
            self.assertFalse(os.path.exists(path))
        for given, used in (("1000", 1000), ("0", None)):
            record = json.loads(self.ok(ordo("sssp", self.gr, "--timeout", given, "--json", "-")).out)
            self.assertEqual(record["options"]["timeout"], used)

    def test_timeout_of_a_comparison(self):
        """A scheduler that is late is left out and named; if none is left, that is an error."""
        path, out = self.path("path.ordo"), self.path("compared.json")
        self.ok(ordo("generate", "path", "--vertices", 200000, "-o", path))
        r = self.ok(ordo("compare", "bfs", path, "--source", 199999, "--repeat", 1, "--threads", 1, "--timeout", 3,
                         "--schedulers", "topology,bsp", "--set", "topology.sweep=forward", "--json", out))
        self.assertRegex(r.out, r"(?m)^\* bsp .* PASS$")
        self.assertRegex(r.out, r"(?m)^  topology left out: bfs under 'topology' did not end within 3 s: ")
        with open(out) as f:
            self.assertEqual([json.loads(line)["options"]["scheduler"] for line in f], ["bsp"])
        self.refused(6, "no scheduler can run bfs here: bfs under 'bsp' did not end within 1e-09 s", "compare", "bfs", path,
                     "--timeout", "1e-9", "--warmup", 1, "--schedulers", "bsp,delta")

    def test_bfs_and_cc(self):
        want = dijkstra(self.n, [(u, v, 1) for u, v, _ in self.edges], self.source)
        out = self.ok(ordo("bfs", self.gr, "-r", self.source, "-v", "--output", "-")).out.split()
        self.assertEqual([INF if v == "inf" else int(v) for v in out], want)
        both = [(u, v, 0) for a, b, _ in self.edges for u, v in ((a, b), (b, a))]
        want = [min(u for u, d in enumerate(dijkstra(self.n, both, v)) if d == 0) for v in range(self.n)]
        for base, words in ((0, []), (1, ["--ids", "file"])):
            out = self.ok(ordo("cc", self.gr, "--output", "-", *words)).out.split()
            self.assertEqual([int(v) for v in out], [c + base for c in want])

    def test_mst(self):
        want = kruskal(self.n, [e for e in self.edges if e[0] != e[1]])
        out = self.ok(ordo("mst", self.gr, "-v", "--output", "-", "--ids", "file")).out
        self.assertEqual(sorted(tuple(map(int, l.split())) for l in out.splitlines()),
                         sorted((u + 1, v + 1, w) for u, v, w in want))
        total = sum(w for _, _, w in want)
        text = f"trees {self.n - len(want)}, edges {len(want)}, weight {total}"
        for words in ([], ["--threads", 1], ["--scheduler", "topology", "--sync", "racy"], ["--symmetrise"],
                      ["--scheduler", "delta", "--sync", "lock"], ["-n", 3, "--warmup", 1]):
            r = self.ok(ordo("mst", self.gr, "-v", *words))
            self.assertIn(text, r.out)
            self.assertIn("PASS", r.out)
        for how in ("serial", "certificate", "both"):
            self.ok(ordo("mst", self.gr, f"--verify={how}"))
        record = json.loads(self.ok(ordo("mst", self.gr, "--json", "-")).out)
        self.assertEqual(record["result"], {"trees": self.n - len(want), "edges": len(want), "weight": total})
        self.assertEqual((record["app"], record["operator"]), ("mst", "mst_u32"))
        file = self.path("forest.npy")
        self.ok(ordo("mst", self.gr, "--output", file))
        kind, ids = read_npy(file)
        order = sorted(range(len(self.edges)), key=lambda i: self.edges[i][:2])
        self.assertEqual((kind, [self.edges[order[i]] for i in ids]), ("<u8", sorted(want, key=lambda e: e[:2])))
        self.assertEqual(ids, sorted(ids))
        forest = self.path("forest.wel")
        self.ok(ordo("mst", self.gr, "--output", forest))
        self.assertIn(f"weight {total}", self.ok(ordo("mst", forest, "-v")).out)

    def test_mst_weights(self):
        for text, weight, line in (("0 1 -5\n1 2 -3\n0 2 4\n", -8, "0 1 -5\n1 2 -3\n"),
                                   ("0 1 0.5\n1 2 -0.25\n0 2 4\n", 0.25, "0 1 0.5\n1 2 -0.25\n"),
                                   ("0 1\n1 2\n2 0\n1 0\n1 1\n", 2, "0 1\n1 0\n")):
            file = self.path("small.wel" if weight != 2 else "small.el")
            with open(file, "w") as f:
                f.write(text)
            r = self.ok(ordo("mst", file, "-v"))
            self.assertRegex(r.out, rf"edges 2, weight {weight}\n")
            self.assertEqual(json.loads(self.ok(ordo("mst", file, "--json", "-")).out)["result"]["weight"], weight)
            if weight != 2:
                self.assertEqual(self.ok(ordo("mst", file, "--output", "-")).out, line)
        with open(self.path("nan.mtx"), "w") as f:
            f.write("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 nan\n")
        self.assertEqual(ordo("mst", self.path("nan.mtx")).returncode, 3)

    def test_mst_of_wide_weights(self):
        """Weights of 8 bytes, near to each other, far apart, and equal: the edges of Kruskal's, printed as they were read."""
        file, kept = self.path("wide.wel"), self.path("wide.ordo")
        kinds = {"i64": (None, lambda w: (w - 25) * (2 ** 51 + 1), int),
                 "f64": (lambda w: w * 0.5 - 7, lambda w: (w - 25) / 3 * 10.0 ** (w % 7 * 8), float)}
        for kind, (near, far, number) in kinds.items():
            for weight in (near, far):
                edges = [(0, 1, -2 ** 62), (1, 2, 2 ** 62 + 1), (2, 0, 2 ** 62 + 1)]  # sums of many would not fit
                if weight:
                    edges = [(u, v, weight(w)) for u, v, w in self.edges[:-1]] + [(self.n - 1, self.n - 1, weight(1))]
                with open(file, "w") as f:
                    f.writelines(f"{u} {v} {w!r}\n" for u, v, w in edges)
                want = kruskal(1 + max(max(e[:2]) for e in edges), [e for e in edges if e[0] != e[1]])
                self.ok(ordo("convert", file, kept, "--weight-type", kind))
                for words in ((file, "--weight-type", kind), (kept,), (kept, "--threads", 1), (kept, "--scheduler", "delta", "--sync", "lock"),
                              (kept, "--scheduler", "topology", "--sync", "racy")):
                    r = self.ok(ordo("mst", *words, "--verify=both", "--output", "-"))
                    found = [l.split() for l in r.out.splitlines()]
                    self.assertEqual(sorted((int(u), int(v), number(w)) for u, v, w in found), sorted(want))
                record = json.loads(self.ok(ordo("mst", kept, "--verify", "--json", "-")).out)
                self.assertEqual((record["operator"], record["verified"], record["result"]["edges"]), ("mst_u32", True, len(want)))
                self.assertGreater(record["seconds"]["prepare"], 0)
                total = sum(w for _, _, w in sorted(want, key=lambda e: e[:2]))
                weight = record["result"]["weight"]
                self.assertTrue(weight == total if kind == "i64" else abs(weight - total) <= 1e-14 * abs(total), (weight, total))
                self.ok(ordo("mst", kept, "-s", "--verify=both"))
        for kind, most in (("i64", 2 ** 63 - 1), ("f64", 1.5e308)):
            with open(file, "w") as f:
                f.write(f"0 1 {most!r}\n1 2 {most!r}\n")
            self.refused(3, f"the weights of the forest's 2 edges add up to more than {kind} holds", "mst", file, "--weight-type", kind)

    def test_mst_refusals(self):
        self.refused(2, "mst has no source", "mst", self.gr, "--source", 0)
        self.refused(2, "needs a|does not offer sync 'racy'", "mst", self.gr, "--scheduler", "delta", "--sync", "racy")
        self.refused(2, "mst", "mst", self.gr, "--path-to", 1)

    def test_mst_compare(self):
        out = self.ok(ordo("compare", "mst", self.gr, "-n", 2)).out
        for name in general_schedulers():
            self.assertRegex(out, rf"(?m)^\*? +{name} .*PASS$")

    def test_widest(self):
        want = widest(self.n, self.edges, self.source)
        out = self.ok(ordo("widest", self.gr, "-r", self.source, "-v", "--output", "-")).out.split()
        self.assertEqual([INF if v == "inf" else int(v) for v in out], want)
        others = [w for v, w in enumerate(want) if v != self.source and w]
        result = {"reached": len(others) + 1, "min": min(others), "sum": sum(others)}
        for words in ([], ["--threads", 1], ["--scheduler", "topology", "--sync", "racy"], ["--scheduler", "adds"]):
            r = self.ok(ordo("widest", self.gr, "-r", self.source, "--verify=both", "--json", "-", *words))
            record = json.loads(r.out)
            self.assertEqual((record["result"], record["operator"]), (result, "widest_u32"))
        hops = widest(self.n, [(u, v, 1) for u, v, _ in self.edges], self.source)
        out = self.ok(ordo("widest", self.gr, "-r", self.source, "--drop-weights", "-v", "--output", "-")).out.split()
        self.assertEqual([INF if v == "inf" else int(v) for v in out], hops)
        for kind, line in (("real", "0.5"), ("integer", "4")):
            file = self.path("small.mtx")
            with open(file, "w") as f:
                f.write(f"%%MatrixMarket matrix coordinate {kind} general\n4 4 3\n1 2 {line}\n2 3 7\n1 3 0\n")
            out = self.ok(ordo("widest", file, "-r", 0, "--verify=both", "--output", "-")).out.split()
            self.assertEqual(out, ["inf", line, line, "0"])
        with open(self.path("negative.wel"), "w") as f:
            f.write("0 1 -2\n")
        self.assertRegex(ordo("widest", self.path("negative.wel"), "-r", 0).err, "widest paths need weights that are not")
        for option in ("--limit", "--tree", "--path-to", "--k", "--damping"):
            self.refused(2, f"widest .* takes no {option}", "widest", self.gr, option, "1" if option != "--damping" else "0.5")

    def test_bellman_ford(self):
        """Shifted weights shift distances; a cycle is named by its vertices and edges, in text and in JSON."""
        shift = [37 * v * v % 101 - 50 for v in range(self.n)]
        edges = sorted([(u, v, w + shift[v] - shift[u]) for u, v, w in self.edges] + [(self.n - 1, self.n - 1, 1)])  # so that the file has all
        file, out, tree = self.path("signed.wel"), self.path("values"), self.path("tree")
        with open(file, "w") as f:
            f.writelines(f"{u} {v} {w}\n" for u, v, w in edges)
        want = [d if d == INF else d + shift[v] - shift[self.source] for v, d in enumerate(self.dist)]
        self.assertEqual(bellman_ford(self.n, edges, self.source), want)
        weights = {}
        for u, v, w in edges:
            weights[u, v] = min(w, weights.get((u, v), INF))
        reached = [d for d in want if d < INF]
        result = {"negative_cycle": 0, "reached": len(reached), "min": min(reached), "max": max(reached), "sum": sum(reached)}
        for words in ([], ["--threads", 1], ["--scheduler", "topology", "--sync", "racy"], ["--scheduler", "adds"], ["--sync", "lock"],
                      ["--scheduler", "lock_server"], ["--scheduler", "auto"], ["--items", "edges"], ["--items", "edges", "--scheduler", "bsp"]):
            r = self.ok(ordo("bellman-ford", file, "-r", self.source, "--verify=both", "-o", out, "--tree", tree, "--json", "-", *words))
            record = json.loads(r.out)
            self.assertEqual((record["result"], record["cycle"], record["verified"], record["operator"]), (result, None, True, "bellman_ford_i32"))
            self.assertEqual(record["options"]["items"], "edges" if "--items" in words else "vertices")
            with open(out) as f:
                self.assertEqual([INF if v == "inf" else int(v) for v in f.read().split()], want)
            with open(tree) as f:
                for v, parent in enumerate(f.read().split()):
                    self.assertTrue(parent == "-" if want[v] == INF or v == self.source else want[int(parent)] + weights[int(parent), v] == want[v])
        path = self.ok(ordo("bellman-ford", file, "-r", self.source, "--path-to", want.index(max(reached)))).out
        self.assertRegex(path, rf"(?m)^Path: +{self.source} ")
        out_text = self.ok(ordo("compare", "bellman-ford", file, "-n", 2)).out
        for name in general_schedulers():
            self.assertRegex(out_text, rf"(?m)^\*? +{name} .*PASS$")
        self.assertRegex(self.ok(ordo("bellman-ford", file, "--items", "edges")).out, r"(?m)^Items: +edges$")
        for name in schedulers():
            if name not in ("bsp", "topology"):
                self.refused(2, f"scheduler '{name}' on device 'cpu' does not run '\\w+' with edges as items", "bellman-ford", file, "--items", "edges", "--scheduler", name)
        out_text = self.ok(ordo("compare", "bellman-ford", file, "-n", 2, "--items", "edges")).out
        self.assertEqual([bool(re.search(rf"(?m)^\*? +{name} .*PASS$", out_text)) for name in ("bsp", "topology", "delta")], [True, True, False])
        out_text = self.ok(ordo("compare", "bellman-ford", file, "-n", 2, "--items", "vertices,edges", "--schedulers", "delta,topology,bsp:lock:edges")).out
        for label in ("delta:vertices", "topology:vertices", "topology:edges", "bsp:lock:edges"):
            self.assertRegex(out_text, rf"(?m)^\*? +{label} .*PASS$")
        self.assertRegex(out_text, "delta:edges.*does not run")
        self.refused(2, "--items 'edge', expected one of vertices, edges", "compare", "bellman-ford", file, "--items", "edges,edge")
        self.refused(2, "operator 'bfs' has no items that are edges: its items are vertices", "bfs", self.gr, "--items", "edges")
        self.assertRegex(ordo("sssp", file, "-r", self.source).err, "the app bellman-ford takes them")
        for option in ("--limit", "--target", "--stop-after"):
            self.refused(2, f"bellman-ford .* takes no {option}|so it takes no {option}", "bellman-ford", file, option, 1)

    def test_johnson(self):
        """A row for each source of the list, in its order; over weights of either sign."""
        shift = [53 * v * v % 89 - 40 for v in range(self.n)]
        edges = sorted([(u, v, w + shift[v] - shift[u]) for u, v, w in self.edges] + [(self.n - 1, self.n - 1, 1)])
        file, out, listed = self.path("shifted.wel"), self.path("rows"), self.path("listed")
        with open(file, "w") as f:
            f.writelines(f"{u} {v} {w}\n" for u, v, w in edges)
        with open(listed, "w") as f:
            f.write("7\n3\n11\n")
        for sources, words in (([7, 3, 11], ["--sources", listed]), ([4], ["-r", 4]), (list(range(self.n)), ["--sources", "all"]),
                               ([7, 3, 11], ["--sources", listed, "--scheduler", "topology", "-n", 2])):
            want = [d for s in sources for d in bellman_ford(self.n, edges, s)]
            r = self.ok(ordo("johnson", file, "--verify=both", "-o", out, "--json", "-", *words))
            with open(out) as f:
                self.assertEqual([INF if v == "inf" else int(v) for v in f.read().split()], want)
            records = [json.loads(line) for line in r.out.splitlines()]
            self.assertEqual((len(records), records[0]["sources_at_once"], records[0]["result"]["reached"]),
                             (2 if "-n" in words else 1, len(sources), sum(d < INF for d in want)))
        self.refused(2, "johnson takes no list of sources as one", "johnson", file, "--sources-at-once", listed)
        self.refused(2, "johnson gives no paths", "johnson", file, "--tree", out)

    def test_negative_cycle(self):
        file, out = self.path("cycle.wel"), self.path("values")
        edges = [(0, 1, 4), (0, 2, 5), (1, 3, -3), (2, 1, -4), (3, 2, -1), (4, 5, -1), (5, 4, -1)]
        with open(file, "w") as f:
            f.writelines(f"{u} {v} {w}\n" for u, v, w in edges)
        for words in (["auto"], *([name] for name in general_schedulers()), ["topology", "--items", "edges"], ["bsp", "--items", "edges"]):
            r = self.ok(ordo("bellman-ford", file, "-r", 0, "-v", "-o", out, "--scheduler", *words))
            self.assertRegex(r.out, r"(?m)^Result: +negative_cycle 1, weight -8$")
            self.assertRegex(r.out, r"(?m)^Negative Cycle: +1 3 2 1$")
            self.assertRegex(r.out, r"(?m)^Verification: +PASS$")
            with open(out) as f:
                self.assertEqual(f.read(), "unknown\n" * 6)
        record = json.loads(self.ok(ordo("bellman-ford", file, "-r", 0, "--json", "-")).out)
        cycle = record["cycle"]
        self.assertEqual((record["result"], cycle["vertices"], cycle["weight"]), ({"negative_cycle": 1, "weight": -8}, [1, 3, 2], -8))
        self.assertEqual([sorted(edges)[e][:2] for e in cycle["edges"]], [(1, 3), (3, 2), (2, 1)])
        self.assertRegex(self.ok(ordo("bellman-ford", file, "-r", 0, "--path-to", 3)).out, r"(?m)^Path: +none$")
        self.assertIsNone(json.loads(self.ok(ordo("bellman-ford", self.gr, "--json", "-")).out)["cycle"])
        self.assertIn("PASS", self.ok(ordo("compare", "bellman-ford", file, "-r", 0, "-n", 2)).out)

    def test_kcore(self):
        want = core_numbers(self.n, self.edges)
        for words in ([], ["--symmetrise"], ["--threads", 1], ["--scheduler", "topology"], ["--scheduler", "bsp"], ["--sync", "lock"],
                      ["--scheduler", "inbox"], ["-n", 2, "--warmup", 1]):
            out = self.ok(ordo("kcore", self.gr, "-v", "--output", "-", *words)).out.split()
            self.assertEqual([int(v) for v in out], want)
        record = json.loads(self.ok(ordo("kcore", self.gr, "--verify=certificate", "--json", "-")).out)
        self.assertEqual(record["result"], {"k": max(want), "vertices": want.count(max(want))})
        self.assertIsNone(record["options"]["k"])
        for k in range(1, max(want) + 2):
            r = self.ok(ordo("kcore", self.gr, "--k", k, "-v", "--quiet", "--output", self.path("in"), "--json", "-"))
            with open(self.path("in")) as f:
                self.assertEqual([int(v) for v in f], [int(c >= k) for c in want])
            record = json.loads(r.out)
            self.assertEqual((record["options"]["k"], record["result"]), (k, {"k": k, "vertices": sum(c >= k for c in want)}))
        with open(self.path("twice.el"), "w") as f:
            f.write("0 1\n0 1\n1 0\n1 2\n2 2\n2 1\n")
        for words in ([], ["--symmetrise"]):
            out = self.ok(ordo("kcore", self.path("twice.el"), "-v", "--output", "-", *words)).out.split()
            self.assertEqual(out, ["1", "1", "1"])
        self.refused(2, "racy.*selective", "kcore", self.gr, "--scheduler", "topology", "--sync", "racy")
        self.refused(2, "direction=pull", "kcore", self.gr, "--scheduler", "topology", "--set", "direction=pull")
        self.refused(2, "direction=pull", "kcore", self.gr, "--scheduler", "bsp", "--set", "direction=pull")  # not edge-blind
        self.ok(ordo("pagerank", self.gr, "--scheduler", "bsp", "--set", "direction=pull", "--verify"))  # a sum, edge-blind
        self.refused(2, "--k '0', expected", "kcore", self.gr, "--k", 0)
        self.refused(2, "kcore has no source, so it takes no --source", "kcore", self.gr, "--source", 1)
        self.refused(2, "sssp has no k, so it takes no --k", "sssp", self.gr, "--k", 2)
        self.refused(2, "cc has no k, so it takes no --k", "compare", "cc", self.gr, "--k", 2)

    def test_tc(self):
        near = [set() for _ in range(self.n)]
        for u, v, _ in self.edges:
            if u != v:
                near[u].add(v)
                near[v].add(u)
        at = [sum(len(near[u] & near[v]) for u in near[v]) // 2 for v in range(self.n)]
        wedges = sum(len(s) * (len(s) - 1) // 2 for s in near)
        want = {"triangles": sum(at) // 3, "wedges": wedges}
        for words in ([], ["--symmetrise"], ["--threads", 1], ["--scheduler", "topology"], ["--sync", "lock"], ["--scheduler", "auto"]):
            got = json.loads(self.ok(ordo("tc", self.gr, "-v", "--json", "-", *words)).out)["result"]
            self.assertAlmostEqual(got.pop("transitivity"), sum(at) / wedges)
            self.assertEqual(got, want)
        r = self.ok(ordo("tc", self.gr, "-v", "--quiet", "--output", self.path("at"), "--json", "-"))
        with open(self.path("at")) as f:
            self.assertEqual([int(v) for v in f], at)
        local = [2 * t / (len(s) * (len(s) - 1)) if len(s) > 1 else 0 for t, s in zip(at, near)]
        self.assertAlmostEqual(json.loads(r.out)["result"]["clustering"], sum(local) / self.n)
        self.ok(ordo("tc", self.gr, "--output", self.path("at.npy")))
        kind, values = read_npy(self.path("at.npy"))
        self.assertEqual((kind, list(values)), ("<u8", at))
        self.refused(2, "triangles at each vertex .* found 'bsp'", "tc", self.gr, "--scheduler", "bsp", "--output", self.path("at"))
        self.refused(2, "racy.*selective", "tc", self.gr, "--scheduler", "topology", "--sync", "racy")
        out = self.ok(ordo("compare", "tc", self.gr, "-n", 2)).out
        self.assertEqual(len(re.findall(r"(?m)^.*PASS$", out)), len(general_schedulers()) + 1)

    def test_sets(self):
        near = [set() for _ in range(self.n)]
        out = [set() for _ in range(self.n)]
        for u, v, _ in self.edges:
            out[u].add(v)
            if u != v:
                near[u].add(v)
                near[v].add(u)

        def reached(u):
            found, left = {u}, [u]
            while left:
                for v in out[left.pop()] - found:
                    found.add(v)
                    left.append(v)
            return found
        reach = [reached(u) for u in range(self.n)]
        component = [min(u for u in reach[v] if v in reach[u]) for v in range(self.n)]
        for words in ([], ["--threads", 1], ["--scheduler", "delta"], ["--sync", "lock"], ["--scheduler", "auto"]):
            for app in ("scc", "mis", "colour"):
                got = json.loads(self.ok(ordo(app, self.gr, "--verify", "--quiet", "--output", self.path(app), "--json", "-", *words)).out)["result"]
                with open(self.path(app)) as f:
                    values = [int(v) for v in f]
                if app == "scc":
                    self.assertEqual(values, component)
                    self.assertEqual(got, {"components": len(set(component)), "largest": max(component.count(c) for c in set(component))})
                elif app == "mis":
                    self.assertEqual([not any(values[u] for u in near[v]) for v in range(self.n)], [bool(m) for m in values])
                    self.assertEqual(got, {"members": sum(values)})
                else:
                    self.assertTrue(all(values[u] != values[v] for v in range(self.n) for u in near[v]))
                    self.assertTrue(all(set(range(values[v])) <= {values[u] for u in near[v]} for v in range(self.n)))
                    self.assertEqual(got, {"colours": len(set(values))})
        self.refused(2, "no program of its own", "scc", self.gr, "--scheduler", "native")
        self.refused(2, "racy", "mis", self.gr, "--scheduler", "topology", "--sync", "racy")
        self.refused(2, "atomic", "colour", self.gr, "--sync", "atomic")

    def test_bc(self):
        """By the definition: levels and numbers of paths between all pairs."""
        rows = [[] for _ in range(self.n)]
        for u, v, _ in self.edges:
            rows[u].append(v)
        level, paths = [], []
        for s in range(self.n):
            far, count, queue = {s: 0}, [0] * self.n, [s]
            count[s] = 1
            for u in queue:
                for v in rows[u]:
                    if v not in far:
                        far[v] = far[u] + 1
                        queue.append(v)
                    if far[v] == far[u] + 1:
                        count[v] += count[u]
            level.append(far)
            paths.append(count)

        def scores(sources):
            out = [0.0] * self.n
            for s in sources:
                for t in level[s]:
                    for v in level[s]:
                        if v not in (s, t) and t in level[v] and level[s][v] + level[v][t] == level[s][t]:
                            out[v] += paths[s][v] * paths[v][t] / paths[s][t]
            return out

        every = scores(range(self.n))
        for words in ([], ["--threads", 1], ["--scheduler", "topology"], ["--sync", "lock"]):
            r = self.ok(ordo("bc", self.gr, "--sources", "all", "-v", "--quiet", "--output", self.path("at"), "--json", "-", *words))
            with open(self.path("at")) as f:
                for found, right in zip(map(float, f), every):
                    self.assertAlmostEqual(found, right, places=6)
            result = json.loads(r.out)["result"]
            self.assertEqual(result["sources"], self.n)
            self.assertAlmostEqual(result["max"], max(every), places=6)
            self.assertEqual(result["paths"], max(map(max, paths)))
        out = self.ok(ordo("bc", self.gr, "--source", 2, "-v", "--output", "-")).out.split()
        for found, right in zip(map(float, out), scores([2])):
            self.assertAlmostEqual(found, right, places=6)
        result = json.loads(self.ok(ordo("bc", self.gr, "--json", "-", "-v")).out)["result"]
        self.assertEqual(result["sources"], 4)
        self.assertEqual(json.loads(self.ok(ordo("bc", self.gr, "--sources", 7, "--json", "-")).out)["result"]["sources"], 7)
        self.refused(2, "racy.*selective", "bc", self.gr, "--scheduler", "topology", "--sync", "racy")
        self.refused(3, "many: No such file", "bc", self.gr, "--sources", "many")
        self.refused(3, "all: No such file", "sssp", self.gr, "--sources", "all")  # it sums over no sources
        out = self.ok(ordo("compare", "bc", self.gr, "-n", 2)).out
        self.assertEqual(len(re.findall(r"(?m)^.*PASS$", out)), len(general_schedulers()) + 1)

    def test_gap(self):
        """GAP's lines and rules: kernels, numbers of trials, sources."""
        out = self.ok(ordo("gap", "-g", 8, "-n", 2, "-v")).out
        self.assertEqual(re.findall(r"(?m)^Kernel: +(\w+)$", out), ["bfs", "sssp", "pr", "cc", "bc", "tc"])
        self.assertEqual(len(re.findall(r"(?m)^Trial Time: +\d+\.\d{5}$", out)), 12)
        self.assertEqual(len(re.findall(r"(?m)^Average Time: +\d+\.\d{5}$", out)), 6)
        self.assertEqual(len(re.findall(r"(?m)^Verification: +PASS$", out)), 12)
        self.assertEqual(len(set(re.findall(r"(?m)^Graph has 256 nodes and \d+ undirected edges for degree: \d+$", out))), 1)
        out = self.ok(ordo("gap", self.gr, "-k", "tc,bfs")).out
        self.assertEqual(re.findall(r"(?m)^Kernel: +(\w+)$", out), ["tc", "bfs"])
        self.assertEqual(len(re.findall("Trial Time", out)), 3 + 64)
        self.assertIn(f"Graph has {self.n} nodes and {len(self.edges)} directed edges", out)
        rows = [json.loads(line) for line in self.ok(ordo("gap", self.gr, "-k", "bfs,bc,sssp", "-n", 3, "--json", "-")).out.splitlines()]
        self.assertEqual([r["app"] for r in rows], 3 * ["bfs"] + 3 * ["bc"] + 3 * ["sssp"])
        self.assertEqual([r["source"] for r in rows[:3]], [r["source"] for r in rows[6:]])  # the picker begins again
        self.assertEqual([r["sources_at_once"] for r in rows[3:6]], [4, 4, 4])
        with open(self.path("from"), "w") as f:
            f.write("3\n1\n")
        rows = [json.loads(line) for line in self.ok(ordo("gap", self.gr, "-k", "bfs", "--sources", self.path("from"), "--json", "-")).out.splitlines()]
        self.assertEqual([r["source"] for r in rows], [3, 1])
        with open(self.path("plain.el"), "w") as f:
            f.write("0 1\n1 2\n2 0\n")
        row = json.loads(self.ok(ordo("gap", self.path("plain.el"), "-k", "sssp", "-n", 1, "--json", "-")).out)
        self.assertEqual(row["graph"]["weight"]["origin"], "uniform:1:255 --seed 27491095")
        self.refused(2, "kernel 'dfs'", "gap", self.gr, "-k", "dfs")
        self.refused(2, "no graph given", "gap")
        self.refused(2, "no standard input", "gap", "-")

    def test_hits(self):
        hub = [1 / self.n] * self.n
        for _ in range(30):
            authority = [0.0] * self.n
            for u, v, _ in self.edges:
                authority[v] += hub[u]
            authority = [a / (sum(authority) or 1) for a in authority]
            hub = [0.0] * self.n
            for u, v, _ in self.edges:
                hub[u] += authority[v]
            hub = [h / (sum(hub) or 1) for h in hub]
        for words in ([], ["--threads", 1], ["--set", "direction=auto"]):
            got = json.loads(self.ok(ordo("hits", self.gr, "--rounds", 30, "--verify", "--quiet", "--output", self.path("a"), "--json", "-", *words)).out)["result"]
            with open(self.path("a")) as f:
                for found, right in zip(map(float, f), authority):
                    self.assertAlmostEqual(found, right, delta=1e-9)
            self.assertAlmostEqual(got["max"], max(authority), delta=1e-9)
            self.assertAlmostEqual(got["max_hub"], max(hub), delta=1e-9)
            self.assertLessEqual(got["rounds"], 30)
        self.refused(2, "in-place|in place", "hits", self.gr, "--scheduler", "topology")
        self.refused(2, "hits.*delta|delta.*hits", "hits", self.gr, "--scheduler", "delta")

    def test_sums_of_many_threads(self):
        """Hubs, so that many add to one cell at once: what gets lost shows in the core numbers."""
        servers = [s for s in schedulers() if s == "lock_server"]
        for sync in ("atomic", "lock", "server"):
            out = self.ok(ordo("compare", "kcore", "-g", 16, "-n", 2, "--threads", 4, "--sync", sync)).out
            expected = len(servers) if sync == "server" else len(general_schedulers()) - len(servers)
            self.assertEqual(len(re.findall(rf"(?m)^.* {sync} .*PASS$", out)), expected)

    def test_lp(self):
        near = [[] for _ in range(self.n)]
        for u, v, _ in self.edges:
            near[v].append(u)
            if u != v:
                near[u].append(v)
        for rounds in (1, 2, 10):
            label = list(range(self.n))
            for _ in range(rounds):
                label = [min(((-votes.count(l), l) for votes in [[label[u] for u in near[v]]] for l in votes),
                             default=(0, label[v]))[1] for v in range(self.n)]
            for words in ([], ["--threads", 1], ["--scheduler", "auto"]):
                r = self.ok(ordo("lp", self.gr, "--rounds", rounds, "--verify", "--quiet", "--output", self.path("labels"), "--json", "-", *words))
                with open(self.path("labels")) as f:
                    self.assertEqual([int(v) for v in f], label)
                record = json.loads(r.out)
                self.assertEqual(record["result"], {"labels": len(set(label)), "largest": max(label.count(l) for l in set(label))})
                self.assertEqual(record["options"]["rounds"], rounds)
        self.refused(2, "in-place operator; 'lp' is not", "lp", self.gr, "--scheduler", "topology")
        self.refused(2, "needs a residual-driven operator; 'lp' is not", "lp", self.gr, "--scheduler", "delta")
        self.refused(2, "--rounds '0', expected", "lp", self.gr, "--rounds", 0)
        self.refused(2, "cc has no rounds, so it takes no --rounds", "cc", self.gr, "--rounds", 3)

    def test_levels_that_share_a_bucket(self):
        """Where a breadth-first search has many levels, schedulers with buckets put several into one; the answer stays."""
        for scheduler in ("delta", "near_far"):
            for threads in (1, 3):
                for kind, many in (("grid --width 300 --height 300", True), ("uniform --vertices 20000", False)):
                    words = ["--source", 0, "--scheduler", scheduler, "--threads", threads, "--verify=both", "--quiet", "--json", "-"]
                    width = json.loads(self.ok(ordo("bfs", "--generate", kind, *words)).out)["delta"]["first"]
                    self.assertTrue(4 <= width <= 16 if many else width == 1, (scheduler, threads, kind, width))

    def test_pagerank(self):
        for damping in (0.85, 0.5, 0):
            want = pagerank(self.n, self.edges, damping)
            for words in (["--tolerance", "1e-3"], ["--tolerance", "1e-11"], ["--scheduler", "topology"], ["--sync", "lock"],
                          ["--scheduler", "adds", "--threads", 1]):
                r = self.ok(ordo("pagerank", self.gr, "--damping", damping, "--verify=both", "--quiet", "--output",
                                 self.path("ranks"), "--json", "-", *words))
                with open(self.path("ranks")) as f:
                    rank = [float(v) for v in f]
                record = json.loads(r.out)
                error = record["result"]["error"]
                self.assertLessEqual(sum(abs(a - b) for a, b in zip(rank, want)), error + 1e-14)
                self.assertAlmostEqual(sum(rank), 1, delta=1e-12)
                self.assertAlmostEqual(record["result"]["max"], max(rank), delta=1e-14)
                self.assertEqual(record["result"]["dangling"], self.n - len({u for u, _, _ in self.edges}))
                self.assertLess(record["result"]["residual"], record["options"]["tolerance"])
                self.assertLess(error, 100 * record["options"]["tolerance"])
                self.assertEqual(record["options"]["damping"], damping)
        # over-relaxed on a lattice: in place, and 27 rounds; 47 would be needed otherwise
        for threads in (1, 3):
            r = self.ok(ordo("pagerank", "--generate", "grid --width 64 --height 64", "--tolerance", "1e-9", "--threads", threads,
                             "--scheduler", "topology", "--verify=both", "--quiet", "--json", "-"))
            self.assertLess(json.loads(r.out)["counts"]["supersteps"], 35)
        self.ok(ordo("pagerank", self.gr, "--output", self.path("ranks.npy")))
        kind, values = read_npy(self.path("ranks.npy"))
        self.assertEqual((kind, len(values)), ("<f8", self.n))
        out = self.ok(ordo("compare", "pagerank", self.gr, "-n", 2)).out
        for name in general_schedulers():
            self.assertRegex(out, rf"(?m)^\*? +{name} .*PASS$")
        self.refused(2, "--damping '1', expected", "pagerank", self.gr, "--damping", 1)
        self.refused(2, "damping 0.9999999", "pagerank", self.gr, "--damping", "0.9999999")
        self.refused(2, "--tolerance '0', expected", "pagerank", self.gr, "--tolerance", 0)
        self.refused(2, "tolerance 1e-18, expected .* to 1 for", "pagerank", self.gr, "--tolerance", "1e-18")
        self.refused(2, "cc is exact, so it takes no --tolerance", "cc", self.gr, "--tolerance", "0.1")
        for operator, words in {"pagerank_pull_f32": [[], ["--scheduler", "bsp"], ["--scheduler", "topology", "--sync", "racy"],
                                                      ["--scheduler", "auto"]],
                                "pagerank_pull_f64": [["--tolerance", "1e-7"]],
                                "pagerank": [["--scheduler", "delta"], ["--scheduler", "bsp", "--set", "direction=push"],
                                             ["--scheduler", "topology", "--sync", "lock"], ["--sync", "atomic"]]}.items():
            for options in words:
                record = json.loads(self.ok(ordo("pagerank", self.gr, "--quiet", "--json", "-", "--verify", *options)).out)
                self.assertEqual(record["operator"], operator, options)
        self.refused(2, "racy.*not monotone|racy.*offer", "pagerank", self.gr, "--scheduler", "delta", "--sync", "racy")
        self.refused(6, "did not end within", "pagerank", self.gr, "--timeout", "1e-9")

    FLOW = "p max 5 7\nn 1 s\nn 5 t\na 1 2 9\na 1 3 4\na 2 3 2\na 3 2 8\na 2 4 5\na 3 4 3\na 4 5 7\n"

    def flow_file(self, name="flow.max", text=None):
        file = self.path(name)
        with open(file, "w") as f:
            f.write(text or self.FLOW)
        return file

    def test_maxflow(self):
        file, out = self.flow_file(), self.path("solution")
        want = {"value": 7, "cut_capacity": 7, "source_side": 4}
        for words in ([], ["--threads", 1], ["--scheduler", "bsp", "--sync", "owner"], ["--scheduler", "adds"], ["-n", 2],
                      ["--phase", "cut"], ["--scheduler", "delta"], ["--sync", "lock"]):
            r = self.ok(ordo("maxflow", file, "-v", *words))
            self.assertIn("value 7, cut_capacity 7, source_side 4", r.out)
            self.assertIn("PASS", r.out)
        for how in ("serial", "certificate", "both"):
            self.ok(ordo("maxflow", file, f"--verify={how}"))
        record = json.loads(self.ok(ordo("maxflow", file, "--json", "-")).out)
        self.assertEqual((record["result"], record["app"], record["operator"]), (want, "maxflow", "maxflow"))
        self.assertEqual((record["source"], record["sink"]), (0, 4))
        self.assertEqual((record["options"]["scheduler"], record["options"]["sync"], record["options"]["phase"]),
                         ("native", "none", "flow"))
        record = json.loads(self.ok(ordo("maxflow", file, "--json", "-", "--ids", "file", "--source", 2, "--sink", 3)).out)
        self.assertEqual((record["source"], record["sink"], record["result"]["value"]), (2, 3, 2))
        self.ok(ordo("maxflow", file, "--output", out, "--cut", self.path("cut")))
        with open(out) as f:
            lines = f.read().split("\n")
        self.assertEqual(lines[0], "s 7")
        arcs = [tuple(map(int, l.split()[1:])) for l in lines[1:-1]]
        room = {tuple(map(int, l.split()[1:3])): int(l.split()[3]) for l in self.FLOW.split("\n") if l.startswith("a")}
        self.assertEqual(sorted(a[:2] for a in arcs), sorted(room))
        net = [0] * 6
        for u, v, flow in arcs:
            self.assertLessEqual(flow, room[u, v])
            net[u] -= flow
            net[v] += flow
        self.assertEqual(net[1:], [-7, 0, 0, 0, 7])
        with open(self.path("cut")) as f:
            self.assertEqual(f.read().split(), ["1", "1", "1", "1", "0"])
        self.ok(ordo("maxflow", file, "--output", out + ".npy", "--cut", self.path("cut.npy")))
        kind, flows = read_npy(out + ".npy")
        self.assertEqual((kind, flows), ("<u8", [flow for _, _, flow in arcs]))

    def test_maxflow_infinite(self):
        file = self.flow_file(text=self.FLOW.replace("a 4 5 7", "a 4 5 99").replace("a 1 2 9", "a 1 2 99"))
        self.assertIn("value 8,", self.ok(ordo("maxflow", file, "--infinite", 99, "-v")).out)
        file = self.flow_file("loose.max", self.FLOW.replace("a 4 5 7", "a 4 5 99").replace("a 1 2 9", "a 1 2 99")
                              .replace("a 2 4 5", "a 2 4 99"))
        self.refused(3, "unbounded", "maxflow", file, "--infinite", 99)

    def test_maxflow_refusals(self):
        file = self.flow_file()
        self.refused(2, "no source given", "maxflow", self.gr)
        self.refused(2, "--sink 'x'", "maxflow", file, "--sink", "x")
        self.refused(2, "are both 0", "maxflow", file, "--sink", 0)
        self.refused(2, "it takes no --path-to", "maxflow", file, "--path-to", 1)
        self.refused(2, "takes no --output", "maxflow", file, "--phase", "cut", "--output", self.path("x"))
        self.refused(2, "expected one of flow, cut", "maxflow", file, "--phase", "cuts")
        self.refused(2, "sssp has no sink, so it takes no --phase", "sssp", self.gr, "--phase", "cut")
        self.refused(2, "does not offer sync 'owner'", "maxflow", file, "--scheduler", "adds", "--sync", "owner")
        self.refused(2, "is unknown", "maxflow", file, "--scheduler", "serial")
        self.refused(2, "offers no sync, found 'lock'", "maxflow", file, "--scheduler", "native", "--sync", "lock")
        self.refused(2, "has no tunables", "maxflow", file, "--scheduler", "native", "--set", "native.grain=1")
        self.refused(2, "setting 'fifo.grain=1': scheduler 'fifo' is unknown", "maxflow", file, "--set", "fifo.grain=1")
        self.refused(6, "did not end within", "maxflow", "--generate", "rlg --width 300 --height 300 --weights uniform:1:9",
                     "--timeout", 0.001)

    def test_maxflow_compare(self):
        for words in ([], ["--phase", "cut"]):
            out = self.ok(ordo("compare", "maxflow", self.flow_file(), "-n", 2, *words)).out
            for name in general_schedulers():
                self.assertRegex(out, rf"(?m)^\*? +{name} .*PASS$")

    def test_gap_labels(self):
        r = self.ok(ordo("sssp", "-f", self.gr, "-n", 3, "-v", "-a", "-l", "-d", 10, "-r", self.source))
        for label, count in {"Read Time": 1, "Build Time": 1, "Trial Time": 3, "Verification Time": 3,
                             "Average Time": 1}.items():
            self.assertEqual(len(re.findall(rf"(?m)^{label}: +\d+\.\d{{5}}$", r.out)), count, label)
        self.assertEqual(len(re.findall(r"(?m)^Verification: {11}PASS$", r.out)), 3)
        self.assertIn("delta=10", r.out)
        self.assertIn(f"reached {sum(d < INF for d in self.dist)}, max {max(d for d in self.dist if d < INF)}", r.out)

    def test_gap_made_graphs(self):
        for words in (["-g", 8], ["-u", 8, "-k", 4], ["-sg8", "-vn2"], ["-g8", "-k4", "-s"]):
            for app in APPS:
                r = self.ok(ordo(app, *words, "-v"))
                for label in ("Generate Time:", "Read Time:", "Trial Time:", "Average Time:", "Verification:"):
                    self.assertIn(label, r.out)
        r = ordo("sssp", "--generate", "grid --width 5 --height 4 --weights uniform:2:2", "-r0", "--output", "-")
        self.assertEqual([int(v) for v in r.out.split()], [2 * (x + y) for y in range(4) for x in range(5)])
        self.refused(2, "needs --scale", "sssp", "--generate", "rmat")
        self.refused(2, "'ramt' is unknown; did you mean 'rmat'", "sssp", "--generate", "ramt --scale 3")
        self.refused(2, "has no --scale", "sssp", "--generate", "road --vertices 9 --scale 3")

    def test_symmetrise(self):
        out = self.ok(ordo("sssp", self.chain, "-s", "-r", 3, "--output", "-")).out
        self.assertEqual(out, "15\n10\n5\n0\n")
        self.assertEqual(self.ok(ordo("sssp", self.chain, "-r", 3, "--output", "-")).out, "inf\ninf\ninf\n0\n")
        self.ok(ordo("sssp", self.chain, "--symmetric"), 3)

    def test_random_sources(self):
        def sources(*words):
            return [json.loads(l)["source"] for l in self.ok(ordo("sssp", self.gr, "--json", "-", *words)).out.splitlines()]
        first = sources("-n", 5)
        self.assertEqual(first, sources("-n", 5))
        self.assertEqual(first[:2], sources("-n", 2, "--warmup", 3, "--scheduler", "bsp"))
        self.assertNotEqual(first, sources("-n", 5, "--seed", 7))
        tails = {u for u, _, _ in self.edges}
        self.assertTrue(set(sources("-n", 50)) <= tails)
        self.assertEqual(sources("-n", 3, "-r", 5), [5, 5, 5])
        made = self.ok(ordo("bfs", "-g", 10, "-n", 12, "--json", "-")).out.splitlines()
        self.assertEqual([json.loads(l)["source"] for l in made],
                         [351, 895, 656, 206, 468, 620, 1014, 910, 146, 984, 228, 759])
        listed = self.path("sources")
        with open(listed, "w") as f:
            f.write("# a comment\n3\n\n 7 # and one more\r\n")
        self.assertEqual(sources("--sources", listed, "-n", 2), [3, 3, 7, 7])
        self.assertEqual(sources("--sources", listed, "--ids", "file"), [3, 7])
        for text, pattern in {"1\nx\n": ":2: source 'x'", "60\n": "from 0 to 59", "# none\n": "no source found"}.items():
            with open(listed, "w") as f:
                f.write(text)
            self.refused(3, pattern, "sssp", self.gr, "--sources", listed)
        self.refused(3, "No such file", "sssp", self.gr, "--sources", "/no/such/file")

    def test_sources_at_once(self):
        """Each vertex has the best path from any of them, and --nearest and --path-to say from which."""
        listed, near, values = self.path("at_once"), self.path("near"), self.path("values")
        with open(listed, "w") as f:
            f.write("3\n7\n3\n")
        for app in ("sssp", "bfs", "widest"):
            each = {}
            for source in (3, 7):
                each[source] = self.ok(ordo(app, self.gr, "-r", source, "--output", "-")).out.split()
            r = self.ok(ordo(app, self.gr, "--sources-at-once", listed, "--nearest", near, "--output", values, "--verify=both", "-n", 2))
            self.assertIn("Sources:                   3 at once", r.out)
            self.assertEqual(r.out.count("PASS"), 2)
            with open(values) as f, open(near) as g:
                for v, (value, source) in enumerate(zip(f.read().split(), g.read().split())):
                    best = (max if app == "widest" else min)(float(each[3][v]), float(each[7][v]))
                    self.assertEqual(float(value), best)
                    if source == "-":
                        self.assertEqual(best, 0 if app == "widest" else INF)
                    else:
                        self.assertEqual(float(each[int(source)][v]), best)
            record = json.loads(self.ok(ordo(app, self.gr, "--sources-at-once", listed, "--json", "-")).out)
            self.assertEqual((record["source"], record["sources_at_once"], record["seed"]), (None, 3, None))
        path = self.ok(ordo("sssp", self.gr, "--sources-at-once", listed, "--path-to", 7)).out
        self.assertRegex(path, r"(?m)^Path: +7$")
        self.refused(2, "exclude", "sssp", self.gr, "--sources-at-once", listed, "-r", 3)
        self.refused(2, "takes no list of sources", "cc", self.gr, "--sources-at-once", listed)

    def test_early_end(self):
        """--target and --stop-after: what is not farther is as in a full run, the rest unknown."""
        for app in ("sssp", "bfs"):
            full = self.ok(ordo(app, self.gr, "-r", self.source, "--output", "-")).out.split()
            dist = [float(value) for value in full]
            near = sorted(d for d in dist if d != INF)
            target = next(v for v, d in enumerate(dist) if d == near[len(near) // 3])
            for words, end in ((("--target", target), dist[target]), (("--stop-after", 5), near[4]), (("--stop-after", 1), 0),
                               (("--stop-after", 5, "--target", target), min(dist[target], near[4]))):
                for scheduler in schedulers():
                    out = self.ok(ordo(app, self.gr, "-r", self.source, "--scheduler", scheduler, *words, "--output", "-")).out.split()
                    self.assertEqual(out, [value if d <= end else "unknown" for value, d in zip(full, dist)], (app, scheduler, words))
                r = self.ok(ordo(app, self.gr, "-r", self.source, *words, "--verify=both"))
                self.assertIn("PASS", r.out)
                self.assertRegex(r.out, "(?m)^Known: +up to distance %g$" % end)
                record = json.loads(self.ok(ordo(app, self.gr, "-r", self.source, *words, "--json", "-")).out)
                self.assertEqual(record["within"], end)
            r = self.ok(ordo(app, self.gr, "-r", self.source, "--stop-after", 10 ** 6, "--output", self.path("all")))
            self.assertIn("everything", r.out)
            with open(self.path("all")) as f:
                self.assertEqual(f.read().split(), full)
            self.refused(2, "from 0 to 59", app, self.gr, "--target", 60)
            self.refused(2, "expected", app, self.gr, "--stop-after", 0)
        self.refused(2, "does not end early", "widest", self.gr, "--target", 3)
        self.refused(2, "does not end early", "cc", self.gr, "--stop-after", 3)

    def test_numpy(self):
        file, tree = self.path("out.npy"), self.path("tree.npy")
        self.ok(ordo("sssp", self.gr, "-r", self.source, "--output", file, "--tree", tree, "--quiet"))
        kind, values = read_npy(file)
        self.assertEqual((kind, values), ("<u4", [0xffffffff if d == INF else d for d in self.dist]))
        kind, preds = read_npy(tree)
        self.assertEqual(kind, "<i8")
        self.check_tree(preds)
        with open(self.path("real.wel"), "w") as f:
            f.write("0 1 0.5\n1 2 0.25\n3 0 1.5\n")
        self.ok(ordo("sssp", self.path("real.wel"), "-r", 0, "--output", file, "-v"))
        self.assertEqual(read_npy(file), ("<f4", [0, 0.5, 0.75, INF]))

    def check_tree(self, preds):
        weight = {}
        for u, v, w in self.edges:
            weight[u, v] = min(w, weight.get((u, v), w))
        for v, p in enumerate(preds):
            if v == self.source or self.dist[v] == INF:
                self.assertEqual(p, -1)
            else:
                tight = [u for (u, x), w in weight.items() if x == v and self.dist[u] + w == self.dist[v]]
                self.assertEqual(p, min(tight))

    def test_tree_and_path(self):
        file = self.path("tree")
        self.ok(ordo("sssp", self.gr, "-r", self.source, "--tree", file, "--quiet"))
        with open(file) as f:
            preds = [-1 if l == "-\n" else int(l) for l in f]
        self.check_tree(preds)
        for target in range(self.n):
            want, v = [], target
            while v != -1 and self.dist[target] < INF:
                want.insert(0, v)
                v = preds[v]
            r = self.ok(ordo("sssp", self.gr, "-r", self.source, "--path-to", target, "--quiet"))
            self.assertEqual(r.out.split(), ["Path:", *map(str, want)] if want else ["Path:", "none"])
            if target % 10 == 0:
                r = self.ok(ordo("sssp", self.gr, "-r", self.source, "--path-to", target, "--json", "-"))
                self.assertEqual(json.loads(r.out)["path"], want)

    def test_ids_of_the_file(self):
        s = self.source
        index = ordo("sssp", self.gr, "-r", s, "--tree", "-").out.split()
        file = ordo("sssp", self.gr, "-r", s + 1, "--tree", "-", "--ids", "file").out.split()
        self.assertEqual([p if p == "-" else str(int(p) + 1) for p in index], file)
        target = next(v for v, d in enumerate(self.dist) if 0 < d < INF)
        words = ["sssp", self.gr, "--quiet", "--path-to"]
        index = ordo(*words, target, "-r", s).out.split()[1:]
        file = ordo(*words, target + 1, "-r", s + 1, "--ids", "file").out.split()[1:]
        self.assertEqual([int(v) + 1 for v in index], [int(v) for v in file])
        self.refused(2, "from 1 to 60", "sssp", self.gr, "-r", 0, "--ids", "file")
        self.ok(ordo("sssp", self.gr, "-r", 60, "--ids", "file"))
        # values are distances, which have no base
        self.assertEqual(ordo("sssp", self.gr, "-r", s + 1, "--ids", "file", "--output", "-").out,
                         ordo("sssp", self.gr, "-r", s, "--output", "-").out)

    def test_trace_file(self):
        file = self.path("trace.csv")
        self.ok(ordo("sssp", self.gr, "--trace", file))
        with open(file) as f:
            lines = f.read().splitlines()
        self.assertTrue(lines[0].startswith("seconds,event,in_flight,items,"))
        self.assertGreater(len(lines), 1)
        self.assertEqual({l.count(",") for l in lines}, {14})

    def test_empty_and_tiny_graphs(self):
        for name, text in {"one.gr": "p sp 1 0\n", "loop.gr": "p sp 1 1\na 1 1 3\n", "bare.gr": "p sp 5 0\n"}.items():
            with open(self.path(name), "w") as f:
                f.write(text)
            for app in APPS:
                self.ok(ordo(app, self.path(name), "-v"))
        with open(self.path("none.gr"), "w") as f:
            f.write("p sp 0 0\n")
        r = ordo("sssp", self.path("none.gr"))
        self.assertIn(r.returncode, (2, 3))

    def test_quiet(self):
        self.assertEqual(self.ok(ordo("sssp", self.gr, "--quiet", "-v")).out, "")


if __name__ == "__main__":
    main()
