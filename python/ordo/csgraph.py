"""SciPy's names: functions of scipy.sparse.csgraph with its arguments, defaults, sentinels (-9999, infinity) and types,
computed by Ordo. They also take the options of a run, such as scheduler= and threads=.

Where answers are not unique (predecessors of equally short paths, flows on edges, forests of equal weight, numbers of
strong components) Ordo's are its own, and always the same but for flows. breadth_first_order() gives the vertices of a
level in ascending order; SciPy gives them in the order of its queue. Searches from several sources are shared by
threads, each with one search at a time.
"""
from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph as theirs

from . import _apps, _errors
from ._graph import Graph
from ._many import each
from ._order import bfs_order

__all__ = ["bellman_ford", "breadth_first_order", "breadth_first_tree", "connected_components", "dijkstra",
           "floyd_warshall", "johnson", "maximum_flow", "minimum_spanning_tree", "shortest_path",
           "MaximumFlowResult", "NegativeCycleError"]

NegativeCycleError = theirs.NegativeCycleError

NONE = -9999  # SciPy's "no predecessor"
SMALL = 1 << 14  # vertices and edges of a graph below which a second thread costs more than it saves


def _csr(csgraph: Any, dtype: Any = np.float64) -> Any:
    """A square CSR matrix. Of a dense one zeros, infinities and NaN are no edges, as SciPy has it."""
    if not sparse.issparse(csgraph):
        csgraph = theirs.csgraph_from_dense(csgraph, null_value=0, nan_null=True, infinity_null=True)
    matrix = csgraph.tocsr()
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"compressed-sparse graph must be shape (N, N), found {matrix.shape}")
    return matrix if dtype is None else matrix.astype(dtype, copy=False)


def _graph(csgraph: Any, directed: bool = True, unweighted: bool = False) -> Graph:
    """The graph for shortest paths: reals of 8 bytes. No path has an edge that weighs infinity or NaN."""
    matrix = _csr(csgraph)
    if not unweighted and not np.isfinite(matrix.data).all():
        matrix = matrix.tocoo()
        keep = ~(np.isnan(matrix.data) | np.isposinf(matrix.data))
        matrix = sparse.csr_array((matrix.data[keep], (matrix.coords[0][keep], matrix.coords[1][keep])), matrix.shape)
    if directed:
        return Graph.from_scipy(matrix, weighted=not unweighted)
    edges = matrix.tocoo()
    tails, heads = (edges.row, edges.col)
    return Graph.from_edges(tails, heads, None if unweighted else edges.data, vertices=matrix.shape[0], symmetrise=True)


def _sources(indices: Any, n: int) -> np.ndarray:
    if indices is None:
        return np.arange(n)
    found = np.atleast_1d(np.asarray(indices))
    if found.size and found.dtype.kind not in "iu":
        raise TypeError(f"indices: {found.dtype}, expected whole numbers")
    found = np.where(found < 0, found + n, found)
    if found.size and (found.min() < 0 or found.max() >= n):
        raise ValueError(f"indices out of range 0...{n}")
    return found.ravel()


def _given(graph: Graph, options: dict[str, Any]) -> dict[str, Any]:
    return {"threads": 1, **options} if graph.n + graph.m < SMALL else options


def _predecessors(pred: np.ndarray) -> np.ndarray:
    pred = pred.view(np.int32)
    pred[pred == -1] = NONE
    return pred


def _paths(search: Callable[..., Any], graph: Graph, indices: Any, predecessors: bool, options: dict[str, Any]) -> Any:
    """Distances, and predecessors where they are asked for, in the shapes that SciPy gives."""
    sources = _sources(indices, graph.n)
    if len(sources) == 1:
        found = search(graph, int(sources[0]), predecessors=predecessors, **_given(graph, options))
        dist = found.dist.astype(np.float64, copy=False)
        if graph.weights is None:
            dist[~found.reached] = np.inf
        pred: Any = _predecessors(found.pred) if predecessors else None
        shape: Any = (graph.n,) if np.ndim(indices) == 0 and indices is not None else (1, graph.n)
        dist = dist.reshape(shape)
        return (dist, pred.reshape(shape)) if predecessors else dist
    shape = (*np.shape(indices), graph.n) if indices is not None else (graph.n, graph.n)
    dist = np.empty((len(sources), graph.n))
    pred = np.empty((len(sources), graph.n), np.int32) if predecessors else None

    def one(i: int, given: dict[str, Any]) -> None:
        found = search(graph, int(sources[i]), predecessors=predecessors, **given)
        dist[i] = found.dist
        if graph.weights is None:
            dist[i, ~found.reached] = np.inf
        if predecessors:
            pred[i] = _predecessors(found.pred)

    each(one, len(sources), dict(_given(graph, options)))
    return (dist.reshape(shape), pred.reshape(shape)) if predecessors else dist.reshape(shape)


