"""Wall time of the main job against its time limit, on models that once went on for minutes: all but reading the model and
writing files ends by the limit, a tenth more and five seconds. ISOMER_PRODUCT is the side of the matrices whose product
would take too long to fold (default 9000: 0.65 GB on disk, some 2 GB of memory; 20000 takes 3.2 GB on disk)."""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
F = TensorProto.FLOAT


def value(name, *shape):
    return helper.make_tensor_value_info(name, F, shape)


def save(path, nodes, inputs, outputs, weights, **how):
    graph = helper.make_graph(nodes, "g", inputs, outputs, weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path, **how)


def product(path, side):
    """x a b: folding a b takes side^3 multiply-adds."""
    rng = np.random.default_rng(0)
    weights = []
    for name in "ab":
        matrix = rng.standard_normal((side, side), dtype=np.float32)
        matrix *= side ** -0.5
        weights.append(numpy_helper.from_array(matrix, name))
    save(path, [helper.make_node("MatMul", ["x", "a"], ["p"]), helper.make_node("MatMul", ["p", "b"], ["y"])],
         [value("x", 1, side)], [value("y", 1, side)], weights, save_as_external_data=True, location=path.name + ".data")


def many_outputs(path, count, negations):
    """Outputs that have nothing in common but x; with `negations`, a rewrite in each."""
    nodes, outputs, weights = [], [], []
    for i in range(count):
        weights.append(numpy_helper.from_array(np.float32(i + 1).reshape(()), f"c{i}"))
        nodes.append(helper.make_node("Add", ["x", f"c{i}"], [f"a{i}"]))
        last = f"a{i}"
        for k in range(2 if negations else 0):
            nodes.append(helper.make_node("Neg", [last], [f"n{i}_{k}"]))
            last = f"n{i}_{k}"
        nodes.append(helper.make_node("Tanh", [last], [f"y{i}"]))
        outputs.append(value(f"y{i}", 8, 8))
    save(path, nodes, [value("x", 8, 8)], outputs, weights)


class WallTime(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="isomer-limits-")
        self.path = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def check(self, limit, *flags):
        """The result of a run that has kept to its limit."""
        model, record = self.path / "m.onnx", self.path / "record.json"
        begin = time.time()
        done = subprocess.run([PROGRAM, "-q", "optimize", model, "-o", self.path / "o.onnx", "--json", "--record", record,
                               "--time-limit", f"{limit}s", *flags], capture_output=True, text=True)
        seconds = time.time() - begin
        self.assertEqual(done.returncode, 0, done.stderr)
        phases = {p["name"]: p for p in json.loads(record.read_text())["phases"]}
        own = seconds - phases["read"]["wall_seconds"] - phases["write"]["wall_seconds"]
        told = ", ".join(f"{name} {p['wall_seconds']:.2f}" for name, p in phases.items() if p["wall_seconds"] > 0.01)
        print(f"\n{self.id().split('.')[-1]}: {own:.1f} s of {1.1 * limit + 5:.1f} s ({told})", file=sys.stderr)
        self.assertLess(own, 1.1 * limit + 5)
        result = json.loads(done.stdout)
        self.assertTrue(result["verified"])
        return result

    def test_a_product_that_cannot_be_folded_in_time(self):
        product(self.path / "m.onnx", int(os.environ.get("ISOMER_PRODUCT", "9000")))
        result = self.check(10)
        self.assertFalse(result["changed"])
        self.assertIn("folding its constants takes longer", result["decision"])

    def test_five_thousand_outputs(self):
        many_outputs(self.path / "m.onnx", 5000, negations=False)
        self.check(10)

    def test_a_thousand_rewrites(self):
        many_outputs(self.path / "m.onnx", 1000, negations=True)
        self.check(10, "--cost", "roofline:cpu")


if __name__ == "__main__":
    unittest.main()
