"""Random small ONNX models, by seed: all operators that have a meaning, all element types, sizes that stay dynamic, shared
values, constants of every kind (nothing, one, huge, tiny, infinite), If and Loop, and the shapes of computation that
rewrite rules are about. Built node by node; each node is run on sample values as soon as it is drawn, and thrown away
where no runtime takes it, so that every model is one that runs. Shares nothing with the program."""

import random
import warnings

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

ort.set_default_logger_severity(4)
warnings.filterwarnings("ignore")
FLOATS = (np.float32, np.float16, np.float64)
SIGNED, UNSIGNED = (np.int64, np.int32, np.int8, np.int16), (np.uint8, np.uint16, np.uint32, np.uint64)
DYNAMIC = {5: "N", 7: "M"}  # input dimensions of these sizes may stay dynamic
REFERENCE_IS_WRONG = {"GlobalMaxPool", "LRN", "ReduceSumSquare"}  # as tests/conformance/op_agreement.py has it
WINDOWED = {"Conv", "ConvTranspose", "MaxPool", "AveragePool"}
LARGEST = 3000  # elements of a value


def tensor_type(dtype):
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def run_once(model, feeds):
    """Outputs by ONNX Runtime, else by the reference evaluator; an exception where neither runs it."""
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    try:
        return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, feeds)
    except Exception:
        if any(n.op_type in REFERENCE_IS_WRONG for n in model.graph.node):
            raise
        return ReferenceEvaluator(model).run(None, feeds)