def _negative(graph: Graph) -> bool:
    return graph.weights is not None and graph.m > 0 and bool(graph.weights.min() < 0)


def _signed(search: Callable[..., Any], *arguments: Any) -> Any:
    """Raises SciPy's NegativeCycleError for Ordo's."""
    try:
        return _paths(search, *arguments)
    except _errors.NegativeCycleError as error:
        raise NegativeCycleError(f"Negative cycle detected: {error}") from error


def dijkstra(csgraph: Any, directed: bool = True, indices: Any = None, return_predecessors: bool = False,
             unweighted: bool = False, limit: float = np.inf, min_only: bool = False, **options: Any) -> Any:
    """Shortest paths from each of `indices`. With min_only from the nearest of them: distances, predecessors and
    sources. Negative weights: a warning, as SciPy gives, and the answer of bellman_ford()."""
    graph = _graph(csgraph, directed, unweighted)
    search = _apps.sssp
    if _negative(graph):
        warnings.warn("Graph has negative weights: dijkstra will give inaccurate results if the graph contains negative "
                      "cycles. Consider johnson or bellman_ford.", UserWarning, stacklevel=2)
        if not min_only and limit == np.inf:
            return _signed(_apps.bellman_ford, graph, indices, return_predecessors, options)
    if not limit >= 0:
        raise ValueError("limit must be >= 0")
    if limit != np.inf:
        options["limit"] = limit
    if not min_only:
        return _paths(search, graph, indices, return_predecessors, options)
    found: Any = search(graph, _sources(indices, graph.n), predecessors=return_predecessors,
                        nearest=return_predecessors, **_given(graph, options))
    dist = found.dist.astype(np.float64, copy=False)
    if graph.weights is None:
        dist[~found.reached] = np.inf
    return (dist, _predecessors(found.pred), _predecessors(found.nearest)) if return_predecessors else dist


def bellman_ford(csgraph: Any, directed: bool = True, indices: Any = None, return_predecessors: bool = False,
                 unweighted: bool = False, **options: Any) -> Any:
    """Shortest paths over weights of either sign. NegativeCycleError where one of `indices` reaches a negative
    cycle."""
    return _signed(_apps.bellman_ford, _graph(csgraph, directed, unweighted), indices, return_predecessors, options)


def johnson(csgraph: Any, directed: bool = True, indices: Any = None, return_predecessors: bool = False,
            unweighted: bool = False, **options: Any) -> Any:
    """As bellman_ford(): SciPy also looks for negative cycles that no path from `indices` leads to."""
    graph = _graph(csgraph, directed, unweighted)
    if not _negative(graph):
        return _paths(_apps.sssp, graph, indices, return_predecessors, options)
    return _signed(_apps.bellman_ford, graph, indices, return_predecessors, options)


def floyd_warshall(csgraph: Any, directed: bool = True, return_predecessors: bool = False, unweighted: bool = False,
                   overwrite: bool = False, **options: Any) -> Any:
    """All shortest paths, by a search from each vertex."""
    return johnson(csgraph, directed, None, return_predecessors, unweighted, **options)


def shortest_path(csgraph: Any, method: str = "auto", directed: bool = True, return_predecessors: bool = False,
                  unweighted: bool = False, overwrite: bool = False, indices: Any = None, **options: Any) -> Any:
    """Shortest paths; method: auto, FW, D, BF or J. FW and J are the same here."""
    arguments = (csgraph, directed, indices, return_predecessors, unweighted)
    if method == "D":
        return dijkstra(*arguments, **options)
    if method == "BF":
        return bellman_ford(*arguments, **options)
    if method == "FW" and indices is not None:
        raise ValueError("Cannot specify indices with method == 'FW'.")
    if method not in ("auto", "FW", "J"):
        raise ValueError(f"unrecognized method '{method}'")
    return johnson(*arguments, **options)


