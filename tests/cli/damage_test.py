#!/usr/bin/env python3
"""Damaged files and full disks, through the command: damage_test.py PATH_OF_ORDO [unittest arguments].

Every format is written by the command itself, read back, and then damaged in many ways. Each damaged file must end in
exit status 3 (memory: 4) and one line that names the file, where in it, what was found and what was expected; nothing
is written, and what was there before stays. What no reader can tell from a whole file must be read: a last number cut
short, an edge list cut anywhere between two edges.
"""
import collections
import concurrent.futures
import gzip
import itertools
import lzma
import os
import random
import re
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import zlib

ORDO = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None
QUICK = "ORDO_TEST_QUICK" in os.environ  # half of the cases, by a checksum of their names
NPZ = True  # or the Ordo under test was built without
SPACE = 600 << 20  # bytes of address space that the bombs meet: a small machine, and a net below the test
SECONDS = 20  # that any one call may take
OLD = b"what was there before\n"
HUGE = (1 << 31, 1 << 32, (1 << 32) - 1, 1 << 60, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)

# What must become of a file.
REFUSED = "refused"
SAME = "read, as the undamaged one"
READ = "read"
SAFE = "refused, or read as the undamaged one"

Case = collections.namedtuple("Case", "label name data want where words", defaults=(REFUSED, None, ()))


