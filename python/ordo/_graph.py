"""Graphs: from arrays, SciPy, files and generators; their rows as arrays.

Arrays that libordo can use as they are (offsets of 8 bytes, heads and weights of 4 bytes, weights of 8 bytes) are not
copied: the graph holds a reference to them, and they must not change. Others are copied, never rounded.
"""
from __future__ import annotations

import ctypes
import os
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _abi
from ._abi import library
from ._call import Progress, call
from ._device import device_of, rows_on_gpu, to_host
from ._errors import FileError, InputError, UsageError

Casting = Literal["safe", "no"]
Dedup = Literal["min", "max", "sum", "first"]

_WEIGHT_TYPES = {np.dtype(name): type for type, name in _abi.TYPES.items() if type != _abi.U64}
_GPU_OFFSETS, _GPU_INDICES = ("i8", "u8", "i4", "u4"), ("i4", "u4", "i8", "u8")  # the first two are used as they are
_GPU_WEIGHTS = tuple(type.str[1:] for type in _WEIGHT_TYPES)
_DEDUP = {None: 0, "min": 1, "max": 2, "sum": 3, "first": 4}
_WIDE = {None: _abi.NONE, "f64": _abi.F64, "i64": _abi.I64}


def _refuse_copy(what: str, array: np.ndarray, expected: str) -> None:
    strides = "" if array.flags.c_contiguous else ", not contiguous"
    raise TypeError(f"{what}: {array.dtype}{strides}, expected {expected}; casting='safe' makes a copy")


def _vector(what: str, values: Any, casting: str) -> np.ndarray:
    array = np.asarray(to_host(what, values, casting))
    if array.ndim != 1:
        raise ValueError(f"{what} has {array.ndim} dimensions, expected 1")
    return array


def vertices_of(what: str, values: npt.ArrayLike, casting: Casting = "safe") -> np.ndarray:
    """Vertex ids as u32 (int32 is used as it is: a negative number is too large, and refused by the library)."""
    array = _vector(what, values, casting)
    if array.dtype in (np.uint32, np.int32) and array.flags.c_contiguous:
        return array
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"{what}: {array.dtype}, expected whole numbers")
    if casting == "no":
        _refuse_copy(what, array, "contiguous uint32 or int32")
    if array.size and (array.max() > _abi.MAX_VERTICES or array.min() < 0):
        at = int(np.flatnonzero((array > _abi.MAX_VERTICES) | (array < 0))[0])
        raise InputError(f"{what}[{at}] is {array[at]}, expected a vertex, 0 to {_abi.MAX_VERTICES}")
    return np.ascontiguousarray(array, np.uint32)


def _weights_of(values: npt.ArrayLike, count: int, casting: Casting) -> np.ndarray:
    array = _vector("weights", values, casting)
    if len(array) != count:
        raise ValueError(f"weights: {len(array)}, expected one for each of {count} edges")
    if array.dtype in _WEIGHT_TYPES and array.dtype.isnative and array.flags.c_contiguous:
        return array
    if casting == "no":
        _refuse_copy("weights", array, "contiguous uint32, int32, int64, float32 or float64")
    kind, bytes = array.dtype.kind, array.dtype.itemsize
    if kind == "u" and bytes == 8 and array.size and array.max() > 2**63 - 1:
        at = int(np.flatnonzero(array > 2**63 - 1)[0])
        raise InputError(f"weights[{at}] is {array[at]}, expected at most {2**63 - 1}")
    if kind not in "buif" or bytes > 8:
        raise TypeError(f"weights: {array.dtype}, expected whole numbers or reals of at most 8 bytes")
    if kind == "f":
        return np.ascontiguousarray(array, np.float64 if bytes == 8 else np.float32)
    return np.ascontiguousarray(array, np.int64 if bytes == 8 else np.int32 if kind == "i" else np.uint32)


def _offsets_of(values: npt.ArrayLike, casting: Casting) -> tuple[np.ndarray, int]:
    array = _vector("indptr", values, casting)
    if not len(array):
        raise ValueError("indptr is empty, expected one offset more than there are vertices")
    if casting == "no" and (array.dtype not in (np.uint64, np.int64) or not array.flags.c_contiguous):
        _refuse_copy("indptr", array, "contiguous int64 or uint64")
    if array.dtype in (np.int32, np.uint32):
        return np.ascontiguousarray(array), _abi.I32 if array.dtype == np.int32 else _abi.U32
    if array.dtype.kind not in "iu":
        raise TypeError(f"indptr: {array.dtype}, expected whole numbers")
    return np.ascontiguousarray(array, array.dtype if array.dtype.itemsize == 8 else np.int64), _abi.U64


