"""Arrays of other libraries: DLPack and __cuda_array_interface__; and what devices there are.

Memory of the host is used as it is, by NumPy's from_dlpack(): the tensor lives as long as the array. Rows on a GPU are
used there, and live as long as the graph (ordo_graph_borrow_device_arrays(), <ordo/arrays.h>). Other arrays on a GPU are
copied to the host, once, by the library's back end (a session adopts the memory, <ordo/session.h>); to_device() copies an
answer the other way. A DeviceArray is an answer that a run has left on the GPU.

Order, inwards. The back end copies and runs on the legacy default stream. A DLPack producer is asked for that stream
(1), so it orders its writes before what is done there from then on. The stream that __cuda_array_interface__ names is
waited for, by the host, before the library is called; without a name there is nothing to wait for, by the protocol.
Every call of the library waits for its kernels, so an array that is given back when the graph is freed is in no use.

Order, outwards. The run that writes a DeviceArray has ended when its call returns, and nothing writes the array after
it: consumers on any stream may read at once. So the interface names no stream, and __dlpack__() has nothing to order.
The memory is freed by cudaFree(), which waits for the device, so a consumer's kernel that still reads is no danger.
"""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _abi
from ._abi import library
from ._call import call
from ._errors import DeviceError, UsageError

_CPU, _CUDA = 1, 2  # DLDeviceType
_ON_HOST = {_CPU, 3, 13}  # pinned and managed memory of CUDA too
_DEVICES = {1: "cpu", 2: "cuda", 3: "cuda_host", 4: "opencl", 7: "vulkan", 8: "metal", 10: "rocm", 11: "rocm_host", 13: "cuda_managed",
            14: "oneapi"}
_LEGACY_STREAM = 1
_MAJOR = 1  # of DLPack's versions
_KINDS = "iuf"  # NumPy's, by DLPack's code


class _Tensor(ctypes.Structure):  # DLTensor
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):  # DLManagedTensor
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):  # DLManagedTensorVersioned
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


_READ_ONLY = 1  # of flags

_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes, _is_valid.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_int
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p


@dataclass
class _OnDevice:
    """One dimension of memory of a GPU. owner: keeps it; of a capsule that is not renamed, its destructor frees the tensor."""
    at: int
    count: int
    dtype: np.dtype[Any]
    strided: bool
    read_only: bool
    stream: int | None
    owner: Any


def device_of(values: Any) -> int | None:
    """The DLPack number of the device that an array is on; None for what speaks neither protocol."""
    if hasattr(values, "__cuda_array_interface__"):
        return _CUDA
    if isinstance(values, np.ndarray) or not hasattr(values, "__dlpack_device__"):
        return None
    return int(values.__dlpack_device__()[0])


def _name(device: int) -> str:
    return _DEVICES.get(device, f"device {device}")


def _one_dimension(what: str, shape: Any) -> int:
    if len(shape) != 1:
        raise ValueError(f"{what} has {len(shape)} dimensions, expected 1")
    return int(shape[0])


def _of_interface(what: str, is_: dict[str, Any], values: Any) -> _OnDevice:
    if is_.get("mask") is not None:
        raise TypeError(f"{what}: a masked array, expected one without a mask")
    dtype, count, stream = np.dtype(is_["typestr"]), _one_dimension(what, is_["shape"]), is_.get("stream")
    if stream == 0:
        raise ValueError(f"{what}: __cuda_array_interface__ has stream 0, which is ambiguous; expected None, 1, 2 or a stream")
    strides = is_.get("strides")
    return _OnDevice(is_["data"][0] or 0, count, dtype, strides is not None and count > 1 and strides[0] != dtype.itemsize,
                     bool(is_["data"][1]), stream, values)


def _capsule(values: Any) -> Any:
    try:
        return values.__dlpack__(stream=_LEGACY_STREAM, max_version=(_MAJOR, 0))
    except TypeError:  # a producer before version 1.0
        return values.__dlpack__(stream=_LEGACY_STREAM)


def _of_capsule(what: str, capsule: Any) -> _OnDevice:
    read_only = False
    if _is_valid(capsule, b"dltensor_versioned"):
        versioned = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
        if versioned.major > _MAJOR:
            raise BufferError(f"{what}: DLPack {versioned.major}.{versioned.minor}, expected at most {_MAJOR}")
        read_only, tensor = bool(versioned.flags & _READ_ONLY), versioned.tensor
    elif _is_valid(capsule, b"dltensor"):
        tensor = _Managed.from_address(_pointer(capsule, b"dltensor")).tensor
    else:
        raise BufferError(f"{what}: __dlpack__() gave no capsule of a tensor, or one that was used before")
    if tensor.device_type != _CUDA:
        raise BufferError(f"{what}: __dlpack_device__() says cuda, the tensor is on {_name(tensor.device_type)}")
    if tensor.code >= len(_KINDS) or tensor.lanes != 1 or tensor.bits not in (8, 16, 32, 64):
        raise TypeError(f"{what}: a DLPack tensor of code {tensor.code}, {tensor.bits} bits, {tensor.lanes} lanes, expected whole "
                        "numbers or reals of at most 8 bytes")
    count = _one_dimension(what, tensor.shape[:tensor.ndim])
    strided = bool(tensor.strides) and count > 1 and tensor.strides[0] != 1
    return _OnDevice((tensor.data or 0) + tensor.byte_offset, count, np.dtype(f"{_KINDS[tensor.code]}{tensor.bits // 8}"), strided,
                     read_only, None, capsule)


