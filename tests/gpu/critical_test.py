#!/usr/bin/env python3
"""Critical sections on a GPU, through the command: critical_test.py ORDO [unittest arguments].

What would be a deadlock in locks or servers that are built a little differently, and what is refused. `ordo bench` checks
every run itself: every element is in its bucket once; every transfer has an outcome, balances follow from those that were
paid, and no money is made or lost. Skipped where there is no GPU.
"""
import os
import re
import subprocess
import sys
import time
import unittest

ORDO = os.path.abspath(sys.argv.pop(1))


def ordo(*words):
    return subprocess.run([ORDO, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)


def bench(name, factors, operations, scheduler, *settings, timeout=20):
    words = [w for s in settings for w in ("--set", s)]
    return ordo("bench", name, "--device", "cuda", "--collisions", factors, "--operations", operations, "--repeat", 1,
                "--timeout", timeout, "--schedulers", scheduler, *words)


def lacks_metis(r):
    return r.returncode == 2 and "has no METIS" in r.stderr


def setUpModule():
    r = bench("ht", 32, 1000, "bsp:lock")
    if r.returncode == 5:
        raise unittest.SkipTest(r.stderr.strip())


class Traps(unittest.TestCase):
    """Few targets and many threads: all on one; the same two both ways round; rings of targets; more operations than any
    ring, batch or table has room for, and numbers of them that fill none."""

    def through(self, name, operations, scheduler, *settings, factors="1,2,3,32,4K"):
        owner = scheduler.split(":")[0]
        r = bench(name, factors, operations, scheduler, *(s if "." in s.split("=")[0] else f"{owner}.{s}" for s in settings))
        if "(a constant; " in r.stderr:  # tools/gpu-check builds with -Dablation=true, which takes settings for constants
            return
        self.assertEqual((r.returncode, r.stderr), (0, ""), (name, operations, settings))
        self.assertEqual(len(re.findall(r"(?m)^ +\d+ ", r.stdout)), factors.count(",") + 1, r.stdout)

    def test_locks(self):
        for name in ("ht", "atm"):
            for locks in ("table", "word"):
                for rivals in (1, 31, 256, 2048):  # one thread; part of a warp; part of a block; the whole chip
                    self.through(name, 3001, "bsp:lock", f"bsp.lock_place={locks}", f"bsp.max_contenders={rivals}")
                self.through(name, 20000, "bsp:lock", f"bsp.lock_place={locks}", "bsp.max_contenders=64", "bsp.sleep=2000")

    def test_queues(self):  # locks again, where items come in the order of schedulers that have one, and wait for room
        settings = {"delta": (("pool=1",), ("buckets=2", "blocks=1"), ("chain_limit=1000", "latency_bound=1000000000")),
                    "adds": (("pool=1",), ("workers=1", "block=64"), ("buckets=2", "reserve=thread", "cache=off")),
                    "inbox": (("ring=1",), ("workers=1",), ("bitmap_threshold=1", "window=0")),
                    "broker": (("ring=1",), ("ring=64", "queue=bwd"), ("batch=1",))}
        for name in ("ht", "atm"):
            for scheduler in settings:
                for some in ((),) + settings[scheduler]:
                    self.through(name, 20001, scheduler + ":lock", *(f"{scheduler}.{s}" for s in some))

    def test_rounds(self):
        for name in ("ht", "atm"):
            for scheduler in ("near_far:lock", "bsp:owner", "topology:lock", "topology:owner"):
                self.through(name, 3001, scheduler)
                for blocks in (1, 2):
                    self.through(name, 20000, scheduler, f"{scheduler.split(':')[0]}.blocks={blocks}")
            for owners in (1, 2, 3, 4, 62, 4096):  # a pair; odd numbers, in which one owner has no partner; more than there are targets
                self.through(name, 3001, "topology:owner", f"topology.owners={owners}")

    def test_end(self):
        # one target, so that a round or superstep would take seconds: it ends in the middle of it
        for scheduler in ("near_far:lock", "bsp:owner", "topology:lock", "topology:owner"):
            start = time.monotonic()
            r = bench("ht", 1, "8M", scheduler, timeout=0.3)
            self.assertEqual(r.returncode, 6, (scheduler, r.stderr))
            self.assertIn("did not end within 0.3 s", r.stderr)
            self.assertLess(time.monotonic() - start, 8, scheduler)

    def test_servers(self):
        forms = {"ht": (("data=global", "form=plain"), ("form=chains",), ("data=shared", "form=plain"), ("data=shared",)),
                 "atm": (("data=global",), ("data=shared",))}
        for name in ("ht", "atm"):
            for form in forms[name]:
                for rest in ((), ("ring=1",), ("ratio=1000",), ("ratio=0.001",), ("blocks=1", "ring=1")):
                    if rest == ("ratio=1000",) and "data=shared" in form:
                        continue  # one server: the words of all do not fit
                    self.through(name, 70001, "lock_server", *form, *rest)
                self.through(name, "2M", "lock_server", *form, "ring=1")  # rings that fill, and go round often

    def test_nested(self):
        # one server, which has all locks; many, whose rings fill; one warp or all of a server with requests in hand
        for rest in ((), ("ring=1",), ("ratio=1000",), ("ratio=0.001",), ("blocks=1", "ring=1"), ("partition=hash",),
                     ("ratio=0.33", "flight=1"), ("ratio=1", "flight=512", "ring=1"), ("ratio=1000", "flight=1", "ring=1"),
                     ("ratio=100", "flight=512")):
            self.through("atm", 20001, "lock_server", "pairs=nested", *rest)
        self.through("atm", "200K", "lock_server", "pairs=nested", "ring=1", factors="2,3,32,4K")

    def test_both(self):  # every block client and server: one target, halves, nested
        for name, form in (("ht", ()), ("atm", ()), ("atm", ("pairs=nested",))):
            for rest in ((), ("ring=1",), ("blocks=1", "ring=1"), ("partition=hash",)):
                self.through(name, 70001, "lock_server", "roles=both", *form, *rest)
        self.through("atm", "2M", "lock_server", "roles=both", "ring=1")  # rings that fill, and go round often
        for rest in ((), ("pairs=nested",), ("ring=1",), ("blocks=1",)):
            words = [w for s in ("roles=both", *rest) for w in ("--set", s)]
            r = ordo("maxflow", "--generate", "rlg --width 48 --height 32 --weights uniform:1:100", "--device", "cuda",
                     "--scheduler", "lock_server", "--verify", "--timeout", 60, *words)
            self.assertEqual((r.returncode, r.stderr), (0, ""), rest)

    def test_owners(self):
        for name in ("ht", "atm"):
            for data in ("global", "shared"):
                self.through(name, 70001, "lock_server", "partition=hash", f"data={data}")
        for name in ("bfs", "sssp"):  # against the CPU's answer, edge by edge
            for rest in ((), ("ring=1",), ("ratio=1000",), ("ratio=0.001",), ("form=plain",), ("partition=hash",),
                         ("partition=metis",), ("blocks=1", "ring=1")):
                words = [w for s in rest for w in ("--set", s)]
                r = ordo(name, "--generate", "rmat --scale 14 --weights uniform:1:100 --seed 3", "--source", 1, "--device",
                         "cuda", "--scheduler", "lock_server", "--verify", "--timeout", 20, *words)
                if not (rest == ("partition=metis",) and lacks_metis(r)):
                    self.assertEqual((r.returncode, r.stderr), (0, ""), (name, rest))

    def test_ratings(self):
        for rest in ((), ("ring=1",), ("partition=metis",), ("partition=hash", "ratio=30")):
            words = [w for s in rest for w in ("--set", s)]
            r = ordo("bench", "sgd", "--generate", "uniform --vertices 2048 --degree 16 --weights uniform:1:5 --seed 3",
                     "--device", "cuda", "--epochs", 3, "--timeout", 20, "--schedulers", "lock_server", *words)
            if not (rest == ("partition=metis",) and lacks_metis(r)):
                self.assertEqual((r.returncode, r.stderr), (0, ""), rest)

    def test_rows(self):  # rows longer than a batch, and of one edge
        for graph in ("star --vertices 20001", "rmat --scale 14 --symmetrise --seed 3", "grid --width 300 --height 300"):
            for rest in ((), ("ring=1",), ("ratio=1000",), ("ratio=0.001",), ("form=chains",), ("partition=hash",)):
                words = [w for s in rest for w in ("--set", s)]
                r = ordo("colour", "--generate", graph, "--device", "cuda", "--scheduler", "lock_server", "--verify",
                         "--timeout", 20, *words)
                self.assertEqual((r.returncode, r.stderr), (0, ""), (graph, rest))

    def test_combining(self):
        for data in ("shared", "global"):
            for operations in (1, 511, 2049, 300000):
                self.through("ht", operations, "lock_server", "form=combine", f"data={data}")

    def test_auto(self):  # words of all fit servers' memory, or do not
        for name, chosen in (("ht", "lock_server, server"), ("atm", "bsp, lock")):
            r = bench(name, "4M", "1M", "auto:auto")
            self.assertEqual((r.returncode, r.stderr), (0, ""), name)
            self.assertIn(f"auto: {chosen}", r.stdout)


class Refusals(unittest.TestCase):
    def test_by_name(self):
        cases = (("atm", "lock_server", ("pairs=nested", "data=shared"), "has no pairs=nested"),
                 ("atm", "lock_server", ("form=combine",), "an operator of one target that combines"),
                 ("ht", "lock_server", ("partition=metis",), "gives every target an owner only where"),
                 ("ht", "lock_server", ("roles=both", "form=chains"), "with roles=both on device 'cuda' has form=plain alone"),
                 ("ht", "lock_server", ("roles=both", "data=shared"), "with roles=both on device 'cuda' has data=global alone"),
                 ("ht", "lock_server", ("roles=both", "ratio=2"), "with roles=both has no ratio"))
        for name, scheduler, settings, pattern in cases:
            r = bench(name, 32, 1000, scheduler, *settings)
            self.assertEqual(r.returncode, 2, r.stderr)
            self.assertRegex(r.stderr, r"\Aordo: [^\n]+\n\Z")
            self.assertIn(pattern, r.stderr)

    def test_words_that_servers_cannot_keep(self):  # sections that use a target's number as a vertex
        r = ordo("colour", "--generate", "grid --width 40 --height 40", "--device", "cuda", "--scheduler", "lock_server",
                 "--set", "data=shared")
        self.assertEqual(r.returncode, 2, r.stderr)
        self.assertIn("needs an operator with OWNED arrays", r.stderr)

    def test_words_that_do_not_fit(self):
        r = ordo("bench", "atm", "--device", "cuda", "--collisions", "16M", "--operations", 1000, "--repeat", 1,
                 "--schedulers", "lock_server", "--set", "data=shared")
        self.assertEqual(r.returncode, 2, r.stderr)
        self.assertRegex(r.stderr, r"blocks of \d+ bytes of shared memory, \d a multiprocessor, do not fit this GPU")


if __name__ == "__main__":
    unittest.main()
