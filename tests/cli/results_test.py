#!/usr/bin/env python3
"""tools/results run as a program: what it measures is what the command says, parts are joined, the page and the plots follow from the
file and from nothing else, and what is wrong is refused. usage: results_test.py SOURCE ORDO"""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

source, ordo = (pathlib.Path(word).resolve() for word in sys.argv[1:])
with tempfile.TemporaryDirectory() as directory:
    root = pathlib.Path(directory)
    os.environ["ORDO_CACHE"] = str(root / "cache")
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("results", str(source / "tools" / "results"))
    results = importlib.util.module_from_spec(importlib.util.spec_from_loader("results", loader))
    loader.exec_module(results)
    # small graphs under the names of the large ones
    results.GRAPHS = {"road-1M": ("road --vertices 2000 --seed 1", "road network"), "rmat-20": ("rmat --scale 9 --seed 1", "power law"),
                      "rlg-128": ("rlg --width 8 --height 8 --weights uniform:1:100 --seed 1", "flow network")}
    results.APPS = {"cpu": {"sssp": ["road-1M", "rmat-20"], "maxflow": ["rlg-128"]}, "cuda": {"sssp": ["road-1M"]}}
    results.DOCS = root / "docs"
    (results.DOCS / "results").mkdir(parents=True)
    (results.DOCS / "choosing.md").write_text("above\n" + results.BEGIN + "old\n" + results.END + "below\n")
    out = results.DOCS / "results" / "cpu.json"

    def run(*words):
        sys.argv = ["tools/results", *words]
        return results.main()

    def refused(said, *words):
        try:
            run(*words)
        except SystemExit as end:
            assert said in str(end.code), end.code
        else:
            assert False, words

    measure = ["measure", "--build", str(ordo.parent), "--repeat", "2", "--timeout", "20", "--allow-changes"]
    run(*measure, "--only", "sssp rmat")
    run(*measure, "--only", "maxflow", "--add")
    run(*measure, "--only", "sssp road", "--add")
    data = json.loads(out.read_text())
    assert [(entry["app"], entry["graph"]) for entry in data["apps"]] == [("sssp", "road-1M"), ("sssp", "rmat-20"), ("maxflow", "rlg-128")]
    schedulers = {line.split()[0] for line in subprocess.run([ordo, "schedulers"], capture_output=True, text=True, check=True).stdout.split("\n\n")[0].splitlines()
                  if not line.startswith(" ")}
    for entry in data["apps"]:
        named = {row["scheduler"] for row in entry["rows"]} | set(entry["late"])
        assert named >= schedulers - ({"horizon"} if entry["app"] == "maxflow" else set()) and entry["auto"] in named, entry
        for row in entry["rows"]:
            assert row["verified"] and row["runs"] == 2 and 0 < row["ms"]["least"] <= row["ms"]["median"] <= row["ms"]["most"], row
    version = subprocess.run([ordo, "version"], capture_output=True, text=True, check=True).stdout
    assert data["commit"] in version and data["machine"]["cores"] >= 1 and data["others"] >= 0, data
    info = json.loads(subprocess.run([ordo, "info", "--generate", results.GRAPHS["road-1M"][0], "--quick", "--quiet", "--json", "-"],
                                     capture_output=True, text=True, check=True).stdout)["graph"]
    assert data["graphs"]["road-1M"]["checksum"] == info["checksum"], (data["graphs"], info)

    # what auto chooses: two classes
    results.choice.GRAPHS = {"road": "road --vertices 500 --seed 1", "star": "star --vertices 300 --weights uniform:1:9 --seed 1"}
    results.choice.APPS = ("sssp", "cc")
    run("choice", "--build", str(ordo.parent), "--repeat", "5", "--allow-changes")
    chosen = json.loads((results.DOCS / "results" / "choice-cpu.json").read_text())
    assert [(entry["app"], entry["graph"]) for entry in chosen["entries"]] == [(app, name) for name in ("road", "star") for app in ("sssp", "cc")], chosen
    for entry in chosen["entries"]:
        assert entry["auto"] in schedulers | {"native"} and entry["ratio"] >= 1 and entry["auto_ms"] > 0 and (entry["best"] != "auto" or entry["ratio"] == 1), entry
        assert schedulers - {"horizon"} <= set(entry["ms"]) and entry["ms"]["auto"] == entry["auto_ms"], entry
    refused("nothing was measured", "choice", "--build", str(ordo.parent), "--only", "nothing like this", "--allow-changes")
    for size in ("scale", "scale=0", "sclae=9", "scale=many"):
        refused(f"--size {size}: expected NAME=N", "choice", "--build", str(ordo.parent), "--size", size)
    elsewhere = root / "choice.json"
    results.choice.GRAPHS = {"star": "star --vertices {many} --weights uniform:1:9 --seed 1"}
    run("choice", "--build", str(ordo.parent), "--repeat", "5", "--allow-changes", "--only", "sssp", "--size", "many=200", "--out", str(elsewhere))
    other = json.loads(elsewhere.read_text())
    assert other["sizes"]["many"] == 200 and [entry["graph"] for entry in other["entries"]] == ["star"], other

    # how times fall with threads: a file of tools/bench is a part of the page, with the tables that it printed
    scaled, tiny = results.DOCS / "results" / "scaling-here.json", root / "tiny.wsg"
    subprocess.run([ordo, "generate", "road", "--vertices", "500", "--seed", "1", "-o", tiny, "--quiet"], check=True)
    said = subprocess.run([sys.executable, source / "tools" / "bench", "scaling", "bfs", "cc", "--graphs", tiny, "--threads", "1,2", "--rounds", "1",
                           "--repeat", "1", "--without", "debian", "--wait", "0", "--ordo", ordo, "--json", scaled],
                          capture_output=True, text=True, check=True).stdout
    over_threads = [line for line in said.splitlines() if line.startswith("|")]

    assert run("render", "--check") == 1  # nothing is there yet
    assert run("render") == 0 and run("render", "--check") == 0
    first = {path: path.read_bytes() for path in results.DOCS.rglob("*") if path.is_file()}
    assert run("render") == 0 and all(path.read_bytes() == text for path, text in first.items())
    page = (results.DOCS / "results.md").read_text()
    for entry in data["apps"]:
        for row in entry["rows"]:
            assert results.cell(row["ms"], False) in page, (row, page)
    assert len(over_threads) == 8 and "\n".join(over_threads[:4]) in page and "\n".join(over_threads[4:]) in page, (said, page)
    assert f"Ordo {data['version']}, commit `{json.loads(scaled.read_text())['commit']}`" in page and "### With up to 2 threads" in page, page
    assert data["commit"] in page and info["checksum"] in page
    assert f"| road | road network | `{chosen['entries'][0]['auto']}` " in page and f"of {len(chosen['entries'])} cases" in page, page
    choosing = (results.DOCS / "choosing.md").read_text()
    assert choosing.startswith("above\n") and choosing.endswith("below\n") and "old" not in choosing and data["commit"] in choosing
    plot = xml.etree.ElementTree.parse(results.DOCS / "results" / "cpu-apps.svg").getroot()
    titles = [title.text for title in plot.iter("{http://www.w3.org/2000/svg}title")]
    assert sum(":" in title for title in titles) == sum(len(entry["rows"]) for entry in data["apps"]), titles

    changed = json.loads(out.read_text())
    changed["apps"][0]["rows"][0]["ms"]["median"] *= 7
    out.write_text(results.dump(changed))
    assert run("render", "--check") == 1  # the page is of other figures
    refused("nothing was measured", *measure, "--only", "nothing like this", "--out", str(root / "none.json"))
    refused("does not exist", "measure", "--build", str(root))
    data["commit"] = "0" * 12
    out.write_text(results.dump(data))
    refused("is of commit 000000000000", *measure, "--only", "sssp rmat", "--add")
print("all as expected")

# tools/tunables: a table for each scheduler, from ratios that are numbers; every row of the tables is tried or named
with tempfile.TemporaryDirectory() as directory:
    graph = pathlib.Path(directory) / "tiny.ordo"
    subprocess.run([ordo, "generate", "road", "--vertices", "500", "--seed", "1", "-o", graph, "--quiet"], check=True)

    def tunables(*words):
        done = subprocess.run([sys.executable, source / "tools" / "tunables", "--build", ordo.parent, "--rounds", "1", "--repeat", "1",
                               "--sources", "1", *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    text = tunables(graph)
    for scheduler in ("bsp", "near_far", "delta", "topology", "adds", "inbox"):
        assert f"\n`{scheduler}`, " in text, text
    assert "\n| `factor=8` | " in text and "in no table" not in text, text
    takes_all = "  chunk=" in subprocess.run([ordo, "help", "delta"], capture_output=True, text=True).stdout
    assert ("left out, constants of this build: adds.block, " in text) != takes_all, text
    text = tunables("--sections", "--operations", "2000", "--collisions", "32")
    assert "\n| `partition=hash` | " in text, text
print("tunables: ok")
