#!/usr/bin/env python3
"""Runs the blocks of Python in docs/python.md, one after the other, and compares what each prints with the block of text
after it; likewise those in docs/report.md, where ORDO_COMMAND names the command. usage: tutorial_test.py SOURCE_ROOT"""
import contextlib
import io
import os
import pathlib
import re
import sys

import case  # noqa: F401 (skips where NumPy or SciPy is missing)


def run(page):
    """The number of blocks, and of those that fail."""
    blocks = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", page.read_text(), re.S)
    names, failed = {}, 0
    for code, expected in blocks:
        if "ordo.operator(" in code and "ORDO_COMMAND" not in os.environ:
            continue  # the command compiles it
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, str(page), "exec"), names)
        if out.getvalue() != expected:
            failed += 1
            print(f"FAILED {page}\n{code}printed\n{out.getvalue()}expected\n{expected}")
    return len(blocks), failed


docs = pathlib.Path(sys.argv[1]) / "docs"
count, failed = run(docs / "python.md")
too_few = count < 5
if "ORDO_COMMAND" in os.environ:
    more, wrong = run(docs / "report.md")
    count, failed, too_few = count + more, failed + wrong, too_few or more < 3
print(f"{count - failed} passed, {failed} failed")
sys.exit(failed > 0 or too_few)
