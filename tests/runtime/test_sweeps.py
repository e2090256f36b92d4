"""workers/sweeps.py: all combinations of integers of few values, and every two bytes of what is more."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers"))

try:
    import onnx
    import onnxruntime
    from onnx import numpy_helper, parser
except ImportError:
    onnx = None

from draws import Candidates, Drawer  # noqa: E402
from element_types import NUMPY_OF  # noqa: E402
from sampling import Sampler  # noqa: E402
from sweeps import ROWS, Sweep  # noqa: E402


def sweep(bounds=None, **inputs):
    arguments = [{"name": name, "dtype": dtype, "shape": shape} for name, (dtype, shape) in inputs.items()]
    return Sweep(Drawer(Sampler({"bounds": bounds or {}}), arguments, Candidates([], []), NUMPY_OF))


def pairs(feeds, one, two):
    """How many pairs of bytes two views of the inputs take."""
    return len({(int(a), int(b)) for feed in feeds for a, b in zip(one(feed).ravel(), two(feed).ravel())})


class Combinations(unittest.TestCase):
    def every(self, s):
        decks, count, whole = s.combinations()
        seen = {tuple(int(v) for tensor in feed.values() for v in tensor.ravel()) for feed in s.every(decks, count)}
        self.assertEqual(len(seen), count)
        return count, whole

    def test_all_inputs_there_are(self):
        self.assertEqual(self.every(sweep(x=("u8", [1]), z=("i8", []))), (65536, True))
        self.assertEqual(self.every(sweep(x=("bool", [3]), z=("bool", [2, 2]))), (128, True))
        self.assertEqual(self.every(sweep(x=("i16", [1]))), (65536, True))
        self.assertEqual(self.every(sweep({"x": {"low": 0, "high": 3}}, x=("u8", [2]))), (65536, True))

    def test_all_that_a_program_asks_for(self):
        self.assertEqual(self.every(sweep({"x": {"low": 0, "high": 30}}, x=("i64", [2]))), (3600, False))  # and from the end
        self.assertEqual(self.every(sweep({"x": {"low": 0, "high": 0, "values": [0, 1]}}, x=("i64", [4]))), (16, False))

    def test_too_many(self):
        self.assertIsNone(sweep(x=("u8", [4])).combinations())
        self.assertIsNone(sweep(x=("i64", [1])).combinations())
        self.assertIsNone(sweep(x=("u8", [1]), z=("f32", [1])).combinations())
        self.assertIsNone(sweep({"x": {"low": 0, "high": 30000}}, x=("i64", [2])).combinations())


class Pairs(unittest.TestCase):
    def test_two_inputs_element_by_element(self):
        s = sweep(x=("u8", [64]), z=("u8", [64]), w=("i8", [64]))
        runs, feeds = s.beside()
        feeds = list(feeds)
        self.assertEqual((runs, len(feeds)), (1024, 1024))
        for one, two in ("xz", "xw", "zw"):
            self.assertEqual(pairs(feeds, lambda f: f[one], lambda f: f[two]), ROWS)

    def test_neighbours_of_one_input(self):
        runs, feeds = sweep(x=("u8", [4, 128])).beside()
        self.assertLess(runs, 130)
        self.assertEqual(pairs(list(feeds), lambda f: f["x"].ravel()[:-1], lambda f: f["x"].ravel()[1:]), ROWS)

    def test_every_two_elements(self):
        runs, feeds = sweep(x=("u8", [3]), z=("u8", [2]), k=("f32", [2])).across()
        feeds = list(feeds)
        self.assertEqual((runs, len(feeds)), (ROWS, ROWS))
        for one, two in ((lambda f: f["x"][:1], lambda f: f["x"][2:]), (lambda f: f["x"][1:2], lambda f: f["z"][1:])):
            self.assertEqual(pairs(feeds, one, two), ROWS)
        self.assertEqual(sweep(x=("u8", [300])).across()[0], 0)

    def test_every_value_of_sixteen_bits(self):
        few, all_of_each = sweep(x=("u16", [3]), z=("i16", [2]), k=("f32", [2])).alone()
        self.assertEqual((few[0], all_of_each[0]), (ROWS // 2, ROWS))
        for feeds, part in ((list(few[1]), slice(None)), (list(all_of_each[1]), slice(1, 2))):
            for name in "xz":
                self.assertEqual(len(np.unique([f[name][part] for f in feeds])), ROWS)
        self.assertEqual(sweep(x=("u8", [3]), z=("i32", [2])).alone(), [])
        ((rows, feeds),) = sweep({"x": {"low": 0, "high": 1000}}, x=("u16", [512]),).alone()
        self.assertEqual((rows, len(np.unique([f["x"] for f in feeds]))), (128, 1000))

    def test_bounds_are_kept(self):
        _, feeds = sweep({"x": {"low": 0, "high": 100}}, x=("u8", [64]), z=("u8", [64])).beside()
        feeds = list(feeds)
        self.assertLess(max(int(f["x"].max()) for f in feeds), 100)
        self.assertEqual(pairs(feeds, lambda f: f["x"], lambda f: f["z"]), 100 * 256)

    def test_what_holds_no_bytes(self):
        for s in (sweep(x=("i64", [4])), sweep(x=("f32", [4])), sweep(x=("bool", [40])), sweep(x=("u8", [0])), sweep(x=("u8", []))):
            self.assertEqual((s.beside()[0], s.across()[0]), (0, 0))


@unittest.skipIf(onnx is None, "onnx and onnxruntime are not installed")
class Models(unittest.TestCase):
    """Tables that differ at one pair of bytes."""

    def tried(self, inputs, body, one=(20, 17), output="y", **request):
        import onnxruntime_worker as worker
        worker.channel.asked_to_cancel = lambda: False
        table = np.random.default_rng(3).standard_normal(ROWS).astype(np.float32)
        with tempfile.TemporaryDirectory() as folder:
            for name, more in (("a", 0), ("b", 1)):
                model = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]>\ng ({inputs}) => (float[{output}] y) {{ {body} }}')
                other = table.copy()
                if one:
                    other[one[0] * 256 + one[1]] += more
                model.graph.initializer.extend([numpy_helper.from_array(other, "t"), numpy_helper.from_array(np.int64(256), "k")])
                onnx.save(model, f"{folder}/{name}.onnx")
            return worker.try_pair({"model_a": f"{folder}/a.onnx", "model_b": f"{folder}/b.onnx", "optimisation": "off", "seconds": 600, **request},
                                   lambda **what: None)

    TWO = "a = Cast <to = 7> (x) b = Cast <to = 7> (z) h = Mul (a, k) i = Add (h, b) y = Gather (t, i)"

    @mock.patch("trials.WHOLE", 250.0)  # a machine with other work needs more than the twelve seconds that users give
    def test_two_bytes(self):  # that all of them are run where nothing differs: tests/golden/verify/every.test
        report = self.tried("uint8[1] x, uint8[1] z", self.TWO)
        self.assertEqual(report["found"]["way"], "every")

    def test_two_of_many_bytes(self):
        for inputs, body in (("uint8[64] x, uint8[64] z", self.TWO), ("uint8[n] x, uint8[n] z", self.TWO),
                             ("uint8[4] w", "x, v, u, z = Split <num_outputs = 4> (w)" + self.TWO)):
            report = self.tried(inputs, body, sizes=[{"n": 3}] if "n]" in inputs else [])
            self.assertEqual(report["found"]["way"], "pairs", inputs)
            self.assertIsNone(report["all_inputs"])

    def test_one_value_of_sixteen_bits(self):
        for inputs in ("uint16[3] x", "uint16[3] x, uint16[3] z"):
            report = self.tried(inputs, "i = Cast <to = 7> (x) y = Gather (t, i)")
            self.assertEqual(report["found"]["way"], "values", inputs)

    def test_no_time_is_no_proof(self):
        report = self.tried("uint8[1] x, uint8[1] z", self.TWO, one=None, seconds=0.2)
        self.assertIsNone(report["all_inputs"])

    def test_sizes_that_vary_are_not_all_inputs(self):
        report = self.tried("bool[n] x", "a = Cast <to = 7> (x) y = Gather (t, a)", one=None, sizes=[{"n": 3}])
        self.assertIsNone(report["all_inputs"])
        self.assertGreaterEqual(report["ways"]["every"], 8)


if __name__ == "__main__":
    unittest.main()
