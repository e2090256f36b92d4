"""The operators of docs/operators.md that the adversary's rules use, in numpy alone.

`apply` types and evaluates one operator. Floats are held in double precision and rounded to their element type after every
operator, unless `exact` is asked for: then they stand for real numbers. Integers wrap to their width. IllTyped says that the
operator does not take these operands (a rule does not apply there); Undefined that it takes them but has no value there: an
index out of range, an integer divided by zero.
"""
import itertools
import math

import numpy as np

from tensor_elementwise import binary, cast, clip, truncated, unary
from tensors import Tensor, Undefined, is_float, is_integer, need, rounded


# Contractions


def _matmul(x, y):
    need(x.dtype == y.dtype != "bool" and min(len(x.shape), len(y.shape)) >= 2)
    need(x.shape[-1] == y.shape[-2])
    need(len(x.shape) == 2 or len(y.shape) == 2 or x.shape[:-2] == y.shape[:-2])
    return x.dtype, np.matmul(x.data, y.data)


def _gemm(a, x, y, c=None):
    need(is_float(x.dtype) and len(x.shape) == len(y.shape) == 2)
    left = x.data.T if a.get("trans_a", 0) else x.data
    right = y.data.T if a.get("trans_b", 0) else y.data
    need(left.shape[1] == right.shape[0])
    out = a.get("alpha", 1.0) * (left @ right)
    if c is not None:
        need(c.shape == out.shape)
        out = out + a.get("beta", 1.0) * c.data
    return x.dtype, out


def _window_attributes(a, rank):
    need(len(a["strides"]) == len(a["dilations"]) == rank and len(a["pads"]) == 2 * rank)
    need(min(a["strides"] + a["dilations"]) >= 1 and min(a["pads"]) >= 0)


def _taps(data, kernel, a, fill, ceil=False):
    """The elements that each tap of a window sees at each position, and which of them lie within `data`."""
    rank = len(kernel)
    begins, ends = a["pads"][:rank], a["pads"][rank:]
    sizes, beyond = [], []
    for i in range(rank):
        extent = (kernel[i] - 1) * a["dilations"][i] + 1
        free = data.shape[2 + i] + begins[i] + ends[i] - extent
        need(free >= 0, "the window does not fit")
        size = free // a["strides"][i] + 1
        if ceil and free % a["strides"][i] and size * a["strides"][i] < data.shape[2 + i] + begins[i]:
            size += 1
        sizes.append(size)
        beyond.append(max(0, (size - 1) * a["strides"][i] + extent - data.shape[2 + i] - begins[i] - ends[i]))
    pads = [(0, 0), (0, 0)] + [(b, e + o) for b, e, o in zip(begins, ends, beyond)]
    padded = np.pad(data, pads, constant_values=fill)
    inside = np.pad(np.ones(data.shape, dtype=bool), pads, constant_values=False)
    counted = np.pad(np.ones(tuple(s + b + e for s, b, e in zip(data.shape[2:], begins, ends)), dtype=bool),
                     [(0, o) for o in beyond], constant_values=False)
    for tap in itertools.product(*(range(k) for k in kernel)):
        where = tuple(slice(t * d, t * d + (n - 1) * s + 1, s)
                      for t, d, n, s in zip(tap, a["dilations"], sizes, a["strides"]))
        yield tap, padded[(...,) + where], inside[(...,) + where], counted[where]


def _conv(a, x, w, bias=None):
    rank, group = len(x.shape) - 2, a.get("group", 1)
    need(is_float(x.dtype) and x.dtype == w.dtype and 1 <= rank <= 3 and len(w.shape) == len(x.shape))
    _window_attributes(a, rank)
    need(group >= 1 and x.shape[1] == w.shape[1] * group and w.shape[0] % group == 0 and min(w.shape[2:]) >= 1)
    need(bias is None or bias.shape == (w.shape[0],))
    per, channels, out = w.shape[0] // group, w.shape[1], None
    for tap, seen, _, _ in _taps(x.data, w.shape[2:], a, 0.0):
        kernel = w.data[(slice(None), slice(None)) + tap]
        parts = [np.einsum("nc...,oc->no...", seen[:, g * channels:(g + 1) * channels],
                           kernel[g * per:(g + 1) * per]) for g in range(group)]
        part = np.concatenate(parts, axis=1)
        out = part if out is None else out + part
    if bias is not None:
        out = out + bias.data.reshape((-1,) + (1,) * rank)
    return x.dtype, out


