"""The operators of docs/operators.md that the adversary's rules use, in numpy alone.

`apply` types and evaluates one operator. Floats are held in double precision and rounded to their element type after every
operator, unless `exact` is asked for: then they stand for real numbers. Integers wrap to their width. IllTyped says that the
operator does not take these operands (a rule does not apply there); Undefined that it takes them but has no value there: an
index out of range, an integer divided by zero.
"""
import itertools
import math
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


_erf = np.vectorize(math.erf, otypes=[float])


def _larger(a, b):
    return np.where((a > b) | np.isnan(a), a, b)  # a NaN wins; of two equal ones the second, as -0 and 0 tell


def _smaller(a, b):
    return np.where((a < b) | np.isnan(a), a, b)


def _softplus(x):
    return np.maximum(x, 0) + np.log(1 + np.exp(-np.abs(x)))


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _sign(x):
    return np.where(x > 0, 1.0, np.where(x < 0, -1.0, x))


FLOAT_UNARY = {
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "erf": _erf, "tanh": np.tanh, "floor": np.floor, "ceil": np.ceil,
    "round": np.rint, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "reciprocal": lambda x: 1 / x, "sigmoid": _sigmoid, "softplus": _softplus,
    "softsign": lambda x: x / (1 + np.abs(x)), "mish": lambda x: x * np.tanh(_softplus(x)),
    "hard_swish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1), "silu": lambda x: x * _sigmoid(x),
}


def _celu(a, x):
    return np.maximum(0, x) + np.minimum(0, a["alpha"] * (np.exp(x / a["alpha"]) - 1))


def _gelu(a, x):
    need(a["approximate"] in ("none", "tanh"))
    if a["approximate"] == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1 + _erf(x * math.sqrt(0.5)))


FLOAT_WITH_NUMBERS = {
    "leaky_relu": ({"alpha": 0.01}, lambda a, x: np.where(x < 0, a["alpha"] * x, x)),
    "elu": ({"alpha": 1.0}, lambda a, x: np.where(x < 0, a["alpha"] * (np.exp(x) - 1), x)),
    "celu": ({"alpha": 1.0}, _celu),
    "selu": ({"alpha": 1.6732631921768188, "gamma": 1.0507010221481323},
             lambda a, x: a["gamma"] * np.where(x > 0, x, a["alpha"] * np.exp(x) - a["alpha"])),
    "thresholded_relu": ({"alpha": 1.0}, lambda a, x: np.where(x > a["alpha"], x, 0.0)),
    "hard_sigmoid": ({"alpha": 0.2, "beta": 0.5}, lambda a, x: np.clip(a["alpha"] * x + a["beta"], 0, 1)),
    "gelu": ({"approximate": "none"}, _gelu),
    "quick_gelu": ({"alpha": 1.702}, lambda a, x: x * _sigmoid(a["alpha"] * x)),
}


def _truncated(a, b):
    if np.any(b == 0):
        raise Undefined("an integer divided by zero")
    quotient = np.abs(a) // np.abs(b)
    return np.where((a < 0) == (b < 0), quotient, -quotient)


def _integer_power(base, exponent):
    def one(b, e):
        b, e = int(b), int(e)
        if e < 0:
            if b == 0:
                raise Undefined("zero to a negative power")
            return {1: 1, -1: 1 - 2 * (e % 2)}.get(b, 0)
        return (b ** min(e, 512) + 2 ** 63) % 2 ** 64 - 2 ** 63
    return np.array([one(b, e) for b, e in zip(base.ravel(), exponent.ravel())], dtype=np.int64).reshape(base.shape)


COMPARISONS = {"equal": np.equal, "less": np.less, "less_equal": np.less_equal, "greater": np.greater,
               "greater_equal": np.greater_equal}
LOGIC = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}
BITS = {"bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor}
FLOAT_BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "pow": np.power,
                "min": _smaller, "max": _larger, "sum": np.add}
INTEGER_BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": _truncated, "pow": _integer_power,
                  "min": np.minimum, "max": np.maximum}


