"""Runs of the command for tools/paper, and the graphs that they are of."""
import atexit
import collections
import csv
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile

DRAWN = ["--weights", "uniform:1:255", "--seed", "1"]
# Graphs of the papers' kinds: a file of ORDO_DATA, or words of `ordo generate` for 2^s vertices. Real ones come first.
REAL = {
    "NY (road)": ("road/USA-road-d.NY.gr.xz", []),
    "moscow (road)": ("road/moscow-roads.gr.xz", []),
    "delaunay_n16 (mesh)": ("mesh/delaunay_n16.mtx.xz", DRAWN),
    "mdual (mesh)": ("mesh/mdual.graph.xz", DRAWN),
}


def made(s):
    side = 1 << (s // 2)
    third = max(4, round((1 << s) ** (1 / 3)))
    return {
        f"road-{s}": ["road", "--vertices", str(1 << s)],
        f"grid-{s}": ["grid", "--width", str(side), "--height", str((1 << s) // side), *DRAWN],
        f"mesh-{s}": ["mesh", "--width", str(third), "--height", str(third), "--depth", str(third), *DRAWN],
        f"rmat-{s}": ["rmat", "--scale", str(s), "--degree", "8", *DRAWN],
        f"urand-{s}": ["urand", "--scale", str(s), "--degree", "4", *DRAWN],
        f"cliques-{s}": ["cliques", "--vertices", str(1 << max(4, s - 2)), "--width", "32", *DRAWN],
    }


class Failed(Exception):
    pass


class NotHere(Exception):
    """What an experiment needs and this machine lacks."""


# Sectors of 32 bytes, by Nsight Compute's names.
L2 = [f"lts__t_sectors_op_{op}.sum" for op in ("read", "write", "atom", "red")]
DRAM = ["dram__sectors_read.sum", "dram__sectors_write.sum"]
Traffic = collections.namedtuple("Traffic", "l2 dram")  # bytes
Seen = collections.namedtuple("Seen", "seconds items edges records")


class Lab:
    """What an experiment runs by: keeps the commands, and graphs in a folder that is removed at the end."""

    def __init__(self, args):
        self.ordo = args.build / "ordo"
        self.library = args.build / "libordo.so"
        self.device, self.threads, self.repeat = args.device, args.threads, args.repeat
        self.scale = args.scale or (20 if args.device == "cuda" else 15)
        self.commands, self.machine, self.of = [], None, set()
        self.load = os.getloadavg()[0]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ordo-paper-"))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        if not self.ordo.is_file():
            raise Failed(f"{self.ordo} is not there; build it first: tools/build")

    def call(self, *words, keep=True):
        words = [str(w) for w in words]
        done = subprocess.run([str(self.ordo), *words], capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"ordo {' '.join(words)}: {done.stderr.strip()}")
        if keep:
            self.commands.append("ordo " + " ".join(words).replace(str(self.folder) + "/", ""))
        return done.stdout

    def records(self, *words):
        words = [*words, "--device", self.device, *(["--threads", self.threads] if self.threads and "--threads" not in words else [])]
        found = [json.loads(line) for line in self.call(*words, "--json", "-").splitlines() if line.startswith("{")]
        if not all(r["verified"] for r in found):
            raise Failed(f"ordo {words[0]}: an answer was not verified")
        for r in found:
            self.machine = r["machine"]
            self.of.add(r["options"]["device_name"])
        return found

    def graph(self, name, words, suffix="ordo"):
        path = self.folder / f"{name}.{suffix}".replace(" ", "_")
        if not path.exists():
            self.call("generate", *words, "-o", path)
        return path

    def graphs(self, kinds=None, scale=None):
        """(name, file) of the real graphs that are there, then of generated ones; `kinds`: those whose names begin so."""
        data = os.environ.get("ORDO_DATA")
        for name, (path, words) in REAL.items():
            if data and (pathlib.Path(data) / path).is_file() and (kinds is None or name.startswith(kinds)):
                to = self.folder / f"{name.split()[0]}.ordo"
                if not to.exists():
                    self.call("convert", pathlib.Path(data) / path, to, *words)
                yield name, to
        for name, words in made(scale or self.scale).items():
            if kinds is None or name.startswith(kinds):
                yield name, self.graph(name, words)

    def compare(self, app, path, contenders, *more):
        """Medians of contenders, interleaved and verified: {contender: Seen}."""
        return seen(self.records("compare", app, path, "--schedulers", ",".join(contenders), "-n", self.repeat, *more), contenders)

    def bench(self, name, contenders, *more):
        """Records of a benchmark by contender, in their order, which repeats."""
        found = self.records("bench", name, "--schedulers", ",".join(contenders), "-n", self.repeat, *more)
        return [(contenders[i % len(contenders)], r) for i, r in enumerate(found)]

    def traffic(self, *words):
        """What a command's kernels move, by the counters of Nsight Compute."""
        if self.device != "cuda" or not shutil.which("ncu"):
            raise NotHere("counters of memory traffic need a GPU (--device cuda) and Nsight Compute (ncu)")
        command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--metrics", ",".join(L2 + DRAM), str(self.ordo), *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True)
        lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
        if done.returncode or len(lines) < 3:
            raise Failed(f"ncu: {(done.stderr.strip() or done.stdout.strip())[-500:]}")
        heads, _, *kernels = csv.reader(lines)  # names, units, a line for each kernel
        self.commands.append(" ".join(command).replace(str(self.ordo), "ordo"))
        sectors = [sum(float(k[heads.index(m)].replace(",", "")) for k in kernels for m in group) for group in (L2, DRAM)]
        if not self.machine:
            self.records("bench", "ht", "--operations", 1024, "--collisions", 32, "-n", 1)
        return Traffic(*(32 * s for s in sectors))

    def busy(self):
        """Whether others had work for the cores: then barriers and locks wait for threads that have none."""
        self.load = max(self.load, os.getloadavg()[0])
        own = self.threads or os.cpu_count() if self.device == "cpu" else 1
        return self.load > max(own, os.cpu_count()) + 0.5

    def told(self):
        cpu = f"{self.machine['cores']} cores of {self.machine['cpu']}" if self.machine else "?"
        return f"Machine: {cpu}; {', '.join(sorted(self.of))}; load {self.load:.1f}; {self.repeat} runs of each, medians, all verified."


def seen(records, contenders):
    of = {}
    for i, name in enumerate(contenders, 1):
        mine = [r for r in records if r["row"] == i]
        if not mine:
            raise Failed(f"contender {name} has no runs")
        of[name] = Seen(statistics.median(r["seconds"]["run"] for r in mine), statistics.median(r["counts"]["items"] for r in mine),
                        statistics.median(r["counts"]["edges"] for r in mine), mine)
    return of
