"""Cores, triangles and betweenness."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

import ordo

from .graph import Graph, Missing
from .serve import delegates, named, original, serves


def _degrees(G: Graph) -> np.ndarray:
    """[n] neighbours other than the vertex itself."""
    offsets, heads = G.rows
    loops = np.bincount(heads[heads == G.tails], minlength=len(G))
    return np.diff(offsets) - loops


# ---- cores ----

def _refuse_directed(G, *_, **__):
    return "NetworkX counts both directions of a pair of directed edges" if G.is_directed() else None


@serves(_refuse_directed)
def core_number(G):
    if (G.rows[1] == G.tails).any():
        return original("core_number")(G.nx)  # refuses loops
    return G.by_node(ordo.kcore(G.plain, **G.options()).core)


def _core_graph(name: str) -> None:
    """A subgraph of those nodes whose core number is in some range."""
    def core_graph(G, k=None, core_number=None):
        return original(name)(G.nx, k, _core_number(G) if core_number is None else core_number)

    serves(lambda G, k=None, core_number=None: _refuse_directed(G) if core_number is None else None)(named(name, core_graph))


_core_number = core_number
for _name in ("k_core", "k_shell", "k_crust", "k_corona"):
    _core_graph(_name)


# ---- triangles ----

def _corners(G: Graph) -> np.ndarray:
    corner = ordo.tc(G.plain, corners=True, **G.options()).corner
    assert corner is not None
    return corner.astype(np.int64)


def _for_nodes(G: Graph, nodes: Any, values: np.ndarray) -> Any:
    """What NetworkX gives for nodes: all, a number for one, or a dict for several."""
    if nodes is None:
        return G.by_node(values)
    if nodes in G:
        return values[G.id(nodes)].item()
    return {node: values[G.id(node)].item() for node in G.nx.nbunch_iter(nodes)}


@serves(lambda G, nodes: "parallel edges" if G.is_multigraph() and nodes is not None else None)
def triangles(G, nodes=None):
    return _for_nodes(G, nodes, _corners(G))


def _refuse_clustering(G, weight=None, **_):
    if G.is_directed():
        return "directed triangles"
    return "weights of triangles" if weight is not None else None


@serves(_refuse_clustering)
def clustering(G, nodes=None, weight=None):
    if G.is_multigraph():
        raise Missing  # NetworkX refuses them
    corner, degree = _corners(G), _degrees(G)
    share = np.zeros(len(G), object)  # the int 0 where there is no triangle
    some = corner > 0
    share[some] = (2 * corner[some] / (degree[some] * (degree[some] - 1))).tolist()
    if nodes is not None and nodes in G:
        return share[G.id(nodes)]
    return {node: share[G.id(node)] for node in (G if nodes is None else G.nx.nbunch_iter(nodes))}


delegates("average_clustering", _refuse_clustering)


@serves(lambda G: "directed: NetworkX counts triangles by out-edges" if G.is_directed() else None)
def transitivity(G):
    if G.is_multigraph() or not len(G):
        return original("transitivity")(G.nx)
    degree = _degrees(G)
    closed, wedges = 2 * int(_corners(G).sum()), int((degree * (degree - 1)).sum())
    return closed / wedges if closed else 0


# ---- betweenness ----

def _refuse_betweenness(weight=None, endpoints=False, **_):
    if weight is not None:
        return "weights: shortest paths are counted by edges"
    return "endpoints" if endpoints else None


@serves(_refuse_betweenness, searches=True)
def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    n = len(G)
    some = None if k is None or k == n else np.array(list(map(G.id, seed.sample(list(G), k))), np.uint32)
    score = np.zeros(n) if some is not None and not len(some) else ordo.bc(G.plain, some, **G.options()).score
    if n > 2:
        sources = n - 1 if some is None else len(some)
        whole = 1 / (n - 2) if normalized else (n - 1) / (1 if G.is_directed() else 2)
        scale = np.full(n, whole / sources)
        if some is not None:  # a source is on no path that begins at itself
            scale[some] = whole / (sources - 1) if sources > 1 else math.nan
        score = score * scale
    return G.by_node(score)
