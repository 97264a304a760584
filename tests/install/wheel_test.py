#!/usr/bin/env python3
"""Builds the wheels and tries them in fresh virtual environments, without root and without the network.

  wheel_test.py SOURCE                    the package `ordo`; skipped without meson-python and patchelf
  wheel_test.py SOURCE LIBORDO BACK_END   the wheel `ordo-cuda` of a back end that is there
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

source = pathlib.Path(sys.argv[1])
try:
    import numpy
    import pip  # noqa: F401
except ImportError as missing:
    print(f"{missing.name} is missing")
    sys.exit(77)
numpy_folder = pathlib.Path(numpy.__file__).parent.parent
clean = {k: v for k, v in os.environ.items() if not k.startswith(("ORDO_", "PYTHON", "PIP_"))}
passed = failed = 0


def say(ok, what, text=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"FAILED {what}\n{text}")


def run(*words, **environment):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, cwd=tempfile.gettempdir(), env={**clean, **environment})
    return done.returncode, done.stdout + done.stderr


def build(folder, place, *options):
    """The wheel of a folder with a pyproject.toml."""
    code, text = run(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", folder / "wheels", *options, place)
    wheels = list((folder / "wheels").glob("*.whl"))
    say(code == 0 and len(wheels) == 1, "pip wheel", text)
    return wheels[0] if wheels else sys.exit(1)


def try_package(folder):
    wheel = build(folder, source, "--config-settings=compile-args=-j2", "--config-settings=build-dir=" + str(folder / "build"))
    say("-cp311-abi3-" in wheel.name, wheel.name)
    run(sys.executable, "-m", "venv", folder / "fresh")
    python = folder / "fresh" / "bin" / "python"
    site = next((folder / "fresh" / "lib").iterdir()) / "site-packages"
    for part in numpy_folder.glob("numpy*"):  # and nothing else of where it is: an ordo may be there, too
        (site / part.name).symlink_to(part)
    code, text = run(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel)
    say(code == 0, "pip install", text)
    code, text = run(python, "-c", "import ordo; g = ordo.generate('road', vertices=3000); ordo.sssp(g, 0).verify(); print(ordo.__file__)")
    say(code == 0 and str(folder / "fresh") in text, "import ordo", text)
    code, text = run(folder / "fresh" / "bin" / "ordo", "sssp", "-g", "6", "--source", "0", "--verify")
    say(code == 0 and "PASS" in text, "the command", text)
    operator = source / "tests" / "cli" / "operators" / "tolls.c"
    code, text = run(folder / "fresh" / "bin" / "ordo", "run", operator, "-g", "6", "--source", "0", "--verify", ORDO_CACHE=str(folder / "cache"))
    say(code == 0 and "PASS" in text, "the wheel's headers", text)
    code, text = run(python, "-m", "pip", "uninstall", "-y", "ordo")
    say(code == 0 and not list((folder / "fresh").rglob("libordo*")), "pip uninstall", text)


def try_back_end(folder, library, back_end):
    (folder / "built").mkdir()
    shutil.copy(back_end, folder / "built" / "libordo-cuda.so")
    wheel = build(folder, source / "python" / "cuda", f"--config-settings=library={folder / 'built' / 'libordo-cuda.so'}")
    say("-py3-none-" in wheel.name, wheel.name)
    code, text = run(sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", folder / "site", wheel)
    say(code == 0, "pip install", text)
    (folder / "alone").mkdir()
    shutil.copy(library, folder / "alone" / "libordo.so.0")
    ask = "import ordo; d = ordo.devices(); print(sorted(d), d.missing)"
    for places, expected in (([source / "python", folder / "site"], "['cpu', 'cuda'] {}"), ([source / "python"], "['cpu'] {'cuda': ")):
        code, text = run(sys.executable, "-c", ask, PYTHONPATH=os.pathsep.join(map(str, places)), PYTHONDONTWRITEBYTECODE="1",
                         ORDO_LIBRARY=str(folder / "alone" / "libordo.so.0"))
        say(code == 0 and text.startswith(expected), f"devices, by {places}", text)
    code, text = run(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", folder / "no",
                     f"--config-settings=library={library}", source / "python" / "cuda")
    say(code != 0 and "expected a file libordo-cuda.so" in text, "another file", text)


with tempfile.TemporaryDirectory() as name:
    if len(sys.argv) > 2:
        try_back_end(pathlib.Path(name), *map(pathlib.Path, sys.argv[2:]))
    else:
        try:
            import mesonpy  # noqa: F401
        except ImportError:
            print("meson-python is missing")
            sys.exit(77)
        if not shutil.which("patchelf"):  # meson-python sets the command's path to the library
            print("patchelf is missing")
            sys.exit(77)
        try_package(pathlib.Path(name))
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
