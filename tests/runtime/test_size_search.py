"""workers/size_search.py: sizes that the programs name, and sizes at which conditions of sizes turn."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers"))

from size_search import all_sizes, named_sizes, related_sizes  # noqa: E402
from test_steering import PairReports, condition, onnx  # noqa: E402

BASE = {"n": 3, "m": 5}


class Sizes(unittest.TestCase):
    def test_named_ones_and_every_two_whose_product_they_are(self):
        sizes = [(s["n"], s["m"]) for s in named_sizes(["n", "m"], BASE, [77, 12, -4, 1, 1 << 40])]
        self.assertEqual(sizes, [(12, 5), (3, 12), (77, 5), (3, 77), (2, 6), (3, 4), (7, 11), (6, 2), (4, 3), (11, 7)])
        self.assertEqual(named_sizes(["n"], {"n": 3}, [6]), [{"n": 6}])

    def test_squares_doubles_and_neighbours(self):
        sizes = related_sizes(["n", "m"], BASE)
        for two in ((2, 4), (4, 2), (9, 3), (3, 6), (3, 4)):
            self.assertIn(dict(zip("nm", two)), sizes)
        self.assertEqual(related_sizes(["n"], {"n": 3}), [])

    def test_what_is_asked_about(self):
        sizes = list(all_sizes(["n"], {"n": 3}, [100000]))
        self.assertEqual(sizes[:4], [{"n": 3}, {"n": 100000}, {"n": 99999}, {"n": 100001}])
        self.assertIn({"n": 1999}, sizes)
        self.assertIn({"n": 41, "m": 47}, all_sizes(["n", "m"], BASE, []))


@unittest.skipIf(onnx is None, "onnx and onnxruntime are not installed")
class Pairs(PairReports):
    def of_sizes(self, body, asked, dims="n", **numbers):
        conditions = [{**condition(*c), "of_sizes": True} for c in asked]
        self.base = {"n": 3} if dims == "n" else BASE
        return self.report(body, "y = Identity (x)", conditions, f"(float[{dims}] x) => (float[{dims}] y)", sizes=[self.base], **numbers)

    def test_one_length_alone(self):
        report = self.of_sizes("c = Size (x) e = Equal (c, k) o = Neg (x) y = Where (e, o, x)", [("e", "Equal", "c", "k")], k=np.int64(73))
        self.assertEqual((report["found"]["kind"], report["found"]["sizes"]), ("values", {"n": 73}))
        self.assertLess(report["runs"], 500)

    def test_a_product_and_a_square(self):
        shape = "s = Shape (x) r, c = Split <axis = 0, num_outputs = 2> (s) o = Neg (x) "
        report = self.of_sizes(shape + "p = Mul (r, c) e = Equal (p, k) y = Where (e, o, x)", [("e", "Equal", "p", "k")], "n, m", k=np.array([77]))
        self.assertEqual(report["found"]["sizes"]["n"] * report["found"]["sizes"]["m"], 77)
        report = self.of_sizes(shape + "q = Mul (c, c) e = Equal (r, q) g = Greater (c, k) h = And (e, g) y = Where (h, o, x)",
                               [("e", "Equal", "r", "q"), ("g", "Greater", "c", "k"), ("h", "And", "e", "g")], "n, m", k=np.array([2]))
        self.assertEqual(report["found"]["sizes"], {"n": 9, "m": 3})

    def test_what_no_size_turns_is_reported(self):
        body = "c = Size (x) q = Mul (c, c) e = Equal (q, k) o = Neg (x) y = Where (e, o, x)"
        report = self.of_sizes(body, [("e", "Equal", "q", "k")], seconds=2, k=np.int64(3000))
        self.assertIsNone(report["found"])
        self.assertEqual(report["unmet"], [{"in_first": True, "name": "e", "never": True, "of_sizes": True}])


if __name__ == "__main__":
    unittest.main()
