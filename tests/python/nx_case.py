"""What the tests of the NetworkX backend share: they end with 77 (skipped) where NetworkX, NumPy or SciPy is missing.
NetworkX finds the backend by the entry points of pyproject.toml, in a folder like that of an installed package."""
import atexit
import os
import pathlib
import sys
import tempfile
import tomllib

import case  # noqa: F401 (skips)

ROOT = pathlib.Path(sys.argv.pop(1))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

_folder = tempfile.TemporaryDirectory()
atexit.register(_folder.cleanup)
_about = pathlib.Path(_folder.name) / "ordo-0.dist-info"
_about.mkdir()
(_about / "METADATA").write_text("Metadata-Version: 2.1\nName: ordo\nVersion: 0\n")
(_about / "entry_points.txt").write_text("".join(
    f"[{group}]\n" + "".join(f"{name} = {where}\n" for name, where in points.items())
    for group, points in PROJECT["entry-points"].items()))
sys.path.insert(0, _folder.name)
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join((_folder.name, os.environ.get("PYTHONPATH", "")))}

try:
    import networkx as nx
except ImportError:
    print("networkx is missing")
    sys.exit(77)
if tuple(map(int, nx.__version__.split(".")[:2])) < (3, 6):
    print(f"NetworkX {nx.__version__}, expected 3.6 or later")
    sys.exit(77)

__all__ = ["ENVIRONMENT", "PROJECT", "ROOT", "nx"]
