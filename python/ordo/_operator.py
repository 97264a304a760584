"""@ordo.operator: an operator from a string of C, compiled when it is first used (docs/run_time_operators.md).

The command compiles and runs it, as `ordo run FILE` does, so that the compiler's call, its cache, instances for each
scheduler and verification exist once. The string is written to a file of a folder that lives as long as the operator; so
are graphs that are in memory, once each.
"""
from __future__ import annotations

import functools
import inspect
import json
import os
import re
import shutil
import tempfile
import types
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _command, _runs
from ._errors import InputError, UsageError
from ._graph import Graph

_OPTIONS = ("scheduler", "sync", "device", "threads", "items", "timeout", "settings", "verify")


class OperatorResult:
    """values: an element for each vertex, of the type of the operator's cells or of its result (bytes, of a struct).
    found: what the command says of them, such as `reached`, `min` and `max`. stats: the run (`scheduler`, `sync`,
    `settings`, `seconds`, `items`, ...). source: None where the operator has none."""

    def __init__(self, graph: Graph, values: np.ndarray, record: dict[str, Any]):
        self.graph, self.values, self.record = graph, values, record
        self.stats = _runs.fields(record)
        self.found: dict[str, Any] = record["result"]
        self.source: int | None = record["source"]

    @property
    def chosen(self) -> str:
        """Why a scheduler or sync was chosen; "" where none was."""
        return self.stats.chosen or ""

    def __repr__(self) -> str:
        return f"<ordo.OperatorResult: {self.record['app']}; {self.stats.scheduler}, {self.stats.sync}, {self.stats.seconds:.3g} s>"


class Operator:
    """An operator of a string of C. Called with a graph it runs; `compare()` and `tune()` take it in place of the name of an
    app. Made by ordo.operator()."""

    def __init__(self, code: str):
        named = re.search(r"^[ \t]*#[ \t]*define[ \t]+ORDO_(?:RELAX|GATHER|CRITICAL)[ \t]+([A-Za-z_]\w*)[ \t]*(?:/[/*].*)?$", code, re.M)
        if not named:
            raise InputError("the string names no operator: expected a line '#define ORDO_RELAX NAME', or ORDO_GATHER or ORDO_CRITICAL")
        self.code, self.name = code, named[1]
        self.__name__ = self.name
        self._signature: inspect.Signature | None = None
        self._folder = tempfile.mkdtemp(prefix="ordo-operator-")
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._graphs: weakref.WeakKeyDictionary[Graph, str] = weakref.WeakKeyDictionary()
        self._count = 0
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(code)

    @property
    def path(self) -> str:
        """The file of the string, while the operator lives."""
        return os.path.join(self._folder, self.name + ".c")

    def __call__(self, graph: Any, source: int | None = None, **given: Any) -> Any:
        """Runs the operator, from a source if it has one. Keywords are numbers of its state (ORDO_RELAX_SETTINGS) and
        arrays of it, and scheduler, sync, device, threads, items, timeout, settings and verify, as for sssp()."""
        if isinstance(graph, types.FunctionType):
            return self._declare(graph)
        if not isinstance(graph, Graph):
            raise TypeError(f"{type(graph).__name__} given, expected an ordo.Graph")
        options = {name: given.pop(name) for name in _OPTIONS if name in given}
        if self._signature is not None:
            where = {} if source is None else {"source": source}
            bound = self._signature.bind(graph=graph, **where, **given)
            bound.apply_defaults()
            given = dict(bound.arguments)
            given.pop("graph")
            source = given.pop("source", None)
        with tempfile.TemporaryDirectory(prefix="run-", dir=self._folder) as folder:
            out = os.path.join(folder, "values.npy")
            words = [*self._words(folder, given, options), "--json", "-", "-o", out]
            words += [] if source is None else ["--source", str(source)]
            text = self.call(["run", self.path, self._file(graph), *words])
            return OperatorResult(graph, np.load(out), json.loads(text.splitlines()[-1]))

    def _words(self, folder: str, state: Mapping[str, Any], options: dict[str, Any]) -> list[str]:
        settings, threads = options.pop("settings", None), options.pop("threads", 0) or None
        words = _command.words(**options, threads=threads, set=settings)
        for name, value in state.items():
            if isinstance(value, (list, tuple, np.ndarray)):
                array = np.asarray(value)
                if array.ndim != 1 or array.dtype.kind not in "uif":
                    raise TypeError(f"{name}: {array.ndim} dimensions of {array.dtype}, expected one of numbers")
                file = os.path.join(folder, f"{len(words)}.txt")
                np.savetxt(file, array, fmt="%.17g" if array.dtype.kind == "f" else "%d")
                value = "@" + file
            words += ["--set-state", f"{name}={value}"]
        return words

    def _file(self, graph: Graph) -> str:
        """The file of a graph, which is written once."""
        path = self._graphs.get(graph)
        if path is None:
            self._count += 1
            path = os.path.join(self._folder, f"graph-{self._count}.ordo")
            graph.write(path)
            self._graphs[graph] = path
            weakref.finalize(graph, _remove, path)
        return path

    def call(self, words: list[str]) -> str:
        """A call of the command about this operator. Messages of the compiler, with lines of the string, are part of what is
        raised."""
        return _command.call(words, folder=self._folder + os.sep, whole=True)

    def check(self, trials: int | None = None, seed: int | None = None) -> str:
        """`ordo check-operator`: looks in small random cases for contradictions to what the operator declares. Returns what it
        printed; VerificationError with the smallest contradiction."""
        return self.call(["check-operator", self.path, *_command.words(trials=trials, seed=seed)])

    def _declare(self, function: Callable[..., Any]) -> Operator:
        """The decorated function says the call's parameters, with defaults for numbers of the state, and what it is for."""
        signature = inspect.signature(function)
        names = list(signature.parameters)
        if names[:1] != ["graph"] or any(p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL, p.POSITIONAL_ONLY) for p in signature.parameters.values()):
            raise TypeError(f"{function.__name__}{signature}: expected (graph, source, *, NAME=VALUE, ...) or (graph, *, ...)")
        clash = sorted(set(names) & set(_OPTIONS))
        if clash:
            raise TypeError(f"{function.__name__}(): {clash[0]} is an option of a run, expected a number of the operator's state")
        self._signature = signature
        functools.update_wrapper(self, function)
        return self

    def __repr__(self) -> str:
        return f"<ordo.Operator: {self.name}>"


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass  # its folder has gone


def operator(code: str) -> Operator:
    """An operator from a string of C, as `ordo run FILE` takes it (docs/run_time_operators.md): to be called, or a decorator of
    a function that says its parameters:

        @ordo.operator(CODE)
        def tolls(graph, source, *, rate=1, toll=0):
            "Cheapest routes with tolls."

        tolls(graph, 0, toll=250, scheduler="delta").values

    The function's body is not run. It takes a C compiler, at the first call; an error in the string is an InputError with the
    compiler's messages, in which lines are those of the string.
    """
    if not isinstance(code, str):
        raise TypeError(f"{type(code).__name__} given, expected a str of C; as a decorator: @ordo.operator(CODE)")
    if "\0" in code:
        raise UsageError("the string has a character 0")
    return Operator(code)
