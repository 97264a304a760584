"""Runs, tables and traces of comparisons, as the command writes them (docs/json.md, docs/trace.md).

The tables with their intervals are the command's own (`ordo compare --from`), so the statistics exist once. What the
figures need of single runs is read here. What is malformed raises InputError: one line with file, line and what was
expected.
"""
from __future__ import annotations

import csv
import dataclasses
import json
import os
import re
import subprocess
from collections.abc import Sequence
from typing import Any

from . import _command, _trace
from ._errors import FileError, InputError
from ._trace import Trace

EXPECTED = "expected a record of ordo compare --save, of an app's --json, or a trace"


@dataclasses.dataclass
class Run:
    """A record of kind `run`. name: the contender's, as in the table. seconds: of the run, with the transfer."""
    app: str
    graph: str
    checksum: str
    vertices: int
    edges: int
    label: str
    scheduler: str
    sync: str
    threads: int
    device: str
    settings: dict[str, Any]
    chosen: str | None
    source: int | None
    trial: int
    seconds: float
    items: int
    work_seconds: float
    delta: float
    reached: int | None
    command: list[str]
    version: str
    commit: str
    machine: str
    time: str
    events: list[dict[str, Any]]
    name: str = ""


def fields(r: dict[str, Any]) -> Run:
    """Of a record; KeyError, TypeError or ValueError where it is not complete."""
    options, graph, machine, seconds, result = r["options"], r["graph"], r["machine"], r["seconds"], r["result"]
    place = f"{machine['cpu']}, {int(machine['cores'])} cores, {int(machine['memory']) / 2**30:.0f} GiB, " \
            f"{machine['kernel']}, {machine['compiler']}"
    return Run(app=str(r["app"]), graph=str(graph["source"]), checksum=str(graph["checksum"]),
               vertices=int(graph["vertices"]), edges=int(graph["edges"]),
               label=r.get("label") or str(options["scheduler"]), scheduler=str(options["scheduler"]),
               sync=str(options["sync"]), threads=int(options["threads"]),
               device="" if options["device"] == "cpu" else str(options["device_name"]),
               settings=dict(options["settings"]), chosen=options["chosen"], source=r["source"],
               trial=int(r["trial"]), seconds=float(seconds["run"]) + float(seconds["transfer"]),
               items=int(r["counts"]["items"]), work_seconds=float(r["work_seconds"]),
               delta=float(r["delta"]["first"] or 0), reached=int(result["reached"]) if "reached" in result else None,
               command=[str(w) for w in r["command"]], version=str(r["version"]), commit=str(r["commit"]),
               machine=place, time=str(r["time"]), events=list(r.get("trace") or []))


