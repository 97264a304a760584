"""Ordo: graph algorithms under schedulers of your choice.

    import ordo
    g = ordo.Graph.generate("road", vertices=100_000)
    r = ordo.sssp(g, 0, scheduler="delta", threads=2)
    r.dist, r.path_to(77), r.stats.run_seconds

Graphs are made from arrays, SciPy's matrices, files and generators (ordo.Graph). Each app of the command `ordo` is a
function of the same name. ordo.csgraph has the names of scipy.sparse.csgraph.

Each function takes the options of a run as keywords:

    scheduler=  a name (ordo.schedulers()), or "auto"              sync=     atomic, racy, lock, owner, server, race, auto
    device=     "cpu", "cuda", "auto"                              threads=  0: one for each core
    results=    "host"; "device": the result has its values on the GPU, too, as `device_array` (ordo.DeviceArray)
    timeout=    seconds that the run may take                      items=    "vertices" or "edges"
    trace=      True or seconds between samples: the result has the run over time, as `trace`
    progress=   a function of phase, done and total (0: not known), called at most 20 times a second. What it raises
                cancels the call
    settings=   a mapping; and any other keyword: tunables of the scheduler, such as delta=4096

Defaults are those of the library. Ctrl-C cancels a call in the main thread.
"""
from . import _abi as _abi
from ._apps import (Betweenness, Colouring, Communities, Components, Cores, HubsAndAuthorities, IndependentSet, Levels,
                    MaximumFlow, Paths, Ranks, Result, ShortestPaths, SpanningForest, Triangles, WidestPaths, bc,
                    bellman_ford, bfs, cc, colour, hits, johnson, kcore, lp, maxflow, mis, mst, pagerank, scc, sssp, tc,
                    widest)
from ._device import DeviceArray, devices, to_device
from ._errors import (CancelledError, DeviceError, Error, FileError, InputError, InternalError, NegativeCycleError,
                      NegativeWeightError, OutOfMemoryError, ResultOverflowError, RunTimeoutError, UnknownNameError,
                      UnsoundError, UsageError, VerificationError)
from ._compare import Comparison, Tuned, compare, tune
from ._graph import Graph
from ._lists import operators, schedulers
from ._operator import Operator, OperatorResult, operator
from ._stats import Stats
from ._trace import Trace

__version__ = _abi.VERSION
NO_VERTEX = _abi.NO_VERTEX
read = Graph.read
generate = Graph.generate

__all__ = ["Betweenness", "CancelledError", "Colouring", "Communities", "Comparison", "Components", "Cores", "DeviceArray", "DeviceError", "Error",
           "FileError", "Graph", "HubsAndAuthorities", "IndependentSet", "InputError", "InternalError", "Levels",
           "MaximumFlow", "NO_VERTEX", "NegativeCycleError", "NegativeWeightError", "Operator", "OperatorResult",
           "OutOfMemoryError", "Paths",
           "Ranks", "Result", "ResultOverflowError", "RunTimeoutError", "ShortestPaths", "SpanningForest", "Stats",
           "Trace", "Triangles", "Tuned", "UnknownNameError", "UnsoundError", "UsageError", "VerificationError", "WidestPaths", "bc",
           "bellman_ford", "bfs", "cc", "colour", "compare", "devices", "generate", "hits", "johnson", "kcore", "lp", "maxflow", "mis",
           "mst", "operator", "operators", "pagerank", "read", "scc", "schedulers", "sssp", "tc", "to_device", "tune", "widest"]
for _name in __all__:  # tracebacks and pickles then say ordo.UsageError
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = "ordo"
