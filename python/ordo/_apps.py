"""The apps: one function for each, by the name that it has in the command. Answers are the library's
(<ordo/apps.h>, docs/apps.md), in arrays that belong to the result. The options of a run, which each function takes as
keywords, are explained in __init__.py."""
from __future__ import annotations

import ctypes
import operator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _abi
from ._abi import NO_VERTEX, library
from ._call import Progress, call, options_of
from ._device import DeviceArray
from ._errors import NegativeCycleError, UsageError
from ._graph import Graph, _at, vertices_of
from ._stats import Stats
from ._trace import Trace

How = Literal["auto", "serial", "certificate", "both"]
_HOW = {"auto": 0, "serial": 1, "certificate": 2, "both": 3}
_ref = ctypes.byref


def _options(given: dict[str, Any], stats: Stats, cells: np.ndarray | None) -> tuple[_abi.Options | None, Progress | None]:
    """options_of(), and with results="device" an array there for what the run leaves in `cells`; None: it leaves none."""
    results = given.pop("results", "host")
    if results not in ("host", "device"):
        raise UsageError(f"results={results!r}, expected host or device")
    if results == "host":
        return options_of(given, stats)
    if cells is None:
        raise UsageError("results='device' is for sssp, bfs, widest, cc, kcore and lp, whose answers a run leaves on the device; "
                         "ordo.to_device() copies others there")
    if given.get("device") is None:
        given["device"] = "cuda"
    array = DeviceArray(cells.size, cells.dtype)
    options, progress = options_of(given, stats)
    assert options is not None  # it names a device
    options.device_cells, options.device_bytes = array._at, cells.nbytes
    stats.device_array = array
    return options, progress


def _run(function: Any, given: dict[str, Any], graph: Graph, *arguments: Any, cells: np.ndarray | None = None) -> Stats:
    """Calls function(graph, ...) with the two arguments OPTIONS and STATS filled in."""
    _must_be_graph(graph)
    stats = Stats()
    options, progress = _options(given, stats, cells)
    at = _address(options)
    call(function, graph._at, *[at if a is OPTIONS else stats._at if a is STATS else a for a in arguments],
         progress=progress)
    return stats


OPTIONS, STATS = object(), object()


def _address(options: _abi.Options | None) -> int | None:
    return None if options is None else ctypes.addressof(options)


def _must_be_graph(graph: Any) -> None:
    if not isinstance(graph, Graph):
        raise TypeError(f"{type(graph).__name__} given, expected an ordo.Graph")


def _for_vertices(graph: Graph, type: Any) -> np.ndarray:
    """An array for an answer: a value for each vertex."""
    _must_be_graph(graph)
    return np.empty(graph.n, type)


def _how(how: str) -> int:
    if how not in _HOW:
        raise UsageError(f"how={how!r}, expected auto, serial, certificate or both")
    return _HOW[how]


class Result:
    """What the results of all apps have: `graph`, `stats`, and `chosen`, why a scheduler or sync was chosen ("" where
    none was). verify() checks the answer by code that the schedulers do not share, and raises VerificationError."""

    graph: Graph
    stats: Stats

    def __init__(self, graph: Graph, stats: Stats, **members: Any):
        self.graph, self.stats = graph, stats
        self.__dict__.update(members)

    @property
    def chosen(self) -> str:
        return self.stats.chosen

    @property
    def device_array(self) -> DeviceArray | None:
        """The values (dist, level, width, component, core, label) in the memory of the GPU, with results="device"; else
        None. An array of its own: changing it changes nothing else."""
        return self.stats.device_array

    @property
    def trace(self) -> Trace | None:
        """The run over time (ordo.Trace), with trace=True or trace=SECONDS; else None."""
        return None if self.stats.recorder is None else self.stats.recorder.trace

    def __repr__(self) -> str:
        names = [n for n, v in vars(self).items() if n not in ("graph", "stats") and n[0] != "_" and v is not None]
        return f"<ordo.{type(self).__name__}: {', '.join(names)}; {self.stats!r}>"


# ---- paths ----

