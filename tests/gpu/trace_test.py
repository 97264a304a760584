#!/usr/bin/env python3
"""Traces by time on a GPU, through the command: trace_test.py ORDO GRAPH [unittest arguments].

What holds for every trace under every scheduler, in all three formats; critical operators; apps of several runs; runs that
are ended early; a CPU and a GPU on one axis. Skipped where there is no GPU.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

ORDO, GRAPH = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1))
SCHEDULERS = ("bsp", "near_far", "delta", "topology", "adds", "inbox", "lock_server", "broker")
RISING = ("seconds", "items", "edges", "useful", "stale", "activations", "spills")
COUNTS = ("items", "edges", "useful", "stale", "activations")


def ordo(*words):
    return subprocess.run([ORDO, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)


def setUpModule():
    r = ordo("sssp", "--generate", "path --vertices 10", "--device", "cuda")
    if r.returncode == 5:
        raise unittest.SkipTest(r.stderr.strip())


class Trace(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def traced(self, name, *words, status=0):
        file = os.path.join(self.folder.name, name)
        r = ordo(*words, "--device", "cuda", "--trace", file)
        self.assertEqual(r.returncode, status, r.stderr)
        with open(file) as f:
            return r, f.read()

    def check(self, trace, *, work=True):
        samples, count = trace["samples"], len(trace["samples"]["seconds"])
        self.assertGreaterEqual(count, 2)
        self.assertEqual(len(trace["workers"]), trace["threads"])
        self.assertEqual({len(letters) for letters in trace["workers"]}, {count})
        for column in RISING:
            self.assertEqual(samples[column], sorted(samples[column]), (trace["scheduler"], column))
        for event in trace["events"]:
            self.assertLessEqual(event["seconds"], samples["seconds"][-1] + 1e-4)
        if work:
            self.assertGreater(count, 10, trace["scheduler"])
            self.assertGreater(sum(samples["in_flight"][1:-1]), 0, trace["scheduler"])
            self.assertGreater(sum(samples["busy"]), 0, trace["scheduler"])
            self.assertTrue(any("b" in letters for letters in trace["workers"]), trace["scheduler"])
            self.assertGreater(max(samples["worklist_bytes"]), 0)

    def test_formats(self):
        for name in SCHEDULERS:
            with self.subTest(name):
                words = ("sssp", GRAPH, "--scheduler", name, "--warmup", 1, "-n", 2)
                r, text = self.traced("t.json", *words, "--json", "-")
                trace, record = json.loads(text), json.loads(r.stdout.splitlines()[-1])
                self.check(trace)
                for key in COUNTS:
                    self.assertEqual(trace["samples"][key][-1], record["counts"][key], (name, key))
                _, text = self.traced("t.csv", *words)
                rows = list(csv.DictReader(text.splitlines()))
                self.assertEqual([float(row["seconds"]) for row in rows], sorted(float(row["seconds"]) for row in rows))
                self.assertGreater(sum(row["event"] == "sample" for row in rows), 10)
                _, text = self.traced("t.perfetto", *words)
                names = {e["name"] for e in json.loads(text)["traceEvents"]}
                self.assertTrue({"busy", "in flight", "busy workers"} <= names, names)

    def test_period(self):
        _, text = self.traced("t.json", "sssp", GRAPH, "--scheduler", "delta", "--trace-period", 0.0001, "--warmup", 1)
        trace = json.loads(text)
        self.check(trace, work=False)
        self.assertEqual(trace["period"], 0.0001)
        for i, seconds in enumerate(trace["samples"]["seconds"][1:-1], 1):
            self.assertGreaterEqual(seconds, i * 0.0001 - 2e-6)

    def test_critical_operators(self):
        for name in SCHEDULERS:
            with self.subTest(name):
                r, text = self.traced("t.json", "maxflow", "--generate", "rlg --width 64 --height 64", "--scheduler", name, "--json", "-")
                trace = json.loads(text)
                self.check(trace, work=False)
                # the trace has the global relabels, too
                self.assertGreaterEqual(trace["samples"]["items"][-1], json.loads(r.stdout.splitlines()[-1])["counts"]["items"])

    def test_several_runs(self):
        for words in (["kcore", "--generate", "rmat --scale 12", "--scheduler", "bsp"], ["mst", "--generate", "road --vertices 20000", "--scheduler", "delta"],
                      ["mst", "--generate", "road --vertices 20000"]):
            r = ordo(*words, "--device", "cuda", "--json", "-")
            if r.returncode:
                self.assertIn(r.returncode, (2, 4, 5), r.stderr)
                continue
            r, text = self.traced("t.json", *words, "--json", "-")
            self.check(json.loads(text), work=False)

    def test_ended_runs(self):
        for name in SCHEDULERS:
            with self.subTest(name):
                _, text = self.traced("t.json", "sssp", "--generate", "path --vertices 4000000", "--source", 0, "--scheduler", name,
                                      "--timeout", 0.02, status=6)
                self.check(json.loads(text), work=False)

    def test_both_devices(self):
        prefix = os.path.join(self.folder.name, "both")
        r = ordo("compare", "sssp", "--generate", "road --vertices 100000", "--schedulers", "delta", "--device", "cpu,cuda", "-n", 1, "--trace", prefix)
        self.assertEqual(r.returncode, 0, r.stderr)
        with open(prefix + ".perfetto") as f:
            runs = {e["args"]["name"] for e in json.load(f)["traceEvents"] if e["name"] == "process_name" and e["pid"]}
        self.assertEqual(len(runs), 2, runs)


if __name__ == "__main__":
    unittest.main()
