"""Operators of quantised numbers, of tuples of places, of other sizes and of XLA, in numpy alone; see tensor_ops.py."""
import math

import numpy as np

import tensor_ops
from rule_language import DTYPE_NAMES
from tensors import WIDTHS, Tensor, Undefined, is_float, is_integer, need, rounded


def _held(x, data, exact):
    return Tensor(x.dtype, rounded(x.dtype, data, exact))


# Quantised numbers: quotients and sums in f32

def _over(vector, x, axis):
    """A scale or zero point, spread over x."""
    if vector.data.size == 1 and vector.data.ndim <= 1:
        return vector.data.reshape(())
    axis = axis + x.data.ndim if axis < 0 else axis
    need(0 <= axis < x.data.ndim and vector.shape == (x.shape[axis],))
    return vector.data.reshape([-1 if i == axis else 1 for i in range(x.data.ndim)])


def _bounds(dtype):
    bits, signed = WIDTHS[dtype]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


def _quantized(values, zero, dtype):
    values = rounded("f32", np.rint(values) + zero)
    if np.any(np.isnan(values)):
        raise Undefined("a NaN as an integer")
    return Tensor(dtype, np.clip(values, *_bounds(dtype)).astype(np.int64))


def _quantize(a, exact, x, scale, *zero):
    need(is_float(x.dtype) and is_float(scale.dtype) and not a.get("block_size", 0))
    dtype = zero[0].dtype if zero else DTYPE_NAMES.get(a.get("output_dtype", 0), "u8")
    need(is_integer(dtype) and WIDTHS[dtype][0] <= 16 and (not zero or zero[0].shape == scale.shape))
    quotient = rounded("f32", rounded(scale.dtype, x.data / _over(scale, x, a.get("axis", 1)), exact), exact)
    return _quantized(quotient, _over(zero[0], x, a.get("axis", 1)) if zero else 0, dtype)


def _dequantize(a, exact, x, scale, *zero):
    need(is_integer(x.dtype) and (WIDTHS[x.dtype][0] <= 16 or x.dtype == "i32") and is_float(scale.dtype) and not a.get("block_size", 0))
    need(not zero or (zero[0].dtype == x.dtype and zero[0].shape == scale.shape))
    whole = rounded("i32", x.data - (_over(zero[0], x, a.get("axis", 1)) if zero else 0))
    return _held(scale, rounded("f32", rounded("f32", whole, exact) * _over(scale, x, a.get("axis", 1)), exact), exact)


def _dynamic_quantize(a, exact, x):
    need(x.dtype == "f32")
    low, high = min(np.min(x.data, initial=0), 0), max(np.max(x.data, initial=0), 0)
    scale = rounded("f32", rounded("f32", high - low, exact) / 255, exact) + (high == low)
    zero = int(np.clip(np.rint(rounded("f32", -low / scale)), 0, 255))
    return [_quantized(rounded("f32", x.data / scale), zero, "u8"), Tensor("f32", np.asarray(scale, dtype=np.float64)), Tensor("u8", np.asarray(zero))]


# Places

def _tuples(x, index, batch):
    """Tuples of places as rows; each is checked against the sizes of x."""
    need(index.dtype in ("i32", "i64") and index.data.ndim >= 1 and index.shape[-1] <= x.data.ndim - batch)
    sizes = np.array(x.shape[batch:batch + index.shape[-1]], dtype=np.int64)
    if np.any((index.data < -sizes) | (index.data >= sizes)):
        raise Undefined("an index out of range")
    return np.where(index.data < 0, index.data + sizes, index.data)


def _gather_nd(a, exact, x, index):
    batch = a.get("batch_dims", 0)
    need(0 <= batch < index.data.ndim and batch <= x.data.ndim and x.shape[:batch] == index.shape[:batch])
    places = _tuples(x, index, batch)
    out = np.zeros(index.shape[:-1] + x.shape[batch + index.shape[-1]:], dtype=x.data.dtype)
    for at in np.ndindex(*index.shape[:-1]):
        out[at] = x.data[at[:batch] + tuple(int(i) for i in places[at])]
    return Tensor(x.dtype, out)


