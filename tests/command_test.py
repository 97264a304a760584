#!/usr/bin/env python3
"""The command from the outside: command_test.py PATH_OF_ORDO [unittest arguments].

Exit statuses, streams, files, options, text and JSON. Parts whose verb the command does not have are skipped.
"""
import gzip
import heapq
import json
import os
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ORDO = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None
TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INF = float("inf")
APPS = ("sssp", "bfs", "cc", "mst", "widest", "kcore", "pagerank")


def ordo(*words, stdin=None, **more):
    """Runs the command; the result has .returncode, .out and .err as text."""
    given = subprocess.DEVNULL if stdin is None else None
    r = subprocess.run([ORDO, *map(str, words)], input=stdin, stdin=given, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=120, **more)
    r.out, r.err = r.stdout.decode(), r.stderr.decode()
    return r


def verbs():
    lists = ordo("--help").out.split("Examples:")[0]
    return set(re.findall(r"^  ([a-z_]+)\b", lists, re.M))


def schedulers():
    return re.findall(r"^([a-z_]+) ", ordo("schedulers").out, re.M)


def needs(verb):
    return unittest.skipUnless(ORDO and verb in verbs(), f"no verb {verb}")


def dijkstra(n, edges, source):
    rows = [[] for _ in range(n)]
    for u, v, w in edges:
        rows[u].append((v, w))
    dist = [INF] * n
    dist[source] = 0
    queue = [(0, source)]
    while queue:
        d, u = heapq.heappop(queue)
        if d > dist[u]:
            continue
        for v, w in rows[u]:
            if d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(queue, (d + w, v))
    return dist


def widest(n, edges, source):
    width = [0] * n
    width[source] = INF
    queue = [(-INF, source)]
    while queue:
        d, u = heapq.heappop(queue)
        for a, v, w in edges:
            if a == u and min(-d, w) > width[v]:
                width[v] = min(-d, w)
                heapq.heappush(queue, (-width[v], v))
    return width


def core_numbers(n, edges):
    near = [set() for _ in range(n)]
    for u, v, _ in edges:
        if u != v:
            near[u].add(v)
            near[v].add(u)
    core, left = [0] * n, set(range(n))
    for k in range(1, n):
        while weak := [v for v in left if len(near[v] & left) < k]:
            left -= set(weak)
        for v in left:
            core[v] = k
    return core


def pagerank(n, edges, damping):
    degree = [0] * n
    for u, _, _ in edges:
        degree[u] += 1
    rank = [1 / n] * n
    for _ in range(300):
        stuck = sum(r for r, d in zip(rank, degree) if not d)
        then = [(1 - damping + damping * stuck) / n] * n
        for u, v, _ in edges:
            then[v] += damping * rank[u] / degree[u]
        rank = then
    return rank


def check_schema(value, rule, root, where="record"):
    """Enough of JSON Schema draft-07 for docs/schema.json; returns a list of complaints."""
    if "$ref" in rule:
        rule = root["definitions"][rule["$ref"].rsplit("/", 1)[1]]
    if "oneOf" in rule:
        fits = [check_schema(value, r, root, where) for r in rule["oneOf"]]
        return [] if sum(not f for f in fits) == 1 else [f"{where}: not one of the kinds: {min(fits, key=len)}"]
    if "const" in rule and value != rule["const"]:
        return [f"{where}: {value!r} is not {rule['const']!r}"]
    if "enum" in rule and value not in rule["enum"]:
        return [f"{where}: {value!r} is none of {rule['enum']}"]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    is_type = {"object": isinstance(value, dict), "array": isinstance(value, list), "string": isinstance(value, str),
               "boolean": isinstance(value, bool), "null": value is None, "number": is_number,
               "integer": is_number and isinstance(value, int)}
    types = rule.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type[t] for t in types):
        return [f"{where}: {value!r} is no {' or '.join(types)}"]
    wrong = []
    if is_number and "minimum" in rule and value < rule["minimum"]:
        wrong.append(f"{where}: {value} is below {rule['minimum']}")
    if isinstance(value, str) and "pattern" in rule and not re.search(rule["pattern"], value):
        wrong.append(f"{where}: {value!r} does not match {rule['pattern']}")
    if isinstance(value, list) and "items" in rule:
        for i, v in enumerate(value):
            wrong += check_schema(v, rule["items"], root, f"{where}[{i}]")
    if isinstance(value, dict):
        known = rule.get("properties", {})
        wrong += [f"{where}: no {k}" for k in rule.get("required", []) if k not in value]
        for k, v in value.items():
            extra = rule.get("additionalProperties", True)
            if k in known:
                wrong += check_schema(v, known[k], root, f"{where}.{k}")
            elif extra is False:
                wrong.append(f"{where}: {k} is not documented")
            elif isinstance(extra, dict):
                wrong += check_schema(v, extra, root, f"{where}.{k}")
    return wrong


def read_npy(path):
    """A NumPy 1.0 array by hand: its type, and its values."""
    with open(path, "rb") as f:
        data = f.read()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    (length,) = struct.unpack("<H", data[8:10])
    assert (10 + length) % 64 == 0 and data[9 + length:10 + length] == b"\n"
    header = eval(data[10:10 + length].decode("latin-1"), {"__builtins__": {}})
    assert header["fortran_order"] is False
    (count,) = header["shape"]
    letter = {"<u4": "I", "<i4": "i", "<f4": "f", "<i8": "q", "<u8": "Q", "<f8": "d"}[header["descr"]]
    assert len(data) == 10 + length + count * struct.calcsize(letter)
    return header["descr"], list(struct.unpack(f"<{count}{letter}", data[10 + length:]))


