"""The figures of a report: each is a function from an app on a graph (or from all of them) to what is to be drawn, in
terms that Plotly and Matplotlib share (_draw.py). Where the data for a figure are missing, the function returns a
sentence that says what would bring them."""
from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._runs import Data, Group, Run
from ._trace import STATES

MOST_POINTS = 1500  # of a line over time; more are thinned
PIECES = 40         # of a run, whose means utilisation is drawn by
FEW_SAMPLES = 20    # with fewer the shares of what workers did say little
COLOURS = 8         # of a scheme; the next eight schedulers have them again, with other dashes
NEUTRAL = -1        # a colour: that of text


@dataclasses.dataclass
class Series:
    """mark: line, steps, points, bars (from the left, stacked), box. low, high: ends of intervals of y, or of x where y
    are names. colour: a number, NEUTRAL; dash: a number; text: for each point, shown at it or where it is pointed at."""
    name: str
    mark: str
    x: Any
    y: Any
    low: Sequence[Any] | None = None
    high: Sequence[Any] | None = None
    colour: int = 0
    dash: int = 0
    text: Sequence[str] | None = None
    symbol: str = "o"
    legend: bool = True


@dataclasses.dataclass
class Panel:
    """Axes. names: the y axis has these, the first on top. one: a line at x = 1. least: the y axis begins there.
    whole: ticks of the x axis."""
    x: str
    y: str
    series: list[Series]
    log_x: bool = False
    log_y: bool = False
    names: list[str] | None = None
    one: bool = False
    least: float | None = None
    whole: list[int] | None = None


@dataclasses.dataclass
class Figure:
    title: str
    note: str
    panels: list[Panel]


