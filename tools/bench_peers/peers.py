"""The programs that tools/bench measures beside Ordo: how each is called, what it reads, how its output is read.

A peer has `name`, `serial`, `apps` that it has, and

    variants(app, width)  labels with the words that go with them; width is what Ordo's delta chose for this graph
    times(app, graph, source, threads, repeat, words)  milliseconds of each repeat, and its answer or None

`graph` gives the file in a format: graph.file("sg"), "wsg", "ggr", "max", "adj", "bin", "we".
"""
import array
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCE = "1e-4"  # of pagerank: GAP's


class Failed(Exception):
    """The peer ended badly, or said nothing that could be read."""


def call(words, limit, **environment):
    words = [str(w) for w in words]
    try:
        done = subprocess.run(words, capture_output=True, text=True, env=dict(os.environ, **environment), timeout=limit,
                              cwd=os.environ.get("TMPDIR", "/tmp"))  # some leave files where they run
    except subprocess.TimeoutExpired:
        raise Failed(f"longer than {limit} s") from None
    except OSError as error:
        raise Failed(str(error)) from None
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no word").splitlines()[-1]
        raise Failed(f"ended with {done.returncode}: {last[:200]}")
    return done.stdout


class Peer:
    name = ""
    serial = False
    apps = ()
    factors = (0.25, 0.5, 1, 2, 4)  # of the width that Ordo chose

    def __init__(self, folder, limit):
        self.folder, self.limit = pathlib.Path(folder).resolve(), limit

    def program(self, app):
        """PATH may be the program itself, or a folder that has it."""
        if self.folder.is_file():
            return self.folder
        for place in (app, f"bin/{app}", f"src/{app}"):
            if (self.folder / place).is_file():
                return self.folder / place
        return None

    def has(self, app):
        return app in self.apps and self.program(app) is not None

    def widths(self, width):
        return sorted({max(1, round(width * f)) for f in self.factors})

    def numbers(self, pattern, text, scale):
        found = [scale * float(x) for x in re.findall(pattern, text)]
        if not found:
            raise Failed(f"no time in what it printed (expected {pattern})")
        return found


class Gap(Peer):
    """GAP benchmark suite (Beamer, Asanovic, Patterson 2015)."""
    name, apps = "GAP", ("sssp", "bfs", "cc", "pagerank", "bc", "tc")

    def program(self, app):
        return super().program("pr" if app == "pagerank" else app)

    def variants(self, app, width):
        fixed = {"pagerank": ["-i", 1000, "-t", TOLERANCE], "bc": ["-i", 4]}
        return {f"-d {w}": ["-d", w] for w in self.widths(width)} if app == "sssp" else {"": fixed.get(app, [])}

    def times(self, app, graph, source, threads, repeat, words):
        where = [] if source is None else ["-r", source]
        text = call([self.program(app), "-f", graph.file("wsg" if app == "sssp" else "sg"), *where, "-n", repeat, *words],
                    self.limit, OMP_NUM_THREADS=str(threads))
        return self.numbers(r"Trial Time:\s+([0-9.]+)", text, 1000), None


class Wasp(Gap):
    """Wasp (D'Antonio, Mai, Tsigas, Vandierendonck 2025), built upon GAP and called like it; best with narrow buckets."""
    name, apps, factors = "Wasp", ("sssp",), (1 / 16, 0.25, 1, 4)


class Pasgal(Peer):
    """PASGAL (Dong, Gu, Sun, Wang 2024). Six rounds a call, the first of which it leaves out itself."""
    name, apps, factors = "PASGAL", ("sssp", "bfs"), (1, 4)

    def program(self, app):
        return next((p for p in (self.folder / "src" / app.upper() / app, self.folder / app.upper() / app)
                     if p.is_file()), None) or super().program(app)

    def variants(self, app, width):
        if app == "bfs":
            return {"": []}
        return {"rho": ["-a", "rho-stepping"],
                **{f"delta {w}": ["-a", "delta-stepping", "-p", w] for w in self.widths(width)}}

    def times(self, app, graph, source, threads, repeat, words):
        text = call([self.program(app), "-i", graph.file("adj" if app == "sssp" else "bin"), "-s", "-r", source, *words],
                    self.limit, PARLAY_NUM_THREADS=str(threads))
        return self.numbers(r"(?m)^Round \d+: ([0-9.]+)", text, 1000), None


