"""Operators that are made of others: fused kernels, TASO's, images in another layout; see tensor_ops.py."""
import numpy as np

import tensor_ops
from tensors import Tensor, is_float, need

ACTIVATIONS = ("", "sigmoid", "relu", "tanh")  # TASO's numbers for them
WINDOW = ("strides", "dilations", "pads", "group")


def _fused_conv(a, exact, x, w, bias=None, summand=None):
    name, numbers = a["activation"], {k: a[k] for k in ("alpha", "beta") if a.get(k) is not None}
    takes = {"leaky_relu": ["alpha"], "hard_sigmoid": ["alpha", "beta"], "clip": ["alpha", "beta"]}.get(name, [])
    need(sorted(numbers) == takes, "the numbers that the activation has")
    out = tensor_ops.apply("conv", {k: a[k] for k in WINDOW if k in a}, [x, w] + ([] if bias is None else [bias]), exact)
    if summand is not None:
        out = tensor_ops.apply("add", {}, [out, summand], exact)
    if name == "clip":
        numbers = {"min": numbers["alpha"], "max": numbers["beta"]}
    return tensor_ops.apply(name, numbers, [out], exact)


def _bias_gelu(a, exact, x, bias):
    need(x.data.ndim >= 1 and bias.shape == x.shape[-1:] and bias.dtype == x.dtype)
    spread = Tensor(x.dtype, np.broadcast_to(bias.data, x.shape))
    return tensor_ops.apply("gelu", {"approximate": a.get("approximate", "none")},
                            [tensor_ops.apply("add", {}, [x, spread], exact)], exact)


def _skip(norm):
    def both(a, exact, x, skip, *rest):
        need(x.data.ndim == skip.data.ndim == 3 and len(rest) == (2 if norm == "layer_norm" else 1))
        total = tensor_ops.apply("add", {}, [x, skip], exact)
        return [tensor_ops.apply(norm, {"axis": 2, "epsilon": a.get("epsilon", 1e-5)}, [total, *rest], exact), total]
    return both


def _activated(a, exact, x):
    need(0 <= a["act"] <= 3)
    return tensor_ops.apply(ACTIVATIONS[a["act"]], {}, [x], exact) if a["act"] else x


