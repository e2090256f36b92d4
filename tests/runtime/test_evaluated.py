"""workers/evaluated.py: where ONNX's reference evaluator is believed."""

import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers"))

try:
    import onnx
    import onnxruntime
    from onnx import parser
except ImportError:
    onnx = None


@unittest.skipIf(onnx is None, "onnx and onnxruntime are not installed")
class HeldToRuntime(unittest.TestCase):
    def held(self, body, inputs, outputs, **feed):
        from evaluated import held_to_runtime

        class Opened:
            def __init__(self, data):
                self.session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])

            def run(self, fed):
                return self.session.run(None, fed)

        model = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]>\ng ({inputs}) => ({outputs}) {{ {body} }}')
        with tempfile.TemporaryDirectory() as folder:
            onnx.save(model, f"{folder}/m.onnx")
            return held_to_runtime(f"{folder}/m.onnx", [feed], Opened)

    def test_what_cancels_is_held_to_what_it_is_made_of(self):
        x = np.random.default_rng(1).standard_normal(1000).astype(np.float32)
        agreed, departs = self.held("m = ReduceMean (x) d = Sub (x, m) y = ReduceSum (d)", "float[1000] x", "float[1] y", x=x)
        self.assertEqual((agreed, departs), (3, ""))

    def test_what_the_evaluator_cannot_do_at_all_is_said(self):
        agreed, departs = self.held("y = ReduceLogSum (x)", "int32[3] x", "int32[1] y", x=np.array([1, 2, 3], np.int32))
        self.assertEqual(agreed, 0)
        self.assertIn("all that it is asked", departs)


if __name__ == "__main__":
    unittest.main()
