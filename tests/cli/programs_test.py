#!/usr/bin/env python3
"""`ordo sat` and `ordo points-to`: answers, files, records, exit statuses. usage: programs_test.py PATH_OF_ORDO [unittest arguments]"""
import json
import os
import random

from command import TREE, Base, check_schema, main, needs, ordo


def record(text):
    value = json.loads(text)
    with open(os.path.join(TREE, "docs", "schema.json")) as f:
        rule = json.load(f)
    wrong = check_schema(value, rule, rule)
    assert not wrong, wrong
    return value


def read_cnf(path):
    with open(path) as f:
        words = [w for line in f if line[0] not in "cp" for w in line.split()]
    clauses, clause = [], []
    for w in map(int, words):
        if w:
            clause.append(w)
        else:
            clauses.append(clause)
            clause = []
    return clauses


@needs("sat")
class Sat(Base):
    def satisfied(self, formula, solution, variables):
        """The assignment, after substituting it in every clause."""
        with open(solution) as f:
            lines = f.read().splitlines()
        self.assertEqual(lines[0], "s SATISFIABLE")
        self.assertTrue(all(line[:2] == "v " and len(line) <= 78 for line in lines[1:]))
        numbers = [int(w) for line in lines[1:] for w in line[2:].split()]
        self.assertEqual(numbers.pop(), 0)
        self.assertEqual([abs(n) for n in numbers], list(range(1, variables + 1)))
        true = set(numbers)
        for clause in read_cnf(formula):
            self.assertTrue(true & set(clause), clause)
        return numbers

    def test_random(self):
        formula, solution = self.path("f.cnf"), self.path("f.sol")
        for n, ratio, more in ((3, 2, ()), (200, 3.5, ()), (3000, 4.0, ()), (3000, 4.0, ("--scheduler", "topology", "--threads", 3))):
            self.ok(ordo("generate", "ksat", "--variables", n, "--ratio", ratio, "-o", formula))
            clauses = read_cnf(formula)
            self.assertEqual(len(clauses), round(n * ratio))
            self.assertTrue(all(len({abs(x) for x in c}) == 3 for c in clauses))
            r = record(self.ok(ordo("sat", formula, "-o", solution, "--json", "-", *more)).out)
            self.satisfied(formula, solution, n)
            self.assertEqual((r["answer"], r["verified"], r["formula"]["clauses"]), ("satisfiable", True, len(clauses)))
            if n == 3000:
                self.assertEqual((r["operator"], r["scheduler"], r["sync"]), ("survey", "topology" if more else "bsp", "racy"))
                self.assertGreater(r["search"]["fixed"], 100)
            again = self.path("again.sol")
            self.ok(ordo("sat", formula, "-o", again, "--threads", 1, *more[:2]))
            with open(solution) as a, open(again) as b:
                self.assertEqual(a.read(), b.read())

    def test_answers(self):
        r = self.ok(ordo("sat", self.write("unsat.cnf", "p cnf 2 3\n1 0\n-1 2 0\n-2 -1 0\n"), "-o", "-"))
        self.assertEqual(r.out, "s UNSATISFIABLE\n")
        self.assertIn("s UNSATISFIABLE", self.ok(ordo("sat", self.write("empty.cnf", "p cnf 0 1\n0\n"))).out)
        self.assertEqual(self.ok(ordo("sat", self.write("none.cnf", "p cnf 2 0\n"), "-o", "-")).out, "s SATISFIABLE\nv -1 -2 0\n")
        self.assertEqual(self.ok(ordo("sat", "-", "-o", "-", stdin=b"p cnf 2 2\n-1 0\n1 2 0\n")).out, "s SATISFIABLE\nv -1 2 0\n")
        # all eight clauses of three variables: unit propagation proves nothing, and no search finds anything
        text = "p cnf 3 8\n" + "".join(f"{a} {b} {c} 0\n" for a in (1, -1) for b in (2, -2) for c in (3, -3))
        r = ordo("sat", self.write("all.cnf", text), "--tries", 2, "-o", self.path("all.sol"))
        self.assertEqual(r.returncode, 6)
        self.assertIn("no assignment was found in 2 tries; there may be one", r.err)
        self.assertIn("s UNKNOWN", r.out)
        with open(self.path("all.sol")) as f:
            self.assertEqual(f.read(), "s UNKNOWN\n")
        hard = self.path("hard.cnf")
        self.ok(ordo("generate", "ksat", "--variables", 20000, "--ratio", 4.5, "-o", hard))
        self.refused(6, "within", "sat", hard, "--timeout", 0.2)

    def test_refused(self):
        good = self.write("good.cnf", "p cnf 2 1\n1 2 0\n")
        self.refused(2, "0 files given, expected one", "sat")
        self.refused(2, "2 files given, expected one", "sat", good, good)
        self.refused(2, "expected one of them", "sat", good, "-o", "-", "--json", "-")
        self.refused(2, "--fraction", "sat", good, "--fraction", 0)
        self.refused(2, "survey", "sat", good, "--scheduler", "delta")
        self.refused(2, "ksat needs --variables N", "generate", "ksat", "-o", self.path("x.cnf"))
        self.refused(2, "2 variables, expected 3 to", "generate", "ksat", "--variables", 2, "-o", self.path("x.cnf"))
        self.refused(3, "absent", "sat", self.path("absent"))
        self.assertFalse(os.path.exists(self.path("x.cnf")))

    def test_damage(self):
        """Damaged files: an answer or one line, never a crash; and a file of damaged numbers says where."""
        rng = random.Random(5)
        self.ok(ordo("generate", "ksat", "--variables", 30, "--ratio", 3, "-o", self.path("d.cnf")))
        with open(self.path("d.cnf"), "rb") as f:
            whole = f.read()
        for _ in range(60):
            data = bytearray(whole)
            for _ in range(rng.randrange(1, 4)):
                at = rng.randrange(len(data))
                data[at:at + rng.randrange(3)] = rng.choice((b"", b"-", b"99999999999", b"\0", b"x", b" 0 ", b"%", b"\n"))
            r = ordo("sat", "-", "--tries", 1, "--timeout", 20, stdin=bytes(data[:rng.randrange(len(data) + 1)] if rng.random() < .3 else data))
            self.assertIn(r.returncode, (0, 3, 6), r.err)
            self.assertEqual(r.err.count("\n"), r.returncode != 0, r.err)
            if r.returncode == 3:
                self.assertIn("expected", r.err)


