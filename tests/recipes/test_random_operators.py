"""Models that draw random numbers without a seed: two runs of one differ, so outputs that depend on them cannot be compared
by value. They are optimised all the same: the rest is compared, the whole shown to be the program that was read or an equal
one for the same draws, and what was not compared is said."""

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
NEGATED_TWICE = [helper.make_node("Neg", ["x"], ["n"]), helper.make_node("Neg", ["n"], ["p"]),
                 helper.make_node("Mul", ["p", "p"], ["square"])]


def dropout(value, **attributes):
    return [helper.make_node("Dropout", [value, "ratio", "training"], ["noise"], **attributes)]


UNSEEDED = {
    "dropout": dropout("p"),
    "dropout with a seed, which ONNX Runtime may leave out": dropout("p", seed=3),
    "normal": [helper.make_node("RandomNormal", [], ["noise"], shape=[4, 8])],
    "uniform": [helper.make_node("RandomUniformLike", ["p"], ["noise"])],
    "multinomial": [helper.make_node("Softmax", ["p"], ["s"]), helper.make_node("Multinomial", ["s"], ["m"], sample_size=8),
                    helper.make_node("Cast", ["m"], ["noise"], to=TensorProto.FLOAT)],
    "bernoulli": [helper.make_node("Sigmoid", ["p"], ["s"]), helper.make_node("Bernoulli", ["s"], ["noise"])],
    "within a body": [helper.make_node("If", ["training"], ["noise"], **{
        branch: helper.make_graph([helper.make_node("RandomUniformLike", ["p"], ["drawn_" + branch])], branch, [],
                                  [helper.make_tensor_value_info("drawn_" + branch, TensorProto.FLOAT, [4, 8])])
        for branch in ("then_branch", "else_branch")})],
    "within a function": [helper.make_node("Noisy", ["p"], ["noise"], domain="own")],
}
# The interpreter draws for what is not random elsewhere: it has to know of which type.
KNOWN_TYPES = ["dropout", "uniform", "bernoulli"]


def save(path, drawing, outputs):
    """y = p + noise, square = p p, and p = -(-x)."""
    nodes = [*NEGATED_TWICE, *drawing, helper.make_node("Add", ["noise", "p"], ["y"])]
    constants = [numpy_helper.from_array(np.array(0.5, np.float32), "ratio"), numpy_helper.from_array(np.array(True), "training")]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 8])],
                              [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, 8]) for name in outputs], constants)
    function = helper.make_function("own", "Noisy", ["a"], ["b"], [helper.make_node("RandomNormalLike", ["a"], ["b"])],
                                    [helper.make_opsetid("", 17)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("own", 1)], ir_version=8,
                              functions=[function])
    onnx.save(model, path)


class RandomOperators(unittest.TestCase):
    def optimize(self, drawing, outputs, *flags):
        with tempfile.TemporaryDirectory() as folder:
            model, out = Path(folder) / "m.onnx", Path(folder) / "o.onnx"
            save(model, drawing, outputs)
            done = subprocess.run([PROGRAM, "-q", "optimize", model, "-o", out, "--json", "--no-measure", "--cost",
                                   "roofline:cpu", *flags], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            self.assertTrue(result["verified"])
            session = ort.InferenceSession(out, providers=["CPUExecutionProvider"])
            x = np.random.default_rng(1).standard_normal((4, 8)).astype(np.float32)
            if "square" in outputs:
                np.testing.assert_allclose(session.run(["square"], {"x": x})[0], x * x, rtol=1e-5)
            return result

    def test_a_copy_is_written_and_said_to_be_one(self):
        for name, drawing in UNSEEDED.items():
            with self.subTest(name):
                result = self.optimize(drawing, ["y"], "--no-rewrite")
                self.assertEqual(result["not_compared"], ["y"])
                self.assertIsNone(result["max_relative_error"])
                self.assertIn("output y depends on random operators; not compared by value", result["verification"])
                self.assertIn("reads back as the very program", result["verification"])

    def test_rewrites_around_them_are_verified(self):
        for name, drawing in UNSEEDED.items():
            with self.subTest(name):
                result = self.optimize(drawing, ["y", "square"])
                if name in KNOWN_TYPES:
                    self.assertTrue(result["changed"], result["decision"])
                if result["changed"]:
                    self.assertEqual(result["not_compared"], ["y"])
                    self.assertIn("the other outputs", result["verification"])
                    self.assertLess(result["nodes_after"], result["nodes_before"])
                else:
                    self.assertIn("could not be compared", result["decision"])
                    self.assertEqual(result["verification"], "the file is the input, byte for byte")

    def test_with_a_seed_or_without_training_all_is_compared(self):
        no_training = helper.make_node("Constant", [], ["never"], value=numpy_helper.from_array(np.array(False)))
        idle = [no_training, helper.make_node("Dropout", ["p", "ratio", "never"], ["noise", "mask"])]
        seeded = {"idle": idle,
                  "normal": [helper.make_node("RandomNormal", [], ["noise"], shape=[4, 8], seed=1.0)]}
        for name, drawing in seeded.items():
            with self.subTest(name):
                result = self.optimize(drawing, ["y"])
                self.assertEqual(result["not_compared"], [])
                self.assertIsNotNone(result["max_relative_error"])


if __name__ == "__main__":
    unittest.main()