class Paths(Result):
    """Paths from `sources`. pred: the predecessor of each vertex, NO_VERTEX for sources and the unreached. nearest: the
    source that its path comes from. within: what is farther is not known, infinite where all is."""

    sources: np.ndarray
    pred: np.ndarray | None
    nearest: np.ndarray | None
    within: float
    _values: np.ndarray
    _verify: Any
    _query: _abi.PathQuery

    @property
    def reached(self) -> np.ndarray:
        """[n] of bool: whether there is a path."""
        values = self._values
        return np.isfinite(values) if values.dtype.kind == "f" else values != np.iinfo(values.dtype).max

    def path_to(self, vertex: int) -> np.ndarray:
        """The vertices of a best path, source first; empty where there is none."""
        if self.pred is None:
            raise UsageError("there are no predecessors: expected predecessors=True")
        if not 0 <= vertex < len(self.pred):
            raise IndexError(f"vertex {vertex} of {len(self.pred)}")
        if not self.reached[vertex]:
            return np.empty(0, np.uint32)
        source = vertex
        if len(self.sources) == 1:
            source = int(self.sources[0])
        else:
            while self.pred[source] != NO_VERTEX:
                source = int(self.pred[source])
        count = library.ordo_path(_at(self.pred), len(self.pred), source, vertex, None, 0)
        path = np.empty(count, np.uint32)
        library.ordo_path(_at(self.pred), len(self.pred), source, vertex, _at(path), count)
        return path

    def _answer(self) -> _abi.PathAnswer:
        within = ctypes.c_double(self.within)
        answer = _abi.PathAnswer(value=_at(self._values), pred=_array_at(self.pred), nearest=_array_at(self.nearest))
        answer.within = ctypes.cast(_ref(within), ctypes.c_void_p)
        answer._within = within
        return answer

    def verify(self, how: How = "auto") -> None:
        call(self._verify, self.graph._at, _ref(self._query), _ref(self._answer()), _how(how))


class ShortestPaths(Paths):
    """dist: distances, of the type of the weights (uint32 without); its largest value, or infinity, where there is no
    path."""

    dist: np.ndarray


class Levels(Paths):
    """level: the least number of edges, uint32; its largest value where there is no path."""

    level: np.ndarray


class WidestPaths(Paths):
    """width: the largest width of a path; 0 where there is none, the type's largest value at sources."""

    width: np.ndarray

    @property
    def reached(self) -> np.ndarray:
        """[n] of bool: whether there is a path of a width above 0."""
        return self.width > 0


def _array_at(array: np.ndarray | None) -> int | None:
    return None if array is None else _at(array)


def _sources_of(graph: Graph, source: npt.ArrayLike) -> np.ndarray:
    _must_be_graph(graph)
    try:
        vertex = operator.index(source)  # type: ignore[arg-type]
    except TypeError:
        return vertices_of("source", source)
    return np.array([_vertex_of("source", graph, vertex)], np.uint32)


def _vertex_of(what: str, graph: Graph, vertex: int) -> int:
    if not 0 <= vertex < graph.n:
        raise UsageError(f"{what} {vertex} is no vertex: the graph has {graph.n}, counted from 0")
    return vertex


def _query(graph: Graph, sources: np.ndarray, limit: float | None, targets: npt.ArrayLike | None,
           stop_after: int | None) -> _abi.PathQuery:
    query = _abi.PathQuery(sources=_at(sources), source_count=len(sources), stop_after=stop_after or 0)
    query._arrays = [sources]  # lives as long as the query, which verify() uses again
    if limit is not None:
        query.limited, query.limit = True, limit
    if targets is not None:
        ends = vertices_of("targets", np.atleast_1d(np.asarray(targets)))
        query.targets, query.target_count = _at(ends), len(ends)
        query._arrays.append(ends)
    return query


def _value_type(graph: Graph) -> str:
    return _abi.TYPES[library.ordo_sssp_type(graph._at)]


