"""What the tables of pairs are written with: models from text, and the pair itself.

A model's text is that of onnx.parser: `model("float[N] x", "float[N] y", "y = Relu (x)")`.
"""
import re
from dataclasses import dataclass, field
from typing import Callable

import numpy as np
import onnx
from onnx import parser


@dataclass
class Pair:
    """Two models and what is to be said of them.

    A `different` pair has a witness: inputs by name, or the words "interface" or "operators" where what differs is what the
    models take and give, or what their operators without a meaning are. An equal one has the ranges of its inputs.
    """
    name: str
    group: str
    different: bool
    make: Callable  # -> two models, or what writes a model to a path
    why: str
    witness: dict | str | None = None
    ranges: dict = field(default_factory=dict)  # input: (low, high) of integers, or of floats
    finite: bool = False                        # floats without infinities, NaN and huge values
    sizes: tuple = (1, 2, 3, 5, 8)              # of symbolic dimensions
    runs: bool = True                           # False: no runtime has these operators
    reference: bool = False                     # run by ONNX's reference evaluator: ONNX Runtime computes f16 in f32
    tolerance: float = 1e-4                     # of an equal pair, for each element beside the largest
    within: bool = False                        # a different pair, by less than what rounding to its type is granted
    fault: str = ""                             # of a different pair: "overflow", "precision": only the first overflows, loses digits


PAIRS = []


def model(inputs, outputs, body, initializers="", opset=18, ir=8, domains=None, functions=""):
    """A ModelProto from the text of its graph. `domains`: versions of further operator sets."""
    sets = ", ".join(f'"{name}" : {version}' for name, version in ({"": opset} | (domains or {})).items())
    values = f" <{initializers}>" if initializers else ""
    text = f"<ir_version: {ir}, opset_import: [{sets}]>\ng ({inputs}) => ({outputs}){values} {{\n{body}\n}}\n{functions}"
    return parser.parse_model(text)


def weights(proto, **arrays):
    """The model with initializers added."""
    out = onnx.ModelProto()
    out.CopyFrom(proto)
    for name, array in arrays.items():
        out.graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(array), name))
    return out


def _texts(side, common):
    arguments = dict(common)
    if isinstance(side, dict):
        arguments |= side | {"arrays": common.get("arrays", {}) | side.get("arrays", {})}
    else:
        arguments["body"] = side
    arrays = arguments.pop("arrays", {})  # those that the body names and does not make itself
    made = {name for names in re.findall(r"((?:\w+\s*,\s*)*\w+)\s*=\s*(?:[\w.]+\.)?[A-Z]\w*\s*[<(]", arguments["body"])
            for name in re.split(r"\s*,\s*", names)}
    used = {name: array for name, array in arrays.items()
            if name not in made and re.search(rf"\b{name}\b", arguments["body"])}
    return lambda: weights(model(**arguments), **used)


def different(group, name, a, b, witness, why, x="float[4] x", y="float[4] y", **common):
    """`a`, `b`: bodies, or dictionaries of arguments of `model` (and `arrays`: initializers)."""
    options = {key: common.pop(key) for key in ("reference", "within", "fault") if key in common}
    common = {"inputs": x, "outputs": y} | common
    one, two = _texts(a, common), _texts(b, common)
    runs = witness != "operators"
    PAIRS.append(Pair(name, group, True, lambda: (one(), two()), why, witness, runs=runs, **options))


def equal(group, name, a, b, why, x="float[4] x", y="float[4] y", **common):
    options = {key: common.pop(key) for key in ("ranges", "finite", "sizes", "runs", "reference", "tolerance") if key in common}
    common = {"inputs": x, "outputs": y} | common
    one, two = _texts(a, common), _texts(b, common)
    PAIRS.append(Pair(name, group, False, lambda: (one(), two()), why, **options))


def different_models(group, name, make, witness, why, **more):
    """As `different`, of the models that `make` returns."""
    PAIRS.append(Pair(name, group, True, make, why, witness, **more))


def equal_models(group, name, make, why, **more):
    PAIRS.append(Pair(name, group, False, make, why, **more))


def f(value):
    """A number without axes, as `n`."""
    return np.float32(value)


def n(value):
    return np.int64(value)


def f32(*values, shape=None):
    out = np.array(values, dtype=np.float32)
    return out if shape is None else out.reshape(shape)


def i64(*values, shape=None):
    out = np.array(values, dtype=np.int64)
    return out if shape is None else out.reshape(shape)


def i32(*values):
    return np.array(values, np.int32)


def u8(*values):
    return np.array(values, np.uint8)


def u32(*values):
    return np.array(values, np.uint32)


def ramp(*shape, dtype=np.float32, scale=1.0, shift=0.0):
    return (np.arange(int(np.prod(shape))).reshape(shape) * scale + shift).astype(dtype)


def noise(*shape, seed=0, scale=1.0):
    return (np.random.default_rng(seed).normal(size=shape) * scale).astype(np.float32)