class Galois(Peer):
    """Galois' Lonestar (Nguyen, Lenharth, Pingali 2013), release 6: sssp-cpu, bfs-cpu, connected-components-cpu. Its delta is
    a shift; it tells whole milliseconds."""
    name, apps = "Galois", ("sssp", "bfs", "cc")

    def program(self, app):
        long = "connected-components" if app == "cc" else app
        places = (f"{long}-cpu", f"lonestar/analytics/cpu/{long}/{long}-cpu")
        return next((self.folder / p for p in places if (self.folder / p).is_file()), None)

    def variants(self, app, width):
        if app != "sssp":
            ways = ("SyncTile", "AsyncTile") if app == "bfs" else ("EdgetiledAsync", "Afforest")
            return {way: [f"-algo={way}"] for way in ways}
        shift = max(0, round(width).bit_length() - 1)
        return {f"2^{s}": ["-algo=deltaStep", f"-delta={s}"] for s in range(max(0, shift - 2), shift + 4, 2)}

    def times(self, app, graph, source, threads, repeat, words):
        where = ["-symmetricGraph"] if source is None else [f"-startNode={source}"]
        times, answers = [], set()
        for _ in range(repeat):
            text = call([self.program(app), graph.file("ggr"), *where, f"-t={threads}", "-noverify", *words], self.limit)
            times += self.numbers(r"Timer_0, *TMAX, *([0-9.]+)", text, 1)
            answers |= {int(x) for x in re.findall(r"Sum of visited distances is (\d+)", text)}
        if len(answers) > 1:
            raise Failed("answers differ from repeat to repeat")
        return times, next(iter(answers), None)


class Pbbs(Peer):
    """Minimum spanning forests of PBBS (Anderson, Blelloch, Dhulipala, Dobson, Sun 2022), which sorts edges. It runs for a
    second before it takes the first time."""
    name, apps = "PBBS", ("mst",)

    def variants(self, app, width):
        ways = {"filter-Kruskal": "parallelFilterKruskal", "Kruskal": "parallelKruskal", "serial": "serialMST"}
        places = ((label, self.folder / top / way / "MST") for label, way in ways.items()
                  for top in ("", "benchmarks/minSpanningForest"))
        return {label: [place] for label, place in places if place.is_file()}

    def has(self, app):
        return app in self.apps and bool(self.variants(app, None))

    def times(self, app, graph, source, threads, repeat, words):
        text = call([*words, "-r", repeat, graph.file("we")], self.limit, PARLAY_NUM_THREADS=str(threads))
        return self.numbers(r"Parlay time: ([0-9.]+)", text, 1000)[-repeat:], None


class Gbbs(Peer):
    """GBBS (Dhulipala, Blelloch, Shun 2018): k-cores by Julienne's buckets (Dhulipala, Blelloch, Shun 2017), triangles by
    Shun and Tangwongsan 2015. It names its programs after their sources."""
    name, apps = "GBBS", ("kcore", "tc")
    programs = {"kcore": ("KCore", "KCore/JulienneDBS17"), "tc": ("Triangle", "TriangleCounting/ShunTangwongsan15")}
    answers = {"kcore": r"k_\{max\} = (\d+)", "tc": r"Num triangles = (\d+)"}

    def program(self, app):
        name, folder = self.programs[app]
        places = (name, f"benchmarks/{folder}/{name}", f"bazel-bin/benchmarks/{folder}/{name}_main")
        return self.folder if self.folder.is_file() else next(
            (self.folder / p for p in places if (self.folder / p).is_file()), None)

    def variants(self, app, width):
        return {"": []}

    def times(self, app, graph, source, threads, repeat, words):
        text = call([self.program(app), "-s", "-b", "-rounds", repeat, *words, graph.file("bin")], self.limit,
                    PARLAY_NUM_THREADS=str(threads))
        answers = {int(x) for x in re.findall(self.answers[app], text)}
        if len(answers) > 1:
            raise Failed("answers differ from repeat to repeat")
        return self.numbers(r"### Running Time: ([0-9.e+-]+)", text, 1000), next(iter(answers), None)


