"""Operators that count along an axis, look for places, or work at places, in numpy alone; see tensor_ops.py."""
import numpy as np

from rule_language import DTYPE_NAMES
from tensors import Tensor, Undefined, is_float, need, rounded


def _axis(a, x):
    need(0 <= a["axis"] < x.data.ndim, "no such axis")
    return a["axis"]


def _running(function, start):
    def run(a, exact, x):
        """What came so far: `exclusive` without the element itself, `reverse` from the end."""
        axis = _axis(a, x)
        need(x.dtype != "bool")
        data = np.flip(x.data, axis) if a.get("reverse", 0) else x.data
        out = function(data, axis=axis)
        if a.get("exclusive", 0) and data.shape[axis]:
            first = np.full_like(np.take(out, [0], axis=axis), start)
            out = np.concatenate([first, np.take(out, range(data.shape[axis] - 1), axis=axis)], axis=axis)
        return Tensor(x.dtype, rounded(x.dtype, np.flip(out, axis) if a.get("reverse", 0) else out, exact))
    return run


def _order(x, largest):
    """A key by which the first in order is the least; a NaN is greater than all numbers."""
    data = np.where(np.isnan(x.data), np.inf, x.data) if is_float(x.dtype) else x.data
    return -data if largest else data


def _arg(largest):
    def places(a, exact, x):
        axis = _axis(a, x)
        need(x.dtype != "bool" and x.shape[axis] > 0)
        key = _order(x, largest)
        if a.get("last", 0):
            out = x.shape[axis] - 1 - np.argmin(np.flip(key, axis), axis=axis)
        else:
            out = np.argmin(key, axis=axis)
        return Tensor("i64", np.expand_dims(out, axis) if a.get("keepdims", 1) else out)
    return places


def _top_k(a, exact, x):
    axis = _axis(a, x)
    need(x.dtype != "bool" and 0 <= a["k"] <= x.shape[axis])
    places = np.take(np.argsort(_order(x, a.get("largest", 1)), axis=axis, kind="stable"), range(a["k"]), axis=axis)
    return [Tensor(x.dtype, np.take_along_axis(x.data, places, axis)), Tensor("i64", places)]


def _hardmax(a, exact, x):
    need(is_float(x.dtype))
    axis = _axis(a, x)
    need(x.shape[axis] > 0)
    first = np.expand_dims(np.argmax(x.data, axis=axis), axis)
    return Tensor(x.dtype, (np.indices(x.shape)[axis] == first) * 1.0)


def _reverse(a, exact, x):
    need(len(set(a["axes"])) == len(a["axes"]) and all(0 <= i < x.data.ndim for i in a["axes"]))
    return Tensor(x.dtype, np.flip(x.data, tuple(a["axes"])))


def _places_in(axis, x, index):
    need(index.dtype in ("i32", "i64") and index.data.ndim == x.data.ndim)
    need(all(i == axis or s <= o for i, (s, o) in enumerate(zip(index.shape, x.shape))))
    size = x.shape[axis]
    if np.any((index.data < -size) | (index.data >= size)):
        raise Undefined("an index out of range")
    return np.where(index.data < 0, index.data + size, index.data)


def _gather_elements(a, exact, x, index):
    axis = _axis(a, x)
    places = list(np.indices(index.shape))
    places[axis] = _places_in(axis, x, index)
    return Tensor(x.dtype, x.data[tuple(places)])


SCATTERED = {"none": lambda old, new: new, "add": lambda old, new: old + new, "mul": lambda old, new: old * new,
             "max": max, "min": min}


def _scatter_elements(a, exact, x, index, updates):
    axis = _axis(a, x)
    need(index.shape == updates.shape and updates.dtype == x.dtype and a["reduction"] in SCATTERED)
    places, out = _places_in(axis, x, index), x.data.copy()
    for at in np.ndindex(*index.shape):
        where = at[:axis] + (int(places[at]),) + at[axis + 1:]
        out[where] = SCATTERED[a["reduction"]](out[where], updates.data[at])
    return Tensor(x.dtype, rounded(x.dtype, out, exact))


def _group_norm(a, exact, x, scale, bias):
    need(is_float(x.dtype) and x.data.ndim >= 3 and a["groups"] >= 1 and x.shape[1] % a["groups"] == 0)
    need(scale.shape == bias.shape == (x.shape[1],) and scale.dtype == bias.dtype == x.dtype)
    groups = x.data.reshape(x.shape[0], a["groups"], -1)
    centred = groups - groups.mean(axis=2, keepdims=True)
    normal = centred / np.sqrt((centred * centred).mean(axis=2, keepdims=True) + a["epsilon"])
    vectors = [t.data.reshape((-1,) + (1,) * (x.data.ndim - 2)) for t in (scale, bias)]
    return Tensor(x.dtype, rounded(x.dtype, normal.reshape(x.shape) * vectors[0] + vectors[1], exact))


def _shrink(a, exact, x):
    need(is_float(x.dtype))
    out = np.where(x.data < -a["lambda"], x.data + a["bias"], np.where(x.data > a["lambda"], x.data - a["bias"], 0.0))
    return Tensor(x.dtype, rounded(x.dtype, out, exact))


def _iota(a, exact):
    dtype, shape = DTYPE_NAMES[a["to"]], tuple(a["shape"])
    need(0 <= a["axis"] < len(shape))
    return Tensor(dtype, rounded(dtype, np.indices(shape)[a["axis"]]))


PLACES = {"cumsum": _running(np.cumsum, 0), "cumprod": _running(np.cumprod, 1), "arg_max": _arg(True), "arg_min": _arg(False),
          "top_k": _top_k, "hardmax": _hardmax, "reverse": _reverse, "gather_elements": _gather_elements,
          "scatter_elements": _scatter_elements, "group_norm": _group_norm, "shrink": _shrink, "iota": _iota}