@dataclasses.dataclass
class Style:
    """Colours by scheduler; contenders of one scheduler differ by dashes."""
    schedulers: list[str]

    def of(self, group: Group, name: str) -> dict[str, Any]:
        by_name = {run.name: run.scheduler for run in group.runs}
        same = [n for n in group.names if by_name[n] == by_name[name]]
        colour = self.schedulers.index(by_name[name])
        return {"colour": colour, "dash": same.index(name) + colour // COLOURS}


def _wide(values: Sequence[float | None]) -> bool:
    """Whether they need a logarithmic axis."""
    known = [v for v in values if v and v > 0]
    return bool(known) and max(known) > 5 * min(known)


def _thin(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest value of each of MOST_POINTS / 2 pieces, where there are more points."""
    if len(x) <= MOST_POINTS:
        return x, y
    keep: set[int] = {0, len(x) - 1}
    for piece in np.array_split(np.arange(len(x)), MOST_POINTS // 2):
        keep |= {int(piece[np.argmin(y[piece])]), int(piece[np.argmax(y[piece])])}
    at = np.array(sorted(keep))
    return x[at], y[at]


def _over_time(group: Group, name: str, column: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Milliseconds and values of a contender: of its trace, by samples or by the scheduler's own events, whichever are
    more, else of the events of its median run."""
    trace = group.traces.get(name)
    if trace is not None:
        rows = trace.samples
        if column == "utilisation":
            values = rows["busy"] / max(trace.threads, 1)
            return (1e3 * rows["seconds"], values) if len(rows) >= FEW_SAMPLES else None
        if len(trace.events) > len(rows) or (column == "delta" and len(trace.events)):  # each change is an event
            rows = trace.events
        return 1e3 * rows["seconds"], rows[column].astype(float)
    events = group.median(name).events
    known = [e for e in events if e.get(column) is not None]
    if len(known) < 2:
        return None
    return np.array([1e3 * e["seconds"] for e in known]), np.array([float(e[column]) for e in known])


def _means(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each piece begins, with the mean of its values; and the end."""
    pieces = [piece for piece in np.array_split(np.arange(len(x)), PIECES) if len(piece)]
    means = [float(y[piece].mean()) for piece in pieces]
    return np.array([*(x[piece[0]] for piece in pieces), x[-1]]), np.array([*means, means[-1]])


NO_TRACE = "no traces, or too short ones: `ordo compare ... --save runs.jsonl --trace PREFIX` writes PREFIX-*.json, to be " \
    "given with the runs"


def _lines(group: Group, style: Style, column: str, mark: str, change: Callable[[np.ndarray], np.ndarray]) -> list[Series]:
    series = []
    ratio = {row["scheduler"]: row["speed_up"] for row in group.rows}
    for name in group.shown:
        found = _over_time(group, name, column)
        if found is None or (column == "delta" and not found[1].any()):
            continue
        x, y = _to_the_end(group, name, *found) if column == "delta" else found
        if x[0] == x[-1]:
            continue
        x, y = _thin(x, change(y))
        shown = name if ratio[name] is None else f"{name}, {ratio[name]:.2f}x"
        series.append(Series(shown, mark, x, y, **style.of(group, name)))
    return series


def speedup(group: Group, style: Style) -> Figure | str:
    """How many times as fast as the baseline."""
    rows = [row for row in group.rows if row["speed_up"] is not None and row["scheduler"] in group.shown]
    if len(group.rows) < 2:
        return "one contender: there is nothing to compare it with"
    values = [row["speed_up"] for row in rows]
    series = [Series(row["scheduler"], "points", [row["speed_up"]], [row["scheduler"]], [row["speed_up_low"]],
                     [row["speed_up_high"]], legend=False, **style.of(group, row["scheduler"]))
              for row in rows]
    note = f"Over the baseline, {group.rows[0]['baseline']}, in pairs of runs from the same source in the same round; " \
           "with intervals of 95 % where there are enough runs. To the right is faster."
    return Figure("Speed-up over the baseline", note,
                  [Panel("times as fast", "", series, log_x=_wide(values), names=group.shown, one=True)])


def parallelism(group: Group, style: Style) -> Figure | str:
    """Items in flight over time, as figures 5.12 to 5.16 of the thesis show edges."""
    series = _lines(group, style, "in_flight", "line", lambda y: np.maximum(y, 0.5))
    if not series:
        return NO_TRACE
    return Figure("Parallelism over time", "Items on the worklist, from the start of a run to its end; none is drawn as "
                  "0.5. The legend has the speed-up over the baseline.",
                  [Panel("time in ms", "items in flight", series, log_y=True)])


def _to_the_end(group: Group, name: str, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where a width is another than before, without what has none; the last width lasts until the end of the run."""
    trace = group.traces.get(name)
    end = 1e3 * (trace.samples["seconds"][-1] if trace is not None else group.median(name).seconds)
    x, y = x[y > 0], y[y > 0]
    change = np.append(True, y[1:] != y[:-1])
    return np.append(x[change], max(end, x[-1])), np.append(y[change], y[-1])


def delta(group: Group, style: Style) -> Figure | str:
    """Bucket width over time."""
    series = _lines(group, style, "delta", "steps", lambda y: y)
    if not series:
        return NO_TRACE + "; only schedulers with buckets have a Δ"
    values = [v for s in series for v in s.y]
    return Figure("Δ over time", "The width of buckets, in units of weight; a scheduler that adapts it moves up or down.",
                  [Panel("time in ms", "Δ", series, log_y=_wide(values))])


def utilisation(group: Group, style: Style) -> Figure | str:
    """The share of workers that are busy, over time."""
    series = _lines(group, style, "utilisation", "steps", lambda y: 100 * np.clip(y, 0, None))
    if not series:
        return NO_TRACE
    for one in series:
        one.x, one.y = _means(np.asarray(one.x), np.asarray(one.y))
    return Figure("Utilisation over time", "The share of workers that process items, steal or assign work when samples "
                  f"are taken; means of at most {PIECES} pieces of a run.", [Panel("time in ms", "busy workers in %", series, least=0)])


def states(group: Group, style: Style) -> Figure | str:
    """What workers did, as shares of their time."""
    names = [n for n in group.shown if n in group.traces and len(group.traces[n].samples) >= FEW_SAMPLES]
    if names:
        share = {name: np.bincount(group.traces[name].states[:-1].ravel(), minlength=len(STATES)) for name in names}
        share = {name: 100 * count / max(count.sum(), 1) for name, count in share.items()}
        order = [1, 2, 5, 3, 4, 0]
        series = [Series(STATES[s], "bars", [share[n][s] for n in names], names, colour=at)
                  for at, s in enumerate(order) if any(share[n][s] > 0 for n in names)]
        return Figure("What workers did", "Shares of the samples of all workers in a traced run; a traced run is not "
                      f"counted in the table. Traces of fewer than {FEW_SAMPLES} samples are left out.", [Panel("share of time in %", "", series, names=names)])
    names = [name for name in group.shown if any(run.work_seconds > 0 for run in group.of(name))]
    if not names:
        return NO_TRACE
    mean = [100 * float(np.mean([r.work_seconds / (r.threads * r.seconds) for r in group.of(n) if r.seconds > 0]))
            for n in names]
    return Figure("Mean utilisation", "The time that threads spent on items over all their time, a mean of the runs.",
                  [Panel("share of time in %", "", [Series("processing", "bars", mean, names, legend=False)],
                         names=names)])


def sweep(group: Group, style: Style) -> Figure | str:
    """Time and work against Δ, with the scheduler's own choice, as figure 5.8 of the thesis."""
    rows = {row["scheduler"]: row for row in group.rows}
    times, work = [], []
    for scheduler in style.schedulers:
        own = {n: group.median(n) for n in group.names if group.median(n).scheduler == scheduler}
        own = {n: run for n, run in own.items() if run.delta > 0}
        fixed = sorted((n for n, run in own.items() if run.settings.get("delta")), key=lambda n: own[n].delta)
        free = [n for n, run in own.items() if not run.settings.get("delta")]
        if len(fixed) < 2:
            continue
        colour: dict[str, Any] = {"colour": style.schedulers.index(scheduler)}
        for names, mark, name, symbol in ((fixed, "line", scheduler, "o"), (free, "points", f"{scheduler}, own choice", "*")):
            if not names:
                continue
            x = [own[n].delta for n in names]
            reached = [own[n].reached or own[n].vertices for n in names]
            times.append(Series(name, mark, x, [1e3 * rows[n]["seconds"] for n in names],
                                [_times(1e3, rows[n]["seconds_low"]) for n in names],
                                [_times(1e3, rows[n]["seconds_high"]) for n in names], text=names, symbol=symbol, **colour))
            work.append(Series(name, mark, x, [rows[n]["items"] / r for n, r in zip(names, reached)], text=names,
                               symbol=symbol, legend=False, **colour))
    if not times:
        return "no scheduler has runs with two values of delta: `ordo compare ... --sweep 'delta=0,64,512,4096'` makes them; 0 " \
               "is the scheduler's own choice"

    def spread(series: list[Series]) -> bool:
        return _wide([v for s in series for v in s.y])
    return Figure("Time and work against Δ", "Median times with intervals of 95 %, and items for each reached vertex (1 is "
                  "the least), for fixed widths of buckets. A star is the scheduler's own choice at its start.",
                  [Panel("Δ", "time in ms", times, log_x=True, log_y=spread(times)),
                   Panel("Δ", "items / reached", work, log_x=True, log_y=spread(work))])


def _times(scale: float, value: float | None) -> float | None:
    return None if value is None else scale * value


def scaling(group: Group, style: Style) -> Figure | str:
    """Time against the number of threads."""
    rows = {row["scheduler"]: row for row in group.rows}
    found: dict[tuple[str, str], dict[int, str]] = {}
    for name in group.names:
        run = group.median(name)
        if not run.device:
            same = re.sub(r" ?/\d+(?= |$)", "", name)
            found.setdefault((same, json.dumps(run.settings, sort_keys=True)), {}).setdefault(run.threads, name)
    series = []
    for (shown, _), names in found.items():
        if len(names) < 2:
            continue
        at = sorted(names)
        y = [1e3 * rows[names[t]]["seconds"] for t in at]
        look: dict[str, Any] = {"colour": style.of(group, names[at[0]])["colour"]}
        series.append(Series(shown, "line", at, y, [_times(1e3, rows[names[t]]["seconds_low"]) for t in at],
                             [_times(1e3, rows[names[t]]["seconds_high"]) for t in at], text=[names[t] for t in at], **look))
        series.append(Series("in proportion", "line", at, [y[0] * at[0] / t for t in at], dash=1, symbol="", legend=False,
                             **look))
    if not series:
        return "no scheduler has runs with two numbers of threads: `ordo compare ... --threads 1,2,4` makes them"
    return Figure("Strong scaling", "Median times with intervals of 95 %, on the same graph with more threads. Dashed: what "
                  "the time with the fewest threads would become if it fell in proportion.",
                  [Panel("threads", "time in ms", series, log_x=True, log_y=True,
                         whole=sorted({int(t) for s in series for t in s.x}))])


def ceilings(group: Group, style: Style) -> Figure | str:
    """The share of what the machine can do at most."""
    rows = [row for row in group.rows if row.get("of_ceiling") is not None and row["scheduler"] in group.shown]
    if not rows:
        return "no ceilings are known of the machine and the number of threads of these runs: `ordo bench machine` measures " \
               "them, on the machine where the report is made"
    series = [Series("of the ceiling", "bars", [100 * row["of_ceiling"] for row in rows], [r["scheduler"] for r in rows],
                     legend=False)]
    return Figure("Share of the machine's ceilings", "The least time in which the machine could stream the edges of the "
                  "run's candidates and load as many cells at random, over the run's time.",
                  [Panel("share in %", "", series, names=[row["scheduler"] for row in rows])])


def sources(group: Group, style: Style) -> Figure | str:
    """Times from each source; from one source the times of all rounds."""
    several = len({run.source for run in group.runs}) > 1
    series = []
    for name in group.shown:
        times: dict[Any, list[float]] = {}
        for run in group.of(name):
            times.setdefault(run.source if several else (run.time, run.trial, len(times)), []).append(1e3 * run.seconds)
        values = [float(np.median(v)) for v in times.values()]
        where = [f"source {s}" if several else "" for s in times]
        series.append(Series(name, "box", values, name and [name] * len(values), text=where, legend=False,
                             colour=style.of(group, name)["colour"]))
    values = [v for s in series for v in s.x]
    note = "A point is a source: the median of the runs from there." if several else "One source: a point is a run."
    return Figure("Distribution over sources" if several else "Distribution over rounds",
                  note + " The box holds the middle half, its line is the median.",
                  [Panel("time in ms", "", series, log_x=_wide(values), names=group.shown)])


def work(data: Data, style: Style) -> Figure | str:
    """Speed-up against saved work, over all graphs, as figure 5.11 of the thesis."""
    series: dict[str, Series] = {}
    for group in data.groups:
        base = next((row for row in group.rows if row["scheduler"] == row["baseline"]), None)
        for row in group.rows:
            if base is None or row is base or row["scheduler"] not in group.shown or not row["speed_up"] or not row["items"]:
                continue
            name = row["scheduler"]
            one = series.setdefault(name, Series(name, "points", [], [], [], [], text=[], **style.of(group, name)))
            for to, value in ((one.x, base["items"] / row["items"]), (one.y, row["speed_up"]), (one.low, row["speed_up_low"]),
                              (one.high, row["speed_up_high"]), (one.text, group.title)):
                to.append(value)  # type: ignore[union-attr]
    if not series:
        return "one contender: there is nothing to compare it with"
    values = [v for s in series.values() for axis in (s.x, s.y) for v in axis]
    ends = [min(0.8, *values) * 0.8, max(1.25, *values) * 1.25]
    line = Series("as much work saved as time", "line", ends, ends, colour=NEUTRAL, dash=1, symbol="")
    return Figure("Speed-up against work", "Work efficiency is the baseline's items over the "
                  "contender's. A point is a contender on a graph. On the line the speed-up is what the saved "
                  "work alone would bring; above it parallelism or cheaper work adds to it, below it they are lost.",
                  [Panel("work efficiency", "times as fast",
                         [line, *series.values()], log_x=True, log_y=True)])


# By the names of `ordo plot`. work is of all graphs at once, the others of one.
KINDS: dict[str, Callable[[Any, Style], Figure | str]] = {
    "speedup": speedup, "sources": sources, "states": states, "ceilings": ceilings, "parallelism": parallelism,
    "utilisation": utilisation, "delta": delta, "scaling": scaling, "sweep": sweep, "work": work}


def figures(data: Data, kind: str) -> list[tuple[Group | None, Figure | str]]:
    """A figure for each app on each graph, or one for all."""
    style = Style(data.schedulers)
    if kind == "work":
        return [(None, work(data, style))]
    return [(group, KINDS[kind](group, style)) for group in data.groups]
