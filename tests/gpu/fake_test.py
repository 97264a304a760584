"""fake_test.py LIBORDO BACK_END PROGRAM ARGUMENTS... -- runs a program with a back end that is made for tests.

The library looks for its back ends beside itself, so both get a folder of their own.
"""
import os
import shutil
import subprocess
import sys
import tempfile

library, back_end, *command = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    shutil.copy(library, os.path.join(folder, "libordo.so.0"))
    shutil.copy(back_end, os.path.join(folder, "libordo-cuda.so"))
    sys.exit(subprocess.run(command, env=dict(os.environ, LD_LIBRARY_PATH=folder), check=False).returncode)
