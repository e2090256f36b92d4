"""The first of the random models (campaign.py has the others, in `make test-all`), and whether a fault would be seen."""

import collections
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

sys.path.insert(0, str(Path(__file__).parent))
from campaign import one  # noqa: E402
from compare import Comparison  # noqa: E402
from draw import Drawing, draw  # noqa: E402

QUICK = 8


def model(nodes, constants=(), shape=("N", 3), outputs=("y",)):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", 1, list(shape))],
                              [helper.make_tensor_value_info(o, 1, [None] * len(shape)) for o in outputs],
                              [numpy_helper.from_array(np.array(v, np.float32), n) for n, v in constants])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs, [output], **attributes)


class RandomModels(unittest.TestCase):
    def test_optimized_ones_compute_the_same(self):
        totals = collections.Counter()
        for seed in range(QUICK):
            with self.subTest(seed=seed):
                result = one(seed)
                self.assertEqual(result["faults"], [])
                totals["changed"] += result["changed"]
                totals["compared"] += result["compared"]
        self.assertGreater(totals["changed"], QUICK / 5)
        self.assertGreater(totals["compared"], QUICK)

    def test_a_seed_repeats_its_model(self):
        for seed in range(10):
            self.assertEqual(draw(seed).SerializeToString(), draw(seed).SerializeToString())

    def test_they_are_of_many_operators_and_types(self):
        operators, types, kept, dynamic = set(), set(), set(), 0
        for seed in range(400):
            if (m := draw(seed)) is None:
                continue
            operators |= {n.op_type for n in m.graph.node}
            types |= {v.type.tensor_type.elem_type for v in m.graph.input}
            kept |= {a.i for n in m.graph.node if n.op_type == "Cast" for a in n.attribute if a.name == "to"} - set(range(17))
            dynamic += any(d.dim_param for v in m.graph.input for d in v.type.tensor_type.shape.dim)
        self.assertGreater(len(operators), 100, operators)
        self.assertGreater(len(types), 9)
        self.assertGreater(len(kept), 2)  # floats of 8 bits, integers of 4
        self.assertGreater(dynamic, 80)


    def test_none_where_the_runtime_contradicts_the_type(self):
        for seed in range(3):
            part = Drawing(seed)
            part.values["x"] = np.zeros((4, 0), np.float32)
            self.assertIsNone(part.node("ArgMin", ["x"], axis=-2, keepdims=0))
            made = part.node("ArgMin", ["x"], axis=0, keepdims=0)
            self.assertEqual(part.values[made].shape, (0,))


