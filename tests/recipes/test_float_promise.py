"""What `--float` promises, shown in ONNX Runtime: with the default (`finite`) nothing that the original computes becomes
infinite or NaN. Where `fast_breaks`, it does under `--float fast`. More of the kind: test_float_promise_long.py."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
TYPES = {np.float32: TensorProto.FLOAT, np.float16: TensorProto.FLOAT16}


def save(path, dtype, shape, nodes, inputs, constants, result=None):
    weights = [numpy_helper.from_array(np.asarray(value, dtype), name) for name, value in constants.items()]
    infos = [helper.make_tensor_value_info(name, TYPES[dtype], shape) for name in inputs]
    graph = helper.make_graph([helper.make_node(op, args, [out]) for op, args, out in nodes], "g", infos,
                              [helper.make_tensor_value_info(nodes[-1][2], TYPES[dtype], result or shape)], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)


def run(path, feeds):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]).run(None, feeds)[0]


class Promise(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.model = Path(self.folder.name) / "m.onnx"

    def optimized(self, promise):
        out = Path(self.folder.name) / f"{promise}.onnx"
        done = subprocess.run([PROGRAM, "-q", "optimize", str(self.model), "-o", str(out), "--no-measure", "--no-report",
                               "--cost", "roofline:cpu", "--json", "--float", promise], capture_output=True, text=True,
                              check=False)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["float"], promise)
        return (out if done.returncode == 0 else None), result

    def holds(self, dtype, feeds, fast_breaks=False, strict=False):
        """The original is finite; what is made of it stays so by default, and is the same under `strict`."""
        feeds = {name: np.asarray(value, dtype) for name, value in feeds.items()}
        before = run(self.model, feeds)
        self.assertTrue(np.isfinite(before).all(), before)
        for promise in ("strict", "finite") if strict else ("finite",):
            written, _ = self.optimized(promise)
            self.assertIsNotNone(written, promise)
            after = run(written, feeds)
            self.assertTrue(np.isfinite(after).all(), f"{promise}: {after}")
            if promise == "strict":
                np.testing.assert_array_equal(before, after)
            else:
                np.testing.assert_allclose(after, before, rtol=2e-2 if dtype == np.float16 else 1e-5)
        if fast_breaks:
            written, result = self.optimized("fast")
            seen = written is None or "not on this model's numbers" in result["rules_left_out"]
            self.assertTrue(seen or not np.isfinite(run(written, feeds)).all())

    def suits_not(self, rule, feeds):
        """The rule is left out, and what is written computes the same on numbers that show why."""
        written, result = self.optimized("finite")
        self.assertIsNotNone(written, result.get("failure"))
        self.assertIn(rule, result["rules_left_out"]["not on this model's numbers"])
        self.assertNotIn(rule, result["rules_applied"])
        self.assertTrue(any("exact arithmetic" in warning for warning in result["warnings"]), result["warnings"])
        np.testing.assert_array_equal(run(self.model, feeds), run(written, feeds))


class FloatPromise(Promise):
    def test_constants_outward_in_half(self):
        save(self.model, np.float16, [4], [("Mul", ["x", "a"], "s"), ("Mul", ["s", "y"], "p"), ("Mul", ["p", "b"], "z")],
             ["x", "y"], {"a": [0.01] * 4, "b": [0.02] * 4})
        self.holds(np.float16, {"x": [300] * 4, "y": [300] * 4})

    def test_root_of_minus_zero(self):
        save(self.model, np.float32, [2], [("Neg", ["x"], "n"), ("Pow", ["n", "h"], "p"), ("Reciprocal", ["p"], "r"),
                                           ("Neg", ["r"], "m"), ("Relu", ["m"], "z")], ["x"], {"h": [0.5] * 2})
        self.holds(np.float32, {"x": [0, -4]}, fast_breaks=True, strict=True)

    def test_what_cancels_is_no_reason_to_write_nothing(self):
        save(self.model, np.float32, [2, 8], [("Add", ["x", "a"], "s"), ("Sub", ["s", "a"], "z")], ["x"], {"a": 1e25})
        self.suits_not("add-constants-meet", {"x": np.ones((2, 8), np.float32)})

    def test_what_the_runtime_spoils_by_its_own_rewriting_is_left_out(self):
        # By division all is infinite. A factor of 2e25 is too, but ONNX Runtime takes it into the filter, and infinite weights of
        # both signs make NaN.
        save(self.model, np.float32, [2, 1, 7], [("Conv", ["x", "w", "b"], "c"), ("Div", ["c", "a"], "s"), ("Div", ["s", "h"], "z")],
             ["x"], {"w": np.full([4, 1, 3], 1e30), "b": [100] * 4, "a": 1e-25, "h": 0.5}, result=[2, 4, 5])
        self.suits_not("mul-broadcasts", {"x": np.random.default_rng(0).standard_normal((2, 1, 7)).astype(np.float32)})

    def test_what_the_runtime_keeps_wider_is_left_out(self):
        # The norm is computed in float32, of which the transposition, for which there is a kernel, makes a float16 first; a reshape does
        # not, so that what is below itself rounded is not below itself kept wider.
        nodes = [helper.make_node("LpNormalization", ["x"], ["n"], axis=1, p=2), helper.make_node("ReduceMin", ["n"], ["m"], axes=[0, 1, 2, 3], keepdims=1),
                 helper.make_node("Abs", ["m"], ["a"]), helper.make_node("Reshape", ["a", "s"], ["r"]),
                 helper.make_node("Transpose", ["r"], ["t"], perm=[2, 0, 1]), helper.make_node("GatherElements", ["a", "i"], ["g"], axis=2),
                 helper.make_node("LessOrEqual", ["g", "t"], ["z"])]
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT16, [3, 5, 2, 3])],
                                  [helper.make_tensor_value_info("z", TensorProto.BOOL, [1, 1, 1, 1])],
                                  [numpy_helper.from_array(np.ones(3, np.int64), "s"), numpy_helper.from_array(np.zeros((1, 1, 1, 1), np.int64), "i")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.model)
        written, result = self.optimized("finite")
        self.assertIsNotNone(written, result.get("failure"))
        self.assertTrue(any("rounded to its type" in warning for warning in result["warnings"]), result["warnings"])


if __name__ == "__main__":
    unittest.main()
