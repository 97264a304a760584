#!/usr/bin/env python3
"""Apps over several processes: the same answers as in one, and errors that end all of them. usage: ranks_test.py
PATH_OF_ORDO [unittest arguments]. Skipped without mpirun or libordo-mpi.so."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import command
from command import Base, main, ordo

LIBRARY = os.path.join(os.path.dirname(command.ORDO or ""), "libordo-mpi.so")
MPIRUN = shutil.which("mpirun")
# Root is refused, and so are more processes than cores, unless it is said that both are wanted. Open MPI looks for other layers
# under its messages for a fifth of a second unless one is named (test_model and test_namespaces let it look), and gives the
# processes of a job that failed a second to end.
LOOKING = dict(os.environ, CUDA_VISIBLE_DEVICES="", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
               OMPI_MCA_btl_vader_single_copy_mechanism="none")
WORLD = dict(LOOKING, OMPI_MCA_pml="ob1", OMPI_MCA_odls_base_sigkill_timeout="0")
CYCLIC_ROWS = os.environ.get("CYCLIC_ROWS", os.path.join(os.path.dirname(command.ORDO), "tests", "cyclic_rows"))
GRAPHS = ("path --vertices 40", "star --vertices 50", "grid --width 12 --height 9 --weights uniform:1:9", "rmat --scale 9 --degree 8 "
          "--weights uniform:1:100", "road --vertices 2000", "uniform --vertices 300 --degree 1 --weights uniform:1:5",
          "complete --vertices 20", "path --vertices 1")
KATZ = os.path.join(os.path.dirname(os.path.abspath(__file__)), "operators", "katz.c")
SCHEDULERS = ("bsp", "delta", "near_far", "topology")
APPS = (("sssp", "--source", "0"), ("bfs", "--source", "0"), ("widest", "--source", "0"), ("bellman-ford", "--source", "0"), ("cc", "-s"),
        ("kcore", "-s"), ("mst", "-s"), ("mis", "-s"), ("scc",))


# In a network namespace of its own: a bridge, to which mpirun listens, and an end of a link to it for each of two ranks.
LINK = """set -e
ip link add hub type bridge; ip addr add 10.9.9.254/24 dev hub; ip link set hub up; ip link set lo up
for i in 0 1; do ip link add rank$i type veth peer name port$i; ip link set port$i master hub; ip link set port$i up; done
"""
# Moves these ends into two more namespaces, and runs a rank in each.
APART = """unshare -n sleep 60 & export NS0=$!
unshare -n sleep 60 & export NS1=$!
trap 'kill $NS0 $NS1' EXIT
enter() { n=$1; shift; nsenter -t $n -n "$@"; }
for i in 0 1; do
    eval "n=\$NS$i"
    while [ "$(readlink /proc/$n/ns/net)" = "$(readlink /proc/$$/ns/net)" ]; do sleep 0.05; done
    ip link set rank$i netns $n
    enter $n ip link set lo up; enter $n ip addr add 10.9.9.$((i + 1))/24 dev rank$i; enter $n ip link set rank$i up
