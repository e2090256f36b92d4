"""What models are drawn of (draw.py): values with a sample of each, constants, and nodes, each of which runs."""
import random
import warnings

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper
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


def is_of_its_type(result, declared):
    """Whether a runtime's answer has the shape that ONNX infers. ONNX Runtime (1.31) leaves a tensor without elements as it is where
    the axis to reduce is counted from the end: ReduceSum(-2) of [4, 0] is [4, 0] there."""
    if not declared.type.tensor_type.HasField("shape"):
        return True
    dims = declared.type.tensor_type.shape.dim
    return len(dims) == result.ndim and all(not d.HasField("dim_value") or d.dim_value == n for d, n in zip(dims, result.shape))


class Parts:
    """A model so far: its values with samples of them, its constants, its nodes."""

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
        made = self.runs([helper.make_node(op, inputs, names, **attributes)], names)
        return made and (names[0] if outputs == 1 else names)

    def runs(self, nodes, names):
        """Adds them, if they run: whether they do. `names`: what they make that others may use."""
        made = {o for n in nodes for o in n.output}
        fed = [i for i in dict.fromkeys(i for n in nodes for i in n.input) if i and i not in made]
        graph = helper.make_graph(nodes, "part", [helper.make_tensor_value_info(i, tensor_type(self.values[i].dtype), self.values[i].shape)
                                                  for i in fed], [helper.make_empty_tensor_value_info(n) for n in names])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        try:
            model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
            with np.errstate(all="ignore"):
                results = run_once(model, {i: self.values[i] for i in fed})
        except Exception:
            return None
        results = [np.asarray(r) for r in results]
        if any(r.size > LARGEST or r.dtype == object for r in results) or not all(map(is_of_its_type, results, model.graph.output)):
            return None
        # Windows that do not fit have no meaning, though a runtime may make an empty tensor of them.
        if nodes[0].op_type in WINDOWED and results[0].size == 0:
            return None
        self.nodes.extend(nodes)
        self.used.update(fed)
        self.values.update(zip(names, results))
        return names

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
