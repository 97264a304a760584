"""A graph of NetworkX as Ordo sees it: vertices are counted in the order of its nodes, rows keep the order of its
adjacency, and parallel edges are one.

Arrays are made when they are asked for, and kept. The object is also a view of the graph of NetworkX, which must not
change while it is in use: attributes that are not its own are that graph's, so that functions of NetworkX can take it.
"""
from __future__ import annotations

from itertools import chain
from typing import Any

import networkx as nx
import numpy as np

import ordo

WIDE = 2**53  # below it whole numbers are reals of 8 bytes
SMALL = 1 << 14  # vertices and edges of a graph below which a second thread costs more than it saves


class Missing(Exception):
    """A node is not in the graph: NetworkX's own function says so."""


class Declined(Exception):
    """The call is not served, and why: outside of the backend a NotImplementedError, on which NetworkX goes to the next
    one."""


def numbers(values: list[Any]) -> tuple[np.ndarray, str]:
    """The numbers as an array, and what they are in Python: int, float, or mixed. What would be rounded is declined."""
    types = set(map(type, values)) or {int}
    if types <= {int, bool, np.int64, np.bool_}:
        try:
            return np.array(values, np.int64), "int"
        except OverflowError:
            raise Declined("a whole number does not fit 64 bits") from None
    if types <= {float, np.float64}:
        return np.array(values, np.float64) + 0.0, "float"  # -0.0 is 0.0
    if not types <= {int, bool, float, np.int64, np.float64}:
        name = next(t.__name__ for t in types if t not in (int, bool, float, np.int64, np.float64))
        raise Declined(f"a weight is of type {name}; int, bool and float are served")
    if any(abs(x) > WIDE for x in values if not isinstance(x, float)):
        raise Declined("weights are reals and whole numbers that reals do not hold")
    return np.array(values, np.float64) + 0.0, "mixed"


