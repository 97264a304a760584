#!/usr/bin/env python3
"""`ordo refine`: meshes in files, checked with exact fractions; what damaged files are answered.
usage: refine_test.py PATH_OF_ORDO [unittest arguments]"""
import collections
import math
import os
import random
import re
import xml.etree.ElementTree
from fractions import Fraction

from command import Base, main, needs, ordo

SQUARE = "4 2 0 0\n1 0 0\n2 4 0\n3 4 4\n4 0 4\n"
SIDES = "4 0\n1 1 2\n2 2 3\n3 3 4\n4 4 1\n"


def numbers(path):
    """The lines of a file, as words, without comments."""
    with open(path) as f:
        lines = [line.split("#")[0].split() for line in f]
    return [line for line in lines if line]


class Mesh:
    """BASE.node, .ele and .poly."""

    def __init__(self, base):
        node, ele, poly = (numbers(f"{base}.{suffix}") for suffix in ("node", "ele", "poly"))
        first = int(node[1][0])
        self.points = [tuple(map(float, line[1:3])) for line in node[1:]]
        self.marked = [line[3] == "1" for line in node[1:]]
        self.triangles = [tuple(int(p) - first for p in line[1:4]) for line in ele[1:]]
        count = int(poly[1][0])
        self.segments = {frozenset(int(p) - first for p in line[1:3]) for line in poly[2:2 + count]}
        assert len(self.points) == int(node[0][0]) and len(self.triangles) == int(ele[0][0])
        self.exact = [tuple(map(Fraction, p)) for p in self.points]


