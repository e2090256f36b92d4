"""isomer.optimize and isomer.compare: paths or onnx.ModelProto in, anytime under Ctrl-C."""

import contextlib
import os
import signal
import tempfile
import threading

from . import _isomer
from ._isomer import Result


def option_help():
    """Name -> meaning of every keyword that `optimize` takes."""
    return dict(_isomer.OPTION_HELP)


def optimize(model, output=None, *, progress=None, message=None, stop=None, **options):
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


def compare(a, b, *, inputs="", tolerance=1e-4, seed=0):
    """Runs two models (paths or onnx.ModelProto) on the same inputs, generated or from an .npz file, and compares
    all outputs. The result is true when they agree."""
    with tempfile.TemporaryDirectory(prefix="isomer-") as folder:
        paths = [os.fspath(m) if isinstance(m, (str, os.PathLike)) else _save(m, os.path.join(folder, f"{i}.onnx"))
                 for i, m in enumerate((a, b))]
        return _isomer.compare(*paths, os.fspath(inputs), tolerance, seed)


def _run(request, progress, message, stop):
    """Works in a thread of its own, so that this one can hear Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        return _isomer.optimize(request, progress, message, stop)
    done = []
    finished = threading.Event()

    def work():
        try:
            done.append((_isomer.optimize(request, progress, message, stop), None))
        except BaseException as error:  # noqa: BLE001: handed on to the caller's thread
            done.append((None, error))
        finally:
            finished.set()

    # A handler, not a KeyboardInterrupt: that could come between any two steps here, thread start included.
    def interrupt(signum, frame):
        if stop.is_set():
            signal.default_int_handler(signum, frame)
        stop.set()

    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, interrupt)
    try:
        threading.Thread(target=work, name="isomer.optimize", daemon=True).start()
        while not done:
            finished.wait(0.1)
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    result, error = done[0]
    if error is not None:
        raise error
    return result


def _onnx():
    try:
        import onnx
    except ImportError as error:
        raise ImportError("models given as objects need the package onnx: pip install onnx") from error
    return onnx


def _save(model, path):
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


def _load(path):
    return _onnx().load(path)


def _as_dict(self):
    """All fields of the result, by name."""
    return {name: getattr(self, name) for name in _isomer.RESULT_FIELDS}


def _repr(self):
    speed = f"speed-up {self.speedup:.3f}" if self.speedup == self.speedup else "not timed"
    return (f"<isomer.Result {self.nodes_before} -> {self.nodes_after} nodes, {speed}, "
            f"{'verified' if self.verified else 'not verified'}, {'changed' if self.changed else 'unchanged'}>")


Result.as_dict = _as_dict
Result.__repr__ = _repr
