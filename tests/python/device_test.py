#!/usr/bin/env python3
"""Arrays of other libraries, by objects that speak DLPack and __cuda_array_interface__: no copies of what the host has,
lifetimes, refusals; arrays on a GPU. usage: device_test.py [fake]

`fake`: the library has a back end without a GPU (tests/gpu/fake_test.py), whose memory is the host's, and which counts the
bytes that it copies each way. With a GPU, and CuPy or PyTorch, these are tried; else that is skipped.
"""
import contextlib
import ctypes
import gc
import os
import subprocess
import sys
import tempfile
import unittest
import weakref

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


@contextlib.contextmanager
def environment(**values):
    """Of the runtime without a GPU, which asks at each call."""
    os.environ.update({name: str(value) for name, value in values.items()})
    try:
        yield
    finally:
        for name in values:
            del os.environ[name]


def aligned(array):
    """A copy at a multiple of 16 bytes, where arrays of GPU libraries are."""
    room = np.empty(array.nbytes + 16, np.uint8)
    begin = -room.__array_interface__["data"][0] % 16
    copy = room[begin:begin + array.nbytes].view(array.dtype)
    copy[:] = array
    return copy


class Copied:
    """The bytes that the runtime without a GPU copies meanwhile: to the device, from it, and within it; and how many blocks of
    memory and events are taken."""

    def __enter__(self):
        self.counts = (ctypes.c_long * 6)()  # by cudaMemcpyKind
        self.environment = environment(FAKE_COUNTS=ctypes.addressof(self.counts))
        self.environment.__enter__()
        return self

    def __exit__(self, *_):
        self.environment.__exit__(None, None, None)
        self.up, self.down, self.within = self.counts[1:4]
        self.taken = self.counts[5]