def _look(what: str, values: Any) -> _OnDevice:
    device = device_of(values)
    if device != _CUDA:
        raise TypeError(f"{what}: on {_name(device or _CPU)}, expected an array on a GPU of CUDA")
    interface = getattr(values, "__cuda_array_interface__", None)
    # before version 3 it says nothing of streams, which PyTorch's does not: then DLPack, where there is that
    old = interface is None or (interface["version"] < 3 and hasattr(values, "__dlpack__"))
    found = _of_capsule(what, _capsule(values)) if old else _of_interface(what, interface, values)
    if found.strided:
        raise TypeError(f"{what}: on a GPU, not contiguous; expected a contiguous array")
    return found


def _driver() -> Any:
    return ctypes.CDLL("libcuda.so.1")


def _wait(stream: int | None) -> None:
    """Copies are made on the legacy default stream, which needs no waiting for itself."""
    if stream not in (None, _LEGACY_STREAM):
        error = _driver().cuStreamSynchronize(ctypes.c_void_p(stream))
        if error:
            raise DeviceError(f"device 'cuda': waiting for stream {stream}: error {error} of the driver")


class _Session:
    """A session of the library with memory of others: [at, bytes] of the device, ready to be read and written."""

    def __init__(self, memory: _OnDevice):
        self.at = ctypes.c_void_p()
        self.memory = memory

    def __enter__(self) -> _Session:
        call(library.ordo_session_make, b"cuda", 0, ctypes.byref(self.at))
        try:
            call(library.ordo_session_adopt, self.at, self.memory.at, self.memory.count * self.memory.dtype.itemsize)
            _wait(self.memory.stream)
        except BaseException:
            library.ordo_session_free(self.at)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        library.ordo_session_free(self.at)


def to_host(what: str, values: Any, casting: str) -> Any:
    """What NumPy can take: memory of the host as it is, of a GPU as a copy, unless casting="no" refuses that."""
    device = device_of(values)
    if device is None:
        return values
    if device in _ON_HOST:
        return np.from_dlpack(values)
    if device != _CUDA:
        raise TypeError(f"{what}: on {_name(device)}, expected memory of the host, or of a GPU of CUDA")
    if casting == "no":
        raise TypeError(f"{what}: on a GPU, expected memory of the host; casting='safe' copies it there, once")
    found = _look(what, values)
    host = np.empty(found.count, found.dtype)
    if host.size:
        with _Session(found) as session:
            call(library.ordo_session_read, session.at, host.__array_interface__["data"][0], found.at, host.nbytes)
    return host


def rows_on_gpu(arrays: list[tuple[str, Any, tuple[str, ...]]], casting: str) -> list[_OnDevice] | None:
    """The rows of a graph, each by name with the types that a GPU takes, where all are on one; None where they are to be
    copied to the host: some are there, or have other types."""
    if any(device_of(values) != _CUDA for _, values, _ in arrays):
        return None
    found = [_look(what, values) for what, values, _ in arrays]
    for (what, _, types), one in zip(arrays, found, strict=True):
        if one.dtype.str[1:] not in types or not one.dtype.isnative:
            if casting != "no":
                return None
            raise TypeError(f"{what}: {one.dtype} on a GPU, expected {' or '.join(np.dtype(t).name for t in types)}; casting='safe' "
                            "copies it to the host, once")
    for one in found:
        if one.stream is not None:
            with _Session(one):  # waits; the call that makes the graph looks where the arrays are
                pass
    return found


def to_device(values: np.ndarray, out: Any) -> Any:
    """Copies an answer, such as r.dist, into an array on a GPU: of CuPy, PyTorch or another library that speaks
    __cuda_array_interface__ or DLPack; contiguous, of the same type and length, not read-only. Returns `out`."""
    array, found = np.ascontiguousarray(values), _look("out", out)
    if found.read_only:
        raise UsageError("out is read-only")
    if (found.dtype, found.count) != (array.dtype, array.size) or array.ndim != 1:
        raise UsageError(f"out: {found.count} of {found.dtype}, expected {array.size} of {array.dtype}, in one dimension")
    if array.size:
        with _Session(found) as session:
            call(library.ordo_session_write, session.at, found.at, array.__array_interface__["data"][0], array.nbytes)
    return out


