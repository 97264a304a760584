"""What is computed from searches from many nodes: eccentricities, sums of distances, closeness. Threads share the
searches; of each only a few numbers are kept."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np

import ordo
from ordo._many import each
from ordo._order import bfs_order

from .graph import Declined, Graph
from .paths import _run, _weighted
from .serve import delegates, named, original, registered, serves


def measure(G: Graph, ids: Any, weight: Any, of: Callable[[Any], Any]) -> list[Any]:
    """For each vertex `of` the distances from it to those it reaches: an array of whole numbers, or a list of reals,
    ascending, of which the first is the int 0."""
    found: list[Any] = [None] * len(ids)
    graph = G.plain if weight is None else _weighted(G, weight)
    if weight is not None and G.weights(weight)[1] == "mixed":
        raise Declined("weights are whole numbers and reals, so the types of lengths depend on paths")

    def one(i: int, options: dict[str, Any]) -> None:
        if weight is None:
            order, level, _ = bfs_order(graph, int(ids[i]), predecessors=False)
            values: Any = level[order]
        else:
            answer = _run(graph, int(ids[i]), **options)
            values = answer.dist[answer.reached]
            if values.dtype.kind == "f":
                values = [0, *np.sort(values)[1:].tolist()]
        found[i] = of(values)

    each(one, len(ids), G.options())
    return found


def _sum(values: Any) -> Any:
    """NetworkX's sum: of reals in ascending order, as its dicts have them."""
    if isinstance(values, list):
        return sum(values)
    return int(values.sum(dtype=np.int64)) if int(values.max()) * len(values) < 2**63 else sum(values.tolist())


def _max(values: Any) -> Any:
    return max(values) if isinstance(values, list) else int(values.max())


def _reals(G: Graph, weight: Any) -> bool:
    return weight is not None and G.weights(weight)[1] != "int"


def _refuse_bounds(G, e=None, usebounds=False, weight=None):
    return "usebounds is another algorithm" if usebounds else None


@serves(searches=True)
def eccentricity(G, v=None, sp=None, weight=None):
    if sp is not None:
        return original("eccentricity")(G.nx, v, sp, weight)
    nodes = list(G.nx.nbunch_iter(v))
    n = len(G)
    farthest = measure(G, list(map(G.id, nodes)), weight, lambda values: (len(values) == n, _max(values)))
    if not all(all_reached for all_reached, _ in farthest):
        if G.is_directed():
            raise nx.NetworkXError("Found infinite path length because the digraph is not strongly connected")
        raise nx.NetworkXError("Found infinite path length because the graph is not connected")
    found = {node: value for node, (_, value) in zip(nodes, farthest)}
    return found[v] if v in G else found


for _name in ("diameter", "radius", "periphery"):
    delegates(_name, _refuse_bounds, searches=True)


@serves(_refuse_bounds, searches=True)
def center(G, e=None, usebounds=False, weight=None):
    if e is None and weight is None and not G.is_directed() and _is_tree(G):
        return original("center")(G.nx)  # by taking leaves away
    return original("center")(G, eccentricity(G, weight=weight) if e is None else e)


def _is_tree(G: Graph) -> bool:
    return len(G) > 0 and G.nx.number_of_edges() == len(G) - 1 and ordo.cc(G.plain, **G.options()).count == 1


def _least_sums(G, weight=None, attr=None, sp=None):
    if sp is not None or (weight is None and not G.is_directed() and _is_tree(G)):
        return original(_CENTROID)(G.nx, weight=weight, sp=sp)
    n = len(G)
    sums = measure(G, range(n), weight, lambda values: (len(values) == n, _sum(values)))
    if not all(all_reached for all_reached, _ in sums):
        raise nx.NetworkXNoPath(f"Input graph {G.nx} is disconnected, so every induced subgraph has infinite "
                                "barycentricity.")
    least = min((value for _, value in sums), default=None)
    return [node for node, (_, value) in zip(G, sums) if value == least]


_CENTROID = "barycenter" if registered("barycenter") else "centroid"  # its name from NetworkX 3.7 on
serves(lambda attr, **_: "attr changes the graph" if attr is not None else None, searches=True)(named(_CENTROID, _least_sums))


def _connected(G: Graph) -> bool:
    return (ordo.scc if G.is_directed() else ordo.cc)(G.plain, **G.options()).count == 1


@serves(lambda method, **_: f"method {method}" if method not in (None, "unweighted", "dijkstra") else None, searches=True)
def average_shortest_path_length(G, weight=None, method=None):
    n = len(G)
    unweighted = method == "unweighted" or method is None and weight is None
    if n < 2 or not _connected(G) or not unweighted and _reals(G, weight):
        return original("average_shortest_path_length")(G, weight, method)  # errors, and sums of reals in its order
    return sum(measure(G, range(n), None if unweighted else weight, _sum)) / (n * (n - 1))


@serves(searches=True)
def wiener_index(G, weight=None):
    if not len(G) or not _connected(G) or _reals(G, weight):
        return original("wiener_index")(G, weight)
    total = sum(measure(G, range(len(G)), weight, _sum))
    return total if G.is_directed() else total / 2


def _closeness(G, u=None, distance=None, wf_improved=True, sp=None):
    H = G.reverse() if G.is_directed() else G
    nodes = list(G) if u is None else [u]
    n = len(G)

    def closeness(values: Any) -> float:
        total, reached = _sum(values), len(values) - 1.0
        if not total > 0 or n == 1:
            return 0.0
        return reached / total * (reached / (n - 1)) if wf_improved else reached / total

    found = dict(zip(nodes, measure(H, list(map(H.id, nodes)), distance, closeness)))
    return found if u is None else found[u]


serves(lambda sp=None, **_: "sp has the distances already" if sp is not None else None, searches=True)(
    named("closeness_centrality", _closeness))
