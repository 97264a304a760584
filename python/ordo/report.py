"""Reports: figures of runs and traces as one page for a browser, and single figures as pictures (docs/report.md).

    ordo report runs.jsonl traces-*.json -o report.html
    ordo plot speedup runs.jsonl -o speedup.pdf

The command becomes this module (apps/cli/report.c); ordo.compare() has the same as methods. The page holds Plotly's
script and loads nothing from elsewhere.
"""
from __future__ import annotations

import argparse
import html
import json
import os
import pathlib
import shlex
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from . import _draw, _figures, _runs
from ._errors import Error, UsageError
from ._figures import KINDS, Figure
from ._runs import Data, Group

_TEMPLATE = pathlib.Path(__file__).parent / "_page.html"


def _e(value: Any) -> str:
    return html.escape(str(value))


# ---- the table ----

def _count(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def _between(row: dict[str, Any], name: str, scale: float, form: str) -> str:
    low, high = row[name + "_low"], row[name + "_high"]
    return "" if low is None else f"{scale * low:{form}} to {scale * high:{form}}"


def _cells(row: dict[str, Any], edges: int) -> list[str]:
    share, verified = row["of_ceiling"], {"true": "yes", "false": "WRONG"}.get(row["verified"], "")
    return [row["scheduler"], row["sync"], f"{1e3 * row['seconds']:.3f}", _between(row, "seconds", 1e3, ".3f"),
            "" if row["speed_up"] is None else f"{row['speed_up']:.2f}x", _between(row, "speed_up", 1, ".2f"),
            _count(row["items"]), f"{row['edges_proposed'] / edges:.2f}" if edges else "", _count(row["stale"]),
            _count(row["supersteps"]), f"{row['peak_worklist_bytes'] / 1e6:.1f}",
            "" if share is None else f"{100 * share:.1f} %", verified, _count(row["runs"])]


_HEADS = ("contender", "sync", "median ms", "95 %", "speed-up", "95 %", "items", "edges/m", "stale", "supersteps",
          "peak MB", "of ceiling", "verified", "runs")


def table(group: Group) -> str:
    """Without columns that are empty. The fastest row is marked; whether it differs from the next, the line below says."""
    rows = [_cells(row, group.runs[0].edges) for row in group.rows]
    kept = [i for i in range(len(_HEADS)) if any(row[i] for row in rows)]
    best = max((row["speed_up"] or 0, -at) for at, row in enumerate(group.rows))[1] if len(rows) > 1 else 1
    lines = ["<tr>" + "".join(f"<th>{_e(_HEADS[i])}</th>" for i in kept) + "</tr>"]
    for at, row in enumerate(rows):
        cells = "".join(f"<td{' class=wrong' if row[i] == 'WRONG' else ''}>{_e(row[i])}</td>" for i in kept)
        lines.append(f"<tr{' class=best' if at == -best else ''}>{cells}</tr>")
    return f'<div class="scroll"><table>{"".join(lines)}</table></div>'


# ---- the page ----

class _Page:
    def __init__(self, data: Data):
        self.data = data
        self.figures: dict[str, Any] = {}
        self.body: list[str] = []
        self.absent: dict[str, list[str]] = {}
        self.style = _figures.Style(data.schedulers)

    def add(self, *parts: str) -> None:
        self.body += parts

    def figure(self, kind: str, of: Any, where: str) -> None:
        drawn = KINDS[kind](of, self.style)
        if isinstance(drawn, str):
            self.absent.setdefault(f"{kind}: {drawn}", []).append(where)
            return
        name = f"figure-{len(self.figures) + 1}"
        self.figures[name] = _draw.plotly(drawn)
        self.add(f'<figure><h3>{_e(drawn.title)}</h3><div class="plot" id="{name}" data-kind="{kind}"></div>'
                 f"<figcaption>{_e(drawn.note)}</figcaption></figure>")

    def group(self, group: Group) -> None:
        run = group.runs[0]
        several = len({r.source for r in group.runs})
        where = f"{several} sources" if several > 1 else "" if run.source is None else f"source {run.source}"
        facts = [f"{run.vertices:,} vertices", f"{run.edges:,} edges", where, f"{len(group.runs)} runs"]
        self.add(f"<section><h2>{_e(group.app)} on {_e(group.title)}</h2>",
                 f'<p class="faint">{_e(", ".join(f for f in facts if f))}; baseline {_e(group.rows[0]["baseline"])}</p>',
                 '<div class="card">' + table(group), *(f'<p class="small">{_e(line)}</p>' for line in group.verdict),
                 "</div>", '<div class="cards">')
        for kind in KINDS:
            if kind != "work":
                self.figure(kind, group, f"{group.app} on {group.title}")
            elif len(self.data.groups) == 1:
                self.figure(kind, self.data, "all")
        self.add("</div></section>")

    def overview(self) -> None:
        means = f'<div class="card"><h3>Means over graphs</h3><pre class="wide">{_e(self.data.means)}</pre></div>' if self.data.means else ""
        self.add('<div class="cards">')
        self.figure("work", self.data, "all")
        self.add(means, "</div>")

    def measured(self) -> None:
        runs = self.data.runs
        self.add("<section><h2>How it was measured</h2>", '<div class="cards">')
        for title, lines in (("Commands", (_shell(run.command) for run in runs)),
                             ("Versions", (f"ordo {run.version}, commit {run.commit}" for run in runs)),
                             ("Machines", (", ".join(w for w in (run.machine, run.device, f"{run.threads} thread" + "s" * (run.threads > 1)) if w)
                                           for run in runs)),
                             ("Graphs", (f"{run.graph}: {run.vertices} vertices, {run.edges} edges, checksum {run.checksum}"
                                         for run in runs)),
                             ("Time", (f"{min(r.time for r in runs)} to {max(r.time for r in runs)}",))):
            self.add(f'<div class="card"><h3>{title}</h3><pre>{_e(chr(10).join(dict.fromkeys(lines)))}</pre></div>')
        if self.absent:
            everywhere = len(self.data.groups)
            self.add('<div class="card"><h3>Not in this report</h3><ul class="small">')
            for why, where in self.absent.items():
                kind, _, reason = why.partition(": ")
                of = "" if where == ["all"] or len(where) == everywhere else f" ({', '.join(where)})"
                self.add(f"<li><b>{_e(kind)}</b>{_e(of)}: {_e(reason)}</li>")
            self.add("</ul></div>")
        self.add("</div></section>")


def _shell(words: list[str]) -> str:
    return shlex.join([os.path.basename(words[0]), *words[1:]]) if words else ""


def _plotly_script() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise ImportError("a report needs plotly, which this Python lacks: pip install plotly, or ordo[report]") from None
    return str(get_plotlyjs())


def page(data: Data) -> str:
    """The page as text."""
    script = _plotly_script()
    apps = list(dict.fromkeys(group.app for group in data.groups))
    title = f"{', '.join(apps)}: schedulers compared"
    made = _Page(data)
    made.add(f"<h1>{_e(title)}</h1>",
             f'<p class="faint">{len(data.runs)} runs by Ordo, {_e(", ".join(dict.fromkeys(g.title for g in data.groups)))}</p>')
    if len(data.groups) > 1:
        made.overview()
    for group in data.groups:
        made.group(group)
    made.measured()
    words = {"title": _e(title), "body": "\n".join(made.body), "plotly": script,
             "figures": _inline(made.figures), "schemes": _inline({"light": _draw.LIGHT, "dark": _draw.DARK})}
    pieces = _TEMPLATE.read_text(encoding="utf-8").split("{{")
    return pieces[0] + "".join(words[name] + rest for name, _, rest in (piece.partition("}}") for piece in pieces[1:]))


def _inline(value: Any) -> str:
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


# ---- files ----

def _write(path: str, write: Any) -> None:
    """write(path of a temporary file beside it), which takes its place when it is whole."""
    if path == "-":
        with tempfile.TemporaryDirectory() as folder:
            write(os.path.join(folder, "out"))
            with open(os.path.join(folder, "out"), "rb") as file:
                sys.stdout.buffer.write(file.read())
        return
    folder, name = os.path.split(os.path.abspath(path))
    between = os.path.join(folder, f".{os.getpid()}.tmp.{name}")
    try:
        write(between)
        os.replace(between, path)
    finally:
        if os.path.exists(between):
            os.unlink(between)


def write_page(data: Data, path: str | os.PathLike[str]) -> None:
    text = page(data)
    _write(os.fspath(path), lambda to: pathlib.Path(to).write_text(text, encoding="utf-8"))


def write_plot(data: Data, kind: str, path: str | os.PathLike[str]) -> None:
    """A figure of that kind, with a column for each app on each graph."""
    if kind not in KINDS:
        raise UsageError(f"no figure {kind!r}, expected one of {', '.join(KINDS)}")
    found = _figures.figures(data, kind)
    parts = [(f"{group.app} on {group.title}" if group else drawn.title, drawn) for group, drawn in found
             if isinstance(drawn, Figure)]
    if not parts:
        raise UsageError(f"{kind}: {found[0][1]}")
    _write(os.fspath(path), lambda to: _draw.save(parts, to))


def plotly_figures(data: Data, kind: str) -> list[Any]:
    """Figures of that kind in light colours, one for each app and graph that has the data for it."""
    if kind not in KINDS:
        raise UsageError(f"no figure {kind!r}, expected one of {', '.join(KINDS)}")
    from plotly import graph_objects
    return [graph_objects.Figure(_draw.colour(_draw.plotly(drawn), _draw.LIGHT)) for _, drawn in _figures.figures(data, kind)
            if isinstance(drawn, Figure)]


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="ordo", allow_abbrev=False)
    parser.add_argument("verb", choices=("report", "plot"))
    parser.add_argument("--output", required=True)
    parser.add_argument("--baseline")
    parser.add_argument("words", nargs="+")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> None:
    """Of `ordo report` and `ordo plot`, whose words the command has checked; exit statuses are the command's."""
    given = _arguments(sys.argv[1:] if words is None else words)
    try:
        if given.verb == "report":
            write_page(_runs.read(given.words, given.baseline), given.output)
        else:
            if given.words[0] not in KINDS:
                raise UsageError(f"no figure {given.words[0]!r}, expected one of {', '.join(KINDS)}")
            write_plot(_runs.read(given.words[1:], given.baseline), given.words[0], given.output)
    except UsageError as error:
        sys.exit(_complain(error, 2))
    except (Error, OSError, ImportError) as error:
        sys.exit(_complain(error, 3))
    except KeyboardInterrupt:
        sys.exit(130)


def _complain(error: BaseException, status: int) -> int:
    text = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)
    print(f"ordo: {text}", file=sys.stderr)
    return status


if __name__ == "__main__":
    main()
