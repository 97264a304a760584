#!/usr/bin/env python3
"""Graph files as people have them, through the command: files_test.py PATH_OF_ORDO [unittest arguments]."""
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from command import ORDO, main, ordo


class Base(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def file(self, name, text):
        with open(self.path(name), "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        return self.path(name)

    def names(self):
        return sorted(os.listdir(self.folder.name))

    def good(self, *words, **more):
        r = ordo(*words, **more)
        self.assertEqual((r.returncode, r.err), (0, ""), (words, r.err))
        return r

    def refused(self, status, pattern, *words, **more):
        r = ordo(*words, **more)
        self.assertEqual(r.returncode, status, r.err + r.out)
        self.assertRegex(r.err, r"\Aordo: [^\n]+\n\Z")
        self.assertRegex(r.err, pattern)


class Locale(Base):
    def test_decimal_comma(self):
        """What the command reads, prints and writes in a locale with decimal commas is what it is in locale C."""
        made = self.path("de_DE.UTF-8")
        try:
            subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", made], capture_output=True)
        except FileNotFoundError:
            self.skipTest("no localedef")
        env = dict(os.environ, LOCPATH=self.folder.name, LC_ALL="de_DE.UTF-8")
        seen = subprocess.run(["env", "printf", "%.1f", "0,5"], env=env, capture_output=True, text=True)
        if seen.stdout != "0,5":
            self.skipTest("localedef cannot make a locale with decimal commas here")
        graph = self.file("a.wel", "0 1 0.5\n1 2 1.25\n")
        found = []
        for env in (dict(os.environ, LC_ALL="C"), env):
            out, record = self.path("out"), self.path("record.json")
            self.good("sssp", graph, "--source", 0, "--scheduler", "adds", "--set", "factor=0.625", "--timeout", "9.5",
                      "--output", out, "--json", record, env=env)
            self.good("convert", graph, self.path("b.wel"), "--quiet", env=env)
            with open(out) as values, open(record) as line, open(self.path("b.wel")) as edges:
                found.append((values.read(), json.loads(line.read())["options"]["settings"], edges.read(),
                              [l for l in self.good("info", graph, "--quick", env=env).out.splitlines()
                               if "Time" not in l and "emory" not in l and "about" not in l]))
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0][0], "0\n0.5\n1.75\n")


class Reading(Base):
    def edges(self, path, *words):
        self.good("convert", path, self.path("edges.wel"), "--quiet", *words)
        with open(self.path("edges.wel")) as f:
            return [tuple(line.split()) for line in f]

    def test_columns(self):
        path = self.file("a.csv", "6,2,4,1289241911.72836\n6,5,2,1289241941.53378\n")
        self.refused(3, r"a\.csv:1: found 4 columns without names.*--columns", "info", path)
        for words in (["--columns", "1,2,3"], ["--columns=1,2,3"]):
            self.assertEqual(self.edges(path, *words), [("6", "2", "4"), ("6", "5", "2")])
        path = self.file("b.csv", "follower,followee,since\n6,2,2019\n")
        self.refused(3, r"b\.csv:1: found columns 'follower', 'followee', 'since'", "bfs", path, "--source", 6)
        self.assertEqual(self.edges(path, "--columns", "followee,follower,since"), [("2", "6", "2019")])
        self.refused(2, "no column 'x'", "info", path, "--columns", "follower,x")
        self.refused(2, "--columns needs a file", "info", "--generate", "path --vertices 3", "--columns", "1,2")
        for verb in ("sssp", "compare", "convert", "info", "sample", "bench"):
            self.assertIn("--columns", self.good("help", verb).out)
            self.assertIn("--round", self.good("help", verb).out)

    def test_round(self):
        path = self.file("a.wel", "0 1 0.5\n1 2 0.12345678901\n")
        self.refused(3, r"a\.wel:2: found '0\.12345678901', expected .*--round", "sssp", path, "--source", 0)
        self.good("sssp", path, "--source", 0, "--round")
        self.good("bfs", path, "--source", 0)  # which needs no weights
        self.assertEqual(self.edges(path, "--round"), [("0", "1", "0.5"), ("1", "2", "0.123456791")])
        self.refused(2, "--round needs a file", "info", "--generate", "path --vertices 3", "--round")

    def test_parallel_edges_for_scipy(self):
        """They are written, but SciPy adds them up: that is said, once."""
        path, out = self.file("a.wel", "0 1 5\n0 1 7\n"), self.path("a.npz")
        r = ordo("convert", path, out)
        if "without libzip" in r.err:
            self.skipTest(r.err)
        self.assertEqual(r.returncode, 0)
        self.assertRegex(r.err, r"\Aordo: warning: [^\n]*a\.npz: has parallel edges, which SciPy adds up; --dedup [^\n]+\n\Z")
        self.good("convert", path, out, "--quiet")
        self.good("convert", path, out, "--dedup", "min")
        self.good("convert", path, self.path("b.wel"))
        self.good("convert", self.file("c.wel", "0 1 5\n1 1 7\n2 1 7\n"), out)
        try:
            import scipy.sparse
        except ImportError:
            return
        self.good("convert", path, out, "--quiet")
        self.assertEqual(scipy.sparse.load_npz(out).todense()[0, 1], 12)

    def test_every_made_list_is_its_own(self):
        """A comma, a tab or a semicolon for the blanks, with names or without: the same graph."""
        plain = self.path("plain.wel")
        self.good("generate", "uniform", "--vertices", 30000, "--weights", "uniform:1:900", "-o", plain)
        with open(plain) as f:
            text = f.read()
        want = json.loads(self.good("info", plain, "--quick", "--json", "-").out)["graph"]["checksum"]
        count = text.count("\n")
        files = {"a.csv": text.replace(" ", ","), "b.csv": "src;dst;w\n" + text.replace(" ", ";"),
                 "a.tsv": "u\tv\tcost\n" + text.replace(" ", "\t"), "a.txt": f"30000\n{count}\n" + text,
                 "b": f"30000 {count}\n" + text, "c": "// c\r\n" + text.replace("\n", "\r\n")}
        for name, data in files.items():
            for threads in (1, 3):
                with self.subTest(name, threads=threads):
                    r = self.good("info", self.file(name, data), "--quick", "--json", "-", "--threads", threads)
                    self.assertEqual(json.loads(r.out)["graph"]["checksum"], want)


