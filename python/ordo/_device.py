"""Arrays of other libraries: DLPack and __cuda_array_interface__; and what devices there are.

Memory of the host is used as it is, by NumPy's from_dlpack(): the tensor lives as long as the array. The rows of a graph
are in the host's memory, whatever device its runs use: an array on a GPU is copied to the host, once, by the library's
back end (a session adopts the memory, <ordo/session.h>). to_device() copies an answer the other way.

Order. A DLPack producer is asked for the legacy default stream, on which the back end copies; the stream that
__cuda_array_interface__ names is waited for.
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


def _of_interface(what: str, values: Any) -> _OnDevice:
    is_ = values.__cuda_array_interface__
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
    kinds = {0: "i", 1: "u", 2: "f"}
    if tensor.code not in kinds or tensor.lanes != 1 or tensor.bits not in (8, 16, 32, 64):
        raise TypeError(f"{what}: a DLPack tensor of code {tensor.code}, {tensor.bits} bits, {tensor.lanes} lanes, expected whole "
                        "numbers or reals of at most 8 bytes")
    count = _one_dimension(what, tensor.shape[:tensor.ndim])
    strided = bool(tensor.strides) and count > 1 and tensor.strides[0] != 1
    return _OnDevice((tensor.data or 0) + tensor.byte_offset, count, np.dtype(f"{kinds[tensor.code]}{tensor.bits // 8}"), strided,
                     read_only, None, capsule)


def _look(what: str, values: Any) -> _OnDevice:
    device = device_of(values)
    if device != _CUDA:
        raise TypeError(f"{what}: on {_name(device or _CPU)}, expected an array on a GPU of CUDA")
    found = _of_interface(what, values) if hasattr(values, "__cuda_array_interface__") else _of_capsule(what, _capsule(values))
    if found.strided:
        raise TypeError(f"{what}: on a GPU, not contiguous; expected a contiguous array")
    return found


def _wait(stream: int | None) -> None:
    """Copies are made on the legacy default stream, which needs no waiting for itself."""
    if stream not in (None, _LEGACY_STREAM):
        driver = ctypes.CDLL("libcuda.so.1")
        error = driver.cuStreamSynchronize(ctypes.c_void_p(stream))
        if error:
            raise DeviceError(f"device 'cuda': waiting for stream {stream}: error {error} of the driver")


class _Session:
    """A session of the library with memory of others: [at, bytes] of the device."""

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
        raise TypeError(f"{what}: on a GPU, and rows are kept in the host's memory; casting='safe' copies it there, once")
    found = _look(what, values)
    host = np.empty(found.count, found.dtype)
    if host.size:
        with _Session(found) as session:
            call(library.ordo_session_read, session.at, host.__array_interface__["data"][0], found.at, host.nbytes)
    return host


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
