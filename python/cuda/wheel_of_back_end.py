"""Builds the wheel `ordo-cuda` (PEP 517): compiles the target libordo-cuda.so of the source tree two folders up, and packs it
with the package ordo_cuda. The shared object calls libordo alone, which the package `ordo` has loaded by then, so the
wheel's tag names a platform and no version of Python, and it requires the `ordo` of its own version.

Not done: a source distribution, since the sources are those of the whole tree.
"""
import base64
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NAME = "libordo-cuda.so"


def _version():
    return re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text())[1]


def _files(version):
    """METADATA and WHEEL, by name in the wheel."""
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    info = f"ordo_cuda-{version}.dist-info"
    metadata = f"""Metadata-Version: 2.1
Name: ordo-cuda
Version: {version}
Summary: Ordo's back end for GPUs
License: MIT
Requires-Python: >=3.11
Requires-Dist: ordo=={version}
"""
    wheel = f"Wheel-Version: 1.0\nGenerator: ordo\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n"
    return info, f"ordo_cuda-{version}-py3-none-{platform}.whl", {f"{info}/METADATA": metadata.encode(), f"{info}/WHEEL": wheel.encode(),
                                                                  f"{info}/LICENSE": (ROOT / "LICENSE").read_bytes()}


def _list(value):
    return [] if value is None else [value] if isinstance(value, str) else list(value)


def _compile(settings, folder):
    options = [word for one in _list(settings.get("setup-args")) for word in shlex.split(one)]
    subprocess.run(["meson", "setup", folder, str(ROOT), "--buildtype=release", "-Db_ndebug=false", "-Dcuda=enabled", "-Dtests=disabled",
                    "-Ddocs=disabled", "-Dcommand=disabled", "-Dmpi=disabled", "-Dpapi=disabled", *options], check=True)
    subprocess.run(["ninja", "-C", folder, NAME], check=True)
    return pathlib.Path(folder, NAME)


def _pack(path, info, files):
    rows = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(content)}")
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same bytes from the same files
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
        record = f"{info}/RECORD"
        wheel.writestr(zipfile.ZipInfo(record, (1980, 1, 1, 0, 0, 0)), "\n".join([*rows, f"{record},,", ""]))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = config_settings or {}
    info, name, files = _files(_version())
    with tempfile.TemporaryDirectory() as folder:
        given = settings.get("library")
        library = pathlib.Path(given) if given else _compile(settings, folder)
        if library.name != NAME:
            raise SystemExit(f"{library}: expected a file {NAME}")
        files = {"ordo_cuda/__init__.py": (HERE / "ordo_cuda" / "__init__.py").read_bytes(), f"ordo_cuda/{NAME}": library.read_bytes(), **files}
    _pack(os.path.join(wheel_directory, name), info, files)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("ordo-cuda has no source distribution: its sources are those of the whole tree")
