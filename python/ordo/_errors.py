"""Exceptions: one class for each status of libordo, each also one of Python's own kinds. The text of an exception is
the library's sentence."""
from __future__ import annotations

from typing import Any

from ._abi import library


class Error(Exception):
    """Base of the exceptions that calls of libordo raise."""
    status = "ORDO_ERR_INTERNAL"


class VerificationError(Error, AssertionError):
    """An answer is wrong."""
    status = "ORDO_ERR_VERIFY"


class UsageError(Error, ValueError):
    """A malformed or contradictory argument."""
    status = "ORDO_ERR_USAGE"


class UnsoundError(Error, ValueError):
    """Operator, scheduler and sync cannot be combined."""
    status = "ORDO_ERR_UNSOUND"


class UnknownNameError(Error, ValueError):
    """No scheduler, sync, device, setting or generator has this name."""
    status = "ORDO_ERR_UNKNOWN"


class InputError(Error, ValueError):
    """A malformed file, or a graph that the app cannot take."""
    status = "ORDO_ERR_INPUT"


class NegativeWeightError(InputError):
    """A negative weight where none may be."""
    status = "ORDO_ERR_NEGATIVE_WEIGHT"


class ResultOverflowError(Error, OverflowError):
    """A result does not fit its type."""
    status = "ORDO_ERR_OVERFLOW"


class FileError(Error, OSError):
    """A file cannot be read or written."""
    status = "ORDO_ERR_IO"


class OutOfMemoryError(Error, MemoryError):
    """Not enough memory."""
    status = "ORDO_ERR_MEMORY"


class DeviceError(Error, RuntimeError):
    """A device is missing or failed."""
    status = "ORDO_ERR_DEVICE"


class CancelledError(Error, RuntimeError):
    """The call was cancelled, by a handler of SIGINT that did not raise."""
    status = "ORDO_ERR_CANCELLED"


class InternalError(Error, RuntimeError):
    """An error of Ordo."""
    status = "ORDO_ERR_INTERNAL"


class RunTimeoutError(Error, TimeoutError):
    """A run did not end in the time that `timeout` gave it."""
    status = "ORDO_ERR_TIMEOUT"


class NegativeCycleError(Error, ValueError):
    """There are no shortest paths: a source reaches a cycle of negative weight. `vertices` and `edges` are the cycle,
    `weight` its sum."""
    status = "ORDO_OK"

    def __init__(self, message: str, vertices: Any, edges: Any, weight: float) -> None:
        super().__init__(message)
        self.vertices, self.edges, self.weight = vertices, edges, weight


BY_STATUS = {-1: VerificationError, -2: UsageError, -3: UnsoundError, -4: UnknownNameError, -5: InputError,
             -6: NegativeWeightError, -7: ResultOverflowError, -8: FileError, -9: OutOfMemoryError, -10: DeviceError,
             -11: CancelledError, -12: InternalError, -13: RunTimeoutError}
CANCELLED = -11


def error_of(status: int) -> Error:
    """The exception for a status that the calling thread's last call has returned."""
    sentence = library.ordo_last_error().decode(errors="replace")
    return BY_STATUS.get(status, InternalError)(sentence)
