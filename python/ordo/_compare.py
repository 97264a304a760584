"""ordo.compare() and ordo.tune(): the command's `compare` and `tune`, with graphs and results of Python.

Both run the command, so that rounds, verification and statistics exist once; a graph that is in memory is written to a
temporary file, which costs its size on the disk.
"""
from __future__ import annotations

import contextlib
import dataclasses
import glob
import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import _runs
from ._command import call, words as words_of
from ._errors import InternalError, UsageError
from ._graph import Graph
from ._operator import Operator
from ._trace import Trace

Source = Graph | str | os.PathLike[str]
@contextlib.contextmanager
def _files(graphs: Source | Sequence[Source]) -> Iterator[tuple[str, list[str]]]:
    """A temporary folder, and files of these graphs, which are there or in it."""
    several = [graphs] if isinstance(graphs, (Graph, str, os.PathLike)) else list(graphs)
    if not several:
        raise UsageError("no graph given")
    with tempfile.TemporaryDirectory(prefix="ordo-") as folder:
        paths: list[str] = []
        for graph in several:
            if isinstance(graph, Graph):
                name = re.sub(r"[^\w.]+", "-", os.path.basename(graph.info()["source"] or "")).strip("-.")[:60] or "graph"
                path = os.path.join(folder, name + ".ordo")
                if path in paths:
                    path = os.path.join(folder, f"{name}-{len(paths) + 1}.ordo")
                graph.write(path)
            else:
                path = os.fspath(graph)
            paths.append(path)
        yield folder, paths


@dataclasses.dataclass
class Comparison:
    """Contenders compared. table: the rows of the tables, as dicts with the columns of `ordo compare --csv`: times in
    seconds and speed-ups, each with the ends of its interval of 95 % or None. text: what the command prints. runs: what
    was measured, a dict for each run. traces: by app, graph and contender. As text it is what the command prints."""

    text: str
    _data: _runs.Data
    _records: str  # of the runs, as JSON Lines

    @classmethod
    def read(cls, *paths: str | os.PathLike[str], baseline: str | None = None) -> Comparison:
        """Of files that `ordo compare --save` has written, and of traces (--trace)."""
        data = _runs.read(paths, baseline)
        records = []
        for path in paths:
            with open(path, encoding="utf-8", errors="replace") as file:
                records += [line for line in file if re.search(r'"kind": ?"run"', line)]
        return cls(data.text, data, "".join(line if line[-1] == "\n" else line + "\n" for line in records))

    @property
    def table(self) -> list[dict[str, Any]]:
        return [dict(row) for group in self._data.groups for row in group.rows]

    @property
    def runs(self) -> list[dict[str, Any]]:
        return [{k: v for k, v in dataclasses.asdict(run).items() if k not in ("events", "command")} for run in self._data.runs]

    @property
    def traces(self) -> dict[tuple[str, str, str], Trace]:
        return {(g.app, g.title, name): trace for g in self._data.groups for name, trace in g.traces.items()}

    def to_pandas(self, of: str = "table") -> Any:
        """A pandas.DataFrame of the `table`, or of all `runs`."""
        if of not in ("table", "runs"):
            raise UsageError(f"of={of!r}, expected table or runs")
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas() needs pandas, which this Python lacks: pip install pandas") from None
        return pandas.DataFrame(getattr(self, of))

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page with the tables and all figures, for a browser; needs plotly."""
        from . import report
        report.write_page(self._data, path)

    def plot(self, kind: str, path: str | os.PathLike[str]) -> None:
        """Writes a figure as .svg, .pdf or .png; needs matplotlib. kind: as of `ordo plot`: speedup, work, ..."""
        from . import report
        report.write_plot(self._data, kind, path)

    def figures(self, kind: str) -> list[Any]:
        """Figures of that kind as plotly.graph_objects.Figure, one for each app and graph that has the data."""
        from . import report
        return report.plotly_figures(self._data, kind)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Adds the records of the runs to a file, for `ordo compare --from` and `ordo report`."""
        with open(path, "a", encoding="utf-8") as file:
            file.write(self._records)

    def _repr_html_(self) -> str:
        from . import report
        return "".join(f"<h4>{group.app} on {group.title}</h4>{report.table(group)}" for group in self._data.groups)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        groups = self._data.groups
        return f"<ordo.Comparison: {', '.join(f'{g.app} on {g.title}' for g in groups)}; {len(self._data.runs)} runs>"


def _of(app: str | Operator, words: list[str]) -> str:
    """A call of the command: its verb, the app, which may be an operator's string, and other words."""
    if isinstance(app, Operator):
        return app.call([words[0], app.path, *words[1:]])
    return call([words[0], app, *words[1:]])