def _conv_transpose(a, x, w, bias=None):
    rank, group = len(x.shape) - 2, a.get("group", 1)
    need(is_float(x.dtype) and x.dtype == w.dtype and 1 <= rank <= 3 and len(w.shape) == len(x.shape))
    _window_attributes(a, rank)
    need(x.shape[1] == w.shape[0] and w.shape[0] % group == 0 and len(a["output_padding"]) == rank)
    per, width = w.shape[0] // group, w.shape[1]
    need(bias is None or bias.shape == (width * group,))
    begins, ends = a["pads"][:rank], a["pads"][rank:]
    full = []
    for i in range(rank):
        extra = a["output_padding"][i]
        need(0 <= extra < max(a["strides"][i], a["dilations"][i]))
        full.append(a["strides"][i] * (x.shape[2 + i] - 1) + extra + (w.shape[2 + i] - 1) * a["dilations"][i] + 1)
        need(full[i] - begins[i] - ends[i] >= 1)
    out = np.zeros((x.shape[0], width * group, *full))
    for tap in itertools.product(*(range(k) for k in w.shape[2:])):
        where = tuple(slice(t * d, t * d + (n - 1) * s + 1, s)
                      for t, d, n, s in zip(tap, a["dilations"], x.shape[2:], a["strides"]))
        kernel = w.data[(slice(None), slice(None)) + tap]
        for g in range(group):
            part = np.einsum("nc...,co->no...", x.data[:, g * per:(g + 1) * per], kernel[g * per:(g + 1) * per])
            out[(slice(None), slice(g * width, (g + 1) * width)) + where] += part
    out = out[(...,) + tuple(slice(b, f - e) for b, e, f in zip(begins, ends, full))]
    return x.dtype, out if bias is None else out + bias.data.reshape((-1,) + (1,) * rank)


def _pool(op, a, x):
    rank = len(x.shape) - 2
    need(1 <= rank <= 3 and len(a["kernel"]) == rank and min(a["kernel"]) >= 1)
    need(is_float(x.dtype) or (op == "max_pool" and x.dtype in ("i8", "u8")))
    _window_attributes(a, rank)
    for i in range(rank):
        extent = (a["kernel"][i] - 1) * a["dilations"][i] + 1
        need(max(a["pads"][i], a["pads"][rank + i]) < extent, "a window in the padding alone")
    ceil, out, count = bool(a.get("ceil_mode", 0)), None, None
    fill = -np.inf if is_float(x.dtype) else (-128 if x.dtype == "i8" else 0)
    for _, seen, inside, counted in _taps(x.data, a["kernel"], a, fill if op == "max_pool" else 0.0, ceil):
        if op == "max_pool":
            out = seen if out is None else np.maximum(out, seen)
            continue
        one = counted if a.get("count_include_pad", 0) else inside
        out = seen if out is None else out + seen
        count = one * 1.0 if count is None else count + one
    return x.dtype, out if op == "max_pool" else out / count


# Reductions and normalisations


def _max(v, axis, keepdims=True):
    """Of nothing, the least: -inf."""
    return np.max(v, axis=axis, keepdims=keepdims, **({} if v.size or not is_number(v) else {"initial": -np.inf}))


def _min(v, axis, keepdims=True):
    return np.min(v, axis=axis, keepdims=keepdims, **({} if v.size or not is_number(v) else {"initial": np.inf}))


def _mean(v, axis, keepdims=True):
    """Of nothing, 0 / 0."""
    axes = (axis,) if isinstance(axis, int) else axis
    count = math.prod(v.shape[i] for i in axes)
    return np.sum(v, axis=axis, keepdims=keepdims) / np.float64(count)


def is_number(v):
    return v.dtype == np.float64


REDUCTIONS = {"reduce_sum": np.sum, "reduce_mean": _mean, "reduce_max": _max, "reduce_min": _min,
              "reduce_prod": np.prod, "reduce_l1": lambda v, **k: np.sum(np.abs(v), **k),
              "reduce_l2": lambda v, **k: np.sqrt(np.sum(v * v, **k)),
              "reduce_sum_square": lambda v, **k: np.sum(v * v, **k),
              "reduce_log_sum": lambda v, **k: np.log(np.sum(v, **k)), "reduce_log_sum_exp": None}


def _log_sum_exp(v, axis, keepdims):
    top = _max(v, axis)
    out = top + np.log(np.sum(np.exp(v - top), axis=axis, keepdims=True))
    return out if keepdims else np.squeeze(out, axis=axis)


