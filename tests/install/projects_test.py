#!/usr/bin/env python3
"""Builds the projects of tests/install/projects against an installed copy alone, with pkg-config and with CMake, and runs them:
on the CPU, and with a GPU's code where the build and nvcc have that (without a GPU it must be refused in one sentence; in short,
ORDO_TEST_QUICK, without widest paths, whose kernels take longest to compile).
usage: projects_test.py SOURCE BUILD [gpu [memcheck]]   gpu: that part alone, on a GPU; ends with 77 where there is none"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from staged import Staged, run


class Projects:
    def __init__(self, root):
        self.root = root
        self.ordo = Staged(sys.argv[1], sys.argv[2], root / "image")
        self.environment = self.ordo.environment
        self.road = root / "road.ordo"
        self.run([self.ordo.ordo, "generate", "road", "--vertices", "30000", "--seed", "1", "-o", self.road, "--quiet"])
        # their operators are not by-weight
        self.schedulers = [s for s in self.run(["pkg-config", "--variable=schedulers", "ordo"]).split() if s != "horizon"]
        self.why_no_gpu = self.ordo.why_no_gpu() if self.ordo.cuda() else "this build has no CUDA back end, or nvcc is not here"
        # Without a GPU its code is compiled and linked, and never runs: PTX that is not optimised takes half the time.
        self.quick = ["NVCCFLAGS=-std=c++17 -arch=compute_80"] if self.why_no_gpu else []
        if self.quick:
            self.environment["NVCC_APPEND_FLAGS"] = "-Xcicc -O0"
            # Nor are the CPU's programs optimised, but those of the tutorial: flags behind those of the projects.
            quick = root / "quick-cc"
            quick.write_text('#!/bin/sh\nexec cc "$@" -O0 -DORDO_INLINE_FREELY\n')
            quick.chmod(0o755)
            self.quick.append(f"CC={quick}")
        self.on_cuda = {path.parent.name for path in (self.ordo.includedir / "ordo" / "schedulers").glob("*/cuda.cuh")} - {"horizon"}

    def run(self, command):
        return run(command, env=self.environment)

    def watch(self, command):
        """What takes long is seen meanwhile, line by line."""
        start = time.monotonic()
        with subprocess.Popen(["stdbuf", "-oL", *map(str, command)], env=self.environment, text=True, stdout=subprocess.PIPE) as done:
            for line in done.stdout:
                print(f"{time.monotonic() - start:6.1f} s  {line}", end="", flush=True)
        assert done.returncode == 0, done.returncode

    def copy(self, name):
        shutil.copytree(self.ordo.source / "tests" / "install" / "projects", self.root / name)
        return self.root / name

    def configured(self, source, name, *words):
        """CMake writes where the library was into what it builds."""
        self.environment.pop("LD_LIBRARY_PATH", None)
        self.run(["cmake", "-S", source, "-B", self.root / name, "-DCMAKE_C_FLAGS_RELEASE=-O1 -DORDO_INLINE_FREELY", *words])  # sooner than by default
        self.run(["cmake", "--build", self.root / name])
        return self.root / name

    def widest(self, program, schedulers, *words):
        text = self.run([program, *words])
        assert "WRONG" not in text and all(re.search(f"^{s} +ok", text, re.M) for s in [*schedulers, "lifo"]), text
        assert "sssp_u32 under lifo: ok" in text, text
        return text

    def astar(self, program, schedulers, *words):
        text = self.run([program, self.road, "100", "22000", *words])
        assert "WRONG" not in text and all(re.search(f"^{s} .* ok ", text, re.M) for s in schedulers), text
        return text

    def refused(self, command):
        """One sentence, whatever is missing here."""
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=self.environment)
        assert done.returncode == 2 and re.fullmatch(r"(\w+: )?device 'cuda': [^\n]+\n", done.stderr), done

    def within(self, target, *devices):
        """An app of several phases by a session, with passes of its own."""
        project = self.copy(f"make-{target}") / "within"
        self.run(["make", "-s", "-C", project, target, *self.quick])
        expected = self.run([project / target, self.road, "20", "cpu", "5", "700"])
        assert re.fullmatch(r"(\d+: \d+ within 20 edges, the last 20 away\n){2}", expected), expected
        for device in devices:
            assert self.run([project / target, self.road, "20", device, "5", "700"]) == expected, device
        return project / target

    def grow(self):
        """An operator that adds items and edges."""
        project = self.copy("make-grow") / "grow"
        self.run(["make", "-s", "-C", project, "solve", f"GALLERY={self.ordo.datadir}/doc/ordo/examples/gallery", *self.quick])
        text = self.run([project / "solve"])
        assert text == "181440 positions, 483840 moves between them, the hardest takes 31\n", text

    def on_the_cpu(self):
        project = self.copy("make")
        self.run(["make", "-s", "-C", project, *self.quick])
        self.within("within")
        self.grow()
        print("built with pkg-config:", self.widest(project / "widest", self.schedulers), sep="\n", end="")
        if not shutil.which("cmake"):
            print("cmake is not here: the CMake package is not tested (tools/setup installs it)")
            return
        project = self.configured(self.ordo.source / "tests" / "install" / "projects", "cmake")
        print("built with CMake:", self.widest(project / "widest", self.schedulers), sep="\n", end="")
        print(self.astar(project / "astar" / "astar", self.schedulers), end="")  # with make: tests/install/tutorial_test.py
        self.versions()

    def versions(self):
        """Those that do not go together are refused, by CMake itself, and so are parts that were not built."""
        major, minor = self.run(["pkg-config", "--modversion", "ordo"]).split(".")[:2]
        cuda = (self.ordo.libdir / "libordo-cuda.so").exists()
        for asked, fits in {"": True, major: True, f"{major}.{minor}": True, f"{major}.{int(minor) + 1}": False,
                            f"{int(major) + 1}": False, f"{major}.{minor}.99": False,
                            "COMPONENTS cuda": cuda, "COMPONENTS opencl": False}.items():
            asking = self.root / f"asking-{asked}"
            asking.mkdir()
            (asking / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.16)\nproject(asking NONE)\n"
                                                   f"find_package(ordo {asked} QUIET)\n"
                                                   f"if(NOT ordo_FOUND STREQUAL {int(fits)})\n"
                                                   f"  message(FATAL_ERROR \"ordo {asked}: '${{ordo_FOUND}}'\")\nendif()\n")
            # without a language CMake does not know lib/x86_64-linux-gnu
            self.run(["cmake", "-S", asking, "-B", asking / "build", f"-Dordo_DIR={self.ordo.libdir / 'cmake' / 'ordo'}"])
        print("CMake: versions that fit are found, others are not")

    def kinds(self):
        """What is compiled for a GPU and what is listed, of Ordo's own critical operator and of one whose cells sum."""
        flags = self.run(["pkg-config", "--cflags", "ordo-cuda"]).split()
        listed = {}
        for op in ("bank", "kcore") if not self.why_no_gpu else ("bank",):  # a quarter of a minute of nvcc each
            source = self.root / f"{op}.c"
            source.write_text(f"#define ORDO_OP {op}\n#include <ordo/operators/{op}.h>\n#include <ordo/operator/instantiate.h>\n")
            self.run(["gcc", "-std=c11", "-O1", "-DORDO_INLINE_FREELY", *flags, "-c", source, "-o", source.with_suffix(".o")])
            self.run(["nvcc", "-std=c++17", *(["-arch=compute_80"] if self.quick else []), *flags, "-x", "cu", "-c", source, "-o", source.with_suffix(".cu.o")])
            asked, there = (set(re.findall(rf"\b{kind} {op}_on_cuda_under_(\w+)", self.run(["nm", source.with_suffix(suffix)])))
                            for kind, suffix in (("U", ".o"), ("[DRB]", ".cu.o")))
            assert asked == there, (op, asked, there)
            listed[op] = there
        assert all(there == self.on_cuda for there in listed.values()), listed  # all have both kinds

    def with_cuda(self):
        """Programs with a GPU's code; what they do depends on whether there is a GPU."""
        gpu = not self.why_no_gpu
        self.environment["LD_LIBRARY_PATH"] = str(self.ordo.libdir)
        self.kinds()
        program = self.within("within-cuda", "auto", *(["cuda"] if gpu else []))
        if not gpu:
            self.refused([program, self.road, "20", "cuda", "5"])
        project = self.copy("make-cuda")
        in_short = not gpu and "ORDO_TEST_QUICK" in os.environ
        if not in_short:
            self.run(["make", "-s", "-j2", "-C", project, "widest-cuda", *self.quick])
        widest, programs = project / "widest-cuda", []
        if gpu or not shutil.which("cmake"):  # without a GPU one of two ways to build it
            self.run(["make", "-s", "-j2", "-C", project / "astar", "astar-cuda"])
            programs.append(project / "astar" / "astar-cuda")
        if shutil.which("cmake"):
            archs = ";".join(self.ordo.options["gpu_archs"]) or "native" if gpu else "80-virtual"
            programs.append(self.configured(self.ordo.source / "tests" / "install" / "projects" / "astar", "cmake-cuda", "-DASTAR_CUDA=ON",
                                            f"-DCMAKE_CUDA_ARCHITECTURES={archs}") / "astar-cuda")
            self.environment["LD_LIBRARY_PATH"] = str(self.ordo.libdir)
        for program in programs:
            self.astar(program, self.schedulers)
            if not gpu:
                self.astar(program, self.schedulers, "auto")
                self.refused([program, self.road, "100", "22000", "cuda"])
        if not gpu:
            if not in_short:
                self.widest(widest, self.schedulers, "auto")
                self.refused([widest, "cuda"])
            print(f"with a GPU's code: built, and refused: {self.why_no_gpu}")
            return
        for program in programs:
            text = self.astar(program, self.on_cuda, "cuda")
            pairs = set(re.findall(r"^(\w+) +(\w+) .* ok ", text, re.M))
            assert {s for s, _ in pairs} == self.on_cuda and {("topology", "racy"), ("bsp", "lock")} < pairs, text
        print(text, end="")
        print(self.widest(widest, self.on_cuda, "cuda"), end="")
        if "memcheck" in sys.argv:
            self.run([self.ordo.ordo, "generate", "road", "--vertices", "500", "--seed", "1", "-o", self.road, "--quiet"])
            for command in ([widest, "cuda", "7"], [programs[0], self.road, "10", "400", "cuda"]):
                self.watch(["compute-sanitizer", "--tool", "memcheck", "--error-exitcode", "9", *command])
                print(f"memcheck of {command[0].name}: nothing found")


with tempfile.TemporaryDirectory() as directory:
    projects = Projects(pathlib.Path(directory))
    if "gpu" in sys.argv[3:] and projects.why_no_gpu:
        print(f"skipped: {projects.why_no_gpu}")
        sys.exit(77)
    if "gpu" not in sys.argv[3:]:
        projects.on_the_cpu()
    if projects.ordo.cuda():
        projects.with_cuda()
    else:
        print(f"nothing is built for a GPU: {projects.why_no_gpu}")