def _paths(kind: type, app: str, member: str, type: str, graph: Graph, source: npt.ArrayLike, limit: float | None,
           targets: npt.ArrayLike | None, stop_after: int | None, predecessors: bool, nearest: bool,
           options: dict[str, Any]) -> Any:
    """A call of ordo_APP_from()."""
    sources = _sources_of(graph, source)
    query = _query(graph, sources, limit, targets, stop_after)
    n = graph.n
    values = np.empty(n, type)
    pred = np.empty(n, np.uint32) if predecessors else None
    near = np.empty(n, np.uint32) if nearest else None
    within = ctypes.c_double(float("inf"))
    stats = Stats()
    answer = _abi.PathAnswer(_at(values), _array_at(pred), _array_at(near), stats._at, ctypes.addressof(within))
    given, progress = _options(options, stats, values)
    call(getattr(library, f"ordo_{app}_from"), graph._at, _ref(query), _address(given), _ref(answer), progress=progress)
    return kind(graph, stats, sources=sources, pred=pred, nearest=near, within=within.value, _values=values,
                _query=query, _verify=getattr(library, f"ordo_{app}_from_verify"), **{member: values})


def sssp(graph: Graph, source: npt.ArrayLike, *, limit: float | None = None, targets: npt.ArrayLike | None = None,
         stop_after: int | None = None, predecessors: bool = True, nearest: bool = False,
         **options: Any) -> ShortestPaths:
    """Shortest paths from one source or several; weights must not be negative.

    limit: vertices farther than it count as unreached. The search ends once all `targets`, or `stop_after` vertices,
    are final.
    """
    return _paths(ShortestPaths, "sssp", "dist", _value_type(graph), graph, source, limit, targets, stop_after,
                  predecessors, nearest, options)


def bfs(graph: Graph, source: npt.ArrayLike, *, limit: float | None = None, targets: npt.ArrayLike | None = None,
        stop_after: int | None = None, predecessors: bool = True, nearest: bool = False, **options: Any) -> Levels:
    """Breadth-first search from one source or several; arguments as of sssp(). Weights are not used."""
    return _paths(Levels, "bfs", "level", "uint32", graph, source, limit, targets, stop_after, predecessors, nearest,
                  options)


def widest(graph: Graph, source: npt.ArrayLike, *, nearest: bool = False, **options: Any) -> WidestPaths:
    """Widest paths from one source or several; weights are capacities and must not be negative."""
    return _paths(WidestPaths, "widest", "width", _value_type(graph), graph, source, None, None, None, False, nearest,
                  options)


def _signed_paths(app: str, rows: int | None, graph: Graph, sources: np.ndarray, predecessors: bool, nearest: bool,
                  options: dict[str, Any]) -> ShortestPaths:
    """A call of ordo_bellman_ford() or ordo_johnson(), which may find a cycle instead."""
    shape = (graph.n,) if rows is None else (rows, graph.n)
    query = _query(graph, sources, None, None, None)
    values = np.empty(shape, _value_type(graph))
    pred = np.empty(shape, np.uint32) if predecessors else None
    near = np.empty(shape, np.uint32) if nearest else None
    stats, cycle = Stats(), _abi.Cycle()
    answer = _abi.PathAnswer(_at(values), _array_at(pred), _array_at(near), stats._at)
    given, progress = _options(options, stats, None)
    try:
        call(getattr(library, f"ordo_{app}"), graph._at, _ref(query), _address(given), _ref(answer), _ref(cycle),
             progress=progress)
        if cycle.length:
            vertices = np.frombuffer(ctypes.string_at(cycle.vertex, 4 * cycle.length), np.uint32)
            edges = np.frombuffer(ctypes.string_at(cycle.edge, 8 * cycle.length), np.uint64)
            weight = cycle.real if cycle.type in (_abi.F32, _abi.F64) else cycle.whole
            raise NegativeCycleError(f"there are no shortest paths: a cycle of {cycle.length} edges from vertex "
                                     f"{vertices[0]} weighs {weight:g}", vertices, edges, weight)
    finally:
        library.ordo_cycle_free(_ref(cycle))
    return _Signed(graph, stats, sources=sources, pred=pred, nearest=near, within=float("inf"), _values=values,
                   dist=values, _query=query, _verify=getattr(library, f"ordo_{app}_verify"))


