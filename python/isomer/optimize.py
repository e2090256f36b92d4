"""isomer.optimize and isomer.compare: paths or onnx.ModelProto in, anytime under Ctrl-C."""

from __future__ import annotations

import contextlib
import html
import os
import signal
import tempfile
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar, Unpack

from . import _isomer
from ._isomer import Comparison, Result, StopFlag

if TYPE_CHECKING:
    import onnx

    Path = str | os.PathLike[str]
    Model = Path | onnx.ModelProto
    #: phase, fraction of it, best cost, seconds left, note; negative or NaN where not known
    Progress = Callable[[str, float, float, float, str], None]

T = TypeVar("T")


class Options(TypedDict, total=False):
    """Keywords of `optimize`; option_help() says what each means."""

    cost: str
    search: str
    search_at_once: int
    target: str
    provider: str
    extractor: str
    rules: list[str]
    add_rules: list[str]
    disable_rules: list[str]
    float_promise: str
    dims: dict[str, int] | list[str]
    measure_dims: dict[str, int] | list[str]
    time_limit: float
    memory_limit: int
    node_limit: int
    iterations: int
    k_multi: int
    threads: int
    seed: int
    max_weight_growth: float
    tolerance: float
    pairs: int
    inputs: str
    record: str
    report: str
    no_report: bool
    explain: bool
    no_rewrite: bool
    no_measure: bool
    dry_run: bool


def option_help() -> dict[str, str]:
    """Name -> meaning of every keyword that `optimize` takes."""
    return dict(_isomer.OPTION_HELP)


def optimize(model: Model, output: Path | None = None, *, progress: Progress | None = None,
             message: Callable[[str], None] | None = None, stop: StopFlag | None = None,
             **options: Unpack[Options]) -> Result:
    """Makes an equivalent model that is not slower, and says what it did.

    model     path of an ONNX file, or an onnx.ModelProto
    output    path to write. Default: beside the input with the ending .isomer.onnx; for a ModelProto nothing is kept
              on disk and the new model is `result.model`
    progress  called with (phase, fraction, best cost, seconds left, note); negative or NaN where not known
    message   called with each line of the log
    stop      an isomer._isomer.StopFlag that another thread may set
    options   see option_help(): cost, time_limit, dims, measure_dims, seed, ...

    Ctrl-C ends the search; what was found by then is measured, verified and written. A second one gives up waiting.
    Raises isomer.Error or one of its classes; TypeError for an option that does not exist.
    """
    request = _isomer.OptimizeOptions()
    for name, value in options.items():
        if name not in _isomer.OPTION_HELP:
            known = ", ".join(sorted(_isomer.OPTION_HELP))
            raise TypeError(f"optimize() has no option {name!r}; there are {known}")
        if name in ("dims", "measure_dims") and isinstance(value, dict):
            value = [f"{symbol}={size}" for symbol, size in value.items()]
        try:
            setattr(request, name, value)
        except TypeError:
            raise TypeError(f"option {name} does not take {value!r}: its default is "
                            f"{getattr(_isomer.OptimizeOptions(), name)!r}") from None
    stop = stop or _isomer.StopFlag()
    with contextlib.ExitStack() as scope:
        if isinstance(model, (str, os.PathLike)):
            request.input = os.fspath(model)
            request.output = os.fspath(output) if output is not None else ""
            return _run(request, progress, message, stop)
        folder = scope.enter_context(tempfile.TemporaryDirectory(prefix="isomer-"))
        request.input = _save(model, os.path.join(folder, "model.onnx"))
        request.output = os.fspath(output) if output is not None else os.path.join(folder, "result.onnx")
        result = _run(request, progress, message, stop)
        result.model = _load(request.output)
        return result


def compare(a: Model, b: Model, *, inputs: Path = "", tolerance: float = 1e-4, seed: int = 0,
            stop: StopFlag | None = None) -> Comparison:
    """Runs two models (paths or onnx.ModelProto) on the same inputs, generated or from an .npz file, and compares
    all outputs. The result is true when they agree. `stop`, a StopFlag that another thread may set, ends it within a
    second or two with what is known by then (`interrupted`). Ctrl-C is a KeyboardInterrupt at once, and sets it."""
    stop = stop or _isomer.StopFlag()
    with tempfile.TemporaryDirectory(prefix="isomer-") as folder:
        paths = [os.fspath(m) if isinstance(m, (str, os.PathLike)) else _save(m, os.path.join(folder, f"{i}.onnx"))
                 for i, m in enumerate((a, b))]
        try:
            return interruptible(lambda: _isomer.compare(paths[0], paths[1], os.fspath(inputs), tolerance, seed, stop))
        except KeyboardInterrupt:
            stop.set()  # what works in the background
            raise


