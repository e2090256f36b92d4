"""workers/conjunctions.py: models of which one forgets one of many comparisons that must hold at once."""

import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers"))

try:
    import onnx
    import onnxruntime
    from onnx import numpy_helper, parser
except ImportError:
    onnx = None

THIRD = np.arange(24) % 3 == 0
ORDER = np.array([3, 1, 4, 0, 5, 9, 2, 6, 8, 7, 10, 11])
STORED = {"z": [0], "m1": [-1], "m2": [-2], "one": [1], "far": [2 ** 62], "f0": np.float32(0), "third": THIRD, "order": ORDER, "k": [12], "k10": [10]}
ALL = "c = Cast <to = 6> (l) y = ReduceMin <keepdims = 0> (c, z)"


@unittest.skipIf(onnx is None, "onnx and onnxruntime are not installed")
class Conjunctions(unittest.TestCase):
    def report(self, one, other, inputs="float[24] x", operands=(("a", "b"), ("a", "b")), op="Less", seconds=20):
        import onnxruntime_worker as worker
        worker.channel.asked_to_cancel = lambda: False
        with tempfile.TemporaryDirectory() as folder:
            request = {"folder": folder, "optimisation": "off", "seconds": seconds}
            for side, body, two in (("a", one, operands[0]), ("b", other, operands[1])):
                model = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]>\ng ({inputs}) => (int32 y) {{ {body} }}')
                model.graph.initializer.extend(numpy_helper.from_array(np.array(v), k) for k, v in STORED.items())
                request[f"model_{side}"] = f"{folder}/{side}.onnx"
                onnx.save(model, request[f"model_{side}"])
                of_all = [{"name": "y", "op": "ReduceMin", "operands": ["l"], "can": [True, True]}] if "ReduceMin" in body else []
                request[f"conditions_{side}"] = [{"name": "l", "op": op, "operands": list(two), "can": [True, True]}, *of_all]
            return worker.try_pair(request, lambda **what: None)

    def is_told_apart(self, one, other, **what):
        self.assertEqual(self.report(one, other, **what)["found"]["kind"], "values")
        same = self.report(one, one, seconds=6, **{**what, "operands": (what["operands"][0],) * 2} if "operands" in what else what)
        self.assertIsNone(same["found"])
        self.assertEqual(same["unmet"], [], "all hold in some run, and not all in another")
        self.assertEqual(same["still"], [False])

    def test_all_but_the_last_rise(self):
        self.is_told_apart("a = Slice (x, z, m1) b = Slice (x, one, far) l = Less (a, b) " + ALL,
                           "a = Slice (x, z, m2) b = Slice (x, one, m1) l = Less (a, b) " + ALL)

    def test_all_but_the_first_are_below(self):
        self.is_told_apart("l = Less (x, w) " + ALL, "a = Slice (x, one, far) b = Slice (w, one, far) l = Less (a, b) " + ALL,
                           inputs="float[24] x, float[24] w", operands=(("x", "w"), ("a", "b")))

    def test_the_largest_but_for_the_first_is_below_the_least(self):
        ends = " b = ReduceMin <keepdims = 0> (w) l = Less (a, b) y = Cast <to = 6> (l)"
        self.is_told_apart("a = ReduceMax <keepdims = 0> (x)" + ends, "s = Slice (x, one, far) a = ReduceMax <keepdims = 0> (s)" + ends,
                           inputs="float[24] x, float[24] w")

    def test_all_signs_but_the_last_are_as_given(self):
        self.is_told_apart("a = Less (x, f0) l = Equal (a, third) " + ALL, "n = Less (x, f0) a = Slice (n, z, m1) b = Slice (third, z, m1) l = Equal (a, b) " + ALL,
                           operands=(("a", "third"), ("a", "b")), op="Equal")

    def test_an_order_but_for_its_last_two(self):
        top = "v, p = TopK <largest = 0> (x, %s) "
        self.is_told_apart(top % "k" + "l = Equal (p, order) " + ALL, top % "k10" + "b = Slice (order, z, k10) l = Equal (p, b) " + ALL,
                           inputs="float[12] x", operands=(("p", "order"), ("p", "b")), op="Equal")

    def test_what_is_never_seen_to_vary_is_told(self):
        floor = "a = Floor (x) b = Sub (a, x) l = Less (f0, b) c = Cast <to = 6> (l) y = ReduceMax <keepdims = 0> (c, z)"
        report = self.report(floor, floor, inputs="float[2] x", operands=(("f0", "b"),) * 2, seconds=3)
        self.assertEqual(report["still"], [True])


if __name__ == "__main__":
    unittest.main()