def andersen(constraints, n):
    """By definition: over all constraints until nothing is added."""
    points, grown = [set() for _ in range(n)], True
    while grown:
        before = sum(map(len, points))
        for s, d, kind in constraints:
            if kind == 0:
                points[d].add(s)
            elif kind == 1:
                points[d] |= points[s]
            elif kind == 2:
                for o in list(points[s]):
                    points[d] |= points[o]
            else:
                for o in list(points[d]):
                    points[o] |= points[s]
        grown = sum(map(len, points)) > before
    return points


@needs("points-to")
class PointsTo(Base):
    def test_answers(self):
        rng = random.Random(3)
        for trial in range(20):
            n = rng.choice((1, 5, 40, 400))
            constraints = [(rng.randrange(n), rng.randrange(n), rng.choice((0, 0, 1, 1, 2, 3))) for _ in range(rng.randrange(n + n // 4 + 2))]
            text = f"{n} {len(constraints)}\n" + "".join(f"{i} {s} {d} {k} 0\n" for i, (s, d, k) in enumerate(constraints))
            out = self.path("sets")
            r = record(self.ok(ordo("points-to", self.write("c.txt", text), "-o", out, "--verify", "--json", "-", "--threads", 1 + trial % 4)).out)
            expected = andersen(constraints, n)
            with open(out) as f:
                found = {int(line.split()[0]): [int(w) for w in line.split()[1:]] for line in f}
            self.assertEqual(found, {v: sorted(p) for v, p in enumerate(expected) if p})
            self.assertEqual(r["result"]["facts"], sum(map(len, expected)))
            self.assertEqual(r["result"]["largest"], max(map(len, expected)))
            self.assertIs(r["verified"], True)

    def test_made(self):
        made = self.path("made.txt")
        self.ok(ordo("generate", "constraints", "--variables", 2000, "-o", made))
        r = self.ok(ordo("points-to", made, "--verify"))
        self.assertIn("PASS", r.out)
        self.assertIsNone(record(self.ok(ordo("points-to", made, "--json", "-")).out)["verified"])
        self.refused(6, "did not end within", "points-to", made, "--timeout", 1e-9)

    def test_refused(self):
        self.refused(2, "0 files given, expected one", "points-to")
        self.refused(3, "expected an offset from 0 to 0", "points-to", self.write("offset.txt", "2 1\n0 0 1 0 4\n"))
        self.refused(3, ":2: found end of file, expected 1 constraints", "points-to", self.write("cut.txt", "2 1\n"))
        self.refused(3, "absent", "points-to", self.path("absent"))
        self.refused(2, "constraints has no --length", "generate", "constraints", "--variables", 9, "--length", 3, "-o", self.path("x"))
        self.refused(2, "expected one of them", "points-to", self.path("c.txt"), "-o", "-", "--json", "-")


if __name__ == "__main__":
    main()
