#!/usr/bin/env python3
"""Runs the blocks of Python in docs/python.md, one after the other, and compares what each prints with the block of text
after it. usage: tutorial_test.py SOURCE_ROOT"""
import contextlib
import io
import pathlib
import re
import sys

import case  # noqa: F401 (skips where NumPy or SciPy is missing)

page = pathlib.Path(sys.argv[1]) / "docs" / "python.md"
blocks = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", page.read_text(), re.S)
names, failed = {}, 0
for code, expected in blocks:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, str(page), "exec"), names)
    if out.getvalue() != expected:
        failed += 1
        print(f"FAILED\n{code}printed\n{out.getvalue()}expected\n{expected}")
print(f"{len(blocks) - failed} passed, {failed} failed")
sys.exit(failed > 0 or len(blocks) < 5)
