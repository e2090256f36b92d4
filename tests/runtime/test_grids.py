"""workers/grids.py: small integers, vectors of few values, all orders, floats of every size."""

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

from draws import Candidates, Drawer  # noqa: E402
from element_types import NUMPY_OF  # noqa: E402
from grids import Grids  # noqa: E402
from sampling import Sampler  # noqa: E402


def grids(bounds=None, named=(), **inputs):
    arguments = [{"name": name, "dtype": dtype, "shape": shape} for name, (dtype, shape) in inputs.items()]
    return Grids(Drawer(Sampler({"bounds": bounds or {}}), arguments, Candidates([], named), NUMPY_OF))


def rows(of, names="x"):
    (count, feeds), *_ = of
    out = [tuple(v for name in names for v in feed[name].ravel().tolist()) for feed in feeds]
    assert len(out) == count
    return out


class Integers(unittest.TestCase):
    def test_one_number_up_to_thousands(self):
        seen = rows(grids(x=("i64", [])).counted())
        self.assertEqual(seen[:5], [(0,), (1,), (-1,), (2,), (-2,)])
        self.assertLessEqual({(v,) for v in range(-16384, 49152)}, set(seen))
        self.assertEqual(rows(grids(x=("u32", [1])).counted())[:3], [(0,), (1,), (2,)])

    def test_two_and_three_together(self):
        seen = rows(grids(x=("i64", []), z=("i64", [1])).counted(), "xz")
        self.assertEqual(len(set(seen)), 65536)
        self.assertIn((55, 89), seen[:40000])
        self.assertIn((8, 15, 17), rows(grids(x=("i32", [3])).counted()))

    def test_all_of_few_between_two_numbers_that_are_named(self):
        of = grids(named=[6, 10, 97], x=("i64", [5])).between()
        seen = {tuple(feed["x"].tolist()) for _, feeds in of for feed in feeds}
        self.assertLessEqual({(7, 9, 8, 8, 7), (10, 6, 6, 6, 10)}, seen)
        self.assertEqual(sum(count for count, _ in of), 5 ** 5, "nothing else is near, or few enough")
        narrow = grids(named=[6, 10], x=("i64", [7])).between()
        self.assertEqual([count for count, _ in narrow], [3 ** 7], "without the ends")
        self.assertEqual(grids(named=[6, 10], x=("i64", [])).between(), [])

    def test_many_at_one_place(self):
        s = grids(x=("i32", [300]), z=("i32", [300])).counted()
        self.assertEqual(len(s), 1)
        count, feeds = s[0]
        pairs = {(int(a), int(b)) for feed in feeds for a, b in zip(feed["x"], feed["z"])}
        self.assertEqual((count, len(pairs)), (219, 65536))

    def test_bounds_are_kept(self):
        seen = rows(grids({"x": {"low": 0, "high": 30}}, x=("i64", [2])).counted())
        self.assertEqual(set(seen), {(a, b) for a in range(30) for b in range(30)})
        self.assertEqual(grids(x=("u8", [4]), z=("f32", [4])).counted(), [])


