"""Shortest paths over weights. Ordo finds distances; the order in which Dijkstra's algorithm takes nodes, and so which
of several shortest paths NetworkX gives, follows from them (ordo_sssp_order() of <ordo/paths.h>).

A distance is the sum of a path's weights, rounded for each edge, in Ordo as in NetworkX: reals are the same to the bit.
"""
from __future__ import annotations

import math
from typing import Any

import networkx as nx
import numpy as np

import ordo
from ordo._order import sssp_order

from .graph import Declined, Graph, Missing
from .searches import paths_by_node, search, tight_lists
from .serve import delegates, original, serves


class Found:
    """The answer of a search: nodes in order, their distances, and [n] distances and predecessors."""

    def __init__(self, G: Graph, order: np.ndarray, dist: np.ndarray, pred: Any, sources: int, kind: str) -> None:
        self.G, self.order, self.dist, self.pred, self.sources, self.kind = G, order, dist, pred, sources, kind

    def lengths(self) -> dict[Any, Any]:
        if self.kind == "mixed":
            raise Declined("weights are whole numbers and reals, so the types of lengths depend on paths")
        values = self.dist[self.order].tolist()
        values[:self.sources] = [0] * self.sources
        return dict(zip(self.G.nodes_of(self.order), values))

    def paths(self) -> dict[Any, list[Any]]:
        names = self.G.nodes_of(self.order)
        return paths_by_node(names, self.G.nodes_of(self.pred[self.order[self.sources:]]), self.sources)

    def path_to(self, node: int) -> list[Any]:
        path = [node]
        while self.pred[path[-1]] != ordo.NO_VERTEX:
            path.append(self.pred[path[-1]])
        return self.G.nodes_of(np.array(path[::-1]))


def _weighted(G: Graph, weight: Any) -> ordo.Graph:
    graph = G.weighted(weight)
    weights = G.weights(weight)[0]
    if len(weights) and weights.min() < 0:
        raise Declined("a weight is negative: Dijkstra's algorithm of NetworkX gives what its order happens to find")
    return graph


def _search_in_vain(G: Graph, weight: Any) -> None:
    """For a target that is no node. NetworkX looks for it everywhere, and may meet a negative weight: that is declined."""
    if weight is not None:
        _weighted(G, weight)


def _run(graph: ordo.Graph, sources: Any, **options: Any) -> Any:
    try:
        return ordo.sssp(graph, sources, predecessors=False, **options)
    except ordo.ResultOverflowError:
        raise Declined("a distance does not fit 64 bits") from None


def dijkstra(G: Graph, nodes: Any, weight: Any, cutoff: Any = None, target: int | None = None) -> Found:
    """From several nodes, in the order in which they come. With a target what is beyond it is left out."""
    sources = np.array(list(dict.fromkeys(map(G.id, nodes))), np.uint32)
    if weight is None:
        order, level, pred = search(G, sources, None if cutoff in (None, math.inf) else math.floor(cutoff))
        return Found(G, order, level, pred, len(sources), "int")
    options: dict[str, Any] = G.options()
    if cutoff is not None and cutoff != math.inf:
        options["limit"] = float(cutoff)
    if target is not None:
        options["targets"] = [target]
    found = _run(_weighted(G, weight), sources, **options)
    order, pred = sssp_order(found)
    return Found(G, order, found.dist, pred, len(sources), G.weights(weight)[1])


def _refuse_cutoff(cutoff=None, **_):
    if cutoff is not None and not (isinstance(cutoff, (int, float)) and cutoff >= 0):
        return f"cutoff is {cutoff!r}, expected a number that is not negative"
    return None


@serves(_refuse_cutoff)
def multi_source_dijkstra(G, sources, target=None, cutoff=None, weight="weight"):
    if not sources:
        raise ValueError("sources must not be empty")
    if target is None:
        found = dijkstra(G, sources, weight, cutoff)
        return found.lengths(), found.paths()
    for node in sources:
        G.id(node)
    if target in sources:
        return 0, [target]
    if target not in G:
        _search_in_vain(G, weight)
        raise nx.NetworkXNoPath(f"No path to {target}.")
    at = G.id(target)
    found = dijkstra(G, sources, weight, cutoff, at)
    lengths = found.lengths()
    if target not in lengths:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return lengths[target], found.path_to(at)


@serves(_refuse_cutoff)
def multi_source_dijkstra_path(G, sources, cutoff=None, weight="weight"):
    if not sources:
        raise ValueError("sources must not be empty")
    return dijkstra(G, sources, weight, cutoff).paths()


@serves(_refuse_cutoff)
def multi_source_dijkstra_path_length(G, sources, cutoff=None, weight="weight"):
    if not sources:
        raise ValueError("sources must not be empty")
    return dijkstra(G, sources, weight, cutoff).lengths()