class Threads(Base):
    """Graphs and answers that several threads write: parts are formatted at the same time and written in order."""
    SUFFIXES = (".gr", ".mtx", ".wel", ".wsg", ".ggr", ".ordo", ".wel.gz", ".gr.zst")

    def setUp(self):
        super().setUp()
        self.graph = self.path("rmat.ordo")
        self.good("generate", "rmat", "--scale", 14, "--degree", 8, "--weights", "uniform:1:1000000", "-o", self.graph)

    def bytes_of(self, path):
        with open(path, "rb") as f:
            return f.read()

    def check(self, suffix, *words):
        """The same bytes for any number of threads, into files, and into a pipe."""
        one, more = self.path("one" + suffix), self.path("more" + suffix)
        r = ordo("convert", *words, one, "--threads", 1)
        if "built without" in r.err:
            return
        self.assertEqual((r.returncode, r.err), (0, ""))
        for threads in (2, 5):
            self.good("convert", *words, more, "--threads", threads)
            self.assertEqual(self.bytes_of(more), self.bytes_of(one), (suffix, threads))
        pipe = self.path("pipe" + suffix)
        os.mkfifo(pipe)
        with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
            child = subprocess.Popen([ORDO, "convert", *map(str, words), pipe, "--threads", "3"],
                                     stdout=subprocess.DEVNULL)
            piped = reader.communicate(timeout=60)[0]
        os.remove(pipe)
        self.assertEqual((child.wait(timeout=60), piped), (0, self.bytes_of(one)), suffix)

    def test_formats(self):
        for suffix in self.SUFFIXES:
            with self.subTest(suffix):
                self.check(suffix, self.graph)
        for suffix in (".el", ".sg", ".ordo"):
            with self.subTest(suffix):
                self.check(suffix, self.graph, "--drop-weights")
        for suffix in (".graph", ".mtx", ".wsg"):
            with self.subTest(suffix + ", symmetric"):
                self.check(suffix, self.graph, "--symmetrise", "--drop-loops", "--dedup", "min")
        sums = {json.loads(self.good("info", self.path(name), "--quick", "--json", "-").out)["graph"]["checksum"]
                for name in ("one.gr", "one.wel", "one.gr.zst") if os.path.exists(self.path(name))}
        self.good("convert", self.graph, self.path("more.mtx"), "--threads", 5)
        sums.add(json.loads(self.good("info", self.path("more.mtx"), "--quick", "--json", "-").out)["graph"]["checksum"])
        self.assertEqual(len(sums), 1)

    def test_long_row(self):
        """A line that is longer than a block is written while its part has the turn."""
        leaves = 150000
        star = self.file("star.el", "".join(f"0 {v}\n" for v in range(1, leaves + 1)))
        self.check(".graph", star, "--symmetrise")
        lines = self.bytes_of(self.path("one.graph")).decode().split("\n")
        self.assertEqual(lines[1], " ".join(str(v) for v in range(2, leaves + 2)))
        self.assertEqual(set(lines[2:-1]), {"1"})

    def test_answers(self):
        for app, words in (("sssp", ["--source", 0]), ("bfs", ["--source", 0]), ("mst", ["--symmetrise"])):
            for suffix in (".txt", ".npy"):
                with self.subTest(app, suffix=suffix):
                    found = []
                    for threads in (1, 4):
                        out = self.path("answer" + suffix)
                        self.good(app, self.graph, *words, "--threads", threads, "--output", out, "--quiet")
                        found.append(self.bytes_of(out))
                    self.assertEqual(*found)
        distances = self.path("distances.txt")
        self.good("sssp", self.graph, "--source", 0, "--threads", 4, "--output", distances, "--quiet")
        with open(distances) as f:
            lines = f.read().split("\n")
        self.assertEqual((len(lines), lines[0], lines[-1]), (2 ** 14 + 1, "0", ""))
        self.assertTrue(all(line == "inf" or line.isdigit() for line in lines[:-1]))
        out = ordo("sssp", self.graph, "--source", 0, "--threads", 4, "--output", "-", "--quiet").out
        self.assertEqual(out, "\n".join(lines))

    def test_failures(self):
        """A disk that is full in the middle: the reason, no partial file, and the old file stays."""
        for suffix in (".ordo", ".wel", ".wsg", ".mtx", ".wel.gz"):
            for size in (0, 300000, 700000):
                with self.subTest(suffix, size=size):
                    out = self.file("old" + suffix, "old")
                    before = self.names()
                    self.refused(3, "File too large", "convert", self.graph, out, "--threads", 4,
                                 preexec_fn=lambda size=size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
                    self.assertEqual(self.names(), before)
                    self.assertEqual(self.bytes_of(out), b"old")
        for suffix in (".ordo", ".wel"):
            full = self.path("full" + suffix)
            os.symlink("/dev/full", full)
            self.refused(3, "No space left", "convert", self.graph, full, "--threads", 4)
        before = self.names()
        self.refused(3, "File too large", "sssp", self.graph, "--source", 0, "--quiet", "--threads", 4, "--output",
                     self.path("a.txt"),
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000)))
        self.assertEqual(self.names(), before)
        self.refused(3, "/dev/full.*No space left", "sssp", self.graph, "--source", 0, "--quiet", "--threads", 4,
                     "--output", "/dev/full")