class Driver(Peer):
    """A library of Debian's behind a driver of our own in this folder, compiled where the library is."""
    serial, apps = True, ("sssp", "bfs", "cc", "mst", "maxflow")

    def __init__(self, name, words, limit):
        super().__init__("/", limit)
        self.name, self.words = name, words

    def has(self, app):
        return app in self.apps

    def variants(self, app, width):
        return {"": []}

    def times(self, app, graph, source, threads, repeat, words):
        form = "max" if app == "maxflow" else "wsg" if app in ("sssp", "mst") else "sg"
        lines = [line.split() for line in
                 call([*self.words, app, graph.file(form), source or 0, repeat], self.limit).splitlines()]
        if len({line[1] for line in lines}) != 1:
            raise Failed("answers differ from repeat to repeat, or there is none")
        return [1000 * float(line[0]) for line in lines], int(lines[0][1])


PEERS = {"gap": Gap, "wasp": Wasp, "pasgal": Pasgal, "galois": Galois, "pbbs": Pbbs, "gbbs": Gbbs}


def compiled(source, target, words):
    """Builds a program where it is older than its source; returns an error's last line, or None."""
    source = HERE / source
    newest = max(source.stat().st_mtime, (HERE / "rows.h").stat().st_mtime)
    if target.exists() and target.stat().st_mtime > newest:
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    compiler = ["g++", "-std=c++17", "-w"] if source.suffix == ".cpp" else ["gcc", "-std=gnu11"]
    try:
        done = subprocess.run([*compiler, "-O3", "-march=native", source, *words, "-o", target], capture_output=True, text=True)
    except OSError as error:
        return str(error)
    if done.returncode == 0:
        return None
    return next((line for line in done.stderr.splitlines() if "error" in line), "the compiler failed")


def debian(cache, limit):
    """Those whose library is here; a sentence for each that is not."""
    for name, source, header, package in (("Boost", "boost.cpp", "boost/graph/dijkstra_shortest_paths.hpp", "libboost-dev"),
                                          ("LEMON", "lemon.cpp", "lemon/static_graph.h", "liblemon-dev")):
        if not pathlib.Path("/usr/include", header).exists():
            yield name, f"no {header} (Debian: {package})"
            continue
        error = compiled(source, cache / name.lower(), [])
        yield name, error or Driver(name, [cache / name.lower()], limit)
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "igraph"], capture_output=True, text=True)
    if flags.returncode:
        yield "igraph", "pkg-config knows no igraph (Debian: libigraph-dev)"
    else:
        error = compiled("igraph.c", cache / "igraph", [*flags.stdout.split(), "-lm"])
        yield "igraph", error or Driver("igraph", [cache / "igraph"], limit)
    if subprocess.run([sys.executable, "-c", "import scipy.sparse.csgraph"], capture_output=True).returncode:
        yield "SciPy", "this Python has no scipy (Debian: python3-scipy)"
    else:
        yield "SciPy", Driver("SciPy", [sys.executable, HERE / "csgraph.py"], limit)


def rows_of(path, weighted):
    """GAP's binary rows: vertices, row starts, heads, weights or None."""
    with open(path, "rb") as f:
        f.read(1)
        sizes, row, words = array.array("q"), array.array("q"), array.array("i")
        sizes.fromfile(f, 2)
        row.fromfile(f, sizes[1] + 1)
        words.fromfile(f, row[-1] * (2 if weighted else 1))
    return sizes[1], row, words[0::2] if weighted else words, words[1::2] if weighted else None


def write_adj(source, target):
    """PASGAL's text of a weighted graph."""
    n, row, head, weight = rows_of(source, True)
    with open(target, "w") as f:
        f.write(f"WeightedAdjacencyGraph\n{n}\n{len(head)}\n")
        for numbers in row[:n], head, weight:
            for at in range(0, len(numbers), 1 << 20):
                f.write("\n".join(map(str, numbers[at:at + (1 << 20)])) + "\n")


def write_bin(source, target):
    """PASGAL's binary rows, without weights."""
    n, row, head, _ = rows_of(source, False)
    with open(target, "wb") as f:
        array.array("Q", [n, len(head), 8 * (n + 1) + 4 * len(head) + 24]).tofile(f)
        row.tofile(f)
        head.tofile(f)


def write_edges(source, target):
    """PBBS' text of a weighted graph: each edge of a symmetric one once."""
    n, row, head, weight = rows_of(source, True)
    with open(target, "w") as f:
        f.write("WeightedEdgeArray\n")
        for u in range(n):
            f.writelines(f"{u} {head[e]} {weight[e]}\n" for e in range(row[u], row[u + 1]) if u < head[e])
