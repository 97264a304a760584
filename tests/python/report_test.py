#!/usr/bin/env python3
"""Comparisons from Python, traces, reports and plots: figures show the values of the tables and traces, malformed files are
refused by one line, and a browser without a window draws the page. usage: report_test.py (ORDO_COMMAND: the command)"""
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

import browser
import case
from case import np

import ordo
from ordo import _draw, _figures, _runs

ORDO = os.environ["ORDO_COMMAND"]
FIGURES = set(_figures.KINDS)
folder = tempfile.TemporaryDirectory()


def needs(module):
    return unittest.skipUnless(importlib.util.find_spec(module), f"{module} is missing")


def path(name):
    return os.path.join(folder.name, name)


def command(*words, **environment):
    done = subprocess.run([ORDO, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env={**os.environ, "ORDO_PYTHON": sys.executable, **environment})
    return done.returncode, done.stdout, done.stderr


def ceilings(machine):
    """A machine that streams 8e9 bytes and loads 1e9 cells a second, with two threads."""
    figure = {"best": 1e9, "median": 1e9, "worst": 1e9}
    return {"measured": [{"cpu": machine["cpu"], "cores": machine["cores"], "threads": 2,
                          "stream_bytes_per_second": {"best": 8e9, "median": 8e9, "worst": 8e9},
                          "random": [{"bytes": 1024, "loads_per_second": figure}]}]}


def fill(trace):
    """On a busy machine the sampling thread gets a core too seldom for figures of shares: samples are repeated."""
    if len(trace.samples) < 2 * _figures.FEW_SAMPLES:
        at = np.linspace(0, len(trace.samples) - 1, 2 * _figures.FEW_SAMPLES).astype(int)
        trace.samples, trace.states = trace.samples[at], trace.states[at]


def setUpModule():
    """Two files of runs: several sources with traces, and a sweep with two numbers of threads on one graph."""
    global several, swept
    os.environ["ORDO_CACHE"] = folder.name
    road, rmat = ordo.generate("road", vertices=20_000), ordo.generate("rmat", scale=9, weights=(1, 255))
    several = ordo.compare([road, rmat], schedulers=["bsp", "delta", "auto"], sources=5, repeat=2, threads=2, trace=1e-5)
    for trace in several.traces.values():
        fill(trace)
    several.save(path("several.jsonl"))
    with open(path("several.jsonl")) as file:
        machine = json.loads(file.readline())["machine"]
    with open(path("machine.json"), "w") as file:
        json.dump(ceilings(machine), file)
    swept = ordo.compare(road, schedulers="delta", sweep={"delta": [0, 2000, 20000]}, threads=[1, 2], repeat=5, source=0)
    swept.save(path("swept.jsonl"))


def tearDownModule():
    folder.cleanup()


def figure(comparison, kind, at=0):
    return _figures.figures(comparison._data, kind)[at][1]


class Comparing(unittest.TestCase):
    def test_table(self):
        rows = several.table
        self.assertEqual([r["scheduler"] for r in rows], ["bsp", "delta", "auto"] * 2)
        self.assertEqual({r["verified"] for r in rows}, {"true"})
        self.assertEqual(len(several.runs), 2 * 3 * 5 * 2)
        for group in several._data.groups:  # the command's medians are those of the runs
            for row in group.rows:
                times = {}
                for run in group.of(row["scheduler"]):
                    times.setdefault(run.source, []).append(run.seconds)
                self.assertAlmostEqual(row["seconds"], np.median([np.median(t) for t in times.values()]), 8)
        self.assertIn("Baseline:", str(several))
        self.assertIn("geometric mean", several.text)
        self.assertIn("<td>delta</td>", several._repr_html_())

    @needs("pandas")
    def test_pandas(self):
        frame = several.to_pandas()
        self.assertEqual(list(frame["scheduler"]), [r["scheduler"] for r in several.table])
        self.assertEqual(len(several.to_pandas("runs")), 60)

    def test_names(self):
        """Rows of the same label from other commits and machines have the command's names."""
        with open(path("several.jsonl")) as file:
            records = [json.loads(line) for line in file]
        for record in records:
            record.update(commit="0123456789abcdef", session="f" * 16)
            record["machine"]["cores"] += 1
        with open(path("other.jsonl"), "w") as file:
            file.writelines(json.dumps(r) + "\n" for r in records)
        both = ordo.Comparison.read(path("several.jsonl"), path("other.jsonl"), path("swept.jsonl"))
        for group in both._data.groups:
            self.assertEqual({run.name for run in group.runs}, set(group.names))
        self.assertIn("delta 0123456789ab on 2", both._data.groups[0].names)

    def test_refused(self):
        graph = ordo.generate("path", vertices=5)
        for error, pattern, call in ((ordo.UsageError, "'none' is unknown", lambda: ordo.compare(graph, schedulers="none")),
                                     (ordo.UsageError, "expected table or runs", lambda: several.to_pandas("x")),
                                     (ordo.UsageError, "no graph given", lambda: ordo.compare([])),
                                     (ordo.UsageError, "trace='x'", lambda: ordo.cc(graph, trace="x")),
                                     (ordo.UsageError, "sources", lambda: ordo.compare(graph, "cc", sources=2))):
            self.assertRaisesRegex(error, pattern, call)

    def test_tune(self):
        graph = ordo.generate("road", vertices=2000)
        tuned = ordo.tune(graph, scheduler="delta", seconds=0.5)
        self.assertEqual((tuned.scheduler, tuned.sync), ("delta", "atomic"))
        self.assertTrue(tuned.speedup == 1 or 1 < tuned.low <= tuned.speedup <= tuned.high)
        ordo.sssp(graph, 0, **tuned.options).verify()


class Traces(unittest.TestCase):
    def test_of_a_call(self):
        result = ordo.sssp(ordo.generate("road", vertices=3000), 0, scheduler="bsp", threads=2, trace=1e-5)
        samples = result.trace.samples
        self.assertEqual(samples["items"][-1], result.stats.items)
        self.assertTrue((np.diff(samples["seconds"]) >= 0).all() and (np.diff(samples["edges"].astype(int)) >= 0).all())
        self.assertEqual(result.trace.states.shape, (len(samples), 2))
        self.assertLess(result.trace.states.max(), len(ordo.Trace.STATES))
        self.assertGreater(len(result.trace.events), 2)
        self.assertIsNone(ordo.cc(ordo.generate("path", vertices=5)).trace)

    def test_of_a_comparison(self):
        trace = several.traces["sssp", several._data.groups[0].title, "bsp"]
        self.assertEqual((trace.about["label"], trace.threads), ("bsp", 2))
        row = several.table[0]
        self.assertAlmostEqual(trace.samples["items"][-1] / row["items"], 1, delta=0.5)


class Figures(unittest.TestCase):
    def test_values(self):
        rows = {row["scheduler"]: row for row in several._data.groups[0].rows}
        for series in figure(several, "speedup").panels[0].series:
            row = rows[series.name]
            self.assertEqual((series.x, series.low, series.high), ([row["speed_up"]], [row["speed_up_low"]], [row["speed_up_high"]]))
        lines = figure(several, "parallelism").panels[0].series
        self.assertEqual([s.name.split(",")[0] for s in lines], ["bsp", "delta", "auto"])
        self.assertGreater(max(lines[0].y), 2)
        widths = figure(several, "delta").panels[0].series
        self.assertEqual([s.name.split(",")[0] for s in widths], ["delta", "auto"])
        self.assertAlmostEqual(widths[0].y[0], several._data.groups[0].median("delta").delta, 3)
        for name in {"bsp", "delta", "auto"}:
            shares = [s.x[list(s.y).index(name)] for s in figure(several, "states").panels[0].series if name in s.y]
            self.assertTrue(not shares or abs(sum(shares) - 100) < 1e-6)
        boxes = figure(several, "sources").panels[0].series
        self.assertEqual([len(s.x) for s in boxes], [5, 5, 5])

    def test_work(self):
        line, *points = figure(several, "work").panels[0].series
        self.assertEqual(line.x, line.y)
        self.assertEqual({len(s.x) for s in points}, {2})  # graphs
        base, delta = several.table[:2]
        self.assertAlmostEqual(points[0].x[0], base["items"] / delta["items"])

    def test_sweep(self):
        times, work = figure(swept, "sweep").panels
        fixed, own = times.series[0], times.series[1]
        self.assertEqual(sorted(set(fixed.x)), [2000, 20000])
        self.assertEqual((own.symbol, len(own.x)), ("*", 2))  # with one thread and with two
        self.assertNotIn(own.x[0], (0, 2000, 20000))
        self.assertTrue(all(0.9 < v < 100 for s in work.series for v in s.y))

    def test_scaling(self):
        panel = figure(swept, "scaling").panels[0]
        self.assertEqual(panel.whole, [1, 2])
        measured, ideal = panel.series[:2]
        self.assertAlmostEqual(ideal.y[1], measured.y[0] / 2)

    def test_ceilings(self):
        again = ordo.Comparison.read(path("several.jsonl"))
        shares = figure(again, "ceilings").panels[0].series[0]
        row = again.table[0]
        self.assertAlmostEqual(shares.x[0] / (100 * row["edges_proposed"] / 1e9 / row["seconds"]), 1, 3)

    def test_absent(self):
        self.assertIn("--threads", figure(several, "scaling"))
        self.assertIn("--trace", figure(swept, "parallelism"))
        self.assertIn("--sweep", figure(several, "sweep"))

    def test_documented(self):
        page = (pathlib.Path(__file__).parents[2] / "docs" / "report.md").read_text()
        self.assertEqual(re.findall(r"^\| `(\w+)` \|", page.partition("## Figures")[2].partition("##")[0], re.M), list(_figures.KINDS))

    def test_thinned(self):
        y = np.zeros(100_000)
        y[[777, 50_000]] = -5, 9
        kept = _figures._thin(np.arange(100_000.0), y)[1]
        self.assertLessEqual(len(kept), _figures.MOST_POINTS + 2)
        self.assertEqual((kept.min(), kept.max()), (-5, 9))

    @needs("plotly")
    def test_plotly(self):
        """Plotly's own check of the names and values in every figure."""
        seen = set()
        for comparison, kinds in ((several, FIGURES), (swept, ("sweep", "scaling", "ceilings"))):
            for kind in kinds:
                drawn = comparison.figures(kind)
                seen |= {kind} if drawn else set()
                for one in drawn:
                    self.assertNotIn("@", one.to_json())
        self.assertEqual(seen, FIGURES)

    @needs("matplotlib")
    def test_matplotlib(self):
        for kind in ("speedup", "sources"):
            several.plot(kind, path(kind + ".svg"))
            drawn = xml.parse(path(kind + ".svg")).getroot()
            self.assertGreater(len(list(drawn.iter("{http://www.w3.org/2000/svg}path"))), 20)
            self.assertTrue(any("delta" in (e.text or "") for e in drawn.iter("{http://www.w3.org/2000/svg}text")), kind)
        swept.plot("sweep", path("sweep.pdf"))
        self.assertEqual(pathlib.Path(path("sweep.pdf")).read_bytes()[:5], b"%PDF-")
        self.assertRaisesRegex(ordo.UsageError, "is .svg, .pdf or .png", several.plot, "work", path("work.txt"))
        self.assertRaisesRegex(ordo.UsageError, "--threads", several.plot, "scaling", path("x.svg"))
        self.assertRaisesRegex(ordo.UsageError, "no figure 'x', expected one of speedup", several.plot, "x", path("x.svg"))


class Command(unittest.TestCase):
    def refused(self, status, pattern, *words, **environment):
        code, out, err = command(*words, **environment)
        self.assertEqual((code, out), (status, ""), err)
        self.assertRegex(err, r"\Aordo: [^\n]+\n\Z")
        self.assertRegex(err, pattern)

    def test_malformed(self):
        with open(path("several.jsonl")) as file:
            good = file.readline()
        record = json.loads(good)
        cases = {"{": r":2: .*expected a record of ordo compare",
                 "[1]": r":2: found '\[1\]', expected a record",
                 json.dumps({**record, "kind": "bench"}): r":2: found a record of kind 'bench', schema 1, expected 'run' or 'trace'",
                 json.dumps({**record, "schema": 9}): r":2: .* schema 9, expected .* schema 1",
                 json.dumps({k: v for k, v in record.items() if k != "counts"}): r":2: the record has no 'counts', expected",
                 json.dumps({**record, "seconds": {"run": "x", "transfer": 0}}): r":2: the record is malformed .*, expected",
                 json.dumps({"schema": 1, "kind": "trace", "samples": {}}): r":2: the record has no 'seconds', expected"}
        for number, (line, pattern) in enumerate(cases.items()):
            name = path(f"bad{number}.jsonl")
            pathlib.Path(name).write_text(good + line + "\n")
            with self.assertRaisesRegex(ordo.InputError, "bad" + str(number) + r"\.jsonl" + pattern):
                ordo.Comparison.read(name)
        self.refused(3, r"bad0\.jsonl:2: .*, expected", "report", path("bad0.jsonl"), "-o", path("never.html"))
        pathlib.Path(path("empty.jsonl")).write_text("\n")
        self.refused(3, r"empty.jsonl: no runs found, expected", "report", path("empty.jsonl"), "-o", path("never.html"))
        self.refused(3, "absent.jsonl: No such file", "plot", "work", path("absent.jsonl"), "-o", path("never.svg"))
        self.refused(3, r"several.jsonl:1: .* was read before", "report", path("several.jsonl"), path("several.jsonl"), "-o", path("never.html"))
        self.assertFalse(os.path.exists(path("never.html")) or os.path.exists(path("never.svg")))

    def test_use(self):
        self.refused(2, "report needs files with runs, and -o PAGE", "report", path("several.jsonl"))
        self.refused(2, "plot needs", "plot", "work", "-o", path("never.svg"))
        self.refused(2, "no figure 'x', expected one of speedup", "plot", "x", path("several.jsonl"), "-o", path("never.svg"))
        self.refused(3, "needs Python: no-python: ", "report", path("several.jsonl"), "-o", path("never.html"), ORDO_PYTHON="no-python")
        self.refused(3, "needs the Python package ordo in .*expected it by pip", "report", path("several.jsonl"), "-o",
                     path("never.html"), PYTHONPATH="/nowhere", PYTHONNOUSERSITE="1")
        for module in ("plotly", "matplotlib"):
            os.makedirs(path("without"), exist_ok=True)
            pathlib.Path(path("without"), module + ".py").write_text("raise ImportError('hidden')\n")
        without = {"PYTHONPATH": path("without") + ":" + os.environ["PYTHONPATH"]}
        self.refused(3, "needs plotly, which this Python lacks: pip", "report", path("several.jsonl"), "-o", path("never.html"), **without)
        self.refused(3, "needs matplotlib, which this Python lacks: pip", "plot", "work", path("several.jsonl"), "-o", path("never.svg"), **without)

    @needs("matplotlib")
    def test_plot(self):
        self.assertEqual(command("plot", "speedup", path("several.jsonl"), "-o", path("plot.png"), "--baseline", "delta"), (0, "", ""))
        self.assertEqual(pathlib.Path(path("plot.png")).read_bytes()[:4], b"\x89PNG")


MARKS = """Object.fromEntries([...document.querySelectorAll(".plot")].map(p => [p.id + " " + p.dataset.kind,
  [...p.querySelectorAll(".scatterlayer .js-line, .scatterlayer .point, .barlayer .point path, .boxlayer path.box")]
  .filter(e => { const b = e.getBoundingClientRect(); return b.width + b.height > 0; }).length]))"""


@needs("plotly")
@unittest.skipUnless(browser.find(), "no browser: none of " + ", ".join(browser.NAMES) + " is in PATH")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        group = several._data.groups[0]  # both files are of this graph, so one part of a page has all figures
        with open(path("several.jsonl")) as every, open(path("road.jsonl"), "w") as road:
            road.writelines(line for line in every if group.graph in line)
        for label, trace in group.traces.items():
            write_trace(path(f"trace-{label}.json"), trace)
        traces = [path(f"trace-{label}.json") for label in group.traces]
        cls.answer = command("report", path("road.jsonl"), path("swept.jsonl"), *traces, "-o", path("report.html"))
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def look(self, width, dark):
        self.browser.open(path("report.html"), width, dark=dark)
        marks = self.browser.evaluate(MARKS)
        self.assertEqual((self.browser.errors(), self.browser.requests()), ([], []))
        self.assertEqual({key.split()[1] for key in marks}, FIGURES)
        self.assertTrue(all(marks.values()), marks)
        wide = self.browser.evaluate("document.documentElement.scrollWidth")
        self.assertLessEqual(wide, width)
        self.assertEqual(self.browser.evaluate("document.querySelector('.cards').getBoundingClientRect().width"
                                               " > 1.5 * document.querySelector('figure').getBoundingClientRect().width"), width > 1000)
        return self.browser.evaluate("[getComputedStyle(document.body).backgroundColor, "
                                     "document.querySelector('.plot text').style.fill]")

    def test_page(self):
        self.assertEqual(self.answer, (0, "", ""))
        light, dark = self.look(1440, False), self.look(390, True)
        self.assertEqual(light[0], "rgb(245, 247, 249)")
        self.assertEqual(dark[0], "rgb(14, 19, 24)")
        self.assertNotEqual(light[1], dark[1])
        self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
        self.assertEqual(self.browser.evaluate("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r("
                                               "document.querySelector('.plot text').style.fill))))"), light[1])
        text = pathlib.Path(path("report.html")).read_text()
        commit = several.runs[0]["commit"]
        for expected in ("ordo compare sssp", f"commit {commit}", several.runs[0]["machine"].split(",")[0], "Best: "):
            self.assertIn(expected, text)

    def test_that_errors_are_seen(self):
        """A page whose script fails, and one that loads something."""
        pathlib.Path(path("broken.html")).write_text("<script src='http://127.0.0.1:9/x.js'></script><script>nothing()</script>")
        self.browser.open(path("broken.html"), 500)
        self.assertRegex(" ".join(self.browser.errors()), "nothing is not defined")
        self.assertEqual(self.browser.requests(), ["http://127.0.0.1:9/x.js"])


def write_trace(name, trace):
    """As the command writes it; several.traces has read those files, which are gone."""
    record = {"schema": 1, "kind": "trace", **trace.about, "threads": trace.threads, "period": trace.period,
              "sampler_seconds": trace.sampler_seconds, "incomplete": trace.incomplete,
              "samples": {n: trace.samples[n].tolist() for n in trace.samples.dtype.names},
              "workers": ["".join("-bsw|m"[s] for s in column) for column in trace.states.T],
              "events": [{"event": "delta" if e["width_changed"] else "step", **{n: e[n].item() for n in e.dtype.names[:-1]}}
                         for e in trace.events]}
    with open(name, "w") as file:
        json.dump(record, file, separators=(",", ":"))


if __name__ == "__main__":
    case.main()
