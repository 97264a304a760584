"""Draws figures (_figures.py) by Plotly, as plain data, and by Matplotlib.

For Plotly, colours are the words @0 to @7, @ink, @grid and @faint: the page puts in those of a light or a dark scheme,
colour() those of one scheme. Sizes are left to the page, too, but for the height.
"""
from __future__ import annotations

import dataclasses
import inspect
import math
import re
from typing import Any

import numpy as np

from ._errors import UsageError
from ._figures import COLOURS, NEUTRAL, Figure, Panel, Series

# Eight that are told apart with any kind of colour vision [Okabe and Ito 2008], those of the light scheme darker.
LIGHT = {"0": "#0072b2", "1": "#c75000", "2": "#00825f", "3": "#b0568f", "4": "#b07a00", "5": "#3a9bd1", "6": "#6b5b95",
         "7": "#5f6b75", "ink": "#1f2933", "faint": "#5f6b75", "grid": "#e1e6eb", "paper": "#ffffff"}
DARK = {"0": "#56a8e8", "1": "#ff8c4b", "2": "#35c99b", "3": "#e596c6", "4": "#f0bb45", "5": "#9fd8ff", "6": "#b9a7ec",
        "7": "#a7b2bd", "ink": "#e6ebf0", "faint": "#a7b2bd", "grid": "#333d48", "paper": "#161c23"}
JAGGED = 50  # a line that jumps so often hides what is below it
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
_ROW, _PLOT, _EDGE = 34, 300, 56  # pixels: of a named row, of another panel, below a panel for its axis


def _word(number: int) -> str:
    return "@ink" if number == NEUTRAL else f"@{number % COLOURS}"


def colour(value: Any, scheme: dict[str, str]) -> Any:
    """The same data with the colours of a scheme."""
    if isinstance(value, dict):
        return {key: colour(v, scheme) for key, v in value.items()}
    if isinstance(value, list):
        return [colour(v, scheme) for v in value]
    found = re.fullmatch(r"@(\w+)", value) if isinstance(value, str) else None
    return scheme[found[1]] if found else value


def _plain(values: Any) -> list[Any]:
    """Numbers that JSON has; what is none becomes null, a gap."""
    return [None if isinstance(v, float) and not math.isfinite(v) else v if isinstance(v, (str, int)) or v is None else
            round(float(v), 9) if math.isfinite(v) else None for v in values]


def _intervals(series: Series, values: list[Any]) -> dict[str, Any] | None:
    if series.low is None or series.high is None or all(v is None for v in series.low):
        return None
    up = [None if high is None else high - v for high, v in zip(series.high, values)]
    down = [None if low is None else v - low for low, v in zip(series.low, values)]
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down, "thickness": 1.5, "width": 4,
            "color": _word(series.colour)}


def _jumps(values: Any) -> int:
    """How often a line goes up or down by more than a factor of e in one step."""
    steps = np.diff(np.log(np.maximum(np.asarray(values, float), 0.5)))
    return int(np.count_nonzero(np.abs(steps) > 1))


def _dense(series: Series) -> bool:
    return series.mark == "line" and _jumps(series.y) > JAGGED


def _trace(series: Series, named: bool, at: str) -> dict[str, Any]:
    """A series as Plotly's trace on the axes x`at` and y`at`."""
    look, x, y = _word(series.colour), _plain(series.x), _plain(series.y)
    trace: dict[str, Any] = {"x": x, "y": y, "name": series.name, "xaxis": "x" + at, "yaxis": "y" + at,
                             "showlegend": series.legend, "legendgroup": series.name}
    if series.text is not None:
        trace["text"] = list(series.text)
    if series.mark == "bars":
        return {**trace, "type": "bar", "orientation": "h", "marker": {"color": look}, "hovertemplate": "%{y}: %{x:.1f}"}
    if series.mark == "box":
        return {**trace, "type": "box", "orientation": "h", "boxpoints": "all", "jitter": 0.5, "pointpos": 0,
                "fillcolor": "rgba(0,0,0,0)", "line": {"color": look, "width": 1.5},
                "marker": {"color": look, "size": 4, "opacity": 0.55}}
    trace["type"] = "scatter"
    dense = _dense(series)
    trace |= {"opacity": 0.55} if dense else {}
    trace["line"] = {"color": look, "width": 1 if dense else 1.75, "dash": _DASHES[series.dash % len(_DASHES)]}
    if series.mark == "steps":
        trace["line"]["shape"] = "hv"
    dots = series.mark == "points" or (series.text is not None and series.symbol)
    trace["mode"] = "markers" if series.mark == "points" else "lines+markers" if dots else "lines"
    trace["marker"] = {"color": look, "size": 15 if series.symbol == "*" else 8 if series.mark == "points" else 6,
                       "symbol": "star" if series.symbol == "*" else _SYMBOLS[series.dash % len(_SYMBOLS)]}
    if series.symbol == "*":
        trace["marker"]["line"] = {"color": "@ink", "width": 1}
    if series.colour == NEUTRAL:
        trace["hoverinfo"] = "skip"
    if named:
        trace["error_x"] = _intervals(series, x)
    else:
        trace["error_y"] = _intervals(series, y)
    return {key: value for key, value in trace.items() if value is not None}


