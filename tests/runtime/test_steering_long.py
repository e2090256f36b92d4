"""Pairs of equal models with conditions that have to be met (test_steering.py): all that is tried is."""

import sys
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from test_steering import PairReports, condition, onnx  # noqa: E402


@unittest.skipIf(onnx is None, "onnx and onnxruntime are not installed")
class EqualPairs(PairReports):
    def test_a_condition_behind_a_product(self):
        report = self.report("a = Mul (x, m) c = Equal (a, k) y = Where (c, x, x)", "y = Identity (x)",
                             [condition("c", "Equal", "a", "k")], **self.NUMBERS)
        self.assertEqual((report["found"], report["unmet"]), (None, []))
        self.assertGreater(report["ways"]["steered"], 0)

    def test_a_condition_that_is_an_output(self):
        body = "c = Equal (x, k) y = Where (c, z, x)"
        report = self.report(body, body, [condition("c", "Equal", "x", "k")], "(int32[2] x) => (int32[2] y, bool[2] c)", **self.NUMBERS)
        self.assertEqual((report["found"], report["unmet"]), (None, []))

    def test_what_was_never_met_is_named(self):
        report = self.report("a = Mul (x, x) b = BitwiseAnd (a, m) c = Equal (b, m) y = Where (c, z, x)", "y = Identity (x)",
                             [condition("c", "Equal", "b", "m")], **self.NUMBERS)
        self.assertIsNone(report["found"])
        self.assertEqual(report["unmet"], [{"in_first": True, "name": "c", "never": True}])

    @mock.patch("trials.WHOLE", 250.0)  # a machine with other work needs more than the twelve seconds that users give
    def test_inputs_that_are_all_run_miss_nothing(self):
        report = self.report("a = Mul (x, x) b = BitwiseAnd (a, m) c = Equal (b, m) y = Where (c, z, x)", "y = Identity (x)",
                             [condition("c", "Equal", "b", "m")], "(int8[2] x) => (int8[2] y)", seconds=80, m=np.int8(3), z=np.int8(0))
        self.assertEqual((report["found"], report["unmet"]), (None, []))
        self.assertEqual(report["all_inputs"]["count"], 1 << 16)


if __name__ == "__main__":
    unittest.main()
