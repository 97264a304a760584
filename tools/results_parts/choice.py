"""How well `--scheduler auto` chooses: every scheduler against it on graphs of many classes, as `ordo compare` sees it. For tools/results."""
import csv
import datetime
import json
import pathlib
import shlex
import subprocess
import tempfile

# name: words of `ordo generate`, by device. A class each.
GRAPHS = {
    "road": "road --vertices {road} --seed 1",
    "grid": "grid --width {side} --height {side} --weights uniform:1:255 --seed 1",
    "holes": "grid --width {side} --height {side} --keep 0.6 --weights uniform:1:255 --seed 1",
    "lattice": "grid --width {cube} --height {cube} --depth {cube} --weights uniform:1:255 --seed 1",
    "mesh": "mesh --width {mesh} --height {mesh} --depth {mesh} --weights uniform:1:255 --seed 1",
    "rmat": "rmat --scale {scale} --weights uniform:1:255 --seed 1",
    "kron": "kron --scale {scale} --weights uniform:1:255 --seed 1",
    "urand": "urand --scale {scale} --weights uniform:1:255 --seed 1",
    "sparse": "uniform --vertices {many} --degree 4 --weights uniform:1:255 --seed 1",
    "path": "path --vertices {long} --weights uniform:1:255 --seed 1",
    "star": "star --vertices {many} --weights uniform:1:255 --seed 1",
    "cliques": "cliques --vertices {long} --width 16 --weights uniform:1:255 --seed 1",
    "complete": "complete --vertices {dense} --weights uniform:1:255 --seed 1",
}
WHAT = {"road": "road network", "grid": "square grid", "holes": "grid, 40 % of edges gone", "lattice": "cubic lattice", "mesh": "26 neighbours",
        "rmat": "power law, directed", "kron": "power law, symmetric", "urand": "uniform random", "sparse": "4 edges a vertex, directed",
        "path": "one path", "star": "one hub", "cliques": "chain of cliques", "complete": "every two vertices"}
SIZES = {
    "cpu": {"road": 1 << 20, "side": 1000, "cube": 100, "mesh": 50, "scale": 18, "many": 1 << 20, "long": 1 << 17, "dense": 1500},
    "cuda": {"road": 1 << 23, "side": 3000, "cube": 200, "mesh": 100, "scale": 22, "many": 1 << 23, "long": 1 << 17, "dense": 6000},
}
APPS = ("sssp", "bfs", "cc", "mst")
LOST = 1.1  # what `auto` may lose
SCHEDULERS = "auto,bsp,near_far,delta,topology,adds,inbox,lock_server"
ON_CPU = ",broker"  # on a CPU these, too; horizon is for more runs than are made here


def compare(ordo, app, path, a):
    """Rows of the table by label, and the scheduler that auto took."""
    native = ",native" if app == "cc" or (app == "mst" and a.device == "cuda") else ""
    with tempfile.TemporaryDirectory() as folder:
        table, runs = pathlib.Path(folder) / "table.csv", pathlib.Path(folder) / "runs.jsonl"
        words = [ordo, "compare", app, path, "--schedulers", SCHEDULERS + (ON_CPU if a.device == "cpu" else "") + native, "--device", a.device, "--repeat", a.repeat, "--timeout", a.timeout,
                 "--csv", table, "--json", runs, *(["--threads", a.threads] if a.threads else [])]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if done.returncode:
            return None, None, (done.stderr.strip().splitlines() or ["?"])[-1]
        with open(table, newline="") as file:
            rows = {row["scheduler"]: row for row in csv.DictReader(file)}
        for line in runs.read_text().splitlines():
            run = json.loads(line)
            if run["label"] == "auto":
                return rows, run, None
    return None, None, "auto did not run"


def sizes(device, given):
    """Sizes of the graphs, with those given as NAME=N; a sentence where one is wrong."""
    out = dict(SIZES[device])
    for text in given:
        name, _, value = text.partition("=")
        if name not in out or not value.isdigit() or int(value) < 1:
            return f"--size {text}: expected NAME=N with a name of {', '.join(out)}"
        out[name] = int(value)
    return out


def measure(ordo, a, sizes, note):
    """[{app, graph, auto, best, ratio, low, high, ms}] of all graphs of these sizes; `note` gets a record of each."""
    entries = []
    for name, words in GRAPHS.items():
        if a.only and not any(a.only in f"{app} {name}" for app in APPS):
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / f"{name}.ordo"
            subprocess.run([str(ordo), "generate", *shlex.split(words.format(**sizes)), "-o", str(path)], check=True, capture_output=True)
            for app in APPS:
                if a.only and a.only not in f"{app} {name}":
                    continue
                rows, run, why = compare(ordo, app, path, a)
                if not rows:
                    entries.append({"app": app, "graph": name, "why": why})
                    print(f"{app} {name}: left out: {why}", flush=True)
                    continue
                note(run)
                auto = float(rows["auto"]["speed_up"])
                best = max(rows, key=lambda label: float(rows[label]["speed_up"]))
                row = rows[best]
                entries.append({"app": app, "graph": name, "auto": run["options"]["scheduler"], "auto_ms": round(1e3 * float(rows["auto"]["seconds"]), 4),
                                "best": best, "ratio": round(float(row["speed_up"]) / auto, 4),
                                **{key: round(float(row[f"speed_up_{key}"]), 4) if row[f"speed_up_{key}"] else None for key in ("low", "high")},
                                "ms": {label: round(1e3 * float(row["seconds"]), 4) for label, row in rows.items()}})
                print(f"{app} {name}: auto took {entries[-1]['auto']}, {entries[-1]['auto_ms']:.3f} ms; {best} {entries[-1]['ratio']:.2f} times as fast", flush=True)
    return entries


def part(data):
    """Lines of docs/results.md."""
    at = {(entry["app"], entry["graph"]): entry for entry in data["entries"]}
    names = list(dict.fromkeys(entry["graph"] for entry in data["entries"]))
    measured = [entry for entry in data["entries"] if "ratio" in entry]
    sure = [entry for entry in measured if entry["low"] is not None]  # too few runs have no interval
    lost = [entry for entry in measured if entry["ratio"] > LOST and (entry["low"] > 1 if entry in sure else entry["best"] not in ("auto", entry["auto"]))]
    how = "by their interval of 95 %" if sure else "and the fastest is another scheduler; so few runs have no interval"
    lines = ["What `--scheduler auto` takes, and how many times as fast the fastest scheduler is, in pairs of runs "
             f"([comparing](comparing.md)): 1.00 is a choice that none beats. `auto` is within {LOST} of the best in {len(measured) - len(lost)} of "
             f"{len(measured)} cases; **bold** ones are not, {how}.", "",
             "| graph | class | " + " | ".join(APPS) + " |", "| --- | --- |" + " --- |" * len(APPS)]
    for name in names:
        cells = []
        for app in APPS:
            entry = at.get((app, name))
            if not entry or "ratio" not in entry:
                cells.append("-")
                continue
            own = entry["best"] in ("auto", entry["auto"])
            text = f"{entry['ratio']:.2f}" + ("" if own else f" `{entry['best']}`")
            cells.append(f"`{entry['auto']}` {f'**{text}**' if entry in lost else text}")
        lines.append(f"| {name} | {WHAT[name]} | " + " | ".join(cells) + " |")
    return lines


def result(a, sizes, head, entries):
    return {"schema": 1, "device": a.device, "date": datetime.date.today().isoformat(), **head, "repeat": a.repeat, "warmup": 1, "timeout": a.timeout,
            "sizes": sizes, "entries": entries}
