"""The command `ordo`: where it is, calls of it, and the wheel's own in place of this process."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ._errors import (DeviceError, Error, InputError, InternalError, OutOfMemoryError, RunTimeoutError, UsageError,
                      VerificationError)

_BY_EXIT: dict[int, type[Error]] = {1: VerificationError, 2: UsageError, 3: InputError, 4: OutOfMemoryError,
                                    5: DeviceError, 6: RunTimeoutError}

_OWN = pathlib.Path(__file__).parent / "bin" / "ordo"


def find() -> str:
    """Its path: what ORDO_COMMAND names, else the wheel's own, else the one in PATH."""
    found = os.environ.get("ORDO_COMMAND") or (str(_OWN) if _OWN.exists() else shutil.which("ordo"))
    if not found:
        raise FileNotFoundError("no command ordo: this package was built where jansson was missing, and there is none "
                                "in PATH; ORDO_COMMAND may name one")
    return found


def call(words: Sequence[str], folder: str = "", whole: bool = False) -> str:
    """Calls the command and returns what it prints. Raises its last line where it fails, or with `whole` all that it said;
    `folder` is left out of names of files."""
    done = subprocess.run([find(), *words], capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    if done.returncode == 130:
        raise KeyboardInterrupt
    if done.returncode:
        said = done.stderr if whole and done.stderr.strip() else done.stdout if whole else done.stderr
        lines = said.rstrip().splitlines() or [f"ordo ended with status {done.returncode}"]
        if folder:
            lines = [line.replace(folder, "") for line in lines]
        lines = [lines[-1].removeprefix("ordo: "), *(lines[:-1] if whole else [])]
        raise _BY_EXIT.get(done.returncode, InternalError)("\n".join(lines))
    return done.stdout


def _list(value: Any) -> str:
    return value if isinstance(value, str) else ",".join(map(str, value)) if isinstance(value, Sequence) else str(value)


def words(**given: Any) -> list[str]:
    """Options of the command: None is none, True stands alone, a mapping is one option for each of its items."""
    words: list[str] = []
    for name, value in given.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, Mapping):
            for key, one in value.items():
                words += [option, f"{key}={_list(one)}"]
        else:
            words += [option, _list(value)]
    return words


def main() -> None:
    if not _OWN.exists():
        sys.exit("ordo: this wheel has no command: it was built where jansson was missing")
    os.environ.setdefault("ORDO_PYTHON", sys.executable)  # for `ordo report`, which becomes a process of Python again
    os.execv(_OWN, ["ordo", *sys.argv[1:]])
