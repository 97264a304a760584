"""What tools/bench prints and writes of its rounds."""
import csv
import pathlib
import statistics
import sys

from results_parts import scaling
from results_parts.text import dump


def spread(times):
    return f"{statistics.median(times):9.2f} ({min(times):.2f} to {max(times):.2f})"


def table(match):
    info = match.record["graph"]
    print(f"\n{match.app}, {match.graph.name} ({info['vertices']} vertices, {info['edges']} stored edges), source {match.source}, "
          f"{match.threads} thread{'s' if match.threads > 1 else ''}, ms: median (least to most)")
    for c in sorted(match.all, key=lambda c: statistics.median(c.times) if c.times else c.first or 1e12):
        counts = "".join(f"  {k} {v}" for k, v in c.work.items())
        why = f"  chose {c.chosen}" if c.chosen else ""
        if c.times:
            print(f"  {c.name():24} {spread(c.times):36}{counts}{why}")
        elif c.first is not None:
            print(f"  {c.name():24} [{c.first:8.2f}]{'':26}{counts}{why}")
        else:
            print(f"  {c.name():24} -  {c.why_not}")


def rows(match):
    info = match.record["graph"]
    for c in match.all:
        yield {"app": match.app, "graph": match.graph.name, "vertices": info["vertices"], "edges": info["edges"],
               "source": match.source, "threads": match.threads, "who": c.who, "setting": c.label,
               "median_ms": statistics.median(c.times) if c.times else None, "least_ms": min(c.times, default=None),
               "most_ms": max(c.times, default=None), "first_pass_ms": c.first, "trials": len(c.times),
               "items": c.work.get("items"), "candidates": c.work.get("edges"), "supersteps": c.work.get("supersteps"),
               "chose": c.chosen, "why_not": c.why_not, "times_ms": c.times}


def summary(matches):
    """A table for a document: the best of ours and of theirs, and `auto` against both."""
    print("\n| app, graph | threads | best of Ordo | `auto` | best peer | best over peer | `auto` over best of Ordo |\n"
          "| --- | --: | --: | --: | --: | --: | --: |")
    for m in matches:
        named = m.best(lambda c: not c.peer and c.label != "auto")
        auto, peer = m.best(lambda c: c.label == "auto"), m.best(lambda c: c.peer)
        middle = {c: statistics.median(c.times) for c in (named, auto, peer) if c}
        best = min((c for c in (named, auto) if c), key=lambda c: middle[c], default=None)

        def cell(c):
            return f"{middle[c]:.1f} `{c.label}`" if c and not c.peer else f"{middle[c]:.1f} {c.name()}" if c else ""
        def ratio(a, b):
            return f"{middle[a] / middle[b]:.2f}" if a and b else ""
        print(f"| {m.app}, {m.graph.name} | {m.threads} | {cell(named)} | "
              f"{f'{middle[auto]:.1f} (' + auto.chosen.split(':')[0] + ')' if auto else ''} | {cell(peer)} | "
              f"{ratio(best, peer)} | {ratio(auto, named)} |")


def show(group, over_threads_alone):
    """The matches of one app and graph, a table for each number of threads, and one over all numbers."""
    if not over_threads_alone:
        for match in group:
            table(match)
    if over_threads_alone or len(group) > 1:
        print("\nms: median (least to most), and times as fast as one thread")
        print("\n".join(scaling.tables([row for match in group for row in rows(match)])).rstrip())
    sys.stdout.flush()


def write(args, lines, head):
    """Files that were asked for."""
    if args.json:
        part = pathlib.Path(f"{args.json}.part")
        part.write_text(dump({**head, "rows": lines}))
        part.rename(args.json)
    if args.csv:
        with open(args.csv, "w", newline="") as f:
            out = csv.DictWriter(f, [k for k in lines[0] if k != "times_ms"], extrasaction="ignore")
            out.writeheader()
            out.writerows(lines)
