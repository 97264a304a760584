"""What a run did: ordo_stats, read when it is asked for."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _abi
from ._abi import library
from ._trace import EVENT, Recorder

_EVENTS = ("cycles", "instructions", "cache_misses", "branch_misses")
_OWN = {"settings", "setting_count", "hardware", "trace", "trace_count", "reserved"}
_PLAIN = [name for name, *_ in _abi.Stats._fields_ if name not in _OWN]


class Stats:
    """Statistics of a run, or of the runs of an app together. Members are those of ordo_stats (<ordo/run.h>) by name,
    also by stats["name"]: scheduler, sync, backend, device, fallback, chosen, threads, run_seconds, prepare_seconds,
    transfer_seconds, items, edges, useful, stale, activations, supersteps, work_seconds, peak_bytes, ..."""

    __slots__ = ("_c", "recorder", "device_array")

    def __init__(self) -> None:
        self._c = _abi.Stats()
        self.recorder: Recorder | None = None
        self.device_array: Any = None  # a DeviceArray, where one was asked for

    @property
    def _at(self) -> int:
        return ctypes.addressof(self._c)

    def __del__(self) -> None:
        if self._c.trace:
            library.ordo_stats_free(self._at)

    def __getattr__(self, name: str) -> Any:
        if name not in _PLAIN:
            raise AttributeError(f"statistics have no {name!r}")
        value = getattr(self._c, name)
        return value.decode() if isinstance(value, bytes) else value

    def __getitem__(self, name: str) -> Any:
        try:
            return getattr(self, name)
        except AttributeError:
            raise KeyError(name) from None

    @property
    def settings(self) -> dict[str, str]:
        """The tunables as the run used them."""
        return {s.name.decode(): s.value.decode() for s in self._c.settings[:self._c.setting_count]}

    @property
    def trace(self) -> np.ndarray:
        """The scheduler's own events, a structured array: seconds, in_flight, bucket, delta, utilisation, concurrent."""
        count = self._c.trace_count if self._c.trace else 0
        return np.frombuffer(ctypes.string_at(self._c.trace, count * EVENT.itemsize) if count else b"", EVENT)

    def as_dict(self) -> dict[str, Any]:
        """All but the trace."""
        return {**{name: getattr(self, name) for name in _PLAIN}, "settings": self.settings}

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_PLAIN]

    def __repr__(self) -> str:
        return f"<ordo.Stats: {self.scheduler}, {self.sync}, {self.device}, {self.run_seconds:.6f} s>"