class Floats(unittest.TestCase):
    def test_vectors_and_orders(self):
        vectors, orders = grids(x=("f32", [4])).few()
        self.assertEqual(len(set(rows([vectors]))), 81)
        self.assertEqual(len(set(rows([orders]))), 24)
        (zeros_and_ones,) = grids(x=("f32", [10])).few()
        self.assertEqual(len(set(rows([zeros_and_ones]))), 1024)
        self.assertEqual(grids(x=("f32", [13]), z=("i64", [2])).few(), [])
        self.assertEqual(len(set(rows(grids(x=("f32", [2]), z=("f16", [1])).few(), "xz"))), 27)

    def test_every_size(self):
        for shape in ([], [3], [5, 100]):
            seen = np.abs(np.concatenate([feed["x"].ravel() for _, feeds in grids(x=("f32", shape)).magnitudes() for feed in feeds]))
            seen = np.unique(seen[seen > 0])
            self.assertTrue(seen[0] < 2e-6 and seen[-1] > 9e5)
            self.assertLess(np.max(seen[1:] / seen[:-1]), 1.04)

    def test_beside_halves_and_what_is_named(self):
        drawer = grids(x=("f32", [4])).drawer
        drawer.candidates = Candidates([37.0, 1e-12, 1e39], [])
        seen = {v for feed in Grids(drawer).beside()[0][1] for v in feed["x"].tolist()}
        below = np.nextafter(np.float32(37), np.float32(0))
        self.assertLessEqual({float(below), -float(below), 0.5 - 2.0 ** -25, 0.5 + 2.0 ** -24}, seen)
        self.assertFalse({37.0, 0.5, np.inf} & seen)

    def test_halves(self):
        seen = {v for feed in grids(x=("f16", [3])).halves()[0][1] for v in feed["x"].tolist()}
        self.assertLessEqual({-5.0, 4.5, 0.125, -0.5, 0.0}, seen)


@unittest.skipIf(onnx is None, "onnx and onnxruntime are not installed")
class Models(unittest.TestCase):
    def way(self, a, b, inputs, outputs, constants, **request):
        """How the difference was found."""
        import onnxruntime_worker as worker
        worker.channel.asked_to_cancel = lambda: False
        with tempfile.TemporaryDirectory() as folder:
            for name, body in (("a", a), ("b", b)):
                model = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]>\ng ({inputs}) => ({outputs}) {{ {body} }}')
                model.graph.initializer.extend(numpy_helper.from_array(value, key) for key, value in constants.items())
                onnx.save(model, f"{folder}/{name}.onnx")
            report = worker.try_pair({"model_a": f"{folder}/a.onnx", "model_b": f"{folder}/b.onnx", "optimisation": "off", "seconds": 300, **request},
                                     lambda **what: None)
        return report["found"]["way"] if report["found"] else None

    def test_a_number_that_nothing_names(self):
        # 341 divides 2^340 - 1 (here: x^2 - x leaves 1 of 341's residues), and is met by counting only.
        body = "p = Mul (x, x) q = Add (p, x) r = Mod (q, m) c = Equal (r, k) d = Cast <to = 7> (c) y = Add (x, d)"
        constants = {"m": np.int64(1000003), "k": np.int64(341 * 342)}
        self.assertEqual(self.way(body, "y = Identity (x)", "int64 x", "int64 y", constants), "counted")

    def test_a_network_that_misses_one_order(self):
        sort = "".join(f"l{n} = Min ({a}, {b}) h{n} = Max ({a}, {b}) " for n, (a, b) in enumerate(
            (("p", "q"), ("r", "s"), ("l0", "l1"), ("h0", "h1"))))
        split = "p, q, r, s = Split <axis = 0, num_outputs = 4> (x) " + sort
        short = split + "y = Concat <axis = 0> (l2, h2, l3, h3)"
        whole = split + "l4 = Min (h2, l3) h4 = Max (h2, l3) y = Concat <axis = 0> (l2, l4, h4, h3)"
        self.assertIsNotNone(self.way(short, whole, "float[4] x", "float[4] y", {}))
        self.assertIsNone(self.way(whole, "z, i = TopK <largest = 0> (x, four) y = Identity (z)", "int64[4] x", "int64[4] y", {"four": np.array([4])}))

    def test_a_band_that_nothing_names(self):
        band = "a = Mul (x, s) f = Floor (a) c = Equal (f, k) d = Cast <to = 1> (c) y = Add (x, d)"
        constants = {"s": np.float32(0.073), "k": np.float32(22)}  # from 301.4 to 315.1
        self.assertEqual(self.way(band, "y = Identity (x)", "float[2] x", "float[2] y", constants, pointwise=True), "magnitudes")


if __name__ == "__main__":
    unittest.main()
