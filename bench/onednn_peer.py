"""Single convolutions and products by oneDNN, for bench/contractions.py. The driver is peers/onednn/contraction.cpp, compiled
on first use against the library that `tools/setup --bench` installs."""

import ctypes
import functools
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy

ROOT = Path(__file__).parent.parent.resolve()
SOURCE = ROOT / "bench/peers/onednn/contraction.cpp"


@functools.cache
def library():
    home, built = Path(sys.prefix), ROOT / "build/bench/libonednn_peer.so"
    if not (home / "include/dnnl.hpp").exists():
        raise RuntimeError("oneDNN is not installed: tools/setup --bench")
    if not built.exists() or built.stat().st_mtime < SOURCE.stat().st_mtime:
        built.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["c++", "-std=c++20", "-O2", "-shared", "-fPIC", f"-I{home}/include", SOURCE, f"-L{home}/lib", "-ldnnl",
                        f"-Wl,-rpath,{home}/lib", "-o", built], check=True)
    os.environ["OMP_NUM_THREADS"] = "1"  # before the library is opened
    out = ctypes.CDLL(str(built))
    out.onednn_problem.restype = ctypes.c_char_p
    out.onednn_product.restype = out.onednn_convolution.restype = ctypes.c_void_p
    return out


def integers(numbers):
    return (ctypes.c_int64 * len(numbers))(*numbers)


def address(array):
    return None if array is None else ctypes.c_void_p(array.ctypes.data)


def steps_of(shape) -> list[int]:
    return [math.prod(shape[i + 1:]) for i in range(len(shape))]


class Contraction:
    """One node of ONNX (Conv, MatMul, Gemm); `known` are the operands that are weights, by number."""

    def __init__(self, kind: str, attributes: dict, shapes, result, known: dict):
        self.known = known  # kept: oneDNN reads biases there at each run
        self.result = numpy.empty(result, numpy.float32)
        make = self._convolution if kind == "Conv" else self._product
        self.handle = ctypes.c_void_p(make(kind, attributes, [list(s) for s in shapes], list(result)))
        if not self.handle:
            raise RuntimeError(f"oneDNN: {library().onednn_problem().decode()}")

    def _product(self, kind, attributes, shapes, result):
        a, b, *bias = shapes
        if any(attributes.get(name, 1.0) != 1.0 for name in ("alpha", "beta")) or min(len(a), len(b)) < 2:
            raise RuntimeError("oneDNN: this product has no driver")
        rank = max(len(a), len(b))
        sizes, steps = [], []
        for shape, turned in ((a, attributes.get("transA")), (b, attributes.get("transB"))):
            shape, step = [1] * (rank - len(shape)) + shape, [math.prod(shape)] * (rank - len(shape)) + steps_of(shape)
            if turned:
                shape[-2:], step[-2:] = shape[:-3:-1], step[:-3:-1]
            sizes.append(integers(shape))
            steps.append(integers(step))
        bias = integers([1] * (rank - len(bias[0])) + bias[0]) if bias else None
        return library().onednn_product(rank, sizes[0], steps[0], sizes[1], steps[1], bias, integers(result), address(self.known.get(1)))

    def _convolution(self, kind, attributes, shapes, result):
        source, weights, *bias = shapes
        if attributes.get("auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
            raise RuntimeError("oneDNN: this padding has no driver")
        image, groups = len(source) - 2, attributes.get("group", 1)
        pads = attributes.get("pads") or [0] * (2 * image)
        spatial = [*(attributes.get("strides") or [1] * image), *(d - 1 for d in attributes.get("dilations") or [1] * image), *pads]
        if groups > 1:
            weights = [groups, weights[0] // groups, *weights[1:]]
        return library().onednn_convolution(len(source), integers(source), len(weights), integers(weights), bias[0][0] if bias else 0,
                                            integers(result), integers(spatial), address(self.known.get(1)))

    def __call__(self, operands: dict) -> numpy.ndarray:
        """`operands`: those that are no weights, by number, row-major."""
        given = {**self.known, **operands}
        library().onednn_run(self.handle, *(address(given.get(i)) for i in range(3)), address(self.result))
        return self.result

    def __del__(self):
        if getattr(self, "handle", None):
            library().onednn_delete(self.handle)
