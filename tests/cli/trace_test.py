#!/usr/bin/env python3
"""Traces of runs by time: three formats, all schedulers, periods, runs that are ended.
usage: trace_test.py PATH_OF_ORDO [unittest arguments]"""
import csv
import json
import os
import unittest

from command import Base, main, needs, ordo, schedulers

WHOLE = ("in_flight", "items", "edges", "useful", "stale", "activations", "spills", "bucket", "worklist_bytes", "concurrent", "busy")
RISING = ("seconds", "items", "edges", "useful", "stale", "activations", "spills")
GRID = ("--generate", "grid --width 120 --height 120 --weights uniform:1:99", "-r", 0, "--threads", 2)


@needs("sssp")
class Trace(Base):
    def traced(self, name, *words):
        file = self.path(name)
        r = self.ok(ordo(*words, "--trace", file))
        with open(file) as f:
            return r, f.read()

    def counts(self, out):
        """The counts of the last record on standard output."""
        return json.loads(out.splitlines()[-1])["counts"]

    def test_csv(self):
        for name in schedulers():
            r, text = self.traced("t.csv", "sssp", *GRID, "--scheduler", name, "--trace-period", 0.001, "--json", "-")
            rows = list(csv.DictReader(text.splitlines()))
            samples = [row for row in rows if row["event"] == "sample"]
            events = [row for row in rows if row["event"] in ("step", "delta")]
            self.assertEqual(len(rows), len(samples) + len(events))
            self.assertGreaterEqual(len(samples), 2)
            self.assertGreater(len(events), 0)
            times = [float(row["seconds"]) for row in rows]
            self.assertEqual(times, sorted(times))
            for column in RISING:
                values = [float(row[column]) for row in samples]
                self.assertEqual(values, sorted(values), (name, column))
            self.assertEqual({row["items"] for row in events}, {""})
            record = json.loads(r.out)
            for key in ("items", "edges", "useful", "stale", "activations"):
                self.assertEqual(int(samples[-1][key]), record["counts"][key], (name, key))
            self.assertEqual((record["trace_samples"], record["trace_period"]), (len(samples), 0.001))

    def test_json(self):
        for name in schedulers():
            r, text = self.traced("t.json", "sssp", *GRID, "--scheduler", name, "--json", "-")
            trace = json.loads(text, parse_constant=self.fail)
            self.assertEqual((trace["schema"], trace["kind"], trace["app"], trace["scheduler"], trace["threads"]),
                             (1, "trace", "sssp", name, 2))
            samples, count = trace["samples"], len(trace["samples"]["seconds"])
            self.assertEqual(set(samples), {"seconds", "delta", "utilisation", *WHOLE})
            self.assertEqual({len(column) for column in samples.values()}, {count})
            self.assertEqual([len(letters) for letters in trace["workers"]], [count, count])
            self.assertLessEqual({letter for letters in trace["workers"] for letter in letters}, set(trace["states"]))
            for i in range(count):
                busy = sum(trace["states"][letters[i]] in ("busy", "stealing", "managing") for letters in trace["workers"])
                self.assertEqual(samples["busy"][i], busy)
                self.assertEqual(samples["utilisation"][i], busy / 2)
            for column in RISING:
                self.assertEqual(samples[column], sorted(samples[column]), (name, column))
            self.assertEqual(samples["items"][-1], json.loads(r.out)["counts"]["items"])
            self.assertGreater(len(trace["events"]), 0)
            for event in trace["events"]:
                self.assertIn(event["event"], ("step", "delta"))
                self.assertLessEqual(event["seconds"], samples["seconds"][-1])
            self.assertGreater(trace["period"], 0)
            self.assertGreater(trace["sampler_seconds"], 0)
            self.assertIs(trace["incomplete"], False)

    def test_viewer(self):
        for suffix in (".perfetto", ".perfetto.json"):
            for name in schedulers():
                _, text = self.traced("t" + suffix, "sssp", *GRID, "--scheduler", name)
                events = json.loads(text, parse_constant=self.fail)["traceEvents"]
                self.assertLessEqual({e["ph"] for e in events}, set("MXCi"))
                names = {e["args"]["name"] for e in events if e["name"] in ("process_name", "thread_name")}
                self.assertIn("worker 1", names)
                self.assertTrue(any(n.startswith(f"sssp under {name}, sync ") for n in names), names)
                self.assertEqual({e["name"] for e in events if e["ph"] == "C"},
                                 {"in flight", "items", "delta", "busy workers", "worklist bytes"})
                for thread in (1, 2):  # the slices of a track do not overlap
                    slices = [(e["ts"], e["ts"] + e["dur"]) for e in events if e["ph"] == "X" and e["tid"] == thread]
                    for (_, end), (begin, _) in zip(slices, slices[1:]):
                        self.assertLessEqual(end, begin + 0.01)

    def test_what_is_said(self):
        r, _ = self.traced("t.csv", "sssp", self.gr, "--trace-period", 0.5)
        self.assertRegex(r.out, r"(?m)^Trace: +\d+ samples every 500000 us, \d+ events; the sampler took [0-9.]+ ms of CPU time$")
        self.assertEqual(ordo("sssp", self.gr, "--quiet", "--trace", self.path("t.csv")).out, "")
        self.assertTrue(ordo("sssp", self.gr, "--trace", "-").out.startswith("seconds,event,"))

    def test_refusals(self):
        self.refused(2, "--trace-period without --trace", "sssp", self.gr, "--trace-period", 0.01)
        for period in (0, -1, 1e-6, 1e9, "x", "nan"):
            self.refused(2, "trace-period", "sssp", self.gr, "--trace", self.path("t.csv"), f"--trace-period={period}")
        self.assertFalse(os.path.exists(self.path("no.csv")))

    def test_ended_runs_keep_their_traces(self):
        file = self.path("late.json")
        for name in schedulers():
            r = ordo("sssp", "--generate", "grid --width 500 --height 500 --weights uniform:1:99", "-r", 0, "--threads", 2,
                     "--scheduler", name, "--timeout", 0.002, "--trace", file)
            self.assertEqual(r.returncode, 6)
            self.assertEqual(r.err.count("\n"), 1)
            with open(file) as f:
                trace = json.load(f)
            self.assertEqual(trace["scheduler"], name)
            self.assertGreaterEqual(len(trace["samples"]["seconds"]), 2)
            os.remove(file)

    def test_other_apps(self):
        """Sequences of runs are on one axis; native programs have a sample at the begin and the end of a run."""
        for words in (["mst", self.gr], ["kcore", self.gr], ["cc", self.gr, "--scheduler", "topology"], ["pagerank", self.gr]):
            r, text = self.traced("t.json", *words, "--json", "-")
            trace = json.loads(text)
            self.assertGreaterEqual(len(trace["samples"]["items"]), 2, words)
            self.assertEqual(trace["samples"]["items"], sorted(trace["samples"]["items"]))
            self.assertEqual(trace["samples"]["items"][-1], self.counts(r.out)["items"], words)

    def test_hardware_counters(self):
        """What cannot be counted is absent, and never 0."""
        words = ("sssp", *GRID, "--counters")
        record = json.loads(self.ok(ordo(*words, "--json", "-")).out)
        found = record["hardware"]
        self.assertEqual(list(found), ["cycles", "instructions", "cache_misses", "branch_misses"])
        if found["instructions"] is not None:
            self.assertGreater(found["instructions"], record["counts"]["edges"])
        if found["cycles"] is not None:
            self.assertGreater(found["cycles"], record["counts"]["edges"] / 8)
        text = self.ok(ordo(*words)).out
        for label, key in ("Cycles", "cycles"), ("Instructions", "instructions"), ("Cache Misses", "cache_misses"):
            self.assertRegex(text, f"(?m)^{label}: +" + ("absent" if found[key] is None else "[0-9]+") + "$")
        self.assertNotIn("hardware", json.loads(ordo("sssp", *GRID, "--json", "-").out))

    def test_compare(self):
        """Every contender in a file of its own, and as a process of one for viewers; all begin at time 0."""
        prefix = self.path("all")
        self.ok(ordo("compare", "sssp", *GRID, "-n", 1, "--warmup", 0, "--trace", prefix))
        found = {name for name in os.listdir(self.folder.name) if name.startswith("all")}
        labels = []
        for name in found - {"all.perfetto"}:
            with open(self.path(name)) as f:
                labels.append(json.load(f)["label"])
        self.assertEqual(sorted(labels), sorted(schedulers()))
        self.assertEqual(len(found), len(schedulers()) + 1)
        with open(prefix + ".perfetto") as f:
            events = json.load(f)["traceEvents"]
        runs = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name" and e["pid"]}
        self.assertEqual(len(set(runs.values())), len(schedulers()))
        for pid in runs:
            self.assertEqual(min(e["ts"] for e in events if e["pid"] == pid and "ts" in e), 0)
        for words in (["sssp,bfs", *GRID[:2]], ["sssp", self.gr, self.gr], ["sssp", self.gr, *GRID[:2]]):
            self.refused(2, "--trace is of one app on one graph", "compare", *words, "--trace", prefix)
        self.refused(2, "--trace-period without --trace", "compare", "sssp", self.gr, "--trace-period", 0.01)
        self.refused(3, "cannot write", "compare", "sssp", self.gr, "--trace", "/no/such/folder/x")


if __name__ == "__main__":
    main()
