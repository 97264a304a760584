#!/usr/bin/env python3
"""What comments say of the tree is so: a path that a comment names exists, with or without its folders, a comment that
begins a file with a name begins with its name, a constant or function that is named exists, and no private word is used.
usage: comments_test.py SOURCE_ROOT"""
import pathlib
import re
import subprocess
import sys

from words import BANNED, BANNED_IN_COMMENTS

root = pathlib.Path(sys.argv[1])
LAYERS = ("framework", "schedulers", "operators", "apps", "tests", "tools", "docs")
SOURCE = (".h", ".c", ".cuh", ".cu", ".cc", ".cpp", ".in")
PLAIN = ("framework", "schedulers", "operators", "apps")  # tests also name constants of other programs
# Names that comments give to files of other programs, to files that a reader would make, and to headers of C.
OTHERS = {"OfflineGraph.h", "FileGraph.cpp", "my_operator.h", "stdatomic.h"}
GENERATED = {"ordo/operator/instantiate.h"}
SYSTEM = {"O_TMPFILE"}  # constants of the system that the code does not use
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
passed = failed = 0


def say(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"FAILED {what}")


def comments(text):
    """The line of each comment, and its words: without the stars that begin its lines."""
    for found in TOKEN.finditer(text):
        if found[0].startswith(("/*", "//")):
            yield text.count("\n", 0, found.start()) + 1, re.sub(r"\n\s*\*?", "\n", found[0].strip("/*"))


def exists(path, file):
    """Of the tree, of the file's folder, as `#include` finds it, or by its name alone."""
    if "*" in path:
        return any(root.glob(path))
    places = (root, file.parent, file.parent.parent, root / "framework" / "include")
    return path in OTHERS | GENERATED or any((place / path).exists() for place in places) or ("/" not in path and path in names)


tracked = [root / line for line in subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True).stdout.split("\n") if line]
paths = tracked or [path for layer in LAYERS for path in sorted((root / layer).rglob("*")) if path.is_file()]
names = {path.name for path in paths} | {path.name.removesuffix(".in") for path in paths}
files = [path for path in paths if path.suffix in SOURCE and path.relative_to(root).parts[0] in LAYERS]
code = {word for path in files for word in re.findall(r"\w+", TOKEN.sub(lambda t: "" if t[0][:2] in ("/*", "//") else t[0], path.read_text()))}
say(len(files) > 200, f"only {len(files)} files of source were found")

for file in files:
    name = file.relative_to(root).as_posix()
    for line, text in comments(file.read_text()):
        flat = " ".join(text.split())
        for path in re.findall(r"(?<![\w/.$}*-])((?:[\w*-]+/)*[\w*-]+\.(?:cuh|cu|h|c|md|py|pml|json|svg|build|map)(?:\.in)?)(?![\w/*])", flat):
            if not re.search(r"\b[A-Z]{2,}", path.replace("README", "").replace("CONTRIBUTING", "")):
                say(exists(path, file), f"{name}:{line}: {path} does not exist")
        for path in re.findall(rf"(?<![\w/.$}}-])((?:{'|'.join(LAYERS)})/[\w/*-]*[\w*])(?![\w./*-])", flat):
            if not re.search(r"\b[A-Z]{2,}", path):
                say(exists(path, file), f"{name}:{line}: {path} does not exist")
        begins = re.match(r"([\w./-]+\.\w+) -- ", flat)
        say(line > 1 or not begins or name.removesuffix(".in").endswith(begins[1]), f"{name}: begins with the name of {begins and begins[1]}")
        for word in set(re.findall(r"\b(?:ordo_\w+(?=\(\))|[A-Z]+_[A-Z_]*[A-Z]\b)", flat.replace("-D", " "))):
            if name.split("/")[0] in PLAIN:
                say(word in code | SYSTEM or any(known.endswith("_" + word) for known in code), f"{name}:{line}: {word} does not exist")
        if name.split("/")[0] in (*PLAIN, "tests"):
            for word in (*BANNED, *BANNED_IN_COMMENTS):
                found = re.search(rf"\b{word}\b", flat, re.I)
                say(not found, f"{name}:{line}: '{found and found[0]}' is a private word (see docs/glossary.md for the terms)")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