def cross(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def in_circle(a, b, c, d):
    rows = [(p[0] - d[0], p[1] - d[1]) for p in (a, b, c)]
    lifted = [(x, y, x * x + y * y) for x, y in rows]
    return sum(lifted[i][2] * (lifted[(i + 1) % 3][0] * lifted[(i + 2) % 3][1] - lifted[(i + 1) % 3][1] * lifted[(i + 2) % 3][0])
               for i in range(3))


@needs("refine")
class Refine(Base):
    def refined(self, *words, area, angle=30, least=None):
        """The mesh of a call, after checks: all that ordo's own verification says, exactly, by a code of this test."""
        base = self.path("out")
        r = self.ok(ordo("refine", *words, "-o", base, "--verify"))
        self.assertIn("PASS", r.out)
        m = Mesh(base)
        apex = collections.defaultdict(list)
        total = 0
        for t in m.triangles:
            p = [m.exact[c] for c in t]
            self.assertGreater(cross(*p), 0)
            total += cross(*p)
            for i in range(3):
                apex[frozenset((t[i - 1], t[i - 2]))].append(t[i])
                u, v = (math.atan2(m.points[t[j]][1] - m.points[t[i]][1], m.points[t[j]][0] - m.points[t[i]][0])
                        for j in (i - 1, i - 2))
                turn = abs(u - v) % (2 * math.pi)
                self.assertGreaterEqual(math.degrees(min(turn, 2 * math.pi - turn)), (angle if least is None else least) - 1e-6)
        if isinstance(area, int):
            self.assertEqual(total, 2 * area)
        else:
            self.assertAlmostEqual(float(total) / 2, area, places=9)
        boundary = set()
        for edge, tips in apex.items():
            self.assertLessEqual(len(tips), 2)
            if len(tips) == 1:
                self.assertIn(edge, m.segments)
                boundary |= edge
            elif edge not in m.segments:
                a, b = edge
                one = [m.exact[p] for p in (a, b, tips[0])]
                if cross(*one) < 0:
                    one[0], one[1] = one[1], one[0]
                self.assertLessEqual(in_circle(*one, m.exact[tips[1]]), 0)
        self.assertLessEqual(m.segments, set(apex))
        self.assertEqual({i for i, on in enumerate(m.marked) if on}, boundary)
        return m

    def test_random(self):
        """Random points, by their generator; any number of threads makes the same files."""
        one = self.refined("--points", 200, "--threads", 1, area=1)
        for threads in (2, 4):
            other = self.refined("--points", 200, "--threads", threads, area=1)
            self.assertEqual((one.points, one.triangles), (other.points, other.triangles))
        self.assertNotEqual(one.points[4:200], self.refined("--points", 200, "--seed", 1, area=1).points[4:200])
        plain = self.refined("--points", 200, "--min-angle", 0, area=1, angle=0)
        self.assertEqual(len(plain.points), 200)
        self.assertEqual(plain.points, one.points[:200])

    def test_files(self):
        """The three kinds of files, from 0 and from 1, with comments, attributes and markers."""
        square = self.write("s.poly", f"# a square\n{SQUARE}\n{SIDES}0 # no holes\n")
        self.assertEqual(len(self.refined(square, area=16).triangles), 2)
        self.write("t.node", "4 2 1 1 # from 0\n0 0 0 7.5 1\n1 4 0 7.5 1\n\n2 4e0 4 -1 1\n3 0 +4.0 0 1\n")
        node = self.path("t.node")
        self.assertEqual(len(self.refined(node, area=16).segments), 4)
        poly = self.write("t.poly", "0 2 1 1\n5 1\n0 0 1 1\n1 1 2 1\n2 2 3 1\n3 3 0 1\n4 0 2 2\n0\n")
        m = self.refined(poly, "--max-area", 0.5, area=16)
        self.assertGreaterEqual(len(m.triangles), 32)
        self.write("t.ele", "2 3 0\n0 0 1 2\n1 0 3 2\n")  # the second is clockwise
        self.assertGreater(len(self.refined(self.path("t.ele"), "--max-area", 1, area=16).triangles), 16)
        os.remove(poly)
        self.assertEqual(len(self.refined(self.path("t.ele"), area=16).triangles), 2)
        self.refined(self.path("out.ele"), area=16)  # what was written can be read

    def test_degenerate(self):
        """Grids have four points on every circle; points twice, and points on one line."""
        def node(points):
            return self.write("d.node", f"{len(points)} 2 0 0\n" + "".join(f"{i} {x} {y}\n" for i, (x, y) in enumerate(points)))
        grid = [(x, y) for x in range(7) for y in range(7)]
        self.assertEqual(len(self.refined(node(grid), area=36).triangles), 72)
        self.assertEqual(len(self.refined(node(grid + grid), area=36).triangles), 72)
        rng = random.Random(1)
        self.refined(node([(x, 0) for x in range(9)] + [(rng.random() * 8, 5) for _ in range(3)] + [(0, 5), (8, 5)]), area=40)

    def test_holes_and_small_angles(self):
        hole = self.write("h.poly", "8 2 0 0\n1 0 0\n2 9 0\n3 9 9\n4 0 9\n5 3 3\n6 6 3\n7 6 6\n8 3 6\n"
                          "8 0\n1 1 2\n2 2 3\n3 3 4\n4 4 1\n5 5 6\n6 6 7\n7 7 8\n8 8 5\n1\n1 4.5 4.5\n")
        self.refined(hole, area=72)
        self.refined(hole, "--min-angle", 33, area=72, angle=33)
        wedge = self.write("w.poly", "3 2 0 0\n1 0 0\n2 10 0\n3 10 1\n3 0\n1 1 2\n2 2 3\n3 3 1\n0\n")
        self.refined(wedge, area=5.0, least=5.7)  # the angle of the input, of 5.71 degrees, stays
        self.assertIn("at small angles of the input", self.ok(ordo("refine", wedge)).out)

    def test_picture(self):
        svg = self.path("m.svg")
        self.ok(ordo("refine", "--points", 50, "--svg", svg, "--quiet"))
        root = xml.etree.ElementTree.parse(svg).getroot()
        paths = [e.get("d") for e in root if e.tag.endswith("path")]
        self.assertEqual(len(paths), 2)
        self.assertGreater(paths[0].count("M"), 150)

    def test_refused(self):
        square = self.write("s.poly", f"{SQUARE}{SIDES}0\n")
        self.refused(2, "needs a file, or --points", "refine")
        self.refused(2, "expected one of them", "refine", square, "--points", 9)
        self.refused(2, "expected one file", "refine", square, square)
        self.refused(2, r"\.node, \.poly or \.ele", "refine", self.write("s.txt", SQUARE))
        self.refused(2, "35", "refine", square, "--min-angle", 35)
        self.refused(2, "random points", "refine", "--points", 3)
        self.refused(3, "No such file", "refine", self.path("absent.node"))
        self.refused(4, "more than 50 triangles", "refine", "--points", 100, "--max-triangles", 50)
        self.refused(2, "device 'abacus', expected one of cpu, cuda, auto", "refine", square, "--device", "abacus")
        self.refused(3, "segments 1 and 5 cross|segments 2 and 5 cross|segments 5 and 6 cross", "refine",
                     self.write("x.poly", SQUARE + "6 0\n1 1 2\n2 2 3\n3 3 4\n4 4 1\n5 1 3\n6 2 4\n0\n"))

    def test_damaged(self):
        """One line each: the file, the line, what was found, what was expected."""
        tri = "1 3 0\n1 1 2 3\n"
        self.write("e.node", SQUARE)
        for name, text, message in (
                ("a.node", "4\n1 0 0\n", r"a\.node:1: found end of line, expected the dimension"),
                ("a.node", "4 3 0 0\n", r"a\.node:1: found '3', expected the dimension, from 2 to 2"),
                ("a.node", "x 2 0 0\n", r"a\.node:1: found 'x', expected a number of points"),
                ("a.node", "-4 2 0 0\n", r"a\.node:1: found '-4'"),
                ("a.node", "3 2 0 0\n2 0 0\n", r"a\.node:2: found '2', expected the first point's number, from 0 to 1"),
                ("a.node", "3 2 0 0\n1 0 0\n3 1 1\n", r"a\.node:3: found '3', expected the number of the next point, from 2 to 2"),
                ("a.node", "3 2 0 0\n1 0 0\n2 1\n", r"a\.node:3: found 2 words, expected 3"),
                ("a.node", "3 2 0 0\n1 0 0\n2 1 nan\n", r"a\.node:3: found 'nan', expected a coordinate"),
                ("a.node", "3 2 0 0\n1 0 0\n2 1 1e99\n", r"a\.node:3: found '1e99', expected a coordinate"),
                ("a.node", "3 2 0 0\n1 0 0\n2 1 0x1\n", r"a\.node:3: found '0x1', expected a coordinate"),
                ("a.node", "3 2 0 0\n1 0 0\n2 1 1\n", r"a\.node:4: found end of file, expected the number of the next point"),
                ("a.node", "3 2 0 0\n1 0 0 0\n", r"a\.node:2: found 4 words, expected 3"),
                ("a.node", "400000000 2 0 0\n1 0 0\n", r"a\.node:1: found 400000000 vertices"),
                ("a.node", "0 2 0 0\n", "found 0 points"),
                ("b.poly", SQUARE, r"b\.poly:6: found end of file, expected a line of SEGMENTS"),
                ("b.poly", SQUARE + "1 0\n1 1 5\n0\n", r"b\.poly:7: found '5', expected a point, from 1 to 4"),
                ("b.poly", SQUARE + "1 0\n1 2 2\n0\n", r"b\.poly:7: found '2', expected different points"),
                ("b.poly", SQUARE + "1 2\n1 1 2\n0\n", r"b\.poly:6: found '2', expected a number of markers"),
                ("b.poly", SQUARE + SIDES, r"b\.poly:11: found end of file, expected a line of HOLES"),
                ("b.poly", SQUARE + SIDES + "1\n1 2\n", r"b\.poly:12: found 2 words, expected 3"),
                ("b.poly", SQUARE + SIDES + "1\n1 2 2\n", "enclose no area"),
                ("b.poly", "0 2 0 0\n" + SIDES + "0\n", r"b\.node: No such file"),
                ("e.ele", "1 4 0\n", r"found end of file, expected the number of the next triangle"),
                ("e.ele", "1 2 0\n1 1 2 3\n", r"e\.ele:1: found '2', expected the points of a triangle, from 3 to 6"),
                ("e.ele", "1 3 0\n1 1 2 9\n", r"e\.ele:2: found '9', expected a point, from 1 to 4"),
                ("e.ele", "1 3 0\n1 1 2 1\n", r"e\.ele:2: found '1', expected different points"),
                ("e.ele", "0 3 0\n", r"e\.ele:1: found '0', expected a number of triangles"),
                ("e.ele", "2 3 0\n1 1 2 3\n2 1 2 4\n", "triangles 1 and 2 lie on the same side")):
            r = self.refused(3, message, "refine", self.write(name, text), "-o", self.path("never"))
            self.assertEqual(r.err.count("\n"), 1, r.err)
        self.assertFalse(os.path.exists(self.path("never.node")))
        self.ok(ordo("refine", self.write("e.ele", tri)))

    def test_cut(self):
        """A file that is cut anywhere is refused, or a last number is shorter; never anything else."""
        whole = SQUARE + SIDES + "0\n"
        for cut in range(len(whole)):
            r = ordo("refine", self.write("c.poly", whole[:cut]), "--verify")
            if r.returncode != 0:
                self.assertEqual((r.returncode, r.err.count("\n")), (3, 1), (cut, r.err))
            else:
                self.assertGreaterEqual(cut, len(whole) - 1)


if __name__ == "__main__":
    main()