# ---- answers on a device ----

_lent: dict[int, Any] = {}  # what capsules refer to, by the address of their tensor


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _delete(at: int) -> None:
    """The deleter of tensors, which consumers call from any thread."""
    _lent.pop(at, None)


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _destroy(capsule: int) -> None:
    """Of a capsule that nobody has taken over. It has no references any more, so it must not become an object again."""
    for name in _CAPSULES:
        if _valid_at(capsule, name):
            _delete(_pointer_at(capsule, name))


_CAPSULES = (b"dltensor", b"dltensor_versioned")  # PyCapsule_New() keeps the address of the name
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", ctypes.pythonapi))
_valid_at = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer_at = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
for _callback in (_delete, _destroy):  # consumers may outlive this module
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_callback))


class DeviceArray:
    """The values of an answer in the memory of a GPU: `result.device_array`, of a call with results="device".

    cupy.asarray(), torch.as_tensor() and others read it by __cuda_array_interface__, torch.from_dlpack() and
    cupy.from_dlpack() by DLPack, without a copy; np.asarray() copies it to the host. It has one dimension, is contiguous,
    and may be written. The memory is Ordo's: it is freed when this object and all that was made from it have gone.
    DeviceArray(count, dtype) makes one, whose elements are not set, for to_device() to fill.
    """

    __slots__ = ("shape", "dtype", "device", "_at", "_session", "__weakref__")
    shape: tuple[int]
    dtype: np.dtype[Any]
    device: int  # number of the GPU

    def __init__(self, count: int, dtype: Any):
        self._session = ctypes.c_void_p()
        self.shape, self.dtype = (count,), np.dtype(dtype)
        at = ctypes.c_void_p()
        call(library.ordo_session_make, b"cuda", 0, ctypes.byref(self._session))
        call(library.ordo_session_array, self._session, None, count, self.dtype.itemsize, ctypes.byref(at))
        self._at, self.device = at.value, library.ordo_session_number(self._session)

    def __del__(self) -> None:
        library.ordo_session_free(self._session)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def nbytes(self) -> int:
        return self.shape[0] * self.dtype.itemsize

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.str, "strides": None, "stream": None,
                "data": (self._at if self.shape[0] else 0, False)}

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_CUDA, self.device)

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        if stream == 0:
            raise ValueError("stream 0 is ambiguous; expected None, -1, 1, 2 or a stream")
        if copy or (dl_device is not None and tuple(map(int, dl_device)) != self.__dlpack_device__()):
            raise BufferError("the array is given as it is, on its GPU; expected neither a copy nor another device")
        versioned = max_version is not None and max_version[0] >= _MAJOR
        managed: Any = _Versioned(major=_MAJOR) if versioned else _Managed()
        shape, strides, tensor = (ctypes.c_int64 * 1)(*self.shape), (ctypes.c_int64 * 1)(1), managed.tensor
        tensor.data, tensor.device_type, tensor.device_id, tensor.ndim = self._at, _CUDA, self.device, 1
        tensor.code, tensor.bits, tensor.lanes = _KINDS.index(self.dtype.kind), 8 * self.dtype.itemsize, 1
        tensor.shape, tensor.strides = shape, strides
        managed.deleter = ctypes.cast(_delete, ctypes.c_void_p)
        at = ctypes.addressof(managed)
        _lent[at] = (self, managed, shape, strides)
        return _new(at, _CAPSULES[versioned], ctypes.cast(_destroy, ctypes.c_void_p))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("the array is on a GPU, and NumPy's are on the host: expected copy=None or True")
        host = np.empty(self.shape, self.dtype)
        call(library.ordo_session_read, self._session, host.__array_interface__["data"][0], self._at, host.nbytes)
        return host if dtype is None else host.astype(dtype)

    def __repr__(self) -> str:
        return f"<ordo.DeviceArray: {self.shape[0]} of {self.dtype} on GPU {self.device}>"


class Devices(dict[str, str]):
    """By name of a device (cpu, cuda) what it is, for those that can be used. missing: why the others cannot."""

    missing: dict[str, str]


def devices() -> Devices:
    """The devices that runs can use: {"cpu": "8 cores", "cuda": "NVIDIA ..."}; `.missing` says why one cannot be."""
    found, name = Devices(), ctypes.create_string_buffer(96)
    found.missing = {}
    for device in ("cpu", "cuda"):
        try:
            call(library.ordo_device_find, device.encode(), ctypes.addressof(name), len(name))
            found[device] = name.value.decode()
        except DeviceError as error:
            found.missing[device] = str(error)
    return found
