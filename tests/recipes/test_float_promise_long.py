"""The rest of test_float_promise.py."""

import sys
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

sys.path.insert(0, str(Path(__file__).parent))
from test_float_promise import Promise, save  # noqa: E402


class FloatPromise(Promise):
    def test_product_scaled_twice_in_half(self):
        save(self.model, np.float16, [8, 8],
             [("Mul", ["x", "a"], "s"), ("MatMul", ["s", "w"], "p"), ("Mul", ["p", "b"], "z")], ["x", "w"],
             {"a": 0.01, "b": 0.02})
        self.holds(np.float16, {"x": np.full((8, 8), 300), "w": np.full((8, 8), 300)})

    def test_product_of_weights_scaled_in_half(self):
        save(self.model, np.float16, [8, 8],
             [("Mul", ["x", "a"], "s"), ("MatMul", ["s", "w"], "p"), ("Mul", ["p", "b"], "z")], ["x"],
             {"a": 0.01, "b": 0.02, "w": np.full((8, 8), 200)})
        self.holds(np.float16, {"x": np.full((8, 8), 300)})

    def test_divided_twice_by_little(self):
        save(self.model, np.float32, [2], [("Div", ["x", "a"], "s"), ("Div", ["s", "a"], "z")], ["x"], {"a": [1e-25] * 2})
        self.holds(np.float32, {"x": [1e-30, 1e-20]}, fast_breaks=True)

    def test_divided_twice_by_much(self):
        save(self.model, np.float32, [2], [("Div", ["x", "a"], "s"), ("Div", ["s", "a"], "p"), ("Reciprocal", ["p"], "z")],
             ["x"], {"a": [1e25] * 2})
        self.holds(np.float32, {"x": [1e30, -1e30]}, fast_breaks=True)

    def test_multiplied_and_divided(self):
        save(self.model, np.float32, [2],
             [("Mul", ["x", "a"], "s"), ("Mul", ["s", "y"], "p"), ("Mul", ["p", "b"], "z")], ["x", "y"],
             {"a": [1e-25] * 2, "b": [1e-25] * 2})
        self.holds(np.float32, {"x": [1e30, 1e29], "y": [1e20, 1e29]})

    def test_what_overflows_is_no_reason_to_write_nothing(self):
        save(self.model, np.float32, [2, 8], [("Mul", ["x", "a"], "s"), ("Exp", ["s"], "e"), ("ReduceSum", ["e"], "r"),
                                              ("Div", ["e", "r"], "z")], ["x"], {"a": 300})
        model = onnx.load(self.model)
        model.graph.initializer.append(numpy_helper.from_array(np.array([-1], np.int64), "last"))
        model.graph.node[2].input.append("last")
        onnx.save(model, self.model)
        self.suits_not("softmax-without-maximum", {"x": np.arange(16, dtype=np.float32).reshape(2, 8)})

    def test_what_is_safe_is_still_done(self):
        save(self.model, np.float16, [8, 8], [("MatMul", ["x", "w"], "p"), ("Mul", ["p", "b"], "z")], ["x"],
             {"b": [0.125], "w": np.eye(8)})
        self.holds(np.float16, {"x": np.full((8, 8), 3)})
        self.assertEqual(self.optimized("finite")[1]["nodes_after"], 1)


if __name__ == "__main__":
    unittest.main()
