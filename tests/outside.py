#!/usr/bin/env python3
"""Installs the build into a fresh prefix and builds tests/outside against that alone. usage: outside.py SOURCE BUILD"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

source, build = map(pathlib.Path, sys.argv[1:3])
meson = shutil.which("meson") or str(source / ".tools" / "venv" / "bin" / "meson")


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"outside: {' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


with tempfile.TemporaryDirectory() as directory:
    root = pathlib.Path(directory)
    run([meson, "install", "-C", str(build), "--no-rebuild", "--destdir", str(root / "image")])
    pc = next((root / "image").rglob("ordo.pc"))
    library = next(p for p in (root / "image").rglob("libordo.so") if p.exists())
    environment = dict(os.environ, PKG_CONFIG_PATH=str(pc.parent), PKG_CONFIG_SYSROOT_DIR=str(root / "image"),
                       LD_LIBRARY_PATH=str(library.parent))
    project = root / "project"
    shutil.copytree(source / "tests" / "outside", project)
    run(["make", "-s", "-C", str(project)], env=environment)
    print(run([str(project / "widest")], env=environment), end="")
    # the installed command finds its library without help
    ordo = next((root / "image").rglob("bin/ordo"))
    print(run([str(ordo), "version"], env=environment), end="")
