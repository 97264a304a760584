#!/usr/bin/env python3
"""Operators that are compiled at run time, on a GPU, through the command: run_time_test.py ORDO [unittest arguments].

Every operator's file that `ordo run` takes, under every scheduler that may run it, on graphs with long paths and with hubs;
what is kept; what is said of an error; comparing, tuning and checking; a scheduler from a folder; and the page of the first
operator, with its commands for a GPU. Skipped where there is no GPU or no nvcc.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ORDO = os.path.abspath(sys.argv.pop(1))
TREE = pathlib.Path(__file__).resolve().parents[2]
OWN = [TREE / "tests" / "cli" / "operators" / name for name in ("longest.c", "tolls.c", "fees.c", "matching.c", "peel.c", "walks.c", "lightest.c", "nearest.c", "katz.c", "majority.c")]
OF_TREE = [TREE / "operators" / name for name in ("gallery/min_label.h", "gallery/reach.h", "gallery/reliable_path.h", "bfs.h", "cc.h")]
AT_ONCE = max(2, min(12, os.cpu_count() or 2))


def ordo(*words, **more):
    return subprocess.run([ORDO, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200, cwd=folder.name, env=environment, **more)


def setUpModule():
    global folder, environment
    folder = tempfile.TemporaryDirectory()
    environment = {**os.environ, "ORDO_CACHE": f"{folder.name}/cache"}
    for words in (["generate", "road", "--vertices", 20000, "--seed", 1, "-o", "road.ordo"],
                  ["generate", "rmat", "--scale", 13, "--degree", 8, "--seed", 1, "--weights", "uniform:1:255", "-o", "rmat.ordo"],
                  ["generate", "path", "--vertices", 3000, "-o", "path.ordo"]):
        made = ordo(*words, "--quiet")
        assert made.returncode == 0, made.stderr
    pathlib.Path(folder.name, "reals.wel").write_text("".join(f"{i} {(i * 7 + 3) % 500} 0.{i % 9 + 1}\n{i} {(i * 5 + 1) % 500} 0.5\n" for i in range(500)))
    tried = ordo("run", OWN[0], "path.ordo", "--source", 0, "--device", "cuda")
    if tried.returncode == 5 or "no nvcc found" in tried.stderr:
        raise unittest.SkipTest(tried.stderr.strip())
    assert tried.returncode == 0, tried.stderr


def tearDownModule():
    folder.cleanup()


def schedulers():
    return re.findall(r"^([a-z_]+) ", ordo("schedulers").stdout, re.M)


def objects():
    return sorted(os.listdir(f"{folder.name}/cache/operators"))


def run_all(file, scheduler, gpus=1):
    """On all graphs; what failed, '' where nothing did, None where the scheduler may not run it."""
    for graph in ["reals.wel"] if file.name == "reliable_path.h" else ["road.ordo", "rmat.ordo", "path.ordo"]:
        words = ("run", file, graph, "--device", "cuda", "--scheduler", scheduler, "--verify", "--timeout", 20, *(["--gpus", gpus] if gpus > 1 else []), *(["--symmetrise"] if file.name in ("matching.c", "peel.c") else []))
        done = ordo(*words, "--source", 7)
        if done.returncode == 2 and "has no source" in done.stderr:
            done = ordo(*words)
        if done.returncode == 2 and re.search("needs a .* operator|has no code for a GPU|takes at most 8|not run .* over ranks", done.stderr):
            return None
        if done.returncode or not re.search("Verification: +PASS", done.stdout) or not re.search("Scheduler:.* cuda,", done.stdout):
            return f"{file.name} under {scheduler} on {graph}, {gpus} GPUs: status {done.returncode}: {done.stderr[-400:]}{done.stdout[-300:]}"
    return ""


class RunTime(unittest.TestCase):
    def test_1_seconds(self):
        """How long compiling takes, one at a time, and a run of what is kept."""
        graph = ("path.ordo", "--source", 0, "--device", "cuda")
        for scheduler in schedulers():
            times = []
            for _ in range(2):
                start = time.monotonic()
                done = ordo("run", OWN[1], *graph, "--scheduler", scheduler)
                times.append(time.monotonic() - start)
                self.assertEqual(done.returncode, 0, done.stderr)
                if not times[1:]:
                    kept = objects()
            self.assertEqual(objects(), kept)
            print(f"seconds, {scheduler:12} first run {times[0]:5.2f}, second {times[1]:5.2f}, compiling {times[0] - times[1]:5.2f}", flush=True)

    def test_2_every_scheduler(self):
        pairs = [(file, scheduler) for file in OWN + OF_TREE for scheduler in schedulers()]
        results = []
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for (file, scheduler), result in zip(pairs, pool.map(lambda pair: run_all(*pair), pairs)):
                results.append(result)
                print(f"{file.name} under {scheduler}: {'not sound' if result is None else result or 'passes'}", flush=True)
        self.assertEqual([r for r in results if r], [])
        print(f"runs: {results.count('')} pairs of operator and scheduler pass, {results.count(None)} are not sound", flush=True)
        self.assertGreater(results.count(""), 5 * len(OWN[:4] + OF_TREE))
        for name in ("peel.c", "walks.c", "lightest.c", "nearest.c", "katz.c", "majority.c"):
            self.assertIn("", [r for (file, _), r in zip(pairs, results) if file.name == name], name)

    def test_2_over_gpus(self):
        """Relax and gather operators over two GPUs; skipped where there is one, or a build without NVSHMEM."""
        tried = ordo("run", OWN[0], "path.ordo", "--source", 0, "--device", "cuda", "--gpus", 2)
        if tried.returncode:
            self.skipTest(tried.stderr.strip()[-300:])
        pairs = [(file, scheduler) for file in OWN + OF_TREE for scheduler in schedulers()]
        results = [run_all(*pair, gpus=2) for pair in pairs]
        self.assertEqual([r for r in results if r], [])
        print(f"runs over two GPUs: {results.count('')} pairs of operator and scheduler pass, {results.count(None)} are refused", flush=True)
        for name in ("longest.c", "peel.c", "walks.c", "katz.c", "min_label.h"):
            self.assertIn("", [r for (file, _), r in zip(pairs, results) if file.name == name], name)

    def test_3_messages(self):
        text = OWN[0].read_text()
        line = 1 + text[:text.index("return e.weight")].count("\n")
        pathlib.Path(folder.name, "wrong.c").write_text(text.replace("    return e.weight", "#ifdef __CUDACC__\n    longest = e.wait;\n#endif\n    return e.weight"))
        done = ordo("run", "wrong.c", "path.ordo", "--device", "cuda", "--scheduler", "bsp")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, rf"\Awrong\.c\({line + 1}\): error: .*wait")
        self.assertRegex(done.stderr, r"\nordo: wrong\.c: \S*nvcc cannot compile it\n\Z")
        print("messages:", done.stderr.split("\n")[0], flush=True)

    def test_4_verbs(self):
        done = ordo("compare", OWN[1], "road.ordo", "--source", 7, "--device", "cpu,cuda", "--repeat", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = re.findall(r"(?m)^[ *] (\S+)@(\w+) .* PASS$", done.stdout)
        print(done.stdout, flush=True)
        self.assertEqual(sorted(rows), sorted((s, d) for s in schedulers() for d in ("cpu", "cuda")))
        done = ordo("tune", OWN[1], "road.ordo", "--for", 1, "--scheduler", "delta", "--device", "cuda")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "(?m)^Flags: .*--scheduler delta")
        done = ordo("check-operator", OWN[1], "--device", "cuda")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(re.findall(r"(?m)^  answer under (\w+) +holds$", done.stdout), schedulers())
        done = ordo("run", OWN[1], "road.ordo", "--device", "auto", "--verify")
        self.assertRegex(done.stdout, "Scheduler:.* cuda,")
        print("compare, tune, check-operator, --device auto: as expected", flush=True)

    def test_5_folder(self):
        lifo = pathlib.Path(folder.name, "lifo")
        shutil.copytree(TREE / "tests" / "install" / "projects" / "lifo", lifo)
        text = (lifo / "scheduler.c").read_text()
        (lifo / "scheduler.c").write_text(text.replace("lifo_scheduler", "ordo_scheduler_lifo"))
        for app in (["run", OWN[1]], ["sssp"], ["bfs"]):
            done = ordo(*app, "path.ordo", "--source", 0, "--device", "cuda", "--scheduler", lifo, "--verify")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, "Scheduler: +lifo, .* cuda,")
        (lifo / "cuda.cuh").unlink()
        done = ordo("run", OWN[1], "path.ordo", "--device", "cuda", "--scheduler", lifo)
        self.assertEqual(done.returncode, 2)
        self.assertIn("scheduler 'lifo' has no code for a GPU", done.stderr)
        print("a scheduler from a folder: as expected", flush=True)

    def test_6_page(self):
        """docs/first_operator.md, its commands in order."""
        start = time.monotonic()
        done = subprocess.run([sys.executable, TREE / "tests" / "cli" / "examples_test.py", ORDO, "Examples.test_first_operator"],
                              capture_output=True, text=True, timeout=300, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        print(f"pages: {time.monotonic() - start:.1f} s", flush=True)


if __name__ == "__main__":
    unittest.main(verbosity=0)
