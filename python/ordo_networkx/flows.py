"""Maximum flows, minimum cuts and edge connectivity. Values are unique; so is the cut that NetworkX gives, whose sink
side is smallest. A flow is one of several that have the value, as it is among NetworkX's own algorithms."""
from __future__ import annotations

import math
from itertools import compress
from typing import Any

import networkx as nx
import numpy as np

import ordo

from .graph import Declined, Graph, Missing, numbers
from .serve import original, serves


def _capacities(G: Graph, attribute: Any) -> tuple[np.ndarray, int]:
    """A capacity for each edge of the rows, and that of those that have no bound."""
    values = [d.get(attribute, math.inf) for d in G.data()]
    bounded = [value != math.inf for value in values]
    finite, kind = numbers(list(compress(values, bounded)))
    if kind != "int":
        raise Declined("a capacity is a real; flows are of whole numbers")
    finite = np.maximum(finite, 0)  # NetworkX leaves edges out that carry nothing
    total = int(finite.sum(dtype=np.float64))
    if total >= 2**62:
        raise Declined("capacities add up to 2^62 or more")
    unbounded = int(finite.sum()) + 1
    capacities = np.full(len(values), unbounded, np.int64)
    capacities[np.array(bounded, bool)] = finite
    return (capacities.astype(np.uint32) if unbounded < 2**32 - 1 else capacities), unbounded


def _network(G: Graph, attribute: Any) -> tuple[ordo.Graph, int]:
    def make() -> tuple[ordo.Graph, int]:
        if attribute is None:
            return G.plain, 0
        capacities, unbounded = _capacities(G, attribute)
        return ordo.Graph.from_csr(*G.rows, capacities), unbounded
    return G._once(("capacity", attribute), make)


def _flow(G: Graph, s: Any, t: Any, attribute: Any, flow: bool = False) -> Any:
    if s == t or G.is_multigraph() and attribute is not None:
        raise Missing
    network, unbounded = _network(G, attribute)
    try:
        return ordo.maxflow(network, G.id(s), G.id(t), flow=flow, cut_only=not flow, infinite=unbounded, **G.options())
    except ordo.ResultOverflowError:
        raise nx.NetworkXUnbounded("Infinite capacity path, flow unbounded above.") from None


def _refuse(flow_func=None, residual=None, auxiliary=None, kwargs=None, **_):
    if flow_func is not None:
        return "flow_func names another algorithm"
    if residual is not None or auxiliary is not None:
        return "residual and auxiliary are graphs for NetworkX's algorithms"
    return f"parameters of an algorithm: {', '.join(kwargs)}" if kwargs else None


def _net(G: Graph, flow: np.ndarray) -> np.ndarray:
    """The flow on each edge, less that on its reverse."""
    heads, tails, n = G.rows[1].astype(np.int64), G.tails.astype(np.int64), len(G)
    keys, back = tails * n + heads, heads * n + tails
    by = np.argsort(keys)
    at = by[np.minimum(np.searchsorted(keys, back, sorter=by), len(by) - 1)] if len(by) else by
    against = np.where(keys[at] == back, flow[at], 0)
    return np.where((flow > against) & (keys != back), flow - against, 0)


@serves(_refuse)
def maximum_flow(flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs):
    found = _flow(flowG, _s, _t, capacity, flow=True)
    offsets, heads = flowG.rows
    names, flow = flowG.nodes_of(heads), _net(flowG, found.flow.astype(np.int64)).tolist()
    ends = offsets.tolist()
    return found.value, {node: dict(zip(names[ends[i]:ends[i + 1]], flow[ends[i]:ends[i + 1]]))
                         for i, node in enumerate(flowG)}


@serves(_refuse)
def maximum_flow_value(flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs):
    return _flow(flowG, _s, _t, capacity).value


@serves(_refuse)
def minimum_cut_value(flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs):
    return _flow(flowG, _s, _t, capacity).value


@serves(_refuse)
def minimum_cut(flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs):
    found = _flow(flowG, _s, _t, capacity)
    return found.value, (set(flowG.nodes_of(np.flatnonzero(found.side))),
                         set(flowG.nodes_of(np.flatnonzero(~found.side))))


# ---- edge connectivity: every edge has capacity 1, parallel ones together. Of a whole undirected graph: flows from one
# node of a dominating set to the others (Matula, "Determining edge connectivity in O(nm)", 1987); of a directed one from
# each node to the next ----

@serves(_refuse)
def local_edge_connectivity(G, s, t, flow_func=None, auxiliary=None, residual=None, cutoff=None):
    return _flow(G, s, t, None).value


@serves(_refuse, searches=True)
def edge_connectivity(G, s=None, t=None, flow_func=None, cutoff=None):
    if (s is None) != (t is None):
        return original("edge_connectivity")(G.nx, s, t)
    if s is not None:
        return _flow(G, s, t, None).value
    if not len(G):
        raise Missing
    if ordo.cc(G.plain, **G.options()).count != 1:
        return 0
    least = min(degree for _, degree in G.nx.degree())
    least = least if cutoff is None else min(cutoff, least)
    nodes = list(G)
    if G.is_directed():
        pairs = list(zip(nodes, nodes[1:] + nodes[:1]))  # of one node an error, as in NetworkX
    else:
        first, others = next(((node, others) for node in nodes if (others := _dominating(G, node))), (None, set()))
        pairs = [(first, other) for other in others]
    for pair in pairs:
        least = min(least, _flow(G, *pair, None).value)
    return least


def _dominating(G: Graph, node: Any) -> set[Any]:
    """Nodes that with this one dominate the graph."""
    return nx.dominating_set(G.nx, start_with=node, backend="networkx") - {node}


@serves(_refuse)
def minimum_st_edge_cut(G, s, t, flow_func=None, auxiliary=None, residual=None):
    cut = _flow(G, s, t, None).cut
    return set(zip(G.nodes_of(G.tails[cut]), G.nodes_of(G.rows[1][cut])))


@serves(lambda s=None, t=None, flow_func=None, **_: _refuse(flow_func) or
        ("which of several smallest cuts NetworkX gives depends on the order of a set" if s is None and t is None else None))
def minimum_edge_cut(G, s=None, t=None, flow_func=None):
    if s is None or t is None or s not in G or t not in G:
        return original("minimum_edge_cut")(G.nx, s, t)
    return minimum_st_edge_cut(G, s, t)
