"""The order in which a serial search takes vertices (ordo_bfs_order() and ordo_sssp_order() of <ordo/paths.h>): that of
SciPy and of NetworkX, whose predecessors follow from it."""
from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt

from ._abi import PathAnswer, PathQuery, library
from ._apps import ShortestPaths, _array_at, _query, _sources_of
from ._call import call
from ._graph import Graph, _at

_ref = ctypes.byref


def bfs_order(graph: Graph, source: npt.ArrayLike, limit: float | None = None,
              predecessors: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Breadth-first search with a queue, by this thread: its vertices in order; [n] levels and predecessors."""
    sources = _sources_of(graph, source)
    query = _query(graph, sources, limit, None, None)
    order, level = np.empty(graph.n, np.uint32), np.empty(graph.n, np.uint32)
    pred = np.empty(graph.n, np.uint32) if predecessors else None
    count = ctypes.c_uint64()
    answer = PathAnswer(_at(level), _array_at(pred))
    call(library.ordo_bfs_order, graph._at, _ref(query), _ref(answer), _at(order), _ref(count))
    return order[:count.value], level, pred


def sssp_order(found: ShortestPaths) -> tuple[np.ndarray, np.ndarray]:
    """The vertices that are reached, in the order of Dijkstra's algorithm with a heap that is first in, first out among
    equals; [n] predecessors."""
    reached = np.flatnonzero(found.reached).astype(np.uint32)
    order = reached[np.argsort(found.dist[reached])]
    pred = np.empty(found.graph.n, np.uint32)
    query = PathQuery(sources=_at(found.sources), source_count=len(found.sources))
    answer = PathAnswer(_at(found.dist), _at(pred))
    call(library.ordo_sssp_order, found.graph._at, _ref(query), _ref(answer), _at(order), len(order))
    return order, pred
