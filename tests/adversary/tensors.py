"""Tensors of the adversary's interpreter, and what their element types hold; see tensor_ops.py."""
from dataclasses import dataclass

import numpy as np

FLOATS = ("f16", "bf16", "f32", "f64")
WIDTHS = {"i8": (8, True), "u8": (8, False), "i16": (16, True), "u16": (16, False), "i32": (32, True),
          "u32": (32, False), "i64": (64, True)}


class IllTyped(Exception):
    """The operands or attributes do not fit the operator."""


class Undefined(Exception):
    """The operator has no value at these elements."""


@dataclass
class Tensor:
    dtype: str
    data: np.ndarray  # float64, int64 or bool

    @property
    def shape(self):
        return self.data.shape


def need(condition, what="ill typed"):
    if not condition:
        raise IllTyped(what)


def is_float(dtype):
    return dtype in FLOATS


def is_integer(dtype):
    return dtype in WIDTHS


def wrap(dtype, data):
    bits, signed = WIDTHS[dtype]
    if bits == 64:
        return data
    low = np.bitwise_and(data, (1 << bits) - 1)
    return np.where(low >= 1 << (bits - 1), low - (1 << bits), low) if signed else low


def _to_bf16(data):
    single = np.ascontiguousarray(data, dtype=np.float32)
    bits = single.view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return np.where(np.isnan(single), single, rounded).astype(np.float64).reshape(np.shape(data))


def rounded(dtype, data, exact=False):
    """Elements as the element type holds them."""
    if dtype == "bool":
        return np.asarray(data, dtype=bool)
    if is_integer(dtype):
        return wrap(dtype, np.asarray(data, dtype=np.int64))
    data = np.asarray(data, dtype=np.float64)
    if exact or dtype == "f64":
        return data
    if dtype == "bf16":
        return _to_bf16(data)
    with np.errstate(over="ignore"):
        return data.astype(np.float16 if dtype == "f16" else np.float32).astype(np.float64)
