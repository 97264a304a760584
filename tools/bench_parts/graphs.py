"""Graphs of tools/bench: what their names stand for, and files of them in the formats that programs read."""
import json
import os
import pathlib
import subprocess
import sys

from bench_peers import peers as others

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CACHE = pathlib.Path(os.environ.get("ORDO_CACHE", pathlib.Path.home() / ".cache" / "ordo"))
DATA = pathlib.Path(os.environ.get("ORDO_DATA", ROOT.parent / "shared" / "data"))
WEIGHTED = ("sssp", "mst")
DRAWN = ["--weights", "uniform:1:255", "--seed", "1"]

# A name, and the words that make it: of `ordo generate`, or a file of ORDO_DATA and words of `ordo convert`.
GRAPHS = {
    "FLA": ["road/FLA.gr.xz", *DRAWN],
    "road-4M": ["generate", "road", "--vertices", "4194304", "--seed", "1"],
    "rmat-20": ["generate", "rmat", "--scale", "20", "--degree", "16", *DRAWN, "--symmetrise"],
    "urand-20": ["generate", "urand", "--scale", "20", "--degree", "16", *DRAWN],
    "mesh-100": ["generate", "mesh", "--width", "100", "--height", "100", "--depth", "100", *DRAWN],
    "NY": ["road/USA-road-d.NY.gr.xz"],
    "road-1M": ["generate", "road", "--vertices", "1048576", "--seed", "1"],
    "rmat-sym-18": ["generate", "rmat", "--scale", "18", "--degree", "16", "--symmetrise", *DRAWN],
    "mesh-60": ["generate", "mesh", "--width", "60", "--height", "60", "--depth", "60", *DRAWN],
    "grid-2048": ["generate", "grid", "--width", "2048", "--height", "2048", *DRAWN],
}
FIRST_CHOICE = ["FLA", "road-4M", "rmat-20", "urand-20", "mesh-100"]
NETWORKS = {name: [f"maxflow/{name}.max.xz"]
            for name in ("ak-4102", "rlg-wide-512x64", "genrmf-wide-64x16", "seg-ascent-512x512")}


def run(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench: {' '.join(map(str, command))} ended with {done.returncode}\n{done.stderr}")
    return done.stdout


class Graph:
    """A graph under a name; its file in a format is made when first asked for."""

    def __init__(self, ordo, name, how, key=None):
        self.ordo, self.name, self.how = ordo, name, how
        self.key = key or name  # of kept files
        self.made = how[0] == "generate"
        self.missing = not self.made and not (DATA / how[0]).exists()

    def file(self, form):
        path = CACHE / f"bench-{self.key}.{form}"
        if path.exists():
            return path
        CACHE.mkdir(parents=True, exist_ok=True)
        part = CACHE / f"bench-part-{self.key}.{form}"
        if form == "adj":
            others.write_adj(self.file("wsg"), part)
        elif form == "bin":
            others.write_bin(self.file("sg"), part)
        elif form == "we":
            others.write_edges(self.file("wsg"), part)
        elif form == "sg" and not self.made:  # a file may have no weights
            run([self.ordo, "convert", DATA / self.how[0], part, "--drop-weights"])
        elif form in ("sg", "ggr"):
            run([self.ordo, "convert", self.file("wsg"), part, *(["--drop-weights"] if form == "sg" else [])])
        elif self.made:
            run([self.ordo, *self.how, "--output", part])
        else:
            run([self.ordo, "convert", DATA / self.how[0], part, *self.how[1:]])
        part.rename(path)
        return path

    def for_app(self, app):
        return self.file("max" if app == "maxflow" else "wsg" if app in WEIGHTED else "sg")


def graphs_of(args, app):
    known = NETWORKS if app == "maxflow" else GRAPHS
    names = args.graphs or (list(NETWORKS) if app == "maxflow" else FIRST_CHOICE)
    for name in names:
        if name in known:
            graph = Graph(args.ordo, name, known[name])
        elif name in NETWORKS or name in GRAPHS:  # of another app in the same call
            continue
        elif pathlib.Path(name).is_file():
            path = pathlib.Path(name).resolve()
            if (".max" in path.suffixes) != (app == "maxflow"):
                continue
            state = path.stat()
            stem = path.name.split(".")[0]
            graph = Graph(args.ordo, stem, [path], f"{stem}-{state.st_mtime_ns:x}-{state.st_size:x}")
        else:
            sys.exit(f"bench: graph {name}: no file, expected one or {', '.join([*GRAPHS, *NETWORKS])}")
        if graph.missing:
            print(f"({name} is left out: {DATA / graph.how[0]} is missing)")
        else:
            yield graph


def records(out):
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def source_of(ordo, path):
    """A vertex in the large component: the one that the command draws with seed 1 and that reaches most of three."""
    best = (0, 0)
    for seed in "123":
        line = records(run([ordo, "bfs", path, "--seed", seed, "--json", "-", "--quiet"]))[-1]
        best = max(best, (line["result"]["reached"], line["source"]))
    return best[1]