def rows():
    g = ordo.generate("road", vertices=600)
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
        """Rows on a GPU are copied to the host once, and never to the GPU, and live as long as the graph."""
        g, arrays = rows()
        expected = ordo.sssp(g, 5).dist
        for make in (OnGpu, lambda a: OnGpu(a, stream=1), lambda a: Producer(a, 2), lambda a: Producer(a, 2, version=())):
            on_gpu = [make(a) for a in arrays]
            with Copied() as copied:
                mine = ordo.Graph.from_dlpack(*on_gpu, casting="no")
            self.assertEqual((copied.up, copied.down), (0, sum(a.nbytes for a in arrays)))
            held = len(alive)
            if isinstance(on_gpu[0], Producer):
                self.assertEqual({a["stream"] for p in on_gpu for a in p.asked}, {1})
                self.assertEqual(held, 3)
            del on_gpu
            np.testing.assert_array_equal(ordo.sssp(mine, 5).dist, expected)  # on the CPU, of the host's copy
            with Copied() as copied:
                r = ordo.sssp(mine, 5, device="cuda", scheduler="broker", predecessors=False)
            np.testing.assert_array_equal(r.dist, expected)
            r.verify()
            self.assertLess(copied.up, 4 * g.n + 100)  # cells, and the first item
            gc.collect()
            self.assertEqual(len(alive), held)
            del mine
            gc.collect()
            self.assertEqual(len(alive), held)  # the answer has the graph
            del r
            gc.collect()
            self.assertEqual(alive, {})
        tails = ordo.Graph.from_edges(OnGpu(g.tails()), OnGpu(arrays[1]), OnGpu(arrays[2]), vertices=g.n)
        np.testing.assert_array_equal(ordo.sssp(tails, 5).dist, expected)
        self.assertEqual(ordo.Graph.from_dlpack(OnGpu(np.zeros(4, np.int64)), OnGpu(np.zeros(0, np.int32))).m, 0)

    def test_where_they_are(self):
        """Runs read the caller's arrays: what is changed there, against the rules, is seen by runs on the GPU alone. Of heads
        beside weights of 4 bytes, of narrow offsets and of heads at an odd address the back end makes its own."""
        indptr = np.minimum(np.arange(41), 39).astype(np.int64)  # 0 -> 1 -> 2 -> ...
        for name, indices, row, weights, own in (
                ("heads", np.arange(1, 40, dtype=np.uint32), indptr, None, False),
                ("int32", np.arange(1, 40, dtype=np.int32), indptr, None, False),
                ("wide weights", np.arange(1, 40, dtype=np.uint32), indptr, np.ones(39), False),
                ("narrow offsets", np.arange(1, 40, dtype=np.uint32), indptr.astype(np.int32), None, False),
                ("weights", np.arange(1, 40, dtype=np.uint32), indptr, np.ones(39, np.float32), True),
                ("wide indices", np.arange(1, 40), indptr, None, True),
                ("wide indices, weights", np.arange(1, 40), indptr, np.ones(39, np.int32), True),
                ("odd address", aligned(np.arange(40, dtype=np.uint32))[1:], indptr, None, True)):
            with self.subTest(name):
                if not own:
                    indices = aligned(indices)
                with Copied() as copied:
                    g = ordo.Graph.from_csr(OnGpu(row), OnGpu(indices), None if weights is None else OnGpu(weights))
                self.assertEqual(copied.up, 0)
                with Copied() as copied:
                    level = ordo.bfs(g, 0, device="cuda", scheduler="bsp", direction="push", predecessors=False).level
                self.assertLess(copied.up, 4 * g.n + 100)
                np.testing.assert_array_equal(level, np.arange(40))
                indices[9] = 0  # the edge of vertex 9 goes back
                level = ordo.bfs(g, 0, device="cuda", scheduler="bsp", direction="push", predecessors=False).level
                self.assertEqual(np.count_nonzero(level != 0xFFFFFFFF), 40 if own else 10)
                self.assertEqual(int(ordo.bfs(g, 0).level.max()), 39)
                indices[9] = 10

    def test_later_runs_take_nothing(self):
        """Memory, pinned words and events of a run are kept for later ones of the process."""
        g = ordo.generate("road", vertices=700)
        taken = []
        for app, scheduler in ((ordo.sssp, "delta"), (ordo.bfs, "bsp")):
            for _ in range(3):
                with Copied() as copied:
                    app(g, 5, device="cuda", scheduler=scheduler, predecessors=False)
                taken.append(copied.taken)
        self.assertGreater(taken[0], 5)
        self.assertEqual((taken[1:3], taken[4:]), ([0, 0], [0, 0]), taken)

    def test_copies_to_the_host(self):
        """Of other types, or where some are on the host: a graph of the host, whose rows go to the GPU once."""
        g, (indptr, indices, weights) = rows()
        expected = ordo.sssp(g, 5).dist
        for arrays in ((OnGpu(indptr), OnGpu(indices), OnGpu(weights.astype(np.uint16))), (OnGpu(indptr), Producer(indices, 2), weights),
                       (Producer(indptr, 2), indices, OnGpu(weights))):
            mine = ordo.Graph.from_dlpack(*arrays)
            gc.collect()
            self.assertEqual(alive, {})  # copied: the tensors are free again
            with Copied() as copied:
                r = ordo.sssp(mine, 5, device="cuda", scheduler="broker", predecessors=False)
            np.testing.assert_array_equal(r.dist, expected)
            self.assertGreater(copied.up, 8 * g.m)
            self.assertRaisesRegex(TypeError, "casting='safe' copies it", ordo.Graph.from_dlpack, *arrays, casting="no")

    def test_other_places(self):
        """Arrays of another GPU than the thread's, and of the host; and such a thread's run."""
        _, (indptr, indices, weights) = rows()
        for place, text in ((1, "row: device 'cuda': found memory of GPU 1, expected GPU 0"), (-1, "row: .*found memory of the host")):
            with environment(FAKE_PLACE=place):
                for make in (OnGpu, lambda a: Producer(a, 2)):
                    self.assertRaisesRegex(ordo.UsageError, text, ordo.Graph.from_dlpack, make(indptr), make(indices), make(weights))
                self.assertRaisesRegex(ordo.UsageError, "found memory of", ordo.to_device, weights, OnGpu(weights.copy()))
        gc.collect()
        self.assertEqual(alive, {})
        g = ordo.Graph.from_dlpack(OnGpu(indptr), OnGpu(indices))
        with environment(FAKE_DEVICE=1, FAKE_DEVICES=2):
            self.assertRaisesRegex(ordo.UsageError, "the graph's arrays are on GPU 0, and this thread uses GPU 1", ordo.bfs, g, 0,
                                   device="cuda", scheduler="bsp")
            self.assertEqual(ordo.bfs(g, 0).level[0], 0)

    def test_streams(self):
        """A stream that the interface names is waited for before the arrays are read; 1 is the back end's own."""
        _, (indptr, indices, _) = rows()
        waited = []

        class Driver:
            def cuStreamSynchronize(self, stream):
                waited.append(stream.value)
                return 0 if stream.value != 9 else 700

        before, _device._driver = _device._driver, Driver
        try:
            ordo.Graph.from_csr(OnGpu(indptr, stream=77), OnGpu(indices, stream=2))
            self.assertEqual(waited, [77, 2])
            ordo.Graph.from_csr(OnGpu(indptr, stream=1), OnGpu(indices, stream=None))
            self.assertEqual(waited, [77, 2])
            self.assertRaisesRegex(ordo.DeviceError, "stream 9: error 700", ordo.Graph.from_csr, OnGpu(indptr, stream=9), OnGpu(indices))
        finally:
            _device._driver = before

    def test_device_array(self):
        """Answers that stay on the GPU: one copy within it, as the run has left them, by both protocols."""
        g, arrays = rows()
        both = ordo.Graph.from_csr(OnGpu(arrays[0]), OnGpu(arrays[1]), symmetric=True)
        for run, name in ((lambda **o: ordo.sssp(g, 5, scheduler="broker", **o), "dist"), (lambda **o: ordo.bfs(both, 7, scheduler="bsp", **o), "level"),
                          (lambda **o: ordo.bfs(both, 7, scheduler="bsp", limit=9, **o), "level"),
                          (lambda **o: ordo.cc(both, **o), "component"), (lambda **o: ordo.kcore(both, **o), "core")):
            with self.subTest(name):
                expected = getattr(run(device="cuda"), name)
                with Copied() as plain:
                    run(device="cuda")
                with Copied() as copied:
                    r = run(results="device")
                self.assertEqual(r.stats.backend, "cuda")
                self.assertEqual((copied.up, copied.within, plain.within), (plain.up, expected.nbytes, 0))
                self.assertLess(abs(copied.down - plain.down), 4000)  # samples of the trace
                r.verify()
                array = r.device_array
                self.assertEqual((array.shape, array.dtype, array.nbytes), (expected.shape, expected.dtype, expected.nbytes))
                interface = array.__cuda_array_interface__
                self.assertEqual((interface["stream"], interface["strides"], interface["data"][1]), (None, None, False))
                seen = np.ctypeslib.as_array(ctypes.cast(interface["data"][0], ctypes.POINTER(ctypes.c_uint32)), array.shape)
                np.testing.assert_array_equal(seen, expected)  # the GPU's memory is the host's here
                np.testing.assert_array_equal(np.asarray(array), expected)
                self.assertIn("on GPU 0", repr(array))
        self.assertIsNone(ordo.bfs(g, 0).device_array)
        self.assertRaises(ValueError, np.array, array, copy=False)

    def test_capsules(self):
        """A consumer that takes a capsule over keeps the memory until it calls the deleter; one that nobody takes lets go."""
        g = ordo.Graph.from_csr(np.array([0, 1, 1]), np.array([1], np.int32))
        for asked, name, kind in (({}, b"dltensor", _device._Managed), ({"max_version": (1, 1), "stream": -1}, b"dltensor_versioned", _device._Versioned),
                                  ({"max_version": (0, 8)}, b"dltensor", _device._Managed)):
            array = ordo.bfs(g, 0, scheduler="bsp", results="device").device_array
            self.assertEqual(array.__dlpack_device__(), (2, 0))
            capsule = array.__dlpack__(**asked)
            self.assertTrue(api.PyCapsule_IsValid(capsule, name))
            at = api.PyCapsule_GetPointer(capsule, name)
            managed = kind.from_address(at)
            tensor = managed.tensor
            self.assertEqual((tensor.device_type, tensor.device_id, tensor.ndim, tensor.code, tensor.bits, tensor.lanes, tensor.shape[0],
                              tensor.strides[0], tensor.byte_offset), (2, 0, 1, 1, 32, 1, 2, 1, 0))
            self.assertEqual(tensor.data, array.__cuda_array_interface__["data"][0])
            gone = weakref.ref(array)
            used = b"used_" + name
            api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
            api.PyCapsule_SetName(capsule, used)
            del array, capsule
            gc.collect()
            self.assertIsNotNone(gone())  # the consumer's
            self.assertEqual(np.asarray(gone()).tolist(), [0, 1])
            DELETER(managed.deleter)(at)
            gc.collect()
            self.assertIsNone(gone())
            array = ordo.bfs(g, 0, scheduler="bsp", results="device").device_array
            capsule, gone = array.__dlpack__(**asked), weakref.ref(array)
            del array
            self.assertIsNotNone(gone())
            del capsule
            gc.collect()
            self.assertIsNone(gone())
        self.assertEqual(_device._lent, {})
        array = ordo.bfs(g, 0, scheduler="bsp", results="device").device_array
        self.assertRaisesRegex(ValueError, "ambiguous", array.__dlpack__, stream=0)
        self.assertRaisesRegex(BufferError, "neither a copy", array.__dlpack__, copy=True)
        self.assertRaisesRegex(BufferError, "another device", array.__dlpack__, dl_device=(1, 0))
        offsets = ordo.to_device(np.zeros(3, np.int64), ordo.DeviceArray(3, np.int64))
        mine = ordo.Graph.from_dlpack(offsets, ordo.DeviceArray(0, np.int32), casting="no")  # what it gives it takes
        self.assertEqual((mine.n, mine.m), (2, 0))

    def test_freed(self):
        """Memory of answers is given back: more of them than the GPU holds."""
        g = ordo.Graph.from_csr(np.zeros(100_001, np.int64), np.zeros(0, np.int32))
        with environment(FAKE_MEMORY=4_000_000):
            for _ in range(30):
                self.assertEqual(len(ordo.bfs(g, 0, scheduler="bsp", results="device").device_array), 100_000)
            kept = []
            with self.assertRaisesRegex(ordo.OutOfMemoryError, "bytes"):
                for _ in range(30):
                    kept.append(ordo.bfs(g, 0, scheduler="bsp", results="device"))

    def test_refused_results(self):
        g, _ = rows()
        for call, text in ((lambda: ordo.bfs(g, 0, results="gpu"), "expected host or device"),
                           (lambda: ordo.bfs(g, 0, results="device", device="cpu"), "the run is on the CPU"),
                           (lambda: ordo.bfs(g, 0, results="device", scheduler="bsp", stop_after=4), "not what one run leaves there"),
                           (lambda: ordo.kcore(g, 2, results="device"), "not what one run leaves there"),
                           (lambda: ordo.pagerank(g, results="device"), "sssp, bfs, widest, cc, kcore and lp"),
                           (lambda: ordo.bellman_ford(g, 0, results="device"), "sssp, bfs, widest")):
            with self.assertRaisesRegex(ordo.UsageError, text):
                call()
        with environment(FAKE_PLACE=1):
            self.assertRaisesRegex(ordo.UsageError, "found memory of GPU 1, expected GPU 0", ordo.bfs, g, 0, results="device", scheduler="bsp")

    def test_results(self):
        g, _ = rows()
        dist = ordo.sssp(g, 5).dist
        for make in (OnGpu, lambda a: Producer(a, 2), lambda a: Producer(a, 2, version=())):
            out = np.zeros(g.n, np.uint32)
            holder = make(out)
            self.assertIs(ordo.to_device(dist, holder), holder)
            np.testing.assert_array_equal(out, dist)
        for bad, text in ((OnGpu(np.zeros(g.n, np.int64)), "int64, expected 600 of uint32"), (OnGpu(np.zeros(7, np.uint32)), "7 of"),
                          (Producer(np.zeros(g.n, np.uint32), 2, read_only=True), "read-only")):
            self.assertRaisesRegex(ordo.UsageError, text, ordo.to_device, dist, bad)

    def test_refusals(self):
        _, (indptr, indices, weights) = rows()
        from_dlpack = ordo.Graph.from_dlpack
        self.assertRaisesRegex(TypeError, "indptr: int32 on a GPU, expected int64 or uint64; casting='safe' copies", from_dlpack,
                               OnGpu(indptr.astype(np.int32)), OnGpu(indices), casting="no")
        self.assertRaisesRegex(ordo.InputError, "head 4294967295, expected one below", from_dlpack, OnGpu(np.array([0, 1])),
                               OnGpu(np.array([-1], np.int32)))
        self.assertRaisesRegex(ordo.InputError, "edge 1: found head 18446744073709551615", from_dlpack, OnGpu(np.array([0, 2])),
                               OnGpu(np.array([0, -1])))
        self.assertRaisesRegex(TypeError, "indices: int64 on a GPU, expected int32 or uint32", from_dlpack, OnGpu(indptr),
                               OnGpu(indices.astype(np.int64)), casting="no")
        self.assertRaisesRegex(ordo.InputError, "-1", from_dlpack, OnGpu(np.array([0, -1], np.int32)), OnGpu(np.zeros(0, np.int32)))
        self.assertRaisesRegex(ValueError, "one for each of", from_dlpack, OnGpu(indptr), OnGpu(indices), OnGpu(weights[1:]))
        self.assertRaisesRegex(ValueError, "indptr is empty", from_dlpack, OnGpu(indptr[:0]), OnGpu(indices))
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