def read_gr(path):
    """A DIMACS .gr file: its vertices, and its edges in the order of the file, from 0."""
    n, edges = 0, []
    with open(path) as f:
        for line in f:
            w = line.split()
            if w[:1] == ["p"]:
                n = int(w[2])
            elif w[:1] == ["a"]:
                edges.append((int(w[1]) - 1, int(w[2]) - 1, int(w[3])))
    return n, edges


def hops(n, edges, source):
    return dijkstra(n, [(u, v, 1) for u, v, _ in edges], source)


def kruskal(n, edges):
    """The forest of least weight; of equal weights the edge that comes first by tail, head and place in the file."""
    tree, forest = list(range(n)), []
    for i in sorted(range(len(edges)), key=lambda i: (edges[i][2], edges[i][0], edges[i][1], i)):
        a, b = tree[edges[i][0]], tree[edges[i][1]]
        if a != b:
            tree = [a if t == b else t for t in tree]
            forest.append(edges[i])
    return forest


def both_ways(edges):
    return [e for u, v, w in edges for e in ((u, v, w), (v, u, w))]


class Base(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.n = 60
        rng = random.Random(1)
        # vertices 50 and beyond are reached by nobody
        cls.edges = [(rng.randrange(50), rng.randrange(50), rng.randrange(1, 100)) for _ in range(200)]
        cls.edges += [(55, 3, 1), (56, 57, 7)]
        cls.gr = cls.path("small.gr")
        with open(cls.gr, "w") as f:
            f.write(f"c test\np sp {cls.n} {len(cls.edges)}\n")
            f.writelines(f"a {u + 1} {v + 1} {w}\n" for u, v, w in cls.edges)
        cls.source = cls.edges[0][0]
        cls.dist = dijkstra(cls.n, cls.edges, cls.source)
        cls.chain = cls.path("chain.wel")
        with open(cls.chain, "w") as f:
            f.write("0 1 5\n1 2 5\n2 3 5\n")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def ok(self, r, status=0):
        self.assertEqual(r.returncode, status, r.err + r.out)
        if status == 0:
            self.assertEqual(r.err, "")
        else:
            self.assertRegex(r.err, r"\Aordo: [^\n]+\n\Z")
        self.assertEqual([n for n in os.listdir(self.folder.name) if ".tmp." in n], [])
        return r

    def refused(self, status, pattern, *words, **more):
        r = self.ok(ordo(*words, **more), status)
        self.assertRegex(r.err, pattern)
        return r


@needs("help")
class Words(Base):
    def test_usage(self):
        r = ordo()
        self.assertEqual((r.returncode, r.out), (2, ""))
        self.assertIn("Usage", r.err)
        for words in (["--help"], ["-h"], ["help"]):
            self.assertIn("Usage", self.ok(ordo(*words)).out)
        for word in ("--version", "version"):
            self.assertRegex(self.ok(ordo(word)).out, r"^ordo \S+ \(commit \S+\)\n$")

    def test_help_of_every_verb(self):
        for verb in sorted(verbs()):
            self.assertIn("Usage: ordo " + verb, self.ok(ordo("help", verb)).out)
            self.assertIn("Usage: ordo " + verb, self.ok(ordo(verb, "--help")).out)
            self.assertIn("ordo ", self.ok(ordo(verb, "--version")).out)

    def test_help_of_every_scheduler_lists_its_tunables(self):
        found = schedulers()
        self.assertIn("delta", found)
        for name in found:
            text = self.ok(ordo("help", name)).out
            record = json.loads(self.ok(ordo("sssp", self.gr, "--scheduler", name, "--json", "-")).out)
            for tunable, value in record["options"]["settings"].items():
                self.assertRegex(text, rf"(?m)^  {tunable}=\S+ ")
                # what was used is what --set takes
                self.ok(ordo("sssp", self.gr, "--scheduler", name, "--set", f"{tunable}={value}", "--verify"))
        self.assertRegex(ordo("help", "delta").out, r"delta=0 .*number: 0 to")

    def test_help_of_every_operator(self):
        names = re.findall(r"^(\w+):", self.ok(ordo("operators")).out, re.M)
        self.assertIn("sssp_u32", names)
        for name in names:
            self.assertIn(name + ": ", self.ok(ordo("help", name)).out)

    def test_unknown_names(self):
        self.refused(2, "'ssps' is unknown; did you mean 'sssp'", "ssps", self.gr)
        self.refused(2, "'dleta' is unknown; did you mean 'delta'", "sssp", self.gr, "--scheduler", "dleta")
        self.refused(2, "did you mean '--scheduler'", "sssp", self.gr, "--schedular", "delta")
        self.refused(2, "'-Z' is unknown", "sssp", self.gr, "-Z")
        self.refused(2, "sync 'atomc'", "sssp", self.gr, "--sync", "atomc")
        self.refused(2, "did you mean 'cuda'", "sssp", self.gr, "--device", "cdua")
        self.refused(2, "'nothing_like_it' is unknown", "help", "nothing_like_it")
        self.refused(2, "'nothing_like_it' is unknown", "man", "nothing_like_it")
        self.refused(2, "expected one word after 'man'", "man", "sssp", "bfs")
        self.refused(2, "expected one of auto, serial", "sssp", self.gr, "--verify=perhaps")
        self.refused(2, "expected one of index, file", "sssp", self.gr, "--ids", "both")
        self.refused(2, "--option", "--option")

    def test_misplaced_and_contradicting_options(self):
        self.refused(2, "--tree", "info", self.gr, "--tree", "x")
        self.refused(2, "no graph", "sssp")
        self.refused(2, "2 graphs", "sssp", self.gr, "-f", self.gr)
        self.refused(2, "--source", "cc", self.gr, "--source", 0)
        self.refused(2, "exclude", "sssp", self.gr, "--source", 0, "--sources", self.gr)
        self.refused(2, "exclude", "sssp", self.gr, "--symmetrise", "--symmetric")
        self.refused(2, "two outputs", "sssp", self.gr, "--output", "-", "--json", "-")
        self.refused(2, "needs a value", "sssp", self.gr, "--source")
        self.refused(2, "takes no value", "sssp", self.gr, "--quiet=1")
        self.refused(2, "-g or -u", "sssp", self.gr, "-k", 4)

    def test_bad_numbers(self):
        for option, values in {"--threads": ["0", "-1", "1x", "", "9999"], "--repeat": ["0", "1.5", "ten", " 1"],
                               "--source": ["-1", "60", "1e1", "0x1", "99999999999999999999"],
                               "--limit": ["-1", "nan", "x", ""], "--timeout": ["-1", "nan", "inf", "x", "", "1s"], "--seed": ["-1", "18446744073709551616"],
                               "-d": ["x"], "-g": ["32", "-1"]}.items():
            for value in values:
                with self.subTest(option=option, value=value):
                    graph = [] if option == "-g" else [self.gr]
                    self.refused(2, re.escape(option), "sssp", *graph, option, value)

    def test_settings(self):
        self.ok(ordo("sssp", self.gr, "--set", "chunk=7", "--set", "chain=0", "--verify"))
        self.refused(2, "no tunable 'chnuk'", "sssp", self.gr, "--set", "chnuk=7")
        self.refused(2, "chunk='0'", "sssp", self.gr, "--set", "chunk=0")
        self.refused(2, "chunk='x'", "sssp", self.gr, "--set", "chunk=x")
        self.refused(2, "NAME=VALUE", "sssp", self.gr, "--set", "chunk")
        self.refused(2, "scheduler 'nobody' is unknown", "sssp", self.gr, "--set", "nobody.chunk=1")

    def test_options_are_checked_before_the_graph_is_read(self):
        self.refused(2, "dleta", "sssp", "/no/such/graph", "--scheduler", "dleta")
        if ordo("sssp", "-g", "3", "--device", "cuda").returncode == 5:  # no GPU here: said before the graph is read
            self.refused(5, "device 'cuda'", "sssp", "/no/such/graph", "--device", "cuda")
            r = self.ok(ordo("sssp", self.gr, "--source", "0", "--device", "auto", "--verify"))
            self.assertRegex(r.out, r"Scheduler: .*, cpu, ")

    def test_unsound_is_refused_by_name(self):
        if "delta" in schedulers():
            self.refused(2, "'delta'.*'racy'", "sssp", self.gr, "--sync", "racy")


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
        """Who is late is left out and named; nobody left is an error."""
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

    def test_mst_refusals(self):
        self.refused(2, "mst has no source", "mst", self.gr, "--source", 0)
        self.refused(2, "needs a|does not offer sync 'racy'", "mst", self.gr, "--scheduler", "delta", "--sync", "racy")
        self.refused(2, "mst", "mst", self.gr, "--path-to", 1)

    def test_mst_compare(self):
        out = self.ok(ordo("compare", "mst", self.gr, "-n", 2)).out
        for name in schedulers():
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

    def test_kcore(self):
        want = core_numbers(self.n, self.edges)
        for words in ([], ["--symmetrise"], ["--threads", 1], ["--scheduler", "topology"], ["--sync", "lock"],
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
        self.refused(2, "direction=pull", "kcore", self.gr, "--scheduler", "bsp", "--set", "direction=pull")
        self.refused(2, "--k '0', expected", "kcore", self.gr, "--k", 0)
        self.refused(2, "kcore has no source, so it takes no --source", "kcore", self.gr, "--source", 1)
        self.refused(2, "sssp has no k, so it takes no --k", "sssp", self.gr, "--k", 2)
        self.refused(2, "cc has no k, so it takes no --k", "compare", "cc", self.gr, "--k", 2)

    def test_sums_of_many_threads(self):
        """Hubs, so that many add to one cell at once: what gets lost shows in the core numbers."""
        servers = [s for s in schedulers() if s == "lock_server"]
        for sync in ("atomic", "lock", "server"):
            out = self.ok(ordo("compare", "kcore", "-g", 16, "-n", 2, "--threads", 4, "--sync", sync)).out
            expected = len(servers) if sync == "server" else len(schedulers()) - len(servers)
            self.assertEqual(len(re.findall(rf"(?m)^.* {sync} .*PASS$", out)), expected)

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
        self.ok(ordo("pagerank", self.gr, "--output", self.path("ranks.npy")))
        kind, values = read_npy(self.path("ranks.npy"))
        self.assertEqual((kind, len(values)), ("<f8", self.n))
        out = self.ok(ordo("compare", "pagerank", self.gr, "-n", 2)).out
        for name in schedulers():
            self.assertRegex(out, rf"(?m)^\*? +{name} .*PASS$")
        self.refused(2, "--damping '1', expected", "pagerank", self.gr, "--damping", 1)
        self.refused(2, "damping 0.9999999", "pagerank", self.gr, "--damping", "0.9999999")
        self.refused(2, "--tolerance '0', expected", "pagerank", self.gr, "--tolerance", 0)
        self.refused(2, "tolerance 1e-18, expected .* to 1 for", "pagerank", self.gr, "--tolerance", "1e-18")
        self.refused(2, "cc is exact, so it takes no --tolerance", "cc", self.gr, "--tolerance", "0.1")
        self.refused(2, "racy.*selective", "pagerank", self.gr, "--scheduler", "topology", "--sync", "racy")
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
                      ["--phase", "cut"], ["--scheduler", "delta", "--hand-over", 3], ["--sync", "lock"]):
            r = self.ok(ordo("maxflow", file, "-v", *words))
            self.assertIn("value 7, cut_capacity 7, source_side 4", r.out)
            self.assertIn("PASS", r.out)
        for how in ("serial", "certificate", "both"):
            self.ok(ordo("maxflow", file, f"--verify={how}"))
        record = json.loads(self.ok(ordo("maxflow", file, "--json", "-")).out)
        self.assertEqual((record["result"], record["app"], record["operator"]), (want, "maxflow", "discharge"))
        self.assertEqual((record["source"], record["sink"]), (0, 4))
        self.assertEqual((record["options"]["scheduler"], record["options"]["phase"]), ("serial", "flow"))
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
        self.refused(6, "did not end within", "maxflow", "--generate", "rlg --width 300 --height 300 --weights uniform:1:9",
                     "--timeout", 0.001)

    def test_maxflow_compare(self):
        for words in ([], ["--phase", "cut"]):
            out = self.ok(ordo("compare", "maxflow", self.flow_file(), "-n", 2, *words)).out
            for name in schedulers():
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
        self.assertEqual(lines[0], "seconds,in_flight,bucket,delta,concurrent,utilisation")
        self.assertGreater(len(lines), 1)
        self.assertTrue(all(l.count(",") == 5 for l in lines))

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


@needs("sssp")
class Status(Base):
    def test_bad_input(self):
        self.refused(3, "No such file", "sssp", "/no/such/graph")
        bad = self.path("bad.gr")
        with open(bad, "w") as f:
            f.write("p sp 3 1\na 1 9 4\n")
        self.refused(3, r"bad\.gr.*2", "sssp", bad)
        with open(bad, "w") as f:
            f.write("p sp 2 1\na 1 2 -4\n")
        self.refused(3, "negative|-4", "sssp", bad, "-r", 0)
        with open(bad, "w") as f:
            f.write("p sp 3 2\na 1 2 4294967290\na 2 3 100\n")
        self.refused(3, "does not fit", "sssp", bad, "-r", 0)

    def test_wrong_answer(self):
        """Distances are falsified between library and command: the check must find it and the status must say it."""
        shim, called = self.path("shim.so"), self.path("called")
        code = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <stdio.h>
            #include <stdlib.h>
            typedef int fn(const void *, unsigned, double, const void *, void *, unsigned *, void *);
            int ordo_sssp(const void *g, unsigned source, double limit, const void *options, void *dist,
                          unsigned *pred, void *stats)
            {
                fn *real = (fn *)dlsym(RTLD_NEXT, "ordo_sssp");
                int status = real(g, source, limit, options, dist, pred, stats);
                ((unsigned *)dist)[source] = 1;
                fclose(fopen(getenv("SHIM_CALLED"), "w"));
                return status;
            }"""
        try:
            subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, "-x", "c", "-", "-ldl"], input=code.encode(),
                           check=True, stderr=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("no C compiler")
        env = dict(os.environ, LD_PRELOAD=shim, SHIM_CALLED=called)
        file, values = self.path("wrong.json"), self.path("wrong.values")
        words = ["sssp", self.gr, "-r", self.source, "-n", 2]
        ordo(*words, env=env)
        if not os.path.exists(called):
            self.skipTest("the library cannot be interposed here (static, or a sanitizer)")
        for how in ("auto", "serial", "certificate", "both"):
            r = self.ok(ordo(*words, f"--verify={how}", "--json", file, "--output", values, env=env), 1)
            self.assertEqual(len(re.findall("(?m)^Verification: +FAIL$", r.out)), 2)
            self.assertIn("Average Time:", r.out)
            with open(file) as f:
                self.assertEqual([json.loads(l)["verified"] for l in f], [False, False])
            self.assertTrue(os.path.exists(values))
        if "compare" in verbs():
            r = self.ok(ordo("compare", *words, env=env), 1)
            self.assertRegex(r.out, "(?m)^  delta .*FAIL$")
            self.assertNotIn("PASS", r.out)

    def test_memory(self):
        graph, said = self.path("large.sg"), set()
        self.ok(ordo("generate", "uniform", "--vertices", 200000, "--degree", 8, "-o", graph))
        for megabytes in range(20, 800, 20):
            def limit():
                resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
            r = ordo("cc", graph, "--threads", 1, preexec_fn=limit)
            if "Sanitizer" in r.err:
                self.skipTest("a sanitizer needs more address space")
            if r.returncode == 0:
                break
            if "error while loading shared" in r.err:
                continue
            said.add(re.sub(r"[\d.]+ *\w?B?", "#", self.ok(r, 4).err))
            if "are available" in r.err:  # predicted; without the check it is met
                self.assertIn(ordo("cc", graph, "--threads", 1, "--force", preexec_fn=limit).returncode, (0, 4))
        self.assertEqual(r.returncode, 0, "never ran")
        self.assertTrue(any("are available" in text for text in said), said)

    def test_peak_memory(self):
        """The rows one and a half times, 16 bytes a vertex and the worklists are enough, the file that is read included."""
        graph = self.path("heavy.wsg")
        self.ok(ordo("generate", "uniform", "--vertices", 1 << 19, "--degree", 16, "--weights", "uniform:1:255", "-o", graph))
        for scheduler in "delta", "adds":
            run = json.loads(self.ok(ordo("sssp", graph, "--scheduler", scheduler, "--threads", 2, "--json", "-")).out.splitlines()[-1])
            n, m = run["graph"]["vertices"], run["graph"]["edges"]
            most = 1.5 * (8 * (n + 1) + 8 * m) + 16 * n + run["memory"]["peak_worklist"] + (8 << 20)  # the program itself
            self.assertLess(run["memory"]["peak_rss"], most, scheduler)

    def test_unwritable(self):
        before = set(os.listdir(self.folder.name))
        for option in ("--output", "--json", "--tree", "--trace"):
            self.refused(3, "/no/such/folder/file: cannot write", "sssp", self.gr, option, "/no/such/folder/file")
            self.refused(3, "directory", "sssp", self.gr, option, self.folder.name)
        self.assertEqual(set(os.listdir(self.folder.name)), before)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_disk(self):
        for option in ("--output", "--json", "--tree", "--trace"):
            self.refused(3, "/dev/full.*No space", "sssp", self.gr, option, "/dev/full")
        with open("/dev/full", "w") as full:
            for words in (["sssp", self.gr], ["sssp", self.gr, "--output", "-"], ["help"], ["schedulers"], ["version"],
                          ["sssp", self.gr, "--json", "-"], ["info", self.gr], ["compare", "sssp", self.gr]):
                r = subprocess.run([ORDO, *words], stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(r.returncode, 3, words)
                self.assertRegex(r.stderr.decode(), r"\Aordo: standard output: .*\n\Z")

    def test_closed_stdout(self):
        for words in (["sssp", self.gr], ["help"], ["sssp", self.gr, "--json", "-"], ["sssp", self.gr, "--output", "-"]):
            r = subprocess.run(["/bin/sh", "-c", 'exec "$@" >&-', "sh", ORDO, *words], stderr=subprocess.PIPE)
            self.assertEqual(r.returncode, 3, words)
            self.assertRegex(r.stderr.decode(), r"\Aordo: standard output: .*\n\Z")
        # an output file opened meanwhile must not become standard output
        file = self.path("values")
        r = subprocess.run(["/bin/sh", "-c", 'exec "$@" >&-', "sh", ORDO, "sssp", self.gr, "--quiet", "-r",
                            str(self.source), "--output", file], stderr=subprocess.PIPE)
        self.assertEqual((r.returncode, r.stderr), (0, b""))
        with open(file) as f:
            self.assertEqual(len(f.readlines()), self.n)

    def test_reader_goes_away(self):
        command = f'"{ORDO}" sssp "{self.gr}" -n 100000 --json - | head -1; exit ${{PIPESTATUS[0]}}'
        r = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(r.returncode, 3, r.stderr)
        self.assertIn("trial", json.loads(r.stdout))
        self.assertRegex(r.stderr.decode(), r"\Aordo: standard output: .*Broken pipe\n\Z")

    def interrupt(self, number, *words):
        """Signals the command once it has reported a run."""
        child = subprocess.Popen([ORDO, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            while not child.stdout.readline().startswith(b"Trial Time:"):
                self.assertIsNone(child.poll(), "ended before the signal")
            child.send_signal(number)
            _, err = child.communicate(timeout=60)
        finally:
            child.kill()
        self.assertEqual(child.returncode, 130, err)
        self.assertRegex(err.decode(), r"\Aordo: cancelled[^\n]*\n\Z")

    def test_signals(self):
        file, values = self.path("cut.json"), self.path("cut.values")
        with open(file, "w") as f:
            f.write("old\n")
        for number in (signal.SIGINT, signal.SIGTERM):
            self.interrupt(number, "sssp", "-g", "14", "-n", "1000000", "--json", file, "--output", values)
            with open(file) as f:
                self.assertEqual(f.read(), "old\n")
            self.assertFalse(os.path.exists(values))
        self.assertEqual([n for n in os.listdir(self.folder.name) if ".tmp." in n], [])

    def test_signal_while_a_graph_is_awaited(self):
        read, write = os.pipe()
        child = subprocess.Popen([ORDO, "sssp", "-"], stdin=read, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.close(read)
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
        os.close(write)
        self.assertEqual((child.returncode, err), (130, b"ordo: cancelled\n"))

    def test_progress_only_where_wanted(self):
        self.assertEqual(ordo("sssp", self.gr).err, "")
        r = ordo("sssp", self.gr, "--progress")
        self.assertEqual(r.returncode, 0)
        self.assertIn("reading", r.err)
        self.assertTrue(r.err.endswith("\r\033[K"))


@needs("sssp")
class Streams(Base):
    def test_standard_input(self):
        with open(self.gr, "rb") as f:
            data = f.read()
        want = ordo("sssp", self.gr, "-r", 3, "--output", "-").out
        for words in (["-"], ["-f", "-"]):
            self.assertEqual(self.ok(ordo("sssp", *words, "-r", 3, "--output", "-", stdin=data)).out, want)
        packed = gzip.compress(data)
        r = ordo("sssp", "-", "-r", 3, "--output", "-", stdin=packed)
        if r.returncode == 3 and "zlib" in r.err:
            self.skipTest("built without zlib")
        self.assertEqual(self.ok(r).out, want)
        with open(self.path("small.gr.gz"), "wb") as f:
            f.write(packed)
        self.assertEqual(self.ok(ordo("sssp", self.path("small.gr.gz"), "-r", 3, "--output", "-")).out, want)
        self.ok(ordo("sssp", "-", stdin=b""), 3)
        self.ok(ordo("sssp", "-", stdin=packed[:-20]), 3)


@needs("sssp")
class Json(Base):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(os.path.join(TREE, "docs", "schema.json")) as f:
            cls.schema = json.load(f)

    def valid(self, text, count):
        records = [json.loads(line, parse_constant=self.fail) for line in text.splitlines()]
        self.assertEqual(len(records), count)
        for record in records:
            self.assertEqual(check_schema(record, self.schema, self.schema), [])
        return records

    def test_checker_finds_faults(self):
        record = json.loads(ordo("sssp", self.gr, "--json", "-").out)
        for change in ({"extra": 1}, {"source": "x"}, {"schema": 2}, {"kind": "other"}, {"counts": {}}):
            self.assertNotEqual(check_schema({**record, **change}, self.schema, self.schema), [])
        del record["graph"]
        self.assertNotEqual(check_schema(record, self.schema, self.schema), [])

    def test_every_app_and_scheduler(self):
        for app in APPS:
            for name in schedulers():
                r = self.ok(ordo(app, self.gr, "--scheduler", name, "--json", "-", "-v", "-n", 2, "--trace-json"))
                for record in self.valid(r.out, 2):
                    self.assertIs(record["verified"], True)
                    self.assertEqual(record["options"]["scheduler"], name)
                    self.assertEqual(record["app"], app)
                    self.assertEqual(record["source"] is None, app not in ("sssp", "bfs", "widest"))
        for words in ([], *(["--scheduler", name] for name in schedulers())):
            r = self.ok(ordo("maxflow", "--generate", "rlg --width 9 --height 9 --weights uniform:1:9", "--json", "-", "-v", "-n",
                             2, "--trace-json", "--phase", "cut", "--infinite", 77, *words))
            for record in self.valid(r.out, 2):
                self.assertIs(record["verified"], True)
                self.assertEqual(record["options"]["scheduler"], words[1] if words else "serial")
                self.assertEqual((record["options"]["phase"], record["options"]["infinite"]), ("cut", 77))

    def test_what_it_says(self):
        file = self.path("run.json")
        words = ["sssp", self.gr, "-r", str(self.source), "--threads", "2", "--set", "chunk=9", "--json", file]
        self.ok(ordo(*words))
        with open(file) as f:
            (record,) = self.valid(f.read(), 1)
        reached = [d for d in self.dist if d < INF]
        self.assertEqual(record["result"], {"reached": len(reached), "max": max(reached), "sum": sum(reached)})
        self.assertEqual(record["command"][1:], words)
        self.assertEqual((record["graph"]["vertices"], record["graph"]["edges"]), (self.n, len(self.edges)))
        self.assertEqual((record["graph"]["id_base"], record["source"]), (1, self.source))
        self.assertEqual(record["graph"]["weight"]["max"], max(w for _, _, w in self.edges))
        self.assertEqual((record["options"]["threads"], record["options"]["settings"]["chunk"]), (2, 9))
        self.assertIsNone(record["verified"])
        self.assertIsNone(record["seconds"]["verify"])
        self.assertIsNone(record["options"]["limit"])
        self.assertIsNone(record["seed"])
        self.assertNotIn("trace", record)
        self.assertIsNotNone(json.loads(ordo("sssp", self.gr, "--json", "-").out)["seed"])

    def test_auto_says_why(self):
        def options(*words):
            (record,) = self.valid(self.ok(ordo(*words, self.gr, "--json", "-", "-v")).out, 1)
            self.assertIs(record["verified"], True)
            return record["options"]

        for app in ("sssp", "bfs", "cc", "mst"):
            auto = options(app, "--scheduler", "auto")
            self.assertRegex(auto["chosen"], "mean degree")
            self.assertIn(auto["scheduler"], ("bsp", "delta"))
            self.assertIsNone(options(app, "--scheduler", "bsp")["chosen"])
        # the sync decides among those that offer it
        racy = options("sssp", "--scheduler", "auto", "--sync", "racy")
        self.assertEqual((racy["scheduler"], racy["sync"]), ("topology", "racy"))

    def test_bsp_pulls_where_the_frontier_explodes_and_only_there(self):
        def edges(kind):
            words = ("bfs", "--generate", kind, "--source", "5", "--scheduler", "bsp", "--threads", "2", "--json", "-", "-v")
            (record,) = self.valid(self.ok(ordo(*words)).out, 1)
            self.assertIs(record["verified"], True)
            return record["counts"]["edges"] / record["graph"]["edges"]

        self.assertEqual(edges("mesh --width 30 --height 30 --depth 30"), 1)  # each edge once: pushed
        self.assertLess(edges("urand --scale 14 --degree 16"), 0.5)

    def test_replaces_the_old_file_whole(self):
        file = self.path("again.json")
        self.ok(ordo("sssp", self.gr, "-n", 3, "--json", file))
        self.ok(ordo("sssp", self.gr, "-n", 2, "--json", file))
        with open(file) as f:
            self.valid(f.read(), 2)
        self.ok(ordo("sssp", "/no/such/graph", "--json", file), 3)
        with open(file) as f:
            self.valid(f.read(), 2)

    def test_follows_links_and_keeps_permissions(self):
        file, link = self.path("real.json"), self.path("link.json")
        with open(file, "w"):
            os.chmod(file, 0o640)
        os.symlink("real.json", link)
        self.ok(ordo("sssp", self.gr, "--json", link))
        self.assertTrue(os.path.islink(link))
        self.assertEqual(os.stat(file).st_mode & 0o777, 0o640)
        with open(file) as f:
            self.valid(f.read(), 1)

    def test_odd_names(self):
        name = os.path.join(os.fsencode(self.folder.name), b"a \"b\" \xff\xc3\xa9.wel")
        with open(name, "wb") as f:
            f.write(b"0 1 2\n")
        r = subprocess.run([ORDO, "sssp", name, "--json", "-"], stdout=subprocess.PIPE)
        self.assertEqual(r.returncode, 0)
        self.valid(r.stdout.decode(), 1)

    def test_info(self):
        if "info" not in verbs():
            self.skipTest("no verb info")
        (record,) = self.valid(self.ok(ordo("info", self.gr, "--json", "-")).out, 1)
        self.assertEqual(set(record["memory"]), {*APPS, "maxflow"})

    def test_compare(self):
        if "compare" not in verbs():
            self.skipTest("no verb compare")
        names = schedulers()
        r = self.ok(ordo("compare", "sssp", self.gr, "-n", 2, "--json", "-"))
        records = self.valid(r.out, 2 * len(names))
        self.assertEqual([x["options"]["scheduler"] for x in records], 2 * names)  # interleaved
        self.assertEqual([x["trial"] for x in records], [1] * len(names) + [2] * len(names))
        self.assertEqual({json.dumps(x["result"]) for x in records}, {json.dumps(records[0]["result"])})
        self.assertTrue(all(x["verified"] is True for x in records))
        r = self.ok(ordo("compare", "cc", self.gr, "-n", 1, "--json", "-", "--no-verify"))
        self.assertTrue(all(json.loads(l)["verified"] is None for l in r.out.splitlines()))


@needs("compare")
class Compare(Base):
    def rows(self, out):
        return {m[1]: m[0] for m in re.findall(r"(?m)^([* ]) (\w+) +(?:atomic|racy|lock|owner|server) .*(?:PASS|FAIL|-)$", out)}

    def test_table(self):
        r = self.ok(ordo("compare", "sssp", self.gr, self.chain, "-n", 3))
        tables = r.out.split("Read Time:")[1:]
        self.assertEqual(len(tables), 2)
        for table in tables:
            rows = self.rows(table)
            self.assertEqual(sorted(rows), sorted(schedulers()))
            self.assertEqual(list(rows.values()).count("*"), 1)
            lines = [l for l in table.splitlines() if l.endswith(("PASS", "verified"))]
            self.assertEqual(len({len(l) for l in lines}), 1)  # aligned
            self.assertIn("Best:", table)

    def test_choice(self):
        r = self.ok(ordo("compare", "bfs", self.gr, "--schedulers", "delta:lock,bsp", "-n", 1, "--set", "delta.chunk=3"))
        self.assertEqual(sorted(self.rows(r.out)), ["bsp", "delta"])
        self.assertRegex(r.out, r"delta +lock")
        r = self.ok(ordo("compare", "bfs", self.gr, "--schedulers", "delta:racy,bsp", "-n", 1))
        self.assertRegex(r.out, "delta cannot run: .*'racy'")
        self.refused(2, "no scheduler can run", "compare", "bfs", self.gr, "--schedulers", "delta:racy")
        self.refused(2, "'dleta' is unknown; did you mean", "compare", "bfs", self.gr, "--schedulers", "bsp,dleta")
        self.refused(2, "'' is unknown", "compare", "bfs", self.gr, "--schedulers", "bsp,")
        self.refused(2, "no tunable 'chnuk'", "compare", "bfs", self.gr, "--set", "delta.chnuk=3")
        self.refused(2, "none of these schedulers", "compare", "bfs", self.gr, "--set", "chnuk=3")
        self.refused(2, "app 'bsf' is unknown; did you mean 'bfs'", "compare", "bsf", self.gr)
        self.refused(2, "no graph", "compare", "bfs")
        self.refused(3, "No such file", "compare", "bfs", "/no/such/graph")

    def test_made_graph_and_sources(self):
        self.assertIn("Generate Time:", self.ok(ordo("compare", "cc", "-g", 6, "-n", 1)).out)
        listed = self.path("sources")
        with open(listed, "w") as f:
            f.write("1\n2\n3\n")
        self.assertIn("3 sources", self.ok(ordo("compare", "sssp", self.gr, "--sources", listed, "-n", 1)).out)


@needs("bench")
class Bench(Base):
    def records(self, *words):
        with open(os.path.join(TREE, "docs", "schema.json")) as f:
            schema = json.load(f)
        found = [json.loads(line) for line in self.ok(ordo("bench", *words, "--json", "-")).out.splitlines()]
        for record in found:
            self.assertEqual(check_schema(record, schema, schema), [])
            self.assertIs(record["verified"], True)
        return found

    def ratings(self):
        """Ratings of a model of rank 2 with some noise, most pairs of 80 users and 50 things."""
        r = random.Random(5)
        p = [(r.uniform(-1, 1), r.uniform(-1, 1)) for _ in range(80)]
        q = [(r.uniform(-1, 1), r.uniform(-1, 1)) for _ in range(50)]
        path = self.path("ratings.wel")
        with open(path, "w") as f:
            for u in range(80):
                for v in range(50):
                    if r.random() < 0.8:
                        f.write(f"{u} {v} {3 + 2 * (p[u][0] * q[v][0] + p[u][1] * q[v][1]) + r.gauss(0, 0.1):.4f}\n")
        return path

    def test_sections(self):
        for name, op in (("ht", "hash_table"), ("atm", "bank")):
            found = self.records(name, "--operations", "20K", "--collisions", "1,7,2K", "-n", 2, "--threads", 3)
            self.assertEqual([x["options"]["scheduler"] for x in found], 6 * ["lock_server", "bsp"])  # interleaved
            self.assertEqual([x["collisions"] for x in found], 4 * [1] + 4 * [7] + 4 * [2048])
            for x in found:
                self.assertEqual((x["bench"], x["operator"], x["operations"]), (name, op, 20480))
                self.assertEqual(x["counts"]["useful"], 20480)
                self.assertAlmostEqual(x["rate"] * x["seconds"]["run"], 20480, delta=1)

    def test_sync_auto(self):
        """Servers where few targets share the requests, locks where many do; the line and the JSON say so."""
        words = ("ht", "--operations", "20K", "-n", 1, "--threads", 2, "--collisions", "8,1M", "--schedulers", "auto:auto")
        out = self.ok(ordo("bench", *words)).out
        self.assertRegex(out, r"(?m)^ +8 .*  auto: lock_server, server$")
        self.assertRegex(out, r"(?m)^ +1048576 .*  auto: bsp, lock$")
        found = [json.loads(line) for line in self.ok(ordo("bench", *words, "--json", "-")).out.splitlines()]
        self.assertEqual([x["options"]["sync"] for x in found], ["server", "lock"])
        self.assertRegex(found[0]["options"]["chosen"], r"about 8\b.* targets asked for")

    def test_table(self):
        out = self.ok(ordo("bench", "atm", "--operations", 1000, "--collisions", "2,1K", "-n", 1, "--schedulers",
                           "lock_server,topology:owner,bsp", "--set", "pairs=nested")).out
        self.assertRegex(out, r"collisions +lock_server:server +topology:owner +bsp:lock")
        self.assertEqual(re.findall(r"(?m)^ +(\d+) +[\d.]+ \(", out), ["2", "1024"])

    def test_sgd(self):
        path = self.ratings()
        last = {}
        for settings in ((), ("--set", "pairs=nested"), ("--set", "roles=apart", "--set", "locks=1")):
            found = self.records("sgd", path, "--epochs", 40, "--rank", 4, "--rate", 0.05, "--decay", 0.01,
                                 "--threads", 2, *settings)
            self.assertEqual([x["trial"] for x in found], 2 * list(range(1, 41)))
            for x in found:
                self.assertEqual(x["counts"]["useful"], x["operations"])
                last[x["options"]["scheduler"]] = x["rmse"]
            self.assertAlmostEqual(found[0]["operations"] / found[0]["graph"]["edges"], 0.9, delta=0.02)
            for rmse in last.values():  # learned: the noise is 0.1, the mean alone is several times that
                self.assertLess(rmse["held_out"], 0.25)
                self.assertGreater(rmse["held_out_by_mean"], 0.6)
                self.assertLess(rmse["used"], rmse["held_out"] * 1.2)
            self.assertAlmostEqual(last["lock_server"]["held_out"], last["bsp"]["held_out"], delta=0.05)

    def test_refusals(self):
        self.refused(2, "needs one of ht, atm and sgd", "bench")
        self.refused(2, "benchmark 'hat' is unknown; did you mean", "bench", "hat")
        self.refused(2, "--collisions '0', expected a whole number from 1", "bench", "ht", "--collisions", "32,0")
        self.refused(2, "--collisions '3G'", "bench", "ht", "--collisions", "3G")
        self.refused(2, "--operations '5000M'", "bench", "ht", "--operations", "5000M")
        self.refused(2, "bench ht takes no graph", "bench", "ht", self.gr)
        self.refused(2, "does not offer sync 'atomic'", "bench", "ht", "--schedulers", "delta:atomic")
        self.refused(2, "an operator of one target that combines", "bench", "atm", "--set", "form=combine")
        self.refused(2, "none of these schedulers", "bench", "atm", "--set", "delta=3")
        self.refused(2, "no graph given", "bench", "sgd")
        self.refused(2, "takes no --collisions", "bench", "sgd", self.gr, "--collisions", "3")
        self.refused(2, "whose section has two halves", "bench", "sgd", self.ratings(), "--set", "pairs=halves")
        self.refused(6, "did not end within", "bench", "ht", "--timeout", "1e-9")
        plain = self.path("plain.el")
        with open(plain, "w") as f:
            f.write("0 1\n1 2\n")
        self.refused(3, "has no weights, expected ratings", "bench", "sgd", plain)
        self.refused(1, "the error is no number any more", "bench", "sgd", self.ratings(), "--rate", 1, "--epochs", 50)

    def test_rectangular_ratings(self):
        path = self.path("ratings.mtx")
        with open(path, "w") as f:
            f.write("%%MatrixMarket matrix coordinate real general\n4 2 5\n1 1 3\n1 2 4\n2 2 1.5\n4 1 2\n4 2 5\n")
        found = self.records("sgd", path, "--bipartite", "--epochs", 3)
        self.assertEqual((found[0]["graph"]["vertices"], found[0]["graph"]["edges"]), (6, 5))
        self.refused(3, "found '2', expected 4 columns, as many as rows", "bench", "sgd", path)
        self.refused(2, "--bipartite needs a file", "bfs", "-g", 4, "--bipartite")
        self.refused(2, "found no Matrix Market file", "bfs", self.gr, "--bipartite")

    def test_partition(self):
        r = ordo("bench", "sgd", self.ratings(), "--set", "partition=metis", "--epochs", 2)
        if r.returncode == 2:
            self.assertIn("no METIS", r.err)
        else:
            self.ok(r)


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
        for pattern, words in {"0 ways": [], "2 ways": ["--random", 0.5, "--largest-component"], "--random '0'": ["--random", 0],
                               "--random '2'": ["--random", 2], "--ball '3'": ["--ball", 3], "--ball '3:0'": ["--ball", "3:0"],
                               "from 0 to 59": ["--ball", "60:4"], "--ball ':4'": ["--ball", ":4"]}.items():
            self.refused(2, pattern, "sample", self.gr, self.out, *words)
        self.refused(2, "expected two", "sample", self.gr, "--random", 0.5)
        self.refused(3, "No such file", "sample", self.gr, self.out, "--induced", "/no/such/file")
        self.refused(2, "standard input", "sample", "-", self.out, "--induced", "-")
        with open(self.out) as f:
            self.assertEqual(f.read(), "old\n")


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
    if not ORDO:
        sys.exit("usage: command_test.py PATH_OF_ORDO")
    unittest.main()