def _axis(title: str) -> dict[str, Any]:
    return {"title": {"text": title, "standoff": 8}, "automargin": True, "gridcolor": "@grid", "linecolor": "@faint",
            "zeroline": False, "ticks": "outside", "tickcolor": "@grid", "exponentformat": "SI"}


def _ticks(panel: Panel, of: str) -> tuple[list[float], list[str]]:
    """Of a logarithmic axis, "x" or "y", with whole labels: at decades, or closer where there are few."""
    values = [v for s in panel.series for v in (*getattr(s, of), *(s.low or ()), *(s.high or ()))] if of == "y" or panel.names \
        else [v for s in panel.series for v in s.x]
    known = [float(v) for v in values if v is not None and not isinstance(v, str) and v > 0 and math.isfinite(v)]
    low, high = (min(known), max(known)) if known else (1.0, 10.0)
    decades = math.log10(high / low)
    if of == "x" and panel.whole:
        return [float(t) for t in panel.whole], [str(t) for t in panel.whole]
    steps = (1,) if decades > 3 else (1, 2, 5) if decades > 0.9 else (1, 1.5, 2, 3, 4, 5, 7)
    first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
    ticks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    return ticks, [_short(t) for t in ticks]


def _short(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def _height(panel: Panel) -> int:
    return max(_ROW * len(panel.names) + 30, 90) if panel.names is not None else _PLOT


def plotly(figure: Figure) -> dict[str, Any]:
    """data and layout of Plotly's figure, with words for colours."""
    heights = [_height(panel) for panel in figure.panels]
    total = sum(heights) + _EDGE * (len(heights) - 1)
    layout: dict[str, Any] = {
        "barmode": "stack", "hovermode": "closest", "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": "@ink", "size": 12, "family": "system-ui, sans-serif"}, "margin": {"l": 8, "r": 12, "t": 8, "b": 8},
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"}, "shapes": [],
        "height": total + 100, "hoverlabel": {"namelength": -1},
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "@faint", "activecolor": "@ink"}}
    data, top = [], 1.0
    for number, (panel, height) in enumerate(zip(figure.panels, heights), 1):
        at = "" if number == 1 else str(number)
        x, y = _axis(panel.x), _axis(panel.y)
        for axis, log, of in ((x, panel.log_x, "x"), (y, panel.log_y, "y")):
            if log:
                ticks, labels = _ticks(panel, of)
                axis |= {"type": "log", "tickmode": "array", "tickvals": ticks, "ticktext": labels}
        x["anchor"], y["anchor"] = "y" + at, "x" + at
        y["domain"] = [max(top - height / total, 0), top]
        top -= (height + _EDGE) / total
        if panel.names is not None:
            y |= {"type": "category", "categoryorder": "array", "categoryarray": panel.names[::-1], "ticks": "",
                  "range": [-0.6, len(panel.names) - 0.4]}
        if panel.least is not None:
            y["rangemode"] = "tozero"
        if panel.one:
            layout["shapes"].append({"type": "line", "xref": "x" + at, "yref": "y" + at + " domain", "x0": 1, "x1": 1, "y0": 0,
                                     "y1": 1, "line": {"color": "@faint", "width": 1, "dash": "dot"}})
        layout["xaxis" + at], layout["yaxis" + at] = x, y
        data += [_trace(series, panel.names is not None, at) for series in panel.series]
    layout["showlegend"] = any(s.legend for p in figure.panels for s in p.series)
    if not layout["showlegend"]:
        layout["height"] = total + 60
    return {"data": data, "layout": layout}


# ---- Matplotlib ----

def _ends(series: Series, values: list[float]) -> list[list[float]] | None:
    if series.low is None or series.high is None or any(v is None for v in (*series.low, *series.high)):
        return None
    return [[v - low for v, low in zip(values, series.low)], [high - v for v, high in zip(values, series.high)]]


