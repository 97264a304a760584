#!/usr/bin/env python3
"""No file includes, and no object calls, what is in a layer above it; and no file includes itself by way of others.
usage: layers_test.py SOURCE_ROOT [LIBORDO_OBJECTS]

Layers, the lowest first, and what each may use (docs/architecture.md):
  framework     itself; it names no scheduler and no operator (generated tables do)
  operators     ordo/operator/ and ordo/types.h
  schedulers    its own folder and the framework's headers
  apps          operators, the framework's headers, other apps' helpers; no scheduler
The framework's headers have an order as well: ordo/*.h (callers), ordo/operator/ and ordo/scheduler/ (authors), and
ordo/detail/, which is included by those and by no file above them.
"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1]).resolve()
include = root / "framework" / "include"
failures = []
SUFFIXES = (".h", ".c", ".cuh", ".cu", ".in")


def layer(path):
    return path.relative_to(root).parts[0]


def resolve(name, of):
    """The file that an include names, or None: a system's, or a generated one."""
    for base in (of.parent, include, root):
        if (base / name).is_file():
            return (base / name).resolve()
    return None


def includes(path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    return re.findall(r'^\s*#\s*include\s+[<"]([^">]+)[">]', text, re.M)


sources = [p for folder in ("framework", "schedulers", "operators", "apps") for p in sorted((root / folder).rglob("*"))
           if p.suffix in SUFFIXES]
assert len(sources) > 100
graph = {}
for path in sources:
    graph[path] = [found for found in (resolve(name, path) for name in includes(path)) if found]


def where(path):
    """Of a framework's header: its part of ordo/; else None."""
    if not path.is_relative_to(include / "ordo"):
        return None
    parts = path.relative_to(include / "ordo").parts
    return parts[0] if len(parts) > 1 else "callers"


MAY = {  # of a part of the headers: the parts that it may include
    "callers": {"callers"},
    "operator": {"callers", "operator"},
    "scheduler": {"callers", "operator", "scheduler", "detail"},
    "detail": {"callers", "operator", "scheduler", "detail"},
}
DETAIL = {  # who includes ordo/detail/ from above the headers, and what: back ends, programs of an app for a GPU, operators that the command compiles
    "framework": r".*", "schedulers": r"ordo/detail/cuda/\w+\.cuh", "apps": r"ordo/detail/(cuda/\w+\.cuh|backend\.h|program\.h|run_time\.h)"}
for path, found in graph.items():
    mine, part = layer(path), where(path)
    for other in found:
        theirs = layer(other)
        short = f"{path.relative_to(root)} includes {other.relative_to(root)}"
        if part:
            if theirs != "framework" or where(other) not in MAY[part]:
                failures.append(f"{short}: of another part of the headers")
        elif where(other) == "detail" and not path.suffix == ".in" and not re.fullmatch(DETAIL.get(mine, "-"), str(other.relative_to(include))):
            failures.append(f"{short}: a detail of the framework")
        elif mine == "framework" and theirs != "framework":
            failures.append(f"{short}: a layer above")
        elif mine == "operators" and (theirs != "operators" and where(other) not in ("operator", "callers")):
            failures.append(f"{short}: operators know operator headers alone")
        elif mine == "schedulers" and not (where(other) or other.parent == path.parent or path.parent in other.parents
                                           or other.parent in path.parents and layer(other) == "schedulers" and len(other.relative_to(root).parts) > 2):
            failures.append(f"{short}: not the scheduler's own, nor a header of the framework's")
        elif mine == "apps" and theirs == "schedulers":
            failures.append(f"{short}: an app knows no scheduler")

# circles
state, stack = {}, []


def visit(path):
    state[path] = 1
    stack.append(path)
    for other in graph.get(path, []):
        if state.get(other) == 1:
            circle = stack[stack.index(other):] + [other]
            failures.append("a circle: " + " -> ".join(str(p.relative_to(root)) for p in circle))
        elif other not in state:
            visit(other)
    stack.pop()
    state[path] = 2


for path in graph:
    if path not in state:
        visit(path)

# calls: a symbol that an object of a lower layer lacks, and one of a higher layer has
if len(sys.argv) > 2:
    order = {"framework": 0, "operators": 1, "schedulers": 1, "apps": 2}
    has, lacks = {}, {}
    for obj in sorted(pathlib.Path(sys.argv[2]).glob("*.o")):
        of = obj.name.split("_")[0]
        if of not in order:
            continue  # generated: they join layers
        for line in subprocess.run(["nm", str(obj)], check=True, capture_output=True, text=True).stdout.splitlines():
            kind, symbol = line.split()[-2:]
            if kind in "TDRBC":
                has[symbol] = (of, obj.name)
            elif kind == "U":
                lacks.setdefault((of, obj.name), []).append(symbol)
    assert len(has) > 100
    for (of, name), symbols in lacks.items():
        for symbol in symbols:
            if symbol in has and order[has[symbol][0]] > order[of]:
                failures.append(f"{name} calls {symbol}, of {has[symbol][1]}, a layer above")

for text in failures:
    print("FAILED", text)
print(f"{len(sources)} files, {len(failures)} failed")
sys.exit(1 if failures else 0)
