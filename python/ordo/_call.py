"""Calls of libordo that may take long: options, progress, and Ctrl-C.

ctypes releases the GIL during a call. Python runs handlers of signals in the main thread alone, and only between its
own instructions, so a call must come back now and then: by the library's watch (<ordo/watch.h>), which reports every
50 ms at most. While a call lasts, the handler of SIGINT is one that only takes a note: an exception that it raised
would be lost, since no exception can pass through C. The next report cancels the call; when it has ended, the handler
that was there before is called, which raises KeyboardInterrupt unless the program has set another one.

Other threads never get signals. They have a watch only where `progress` is given: reports take the GIL.
"""
from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping
from typing import Any

try:  # the functions below `signal`, which are a tenth of the cost; handlers that are not callable are numbers here
    import _signal as signals  # type: ignore[import-not-found]
except ImportError:
    import signal as signals

from . import _abi
from ._abi import library
from ._errors import CANCELLED, UsageError, error_of
from ._stats import Stats
from ._trace import Recorder

Progress = Callable[[str, int, int], object]


class _State(threading.local):
    busy = False
    interrupted = False
    progress: Progress | None = None
    failure: BaseException | None = None


_state = _State()
_main = threading.main_thread().ident


def _report(_arg: object, phase: bytes, done: int, total: int) -> int:
    if _state.progress is not None and not _state.interrupted:
        try:
            _state.progress(phase.decode(), done, total)
        except BaseException as failure:
            _state.failure = failure
            return 1
    return 1 if _state.interrupted else 0


def _note(_signal: int, _frame: object) -> None:
    _state.interrupted = True


_watch = _abi.Watch(report=_abi.REPORT(_report))
_watch_at = ctypes.addressof(_watch)


def call(function: Callable[..., int], *arguments: Any, progress: Progress | None = None) -> None:
    """Calls, and raises what the status stands for. `progress` gets the phase, how much of it is done, and how much
    there is (0: not known); an exception of its own cancels the call, and is raised after it."""
    main = threading.get_ident() == _main
    if not main and progress is None:
        status = function(*arguments)
        if status:
            raise error_of(status)
        return
    if _state.busy:
        raise UsageError("a progress function has called ordo, which it may not do")
    before = library.ordo_watch_get()
    handler = signals.getsignal(signals.SIGINT) if main else None
    noting = callable(handler)
    _state.busy, _state.interrupted, _state.progress, _state.failure = True, False, progress, None
    try:
        if noting:
            signals.signal(signals.SIGINT, _note)
        library.ordo_watch_set(_watch_at)
        status = function(*arguments)
        error = error_of(status) if status else None
    finally:
        library.ordo_watch_set(before)
        if noting:
            signals.signal(signals.SIGINT, handler)
        failure, _state.busy, _state.progress, _state.failure = _state.failure, False, None, None
    if _state.interrupted and callable(handler):
        handler(signals.SIGINT, None)
    if failure is not None:
        raise failure
    if error is not None:
        raise error


_NAMED = ("scheduler", "sync", "device", "items")


def options_of(given: dict[str, Any], stats: Stats | None = None) -> tuple[_abi.Options | None, Progress | None]:
    """The options of a run from keyword arguments, which __init__.py documents: names that are none of an option are
    settings. None where all are defaults. `stats`: where a trace that is asked for is to be found."""
    progress = given.pop("progress", None)
    wanted = given.pop("trace", None)
    if wanted is not None and wanted is not False and stats is None:
        raise UsageError("trace= is not for this function, which makes several runs or none")
    given = {name: value for name, value in given.items() if value is not None}
    recorder = None if wanted is None or wanted is False or stats is None else Recorder(wanted)
    if not given and recorder is None:
        return None, progress
    options = _abi.Options()
    if stats is not None and recorder is not None:
        stats.recorder, options.trace = recorder, recorder.at
    for name in _NAMED:
        if name in given:
            value = given.pop(name)
            if not isinstance(value, str):
                raise TypeError(f"{name}={value!r}, expected a str")
            setattr(options, name, value.encode())
    options.threads = given.pop("threads", 0)
    if "timeout" in given:
        options.timeout = given.pop("timeout")
        if not options.timeout > 0:
            raise UsageError(f"timeout={options.timeout:g}, expected seconds above 0")
    cancel = given.pop("_cancel", None)
    if cancel is not None:
        options.cancel = ctypes.pointer(cancel)
    settings = given.pop("settings", {})
    if not isinstance(settings, Mapping):
        raise TypeError(f"settings={settings!r}, expected a mapping from names to values")
    words = [f"{name}={_word(value)}".encode() for name, value in {**given, **settings}.items()]
    if words:
        options.settings = (ctypes.c_char_p * len(words))(*words)
        options.setting_count = len(words)
    return options, progress


def _word(value: object) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)
