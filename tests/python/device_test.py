#!/usr/bin/env python3
"""Arrays of other libraries, by objects that speak DLPack and __cuda_array_interface__: no copies of what the host has,
lifetimes, refusals; arrays on a GPU. usage: device_test.py [fake]

`fake`: the library has a back end without a GPU (tests/gpu/fake_test.py), whose memory is the host's.
"""
import ctypes
import gc
import os
import subprocess
import sys
import tempfile
import unittest

import case
import ordo
from case import np
from ordo import _device

FAKE = sys.argv[1:] == ["fake"]
del sys.argv[1:]
api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
alive = {}  # managed tensors, by address
DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@DELETER
def delete(at):
    del alive[at]


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def destroy(capsule):
    """Of a capsule that nobody has taken over: it frees its tensor."""
    of = ctypes.cast(capsule, ctypes.py_object)
    for name in (b"dltensor", b"dltensor_versioned"):
        if api.PyCapsule_IsValid(of, name):
            delete(api.PyCapsule_GetPointer(of, name))


class Producer:
    """A tensor over an array, said to be on a device, by a version of DLPack (0: before there were any)."""

    def __init__(self, array, device=1, version=(1, 0), says=None, read_only=False):
        self.array, self.device, self.version, self.says, self.read_only = array, device, version, says or device, read_only
        self.asked = []

    def __dlpack_device__(self):
        return (self.says, 0)

    def __dlpack__(self, **asked):
        if not self.version and "max_version" in asked:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        self.asked.append(asked)
        managed = (_device._Versioned if self.version else _device._Managed)()
        if self.version:
            managed.major, managed.minor = self.version
            managed.flags = 1 if self.read_only else 0
        shape = (ctypes.c_int64 * self.array.ndim)(*self.array.shape)
        strides = (ctypes.c_int64 * self.array.ndim)(*(s // self.array.itemsize for s in self.array.strides))
        tensor = managed.tensor
        tensor.data, tensor.byte_offset = self.array.__array_interface__["data"][0] - 8, 8
        tensor.device_type, tensor.ndim, tensor.shape, tensor.strides = self.device, self.array.ndim, shape, strides
        tensor.code, tensor.bits, tensor.lanes = {"i": 0, "u": 1, "f": 2, "c": 5}[self.array.dtype.kind], 8 * self.array.itemsize, 1
        managed.deleter = ctypes.cast(delete, ctypes.c_void_p).value
        at = ctypes.addressof(managed)
        kept = (managed, shape, strides, self.array)
        if self.version > (1, 9):  # NumPy raises while it holds the capsule, and a destructor of Python's would lose that
            self.kept = kept
            return api.PyCapsule_New(at, b"dltensor_versioned", None)
        alive[at] = kept
        return api.PyCapsule_New(at, b"dltensor_versioned" if self.version else b"dltensor", destroy)


class OnGpu:
    """An array that speaks __cuda_array_interface__ alone."""

    def __init__(self, array, **more):
        self.array = array
        self.__cuda_array_interface__ = {"shape": array.shape, "typestr": array.dtype.str, "strides": None, "version": 3,
                                         "data": (array.__array_interface__["data"][0], False), **more}


def rows():
    g = ordo.generate("road", vertices=3000)
    return g, [g.indptr.astype(np.int64), g.indices.astype(np.int32), np.ascontiguousarray(g.weights)]


class Host(unittest.TestCase):
    def test_no_copy_and_lifetime(self):
        g, arrays = rows()
        for version in ((1, 0), ()):
            with self.subTest(version=version):
                mine = ordo.Graph.from_dlpack(*(Producer(a, version=version) for a in arrays), casting="no")
                self.assertEqual([a.__array_interface__["data"][0] for a in (mine.indptr, mine.indices, mine.weights)],
                                 [a.__array_interface__["data"][0] for a in arrays])
                gc.collect()
                self.assertEqual(len(alive), 3)  # the graph holds the tensors
                r = ordo.sssp(mine, 5, threads=1)
                np.testing.assert_array_equal(r.dist, ordo.sssp(g, 5).dist)
                view = mine.indices
                del mine, r
                gc.collect()
                self.assertEqual(len(alive), 3)  # and so does an array of it
                del view
                gc.collect()
                self.assertEqual(alive, {})

    def test_copies(self):
        g, (indptr, indices, weights) = rows()
        mine = ordo.Graph.from_dlpack(Producer(indptr.astype(np.int32)), Producer(indices.astype(np.int64)), Producer(weights))
        np.testing.assert_array_equal(ordo.sssp(mine, 5).dist, ordo.sssp(g, 5).dist)
        self.assertRaisesRegex(TypeError, "int64", ordo.Graph.from_dlpack, Producer(indptr), Producer(indices.astype(np.int64)), casting="no")
        edges = ordo.Graph.from_edges(Producer(np.array([0, 1])), Producer(np.array([1, 2])), Producer(np.array([4.5, 2.0])))
        self.assertEqual(ordo.sssp(edges, 0).dist.tolist(), [0, 4.5, 6.5])
        mine = edges = None
        gc.collect()
        self.assertEqual(alive, {})

    def test_refusals(self):
        _, (indptr, indices, weights) = rows()
        for bad, kind, text in ((list(indptr), TypeError, "neither"), (Producer(indptr, device=10), TypeError, "on rocm"),
                                (Producer(indptr, version=(2, 0)), BufferError, "."), (Producer(indptr[None, :]), ValueError, "2 dimensions"),
                                (Producer(indptr, device=99), TypeError, "on device 99")):
            with self.assertRaisesRegex(kind, text):
                ordo.Graph.from_dlpack(bad, indices, weights)
        self.assertRaisesRegex(ordo.InputError, r"indices\[0\]", ordo.Graph.from_dlpack, indptr, Producer(np.array([-1, 0])))
        self.assertRaisesRegex(TypeError, "expected an array on a GPU", ordo.to_device, indptr, Producer(indptr))
        gc.collect()
        self.assertEqual(alive, {})

    def test_devices(self):
        found = ordo.devices()
        self.assertRegex(found["cpu"], r"^\d+ cores$")
        self.assertNotEqual("cuda" in found, "cuda" in found.missing)
        self.assertIn("cuda", found if FAKE else {**found, **found.missing})

    @unittest.skipIf("cuda" in ordo.devices(), "there is a back end")
    def test_without_a_gpu(self):
        _, (indptr, indices, weights) = rows()
        self.assertRaisesRegex(ordo.DeviceError, "device 'cuda'", ordo.Graph.from_dlpack, OnGpu(indptr), OnGpu(indices), OnGpu(weights))


@unittest.skipUnless(FAKE, "no back end")
class Gpu(unittest.TestCase):
    def test_graphs(self):
        g, arrays = rows()
        expected = ordo.sssp(g, 5).dist
        for make in (OnGpu, lambda a: OnGpu(a, stream=1), lambda a: Producer(a, 2), lambda a: Producer(a, 2, version=())):
            on_gpu = [make(a) for a in arrays]
            mine = ordo.Graph.from_dlpack(*on_gpu)
            np.testing.assert_array_equal(ordo.sssp(mine, 5).dist, expected)
            self.assertNotEqual(mine.indices.__array_interface__["data"], arrays[1].__array_interface__["data"])
            gc.collect()
            self.assertEqual(alive, {})  # copied: the tensors are free again
            if isinstance(on_gpu[0], Producer):
                self.assertEqual({a["stream"] for p in on_gpu for a in p.asked}, {1})
        tails = ordo.Graph.from_edges(OnGpu(g.tails()), OnGpu(arrays[1]), OnGpu(arrays[2]), vertices=g.n)
        np.testing.assert_array_equal(ordo.sssp(tails, 5).dist, expected)
        self.assertEqual(ordo.Graph.from_dlpack(OnGpu(np.zeros(4, np.int64)), OnGpu(np.zeros(0, np.int32))).m, 0)

    def test_results(self):
        g, _ = rows()
        dist = ordo.sssp(g, 5).dist
        for make in (OnGpu, lambda a: Producer(a, 2), lambda a: Producer(a, 2, version=())):
            out = np.zeros(g.n, np.uint32)
            holder = make(out)
            self.assertIs(ordo.to_device(dist, holder), holder)
            np.testing.assert_array_equal(out, dist)
        for bad, text in ((OnGpu(np.zeros(g.n, np.int64)), "int64, expected 3000 of uint32"), (OnGpu(np.zeros(7, np.uint32)), "7 of"),
                          (Producer(np.zeros(g.n, np.uint32), 2, read_only=True), "read-only")):
            self.assertRaisesRegex(ordo.UsageError, text, ordo.to_device, dist, bad)

    def test_refusals(self):
        _, (indptr, indices, weights) = rows()
        from_dlpack = ordo.Graph.from_dlpack
        self.assertRaisesRegex(TypeError, "copies it there", from_dlpack, OnGpu(indptr), OnGpu(indices), casting="no")
        for bad, kind, text in ((OnGpu(indptr, mask=1), TypeError, "mask"), (OnGpu(indptr, stream=0), ValueError, "stream 0"),
                                (OnGpu(indptr[::2], strides=(16,)), TypeError, "not contiguous"), (OnGpu(indptr[None, :]), ValueError, "2 dim"),
                                (Producer(indptr[::2], 2), TypeError, "not contiguous"), (Producer(indptr[None, :], 2), ValueError, "2 dim"),
                                (Producer(indptr, 2, version=(2, 1)), BufferError, "DLPack 2.1, expected at most 1"),
                                (Producer(indptr, 1, says=2), BufferError, "the tensor is on cpu"),
                                (Producer(indptr.astype(complex), 2), TypeError, "code 5"),
                                (OnGpu(indptr.astype(float)), TypeError, "whole numbers")):
            with self.assertRaisesRegex(kind, text):
                from_dlpack(bad, OnGpu(indices), OnGpu(weights))
        gc.collect()
        self.assertEqual(alive, {})

    def test_folder_of_back_ends(self):
        """A back end that is not beside the library is found by ORDO_BACKENDS, as the wheel ordo-cuda has it."""
        here = os.environ["LD_LIBRARY_PATH"]
        with tempfile.TemporaryDirectory() as folder:
            alone = os.path.join(folder, "libordo.so.0")
            with open(os.path.join(here, "libordo.so.0"), "rb") as source, open(alone, "wb") as copy:
                copy.write(source.read())
            say = [sys.executable, "-c", "import ordo; d = ordo.devices(); print('cuda' in d, d.missing)"]
            for backends, expected in ((here, "True {}"), (folder, "False {'cuda':")):
                environment = dict(os.environ, ORDO_LIBRARY=alone, ORDO_BACKENDS=backends)
                del environment["LD_LIBRARY_PATH"]
                said = subprocess.run(say, env=environment, capture_output=True, text=True, check=True).stdout
                self.assertTrue(said.startswith(expected), said)


if __name__ == "__main__":
    case.main()
