#!/usr/bin/env python3
"""NetworkX's own tests of most functions that the backend serves, run by pytest with Ordo in the place of NetworkX, which
answers what the backend does not. usage: nx_suite_test.py SOURCE_ROOT [all]: the whole suite, minutes, also without
NetworkX's answers (where a test that needs one counts as expected to fail)"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import nx_case
from nx_case import ENVIRONMENT

try:
    import pytest  # noqa: F401
except ImportError:
    print("pytest is missing")
    sys.exit(77)

MODULES = [f"networkx.algorithms.{name}" for name in (
    "shortest_paths.tests.test_generic", "shortest_paths.tests.test_unweighted", "shortest_paths.tests.test_weighted",
    "traversal.tests.test_bfs", "components.tests.test_connected", "components.tests.test_weakly_connected",
    "tests.test_core", "tests.test_cluster", "tests.test_voronoi", "tree.tests.test_mst",
    "centrality.tests.test_closeness_centrality", "flow.tests.test_maxflow",
    "link_analysis.tests.test_pagerank")]
LEAST = 60  # functions of the backend that these call

# Notes which functions of the backend are called, and how often.
PLUGIN = '''
import collections, json, os
from ordo_networkx.backend import backend
from ordo_networkx.serve import SERVED
calls = collections.Counter()
def counted(name, function):
    def call(*args, **kwargs):
        calls[name] += 1
        return function(*args, **kwargs)
    return call
for name, function in SERVED.items():
    setattr(backend, name, counted(name, function))
def pytest_sessionfinish():
    with open(os.environ["CALLS"], "w") as f:
        json.dump(calls, f)
'''


def run(modules, fallback):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "counting.py").write_text(PLUGIN)
        env = {**ENVIRONMENT, "NETWORKX_TEST_BACKEND": "ordo", "CALLS": f"{folder}/calls", "PYTHONDONTWRITEBYTECODE": "1",
               "PYTHONPATH": os.pathsep.join((folder, ENVIRONMENT["PYTHONPATH"]))}
        env.pop("NETWORKX_FALLBACK_TO_NX", None)
        if fallback:
            env["NETWORKX_FALLBACK_TO_NX"] = "True"
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "counting", "-p", "no:cacheprovider", "--pyargs", *modules],
                              env=env, cwd=folder, text=True, capture_output=True)
        print(done.stdout[-3000:] if done.returncode else done.stdout.splitlines()[-1], done.stderr[-2000:])
        calls = json.loads((pathlib.Path(folder) / "calls").read_text())
        print(f"{len(calls)} functions of the backend were called, {sum(calls.values())} times")
        return done.returncode == 0 and (len(calls) >= LEAST or not fallback)


if "all" in sys.argv:
    found = [run(["networkx"], fallback) for fallback in (True, False)]
else:
    found = [run(MODULES, True)]
sys.exit(not all(found))
