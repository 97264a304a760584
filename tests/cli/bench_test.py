#!/usr/bin/env python3
"""tools/bench run as a program, with peers that are scripts: what they are called with, in which order, what becomes of what
they print. igraph, where it is, is a real one. usage: bench_test.py SOURCE ORDO"""
import csv
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

source, ordo = (pathlib.Path(word).resolve() for word in sys.argv[1:])
with tempfile.TemporaryDirectory() as directory:
    root = pathlib.Path(directory)
    calls = root / "calls"
    environment = dict(os.environ, ORDO_CACHE=str(root / "cache"), ORDO_DATA=str(root / "no-data"), CALLS=str(calls),
                       PYTHONDONTWRITEBYTECODE="1")

    def bench(*words):
        return subprocess.run([sys.executable, source / "tools" / "bench", *words, "--wait", "0", "--ordo", ordo], env=environment,
                              capture_output=True, text=True)

    def script(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)

    road, network = root / "road.wsg", root / "net.max"
    for words in (["road", "--vertices", "3000", "-o", road], ["rlg", "--width", "8", "--height", "8", "--weights", "uniform:1:100", "-o", network]):
        subprocess.run([ordo, "generate", *words, "--seed", "1", "--quiet"], check=True)

    note = 'echo "$0 ${OMP_NUM_THREADS:-${PARLAY_NUM_THREADS:-none}} $*" >>"$CALLS"\n'
    script(root / "gap" / "sssp", note + 'echo "Trial Time:  0.00500"\necho "Trial Time:  0.00300"\n')
    script(root / "gap" / "bfs", note + 'echo "Trial Time:  0.00100"\n')
    script(root / "pasgal" / "src" / "BFS" / "bfs",
           note + 'printf "source 1\\nWarmup Round: 9.0\\nRound 1: 0.002\\nRound 2: 0.004\\nAverage time: 0.003\\n"\n')
    script(root / "galois" / "bfs-cpu", note + 'case "$*" in *AsyncTile*) t=14;; *) t=12; esac\n'
           'echo "STAT, (NULL), Timer_0, TMAX, $t"\n')

    done = bench("sssp", "bfs", "--graphs", road, "--threads", "2", "--rounds", "2", "--repeat", "2", "--without", "debian",
                 "--within", "1000", "--peer", f"gap={root / 'gap'}", "--peer", f"pasgal={root / 'pasgal'}",
                 "--peer", f"galois={root / 'galois'}", "--json", root / "out.json", "--csv", root / "out.csv")
    assert done.returncode == 0, done.stderr + done.stdout
    whole = json.loads((root / "out.json").read_text())
    rows = {(r["app"], r["who"], r["setting"]): r for r in whole["rows"]}
    ours = {s for app, who, s in rows if who == "ordo" and app == "sssp"}
    assert {"auto", "delta", "bsp", "near_far", "adds", "inbox", "topology"} == ours, ours
    assert rows["sssp", "ordo", "auto"]["chose"].startswith("delta: "), rows
    assert rows["sssp", "ordo", "delta"]["trials"] == 4 and rows["sssp", "ordo", "delta"]["candidates"] > 3000, rows
    widths = [r for (app, who, _), r in rows.items() if (app, who) == ("sssp", "GAP")]
    assert len(widths) == 5 and all(r["first_pass_ms"] == 3 for r in widths), widths
    (best,) = [r for r in widths if r["trials"]]  # one width alone is in the rounds
    assert best["times_ms"] == [5, 3, 5, 3] and best["median_ms"] == 4 and best["least_ms"] == 3, best
    assert rows["bfs", "PASGAL", ""]["times_ms"] == [2, 4, 2, 4], rows  # its warm-up is none of them
    assert rows["bfs", "Galois", "SyncTile"]["times_ms"] == [12] * 4, rows
    assert rows["bfs", "Galois", "AsyncTile"]["first_pass_ms"] == 14 and not rows["bfs", "Galois", "AsyncTile"]["trials"], rows
    assert {c["name"] for c in whole["ceilings"]} > {"copy", "triad", "random-loads-256MB"}, whole["ceilings"]
    assert all(c["share"] >= 0 or abs(c["cold_us"]) < 50 for c in whole["choosing"]) and whole["choosing"], whole["choosing"]
    with open(root / "out.csv", newline="") as f:
        lines = list(csv.DictReader(f))
    assert [(r["app"], r["who"], r["setting"]) for r in lines] == list(rows), lines
    assert float(lines[1]["median_ms"]) == statistics.median(whole["rows"][1]["times_ms"])
    assert "| bfs, road |" in done.stdout and "GAP" in done.stdout, done.stdout

    lines = [line.split() for line in calls.read_text().splitlines()]
    start = str(rows["bfs", "GAP", ""]["source"])
    for name, threads, *words in lines:
        if name.endswith("gap/sssp"):
            assert threads == "2" and words[:2] == ["-f", words[1]] and words[1].endswith(".wsg"), words
            assert words[2:6] == ["-r", start, "-n", "2"] and words[6] == "-d", words
        elif name.endswith("gap/bfs"):
            assert words[1].endswith(".sg") and words[2:] == ["-r", start, "-n", "2"], words
        elif "pasgal" in name:
            assert threads == "2" and words[1].endswith(".bin") and words[2:] == ["-s", "-r", start], words
            body = pathlib.Path(words[1]).read_bytes()
            assert int.from_bytes(body[:8], "little") == 3000 and int.from_bytes(body[16:24], "little") == len(body), words
        else:
            assert words[0].endswith(".ggr") and f"-startNode={start}" in words and "-t=2" in words, words
    order = [name.split("/")[-4 if "pasgal" in name else -2] for name, *_ in lines if not name.endswith("sssp")]
    once, in_turn = ["gap", "pasgal"] + 4 * ["galois"], ["gap", "pasgal"] + 2 * ["galois"]
    assert order == once + 2 * in_turn, order

    # what memory allows was measured once; the runs that follow take a script's word for it
    measured = root / "cache" / "bench-bin" / "ceilings"
    script(measured, 'echo "copy $1 9.5 GB/s"\n')
    os.utime(measured, (time.time() + 3600,) * 2)

    # a peer that fails or is wrong is out, with its last words; one that is much slower is not in the rounds
    script(root / "gap" / "bfs", 'echo "no memory" >&2; exit 4\n')
    script(root / "galois" / "bfs-cpu", 'echo "STAT, (NULL), Timer_0, TMAX, 12"\ncase "$*" in *SyncTile*) '
           'echo "INFO: Sum of visited distances is 1"; esac\n')
    done = bench("bfs", "--graphs", road, "--threads", "1,2", "--rounds", "1", "--without", "debian", "--schedulers", "auto,bsp",
                 "--peer", f"gap={root / 'gap'}", "--peer", f"pasgal={root / 'pasgal'}",
                 "--peer", f"galois={root / 'galois'}")
    assert done.returncode == 0 and "GAP                      -  ended with 4: no memory" in done.stdout, done.stdout
    assert re.search(r"Galois AsyncTile +\[ +12\.00\]", done.stdout), done.stdout
    assert re.search(r"Galois SyncTile +-  its answer is 1, ours is \d", done.stdout), done.stdout
    # with several numbers of threads, a table over them, with those that were in the rounds
    heads, _, *lines = done.stdout[done.stdout.index("| threads |"):].splitlines()
    assert heads == "| threads | `auto` | `bsp` | PASGAL |", heads
    assert [line.split(" | ")[0] for line in lines[:2]] == ["| 1", "| 2"] and lines[2] == "", lines
    assert all(re.search(r" 4\.00|3\.00 \(2\.00 to 4\.00\)(\*\*)? 1\.0× \|$", line) for line in lines[:2]), lines

    # scaling: all numbers of threads in each round
    calls.unlink()
    script(root / "gap" / "bfs", note + 'echo "Trial Time:  0.0$((8 / OMP_NUM_THREADS))0"\n')
    file = root / "scaling.json"
    done = bench("scaling", "bfs", "cc", "--graphs", road, "--threads", "1,2", "--rounds", "2", "--repeat", "1", "--without", "debian", "--schedulers",
                 "auto,bsp,native", "--within", "1e9", "--peer", f"gap={root / 'gap'}", "--json", file, "--commit", "of no matter")
    assert done.returncode == 0, done.stderr + done.stdout
    said = done.stdout[done.stdout.index("\nms: "):]
    assert "| app, graph |" not in done.stdout and "choosing costs" not in done.stdout and said.count("| threads |") == 2, done.stdout
    assert "| 1 | " in said and "80.0 (80.0 to 80.0) 1.0× |" in said and "40.0 (40.0 to 40.0) 2.0× |" in said, said
    threads = [line.split()[1] for line in calls.read_text().splitlines()]
    first_pass, in_turn = threads[:-4], threads[-4:]
    assert sorted(set(first_pass)) == first_pass[::len(first_pass) // 2] == ["1", "2"] and in_turn == ["1", "2", "1", "2"], threads
    data = json.loads(file.read_text())
    found = {(row["app"], row["who"], row["setting"], row["threads"]): row for row in data["rows"] if row["times_ms"]}
    assert {(app, who, setting, t) for app, who, setting in (("bfs", "ordo", "auto"), ("bfs", "ordo", "bsp"), ("bfs", "GAP", ""), ("cc", "ordo", "auto"),
                                                            ("cc", "ordo", "bsp"), ("cc", "ordo", "native")) for t in (1, 2)} == set(found), found.keys()
    assert all(row["trials"] == 2 for row in found.values()) and data["rounds"] == 2 and data["date"] and data["machine"]["cpu"], data
    with open(file) as text:  # a row a line
        assert sum(line.startswith('  {"app": ') for line in text) == len(data["rows"])
    done = bench("scaling", "mst", "--graphs", road, "--rounds", "1", "--repeat", "1", "--without", "debian", "--schedulers", "auto", "--json", file)
    cores = len(os.sched_getaffinity(0))
    found = [row["threads"] for row in json.loads(file.read_text())["rows"]]
    assert done.returncode == 0 and found == [t for t in (1 << i for i in range(20)) if t < cores] + [cores], (found, done.stderr)

    # forests: each edge once, in a text; the times are those of the last rounds
    script(root / "pbbs" / "serialMST" / "MST", note + 'echo "mst: sort: 9.0"\nfor t in 9 0.25 0.5; do echo "Parlay time: $t"; done\n')
    calls.unlink()
    done = bench("mst", "--graphs", road, "--threads", "2", "--rounds", "1", "--repeat", "2", "--without", "debian", "--schedulers",
                 "auto", "--within", "1e9", "--peer", f"pbbs={root / 'pbbs'}", "--json", root / "out.json")
    assert done.returncode == 0, done.stderr + done.stdout
    (row,) = [r for r in json.loads((root / "out.json").read_text())["rows"] if r["who"] == "PBBS"]
    assert row["setting"] == "serial" and row["times_ms"] == [250, 500], row
    _, threads, *words = calls.read_text().split("\n")[0].split()
    assert threads == "2" and words[:2] == ["-r", "2"], words
    header, *edges = pathlib.Path(words[2]).read_text().splitlines()
    assert header == "WeightedEdgeArray" and all(int(e.split()[0]) < int(e.split()[1]) for e in edges), edges[:3]
    stored = json.loads(subprocess.run([ordo, "info", road, "--json", "-", "--quiet"], capture_output=True, text=True, check=True).stdout)["graph"]
    assert 2 * len(edges) == stored["edges"] - stored["loops"], (len(edges), stored)

    # the other kernels: rows without weights, GAP's options, what GBBS prints; an answer that differs is told
    script(root / "gap" / "pr", note + 'echo "Trial Time:  0.00400"\n')
    script(root / "gap" / "bc", note + 'echo "Trial Time:  0.00600"\n')
    script(root / "gbbs" / "KCore", note + 'echo "### rho = 3 k_{max} = 2"\necho "### Running Time: 7.5e-05"\n')
    script(root / "gbbs" / "Triangle", note + 'echo "### Num triangles = 12345678"\necho "### Running Time: 0.5"\n')
    calls.unlink()
    done = bench("pagerank", "kcore", "bc", "tc", "--graphs", road, "--threads", "2", "--rounds", "1", "--repeat", "1", "--without", "debian",
                 "--schedulers", "auto,bsp", "--within", "1e9", "--peer", f"gap={root / 'gap'}", "--peer", f"gbbs={root / 'gbbs'}",
                 "--json", root / "out.json")
    assert done.returncode == 0, done.stderr + done.stdout
    found = {(r["app"], r["who"]): r for r in json.loads((root / "out.json").read_text())["rows"] if r["who"] in ("GAP", "GBBS")}
    assert found["pagerank", "GAP"]["times_ms"] == [4] and found["bc", "GAP"]["times_ms"] == [6], found
    assert found["kcore", "GBBS"]["times_ms"] == [0.075], found
    assert "its answer is 12345678, ours is" in found["tc", "GBBS"]["why_not"] and len(found) == 4, found
    words = {pathlib.Path(name).name: (threads, words) for name, threads, *words in map(str.split, calls.read_text().splitlines())}
    assert words["pr"][1][1].endswith(".sg") and words["pr"][1][2:] == ["-n", "1", "-i", "1000", "-t", "1e-4"], words
    assert words["bc"][1][2:] == ["-n", "1", "-i", "4"], words
    threads, (*options, file) = words["KCore"]
    assert threads == "2" and options == ["-s", "-b", "-rounds", "1"] and file.endswith(".bin"), words

    for words, said in ((["bfs", "--peer", "gap=/no/such"], "there is no /no/such"),
                        (["bfs", "--peer", "other=/tmp"], "NAME one of gap, wasp, pasgal, galois, pbbs, gbbs"),
                        (["bfs", "--without", "debian", "--threads", "1", "--graphs", "nothing"], "graph nothing: no file"),
                        (["scaling"], "scaling of what?"), (["bfs", "scaling"], "scaling comes first"),
                        (["scaling", "ceilings"], "stands alone"), (["bfs", "overhead"], "stands alone")):
        done = bench(*words)
        assert done.returncode != 0 and said in done.stderr, (words, done.stderr, done.stdout)

    if not shutil.which("pkg-config") or subprocess.run(["pkg-config", "--exists", "igraph"]).returncode:
        print("no igraph here: the drivers are not tested")
        sys.exit(0)
    for graph, apps in (road, ["sssp", "bfs", "cc", "mst"]), (network, ["maxflow"]):
        done = bench(*apps, "--graphs", graph, "--threads", "1", "--rounds", "1", "--repeat", "1", "--within", "1000",
                     "--without", "boost,lemon,scipy", "--schedulers", "auto", "--json", root / "out.json")
        assert done.returncode == 0, done.stderr + done.stdout
        found = [r for r in json.loads((root / "out.json").read_text())["rows"] if r["who"] == "igraph"]
        assert len(found) == len(apps) and all(r["trials"] == 1 and not r["why_not"] for r in found), found
    # an answer that is not ours is a failure of the peer
    liar = root / "cache" / "bench-bin" / "igraph"
    script(liar, 'echo "0.001 17"\n')
    later = liar.stat().st_mtime + 3600
    os.utime(liar, (later, later))
    done = bench("cc", "--graphs", road, "--threads", "1", "--rounds", "1", "--without", "boost,lemon,scipy", "--schedulers", "auto")
    assert "igraph                   -  its answer is 17, ours is" in done.stdout, done.stdout
