"""The operators that models are drawn of (draw.py)."""
import random

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from parts import FLOATS, Parts, tensor_type


class Operators(Parts):
    """Each of these adds a node of some kind, or a few, if it runs on values that are there."""

    def unary(self):
        x = self.pick(FLOATS if self.chance(0.85) else None)
        op = self.rng.choice(("Neg", "Abs", "Sign", "Exp", "Log", "Sqrt", "Reciprocal", "Erf", "Tanh", "Sigmoid", "Relu", "Floor", "Ceil",
                              "Round", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh",
                              "Softplus", "Softsign", "IsNaN", "IsInf", "Mish", "HardSwish", "LeakyRelu", "Elu", "Celu", "Selu",
                              "ThresholdedRelu", "HardSigmoid", "Gelu", "Identity", "Not", "BitwiseNot", "Neg", "Relu", "Exp", "Sqrt"))
        return self.node(op, [x])

    def clip(self):
        x = self.pick((*FLOATS, np.int32, np.int64, np.int8, np.uint8))
        if x is None:
            return None
        dtype = self.values[x].dtype.type
        least, most = sorted((self.rng.choice((0, 1, 2, 6)), self.rng.choice((0, 1, 3, 6))))
        bounds = [self.constant(dtype, (), least) if self.chance(0.8) else "", self.constant(dtype, (), most) if self.chance(0.8) else ""]
        return self.node("Clip", [x, *bounds] if bounds[1] else [x, bounds[0]] if bounds[0] else [x])

    def binary(self):
        x = self.pick(None if self.chance(0.3) else FLOATS)
        if x is None:
            return None
        kind = self.values[x].dtype.type
        ops = ["Add", "Sub", "Mul", "Div", "Add", "Mul", "Max", "Min", "Pow", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual",
               "PRelu", "Mod"]
        if kind == np.bool_:
            ops = ["And", "Or", "Xor", "Equal"]
        elif kind not in FLOATS:
            ops += ["BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift"]
        op = self.rng.choice(ops)
        y = self.beside(x)
        if op in ("Pow",) and self.chance(0.7):
            y = self.constant(kind, (), self.rng.choice((2, 0.5, -0.5, 1, 0, 3, -1)) if kind in FLOATS else 2)
        if op in ("Mod", "Div") and kind not in FLOATS:  # what dividing by nothing does is not defined
            y = self.constant(kind, (), self.rng.choice((1, 2, 3, 7)))
        if op == "BitShift":
            y = self.constant(kind, (), self.rng.choice((0, 1, 3)))
        if op == "PRelu" and np.broadcast_shapes(*(self.values[v].shape for v in (x, y))) != self.values[x].shape:
            y = self.constant(kind, ())  # a slope that widens the result is not ONNX
        attributes = {"direction": self.rng.choice(("LEFT", "RIGHT"))} if op == "BitShift" else {}
        if op == "Mod":
            attributes["fmod"] = 1 if kind in FLOATS else self.rng.randrange(2)
        pair = [x, y] if op in ("Pow", "Mod", "Div", "PRelu", "BitShift") or self.chance(0.7) else [y, x]
        return self.node(op, pair, **attributes)

    def where(self):
        c, x = self.pick((np.bool_,)), self.pick()
        if c is None and x is not None:
            c = self.node("Less", [x, self.beside(x)])
        return self.node("Where", [c, x, self.beside(x)]) if x is not None and c is not None else None

    def several(self):
        x = self.pick(FLOATS)
        return self.node(self.rng.choice(("Sum", "Max", "Min", "Mean")), [x, self.beside(x), self.beside(x)]) if x else None

    def kept(self):
        """Through a type that is only kept and converted: floats of 8 bits, integers of 4."""
        integers = self.opset >= 21 and self.chance(0.5)
        x = self.pick((np.int32, np.int64, np.int8, np.uint8) if integers else FLOATS)
        if x is None:
            return None
        to = self.rng.choice(("INT4", "UINT4") if integers else ("FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ"))
        back = tensor_type(self.rng.choice((self.values[x].dtype, np.float32)))
        inside, name = [x, self.fresh(), self.fresh()], self.fresh()
        nodes = [helper.make_node("Cast", inside[:1], inside[1:2], to=TensorProto.DataType.Value(to))]
        moved = self.opset >= 21 and self.values[x].ndim > 1 and self.chance(0.5)
        if moved:
            nodes.append(helper.make_node("Transpose", inside[1:2], inside[2:]))
        nodes.append(helper.make_node("Cast", [inside[2 if moved else 1]], [name], to=back))
        return self.runs(nodes, [name]) and name

    def cast(self):
        if self.opset >= 19 and self.chance(0.6):
            return self.kept()
        to = self.rng.choice((*FLOATS, np.float32, np.int64, np.int32, np.bool_, np.uint8, np.int8))
        x = self.pick()
        # What a float that is out of range becomes as an integer is not defined.
        if x is None or (self.values[x].dtype.type in FLOATS and to not in FLOATS and to != np.bool_):
            return None
        return self.node("Cast", [x], to=tensor_type(to))

    def reduce(self):
        x = self.pick((*FLOATS, np.int32, np.int64) if self.chance(0.2) else FLOATS, least_rank=1)
        if x is None:
            return None
        op = self.rng.choice(("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare",
                              "ReduceLogSum", "ReduceLogSumExp", "ReduceSum", "ReduceMean", "ReduceMax"))
        rank = self.values[x].ndim
        axes = self.rng.sample(range(rank), self.rng.randint(1, rank))
        keep = {"keepdims": self.rng.randrange(2)}
        if self.chance(0.1):
            return self.node(op, [x], **keep)
        if self.as_input(op, "axes"):
            return self.node(op, [x, self.ints(axes)], **keep)
        return self.node(op, [x], axes=axes, **keep)

    def arg(self):
        x = self.pick(FLOATS, least_rank=1)
        return x and self.node(self.rng.choice(("ArgMax", "ArgMin")), [x], axis=self.axis(x), keepdims=self.rng.randrange(2))

    def soft(self):
        x = self.pick(FLOATS, least_rank=1)
        return x and self.node(self.rng.choice(("Softmax", "LogSoftmax", "Softmax", "Hardmax")), [x], axis=self.axis(x))

    def matmul(self):
        x = self.pick(FLOATS, least_rank=1)
        if x is None:
            return None
        v = self.values[x]
        others = [n for n, w in self.values.items() if w.dtype == v.dtype and w.ndim >= 2 and w.shape[-2] == v.shape[-1]]
        y = self.rng.choice(others) if others and self.chance(0.5) else self.constant(v.dtype.type, (v.shape[-1], self.rng.randint(1, 6)))
        return self.node("MatMul", [x, y])

    def gemm(self):
        x = self.pick(FLOATS, rank=2)
        if x is None:
            return None
        v, turned, other = self.values[x], self.rng.randrange(2), self.rng.randrange(2)
        k, n = v.shape[0] if turned else v.shape[1], self.rng.randint(1, 5)
        w = self.constant(v.dtype.type, (n, k) if other else (k, n))
        bias = [self.constant(v.dtype.type, self.rng.choice(((), (n,), (1, n))))] if self.chance(0.6) else []
        return self.node("Gemm", [x, w, *bias], transA=turned, transB=other, alpha=self.rng.choice((1.0, 0.5, 2.0)),
                         beta=self.rng.choice((1.0, 1.0, 0.25)))

    def windows(self, x):
        v = self.values[x]
        spatial = v.ndim - 2
        kernel = [self.rng.randint(1, 3) for _ in range(spatial)]
        return kernel, {"strides": [self.rng.randint(1, 3) for _ in range(spatial)], "pads": [self.rng.randint(0, k - 1) for k in kernel * 2]}

    def fits(self, x, kernel, window):
        """ONNX does not say what a window larger than its image computes; ONNX Runtime reads beyond. From no channels it does
        not come back."""
        pads, dilations = window["pads"], window.get("dilations", [1] * len(kernel))
        return self.values[x].size > 0 and all(size + pads[i] + pads[i + len(kernel)] > (kernel[i] - 1) * dilations[i]
                                               for i, size in enumerate(self.values[x].shape[2:]))

    def image(self):
        return self.pick((np.float32,) if self.chance(0.9) else FLOATS, rank=4) or self.pick(FLOATS, rank=3)

    def conv(self):
        x = self.image()
        if x is None:
            return None
        v = self.values[x]
        kernel, window = self.windows(x)
        channels = v.shape[1]
        group = self.rng.choice([g for g in range(1, max(channels, 1) + 1) if channels % g == 0])
        out = group * self.rng.randint(1, 2)
        transposed = self.chance(0.15)
        shape = (channels, out // group, *kernel) if transposed else (out, channels // group, *kernel)
        w = self.constant(v.dtype.type, shape)
        bias = [self.constant(v.dtype.type, (out,))] if self.chance(0.4) else []
        if not transposed:
            window["dilations"] = [self.rng.randint(1, 2) for _ in kernel]
        if not self.fits(x, kernel, window):
            return None
        y = self.node("ConvTranspose" if transposed else "Conv", [x, w, *bias], group=group, kernel_shape=kernel, **window)
        return self.norm(y) if y and self.chance(0.3) else y

    def pool(self):
        x = self.image()
        if x is None:
            return None
        if self.chance(0.25):
            return self.node(self.rng.choice(("GlobalAveragePool", "GlobalMaxPool")), [x])
        kernel, window = self.windows(x)
        if not self.fits(x, kernel, window):
            return None
        if self.chance(0.5):
            return self.node("MaxPool", [x], kernel_shape=kernel, ceil_mode=self.rng.randrange(2), **window)
        return self.node("AveragePool", [x], kernel_shape=kernel, count_include_pad=self.rng.randrange(2), **window)

    def norm(self, x=None):
        x = x or self.pick(FLOATS, least_rank=2)
        if x is None:
            return None
        v = self.values[x]
        dtype, kind = v.dtype.type, self.rng.choice(("batch", "layer", "instance", "lrn", "lp", "layer"))
        c = v.shape[1]
        if kind == "batch":
            positive = self.constant(dtype, (c,), self.rng.choice((1, 0.25, 2)))
            return self.node("BatchNormalization", [x, *(self.constant(dtype, (c,)) for _ in range(3)), positive],
                             epsilon=self.rng.choice((1e-5, 1e-3)))
        if kind == "layer":
            axis = self.rng.randrange(v.ndim)
            shape = v.shape[axis:]
            return self.node("LayerNormalization", [x, self.constant(dtype, shape), *([self.constant(dtype, shape)] if self.chance(0.6) else [])],
                             axis=axis)
        if kind == "instance":
            return self.node("InstanceNormalization", [x, self.constant(dtype, (c,)), self.constant(dtype, (c,))])
        if kind == "lrn":
            return self.node("LRN", [x], size=self.rng.choice((1, 3)))
        return self.node("LpNormalization", [x], axis=self.axis(x), p=self.rng.choice((1, 2)))

    def transpose(self, x=None):
        x = x or self.pick(least_rank=2)
        return x and self.node("Transpose", [x], perm=self.rng.sample(range(self.values[x].ndim), self.values[x].ndim))

    def reshape(self):
        x = self.pick()
        if x is None:
            return None
        v = self.values[x]
        way = self.rng.randrange(6)
        if way == 0:
            return self.node("Flatten", [x], axis=self.rng.randint(0, v.ndim))
        if way == 1:
            axes = sorted(self.rng.sample(range(v.ndim + 1), 1))
            return self.node("Unsqueeze", [x, self.ints(axes)])
        if way == 2:
            ones = [i for i, d in enumerate(v.shape) if d == 1]
            return self.node("Squeeze", [x, self.ints(self.rng.sample(ones, self.rng.randint(1, len(ones))))]) if ones else None
        if way == 3 and v.ndim >= 2:  # by the sizes of the value itself
            sizes = self.node("Shape", [x])
            first = self.node("Gather", [sizes, self.ints([0])])
            target = self.node("Concat", [first, self.ints([-1])], axis=0)
            return self.node("Reshape", [x, target])
        dims = list(v.shape)
        if len(dims) >= 2 and self.chance(0.6):
            i = self.rng.randrange(len(dims) - 1)
            dims[i:i + 2] = [dims[i] * dims[i + 1]]
        else:
            dims.insert(self.rng.randint(0, len(dims)), 1)
        if dims and self.chance(0.6):
            dims[self.rng.randrange(len(dims))] = -1
        return self.node("Reshape", [x, self.ints(dims)])

    def spread(self):
        x = self.pick()
        if x is None:
            return None
        v = self.values[x]
        if self.chance(0.5):
            return self.node("Tile", [x, self.ints([self.rng.randint(1, 3) for _ in v.shape])]) if v.ndim else None
        shape = [self.rng.randint(1, 3) if d == 1 else d for d in v.shape]
        return self.node("Expand", [x, self.ints(([2] if self.chance(0.3) else []) + shape)])

    def slice(self, x=None):
        x = x or self.pick(least_rank=1)
        if x is None:
            return None
        v = self.values[x]
        axis = self.rng.randrange(v.ndim)
        start, end, step = self.rng.randint(-3, 3), self.rng.choice((1, 2, 3, -1, 2**31 - 1, 2**63 - 1)), self.rng.choice((1, 1, 1, 2, 3))
        if self.chance(0.15):
            start, end, step = self.rng.choice(((-1, -2**63, -1), (2**31 - 1, 0, -2), (-1, -100, -1)))
        return self.node("Slice", [x, self.ints([start]), self.ints([end]), self.ints([axis]), self.ints([step])])

    def concat(self):
        x = self.pick(least_rank=1)
        if x is None:
            return None
        v = self.values[x]
        axis = self.rng.randrange(v.ndim)
        others = [n for n, w in self.values.items() if w.dtype == v.dtype and w.ndim == v.ndim and n[0] != "i"
                  and all(a == b for i, (a, b) in enumerate(zip(v.shape, w.shape)) if i != axis)]
        return self.node("Concat", self.rng.choices(others, k=self.rng.randint(1, 3)) + [x], axis=self.rng.choice((axis, axis - v.ndim)))

    def split(self):
        x = self.pick(least_rank=1)
        if x is None:
            return None
        axis = self.rng.randrange(self.values[x].ndim)
        size = self.values[x].shape[axis]
        if size < 2:
            return None
        first = self.rng.randint(1, size - 1)
        parts = self.node("Split", [x, self.ints([first, size - first])], 2, axis=axis)
        if parts and self.chance(0.5):
            return self.node("Concat", [self.node(self.rng.choice(("Neg", "Relu", "Exp")), [parts[0]]) or parts[0], parts[1]], axis=axis)
        return parts and parts[0]

    def pad(self):
        x = self.pick((*FLOATS, np.int32, np.int64), least_rank=1)
        if x is None:
            return None
        v = self.values[x]
        mode = self.rng.choice(("constant", "constant", "edge", "reflect"))
        pads = [self.rng.randint(0, 2) for _ in range(2 * v.ndim)]
        value = [self.constant(v.dtype.type, ())] if mode == "constant" and self.chance(0.5) else []
        return self.node("Pad", [x, self.ints(pads), *value], mode=mode)

    def gather(self, x=None):
        x = x or self.pick(least_rank=1)
        if x is None:
            return None
        v = self.values[x]
        axis = self.rng.randrange(v.ndim)
        size = v.shape[axis]
        if size == 0:
            return None
        shape = self.rng.choice(((), (1,), (3,), (2, 2)))
        indices = np.random.default_rng(self.rng.getrandbits(32)).integers(-size, size, shape)
        kind = self.rng.randrange(8)
        if kind == 0:
            return self.node("GatherElements", [x, self.ints(np.zeros(v.shape, np.int64) + (size - 1))], axis=axis)
        if kind == 1:
            order = self.node("ArgMax", [x], axis=axis, keepdims=1)
            return order and self.node("GatherElements", [x, order], axis=axis)
        return self.node("Gather", [x, self.ints(indices)], axis=axis)

    def blocks(self):
        x = self.pick(FLOATS, rank=4)
        if x is None:
            return None
        kind = self.rng.randrange(3)
        if kind == 0:
            return self.node("DepthToSpace", [x], blocksize=2, mode=self.rng.choice(("DCR", "CRD")))
        if kind == 1:
            return self.node("SpaceToDepth", [x], blocksize=self.rng.choice((2, 3)))
        scales = self.constant(np.float32, (4,), 1)
        self.values[scales][2:] = 2
        self.initializers = [i for i in self.initializers if i.name != scales]
        self.nodes = [n for n in self.nodes if scales not in n.output]
        self.initializers.append(numpy_helper.from_array(self.values[scales], scales))
        return self.node("Resize", [x, "", scales], mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")

    def rare(self):
        """Mostly without a meaning: kept as they are, beside what is rewritten."""
        x = self.pick(least_rank=1)
        if x is None:
            return None
        kind = self.rng.randrange(9)
        if kind == 0:
            return self.node("CumSum", [x, self.ints(self.axis(x))], exclusive=self.rng.randrange(2))
        if kind == 1 and self.values[x].shape[-1] > 1:
            return (self.node("TopK", [x, self.ints([self.rng.randint(1, self.values[x].shape[-1])])], 2) or [None])[0]
        if kind == 2:
            return self.node("Trilu", [x, self.ints(self.rng.randint(-1, 1))], upper=self.rng.randrange(2))
        if kind == 3:
            return self.node("Shape", [x])
        if kind == 4:
            return self.node("Dropout", [x])
        if kind == 5 and self.values[x].ndim == 2:
            return self.node("Einsum", [x, x], equation=self.rng.choice(("ij,kj->ik", "ij,ij->i", "ij,ik->jk")))
        if kind == 6:
            return self.node("Size", [x])
        if kind == 7:
            return self.node("ScatterElements", [x, self.ints(np.zeros((1,) * self.values[x].ndim)), self.constant(
                self.values[x].dtype.type, (1,) * self.values[x].ndim)], axis=0)
        return self.node("NonZero", [x])

    def control(self):
        """If on a value or a constant, or a Loop; the branches use values from outside."""
        x = self.pick(FLOATS)
        if x is None:
            return None
        proto, rank = tensor_type(self.values[x].dtype), self.values[x].ndim

        def branch(tag, op, other):
            out = self.fresh("b")
            c = self.constant(self.values[x].dtype.type, ())
            return helper.make_graph([helper.make_node(op, [x, c], [out])], tag, [], [helper.make_tensor_value_info(out, proto, [None] * rank)])

        out = self.fresh()
        if self.chance(0.7):
            if self.chance(0.4):
                condition = self.constant(np.bool_, (), self.chance(0.5))
            else:
                total = self.node("ReduceSum", [x], keepdims=0)
                condition = total and self.node("Greater", [total, self.constant(self.values[x].dtype.type, (), 0)])
            if condition is None:
                return None
            node = helper.make_node("If", [condition], [out], then_branch=branch("then", "Mul", x), else_branch=branch("else", "Add", x))
        else:
            i, keep, state, made, on = (self.fresh("l") for _ in range(5))
            body = helper.make_graph(
                [helper.make_node("Add", [state, x], [made]), helper.make_node("Identity", [keep], [on])], "body",
                [helper.make_tensor_value_info(i, TensorProto.INT64, []), helper.make_tensor_value_info(keep, TensorProto.BOOL, []),
                 helper.make_tensor_value_info(state, proto, [None] * rank)],
                [helper.make_tensor_value_info(on, TensorProto.BOOL, []), helper.make_tensor_value_info(made, proto, [None] * rank)])
            node = helper.make_node("Loop", [self.ints(self.rng.randint(0, 3)), self.constant(np.bool_, (), True), x], [out], body=body)
        self.nodes.append(node)
        self.used.add(x)
        self.values[out] = self.values[x]  # its type; the value does not matter
        return out
