#!/usr/bin/env python3
"""What the documentation says of the tree is so: a block behind `<!-- FILE -->` stands in that file, to the letter, every
block of C does, and paths, links and functions that are named exist. (tests/tutorial.py runs the tutorial's commands.)
usage: docs.py SOURCE_ROOT"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
FLOORS = ("framework", "schedulers", "operators", "apps", "tests", "tools", "docs")
passed = failed = 0
sources = "\n".join(path.read_text() for floor in FLOORS for path in sorted((root / floor).rglob("*"))
                    if path.suffix in (".h", ".c", ".cuh", ".cu", ".in"))


def say(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"FAILED {what}")


def anchors(page):
    """Of its headings, as they are linked to."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
            for title in re.findall(r"^#+ (.*)$", page.read_text(), re.M)}


def exists(path):
    """Of the tree; or a program that the tests build, named as its source."""
    if "*" in path:
        return any(root.glob(path))
    return (root / path).exists() or (path.startswith("tests/") and any((root / "tests").rglob(path.split("/")[-1] + ".c")))


for page in [*sorted(root.glob("*.md")), *sorted((root / "docs").glob("*.md")), *sorted((root / "schedulers").glob("*/*.md"))]:
    name, text = str(page.relative_to(root)), page.read_text()
    for mark, kind, block in re.findall(r"(?:<!-- (\S+) -->\n)?```(\w*)\n(.*?)```", text, re.S):
        if mark:
            say(block in (root / mark).read_text(), f"{name}: a block differs from {mark}:\n{block.splitlines()[0]} ...")
        else:
            say(kind not in ("c", "make", "cmake"), f"{name}: a block of {kind} is in no file:\n{block.splitlines()[0]} ...")
            say(kind != "sh" or name == "docs/tutorial.md", f"{name}: commands that are not run:\n{block.splitlines()[0]} ...")
    for link, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", text):
        target = page.parent / link if link else page
        say(target.exists(), f"{name}: {link} does not exist")
        if anchor and target.suffix == ".md" and target.exists():
            say(anchor in anchors(target), f"{name}: {link}#{anchor} does not exist")
    # neither part of a longer path nor one with a word in capitals, which stands for names
    for path in re.findall(rf"(?<![\w/.$}}-])((?:{'|'.join(FLOORS)})/[\w./*-]*[\w*])", text):
        if not re.search(r"\b[A-Z]{2,}", path.replace("README", "")):
            say(exists(path), f"{name}: {path} does not exist")
    for function in set(re.findall(r"\b(ordo_\w+)\(\)", text)):
        say(re.search(rf"\b{function}\b", sources), f"{name}: {function}() does not exist")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