@unittest.skipUnless("cuda" in ordo.devices() and not FAKE, "no GPU")
class Libraries(unittest.TestCase):
    """A GPU, with arrays of the package; with those of CuPy and PyTorch, where they are."""

    def check(self, host, on_gpu, back):
        """Rows in a library's arrays on the GPU, copies of those of the host, and answers that its functions `back` read."""
        for count in (3, 2):
            mine, plain = ordo.Graph.from_dlpack(*on_gpu[:count], casting="no"), ordo.Graph.from_csr(*host[:count])
            r = ordo.sssp(mine, 5, device="cuda", results="device")
            r.verify()
            np.testing.assert_array_equal(r.dist, ordo.sssp(plain, 5).dist)
            for read in back:
                values = read(r.device_array)
                np.testing.assert_array_equal(values, r.dist)
            self.assertEqual(ordo.cc(mine, device="cuda").count, ordo.cc(plain).count)

    def test_own(self):
        """Without another library: arrays of the package speak both protocols."""
        _, host = rows()
        self.check(host, [ordo.to_device(a, ordo.DeviceArray(a.size, a.dtype)) for a in host], (np.asarray,))

    def test_cupy(self):
        try:
            import cupy
        except ImportError:
            self.skipTest("no CuPy")
        _, host = rows()
        with cupy.cuda.Stream(non_blocking=True):  # by its name the arrays are waited for
            on_gpu = [cupy.asarray(a) for a in host]
            self.check(host, on_gpu, (lambda a: cupy.asnumpy(cupy.asarray(a)), lambda a: cupy.asnumpy(cupy.from_dlpack(a))))

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no PyTorch")
        _, (indptr, indices, weights) = rows()
        host = [indptr, indices, weights.astype(np.int32)]
        with torch.cuda.stream(torch.cuda.Stream()):
            on_gpu = [torch.from_numpy(a).cuda(non_blocking=True) for a in host]
            self.check(host, on_gpu, (lambda a: torch.from_dlpack(a).cpu().numpy(), lambda a: torch.as_tensor(a, device="cuda").cpu().numpy()))


if __name__ == "__main__":
    case.main()
