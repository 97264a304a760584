#!/usr/bin/env python3
"""Does what docs/tutorial.md and docs/tutorial_gpu.md say, in a folder of its own against an installed copy: writes the files that it shows,
runs its commands in order, compares what they print but for the numbers. In short (ORDO_TEST_QUICK) without optimising what
they compile. usage: tutorial_test.py SOURCE BUILD"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from staged import Staged

source = pathlib.Path(sys.argv[1])
page = "".join((source / "docs" / name).read_text() for name in ("tutorial.md", "tutorial_gpu.md"))
BLOCK = re.compile(r"(?:<!-- (?P<mark>[^>]*) -->\n)?```(?P<kind>\w+)\n(?P<text>.*?)```\n", re.S)
passed = failed = skipped = 0


def plain(line):
    """Without what differs from run to run: numbers, the width of columns, the star of the best scheduler."""
    return " ".join(re.sub(r"\d[\d.]*[kMGx]?", "#", line).strip(" *").split())


def say(ok, what, text=""):
    global passed, failed
    passed, failed = passed + ok, failed + (not ok)
    if not ok:
        print(f"FAILED {what}\n{text}")


with tempfile.TemporaryDirectory() as directory:
    root = pathlib.Path(directory)
    ordo = Staged(source, sys.argv[2], root / "image")
    gpu = ordo.cuda() and not ordo.why_no_gpu()
    work = root / "work"
    work.mkdir()
    files, commands = {}, []  # name: parts; [command, lines that it prints]
    for block in BLOCK.finditer(page):
        mark, kind, text = block["mark"], block["kind"], block["text"]
        if kind == "sh":
            if (mark == "the suite has done this" or (mark == "needs cmake" and not shutil.which("cmake"))
                    or (mark == "needs a GPU" and not gpu)):
                skipped += 1
                print(f"skipped, {mark}: {text.splitlines()[0]} ...")
            else:
                commands.append((text, []))
        elif kind == "text":
            commands[-1][1].extend(plain(line) for line in text.splitlines())
        else:
            files.setdefault(mark, []).append(text)
    for name, parts in files.items():
        text = "\n".join(parts)
        say(text == (source / name).read_text(), f"the parts of {name} are not the file")
        (work / pathlib.Path(name).name).write_text(text)
    environment = {**ordo.environment, "ORDO_CACHE": f"{root}/cache"}
    if "ORDO_TEST_QUICK" in os.environ:
        quick = root / "bin" / "cc"
        quick.parent.mkdir()
        quick.write_text(f'#!/bin/sh\nexec {shutil.which("cc")} "$@" -O0 -DORDO_INLINE_FREELY\n')
        quick.chmod(0o755)
        environment["PATH"] = f"{quick.parent}:{environment['PATH']}"
    script = "exec 2>&1\nset -e\n" + "".join(f"echo '@@ {i}'\n{text}" for i, (text, _) in enumerate(commands))
    run = subprocess.run(["bash", "-c", script], cwd=work, env=environment, stdout=subprocess.PIPE, text=True)
    outputs = dict(re.findall(r"^@@ (\d+)\n(.*?)(?=^@@|\Z)", run.stdout, re.S | re.M))
    say(run.returncode == 0, f"the commands ended with {run.returncode}", run.stdout)
    for i, (text, expected) in enumerate(commands):
        lines = iter([plain(line) for line in outputs.get(str(i), "").splitlines()])
        missing = [line for line in expected if line not in lines]  # in this order
        say(str(i) in outputs and not missing, f"{text}does not print, in this order: {missing}", outputs.get(str(i), "it did not run"))
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(failed > 0)
