"""Running the command, for the tests in this folder; each of them is run as FILE PATH_OF_ORDO [unittest arguments].

Parts whose verb the command does not have are skipped.
"""
import fcntl
import os
import pathlib
import pty
import random
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

from references import dijkstra

ORDO = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None
GIVEN_CC = os.environ.get("CC")
QUICK = "ORDO_TEST_QUICK" in os.environ  # less of what takes long and is of one kind, for tools/check
TREE = str(pathlib.Path(__file__).resolve().parents[2])
APPS = ("sssp", "bellman-ford", "johnson", "bfs", "cc", "mst", "widest", "kcore", "pagerank", "tc", "bc", "scc", "mis", "colour", "lp", "hits")


def ordo(*words, stdin=None, **more):
    """Runs the command; the result has .returncode, .out and .err as text."""
    given = subprocess.DEVNULL if stdin is None else None
    r = subprocess.run([ORDO, *map(str, words)], input=stdin, stdin=given, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=120, **more)
    r.out, r.err = r.stdout.decode(), r.stderr.decode()
    return r


def quick_compiler(folder, compiler="cc"):
    """A compiler for operators from files that does not optimise, which takes a fraction of the time; or the one that CC names."""
    if GIVEN_CC and compiler == "cc":
        return GIVEN_CC
    path = os.path.join(folder, "quick-" + compiler)
    with open(path, "w") as f:
        f.write('#!/bin/sh\nexec ' + compiler + ' "$@" -O0 -DORDO_INLINE_FREELY\n')
    os.chmod(path, 0o755)
    return path


class Terminal:
    """The command on a terminal of so many columns; .wait() gives the exit status, .text all that it was sent."""

    def __init__(self, columns, *words, lines=40, out=True):
        self.columns, self.text = columns, b""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", lines, columns, 0, 0))
        self.child = subprocess.Popen([ORDO, *map(str, words)], stdin=subprocess.DEVNULL,
                                      stdout=slave if out else subprocess.PIPE, stderr=slave)
        os.close(slave)
        self.master = master
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        try:
            while data := os.read(self.master, 1 << 16):
                self.text += data
        except OSError:  # the other end is closed
            pass

    def until(self, pattern):
        end = time.monotonic() + 60
        while not re.search(pattern, self.text):
            assert time.monotonic() < end and self.child.poll() is None, self.text
            time.sleep(0.002)

    def wait(self):
        if self.child.stdout:
            self.out = self.child.stdout.read().decode()
            self.child.stdout.close()
        status = self.child.wait(timeout=120)
        self.reader.join()
        os.close(self.master)
        return status

    def progress(self):
        """The lines of progress: what was written over, without the sequences that clear."""
        return [l.decode() for l in re.findall(rb"\r([^\r\n\x1b]+)\x1b\[K", self.text)]


def verbs():
    lists = ordo("--help").out.split("Examples:")[0]
    return set(re.findall(r"^  ([a-z_-]+)\b", lists, re.M))


def schedulers():
    return re.findall(r"^([a-z_]+) ", ordo("schedulers").out, re.M)


def general_schedulers():
    """Those that do not run by-weight operators alone."""
    return [name for name in schedulers() if name != "horizon"]


def some_schedulers(turn):
    """In short runs every other one of these, from the first or from the second on."""
    return general_schedulers()[turn % 2::2] if QUICK else general_schedulers()


def needs(verb):
    return unittest.skipUnless(ORDO and verb in verbs(), f"no verb {verb}")


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


class Base(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.n = 60
        rng = random.Random(1)
        # no edge leads to vertices 50 and beyond
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

    def write(self, name, text):
        path = self.path(name)
        with open(path, "w") as f:
            f.write(text)
        return path

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


def main():
    if not ORDO:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} PATH_OF_ORDO [unittest arguments]")
    unittest.main()
