#!/usr/bin/env python3
"""Builds the projects of tests/outside against an installed copy alone, with pkg-config and with CMake, and runs them.
usage: outside.py SOURCE BUILD"""
import pathlib
import re
import shutil
import sys
import tempfile

from staged import Staged, run

with tempfile.TemporaryDirectory() as directory:
    root = pathlib.Path(directory)
    ordo = Staged(sys.argv[1], sys.argv[2], root / "image")
    environment = ordo.environment
    road = root / "road.ordo"
    run([ordo.ordo, "generate", "road", "--vertices", "30000", "--seed", "1", "-o", road, "--quiet"], env=environment)
    schedulers = run(["pkg-config", "--variable=schedulers", "ordo"], env=environment).split()

    def check(folder, how):
        text = run([folder / "widest"], env=environment)
        assert all(re.search(f"^{s} +ok", text, re.M) for s in schedulers + ["lifo"]), text
        assert "sssp_u32 under lifo: ok" in text, text
        print(f"built with {how}:\n{text}", end="")

    project = root / "make"
    shutil.copytree(ordo.source / "tests" / "outside", project)
    run(["make", "-s", "-C", project], env=environment)
    check(project, "pkg-config")

    if not shutil.which("cmake"):
        print("cmake is not here: the CMake package is not tested (tools/setup installs it)")
        sys.exit(0)
    project = root / "cmake"
    environment.pop("LD_LIBRARY_PATH")  # CMake writes where the library was into what it builds
    run(["cmake", "-S", ordo.source / "tests" / "outside", "-B", project], env=environment)
    run(["cmake", "--build", project], env=environment)
    check(project, "CMake")
    text = run([project / "astar" / "astar", road, "100", "22000"], env=environment)  # with make: tests/tutorial.py
    assert all(re.search(f"^{s} .* ok ", text, re.M) for s in schedulers), text
    print(text, end="")

    # versions that do not go together are refused, by CMake itself
    major, minor = run(["pkg-config", "--modversion", "ordo"], env=environment).split(".")[:2]
    for asked, fits in {"": True, major: True, f"{major}.{minor}": True, f"{major}.{int(minor) + 1}": False,
                        f"{int(major) + 1}": False, f"{major}.{minor}.99": False}.items():
        asking = root / f"asking-{asked}"
        asking.mkdir()
        (asking / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.16)\nproject(asking NONE)\n"
                                               f"find_package(ordo {asked} QUIET)\n"
                                               f"if(NOT ordo_FOUND STREQUAL {int(fits)})\n"
                                               f"  message(FATAL_ERROR \"ordo {asked}: '${{ordo_FOUND}}'\")\nendif()\n")
        # without a language CMake does not know lib/x86_64-linux-gnu
        run(["cmake", "-S", asking, "-B", asking / "build", f"-Dordo_DIR={ordo.libdir / 'cmake' / 'ordo'}"], env=environment)
    print("CMake: versions that fit are found, others are not")