@dataclasses.dataclass
class Group:
    """An app on a graph: the rows of its table (the columns of the command's CSV), its runs, its traces by name, and the
    command's sentences about the table."""
    app: str
    graph: str
    title: str
    rows: list[dict[str, Any]]
    runs: list[Run]
    traces: dict[str, Trace]
    verdict: list[str]

    @property
    def names(self) -> list[str]:
        return [row["scheduler"] for row in self.rows]

    @property
    def shown(self) -> list[str]:
        """Without the many contenders of a sweep over delta, which have a figure of their own; all, if there are no others."""
        fixed: dict[str, list[str]] = {}
        for name in self.names:
            run = self.of(name)[0]
            if run.settings.get("delta"):
                fixed.setdefault(run.scheduler, []).append(name)
        swept = {name for names in fixed.values() if len(names) > 3 for name in names}
        return [name for name in self.names if name not in swept] or self.names

    def of(self, name: str) -> list[Run]:
        return [run for run in self.runs if run.name == name]

    def median(self, name: str) -> Run:
        """The run of that contender whose time is the median of its runs."""
        runs = sorted(self.of(name), key=lambda run: run.seconds)
        return runs[len(runs) // 2]


def _record(path: str, number: int, text: str) -> dict[str, Any]:
    try:
        record = json.loads(text)
    except ValueError as error:
        raise InputError(f"{path}:{number}: {error}, {EXPECTED}") from None
    if not isinstance(record, dict):
        raise InputError(f"{path}:{number}: found {text.strip()[:40]!r}, {EXPECTED}")
    if record.get("kind") not in ("run", "trace") or record.get("schema") != 1:
        raise InputError(f"{path}:{number}: found a record of kind {record.get('kind')!r}, schema "
                         f"{record.get('schema')!r}, expected 'run' or 'trace', schema 1")
    return record


def _add(path: str, number: int, text: str, runs: list[Run], traces: list[Trace]) -> None:
    record = _record(path, number, text)
    try:
        if record["kind"] == "run":
            runs.append(fields(record))
        else:
            traces.append(_trace.from_json(record))
    except KeyError as missing:
        raise InputError(f"{path}:{number}: the record has no {missing.args[0]!r}, {EXPECTED}") from None
    except (TypeError, ValueError, OverflowError) as wrong:
        raise InputError(f"{path}:{number}: the record is malformed ({wrong}), {EXPECTED}") from None


def _read(path: str, runs: list[Run], traces: list[Trace]) -> None:
    """A file of records, one a line, or a file that is one trace, which has many lines."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    if re.match(r'\{"schema":\d+,"kind":"trace"', text):
        _add(path, 1, text, runs, traces)
        return
    before = len(runs) + len(traces)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            _add(path, number, line, runs, traces)
    if len(runs) + len(traces) == before:
        raise InputError(f"{path}: no runs found, {EXPECTED}")


def _name(runs: list[Run]) -> None:
    """Sets the names of the rows of one table: a label, and what else tells apart rows of the same label, as the
    command does."""
    places = {place: at for at, place in enumerate(dict.fromkeys(run.machine for run in runs), 1)}
    by_label: dict[str, list[Run]] = {}
    for run in runs:
        by_label.setdefault(run.label, []).append(run)
    for same in by_label.values():
        threads, commits = len({r.threads for r in same}) > 1, len({r.commit for r in same}) > 1
        for run in same:
            run.name = run.label[:100] + (f" /{run.threads}" if threads else "") + \
                (f" {run.commit[:12]}" if commits else "") + (f" on {places[run.machine]}" if len(places) > 1 else "")


def _number(text: str) -> float | None:
    return float(text) if text else None


def _compared(paths: Sequence[str], *words: str) -> str:
    """What `ordo compare --from` prints about the runs in these files."""
    files = [path if path[:1] != "-" else "./" + path for path in paths]
    done = subprocess.run([_command.find(), "compare", "--from", *files, *words], capture_output=True, text=True,
                          errors="replace")
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"ordo compare ended with status {done.returncode}"]
        raise InputError(lines[-1].removeprefix("ordo: "))
    return done.stdout


def _tables(paths: Sequence[str], words: list[str]) -> list[dict[str, Any]]:
    """The rows of all tables."""
    plain = ("app", "graph", "scheduler", "sync", "baseline", "verified")
    return [{key: value if key in plain else _number(value) for key, value in row.items()}
            for row in csv.DictReader(_compared(paths, *words, "--csv", "-").splitlines())]


def _sentences(text: str) -> tuple[list[list[str]], str]:
    """Of the tables as text: of each the lines that say what is best; the means over graphs."""
    text, _, means = text.partition("\nSpeed-up over the baseline, geometric mean over graphs:\n")
    tables = re.split(r"^App: ", text, flags=re.M)[1:]
    return [re.findall(r"^(?:Best|Choice): .*", table, re.M) for table in tables], means


def _groups(rows: list[dict[str, Any]], verdicts: list[list[str]], runs: list[Run], traces: list[Trace]) -> list[Group]:
    found: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        found.setdefault((run.app, run.checksum), []).append(run)
    short = {run.graph: os.path.basename(run.graph) or run.graph for run in runs}
    groups: list[Group] = []
    for (app, checksum), own in found.items():
        _name(own)
        graph = own[0].graph
        title = short[graph] if list(short.values()).count(short[graph]) == 1 else graph
        mine: dict[str, Trace] = {}
        for trace in traces:
            about = trace.about
            if about["app"] == app and about["checksum"] in (None, checksum):
                label = about["label"] or about["scheduler"]
                for name in dict.fromkeys(r.name for r in own if r.label == label and len(trace.samples)):
                    mine.setdefault(name, trace)
        verdict = [re.sub(r":\s+", ": ", line, count=1) for line in verdicts[len(groups)]]
        groups.append(Group(app, graph, title, [r for r in rows if (r["app"], r["graph"]) == (app, graph)], own, mine, verdict))
    return groups


@dataclasses.dataclass
class Data:
    """What files hold: an element of `groups` for each app on each graph."""
    groups: list[Group]
    means: str  # over graphs, as the command prints them
    text: str   # all that the command prints about these runs

    @property
    def runs(self) -> list[Run]:
        return [run for group in self.groups for run in group.runs]

    @property
    def schedulers(self) -> list[str]:
        """In the order of the tables, each once: their places are their colours."""
        by_name = {(g.app, r.name): r.scheduler for g in self.groups for r in g.runs}
        return list(dict.fromkeys(by_name[g.app, name] for g in self.groups for name in g.names))


def read(paths: Sequence[str | os.PathLike[str]], baseline: str | None = None) -> Data:
    """Of files with runs and files with traces, in any order."""
    runs: list[Run] = []
    traces: list[Trace] = []
    with_runs = []
    for path in [os.fspath(path) for path in paths]:
        before = len(runs)
        _read(path, runs, traces)
        if len(runs) > before:
            with_runs.append(path)
    if not runs:
        raise InputError(f"{os.fspath(paths[0])}: no runs found, only traces; expected a file of ordo compare --save, too")
    words = ["--baseline", baseline] if baseline else []
    text = _compared(with_runs, *words)
    verdicts, means = _sentences(text)
    return Data(_groups(_tables(with_runs, words), verdicts, runs, traces), means, text)