class Graph:
    __networkx_backend__ = "ordo"
    __networkx_cache__ = None

    def __init__(self, graph: Any) -> None:
        self.nx = graph
        self.names = list(graph)
        self._identity = set(map(type, self.names)) <= {int} and self.names == list(range(len(self.names)))
        self.ids = None if self._identity else {name: i for i, name in enumerate(self.names)}
        self._made: dict[Any, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "nx":
            raise AttributeError(name)
        if name in ("names", "ids", "_identity", "_made"):
            self.__init__(self.nx)  # type: ignore[misc]
        return getattr(self if name in self.__dict__ else self.nx, name)

    def __contains__(self, node: Any) -> bool:
        return node in self.nx

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Any:
        return iter(self.names)

    def __getitem__(self, node: Any) -> Any:
        return self.nx[node]

    def __repr__(self) -> str:
        return f"<ordo_networkx.Graph: {self.nx}>"

    def __str__(self) -> str:
        return str(self.nx)

    def __reduce__(self) -> Any:
        """Copied and pickled without its arrays, often as a part of its own graph, which is not complete then."""
        return Graph.__new__, (Graph,), {"nx": self.nx}

    def reverse(self, copy: bool = True) -> Graph:
        """The graph with edges turned; it is not a copy."""
        return self._once("reverse", lambda: Graph(self.nx.reverse(copy=False)))

    def _once(self, key: Any, make: Any) -> Any:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    # ---- nodes ----

    def id(self, node: Any) -> int:
        if node not in self.nx:
            raise Missing(node)
        return int(node) if self.ids is None else self.ids[node]

    def nodes_of(self, ids: np.ndarray) -> list[Any]:
        found = ids.tolist()
        return found if self._identity else list(map(self.names.__getitem__, found))

    def by_node(self, values: np.ndarray) -> dict[Any, Any]:
        return dict(zip(self.names, values.tolist()))

    # ---- edges ----

    @property
    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Offsets and heads, in the order of the adjacency."""
        return self._once("rows", self._rows)

    def _rows(self) -> tuple[np.ndarray, np.ndarray]:
        adjacency = self._adjacency()
        count = np.fromiter(map(len, adjacency), np.int64, len(adjacency))
        offsets = np.concatenate(([0], np.cumsum(count)))
        heads: Any = chain.from_iterable(adjacency)
        if self.ids is not None:
            heads = map(self.ids.__getitem__, heads)
        return offsets, np.fromiter(heads, np.uint32, int(offsets[-1]))

    def _adjacency(self) -> list[Any]:
        rows = list(map(self.nx._adj.__getitem__, self.names))
        if set(map(type, rows)) <= {dict}:
            return rows
        return [dict(row.items()) for row in rows]  # rows of views count neighbours that they do not list

    @property
    def tails(self) -> np.ndarray:
        offsets, _ = self.rows
        return self._once("tails", lambda: np.repeat(np.arange(len(self), dtype=np.uint32), np.diff(offsets)))

    def data(self) -> Any:
        """The attributes of each edge of the rows; of parallel edges a mapping from keys to them."""
        return chain.from_iterable(row.values() for row in self._adjacency())

    @property
    def plain(self) -> ordo.Graph:
        """The rows without weights."""
        return self._once("plain", lambda: ordo.Graph.from_csr(*self.rows, symmetric=not self.nx.is_directed()))

    def weights(self, attribute: Any) -> tuple[np.ndarray, str]:
        """A weight for each edge of the rows, 1 where the attribute is missing, the least of parallel edges."""
        return self._once(("weights", attribute), lambda: self._weights(attribute))

    def _weights(self, attribute: Any) -> tuple[np.ndarray, str]:
        if self.nx.is_multigraph():
            values = [min([d.get(attribute, 1) for d in edges.values()]) for edges in self.data()]
        else:
            values = [d.get(attribute, 1) for d in self.data()]
        return numbers(values)

    def weighted(self, attribute: Any) -> ordo.Graph:
        """The rows with weights, for sums along paths: of 4 bytes where no sum can leave them."""
        def make() -> ordo.Graph:
            weights, kind = self.weights(attribute)
            if kind == "int":
                least, most = (int(weights.min()), int(weights.max())) if len(weights) else (0, 0)
                if least >= 0 and most * len(self) < 2**32 - 1:
                    weights = weights.astype(np.uint32)
            elif not np.isfinite(weights).all():
                raise Declined("a weight is infinite or not a number")
            return ordo.Graph.from_csr(*self.rows, weights, symmetric=not self.nx.is_directed())
        return self._once(("weighted", attribute), make)

    def options(self) -> dict[str, Any]:
        """The options of a run: those of nx.config.backends.ordo."""
        config = getattr(nx.config.backends, "ordo", None)
        given = {name: value for name in ("threads", "scheduler", "device")
                 if (value := getattr(config, name, None))}
        if len(self) + len(self.rows[1]) < SMALL:
            given.setdefault("threads", 1)
        return given


def convert(graph: Any) -> Graph:
    """The graph of Ordo for one of NetworkX. Attributes are read when they are asked for, so that one object serves all
    calls: where NetworkX keeps a conversion for other attributes, it is the same one."""
    if isinstance(graph, Graph):
        return graph
    cache = getattr(graph, "__networkx_cache__", None) or {}
    if nx.config.cache_converted_graphs:
        for kept in cache.get("backends", {}).get("ordo", {}).values():
            if isinstance(kept, Graph):
                return kept
    base = _BASES.get((graph.is_directed(), graph.is_multigraph()))
    for method in ("__getitem__", "__iter__", "adj", "adjacency", "neighbors"):
        if getattr(type(graph), method, None) is not getattr(base, method):
            raise NotImplementedError(f"ordo: {type(graph).__name__} has its own {method}, so rows may not be its edges")
    return Graph(graph)


_BASES = {(g().is_directed(), g().is_multigraph()): g for g in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)}