def _draw_series(axes: Any, series: Series, panel: Panel, left: dict[str, float]) -> None:
    look = LIGHT["ink" if series.colour == NEUTRAL else str(series.colour % COLOURS)]
    label = series.name if series.legend else None
    style = ("-", "--", ":", "-.", (0, (8, 2)), (0, (8, 2, 1, 2)))[series.dash % 6]
    if series.mark == "bars":
        axes.barh(series.y, series.x, left=[left.get(name, 0) for name in series.y], color=look, label=label)
        for name, value in zip(series.y, series.x):
            left[name] = left.get(name, 0) + value
    elif series.mark == "box":
        at = panel.names.index(series.name) if panel.names else 0
        new = "orientation" in inspect.signature(axes.boxplot).parameters  # Matplotlib 3.10
        axes.boxplot([list(series.x)], positions=[at], widths=0.5, manage_ticks=False,
                     medianprops={"color": look}, boxprops={"color": look}, flierprops={"marker": "."},
                     **({"orientation": "horizontal"} if new else {"vert": False}))
    elif series.mark == "steps":
        axes.step(series.x, series.y, where="post", color=look, ls=style, lw=1, label=label)
    else:
        x, y = list(series.x), list(series.y)
        marker: str | None = "os^DPX"[series.dash % 6] if series.symbol == "o" else series.symbol
        marker = marker if series.mark == "points" or series.text is not None else None
        bars = {"xerr": _ends(series, x)} if panel.names is not None else {"yerr": _ends(series, y)}
        axes.errorbar(x, y, **bars, color=look, alpha=0.55 if _dense(series) else 1, lw=1, marker=marker or None,
                      ls="none" if series.mark == "points" else style, ms=10 if series.symbol == "*" else 4, capsize=2, label=label, zorder=3 if series.symbol == "*" else 2)


def matplotlib_figure(parts: list[tuple[str, Figure]]) -> Any:
    """A figure of Matplotlib: a column for each part, whose name is its title, and a row for each of its panels."""
    from matplotlib.figure import Figure as Canvas
    rows = max(len(figure.panels) for _, figure in parts)
    heights = [max((_height(figure.panels[r]) for _, figure in parts if r < len(figure.panels)), default=90)
               for r in range(rows)]
    canvas = Canvas(figsize=(5.2 * len(parts), sum(heights) / 95 + 0.5 * rows), layout="constrained")
    grid = canvas.subplots(rows, len(parts), squeeze=False, gridspec_kw={"height_ratios": heights})
    for column, (name, figure) in enumerate(parts):
        for row in range(rows):
            axes = grid[row][column]
            if row >= len(figure.panels):
                axes.axis("off")
                continue
            panel = figure.panels[row]
            left: dict[str, float] = {}
            axes.set(xlabel=panel.x, ylabel=panel.y, xscale="log" if panel.log_x else "linear",
                     yscale="log" if panel.log_y else "linear")
            if panel.names is not None:
                axes.set_yticks(range(len(panel.names)), panel.names)
                axes.set_ylim(len(panel.names) - 0.4, -0.6)
            numbered = [_numbered(series, panel) for series in panel.series]
            for series in numbered:
                _draw_series(axes, series, panel, left)
            for log, of, axis in ((panel.log_x, "x", axes.xaxis), (panel.log_y, "y", axes.yaxis)):
                if log:
                    limits = axis.get_view_interval()
                    axis.set_ticks(*_within(_ticks(panel, of), limits))
                    axis.set_ticks([], minor=True)
            if panel.one:
                axes.axvline(1, color=LIGHT["faint"], ls=":", lw=1)
            if panel.least is not None:
                axes.set_ylim(bottom=panel.least)
            axes.grid(color=LIGHT["grid"], lw=0.6)
            axes.set_axisbelow(True)
            if row == 0:
                axes.set_title(name, fontsize=10)
            if any(s.legend for s in panel.series):
                axes.legend(fontsize=7, frameon=False, loc="lower left", bbox_to_anchor=(0, 1.0 if row else 1.08), ncols=3)
    return canvas


def _within(ticks: tuple[list[float], list[str]], limits: Any) -> tuple[list[float], list[str]]:
    kept = [(t, label) for t, label in zip(*ticks) if limits[0] <= t <= limits[1]]
    return [t for t, _ in kept], [label for _, label in kept]


def _numbered(series: Series, panel: Panel) -> Series:
    """With the places of names on the y axis instead of them."""
    if panel.names is None:
        return series
    return dataclasses.replace(series, y=[panel.names.index(name) for name in series.y])


def save(parts: list[tuple[str, Figure]], path: str) -> None:
    """Draws by Matplotlib; the suffix of the path is the format."""
    try:
        import matplotlib
    except ImportError:
        raise ImportError("drawing a figure needs matplotlib, which this Python lacks: pip install matplotlib") from None
    suffix = path.rsplit(".", 1)[-1].lower() if "." in path else ""
    if suffix not in ("svg", "pdf", "png"):
        raise UsageError(f"{path}: a figure is .svg, .pdf or .png")
    with matplotlib.rc_context({"svg.fonttype": "none", "pdf.fonttype": 42, "font.size": 9}):
        matplotlib_figure(parts).savefig(path, dpi=150)
