#!/usr/bin/env python3
"""The structs and calls that python/ordo/_abi.py writes down are those of the headers: a C compiler compares sizes and
offsets, and the kinds of arguments are read from the declarations. usage: abi_test.py SOURCE_ROOT"""
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import case  # noqa: F401 (skips where NumPy is missing)
from ordo import _abi, _errors, _trace

root = pathlib.Path(sys.argv.pop(1))
include = root / "framework" / "include"


def kind(declaration):
    """The letter of _abi.CALLS for an argument, or for a result."""
    if "*" in declaration:
        return "s" if re.match(r"const char \*", declaration) else "p"
    for pattern, letter in (("ordo_vid|ordo_u32", "v"), ("ordo_u64|size_t", "w"), ("double", "d"), ("bool", "b"),
                            ("int|ordo_verify_how|ordo_type", "i"), ("ordo_status", "status"), ("ordo_trace_view", "trace"), ("void", "none")):
        if re.match(rf"(?:const )?(?:{pattern})\b", declaration):
            return letter
    raise AssertionError(f"unknown type: {declaration}")


def record_lines():
    """That NumPy's records of a trace are the structs."""
    lines = []
    for c_name, dtype in (("ordo_trace_sample", _trace.SAMPLES), ("ordo_trace_event", _trace.EVENTS)):
        lines.append(f'_Static_assert(sizeof({c_name}) == {dtype.itemsize}, "size of {c_name}");')
        for member, (_, offset) in dtype.fields.items():
            of = f"at.{member}" if c_name == "ordo_trace_event" and member != "width_changed" else member
            lines.append(f'_Static_assert(offsetof({c_name}, {of}) == {offset}, "{c_name}.{member}");')
    for number, name in enumerate(_trace.STATES):
        lines.append(f'_Static_assert(ORDO_TRACE_{name.upper()} == {number}, "{name}");')
    return lines


class Abi(unittest.TestCase):
    def test_library_of_a_prefix(self):
        """Installed beside the library in one prefix, as Spack and conda do it, the package finds it without a variable."""
        with tempfile.TemporaryDirectory() as folder:
            lib = pathlib.Path(folder).resolve() / "lib"
            site = lib / "python3.0" / "site-packages"
            shutil.copytree(root / "python" / "ordo", site / "ordo")
            (lib / "libordo.so.0").symlink_to(pathlib.Path(_abi.path()).resolve())
            bare = {k: v for k, v in os.environ.items() if k != "ORDO_LIBRARY"}
            paths = os.pathsep.join([str(site), *filter(None, sys.path)])
            found = subprocess.run([sys.executable, "-c", "from ordo import _abi; print(_abi.path(), _abi.__file__)"], env={**bare, "PYTHONPATH": paths},
                                   capture_output=True, text=True, cwd=folder)
            self.assertEqual(found.stdout.split(), [str(lib / "libordo.so.0"), str(site / "ordo" / "_abi.py")], found.stderr)

    def test_installed(self):
        """The build's list of the files of the package is all of them."""
        listed = re.findall(r"'(ordo/[\w.]+)'", (root / "python" / "meson.build").read_text())
        there = [p.relative_to(root / "python").as_posix() for p in (root / "python" / "ordo").iterdir() if p.is_file()]
        self.assertEqual(sorted(listed), sorted(there))

    def test_structs(self):
        lines = ["#include <stddef.h>", "#include <ordo/ordo.h>", "#include <ordo/scheduler/scheduler.h>"]
        lines += record_lines()
        for name, c_name in _abi.C_NAMES.items():
            struct = getattr(_abi, name)
            lines.append(f'_Static_assert(sizeof({c_name}) == {ctypes.sizeof(struct)}, "size of {c_name}");')
            for member, *_ in struct._fields_:
                at = getattr(struct, member)
                lines.append(f'_Static_assert(offsetof({c_name}, {member}) == {at.offset} && '
                             f'sizeof((({c_name} *)0)->{member}) == {at.size}, "{c_name}.{member}");')
        lines.append(f'_Static_assert(ORDO_SCHEDULER_INTERFACE == {_abi.SCHEDULER_INTERFACE}, "interface");')
        for member in ("name", "summary", "paper"):
            offset = getattr(_abi.SchedulerHead, member).offset
            lines.append(f'_Static_assert(offsetof(ordo_scheduler, {member}) == {offset}, "{member}");')
        for number, status in _errors.BY_STATUS.items():
            lines.append(f'_Static_assert({status.status} == {number}, "{status.status}");')
        for number, name in _abi.TYPES.items():
            short = name.replace("uint", "U").replace("int", "I").replace("float", "F")
            lines.append(f'_Static_assert(ORDO_{short} == {number}, "{name}");')
        compiler = os.environ.get("CC", "cc").split()
        done = subprocess.run([*compiler, "-std=c11", "-fsyntax-only", "-I", include, "-x", "c", "-"],
                              input="\n".join(lines) + "\n", text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(len(lines), 200)

    def test_calls(self):
        text = "\n".join(path.read_text() for path in sorted(include.rglob("*.h")))
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        for name, (result, arguments) in _abi.CALLS.items():
            found = re.search(rf"ORDO_API ([\w \*]*?)\b{name}\(([^)]*)\);", text)
            self.assertIsNotNone(found, name)
            given = [] if found[2].strip() == "void" else [kind(" ".join(a.split())) for a in found[2].split(",")]
            self.assertEqual("".join(given), arguments.replace("g", "p").replace("o", "p"), name)
            self.assertEqual(kind(found[1].strip()), result, name)


if __name__ == "__main__":
    case.main()