done
mpirun=$1; shift
$mpirun --mca btl tcp,self --mca btl_tcp_if_include 10.9.9.0/24 -np 2 sh -c 'eval "n=\$NS$OMPI_COMM_WORLD_RANK"; exec nsenter -t $n -n "$@"' sh "$@"
"""

UNMAPPED = {"ORDO_UNMAPPED": "1"}
SESSIONS = tempfile.TemporaryDirectory(prefix="mpi.")


def start(count, *words, program=None, env=()):
    # Each job has a folder of its own. Open MPI keeps its sessions in one folder of TMPDIR; of two jobs that start at once both may
    # try to make it, and one then fails.
    return subprocess.Popen([MPIRUN, "-np", str(count), program or command.ORDO, *map(str, words)],
                            env=dict(WORLD, TMPDIR=tempfile.mkdtemp(dir=SESSIONS.name), **dict(env)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


@unittest.skipUnless(MPIRUN and os.path.exists(LIBRARY), "no mpirun, or built without MPI")
class Ranks(Base):
    def over(self, count, *words, program=None, env=()):
        """What rank 0 prints."""
        run = start(count, *words, program=program, env=env)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0, err.decode())
        return out.decode()

    def not_over(self, status, message, *words, count=2):
        run = start(count, *words)
        _, err = run.communicate(timeout=60)
        lines = [line for line in err.decode().splitlines() if line.startswith("ordo: ")]
        self.assertEqual((run.returncode, len(lines)), (status, 1), err.decode())
        self.assertIn(message, lines[0])

    def together(self, function, cases):
        """Calls it with each case, three at a time: most of the time of a small job is waiting. Returns what it returns."""
        with ThreadPoolExecutor(3) as pool:
            return list(pool.map(lambda case: function(*case), cases))

    def same(self, pair, count, app, graph, *words):
        """Three cases in turns share memory, as ranks of one host, and share none, as ranks of several hosts."""
        one, many = self.path(f"{pair}.one"), self.path(f"{pair}.many")
        self.assertEqual(ordo(*app, "--generate", graph, "--scheduler", "bsp", "--threads", 1, "--output", one).returncode, 0)
        out = self.over(count, *app, "--generate", graph, "--output", many, "--verify", *words,
                        env={} if pair // 3 % 2 == 0 else UNMAPPED)
        self.assertIn("PASS", out)
        self.assertEqual(out.count("Trial Time"), 1)  # rank 0 alone prints
        with open(one) as a, open(many) as b:
            self.assertEqual(a.read(), b.read(), (count, app, graph, words))

    def all_same(self, cases, some=False):
        """Each of a number of ranks, an app, a graph and more words; with `some`, in short one of three, so that
        all of what comes in turns of two or four is among them."""
        self.together(self.same, [(pair, *case) for pair, case in enumerate(cases) if not (some and command.QUICK and pair % 3)])

    def test_answers(self):
        """Each app and each graph, over 2 to 8 ranks of 1 or 2 threads, in turns; some ranks own nothing."""
        counts, cases = (2, 3, 4, 8), []
        for graph in GRAPHS:
            for scheduler in SCHEDULERS[:2] if len(cases) % 4 < 2 else SCHEDULERS[2:]:
                i = len(cases)
                app, count = APPS[(i + i // len(APPS)) % len(APPS)], counts[i % len(counts)]
                cases.append((count, app, graph, "--scheduler", scheduler, "--threads", 1 + i % 2))
        self.all_same(cases, some=True)

    def test_partitions(self):
        """Any partition gives the same answer: all edges across the cut, and all vertices in one part, too."""
        graph = "grid --width 12 --height 9 --weights uniform:1:9"
        with open(self.path("cut"), "w") as f:
            f.write("".join(f"{(v % 12 + v // 12) % 2}\n" for v in range(108)))
        with open(self.path("all"), "w") as f:
            f.write("1\n" * 108)
        under = (("delta",), ("near_far",), ("topology", "--sync", "racy"), ("topology", "--sync", "lock"), ("delta",))
        self.all_same((2, APPS[0], graph, "--scheduler", *scheduler, "--threads", 2, "--partition", how)
                      for scheduler, how in zip(under, ("random", "block", self.path("cut"), "edges", self.path("all"))))
        words = (2, *APPS[1], "--generate", graph, "--threads", 1, "--set", "direction=push", "--json", "-", "--partition")
        every, none = map(json.loads, self.together(self.over, ((*words, self.path("cut")), (*words, self.path("all")))))
        self.assertEqual((every["ranks"]["count"], none["ranks"]["messages"]), (2, 0))
        self.assertEqual(none["ranks"]["critical_edges"], none["counts"]["edges"])  # one rank has all of them
        self.assertEqual(every["ranks"]["critical_edges"], every["counts"]["edges"])  # levels are of one rank and the other in turns
        self.assertGreaterEqual(every["ranks"]["messages"], 107)  # each vertex but the source learns from the other rank
        self.assertEqual(every["result"], none["result"])

    def test_block_cyclic(self):
        """In deep graphs every rank owns ranges in all of the ids: the same answers, and ranks that search at the same time."""
        graph = "grid --width 300 --height 300 --weights uniform:1:9"
        blocks = self.path("blocks")  # ids in turns, which are no multiples of 64
        with open(blocks, "w") as f:
            f.write("".join(f"{v // 96 % 3}\n" for v in range(90000)))
        cases = [(2, APPS[0], "delta", 2), (3, APPS[1], "bsp", 1), (5, APPS[2], "near_far", 1), (2, APPS[3], "topology", 1), (3, APPS[4], "delta", 1),
                 (4, APPS[5], "bsp", 1), (2, APPS[6], "bsp", 1), (3, APPS[7], "delta", 1)]
        self.all_same([(count, app, graph, "--scheduler", scheduler, "--threads", threads) for count, app, scheduler, threads in cases] +
                      [(3, APPS[1], graph, "--scheduler", "bsp", "--set", "direction=pull", "--threads", 1, *part) for part in ((), ("--partition", blocks))])
        words = (2, *APPS[0], "--generate", graph, "--scheduler", "bsp", "--threads", 1, "--json", "-")
        cyclic, ranges = map(json.loads, self.together(self.over, (words, (*words, "--partition", "block"))))
        self.assertEqual(cyclic["result"], ranges["result"])
        part = [record["ranks"]["critical_edges"] / record["counts"]["edges"] for record in (cyclic, ranges)]
        self.assertLess(part[0], 0.6)
        self.assertGreater(part[1], 0.65)

    def test_unmapped(self):
        """Letters by messages of MPI, as between hosts; by memory of one host they go in all other tests. Few entries and many."""
        many = "uniform --vertices 200000 --degree 8 --weights uniform:1:100"  # more than a letter takes, in either way
        cases = [(count, app, graph, "--scheduler", scheduler, "--threads", 1 + count % 2)
                 for count, app, graph, scheduler in ((2, APPS[0], many, "bsp"), (3, APPS[0], GRAPHS[3], "delta"), (4, APPS[1], GRAPHS[4], "bsp"))]
        self.all_same(cases)
        WORLD["ORDO_UNMAPPED"] = "1"
        self.addCleanup(WORLD.pop, "ORDO_UNMAPPED")
        self.all_same(cases)

    def test_halves(self):
        """Ranks meet within a large superstep, so that few items are processed for values that another rank has bettered."""
        words = ("--generate", "uniform --vertices 100000 --degree 16 --weights uniform:1:255", "--scheduler", "bsp", "--threads", 1, "--json", "-")
        one, two = json.loads(ordo(*APPS[0], *words).stdout), json.loads(self.over(2, *APPS[0], *words, env=UNMAPPED))
        self.assertEqual(one["result"], two["result"])
        self.assertLess(two["counts"]["edges"], 1.1 * one["counts"]["edges"])  # 1.07; by whole supersteps 1.14

    def test_shared_cells(self):
        """Ranks of one host find a vertex once among them; with cells of its own each rank finds it."""
        words = (4, *APPS[1], "--generate", "uniform --vertices 20000 --degree 16", "--scheduler", "bsp", "--set", "direction=push", "--threads", 1, "--json", "-")
        shared, apart = json.loads(self.over(*words)), json.loads(self.over(*words, env=UNMAPPED))
        self.assertEqual(shared["result"], apart["result"])
        self.assertEqual(shared["counts"]["activations"], 19999)
        self.assertLess(shared["ranks"]["messages"], 20000)
        self.assertGreater(apart["ranks"]["messages"], 24000)
        again = self.over(2, *APPS[0], "--generate", GRAPHS[3], "--scheduler", "delta", "--threads", 2, "-n", 3, "--verify")  # the memory of the first run
        self.assertEqual(again.count("PASS"), 3)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root and unshare, for shared memory of its own size")
    def test_little_shared_memory(self):
        """A host without shared memory for the cells: ranks have cells of their own, and nothing is printed about it."""
        with_little = 'mount -t tmpfs -o size=12m tmpfs /dev/shm && exec "$@"'
        words = ["unshare", "-m", "sh", "-c", with_little, "sh", MPIRUN, "-np", "2", command.ORDO, *APPS[1], "--generate", "star --vertices 4000000", "--threads", "1",
                 "--json", "-"]
        run = subprocess.run(words, env=WORLD, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        if b"unshare" in run.stderr or b"mount" in run.stderr:
            self.skipTest(run.stderr.decode())
        self.assertEqual((run.returncode, run.stderr), (0, b""))

    def test_libraries_stay(self):
        """What MPI has loaded for its messages is not unloaded when it ends, since its threads may still call it."""
        logs = self.path("loader")
        os.mkdir(logs)
        self.over(2, "cc", "-s", "--generate", GRAPHS[0], env={"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": os.path.join(logs, "log")})
        ranks = []
        for name in os.listdir(logs):
            with open(os.path.join(logs, name)) as f:
                log = f.read()
            if "libordo-mpi" in log:
                ranks.append(log)
        self.assertEqual(len(ranks), 2)
        for lines in ([line for line in log.splitlines() if "mca_pml_ob1" in line] for log in ranks):
            if not any("calling init" in line for line in lines):
                self.skipTest("this MPI has its components in one library")
            self.assertFalse([line for line in lines if "destroying" in line])

    def test_renumbered(self):
        """Where ranks have to own ranges, the graph is renumbered: sources, values, trees and ties are those of the input. Ranks that
        may use a GPU, and find none, have ranges, too."""
        graph, auto = GRAPHS[3], ("--device", "auto", "--scheduler", "bsp", "--threads", 1, "--partition", "random")
        apps = (*APPS[:6], *APPS[7:], ("johnson", "--sources", "2"), ("cc",))
        self.all_same([(2 + i % 3, app, graph, *auto) for i, app in enumerate(apps)] +
                      [(3, ("lp", "--rounds", "6"), graph, "--threads", 2, "--partition", "random")], some=True)
        of = ("--generate", graph, "--verify", "--partition", "random", "--threads", 1)
        for out in self.together(self.over, ((2, "hits", *of), (3, "pagerank", *of, "--device", "auto"), (2, "bc", "-s", *of, "--device", "auto"))):
            self.assertIn("PASS", out)
        tree = ("sssp", "--source", 0, "--generate", "grid --width 12 --height 9", "--tree")
        self.ok(ordo(*tree, self.path("one")))
        self.over(3, *tree, self.path("many"), "--verify", *auto)
        with open(self.path("one")) as a, open(self.path("many")) as b:
            self.assertEqual(a.read(), b.read())

    def test_renumbered_cycle(self):
        """The vertices and edges of a negative cycle are those of the input: of parallel edges the right one."""
        with open(self.path("cycle"), "w") as f:
            f.write("".join(f"{v} {v + 1} {w}\n" for v in range(99) for w in (9, 1 + v % 3, 7)) + "99 50 -200\n")
        out = self.over(2, "bellman-ford", self.path("cycle"), "--source", 0, "--device", "auto", "--partition", "random", "--verify")
        self.assertRegex(out, "(?s)negative_cycle 1.*PASS|PASS.*negative_cycle 1")

    def test_pull(self):
        """Searches that pull read the frontiers of all ranks, with any partition."""
        of = (APPS[1], "rmat --scale 12", "--scheduler", "bsp", "--threads", 2)
        self.all_same(((2, *of, "--set", "direction=pull", "--sync", "racy"), (3, *of, "--set", "direction=pull", "--partition", "random")))
        words = (2, *APPS[1], "--generate", "rmat --scale 12", "-s", "--scheduler", "bsp", "--threads", 1, "--verify", "--json", "-", "--set")
        records = self.together(self.over, ((*words, "direction=push"), (*words, "direction=auto")))
        messages = [json.loads(record)["ranks"]["messages"] for record in records]
        self.assertLess(messages[1], messages[0] / 4)  # the large supersteps pull

    def test_gather(self):
        """Rounds that read shares of other ranks' vertices: labels are those of one process, and reals within their bounds."""
        self.all_same((count, ("lp", "--rounds", "6"), graph, "--scheduler", "bsp", "--threads", 1 + count % 2)
                      for count, graph in zip((2, 3, 4, 8, 2, 3), (GRAPHS[3], GRAPHS[1], GRAPHS[2], GRAPHS[7], GRAPHS[5], GRAPHS[6])))
        of = ("--generate", GRAPHS[3], "--scheduler", "bsp", "--verify", "--threads")
        for out in self.together(self.over, ((2, "hits", *of, 2), (3, "hits", *of, 1), (4, "pagerank", *of, 1), (2, "pagerank", *of, 2, "--tolerance", 1e-9))):
            self.assertIn("PASS", out)

    def test_gather_ends(self):
        """A limit of time ends all ranks between two rounds."""
        run = start(3, "lp", "--generate", "grid --width 900 --height 900", "--rounds", 100000, "--scheduler", "bsp", "--threads", 1, "--timeout", 0.5)
        _, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 6, err.decode())

    def test_pagerank(self):
        """Sums of which most are added to ghosts, from all items of every rank; within the bound of the answer."""
        words = ("--generate", GRAPHS[3], "--threads", 2, "--partition", "random", "--verify", "--scheduler")
        walks = os.path.join(os.path.dirname(os.path.abspath(__file__)), "operators", "walks.c")  # reals
        for out in self.together(self.over, ((2, "pagerank", *words, "bsp"), (3, "pagerank", *words, "delta"), (2, "run", walks, *words, "bsp"))):
            self.assertIn("PASS", out)

    def test_negative_cycle(self):
        """A cycle across the cut; runs are stopped in between, and go on from cells that all ranks have."""
        with open(self.path("cycle"), "w") as f:
            f.write("".join(f"{v} {v + 1} {1 + v % 9}\n" for v in range(29999)) + "29999 14000 -200000\n")
        run = start(2, "bellman-ford", self.path("cycle"), "--source", 0, "--threads", 1, "--partition", "block", "--verify")
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0, err.decode())
        self.assertIn("negative_cycle 1", out.decode())
        self.assertIn("PASS", out.decode())

    def test_counts(self):
        """Counts are of all ranks."""
        one = json.loads(self.ok(ordo("bfs", "--generate", GRAPHS[0], "--source", 0, "--scheduler", "bsp", "--json", "-")).out)
        two = json.loads(self.over(2, "bfs", "--generate", GRAPHS[0], "--source", 0, "--scheduler", "bsp", "--threads", 1, "--json", "-"))
        for key in ("items", "edges"):
            self.assertEqual(one["counts"][key], two["counts"][key])
        wide = json.loads(self.over(2, "bfs", "--generate", GRAPHS[6], "--source", 0, "--set", "direction=push", "--threads", 1, "--json", "-"))
        self.assertEqual((wide["counts"]["edges"], wide["ranks"]["critical_edges"]), (380, 209))  # 20 rows of 19: one, then the larger part of the rest
        self.assertGreater(two["seconds"]["run"], 0)
        self.assertGreater(two["seconds"]["transfer"], 0)

    def test_refused(self):
        words = ("sssp", "--generate", GRAPHS[3], "--source", 0)
        with open(self.path("wrong"), "w") as f:
            f.write("0\n2\n")
        self.together(self.not_over, (
            (2, "scheduler 'adds' does not run 'sssp_u32' over ranks; these do: bsp, near_far, delta, topology", *words, "--scheduler", "adds"),
            (2, "it gathers, for which ranks own ranges of vertices", "run", KATZ, "--generate", GRAPHS[3], "--scheduler", "bsp", "--partition", "random"),
            (2, "scheduler 'topology' does not run 'katz' over ranks; these do: bsp", "run", KATZ, "--generate", GRAPHS[3], "--scheduler", "topology"),
            (2, "ranks on CPUs send lists behind a superstep, found exchange=eager", *words, "--scheduler", "bsp", "--set", "exchange=eager"),
            (2, "ranks on CPUs send lists behind a superstep, found exchange=atomic", *words, "--scheduler", "bsp", "--set", "exchange=atomic"),
            (2, "with direction=pull does not run over ranks", *words, "--scheduler", "topology", "--set", "direction=pull"),
            (2, "does not run 'pagerank', whose cells sum, over ranks", "pagerank", "--generate", GRAPHS[3], "--scheduler", "bsp", "--set", "direction=pull", "--partition", "random"),
            (2, "program 'cc' does not run over ranks", "cc", "--generate", GRAPHS[3], "-s", "--scheduler", "native"),
            (2, "'compare' runs in one process, found 2", "compare", "sssp", "--generate", GRAPHS[3]),
            (3, "absent: No such file", "sssp", self.path("absent")),
            (3, "wrong:2: found '2', expected a part from 0 to 1", *words, "--partition", self.path("wrong")),
        ))
        self.refused(2, "--partition given, expected several ranks", *words, "--partition", "block")

    def test_time_limit(self):
        """All ranks end, with the status of a time limit."""
        run = start(3, "sssp", "--generate", "road --vertices 300000", "--source", 0, "--scheduler", "bsp", "--threads", 1, "--timeout", 0.01)
        _, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 6, err.decode())

    def under_way(self, *words):
        """A run of three ranks that takes long, and the ids of these."""
        run = start(3, *words or ("sssp", "--generate", "path --vertices 2000000", "--source", 0), "--scheduler", "bsp", "--threads", 1)
        ranks, end = [], time.monotonic() + 30
        while len(ranks) < 3 and time.monotonic() < end:
            time.sleep(0.2)
            ranks = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(run.pid)], stdout=subprocess.PIPE).stdout.decode().split("\n")
            ranks = [int(line.split()[0]) for line in ranks if line.endswith(" ordo")]
        self.assertEqual(len(ranks), 3)
        time.sleep(1)
        self.assertIsNone(run.poll())
        return run, ranks

    def is_rank(self, pid):
        try:
            return "ordo" in os.readlink(f"/proc/{pid}/exe")
        except OSError:
            return False

    def ends(self, run, ranks):
        """Within ten seconds, and leaves no process."""
        began = time.monotonic()
        _, err = run.communicate(timeout=60)
        while any(map(self.is_rank, ranks)) and time.monotonic() - began < 10:
            time.sleep(0.1)  # a rank that mpirun has killed takes a moment to be gone
        self.assertLess(time.monotonic() - began, 10)
        return run.returncode, err.decode()

    def test_killed(self):
        """A rank that dies ends the others."""
        run, ranks = self.under_way()
        os.kill(ranks[1], signal.SIGKILL)
        self.assertNotEqual(self.ends(run, ranks)[0], 0)

    def test_cancelled(self):
        """A rank that is interrupted, whichever it is, cancels the run of all: in supersteps, and in rounds that gather."""
        for rank, words in ((2, ()), (0, ("lp", "--generate", "grid --width 900 --height 900", "--rounds", 100000))):
            run, ranks = self.under_way(*words)
            os.kill(ranks[rank], signal.SIGINT)
            status, err = self.ends(run, ranks)
            self.assertEqual(status, 130, err)

    def test_memory(self):
        """The rank that has too little memory says so, and how much it has asked for."""
        script = '[ "$OMPI_COMM_WORLD_RANK" = 1 ] && ulimit -v 300000; exec "$@"'
        words = [MPIRUN, "-np", "2", "bash", "-c", script, "bash", command.ORDO, "bfs", "--generate", "path --vertices 20000000", "--source", "0"]
        run = subprocess.run(words, env=WORLD, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(run.returncode, 4, run.stderr.decode())
        self.assertRegex(run.stderr.decode(), "ordo: rank 1: not enough memory: [0-9]+ bytes asked for")

    def graph_of(self, count, app, path, *words):
        """What a record says of the graph, and of the answer."""
        record = json.loads(self.over(count, *app, path, *words, "--threads", 1, "--json", "-"))
        held = record["graph"].pop("bytes")
        return held, record["graph"], record["result"]

    def test_own_rows(self):
        """Each rank reads its own edges of a GAP file; statistics, checksum and answer are those of the whole graph."""
        weights = ("--weights", "uniform:1:99")
        for name, more in (("directed.wsg", weights), ("both.wsg", ("-s", *weights)), ("plain.sg", ())):
            self.ok(ordo("generate", "rmat", "--scale", 13, *more, "--output", self.path(name)))
        cases = [(count, app, self.path(name)) for count, app, name in (
            (1, APPS[0], "directed.wsg"), (2, APPS[0], "directed.wsg"), (3, APPS[0], "directed.wsg"), (1, APPS[1], "both.wsg"),
            (4, APPS[1], "both.wsg"), (1, APPS[1], "plain.sg"), (8, APPS[1], "plain.sg"), (1, APPS[2], "directed.wsg"),
            (2, APPS[2], "directed.wsg"))]
        found = self.together(self.graph_of, cases)
        for (count, *case), (held, about, result) in zip(cases, found):
            whole = next(other for (one, *same), other in zip(cases, found) if one == 1 and same == case)
            self.assertEqual((about, result), whole[1:], (count, case))
            if count > 1:
                self.assertLess(held, whole[0] * (1 if count == 8 else 0.9), (count, case))  # of few edges each has blocks of others, too

    def held(self, count, app, graph, *words):
        """Bytes of the graph, and the values that are written."""
        name = self.path(f"{count}-{app}-{graph}-{len(words)}.values")
        words = (app, self.path(graph), *words, "--threads", 1, "--json", "-", "--output", name)
        if count > 1:
            out = self.over(count, *words)
        else:
            run = ordo(*words)
            self.assertEqual(run.returncode, 0, run.err)
            out = run.out
        with open(name) as f:
            return json.loads(out)["graph"]["bytes"], list(map(float, f))

    def test_own_rows_of_apps(self):
        """The same of apps that need all edges of some graphs, which are read again then: of directed ones, of negative weights."""
        weights = ("--weights", "uniform:1:99")
        for name, more in (("directed.wsg", weights), ("both.sg", ("-s",)), ("directed.sg", ())):
            self.ok(ordo("generate", "rmat", "--scale", 13, *more, "--output", self.path(name)))
        with open(self.path("negative.wel"), "w") as f:
            f.write("".join(f"{v} {to} {i + v % 50 - to % 50}\n" for v in range(20000) for i in range(1, 9) for to in ((v + i * i) % 20000,)))
        self.ok(ordo("convert", self.path("negative.wel"), self.path("negative.wsg")))
        push = ("--scheduler", "bsp", "--set", "direction=push", "--tolerance", "1e-9")
        cases = ((True, "bellman-ford", "directed.wsg", "--source", 3), (False, "bellman-ford", "negative.wsg", "--source", 3),
                 (True, "cc", "both.sg", "--scheduler", "bsp"), (False, "cc", "directed.sg", "--scheduler", "bsp"),
                 (True, "lp", "both.sg", "--rounds", 4), (False, "lp", "directed.sg", "--rounds", 4),
                 (True, "pagerank", "both.sg", "--tolerance", "1e-9"), (True, "pagerank", "directed.sg", "--tolerance", "1e-9"),
                 (True, "pagerank", "both.sg", *push), (True, "pagerank", "directed.sg", *push))
        cases = cases[::3] if command.QUICK else cases
        found = self.together(self.held, [(count, *case) for _, *case in cases for count in (1, 3)])
        for (own, *case), (whole, one), (held, many) in zip(cases, found[::2], found[1::2]):
            if own:
                self.assertLess(held, 0.7 * whole, case)
            else:
                self.assertGreaterEqual(held, whole, case)
            if case[0] == "pagerank":
                for a, b in zip(one, many):
                    self.assertAlmostEqual(a, b, delta=1e-5 * a, msg=case)
            else:
                self.assertEqual(one, many, case)

    def levels(self, count, graph, *words):
        """The levels that a search finds from vertex 4, and the edges that it looks at in its last run."""
        name = self.path(f"{count}.{'.'.join(os.path.basename(str(word)) for word in (*graph, *words))}.levels")
        of = ("bfs", *graph, "--source", 4, "--scheduler", "bsp", "--threads", 2, "--trust", "--json", "-", "--output", name, *words)
        out = self.over(count, *of) if count > 1 else ordo(*of).out
        with open(name) as f:
            return f.read(), json.loads(out.splitlines()[-1])["counts"]["edges"]

    def test_own_in_rows(self):
        """Ranks that have read their own rows make in-rows of each other's: of as many edges as whole ones, in that order.
        Of few vertices, some ranks have none, and on others all edges end."""
        kinds = (("rmat --scale 12", "wsg"), ("uniform --vertices 3000 --degree 9", "sg"), ("uniform --vertices 21 --degree 3", "wsg"),
                 ("star --vertices 40", "sg"), ("rmat --scale 8 --degree 60", "sg"))
        cases = []
        for i, (kind, suffix) in enumerate(kinds):
            weights = ("--weights", "uniform:1:9") if suffix == "wsg" else ()
            self.ok(ordo("generate", *kind.split(), *weights, "--output", self.path(f"{i}.{suffix}")))
            if kind.startswith("star"):  # of all edges one direction: from the last vertices to the first
                with open(self.path("in.el"), "w") as f:
                    f.write("".join(f"{v} {to}\n" for v in range(3, 40) for to in (v % 3, v + 1)))
                self.ok(ordo("convert", self.path("in.el"), self.path(f"{i}.{suffix}")))
            for more in ("--set", "direction=pull"), ("-n", 2):
                cases += [(count, (self.path(f"{i}.{suffix}"),), *more) for count in (1, 2, 3, 8)[:3 if command.QUICK and i else 4]]
        found = self.together(self.levels, cases)
        for case, (levels, edges) in zip(cases, found):
            one = next(result for other, result in zip(cases, found) if other[0] == 1 and other[1:] == case[1:])
            self.assertEqual(levels, one[0], case)
            if "direction=pull" in case:
                self.assertEqual(edges, one[1], case)
        large = self.path("0.wsg")
        self.assertLess(self.levels(3, (large,), "-n", 2)[1], self.levels(3, (large,))[1] / 2)  # a run by itself pushes

    def test_own_rows_of_deep_graphs(self):
        """Of a deep graph each rank reads blocks of rows in turns: the same statistics and answers, less memory, and ranks that search
        at the same time. So does a directed one whose in-edges ranks make of each other's. On GPUs ranks keep ranges."""
        for name, more in (("directed.wsg", ("--weights", "uniform:1:9")), ("both.sg", ("-s",))):
            self.ok(ordo("generate", "grid", "--width", 500, "--height", 500, *more, "--output", self.path(name)))
        apps = (("sssp", "directed.wsg", "--source", 3), ("bellman-ford", "directed.wsg", "--source", 3, "--scheduler", "bsp"),
                ("bfs", "both.sg", "--source", 3, "--scheduler", "near_far"), ("cc", "both.sg", "--scheduler", "delta"),
                ("widest", "directed.wsg", "--source", 3))
        apps = apps[:4] if command.QUICK else apps
        found = self.together(self.held, [(count, *app) for i, app in enumerate(apps) for count in (1, 2 + i % 4)])
        for app, (_, one), (_, many) in zip(apps, found[::2], found[1::2]):
            self.assertEqual(one, many, app)
        self.ok(ordo("generate", "grid", "--width", 1500, "--height", 1500, "-s", "--output", self.path("large.sg")))
        (whole, one), (held, many) = self.together(self.held, [(count, "bfs", "large.sg", "--source", 3) for count in (1, 2)])
        self.assertEqual(one, many)
        self.assertLess(held, 0.85 * whole)  # bounds of rows are a third, half of the edges another; up to 31 blocks of 65 536 edges
        cases = [(count, APPS[0], self.path("directed.wsg")) for count in (1, 2, 3)]
        for held, about, result in self.together(self.graph_of, cases)[1:]:
            self.assertEqual((about, result), self.graph_of(*cases[0])[1:])
        cases = [(count, (self.path("directed.wsg"),), "--set", "direction=pull") for count in (1, 2, 3)]
        one, *others = self.together(self.levels, cases)
        self.assertEqual(others, [one, one])
        words = (2, "bfs", self.path("both.sg"), "--source", 0, "--scheduler", "bsp", "--threads", 1, "--json", "-")
        cyclic, ranges = map(json.loads, self.together(self.over, (words, (*words, "--device", "auto"))))
        self.assertEqual(cyclic["result"], ranges["result"])
        part = [record["ranks"]["critical_edges"] / record["counts"]["edges"] for record in (cyclic, ranges)]
        self.assertLess(part[0], 0.6)
        self.assertGreater(part[1], 0.65)
        self.over(3, self.path("both.sg"), program=CYCLIC_ROWS)

    def test_own_rows_damaged(self):
        """A neighbour that does not exist is found by the rank whose edge it is, with its byte."""
        self.ok(ordo("generate", *GRAPHS[3].split(), "--output", self.path("damaged.wsg")))
        with open(self.path("damaged.wsg"), "r+b") as f:
            at = f.seek(-8, os.SEEK_END)
            # a directed graph's in-edges end the file: the last out-edge lies before them
            vertices = 1 << 9
            at = 17 + (at + 8 - 17) // 2 - 8
            f.seek(at)
            f.write((vertices + 5).to_bytes(4, "little"))
        run = start(2, "sssp", self.path("damaged.wsg"), "--source", 0)
        _, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 3, err.decode())
        self.assertIn(f"damaged.wsg: byte {at}: found {vertices + 5} as a neighbour", err.decode())

    def test_larger_than_memory(self):
        """A graph that one process refuses for lack of memory runs over two of them under the same limit."""
        self.ok(ordo("generate", "uniform", "--vertices", 1 << 17, "--degree", 60, "-s", "--weights", "uniform:1:99", "--output", self.path("large.wsg")))
        limited = ("bash", "-c", 'ulimit -d 110000; exec "$@"', "bash", command.ORDO, "sssp", self.path("large.wsg"), "--source", "0", "--threads", "1", "--json", "-")
        for count, status in ((1, 4), (2, 0)):
            run = subprocess.run([MPIRUN, "-np", str(count), *limited], env=WORLD, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(run.returncode, status, run.stderr.decode())
        one = json.loads(self.ok(ordo("sssp", self.path("large.wsg"), "--source", 0, "--json", "-")).out)
        self.assertEqual(json.loads(run.stdout)["result"], one["result"])

    def test_model(self):
        """Of counts: ranks lose no edges, the critical ones are at least their share, and a model of one device gives its time."""
        tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "rank-model")
        run = subprocess.run([tool, "--build", os.path.dirname(command.ORDO), "--scale", "7", "--ranks", "1,2", "--json", self.path("model")],
                             env=LOOKING, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(run.returncode, 0, run.stderr.decode())
        with open(self.path("model")) as f:
            results = json.load(f)
        for one in results:
            first, second = one["counts"]
            self.assertEqual((first["messages"], first["critical"]), (0, first["edges"]), one)
            self.assertLessEqual(second["edges"], 2 * second["critical"], one)
            if one["times"]:
                self.assertAlmostEqual(one["times"][0], one["measured"][0], 2)
        self.assertGreater(sum(one["counts"][1]["messages"] for one in results), 0)

    def test_late(self):
        """A transport that waits and shuffles as far as its contract allows changes no answer, and runs end."""
        late = os.environ.get("ORDO_LATE_RANKS", os.path.join(os.path.dirname(command.ORDO), "tests", "liblate_ranks.so"))
        if not os.path.exists(late):
            self.skipTest("no transport that misbehaves")
        folder = self.path("late")
        os.mkdir(folder)
        for source, name in ((command.ORDO, "ordo"), (os.path.join(os.path.dirname(command.ORDO), "libordo.so"), "libordo.so.0"), (late, "libordo-mpi.so")):
            shutil.copy(source, os.path.join(folder, name))
        apps = (("delta", *APPS[0]), ("topology", *APPS[0]), ("bsp", *APPS[1]), ("bsp", *APPS[5]), ("delta", "pagerank"))
        of = ("--generate", GRAPHS[3], "--threads", 2, "--verify", "--scheduler")
        runs = [(2, *app, *of, scheduler, "--partition", "random") for scheduler, *app in apps]
        runs += [(3, "lp", "--rounds", 6, *of, "bsp"), (3, "pagerank", *of, "bsp"), (4, *APPS[1], *of, "bsp"), (8, *APPS[0], *of, "near_far")]
        for out in self.together(lambda *run: self.over(*run, program=os.path.join(folder, "ordo")), runs):
            self.assertIn("PASS", out)

    def test_namespaces(self):
        """Ranks that share no network but a link between them, over TCP, as on two hosts. They would still see memory of one host."""
        if not shutil.which("ip") or subprocess.run(["unshare", "-rn", "sh", "-c", LINK], stderr=subprocess.PIPE).returncode:
            self.skipTest("no network namespaces with a link between them here")
        run = subprocess.run(["unshare", "-rn", "sh", "-c", LINK + APART, "sh", MPIRUN, command.ORDO, "sssp", "--generate", GRAPHS[4], "--source", "0",
                              "--threads", "1", "--verify"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                             env=dict(LOOKING, ORDO_UNMAPPED="1", PMIX_MCA_ptl_tcp_if_include="hub", PMIX_MCA_ptl_tcp_remote_connections="1"))
        self.assertEqual(run.returncode, 0, run.stderr.decode())
        self.assertIn("PASS", run.stdout.decode())


if __name__ == "__main__":
    main()
