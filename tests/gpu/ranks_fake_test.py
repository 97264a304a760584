"""ranks_fake_test.py LIBORDO BACK_END PEERS ORDO -- runs over several ranks on GPUs, where there is none.

Each rank is a process whose kernel runs over fibers (ranks_fibers.h), and memory that ranks share is that of files
(fake_peers.c). So all but memory orders is as on GPUs: --gpus, what ranks say to each other, boxes that are too small.
"""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

LIBRARY, BACK_END, PEERS, ORDO = map(os.path.abspath, sys.argv[1:5])
TREE = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True  # of tools/rank-model
QUICK = "ORDO_TEST_QUICK" in os.environ  # each graph by one operator of three that gather; four ranks for eight
MPI = os.path.join(os.path.dirname(ORDO), "libordo-mpi.so")
CONTRACT, REALS = (os.path.join(os.path.dirname(PEERS), name) for name in ("contract", "reals"))
GRAPHS = ("path --vertices 40", "star --vertices 90", "grid --width 12 --height 9 --weights uniform:1:9",
          "rmat --scale 8 --degree 8 --weights uniform:1:100", "uniform --vertices 200 --degree 1 --weights uniform:1:5",
          "complete --vertices 40", "path --vertices 1")


class Simulated(unittest.TestCase):
    """A folder with the library and the back ends that it finds beside itself."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        for path, name in ((LIBRARY, "libordo.so.0"), (BACK_END, "libordo-cuda.so"), (PEERS, "libordo-nvshmem.so")):
            shutil.copy(path, os.path.join(cls.folder.name, name))

    def file(self, name):
        return os.path.join(self.folder.name, name)


class Ranks(Simulated):
    def command(self, ranks, *words, **settings):
        """Words and environment of a run."""
        env = dict(os.environ, LD_LIBRARY_PATH=self.folder.name, FAKE_PEERS=self.folder.name, FAKE_DEVICES="4")
        env.update(settings)
        return {"args": [ORDO, *map(str, words), "--device", "cuda", "--gpus", str(ranks)], "env": env, "stdout": subprocess.PIPE,
                "stderr": subprocess.PIPE, "text": True}

    def run_over(self, ranks, *words, **settings):
        return subprocess.run(**self.command(ranks, *words, **settings), timeout=120, check=False)

    def right(self, *words, **settings):
        run = self.run_over(*words, "--verify", **settings)
        self.assertEqual((run.returncode, run.stdout.count("PASS")), (0, 1), (words, settings, run.stdout, run.stderr))
        return run.stdout

    def wrong(self, status, message, *words, **settings):
        run = self.run_over(*words, **settings)
        lines = [line for line in run.stderr.splitlines() if line.startswith("ordo: ")]
        self.assertEqual((run.returncode, len(lines)), (status, 1), run.stderr)
        self.assertIn(message, lines[0])

    def test_answers(self):
        """Each app, graph and scheduler, over 2 to 4 ranks, with boxes of any size, in turns."""
        i = 0
        for turn, graph in enumerate(GRAPHS):
            for app, scheduler in (("sssp", "delta"), ("bfs", "bsp"), ("bfs", "delta") if i % 2 else ("sssp", "bsp"),
                                   ("bfs" if i % 3 == 2 else "sssp", "near_far")):
                i += 1
                if QUICK and (turn + i) % 2:  # two schedulers for each graph, in turns
                    continue
                box = {"FAKE_BOX": str((1, 3, 20)[i // 2 % 3])} if i % 2 else {}
                self.right(2 + i % 3, app, "--generate", graph, "-s", "--scheduler", scheduler, "--seed", i, **box)

    def test_small_levels(self):
        """A graph with few edges a level is searched by rank 0 alone, unless a partition is asked for."""
        grid = ("--generate", "grid --width 1200 --height 15 --weights uniform:1:9", "-s", "--scheduler", "delta")
        for ranks, source in ((3, 0), (2, 17999)):
            self.assertIn("sent 0 messages (rank 0 ran alone", self.right(ranks, "sssp", "--source", source, *grid))
        self.assertNotIn("alone", self.right(2, "sssp", *grid, "--partition", "block"))
        found = json.loads(self.run_over(2, "sssp", *grid, "--json", "-").stdout)
        self.assertEqual((found["ranks"]["alone"], found["ranks"]["critical_edges"]), (True, found["counts"]["edges"]))
        self.assertIn("alone", self.right(2, "bfs", "--generate", "uniform --vertices 9000 --degree 9", "-s", "--scheduler", "bsp"))
        self.wrong(6, "did not end within", 2, "sssp", *grid, "--timeout", "0.000001")

    def test_directions(self):
        for direction in ("push", "pull", "auto"):
            out = self.right(3, "bfs", "--generate", "rmat --scale 9 --degree 8", "-s", "--scheduler", "bsp", "--set",
                             "direction=" + direction)
            self.assertIn("Ranks:               3, which have sent", out)
        # messages that are late, while steps would pull
        run = self.run_over(3, "bfs", "--generate", GRAPHS[3], "-s", "--scheduler", "bsp", "--set", "direction=pull", "-n", 4,
                            "--verify", FAKE_BOX="1")
        self.assertEqual(run.stdout.count("PASS"), 4, run.stdout + run.stderr)

    def test_atomic(self):
        """Candidates that are applied to the owner's cell at once."""
        atomic = ("--scheduler", "bsp", "--set", "exchange=atomic")
        for i, graph in enumerate(GRAPHS):
            for j, app in enumerate(("sssp", "bfs")):
                box = {"FAKE_BOX": str((1, 7, 40)[i % 3])} if (i + j) % 2 else {}
                self.right((2, 3, 4)[(i + j) % 3], app, *atomic, "--generate", graph, "-s", "--seed", i, **box)
        self.right(3, "kcore", *atomic, "--generate", GRAPHS[3], "-s") # sums: in bulk nevertheless

    def test_bulk(self):
        """Ghosts that are marked, and sent behind a superstep: of selects where asked for, always of sums and of
        targets that are no items. Boxes that are too small: what was added stays in the ghost."""
        bulk = ("--scheduler", "bsp", "--set", "exchange=bulk")
        words = (("sssp", *bulk), ("bfs", *bulk), ("kcore",), ("mst",),
                 ("pagerank", "--scheduler", "bsp", "--set", "direction=push", "--tolerance", "1e-4"))
        for i, graph in enumerate((GRAPHS[1], GRAPHS[2], GRAPHS[3], GRAPHS[6], "star --vertices 200 --weights uniform:1:3")):
            for j, app in enumerate(words):
                box = {"FAKE_BOX": str((7, 40)[j % 2] if j < 4 else 40)} if (i + j) % 2 else {}
                self.right((2, 3, 4)[(i + j) % 3], *app, "--generate", graph, "-s", "--seed", i, **box)
        out = self.right(2, "mst", "--generate", GRAPHS[3]) # directed: cells of targets, which have no row
        self.assertRegex(out, r"Ranks: +2, which have sent [1-9]\d* messages")

    def test_hosts(self):
        """GPUs that do not see each other's memory: hosts carry messages, the frontier's bits, shares and words, and put arrays
        of sessions together. Alone on their hosts, or two on each; boxes of any size; what is put arrives last first."""
        apps = (("sssp", "--scheduler", "bsp"), ("sssp", "--scheduler", "delta"), ("sssp", "--scheduler", "near_far"), ("bfs", "--scheduler", "bsp"),
                ("bfs", "--scheduler", "bsp", "--set", "direction=pull"), ("sssp", "--scheduler", "bsp", "--set", "exchange=eager"),
                ("kcore",), ("mst",), ("pagerank", "--tolerance", "1e-4"), ("lp",), ("hits",), ("sssp", "--scheduler", "auto"))
        for i, graph in enumerate(GRAPHS):
            for j, app in enumerate(apps):
                if (i + j) % (4 if QUICK else 2) and (QUICK or graph != GRAPHS[3]):
                    continue
                ranks, seen = ((2, 1), (4, 2), (3, 1), (3, 2))[(i + j // 2) % 4]
                box = {"FAKE_BOX": str((1, 7)[i % 2])} if j < 4 and (i + j) % 3 == 0 else {}
                delay = {"FAKE_DELAY": "40"} if (i + j) % 5 == 0 else {}
                self.right(ranks, *app, "--generate", graph, "-s", "--seed", i, FAKE_PEERS_SEEN=str(seen), ORDO_UNMAPPED="1", **box, **delay)
        run = self.run_over(2, "bfs", "--generate", GRAPHS[3], "-s", "--scheduler", "bsp", "-n", 4, "--verify", FAKE_PEERS_SEEN="1")
        self.assertEqual(run.stdout.count("PASS"), 4, run.stdout + run.stderr)
        self.wrong(6, "did not end ", 2, "sssp", "--generate", "path --vertices 9000", "--source", 0, "--scheduler", "bsp", "--timeout", 0.3,
                   FAKE_PEERS_SEEN="1")

    def values(self, ranks, *words, **settings):
        """What a run over so many ranks writes; 0: one process, on a GPU; None: on a CPU."""
        path = os.path.join(self.folder.name, "values")
        if ranks:
            self.right(ranks, *words, "-o", path, **settings)
        else:
            device = ("--device", "cuda") if ranks == 0 else ()
            subprocess.run([ORDO, *map(str, words), *device, "-o", path], check=True, timeout=120, stdout=subprocess.DEVNULL,
                           env=dict(os.environ, LD_LIBRARY_PATH=self.folder.name), stderr=subprocess.DEVNULL)
        with open(path, encoding="ascii") as f:
            return [float(line) for line in f]

    def test_gathers(self):
        """Rounds over ranks are those of one: labels and, of the same sums, ranks to the last bit; scores but for their
        totals. Groups of rows, rows of four, listed rows with hot shares, rows in pieces; ranks without vertices; shares that
        come late; rows of others, which are not there."""
        gathers = (("pagerank", "--tolerance", "1e-5"), ("lp", "--rounds", "4"), ("hits",))
        graphs = ("path --vertices 1", "path --vertices 33", "star --vertices 90", "star --vertices 5000", "grid --width 50 --height 70",
                  "road --vertices 3000", "rmat --scale 11 --degree 8", "uniform --vertices 200 --degree 1",
                  "uniform --vertices 3000 --degree 12", "uniform --vertices 700 --degree 60", "complete --vertices 140")
        for i, graph in enumerate(graphs):
            for j, app in enumerate(gathers):
                if QUICK and (i + 2 * j) % 3:
                    continue
                words = (*app, "--generate", graph, "--scheduler", "bsp", *(("-s",) if (i + j) % 3 else ()))
                fakes = ({}, {"FAKE_DELAY": "60"}, {"FAKE_GUARD": str(1 << 16)})[(i + 2 * j) % 3]
                expected = self.values(0 if j == 0 else None, *words)
                for ranks in ((2, 8), (3, 4))[(i + j) % 2]:
                    found = self.values(ranks, *words, FAKE_DEVICES="8", **fakes)
                    if j < 2:
                        self.assertEqual(found, expected, (words, ranks))
                    else:
                        self.assertEqual(len(found), len(expected))
                        for a, b in zip(found, expected):
                            self.assertAlmostEqual(a, b, delta=1e-12 * abs(b), msg=f"{words} {ranks}")

    def partitions(self, n):
        """Methods, and files of parts: in turns; of three parts an empty one, and not in order; all in the last part."""
        files = {"turns": lambda v: v % 2, "gap": lambda v: 2 * (v % 5 < 2), "last": lambda v: 1}
        for name, part in files.items():
            with open(self.file(f"{name}.part"), "w", encoding="ascii") as f:
                f.write("".join(f"{part(v)}\n" for v in range(n)))
        metis = subprocess.run([ORDO, "partition", "--generate", "path --vertices 90", "-k", "2"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, timeout=60, check=False,
                               env=dict(os.environ, LD_LIBRARY_PATH=self.folder.name)).returncode == 0
        methods = ["random", "block", "edges"] + (["metis"] if metis else [])
        return [(2 + i % 2, method) for i, method in enumerate(methods)] + [
            (3 if name == "gap" else 2, self.file(f"{name}.part")) for name in files]

    def test_partitions(self):
        """Parts of any kind own vertices: sources, values, trees and paths are those of one process."""
        graph = ("--generate", GRAPHS[3])
        apps = (("sssp", "--source", 5, "--scheduler", "delta"), ("sssp", "--source", 5, "--scheduler", "bsp"), ("kcore", "-s"),
                ("bfs", "--source", 7, "--scheduler", "bsp", "--set", "direction=pull"), ("sssp", "--source", 9, "--scheduler", "near_far"),
                ("lp", "--rounds", 5), ("bellman-ford", "--source", 5), ("johnson", "--sources", 2), ("sssp", "--source", 5, "--scheduler", "broker"),
                ("pagerank", "--tolerance", "1e-6"), ("hits",), ("pagerank", "--scheduler", "bsp", "--set", "direction=push"))
        one = [self.values(None, *(w for w in app if w not in ("--scheduler", "bsp", "broker", "--set", "direction=pull", "direction=push",
                                                               "near_far", "delta")), *graph) for app in apps]
        ways = self.partitions(256)
        for i, (app, expected) in enumerate(zip(apps, one)):
            for ranks, how in ways if not QUICK else (ways[i % len(ways)],):
                unmapped = {"ORDO_UNMAPPED": "1", "FAKE_PEERS_SEEN": "1"} if i % 3 == 0 and app[-1] != "broker" else {}
                found = self.values(ranks, *app, *graph, "--partition", how, **unmapped)
                if app[0] not in ("pagerank", "hits"):
                    self.assertEqual(found, expected, (app, ranks, how))
                else:
                    self.assertEqual(len(found), len(expected))
                    for a, b in zip(found, expected):
                        self.assertAlmostEqual(a, b, delta=1e-3 * abs(b), msg=f"{app} {ranks} {how}")

    def test_partitions_paths(self):
        """Of several shortest paths, and of sources that are equally near, ids of the input choose."""
        graph = ("--generate", "grid --width 12 --height 9")
        with open(self.file("sources"), "w", encoding="ascii") as f:
            f.write("3\n40\n77\n")
        words = (("bfs", "--source", 3, "--tree", self.file("found"), "--path-to", 90),
                 ("sssp", "--sources-at-once", self.file("sources"), "--nearest", self.file("found")))
        for app in words:
            written = []
            for run in (subprocess.run([ORDO, *map(str, app), *graph], check=True, timeout=60, stdout=subprocess.PIPE, text=True,
                                       env=dict(os.environ, LD_LIBRARY_PATH=self.folder.name)),
                        self.run_over(2, *app, *graph, "--partition", "random", "--verify", "-n", 2)):
                self.assertEqual(run.returncode, 0, run.stderr)
                with open(self.file("found"), encoding="ascii") as f:
                    written.append((f.read(), {line for line in run.stdout.splitlines() if line.startswith("Path:")}))
            self.assertEqual(run.stdout.count("PASS"), 2, run.stdout)
            self.assertEqual(*written)

    def test_gathers_across(self):
        """Every edge leads to another rank: two layers, of which the lower ids have one; and in one direction alone."""
        path = os.path.join(self.folder.name, "layers.el")
        for ways in (2, 1):
            with open(path, "w", encoding="ascii") as f:
                for v in range(64):
                    f.write("".join(f"{v} {64 + (7 * v + 11 * i) % 64}\n" for i in range(9)))
                    f.write("".join(f"{64 + v} {(5 * v + 3 * i + 1) % 64}\n" for i in range(9 * (ways - 1))))
            for app in (("pagerank", "--tolerance", "1e-5"), ("lp",), ("hits",)):
                words = (*app, path, "--scheduler", "bsp")
                expected = self.values(0 if app[0] == "pagerank" else None, *words)
                for ranks in (2, 4):
                    found = self.values(ranks, *words)
                    if app[0] != "hits":
                        self.assertEqual(found, expected, (words, ranks))

    def test_gathers_as_asked(self):
        """Which operator PageRank takes; shares that are counted; several runs on a graph; what is refused."""
        rank = ("pagerank", "--generate", GRAPHS[3])
        for words, sync in (((), "racy"), (("--scheduler", "bsp"), "racy"), (("--scheduler", "auto"), "racy"),
                            (("--set", "direction=push"), "atomic"), (("--sync", "atomic"), "atomic")):
            self.assertIn(f"sync {sync}, cuda", self.right(2, *rank, *words))
        self.assertNotIn("Ranks:", self.right(1, *rank, "--scheduler", "bsp"))
        # three rounds of 64 vertices that the other rank reads
        out = self.right(2, "lp", "--generate", "complete --vertices 64", "--rounds", 3)
        self.assertIn("Ranks:               2, which have sent 192 messages", out)
        run = self.run_over(3, *rank, "-n", 3, "--verify")
        self.assertEqual(run.stdout.count("PASS"), 3, run.stdout + run.stderr)
        for app in (("lp",), ("hits",)):
            words = (*app, "--generate", GRAPHS[3])
            self.wrong(4, "bytes for memory that ranks share", 2, *words, FAKE_PEERS_MEMORY="1000")
        self.wrong(2, "are not traced", 2, "lp", "--generate", GRAPHS[3], "--trace", os.path.join(self.folder.name, "trace"))
        # labels of a grid without odd circles change for ever
        self.wrong(6, "did not end ", 3, "lp", "--generate", "grid --width 40 --height 40", "--rounds", 1000000, "--timeout", 0.3)

    def test_waiting_ghosts(self):
        """Most of what is sent first is of no use, and what is of use has no place: the run must not end before.
        Rank 0 owns vertices below 32."""
        path = os.path.join(self.folder.name, "late.el")
        with open(path, "w", encoding="ascii") as f:
            f.write("".join(f"40 {v} 1\n0 {v} 1\n61 {v} 1\n" for v in range(41, 60)) + "40 0 5\n0 60 1\n0 63 9\n")
        for scheduler in ("bsp", "delta", "near_far", "broker", "inbox", "adds"):
            for seed in range(1 if scheduler in ("inbox", "adds") else 3):
                self.right(2, "sssp", path, "--source", 40, "--scheduler", scheduler, "--seed", seed, FAKE_BOX="1")

    def test_rows_of_others(self):
        """A rank has the rows and records of its own vertices; nothing may read where those of others would be."""
        for graph, app in (("road --vertices 1500", "sssp"), ("star --vertices 2000", "sssp"), (GRAPHS[3], "bfs")):
            for scheduler in ("delta", "bsp", "near_far", "broker", "inbox") + (("adds",) if app == "bfs" else ()):
                self.right(3, app, "--generate", graph, "-s", "--scheduler", scheduler, FAKE_GUARD=str(1 << 20))

    def test_own_rows(self):
        """A rank's host reads the rows that it owns from a GAP file, where the app needs no others."""
        for name, more in (("directed.wsg", ("--weights", "uniform:1:99")), ("both.sg", ("-s",)), ("directed.sg", ())):
            subprocess.run([ORDO, "generate", "rmat", "--scale", "12", *more, "--output", self.file(name), "--quiet"], check=True,
                           env=dict(os.environ, LD_LIBRARY_PATH=self.folder.name))
        cases = [(True, "sssp", "directed.wsg", "--source", 5, "--scheduler", s) for s in ("bsp", "delta", "near_far", "broker", "inbox")]
        cases += [(True, "bfs", graph, "--source", 5, "--scheduler", "bsp") for graph in ("both.sg", "directed.sg")]
        cases += [(True, "bellman-ford", "directed.wsg", "--source", 5), (True, "lp", "both.sg", "--rounds", 4),
                  (False, "lp", "directed.sg", "--rounds", 4), (True, "pagerank", "both.sg"), (True, "pagerank", "directed.sg"),
                  (True, "pagerank", "directed.sg", "--set", "direction=push"), (False, "kcore", "both.sg")]
        for i, (own, app, graph, *words) in enumerate(cases):
            if QUICK and i % 2 and own and app != "pagerank":
                continue
            values, record = [], []
            for ranks in (None, 2 + i % 2):
                at = self.file("values") + str(ranks)
                cut = words[:2] if app in ("sssp", "bfs") else words  # whichever scheduler: the same values
                command = (app, self.file(graph), *(words if ranks else cut), "-o", at, "--json", "-")
                run = self.run_over(ranks, *command) if ranks else subprocess.run(
                    [ORDO, *map(str, command)], timeout=60, check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                    env=dict(os.environ, LD_LIBRARY_PATH=self.folder.name))
                self.assertEqual(run.returncode, 0, (command, run.stderr))
                record.append(json.loads(run.stdout)["graph"])
                with open(at, encoding="ascii") as f:
                    values.append([float(line) for line in f])
            self.assertEqual(record[0]["checksum"], record[1]["checksum"])
            self.assertEqual(record[1]["bytes"] < 0.8 * record[0]["bytes"], own, (app, graph, words, record))
            for a, b in zip(*values):
                self.assertAlmostEqual(a, b, delta=2e-3 * a if app == "pagerank" else 0, msg=f"{app} {graph}")

    def test_own_in_rows(self):
        """Hosts put the in-rows of their own vertices together, of which each edge is in another rank's part."""
        graph = self.file("turned.wsg")
        subprocess.run([ORDO, "generate", "rmat", "--scale", "10", "--weights", "uniform:1:99", "--output", graph, "--quiet"], check=True,
                       env=dict(os.environ, LD_LIBRARY_PATH=self.folder.name))
        bfs = ("bfs", graph, "--source", 5, "--scheduler", "bsp", "--json", "-", "-o", self.file("levels"))
        found, edges = [], []
        for ranks, words in ((1, ()), (2, ()), (3, ("-n", 2)), (4, ("--set", "direction=pull"))):
            run = self.run_over(ranks, *bfs, *words)
            self.assertEqual(run.returncode, 0, run.stderr)
            edges.append(json.loads(run.stdout.splitlines()[-1])["counts"]["edges"])
            with open(self.file("levels"), encoding="ascii") as f:
                found.append(f.read())
        self.assertEqual(found, [found[0]] * 4)
        self.assertLess(edges[2], edges[1] / 2)  # a run by itself pushes, and two of them pull

    def test_drawn(self):
        """Apps over files and ranks that are drawn; ranks read parts of the files. Answers are those of one process."""
        draw = random.Random(1)
        path, one, several = map(self.file, ("drawn", "one", "several"))
        for _ in range(24 if QUICK else 200):
            kind = draw.choice((f"rmat --scale {draw.randint(6, 12)} --degree {draw.randint(2, 20)}",
                                f"uniform --vertices {draw.randint(50, 4000)} --degree {draw.randint(1, 12)}",
                                f"grid --width {draw.randint(2, 60)} --height {draw.randint(2, 60)}",
                                f"star --vertices {draw.randint(3, 3000)}", f"road --vertices {draw.randint(50, 4000)}"))
            weights = draw.choice(((), ("--weights", "uniform:1:99"))) if kind[:4] != "road" else ()  # which has weights
            graph = path + (".wsg" if weights or kind[:4] == "road" else ".sg")
            both = draw.choice(((), ("-s",)))
            subprocess.run([ORDO, "generate", *kind.split(), *both, *weights, "--seed", str(draw.randint(1, 99)), "--output", graph, "--quiet"],
                           check=True, env=dict(os.environ, LD_LIBRARY_PATH=self.folder.name))
            app = draw.choice(("pagerank", "lp", "hits", "kcore", "bfs") + (("sssp", "bellman-ford") if graph[-3:] == "wsg" else ()))
            words = {"pagerank": ("--tolerance", "1e-6"), "hits": (), "kcore": (), "lp": ("--rounds", "4")}.get(app, ("--source", str(draw.randint(0, 2))))
            more = {"pagerank": ((), ("--set", "direction=push")), "bfs": ((), ("--scheduler", "bsp"), ("--scheduler", "delta"), ("--scheduler", "near_far")),
                    "sssp": (("--scheduler", "bsp"), ("--scheduler", "delta"), ("--scheduler", "near_far"))}.get(app, ((),))
            more = draw.choice(more) + draw.choice(((), ("-n", "2")))
            settings = draw.choice(({}, {}, {"ORDO_UNMAPPED": "1"}))
            alone = subprocess.run([ORDO, app, graph, *words, "-o", one, "--quiet"], stderr=subprocess.PIPE, text=True, check=False,
                                   env=dict(os.environ, LD_LIBRARY_PATH=self.folder.name))
            ranks = draw.randint(2, 4)
            run = self.run_over(ranks, app, graph, *words, *more, "-o", several, "--quiet", **settings)
            case = (app, kind, both, weights, words, more, ranks, settings)
            self.assertEqual((alone.returncode, run.returncode), (0, 0), (case, alone.stderr, run.stderr))
            answers = []
            for name in (one, several):
                with open(name, encoding="ascii") as f:
                    answers.append(f.read().split())
            if app in ("pagerank", "hits"):
                self.assertEqual(len(answers[0]), len(answers[1]), case)
                self.assertLess(sum(abs(float(a) - float(b)) for a, b in zip(*answers)), 1e-3, case)
            else:
                self.assertEqual(answers[0], answers[1], case)

    def test_broker(self):
        """No supersteps: chunks that come late, boxes of one chunk, a queue of few places, ranks without vertices."""
        settings = ((), ("queue=bwd",), ("ring=4",), ("batch=1", "queue=bwd"), ("ring=1",))
        graphs = GRAPHS + ("star --vertices 900", "road --vertices 400")
        for i, graph in enumerate(graphs):
            words = [word for setting in settings[i % 5] for word in ("--set", setting)]
            fakes = ({"FAKE_BOX": "1"}, {}, {"FAKE_DELAY": "60"}, {"FAKE_BOX": "33", "FAKE_DELAY": "20"})[i % 4]
            self.right((2, 3, 4, 2, 3, 8)[i % 6], ("sssp", "bfs")[i % 2], "--generate", graph, "-s", "--scheduler", "broker", "--seed", i,
                       *words, **fakes, FAKE_DEVICES="8")
        self.assertRegex(self.right(2, "sssp", "--generate", GRAPHS[3], "-s", "--scheduler", "broker", "-n", 1),
                         r"Ranks: +2, which have sent [1-9]\d* messages")

    def test_across(self):
        """Every edge leads to another rank: two layers, in both directions, of which the lower ids have one."""
        path = os.path.join(self.folder.name, "across.el")
        with open(path, "w", encoding="ascii") as f:
            for v in range(64):
                f.write("".join(f"{v} {64 + (7 * v + 11 * i) % 64} {1 + (v * i) % 9}\n" for i in range(6)))
                f.write("".join(f"{64 + v} {(5 * v + 3 * i + 1) % 64} {1 + (v + i) % 7}\n" for i in range(6)))
        for scheduler in ("bsp", "delta", "near_far"):
            self.right(4, "bfs", path, "--source", 3, "--scheduler", scheduler)
        for scheduler, box in (("broker", {}), ("broker", {"FAKE_BOX": "1"}), ("inbox", {"FAKE_BOX": "1"}), ("adds", {"FAKE_BOX": "1"})):
            for seed in range(2 if scheduler == "broker" else 1):
                self.right(2, "sssp", path, "--source", 3, "--scheduler", scheduler, "--seed", seed, **box)

    def test_order(self):
        """Without supersteps by priority: chunks that come late, small boxes, narrow and wide buckets."""
        settings = {"inbox": ((), ("delta=1",), ("window=0",), ("delta=1000",)),
                    "adds": ((), ("delta=1",), ("buckets=2", "dynamic=off"), ("chain=0", "pool=64"))}
        for i, graph in enumerate(GRAPHS):
            for scheduler, choices in settings.items():
                if scheduler == "adds" and i in (1, 4, 5): # a grid of two blocks takes longest: 2 ranks, fewer graphs
                    continue
                words = [word for setting in choices[i % 4] for word in ("--set", setting)]
                fakes = ({"FAKE_BOX": "1"}, {}, {"FAKE_DELAY": "60"}, {"FAKE_BOX": "33", "FAKE_DELAY": "20"})[i % 4]
                self.right(3 if scheduler == "inbox" else 2, ("sssp", "bfs")[i % 2], "--generate", graph, "-s", "--scheduler",
                           scheduler, "--seed", i, *words, **fakes)

    def test_hubs(self):
        """300 hubs, of which each reaches a vertex of its own by its last piece."""
        path = self.file("hubs.wel")
        with open(path, "w", encoding="ascii") as f:
            for hub in range(1, 301):
                f.write(f"0 {hub} {hub % 7 + 1}\n")
                f.write("".join(f"{hub} {301 + leaf} {(hub * leaf) % 9 + 1}\n" for leaf in range(4096)) + f"{hub} {5000 + hub} 1\n")
        for app, scheduler in (("bfs", "bsp"), ("sssp", "bsp"), ("sssp", "near_far")):
            self.right(2, app, path, "--source", 0, "--scheduler", scheduler)

    def test_latency_bound(self):
        """Under adds a run becomes latency-bound, and ceases to be, while warps read that: all lanes of one must agree."""
        for seed in range(8 if QUICK else 24):
            run = self.run_over(3, "bellman-ford", "--generate", "star --vertices 2130 --weights uniform:1:99", "-s", "--scheduler", "adds",
                                "--seed", seed, "-n", 4, "--verify=both")
            self.assertEqual((run.returncode, run.stdout.count("PASS")), (0, 4), (seed, run.stdout, run.stderr))

    def test_settings(self):
        """Little memory for entries, narrow and wide buckets, several runs."""
        for words in (("pool=64",), ("delta=1000",), ("buckets=4", "delta=4", "dynamic=off")):
            settings = [word for pair in (("--set", word) for word in words) for word in pair]
            self.right(2, "sssp", "--generate", GRAPHS[3], "-s", "--scheduler", "delta", *settings)
        for factor in (0.01, 1000): # as many splits as there are lengths; none behind the first
            self.right(3, "sssp", "--generate", GRAPHS[3], "-s", "--scheduler", "near_far", "--set", f"factor={factor}")
        for scheduler in ("delta", "near_far", "broker"):
            run = self.run_over(2, "sssp", "--generate", GRAPHS[2], "--scheduler", scheduler, "-n", 2, "--verify")
            self.assertEqual(run.stdout.count("PASS"), 2, run.stdout + run.stderr)

    def queue_records(self, ranks, *words, **settings):
        run = self.run_over(ranks, "bench", "queue", "--warmup", 0, "-n", 1, "--operations", 600, *words, "--json", "-", **settings)
        self.assertEqual(run.returncode, 0, (words, settings, run.stdout, run.stderr))
        return [json.loads(line) for line in run.stdout.splitlines()]

    def test_queue(self):
        """Every entry is taken once, also where queues have eight places or one, blocks collect a few entries or one, and what
        is stored is seen late; one GPU beside them."""
        for ranks, share, words, fakes in ((2, 0.5, (), {"FAKE_ROOM": "7"}), (3, 0.5, ("--lanes", 5), {"FAKE_SHIFT": "3", "FAKE_ROOM": "20"}),
                                           (2, 1, (), {"FAKE_DELAY": "20"}), (2, 0, (), {"FAKE_SHIFT": "3"}),
                                           (4, 0.5, (), {"FAKE_SHIFT": "0", "FAKE_ROOM": "1", "FAKE_DELAY": "20"})):
            found = self.queue_records(ranks, "--blocks", 2, "--threads", 64, "--remote", share, *words, **fakes)
            ways = ((1, None), (ranks, False), (ranks, True))
            self.assertEqual([(r["gpus"], r.get("staged"), r["queue"], r["pattern"]) for r in found],
                             [(*way, q, p) for way in ways for q in ("bq", "bwd") for p in ("phases", "mixed")])
            for r in found:
                self.assertEqual((r["operations"], r["verified"], r["batch"], r["device"]), (600, True, 32, "cuda"))
                if r["gpus"] > 1:
                    self.assertEqual(r["remote"], share)
                    self.assertAlmostEqual(r["messages"], 300 * share, delta=60 * min(share, 1 - share))
        out = self.run_over(2, "bench", "queue", "--warmup", 0, "-n", 1, "--operations", 601, "--blocks", 1, "--threads", "64").stdout
        self.assertIn("queue: 600 operations a run", out)
        cell = r" +[\d.]+ \([\d.]+ to [\d.]+\)"
        self.assertRegex(out, rf"(?m)^ +1 +64 +32 +1 +1 (?:{cell})+ *$")
        for way in ("2", "2 staged"):
            self.assertRegex(out, rf"(?m)^ +1 +64 +32 +1 +{way} (?:{cell} +\[[\d.]+\])+$")

    def test_queue_refused(self):
        queue = ("bench", "queue", "--operations", 200, "-n", 1)
        self.wrong(5, "found 2 GPUs, expected 3, one for each rank of this host", 3, *queue, FAKE_DEVICES="2")
        self.wrong(5, "does not see the memory of that of rank", 2, *queue, "--blocks", 1, "--threads", 64, FAKE_PEERS_SEEN="1")
        self.wrong(4, "bytes for memory that ranks share", 2, *queue, "--blocks", 1, "--threads", 64, FAKE_PEERS_MEMORY="100")
        self.wrong(4, "making a queue", 2, *queue, "--blocks", 1, "--threads", 64, FAKE_MEMORY="3000")  # of rank 0 alone
        for share in ("1.5", "nan", "-0.1"):
            self.wrong(2, f"--remote '{share}', expected a number, at least 0, at most 1", 2, *queue, "--remote", share)
        self.wrong(2, "takes --remote with several GPUs alone", 1, *queue, "--remote", 0.5)
        self.wrong(2, "--batch '1', expected 32 over several GPUs", 2, *queue, "--batch", "32,1")
        self.wrong(2, "5 blocks of 32 threads, expected 4 at most", 2, *queue, "--blocks", 5, "--threads", 32)
        self.wrong(2, "--operations 3, expected 2 at least for each of 2 GPUs", 2, "bench", "queue", "--operations", 3)
        self.wrong(2, "bench ht has no queue, so it takes no --gpus", 2, "bench", "ht")

    @unittest.skipUnless(shutil.which("mpirun") and os.path.exists(MPI), "no mpirun, or built without MPI")
    def test_counts(self):
        """Eight ranks process and send here what tools/rank-model counts over processes on CPUs. In a ring all ranks own as
        much, here and there; elsewhere ranges begin at multiples of 32 here."""
        loader = importlib.machinery.SourceFileLoader("rank_model", os.path.join(TREE, "tools", "rank-model"))
        model = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
        loader.exec_module(model)
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_btl_vader_single_copy_mechanism="none")
        with open(self.file("ring.el"), "w", encoding="ascii") as f:
            f.write("".join(f"{v} {(v + hop) % 512}\n" for v in range(512) for hop in (1, 5, 37, 101, 411, 475, 507, 511)))
        for words in (("convert", self.file("ring.el"), self.file("ring.ordo")),
                      ("generate", "rmat", "--scale", "9", "-s", "--output", self.file("rmat.ordo"))):
            subprocess.run([ORDO, *words, "--quiet"], check=True)
        search, labels = ("bfs", "--scheduler", "bsp", "--set", "direction=push"), ("lp", "--scheduler", "bsp", "--rounds", "4")
        for app, graph, more in ((search, "ring", 0), (search, "rmat", 0.05), (("kcore", "--scheduler", "bsp"), "ring", 0), (labels, "ring", 0)):
            expected = model.count(ORDO, pathlib.Path(self.folder.name), app, graph, 8)
            source = ("--seed", 1) if app == search else ()
            run = self.run_over(8, *app, self.file(graph + ".ordo"), "--trust", *source, "--json", "-", FAKE_DEVICES="8")
            self.assertEqual(run.returncode, 0, run.stderr)
            found = json.loads(run.stdout)
            for key in ("edges", "supersteps"):
                self.assertEqual(found["counts"][key], expected[key], (app, graph))
            # CPUs also send the shares that there are before the first round
            messages = expected["messages"] * 4 / 5 if app == labels else expected["messages"]
            self.assertAlmostEqual(found["ranks"]["messages"], messages, delta=more * messages, msg=f"{app} {graph}")

    def test_interrupted(self):
        """Ctrl-C ends all ranks behind a meeting: of rounds that gather, which would go on for ever, of supersteps, and of
        monitors. It reaches the process that has started the ranks, or one of them."""
        for words in (("lp", "--generate", "grid --width 40 --height 40", "--rounds", 1000000),
                      ("sssp", "--generate", "path --vertices 90000", "--source", 0, "--partition", "edges", "--scheduler", "bsp"),
                      ("sssp", "--generate", "path --vertices 90000", "--source", 0, "--partition", "edges", "--scheduler", "broker")):
            with subprocess.Popen(**self.command(3, *words)) as run:
                end = time.monotonic() + 30
                while not os.path.exists(self.file(f"{run.pid}-1")) and time.monotonic() < end:
                    time.sleep(0.01)  # words are shared first, then what a run needs
                time.sleep(0.3)
                with open(f"/proc/{run.pid}/task/{run.pid}/children", encoding="ascii") as f:
                    ranks = [int(word) for word in f.read().split()]
                self.assertEqual((run.poll(), len(ranks)), (None, 3))
                os.kill(ranks[2] if words[-1] == "bsp" else run.pid, signal.SIGINT)
                began = time.monotonic()
                try:
                    _, err = run.communicate(timeout=20)
                finally:
                    run.kill()
            self.assertEqual(run.returncode, 130, (words, err))
            self.assertLess(time.monotonic() - began, 5, words)
            self.assertEqual([rank for rank in ranks if os.path.exists(f"/proc/{rank}")], [])

    def test_does_not_start(self):
        """Where NVSHMEM starts in all ranks but one, these wait in it; the one ends the job."""
        for rank, says in ((0, 0), (1, 1), ("all", 0)):
            self.wrong(5, f"rank {says}: fake peers: does not start", 2, "sssp", "--generate", GRAPHS[3], FAKE_PEERS_BROKEN=str(rank))

    def test_refused(self):
        sssp = ("sssp", "--generate", GRAPHS[2])
        self.wrong(5, "found 1 GPU, expected 2, one for each rank of this host", 2, *sssp, FAKE_DEVICES="1")
        self.wrong(4, "bytes for memory that ranks share", 2, *sssp, "--scheduler", "bsp", FAKE_PEERS_MEMORY="100")
        with open(self.file("short.part"), "w", encoding="ascii") as f:
            f.write("0\n1\n")
        self.wrong(3, "short.part:3: found end of file, expected a line for each of 108 vertices", 2, *sssp, "--partition", self.file("short.part"))
        # ties of edges are broken by their ids, which are others on a renumbered graph
        self.wrong(2, "expected a partition whose parts are ranges", 2, "mst", "--generate", GRAPHS[3], "--partition", "random")
        self.wrong(2, "on GPUs only sync atomic does", 2, *sssp, "--scheduler", "bsp", "--sync", "lock")
        self.wrong(2, "direction=pull does not run 'pagerank', whose cells sum, over ranks", 2, "pagerank", "--generate", GRAPHS[3],
                   "--scheduler", "bsp", "--sync", "atomic", "--set", "direction=pull")
        # within 0.3 s, or in time, if another rank has noticed that first
        self.wrong(6, "did not end ", 2, "sssp", "--generate", "path --vertices 9000", "--source", 0,
                   "--scheduler", "bsp", "--timeout", 0.3)
        self.wrong(6, "did not end ", 3, "sssp", "--generate", "path --vertices 9000", "--source", 0,
                   "--scheduler", "broker", "--timeout", 0.3)
        # GPUs that do not see each other, found when the run begins, and known before
        self.wrong(5, "does not see the memory of that of rank", 2, *sssp, "--scheduler", "broker", FAKE_PEERS_SEEN="1")
        self.wrong(2, "on GPUs that do not see each other's memory; these do: bsp, near_far, delta", 2, *sssp, "--scheduler", "inbox",
                   FAKE_PEERS_SEEN="1", ORDO_UNMAPPED="1")
        self.wrong(2, "exchange=atomic needs GPUs that see each other's memory", 2, *sssp, "--scheduler", "bsp", "--set", "exchange=atomic",
                   FAKE_PEERS_SEEN="1")
        self.wrong(4, "bytes for memory that ranks share", 2, "sssp", "--generate", "path --vertices 9000", "--scheduler", "broker",
                   FAKE_PEERS_MEMORY="20000")


@unittest.skipUnless(os.path.exists(CONTRACT) and os.path.exists(REALS), "built without the programs")
class Programs(Simulated):
    """The contract, and that of reals, whose processes are ranks. Each rank compares the whole answer."""

    def agree(self, ranks, *words, **settings):
        with tempfile.TemporaryDirectory(dir=self.folder.name) as shared, open(os.path.join(shared, "out"), "w+", encoding="utf-8") as out:
            file = os.memfd_create("ranks", 0)
            env = dict(os.environ, LD_LIBRARY_PATH=self.folder.name, FAKE_PEERS=shared, FAKE_DEVICES="8", ORDO_RANKS=str(ranks),
                       ORDO_RANKS_FILE=str(file), **settings)
            children = [subprocess.Popen(words, env=dict(env, ORDO_RANK=str(rank)), pass_fds=[file], stdout=out, stderr=out) for rank in range(ranks)]
            os.close(file)
            end = time.monotonic() + 60
            while time.monotonic() < end and all(child.poll() in (None, 0) for child in children) and any(child.poll() is None for child in children):
                time.sleep(0.01)
            time.sleep(0 if all(child.poll() == 0 for child in children) else 1)  # the others may have something to say
            for child in children:
                child.kill()
            status = [child.wait() for child in children]
            out.seek(0)
            self.assertEqual(status, ranks * [0], (words, settings, out.read()))

    def test_reals(self):
        """Sums of reals, also without rounding, where each addend must arrive once and as it was; boxes that are too small."""
        for seed, (ranks, cell, fakes) in enumerate(((2, "f32", {}), (3, "f64", {"FAKE_BOX": "7"}), (4 if QUICK else 8, "f32", {"FAKE_BOX": "20"}))):
            self.agree(ranks, REALS, f"push_{cell}", "bsp", "atomic", "1", f"{seed + 1}-{seed + 1}", "cuda", **fakes)

    def test_searches(self):
        """All families over one rank and over eight, most of which own nothing of the small graphs."""
        for seed, (ranks, scheduler) in enumerate(((1, "bsp"), (8, "bsp"), (1, "delta"))):
            self.agree(ranks, CONTRACT, "bfs", scheduler, "atomic", "1", f"{seed + 1}-{seed + 1}", "cuda")


unittest.main(argv=sys.argv[:1] + sys.argv[5:])
