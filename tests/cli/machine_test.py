#!/usr/bin/env python3
"""`ordo bench machine`, and the share of its ceilings in `ordo compare`. usage: machine_test.py PATH_OF_ORDO [unittest arguments]"""
import csv
import json
import math
import os
import re
import signal
import subprocess
import time

from command import ORDO, Base, main, needs, ordo


@needs("bench")
class Machine(Base):
    def setUp(self):
        self.cache = self.path("cache")
        self.environment = {**os.environ, "ORDO_CACHE": self.cache}
        self.file = os.path.join(self.cache, "machine.json")

    def kept(self):
        with open(self.file) as f:
            return json.load(f)["measured"]

    def shares(self, *words):
        """What the column of ceiling says, by label."""
        out = self.ok(ordo("compare", "sssp", "--generate", "rmat --scale 12 --weights uniform:1:9", "--schedulers", "delta,bsp", "--threads", 2, *words,
                           env=self.environment)).out
        head, *rows = [line for line in out.splitlines() if re.match(r"[* ] (scheduler|delta|bsp) ", line)]
        if "of ceiling" not in head:
            return {row[2:].split()[0]: "-" for row in rows}
        at = head.index("of ceiling") + len("of ceiling")
        return {row[2:].split()[0]: row[:at].rsplit("  ", 1)[1].strip() for row in rows}

    def test_figures_are_kept_and_used(self):
        file = self.path("runs.jsonl")
        self.assertEqual(set(self.shares().values()), {"-"})
        out = self.ok(ordo("bench", "machine", "--threads", 2, env=self.environment)).out
        (one,) = self.kept()
        self.assertEqual(one["threads"], 2)
        sizes = [r["bytes"] for r in one["random"]]
        self.assertEqual(sizes, sorted(sizes))
        for r in one["random"]:  # what no machine exceeds, and each has
            for key, low, high, rate in (("loads_per_second", 1e5, 1e12, True), ("additions_per_second", 1e5, 1e12, True), ("hop_seconds", 1e-11, 1e-4, False)):
                best, median, worst = (r[key][which] for which in ("best", "median", "worst"))
                self.assertTrue(low < worst <= median <= best < high if rate else low < best <= median <= worst < high, (key, r))
        self.assertGreater(one["random"][-1]["hop_seconds"]["best"], 3 * one["random"][0]["hop_seconds"]["best"])  # memory is farther than a cache
        stream = one["stream_bytes_per_second"]
        shown = re.search(r"(?m)^Reading in order: +(\S+) GB/s \((\S+) to (\S+)\)$", out)
        for text, which in zip(shown.groups(), ("median", "worst", "best")):  # four digits, of a figure that the file has rounded, too
            self.assertAlmostEqual(float(text) / (stream[which] / 1e9), 1, delta=1e-3)
        self.assertGreater(one["one_address_per_second"]["best"], 1e5)
        self.assertNotIn("device", one)
        shares = self.shares("--json", file, "--csv", self.path("t.csv"))
        with open(file) as f:
            records = [json.loads(line) for line in f]
        with open(self.path("t.csv"), newline="") as f:
            seconds = {r["scheduler"]: float(r["seconds"]) for r in csv.DictReader(f)}
        cells = 4 * records[0]["graph"]["vertices"]
        (a, b), = [(x, y) for x, y in zip(one["random"], one["random"][1:]) if x["bytes"] < cells <= y["bytes"]] or [(one["random"][0],) * 2]
        share = math.log(cells / a["bytes"]) / math.log(b["bytes"] / a["bytes"]) if a is not b else 0
        loads = a["loads_per_second"]["best"] * (b["loads_per_second"]["best"] / a["loads_per_second"]["best"]) ** share
        for label, text in shares.items():
            edges = [r["counts"]["edges"] for r in records if r["label"] == label]
            edges = sum(edges) / len(edges)
            floor = max(8 * edges / stream["best"], edges / loads)
            self.assertAlmostEqual(float(text.rstrip(" %")), 100 * floor / seconds[label], delta=0.06)
        self.assertRegex(self.ok(ordo("compare", "--from", file, env=self.environment)).out, rf"delta .* {re.escape(shares['delta'])} ")
        # other numbers of threads have figures of their own; a second time replaces
        self.assertEqual(set(self.shares("--threads", 1).values()), {"-"})
        for _ in range(2):
            self.ok(ordo("bench", "machine", "--threads", 1, "--quiet", env=self.environment))
        self.assertEqual([m["threads"] for m in self.kept()], [2, 1])
        # what is damaged counts as absent
        with open(self.file, "w") as f:
            f.write('{"measured": [{"cpu": 7, "random": []}, 3')
        self.assertEqual(set(self.shares().values()), {"-"})

    def test_refused(self):
        for words, why in ((("--scheduler", "bsp"), "."), (("--set", "x=1"), "takes no --set"), (("--json", "-"), "takes no --json"), (("--operations", 7), "takes no --operations"),
                           (("--sync", "lock"), "takes no --sync"), ((self.gr,), "takes no graph")):
            self.refused(2, why, "bench", "machine", *words, env=self.environment)
        bare = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME", "ORDO_CACHE")}
        self.refused(2, "no folder to keep figures in", "bench", "machine", env=bare)

    def test_interrupted(self):
        child = subprocess.Popen([ORDO, "bench", "machine", "--threads", "3"], env={**self.environment, "ORDO_CACHE": self.path("none")}, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        start = time.monotonic()
        child.communicate(timeout=60)
        self.assertLess(time.monotonic() - start, 2)
        self.assertEqual(child.returncode, 130)
        self.assertFalse(os.path.exists(self.path("none")))


if __name__ == "__main__":
    main()
