"""workers/rounds.py: loops that go round as often as inputs say."""

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

from rounds import Rounds  # noqa: E402


class Remainder:
    """A model whose value `n` is x modulo 5, less 1."""

    def __init__(self):
        self.runs = 0

    def run(self, feed, names):
        self.runs += 1
        return [np.asarray(feed["x"] % 5 - 1) for _ in names]


class Seen(unittest.TestCase):
    def test_each_number_once(self):
        model = Remainder()
        rounds = Rounds([{"name": "n", "of": 4}], lambda names: model)
        self.assertEqual(rounds.report(True), [{"in_first": True, "name": "n", "seen": 0, "of": 4}])
        for x in (0, 1, 5, 3):  # -1 is no round, as 0 is
            rounds.add({"x": np.int64(x)})
        self.assertEqual(rounds.report(True), [{"in_first": True, "name": "n", "seen": 2, "of": 4}])
        self.assertFalse(rounds.fresh({"x": np.int64(8)}))
        self.assertTrue(rounds.fresh({"x": np.int64(9)}))
        for x in (9, 7):
            rounds.add({"x": np.int64(x)})
        self.assertEqual(rounds.report(True), [])
        before = model.runs
        rounds.add({"x": np.int64(7)})
        self.assertEqual(model.runs, before, "nothing is missing")

    def test_a_model_that_does_not_load_shows_nothing(self):
        rounds = Rounds([{"name": "n", "of": 2}], lambda names: None)
        rounds.add({"x": np.int64(1)})
        self.assertEqual(rounds.report(False), [{"in_first": False, "name": "n", "seen": 0, "of": 2}])


SUM = ("n = Mod (x, k) c = Constant <value_int = 1> () t = Cast <to = 9> (c) z = Constant <value_int = 0> () "
       "y = Loop (n, t, z) <body = b (int64 i, bool d, int64 v) => (bool e, int64 w) { e = Identity (d) w = Add (v, i) }>")
FORMULA = "n = Mod (x, k) o = Constant <value_int = 1> () m = Sub (n, o) p = Mul (n, m) t = Constant <value_int = 2> () y = Div (p, t)"


@unittest.skipIf(onnx is None, "onnx and onnxruntime are not installed")
class Loops(unittest.TestCase):
    def report(self, most, **request):
        import onnxruntime_worker as worker
        worker.channel.asked_to_cancel = lambda: False
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, body in (("a", SUM), ("b", FORMULA)):
                constant = f"k = Constant <value_int = {most}> () "
                text = f'<ir_version: 8, opset_import: ["" : 18]>\ng (int64 x) => (int64 y) {{ {constant}{body} }}'
                paths.append(f"{folder}/{name}.onnx")
                onnx.save(parser.parse_model(text), paths[-1])
            return worker.try_pair({"model_a": paths[0], "model_b": paths[1], "optimisation": "off",
                                    "rounds_a": [{"name": "n", "of": most}], **request}, lambda **what: None)

    def test_all_numbers_of_rounds_are_run(self):
        report = self.report(300, seconds=5)
        self.assertIsNone(report["found"])
        self.assertEqual(report["few_rounds"], [])

    def test_numbers_that_take_too_long_are_said(self):
        report = self.report(1 << 22, seconds=1)
        self.assertIsNone(report["found"])
        self.assertEqual(report["few_rounds"][0]["of"], 1 << 22)
        self.assertLess(report["few_rounds"][0]["seen"], 1 << 22)


if __name__ == "__main__":
    unittest.main()
