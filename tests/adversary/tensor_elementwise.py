"""Operators element by element, in numpy alone; see tensor_ops.py."""
import math

import numpy as np

from tensors import WIDTHS, Undefined, is_float, is_integer, need, rounded, wrap

_erf = np.vectorize(math.erf, otypes=[float])


def _larger(a, b):
    return np.where((a > b) | np.isnan(a), a, b)  # a NaN wins; of two equal ones the second, as -0 and 0 tell


def _smaller(a, b):
    return np.where((a < b) | np.isnan(a), a, b)


def _softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


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


def truncated(a, b):
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
INTEGER_BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": truncated, "pow": _integer_power,
                  "min": np.minimum, "max": np.maximum}


def unary(op, a, x):
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


def clip(a, x):
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


def cast(to, x, exact):
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


def binary(op, a, x, y):
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
        need(x.dtype in WIDTHS and x.dtype != "i64" and a["direction"] in ("LEFT", "RIGHT"))
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
