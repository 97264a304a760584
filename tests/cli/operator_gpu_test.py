#!/usr/bin/env python3
"""Operators that are compiled at run time for a GPU, on a machine without one: over a back end that runs nothing
(tests/gpu/choose_backend.c) and a compiler that stands for nvcc (fake_nvcc.sh) and makes instances for the host. What nvcc is
called with, what is kept, what is said where something is missing. Where nvcc is here, it compiles every scheduler's code.
usage: operator_gpu_test.py PATH_OF_ORDO [unittest arguments]"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import command
from command import TREE, Base, general_schedulers, main, needs, ordo
from references import INF

FOLDER = pathlib.Path(command.ORDO).parent if command.ORDO else pathlib.Path()
INCLUDE = os.path.join(TREE, "framework", "include")
TOLLS = os.path.join(TREE, "tests", "cli", "operators", "tolls.c")
LONGEST = os.path.join(TREE, "tests", "cli", "operators", "longest.c")
NVCC = os.path.join(TREE, "tests", "cli", "fake_nvcc.sh")

# What the stand-in makes of any file: shortest paths with tolls, one edge after the other until none improves a cell.
INSTANCE = """#include <ordo/detail/run_time.h>
typedef struct tolls_state { ordo_u32 rate, toll; } tolls_state;
static ordo_status run(ordo_job *job)
{
    const ordo_csr *g = job->out;
    const tolls_state *s = job->state;
    ordo_u32 *cell = job->cells;
    for (int changed = 1; changed;) {
        changed = 0;
        for (ordo_vid u = 0; u < g->n; u++)
            for (ordo_eid e = g->row[u]; cell[u] != 0xffffffffu && e < g->row[u + 1]; e++) {
                const ordo_vid v = g->head[e * g->stride];
                const ordo_u32 c = cell[u] + s->rate * ((const ordo_u32 *)g->weight)[e * g->stride] + s->toll;
                if (c < cell[v]) {
                    cell[v] = c;
                    changed = 1;
                }
            }
    }
    return ORDO_OK;
}
#define TEXT_(_x) #_x
#define TEXT(_x) TEXT_(_x)
static const ordo_instance instance = {TEXT(ORDO_RUN_TIME_SCHEDULER), run, SYNCS, ORDO_ON_CUDA};
const ordo_run_time_instance ordo_run_time_code = {ORDO_RUN_TIME_INTERFACE, &instance};
"""


def build_back_end(folder):
    """The library with that back end beside it; what the environment needs for it."""
    os.makedirs(folder)
    shutil.copy(FOLDER / "libordo.so.0", folder)
    subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", f"-I{INCLUDE}", os.path.join(TREE, "tests", "gpu", "choose_backend.c"),
                    "-o", os.path.join(folder, "libordo-cuda.so")], check=True)


ON_GPU = [name for name in general_schedulers() if os.path.exists(os.path.join(TREE, "schedulers", name, "cuda.cuh"))]


@needs("run")
@unittest.skipUnless((FOLDER / "libordo.so.0").exists(), "the library is not beside the command")
class Gpu(Base):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        build_back_end(cls.path("library"))

    def setUp(self):
        self.fake = pathlib.Path(self.path(self.id().rsplit(".", 1)[1]))
        self.fake.mkdir()
        self.syncs("1u << ORDO_SYNC_ATOMIC | 1u << ORDO_SYNC_RACY")
        (self.fake / "version").write_text("nvcc, release 1\n")
        self.env = {**os.environ, "LD_LIBRARY_PATH": self.path("library"), "FAKE_NVCC": str(self.fake), "FAKE_INCLUDE": INCLUDE, "NVCC": NVCC,
                    "ORDO_CACHE": str(self.fake / "cache")}

    def syncs(self, text):
        (self.fake / "instance.c").write_text(INSTANCE.replace("SYNCS", text))

    def calls(self):
        """What nvcc was called for since the last time: its words, of compilations alone."""
        log = self.fake / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        log.write_text("")
        return [line.split() for line in lines if "--version" not in line and " -E " not in line]

    def run_tolls(self, *words, file=TOLLS):
        return self.ok(ordo("run", file, self.gr, "--source", self.source, "--device", "cuda", "--verify", *words, env=self.env))

    def test_words(self):
        """For the GPU that is there, as C++17, with the library's headers; one object for each scheduler and all its syncs."""
        text = self.run_tolls("--scheduler", "delta").out
        self.assertRegex(text, r"Scheduler: +delta, sync atomic, cuda, no GPU, choices alone")
        (words,) = self.calls()
        for word in ("-std=c++17", "-O3", "-gencode=arch=compute_90,code=sm_90", "-shared", f"-I{INCLUDE}", "-DORDO_RUN_TIME_SCHEDULER=delta",
                     "-DORDO_RUN_TIME_CODE=<schedulers/delta/cuda.cuh>"):
            self.assertIn(word, words)
        self.assertEqual(words[-3:], ["-x", "cu", TOLLS])
        self.assertFalse(any("ORDO_ONLY_SYNC" in word or word == "-G" for word in words), words)
        self.syncs("1u << ORDO_SYNC_ATOMIC | 1u << ORDO_SYNC_LOCK")
        self.run_tolls("--scheduler", "bsp", "--sync", "lock")
        self.assertEqual(len(self.calls()), 1)
        self.run_tolls("--scheduler", "bsp", "--sync", "atomic")
        self.assertEqual(self.calls(), [])

    def test_kept(self):
        """An object is used again until the file, the compiler's version or words that nvcc adds change."""
        shutil.copy(TOLLS, self.fake / "mine.c")
        file = str(self.fake / "mine.c")

        def compiled(**more):
            self.env.update(more)
            self.run_tolls("--scheduler", "bsp", file=file)
            return len(self.calls())
        self.assertEqual([compiled(), compiled()], [1, 0])
        (self.fake / "mine.c").write_text(pathlib.Path(TOLLS).read_text() + "/* another */\n")
        self.assertEqual([compiled(), compiled()], [1, 0])
        (self.fake / "version").write_text("nvcc, release 2\n")
        self.assertEqual([compiled(), compiled()], [1, 0])
        self.assertEqual([compiled(NVCC_APPEND_FLAGS="-lineinfo"), compiled(), compiled(NVCC_APPEND_FLAGS="")], [1, 0, 0])
        for path in (self.fake / "cache" / "operators").iterdir():
            os.truncate(path, 100)
        self.assertEqual([compiled(), compiled()], [1, 0])

    def test_messages(self):
        """Those about the user's file come first, with its lines; then one line. So it is for all that compile at run time."""
        (self.fake / "fails").write_text("header.cuh(9): error: from a header\nFILE(12): error: identifier \"wait\" is undefined\n\n1 error detected\n")
        for verb in (["run", TOLLS, self.gr], ["compare", TOLLS, self.gr], ["tune", TOLLS, self.gr, "--for", "1s"], ["check-operator", TOLLS]):
            r = ordo(*verb, "--device", "cuda", "--quiet", env=self.env)
            self.assertEqual(r.returncode, 3, r.err)
            lines = r.err.splitlines()
            self.assertEqual(lines[0], f'{TOLLS}(12): error: identifier "wait" is undefined')
            self.assertRegex(lines[-1], rf"\Aordo: {re.escape(TOLLS)}: \S+fake_nvcc.sh cannot compile it\Z")

    def test_missing(self):
        """No compiler; no GPU, which is said first, before anything is compiled; "auto" then takes the CPU and says why."""
        self.env["NVCC"] = "no-such-nvcc"
        words = ("run", TOLLS, self.gr, "--source", self.source)
        self.refused(3, "NVCC is 'no-such-nvcc', which does not run", *words, "--device", "cuda", env=self.env)
        text = self.ok(ordo(*words, "--device", "auto", "--verify", env=self.env)).out
        self.assertRegex(text, r"Scheduler: +delta, sync atomic, cpu")
        self.assertRegex(text, r"Not on a GPU: +NVCC is 'no-such-nvcc', which does not run")
        del self.env["NVCC"]
        if not os.path.exists("/usr/local/cuda/bin/nvcc"):
            nowhere = {**self.env, "PATH": "/usr/bin:/bin", "CUDA_HOME": "/nowhere", "CUDA_PATH": ""}
            self.refused(3, "no nvcc found, .* NVCC, in PATH, in the bin of CUDA_HOME or CUDA_PATH, or in /usr/local/cuda/bin", *words, "--device", "cuda", env=nowhere)
        os.makedirs(self.fake / "toolkit with blanks" / "bin")
        os.symlink(NVCC, self.fake / "toolkit with blanks" / "bin" / "nvcc")
        for name in ("CUDA_HOME", "CUDA_PATH"):
            there = {**self.env, "PATH": "/usr/bin:/bin", "CUDA_HOME": "", name: str(self.fake / "toolkit with blanks"), "ORDO_CACHE": str(self.fake / name)}
            self.ok(ordo(*words, "--device", "cuda", "--verify", env=there))
            self.assertEqual(len(self.calls()), 1)
        no_back_end = {**self.env, "LD_LIBRARY_PATH": str(self.fake / "library"), "ORDO_CACHE": str(self.fake / "empty")}
        os.mkdir(self.fake / "library")
        shutil.copy(FOLDER / "libordo.so.0", self.fake / "library")
        if not (FOLDER / "libordo-cuda.so").exists():
            for verb in (words, ("compare", TOLLS, self.gr), ("tune", TOLLS, self.gr), ("check-operator", TOLLS)):
                self.refused(5, "device 'cuda'", *verb, "--device", "cuda", env=no_back_end)
            self.assertFalse((self.fake / "empty").exists())

    def test_refused(self):
        """What a GPU cannot have, by name, before anything is compiled for it."""
        text = pathlib.Path(TOLLS).read_text().replace("#define ORDO_RELAX_ARRAYS(X)\n", "")
        (self.fake / "state.c").write_text(text)
        self.refused(2, "operator 'tolls' has a state that it does not describe to a GPU; expected ORDO_RELAX_ARRAYS", "run", self.fake / "state.c", self.gr,
                     "--device", "cuda", env=self.env)
        self.assertEqual(self.calls(), [])
        self.refused(2, "scheduler 'delta' on device 'cuda' does not offer sync 'lock'", "run", TOLLS, self.gr, "--device", "cuda", "--scheduler", "delta", "--sync", "lock",
                     env=self.env)
        self.syncs("1u << ORDO_SYNC_LOCK")  # "auto" takes what the instances turn out to offer
        (self.fake / "version").write_text("nvcc, release 3\n")
        text = self.run_tolls("--scheduler", "delta", "--sync", "auto").out
        self.assertRegex(text, r"Scheduler: +delta, sync lock, cuda")

    def test_folders(self):
        """A scheduler from a folder needs a cuda.cuh."""
        subprocess.run([command.ORDO, "new", "scheduler", "pile", "--quiet"], cwd=self.fake, check=True)
        folder = self.fake / "pile"
        for words in (["run", TOLLS], ["bfs"]):
            self.refused(2, r"scheduler 'pile' has no code for a GPU: .*/pile/cuda.cuh is missing", *words, self.gr, "--source", 0, "--scheduler", folder,
                         "--device", "cuda", env=self.env)
        self.assertEqual(self.calls(), [])
        (folder / "cuda.cuh").write_text("/* of a test */\n")
        self.run_tolls("--scheduler", folder)
        (words,) = self.calls()
        self.assertIn(f'-DORDO_RUN_TIME_CODE="{folder}/cuda.cuh"', words)
        self.refused(2, "operator 'kcore' under scheduler 'pile' was not compiled for device 'cuda'|needs a", "kcore", self.gr, "--symmetrise", "--scheduler", folder, "--device", "cuda",
                     env=self.env)

    def test_compare(self):
        """Contenders on both devices, tuning, and checking on a device."""
        text = self.ok(ordo("compare", TOLLS, self.gr, "--source", self.source, "--repeat", 1, "--warmup", 0, "--device", "cpu,cuda", "--schedulers", "delta,bsp",
                            env=self.env)).out
        self.assertEqual(sorted(re.findall(r"(?m)^[ *] (\S+@\w+) .* PASS$", text)), ["bsp@cpu", "bsp@cuda", "delta@cpu", "delta@cuda"], text)
        self.assertEqual(set(re.findall(r"(?m)^Result: .*sum (\d+)", text)), {str(sum(c for c in self.dist if c != INF))})
        self.assertRegex(self.ok(ordo("tune", TOLLS, self.gr, "--for", 0.3, "--scheduler", "delta", "--device", "cuda", env=self.env)).out, r"(?m)^Flags: +--scheduler delta")
        text = self.ok(ordo("check-operator", TOLLS, "--device", "cuda", env=self.env)).out
        self.assertEqual(re.findall(r"(?m)^  answer under (\w+) +holds$", text), [s for s in ON_GPU if s != "lock_server"])
        (self.fake / "instance.c").write_text((self.fake / "instance.c").read_text().replace("+ s->toll", "+ s->toll + (v == 5)"))
        (self.fake / "version").write_text("nvcc, release 4\n")
        self.refused(1, r"operator 'tolls' under scheduler '\w+' on device 'cuda': vertex 5: found", "check-operator", TOLLS, "--device", "cuda", env=self.env)

    @unittest.skipUnless((FOLDER / "tests" / "fault-backend-fake.so").exists() and shutil.which("nvcc"), "no nvcc")
    def test_nvcc(self):
        """nvcc compiles every scheduler's code for an operator (in short that of two, with and without servers), and the object finds the back end's functions. It runs no further: its
        CUDA runtime finds no driver. What it says of an error names the file and its line."""
        shutil.copy(FOLDER / "tests" / "fault-backend-fake.so", os.path.join(self.fake, "libordo-cuda.so"))
        shutil.copy(FOLDER / "libordo.so.0", self.fake)
        env = {**self.env, "LD_LIBRARY_PATH": str(self.fake)}
        del env["NVCC"]
        compiled = ["delta", "lock_server"] if command.QUICK else ON_GPU
        self.assertLessEqual(set(compiled), set(ON_GPU))
        for scheduler in compiled:
            r = ordo("run", LONGEST, self.gr, "--source", self.source, "--device", "cuda", "--scheduler", scheduler, env=env)
            self.assertEqual(r.returncode, 5, r.err)
            self.assertRegex(r.err, r"\Aordo: device .cuda.: looking up the kernel: [^\n]+\n\Z")
        objects = len(list((self.fake / "cache" / "operators").iterdir()))
        self.assertEqual(objects, 1 + len(compiled))
        (self.fake / "wrong.c").write_text(pathlib.Path(LONGEST).read_text().replace("e.weight > longest", "e.wait > longest"))
        line = 1 + (self.fake / "wrong.c").read_text()[:(self.fake / "wrong.c").read_text().index("e.wait")].count("\n")
        r = ordo("run", "wrong.c", self.gr, "--device", "cuda", "--scheduler", "bsp", env=env, cwd=self.fake)
        self.assertEqual(r.returncode, 3)
        self.assertRegex(r.err, rf"\Awrong.c:{line}:")  # the C compiler, which describes it, finds it first
        (self.fake / "both.c").write_text(pathlib.Path(LONGEST).read_text().replace("    (void)s;\n", "    (void)s;\n#ifdef __CUDACC__\n    longest = e.wait;\n#endif\n"))
        r = ordo("run", "both.c", self.gr, "--device", "cuda", "--scheduler", "bsp", env=env, cwd=self.fake)
        self.assertEqual(r.returncode, 3)
        self.assertRegex(r.err.splitlines()[0], r"\Aboth\.c\(\d+\): error: .*wait")


if __name__ == "__main__":
    main()
