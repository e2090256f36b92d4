"""Constants whose sum in double precision is not what ONNX Runtime adds up in single: folded they would change the
outputs, so the original is written, with a warning."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")


class LongSums(unittest.TestCase):
    def test_original_is_written(self):
        rng = np.random.default_rng(0)
        weights = numpy_helper.from_array(rng.standard_normal((2_000_000, 1)).astype(np.float32), "w")
        nodes = [helper.make_node("ReduceL1", ["w"], ["sum"], axes=[0], keepdims=1),
                 helper.make_node("Mul", ["x", "sum"], ["product"]),
                 helper.make_node("Relu", ["product"], ["once"]),
                 helper.make_node("Relu", ["once"], ["y"])]
        x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, 4]) for name in "xy")
        model = helper.make_model(helper.make_graph(nodes, "long_sum", [x], [y], [weights]),
                                  opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        with tempfile.TemporaryDirectory() as folder:
            read, written = Path(folder) / "m.onnx", Path(folder) / "o.onnx"
            onnx.save(model, read)
            run = subprocess.run([PROGRAM, "optimize", read, "-o", written, "--json", "--no-report", "--no-measure"],
                                 capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            said = json.loads(run.stdout)
            self.assertIn("constants, folded, are not what the runtime computes", said["decision"])
            self.assertTrue(any("outputs differ" in warning for warning in said["warnings"]), said["warnings"])
            self.assertTrue(said["verified"])
            self.assertEqual([node.op_type for node in onnx.load(written).graph.node],
                             ["ReduceL1", "Mul", "Relu", "Relu"])


if __name__ == "__main__":
    unittest.main()
