#!/usr/bin/env python3
"""The framework names no scheduler: framework_names.py SOURCE

Reads the schedulers' names from schedulers/, and looks for them in the code and the strings of framework/ (comments are
left out, and so are names of its own headers where they are included): as a word of a string or of a build file, as a name, and as the beginning of one (`bsp_run`). A bucket's width is
generally called delta, so that name is found only where it can mean the scheduler.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
NAMES = sorted(p.parent.name for p in (ROOT / "schedulers").glob("*/scheduler.c"))
# names of the bucket width and of its own kind
WIDTH = {"delta", "delta_first", "delta_last"}
TOKEN = re.compile(r'#include <ordo/[^>]*>|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*', re.S)


def words(text):
    return re.findall(r"[A-Za-z_]\w*", text)


def in_code(text):
    """(line, what) of C, C++ and CUDA."""
    for m in TOKEN.finditer(text):
        token, line = m[0], text.count("\n", 0, m.start()) + 1
        if token.startswith(("//", "/*", "#include")):
            continue
        if token[0] in "\"'":
            for name in set(words(token)) & set(NAMES):
                yield line, f"{token} names {name}"
            continue
        lower = token.lower()
        for name in NAMES:
            if lower in WIDTH:
                continue
            if lower == name or lower.startswith(name + "_") or lower.endswith((f"_scheduler_{name}", f"_under_{name}")):
                yield line, f"{token} is of {name}"


def in_build(text):
    for number, line in enumerate(text.splitlines(), 1):
        for name in NAMES:
            if any(w == name or w.endswith(f"_under_{name}") for w in words(line.split("#")[0])):
                yield number, f"names {name}"


def findings(path):
    text = path.read_text()
    return in_build(text) if path.name == "meson.build" or path.suffix == ".map" else in_code(text)


assert len(NAMES) > 1, NAMES
# it must be able to find them
for sample in ('f("delta");', "int bsp_run;", "x = ordo_scheduler_adds;", '#include "schedulers/inbox/ring.h"'):
    assert list(in_code(sample)), sample
for sample in ("double delta = 1;", "/* as bsp does */", "s.delta_first"):
    assert not list(in_code(sample)), sample
files = [p for p in sorted((ROOT / "framework").rglob("*"))
         if p.is_file() and (p.suffix in (".c", ".h", ".cu", ".cuh", ".in", ".map") or p.name == "meson.build")]
found = [f"{p.relative_to(ROOT)}:{line}: {what}" for p in files for line, what in findings(p)]
print("\n".join(found) or f"{len(files)} files of the framework name none of {', '.join(NAMES)}")
sys.exit(bool(found))
