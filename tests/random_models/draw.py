"""Random small ONNX models, by seed: all operators that have a meaning, all element types, sizes that stay dynamic, shared
values, constants of every kind (nothing, one, huge, tiny, infinite), If and Loop, and the shapes of computation that
rewrite rules are about. Built node by node; each node is run on sample values as soon as it is drawn, and thrown away
where no runtime takes it, so that every model is one that runs. Shares nothing with the program."""

import onnx
from onnx import helper

from operators import Operators
from parts import DYNAMIC, FLOATS, tensor_type


class Drawing(Operators):
    """Shapes of computation that rewrite rules are about, and the whole."""

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
        made = [o for n in self.nodes for o in n.output if o in self.values and n.op_type != "Constant"]
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
