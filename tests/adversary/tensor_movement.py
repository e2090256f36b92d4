"""Operators that move elements, in numpy alone; see tensor_ops.py."""
import math

import numpy as np

from tensors import Tensor, Undefined, need, rounded


def _clamped(start, end, step, size):
    """Positions that ONNX's slice takes: numpy's rule, but a start before the first element when going back is the first."""
    if size == 0:
        return []
    start, end = (at + size if at < 0 else at for at in (start, end))
    if step > 0:
        return list(range(max(0, min(start, size)), max(0, min(end, size)), step))
    return list(range(max(0, min(start, size - 1)), max(-1, min(end, size - 1)), step))


def _slice(a, x):
    need(len(a["axes"]) == len(a["starts"]) == len(a["ends"]) == len(a["steps"]))
    need(len(set(a["axes"])) == len(a["axes"]) and all(0 <= i < x.data.ndim for i in a["axes"]))
    out = x.data
    for axis, start, end, step in zip(a["axes"], a["starts"], a["ends"], a["steps"]):
        need(step != 0 and not (step < 0 and end >= 2 ** 31 - 1))
        out = np.take(out, np.array(_clamped(start, end, step, x.shape[axis]), dtype=np.int64), axis=axis)
    return out


def _pad(a, x):
    rank, mode = x.data.ndim, a.get("mode", "constant")
    need(mode in ("constant", "edge", "reflect", "wrap") and len(a["pads"]) == 2 * rank)
    out = x.data
    for axis in range(rank):
        begin, end, size = a["pads"][axis], a["pads"][rank + axis], x.shape[axis]
        if begin == end == 0:
            continue
        need(size + min(begin, 0) + min(end, 0) >= 0 and size + begin + end >= 0)
        at = np.arange(-begin, size + end)
        if mode == "constant":
            inside = (at >= 0) & (at < size)
            shape = [-1 if i == axis else 1 for i in range(rank)]
            value = rounded(x.dtype, a.get("value", 0.0))
            if size == 0:
                out = np.broadcast_to(value, out.shape[:axis] + (len(at),) + out.shape[axis + 1:]).copy()
                continue
            out = np.where(inside.reshape(shape), np.take(out, np.clip(at, 0, size - 1), axis=axis), value)
            continue
        need(begin >= 0 and end >= 0 and size > 0)
        if mode == "edge":
            at = np.clip(at, 0, size - 1)
        elif mode == "wrap":
            at = at % size
        else:
            phase = at % max(2 * (size - 1), 1)
            at = np.minimum(phase, 2 * (size - 1) - phase)
        out = np.take(out, at, axis=axis)
    return out


def _gather(a, x, index):
    axis = a.get("axis", 0)
    need(index.dtype in ("i32", "i64") and 0 <= axis < x.data.ndim)
    size = x.shape[axis]
    if np.any((index.data < -size) | (index.data >= size)):
        raise Undefined("an index out of range")
    return np.take(x.data, np.where(index.data < 0, index.data + size, index.data), axis=axis)