def ordo(*words, **more):
    return subprocess.run([ORDO, *words], stdin=more.pop("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=SECONDS, **more)


def limit(which, size):
    """For preexec_fn."""
    return lambda: resource.setrlimit(which, (size, size))


def slurp(path):
    with open(path, "rb") as f:
        return f.read()


def spill(path, data):
    with open(path, "wb") as f:
        f.write(data)


# ---- what is damaged in any file ----

def spread(size, count):
    """At most `count` places of size, the first and last some among them."""
    if size <= count:
        return range(size)
    edge = count // 4
    return sorted({*range(edge), *range(size - edge, size), *range(edge, size - edge, 2 * size // count + 1)})


def cuts(name, data, verdict, count=60):
    """`verdict`: what must become of the first so many bytes."""
    for at in spread(len(data), count):
        yield Case(f"cut to {at} of {len(data)} bytes", name, data[:at], verdict(at))


def noise(name):
    """Bytes that are nothing; those of a random seed are the same in every run."""
    rng = random.Random(7)
    for size in (1, 7, 17, 40, 4096, 70000):
        yield Case(f"{size} random bytes", name, rng.randbytes(size))
    for size in (1, 17, 40, 4096):
        yield Case(f"{size} zeros", name, bytes(size))
    yield Case("40 bytes ff", name, b"\xff" * 40)
    yield Case("empty", name, b"")
    yield Case("blank lines", name, b"\n\n \n")
    yield Case("prose", name, b"It was a dark and stormy night.\n" * 20)
    yield Case("a page of HTML", name, b"<!DOCTYPE html>\n<html><title>404</title></html>\n")
    yield Case("a pointer to a large file", name, b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n")


def flips(name, data, places, verdict=REFUSED):
    for at in places:
        yield Case(f"byte {at} flipped", name, data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:], verdict)


# ---- text ----

def lines_of(data):
    return data.split(b"\n")[:-1]


def with_word(data, line, word, value):
    """The text with a word of a line (from 1) replaced; None takes it out."""
    lines = lines_of(data)
    words = lines[line - 1].split()
    words[word:word + 1] = [] if value is None else [str(value).encode()]
    lines[line - 1] = b" ".join(words)
    return b"\n".join(lines) + b"\n"


def words_at(name, data, lines, word, values, what):
    for i, line in enumerate(lines):
        for value in values[i % 2::2] if len(lines) > 1 else values:  # each on some line
            yield Case(f"{what} {value!r} in line {line}", name, with_word(data, line, word, value),
                       where=rf":{line}: ")


BAD_COUNTS = (-1, 0, *HUGE, 1 << 64, 10 ** 30, "nan", "inf", "1e1", "0x10", "12.0", "twelve", "")
BAD_NUMBERS = (-1, 1 << 32, 1 << 63, 1 << 64, 10 ** 30, "nan", "inf", "1e0", "0x1", "1.5", "1,2", "x", "--1", "1-", "\u0661",
               "1\0", "\0")
BAD_WEIGHTS = (1 << 32, -(1 << 31) - 1, 1 << 63, 1 << 64, 10 ** 30, "x", "0x1", "1,2", "--1", "+", "-", ".", "1e", "e1",
               "1.5.5", "1\0", "\0", "nan", "inf", "-inf", "NaN", "Infinity")


def text_damage(name, data, first, ids, n, base, weight=None, more_weights=(), counts=(), free=None):
    """`first`: line of the first edge, `ids`: its words that are vertices, `weight`: the word that is one; `counts`:
    (line, word) of those in the header, `free`: that of them which may be larger."""
    count = len(lines_of(data))
    some = sorted({first, (first + count) // 2, count})
    yield Case("no newline at the end", name, data[:-1], SAME)
    yield Case("CRLF", name, data.replace(b"\n", b"\r\n"), SAME)
    yield Case("CRLF, none at the end", name, data.replace(b"\n", b"\r\n")[:-2], SAME)
    yield Case("tabs", name, data.replace(b" ", b"\t"), SAME)
    yield Case("blanks at line ends", name, data.replace(b"\n", b" \t \n"), SAME)
    for line, word in counts:
        values = [v for v in BAD_COUNTS if v != ""]
        real = int(lines_of(data)[line - 1].split()[word])
        for value in (*values, real + 1, real - 1):
            more = value == real + 1 and (line, word) == free  # a vertex without edges
            yield Case(f"count {value} in line {line}, word {word}", name, with_word(data, line, word, value),
                       READ if more else REFUSED)
        yield Case(f"no count in line {line}, word {word}", name, with_word(data, line, word, None), where=f":{line}: ")
        yield Case("one more number in the header", name, with_word(data, line, word, f"{real} 1"), where=f":{line}: ")
    for word in ids:
        outside = ([0] if base else []) + ([n + base] if n else [])
        yield from words_at(name, data, some, word, (*outside, *BAD_NUMBERS), f"vertex (word {word})")
    if weight is not None:
        yield from words_at(name, data, some, weight, (*BAD_WEIGHTS, *more_weights), "weight")
    for line in some:
        lines = lines_of(data)
        wide = lines[line - 1].split()
        here = rf":{line}: "
        yield Case(f"one word more in line {line}", name, with_word(data, line, len(wide) - 1, (wide[-1] + b" 1").decode()),
                   where=None if line == first and not n else here)
        if line != first or n:  # without a header the first line tells the columns
            yield Case(f"one word less in line {line}", name, with_word(data, line, len(wide) - 1, None), where=here)
        for label, odd in (("binary noise", b"\x80\x81\xfe\xff\x01"), ("a word", b"hello"), ("a NUL", b"\0"),
                           ("a carriage return for a newline", None)):
            if odd is None:
                if line < count:
                    mixed = lines[:line - 1] + [lines[line - 1] + b"\r" + lines[line]] + lines[line + 1:]
                    yield Case(f"{label} in line {line}", name, b"\n".join(mixed) + b"\n",
                               where=None if line == first and not n else here)
            else:
                mixed = lines[:line - 1] + [odd] + lines[line - 1:]
                yield Case(f"{label} as line {line}", name, b"\n".join(mixed) + b"\n", where=here)
    for label, odd in (("a word", b"garbage\n"), ("noise", bytes(range(128, 256))), ("zeros", bytes(512)),
                       ("a gzip member", gzip.compress(data))):
        yield Case(f"{label} behind the end", name, data + odd, where=rf":{count + 1}: ")
    yield Case("the file twice, one behind the other", name, data + data) if n else Case("alone", name, data, SAME)
    yield Case("UTF-16", name, data.decode().encode("utf-16"))
    yield Case("a byte-order mark first", name, b"\xef\xbb\xbf" + data, where=":1: ")
    yield Case("text, then a binary graph", name, data[:len(data) // 2] + struct.pack("<4Q", 1, 4, 3, 1) + bytes(99))


def counted(data):
    """Of a text with counts: only a last number that lost digits, and a lost newline, cannot be told."""
    number = data[:-1].split(b" ")[-1]
    least = len(data) - 1 - len(number.lstrip(b"-")) + 1  # bytes up to its first digit

    def verdict(at):
        return SAME if at == len(data) - 1 else READ if at >= least else REFUSED
    return verdict


# ---- binary ----

def words_of_header(name, data, places, width=8):
    """Each word at `places` replaced by numbers that are too large, and by its bytes the other way round."""
    letter = {4: "I", 8: "Q"}[width]
    for at in places:
        (real,) = struct.unpack_from("<" + letter, data, at)
        values = {v % (1 << 8 * width) for v in (*HUGE, real + 1, real - 1, 2 * real)}
        values.add(int.from_bytes(data[at:at + width], "big"))
        for value in sorted(values - {real}):
            yield Case(f"{value} at byte {at} for {real}", name,
                       data[:at] + struct.pack("<" + letter, value) + data[at + width:])


def behind(name, data, verdict=REFUSED):
    for label, odd in (("a zero", b"\0"), ("a newline", b"\n"), ("a page of zeros", bytes(4096)), ("text", b"garbage\n"),
                       ("itself", data)):
        yield Case(f"{label} behind the end", name, data + odd, verdict)


def swapped(data, widths):
    """The words of these widths, one behind the other, with their bytes the other way round."""
    at, out = 0, b""
    for width in widths:
        out += data[at:at + width][::-1]
        at += width
    return out + data[at:]


def as_text(data):
    """What a transfer as text makes of a binary file."""
    return data.replace(b"\n", b"\r\n")


# ---- zip, by hand: so that it may say anything ----

Member = collections.namedtuple("Member", "name data packed size crc method", defaults=(None, None, None, 8))


def deflate(data):
    z = zlib.compressobj(9, zlib.DEFLATED, -15)
    return z.compress(data) + z.flush()


def archive(members):
    body, directory = b"", b""
    for m in members:
        packed = m.packed if m.packed is not None else deflate(m.data) if m.method == 8 else m.data
        size = m.size if m.size is not None else len(m.data)
        crc = m.crc if m.crc is not None else zlib.crc32(m.data)
        fields = struct.pack("<5H3L2H", 20, 0, m.method, 0, 33, crc, len(packed), size, len(m.name), 0)
        directory += b"PK\1\2" + struct.pack("<H", 20) + fields + struct.pack("<3H2L", 0, 0, 0, 0, len(body)) + m.name
        body += b"PK\3\4" + fields + m.name + packed
    count = len(members)
    return body + directory + b"PK\5\6" + struct.pack("<4H2LH", 0, 0, count, count, len(directory), len(body), 0)


def npy(descr, shape, data, order="False", version=1):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    header = header.ljust(117) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H", len(header)) + header + data


def matrix():
    """Two rows, three entries."""
    return {b"indices.npy": npy("<i4", "(3,)", struct.pack("<3i", 0, 1, 1)),
            b"indptr.npy": npy("<i4", "(3,)", struct.pack("<3i", 0, 2, 3)),
            b"format.npy": npy("|S3", "()", b"csr"),
            b"shape.npy": npy("<i8", "(2,)", struct.pack("<2q", 2, 2)),
            b"data.npy": npy("<i4", "(3,)", struct.pack("<3i", 5, 6, 7))}


def packed_matrix(**changed):
    members = matrix()
    for name, data in changed.items():
        if data is None:
            del members[name.encode() + b".npy"]
        else:
            members[name.encode() + b".npy"] = data
    return archive([Member(name, data) for name, data in members.items()])


# ---- the tests ----

class Base(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # thousands of small files: not on a disk where that can be helped
        cls.folder = tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        cls.pool = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)) + 1)
        cls.local = threading.local()
        cls.number = itertools.count()

    @classmethod
    def tearDownClass(cls):
        cls.pool.shutdown()
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    @classmethod
    def made(cls, name, *words):
        """A file as `ordo generate` or `ordo convert` writes it."""
        path = cls.path(name)
        r = ordo(*words, *(["-o"] if words[0] == "generate" else []), path, "--quiet")
        assert r.returncode == 0 and r.stderr == b"", (words, r.stderr)
        return slurp(path)

    def room(self):
        """A folder of this thread's own."""
        if not hasattr(self.local, "room"):
            self.local.room = self.path(f"room{next(self.number)}")
            os.mkdir(self.local.room)
        return self.local.room

    def one_line(self, r, named, status):
        """What is wrong with how a call failed, or None."""
        err = r.stderr.decode(errors="replace")
        if r.returncode not in status:
            return f"exit status {r.returncode}, expected {status}: {err!r}"
        if r.stdout:
            return f"standard output holds {r.stdout!r}"
        if not re.fullmatch(r"ordo: [^\n]+\n", err):
            return f"standard error is not one line: {err!r}"
        if named not in err:
            return f"the file is not named: {err!r}"
        return None

    def look(self, case, whole):
        """Runs one case: what is wrong, or None."""
        room = self.room()
        bad, out = os.path.join(room, case.name), os.path.join(room, "out.ordo")
        old = zlib.crc32(case.label.encode()) % 2 == 0
        spill(bad, case.data)
        if old:
            spill(out, OLD)
        words = [w if w is not Ellipsis else bad for w in case.words] or [bad]
        try:
            threads = "1" if len(case.data) < 1 << 16 else "3"
            r = ordo("convert", *words, out, "--quiet", "--threads", threads)
        except subprocess.TimeoutExpired:
            return f"took more than {SECONDS} s"
        there = slurp(out) if os.path.exists(out) else None
        for name in (bad, out):
            if os.path.exists(name):
                os.remove(name)
        left = os.listdir(room)
        for name in left:
            os.remove(os.path.join(room, name))
        if left:
            return f"left {left}"
        if r.returncode == 0 and case.want != REFUSED:
            if r.stderr or r.stdout:
                return f"read, but said {r.stderr!r} {r.stdout!r}"
            return None if case.want == READ or there == whole else "read as another graph"
        if case.want in (SAME, READ):
            return f"not read: {r.stderr.decode(errors='replace')!r}"
        wrong = self.one_line(r, case.name, (3,))
        err = r.stderr.decode(errors="replace")
        if wrong:
            return wrong
        if there != (OLD if old else None):
            return "the file that was there before is changed" if old else "a file was left"
        if "found" not in err or "expected" not in err:
            return f"no 'found' and 'expected': {err!r}"
        place = case.where or (r":\d+: found|byte \d+|member \S+|edge \d+ -> \d+|"
                               r"found an empty file|found a [a-z ]+ file|found no member")
        if not re.search(place, err):
            return f"the place ({place}) is not named: {err!r}"
        return None

    def each(self, good, cases):
        """`good`: a case that must be read; then every other one."""
        room = self.room()
        source, out = os.path.join(room, good.name), os.path.join(room, "whole.ordo")
        spill(source, good.data)
        r = ordo("convert", *([w if w is not Ellipsis else source for w in good.words] or [source]), out, "--quiet")
        self.assertEqual((r.returncode, r.stderr, r.stdout), (0, b"", b""))
        whole = slurp(out)
        for name in (source, out):
            os.remove(name)
        cases = [c._replace(words=good.words) if good.words else c for c in cases]
        self.assertGreaterEqual(len(cases), 12)
        if QUICK:
            cases = [c for c in cases if zlib.crc32((c.name + c.label).encode()) % 2]
        wrong = [f"{c.name}: {c.label}: {why}" for c, why in
                 zip(cases, self.pool.map(lambda c: self.look(c, whole), cases)) if why]
        if wrong:
            self.fail(f"{len(wrong)} of {len(cases)} cases:\n" + "\n".join(wrong[:60]))


UNIFORM = ("generate", "uniform", "--vertices", "9", "--degree", "2", "--seed", "1")
ROAD = ("generate", "road", "--vertices", "12")
GRID = ("generate", "grid", "--width", "3", "--height", "3")
WEIGHTS = ("--weights", "uniform:1000:99999")


class Text(Base):
    def test_dimacs(self):
        data = self.made("a.gr", *UNIFORM, *WEIGHTS)
        self.each(Case("whole", "a.gr", data), [
            *cuts("a.gr", data, counted(data), len(data)), *noise("a.gr"),
            *text_damage("a.gr", data, 2, (1, 2), 9, 1, 3, ("1.0", "1e3"), [(1, 2), (1, 3)], (1, 2)),
            *words_at("a.gr", data, (1,), 1, ("min", "SP", "spx", "", "aux", "col", "\0"), "problem"),
            *words_at("a.gr", data, (2, 11), 0, ("b", "aa", "p", "n", "A", "0"), "letter"),
            Case("a comment of noise", "a.gr", b"c \0\x80\xff\x1b[31m\n" + data, SAME),
            Case("no header", "a.gr", data[data.index(b"\n") + 1:]),
            Case("two headers", "a.gr", data[:data.index(b"\n") + 1] + data),
            Case("two weights that no type holds", "a.gr", with_word(with_word(data, 2, 3, -1), 3, 3, 1 << 31), where=":3: ")])

    def test_flow(self):
        data = self.made("a.max", "generate", "rlg", "--width", "3", "--height", "3", *WEIGHTS)
        n = int(data.split()[2])
        self.each(Case("whole", "a.max", data), [
            *cuts("a.max", data, counted(data)), *noise("a.max"),
            *text_damage("a.max", data, 4, (1, 2), n, 1, 3, (-1, "1.0"), [(1, 2), (1, 3)], (1, 2)),
            *words_at("a.max", data, (2, 3), 1, (0, n + 1, *BAD_NUMBERS), "terminal"),
            *words_at("a.max", data, (2, 3), 2, ("x", "S", "st", "\0"), "which terminal"),
            *words_at("a.max", data, (3,), 2, ("s",), "two sources:"),
            Case("no terminals", "a.max", b"\n".join([*data.split(b"\n")[:1], *data.split(b"\n")[3:]])),
            Case("one vertex as both", "a.max", with_word(data, 3, 1, lines_of(data)[1].split()[1].decode()), where=":3: ")])

    def test_coordinates(self):
        self.made("road.ordo", *ROAD)
        data = self.made("a.co", "convert", self.path("road.ordo"))
        self.made("road.gr", "convert", self.path("road.ordo"))
        edits = text_damage("a.co", data, 2, (1,), 12, 1, 2, ("1.0", 1 << 31), [(1, 4)])
        self.each(Case("whole", "a.co", data, words=(self.path("road.gr"), "--coordinates", Ellipsis)), [
            *cuts("a.co", data, counted(data)), *noise("a.co"), *edits,
            *words_at("a.co", data, (2, 13), 3, (1 << 31, -(1 << 31) - 1, *BAD_WEIGHTS), "y"),
            *words_at("a.co", data, (1,), 3, ("ss", "CO"), "problem"),
            *words_at("a.co", data, (3,), 1, (1,), "place again:"),
            Case("a graph", "a.co", slurp(self.path("road.gr"))),
            Case("a binary graph", "a.co", slurp(self.path("road.ordo")))])

    def test_pace(self):
        """Not written by the command: its Matrix Market entries with another header."""
        entries = lines_of(self.made("p.mtx", *GRID))[2:]
        data = b"p tw 9 %d\n" % len(entries) + b"\n".join(entries) + b"\n"
        self.each(Case("whole", "p.gr", data), [
            *cuts("p.gr", data, counted(data)), *noise("p.gr"),
            *text_damage("p.gr", data, 2, (0, 1), 9, 1, counts=[(1, 2), (1, 3)], free=(1, 2)),
            *words_at("p.gr", data, (1,), 1, ("TW", "t", "tww"), "problem")])

    def test_matrix_market(self):
        for words, columns in ((UNIFORM, 2), (UNIFORM + WEIGHTS, 3), (GRID, 2)):
            data = self.made("a.mtx", *words)
            self.each(Case("whole", "a.mtx", data), [
                *cuts("a.mtx", data, counted(data)), *noise("a.mtx"),
                *text_damage("a.mtx", data, 3, (0, 1), 9, 1, 2 if columns == 3 else None, ("1.0", "1e3"),
                             [(2, 0), (2, 1), (2, 2)]),
                *words_at("a.mtx", data, (1,), 1, ("vector", "\0", ""), "object"),
                *words_at("a.mtx", data, (1,), 2, ("array", "coordinates"), "format"),
                *words_at("a.mtx", data, (1,), 3, ("complex", "quaternion", "nan"), "field"),
                *words_at("a.mtx", data, (1,), 4, ("hermitian", "both", "0"), "symmetry"),
                Case("no banner", "a.mtx", data[data.index(b"\n") + 1:])])
        data = self.made("real.mtx", *UNIFORM, *WEIGHTS).replace(b"integer", b"real", 1)
        self.each(Case("whole", "a.mtx", data), [
            *words_at("a.mtx", data, (3, 12, 20), 2, ("1e39", "-1e39", "1e-60", "1e999999999999", "nan", "inf", "1e", "1e+",
                                                   ".", "-", "1.2.3", "0x1p3", "1d5", "1,5"), "real")])

    def test_metis(self):
        for words, fields in ((GRID, 1), (GRID + WEIGHTS, 2)):
            data = self.made("a.graph", *words)
            counts = [(1, 0), (1, 1)]
            edits = [c for c in text_damage("a.graph", data, 2, (0,), 9, 1, 1 if fields == 2 else None, (-1, "1.0"), counts)
                     if "more number in the header" not in c.label and "no count" not in c.label
                     and "twice" not in c.label and "word more" not in c.label]
            # that a neighbour or a line is missing shows when all are counted
            edits = [c._replace(where=None) if "word less" in c.label or "carriage" in c.label else c for c in edits]
            self.each(Case("whole", "a.graph", data), [
                *cuts("a.graph", data, lambda at: SAME if at == len(data) - 1 else REFUSED), *noise("a.graph"), *edits,
                *words_at("a.graph", data, (2,), 0, (1,), "loop to"),
                Case("one direction only", "a.graph", with_word(data, 2, 0, 9), where="edge 1 -> 9"),
                Case("the file twice", "a.graph", data + data, where=":11: "),
                Case("a line more", "a.graph", data + b"1\n", where=":11: "),
                Case("a word more", "a.graph", data[:-1] + b" 1\n"),
                Case("other digits", "a.graph", with_word(data, 1, 1, "12 2"), where=":1: "),
                Case("weights of vertices that are not there", "a.graph", with_word(data, 1, 1, "12 11 4")),
                Case("1001 weights a vertex", "a.graph", with_word(data, 1, 1, "12 11 1001"), where=":1: "),
                Case("header alone", "a.graph", b"1000000 1\n", where=":1: "),
                Case("more vertices than bytes", "a.graph", with_word(data, 1, 0, 1 << 30), where=":1: ")])

    def test_edge_lists(self):
        """Nothing tells where an edge list ends: each cut must read as if it had been written so."""
        for suffix, words in ((".el", UNIFORM), (".wel", UNIFORM + WEIGHTS)):
            name = "a" + suffix
            data = self.made(name, *words)

            def verdict(at):
                lines = [line.split() for line in data[:at].splitlines()]
                good = lines and len(lines[0]) in (2, 3) and {len(line) for line in lines} == {len(lines[0])}
                return REFUSED if not good else SAME if at == len(data) - 1 else READ

            columns = 2 if suffix == ".el" else 3
            self.each(Case("whole", name, data), [
                *cuts(name, data, verdict, len(data)), *noise(name),
                *[c._replace(want=SAME, where=None) if "byte-order" in c.label else c
                  for c in text_damage(name, data, 1, (0, 1), None, 0, 2 if columns == 3 else None, ("1e39",))
                  if "one word more in line 1" not in c.label],
                Case("a column more from line 2 on", name, b"0 1\n0 2 5\n" if columns == 2 else b"0 1 5\n0 2 5 5\n", where=":2: "),
                Case("a header of counts", name, b"5 7\n0 1 1\n", where=":2: "),
                *([Case("one word more in line 1", name, data.replace(b"\n", b" 1\n", 1))] if columns == 3 else []),
                *(Case(f"with {mark!r}", name, data.replace(b" ", mark), SAME) for mark in (b",", b" ; ", b"\t")),
                Case("a count of vertices that no file has", name, b"# Nodes: 4000000000 Edges: 1\n" + data, where=":1: "),
                Case("ids with large gaps", name, data + b"0 4294967293" + b" 1" * (columns == 3) + b"\n"),
                Case("id 2^32 - 2", name, data + b"0 4294967294" + b" 1" * (columns == 3) + b"\n"),
                Case("comments alone", name, b"# a\n% b\n")])

    def test_fields(self):
        """Cut anywhere, a file with names of columns reads as if it had been written so, or not at all."""
        for mark in (",", ";", "\t"):
            plain = self.made("a.wel", *UNIFORM, *WEIGHTS)
            lines = [mark.join(('"x y"', *w.decode().split(), '"a"')) for w in lines_of(plain)]
            data = "\n".join([mark.join(("what", "Source", "TARGET", '"Weight"', "label")), *lines, ""]).encode()
            name = "a.csv"

            def verdict(at):
                rows = [line.split(mark.encode()) for line in data[:at].splitlines()]
                good = len(rows) > 1 and all(len(r) == 5 and r[4].count(b'"') != 1 for r in rows)
                return REFUSED if not good else SAME if len(rows) == len(lines) + 1 and (at >= len(data) - 1 or rows[-1][4]) else READ

            def with_field(line, field, value):
                rows = data.split(b"\n")
                fields = rows[line].split(mark.encode())
                fields[field] = value
                rows[line] = mark.encode().join(fields)
                return b"\n".join(rows)

            self.each(Case("whole", name, data), [
                *cuts(name, data, verdict), *noise(name),
                *(Case(f"{value!r} as field {field} of line {line + 1}", name, with_field(line, field, value), where=f":{line + 1}: ")
                  for line in (1, len(lines) // 2, len(lines)) for field in (1, 2, 3)
                  for value in (b"", b"x", b'"1', b'"1"1', b"1 1", b"1e", b"-", b"\0", b"nan", b'""', mark.encode(), b"4294967294" * 9)),
                *(Case(f"{value!r} as name {field}", name, with_field(0, field, value), where=":1: |:2: ")
                  for field in (1, 2) for value in (b"", b"x", b"weight", b'"', mark.encode(), b"1")),
                *(Case(f"a field that is not used: {value!r}", name, with_field(2, 0, value), SAME)
                  for value in (b"", b"x", b"\0\xff", b'"a""b"', b'"' + mark.encode() + b'"')),
                Case("300 columns", name, data.replace(b"what", mark.join(["c"] * 300).encode(), 1), where=":1: "),
                Case("names alone", name, data.split(b"\n")[0]),
                Case("carriage returns", name, data.replace(b"\n", b"\r\n"), SAME),
                Case("a byte-order mark", name, b"\xef\xbb\xbf" + data, SAME),
                Case("names twice", name, data + data, where=f":{len(lines) + 2}: ")])

    def test_counts(self):
        """Of vertices and edges before the edges: cut among the edges, the file is refused."""
        for words, layout in ((UNIFORM + WEIGHTS, "{} {}\n"), (UNIFORM + WEIGHTS, "{}\n{}\n"), (UNIFORM, "{}\n{}\n"),
                              (UNIFORM, "# c\n{}\n\n{}\n")):
            name = "a.txt"
            edges = [line.split() for line in lines_of(self.made("a.wel" if WEIGHTS[0] in words else "a.el", *words))]
            ends = [str(int(x)) for e in edges for x in e[:2]]
            body = b"".join(b" ".join(e) + b"\n" for e in edges)
            head = layout.format(9, len(edges)).encode()
            data, first = head + body, head.count(b"\n")
            self.assertTrue("0" in ends)

            def verdict(at):
                last = data[:at].split(b"\n")[-1].split() or data[:at - 1].split(b"\n")[-1].split()
                if layout == "{} {}\n" and all(len(line.split()) == 2 for line in data[:at].splitlines()) and data[:at].strip():
                    return READ  # edges alone
                whole = data[:at].count(b"\n") + (data[at - 1:at] != b"\n") == data.count(b"\n")
                return SAME if at >= len(data) - 1 else READ if whole and len(last) == len(edges[0]) else REFUSED

            self.each(Case("whole", name, data), [
                *cuts(name, data, verdict), *noise(name),
                Case("a line more", name, data + body[:body.index(b"\n") + 1], where=f":{first + len(edges) + 1}: "),
                Case("a line less", name, head + body[body.index(b"\n") + 1:], where=f":{first + len(edges) - 1}: "),
                *(Case(f"{n} vertices", name, layout.format(n, len(edges)).encode() + body)
                  for n in (0, 1, 7, 1 << 31, (1 << 32) - 1, 1 << 64, -9, "x")),
                *(Case(f"{m} edges", name, layout.format(9, m).encode() + body)
                  for m in (0, 1, len(edges) + 1, 1 << 64, -1, "x") if m != 1 or "\n" in layout[:-1]),
                Case("counts twice", name, head + data)])

    def test_deep_in_a_large_file(self):
        """The line is that of the file, whichever thread met it."""
        lines = lines_of(self.made("deep.gr", "generate", "uniform", "--vertices", "30000", "--degree", "4", *WEIGHTS))
        some = sorted({2, 3, len(lines) // 3, len(lines) // 2, len(lines)} | {i * len(lines) // 7 for i in range(1, 7)})
        cases = []
        for line in some:
            cases.append(Case(f"line {line}", "deep.gr", b"\n".join([*lines[:line - 1], b"a 1 x 3", *lines[line:]]) + b"\n",
                              where=rf":{line}: found 'x'"))
            cases.append(Case(f"weight in line {line}", "deep.gr",
                              b"\n".join([*lines[:line - 1], b"a 1 2 4294967296", *lines[line:]]) + b"\n",
                              where=rf":{line}: found '4294967296'"))
        self.each(Case("whole", "deep.gr", b"\n".join(lines) + b"\n"), cases)


class Binary(Base):
    def test_gap(self):
        for suffix, words, directed in ((".sg", UNIFORM, 1), (".wsg", UNIFORM + WEIGHTS, 1),
                                        (".sg", GRID, 0), (".wsg", GRID + WEIGHTS, 0)):
            name = "a" + suffix
            data = self.made(name, *words)
            directed_, m, n = struct.unpack_from("<BQQ", data)
            self.assertEqual(directed_, directed)
            heads, step = 17 + 8 * (n + 1), 4 if suffix == ".sg" else 8
            bad_heads = [Case(f"head {value} of edge {e}", name, data[:heads + step * e] + struct.pack("<i", value) +
                              data[heads + step * e + 4:], where=f"byte {heads + step * e}: ")
                         for e in (0, m // 2, m - 1) for value in (-1, n, 1 << 24, -(1 << 31), (1 << 31) - 1)]
            self.each(Case("whole", name, data), [
                *cuts(name, data, lambda at: REFUSED), *noise(name), *behind(name, data), *bad_heads,
                *words_of_header(name, data, range(1, 17, 8)),
                *words_of_header(name, data, (17, 17 + 8 * n)),
                *(Case(f"{value} as row {n // 2}", name, data[:17 + 8 * (n // 2)] + struct.pack("<Q", value) +
                       data[25 + 8 * (n // 2):], where=f"byte {17 + 8 * (n // 2)}|byte {25 + 8 * (n // 2)}")
                  for value in (0, m + 1, *HUGE) if value or n // 2),
                *(Case(f"directed {value}", name, bytes([value]) + data[1:]) for value in (1 - directed, 2, 0x30, 0xff)),
                Case("big-endian", name, swapped(data, [1, 8, 8] + [8] * (n + 1) + [4] * (m * step // 4))),
                Case("as text", name, as_text(data.replace(b"\1", b"\n", 1) if b"\n" not in data else data)),
                Case("an edge list", name, b"0 1\n1 2\n")])

    def test_weights_of_gap_cut_off(self):
        """A .wsg that lost exactly its second halves has the size of a .sg, and small weights look like vertices."""
        data = struct.pack("<BQQ4Q6i", 0, 3, 3, 0, 1, 2, 3, 1, 1, 2, 1, 0, 1)
        self.each(Case("whole", "a.wsg", data), [Case("cut", "a.wsg", data[:-12])] +
                  [Case(f"cut by {i}", "a.wsg", data[:-i]) for i in range(1, 12)])

    def galois(self, version, weighted):
        name = "a.ggr"
        data = self.made(name, *UNIFORM, *(WEIGHTS if weighted else ()))
        _, bytes_, n, m = struct.unpack_from("<4Q", data)
        self.assertEqual(bytes_, 4 if weighted else 0)
        heads = 32 + 8 * n
        if version == 2:  # which the command does not write
            words = struct.unpack_from(f"<{m}I", data, heads)
            data = struct.pack("<Q", 2) + data[8:heads] + struct.pack(f"<{m}Q", *words) + data[heads + 4 * m:]
        return name, data, n, m, heads, 4 * version

    def test_galois(self):
        for version, weighted in ((1, False), (1, True), (2, False), (2, True)):
            name, data, n, m, heads, step = self.galois(version, weighted)
            letter = {4: "I", 8: "Q"}[step]
            bad_heads = [Case(f"head {value} of edge {e}", name, data[:heads + step * e] + struct.pack("<" + letter, value) +
                              data[heads + step * (e + 1):], where=f"byte {heads + step * e}: ")
                         for e in (0, m // 2, m - 1) for value in (n, 1 << 24, (1 << 32) - 1)]
            more = len(data) % 8
            self.each(Case("whole", name, data), [
                *cuts(name, data, lambda at: REFUSED), *noise(name), *behind(name, data), *bad_heads,
                *words_of_header(name, data, (0, 8, 16, 24, 32 + 8 * (n - 1))),
                *(Case(f"{value} as end of row {n // 2}", name, data[:32 + 8 * (n // 2)] + struct.pack("<Q", value) +
                       data[40 + 8 * (n // 2):], where=r"byte \d+") for value in (0, m + 1, *HUGE)),
                *(Case(f"version {v}", name, struct.pack("<Q", v) + data[8:]) for v in (0, 3 - version, 3, 1 << 56)),
                *(Case(f"{b} bytes of data", name, data[:8] + struct.pack("<Q", b) + data[16:]) for b in (1, 2, 8, 12, 16)),
                Case("big-endian", name, swapped(data, [8] * (4 + n) + [step] * m + [4] * more), where="big-endian"),
                Case("an edge list", name, b"0 1\n1 2\n")])
            if not weighted:
                continue
            # under the suffix that it shares with text
            self.each(Case("whole", "a.gr", data), [*cuts("a.gr", data, lambda at: REFUSED, 40), *behind("a.gr", data),
                                                    *words_of_header("a.gr", data, (0, 24))])

    def test_wide_data_of_galois(self):
        data = struct.pack("<6Q2I2Q", 1, 8, 2, 2, 1, 2, 1, 0, 5, 6)
        self.each(Case("whole", "a.ggr", data), [
            *cuts("a.ggr", data, lambda at: REFUSED),
            *(Case(f"data {value}", "a.ggr", data[:-8] + struct.pack("<Q", value), where="byte 64: ")
              for value in (1 << 32, 1 << 63, (1 << 64) - 1)),
            Case("a double", "a.ggr", data[:-8] + struct.pack("<d", 1.5), where="byte 64: ")])

    def test_own(self):
        name = "a.ordo"
        for words in (ROAD, UNIFORM):
            data = self.made(name, *words)
            header = range(256) if words == ROAD else range(0, 256, 8)
            self.each(Case("whole", name, data), [
                *cuts(name, data, lambda at: REFUSED, 60), *noise(name), *behind(name, data),
                *flips(name, data, header), *flips(name, data, spread(len(data), 60)),
                *words_of_header(name, data, (32, 40, 64, 144)),
                Case("as text", name, as_text(data), where="byte 5: "),
                Case("as text, and back wrongly", name, data.replace(b"\r\n", b"\n"), where="byte 5: "),
                Case("an edge list", name, b"0 1\n1 2\n"),
                Case("big-endian", name, data[:8] + swapped(data[8:], [4, 4, 4]), where="byte 12: found big-endian")])

    def test_own_with_right_checksums(self):
        """Who writes a wrong header can compute its checksum as well."""
        data = self.made("a.ordo", *ROAD)

        def signed(at, letter, value):
            header = bytearray(data[:256])
            struct.pack_into("<" + letter, header, at, value)
            total = 0
            for (word,) in struct.iter_unpack("<Q", bytes(header[:248])):
                total = (total ^ word) * 0x9e3779b97f4a7c15 % (1 << 64)
                total ^= total >> 29
            return bytes(header[:248]) + struct.pack("<Q", total) + data[256:]

        n, m = struct.unpack_from("<2Q", data, 32)
        cases = [Case(f"{value} at byte {at}", "a.ordo", signed(at, "Q", value), where=r"byte \d+: ")
                 for at in (32, 40, *range(64, 144, 8), 144, 208, 240) for value in (0, 1, n + 1, *HUGE)
                 if struct.pack("<Q", value) != data[at:at + 8]]
        cases += [Case(f"{value} at byte {at}", "a.ordo", signed(at, letter, value), where=r"byte \d+: ")
                  for at, letter, value in ((8, "I", 2), (12, "I", 0), (16, "I", 255), (20, "B", 8), (21, "B", 4),
                                            (22, "B", 0), (22, "B", 4), (23, "B", 1), (24, "I", 8), (24, "I", 6), (24, "I", 1),
                                            (28, "I", 1),
                                            (28, "I", 0xffffffff), (56, "I", n), (60, "I", n))]
        cases += [Case(f"checksum at byte {at}", "a.ordo", signed(at, "Q", 1), where=rf"byte {at}\b") for at in (152, 200)]
        self.each(Case("whole", "a.ordo", data), cases)

    def test_scipy(self):
        name = "a.npz"
        if not NPZ:
            self.skipTest("built without libzip")
        for words in (UNIFORM, UNIFORM + WEIGHTS):
            data = self.made(name, *words, "--quiet")  # it warns of parallel edges
            self.each(Case("whole", name, data), [
                *cuts(name, data, lambda at: REFUSED), *noise(name), *behind(name, data),
                *flips(name, data, spread(len(data), 150), SAFE), Case("an edge list", name, b"0 1\n1 2\n"),
                Case("as text", name, as_text(data))])

    def test_members_of_scipy(self):
        if not NPZ:
            self.skipTest("built without libzip")
        name = "a.npz"

        def ints(*values, width=4):
            return struct.pack(f"<{len(values)}{'iq'[width == 8]}", *values)

        def changed(label, where=r"member \S+", **members):
            return Case(label, name, packed_matrix(**members), where=where)

        def claimed(label, **fields):
            members = [Member(n, d) for n, d in matrix().items()]
            members[0] = members[0]._replace(**fields)
            return Case(label, name, archive(members))

        cases = [changed(f"no {m}", m, **{m: None}) for m in ("indices", "indptr", "format", "shape", "data")]
        cases += [changed(f"format {f}", "format", format=npy(f"|S{len(f)}", "()", f))
                  for f in (b"csc", b"coo", b"\0\0\0", b"csrr")]
        cases += [changed(f"type {d}", "indices", indices=npy(d, "(3,)", ints(0, 1, 1))) for d in
                  (">i4", "<f4", "|O", "<c8", "<M8", "<i3", "<i999999999999", "", "<")]
        cases += [changed(f"shape {s}", "indices", indices=npy("<i4", s, ints(0, 1, 1))) for s in
                  ("(4,)", "(2,)", "()", "(3)", "(1, 3)", "(-3,)", f"({1 << 31},)", f"({1 << 62},)", f"({1 << 63},)",
                   f"({1 << 64},)", "(nan,)",
                   f"({1 << 62}, 4)")]
        cases += [changed(f"index {v}", "indices", indices=npy("<i4", "(3,)", ints(0, v, 1)))
                  for v in (-1, 2, 1 << 30, -(1 << 31))]
        cases += [changed(f"wide index {v}", "indices", indices=npy("<i8", "(3,)", ints(0, v, 1, width=8)))
                  for v in (-1, 2, 1 << 32, (1 << 63) - 1, -(1 << 63))]
        cases += [changed(f"rows {r}", "indptr", indptr=npy("<i4", "(3,)", ints(*r))) for r in
                  ((0, 4, 3), (1, 2, 3), (0, 2, 2), (0, -1, 3), (0, 2, 4), (3, 2, 3))]
        cases += [changed(f"vertices {s}", "member (shape|indptr)", shape=npy("<i8", "(2,)", ints(*s, width=8))) for s in
                  ((3, 2), (2, 3), (-1, -1), (1 << 31, 1 << 31), (1 << 32, 1 << 32), (-(1 << 63),) * 2)]
        cases += [changed("two rows too many", "indptr", shape=npy("<i8", "(2,)", ints(4, 4, width=8)))]
        cases += [changed(f"value {v}", "data", data=npy("<f8", "(3,)", struct.pack("<3d", 1, v, 2)))
                  for v in (float("nan"), float("inf"), -float("inf"), 1e300, 1e-300)]
        cases += [changed(f"value {v}", "data", data=npy("<i8", "(3,)", ints(1, v, 2, width=8)))
                  for v in (1 << 32, -(1 << 31) - 1, 1 << 62)]
        cases += [changed("values less", "data", data=npy("<i4", "(2,)", ints(1, 2))),
                  changed("no magic", "indices", indices=b"x" + npy("<i4", "(3,)", ints(0, 1, 1))[1:]),
                  changed("version 9", "indices", indices=npy("<i4", "(3,)", ints(0, 1, 1), version=9)),
                  changed("a byte more", "indices", indices=npy("<i4", "(3,)", ints(0, 1, 1) + b"\0")),
                  changed("a byte less", "indices", indices=npy("<i4", "(3,)", ints(0, 1, 1)[:-1])),
                  changed("an empty member", "indices", indices=b""), changed("a word", "indices", indices=b"hello"),
                  claimed("a member that says to be short", size=130), claimed("long", size=1 << 20),
                  claimed("huge", size=0xfffffffe),
                  claimed("wrong CRC", crc=1), claimed("unknown method", method=99),
                  claimed("stored, and is not", method=0, packed=b"xx"),
                  claimed("no deflate", packed=b"\xff" * 40)]
        members = [Member(n, d) for n, d in matrix().items()]
        cases += [Case("no member at all", name, archive([])),
                  Case("a member of another name", name, archive([*members, Member(b"x.npy", b"x")])),
                  Case("a member twice", name, archive([*members, members[0]]))]
        self.each(Case("whole", name, packed_matrix()), cases)


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c", "--check"], input=data, stdout=subprocess.PIPE, check=True).stdout


class Packed(Base):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.packers = {"gz": gzip.compress, "xz": lzma.compress}
        if shutil.which("zstd"):
            cls.packers["zst"] = zstd
        cls.plain = cls.made("a.gr", *UNIFORM, *WEIGHTS)
        for suffix, pack in list(cls.packers.items()):
            spill(cls.path("built.gr." + suffix), pack(cls.plain))
            if b"built without" in ordo("info", "--quick", cls.path("built.gr." + suffix)).stderr:
                del cls.packers[suffix]

    def test_streams(self):
        for suffix, pack in self.packers.items():
            name, data = "a.gr." + suffix, pack(self.plain)
            padded = SAME if suffix == "gz" else SAFE
            self.each(Case("whole", name, data), [
                *cuts(name, data, lambda at: REFUSED), *noise(name), *flips(name, data, spread(len(data), 100), SAFE),
                Case("zeros behind the end", name, data + bytes(64), padded),
                Case("text behind the end", name, data + b"garbage\n"),
                Case("noise behind the end", name, data + b"\xff\xfe\x80" * 9),
                Case("itself behind the end", name, data + data),
                Case("half behind the end", name, data + data[:len(data) // 2]),
                Case("in two members", name, pack(self.plain[:33]) + pack(self.plain[33:]), SAME),
                Case("twice", name, pack(data)), Case("of nothing", name, pack(b"")), Case("of a zero", name, pack(b"\0")),
                Case("of half a text", name, pack(self.plain[:40])),
                Case("of noise", name, pack(random.Random(3).randbytes(999))),
                Case("of text with a wrong line", name, pack(with_word(self.plain, 5, 1, 0)), where=":5: "),
                Case("not packed at all", name, self.plain, SAME),
                Case("as text", name, as_text(data.replace(b"\0", b"\n", 1)))])

    def test_packed_binary(self):
        for suffix, pack in self.packers.items():
            for kind in (".wsg", ".ggr", ".ordo"):
                name, plain = "a" + kind + "." + suffix, self.made("a" + kind, *UNIFORM, *WEIGHTS)
                self.each(Case("whole", name, pack(plain)), [
                    *(Case(f"of {at} bytes", name, pack(plain[:at])) for at in spread(len(plain), 12)),
                    Case("of one byte more", name, pack(plain + b"\0"))])

    def test_bombs(self):
        """Some megabytes that unfold to many gigabytes: the end comes soon, and is one line."""
        piece, times, bombs = 16 << 20, 512, {}
        if "gz" in self.packers:
            bombs["lines.el.gz"] = gzip.compress(b"0 1\n" * (piece // 4), 6) * times
        if "xz" in self.packers:
            bombs["comment.gr.xz"] = lzma.compress(b"c" + b" " * piece, preset=0) * times
        if "zst" in self.packers:
            bombs["zeros.mtx.zst"] = zstd(bytes(piece)) * times
            # a frame that wants a window of 2 GiB for one byte
            bombs["window.el.zst"] = b"\x28\xb5\x2f\xfd\x00\xa8" + struct.pack("<I", 1 << 3 | 1)[:3] + b"0"
        if NPZ:
            z = zlib.compressobj(6, zlib.DEFLATED, -15)
            part = z.compress(bytes(piece)) + z.flush(zlib.Z_FULL_FLUSH)
            count, end = 64 * piece // 4, zlib.compressobj(6, zlib.DEFLATED, -15).flush()

            def long(descr, width):
                head = npy(descr, f"({count},)", b"")
                z = zlib.compressobj(6, zlib.DEFLATED, -15)
                packed = z.compress(head) + z.flush(zlib.Z_FULL_FLUSH) + part * (16 * width) + end
                return packed, len(head) + count * width

            members = [Member(n, d) for n, d in matrix().items() if n not in (b"indices.npy", b"data.npy", b"indptr.npy")]
            members.append(Member(b"indptr.npy", npy("<i8", "(3,)", struct.pack("<3q", 0, 2, count))))
            for n, descr, width in ((b"indices.npy", "<i4", 4), (b"data.npy", "|i1", 1)):
                packed, size = long(descr, width)
                members.append(Member(n, b"", packed, size, 1))
            bombs["matrix.npz"] = archive(members)
        for name, data in bombs.items():
            with self.subTest(bomb=name, bytes=len(data)):
                path, out = self.path(name), self.path("bomb.ordo")
                spill(path, data)
                r = ordo("convert", path, out, preexec_fn=limit(resource.RLIMIT_AS, SPACE))
                os.remove(path)
                self.assertIsNone(self.one_line(r, name, (4,)))
                self.assertEqual([n for n in os.listdir(self.folder.name) if n.startswith("bomb")], [])


class NoFile(Base):
    def refused(self, pattern, *words, **more):
        r = ordo(*words, **more)
        self.assertIsNone(self.one_line(r, "", (3,)))
        self.assertRegex(r.stderr.decode(), pattern)

    def test_no_file(self):
        out = self.path("out.ordo")
        for suffix in (".gr", ".max", ".mtx", ".graph", ".el", ".wel", ".sg", ".wsg", ".ggr", ".npz", ".ordo", ".gr.gz", ""):
            with self.subTest(suffix=suffix):
                there = self.path("folder" + suffix)
                os.mkdir(there)
                self.refused(f"missing{suffix}: No such file", "convert", self.path("missing" + suffix), out)
                self.refused(f"folder{suffix}: Is a directory", "convert", there, out)
                self.refused("Not a directory", "convert", os.path.join(ORDO, "x" + suffix), out)
                os.symlink("loop" + suffix, self.path("loop" + suffix))
                self.refused("Too many levels", "convert", self.path("loop" + suffix), out)
                self.assertFalse(os.path.exists(out))
        self.made("a.gr", *UNIFORM, *WEIGHTS)
        graph = self.path("a.gr")
        self.refused("missing.co: No such file", "convert", graph, out, "--coordinates", self.path("missing.co"))
        self.refused("folder: Is a directory", "convert", graph, out, "--coordinates", self.path("folder"))
        spill(self.path("a.co"), b"p aux sp co 1\nv 1 1 1\n")
        self.refused("a.co: found a co file", "convert", self.path("a.co"), out)
        self.assertFalse(os.path.exists(out))

    def test_devices(self):
        out = self.path("out.ordo")
        self.refused("/dev/null: found an empty file, expected", "convert", "/dev/null", out)
        self.refused("standard input: found an empty file, expected", "convert", "-", out)
        with open(self.path("half"), "wb+") as f:
            f.write(b"p sp 3 2\na 1 2 3\n")
            f.seek(0)
            self.refused("standard input:2: found 1 lines of 'a', expected 2", "convert", "-", out, stdin=f)

    def test_fault_names(self):
        """One line, whatever the name; and the file's name whole."""
        for name in ("two\nlines.gr", "tab\there.gr", "100%s%n.gr", "\u00e9t\u00e9.gr", "blank .gr", "x" * 240 + ".gr", "-x.gr"):
            path = self.path(name)
            spill(path, b"p sp 3 2\na 1 2 3\n")
            r = ordo("convert", path, self.path("out.ordo"))
            self.assertIsNone(self.one_line(r, name.replace("\n", " "), (3,)))
            self.assertIn(b":2: found 1 lines of 'a', expected 2", r.stderr)


FLOW = ("generate", "rlg", "--width", "40", "--height", "40", *WEIGHTS)
KINDS = {".gr": ROAD, ".max": FLOW, ".co": ROAD, ".mtx": ROAD, ".graph": ROAD, ".metis": ROAD, ".el": GRID,
         ".wel": ROAD, ".txt": ROAD, ".sg": GRID, ".wsg": ROAD, ".ggr": ROAD, ".npz": ROAD, ".ordo": ROAD}


class NoRoom(Base):
    """For every suffix written, by `generate` and by `convert`: a disk that is full, and a folder that takes no files."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.words = {}
        for suffix, kind in KINDS.items():
            if suffix == ".npz" and not NPZ:
                continue
            kind = [w if w not in ("3", "12") else {"3": "60", "12": "4000"}[w] for w in kind]
            source = cls.path("source" + suffix + ".ordo")
            r = ordo(*kind, "-o", source)
            assert r.returncode == 0, r.stderr
            cls.words[suffix] = (lambda out, kind=kind: [*kind, "-o", out],
                                 lambda out, source=source: ["convert", source, out])

    def each(self, out_of, reason, named=None, statuses=(3,), keep=(), **more):
        for suffix, both in self.words.items():
            for words in both:
                out = out_of(suffix)
                for old in (False, True):
                    folder = os.path.dirname(out)
                    if old and not (os.path.isdir(folder) and not os.path.exists(out) and "user" not in more):
                        continue
                    with self.subTest(suffix=suffix, words=words(out)[0], old=old):
                        if old:
                            spill(out, OLD)
                        before = set(os.listdir(folder)) if os.path.isdir(folder) else None
                        r = ordo(*words(out), **more)
                        self.assertIsNone(self.one_line(r, named or os.path.basename(out), statuses))
                        self.assertRegex(r.stderr.decode(), reason)
                        if before is not None:
                            self.assertEqual(set(os.listdir(folder)), before)
                        if old:
                            self.assertEqual(slurp(out), OLD)
                            os.remove(out)

    def test_limit_of_size(self):
        folder = self.path("limited")
        os.mkdir(folder)
        for size in (0, 5000):
            self.each(lambda suffix: os.path.join(folder, "out" + suffix), "File too large",
                      preexec_fn=limit(resource.RLIMIT_FSIZE, size))

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full(self):
        def link(suffix):
            path = self.path("full" + suffix)
            if not os.path.islink(path):
                os.symlink("/dev/full", path)
            return path
        self.each(link, "No space left|a device or a pipe")
        for suffix in self.words:
            self.assertTrue(os.path.islink(link(suffix)))

    def test_pipe(self):
        """Written in place: what waits at its other end must not wait for ever."""
        for suffix in (".el", ".sg"):
            pipe, plain = self.path("pipe" + suffix), self.path("plain" + suffix)
            os.mkfifo(pipe)
            reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
            try:
                both = [ordo(*self.words[suffix][0](path)).returncode for path in (pipe, plain)]
                self.assertEqual((both, reader.communicate(timeout=SECONDS)[0]), ([0, 0], slurp(plain)))
            finally:
                reader.kill()
                reader.communicate()
            self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))

    def test_folders(self):
        self.each(lambda suffix: self.path("missing/out" + suffix), "No such file")
        self.each(lambda suffix: os.path.join(ORDO, "out" + suffix), "Not a directory")
        for suffix in self.words:
            os.mkdir(self.path("folder" + suffix))
        self.each(lambda suffix: self.path("folder" + suffix), "directory")

    def test_read_only(self):
        folder = self.path("closed")
        os.mkdir(folder)
        os.chmod(folder, 0o555)
        os.chmod(self.folder.name, 0o755)
        more = {}
        if os.geteuid() == 0:  # whom no permission stops
            more = {"user": 65534}
            try:
                if ordo("version", **more).returncode:
                    raise PermissionError
            except OSError:
                self.skipTest("the command cannot be run by another than root")
        self.each(lambda suffix: os.path.join(folder, "out" + suffix), "Permission denied", **more)


if __name__ == "__main__":
    if not ORDO:
        sys.exit("usage: damage_test.py PATH_OF_ORDO")
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it, and so would what it starts
    with tempfile.TemporaryDirectory() as probe:
        NPZ = ordo("generate", "path", "--vertices", "2", "-o", os.path.join(probe, "a.npz")).returncode == 0
    unittest.main()
