"""How times fall with threads: tables of the rows that tools/bench writes, for tools/bench itself and for tools/results."""
import os

from results_parts.load import sentence
from results_parts.text import TIE, cell, number, thousands


def powers():
    """1, 2, 4, ... and the number of cores that this process may use."""
    cores = len(os.sched_getaffinity(0))
    return [*(1 << i for i in range((cores - 1).bit_length())), cores]


def column(row):
    """Of a scheduler its name; of a peer its name alone, since its setting may differ from row to row."""
    return f"`{row['setting']}`" if row["who"] == "ordo" else row["who"]


def threads(count):
    return f"{count} thread{'' if count == 1 else 's'}"


def one_table(rows):
    """A line for each number of threads, a column for each scheduler and peer that was in the rounds."""
    names = sorted(dict.fromkeys(column(row) for row in rows if row["times_ms"]), key=lambda name: name != "`auto`")
    at = {(row["threads"], column(row)): row for row in rows if row["times_ms"]}
    lines = ["| threads | " + " | ".join(names) + " |", "| --: |" + " --: |" * len(names)]
    for count in sorted({row["threads"] for row in rows}):
        best = min((at[key]["median_ms"] for key in at if key[0] == count), default=0)
        cells = []
        for name in names:
            row, alone = at.get((count, name)), at.get((1, name))
            if not row:
                cells.append("-")
                continue
            ms = {key: row[f"{key}_ms"] for key in ("median", "least", "most")}
            times = f" {alone['median_ms'] / row['median_ms']:.1f}×" if alone else ""
            cells.append(cell(ms, row["median_ms"] <= TIE * best, times))
        lines.append(f"| {count} | " + " | ".join(cells) + " |")
    return lines


def notes(rows):
    """What `auto` took, and who was in no round."""
    found = []
    taken = {}
    for row in rows:
        if row["setting"] == "auto" and row["chose"]:
            taken.setdefault(row["chose"].split(":")[0], []).append(row["threads"])
    for name, counts in taken.items():
        found.append(f"`auto` took `{name}`" + (f" with {', '.join(map(str, counts))} threads" if len(taken) > 1 else "") + ".")
    ran = {column(row) for row in rows if row["times_ms"]}
    slow = {}
    for row in rows:
        if row["first_pass_ms"] is not None and column(row) not in ran:
            slow.setdefault(column(row), row)
    if slow:
        found.append("Too slow for the rounds, with what the first pass took: " + ", ".join(
            f"{name} {number(row['first_pass_ms'])} ({threads(row['threads'])})" for name, row in slow.items()) + ".")
    return found


def tables(rows):
    """Markdown lines for all apps and graphs."""
    groups, lines = {}, []
    for row in rows:
        groups.setdefault((row["app"], row["graph"]), []).append(row)
    for (app, graph), group in groups.items():
        size = f"{thousands(group[0]['vertices'])} vertices, {thousands(group[0]['edges'])} stored edges"
        lines += [f"`{app}`, {graph} ({size}):", "", *one_table(group), ""]
        lines += [" ".join(notes(group)), ""] if notes(group) else []
    return lines


def memory(ceilings):
    """What the machine's memory allows random loads: no app of such loads gains more from threads."""
    found = [f"{number(c['value'])} with {threads(c['threads'])}" for c in ceilings if c["name"] == "random-loads-256MB"]
    return f" Million random loads a second from 256 MB: {', '.join(found)}." if found else ""


def condition(data):
    m = data["machine"]
    return (f"{m['cpu']}, {m['cores']} cores, {m['memory'] / 2**30:.0f} GiB, {m['compiler']}, {m['kernel']}. Ordo {data['version']}, commit "
            f"`{data['commit']}`, {data['date']}. {data['rounds']} rounds of {data['repeat']} runs, all numbers of threads in each round. "
            f"{sentence(data['others'])}{memory(data['ceilings'])}")


def part(files):
    """Lines of docs/results.md, of the files of several machines."""
    lines = ["## How times fall with threads", "",
             "Milliseconds of the whole call (`seconds.trial`): median (least to most), then how many times as fast that is as the same scheduler's one",
             "thread. **Bold**: within 1.3 of the best of its row. `tools/bench scaling sssp bfs` makes such tables on any machine",
             "([methods](methods.md#scaling)).", ""]
    if not files:
        lines += ["Not measured yet.", ""]
    most = 0
    for data in files:
        before, most = most, max(row["threads"] for row in data["rows"])
        lines += [f"### With up to {threads(most)}", ""] if most != before else []
        lines += [condition(data), "", *tables(data["rows"])]
    return lines