def _depth_to_space(a, x):
    b, mode = a["blocksize"], a.get("mode", "DCR")
    need(x.data.ndim == 4 and b >= 1 and mode in ("DCR", "CRD") and x.shape[1] % (b * b) == 0)
    n, c, h, w = x.shape
    if mode == "DCR":
        out = x.data.reshape(n, b, b, c // (b * b), h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        out = x.data.reshape(n, c // (b * b), b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return out.reshape(n, c // (b * b), h * b, w * b)


def _space_to_depth(a, x):
    b = a["blocksize"]
    need(x.data.ndim == 4 and b >= 1 and x.shape[2] % b == 0 and x.shape[3] % b == 0)
    n, c, h, w = x.shape
    return x.data.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4).reshape(n, c * b * b, h // b, w // b)


def _broadcast(a, x):
    shape = a["shape"]
    need(len(shape) >= x.data.ndim)
    need(all(s == o or s == 1 for s, o in zip(x.shape[::-1], shape[::-1])))
    return np.broadcast_to(x.data, shape)


def _unsqueeze(a, x):
    rank = x.data.ndim + len(a["axes"])
    need(a["axes"] == sorted(set(a["axes"])) and all(0 <= i < rank for i in a["axes"]))
    sizes = iter(x.shape)
    return x.data.reshape([1 if i in a["axes"] else next(sizes) for i in range(rank)])


def _squeeze(a, x):
    need(a["axes"] == sorted(set(a["axes"])) and all(0 <= i < x.data.ndim and x.shape[i] == 1 for i in a["axes"]))
    return x.data.reshape([s for i, s in enumerate(x.shape) if i not in a["axes"]])


def _concat(a, operands):
    first, axis = operands[0], a["axis"]
    need(0 <= axis < first.data.ndim and all(t.dtype == first.dtype and t.data.ndim == first.data.ndim for t in operands))
    for t in operands:
        need(all(i == axis or s == o for i, (s, o) in enumerate(zip(t.shape, first.shape))))
    return np.concatenate([t.data for t in operands], axis=axis)


def _split(a, x):
    axis = a["axis"]
    need(0 <= axis < x.data.ndim and a["sizes"] and min(a["sizes"]) >= 0 and sum(a["sizes"]) == x.shape[axis])
    return [Tensor(x.dtype, part) for part in np.split(x.data, np.cumsum(a["sizes"])[:-1], axis=axis)]


def _trilu(a, x):
    need(x.data.ndim >= 2)
    rows, columns = np.indices(x.shape[-2:])
    k = a.get("k", 0)
    inside = columns - rows >= k if a.get("upper", 1) else columns - rows <= k
    return np.where(inside, x.data, np.zeros((), dtype=x.data.dtype))


def _reshape(a, x):
    need(math.prod(a["shape"]) == x.data.size)
    return x.data.reshape(a["shape"])


def _transpose(a, x):
    need(sorted(a["perm"]) == list(range(x.data.ndim)))
    return x.data.transpose(a["perm"])


def _tile(a, x):
    need(len(a["repeats"]) == x.data.ndim and all(r >= 0 for r in a["repeats"]))
    return np.tile(x.data, a["repeats"])


def _upsample(a, x):
    need(len(a["factors"]) == x.data.ndim and all(f >= 1 for f in a["factors"]))
    out = x.data
    for axis, factor in enumerate(a["factors"]):
        out = np.repeat(out, factor, axis=axis)
    return out


MOVEMENT = {"broadcast": _broadcast, "reshape": _reshape, "squeeze": _squeeze, "unsqueeze": _unsqueeze,
            "transpose": _transpose, "slice": _slice, "pad": _pad, "tile": _tile, "depth_to_space": _depth_to_space,
            "space_to_depth": _space_to_depth, "upsample": _upsample, "trilu": _trilu, "gather": _gather,
            "concat": None, "split": None, "shape": None, "tuple": None, "get": None}


def move(op, a, operands):
    """The result of an operator of MOVEMENT: a Tensor, or a list of them."""
    if op == "tuple":
        return list(operands)
    if op == "get":
        need(isinstance(operands[0], list) and 0 <= a["index"] < len(operands[0]))
        return operands[0][a["index"]]
    need(all(isinstance(t, Tensor) for t in operands), "a tuple")
    x = operands[0]
    if op == "split":
        return _split(a, x)
    if op == "concat":
        return Tensor(x.dtype, _concat(a, operands))
    if op == "shape":
        positions = _clamped(a.get("start", 0), a.get("end", x.data.ndim), 1, x.data.ndim)
        return Tensor("i64", np.array([x.shape[i] for i in positions], dtype=np.int64))
    return Tensor(x.dtype, MOVEMENT[op](a, *operands))
