"""The command `ordo`: where it is, and the wheel's own in place of this process."""
import os
import pathlib
import shutil
import sys

_OWN = pathlib.Path(__file__).parent / "bin" / "ordo"


def find() -> str:
    """Its path: what ORDO_COMMAND names, else the wheel's own, else the one in PATH."""
    found = os.environ.get("ORDO_COMMAND") or (str(_OWN) if _OWN.exists() else shutil.which("ordo"))
    if not found:
        raise FileNotFoundError("no command ordo: this package was built where jansson was missing, and there is none "
                                "in PATH; ORDO_COMMAND may name one")
    return found


def main() -> None:
    if not _OWN.exists():
        sys.exit("ordo: this wheel has no command: it was built where jansson was missing")
    os.environ.setdefault("ORDO_PYTHON", sys.executable)  # for `ordo report`, which becomes a process of Python again
    os.execv(_OWN, ["ordo", *sys.argv[1:]])