def _reduce(op, a, x):
    axes = a["axes"]
    need(x.dtype != "bool" and axes == sorted(set(axes)) and all(0 <= i < len(x.shape) for i in axes))
    need(is_float(x.dtype) or op in ("reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_l1",
                                     "reduce_sum_square", "reduce_mean"))
    keep = bool(a.get("keepdims", 1))
    if op == "reduce_mean" and is_integer(x.dtype):
        total = np.sum(x.data, axis=tuple(axes), keepdims=keep)
        return x.dtype, truncated(total, np.full(total.shape, math.prod(x.shape[i] for i in axes), dtype=np.int64))
    function = _log_sum_exp if op == "reduce_log_sum_exp" else REDUCTIONS[op]
    if not is_float(x.dtype) and any(x.shape[i] == 0 for i in axes) and op in ("reduce_max", "reduce_min"):
        raise Undefined("nothing to reduce")
    return x.dtype, function(x.data, axis=tuple(axes), keepdims=keep)


def _standardised(x, axes, epsilon):
    centred = x - _mean(x, axes)
    return centred / np.sqrt(_mean(centred * centred, axes) + epsilon)


def _normalise(op, a, x, *rest):
    need(all(is_float(t.dtype) and t.dtype == x.dtype for t in rest) and is_float(x.dtype))
    data, epsilon = x.data, a.get("epsilon", 1e-5)
    if op in ("softmax", "log_softmax"):
        need(0 <= a["axis"] < len(x.shape))
        if not data.size:
            return x.dtype, data
        shifted = data - _max(data, a["axis"])
        total = np.sum(np.exp(shifted), axis=a["axis"], keepdims=True)
        return x.dtype, np.exp(shifted) / total if op == "softmax" else shifted - np.log(total)
    if op in ("layer_norm", "rms_norm"):
        need(0 <= a["axis"] < len(x.shape) and all(t.shape == x.shape[a["axis"]:] for t in rest))
        axes = tuple(range(a["axis"], len(x.shape)))
        if op == "rms_norm":
            normal = data / np.sqrt(_mean(data * data, axes) + epsilon)
        else:
            normal = _standardised(data, axes, epsilon)
        return x.dtype, normal * rest[0].data + (rest[1].data if len(rest) > 1 else 0)
    need(len(x.shape) >= (2 if op == "batch_norm" else 3) and all(t.shape == (x.shape[1],) for t in rest))
    vectors = [t.data.reshape((-1,) + (1,) * (len(x.shape) - 2)) for t in rest]
    if op == "batch_norm":
        scale, bias, mean, variance = vectors
        return x.dtype, (data - mean) * (scale / np.sqrt(variance + epsilon)) + bias
    return x.dtype, _standardised(data, tuple(range(2, len(x.shape))), epsilon) * vectors[0] + vectors[1]


def _lrn(a, x):
    need(is_float(x.dtype) and len(x.shape) >= 3 and a["size"] >= 1)
    size, total = a["size"], np.zeros(x.shape)
    for tap in range(size):
        for c in range(x.shape[1]):
            source = c + tap - (size - 1) // 2
            if 0 <= source < x.shape[1]:
                total[:, c] += x.data[:, source] ** 2
    base = a.get("bias", 1.0) + a.get("alpha", 0.0001) / size * total
    return x.dtype, x.data / base ** a.get("beta", 0.75)


def _spread(bias, shape):
    need(bias.data.ndim == len(shape) and all(s in (1, o) for s, o in zip(bias.shape, shape)))
    return bias.data


def _attention(a, q, k, v, bias=None):
    need(is_float(q.dtype) and len(q.shape) == len(k.shape) == len(v.shape) == 4)
    need(q.shape[:2] == k.shape[:2] == v.shape[:2] and q.shape[3] == k.shape[3] and k.shape[2] == v.shape[2])
    scores = a["scale"] * np.matmul(q.data, np.swapaxes(k.data, 2, 3))
    if bias is not None:
        scores = scores + _spread(bias, scores.shape)
    need(scores.shape[3] > 0, "no keys")
    weights = np.exp(scores - _max(scores, 3))
    return q.dtype, np.matmul(weights / np.sum(weights, axis=3, keepdims=True), v.data)


