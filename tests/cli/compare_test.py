#!/usr/bin/env python3
"""`ordo compare`: its table, its records, sources in pairs, interrupts. usage: compare_test.py PATH_OF_ORDO [unittest arguments]"""
import csv
import json
import math
import os
import pathlib
import random
import re
import signal
import subprocess
import time
import xml.etree.ElementTree

from command import ORDO, Base, Terminal, main, needs, ordo, schedulers
from references import INF, dijkstra


@needs("compare")
class Compare(Base):
    def rows(self, out):
        return {m[1]: m[0] for m in re.findall(r"(?m)^([* ]) (\S+) +(?:atomic|racy|lock|owner|server|race|none) .*(?:PASS|FAIL|-)$", out)}

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
        self.assertEqual(sorted(self.rows(r.out)), ["bsp", "delta:lock"])
        self.assertRegex(r.out, r"delta:lock +lock")
        r = self.ok(ordo("compare", "bfs", self.gr, "--schedulers", "delta:racy,bsp", "-n", 1))
        self.assertRegex(r.out, "delta:racy cannot run: .*'racy'")
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
            times.setdefault(r["label"], {}).setdefault(r["source"], {})[r["trial"]] = r["seconds"]["run"] + (r["seconds"]["transfer"] or 0)
        base = times[schedulers()[0]]
        for s in sources:
            reached = sum(d < INF for d in dijkstra(self.n, self.edges, s))
            m = re.search(rf"(?m)^Source {s}: +reached {reached}, .*; fastest (\w+), ([\d.]+) ms$", out)
            self.assertTrue(m, out)
            best = min(median(by[s].values()) for by in times.values())
            self.assertAlmostEqual(float(m[2]), 1e3 * best, delta=0.00051)
            self.assertAlmostEqual(1e3 * median(times[m[1]][s].values()), 1e3 * best, delta=0.00051)
        rows = re.findall(r"(?m)^[* ] (\w+) +\w+ +([\d.]+) +\S+ +([\d.]+)x", out)
        self.assertEqual(len(rows), len(times))
        for name, ms, ratio in rows:
            self.assertAlmostEqual(float(ms), 1e3 * median([median(times[name][s].values()) for s in sources]), delta=0.00051)
            mean = math.prod(median([base[s][t] / times[name][s][t] for t in (1, 2, 3)]) for s in sources) ** (1 / 3)
            self.assertAlmostEqual(float(ratio), mean, delta=0.0051)
        self.assertRegex(out, r"each from 9 runs and 3 sources")

    def test_order_is_random_and_rounds_are_whole(self):
        """In each round every contender runs once from every source, in an order of its own."""
        file = self.path("order.json")
        self.ok(ordo("compare", "sssp", self.gr, "--sources", 4, "--schedulers", "delta,bsp,inbox", "-n", 6, "--json", file, "--quiet"))
        with open(file) as f:
            records = [json.loads(l) for l in f]
        rounds = [[(r["label"], r["source"]) for r in records[i:i + 12]] for i in range(0, 72, 12)]
        self.assertEqual([r["trial"] for r in records], [1 + i // 12 for i in range(72)])
        self.assertTrue(all(sorted(r) == sorted(rounds[0]) for r in rounds))
        self.assertGreater(len({tuple(r) for r in rounds}), 4)
        self.assertEqual(len({r["session"] for r in records}), 1)
        self.assertEqual({(r["label"], r["row"]) for r in records}, {("delta", 1), ("bsp", 2), ("inbox", 3)})

    def labels(self, *words):
        """The labels of a comparison, with scheduler, sync, threads and settings of their records."""
        file = self.path("labels.json")
        self.ok(ordo("compare", "sssp", self.gr, "-n", 1, *words, "--json", file, "--quiet"))
        with open(file) as f:
            return {(r := json.loads(l))["label"]: r["options"] for l in f}

    def test_contenders(self):
        """Settings and syncs of their own; lists multiply; each record has what its label says."""
        found = self.labels("--schedulers", "delta,delta:delta=7,delta:lock:delta=9:chain=2,bsp")
        self.assertEqual(list(sorted(found)), ["bsp", "delta", "delta:delta=7", "delta:lock:delta=9:chain=2"])
        self.assertEqual([found[k]["settings"]["delta"] for k in ("delta:delta=7", "delta:lock:delta=9:chain=2")], [7, 9])
        self.assertEqual(found["delta:lock:delta=9:chain=2"]["sync"], "lock")
        found = self.labels("--schedulers", "delta:delta=7,near_far", "--set", "delta=5", "--sync", "lock,atomic", "--threads", "1,3")
        self.assertEqual(len(found), 8)
        for label, options in found.items():
            self.assertEqual((options["sync"], options["threads"]), ("lock" if ":lock" in label else "atomic", 3 if "/3" in label else 1), label)
            self.assertEqual(options["settings"]["delta"], 7 if "delta=7" in label else 5, label)  # its own comes before --set
        found = self.labels("--schedulers", "delta,bsp", "--sweep", "delta=1..2^3", "--sweep", "delta.chain=0,4")
        self.assertEqual(set(found), {"bsp"} | {f"delta:delta={d}:chain={c}" for d in (1, 2, 4, 8) for c in (0, 4)})
        self.assertEqual(found["delta:delta=8:chain=4"]["settings"]["delta"], 8)
        found = self.labels("--schedulers", "delta", "--sweep", "delta=1..1000:4")
        self.assertEqual(set(found), {f"delta:delta={d}" for d in (1, 10, 100, 1000)})
        for words, why in {("--schedulers", "bsp,delta,bsp"): "'bsp' is listed twice", ("--schedulers", "delta:lock:racy"): "expected NAME",
                           ("--schedulers", "delta:speed=1"): "no tunable 'speed'", ("--sweep", "speed=1..4"): "none of these schedulers",
                           ("--sweep", "delta=4..1"): "0 < A < B", ("--sweep", "delta"): "expected TUNABLE=VALUES", ("--sweep", "delta=0..4"): "0 < A < B",
                           ("--sweep", "delta=1..nan"): "0 < A < B", ("--sweep", "delta=1..4:1"): "COUNT",
                           ("--schedulers", "delta", "--sweep", "delta=" + ",".join(map(str, range(1, 300)))): "more than 256",
                           ("--threads", "1,0"): "--threads '0'", ("--device", "cpu,gpu"): "--device 'gpu'", ("--sync", "atomic,"): "''",
                           ("--baseline", "inboxes"): "does not take part", ("--sources", "0"): "expected a number from 1",
                           ("--adaptive", "0"): "above 0"}.items():
            self.refused(2, why, "compare", "sssp", self.gr, "-n", 1, *words)

    def test_several_apps_and_means_over_graphs(self):
        out = self.ok(ordo("compare", "sssp,bfs", self.gr, self.chain, "-n", 5, "--schedulers", "delta,bsp")).out
        self.assertEqual(out.count("median ms"), 4)
        for app in ("sssp", "bfs"):
            self.assertRegex(out, rf"(?m)^  {app} +bsp +[\d.]+x over 2 graphs, [\d.]+ to [\d.]+")
        self.refused(2, "app 'bsf' is unknown", "compare", "sssp,bsf", self.gr)

    def test_adaptive(self):
        """More rounds than --repeat, until the time is up or the intervals are narrow."""
        file = self.path("adaptive.json")
        start = time.monotonic()
        self.ok(ordo("compare", "sssp", self.gr, "-n", 2, "--schedulers", "delta,bsp", "--adaptive", 1, "--json", file, "--quiet"))
        self.assertLess(time.monotonic() - start, 30)
        with open(file) as f:
            self.assertGreater(sum(1 for _ in f), 8)

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
                "delta,bsp,lock_server", "--set", "partition=metis", "--no-verify", "--warmup", "0"]
        if "no METIS" in ordo("sssp", self.gr, "--scheduler", "lock_server", "--set", "partition=metis").err:
            self.skipTest("no METIS")
        for seed in map(str, range(1, 30)):  # one by which lock_server comes last
            order = self.ok(ordo("compare", "sssp", self.gr, "-n", 1, *deaf[6:8], "--seed", seed, "--json", "-")).out
            if json.loads(order.splitlines()[2])["label"] == "lock_server":
                break
        out, text = self.interrupted(*deaf, "--seed", seed, wait=2)
        done = [json.loads(l)["options"]["scheduler"] for l in text.splitlines()]
        self.assertTrue(done and "lock_server" not in done, done)
        self.assertEqual(sorted(self.rows(out)), sorted(set(done)))
        self.assertRegex(out, rf"(?m)^Interrupted: +{len(done)} of 6 runs were made")

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
            t.until(rb"(?s)(lock_server server.*){9}")  # by then every one has run
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


@needs("compare")
class Saved(Base):
    """Tables from files. Made-up times show whether the statistics are right."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.real = cls.path("real.jsonl")
        for app in ("sssp", "bfs"):
            r = ordo("compare", app, cls.gr, "--schedulers", "delta,bsp:lock,auto", "-n", 2, "--sources", 3, "--save", cls.real, "--quiet")
            assert r.returncode == 0, r.err
        with open(cls.real) as f:
            cls.records = [json.loads(l) for l in f]

    def record(self, **changed):
        """A record of sssp with other values; a key with a dot goes deeper."""
        r = json.loads(json.dumps(self.records[0]))
        for path, value in changed.items():
            at, keys = r, path.split("__")
            for key in keys[:-1]:
                at = at[key]
            at[keys[-1]] = value
        return r

    def write(self, name, records):
        with open(self.path(name), "w") as f:
            f.writelines(json.dumps(r) + "\n" for r in records)
        return self.path(name)

    def made_up(self, name, times, rounds, sources=1, session="0123456789abcdef", **more):
        """times: label -> a function of (source, round) that gives seconds."""
        return self.write(name, [self.record(label=label, row=row + 1, source=source, trial=r + 1, session=session,
                                             seconds__run=f(source, r), seconds__transfer=0, options__chosen=None,
                                             graph__source=more.get("graph", "g"), graph__checksum=more.get("checksum", "0" * 16),
                                             **{k: v for k, v in more.items() if "__" in k or k == "commit"})
                                 for r in range(rounds) for source in range(sources) for row, (label, f) in enumerate(times.items())])

    def table(self, *files, **more):
        """The rows of --csv, by label, and the text."""
        out = self.path("table.csv")
        text = self.ok(ordo("compare", "--from", *files, "--csv", out, *(w for k, v in more.items() for w in (f"--{k}", v)))).out
        with open(out, newline="") as f:
            return {r["scheduler"]: {k: float(v) if re.fullmatch(r"[\d.e+-]+", v) and k != "graph" else v for k, v in r.items()} for r in csv.DictReader(f)}, text

    def test_what_was_saved_is_what_was_printed(self):
        """The second call adds to the file; each app has its table; --json's records serve as well."""
        self.assertEqual(len(self.records), 36)
        json_file, saved, csv_file = self.path("a.json"), self.path("b.jsonl"), self.path("a.csv")
        words = ["compare", "sssp", self.gr, "--schedulers", "delta,inbox", "--sources", 2, "-n", 5]
        printed = self.ok(ordo(*words, "--json", json_file, "--save", saved, "--csv", csv_file)).out
        def without_the_moment(path):
            with open(path) as f:
                return [re.sub(r'"time":"[^"]*"|"peak_rss":\d+', "", line) for line in f]
        self.assertEqual(without_the_moment(json_file), without_the_moment(saved))
        with open(csv_file) as c:
            before = c.read()
        again = self.ok(ordo("compare", "--from", json_file, "--csv", csv_file)).out
        with open(csv_file) as c:
            self.assertEqual(c.read(), before)
        for line in printed.splitlines():
            if line.startswith(("* ", "  ", "Source ", "Baseline", "Best")):
                self.assertIn(line, again)
        out = self.ok(ordo("compare", "--from", self.real)).out
        self.assertEqual(re.findall(r"(?m)^App: +(\w+)", out), ["sssp", "bfs"])

    def test_estimates(self):
        """Medians, ratios in pairs, and what they hold; written out for few numbers, and by chance for many."""
        a, b = [5, 1, 9, 3, 7], [10, 2, 18, 6, 14]
        rows, text = self.table(self.made_up("twice.jsonl", {"delta": lambda s, r: 1e-3 * b[r], "bsp": lambda s, r: 1e-3 * a[r]}, 5))
        self.assertEqual((rows["delta"]["seconds"], rows["bsp"]["seconds"]), (10e-3, 5e-3))
        # times vary ninefold, the ratio of pairs not at all
        self.assertEqual([rows["bsp"][k] for k in ("speed_up", "speed_up_low", "speed_up_high")], [2, 2, 2])
        self.assertEqual([rows["bsp"][k] for k in ("seconds_low", "seconds_high")], [1e-3, 9e-3])
        self.assertRegex(text, r"Best: +bsp, 2.00 \(2.00 to 2.00\) times as fast as delta")
        rows, _ = self.table(self.path("twice.jsonl"), baseline="bsp")
        self.assertEqual((rows["delta"]["speed_up"], rows["bsp"]["baseline"]), (0.5, "bsp"))
        # sources count alike, however long their runs: ratios 4 and 1
        rows, _ = self.table(self.made_up("sources.jsonl", {"delta": lambda s, r: 4.0 if s else 1e-3, "bsp": lambda s, r: 1.0 if s else 1e-3}, 5, 2))
        self.assertAlmostEqual(rows["bsp"]["speed_up"], 2)
        self.assertAlmostEqual(rows["delta"]["seconds"], (4 + 1e-3) / 2)
        # fewer than five rounds and sources: no interval, and no winner
        rows, text = self.table(self.made_up("few.jsonl", {"delta": lambda s, r: 2.0, "bsp": lambda s, r: 1.0}, 4))
        self.assertEqual((rows["bsp"]["speed_up"], rows["bsp"]["speed_up_low"]), (2, ""))
        self.assertRegex(text, "Best: +bsp by its median; too few runs")

    def test_picture(self):
        """A panel for each app and graph, a dot for each row at its place, the words of its verdict; names are text and not markup."""
        svg = "{http://www.w3.org/2000/svg}"
        a = self.made_up("p.jsonl", {"delta": lambda s, r: 2e-3, "bsp": lambda s, r: 1e-3, "adds": lambda s, r: 8e-3}, 5, graph="<g> & \xfc.gr")
        b = self.made_up("q.jsonl", {"delta": lambda s, r: 2e-3, "bsp": lambda s, r: 2e-3}, 3, graph="h", checksum="f" * 16)
        out = self.path("p.svg")
        self.ok(ordo("compare", "--from", a, b, "--svg", out))
        root = xml.etree.ElementTree.parse(out).getroot()
        texts = [t.text for t in root.iter(svg + "text")]
        self.assertEqual(len([t for t in texts if "<g> & " in t or ", h: " in t]), 2, texts)
        titles = [g.find(svg + "title").text for g in root.iter(svg + "g")]
        self.assertEqual(len(titles), 5)
        self.assertIn("bsp: 1 ms, 1 to 1; 2.00x (2.00 to 2.00)", titles)
        self.assertIn("delta: 2 ms, 2 to 2; baseline", titles)
        self.assertIn("bsp: 2 ms; 1.00x, too few runs", titles)
        x = {g.find(svg + "title").text.split(":")[0]: float(g.find(svg + "circle").get("cx")) for g in list(root.iter(svg + "g"))[:3]}
        self.assertAlmostEqual(x["adds"] - x["delta"], 2 * (x["delta"] - x["bsp"]), delta=0.3)  # 8 : 2 is twice 2 : 1
        self.refused(2, "two outputs go to", "compare", "sssp", self.gr, "--csv", "x", "--svg", "x")
        self.assertEqual(ordo("compare", "--from", a, "--svg", "/dev/full").returncode, 3)

    def test_intervals_hold_the_truth(self):
        """About 95 of 100 intervals do; of equal schedulers one is called faster in few tables. Noise is common to a round, and wide."""
        rng = random.Random(7)
        files, held, named, tables = [], 0, 0, 100
        for t in range(tables):
            common = [rng.lognormvariate(0, 1) for _ in range(15)]
            noise = lambda: rng.lognormvariate(0, 0.1)
            times = {"delta": lambda s, r: common[r] * noise(), "bsp": lambda s, r: common[r] * noise(), "inbox": lambda s, r: common[r] * noise() / 1.5}
            files.append(self.made_up(f"noise{t}.jsonl", times, 15, graph=f"g{t}", checksum=f"{t:016x}"))
        out = self.path("noise.csv")
        text = self.ok(ordo("compare", "--from", *files, "--csv", out)).out
        with open(out, newline="") as f:
            for row in csv.DictReader(f):
                if row["scheduler"] == "bsp":
                    held += float(row["speed_up_low"]) <= 1 <= float(row["speed_up_high"])
                if row["scheduler"] == "inbox":
                    held += float(row["speed_up_low"]) <= 1.5 <= float(row["speed_up_high"])
        self.assertGreater(held, 0.88 * 2 * tables)
        self.assertLess(held, 2 * tables)  # not by being as wide as can be
        self.assertEqual(len(re.findall(r"Best: +inbox, 1\.\d", text)), tables)
        mean, low, high = map(float, re.search(r"sssp +inbox +([\d.]+)x over 100 graphs, ([\d.]+) to ([\d.]+)\n", text).groups())
        self.assertTrue(low - 0.01 < 1.5 < high + 0.01 and low <= mean <= high and high - low < 0.06, text[-300:])

    def test_choice_that_lost(self):
        slow = {"options__scheduler": "bsp", "options__chosen": "predicted 1 ms"}
        auto = [self.record(label="auto", row=1, source=0, trial=r + 1, seconds__run=2e-3 + 1e-6 * r, **slow) for r in range(5)]
        best = [self.record(label="delta", row=2, source=0, trial=r + 1, seconds__run=1e-3, options__chosen=None) for r in range(5)]
        text = self.ok(ordo("compare", "--from", self.write("lost.jsonl", auto + best))).out
        self.assertRegex(text, r"(?m)^Choice: +auto took bsp; delta is 2.00 \(2.00 to 2.00\) times as fast$")
        near = [{**r, "seconds": {**r["seconds"], "run": 1.05e-3}} for r in auto]
        self.assertNotIn("Choice:", self.ok(ordo("compare", "--from", self.write("near.jsonl", near + best))).out)

    def test_other_machines_and_commits(self):
        """Rows of their own; across calls from the same sources, unpaired; never pooled."""
        one = self.made_up("one.jsonl", {"delta": lambda s, r: 3e-3, "bsp": lambda s, r: 6e-3}, 5, 2)
        other = self.made_up("other.jsonl", {"delta": lambda s, r: 1e-3 * (1 + r % 2 * 1e-3)}, 7, 2, session="f" * 16, commit="another")
        rows, text = self.table(one, other, baseline=f"delta {self.records[0]['commit'][:12]}")
        self.assertEqual(len(rows), 3)
        self.assertAlmostEqual(rows["delta another"]["speed_up"], 3, places=2)
        self.assertRegex(text, r"Best: +delta another, 3.00 \(3.00 to 3.00\) times as fast")
        away = self.made_up("away.jsonl", {"delta": lambda s, r: 1e-3}, 5, 2, session="e" * 16, machine__cpu="Other 9000")
        rows, text = self.table(one, away)
        self.assertEqual(set(rows), {"delta on 1", "bsp on 1", "delta on 2"})
        self.assertRegex(text, r"(?m)^Machine 2: +Other 9000, ")

    def test_refused(self):
        """With the line, whatever cannot be compared or read."""
        words = ("compare", "--from")
        one = self.made_up("mine.jsonl", {"delta": lambda s, r: 1.0}, 2)
        for name, change, why in (("checksum", {"checksum": "f" * 16}, "other contents"), ("limit", {"options__limit": 7.0}, "other parameters"),
                                  ("sync", {"options__sync": "lock"}, "another sync"), ("settings", {"options__settings": {"delta": 3}}, "other settings")):
            changed = self.made_up("changed.jsonl", {"delta": lambda s, r: 1.0}, 2, session="d" * 16, **change)
            self.refused(3, rf"changed.jsonl:1: .*{why}.* than in .*mine.jsonl:\d", *words, one, changed)
        self.refused(3, "mine.jsonl:1: the run of delta was read before", *words, one, one)
        for text, why in (("", "no runs found"), ("\n\n", "no runs found"), ("{", ":1: "), (json.dumps(self.records[0]) + "\n[]\n", ":2: found a record of kind ''"),
                          (json.dumps(self.record(kind="bench")), "kind 'bench'"), (json.dumps(self.record(schema=2)), "schema 2"),
                          (json.dumps(self.record(trial=0)), ":1: the record is not complete"), (json.dumps(self.record(seconds__run=None)), "not complete"),
                          (json.dumps(self.record(seconds__run=-1.0)), "not complete"), (json.dumps({"kind": "run", "schema": 1}), "not complete"),
                          ("\0\1\2", ":1: ")):
            with open(self.path("bad.jsonl"), "w") as f:
                f.write(text)
            self.refused(3, why, *words, self.path("bad.jsonl"))
        self.refused(3, "No such file", *words, self.path("none"))
        self.refused(2, "--from makes no runs", *words, one, "--json", "-")
        self.refused(2, "two outputs go to", "compare", "sssp", self.gr, "--json", "x", "--csv", "x")

    def test_save_keeps_what_was_there(self):
        """A torn line of an earlier process ends; links and devices are refused; what was interrupted is kept."""
        file = self.path("torn.jsonl")
        with open(file, "w") as f:
            f.write('{"torn')
        self.ok(ordo("compare", "sssp", self.gr, "--schedulers", "delta", "-n", 1, "--save", file, "--quiet"))
        with open(file) as f:
            lines = f.read().split("\n")
        self.assertEqual((lines[0], len(lines), lines[2]), ('{"torn', 3, ""))
        json.loads(lines[1])
        os.symlink(file, self.path("link.jsonl"))
        for name in (self.path("link.jsonl"), "/dev/full", "/", self.path("no/folder")):
            self.refused(3, "cannot write", "compare", "sssp", self.gr, "--schedulers", "delta", "-n", 1, "--save", name)
        kept = self.path("kept.jsonl")
        child = subprocess.Popen([ORDO, "compare", "sssp", "-g", "12", "-n", "1000000", "--save", kept], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not os.path.exists(kept) or os.path.getsize(kept) < 10000:
            self.assertIsNone(child.poll())
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130)
        self.assertIn("median ms", self.ok(ordo("compare", "--from", kept)).out)


if __name__ == "__main__":
    main()