class AFaultIsSeen(unittest.TestCase):
    SIZES = ({"N": 5, "M": 7},)

    def faults(self, first, second):
        return Comparison(first, second).faults(1, self.SIZES)

    def test_none_where_sums_are_taken_in_another_order(self):
        a = model([node("Mul", ["x", "a"], "p"), node("Mul", ["x", "b"], "q"), node("Add", ["p", "q"], "y")], [("a", 0.1), ("b", 0.7)])
        b = model([node("Mul", ["x", "c"], "y")], [("c", 0.8)])
        self.assertEqual(self.faults(a, b), [])
        cancels = model([node("Add", ["x", "a"], "p"), node("Sub", ["p", "a"], "y")], [("a", 0.01)])
        self.assertEqual(self.faults(cancels, model([node("Identity", ["x"], "y")])), [])

    def test_none_where_digits_were_lost_below_the_smallest_normal_number(self):
        shares, tiny = node("Softmax", ["x"], "s"), ("d", 1e-18)
        a = model([shares, node("Mul", ["s", "c"], "p"), node("Mul", ["p", "d"], "q"), node("Div", ["q", "c"], "y")], [("c", 1e-25), tiny])
        self.assertEqual(self.faults(a, model([shares, node("Mul", ["s", "d"], "y")], [tiny])), [])
        self.assertTrue(self.faults(a, model([shares, node("Mul", ["s", "d"], "y")], [("d", 1.5e-18)])))

    def test_none_where_rounding_alone_keeps_two_numbers_apart(self):
        # What is added to a large number vanishes; a product and a quotient by one number may leave another last digit.
        third = [("a", 0.3), ("c", 1 / 3)]
        plus = node("Add", ["x", "a"], "p")
        as_float = [node("Equal", ["x", "r"], "e"), node("Cast", ["e"], "y", to=1)]
        rounds = model([plus, node("Mul", ["p", "c"], "q"), node("Div", ["q", "c"], "r"), *as_float], third)
        exact = model([plus, node("Mul", ["p", "one"], "r"), *as_float], [*third, ("one", 1)])
        self.assertEqual(self.faults(rounds, exact), [])
        other = model([plus, node("Sub", ["p", "a"], "r"), *as_float], third)
        self.assertTrue(self.faults(exact, other))

    def test_none_where_the_evaluator_has_another_shape_than_onnx(self):
        pool = node("MaxPool", ["x"], "p", ceil_mode=1, kernel_shape=[3], pads=[0, 1], strides=[1])

        def reshaped(*shape):
            made = model([pool, node("Reshape", ["p", "s"], "y")], shape=(7, 7, 3))
            made.graph.initializer.append(numpy_helper.from_array(np.array(shape), "s"))
            return made
        same = Comparison(reshaped(7, -1), reshaped(7, 14))
        self.assertEqual(same.faults(1, self.SIZES), [])
        self.assertEqual(same.told, {"reference makes [7, 7, 1] of MaxPool, by ONNX it is [7, 7, 2]"})
        seen = self.faults(reshaped(7, -1), reshaped(14, 7))  # by ONNX Runtime
        self.assertTrue(seen and all(words.startswith("ONNX Runtime") for words in seen), seen)
        fits_the_evaluator = self.faults(reshaped(7, -1), reshaped(7, 7))
        self.assertTrue(any("only the first runs" in words for words in fits_the_evaluator), fits_the_evaluator)

    def test_other_values(self):
        a = model([node("Sigmoid", ["x"], "y")])
        for other in (model([node("HardSigmoid", ["x"], "y", alpha=0.25)]), model([node("Mul", ["p", "c"], "y"), node("Sigmoid", ["x"], "p")],
                                                                                 [("c", 1.00005)])):
            self.assertTrue(self.faults(a, other))

    def test_wrong_at_extremes_only(self):
        relu = model([node("Relu", ["x"], "y")])
        # Right for usual numbers: x where it is positive, by a product that overflows, or by a comparison that forgets zero.
        overflows = model([node("Mul", ["x", "huge"], "p"), node("Div", ["p", "huge"], "q"), node("Relu", ["q"], "y")], [("huge", 1e30)])
        self.assertTrue(self.faults(relu, overflows))
        sign = model([node("Sign", ["x"], "y")])
        not_at_zero = model([node("Less", ["x", "zero"], "n"), node("Where", ["n", "minus", "one"], "y")],
                            [("zero", 0), ("minus", -1), ("one", 1)])
        self.assertTrue(self.faults(sign, not_at_zero))

    def test_wrong_at_one_size_only(self):
        a = model([node("ReduceMean", ["x"], "y", axes=[0], keepdims=1)])
        b = model([node("ReduceSum", ["x", "axis"], "s"), node("Mul", ["s", "fifth"], "y")], [("fifth", 0.2)])
        b.graph.initializer.append(numpy_helper.from_array(np.array([0]), "axis"))
        self.assertEqual(self.faults(a, b), [])
        self.assertTrue(Comparison(a, b).faults(1, ({"N": 3},)))

    def test_what_only_one_runs_and_other_shapes(self):
        a = model([node("Relu", ["x"], "y")])
        self.assertTrue(self.faults(a, model([node("Flatten", ["x"], "y", axis=0)])))
        self.assertTrue(self.faults(a, model([node("MatMul", ["x", "x"], "y")])))

    def test_a_runtime_that_is_taken_down(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "isomer")
            program.write_text("#!/bin/sh\nexit 1\n")
            program.chmod(0o755)
            self.assertIn("status 1", one(0, str(program))["faults"][0])


if __name__ == "__main__":
    unittest.main()
