#!/usr/bin/env python3
"""Real graphs with known answers: every file of ORDO_DATA that Ordo reads, against answers.json there (computed with
igraph and SciPy); and each of them through every format that can hold it and back. usage: data_test.py ORDO SOURCE_ROOT; ends with 77 (skipped) where the data are missing."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

ordo, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
QUICK = "ORDO_TEST_QUICK" in os.environ  # three schedulers and half of the formats for each graph, in turns
data = pathlib.Path(os.environ.get("ORDO_DATA", root.parent / "shared" / "data"))
if not (data / "answers.json").exists():
    print(f"skipped: {data}/answers.json is missing (set ORDO_DATA)")
    sys.exit(77)
known_answers = json.loads((data / "answers.json").read_text())
answers = known_answers["graphs"]
passed = failed = skipped = 0


def result(*words):
    done = subprocess.run([ordo, *map(str, words), "--json", "-", "--quiet", "--verify"], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip()
    line = json.loads(done.stdout.splitlines()[-1])
    return line["result"], line["graph"]


def expect(what, found, wanted):
    global passed, failed
    if found == wanted:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}: {found}, expected {wanted}")


def info(path, *options):
    done = subprocess.run([ordo, "info", str(path), "--quick", "--quiet", "--json", "-", *options], capture_output=True, text=True)
    return json.loads(done.stdout)["graph"] if done.returncode == 0 else done.stderr.strip()


def nearest(value, weight):
    """What a 32-bit float makes of it, as JSON says it (15 digits)."""
    return float(f"{struct.unpack('f', struct.pack('f', value))[0]:.15g}") if weight["type"] == "f32" else value


# files whose names do not say that they are graphs, and what a file cannot be read without
READ = ("negative/G28", "random/G1", "random/G60", "random/G67")
MORE = {"negative/soc-sign-bitcoinotc.csv": ["--columns", "1,2,3"], "circuit/bips98_606.mtx": ["--round"],
        "mesh/bcsstk13.mtx": ["--round"]}


def through_formats(name, path, own, graph, where, needs):
    """The graph's checksum is the same whatever it was written as; `own` is written already."""
    first, held = info(path, *needs), 1
    expect(f"{name} as .ordo", info(own)["checksum"], first["checksum"])
    formats = "gr max mtx graph el wel sg wsg ggr npz".split()
    for suffix in formats[len(name) % 2::2] if QUICK else formats:
        there = where / f"there.{suffix}"
        done = subprocess.run([ordo, "convert", "--quiet", str(own), str(there)], capture_output=True, text=True)
        if done.returncode == 2:  # what the format cannot hold
            continue
        options = ["--symmetric"] if graph["symmetric"] else []
        if suffix == "npz" and graph["weight"]["type"] == "none":
            continue  # comes back with ones
        second = info(there, *options)
        held += 1
        if isinstance(second, str):
            expect(f"{name} as .{suffix}", second, "read")
        else:
            expect(f"{name} as .{suffix}", second["checksum"], first["checksum"])
        there.unlink()
    expect(f"{name}: some format holds it", QUICK or held > 2, True)


# what is no list of edges is refused by a sentence that says what it is
for name, what in {"circuit/ISPD98_ibm01.hgr": "hypergraph", "circuit/hyp.aig": "circuit", "grid/arena.map": "grid map",
                   "grid/arena.map.scen": "queries", "grid/Boston_0_1024.map": "grid map"}.items():
    path = next((p for p in (data / name, *(data / (name + s) for s in (".xz", ".zst", ".gz"))) if p.exists()), None)
    if path is not None:
        done = subprocess.run([ordo, "info", str(path)], capture_output=True, text=True)
        expect(f"{name}: {done.stderr.strip()}", (done.returncode, what in done.stderr), (3, True))

# triangles as NetworkX counts them (those of wiki-Vote and email-Enron are published by SNAP, too)
for name, triangles in {"small/karate.mtx": 45, "web/wiki-Vote.txt": 608389, "web/email-Enron.mtx": 727044,
                        "mesh/rgg_n_2_15_s0.graph": 307546}.items():
    path = next((p for p in (data / name, *(data / (name + s) for s in (".xz", ".zst", ".gz"))) if p.exists()), None)
    if path is not None:
        found, why = result("tc", path)
        expect(f"{name}: triangles", found["triangles"] if found else why, triangles)

