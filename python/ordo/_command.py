"""The command `ordo`: the wheel's own, in place of this process."""
import os
import pathlib
import sys


def main() -> None:
    command = pathlib.Path(__file__).parent / "bin" / "ordo"
    if not command.exists():
        sys.exit("ordo: this wheel has no command: it was built where jansson was missing")
    os.execv(command, ["ordo", *sys.argv[1:]])
