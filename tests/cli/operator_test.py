#!/usr/bin/env python3
"""Operators that are compiled at run time: what they answer, what is kept of them, and what is refused. Every unit takes some
tenths of a second, so operators are few and are used several times. usage: operator_test.py PATH_OF_ORDO [unittest arguments]"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import command
from command import TREE, Base, check_schema, main, needs, ordo, read_npy
from references import INF, dijkstra

TOLLS = os.path.join(TREE, "tests", "cli", "operators", "tolls.c")
INCLUDE = os.path.join(TREE, "framework", "include")
INTERFACE = int(re.search(r"ORDO_SCHEDULER_INTERFACE = (\d+)",
                          pathlib.Path(INCLUDE, "ordo/scheduler/scheduler.h").read_text())[1])

# An operator by its parts: the functions, then lines of its list.
FILE = """#include <ordo/operator/operator.h>
#include <ordo/graph.h>
{0}
#define ORDO_RELAX mine
#define ORDO_RELAX_SUMMARY "of a test"
{1}
#include <ordo/operator/relax.h>
"""
LIST = {"CELL": "u32", "WEIGHT": "u32", "ORDER": "ORDO_MIN", "PROPERTIES": "(ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)",
        "CANDIDATE": "candidate"}
PLUS = "ORDO_FN ordo_u32 candidate(const ordo_no_state *s, ordo_u32 d, ordo_edge_u32 e) { (void)s; return ordo_add_sat_u32(d, e.weight); }\n"


def text_of(functions=PLUS, **parts):
    return FILE.format(functions, "\n".join(f"#define ORDO_RELAX_{k} {v}" for k, v in {**LIST, **parts}.items()))


class Files(Base):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cache = cls.path("cache")
        os.environ["ORDO_CACHE"] = cls.cache
        os.environ["CC"] = command.quick_compiler(cls.path("."))

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def objects(self):
        return sorted(os.listdir(os.path.join(self.cache, "operators")))

    def values(self, *words):
        out = self.path("values.txt")
        self.ok(ordo("run", *words, "-o", out, "--quiet"))
        return pathlib.Path(out).read_text().split()

    def weighted(self, weight):
        """Distances from the source, by other weights."""
        return dijkstra(self.n, [(u, v, weight(w)) for u, v, w in self.edges], self.source)


@needs("run")
class Run(Files):
    def test_example(self):
        """The example of docs/run_time_operators.md: its state, its printing, its records."""
        out, file = self.path("cost.txt"), self.path("run.jsonl")
        for rate, toll in ((1, 0), (3, 250)):
            state = ("--set-state", f"toll={toll}", "--set-state", f"rate={rate}")
            text = self.ok(ordo("run", TOLLS, self.gr, "--source", self.source, *state, "--verify", "-o", out, "--json", file, "--threads", 2)).out
            self.assertRegex(text, r"Verification: +PASS")
            self.assertRegex(text, r"Scheduler: +delta, sync atomic")
            cost = self.weighted(lambda w: rate * w + toll)
            self.assertEqual(pathlib.Path(out).read_text().split(), ["unreached" if c == INF else f"{c // 100}.{c % 100:02}" for c in cost])
            with open(file) as f:
                record = json.loads(f.read())
            with open(os.path.join(TREE, "docs", "schema.json")) as f:
                root = json.load(f)
            self.assertEqual(check_schema(record, root, root), [])
            self.assertEqual(record["options"]["state"], {"rate": rate, "toll": toll})
            self.assertEqual(record["options"]["operator_file"], TOLLS)
            reached = [c for c in cost if c != INF]
            self.assertEqual((record["app"], record["operator"], record["verified"]), ("tolls", "tolls", True))
            self.assertEqual(record["result"], {"reached": len(reached), "min": 0, "max": max(reached), "sum": sum(reached)})
        numpy = self.path("cost.npy")
        self.ok(ordo("run", TOLLS, self.gr, "--source", self.source, *state, "-o", numpy, "--quiet"))
        self.assertEqual(read_npy(numpy), ("<u4", [0xffffffff if c == INF else c for c in cost]))

    def test_cells(self):
        """Other types of cells and orders, and operators without a source: every cell begins with its vertex."""
        least = text_of("ORDO_FN ordo_u64 candidate(const ordo_no_state *s, ordo_u64 l, ordo_edge_none e) { (void)s; (void)e; return l; }\n"
                        "ORDO_FN ordo_u64 begin(const ordo_no_state *s, ordo_item v) { (void)s; return v + 10000000000u; }\n",
                        CELL="u64", WEIGHT="none", BEGIN="begin")
        labels = list(range(self.n))
        for _ in range(self.n):
            for u, v, _ in self.edges:
                labels[v] = min(labels[v], labels[u])
        file = self.write("labels.c", least)
        out = self.path("labels.npy")
        text = self.ok(ordo("run", file, self.gr, "--verify", "-o", out)).out
        self.assertRegex(text, r"Scheduler: +bsp")
        self.assertNotIn("Source:", text)
        self.assertEqual(read_npy(out), ("<u8", [10**10 + l for l in labels]))
        self.refused(2, "mine has no source", "run", file, self.gr, "--source", 1)
        fit = text_of("ORDO_FN ordo_f32 candidate(const ordo_no_state *s, ordo_f32 d, ordo_edge_f32 e) { (void)s; return d > e.weight ? e.weight : d; }\n",
                      CELL="f32", WEIGHT="f32", ORDER="ORDO_MAX")
        reals = self.write("reals.wel", "0 1 2.5\n1 2 0.5\n0 2 0.25\n2 0 7\n")
        self.assertEqual(self.values(self.write("fit.c", fit), reals, "--source", 0, "--scheduler", "near_far", "--verify"), ["inf", "2.5", "0.5"])
        self.refused(3, r"reads weights of type u32, the graph has f32", "run", TOLLS, reals, "--source", 0)
        sums = {"i64": ("i32", "-5000000000", -5 * 10**9), "f64": ("f32", "0.125", 0.125)}
        for cell, (weight, more, each) in sums.items():  # more than 32 bits hold, and less than nothing
            text = text_of(f"ORDO_FN ordo_{cell} candidate(const ordo_no_state *s, ordo_{cell} d, ordo_edge_{weight} e)\n"
                           f"{{ (void)s; return d == ordo_highest_{cell}() ? d : d + (ordo_{cell})e.weight + {more}; }}\n", CELL=cell, WEIGHT=weight)
            chain = self.write(f"{cell}.wel", "0 1 -3\n1 2 4\n2 3 -1\n" if weight == "i32" else "0 1 -3.5\n1 2 4.25\n2 3 -1.5\n")
            expected = [0, -3 + each, 1 + 2 * each, 3 * each] if weight == "i32" else [0, -3.5 + each, 0.75 + 2 * each, -0.75 + 3 * each]
            file = self.write(f"{cell}.c", text)
            self.assertEqual([float(v) for v in self.values(file, chain, "--source", 0, "--verify")], expected)
            self.assertIn(f"min {min(expected):.15g}, max {max(expected):.15g}", self.ok(ordo("run", file, chain, "--source", 0, "-o", out)).out)
            self.assertEqual(read_npy(out), ({"i64": "<i8", "f64": "<f8"}[cell], expected))

    def test_growing(self):
        """Operators that add edges and items: answers, bounds, and what is refused (tests/unit/grow_test.c has the rest)."""
        puzzle, shortcuts = (os.path.join(TREE, "operators", "gallery", f"{name}.h") for name in ("puzzle", "shortcuts"))
        one, labels = self.path("one.el"), self.path("labels.txt")
        self.ok(ordo("generate", "path", "--vertices", 1, "-o", one))
        small = ("run", puzzle, one, "--source", 0, "--set-state", "high=2")
        for words in ([], ["--scheduler", "lock_server"], ["--scheduler", "topology", "--sync", "race"]):
            self.assertRegex(self.ok(ordo(*small, "--new-items", 359, "--verify", *words)).out,
                             "reached 360, min 0, max 21, sum [0-9]+, new_edges 840, new_items 359\n")
        self.refused(4, r"operator 'puzzle' makes more than 100 new items: raise ordo_additions.most_items \(--new-items\)", *small, "--new-items", 100)
        self.refused(4, r"operator 'puzzle' makes more than 7 new edges: raise ordo_additions.most_edges \(--new-edges\)", *small, "--new-items", 359, "--new-edges", 7)
        self.refused(2, "'mine' makes no new edges or items", "run", self.write("plain.c", text_of()), self.gr, "--new-edges", 3)
        self.refused(2, "cc adds no edges, so it takes no --new-edges", "cc", self.gr, "--new-edges", 3)
        self.ok(ordo("cc", self.gr, "--symmetrise", "-o", labels, "--quiet"))
        self.assertEqual(self.values(shortcuts, self.gr, "--symmetrise", "--verify"), pathlib.Path(labels).read_text().split())
        self.assertRegex(self.ok(ordo("check-operator", shortcuts)).out, "(?m)^  what it adds to a graph +not tried$")
        grow = "ORDO_FN void grow(const ordo_no_state *s, ordo_item v, ordo_u32 d, ordo_growing *g) { (void)s; ordo_add_edge_u32(g, v, v, d); }\n"
        include = "#include <ordo/operator/grow.h>\n"
        for words, text in (("so ORDO_UNIFORM cannot be", text_of(include + PLUS + grow, GROW="grow", PROPERTIES="(ORDO_MONOTONE | ORDO_UNIFORM)")),
                            ("ORDO_RELAX_GROW is of operators that select", text_of(include + PLUS + grow, GROW="grow", ITEMS="ORDO_ITEMS_EDGES"))):
            r = ordo("run", self.write("wrong.c", text), self.gr)
            self.assertEqual(r.returncode, 3, r.err)
            self.assertIn(words, r.err)

    def test_items(self):
        """Edges as items, of an operator that allows both and of one that allows them alone; what is refused."""
        want = ["inf" if d == INF else str(d) for d in self.dist]
        both, alone = (self.write(f"{name}.c", text_of(ITEMS=items)) for name, items in
                       (("both", "(ORDO_ITEMS_VERTICES | ORDO_ITEMS_EDGES)"), ("alone", "ORDO_ITEMS_EDGES")))
        for file, words in ((both, []), (both, ["--items", "edges"]), (both, ["--items", "edges", "--scheduler", "bsp", "--threads", 3]), (alone, []),
                            (alone, ["--scheduler", "topology", "--sync", "lock"])):
            self.assertEqual(self.values(file, self.gr, "--source", self.source, "--verify", *words), want)
        self.refused(2, "'mine' has no items that are vertices: its items are edges", "run", alone, self.gr, "--items", "vertices")
        self.refused(2, "'mine' has no items that are edges: its items are vertices", "run", self.write("plain.c", text_of()), self.gr, "--items", "edges")
        for file, words in ((both, ["--items", "edges"]), (alone, [])):
            self.refused(2, "scheduler 'delta' on device 'cpu' does not run 'mine' with edges as items", "run", file, self.gr, "--scheduler", "delta", *words)
        self.ok(ordo("check-operator", alone))
        target = "ORDO_FN ordo_u32 target(const ordo_no_state *s, ordo_edge_u32 e) { (void)s; return e.tail; }\n"
        for words, text in (("not under ORDO_SUM, nor with _TARGET", text_of(PLUS + target, ITEMS="ORDO_ITEMS_EDGES", TARGET="target")),
                            ("ORDO_RELAX_ITEMS is ORDO_ITEMS_VERTICES, ORDO_ITEMS_EDGES or both", text_of(ITEMS="5"))):
            r = ordo("run", self.write("wrong.c", text), self.gr)
            self.assertEqual(r.returncode, 3)
            self.assertIn(words, r.err)

    def test_arrays(self):
        """Arrays of the state: filled by the operator, and from files, of every type; refused where their sizes or texts are wrong."""
        fees = os.path.join(TREE, "tests", "cli", "operators", "fees.c")
        degree = [sum(u == v for u, _, _ in self.edges) for v in range(self.n)]

        def costs(fee):
            return ["inf" if c == INF else str(c) for c in dijkstra(self.n, [(u, v, w + fee[v]) for u, v, w in self.edges], self.source)]
        for each, threads in ((10, 1), (3, 2)):
            self.assertEqual(self.values(fees, self.gr, "--source", self.source, "--set-state", f"each={each}", "--threads", threads, "--verify"), costs([each * d for d in degree]))
        self.assertEqual(self.values(fees, self.chain, "--source", 0, "--verify"), ["0", "15", "30", "35"])
        text = self.ok(ordo("compare", fees, self.gr, self.chain, "--source", 0, "--repeat", 2, "--warmup", 0, "--threads", 2)).out
        self.assertEqual(len(re.findall(r"(?m)^[ *] \w+ +\w+ .* PASS$", text)), 2 * len(command.general_schedulers()), text)
        self.assertRegex(self.ok(ordo("check-operator", fees)).out, r"(?m)^  one answer in every order +holds$")
        # without ORDO_RELAX_FILL files fill it
        source = pathlib.Path(fees).read_text().replace("#define ORDO_RELAX_FILL fees_fill\n", "")
        file, numbers = self.write("files.c", source), self.path("numbers.txt")
        fee = [v * 7 % 31 for v in range(self.n)]
        pathlib.Path(numbers).write_text("".join(f"{f} \n" for f in fee))
        self.assertEqual(self.values(file, self.gr, "--source", self.source, "--set-state", f"fee=@{numbers}", "--verify"), costs(fee))
        for name, kind, text, right in (("f64", "double", "0.5\n", True), ("i32", "ordo_i32", "-3\n", True), ("u64", "ordo_u64", "10000000000\n", True), ("f32", "ordo_f32", "1e9\n", True),
                                        ("u32", "ordo_u32", "-1\n", False), ("i32", "ordo_i32", "0.5\n", False), ("f64", "double", "x\n", False), ("char", "char", "1\n", None)):
            other = self.write(f"array_{name}.c", source.replace("ordo_u32 *fee", f"{kind} *fee").replace("s->fee[v] =", "s->fee[v] = (ordo_u32)").replace("s->fee[e.head]", "(ordo_u32)s->fee[e.head]"))
            pathlib.Path(numbers).write_text(text * self.n)
            words = ("run", other, self.gr, "--source", self.source, "--set-state", f"fee=@{numbers}")
            if right:
                self.ok(ordo(*words))
            elif right is None:
                self.refused(2, "its elements are not u32, i32, f32, u64, i64 or f64", *words)
            else:
                self.refused(3, rf"numbers.txt: line 1: '{text.strip()}', expected a number of type {name}", *words)
        for count in (self.n - 1, self.n + 1):
            pathlib.Path(numbers).write_text("1\n" * count)
            self.refused(3, f"found {count} lines, expected {self.n} numbers for array 'fee'", "run", file, self.gr, "--source", 0, "--set-state", f"fee=@{numbers}")
        self.refused(3, "No such file", "run", file, self.gr, "--source", 0, "--set-state", "fee=@/none")
        self.refused(2, "'fee=1': an array, expected NAME=@FILE", "run", file, self.gr, "--source", 0, "--set-state", "fee=1")
        self.refused(2, "it lists each, fee", "run", file, self.gr, "--source", 0, "--set-state", "free=1")
        self.refused(2, "array 'fee' is read from a file, which does not fit", "check-operator", file, "--set-state", f"fee=@{numbers}")

    def test_critical(self):
        """A critical operator: under every scheduler and sync, checked by itself; what its list must have."""
        matching = os.path.join(TREE, "tests", "cli", "operators", "matching.c")
        symmetric = ("--symmetrise",)
        both = {(u, v) for u, v, _ in self.edges} | {(v, u) for u, v, _ in self.edges}
        for options in (("--sync", "auto"), ("--scheduler", "lock_server"), ("--scheduler", "topology", "--sync", "owner", "--threads", 3)):
            mate = [int(v) for v in self.values(matching, self.gr, *symmetric, *options, "--verify")]
            self.assertTrue(all(m == 2**32 - 1 or (mate[m] == v and (v, m) in both) for v, m in enumerate(mate)))
            self.assertFalse([e for e in both if e[0] != e[1] and mate[e[0]] == mate[e[1]] == 2**32 - 1])
        file = self.path("matching.jsonl")
        self.ok(ordo("run", matching, self.gr, *symmetric, "--verify", "--json", file))
        with open(file) as f, open(os.path.join(TREE, "docs", "schema.json")) as g:
            record, root = json.loads(f.read()), json.load(g)
        self.assertEqual(check_schema(record, root, root), [])
        self.assertEqual((sorted(record["result"]), record["verified"]), (["max", "min", "sum"], True))
        text = self.ok(ordo("compare", matching, self.gr, *symmetric, "--repeat", 2, "--warmup", 0)).out
        self.assertEqual(len(re.findall(r"(?m)^[ *] \w+ +\w+ .* PASS$", text)), len(command.general_schedulers()), text)
        self.ok(ordo("tune", matching, self.gr, *symmetric, "--for", 0.3, "--scheduler", "delta"))
        source = pathlib.Path(matching).read_text()
        for part in ("ARRAYS", "FILL", "RESULT", "CHECK"):
            changed = re.sub(rf"#define ORDO_CRITICAL_{part}\b(.*\\\n)*.*\n", "", source)
            self.refused(2, "'matching' is a critical operator; expected ORDO_CRITICAL_ARRAYS, _FILL, _RESULT and _CHECK", "run", self.write(f"no_{part}.c", changed), self.gr)
        self.refused(2, "ORDO_CRITICAL_RESULT is no array that it lists", "run", self.write("result.c", source.replace("RESULT mate", "RESULT n")), self.gr)
        # one that begins with every second vertex, and so leaves the others alone; its check says so
        half = source.replace("#define ORDO_CRITICAL_FILL", "#define ORDO_CRITICAL_BEGINS matching_even\n#define ORDO_CRITICAL_FILL")
        half = half.replace("/* The rest is", "ORDO_FN int matching_even(const matching_state *s, ordo_item v) { (void)s; return v % 2 == 0; }\n/* The rest is")
        odd = self.write("odd.wel", "1 3 1\n3 1 1\n0 0 1\n")
        r = ordo("run", self.write("half.c", half), odd, "--verify")
        self.assertEqual(r.returncode, 1)
        self.assertRegex(r.err, r"\Aordo: vertex 1: found 4294967295, expected another one, by the operator's own check\n\Z")

    def test_gather(self):
        """Gather operators: in rounds, and by residual where they allow it; a further round, or the same rounds, verify."""
        katz, majority = (os.path.join(TREE, "tests", "cli", "operators", name) for name in ("katz.c", "majority.c"))
        want = [1.0] * self.n
        for _ in range(200):
            then = [1.0] * self.n
            for u, v, _ in self.edges:
                then[v] += 0.01 * want[u]
            want = then
        for name in command.some_schedulers(0):
            found = self.values(katz, self.gr, "--scheduler", name, "--set-state", "alpha=0.01", "--verify")
            self.assertLess(max(abs(float(a) - b) for a, b in zip(found, want)), 1e-8, name)
        r = ordo("run", katz, self.gr, "--set-state", "alpha=0.01", "--set-state", "rounds=1", "--verify")
        self.assertEqual(r.returncode, 1)
        self.assertRegex(r.err, r"\Aordo: a further round changes cells by \S+, expected at most 1e-09\n\Z")
        label = [v % 7 for v in range(self.n)]
        for _ in range(6):
            votes = [{} for _ in range(self.n)]
            for u, v, _ in self.edges:
                votes[v][label[u]] = votes[v].get(label[u], 0) + 1
            label = [min(d, key=lambda l: (-d[l], l)) if d else old for d, old in zip(votes, label)]
        self.assertEqual([int(v) for v in self.values(majority, self.gr, "--verify")], label)
        self.refused(2, "needs a residual-driven operator; 'majority' is not", "run", majority, self.gr, "--scheduler", "delta")
        self.refused(2, "in-place operator; 'majority' is not", "run", majority, self.gr, "--scheduler", "topology")
        text = self.ok(ordo("compare", katz, self.gr, "--repeat", 2, "--warmup", 0)).out
        self.assertEqual(len(re.findall(r"(?m)^[ *] \w+ +\w+ .* PASS$", text)), len(command.general_schedulers()), text)

    def test_sums(self):
        """Cells that sum: whole numbers, which are the same in any order, and reals, within what the operator says. The answer is an array or the cells."""
        peel, walks = (os.path.join(TREE, "tests", "cli", "operators", name) for name in ("peel.c", "walks.c"))
        both = sorted({(u, v) for u, v, _ in self.edges} | {(v, u) for u, v, _ in self.edges})
        simple = self.write("simple.el", "".join(f"{u} {v}\n" for u, v in both) + f"{self.n - 1} {self.n - 1}\n")
        for k in (3, 6):
            left = [sum(u == v for u, _ in both) + (v == self.n - 1) for v in range(self.n)]
            gone = [0] * self.n
            for _ in range(self.n):
                for v in range(self.n):
                    if not gone[v] and left[v] < k:
                        gone[v] = 1
                        for u, w in both:
                            left[w] -= u == v
            for name in command.some_schedulers(1):
                self.assertEqual([int(v) for v in self.values(peel, simple, "--symmetric", "--scheduler", name, "--threads", 2, "--set-state", f"k={k}", "--verify")], gone, (name, k))
        degree = [sum(u == v for u, _, _ in self.edges) for v in range(self.n)]
        rank, arrives = [0.0] * self.n, [0.15 * (v == self.source) for v in range(self.n)]
        for _ in range(300):
            rank = [a + b for a, b in zip(rank, arrives)]
            then = [0.0] * self.n
            for u, v, _ in self.edges:
                then[v] += 0.85 * arrives[u] / degree[u]
            arrives = then
        for name in command.some_schedulers(2):
            found = [float(v) for v in self.values(walks, self.gr, "--source", self.source, "--scheduler", name, "--verify=both")]
            self.assertLess(sum(abs(a - b) for a, b in zip(found, rank)), self.n * 1e-7 / 0.15, name)
        record = self.path("sum.jsonl")
        self.ok(ordo("run", walks, self.gr, "--source", self.source, "--json", record, "--verify", "--repeat", 2))
        with open(record) as f, open(os.path.join(TREE, "docs", "schema.json")) as g:
            records, root = [json.loads(line) for line in f], json.load(g)
        for r in records:
            self.assertEqual((check_schema(r, root, root), sorted(r["result"]), r["verified"]), ([], ["max", "min", "sum"], True))
        text = self.ok(ordo("compare", walks, self.gr, "--source", self.source, "--repeat", 2, "--warmup", 0)).out
        self.assertEqual(len(re.findall(r"(?m)^[ *] \w+ +\w+ .* PASS$", text)), len(command.general_schedulers()), text)
        r = ordo("run", peel, self.gr)
        self.assertEqual((r.returncode, r.err), (3, "ordo: operator 'peel' needs both directions of every edge, and the graph is not known to have them (--symmetric checks, --symmetrise makes it so)\n"))
        numpy = self.path("gone.npy")
        self.ok(ordo("run", peel, simple, "--symmetric", "--set-state", "k=6", "-o", numpy, "--quiet"))
        self.assertEqual(read_npy(numpy), ("<u4", gone))
        # the cells are the answer without an array, and answers may not be further apart than the operator says
        source = pathlib.Path(peel).read_text()
        cells = self.values(self.write("cells.c", source.replace("#define ORDO_RELAX_RESULT gone\n", "")), simple, "--symmetric", "--set-state", "k=6")  # how far below 0 depends on the order
        self.assertEqual([int(v) < 0 for v in cells], [g == 1 for g in gone])
        strict = self.write("strict.c", pathlib.Path(walks).read_text().replace("return (double)graph->n * s->least / (1 - s->damping);", "(void)s; (void)graph; return 0;"))
        failed = [ordo("run", strict, self.gr, "--source", self.source, "--scheduler", name, "--verify") for name in command.some_schedulers(3)]
        self.assertIn(1, [r.returncode for r in failed])
        for r in failed:
            self.assertRegex(r.err, r"\A(ordo: vertex \d+: found \S+, expected \S+\n)?\Z")

    def test_sums_wrong(self):
        """A run that records something else than the definition says; a result that is no array of the state's; no beginning."""
        source = pathlib.Path(os.path.join(TREE, "tests", "cli", "operators", "peel.c")).read_text()
        lie = source.replace("    (void)left;\n", "    (void)left;\n#ifdef ORDO_RUN_TIME_SCHEDULER\n    if (v % 3 == 0)\n        return 0;\n#endif\n")
        r = ordo("run", self.write("lie_sum.c", lie), self.gr, "--symmetrise", "--verify")
        self.assertEqual(r.returncode, 1)
        self.assertRegex(r.err, r"\Aordo: vertex \d+: found \d+, expected \d+\n\Z")
        self.refused(2, "ORDO_RELAX_RESULT is no array that it lists", "run", self.write("no_result.c", source.replace("RESULT gone", "RESULT row").replace(" X(row, ROW, 1)", "")), self.gr)
        self.refused(2, "does not say what its cells begin with", "run", self.write("no_begin.c", re.sub(r"#define ORDO_RELAX_BEGIN.*\n", "", source)), self.gr)
        short = source.replace("X(gone, ITEM, 1, WRITE)", "X(gone, RUN, 1, WRITE)").replace("ordo_store_u32(&s->gone[v], 1)", "(void)s; (void)v")
        self.refused(2, "its result 'gone' has 4 bytes, expected one of 4 for each vertex", "run", self.write("short.c", short), self.gr, "--symmetrise")

    def test_own_targets(self):
        """Candidates for other cells than the heads of edges; a target that is no cell."""
        lightest = os.path.join(TREE, "tests", "cli", "operators", "lightest.c")
        best = [2**64 - 1] * self.n
        for u, v, w in self.edges:
            if u // 4 != v // 4:
                best[u // 4] = min(best[u // 4], w << 32 | v)
        for name in command.some_schedulers(4):
            found = [2**64 - 1 if v == "inf" else int(v) for v in self.values(lightest, self.gr, "--scheduler", name, "--threads", 2, "--verify")]
            self.assertEqual(found, best, name)
        far = pathlib.Path(lightest).read_text().replace("return s->size ? v / s->size : v;", "return v * s->size;")
        r = ordo("run", self.write("far.c", far), self.gr)
        self.assertEqual(r.returncode, 3)
        self.assertRegex(r.err, rf"\Aordo: operator 'lightest': edge \d+ -> \d+ has target \d+, expected less than {self.n}\n\Z")
        lie = pathlib.Path(lightest).read_text().replace("{\n    (void)unread;", "{\n    (void)unread;\n#ifdef ORDO_RUN_TIME_SCHEDULER\n    if (e.id == 30)\n        return 1;\n#endif")
        r = ordo("run", self.write("lie_target.c", lie), self.gr, "--verify", "--threads", 1)
        self.assertEqual(r.returncode, 1)
        self.assertRegex(r.err, r"\Aordo: vertex \d+: found \d+, expected \d+\n\Z")

    def test_structs(self):
        """Cells of 16 bytes: the shortest paths, of these the fewest edges, and the vertex before the last one."""
        nearest = os.path.join(TREE, "tests", "cli", "operators", "nearest.c")
        want = [(INF, 0, 0)] * self.n
        want[self.source] = (0, 0, 0)
        for _ in range(self.n):
            for u, v, w in self.edges:
                if want[u][0] != INF:
                    want[v] = min(want[v], (want[u][0] + w, want[u][1] + 1, u))
        text = ["inf" if c[0] == INF else ",".join(map(str, c)) for c in want]
        for name in command.some_schedulers(5):
            self.assertEqual(self.values(nearest, self.gr, "--source", self.source, "--scheduler", name, "--threads", 2, "--verify"), text, name)
        # as on a processor that has no compare-and-swap of 16 bytes
        without = self.write("without.c", "#define ORDO_NO_SWAP16\n" + pathlib.Path(nearest).read_text())
        for options, sync in ((("--scheduler", "delta"), "lock"), (("--scheduler", "lock_server"), "server"), (("--scheduler", "topology"), "lock"), (("--sync", "auto"), r"\w+")):
            r = self.ok(ordo("run", without, self.gr, "--source", self.source, "--threads", 3, "--verify", *options))
            self.assertRegex(r.out, rf"(?m)^Scheduler: +\w+, sync {sync}, cpu, 3 threads")
        for options in (("--scheduler", "delta", "--sync", "atomic"), ("--scheduler", "topology", "--sync", "racy")):
            self.refused(2, f"operator 'nearest' has cells of 16 bytes, and this processor no compare-and-swap of 16 bytes, which sync '{options[-1]}' needs: expected lock or server",
                         "run", without, self.gr, "--source", self.source, *options)
        out = self.path("nearest.npy")
        shown = self.ok(ordo("run", nearest, self.gr, "--source", self.source, "-o", out)).out
        self.assertIn(f"reached {sum(c[0] != INF for c in want)}", shown)
        self.assertIn(b"'|V16'", pathlib.Path(out).read_bytes()[:128])
        source = pathlib.Path(nearest).read_text()
        self.refused(2, "cells of a struct, and nothing that prints them; expected ORDO_RELAX_PRINT", "run",
                     self.write("silent.c", source.replace("#define ORDO_RELAX_PRINT nearest_print\n", "")), self.gr)
        lie = source.replace("    cell.edges++;", "    cell.edges++;\n#ifdef ORDO_RUN_TIME_SCHEDULER\n    cell.edges += e.head % 4 == 0;\n#endif")
        self.assertEqual(ordo("run", self.write("lie_struct.c", lie), self.gr, "--source", self.source, "--verify").returncode, 1)

    def test_messages(self):
        """What the compiler says comes first, and is about the user's file; then one line."""
        for name, text, line, why in (("a.c", text_of().replace("e.weight", "e.wait"), 3, "wait"),
                                      ("b.c", text_of(CANDIDATE="candidat"), 11, "candidat")):
            file = self.write(name, text)
            r = ordo("run", file, self.gr, "--source", 0)
            self.assertEqual((r.returncode, r.out), (3, ""))
            lines = r.err.splitlines()
            self.assertTrue(lines[0].startswith(f"{file}:{line}:"), r.err)
            self.assertIn(why, lines[0])
            self.assertRegex(lines[-1], rf"\Aordo: {re.escape(file)}: \S+ cannot compile it\Z")
        self.assertEqual([n for n in self.objects() if not n.endswith(".so")], [])

    def test_kept(self):
        """An object is used again, until anything that it is made from changes; a damaged one is made again."""
        header = self.write("cost.h", "#define COST 1\n")
        file = self.write("hops.c", text_of('#include "cost.h"\n' + PLUS.replace("e.weight", "COST")))
        run = ("run", file, self.chain, "--source", 0, "-o", self.path("hops.txt"), "--quiet", "--scheduler", "topology")
        before = set(self.objects()) if os.path.isdir(self.cache) else set()
        hops = lambda: (self.ok(ordo(*run)), pathlib.Path(self.path("hops.txt")).read_text().split())[1]
        self.assertEqual(hops(), ["0", "1", "2", "3"])
        first = set(self.objects()) - before
        self.assertEqual(len(first), 2)  # what describes it, and the instance
        self.assertEqual(hops(), ["0", "1", "2", "3"])
        self.assertEqual(set(self.objects()) - before, first)
        self.write("cost.h", "#define COST 2\n")
        self.assertEqual(hops(), ["0", "2", "4", "6"])
        self.assertEqual(len(set(self.objects()) - before), 4)
        self.write("cost.h", "#define COST 1\n")
        for name in first:
            path = os.path.join(self.cache, "operators", name)
            self.assertEqual(os.stat(os.path.dirname(path)).st_mode & 0o777, 0o700)
            os.truncate(path, 100 if name == min(first) else os.path.getsize(path) // 2)
        self.assertEqual(hops(), ["0", "1", "2", "3"])
        # another interface, in a file that loads
        other = self.write("other.c", "const unsigned ordo_run_time_entry[64] = {99};\n")
        for name in first:
            os.unlink(os.path.join(self.cache, "operators", name))
            subprocess.run(["cc", "-shared", "-fPIC", other, "-o", os.path.join(self.cache, "operators", name)], check=True)
        self.refused(3, "compiled for another version of Ordo: found interface 99, expected 7", *run)

    def test_folder(self):
        """A folder that others can use is refused; where none can be made, nothing is kept."""
        open_one = self.path("open")
        os.makedirs(os.path.join(open_one, "operators"))
        os.chmod(os.path.join(open_one, "operators"), 0o770)
        environment = {**os.environ, "ORDO_CACHE": open_one}
        self.refused(3, "expected a folder of yours with mode 0700", "run", TOLLS, self.gr, env=environment)
        temporary = self.path("temporary")
        os.mkdir(temporary)
        environment = {**os.environ, "ORDO_CACHE": "/dev/null/none", "TMPDIR": temporary}
        self.ok(ordo("run", TOLLS, self.gr, "--verify", env=environment))
        self.assertEqual(os.listdir(temporary), [])
        for cc, why in (("no-such-compiler", "CC is 'no-such-compiler', which does not run"), ("false", "CC is 'false'")):
            self.refused(3, why, "run", TOLLS, self.gr, env={**os.environ, "CC": cc})
        self.refused(3, "no C compiler found", "run", TOLLS, self.gr, env={**os.environ, "CC": "", "PATH": "/nowhere"})

    def test_pruned(self):
        """Beyond a size those that were not used for longest go; several processes at once each get what they need."""
        folder = os.path.join(self.path("pruned"), "operators")
        os.makedirs(folder, mode=0o700)
        os.chmod(folder, 0o700)
        environment = {**os.environ, "ORDO_CACHE": os.path.dirname(folder), "ORDO_CACHE_SIZE": "2"}
        words = ("run", TOLLS, self.gr, "--source", self.source, "--verify", "--quiet")
        for i in range(5):  # 415 kB each, used one after the other, long ago; one that is left of a process that was killed
            path = os.path.join(folder, f"{i:032}.so" if i else "killed.tmp.1")
            with open(path, "wb") as f:
                f.truncate(415000)
            os.utime(path, (1000 + i, 1000 + i))
        self.ok(ordo(*words, env=environment))  # two small ones more
        old = [f"{i:032}.so" for i in range(1, 5)]
        mine = sorted(set(os.listdir(folder)) - set(old))
        self.assertLess(set(old), set(os.listdir(folder)))
        self.assertEqual([len(mine), "killed.tmp.1" in mine], [2, False])
        for name in mine:
            os.utime(os.path.join(folder, name), (1, 1))
        self.ok(ordo(*words, env=environment))
        self.assertTrue(all(os.stat(os.path.join(folder, name)).st_mtime > 1e9 for name in mine))  # used now
        with open(os.path.join(folder, "large.so"), "wb") as f:
            f.truncate(1 << 22)
        os.utime(os.path.join(folder, "large.so"), (9999, 9999))
        self.ok(ordo(*words, "--scheduler", "bsp", env=environment))
        self.assertEqual(len(os.listdir(folder)), 3)  # what is old is gone, and what was used now stays
        environment["ORDO_CACHE_SIZE"] = "0"
        several = [subprocess.Popen([command.ORDO, *map(str, words), "--scheduler", s], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                   for s in command.general_schedulers() for _ in range(2)]
        for process in several:
            self.assertEqual((process.communicate(timeout=120)[1], process.returncode), (b"", 0))

    @unittest.skipUnless(shutil.which("clang"), "no clang")
    def test_another_compiler(self):
        """It takes the framework's and every scheduler's code."""
        self.ok(ordo("compare", TOLLS, self.gr, "--repeat", 1, env={**os.environ, "CC": command.quick_compiler(self.path("."), "clang")}))

    def test_refused(self):
        """Before anything runs, in a line."""
        none = "ORDO_FN ordo_u32 nothing(const ordo_no_state *s, ordo_item v, ordo_u32 c) { (void)s; (void)v; return c; }\n"
        level = "ORDO_FN ordo_u32 level(const ordo_no_state *s, ordo_u32 c) { (void)s; return c; }\n"
        kinds = (
            ("sums.c", text_of(PLUS + none + level, ORDER="ORDO_SUM", LEVEL="level", TAKE="nothing"), "does not say what its cells begin with"),
            ("arrays.c", text_of("typedef struct many { ordo_u32 *of; } many;\n" + PLUS.replace("ordo_no_state", "many"), STATE="many",
                                 **{"ARRAYS(X)": "X(of, ITEM, 1)"}), "nothing fills array 'of' of the state; expected ORDO_RELAX_FILL, or --set-state of=@FILE"),
            ("order.c", text_of(PLUS + "ORDO_FN int better(ordo_u32 a, ordo_u32 b) { return a < b; }\nORDO_FN ordo_u32 worst(void) { return 9; }\n",
                                ORDER="ORDO_BY_COMPARATOR", BETTER="better", WORST="worst"), "does not say what its cells begin with"),
            ("empty.c", "int x;\n", "it declares no operator"),
            ("critical.c", f'#include "{TREE}/operators/bank.h"\n', "is a critical operator"),
        )
        for name, text, why in kinds:
            self.refused(3 if name == "empty.c" else 2, why, "run", self.write(name, text), self.gr)
        for status, why, words in ((2, "run needs an operator's file", ()), (2, "no graph given", (TOLLS,)), (2, "2 graphs given", (TOLLS, self.gr, self.gr)),
                                   (3, "No such file", ("./none.c", self.gr)), (3, "expected a file of C", (TREE, self.gr)),
                                   (2, "did you mean 'delta'", (TOLLS, self.gr, "--scheduler", "dleta")), (2, "does not offer sync", (TOLLS, self.gr, "--sync", "server")),
                                   (2, "no such number to set; it lists rate, toll", (TOLLS, self.gr, "--set-state", "tol=1")),
                                   (2, "expected NAME=VALUE", (TOLLS, self.gr, "--set-state", "toll")),
                                   (2, "expected a number of type u32", (TOLLS, self.gr, "--set-state", "toll=4294967296")),
                                   (2, "expected a number of type u32", (TOLLS, self.gr, "--set-state", "toll=")),
                                   (2, "tolls gives no paths, so it takes no --tree", (TOLLS, self.gr, "--tree", "x"))):
            self.refused(status, why, "run", *words)
        self.refused(2, "sssp has no state to set", "sssp", self.gr, "--set-state", "a=1")

    def test_wrong_answers(self):
        """An operator that depends on ids of edges and says that it does not: pulling uses others. And a check of the operator's own."""
        edge = PLUS.replace("e.weight", "(ordo_u32)(e.id % 7)")
        check = ("static ordo_vid check(const ordo_no_state *s, const ordo_csr *g, ordo_vid source, const ordo_u32 *cells)\n"
                 "{ (void)s; return cells[source] == 0 && g->n == 60 ? 5 : ORDO_NO_VERTEX; }\n")
        file = self.write("edge.c", text_of(edge + check, CHECK="check"))
        pull = ("--scheduler", "topology", "--set", "direction=pull")
        for verify, options, why in (("certificate", pull, "expected"), ("serial", pull, "expected"), ("both", (), "vertex 5: .*by the operator's own check")):
            r = ordo("run", file, self.gr, "--source", self.source, f"--verify={verify}", *options)
            self.assertEqual(r.returncode, 1, r.err)
            self.assertRegex(r.out, r"Verification: +FAIL")
            self.assertRegex(r.err, rf"\Aordo: vertex \d+: found .*{why}|{why}")


    def test_certificate(self):
        """Cells that support each other in a cycle: the first edge of a run lies, in the run and again in the check of edges."""
        lie = PLUS.replace("{ (void)s; return ordo_add_sat_u32(d, e.weight); }",
                           "{ static int calls; (void)s; (void)e; return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) ? d : 1; }")
        lie += "ORDO_FN ordo_u32 source(const ordo_no_state *s) { (void)s; return 9; }\n"
        file, cycle = self.write("lie.c", text_of(lie, SOURCE="source")), self.write("cycle.wel", "0 1 1\n1 2 1\n2 1 1\n")
        r = ordo("run", file, cycle, "--source", 0, "--verify=certificate", "--threads", 1)
        self.assertEqual(r.returncode, 1, r.err)
        self.assertRegex(r.err, r"\Aordo: vertex 1: found 1, expected what the edges of a path propose\n\Z")


@needs("check-operator")
class Check(Files):
    """Operators that lie, and the smallest case that shows it. No text of a case is given by hand but for its numbers."""
    FEW = "(ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE)"

    def lies(self, name, property, why, functions, **parts):
        file = self.write(name + ".c", text_of(functions, **parts))
        r = self.refused(1, rf"operator 'mine' is not what it declares, {property}: {why}", "check-operator", file)
        self.assertRegex(r.out, rf"(?m)^  {property} +FAILS: {why}")
        quiet = self.refused(1, why, "check-operator", file, "--quiet", "--trials", 3000, "--seed", 5)
        self.assertEqual(quiet.out, "")

    def candidate(self, expression):
        return PLUS.replace("ordo_add_sat_u32(d, e.weight)", expression)

    def test_truth(self):
        text = self.ok(ordo("check-operator", TOLLS, "--set-state", "toll=7")).out
        for property in ("order", "monotone", "idempotent", "associative", "edge-blind", "one answer in every order"):
            self.assertRegex(text, rf"(?m)^  {property} +holds$")
        self.assertNotIn("uniform", text)
        hops = text_of(self.candidate("ordo_add_sat_u32(d, 1) + 0 * e.weight"), PROPERTIES="(ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_UNIFORM)",
                       WEIGHT="none").replace("ordo_edge_u32", "ordo_edge_none").replace(" + 0 * e.weight", "").replace("(void)s;", "(void)s; (void)e;")
        text = self.ok(ordo("check-operator", self.write("hops.c", hops))).out
        self.assertRegex(text, r"(?m)^  uniform +holds$")
        self.assertRegex(text, r"(?m)^  edge-blind +holds, and is not declared$")

    def test_monotone(self):
        self.lies("drop", "monotone", "edge 0 -> 0 of weight 0: from cell 0 it proposes 9, and from 1, which is worse, the better 2",
                  self.candidate("d < 1 ? 9 : ordo_add_sat_u32(d, e.weight + 1)"))
        # sums that wrap: from the next to largest value and a weight of 2 or more
        self.lies("wraps", "monotone", r"edge 0 -> 0 of weight \d+: from cell 0 it proposes \d+, and from 42949672\d\d, which is worse, the better 0",
                  self.candidate("d + e.weight"))

    def test_idempotent_and_edge_blind(self):
        self.lies("counts", "idempotent", r"edge 0 -> 0 of weight 0: from cell 0 it proposes \d+, and then \d+",
                  "static ordo_u32 calls;\n" + self.candidate("d + e.weight % 8 + ++calls % 5"), PROPERTIES="(ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE)")
        self.lies("edges", "edge-blind", "edge 0 -> 0 of weight 0: from cell 0 it proposes 0 with edge id 0, and 1 with 1",
                  self.candidate("ordo_add_sat_u32(d, (ordo_u32)(e.id % 7))"))

    def test_by_weight(self):
        by_weight = {"PROPERTIES": self.FEW[:-1] + " | ORDO_BY_WEIGHT)"}
        self.ok(ordo("check-operator", self.write("fit.c", text_of(PLUS, **by_weight))))
        self.lies("heavy", "by-weight", r"edge \d -> \d of weight \d+: from cell \d+ it proposes \d+, and edge \d -> \d of weight \d+ proposes \d+",
                  self.candidate("ordo_add_sat_u32(d, 20 - e.weight % 16)"), **by_weight)
        self.lies("ends", "by-weight", r"edge \d -> \d of weight (\d+): from cell \d+ it proposes \d+, and edge \d -> \d of weight \1 proposes \d+",
                  self.candidate("ordo_add_sat_u32(d, e.weight + e.head)"), **by_weight)
        self.lies("less", "by-weight", r"edge \d -> \d of weight \d+: from cell (\d+) it proposes the better \d+", self.candidate("e.weight > d ? d : e.weight"), **by_weight)

    def test_order_and_associative(self):
        order = "ORDO_FN int better(ordo_u32 a, ordo_u32 b) {{ return {0}; }}\nORDO_FN ordo_u32 worst(void) {{ return 0xffffffffu; }}\n"
        order += "ORDO_FN ordo_u32 source(const ordo_no_state *s) {{ (void)s; return 0; }}\n"
        parts = {"ORDER": "ORDO_BY_COMPARATOR", "BETTER": "better", "WORST": "worst", "SOURCE": "source"}
        self.lies("pairs", "associative", "neither of 0 and 1 is better|neither of 1 and 0 is better", PLUS + order.format("a / 2 < b / 2"), **parts)
        self.lies("equal", "order", "0 is better than itself", PLUS + order.format("a <= b"), **parts)

    def test_runs(self):
        self.lies("levels", "uniform", "vertex 1 gets 1 and 0 in superstep 0; edges of 2 vertices: 0 -> 1 of weight [01], 0 -> 1 of weight [01]$",
                  PLUS, PROPERTIES=self.FEW[:-1] + " | ORDO_UNIFORM)")
        self.lies("grows", "one answer in every order", "a run has not ended after 4096 steps; edges of 1 vertices: 0 -> 0 of weight 0",
                  self.candidate("ordo_add_sat_u32(d, e.weight + 1)") + "ORDO_FN ordo_u32 source(const ordo_no_state *s) { (void)s; return 1; }\n", ORDER="ORDO_MAX", SOURCE="source")
        final = "ORDO_FN int final(const ordo_no_state *s, ordo_item v, ordo_u32 c) { (void)s; (void)v; return c < 9; }\n"
        self.lies("final", "final", r"vertex [12]: \d+ is said to be final, and improves to \d+ in superstep [12]; edges of [23] vertices", PLUS + final,
                  FINAL="final", PROPERTIES=self.FEW[:-1] + " | ORDO_EDGE_BLIND)")

    def wrong(self, name, replaced, property, why, *options):
        """A file of tests/cli/operators with a mistake."""
        text = pathlib.Path(TREE, "tests", "cli", "operators", name).read_text()
        for old, new in replaced:
            self.assertIn(old, text)
            text = text.replace(old, new)
        file = self.write("wrong_" + name, text)
        r = self.refused(1, rf"is not what it declares, {property}: {why}", "check-operator", file, *options)
        self.assertRegex(r.out, rf"(?m)^  {property} +FAILS: {why}")

    def test_other_kinds(self):
        """Sums, structs, targets of the operator's own and gather operators that are what they declare."""
        for name, property in (("walks.c", "spent"), ("nearest.c", "order"), ("lightest.c", "targets"), ("katz.c", "in place"), ("majority.c", "same value again")):
            text = self.ok(ordo("check-operator", os.path.join(TREE, "tests", "cli", "operators", name))).out
            self.assertRegex(text, rf"(?m)^  {property} +holds$")
            self.assertNotIn("FAILS", text)

    def test_sums(self):
        peel = os.path.join(TREE, "tests", "cli", "operators", "peel.c")
        self.ok(ordo("check-operator", peel))
        directed = self.write("directed.c", pathlib.Path(peel).read_text().replace(" | ORDO_BOTH_DIRECTIONS", ""))
        self.ok(ordo("check-operator", directed, "--symmetrise"))
        self.refused(1, "monotone: edge 0 -> 1: it adds -1 to cell 0, of level 1, which makes -1, of level 0; edges of 2 vertices: 0 -> 1; state k=", "check-operator", directed)
        symmetric = "--symmetrise"
        self.wrong("peel.c", [("{\n    return -1;\n}", "{\n    return 0;\n}")], "spent", r"vertex 0: a take from cell \d+ leaves 0, of level 1, expected level 0", symmetric)
        self.wrong("peel.c", [("    return -1;\n}\n\nORDO_FN ordo_i32 peel_spent", "    static ordo_i32 calls;\n    return -(++calls % 2);\n}\n\nORDO_FN ordo_i32 peel_spent")],
                   "idempotent", r"edge \d -> \d: of 0 taken it adds -?\d, and asked again -?\d", symmetric)
        self.wrong("walks.c", [("    return share;", "    return share / (double)(1 + e.id % 2);")], "edge-blind", r"edge \d -> \d: of \S+ taken it adds \S+, and with another edge id \S+;")
        self.wrong("walks.c", [("    return share;", "    return share * 1e308 * 1e308;")], "associative", r"cell \S+: addends (inf|nan) and \S+ make sums that are apart by more than rounding")
        self.wrong("walks.c", [("(double)graph->n * s->least / (1 - s->damping)", "0"), ("0.85,", "0.5,"), ("1e-7,", "1e-2,")], "one answer in every order",
                   r"vertex \d ends with \S+ in one order of work and \S+ in another")

    def test_structs(self):
        self.wrong("nearest.c", [("a.edges < b.edges : a.before < b.before", "a.edges <= b.edges : a.before <= b.before")], "order", r"\d+,\d+,\d+ is better than itself|inf is better than itself")
        self.wrong("nearest.c", [("a.before < b.before", "0")], "associative", r"neither of \d+,\d+,\d+ and \d+,\d+,\d+ is better, so a cell keeps whichever is first",
                   "--trials", 50000)
        self.wrong("nearest.c", [("    cell.length += e.weight;", "    cell.length = cell.edges ? e.weight : e.weight + 9u;")], "monotone",
                   r"edge \d -> \d of weight \d+: from cell \d+,\d+,\d+ it proposes \d+,\d+,\d+, and from \d+,\d+,\d+, which is worse, the better \d+,\d+,\d+")
        self.wrong("nearest.c", [("cell.before = e.tail", "cell.before = (ordo_u32)e.id")], "edge-blind", "edge 0 -> 0 of weight 0: from cell 0,0,0 it proposes 0,1,0 with edge id 0, and 0,1,1 with 1")
        self.wrong("nearest.c", [("    if (!nearest_better(cell, nearest_worst()))\n        return cell;\n", "")], "worst value", "edge .*: from the worst value, inf, it proposes the better")

    def test_targets(self):
        self.wrong("lightest.c", [("return lightest_group(s, e.tail);", "return e.tail + 1;")], "targets", r"edge 0 -> 0 of weight 0: its target is 1, of 1 cells")
        self.wrong("lightest.c", [("return lightest_group(s, e.tail);", "static ordo_u32 calls;\n    return s ? ++calls % 2 * lightest_group(s, e.tail) : 0;")], "targets",
                   r"edge [1-4] -> \d of weight \d+: its target is \d, and then \d")
        self.wrong("lightest.c", [("(void)unread;", ""), ("<< 32 | e.head", "<< 32 | (unread & 1)")], "reads no cell",
                   r"edge \d -> \d of weight \d+: it proposes \d+ beside cell \d+, and \d+ beside \d+; with ORDO_RELAX_TARGET no cell is to be read")
        self.wrong("lightest.c", [("return lightest_group(s, e.tail);", "return (ordo_u32)(e.id & e.tail & 1);")], "edge-blind", r"edge \d -> \d of weight \d+: its target is 0 with edge id 0, and 1 with \d")

    def test_gathers(self):
        self.wrong("katz.c", [("    return 1 + sum;", "    static int calls;\n    return 1 + sum + ++calls % 3;")], "same value again", "vertex 0: its neighbours' cells make [23] of it, and then [123]; edges of 1 vertices")
        self.wrong("katz.c", [("__builtin_fabs(now - old)", "now - old"), ("return 1 + sum", "return sum - 1")], "change", r"vertex 0: from 0 to -1 the change is -1, expected at least 0; edges of 1 vertices: ; state")
        self.wrong("katz.c", [("__builtin_fabs(now - old)", "__builtin_fabs(now - old) + 1")], "change", r"vertex 0: nothing changes beside cell 0, and the change is 1, expected 0")
        edge = "ORDO_FN double katz_edge(const katz_state *s, double share, ordo_edge_none e) { (void)s; return share * (double)(e.id + 1); }\n#define ORDO_GATHER_EDGE katz_edge\n#define ORDO_GATHER katz\n"
        self.wrong("katz.c", [("#define ORDO_GATHER katz\n", edge)], "any order of neighbours", r"vertex \d: its neighbours' cells make \S+ of it, and in another order of neighbours \S+; edges of \d vertices")
        self.wrong("majority.c", [("#define ORDO_GATHER_PROPERTIES 0", "#define ORDO_GATHER_PROPERTIES ORDO_IN_PLACE")], "in place", r"vertex \d: it ends with \d by rounds, and with \d in place")

    def test_refused(self):
        self.refused(2, "needs one operator's file, found 0", "check-operator")
        self.refused(3, "No such file", "check-operator", "./none.c")
        divides = self.write("divides.c", text_of(self.candidate("d / (e.weight % 3)")))
        self.refused(1, r"divides.c: the operator divides by zero, found by a case for: monotone", "check-operator", divides)
        self.refused(2, "--trials '0'", "check-operator", TOLLS, "--trials", 0)


@needs("check-operator")
class CheckCritical(Files):
    """Critical operators: those of the tree are what they declare, and lies about it are found. Each lie is one of these with a few words changed, in
    operators/NAME.h or in tests/cli/critical/NAME.c, which fills its state."""
    ALWAYS = ["writes its own words", "requests", "activations", "right in every order", "idempotent", "bucket width"]
    PARTS = {"bank": ["words of requests", "rebuilt requests", "still valid", "owned arrays", "lock bit", "halves"],
             "hash_table": ["rebuilt requests", "still valid", "owned arrays", "lock bit", "combined requests"],
             "sgd": ["words of requests", "still valid"], "dining": ["words of requests", "still valid"], "matching": ["words of requests"],
             "colour": ["words of requests"], "discharge": []}
    OPEN = "    return ordo_load_u32(&s->outcome[i]) == BANK_OPEN;"
    PAYS = "    (void)out;\n    if (covered)"

    def test_truth(self):
        folder = os.path.join(TREE, "tests", "cli")
        for name, parts in self.PARTS.items():
            options = (*(("--symmetrise",) if name == "colour" else ()), *(("--trials", 200) if command.QUICK else ()))
            text = self.ok(ordo("check-operator", os.path.join(folder, "critical", name + ".c"), *options)).out
            self.assertEqual(sorted(re.findall(r"(?m)^  (\w[\w ]*\w) +holds$", text)), sorted(self.ALWAYS + parts), text)
        text = self.ok(ordo("check-operator", os.path.join(folder, "operators", "matching.c"), "--device", "cpu")).out
        for line in ("bsp, owner", "bsp, lock", "lock_server, server"):
            self.assertRegex(text, rf"(?m)^  answer under {line} +holds$")

    def lie(self, name, replaced, property, why, *options):
        header = pathlib.Path(TREE, "operators", name + ".h").read_text()
        file = pathlib.Path(TREE, "tests", "cli", "critical", name + ".c").read_text().replace("../../../operators/", "lie_")
        for old, new in replaced:
            self.assertTrue(old in header or old in file, old)
            header, file = header.replace(old, new), file.replace(old, new)
        self.write(f"lie_{name}.h", header)
        r = ordo("check-operator", self.write(f"lie_{name}.c", file), "--trials", 500, *options)
        self.assertEqual(r.returncode, 1, r.out + r.err)
        self.assertRegex(r.out, rf"(?m)^  {property} +FAILS: {why}")

    def test_requests(self):
        for count in ("2 * (ordo_load_u32(&s->outcome[i]) == BANK_OPEN)", "ordo_load_u32(&s->outcome[i]) == BANK_OPEN"):  # more, or hidden
            self.lie("bank", [(self.OPEN, f"    out[1] = out[0];\n    return {count};")], "requests", r"item 0: prepare writes 2 requests, and ORDO_CRITICAL_REQUESTS is 1; 0 asks; edges of 1 vertices")
        self.lie("hash_table", [("ordo_request_one(s->bucket[i], i, i)", "ordo_request_two(s->bucket[i], i, i, i)")], "requests", "item 0: a request has 2 targets, and ORDO_CRITICAL_TARGETS is 1")
        self.lie("bank", [("s->transfer[i].to,", "s->transfer[i].to + 1,")], "requests", "item 0: a request has target 1, of 1;")
        self.lie("bank", [("s->transfer[i].amount, 0);", "s->transfer[i].amount | 1ull << 32, 0);")], "requests", "item 0: word 0 of a request is 429496729[789], and ORDO_CRITICAL_WORD_BITS is 32")
        self.lie("dining", [("out[0] = ordo_request_start(0, 0);", "out[0] = ordo_request_start(0, 0);\n    if (i == 1)\n        return 1;")], "requests", "item 1: a request has no target")

    def test_activations(self):
        self.lie("bank", [(self.PAYS, "    out[0].item = out[0].priority = 0;\n    if (covered)")], "activations", "item 0: its section writes 1 activations, and ORDO_CRITICAL_ACTIVATIONS is 0")
        self.lie("dining", [("out[0].item = r->item;", "out[0].item = r->item + 1;")], "activations", "item 1: its section activates item 2, of 2")

    def test_writes(self):
        """What breaks locks and owners: a word that is not of the targets, or of another item, READ, or of nobody."""
        own = "writes its own words"
        self.lie("matching", [("    out[0] = ordo_request_two", "    if (s->edge[e.tail] == MATCHING_NONE)\n        s->edge[e.tail] = 7;\n    out[0] = ordo_request_two")],
                 own, r"item 0: prepare, which owns nothing, writes edge\[0\], a word of target 0")
        self.lie("matching", [("        ordo_store_u32(b, r->item);", "        ordo_store_u32(b, r->item);\n        s->edge[0] = r->item;")],
                 own, r"item 0: its section, which owns targets [12] and [12], writes edge\[0\], a word of target 0; 0 asks, section of 0; edges of 3 vertices: \d -> \d\n")
        self.lie("colour", [("    ordo_store_u32(&s->awaited[v], COLOUR_NONE);", "    ordo_store_u32(&s->awaited[s->edges.vertices], 3);")], own,
                 r"item \d: its section, which owns target \d, writes awaited\[2\], behind its end; .* of 2 vertices", "--symmetrise")
        self.lie("bank", [(self.PAYS, "    ((bank_transfer *)(size_t)s->transfer)[r->item].amount = 0;\n" + self.PAYS)], own, r"item 0: its section, .*, writes transfer\[0\], which is listed as READ")
        self.lie("bank", [(self.PAYS, "    s->outcome[r->target[1]] = BANK_PAID;\n" + self.PAYS)], own, r"item 0: its section, which owns targets 0 and 1, writes outcome\[1\], a word of item 1")
        self.lie("sgd", [("    ordo_store_u32(&s->done[r->item], s->epoch);", "    ordo_store_u32(&s->done[r->item], s->epoch);\n    ((sgd_state *)(size_t)s)->mean += 1;")], own,
                 "item 0: its section, .*, writes a member of the state itself")
        self.lie("hash_table", [("    a->word[0] = b->word[0];\n    return 1;", "    a->word[0] = b->word[0];\n    s->head[a->target[0]] = HASH_TABLE_END;\n    return 1;")], "combined requests",
                 r"item \d: combining its request writes head\[0\], a word of target 0")
        self.lie("bank", [("    if (*more)\n        *from -= r->word[0];", "    if (*more) {\n        *from -= r->word[0];\n        s->balance[r->target[1]] += r->word[0];\n    }"),
                          ("    s->balance[r->target[1]] += r->word[0];\n    return 0;", "    return 0;")], "halves", r"item \d: the first half, which owns target \d, writes balance\[\d\], a word of target \d")

    def test_depends(self):
        """On words that are not sent, on what is owned, on where it is."""
        self.lie("bank", [("#define ORDO_CRITICAL_WORDS 1\n", "#define ORDO_CRITICAL_WORDS 0\n")], "words of requests", "item 0: its section leaves something else in .*, if a word of its request differs that ORDO_CRITICAL_WORDS does not count")
        amount = "    r->word[0] = s->transfer[r->item].amount"
        self.lie("bank", [(amount, amount + " + 1")], "rebuilt requests", "item 0: word 0 of its request is 1, and rebuilt 2")
        self.lie("bank", [(amount, amount + " + (s->balance[r->item] > 3)"), ("s->transfer[i].amount, 0)", "s->transfer[i].amount + (s->balance[i] > 3), 0)")], "rebuilt requests", r"item \d: word 0 of its request is \d, and rebuilt later \d")
        self.lie("bank", [("    return s->outcome[r->item] == BANK_OPEN;", "    return s->outcome[r->item] == BANK_OPEN && s->balance[r->target[0]] >= r->word[0];")], "still valid",
                 r"item \d: its request is still valid, but is not if words of others are as they were at the beginning")
        self.lie("bank", [(self.OPEN, self.OPEN[:-1] + " && s->balance[s->transfer[i].from] >= s->transfer[i].amount;")], "owned arrays", "item 0: prepare asks for something else if arrays that are OWNED hold something else")
        self.lie("bank", [("    ordo_u64 amount = r->word[0];", "    ordo_u64 amount = r->word[0] + (r->target[0] == 1);")], "owned arrays",
                 "item 1: its section leaves something else in .*, if the OWNED words of its targets are kept elsewhere, under other numbers")
        self.lie("bank", [("int covered = *from >= amount;", "int covered = 1;")], "lock bit", r"the word of target \d is 1844674407370955161\d: its top bit, which is the lock, is set")

    def test_answers(self):
        order, own = "right in every order", "vertex \\d: found .*, expected another one, by the operator's own check"
        # right where every request is served at once, wrong where two wait: the section does not look again
        self.lie("matching", [("    if (ordo_load_u32(a) == MATCHING_NONE && ordo_load_u32(b) == MATCHING_NONE) {", "    if (1) {")], order, own + "; 0 asks, 1 asks, section of [01], section of [01]; edges of 3 vertices")
        self.lie("dining", [("    return eaten < s->meals[r->item];", "    return eaten < 2;")], order, own + ", in order, every request served at once; 0 asks, section of 0")
        hungry = "    return ordo_load_u32(&s->eaten[r->item]) < s->meals[r->item];"
        self.lie("dining", [("    return eaten < s->meals[r->item];", "    return 1;"), ("    if (ordo_load_u32(&s->eaten[i]) >= s->meals[i])\n        return 0;\n", ""), (hungry, "    return 1;")],
                 order, "a run has not ended after 1024 sections, in order, every request served at once; 0 asks, section of 0, .*, \\.\\.\\.; edges of 1 vertices: $", "--trials", 10)
        self.lie("bank", [(self.OPEN, "    return 1;")], "idempotent", "item 0 asks again when all work is done, and its section changes nothing: 'topology' would go on for ever")
        self.lie("sgd", [("    if (ordo_load_u32(&s->done[i]) == s->epoch)\n        return 0;\n", ""), ("    return s->done[r->item] != s->epoch;", "    return 1;")], "idempotent",
                 r"item 0 asks again when all work is done, and its section changes factor\[0\], a word of target 0")
        self.lie("dining", [(hungry, "    return 1;")], "idempotent", own + "; 0 asks, 0 asks, section of 0, section of 0; edges of 1 vertices")
        self.lie("bank", [("    s->balance[r->target[1]] += r->word[0];", "    s->balance[r->target[1]] += r->word[0] / 2;")], "halves", r"item 0: its section leaves something else in balance\[\d\], a word of target \d, if it runs in halves")
        self.lie("bank", [("        *from -= r->word[0];\n    ordo", "        *from -= r->word[0];\n    r->word[0] /= 2;\n    ordo")], "halves", "item 0: the first half changes its request's words, in spite of ORDO_CRITICAL_REBUILD_ARGS")
        self.lie("hash_table", [("    ordo_store_u32(&s->next[last], (ordo_u32)a->word[0]);\n", "")], "combined requests", own + ".*is combined, section of")
        self.lie("discharge", [("    return 16;", "    return 0;")], "bucket width", "the width of a bucket is 0, expected more than 0")

    def test_edges(self):
        """Edges that the framework hands on, in `ordo run`: rows of vertices, and items that are edges; with weights of the type that is asked for."""
        graph = self.write("two.wel", "0 1 1\n1 2 1\n2 3 1\n3 3 1\n")
        folder = os.path.join(TREE, "tests", "cli", "critical")
        for scheduler in ("bsp", "lock_server", "topology"):
            for name in ("matching", "colour"):
                text = self.ok(ordo("run", os.path.join(folder, name + ".c"), graph, "--symmetrise", "--verify", "--scheduler", scheduler)).out
                self.assertRegex(text, r"(?m)^Verification: +PASS")
        heavy = pathlib.Path(folder, "matching.c").read_text().replace("../../../operators/matching.h", "heavy.h")
        header = pathlib.Path(TREE, "operators", "matching.h").read_text().replace("ordo_edge_none e", "ordo_edge_f32 e").replace("return e.tail != e.head", "return e.weight > 0 && e.tail != e.head")
        self.write("heavy.h", header.replace("#define ORDO_CRITICAL_EDGES edges", "#define ORDO_CRITICAL_EDGES edges\n#define ORDO_CRITICAL_WEIGHT f32"))
        file = self.write("heavy.c", heavy)
        self.refused(1, r"right in every order: vertex \d: .*: \d -> \d of weight 0$", "check-operator", file)  # its check knows no weights
        self.ok(ordo("run", file, self.write("real.wel", "0 1 1.5\n1 2 0.5\n"), "--verify"))
        self.refused(3, "reads weights of type f32, the graph has u32", "run", file, graph)


@needs("new")
class New(Files):
    def test_new_operator(self):
        """What is written passes its own test, and compiles without a warning; nothing is overwritten."""
        folder = self.path("new")
        os.mkdir(folder)
        r = self.ok(ordo("new", "operator", "first_try", cwd=folder))
        self.assertEqual(sorted(os.listdir(folder)), ["first_try.c", "first_try_test"])
        done = subprocess.run([os.path.join(folder, "first_try_test"), command.ORDO], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "first_try: passed\n", ""))
        text = pathlib.Path(folder, "first_try.c").read_text()
        self.assertNotIn("@", text)
        subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only", f"-I{INCLUDE}", "-DORDO_OP=first_try",
                        os.path.join(folder, "first_try.c")], check=True)
        # its test can fail
        pathlib.Path(folder, "first_try.c").write_text(text.replace("d, e.weight)", "d, e.weight + 1)"))
        done = subprocess.run([os.path.join(folder, "first_try_test"), command.ORDO], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.refused(3, "first_try.c: it exists, and is left as it is", "new", "operator", "first_try", cwd=folder)
        for words, why in (((), "new needs"), (("operator",), "new needs"), (("operater", "x"), "did you mean 'operator'"), (("scheduler", "2x"), "is no name"), (("operator", "a-b"), "is no name"),
                           (("operator", "../x"), "is no name")):
            self.refused(2, why, "new", *words, cwd=folder)
        self.assertEqual(sorted(os.listdir(folder)), ["first_try.c", "first_try_test"])


@needs("new")
class Scheduler(Files):
    """Schedulers from folders, for apps and for operators' files."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        subprocess.run([command.ORDO, "new", "scheduler", "pile", "--quiet"], cwd=cls.folder.name, check=True)

    def changed(self, name, replaced=()):
        """A copy of the folder under another name, with texts of its scheduler.c replaced."""
        folder = pathlib.Path(self.path(name))
        shutil.copytree(self.path("pile"), folder)
        for file in folder.iterdir():
            file.write_text(file.read_text().replace("pile", name))
        text = (folder / "scheduler.c").read_text()
        for old, new in replaced:
            text = re.sub(rf"\.{old} = [^,]*,", new, text)
        (folder / "scheduler.c").write_text(text)
        return str(folder)

    def test_new_scheduler(self):
        folder = self.path("pile")
        self.assertEqual(sorted(os.listdir(folder)), ["README.md", "cpu.h", "scheduler.c", "test", "tunables.h"])
        done = subprocess.run([os.path.join(folder, "test"), command.ORDO], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "pile: passed\n", ""))
        for name in sorted(os.listdir(folder)):
            self.assertNotIn("@", pathlib.Path(folder, name).read_text())
        subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only", f"-I{INCLUDE}",
                        os.path.join(folder, "scheduler.c")], check=True)
        self.refused(3, "pile: it exists, and is left as it is", "new", "scheduler", "pile", cwd=self.folder.name)

    def test_runs(self):
        """An operator's file under it; its tunable; what the record says; refusals that name it."""
        folder = self.path("pile")
        record = json.loads(self.ok(ordo("run", TOLLS, self.gr, "--source", self.source, "--scheduler", folder, "--sync", "lock",
                                         "--set", "chunk=3", "--verify", "--json", "-")).out)
        self.assertEqual((record["options"]["scheduler"], record["options"]["sync"], record["options"]["settings"], record["verified"]),
                         ("pile", "lock", {"chunk": 3}, True))
        self.assertEqual(record["result"]["sum"], sum(c for c in self.dist if c != INF))
        text = self.ok(ordo("compare", "bfs", self.gr, "--source", self.source, "--schedulers", f"all,{folder},{folder}:lock", "--repeat", 1, "--warmup", 0)).out
        self.assertEqual(sorted(re.findall(r"(?m)^[ *] (\S+) .* PASS$", text)), sorted([*command.schedulers(), "pile", "pile:lock"]))
        self.refused(2, "scheduler 'pile': chunk='0', expected a whole number from 1 to 1024", "bfs", self.gr, "--scheduler", folder, "--set", "chunk=0")
        self.refused(2, "scheduler 'pile' does not offer sync 'racy'", "bfs", self.gr, "--scheduler", folder, "--sync", "racy")
        self.refused(2, "scheduler 'pile' does not run critical operators", "bench", "ht", "--schedulers", folder)

    def test_refused(self):
        for status, why, folder in (
                (3, "no such folder of a scheduler", "./none"), (3, "scheduler.c: No such file", self.folder.name + "/."),
                (3, f"written for another version of Ordo: found interface 77, expected {INTERFACE}", self.changed("seven", [("interface", ".interface = 77,")])),
                (3, f"found interface 0, expected {INTERFACE}", self.changed("zero", [("interface", "")])),
                (3, "is in a folder of another name, expected 'other'", self.changed("other", [("name", '.name = "pile",')])),
                (2, "there is another scheduler 'delta'", self.changed("delta")), (2, "expected a folder whose name is that of a scheduler", self.changed("a-b"))):
            self.refused(status, why, "bfs", self.gr, "--scheduler", folder)
        broken = pathlib.Path(self.changed("broken"), "cpu.h")
        broken.write_text(broken.read_text() + "int x = undeclared;\n")
        r = ordo("bfs", self.gr, "--scheduler", broken.parent)
        self.assertEqual(r.returncode, 3)
        self.assertRegex(r.err.splitlines()[0], rf"\A{re.escape(str(broken))}:\d+:.*undeclared")
        self.assertRegex(r.err, r"\nordo: .*cpu.h: \S+ cannot compile it\n\Z")


@needs("run")
class Compare(Files):
    def test_compare(self):
        """Every sound scheduler, one answer; a comma separates files and apps."""
        text = self.ok(ordo("compare", TOLLS + ",sssp", self.gr, "--source", self.source, "--repeat", 1, "--warmup", 0, "--threads", 2)).out
        self.assertEqual(len(re.findall(r"(?m)^[ *] \w+ +\w+ .* PASS$", text)), len(command.schedulers()) + len(command.general_schedulers()), text)
        answers = set(re.findall(r"(?m)^Result: .*sum (\d+)", text))
        self.assertEqual(answers, {str(sum(c for c in self.dist if c != INF))})
        self.refused(2, "no such number", "compare", TOLLS, self.gr, "--set-state", "x=1")
        self.refused(3, "No such file", "compare", "./none.c", self.gr)

    def test_tune(self):
        text = self.ok(ordo("tune", TOLLS, self.gr, "--for", 0.3, "--scheduler", "delta")).out
        self.assertRegex(text, r"(?m)^Flags: +--scheduler delta")


if __name__ == "__main__":
    main()