class Drawing:
    def __init__(self, seed):
        self.rng, self.seed = random.Random(seed), seed
        self.opset = self.rng.choice((13, 14, 16, 17, 17, 18, 19, 20, 21))  # above, compare.py could not move values
        self.nodes, self.initializers, self.inputs = [], [], []
        self.values = {}   # name -> sample
        self.constants = set()
        self.used = set()
        self.count = 0

    # ---- parts

    def fresh(self, prefix="v"):
        self.count += 1
        return f"{prefix}{self.count}"

    def chance(self, p):
        return self.rng.random() < p

    def numbers(self, dtype, shape):
        """A sample; what is fed when comparing is drawn elsewhere."""
        rng = np.random.default_rng(self.rng.getrandbits(32))
        if dtype == np.bool_:
            return rng.random(shape) < 0.5
        if dtype in FLOATS:
            return np.asarray(rng.standard_normal(shape) * 1.5).astype(dtype)
        return np.asarray(rng.integers(0 if dtype in UNSIGNED else -4, 5, shape)).astype(dtype)

    def constant(self, dtype, shape=(), value=None):
        if value is None and (self.chance(0.6) or shape == ()):
            if dtype in FLOATS:
                value = self.rng.choice((0, 1, -1, 2, 0.5, 3, -0.0, 1e-3, 100, 1e-25, 1e30, 1e-7, -2.5, 6e4, np.inf, 1 / 3))
            elif dtype == np.bool_:
                value = self.chance(0.5)
            else:
                info = np.iinfo(dtype)
                value = self.rng.choice((0, 1, 1, 2, 3, info.max, info.min, info.max // 2))
        with np.errstate(all="ignore"):
            array = self.numbers(dtype, shape) if value is None else np.full(shape, value).astype(dtype)
        name = self.fresh("c")
        if self.chance(0.15):
            self.nodes.append(helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array)))
        else:
            self.initializers.append(numpy_helper.from_array(array, name))
        self.values[name] = array
        self.constants.add(name)
        return name

    def ints(self, values):
        name = self.fresh("i")
        array = np.array(values, np.int64)
        self.initializers.append(numpy_helper.from_array(array, name))
        self.values[name] = array
        self.constants.add(name)
        return name

    def input(self):
        dtype = self.rng.choices((np.float32, np.float16, np.float64, np.int64, np.int32, np.bool_, np.int8, np.uint8, np.int16,
                                  np.uint32, np.uint16, np.uint64), (40, 5, 7, 6, 5, 4, 2, 3, 1, 1, 1, 1))[0]
        rank = self.rng.choices((0, 1, 2, 3, 4), (1, 3, 6, 4, 5))[0]
        shape = tuple(self.rng.choices((1, 2, 3, 4, 5, 6, 7, 0), (3, 5, 6, 6, 6, 3, 4, 0.2))[0] for _ in range(rank))
        name = self.fresh("x")
        self.values[name] = self.numbers(dtype, shape)
        self.inputs.append(name)
        return name

    def pick(self, dtypes=None, rank=None, least_rank=0):
        """A value, the latest and those not used yet before others; one is made where there is none."""
        good = [n for n, v in self.values.items() if (dtypes is None or v.dtype.type in dtypes) and v.ndim >= least_rank
                and (rank is None or v.ndim == rank) and (n not in self.constants)]
        if not good or self.chance(0.04):
            wanted = [n for n in self.constants if n[0] == "c" and (dtypes is None or self.values[n].dtype.type in dtypes)
                      and self.values[n].ndim >= least_rank and (rank is None or self.values[n].ndim == rank)]
            if wanted and self.chance(0.5):
                return self.rng.choice(wanted)
        if not good:
            return None
        weights = [(3 if n not in self.used else 1) * (1 + i / len(good)) for i, n in enumerate(good)]
        return self.rng.choices(good, weights)[0]

    def node(self, op, inputs, outputs=1, **attributes):
        """Adds it, if it runs; the name of its first output, or of all where there are several."""
        if any(i is None for i in inputs):
            return None
        names = [self.fresh() for _ in range(outputs)]
        node = helper.make_node(op, inputs, names, **attributes)
        fed = [i for i in dict.fromkeys(inputs) if i]
        graph = helper.make_graph([node], "one", [helper.make_tensor_value_info(i, tensor_type(self.values[i].dtype), self.values[i].shape)
                                                  for i in fed], [helper.make_empty_tensor_value_info(n) for n in names])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        try:
            model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
            with np.errstate(all="ignore"):
                results = run_once(model, {i: self.values[i] for i in fed})
        except Exception:
            return None
        results = [np.asarray(r) for r in results]
        if any(r.size > LARGEST or r.dtype == object for r in results):
            return None
        # Windows that do not fit have no meaning, though a runtime may make an empty tensor of them.
        if op in WINDOWED and results[0].size == 0:
            return None
        self.nodes.append(node)
        self.used.update(fed)
        self.values.update(zip(names, results))
        return names[0] if outputs == 1 else names

    def beside(self, name):
        """An operand that broadcasts with another: a value, or a constant."""
        v = self.values[name]
        dtype = v.dtype.type
        if self.chance(0.5):
            others = []
            for n, w in self.values.items():
                if w.dtype == v.dtype and n[0] != "i":
                    try:
                        np.broadcast_shapes(v.shape, w.shape)
                        others.append(n)
                    except ValueError:
                        pass
            if others:
                return self.rng.choice(others)
        shape = tuple(self.rng.choice((1, d, d)) for d in v.shape)[self.rng.randrange(v.ndim + 1):]
        return self.constant(dtype, shape if self.chance(0.6) else ())

    def as_input(self, op, name):
        """Whether this operator set has it as an input, not as an attribute."""
        return name not in onnx.defs.get_schema(op, self.opset).attributes

    def axis(self, name):
        rank = self.values[name].ndim
        return self.rng.randrange(-rank, rank) if rank else 0

    # ---- operators

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

    def cast(self):
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

    def motif(self):
        """What rules are written about."""
        x = self.pick(FLOATS, least_rank=1)
        if x is None:
            return None
        v, n, dtype = self.values[x], self.node, self.values[x].dtype.type
        def c(value):
            return self.constant(dtype, (), value)
        last = v.ndim - 1
        def along(op, a):
            return n(op, [a, self.ints([last])], keepdims=1) if self.as_input(op, "axes") else n(op, [a], axes=[last], keepdims=1)
        y = self.beside(x)
        few = [1e-25, 1e25, 0.01, 3, 1e-7, 6e4, 0.5, -2]
        ways = [
            lambda: n("Neg", [n("Neg", [x])]),
            lambda: self.transpose(self.transpose(x)) if v.ndim > 1 else None,
            lambda: n(self.rng.choice(("Mul", "Div")), [n(self.rng.choice(("Mul", "Div")), [x, c(self.rng.choice(few))]), c(self.rng.choice(few))]),
            lambda: n(self.rng.choice(("Add", "Sub")), [n(self.rng.choice(("Add", "Sub")), [x, c(self.rng.choice(few))]), c(self.rng.choice(few))]),
            lambda: n("Add", [n("Mul", [x, c(self.rng.choice(few))]), n("Mul", [x, c(self.rng.choice(few))])]),
            lambda: n("Add", [n("Mul", [x, y]), n("Mul", [x, self.beside(x)])]),
            lambda: n(self.rng.choice(("Add", "Mul", "Sub", "Div", "Max")), [x, c(self.rng.choice((0, 1, -0.0, -1)))]),
            lambda: n(self.rng.choice(("Sub", "Div", "Max", "Min", "Equal", "Mul")), [x, x]),
            lambda: n("Sub", [n("Add", [x, y]), y]),
            lambda: n("Div", [n("Mul", [x, y]), y]),
            lambda: n("Mul", [n("Div", [x, y]), y]),
            lambda: n("Reciprocal", [n("Sqrt", [n("Neg", [x])])]),
            lambda: n("Reciprocal", [n("Pow", [n("Neg", [x]), c(0.5)])]),
            lambda: n(*self.rng.choice((("Exp", [n("Log", [x])]), ("Log", [n("Exp", [x])]), ("Sqrt", [n("Mul", [x, x])]),
                                        ("Mul", [n("Sqrt", [x]), n("Sqrt", [x])]), ("Mul", [n("Exp", [x]), n("Exp", [y])]),
                                        ("Log", [n("Softmax", [x], axis=-1)]), ("Relu", [n("Relu", [x])]), ("Abs", [n("Neg", [x])])))),
            lambda: n("Div", [n("Exp", [n("Sub", [x, along("ReduceMax", x)])]), along("ReduceSum", n("Exp", [n("Sub", [x, along("ReduceMax", x)])]))]),
            lambda: n("Div", [n("Exp", [x]), along("ReduceSum", n("Exp", [x]))]),
            lambda: self.layer_norm_by_hand(x, along),
            lambda: n("Mul", [n("Mul", [x, c(0.5)]), n("Add", [n("Erf", [n("Div", [x, c(2**0.5)])]), c(1)])]),
            lambda: n("Mul", [x, n("Sigmoid", [x])]),
            lambda: self.products(x, n),
            lambda: along(self.rng.choice(("ReduceSum", "ReduceMean", "ReduceMax")), n(self.rng.choice(("Mul", "Add")), [x, y])),
            lambda: self.slice(n("Softmax", [x], axis=-1)) if v.shape[-1] else None,
            lambda: self.slice(self.unary_of(x)) if self.chance(0.5) else self.gather(self.unary_of(x)),
            lambda: n("Cast", [n("Cast", [x], to=tensor_type(self.rng.choice(FLOATS)))], to=tensor_type(dtype)),
            lambda: n("Where", [n("Less", [x, c(0)]), n("Mul", [x, y]), n("Mul", [x, self.beside(x)])]),
            lambda: n("Where", [n(self.rng.choice(("IsNaN", "IsInf")), [x]), c(0), x]),
            lambda: n("Concat", [n("Relu", [x]), n("Relu", [x]), n("Relu", [n("Neg", [x])])], axis=last),
            lambda: n(self.rng.choice(("Max", "Min")), [n(self.rng.choice(("Max", "Min")), [x, c(1)]), c(-1)]),
            lambda: n("Mul", [n("Pow", [x, c(2)]), n("Pow", [x, c(self.rng.choice((3, 0.5, -2)))])]),
        ]
        return self.rng.choice(ways)()

    def unary_of(self, x):
        return self.node(self.rng.choice(("Neg", "Exp", "Relu", "Abs", "Sigmoid")), [x])

    def layer_norm_by_hand(self, x, along):
        n, dtype = self.node, self.values[x].dtype.type
        centred = n("Sub", [x, along("ReduceMean", x)])
        variance = along("ReduceMean", n("Mul", [centred, centred])) if self.chance(0.6) else n(
            "Sub", [along("ReduceMean", n("Mul", [x, x])), n("Mul", [along("ReduceMean", x), along("ReduceMean", x)])])
        normal = n("Div", [centred, n("Sqrt", [n("Add", [variance, self.constant(dtype, (), self.rng.choice((1e-5, 0.01)))])])])
        shape = self.values[x].shape[-1:]
        return normal and n("Add", [n("Mul", [normal, self.constant(dtype, shape)]), self.constant(dtype, shape)])

    def products(self, x, n):
        """Several products of one value with weights, put together again."""
        v = self.values[x]
        if v.ndim < 2:
            return None
        columns = self.rng.randint(1, 4)
        a, b = (n("MatMul", [x, self.constant(v.dtype.type, (v.shape[-1], columns))]) for _ in range(2))
        return n("Concat", [a, b], axis=-1) if self.chance(0.4) else n(self.rng.choice(("Add", "Mul", "Sub")), [a, b])

    def draw(self):
        for _ in range(self.rng.randint(1, 3)):
            self.input()
        wanted = self.rng.choice((2, 3, 5, 8, 12, 16, 24))
        steps = (self.unary, self.binary, self.motif, self.clip, self.where, self.several, self.cast, self.reduce, self.arg, self.soft, self.matmul,
                 self.gemm, self.conv, self.pool, self.norm, self.transpose, self.reshape, self.spread, self.slice, self.concat, self.split,
                 self.pad, self.gather, self.blocks, self.rare, self.control)
        weights = (10, 12, 20, 2, 3, 2, 3, 7, 1, 4, 6, 3, 5, 3, 5, 5, 6, 3, 5, 5, 3, 3, 5, 2, 4, 1)
        for _ in range(4 * wanted):
            if len(self.nodes) >= wanted:
                break
            try:
                self.rng.choices(steps, weights)[0]()
            except (TypeError, KeyError, IndexError, ValueError):  # an operand that could not be made
                pass
        return self.model()

    def model(self):
        made = [o for n in self.nodes for o in n.output if n.op_type != "Constant"]
        if not made:
            return None
        unused = [m for m in made if m not in self.used] or [made[-1]]
        outputs = list(dict.fromkeys(self.rng.sample(unused, min(len(unused), 3)) + ([self.rng.choice(made)] if self.chance(0.2) else [])))
        dynamic = self.chance(0.5)
        inputs = [helper.make_tensor_value_info(i, tensor_type(self.values[i].dtype), [DYNAMIC.get(d, d) if dynamic else d
                                                                                      for d in self.values[i].shape]) for i in self.inputs]
        results = [helper.make_tensor_value_info(o, tensor_type(self.values[o].dtype), [None] * self.values[o].ndim)
                   for o in outputs]
        graph = helper.make_graph(self.nodes, f"seed{self.seed}", inputs, results, self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)


def draw(seed):
    """A model that passes ONNX's checker and that a runtime runs; None where this seed leads to none."""
    model = Drawing(seed).draw()
    if model is None:
        return None
    try:
        onnx.checker.check_model(model)
    except Exception:
        return None
    return model
