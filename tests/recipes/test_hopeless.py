"""A model of which rules can only change what is nothing beside the rest: nothing of what they lead to is measured or timed."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
SIDE = 1024


def model(path, rows):
    """Two products of so many rows, with an activation between them; beside them two transpositions that undo each other."""
    rng = np.random.default_rng(0)
    weights = [numpy_helper.from_array((rng.standard_normal((SIDE, SIDE)) / 32).astype(np.float32), name) for name in ("w1", "w2")]
    nodes = [helper.make_node("MatMul", ["x", "w1"], ["h"]), helper.make_node("Tanh", ["h"], ["t"]), helper.make_node("MatMul", ["t", "w2"], ["y"]),
             helper.make_node("Transpose", ["s"], ["a"], perm=[1, 0]), helper.make_node("Transpose", ["a"], ["b"], perm=[1, 0]),
             helper.make_node("Tanh", ["b"], ["z"])]
    value = helper.make_tensor_value_info
    inputs = [value("x", TensorProto.FLOAT, [rows, SIDE]), value("s", TensorProto.FLOAT, [64, 48])]
    outputs = [value("y", TensorProto.FLOAT, [rows, SIDE]), value("z", TensorProto.FLOAT, [64, 48])]
    graph = helper.make_graph(nodes, "mostly_products", inputs, outputs, weights)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


class Hopeless(unittest.TestCase):
    def run_on(self, rows, *flags):
        with tempfile.TemporaryDirectory() as folder:
            model(Path(folder) / "model.onnx", rows)
            done = subprocess.run([PROGRAM, "-q", "optimize", Path(folder) / "model.onnx", "-o", Path(folder) / "out.onnx", "--json", "--record",
                                   Path(folder) / "record.json", *flags], capture_output=True, text=True,
                                  env={**os.environ, "ISOMER_CACHE": f"{folder}/store"})
            self.assertEqual(done.returncode, 0, done.stderr)
            steps = {step["name"]: step for step in json.loads((Path(folder) / "record.json").read_text())["phases"]}
            return json.loads(done.stdout), steps

    def test_nothing_is_timed_where_no_gain_could_be_shown(self):
        result, steps = self.run_on(512)
        self.assertFalse(result["changed"])
        self.assertRegex(result["decision"], r"all that could be rewritten may save 0\.\d\d % at most")
        self.assertIn("cannot matter", steps["price"]["outcome"])
        self.assertNotIn("candidate", steps["extract"]["outcome"])

    def test_it_is_where_the_same_is_much_of_the_model(self):
        result, _ = self.run_on(1)
        self.assertNotIn("could be rewritten", result["decision"])

    def test_by_cost_alone_all_is_priced_and_it_is_written(self):
        result, steps = self.run_on(512, "--no-measure")
        self.assertTrue(result["changed"], result["decision"])
        self.assertEqual(result["nodes_after"], 4)
        self.assertNotIn("cannot matter", steps["price"]["outcome"])
        self.assertNotIn("guessed", steps["price"]["outcome"])

    def test_all_is_priced_where_a_search_follows(self):
        _, steps = self.run_on(512, "--search", "mcts", "--time-limit", "10")
        self.assertNotIn("cannot matter", steps["price"]["outcome"])


if __name__ == "__main__":
    unittest.main()