def breadth_first_order(csgraph: Any, i_start: int, directed: bool = True, return_predecessors: bool = True,
                        **options: Any) -> Any:
    """The vertices that i_start reaches, in the order of a queue, and their predecessors. That order is one of one thread:
    of the options of a run `threads` alone is accepted, and of no effect."""
    if options.keys() - {"threads"}:
        raise _errors.UsageError(f"{min(options.keys() - {'threads'})}: a breadth-first order is found without a scheduler")
    matrix = _csr(csgraph, None)
    if not directed:  # rows of both matrices, one behind the other
        n = matrix.shape[0]
        matrix = sparse.hstack([matrix, matrix.T.tocsr()], format="csr")
        matrix = sparse.csr_array((matrix.data, matrix.indices % n, matrix.indptr), (n, n))
    graph = Graph.from_scipy(matrix, weighted=False)
    order, _, pred = bfs_order(graph, int(_sources(i_start, graph.n)[0]), predecessors=return_predecessors)
    return (order.view(np.int32), _predecessors(pred)) if pred is not None else order.view(np.int32)


def breadth_first_tree(csgraph: Any, i_start: int, directed: bool = True, **options: Any) -> Any:
    """The tree of breadth_first_order()'s predecessors."""
    return theirs.reconstruct_path(csgraph, breadth_first_order(csgraph, i_start, directed, **options)[1], directed)


def connected_components(csgraph: Any, directed: bool = True, connection: str = "weak", return_labels: bool = True,
                         **options: Any) -> Any:
    """The number of components, and the component of each vertex, counted from 0 in the order of their smallest
    vertices."""
    if connection.lower() not in ("weak", "strong"):
        raise ValueError("connection must be 'weak' or 'strong'")
    matrix = _csr(csgraph, None)
    graph = Graph.from_scipy(matrix, weighted=False)
    found = (_apps.scc if directed and connection.lower() == "strong" else _apps.cc)(graph, **_given(graph, options))
    return (found.count, found.labels) if return_labels else found.count


def minimum_spanning_tree(csgraph: Any, overwrite: bool = False, **options: Any) -> Any:
    """A minimum spanning forest, as a sparse matrix with one entry for each edge; edges of weight 0 have none."""
    matrix = _csr(csgraph)
    graph = Graph.from_scipy(matrix)
    edges = _apps.mst(graph, **_given(graph, options)).edges
    indptr = np.searchsorted(edges, matrix.indptr.astype(np.uint64)).astype(matrix.indptr.dtype)
    kind = sparse.csr_matrix if isinstance(csgraph, sparse.spmatrix) else sparse.csr_array
    tree = kind((matrix.data[edges], matrix.indices[edges], indptr), shape=matrix.shape)
    tree.eliminate_zeros()
    return tree


@dataclass
class MaximumFlowResult:
    """flow_value, and flow: entry (u, v) is the flow from u to v, that from v to u less."""
    flow_value: int
    flow: Any


def maximum_flow(csgraph: Any, source: int, sink: int, *, method: str = "dinic", **options: Any) -> MaximumFlowResult:
    """A maximum flow over whole capacities; method is checked, and the app's own is used (push-relabel)."""
    if not isinstance(csgraph, (sparse.csr_array, sparse.csr_matrix)):
        raise TypeError("graph must be in CSR format")
    matrix: Any = csgraph
    if matrix.dtype.kind not in "iu":
        raise ValueError("graph capacities must be integers")
    if method not in ("edmonds_karp", "dinic"):
        raise ValueError(f"{method} method is not supported yet")
    if source == sink:
        raise ValueError("source and sink vertices must differ")
    n = matrix.shape[0]
    if n != matrix.shape[1]:
        raise ValueError("graph must be specified as a square matrix")
    for name, vertex in (("source", source), ("sink", sink)):
        if not 0 <= vertex < n:
            raise ValueError(f"{name} value ({vertex}) must be between 0 and {n - 1}")
    graph = Graph.from_scipy(matrix)
    found: Any = _apps.maxflow(graph, source, sink, **_given(graph, options))
    kind: Any = sparse.csr_matrix if isinstance(csgraph, sparse.spmatrix) else sparse.csr_array
    type = np.int32 if np.can_cast(matrix.dtype, np.int32) else np.int64
    used = np.flatnonzero(found.flow)
    forward = (matrix.indices[used], np.searchsorted(used, matrix.indptr))
    flow = kind((found.flow[used].astype(type), *forward), shape=matrix.shape)
    return MaximumFlowResult(found.value, (flow - flow.T).tocsr())