def _taso_window(a, x, kernel):
    """Strides, dilations and pads: SAME pads more behind than before where the number is odd."""
    need(a["padding"] in (0, 1) and min(a["stride_h"], a["stride_w"], *kernel) >= 1)
    befores, afters, strides = [], [], [a["stride_h"], a["stride_w"]]
    for size, k, stride in zip(x.shape[2:], kernel, strides):
        count = -(-size // stride) if a["padding"] == 0 else ((size - k) // stride + 1 if size >= k else 0)
        need(count >= 1, "the kernel is larger than the image")
        total = max((count - 1) * stride + k - size, 0) if a["padding"] == 0 else 0
        befores.append(total // 2)
        afters.append(total - total // 2)
    return {"strides": strides, "dilations": [1, 1], "pads": befores + afters}


def _taso_floats(*tensors):
    need(all(is_float(t.dtype) and t.dtype == tensors[0].dtype for t in tensors))


def _taso_matmul(a, exact, x, y):
    _taso_floats(x, y)
    need(x.data.ndim == y.data.ndim and 2 <= x.data.ndim <= 3)
    return _activated(a, exact, tensor_ops.apply("matmul", {}, [x, y], exact))


def _taso_conv(a, exact, x, w):
    _taso_floats(x, w)
    need(x.data.ndim == w.data.ndim == 4 and w.shape[1] >= 1 and x.shape[1] >= 1 and x.shape[1] % w.shape[1] == 0)
    attributes = _taso_window(a, x, w.shape[2:]) | {"group": x.shape[1] // w.shape[1]}
    return _activated(a, exact, tensor_ops.apply("conv", attributes, [x, w], exact))


def _taso_pool(op):
    def pool(a, exact, x):
        _taso_floats(x)
        need(x.data.ndim == 4)
        kernel = [a["kernel_h"], a["kernel_w"]]
        attributes = _taso_window(a, x, kernel) | {"kernel": kernel, "ceil_mode": 0, "count_include_pad": 0}
        return _activated(a, exact, tensor_ops.apply(op, attributes, [x], exact))
    return pool


def _taso_concat(a, exact, *operands):
    _taso_floats(*operands)
    need(operands[0].data.ndim == a["ndim"])
    return tensor_ops.apply("concat", {"axis": a["axis"]}, list(operands), exact)


def _taso_split(a, exact, x):
    _taso_floats(x)
    need(0 <= a["axis"] < x.data.ndim and 0 < a["pos"] < x.shape[a["axis"]])
    return tensor_ops.apply("split", {"axis": a["axis"], "sizes": [a["pos"], x.shape[a["axis"]] - a["pos"]]}, [x], exact)


def _taso_enlarge(a, exact, w, reference):
    _taso_floats(w, reference)
    need(w.data.ndim == reference.data.ndim == 4)
    grow = [r - k for k, r in zip(w.shape[2:], reference.shape[2:])]
    need(min(grow) >= 0 and not any(g % 2 for g in grow), "not centred")
    return Tensor(w.dtype, np.pad(w.data, [(0, 0), (0, 0)] + [(g // 2, g // 2) for g in grow]))


def _taso_merge(a, exact, w):
    """Of `count` groups that are merged, each output keeps the part that its own group has."""
    _taso_floats(w)
    count, groups = a["count"], a["groups"]
    need(w.data.ndim == 4 and count >= 1 and groups >= 1 and groups % count == 0 and w.shape[0] % groups == 0)
    outputs, inputs = w.shape[:2]
    out = np.zeros((outputs, inputs * count, *w.shape[2:]))
    for o in range(outputs):
        own = o // max(outputs // groups, 1) % count
        out[o, own * inputs:(own + 1) * inputs] = w.data[o]
    return Tensor(w.dtype, out)


def _to(a, exact, x):
    block = a["block"]
    need(x.data.ndim == 4 and block >= 0)
    if block == 0:
        return Tensor(x.dtype, x.data.transpose(0, 2, 3, 1))
    n, c, h, w = x.shape
    need(c % block == 0, "blocks of channels")
    return Tensor(x.dtype, x.data.reshape(n, c // block, block, h, w).transpose(0, 1, 3, 4, 2))


def _from(a, exact, x):
    block = a["block"]
    need(block >= 0 and x.data.ndim == (5 if block else 4))
    if block == 0:
        return Tensor(x.dtype, x.data.transpose(0, 3, 1, 2))
    n, blocks, h, w, own = x.shape
    need(own == block, "blocks of channels")
    return Tensor(x.dtype, x.data.transpose(0, 1, 4, 2, 3).reshape(n, blocks * block, h, w))


def _in_layout(op):
    def inside(a, exact, x, *rest):
        block = {"block": a["block"]}
        own = {k: v for k, v in a.items() if k != "block"}
        return _to(block, exact, tensor_ops.apply(op, own, [_from(block, exact, x), *rest], exact))
    return inside


COMPOSED = {"fused_conv": _fused_conv, "bias_gelu": _bias_gelu, "skip_layer_norm": _skip("layer_norm"),
            "skip_rms_norm": _skip("rms_norm"), "taso.matmul": _taso_matmul, "taso.conv2d": _taso_conv,
            "taso.poolmax": _taso_pool("max_pool"), "taso.poolavg": _taso_pool("avg_pool"), "taso.concat": _taso_concat,
            "taso.split": _taso_split, "taso.enlarge": _taso_enlarge, "taso.merge": _taso_merge,
            "layout.to": _to, "layout.from": _from}
COMPOSED |= {f"layout.{op}": _in_layout(op)
             for op in ("conv", "max_pool", "avg_pool", "taso.conv2d", "taso.poolmax", "taso.poolavg")}
