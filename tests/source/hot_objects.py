#!/usr/bin/env python3
"""Fails where a hot object keeps an indirect call: usage hot_objects.py DIRECTORY STAMP.

Hot objects are the generated units (operator under scheduler). An operator reaches a scheduler's inner loop by textual
inclusion so that everything is inlined; one call through a pointer per edge would undo that unseen.
"""
import pathlib
import re
import subprocess
import sys

directory, stamp = sys.argv[1], sys.argv[2]
objects = sorted(pathlib.Path(directory).glob("*_on_cpu_under_*.o"))
if not objects:
    sys.exit(f"hot_objects: no object found in {directory}")
# `call *...` in AT&T syntax on x86, `blr` on Arm.
indirect = re.compile(r"\s(call\s+\*|callq\s+\*|blr\s)")
bad = []
for obj in objects:
    listing = subprocess.run(["objdump", "-dr", str(obj)], check=True, capture_output=True, text=True).stdout
    function = "?"
    for line in listing.splitlines():
        if line.endswith(">:"):
            function = line.split("<")[1][:-2]
        elif indirect.search(line):
            bad.append(f"{obj.name}: {function}: {line.strip()}")
if bad:
    sys.exit("hot_objects: an indirect call is left in\n" + "\n".join(bad))
pathlib.Path(stamp).write_text(f"{len(objects)} objects\n")
