#!/usr/bin/env python3
"""What the command says where a GPU cannot be used: errors_test.py ORDO DRIVER OTHER [BACK_END EXTERNAL] [unittest
arguments].

DRIVER is tests/gpu/fake_driver.c as a shared object, OTHER a libordo-cuda.so of another version. BACK_END is the real host
part of the back end over a runtime without a GPU and odd schedulers (tests/gpu/fake_runtime.cc, fault_backend.cu), EXTERNAL a program
that brings an operator along (tests/gpu/external_operator.cu); without them, in a build without CUDA, those tests are skipped, and
say so. Needs no GPU; tests/gpu/errors.cu has what needs one.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ORDO, DRIVER, OTHER, BACK_END, EXTERNAL = ([os.path.abspath(w) if w else None for w in sys.argv[1:6]] + [None] * 5)[:5]
del sys.argv[1:6]
REAL = os.path.join(os.path.dirname(ORDO), "libordo-cuda.so")
# test runners set this one, and it goes before what a copy of the command has built in
PLAIN = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}


class Base(unittest.TestCase):
    """A copy of the command and the library in a folder of its own, with the back end that a test puts there."""
    back_end = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        shutil.copy(ORDO, self.path("ordo"))
        shutil.copy(os.path.join(os.path.dirname(ORDO), "libordo.so.0"), self.path("libordo.so.0"))
        if self.back_end:
            shutil.copy(self.back_end, self.path("libordo-cuda.so"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_ordo(self, *words, **environment):
        environment = {k: str(v) for k, v in environment.items()}
        r = subprocess.run([self.path("ordo"), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=100, text=True, env=dict(PLAIN, **environment))
        return r

    def refused(self, status, pattern, *words, **environment):
        r = self.run_ordo(*words, **environment)
        self.assertEqual(r.returncode, status, r.stderr + r.stdout)
        self.assertRegex(r.stderr, r"\Aordo: [^\n]+\n\Z")
        self.assertRegex(r.stderr, pattern)
        self.assertNotIn("Trial Time", r.stdout)
        return r

    def ok(self, *words, **environment):
        r = self.run_ordo(*words, **environment)
        self.assertEqual((r.returncode, r.stderr), (0, ""), r.stdout)
        return r.stdout

    def falls_back(self, pattern, **environment):
        """auto takes the CPU, is right, and says why."""
        out = self.ok("sssp", "-g", 8, "--device", "auto", "--scheduler", "near_far", "--verify", "--json",
                      self.path("auto.json"), **environment)
        self.assertRegex(out, r"(?m)^Scheduler: .*, cpu, ")
        why = re.search(r"(?m)^Not on a GPU: +(.*)$", out)[1]
        self.assertRegex(why, pattern)
        with open(self.path("auto.json")) as f:
            record = json.load(f)
        self.assertEqual((record["options"]["device"], record["options"]["fallback"]), ("cpu", why))


class Objects(Base):
    """What is, or is not, beside libordo.so."""

    def test_missing(self):
        pattern = r"device 'cuda': this Ordo has no such back end: libordo-cuda\.so: "
        self.refused(5, pattern, "sssp", "-g", 4, "--device", "cuda")
        self.refused(5, pattern, "sssp", "/no/such/graph", "--device", "cuda")  # before the graph is read
        self.refused(5, pattern, "compare", "sssp", "-g", 4, "--device", "cuda")
        self.falls_back(pattern)

    def test_garbage(self):
        for garbage in (b"", b"not a shared object\n" * 100, b"\x7fELF" + bytes(200)):
            with open(self.path("libordo-cuda.so"), "wb") as f:
                f.write(garbage)
            pattern = r"device 'cuda': its back end cannot be loaded: \S*/libordo-cuda\.so: "
            self.refused(5, pattern, "sssp", "-g", 4, "--device", "cuda")
            self.falls_back(pattern)

    def test_another_version(self):
        shutil.copy(OTHER, self.path("libordo-cuda.so"))
        pattern = r"libordo-cuda\.so is of another version of Ordo: found 4711, expected \d+"
        self.refused(5, pattern, "sssp", "-g", 4, "--device", "cuda")
        self.falls_back(pattern)

    def test_another_library(self):
        shutil.copy(DRIVER, self.path("libordo-cuda.so"))
        self.refused(5, "is no back end of Ordo: it has no ordo_cuda_backend", "sssp", "-g", 4, "--device", "cuda")


@unittest.skipUnless(os.path.exists(REAL), "this build has no CUDA back end")
class Drivers(Base):
    """The back end as it is installed, and drivers that will not do."""
    back_end = REAL

    def test_no_driver(self):
        try:
            import ctypes
            ctypes.CDLL("libcuda.so.1")
            self.skipTest("there is a driver")
        except OSError:
            pass
        self.refused(5, r"found no NVIDIA driver \(libcuda\.so\.1\)", "sssp", "-g", 4, "--device", "cuda")
        self.falls_back("found no NVIDIA driver")

    def with_driver(self, pattern, **environment):
        os.makedirs(self.path("driver"), exist_ok=True)
        shutil.copy(DRIVER, self.path("driver/libcuda.so.1"))
        environment["LD_LIBRARY_PATH"] = self.path("driver")
        self.refused(5, pattern, "sssp", "-g", 4, "--device", "cuda", **environment)
        self.falls_back(pattern, **environment)

    def test_old_driver(self):
        self.with_driver(r"found a driver for CUDA 11\.4, expected \d+\.\d+ or later", FAKE_DRIVER=11040)

    def test_no_device(self):
        self.with_driver("device 'cuda': found no GPU", FAKE_INIT=100)

    def test_driver_that_does_not_work(self):
        self.with_driver("device 'cuda': looking for GPUs: ", FAKE_INIT=803)


@unittest.skipUnless(BACK_END, "this build has no CUDA back end")
class Runs(Base):
    """The host's part of runs, over a runtime without a GPU."""
    back_end = BACK_END
    small = ("sssp", "-g", 8, "--device", "cuda", "--scheduler")

    def test_answers(self):
        for scheduler in ("bsp", "near_far", "topology"):
            for app in ("sssp", "bfs"):
                for pinned in (1, 0):
                    # 2 M edges: several pieces; several trials: rows stay, cells and in-rows come and go
                    out = self.ok(app, "--generate", "rmat --scale 17 --weights uniform:1:9", "--scheduler", scheduler,
                                  "--device", "cuda", "--verify", "-n", 2, FAKE_PINNED=pinned)
                    self.assertIn("fake GPU", out)
                    self.assertEqual(len(re.findall(r"(?m)^Verification: +PASS$", out)), 2)

    def test_external_operator(self):
        """A program's own operator, with an instance of its own: which one a run gets, and what is refused."""
        r = subprocess.run([EXTERNAL], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           timeout=100, text=True, env=dict(PLAIN, LD_LIBRARY_PATH=self.folder))
        self.assertEqual((r.returncode, r.stdout.count("FAILED")), (0, 0), r.stdout)
        self.assertGreaterEqual(len(re.findall(r"(?m)^ok ", r.stdout)), 12, r.stdout)

    def test_forests(self):
        """This back end has no program for them: refused by name, and auto takes the CPU and says why."""
        pattern = "the program of 'mst' was not compiled for device 'cuda'"
        for words in ((), ("--scheduler", "native"), ("--scheduler", "auto")):
            self.refused(2, pattern, "mst", "-g", 8, "--device", "cuda", *words)
        self.refused(2, f"'mst' has a program of its own on a GPU alone: {pattern}", "mst", "-g", 8, "--device", "auto", "--scheduler",
                     "native")
        r = self.run_ordo("compare", "mst", "-g", 8, "--device", "cuda", "-n", 1, "--schedulers", "bsp,native")
        self.assertRegex(r.stdout, rf"(?m)^  native cannot run: {pattern}")
        self.assertRegex(r.stdout, r"(?m)^[ *] bsp +atomic ")
        self.refused(5, "capability 7\\.0", "mst", "-g", 8, "--device", "cuda", FAKE_CAPABILITY=70)
        out = self.ok("mst", "-g", 8, "--device", "auto", "--verify", "--json", self.path("mst.json"))
        self.assertRegex(out, r"(?m)^Scheduler: .*bsp, .*, cpu, ")
        self.assertRegex(out, r"(?m)^Verification: +PASS$")
        self.assertIn(pattern, re.search(r"(?m)^Not on a GPU: +(.*)$", out)[1])
        with open(self.path("mst.json")) as f:
            options = json.load(f)["options"]
        self.assertEqual(options["device"], "cpu")
        self.assertIn(pattern, options["fallback"])

    def test_forests_by_runs(self):
        """Where a sync or another scheduler is named each round is a run; what is between them is passes of a session."""
        file = self.path("rounds.json")
        for scheduler, sync, words in (("bsp", "atomic", ("--sync", "atomic")), ("bsp", "lock", ("--sync", "lock")),
                                       ("bsp", "atomic", ("--scheduler", "bsp")),
                                       ("topology", "racy", ("--scheduler", "topology", "--sync", "racy")),
                                       ("lock_server", "server", ("--scheduler", "lock_server"))):
            out = self.ok("mst", "--generate", "rmat --scale 9 --weights uniform:1:9", "--device", "cuda", *words, "--verify", "--json", file)
            self.assertRegex(out, rf"(?m)^Scheduler: .*{scheduler}, sync {sync}, cuda, fake GPU;")
            self.assertRegex(out, r"(?m)^Verification: +PASS$")
            with open(file) as f:
                record = json.load(f)
            os.unlink(file)
            self.assertEqual((record["operator"], record["options"]["sync"]), ("mst_u32", sync))
            self.assertGreater(record["counts"]["supersteps"], 2)
            self.assertGreater(record["seconds"]["run"], 0)
            self.assertGreater(record["seconds"]["transfer"], 0)
            program = os.path.join(os.path.dirname(ORDO), "tests", "forests")
            r = subprocess.run([program, "check", "cuda", "90", scheduler, sync], stdout=subprocess.PIPE, text=True, timeout=200,
                               env=dict(PLAIN, LD_LIBRARY_PATH=self.folder))
            self.assertEqual(r.returncode, 0, r.stdout)
            self.assertRegex(r.stdout, r"(?m)^(\d+) of \1 forests are Kruskal's$")
        missing = "'mst_u32' under scheduler 'delta' was not compiled for device 'cuda'"
        self.refused(2, missing, "mst", "-g", 8, "--device", "cuda", "--scheduler", "delta")
        self.refused(2, "does not offer sync|needs a", "mst", "-g", 8, "--device", "cuda", "--sync", "racy")
        out = self.ok("mst", "-g", 8, "--device", "auto", "--scheduler", "delta", "--verify")
        self.assertIn(missing, re.search(r"(?m)^Not on a GPU: +(.*)$", out)[1])
        self.refused(4, r"an array of a session needs \d+ bytes, \d+ of 20000 are free", "mst", "-g", 10, "--device", "cuda", "--sync", "lock",
                     FAKE_MEMORY=20000)
        out = self.ok("mst", "-g", 10, "--device", "auto", "--sync", "lock", "--verify", FAKE_MEMORY=20000)
        self.assertRegex(out, r"(?m)^Scheduler: .*bsp, sync lock, cpu, ")

    def test_forests_are_not_pulled(self):
        """A list's rows are no vertices, and its ids are not those of in-rows: refused on a GPU as on the CPU."""
        pattern = (r"scheduler 'topology' with direction=pull needs an operator whose targets are the heads of its edges; "
                   r"'mst_u32' has others")
        words = ("mst", "--generate", "rmat --scale 9 --weights uniform:1:9", "--scheduler", "topology", "--set", "direction=pull")
        for device in ("cuda", "cpu", "auto"):
            for sync in ((), ("--sync", "atomic"), ("--sync", "racy")):
                self.refused(2, pattern, *words, *sync, "--device", device)
        self.refused(2, "direction=pull needs an operator with ORDO_RELAX_FINAL", *words[:-4], "--sync", "lock", "--set",
                     "direction=pull", "--device", "cuda")

    def test_forests_of_wrong_runs(self):
        """Cells that are no lightest edges: the app says so, and writes and joins nothing by them."""
        with open(self.path("cycle.wel"), "w") as f:
            f.writelines(f"{v} {(v + 1) % 329} {v * 7919 % 5}\n" for v in range(329))
        with open(self.path("lattice.wel"), "w") as f:  # 4 x 4, each edge three times
            f.writelines(f"{v} {w} {k + v % 2}\n" for k in range(3) for v in range(16) for w in (v + 1, v + 4)
                         if w < 16 and (w % 4 or w == v + 4))
        for graph in ("cycle.wel", "lattice.wel"):
            for rows in ((), ("-s",)):  # lists from the first round on; a round on vertices first
                for scheduler in ("bsp", "topology"):
                    words = ("mst", self.path(graph), *rows, "--device", "cuda", "--scheduler", scheduler, "--sync", "atomic")
                    self.ok(*words, "--verify")
                    self.refused(70, r"has left component \d+ of \d+ an edge that is not its lightest", *words, ORDO_FAULT="wild")
                    self.refused(70, r"has left all of \d+ components without an edge", *words, ORDO_FAULT="idle")
                    r = self.run_ordo(*words, "--verify", ORDO_FAULT="turned")
                    self.assertIn(r.returncode, (0, 1, 70), r.stderr)  # by chance the ids may be right
                    if not rows:
                        self.assertEqual(r.returncode, 70, r.stderr)
                        self.assertRegex(r.stderr, "an edge that is not its lightest")

    network = ("maxflow", "--generate", "rlg --width 9 --height 12 --weights uniform:1:9 --seed 2", "--device")

    def flow(self, how, *words):
        """A verified flow on the GPU and `how`: its record."""
        file = self.path("flow.json")
        out = self.ok(*self.network, "cuda", "--verify", "--json", file, *words)
        self.assertRegex(out, rf"(?m)^Scheduler: .*{how}, cuda, fake GPU;")
        self.assertRegex(out, r"(?m)^Verification: +PASS$")
        with open(file) as f:
            record = json.load(f)
        os.unlink(file)
        self.assertEqual((record["operator"], record["options"]["device"]),
                         ("maxflow" if how.startswith("native") else "discharge", "cuda"))
        self.assertGreater(record["counts"]["supersteps"], 10)
        self.assertGreater(record["seconds"]["transfer"], 0)
        return record

    def check_flows(self, *words):
        program = os.path.join(os.path.dirname(ORDO), "tests", "flows")
        r = subprocess.run([program, "check", "cuda", *map(str, words)], stdout=subprocess.PIPE, text=True, timeout=200,
                           env=dict(PLAIN, LD_LIBRARY_PATH=self.folder))
        self.assertEqual(r.returncode, 0, r.stdout)

    def test_flows(self):
        """The kernel of maximum flows itself, over fibers (tests/gpu/fibers.h)."""
        for words in ((), ("--phase", "cut"), ("--scheduler", "auto"), ("--scheduler", "native"),
                      ("--set", "adds.pool=1000")):
            record = self.flow("native, sync none", *words)
            self.assertEqual((record["options"]["scheduler"], record["options"]["settings"]), ("native", {}))
            self.assertGreater(record["counts"]["items"], 100)
            self.assertEqual(record["options"]["chosen"], "maxflow's program for a GPU" if "auto" in words else None)
        self.check_flows(90)

    def test_flows_by_runs(self):
        """Runs of discharges and searches, by one thread (tests/gpu/fault_backend/fault_backend.cu), and the passes between them."""
        named = ("--scheduler", "near_far")
        for words in ((), ("--phase", "cut"), ("--sync", "lock"), ("--set", "delta=3")):
            record = self.flow("near_far, sync lock", *named, *words)
            self.assertGreater(record["seconds"]["prepare"], 0)
        self.refused(4, r"an array of a session needs \d+ bytes, \d+ of 3000 are free", *self.network, "cuda", *named,
                     FAKE_MEMORY=3000)
        self.refused(6, "discharge under 'near_far' did not end within 1e-09 s", *self.network, "cuda", *named, "--timeout",
                     "1e-9")
        large = ("maxflow", "--generate", "rlg --width 40 --height 40 --weights uniform:1:9 --seed 2", "--device")
        whys = {20000: r"an array of a session needs \d+ bytes", 400000: r"(discharge|relabel) needs \d+ bytes or more"}
        for memory, why in whys.items():  # too little for the arrays; for the searches
            out = self.ok(*large, "auto", "--verify", *named, FAKE_MEMORY=memory)
            self.assertRegex(out, r"(?m)^Scheduler: .*near_far, sync lock, cpu, ")
            self.assertRegex(out, rf"(?m)^Not on a GPU: .*{why}")
        self.assertIn("near_far, sync lock, cuda, fake GPU;", self.ok(*self.network, "auto", "--verify", *named))
        self.check_flows(60, "near_far", "lock")

    def test_flow_refusals(self):
        missing = "operator 'discharge' under scheduler 'delta' was not compiled for device 'cuda'"
        self.refused(2, missing, *self.network, "cuda", "--scheduler", "delta")
        self.assertIn(missing, self.ok(*self.network, "auto", "--verify", "--scheduler", "delta"))
        self.refused(2, "'discharge' under scheduler 'bsp' was not compiled", *self.network, "cuda", "--sync", "lock")
        self.refused(2, "'discharge' under scheduler 'bsp' was not compiled", *self.network, "cuda", "--scheduler", "bsp")
        self.refused(2, "'discharge' under scheduler 'bsp' was not compiled", *self.network, "cuda", "--set", "direction=push")
        self.refused(2, "does not offer sync 'atomic'", *self.network, "cuda", "--scheduler", "bsp", "--sync", "atomic")
        self.refused(2, "the program of 'maxflow' has no tunables", *self.network, "cuda", "--scheduler", "native", "--set", "blocks=1")
        self.refused(2, "the program of 'maxflow' offers no sync", *self.network, "cuda", "--scheduler", "native", "--sync", "lock")
        self.refused(4, r"maxflow needs \d+ bytes or more, 20000 of 20000 are free", *self.network, "cuda",
                     FAKE_MEMORY=20000)
        self.refused(6, r"maxflow under 'native' did not end within 1e-09 s: superstep \d+, \d+ items in flight; "
                        r"\d+ global relabels, \d+ active vertices after the last one\n", *self.network, "cuda", "--timeout", "1e-9")
        for memory, words in ((20000, ()), (1 << 30, ("--sync", "lock"))):
            out = self.ok(*self.network, "auto", "--verify", *words, FAKE_MEMORY=memory)
            self.assertRegex(out, r"(?m)^Scheduler: .*, cpu, ")
            self.assertRegex(out, r"(?m)^Not on a GPU: .*(needs \d+ bytes or more|was not compiled for)")

    def test_ceilings(self):
        """`bench machine` of a device: the host's part, the file, and who uses it. Kernels that do nothing have figures, too."""
        measure = ("bench", "machine", "--device", "cuda")
        here = {"ORDO_CACHE": self.path("cache")}
        file = self.path("cache/machine.json")
        self.refused(4, "measuring needs 268435456 bytes or more, 1000000 of 1000000 are free", *measure, FAKE_MEMORY=1000000, **here)
        self.refused(5, "capability 7\\.0", *measure, FAKE_CAPABILITY=70, **here)
        self.refused(5, "found no GPU", *measure, FAKE_DEVICES=0, **here)
        self.refused(4, "taking pinned memory", *measure, FAKE_PINNED=0, **here)
        self.refused(2, "takes no --threads with a GPU", *measure, "--threads", 2, **here)
        self.refused(2, "device 'gpu' is unknown|--device", *measure[:-1], "gpu", **here)
        self.assertFalse(os.path.exists(file))
        child = subprocess.Popen([self.path("ordo"), *measure], stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(PLAIN, **here))
        time.sleep(0.1)
        while child.poll() is None:
            child.send_signal(signal.SIGINT)
            time.sleep(0.5)
        self.assertEqual((child.returncode, os.path.exists(file)), (130, False), child.communicate())
        for words in (("--device", "auto"), ("--device", "cpu", "--threads", 1, "--quiet"), ("--device", "cuda")):
            out = self.ok("bench", "machine", *words, **here)
        self.assertRegex(out, r"\AGPU: +fake GPU; ")
        with open(file) as f:
            cpu, gpu = json.load(f)["measured"]
        self.assertEqual((cpu["threads"], gpu["device"]["name"], gpu["device"]["driver"]), (1, "fake GPU", 13000))
        self.assertEqual([r["bytes"] for r in gpu["random"]], [2 ** 20, 2 ** 24, 2 ** 25, 2 ** 27])  # half of 1 GiB holds no more
        for one, keys in ((gpu, ("stream", "cached", "copy_in", "copy_out")), (gpu["random"][0], ("loads", "additions", "minimums"))):
            for key in keys:
                figure = one[f"{key}_per_second" if f"{key}_per_second" in one else f"{key}_bytes_per_second"]
                self.assertTrue(0 < figure["worst"] <= figure["median"] <= figure["best"], (key, figure))
        for key in ("barrier_seconds", "launch_seconds", "round_trip_seconds"):
            self.assertTrue(0 < gpu[key]["best"] <= gpu[key]["median"] <= gpu[key]["worst"], key)
        words = ("--schedulers", "bsp", "--device", "cuda")
        out = self.ok("compare", "sssp", "-g", 8, *words, "--save", self.path("runs.jsonl"), **here)
        share = re.search(r"(?m)^\* bsp .* ([0-9.]+ %) ", out)[1]
        self.assertIn(f" {share} ", self.ok("compare", "--from", self.path("runs.jsonl"), **here))
        self.assertNotIn("of ceiling", self.ok("compare", "sssp", "-g", 8, *words, ORDO_CACHE=self.path("other")))

    def test_old_gpu(self):
        pattern = r"found fake GPU of compute capability 7\.0, expected 7\.5 or later"
        self.refused(5, pattern, *self.small, "bsp", FAKE_CAPABILITY=70)
        self.falls_back(pattern, FAKE_CAPABILITY=70)

    def test_memory(self):
        """Refused with what is needed, free and there, whether it is rows or worklists that do not fit."""
        for scheduler, memory in (("bsp", 20000), ("topology", 160000), ("near_far", 1000000)):
            r = self.refused(4, rf"sssp_u32 needs \d+ bytes or more, {memory} of {memory} are free", *self.small, scheduler,
                             FAKE_MEMORY=memory)
            self.assertGreater(int(re.search(r"needs (\d+)", r.stderr)[1]), memory)
            self.ok("sssp", "-g", 8, "--device", "cuda", "--scheduler", scheduler, "--verify")
        self.falls_back("needs \d+ bytes or more", FAKE_MEMORY=20000)
        self.falls_back("needs \d+ bytes or more", FAKE_MEMORY=1000000)

    def test_short_worklist(self):
        """Found out after the kernel: auto goes on with cells that the kernel has not spoilt."""
        self.refused(4, "a worklist was too small", *self.small, "bsp", ORDO_FAULT="full")
        self.falls_back("a worklist was too small", ORDO_FAULT="full")

    def test_timeout(self):
        """The kernel is told to end, and its scheduler asked for what it knows."""
        for seconds in ("1e-9", "0.2"):
            self.refused(6, rf"sssp_u32 under 'bsp' did not end within {seconds.replace('1e-9', '1e-09')} s: superstep \d+, "
                            r"\d+ items in flight; odd queue: \d+ steps were made\n",
                         *self.small, "bsp", "--timeout", seconds, ORDO_FAULT="slow")
        self.ok(*self.small, "bsp", "--timeout", 100, "--verify")

    def test_kernel_that_does_not_end(self):
        start = time.monotonic()
        self.refused(6, r"did not end within 0\.2 s: superstep 7, 42 items in flight; the kernel still runs 1 s after it was "
                        r"told to end; this process cannot use the GPU any more\n",
                     *self.small, "bsp", "--timeout", 0.2, ORDO_FAULT="deaf", FAULT_SECONDS=20)
        self.assertLess(time.monotonic() - start, 10)  # nothing waited for it

    def test_after_a_kernel_that_does_not_end(self):
        words = ("compare", "sssp", "-g", 8, "--schedulers", "bsp,near_far", "--repeat", 1, "--timeout", 0.2, "--device")
        pattern = "the kernel of an earlier run did not end when it was told to; this process cannot use the GPU any more"
        self.refused(5, pattern, *words, "cuda", ORDO_FAULT="deaf", FAULT_SECONDS=20)
        out = self.ok(*words, "auto", ORDO_FAULT="deaf", FAULT_SECONDS=20)
        self.assertRegex(out, r"(?m)^  bsp left out: .* did not end within 0\.2 s")
        self.assertRegex(out, rf"(?m)^  near_far not on a GPU: .*{pattern}$")
        self.assertRegex(out, r"(?m)^\* near_far .* PASS$")

    def interrupted(self, pattern, **environment):
        words = [self.path("ordo"), *map(str, self.small), "bsp"]
        child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                 env=dict(PLAIN, **environment))
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
        self.assertEqual(child.returncode, 130, err)
        self.assertRegex(err, pattern)

    def test_cancelling(self):
        self.interrupted(r"\Aordo: cancelled after \d\.\d+ s\n\Z", ORDO_FAULT="slow")
        self.interrupted(r"\Aordo: cancelled after \d\.\d+ s; the kernel still runs 1 s after [^\n]*\n\Z", ORDO_FAULT="deaf",
                         FAULT_SECONDS="20")


if __name__ == "__main__":
    if not BACK_END:
        print("skipped where they need the CUDA back end, which this build has not: drivers and runs")
    unittest.main()