def compare(graph: Source | Sequence[Source], app: str | Operator = "sssp", schedulers: str | Sequence[str] = "all", *,
            baseline: str | None = None, sync: str | Sequence[str] | None = None,
            sweep: Mapping[str, Any] | None = None, threads: int | Sequence[int] | None = None,
            device: str | Sequence[str] | None = None, items: str | Sequence[str] | None = None,
            source: int | None = None, sources: int | None = None, repeat: int = 5, warmup: int | None = None,
            adaptive: float | None = None, timeout: float | None = None, seed: int | None = None, verify: bool = True,
            settings: Mapping[str, Any] | None = None, state: Mapping[str, Any] | None = None,
            trace: bool | float = False, options: Sequence[str] = ()) -> Comparison:
    """Runs an app under several schedulers on graphs, in rounds of random order, and verifies every answer
    (docs/comparing.md).

    graph: a Graph, a path, or several of them. schedulers: "all", or names with a sync and tunables of their own, such as
    "adds:delta=4096". sweep: a contender for each value, {"delta": [0, 64, 4096]} or {"delta": "1..2^20"}. threads, sync,
    device, items: a contender for each. app: may be an operator (ordo.operator()), of which state sets numbers. sources: how many random ones. trace: True, or seconds between samples: each
    contender runs once more and is traced. options: further words of the command, such as ("--symmetrise",).
    """
    words = words_of(schedulers=schedulers, baseline=baseline, sync=sync, sweep=sweep, threads=threads, device=device,
                   items=items, source=source, sources=sources, repeat=repeat, warmup=warmup, adaptive=adaptive,
                   timeout=timeout, seed=seed, no_verify=not verify, set=settings, set_state=state)
    with _files(graph) as (folder, paths):
        save = os.path.join(folder, "runs.jsonl")
        for number, path in enumerate(paths):
            traced = words_of(trace=os.path.join(folder, f"trace-{number}"),
                            trace_period=None if trace is True else trace) if trace else []
            _of(app, ["compare", path, "--quiet", *words, *options, "--save", save, *traced])
        return Comparison.read(save, *sorted(glob.glob(os.path.join(glob.escape(folder), "trace-*.json"))), baseline=baseline)


@dataclasses.dataclass
class Tuned:
    """What ordo.tune() found: settings that are faster than the scheduler's own choice, or none. speedup: over that choice,
    from sources that the search did not use, with the ends `low` and `high` of its interval; 1 where nothing was faster.
    text: what the command prints."""

    scheduler: str
    sync: str
    settings: dict[str, str]
    speedup: float
    low: float | None
    high: float | None
    text: str

    @property
    def options(self) -> dict[str, Any]:
        """Keywords for the functions of apps: ordo.sssp(graph, 0, **tuned.options)."""
        return {"scheduler": self.scheduler, "sync": self.sync, "settings": self.settings}


def tune(graph: Source, app: str | Operator = "sssp", scheduler: str | None = None, *, seconds: float = 30, sync: str | None = None,
         threads: int | None = None, device: str | None = None, items: str | None = None, source: int | None = None,
         timeout: float | None = None, seed: int | None = None, settings: Mapping[str, Any] | None = None,
         state: Mapping[str, Any] | None = None, options: Sequence[str] = ()) -> Tuned:
    """Searches for settings of a scheduler (without a name: of the one that auto takes) that are faster than its own choice
    on this graph, for so many seconds (docs/comparing.md)."""
    words = words_of(scheduler=scheduler, sync=sync, threads=threads, device=device, items=items, source=source,
                   timeout=timeout, seed=seed, set=settings, set_state=state)
    words += ["--for", f"{seconds:g}", *options]
    with _files(graph) as (_, paths):
        text = _of(app, ["tune", paths[0], *words])
    flags = re.search(r"^Flags: +(.*)$", text, re.M)
    if not flags:
        raise InternalError("ordo tune printed no flags")
    found = shlex.split(flags[1])
    pairs = list(zip(found[::2], found[1::2]))
    named = dict(pairs)
    won = re.search(r"^Tuned: +(\S+) \((\S+) to (\S+)\) times", text, re.M)
    own = dict(value.partition("=")[::2] for option, value in pairs if option == "--set")
    faster = won is not None and float(won[2]) > 1
    ratio = [float(value) for value in won.groups()] if won and faster else [1.0, None, None]
    return Tuned(named["--scheduler"], named["--sync"], own, ratio[0] or 1.0, ratio[1], ratio[2], text)