def _unary(op, a, x):
    if op in FLOAT_UNARY or op in FLOAT_WITH_NUMBERS:
        need(is_float(x.dtype))
        if op in FLOAT_UNARY:
            return x.dtype, FLOAT_UNARY[op](x.data)
        fallback, function = FLOAT_WITH_NUMBERS[op]
        return x.dtype, function(fallback | a, x.data)
    if op in ("is_nan", "is_inf"):
        need(is_float(x.dtype))
        return "bool", np.isnan(x.data) if op == "is_nan" else np.isinf(x.data)
    if op == "not":
        need(x.dtype == "bool")
        return "bool", ~x.data
    if op == "bit_not":
        need(is_integer(x.dtype))
        return x.dtype, ~x.data
    need(x.dtype != "bool")
    if op == "relu":
        return x.dtype, _larger(x.data, 0.0) if is_float(x.dtype) else np.maximum(x.data, 0)
    if op == "sign":
        return x.dtype, _sign(x.data) if is_float(x.dtype) else np.sign(x.data)
    return x.dtype, {"neg": np.negative, "abs": np.abs}[op](x.data)


def _clip(a, x):
    need(x.dtype != "bool")
    data = x.data
    for bound, pick in (("min", _larger), ("max", _smaller)):
        if a.get(bound) is None:
            continue
        value = a[bound]
        if is_integer(x.dtype):
            need(value == int(value) and wrap(x.dtype, np.int64(int(value))) == int(value))
            data = (np.maximum if bound == "min" else np.minimum)(data, int(value))
        else:
            data = pick(data, rounded(x.dtype, value))
    return x.dtype, data


def _cast(to, x, exact):
    from rule_language import DTYPE_NAMES
    need(to in DTYPE_NAMES)
    to = DTYPE_NAMES[to]
    if is_float(x.dtype) and is_integer(to):
        data = np.trunc(x.data)
        bits, signed = WIDTHS[to]
        low, high = (-(1 << (bits - 1)), 1 << (bits - 1)) if signed else (0, 1 << bits)
        if not np.all((data >= low) & (data < high)):
            raise Undefined("a float out of the range of an integer type")
        return to, data.astype(np.int64)
    if to == "bool":
        return to, x.data != 0
    return to, x.data.astype(np.float64) if is_float(to) else x.data.astype(np.int64)


def _binary(op, a, x, y):
    need(x.shape == y.shape and x.dtype == y.dtype)
    if op in COMPARISONS:
        need(x.dtype != "bool" or op == "equal")
        return "bool", COMPARISONS[op](x.data, y.data)
    if op in LOGIC:
        need(x.dtype == "bool")
        return "bool", LOGIC[op](x.data, y.data)
    need(x.dtype != "bool")
    if op in BITS:
        need(is_integer(x.dtype))
        return x.dtype, BITS[op](x.data, y.data)
    if op == "bit_shift":
        need(x.dtype in ("u8", "u16", "u32") and a["direction"] in ("LEFT", "RIGHT"))
        amount = np.minimum(y.data, 63)
        moved = np.left_shift(x.data, np.minimum(amount, 31)) if a["direction"] == "LEFT" else x.data >> amount
        bits = WIDTHS[x.dtype][0]
        return x.dtype, np.where((y.data >= bits) & (a["direction"] == "LEFT"), 0, moved)
    if op == "mod":
        return x.dtype, _mod(a.get("fmod", 0), x, y)
    if op == "prelu":
        return x.dtype, np.where(x.data < 0, y.data * x.data, x.data)
    return x.dtype, (FLOAT_BINARY if is_float(x.dtype) else INTEGER_BINARY)[op](x.data, y.data)


def _mod(fmod, x, y):
    if is_float(x.dtype):
        need(fmod == 1)
        return np.fmod(x.data, y.data)
    if np.any(y.data == 0):
        raise Undefined("a remainder by zero")
    return np.fmod(x.data, y.data) if fmod else np.mod(x.data, y.data)


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
        return x.dtype, _truncated(total, np.full(total.shape, math.prod(x.shape[i] for i in axes), dtype=np.int64))
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
    import tensor_fused
    import tensor_movement
    x = operands[0] if operands else None
    if op in tensor_movement.MOVEMENT:
        return tensor_movement.move(op, a, operands)
    need(all(isinstance(t, Tensor) for t in operands), "a tuple")
    if op in tensor_fused.COMPOSED:
        return tensor_fused.COMPOSED[op](a, exact, *operands)
    with np.errstate(all="ignore"):
        if op == "constant":
            _, value, dtype = a["id"]
            need(dtype != "bool")
            return Tensor(dtype, rounded(dtype, int(value) if is_integer(dtype) else value, exact))
        if op == "clip":
            dtype, data = _clip(a, x)
        elif op == "cast":
            dtype, data = _cast(a["to"], x, exact)
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
            dtype, data = _unary(op, a, x)
        else:
            dtype, data = _binary(op, a, *operands)
        return Tensor(dtype, rounded(dtype, data, exact))