class _View:
    """An array of the library's. NumPy keeps this object as the array's base, and it keeps the graph."""

    def __init__(self, graph: Graph, at: int | None, type: str, count: int, stride: int):
        self.graph = graph
        self.__array_interface__ = {"version": 3, "typestr": np.dtype(type).str, "shape": (count,),
                                    "strides": (stride,), "data": (at or 0, True)}


class Graph:
    """A graph: vertices 0 to n - 1 and rows of out-edges. It does not change, and threads may share it.

    Made by the class methods. An undirected edge is stored as two; `symmetric` says that each edge has its reverse.
    """

    __slots__ = ("_at", "_arrays", "_csr", "__weakref__")
    _at: Any  # ordo_graph *
    _arrays: Any
    _csr: Any  # its ordo_csr

    def __init__(self) -> None:
        raise TypeError("a Graph is made by Graph.from_csr(), from_edges(), from_scipy(), read() or generate()")

    @classmethod
    def _make(cls, function: Any, *arguments: Any, arrays: Any = None, progress: Progress | None = None) -> Graph:
        at = ctypes.c_void_p()
        try:
            call(function, *arguments, ctypes.byref(at), progress=progress)
            graph = object.__new__(cls)
            graph._at, graph._arrays = at.value, arrays
            graph._csr = _abi.Csr.from_address(library.ordo_graph_out(at))
            return graph
        except BaseException:  # Ctrl-C may arrive after the graph was made
            library.ordo_graph_free(at)
            raise

    def __del__(self) -> None:
        at = getattr(self, "_at", None)
        if at is not None:
            library.ordo_graph_free(at)

    # ---- making ----

    @classmethod
    def from_csr(cls, indptr: npt.ArrayLike, indices: npt.ArrayLike, weights: npt.ArrayLike | None = None, *,
                 symmetric: bool = False, casting: Casting = "safe", threads: int = 0,
                 progress: Progress | None = None) -> Graph:
        """A graph over rows: the edges of vertex u lead to indices[indptr[u]:indptr[u + 1]].

        indices of 4 bytes and weights of 4 and 8 bytes are used as they are, offsets of 8 bytes too: the graph keeps
        the arrays alive, and they must not change. Others are copied where every value stays what it is, else refused;
        casting="no" refuses copies. symmetric=True says that each edge has its reverse, which is believed.

        Arrays on a GPU stay there: from_dlpack() says how.
        """
        on_gpu = rows_on_gpu([("indptr", indptr, _GPU_OFFSETS[:2] if casting == "no" else _GPU_OFFSETS), ("indices", indices, _GPU_INDICES[:2] if casting == "no" else _GPU_INDICES),
                              *([] if weights is None else [("weights", weights, _GPU_WEIGHTS)])], casting)
        if on_gpu:
            return cls._over_gpu(on_gpu, symmetric, threads, progress)
        row, row_type = _offsets_of(indptr, casting)
        head = vertices_of("indices", indices, casting)
        weight = None if weights is None else _weights_of(weights, len(head), casting)
        arrays = _abi.RowArrays(n=len(row) - 1, m=len(head), row_type=row_type, row=_at(row), head=_at(head),
                                symmetric=symmetric, threads=threads)
        if weight is not None:
            arrays.weight_type, arrays.weight = _WEIGHT_TYPES[weight.dtype], _at(weight)
        return cls._make(library.ordo_graph_borrow_arrays, ctypes.byref(arrays), arrays=(row, head, weight),
                         progress=progress)

    @classmethod
    def from_dlpack(cls, indptr: Any, indices: Any, weights: Any = None, *, symmetric: bool = False,
                    casting: Casting = "safe", threads: int = 0, progress: Progress | None = None) -> Graph:
        """A graph over rows in tensors that speak DLPack (PyTorch, JAX, CuPy, NumPy, ...) or __cuda_array_interface__.

        In memory of the host they are used as they are, by the rules of from_csr(), and live as long as the graph.

        On a GPU, likewise: runs there use them where they are. indptr of 4 bytes and indices of 8 (casting="no" refuses
        both), and indices beside weights of 4 bytes, are rewritten on the GPU, once; indices alone or beside weights of 8 bytes are used as
        they are. The host gets a copy of all, once, here: for checks, verification and runs on the CPU. Where some are of
        other types, or on the host, all are only copied to the host, which casting="no" refuses; runs on a GPU then copy
        rows to it, as of any graph. They must be on the GPU that the thread uses, and so must runs.
        """
        for what, values in (("indptr", indptr), ("indices", indices), ("weights", weights)):
            if values is not None and device_of(values) is None and not isinstance(values, np.ndarray):
                raise TypeError(f"{what}: {type(values).__name__} has neither __dlpack__ nor __cuda_array_interface__")
        return cls.from_csr(indptr, indices, weights, symmetric=symmetric, casting=casting, threads=threads, progress=progress)

    @classmethod
    def _over_gpu(cls, on_gpu: list[Any], symmetric: bool, threads: int, progress: Progress | None) -> Graph:
        row, head, *weight = on_gpu
        if not row.count:
            raise ValueError("indptr is empty, expected one offset more than there are vertices")
        if weight and weight[0].count != head.count:
            raise ValueError(f"weights: {weight[0].count}, expected one for each of {head.count} edges")
        type = {"i4": _abi.I32, "u4": _abi.U32}.get(row.dtype.str[1:], _abi.U64)
        arrays = _abi.RowArrays(n=row.count - 1, m=head.count, row_type=type, row=row.at, head=head.at, symmetric=symmetric, threads=threads)
        if head.dtype.itemsize == 8:
            arrays.head_type = _abi.U64
        if weight:
            arrays.weight_type, arrays.weight = _WEIGHT_TYPES[weight[0].dtype], weight[0].at
        return cls._make(library.ordo_graph_borrow_device_arrays, ctypes.byref(arrays), b"cuda", arrays=on_gpu, progress=progress)

    @classmethod
    def from_scipy(cls, matrix: Any, *, weighted: bool = True, symmetric: bool = False, casting: Casting = "safe",
                   threads: int = 0, progress: Progress | None = None) -> Graph:
        """The graph of a square sparse matrix or array of SciPy: entry (u, v) is the edge u -> v. A CSR one is not
        copied, as by from_csr(); explicit zeros are edges of weight 0."""
        if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"the matrix is {' x '.join(map(str, matrix.shape))}, expected a square one")
        if matrix.format != "csr":
            if casting == "no":
                raise TypeError(f"the matrix is {matrix.format}, expected csr; casting='safe' makes a copy")
            matrix = matrix.tocsr()
        count = int(matrix.indptr[-1])  # arrays may have room for more entries
        return cls.from_csr(matrix.indptr, matrix.indices[:count], matrix.data[:count] if weighted else None,
                            symmetric=symmetric, casting=casting, threads=threads, progress=progress)

    @classmethod
    def from_edges(cls, tails: npt.ArrayLike, heads: npt.ArrayLike, weights: npt.ArrayLike | None = None, *,
                   vertices: int | None = None, symmetrise: bool = False, symmetric: bool = False,
                   drop_loops: bool = False, dedup: Dedup | None = None, threads: int = 0,
                   progress: Progress | None = None) -> Graph:
        """A graph of edges tails[i] -> heads[i], which are copied into rows.

        vertices is their number (default: the largest end, and one). symmetrise adds the reverse of every edge;
        symmetric says that the list holds both directions, which is checked. dedup keeps one of parallel edges.
        """
        ends = [vertices_of("tails", tails), vertices_of("heads", heads)]
        if len(ends[0]) != len(ends[1]):
            raise ValueError(f"{len(ends[0])} tails and {len(ends[1])} heads, expected as many of both")
        if vertices is None:
            vertices = 1 + max((int(e.max()) for e in ends if len(e)), default=-1)
        arrays = _abi.EdgeArrays(n=vertices, count=len(ends[0]), index_type=_abi.U32, tail=_at(ends[0]),
                                 head=_at(ends[1]), threads=threads)
        if weights is not None:
            weight = _weights_of(weights, len(ends[0]), "safe")
            arrays.weight_type, arrays.weight = _WEIGHT_TYPES[weight.dtype], _at(weight)
            if weight.dtype.itemsize == 8:
                arrays.edges.weight_type = arrays.weight_type
        _set_edges(arrays.edges, symmetrise, symmetric, drop_loops, dedup)
        return cls._make(library.ordo_graph_from_arrays, ctypes.byref(arrays), progress=progress)

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, symmetrise: bool = False, symmetric: bool = False,
             drop_loops: bool = False, dedup: Dedup | None = None, drop_weights: bool = False,
             weights: tuple[int, int] | None = None, seed: int = 27491095,
             weight_type: Literal["f64", "i64"] | None = None, round: bool = False, columns: str | None = None,
             bipartite: bool = False, trust: bool = False, coordinates: str | os.PathLike[str] | None = None,
             threads: int = 0, progress: Progress | None = None) -> Graph:
        """A file in one of Ordo's formats (docs/formats.md), told by its content. Options are those of the command:
        weights=(low, high) draws whole weights for a file that has none, or with drop_weights instead of its own."""
        name = os.fspath(path)
        options = _abi.ReadOptions(round=round, bipartite=bipartite, trust=trust, threads=threads)
        if columns is not None:
            options.columns = columns.encode()
        if coordinates is not None:
            options.coordinates = os.fsencode(coordinates)
        _set_edges(options.edges, symmetrise, symmetric, drop_loops, dedup, drop_weights, weights, seed, weight_type)
        try:
            return cls._make(library.ordo_graph_read, os.fsencode(name), ctypes.byref(options), progress=progress)
        except FileError as error:
            if name != "-" and not os.path.exists(name):
                raise FileNotFoundError(str(error)) from error
            raise

    @classmethod
    def generate(cls, kind: str, *, vertices: int = 0, scale: int = 0, degree: int = 0, width: int = 0,
                 height: int = 0, depth: int = 0, abcd: tuple[float, float, float, float] = (0, 0, 0, 0),
                 keep: float = 0, weights: tuple[int, int] | None = None, seed: int = 27491095,
                 symmetrise: bool = False, drop_loops: bool = False, dedup: Dedup | None = None,
                 drop_weights: bool = False, weight_type: Literal["f64", "i64"] | None = None, threads: int = 0,
                 progress: Progress | None = None) -> Graph:
        """A made graph: kind is rmat, kron, urand, uniform, grid, mesh, road, rlg, genrmf, star, path, complete or
        cliques (`ordo help generate`). weights=(low, high) draws whole weights."""
        options = _abi.GenerateOptions(kind.encode(), vertices, scale, degree, width, height, depth, *abcd, keep)
        options.threads = threads
        _set_edges(options.edges, symmetrise, False, drop_loops, dedup, drop_weights, weights, seed, weight_type)
        if weights is not None:
            options.edges.weights = 0  # the range alone says that there are some
        return cls._make(library.ordo_graph_generate, ctypes.byref(options), progress=progress)

    # ---- looking ----

    @property
    def n(self) -> int:
        """The number of vertices."""
        return self._csr.n

    @property
    def m(self) -> int:
        """The number of stored edges: an undirected one counts twice."""
        return self._csr.m

    @property
    def symmetric(self) -> bool:
        """Whether each edge has its reverse, by format, by request or by check; False where that is not known."""
        return bool(library.ordo_graph_symmetric(self._at))

    @property
    def indptr(self) -> np.ndarray:
        """[n + 1] of uint64, read-only: the edges of u are indptr[u] to indptr[u + 1] - 1. No copy, as the next two."""
        return np.asarray(_View(self, self._csr.row, "uint64", self.n + 1, 8))

    @property
    def indices(self) -> np.ndarray:
        """[m] of uint32, read-only: the heads of edges. Not contiguous where Ordo keeps heads and weights together."""
        return np.asarray(_View(self, self._csr.head, "uint32", self.m, 4 * self._csr.stride))

    @property
    def weights(self) -> np.ndarray | None:
        """[m], read-only, as `indices`; None where edges have no weights."""
        if self._csr.weight_type == _abi.NONE:
            return None
        type = _abi.TYPES[self._csr.weight_type]
        stride = np.dtype(type).itemsize if self._csr.stride == 1 else 4 * self._csr.stride
        return np.asarray(_View(self, self._csr.weight, type, self.m, stride))

    def tails(self, edges: npt.ArrayLike | None = None) -> np.ndarray:
        """The tails of edges, of all by default."""
        if edges is None:
            offsets = self.indptr.view(np.int64)
            return np.repeat(np.arange(self.n, dtype=np.uint32), offsets[1:] - offsets[:-1])
        return (np.searchsorted(self.indptr, np.asarray(edges, np.uint64), side="right") - 1).astype(np.uint32)

    @property
    def source(self) -> int | None:
        """The source that a flow network names."""
        return self._terminal("source")

    @property
    def sink(self) -> int | None:
        """Its sink."""
        return self._terminal("sink")

    def _terminal(self, name: str) -> int | None:
        vertex = getattr(_abi.VertexData.from_address(library.ordo_graph_vertex_data(self._at)), name)
        return None if vertex == _abi.NO_VERTEX else vertex

    @property
    def coordinates(self) -> np.ndarray | None:
        """[n, 2] of int32: x and y of each vertex; None where the graph has none."""
        at = _abi.VertexData.from_address(library.ordo_graph_vertex_data(self._at)).coordinate
        return None if not at else np.asarray(_View(self, at, "int32", 2 * self.n, 4)).reshape(self.n, 2)

    def info(self) -> dict[str, Any]:
        """What is known of the graph, by the names of ordo_graph_info; scans the edges once."""
        info = _abi.GraphInfo()
        library.ordo_graph_get_info(self._at, ctypes.byref(info))
        found = {name: getattr(info, name) for name, *_ in info._fields_ if name != "reserved"}
        found["weight_type"] = _abi.TYPES.get(info.weight_type)
        return {name: value.decode() if isinstance(value, bytes) else value for name, value in found.items()}

    def to_scipy(self, *, copy: bool = False) -> Any:
        """A csr_array of SciPy over the same rows, with weights 1 (uint32) where there are none. Without copy=True it
        may use arrays of the graph, which are read-only."""
        from scipy.sparse import csr_array

        def take(array: np.ndarray, type: Any) -> np.ndarray:
            return array.astype(type) if copy or not array.flags.c_contiguous else array.view(type)

        wide = max(self.n, self.m) > 2**31 - 1
        indices = take(self.indices, np.int32)
        indptr = self.indptr.astype(np.int64 if wide else np.int32)
        if wide:  # SciPy wants the same type of both
            indices = indices.astype(np.int64)
        weights = self.weights
        data = np.ones(self.m, np.uint32) if weights is None else take(weights, weights.dtype)
        return csr_array((data, indices, indptr), shape=(self.n, self.n))

    def write(self, path: str | os.PathLike[str], *, progress: Progress | None = None) -> None:
        """Writes a file whose suffix is the format (`ordo help generate`)."""
        call(library.ordo_graph_write, self._at, os.fsencode(path), progress=progress)

    def __repr__(self) -> str:
        weights = _abi.TYPES.get(self._csr.weight_type, "no")
        symmetric = ", symmetric" if self.symmetric else ""
        return f"<ordo.Graph: {self.n} vertices, {self.m} edges{symmetric}, {weights} weights>"


def _at(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def _set_edges(edges: _abi.EdgeOptions, symmetrise: bool, symmetric: bool, drop_loops: bool, dedup: str | None,
               drop_weights: bool = False, weights: tuple[int, int] | None = None, seed: int = 0,
               weight_type: str | None = None) -> None:
    if symmetrise and symmetric:
        raise UsageError("symmetrise adds reverse edges and symmetric says that they are there: expected one of them")
    if dedup not in _DEDUP:
        raise UsageError(f"dedup={dedup!r}, expected min, max, sum or first")
    if weight_type not in _WIDE:
        raise UsageError(f"weight_type={weight_type!r}, expected f64 or i64")
    edges.direction = 1 if symmetrise else 2 if symmetric else 0
    edges.drop_loops, edges.parallel, edges.seed = drop_loops, _DEDUP[dedup], seed
    if weight_type:
        edges.weight_type = _WIDE[weight_type]
    if weights is not None:
        edges.low, edges.high = weights
        edges.weights = 3 if drop_weights else 2
    elif drop_weights:
        edges.weights = 1