def interruptible(work: Callable[[], T]) -> T:
    """What `work` returns or raises. It works in a thread of its own, so that Ctrl-C is heard here at once; what it
    is at then goes on in the background until it is done, and is dropped."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    return _Work(work).wait()


class _Work(Generic[T]):
    """Something that a thread does, and what comes of it."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._result: list[T] = []
        self._error: BaseException | None = None
        self._finished = threading.Event()
        threading.Thread(target=self._do, args=(work,), name="isomer", daemon=True).start()

    def _do(self, work: Callable[[], T]) -> None:
        try:
            self._result.append(work())
        except BaseException as error:  # noqa: BLE001: handed on to the caller's thread
            self._error = error
        finally:
            self._finished.set()

    def wait(self) -> T:
        while not self._finished.wait(0.1):
            pass
        if self._error is not None:
            raise self._error
        return self._result[0]


def _run(request: _isomer.OptimizeOptions, progress: Progress | None, message: Callable[[str], None] | None,
         stop: StopFlag) -> Result:
    """Works in a thread of its own, so that this one can hear Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        return _isomer.optimize(request, progress, message, stop)

    # A handler, not a KeyboardInterrupt: that could come between any two steps here, thread start included.
    def interrupt(signum: int, frame: Any) -> None:
        if stop.is_set():
            signal.default_int_handler(signum, frame)
        stop.set()

    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, interrupt)
    try:
        return _Work(lambda: _isomer.optimize(request, progress, message, stop)).wait()
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _onnx() -> Any:
    try:
        import onnx
    except ImportError as error:
        raise ImportError("models given as objects need the package onnx: pip install onnx") from error
    return onnx


def _save(model: Any, path: str) -> str:
    onnx = _onnx()
    if not isinstance(model, onnx.ModelProto):
        raise TypeError(f"expected a path or an onnx.ModelProto, got {type(model).__name__}")
    if model.ByteSize() < 1 << 30:
        onnx.save(model, path)
    else:  # a copy: saving with external data takes the data out of the object
        copy = onnx.ModelProto()
        copy.CopyFrom(model)
        onnx.save(copy, path, save_as_external_data=True, location=os.path.basename(path) + ".data")
    return path


def _load(path: str) -> Any:
    return _onnx().load(path)


def _as_dict(self: Result) -> dict[str, Any]:
    """All fields of the result, by name."""
    return {name: getattr(self, name) for name in _isomer.RESULT_FIELDS}


def _repr(self: Result) -> str:
    speed = f"speed-up {self.speedup:.3f}" if self.speedup == self.speedup else "not timed"
    return (f"<isomer.Result {self.nodes_before} -> {self.nodes_after} nodes, {speed}, "
            f"{'verified' if self.verified else 'not verified'}, {'changed' if self.changed else 'unchanged'}>")


def _number(value: float, unit: str = "") -> str:
    """Three digits, or a dash for what is not known."""
    return f"{value:.3g}{unit}" if value == value and value >= 0 else "–"


def _table(title: str, rows: list[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
                    f"<td style='text-align:left'>{html.escape(text)}</td></tr>" for name, text in rows if text)
    return f"<table><caption style='text-align:left'>{html.escape(title)}</caption>{cells}</table>"


def _result_html(self: Result) -> str:
    """For notebooks: what was gained, why, and what was verified."""
    speed = ""
    if self.speedup == self.speedup:
        speed = f"{self.speedup:.3f} (95 %: {self.speedup_low:.3f} to {self.speedup_high:.3f})"
    opaque = ", ".join(f"{name} ({count})" for name, count in self.opaque_operators.items())
    rows = [("why", self.why), ("decision", self.decision), ("speed-up", speed),
            ("operators", f"{self.nodes_before} → {self.nodes_after}"),
            ("cost", f"{_number(self.cost_before)} → {_number(self.cost_after)} ({self.cost_model})"),
            ("latency", f"{_number(self.latency_before_ms, ' ms')} → {_number(self.latency_after_ms, ' ms')}"),
            ("verified", self.verification if self.verified else "no"), ("kept as they are", opaque),
            ("written to", self.output), ("report", self.report)]
    rows += [("gain", f"{gain.what}: {gain.steps} steps, saves {_number(gain.saved)}") for gain in self.gains]
    return _table("isomer: changed" if self.changed else "isomer: written as it was", rows)


def _comparison_repr(self: Comparison) -> str:
    return f"<isomer.Comparison {self.verdict}: largest error {_number(self.max_relative_error)}>"


def _comparison_html(self: Comparison) -> str:
    rows = [("verdict", self.verdict), ("of", self.scope), ("by", self.method),
            ("largest error", _number(self.max_relative_error)), ("detail", self.detail)]
    return _table("isomer: equivalent" if self.equivalent else "isomer: not shown to be equivalent", rows)


setattr(Result, "as_dict", _as_dict)  # the class is the compiled module's
setattr(Result, "__repr__", _repr)
setattr(Result, "_repr_html_", _result_html)
setattr(Comparison, "__repr__", _comparison_repr)
setattr(Comparison, "_repr_html_", _comparison_html)
