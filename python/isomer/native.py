"""isomer.compile: a model as machine code of its own, called with arrays."""

from __future__ import annotations

import ctypes
import json
import os
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _isomer
from .optimize import _save, interruptible

if TYPE_CHECKING:
    from .optimize import Model, Path


# Of whole bytes; of a type that numpy lacks (bfloat16, floats of 8 bits) its bits, as integers without a sign.
TYPES = {element.name: np.dtype(element.numpy or f"uint{element.bits}")
         for element in _isomer.element_types() if element.bits in (8, 16, 32, 64)}


def compile(model: Model, output: Path | None = None, *, dims: dict[str, int] | None = None, cpu: str = "", gpu: str = "",
            threads: int = 1, check: bool = True, rewrite: bool = True, seed: int = 0, recipe: str = "default",
            time_limit: float | None = None) -> CompiledModel:
    """Writes a shared object that computes the model by itself, and loads it.

    model    path of an ONNX file, or an onnx.ModelProto
    output   path to write. Default: nothing is kept on disk
    dims     sizes of dynamic dimensions by name; all must be known
    gpu      for a graphics processor, as LLVM names it (sm_90): needs one here, or check=False
    threads  that it runs with
    check    compares it with the model's evaluation in double precision before it gets its name
    rewrite  seeks an equivalent program that runs faster; only where it can be timed: on this machine's processor, with check
    seed     of the inputs that it is tried on
    recipe   "default", or "mirage": muGraphs are searched for its pieces, and stand where they are faster
    time_limit  seconds of searches and trials; default 60, of the recipe "mirage" 300

    Returns a CompiledModel; its `result` says what was compiled, with the recipe "mirage" also what was found for
    each of its `pieces`. Raises isomer.Error or one of its classes; Ctrl-C is a KeyboardInterrupt at once, and
    nothing is written.
    """
    with tempfile.TemporaryDirectory(prefix="isomer-") as folder:
        source = os.fspath(model) if isinstance(model, (str, os.PathLike)) else _save(
            model, os.path.join(folder, "model.onnx"))
        path = os.fspath(output) if output is not None else os.path.join(folder, "model.so")
        sizes = [f"{name}={size}" for name, size in (dims or {}).items()]
        stop = _isomer.StopFlag()
        limit = -1.0 if time_limit is None else time_limit
        try:
            result = interruptible(lambda: _isomer.compile(source, path, sizes, cpu, gpu, threads, check, rewrite, seed,
                                                           recipe, limit, stop))
        except KeyboardInterrupt:
            stop.set()  # what works in the background, and writes nothing then
            raise
        compiled = CompiledModel(path, threads=threads)
    compiled.result = result
    return compiled


class CompiledModel:
    """A shared object that `isomer compile` wrote. Called with arrays, by position or by name (NumPy, or whatever
    numpy.asarray takes: DLPack, tensors of torch on the CPU), it returns a tuple of NumPy arrays; one call at a
    time."""

    result: _isomer.CompileResult | None

    def __init__(self, path: Path, *, threads: int = 1) -> None:
        self.result = None
        self._model: int | None = None
        self._threads = threads
        # Loaded by a name of its own: what was loaded from this path before may have been another model.
        with tempfile.TemporaryDirectory(prefix="isomer-") as folder:
            link = os.path.join(folder, "model.so")
            os.symlink(os.path.abspath(os.fspath(path)), link)
            self._library = library = ctypes.CDLL(link)
        library.isomer_model_description.restype = ctypes.c_char_p
        library.isomer_model_new.argtypes = [ctypes.c_int]
        library.isomer_model_new.restype = ctypes.c_void_p
        library.isomer_model_delete.argtypes = [ctypes.c_void_p]
        library.isomer_model_delete.restype = None
        self._error = getattr(library, "isomer_model_error", None)  # older files say nothing
        if self._error:
            self._error.restype = ctypes.c_char_p
        described = json.loads(library.isomer_model_description())
        self.inputs, self.outputs = described["inputs"], described["outputs"]
        self._wanted = [(i["name"], tuple(i["shape"]), TYPES[i["type"]]) for i in self.inputs]
        self._made = [(tuple(o["shape"]), TYPES[o["type"]]) for o in self.outputs]
        self._run = ctypes.cast(library.isomer_model_run, ctypes.c_void_p).value or 0

    def _prepared(self) -> int:
        """Nothing of it runs before it is called: it may be for another processor."""
        if not self._model:
            self._model = self._library.isomer_model_new(self._threads)
        if not self._model:
            raise MemoryError(self._failure() or "memory or threads are lacking for the compiled model")
        return self._model

    def __call__(self, *args: Any, **named: Any) -> tuple[np.ndarray, ...]:
        given = self._by_name(args, named)
        arrays = [self._array(given, *wanted) for wanted in self._wanted]
        results = [np.empty(*made) for made in self._made]
        _isomer.run_compiled(self._run, self._prepared(), arrays, results)
        if why := self._failure():
            raise RuntimeError(why)
        return tuple(results)

    def _by_name(self, args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        names = [name for name, _, _ in self._wanted]
        if len(args) > len(names):
            raise TypeError(f"the model takes {len(names)} inputs, not {len(args)}")
        given = dict(zip(names, args))
        for name, value in named.items():
            if name not in names:
                raise TypeError(f"the model has no input {name!r}; there are {', '.join(names)}")
            if name in given:
                raise TypeError(f"input {name!r} is given twice")
            given[name] = value
        return given

    def _failure(self) -> str:
        """What the last call failed at; empty of files that say nothing about it."""
        return (self._error() or b"").decode(errors="replace") if self._error else ""

    def device_seconds(self, count: int = 10) -> list[float]:
        """Of a model for a graphics processor: seconds of `count` more runs on the inputs of the last call, by the
        processor's clock, without copies to and from it."""
        if not hasattr(self._library, "isomer_model_time"):
            raise TypeError("the model was not compiled for a graphics processor")
        times = (ctypes.c_double * count)()
        self._library.isomer_model_time(ctypes.c_void_p(self._prepared()), times, count)
        if why := self._failure():
            raise RuntimeError(why)
        return list(times)

    def _array(self, given: dict[str, Any], name: str, shape: tuple[int, ...], wanted: np.dtype) -> np.ndarray:
        if name not in given:
            raise TypeError(f"input {name!r} is missing")
        array = np.asarray(given[name])
        if array.shape != shape:
            raise ValueError(f"input {name!r} has shape {list(array.shape)}; the model is for {list(shape)}")
        if array.dtype != wanted:
            kind = next(i["type"] for i in self.inputs if i["name"] == name)
            raise TypeError(f"input {name!r} is of {array.dtype}; the model takes {kind}")
        return array if array.flags.c_contiguous else np.ascontiguousarray(array)

    def __repr__(self) -> str:
        some = lambda sides: ", ".join(f"{s['name']}: {s['type']}{s['shape']}" for s in sides)  # noqa: E731
        return f"<isomer.CompiledModel ({some(self.inputs)}) -> ({some(self.outputs)})>"

    def __del__(self) -> None:
        if self._model:
            self._library.isomer_model_delete(self._model)
            self._model = None
