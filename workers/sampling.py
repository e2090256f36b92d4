"""Inputs for a model: read from a file, or generated from a seed, the same for every model that is asked.

A specification is {"seed": 1, "npz": PATH?, "tensors": {name: reference}?, "dims": {"batch": 2}?,
"default_dim": 1, "bounds": {name: {"low": 0, "high": 30522} or {"values": [0, 1]}}?}. A dimension without a name is
"INPUT:AXIS" in dims. What npz and tensors do not
give is generated: floats standard normal (uniform in [low, high) where bounds are given), integers in [low, high), by
default [0, 2), bools even chance, strings digits; one of `values` where these are given. An
input's numbers depend on seed, sample and its name only.
"""

import functools
import math
import zipfile
import zlib

import numpy as np

from element_types import NAME_OF, NUMPY_OF
from protocol import Refused, read_tensor

MOST_ELEMENTS = 1 << 40  # more of them fit in no machine


@functools.cache
def drawn(count):
    return np.random.default_rng(0).standard_normal(count, np.float32)


PERIOD = 1 << 18


def numbers(shape):
    """Standard normal, single precision, for timings, to which the values are all one: PERIOD of them, over and over. To draw each
    takes longer than most operators run."""
    some, count = drawn(PERIOD), math.prod(shape)
    out = np.empty(count, np.float32)
    for begin in range(0, count, some.size):
        out[begin:begin + some.size] = some[:count - begin]
    return out.reshape(shape)


def archived(path):
    """Names, element types and shapes of the tensors in an .npz file; their elements are not read."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            return [{"name": name, "dtype": dtype_name(dtype), "shape": list(shape)}
                    for name, (shape, dtype) in ((name, header(archive, name)) for name in archive.files)]
    except (OSError, EOFError, ValueError, TypeError, AttributeError, KeyError, zipfile.BadZipFile) as error:
        raise Refused(f"expected an .npz file, as numpy.savez writes it: {error}") from error


def header(archive, name):
    file = name if name in archive.zip.namelist() else name + ".npy"
    with archive.zip.open(file) as member:
        version = np.lib.format.read_magic(member)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(member)
    return shape, dtype


def dtype_name(dtype):
    return "string" if dtype.kind in "US" else NAME_OF.get(dtype, str(dtype))


class Sampler:
    def __init__(self, spec):
        self.seed = int(spec.get("seed", 0))
        self.dims = spec.get("dims") or {}
        self.default_dim = int(spec.get("default_dim", 1))
        self.bounds = spec.get("bounds") or {}
        self.given = {name: read_tensor(ref) for name, ref in (spec.get("tensors") or {}).items()}
        if spec.get("npz"):
            try:
                with np.load(spec["npz"], allow_pickle=False) as archive:
                    self.given.update({name: archive[name] for name in archive.files})
            except (OSError, ValueError) as error:
                raise Refused(f"{spec['npz']}: {error}") from error

    def size(self, name, axis, dim):
        if isinstance(dim, int) and dim >= 0:
            return dim
        if isinstance(dim, str) and dim in self.dims:
            return int(self.dims[dim])
        return int(self.dims.get(f"{name}:{axis}", self.default_dim))

    def feed(self, arguments, sample):
        return {a["name"]: self.tensor(a["name"], a["dtype"], a["shape"], sample) for a in arguments}

    def tensor(self, name, dtype, shape, sample):
        if name in self.given:
            array = self.given[name]
            want = NUMPY_OF.get(dtype)
            if want is not None and array.dtype != want:
                raise Refused(f"input {name}: expected elements of {dtype}, got {array.dtype}")
            return array
        shape = tuple(self.size(name, axis, dim) for axis, dim in enumerate(shape))
        if math.prod(shape) > MOST_ELEMENTS:
            raise MemoryError
        rng = np.random.default_rng([self.seed, sample, zlib.crc32(name.encode())])
        bounds = self.bounds.get(name)
        if dtype == "string":
            return rng.integers(0, 10, shape).astype(str).astype(object)
        kind = NUMPY_OF.get(dtype)
        if kind is None:
            raise Refused(f"input {name}: values of type {dtype} cannot be generated; give them in a file")
        kind = np.dtype(kind)
        if bounds and bounds.get("values"):
            return rng.choice(np.asarray(bounds["values"]), shape).astype(kind)
        if kind.kind == "b":
            return rng.integers(0, 2, shape).astype(bool)
        if kind.kind in "iu":
            low, high = (bounds["low"], bounds["high"]) if bounds else (0, 2)
            if high <= low:
                raise Refused(f"input {name}: the range [{low}, {high}) is empty")
            return rng.integers(int(low), int(high), shape).astype(kind)
        if bounds:
            return rng.uniform(bounds["low"], bounds["high"], shape).astype(kind)
        real = rng.standard_normal(shape)
        return (real + 1j * rng.standard_normal(shape) if kind.kind == "c" else real).astype(kind)