def _scatter_nd(a, exact, x, index, updates):
    functions = {"none": lambda old, new: new, "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
    need(a["reduction"] in functions and updates.dtype == x.dtype and updates.shape == index.shape[:-1] + x.shape[index.shape[-1]:])
    places, out = _tuples(x, index, 0), x.data.copy()
    for at in np.ndindex(*index.shape[:-1]):
        where = tuple(int(i) for i in places[at])
        out[where] = functions[a["reduction"]](out[where], updates.data[at])
    return _held(x, out, exact)


def _one_hot(a, exact, index, values):
    rank, axis, depth = index.data.ndim + 1, a.get("axis", -1), a["depth"]
    need(-rank <= axis < rank and depth >= 0 and values.shape == (2,))
    places = np.expand_dims(np.where(index.data < 0, index.data + depth, index.data), axis)
    shape = [depth if i == axis % rank else 1 for i in range(rank)]
    hot = places == np.arange(depth).reshape(shape)
    return Tensor(values.dtype, np.where(hot, values.data[1], values.data[0]))


def _reverse_sequence(a, exact, x, lengths):
    batch, time = a.get("batch_axis", 1), a.get("time_axis", 0)
    need(batch != time and 0 <= min(batch, time) and max(batch, time) < x.data.ndim and lengths.shape == (x.shape[batch],))
    need(lengths.dtype in ("i32", "i64"))
    out = np.moveaxis(x.data, (batch, time), (0, 1)).copy()
    for row, length in zip(out, lengths.data):
        if length > len(row):
            raise Undefined("more than there are")
        row[:max(length, 0)] = row[:max(length, 0)][::-1].copy()
    return Tensor(x.dtype, np.moveaxis(out, (0, 1), (batch, time)))


def _starts(x, starts, sizes):
    need(is_integer(starts.dtype) and starts.shape == (x.data.ndim,) and len(sizes) == x.data.ndim and all(0 <= t <= s for t, s in zip(sizes, x.shape)))
    return tuple(slice(at, at + taken) for at, taken in
                 ((max(0, min(int(start), size - taken)), taken) for start, size, taken in zip(starts.data, x.shape, sizes)))


def _dynamic_slice(a, exact, x, starts):
    return Tensor(x.dtype, x.data[_starts(x, starts, a["sizes"])])


def _dynamic_update_slice(a, exact, x, put, starts):
    need(put.dtype == x.dtype and put.data.ndim == x.data.ndim)
    out = x.data.copy()
    out[_starts(x, starts, put.shape)] = put.data
    return Tensor(x.dtype, out)


def _dilated_pad(a, exact, x, value):
    rank, interior, pads = x.data.ndim, a["interior"], a["pads"]
    need(value.shape == () and value.dtype == x.dtype and len(interior) == rank and len(pads) == 2 * rank and min(interior, default=0) >= 0)
    spread = [size + max(size - 1, 0) * gap for size, gap in zip(x.shape, interior)]
    out = np.full(spread, value.data, dtype=x.data.dtype)
    out[tuple(slice(None, None, gap + 1) for gap in interior)] = x.data
    need(all(s + b + e >= 0 for s, b, e in zip(spread, pads[:rank], pads[rank:])))
    out = np.pad(out, [(max(b, 0), max(e, 0)) for b, e in zip(pads[:rank], pads[rank:])], constant_values=value.data)
    return Tensor(x.dtype, out[tuple(slice(max(-b, 0), n - max(-e, 0)) for b, e, n in zip(pads[:rank], pads[rank:], out.shape))])


def _broadcast_in_dim(a, exact, x):
    axes, shape = a["axes"], a["shape"]
    need(axes == sorted(set(axes)) and len(axes) == x.data.ndim and all(0 <= i < len(shape) and shape[i] == s for i, s in zip(axes, x.shape)))
    inner = [shape[i] if i in axes else 1 for i in range(len(shape))]
    return Tensor(x.dtype, np.broadcast_to(x.data.reshape(inner), shape))


# Images of another size, one axis at a time

def _source(way, at, before, after):
    half = (at + 0.5) * before / after - 0.5
    if way == "align_corners":
        return at * (before - 1) / (after - 1) if after > 1 else 0.0
    return {"asymmetric": at * before / after, "half_pixel": half, "pytorch_half_pixel": half if after > 1 else 0.0}[way]


def _resize(a, exact, x):
    axes, sizes, way = a["axes"], a["sizes"], a.get("coordinates", "half_pixel")
    need(len(axes) == len(sizes) and not a.get("scales") and a.get("mode", "nearest") in ("nearest", "linear"))
    need(way in ("align_corners", "asymmetric", "half_pixel", "pytorch_half_pixel") and (is_float(x.dtype) or a.get("mode") != "linear"))
    out = x.data
    for axis, after in zip(axes, sizes):
        need(0 <= axis < x.data.ndim and x.shape[axis] > 0 and after > 0)
        before = x.shape[axis]
        places = [_source(way, at, before, after) for at in range(after)]
        if a.get("mode", "nearest") == "linear":
            low = [math.floor(p) for p in places]
            share = np.array([p - l for p, l in zip(places, low)]).reshape([-1 if i == axis else 1 for i in range(x.data.ndim)])
            one, two = (np.take(out, np.clip(np.array(low) + k, 0, before - 1), axis=axis) for k in (0, 1))
            out = one * (1 - share) + two * share
        else:
            nearest = {"floor": math.floor, "ceil": math.ceil, "round_prefer_floor": lambda p: math.ceil(p - 0.5),
                       "round_prefer_ceil": lambda p: math.floor(p + 0.5)}[a.get("nearest", "round_prefer_floor")]
            out = np.take(out, np.clip([nearest(p) for p in places], 0, before - 1), axis=axis)
    return _held(x, out, exact)


# Sums of products, and elements

def _einsum(a, exact, *operands):
    terms = a["equation"].replace(" ", "").split("->")[0].split(",")
    need(len(terms) == len(operands) and all(len(t) == o.data.ndim and o.dtype == operands[0].dtype for t, o in zip(terms, operands)))
    sizes = {}
    for term, operand in zip(terms, operands):
        for letter, size in zip(term, operand.shape):
            need(sizes.setdefault(letter, size) == size)
    return _held(operands[0], np.einsum(a["equation"], *[o.data for o in operands]), exact)


def _dot_general(a, exact, x, y):
    batch, contract = a.get("batch", 0), a.get("contract", 1)
    need(x.dtype == y.dtype and batch + contract <= min(x.data.ndim, y.data.ndim) and x.shape[:batch] == y.shape[:batch])
    need(x.shape[x.data.ndim - contract:] == y.shape[batch:batch + contract])
    letters = "abcdefghijklmnop"
    left, inner = letters[:x.data.ndim], letters[x.data.ndim - contract:x.data.ndim]
    right = letters[:batch] + inner + "qrstuvwx"[:y.data.ndim - batch - contract]
    out = left[:x.data.ndim - contract] + right[batch + contract:]
    return _held(x, np.einsum(f"{left},{right}->{out}", x.data, y.data), exact)


def _lp_norm(a, exact, x):
    need(is_float(x.dtype) and 0 <= a["axis"] < x.data.ndim and a.get("p", 2) in (1, 2))
    norm = np.sum(np.abs(x.data) ** a.get("p", 2), axis=a["axis"], keepdims=True) ** (1 / a.get("p", 2))
    return _held(x, np.where(norm == 0, 0.0, x.data / np.where(norm == 0, 1.0, norm)), exact)


def _lp_pool(a, exact, x):
    rank, p = len(a["kernel"]), a.get("p", 2)
    need(is_float(x.dtype) and x.data.ndim == rank + 2 and 1 <= rank <= 3 and min(a["kernel"]) >= 1 and p >= 1)
    need(all(len(a[k]) == rank for k in ("strides", "dilations")) and len(a["pads"]) == 2 * rank)
    total = sum(np.abs(seen) ** p for _, seen, _, _ in tensor_ops._taps(x.data, a["kernel"], a, 0.0, bool(a.get("ceil_mode", 0))))
    return _held(x, total ** (1 / p), exact)


def _of_floats(function):
    def run(a, exact, *operands):
        need(all(is_float(t.dtype) and t.dtype == operands[0].dtype and t.shape == operands[0].shape for t in operands))
        return _held(operands[0], function(*[t.data for t in operands]), exact)
    return run


def _of_bits(function):
    def run(a, exact, x):
        need(is_integer(x.dtype) and x.dtype != "i64")
        bits = WIDTHS[x.dtype][0]
        return Tensor(x.dtype, np.vectorize(lambda v: function(int(v) % (1 << bits), bits), otypes=[np.int64])(x.data))
    return run


def _bit_cast(a, exact, x):
    to, kinds = DTYPE_NAMES[a["to"]], {"f32": np.float32, "i32": np.int32}
    need(x.dtype in kinds and to in kinds and to != x.dtype)
    data = x.data.astype(kinds[x.dtype]).view(kinds[to])
    return Tensor(to, data.astype(np.int64 if to == "i32" else np.float64))


def _round_away(x):
    return np.trunc(x) + np.sign(x) * (np.abs(x - np.trunc(x)) >= 0.5)


FURTHER = {"quantize_linear": _quantize, "dequantize_linear": _dequantize, "dynamic_quantize_linear": _dynamic_quantize,
           "gather_nd": _gather_nd, "scatter_nd": _scatter_nd, "one_hot": _one_hot, "reverse_sequence": _reverse_sequence,
           "dynamic_slice": _dynamic_slice, "dynamic_update_slice": _dynamic_update_slice, "dilated_pad": _dilated_pad,
           "broadcast_in_dim": _broadcast_in_dim, "resize": _resize, "einsum": _einsum, "dot_general": _dot_general,
           "lp_norm": _lp_norm, "lp_pool": _lp_pool, "atan2": _of_floats(np.arctan2), "expm1": _of_floats(np.expm1), "log1p": _of_floats(np.log1p),
           "cbrt": _of_floats(np.cbrt), "round_away": _of_floats(_round_away), "bit_cast": _bit_cast,
           "bit_count": _of_bits(lambda v, bits: v.bit_count()), "leading_zeros": _of_bits(lambda v, bits: bits - v.bit_length())}
