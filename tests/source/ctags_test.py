#!/usr/bin/env python3
"""An editor finds every function of every scheduler and of the engines that operators are compiled with.
usage: ctags_test.py SOURCE_ROOT BUILD_ROOT

What functions there are is asked of gcc (-aux-info, on generated units) for the CPU, and read off the text for the GPU;
whether they are found is asked of ctags without any options of the project's own. Names that a macro pastes together
would be found by neither an editor nor a debugger's user, so a scheduler's files have none, but the symbols that
ORDO_OP_NAME makes for profilers. Exit status 77: ctags is not installed.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
include = root / "framework" / "include"
failures = 0


def fail(text):
    global failures
    failures += 1
    print(f"FAILED {text}")


def files(*suffixes):
    found = [p for folder in (root / "schedulers", include) for p in sorted(folder.rglob("*")) if p.suffix in suffixes]
    assert found
    return found


def tags():
    command = ["ctags", "-x", "--langmap=C++:+.cuh", "--kinds-C=fd", "--kinds-C++=fd", *map(str, files(".h", ".cuh"))]
    found = {}
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        name, kind, number, path = line.split(None, 4)[:4]
        if kind == "function":
            found.setdefault(str(pathlib.Path(path).resolve()), set()).add(name)
    return found


def compiled_by_gcc():
    """(file, name) of every function defined in the folders above, in units of one operator of each kind."""
    found = set()
    for unit in sorted((build / "framework").glob("*_on_cpu_under_*.c")):
        if not re.match(r"(sssp_u32|kcore|bank|discharge|mst_u32)_on", unit.name):
            continue
        with tempfile.NamedTemporaryFile() as out:
            subprocess.run(["gcc", "-std=c11", "-fsyntax-only", f"-I{include}", f"-I{root}", "-aux-info", out.name, str(unit)], check=True)
            for line in pathlib.Path(out.name).read_text().splitlines():
                m = re.match(r"/\* (.*):\d+:.F \*/ .*?\b(\w+) \(", line)
                path = pathlib.Path(m.group(1)).resolve() if m else root
                if any(path.is_relative_to(folder) for folder in (root / "schedulers", include)):
                    name = m.group(2).removeprefix(unit.name.split("_on_cpu_under_")[0] + "_")  # of ORDO_OP_NAME
                    found.add((str(path), name))
    assert len(found) > 200, found
    return found


def written_for_gpu():
    found = set()
    for path in files(".cuh"):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        text = re.sub(r"^#(?:[^\\\n]|\\\n|\\.)*", "", text, flags=re.M)
        text = re.sub(r"\b__launch_bounds__\((?:[^()]|\([^()]*\))*\)", "", text)
        for m in re.finditer(r"^(?:template <[^{;]*?>\s*)?(?:ORDO_DEV|ORDO_FN|static)\b[^;{}=]*?\b(\w+)\((?:[^;{}])*\)\s*\{", text, re.M):
            found.add((str(path.resolve()), m.group(1)))
    assert len(found) > 200, found
    return found


def main():
    if not shutil.which("ctags"):
        print("ctags is not installed")
        return 77
    known = tags()
    wanted = compiled_by_gcc() | written_for_gpu()
    for path, name in sorted(wanted):
        if name not in known.get(path, set()):
            fail(f"ctags does not find {name} of {pathlib.Path(path).relative_to(root)}")
    for path in sorted((root / "schedulers").rglob("*")):
        if path.suffix in (".h", ".cuh"):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if "##" in line or re.search(r"\bORDO_JOIN", line):
                    fail(f"{path.relative_to(root)}:{number}: a pasted name: {line.strip()}")
    print(f"{len(wanted)} functions looked for, {failures} failed")
    return 1 if failures else 0


sys.exit(main())
