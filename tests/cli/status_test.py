#!/usr/bin/env python3
"""Exit statuses, signals, standard streams, files that cannot be written, progress. usage: status_test.py PATH_OF_ORDO [unittest arguments]"""
import gzip
import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest

from command import ORDO, Base, Terminal, main, needs, ordo, verbs


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
            struct first { unsigned *array; }; /* of a query its sources, of an answer its values */
            typedef int fn(const void *, const struct first *, const void *, const struct first *);
            int ordo_sssp_from(const void *g, const struct first *query, const void *options, const struct first *answer)
            {
                fn *real = (fn *)dlsym(RTLD_NEXT, "ordo_sssp_from");
                int status = real(g, query, options, answer);
                answer->array[query->array[0]] = 1;
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
            r = ordo("cc", graph, "--threads", 1, "--scheduler", "bsp", preexec_fn=limit)
            if "Sanitizer" in r.err:
                self.skipTest("a sanitizer needs more address space")
            if r.returncode == 0:
                break
            if "error while loading shared" in r.err or "cannot allocate TLS" in r.err:  # the loader's own messages
                continue
            said.add(re.sub(r"[\d.]+ *\w?B?", "#", self.ok(r, 4).err))
            if "are available" in r.err:  # predicted; without the check it is met
                self.assertIn(ordo("cc", graph, "--threads", 1, "--scheduler", "bsp", "--force", preexec_fn=limit).returncode, (0, 4))
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

    def test_signal_while_a_graph_is_made(self):
        """A first signal cancels the library's call, which says what it was doing; nothing is left behind."""
        file = self.path("made.wsg")
        with open(file, "w") as f:
            f.write("old\n")
        child = subprocess.Popen([ORDO, "generate", "urand", "--scale", "20", "-o", file, "--progress"], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        seen = b""
        while b"%" not in seen:  # progress with a total
            byte = child.stderr.read(1)
            self.assertNotEqual(byte, b"", seen)
            seen += byte
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
        self.assertEqual(child.returncode, 130, err)
        self.assertRegex(err.decode().split("\r")[-1], r"ordo: cancelled( while [a-z ]+)?\n\Z")
        with open(file) as f:
            self.assertEqual(f.read(), "old\n")
        self.assertEqual([n for n in os.listdir(self.folder.name) if ".tmp." in n], [])

    def test_reader_of_help_goes_away(self):
        """What explains ends quietly: `ordo help | head -1`; the pipe's other end is closed before anything is written."""
        for words in (["help"], ["--help"], ["help", "sssp"], ["sssp", "--help"], ["man"], ["schedulers"], ["operators"],
                      ["version"], ["help", "delta"]):
            read, write = os.pipe()
            os.close(read)
            r = subprocess.run([ORDO, *words], stdout=write, stderr=subprocess.PIPE)
            os.close(write)
            self.assertEqual((r.returncode, r.stderr), (0, b""), words)
        r = subprocess.run([ORDO, "help", "nonsense"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(r.returncode, 2)

    def test_the_reason_of_a_failed_write(self):
        """Also where the write failed long before the end, when errno has been something else since."""
        big = ["--generate", "uniform --vertices 50000 --degree 1", "--threads", "1", "--output", "-"]
        words = ["sssp", *big, "-r", "0"]
        read, write = os.pipe()
        os.close(read)
        r = subprocess.run([ORDO, *words], stdout=write, stderr=subprocess.PIPE)
        os.close(write)
        self.assertEqual((r.returncode, r.stderr), (3, b"ordo: standard output: cannot write: Broken pipe\n"))
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w") as full:
                for words in (words, ["sssp", self.gr], ["operators"], ["sssp", self.gr, "-n", "2000"], ["compare", "sssp", self.gr]):
                    r = subprocess.run([ORDO, *words], stdout=full, stderr=subprocess.PIPE)
                    self.assertEqual((r.returncode, r.stderr),
                                     (3, b"ordo: standard output: cannot write: No space left on device\n"), words)
            self.refused(3, "/dev/full: cannot write: No space left", "sssp", *big[:-2], "-r", 0, "--output", "/dev/full")
        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))
        file = self.path("large")
        r = subprocess.run([ORDO, "sssp", *big[:-1], file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=small)
        self.assertEqual((r.returncode, r.stderr.decode()), (3, f"ordo: {file}: cannot write: File too large\n"))
        self.assertFalse(os.path.exists(file))

    def test_planted_links(self):
        """What is written beside a file follows no link and takes no name that can be foretold; a file is new."""
        victim = self.path("victim")
        with open(victim, "w") as f:
            f.write("precious\n")
        folder = tempfile.mkdtemp(dir=self.folder.name)
        # The names that a process of the next thousand numbers would use, planted: pids are handed out in turn.
        with open("/proc/sys/kernel/pid_max") as f:
            most = int(f.read())
        outputs = {"--output": "o", "--json": "j", "--tree": "t", "--trace": "c"}
        probe = subprocess.Popen(["true"])
        probe.wait()
        for pid in range(probe.pid, probe.pid + 1000):
            for name in (*outputs.values(), "names", "graph.el"):
                os.symlink(victim, os.path.join(folder, f"{name}.tmp.{pid % most}"))
        words = [w for option, name in outputs.items() for w in (option, os.path.join(folder, name))]
        self.assertEqual(ordo("sssp", self.gr, "-r", self.source, *words).returncode, 0)
        self.assertEqual(ordo("sample", self.gr, os.path.join(folder, "graph.el"), "--random", 1, "--drop-weights", "--names",
                              os.path.join(folder, "names")).returncode, 0)
        with open(victim) as f:
            self.assertEqual(f.read(), "precious\n")
        for name in (*outputs.values(), "names", "graph.el"):
            self.assertFalse(os.path.islink(os.path.join(folder, name)), name)
            self.assertGreater(os.path.getsize(os.path.join(folder, name)), 0)
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))

    def answers_soon(self, words, until, stdout=False, most=0.6):
        """Interrupted once `until` was printed; the time that it takes to end, of which the command promises 0.1 s."""
        child = subprocess.Popen([ORDO, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        stream, seen = child.stdout if stdout else child.stderr, b""
        try:
            while until not in seen:
                piece = os.read(stream.fileno(), 4096)
                self.assertTrue(piece, f"{words} ended before {until}: {seen}")
                seen += piece
            time.sleep(0.05)
            self.assertIsNone(child.poll(), (words, seen))
            start = time.monotonic()
            child.send_signal(signal.SIGINT)
            _, err = child.communicate(timeout=120)
            took = time.monotonic() - start
        finally:
            child.kill()
        self.assertEqual(child.returncode, 130, err)
        self.assertRegex(err, rb"ordo: cancelled[^\n]*\n\Z")
        self.assertLess(took, most, words)
        self.assertEqual([n for n in os.listdir(self.folder.name) if ".tmp." in n], [])

    def test_every_phase_answers_a_signal(self):
        large = self.path("large.el")
        rmat = ["--generate", "rmat --scale 18 --weights uniform:1:255"]
        self.answers_soon(["generate", "rmat", "--scale", "22", "-o", large, "--progress"], b"making")
        self.assertFalse(os.path.exists(large))
        self.ok(ordo("generate", "rmat", "--scale", "18", "-o", large))
        for words in (["sssp", large], ["convert", large, self.path("copy.el")], ["info", large]):
            self.answers_soon([*words, "--symmetrise", "--progress"], b"reading")
        for suffix, scale in ((".el", "20"), (".npz", "21")):  # the latter is written faster
            self.answers_soon(["generate", "rmat", "--scale", scale, "-o", self.path("copy" + suffix), "--progress"], b"writing")
            self.assertFalse(os.path.exists(self.path("copy" + suffix)))
        self.answers_soon(["sssp", *rmat, "--verify=serial", "--progress"], b"verifying")
        # what a run prepares: METIS does not look at any flag
        prepares = ["sssp", *rmat, "--scheduler", "lock_server", "--set", "partition=metis"]
        r = ordo("sssp", self.gr, *prepares[3:])
        if "no METIS" not in r.err:
            self.answers_soon(prepares, b"edges,", stdout=True)
        os.unlink(large)

    def test_progress_fits_the_terminal(self):
        """No line of it is as long as the terminal is wide, so none wraps; and it says how much is done."""
        name = self.path("a name of a file that is rather long, as they are where they say what they hold, müßig.wel")
        with open(name, "w") as f:
            f.write("0 1 5\n1 2 5\n")
        for columns in (40, 80, 200):
            for words in (["sssp", name, "-n", 3, "--progress", "-v"],
                          ["sssp", "--generate", "rmat --scale 16 --weights uniform:1:255 --degree 16", "-n", 4, "-v"],
                          ["generate", "grid", "--width", 20, "--height", 20, "-o", name + ".wsg.ordo"],
                          ["compare", "sssp", name, "-n", 2]):
                t = Terminal(columns, *words)
                self.assertEqual(t.wait(), 0, t.text)
                lines = t.progress()
                self.assertTrue(lines, t.text)
                for line in lines:
                    self.assertLess(len(line), columns, line)
                if "-n" in words:
                    self.assertTrue(any(re.match(r"\d+ of \d+: ", l) for l in lines), lines)
                self.assertEqual(t.text.count(b"\r\x1b[K") + t.text.count(b"\x1b[K\r"), 0 + t.text.count(b"\r\x1b[K") + t.text.count(b"\x1b[K\r"))

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


if __name__ == "__main__":
    main()
