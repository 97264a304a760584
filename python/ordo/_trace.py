"""Traces by time: what a run did, sampled by a thread of its own (<ordo/trace.h>, docs/trace.md), in structured arrays.
The same class holds a trace of a call of this process and one that the command has written as JSON."""
from __future__ import annotations

import ctypes
import dataclasses
from typing import Any

import numpy as np

from . import _abi
from ._abi import library
from ._errors import UsageError, error_of

# ordo_sample, ordo_trace_sample and ordo_trace_event; ordo_trace_state by number
_EVENT = [("seconds", "f8"), ("in_flight", "u8"), ("bucket", "u8"), ("delta", "f8"), ("utilisation", "f4"),
          ("concurrent", "u4")]
EVENT = np.dtype(_EVENT)
SAMPLES = np.dtype([("seconds", "f8"), ("in_flight", "u8"), ("items", "u8"), ("edges", "u8"), ("useful", "u8"),
                    ("stale", "u8"), ("activations", "u8"), ("spills", "u8"), ("bucket", "u8"), ("delta", "f8"),
                    ("worklist_bytes", "u8"), ("concurrent", "u4"), ("busy", "u4")])
EVENTS = np.dtype({"names": [*(name for name, _ in _EVENT), "width_changed"], "formats": [*(f for _, f in _EVENT), "?"],
                   "offsets": [0, 8, 16, 24, 32, 36, 40], "itemsize": 48})
STATES = ("ended", "busy", "stealing", "waiting", "barrier", "managing")
LETTERS = "-bsw|m"


@dataclasses.dataclass
class Trace:
    """samples: structured array of seconds, in_flight, items, edges, useful, stale, activations, spills, bucket, delta,
    worklist_bytes, concurrent, busy. states: [samples, workers] of numbers, names in ordo.Trace.STATES. events: of the
    scheduler itself. docs/trace.md says what they mean."""

    samples: np.ndarray
    states: np.ndarray
    events: np.ndarray
    threads: int
    period: float
    sampler_seconds: float
    incomplete: bool
    about: dict[str, Any] = dataclasses.field(default_factory=dict)  # app, scheduler, label, graph, ... of a file

    STATES = STATES

    def __repr__(self) -> str:
        return f"<ordo.Trace: {len(self.samples)} samples every {self.period:g} s, {len(self.events)} events>"


class Recorder:
    """An ordo_trace, which a run fills; `trace` is read when it is asked for."""

    def __init__(self, period: Any):
        self.at: int | None = None
        period = 0.0 if period is True else period
        if isinstance(period, str) or not (period == 0 or period > 0):
            raise UsageError(f"trace={period!r}, expected True, or seconds between samples")
        made = ctypes.c_void_p()
        status = library.ordo_trace_make(period, ctypes.byref(made))
        if status:
            raise error_of(status)
        self.at = made.value
        self._read: Trace | None = None

    def __del__(self) -> None:
        if self.at:
            library.ordo_trace_free(self.at)

    @property
    def trace(self) -> Trace:
        if self._read is None:
            view = library.ordo_trace_look(self.at)
            count, threads = view.sample_count, max(view.threads, 1)

            def copy(at: int | None, items: int, dtype: Any) -> np.ndarray:
                size = items * np.dtype(dtype).itemsize
                return np.frombuffer(ctypes.string_at(at, size) if at and size else b"", dtype)

            self._read = Trace(copy(view.samples, count, SAMPLES),
                               copy(view.states, count * threads, np.uint8).reshape(-1, threads),
                               copy(view.events, view.event_count, EVENTS), view.threads, view.period,
                               view.sampler_seconds, view.incomplete)
        return self._read


def from_json(record: dict[str, Any]) -> Trace:
    """A record of kind `trace`. KeyError, TypeError and ValueError where it is none."""
    columns = record["samples"]
    samples = np.zeros(len(columns["seconds"]), SAMPLES)
    for name in SAMPLES.names or ():
        samples[name] = columns[name]
    workers = [np.frombuffer(text.encode("ascii"), np.uint8) for text in record["workers"]]
    number = np.zeros(256, np.uint8)
    number[np.frombuffer(LETTERS.encode(), np.uint8)] = np.arange(len(LETTERS))
    states = number[np.array(workers, np.uint8).reshape(len(workers), len(samples))].T
    events = np.zeros(len(record["events"]), EVENTS)
    for at, event in enumerate(record["events"]):
        values = {**event, "utilisation": -1 if event["utilisation"] is None else event["utilisation"],
                  "width_changed": event["event"] == "delta"}
        for name in (*(EVENT.names or ()), "width_changed"):
            events[name][at] = values[name]
    about = {name: record[name] for name in ("app", "operator", "scheduler", "sync", "device", "label")}
    about |= {name: record.get(name) for name in ("graph", "checksum")}
    return Trace(samples, states, events, record["threads"], record["period"], record["sampler_seconds"],
                 record["incomplete"], about)