class _Signed(ShortestPaths):
    """Verified together with the cycle that was not found."""

    def verify(self, how: How = "auto") -> None:
        call(self._verify, self.graph._at, _ref(self._query), _ref(self._answer()), _ref(_abi.Cycle()), _how(how))

    def path_to(self, vertex: int) -> np.ndarray:
        if self._values.ndim > 1:
            raise UsageError("there is a row of predecessors for each source: follow pred[i]")
        return super().path_to(vertex)


def bellman_ford(graph: Graph, source: npt.ArrayLike, *, predecessors: bool = True, nearest: bool = False,
                 **options: Any) -> ShortestPaths:
    """Shortest paths over weights of either sign. NegativeCycleError where a source reaches a negative cycle."""
    return _signed_paths("bellman_ford", None, graph, _sources_of(graph, source), predecessors, nearest, options)


def johnson(graph: Graph, sources: npt.ArrayLike, *, predecessors: bool = True, **options: Any) -> ShortestPaths:
    """Shortest paths from each of several sources, over weights of either sign: dist and pred have a row for each."""
    ends = _sources_of(graph, sources)
    return _signed_paths("johnson", len(ends), graph, ends, predecessors, False, options)


# ---- one value for each vertex ----

class Components(Result):
    """component: the smallest vertex of each vertex's component."""

    component: np.ndarray
    _check: Any

    @property
    def count(self) -> int:
        """The number of components."""
        return int(np.count_nonzero(self.component == np.arange(len(self.component), dtype=np.uint32)))

    @property
    def labels(self) -> np.ndarray:
        """[n] of int32: components counted from 0, in ascending order of their smallest vertices."""
        names = self.component == np.arange(len(self.component), dtype=np.uint32)
        return (np.cumsum(names, dtype=np.int32) - 1)[self.component]

    def verify(self, how: How = "auto") -> None:
        call(self._check, self.graph._at, _at(self.component), _how(how))


def cc(graph: Graph, **options: Any) -> Components:
    """Connected components; of a directed graph the weak ones."""
    component = _for_vertices(graph, np.uint32)
    stats = _run(library.ordo_cc, options, graph, OPTIONS, _at(component), STATS, cells=component)
    return Components(graph, stats, component=component, _check=library.ordo_cc_verify)


def scc(graph: Graph, **options: Any) -> Components:
    """Strong components."""
    component = _for_vertices(graph, np.uint32)
    stats = _run(library.ordo_scc, options, graph, OPTIONS, _at(component), STATS)
    return Components(graph, stats, component=component, _check=library.ordo_scc_verify)


class IndependentSet(Result):
    """member: uint32, 1 for vertices of the set, else 0."""

    member: np.ndarray

    @property
    def vertices(self) -> np.ndarray:
        """The members' ids."""
        return np.flatnonzero(self.member)

    def verify(self, how: How = "auto") -> None:
        call(library.ordo_mis_verify, self.graph._at, _at(self.member), _how(how))


def mis(graph: Graph, **options: Any) -> IndependentSet:
    """A maximal independent set, always the same one."""
    member = _for_vertices(graph, np.uint32)
    stats = _run(library.ordo_mis, options, graph, OPTIONS, _at(member), STATS)
    return IndependentSet(graph, stats, member=member)


class Colouring(Result):
    """colour: uint32, from 0."""

    colour: np.ndarray

    @property
    def count(self) -> int:
        """The number of colours."""
        return int(self.colour.max()) + 1 if len(self.colour) else 0

    def verify(self, how: How = "auto") -> None:
        call(library.ordo_colour_verify, self.graph._at, _at(self.colour), _how(how))


def colour(graph: Graph, **options: Any) -> Colouring:
    """A greedy colouring: neighbours have different colours."""
    values = _for_vertices(graph, np.uint32)
    stats = _run(library.ordo_colour, options, graph, OPTIONS, _at(values), STATS)
    return Colouring(graph, stats, colour=values)


class Cores(Result):
    """core: uint32, core numbers; with k 1 for vertices of the k-core, else 0."""

    core: np.ndarray
    k: int

    def verify(self, how: How = "auto") -> None:
        call(library.ordo_kcore_verify, self.graph._at, self.k, _at(self.core), _how(how))