scratch = tempfile.TemporaryDirectory(prefix="ordo-data-")
for number, (name, known) in enumerate(sorted(answers.items())):
    path = next((p for p in (data / name, *(data / (name + s) for s in (".xz", ".zst", ".gz"))) if p.exists()), None)
    if path is None or name not in READ and not name.endswith((".gr", ".mtx", ".txt", ".graph", ".max", ".csv")):
        skipped += 1
        continue
    needs = MORE.get(name, [])
    found, graph = result("cc", path, *needs)
    if found is None:
        expect(f"{name}: read", graph, "read")
        continue
    if needs:  # without it, refused by a sentence that names it
        done = subprocess.run([ordo, "info", str(path), "--quick"], capture_output=True, text=True)
        expect(f"{name}: refused without {needs[0]}", (done.returncode, needs[0] in done.stderr), (3, True))
    # what follows reads it as Ordo's own format, which holds all of it: text, compressed, takes many times as long
    own = pathlib.Path(scratch.name) / "graph.ordo"
    subprocess.run([ordo, "convert", "--quiet", str(path), str(own), *needs], check=True)
    through_formats(name, path, own, graph, pathlib.Path(scratch.name), needs)
    path, needs = own, []
    if known["weighted"]:
        weight = info(path)["weight"]
        expect(f"{name}: weights", [weight["min"], weight["max"]], [nearest(known["w_min"], weight), nearest(known["w_max"], weight)])
    expect(f"{name}: edges", graph["edges"] in (known["stored_edges"], 2 * known["stored_edges"] - known["self_loops"]), True)
    # an edge list without counts does not say how many vertices it has: trailing ones without an edge are not there
    missing = known["vertices"] - graph["vertices"]
    expect(f"{name}: vertices", missing if "counts" in graph["format"] or not name.endswith((".txt", ".csv")) else 0, 0)
    expect(f"{name}: its first vertex", graph["id_base"], known["id_base"])
    expect(f"{name}: components", found["components"] + missing, known["weak_components"])
    direction = [] if known["directed"] or graph["symmetric"] else ["--symmetrise"]
    direction = [*direction, *needs]
    source = known["source"] - known["id_base"]
    schedulers = ["delta", "bsp", "near_far", "topology", "adds", "inbox", "broker"]
    turn = number % len(schedulers)
    for scheduler in (schedulers * 2)[turn:turn + 3] if QUICK else schedulers:
        levels, why = result("bfs", path, "--source", source, "--scheduler", scheduler, *direction)
        expect(f"{name}: bfs under {scheduler}", levels and [levels["reached"], levels["max"], levels["sum"]],
               [known["bfs"]["reached"], known["bfs"]["max_level"], known["bfs"]["sum_of_levels"]])
        weights = known.get("own_weights") or {}
        if "sssp" in weights and known.get("integer_weights") and known["w_min"] >= 0:
            distances, why = result("sssp", path, "--source", source, "--scheduler", scheduler, *direction)
            expect(f"{name}: sssp under {scheduler}", distances and [distances["reached"], distances["max"], distances["sum"]],
                   [weights["sssp"]["reached"], weights["sssp"]["max_distance"], weights["sssp"]["sum_of_distances"]])


def stored(name):
    return next((p for p in (data / name, *(data / (name + s) for s in (".xz", ".zst", ".gz"))) if p.exists()), None)


def expect_flow(what, path, value, *options):
    found, why = result("maxflow", path, *options)
    expect(f"{what} {' '.join(options)}".strip(), found and [found["value"], found["cut_capacity"]] or why, [value, value])


for name, known in sorted(known_answers["max_flow_files"].items()):
    path = stored("maxflow/" + name)
    if path is None:
        skipped += 1
        continue
    expect_flow(name, path, known["max_flow"])
    expect_flow(name, path, known["max_flow"], "--phase", "cut")
    if known["vertices"] < 40000:  # orders that are bad for flows need minutes on the larger ones
        for scheduler in ("bsp", "near_far", "delta", "adds", "inbox"):
            expect_flow(name, path, known["max_flow"], "--scheduler", scheduler)
    if known["vertices"] < 5000:
        expect_flow(name, path, known["max_flow"], "--scheduler", "topology", "--sync", "owner")


def terminals_added(text, every):
    """A DIMACS .gr as .max: a source with an edge to every vertex that is 1 mod `every`, a sink behind each in the middle."""
    lines = [l.split() for l in text.splitlines() if l[:1] in "pa"]
    n = int(lines[0][2])
    arcs = [l[1:] for l in lines[1:] if l[1] != l[2]]
    arcs += [(n + 1, v, 10**9) for v in range(1, n + 1, every)]
    arcs += [(v, n + 2, 10**9) for v in range(every // 2 + 1, n + 1, every)]
    head = f"p max {n + 2} {len(arcs)}\nn {n + 1} s\nn {n + 2} t\n"
    return head + "".join("a %s %s %s\n" % tuple(a) for a in arcs)


for name, known in sorted(known_answers["multi_terminal_max_flow"].items()):
    path = stored(name)
    if path is None or known["capacities"] != "own weights" or not name.endswith(".gr"):
        skipped += 1
        continue
    plain, flow = pathlib.Path(scratch.name) / "plain.gr", pathlib.Path(scratch.name) / "flow.max"
    subprocess.run([ordo, "convert", "--quiet", str(path), str(plain)], check=True)
    flow.write_text(terminals_added(plain.read_text(), known["K"]))
    expect_flow(name, flow, known["max_flow"])
    expect_flow(name, flow, known["max_flow"], "--infinite", str(10**9))
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed else 0)
