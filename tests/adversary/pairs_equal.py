"""Equal pairs: models under changes that mean nothing, and models after sound rewritings."""
import numpy as np
import onnx
from onnx import helper, numpy_helper

from pair_models import PAIRS, Pair, equal, f32, i64, model, noise, ramp, weights

# Changes that mean nothing


def _graphs(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _graphs(attribute.g)


def renamed(proto):
    """Other names for all inner values and nodes, also in the bodies of control flow."""
    kept = {v.name for v in list(proto.graph.input) + list(proto.graph.output)}
    names = {}
    for graph in _graphs(proto.graph):
        for node in graph.node:
            for k in range(len(node.output)):
                if node.output[k] and node.output[k] not in kept:
                    names.setdefault(node.output[k], f"other_{len(names)}")
        if graph is not proto.graph:
            for value in list(graph.input):
                names.setdefault(value.name, f"other_{len(names)}")
        for tensor in graph.initializer:
            if tensor.name not in kept:
                names.setdefault(tensor.name, f"other_{len(names)}")
    for graph in _graphs(proto.graph):
        for i, node in enumerate(graph.node):
            node.name = f"step_{i}"
            node.input[:] = [names.get(n, n) for n in node.input]
            node.output[:] = [names.get(n, n) for n in node.output]
        for value in list(graph.initializer) + ([] if graph is proto.graph else list(graph.input) + list(graph.output)):
            value.name = names.get(value.name, value.name)
    return proto


def constants_as_nodes(proto):
    inputs = {v.name for v in proto.graph.input}
    moved = [t for t in proto.graph.initializer if t.name not in inputs]
    nodes = [helper.make_node("Constant", [], [t.name], value=t) for t in moved] + list(proto.graph.node)
    kept = [t for t in proto.graph.initializer if t.name in inputs]
    del proto.graph.node[:], proto.graph.initializer[:]
    proto.graph.node.extend(nodes)
    proto.graph.initializer.extend(kept)
    return proto


def identities(proto):
    """An Identity behind each input and before each output."""
    graph = proto.graph
    for each in _graphs(graph):
        for node in each.node:
            node.input[:] = [f"{n}_in" if n in {v.name for v in graph.input} else n for n in node.input]
    outputs = {v.name for v in graph.output}
    for each in _graphs(graph):
        for node in each.node:
            node.input[:] = [f"{n}_out" if n in outputs else n for n in node.input]
    for node in graph.node:
        node.output[:] = [f"{n}_out" if n in outputs else n for n in node.output]
    before = [helper.make_node("Identity", [v.name], [f"{v.name}_in"]) for v in graph.input]
    after = [helper.make_node("Identity", [f"{n}_out"], [n]) for n in sorted(outputs)]
    nodes = before + list(graph.node) + after
    del graph.node[:]
    graph.node.extend(nodes)
    return proto


def dead_code(proto):
    graph = proto.graph
    graph.initializer.append(numpy_helper.from_array(np.zeros(7, np.float32), "nobody_reads"))
    graph.node.insert(0, helper.make_node("Identity", [graph.input[0].name], ["dead_0"]))
    graph.node.append(helper.make_node("Concat", ["nobody_reads", "nobody_reads"], ["dead_1"], axis=0))
    graph.node.append(helper.make_node("Exp", ["dead_1"], ["dead_2"]))
    return proto


def documented(proto):
    proto.producer_name, proto.producer_version, proto.doc_string = "someone", "9", "a model"
    proto.graph.name = "another_name"
    proto.graph.doc_string = "a graph"
    helper.set_model_props(proto, {"author": "someone"})
    for i, node in enumerate(proto.graph.node):
        node.name, node.doc_string = f"node {i}", "says nothing"
    return proto


def reordered(proto):
    """Another topological order; initializers backwards."""
    graph, nodes = proto.graph, list(proto.graph.node)
    made = {n for node in nodes for n in node.output}
    done, out = set(), []

    def reads(node):
        found = set(node.input)
        for a in node.attribute:
            if a.HasField("g"):
                found |= {n for g in _graphs(a.g) for inner in g.node for n in inner.input}
        return found & made
    while nodes:
        node = next(n for n in reversed(nodes) if reads(n) <= done)
        nodes.remove(node)
        out.append(node)
        done |= set(node.output)
    tensors = list(graph.initializer)[::-1]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(out)
    graph.initializer.extend(tensors)
    return proto


def typed_data(proto):
    """Weights as lists of numbers, not as bytes."""
    for i, tensor in enumerate(proto.graph.initializer):
        array = numpy_helper.to_array(tensor)
        if array.dtype in (np.float32, np.int64, np.int32):
            proto.graph.initializer[i].CopyFrom(
                helper.make_tensor(tensor.name, tensor.data_type, array.shape, array.ravel().tolist()))
    return proto


def commuted(proto):
    for graph in _graphs(proto.graph):
        for node in graph.node:
            if node.domain == "" and node.op_type in ("Add", "Mul", "And", "Or", "Xor", "Equal", "BitwiseAnd"):
                node.input[:] = list(node.input)[::-1]
    return proto


CHANGES = {"renamed": renamed, "constants": constants_as_nodes, "identities": identities, "dead": dead_code,
           "documented": documented, "reordered": reordered, "typed": typed_data, "commuted": commuted}
XS, YS = "float[N, 4] x", "float[N, 4] y"
IF = ("a = Relu (x) b = Add (x, k) y = If (c) <then_branch = t () => (float[N, 4] r) { r = Add (a, b) }, "
      "else_branch = e () => (float[N, 4] q) { u = Mul (b, k) q = Neg (u) }>")
LOOP = "y = Loop (n, t, x) <body = b (int64 i, bool ci, float[4] v) => (bool co, float[4] w) { co = Identity (ci) d = Mul (v, k) w = Add (d, x) }>"
SCAN = "f, y = Scan (s, x) <num_scan_inputs = 1, body = b (float a, float v) => (float c, float o) { c = Add (a, v) o = Identity (c) }>"
BASES = {
    "mlp": (lambda: weights(model(XS, YS, "a = MatMul (x, w) b = Add (a, k) c = Relu (b) d = MatMul (c, v) y = Add (d, x)"), w=noise(4, 8, seed=1), v=noise(8, 4, seed=2), k=noise(8, seed=3)), {}),
    "attention": (lambda: weights(model("float[B, S, 4] x", "float[B, S, 4] y", "q = MatMul (x, w) k = MatMul (x, v) t = Transpose <perm = [0, 2, 1]> (k) s = MatMul (q, t) m = Mul (s, h) "
                                        "p = Softmax <axis = -1> (m) o = MatMul (p, x) y = Add (o, x)"), w=noise(4, 4, seed=1), v=noise(4, 4, seed=2), h=np.float32(0.5)), {}),
    "conv": (lambda: weights(model("float[1, 2, 7, 7] x", "float[1, 3, 7, 7] y", "a = Conv <pads = [1, 1, 1, 1]> (x, w, b) c = BatchNormalization (a, s, b, b, s) r = Relu (c) y = Add (r, a)"),
                             w=noise(3, 2, 3, 3, seed=1), b=noise(3, seed=2), s=f32(1, 2, 3)), {}),
    "if": (lambda: weights(model("bool c, float[N, 4] x", YS, IF), k=noise(4, seed=3)), {}),
    "loop": (lambda: weights(model("int64 n, float[4] x", "float[4] y", LOOP), t=np.bool_(True), k=f32(0.5)), {"ranges": {"n": (0, 5)}}),
    "scan": (lambda: weights(model("float[N] x", "float[N] y", SCAN), s=np.float32(0)), {}),
    "quantised": (lambda: weights(model("float[N, 4] x", "float[N, 3] y", "q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) y = MatMul (d, w)"), s=np.float32(0.1), z=np.uint8(128),
                                  w=noise(4, 3, seed=1)), {"finite": True}),
    "seeded": (lambda: weights(model(XS, YS, "r = RandomNormalLike <seed = 3.0> (x) a = Mul (r, h) y = Add (x, a)"), h=f32(0.1)), {}),
    "own-operator": (lambda: weights(model(XS, YS, "a = Add (x, w) b = own.domain.Alpha <size = 3, mode = \"left\"> (a, w) y = Mul (b, a)", domains={"own.domain": 2}), w=noise(4, seed=1)), {"runs": False}),
    "lookup": (lambda: weights(model("int64[N] x", "float[N, 3] y", "a = Gather (t, x) b = Add (a, k) y = Tanh (b)"), t=noise(50, 3, seed=1), k=noise(3, seed=2)), {"ranges": {"x": (-50, 49)}}),
    "many-outputs": (lambda: weights(model(XS, YS + ", float[N, 4] z, int64[N] i", "y = Mul (x, k) z = Mul (x, e) i = ArgMax <axis = 1, keepdims = 0> (x)"), k=f32(1e9), e=f32(1e-9)), {}),
    "default": (lambda: weights(model("float[4] x, float[4] w", "float[4] y", "a = Mul (x, w) b = Add (a, k) y = Relu (b)"), w=f32(1, 2, 3, 4), k=f32(1)), {}),
    "nan": (lambda: weights(model(XS, YS, "a = Log (x) b = Sqrt (x) c = Div (x, o) d = Add (a, b) y = Add (d, c)"), o=f32(0)), {}),
    "empty": (lambda: weights(model(XS, "float[0, 4] y, float[N, 4] z", "y = Slice (x, o, o) z = Exp (x)"), o=i64(0)), {}),
}


def _changed(base, change):
    def make():
        return base(), CHANGES[change](base())
    return make


for _i, (_name, (_base, _options)) in enumerate(BASES.items()):
    for _k in range(4):
        _change = list(CHANGES)[(_i * 3 + _k * 2 + (_i // 2) % 2) % len(CHANGES)]
        if _name == "empty" and _change == "typed":
            _change = "documented"
        PAIRS.append(Pair(f"{_name}-{_change}", "harmless", False, _changed(_base, _change),
                          f"{_name}: {(CHANGES[_change].__doc__ or _change).split('.')[0].strip()}", **_options))

# Sound rewritings
G = "rewritten"
K = {"k": f32(1, -2, 3, 0.5), "one": f32(1), "zero": f32(0), "two": f32(2), "half": f32(0.5), "a0": i64(0), "a1": i64(1), "w": noise(4, 4, seed=1), "v": noise(4, 4, seed=2),
     "am": i64(-1), "lo": np.float32(-1), "hi": np.float32(2), "last": i64(2 ** 31 - 1), "first": i64(-2 ** 31), "s24": i64(2, 4), "s8": i64(8), "s42": i64(4, 2)}
M4 = {"x": "float[N, 4] x", "y": "float[N, 4] y", "arrays": K}
V4 = {"arrays": K}
equal(G, "double-negation", "a = Neg (x) y = Neg (a)", "y = Identity (x)", "Twice negated.", **V4)
equal(G, "relu-twice", "a = Relu (x) y = Relu (a)", "y = Relu (x)", "Idempotent.", **V4)
equal(G, "sum-as-add", "y = Sum (x, k)", "y = Add (x, k)", "Sum of two.", **V4)
equal(G, "sub-as-add", "y = Sub (x, k)", "n = Neg (k) y = Add (x, n)", "Minus is plus the negative.", **V4)
equal(G, "doubled", "y = Add (x, x)", "y = Mul (x, two)", "Twice x.", **V4)
equal(G, "halved", "y = Div (x, two)", "y = Mul (x, half)", "A power of two.", **V4)
equal(G, "clip-as-min-max", "y = Clip (x, lo, hi)", "a = Max (x, lo) y = Min (a, hi)", "The definition.", **V4)
equal(G, "relu-as-max", "y = Relu (x)", "y = Max (x, zero)", "The definition.", finite=True, **V4)
equal(G, "identity-chain", "a = Identity (x) b = Identity (a) y = Identity (b)", "y = Identity (x)", "Nothing.", **V4)
equal(G, "dropout-inference", "y = Dropout (x)", "y = Identity (x)", "Inference drops nothing.", **V4)
equal(G, "cast-there-and-back", "a = Cast <to = 11> (x) y = Cast <to = 1> (a)", "y = Identity (x)", "Widened and back.", **V4)
equal(G, "not-not", "a = Not (x) y = Not (a)", "y = Identity (x)", "Twice denied.", x="bool[4] x", y="bool[4] y")
equal(G, "de-morgan", "a = And (x, z) y = Not (a)", "a = Not (x) b = Not (z) y = Or (a, b)", "De Morgan.", x="bool[4] x, bool[4] z", y="bool[4] y")
equal(G, "less-as-greater", "y = Less (x, z)", "y = Greater (z, x)", "Exchanged.", x="float[4] x, float[4] z", y="bool[4] y")
equal(G, "less-or-equal-parts", "a = Less (x, z) b = Equal (x, z) y = Or (a, b)", "y = LessOrEqual (x, z)", "Also with NaN.", x="float[4] x, float[4] z", y="bool[4] y")
equal(G, "where-of-not", "n = Not (c) y = Where (n, x, k)", "y = Where (c, k, x)", "Sides exchanged.", x="bool[4] c, float[4] x", **V4)
equal(G, "is-nan", "y = IsNaN (x)", "e = Equal (x, x) y = Not (e)", "NaN is not itself.", y="bool[4] y")
equal(G, "integer-distribution", "a = Add (x, z) y = Mul (a, z)", "a = Mul (x, z) b = Mul (z, z) y = Add (a, b)", "Exact, wrap or not.", x="int32[4] x, int32[4] z", y="int32[4] y",
      ranges={"x": (-2 ** 31, 2 ** 31 - 1), "z": (-2 ** 31, 2 ** 31 - 1)})
equal(G, "shift-as-product", "y = BitShift <direction = \"LEFT\"> (x, s)", "y = Mul (x, e)", "Eight times, wrapping.", x="uint32[4] x", y="uint32[4] y", ranges={"x": (0, 2 ** 32 - 1)},
      arrays={"s": np.array([3], np.uint32), "e": np.array([8], np.uint32)})
equal(G, "transpose-twice", "a = Transpose <perm = [1, 0]> (x) y = Transpose <perm = [1, 0]> (a)", "y = Identity (x)", "There and back.", **M4)
equal(G, "cycle-thrice", "a = Transpose <perm = [1, 2, 0]> (x) b = Transpose <perm = [1, 2, 0]> (a) y = Transpose <perm = [1, 2, 0]> (b)", "y = Identity (x)", "Three times round.", x="float[A, B, C] x", y="float[A, B, C] y")
equal(G, "reshape-twice", "a = Reshape (x, s8) y = Reshape (a, s24)", "y = Reshape (x, s24)", "By way of a vector.", x="float[4, 2] x", y="float[2, 4] y", arrays=K)
equal(G, "flatten-as-reshape", "y = Flatten <axis = 1> (x)", "y = Reshape (x, s)", "Rows kept.", x="float[N, 2, 3] x", y="float[N, 6] y", arrays={"s": i64(0, -1)})
equal(G, "unsqueeze-as-reshape", "y = Unsqueeze (x, a0)", "y = Reshape (x, s)", "A 1 in front.", x="float[4] x", y="float[1, 4] y", arrays=K | {"s": i64(1, 4)})
equal(G, "slice-of-concat", "a = Concat <axis = 0> (x, k) y = Slice (a, z, f)", "y = Identity (x)", "The first part.", arrays=K | {"z": i64(0), "f": i64(4)})
equal(G, "split-and-join", "a, b = Split <axis = 1> (x, t) y = Concat <axis = 1> (a, b)", "y = Identity (x)", "Cut and joined.", arrays={"t": i64(1, 3)}, x="float[N, 4] x", y="float[N, 4] y")
equal(G, "reversed-twice", "a = Slice (x, am, first, a0, am) y = Slice (a, am, first, a0, am)", "y = Identity (x)", "Twice reversed.", x="float[N] x", y="float[N] y", arrays=K)
equal(G, "slice-negative-bounds", "y = Slice (x, b, e)", "y = Slice (x, c, f)", "Counted from either end.", x="float[8] x", y="float[5] y", arrays={"b": i64(-7), "e": i64(-2), "c": i64(1), "f": i64(6)})
equal(G, "gather-as-slice", "y = Gather (x, i)", "s = Slice (x, b, e) y = Squeeze (s, z)", "One row.", x="float[5, N] x", y="float[N] y", arrays={"i": np.int64(-2), "b": i64(3), "e": i64(4), "z": i64(0)})
equal(G, "tile-as-concat", "y = Tile (x, r)", "y = Concat <axis = 0> (x, x, x)", "Three copies.", x="float[N] x", y="float[M] y", arrays={"r": i64(3)})
equal(G, "expand-as-tile", "y = Expand (x, s)", "y = Tile (x, r)", "Rows repeated.", x="float[1, 4] x", y="float[3, 4] y", arrays={"s": i64(3, 4), "r": i64(3, 1)})
equal(G, "trilu-by-where", "y = Trilu (x)", "y = Where (m, x, z)", "The upper triangle.", x="float[4, 4] x", y="float[4, 4] y", arrays={"m": np.triu(np.ones((4, 4), bool)), "z": f32(0)})
equal(G, "gemm-as-matmul", "y = Gemm <transB = 1> (x, w, k)", "t = Transpose <perm = [1, 0]> (w) m = MatMul (x, t) y = Add (m, k)", "The definition.", finite=True, **M4)
equal(G, "gemm-alpha", "y = Gemm <alpha = 2.0> (x, w)", "d = Mul (w, two) y = MatMul (x, d)", "The factor in the weight.", finite=True, **M4)
equal(G, "weights-multiplied", "a = MatMul (x, w) y = MatMul (a, v)", {"body": "y = MatMul (x, p)", "arrays": {"p": K["w"] @ K["v"]}}, "Two weights made one.", finite=True, **M4)
equal(G, "products-joined", "a = MatMul (x, w) b = MatMul (x, v) y = Concat <axis = 1> (a, b)", "j = Concat <axis = 1> (w, v) y = MatMul (x, j)", "Two products made one.", x="float[N, 4] x", y="float[N, 8] y", finite=True, arrays=K)
equal(G, "matmul-of-transposes", "a = Transpose <perm = [1, 0]> (x) m = MatMul (w, a) y = Transpose <perm = [1, 0]> (m)", "t = Transpose <perm = [1, 0]> (w) y = MatMul (x, t)", "Transposed products.", finite=True, **M4)
equal(G, "distributed", "a = Add (x, k) y = MatMul (a, w)", "a = MatMul (x, w) b = MatMul (r, w) y = Add (a, b)", "A bias passes a product.", finite=True, x="float[N, 4] x", y="float[N, 4] y", arrays=K | {"r": K["k"].reshape(1, 4)})
equal(G, "softmax-by-exp", "y = Softmax <axis = 1> (x)", "m = ReduceMax <axes = [1], keepdims = 1> (x) d = Sub (x, m) e = Exp (d) s = ReduceSum <keepdims = 1> (e, a1) y = Div (e, s)", "The definition.", opset=17, finite=True, **M4)
equal(G, "softmax-shifted", "s = Add (x, two) y = Softmax <axis = 1> (s)", "y = Softmax <axis = 1> (x)", "A shift cancels.", finite=True, **M4)
equal(G, "log-softmax", "s = Softmax <axis = 1> (x) y = Log (s)", "y = LogSoftmax <axis = 1> (x)", "The logarithm.", finite=True, **M4)
equal(G, "layer-norm-written-out", "y = LayerNormalization <epsilon = 0.001> (x, k)", "m = ReduceMean <axes = [1], keepdims = 1> (x) d = Sub (x, m) q = Mul (d, d) v = ReduceMean <axes = [1], keepdims = 1> (q) e = Add (v, eps) r = Sqrt (e) n = Div (d, r) y = Mul (n, k)",
      "The definition.", opset=17, finite=True, x="float[N, 4] x", y="float[N, 4] y", arrays=K | {"eps": f32(0.001)})
equal(G, "gelu-written-out", {"body": "y = Gelu (x)", "opset": 20}, {"body": "d = Mul (x, r) e = Erf (d) s = Add (e, one) h = Mul (x, half) y = Mul (h, s)", "opset": 20}, "The definition.", finite=True, arrays=K | {"r": f32(0.5 ** 0.5)})
equal(G, "hard-swish-written-out", "y = HardSwish (x)", "h = HardSigmoid <alpha = 0.16666667, beta = 0.5> (x) y = Mul (x, h)", "The definition.", finite=True, **V4)
equal(G, "mean-of-two-opsets", {"body": "y = ReduceMean <axes = [1], keepdims = 1> (x)", "opset": 13}, {"body": "y = ReduceMean <keepdims = 1> (x, a1)", "opset": 18}, "Axes as attribute and as input.", x="float[N, 4] x",
      y="float[N, 1] y", arrays=K, finite=True)
equal(G, "squeeze-of-two-opsets", {"body": "y = Squeeze <axes = [0]> (x)", "opset": 11}, {"body": "y = Squeeze (x, a0)", "opset": 13}, "Axes as attribute and as input.", x="float[1, N] x", y="float[N] y", arrays=K)
equal(G, "softmax-of-two-opsets-2d", {"opset": 11}, {"opset": 13}, "On matrices they agree.", body="y = Softmax <axis = 1> (x)", x="float[N, 4] x", y="float[N, 4] y", finite=True)
equal(G, "clip-of-two-opsets", {"body": "y = Clip <min = -1.0, max = 2.0> (x)", "opset": 9}, {"body": "y = Clip (x, lo, hi)", "opset": 13}, "Bounds as attributes and as inputs.", **V4)
equal(G, "pad-into-conv", "p = Pad (x, q) y = Conv (p, c)", "y = Conv <pads = [1, 2]> (x, c)", "Zeros before and after.", x="float[1, 2, 7] x", y="float[1, 3, 8] y", finite=True, arrays={"q": i64(0, 0, 1, 0, 0, 2), "c": noise(3, 2, 3, seed=4)})
equal(G, "conv-as-matmul", "y = Conv (x, c)", "r = Reshape (c, s) y = MatMul (r, x)", "A kernel of one.", x="float[1, 2, N] x", y="float[1, 3, N] y", finite=True, arrays={"c": noise(3, 2, 1, seed=4), "s": i64(3, 2)})
equal(G, "groups-as-parts", "y = Conv <group = 2> (x, c)", "a, b = Split <axis = 1> (x, t) d, e = Split <axis = 0> (c, t) f = Conv (a, d) g = Conv (b, e) y = Concat <axis = 1> (f, g)", "Groups side by side.", x="float[1, 4, 7] x",
      y="float[1, 4, 5] y", finite=True, arrays={"c": noise(4, 2, 3, seed=4), "t": i64(2, 2)})
equal(G, "global-pool", "y = GlobalAveragePool (x)", "y = ReduceMean <axes = [2, 3], keepdims = 1> (x)", "The mean of all.", opset=17, x="float[1, 2, 4, 5] x", y="float[1, 2, 1, 1] y", finite=True)
equal(G, "equal-branches", "y = If (c) <then_branch = t () => (float[4] r) { r = Relu (x) }, else_branch = e () => (float[4] q) { q = Relu (x) }>", "y = Relu (x)", "Either branch.", x="bool c, float[4] x") 
equal(G, "constant-condition", "y = If (c) <then_branch = t () => (float[4] r) { r = Relu (x) }, else_branch = e () => (float[4] q) { q = Neg (x) }>", "y = Relu (x)", "Always the first.", arrays={"c": np.bool_(True)})
equal(G, "condition-twice-denied", "y = If (c) <then_branch = t () => (float[4] r) { r = Relu (x) }, else_branch = e () => (float[4] q) { q = Neg (x) }>",
      "n = Not (c) y = If (n) <then_branch = t () => (float[4] r) { r = Neg (x) }, else_branch = e () => (float[4] q) { q = Relu (x) }>", "Denied and exchanged.", x="bool c, float[4] x")
equal(G, "loop-unrolled", "y = Loop (n, t, x) <body = b (int64 i, bool ci, float[4] v) => (bool co, float[4] w) { co = Identity (ci) w = Mul (v, two) }>", "a = Mul (x, two) b = Mul (a, two) y = Mul (b, two)", "Three times.",
      arrays={"n": np.int64(3), "t": np.bool_(True), "two": f32(2)})
equal(G, "loop-of-none", "y = Loop (n, t, x) <body = b (int64 i, bool ci, float[4] v) => (bool co, float[4] w) { co = Identity (ci) w = Exp (v) }>", "y = Identity (x)", "Never.", arrays={"n": np.int64(0), "t": np.bool_(True)})
equal(G, "scan-as-cumulative-sum", SCAN, "y = CumSum (x, a)", "Sums from the left.", x="float[N] x", y="float[N] y", finite=True, arrays={"s": np.float32(0), "a": np.int64(0)})
equal(G, "function-inlined", {"body": "y = local.F (x)", "domains": {"local": 1}, "functions": '<domain: "local", opset_import: ["" : 18]>\nF (a) => (r) { n = Neg (a) r = Relu (n) }'}, "n = Neg (x) y = Relu (n)", "A function and its body.")
equal(G, "sequence-of-one", "s = SequenceConstruct (x, k) y = SequenceAt (s, o)", "y = Identity (x)", "The first of a sequence.", arrays=K | {"o": np.int64(0)})
equal(G, "shape-known", "s = Shape (x) y = Cast <to = 1> (s)", "y = Identity (f)", "A size that is fixed.", x="float[4, 6] x", y="float[2] y", arrays={"f": f32(4, 6)})
equal(G, "argmax-of-exp", "e = Mul (x, two) y = ArgMax <axis = 1> (e)", "y = ArgMax <axis = 1> (x)", "Twice as much has its maximum there.", x="float[N, 4] x", y="int64[N, 1] y", finite=True, arrays=K)
equal(G, "own-operator-of-equal-operands", "d = Add (x, x) y = own.domain.Alpha (d)", "a = Add (x, x) y = own.domain.Alpha (a)", "Another inner name.", domains={"own.domain": 1}, runs=False)
equal(G, "dequantised-weight", "d = DequantizeLinear (q, s, z) y = MatMul (x, d)", "y = MatMul (x, f)", "A weight made floats.", x="float[N, 2] x", y="float[N, 2] y", finite=True,
      arrays={"q": np.array([[1, 2], [3, 200]], np.uint8), "s": np.float32(0.5), "z": np.uint8(2), "f": f32(-0.5, 0, 0.5, 99, shape=(2, 2))})
equal(G, "integer-matmul", "y = MatMulInteger (x, q)", "a = Cast <to = 6> (x) b = Cast <to = 6> (q) y = MatMul (a, b)", "In 32 bits.", x="uint8[N, 2] x", y="int32[N, 2] y", ranges={"x": (0, 255)}, arrays={"q": np.array([[1, 2], [3, 200]], np.uint8)})
