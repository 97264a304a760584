#!/usr/bin/env python3
"""Code in the documentation is code of the tree: a block behind `<!-- FILE -->` must stand in that file, to the letter.
usage: docs.py SOURCE_ROOT"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
passed = failed = 0
for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
    text = page.read_text()
    for name, block in re.findall(r"<!-- (\S+) -->\n```\w*\n(.*?)```", text, re.S):
        if block in (root / name).read_text():
            passed += 1
        else:
            failed += 1
            print(f"FAILED {page.name}: a block differs from {name}:\n{block.splitlines()[0]} ...")
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        if (page.parent / link).exists():
            passed += 1
        else:
            failed += 1
            print(f"FAILED {page.name}: {link} does not exist")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
