"""What ONNX itself makes of two models, where the runtime tells them apart: its reference evaluator, which shares nothing with
the runtime nor with the program that asks.

ONNX Runtime has kernels that do not compute what ONNX says (its Clip of 64-bit integers leaves some numbers of 33 bits as they
are). Two models that are equal by ONNX's definitions are not told apart by such a kernel; the interpreter is asked then. But the
evaluator has faults, too (it reads old operators as new ones): it is believed only where it has what the runtime has of
both models on most other inputs.
"""

import os
import signal

import numpy as np

MOST_BYTES = 1 << 24  # of a model's file
SECONDS = 20.0
LEAST, MOST = 6, 12   # runs on other inputs
MOSTLY = 0.7          # of them: on some the kernel may depart in both models alike


class _Late(Exception):
    pass


def _late(*_):
    raise _Late


def alike(ones, others, tolerances, beside=0):
    """Whether these outputs are the same: floats to a share of the largest one, or to some roundings of its share of `beside`."""
    if len(ones) != len(others):
        return False
    for x, y, tolerance in zip(ones, others, tolerances):
        if isinstance(x, (list, tuple)) or isinstance(y, (list, tuple)) or x is None or y is None:
            return False  # not looked into
        x, y = np.asarray(x), np.asarray(y)
        if x.dtype != y.dtype or x.shape != y.shape:
            return False
        if x.dtype.kind != "f":
            if np.any(x != y):
                return False
            continue
        leeway = 8 * np.finfo(x.dtype).eps * beside / max(x.size, 1) if beside else 0
        x, y = x.astype(np.float64), y.astype(np.float64)
        finite = np.abs(x[np.isfinite(x)])
        with np.errstate(all="ignore"):
            same = (x == y) | (np.isnan(x) & np.isnan(y)) | (np.abs(x - y) <= max(tolerance * np.max(finite, initial=0), leeway))
        if not np.all(same):
            return False
    return True


class Evaluators:
    """Of these models. Fails as onnx does for what it does not know; ImportError where there is no onnx."""

    def __init__(self, paths):
        import onnx  # noqa: PLC0415: where it is installed
        from onnx.reference import ReferenceEvaluator  # noqa: PLC0415
        models = [onnx.load(path) for path in paths]
        self.names = [{i.name for i in model.graph.input} for model in models]
        self.evaluators = [ReferenceEvaluator(model) for model in models]

    def run(self, feed):
        with np.errstate(all="ignore"):
            return [e.run(None, {k: v for k, v in feed.items() if k in names}) for e, names in zip(self.evaluators, self.names)]


def denies(paths, seen, others, tolerances):
    """Whether both models have the same outputs by ONNX's definitions, from which the runtime departs in one of them.
    `seen`: inputs, and what the runtime makes of them in both, or why one does not run; `others`: the same of inputs on which it is to be right."""
    if len(others) < LEAST or any(os.path.getsize(path) > MOST_BYTES for path in paths):
        return False
    before = signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        evaluators = Evaluators(paths)

        def as_run(run):
            if any(isinstance(ran, str) for ran in run[1:]):  # a kernel's number is no place in a table, say
                return False
            return all(alike(ran, defined, tolerances) for ran, defined in zip(run[1:], evaluators.run(run[0])))
        return alike(*evaluators.run(seen[0]), tolerances) and not as_run(seen) and sum(map(as_run, others)) >= MOSTLY * len(others)
    except Exception:  # noqa: BLE001: whatever it does not know, or not in time
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