def kcore(graph: Graph, k: int = 0, **options: Any) -> Cores:
    """Core numbers, or with k the k-core. Directions, loops and parallel edges do not matter."""
    core = _for_vertices(graph, np.uint32)
    stats = _run(library.ordo_kcore, options, graph, k, OPTIONS, _at(core), STATS, cells=core)
    return Cores(graph, stats, core=core, k=k)


class Communities(Result):
    """label: uint32, a vertex id for each vertex."""

    label: np.ndarray
    rounds: int

    def verify(self, how: How = "auto") -> None:
        call(library.ordo_labels_verify, self.graph._at, self.rounds, _at(self.label), _how(how))


def lp(graph: Graph, rounds: int = 10, **options: Any) -> Communities:
    """Communities by label propagation, in at most so many rounds."""
    label = _for_vertices(graph, np.uint32)
    stats = _run(library.ordo_labels, options, graph, rounds, OPTIONS, _at(label), STATS, cells=label)
    return Communities(graph, stats, label=label, rounds=rounds)


class Ranks(Result):
    """rank: float64, adds up to 1. error bounds the sum of the deviations; dangling: vertices without an out-edge."""

    rank: np.ndarray
    error: float
    residual: float
    dangling: int
    damping: float

    def verify(self, how: How = "auto") -> None:
        call(library.ordo_pagerank_verify, self.graph._at, self.damping, _at(self.rank), self.error, _how(how))


def pagerank(graph: Graph, damping: float = 0.85, tolerance: float = 1e-6, **options: Any) -> Ranks:
    """PageRank. Weights are not used, parallel edges count each."""
    rank, found = _for_vertices(graph, np.float64), _abi.Ranks()
    stats = _run(library.ordo_pagerank, options, graph, damping, tolerance, OPTIONS, _at(rank), _ref(found), STATS)
    return Ranks(graph, stats, rank=rank, error=found.error, residual=found.residual, dangling=found.dangling,
                 damping=damping)


class HubsAndAuthorities(Result):
    """hub, authority: float64. rounds that were made; change: how far the hubs moved in the last one."""

    hub: np.ndarray
    authority: np.ndarray
    rounds: int
    change: float

    def verify(self, how: How = "auto") -> None:
        found = _abi.Hits(self.rounds, self.change)
        call(library.ordo_hits_verify, self.graph._at, _at(self.hub), _at(self.authority), _ref(found), _how(how))


def hits(graph: Graph, rounds: int = 50, **options: Any) -> HubsAndAuthorities:
    """Hubs and authorities, in at most so many rounds."""
    hub, authority, found = _for_vertices(graph, np.float64), _for_vertices(graph, np.float64), _abi.Hits()
    stats = _run(library.ordo_hits, options, graph, rounds, OPTIONS, _at(hub), _at(authority), _ref(found), STATS)
    return HubsAndAuthorities(graph, stats, hub=hub, authority=authority, rounds=found.rounds, change=found.change)


class Triangles(Result):
    """triangles, wedges, transitivity, clustering; corner: uint64, the triangles at each vertex, or None."""

    corner: np.ndarray | None
    triangles: int
    wedges: int
    transitivity: float
    clustering: float
    _found: _abi.Triangles

    def verify(self, how: How = "auto") -> None:
        call(library.ordo_triangles_verify, self.graph._at, _array_at(self.corner), _ref(self._found), _how(how))


def tc(graph: Graph, *, corners: bool = False, **options: Any) -> Triangles:
    """Triangles in all, and with corners=True at each vertex. Directions, loops and parallel edges do not matter."""
    corner, found = _for_vertices(graph, np.uint64) if corners else None, _abi.Triangles()
    stats = _run(library.ordo_triangles, options, graph, OPTIONS, _array_at(corner), _ref(found), STATS)
    return Triangles(graph, stats, corner=corner, triangles=found.triangles, wedges=found.wedges,
                     transitivity=found.transitivity, clustering=found.clustering, _found=found)


