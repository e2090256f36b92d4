"""--target openvino: programs are timed and compared in OpenVINO, through the worker protocol. What needs it is skipped where no
Python has it: this one, or the one that ISOMER_OPENVINO_PYTHON names."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
HERE = importlib.util.find_spec("openvino") is not None
PYTHON = os.environ.get("ISOMER_OPENVINO_PYTHON") or (sys.executable if HERE else None)


def model(rows="rows"):
    """Two products with constants, one after the other, and a sigmoid."""
    rng = np.random.default_rng(0)
    weights = [numpy_helper.from_array((rng.standard_normal((256, 256)) / 16).astype(np.float32), n) for n in "vw"]
    nodes = [helper.make_node("MatMul", ["x", "v"], ["p"]), helper.make_node("MatMul", ["p", "w"], ["q"]),
             helper.make_node("Sigmoid", ["q"], ["y"])]
    ends = [[helper.make_tensor_value_info(n, TensorProto.FLOAT, [rows, 256])] for n in "xy"]
    return helper.make_model(helper.make_graph(nodes, "g", *ends, weights), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class OpenVino(unittest.TestCase):
    def optimize(self, python, *flags):
        with tempfile.TemporaryDirectory() as folder:
            path, out = Path(folder) / "m.onnx", Path(folder) / "o.onnx"
            onnx.save(model(), path)
            done = subprocess.run([PROGRAM, "-q", "optimize", path, "-o", out, "--json", "--target", "openvino", *flags], capture_output=True, text=True, env={**os.environ, "ISOMER_PYTHON": python})
            return done, onnx.load(out) if out.exists() else None

    @unittest.skipUnless(PYTHON, "no Python with openvino; ISOMER_OPENVINO_PYTHON may name one")
    def test_timed_and_compared_there(self):
        for flags in ((), ("--dim", "rows=64"), ("--measure-dim", "rows=48")):
            with self.subTest(flags):
                done, written = self.optimize(PYTHON, "--cost", "roofline:cpu", *flags)
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads(done.stdout)
                self.assertTrue(result["runtime"].startswith("openvino "), result["runtime"])
                self.assertTrue(result["verified"])
                self.assertIn("interleaved pairs", result["decision"])
                if result["changed"]:
                    self.assertIn("in openvino", result["verification"])
                    self.assertEqual([n.op_type for n in written.graph.node], ["MatMul", "Sigmoid"])

    @unittest.skipUnless(PYTHON, "no Python with openvino; ISOMER_OPENVINO_PYTHON may name one")
    def test_priced_there(self):
        """So it is where nothing else is said, and where it is asked for; ONNX Runtime still can be asked."""
        for flags, runtime in (((), "openvino"), (("--cost", "openvino"), "openvino"), (("--cost", "onnxruntime"), "onnxruntime")):
            with self.subTest(flags), tempfile.TemporaryDirectory() as folder:
                record = Path(folder) / "record.json"
                done, _ = self.optimize(PYTHON, "--record", record, *flags)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(json.loads(done.stdout)["cost_model"], runtime)
                self.assertEqual(json.loads(record.read_text())["numbers"]["price.refused"], 0)

    @unittest.skipUnless(PYTHON, "no Python with openvino; ISOMER_OPENVINO_PYTHON may name one")
    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "one core is all cores")
    def test_judged_on_one_thread_and_on_all_cores(self):
        """Unless it is asked for other threads; a second count is then not timed."""
        cores = len(os.sched_getaffinity(0))
        for flags, both in (((), True), (("--threads", str(cores)), False)):
            with self.subTest(flags):
                done, _ = self.optimize(PYTHON, "--cost", "roofline:cpu", "--dim", "rows=64", *flags)
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads(done.stdout)
                self.assertIn("interleaved pairs", result["decision"])
                (self.assertIn if both else self.assertNotIn)(f"on {cores} cores", result["decision"])
                (self.assertIsNotNone if both else self.assertIsNone)(result["speedup_all_cores"])

    @unittest.skipIf(HERE, "this Python has openvino")
    def test_missing(self):
        done, written = self.optimize(sys.executable)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("OpenVINO cannot be used", done.stderr)
        self.assertIn("pip install openvino", done.stderr)
        self.assertIsNone(written)


if __name__ == "__main__":
    unittest.main()
