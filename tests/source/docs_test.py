#!/usr/bin/env python3
"""What the documentation says of the tree is so: a block behind `<!-- FILE -->` stands in that file, to the letter, every
block of C does, and paths, links and functions that are named exist. Every term of the command and of its records is in the
glossary, every page is in the index, none is long, no private word is used, and docs/results.md is what docs/results/*.json
give. (tests/install/tutorial_test.py runs the tutorial's commands; tools/site renders the pages.)
usage: docs_test.py SOURCE_ROOT"""
import json
import pathlib
import re
import subprocess
import sys

from words import BANNED, BANNED_CODE  # docs/lab quotes old tables, and is not searched

root = pathlib.Path(sys.argv[1])
LAYERS = ("framework", "schedulers", "operators", "apps", "tests", "tools", "docs")
LONGEST = 1550  # words of running text in a page
LONG = {"docs/glossary.md", "docs/results.md"}  # a table of terms; generated
COMMANDS = {"docs/tutorial.md", "docs/tutorial_gpu.md"}  # tests/install/tutorial_test.py runs them
passed = failed = 0
sources = "\n".join(path.read_text() for layer in LAYERS for path in sorted((root / layer).rglob("*"))
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


for page in [*sorted(root.glob("*.md")), root / "tests" / "README.md", *sorted((root / "docs").rglob("*.md")), *sorted((root / "schedulers").glob("*/*.md"))]:
    name, text = str(page.relative_to(root)), page.read_text()
    for mark, kind, block in re.findall(r"(?:<!-- (\S+) -->\n)?```(\w*)\n(.*?)```", text, re.S):
        if mark:
            say(block in (root / mark).read_text(), f"{name}: a block differs from {mark}:\n{block.splitlines()[0]} ...")
        else:
            say(kind not in ("c", "make", "cmake"), f"{name}: a block of {kind} is in no file:\n{block.splitlines()[0]} ...")
            say(kind != "sh" or name in COMMANDS, f"{name}: commands that are not run:\n{block.splitlines()[0]} ...")
    for link, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", text):
        target = page.parent / link if link else page
        say(target.exists(), f"{name}: {link} does not exist")
        if anchor and target.suffix == ".md" and target.exists():
            say(anchor in anchors(target), f"{name}: {link}#{anchor} does not exist")
    # neither part of a longer path nor one with a word in capitals, which stands for names
    for path in re.findall(rf"(?<![\w/.$}}-])((?:{'|'.join(LAYERS)})/[\w./*-]*[\w*])", text):
        if not re.search(r"\b[A-Z]{2,}", path.replace("README", "")):
            say(exists(path), f"{name}: {path} does not exist")
    for function in set(re.findall(r"\b(ordo_\w+)\(\)", text)):
        say(re.search(rf"\b{function}\b", sources), f"{name}: {function}() does not exist")
    if name.startswith("docs/lab/0"):
        say(re.match(r"# \d{4} .*\n\n20\d\d-\d\d-\d\d", text), f"{name}: expected '# NNNN title' and a date")
        say(f"]({page.name})" in (root / "docs" / "lab" / "index.md").read_text(), f"{name} is not in docs/lab/index.md")
        continue
    if name.startswith("docs/") and page != root / "docs" / "index.md":  # pages of a folder are in its index, and that in docs/index.md
        index = page.parent.parent / "index.md" if page.name == "index.md" else page.parent / "index.md"
        say(f"]({page.relative_to(index.parent)}" in index.read_text(), f"{name} is not in {index.relative_to(root)}")
    running = re.sub(r"```.*?```", "", text, flags=re.S)
    say(name in LONG or len(running.split()) <= LONGEST, f"{name}: {len(running.split())} words, expected {LONGEST} at most")
    plain = re.sub(r"\]\([^)]*\)|<!--.*?-->", "", running, flags=re.S)
    for word in BANNED:
        found = re.search(rf"\b{word}\b", plain, re.I)
        say(not found, f"{name}: '{found and found[0]}' is a private word (see docs/glossary.md for the terms)")
    code = "\n".join(re.findall(r"```.*?```|`[^`]*`|^    .*$", text, re.S | re.M))
    for word in BANNED_CODE if name != "CHANGELOG.md" else ():
        found = re.search(rf"(?<![\w-])(?:{word})(?:(?<!\w)|(?!\w))", code)
        say(not found, f"{name}: '{found and found[0]}' is an old name")


# The gallery: every operator has a page that shows its code, and a row that says what it declares.
gallery = (root / "docs" / "gallery" / "index.md").read_text()
operators = sorted(path for path in (root / "operators" / "gallery").glob("*.h") if path.name != "drivers.h")
say(len(operators) >= 6, f"only {len(operators)} operators of the gallery were found")
for path in operators:
    page, text = root / "docs" / "gallery" / (path.stem + ".md"), path.read_text()
    say(page.exists() and text[text.index("#include"):] in page.read_text(), f"docs/gallery/{path.stem}.md: does not show {path.stem}.h")
    declared = dict(re.findall(r"^#define ORDO_(?:RELAX|GATHER)_(CELL|ORDER) (\w+)$", text, re.M))
    order = declared.get("ORDER", "none").removeprefix("ORDO_").lower()
    kind = "critical" if not declared else "gather" if "#define ORDO_GATHER " in text else "sum" if order == "sum" else "select"
    row = rf"^\| \[`{path.stem}`\]\({path.stem}\.md\) \|[^|]*\| {declared.get('CELL', 'none')} \| {kind} \| {order} \|"
    say(re.search(row, gallery, re.M), f"docs/gallery/index.md: expected a row of {path.stem} with cell, kind and order as it declares them")


def keys(node):
    """Of all objects that a JSON Schema describes."""
    for name, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        if name == "properties" and isinstance(value, dict):
            yield from value
            for one in value.values():
                yield from keys(one)
        else:
            yield from keys(value)


terms = set(re.findall(r"`([^`]+)`", re.sub(r"^# .*?\n## ", "", (root / "docs" / "glossary.md").read_text(), flags=re.S)))
properties = re.findall(r'\{ORDO_\w+, "([a-z-]+)"\}', sources)
say(len(properties) >= 6, f"the names of the properties that `ordo operators` prints were not found: {properties}")
fields = set()
for struct in ("ordo_stats", "ordo_sample"):
    body = re.search(rf"typedef struct {struct} \{{(.*?)\}} {struct};", sources, re.S)
    found = re.findall(r"(\w+)(?:\[\w+\])?(?=[,;])", re.sub(r"/\*.*?\*/", "", body[1], flags=re.S)) if body else []
    say(found, f"the fields of {struct} were not found")
    fields.update(found)
for term in {*properties, *fields, *keys(json.loads((root / "docs" / "schema.json").read_text()))}:
    say(term in terms, f"docs/glossary.md: the term `{term}` is not there")

# Packages: of this version. What their recipes do: packages_test.py.
version = re.search(r"version: '([\d.]+)'", (root / "meson.build").read_text())[1]
for name, pattern in (("CITATION.cff", r"^version: (\S+)$"), ("debian/changelog", r"\Aordo \((.*)-\d+\)"),
                      ("packaging/conda/recipe.yaml", r'^  version: "(.*)"$'), ("packaging/spack/ordo/package.py", r'^    version\("(.*)"\)$')):
    found = re.search(pattern, (root / name).read_text(), re.M)
    say(found and found[1] == version, f"{name}: version {found and found[1]}, expected {version}")

done = subprocess.run([sys.executable, root / "tools" / "results", "render", "--check"], capture_output=True, text=True)
say(done.returncode == 0, done.stdout + done.stderr)
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