def _multi_head_attention(a, q, k, v, *bias):
    heads = a["heads"]
    need(len(q.shape) == len(k.shape) == len(v.shape) == 3 and heads >= 1 and all(t.shape[2] % heads == 0 for t in (q, k, v)))
    parts = [Tensor(t.dtype, t.data.reshape(t.shape[0], t.shape[1], heads, t.shape[2] // heads).transpose(0, 2, 1, 3))
             for t in (q, k, v)]
    dtype, out = _attention(a, *parts, *bias)
    return dtype, out.transpose(0, 2, 1, 3).reshape(q.shape[0], q.shape[1], v.shape[2])


def _rotary(a, x, c, s):
    """x [batch, heads, positions, size]; c, s [batch, positions, size / 2]; pairs beside each other or half the size apart."""
    need(is_float(x.dtype) and len(x.shape) == 4 and len(c.shape) == 3 and c.shape == s.shape and x.shape[3] % 2 == 0)
    need(c.shape == (x.shape[0], x.shape[2], x.shape[3] // 2))
    half, cos, sin = x.shape[3] // 2, c.data[:, None], s.data[:, None]
    one, two = (x.data[..., 0::2], x.data[..., 1::2]) if a["interleaved"] else (x.data[..., :half], x.data[..., half:])
    out = (one * cos - two * sin, one * sin + two * cos)
    return x.dtype, np.stack(out, axis=-1).reshape(x.shape) if a["interleaved"] else np.concatenate(out, axis=-1)


def _fused_matmul(a, x, y):
    turned = [Tensor(t.dtype, np.swapaxes(t.data, -1, -2) if turn else t.data)
              for t, turn in ((x, a["trans_a"]), (y, a["trans_b"]))]
    dtype, out = _matmul(*turned)
    return dtype, a["alpha"] * out


def _sum_layer_norm(a, x, y, *rest):
    need(x.shape == y.shape and x.dtype == y.dtype)
    return _normalise("layer_norm", a, Tensor(x.dtype, x.data + y.data), *rest)


FUSED = {"attention": _attention, "multi_head_attention": _multi_head_attention, "rotary_embedding": _rotary,
         "fused_matmul": _fused_matmul, "sum_layer_norm": _sum_layer_norm}


def apply(op, a, operands, exact=False):
    """The result of an operator: a Tensor, or a list of them."""
    import tensor_further
    import tensor_fused
    import tensor_movement
    import tensor_places
    x = operands[0] if operands else None
    if op in tensor_movement.MOVEMENT:
        return tensor_movement.move(op, a, operands)
    need(all(isinstance(t, Tensor) for t in operands), "a tuple")
    if op in tensor_fused.COMPOSED:
        return tensor_fused.COMPOSED[op](a, exact, *operands)
    with np.errstate(all="ignore"):
        if op in tensor_places.PLACES:
            return tensor_places.PLACES[op](a, exact, *operands)
        if op in tensor_further.FURTHER:
            return tensor_further.FURTHER[op](a, exact, *operands)
    with np.errstate(all="ignore"):
        if op == "constant":
            _, value, dtype = a["id"]
            need(dtype != "bool")
            return Tensor(dtype, rounded(dtype, int(value) if is_integer(dtype) else value, exact))
        if op == "clip":
            dtype, data = clip(a, x)
        elif op == "cast":
            dtype, data = cast(a["to"], x, exact)
        elif op == "where":
            _, y, z = operands
            need(x.dtype == "bool" and x.shape == y.shape == z.shape and y.dtype == z.dtype)
            dtype, data = y.dtype, np.where(x.data, y.data, z.data)
        elif op == "matmul":
            dtype, data = _matmul(*operands)
        elif op == "gemm":
            dtype, data = _gemm(a, *operands)
        elif op == "conv":
            dtype, data = _conv(a, *operands)
        elif op == "conv_transpose":
            dtype, data = _conv_transpose(a, *operands)
        elif op in ("max_pool", "avg_pool"):
            dtype, data = _pool(op, a, x)
        elif op in ("global_avg_pool", "global_max_pool"):
            need(is_float(x.dtype) and len(x.shape) >= 3)
            pick = _mean if op == "global_avg_pool" else _max
            dtype, data = x.dtype, pick(x.data, tuple(range(2, len(x.shape))))
        elif op in REDUCTIONS:
            dtype, data = _reduce(op, a, x)
        elif op in ("softmax", "log_softmax", "layer_norm", "rms_norm", "batch_norm", "instance_norm"):
            dtype, data = _normalise(op, a, *operands)
        elif op == "lrn":
            dtype, data = _lrn(a, x)
        elif op in FUSED:
            dtype, data = FUSED[op](a, *operands)
        elif len(operands) == 1:
            dtype, data = unary(op, a, x)
        else:
            dtype, data = binary(op, a, *operands)
        return Tensor(dtype, rounded(dtype, data, exact))