class Betweenness(Result):
    """score: float64, neither scaled nor normalised. error: scores are too small by less than this."""

    score: np.ndarray
    sources: np.ndarray | None
    error: float
    most_paths: float

    def verify(self, how: How = "auto") -> None:
        count = 0 if self.sources is None else len(self.sources)
        call(library.ordo_betweenness_verify, self.graph._at, _array_at(self.sources), count, _at(self.score),
             self.error, _how(how))


def bc(graph: Graph, sources: npt.ArrayLike | None = None, **options: Any) -> Betweenness:
    """Betweenness, from some sources or from all. Weights are not used."""
    ends = None if sources is None else _sources_of(graph, sources)
    score, found = _for_vertices(graph, np.float64), _abi.Betweenness()
    stats = _run(library.ordo_betweenness, options, graph, _array_at(ends), 0 if ends is None else len(ends), OPTIONS,
                 _at(score), _ref(found), STATS)
    return Betweenness(graph, stats, score=score, sources=ends, error=found.error, most_paths=found.most_paths)


# ---- forests and flows ----

class SpanningForest(Result):
    """edges: uint64, ids of the forest's edges, ascending: indices into the graph's rows. trees: their number. weight:
    the sum of the weights."""

    edges: np.ndarray
    trees: int
    weight: float
    _found: _abi.Forest

    @property
    def tails(self) -> np.ndarray:
        """The tails of the edges."""
        return self.graph.tails(self.edges)

    @property
    def heads(self) -> np.ndarray:
        """The heads of the edges."""
        return self.graph.indices[self.edges]

    def verify(self, how: How = "auto") -> None:
        call(library.ordo_mst_verify, self.graph._at, _at(self.edges), _ref(self._found), _how(how))


def mst(graph: Graph, **options: Any) -> SpanningForest:
    """A minimum spanning forest; ties fall to the smaller edge, so it is unique. Directions do not matter."""
    edges, found = _for_vertices(graph, np.uint64), _abi.Forest()
    stats = _run(library.ordo_mst, options, graph, OPTIONS, _at(edges), _ref(found), STATS)
    kind = _abi.TYPES[found.type].replace("uint", "u").replace("int", "i").replace("float", "f")
    return SpanningForest(graph, stats, edges=edges[:found.edges].copy(), trees=found.trees,
                          weight=getattr(found.weight, kind), _found=found)


class MaximumFlow(Result):
    """value: what reaches the sink. flow: uint64, on each stored edge. side: bool, True on the source side of the
    minimum cut whose sink side is smallest."""

    value: int
    flow: np.ndarray | None
    side: np.ndarray
    source: int
    sink: int
    _found: _abi.Flow
    _query: _abi.FlowOptions

    @property
    def cut(self) -> np.ndarray:
        """The ids of the edges from the source side to the sink side."""
        return np.flatnonzero(self.side[self.graph.tails()] & ~self.side[self.graph.indices])

    def verify(self, how: How = "auto") -> None:
        if self.flow is None:
            raise UsageError("there is no flow on edges: expected flow=True")
        call(library.ordo_maxflow_verify, self.graph._at, self.source, self.sink, _ref(self._query), _at(self.flow),
             _at(self.side), _ref(self._found), _how(how))


def maxflow(graph: Graph, source: int | None = None, sink: int | None = None, *, flow: bool = True,
            cut_only: bool = False, infinite: int = 0, **options: Any) -> MaximumFlow:
    """A maximum flow and a minimum cut; weights are capacities, whole and not negative, without weights 1 each.

    source and sink: by default those that the graph names. infinite: edges of this capacity have no bound. cut_only:
    the cut is enough, `flow` is a preflow then.
    """
    ends = [NO_VERTEX if vertex is None else _vertex_of(name, graph, vertex)
            for name, vertex in (("source", source), ("sink", sink))]
    values = np.empty(graph.m, np.uint64) if flow else None
    side, found = _for_vertices(graph, np.uint8), _abi.Flow()
    query = _abi.FlowOptions(infinite, cut_only)
    stats = _run(library.ordo_maxflow, options, graph, *ends, _ref(query), OPTIONS, _array_at(values), _at(side),
                 _ref(found), STATS)
    return MaximumFlow(graph, stats, value=found.value, flow=values, side=side.view(bool), source=ends[0], sink=ends[1],
                       _found=found, _query=query)
