#!/usr/bin/env python3
"""`ordo compare`: its table, its records, sources in pairs, interrupts. usage: compare_test.py PATH_OF_ORDO [unittest arguments]"""
import json
import os
import pathlib
import re
import signal
import subprocess
import time

from command import ORDO, Base, Terminal, main, needs, ordo, schedulers
from references import INF, dijkstra


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
        r = self.ok(ordo("compare", "bfs", self.gr, "--schedulers", "delta:lock,bsp", "-n", 1, "--set", "delta.chain=3"))
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

    def test_sources_are_paired(self):
        """A result for each source, and the table from the times of all of them, each the median of its rounds."""
        listed, file = self.path("sources"), self.path("paired.json")
        sources = [self.source, 55, 56]
        with open(listed, "w") as f:
            f.writelines(f"{s}\n" for s in sources)
        out = self.ok(ordo("compare", "sssp", self.gr, "--sources", listed, "-n", 3, "--json", file)).out
        with open(file) as f:
            records = [json.loads(l) for l in f]
        self.assertEqual(len(records), 3 * 3 * len(schedulers()))
        median = lambda x: sorted(x)[len(x) // 2]
        times = {}
        for r in records:
            times.setdefault(r["options"]["scheduler"], {}).setdefault(r["source"], []).append(
                r["seconds"]["run"] + (r["seconds"]["transfer"] or 0))
        mean = {k: 1.0 for k in times}
        for k, by in times.items():
            for s in sources:
                mean[k] *= median(by[s]) ** (1 / 3)
        slowest = max(mean.values())
        for s in sources:
            reached = sum(d < INF for d in dijkstra(self.n, self.edges, s))
            m = re.search(rf"(?m)^Source {s}: +reached {reached}, .*; fastest (\w+), ([\d.]+) ms$", out)
            self.assertTrue(m, out)
            best = min(median(by[s]) for by in times.values())
            self.assertAlmostEqual(float(m[2]), 1e3 * best, delta=0.00051)
            self.assertAlmostEqual(1e3 * median(times[m[1]][s]), 1e3 * best, delta=0.00051)
        for name, ms, ratio in re.findall(r"(?m)^[* ] (\w+) +\w+ +([\d.]+) +[\d.]+\.\.[\d.]+ +([\d.]+)x", out):
            self.assertAlmostEqual(float(ms), 1e3 * median([median(times[name][s]) for s in sources]), delta=0.00051)
            self.assertAlmostEqual(float(ratio), slowest / mean[name], delta=0.011 + 0.001 * slowest / mean[name])
        self.assertRegex(out, r"geometric mean over the sources\); each from 9 runs and 3 sources")

    def interrupted(self, *words, wait):
        """Ctrl-C after `wait` records are in the JSON beside the file; text, JSON, and the file as it was before."""
        file = self.path("interrupted.json")
        with open(file, "w") as f:
            f.write("old\n")
        child = subprocess.Popen([ORDO, *words, "--json", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            beside = pathlib.Path(self.folder.name).glob
            while sum(p.read_text().count("\n") for p in beside("interrupted.json.tmp.*")) < wait:
                self.assertIsNone(child.poll(), "ended before the signal")
                time.sleep(0.002)
            time.sleep(0.1)
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=60)
        finally:
            child.kill()
        self.assertEqual(child.returncode, 130, err)
        self.assertRegex(err, rb"\Aordo: cancelled[^\n]*\n\Z")
        self.assertEqual([n for n in os.listdir(self.folder.name) if ".tmp." in n], [])
        with open(file) as f:
            return out.decode(), f.read()

    def test_interrupted(self):
        """The table and the JSON hold what finished: where the run ends by the flag, and where the process is ended."""
        quick = ["compare", "sssp", "-g", "12", "-n", "1000000"]
        out, text = self.interrupted(*quick, wait=20)
        records = [json.loads(l) for l in text.splitlines()]
        self.assertGreaterEqual(len(records), 20)
        self.assertEqual(sorted(self.rows(out)), sorted(schedulers()))
        runs, wanted = map(int, re.search(r"(?m)^Interrupted: +(\d+) of (\d+) runs were made", out).groups())
        self.assertEqual((runs, wanted), (len(records), 1000000 * len(schedulers())))
        self.assertIn("Best:", out)
        # METIS is deaf to signals: the process is ended while it works
        deaf = ["compare", "sssp", "--generate", "rmat --scale 19 --weights uniform:1:255", "-n", "2", "--schedulers",
                "delta,bsp,lock_server", "--set", "partition=metis", "--no-verify"]
        if "no METIS" in ordo("sssp", self.gr, "--scheduler", "lock_server", "--set", "partition=metis").err:
            self.skipTest("no METIS")
        out, text = self.interrupted(*deaf, wait=2)
        self.assertEqual([json.loads(l)["options"]["scheduler"] for l in text.splitlines()], ["delta", "bsp"])
        self.assertEqual(sorted(self.rows(out)), ["bsp", "delta"])
        self.assertRegex(out, r"(?m)^Interrupted: +2 of 6 runs were made")

    def test_interrupted_before_anything_finished(self):
        file = self.path("early.json")
        with open(file, "w") as f:
            f.write("old\n")
        child = subprocess.Popen([ORDO, "compare", "sssp", "-g", "21", "--json", file, "--progress"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.read(child.stderr.fileno(), 1)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130)
        with open(file) as f:
            self.assertEqual(f.read(), "old\n")

    def test_rows_appear_on_a_terminal(self):
        """While runs go on, in any width, and drawn over; in the end the table is there once, whole."""
        for columns in (40, 80, 200):
            t = Terminal(columns, "compare", "sssp", "-g", "12", "-n", "1000000")
            t.until(rb"lock_server server")
            t.child.send_signal(signal.SIGINT)
            self.assertEqual(t.wait(), 130)
            # what is left on the screen: a sequence that goes up clears what is below
            screen = []
            for line in re.sub(rb"[^\n]*\r(?!\n)", b"", re.sub(rb"\r\x1b\[K", b"\r", t.text.replace(b"\x1b[K", b""))
                               .replace(b"\r\n", b"\n").replace(b"A\r\x1b[J", b"A")).decode().split("\n"):
                while m := re.match(r"\x1b\[(\d+)A", line):
                    screen, line = screen[:len(screen) - int(m[1])], line[m.end():]
                screen.append(line)
            text = "\n".join(screen)
            self.assertEqual(text.count("median ms"), 1, text)
            self.assertEqual(sorted(self.rows(text)), sorted(schedulers()))
            drawn = [l for l in t.text.decode().replace("\r", "").split("\n") if l.startswith(("* ", "  ")) and not l.endswith(("PASS", "verified"))]
            self.assertTrue(drawn or columns == 200)  # where the table fits, the lines that are drawn look like the last ones
            self.assertTrue(all(len(re.sub(r"\x1b\[\w+", "", l)) < columns for l in drawn), drawn)


if __name__ == "__main__":
    main()
