#!/usr/bin/env python3
"""`ordo bench`: critical sections. usage: sections_test.py PATH_OF_ORDO [unittest arguments]"""
import json
import os
import random
import re
import signal
import subprocess
import time

from command import ORDO, TREE, Base, check_schema, main, needs, ordo


@needs("bench")
class Bench(Base):
    def records(self, *words):
        with open(os.path.join(TREE, "docs", "schema.json")) as f:
            schema = json.load(f)
        found = [json.loads(line) for line in self.ok(ordo("bench", *words, "--json", "-")).out.splitlines()]
        for record in found:
            self.assertEqual(check_schema(record, schema, schema), [])
            self.assertIs(record["verified"], True)
        return found

    def ratings(self):
        """Ratings of a model of rank 2 with some noise, most pairs of 80 users and 50 things."""
        r = random.Random(5)
        p = [(r.uniform(-1, 1), r.uniform(-1, 1)) for _ in range(80)]
        q = [(r.uniform(-1, 1), r.uniform(-1, 1)) for _ in range(50)]
        path = self.path("ratings.wel")
        with open(path, "w") as f:
            for u in range(80):
                for v in range(50):
                    if r.random() < 0.8:
                        f.write(f"{u} {v} {3 + 2 * (p[u][0] * q[v][0] + p[u][1] * q[v][1]) + r.gauss(0, 0.1):.4f}\n")
        return path

    def test_sections(self):
        for name, op in (("ht", "hash_table"), ("atm", "bank")):
            found = self.records(name, "--operations", "20K", "--collisions", "1,7,2K", "-n", 2, "--threads", 3)
            self.assertEqual([x["options"]["scheduler"] for x in found], 6 * ["lock_server", "bsp"])  # interleaved
            self.assertEqual([x["collisions"] for x in found], 4 * [1] + 4 * [7] + 4 * [2048])
            for x in found:
                self.assertEqual((x["bench"], x["operator"], x["operations"]), (name, op, 20480))
                self.assertEqual(x["counts"]["useful"], 20480)
                self.assertAlmostEqual(x["rate"] * x["seconds"]["run"], 20480, delta=1)

    def test_sync_auto(self):
        """Servers where few targets share the requests, locks where many do; the line and the JSON say so."""
        words = ("ht", "--operations", "20K", "-n", 1, "--threads", 2, "--collisions", "8,1M", "--schedulers", "auto:auto")
        out = self.ok(ordo("bench", *words)).out
        self.assertRegex(out, r"(?m)^ +8 .*  auto: lock_server, server$")
        self.assertRegex(out, r"(?m)^ +1048576 .*  auto: bsp, lock$")
        found = [json.loads(line) for line in self.ok(ordo("bench", *words, "--json", "-")).out.splitlines()]
        self.assertEqual([x["options"]["sync"] for x in found], ["server", "lock"])
        self.assertRegex(found[0]["options"]["chosen"], r"about 8\b.* targets asked for")

    def test_table(self):
        out = self.ok(ordo("bench", "atm", "--operations", 1000, "--collisions", "2,1K", "-n", 1, "--schedulers",
                           "lock_server,topology:owner,bsp", "--set", "pairs=nested")).out
        self.assertRegex(out, r"collisions +lock_server:server +topology:owner +bsp:lock")
        self.assertEqual(re.findall(r"(?m)^ +(\d+) +[\d.]+ \(", out), ["2", "1024"])

    def test_sgd(self):
        path = self.ratings()
        last = {}
        for settings in ((), ("--set", "pairs=nested"), ("--set", "roles=apart", "--set", "ratio=3")):
            found = self.records("sgd", path, "--epochs", 40, "--rank", 4, "--rate", 0.05, "--decay", 0.01,
                                 "--threads", 2, *settings)
            self.assertEqual([x["trial"] for x in found], 2 * list(range(1, 41)))
            for x in found:
                self.assertEqual(x["counts"]["useful"], x["operations"])
                last[x["options"]["scheduler"]] = x["rmse"]
            self.assertAlmostEqual(found[0]["operations"] / found[0]["graph"]["edges"], 0.9, delta=0.02)
            for rmse in last.values():  # learned: the noise is 0.1, the mean alone is several times that
                self.assertLess(rmse["held_out"], 0.25)
                self.assertGreater(rmse["held_out_by_mean"], 0.6)
                self.assertLess(rmse["used"], rmse["held_out"] * 1.2)
            self.assertAlmostEqual(last["lock_server"]["held_out"], last["bsp"]["held_out"], delta=0.05)

    def test_refusals(self):
        self.refused(2, "needs one of ht, atm, sgd, machine, queue and lock-transfer", "bench")
        self.refused(2, "benchmark 'hat' is unknown; did you mean", "bench", "hat")
        self.refused(2, "--collisions '0', expected a whole number from 1", "bench", "ht", "--collisions", "32,0")
        self.refused(2, "--collisions '3G'", "bench", "ht", "--collisions", "3G")
        self.refused(2, "--operations '5000M'", "bench", "ht", "--operations", "5000M")
        self.refused(2, "bench ht takes no graph", "bench", "ht", self.gr)
        self.refused(2, "does not offer sync 'atomic'", "bench", "ht", "--schedulers", "delta:atomic")
        self.refused(2, "an operator of one target that combines", "bench", "atm", "--set", "form=combine")
        self.refused(2, "none of these schedulers", "bench", "atm", "--set", "delta=3")
        self.refused(2, "no graph given", "bench", "sgd")
        self.refused(2, "takes no --collisions", "bench", "sgd", self.gr, "--collisions", "3")
        self.refused(2, "whose section has two halves", "bench", "sgd", self.ratings(), "--set", "pairs=halves")
        self.refused(6, "did not end within", "bench", "ht", "--timeout", "1e-9")
        plain = self.path("plain.el")
        with open(plain, "w") as f:
            f.write("0 1\n1 2\n")
        self.refused(3, "has no weights, expected ratings", "bench", "sgd", plain)
        self.refused(1, "the error is no number any more", "bench", "sgd", self.ratings(), "--rate", 1, "--epochs", 50)

    def test_queue(self):
        words = ("queue", "--operations", "3K", "-n", 2, "--threads", "1,3", "--batch", "1,7")
        found = self.records(*words)
        cells = [(q, p) for q in ("bq", "bwd") for p in ("phases", "mixed")]
        rows = [(t, b) for t in (1, 3) for b in (1, 7)]
        self.assertEqual([(r["threads"], r["batch"], r["trial"], r["queue"], r["pattern"]) for r in found],
                         [(*row, trial, *cell) for row in rows for trial in (1, 2) for cell in cells])
        for r in found:
            self.assertEqual((r["operations"], r["places"]), (3072, 2048 if r["pattern"] == "phases" else 65536))
            self.assertAlmostEqual(r["rate"] * r["seconds"]["run"], 3072, delta=1)
        out = self.ok(ordo("bench", *words)).out
        self.assertIn("queue: 3072 operations a run", out)
        self.assertEqual(re.findall(r"(?m)^ +(\d+) +(\d+) +[\d.]+ \([\d.]+ to [\d.]+\)", out), [(str(t), str(b)) for t, b in rows])
        self.assertEqual({r["device"] for r in found}, {"cpu"})
        self.refused(2, "takes no graph", "bench", "queue", self.gr)
        self.refused(2, "bench queue takes --blocks with --device cuda alone", "bench", "queue", "--blocks", 3)
        self.refused(2, "bench queue takes --lanes with --device cuda alone", "bench", "queue", "--lanes", 3)
        self.refused(2, "--threads '0', expected a whole number from 1", "bench", "queue", "--threads", "1,0")
        self.refused(2, "--threads '5000', expected 1024 at most", "bench", "queue", "--threads", 5000)
        self.refused(2, "--threads '1,2', expected a whole number", "bench", "ht", "--threads", "1,2")
        self.refused(2, "--batch '5000', expected 4096 at most", "bench", "queue", "--batch", "1,5000")
        self.refused(2, "--operations 1, expected 2 to", "bench", "queue", "--operations", 1)
        self.refused(2, "bench ht has no queue, so it takes no --batch", "bench", "ht", "--batch", 3)

    def test_lock_transfer(self):
        words = ("lock-transfer", "--operations", "4K", "-n", 2, "--threads", "1,2", "--collisions", "1,64", "--section", "1,50")
        found = self.records(*words)
        ways = [(s, order, t) for s, order in (("bsp", "any"), ("bsp", "fifo"), ("lock_server", None)) for t in (1, 2)]
        rows = [(locks, held, steps) for held in (1, 2) for locks in (1, 64) for steps in (1, 50)]
        seen = [(r["collisions"], r["transfer"]["held"], r["transfer"]["steps"], r["trial"], r["options"]["scheduler"],
                 r["options"]["settings"].get("lock_order"), r["options"]["threads"]) for r in found]
        self.assertEqual(seen, [(*row, trial, *way) for row in rows for trial in (1, 2) for way in ways])
        for r in found:
            t = r["transfer"]
            self.assertEqual((r["operations"], r["counts"]["useful"]), (4096, 4096))
            self.assertEqual(r["operator"], "lock_transfer_pair" if t["held"] == 2 else "lock_transfer")
            self.assertLess(t["longest_wait_sections"], 4096)
            self.assertLessEqual(t["wait_ns"], t["longest_wait_ns"])
            if r["options"]["threads"] == 1:  # nobody to hand a lock to
                self.assertEqual((t["handovers"], t["handover_ns"]), (0, 0))
        # as long as several time slices, so that two threads are there at once, also where others use the cores
        found += self.records("lock-transfer", "-n", 1, "--operations", "1M", "--threads", 2, "--held", 1, "--collisions", 1,
                             "--section", 50, "--schedulers", "bsp:lock")
        self.assertTrue(any(r["transfer"]["handovers"] > 0 for r in found))
        long = [r["transfer"]["section_ns"] for r in self.records("lock-transfer", "-n", 1, "--operations", 1000, "--threads", 1,
                                                                  "--held", 1, "--collisions", 1, "--section", "1,10K")]
        self.assertGreater(min(long[3:]), 10 * max(long[:3]))  # the section is as long as was asked for
        out = self.ok(ordo("bench", *words)).out
        self.assertEqual(len(re.findall(r"(?m)^ +\d+ +[12] +\d+ +[\d.]+ ", out)), len(rows) * len(ways))
        self.refused(2, "takes no graph", "bench", "lock-transfer", self.gr)
        self.refused(2, "--held '3', expected 2 at most", "bench", "lock-transfer", "--held", 3)
        self.refused(2, "--section '2M', expected 1048576 at most", "bench", "lock-transfer", "--section", "2M")
        self.refused(2, "bench ht hands no locks over, so it takes no --held", "bench", "ht", "--held", 1)
        self.refused(2, "does not offer sync 'atomic'", "bench", "lock-transfer", "--schedulers", "bsp:atomic")

    def test_rectangular_ratings(self):
        path = self.path("ratings.mtx")
        with open(path, "w") as f:
            f.write("%%MatrixMarket matrix coordinate real general\n4 2 5\n1 1 3\n1 2 4\n2 2 1.5\n4 1 2\n4 2 5\n")
        found = self.records("sgd", path, "--bipartite", "--epochs", 3)
        self.assertEqual((found[0]["graph"]["vertices"], found[0]["graph"]["edges"]), (6, 5))
        self.refused(3, "found '2', expected 4 columns, as many as rows", "bench", "sgd", path)
        self.refused(2, "--bipartite needs a file", "bfs", "-g", 4, "--bipartite")
        self.refused(2, "found no Matrix Market file", "bfs", self.gr, "--bipartite")

    def test_interrupted(self):
        file = self.path("bench.json")
        child = subprocess.Popen([ORDO, "bench", "ht", "--collisions", "32", "--operations", "64K", "-n", "100000", "--json", file],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not any(n.startswith("bench.json.tmp.") and os.path.getsize(self.path(n)) > 5000 for n in os.listdir(self.folder.name)):
            self.assertIsNone(child.poll())
            time.sleep(0.005)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130, err)
        with open(file) as f:
            self.assertTrue(all(json.loads(l)["verified"] for l in f))

    def test_partition_refusals(self):
        """The true reason why METIS' parts of a graph say nothing of these operators' targets."""
        if "no METIS" in ordo("sssp", self.gr, "--scheduler", "lock_server", "--set", "partition=metis").err:
            self.skipTest("no METIS")
        metis = ["--scheduler", "lock_server", "--set", "partition=metis"]
        self.refused(2, "'mst_u32' computes the target of an edge from its state", "mst", self.gr, *metis)
        self.refused(2, "'discharge' works on arrays of its app and not on a graph's rows", "maxflow", "--generate",
                     "rlg --width 4 --height 4 --weights uniform:1:9", *metis)
        self.refused(2, "'hash_table' works on arrays", "bench", "ht", "--set", "partition=metis", "--schedulers", "lock_server")

    def test_partition(self):
        r = ordo("bench", "sgd", self.ratings(), "--set", "partition=metis", "--epochs", 2)
        if r.returncode == 2:
            self.assertIn("no METIS", r.err)
        else:
            self.ok(r)


if __name__ == "__main__":
    main()