class Writing(Base):
    WRAPPED = {".gz": ["gzip", "-dc"], ".xz": ["xz", "-dc"], ".zst": ["zstd", "-dc"]}

    def setUp(self):
        super().setUp()
        self.graph = self.path("graph.ordo")
        self.good("generate", "road", "--vertices", 20000, "-o", self.graph)
        self.checksum = self.sum(self.graph)

    def has(self, suffix):
        """Whether this build has the library; if not, that is said."""
        r = ordo("convert", self.graph, self.path("probe.wel" + suffix))
        if r.returncode == 0:
            os.remove(self.path("probe.wel" + suffix))
            return True
        self.assertEqual(r.returncode, 2)
        self.assertRegex(r.err, f"found the suffix \\{suffix}, expected another: this Ordo was built without")
        return False

    def sum(self, path, *words):
        return json.loads(self.good("info", path, "--quick", "--json", "-", *words).out)["graph"]["checksum"]

    def test_compressed(self):
        """By suffix; other programs undo it, the command reads it back, and it is the same file every time."""
        plain = self.path("plain.wel")
        self.good("convert", self.graph, plain)
        with open(plain, "rb") as f:
            text = f.read()
        for suffix, undo in self.WRAPPED.items():
            with self.subTest(suffix):
                if not self.has(suffix):
                    continue
                out = self.path("out.wel" + suffix)
                self.good("convert", self.graph, out)
                with open(out, "rb") as f:
                    first = f.read()
                self.assertLess(len(first), len(text) // 2)
                self.assertEqual(self.sum(out), self.checksum)
                try:
                    self.assertEqual(subprocess.run([*undo, out], capture_output=True, check=True).stdout, text)
                except FileNotFoundError:
                    print(f"no {undo[0]} here", file=sys.stderr)
                self.good("convert", self.graph, out)
                with open(out, "rb") as f:
                    self.assertEqual(f.read(), first)
                for kind in (".mtx", ".gr", ".wsg", ".ordo"):
                    out = self.path("a" + kind + suffix)
                    self.good("convert", self.graph, out)
                    self.assertEqual(self.sum(out, "--symmetric"), self.checksum)
                empty = self.file("empty.el", "# Nodes: 3 Edges: 0\n")
                self.good("convert", empty, self.path("none.el" + suffix))
                self.assertIn("3", self.good("info", "--quick", self.path("none.el" + suffix)).out)
        self.refused(2, r"suffix \.gz behind \.npz.*compressed itself", "convert", self.graph, self.path("a.npz.gz"))
        self.refused(2, r"no known suffix", "convert", self.graph, self.path("a.gz"))

    def test_compressed_failures(self):
        """A disk that is full, early or late: the reason, no partial file, and the old file stays."""
        def limited(size):
            return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        for suffix in filter(self.has, self.WRAPPED):
            for size in (0, 70000):
                with self.subTest(suffix, size=size):
                    out = self.file("old.wel" + suffix, "old")
                    before = self.names()
                    self.refused(3, "File too large", "convert", self.graph, out, preexec_fn=limited(size))
                    self.assertEqual(self.names(), before)
                    with open(out) as f:
                        self.assertEqual(f.read(), "old")
            os.symlink("/dev/full", self.path("full.wel" + suffix))
            self.refused(3, "No space left", "convert", self.graph, self.path("full.wel" + suffix))

    def test_links(self):
        """A link of one's own is followed, and the permissions of the file behind it stay; names beside it cannot be
        known in advance."""
        for suffix in (".wel", ".npz", ".wel.gz"):
            with self.subTest(suffix):
                if "built without" in ordo("convert", self.graph, self.path("probe" + suffix)).err:
                    continue
                real, link = self.file("real" + suffix, ""), self.path("link" + suffix)
                os.chmod(real, 0o640)
                os.symlink("real" + suffix, link)
                r = ordo("convert", self.graph, link)
                self.assertEqual(r.returncode, 0, r.err)
                self.assertTrue(os.path.islink(link))
                self.assertEqual(os.stat(real).st_mode & 0o7777, 0o640)
                self.assertEqual(self.sum(link), self.checksum)
        self.assertEqual([n for n in self.names() if ".tmp." in n], [])

    def test_planted_names(self):
        """A link at the name that temporary files once had, with the process's number, is neither followed nor removed."""
        victim = self.file("victim", "precious")
        child = subprocess.Popen(["sh", "-c", 'read go; exec "$@"', "sh", ORDO, "convert", self.graph, self.path("out.wel")],
                                 stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        planted = self.path(f"out.wel.tmp.{child.pid}")  # exec keeps the number of the process
        os.symlink(victim, planted)
        child.communicate(b"go\n", timeout=60)
        self.assertEqual(child.returncode, 0)
        with open(victim) as f:
            self.assertEqual(f.read(), "precious")
        self.assertTrue(os.path.islink(planted))

    @unittest.skipUnless(os.geteuid() == 0, "only root makes links of others")
    def test_links_of_others(self):
        """They are replaced, not followed: graphs, and what the command writes besides."""
        victim, link, answer = self.file("victim", "precious"), self.path("out.wel"), self.path("answer")
        for path in (link, answer):
            os.symlink("victim", path)
            os.lchown(path, 65534, 65534)
        self.good("convert", self.graph, link)
        self.good("bfs", self.graph, "--source", 0, "--output", answer)
        for path in (link, answer):
            self.assertFalse(os.path.islink(path))
        self.assertEqual(self.sum(link), self.checksum)
        with open(answer) as f:
            self.assertEqual(f.readline(), "0\n")
        with open(victim) as f:
            self.assertEqual(f.read(), "precious")

    def test_a_signal_removes_it(self):
        """The second signal ends the command at once: what was written so far goes with it."""
        if not self.has(".xz"):
            self.skipTest("no xz")
        large = self.path("large.ordo")
        self.good("generate", "uniform", "--vertices", 1000000, "--degree", 8, "--weights", "uniform:1:1000000", "-o", large)
        out = self.path("large.wel.xz")
        before = self.names()
        child = subprocess.Popen([ORDO, "convert", large, out], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            while self.names() == before:
                self.assertIsNone(child.poll())
                time.sleep(0.01)
            child.send_signal(signal.SIGINT)
            time.sleep(0.1)
            child.send_signal(signal.SIGINT)
            child.communicate(timeout=60)
        finally:
            child.kill()
        self.assertEqual(child.returncode, 130)
        self.assertEqual(self.names(), before)


if __name__ == "__main__":
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it, and so would what it starts
    main()