for _name in ("single_source_dijkstra", "single_source_dijkstra_path", "single_source_dijkstra_path_length"):
    delegates(_name, _refuse_cutoff)
for _name in ("all_pairs_dijkstra", "all_pairs_dijkstra_path", "all_pairs_dijkstra_path_length"):
    delegates(_name, _refuse_cutoff, searches=True)
delegates("dijkstra_path")
delegates("voronoi_cells")


@serves()
def dijkstra_path_length(G, source, target, weight="weight"):
    G.id(source)
    if source == target:
        return 0
    if target in G:
        lengths = dijkstra(G, [source], weight, target=G.id(target)).lengths()
        if target in lengths:
            return lengths[target]
    else:
        _search_in_vain(G, weight)
    raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")


@serves(_refuse_cutoff)
def dijkstra_predecessor_and_distance(G, source, cutoff=None, weight="weight"):
    found = dijkstra(G, [source], weight, cutoff)
    lengths, dist = found.lengths(), found.dist
    heads, tails = G.rows[1], G.tails
    reached = np.zeros(len(G), bool)
    reached[found.order] = True
    weights = 1 if weight is None else G.weights(weight)[0]
    with np.errstate(over="ignore"):
        sums = dist[tails].astype(np.float64 if dist.dtype.kind == "f" else np.int64) + weights
    seen = reached[tails] & (reached[heads] if cutoff is None else sums <= cutoff)
    return tight_lists(G, found.order, seen & (sums == dist[heads]), _first_seen(G, found.order, seen)), lengths


def _first_seen(G: Graph, order: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The heads of edges, in the order in which a search that takes nodes in `order` first sees them."""
    offsets, heads = G.rows
    place = np.full(len(G), len(G))
    place[order] = np.arange(len(order))
    edges = np.flatnonzero(edges)
    edges = edges[np.argsort(place[G.tails[edges]], kind="stable")]
    seen = np.concatenate((order[:1], heads[edges]))
    return seen[np.sort(np.unique(seen, return_index=True)[1])]


# ---- weights of either sign ----

def _signed(G: Graph, sources: Any, weight: Any) -> Any:
    try:
        return ordo.bellman_ford(G.weighted(weight), sources, predecessors=False, **G.options())
    except ordo.NegativeCycleError:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from None
    except (ordo.ResultOverflowError, ordo.InputError) as error:
        raise Declined(str(error)) from None


@serves(lambda weight, **_: "weight is None" if weight is None else None)
def bellman_ford_path_length(G, source, target, weight="weight"):
    at = G.id(source)
    if source == target:
        return 0
    found, kind = _signed(G, at, weight), G.weights(weight)[1]
    if kind == "mixed":
        raise Declined("weights are whole numbers and reals, so the types of lengths depend on paths")
    if target not in G or not found.reached[G.id(target)]:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}")
    return found.dist[G.id(target)].item()


@serves(lambda weight, **_: "weight is None" if weight is None else None)
def negative_edge_cycle(G, weight="weight", heuristic=True):
    if nx.is_frozen(G.nx):
        raise Missing  # NetworkX adds a node for a while, and says that it cannot
    if G.size() == 0:
        return False
    try:
        _signed(G, np.arange(len(G)), weight)
    except nx.NetworkXUnbounded:
        return True
    return False


# ---- the general forms ----

def _refuse_pair(G, source, target, weight, method):
    if method == "bellman-ford" and weight is not None:
        return "paths of Bellman and Ford's algorithm depend on the order of NetworkX's queue"
    if source is not None and target is not None:
        return "NetworkX searches from both ends: which of several shortest paths it gives depends on both searches"
    return None


def _refuse_lengths(G, source, target, weight, method):
    return _refuse_pair(G, source, None, weight, method)


delegates("shortest_path", _refuse_pair)


@serves(_refuse_lengths)
def shortest_path_length(G, source=None, target=None, weight=None, method="dijkstra"):
    if source is None or target is None or weight is not None or method not in ("dijkstra", "bellman-ford"):
        return original("shortest_path_length")(G, source, target, weight, method)
    G.id(source)
    level = ordo.bfs(G.plain, G.id(source), targets=[G.id(target)], predecessors=False, **G.options()).level
    if level[G.id(target)] == ordo.NO_VERTEX:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return int(level[G.id(target)])


@serves()
def has_path(G, source, target):
    at = G.id(target)
    found = ordo.bfs(G.plain, G.id(source), targets=[at], predecessors=False, **G.options())
    return bool(found.level[at] != ordo.NO_VERTEX)


def _refuse_all_shortest(method="dijkstra", weight=None, **_):
    return "paths of Bellman and Ford's algorithm depend on the order of NetworkX's queue" \
        if method == "bellman-ford" and weight is not None else None


delegates("all_shortest_paths", _refuse_all_shortest)
delegates("single_source_all_shortest_paths", _refuse_all_shortest)
