"""What several tests share: the build installed into a folder of its own, as a packager does it (DESTDIR)."""
import json
import os
import pathlib
import shutil
import subprocess
import sys


def run(command, **more):
    """Its standard output; ends the test where it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"FAILED {' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Staged:
    """`image` is the folder, `prefix`, `libdir`, ... what lies where within it."""

    def __init__(self, source, build, image):
        self.source, self.build, self.image = map(pathlib.Path, (source, build, image))
        tools = self.source / ".tools" / "venv" / "bin" / "meson"
        found = shutil.which("meson") or (str(tools) if tools.exists() else None)
        meson = [found] if found else [sys.executable, "-m", "mesonbuild.mesonmain"]
        self.options = {o["name"]: o["value"] for o in json.loads(run([*meson, "introspect", self.build, "--buildoptions"]))}
        run([*meson, "install", "-C", self.build, "--no-rebuild", "--strip", "--destdir", self.image])
        prefix = pathlib.PurePosixPath(self.options["prefix"])
        place = lambda name: self.image / str(prefix / self.options[name]).lstrip("/")
        self.prefix = self.image / str(prefix).lstrip("/")
        self.bindir, self.libdir, self.includedir = place("bindir"), place("libdir"), place("includedir")
        self.datadir, self.mandir = place("datadir"), place("mandir")
        self.ordo = self.bindir / "ordo"
        # what a user would set for a copy that is not where the system looks
        self.environment = dict(os.environ, PKG_CONFIG_PATH=str(self.libdir / "pkgconfig"),
                                PKG_CONFIG_SYSROOT_DIR=str(self.image), LD_LIBRARY_PATH=str(self.libdir),
                                CMAKE_PREFIX_PATH=str(self.prefix), PATH=f"{self.bindir}:{os.environ['PATH']}")
        for name in ("DESTDIR", "MAKEFLAGS", "CFLAGS", "LDFLAGS"):
            self.environment.pop(name, None)

    def cuda(self):
        """Whether programs can be built against the CUDA back end."""
        return (self.libdir / "libordo-cuda.so").exists() and shutil.which("nvcc", path=self.environment["PATH"]) is not None

    def why_no_gpu(self):
        """What a run on a GPU says here that cannot be; "" where it can."""
        done = subprocess.run([self.ordo, "sssp", "-g", "4", "--device", "cuda", "--timeout", "10"], capture_output=True,
                              text=True, env=self.environment)
        return done.stderr.strip() if done.returncode else ""
