"""workers/definition.py: what ONNX says where a runtime tells two models apart."""

import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers"))

try:
    import onnx
    from onnx import parser
except ImportError:
    onnx = None

from definition import alike, denies  # noqa: E402

X = np.array([1 << 33, -5, 0, 2])
HELD = np.array([3, -3, 0, 2])


class Alike(unittest.TestCase):
    def test_floats_by_the_largest_and_integers_exactly(self):
        one = [np.float32([1, 1000])]
        self.assertTrue(alike(one, [np.float32([1.05, 1000])], [1e-4]))
        self.assertFalse(alike(one, [np.float32([1.2, 1000])], [1e-4]))
        self.assertFalse(alike(one, [np.float32([np.nan, 1000])], [1e-4]))
        self.assertFalse(alike([X], [X + 1], [1e-4]))
        self.assertFalse(alike([X], [X.astype(np.int32)], [1e-4]))
        self.assertFalse(alike([[1]], [[1]], [1e-4]), "sequences are not looked into")


@unittest.skipIf(onnx is None, "onnx is not installed")
class Denies(unittest.TestCase):
    def denied(self, b, one, two, others=None):
        ends = "k = Constant <value_int = 3> () l = Constant <value_int = -3> () "
        small = np.array([1, -1, 0, 2])
        others = [(small, small, small)] * 6 if others is None else others
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, body in (("a", "y = Clip (x, l, k)"), ("b", b)):
                paths.append(f"{folder}/{name}.onnx")
                onnx.save(parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]>\ng (int64[4] x) => (int64[4] y) {{ {ends} {body} }}'), paths[-1])
            return denies(paths, ({"x": X}, [one], [two]), [({"x": x}, [y], [z]) for x, y, z in others], [1e-4])

    def test_a_kernel_that_departs(self):
        equal = "a = Min (x, k) y = Max (a, l)"
        self.assertTrue(self.denied(equal, X, HELD))
        self.assertFalse(self.denied(equal, HELD, HELD), "the runtime departs from nothing")
        small = np.array([1, -1, 0, 2])
        self.assertTrue(self.denied(equal, X, HELD, [(small, small, small)] * 8 + [(X, X, X)] * 2))
        self.assertFalse(self.denied(equal, X, HELD, [(X, X, HELD)] * 6), "it departs wherever it was run: who is wrong?")
        self.assertFalse(self.denied(equal, X, HELD, []), "nothing speaks for the evaluator")

    def test_models_that_differ_by_definition(self):
        self.assertFalse(self.denied("y = Max (x, l)", X, HELD))

    def test_what_the_evaluator_does_not_know(self):
        self.assertFalse(self.denied("y = com.none.Strange (x)", X, HELD))


if __name__ == "__main__":
    unittest.main()
