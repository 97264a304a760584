"""Spanning forests. Kruskal's algorithm takes equal edges in the order of G.edges; so does Ordo, whose ties fall to the
edge that comes first. The edges are given once each, as directed ones: directions do not matter."""
from __future__ import annotations

from itertools import compress
from typing import Any

import numpy as np

import ordo

from .graph import Declined, Graph, numbers
from .serve import original, serves


def _forest(G: Graph, sign: int, weight: Any, ignore_nan: bool) -> list[tuple[Any, ...]]:
    """The edges of a forest with their attributes, by weight."""
    multigraph = {"keys": True} if G.is_multigraph() else {}
    edges = list(G.nx.edges(data=True, **multigraph))
    weights = numbers([edge[-1].get(weight, 1) for edge in edges])[0]
    good = np.ones(len(edges), bool)
    if weights.dtype.kind == "f" and np.isnan(weights).any():
        good = ~np.isnan(weights)
        if not ignore_nan:
            raise ValueError(f"NaN found as an edge weight. Edge {edges[int(np.argmin(good))]}")
        edges, weights = list(compress(edges, good)), weights[good]
    if weights.dtype.kind == "f" and not np.isfinite(weights).all():  # in the same order, and finite
        weights = np.unique(weights, return_inverse=True)[1].astype(np.int64)
    if G.ids is None:
        ends = np.fromiter((v for edge in edges for v in edge[:2]), np.uint32, 2 * len(edges))
    else:
        ends = np.fromiter((G.ids[v] for edge in edges for v in edge[:2]), np.uint32, 2 * len(edges))
    tails, heads = ends[::2], ends[1::2]  # tails ascend: NetworkX lists the edges of one node after the other
    offsets = np.concatenate(([0], np.cumsum(np.bincount(tails, minlength=len(G)))))
    if len(weights) and weights.min() == np.iinfo(np.int64).min:
        raise Declined("a weight of -2^63")
    graph = ordo.Graph.from_csr(offsets, np.ascontiguousarray(heads), sign * weights)
    kept = ordo.mst(graph, **G.options()).edges
    return [edges[i] for i in kept[np.argsort(sign * weights[kept], kind="stable")]]


def _spanning_edges(G: Graph, sign: int, weight: Any, keys: bool, data: bool, ignore_nan: bool) -> Any:
    for edge in _forest(G, sign, weight, ignore_nan):
        ends, key = edge[:2], edge[2:-1] if keys else ()
        yield (*ends, *key, edge[-1]) if data else (*ends, *key)


def _spanning_tree(G: Graph, sign: int, weight: Any, ignore_nan: bool) -> Any:
    tree = G.nx.__class__()
    tree.graph.update(G.nx.graph)
    tree.add_nodes_from(G.nx.nodes.items())
    tree.add_edges_from(_forest(G, sign, weight, ignore_nan))
    return tree


def _refuse(G, algorithm="kruskal", **_):
    if algorithm in ("prim", "boruvka"):
        return f"algorithm={algorithm!r} takes equal edges in another order; kruskal is served"
    return None


@serves(_refuse)
def minimum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    if algorithm != "kruskal":
        return original("minimum_spanning_edges")(G.nx, algorithm)  # refuses it
    return _spanning_edges(G, 1, weight, keys, data, ignore_nan)


@serves(_refuse)
def maximum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    if algorithm != "kruskal":
        return original("maximum_spanning_edges")(G.nx, algorithm)
    return _spanning_edges(G, -1, weight, keys, data, ignore_nan)


@serves(_refuse)
def minimum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    if algorithm != "kruskal" or G.is_directed():
        return original("minimum_spanning_tree")(G.nx, weight, algorithm)
    return _spanning_tree(G, 1, weight, ignore_nan)


@serves(_refuse)
def maximum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    if algorithm != "kruskal" or G.is_directed():
        return original("maximum_spanning_tree")(G.nx, weight, algorithm)
    return _spanning_tree(G, -1, weight, ignore_nan)
